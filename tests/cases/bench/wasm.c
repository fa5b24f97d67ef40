// SPDX-License-Identifier: MIT
// tendril bench wasm: the implicit step in a browser's engine beside the command's own.
//
// Method   The same plants start as drawn, which sets them swaying, and take two seconds of steps
//          of 1/60 s; the fastest of the runs counts. Node runs the module for pages.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 120

static const char *const plants[] = {"rose", "young-oak", "weeping-willow"};

// ns a body and step, in one run; the number of bodies goes to *bodies
static td_status run_once(const char *path, double *cost, int32_t *bodies, td_diag *diag) {
    td_loader loader = td_file_loader();
    td_world_opts opts = td_world_opts_default();
    td_scene_def scene = td_scene_def_default();
    td_object_def object = td_object_def_default();
    td_diag_list diags = {diag, 1, 0};
    td_world *world = NULL;
    opts.loader = &loader;
    object.plant = path;
    object.start = TD_START_DRAWN;
    scene.objects = &object;
    scene.object_count = 1;
    td_status status = td_world_new(&scene, &opts, NULL, &world, &diags);
    double start = case_seconds();
    for (int k = 0; k < STEPS && status == TD_OK; k++) {
        status = td_world_step(world, diag);
    }
    if (status == TD_OK) {
        *bodies = td_world_actor(world, td_world_actor_id(world, 0)).segment_count;
        *cost = 1e9 * (case_seconds() - start) / STEPS / *bodies;
    }
    td_world_free(world);
    return status;
}

static bool native(const bench *b, const char *path, double *least, int32_t *bodies) {
    td_diag diag = {.message = ""};
    double end = case_seconds() + b->seconds;
    *least = HUGE_VAL;
    do {
        double cost = 0;
        td_status status = run_once(path, &cost, bodies, &diag);
        if (status != TD_OK) {
            return bench_fault(b, path, status, &diag);
        }
        *least = cost < *least ? cost : *least;
    } while (case_seconds() < end);
    return true;
}

// the same by the module; false when node cannot be run
static bool in_node(const bench *b, const char *script, const char *module, const char *path,
                    double *least) {
    size_t size = strlen(script) + strlen(module) + strlen(path) + 64;
    char *line = malloc(size);
    if (!line) {
        return false;
    }
    snprintf(line, size, "node '%s' '%s' '%s' %.6g", script, module, path, b->seconds);
    FILE *answer = popen(line, "r");
    bool fine = answer && fscanf(answer, "%lf", least) == 1;
    if (answer && pclose(answer) != 0) {
        fine = false;
    }
    free(line);
    return fine;
}

static bool bench_plant(const bench *b, const char *name, const char *script, const char *module) {
    char pattern[96];
    snprintf(pattern, sizeof pattern, "../scenes/plants/%s.lsys", name);
    bench_files files = bench_beside(pattern);
    double own = 0, other = 0;
    int32_t bodies = 0;
    bool fine = files.count == 1 && native(b, files.paths[0], &own, &bodies);
    if (fine) {
        bench_row(b, bodies, own, "ns/body", "%s, native", name);
        fine = in_node(b, script, module, files.paths[0], &other);
    }
    if (fine) {
        bench_row(b, bodies, other, "ns/body", "%s, node", name);
        bench_row(b, bodies, other / own, "times", "%s, node over native", name);
    }
    bench_files_free(&files);
    return fine;
}

bool bench_wasm(const bench *b) {
    bench_files script = bench_beside("../scripts/bench-wasm.mjs");
    bench_files module = bench_beside("wasm/tendril_web.wasm");
    bool there = script.count == 1 && module.count == 1, fine = true;
    for (size_t i = 0; there && i < sizeof plants / sizeof plants[0]; i++) {
        fine = bench_plant(b, plants[i], script.paths[0], module.paths[0]) && fine;
    }
    if (!there) {
        case_error("bench: wasm is left out: 'make viewer' builds the module");
    }
    bench_files_free(&script);
    bench_files_free(&module);
    return fine;
}
