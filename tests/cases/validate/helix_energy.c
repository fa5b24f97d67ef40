// SPDX-License-Identifier: MIT
// Cases of energy of helices: what the implicit rules do to it, and their orders.

#include "cases/validate/helix.h"

// Every third floats without gravity; the others hang from a clamped start with it. Every other
// has no friction at all. All curvatures move.
static void open_swing(val_report *report, val_random *random, int32_t index, td_step_opts *opts,
                       val_body *helix) {
    const val_helix_wild wild = {.least = 1,
                                 .most = 5,
                                 .bend = 3,
                                 .off = 0.5,
                                 .soft = 3e-5,
                                 .stiff = 0.1,
                                 .damping = index % 2 ? 0.05 : 0,
                                 .aside = true,
                                 .floating = index % 3 == 0};
    td_helix_element elements[VAL_HELIX_MOST];
    td_vec3 rates[VAL_HELIX_MOST];
    const int32_t count = val_helix_draw(random, &wild, elements);
    for (int32_t i = 0; i < count; i++) {
        rates[i] = val_in_ball(random, 5 / elements[i].length);
    }
    opts->gravity.y = wild.floating ? 0 : opts->gravity.y;
    opts->tolerance = 1e-6; // of what tumbles slowly 1e-4 rad leaves an error of 1e-6 a second
    val_helix_new(report, elements, count, helix);
    case_must(td_helix_set_curvatures(helix->state, NULL, rates, NULL));
}

// A soft curl released under its weight.
static void orders_of_curl(val_report *report) {
    static const val_rule rules[] = {{"implicit", TD_IMPLICIT, 400, 2},
                                     {"implicit-euler", TD_IMPLICIT_EULER, 400, 1}};
    enum { ELEMENTS = 4 };
    val_body helix;
    td_helix_element e = td_helix_element_default();
    td_step_opts opts = td_step_opts_default();
    e.length = 1.0 / ELEMENTS;
    e.radius_base = e.radius_tip = 0.01;
    e.young = 4e7;
    e.damping_time = 2e-3; // or the fastest twist of its elements would ring on
    e.turn = val_level;
    e.rest = e.start = (td_vec3){2, 1, -3};
    opts.tolerance = 1e-12;
    val_helix_row(report, &e, ELEMENTS, &helix);
    val_orders(report, &opts, &helix, rules, 2);
    val_body_free(&helix);
}

void val_helix_energy_case(val_report *report) {
    val_energy_of(report, "helices", 51, 12, open_swing);
    val_sway_damping(report, "helix", 5);
    orders_of_curl(report);
}
