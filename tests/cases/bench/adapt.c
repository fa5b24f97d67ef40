// SPDX-License-Identifier: MIT
// tendril bench adaptive: trees of which only some joints move.
//
// Published  the paper's pendulum of 300 links: time of a step by active joints and by forces that
//            act, a choice of joints every 20 steps, beside the paper's table 1. Column 300 is the
//            divide-and-conquer algorithm without choices, as there.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>

#define LINKS 300
#define EVERY 20
#define DT    1e-4 // s

enum { COLUMNS = 7, ROWS = 6 };
static const int32_t joints[COLUMNS] = {1, 50, 100, 150, 200, 250, LINKS};
static const int32_t forces[ROWS] = {1, 5, 10, 20, 50, 250};
// ms, on a Pentium of 2.8 GHz
static const double table_1[ROWS][COLUMNS] = {
    {0.02, 0.51, 1.71, 2.97, 4.04, 5.40, 5.89}, {0.07, 0.49, 1.54, 3.21, 4.34, 5.19, 5.89},
    {0.16, 0.73, 1.47, 3.03, 4.22, 5.16, 5.88}, {0.40, 0.90, 1.60, 3.00, 4.72, 5.56, 5.90},
    {0.98, 1.40, 2.16, 3.58, 4.99, 5.59, 5.92}, {1.83, 2.30, 2.97, 4.28, 5.43, 6.31, 6.04}};

// ---- pendulums ------------------------------------------------------------------------------

typedef struct pendulum {
    case_plant tree;
    td_adapt *adapt;
    td_load *loads;
    td_step_opts opts;
    td_diag diag;
} pendulum;

static void pendulum_close(pendulum *p) {
    td_adapt_free(p->adapt);
    case_plant_free(&p->tree);
    free(p->loads);
    *p = (pendulum){.adapt = NULL};
}

// A wave in the pendulum, so that all joints move, and forces spread over its links.
static bool pendulum_open(const bench *b, int32_t links, const td_adapt_opts *opts, int32_t force,
                          pendulum *p) {
    const bench_tree shape = {
        .shape = BENCH_CHAIN, .count = links, .limp = true, .hangs = true, .hinged = true};
    *p = (pendulum){.opts = td_step_opts_default()};
    if (!bench_build(b, &shape, &p->tree)) {
        return false;
    }
    p->loads = calloc((size_t)force + 1, sizeof *p->loads);
    td_status status =
        p->loads ? td_adapt_new(p->tree.state, opts, NULL, &p->adapt, &p->diag) : TD_ERR_MEMORY;
    if (status != TD_OK) {
        bench_fault(b, "a pendulum", status, &p->diag);
        pendulum_close(p);
        return false;
    }
    double *v = td_tree_velocities(p->tree.state);
    for (int32_t d = 0; d < td_body_dof_count(p->tree.model); d++) {
        v[d] = 0.1 * sin(0.1 * d);
    }
    td_tree_state_changed(p->tree.state);
    td_adapt_changed(p->adapt);
    for (int32_t k = 0; k < force; k++) {
        p->loads[k] = (td_load){.kind = TD_LOAD_FORCE,
                                .segment = (int32_t)(((int64_t)links * (2 * k + 1)) / (2 * force)),
                                .vector = {k % 2 ? 1e-4 : -1e-4, 0, 0}};
    }
    p->opts.dt = DT;
    p->opts.loads = p->loads;
    p->opts.load_count = force;
    return true;
}

static bool step_pendulum(void *context) {
    pendulum *p = context;
    bool fine = true;
    for (int k = 0; k < EVERY && fine; k++) { // with one choice
        fine = td_adapt_step(p->adapt, &p->opts, &p->diag) == TD_OK;
    }
    return fine;
}

// Seconds of a step; negative when one failed, which has been told.
static double time_step(const bench *b, int32_t links, const td_adapt_opts *opts, int32_t force) {
    pendulum p;
    if (!pendulum_open(b, links, opts, force, &p)) {
        return -1;
    }
    const bench_work work = {.run = step_pendulum, .context = &p};
    step_pendulum(&p); // the first choice is of all joints
    const double seconds = bench_fastest(&work, 0.2 * b->seconds);
    if (seconds < 0) {
        bench_fault(b, "a step of a pendulum", TD_ERR_DIVERGED, &p.diag);
    }
    pendulum_close(&p);
    return seconds / EVERY;
}

// ---- table 1 --------------------------------------------------------------------------------

static td_adapt_opts column_opts(int column) {
    td_adapt_opts opts = td_adapt_opts_default();
    opts.joints = joints[column];
    opts.every = joints[column] == LINKS ? 0 : EVERY;
    return opts;
}

// The first and the last column again, in turns: neighbours of the machine come and go.
static bool compare(const bench *b, int row, double *one, double *all) {
    const td_adapt_opts first = column_opts(0), last = column_opts(COLUMNS - 1);
    for (int k = 0; k < 3; k++) {
        const double x = time_step(b, LINKS, &first, forces[row]);
        const double y = time_step(b, LINKS, &last, forces[row]);
        if (x < 0 || y < 0) {
            return false;
        }
        *one = fmin(*one, x);
        *all = fmin(*all, y);
    }
    return true;
}

static bool table_row(const bench *b, int row) {
    double seconds[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) {
        const td_adapt_opts opts = column_opts(k);
        seconds[k] = time_step(b, LINKS, &opts, forces[row]);
        if (seconds[k] < 0) {
            return false;
        }
        bench_row(b, joints[k], 1e3 * seconds[k], "ms/step",
                  "table 1: active joints of 300, with %d forces", (int)forces[row]);
        bench_row(b, joints[k], table_1[row][k], "ms/step",
                  "table 1: active joints of 300, with %d forces" BENCH_ELSEWHERE,
                  (int)forces[row]);
    }
    if (!compare(b, row, &seconds[0], &seconds[COLUMNS - 1])) {
        return false;
    }
    bench_row(b, LINKS, seconds[COLUMNS - 1] / seconds[0], "times",
              "one active joint against all, with %d forces", (int)forces[row]);
    bench_row(b, LINKS, table_1[row][COLUMNS - 1] / table_1[row][0], "times",
              "one active joint against all, with %d forces" BENCH_ELSEWHERE, (int)forces[row]);
    return true;
}

// ---- what else a step costs -----------------------------------------------------------------

static bool explicit_step(void *context) {
    pendulum *p = context;
    return td_body_step(p->tree.state, &p->opts, NULL, &p->diag) == TD_OK;
}

// The articulated-body algorithm does the same in less time, as long as all joints move.
static bool time_explicit(const bench *b) {
    const td_adapt_opts opts = td_adapt_opts_default();
    pendulum p;
    if (!pendulum_open(b, LINKS, &opts, 1, &p)) {
        return false;
    }
    p.opts.integrator = TD_EULER;
    const bench_work work = {.run = explicit_step, .context = &p};
    const double seconds = bench_fastest(&work, 0.2 * b->seconds);
    bench_row(b, LINKS, 1e3 * seconds, "ms/step", "all joints by the articulated-body algorithm");
    pendulum_close(&p);
    return seconds >= 0;
}

// Ten active joints and a choice every step, in longer and longer pendulums.
static bool time_choices(const bench *b) {
    static const int32_t links[] = {100, 300, 1000, 3000, 10000};
    enum { SIZES = sizeof links / sizeof *links };
    double x[SIZES], y[SIZES];
    for (int k = 0; k < SIZES; k++) {
        td_adapt_opts opts = td_adapt_opts_default();
        opts.joints = 10;
        opts.every = 1;
        x[k] = links[k];
        y[k] = time_step(b, links[k], &opts, 1);
        if (y[k] < 0) {
            return false;
        }
        bench_row(b, links[k], 1e3 * y[k], "ms/step",
                  "a step with a choice, 10 active joints and a force");
    }
    bench_row(b, links[SIZES - 1], bench_exponent(x, y, SIZES), "",
              "exponent of that by the number of links");
    return true;
}

static bool memory_of(const bench *b) {
    const td_adapt_opts opts = td_adapt_opts_default();
    pendulum p;
    if (!pendulum_open(b, LINKS, &opts, 0, &p)) {
        return false;
    }
    bench_row(b, LINKS, (double)td_adapt_bytes(p.adapt) / LINKS, "bytes/joint",
              "memory of the assembly tree");
    pendulum_close(&p);
    return true;
}

// ---- entry ----------------------------------------------------------------------------------

static bool as_published(const bench *b) {
    bool fine = true;
    for (int row = 0; row < ROWS && fine; row++) {
        fine = table_row(b, row);
    }
    return fine && time_explicit(b) && time_choices(b) && memory_of(b);
}

bool bench_adaptive(const bench *b) {
    return as_published(b) && bench_reduced(b) && bench_forest(b);
}
