// SPDX-License-Identifier: MIT
// Joints that scenes make hinges, slides, balls or fixed, and what drives, gears and stops them.
// Pairs with src/world/joints.c.

#include "math/angle.h"
#include "test_world_support.h"

#define EXACT 1e-8 // m: constraints hold at the end of every step to this

// A bar of 1 m with one joint, and what follows in the scene.
#define BAR(joint)                                                                                 \
    "{objects: [{name: bar, strand: {points: [[0, 0, 0], [0, -1, 0]], segments: 1, radius: 0.02, " \
    "material: oak}, joints: [" joint "]}], record: {fps: 60}"

static td_vec3 tip(const td_world *world, int32_t actor, int32_t segment) {
    td_vec3 at = {NAN, NAN, NAN};
    if (world) {
        segment_at(world, actor, segment, NULL, &at, NULL);
    }
    return at;
}

static td_vec3 joint(const td_world *world, int32_t actor, int32_t segment) {
    td_vec3 at = {NAN, NAN, NAN};
    if (world) {
        segment_at(world, actor, segment, &at, NULL, NULL);
    }
    return at;
}

static td_real mass(const td_world *world, int32_t segment) {
    return world ? td_skeleton_segments(actor_at(world, 0).skeleton)[segment].mass : NAN;
}

// ---- hinges ---------------------------------------------------------------------------------

TD_TEST(joint_hinge_of_a_scene_turns_about_its_axis_alone) {
    OWNED(stage) s =
        stage_of(BAR("{hinge: {segment: 0, axis: [0, 0, 2]}}") ", loads: [{push: {segment: "
                                                               "0, force: [1, 0, 5]}}]}");
    td_real out = 0;
    for (int32_t k = 0; k < 60; k++) {
        steps(s.world, 1);
        out = fmax(out, fabs(tip(s.world, 0, 0).z));
    }
    CHECK(out < 1e-12);
    CHECK(fabs(tip(s.world, 0, 0).x) > 0.01);
}

// k a = m g/2 l sin(a) of a bar that is drawn standing: it leans where the moments are equal
TD_TEST(joint_hinge_of_a_scene_has_its_spring_and_rests_where_moments_are_equal) {
    OWNED(stage) s =
        stage_of("{objects: [{strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 1, radius: "
                 "0.02, material: oak}, joints: [{hinge: {segment: 0, angle: 60, stiffness: "
                 "2}}]}], record: {fps: 60}}");
    const td_vec3 x = tip(s.world, 0, 0);
    const td_real angle = atan2(-x.x, x.y);
    CHECK(angle > 0.3);
    CHECK_REL(2 * angle, mass(s.world, 0) * 9.81 / 2 * sin(angle), 1e-3);
}

TD_TEST(joint_angle_of_a_hinge_counts_from_how_it_is_drawn) {
    OWNED(stage) s =
        stage_of("{gravity: [0, 0, 0], objects: [{start: drawn, strand: {points: [[0, 0, 0], "
                 "[0, 2, 0]], segments: 2}, joints: [{hinge: {segment: 1, angle: -90}}]}], "
                 "record: {fps: 60}}");
    CHECK(apart(tip(s.world, 0, 1), tdi_vec3(1, 1, 0)) < 1e-12);
}

TD_TEST(joint_hinge_follows_keys_and_stops_at_its_limits) {
    OWNED(stage) s =
        stage_of(BAR("{hinge: {segment: 0}}") ", constraints: [{joint: {a: {segment: 0}, angle: "
                                              "{keys: [[0, 0], [1, 50]], interpolate: linear}, "
                                              "end: 1}}, {limit: {a: {segment: 0}, low: -20}}]}");
    run_to(s.world, 1);
    const td_real a = 50 * TDI_PI / 180;
    CHECK(apart(tip(s.world, 0, 0), tdi_vec3(sin(a), -cos(a), 0)) <= EXACT);
    td_real least = 1;
    for (int32_t k = 0; k < 60; k++) { // it swings back, to -50 degrees if nothing stopped it
        steps(s.world, 1);
        least = fmin(least, atan2(tip(s.world, 0, 0).x, -tip(s.world, 0, 0).y));
    }
    CHECK(least >= -20 * TDI_PI / 180 - EXACT && least < -19.9 * TDI_PI / 180);
}

// ---- slides ---------------------------------------------------------------------------------

TD_TEST(joint_slide_of_a_scene_hangs_where_its_spring_carries_the_weight) {
    OWNED(stage) s =
        stage_of(BAR("{slide: {segment: 0, axis: [0, 1, 0], stiffness: 50, damping: 2}}") "}");
    CHECK_REL(joint(s.world, 0, 0).y, -mass(s.world, 0) * 9.81 / 50, 1e-3);
}

TD_TEST(joint_slide_falls_onto_its_limit_and_stays_on_its_line) {
    OWNED(stage) s =
        stage_of("{objects: [{start: drawn, strand: {points: [[0, 0, 0], [0, -1, 0]], "
                 "segments: 1, radius: 0.02, material: oak}, joints: [{slide: {segment: 0, "
                 "axis: [1, 1, 0], slide: 0.1}}]}], record: {fps: 60}, constraints: [{limit: "
                 "{a: {segment: 0}, slide_low: -0.3}}]}");
    CHECK(apart(joint(s.world, 0, 0), tdi_vec3(0.1 / sqrt(2), 0.1 / sqrt(2), 0)) < 1e-12);
    run_to(s.world, 1);
    const td_real end = -0.3 / sqrt(2);
    CHECK(apart(joint(s.world, 0, 0), tdi_vec3(end, end, 0)) <= EXACT);
}

// ---- two joints, two objects ----------------------------------------------------------------

#define PAIR                                                                                       \
    "{gravity: [0, 0, 0], objects: [{name: one, start: drawn, strand: {points: [[0, 0, 0], [0, "   \
    "1, 0]], segments: 1}, joints: [{hinge: {segment: 0}}]}, {name: two, start: drawn, position: " \
    "[2, 0, 0], strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 1}, joints: [{hinge: "          \
    "{segment: 0}}]}], record: {fps: 60}, constraints: [{joint: {a: {object: one, segment: 0}, "   \
    "angle: {keys: [[0, 0], [1, 100]], interpolate: linear}}}"

TD_TEST(joint_gear_of_a_scene_turns_two_objects_in_its_ratio) {
    OWNED(stage) s =
        stage_of(PAIR ", {gear: {a: {object: two, segment: 0}, b: {object: one, segment: 0}, "
                      "ratio: -2}}]}");
    run_to(s.world, 0.5);
    const td_real a = 50 * TDI_PI / 180;
    CHECK(apart(tip(s.world, 0, 0), tdi_vec3(-sin(a), cos(a), 0)) <= EXACT);
    CHECK(apart(tip(s.world, 1, 0), tdi_vec3(2 + sin(2 * a), cos(2 * a), 0)) <= EXACT);
}

// A bar on the tip of another that a joint turns: the driven hinge counts from the other bar.
TD_TEST(constraint_drives_a_hinge_between_two_objects) {
    OWNED(stage) s = stage_of(
        "{gravity: [0, 0, 0], objects: [{name: one, start: drawn, strand: {points: [[0, 0, 0], [0, "
        "1, 0]], segments: 1}, joints: [{hinge: {segment: 0}}]}, {name: two, start: drawn, loose: "
        "true, position: [0, 1, 0], strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 1}}], "
        "record: {fps: 60}, constraints: [{joint: {a: {object: one, segment: 0}, angle: {keys: "
        "[[0, 0], [1, 100]], interpolate: linear}}}, {hinge: {a: {object: two, segment: 0, along: "
        "0}, b: {object: one, segment: 0}, angle: {keys: [[0, 0], [1, -60]], interpolate: "
        "linear}}}]}");
    run_to(s.world, 0.5);
    const td_real a = 50 * TDI_PI / 180, b = 20 * TDI_PI / 180; // 50 - 30 degrees
    const td_vec3 elbow = {-sin(a), cos(a), 0};
    CHECK(apart(joint(s.world, 1, 0), elbow) <= EXACT);
    CHECK(apart(tip(s.world, 1, 0), tdi_add(elbow, tdi_vec3(-sin(b), cos(b), 0))) <= 2 * EXACT);
}

TD_TEST(joint_worlds_with_gears_and_driven_hinges_are_restored_whole) {
    check_restoring(PAIR ", {gear: {a: {object: two, segment: 0}, b: {object: one, segment: 0}}}, "
                         "{hinge: {a: {object: two, segment: 0}, b: {object: one, segment: 0}, "
                         "start: 0.1, end: 0.2, angle: {keys: [[0, 0], [1, 5]]}}}]}",
                    4, 5);
}

// ---- others ---------------------------------------------------------------------------------

// Ball joints without springs: a chain that hangs straight down from where it was drawn level.
TD_TEST(joint_entry_without_a_segment_changes_every_ball_joint) {
    OWNED(stage) s =
        stage_of("{objects: [{strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 5, radius: "
                 "0.01}, joints: [{ball: {damping: [0.01, 0.01, 0.01]}}]}], record: {fps: "
                 "60}}");
    CHECK(apart(tip(s.world, 0, 4), tdi_vec3(0, -1, 0)) < 1e-3);
    stage_free(&s);
    s = stage_of("{objects: [{strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 5, radius: "
                 "0.01}, joints: [{ball: {}}, {fixed: {}}]}], record: {fps: 60}}");
    CHECK(apart(tip(s.world, 0, 4), tdi_vec3(1, 0, 0)) < 1e-12);
}

#define ONE \
    "{objects: [{name: bar, strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 2}, joints:\n "

TD_TEST(joint_faults_of_scenes_have_their_places) {
    static const fault faults[] = {
        {ONE "[{hinge: {axis: [0, 0, 0]}}]}]}", 2, 18, "needs a direction"},
        {ONE "[{hinge: {segment: 7}}]}]}", 2, 21, "no segment with this id"},
        {ONE "[{slide: {angle: 7}}]}]}", 2, 12, "angle"},
        {ONE "[{hing: {}}]}]}", 2, 4, "did you mean 'hinge'"},
        {ONE "[{hinge: {stiffness: -1}}]}]}", 2, 23, "'stiffness' is -1"},
        {ONE "[{hinge: {}}], solver: rod}]}", 2, 2, "'tree' does"},
        {ONE "[{hinge: {segment: 0}}], loose: true}]}", 2, 21, "loose"},
        {ONE "[{hinge: {}}]}],\n constraints: [{limit: {a: {segment: 0}, cone: 5}}]}", 3, 48,
         "is a hinge"},
        {ONE "[{slide: {}}]}],\n constraints: [{limit: {a: {segment: 0}, low: 5}}]}", 3, 47,
         "is a slide"},
        {ONE "[{slide: {}}]}],\n constraints: [{limit: {a: {segment: 0}, slide_low: 5, "
             "slide_high: 4}}]}",
         3, 68, "must be above 'slide_low'"},
        {ONE "[{slide: {}}]}],\n constraints: [{joint: {a: {segment: 0}, angle: 5}}]}", 3, 49,
         "follows 'slide'"},
        {ONE "[{fixed: {}}]}],\n constraints: [{joint: {a: {segment: 1}, angle: 3}}]}", 3, 28,
         "no joint"},
        {ONE "[{hinge: {}}]}],\n constraints: [{joint: {a: {segment: 1}}}]}", 3, 28,
         "the joint has nothing to follow"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}
