// SPDX-License-Identifier: MIT
// tendril bench islands: pairs of strands that touch, each pair an island of its own.
//
// Method   One strand sags onto another that crosses under it. All pairs are in one world, which
//          finds in every step who is near whom. Steps are the same on one thread and on two, to
//          the bit.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS    30 // until they touch, and then timed
#define SPACING  0.5
#define SEGMENTS 10

static const int32_t counts[] = {30, 100, 300, 1000};
enum { COUNTS = sizeof counts / sizeof *counts };

// ---- the world ------------------------------------------------------------------------------

// A strand between two clamps, one for each pair of a square grid.
static td_object_def strand_of(const char *name, const td_vec3 points[2], int32_t pairs) {
    td_object_def o = bench_grid(points, 0.004, SEGMENTS, pairs, SPACING);
    o.name = name;
    o.solver = "rod";
    o.strand.point_count = 2;
    o.strand.end.held = TD_END_CLAMPED;
    o.instances.jitter = 0;
    o.instances.turned = false;
    return o;
}

static td_status make_world(int32_t pairs, int32_t threads, td_world **out, td_diag *diag) {
    static const td_vec3 under[2] = {{-0.1, 0, 0}, {0.1, 0, 0}},
                         over[2] = {{0, 0.0085, -0.15}, {0, 0.0085, 0.15}};
    const td_object_def objects[2] = {strand_of("under", under, pairs),
                                      strand_of("over", over, pairs)};
    td_scene_def def = td_scene_def_default();
    td_world_opts opts = td_world_opts_default();
    td_diag_list diags = {diag, 1, 0};
    def.objects = objects;
    def.object_count = 2;
    def.contact.given = true;
    opts.threads = threads;
    return td_world_new(&def, &opts, NULL, out, &diags);
}

// ---- measuring ------------------------------------------------------------------------------

typedef struct islands_run {
    td_world *world;
    char *start; // saved when they touch
    size_t size;
    td_status status;
    td_diag diag;
} islands_run;

static void prepare(void *context) {
    islands_run *r = context;
    r->status = td_world_restore(r->world, r->start, r->size, &r->diag);
}

static bool run(void *context) {
    islands_run *r = context;
    for (int k = 0; k < STEPS && r->status == TD_OK; k++) {
        r->status = td_world_step(r->world, &r->diag);
    }
    return r->status == TD_OK;
}

// Seconds of a step; *bytes gets the world after the last, for the caller to free.
static double seconds_of(const bench *b, int32_t pairs, int32_t threads, char **bytes,
                         size_t *size) {
    islands_run r = {.diag = {.message = ""}};
    double seconds = -1;
    *bytes = NULL;
    r.status = make_world(pairs, threads, &r.world, &r.diag);
    if (r.status == TD_OK && run(&r) && td_world_contacts(r.world, NULL, 0) >= pairs) {
        *size = r.size = td_world_save_size(r.world);
        r.start = malloc(r.size);
        *bytes = malloc(r.size);
        if (r.start && *bytes) {
            const bench_work work = {prepare, run, &r};
            td_world_save(r.world, r.start);
            seconds = bench_fastest(&work, b->seconds) / STEPS;
            td_world_save(r.world, *bytes);
        }
    } else if (r.status == TD_OK) {
        snprintf(r.diag.message, sizeof r.diag.message, "the strands do not touch");
        r.status = TD_ERR_STRUCTURE;
    }
    if (seconds < 0) {
        bench_fault(b, "pairs", r.status, &r.diag);
    }
    free(r.start);
    td_world_free(r.world);
    return seconds;
}

bool bench_islands(const bench *b) {
    double n[COUNTS], cost[COUNTS], seconds[2] = {-1, -1};
    char *bytes[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    for (int k = 0; k < COUNTS; k++) {
        n[k] = counts[k];
        free(bytes[0]);
        cost[k] = seconds_of(b, counts[k], 1, &bytes[0], &size[0]);
        if (cost[k] < 0) {
            free(bytes[0]);
            return false;
        }
        bench_row(b, counts[k], 1e6 * cost[k] / n[k], "us/pair/step", "one thread");
    }
    seconds[0] = cost[COUNTS - 1];
    seconds[1] = seconds_of(b, counts[COUNTS - 1], 2, &bytes[1], &size[1]);
    const bool same = seconds[1] > 0 && size[0] == size[1] && !memcmp(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    if (seconds[1] < 0) {
        return false;
    }
    bench_row(b, counts[COUNTS - 1], 1e6 * seconds[1] / n[COUNTS - 1], "us/pair/step",
              "two threads");
    bench_row(b, counts[COUNTS - 1], seconds[0] / seconds[1], "x", "two threads over one");
    bench_row(b, counts[COUNTS - 1], same, "yes/no", "same bits on both");
    bench_row(b, COUNTS, bench_exponent(n, cost, COUNTS), "", "exponent of cost over pairs");
    return same;
}
