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

static void swing_open(val_report *report, val_random *random, const val_helix_wild *wild,
                       double speed, swing *s) {
    const int32_t count = val_helix_draw(random, wild, s->elements);
    for (int32_t i = 0; i < count; i++) {
        s->rates[i] = val_in_ball(random, speed / s->elements[i].length);
    }
    val_helix_new(report, s->elements, count, &s->helix);
}

static void swing_start(val_report *report, swing *s) {
    val_helix_restart(report, &s->helix);
    case_must(td_helix_set_curvatures(s->helix.state, NULL, s->rates, NULL));
}

// ---- energy ---------------------------------------------------------------------------------

// Energy at the start, and how far that is above the nearest rest; without gravity that is at 0.
static void energy_put_in(val_report *report, swing *s, const td_step_opts *opts, double *energy,
                          double *put_in) {
    swing_start(report, s);
    *energy = *put_in = val_energy(&s->helix, opts->gravity);
    if (opts->gravity.y != 0) {
        val_settle(report, &s->helix, opts, "rest of random helices");
        *put_in -= val_energy(&s->helix, opts->gravity);
    }
}

// Every third floats without gravity; the others hang from a clamped start with it. Every other
// has no friction at all.
static void one_swing(val_report *report, val_random *random, int32_t index,
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
    swing_open(report, random, &wild, 5, &s);
    energy_put_in(report, &s, &opts, &energy, &put_in);
    for (int k = 0; k < 6; k++) {
        opts.integrator = k % 2 ? TD_IMPLICIT : TD_IMPLICIT_EULER;
        opts.dt = val_frame_steps[k / 2];
        swing_start(report, &s);
        val_follow_energy(report, &s.helix, &opts, energy, put_in, "energy of random helices",
                          &worst[k % 2][k / 2]);
    }
    val_body_free(&s.helix);
}

static void energy_of_swings(val_report *report) {
    const int32_t count = 12;
    val_losses worst[2][3] = {{{0}}};
    val_random random = {51};
    for (int32_t i = 0; i < count; i++) {
        val_progress(report, 0.8 * i / count);
        one_swing(report, &random, i, worst);
    }
    for (int k = 0; k < 3; k++) {
        val_losses_rows(report, count, (int)round(1 / val_frame_steps[k]), &worst[0][k],
                        &worst[1][k]);
    }
}

// ---- orders ---------------------------------------------------------------------------------

enum { ORDER_ELEMENTS = 4 };

// A soft curl let go under its weight: the tips of its elements after a quarter of a second.
static void run_curl(val_report *report, td_step_opts *opts, int32_t steps, td_vec3 *tips,
                     const char *quantity) {
    val_body helix;
    td_helix_element e = td_helix_element_default();
    e.length = 1.0 / ORDER_ELEMENTS;
    e.radius_base = e.radius_tip = 0.01;
    e.young = 4e7;
    e.damping_time = 2e-3; // or the fastest twist of its elements would ring on
    e.turn = val_level;
    e.rest = e.start = (td_vec3){2, 1, -3};
    val_helix_row(report, &e, ORDER_ELEMENTS, &helix);
    opts->dt = 0.25 / steps;
    for (int32_t i = 0; i < steps; i++) {
        val_step(report, &helix, opts, quantity);
    }
    for (int32_t i = 0; i < ORDER_ELEMENTS; i++) {
        tips[i] = td_helix_place(helix.state, i, 1);
    }
    val_body_free(&helix);
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
            run_curl(report, &opts, rules[k].steps << i, tips[i], rules[k].quantity);
        }
        val_absolute(report, rules[k].quantity, rules[k].steps,
                     log2(val_tips_apart(tips[0], tips[1], ORDER_ELEMENTS) /
                          val_tips_apart(tips[1], tips[2], ORDER_ELEMENTS)),
                     rules[k].order, 0.1);
    }
}

void val_helix_energy_case(val_report *report) {
    energy_of_swings(report);
    val_sway_damping(report, "helix", 5);
    measure_orders(report);
}
