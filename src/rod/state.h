// SPDX-License-Identifier: MIT
#pragma once

// What else of a rod's state others need.

#include "rod/model.h"

td_status tdi_rod_state_new(const tdi_rod_model *model, const td_alloc *alloc, tdi_rod_state **out,
                            td_diag *diag);
// Back to the start, at rest, at time 0.
void tdi_rod_reset(tdi_rod_state *state);
// Of an edge.
td_vec3 tdi_rod_origin(const tdi_rod_state *state, int32_t edge);
td_vec3 tdi_rod_tip(const tdi_rod_state *state, int32_t edge);
td_quat tdi_rod_rotation(const tdi_rod_state *state, int32_t edge);
td_vec3 tdi_rod_moment(const tdi_rod_state *state, int32_t edge);
td_energy tdi_rod_energy(tdi_rod_state *state, td_vec3 gravity);
void tdi_rod_momentum(const tdi_rod_state *state, td_vec3 *linear, td_vec3 *angular);
td_real tdi_rod_residual(tdi_rod_state *state, td_vec3 gravity);

// Targets of all that moves with the base.
void tdi_rod_place_base(tdi_rod_state *state);
void tdi_rod_set_base(tdi_rod_state *state, const td_base_motion *motion);
// All of it moves as one piece with the base.
void tdi_rod_move_along(tdi_rod_state *state);
void tdi_rod_set_end(tdi_rod_state *state, int32_t rod, bool end, td_vec3 position,
                     td_quat rotation);
// The goals of ends are their targets as they are now.
void tdi_rod_note_goals(tdi_rod_state *state);
// A segment beyond the edges is a body's, drawn where that is on an edge: which, and where on it.
int32_t tdi_rod_edge_of(const tdi_rod_model *model, int32_t segment, td_vec3 *from);
// A point of a segment in the axes of its edge.
td_vec3 tdi_rod_on_edge(const tdi_rod_model *model, int32_t segment, td_vec3 point);

// Velocity of a point of an edge, given in its own axes.
td_vec3 tdi_rod_velocity_of(const tdi_rod_state *state, int32_t edge, td_vec3 point);

// Scratch of a step: bytes, and memory for it; NULL: the state's own.
void tdi_rod_lend(void *body, void *scratch);
