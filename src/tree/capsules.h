// SPDX-License-Identifier: MIT
#pragma once

// The capsules that a tree's bodies are to others.

#include "implicit/implicit.h"
#include "tree/model.h"

// Whether both ends of a capsule are one node.
bool tdi_tree_is_ball(const tdi_tree_model *model, int32_t capsule);
// Fills a model's capsules, for which there is room: one a body, from the bodies' own, or those of
// a welded body. False: out of memory.
bool tdi_tree_fill_capsules(tdi_tree_model *model, const td_skeleton *skeleton);

// Functions of tdi_implicit; `body` is a tdi_tree_state.
void tdi_tree_capsules(const void *body, tdi_capsule *capsules);
bool tdi_tree_apart(const void *body, int32_t i, int32_t j);
td_real tdi_tree_force(const void *body, const td_step_opts *opts, td_real gap, td_real h);
