// SPDX-License-Identifier: MIT
// Inertia and weight of an element's stations: sums of their terms, which are found in lanes
// (station_kernel.h).

#include "helix/implicit.h"

#include <string.h>

// ---- sums -----------------------------------------------------------------------------------

// tr(P) I - sym(P)
static td_sym3 inertia_of(const tdi_mat3 *p) {
    const td_real *m = p->m;
    return (td_sym3){m[4] + m[8],          m[0] + m[8],          m[0] + m[4],
                     -0.5 * (m[1] + m[3]), -0.5 * (m[2] + m[6]), -0.5 * (m[5] + m[7])};
}

static td_vec3 vector_at(const td_real *x) {
    return tdi_vec3(x[0], x[1], x[2]);
}

void tdi_helix_add_sums(const td_real sum[TDI_STATION_ROWS], tdi_helix_form *form) {
    tdi_helix_block *start = &form->start;
    for (int j = 0; j < 3; j++) {
        form->turn_d[j] = tdi_add(form->turn_d[j], vector_at(sum + 3 * j));
        form->shift_d[j] = tdi_add(form->shift_d[j], vector_at(sum + 9 + 3 * j));
    }
    sum += 18;
    form->d = tdi_sym3_add(form->d, (td_sym3){sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]});
    form->g = tdi_add(form->g, vector_at(sum + 6));
    const td_real mass = sum[9];
    const tdi_mat3 b = tdi_mat3_cross(vector_at(sum + 10));
    tdi_mat3 g;
    memcpy(&g, sum + 13, sizeof g);
    const td_vec3 f = vector_at(sum + 22), n = vector_at(sum + 25);
    start->a = tdi_sym3_add(start->a, inertia_of(&g));
    for (int j = 0; j < 9; j++) {
        start->b.m[j] += b.m[j];
    }
    start->c = tdi_sym3_add(start->c, tdi_sym3_diagonal(mass, mass, mass));
    start->n = tdi_add(start->n, n);
    start->f = tdi_add(start->f, f);
    start->spin = tdi_add(start->spin, n);
    start->pull = tdi_add(start->pull, f);
}

// ---- entry ----------------------------------------------------------------------------------

tdi_stations_at tdi_helix_stations_at(const tdi_helix_state *s, bool exact) {
    const tdi_helix_step *now = s->now;
    return (tdi_stations_at){.on = {s->pose.u, s->pose.start, s->range},
                             .station = s->model->station,
                             .predictor = now->inertia > 0 ? now->predictor : NULL,
                             .slices = s->slices,
                             .gravity = s->head.opts->gravity,
                             .h2 = now->h * now->h,
                             .inertia = now->inertia,
                             .weight = exact ? 0 : now->inertia + now->shift,
                             .exact = exact};
}

void tdi_helix_add_inertia(const tdi_helix_state *s, int32_t i, tdi_helix_form *form) {
    const tdi_helix_element *e = &s->model->element[i];
    const tdi_stations_at at = {.on = {s->pose.u, s->pose.start, s->range},
                                .station = s->model->station,
                                .slices = s->slices,
                                .weight = 1};
    td_real sum[1][TDI_STATION_ROWS] = {{0}};
    tdi_helix_widest()->stations(&at, e->station_first, e->station_first + e->station_count, i,
                                 sum);
    tdi_helix_add_sums(sum[0], form);
}
