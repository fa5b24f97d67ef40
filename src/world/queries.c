// SPDX-License-Identifier: MIT
// Rays, nearest segments and overlaps.
//
// Method   Boxes of actors and of their segments lead to few segments, which are taken as round
//          cones: see segment_tree.h and contact/cast.h. Of hits that are equally near, the first
//          counts: actors before colliders, by index, then by segment.

#include "world/world.h"

#include "base/guard.h"
#include "base/pool.h"
#include "plant/sort.h"

#include <math.h>

static tdi_round_cone cone_of(const td_world *w, int32_t actor, int32_t segment) {
    const tdi_segment_tree *t = &w->segment_tree;
    const td_vec3 *axis = t->axis + 2 * (t->first[actor] + segment);
    const td_segment *s = &w->actors[actor].segments[segment];
    return (tdi_round_cone){axis[0], axis[1], s->radius_base, s->radius_tip};
}

// The best so far.
typedef struct nearest {
    int32_t actor, segment; // TD_NONE: none
    int32_t collider;       // likewise
    tdi_hit hit;
} nearest;

static nearest none_within(td_real distance) {
    return (nearest){TD_NONE, TD_NONE, TD_NONE, {distance, {0, 0, 0}}};
}

static bool is_before(const nearest *best, int32_t actor, int32_t segment) {
    return best->actor == TD_NONE || actor < best->actor ||
           (actor == best->actor && segment < best->segment);
}

static void take(nearest *best, int32_t actor, int32_t segment, tdi_hit hit) {
    const bool tie = hit.distance == best->hit.distance && hit.distance < HUGE_VAL;
    if (hit.distance < best->hit.distance || (tie && is_before(best, actor, segment))) {
        *best = (nearest){actor, segment, TD_NONE, hit};
    }
}

// A query that each segment answers.
typedef struct question {
    const td_world *w;
    td_filter filter;
    tdi_probe probe;
    tdi_ray ray;
} question;

// What collides with a filter; with one of zeros everything does.
static bool passes(const td_filter *asked, td_filter filter) {
    return (asked->category == 0 && asked->mask == 0) || tdi_filters_collide(*asked, filter);
}

static tdi_hit distance_hit(const tdi_round_cone *c, td_vec3 x) {
    td_real along;
    const td_real distance = tdi_cone_distance(c, x, &along);
    const td_vec3 n = tdi_sub(x, tdi_madd(c->a, tdi_sub(c->b, c->a), along));
    const td_real size = tdi_norm(n);
    return (tdi_hit){distance, size > 0 ? tdi_scale(n, 1 / size) : tdi_vec3(0, 1, 0)};
}

// Boxes within the best distance are looked at; a point within a segment has a distance below 0.
static td_real reach_of(const nearest *best) {
    return fmax(0, best->hit.distance);
}

static void query_actor(const question *q, int32_t actor, nearest *best) {
    const tdi_box_tree *tree = &q->w->segment_tree.segments[actor];
    tdi_walk walk;
    tdi_walk_start(&walk, tree, &q->probe, reach_of(best));
    for (int32_t leaf; (leaf = tdi_walk_next(&walk, reach_of(best))) != TD_NONE;) {
        const int32_t from = leaf * TDI_BOX_FAN, to = from + TDI_BOX_FAN;
        for (int32_t i = from; i < to && i < tree->item_count; i++) {
            const tdi_round_cone c = cone_of(q->w, actor, i);
            take(best, actor, i,
                 q->probe.kind == TDI_PROBE_RAY ? tdi_ray_cone(&q->ray, &c)
                                                : distance_hit(&c, q->probe.origin));
        }
    }
}

static void query_actors(const question *q, nearest *best) {
    const tdi_segment_tree *t = &q->w->segment_tree;
    tdi_walk walk;
    tdi_walk_start(&walk, &t->actors, &q->probe, reach_of(best));
    for (int32_t leaf; (leaf = tdi_walk_next(&walk, reach_of(best))) != TD_NONE;) {
        const int32_t from = leaf * TDI_BOX_FAN, to = from + TDI_BOX_FAN;
        for (int32_t k = from; k < to && k < t->actors.item_count; k++) {
            const tdi_actor *a = &q->w->actors[t->order[k]];
            if (tdi_actor_acts(a) && passes(&q->filter, a->filter)) {
                query_actor(q, t->order[k], best);
            }
        }
    }
}

static void query_colliders(const question *q, nearest *best) {
    for (int32_t k = 0; k < q->w->colliders.count; k++) {
        const tdi_collider_slot *s = &q->w->colliders.slots[k];
        if (s->alive && s->enabled && passes(&q->filter, s->now.filter)) {
            const tdi_hit hit = tdi_ray_collider(&q->ray, &s->now);
            if (hit.distance < best->hit.distance) {
                *best = (nearest){TD_NONE, TD_NONE, k, hit};
            }
        }
    }
}

static const td_pick nothing = {.segment = TD_NONE, .distance = HUGE_VAL};

// The answer, with `x` where the ball of the ray is, or the centre of a sphere.
static td_pick pick_of(const td_world *w, const nearest *best, td_vec3 x, td_vec3 surface) {
    td_pick p = nothing;
    if (best->actor == TD_NONE && best->collider == TD_NONE) {
        return p;
    }
    p.distance = best->hit.distance;
    p.normal = best->hit.normal;
    p.point = p.surface = surface;
    if (best->collider != TD_NONE) {
        p.collider = td_world_collider_id(w, best->collider);
        return p;
    }
    const tdi_actor *a = &w->actors[best->actor];
    const tdi_round_cone c = cone_of(w, best->actor, best->segment);
    const td_quat turn =
        tdi_rotation_from_simulated(a, tdi_solver_rotation(a->solver, a->state, best->segment));
    tdi_cone_distance(&c, x, &p.along);
    p.actor = td_world_actor_id(w, best->actor);
    p.segment = best->segment;
    p.point = tdi_madd(c.a, tdi_sub(c.b, c.a), p.along);
    p.own = tdi_quat_rotate(tdi_quat_conj(turn), tdi_sub(p.point, c.a));
    return p;
}

// ---- rays -----------------------------------------------------------------------------------

static const char *fault_of_ray(const td_ray *r) {
    return !tdi_finite3(r->origin)                     ? "its origin is not finite"
           : !isfinite(tdi_norm(r->direction))         ? "its direction is not finite"
           : !(tdi_norm(r->direction) > 0)             ? "its direction has no length"
           : !(r->length >= 0)                         ? "its length must be at least 0"
           : !(r->radius >= 0) || !isfinite(r->radius) ? "its radius must be at least 0"
                                                       : NULL;
}

static td_pick cast(const td_world *w, const td_ray *ray) {
    const td_vec3 u = tdi_scale(ray->direction, 1 / tdi_norm(ray->direction));
    const question q = {.w = w,
                        .filter = ray->filter,
                        .probe = {TDI_PROBE_RAY, ray->origin, u, {0, 0, 0}, ray->radius},
                        .ray = {ray->origin, u, ray->radius}};
    nearest best = none_within(ray->length > 0 ? ray->length : HUGE_VAL);
    query_actors(&q, &best);
    if (ray->colliders) {
        query_colliders(&q, &best);
    }
    const td_vec3 x = tdi_madd(ray->origin, u, best.hit.distance);
    return pick_of(w, &best, x, tdi_madd(x, best.hit.normal, -ray->radius));
}

typedef struct casting {
    const td_world *w;
    int32_t count;
    const td_ray *rays;
    td_pick *picks;
} casting;

static void cast_turn(void *context, int64_t turn) {
    const casting *c = context;
    const tdi_turn_part share = tdi_turn_part_of(c->count, turn);
    for (int32_t k = share.first; k < share.last; k++) {
        c->picks[k] = cast(c->w, &c->rays[k]);
    }
}

td_status td_world_cast_rays(td_world *w, int32_t count, const td_ray *rays, td_pick *picks,
                             td_diag *diag) {
    TDI_REFUSE_IF(!w || count < 0 || (count > 0 && (!rays || !picks)));
    for (int32_t k = 0; k < count; k++) {
        const char *fault = fault_of_ray(&rays[k]);
        if (fault) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "ray %d: %s", (int)k, fault);
        }
    }
    const td_status status = tdi_segment_tree_update(w, diag);
    if (status == TD_OK) {
        casting c = {w, count, rays, picks};
        tdi_pool_turns(w->pool, tdi_turns_of(count), cast_turn, &c);
    }
    return status;
}

// ---- spheres --------------------------------------------------------------------------------

td_status td_world_pick_nearest(td_world *w, int32_t count, const td_vec3 *centres, td_real radius,
                                const td_filter *filter, td_pick *picks, td_diag *diag) {
    TDI_REFUSE_IF(!w || count < 0 || (count > 0 && (!centres || !picks)));
    for (int32_t k = 0; k < count; k++) {
        if (!tdi_finite3(centres[k])) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "centre %d is not finite", (int)k);
        }
    }
    if (!(radius >= 0)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "radius is %g m; it must be at least 0", radius);
    }
    const td_status status = tdi_segment_tree_update(w, diag);
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        const question q = {.w = w,
                            .filter = filter ? *filter : (td_filter){0},
                            .probe = {.kind = TDI_PROBE_POINT, .origin = centres[k]}};
        nearest best = none_within(radius);
        query_actors(&q, &best);
        picks[k] = pick_of(w, &best, centres[k],
                           tdi_madd(centres[k], best.hit.normal, -best.hit.distance));
    }
    return status;
}

// ---- overlaps -------------------------------------------------------------------------------

// Actors whose boxes meet the probe, by index.
static int32_t find_actors(td_world *w, const tdi_probe *probe, const td_filter *filter) {
    tdi_segment_tree *t = &w->segment_tree;
    int32_t count = 0;
    tdi_walk walk;
    tdi_walk_start(&walk, &t->actors, probe, 0);
    for (int32_t leaf; (leaf = tdi_walk_next(&walk, 0)) != TD_NONE;) {
        const int32_t from = leaf * TDI_BOX_FAN, to = from + TDI_BOX_FAN;
        for (int32_t k = from; k < to && k < t->actors.item_count; k++) {
            const tdi_actor *a = &w->actors[t->order[k]];
            if (tdi_actor_acts(a) && passes(filter, a->filter)) {
                t->keys[count++] = (uint64_t)t->order[k];
            }
        }
    }
    tdi_sort_keys(t->keys, count);
    return count;
}

typedef struct overlaps {
    const td_collider *shape;
    td_overlap *found;
    int32_t count, capacity;
} overlaps;

static void find_segments(const td_world *w, int32_t actor, const tdi_probe *probe, overlaps *out) {
    const tdi_box_tree *tree = &w->segment_tree.segments[actor];
    tdi_walk walk;
    tdi_walk_start(&walk, tree, probe, 0);
    for (int32_t leaf; (leaf = tdi_walk_next(&walk, 0)) != TD_NONE;) {
        const int32_t from = leaf * TDI_BOX_FAN, to = from + TDI_BOX_FAN;
        for (int32_t i = from; i < to && i < tree->item_count; i++) {
            const tdi_round_cone c = cone_of(w, actor, i);
            if (!tdi_cone_overlaps(&c, out->shape)) {
                continue;
            }
            if (out->count < out->capacity) {
                out->found[out->count] = (td_overlap){td_world_actor_id(w, actor), i};
            }
            out->count++;
        }
    }
}

td_status td_world_overlap(td_world *w, const td_collider *shape, td_overlap *found,
                           int32_t capacity, int32_t *count, td_diag *diag) {
    TDI_REFUSE_IF(!w || !shape || !count || capacity < 0 || (capacity > 0 && !found));
    *count = 0;
    if (shape->kind == TD_COLLIDER_HEIGHT_FIELD) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the shape is a height field; it must be a sphere, capsule, box or plane");
    }
    td_status status = td_colliders_check(shape, 1, diag);
    status = status == TD_OK ? tdi_segment_tree_update(w, diag) : status;
    if (status != TD_OK) {
        return status;
    }
    overlaps out = {.shape = shape, .found = found, .capacity = capacity};
    tdi_probe probe = {.kind = TDI_PROBE_BOX};
    tdi_collider_box(shape, &probe.origin, &probe.high);
    const int32_t actors = find_actors(w, &probe, &shape->filter);
    for (int32_t k = 0; k < actors; k++) {
        find_segments(w, (int32_t)w->segment_tree.keys[k], &probe, &out);
    }
    *count = out.count;
    return TD_OK;
}
