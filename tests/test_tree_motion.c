// SPDX-License-Identifier: MIT
// Energy, momentum and explicit steps of trees. Pairs with src/tree/energy.c and explicit.c.

#include "test_tree_support.h"

// ---- energy and momentum --------------------------------------------------------------------

TD_TEST(tree_kinetic_energy_is_the_form_of_the_inertia_matrix) {
    tdi_random r;
    tdi_random_seed(&r, 41);
    for (int k = 0; k < 50; k++) {
        tree t = random_tree(&r, 1 + k % 12, BUSHY, 5, TD_LAW_LINEAR);
        td_real *h = reals(t.nv * t.nv);
        double form = 0;
        td_tree_inertia(t.state, h);
        for (int32_t d = 0; d < t.nv * t.nv; d++) {
            form += 0.5 * t.v[d / t.nv] * h[d] * t.v[d % t.nv];
        }
        CHECK_REL(td_body_energy(t.state, weight).kinetic, form, 1e-12);
        free(h);
        tree_free(t);
    }
}

// Without motion and springs, the torque that holds the tree is the slope of its weight.
TD_TEST(tree_weight_falls_along_the_torque_that_holds_it) {
    tdi_random r;
    tdi_random_seed(&r, 42);
    tree t = random_tree(&r, 12, BUSHY, 5, TD_LAW_LINEAR);
    random_state(t, &r, 1, 0);
    td_real *none = reals(t.nv), *hold = reals(t.nv), *q = reals(t.nq), *step = reals(t.nv);
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
    free(none);
    free(hold);
    free(q);
    free(step);
    tree_free(t);
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
    tdi_random r;
    tdi_random_seed(&r, 43);
    tree t = random_tree(&r, 12, BUSHY, 5, TD_LAW_LINEAR);
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
    tree_free(t);
}

// ---- known motions --------------------------------------------------------------------------

TD_TEST(tree_afloat_keeps_energy_and_momentum_for_10_s) {
    tdi_random r;
    tdi_random_seed(&r, 51);
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
        tree t = tree_of(defs, 8, k ? TD_LAW_TANGENT : TD_LAW_LINEAR, NULL);
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
        tree_free(t);
    }
}

// n rods on hinges about Z, hanging at angle 0
static tree pendulum(int32_t n, const double *length, const double *mass) {
    td_segment_def defs[2];
    for (int32_t i = 0; i < n; i++) {
        double l = length[i], m = mass[i];
        defs[i] = td_segment_def_default();
        defs[i].parent = i - 1;
        defs[i].joint = TD_JOINT_HINGE;
        defs[i].axis = tdi_vec3(0, 0, 1);
        defs[i].rest =
            i == 0 ? (td_quat){0, 0, 0, 1} : tdi_quat_identity(); // half a turn: downwards
        defs[i].length = l;
        defs[i].mass = m;
        defs[i].centre_of_mass = tdi_vec3(0, l / 2, 0);
        defs[i].second_moment = (td_sym3){1e-9, m * l * l / 3, 1e-9, 0, 0, 0};
        defs[i].has_stiffness = defs[i].has_damping = true;
    }
    return tree_of(defs, n, TD_LAW_LINEAR, NULL);
}

// theta'' = -m g (l/2) sin(theta)/I with I = m l^2/3 (+ the rod's thickness)
TD_TEST(tree_pendulum_steps_as_its_equation_does) {
    const double length = 0.8, mass = 1.3;
    const double inertia = mass * length * length / 3 + 1e-9;
    for (int k = 0; k < 4; k++) {
        tree t = pendulum(1, &length, &mass);
        double theta = (double[]){0.1, 1, 2, 3}[k], rate = 0, worst = 0, dt = 1e-3;
        td_step_opts opts = steps_of(TD_EULER, dt, weight);
        t.q[0] = theta;
        td_tree_state_changed(t.state);
        for (int i = 0; i < 10000; i++) {
            run(t, &opts, 1);
            rate += dt * -(mass * 9.81 * length / 2) / inertia * sin(theta);
            theta += dt * rate;
            worst = fmax(worst, fabs(t.q[0] - theta));
        }
        CHECK_IN(worst, 0, 1e-10);
        tree_free(t);
    }
}

// The plants thesis, appendix A, with both angles from the vertical:
//   Ja t1'' + Jx cos(t1 - t2) t2'' + Jx sin(t1 - t2) t2'^2 + u1 sin t1 = 0
//   Jb t2'' + Jx cos(t1 - t2) t1'' - Jx sin(t1 - t2) t1'^2 + u2 sin t2 = 0
TD_TEST(tree_double_pendulum_accelerates_as_derived_by_hand) {
    tdi_random r;
    tdi_random_seed(&r, 52);
    const double l[2] = {0.7, 1.1}, m[2] = {1.2, 0.5}, g = 9.81;
    tree t = pendulum(2, l, m);
    double ja = m[0] * l[0] * l[0] / 3 + m[1] * l[0] * l[0] + 1e-9;
    double jb = m[1] * l[1] * l[1] / 3 + 1e-9, jx = m[1] * l[0] * l[1] / 2;
    double u1 = (m[0] / 2 + m[1]) * g * l[0], u2 = m[1] * g * l[1] / 2;
    for (int k = 0; k < 1000; k++) {
        td_real accel[2];
        random_state(t, &r, 3, 10);
        td_tree_forward(t.state, weight, NULL, accel);
        double t1 = t.q[0], t2 = t.q[0] + t.q[1], w1 = t.v[0], w2 = t.v[0] + t.v[1];
        double c = jx * cos(t1 - t2), s = jx * sin(t1 - t2);
        double f1 = -s * w2 * w2 - u1 * sin(t1), f2 = s * w1 * w1 - u2 * sin(t2);
        double det = ja * jb - c * c, a1 = (jb * f1 - c * f2) / det, a2 = (ja * f2 - c * f1) / det;
        double scale = fmax(fabs(a1), fabs(a2));
        CHECK_IN(fabs(accel[0] - a1), 0, 1e-10 * scale);
        CHECK_IN(fabs(accel[0] + accel[1] - a2), 0, 1e-10 * scale);
    }
    tree_free(t);
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
    tdi_random r;
    tdi_random_seed(&r, 61);
    for (int k = 0; k < 3; k++) {
        tree t = random_tree(&r, 10, BUSHY, 2, k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR);
        random_state(t, &r, 0.5, 2);
        td_real *q = reals(t.nq), *v = reals(t.nv);
        memcpy(q, t.q, (size_t)t.nq * sizeof *q);
        memcpy(v, t.v, (size_t)t.nv * sizeof *v);
        CHECK_IN(order_of(t, q, v, TD_EULER, 4000), 0.9, 1.1);
        CHECK_IN(order_of(t, q, v, TD_RK4, 250), 3.8, 4.2);
        free(q);
        free(v);
        tree_free(t);
    }
}

// A body afloat under a force at its centre of mass, in explicit steps.
TD_TEST(tree_explicit_steps_take_loads_and_air) {
    td_segment_def def = td_segment_def_default();
    def.joint = TD_JOINT_FREE;
    tree t = tree_of(&def, 1, TD_LAW_LINEAR, NULL);
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
    tree_free(t);
}

TD_TEST(tree_diverging_explicit_step_leaves_the_state_as_it_was) {
    tdi_random r;
    tdi_random_seed(&r, 63);
    for (int k = 0; k < 2; k++) {
        tree t = random_tree(&r, 10, BUSHY, 5, TD_LAW_LINEAR);
        t.v[0] = 1e200;
        td_tree_state_changed(t.state);
        td_real *q = reals(t.nq), *v = reals(t.nv);
        memcpy(q, t.q, (size_t)t.nq * sizeof *q);
        memcpy(v, t.v, (size_t)t.nv * sizeof *v);
        td_vec3 tip = td_body_tip(t.state, 9);
        td_step_opts opts = steps_of(k ? TD_RK4 : TD_EULER, 0.1, weight);
        CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_ERR_DIVERGED);
        td_vec3 after = td_body_tip(t.state, 9);
        CHECK(memcmp(q, t.q, (size_t)t.nq * sizeof *q) == 0);
        CHECK(memcmp(v, t.v, (size_t)t.nv * sizeof *v) == 0);
        CHECK(memcmp(&tip, &after, sizeof tip) == 0);
        CHECK(t.state->time == 0);
        free(q);
        free(v);
        tree_free(t);
    }
}

TD_TEST(tree_tips_stay_where_the_axes_of_bodies_have_them) {
    tdi_random r;
    tdi_random_seed(&r, 64);
    tree t = random_tree(&r, 20, BUSHY, 5, TD_LAW_LINEAR);
    const td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
    run(t, &opts, 60);
    for (int32_t i = 0; i < 20; i++) {
        const td_vec3 along =
            tdi_quat_rotate(td_body_rotation(t.state, i), tdi_as_tree_model(t.model)->body[i].tip);
        const td_vec3 at = tdi_add(td_body_origin(t.state, i), along);
        // to the rounding of places some metres away
        CHECK_IN(tdi_norm(tdi_sub(at, td_body_tip(t.state, i))), 0, 1e-14);
    }
    tree_free(t);
}
