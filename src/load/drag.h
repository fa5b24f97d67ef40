// SPDX-License-Identifier: MIT
#pragma once

// Drag on a piece with areas A to the air, as a matrix whose largest is a, that moves with velocity
// u against the wind: the dissipation potential
//   D = linear q/2 + quadratic a s^3/(3 + t),  q = u^T A u,  s^2 = q/a,  t = s (quadratic/P)^(1/2),
// which is convex, so that its Hessian is positive semi-definite, and it never adds energy to still
// air. P is the pressure at which surfaces fold; rigid ones have t = 0. Along an axis of A the
// force is
//   F = linear A u + quadratic a (A/a)^(3/2) u^2 (1 + 2t/9)/(1 + t/3)^2,
// which grows as the square of the speed at first and in proportion to it in the end (Vogel's
// exponent goes from 0 to -1).

#include "load/point.h"
#include "tendril/skeleton.h"

#include <math.h>

// The air only rubs along a stem and in the plane of a lamina. There A is a tenth of that across,
// for which quadratic drag is 0.1^(3/2) = 0.032 of that across: 0.02/1.1 of long cylinders (Hoerner
// 1965, 3-11), 0.02 to 0.1 of stems of a few mm and of leaves in winds of 1 to 10 m/s (Blasius).
#define TDI_RUBBED 0.1

// A of which the quadratic law makes the drag of the area P, if `most` is the largest area:
// A/a = (P/a)^(2/3)
static inline td_real tdi_area_for(td_real outline, td_real most) {
    const td_real share = cbrt(outline * outline / (most * most));
    return most * (share > TDI_RUBBED ? share : TDI_RUBBED);
}

// Areas to the air in the axes of a segment, of which so much counts.
static inline td_vec3 tdi_areas_of(const td_segment *s, td_real area) {
    td_real across = area, along = TDI_RUBBED * area;
    switch (s->organ) {
    case TD_ORGAN_STEM: return tdi_vec3(across, along, across);
    case TD_ORGAN_LEAF:
    case TD_ORGAN_PETAL: return tdi_vec3(along, along, across);
    default: return tdi_vec3(across, across, across);
    }
}

static inline td_vec3 tdi_segment_areas(const td_segment *s) {
    const td_vec3 p = s->outline;
    const td_real most = fmax(p.x, fmax(p.y, p.z));
    if (!(most > 0)) {
        return tdi_areas_of(s, s->drag * s->area);
    }
    return tdi_scale(
        tdi_vec3(tdi_area_for(p.x, most), tdi_area_for(p.y, most), tdi_area_for(p.z, most)),
        s->drag);
}

// P^(-1/2) of the pressure P at which it folds; 0: it is rigid.
static inline td_real tdi_segment_fold(const td_segment *s) {
    return s->fold_pressure > 0 ? 1 / sqrt(s->fold_pressure) : 0;
}

#define TDI_WIDE_NAMES 0
#include "math/lane_names.h"
#include "load/drag_lanes.h"

// Where drag is taken on the way along a piece: two points of Gauss, exact for a field linear along
// it.
static const td_real tdi_gauss_points[2] = {0.21132486540518712, 0.78867513459481288};
