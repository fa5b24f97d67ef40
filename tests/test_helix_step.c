// SPDX-License-Identifier: MIT
// Implicit steps and statics of helices. Pairs with src/helix/terms.c, sweep.c and step.c.

#include "helix/implicit.h"
#include "test_helix_support.h"

#include <stdlib.h>

enum { MOST = 8, MOST_UNKNOWNS = 3 * MOST + 6 };

typedef struct helices {
    td_body_model *model;
    td_body *state;
} helices;

static helices helices_of(const td_helix_element *elements, int32_t count) {
    helices h = {NULL, NULL};
    td_diag diag = {.message = ""};
    CHECK_SAY(td_helix_model_new(elements, count, NULL, &h.model, &diag) == TD_OK, "%s",
              diag.message);
    CHECK_INT(td_body_new(h.model, NULL, &h.state, &diag), TD_OK);
    return h;
}

static void helices_free(helices h) {
    td_body_free(h.state);
    td_body_model_free(h.model);
}

// A tree of curly elements, some beside their parents and turned, soft and slim.
static helices random_tree(tdi_random *r, int32_t count, td_end_kind root) {
    td_helix_element all[MOST];
    for (int32_t i = 0; i < count; i++) {
        td_helix_element *e = &all[i];
        *e = td_helix_element_default();
        e->parent = i == 0 ? TD_NONE : (int32_t)between(r, i > 2 ? i - 3 : 0, i - 1e-9);
        e->at = i % 3 == 0 ? between(r, 0.1, 1) : 1;
        e->root = root;
        e->place = i % 2 ? tdi_vec3(0, 0, 0) : tdi_scale(any_direction(r), 0.02);
        e->turn =
            i % 3 == 1 ? tdi_quat_identity() : tdi_quat_turn(any_direction(r), between(r, 0, 1.5));
        e->length = between(r, 0.05, 0.2);
        e->flat = between(r, 0.5, 2);
        e->radius_tip = 0.002;
        e->rest = tdi_scale(any_direction(r), between(r, 0, 3) / e->length);
        e->start = tdi_madd(e->rest, any_direction(r), between(r, 0, 1) / e->length);
        e->young = 1e6;
        e->damping_time = 0.01;
    }
    return helices_of(all, count);
}

// ---- gradient and Hessian -------------------------------------------------------------------

// A number a curvature, and of the root its turn and its shift as far as they are free.
typedef struct unknowns {
    td_body *s;
    int32_t turns, count;
} unknowns;

static unknowns unknowns_of(helices h) {
    const td_end_kind root = tdi_as_helix_model(h.model)->element[0].root;
    const int32_t turns = root == TD_END_CLAMPED ? 0 : root == TD_END_PINNED ? 3 : 6;
    return (unknowns){h.state, turns, turns + 3 * tdi_as_helix_model(h.model)->element_count};
}

static td_real *part_of(td_vec3 *v, int32_t k) {
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

static td_real *entry(const unknowns *u, int32_t k, bool response) {
    tdi_helix_node *node = tdi_as_helix(u->s)->node;
    if (k < u->turns) {
        tdi_helix_motion *m = response ? &node[0].respond : &node[0].move;
        return part_of(k < 3 ? &m->w : &m->v, k % 3);
    }
    node += (k - u->turns) / 3;
    return part_of(response ? &node->respond.d : &node->move.d, (k - u->turns) % 3);
}

static void set_zero(const unknowns *u) {
    for (int32_t i = 0; i < tdi_as_helix_model(u->s->model)->element_count; i++) {
        memset(&tdi_as_helix(u->s)->node[i].move, 0, sizeof tdi_as_helix(u->s)->node[i].move);
        memset(&tdi_as_helix(u->s)->node[i].respond, 0, sizeof tdi_as_helix(u->s)->node[i].respond);
    }
}

// The value where unknown a is moved by x and b by y.
static td_real value_at(const unknowns *u, int32_t a, td_real x, int32_t b, td_real y) {
    set_zero(u);
    *entry(u, a, false) += x;
    *entry(u, b, false) += y;
    tdi_helix_implicit.try(u->s, 1, false);
    return tdi_helix_implicit.value(u->s, false);
}

// Steps of unknowns: rad along an element, rad, or m.
static td_real size_of(const unknowns *u, int32_t k) {
    return k < u->turns ? 1
                        : 1 / tdi_as_helix_model(u->s->model)->element[(k - u->turns) / 3].length;
}

// The answers to pushes on each unknown: columns of H^-1.
static void read_inverse(const unknowns *u, td_real inverse[][MOST_UNKNOWNS]) {
    for (int32_t k = 0; k < u->count; k++) {
        set_zero(u);
        *entry(u, k, true) = -1;
        tdi_helix_sweep_respond(tdi_as_helix(u->s));
        for (int32_t j = 0; j < u->count; j++) {
            inverse[k][j] = *entry(u, j, true);
        }
    }
}

// A row of the Hessian by differences, and the entry of the gradient.
static td_real differences(const unknowns *u, int32_t a, td_real *row) {
    const td_real x = 1e-4 * size_of(u, a);
    for (int32_t b = 0; b < u->count; b++) {
        const td_real y = 1e-4 * size_of(u, b);
        row[b] = (value_at(u, a, x, b, y) - value_at(u, a, x, b, -y) - value_at(u, a, -x, b, y) +
                  value_at(u, a, -x, b, -y)) /
                 (4 * x * y);
    }
    return (value_at(u, a, x, a, 0) - value_at(u, a, -x, a, 0)) / (2 * x);
}

static td_real product(const unknowns *u, const td_real *a, const td_real *b) {
    td_real sum = 0;
    for (int32_t k = 0; k < u->count; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

// With the gradient g and the Hessian H of differences, increments must be -H^-1 g, and answers to
// pushes columns of H^-1. Differences of the value lose eight digits.
static void check_derivatives(helices h, const char *what) {
    const tdi_implicit *ops = &tdi_helix_implicit;
    const unknowns u = unknowns_of(h);
    const tdi_model exact = {.keep_factors = true};
    td_real inverse[MOST_UNKNOWNS][MOST_UNKNOWNS], x[MOST_UNKNOWNS], row[MOST_UNKNOWNS],
        g[MOST_UNKNOWNS];
    td_real predicted_decrease = 0, off = 0, off_g = 0, most_g = 0;
    ops->clear(h.state);
    if (!CHECK_SAY(ops->factor(h.state, &exact) == TDI_POSITIVE, "%s: not positive", what)) {
        return;
    }
    ops->solve(h.state, (tdi_solving){0}, &predicted_decrease);
    for (int32_t k = 0; k < u.count; k++) {
        x[k] = *entry(&u, k, false);
    }
    read_inverse(&u, inverse);
    ops->keep(h.state);
    for (int32_t a = 0; a < u.count; a++) {
        g[a] = differences(&u, a, row);
        most_g = fmax(most_g, fabs(g[a]) * size_of(&u, a));
        off_g = fmax(off_g, fabs(product(&u, row, x) + g[a]) * size_of(&u, a));
        for (int32_t c = 0; c < u.count; c++) { // the unit matrix, in steps of the unknowns
            const td_real unit = product(&u, row, inverse[c]);
            off = fmax(off, fabs(unit - (a == c)) * size_of(&u, a) / size_of(&u, c));
        }
    }
    CHECK_SAY(off < 1e-3, "%s: the Hessian is off by %g", what, off);
    CHECK_SAY(off_g < 1e-4 * most_g, "%s: the gradient is off by %g of %g", what, off_g, most_g);
    CHECK_SAY(fabs(product(&u, g, x) + predicted_decrease) < 1e-3 * predicted_decrease,
              "%s: promised %g, there is %g", what, predicted_decrease, -product(&u, g, x));
}

TD_TEST(helix_gradient_and_hessian_of_a_step_are_those_of_differences) {
    tdi_random r = random_of(7);
    for (int k = 0; k < 12; k++) {
        const td_end_kind roots[3] = {TD_END_CLAMPED, TD_END_PINNED, TD_END_FREE};
        helices h = random_tree(&r, 1 + k % 6, roots[k % 3]);
        const int32_t last = tdi_as_helix_model(h.model)->element_count - 1;
        const td_load loads[2] = {
            {.kind = TD_LOAD_FORCE,
             .segment = last,
             .point = {0, 0.5 * tdi_as_helix_model(h.model)->rider[last].length, 0.01},
             .vector = {0.004, 0.002, -0.002}},
            {.kind = TD_LOAD_SPRING,
             .segment = 0,
             .point = {0.01, 0.02, 0},
             .vector = {0.1, 0.1, 0},
             .stiffness = 0.05,
             .damping = 0.01}};
        td_step_opts opts = td_step_opts_default();
        opts.dt = 0.001;
        opts.loads = loads;
        opts.load_count = 2;
        opts.air = (td_air){{3, 0, 1}, 0.2, 0.6};
        td_diag diag = {.message = ""};
        for (int n = 0; n < 4; n++) {
            CHECK_SAY(td_body_step(h.state, &opts, NULL, &diag) == TD_OK, "%s", diag.message);
        }
        const tdi_rule rule = {.dt = opts.dt, .h = 2 * opts.dt / 3, .two = true, .part = 1};
        tdi_state_begin(h.state, &opts, &rule);
        tdi_state_guess(h.state, true);
        for (int32_t i = 0; i <= last; i++) { // a pose that leaves more of a gradient
            const td_vec3 u = tdi_as_helix(h.state)->began.u[i];
            tdi_as_helix(h.state)->pose.u[i] =
                tdi_sub(tdi_add(u, u), tdi_as_helix(h.state)->back.u[i]);
        }
        tdi_helix_update(tdi_as_helix(h.state));
        char what[64];
        snprintf(what, sizeof what, "tree %d of %d elements", k, (int)last + 1);
        check_derivatives(h, what);
        helices_free(h);
    }
}

// ---- lanes ----------------------------------------------------------------------------------

enum { HELICES = 5, PLACES = 13 }; // PLACES: no multiple of a width

typedef struct lane_case {
    td_vec3 u[HELICES];
    tdi_helix_place start[HELICES], predictor[PLACES];
    tdi_helix_station station[PLACES];
    tdi_helix_vane vane[PLACES];
    tdi_helix_vane_air air[PLACES];
    tdi_helix_element element[HELICES];
    tdi_helix_curves on;
} lane_case;

// Elements from straight to beyond where series are taken.
static void any_lanes(lane_case *c, bool slices, tdi_random *r) {
    memset(c, 0, sizeof *c);
    for (int i = 0; i < HELICES; i++) {
        c->u[i] = tdi_scale(any_direction(r), i == 0 ? 0 : between(r, 0, 4));
        c->start[i] = (tdi_helix_place){any_direction(r),
                                        tdi_mat3_from_quat(tdi_quat_turn(any_direction(r), 1))};
        c->element[i] = (tdi_helix_element){.parent = i - 1,
                                            .at = between(r, 0, 1),
                                            .place = any_direction(r),
                                            .turn = c->start[i].r,
                                            .length = 1};
    }
    for (int k = 0; k < PLACES; k++) {
        const int32_t on = k * HELICES / PLACES;
        c->station[k] = (tdi_helix_station){.element = on,
                                            .s = between(r, 0, 1),
                                            .mass = between(r, 0.1, 1),
                                            .second = {.xx = 0.01, .zz = between(r, 0, 0.02)}};
        if (!slices) {
            c->station[k].moment = tdi_scale(any_direction(r), 0.1);
            c->station[k].second = tdi_sym3_square(any_direction(r), 0.1);
        }
        c->predictor[k] = (tdi_helix_place){
            any_direction(r), tdi_mat3_from_quat(tdi_quat_turn(any_direction(r), 0.3))};
        c->vane[k] = (tdi_helix_vane){.point = {.element = on, .s = between(r, 0, 1)},
                                      .turn = tdi_quat_turn(any_direction(r), 2),
                                      .area = {0.1, 0.02, between(r, 0, 1)}};
        c->vane[k].point.offset = k % 2 ? any_direction(r) : tdi_vec3(0, 0, 0);
    }
    const tdi_helix_model m = {.element_count = HELICES, .element = c->element};
    c->on = (tdi_helix_curves){c->u, c->start, tdi_helix_range(&m, c->u)};
}

static void check_stations(const tdi_helix_lanes *wide, const lane_case *c, bool slices, int k) {
    const tdi_stations_at at = {.on = c->on,
                                .station = c->station,
                                .predictor = k % 3 ? c->predictor : NULL,
                                .slices = slices,
                                .gravity = {1, 2, 3},
                                .h2 = 1e-3,
                                .inertia = 1e3,
                                .weight = k % 2 ? 0 : 1.1e3,
                                .exact = k % 2};
    td_real a[HELICES][TDI_STATION_ROWS] = {{0}}, b[HELICES][TDI_STATION_ROWS] = {{0}};
    td_real p[HELICES][TDI_PULL_ROWS] = {{0}}, q[HELICES][TDI_PULL_ROWS] = {{0}};
    tdi_helix_lanes_1.stations(&at, 0, PLACES, 0, a);
    wide->stations(&at, 0, PLACES, 0, b);
    CHECK_SAY(memcmp(a, b, sizeof a) == 0, "%d lanes: stations have other bits", wide->lanes);
    tdi_helix_lanes_1.station_pulls(&at, 0, PLACES, 0, p);
    wide->station_pulls(&at, 0, PLACES, 0, q);
    CHECK_SAY(memcmp(p, q, sizeof p) == 0, "%d lanes: pulls have other bits", wide->lanes);
    const td_real one = tdi_helix_lanes_1.station_values(&at, 0, PLACES),
                  many = wide->station_values(&at, 0, PLACES);
    CHECK_SAY(memcmp(&one, &many, sizeof one) == 0, "%d lanes: other values", wide->lanes);
    for (int i = 0; i < HELICES; i++) {
        for (int j = 0; j < 3; j++) { // by curvatures, force and moment, but for rounding
            CHECK(fabs(p[i][6 + j] - a[i][24 + j]) <= 1e-9 * at.inertia);
            CHECK(fabs(p[i][3 + j] - a[i][40 + j]) <= 1e-9 * at.inertia);
            CHECK(fabs(p[i][j] - a[i][43 + j]) <= 1e-9 * at.inertia);
        }
    }
}

static void check_vanes(const tdi_helix_lanes *wide, lane_case *c, bool exact) {
    const td_air air = {.wind = {3, 0, 1}, .linear = 0.5, .quadratic = 0.7};
    tdi_helix_vane_air own[PLACES];
    memset(own, 0, sizeof own);
    tdi_helix_lanes_1.air(c->vane, 0, PLACES, &c->on, exact ? &c->on : NULL, 1.0 / 3, c->air);
    wide->air(c->vane, 0, PLACES, &c->on, exact ? &c->on : NULL, 1.0 / 3, own);
    CHECK_SAY(memcmp(c->air, own, sizeof own) == 0, "%d lanes: air has other bits", wide->lanes);
    const tdi_vanes_at at = {
        .on = c->on, .vane = c->vane, .known = c->air, .air = &air, .h = 0.01, .exact = exact};
    td_real a[HELICES][TDI_VANE_ROWS] = {{0}}, b[HELICES][TDI_VANE_ROWS] = {{0}};
    td_real p[HELICES][TDI_PULL_ROWS] = {{0}}, q[HELICES][TDI_PULL_ROWS] = {{0}};
    tdi_helix_lanes_1.vanes(&at, 0, PLACES, 0, a);
    wide->vanes(&at, 0, PLACES, 0, b);
    CHECK_SAY(memcmp(a, b, sizeof a) == 0, "%d lanes: vanes have other bits", wide->lanes);
    tdi_helix_lanes_1.vane_pulls(&at, 0, PLACES, 0, p);
    wide->vane_pulls(&at, 0, PLACES, 0, q);
    CHECK_SAY(memcmp(p, q, sizeof p) == 0, "%d lanes: pulls have other bits", wide->lanes);
    const td_real one = tdi_helix_lanes_1.vane_values(&at, 0, PLACES),
                  many = wide->vane_values(&at, 0, PLACES);
    CHECK_SAY(memcmp(&one, &many, sizeof one) == 0, "%d lanes: other values", wide->lanes);
    for (int i = 0; i < HELICES; i++) {
        for (int j = 0; j < 3; j++) {
            CHECK(fabs(p[i][6 + j] - a[i][24 + j]) <= 1e-9);
            CHECK(fabs(p[i][3 + j] - a[i][48 + j]) <= 1e-9);
            CHECK(fabs(p[i][j] - a[i][51 + j]) <= 1e-9);
        }
    }
}

static void check_places(const tdi_helix_lanes *wide, const lane_case *c) {
    tdi_helix_place a[PLACES], b[PLACES];
    tdi_helix_node p[HELICES], q[HELICES];
    memset(p, 0, sizeof p);
    memset(q, 0, sizeof q);
    tdi_helix_lanes_1.frames(&c->on, c->station, 0, PLACES, a);
    wide->frames(&c->on, c->station, 0, PLACES, b);
    CHECK_SAY(memcmp(a, b, sizeof a) == 0, "%d lanes: frames have other bits", wide->lanes);
    tdi_helix_lanes_1.rides(&c->on, c->element, 0, HELICES, p);
    wide->rides(&c->on, c->element, 0, HELICES, q);
    CHECK_SAY(memcmp(p, q, sizeof p) == 0, "%d lanes: rides have other bits", wide->lanes);
}

TD_TEST(helix_lanes_have_the_bits_of_one_at_a_time) {
    const tdi_helix_lanes *widths[TDI_HELIX_WIDTHS];
    const int count = tdi_helix_widths(widths);
    tdi_random r = random_of(11);
    for (int k = 0; k < 120; k++) {
        lane_case c;
        any_lanes(&c, k % 4 < 2, &r);
        for (int w = 0; w < count; w++) {
            check_stations(widths[w], &c, k % 4 < 2, k);
            check_vanes(widths[w], &c, k % 2);
            check_places(widths[w], &c);
        }
    }
}

// ---- contact --------------------------------------------------------------------------------

static td_real sym_entry(const td_sym3 *s, int i, int j) {
    const td_real m[3][3] = {{s->xx, s->xy, s->xz}, {s->xy, s->yy, s->yz}, {s->xz, s->yz, s->zz}};
    return m[i][j];
}

// k/2 (a b^T + b a^T), block by block
TD_TEST(helix_rows_of_a_contact_add_their_symmetric_product) {
    const td_real k = 1.7;
    tdi_random r = random_of(31);
    tdi_helix_motion row[2];
    for (int i = 0; i < 2; i++) {
        row[i].w = any_direction(&r);
        row[i].v = any_direction(&r);
        row[i].d = any_direction(&r);
    }
    tdi_helix_motion *a = &row[0], *b = &row[1];
    tdi_helix_form form;
    memset(&form, 0, sizeof form);
    tdi_helix_form_add_rows(&form, a, b, k);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
#define PRODUCT(p, q) \
    (0.5 * k * (*part_of(&a->p, i) * *part_of(&b->q, j) + *part_of(&b->p, i) * *part_of(&a->q, j)))
            CHECK_IN(sym_entry(&form.start.a, i, j) - PRODUCT(w, w), -1e-15, 1e-15);
            CHECK_IN(form.start.b.m[3 * i + j] - PRODUCT(w, v), -1e-15, 1e-15);
            CHECK_IN(sym_entry(&form.start.c, i, j) - PRODUCT(v, v), -1e-15, 1e-15);
            CHECK_IN(*part_of(&form.turn_d[j], i) - PRODUCT(w, d), -1e-15, 1e-15);
            CHECK_IN(*part_of(&form.shift_d[j], i) - PRODUCT(v, d), -1e-15, 1e-15);
            CHECK_IN(sym_entry(&form.d, i, j) - PRODUCT(d, d), -1e-15, 1e-15);
#undef PRODUCT
        }
    }
}
