// SPDX-License-Identifier: MIT
// Rods in scenes and worlds. Pairs with src/rod/solver.c and src/world/strand.c.

#include "test_world_support.h"

#define PI 3.14159265358979323846
// A metre along X, of rubber that weighs something.
#define CORD "strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 20, radius: 0.005, "

static td_vec3 moment_at(td_world *world, int32_t actor, int32_t segment) {
    td_actor a = actor_at(world, actor);
    FREED td_vec3 *moments = calloc((size_t)a.segment_count, sizeof *moments);
    td_world_moments(world, id_at(world, actor), moments);
    td_vec3 m = moments[segment];
    return m;
}

// ---- the same scene as rods and as trees ----------------------------------------------------

#define FORK "plant: fork.lsys, materials: [{young: 4e8}]"

TD_TEST(plant_in_a_scene_rests_and_sways_alike_as_rods_and_as_a_tree) {
    OWNED(stage) s = stage_of("{objects: [{" FORK ", law: tangent}, {solver: rod, " FORK "}],\n"
                              " loads: [{wind: {velocity: [4, 0, 1]}}]}");
    td_vec3 tree = tip_of(s.world, 0, -1), rod = tip_of(s.world, 1, -1), start = tree;
    CHECK_IN(apart(tree, rod), 0, 2e-5);
    run_to(s.world, 20);
    tree = tip_of(s.world, 0, -1);
    rod = tip_of(s.world, 1, -1);
    CHECK(apart(tree, start) > 0.01);
    CHECK_IN(apart(tree, rod), 0, 0.01 * apart(tree, start));
    CHECK(!actor_at(s.world, 0).stretchy);
    CHECK(actor_at(s.world, 1).stretchy);
}

TD_TEST(pulls_and_pushes_move_rods_as_they_move_trees) {
    OWNED(stage) s =
        stage_of("{gravity: [0, 0, 0], air_density: 0,\n"
                 " objects: [{name: tree, law: tangent, " CORD "material: green-wood},\n"
                 "  damping_ratio: 1},\n"
                 "  {name: rod, solver: rod, " CORD "material: green-wood},\n"
                 "  damping_ratio: 1}],\n"
                 " loads: [{push: {object: tree, segment: 19, force: [0, 2, 0]}},\n"
                 "  {push: {object: rod, segment: 19, force: [0, 2, 0]}}]}");
    run_to(s.world, 3);
    td_vec3 tree = tip_of(s.world, 0, -1), rod = tip_of(s.world, 1, -1);
    CHECK(tree.y > 0.05);
    CHECK_IN(apart(tree, rod), 0, 1e-3 * tree.y);
    CHECK_REL(moment_at(s.world, 1, 0).z, moment_at(s.world, 0, 0).z, 1e-3);
}

// ---- bases and ends -------------------------------------------------------------------------

TD_TEST(rods_go_with_their_base) {
    OWNED(stage) s =
        stage_of("{gravity: [0, 0, 0], air_density: 0, objects: [{solver: rod, "
                 "position: {keys: [[0, [1, 2, 0]], [1, [1, 5, 0]]], interpolate: linear},\n"
                 " rotation: {axis: [0, 0, 1], degrees: 90}, " CORD
                 "material: green-wood}, damping_ratio: 1}]}");
    CHECK_IN(apart(tip_of(s.world, 0, -1), tdi_vec3(1, 3, 0)), 0, 1e-9);
    run_to(s.world, 4);
    CHECK_IN(apart(tip_of(s.world, 0, -1), tdi_vec3(1, 6, 0)), 0, 1e-6);
}

TD_TEST(rods_that_have_settled_go_on_from_there_when_their_base_moves) {
    OWNED(stage) s =
        stage_of("{objects: [{solver: rod, position: {keys: [[0, [1, 2, 0]], [1, [1, 3, "
                 "0]]]}, " CORD "}}]}");
    td_vec3 settled = tip_of(s.world, 0, -1);
    CHECK(settled.y < 1.9);
    steps(s.world, 1);
    CHECK_IN(apart(settled, tip_of(s.world, 0, -1)), 1e-9, 0.01);
}

TD_TEST(end_that_is_turned_twists_a_rod_evenly) {
    OWNED(stage) s = stage_of("{gravity: [0, 0, 0], air_density: 0, objects: [{solver: rod,\n"
                              " " CORD "bend: 10, torsion: 0.01, stretch: 1e5, line_mass: 0.1,\n"
                              "  end: {held: clamped, turns: {keys: [[0, 0], [1, 3]], interpolate: "
                              "linear}}},\n relaxation_time: 0.1}]}");
    run_to(s.world, 5);
    for (int32_t k = 0; k < 20; k++) {
        CHECK_REL(moment_at(s.world, 0, k).y, 0.01 * 6 * PI, 1e-6);
    }
    CHECK_IN(apart(tip_of(s.world, 0, -1), tdi_vec3(1, 0, 0)), 0, 1e-9);
}

TD_TEST(end_that_is_pulled_stretches_a_rod_as_its_stiffness_says) {
    OWNED(stage) s =
        stage_of("{gravity: [0, 0, 0], air_density: 0, objects: [{solver: rod,\n"
                 " position: [0, 1, 0], " CORD "bend: 1, torsion: 1, stretch: 50,\n"
                 "  line_mass: 0.1, start: {held: pinned},\n"
                 "  end: {held: pinned, shift: {keys: [[0, [0, 0, 0]], [1, [0.5, 0, 0]]]}}},\n"
                 " relaxation_time: 0.1}]}");
    run_to(s.world, 5);
    CHECK_IN(apart(tip_of(s.world, 0, 9), tdi_vec3(0.5 * 1.5, 1, 0)), 0, 0.04);
    td_sums sums = sums_at(s.world, 0);
    CHECK_REL(sums.energy.elastic, 0.5 * 50 * 0.5 * 0.5, 1e-6);
    td_vec3 tip;
    segment_at(s.world, 0, 19, NULL, &tip, NULL);
    CHECK_IN(apart(tip, tdi_vec3(1.5, 1, 0)), 0, 1e-9);
}

TD_TEST(driven_ends_go_with_the_base_as_well) {
    OWNED(stage) s = stage_of("{gravity: [0, 0, 0], air_density: 0, objects: [{solver: rod,\n"
                              " position: {keys: [[0, [0, 0, 0]], [1, [0, 2, 0]]]},\n"
                              " " CORD "end: {held: clamped, shift: [0, 0, 0.1]}}}]}");
    run_to(s.world, 2);
    td_vec3 tip;
    segment_at(s.world, 0, 19, NULL, &tip, NULL);
    CHECK_IN(apart(tip, tdi_vec3(1, 2, 0.1)), 0, 1e-9);
}

// ---- shapes ---------------------------------------------------------------------------------

TD_TEST(helix_has_its_radius_pitch_and_hand) {
    OWNED(stage) s =
        stage_of("{gravity: [0, 0, 0], objects: [{start: drawn, strand: {segments: 40,\n"
                 " helix: {radius: 0.1, pitch: 0.05, turns: 2.25}}}]}");
    td_vec3 quarter = tip_of(s.world, 0, 39);
    CHECK_IN(apart(quarter, tdi_vec3(0, 2.25 * 0.05, -0.1)), 0, 1e-9);
    CHECK_INT(actor_at(s.world, 0).segment_count, 40);
}

TD_TEST(closed_helix_without_pitch_is_a_ring_that_keeps_its_size) {
    OWNED(stage) s =
        stage_of("{gravity: [0, 0, 0], objects: [{solver: rod, strand: {closed: true,\n"
                 " segments: 30, helix: {radius: 0.1}}}]}");
    const td_vec3 centre = {0, 0, 0};
    td_vec3 last, first;
    CHECK_INT(actor_at(s.world, 0).dof_count, 4 * 30);
    steps(s.world, 20);
    for (int32_t k = 0; k < 30; k++) {
        CHECK_REL(apart(tip_of(s.world, 0, k), centre), 0.1, 1e-6);
    }
    segment_at(s.world, 0, 29, NULL, &last, NULL);
    segment_at(s.world, 0, 0, &first, NULL, NULL);
    CHECK_IN(apart(first, last), 0, 1e-12);
}

TD_TEST(strand_that_is_straight_at_ease_unbends_and_one_with_a_helix_winds_up) {
    OWNED(stage) s =
        stage_of("{gravity: [0, 0, 0], air_density: 50, objects: [\n"
                 " {solver: rod, strand: {segments: 30, radius: 0.004, straight: true,\n"
                 "  helix: {radius: 0.2, turns: 0.5}, start: {held: free}}},\n"
                 " {solver: rod, size: 2, strand: {segments: 30, radius: 0.004,\n"
                 "  points: [[0, 0, 0], [0, 0.7, 0]], start: {held: free},\n"
                 "  rest_helix: {radius: 0.05, pitch: 0.02, turns: 2}}}]}");
    td_vec3 first, last;
    segment_at(s.world, 0, 0, &first, NULL, NULL);
    segment_at(s.world, 0, 29, NULL, &last, NULL);
    CHECK_REL(apart(first, last), 0.2 * PI, 2e-3); // a polygon's length
    segment_at(s.world, 1, 0, &first, NULL, NULL);
    segment_at(s.world, 1, 29, NULL, &last, NULL);
    CHECK_REL(apart(first, last), 2 * 2 * 0.02, 1e-3);
}

TD_TEST(bodies_hang_where_they_are_welded) {
    OWNED(stage) s =
        stage_of("{air_density: 0, objects: [{solver: rod, strand: {points: [[0, 0, 0], [0, "
                 "-1, 0]],\n segments: 10, bend: 1, torsion: 1, stretch: 1000, line_mass: "
                 "1e-3,\n tip_mass: 1, bodies: [{at: 0.5, mass: 2, size: [0.1, 0.1, 0.1]},\n"
                 " {at: 0.5, mass: 1, position: [0.05, 0, 0]},\n"
                 " {at: 0.5, mass: 1, position: [-0.05, 0, 0]}]}}]}");
    const td_real upper = (5 + 1e-3 * 0.75) * 9.81 / 1000 * 0.5,
                  lower = (1 + 1e-3 * 0.25) * 9.81 / 1000 * 0.4; // a body makes its edge rigid
    td_vec3 tip;
    segment_at(s.world, 0, 9, NULL, &tip, NULL);
    CHECK_REL(-tip.y - 1, upper + lower, 1e-3);
    CHECK_IN(fabs(tip.x) + fabs(tip.z), 0, 1e-9);
}

TD_TEST(bodies_ride_on_their_strand_and_can_be_pulled_by) {
    OWNED(stage) s =
        stage_of("{air_density: 0, objects: [{solver: rod, size: 2, strand: {points: [[0, 0, "
                 "0], [0, -1, 0]],\n segments: 10, radius: 0.004, bodies: [{at: 0.25, mass: "
                 "0.1,\n size: [0.02, 0.04, 0.02], position: [0.03, 0, 0]}]}}],\n"
                 " loads: [{pull: {segment: 10, by: [0.3, 0, 0], stiffness: 50, damping: "
                 "5}}]}");
    td_vec3 place, tip, start;
    td_quat turn;
    CHECK_INT(actor_at(s.world, 0).segment_count, 11);
    CHECK_INT(actor_at(s.world, 0).dof_count, 4 * 10);
    segment_at(s.world, 0, 10, &place, &tip, NULL);
    td_vec3 middle = tdi_scale(tdi_add(place, tip), 0.5);
    CHECK_REL(apart(place, tip), 0.08, 1e-9);
    CHECK_IN(middle.x, 0.05, 0.07);
    CHECK_IN(middle.y, -0.51, -0.49);
    run_to(s.world, 2);
    segment_at(s.world, 0, 2, &start, NULL, &turn);
    segment_at(s.world, 0, 10, &place, &tip, NULL);
    CHECK(place.x > 0.2);
    td_vec3 own = tdi_quat_rotate(tdi_quat_conj(turn), tdi_sub(place, start));
    td_vec3 at = td_skeleton_segments(actor_at(s.world, 0).skeleton)[10].attach;
    CHECK_IN(apart(own, at), 0, 1e-9);
    CHECK_IN(tdi_norm(moment_at(s.world, 0, 10)), 0, 0);
}

// ---- contact --------------------------------------------------------------------------------

TD_TEST(rods_that_fall_on_a_plane_lie_on_it) {
    OWNED(stage) s = stage_of(
        "{objects: [{solver: rod, start: drawn, position: [0, 0.1, 0], strand: {segments: 12,\n"
        " points: [[0, 0, 0], [0.3, 0.02, 0]], radius: 0.01, start: {held: free}}},\n"
        " {solver: rod, start: drawn, position: [0.15, 0.2, -0.1], strand: {segments: 8,\n"
        " points: [[0, 0, 0], [0, 0, 0.3]], radius: 0.01, start: {held: free}}}],\n"
        " contact: {friction: 0.5}, colliders: [{plane: {position: [0, 0.05, "
        "0]}}]}");
    for (int32_t k = 0; k < 90; k++) {
        steps(s.world, 1);
        for (int32_t actor = 0; actor < 2; actor++) {
            for (int32_t i = 0; i < actor_at(s.world, actor).segment_count; i++) {
                CHECK(tip_of(s.world, actor, i).y > 0.0599);
            }
        }
    }
    CHECK_IN(tip_of(s.world, 0, 5).y, 0.06, 0.065);
}

static const char touching[] =
    "{objects: [{solver: rod, start: drawn, position: [0, 0.1, 0], strand: {segments: 12,\n"
    "  points: [[0, 0, 0], [0.3, 0.02, 0]], radius: 0.01, start: {held: free}}},\n"
    " {name: tree, position: [-0.1, 0, 0], strand: {points: [[0, 0, 0], [0, 0.3, 0]]}},\n"
    " {solver: rod, position: {keys: [[0, [0.15, 0.3, 0]], [1, [0.15, 0.2, 0]]]},\n"
    "  " CORD "end: {held: clamped, turns: {keys: [[0, 0], [1, 2]]}}}, start: drawn}],\n"
    " loads: [{wind: {velocity: [3, 0, 0], intensity: 0.3}}],\n"
    " colliders: [{plane: {friction: 0.4}},\n"
    "  {sphere: {radius: 0.05, position: {keys: [[0, [0.1, -0.1, 0]], [1, [0.1, 0.03, 0]]]}}}]}";

TD_TEST(rods_that_touch_are_the_same_to_the_bit_for_any_threads_and_after_any_save) {
    check_threads(touching, NULL, 20);
    check_restoring(touching, 2, 20);
}

TD_TEST(rods_stepped_as_published_go_on_to_the_bit_after_a_save) {
    static const char text[] = "{step: 1/3000, objects: [{solver: rod, integrator: euler,\n"
                               " start: drawn, " CORD "}}]}";
    check_restoring(text, 2, 50);
}

// They began 5,000 m and more below, each solver elsewhere.
TD_TEST(what_nothing_holds_has_no_rest_to_start_from) {
    static const fault faults[] = {
        {"{objects: [{solver: rod,\n " CORD "start: {held: free}}}]}", 1, 12, "move away freely"},
        {"{objects: [{solver: rod,\n strand: {helix: {radius: 71}, segments: 6, closed: true}}]}",
         1, 12, "move away freely"},
        {"{objects: [{solver: tree, loose: true,\n " CORD "}}]}", 1, 12, "move away freely"},
        {"{objects: [{solver: helix, loose: true,\n " CORD "}}]}", 1, 12, "start: drawn"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
}

TD_TEST(rods_that_start_in_each_other_are_told_by_name) {
    OWNED(stage) s =
        stage_of("{objects: [{name: cord, solver: rod, start: drawn, " CORD "}}],\n"
                 " colliders: [{box: {position: [0.5, 0, 0], size: [0.2, 0.2, 0.2]}}]}");
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_step(s.world, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "'cord' at 0 s");
    CHECK(td_world_time(s.world) == 0);
}

TD_TEST(trees_swing_against_colliders_and_not_through_them) {
    OWNED(stage) s =
        stage_of("{objects: [{start: drawn, materials: [{young: 1e5}], position: [0, 1, 0],\n"
                 "  strand: {points: [[0, 0, 0], [0.6, 0, 0]], radius: 0.01}},\n"
                 " {start: drawn, materials: [{young: 1e5}], position: [0, 1, 1],\n"
                 "  strand: {points: [[0, 0, 0], [0.6, 0, 0]], radius: 0.01}}],\n"
                 " colliders: [{capsule: {radius: 0.1, length: 0.4, position: [0.2, 0.6, 0],\n"
                 "  rotation: {axis: [1, 0, 0], degrees: 90}}}]}");
    td_real least = 1, free = 1;
    for (int32_t k = 0; k < 60; k++) {
        steps(s.world, 1);
        for (int32_t i = 0; i < 20; i++) {
            td_vec3 tip = tip_of(s.world, 0, i), other = tip_of(s.world, 1, i);
            least = fmin(least, hypot(tip.x - 0.2, tip.y - 0.6));
            free = fmin(free, hypot(other.x - 0.2, other.y - 0.6));
        }
    }
    CHECK_IN(least, 0.11 - 1e-9, 0.113);
    CHECK_IN(free, 0, 0.1);
}

TD_TEST(contact_can_be_filled_by_hand_and_its_numbers_are_checked) {
    const td_vec3 points[] = {{0, 0.1, 0}, {0.2, 0.1, 0}};
    td_object_def object = td_object_def_default();
    td_scene_collider ground = td_scene_collider_default(TD_COLLIDER_BOX);
    td_scene_def def = td_scene_def_default();
    td_world_opts opts = td_world_opts_default();
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    td_diag_list list = {&diag, 1, 0};
    object.solver = "rod";
    object.strand.points = points;
    object.strand.point_count = 2;
    object.strand.start.held = TD_END_FREE;
    ground.as.position.y = -0.5;
    def.objects = &object;
    def.object_count = 1;
    def.colliders = &ground;
    def.collider_count = 1;
    CHECK_INT(td_world_new(&def, &opts, NULL, &world, &list), TD_OK);
    steps(world, 90);
    CHECK_IN(tip_of(world, 0, 9).y, 0.005, 0.0065);
    td_world_free(world);
    ground.as.sides.z = 0;
    CHECK_INT(td_world_new(&def, &opts, NULL, &world, &list), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "colliders[0].box.size:");
    def.collider_count = -1;
    list.count = 0;
    CHECK_INT(td_world_new(&def, &opts, NULL, &world, &list), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "colliders");
}

// ---- faults ---------------------------------------------------------------------------------

TD_TEST(keys_of_rods_and_of_contact_have_their_faults) {
    static const fault faults[] = {
        {"{objects: [{" CORD "\n closed: true}}]}", 2, 0,
         "the solver 'tree' does not have this, but 'rod' does"},
        {"{objects: [{" CORD "\n end: {held: pinned}}}]}", 2, 0, "'tree' does not have this"},
        {"{objects: [{" CORD "\n stretch: 5}}]}", 2, 0, "'tree' does not have this"},
        {"{objects: [{" CORD "\n start: {turns: {keys: [[0, 0], [1, 1]]}}}}]}", 2, 0,
         "'tree' does not have this"},
        {"{objects: [{solver: rod, " CORD "\n end: {shift: [1, 0, 0]}}}]}", 2, 0,
         "a free end cannot have"},
        {"{objects: [{solver: rod,\n law: linear, " CORD "}}]}", 2, 0,
         "the solver 'rod' has only the law 'tangent'"},
        {"{objects: [{" CORD "\n rest: [[0, 0, 0], [0, 9, 0]]}}]}", 1, 0, "starts stretched"},
        {"{objects: [{" CORD "\n helix: {radius: 1}}}]}", 1, 0, "either 'plant' or 'strand'"},
        {"{objects: [{solver: rod, " CORD "\n rest: [[0, 0, 0]]}}]}", 2, 0, "at least two"},
        {"{objects: [{solver: rod, " CORD "\n closed: true}}]}", 1, 0, "at least three"},
        {"{objects: [{solver: rod, " CORD "\n bend_other: 1}}]}", 2, 0, "needs 'bend'"},
        {"{objects: [{solver: rod, " CORD "\n bodies: [{at: 2, mass: 1}]}}]}", 2, 0, "'at' is 2"},
        {"{objects: [{solver: rod, strand:\n {helix: {radius: 1, turns: 0}}}]}", 2, 0, "no length"},
        {"{objects: [{solver: rod, " CORD "}}],\n colliders: [{box: {size: [1, 0, 1]}}]}", 2, 0,
         "'size' is 0"},
        {"{objects: [{solver: rod, " CORD "}}],\n colliders: [{cone: {}}]}", 2, 0, "no 'cone'"},
        {"{contact: {}, objects: [{solver: rod, " CORD "}}, {solver: rod,\n integrator: "
         "implicit-euler, " CORD "}}]}",
         2, 0, "the same integrator"},
        {"{objects: [{solver: rod, " CORD "},\n integrator: euler}], colliders: [{plane: {}}]}", 2,
         0, "'implicit'"},
        {"{contact: {}, objects: [{" CORD "},\n integrator: rk4}]}", 2, 0,
         "`contact: {self: false}`"},
        {"{objects: [{" CORD "},\n time_scale: 0.5}], colliders: [{plane: {}}]}", 2, 0,
         "'time_scale' cannot be combined"},
        {"{objects: [{solver: rod, " CORD "},\n integrator: rk4}]}", 2, 0,
         "the solver 'rod' needs one of the integrators implicit, implicit-euler, euler"},
        {"{objects: [{solver: rod, rest_under_gravity: true,\n " CORD "start: {held: free}}}]}", 1,
         0, "not clamped"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
}

// ---- sizes ----------------------------------------------------------------------------------

// In its first step it falls by seven times its thickness.
TD_TEST(stick_of_half_a_millimetre_falls_upon_a_plane) {
    OWNED(stage) s = stage_of(
        "{contact: {}, colliders: [{plane: {}}], objects: [{solver: rod, start: drawn, position: "
        "[0, 0.0016244937247854912, 0],\n strand: {points: [[0, 0, 0], [0.00018606283111404054, "
        "0.0005111246031988837, 0.00033345501634748893]],\n segments: 6, radius: 0.0002, material: "
        "green-wood, start: {held: free}}}]}");
    steps(s.world, 30);
    for (int32_t k = 0; k < 6; k++) {
        CHECK_IN(tip_of(s.world, 0, k).y, 0.0002, 0.0016);
    }
}
