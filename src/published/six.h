// SPDX-License-Identifier: MIT
#pragma once

// Spatial vectors and 6x6 matrices, rows first, of the divide-and-conquer algorithm. Angular
// components come first: accelerations are (turning, linear), forces (moment, force).

#include "tree/model.h"

typedef struct tdi_six {
    td_real a[6];
} tdi_six;

typedef struct tdi_six2 {
    td_real a[36];
} tdi_six2;

// From one frame to another that is fixed at `r` in the first one's axes and turned against it.
typedef struct tdi_hop {
    tdi_mat3 turn; // axes of the second to those of the first
    td_vec3 r;
} tdi_hop;

static inline tdi_six tdi_six_of(td_vec3 angular, td_vec3 linear) {
    return (tdi_six){{angular.x, angular.y, angular.z, linear.x, linear.y, linear.z}};
}

static inline td_vec3 tdi_six_angular(const tdi_six *v) {
    return tdi_vec3(v->a[0], v->a[1], v->a[2]);
}

static inline td_vec3 tdi_six_linear(const tdi_six *v) {
    return tdi_vec3(v->a[3], v->a[4], v->a[5]);
}

static inline void tdi_six_add(tdi_six *to, const tdi_six *v, td_real by) {
    for (int k = 0; k < 6; k++) {
        to->a[k] += by * v->a[k];
    }
}

static inline td_real tdi_six_dot(const td_real *a, const td_real *b) {
    td_real sum = 0;
    for (int k = 0; k < 6; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

// M v
static inline tdi_six tdi_six_apply(const tdi_six2 *m, const tdi_six *v) {
    tdi_six to;
    for (int i = 0; i < 6; i++) {
        to.a[i] = tdi_six_dot(m->a + 6 * i, v->a);
    }
    return to;
}

// M^T v
static inline tdi_six tdi_six_apply_t(const tdi_six2 *m, const tdi_six *v) {
    tdi_six to = {{0, 0, 0, 0, 0, 0}};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            to.a[j] += v->a[i] * m->a[6 * i + j];
        }
    }
    return to;
}

// A B
static inline tdi_six2 tdi_six_mul(const tdi_six2 *a, const tdi_six2 *b) {
    tdi_six2 c;
    for (int i = 0; i < 6; i++) {
        td_real row[6] = {0, 0, 0, 0, 0, 0};
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < 6; j++) {
                row[j] += a->a[6 * i + k] * b->a[6 * k + j];
            }
        }
        for (int j = 0; j < 6; j++) {
            c.a[6 * i + j] = row[j];
        }
    }
    return c;
}

static inline tdi_six2 tdi_six_turned(const tdi_six2 *a) { // A^T
    tdi_six2 t;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            t.a[6 * i + j] = a->a[6 * j + i];
        }
    }
    return t;
}

static inline void tdi_six2_add(tdi_six2 *to, const tdi_six2 *a, td_real by) {
    for (int k = 0; k < 36; k++) {
        to->a[k] += by * a->a[k];
    }
}

// ---- from frame to frame --------------------------------------------------------------------

static inline tdi_hop tdi_hop_none(void) {
    return (tdi_hop){{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}};
}

// X v of a velocity, or of an acceleration as far as it is linear: E^T w, E^T (v + w x r)
static inline tdi_six tdi_hop_motion(const tdi_hop *x, const tdi_six *v) {
    const td_vec3 w = tdi_six_angular(v), l = tdi_add(tdi_six_linear(v), tdi_cross(w, x->r));
    return tdi_six_of(tdi_mat3_apply_t(&x->turn, w), tdi_mat3_apply_t(&x->turn, l));
}

// X^T f, of a force on the second frame: E n + r x E f, E f
static inline tdi_six tdi_hop_force(const tdi_hop *x, const tdi_six *f) {
    const td_vec3 n = tdi_mat3_apply(&x->turn, tdi_six_angular(f));
    const td_vec3 l = tdi_mat3_apply(&x->turn, tdi_six_linear(f));
    return tdi_six_of(tdi_add(n, tdi_cross(x->r, l)), l);
}

// M X^T: forces of the second frame instead of the first
static inline tdi_six2 tdi_hop_rows(const tdi_six2 *m, const tdi_hop *x) {
    tdi_six2 to;
    for (int i = 0; i < 6; i++) {
        const td_real *r = m->a + 6 * i, *e = x->turn.m;
        const td_real l0 = r[3] + r[1] * x->r.z - r[2] * x->r.y;
        const td_real l1 = r[4] + r[2] * x->r.x - r[0] * x->r.z;
        const td_real l2 = r[5] + r[0] * x->r.y - r[1] * x->r.x;
        for (int j = 0; j < 3; j++) {
            to.a[6 * i + j] = r[0] * e[j] + r[1] * e[3 + j] + r[2] * e[6 + j];
            to.a[6 * i + 3 + j] = l0 * e[j] + l1 * e[3 + j] + l2 * e[6 + j];
        }
    }
    return to;
}

// X M X^T of a symmetric M
static inline tdi_six2 tdi_hop_both(const tdi_six2 *m, const tdi_hop *x) {
    const tdi_six2 half = tdi_hop_rows(m, x), turned = tdi_six_turned(&half);
    return tdi_hop_rows(&turned, x);
}

// First x, then y.
static inline tdi_hop tdi_hop_on(const tdi_hop *x, const tdi_hop *y) {
    tdi_hop to;
    const td_real *a = x->turn.m, *b = y->turn.m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            to.turn.m[3 * i + j] =
                a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
    to.r = tdi_add(x->r, tdi_mat3_apply(&x->turn, y->r));
    return to;
}

// ---- rigid bodies ---------------------------------------------------------------------------

// Mass and moments of what is fixed in the second frame, in the first: with c' = E c
//   m,  c' + m r,  E S E^T + c' r^T + r c'^T + m r r^T
static inline tdi_mass tdi_hop_mass(const tdi_hop *x, const tdi_mass *b) {
    const td_vec3 c = tdi_mat3_apply(&x->turn, b->c), r = x->r;
    const td_sym3 s = tdi_sym3_turn(&x->turn, &b->s);
    const td_sym3 mixed = {2 * c.x * r.x,         2 * c.y * r.y,         2 * c.z * r.z,
                           c.x * r.y + c.y * r.x, c.x * r.z + c.z * r.x, c.y * r.z + c.z * r.y};
    return (tdi_mass){b->m, tdi_madd(c, r, b->m),
                      tdi_sym3_add(tdi_sym3_add(s, mixed), tdi_sym3_square(r, b->m))};
}

// The inverse of a rigid body's inertia at its frame. With p the centre of mass and J its inertia
// tensor about that:
//   [J^-1, -J^-1 [p]x; [p]x J^-1, 1/m - [p]x J^-1 [p]x]
// False when it has no inertia about an axis.
bool tdi_mass_inverse(const tdi_mass *mass, tdi_six2 *phi);
