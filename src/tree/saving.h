// SPDX-License-Identifier: MIT
#pragma once

// What is saved of a state, and what else a world reads of it.

#include "tree/model.h"

// Functions of tdi_implicit; `body` is a tdi_tree_state.
int32_t tdi_tree_saved(void *body, tdi_saving what, tdi_span spans[TDI_SPANS]);
// The same with room for the bodies of a larger model, whose arrays the state has.
int32_t tdi_tree_saved_of(tdi_tree_state *state, const tdi_tree_model *model,
                          tdi_span spans[TDI_SPANS]);
void tdi_tree_transform(void *body, const tdi_rigid *motion);

// Velocity of a point of a body, given in its own axes.
td_vec3 tdi_tree_velocity_of(tdi_tree_state *state, int32_t body, td_vec3 point);
