// SPDX-License-Identifier: MIT
#pragma once

// Unit quaternions as rotations: rotate(a*b, v) = rotate(a, rotate(b, v)).

#include "math/vec3.h"

#define TDI_WIDE_NAMES 0
#include "math/lane_names.h"
#include "math/quat_lanes.h"

static inline td_quat tdi_quat_identity(void) {
    td_quat q = {1, 0, 0, 0};
    return q;
}
static inline td_quat tdi_quat_conj(td_quat q) {
    td_quat c = {q.w, -q.x, -q.y, -q.z};
    return c;
}
static inline td_real tdi_quat_norm(td_quat q) {
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}
// q/|q| with w >= 0, so that equal rotations have equal numbers
static inline td_quat tdi_quat_unit(td_quat q) {
    td_real n = tdi_quat_norm(q);
    td_real s = (q.w < 0 ? -1 : 1) / n;
    td_quat u = {q.w * s, q.x * s, q.y * s, q.z * s};
    return u;
}
// turn by `angle` radians about the unit axis
TDI_HELPER td_quat tdi_quat_turn(td_vec3 axis, td_real angle) {
    td_real s = sin(angle / 2);
    td_quat q = {cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
    return q;
}
// the rotation by vector v: (cos |v|/2, sin(|v|/2) v/|v|), by series when small
static inline td_quat tdi_turn_by(td_vec3 v) {
    td_real half2 = tdi_dot(v, v) / 4, c, s; // s = sin(h)/(2h)
    if (half2 < 0.01) {
        c = 1 + half2 * (-1.0 / 2 + half2 * (1.0 / 24 + half2 * (-1.0 / 720 + half2 / 40320)));
        s = 0.5 *
            (1 + half2 * (-1.0 / 6 + half2 * (1.0 / 120 + half2 * (-1.0 / 5040 + half2 / 362880))));
    } else {
        td_real half = sqrt(half2);
        c = cos(half);
        s = sin(half) / (2 * half);
    }
    return (td_quat){c, s * v.x, s * v.y, s * v.z};
}
// v + 2w(u x v) + 2u x (u x v), u the vector part
TDI_HELPER td_vec3 tdi_quat_rotate_by(td_real w, td_vec3 u, td_vec3 v) {
    td_vec3 t = tdi_scale(tdi_cross(u, v), 2);
    return tdi_add(tdi_madd(v, t, w), tdi_cross(u, t));
}
static inline td_vec3 tdi_quat_rotate(td_quat q, td_vec3 v) {
    return tdi_quat_rotate_by(q.w, tdi_vec3(q.x, q.y, q.z), v);
}
// the rotation whose matrix has the orthonormal columns x, y, z
TDI_HELPER td_quat tdi_quat_from_axes(td_vec3 x, td_vec3 y, td_vec3 z) {
    td_real trace = x.x + y.y + z.z;
    td_quat q;
    if (trace > 0) {
        q = (td_quat){1 + trace, y.z - z.y, z.x - x.z, x.y - y.x};
    } else if (x.x >= y.y && x.x >= z.z) {
        q = (td_quat){y.z - z.y, 1 + x.x - y.y - z.z, x.y + y.x, z.x + x.z};
    } else if (y.y >= z.z) {
        q = (td_quat){z.x - x.z, x.y + y.x, 1 + y.y - x.x - z.z, y.z + z.y};
    } else {
        q = (td_quat){x.y - y.x, z.x + x.z, y.z + z.y, 1 + z.z - x.x - y.y};
    }
    return tdi_quat_unit(q);
}
