// SPDX-License-Identifier: MIT
// The case of resuming: a world that is saved and restored goes on as if nothing had been.
//
// Method   A small scene with all that has a past (turbulence, keys, pulls, poses, local motion)
//          runs once without a stop. Then, twenty times, it is saved at a random step, and a new
//          world goes on from the bytes. Both are compared byte by byte at every frame after it.

#include "cases/validate/validate.h"

#include "tendril/yaml.h"

#include <stdlib.h>
#include <string.h>

#define RUNS   20
#define FRAMES 45

static const char scene_text[] =
    "step: 1/120\n"
    "gravity: {keys: [[0, [0, -9.81, 0]], [1, [1, -9, 0]]]}\n"
    "objects:\n"
    "  - name: rope\n"
    "    strand: {points: [[0, 0, 0], [0.3, 0.2, 0], [0.7, 0, 0.1]], segments: 12}\n"
    "    position: {keys: [[0, [0, 1, 0]], [0.7, [0.3, 1, 0]], [1.5, [0, 1.2, 0.2]]]}\n"
    "    time_scale: 0.5\n"
    "    local: {amount: 0.3, position: {keys: [[0, [0, 0, 0]], [1.5, [0.4, 0, 0]]]}}\n"
    "  - name: reeds\n"
    "    strand: {points: [[0, 0, 0], [0, 0.8, 0]], segments: 8, radius: 0.004}\n"
    "    position: [1, 0, 0]\n"
    "    instances: {count: 3, area: [0.5, 0, 0.5], variants: 2, smallest: 0.7}\n"
    "  - name: tail\n"
    "    strand: {points: [[0, 0, 0], [0.4, 0, 0]], segments: 6}\n"
    "    integrator: implicit-euler\n"
    "    start: drawn\n"
    "loads:\n"
    "  - wind: {velocity: [3, 0, 1], intensity: 0.3, gust: 0.4, onset: 0.3}\n"
    "  - pull: {object: reeds, instance: 1, by: [0.2, -0.1, 0], stiffness: 20, end: 0.8}\n"
    "  - pose: {object: tail, bend: [0, 0, 60], strength: 0.5, damping: 0.01}\n"
    "record: {duration: 1.5}\n";

typedef struct val_world {
    td_scene *scene;
    td_world *world;
} val_world;

static void close_world(val_world *w) {
    td_world_free(w->world);
    td_scene_free(w->scene);
    *w = (val_world){NULL, NULL};
}

static void open_world(val_report *report, int32_t threads, val_world *w) {
    td_value *value = NULL;
    td_diag_list list = {&report->diag, 1, 0};
    td_world_opts opts = td_world_opts_default();
    opts.threads = threads;
    *w = (val_world){NULL, NULL};
    val_must(report, "a scene to save", 0,
             td_value_from_yaml(scene_text, sizeof scene_text - 1, "resume", NULL, &value,
                                &report->diag));
    val_must(report, "a scene to save", 0,
             td_scene_from_value(value, NULL, NULL, &w->scene, &list));
    val_must(report, "a scene to save", 0,
             td_world_from_scene(w->scene, &opts, NULL, &w->world, &list));
}

// Steps on to a step; every frame's world goes to its place in `frames`.
static void step_to(val_report *report, td_world *world, int64_t *step, int64_t end,
                    unsigned char *frames, size_t size) {
    int32_t a_frame = td_world_steps_a_frame(world);
    while (*step < end) {
        val_must(report, "a step", *step, td_world_step(world, &report->diag));
        *step += 1;
        if (*step % a_frame == 0) {
            td_world_save(world, frames + (size_t)(*step / a_frame - 1) * size);
        }
    }
}

// Bytes that differ after a run that was interrupted at `step`.
static double resume_once(val_report *report, int64_t stop, int64_t end, const unsigned char *want,
                          unsigned char *got, size_t size) {
    val_world before, after = {NULL, NULL};
    int64_t step = 0, differ = 0;
    unsigned char *saved = val_memory(report, "saving", size, 1);
    open_world(report, 1, &before);
    step_to(report, before.world, &step, stop, got, size);
    td_world_save(before.world, saved);
    close_world(&before);
    open_world(report, 2, &after);
    val_must(report, "restoring", stop, td_world_restore(after.world, saved, size, &report->diag));
    step_to(report, after.world, &step, end, got, size);
    close_world(&after);
    free(saved);
    for (size_t k = 0; k < FRAMES * size; k++) {
        differ += want[k] != got[k];
    }
    return (double)differ;
}

void val_resume(val_report *report) {
    val_random random = {.state = 11};
    val_world whole;
    int64_t step = 0;
    double differ = 0;
    if (!td_yaml_built()) {
        val_must(report, "a scene to save, in a build that reads no YAML", 0, TD_ERR_ARGUMENT);
    }
    open_world(report, 1, &whole);
    size_t size = td_world_save_size(whole.world);
    int64_t end = (int64_t)FRAMES * td_world_steps_a_frame(whole.world);
    unsigned char *want = val_memory(report, "frames", FRAMES, size);
    unsigned char *got = val_memory(report, "frames", FRAMES, size);
    step_to(report, whole.world, &step, end, want, size);
    close_world(&whole);
    for (int run = 0; run < RUNS; run++) {
        int64_t stop = 1 + val_below(&random, (int32_t)end - 1);
        double own = resume_once(report, stop, end, want, got, size);
        differ += own;
        val_progress(report, (double)(run + 1) / RUNS);
    }
    val_at_most(report, "bytes that differ after resuming", RUNS, differ, 0);
    free(want);
    free(got);
}
