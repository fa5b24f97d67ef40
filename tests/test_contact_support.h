// SPDX-License-Identifier: MIT
#pragma once

// Random capsules, and distances found in another way than the library's.

#include "contact/contact_set.h"
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

// Of the place at s on the segment from a to b. `collider` NULL: from the segment between c and d.
static inline td_real test_distance_at(td_vec3 a, td_vec3 b, td_real s, td_vec3 c, td_vec3 d,
                                       const td_collider *collider) {
    td_vec3 x = tdi_madd(a, tdi_sub(b, a), s);
    return collider ? test_point_collider(x, collider) : test_point_segment(x, c, d);
}

// The distance of a place on the segment is convex along it: the least lies beside the least of
// some samples, and there the golden section finds it, one place a round.
static inline td_real test_distance(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d,
                                    const td_collider *collider) {
    enum { SAMPLES = 16, ROUNDS = 43 };        // to 1e-10 of the segment
    const td_real golden = 0.6180339887498949; // (sqrt(5) - 1) / 2
    td_real best = INFINITY, middle = 0;
    for (int k = 0; k <= SAMPLES; k++) {
        td_real s = (td_real)k / SAMPLES, at = test_distance_at(a, b, s, c, d, collider);
        middle = at < best ? s : middle;
        best = fmin(best, at);
    }
    td_real low = fmax(0, middle - 1.0 / SAMPLES), high = fmin(1, middle + 1.0 / SAMPLES);
    td_real s[2] = {high - golden * (high - low), low + golden * (high - low)};
    td_real at[2] = {test_distance_at(a, b, s[0], c, d, collider),
                     test_distance_at(a, b, s[1], c, d, collider)};
    for (int k = 0; k < ROUNDS; k++) {
        const int lesser = at[0] < at[1] ? 0 : 1, other = 1 - lesser;
        best = fmin(best, at[lesser]);
        if (lesser == 0) {
            high = s[1];
        } else {
            low = s[0];
        }
        s[other] = s[lesser];
        at[other] = at[lesser];
        s[lesser] = lesser == 0 ? high - golden * (high - low) : low + golden * (high - low);
        at[lesser] = test_distance_at(a, b, s[lesser], c, d, collider);
    }
    return best;
}

// Whether the segment is further away than that by its middle alone: along it, the distance changes
// by no more than the place does.
static inline bool test_beyond(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d,
                               const td_collider *collider, td_real distance) {
    const td_real half = 0.5 * tdi_norm(tdi_sub(b, a));
    return test_distance_at(a, b, 0.5, c, d, collider) > half + distance;
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

// The least gap of a set, over all pairs without a common point and all colliders; `high` when none
// is less. One that is not above `low` ends the search: the least is not above it either.
static inline td_real test_least_gap(const tdi_capsule *capsule, int32_t count, const td_vec3 *x,
                                     const td_collider *collider, int32_t collider_count,
                                     td_real time, td_real low, td_real high) {
    td_real least = high;
    for (int32_t i = 0; i < count; i++) {
        const tdi_capsule *p = &capsule[i];
        for (int32_t j = i + 1; j < count && least > low; j++) {
            const tdi_capsule *q = &capsule[j];
            const td_vec3 a = x[p->a], b = x[p->b], c = x[q->a], d = x[q->b];
            const td_real radii = p->radius + q->radius;
            if (p->a != q->a && p->a != q->b && p->b != q->a && p->b != q->b &&
                !test_beyond(a, b, c, d, NULL, least + radii)) {
                least = fmin(least, test_distance(a, b, c, d, NULL) - radii);
            }
        }
        for (int32_t k = 0; k < collider_count && least > low; k++) {
            const td_collider *o = &collider[k];
            const td_vec3 a = test_local(o, time, x[p->a]), b = test_local(o, time, x[p->b]);
            if (!test_beyond(a, b, a, b, o, least + p->radius)) {
                least = fmin(least, test_distance(a, b, a, b, o) - p->radius);
            }
        }
    }
    return least;
}

// ---- sets -----------------------------------------------------------------------------------

OWNED_POINTER(tdi_contacts)

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
