// SPDX-License-Identifier: MIT
// Colliders and contact forces of a world as a clip has them.

#include "io/clip.h"

#include "base/guard.h"

#include "math/quat.h"

#include <math.h>

#define FULL_RATIO 4 // root of force over weight at which an arrow has half of its greatest length

// ---- sizes ----------------------------------------------------------------------------------

typedef struct box {
    td_vec3 low, high;
} box;

static void take(box *b, td_vec3 x) {
    b->low = tdi_vec3(fmin(b->low.x, x.x), fmin(b->low.y, x.y), fmin(b->low.z, x.z));
    b->high = tdi_vec3(fmax(b->high.x, x.x), fmax(b->high.y, x.y), fmax(b->high.z, x.z));
}

static td_real gravity_of(const td_world *world) {
    td_vec3 g = {0, 0, 0};
    td_world_get(world, "gravity.x", &g.x, NULL);
    td_world_get(world, "gravity.y", &g.y, NULL);
    td_world_get(world, "gravity.z", &g.z, NULL);
    td_real size = tdi_norm(g);
    return size > 0 ? size : 9.81;
}

// a ball around each collider but the ground
static void take_colliders(const td_world *world, box *b) {
    for (int32_t k = 0; k < td_world_collider_count(world); k++) {
        td_collider c = td_world_collider(world, td_world_collider_id(world, k));
        td_real r = c.kind == TD_COLLIDER_SPHERE    ? c.radius
                    : c.kind == TD_COLLIDER_CAPSULE ? c.radius + 0.5 * c.length
                                                    : 0.5 * tdi_norm(c.sides);
        if (c.kind != TD_COLLIDER_PLANE && c.kind != TD_COLLIDER_HEIGHT_FIELD) {
            take(b, tdi_sub(c.position, tdi_vec3(r, r, r)));
            take(b, tdi_add(c.position, tdi_vec3(r, r, r)));
        }
    }
}

td_clip_scale td_clip_scale_of(const td_world *world) {
    if (!world) {
        return (td_clip_scale){0};
    }
    const td_real far = HUGE_VAL;
    box b = {{far, far, far}, {-far, -far, -far}};
    td_real heaviest = 0;
    for (int32_t a = 0; a < td_world_actor_count(world); a++) {
        td_actor actor = td_world_actor(world, td_world_actor_id(world, a));
        const td_segment *segments = td_skeleton_segments(actor.skeleton);
        td_real mass = 0;
        for (int32_t i = 0; i < actor.segment_count; i++) {
            td_vec3 origin, tip;
            td_world_segment(world, td_world_actor_id(world, a), i, &origin, &tip, NULL);
            take(&b, origin);
            take(&b, tip);
            mass += segments[i].mass;
        }
        heaviest = fmax(heaviest, mass);
    }
    td_vec3 sides = tdi_sub(b.high, b.low);
    take_colliders(world, &b);
    return (td_clip_scale){.centre = tdi_scale(tdi_add(b.low, b.high), 0.5),
                           .side = fmax(sides.x, fmax(sides.y, sides.z)),
                           .diagonal = tdi_norm(tdi_sub(b.high, b.low)),
                           .weight = heaviest * gravity_of(world)};
}

// ---- colliders ------------------------------------------------------------------------------

td_clip_collider td_clip_collider_of(const td_collider *collider, const td_clip_scale *scale) {
    if (!collider || !scale) {
        return (td_clip_collider){0};
    }
    td_clip_collider look = {.kind = collider->kind,
                             .radius = collider->radius,
                             .length = collider->length,
                             .sides = collider->sides,
                             .field = collider->field};
    if (collider->kind == TD_COLLIDER_PLANE) {
        look.centre = tdi_quat_rotate(tdi_quat_conj(collider->rotation),
                                      tdi_sub(scale->centre, collider->position));
        look.centre.y = 0;
        look.reach = scale->diagonal;
    }
    return look;
}

static float *put(float *to, td_vec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
    return to + 3;
}

static float *put_turn(float *to, td_quat q) {
    to[3] = (float)q.w;
    put(to, tdi_vec3(q.x, q.y, q.z));
    return to + 4;
}

void td_clip_pack_collider(const td_collider *collider, float *out) {
    if (!collider || !out) {
        return;
    }
    put_turn(put(out, collider->position), tdi_quat_unit(collider->rotation));
}

// ---- arrows ---------------------------------------------------------------------------------

// The rotation that takes +Y to the unit vector d the shortest way.
static td_quat turn_up_to(td_vec3 d) {
    td_quat half_way = {1 + d.y, d.z, 0, -d.x};
    return d.y < -1 + 1e-12 ? (td_quat){0, 1, 0, 0} : tdi_quat_unit(half_way);
}

static void put_arrow(const td_contact *contact, const td_clip_scale *scale, float *to) {
    td_real force = tdi_norm(contact->force), ratio = sqrt(force / scale->weight);
    td_real length = scale->side * ratio / (ratio + FULL_RATIO);
    to = put_turn(put(to, contact->point), turn_up_to(tdi_scale(contact->force, 1 / force)));
    put(to, tdi_vec3(length, length, length));
}

void td_clip_pack_arrows(const td_contact *contacts, int32_t count, const td_clip_scale *scale,
                         int32_t arrow_count, float *out) {
    if (!scale || !out || (count > 0 && !contacts)) {
        return;
    }
    int32_t kept[TD_CLIP_ARROWS],
        most = arrow_count < TD_CLIP_ARROWS ? arrow_count : TD_CLIP_ARROWS;
    int32_t found = 0;
    for (int32_t i = 0; i < count; i++) {
        td_real force = tdi_norm(contacts[i].force);
        if (!(force > 0) || !isfinite(force)) {
            continue;
        }
        // by insertion, the largest first
        int32_t at = found < most ? found++ : most;
        for (; at > 0 && tdi_norm(contacts[kept[at - 1]].force) < force; at--) {
            if (at < most) {
                kept[at] = kept[at - 1];
            }
        }
        if (at < most) {
            kept[at] = i;
        }
    }
    for (int32_t k = 0; k < arrow_count; k++, out += TD_CLIP_ARROW) {
        if (k < found) {
            put_arrow(&contacts[kept[k]], scale, out);
        } else {
            put(put_turn(put(out, tdi_vec3(0, 0, 0)), tdi_quat_identity()), tdi_vec3(0, 0, 0));
        }
    }
}
