// SPDX-License-Identifier: MIT
// tendril bench adaptive: implicit steps of trees of which only some joints move.
//
// Method   a plant is stepped twice in the same wind or by the same hand, whole and reduced, for
//          six seconds. The error is that of the tips, rms over tips and steps, of their motion
//          from where they began. Speed-up is that of the steps, choices and changes included,
//          without the wind, which a world asks for at fewer places: what acted is recorded, and
//          both run through it by turns, each alone, because a step of the one or a look at all
//          tips leaves the cache cold for the other. The shortest time of each counts.

#include "cases/bench/bench.h"
#include "cases/reduce_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS   360
#define REPEATS 8   // of the timed runs, at most,
#define ENOUGH  0.5 // s: but no more after this

static const struct {
    const char *name;
    uint32_t modes;
} sets[] = {{"together", ~0u},
            {"frozen", 1u << TD_REDUCE_FROZEN},
            {"coarse", 1u << TD_REDUCE_JOINED},
            {"quasistatic", 1u << TD_REDUCE_QUASISTATIC},
            {"fewer iterations", 0}};
enum { SETS = sizeof sets / sizeof sets[0] };

// ---- what acted -----------------------------------------------------------------------------

typedef struct record {
    td_step_opts opts[STEPS];
    td_load hand[STEPS];
    td_vec3 *winds; // a step and a segment
} record;

static record *record_new(int32_t segments) {
    record *r = calloc(1, sizeof *r);
    if (r) {
        r->winds = calloc((size_t)segments * STEPS, sizeof *r->winds);
    }
    return r;
}

static void record_free(record *r) {
    if (r) {
        free(r->winds);
        free(r);
    }
}

static void record_step(record *r, const reduce_motion *m, int step) {
    td_vec3 *winds = r->winds + (size_t)step * (size_t)m->count;
    r->opts[step] = m->opts;
    r->hand[step] = m->hand;
    r->opts[step].loads = &r->hand[step];
    if (m->opts.winds) {
        memcpy(winds, m->opts.winds, (size_t)m->count * sizeof *winds);
        r->opts[step].winds = winds;
    }
}

// ---- time -----------------------------------------------------------------------------------

static double seconds_since(clock_t start) {
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

// s of processor time for all steps of a body, which it frees; not a number if one failed.
static double time_of(td_body *body, const record *r) {
    td_status status = body ? TD_OK : TD_ERR_MEMORY;
    const clock_t start = clock();
    for (int k = 0; k < STEPS && status == TD_OK; k++) {
        status = td_body_step(body, &r->opts[k], NULL, NULL);
    }
    const double seconds = seconds_since(start);
    td_body_free(body);
    return status == TD_OK ? seconds : NAN;
}

static double time_full(const reduce_motion *m, const record *r) {
    td_body *body = NULL;
    case_must(td_body_new(m->model, NULL, &body, NULL));
    return time_of(body, r);
}

static double time_reduced(const reduce_motion *m, const record *r, const td_reduce_opts *opts) {
    td_body *body = NULL;
    case_must(td_reduced_new(m->model, opts, NULL, &body, NULL));
    return time_of(body, r);
}

static double speed_up(const reduce_motion *m, const record *r, const td_reduce_opts *opts) {
    double full = INFINITY, reduced = INFINITY;
    const clock_t start = clock();
    for (int k = 0; k < REPEATS && (k == 0 || seconds_since(start) < ENOUGH); k++) {
        full = fmin(full, time_full(m, r));
        reduced = fmin(reduced, time_reduced(m, r, opts));
    }
    return full / reduced;
}

// ---- rows -----------------------------------------------------------------------------------

static bool point(const bench *b, const reduce_case *of, double error, int set, bool first) {
    td_reduce_opts opts = td_reduce_opts_default();
    reduce_motion m;
    opts.error = error;
    opts.modes = sets[set].modes;
    bool fine = reduce_motion_open(&m, of, &opts);
    record *acted = fine ? record_new(m.count) : NULL;
    fine = acted && acted->winds;
    for (int k = 0; fine && k < STEPS; k++) {
        fine = reduce_motion_step(&m);
        record_step(acted, &m, k);
    }
    if (!fine) {
        bench_fault(b, of->name, TD_ERR_READ, &m.diag);
        record_free(acted);
        reduce_motion_close(&m);
        return false;
    }
    const double looks = (double)m.looks;
    bench_row(b, m.count, speed_up(&m, acted, &opts), "times",
              "%s, %s, error %g m allowed: speed-up", of->name, sets[set].name, error);
    bench_row(b, m.count, 100 * sqrt(m.error / m.moved), "% of the motion",
              "%s, %s, error %g m allowed: error", of->name, sets[set].name, error);
    bench_row(b, m.count, sqrt(m.estimate / m.error), "times",
              "%s, %s, error %g m allowed: estimate over error", of->name, sets[set].name, error);
    bench_row(b, m.count, m.joints / looks, "joints",
              "%s, %s, error %g m allowed: joints that move", of->name, sets[set].name, error);
    if (first) {
        bench_row(b, m.count, (double)td_body_bytes(m.reduced) / m.count, "bytes",
                  "%s: memory a joint", of->name);
    }
    record_free(acted);
    reduce_motion_close(&m);
    return true;
}

bool bench_reduced(const bench *b) {
    static const struct {
        const reduce_case *of;
        double errors[3];
    } cases[] = {{&reduce_willow, {0.02, 0.05, 0.1}},
                 {&reduce_palm, {0.002, 0.004, 0.01}},
                 {&reduce_jungle, {0.004, 0.008, 0.012}},
                 {&reduce_orchid, {0.0003, 0.001, 0.003}},
                 {&reduce_oak, {0.0003, 0.001, 0.003}}};
    bool fine = true;
    for (size_t c = 0; fine && c < sizeof cases / sizeof cases[0]; c++) {
        for (int set = 0; fine && set < SETS; set++) {
            for (int k = 0; fine && k < (set == 0 ? 3 : 1); k++) {
                fine = point(b, cases[c].of, cases[c].errors[set == 0 ? k : 1], set,
                             set == 0 && k == 0);
            }
        }
    }
    return fine;
}
