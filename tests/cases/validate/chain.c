// SPDX-License-Identifier: MIT
// The case of a limp chain: hanging, swinging, and between two pins.

#include "cases/validate/validate.h"

#include <math.h>

#define LINKS   200
#define GRAVITY 9.81

static val_rod limp_chain(td_quat turn) {
    val_rod rod = val_thesis_beam(LINKS);
    rod.radius = 0.002;
    rod.turn = turn;
    rod.limp = true;
    return rod;
}

// ---- hanging --------------------------------------------------------------------------------

static void hangs_straight(val_report *report) {
    val_rod rod = limp_chain(val_level);
    val_body tree;
    td_step_opts opts = td_step_opts_default();
    val_rod_build(report, &rod, &tree);
    val_settle(report, &tree, &opts, "rest of a chain released from a level pose");
    double aside = 0;
    for (int32_t i = 0; i < LINKS; i++) {
        td_vec3 tip = td_body_tip(tree.state, i);
        aside = val_worse(hypot(tip.x, tip.z), aside);
    }
    val_at_most(report, "farthest from the plumb line, m, released level", LINKS, aside, 1e-6);
    val_absolute(report, "height of the tip, m, released level", LINKS,
                 td_body_tip(tree.state, LINKS - 1).y, -rod.length, 1e-6);
    val_body_free(&tree);
}

// ---- swinging -------------------------------------------------------------------------------

// J0(x) = 1/pi integral from 0 to pi of cos(x sin t) dt; equal weights are exact for it up to
// terms that vanish faster than any power
static double bessel0(double x) {
    enum { POINTS = 64 };
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        sum += cos(x * sin(VAL_PI * (i + 0.5) / POINTS));
    }
    return sum / POINTS;
}

// zero number k (from 0) of J0, near (k + 3/4) pi: by bisection
static double bessel0_zero(int k) {
    double low = (k + 0.75) * VAL_PI - 0.5, high = low + 1;
    bool rises = bessel0(low) < 0;
    for (int i = 0; i < 60; i++) {
        double x = (low + high) / 2;
        *((bessel0(x) < 0) == rises ? &low : &high) = x;
    }
    return low;
}

// f_k = j_k/2 sqrt(g/l)/(2 pi), the same in both planes
static void swings(val_report *report) {
    enum { COUNT = 6 };
    val_rod rod = limp_chain(val_hanging);
    val_body tree;
    td_mode modes[COUNT];
    val_rod_build(report, &rod, &tree);
    td_status status =
        td_body_modes(tree.state, (td_vec3){0, -GRAVITY, 0}, COUNT, modes, &report->diag);
    for (int k = 0; k < COUNT && status == TD_OK; k++) {
        val_relative(report,
                     val_text(report, "swing frequency %d%c, Hz", k / 2 + 1, k % 2 ? 'b' : 'a'),
                     LINKS, modes[k].frequency,
                     bessel0_zero(k / 2) / 2 * sqrt(GRAVITY / rod.length) / (2 * VAL_PI), 0.005);
    }
    val_must(report, "swing frequencies", LINKS, status);
    val_body_free(&tree);
}

// ---- between two pins -----------------------------------------------------------------------

// a with 2 a sinh(d/(2a)) = l
static double catenary_scale(double span, double length) {
    double low = 1e-3 * span, high = 1e3 * span;
    for (int i = 0; i < 200; i++) {
        double a = sqrt(low * high);
        *(2 * a * sinh(span / (2 * a)) > length ? &low : &high) = a;
    }
    return low;
}

// y = a cosh((x - d/2)/a) - a cosh(d/(2a))
static void catenary(val_report *report) {
    const double span = 0.7;
    val_rod rod = limp_chain(val_level);
    val_body tree;
    td_load pin = {.kind = TD_LOAD_SPRING,
                   .segment = LINKS - 1,
                   .point = {0, rod.length / LINKS, 0},
                   .vector = {span, 0, 0},
                   .stiffness = 1e6};
    td_step_opts opts = td_step_opts_default();
    opts.loads = &pin;
    opts.load_count = 1;
    val_rod_build(report, &rod, &tree);
    val_settle(report, &tree, &opts, "rest between two pins");
    double a = catenary_scale(span, rod.length), off = 0, low = 0;
    for (int32_t i = 0; i < LINKS; i++) {
        td_vec3 tip = td_body_tip(tree.state, i);
        double y = a * (cosh((tip.x - span / 2) / a) - cosh(span / (2 * a)));
        off = val_worse(hypot(tip.y - y, tip.z), off);
        low = fmin(low, tip.y);
    }
    val_at_most(report, "farthest from the catenary, m", LINKS, off, 1e-4);
    val_absolute(report, "lowest point of the catenary, m", LINKS, low,
                 a * (1 - cosh(span / (2 * a))), 1e-4);
    val_body_free(&tree);
}

void val_chain(val_report *report) {
    hangs_straight(report);
    swings(report);
    catenary(report);
}
