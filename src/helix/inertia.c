// SPDX-License-Identifier: MIT
// Inertia and weight of an element's stations: sums of their terms, which are found in lanes
// (station_kernel.h), and the value.

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

tdi_stations_at tdi_helix_stations_at(const td_helix_state *s, bool exact) {
    const tdi_helix_step *now = s->now;
    return (tdi_stations_at){.on = {s->pose.u, s->pose.start, s->range},
                             .station = s->model->station,
                             .hat = now->inertia > 0 ? now->hat : NULL,
                             .slices = s->slices,
                             .gravity = s->head.opts->gravity,
                             .h2 = now->h * now->h,
                             .inertia = now->inertia,
                             .weight = exact ? 0 : now->inertia + now->shift,
                             .exact = exact};
}

void tdi_helix_add_inertia(const td_helix_state *s, int32_t i, tdi_helix_form *form) {
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

// ---- value ----------------------------------------------------------------------------------

// A prediction in the axes of an element's start.
static tdi_helix_place seen_from(const tdi_helix_place *start, const tdi_helix_place *hat,
                                 td_vec3 fall) {
    const td_vec3 away = tdi_sub(tdi_add(hat->o, fall), start->o);
    return (tdi_helix_place){tdi_mat3_apply_t(&start->r, away),
                             tdi_mat3_t_product(&start->r, &hat->r)};
}

static td_real station_value(const tdi_helix_station *k, const tdi_helix_frame *at,
                             const tdi_helix_place *hat) {
    tdi_mat3 d;
    for (int j = 0; j < 9; j++) {
        d.m[j] = at->r.m[j] - hat->r.m[j];
    }
    const td_vec3 e = tdi_sub(at->x, hat->o);
    const tdi_mat3 ds = tdi_mat3_mul_sym(&d, &k->second);
    td_real trace = 0;
    for (int j = 0; j < 9; j++) {
        trace += ds.m[j] * d.m[j];
    }
    return 0.5 * k->mass * tdi_dot(e, e) + tdi_dot(e, tdi_mat3_apply(&d, k->moment)) + 0.5 * trace;
}

td_real tdi_helix_stations_value(const td_helix_state *s, int32_t i) {
    const tdi_helix_step *now = s->now;
    const tdi_helix_element *e = &s->model->element[i];
    const tdi_helix_place *start = &s->pose.start[i];
    const td_vec3 g = s->head.opts->gravity, fall = tdi_scale(g, now->h * now->h),
                  down = tdi_mat3_apply_t(&start->r, g);
    td_real sum = now->inertia > 0 ? 0 : -e->mass * tdi_dot(g, start->o);
    for (int32_t k = e->station_first; k < e->station_first + e->station_count; k++) {
        const tdi_helix_station *station = &s->model->station[k];
        const tdi_helix_frame at = tdi_helix_at(s->pose.u[i], station->s);
        if (now->inertia > 0) {
            const tdi_helix_place hat = seen_from(start, &now->hat[k], fall);
            sum += now->inertia * station_value(station, &at, &hat);
        } else {
            const td_vec3 c = tdi_mat3_apply(&at.r, station->moment);
            sum -= tdi_dot(down, tdi_madd(c, at.x, station->mass));
        }
    }
    return sum;
}
