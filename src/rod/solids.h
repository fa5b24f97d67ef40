// SPDX-License-Identifier: MIT
#pragma once

// Welded bodies of rods in contact: capsules that ride on edges. Their points come after the
// vertices, two a capsule, their capsules after those of edges.

#include "rod/implicit.h"

static inline int32_t tdi_rod_edge_capsules(const tdi_rod_state *s) {
    return s->head.capsule_count - s->model->solid_count;
}

// Of point 0..2 solid_count.
td_vec3 tdi_rod_solid_point(const tdi_rod_state *state, int32_t point, bool history);
td_vec3 tdi_rod_solid_velocity(const tdi_rod_state *state, int32_t point);
td_vec3 tdi_rod_solid_motion(const tdi_rod_state *state, const tdi_rod_step *step, int32_t point);
// Adds one side of a contact to the work of its edge.
void tdi_rod_solid_add(const tdi_rod_state *state, const tdi_side_terms *side);
// Adds J^T f to the right-hand side.
void tdi_rod_solid_force(const tdi_rod_state *state, int32_t point, td_vec3 force);
