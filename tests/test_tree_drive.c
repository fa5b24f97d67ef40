// SPDX-License-Identifier: MIT
// Torques, offsets and limits at joints of trees. Pairs with src/tree/drive.c.

#include "test_tree_support.h"

static td_joint_drive *random_drives(tree t, tdi_random *r, double size) {
    td_joint_drive *drives = calloc((size_t)t.nv + 1, sizeof *drives);
    for (int32_t d = 0; d < t.nv; d++) {
        drives[d] = td_joint_drive_default();
        drives[d].torque = between(r, -size, size);
    }
    return drives;
}

// v after a step of Euler from rest is dt times the accelerations under these torques, to the bit.
TD_TEST(drive_torques_of_an_explicit_step_are_those_of_forward_dynamics) {
    tdi_random r = random_of(41);
    for (int k = 0; k < 20; k++) {
        OWNED(tree) t = random_tree(&r, 2 + k, BUSHY, 5, TD_LAW_LINEAR);
        FREED td_joint_drive *drives = random_drives(t, &r, 1);
        FREED td_real *torque = reals(t.nv), *accel = reals(t.nv);
        td_step_opts opts = steps_of(TD_EULER, 1e-3, weight);
        CHECK(td_body_reset(t.state, NULL) == TD_OK);
        for (int32_t d = 0; d < t.nv; d++) {
            torque[d] = drives[d].torque;
        }
        td_tree_forward(t.state, weight, torque, accel);
        opts.drives = drives;
        CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_OK);
        for (int32_t d = 0; d < t.nv; d++) {
            CHECK(t.v[d] == opts.dt * accel[d]);
        }
    }
}

// How far coordinates of implicit steps are from those of RK4 after `time`.
static double distance(tree t, td_joint_drive *drives, double dt, double time) {
    FREED td_real *want = reals(t.nq);
    td_step_opts opts = steps_of(TD_RK4, 2e-5, weight);
    double far = 0;
    opts.drives = drives;
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    run(t, &opts, (int32_t)lround(time / opts.dt));
    memcpy(want, t.q, (size_t)t.nq * sizeof *want);
    opts.integrator = TD_IMPLICIT_EULER;
    opts.dt = dt;
    opts.tolerance = 1e-9;
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    run(t, &opts, (int32_t)lround(time / opts.dt));
    for (int32_t c = 0; c < t.nq; c++) {
        far = fmax(far, fabs(td_tree_coords(t.state)[c] - want[c]));
    }
    return far;
}

// All kinds of joints, ball and free ones included: the error is of the order of the step, and
// what the torques did is far larger.
TD_TEST(drive_torques_of_implicit_steps_converge_to_those_of_explicit_ones) {
    tdi_random r = random_of(42);
    for (int k = 0; k < 4; k++) {
        OWNED(tree) t = random_tree(&r, 4, BUSHY, 5, TD_LAW_LINEAR);
        FREED td_joint_drive *drives = random_drives(t, &r, 2);
        const double coarse = distance(t, drives, 4e-4, 0.04),
                     fine = distance(t, drives, 1e-4, 0.04);
        CHECK_SAY(fine < 0.35 * coarse, "%g, with a quarter of the step %g", coarse, fine);
    }
}

// Joints push and turn with opposite forces: without gravity a free body keeps its momentum.
TD_TEST(drive_torques_within_a_free_body_keep_its_momentum) {
    tdi_random r = random_of(43);
    td_segment_def defs[5];
    static const td_joint_kind kinds[5] = {TD_JOINT_FREE, TD_JOINT_BALL, TD_JOINT_HINGE,
                                           TD_JOINT_SLIDE, TD_JOINT_BALL};
    for (int32_t i = 0; i < 5; i++) {
        defs[i] = random_segment(&r, i, CHAIN, 5);
        defs[i].joint = kinds[i];
    }
    OWNED(tree) t = tree_of(defs, 5, TD_LAW_LINEAR, NULL);
    FREED td_joint_drive *drives = random_drives(t, &r, 0.5);
    td_step_opts opts = steps_of(TD_IMPLICIT_EULER, 1e-4, tdi_vec3(0, 0, 0));
    td_vec3 linear, angular;
    opts.tolerance = 1e-10;
    opts.drives = drives;
    for (int32_t d = 0; d < 6; d++) {
        drives[d].torque = 0; // nothing from outside
    }
    run(t, &opts, 100);
    td_body_momentum(t.state, &linear, &angular);
    CHECK(tdi_norm(linear) < 1e-9);
    CHECK(tdi_norm(angular) < 1e-6); // torques keep the axes of the beginning of a step
    CHECK(largest(td_tree_velocities(t.state), t.nv) > 0.01);
}

static tree one_joint(td_joint_kind kind, double stiffness) {
    td_segment_def def = td_segment_def_default();
    def.joint = kind;
    def.axis = tdi_vec3(0, 0, 1);
    def.length = 0.3;
    def.radius_base = def.radius_tip = 0.02;
    def.has_stiffness = def.has_damping = true;
    def.stiffness = tdi_vec3(stiffness, stiffness, stiffness);
    def.damping = tdi_scale(def.stiffness, 0.3);
    return tree_of(&def, 1, TD_LAW_LINEAR, NULL);
}

TD_TEST(drive_offsets_are_where_springs_come_to_rest) {
    const td_joint_kind kinds[5] = {TD_JOINT_HINGE, TD_JOINT_SLIDE, TD_JOINT_BALL, TD_JOINT_BALL,
                                    TD_JOINT_BALL};
    for (int k = 0; k < 5; k++) {
        const int axis = k > 2 ? k - 2 : 0;
        OWNED(tree) t = one_joint(kinds[k], 3);
        td_joint_drive drives[3];
        td_step_opts opts = steps_of(TD_IMPLICIT, 0.02, tdi_vec3(0, 0, 0));
        for (int d = 0; d < 3; d++) {
            drives[d] = td_joint_drive_default();
        }
        drives[axis].offset = 0.4;
        opts.drives = drives;
        opts.tolerance = 1e-9;
        run(t, &opts, 600);
        const td_real *q = td_tree_coords(t.state);
        const double turned = t.nq == 4 ? 2 * atan2(q[1 + axis], q[0]) : q[0];
        CHECK_REL(turned, 0.4, 1e-6);
    }
}

// Against a stop with stiffness c a torque T rests T/c beyond it; in steps and in statics alike.
TD_TEST(drive_limits_push_back_with_their_stiffness) {
    for (int k = 0; k < 2; k++) {
        OWNED(tree) t = one_joint(k ? TD_JOINT_SLIDE : TD_JOINT_HINGE, 0);
        td_joint_drive drive = td_joint_drive_default();
        td_step_opts opts = steps_of(TD_IMPLICIT_EULER, 0.01, tdi_vec3(0, 0, 0));
        drive.torque = 2;
        drive.low = -0.1;
        drive.high = 0.25;
        drive.limit_stiffness = 50;
        opts.drives = &drive;
        opts.tolerance = 1e-9;
        run(t, &opts, 1500);
        CHECK_REL(td_tree_coords(t.state)[0], 0.25 + 2.0 / 50, 1e-5);
        drive.torque = -2;
        CHECK_INT(td_body_settle(t.state, &opts, NULL, NULL), TD_OK);
        CHECK_REL(td_tree_coords(t.state)[0], -0.1 - 2.0 / 50, 1e-5);
    }
}

TD_TEST(drive_that_does_nothing_changes_no_bit) {
    const td_integrator rules[2] = {TD_IMPLICIT, TD_RK4};
    tdi_random r = random_of(44);
    for (int k = 0; k < 2; k++) {
        OWNED(tree) t = random_tree(&r, 9, BUSHY, 5, TD_LAW_LINEAR);
        FREED td_joint_drive *drives = random_drives(t, &r, 0);
        FREED td_real *want = reals(t.nq);
        td_step_opts opts = steps_of(rules[k], 1e-3, weight);
        CHECK(td_body_reset(t.state, NULL) == TD_OK);
        run(t, &opts, 20);
        memcpy(want, td_tree_coords(t.state), (size_t)t.nq * sizeof *want);
        opts.drives = drives;
        CHECK(td_body_reset(t.state, NULL) == TD_OK);
        run(t, &opts, 20);
        CHECK(memcmp(want, td_tree_coords(t.state), (size_t)t.nq * sizeof *want) == 0);
    }
}

TD_TEST(drive_that_makes_no_sense_is_refused_with_its_degree_of_freedom) {
    OWNED(tree) hinge = one_joint(TD_JOINT_HINGE, 1), ball = one_joint(TD_JOINT_BALL, 1);
    const td_joint_drive none = td_joint_drive_default();
    td_joint_drive drives[3] = {none, none, none};
    td_step_opts opts = td_step_opts_default();
    td_diag diag = {.message = ""};
    opts.drives = drives;
    drives[0].torque = NAN;
    CHECK_INT(td_body_step(hinge.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "drives[0]: torque and offset must be finite");
    drives[0] = none;
    drives[0].low = 2;
    drives[0].high = 1;
    CHECK_INT(td_body_step(hinge.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    drives[0] = none;
    drives[0].limit_stiffness = -1;
    CHECK_INT(td_body_step(hinge.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    drives[0] = none;
    drives[2].high = 1;
    CHECK_INT(td_body_step(ball.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(diag.index, 2);
    CHECK_HAS(diag.message, "limits are for hinges and slides");
}
