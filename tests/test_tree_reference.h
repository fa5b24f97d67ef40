// SPDX-License-Identifier: MIT
#pragma once

// Inverse and forward dynamics once more, in long double and another way: centres of mass, inertia
// about them, moments about the world's origin; forward by the dense matrix and Cholesky, refined.

#include "td_test.h"
#include "tree/model.h"

#include <float.h>
#include <stdlib.h>

typedef long double real;

typedef struct vec {
    real x, y, z;
} vec;

typedef struct mat {
    real m[9]; // rows first
} mat;

static inline vec vec_of(td_vec3 v) {
    return (vec){v.x, v.y, v.z};
}
static inline vec plus(vec a, vec b) {
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec times(vec a, real s) {
    return (vec){s * a.x, s * a.y, s * a.z};
}
static inline vec minus(vec a, vec b) {
    return plus(a, times(b, -1));
}
static inline vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline real dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec turn_of(const mat *a, vec v) {
    const real *m = a->m;
    return (vec){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                 m[6] * v.x + m[7] * v.y + m[8] * v.z};
}
static inline vec turn_back(const mat *a, vec v) {
    const real *m = a->m;
    return (vec){m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                 m[2] * v.x + m[5] * v.y + m[8] * v.z};
}
static inline mat product(const mat *a, const mat *b) {
    mat c;
    for (int k = 0; k < 9; k++) {
        c.m[k] = a->m[k / 3 * 3] * b->m[k % 3] + a->m[k / 3 * 3 + 1] * b->m[k % 3 + 3] +
                 a->m[k / 3 * 3 + 2] * b->m[k % 3 + 6];
    }
    return c;
}
static inline mat mat_of(real w, real x, real y, real z) {
    real n = 2 / (w * w + x * x + y * y + z * z);
    return (mat){{1 - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y),
                  n * (x * y + w * z), 1 - n * (x * x + z * z), n * (y * z - w * x),
                  n * (x * z - w * y), n * (y * z + w * x), 1 - n * (x * x + y * y)}};
}

// ---- one body -------------------------------------------------------------------------------

typedef struct ref_body {
    mat r;
    vec o, w, e, a;    // joint origin; turning rate, its derivative, acceleration of the origin
    vec force, moment; // on the body and all that hangs on it; moment about the world's origin
} ref_body;

// What the joint adds: turn, shift, rates and accelerations.
static void ref_joint(const td_body *s, int32_t i, real rate, const ref_body *up, const real *accel,
                      ref_body *b) {
    const tdi_tree_model *m = tdi_as_tree_model(s->model);
    const tdi_body *body = &m->body[i];
    td_joint_kind kind = (td_joint_kind)m->kind[i];
    const td_real *q = tdi_as_tree(s)->q + m->coord[i];
    const real *qdd = accel + m->dof[i];
    real v[6];
    for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++) {
        v[d - m->dof[i]] = rate * tdi_as_tree(s)->v[d];
    }
    mat rest = mat_of(body->rest.w, body->rest.x, body->rest.y, body->rest.z), joint;
    vec at = vec_of(body->attach), none = {0, 0, 0}, slide = none, slide_rate = none, own = none;
    vec slide_accel = none, own_accel = none, axis = vec_of(body->axis);
    joint = mat_of(1, 0, 0, 0);
    if (kind == TD_JOINT_BALL || kind == TD_JOINT_FREE) {
        const td_real *turn = kind == TD_JOINT_FREE ? q + 3 : q;
        int k = kind == TD_JOINT_FREE ? 3 : 0;
        joint = mat_of(turn[0], turn[1], turn[2], turn[3]);
        own = (vec){v[k], v[k + 1], v[k + 2]};
        own_accel = (vec){qdd[k], qdd[k + 1], qdd[k + 2]};
    } else if (kind == TD_JOINT_HINGE) {
        real h = sinl((real)q[0] / 2);
        joint = mat_of(cosl((real)q[0] / 2), h * axis.x, h * axis.y, h * axis.z);
        own = times(axis, v[0]);
        own_accel = times(axis, qdd[0]);
    }
    if (kind == TD_JOINT_SLIDE) {
        axis = turn_of(&rest, axis);
        slide = times(axis, q[0]);
        slide_rate = times(axis, v[0]);
        slide_accel = times(axis, qdd[0]);
    } else if (kind == TD_JOINT_FREE) {
        slide = (vec){q[0], q[1], q[2]};
        slide_rate = (vec){v[0], v[1], v[2]};
        slide_accel = (vec){qdd[0], qdd[1], qdd[2]};
    }
    mat turn = product(&rest, &joint);
    b->r = product(&up->r, &turn);
    vec r = turn_of(&up->r, plus(at, slide));
    vec shift = turn_of(&up->r, slide_rate), w = turn_of(&b->r, own);
    b->o = plus(up->o, r);
    b->w = plus(up->w, w);
    b->e = plus(plus(up->e, turn_of(&b->r, own_accel)), cross(up->w, w));
    b->a = plus(plus(up->a, cross(up->e, r)), cross(up->w, cross(up->w, r)));
    b->a = plus(b->a, plus(turn_of(&up->r, slide_accel), times(cross(up->w, shift), 2)));
}

// Newton and Euler at the centre of mass.
static void ref_forces(const tdi_body *body, ref_body *b) {
    real m = body->mass;
    vec c = times(vec_of(body->moment), 1 / m);
    td_sym3 t = body->second;
    // about the centre: tr(S_c) I - S_c with S_c = S - m c c^T
    real xx = t.xx - m * c.x * c.x, yy = t.yy - m * c.y * c.y, zz = t.zz - m * c.z * c.z;
    real xy = t.xy - m * c.x * c.y, xz = t.xz - m * c.x * c.z, yz = t.yz - m * c.y * c.z;
    mat inertia = {{yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy}};
    vec arm = turn_of(&b->r, c), place = plus(b->o, arm);
    vec accel = plus(b->a, plus(cross(b->e, arm), cross(b->w, cross(b->w, arm))));
    vec w = turn_back(&b->r, b->w), e = turn_back(&b->r, b->e);
    vec euler = plus(turn_of(&inertia, e), cross(w, turn_of(&inertia, w)));
    b->force = times(accel, m);
    b->moment = plus(turn_of(&b->r, euler), cross(place, b->force));
}

// What a joint feels along its degrees of freedom.
static void ref_torque(const td_body *s, int32_t i, const mat *up, const ref_body *b,
                       real *torque) {
    const tdi_tree_model *m = tdi_as_tree_model(s->model);
    vec moment = turn_back(&b->r, minus(b->moment, cross(b->o, b->force)));
    vec force = turn_back(up, b->force), axis = vec_of(m->body[i].axis);
    switch ((td_joint_kind)m->kind[i]) {
    case TD_JOINT_FREE:
        torque[0] = force.x;
        torque[1] = force.y;
        torque[2] = force.z;
        torque += 3;
        // fall through
    case TD_JOINT_BALL:
        torque[0] = moment.x;
        torque[1] = moment.y;
        torque[2] = moment.z;
        break;
    case TD_JOINT_HINGE: torque[0] = dot(moment, axis); break;
    case TD_JOINT_SLIDE: torque[0] = dot(turn_back(&b->r, b->force), axis); break;
    case TD_JOINT_FIXED: break;
    }
}

// ---- trees ----------------------------------------------------------------------------------

// With rate 0 instead of 1 all velocities, and the base, are taken to be at rest. Bodies before the
// first are known to be unaccelerated, and where they are.
static void ref_inverse_from(const td_body *s, int32_t first, real rate, td_vec3 gravity,
                             const real *accel, ref_body *body, real *torque) {
    const tdi_tree_model *m = tdi_as_tree_model(s->model);
    ref_body *b = body + 1;
    const td_real *r = tdi_as_tree(s)->base.r.m;
    const vec none = {0, 0, 0};
    b[-1] = (ref_body){.r = {{r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]}},
                       .o = vec_of(tdi_as_tree(s)->base.o),
                       .w = times(vec_of(tdi_as_tree(s)->base_twist.w), rate),
                       .e = times(vec_of(s->base.spin_rate), rate),
                       .a = minus(times(vec_of(s->base.acceleration), rate), vec_of(gravity))};
    for (int32_t i = 0; i < first; i++) {
        b[i].e = b[i].a = b[i].force = b[i].moment = none;
    }
    for (int32_t i = first; i < m->body_count; i++) {
        ref_joint(s, i, rate, &b[m->parent[i]], accel, &b[i]);
        ref_forces(&m->body[i], &b[i]);
    }
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        ref_body *up = &b[m->parent[i]];
        ref_torque(s, i, &up->r, &b[i], torque + m->dof[i]);
        up->force = plus(up->force, b[i].force);
        up->moment = plus(up->moment, b[i].moment);
    }
}

static void ref_inverse(const td_body *s, real rate, td_vec3 gravity, const real *accel,
                        real *torque) {
    ref_body *body = calloc((size_t)tdi_as_tree_model(s->model)->body_count + 1, sizeof *body);
    ref_inverse_from(s, 0, rate, gravity, accel, body, torque);
    free(body);
}

// The inertia matrix, row by row as what unit accelerations ask for.
static void ref_inertia(const td_body *s, real *h) {
    const tdi_tree_model *m = tdi_as_tree_model(s->model);
    const int32_t n = m->head.dof_count;
    td_vec3 none = {0, 0, 0};
    FREED real *unit = calloc((size_t)n, sizeof *unit);
    FREED ref_body *body = calloc((size_t)m->body_count + 1, sizeof *body);
    for (int32_t i = 0; i < m->body_count; i++) {
        for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++) {
            unit[d] = 1;
            // the first row puts all bodies in their places
            ref_inverse_from(s, d > 0 ? i : 0, 0, none, unit, body, h + (size_t)d * (size_t)n);
            unit[d] = 0;
        }
    }
}

// In four sums, for one would wait for each of its additions.
static double ref_dot(const double *a, const double *b, int32_t n) {
    double sum = 0, second = 0, third = 0, fourth = 0;
    int32_t k = 0;
    for (; k + 4 <= n; k += 4) {
        sum += a[k] * b[k];
        second += a[k + 1] * b[k + 1];
        third += a[k + 2] * b[k + 2];
        fourth += a[k + 3] * b[k + 3];
    }
    for (; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum + second + (third + fourth);
}

// The factor of h by Cholesky, in double.
static void ref_factor(const real *h, double *f, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        double *fi = f + (size_t)i * (size_t)n;
        for (int32_t j = 0; j <= i; j++) {
            const double *fj = f + (size_t)j * (size_t)n;
            const double left = (double)h[(size_t)i * (size_t)n + (size_t)j] - ref_dot(fi, fj, j);
            fi[j] = i == j ? sqrt(left) : left / fj[j];
        }
    }
}

static void ref_back(const double *f, double *x, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        const double *fi = f + (size_t)i * (size_t)n;
        x[i] = (x[i] - ref_dot(fi, x, i)) / fi[i];
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        const double *fi = f + (size_t)i * (size_t)n;
        x[i] /= fi[i];
        for (int32_t k = 0; k < i; k++) {
            x[k] -= fi[k] * x[i];
        }
    }
}

// Solves h x = x: what a solution in double leaves of x, in long double, is solved for in turn,
// until there is nothing left to add.
static void ref_solve(const real *h, real *x, int32_t n) {
    FREED double *f = calloc((size_t)n * (size_t)n + 1, sizeof *f),
                 *add = calloc((size_t)n + 1, sizeof *add);
    real *left = calloc((size_t)n + 1, sizeof *left), added = INFINITY, most = 0;
    ref_factor(h, f, n);
    memcpy(left, x, (size_t)n * sizeof *x);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int round = 0; round < 30 && added > 1e-17L * most; round++) {
        for (int32_t i = 0; i < n; i++) {
            add[i] = (double)left[i];
        }
        ref_back(f, add, n);
        added = most = 0;
        for (int32_t i = 0; i < n; i++) {
            x[i] += add[i];
            added = fmaxl(added, fabsl((real)add[i]));
            most = fmaxl(most, fabsl(x[i]));
        }
        for (int32_t i = 0; i < n; i++) {
            const real *hi = h + (size_t)i * (size_t)n;
            for (int32_t k = 0; k < n; k++) {
                left[i] -= hi[k] * add[k];
            }
        }
    }
    CHECK(added <= 1e-17L * most);
    free(left);
}

// Accelerations under gravity and torque (springs and damping included by the caller), by the
// inertia matrix.
static void ref_forward(const td_body *s, td_vec3 gravity, const td_real *torque, const real *h,
                        real *accel) {
    int32_t n = s->model->dof_count;
    real *bias = calloc((size_t)n, sizeof *bias);
    memset(accel, 0, (size_t)n * sizeof *accel);
    ref_inverse(s, 1, gravity, accel, bias);
    for (int32_t d = 0; d < n; d++) {
        accel[d] = torque[d] - bias[d];
    }
    ref_solve(h, accel, n);
    free(bias);
}
