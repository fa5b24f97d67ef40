// SPDX-License-Identifier: MIT
// Steps that cannot be solved for one actor, while all others go on.

#include "test_world_support.h"

// A world of this scene that holds what is blocked.
static stage holding_stage(const char *text, int32_t threads) {
    stage s = {.status = TD_ERR_MEMORY};
    td_value *value = value_of(text, NULL);
    td_diag_list list = {s.diags, 8, 0};
    td_world_opts opts = td_world_opts_default();
    opts.loader = &test_loader;
    opts.threads = threads;
    opts.hold_blocked = true;
    s.status = td_scene_from_value(value, "test.yaml", NULL, &s.scene, &list);
    if (s.status == TD_OK) {
        s.status = td_world_from_scene(s.scene, &opts, NULL, &s.world, &list);
    }
    CHECK_INT(s.status, TD_OK);
    return s;
}

__attribute__((format(printf, 1, 2))) static stage holding_stage_printed(const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    CHECK(vsnprintf(text, sizeof text, format, args) < (int)sizeof text);
    va_end(args);
    return holding_stage(text, 1);
}

// Stems in a row; a box comes down on the second and leaves no room between it and the ground.
static const char *press(char text[2048], const char *solver) {
    snprintf(text, 2048,
             "{contact: {}, colliders: [{plane: {position: [0, -0.015, 0]}}, {box: {size: [0.2, "
             "0.1, 0.2], position: {keys: [[0, [1, 0.5, 0]], [0.5, [1, 0.04, 0]],\n"
             "  [1.5, [1, 0.04, 0]], [2, [1, 0.8, 0]]], interpolate: linear}}}],\n"
             " objects: [{solver: %s, start: drawn, relaxation_time: 0.01, instances: {layout: "
             "list, turned: false, places: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]},\n"
             " strand: {points: [[0, 0, 0], [0, 0.3, 0]], segments: 4, radius: 0.01,\n"
             "  material: green-wood}}], loads: [{wind: {velocity: [3, 0, 0], intensity: 0.4}}]}",
             solver);
    return text;
}

TD_TEST(stem_that_is_jammed_is_told_of_once_and_all_others_keep_moving) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        char text[2048];
        OWNED(stage) s = holding_stage(press(text, td_solver_get(k).name), 1);
        td_diag diag = {.message = ""};
        td_actor_id held[3];
        td_vec3 before[3];
        int32_t told = 0, still = 0, frames = 0;
        for (int32_t i = 0; i < 3; i++) {
            before[i] = tip_of(s.world, i, -1);
        }
        for (int32_t step = 0; step < 150; step++) {
            const td_real time = td_world_time(s.world);
            const td_status status = td_world_step(s.world, &diag);
            CHECK(status == TD_OK || status == TD_ERR_BLOCKED);
            CHECK(td_world_time(s.world) > time);
            if (status == TD_ERR_BLOCKED) {
                told++;
                CHECK_SAY(strstr(diag.message, "'object-0-1' is blocked at"), "%s", diag.message);
            }
            const int32_t count = td_world_blocked_actors(s.world, held, 3);
            CHECK(count <= 1);
            if (count == 1) {
                frames++;
                CHECK_INT(td_world_actor_index(s.world, held[0]), 1);
                CHECK_INT(td_world_actor_status(s.world, held[0], &diag), TD_ERR_BLOCKED);
                // but for rounding: frames are made anew of the coordinates
                CHECK(apart(before[1], tip_of(s.world, 1, -1)) < 1e-12);
            }
            for (int32_t i = 0; i < 3; i++) {
                const td_vec3 tip = tip_of(s.world, i, -1);
                still += i != 1 && apart(tip, before[i]) == 0;
                before[i] = tip;
            }
        }
        CHECK_SAY(told == 1, "%s: told %d times", td_solver_get(k).name, (int)told);
        CHECK_SAY(frames > 10, "%s: held for %d frames", td_solver_get(k).name, (int)frames);
        CHECK_INT(still, 0);
        CHECK_INT(td_world_blocked_actors(s.world, held, 3), 0); // it is free again
        CHECK_INT(td_world_actor_status(s.world, id_at(s.world, 1), &diag), TD_OK);
    }
}

TD_TEST(others_move_as_if_the_jammed_stem_were_not_there) {
    char text[2048];
    OWNED(stage) a = holding_stage(press(text, "tree"), 1), b = holding_stage(text, 3);
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_remove_actor(a.world, id_at(a.world, 1), &diag), TD_OK);
    for (int32_t step = 0; step < 100; step++) {
        CHECK(td_world_step(a.world, &diag) == TD_OK);
        const td_status jammed = td_world_step(b.world, &diag);
        CHECK(jammed == TD_OK || jammed == TD_ERR_BLOCKED);
    }
    CHECK(apart(tip_of(a.world, 0, -1), tip_of(b.world, 0, -1)) == 0);
    CHECK(apart(tip_of(a.world, 2, -1), tip_of(b.world, 2, -1)) == 0);
}

TD_TEST(world_with_a_held_stem_is_restored_to_the_bit) {
    char text[2048];
    OWNED(stage) a = holding_stage(press(text, "rod"), 1), b = holding_stage(text, 1);
    td_diag diag = {.message = ""};
    int32_t told = 0;
    for (int32_t step = 0; step < 50; step++) {
        told += td_world_step(a.world, &diag) == TD_ERR_BLOCKED;
    }
    CHECK_INT(told, 1);
    restore_from(b.world, a.world);
    for (int32_t step = 0; step < 80; step++) {
        CHECK_INT(td_world_step(a.world, &diag), TD_OK);
        CHECK_INT(td_world_step(b.world, &diag), TD_OK); // it was told of before the save
    }
    CHECK(same_bits(a.world, b.world));
}

TD_TEST(step_that_cannot_be_solved_fails_as_a_whole_unless_asked_otherwise) {
    char text[2048];
    OWNED(stage) s = stage_of(press(text, "tree"));
    td_diag diag = {.message = ""};
    td_status status = TD_OK;
    for (int32_t step = 0; step < 60 && status == TD_OK; step++) {
        status = td_world_step(s.world, &diag);
    }
    CHECK_INT(status, TD_ERR_DIVERGED);
    CHECK_INT(td_world_blocked_actors(s.world, NULL, 0), 0);
}

// A collider goes into a stem in steps whose budget is too small, and stays there.
TD_TEST(stem_that_could_not_be_solved_recovers_beside_the_collider) {
    static const char *const shapes[] = {"sphere: {radius: 0.05", "box: {size: [0.1, 0.1, 0.1]",
                                         "capsule: {radius: 0.05, length: 0.1"};
    for (int32_t k = 0; k < 18; k++) {
        char what[64];
        snprintf(what, sizeof what, "%s, %s, %.7s", solvers[k % 3], methods[k / 3 % 2],
                 shapes[k / 6]);
        OWNED(stage) s = holding_stage_printed(
            "{contact: {method: %s}, colliders: [{%s, position: {keys: [[0, [-0.15, 0.19, 0]],\n"
            " [0.1, [-0.03, 0.19, 0]]], interpolate: linear}}}],\n"
            " objects: [{solver: %s, start: drawn, strand: {points: [[0, 0, 0], [0, 0.3, 0]],\n"
            " segments: 8, radius: 0.01, material: green-wood}}]}",
            methods[k / 3 % 2], shapes[k / 6], solvers[k % 3]);
        td_diag diag = {.message = ""};
        CHECK_INT(td_world_set_budget(s.world, 1, 0, &diag), TD_OK);
        bool blocked = false;
        for (int32_t step = 0; step < 12; step++) {
            CHECK_INT(td_world_step(s.world, &diag), TD_OK);
            blocked = blocked || td_world_blocked_actors(s.world, NULL, 0) > 0;
        }
        CHECK_SAY(blocked, "%s: it was never blocked", what);
        CHECK_INT(td_world_set_budget(s.world, 0, 0, &diag), TD_OK);
        for (int32_t step = 0; step < 60; step++) {
            const td_status status = td_world_step(s.world, &diag);
            CHECK_SAY(step < 4 || status == TD_OK, "%s: %s", what, diag.message);
            CHECK_SAY(step < 4 || td_world_blocked_actors(s.world, NULL, 0) == 0, "%s: step %d",
                      what, step);
        }
        CHECK_SAY(td_world_contacts(s.world, NULL, 0) > 0, "%s: it touches nothing", what);
        CHECK_SAY(hypot(tip_of(s.world, 0, -1).x, tip_of(s.world, 0, -1).z) > 0.02, "%s", what);
    }
}
