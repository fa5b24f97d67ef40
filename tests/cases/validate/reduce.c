// SPDX-License-Identifier: MIT
// Implicit steps of trees of which only some joints move: errors and their estimate, and energy.

#include "cases/reduce_motion.h"
#include "cases/validate/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 10
#define FRAMES  60 // steps a second
#define FACTOR  3.0

// What a call of the motion returned.
static void must(val_report *report, const reduce_case *of, const reduce_motion *m, bool done) {
    report->diag = m->diag;
    val_must(report, of->name, m->count, done ? TD_OK : TD_ERR_READ);
}

// ---- errors ---------------------------------------------------------------------------------

static void check_estimate(val_report *report, const reduce_case *of, double error) {
    td_reduce_opts opts = td_reduce_opts_default();
    reduce_motion m;
    char name[120];
    opts.error = error;
    must(report, of, &m, reduce_motion_open(&m, of, &opts));
    for (int k = 0; k < SECONDS * FRAMES; k++) {
        must(report, of, &m, reduce_motion_step(&m));
    }
    const double looks = (double)m.looks;
    snprintf(name, sizeof name, "%s, error %g m allowed: error over estimate", of->name, error);
    val_at_most(report, name, m.count, sqrt(m.error / m.estimate), FACTOR);
    snprintf(name, sizeof name, "%s, error %g m allowed: estimate over error", of->name, error);
    val_at_most(report, name, m.count, sqrt(m.estimate / m.error), FACTOR);
    snprintf(name, sizeof name, "%s, error %g m allowed: joints that move, of all", of->name,
             error);
    val_at_most(report, name, m.count, m.joints / looks / m.count, 1);
    reduce_motion_close(&m);
}

static void check_exact(val_report *report, const reduce_case *of) {
    const td_reduce_opts opts = td_reduce_opts_default();
    reduce_motion m;
    must(report, of, &m, reduce_motion_open(&m, of, &opts));
    for (int k = 0; k < FRAMES; k++) {
        must(report, of, &m, reduce_motion_step(&m));
    }
    val_at_most(report, "error 0 m allowed: error of tips, m", m.count,
                sqrt(m.error / (double)m.looks), 1e-10);
    reduce_motion_close(&m);
}

// The largest acceleration of a tip, m/s^2, from one step to the next.
static double jolt(reduce_motion *m, td_vec3 *before, td_vec3 *rate) {
    td_body *whole = m->reduced;
    double most = 0;
    for (int32_t i = 0; i < m->count; i++) {
        const td_vec3 x = td_body_tip(whole, i);
        const td_vec3 v = {FRAMES * (x.x - before[i].x), FRAMES * (x.y - before[i].y),
                           FRAMES * (x.z - before[i].z)};
        most = fmax(most, FRAMES * hypot(v.x - rate[i].x, hypot(v.y - rate[i].y, v.z - rate[i].z)));
        before[i] = x;
        rate[i] = v;
    }
    return most;
}

// Half of the time nothing is reduced, half of it a lot.
static double largest_jolt(val_report *report, const reduce_case *of, double error) {
    td_reduce_opts opts = td_reduce_opts_default();
    reduce_motion m;
    must(report, of, &m, reduce_motion_open(&m, of, &opts));
    td_vec3 *before = val_memory(report, of->name, 2 * (size_t)m.count, sizeof *before);
    double most = 0;
    for (int k = 0; k < SECONDS * FRAMES; k++) {
        opts.error = k / 45 % 2 ? error : 0;
        case_must(td_reduced_set(m.reduced, &opts, NULL));
        must(report, of, &m, reduce_motion_step(&m));
        const double now = jolt(&m, before, before + m.count);
        most = k > 2 ? fmax(most, now) : most;
    }
    free(before);
    reduce_motion_close(&m);
    return most;
}

static void check_jumps(val_report *report) {
    const double with = largest_jolt(report, &reduce_orchid, 0.003),
                 without = largest_jolt(report, &reduce_orchid, 0);
    // letting go of the branch is the largest there is without changes
    val_at_most(report, "largest acceleration of a tip while the error changes, m/s^2",
                SECONDS * FRAMES, with, 1.5 * without);
}

void val_adaptive_error(val_report *report) {
    check_exact(report, &reduce_orchid);
    check_jumps(report);
    check_estimate(report, &reduce_pendulum, 0.1);
    check_estimate(report, &reduce_orchid, 0.003);
    val_progress(report, 0.3);
    check_estimate(report, &reduce_willow, 0.05);
    check_estimate(report, &reduce_jungle, 0.005);
    check_estimate(report, &reduce_palm, 0.003);
}

// ---- energy ---------------------------------------------------------------------------------

static double energy_of(td_body *s) {
    const td_energy e = td_body_energy(s, td_step_opts_default().gravity);
    return e.kinetic + e.elastic + e.weight;
}

// Every few steps other joints are frozen. Nothing acts but weight.
static void check_energy(val_report *report, int32_t steps) {
    const td_reduce_opts none = td_reduce_opts_default();
    reduce_motion m;
    uint64_t seed = 7;
    must(report, &reduce_pendulum, &m, reduce_motion_open(&m, &reduce_pendulum, &none));
    uint8_t *modes = val_memory(report, "pendulum", (size_t)m.count, 1);
    double least = energy_of(m.reduced), size = 0, gain = 0;
    for (int32_t k = 0; k < steps; k++) {
        for (int32_t i = 0; k % 7 == 0 && i < m.count; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            modes[i] = seed >> 62 ? TD_REDUCE_OWN : TD_REDUCE_FROZEN;
        }
        td_reduced_set_modes(m.reduced, modes);
        m.opts.dt = 0.002;
        val_must(report, "pendulum", k, td_body_step(m.reduced, &m.opts, NULL, &report->diag));
        const double now = energy_of(m.reduced);
        gain = fmax(gain, now - least);
        least = fmin(least, now);
        size = fmax(size, fabs(now));
    }
    val_at_most(report, "gain without outside work, of the energy", steps, gain / size, 1e-3);
    free(modes);
    reduce_motion_close(&m);
}

// While the error that is allowed goes from nothing to much and back.
static void change_error(reduce_motion *m, int k, double error) {
    td_reduce_opts opts = td_reduce_opts_default();
    opts.error = k / 40 % 2 ? error : k / 40 % 4 ? error / 10 : 0;
    case_must(td_reduced_set(m->reduced, &opts, NULL));
}

// Any modes, every seven steps others.
static void change_modes(val_report *report, reduce_motion *m, int k, uint64_t *seed) {
    if (k % 7 == 0) {
        uint8_t *modes = val_memory(report, "modes", (size_t)m->count, 1);
        for (int32_t i = 0; i < m->count; i++) {
            *seed = *seed * 6364136223846793005u + 1442695040888963407u;
            modes[i] = (uint8_t)(*seed >> 62);
        }
        td_reduced_set_modes(m->reduced, modes);
        free(modes);
    }
}

// Pulled and let go in still air, with all ways of leaving out joints: by an error that is allowed,
// or by hand.
static void check_changes(val_report *report, const reduce_case *of, double error) {
    const td_reduce_opts opts = td_reduce_opts_default();
    reduce_case still = *of;
    reduce_motion m;
    uint64_t seed = 11;
    char name[120];
    still.wind = 0;
    still.pulled = true;
    still.relaxation = error > 0 ? 0.01 : 0.001;
    must(report, of, &m, reduce_motion_open(&m, &still, &opts));
    double rest = energy_of(m.reduced), released = 0, least = 0, gain = 0;
    for (int k = 0; k < 5 * FRAMES; k++) {
        const bool released_now = m.opts.load_count == 0 && k > 0;
        if (error > 0) {
            change_error(&m, k, error);
        } else if (released_now) {
            change_modes(report, &m, k, &seed);
        }
        must(report, of, &m, reduce_motion_step(&m));
        const double now = energy_of(m.reduced) - rest;
        const bool pulls = m.opts.load_count > 0;
        released = pulls ? now : released;
        gain = pulls ? 0 : fmax(gain, now - least);
        least = pulls ? now : fmin(least, now);
    }
    snprintf(name, sizeof name, "%s, let go: gain by changes%s, of the energy", of->name,
             error > 0 ? "" : " by hand");
    val_at_most(report, name, m.count, gain / released, 1e-3);
    reduce_motion_close(&m);
}

void val_reduced_energy(val_report *report) {
    check_energy(report, val_tries(report, 100000));
    check_changes(report, &reduce_orchid, 0.003);
    check_changes(report, &reduce_palm, 0.03);
    check_changes(report, &reduce_orchid, 0);
    check_changes(report, &reduce_palm, 0);
}
