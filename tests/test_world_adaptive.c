// SPDX-License-Identifier: MIT
// The integrator `adaptive` in scenes. Pairs with src/world/adaptive.c.

#include "test_world_support.h"

#define LINKS                                                                              \
    "strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 30, radius: 0.02}, start: drawn, " \
    "joints: [{hinge: {axis: [0, 0, 1]}}]"

TD_TEST(world_adaptive_moves_as_many_joints_as_the_scene_says_and_reports_them) {
    OWNED(stage) s =
        stage_of("{step: 0.0005, objects: [{" LINKS
                 ", integrator: adaptive, adapt: {joints: 7, every: 5}}, {" LINKS "}]}");
    td_adapt_stats stats;
    steps(s.world, 60);
    CHECK(td_world_actor_adapt(s.world, id_at(s.world, 0), &stats));
    CHECK_INT(stats.joints, 30);
    CHECK_INT(stats.active, 7);
    CHECK_INT(stats.updates, 12);
    CHECK(!td_world_actor_adapt(s.world, id_at(s.world, 1), &stats));
    CHECK(!td_world_actor_adapt(s.world, id_at(s.world, -1), &stats));
    CHECK(!td_world_actor_adapt(s.world, id_at(s.world, 2), &stats));
}

// All joints, no error: what the explicit integrator does.
TD_TEST(world_adaptive_with_no_error_is_euler) {
    OWNED(stage) a = stage_of("{step: 0.0005, objects: [{" LINKS ", integrator: adaptive}]}");
    OWNED(stage) b = stage_of("{step: 0.0005, objects: [{" LINKS ", integrator: euler}]}");
    steps(a.world, 400);
    steps(b.world, 400);
    CHECK_IN(apart(tip_of(a.world, 0, 29), tip_of(b.world, 0, 29)), 0, 1e-9);
}

TD_TEST(world_adaptive_may_begin_and_end_while_it_runs) {
    OWNED(stage) s = stage_of("{step: 0.0005, objects: [{" LINKS ", integrator: euler}]}");
    td_adapt_stats stats;
    steps(s.world, 20);
    CHECK(!td_world_actor_adapt(s.world, id_at(s.world, 0), &stats));
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_ADAPTIVE, NULL), TD_OK);
    steps(s.world, 20);
    CHECK(td_world_actor_adapt(s.world, id_at(s.world, 0), &stats));
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_IMPLICIT, NULL), TD_OK);
    steps(s.world, 20);
    CHECK(!td_world_actor_adapt(s.world, id_at(s.world, 0), &stats));
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_ADAPTIVE, NULL), TD_OK);
    steps(s.world, 20);
    CHECK(td_world_actor_adapt(s.world, id_at(s.world, 0), &stats));
}

TD_TEST(world_adaptive_refuses_other_solvers_constraints_contact_and_bad_numbers) {
    // each on a line of its own, so that columns can be read off
    static const fault faults[] = {
        {"{objects: [{" LINKS ",\n integrator: rk4, adapt: {joints: 5}}]}", 2, 26, "adaptive"},
        {"{objects: [{" LINKS ", integrator: adaptive,\n adapt: {joints: -5}}]}", 2, 18, "joints"},
        {"{objects: [{" LINKS ", integrator: adaptive,\n adapt: {error: -1}}]}", 2, 17, "error"},
        {"{objects: [{" LINKS ", integrator: adaptive,\n adapt: {weights: heavy}}]}", 2, 19,
         "weights"},
        {"{objects: [{" LINKS ",\n integrator: adaptive}], contact: {}}", 2, 14, "implicit"},
        {"{objects: [{name: a, " LINKS ", integrator: adaptive}],"
         " constraints: [{point: {\n a: {object: a, segment: 29}}}]}",
         2, 5, "adaptive"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
}
