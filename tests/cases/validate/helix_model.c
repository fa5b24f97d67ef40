// SPDX-License-Identifier: MIT
// Helices for the cases of `tendril validate`: beams, and random ones from a fixed seed.

#include "cases/validate/helix.h"

#include <math.h>
#include <stdlib.h>

// ---- making ---------------------------------------------------------------------------------

void val_helix_new(val_report *report, const td_helix_element *elements, int32_t count,
                   val_body *helix) {
    *helix = (val_body){.n = count};
    val_must(report, "building helices", count,
             td_helix_model_new(elements, count, NULL, &helix->model, &report->diag));
    val_helix_restart(report, helix);
}

void val_helix_restart(val_report *report, val_body *helix) {
    td_body_free(helix->state);
    val_must(report, "building helices", helix->n,
             td_body_new(helix->model, NULL, &helix->state, &report->diag));
}

void val_helix_row(val_report *report, const td_helix_element *first, int32_t count,
                   val_body *helix) {
    td_helix_element *elements =
        val_memory(report, "building helices", (size_t)count, sizeof *elements);
    for (int32_t i = 0; i < count; i++) {
        elements[i] = *first;
        if (i > 0) {
            elements[i].parent = i - 1;
            elements[i].turn = (td_quat){1, 0, 0, 0};
        }
    }
    val_helix_new(report, elements, count, helix);
    free(elements);
}

void val_helix_beam(val_report *report, const val_rod *beam, val_body *helix) {
    td_helix_element e = td_helix_element_default();
    e.turn = beam->turn;
    e.length = beam->length / beam->count;
    e.radius_base = e.radius_tip = beam->radius;
    e.young = beam->young;
    e.poisson = beam->poisson;
    e.density = beam->density;
    val_helix_row(report, &e, beam->count, helix);
}

// ---- random ---------------------------------------------------------------------------------

static td_helix_element random_element(val_random *random, const val_helix_wild *wild, int32_t i) {
    td_helix_element e = td_helix_element_default();
    const bool onwards = val_uniform(random, 0, 1) < 0.6;
    e.parent = i == 0 ? TD_NONE : onwards ? i - 1 : val_below(random, i);
    e.at = onwards ? 1 : val_uniform(random, 0, 1);
    e.root = wild->floating ? TD_END_FREE : TD_END_CLAMPED;
    if (wild->aside) {
        e.place = val_in_ball(random, 0.02);
        e.turn = val_turn(val_in_ball(random, 1));
    }
    e.length = val_log_uniform(random, 0.05, 0.3);
    e.radius_base = val_log_uniform(random, 0.005, 0.02);
    e.radius_tip = e.radius_base * val_uniform(random, 0.5, 1);
    e.flat = val_log_uniform(random, 0.5, 2);
    e.rest = val_in_ball(random, wild->bend / e.length);
    const td_vec3 off = val_in_ball(random, wild->off / e.length);
    e.start = (td_vec3){e.rest.x + off.x, e.rest.y + off.y, e.rest.z + off.z};
    e.bend_x = val_log_uniform(random, wild->soft, wild->stiff);
    e.bend_z = val_log_uniform(random, wild->soft, wild->stiff);
    e.twist_y = val_log_uniform(random, wild->soft, wild->stiff);
    e.damping_time = val_uniform(random, 0, wild->damping);
    return e;
}

int32_t val_helix_draw(val_random *random, const val_helix_wild *wild,
                       td_helix_element elements[VAL_HELIX_MOST]) {
    const int32_t count = wild->least + val_below(random, wild->most - wild->least + 1);
    for (int32_t i = 0; i < count; i++) {
        elements[i] = random_element(random, wild, i);
    }
    return count;
}
