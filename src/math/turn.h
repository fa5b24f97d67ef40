// SPDX-License-Identifier: MIT
#pragma once

// The rotation vector a between two rotations, and how it changes when the second is turned on by a
// small w, from exp a to exp(w) exp(a):
//   da = J^-1 w,  J^-1 = I - 1/2 [a]x + b [a]x^2,  b = (1 - (|a|/2) cot(|a|/2))/|a|^2
//   sum of t_k d2a_k/dw2 = sym(a v^T) - (a.v) I,  v = p t + r (t.a) a - b t x a,
//   p = 2 b (1 - b |a|^2),  r = (1/4 - 3 p/2)/|a|^2

#include "math/mat3.h"

// Of a unit quaternion: at most half a turn.
static inline td_vec3 tdi_turn_vector(td_quat q) {
    const td_vec3 v = {q.x, q.y, q.z};
    const td_real sine = tdi_norm(v), sign = q.w < 0 ? -1 : 1;
    const td_real scale = sine > 1e-9 ? 2 * atan2(sine, fabs(q.w)) / sine : 2;
    return tdi_scale(v, sign * scale);
}

// From one rotation to another.
static inline td_vec3 tdi_turn_between(td_quat from, td_quat to) {
    return tdi_turn_vector(tdi_quat_mul(to, tdi_quat_conj(from)));
}

typedef struct tdi_turn {
    td_vec3 a;
    td_real b, p, r; // of the head
} tdi_turn;

static inline tdi_turn tdi_turn_of(td_vec3 a) {
    const td_real t = tdi_dot(a, a), half = 0.5 * sqrt(t);
    tdi_turn turn = {.a = a};
    if (t < 0.01) { // by series
        turn.b = 1.0 / 12 + t * (1.0 / 720 + t * (1.0 / 30240 + t * (1.0 / 1209600)));
        turn.p = 2 * turn.b * (1 - turn.b * t);
        turn.r = 1.0 / 60 + t * (1.0 / 1680 + t * (1.0 / 50400));
    } else {
        turn.b = (1 - half * cos(half) / sin(half)) / t;
        turn.p = 2 * turn.b * (1 - turn.b * t);
        turn.r = (0.25 - 1.5 * turn.p) / t;
    }
    return turn;
}

// J^-1 w and its transpose.
static inline td_vec3 tdi_turn_change(const tdi_turn *t, td_vec3 w) {
    const td_vec3 once = tdi_cross(t->a, w);
    return tdi_madd(tdi_madd(w, once, -0.5), tdi_cross(t->a, once), t->b);
}
static inline td_vec3 tdi_turn_moment(const tdi_turn *t, td_vec3 w) {
    const td_vec3 once = tdi_cross(t->a, w);
    return tdi_madd(tdi_madd(w, once, 0.5), tdi_cross(t->a, once), t->b);
}

// The sum of second derivatives with the weights m.
static inline td_sym3 tdi_turn_bend(const tdi_turn *t, td_vec3 m) {
    const td_vec3 a = t->a, along = tdi_scale(a, t->r * tdi_dot(m, a)),
                  v = tdi_madd(tdi_madd(along, m, t->p), tdi_cross(m, a), -t->b);
    const td_real x = a.x * v.x, y = a.y * v.y, z = a.z * v.z;
    return (td_sym3){-(y + z),
                     -(x + z),
                     -(x + y),
                     0.5 * (a.x * v.y + a.y * v.x),
                     0.5 * (a.x * v.z + a.z * v.x),
                     0.5 * (a.y * v.z + a.z * v.y)};
}
