// SPDX-License-Identifier: MIT
// Cases of energy of helices: what the implicit rules do to it, and their orders.

#include "cases/validate/helix.h"

#include <math.h>

enum { MOST = 5 };

// Random helices that start with all curvatures moving.
typedef struct swing {
    td_helix_element elements[VAL_HELIX_MOST];
    val_body helix;
    td_vec3 rates[VAL_HELIX_MOST];
} swing;

static bool swing_open(val_report *report, val_random *random, const val_helix_wild *wild,
                       double speed, swing *s) {
    const int32_t count = val_helix_draw(random, wild, s->elements);
    for (int32_t i = 0; i < count; i++) {
        s->rates[i] = val_in_ball(random, speed / s->elements[i].length);
    }
    return val_helix_new(report, s->elements, count, &s->helix);
}

static bool swing_start(val_report *report, swing *s) {
    if (!val_helix_restart(report, &s->helix)) {
        return false;
    }
    case_must(td_helix_set_curvatures(s->helix.state, NULL, s->rates));
    return true;
}

// ---- energy ---------------------------------------------------------------------------------

// Energy at the start, and how far that is above the nearest rest; without gravity that is at 0.
static bool energy_put_in(val_report *report, swing *s, const td_step_opts *opts, double *energy,
                          double *put_in) {
    bool fine = swing_start(report, s);
    *energy = *put_in = fine ? val_energy(&s->helix, opts->gravity) : 0;
    if (fine && opts->gravity.y != 0) {
        fine = val_settle(report, &s->helix, opts, "rest of random helices");
        *put_in -= fine ? val_energy(&s->helix, opts->gravity) : 0;
    }
    return fine;
}

// 3 s from the start
static bool follow_energy(val_report *report, swing *s, const td_step_opts *opts, double energy,
                          double put_in, val_losses *worst) {
    val_ledger l = val_ledger_open(energy, put_in, opts->dt);
    const int32_t steps = (int32_t)round(3 / opts->dt);
    bool fine = swing_start(report, s);
    for (int32_t i = 0; fine && i < steps; i++) {
        fine = val_step(report, &s->helix, opts, "energy of random helices");
        val_ledger_add(&l, val_energy(&s->helix, opts->gravity), worst);
    }
    return fine;
}

static const double frame_steps[3] = {1.0 / 30, 1.0 / 60, 1.0 / 240};

// Every third floats without gravity; the others hang from a clamped start with it. Every other
// has no friction at all.
static bool one_swing(val_report *report, val_random *random, int32_t index,
                      val_losses worst[2][3]) {
    const val_helix_wild wild = {.least = 1,
                                 .most = MOST,
                                 .bend = 3,
                                 .off = 0.5,
                                 .soft = 3e-5,
                                 .stiff = 0.1,
                                 .damping = index % 2 ? 0.05 : 0,
                                 .aside = true,
                                 .floating = index % 3 == 0};
    td_step_opts opts = td_step_opts_default();
    swing s;
    double energy, put_in;
    opts.gravity.y = wild.floating ? 0 : opts.gravity.y;
    opts.tolerance = 1e-6; // of what tumbles slowly 1e-4 rad leaves an error of 1e-6 a second
    if (!swing_open(report, random, &wild, 5, &s)) {
        return false;
    }
    bool fine = energy_put_in(report, &s, &opts, &energy, &put_in);
    for (int k = 0; fine && k < 6; k++) {
        opts.integrator = k % 2 ? TD_IMPLICIT : TD_IMPLICIT_EULER;
        opts.dt = frame_steps[k / 2];
        fine = follow_energy(report, &s, &opts, energy, put_in, &worst[k % 2][k / 2]);
    }
    val_body_free(&s.helix);
    return fine;
}

static void energy_of_swings(val_report *report) {
    const int32_t count = 12;
    val_losses worst[2][3] = {{{0}}};
    val_random random = {51};
    for (int32_t i = 0; i < count; i++) {
        val_progress(report, 0.8 * i / count);
        if (!one_swing(report, &random, i, worst)) {
            return;
        }
    }
    for (int k = 0; k < 3; k++) {
        val_losses_rows(report, count, (int)round(1 / frame_steps[k]), &worst[0][k], &worst[1][k]);
    }
}

// ---- damping by the rule itself -------------------------------------------------------------

static bool mean_energy(val_report *report, val_body *helix, const td_step_opts *opts,
                        double *mean) {
    double sum = 0;
    for (int32_t i = 0; i < 60; i++) {
        if (!val_step(report, helix, opts, "damping of a 1 Hz sway")) {
            return false;
        }
        sum += val_energy(helix, opts->gravity);
    }
    *mean = sum / 60;
    return true;
}

// A beam without friction that sways at 1 Hz: E falls as exp(-2 zeta omega t). The first two
// seconds are left to the faster modes.
static void sway_damping(val_report *report) {
    val_rod beam = val_thesis_beam(5);
    val_body helix;
    td_step_opts opts = td_step_opts_default();
    double mean[23] = {0};
    // f = (beta l)^2/(2 pi l^2) sqrt(E r^2/(4 rho)) = 1 Hz, beta l = 1.8751
    const double speed = 2 * VAL_PI / (1.8751040687 * 1.8751040687);
    beam.young = 4 * beam.density * speed * speed / (beam.radius * beam.radius);
    if (!val_helix_beam(report, &beam, &helix)) {
        return;
    }
    opts.gravity.y *= 0.01;
    bool fine = val_settle(report, &helix, &opts, "damping of a 1 Hz sway");
    opts.gravity.y = 0;
    for (int32_t i = 0; fine && i < 23; i++) {
        fine = mean_energy(report, &helix, &opts, &mean[i]);
    }
    if (fine) {
        val_at_most(report, "damping ratio of a 1 Hz sway, implicit at 1/60 s", beam.count,
                    log(mean[2] / mean[22]) / (2 * 2 * VAL_PI * 20), 5e-4);
    }
    val_body_free(&helix);
}

// ---- orders ---------------------------------------------------------------------------------

enum { ORDER_ELEMENTS = 4 };

// A soft curl let go under its weight: the tips of its elements after a quarter of a second.
static bool run_curl(val_report *report, td_step_opts *opts, int32_t steps, td_vec3 *tips,
                     const char *quantity) {
    val_body helix;
    td_helix_element e = td_helix_element_default();
    e.length = 1.0 / ORDER_ELEMENTS;
    e.radius_base = e.radius_tip = 0.01;
    e.young = 4e7;
    e.damping_time = 2e-3; // or the fastest twist of its elements would ring on
    e.turn = val_level;
    e.rest = e.start = (td_vec3){2, 1, -3};
    if (!val_helix_row(report, &e, ORDER_ELEMENTS, &helix)) {
        return false;
    }
    bool fine = true;
    opts->dt = 0.25 / steps;
    for (int32_t i = 0; fine && i < steps; i++) {
        fine = val_step(report, &helix, opts, quantity);
    }
    for (int32_t i = 0; fine && i < ORDER_ELEMENTS; i++) {
        tips[i] = td_helix_place(helix.state, i, 1);
    }
    val_body_free(&helix);
    return fine;
}

// From three runs, each with half the step of the one before: the differences fall by 2^order.
static void measure_orders(val_report *report) {
    static const struct {
        const char *quantity;
        td_integrator integrator;
        int32_t steps;
        double order;
    } rules[] = {{"order of implicit", TD_IMPLICIT, 400, 2},
                 {"order of implicit-euler", TD_IMPLICIT_EULER, 400, 1}};
    for (int k = 0; k < 2; k++) {
        td_vec3 tips[3][ORDER_ELEMENTS];
        td_step_opts opts = td_step_opts_default();
        opts.integrator = rules[k].integrator;
        opts.tolerance = 1e-12;
        for (int i = 0; i < 3; i++) {
            if (!run_curl(report, &opts, rules[k].steps << i, tips[i], rules[k].quantity)) {
                return;
            }
        }
        val_absolute(report, rules[k].quantity, rules[k].steps,
                     log2(val_tips_apart(tips[0], tips[1], ORDER_ELEMENTS) /
                          val_tips_apart(tips[1], tips[2], ORDER_ELEMENTS)),
                     rules[k].order, 0.1);
    }
}

void val_helix_energy_case(val_report *report) {
    energy_of_swings(report);
    sway_damping(report);
    measure_orders(report);
}
