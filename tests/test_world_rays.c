// SPDX-License-Identifier: MIT
// Rays, nearest segments and overlaps, compared with a search through all segments that knows
// nothing but balls along an axis.

#include "contact/box_tree.h"
#include "contact/cast.h"
#include "test_world_support.h"

#define TEXT 4096

enum { SEGMENTS = 1024 };

// All segments of a world, by the functions that give poses.
typedef struct shapes {
    int32_t count;
    int32_t actor[SEGMENTS], segment[SEGMENTS];
    td_vec3 a[SEGMENTS], b[SEGMENTS];
    td_real from[SEGMENTS], to[SEGMENTS]; // radii
} shapes;

static void shapes_of(const td_world *world, shapes *out) {
    out->count = 0;
    for (int32_t k = 0; k < td_world_actor_count(world); k++) {
        const td_actor actor = actor_at(world, k);
        if (!td_world_actor_enabled(world, id_at(world, k))) {
            continue;
        }
        for (int32_t i = 0; i < actor.segment_count && out->count < SEGMENTS; i++) {
            const td_segment *s = &td_skeleton_segments(actor.skeleton)[i];
            const int32_t n = out->count++;
            segment_at(world, k, i, &out->a[n], &out->b[n], NULL);
            out->actor[n] = k;
            out->segment[n] = i;
            out->from[n] = s->radius_base;
            out->to[n] = s->radius_tip;
        }
    }
    CHECK(out->count > 0 && out->count < SEGMENTS);
}

typedef td_real (*function)(const void *context, td_real x);

// The least of a convex function, by golden sections.
static td_real least_of(function f, const void *context, td_real low, td_real high, td_real *at) {
    const td_real g = 0.6180339887498949;
    td_real s = high - g * (high - low), t = low + g * (high - low);
    td_real at_s = f(context, s), at_t = f(context, t);
    for (int k = 0; k < 80; k++) {
        if (at_s < at_t) {
            high = t;
            t = s;
            at_t = at_s;
            s = high - g * (high - low);
            at_s = f(context, s);
        } else {
            low = s;
            s = t;
            at_s = at_t;
            t = low + g * (high - low);
            at_t = f(context, t);
        }
    }
    const td_real mid = 0.5 * (low + high), ends[3] = {low, mid, high};
    td_real least = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        const td_real value = f(context, ends[k]);
        *at = value < least ? ends[k] : *at;
        least = fmin(least, value);
    }
    return least;
}

// From a point to the ball at s of an axis.
typedef struct gap {
    const shapes *all;
    int32_t k;
    td_vec3 x;
} gap;

static td_real ball_gap(const void *context, td_real s) {
    const gap *g = context;
    const shapes *all = g->all;
    const td_vec3 c = tdi_madd(all->a[g->k], tdi_sub(all->b[g->k], all->a[g->k]), s);
    return tdi_norm(tdi_sub(g->x, c)) - all->from[g->k] - s * (all->to[g->k] - all->from[g->k]);
}

static td_real distance_of(const shapes *all, int32_t k, td_vec3 x) {
    const gap g = {all, k, x};
    td_real at = 0;
    return fmin(least_of(ball_gap, &g, 0, 1, &at), fmin(ball_gap(&g, 0), ball_gap(&g, 1)));
}

// The least distance of a ray, which is a convex function of its length, and how far that is.
typedef struct flight {
    const shapes *all;
    int32_t k;
    td_vec3 o, u;
    td_real radius;
} flight;

static td_real flight_gap(const void *context, td_real t) {
    const flight *f = context;
    return distance_of(f->all, f->k, tdi_madd(f->o, f->u, t)) - f->radius;
}

// Where the distance becomes 0: *sure is false where it barely does, or barely does not.
static td_real first_touch(const flight *f, td_real length, bool *sure) {
    td_real at = 0, low = 0;
    *sure = true;
    if (flight_gap(f, 0) <= 0) {
        return 0;
    }
    const td_real least = least_of(flight_gap, f, 0, length, &at);
    *sure = fabs(least) > 1e-7;
    if (least > 0) {
        return HUGE_VAL;
    }
    for (int k = 0; k < 60; k++) {
        const td_real mid = 0.5 * (low + at);
        if (flight_gap(f, mid) > 0) {
            low = mid;
        } else {
            at = mid;
        }
    }
    return at;
}

// ---- random ---------------------------------------------------------------------------------

static td_vec3 random_vec(td_real size) {
    const td_real x = random_in(-size, size), y = random_in(-size, size);
    return tdi_vec3(x, y, random_in(-size, size));
}

// Twelve bent strands of a solver.
static stage bent_strands(const char *solver) {
    return stage_printed(
        "{contact: {}, colliders: [{sphere: {radius: 0.1, position: [0.1, 0.9, 0.1]}},\n"
        " {box: {size: [0.2, 0.1, 0.3], position: [-0.4, 0.9, 0], rotation: {axis: [1, 2, 3], "
        "degrees: 40}}},\n"
        " {capsule: {radius: 0.05, length: 0.3, position: [0.5, 0.9, 0.4]}},\n"
        " {plane: {position: [0, -0.9, 0]}}],\n"
        " objects: [{solver: %s, start: drawn, instances: {layout: grid, count: 12,\n"
        " area: [1.2, 0, 0.9]}, strand: {segments: 7, radius: 0.015, tip_radius: 0.004,\n"
        " points: [[0, 0, 0], [0.05, 0.2, 0], [0.2, 0.3, 0.1]]}}]}",
        solver);
}

// ---- rays -----------------------------------------------------------------------------------

static td_ray random_ray(const shapes *all) {
    td_ray r = {.origin = random_vec(1), .direction = random_vec(1)};
    const int32_t k = (int32_t)random_in(0, all->count);
    const td_vec3 at = tdi_madd(all->a[k], tdi_sub(all->b[k], all->a[k]), random_in(-0.2, 1.2));
    const td_real sort = random_in(0, 1);
    if (sort < 0.6) { // at a segment, or past it at about its radius
        const td_vec3 aside = random_vec(1);
        const td_vec3 to = tdi_madd(at, aside, random_in(0, 1.2) * all->from[k] / tdi_norm(aside));
        r.direction = tdi_sub(to, r.origin);
    } else if (sort < 0.7) { // within it
        r.origin = at;
    } else if (sort < 0.75) { // along its axis
        r.direction = tdi_sub(all->b[k], all->a[k]);
        r.origin = tdi_madd(at, r.direction, -3);
    } else if (sort < 0.8) { // along an axis of the boxes
        r.direction = tdi_vec3(0, sort < 0.78 ? -1 : 1, 0);
        r.origin = tdi_vec3(at.x, sort < 0.78 ? 2 : -2, at.z);
    }
    r.radius = random_in(0, 1) < 0.3 ? random_in(0, 0.05) : 0;
    r.length = random_in(0, 1) < 0.2 ? random_in(0.1, 1) : 0;
    return r;
}

typedef struct truth {
    td_real distance;
    bool sure;
} truth;

static truth first_of_all(const shapes *all, const td_ray *r) {
    const td_vec3 u = tdi_scale(r->direction, 1 / tdi_norm(r->direction));
    const td_real length = r->length > 0 ? r->length : 6;
    truth best = {HUGE_VAL, true};
    for (int32_t k = 0; k < all->count; k++) {
        const flight f = {all, k, r->origin, u, r->radius};
        const td_vec3 mid = tdi_scale(tdi_add(all->a[k], all->b[k]), 0.5);
        const td_vec3 m = tdi_sub(mid, r->origin);
        const td_real off = tdi_norm(tdi_madd(m, u, -tdi_dot(m, u)));
        bool sure = true;
        if (off > 0.5 * tdi_norm(tdi_sub(all->b[k], all->a[k])) + 0.03 + r->radius) {
            continue; // too far from the line to be touched
        }
        const td_real t = first_touch(&f, length, &sure);
        best.sure = best.sure && (sure || t > best.distance);
        best.distance = fmin(best.distance, t <= length ? t : HUGE_VAL);
    }
    return best;
}

TD_TEST(rays_meet_what_a_search_through_all_segments_finds_with_all_solvers) {
    const int32_t count = test_is_long() ? 5000 : 300;
    for (int32_t s = 0; s < td_solver_count(); s++) {
        OWNED(stage) w = bent_strands(td_solver_get(s).name);
        td_diag diag = {.message = ""};
        int32_t met = 0, unsure = 0, inside = 0;
        random_state = 11;
        for (int32_t k = 0; k < count; k++) {
            static shapes all;
            if (k % 50 == 0) {
                steps(w.world, 2);
                shapes_of(w.world, &all);
            }
            const td_ray ray = random_ray(&all);
            const truth true_first = first_of_all(&all, &ray);
            td_pick pick;
            CHECK_INT(td_world_cast_rays(w.world, 1, &ray, &pick, &diag), TD_OK);
            if (!true_first.sure) {
                unsure++;
                continue;
            }
            met += pick.actor.place > 0;
            inside += pick.distance == 0;
            const bool same = pick.distance == true_first.distance || // both may be infinite
                              fabs(pick.distance - true_first.distance) < 1e-6;
            CHECK_SAY(same, "%s ray %d: %.9g m of %.9g", td_solver_get(s).name, (int)k,
                      pick.distance, true_first.distance);
        }
        CHECK(met > count / 3 && inside > count / 40 && unsure < count / 10);
    }
}

TD_TEST(rays_meet_tapering_segments_where_the_first_ball_along_their_axis_is) {
    int32_t met = 0;
    random_state = 2;
    for (int32_t k = 0; k < 3000; k++) {
        static shapes one;
        one.count = 1;
        one.a[0] = random_vec(0.1);
        one.b[0] = tdi_add(one.a[0], random_vec(0.1));
        one.from[0] = random_in(0.001, 0.05);
        one.to[0] = k % 10 == 0 ? 0 : random_in(0.001, 0.05);
        const tdi_round_cone cone = {one.a[0], one.b[0], one.from[0], one.to[0]};
        const td_ray drawn = random_ray(&one);
        const td_vec3 u = tdi_scale(drawn.direction, 1 / tdi_norm(drawn.direction));
        const td_real far = k % 3 == 0 ? 1000 : 0; // m: a ray from far away is as exact
        const tdi_ray ray = {tdi_madd(drawn.origin, u, -far), u, drawn.radius};
        const flight f = {&one, 0, drawn.origin, u, drawn.radius};
        bool sure;
        const td_real t = first_touch(&f, 6, &sure);
        const tdi_hit hit = tdi_ray_cone(&ray, &cone);
        if (!sure || (far > 0 && t == 0)) {
            continue;
        }
        met += t < HUGE_VAL;
        CHECK_SAY(hit.distance == t || fabs(hit.distance - far - t) < 1e-6,
                  "ray %d: %.9g m of %.9g", (int)k, hit.distance - far, t);
    }
    CHECK(met > 1000);
}

TD_TEST(boxes_of_the_tree_of_boxes_are_rounded_outward) {
    tdi_float_box room[8];
    random_state = 8;
    for (int32_t k = 0; k < 300; k++) {
        tdi_box_tree t = tdi_box_tree_layout(1);
        t.box = room;
        CHECK(tdi_box_tree_size(&t) <= 8);
        const td_vec3 low = random_vec(pow(10, k % 9 - 4)),
                      high = tdi_add(low, tdi_vec3(random_in(0, 1), 0, random_in(0, 1)));
        tdi_box_tree_clear(&t);
        tdi_box_tree_enclose(&t, 0, low, high);
        tdi_box_tree_finish(&t);
        const tdi_float_box b = tdi_box_tree_bounds(&t);
        CHECK(b.low[0] < low.x && b.low[1] < low.y && b.low[2] < low.z);
        CHECK(b.high[0] > high.x && b.high[1] > high.y && b.high[2] > high.z);
    }
}

// Such a ray meets the endless cone once only. It comes from above the other side, n.x = radius.
TD_TEST(ray_parallel_to_a_side_of_a_tapering_segment_meets_the_other_side) {
    const td_real taper = 0.1, level = sqrt(1 - taper * taper), radius = 0.02, length = 0.1;
    random_state = 7;
    for (int32_t k = 0; k < 200; k++) {
        const td_quat turn = tdi_quat_turn(tdi_unit_or(random_vec(1), tdi_vec3(1, 0, 0)), 0.1 * k);
        const td_vec3 a = random_vec(0.1), n = {taper, level, 0}, u = tdi_vec3(-level, -taper, 0),
                      met = {random_in(0.01, 0.09), 0, 0};
        const td_vec3 x = tdi_vec3(met.x, (radius - taper * met.x) / level, 0);
        const tdi_round_cone cone = {a, tdi_add(a, tdi_quat_rotate(turn, tdi_vec3(length, 0, 0))),
                                     radius, radius - taper * length};
        const tdi_ray ray = {tdi_add(a, tdi_quat_rotate(turn, tdi_madd(x, u, -0.5))),
                             tdi_quat_rotate(turn, u), 0};
        const tdi_hit hit = tdi_ray_cone(&ray, &cone);
        CHECK_REL(hit.distance, 0.5, 1e-9);
        CHECK_IN(tdi_norm(tdi_sub(hit.normal, tdi_quat_rotate(turn, n))), 0, 1e-9);
    }
}

TD_TEST(ray_hit_has_a_point_of_the_surface_and_its_normal) {
    OWNED(stage) w = bent_strands("rod");
    static shapes all;
    int32_t hits = 0;
    random_state = 5;
    steps(w.world, 10);
    shapes_of(w.world, &all);
    for (int32_t k = 0; k < 500; k++) {
        const td_ray ray = random_ray(&all);
        td_pick p;
        CHECK_INT(td_world_cast_rays(w.world, 1, &ray, &p, NULL), TD_OK);
        if (p.actor.place == 0 || p.distance == 0) {
            continue;
        }
        hits++;
        const int32_t n = 7 * td_world_actor_index(w.world, p.actor) + p.segment;
        const td_vec3 u = tdi_scale(ray.direction, 1 / tdi_norm(ray.direction));
        const td_vec3 centre = tdi_madd(ray.origin, u, p.distance);
        CHECK(fabs(distance_of(&all, n, p.surface)) < 1e-9);
        CHECK(apart(tdi_madd(p.surface, p.normal, ray.radius), centre) < 1e-9);
        CHECK_REL(tdi_norm(p.normal), 1, 1e-9);
        CHECK(tdi_dot(p.normal, u) < 1e-6);
        // a little out along the normal, the surface is as far away
        CHECK(fabs(distance_of(&all, n, tdi_madd(p.surface, p.normal, 1e-3)) - 1e-3) < 1e-9);
    }
    CHECK(hits > 150);
}

TD_TEST(many_rays_at_once_have_the_bits_of_single_rays_with_any_number_of_threads) {
    enum { RAYS = 700 };
    static td_ray rays[RAYS];
    static td_pick one[RAYS], many[RAYS];
    OWNED(stage) w = bent_strands("tree");
    static shapes all;
    memset(one, 0, sizeof one);
    memset(many, 0, sizeof many);
    random_state = 3;
    shapes_of(w.world, &all);
    for (int32_t k = 0; k < RAYS; k++) {
        rays[k] = random_ray(&all);
        rays[k].colliders = k % 2 == 0;
        CHECK_INT(td_world_cast_rays(w.world, 1, &rays[k], &one[k], NULL), TD_OK);
    }
    CHECK_INT(td_world_cast_rays(w.world, RAYS, rays, many, NULL), TD_OK);
    CHECK(memcmp(one, many, sizeof one) == 0);
}

// ---- colliders ------------------------------------------------------------------------------

TD_TEST(ray_meets_colliders_only_when_it_asks_for_them) {
    OWNED(stage) w =
        stage_of("{contact: {}, colliders: [{sphere: {radius: 0.5, position: [0, 0, 2]}},\n"
                 " {box: {size: [2, 2, 2], position: [0, 0, 5]}},\n"
                 " {capsule: {radius: 0.25, length: 1, position: [3, 0, 0]}},\n"
                 " {plane: {position: [0, -4, 0]}}], objects: [{start: drawn, position:\n"
                 " [0, 0, 9], strand: {points: [[0, 0, 0], [0, 1, 0]], radius: 0.02}}]}");
    const struct {
        td_ray ray;
        int32_t collider;
        td_real distance;
        td_vec3 normal;
    } cases[] = {
        {{{0, 0, 0}, {0, 0, 3}, 0, 0, true, {0, 0}}, 0, 1.5, {0, 0, -1}},
        {{{0, 0, 0}, {0, 0, 1}, 0, 0.2, true, {0, 0}}, 0, 1.3, {0, 0, -1}},
        {{{0, 0, 3}, {0, 0, 1}, 0, 0, true, {0, 0}}, 1, 1, {0, 0, -1}},
        {{{0, 0, 3}, {0, 0, 1}, 0, 0.25, true, {0, 0}}, 1, 0.75, {0, 0, -1}},
        {{{0, 3, 5}, {0, -1, 0}, 0, 0, true, {0, 0}}, 1, 2, {0, 1, 0}},
        // a ball past an edge at 60 degrees: it touches the edge at 1 - 0.5 sin(60 deg)
        {{{-3, 1.25, 5}, {1, 0, 0}, 0, 0.5, true, {0, 0}},
         1,
         2 - 0.5 * 0.8660254037844386,
         {-0.8660254037844386, 0.5, 0}},
        {{{5, 0.25, 0}, {-1, 0, 0}, 0, 0, true, {0, 0}}, 2, 1.75, {1, 0, 0}},
        {{{3, 3, 0}, {0, -1, 0}, 0, 0.1, true, {0, 0}}, 2, 2.15, {0, 1, 0}},
        {{{-7, 0, 0}, {0, -2, 0}, 0, 0.5, true, {0, 0}}, 3, 3.5, {0, 1, 0}},
        {{{0, 0, 5}, {0, 1, 0}, 0, 0, true, {0, 0}}, 1, 0, {0, -1, 0}},  // inside
        {{{0, -5, 0}, {0, 1, 0}, 0, 0, true, {0, 0}}, 3, 0, {0, -1, 0}}, // below the plane
        {{{-7, 0, 0}, {0, 1, 0}, 0, 0, true, {0, 0}}, TD_NONE, HUGE_VAL, {0, 0, 0}},
        {{{0, 0, 0}, {0, 0, 1}, 1.4, 0, true, {0, 0}}, TD_NONE, HUGE_VAL, {0, 0, 0}}, // too short
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        td_pick p;
        CHECK_INT(td_world_cast_rays(w.world, 1, &cases[k].ray, &p, NULL), TD_OK);
        CHECK_INT(td_world_collider_index(w.world, p.collider), cases[k].collider);
        CHECK_INT(p.actor.place, 0);
        CHECK_INT(p.segment, TD_NONE);
        CHECK_SAY(p.distance == cases[k].distance || fabs(p.distance - cases[k].distance) < 1e-12,
                  "case %d: %.17g m", (int)k, p.distance);
        CHECK_SAY(apart(p.normal, cases[k].normal) < 1e-9, "case %d", (int)k);
    }
    td_pick p;
    td_ray ray = cases[0].ray;
    ray.colliders = false;
    ray.origin.y = 0.5;
    CHECK_INT(td_world_cast_rays(w.world, 1, &ray, &p, NULL), TD_OK);
    CHECK_REL(p.distance, 8.98, 1e-12); // the post behind them
    ray.colliders = true;
    CHECK_INT(td_world_remove_collider(w.world, td_world_collider_id(w.world, 1), NULL), TD_OK);
    CHECK_INT(td_world_cast_rays(w.world, 1, &ray, &p, NULL), TD_OK);
    CHECK_INT(p.collider.place, 1); // it grazes the sphere
    ray.origin.y = 0.6;
    CHECK_INT(td_world_cast_rays(w.world, 1, &ray, &p, NULL), TD_OK);
    CHECK_REL(p.distance, 8.98, 1e-12);
}

// ---- nearest and overlaps -------------------------------------------------------------------

TD_TEST(nearest_segment_is_that_of_a_search_through_all) {
    OWNED(stage) w = bent_strands("helix");
    static shapes all;
    int32_t within = 0;
    random_state = 8;
    steps(w.world, 10);
    shapes_of(w.world, &all);
    for (int32_t k = 0; k < 300; k++) {
        const td_vec3 x = random_vec(0.6);
        const td_real radius = random_in(0, 0.4);
        td_real least = HUGE_VAL;
        for (int32_t i = 0; i < all.count; i++) {
            least = fmin(least, distance_of(&all, i, x));
        }
        td_pick p;
        CHECK_INT(td_world_pick_nearest(w.world, 1, &x, radius, NULL, &p, NULL), TD_OK);
        CHECK_INT(p.actor.place > 0, least < radius);
        if (p.actor.place > 0) {
            within++;
            CHECK(fabs(p.distance - least) < 1e-8);
            CHECK(apart(tdi_madd(p.surface, p.normal, p.distance), x) < 1e-12);
        }
    }
    CHECK(within > 60);
}

// From a shape to the ball at s of a segment, by the definition of each shape.
typedef struct shape_gap {
    const shapes *all;
    int32_t k;
    const td_collider *shape;
} shape_gap;

static td_real outside_of(td_real x, td_real half) {
    return fmax(0, fabs(x) - half);
}

static td_real gap_at(const void *context, td_real s) {
    const shape_gap *g = context;
    const td_collider *c = g->shape;
    const td_vec3 at = tdi_madd(g->all->a[g->k], tdi_sub(g->all->b[g->k], g->all->a[g->k]), s);
    const td_vec3 x = tdi_quat_rotate(tdi_quat_conj(c->rotation), tdi_sub(at, c->position));
    const td_real r = g->all->from[g->k] + s * (g->all->to[g->k] - g->all->from[g->k]);
    const td_real half = c->kind == TD_COLLIDER_CAPSULE ? 0.5 * c->length : 0;
    const td_vec3 round = {x.x, outside_of(x.y, half), x.z};
    const td_vec3 box = {outside_of(x.x, 0.5 * c->sides.x), outside_of(x.y, 0.5 * c->sides.y),
                         outside_of(x.z, 0.5 * c->sides.z)};
    return (c->kind == TD_COLLIDER_PLANE ? x.y
            : c->kind == TD_COLLIDER_BOX ? tdi_norm(box)
                                         : tdi_norm(round) - c->radius) -
           r;
}

TD_TEST(overlap_with_a_height_field_is_refused_with_the_shapes_that_are_possible) {
    OWNED(stage) s = stage_of("{objects: [{strand: {points: [[0, 0, 0], [0, 1, 0]]}}]}");
    const td_collider field = td_collider_default(TD_COLLIDER_HEIGHT_FIELD);
    td_diag diag = {.message = ""};
    int32_t count;
    CHECK_INT(td_world_overlap(s.world, &field, NULL, 0, &count, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "must be a sphere, capsule, box or plane");
}

TD_TEST(overlaps_are_those_of_a_search_through_all_and_in_order) {
    static const td_collider_kind kinds[] = {TD_COLLIDER_SPHERE, TD_COLLIDER_CAPSULE,
                                             TD_COLLIDER_BOX, TD_COLLIDER_PLANE};
    OWNED(stage) w = bent_strands("rod");
    static shapes all;
    int32_t total = 0;
    random_state = 21;
    steps(w.world, 10);
    shapes_of(w.world, &all);
    for (int32_t k = 0; k < 400; k++) {
        td_collider shape = td_collider_default(kinds[k % 4]);
        shape.radius = random_in(0.01, 0.2);
        shape.length = random_in(0, 0.4);
        shape.sides = tdi_vec3(random_in(0.02, 0.4), random_in(0.02, 0.4), random_in(0.02, 0.4));
        shape.position = random_vec(0.6);
        shape.rotation = tdi_quat_unit((td_quat){1, random_in(-1, 1), random_in(-1, 1), 0.3});
        td_overlap found[SEGMENTS], few[3];
        int32_t count = 0, again = 0, expected = 0;
        CHECK_INT(td_world_overlap(w.world, &shape, found, SEGMENTS, &count, NULL), TD_OK);
        for (int32_t i = 0; i < all.count; i++) {
            const shape_gap g = {&all, i, &shape};
            td_real at = 0;
            const td_real least =
                fmin(least_of(gap_at, &g, 0, 1, &at), fmin(gap_at(&g, 0), gap_at(&g, 1)));
            const bool listed =
                expected < count && found[expected].segment == all.segment[i] &&
                td_world_actor_index(w.world, found[expected].actor) == all.actor[i];
            CHECK_SAY(listed == (least <= 0) || fabs(least) < 1e-9, "shape %d segment %d: %g m",
                      (int)k, (int)i, least);
            expected += listed;
        }
        CHECK_INT(count, expected);
        total += count;
        CHECK_INT(td_world_overlap(w.world, &shape, few, 3, &again, NULL), TD_OK);
        CHECK_INT(again, count);
        for (int32_t i = 0; i < count && i < 3; i++) {
            CHECK_INT(few[i].segment, found[i].segment);
        }
    }
    CHECK(total > 400);
}

// ---- changes --------------------------------------------------------------------------------

#define TWO_POSTS                                                                               \
    "{gravity: [0, 0, 0], sleep: {}, objects: [{start: drawn, instances: {layout: list, "       \
    "turned: false, places: [[0, 0, 0], [0, 0, 1]]}, strand: {points: [[0, 0, 0], [0, 1, 0]], " \
    "segments: 4, radius: 0.02}}]}"

static td_real first_along_z(td_world *world, td_real x) {
    const td_ray ray = {.origin = {x, 0.6, -1}, .direction = {0, 0, 1}};
    td_pick p;
    CHECK_INT(td_world_cast_rays(world, 1, &ray, &p, NULL), TD_OK);
    return p.distance;
}

TD_TEST(queries_follow_actors_that_are_placed_removed_added_and_restored) {
    OWNED(stage) w = stage_of(TWO_POSTS);
    const td_actor_id first = id_at(w.world, 0);
    const td_quat none = {1, 0, 0, 0};
    const size_t size = td_world_save_size(w.world);
    FREED void *save = malloc(size);
    td_world_save(w.world, save);
    CHECK_REL(first_along_z(w.world, 0), 0.98, 1e-12);
    CHECK_INT(td_world_place_actor(w.world, first, tdi_vec3(5, 0, 0), none, NULL), TD_OK);
    CHECK_REL(first_along_z(w.world, 0), 1.98, 1e-12);
    CHECK_REL(first_along_z(w.world, 5), 0.98, 1e-12);
    CHECK_INT(td_world_restore(w.world, save, size, NULL), TD_OK);
    CHECK_REL(first_along_z(w.world, 0), 0.98, 1e-12);
    CHECK(first_along_z(w.world, 5) == HUGE_VAL);
    CHECK_INT(td_world_enable_actor(w.world, first, false, NULL), TD_OK);
    CHECK_REL(first_along_z(w.world, 0), 1.98, 1e-12);
    CHECK_INT(td_world_enable_actor(w.world, first, true, NULL), TD_OK);
    CHECK_INT(td_world_remove_actor(w.world, first, NULL), TD_OK);
    CHECK_REL(first_along_z(w.world, 0), 1.98, 1e-12);
    td_actor_def def = td_actor_def_default();
    td_actor_id added;
    for (int32_t k = 0; k < 20; k++) {
        def.position = tdi_vec3(1 + k, 0, 2);
        CHECK_INT(td_world_add_actor(w.world, &def, &added, NULL), TD_OK);
        CHECK_REL(first_along_z(w.world, 1 + k), 2.98, 1e-12);
    }
}

TD_TEST(queries_of_a_world_without_actors_find_its_colliders_alone) {
    td_scene_collider ground = td_scene_collider_default(TD_COLLIDER_PLANE);
    td_scene_def def = td_scene_def_default();
    def.colliders = &ground;
    def.collider_count = 1;
    OWNED(td_world) *world = NULL;
    CHECK_INT(td_world_new(&def, NULL, NULL, &world, NULL), TD_OK);
    const td_ray ray = {
        .origin = {0, 1, 0}, .direction = {0, -1, 0}, .length = 2, .colliders = true};
    td_pick pick;
    CHECK_INT(td_world_cast_rays(world, 1, &ray, &pick, NULL), TD_OK);
    CHECK_REL(pick.distance, 1, 1e-12);
    CHECK_INT(td_world_pick_nearest(world, 1, &ray.origin, 0.5, NULL, &pick, NULL), TD_OK);
    CHECK_INT(pick.segment, TD_NONE);
}

TD_TEST(queries_find_actors_that_wake_move_and_sleep_again_between_them) {
    OWNED(stage) w =
        stage_of("{gravity: [0, 0, 0], sleep: {time: 0.2}, objects: [{start: drawn, strand:\n"
                 " {points: [[0, 0, 0], [0, 1, 0]], segments: 4, radius: 0.02}}]}");
    const td_actor_id id = id_at(w.world, 0);
    run_to(w.world, 1);
    CHECK(td_world_actor_asleep(w.world, id));
    CHECK_REL(first_along_z(w.world, 0), 0.98, 1e-9);
    const td_quat none = {1, 0, 0, 0};
    for (int32_t k = 1; k <= 20; k++) {
        CHECK_INT(td_world_move_actor(w.world, id, tdi_vec3(0.01 * k, 0, 0), none, NULL), TD_OK);
        steps(w.world, 1);
    }
    CHECK(!td_world_actor_asleep(w.world, id));
    run_to(w.world, 30);
    CHECK(td_world_actor_asleep(w.world, id));
    CHECK(first_along_z(w.world, 0) == HUGE_VAL);
    CHECK_REL(first_along_z(w.world, 0.2), 0.98, 1e-3);
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(queries_refuse_numbers_that_are_not_finite_and_name_the_ray) {
    OWNED(stage) w = stage_of(TWO_POSTS);
    const td_real nan = (td_real)NAN;
    const td_ray good = {.origin = {0, 0.6, -1}, .direction = {0, 0, 1}};
    td_ray bad[8] = {good, good, good, good, good, good, good, good};
    bad[0].origin.y = nan;
    bad[1].origin.x = HUGE_VAL;
    bad[2].direction.z = nan;
    bad[3].direction.x = HUGE_VAL;
    bad[4].direction.z = 0;
    bad[5].length = -1;
    bad[6].radius = -0.1;
    bad[7].radius = HUGE_VAL;
    for (int32_t k = 0; k < 8; k++) {
        const td_ray rays[2] = {good, bad[k]};
        td_pick picks[2] = {{.segment = 77}, {.segment = 77}};
        td_diag diag = {.message = ""};
        CHECK_INT(td_world_cast_rays(w.world, 2, rays, picks, &diag), TD_ERR_ARGUMENT);
        CHECK(strstr(diag.message, "ray 1: its ") != NULL);
        CHECK_INT(diag.index, 1);
        CHECK_INT(picks[0].segment, 77);
    }
    td_diag diag = {.message = ""};
    td_pick pick;
    const td_vec3 nowhere = {nan, 0, 0}, origin = {0, 0, 0};
    CHECK_INT(td_world_pick_nearest(w.world, 1, &nowhere, 1, NULL, &pick, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_pick_nearest(w.world, 1, &origin, nan, NULL, &pick, &diag), TD_ERR_ARGUMENT);
    td_collider shape = td_collider_default(TD_COLLIDER_SPHERE);
    int32_t count = 5;
    shape.radius = nan;
    CHECK_INT(td_world_overlap(w.world, &shape, NULL, 0, &count, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(count, 0);
}
