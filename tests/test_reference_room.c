// SPDX-License-Identifier: MIT
// Room for pairs that runs out, for every solver and both contact methods.

#include "test_world_support.h"

// ---- room for pairs -------------------------------------------------------------------------

// A strand that falls on 30 planes, which are one: more pairs than there is room for at first.
static stage crowded(const char *solver, const char *method, bool fixed, char text[4096]) {
    td_world_opts opts = td_world_opts_default();
    int at = snprintf(text, 4096,
                      "{objects: [{name: stick, solver: %s, start: drawn, strand: {points: "
                      "[[0, 0.02, 0], [0.2, 0.02, 0]], segments: 10, radius: 0.002, start: {held: "
                      "free}}}], contact: {method: %s}, record: {duration: 1}, colliders: [",
                      solver, method);
    for (int32_t k = 0; k < 30; k++) {
        at += snprintf(text + at, 4096 - (size_t)at, "{plane: {}}, ");
    }
    snprintf(text + at, 4096 - (size_t)at, "]}");
    opts.no_growth = fixed;
    return stage_with(text, opts, NULL);
}

TD_TEST(reference_room_for_pairs_grows_and_the_run_goes_on) {
    static char text[4096];
    for (int32_t k = 0; k < 6; k++) {
        OWNED(stage) s = crowded(solvers[k % 3], methods[k / 3], false, text);
        OWNED(stage) late = crowded(solvers[k % 3], methods[k / 3], false, text);
        CHECK_INT(s.status, TD_OK);
        steps(s.world, 30);
        CHECK(td_world_contacts(s.world, NULL, 0) >= 30);
        CHECK(tip_of(s.world, 0, -1).y > 0.002);
        // the room is part of the save
        restore_from(late.world, s.world);
        CHECK(same_bits(s.world, late.world));
        check_same_way(s.world, late.world, 5);
    }
}

TD_TEST(reference_room_for_pairs_that_is_fixed_fails_with_nothing_changed) {
    static char text[4096];
    for (int32_t k = 0; k < 3; k++) {
        OWNED(stage) s = crowded(solvers[k], "barrier", true, text);
        td_diag diag = {.message = ""};
        td_status status = TD_OK;
        char *bytes = NULL;
        for (int32_t n = 0; n < 30 && status == TD_OK; n++) {
            free(bytes);
            bytes = saved(s.world);
            status = td_world_step(s.world, &diag);
        }
        FREED char *after = saved(s.world);
        CHECK_INT(status, TD_ERR_LIMIT);
        CHECK_SAY(strstr(diag.message, "pairs"), "%s", diag.message);
        CHECK(memcmp(bytes, after, td_world_save_size(s.world)) == 0);
        free(bytes);
    }
}

// A search that ran out of room had found nothing, and was taken for nothing in the way.
TD_TEST(reference_actor_placed_into_many_colliders_is_blocked) {
    static char text[4096];
    for (int32_t k = 0; k < 6; k++) {
        OWNED(stage) s = crowded(solvers[k % 3], "barrier", k / 3, text);
        td_diag diag = {.message = ""};
        const td_quat level = {1, 0, 0, 0};
        const td_vec3 far = {0, 1, 0}, into = {0, -0.0185, 0};
        const td_actor_id id = id_at(s.world, 0);
        CHECK_INT(td_world_place_actor(s.world, id, far, level, &diag), TD_OK);
        CHECK_INT(td_world_place_actor(s.world, id, into, level, &diag),
                  k / 3 ? TD_ERR_LIMIT : TD_ERR_BLOCKED);
        CHECK_SAY(strstr(diag.message, k / 3 ? "pairs" : "overlap") != NULL, "%s", diag.message);
        steps(s.world, 1);
    }
}
