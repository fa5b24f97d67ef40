// SPDX-License-Identifier: MIT
// Trees that wait while their tips would hardly move. Pairs with src/world/waiting.c.

#include "test_world_support.h"

// A row of canes, seen from one end: in the same wind the far ones may stand.
#define CANES                                                                                \
    "{objects: [{name: cane, rest_under_gravity: true,\n"                                    \
    "  adapt: {error: 0.0005, weights: camera, camera: [0, 0.5, 2]},\n"                      \
    "  strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 12, radius: 0.006, material: "     \
    "green-wood},\n"                                                                         \
    "  instances: {count: 40, layout: grid, area: [1, 0, 60], jitter: 0}, position: [0, 0, " \
    "-32]}],\n"

static const char breeze[] = CANES " loads: [{wind: {velocity: [6, 0, 1.5], intensity: 0.3, "
                                   "gust: 0.6, gust_length: 4}}]}";
static const char calm[] = CANES " loads: [{wind: {velocity: {keys: [[0.5, [0, 0, 0]], "
                                 "[0.51, [15, 0, 0]]]}}}]}";

static int32_t still_count(const td_world *w) {
    int32_t count = 0;
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        td_reduce_stats stats = {0};
        CHECK(td_world_actor_reduction(w, id_at(w, k), &stats));
        count += stats.joints == 0;
    }
    return count;
}

TD_TEST(still_trees_are_those_far_from_the_camera) {
    OWNED(stage) s = stage_of(breeze);
    td_reduce_stats near = {0}, far = {0};
    int32_t most = 0, least = 40;
    for (int32_t k = 0; k < 120; k++) {
        steps(s.world, 1);
        const int32_t count = still_count(s.world);
        most = count > most ? count : most;
        least = count < least ? count : least;
    }
    CHECK(td_world_actor_reduction(s.world, id_at(s.world, 39), &near));
    CHECK(td_world_actor_reduction(s.world, id_at(s.world, 0), &far));
    CHECK(near.joints > 0);
    CHECK_INT(far.joints, 0);
    CHECK_INT(far.frozen, 12);
    CHECK(least >= 5);
    CHECK(most < 40);
}

// Those that have not moved yet: what has moved is off by what its clusters leave out as well.
// Looks come every sixteenth step, and a gust may push a tree further than it would rest.
TD_TEST(still_trees_are_where_all_of_their_joints_would_have_them_within_three_errors) {
    OWNED(stage) some = stage_of(breeze), all = stage_of(breeze);
    bool moved[40] = {false};
    int32_t compared = 0;
    CHECK_INT(td_world_set(all.world, "objects[0].adapt.error", 0, NULL), TD_OK);
    for (int32_t k = 0; k < 120; k++) {
        steps(some.world, 1);
        steps(all.world, 1);
        for (int32_t a = 0; a < 40; a += 3) {
            td_reduce_stats stats = {0};
            td_vec3 base, own, full;
            CHECK(td_world_actor_reduction(some.world, id_at(some.world, a), &stats));
            moved[a] = moved[a] || stats.joints > 0;
            if (moved[a]) {
                continue;
            }
            compared++;
            pose_at(some.world, a, &base, NULL, NULL, NULL);
            segment_at(some.world, a, 11, NULL, &own, NULL);
            segment_at(all.world, a, 11, NULL, &full, NULL);
            const td_real allowed = 0.0005 * tdi_norm(tdi_sub(base, tdi_vec3(0, 0.5, 2)));
            CHECK_SAY(tdi_norm(tdi_sub(own, full)) < 3 * allowed, "cane %d, step %d: %g m of %g",
                      (int)a, (int)k, tdi_norm(tdi_sub(own, full)), allowed);
        }
    }
    CHECK(compared > 200);
}

TD_TEST(still_trees_move_when_the_wind_rises_and_when_a_hand_takes_them) {
    OWNED(stage) s = stage_of(calm);
    steps(s.world, 20);
    CHECK_INT(still_count(s.world), 40);
    td_vec3 before, after;
    segment_at(s.world, 0, 11, NULL, &before, NULL);
    CHECK(td_world_grab(s.world, id_at(s.world, 0), 11, (td_vec3){0, 0, 0},
                        (td_vec3){before.x + 0.3, before.y, before.z}, 20, NULL) == TD_OK);
    steps(s.world, 5);
    segment_at(s.world, 0, 11, NULL, &after, NULL);
    CHECK(after.x > before.x + 0.005);
    CHECK_INT(still_count(s.world), 39);
    td_world_release(s.world);
    steps(s.world, 60);
    CHECK(still_count(s.world) < 20); // the wind is there
}

TD_TEST(waiting_tree_sleeps_when_a_program_asks_and_waits_again_after_it_woke) {
    OWNED(stage) s = stage_of(calm);
    const td_actor_id first = id_at(s.world, 0);
    CHECK_INT(td_world_sleep_actor(s.world, first, NULL), TD_OK);
    steps(s.world, 2);
    CHECK(td_world_actor_asleep(s.world, first));
    CHECK_INT(still_count(s.world), 39); // it sleeps, the others wait
    CHECK_INT(td_world_wake_actor(s.world, first, NULL), TD_OK);
    CHECK(!td_world_actor_asleep(s.world, first));
    steps(s.world, 17); // it has its turn
    CHECK_INT(still_count(s.world), 40);
}

// A tree is looked at every sixteenth step: restores come anywhere between its looks.
TD_TEST(still_trees_go_on_to_the_bit_after_a_restore) {
    check_restoring(breeze, 12, 37);
}

TD_TEST(still_trees_have_the_same_bits_with_any_number_of_threads) {
    check_threads(breeze, NULL, 60);
}
