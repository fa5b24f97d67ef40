// SPDX-License-Identifier: MIT
// The implicit step of helices against the least of the same incremental potential, written
// plainly: places by integrating the frame equations, derivatives by differences, one dense matrix.
// Pairs with src/helix/step.c.

#include "cases/dense.h"
#include "helix/implicit.h"
#include "test_helix_support.h"

#include <stdlib.h>

enum { MOST_ELEMENTS = 3, MOST = 3 * MOST_ELEMENTS + 6, STATIONS = 64 };

// ---- the potential, plainly -----------------------------------------------------------------

// Where all stations are, or their rates.
typedef struct spread {
    plain_frame at[STATIONS];
} spread;

// Unknowns: angles |u| l of all elements; then, of a root that is free, its turn and shift since
// the step began.
typedef struct dense {
    const td_body_model *model;
    int32_t unknowns;
    td_vec3 gravity, pull; // m/s^2, and N at the end of the last element
    plain_frame root;      // when the step began
    td_real q[MOST];
    spread x[2], v[2]; // now and a step before
    td_real before[MOST];
    int32_t known; // steps
    // the step under way
    td_real h;
    spread history, predictor;
    td_real q_history[MOST];
} dense;

static tdi_mat3 product(const tdi_mat3 *a, const tdi_mat3 *b) {
    tdi_mat3 c;
    for (int k = 0; k < 9; k++) {
        c.m[k] = tdi_dot(tdi_mat3_row(a, k / 3), tdi_mat3_column(b, k % 3));
    }
    return c;
}

static td_vec3 curvatures(const dense *d, const td_real *q, int32_t e) {
    return tdi_scale(tdi_vec3(q[3 * e], q[3 * e + 1], q[3 * e + 2]),
                     1 / tdi_as_helix_model(d->model)->element[e].length);
}

static plain_frame start_of(const dense *d, const td_real *q, int32_t e) {
    const tdi_helix_element *p = &tdi_as_helix_model(d->model)->element[e];
    plain_frame f = d->root;
    if (p->parent == TD_NONE) {
        if (d->unknowns > 3 * tdi_as_helix_model(d->model)->element_count) {
            const td_real *r = q + 3 * tdi_as_helix_model(d->model)->element_count;
            const tdi_mat3 turn = tdi_mat3_from_quat(tdi_turn_by(tdi_vec3(r[0], r[1], r[2])));
            f.r = product(&turn, &f.r);
            f.x = tdi_add(f.x, tdi_vec3(r[3], r[4], r[5]));
        }
        return f;
    }
    f = plain_curve(start_of(d, q, p->parent), curvatures(d, q, p->parent), p->at);
    f.x = tdi_add(f.x, tdi_mat3_apply(&f.r, p->place));
    f.r = product(&f.r, &p->turn);
    return f;
}

// Of all stations; and the end of the last element.
static td_vec3 spread_out(const dense *d, const td_real *q, spread *out) {
    td_vec3 end = {0, 0, 0};
    for (int32_t e = 0; e < tdi_as_helix_model(d->model)->element_count; e++) {
        const tdi_helix_element *p = &tdi_as_helix_model(d->model)->element[e];
        const td_vec3 u = curvatures(d, q, e);
        plain_frame f = start_of(d, q, e);
        td_real at = 0;
        for (int32_t i = p->station_first; i < p->station_first + p->station_count; i++) {
            f = out->at[i] = plain_curve(f, u, tdi_as_helix_model(d->model)->station[i].s - at);
            at = tdi_as_helix_model(d->model)->station[i].s;
        }
        end = plain_curve(f, u, p->length - at).x;
    }
    return end;
}

// m |e|^2/2 + e.(D c) + tr(D S D^T)/2, e and D the differences of place and frame
static td_real inertia_term(const tdi_helix_station *m, const plain_frame *x,
                            const plain_frame *predictor) {
    const td_vec3 e = tdi_sub(x->x, predictor->x);
    tdi_mat3 off;
    for (int k = 0; k < 9; k++) {
        off.m[k] = x->r.m[k] - predictor->r.m[k];
    }
    td_real sum = 0.5 * m->mass * tdi_dot(e, e) + tdi_dot(e, tdi_mat3_apply(&off, m->moment));
    for (int i = 0; i < 3; i++) {
        const td_vec3 row = tdi_mat3_row(&off, i);
        sum += 0.5 * tdi_dot(row, tdi_sym3_apply(&m->second, row));
    }
    return sum;
}

static td_real squares(td_vec3 k, td_vec3 x) {
    return 0.5 * (k.x * x.x * x.x + k.y * x.y * x.y + k.z * x.z * x.z);
}

// In J s^2: inertia + h^2 springs + h friction - h^2 pull.x
static td_real potential(const dense *d, const td_real *q) {
    const tdi_helix_model *m = tdi_as_helix_model(d->model);
    spread x;
    const td_vec3 end = spread_out(d, q, &x);
    td_real sum = -d->h * d->h * tdi_dot(d->pull, end);
    for (int32_t i = 0; i < m->station_count; i++) {
        sum += inertia_term(&m->station[i], &x.at[i], &d->predictor.at[i]);
    }
    for (int32_t e = 0; e < m->element_count; e++) {
        const td_vec3 u = curvatures(d, q, e), history = curvatures(d, d->q_history, e);
        sum += d->h * d->h * squares(m->element[e].stiffness, tdi_sub(u, m->element[e].rest));
        sum += d->h * squares(m->element[e].friction, tdi_sub(u, history));
    }
    return sum;
}

// ---- derivatives by differences -------------------------------------------------------------

static void gradient(const dense *d, const td_real *q, td_real *g) {
    static const td_real weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
    const td_real step = 2e-3;
    td_real p[MOST];
    memcpy(p, q, sizeof p);
    for (int32_t k = 0; k < d->unknowns; k++) {
        g[k] = 0;
        for (int i = 0; i < 4; i++) {
            p[k] = q[k] + at[i] * step;
            g[k] += weight[i] * potential(d, p) / (12 * step);
        }
        p[k] = q[k];
    }
}

static void hessian(const dense *d, const td_real *q, td_real h[MOST][MOST]) {
    const td_real step = 3e-4;
    td_real p[MOST];
    for (int32_t i = 0; i < d->unknowns; i++) {
        for (int32_t k = 0; k <= i; k++) {
            td_real sum = 0;
            for (int corner = 0; corner < 4; corner++) {
                const td_real a = corner & 1 ? -step : step, b = corner & 2 ? -step : step;
                memcpy(p, q, sizeof p);
                p[i] += a;
                p[k] += b;
                sum += a * b * potential(d, p);
            }
            h[i][k] = h[k][i] = sum / (4 * step * step * step * step);
        }
    }
}

// A step of Newton's method from a pose near the minimum. False if the Hessian is not positive.
static bool minimise(const dense *d, td_real *q) {
    td_real h[MOST][MOST], g[MOST];
    hessian(d, q, h);
    gradient(d, q, g);
    const bool least = dense_factor(h[0], MOST, d->unknowns);
    dense_solve(h[0], MOST, d->unknowns, g);
    for (int32_t k = 0; k < d->unknowns; k++) {
        q[k] -= g[k];
    }
    return least;
}

// ---- the rules, plainly ---------------------------------------------------------------------

// a x + b y of all places and frames
static void blend(const spread *x, td_real a, const spread *y, td_real b, int32_t count,
                  spread *out) {
    for (int32_t i = 0; i < count; i++) {
        out->at[i].x = tdi_add(tdi_scale(x->at[i].x, a), tdi_scale(y->at[i].x, b));
        for (int k = 0; k < 9; k++) {
            out->at[i].r.m[k] = a * x->at[i].r.m[k] + b * y->at[i].r.m[k];
        }
    }
}

// x* and x^: backward Euler first, then BDF2.
static void dense_begin(dense *d, td_real dt) {
    const bool two = d->known > 0;
    const td_real now = two ? 4.0 / 3 : 1, past = two ? -1.0 / 3 : 0;
    const int32_t n = tdi_as_helix_model(d->model)->station_count;
    spread v;
    d->h = two ? 2 * dt / 3 : dt;
    blend(&d->x[0], now, &d->x[1], past, n, &d->history);
    blend(&d->v[0], now, &d->v[1], past, n, &v);
    blend(&d->history, 1, &v, d->h, n, &d->predictor);
    for (int32_t i = 0; i < n; i++) {
        d->predictor.at[i].x = tdi_madd(d->predictor.at[i].x, d->gravity, d->h * d->h);
    }
    for (int32_t k = 0; k < d->unknowns; k++) {
        d->q_history[k] = now * d->q[k] + past * d->before[k];
    }
}

// Where a state is, as unknowns.
static void read_unknowns(const dense *d, const td_body *s, td_real *q) {
    const int32_t angles = 3 * tdi_as_helix_model(d->model)->element_count;
    td_vec3 u[MOST_ELEMENTS];
    td_helix_curvatures(s, u, NULL);
    for (int32_t k = 0; k < angles; k++) {
        const td_vec3 a = tdi_scale(u[k / 3], tdi_as_helix_model(d->model)->element[k / 3].length);
        q[k] = k % 3 == 0 ? a.x : k % 3 == 1 ? a.y : a.z;
    }
    if (d->unknowns > angles) {
        const tdi_mat3 now = tdi_mat3_from_quat(td_helix_frame(s, 0, 0)),
                       turn = tdi_mat3_mul_t(&now, &d->root.r);
        const td_vec3 twice = tdi_mat3_axial(&turn), x = td_helix_place(s, 0, 0); // 2 sin(angle)
        const td_real sine = 0.5 * tdi_norm(twice), by = sine > 0 ? asin(sine) / sine : 1;
        const td_vec3 w = tdi_scale(twice, 0.5 * by), shift = tdi_sub(x, d->root.x);
        const td_real root[6] = {w.x, w.y, w.z, shift.x, shift.y, shift.z};
        memcpy(q + angles, root, (size_t)(d->unknowns - angles) * sizeof *q);
    }
}

// The least of the potential that is near where a state came to.
static bool dense_step(dense *d, td_real dt, const td_body *s) {
    const int32_t n = tdi_as_helix_model(d->model)->station_count,
                  angles = 3 * tdi_as_helix_model(d->model)->element_count;
    td_real q[MOST] = {0};
    dense_begin(d, dt);
    read_unknowns(d, s, q);
    if (!minimise(d, q)) {
        return false;
    }
    d->x[1] = d->x[0];
    d->v[1] = d->v[0];
    memcpy(d->before, d->q, sizeof q);
    memcpy(d->q, q, sizeof q);
    spread_out(d, q, &d->x[0]);
    blend(&d->x[0], 1 / d->h, &d->history, -1 / d->h, n, &d->v[0]);
    d->root = start_of(d, q, 0);
    memset(d->q + angles, 0, (size_t)(MOST - angles) * sizeof *q);
    d->known++;
    return true;
}

// Rates of all stations by differences of fourth order along those of the angles.
static void dense_start(dense *d, const td_vec3 *u, const td_vec3 *rates) {
    static const td_real weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
    const int32_t n = tdi_as_helix_model(d->model)->station_count;
    spread v = {{{{0, 0, 0}, {{0}}}}};
    for (int i = 0; i <= 4; i++) {
        td_real q[MOST] = {0};
        for (int32_t e = 0; e < tdi_as_helix_model(d->model)->element_count; e++) {
            const td_real t = i < 4 ? 1e-3 * at[i] : 0;
            const td_vec3 a = tdi_scale(tdi_madd(u[e], rates[e], t),
                                        tdi_as_helix_model(d->model)->element[e].length);
            q[3 * e] = a.x;
            q[3 * e + 1] = a.y;
            q[3 * e + 2] = a.z;
        }
        spread_out(d, q, &d->x[0]);
        if (i < 4) {
            blend(&v, 1, &d->x[0], weight[i] / 12e-3, n, &v);
        }
        memcpy(d->q, q, sizeof q);
    }
    d->v[0] = v;
}

// ---- random helices -------------------------------------------------------------------------

typedef struct pair {
    td_body_model *model;
    td_body *state;
    dense d;
    td_load load;
    td_step_opts opts;
} pair;

static td_helix_element any_element(tdi_random *r, int32_t i, td_end_kind root) {
    td_helix_element e = td_helix_element_default();
    e.parent = i - 1 - (i > 1 && between(r, 0, 1) < 0.5);
    e.at = between(r, 0.3, 1);
    e.place = tdi_scale(any_direction(r), 0.02);
    e.turn = tdi_turn_by(tdi_scale(any_direction(r), between(r, 0, 2)));
    e.root = root;
    e.length = between(r, 0.1, 0.3);
    e.radius_base = between(r, 0.01, 0.02);
    e.radius_tip = between(r, 0.5, 1) * e.radius_base;
    e.flat = between(r, 0.5, 2);
    e.rest = tdi_scale(any_direction(r), between(r, 0, 2) / e.length);
    e.start = tdi_scale(any_direction(r), between(r, 0, 2) / e.length);
    e.bend_x = between(r, 0.05, 0.5);
    e.bend_z = between(r, 0.05, 0.5);
    e.twist_y = between(r, 0.05, 0.5);
    e.damping_time = between(r, 0, 0.02);
    return e;
}

static bool pair_new(tdi_random *r, td_end_kind root, pair *p) {
    td_helix_element e[MOST_ELEMENTS];
    td_vec3 start[MOST_ELEMENTS], rates[MOST_ELEMENTS];
    const int32_t count = 1 + (int32_t)between(r, 0, MOST_ELEMENTS);
    *p = (pair){.opts = td_step_opts_default()};
    for (int32_t i = 0; i < count; i++) {
        e[i] = any_element(r, i, root);
        start[i] = e[i].start;
        rates[i] = tdi_scale(any_direction(r), between(r, 0, 3) / e[i].length);
    }
    if (!CHECK_SAY(td_helix_model_new(e, count, NULL, &p->model, NULL) == TD_OK &&
                       td_body_new(p->model, NULL, &p->state, NULL) == TD_OK &&
                       tdi_as_helix_model(p->model)->station_count <= STATIONS,
                   "no model of %d elements", (int)count)) {
        return false;
    }
    CHECK(td_helix_set_curvatures(p->state, start, rates, NULL) == TD_OK);
    p->load = (td_load){.kind = TD_LOAD_FORCE,
                        .segment = count - 1,
                        .point = {0, e[count - 1].length, 0},
                        .vector = tdi_scale(any_direction(r), 0.3)};
    p->opts.loads = &p->load;
    p->opts.load_count = 1;
    p->opts.tolerance = 1e-11;
    p->opts.iterations = 60;
    p->d = (dense){.model = p->model,
                   .unknowns = td_body_dof_count(p->model),
                   .gravity = p->opts.gravity,
                   .pull = p->load.vector,
                   .root = {e[0].place, tdi_mat3_from_quat(tdi_quat_unit(e[0].turn))}};
    dense_start(&p->d, start, rates);
    return true;
}

static void pair_free(pair *p) {
    td_body_free(p->state);
    td_body_model_free(p->model);
}

// ---- steps ----------------------------------------------------------------------------------

// Newton's method stops with an error of 1e-11; gradients by differences are good to about 1e-9.
static void claim_steps(uint64_t seed, td_end_kind root, int count) {
    tdi_random r = random_of(seed);
    for (int k = 0; k < count; k++) {
        pair p;
        bool fine = pair_new(&r, root, &p);
        p.opts.dt = k % 2 ? 1.0 / 60 : 1.0 / 120;
        for (int step = 0; fine && step < 4; step++) {
            td_vec3 u[MOST_ELEMENTS];
            fine = CHECK_SAY(td_body_step(p.state, &p.opts, NULL, NULL) == TD_OK,
                             "helices %d, step %d: no step", k, step) &&
                   CHECK_SAY(dense_step(&p.d, p.opts.dt, p.state),
                             "helices %d, step %d: no dense step", k, step);
            td_helix_curvatures(p.state, u, NULL);
            for (int32_t e = 0; fine && e < tdi_as_helix_model(p.model)->element_count; e++) {
                const td_vec3 want = curvatures(&p.d, p.d.q, e);
                const td_real off =
                    tdi_norm(tdi_sub(u[e], want)) * tdi_as_helix_model(p.model)->element[e].length;
                const td_real place =
                    tdi_norm(tdi_sub(td_helix_place(p.state, e, 0), start_of(&p.d, p.d.q, e).x));
                CHECK_SAY(off < 1e-7 && place < 1e-8,
                          "helices %d, step %d, element %d: %g rad, %g m apart", k, step, (int)e,
                          off, place);
            }
        }
        pair_free(&p);
    }
}

TD_TEST(helix_step_is_the_least_of_the_potential_written_plainly) {
    claim_steps(11, TD_END_CLAMPED, 8);
}

TD_TEST(helix_step_of_a_free_root_is_the_least_of_the_potential_written_plainly) {
    claim_steps(12, TD_END_FREE, 3);
    claim_steps(14, TD_END_PINNED, 3);
}
