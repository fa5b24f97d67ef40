// SPDX-License-Identifier: MIT
// The potential of rod networks: gradients and Hessians put together from the nodes, the solve,
// invariance. Pairs with src/rod/terms.c, element.c, solve.c and build.c.

#include "test_rod_shapes.h"

#include "rod/build.h"
#include "rod/solve.h"

// ---- potentials -----------------------------------------------------------------------------

// That of the next step of a state that moves: damping, drag and loads of all kinds.
static tdi_rod_potential next_step(rods s, const td_load *loads, int32_t load_count) {
    td_step_opts opts = td_step_opts_default();
    opts.dt = 0.001;
    for (int32_t k = 0; k < 3; k++) {
        CHECK_INT(td_body_step(s.state, &opts, NULL, NULL), TD_OK);
    }
    const td_real h = 2 * opts.dt / 3;
    return (tdi_rod_potential){.inertia = 1 / (h * h),
                               .over_h = 1 / h,
                               .stiffness = 1.5,
                               .damping = 0.7,
                               .gravity = down,
                               .fall = tdi_scale(down, h * h),
                               .loads = loads,
                               .load_count = load_count,
                               .air = {.wind = {3, 1, -2}, .linear = 0.3, .quadratic = 0.6},
                               .whole = true};
}

static void assemble(const td_body *s, const tdi_rod_potential *p) {
    tdi_rod_clear(tdi_as_rod(s));
    tdi_rod_load_terms(tdi_as_rod(s), p);
    for (int32_t i = tdi_as_rod_model(s->model)->node_count - 1; i >= 0; i--) {
        tdi_rod_node_terms(tdi_as_rod(s), p, i);
    }
}

// ---- differences ----------------------------------------------------------------------------

static bool is_held(const td_body_model *m, int32_t d) {
    return tdi_as_rod_model(m)->node[d / 4].flags & (d % 4 < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN);
}

// The pose is where differences are taken from.
static void begin_differences(rods s) {
    const size_t n = (size_t)s.m->node_count;
    memcpy(s.s->pose_back, s.s->pose, n * sizeof *s.s->pose);
    memcpy(s.s->turn_back, s.s->turn, n * sizeof *s.s->turn);
}

// The potential with number a moved by x, and then b by y.
static td_real value_at(rods s, const tdi_rod_potential *p, int32_t a, td_real x, int32_t b,
                        td_real y) {
    memset(s.s->step, 0, (size_t)s.m->node_count * sizeof *s.s->step);
    s.s->step[a / 4].x[a % 4] += x;
    s.s->step[b / 4].x[b % 4] += y;
    tdi_rod_try(s.s, 1, TDI_STRAIGHT);
    return tdi_rod_value(s.s, p);
}

static td_real slope(rods s, const tdi_rod_potential *p, int32_t d, td_real h) {
    return (8 * (value_at(s, p, d, h, d, 0) - value_at(s, p, d, -h, d, 0)) -
            (value_at(s, p, d, 2 * h, d, 0) - value_at(s, p, d, -2 * h, d, 0))) /
           (12 * h);
}

static td_real bow_by(rods s, const tdi_rod_potential *p, int32_t a, int32_t b, td_real h) {
    return (value_at(s, p, a, h, b, h) - value_at(s, p, a, h, b, -h) - value_at(s, p, a, -h, b, h) +
            value_at(s, p, a, -h, b, -h)) /
           (4 * h * h);
}

static td_real second_difference(rods s, const tdi_rod_potential *p, int32_t a, int32_t b,
                                 td_real h) {
    return (4 * bow_by(s, p, a, b, h) - bow_by(s, p, a, b, 2 * h)) / 3;
}

// ---- gradients ------------------------------------------------------------------------------

// Every entry of the gradient, as a part of the largest.
static void check_gradient(rods s, const tdi_rod_potential *p) {
    const int32_t n = 4 * s.m->node_count;
    td_real *want = calloc((size_t)n, sizeof *want), largest = 0;
    begin_differences(s);
    assemble(s.state, p);
    for (int32_t d = 0; d < n; d++) {
        want[d] = s.s->work[d / 4].r[d % 4];
        largest = fmax(largest, is_held(s.model, d) ? 0 : fabs(want[d]));
    }
    for (int32_t d = 0; d < n; d++) {
        if (!is_held(s.model, d)) {
            CHECK_IN((slope(s, p, d, 1e-4) - want[d]) / largest, -1e-8, 1e-8);
        }
    }
    free(want);
}

// rods of every kind in turn
static rods any_rods(tdi_random *r, int k) {
    rods s = k % 6 == 0   ? open_rod(r, 6, TD_END_FREE, TD_END_FREE)
             : k % 6 == 1 ? open_rod(r, 6, TD_END_CLAMPED, TD_END_CLAMPED)
             : k % 6 == 2 ? open_rod(r, 6, TD_END_PINNED, TD_END_PINNED)
             : k % 6 == 3 ? ring_rod(r, 3 + k / 6 % 5)
                          : branching_rods(r, k % 6 == 5, k % 6 == 5);
    shake(r, s, 0.1);
    return s;
}

TD_TEST(gradient_of_a_step_with_damping_drag_and_loads_matches_differences) {
    tdi_random r = random_of(32);
    for (int k = 0; k < 60; k++) {
        OWNED(rods) s = any_rods(&r, k);
        const int32_t edge = s.m->edge_count - 1;
        const td_load loads[] = {
            {.kind = TD_LOAD_FORCE,
             .segment = edge,
             .point = {0.03, 0.1, 0.02},
             .vector = {3, 1, -2}},
            {.kind = TD_LOAD_TORQUE, .segment = edge / 2, .vector = {0.1, -0.2, 0.3}},
            {.kind = TD_LOAD_SPRING,
             .segment = edge,
             .point = {-0.02, 0.05, 0.04},
             .vector = {0.5, 0.2, 0},
             .stiffness = 40,
             .damping = 2,
             .velocity = {0, 1, 0}}};
        tdi_rod_potential p = next_step(s, loads, 3);
        check_gradient(s, &p);
    }
}

// ---- Hessians -------------------------------------------------------------------------------

// Every entry, as a part of the largest; the entries through products with unit vectors.
static void check_hessian(rods s, const tdi_rod_potential *p) {
    const td_body_model *m = s.model;
    const int32_t nodes = tdi_as_rod_model(m)->node_count, n = 4 * nodes;
    td_real(*x)[4] = calloc((size_t)nodes, sizeof *x);
    td_real(*h)[4] = calloc((size_t)nodes * (size_t)n, sizeof *h), largest = 0;
    begin_differences(s);
    assemble(s.state, p);
    for (int32_t d = 0; d < n; d++) {
        memset(x, 0, (size_t)nodes * sizeof *x);
        x[d / 4][d % 4] = !is_held(m, d);
        tdi_rod_multiply(tdi_as_rod_model(m), s.s->work, (const td_real(*)[4][8])s.s->border,
                         (const td_real(*)[4])x, h + (ptrdiff_t)d * nodes);
        for (int32_t e = 0; e < n; e++) {
            largest = fmax(largest, fabs(h[(ptrdiff_t)d * nodes + e / 4][e % 4]));
        }
    }
    for (int32_t d = 0; d < n; d++) {
        for (int32_t e = 0; e <= d; e++) {
            if (!is_held(m, d) && !is_held(m, e)) {
                td_real got = second_difference(s, p, d, e, 4e-4),
                        want = h[(ptrdiff_t)d * nodes + e / 4][e % 4];
                CHECK_IN((got - want) / largest, -1e-6, 1e-6);
            }
        }
    }
    free(x);
    free(h);
}

TD_TEST(hessian_of_a_step_of_rods_matches_second_differences) {
    tdi_random r = random_of(34);
    for (int k = 0; k < 24; k++) {
        OWNED(rods) s = any_rods(&r, k);
        tdi_rod_potential p = next_step(s, NULL, 0);
        check_hessian(s, &p);
    }
}

// ---- the solve ------------------------------------------------------------------------------

// |H x + r| over |H| |x| + |r|, entry by entry the largest
static td_real residual(rods s, const tdi_rod_potential *p) {
    const td_body_model *m = s.model;
    const size_t n = (size_t)tdi_as_rod_model(m)->node_count;
    td_real(*x)[4] = calloc(n, sizeof *x), (*y)[4] = calloc(n, sizeof *y), worst = 0, scale = 0;
    bool fine = true;
    assemble(s.state, p);
    for (int32_t k = 0; k < tdi_as_rod_model(m)->part_count; k++) {
        for (int32_t i = tdi_as_rod_model(m)->part[k].last - 1;
             !tdi_as_rod_model(m)->part[k].ring && i >= tdi_as_rod_model(m)->part[k].first; i--) {
            fine = fine && tdi_rod_eliminate(s.s, i);
        }
        fine = fine && (!tdi_as_rod_model(m)->part[k].ring || tdi_rod_eliminate_ring(s.s, k));
    }
    CHECK(fine);
    tdi_rod_solve(s.s);
    memcpy(x, s.s->step, n * sizeof *x);
    assemble(s.state, p);
    tdi_rod_multiply(tdi_as_rod_model(m), s.s->work, (const td_real(*)[4][8])s.s->border,
                     (const td_real(*)[4])x, y);
    for (int32_t d = 0; d < 4 * tdi_as_rod_model(m)->node_count; d++) {
        if (is_held(m, d)) {
            CHECK(x[d / 4][d % 4] == 0);
            continue;
        }
        const td_real force = s.s->work[d / 4].r[d % 4];
        worst = fmax(worst, fabs(y[d / 4][d % 4] + force));
        scale = fmax(scale, fabs(force) + s.s->work[d / 4].d[d % 4][d % 4] * fabs(x[d / 4][d % 4]));
    }
    free(x);
    free(y);
    return worst / scale;
}

TD_TEST(elimination_solves_trees_rings_and_what_is_held) {
    tdi_random r = random_of(35);
    for (int k = 0; k < 120; k++) {
        OWNED(rods) s = any_rods(&r, k);
        tdi_rod_potential p = next_step(s, NULL, 0);
        p.whole = false; // always positive
        CHECK_IN(residual(s, &p), 0, 1e-12);
    }
}

TD_TEST(elimination_solves_long_rods_and_rings) {
    tdi_random r = random_of(36);
    for (int k = 0; k < 2; k++) {
        OWNED(rods) s = k ? ring_rod(&r, 300) : open_rod(&r, 300, TD_END_CLAMPED, TD_END_PINNED);
        tdi_rod_potential p = next_step(s, NULL, 0);
        p.whole = false;
        CHECK_IN(residual(s, &p), 0, 1e-12);
    }
}

TD_TEST(elimination_tells_of_a_hessian_that_is_not_positive) {
    tdi_random r = random_of(37);
    OWNED(rods) s = open_rod(&r, 8, TD_END_FREE, TD_END_FREE);
    tdi_rod_potential p = {.stiffness = 0, .gravity = no_weight, .whole = true, .shift = -1};
    bool fine = true;
    assemble(s.state, &p);
    for (int32_t i = s.m->node_count - 1; i >= 0; i--) {
        fine = fine && tdi_rod_eliminate(s.s, i);
    }
    CHECK(!fine);
}

// ---- invariance -----------------------------------------------------------------------------

// no force and no moment in all: what springs do to a free rod adds up to nothing
TD_TEST(forces_of_springs_on_a_free_rod_add_up_to_nothing) {
    tdi_random r = random_of(39);
    for (int k = 0; k < 20; k++) {
        OWNED(rods) s = k % 2 ? ring_rod(&r, 9) : open_rod(&r, 9, TD_END_FREE, TD_END_FREE);
        td_vec3 force[9], sum = {0, 0, 0}, moment = {0, 0, 0};
        td_real turn[9], size = 0;
        shake(&r, s, 0.1);
        td_rod_forces(s.state, no_weight, force, turn);
        for (int32_t v = 0; v < 9; v++) {
            td_vec3 x = td_rod_position(s.state, v);
            sum = tdi_add(sum, force[v]);
            moment = tdi_add(moment, tdi_cross(x, force[v]));
            size += tdi_norm(force[v]);
        }
        for (int32_t e = 0; e < s.m->edge_count; e++) {
            td_vec3 t = s.s->pose[s.m->edge_node[e]].edge.t;
            moment = tdi_madd(moment, t, turn[e]);
        }
        CHECK_IN(tdi_norm(sum) / size, 0, 1e-13);
        CHECK_IN(tdi_norm(moment) / size, 0, 1e-13);
    }
}

// ---- the model ------------------------------------------------------------------------------

// the mass of the material, wherever it went
TD_TEST(weight_of_rods_is_that_of_their_material_and_bodies) {
    tdi_random r = random_of(40);
    OWNED(rods) s = branching_rods(&r, true, false);
    td_real weight = 0, volume = 0, bodies = 0;
    for (int32_t i = 0; i < s.m->node_count; i++) {
        const tdi_rod_node *n = &s.m->node[i];
        weight += n->weight;
        volume += n->edge == TD_NONE ? 0 : 4 * n->inertia; // rho A l (a^2 + b^2) of ellipses
    }
    CHECK(volume > 0);
    for (int32_t k = 0; k < s.m->weld_count; k++) {
        bodies += s.m->weld[k].mass;
    }
    td_vec3 step = {0, 1, 0};
    td_real low = td_body_energy(s.state, down).weight;
    for (int32_t i = 0; i < s.m->node_count; i++) {
        s.s->pose[i].x = tdi_add(s.s->pose[i].x, step);
    }
    CHECK_REL(td_body_energy(s.state, down).weight - low, 9.81 * (weight + bodies), 1e-12);
}

// rho A l in all; half of it at each end; the kinetic energy of a turning stick is m l^2/6 w^2
TD_TEST(masses_of_a_straight_rod_are_those_of_a_stick) {
    td_vec3 points[5];
    td_rod_def d = td_rod_def_default();
    straight_line(points, 5, tdi_vec3(0, 0, 0), tdi_vec3(2, 0, 0));
    d.vertex_count = 5;
    d.points = points;
    d.mass = 0.7;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    for (int32_t v = 0; v < 5; v++) {
        CHECK(td_rod_set_vertex(s.state, v, points[v], tdi_vec3(0, 3 * points[v].x, 0), NULL) ==
              TD_OK);
    }
    CHECK_REL(td_body_energy(s.state, no_weight).kinetic, 1.4 * 4 / 6 * 9, 1e-13);
    CHECK_REL(td_body_energy(s.state, down).weight, 0, 1e-13);
    td_vec3 linear, angular;
    td_body_momentum(s.state, &linear, &angular);
    CHECK_REL(linear.y, 1.4 * 3, 1e-13);
    CHECK_REL(angular.z, 1.4 * 4 / 3 * 3, 1e-13);
}

// A joint is twisted over half of both its edges, also the joint that closes a ring.
TD_TEST(twist_of_rings_and_clamped_rods_is_spread_over_all_of_their_length) {
    tdi_chain_edge edges[6] = {{.length = 1e3}, {.length = 1}, {.length = 2},
                               {.length = 4},   {.length = 8}, {.length = 1e3}};
    const tdi_rod_chain ring = {.edges = &edges[1], .edge_count = 4, .closed = true},
                        both = {.edges = &edges[1],
                                .edge_count = 4,
                                .start = TD_END_CLAMPED,
                                .end = TD_END_CLAMPED};
    CHECK_REL(tdi_joint_length(&ring, 0), 4.5, 1e-15);
    CHECK_REL(tdi_twisted_length(&ring), 15, 1e-15);
    CHECK_REL(tdi_twisted_length(&both), 15, 1e-15);
}
