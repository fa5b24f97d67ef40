// SPDX-License-Identifier: MIT
// The case of storms: random plants in strong wind with gusts and turbulence, as trees and as rods.
// Every step must converge, and in the still air afterwards no energy may appear.

#include "cases/storm.h"
#include "cases/validate/validate.h"

#include <math.h>

#define PLANTS 200 // with --long
#define WINDS  5
#define BLOWN  1.0 // s: of wind
#define CALM   0.5 // s: of still air afterwards
// of all energy: a stiff plant bears a million times what a breeze puts into it, as weight
#define ROUNDING 5e-16

static const double speeds[WINDS] = {5, 10, 20, 40, 60}; // m/s
enum { SOLVERS = 3 };
static const char *const names[SOLVERS] = {"tree", "rod", "helix"};
static const double most[SOLVERS] = {8.5, 9.5, 10}; // iterations a step above 20 m/s

typedef struct outcome {
    td_step_stats wind[WINDS]; // of all plants
    int32_t failed;            // runs
    double gained;             // the most that energy rose in still air, over what the wind put in
} outcome;

// Backward Euler, which never adds energy: that of BDF2 ripples.
static td_status calm_down(storm *s, double rest, double *gained) {
    const int32_t steps = (int32_t)round(CALM / s->opts.dt);
    // what the wind put in is above 0, or every gain would count as a loss
    const double start = storm_energy(s), put_in = start > rest ? start - rest : (double)NAN;
    double least = start;
    td_status status = TD_OK;
    storm_calm(s);
    s->opts.integrator = TD_IMPLICIT_EULER;
    for (int32_t i = 0; status == TD_OK && i < steps; i++) {
        status = storm_step(s);
        const double now = storm_energy(s), unseen = ROUNDING * fabs(now);
        *gained = val_worse((now - least - unseen) / put_in, *gained);
        least = fmin(least, now);
    }
    return status;
}

static void add_stats(td_step_stats *sum, const td_step_stats *one) {
    sum->steps += one->steps;
    sum->iterations += one->iterations;
    sum->unconverged += one->unconverged;
    sum->halved += one->halved;
}

static void run_storm(val_report *report, uint64_t seed, const char *solver, int wind, double dt,
                      outcome *out) {
    const int32_t steps = (int32_t)round(BLOWN / dt);
    storm s;
    td_status status = storm_open(&s, seed, solver, speeds[wind], dt);
    report->diag = s.diag;
    val_must(report, "a plant in a storm", (int64_t)seed, status);
    const double rest = storm_energy(&s);
    for (int32_t i = 0; status == TD_OK && i < steps; i++) {
        status = storm_step(&s);
    }
    add_stats(&out->wind[wind], &s.stats);
    status = status == TD_OK ? calm_down(&s, rest, &out->gained) : status;
    out->failed += status != TD_OK;
    storm_close(&s);
}

static void rows(val_report *report, int by, int32_t plants, const outcome *out) {
    const char *solver = names[by];
    td_step_stats all = {0};
    for (int k = 0; k < WINDS; k++) {
        const td_step_stats *w = &out->wind[k];
        add_stats(&all, w);
        val_at_most(report, val_text(report, "iterations a step at %g m/s, %s", speeds[k], solver),
                    w->steps, (double)w->iterations / (double)w->steps,
                    speeds[k] <= 20 ? 6 : most[by]);
    }
    val_at_most(report, val_text(report, "runs that failed, %s", solver), plants * WINDS,
                out->failed, 0);
    val_at_most(report, val_text(report, "steps left unconverged, %s", solver), all.steps,
                (double)all.unconverged, 0);
    val_at_most(report, val_text(report, "steps taken in halves, %s", solver), all.steps,
                (double)all.halved, 0.02 * (double)all.steps);
    val_at_most(report, val_text(report, "energy gained in still air, %s", solver), plants * WINDS,
                out->gained, 1e-9);
}

// Every plant in every wind, by turns at 1/60 and 1/30 s.
void val_storms(val_report *report) {
    const int32_t plants = val_tries(report, PLANTS);
    for (int solver = 0; solver < SOLVERS; solver++) {
        outcome out = {.failed = 0};
        for (int plant = 0; plant < plants; plant++) {
            for (int k = 0; k < WINDS; k++) {
                const double dt = (plant + k) % 2 ? 1.0 / 30 : 1.0 / 60;
                run_storm(report, (uint64_t)(plant * (PLANTS / plants)) + 1, names[solver], k, dt,
                          &out);
            }
            val_progress(report, (solver + (plant + 1.0) / plants) / SOLVERS);
        }
        rows(report, solver, plants, &out);
    }
}
