// SPDX-License-Identifier: MIT
// Trees against colliders. Pairs with src/tree/points.c and src/implicit.

#include "test_contact_support.h"
#include "test_tree_support.h"
#include "implicit/body_contact.h"
#include "tree/implicit.h"

// ---- shapes ---------------------------------------------------------------------------------

typedef struct chain_def {
    int32_t count;
    double length, radius; // of a segment, m
    double stiffness;      // N m/rad
    bool floating;
    td_vec3 start;
    td_quat turn; // of the first segment
} chain_def;

static tree make_chain(const chain_def *c, const td_alloc *alloc) {
    FREED td_segment_def *defs = calloc((size_t)c->count, sizeof *defs);
    for (int32_t i = 0; i < c->count; i++) {
        defs[i] = td_segment_def_default();
        defs[i].parent = i - 1;
        defs[i].length = c->length;
        defs[i].radius_base = defs[i].radius_tip = c->radius;
        defs[i].has_stiffness = defs[i].has_damping = true;
        defs[i].stiffness = tdi_vec3(c->stiffness, c->stiffness, c->stiffness);
        defs[i].damping = tdi_scale(defs[i].stiffness, 0.05);
    }
    defs[0].attach_at_tip = false;
    defs[0].attach = c->start;
    defs[0].rest = c->turn;
    defs[0].joint = c->floating ? TD_JOINT_FREE : TD_JOINT_BALL;
    tree t = tree_of(defs, c->count, TD_LAW_LINEAR, alloc);
    return t;
}

// Steps of one tree against colliders.
typedef struct against {
    td_step_opts opts;
    td_island *island;
    const td_collider *colliders;
    int32_t count;
} against;

// The caller frees the island.
static against steps_against(tree t, const td_collider *colliders, int32_t count, double dt) {
    td_contact_opts how = td_contact_opts_default();
    td_body *ref = t.state;
    how.self = false;
    against a = {steps_of(TD_IMPLICIT, dt, weight), NULL, colliders, count};
    CHECK_INT(td_island_new(&ref, 1, &how, count, NULL, &a.island, NULL), TD_OK);
    return a;
}

static td_status step_once(const against *a, td_diag *diag) {
    return td_island_step(a->island, &a->opts, a->colliders, a->count, NULL, diag);
}

static void go(const against *a, int32_t steps) {
    for (int32_t k = 0; k < steps; k++) {
        td_diag diag = {.message = ""};
        CHECK_INT(step_once(a, &diag), TD_OK);
        CHECK_TEXT(diag.message, "");
    }
}

static td_collider plane_at(double height) {
    td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
    plane.position.y = plane.position0.y = height;
    return plane;
}

// How far the lowest joint or tip is above a height.
static double above(tree t, double height) {
    double low = INFINITY;
    for (int32_t i = 0; i < tdi_as_tree_model(t.model)->body_count; i++) {
        low = fmin(low, fmin(td_body_origin(t.state, i).y, td_body_tip(t.state, i).y));
    }
    return low - height;
}

// The least gap of a tree with a ball.
static double gap_to_ball(tree t, td_vec3 at, double radius) {
    double least = INFINITY;
    for (int32_t i = 0; i < tdi_as_tree_model(t.model)->body_count; i++) {
        td_vec3 a = td_body_origin(t.state, i), b = td_body_tip(t.state, i);
        least = fmin(least, test_point_segment(at, a, b) - radius -
                                tdi_as_tree_model(t.model)->body[i].radius);
    }
    return least;
}

// ---- falling --------------------------------------------------------------------------------

TD_TEST(limp_chain_that_crumples_on_a_plane_never_sinks_in) {
    const chain_def def = {20, 0.05, 0.01, 0, true, {0, 0.1, 0}, {1, 0, 0, 0}};
    for (int32_t rate = 15; rate <= 240; rate *= 4) {
        OWNED(tree) t = make_chain(&def, NULL);
        const td_collider plane = plane_at(0);
        against opts = steps_against(t, &plane, 1, 1.0 / rate);
        t.v[3] = 0.1; // it stands upright: a little to the side
        td_tree_state_changed(t.state);
        for (int32_t k = 0; k < 2 * rate; k++) {
            go(&opts, 1);
            CHECK(above(t, def.radius) > 0);
        }
        CHECK(td_body_tip(t.state, 19).y < 0.1); // it did fall
        td_island_free(opts.island);
    }
}

TD_TEST(leaf_and_fruit_lie_on_the_ground_and_do_not_sink_in) {
    td_shape shapes[2] = {td_shape_default(), td_shape_default()};
    td_builder *builder;
    td_skeleton *skeleton;
    td_skeleton_opts skeleton_opts = td_skeleton_opts_default();
    td_material lamina = td_material_get(0);
    lamina.thickness = 3e-4;
    lamina.organ = TD_ORGAN_LEAF;
    shapes[1].kind = TD_SHAPE_BALL;
    shapes[1].width = 0.8;
    for (int32_t k = 0; k < 2; k++) {
        td_segment_def def = td_segment_def_default();
        CHECK_INT(td_builder_new(&skeleton_opts, NULL, &builder, NULL), TD_OK);
        if (k == 0) {
            CHECK_INT(td_builder_add_material(builder, &lamina, &def.material, NULL), TD_OK);
        }
        CHECK_INT(td_builder_add_shape(builder, &shapes[k], &def.shape, NULL), TD_OK);
        def.organ = k == 0 ? TD_ORGAN_LEAF : TD_ORGAN_FRUIT;
        def.joint = TD_JOINT_FREE;
        def.attach_at_tip = false;
        def.attach.y = 0.1;
        def.rest = tdi_quat_turn(tdi_vec3(1, 0, 0), 1.2);
        def.length = 0.05;
        CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
        CHECK_INT(td_builder_finish(builder, &skeleton, NULL), TD_OK);
        OWNED(tree) t = {NULL, NULL, 6, 7, NULL, NULL};
        td_body_opts tree_opts = td_body_opts_default();
        CHECK_INT(td_body_model_new(skeleton, "tree", &tree_opts, NULL, &t.model, NULL), TD_OK);
        CHECK_INT(td_body_new(t.model, NULL, &t.state, NULL), TD_OK);
        const td_collider plane = plane_at(0);
        against opts = steps_against(t, &plane, 1, 1.0 / 60);
        go(&opts, 240);
        double radius = tdi_as_tree_model(t.model)->body[0].radius;
        td_vec3 middle =
            tdi_scale(tdi_add(td_body_origin(t.state, 0), td_body_tip(t.state, 0)), 0.5);
        CHECK_IN(radius, k == 0 ? 0.001 : 0.01, k == 0 ? 0.003 : 0.02);
        CHECK_IN(middle.y, radius, 1.3 * radius);
        td_island_free(opts.island);
        td_skeleton_free(skeleton);
        td_builder_free(builder);
    }
}

// ---- pushing --------------------------------------------------------------------------------

TD_TEST(stiff_stem_is_pushed_aside_by_a_sphere_and_springs_back) {
    const chain_def def = {8, 0.1, 0.01, 20, false, {0, 0, 0}, {1, 0, 0, 0}};
    OWNED(tree) t = make_chain(&def, NULL);
    td_collider things[2] = {td_collider_default(TD_COLLIDER_SPHERE), plane_at(0)};
    against opts = steps_against(t, things, 2, 1.0 / 60);
    td_vec3 at = {-0.2, 0.7, 0};
    double furthest = 0, least = INFINITY;
    things[0].radius = 0.1;
    for (int32_t k = 0; k < 400; k++) {
        things[0].position0 = at;
        at.x = k < 30   ? -0.2 + 0.4 * (k + 1) / 30
               : k < 60 ? 0.2
                        : fmax(-0.5, 0.2 - 0.02 * (k - 59));
        things[0].position = at;
        go(&opts, 1);
        least = fmin(least, gap_to_ball(t, at, 0.1));
        furthest = fmax(furthest, td_body_tip(t.state, 7).x);
    }
    CHECK(least > 0);
    CHECK(furthest > 0.3);
    CHECK_IN(td_body_tip(t.state, 7).x, -1e-3, 1e-3);
    td_island_free(opts.island);
}

TD_TEST(fast_sphere_does_not_pass_through_a_limp_chain) {
    const chain_def def = {20, 0.05, 0.005, 1e-3, false, {0, 1, 0}, {0, 0, 0, 1}};
    OWNED(tree) t = make_chain(&def, NULL);
    td_collider ball = td_collider_default(TD_COLLIDER_SPHERE);
    against opts = steps_against(t, &ball, 1, 1.0 / 60);
    ball.radius = 0.03;
    ball.position = tdi_vec3(-0.2, 0.4, 0);
    double least = INFINITY;
    for (int32_t k = 0; k < 8; k++) { // a step is longer than ball and chain are wide
        ball.position0 = ball.position;
        ball.position.x += 0.08;
        go(&opts, 1);
        least = fmin(least, gap_to_ball(t, ball.position, 0.03));
    }
    CHECK(least > 0);
    double furthest = 0;
    for (int32_t i = 0; i < def.count; i++) {
        furthest = fmax(furthest, td_body_tip(t.state, i).x);
    }
    CHECK(furthest > ball.position.x); // it was taken along
    td_island_free(opts.island);
}

TD_TEST(plant_that_its_base_carries_against_a_wall_bends) {
    const chain_def def = {8, 0.1, 0.01, 20, false, {0, 0, 0}, {1, 0, 0, 0}};
    OWNED(tree) t = make_chain(&def, NULL);
    td_collider wall = td_collider_default(TD_COLLIDER_BOX);
    td_base_motion base = {.rotation = {1, 0, 0, 0}, .velocity = {2, 0, 0}};
    wall.sides = tdi_vec3(0.1, 0.4, 1);
    wall.position0 = wall.position = tdi_vec3(0.3, 0.7, 0);
    against opts = steps_against(t, &wall, 1, 1.0 / 60);
    for (int32_t k = 0; k < 12; k++) { // 3 cm a step: fifteen ranges
        base.position.x = 2 * k / 60.0;
        CHECK(td_body_set_base(t.state, &base, NULL) == TD_OK);
        go(&opts, 1);
        for (int32_t i = 0; i < def.count; i++) {
            td_vec3 a = tdi_sub(td_body_origin(t.state, i), wall.position);
            td_vec3 b = tdi_sub(td_body_tip(t.state, i), wall.position);
            CHECK(test_distance(a, b, a, b, &wall) > def.radius);
        }
    }
    CHECK_REL(td_body_origin(t.state, 0).x, 0.4, 1e-12);
    CHECK(td_body_tip(t.state, 7).x < 0.25);
    td_island_free(opts.island);
}

// ---- friction -------------------------------------------------------------------------------

enum { AROUND = 12 }; // segments on the bar

// a chain over a level bar: one end hangs down by `first` segments, the other by `last`
static tree draped(double bar, double length, double radius, int32_t first, int32_t last) {
    const double turn = -TDI_PI / AROUND, out = (bar + 1.1 * radius) / cos(turn / 2);
    int32_t n = first + AROUND + last;
    FREED td_segment_def *defs = calloc((size_t)n, sizeof *defs);
    for (int32_t i = 0; i < n; i++) {
        bool hangs = i < first || i >= first + AROUND;
        bool edge = i == first || i == first + AROUND;
        defs[i] = td_segment_def_default();
        defs[i].parent = i - 1;
        defs[i].length = hangs ? length : -2 * out * sin(turn / 2);
        defs[i].radius_base = defs[i].radius_tip = radius;
        defs[i].rest = tdi_quat_turn(tdi_vec3(0, 0, 1), edge ? turn / 2 : hangs ? 0 : turn);
        defs[i].has_stiffness = defs[i].has_damping = true;
        defs[i].stiffness = tdi_vec3(1e-4, 1e-4, 1e-4);
        defs[i].damping = tdi_vec3(1e-5, 1e-5, 1e-5);
    }
    defs[0].joint = TD_JOINT_FREE;
    defs[0].attach_at_tip = false;
    defs[0].attach = tdi_vec3(-out, -first * length, 0);
    tree t = tree_of(defs, n, TD_LAW_LINEAR, NULL);
    return t;
}

// The friction that holds a limp rope of unit weight a metre with ends of a and b over a bar, its
// axis at the distance r. Friction acts on its surface, at the radius of the bar, and about the
// axis of the bar its moment is that of the pull, which grows as T' = (bar/r) m (T + r sin) + r
// cos, from a to b over half a turn.
static double friction_that_holds(double a, double b, double bar, double r) {
    double low = 0, high = 2;
    for (int k = 0; k < 60; k++) {
        const int parts = 2000;
        double m = 0.5 * (low + high), grip = bar / r * m, pull = a, step = TDI_PI / parts;
        for (int i = 0; i < parts; i++) {
            double at = (i + 0.5) * step,
                   half = pull + 0.5 * step * (grip * (pull + r * sin(at)) + r * cos(at));
            pull += step * (grip * (half + r * sin(at)) + r * cos(at));
        }
        if (pull < b) {
            low = m;
        } else {
            high = m;
        }
    }
    return low;
}

// How fast the short end goes up at last, m/s, on average over a quarter of a second.
static double climb(double friction) {
    OWNED(tree) t = draped(0.05, 0.02, 0.004, 10, 20);
    td_collider bar = td_collider_default(TD_COLLIDER_CAPSULE);
    bar.radius = 0.05;
    bar.length = 0.6;
    bar.rotation = bar.rotation0 = tdi_quat_turn(tdi_vec3(1, 0, 0), TDI_PI / 2);
    bar.friction = friction;
    against opts = steps_against(t, &bar, 1, 1.0 / 120);
    go(&opts, 30);
    double start = td_body_origin(t.state, 0).y;
    go(&opts, 30);
    double way = td_body_origin(t.state, 0).y - start;
    td_island_free(opts.island);
    return way / 0.25;
}

TD_TEST(chain_over_a_bar_hangs_still_within_the_cone_of_friction_and_slides_beyond) {
    const double creep = td_contact_opts_default().creep;
    const double holds = friction_that_holds(0.2, 0.4, 0.05, 0.0544);
    CHECK_IN(climb(1.1 * holds), 0, creep);
    CHECK(climb(0.9 * holds) > 30 * creep);
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(contacts_refuse_what_they_cannot_do) {
    const chain_def def = {4, 0.1, 0.01, 20, false, {0, 0, 0}, {1, 0, 0, 0}};
    OWNED(tree) t = make_chain(&def, NULL);
    td_collider planes[2] = {plane_at(-1), plane_at(-2)};
    against opts = steps_against(t, planes, 1, 1.0 / 60);
    td_diag diag = {.message = ""};
    opts.opts.integrator = TD_RK4;
    CHECK_INT(step_once(&opts, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "implicit");
    opts.opts.integrator = TD_IMPLICIT;
    planes[0].friction = -1;
    CHECK_INT(step_once(&opts, &diag), TD_ERR_ARGUMENT);
    planes[0].friction = 0;
    opts.count = 2;
    CHECK_INT(step_once(&opts, &diag), TD_ERR_LIMIT);
    CHECK_HAS(diag.message, "at most 1");
    opts.count = -1;
    CHECK_INT(step_once(&opts, &diag), TD_ERR_ARGUMENT);
    td_island_free(opts.island);
}
