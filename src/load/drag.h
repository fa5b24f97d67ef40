// SPDX-License-Identifier: MIT
#pragma once

// Drag on a piece with areas A to the air, as a matrix whose largest is a, that moves with velocity
// u against the wind: the dissipation potential
//   D = linear q/2 + quadratic q^(3/2)/(3 a^(1/2)),  q = u^T A u,
// which is convex, so that its Hessian is positive semi-definite, and it never adds energy to still
// air.

#include "load/point.h"
#include "tendril/skeleton.h"

#define TDI_RUBBED 0.1 // of the area across counts where the air flows along

// Areas to the air in the axes of a segment, of which so much counts. Along a stem and in the plane
// of a lamina (across Z) the air only rubs.
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
    return tdi_areas_of(s, s->drag * s->area);
}

#define TDI_WIDE_NAMES 0
#include "math/lane_names.h"
#include "load/drag_lanes.h"

// Where drag is taken on the way along a piece: two points of Gauss, exact for a field linear along
// it.
static const td_real tdi_gauss_points[2] = {0.21132486540518712, 0.78867513459481288};
