// SPDX-License-Identifier: MIT
#pragma once

// The elastic energy of a joint between two edges of a rod, with its derivatives.
//
// Symbols  e, f     the edge before the joint and the one after it
//          a, b     their lengths; te, tf their directions
//          m1, m2   material directors of an edge, (m1, m2, t) right-handed
//          kb       curvature binormal, 2 te x tf/(1 + te.tf): 2 tan(phi/2) across the bend
//          k1, k2   curvature in the material frame half-way between those of e and f
//          m        twist: from the frame of e carried over to f, to the frame of f
// Variables are ordered (e, turn of e about te, f, turn of f about tf): 8 in all. Frames follow
// their edges by parallel transport from where the derivatives are taken.

#include "math/mat3.h"

enum { TDI_TURN_E = 3, TDI_EDGE_F = 4, TDI_TURN_F = 7, TDI_JOINT_VARIABLES = 8 };

// An edge as it lies now.
typedef struct tdi_edge {
    td_vec3 t, m1, m2;
    td_real length;
} tdi_edge;

// How a joint resists: its moment is `bend` (k - rest) and twist (m - rest).
typedef struct tdi_joint_law {
    td_real bend[3]; // N m: of k1 k1, k1 k2, k2 k2
    td_real twist;   // N m
    td_real rest[3]; // k1, k2, m
} tdi_joint_law;

// Curvatures k1, k2 of a joint, and sin and cos of its twist.
typedef struct tdi_joint_strain {
    td_vec3 kb;
    td_real chi; // 1 + te.tf
    td_real k1, k2;
    td_real twist_sin, twist_cos;
} tdi_joint_strain;

typedef struct tdi_joint_term {
    td_real gradient[TDI_JOINT_VARIABLES];
    td_real hessian[TDI_JOINT_VARIABLES][TDI_JOINT_VARIABLES]; // upper half
} tdi_joint_term;

// ---- frames ---------------------------------------------------------------------------------

// Carries u, across the unit vector `from`, along with it to the unit vector `to`, without turning
// about them: u - (u.to)/(1 + from.to) (from + to). Not defined where they are opposite.
static inline td_vec3 tdi_transport(td_vec3 u, td_vec3 from, td_vec3 to) {
    td_real share = tdi_dot(u, to) / (1 + tdi_dot(from, to));
    return tdi_madd(u, tdi_add(from, to), -share);
}

// The director m1 across t once more, free of what rounding put along t.
static inline td_vec3 tdi_director(td_vec3 m1, td_vec3 t) {
    td_vec3 across = tdi_madd(m1, t, -tdi_dot(m1, t));
    return tdi_scale(across, 1 / tdi_norm(across));
}

tdi_joint_strain tdi_joint_measure(const tdi_edge *e, const tdi_edge *f);

// The twist near `before` whose sine and cosine these are, so that it never jumps by a turn.
td_real tdi_joint_twist(const tdi_joint_strain *strain, td_real before);
// Curvatures were measured half-way along a twist of half a turn at most: takes them to half-way
// along the whole of it.
void tdi_joint_wind(tdi_joint_strain *strain, td_real twist);

// ---- energy ---------------------------------------------------------------------------------

// (k - rest)^T bend (k - rest)/2 + twist (m - rest)^2/2
td_real tdi_joint_energy(const tdi_joint_law *law, const tdi_joint_strain *strain, td_real twist);

// Its gradient alone.
void tdi_joint_slope(const tdi_edge *e, const tdi_edge *f, const tdi_joint_law *law,
                     const tdi_joint_strain *strain, td_real twist,
                     td_real gradient[TDI_JOINT_VARIABLES]);

// Its gradient, and its Hessian: whole, or without the second derivatives of the strains, which
// leaves it positive semi-definite.
void tdi_joint_derive(const tdi_edge *e, const tdi_edge *f, const tdi_joint_law *law,
                      const tdi_joint_strain *strain, td_real twist, bool whole,
                      tdi_joint_term *out);
