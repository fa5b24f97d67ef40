// SPDX-License-Identifier: MIT
// Worlds: all that acts on objects, probes and sums, callbacks. Pairs with src/world/loads.c and
// probes.c.

#include "math/angle.h"
#include "test_world_support.h"

#define STILL "gravity: [0, 0, 0], air_density: 0"
#define THIN                                                                                 \
    "strand: {points: [[0, 0, 0], [0, 0.4, 0]], segments: 8, material: green-wood, radius: " \
    "0.002}, relaxation_time: 0.02"

// stiffness of a cantilever at its tip: 3 E I/l^3
static td_real tip_stiffness(void) {
    td_material m = td_material_get(td_material_find("green-wood"));
    return 3 * m.young * 3.14159265358979 / 4 * pow(0.002, 4) / pow(0.4, 3);
}

// ---- pulls and pushes -----------------------------------------------------------------------

TD_TEST(push_bends_a_stem_as_the_formula_says) {
    OWNED(stage) s =
        stage_of("{" STILL ", objects: [{" THIN "}], loads: [{push: {force: [0.01, 0, 0]}}]}");
    run_to(s.world, 4);
    CHECK_REL(tip_of(s.world, 0, -1).x, 0.01 / tip_stiffness(), 0.01);
    CHECK_REL(td_world_largest_force(s.world), 0.01, 1e-12);
}

TD_TEST(push_acts_from_its_start_to_its_end) {
    OWNED(stage) s =
        stage_of("{" STILL ", objects: [{" THIN "}], loads: [{push: {force: [0.01, 0, 0],\n"
                 " start: 0.5, end: 1}}]}");
    run_to(s.world, 0.5);
    CHECK(tip_of(s.world, 0, -1).x == 0);
    CHECK(td_world_largest_force(s.world) == 0);
    run_to(s.world, 1);
    CHECK(tip_of(s.world, 0, -1).x > 0.5 * 0.01 / tip_stiffness());
    run_to(s.world, 6);
    CHECK(fabs(tip_of(s.world, 0, -1).x) < 1e-5);
}

TD_TEST(push_twists_a_segment_about_its_own_axis) {
    OWNED(stage) s = stage_of("{" STILL ", objects: [{" ROD ", relaxation_time: 0.02}],\n"
                              " loads: [{push: {twist: 0.5, segment: 3}}]}");
    const td_segment *seg = td_skeleton_segments(actor_at(s.world, 0).skeleton);
    td_real want = 0;
    for (int32_t k = 0; k < 4; k++) {
        want += 0.5 / seg[k].stiffness.y;
    }
    run_to(s.world, 2);
    td_quat turn[4];
    pose_at(s.world, 0, NULL, NULL, NULL, turn);
    CHECK_REL(2 * atan2(turn[3].y, turn[3].w), want, 1e-3);
}

TD_TEST(pull_holds_a_tip_and_lets_it_go) {
    OWNED(stage) s =
        stage_of("{" STILL ", objects: [{" THIN "}], loads: [{pull: {by: [0.05, 0, 0], end: 2,\n"
                 " stiffness: 1000}}]}");
    run_to(s.world, 2);
    CHECK_REL(tip_of(s.world, 0, -1).x, 0.05, 0.02); // it has not the length for all of it
    CHECK_IN(td_world_largest_force(s.world), 0.05 * tip_stiffness(), 50);
    run_to(s.world, 8);
    CHECK(fabs(tip_of(s.world, 0, -1).x) < 1e-4);
}

TD_TEST(pull_to_a_point_that_moves_follows_it) {
    OWNED(stage) s =
        stage_of("{objects: [{" THIN "}], loads: [{pull: {near: [0, 0.2, 0], stiffness: 1e4,\n"
                 " to: {keys: [[0, [0, 0.2, 0]], [1, [0.02, 0.2, 0.03]]]}, damping: 10}}],\n"
                 " record: {probes: [{near: [0, 0.2, 0]}]}}");
    td_real probe[3];
    run_to(s.world, 2);
    td_world_probes(s.world, probe);
    CHECK(apart(tdi_vec3(probe[0], probe[1], probe[2]), tdi_vec3(0.02, 0.2, 0.03)) < 5e-3);
    CHECK(apart(tip_of(s.world, 0, 3), tdi_vec3(probe[0], probe[1], probe[2])) == 0);
}

// ---- wind -----------------------------------------------------------------------------------

TD_TEST(wind_bends_what_stands_in_it_and_winds_add_up) {
    OWNED(stage) s = stage_of("{objects: [{" THIN "}], loads: [{wind: {velocity: [3, 0, 0]}},\n"
                              " {wind: {velocity: [2, 0, 1]}}]}");
    td_vec3 at[100], air[100];
    for (int k = 0; k < 100; k++) {
        at[k] = tdi_vec3(k, 1, 2);
    }
    td_world_wind(s.world, 100, at, air);
    CHECK(apart(air[0], tdi_vec3(5, 0, 1)) < 1e-12 && apart(air[99], air[0]) < 1e-12);
    run_to(s.world, 3);
    td_vec3 tip = tip_of(s.world, 0, -1);
    CHECK(tip.x > 1e-4);
    CHECK_REL(tip.z / tip.x, 0.2, 0.05);
}

TD_TEST(wind_of_no_density_does_nothing) {
    OWNED(stage) s =
        stage_of("{air_density: 0, objects: [{" THIN "}], loads: [{wind: {velocity: [9, 0, 0]}}]}");
    steps(s.world, 30);
    CHECK(fabs(tip_of(s.world, 0, -1).x) < 1e-9);
}

TD_TEST(wind_figures_can_be_set_while_it_blows) {
    OWNED(stage) s = stage_of("{objects: [{" THIN "}], loads: [{wind: {velocity: [5, 0, 0]}}]}");
    td_vec3 at[2] = {{0, 1, 0}, {7, 1, 3}}, air[2];
    steps(s.world, 5);
    td_world_wind(s.world, 2, at, air);
    CHECK(apart(air[0], air[1]) == 0);
    set(s.world, "loads[0].wind.intensity", 0.5);
    td_world_wind(s.world, 2, at, air);
    CHECK(apart(air[0], air[1]) > 0.1);
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_set(s.world, "loads[0].wind.roughness", 1e-9, &diag), TD_ERR_ARGUMENT);
    CHECK(get(s.world, "loads[0].wind.roughness") == 0);
}

// ---- poses ----------------------------------------------------------------------------------

TD_TEST(pose_bends_a_strand_evenly) {
    OWNED(stage) s = stage_of("{" STILL ", objects: [{" ROPE ", relaxation_time: 0.1}],\n"
                              " loads: [{pose: {bend: [0, 0, 70], strength: 1e5, damping: 500}}]}");
    run_to(s.world, 4);
    td_vec3 at = {0, 0, 0};
    for (int32_t k = 0; k < 4; k++) {
        td_real a = 70 * TDI_PI / 180 * (k + 1) / 4; // about z: -y turns to +x
        at = tdi_add(at, tdi_vec3(0.1 * sin(a), -0.1 * cos(a), 0));
        td_vec3 tip = tip_of(s.world, 0, k);
        // the strand points down by a half turn about x, which turns its own z over
        CHECK(fabs(fabs(tip.x) - at.x) < 2e-3 && fabs(tip.y - at.y) < 2e-3);
    }
}

TD_TEST(pose_rides_on_the_base) {
    static const char text[] =
        "{" STILL ", objects: [{" ROPE ", position: {interpolate: linear, keys: [[0, [0, 0, 0]],\n"
        " [10, [30, 0, 0]]]}}], loads: [{pose: {bend: [0, 0, 60], strength: 1000, damping: 20}}]}";
    OWNED(stage) s = stage_of(text);
    run_to(s.world, 3);
    td_vec3 base;
    pose_at(s.world, 0, &base, NULL, NULL, NULL);
    td_vec3 moving = tdi_sub(tip_of(s.world, 0, -1), base);
    OWNED(stage) still =
        stage_of("{" STILL ", objects: [{" ROPE "}],\n"
                 " loads: [{pose: {bend: [0, 0, 60], strength: 1000, damping: 20}}]}");
    run_to(still.world, 3);
    CHECK_REL(base.x, 9, 1e-9);
    CHECK(apart(moving, tip_of(still.world, 0, -1)) < 1e-4); // damping is relative to the base
}

TD_TEST(pose_of_no_strength_changes_not_a_bit) {
    OWNED(stage) s = stage_of("{objects: [{" THIN "}], loads: [{push: {force: [0.01, 0, 0]}},\n"
                              " {pose: {strength: 0, bend: [50, 0, 0]}}]}");
    OWNED(stage) without =
        stage_of("{objects: [{" THIN "}], loads: [{push: {force: [0.01, 0, 0]}}]}");
    steps(s.world, 30);
    steps(without.world, 30);
    CHECK(apart(tip_of(s.world, 0, -1), tip_of(without.world, 0, -1)) == 0);
    CHECK(tip_of(s.world, 0, -1).x > 0);
}

// ---- hands ----------------------------------------------------------------------------------

TD_TEST(grab_holds_a_point_until_it_is_released) {
    OWNED(stage) s = stage_of("{" STILL ", objects: [{" ROD "}, {" THIN "}]}");
    CHECK(td_world_grab(s.world, id_at(s.world, 1), 7, tdi_vec3(0, 0.025, 0),
                        tdi_vec3(0.05, 0.38, 0), 1000, NULL) == TD_OK);
    run_to(s.world, 2);
    CHECK(tip_of(s.world, 1, -1).x > 0.045);
    CHECK(tip_of(s.world, 0, -1).x == 0);
    CHECK(td_world_grab_to(s.world, tdi_vec3(-0.05, 0.38, 0), NULL) == TD_OK);
    run_to(s.world, 4);
    CHECK(tip_of(s.world, 1, -1).x < -0.045);
    td_world_release(s.world);
    run_to(s.world, 9);
    CHECK(fabs(tip_of(s.world, 1, -1).x) < 1e-4);
}

TD_TEST(grab_or_torque_of_what_is_not_there_is_refused_and_changes_nothing) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}]}");
    const td_vec3 o = tdi_vec3(0, 0, 0), to = tdi_vec3(1, 0, 0);
    char *before = saved(s.world);
    CHECK_INT(td_world_grab_to(s.world, to, NULL), TD_ERR_ARGUMENT); // nothing is held
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 5), 0, o, to, 10, NULL), TD_ERR_STALE);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, -1), 0, o, to, 10, NULL), TD_ERR_STALE);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 0), 99, o, to, 10, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 0), 0, tdi_vec3(0, NAN, 0), to, 10, NULL),
              TD_ERR_ARGUMENT);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 0), 0, o, tdi_vec3(INFINITY, 0, 0), 10, NULL),
              TD_ERR_ARGUMENT);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 0), 0, o, to, -1, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_torque(s.world, id_at(s.world, 0), 99, 1, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_torque(s.world, id_at(s.world, -1), -1, 1, NULL), TD_ERR_STALE);
    CHECK_INT(td_world_set_torque(s.world, id_at(s.world, 0), 0, NAN, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_hold(s.world, td_world_constraint_id(s.world, 0), false, NULL),
              TD_ERR_STALE);
    char *after = saved(s.world);
    CHECK(memcmp(before, after, td_world_save_size(s.world)) == 0);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 0), 0, o, to, 10, NULL), TD_OK);
    CHECK_INT(td_world_grab_to(s.world, tdi_vec3(0, 0, NAN), NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_grab_to(s.world, o, NULL), TD_OK);
    free(before);
    free(after);
    CHECK_INT(td_world_remove_actor(s.world, id_at(s.world, 0), NULL), TD_OK);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 0), 0, o, to, 10, NULL), TD_ERR_STALE);
    CHECK_INT(td_world_set_torque(s.world, id_at(s.world, 0), 0, 1, NULL), TD_ERR_STALE);
}

// ---- forces and callbacks from outside ------------------------------------------------------

typedef struct seen {
    int32_t calls, count;
    td_actor_id actor;
    td_real time;
    td_vec3 tip, velocity;
} seen;

static void watch(void *context, td_real time, td_actor_id actor, int32_t count,
                  const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces) {
    seen *s = context;
    s->calls++;
    s->actor = actor;
    s->count = count;
    s->time = time;
    s->tip = tips[count - 1];
    s->velocity = velocities[count - 1];
    forces[count - 1].z += 0.01;
}

TD_TEST(field_acts_at_the_tips_and_knows_places_and_velocities) {
    OWNED(stage) s = stage_of("{" STILL ", objects: [{" THIN ", position: {interpolate: linear,\n"
                              " keys: [[0, [0, 0, 0]], [10, [20, 0, 0]]]}, time_scale: 0}]}");
    seen got = {0};
    CHECK_INT(td_world_set_field(s.world, watch, &got, NULL), TD_OK);
    run_to(s.world, 4);
    td_vec3 before = tip_of(s.world, 0, -1);
    steps(s.world, 1);
    CHECK_INT(got.count, 8);
    CHECK_INT(td_world_actor_index(s.world, got.actor), 0);
    CHECK_INT(got.calls, td_world_stats(s.world).steps);
    CHECK_REL(got.time, 4, 1e-9);
    CHECK(apart(got.tip, before) < 1e-12);
    CHECK(apart(got.velocity, tdi_vec3(2, 0, 0)) < 1e-3); // true ones, though nothing is felt
    CHECK_REL(tip_of(s.world, 0, -1).z, 0.01 / tip_stiffness(), 0.01);
    CHECK_INT(td_world_set_field(s.world, NULL, NULL, NULL), TD_OK);
    steps(s.world, 1);
    CHECK_INT(got.calls, td_world_stats(s.world).steps - 1);
}

static void count_steps(void *context, td_world *world) {
    td_real *sum = context;
    *sum += td_world_time(world);
    CHECK(td_world_set(world, "gravity.x", *sum, NULL) == TD_OK);
}

TD_TEST(callback_comes_after_every_step_and_may_set_numbers) {
    OWNED(stage) s = stage_of("{step: 0.1, record: {fps: 10}, objects: [{" ROD "}]}");
    td_real sum = 0;
    td_world_set_callback(s.world, count_steps, &sum);
    steps(s.world, 3);
    CHECK_REL(sum, 0.6, 1e-12);
    CHECK_REL(get(s.world, "gravity.x"), 0.6, 1e-12);
    td_world_set_callback(s.world, NULL, NULL);
    steps(s.world, 1);
    CHECK_REL(sum, 0.6, 1e-12);
}

// ---- recording ------------------------------------------------------------------------------

TD_TEST(probes_record_every_quantity) {
    OWNED(stage) s = stage_of(
        "{" STILL ", objects: [{name: rod, " THIN "}], loads: [{push: {force: [0.01, 0, 0]}}],\n"
        " record: {probes: [{segment: 7}, {segment: 7, quantity: orientation},\n"
        " {segment: 7, quantity: velocity}, {segment: 0, quantity: curvature},\n"
        " {name: root, segment: 0, quantity: moment}]}}");
    static const char *const names[] = {"rod.position.x [m]", "rod.orientation.w [1]",
                                        "rod.velocity.x [m/s]", "rod.curvature.x [1/m]",
                                        "root.x [N m]"};
    static const int columns[] = {0, 3, 7, 10, 13};
    td_real v[16], before[16];
    CHECK_INT(td_world_probe_columns(s.world), 16);
    for (int k = 0; k < 5; k++) {
        CHECK_TEXT(td_world_probe_name(s.world, columns[k]), names[k]);
    }
    steps(s.world, 20);
    td_world_probes(s.world, before);
    steps(s.world, 1);
    td_world_probes(s.world, v);
    CHECK_REL(v[7], (v[0] - before[0]) * 60, 0.2); // the rate of the position
    run_to(s.world, 4);
    td_world_probes(s.world, v);
    CHECK(apart(tdi_vec3(v[0], v[1], v[2]), tip_of(s.world, 0, 7)) == 0);
    CHECK_REL(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6], 1, 1e-12);
    CHECK_REL(-v[15], 0.01 * 0.4, 0.01); // F l at the root, about z
    td_material m = td_material_get(td_material_find("green-wood"));
    td_real bending = m.young * 3.14159265358979 / 4 * pow(0.002, 4);
    CHECK_REL(-v[12], 0.01 * 0.4 / bending, 0.01); // M/(E I)
}

TD_TEST(sums_are_those_of_all_actors_of_an_object) {
    OWNED(stage) s =
        stage_of("{objects: [{" ROD ", instances: {count: 3, layout: list, turned: false,\n"
                 " places: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}}, {" ROD "}]}");
    td_sums one = td_world_object_sums(s.world, 1), three = td_world_object_sums(s.world, 0);
    CHECK_REL(three.energy.weight, 3 * one.energy.weight, 1e-9);
    CHECK(one.energy.weight > 0 && one.energy.kinetic == 0);
    CHECK(td_world_grab(s.world, id_at(s.world, 3), 3, tdi_vec3(0, 0.1, 0), tdi_vec3(1, 0.4, 0),
                        100, NULL) == TD_OK);
    steps(s.world, 1);
    one = td_world_object_sums(s.world, 1);
    CHECK(one.energy.kinetic > 0 && one.linear.x > 0 && one.angular.z < 0);
}

TD_TEST(energy_of_a_swing_without_damping_stays) {
    OWNED(stage) s =
        stage_of("{air_density: 0, step: 0.0005, record: {fps: 2000}, objects: [{start: drawn,\n"
                 " strand: {points: [[0, 0, 0], [0.4, 0, 0]], segments: 4, radius: 0.003},\n"
                 " materials: [{damping_time: 0}], stiffness: 2}]}");
    td_energy before = td_world_object_sums(s.world, 0).energy, after;
    td_real most = 0;
    for (int32_t k = 0; k < 1000; k++) {
        steps(s.world, 1);
        after = td_world_object_sums(s.world, 0).energy;
        most = fmax(most, after.kinetic);
    }
    td_real change = after.kinetic + after.elastic + after.weight - before.kinetic -
                     before.elastic - before.weight;
    CHECK(most > 1e-3);
    CHECK(fabs(change) < 0.01 * most);
}
