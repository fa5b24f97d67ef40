// SPDX-License-Identifier: MIT
// Accelerations and steps of helices as published. Pairs with src/published/helix_*.c.

#include "published/helix.h"
#include "test_helix_support.h"

#include <stdlib.h>

#define MOST 30

static const td_helix_published recursive = {TD_HELIX_RECURSIVE, false},
                                composite = {TD_HELIX_COMPOSITE, false},
                                recursive_twist = {TD_HELIX_RECURSIVE, true},
                                composite_twist = {TD_HELIX_COMPOSITE, true};

// ---- helices --------------------------------------------------------------------------------

typedef struct helices {
    td_body_model *model;
    td_body *state;
    int32_t count;
} helices;

static void helices_free(helices *h) {
    td_body_free(h->state);
    td_body_model_free(h->model);
}

static td_vec3 any_curvature(tdi_random *r, td_real most) {
    const td_real size = between(r, 0, most); // first: compilers differ in the order of arguments
    return tdi_scale(any_direction(r), size);
}

// The last pivots of a mass matrix with twist are in proportion to the square of the radius: thin
// helices lose digits by 1/r^2.
static td_helix_element any_element(tdi_random *r, bool thick) {
    td_helix_element e = td_helix_element_default();
    e.length = between(r, 0.05, 0.15);
    e.radius_base = thick ? between(r, 0.015, 0.03) : between(r, 0.002, 0.01);
    e.radius_tip = e.radius_base * between(r, 0.5, 1);
    e.flat = between(r, 0.5, 2);
    e.young = 1e6;
    e.damping_time = between(r, 0, 0.02);
    e.rest = any_curvature(r, 15);
    e.start = e.rest;
    return e;
}

// A chain, or a tree whose elements grow out of any earlier one, anywhere along it and beside it.
typedef struct sort {
    bool tree, thick;
    td_end_kind root;
} sort;

static helices any_helices(tdi_random *r, int32_t count, sort of) {
    helices h = {.count = count};
    td_helix_element e[MOST];
    td_diag diag = {0};
    for (int32_t i = 0; i < count; i++) {
        e[i] = any_element(r, of.thick);
        e[i].parent = i - 1;
        e[i].root = of.root;
        if (of.tree && i > 0) {
            e[i].parent = (int32_t)(between(r, 0, 1) * i);
            e[i].at = between(r, 0, 1);
            e[i].place = any_curvature(r, 0.02);
        }
        if (of.tree || i == 0) {
            e[i].turn = tdi_turn_by(any_curvature(r, 2));
        }
    }
    CHECK_SAY(td_helix_model_new(e, count, NULL, &h.model, &diag) == TD_OK, "%s", diag.message);
    CHECK(td_body_new(h.model, NULL, &h.state, &diag) == TD_OK);
    return h;
}

// Everything moves, and so does the base.
static void any_motion(tdi_random *r, const helices *h) {
    td_vec3 u[MOST], rate[MOST];
    const td_base_motion base = {.position = any_curvature(r, 1),
                                 .rotation = tdi_turn_by(any_curvature(r, 2)),
                                 .velocity = any_curvature(r, 1),
                                 .spin = any_curvature(r, 3),
                                 .acceleration = any_curvature(r, 5),
                                 .spin_rate = any_curvature(r, 5)};
    for (int32_t i = 0; i < h->count; i++) {
        u[i] = tdi_add(tdi_as_helix_model(h->model)->element[i].rest, any_curvature(r, 10));
        rate[i] = any_curvature(r, 50);
    }
    CHECK(td_body_set_base(h->state, &base, NULL) == TD_OK);
    CHECK(td_helix_set_curvatures(h->state, u, rate, NULL) == TD_OK);
    for (int32_t i = 0; i < tdi_as_helix(h->state)->root_count; i++) {
        tdi_as_helix(h->state)->pose.root[i].turn = tdi_turn_by(any_curvature(r, 2));
        tdi_as_helix(h->state)->root_rate[i] = (tdi_rate){any_curvature(r, 3), any_curvature(r, 1)};
    }
    tdi_helix_changed(tdi_as_helix(h->state));
}

static td_load any_load(tdi_random *r, const helices *h) {
    return (td_load){.kind = TD_LOAD_FORCE,
                     .segment = (int32_t)(between(r, 0, 1) * h->count),
                     .point = {0.01, 0.02, 0},
                     .vector = any_curvature(r, 0.5)};
}

static td_real largest(const td_vec3 *a, int32_t count) {
    td_real most = 0;
    for (int32_t i = 0; i < count; i++) {
        most = fmax(most, tdi_norm(a[i]));
    }
    return most;
}

// ---- both methods ---------------------------------------------------------------------------

static td_real methods_apart(const helices *h, const td_step_opts *opts, bool twist) {
    td_vec3 a[MOST], b[MOST];
    CHECK(td_helix_accelerations(h->state, opts, twist ? recursive_twist : recursive, a, NULL) ==
          TD_OK);
    CHECK(td_helix_accelerations(h->state, opts, twist ? composite_twist : composite, b, NULL) ==
          TD_OK);
    for (int32_t i = 0; i < h->count; i++) {
        CHECK(twist || (a[i].y == 0 && b[i].y == 0));
        b[i] = tdi_sub(b[i], a[i]);
    }
    return largest(b, h->count) / largest(a, h->count);
}

// The condition number of the mass matrix grows with the fourth power of the elements, and that of
// the reference's factors with it.
static td_real worst_apart(bool tree, bool twist, td_end_kind root) {
    tdi_random r = random_of(7);
    td_step_opts opts = td_step_opts_default();
    td_real worst = 0;
    opts.air = (td_air){{1, 0, 2}, 0.1, 1};
    for (int32_t k = 0; k < 4 * MOST; k++) { // the case helix-composite takes more of them
        helices h = any_helices(&r, 1 + k % MOST, (sort){tree, twist, root});
        const td_load load = any_load(&r, &h);
        opts.loads = &load;
        opts.load_count = 1;
        any_motion(&r, &h);
        worst = fmax(worst, methods_apart(&h, &opts, twist));
        helices_free(&h);
    }
    return worst;
}

TD_TEST(helix_recursive_accelerations_equal_composite_ones_without_clamp) {
    CHECK_IN(worst_apart(true, false, TD_END_PINNED), 0, 1e-9);
    CHECK_IN(worst_apart(true, true, TD_END_FREE), 0, 1e-9);
}

// ---- Lagrange's equations -------------------------------------------------------------------

#define STATIONS 128

// Where stations are: place and frame, twelve numbers each, in which they are embedded.
typedef struct embedding {
    tdi_helix_place at[STATIONS];
} embedding;

static void embed(const helices *h, embedding *to) {
    for (int32_t k = 0; k < tdi_as_helix_model(h->model)->station_count; k++) {
        const tdi_helix_station *st = &tdi_as_helix_model(h->model)->station[k];
        to->at[k] = tdi_helix_frame_at(&tdi_as_helix(h->state)->pose, st->element, st->s);
    }
}

// (a - b) by
static void differ(const helices *h, const embedding *a, const embedding *b, td_real by,
                   embedding *to) {
    for (int32_t k = 0; k < tdi_as_helix_model(h->model)->station_count; k++) {
        to->at[k].o = tdi_scale(tdi_sub(a->at[k].o, b->at[k].o), by);
        for (int j = 0; j < 9; j++) {
            to->at[k].r.m[j] = by * (a->at[k].r.m[j] - b->at[k].r.m[j]);
        }
    }
}

// Integral of density times the product of two fields x = o + R X over all stations.
static td_real product(const helices *h, const embedding *a, const embedding *b) {
    td_real sum = 0;
    for (int32_t k = 0; k < tdi_as_helix_model(h->model)->station_count; k++) {
        const tdi_helix_station *st = &tdi_as_helix_model(h->model)->station[k];
        const tdi_helix_place *p = &a->at[k], *q = &b->at[k];
        const tdi_mat3 ps = tdi_mat3_mul_sym(&p->r, &st->second);
        sum += st->mass * tdi_dot(p->o, q->o);
        sum += tdi_dot(p->o, tdi_mat3_apply(&q->r, st->moment));
        sum += tdi_dot(q->o, tdi_mat3_apply(&p->r, st->moment));
        for (int j = 0; j < 9; j++) {
            sum += ps.m[j] * q->r.m[j];
        }
    }
    return sum;
}

static td_real *part_of(td_vec3 *u, int32_t k) {
    return k % 3 == 0 ? &u[k / 3].x : k % 3 == 1 ? &u[k / 3].y : &u[k / 3].z;
}

// How the embedding changes with unknown k.
static void derive(const helices *h, int32_t k, embedding *to) {
    const td_real e = 1e-4; // 1/m: rounding and truncation are both some 1e-10
    td_vec3 u[MOST], now[MOST], rate[MOST];
    FREED embedding *low = malloc(sizeof *low);
    td_helix_curvatures(h->state, now, rate);
    for (int side = -1; side <= 1; side += 2) {
        memcpy(u, now, sizeof u);
        *part_of(u, k) += side * e;
        CHECK(td_helix_set_curvatures(h->state, u, rate, NULL) == TD_OK);
        embed(h, side < 0 ? low : to);
    }
    differ(h, to, low, 0.5 / e, to);
    CHECK(td_helix_set_curvatures(h->state, now, rate, NULL) == TD_OK);
}

// After a time t of constant accelerations, the base's too.
static void carry_on(const helices *h, const td_vec3 *u, const td_vec3 *rate, const td_vec3 *by,
                     const td_base_motion *base, td_real t) {
    td_vec3 then[MOST];
    const td_base_motion moved = tdi_base_after(base, t);
    for (int32_t i = 0; i < h->count; i++) {
        then[i] = tdi_madd(tdi_madd(u[i], rate[i], t), by[i], t * t / 2);
    }
    CHECK(td_body_set_base(h->state, &moved, NULL) == TD_OK);
    CHECK(td_helix_set_curvatures(h->state, then, rate, NULL) == TD_OK);
}

// Accelerations of all stations, from their places along the motion: second differences, whose
// error is of second order in the time t between places.
static void second_difference(const helices *h, const td_vec3 *by, td_real t, embedding *to) {
    const td_base_motion base = h->state->base;
    td_vec3 u[MOST], rate[MOST];
    FREED embedding *e = malloc(3 * sizeof *e);
    td_helix_curvatures(h->state, u, rate);
    for (int k = 0; k < 3; k++) {
        carry_on(h, u, rate, by, &base, (k - 1) * t);
        embed(h, &e[k]);
    }
    carry_on(h, u, rate, by, &base, 0);
    differ(h, &e[2], &e[1], 1 / (t * t), &e[2]);
    differ(h, &e[1], &e[0], 1 / (t * t), &e[0]);
    differ(h, &e[2], &e[0], 1, to);
}

// The same to fourth order, (4 a(t/2) - a(t))/3: t can be so large that rounding is some 1e-7.
static void accelerations_of(const helices *h, const td_vec3 *by, embedding *to) {
    const td_real t = 1e-4; // s
    FREED embedding *wide = malloc(sizeof *wide);
    second_difference(h, by, t, wide);
    second_difference(h, by, t / 2, to);
    differ(h, wide, to, 1.0 / 3, wide);
    differ(h, to, wide, 1, to);
}

// The power of a load on the motion of a state when u_k alone changes at rate 1.
static td_real load_power(const helices *h, const td_load *load, int32_t k) {
    const td_real e = 1e-4;
    const tdi_helix_point p =
        tdi_helix_point_of(tdi_as_helix_model(h->model), load->segment, load->point);
    const td_real middle = tdi_as_helix_model(h->model)->element[load->segment].length / 2;
    td_vec3 u[MOST], now[MOST], rate[MOST], x[2];
    tdi_mat3 r[2];
    td_helix_curvatures(h->state, now, rate);
    for (int side = 0; side < 2; side++) {
        memcpy(u, now, sizeof u);
        *part_of(u, k) += side ? e : -e;
        CHECK(td_helix_set_curvatures(h->state, u, rate, NULL) == TD_OK);
        x[side] = tdi_helix_point_at(&tdi_as_helix(h->state)->pose, &p);
        r[side] = tdi_helix_frame_at(&tdi_as_helix(h->state)->pose, load->segment, middle).r;
    }
    CHECK(td_helix_set_curvatures(h->state, now, rate, NULL) == TD_OK);
    if (load->kind == TD_LOAD_TORQUE) {
        const tdi_mat3 turn = tdi_mat3_mul_t(&r[1], &r[0]);
        return tdi_dot(load->vector, tdi_mat3_axial(&turn)) / (4 * e);
    }
    return tdi_dot(load->vector, tdi_sub(x[1], x[0])) / (2 * e);
}

// d'Alembert: along every unknown the inertial forces do the work of springs, friction, weight and
// load. Places and frames alone are differenced, so that nothing of the equations is used.
static void check_work(const helices *h, const td_step_opts *opts, const td_vec3 *accelerations) {
    FREED embedding *by = malloc(sizeof *by), *a = malloc(sizeof *a);
    accelerations_of(h, accelerations, a);
    for (int32_t k = 0; k < tdi_as_helix_model(h->model)->station_count; k++) {
        a->at[k].o = tdi_sub(a->at[k].o, opts->gravity);
    }
    for (int32_t k = 0; k < 3 * h->count; k++) {
        const tdi_helix_element *e = &tdi_as_helix_model(h->model)->element[k / 3];
        td_vec3 d = tdi_sub(tdi_as_helix(h->state)->pose.u[k / 3], e->rest),
                rate = tdi_as_helix(h->state)->rate[k / 3];
        td_vec3 moment = tdi_add(tdi_times(e->stiffness, d), tdi_times(e->friction, rate));
        derive(h, k, by);
        const td_real inertial = product(h, by, a);
        const td_real work = load_power(h, opts->loads, k) - *part_of(&moment, k % 3);
        const td_real size = sqrt(product(h, by, by) * product(h, a, a));
        CHECK_IN((inertial - work) / size, -1e-6, 1e-6);
    }
}

TD_TEST(helix_accelerations_obey_the_principle_of_virtual_work) {
    tdi_random r = random_of(9);
    td_step_opts opts = td_step_opts_default();
    td_vec3 a[MOST];
    for (int k = 0; k < 8; k++) {
        helices h = any_helices(&r, 1 + k % 4, (sort){k >= 4, true, TD_END_CLAMPED});
        td_load load = any_load(&r, &h);
        load.kind = k % 2 ? TD_LOAD_TORQUE : TD_LOAD_FORCE;
        opts.loads = &load;
        opts.load_count = 1;
        any_motion(&r, &h);
        CHECK(td_helix_accelerations(h.state, &opts, composite_twist, a, NULL) == TD_OK);
        check_work(&h, &opts, a);
        helices_free(&h);
    }
}

// ---- steps ----------------------------------------------------------------------------------

static void slope(const helices *h, const td_step_opts *opts, td_helix_published published,
                  const td_vec3 *u, const td_vec3 *rate, td_vec3 *by) {
    CHECK(td_helix_set_curvatures(h->state, u, rate, NULL) == TD_OK);
    CHECK(td_helix_accelerations(h->state, opts, published, by, NULL) == TD_OK);
}

// Runge and Kutta's rule of fourth order on u'' alone.
static void step_rk4(const helices *h, const td_step_opts *opts, td_helix_published published) {
    static const td_real at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    td_vec3 u0[MOST], v0[MOST], u[MOST], v[MOST], u1[MOST], v1[MOST], a[MOST] = {{0, 0, 0}};
    td_helix_curvatures(h->state, u0, v0);
    memcpy(u1, u0, sizeof u1);
    memcpy(v1, v0, sizeof v1);
    memcpy(v, v0, sizeof v);
    for (int k = 0; k < 4; k++) {
        const td_real t = at[k] * opts->dt, w = weight[k] * opts->dt;
        for (int32_t i = 0; i < h->count; i++) {
            u[i] = tdi_madd(u0[i], v[i], t);
            v[i] = tdi_madd(v0[i], a[i], t);
        }
        slope(h, opts, published, u, v, a);
        for (int32_t i = 0; i < h->count; i++) {
            u1[i] = tdi_madd(u1[i], v[i], w);
            v1[i] = tdi_madd(v1[i], a[i], w);
        }
    }
    CHECK(td_helix_set_curvatures(h->state, u1, v1, NULL) == TD_OK);
}

static void any_start(const helices *h, td_real speed) {
    tdi_random r = random_of(12);
    td_vec3 rate[MOST];
    for (int32_t i = 0; i < h->count; i++) {
        rate[i] = any_curvature(&r, speed);
        rate[i].y = 0;
    }
    CHECK(td_helix_set_curvatures(h->state, NULL, rate, NULL) == TD_OK);
}

// How far curvatures are from those of Runge and Kutta's rule after 0.05 s.
static td_real off_after(td_helix_published published, td_real dt) {
    tdi_random r = random_of(13);
    td_step_opts opts = td_step_opts_default();
    td_vec3 a[MOST], b[MOST];
    helices h = any_helices(&r, 4, (sort){true, true, TD_END_CLAMPED});
    any_start(&h, 20);
    opts.dt = 5e-5; // friction is stiff
    for (int k = 0; k < 1000; k++) {
        step_rk4(&h, &opts, recursive);
    }
    td_helix_curvatures(h.state, a, NULL);
    td_body_free(h.state);
    CHECK(td_body_new(h.model, NULL, &h.state, NULL) == TD_OK);
    any_start(&h, 20);
    opts.dt = dt;
    for (int k = 0; k < (int)(0.05 / dt + 0.5); k++) {
        CHECK(td_helix_step_published(h.state, &opts, published, NULL) == TD_OK);
    }
    td_helix_curvatures(h.state, b, NULL);
    for (int32_t i = 0; i < h.count; i++) {
        b[i] = tdi_sub(b[i], a[i]);
    }
    const td_real off = largest(b, h.count) / largest(a, h.count);
    helices_free(&h);
    return off;
}

TD_TEST(helix_published_steps_are_of_first_order) {
    for (int k = 0; k < 2; k++) {
        const td_helix_published way = k ? composite : recursive;
        const td_real coarse = off_after(way, 2e-4), fine = off_after(way, 1e-4);
        CHECK_IN(fine, 0, 0.02);
        CHECK_IN(coarse / fine, 1.7, 2.3);
    }
}

// Where a level rod is after 0.05 s; in the plane, so that no twist is in it.
static td_real blown(td_integrator integrator, const td_air *air) {
    td_helix_element e[3];
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    td_step_opts opts = td_step_opts_default();
    for (int32_t i = 0; i < 3; i++) {
        e[i] = td_helix_element_default();
        e[i].parent = i - 1;
        e[i].young = 1e5;
    }
    e[0].turn = tdi_turn_by(tdi_vec3(0, 0, -1.5));
    CHECK_INT(td_helix_model_new(e, 3, NULL, &model, NULL), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
    opts.dt = 1e-4;
    opts.integrator = integrator;
    opts.air = *air;
    for (int k = 0; k < 500; k++) {
        CHECK_INT(td_body_step(state, &opts, NULL, NULL), TD_OK);
    }
    const td_vec3 tip = td_helix_place(state, 2, 1);
    return tip.y;
}

TD_TEST(helix_euler_and_implicit_steps_feel_the_same_air) {
    const td_air calm = {{0, 0, 0}, 0, 0}, windy = {{2, 10, 0}, 10, 1};
    const td_real by_air = blown(TD_IMPLICIT, &windy) - blown(TD_IMPLICIT, &calm);
    CHECK_IN(by_air, 0.002, 0.1);
    CHECK_REL(blown(TD_EULER, &windy) - blown(TD_EULER, &calm), by_air, 0.01); // first order
}

// ---- limits ---------------------------------------------------------------------------------

TD_TEST(helix_recursive_steps_take_no_memory_and_composite_ones_give_it_back) {
    tdi_random r = random_of(14);
    test_heap heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    td_step_opts opts = td_step_opts_default();
    OWNED(td_body) *state = NULL;
    opts.dt = 1e-4;
    helices h = any_helices(&r, 10, (sort){true, true, TD_END_CLAMPED});
    CHECK_INT(td_body_new(h.model, &alloc, &state, NULL), TD_OK);
    const long calls = heap.calls;
    const size_t held = heap.held;
    opts.integrator = TD_EULER;
    for (int k = 0; k < 10; k++) {
        CHECK_INT(td_helix_step_published(state, &opts, recursive, NULL), TD_OK);
        CHECK_INT(td_body_step(state, &opts, NULL, NULL), TD_OK);
    }
    CHECK_INT(heap.calls, calls);
    CHECK_INT(td_helix_step_published(state, &opts, composite, NULL), TD_OK);
    CHECK_INT(heap.held, held);
    helices_free(&h);
}

TD_TEST(helix_integrator_euler_is_the_recursive_method_with_frozen_twist) {
    tdi_random r = random_of(15);
    td_step_opts opts = td_step_opts_default();
    td_vec3 a[MOST], b[MOST];
    OWNED(td_body) *other = NULL;
    opts.dt = 1e-4;
    opts.integrator = TD_EULER;
    helices h = any_helices(&r, 10, (sort){true, true, TD_END_CLAMPED});
    CHECK_INT(td_body_new(h.model, NULL, &other, NULL), TD_OK);
    for (int k = 0; k < 10; k++) {
        CHECK_INT(td_body_step(h.state, &opts, NULL, NULL), TD_OK);
        CHECK_INT(td_helix_step_published(other, &opts, recursive, NULL), TD_OK);
    }
    td_helix_curvatures(h.state, a, NULL);
    td_helix_curvatures(other, b, NULL);
    for (int32_t i = 0; i < h.count; i++) {
        CHECK(memcmp(&a[i], &b[i], sizeof a[i]) == 0);
        CHECK(a[i].y == tdi_as_helix_model(h.model)->element[i].start.y);
    }
    helices_free(&h);
}

// By how much the momentum of what floats freely differs from what weight gives it in 0.01 s.
static td_real momentum_off(td_helix_published published, td_real dt) {
    tdi_random r = random_of(16);
    td_step_opts opts = td_step_opts_default();
    td_vec3 linear[2], angular;
    td_real mass = 0;
    opts.dt = dt;
    helices h = any_helices(&r, 5, (sort){true, true, TD_END_FREE});
    any_motion(&r, &h);
    for (int32_t i = 0; i < h.count; i++) {
        mass += tdi_as_helix_model(h.model)->element[i].mass;
        tdi_as_helix(h.state)->rate[i].y = 0;
    }
    tdi_helix_changed(tdi_as_helix(h.state));
    td_body_momentum(h.state, &linear[0], &angular);
    for (int k = 0; k < (int)(0.01 / dt + 0.5); k++) {
        CHECK_INT(td_helix_step_published(h.state, &opts, published, NULL), TD_OK);
    }
    td_body_momentum(h.state, &linear[1], &angular);
    linear[0] = tdi_madd(linear[0], opts.gravity, mass * 0.01);
    helices_free(&h);
    return tdi_norm(tdi_sub(linear[1], linear[0]));
}

TD_TEST(helix_published_steps_keep_momentum_to_first_order) {
    for (int k = 0; k < 2; k++) {
        const td_helix_published way = k ? composite : recursive;
        CHECK_IN(momentum_off(way, 2e-5) / momentum_off(way, 1e-5), 1.8, 2.2);
    }
}

TD_TEST(helix_composite_method_refuses_too_many_elements) {
    enum { COUNT = 1001 };
    FREED td_helix_element *e = malloc(COUNT * sizeof *e);
    FREED td_vec3 *a = malloc(COUNT * sizeof *a);
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    td_diag diag = {0};
    td_step_opts opts = td_step_opts_default();
    for (int32_t i = 0; i < COUNT; i++) {
        e[i] = td_helix_element_default();
        e[i].parent = i - 1;
    }
    CHECK_INT(td_helix_model_new(e, COUNT, NULL, &model, NULL), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
    CHECK_INT(td_helix_accelerations(state, &opts, composite, a, &diag), TD_ERR_LIMIT);
    CHECK_HAS(diag.message, "1001 elements");
    CHECK_INT(td_helix_accelerations(state, &opts, recursive, a, &diag), TD_OK);
}
