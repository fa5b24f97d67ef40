// SPDX-License-Identifier: MIT
// Worlds: objects and instances, starts, bases that move, parameters. Pairs with
// src/world/objects.c, motion.c and world.c.

#include "tendril/clip.h"
#include "test_world_support.h"

#include "world/world.h"

#define STILL "gravity: [0, 0, 0], air_density: 0"

// ---- objects --------------------------------------------------------------------------------

TD_TEST(strand_follows_its_curve_in_equal_pieces) {
    OWNED(stage) s =
        stage_of("{objects: [{position: [1, 0, 0], start: drawn, strand: {material: hair,\n"
                 " points: [[0, 0, 0], [0, 1, 0], [1, 1, 0]], segments: 60, radius: 0.02,\n"
                 " tip_radius: 0.01}}]}");
    td_actor a = actor_at(s.world, 0);
    const td_segment *seg = td_skeleton_segments(a.skeleton);
    CHECK_INT(a.segment_count, 60);
    for (int32_t k = 1; k < 60; k++) {
        CHECK_REL(seg[k].length, seg[0].length, 0.01);
        CHECK_REL(seg[k].radius_base, seg[k - 1].radius_tip, 1e-12);
    }
    CHECK_REL(seg[0].radius_base, 0.02, 1e-12);
    CHECK_REL(seg[59].radius_tip, 0.01, 1e-12);
    CHECK(apart(tip_of(s.world, 0, -1), tdi_vec3(2, 1, 0)) < 1e-12);
    td_real nearest = 1;
    for (int32_t k = 0; k < 60; k++) {
        nearest = fmin(nearest, apart(tip_of(s.world, 0, k), tdi_vec3(1, 1, 0)));
    }
    CHECK(nearest < 0.02); // it goes through its points
    CHECK_TEXT(td_skeleton_materials(a.skeleton)[seg[0].material].name, "hair");
}

TD_TEST(strand_with_a_tip_mass_weighs_that_much_more) {
    OWNED(stage) s =
        stage_of("{objects: [{" ROPE "}, {strand: {points: [[0, 0, 0], [0, -0.4, 0]],\n"
                 " segments: 4, radius: 0.01, tip_mass: 2}}]}");
    const td_skeleton *with = actor_at(s.world, 1).skeleton;
    CHECK_INT(td_skeleton_attached_mass_count(actor_at(s.world, 0).skeleton), 0);
    CHECK_INT(td_skeleton_attached_mass_count(with), 1);
    const td_attached_mass *b = td_skeleton_attached_masses(with);
    CHECK_INT(b->segment, 3);
    CHECK_REL(b->mass, 2, 0);
    CHECK_REL(b->centre_of_mass.y, 0.1, 1e-12);
    CHECK_REL(b->second_moment.yy, 2 * (0.1 * 0.1 + 0.03 * 0.03 / 5), 1e-12); // a ball
    // both hang straight down
    td_real more = sums_at(s.world, 1).energy.weight - sums_at(s.world, 0).energy.weight;
    CHECK_REL(more, -2 * 9.81 * 0.4, 1e-9);
}

TD_TEST(world_has_its_own_copy_of_a_skeleton) {
    static const char text[] = "axiom: !(0.01)F(0.2)F(0.2)\n";
    td_skeleton *skeleton = NULL;
    td_object_def object = td_object_def_default();
    td_scene_def scene = td_scene_def_default();
    td_world_opts opts = td_world_opts_default();
    OWNED(td_world) *world = NULL;
    CHECK_INT(td_skeleton_from_text(text, strlen(text), NULL, &skeleton, NULL), TD_OK);
    object.skeleton = skeleton;
    object.size = 2;
    scene.objects = &object;
    scene.object_count = 1;
    CHECK_INT(td_world_new(&scene, &opts, NULL, &world, NULL), TD_OK);
    td_skeleton_free(skeleton);
    steps(world, 3);
    CHECK_REL(tip_of(world, 0, -1).y, 0.8, 1e-6);
}

TD_TEST(instances_spread_over_their_area) {
    OWNED(stage) s = stage_of("{objects: [{" ROD ", position: [10, 1, 0],\n"
                              " instances: {count: 200, area: [4, 0, 2]}}]}");
    td_real low = 100, high = -100, sum = 0;
    CHECK_INT(td_world_actor_count(s.world), 200);
    for (int32_t k = 0; k < 200; k++) {
        td_vec3 base;
        td_quat turn;
        pose_at(s.world, k, &base, &turn, NULL, NULL);
        CHECK_IN(base.x, 8, 12);
        CHECK_IN(base.z, -1, 1);
        CHECK(base.y == 1 && turn.x == 0 && turn.z == 0);
        low = fmin(low, base.x);
        high = fmax(high, base.x);
        sum += base.x;
    }
    CHECK(low < 8.2 && high > 11.8);
    CHECK_REL(sum / 200, 10, 0.03);
    CHECK_TEXT(actor_at(s.world, 7).name, "object-0-7");
}

TD_TEST(instances_of_a_grid_stand_in_rows) {
    OWNED(stage) s =
        stage_of("{objects: [{" ROD ",\n"
                 " instances: {count: 12, layout: grid, area: [4, 0, 3], jitter: 0}}]}");
    for (int32_t k = 0; k < 12; k++) {
        td_vec3 base;
        pose_at(s.world, k, &base, NULL, NULL, NULL);
        CHECK(apart(base, tdi_vec3(k % 4 - 1.5, 0, k / 4 - 1.0)) < 1e-12);
    }
}

TD_TEST(instances_of_a_list_stand_at_their_places_and_turn_if_they_may) {
    OWNED(stage) s =
        stage_of("{objects: [{" ROD ", instances: {layout: list, turned: false,\n"
                 " places: [[1, 2, 3], [4, 5, 6]]}}, {" ROD ", instances: {layout: list,\n"
                 " places: [[1, 2, 3], [4, 5, 6]]}}]}");
    CHECK_INT(td_world_actor_count(s.world), 4);
    for (int32_t k = 0; k < 4; k++) {
        td_vec3 base;
        td_quat turn;
        pose_at(s.world, k, &base, &turn, NULL, NULL);
        CHECK(apart(base, tdi_vec3(1 + 3 * (k % 2), 2 + 3 * (k % 2), 3 + 3 * (k % 2))) == 0);
        CHECK((fabs(turn.w) == 1) == (k < 2));
    }
}

TD_TEST(instances_share_their_variants_which_differ_in_size) {
    OWNED(stage) s =
        stage_of("{objects: [{" ROD ", instances: {count: 7, variants: 3, smallest: 0.5,\n"
                 " largest: 1.5}, size: 2, start: drawn}]}");
    for (int32_t k = 0; k < 7; k++) {
        td_actor a = actor_at(s.world, k);
        CHECK_INT(a.variant, k % 3);
        CHECK(a.skeleton == actor_at(s.world, k % 3).skeleton);
        CHECK_REL(tip_of(s.world, k, -1).y, 0.4 * 2 * (0.5 + 0.5 * (k % 3)), 1e-12);
    }
}

TD_TEST(materials_of_an_object_change_its_springs) {
    OWNED(stage) s =
        stage_of("{objects: [{" ROD "}, {" ROD ", materials: [{young: 1e8, density: 100}]}]}");
    const td_segment *a = td_skeleton_segments(actor_at(s.world, 0).skeleton);
    const td_segment *b = td_skeleton_segments(actor_at(s.world, 1).skeleton);
    td_material m = td_material_get(td_material_find("green-wood"));
    CHECK_REL(b[2].stiffness.x / a[2].stiffness.x, 1e8 / m.young, 1e-12);
    CHECK_REL(b[2].mass / a[2].mass, 100 / m.density, 1e-12);
}

// ---- starts ---------------------------------------------------------------------------------

#define LEVEL                                                                                \
    "strand: {points: [[0, 0, 0], [0.4, 0, 0]], segments: 4, material: green-wood, radius: " \
    "0.002}"

TD_TEST(object_starts_settled_or_as_drawn) {
    OWNED(stage) s = stage_of("{objects: [{" LEVEL "}, {" LEVEL ", start: drawn},\n"
                              " {" LEVEL ", rest_under_gravity: true}]}");
    td_vec3 settled = tip_of(s.world, 0, -1);
    CHECK(settled.y < -1e-4);
    CHECK(apart(tip_of(s.world, 1, -1), tdi_vec3(0.4, 0, 0)) < 1e-12);
    CHECK(apart(tip_of(s.world, 2, -1), tdi_vec3(0.4, 0, 0)) < 1e-12);
    steps(s.world, 30);
    CHECK(apart(tip_of(s.world, 0, -1), settled) < 1e-8);
    CHECK(tip_of(s.world, 1, -1).y < -1e-5);
    CHECK(apart(tip_of(s.world, 2, -1), tdi_vec3(0.4, 0, 0)) < 1e-9);
}

TD_TEST(object_at_rest_under_gravity_stays_whatever_its_stiffness_and_tilt) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed("{objects: [{solver: %s, " LEVEL
                                       ", rest_under_gravity: true, stiffness: 3},\n"
                                       " {solver: %s, " LEVEL ", rest_under_gravity: true,\n"
                                       "  rotation: {axis: [0, 0, 1], degrees: 40}}]}",
                                       solvers[k], solvers[k]);
        td_vec3 before[2] = {tip_of(s.world, 0, -1), tip_of(s.world, 1, -1)};
        CHECK(apart(before[0], tdi_vec3(0.4, 0, 0)) < 1e-12);
        CHECK(apart(before[1], tdi_vec3(0.4 * cos(2 * 0.3490658503988659),
                                        0.4 * sin(2 * 0.3490658503988659), 0)) < 1e-12);
        steps(s.world, 60);
        CHECK(apart(tip_of(s.world, 0, -1), before[0]) < 1e-9);
        CHECK(apart(tip_of(s.world, 1, -1), before[1]) < 1e-9);
    }
}

TD_TEST(turned_instances_on_a_leaning_base_settle_each_for_itself) {
    OWNED(stage) s =
        stage_of("{objects: [{" LEVEL ", rest_under_gravity: true,\n"
                 " rotation: {axis: [0, 0, 1], degrees: 40}, instances: {count: 3}}]}");
    td_vec3 before[3];
    for (int32_t k = 0; k < 3; k++) {
        before[k] = tip_of(s.world, k, -1);
    }
    steps(s.world, 60);
    for (int32_t k = 0; k < 3; k++) {
        CHECK(apart(tip_of(s.world, k, -1), before[k]) < 1e-8);
    }
}

static td_real damping_ratio(td_world *world, int32_t actor, td_vec3 gravity) {
    td_mode mode = {0, 0, 0};
    CHECK_INT(td_body_modes(td_world_body(world, id_at(world, actor)), gravity, 1, &mode, NULL),
              TD_OK);
    return mode.damping_ratio;
}

TD_TEST(damping_ratio_is_that_of_the_lowest_mode) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed("{objects: [{solver: %s, " ROD ", damping_ratio: 0.07},\n"
                                       " {solver: %s, " ROD ", relaxation_time: 0.02},\n"
                                       " {solver: %s, " ROD "}]}",
                                       solvers[k], solvers[k], solvers[k]);
        CHECK_REL(damping_ratio(s.world, 0, tdi_vec3(0, -9.81, 0)), 0.07, 1e-6);
        td_actor a = actor_at(s.world, 2);
        td_material m =
            td_skeleton_materials(a.skeleton)[td_skeleton_segments(a.skeleton)[0].material];
        CHECK_REL(damping_ratio(s.world, 1, tdi_vec3(0, -9.81, 0)) /
                      damping_ratio(s.world, 2, tdi_vec3(0, -9.81, 0)),
                  0.02 / m.damping_time, 1e-6);
    }
}

// Decay of a swing over one period: exp(-2 pi z/sqrt(1 - z^2)).
static td_real decay(const char *text) {
    OWNED(stage) s = stage_of(text);
    td_real most = 0, least = 0;
    run_to(s.world, 1);
    for (int32_t k = 0; k < 4000; k++) { // released: first to the other side, then back
        steps(s.world, 1);
        td_real x = tip_of(s.world, 0, -1).x;
        if (x < least) {
            least = x;
            most = 0;
        }
        most = fmax(most, x);
    }
    return most / -least;
}

TD_TEST(damping_ratio_holds_also_with_a_factor_of_stiffness) {
    static const char text[] =
        "{" STILL
        ", step: 0.0005, record: {fps: 2000}, objects: [{damping_ratio: 0.1, stiffness: 9,\n"
        " strand: {points: [[0, 0, 0], [0, 0.4, 0]], segments: 4, radius: 0.002,\n"
        "  material: green-wood}}], loads: [{pull: {by: [0.01, 0, 0], end: 1, stiffness: 1,\n"
        "  damping: 1}}]}";
    CHECK_REL(decay(text), exp(-3.14159265358979 * 0.1 / sqrt(1 - 0.01)), 0.03);
}

// ---- bases that move ------------------------------------------------------------------------

#define SHIFT "{keys: [[0, [0, 0, 0]], [0.5, [0.5, 0, 0]], [1, [0, 0, 0.2]]]}"
#define TURN  "{keys: [[0, {axis: [0, 1, 0], degrees: 0}], [1, {axis: [0, 1, 0], degrees: 120}]]}"

TD_TEST(base_goes_through_its_keys) {
    OWNED(stage) s = stage_of("{objects: [{" ROD ", position: " SHIFT ", rotation: " TURN "}]}");
    td_vec3 base;
    td_quat turn;
    run_to(s.world, 0.5);
    pose_at(s.world, 0, &base, &turn, NULL, NULL);
    CHECK(apart(base, tdi_vec3(0.5, 0, 0)) < 1e-12);
    CHECK_REL(turn.y, sin(60 * 3.14159265358979 / 360), 1e-9);
    run_to(s.world, 1.5);
    pose_at(s.world, 0, &base, &turn, NULL, NULL);
    CHECK(apart(base, tdi_vec3(0, 0, 0.2)) < 1e-12);
    CHECK_REL(turn.y, sin(120 * 3.14159265358979 / 360), 1e-12);
}

TD_TEST(base_that_is_carried_on_makes_the_tip_lag) {
    OWNED(stage) s =
        stage_of("{" STILL ", objects: [{" LEVEL ", position: {keys: [[0, [0, 0, 0]],\n"
                 " [1, [0, 1, 0]]]}}]}");
    td_vec3 base, origins[4];
    for (int32_t k = 0; k < 20; k++) { // while it gets faster
        steps(s.world, 1);
        pose_at(s.world, 0, &base, NULL, origins, NULL);
        CHECK(apart(base, origins[0]) < 1e-12); // the root stays on it
    }
    CHECK(tip_of(s.world, 0, -1).y < base.y - 1e-3);
}

// Instances of a turning object are carried round.
TD_TEST(instances_ride_on_the_base_of_their_object) {
    OWNED(stage) s = stage_of("{objects: [{" ROD ", rotation: " TURN ", instances: {layout: list,\n"
                              " turned: false, places: [[1, 0, 0]]}}]}");
    td_vec3 base;
    run_to(s.world, 1);
    pose_at(s.world, 0, &base, NULL, NULL, NULL);
    CHECK(apart(base, tdi_vec3(-0.5, 0, -sqrt(0.75))) < 1e-9);
}

#define SOFT                                                                       \
    "strand: {points: [[0.1, 0, 0], [0.1, -0.4, 0]], segments: 2, radius: 0.03}, " \
    "materials: [{young: 2e4, shear: 2e4, damping_time: 0.05, density: 500}], start: drawn"

static td_vec3 tip_after(const char *rule, const char *felt, td_real step) {
    OWNED(stage) s =
        stage_printed("{air_density: 0, step: %g, record: {fps: %g}, objects: [{" SOFT
                      ", position: " SHIFT ", rotation: " TURN ", integrator: %s, %s}]}",
                      step, 1 / step, rule, felt);
    run_to(s.world, 0.6);
    td_vec3 tip = tip_of(s.world, 0, -1);
    return tip;
}

// The limit for small steps of a rule of first order.
static td_vec3 limit_of(const char *rule, const char *felt) {
    td_vec3 coarse = tip_after(rule, felt, 0.0005), fine = tip_after(rule, felt, 0.00025);
    return tdi_sub(tdi_scale(fine, 2), coarse);
}

TD_TEST(base_motion_is_felt_alike_by_all_integrators) {
    static const char *const felt[] = {"time_scale: 1", "time_scale: 0.5",
                                       "local: {amount: 0.7, position: " SHIFT "}"};
    const td_vec3 hung = {0.5, -0.4, 0};
    for (int f = 0; f < 3; f++) {
        td_vec3 tip = tip_after("implicit", felt[f], 0.00025);
        CHECK(apart(tip, hung) > 0.02); // it does move
        CHECK(apart(limit_of("implicit-euler", felt[f]), tip) < 3e-4);
        CHECK(apart(limit_of("euler", felt[f]), tip) < 1e-4);
        CHECK(apart(limit_of("rk4", felt[f]), tip) < 1e-4);
    }
    CHECK(apart(tip_after("rk4", felt[0], 0.001), tip_after("implicit", felt[0], 0.00025)) < 1e-4);
}

TD_TEST(base_put_elsewhere_by_hand_moves_as_by_keys) {
    OWNED(stage) keyed = stage_of("{objects: [{" SOFT ", position: {interpolate: linear,\n"
                                  " keys: [[0, [0, 0, 0]], [0.5, [0.5, 0, 0]]]}}]}");
    OWNED(stage) hand = stage_of("{objects: [{" SOFT "}]}");
    for (int32_t k = 1; k <= 60; k++) {
        set(hand.world, "objects[0].position.x", fmin(k / 60.0, 0.5));
        steps(hand.world, 1);
        steps(keyed.world, 1);
    }
    CHECK(apart(tip_of(keyed.world, 0, -1), tip_of(hand.world, 0, -1)) < 1e-9);
    steps(hand.world, 3000);
    td_vec3 base;
    pose_at(hand.world, 0, &base, NULL, NULL, NULL);
    CHECK(apart(base, tdi_vec3(0.5, 0, 0)) == 0);
    CHECK(apart(tip_of(hand.world, 0, -1), tdi_vec3(0.6, -0.4, 0)) < 1e-2); // it comes to rest
}

TD_TEST(base_set_by_hand_leaves_its_keys) {
    OWNED(stage) s = stage_of("{objects: [{" ROD ", position: " SHIFT "}]}");
    td_vec3 base;
    run_to(s.world, 0.25);
    set(s.world, "objects[0].position.y", 1);
    td_real x = get(s.world, "objects[0].position.x");
    td_real z = get(s.world, "objects[0].position.z");
    run_to(s.world, 1);
    pose_at(s.world, 0, &base, NULL, NULL, NULL);
    CHECK(apart(base, tdi_vec3(x, 1, z)) == 0);
}

// ---- felt otherwise -------------------------------------------------------------------------

// A strand that swings from the start; relative to the base it is as if that stood.
static void check_unfelt(const char *felt) {
    OWNED(stage) s =
        stage_printed("{air_density: 0, gravity: [0, 0, 0], objects: [{name: a, " SOFT
                      "}, {name: b, " SOFT ", position: " SHIFT ", rotation: " TURN ", %s}]}",
                      felt);
    for (int32_t k = 0; k < 2; k++) { // give both the same swing
        td_tree_velocities(td_world_body(s.world, id_at(s.world, k)))[0] = 2;
        td_tree_state_changed(td_world_body(s.world, id_at(s.world, k)));
    }
    td_real worst = 0, moved = 0;
    for (int32_t k = 0; k < 60; k++) {
        td_vec3 base;
        td_quat turn;
        steps(s.world, 1);
        pose_at(s.world, 1, &base, &turn, NULL, NULL);
        td_vec3 own = tdi_sub(tip_of(s.world, 1, -1), base);
        own = tdi_quat_rotate(tdi_quat_conj(turn), own);
        worst = fmax(worst, apart(own, tip_of(s.world, 0, -1)));
        moved = fmax(moved, apart(tip_of(s.world, 0, -1), tdi_vec3(0.1, -0.4, 0)));
    }
    CHECK(moved > 0.02);
    CHECK(worst < 1e-12);
}

TD_TEST(time_scale_0_feels_nothing_of_the_base) {
    check_unfelt("time_scale: 0");
}

TD_TEST(local_dynamics_1_feels_nothing_of_a_frame_it_rides_on) {
    check_unfelt("local: {amount: 1, position: " SHIFT ", rotation: " TURN "}");
}

TD_TEST(local_dynamics_0_and_time_scale_1_feel_everything) {
    OWNED(stage) s = stage_of("{objects: [{" SOFT ", position: " SHIFT ", rotation: " TURN "},\n"
                              " {" SOFT ", position: " SHIFT ", rotation: " TURN ",\n"
                              "  local: {amount: 0, position: " SHIFT "}}]}");
    steps(s.world, 60);
    CHECK(apart(tip_of(s.world, 0, -1), tip_of(s.world, 1, -1)) == 0);
}

TD_TEST(time_scale_can_change_while_the_world_moves) {
    OWNED(stage) s =
        stage_of("{objects: [{" SOFT ", position: " SHIFT "}, {" SOFT ", position: " SHIFT "}]}");
    steps(s.world, 6);
    set(s.world, "objects[1].time_scale", 0.2);
    steps(s.world, 15);
    CHECK(apart(tip_of(s.world, 0, -1), tip_of(s.world, 1, -1)) > 1e-3);
    td_vec3 base[2];
    pose_at(s.world, 0, &base[0], NULL, NULL, NULL);
    pose_at(s.world, 1, &base[1], NULL, NULL, NULL);
    CHECK(apart(base[0], base[1]) == 0); // it stands where it should all the same
}

// Gravity, wind and places are true ones also for what is simulated elsewhere.
TD_TEST(loads_are_in_the_true_frame) {
    OWNED(stage) s =
        stage_of("{objects: [{" SOFT ", rotation: {keys: [[0, {axis: [0, 0, 1], degrees: 0}],\n"
                 " [0.5, {axis: [0, 0, 1], degrees: 90}]]}, time_scale: 0}],\n"
                 " loads: [{pull: {segment: 1, to: [0.3, 0.2, 0], stiffness: 2000, damping: 5,\n"
                 " start: 2}}]}");
    run_to(s.world, 2);
    // hangs from (0, 0.1, 0): its springs would have it along +x, the weight pulls it down
    CHECK(tip_of(s.world, 0, -1).y < -0.02);
    run_to(s.world, 4);
    CHECK(apart(tip_of(s.world, 0, -1), tdi_vec3(0.3, 0.2, 0)) < 0.02);
}

// ---- parameters -----------------------------------------------------------------------------

TD_TEST(keyframes_move_every_number_that_may_have_them) {
    static const struct {
        const char *place, *path;
        td_real first, last;
    } keyed[] = {
        {"stiffness", "objects[0].stiffness", 1, 2},
        {"damping", "objects[0].damping", 1, 3},
        {"drag", "objects[0].drag", 0, 2},
        {"time_scale", "objects[0].time_scale", 1, 0.5},
    };
    static const struct {
        const char *load, *path;
    } loads[] = {
        {"wind: {velocity: {keys: [[0, [1, 0, 0]], [1, [3, 0, 0]]]}}", "loads[0].wind.velocity.x"},
        {"pull: {to: {keys: [[0, [1, 0, 0]], [1, [3, 0, 0]]]}}", "loads[0].pull.to.x"},
        {"pull: {by: {keys: [[0, [1, 0, 0]], [1, [3, 0, 0]]]}}", "loads[0].pull.by.x"},
        {"pull: {stiffness: {keys: [[0, 1], [1, 3]]}}", "loads[0].pull.stiffness"},
        {"pull: {damping: {keys: [[0, 1], [1, 3]]}}", "loads[0].pull.damping"},
        {"push: {force: {keys: [[0, [1, 0, 0]], [1, [3, 0, 0]]]}}", "loads[0].push.force.x"},
        {"push: {twist: {keys: [[0, 1], [1, 3]]}}", "loads[0].push.twist"},
        {"pose: {strength: {keys: [[0, 1], [1, 3]]}}", "loads[0].pose.strength"},
        {"pose: {damping: {keys: [[0, 1], [1, 3]]}}", "loads[0].pose.damping"},
    };
    char text[512];
    for (size_t k = 0; k < sizeof keyed / sizeof keyed[0]; k++) {
        snprintf(text, sizeof text, "{objects: [{" ROD ", %s: {keys: [[0, %g], [0.5, %g]]}}]}",
                 keyed[k].place, keyed[k].first, keyed[k].last);
        OWNED(stage) s = stage_of(text);
        CHECK_REL(get(s.world, keyed[k].path), keyed[k].first, 1e-12);
        steps(s.world, 15);
        CHECK_REL(get(s.world, keyed[k].path), (keyed[k].first + keyed[k].last) / 2, 1e-9);
        steps(s.world, 20);
        CHECK_REL(get(s.world, keyed[k].path), keyed[k].last, 1e-12);
    }
    for (size_t k = 0; k < sizeof loads / sizeof loads[0]; k++) {
        snprintf(text, sizeof text, "{objects: [{" ROD "}], loads: [{%s}]}", loads[k].load);
        OWNED(stage) s = stage_of(text);
        steps(s.world, 30);
        CHECK_REL(get(s.world, loads[k].path), 2, 1e-9);
    }
    OWNED(stage) s =
        stage_of("{gravity: {keys: [[0, [0, 0, 0]], [1, [2, 0, 0]]]}, air_density: {keys:\n"
                 " [[0, 0], [1, 2]]}, drag: {keys: [[0, 0], [1, 2]]}, air_linear: {keys:\n"
                 " [[0, 0], [1, 2]]}, objects: [{" ROD ", local: {amount: {keys: [[0, 0],\n"
                 " [1, 1]]}}}]}");
    steps(s.world, 30);
    CHECK_REL(get(s.world, "gravity.x"), 1, 1e-9);
    CHECK_REL(get(s.world, "air_density"), 1, 1e-9);
    CHECK_REL(get(s.world, "drag"), 1, 1e-9);
    CHECK_REL(get(s.world, "air_linear"), 1, 1e-9);
    CHECK_REL(get(s.world, "objects[0].local.amount"), 0.5, 1e-9);
}

TD_TEST(parameters_that_are_set_end_their_keyframes) {
    OWNED(stage) s =
        stage_of("{gravity: {keys: [[0, [0, -9, 0]], [1, [0, -1, 0]]]}, objects: [{" LEVEL "}]}");
    steps(s.world, 10);
    set(s.world, "gravity.y", -20);
    steps(s.world, 50);
    CHECK(get(s.world, "gravity.y") == -20);
}

TD_TEST(parameters_that_cannot_change_are_refused) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}]}");
    static const char *const paths[] = {
        "objects[0].size",     "objects[1].stiffness",    "gravity", "gravity.w", "nothing",
        "objects[0].rotation", "loads[0].wind.velocity.x"};
    td_diag diag;
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
        diag.message[0] = 0;
        CHECK_INT(td_world_set(s.world, paths[k], 2, &diag), TD_ERR_ARGUMENT);
        CHECK(diag.message[0] != 0);
    }
    CHECK_INT(td_world_set(s.world, "objects[0].stiffness", -1, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set(s.world, "objects[0].stiffness", NAN, &diag), TD_ERR_ARGUMENT);
    CHECK(get(s.world, "objects[0].stiffness") == 1);
    CHECK_INT(td_world_set_integrator(s.world, 1, TD_EULER, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_integrator(s.world, 0, (td_integrator)9, NULL), TD_ERR_ARGUMENT);
}

TD_TEST(stiffness_that_fades_lets_a_plant_wilt) {
    OWNED(stage) s = stage_of("{objects: [{" LEVEL ", stiffness: {keys: [[0, 1], [1, 0.2]]}}]}");
    td_real before = tip_of(s.world, 0, -1).y;
    run_to(s.world, 3);
    CHECK(tip_of(s.world, 0, -1).y < 3 * before);
}

TD_TEST(step_is_as_long_as_the_scene_says_and_without_one_divides_a_frame) {
    static const struct {
        const char *step, *fps;
        td_real dt;
        int32_t a_frame;
    } cases[] = {
        {"0", "30", 1.0 / 60, 2},
        {"0", "24", 1.0 / 72, 3},
        {"0", "1000", 1e-3, 1},
        {"1/60", "60", 1.0 / 60, 1},
        {"0.0167", "60", 1.0 / 60, 1},
        {"0.01666", "60", 1.0 / 60, 1},
        {"0.00833", "60", 1.0 / 120, 2},
        {"0.016", "60", 0.016, 0},
        {"1/60", "24", 1.0 / 60, 0},
        {"1/60", "1000", 1.0 / 60, 0},
        {"0.1", "60", 0.1, 0},
        {"0.0333", "60", 1.0 / 30, 0},
        {"1e-9", "0.1", 1e-9, 0},
        {"1", "10000", 1, 0},
        {"0.000390625", "30", 0.000390625, 0}, // 85.3 a frame
        {"0.003333", "30", 1.0 / 300, 10},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        OWNED(stage) s = stage_printed("{step: %s, record: {fps: %s}, objects: [{" ROD "}]}",
                                       cases[k].step, cases[k].fps);
        CHECK_SAY(td_world_steps_a_frame(s.world) == cases[k].a_frame, "step %s, fps %s: %d",
                  cases[k].step, cases[k].fps, (int)td_world_steps_a_frame(s.world));
        CHECK_REL(td_world_dt(s.world), cases[k].dt, 1e-15);
    }
    OWNED(stage) s = stage_of("{record: {fps: 30}, objects: [{" ROD "}]}");
    CHECK(get(s.world, "step") == td_world_dt(s.world));
    steps(s.world, 3);
    set(s.world, "step", 1.0 / 100);
    CHECK_REL(td_world_time(s.world), 0.05, 1e-12);
    steps(s.world, 1);
    CHECK_REL(td_world_time(s.world), 0.06, 1e-12);
    CHECK_INT(td_world_stats(s.world).steps, 4);
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_set(s.world, "step", 1e-12, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "step is 1e-12 s; it must be 0 or at least 1e-09 s");
    CHECK_REL(td_world_dt(s.world), 0.01, 1e-15);
    stage_free(&s);
    s = try_stage("{objects: [{" ROD "}],\n step: 1e-12}", 1, NULL);
    CHECK_INT(s.status, TD_ERR_SYNTAX);
    CHECK_INT(s.diags[0].line, 2);
}

// ---- frames within steps --------------------------------------------------------------------

enum { FRAME_ROOM = 4096, FRAME_SEGMENTS = 12 };

static void lengths_of(const td_clip_def *def, const float *frame, td_real *lengths) {
    td_vec3 origins[FRAME_SEGMENTS];
    td_quat turns[FRAME_SEGMENTS];
    td_clip_unpack(def->actors, frame, NULL, NULL, origins, turns);
    for (int32_t j = 1; j < FRAME_SEGMENTS; j++) {
        lengths[j] = tdi_norm(tdi_sub(origins[j], origins[j - 1]));
    }
}

// A rope that swings, beside a sphere that turns; its frame at 0.3 s, by steps of `h`.
static void frame_at(const char *solver, td_real h, td_real end, td_clip_def *def, float *frame,
                     stage *s) {
    static td_clip_actor actor;
    static td_clip_collider look;
    td_vec3 base, origins[FRAME_SEGMENTS];
    td_quat turn, turns[FRAME_SEGMENTS];
    float ends[2][FRAME_ROOM] = {{0}};
    *s = stage_printed(
        "{step: %.17g, contact: {self: false}, colliders: [{sphere: {radius: 0.1, position: "
        "{keys: [[0, [5, 0, 0]], [1, [7, 0, 0]]], interpolate: linear}}}], objects: [{start: "
        "drawn, solver: %s, strand: {points: [[0, 0, 0], [0.4, 0, 0]], segments: 12, radius: "
        "0.005}, stiffness: 0.1}]}",
        h, solver);
    const td_actor a = actor_at(s->world, 0);
    actor = (td_clip_actor){.skeleton = a.skeleton, .stretchy = a.stretchy};
    *def = td_clip_def_default();
    def->actors = &actor;
    def->colliders = &look;
    def->actor_count = def->collider_count = 1;
    const int64_t own = td_clip_actor_size(&actor);
    CHECK(td_clip_frame_size(def) <= FRAME_ROOM);
    td_real part = 0;
    for (bool last = false; !last;) {
        const td_real t = td_world_time(s->world);
        last = t + td_world_dt(s->world) >= end;
        part = (end - t) / td_world_dt(s->world);
        for (int k = 0; last && k < 2; k++) {
            const td_collider ball = td_world_collider(s->world, td_world_collider_id(s->world, 0));
            pose_at(s->world, 0, &base, &turn, origins, turns);
            td_clip_pack(&actor, base, turn, origins, turns, ends[k]);
            td_clip_pack_collider(&ball, ends[k] + own);
            CHECK(k > 0 || td_world_step(s->world, NULL) == TD_OK);
        }
        CHECK(last || td_world_step(s->world, NULL) == TD_OK);
    }
    td_clip_blend(def, ends[0], ends[1], part, frame);
    CHECK_REL(frame[own], 5 + 2 * end, 1e-6); // as the sphere moves in a step
    td_real lengths[3][FRAME_SEGMENTS];
    lengths_of(def, ends[0], lengths[0]);
    lengths_of(def, ends[1], lengths[1]);
    lengths_of(def, frame, lengths[2]);
    for (int32_t j = 1; j < FRAME_SEGMENTS; j++) { // single precision, and strain of the step
        CHECK_REL(lengths[2][j], lengths[0][j] + part * (lengths[1][j] - lengths[0][j]), 1e-5);
    }
}

TD_TEST(frames_within_steps_are_of_second_order_and_keep_lengths) {
    for (int k = 0; k < 3; k++) {
        td_vec3 tips[3] = {{0}};
        const td_real h[3] = {0.016, 0.008, 0.0005};
        for (int i = 0; i < 3; i++) {
            float frame[FRAME_ROOM] = {0};
            td_vec3 origins[FRAME_SEGMENTS];
            td_quat turns[FRAME_SEGMENTS];
            td_clip_def def;
            OWNED(stage) s = {.status = TD_OK};
            frame_at(solvers[k], h[i], 0.3021, &def, frame, &s);
            td_clip_unpack(def.actors, frame, NULL, NULL, origins, turns);
            tips[i] = origins[FRAME_SEGMENTS - 1];
        }
        const td_real coarse = tdi_norm(tdi_sub(tips[0], tips[2]));
        const td_real fine = tdi_norm(tdi_sub(tips[1], tips[2]));
        CHECK_SAY(coarse < 0.01 && fine < coarse / 3, "%s: %g, %g m", solvers[k], coarse, fine);
    }
}

TD_TEST(stats_of_a_world_are_the_sums_of_its_actors) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}, {" ROD "}]}");
    for (int32_t k = 0; k < 2; k++) {
        s.world->actors[k].step.stats = (td_step_stats){.steps = 1 + k,
                                                        .iterations = 10 + k,
                                                        .halvings = 100 + k,
                                                        .raised = 1000 + k,
                                                        .unconverged = 20 + k,
                                                        .halved = 200 + k,
                                                        .truncated = 30 + k,
                                                        .blocked = 300 + k,
                                                        .last_move = 0.5 + k};
    }
    const td_step_stats sum = td_world_stats(s.world);
    CHECK_INT(sum.steps, 3);
    CHECK_INT(sum.iterations, 21);
    CHECK_INT(sum.halvings, 201);
    CHECK_INT(sum.raised, 2001);
    CHECK_INT(sum.unconverged, 41);
    CHECK_INT(sum.halved, 401);
    CHECK_INT(sum.truncated, 61);
    CHECK_INT(sum.blocked, 601);
    CHECK_REL(sum.last_move, 1.5, 0); // the largest
}
