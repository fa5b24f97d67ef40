// SPDX-License-Identifier: MIT
#pragma once

// A helix: the centreline of an element whose curvatures and twist are constant, in closed form.
//
// The frame R(s) has +Y along the centreline, as segments have. With the Darboux vector u in its
// own axes, u = (curvature about X, twist about Y, curvature about Z), in 1/m,
//   R' = R [u]x,   x' = R e_y,   R(0) = I,   x(0) = 0.
// With v = s u, the left Jacobian J of rotations and e_y the axis +Y,
//   R = exp [v]x,   x = s J(v) e_y,   J(v) e = c1 e + c2 v x e + c3 (v.e) v
// where c_k = sum over j of (-|v|^2)^j / (2j + k)! are Stumpff's functions: smooth at zero, so that
// a straight element is no special case.

#include "math/mat3.h"

typedef struct tdi_stumpff {
    td_real c[8];
} tdi_stumpff;

// Of x = |v|^2 >= 0.
tdi_stumpff tdi_stumpff_of(td_real x);

// For those who sum the series themselves: 1/k!, and of k = 6 and 7 the factors 1/((k + 1)(k + 2)),
// 1/((k + 3)(k + 4)), ...; and how many are needed up to x, leaving out 1e-16. 0: no series.
enum { TDI_STUMPFF_TERMS = 10 };
extern const td_real tdi_over_factorial[8];
extern const td_real tdi_stumpff_over[2][TDI_STUMPFF_TERMS];
int tdi_stumpff_terms(td_real x);

// How many terms do for many at once.
typedef struct tdi_stumpff_range {
    int terms;   // for those of which the series is taken
    bool beyond; // there can be others
} tdi_stumpff_range;

// Place and frame at s, in the axes of the start.
typedef struct tdi_helix_frame {
    td_vec3 x;
    tdi_mat3 r;
} tdi_helix_frame;

tdi_helix_frame tdi_helix_at(td_vec3 u, td_real s);

// How they change with u. An increment d of u moves the place by, and turns the frame by the
// rotation vector (from the left, in the axes of the start),
//   sum of dx_k d_k + 1/2 sum of ddx_kl d_k d_l,   sum of turn_k d_k + 1/2 sum of dturn_kl d_k d_l
// up to terms of third order. Pairs kl are in the order of a td_sym3: xx, yy, zz, xy, xz, yz.
typedef struct tdi_helix_jet {
    td_real s;
    td_vec3 v;     // s u
    tdi_stumpff f; // of |v|^2, and, by it, 2 c_k' and 4 c_k''
    td_real d[6], dd[4];
    td_vec3 x;
    tdi_mat3 r;
    td_vec3 dx[3], turn[3];
    td_vec3 ddx[6], dturn[6];
} tdi_helix_jet;

// What second derivatives are made of.
typedef struct tdi_helix_slopes {
    td_real s;
    td_vec3 v;
    td_real c3, d[3], dd[3]; // from those with k = 1 on
} tdi_helix_slopes;

// With `second` false the second derivatives are not written.
void tdi_helix_jet_at(td_vec3 u, td_real s, bool second, tdi_helix_jet *jet);
// f.ddx_kl + n.dturn_kl, without the jet's second derivatives: what a force on the place and a
// moment on the frame add to a Hessian.
td_sym3 tdi_helix_bent_by(const tdi_helix_slopes *slopes, td_vec3 force, td_vec3 moment);
td_sym3 tdi_helix_bent(const tdi_helix_jet *jet, td_vec3 force, td_vec3 moment);
// sum of ddx_kl rate_k rate_l and sum of dturn_kl rate_k rate_l, likewise: what is left of the
// accelerations of place and frame when u changes at a steady rate.
void tdi_helix_drift(const tdi_helix_jet *jet, td_vec3 rate, td_vec3 *place, td_vec3 *turn);
