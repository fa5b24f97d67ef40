// SPDX-License-Identifier: MIT
// What a viewer changes while a world moves.

#include "test_world_support.h"

#define STILL "gravity: [0, 0, 0], air_density: 0"

TD_TEST(step_can_change_while_the_world_moves_and_time_goes_on) {
    OWNED(stage) s = stage_of("{objects: [{" ROPE ", position: [0, 1, 0], start: drawn}]}");
    run_to(s.world, 0.5);
    set(s.world, "step", 1.0 / 240);
    CHECK_REL(td_world_dt(s.world), 1.0 / 240, 1e-12);
    CHECK_REL(td_world_time(s.world), 0.5, 1e-12);
    steps(s.world, 24);
    CHECK_REL(td_world_time(s.world), 0.6, 1e-12);
    set(s.world, "step", 1.0 / 30);
    steps(s.world, 3);
    CHECK_REL(td_world_time(s.world), 0.7, 1e-12);
}

TD_TEST(world_saved_after_a_change_of_step_goes_on_to_the_bit) {
    OWNED(stage) a = stage_of("{objects: [{" ROPE ", position: [0, 1, 0]}]}");
    OWNED(stage) b = stage_of("{objects: [{" ROPE ", position: [0, 1, 0]}]}");
    steps(a.world, 7);
    set(a.world, "step", 1.0 / 120);
    set(b.world, "step", 1.0 / 120);
    steps(a.world, 5);
    restore_from(b.world, a.world);
    CHECK(td_world_time(a.world) == td_world_time(b.world));
    check_same_way(a.world, b.world, 9);
}

TD_TEST(integrator_that_changes_while_it_sways_keeps_the_motion) {
    const char *text = "{step: 1/960, record: {fps: 60}, " STILL ",\n"
                       " objects: [{" ROPE ", relaxation_time: 0.01}],\n"
                       " loads: [{push: {force: [0.02, 0, 0], segment: 3, end: 0.2}}]}";
    OWNED(stage) a = stage_of(text), b = stage_of(text);
    CHECK_INT(td_world_set_integrator(b.world, 1, TD_IMPLICIT, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_integrator(b.world, 0, (td_integrator)9, NULL), TD_ERR_ARGUMENT);
    run_to(a.world, 0.1);
    run_to(b.world, 0.1);
    CHECK_INT(td_world_set_integrator(b.world, 0, TD_IMPLICIT_EULER, NULL), TD_OK);
    run_to(a.world, 0.2);
    run_to(b.world, 0.2);
    td_vec3 one = tip_of(a.world, 0, -1), other = tip_of(b.world, 0, -1);
    CHECK(one.x > 1e-4);
    CHECK(apart(one, other) > 0);
    CHECK(apart(one, other) < 0.02 * one.x);
}

TD_TEST(integrators_of_what_touches_stay_implicit) {
    OWNED(stage) s = stage_of("{contact: {}, colliders: [{plane: {position: [0, -9, 0]}}],\n"
                              " objects: [{" ROPE "},\n"
                              " {" ROPE ", touches: false, position: [1, 0, 0]}]}");
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_EULER, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_ADAPTIVE, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_IMPLICIT_EULER, NULL), TD_OK);
    CHECK_INT(td_world_set_integrator(s.world, 1, TD_EULER, NULL), TD_OK);
    steps(s.world, 2);
}

TD_TEST(twist_by_hand_turns_as_a_push_does_until_it_ends) {
    OWNED(stage) s = stage_of("{" STILL ", objects: [{" ROD ", relaxation_time: 0.02}]}");
    OWNED(stage) p = stage_of("{" STILL ", objects: [{" ROD ", relaxation_time: 0.02}],\n"
                              " loads: [{push: {twist: 0.5, segment: 3}}]}");
    td_quat turn[4], wanted[4];
    CHECK(td_world_set_torque(s.world, id_at(s.world, 0), 3, 0.5, NULL) == TD_OK);
    run_to(s.world, 1);
    run_to(p.world, 1);
    pose_at(s.world, 0, NULL, NULL, NULL, turn);
    pose_at(p.world, 0, NULL, NULL, NULL, wanted);
    CHECK(wanted[3].y > 1e-6);
    CHECK_REL(turn[3].y, wanted[3].y, 1e-9);
    CHECK(td_world_set_torque(s.world, id_at(s.world, 0), 3, 0, NULL) == TD_OK);
    run_to(s.world, 3);
    pose_at(s.world, 0, NULL, NULL, NULL, turn);
    CHECK(fabs(turn[3].y) < 1e-3 * wanted[3].y);
}
