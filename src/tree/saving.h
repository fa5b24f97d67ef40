// SPDX-License-Identifier: MIT
#pragma once

// States as bytes, and what else a world reads of them.

#include "tree/model.h"

// Bytes of all that the future of a state depends on; the same for states of one model.
size_t tdi_tree_save_size(const td_tree_state *state);
void tdi_tree_save(const td_tree_state *state, void *bytes);
// The bytes must be of a state of the same model.
void tdi_tree_restore(td_tree_state *state, const void *bytes);

// Velocity of a point of a body, given in its own axes.
td_vec3 tdi_tree_velocity_of(td_tree_state *state, int32_t body, td_vec3 point);
