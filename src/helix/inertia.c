// SPDX-License-Identifier: MIT
// Inertia and weight of an element's stations.
//
// A station is a rigid slice in a frame (o, R) of the helix. With P = R S R^^T, c = R moment and
// e = o - o^ - h^2 g, all over h^2 (docs/theory/implicit.md):
//   by a shift  m e + c - c^,           by a turn  axial(P) + c x e
//   Hessian     m I,  [c]x,  tr(P) I - sym(P) + sym(c e^T) - (c.e) I
// All are in the axes of the element's start, in which the helix is known in closed form.

#include "helix/implicit.h"

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
// A slice of the centreline has no first moment, and its second is (sx, 0, sz) in its own axes.
// With a force f on its place x, the mass m that the Hessian has, T and P as in sweep.h,
//   q = m x - f,  or m x in a positive model,
// and the turning parts A = tr(P) I - sym(P), n, all that it adds by the start's motion is in the
// sums of m, m x, x q^T + P, f and n; and besides
//   by shift and curvature  m P_j
//   by turn and curvature   q x P_j + A T_j + 1/2 T_j x n
//   by curvatures           m P_i.P_j + T_i.A T_j + f.dP + n.dT

typedef struct sums {
    td_real mass;
    td_vec3 first; // sum of m x
    tdi_mat3 g;    // sum of x q^T + P
    td_vec3 f, n;
} sums;

// What a slice feels: f and the turning part of the gradient, and what the Hessian has of both.
typedef struct felt {
    td_real mass;
    td_vec3 f, n;
    tdi_mat3 p;
} felt;

static bool is_slice(const tdi_helix_station *k) {
    return k->moment.x == 0 && k->moment.y == 0 && k->moment.z == 0 && k->second.yy == 0 &&
           k->second.xy == 0 && k->second.xz == 0 && k->second.yz == 0;
}

// sx a b^T + sz c d^T
static tdi_mat3 spread(td_real sx, td_vec3 a, td_vec3 b, td_real sz, td_vec3 c, td_vec3 d) {
    const td_vec3 p = tdi_scale(a, sx), q = tdi_scale(c, sz);
    return (tdi_mat3){{p.x * b.x + q.x * d.x, p.x * b.y + q.x * d.y, p.x * b.z + q.x * d.z,
                       p.y * b.x + q.y * d.x, p.y * b.y + q.y * d.y, p.y * b.z + q.y * d.z,
                       p.z * b.x + q.z * d.x, p.z * b.y + q.z * d.y, p.z * b.z + q.z * d.z}};
}

static inline felt feel_inertia(const tdi_helix_station *k, const tdi_helix_jet *jet,
                                const tdi_helix_place *start, const tdi_helix_place *hat,
                                td_vec3 fall, const tdi_helix_step *now, bool exact) {
    const td_real by = now->inertia, m = by * k->mass, sx = by * k->second.xx,
                  sz = by * k->second.zz;
    const td_vec3 away = tdi_sub(tdi_add(hat->o, fall), start->o),
                  h = tdi_mat3_apply_t(&start->r, away),
                  x_hat = tdi_mat3_apply_t(&start->r, tdi_mat3_column(&hat->r, 0)),
                  z_hat = tdi_mat3_apply_t(&start->r, tdi_mat3_column(&hat->r, 2)),
                  x = tdi_mat3_column(&jet->r, 0), z = tdi_mat3_column(&jet->r, 2);
    felt t = {
        .mass = m, .f = tdi_scale(tdi_sub(jet->x, h), m), .p = spread(sx, x, x_hat, sz, z, z_hat)};
    t.n = tdi_mat3_axial(&t.p);
    if (!exact) {
        const td_real more = (by + now->shift) / by;
        t.mass *= more;
        t.p = spread(more * sx, x, x, more * sz, z, z);
    }
    return t;
}

static felt feel_weight(const tdi_helix_station *k, const tdi_helix_jet *jet, td_vec3 down,
                        td_real shift) {
    const td_vec3 x = tdi_mat3_column(&jet->r, 0), z = tdi_mat3_column(&jet->r, 2);
    return (felt){.mass = shift * k->mass,
                  .f = tdi_scale(down, -k->mass),
                  .p = spread(shift * k->second.xx, x, x, shift * k->second.zz, z, z)};
}

static inline void add_slice(const tdi_helix_jet *jet, const felt *t, bool exact, sums *sum,
                             tdi_helix_form *form) {
    const td_vec3 x = jet->x, *P = jet->dx, *T = jet->turn;
    const td_vec3 q = exact ? tdi_sub(tdi_scale(x, t->mass), t->f) : tdi_scale(x, t->mass);
    const td_sym3 a = inertia_of(&t->p);
    td_vec3 at[3];
    for (int j = 0; j < 3; j++) {
        at[j] = tdi_sym3_apply(&a, T[j]);
        td_vec3 mixed = tdi_add(tdi_cross(q, P[j]), at[j]);
        if (exact) {
            mixed = tdi_madd(mixed, tdi_cross(T[j], t->n), 0.5);
        }
        form->turn_d[j] = tdi_add(form->turn_d[j], mixed);
        form->shift_d[j] = tdi_madd(form->shift_d[j], P[j], t->mass);
    }
    form->d.xx += t->mass * tdi_dot(P[0], P[0]) + tdi_dot(T[0], at[0]);
    form->d.yy += t->mass * tdi_dot(P[1], P[1]) + tdi_dot(T[1], at[1]);
    form->d.zz += t->mass * tdi_dot(P[2], P[2]) + tdi_dot(T[2], at[2]);
    form->d.xy += t->mass * tdi_dot(P[0], P[1]) + tdi_dot(T[0], at[1]);
    form->d.xz += t->mass * tdi_dot(P[0], P[2]) + tdi_dot(T[0], at[2]);
    form->d.yz += t->mass * tdi_dot(P[1], P[2]) + tdi_dot(T[1], at[2]);
    form->g.x += tdi_dot(P[0], t->f) + tdi_dot(T[0], t->n);
    form->g.y += tdi_dot(P[1], t->f) + tdi_dot(T[1], t->n);
    form->g.z += tdi_dot(P[2], t->f) + tdi_dot(T[2], t->n);
    if (exact) {
        form->d = tdi_sym3_add(form->d, tdi_helix_bent(jet, t->f, t->n));
    }
    const td_real own[9] = {x.x * q.x, x.x * q.y, x.x * q.z, x.y * q.x, x.y * q.y,
                            x.y * q.z, x.z * q.x, x.z * q.y, x.z * q.z};
    for (int j = 0; j < 9; j++) {
        sum->g.m[j] += own[j] + t->p.m[j];
    }
    sum->mass += t->mass;
    sum->first = tdi_madd(sum->first, x, t->mass);
    sum->f = tdi_add(sum->f, t->f);
    sum->n = tdi_add(sum->n, tdi_add(t->n, tdi_cross(x, t->f)));
}

static void add_sums(const sums *sum, tdi_helix_block *start) {
    const tdi_mat3 b = tdi_mat3_cross(sum->first);
    start->a = tdi_sym3_add(start->a, inertia_of(&sum->g));
    for (int j = 0; j < 9; j++) {
        start->b.m[j] += b.m[j];
    }
    start->c = tdi_sym3_add(start->c, tdi_sym3_diagonal(sum->mass, sum->mass, sum->mass));
    start->n = tdi_add(start->n, sum->n);
    start->f = tdi_add(start->f, sum->f);
    start->spin = tdi_add(start->spin, sum->n);
    start->pull = tdi_add(start->pull, sum->f);
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

void tdi_helix_add_stations(const td_helix_state *s, int32_t i, bool exact, tdi_helix_form *form) {
    const tdi_helix_step *now = s->now;
    const tdi_helix_element *e = &s->model->element[i];
    const tdi_helix_place *start = &s->pose.start[i];
    const td_vec3 g = s->head.opts->gravity, fall = tdi_scale(g, now->h * now->h),
                  down = tdi_mat3_apply_t(&start->r, g);
    sums sum;
    memset(&sum, 0, sizeof sum);
    for (int32_t k = e->station_first; k < e->station_first + e->station_count; k++) {
        const tdi_helix_station *station = &s->model->station[k];
        tdi_helix_jet jet;
        tdi_helix_jet_at(s->pose.u[i], station->s, false, &jet);
        if (!is_slice(station)) {
            const tdi_helix_block block = block_of(s, k, start, &jet, exact);
            tdi_helix_form_add(form, &jet, &block, exact);
        } else {
            const felt t = now->inertia > 0
                               ? feel_inertia(station, &jet, start, &now->hat[k], fall, now, exact)
                               : feel_weight(station, &jet, down, exact ? 0 : now->shift);
            add_slice(&jet, &t, exact, &sum, form);
        }
    }
    add_sums(&sum, &form->start);
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
