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
        tdi_tree_advance(t.m, t.s, step, h);
        up = td_body_energy(t.state, weight).weight;
        tdi_tree_advance(t.m, t.s, step, -2 * h);
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
    tdi_tree_advance(t.m, t.s, t.v, h);
    td_tree_state_changed(t.state);
    add_momentum(t.state, 1 / (2 * h), rate);
    tdi_tree_advance(t.m, t.s, t.v, -2 * h);
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
