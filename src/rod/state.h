// SPDX-License-Identifier: MIT
#pragma once

// What else of a rod's state others need.

#include "rod/model.h"

// Targets of all that moves with the base.
void tdi_rod_place_base(td_rod_state *state);
// td_rod_set_base() and td_rod_set_end(), also of a state that a world leads.
void tdi_rod_set_base(td_rod_state *state, const td_base_motion *motion);
void tdi_rod_set_end(td_rod_state *state, int32_t rod, bool end, td_vec3 position,
                     td_quat rotation);
// The goals of ends are their targets as they are now.
void tdi_rod_note_goals(td_rod_state *state);
// A segment beyond the edges is a body's, drawn where that is on an edge: which, and where on it.
int32_t tdi_rod_edge_of(const td_rod_model *model, int32_t segment, td_vec3 *from);
// A point of a segment in the axes of its edge.
td_vec3 tdi_rod_on_edge(const td_rod_model *model, int32_t segment, td_vec3 point);

// Velocity of a point of an edge, given in its own axes.
td_vec3 tdi_rod_velocity_of(const td_rod_state *state, int32_t edge, td_vec3 point);

// Scratch of a step: bytes, and memory for it; NULL: the state's own.
size_t tdi_rod_scratch(const void *body);
void tdi_rod_lend(void *body, void *scratch);
