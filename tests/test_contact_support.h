// SPDX-License-Identifier: MIT
#pragma once

// Random capsules, and distances found in another way than the library's.

#include "base/random.h"
#include "contact/store.h"
#include "td_test.h"

static inline td_real test_between(tdi_random *random, td_real low, td_real high) {
    return low + (high - low) * tdi_random_uniform(random);
}

static inline td_vec3 test_in_cube(tdi_random *random, td_real half) {
    td_real x = test_between(random, -half, half), y = test_between(random, -half, half);
    return tdi_vec3(x, y, test_between(random, -half, half));
}

static inline td_vec3 test_direction(tdi_random *random) {
    td_vec3 v = {tdi_random_normal(random), tdi_random_normal(random), tdi_random_normal(random)};
    return tdi_unit_or(v, tdi_vec3(1, 0, 0));
}

static inline td_quat test_rotation(tdi_random *random) {
    td_quat q = {tdi_random_normal(random), tdi_random_normal(random), tdi_random_normal(random),
                 tdi_random_normal(random)};
    return tdi_quat_unit(q);
}

// ---- distances ------------------------------------------------------------------------------

static inline td_real test_point_segment(td_vec3 x, td_vec3 c, td_vec3 d) {
    td_vec3 v = tdi_sub(d, c);
    td_real vv = tdi_dot(v, v), t = vv > 0 ? tdi_dot(tdi_sub(x, c), v) / vv : 0;
    return tdi_norm(tdi_sub(x, tdi_madd(c, v, fmin(1, fmax(0, t)))));
}

// Sizes of any kind: radius, half the length and half the sides.
static inline void test_size(td_collider *k, td_vec3 half) {
    k->radius = half.x;
    k->length = 2 * half.y;
    k->sides = tdi_scale(half, 2);
}

static inline td_real test_point_collider(td_vec3 x, const td_collider *k) {
    td_real half = k->kind == TD_COLLIDER_CAPSULE ? 0.5 * k->length : 0;
    switch (k->kind) {
    case TD_COLLIDER_PLANE: return x.y;
    case TD_COLLIDER_BOX: {
        td_real dx = fmax(0, fabs(x.x) - 0.5 * k->sides.x);
        td_real dy = fmax(0, fabs(x.y) - 0.5 * k->sides.y);
        td_real dz = fmax(0, fabs(x.z) - 0.5 * k->sides.z);
        return sqrt(dx * dx + dy * dy + dz * dz);
    }
    default: return test_point_segment(x, tdi_vec3(0, -half, 0), tdi_vec3(0, half, 0)) - k->radius;
    }
}

// The distance of a place on the segment from a to b is convex along it: samples, then thirds.
// `collider` NULL: from the segment between c and d.
static inline td_real test_distance(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d,
                                    const td_collider *collider) {
    enum { SAMPLES = 16 };
    td_real best = INFINITY, low = 0, high = 1;
    for (int k = 0; k <= SAMPLES + 56; k++) {
        bool sample = k <= SAMPLES;
        td_real s[2] = {sample ? (td_real)k / SAMPLES : low + (high - low) / 3,
                        sample ? (td_real)k / SAMPLES : high - (high - low) / 3};
        td_real at[2];
        for (int n = 0; n < 2; n++) {
            td_vec3 x = tdi_madd(a, tdi_sub(b, a), s[n]);
            at[n] = collider ? test_point_collider(x, collider) : test_point_segment(x, c, d);
            best = fmin(best, at[n]);
        }
        if (!sample && at[0] < at[1]) {
            high = s[1];
        } else if (!sample) {
            low = s[0];
        }
    }
    return best;
}

// A collider's pose at a time, by its definition.
static inline td_vec3 test_local(const td_collider *k, td_real time, td_vec3 x) {
    td_quat q = tdi_quat_unit(tdi_quat_mul(k->rotation, tdi_quat_conj(k->rotation0)));
    td_real sine = tdi_norm(tdi_vec3(q.x, q.y, q.z)), angle = 2 * atan2(sine, q.w);
    td_vec3 axis = tdi_unit_or(tdi_vec3(q.x, q.y, q.z), tdi_vec3(1, 0, 0));
    td_quat now = tdi_quat_mul(tdi_quat_turn(axis, time * angle), k->rotation0);
    td_vec3 o = tdi_madd(k->position0, tdi_sub(k->position, k->position0), time);
    return tdi_quat_rotate(tdi_quat_conj(now), tdi_sub(x, o));
}

// The least gap of a set, over all pairs without a common point and all colliders.
static inline td_real test_least_gap(const tdi_capsule *capsule, int32_t count, const td_vec3 *x,
                                     const td_collider *collider, int32_t collider_count,
                                     td_real time) {
    td_real least = INFINITY;
    for (int32_t i = 0; i < count; i++) {
        const tdi_capsule *p = &capsule[i];
        for (int32_t j = i + 1; j < count; j++) {
            const tdi_capsule *q = &capsule[j];
            if (p->a != q->a && p->a != q->b && p->b != q->a && p->b != q->b) {
                td_real d = test_distance(x[p->a], x[p->b], x[q->a], x[q->b], NULL);
                least = fmin(least, d - p->radius - q->radius);
            }
        }
        for (int32_t k = 0; k < collider_count; k++) {
            td_vec3 a = test_local(&collider[k], time, x[p->a]);
            td_vec3 b = test_local(&collider[k], time, x[p->b]);
            least = fmin(least, test_distance(a, b, a, b, &collider[k]) - p->radius);
        }
    }
    return least;
}

// ---- sets -----------------------------------------------------------------------------------

static inline tdi_contacts *test_contacts(const td_contact_opts *opts, const tdi_capsule *capsule,
                                          int32_t count, int32_t collider_limit) {
    int32_t points = 0;
    for (int32_t i = 0; i < count; i++) {
        points = capsule[i].a >= points ? capsule[i].a + 1 : points;
        points = capsule[i].b >= points ? capsule[i].b + 1 : points;
    }
    tdi_contacts_def def = {.opts = opts,
                            .capsule = capsule,
                            .capsule_count = count,
                            .point_count = points,
                            .collider_limit = collider_limit};
    tdi_contacts *c = NULL;
    td_diag diag;
    if (tdi_contacts_new(&def, NULL, &c, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "%s", diag.message);
    }
    return c;
}
