// SPDX-License-Identifier: MIT
// The table between a world and its solvers, and what a world tells of any of them.

#include "test_world_support.h"
#include "body/solvers.h"

#define GRAVITY 9.81
#define MASS    0.2 // kg
#define LENGTH  0.5 // m

// ---- the table ------------------------------------------------------------------------------

TD_TEST(every_solver_is_found_by_its_name_and_the_first_by_none) {
    CHECK(td_solver_count() >= 2);
    for (int32_t k = 0; k < td_solver_count(); k++) {
        const td_solver_info info = td_solver_get(k);
        CHECK_INT(td_solver_find(info.name), k);
        CHECK_TEXT(tdi_solver_find(info.name)->info.name, info.name);
        CHECK(info.text[0] != 0 && info.integrators != 0 && info.laws != 0);
    }
    CHECK_TEXT(td_solver_get(td_solver_find(NULL)).name, "tree");
    CHECK_INT(td_solver_find("spline"), TD_NONE);
    CHECK(tdi_solver_find("spline") == NULL);
}

TD_TEST(solver_that_was_added_is_last_until_it_is_removed) {
    const tdi_solver more = {.info = {.name = "more"}};
    const int32_t count = td_solver_count();
    CHECK(tdi_solver_add(&more, NULL));
    CHECK_INT(td_solver_find("more"), count);
    CHECK_INT(td_solver_count(), count + 1);
    tdi_solver_remove(&more);
    CHECK_INT(td_solver_find("more"), TD_NONE);
    CHECK_INT(td_solver_count(), count);
}

TD_TEST(what_a_solver_does_not_offer_is_a_fault_with_its_name) {
    static const tdi_implicit none = {.begin = NULL};
    const tdi_solver bare = {.info = {.name = "bare"}, .implicit = &none};
    const td_damping_opts damping = td_damping_opts_default();
    td_body_model *made = NULL;
    td_vec3 gravity = {0, -GRAVITY, 0};
    td_mode mode;
    td_diag diag = {.message = ""};
    CHECK_INT(tdi_solver_rest_new(&bare, NULL, gravity, NULL, &made, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(
        diag.message,
        "the solver 'bare' does not have rest_under_gravity; remove it or change the solver");
    CHECK_INT(tdi_solver_damped_new(&bare, NULL, &damping, NULL, &made, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "the solver 'bare' has neither damping_ratio nor relaxation_time; it "
                             "takes damping from the materials");
    CHECK_INT(tdi_solver_modes(&bare, NULL, gravity, 1, &mode, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "the solver 'bare' cannot compute modes");
    CHECK(made == NULL);
}

// ---- one rod --------------------------------------------------------------------------------

typedef struct rod {
    td_joint_kind joint;
    td_spring_law law;
    td_real stiffness, damping; // of the joint
    td_real factor, damping_factor;
} rod;

// It points along X and hangs on a joint that bends about Z.
static td_world *rod_world(const rod *r) {
    td_segment_def def = td_segment_def_default();
    OWNED(td_builder) *builder = test_builder();
    OWNED(td_skeleton) *skeleton = NULL;
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    td_diag_list list = {&diag, 1, 0};
    def.attach_at_tip = false;
    def.rest = tdi_quat_turn(tdi_vec3(0, 0, 1), -1.5707963267948966);
    def.joint = r->joint;
    def.axis = tdi_vec3(0, 0, 1);
    def.length = LENGTH;
    def.mass = MASS;
    def.centre_of_mass.y = LENGTH / 2;
    def.second_moment = (td_sym3){1e-6, MASS * LENGTH * LENGTH / 3, 1e-6, 0, 0, 0};
    def.has_stiffness = def.has_damping = true;
    bool ball = r->joint == TD_JOINT_BALL;
    def.stiffness = ball ? tdi_vec3(2 * r->stiffness, r->stiffness, r->stiffness)
                         : tdi_vec3(r->stiffness, 0, 0);
    def.damping = tdi_scale(def.stiffness, r->damping / r->stiffness);
    CHECK_INT(td_builder_add(builder, &def, NULL, &diag), TD_OK);
    CHECK_INT(td_builder_finish(builder, &skeleton, &diag), TD_OK);
    td_object_def object = td_object_def_default();
    object.skeleton = skeleton;
    object.law = r->law;
    object.stiffness = r->factor;
    object.damping = r->damping_factor;
    object.start = r->factor == 0 ? TD_START_DRAWN : TD_START_SETTLED;
    td_scene_def scene = td_scene_def_default();
    td_world_opts world_opts = td_world_opts_default();
    scene.objects = &object;
    scene.object_count = 1;
    CHECK_INT(td_world_new(&scene, &world_opts, NULL, &world, &list), TD_OK);
    CHECK_TEXT(diag.message, "");
    return world;
}

// m g times the lever of the centre of mass, which is half that of the tip
TD_TEST(moment_at_rest_holds_the_weight_whatever_the_joint_and_its_law) {
    const rod rods[] = {{TD_JOINT_BALL, TD_LAW_LINEAR, 0.6, 0, 1.7, 1},
                        {TD_JOINT_BALL, TD_LAW_TANGENT, 0.6, 0, 1.7, 1},
                        {TD_JOINT_HINGE, TD_LAW_LINEAR, 0.6, 0, 1.7, 1}};
    for (int k = 0; k < 3; k++) {
        OWNED(td_world) *world = rod_world(&rods[k]);
        td_vec3 moment, tip;
        td_world_moments(world, id_at(world, 0), &moment);
        segment_at(world, 0, 0, NULL, &tip, NULL);
        CHECK(tip.y < -0.15);
        CHECK_REL(-moment.z, MASS * GRAVITY * tip.x / 2, 1e-9);
        CHECK_REL(moment.x, 0, 1e-9);
        CHECK_REL(moment.y, 0, 1e-9);
    }
}

TD_TEST(slide_carries_no_moment) {
    const rod r = {TD_JOINT_SLIDE, TD_LAW_LINEAR, 20, 0, 1, 1};
    OWNED(td_world) *world = rod_world(&r);
    td_vec3 moment = {1, 1, 1};
    td_world_moments(world, id_at(world, 0), &moment);
    CHECK(tdi_norm(moment) == 0);
}

// ---- modes ----------------------------------------------------------------------------------

TD_TEST(modes_of_an_actor_are_those_of_its_springs_and_damping_with_their_factors) {
    const rod with = {TD_JOINT_BALL, TD_LAW_LINEAR, 0.5, 0.004, 3, 2};
    const rod whole = {TD_JOINT_BALL, TD_LAW_LINEAR, 1.5, 0.008, 1, 1};
    OWNED(td_world) *a = rod_world(&with), *b = rod_world(&whole);
    td_mode one[2], other[2];
    CHECK_INT(td_world_modes(a, id_at(a, 0), 2, one, NULL), TD_OK);
    CHECK_INT(td_world_modes(b, id_at(b, 0), 2, other, NULL), TD_OK);
    for (int k = 0; k < 2; k++) {
        CHECK(other[k].damping_ratio > 0.01);
        CHECK_REL(one[k].frequency, other[k].frequency, 1e-7);
        CHECK_REL(one[k].damping_ratio, other[k].damping_ratio, 1e-7);
    }
}

TD_TEST(modes_follow_a_stiffness_that_is_set_while_the_world_moves) {
    const rod r = {TD_JOINT_BALL, TD_LAW_LINEAR, 100, 0.1, 1, 1};
    OWNED(td_world) *world = rod_world(&r);
    td_mode before, after;
    CHECK_INT(td_world_modes(world, id_at(world, 0), 1, &before, NULL), TD_OK);
    set(world, "gravity.y", 0);
    set(world, "objects[0].stiffness", 4);
    CHECK_INT(td_world_modes(world, id_at(world, 0), 1, &after, NULL),
              TD_ERR_ARGUMENT); // it is still bent
    CHECK_INT(td_world_settle(world, NULL, NULL), TD_OK);
    CHECK_INT(td_world_modes(world, id_at(world, 0), 1, &after, NULL), TD_OK);
    CHECK_REL(after.frequency / before.frequency, 2, 1e-2); // the weight bends it a little
}

TD_TEST(modes_without_stiffness_are_refused) {
    const rod r = {TD_JOINT_BALL, TD_LAW_LINEAR, 1, 0, 0, 1};
    OWNED(td_world) *world = rod_world(&r);
    td_mode mode;
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_modes(world, id_at(world, 0), 1, &mode, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "'object-0' has the stiffness 0, so it has no modes");
}

// ---- segments and sums ----------------------------------------------------------------------

TD_TEST(segment_is_where_the_pose_has_it_also_when_the_simulated_base_is_another) {
    OWNED(stage) s = stage_of("{objects: [{" ROPE ", time_scale: 0.5,\n"
                              " rotation: {keys: [[0, {axis: [0, 0, 1], degrees: 0}],\n"
                              "  [1, {axis: [0, 0, 1], degrees: 80}]]},\n"
                              " position: {keys: [[0, [0, 1, 0]], [1, [1, 1, 0]]]}}]}");
    td_vec3 origins[4], base;
    td_quat rotations[4];
    steps(s.world, 30);
    pose_at(s.world, 0, &base, NULL, origins, rotations);
    CHECK(base.x > 0.3);
    for (int32_t i = 0; i < 4; i++) {
        td_vec3 origin, tip;
        td_quat q;
        segment_at(s.world, 0, i, &origin, &tip, &q);
        CHECK(apart(origin, origins[i]) == 0);
        CHECK(memcmp(&q, &rotations[i], sizeof q) == 0);
        CHECK(apart(tip, tip_of(s.world, 0, i)) < 1e-14);
    }
}

TD_TEST(sums_of_actors_add_up_to_those_of_their_object) {
    OWNED(stage) s = stage_of("{objects: [{" ROPE ", start: drawn, stiffness: 1.3,\n"
                              " instances: {count: 3, area: [2, 0, 2]}, rotation: {axis: [0, 0, 1],"
                              " degrees: 50}}]}");
    steps(s.world, 10);
    td_sums whole = td_world_object_sums(s.world, 0), sum = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int32_t k = 0; k < 3; k++) {
        td_sums one = sums_at(s.world, k);
        sum.energy.kinetic += one.energy.kinetic;
        sum.energy.elastic += one.energy.elastic;
        sum.energy.weight += one.energy.weight;
        sum.linear = tdi_add(sum.linear, one.linear);
        sum.angular = tdi_add(sum.angular, one.angular);
    }
    CHECK(whole.energy.kinetic > 0 && whole.energy.elastic > 0);
    CHECK(memcmp(&whole, &sum, sizeof sum) == 0);
}

TD_TEST(actor_of_the_tree_has_a_tree) {
    OWNED(stage) s = stage_of("{objects: [{" ROPE ", solver: tree}]}");
    td_body *tree = td_world_body(s.world, id_at(s.world, 0));
    CHECK(tree != NULL);
    td_vec3 tip;
    segment_at(s.world, 0, 3, NULL, &tip, NULL);
    CHECK(apart(td_body_tip(tree, 3), tip) == 0);
}

// ---- rest -----------------------------------------------------------------------------------

// Drawn level, both droop; factors of stiffness count, and nothing moves afterwards.
TD_TEST(settling_a_world_leaves_nothing_unbalanced_by_any_solver) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        OWNED(stage) s = stage_printed(
            "{air_density: 0, objects: [{solver: %s, start: drawn, stiffness: 3, strand: "
            "{points: [[0, 0, 0], [0.4, 0, 0]],\n segments: 8, radius: 0.005}}]}",
            td_solver_get(k).name);
        td_rest rest = {0};
        CHECK_INT(td_world_settle(s.world, &rest, NULL), TD_OK);
        const td_vec3 tip = tip_of(s.world, 0, 7);
        const td_energy e = sums_at(s.world, 0).energy;
        CHECK_IN(tip.y, -0.3, -0.01);
        CHECK(rest.iterations > 0);
        CHECK(rest.residual < 1e-6); // N m and N; the weight is 0.28 N
        CHECK_REL(rest.energy, e.elastic + e.weight, 1e-12);
        CHECK(e.elastic > 0 && e.kinetic == 0);
        steps(s.world, 20);
        CHECK(apart(tip_of(s.world, 0, 7), tip) < 1e-6);
    }
}

TD_TEST(what_does_not_come_to_rest_is_named) {
    OWNED(stage) s =
        stage_of("{objects: [{name: cable, start: drawn, strand: {points: [[0, 0, 0], [0, 1, "
                 "0]],\n start: {held: free}}}]}");
    td_diag diag = {.message = ""};
    CHECK(td_world_settle(s.world, NULL, &diag) != TD_OK);
    CHECK_HAS(diag.message, "'cable': ");
}

// Two loose sticks that a bar joins, and nothing else holds.
TD_TEST(what_does_not_come_to_rest_with_constraints_is_named_and_stays_as_it_was) {
    for (int k = 0; k < 4; k++) {
        const char *solver = k / 2 ? "rod" : "helix";
        OWNED(stage) s = stage_printed(
            "{%s objects: [{name: arm, start: drawn, strand: {points: [[0, 1, 2], [1, 1, 2]]}},\n"
            " {name: one, solver: %s, start: drawn, strand: {points: [[0, 2, 0], [1, 2, 0]],\n"
            "  segments: 4, radius: 0.004, start: {held: free}}},\n"
            " {name: other, solver: %s, start: drawn, strand: {points: [[1.1, 2, 0], [2, 2, 0]],\n"
            "  segments: 4, radius: 0.004, start: {held: free}}}],\n"
            " constraints: [{distance: {length: 0.1, a: {object: one, segment: 3, along: 1},\n"
            "  b: {object: other, segment: 0, along: 0}}}]}",
            k % 2 ? "contact: {}," : "", solver, solver);
        td_diag diag = {.message = ""};
        steps(s.world, 3);
        const td_vec3 arm = tip_of(s.world, 0, -1), end = tip_of(s.world, 2, 3);
        CHECK_INT(td_world_settle(s.world, NULL, &diag), TD_ERR_DIVERGED);
        CHECK_HAS(diag.message, k % 2 ? "'arm' and 2 more: " : "'one' and 1 more: ");
        CHECK(apart(tip_of(s.world, 0, -1), arm) == 0 && apart(tip_of(s.world, 2, 3), end) == 0);
        steps(s.world, 3);
        CHECK(apart(tip_of(s.world, 2, 3), end) > 0);
    }
}

// ---- states of a world ----------------------------------------------------------------------

// Base and first joint, as the world tells them.
static td_real base_to_root(const td_world *w) {
    td_vec3 base, root;
    pose_at(w, 0, &base, NULL, NULL, NULL);
    segment_at(w, 0, 0, &root, NULL, NULL);
    return apart(base, root);
}

TD_TEST(state_of_a_world_cannot_leave_the_base_that_the_world_has) {
    const td_base_motion away = {.position = {0.5, 0, 0}, .rotation = {1, 0, 0, 0}};
    const td_base_motion moving = {.rotation = {1, 0, 0, 0}, .velocity = {1, 0, 0}};
    for (size_t k = 0; k < 3; k++) {
        char text[500];
        td_diag diag = {.message = ""};
        snprintf(text, sizeof text,
                 "{objects: [{solver: %s, start: drawn, position: [0, 1, 0], strand: {segments: 6, "
                 "points: [[0, 0, 0], [0.3, 0, 0]], radius: 0.005}}]}",
                 solvers[k]);
        OWNED(stage) s = stage_of(text), same = stage_of(text);
        CHECK_INT(td_body_set_base(td_world_body(s.world, id_at(s.world, 0)), &away, NULL),
                  TD_ERR_ARGUMENT);
        steps(s.world, 3);
        CHECK_INT(td_body_set_base(td_world_body(s.world, id_at(s.world, 0)), &moving, NULL),
                  TD_ERR_ARGUMENT);
        CHECK_INT(td_body_step(td_world_body(s.world, id_at(s.world, 0)), NULL, NULL, &diag),
                  TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, "td_world_step()");
        steps(s.world, 3);
        steps(same.world, 6);
        CHECK_SAY(same_bits(s.world, same.world), "%s: something has changed", solvers[k]);
        CHECK_SAY(base_to_root(s.world) < 1e-12, "%s: %g m", solvers[k], base_to_root(s.world));
    }
}

TD_TEST(reset_of_a_state_of_a_world_leaves_its_base_where_it_is) {
    for (int k = 0; k < 2; k++) {
        OWNED(stage) s = stage_printed(
            "{objects: [{solver: %s, start: drawn, position: [0, 1, 0], strand: {segments: 6, "
            "points: [[0, 0, 0], [0.3, 0, 0]], radius: 0.005}}]}",
            k ? "rod" : "tree");
        const td_vec3 drawn = tip_of(s.world, 0, -1);
        steps(s.world, 6);
        CHECK(apart(tip_of(s.world, 0, -1), drawn) > 1e-3);
        CHECK_INT(td_body_reset(td_world_body(s.world, id_at(s.world, 0)), NULL), TD_OK);
        CHECK_SAY(base_to_root(s.world) < 1e-12, "%g m", base_to_root(s.world));
        CHECK(apart(tip_of(s.world, 0, -1), drawn) < 1e-12);
        steps(s.world, 3);
        CHECK_SAY(base_to_root(s.world) < 1e-12, "%g m", base_to_root(s.world));
    }
}

TD_TEST(held_points_of_a_rod_in_a_world_stay_where_the_world_holds_them) {
    OWNED(stage) s =
        stage_of("{objects: [{solver: rod, start: drawn, strand: {segments: 6, radius: 0.005,"
                 " points: [[0, 0, 0], [0.3, 0, 0]], end: {held: pinned}}}]}");
    td_body *wire = td_world_body(s.world, id_at(s.world, 0));
    const td_vec3 zero = {0, 0, 0}, up = {0, 0.1, 0}, middle = {0.15, 0.001, 0};
    CHECK_INT(td_rod_set_end(wire, 0, true, up, tdi_quat_identity(), NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_rod_set_vertex(wire, 0, up, zero, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_rod_set_vertex(wire, 6, up, zero, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_rod_set_vertex(wire, 3, middle, zero, NULL), TD_OK);
    steps(s.world, 2);
    const td_real off = apart(td_rod_position(wire, 6), tdi_vec3(0.3, 0, 0));
    CHECK_SAY(off < 1e-9, "%g m", off);
}
