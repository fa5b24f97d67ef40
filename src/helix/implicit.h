// SPDX-License-Identifier: MIT
#pragma once

// The implicit step or the search for rest of helices that is under way, and the potential that it
// minimises, in J:
//   sum over stations of (1/2 m |e|^2 + e.(dR c) + 1/2 tr(dR S dR^T))/h^2
//   + stiffness sum of 1/2 k (u - rest)^2 + damping/h sum of 1/2 b (u - u*)^2 + loads + drag
//   e = o - o^ - h^2 g,  dR = R - R^
// In statics there are weight and springs alone.

#include "helix/lanes.h"
#include "implicit/modal.h"
#include "load/point.h"

typedef struct tdi_helix_step {
    td_real h;                                  // s: of the rule; 0 in statics
    const tdi_helix_place *history, *predictor; // a station
    td_real inertia;                            // 1/h^2, or 0
    td_real damp;                               // damping/h, or 0
    bool drag;
    td_real shift;      // 1/s^2: inertia about the pose that is added to a positive model
    bool with_driven;   // the base goes with the increments
    tdi_rate base_move; // and by this
} tdi_helix_step;

// terms.c: adds the terms of stations, springs and vanes of the elements [first, last) to their
// forms.
void tdi_helix_add_elements(tdi_helix_state *state, int32_t first, int32_t last, bool exact);
void tdi_helix_add_element(tdi_helix_state *state, int32_t element, bool exact);
// The gradient of all that acts on elements, each by its own motion, into `respond`.
void tdi_helix_pull(tdi_helix_state *state);
// inertia.c: what lanes need to know of stations; sums of their terms to a form; and the inertia of
// an element at the pose.
tdi_stations_at tdi_helix_stations_at(const tdi_helix_state *state, bool exact);
void tdi_helix_add_sums(const td_real sum[TDI_STATION_ROWS], tdi_helix_form *form);
void tdi_helix_add_inertia(const tdi_helix_state *state, int32_t element, tdi_helix_form *form);
// Adds those of loads to the forms of what they act on.
void tdi_helix_add_loads(tdi_helix_state *state, bool exact);
// The potential at the pose.
td_real tdi_helix_value(const tdi_helix_state *state);
// Of the element's start: a point at arc length s with an offset.
tdi_helix_ride tdi_helix_ride_at(const tdi_helix_state *state, const tdi_helix_point *point);

// x* of a point by the rule of the step.
td_vec3 tdi_helix_history(const tdi_helix_state *state, const tdi_helix_point *point);

// rest.c: fills the nodes' forms with springs and weight of the elements, each with the gradient of
// all that it carries and the second derivatives of that; the sum of the forms is the Hessian. With
// these forces at points of it.
void tdi_helix_expand(tdi_helix_state *state, td_vec3 gravity, const tdi_dead_load *loads,
                      int32_t count);

// Helices for the common Newton's method; bodies are td_helix_states.
extern const tdi_implicit tdi_helix_implicit;
extern const tdi_modal tdi_helix_modal;         // modes.c
extern const tdi_statics_ops tdi_helix_statics; // solver.c
void tdi_helix_perturb_pose(void *body, const tdi_rigid *motion);
void tdi_helix_ease(void *body);
