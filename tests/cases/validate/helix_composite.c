// SPDX-License-Identifier: MIT
// The case of the published methods: recursive accelerations against the dense ones.

#include "cases/validate/helix.h"

#include <math.h>

// ---- two methods ----------------------------------------------------------------------------

// The largest difference over the largest acceleration.
static void methods_apart(val_report *report, val_body *helix, const td_step_opts *opts, bool twist,
                          const char *quantity, double *apart) {
    td_vec3 a[VAL_HELIX_MOST], b[VAL_HELIX_MOST];
    const td_helix_published ways[2] = {{TD_HELIX_RECURSIVE, twist}, {TD_HELIX_COMPOSITE, twist}};
    double most = 0, off = 0;
    val_must(report, quantity, helix->n,
             td_helix_accelerations(helix->state, opts, ways[0], a, &report->diag));
    val_must(report, quantity, helix->n,
             td_helix_accelerations(helix->state, opts, ways[1], b, &report->diag));
    for (int32_t i = 0; i < helix->n; i++) {
        most = val_worse(td_vec3_norm(a[i]), most);
        off = val_worse(td_vec3_distance(a[i], b[i]), off);
    }
    *apart = off / most;
}

// ---- random states --------------------------------------------------------------------------

// The base moves in every way, and all curvatures change.
static void stir(val_random *random, val_body *helix) {
    td_vec3 rate[VAL_HELIX_MOST];
    const td_base_motion base = {.position = val_in_ball(random, 1),
                                 .rotation = val_turn(val_in_ball(random, 2)),
                                 .velocity = val_in_ball(random, 1),
                                 .spin = val_in_ball(random, 3),
                                 .acceleration = val_in_ball(random, 5),
                                 .spin_rate = val_in_ball(random, 5)};
    for (int32_t i = 0; i < helix->n; i++) {
        rate[i] = val_in_ball(random, 50);
    }
    case_must(td_body_set_base(helix->state, &base, NULL));
    case_must(td_helix_set_curvatures(helix->state, NULL, rate, NULL));
}

// Twist has an inertia in proportion to the radius squared: equal elements, thick ones.
static void thicken(td_helix_element *elements, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        td_helix_element *e = &elements[i];
        const double by = e->length / 0.1;
        e->length = 0.1;
        e->rest = td_vec3_scale(e->rest, by);
        e->start = td_vec3_scale(e->start, by);
        e->radius_base = e->radius_tip = 0.03;
    }
}

typedef struct sort {
    const char *quantity;
    bool tree, twist;
} sort;

// In wind, with a load. The condition number of the mass matrix grows with the fourth power of the
// elements and, where twist moves, with length over radius squared: there the elements are thick.
static void compare(val_report *report, const sort *of) {
    enum { STATES = 500 };
    const val_helix_wild wild = {.least = 1,
                                 .most = VAL_HELIX_MOST,
                                 .bend = 1.5,
                                 .off = 1,
                                 .soft = 1e-3,
                                 .stiff = 1e-1,
                                 .damping = 0.02,
                                 .aside = of->tree};
    val_random random = {51};
    td_step_opts opts = td_step_opts_default();
    double worst = 0, apart = 0;
    opts.air = (td_air){{1, 0, 2}, 0.1, 1};
    for (int k = 0; k < STATES; k++) {
        td_helix_element elements[VAL_HELIX_MOST];
        val_body helix;
        const int32_t count = val_helix_draw(&random, &wild, elements);
        for (int32_t i = 0; i < count; i++) {
            elements[i].parent = of->tree ? elements[i].parent : i - 1;
            elements[i].at = of->tree ? elements[i].at : 1;
        }
        thicken(elements, of->twist ? count : 0);
        val_helix_new(report, elements, count, &helix);
        const td_load load = {.kind = TD_LOAD_FORCE,
                              .segment = val_below(&random, count),
                              .point = {0.01, 0.02, 0},
                              .vector = val_in_ball(&random, 0.5)};
        opts.loads = &load;
        opts.load_count = 1;
        stir(&random, &helix);
        methods_apart(report, &helix, &opts, of->twist, of->quantity, &apart);
        worst = val_worse(apart, worst);
        val_body_free(&helix);
        val_progress(report, (double)k / STATES);
    }
    val_at_most(report, of->quantity, STATES, worst, 1e-9);
}

// ---- implicit -------------------------------------------------------------------------------

// From standing still the rates that a step of backward Euler leaves are h u'' with the
// accelerations of the dense equations, to second order in h: its gradient is that of the energy.
static void implicit_off(val_report *report, val_body *helix, double *off) {
    td_vec3 want[VAL_HELIX_MOST], rate[VAL_HELIX_MOST];
    const td_helix_published dense = {TD_HELIX_COMPOSITE, true};
    td_step_opts opts = td_step_opts_default();
    double most = 0, worst = 0;
    opts.integrator = TD_IMPLICIT_EULER;
    opts.tolerance = 1e-13;
    opts.dt = 1e-5;
    val_must(report, "implicit and composite apart", helix->n,
             td_helix_accelerations(helix->state, &opts, dense, want, &report->diag));
    val_must(report, "implicit and composite apart", helix->n,
             td_body_step(helix->state, &opts, NULL, &report->diag));
    td_helix_curvatures(helix->state, NULL, rate);
    for (int32_t i = 0; i < helix->n; i++) {
        most = val_worse(td_vec3_norm(want[i]), most);
        worst = val_worse(td_vec3_distance(td_vec3_scale(rate[i], 1 / opts.dt), want[i]), worst);
    }
    *off = val_worse(worst / most, *off);
}

static void compare_implicit(val_report *report) {
    enum { STATES = 50 };
    const val_helix_wild wild = {
        .least = 1, .most = 5, .bend = 1.5, .off = 0.3, .soft = 1e-3, .stiff = 1e-2, .aside = true};
    val_random random = {52};
    double worst = 0;
    for (int k = 0; k < STATES; k++) {
        td_helix_element elements[VAL_HELIX_MOST];
        val_body helix;
        const int32_t count = val_helix_draw(&random, &wild, elements);
        thicken(elements, count);
        val_helix_new(report, elements, count, &helix);
        implicit_off(report, &helix, &worst);
        val_body_free(&helix);
    }
    val_at_most(report, "implicit and composite apart, trees, twist too", STATES, worst, 1e-5);
}

void val_helix_composite(val_report *report) {
    static const sort sorts[] = {
        {"recursive and composite apart, rods", false, false},
        {"recursive and composite apart, trees", true, false},
        {"recursive and composite apart, rods, twist too", false, true},
        {"recursive and composite apart, trees, twist too", true, true},
    };
    for (size_t k = 0; k < sizeof sorts / sizeof *sorts; k++) {
        compare(report, &sorts[k]);
    }
    compare_implicit(report);
}
