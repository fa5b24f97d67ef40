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
    for (int32_t i = 0; i < t.m->body_count; i++) {
        low = fmin(low, fmin(td_body_origin(t.state, i).y, td_body_tip(t.state, i).y));
    }
    return low - height;
}

// The least gap of a tree with a ball.
static double gap_to_ball(tree t, td_vec3 at, double radius) {
    double least = INFINITY;
    for (int32_t i = 0; i < t.m->body_count; i++) {
        td_vec3 a = td_body_origin(t.state, i), b = td_body_tip(t.state, i);
        least = fmin(least, test_point_segment(at, a, b) - radius - t.m->body[i].radius);
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
        OWNED(tree) t = tree_from(skeleton, TD_LAW_DEFAULT, NULL);
        const td_collider plane = plane_at(0);
        against opts = steps_against(t, &plane, 1, 1.0 / 60);
        go(&opts, 240);
        double radius = t.m->body[0].radius;
        td_vec3 middle =
            tdi_scale(tdi_add(td_body_origin(t.state, 0), td_body_tip(t.state, 0)), 0.5);
        CHECK_IN(radius, k == 0 ? 0.001 : 0.01, k == 0 ? 0.003 : 0.02);
        CHECK_IN(middle.y, radius, 1.3 * radius);
        td_island_free(opts.island);
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
