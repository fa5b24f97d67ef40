// SPDX-License-Identifier: MIT
// Scenes with objects that leave out joints in implicit steps.

#include "test_world_support.h"

static const char swaying[] =
    "{objects: [\n"
    " {name: cane, start: drawn, adapt: {error: 0.01, every: 5},\n"
    "  strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 24, radius: 0.004}},\n"
    " {name: other, start: drawn, position: [1, 0, 0], adapt: {joints: 6, every: 5},\n"
    "  strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 24, radius: 0.004}}],\n"
    " loads: [{wind: {velocity: [4, 0, 1], intensity: 0.3}}]}";

TD_TEST(reduced_objects_of_a_scene_leave_out_joints_and_tell_how_many) {
    stage s = stage_of(swaying);
    td_reduce_stats stats = {0};
    int32_t least = 24;
    for (int32_t k = 0; k < 60; k++) {
        steps(s.world, 1);
        CHECK(td_world_actor_reduction(s.world, 0, &stats));
        least = stats.joints < least ? stats.joints : least;
        CHECK_INT(stats.joints + stats.frozen + stats.joined + stats.riding, 24);
    }
    CHECK(least < 16);
    CHECK(stats.changes > 0);
    CHECK(td_world_actor_reduction(s.world, 1, &stats));
    CHECK_INT(stats.joints, 6);
    CHECK(!td_world_actor_reduction(s.world, 2, &stats));
    stage_free(&s);
}

TD_TEST(reduced_objects_go_on_to_the_bit_after_a_restore) {
    check_restoring(swaying, 3, 17);
}

// Two canes whose tips a link joins at 0.5 s, when all three ways of leaving out joints are at
// work.
TD_TEST(reduced_objects_are_held_where_they_are_drawn) {
    stage s = stage_of(
        "{objects: [\n"
        " {name: cane, start: drawn, adapt: {joints: 8, every: 5},\n"
        "  strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 24, radius: 0.004}},\n"
        " {name: other, start: drawn, position: [0.5, 0, 0], adapt: {joints: 8, every: 5},\n"
        "  strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 24, radius: 0.004}}],\n"
        " loads: [{wind: {velocity: [0, 0, 0.6]}}],\n"
        " constraints: [{distance: {start: 0.5, a: {object: cane, segment: 12, along: 1},\n"
        "  b: {object: other, segment: 12, along: 1}}}]}");
    td_reduce_stats stats = {0};
    td_real length = 0;
    int32_t least = 24;
    for (int32_t k = 0; k < 90; k++) {
        td_vec3 x[48];
        steps(s.world, 1);
        CHECK(td_world_actor_reduction(s.world, 0, &stats));
        least = stats.joints < least ? stats.joints : least;
        td_world_all_poses(s.world, NULL, x, NULL);
        const td_real now = tdi_norm(tdi_sub(x[36], x[12]));
        if (k == 29) {
            length = now;
        } else if (k > 29) {
            CHECK_SAY(fabs(now - length) < 1e-8, "step %d: %g m off", (int)k, now - length);
        }
    }
    CHECK(least < 24);
    stage_free(&s);
}

TD_TEST(reduced_objects_of_other_solvers_and_integrators_are_refused_by_name) {
    static const fault faults[] = {
        {"{objects: [{strand: {points: [[0, 0, 0], [0, 1, 0]]}, integrator: rk4,\n"
         " adapt: {error: 0.01}}]}",
         2, 9, "'adapt' needs one of the integrators 'implicit', 'implicit-euler', 'adaptive'"},
        {"{objects: [{strand: {points: [[0, 0, 0], [0, 1, 0]]}, solver: rod,\n"
         " adapt: {error: 0.01}}]}",
         2, 9,
         "the solver 'rod' has no 'adapt'; the solver 'tree' has, and axes of the solver "
         "'helix' are coarse by 'elements'"}};
    check_faults(faults, sizeof faults / sizeof *faults);
}
