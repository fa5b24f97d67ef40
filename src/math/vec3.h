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
static inline td_vec3 tdi_add(td_vec3 a, td_vec3 b) {
    return tdi_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline td_vec3 tdi_sub(td_vec3 a, td_vec3 b) {
    return tdi_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline td_vec3 tdi_scale(td_vec3 a, td_real s) {
    return tdi_vec3(a.x * s, a.y * s, a.z * s);
}
// a + s b
static inline td_vec3 tdi_madd(td_vec3 a, td_vec3 b, td_real s) {
    return tdi_vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline td_real tdi_dot(td_vec3 a, td_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline td_vec3 tdi_cross(td_vec3 a, td_vec3 b) {
    return tdi_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
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
