// SPDX-License-Identifier: MIT
// Scenes with objects that leave out joints in implicit steps.

#include "body/solvers.h"
#include "test_world_support.h"

static const char swaying[] =
    "{objects: [\n"
    " {name: cane, start: drawn, adapt: {error: 0.01, every: 5},\n"
    "  strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 24, radius: 0.004}},\n"
    " {name: other, start: drawn, position: [1, 0, 0], adapt: {joints: 6, every: 5},\n"
    "  strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 24, radius: 0.004}}],\n"
    " loads: [{wind: {velocity: [4, 0, 1], intensity: 0.3}}]}";

TD_TEST(reduced_objects_of_a_scene_leave_out_joints_and_tell_how_many) {
    OWNED(stage) s = stage_of(swaying);
    td_reduce_stats stats = {0};
    int32_t least = 24;
    for (int32_t k = 0; k < 60; k++) {
        steps(s.world, 1);
        CHECK(td_world_actor_reduction(s.world, id_at(s.world, 0), &stats));
        least = stats.joints < least ? stats.joints : least;
        CHECK_INT(stats.joints + stats.frozen + stats.joined + stats.quasistatic, 24);
    }
    CHECK(least < 16);
    CHECK(stats.changes > 0);
    CHECK(td_world_actor_reduction(s.world, id_at(s.world, 1), &stats));
    CHECK_INT(stats.joints, 6);
    CHECK(!td_world_actor_reduction(s.world, id_at(s.world, 2), &stats));
}

TD_TEST(reduced_objects_go_on_to_the_bit_after_a_restore) {
    check_restoring(swaying, 3, 17);
}

// Joints that join, and tips that ride.
TD_TEST(reduced_objects_have_the_same_bits_for_any_threads) {
    OWNED(stage) one = try_stage(swaying, 1, NULL);
    td_reduce_stats stats[2];
    CHECK_INT(one.status, TD_OK);
    steps(one.world, 60);
    CHECK(td_world_actor_reduction(one.world, id_at(one.world, 0), &stats[0]));
    CHECK(td_world_actor_reduction(one.world, id_at(one.world, 1), &stats[1]));
    CHECK(stats[0].joined + stats[1].joined > 0);
    CHECK(stats[0].quasistatic + stats[1].quasistatic > 0);
    check_threads(swaying, NULL, 60);
}

// Two canes whose tips a link joins at 0.5 s, when all three ways of leaving out joints are at
// work.
TD_TEST(reduced_objects_are_held_where_they_are_drawn) {
    OWNED(stage) s = stage_of(
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
        CHECK(td_world_actor_reduction(s.world, id_at(s.world, 0), &stats));
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
}

// ---- while it runs --------------------------------------------------------------------------

static const char in_wind[] =
    "{objects: [{name: cane, strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 24,\n"
    " radius: 0.004}, stiffness: 20}], loads: [{wind: {velocity: [4, 0, 1], intensity: 0.3}}]}";

// What explicit steps can take.
#define LINKS                                                                              \
    "strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 24, radius: 0.02}, start: drawn, " \
    "joints: [{hinge: {axis: [0, 0, 1]}}]"

static stage adaptable(const char *text) {
    td_world_opts opts = td_world_opts_default();
    opts.adaptable = true;
    stage s = stage_with(text, opts, NULL);
    CHECK_INT(s.status, TD_OK);
    return s;
}

static int32_t joints(const td_world *world) {
    td_reduce_stats stats = {.joints = -1};
    CHECK(td_world_actor_reduction(world, id_at(world, 0), &stats));
    return stats.joints;
}

TD_TEST(adaptable_worlds_move_with_the_bits_of_others_until_an_error_is_allowed) {
    OWNED(stage) plain = stage_of(in_wind), s = adaptable(in_wind);
    td_reduce_stats stats;
    td_vec3 x[24], y[24];
    CHECK(!td_world_actor_reduction(plain.world, id_at(plain.world, 0), &stats));
    CHECK_INT(joints(s.world), 24);
    steps(plain.world, 40);
    steps(s.world, 40);
    td_world_all_poses(plain.world, NULL, x, NULL);
    td_world_all_poses(s.world, NULL, y, NULL);
    CHECK(memcmp(x, y, sizeof x) == 0);
    set(s.world, "objects[0].adapt.error", 0.05);
    steps(s.world, 40);
    CHECK(joints(s.world) < 16);
    set(s.world, "objects[0].adapt.error", 0);
    steps(s.world, 1);
    CHECK_INT(joints(s.world), 24);
}

// Of the tip, from the tenth step on, m/s^2: its largest acceleration, and by how much that changes
// in a step at most.
typedef struct sway {
    td_real acceleration, jolt;
} sway;

// With `changes` the error goes from none to a fiftieth of the height and back, twenty times.
static sway sway_of(bool changes) {
    OWNED(stage) s = adaptable(in_wind);
    const td_real over = 1 / (td_world_dt(s.world) * td_world_dt(s.world));
    td_vec3 x[3], a = {0, 0, 0};
    sway most = {0, 0};
    for (int32_t k = 0; k < 400; k++) {
        td_vec3 tips[24];
        if (changes && k % 20 == 10) {
            set(s.world, "objects[0].adapt.error", k % 40 == 10 ? 0.02 : 0);
        }
        steps(s.world, 1);
        td_world_all_poses(s.world, NULL, tips, NULL);
        x[k % 3] = tips[23];
        if (k >= 2) {
            const td_vec3 before = a, twice = tdi_scale(x[(k + 2) % 3], 2);
            a = tdi_scale(tdi_sub(tdi_add(x[k % 3], x[(k + 1) % 3]), twice), over);
            most.acceleration = k >= 10 ? fmax(most.acceleration, tdi_norm(a)) : 0;
            most.jolt = k >= 10 ? fmax(most.jolt, tdi_norm(tdi_sub(a, before))) : 0;
        }
    }
    return most;
}

// Joints that are freed go to where the wind has them, by some millimetres. The wind alone
// accelerates the tip as much, and no step changes that by more than half of it.
TD_TEST(adaptable_worlds_do_not_jump_when_the_error_changes) {
    const sway alone = sway_of(false), changing = sway_of(true);
    CHECK(alone.acceleration > 1);
    CHECK_IN(changing.acceleration, 0, 1.5 * alone.acceleration);
    CHECK_IN(changing.jolt, 0, 0.5 * alone.acceleration);
}

TD_TEST(adaptable_worlds_take_explicit_integrators_while_they_run) {
    static const td_integrator all[] = {TD_RK4, TD_IMPLICIT, TD_ADAPTIVE, TD_IMPLICIT_EULER,
                                        TD_ADAPTIVE};
    OWNED(stage) s =
        adaptable("{step: 0.0005, objects: [{" LINKS ", adapt: {joints: 12, every: 5}}]}");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        td_reduce_stats stats = {.joints = -1};
        steps(s.world, 12);
        CHECK_INT(td_world_set_integrator(s.world, 0, all[k], NULL), TD_OK);
        steps(s.world, 12);
        const bool implicit = all[k] == TD_IMPLICIT || all[k] == TD_IMPLICIT_EULER;
        CHECK(td_world_actor_reduction(s.world, id_at(s.world, 0), &stats) == implicit);
        CHECK(all[k] != TD_IMPLICIT || stats.joints < 24);
    }
}

// ---- clusters -------------------------------------------------------------------------------

// A cluster is what is carried by its first segment without a joint of its own in between.
TD_TEST(clusters_of_a_scene_begin_at_joints_that_move_by_themselves) {
    static const char *const ways[] = {"adapt: {joints: 6, every: 5}",
                                       "integrator: adaptive, adapt: {joints: 6, every: 5}"};
    for (int way = 0; way < 2; way++) {
        uint8_t modes[24];
        int32_t clusters[24], own = 0;
        OWNED(stage) s = stage_printed("{step: 0.0005, objects: [{" LINKS ", %s}]}", ways[way]);
        steps(s.world, 30);
        CHECK(td_world_actor_clusters(s.world, id_at(s.world, 0), modes, clusters));
        for (int32_t i = 0; i < 24; i++) {
            const int32_t first = clusters[i];
            own += modes[i] == TD_REDUCE_OWN;
            CHECK(modes[i] != TD_REDUCE_JOINED || way == 0);
            CHECK(first >= 0 && first < 24);
            CHECK(i == 0 || modes[i] != TD_REDUCE_FROZEN || first == clusters[i - 1]);
            CHECK(first == 0 || modes[first] == TD_REDUCE_OWN);
        }
        CHECK_INT(own, 6);
        CHECK(td_world_actor_clusters(s.world, id_at(s.world, 0), NULL, clusters));
        CHECK(!td_world_actor_clusters(s.world, id_at(s.world, 1), modes, clusters));
    }
    OWNED(stage) plain = stage_of(in_wind);
    CHECK(!td_world_actor_clusters(plain.world, id_at(plain.world, 0), NULL, NULL));
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

// Nothing else tells the world of reduced trees.
TD_TEST(reduced_solver_is_found_by_the_solver_whose_models_it_steps) {
    const tdi_solver *tree = tdi_solver_find("tree"), *reduced = tdi_solver_reduced_of(tree);
    CHECK(reduced && reduced->reduced_of == tree);
    CHECK(!tree->reduced_of);
    CHECK(!tdi_solver_reduced_of(reduced));
    CHECK(!tdi_solver_reduced_of(tdi_solver_find("rod")));
    CHECK(!tdi_solver_reduced_of(tdi_solver_find("helix")));
    CHECK_INT(td_solver_find(reduced->info.name), TD_NONE); // scenes ask for it by `adapt`
}

// Also after a step in which other joints were chosen, where points move by rounding.
TD_TEST(reduced_tree_in_a_world_with_contact_goes_on_to_the_bit_from_any_step) {
    check_restoring("{contact: {}, objects: [{start: drawn, loose: true, adapt: {error: 0.001}, "
                    "strand: {points: [[-0.3, 0.3, 0.02], [0.3, 0.31, 0]], segments: 9, radius: "
                    "0.01}}]}",
                    12, 1);
}
