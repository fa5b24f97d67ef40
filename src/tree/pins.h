// SPDX-License-Identifier: MIT
#pragma once

// What constraints hold a tree by: points of its bodies, and its joints. Functions of tdi_implicit;
// `body` is a tdi_tree_state.

#include "implicit/implicit.h"
#include "math/mat3.h"

struct tdi_tree_state;
// From the origin of its body to a pin that is a point.
td_vec3 tdi_tree_pin_lever(const struct tdi_tree_state *state, const tdi_pin *pin);
// Axes of a body's joint at rest, on its parent.
tdi_mat3 tdi_tree_joint_axes(const struct tdi_tree_state *state, int32_t body);

td_real tdi_tree_mass(const void *body);
td_vec3 tdi_tree_joint_inertia(const void *body, int32_t segment);
td_joint_kind tdi_tree_pin_joint(const void *body, int32_t segment);
void tdi_tree_pin_places(const void *body, const tdi_pin *pins, int32_t count, bool history,
                         td_vec3 *x);
void tdi_tree_pin_moves(const void *body, const tdi_pin *pins, int32_t count, bool response,
                        td_vec3 *dx);
void tdi_tree_pin_push(void *body, const tdi_pin *pin, td_vec3 force, bool first);
void tdi_tree_pin_confine(void *body, const tdi_pin *pins, int32_t count);
void tdi_tree_pin_add(void *body, const tdi_pin *pin, td_vec3 gradient, const td_sym3 *hessian,
                      tdi_levers levers);
