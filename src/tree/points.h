// SPDX-License-Identifier: MIT
#pragma once

// Material points of a tree: nodes, any positions on its bodies, its joints, rotations of capsules.

#include "implicit/implicit.h"
#include "tree/model.h"

// From the origin of its body to a point that has a position.
td_vec3 tdi_tree_lever(const tdi_tree_state *state, const tdi_point *point);
// Axes of a body's joint at rest, on its parent.
tdi_mat3 tdi_tree_joint_axes(const tdi_tree_state *state, int32_t body);

// Functions of tdi_implicit; `body` is a tdi_tree_state.
void tdi_tree_read(void *body, tdi_points points, tdi_reading what, td_vec3 *x);
void tdi_tree_apply_forces(void *body, tdi_points points, const td_vec3 *forces);
void tdi_tree_confine(void *body, tdi_points points);
void tdi_tree_add_stiffness(void *body, const tdi_side_terms *side);
void tdi_tree_respond(void *body);
void tdi_tree_add_response(void *body);
tdi_joint tdi_tree_joint(const void *body, int32_t segment);

td_real tdi_tree_mass(const tdi_tree_model *model); // kg
