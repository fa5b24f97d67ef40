// SPDX-License-Identifier: MIT
// Vibration modes. Pairs with src/tree/tangent.c, factor.c and modes.c.

#include "cases/dense.h"
#include "test_tree_shapes.h"

#define MAX_DOFS 64

// ---- beams and chains -----------------------------------------------------------------------

static void beam_modes(const beam_def *b, td_vec3 gravity, int32_t count, td_mode *modes) {
    OWNED(tree) t = make_beam(b);
    CHECK_INT(td_body_modes(t.state, gravity, count, modes, NULL), TD_OK);
}

// Gravity changes the stiffness of a mode from K to K + K_g, but not its damping tau K. With one
// joint all modes have one shape, so K/(K + K_g) = f0^2/f^2 with f0 the frequency without gravity,
// and zeta = pi tau f0^2/f.
TD_TEST(damping_ratio_under_gravity_is_that_of_the_springs_alone) {
    beam_def b = thin_beam;
    b.count = 1;
    b.damping_time = 0.003;
    OWNED(tree) t = make_beam(&b);
    td_mode bare, mode;
    CHECK_INT(td_body_modes(t.state, tdi_vec3(0, 0, 0), 1, &bare, NULL), TD_OK);
    CHECK_REL(bare.damping_ratio, TDI_PI * bare.frequency * 0.003, 1e-9);
    const td_vec3 along = tdi_sub(td_body_tip(t.state, 0), td_body_origin(t.state, 0));
    for (int32_t k = -1; k < 2; k += 2) { // upright, then hanging
        CHECK_INT(td_body_modes(t.state, tdi_scale(along, 9.81 * k), 1, &mode, NULL), TD_OK);
        CHECK(k * (mode.frequency - bare.frequency) > 1e-3 * bare.frequency);
        CHECK_REL(mode.damping_ratio,
                  TDI_PI * 0.003 * bare.frequency * bare.frequency / mode.frequency, 1e-9);
    }
}

// a rod that stands on a limp joint falls with the rate sqrt(m g c/J), c = l/2, J = m l^2/3 + ...
TD_TEST(mode_of_a_pose_that_falls_has_a_frequency_below_zero) {
    beam_def b = {1, 1, 1e-3, 1e9, 1000, 0.3, 0, true, true};
    td_mode modes[3];
    beam_modes(&b, tdi_vec3(0, 9.81, 0), 3, modes);
    double rate = sqrt(9.81 / 2 / (1.0 / 3 + 1e-6 / 4));
    CHECK_REL(modes[0].frequency, -rate / (2 * TDI_PI), 1e-9);
    CHECK_REL(modes[1].frequency, -rate / (2 * TDI_PI), 1e-9);
    CHECK(modes[2].frequency > 0);
    CHECK(modes[0].damping_ratio == 0);
}

// ---- dense reference ------------------------------------------------------------------------

typedef struct dense {
    int32_t n;
    double k[MAX_DOFS][MAX_DOFS], m[MAX_DOFS][MAX_DOFS];
} dense;

// potential energy with the joints moved by a along d and by b along e
static double moved_energy(tree t, int32_t d, double a, int32_t e, double b) {
    const td_body_model *m = t.model;
    td_real step[MAX_DOFS] = {0}, kept[2 * MAX_DOFS];
    size_t bytes = (size_t)tdi_as_tree_model(m)->coord_count * sizeof *kept;
    memcpy(kept, t.s->q, bytes);
    step[d] += a;
    step[e] += b;
    tdi_tree_advance(tdi_as_tree_model(m), t.s, step, 1);
    td_energy energy = td_body_energy(t.state, weight);
    memcpy(t.s->q, kept, bytes);
    tdi_tree_place(tdi_as_tree_model(m), t.s);
    return energy.elastic + energy.weight;
}

static double difference(tree t, int32_t d, int32_t e, double h) {
    return (moved_energy(t, d, h, e, h) - moved_energy(t, d, h, e, -h) -
            moved_energy(t, d, -h, e, h) + moved_energy(t, d, -h, e, -h)) /
           (4 * h * h);
}

// K from energies in two steps, extrapolated to 0; M from kinetic energies, exact
static dense *dense_of(tree t) {
    dense *a = calloc(1, sizeof *a);
    td_real *v = td_tree_velocities(t.state);
    a->n = td_body_dof_count(t.model);
    for (int32_t d = 0; d < a->n; d++) {
        for (int32_t e = 0; e <= d; e++) {
            a->k[d][e] = a->k[e][d] =
                (4 * difference(t, d, e, 2e-3) - difference(t, d, e, 4e-3)) / 3;
            v[d] = 1;
            v[e] += 1;
            double both = td_body_energy(t.state, weight).kinetic;
            v[d] -= 2;
            double apart = td_body_energy(t.state, weight).kinetic;
            v[d] = v[e] = 0;
            // with d = e the velocities are 2 and 0
            a->m[d][e] = a->m[e][d] = d == e ? both / 2 : (both - apart) / 2;
        }
    }
    return a;
}

static double squared(double frequency) { // omega^2, with the sign of the frequency
    double w = 2 * TDI_PI * frequency;
    return w * fabs(w);
}

// ---- modes of random trees ------------------------------------------------------------------

// K and M entry by entry, in any pose: K is the second derivative, also away from equilibrium
TD_TEST(tangent_matches_differences_of_energies_for_all_joints_and_laws) {
    tdi_random r = random_of(11);
    for (int32_t k = 0; k < 40; k++) {
        OWNED(tree) t =
            sprung_tree(&r, 2 + k % 7, 30, k % 4 == 0, k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR);
        FREED dense *want = dense_of(t);
        tdi_tangent tangent = {.model = t.m, .state = t.s};
        tdi_layout l = {NULL, 0};
        tdi_tangent_place(&tangent, &l);
        FREED char *block = malloc(l.used);
        l = (tdi_layout){block, 0};
        tdi_tangent_place(&tangent, &l);
        tdi_tangent_expand(&tangent, weight, NULL, 0);
        for (int32_t d = 0; d < want->n; d++) {
            td_real x[MAX_DOFS] = {0}, kx[MAX_DOFS], mx[MAX_DOFS];
            x[d] = 1;
            tdi_tangent_stiffness(&tangent, x, kx);
            tdi_tangent_inertia(&tangent, x, mx);
            for (int32_t e = 0; e < want->n; e++) {
                // energies of 100 J with 16 digits, over h^2
                CHECK_IN(kx[e] - want->k[d][e], -1e-7, 1e-7);
                CHECK_IN(mx[e] - want->m[d][e], -1e-12, 1e-12);
            }
        }
    }
}

// every mode of settled trees, and the lowest again when only they are asked for
TD_TEST(modes_of_random_trees_match_a_dense_reference) {
    tdi_random r = random_of(12);
    for (int32_t k = 0; k < 40; k++) {
        td_spring_law law = k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR;
        int32_t n = 2 + k % 7;
        OWNED(tree) t = sprung_tree(&r, n, 30 * n, false, law);
        td_step_opts opts = td_step_opts_default();
        td_diag diag = {.message = ""};
        td_mode all[MAX_DOFS], few[3];
        double want[MAX_DOFS];
        CHECK_INT(td_body_settle(t.state, &opts, NULL, &diag), TD_OK);
        FREED dense *a = dense_of(t);
        CHECK(dense_eigenvalues(a->k[0], a->m[0], MAX_DOFS, a->n, want));
        CHECK_INT(td_body_modes(t.state, weight, a->n, all, &diag), TD_OK);
        CHECK_INT(td_body_modes(t.state, weight, 3, few, &diag), TD_OK);
        for (int32_t j = 0; j < a->n; j++) {
            CHECK_REL(squared(all[j].frequency), want[j], 1e-8);
        }
        for (int32_t j = 0; j < 3; j++) {
            CHECK_REL(few[j].frequency, all[j].frequency, 1e-10);
        }
    }
}

// x_i^T M x_j = 1 or 0, K x = lambda M x
TD_TEST(mode_shapes_are_orthonormal_and_solve_the_eigenproblem) {
    tdi_random r = random_of(13);
    OWNED(tree) t = sprung_tree(&r, 8, 200, false, TD_LAW_LINEAR);
    td_step_opts opts = td_step_opts_default();
    CHECK_INT(td_body_settle(t.state, &opts, NULL, NULL), TD_OK);
    FREED dense *a = dense_of(t);
    td_mode modes[5];
    FREED td_real *x = calloc((size_t)(5 * a->n), sizeof *x);
    CHECK_INT(td_tree_modes(t.state, weight, 5, modes, x, NULL), TD_OK);
    for (int32_t i = 0; i < 5; i++) {
        for (int32_t j = 0; j < 5; j++) {
            double sum = 0;
            for (int32_t d = 0; d < a->n; d++) {
                for (int32_t e = 0; e < a->n; e++) {
                    sum += x[i * a->n + d] * a->m[d][e] * x[j * a->n + e];
                }
            }
            CHECK_IN(sum - (i == j), -1e-12, 1e-12);
        }
        for (int32_t d = 0; d < a->n; d++) {
            double force = 0;
            for (int32_t e = 0; e < a->n; e++) {
                force += (a->k[d][e] - squared(modes[i].frequency) * a->m[d][e]) * x[i * a->n + e];
            }
            CHECK_IN(force, -1e-6, 1e-6); // K x is about 100, K good to 1e-8
        }
    }
}

// every joint but the root's where its spring is at ease
static void go_to_rest(tree t) {
    for (int32_t i = 1; i < t.m->body_count; i++) {
        td_real *q = t.s->q + t.m->coord[i];
        int32_t count = t.m->coord[i + 1] - t.m->coord[i];
        for (int32_t k = 0; k < count; k++) {
            q[k] = count == 4 && k == 0;
        }
    }
    td_tree_state_changed(t.state);
}

TD_TEST(floating_tree_has_six_modes_of_no_frequency) {
    tdi_random r = random_of(14);
    for (int32_t k = 0; k < 10; k++) {
        OWNED(tree) t = sprung_tree(&r, 6, 10, true, TD_LAW_LINEAR);
        td_mode modes[7];
        go_to_rest(t);
        CHECK_INT(td_body_modes(t.state, weightless, 7, modes, NULL), TD_OK);
        for (int32_t j = 0; j < 6; j++) {
            CHECK(modes[j].frequency == 0);
        }
        CHECK(modes[6].frequency > 0.1);
    }
}

// a chain of balls without any stiffness: as many modes of no frequency as it can twist
TD_TEST(limp_chain_twists_without_frequency_and_swings_with_it) {
    beam_def b = {30, 1, 0.005, 1e9, 1000, 0.3, 0, true, true};
    td_mode stiff[4], limp[34];
    beam_modes(&b, weight, 4, stiff);
    OWNED(tree) t = make_beam(&b);
    for (int32_t i = 0; i < b.count; i++) {
        t.m->body[i].stiffness = weightless;
    }
    CHECK_INT(td_body_modes(t.state, weight, 34, limp, NULL), TD_OK);
    for (int32_t j = 0; j < 34; j++) {
        CHECK_REL(limp[j].frequency, j < 30 ? 0 : stiff[j - 30].frequency, 1e-8);
    }
    CHECK_INT(td_body_modes(t.state, weightless, 34, limp, NULL), TD_OK);
    for (int32_t j = 0; j < 34; j++) {
        CHECK(limp[j].frequency == 0);
    }
}
