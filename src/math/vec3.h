// SPDX-License-Identifier: MIT
#pragma once

// Vectors of three reals, by value.

#include "math/angle.h"
#include "tendril/base.h"

// Where every byte counts, longer helpers are called rather than written out at each use.
#ifdef TDI_SMALL
#define TDI_HELPER __attribute__((noinline, unused)) static
#else
#define TDI_HELPER static inline
#endif

static inline td_vec3 tdi_vec3(td_real x, td_real y, td_real z) {
    td_vec3 v = {x, y, z};
    return v;
}

#define TDI_WIDE_NAMES 0
#include "math/lane_names.h"
#include "math/vec3_lanes.h"

static inline td_real tdi_norm(td_vec3 a) {
    return sqrt(tdi_dot(a, a));
}
// a/|a|, or `otherwise` when a has no direction
TDI_HELPER td_vec3 tdi_unit_or(td_vec3 a, td_vec3 otherwise) {
    td_real n = tdi_norm(a);
    return n > 1e-150 ? tdi_scale(a, 1 / n) : otherwise;
}
// some unit vector across the unit vector a
TDI_HELPER td_vec3 tdi_across(td_vec3 a) {
    td_vec3 axis = fabs(a.x) < 0.6 ? tdi_vec3(1, 0, 0) : tdi_vec3(0, 0, 1);
    return tdi_unit_or(tdi_cross(a, axis), axis);
}
static inline bool tdi_finite3(td_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
