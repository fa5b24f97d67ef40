// SPDX-License-Identifier: MIT
// Energy, momentum and explicit steps of trees. Pairs with src/tree/energy.c and explicit.c.

#include "test_tree_support.h"

// ---- energy and momentum --------------------------------------------------------------------

TD_TEST(tree_kinetic_energy_is_the_form_of_the_inertia_matrix) {
    tdi_random r = random_of(41);
    for (int k = 0; k < 50; k++) {
        OWNED(tree) t = random_tree(&r, 1 + k % 12, BUSHY, 5, TD_LAW_LINEAR);
        FREED td_real *h = reals(t.nv * t.nv);
        double form = 0;
        td_tree_inertia(t.state, h);
        for (int32_t d = 0; d < t.nv * t.nv; d++) {
            form += 0.5 * t.v[d / t.nv] * h[d] * t.v[d % t.nv];
        }
        CHECK_REL(td_body_energy(t.state, weight).kinetic, form, 1e-12);
    }
}

// Without motion and springs, the torque that holds the tree is the slope of its weight.
TD_TEST(tree_weight_falls_along_the_torque_that_holds_it) {
    tdi_random r = random_of(42);
    OWNED(tree) t = random_tree(&r, 12, BUSHY, 5, TD_LAW_LINEAR);
    random_state(t, &r, 1, 0);
    FREED td_real *none = reals(t.nv), *hold = reals(t.nv), *q = reals(t.nq), *step = reals(t.nv);
    td_tree_inverse(t.state, weight, none, hold);
    memcpy(q, t.q, (size_t)t.nq * sizeof *q);
    for (int32_t d = 0; d < t.nv; d++) {
        double h = 1e-4, up, down;
        memset(step, 0, (size_t)t.nv * sizeof *step);
        step[d] = 1;
        tdi_tree_advance(tdi_as_tree_model(t.model), tdi_as_tree(t.state), step, h);
        up = td_body_energy(t.state, weight).weight;
        tdi_tree_advance(tdi_as_tree_model(t.model), tdi_as_tree(t.state), step, -2 * h);
        down = td_body_energy(t.state, weight).weight;
        memcpy(t.q, q, (size_t)t.nq * sizeof *q);
        CHECK_IN(fabs((up - down) / (2 * h) - hold[d]), 0, 1e-6 * largest(hold, t.nv));
    }
}

static void add_momentum(const td_body *s, double sign, double mass_moment[3]) {
    for (int32_t i = 0; i < tdi_as_tree_model(s->model)->body_count; i++) {
        const tdi_body *body = &tdi_as_tree_model(s->model)->body[i];
        td_vec3 c = tdi_mat3_apply(&tdi_as_tree(s)->frame[i].r, body->moment);
        c = tdi_madd(c, tdi_as_tree(s)->frame[i].o, body->mass);
        mass_moment[0] += sign * c.x;
        mass_moment[1] += sign * c.y;
        mass_moment[2] += sign * c.z;
    }
}

TD_TEST(tree_linear_momentum_is_the_rate_of_the_first_moment_of_mass) {
    tdi_random r = random_of(43);
    OWNED(tree) t = random_tree(&r, 12, BUSHY, 5, TD_LAW_LINEAR);
    td_vec3 linear, angular;
    double h = 1e-5, rate[3] = {0, 0, 0};
    td_body_momentum(t.state, &linear, &angular);
    tdi_tree_advance(tdi_as_tree_model(t.model), tdi_as_tree(t.state), t.v, h);
    td_tree_state_changed(t.state);
    add_momentum(t.state, 1 / (2 * h), rate);
    tdi_tree_advance(tdi_as_tree_model(t.model), tdi_as_tree(t.state), t.v, -2 * h);
    td_tree_state_changed(t.state);
    add_momentum(t.state, -1 / (2 * h), rate);
    double size = tdi_norm(linear);
    CHECK_IN(fabs(rate[0] - linear.x), 0, 1e-7 * size);
    CHECK_IN(fabs(rate[1] - linear.y), 0, 1e-7 * size);
    CHECK_IN(fabs(rate[2] - linear.z), 0, 1e-7 * size);
}

// ---- known motions --------------------------------------------------------------------------

TD_TEST(tree_afloat_keeps_energy_and_momentum_for_10_s) {
    tdi_random r = random_of(51);
    static const td_joint_kind kinds[8] = {TD_JOINT_FREE,  TD_JOINT_BALL,  TD_JOINT_HINGE,
                                           TD_JOINT_BALL,  TD_JOINT_SLIDE, TD_JOINT_BALL,
                                           TD_JOINT_FIXED, TD_JOINT_BALL};
    for (int k = 0; k < 2; k++) {
        td_segment_def defs[8];
        for (int32_t i = 0; i < 8; i++) {
            defs[i] = random_segment(&r, i, BUSHY, 1);
            defs[i].joint = kinds[i];
            defs[i].damping = tdi_vec3(0, 0, 0);
        }
        OWNED(tree) t = tree_of(defs, 8, k ? TD_LAW_TANGENT : TD_LAW_LINEAR, NULL);
        random_state(t, &r, 0.3, 0.5);
        td_vec3 linear[2], angular[2], none = {0, 0, 0};
        td_energy start = td_body_energy(t.state, none), end;
        td_step_opts opts = steps_of(TD_RK4, 1.0 / 8000, none);
        td_body_momentum(t.state, &linear[0], &angular[0]);
        run(t, &opts, 80000);
        end = td_body_energy(t.state, none);
        td_body_momentum(t.state, &linear[1], &angular[1]);
        CHECK_REL(t.state->time, 10, 1e-10);
        CHECK_REL(end.kinetic + end.elastic, start.kinetic + start.elastic, 1e-10);
        CHECK_IN(tdi_norm(tdi_sub(linear[1], linear[0])), 0, 1e-10 * tdi_norm(linear[0]));
        CHECK_IN(tdi_norm(tdi_sub(angular[1], angular[0])), 0, 1e-10 * tdi_norm(angular[0]));
    }
}

// ---- explicit steps -------------------------------------------------------------------------

// where the last segment's tip is after half a second
static td_vec3 tip_after(tree t, const td_real *q, const td_real *v, td_integrator integrator,
                         int32_t steps) {
    td_step_opts opts = steps_of(integrator, 0.5 / steps, weight);
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    memcpy(t.q, q, (size_t)t.nq * sizeof *q);
    memcpy(t.v, v, (size_t)t.nv * sizeof *v);
    td_tree_state_changed(t.state);
    td_base_motion base = t.state->base;
    base.spin = tdi_vec3(0, 2, 0);
    base.velocity = tdi_vec3(1, 0, 0);
    base.spin_rate = tdi_vec3(0, 3, 0);
    base.acceleration = tdi_vec3(0, 1, -2);
    tdi_tree_put_base(tdi_as_tree(t.state), &base);
    run(t, &opts, steps);
    return td_body_tip(t.state, tdi_as_tree_model(t.model)->body_count - 1);
}

// log2 of how the change falls when the steps are halved
static double order_of(tree t, const td_real *q, const td_real *v, td_integrator integrator,
                       int32_t steps) {
    td_vec3 a = tip_after(t, q, v, integrator, steps);
    td_vec3 b = tip_after(t, q, v, integrator, 2 * steps);
    td_vec3 c = tip_after(t, q, v, integrator, 4 * steps);
    return log2(tdi_norm(tdi_sub(a, b)) / tdi_norm(tdi_sub(b, c)));
}

TD_TEST(tree_euler_is_of_first_and_rk4_of_fourth_order) {
    tdi_random r = random_of(61);
    for (int k = 0; k < 3; k++) {
        OWNED(tree) t = random_tree(&r, 10, BUSHY, 2, k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR);
        random_state(t, &r, 0.5, 2);
        FREED td_real *q = reals(t.nq), *v = reals(t.nv);
        memcpy(q, t.q, (size_t)t.nq * sizeof *q);
        memcpy(v, t.v, (size_t)t.nv * sizeof *v);
        CHECK_IN(order_of(t, q, v, TD_EULER, 4000), 0.9, 1.1);
        CHECK_IN(order_of(t, q, v, TD_RK4, 250), 3.8, 4.2);
    }
}

// A body afloat under a force at its centre of mass, in explicit steps.
TD_TEST(tree_explicit_steps_take_loads_and_air) {
    td_segment_def def = td_segment_def_default();
    def.joint = TD_JOINT_FREE;
    OWNED(tree) t = tree_of(&def, 1, TD_LAW_LINEAR, NULL);
    double mass = tdi_as_tree_model(t.model)->body[0].mass;
    td_load load = {.kind = TD_LOAD_FORCE, .vector = {0.3, 0, 0}};
    load.point = tdi_scale(tdi_as_tree_model(t.model)->body[0].moment, 1 / mass);
    td_step_opts opts = steps_of(TD_RK4, 0.01, tdi_vec3(0, 0, 0));
    opts.loads = &load;
    opts.load_count = 1;
    run(t, &opts, 100);
    CHECK_REL(t.q[0], 0.5 * 0.3 / mass, 1e-12);
    // a still body in a wind is dragged along, never faster than the wind
    opts.load_count = 0;
    opts.air = (td_air){{0, 0, -4}, 0, 0.6};
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    run(t, &opts, 500);
    CHECK_IN(t.v[2], -4, -1);
}

TD_TEST(tree_steps_with_loads_and_air_take_no_memory_for_all_integrators) {
    tdi_random r = random_of(99);
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    td_segment_def defs[12];
    td_load loads[] = {
        {.kind = TD_LOAD_FORCE, .segment = 3, .point = {0, 0.1, 0}, .vector = {1, 0, 0}},
        {.kind = TD_LOAD_TORQUE, .segment = 5, .vector = {0, 0.1, 0}},
        {.kind = TD_LOAD_SPRING,
         .segment = 11,
         .point = {0, 0.1, 0},
         .vector = {0, 1, 0},
         .stiffness = 10,
         .damping = 1}};
    static const td_integrator all[] = {TD_EULER, TD_RK4, TD_IMPLICIT, TD_IMPLICIT_EULER};
    for (int32_t i = 0; i < 12; i++) {
        defs[i] = random_segment(&r, i, BUSHY, 5);
        defs[i].joint = i == 0 ? TD_JOINT_FREE : (td_joint_kind)(i % 4);
    }
    for (int k = 0; k < 4; k++) {
        bool explicit = all[k] == TD_EULER || all[k] == TD_RK4;
        tree t = tree_of(defs, 12, TD_LAW_TANGENT, &alloc);
        td_step_opts opts = steps_of(all[k], explicit ? 1e-4 : 1.0 / 60, weight);
        opts.loads = loads;
        opts.load_count = 3;
        opts.air = (td_air){{3, 0, 1}, 0.1, 0.6};
        long calls = heap.calls;
        run(t, &opts, 20);
        CHECK_INT(heap.calls, calls);
        tree_free(t);
        CHECK_INT(heap.held, 0);
    }
}

TD_TEST(tree_tips_stay_where_the_axes_of_bodies_have_them) {
    tdi_random r = random_of(64);
    OWNED(tree) t = random_tree(&r, 20, BUSHY, 5, TD_LAW_LINEAR);
    const td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
    run(t, &opts, 60);
    for (int32_t i = 0; i < 20; i++) {
        const td_vec3 along =
            tdi_quat_rotate(td_body_rotation(t.state, i), tdi_as_tree_model(t.model)->body[i].tip);
        const td_vec3 at = tdi_add(td_body_origin(t.state, i), along);
        // to the rounding of places some metres away
        CHECK_IN(tdi_norm(tdi_sub(at, td_body_tip(t.state, i))), 0, 1e-14);
    }
}
