// SPDX-License-Identifier: MIT
// Forward and inverse dynamics and joints. Pairs with src/tree/aba.c, rnea.c, inertia.c, joint.c
// and state.c.

#include "test_tree_reference.h"
#include "test_tree_support.h"
#include "tree/dynamics.h"
#include "tree/joint.h"

// ---- three ways -----------------------------------------------------------------------------

typedef struct agreement {
    double forward, inverse, inertia, round_trip; // worst relative differences
} agreement;

static void note(double *worst, double error, double scale) {
    error /= scale > 0 ? scale : 1;
    *worst = error > *worst || isnan(error) ? error : *worst;
}

// Articulated bodies, Newton-Euler and composite bodies against the reference and each other.
static void compare(tree t, tdi_random *r, agreement *worst) {
    int32_t n = t.nv;
    FREED td_real *torque = reals(n), *spring = reals(n), *accel = reals(n), *back = reals(n);
    FREED td_real *h = reals(n * n);
    FREED real *want = calloc((size_t)n + 1, sizeof *want),
               *need = calloc((size_t)n + 1, sizeof *need);
    FREED real *ref = calloc((size_t)n * (size_t)n + 1, sizeof *ref);
    for (int32_t d = 0; d < n; d++) {
        torque[d] = between(r, -1, 1);
    }
    td_tree_joint_torque(t.state, spring);
    td_tree_forward(t.state, weight, torque, accel);
    for (int32_t d = 0; d < n; d++) {
        spring[d] += torque[d];
    }
    ref_inertia(t.state, ref);
    ref_forward(t.state, weight, spring, ref, want);
    td_tree_inverse(t.state, weight, accel, back);
    td_tree_inertia(t.state, h);

    double scale = largest(accel, n), moved = 0, most = 0;
    for (int32_t d = 0; d < n; d++) {
        note(&worst->forward, fabs((double)(accel[d] - want[d])), scale);
        want[d] = accel[d];
        for (int32_t e = 0; e < n; e++) {
            moved = fmax(moved, fabs(h[d * n + e] * accel[e]));
            most = fmax(most, fabs(h[d * n + e]));
        }
    }
    ref_inverse(t.state, 1, weight, want, need);
    for (int32_t d = 0; d < n; d++) {
        note(&worst->inverse, fabs((double)(back[d] - need[d])), moved);
        note(&worst->round_trip, fabs(back[d] - spring[d]), moved);
        for (int32_t e = 0; e < n; e++) {
            note(&worst->inertia, fabs((double)(h[d * n + e] - ref[d * n + e])), most);
            CHECK(h[d * n + e] == h[e * n + d]);
        }
    }
}

// long double is software where it is not x87's: there are fewer trees, of all sizes and kinds
#define RANDOM_TREES (LDBL_MANT_DIG == 64 ? 400 : 120)

TD_TEST(tree_three_ways_of_dynamics_agree_on_random_trees_with_all_joints) {
    tdi_random r = random_of(11);
    agreement worst = {0, 0, 0, 0};
    for (int k = 0; k < RANDOM_TREES; k++) {
        OWNED(tree) t = random_tree(&r, 1 + k % 30, k % 3 ? BUSHY : CHAIN, 5,
                                    k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR);
        if (k % 4 > 1) {
            random_base(t, &r);
        }
        compare(t, &r, &worst);
    }
    CHECK_IN(worst.forward, 0, 1e-9);
    CHECK_IN(worst.inverse, 0, 1e-12);
    CHECK_IN(worst.round_trip, 0, 1e-9);
    CHECK_IN(worst.inertia, 0, 1e-13);
}

TD_TEST(tree_three_ways_agree_to_rounding_on_short_stout_chains) {
    tdi_random r = random_of(12);
    agreement worst = {0, 0, 0, 0};
    for (int k = 0; k < 100; k++) {
        td_segment_def defs[4];
        int32_t n = 1 + k % 4;
        for (int32_t i = 0; i < n; i++) {
            defs[i] = random_segment(&r, i, CHAIN, 5);
            defs[i].radius_base = defs[i].radius_tip = 0.1;
            defs[i].joint = (k / 4 + i) % 3 ? TD_JOINT_BALL : TD_JOINT_HINGE;
        }
        OWNED(tree) t = tree_of(defs, n, TD_LAW_LINEAR, NULL);
        random_state(t, &r, 1, 3);
        compare(t, &r, &worst);
    }
    CHECK_IN(worst.forward, 0, 1e-12);
    CHECK_IN(worst.inverse, 0, 1e-12);
    CHECK_IN(worst.round_trip, 0, 1e-12);
}

// a chain of n like segments with joints of one kind
static tree even_chain(int32_t n, td_joint_kind kind, double spring) {
    FREED td_segment_def *defs = calloc((size_t)n, sizeof *defs);
    for (int32_t i = 0; i < n; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.joint = kind;
        def.axis = i % 2 ? tdi_vec3(1, 0, 0) : tdi_vec3(0, 0, 1);
        def.length = 0.02;
        def.radius_base = def.radius_tip = 0.002;
        def.has_stiffness = def.has_damping = true;
        def.stiffness = tdi_vec3(spring, spring, spring);
        defs[i] = def;
    }
    tree t = tree_of(defs, n, TD_LAW_LINEAR, NULL);
    return t;
}

// long double is software where it is not x87's: there the dense matrix is made smaller
#define LONG_CHAIN (LDBL_MANT_DIG == 64 ? 500 : 60)

TD_TEST(tree_forward_is_within_1e_7_of_dense_long_double_on_a_chain_of_500) {
    tdi_random r = random_of(13);
    OWNED(tree) t = even_chain(LONG_CHAIN, TD_JOINT_BALL, 0);
    random_state(t, &r, 0.5, 1);
    FREED td_real *accel = reals(t.nv), *none = reals(t.nv);
    FREED real *want = calloc((size_t)t.nv, sizeof *want);
    FREED real *inertia = calloc((size_t)t.nv * (size_t)t.nv, sizeof *inertia);
    td_tree_forward(t.state, weight, NULL, accel);
    ref_inertia(t.state, inertia);
    ref_forward(t.state, weight, none, inertia, want);
    double scale = 0, error = 0;
    for (int32_t d = 0; d < t.nv; d++) {
        scale = fmax(scale, fabs((double)want[d]));
        error = fmax(error, fabs((double)(accel[d] - want[d])));
    }
    CHECK_IN(error / scale, 0, 1e-7);
}

// Against the torques that would hold the chain unaccelerated: the joints' own are what is left
// when these cancel.
// WebAssembly's host does not always survive memories of hundreds of megabytes
#ifdef __wasi__
#define FORWARD_CHAIN 10000
#else
#define FORWARD_CHAIN 100000
#endif

TD_TEST(tree_forward_solves_the_equations_of_long_chains) {
    tdi_random r = random_of(14);
    for (int k = 0; k < 2; k++) {
        OWNED(tree) t = even_chain(FORWARD_CHAIN, k ? TD_JOINT_HINGE : TD_JOINT_BALL, 0.1);
        random_state(t, &r, 0.1, 0.1);
        FREED td_real *accel = reals(t.nv), *spring = reals(t.nv), *back = reals(t.nv);
        td_tree_inverse(t.state, weight, accel, back);
        double scale = largest(back, t.nv), error = 0;
        td_tree_joint_torque(t.state, spring);
        td_tree_forward(t.state, weight, NULL, accel);
        td_tree_inverse(t.state, weight, accel, back);
        for (int32_t d = 0; d < t.nv; d++) {
            error = fmax(error, fabs(back[d] - spring[d]));
        }
        CHECK(isfinite(largest(accel, t.nv)));
        CHECK_IN(error / scale, 0, 1e-6);
    }
}

// ---- moving base ----------------------------------------------------------------------------

static void forward_of(tree t, td_vec3 gravity, td_real *accel) {
    td_tree_state_changed(t.state);
    td_tree_forward(t.state, gravity, NULL, accel);
}

TD_TEST(tree_on_a_base_in_uniform_motion_feels_nothing_of_it) {
    tdi_random r = random_of(21);
    OWNED(tree) t = random_tree(&r, 12, BUSHY, 5, TD_LAW_LINEAR);
    FREED td_real *still = reals(t.nv), *moved = reals(t.nv);
    forward_of(t, weight, still);
    t.s->base_twist.v = tdi_vec3(3, -1, 2);
    t.s->base.o = tdi_vec3(0.5, 2, -1);
    forward_of(t, weight, moved);
    for (int32_t d = 0; d < t.nv; d++) {
        CHECK(moved[d] == still[d]);
    }
}

TD_TEST(tree_on_a_falling_base_is_weightless) {
    tdi_random r = random_of(22);
    OWNED(tree) t = random_tree(&r, 12, BUSHY, 5, TD_LAW_LINEAR);
    FREED td_real *falling = reals(t.nv), *free_of = reals(t.nv);
    forward_of(t, tdi_vec3(0, 0, 0), free_of);
    t.state->base.acceleration = weight;
    forward_of(t, weight, falling);
    for (int32_t d = 0; d < t.nv; d++) {
        CHECK(falling[d] == free_of[d]);
    }
}

// A hinge that turns with known angle, rate and acceleration carries the tree of `defs`, which
// then must move as on a base with that motion.
TD_TEST(tree_on_a_turning_base_moves_as_on_a_driven_hinge) {
    tdi_random r = random_of(23);
    for (int k = 0; k < 20; k++) {
        td_segment_def defs[9];
        int32_t n = 8;
        for (int32_t i = 1; i <= n; i++) {
            defs[i] = random_segment(&r, i, BUSHY, 5);
            defs[i].joint = (td_joint_kind)((i + k) % 4); // no free joints
            defs[i].attach_at_tip = false;
            defs[i].attach = random_vec(&r, 0.2);
        }
        defs[0] = td_segment_def_default();
        defs[0].joint = TD_JOINT_HINGE;
        defs[0].axis = tdi_unit_or(random_vec(&r, 1), tdi_vec3(1, 0, 0));
        OWNED(tree) carried = tree_of(defs, n + 1, TD_LAW_LINEAR, NULL);
        for (int32_t i = 1; i <= n; i++) {
            defs[i].parent -= 1;
        }
        OWNED(tree) based = tree_of(defs + 1, n, TD_LAW_LINEAR, NULL);
        random_state(carried, &r, 1, 3);
        memcpy(based.q, carried.q + 1, (size_t)based.nq * sizeof *based.q);
        memcpy(based.v, carried.v + 1, (size_t)based.nv * sizeof *based.v);
        td_real drive = 7;
        td_quat turn = tdi_quat_turn(defs[0].axis, carried.q[0]);
        const td_base_motion base = {.rotation = turn,
                                     .spin = tdi_scale(defs[0].axis, carried.v[0]),
                                     .spin_rate = tdi_scale(defs[0].axis, drive)};
        tdi_tree_put_base(based.s, &base);
        FREED td_real *accel = reals(carried.nv), *need = reals(carried.nv),
                      *spring = reals(based.nv);
        forward_of(based, weight, accel + 1);
        accel[0] = drive;
        td_tree_inverse(carried.state, weight, accel, need);
        td_tree_joint_torque(based.state, spring);
        for (int32_t d = 0; d < based.nv; d++) {
            CHECK_IN(fabs(need[d + 1] - spring[d]), 0, 1e-9 * largest(need, carried.nv));
        }
    }
}

// ---- joints ---------------------------------------------------------------------------------

// elastic energy after a small move of one degree of freedom
static double energy_beside(tree t, int32_t d, double by) {
    FREED td_real *q = reals(t.nq), *step = reals(t.nv);
    memcpy(q, t.q, (size_t)t.nq * sizeof *q);
    step[d] = 1;
    tdi_tree_advance(t.m, t.s, step, by);
    double energy = td_body_energy(t.state, weight).elastic;
    memcpy(t.q, q, (size_t)t.nq * sizeof *q);
    return energy;
}

// fourth-order difference
static double energy_slope(tree t, int32_t d, double h) {
    return (8 * (energy_beside(t, d, h) - energy_beside(t, d, -h)) -
            (energy_beside(t, d, 2 * h) - energy_beside(t, d, -2 * h))) /
           (12 * h);
}

TD_TEST(tree_joint_moments_are_the_slope_of_the_energy_for_all_kinds_and_laws) {
    tdi_random r = random_of(31);
    for (int k = 0; k < 60; k++) {
        OWNED(tree) t = random_tree(&r, 5, BUSHY, 1, k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR);
        random_state(t, &r, k % 3 == 0 ? 0.05 : k % 3 == 1 ? 0.3 : 2.5, 0);
        for (int32_t i = 0; k % 5 == 0 && i < t.m->body_count; i++) {
            td_real *q = t.q + t.m->coord[i];
            for (int c = 0; t.m->kind[i] == TD_JOINT_BALL && c < 4; c++) {
                q[c] = -q[c]; // the same turn
            }
        }
        FREED td_real *torque = reals(t.nv);
        td_tree_joint_torque(t.state, torque);
        for (int32_t d = 0; d < t.nv; d++) {
            CHECK_IN(fabs(torque[d] + energy_slope(t, d, 1e-3)), 0, 1e-9 * (1 + fabs(torque[d])));
        }
    }
}

TD_TEST(tree_joint_moments_by_series_equal_those_by_functions) {
    tdi_random r = random_of(34);
    const td_real near[3] = {0, 0, 0};
    for (int k = 0; k < 1000; k++) {
        tdi_body body = {.stiffness = {2, 3, 5}, .damping = {0.7, 0.2, 0.5}};
        td_quat q = random_turn(&r, 0.2);
        td_vec3 v = random_vec(&r, 3);
        td_vec3 a = tdi_ball_moment(TD_LAW_LINEAR, &body, &q.w, &v.x, near);
        tdi_ball_turn turn = tdi_ball_turn_large(&q.w, near);
        td_vec3 rate = tdi_ball_rate(&turn, v, 1);
        td_vec3 t = {2 * turn.a.x + 0.7 * rate.x, 3 * turn.a.y + 0.2 * rate.y,
                     5 * turn.a.z + 0.5 * rate.z};
        td_vec3 b = tdi_ball_rate(&turn, t, -1);
        CHECK_IN(tdi_norm(tdi_add(a, b)), 0, 1e-13 * tdi_norm(b));
    }
}

// one segment on a ball joint, turned by `angle` about `axis`
static tree turned_ball(td_vec3 axis, double angle, td_spring_law law) {
    td_segment_def def = td_segment_def_default();
    def.has_stiffness = def.has_damping = true;
    def.stiffness = tdi_vec3(2, 3, 5);
    tree t = tree_of(&def, 1, law, NULL);
    td_quat q = tdi_quat_turn(axis, angle);
    memcpy(t.q, &q, sizeof q);
    td_tree_state_changed(t.state);
    return t;
}

TD_TEST(tree_tangent_law_gives_2_k_tan_half_angle_in_each_plane_and_in_twist) {
    const td_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double k[3] = {2, 3, 5}, angles[5] = {1e-6, 0.1, 0.6, 2, 3};
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 5; i++) {
            OWNED(tree) t = turned_ball(axes[a], angles[i], TD_LAW_TANGENT);
            td_real torque[3];
            td_tree_joint_torque(t.state, torque);
            CHECK_REL(torque[a], -2 * k[a] * tan(angles[i] / 2), 1e-12);
            CHECK_REL(torque[(a + 1) % 3], 0, 1e-14);
            CHECK_REL(torque[(a + 2) % 3], 0, 1e-14);
            double half = sin(angles[i] / 2);
            CHECK_REL(td_body_energy(t.state, weight).elastic, -2 * k[a] * log1p(-half * half),
                      1e-12);
        }
    }
}

// bending in a slanted plane has a stiffness between those of X and Z, and twist stays out of it
TD_TEST(tree_tangent_law_is_linear_when_small) {
    tdi_random r = random_of(32);
    for (int k = 0; k < 20; k++) {
        td_vec3 axis = tdi_unit_or(random_vec(&r, 1), tdi_vec3(1, 0, 0));
        OWNED(tree) linear = turned_ball(axis, 1e-5, TD_LAW_LINEAR);
        OWNED(tree) tangent = turned_ball(axis, 1e-5, TD_LAW_TANGENT);
        td_real a[3], b[3];
        td_tree_joint_torque(linear.state, a);
        td_tree_joint_torque(tangent.state, b);
        for (int d = 0; d < 3; d++) {
            CHECK_IN(fabs(a[d] - b[d]), 0, 1e-9 * largest(a, 3)); // second order in the angle
        }
    }
}

TD_TEST(tree_joint_moments_stay_finite_at_half_a_turn_and_without_stiffness) {
    const td_vec3 axes[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0.8, 0}};
    for (int k = 0; k < 16; k++) {
        OWNED(tree) t = turned_ball(axes[k % 4], k < 8 ? TDI_PI : 2 * TDI_PI,
                                    k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR);
        td_real torque[3], accel[3];
        t.q[0] = k < 8 ? 0 : -1;
        t.m->body[0].stiffness.y = k % 8 < 4 ? 0 : 3;
        t.v[0] = 1;
        td_tree_joint_torque(t.state, torque);
        td_tree_forward(t.state, weight, NULL, accel);
        CHECK(isfinite(largest(torque, 3)) && isfinite(torque[0] + torque[1] + torque[2]));
        CHECK(isfinite(accel[0] + accel[1] + accel[2]));
        CHECK(isfinite(td_body_energy(t.state, weight).elastic));
    }
}

// A linear spring wound past half a turn goes on pulling the way it did, and a state set by hand
// starts on the short way round.
TD_TEST(tree_linear_spring_winds_past_half_a_turn) {
    OWNED(tree) t = turned_ball(tdi_vec3(0, 1, 0), 2.9, TD_LAW_LINEAR);
    td_real torque[3];
    td_step_opts opts = td_step_opts_default();
    opts.integrator = TD_RK4;
    opts.dt = 1e-4;
    t.m->body[0].stiffness.y = 1e-15; // turns on as it was set turning
    t.v[1] = 10;
    for (int k = 0; k < 600; k++) {
        CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_OK);
    }
    td_tree_joint_torque(t.state, torque);
    CHECK_REL(torque[1], -1e-15 * 3.5, 1e-10);
    td_tree_state_changed(t.state);
    td_tree_joint_torque(t.state, torque);
    CHECK_REL(torque[1], 1e-15 * (2 * TDI_PI - 3.5), 1e-10);
}

// By implicit steps too, and wound by more than three quarters of a turn it lets go: it goes on
// from the short way round, at the rate that it had.
TD_TEST(tree_linear_spring_lets_go_past_three_quarters_of_a_turn) {
    OWNED(tree) t = turned_ball(tdi_vec3(0, 1, 0), 2.9, TD_LAW_LINEAR);
    td_step_opts opts = td_step_opts_default();
    opts.gravity = tdi_vec3(0, 0, 0);
    t.m->body[0].stiffness = tdi_vec3(1e-15, 1e-15, 1e-15);
    t.v[1] = 10;
    opts.dt = 1e-3;
    for (int k = 0; k < 400; k++) { // 4 rad
        CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_OK);
        const double angle = 2.9 + 0.01 * (k + 1), edge = 1.5 * TDI_PI;
        const double want = angle > edge ? angle - 2 * TDI_PI : angle;
        if (fabs(angle - edge) > 0.01) { // a step later or earlier is fine
            CHECK_IN(fabs(t.s->angle[1] - want), 0,
                     5e-3); // the rule slows turns by (w h)^2/2
        }
        CHECK_REL(td_tree_velocities(t.state)[1], 10, 2e-3);
    }
}

// Of the two rotation vectors of a turn that which is nearer to the last one is meant: light leaves
// swing their axis by more than a right angle in a step, and must not find a wall there.
TD_TEST(tree_joint_goes_the_long_way_round_only_where_that_is_nearer) {
    const double last[] = {1.6, 1.8, 2.2, 2.9, 3.5, 4.5};
    for (int k = 0; k < 6; k++) {
        const td_real near[3] = {last[k], 0, 0};
        for (double swung = 0; swung <= TDI_PI; swung += TDI_PI / 16) { // the axis, about z
            const td_vec3 axis = {cos(swung), sin(swung), 0};
            const td_quat q = tdi_quat_turn(axis, last[k]);
            const td_vec3 a = tdi_ball_turn_large(&q.w, near).a;
            const td_vec3 short_way =
                tdi_scale(axis, last[k] > TDI_PI ? last[k] - 2 * TDI_PI : last[k]);
            const td_vec3 long_way = tdi_madd(short_way, tdi_unit_or(short_way, axis), -2 * TDI_PI);
            const td_vec3 from = {near[0], 0, 0};
            bool nearer = tdi_norm(tdi_sub(long_way, from)) < tdi_norm(tdi_sub(short_way, from));
            const td_vec3 want = nearer ? long_way : short_way;
            CHECK_IN(tdi_norm(tdi_sub(a, want)), 0, 1e-12);
        }
    }
}

// The power of damping is -a'^T B a', a the joint's rotation vector, hinge angle or slide.
TD_TEST(tree_damping_takes_out_the_power_of_the_angles_rates) {
    tdi_random r = random_of(33);
    for (int k = 0; k < 40; k++) {
        OWNED(tree) t = random_tree(&r, 6, BUSHY, 1, k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR);
        random_state(t, &r, k % 4 < 2 ? 0.1 : 2, 2);
        FREED td_real *a = reals(t.nv), *b = reals(t.nv), *with = reals(t.nv),
                      *without = reals(t.nv);
        double h = 1e-4, power = 0, want = 0;
        td_tree_joint_torque(t.state, with);
        tdi_tree_advance(t.m, t.s, t.v, h);
        tdi_tree_angles(t.m, t.s, t.s->angle, a);
        tdi_tree_advance(t.m, t.s, t.v, -2 * h);
        tdi_tree_angles(t.m, t.s, t.s->angle, b);
        tdi_tree_advance(t.m, t.s, t.v, h);
        for (int32_t i = 0; i < t.m->body_count; i++) {
            tdi_body *body = &t.m->body[i];
            int32_t d = t.m->dof[i], count = t.m->dof[i + 1] - d;
            const td_real damping[3] = {body->damping.x, body->damping.y, body->damping.z};
            for (int32_t c = 0; count <= 3 && c < count; c++) {
                double rate = (a[d + c] - b[d + c]) / (2 * h);
                want -= damping[c] * rate * rate;
            }
            body->damping = tdi_vec3(0, 0, 0);
        }
        td_tree_joint_torque(t.state, without);
        for (int32_t d = 0; d < t.nv; d++) {
            power += t.v[d] * (with[d] - without[d]);
        }
        CHECK_REL(power, want, 1e-6);
    }
}

// ---- loads ----------------------------------------------------------------------------------

// A force at a point is worth its power along each degree of freedom.
TD_TEST(tree_forward_takes_loads_as_their_torques) {
    tdi_random r = random_of(62);
    for (int k = 0; k < 20; k++) {
        OWNED(tree) t = random_tree(&r, 8, BUSHY, 5, TD_LAW_LINEAR);
        random_base(t, &r);
        FREED td_real *torque = reals(t.nv), *a = reals(t.nv), *b = reals(t.nv), *v = reals(t.nv);
        tdi_wrench outside[8];
        for (int32_t i = 0; i < 8; i++) {
            outside[i].n = random_vec(&r, 1);
            outside[i].f = random_vec(&r, 1);
        }
        memcpy(v, t.v, (size_t)t.nv * sizeof *v);
        tdi_twist moving = t.s->base_twist;
        t.s->base_twist = (tdi_twist){{0, 0, 0}, {0, 0, 0}};
        for (int32_t d = 0; d < t.nv; d++) {
            memset(t.v, 0, (size_t)t.nv * sizeof *v);
            t.v[d] = 1;
            tdi_tree_move(t.m, t.s);
            for (int32_t i = 0; i < 8; i++) {
                torque[d] += tdi_power(&outside[i], &t.s->twist[i]);
            }
        }
        memcpy(t.v, v, (size_t)t.nv * sizeof *v);
        t.s->base_twist = moving;
        tdi_tree_forward(t.m, t.s, weight, NULL, outside, a);
        tdi_tree_forward(t.m, t.s, weight, torque, NULL, b);
        for (int32_t d = 0; d < t.nv; d++) {
            CHECK_IN(fabs(a[d] - b[d]), 0, 1e-9 * largest(b, t.nv));
        }
    }
}

// ---- states ---------------------------------------------------------------------------------

TD_TEST(tree_dynamics_give_the_same_bits_twice_and_in_place) {
    tdi_random r = random_of(71);
    OWNED(tree) t = random_tree(&r, 30, BUSHY, 5, TD_LAW_LINEAR);
    FREED td_real *torque = reals(t.nv), *once = reals(t.nv), *twice = reals(t.nv),
                  *q = reals(t.nq);
    size_t bytes = (size_t)t.nv * sizeof *once;
    for (int32_t d = 0; d < t.nv; d++) {
        torque[d] = twice[d] = between(&r, -1, 1);
    }
    memcpy(q, t.q, (size_t)t.nq * sizeof *q);
    td_tree_forward(t.state, weight, torque, once);
    td_tree_forward(t.state, weight, twice, twice);
    CHECK(memcmp(once, twice, bytes) == 0);
    td_tree_inverse(t.state, weight, once, torque);
    td_tree_forward(t.state, weight, NULL, twice); // stale scratch must not matter
    td_tree_inverse(t.state, weight, once, twice);
    CHECK(memcmp(torque, twice, bytes) == 0);
    td_energy a = td_body_energy(t.state, weight), b = td_body_energy(t.state, weight);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    CHECK(memcmp(q, t.q, (size_t)t.nq * sizeof *q) == 0);
}

TD_TEST(tree_dynamics_and_explicit_steps_take_no_memory) {
    tdi_random r = random_of(72);
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    td_segment_def defs[12];
    for (int32_t i = 0; i < 12; i++) {
        defs[i] = random_segment(&r, i, BUSHY, 5);
        defs[i].joint = i == 0 ? TD_JOINT_FREE : (td_joint_kind)(i % 4);
    }
    OWNED(tree) t = tree_of(defs, 12, TD_LAW_LINEAR, &alloc);
    FREED td_real *x = reals(t.nv), *y = reals(t.nv * t.nv);
    long calls = heap.calls;
    td_vec3 linear, angular;
    random_state(t, &r, 0.3, 1);
    td_tree_forward(t.state, weight, NULL, x);
    td_tree_inverse(t.state, weight, x, y);
    td_tree_inertia(t.state, y);
    td_tree_joint_torque(t.state, x);
    td_body_energy(t.state, weight);
    td_body_momentum(t.state, &linear, &angular);
    td_step_opts opts = steps_of(TD_EULER, 1e-4, weight);
    run(t, &opts, 3);
    opts.integrator = TD_RK4;
    run(t, &opts, 3);
    CHECK_INT(calls, 4); // model, what it is cut by, and state
    CHECK_INT(heap.calls, calls);
}

TD_TEST(tree_state_set_by_hand_gets_unit_quaternions_and_its_frames) {
    td_segment_def def = td_segment_def_default();
    OWNED(tree) t = tree_of(&def, 1, TD_LAW_LINEAR, NULL);
    td_quat want = tdi_quat_turn(tdi_vec3(0, 0, 1), -1);
    const td_real raw[4] = {3 * want.w, 3 * want.x, 3 * want.y, 3 * want.z};
    memcpy(t.q, raw, sizeof raw);
    td_tree_state_changed(t.state);
    td_quat got = td_body_rotation(t.state, 0);
    CHECK_REL(got.w, want.w, 1e-15);
    CHECK_REL(got.z, want.z, 1e-15);
    CHECK_REL(td_body_tip(t.state, 0).x, 0.1 * sin(1), 1e-14);
    td_real unit[4];
    memcpy(unit, t.q, sizeof unit);
    td_tree_state_changed(t.state);
    CHECK(memcmp(unit, t.q, sizeof unit) == 0);
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    CHECK(t.q[0] == 1 && td_body_tip(t.state, 0).y == 0.1);
}

// ---- answers to forces ----------------------------------------------------------------------

// S^T of a wrench at a body's origin, and a body's acceleration S qdd in the world, without rates
static void spread(const td_body *s, int32_t i, tdi_wrench push, td_real *force) {
    const tdi_tree_model *m = tdi_as_tree_model(s->model);
    for (; i != TD_NONE; i = m->parent[i]) {
        tdi_twist column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, tdi_as_tree(s), i, column); d < count; d++) {
            force[m->dof[i] + d] += tdi_power(&push, &column[d]);
        }
        const td_vec3 r =
            tdi_sub(tdi_as_tree(s)->frame[i].o, tdi_parent_frame(m, tdi_as_tree(s), i)->o);
        push.n = tdi_add(push.n, tdi_cross(r, push.f));
    }
}

static tdi_twist carried(const td_body *s, int32_t i, const td_real *accel) {
    const tdi_tree_model *m = tdi_as_tree_model(s->model);
    const td_vec3 o = tdi_as_tree(s)->frame[i].o;
    tdi_twist sum = {{0, 0, 0}, {0, 0, 0}};
    for (; i != TD_NONE; i = m->parent[i]) {
        tdi_twist column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, tdi_as_tree(s), i, column); d < count; d++) {
            const td_vec3 w = tdi_scale(column[d].w, accel[m->dof[i] + d]);
            sum.w = tdi_add(sum.w, w);
            sum.v = tdi_madd(sum.v, column[d].v, accel[m->dof[i] + d]);
            sum.v = tdi_add(sum.v, tdi_cross(w, tdi_sub(o, tdi_as_tree(s)->frame[i].o)));
        }
    }
    return sum;
}

// M qdd against forces and torques; S qdd against the accelerations of the bodies.
static void answer_once(tree t, tdi_random *r, double *worst) {
    td_body *s = t.state;
    const tdi_tree_model *m = tdi_as_tree_model(s->model);
    const int32_t n = t.nv;
    FREED td_real *accel = reals(n), *force = reals(n), *h = reals(n * n);
    td_tree_inertia(s, h);
    td_tree_forward(s, weight, NULL, accel);
    tdi_tree_answer_clear(m, tdi_as_tree(s), accel);
    for (int32_t d = 0; d < n; d++) {
        accel[d] = force[d] = between(r, -1, 1);
    }
    for (int k = 0; k < 3; k++) {
        const int32_t body = (int32_t)between(r, 0, m->body_count);
        const tdi_wrench push = {random_vec(r, 1), random_vec(r, 1)};
        tdi_tree_answer_push(tdi_as_tree(s), body, &push);
        spread(s, body, push, force);
    }
    tdi_tree_answer(m, tdi_as_tree(s), accel);
    for (int32_t d = 0; d < n; d++) {
        double sum = 0, most = fabs(force[d]);
        for (int32_t e = 0; e < n; e++) {
            sum += h[d * n + e] * accel[e];
            most = fmax(most, fabs(h[d * n + e] * accel[e]));
        }
        note(worst, fabs(sum - force[d]), most);
    }
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_twist want = carried(s, i, accel), got = tdi_as_tree(s)->link[i].accel;
        const tdi_mat3 *turn = &tdi_as_tree(s)->frame[i].r;
        note(worst, tdi_norm(tdi_sub(tdi_mat3_apply(turn, got.w), want.w)), largest(accel, n));
        note(worst, tdi_norm(tdi_sub(tdi_mat3_apply(turn, got.v), want.v)), largest(accel, n));
    }
}

TD_TEST(tree_answers_to_forces_are_those_of_the_dense_matrix) {
    tdi_random r = random_of(91);
    double worst = 0;
    for (int k = 0; k < 60; k++) {
        OWNED(tree) t = random_tree(&r, 1 + k % 30, k % 3 ? BUSHY : CHAIN, 5, TD_LAW_LINEAR);
        random_base(t, &r);
        answer_once(t, &r, &worst);
    }
    CHECK_IN(worst, 0, 1e-9); // as for forward dynamics
}
