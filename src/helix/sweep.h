// SPDX-License-Identifier: MIT
#pragma once

// Gradient and Hessian of an element by the motion of its start and its curvatures, and their
// elimination along the tree.
//
// An element is moved by a turn w about its start, a shift v of the start, and increments d of its
// curvatures, all in its own axes. What rides at s, at the place x, then moves to second order by
//   turn    w + T d + 1/2 w x T d + 1/2 d.dT.d
//   place   v + w x x + P d + 1/2 w x (w x x) + w x P d + 1/2 d.dP.d
// where T, P, dT, dP are turn, dx, dturn, ddx of the helix (curve.h).

#include "helix/state.h"

// Gradient n by a turn and f by a shift of a frame, and the Hessian of these.
typedef struct tdi_helix_block {
    td_sym3 a;  // by turns
    tdi_mat3 b; // by a turn, rows, and a shift, columns
    td_sym3 c;  // by shifts
    td_vec3 n, f;
    td_vec3 spin, pull; // gradient of what has lever arms, of the whole: nothing is eliminated
} tdi_helix_block;

// The same of an element.
typedef struct tdi_helix_form {
    tdi_helix_block start; // by the motion of its start
    td_vec3 turn_d[3];     // mixed: by a turn and a curvature
    td_vec3 shift_d[3];    // by a shift and a curvature
    td_sym3 d;             // by curvatures
    td_vec3 g;             // gradient by curvatures
} tdi_helix_form;

// Second derivatives of contact, which a positive model leaves out.
typedef struct tdi_helix_levers {
    td_sym3 a, d;
    td_vec3 turn_d[3];
    bool any;
} tdi_helix_levers;

typedef struct tdi_helix_motion {
    td_vec3 w, v, d;
} tdi_helix_motion;

// What rides on an element: where it is, and how it moves with the curvatures.
typedef struct tdi_helix_ride {
    td_vec3 x;
    td_vec3 turn[3], shift[3];
} tdi_helix_ride;

// An element's start on its parent, in the parent's axes.
typedef struct tdi_helix_seat {
    tdi_helix_ride ride;
    tdi_mat3 q;              // the element's axes
    td_vec3 p;               // its start from the frame of the helix there
    tdi_helix_slopes slopes; // there
} tdi_helix_seat;

typedef struct tdi_helix_node {
    tdi_helix_form form; // until the curvatures are eliminated
    tdi_helix_seat seat; // at the pose; nothing without parent
    // d = -(free + by_turn w + by_shift v)
    tdi_ldl3 pivot;
    tdi_mat3 by_turn, by_shift;
    td_vec3 free;
    td_real predicted_decrease;     // g.free
    tdi_helix_motion move, respond; // increments; pushes, and then the answer to them
} tdi_helix_node;

// The motion of an element without parent, as far as it is free.
typedef struct tdi_helix_pivot {
    tdi_ldl3 turn;     // with the shift eliminated where that is free
    tdi_ldl3 shift;    // where it is free
    tdi_helix_block b; // what is left
} tdi_helix_pivot;

// ---- terms ----------------------------------------------------------------------------------

// sym(r f^T) - (r.f) I: a force on a lever arm
static inline td_sym3 tdi_helix_geometric(td_vec3 r, td_vec3 f) {
    const td_real x = r.x * f.x, y = r.y * f.y, z = r.z * f.z;
    return (td_sym3){-(y + z),
                     -(x + z),
                     -(x + y),
                     0.5 * (r.x * f.y + r.y * f.x),
                     0.5 * (r.x * f.z + r.z * f.x),
                     0.5 * (r.y * f.z + r.z * f.y)};
}

// Moves what sits at a point p from a frame to the frame. `exact`: with second derivatives.
void tdi_helix_block_shift(tdi_helix_block *block, td_vec3 p, bool exact);
// Adds what sits in the frame of a jet, in the element's axes.
void tdi_helix_form_add(tdi_helix_form *form, const tdi_helix_jet *jet,
                        const tdi_helix_block *block, bool exact);
void tdi_helix_form_add_levers(tdi_helix_form *form, const tdi_helix_levers *levers);
// Adds k times the product of two rows, symmetric: rows are gradients by the element's motion.
void tdi_helix_form_add_rows(tdi_helix_form *form, const tdi_helix_motion *a,
                             const tdi_helix_motion *b, td_real k);
// Adds a Hessian by the place of a ride, and nothing else.
void tdi_helix_form_add_place(tdi_helix_form *form, const tdi_helix_ride *ride, const td_sym3 *c);

// How a ride moves, and the gradient of a force on it.
td_vec3 tdi_helix_ride_shift(const tdi_helix_ride *ride, const tdi_helix_motion *by);
td_vec3 tdi_helix_ride_turn(const tdi_helix_ride *ride, const tdi_helix_motion *by);
tdi_helix_motion tdi_helix_ride_row(const tdi_helix_ride *ride, td_vec3 force);

// ---- elimination ----------------------------------------------------------------------------

// Tip to root: eliminates the curvatures of an element whose form is complete, and adds what is
// left to its parent, or prepares its own motion. Unless `most` is HUGE_VAL, a form that is not
// positive definite is made so, and one under whose gradient the element would bend by more than
// `most` rad is made stiffer.
tdi_factored tdi_helix_eliminate(tdi_helix_state *state, int32_t element, bool exact, td_real most);
// raise.c: makes a form positive definite, and what is left of one without its curvatures by turns
// and shifts of the start.
void tdi_helix_raise_form(tdi_helix_form *form, td_real length);
void tdi_helix_raise_root(tdi_helix_form *form, td_real length, bool shifts);
// Root to tip: increments, with the base moved by a turn and a shift, in world axes. No curvature
// changes by more than `limit` rad along its element. Adds r^T H^-1 r.
void tdi_helix_sweep_out(tdi_helix_state *state, const tdi_rate *base, td_real limit,
                         td_real *predicted_decrease);
// The largest increment, rad or m: curvatures times lengths, turns and shifts of roots, and in
// steps the turns of all elements' starts.
td_real tdi_helix_largest(const tdi_helix_state *state);
// The answer to the pushes in `respond`, in place.
void tdi_helix_sweep_respond(tdi_helix_state *state);

// ---- whole Hessians -------------------------------------------------------------------------

// Tip to root: adds to the parent's form the gradient of an element and all it carries, and what
// second derivatives make of it; no Hessian.
void tdi_helix_carry(tdi_helix_state *state, int32_t element);
// Tip to root: adds what an element's start has, as that of a rigid body, to its parent's form.
void tdi_helix_add_to_parent(tdi_helix_state *state, int32_t element, bool exact);
// Tip to root: pushes at elements become forces along curvatures and roots, in `respond`.
void tdi_helix_sum_pushes(tdi_helix_state *state);
// The product of a Hessian, the sum of these forms, with `move`, of which curvatures and roots are
// given: into `respond`, of which they are the product. Needs rides.
void tdi_helix_multiply(tdi_helix_state *state, const tdi_helix_form *forms);
