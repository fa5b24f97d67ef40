// SPDX-License-Identifier: MIT
#pragma once

/// @file algebra.h
/// Vectors, quaternions, 4x4 matrices and bone palettes for callers: what a program needs to place,
/// turn and draw what Tendril moves. All inline, by value, in double precision; nothing to link.
///
/// Quaternions turn as q v q*: td_quat_rotate(td_quat_mul(a, b), v) turns by b first. Matrices are
/// column-major, as OpenGL, Vulkan, glTF and three.js have them, and act on columns: td_mat4_mul(a,
/// b) applies b first.

#include "tendril/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- vectors --------------------------------------------------------------------------------

static inline td_vec3 td_vec3_of(td_real x, td_real y, td_real z) {
    td_vec3 v = {x, y, z};
    return v;
}

static inline td_vec3 td_vec3_add(td_vec3 a, td_vec3 b) {
    return td_vec3_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline td_vec3 td_vec3_sub(td_vec3 a, td_vec3 b) {
    return td_vec3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline td_vec3 td_vec3_scale(td_vec3 a, td_real s) {
    return td_vec3_of(a.x * s, a.y * s, a.z * s);
}

/// a + s b.
static inline td_vec3 td_vec3_madd(td_vec3 a, td_vec3 b, td_real s) {
    return td_vec3_of(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static inline td_real td_vec3_dot(td_vec3 a, td_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline td_vec3 td_vec3_cross(td_vec3 a, td_vec3 b) {
    return td_vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline td_real td_vec3_norm(td_vec3 a) {
    return sqrt(td_vec3_dot(a, a));
}

static inline td_real td_vec3_distance(td_vec3 a, td_vec3 b) {
    return td_vec3_norm(td_vec3_sub(a, b));
}

/// a over its length, or `otherwise` when a has no direction.
static inline td_vec3 td_vec3_unit_or(td_vec3 a, td_vec3 otherwise) {
    const td_real n = td_vec3_norm(a);
    return n > 1e-150 ? td_vec3_scale(a, 1 / n) : otherwise;
}

/// From a at 0 to b at 1.
static inline td_vec3 td_vec3_lerp(td_vec3 a, td_vec3 b, td_real at) {
    return td_vec3_madd(td_vec3_scale(a, 1 - at), b, at);
}

// ---- quaternions ----------------------------------------------------------------------------

static inline td_quat td_quat_of(td_real w, td_real x, td_real y, td_real z) {
    td_quat q = {w, x, y, z};
    return q;
}

static inline td_quat td_quat_identity(void) {
    return td_quat_of(1, 0, 0, 0);
}

static inline td_quat td_quat_mul(td_quat a, td_quat b) {
    return td_quat_of(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

/// The way back, of a unit quaternion.
static inline td_quat td_quat_conj(td_quat q) {
    return td_quat_of(q.w, -q.x, -q.y, -q.z);
}

static inline td_real td_quat_dot(td_quat a, td_quat b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

/// q over its length, which must not be 0.
static inline td_quat td_quat_unit(td_quat q) {
    const td_real s = 1 / sqrt(td_quat_dot(q, q));
    return td_quat_of(q.w * s, q.x * s, q.y * s, q.z * s);
}

/// A turn by `angle`, rad, about a unit axis.
static inline td_quat td_quat_turn(td_vec3 axis, td_real angle) {
    const td_real s = sin(angle / 2);
    return td_quat_of(cos(angle / 2), s * axis.x, s * axis.y, s * axis.z);
}

/// v + 2 u x (u x v + w v), u the vector part of q.
static inline td_vec3 td_quat_rotate(td_quat q, td_vec3 v) {
    const td_vec3 u = td_vec3_of(q.x, q.y, q.z);
    const td_vec3 t = td_vec3_scale(td_vec3_cross(u, v), 2);
    return td_vec3_add(td_vec3_madd(v, t, q.w), td_vec3_cross(u, t));
}

/// The smallest turn that takes one unit vector to another; about any axis across when they are
/// opposite.
static inline td_quat td_quat_between(td_vec3 from, td_vec3 to) {
    const td_real w = 1 + td_vec3_dot(from, to);
    const td_vec3 axis = td_vec3_cross(from, to);
    if (w < 1e-9) {
        const td_vec3 other = fabs(from.x) < 0.6 ? td_vec3_of(1, 0, 0) : td_vec3_of(0, 0, 1);
        return td_quat_turn(td_vec3_unit_or(td_vec3_cross(from, other), other), acos(-1.0));
    }
    return td_quat_unit(td_quat_of(w, axis.x, axis.y, axis.z));
}

/// From a at 0 to b at 1 at even speed, the shorter way. Unit quaternions.
static inline td_quat td_quat_slerp(td_quat a, td_quat b, td_real at) {
    td_real dot = td_quat_dot(a, b), p = 1 - at, q = at;
    const td_real sign = dot < 0 ? -1 : 1;
    dot *= sign;
    if (dot < 0.9995) { // nearer ones are as good as straight
        const td_real angle = acos(dot);
        p = sin((1 - at) * angle) / sin(angle);
        q = sin(at * angle) / sin(angle);
    }
    q *= sign;
    return td_quat_unit(
        td_quat_of(p * a.w + q * b.w, p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z));
}

// ---- matrices -------------------------------------------------------------------------------

/// Entry of row r and column c is m[4 c + r].
typedef struct td_mat4 {
    td_real m[16];
} td_mat4;

/// Turns by a unit quaternion, then shifts.
static inline td_mat4 td_mat4_of(td_vec3 position, td_quat rotation) {
    const td_vec3 x = td_quat_rotate(rotation, td_vec3_of(1, 0, 0));
    const td_vec3 y = td_quat_rotate(rotation, td_vec3_of(0, 1, 0));
    const td_vec3 z = td_quat_rotate(rotation, td_vec3_of(0, 0, 1));
    td_mat4 m = {{x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, position.x, position.y,
                  position.z, 1}};
    return m;
}

static inline td_mat4 td_mat4_identity(void) {
    return td_mat4_of(td_vec3_of(0, 0, 0), td_quat_identity());
}

static inline td_mat4 td_mat4_scaling(td_vec3 by) {
    td_mat4 m = {{by.x, 0, 0, 0, 0, by.y, 0, 0, 0, 0, by.z, 0, 0, 0, 0, 1}};
    return m;
}

static inline td_mat4 td_mat4_mul(td_mat4 a, td_mat4 b) {
    td_mat4 out;
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            td_real sum = 0;
            for (int k = 0; k < 4; k++) {
                sum += a.m[4 * k + r] * b.m[4 * c + k];
            }
            out.m[4 * c + r] = sum;
        }
    }
    return out;
}

/// A place, divided by the fourth coordinate: of a projection, what the screen shows.
static inline td_vec3 td_mat4_apply(td_mat4 m, td_vec3 v) {
    td_real out[4];
    for (int r = 0; r < 4; r++) {
        out[r] = m.m[r] * v.x + m.m[4 + r] * v.y + m.m[8 + r] * v.z + m.m[12 + r];
    }
    return td_vec3_of(out[0] / out[3], out[1] / out[3], out[2] / out[3]);
}

/// For OpenGL: `angle` (rad) of view from bottom to top, width over height, depth from -1 at
/// `least` to 1 at `most`, m.
static inline td_mat4 td_mat4_perspective(td_real angle, td_real aspect, td_real least,
                                          td_real most) {
    const td_real f = 1 / tan(angle / 2), depth = least - most;
    td_mat4 m = {{f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (least + most) / depth, -1, 0, 0,
                  2 * least * most / depth, 0}};
    return m;
}

/// From the world to a camera at `eye` that looks along its -Z towards `target`.
static inline td_mat4 td_mat4_look_at(td_vec3 eye, td_vec3 target, td_vec3 up) {
    const td_vec3 z = td_vec3_unit_or(td_vec3_sub(eye, target), td_vec3_of(0, 0, 1));
    const td_vec3 x = td_vec3_unit_or(td_vec3_cross(up, z), td_vec3_of(1, 0, 0));
    const td_vec3 y = td_vec3_cross(z, x);
    td_mat4 m = {{x.x, y.x, z.x, 0, x.y, y.y, z.y, 0, x.z, y.z, z.z, 0, -td_vec3_dot(x, eye),
                  -td_vec3_dot(y, eye), -td_vec3_dot(z, eye), 1}};
    return m;
}

/// As graphics libraries take it.
static inline void td_mat4_floats(td_mat4 m, float out[16]) {
    for (int k = 0; k < 16; k++) {
        out[k] = (float)m.m[k];
    }
}

// ---- bones ----------------------------------------------------------------------------------

/// What takes a vertex of a skinned mesh from where it is drawn to where its segment is now: from
/// the pose of the mesh (td_skeleton_pose() with td_mesh_pose()) to that of td_world_pose().
static inline td_mat4 td_bone(td_vec3 drawn_origin, td_quat drawn_rotation, td_vec3 origin,
                              td_quat rotation) {
    const td_quat turn = td_quat_mul(rotation, td_quat_conj(drawn_rotation));
    return td_mat4_of(td_vec3_sub(origin, td_quat_rotate(turn, drawn_origin)), turn);
}

/// The palette of `count` segments: 16 floats each. `joint` of a td_mesh_part is an index into it.
static inline void td_bones(int32_t count, const td_vec3 *drawn_origins,
                            const td_quat *drawn_rotations, const td_vec3 *origins,
                            const td_quat *rotations, float *palette) {
    for (int32_t i = 0; i < count; i++) {
        td_mat4_floats(td_bone(drawn_origins[i], drawn_rotations[i], origins[i], rotations[i]),
                       palette + 16 * (size_t)i);
    }
}

#ifdef __cplusplus
}
#endif
