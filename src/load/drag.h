// SPDX-License-Identifier: MIT
#pragma once

// Drag on a piece with areas A to the air, as a matrix whose largest is a, that moves with velocity
// u against the wind: the dissipation potential
//   D = linear q/2 + quadratic q^(3/2)/(3 a^(1/2)),  q = u^T A u,
// which is convex, so that its Hessian needs no taming and it never adds energy to still air.

#include "math/mat3.h"
#include "tendril/load.h"
#include "tendril/skeleton.h"

#define TDI_RUBBED 0.1 // of the area across counts where the air flows along

// Areas to the air in the axes of a segment. Along a stem and in the plane of a lamina (across Z)
// the air only rubs.
static inline td_vec3 tdi_segment_areas(const td_segment *s) {
    td_real across = s->area, along = TDI_RUBBED * s->area;
    switch (s->organ) {
    case TD_ORGAN_STEM: return tdi_vec3(across, along, across);
    case TD_ORGAN_LEAF:
    case TD_ORGAN_PETAL: return tdi_vec3(along, along, across);
    default: return tdi_vec3(across, across, across);
    }
}

// The areas in world axes, and the largest of the three.
typedef struct tdi_shield {
    td_sym3 area;
    td_real most;
} tdi_shield;

static inline tdi_shield tdi_shield_of(td_vec3 a, const tdi_mat3 *r) {
    td_real most = a.x > a.y ? a.x : a.y;
    return (tdi_shield){tdi_sym3_turn_diagonal(r, a), most > a.z ? most : a.z};
}

// D, and its derivatives by u.
typedef struct tdi_drag {
    td_real value;
    td_vec3 gradient;
    td_sym3 hessian;
} tdi_drag;

static inline tdi_drag tdi_drag_of(const td_air *air, const tdi_shield *a, td_vec3 u) {
    td_vec3 au = tdi_sym3_apply(&a->area, u);
    td_real form = tdi_dot(u, au), speed = form > 0 ? sqrt(form / a->most) : 0;
    td_real slope = air->linear + air->quadratic * speed;
    tdi_drag d;
    d.value = form * (0.5 * air->linear + air->quadratic * speed / 3);
    d.gradient = tdi_scale(au, slope);
    d.hessian = tdi_sym3_scale(a->area, slope);
    if (speed > 0) {
        d.hessian =
            tdi_sym3_add(d.hessian, tdi_sym3_square(au, air->quadratic / (a->most * speed)));
    }
    return d;
}

// Where drag is taken on the way along a piece: two points of Gauss, exact for a field linear along
// it.
static const td_real tdi_gauss_points[2] = {0.21132486540518712, 0.78867513459481288};
