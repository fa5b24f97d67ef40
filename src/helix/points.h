// SPDX-License-Identifier: MIT
#pragma once

// Material points of helices: nodes, any positions on segments, rotations of capsules.

#include "helix/state.h"

// Functions of tdi_implicit; `body` is a tdi_helix_state.
void tdi_helix_read(void *body, tdi_points points, tdi_reading what, td_vec3 *x);
void tdi_helix_apply_forces(void *body, tdi_points points, const td_vec3 *forces);
void tdi_helix_add_stiffness(void *body, const tdi_side_terms *side);
void tdi_helix_respond(void *body);
void tdi_helix_add_response(void *body);

td_real tdi_helix_mass(const tdi_helix_model *model); // kg
