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
    td_vec3 spin,
        pull; // the gradient as far as it has lever arms: of the whole, nothing eliminated
} tdi_helix_block;

// The same of an element.
typedef struct tdi_helix_form {
    tdi_helix_block start; // by the motion of its start
    td_vec3 turn_d[3];     // mixed: by a turn and a curvature
    td_vec3 shift_d[3];    // by a shift and a curvature
    td_sym3 d;             // by curvatures
    td_vec3 g;             // gradient by curvatures
} tdi_helix_form;

// How an element's start rides on its parent: with the parent's motion w, v, d
//   w' = Q^T (w + T d),  v' = Q^T (v + w x lever + P d)
typedef struct tdi_helix_link {
    tdi_mat3 q; // the element's axes in those of its parent
    td_vec3 lever;
    td_vec3 turn[3], shift[3];
} tdi_helix_link;

typedef struct tdi_helix_motion {
    td_vec3 w, v, d;
} tdi_helix_motion;

typedef struct tdi_helix_node {
    tdi_helix_form form; // until its curvatures are eliminated
    tdi_helix_link link;
    // d = -(free + by_turn w + by_shift v)
    tdi_ldl3 pivot;
    tdi_mat3 by_turn, by_shift;
    td_vec3 free;
    tdi_helix_motion move, respond;
} tdi_helix_node;

// Of an element without parent: its own motion, as far as it is free.
typedef struct tdi_helix_pivot {
    tdi_ldl3 turn;  // of the turn, the shift eliminated where that is free
    tdi_ldl3 shift; // where it is free
    tdi_mat3 b;     // by turn and shift
    td_vec3 n, f;
} tdi_helix_pivot;

// A point that rides on an element, to second order, in the element's axes.
typedef struct tdi_helix_point_jet {
    td_vec3 x;
    td_vec3 dx[3];
    td_vec3 ddx[6];
} tdi_helix_point_jet;
