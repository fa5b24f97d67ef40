// SPDX-License-Identifier: MIT
// Springs that pull, wind, air and the factors of a step, in all integrators. Pairs with
// src/tree/load.c, explicit.c and step.c.

#include "test_tree_support.h"

static const td_vec3 none = {0, 0, 0};
static const td_integrator integrators[] = {TD_IMPLICIT, TD_IMPLICIT_EULER, TD_EULER, TD_RK4};

#define INTEGRATORS 4

// a round bar that floats, along +Y
static tree floating_bar(void) {
    td_segment_def def = td_segment_def_default();
    def.joint = TD_JOINT_FREE;
    def.radius_base = def.radius_tip = 0.01;
    return tree_of(&def, 1, TD_LAW_LINEAR, NULL);
}

static td_vec3 centre_of(tree t) {
    return tdi_scale(t.m->body[0].moment, 1 / t.m->body[0].mass);
}

// ---- springs --------------------------------------------------------------------------------

// Error of a bar pulled at its centre of mass for half a second against
//   m x'' = -k (x - a) - c (x' - v),  x(0) = x'(0) = 0
static double pulled_error(td_integrator integrator, int32_t steps) {
    OWNED(tree) t = floating_bar();
    double m = t.m->body[0].mass, k = 40 * m, c = 3 * m, a = 0.3, v = 0.5, time = 0.5;
    td_load load = {.kind = TD_LOAD_SPRING, .stiffness = k, .damping = c, .velocity = {v, 0, 0}};
    load.point = centre_of(t);
    load.vector = tdi_add(load.point, tdi_vec3(a, 0, 0));
    td_step_opts opts = steps_of(integrator, time / steps, none);
    opts.tolerance = 1e-10;
    opts.loads = &load;
    opts.load_count = 1;
    run(t, &opts, steps);
    // about where it comes to rest: damped oscillation
    double middle = a + c * v / k, decay = c / (2 * m), w = sqrt(k / m - decay * decay);
    double want =
        middle - middle * exp(-decay * time) * (cos(w * time) + decay / w * sin(w * time));
    double error = fabs(t.q[0] - want);
    CHECK_IN(fabs(t.q[1]) + fabs(t.q[2]), 0, 1e-12);
    return error;
}

TD_TEST(spring_load_with_damping_and_moving_place_pulls_as_theory_says) {
    CHECK_IN(pulled_error(TD_RK4, 500), 0, 1e-11);
    CHECK_IN(pulled_error(TD_IMPLICIT, 500), 0, 1e-5);
}

TD_TEST(spring_load_with_damping_keeps_the_order_of_every_integrator) {
    static const double order[INTEGRATORS] = {2, 1, 1, 4};
    for (int k = 0; k < INTEGRATORS; k++) {
        int32_t steps = integrators[k] == TD_RK4 ? 20 : 400;
        double ratio =
            pulled_error(integrators[k], steps) / pulled_error(integrators[k], 2 * steps);
        CHECK_IN(log2(ratio), order[k] - 0.15, order[k] + 0.15);
    }
}

// ---- air ------------------------------------------------------------------------------------

// Velocity of a bar after one step from rest in a wind.
static td_vec3 blown(tree t, td_integrator integrator, td_air air, double dt) {
    td_step_opts opts = steps_of(integrator, dt, none);
    opts.air = air;
    opts.tolerance = 1e-12;
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    run(t, &opts, 1);
    const td_real *v = td_tree_velocities(t.state);
    CHECK_IN(fabs(v[3]) + fabs(v[4]) + fabs(v[5]), 0, 1e-9 * tdi_norm(air.wind));
    return tdi_vec3(v[0], v[1], v[2]);
}

// -A c u across and a tenth of it along; by backward Euler v = h c w/(m + h c)
TD_TEST(linear_drag_on_a_stem_counts_a_tenth_of_the_area_along_it) {
    OWNED(tree) t = floating_bar();
    double area = 2 * 0.01 * 0.1, m = t.m->body[0].mass, h = 0.01, c = 200, wind = 3;
    td_air air[3] = {{{wind, 0, 0}, c, 0}, {{0, wind, 0}, c, 0}, {{0, 0, wind}, c, 0}};
    double a = h * c * area / m;
    CHECK_REL(blown(t, TD_EULER, air[0], h).x, a * wind, 1e-12);
    CHECK_REL(blown(t, TD_EULER, air[1], h).y, 0.1 * a * wind, 1e-12);
    CHECK_REL(blown(t, TD_EULER, air[2], h).z, a * wind, 1e-12);
    CHECK_REL(blown(t, TD_IMPLICIT_EULER, air[0], h).x, a * wind / (1 + a), 1e-9);
    CHECK_REL(blown(t, TD_IMPLICIT_EULER, air[1], h).y, 0.1 * a * wind / (1 + 0.1 * a), 1e-9);
    CHECK_REL(blown(t, TD_IMPLICIT_EULER, air[2], h).z, a * wind / (1 + a), 1e-9);
}

// quadratic drag with the areas as a matrix A, the largest a: -A u sqrt(u^T A u/a)
TD_TEST(quadratic_drag_at_a_slant_follows_the_areas) {
    OWNED(tree) t = floating_bar();
    td_vec3 area = {3e-3, 1e-3, 2e-4}, u = {2, -4, 1};
    t.m->body[0].area = area;
    double m = t.m->body[0].mass, h = 1e-6, c = 0.6;
    double speed = sqrt((area.x * u.x * u.x + area.y * u.y * u.y + area.z * u.z * u.z) / area.x);
    td_vec3 want = {area.x * u.x, area.y * u.y, area.z * u.z};
    want = tdi_scale(want, h * c * speed / m);
    for (int k = 0; k < INTEGRATORS; k++) {
        td_vec3 got = blown(t, integrators[k], (td_air){u, 0, c}, h);
        CHECK_IN(tdi_norm(tdi_sub(got, want)), 0, 1e-5 * tdi_norm(want));
    }
}

TD_TEST(equal_winds_a_body_give_the_bits_of_one_wind_for_all) {
    tdi_random r;
    td_vec3 winds[10];
    for (int i = 0; i < 10; i++) {
        winds[i] = tdi_vec3(4, 1, -2);
    }
    for (int k = 0; k < INTEGRATORS; k++) {
        FREED td_real *q = NULL;
        for (int own = 0; own < 2; own++) {
            tdi_random_seed(&r, 12);
            OWNED(tree) t = random_tree(&r, 10, BUSHY, 5, TD_LAW_LINEAR);
            td_step_opts opts = steps_of(integrators[k], 1e-3, weight);
            opts.air = (td_air){own ? tdi_vec3(-9, 0, 0) : winds[0], 0.1, 0.6};
            opts.winds = own ? winds : NULL;
            run(t, &opts, 20);
            q = q ? q : reals(t.nq);
            CHECK(!own || memcmp(q, t.q, (size_t)t.nq * sizeof *q) == 0);
            memcpy(q, t.q, (size_t)t.nq * sizeof *q);
        }
    }
}

// Two bars that have nothing to do with each other, each in its own wind and each alone in it.
TD_TEST(every_body_feels_its_own_wind_alone) {
    td_segment_def defs[2] = {td_segment_def_default(), td_segment_def_default()};
    td_vec3 winds[2] = {{5, 0, 1}, {0, 0, -3}};
    defs[0].joint = defs[1].joint = TD_JOINT_FREE;
    for (int k = 0; k < INTEGRATORS; k++) {
        OWNED(tree) two = tree_of(defs, 2, TD_LAW_LINEAR, NULL);
        td_step_opts opts = steps_of(integrators[k], 1e-3, none);
        opts.tolerance = 1e-12;
        opts.air.quadratic = 60;
        opts.winds = winds;
        run(two, &opts, 100);
        for (int32_t i = 0; i < 2; i++) {
            OWNED(tree) one = tree_of(defs, 1, TD_LAW_LINEAR, NULL);
            opts.air.wind = winds[i];
            opts.winds = NULL;
            run(one, &opts, 100);
            for (int32_t d = 0; d < 7; d++) {
                CHECK_IN(fabs(two.q[7 * i + d] - one.q[d]), 0, 1e-10);
            }
            CHECK(tdi_norm(td_body_origin(one.state, 0)) > 1e-3);
        }
    }
}

// ---- factors --------------------------------------------------------------------------------

// A random tree with its springs and dampers made weaker, stepped with the factors that make them
// whole again.
static tree factored(uint64_t seed, td_spring_law law, td_step_opts opts, int32_t steps) {
    tdi_random r = random_of(seed);
    tree t = random_tree(&r, 10, BUSHY, 5, law);
    for (int32_t i = 0; i < 10; i++) {
        tdi_body *body = &t.m->body[i];
        body->stiffness = tdi_scale(body->stiffness, 1 / opts.stiffness);
        body->damping = tdi_scale(body->damping, 1 / opts.damping);
    }
    run(t, &opts, steps);
    return t;
}

static double apart(tree a, tree b) {
    double most = 0;
    for (int32_t i = 0; i < a.nq; i++) {
        most = fmax(most, fabs(a.q[i] - b.q[i]));
    }
    return most;
}

// powers of two, which no product rounds: as a step without factors, to the last bit
TD_TEST(implicit_step_with_factors_gives_the_bits_of_springs_multiplied) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        td_spring_law law = seed % 2 ? TD_LAW_LINEAR : TD_LAW_TANGENT;
        td_step_opts opts = steps_of(seed % 3 ? TD_IMPLICIT : TD_IMPLICIT_EULER, 0.01, weight);
        OWNED(tree) plain = factored(seed, law, opts, 30);
        opts.stiffness = 4;
        opts.damping = 0.5;
        OWNED(tree) other = factored(seed, law, opts, 30);
        CHECK(memcmp(plain.q, other.q, (size_t)plain.nq * sizeof *plain.q) == 0);
    }
}

TD_TEST(explicit_step_with_factors_moves_as_springs_multiplied) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        td_spring_law law = seed % 2 ? TD_LAW_LINEAR : TD_LAW_TANGENT;
        td_step_opts opts = steps_of(seed % 3 ? TD_RK4 : TD_EULER, 1e-4, weight);
        OWNED(tree) plain = factored(seed, law, opts, 100);
        opts.stiffness = 3;
        opts.damping = 0.4;
        OWNED(tree) other = factored(seed, law, opts, 100);
        CHECK_IN(apart(plain, other), 0, 1e-10);
    }
}

// A step of Euler's rule is v + h a, a those of forward dynamics: with factors of 1 to the bit.
TD_TEST(explicit_step_with_factors_of_one_adds_nothing) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        tdi_random r = random_of(seed);
        OWNED(tree) t = random_tree(&r, 10, BUSHY, 5, TD_LAW_LINEAR);
        FREED td_real *accel = reals(t.nv), *v = reals(t.nv);
        td_step_opts opts = steps_of(TD_EULER, 1e-3, weight);
        memcpy(v, t.v, (size_t)t.nv * sizeof *v);
        td_tree_forward(t.state, weight, NULL, accel);
        run(t, &opts, 1);
        for (int32_t d = 0; d < t.nv; d++) {
            CHECK(t.v[d] == v[d] + opts.dt * accel[d]);
        }
    }
}

// without springs nothing turns a joint back
TD_TEST(factors_of_zero_take_springs_and_dampers_away) {
    for (int k = 0; k < INTEGRATORS; k++) {
        td_segment_def def = td_segment_def_default();
        def.joint = TD_JOINT_HINGE;
        def.has_stiffness = def.has_damping = true;
        def.stiffness.x = def.damping.x = 1e-3;
        OWNED(tree) t = tree_of(&def, 1, TD_LAW_LINEAR, NULL);
        td_step_opts opts = steps_of(integrators[k], 1e-3, none);
        opts.stiffness = opts.damping = 0;
        opts.tolerance = 1e-12;
        t.v[0] = 0.5;
        td_tree_state_changed(t.state);
        run(t, &opts, 100);
        // backward Euler lags by (w h)^2/2 of what it has turned, a step: 1.25e-5 here
        CHECK_REL(t.q[0], 0.05, integrators[k] < TD_EULER ? 2e-5 : 1e-11);
    }
}
