// SPDX-License-Identifier: MIT
// Colliders that overlap capsules as a step begins: they begin the step beside them.
//
// Deepest   In each round the deepest overlap decides: its collider is shifted, without turning,
//           along the shortest way out of it. A capsule whose axis goes through the middle of a
//           sphere or capsule leaves it across both axes; out of a box it leaves by the nearest
//           face.

#include "contact/contact_set.h"

#include <math.h>

#define ROUNDS 16
#define ROOM   0.5 // of the range: the gap that is left

// The way out of a collider, in its own axes: a unit vector, and how far.
typedef struct way_out {
    td_vec3 normal;
    td_real depth; // m: below 0 outside
} way_out;

// Out of a box that the axis enters: by the face from which the farther end has the shortest way.
static way_out out_of_box(const tdi_pair_shape *two, td_real radii) {
    const td_real a[3] = {two->a.x, two->a.y, two->a.z}, b[3] = {two->b.x, two->b.y, two->b.z},
                  half[3] = {two->c.x, two->c.y, two->c.z};
    way_out best = {.depth = INFINITY};
    for (int k = 0; k < 6; k++) {
        const td_real sign = k & 1 ? -1 : 1,
                      depth = half[k / 2] - fmin(sign * a[k / 2], sign * b[k / 2]) + radii;
        if (depth < best.depth) {
            best.depth = depth;
            best.normal =
                tdi_vec3(k / 2 == 0 ? sign : 0, k / 2 == 1 ? sign : 0, k / 2 == 2 ? sign : 0);
        }
    }
    return best;
}

// Across both axes, which meet.
static td_vec3 across(const tdi_pair_shape *two) {
    const td_vec3 u = tdi_sub(two->b, two->a), v = tdi_sub(two->d, two->c);
    td_vec3 n = tdi_cross(u, v);
    n = tdi_norm(n) > 0 ? n : tdi_cross(tdi_norm(u) > 0 ? u : v, tdi_vec3(0, 1, 0));
    n = tdi_norm(n) > 0 ? n : tdi_vec3(1, 0, 0);
    return tdi_scale(n, 1 / tdi_norm(n));
}

static way_out way_out_of(const tdi_pair_geometry *m) {
    if (m->two.side == TDI_SIDE_PLANE) {
        return (way_out){{0, 1, 0}, m->radii - fmin(m->two.a.y, m->two.b.y)};
    }
    if (m->two.side == TDI_SIDE_FIELD) {
        const td_real a = tdi_over_field(&m->two, 0).distance,
                      b = tdi_over_field(&m->two, 1).distance;
        return (way_out){{0, 1, 0}, m->radii - fmin(a, b)};
    }
    const tdi_closest k = tdi_closest_of(&m->two);
    const td_real length = tdi_norm(k.e);
    if (m->two.side == TDI_SIDE_BOX && length == 0) {
        return out_of_box(&m->two, m->radii);
    }
    const bool meet = length < 1e-9 * m->radii;
    return (way_out){meet ? across(&m->two) : tdi_scale(k.e, 1 / length), m->radii - k.distance};
}

td_status tdi_contacts_withdraw(tdi_contacts *c, const td_vec3 *x, bool *apart, td_diag *diag) {
    td_status status = TD_OK;
    *apart = false;
    for (int32_t round = 0; round < ROUNDS && status == TD_OK && !*apart; round++) {
        way_out deepest = {.depth = 0};
        int32_t collider = TD_NONE;
        td_vec3 shift = {0, 0, 0};
        tdi_poses_at(c, 0);
        for (int32_t k = c->pairs.self_count; k < c->pairs.count; k++) {
            const tdi_near_pair pair = c->pairs.item[k];
            const tdi_pose *pose = &c->colliders.pose[pair.j - c->capsule_count];
            tdi_pair_geometry m;
            tdi_pair_open(c, pair, x, pose, &m);
            const way_out way = way_out_of(&m);
            if (way.depth >= deepest.depth) {
                deepest = way;
                collider = pair.j - c->capsule_count;
                shift =
                    tdi_scale(tdi_mat3_apply(&pose->r, way.normal), -way.depth - ROOM * m.range);
            }
        }
        *apart = collider == TD_NONE;
        if (!*apart) {
            tdi_collider_shift_start(c, collider, shift);
            status = tdi_contacts_find(c, x, NULL, diag);
        }
    }
    return status;
}
