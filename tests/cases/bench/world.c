// SPDX-License-Identifier: MIT
// tendril bench world: the scenes that come with the command.
//
// Method   Each scene runs from its start to the end of its recording, again and again until the
//          time is spent, and the fastest run counts. A part of it would say nothing of the whole:
//          the cost of a step changes with what happens.

#include "cases/bench/bench.h"

#include <stdlib.h>
#include <string.h>

// ---- memory ---------------------------------------------------------------------------------

static bool print_memory(const bench *b, const char *path, const char *name) {
    int64_t held = 0;
    const td_alloc counting = {bench_count_resize, &held};
    case_scene scene;
    if (!case_scene_open(path, 1, &counting, &scene)) {
        return false;
    }
    int64_t segments = 0;
    for (int32_t k = 0; k < td_world_actor_count(scene.world); k++) {
        segments += td_world_actor(scene.world, td_world_actor_id(scene.world, k)).segment_count;
    }
    bench_row(b, segments, 1e-6 * (double)held, "MB", "%s", name);
    case_scene_free(&scene);
    return true;
}

// ---- speed ----------------------------------------------------------------------------------

typedef struct world_cost {
    double seconds, time; // of the clock, of the scene
    int64_t steps;
} world_cost;

// To the end of the recording: all frames.
static td_status run_once(const case_scene *scene, world_cost *cost, td_diag *diag) {
    double duration = td_scene_def_get(scene->scene)->record.duration, start = case_seconds();
    td_status status = TD_OK;
    *cost = (world_cost){0, 0, 0};
    for (; status == TD_OK && td_world_time(scene->world) < duration; cost->steps++) {
        status = td_world_step(scene->world, diag);
    }
    cost->seconds = case_seconds() - start;
    cost->time = td_world_time(scene->world);
    return status;
}

static bool print_speed(const bench *b, const char *path, const char *name, int32_t threads) {
    world_cost cost = {0, 0, 0}, run;
    td_diag diag = {.message = ""};
    td_status status = TD_OK;
    double spent = 0;
    char variant[128];
    snprintf(variant, sizeof variant, "%s, threads %d", name, threads);
    do {
        case_scene scene;
        if (!case_scene_open(path, threads, NULL, &scene)) {
            return false;
        }
        status = run_once(&scene, &run, &diag);
        case_scene_free(&scene);
        spent += run.seconds;
        cost = cost.steps == 0 || run.seconds < cost.seconds ? run : cost;
    } while (status == TD_OK && spent < b->seconds);
    if (status != TD_OK) {
        return bench_fault(b, variant, status, &diag);
    }
    if (cost.steps == 0) {
        return bench_fault(b, variant, TD_ERR_LIMIT, NULL);
    }
    bench_row(b, cost.steps, cost.time / cost.seconds, "x real time", "%s", variant);
    bench_row(b, cost.steps, 1e3 * cost.seconds / (double)cost.steps, "ms/step", "%s", variant);
    return true;
}

// ---- entry ----------------------------------------------------------------------------------

static bool bench_scene(const bench *b, const char *path) {
    const char *slash = strrchr(path, '/');
    char name[96];
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    *strrchr(name, '.') = 0; // the pattern ends with .yaml
    return print_memory(b, path, name) && print_speed(b, path, name, 1) &&
           (case_core_count() == 1 || print_speed(b, path, name, case_core_count()));
}

bool bench_world(const bench *b) {
    bench_files scenes = bench_beside("../scenes/*.yaml");
    bool fine = true;
    for (size_t i = 0; i < scenes.count; i++) {
        fine = bench_scene(b, scenes.paths[i]) && fine;
    }
    if (scenes.count == 0) {
        td_diag diag = {.message = "no scene is beside the command"};
        fine = bench_fault(b, "scenes", TD_ERR_READ, &diag);
    }
    bench_files_free(&scenes);
    return fine;
}
