// SPDX-License-Identifier: MIT
// Inertia and weight of an element's stations.
//
// A station is a rigid slice in a frame (o, R) of the helix. With P = R S R^^T, c = R moment and
// e = o - o^ - h^2 g, all over h^2 (docs/theory/implicit.md):
//   by a shift  m e + c - c^,           by a turn  axial(P) + c x e
//   Hessian     m I,  [c]x,  tr(P) I - sym(P) + sym(c e^T) - (c.e) I
// All are in the axes of the element's start, in which the helix is known in closed form.

#define TDI_LANES 1
#include "helix/slice_kernel.h"

#include <string.h>

// ---- anything that rides
// -------------------------------------------------------------------------------

// A prediction in the axes of an element's start.
static tdi_helix_place seen_from(const tdi_helix_place *start, const tdi_helix_place *hat,
                                 td_vec3 fall) {
    const td_vec3 away = tdi_sub(tdi_add(hat->o, fall), start->o);
    return (tdi_helix_place){tdi_mat3_apply_t(&start->r, away),
                             tdi_mat3_t_product(&start->r, &hat->r)};
}

// tr(P) I - sym(P)
static td_sym3 inertia_of(const tdi_mat3 *p) {
    const td_real *m = p->m;
    return (td_sym3){m[4] + m[8],          m[0] + m[8],          m[0] + m[4],
                     -0.5 * (m[1] + m[3]), -0.5 * (m[2] + m[6]), -0.5 * (m[5] + m[7])};
}

// The inertia of the pose, times k.
static void set_inertia(const tdi_helix_station *k, const tdi_mat3 *p, td_vec3 c, td_real by,
                        tdi_helix_block *b) {
    b->a = tdi_sym3_scale(inertia_of(p), by);
    b->b = tdi_mat3_cross(tdi_scale(c, by));
    b->c = tdi_sym3_diagonal(by * k->mass, by * k->mass, by * k->mass);
}

static tdi_helix_block inertia_block(const tdi_helix_station *k, const tdi_helix_jet *jet,
                                     const tdi_helix_place *hat, const tdi_helix_step *now,
                                     bool exact) {
    const td_real by = now->inertia;
    const td_vec3 e = tdi_sub(jet->x, hat->o), c = tdi_mat3_apply(&jet->r, k->moment),
                  c_hat = tdi_mat3_apply(&hat->r, k->moment);
    const tdi_mat3 rs = tdi_mat3_mul_sym(&jet->r, &k->second), p = tdi_mat3_mul_t(&rs, &hat->r);
    tdi_helix_block b;
    if (exact) {
        set_inertia(k, &p, c, by, &b);
        b.a = tdi_sym3_add(b.a, tdi_sym3_scale(tdi_helix_geometric(c, e), by));
    } else {
        const tdi_mat3 still = tdi_mat3_mul_t(&rs, &jet->r);
        set_inertia(k, &still, c, by + now->shift, &b);
    }
    b.f = b.pull = tdi_scale(tdi_madd(tdi_sub(c, c_hat), e, k->mass), by);
    b.n = b.spin = tdi_scale(tdi_add(tdi_mat3_axial(&p), tdi_cross(c, e)), by);
    return b;
}

// Weight alone; `down` is gravity in the axes of the element.
static tdi_helix_block weight_block(const tdi_helix_station *k, const tdi_helix_jet *jet,
                                    td_vec3 down, td_real shift, bool exact) {
    const td_vec3 c = tdi_mat3_apply(&jet->r, k->moment), up = tdi_scale(down, -1);
    const tdi_mat3 rs = tdi_mat3_mul_sym(&jet->r, &k->second), p = tdi_mat3_mul_t(&rs, &jet->r);
    tdi_helix_block b;
    set_inertia(k, &p, c, exact ? 0 : shift, &b);
    if (exact) {
        b.a = tdi_sym3_add(b.a, tdi_helix_geometric(c, up));
    }
    b.f = b.pull = tdi_scale(up, k->mass);
    b.n = b.spin = tdi_cross(c, up);
    return b;
}

// ---- slices ---------------------------------------------------------------------------------

static bool is_slice(const tdi_helix_station *k) {
    return k->moment.x == 0 && k->moment.y == 0 && k->moment.z == 0 && k->second.yy == 0 &&
           k->second.xy == 0 && k->second.xz == 0 && k->second.yz == 0;
}

tdi_slices_add tdi_slices_kernel(bool wide) {
#ifdef TDI_WIDE_X86
    if (wide && __builtin_cpu_supports("avx2")) {
        return tdi_slices_add_4;
    }
#endif
    return wide ? NULL : add_slices;
}

static td_vec3 vector_at(const td_real *x) {
    return tdi_vec3(x[0], x[1], x[2]);
}

// Adds the sums of the rows in slices.h to a form.
static void add_sums(const td_real *sum, tdi_helix_form *form) {
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

static tdi_helix_block block_of(const td_helix_state *s, int32_t k, const tdi_helix_place *start,
                                const tdi_helix_jet *jet, bool exact) {
    const tdi_helix_step *now = s->now;
    const td_vec3 g = s->head.opts->gravity;
    if (now->inertia > 0) {
        const tdi_helix_place hat = seen_from(start, &now->hat[k], tdi_scale(g, now->h * now->h));
        return inertia_block(&s->model->station[k], jet, &hat, now, exact);
    }
    return weight_block(&s->model->station[k], jet, tdi_mat3_apply_t(&start->r, g), now->shift,
                        exact);
}

static tdi_slices_at slices_at(const td_helix_state *s, int32_t i, bool exact) {
    const tdi_helix_step *now = s->now;
    const tdi_helix_place *start = &s->pose.start[i];
    const td_vec3 g = s->head.opts->gravity, u = s->pose.u[i];
    const td_real length = s->model->element[i].length;
    return (tdi_slices_at){.station = s->model->station,
                           .hat = now->inertia > 0 ? now->hat : NULL,
                           .u = u,
                           .u2 = tdi_dot(u, u),
                           .terms = tdi_stumpff_terms(tdi_dot(u, u) * length * length),
                           .from = tdi_madd(start->o, g, -now->h * now->h),
                           .axes = &start->r,
                           .down = tdi_mat3_apply_t(&start->r, g),
                           .inertia = now->inertia,
                           .weight = exact ? 0 : now->inertia + now->shift,
                           .exact = exact};
}

void tdi_helix_add_stations(const td_helix_state *s, int32_t i, bool exact, tdi_helix_form *form) {
    const tdi_helix_element *e = &s->model->element[i];
    const tdi_slices_at at = slices_at(s, i, exact);
    const tdi_slices_add wide = tdi_slices_kernel(true),
                         add = wide && e->station_count > 1 ? wide : add_slices;
    const int32_t end = e->station_first + e->station_count;
    td_real sum[TDI_SLICE_ROWS] = {0};
    for (int32_t k = e->station_first, next; k < end; k = next) {
        next = k;
        while (next < end && is_slice(&s->model->station[next])) {
            next++;
        }
        if (next > k) {
            add(&at, k, next, sum);
            continue;
        }
        tdi_helix_jet jet;
        tdi_helix_jet_at(s->pose.u[i], s->model->station[k].s, false, &jet);
        const tdi_helix_block block = block_of(s, k, &s->pose.start[i], &jet, exact);
        tdi_helix_form_add(form, &jet, &block, exact);
        next = k + 1;
    }
    add_sums(sum, form);
}

void tdi_helix_add_inertia(const td_helix_state *s, int32_t i, tdi_helix_form *form) {
    const tdi_helix_element *e = &s->model->element[i];
    for (int32_t k = e->station_first; k < e->station_first + e->station_count; k++) {
        tdi_helix_jet jet;
        tdi_helix_jet_at(s->pose.u[i], s->model->station[k].s, false, &jet);
        const tdi_helix_block block =
            weight_block(&s->model->station[k], &jet, tdi_vec3(0, 0, 0), 1, false);
        tdi_helix_form_add(form, &jet, &block, false);
    }
}

// ---- value ----------------------------------------------------------------------------------

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
