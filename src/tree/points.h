// SPDX-License-Identifier: MIT
#pragma once

// The capsules that a tree's bodies are to others, and the points at their ends.

#include "implicit/implicit.h"
#include "tree/model.h"

// Whether both ends of a capsule are one point.
bool tdi_tree_is_ball(const tdi_tree_model *model, int32_t capsule);
// Fills a model's capsules, for which there is room: one a body, from the bodies' own, or those of
// a welded body. False: out of memory.
bool tdi_tree_fill_capsules(tdi_tree_model *model, const td_skeleton *skeleton);

// Functions of tdi_implicit; `body` is a tdi_tree_state.
void tdi_tree_capsules(const void *body, tdi_capsule *capsules);
bool tdi_tree_apart(const void *body, int32_t i, int32_t j);
td_real tdi_tree_force(const void *body, const td_step_opts *opts, td_real gap, td_real h);
void tdi_tree_points(const void *body, bool history, td_vec3 *x);
void tdi_tree_velocities(void *body, td_vec3 *v);
void tdi_tree_moves(const void *body, bool response, td_vec3 *dx);
td_vec3 tdi_tree_turned(const void *body, int32_t capsule);
td_vec3 tdi_tree_turns(const void *body, int32_t capsule, bool response);
td_vec3 tdi_tree_spin(void *body, int32_t capsule);
void tdi_tree_apply_moment(void *body, int32_t capsule, td_vec3 moment, bool first);
void tdi_tree_add_side(void *body, const tdi_contact_side *side);
void tdi_tree_push(void *body, int32_t point, td_vec3 force, bool first);
void tdi_tree_respond(void *body);
void tdi_tree_absorb(void *body);

// ---- pushes, in twists and in `respond` of other joints, until tdi_tree_respond()
void tdi_tree_open_pushes(tdi_tree_state *state); // none yet
// At a point of a body, `lever` from its joint; `first`: there are none yet.
void tdi_tree_push_at(tdi_tree_state *state, int32_t i, td_vec3 lever, td_vec3 force, bool first);
