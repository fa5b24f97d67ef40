// SPDX-License-Identifier: MIT
#pragma once

// The capsules that helices are to others, and the points at their ends.

#include "helix/state.h"

// Notes how the capsules are drawn: the state is as drawn.
void tdi_helix_note_drawn(tdi_helix_state *state);

// ---- points that ride on an element

// How it moves by the increments, or by the response, in world axes.
td_vec3 tdi_helix_ride_move(const tdi_helix_state *state, int32_t element,
                            const struct tdi_helix_ride *ride, bool response);
// Adds a gradient in the element's axes and a Hessian in those of the world to the element's form.
void tdi_helix_add_ride(tdi_helix_state *state, int32_t element, const struct tdi_helix_ride *ride,
                        td_vec3 gradient, const td_sym3 *hessian);
// Adds what the second derivatives of a point make of a gradient in the element's axes.
void tdi_helix_add_levers(tdi_helix_state *state, const tdi_helix_point *point, td_vec3 gradient);
// No pushes yet; and one more, in world axes.
void tdi_helix_open_pushes(tdi_helix_state *state);
void tdi_helix_push_ride(tdi_helix_state *state, int32_t element, const struct tdi_helix_ride *ride,
                         td_vec3 force);

// ---- contact

// Functions of tdi_implicit; `body` is a tdi_helix_state.
void tdi_helix_capsules(const void *body, tdi_capsule *capsules);
bool tdi_helix_apart(const void *body, int32_t i, int32_t j);
td_real tdi_helix_force(const void *body, const td_step_opts *opts, td_real gap, td_real h);
void tdi_helix_points(const void *body, bool history, td_vec3 *x);
void tdi_helix_velocities(void *body, td_vec3 *v);
void tdi_helix_moves(const void *body, bool response, td_vec3 *dx);
td_vec3 tdi_helix_turned(const void *body, int32_t capsule);
td_vec3 tdi_helix_turns(const void *body, int32_t capsule, bool response);
td_vec3 tdi_helix_spin(void *body, int32_t capsule);
void tdi_helix_apply_moment(void *body, int32_t capsule, td_vec3 moment, bool first);
void tdi_helix_add_side(void *body, const tdi_contact_side *side);
void tdi_helix_push(void *body, int32_t point, td_vec3 force, bool first);
void tdi_helix_respond(void *body);
void tdi_helix_absorb(void *body);
