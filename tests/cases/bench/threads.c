// SPDX-License-Identifier: MIT
// tendril bench threads: what all cores make of many plants, and of a large one.
//
// Method   The same steps on one thread and on one a core. What comes out is the same to the bit,
//          so the times alone differ.

#include "cases/bench/bench.h"

#include <stdlib.h>

#define MANY        1000   // plants
#define MANY_BODIES 50     // of each
#define LARGE       100000 // bodies
#define STEPS       10     // of a run

typedef struct threads_run {
    td_body **states; // of many plants, or of one
    td_step_opts *opts;
    int32_t count;
    td_pool *pool;
    td_status status;
    td_diag diag;
} threads_run;

static void prepare(void *context) {
    threads_run *r = context;
    for (int32_t k = 0; k < r->count; k++) {
        case_must(td_body_reset(r->states[k], NULL));
    }
}

static bool run_many(void *context) {
    threads_run *r = context;
    for (int i = 0; i < STEPS && r->status == TD_OK; i++) {
        r->status = td_body_step_many(r->states, r->opts, r->count, r->pool, NULL, &r->diag);
    }
    return r->status == TD_OK;
}

static bool run_one(void *context) {
    threads_run *r = context;
    r->opts->pool = r->pool;
    for (int i = 0; i < STEPS && r->status == TD_OK; i++) {
        r->status = td_body_step(r->states[0], r->opts, NULL, &r->diag);
    }
    return r->status == TD_OK;
}

// ---- measuring ------------------------------------------------------------------------------

// Seconds of a run on a number of threads; negative, and told, when it failed.
static double seconds_on(const bench *b, const char *name, threads_run *r, int32_t threads) {
    td_status status = td_pool_new(threads, NULL, &r->pool, NULL);
    if (status != TD_OK) {
        bench_fault(b, name, status, NULL);
        return -1;
    }
    bench_work work = {prepare, r->count > 1 ? run_many : run_one, r};
    double seconds = bench_fastest(&work, b->seconds);
    td_pool_free(r->pool);
    if (seconds < 0) {
        bench_fault(b, name, r->status, &r->diag);
    }
    return seconds;
}

static bool compare(const bench *b, const char *name, threads_run *r, int64_t bodies) {
    const int32_t threads[2] = {1, case_core_count()};
    double seconds[2];
    for (int k = 0; k < 2; k++) {
        seconds[k] = seconds_on(b, name, r, threads[k]);
        if (seconds[k] < 0) {
            return false;
        }
        bench_row(b, bodies, 1e9 * seconds[k] / STEPS / (double)bodies, "ns/body/step",
                  "%s, threads %d", name, threads[k]);
    }
    bench_row(b, bodies, seconds[0] / seconds[1], "x", "%s, threads %d", name, threads[1]);
    return true;
}

// ---- plants ---------------------------------------------------------------------------------

// `count` plants of one model, all let go from the same pose.
static bool compare_plants(const bench *b, const char *name, int32_t count, int32_t bodies) {
    const bench_tree plant = {.shape = BENCH_PLANT, .count = bodies};
    threads_run r = {.status = TD_OK, .diag = {.message = ""}};
    case_plant tree;
    if (!bench_build(b, &plant, &tree)) {
        return false;
    }
    td_status status = TD_OK;
    r.states = calloc((size_t)count, sizeof(td_body *));
    r.opts = calloc((size_t)count, sizeof *r.opts);
    bool fine = r.states && r.opts;
    for (; fine && r.count < count && status == TD_OK; r.count += status == TD_OK) {
        r.opts[r.count] = td_step_opts_default();
        status = td_body_new(tree.model, NULL, &r.states[r.count], &r.diag);
    }
    fine = fine && status == TD_OK ? compare(b, name, &r, (int64_t)count * bodies)
                                   : bench_fault(b, name, TD_ERR_MEMORY, &r.diag);
    for (int32_t k = 0; k < r.count; k++) {
        td_body_free(r.states[k]);
    }
    free(r.states);
    free(r.opts);
    case_plant_free(&tree);
    return fine;
}

bool bench_threads(const bench *b) {
    bool many = compare_plants(b, "1000 plants", MANY, MANY_BODIES);
    return compare_plants(b, "large plant", 1, LARGE) && many;
}
