// SPDX-License-Identifier: MIT
// Trees with constraints for the cases of `tendril validate`.

#include "cases/validate/held.h"

#include <math.h>

const val_way val_ways[] = {
    {"euler", TD_EULER, 5e-4, 2e-3, 1, 1e-2, 1e-4},
    {"rk4", TD_RK4, 1e-3, 1e-8, 4, 1e-8, 1e-10},
    {"implicit", TD_IMPLICIT, 1e-3, 1e-4, 2, 1e-3, 1e-12},
};
const int val_way_count = (int)(sizeof val_ways / sizeof *val_ways);

val_held val_held_empty(const char *what, const val_way *way, double dt) {
    val_held h = {.what = what, .opts = td_step_opts_default()};
    h.opts.integrator = way->integrator;
    h.opts.dt = dt;
    h.opts.tolerance = 1e-12;
    return h;
}

void val_held_bars(val_report *report, val_held *h, int32_t count, td_joint_kind joint,
                   const double *length, const double *mass, const double *angle, td_vec3 start) {
    td_material material = td_material_get(0);
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    for (int32_t i = 0; i < count; i++) {
        td_segment_def def = val_thin_rod(joint, length[i], mass[i]);
        def.parent = i - 1;
        def.axis = (td_vec3){0, 0, 1};
        def.attach_at_tip = i > 0;
        def.attach = start;
        def.rest = val_turn((td_vec3){0, 0, angle[i] - (i > 0 ? angle[i - 1] : 0.5 * VAL_PI)});
        if (joint ==
            TD_JOINT_BALL) { // twist has to have some inertia; bending in the plane has less
            def.second_moment.zz = 1e-9 * def.second_moment.yy;
        }
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, &h->tree);
}

static bool is_implicit(const val_held *h) {
    return h->opts.integrator == TD_IMPLICIT || h->opts.integrator == TD_IMPLICIT_EULER;
}

void val_held_open(val_report *report, val_held *h) {
    const td_analytic_opts opts = td_analytic_opts_default();
    td_body *state = h->tree.state;
    const int32_t n = h->constraint_count;
    td_diag *diag = &report->diag;
    if (is_implicit(h)) {
        val_must(report, h->what, n, td_island_new(&state, 1, NULL, 0, NULL, &h->island, diag));
        val_must(report, h->what, n, td_island_constrain(h->island, h->constraint, n, diag));
    } else {
        val_must(report, h->what, n,
                 td_analytic_new(&state, 1, h->constraint, n, &opts, NULL, &h->analytic, diag));
    }
}

void val_held_step(val_report *report, val_held *h) {
    td_status status = is_implicit(h)
                           ? td_island_step(h->island, &h->opts, NULL, 0, NULL, &report->diag)
                           : td_analytic_step(h->analytic, &h->opts, NULL, 0, NULL, &report->diag);
    val_must(report, h->what, h->constraint_count, status);
}

void val_held_close(val_held *h) {
    td_analytic_free(h->analytic);
    td_island_free(h->island);
    h->analytic = NULL;
    h->island = NULL;
    val_body_free(&h->tree);
}
