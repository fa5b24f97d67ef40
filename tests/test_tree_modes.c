// SPDX-License-Identifier: MIT
// Vibration modes, rest shapes and damping. Pairs with src/tree/tangent.c, factor.c, modes.c,
// rest.c and damping.c.

#include "td_test.h"
#include "base/random.h"
#include "tree/tangent.h"

#include <stdlib.h>

#define MAX_DOFS 64

static const td_vec3 weight = {0, -9.81, 0};
static const td_vec3 weightless = {0, 0, 0};

typedef struct tree {
    td_tree_model *model;
    td_tree_state *state;
} tree;

static void free_tree(tree t) {
    td_tree_state_free(t.state);
    td_tree_model_free(t.model);
}

static tree finish(td_builder *builder, td_spring_law law, const td_alloc *alloc) {
    tree t = {NULL, NULL};
    td_skeleton *skeleton = NULL;
    td_diag diag = {.message = ""};
    td_tree_opts opts = td_tree_opts_default();
    opts.law = law;
    CHECK_INT(td_builder_finish(builder, &skeleton, &diag), TD_OK);
    CHECK_INT(td_tree_model_new(skeleton, &opts, alloc, &t.model, &diag), TD_OK);
    CHECK_INT(td_tree_state_new(t.model, alloc, &t.state, &diag), TD_OK);
    td_skeleton_free(skeleton);
    td_builder_free(builder);
    return t;
}

// ---- beams and chains -----------------------------------------------------------------------

typedef struct beam_def {
    int32_t count;
    double length, radius, young, density, poisson, damping_time;
    bool hanging, limp; // limp: nothing but the twist is stiff
} beam_def;

static const beam_def thin_beam = {100, 1, 0.002, 8.1e9, 923, 0.3, 0, false, false};

static tree make_beam(const beam_def *b) {
    td_builder *builder = NULL;
    td_skeleton_opts opts = td_skeleton_opts_default();
    td_material material = td_material_get(0);
    int32_t index = 0;
    material.young = b->young;
    material.density = b->density;
    material.shear = 0;
    material.poisson = b->poisson;
    material.damping_time = b->damping_time;
    CHECK_INT(td_builder_new(&opts, NULL, &builder), TD_OK);
    CHECK_INT(td_builder_add_material(builder, &material, &index, NULL), TD_OK);
    for (int32_t i = 0; i < b->count; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.length = b->length / b->count;
        def.radius_base = def.radius_tip = b->radius;
        def.material = index;
        def.has_stiffness = b->limp;
        def.stiffness = tdi_vec3(0, 1000, 0);
        if (i == 0) {
            def.rest = tdi_quat_turn(tdi_vec3(0, 0, 1), b->hanging ? TDI_PI : -TDI_PI / 2);
        }
        CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    }
    return finish(builder, TD_LAW_LINEAR, NULL);
}

static void beam_modes(const beam_def *b, td_vec3 gravity, int32_t count, td_mode *modes) {
    tree t = make_beam(b);
    td_diag diag = {.message = ""};
    CHECK_INT(td_tree_modes(t.state, gravity, count, modes, NULL, &diag), TD_OK);
    free_tree(t);
}

// f = (beta l)^2/(2 pi l^2) sqrt(EI/(rho A)), I/A = r^2/4; each twice, once a plane
TD_TEST(modes_of_a_clamped_beam_match_beam_theory) {
    const double beta[3] = {1.87510407, 4.69409113, 7.85475744};
    td_mode modes[6];
    beam_modes(&thin_beam, weightless, 6, modes);
    double unit = sqrt(thin_beam.young / thin_beam.density) * thin_beam.radius / (4 * TDI_PI);
    for (int32_t k = 0; k < 6; k++) {
        CHECK_REL(modes[k].frequency, beta[k / 2] * beta[k / 2] * unit, 2e-3);
        CHECK_IN(modes[k].twist, 0, 1e-6);
    }
}

// halving the segments quarters the error
TD_TEST(modes_of_a_clamped_beam_converge_at_second_order) {
    td_mode modes[3][6];
    for (int32_t k = 0; k < 3; k++) {
        beam_def b = thin_beam;
        b.count = 20 << k;
        beam_modes(&b, weightless, 6, modes[k]);
    }
    for (int32_t j = 0; j < 6; j += 2) {
        double a = modes[0][j].frequency, b = modes[1][j].frequency, c = modes[2][j].frequency;
        CHECK_IN((a - b) / (b - c), 3.8, 4.2);
    }
}

// f = sqrt(G/rho)/(4 l): a thick beam, so that torsion comes among the lowest
TD_TEST(first_torsional_mode_of_a_beam_matches_theory) {
    beam_def b = thin_beam;
    b.radius = 0.1;
    td_mode modes[8];
    beam_modes(&b, weightless, 8, modes);
    int32_t found = 0;
    for (int32_t k = 0; k < 8; k++) {
        if (modes[k].twist > 0.5 && found++ == 0) {
            CHECK_REL(modes[k].frequency, sqrt(b.young / 2.6 / b.density) / 4, 2e-3);
            CHECK_IN(modes[k].twist, 1 - 1e-6, 1 + 1e-6);
        }
    }
    CHECK(found > 0);
}

// f = z/2 sqrt(g/l)/(2 pi), z the zeros of the Bessel function J0
TD_TEST(modes_of_a_hanging_chain_are_zeros_of_a_bessel_function) {
    const double zero[3] = {2.40482556, 5.52007811, 8.65372791};
    beam_def b = {200, 1, 0.005, 1e9, 1000, 0.3, 0, true, true};
    td_mode modes[6];
    beam_modes(&b, weight, 6, modes);
    for (int32_t k = 0; k < 6; k++) {
        CHECK_REL(modes[k].frequency, zero[k / 2] / 2 * sqrt(9.81) / (2 * TDI_PI), 5e-3);
    }
}

// zeta = pi f t when damping is t times stiffness and there is no weight
TD_TEST(damping_ratio_of_modes_follows_from_the_material) {
    beam_def b = thin_beam;
    b.damping_time = 0.003;
    td_mode modes[8];
    beam_modes(&b, weightless, 8, modes);
    for (int32_t k = 0; k < 8; k++) {
        CHECK_REL(modes[k].damping_ratio, TDI_PI * modes[k].frequency * 0.003, 1e-6);
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

// ---- random trees ---------------------------------------------------------------------------

static double between(tdi_random *r, double low, double high) {
    return low + (high - low) * tdi_random_uniform(r);
}
static td_vec3 random_vec(tdi_random *r, double low, double high) {
    return tdi_vec3(between(r, low, high), between(r, low, high), between(r, low, high));
}
static td_quat random_turn(tdi_random *r, double angle) {
    td_vec3 axis = tdi_unit_or(random_vec(r, -1, 1), tdi_vec3(0, 1, 0));
    return tdi_quat_turn(axis, between(r, -angle, angle));
}

// All kinds of joints, each hanging on one of the few bodies before it; initial poses away from
// rest. `free`: the root floats.
static tree random_tree(tdi_random *r, int32_t n, double stiffness, bool free, td_spring_law law) {
    static const td_joint_kind kinds[] = {TD_JOINT_BALL, TD_JOINT_HINGE, TD_JOINT_BALL,
                                          TD_JOINT_SLIDE, TD_JOINT_FIXED};
    td_builder *builder = NULL;
    td_skeleton_opts opts = td_skeleton_opts_default();
    CHECK_INT(td_builder_new(&opts, NULL, &builder), TD_OK);
    for (int32_t i = 0; i < n; i++) {
        td_segment_def def = td_segment_def_default();
        td_diag diag = {.message = ""};
        def.parent = i == 0 ? TD_NONE : (int32_t)between(r, i > 3 ? i - 3 : 0, i);
        def.joint = i == 0 ? (free ? TD_JOINT_FREE : TD_JOINT_BALL) : kinds[(int)between(r, 0, 5)];
        def.axis = tdi_unit_or(random_vec(r, -1, 1), tdi_vec3(1, 0, 0));
        def.rest = random_turn(r, 1);
        def.initial = tdi_quat_unit(tdi_quat_mul(
            def.rest, def.joint == TD_JOINT_HINGE  ? tdi_quat_turn(def.axis, between(r, -1, 1))
                      : def.joint == TD_JOINT_BALL ? random_turn(r, 1)
                                                   : tdi_quat_identity()));
        def.initial_slide = def.joint == TD_JOINT_SLIDE ? between(r, -0.1, 0.1) : 0;
        def.length = between(r, 0.1, 0.3);
        def.radius_base = def.radius_tip = between(r, 0.01, 0.03);
        def.has_stiffness = true;
        def.stiffness = random_vec(r, 0.5 * stiffness, 2 * stiffness);
        CHECK_INT(td_builder_add(builder, &def, NULL, &diag), TD_OK);
    }
    return finish(builder, law, NULL);
}

// ---- dense reference ------------------------------------------------------------------------

typedef struct dense {
    int32_t n;
    double k[MAX_DOFS][MAX_DOFS], m[MAX_DOFS][MAX_DOFS];
} dense;

// potential energy with the joints moved by a along d and by b along e
static double moved_energy(tree t, int32_t d, double a, int32_t e, double b) {
    const td_tree_model *m = t.model;
    td_real step[MAX_DOFS] = {0}, kept[2 * MAX_DOFS];
    size_t bytes = (size_t)m->coord_count * sizeof *kept;
    memcpy(kept, t.state->q, bytes);
    step[d] += a;
    step[e] += b;
    tdi_tree_advance(m, t.state, step, 1);
    td_energy energy = td_tree_energy(t.state, weight);
    memcpy(t.state->q, kept, bytes);
    tdi_tree_place(m, t.state);
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
    a->n = td_tree_dof_count(t.model);
    for (int32_t d = 0; d < a->n; d++) {
        for (int32_t e = 0; e <= d; e++) {
            a->k[d][e] = a->k[e][d] =
                (4 * difference(t, d, e, 2e-3) - difference(t, d, e, 4e-3)) / 3;
            v[d] = 1;
            v[e] += 1;
            double both = td_tree_energy(t.state, weight).kinetic;
            v[d] -= 2;
            double apart = td_tree_energy(t.state, weight).kinetic;
            v[d] = v[e] = 0;
            // with d = e the velocities are 2 and 0
            a->m[d][e] = a->m[e][d] = d == e ? both / 2 : (both - apart) / 2;
        }
    }
    return a;
}

// eigenvalues of K x = lambda M x, ascending, in lambda[]: Cholesky, then Jacobi
static void dense_eigenvalues(const dense *from, double *lambda) {
    dense *a = malloc(sizeof *a);
    int32_t n = from->n;
    *a = *from;
    for (int32_t j = 0; j < n; j++) { // M = L L^T in place; K <- L^-1 K L^-T
        for (int32_t i = j; i < n; i++) {
            for (int32_t h = 0; h < j; h++) {
                a->m[i][j] -= a->m[i][h] * a->m[j][h];
            }
            a->m[i][j] /= i == j ? sqrt(a->m[j][j]) : a->m[j][j];
        }
    }
    for (int32_t side = 0; side < 2; side++) {
        for (int32_t c = 0; c < n; c++) {
            for (int32_t i = 0; i < n; i++) {
                for (int32_t h = 0; h < i; h++) {
                    a->k[i][c] -= a->m[i][h] * a->k[h][c];
                }
                a->k[i][c] /= a->m[i][i];
            }
        }
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < i; j++) {
                double swap = a->k[i][j];
                a->k[i][j] = a->k[j][i];
                a->k[j][i] = swap;
            }
        }
    }
    for (int32_t sweep = 0; sweep < 40; sweep++) {
        for (int32_t p = 0; p < n; p++) {
            for (int32_t q = p + 1; q < n; q++) {
                double angle = 0.5 * atan2(2 * a->k[p][q], a->k[p][p] - a->k[q][q]);
                double c = cos(angle), s = sin(angle);
                for (int32_t i = 0; i < n; i++) {
                    double x = a->k[i][p], y = a->k[i][q];
                    a->k[i][p] = c * x + s * y;
                    a->k[i][q] = c * y - s * x;
                }
                for (int32_t i = 0; i < n; i++) {
                    double x = a->k[p][i], y = a->k[q][i];
                    a->k[p][i] = c * x + s * y;
                    a->k[q][i] = c * y - s * x;
                }
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t j = i;
        for (; j > 0 && lambda[j - 1] > a->k[i][i]; j--) {
            lambda[j] = lambda[j - 1];
        }
        lambda[j] = a->k[i][i];
    }
    free(a);
}

static double squared(double frequency) { // omega^2, with the sign of the frequency
    double w = 2 * TDI_PI * frequency;
    return w * fabs(w);
}

// ---- modes of random trees ------------------------------------------------------------------

// K and M entry by entry, in any pose: K is the second derivative, also away from equilibrium
TD_TEST(tangent_matches_differences_of_energies_for_all_joints_and_laws) {
    tdi_random r;
    tdi_random_seed(&r, 11);
    for (int32_t k = 0; k < 40; k++) {
        tree t = random_tree(&r, 2 + k % 7, 5, k % 4 == 0, k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR);
        dense *want = dense_of(t);
        tdi_tangent tangent = {.model = t.model, .state = t.state};
        tdi_layout l = {NULL, 0};
        tdi_tangent_place(&tangent, &l);
        char *block = malloc(l.used);
        l = (tdi_layout){block, 0};
        tdi_tangent_place(&tangent, &l);
        tdi_tangent_expand(&tangent, weight);
        for (int32_t d = 0; d < want->n; d++) {
            td_real x[MAX_DOFS] = {0}, kx[MAX_DOFS], mx[MAX_DOFS];
            x[d] = 1;
            tdi_tangent_stiffness(&tangent, x, kx);
            tdi_tangent_inertia(&tangent, x, mx);
            for (int32_t e = 0; e < want->n; e++) {
                // joints have a stiffness of 5 to 10; differences are good to 1e-8 of the energy
                CHECK_IN(kx[e] - want->k[d][e], -1e-6, 1e-6);
                CHECK_IN(mx[e] - want->m[d][e], -1e-13, 1e-13);
            }
        }
        free(block);
        free(want);
        free_tree(t);
    }
}

// every mode of settled trees, and every mode when only the lowest few are asked for
TD_TEST(modes_of_random_trees_match_a_dense_reference) {
    tdi_random r;
    tdi_random_seed(&r, 12);
    for (int32_t k = 0; k < 40; k++) {
        tree t = random_tree(&r, 2 + k % 7, 30, false, TD_LAW_LINEAR);
        td_step_opts opts = td_step_opts_default();
        td_diag diag = {.message = ""};
        td_mode all[MAX_DOFS], few[3];
        double want[MAX_DOFS];
        CHECK_INT(td_tree_settle(t.state, &opts, NULL, &diag), TD_OK);
        dense *a = dense_of(t);
        dense_eigenvalues(a, want);
        CHECK_INT(td_tree_modes(t.state, weight, a->n, all, NULL, &diag), TD_OK);
        CHECK_INT(td_tree_modes(t.state, weight, 3, few, NULL, &diag), TD_OK);
        for (int32_t j = 0; j < a->n; j++) {
            CHECK_REL(squared(all[j].frequency), want[j], 1e-6);
        }
        for (int32_t j = 0; j < 3; j++) {
            CHECK_REL(few[j].frequency, all[j].frequency, 1e-9);
        }
        free(a);
        free_tree(t);
    }
}

// x_i^T M x_j = 1 or 0, K x = lambda M x
TD_TEST(mode_shapes_are_orthonormal_and_solve_the_eigenproblem) {
    tdi_random r;
    tdi_random_seed(&r, 13);
    tree t = random_tree(&r, 8, 30, false, TD_LAW_LINEAR);
    td_step_opts opts = td_step_opts_default();
    CHECK_INT(td_tree_settle(t.state, &opts, NULL, NULL), TD_OK);
    dense *a = dense_of(t);
    td_mode modes[5];
    td_real *x = calloc((size_t)(5 * a->n), sizeof *x);
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
            CHECK_IN(force, -1e-4, 1e-4); // K x is about 100, K good to 1e-7
        }
    }
    free(x);
    free(a);
    free_tree(t);
}

// every joint but the root's where its spring is at ease
static void go_to_rest(tree t) {
    for (int32_t i = 1; i < t.model->body_count; i++) {
        td_real *q = t.state->q + t.model->coord[i];
        int32_t count = t.model->coord[i + 1] - t.model->coord[i];
        for (int32_t k = 0; k < count; k++) {
            q[k] = count == 4 && k == 0;
        }
    }
    td_tree_state_changed(t.state);
}

TD_TEST(floating_tree_has_six_modes_of_no_frequency) {
    tdi_random r;
    tdi_random_seed(&r, 14);
    for (int32_t k = 0; k < 10; k++) {
        tree t = random_tree(&r, 6, 10, true, TD_LAW_LINEAR);
        td_mode modes[7];
        go_to_rest(t);
        CHECK_INT(td_tree_modes(t.state, weightless, 7, modes, NULL, NULL), TD_OK);
        for (int32_t j = 0; j < 6; j++) {
            CHECK(modes[j].frequency == 0);
        }
        CHECK(modes[6].frequency > 0.1);
        free_tree(t);
    }
}

// a chain of balls without any stiffness: as many modes of no frequency as it can twist
TD_TEST(limp_chain_twists_without_frequency_and_swings_with_it) {
    tdi_random r;
    tdi_random_seed(&r, 15);
    beam_def b = {30, 1, 0.005, 1e9, 1000, 0.3, 0, true, true};
    td_mode stiff[4], limp[34];
    beam_modes(&b, weight, 4, stiff);
    tree t = make_beam(&b);
    for (int32_t i = 0; i < b.count; i++) {
        t.model->body[i].stiffness = weightless;
    }
    CHECK_INT(td_tree_modes(t.state, weight, 34, limp, NULL, NULL), TD_OK);
    for (int32_t j = 0; j < 34; j++) {
        CHECK_REL(limp[j].frequency, j < 30 ? 0 : stiff[j - 30].frequency, 1e-8);
    }
    CHECK_INT(td_tree_modes(t.state, weightless, 34, limp, NULL, NULL), TD_OK);
    for (int32_t j = 0; j < 34; j++) {
        CHECK(limp[j].frequency == 0);
    }
    free_tree(t);
}

TD_TEST(modes_leave_the_state_and_what_it_does_next_alone) {
    tdi_random r;
    tdi_random_seed(&r, 16);
    tree t = random_tree(&r, 8, 10, false, TD_LAW_LINEAR);
    td_tree_state *other = NULL;
    td_step_opts opts = td_step_opts_default();
    td_mode modes[4];
    CHECK_INT(td_tree_state_new(t.model, NULL, &other, NULL), TD_OK);
    for (int32_t k = 0; k < 20; k++) {
        CHECK_INT(td_tree_modes(other, weight, 4, modes, NULL, NULL), TD_OK);
        CHECK_INT(td_tree_step(t.state, &opts, NULL, NULL), TD_OK);
        CHECK_INT(td_tree_step(other, &opts, NULL, NULL), TD_OK);
    }
    size_t bytes = (size_t)t.model->coord_count * sizeof(td_real);
    CHECK(memcmp(td_tree_coords(t.state), td_tree_coords(other), bytes) == 0);
    td_tree_state_free(other);
    free_tree(t);
}

TD_TEST(modes_refuse_what_they_cannot_do) {
    tdi_random r;
    tdi_random_seed(&r, 17);
    tree t = random_tree(&r, 4, 10, false, TD_LAW_LINEAR);
    td_mode modes[MAX_DOFS];
    int32_t n = td_tree_dof_count(t.model);
    td_diag diag = {.message = ""};
    CHECK_INT(td_tree_modes(t.state, weight, 0, modes, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_tree_modes(t.state, weight, n + 1, modes, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "modes were asked for");
    CHECK_INT(td_tree_modes(t.state, tdi_vec3(0, NAN, 0), 1, modes, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "gravity");
    td_tree_coords(t.state)[1] = NAN;
    td_tree_state_changed(t.state);
    CHECK_INT(td_tree_modes(t.state, weight, 1, modes, NULL, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "not finite");
    free_tree(t);
}

// ---- rest shapes ----------------------------------------------------------------------------

// largest distance between the ends of bodies in two states
static double apart(const td_tree_state *a, const td_tree_state *b, int32_t n) {
    double largest = 0;
    for (int32_t i = 0; i < n; i++) {
        double d = tdi_norm(tdi_sub(td_tree_tip(a, i), td_tree_tip(b, i)));
        largest = !(d <= largest) ? d : largest;
    }
    return largest;
}

static void check_rest_shape(tree t) {
    tree u = {NULL, NULL};
    td_diag diag = {.message = ""};
    td_step_opts opts = td_step_opts_default();
    int32_t n = td_tree_body_count(t.model);
    td_status status = td_tree_model_rest_new(t.state, weight, NULL, &u.model, &diag);
    CHECK_INT(status, TD_OK);
    if (status != TD_OK) {
        printf("%s\n", diag.message);
        return;
    }
    CHECK_INT(td_tree_state_new(u.model, NULL, &u.state, &diag), TD_OK);
    CHECK_IN(apart(t.state, u.state, n), 0, 1e-12);
    CHECK_INT(td_tree_settle(u.state, &opts, NULL, &diag), TD_OK);
    CHECK_IN(apart(t.state, u.state, n), 0, 1e-9);
    free_tree(u);
}

TD_TEST(rest_shape_keeps_the_pose_of_random_trees) {
    tdi_random r;
    tdi_random_seed(&r, 21);
    for (int32_t k = 0; k < 200; k++) {
        tree t =
            random_tree(&r, 2 + k % 19, (2 + k % 19) * between(&r, 3, 20), false, TD_LAW_LINEAR);
        check_rest_shape(t);
        free_tree(t);
    }
}

TD_TEST(rest_shape_keeps_a_beam_straight) {
    beam_def b = thin_beam;
    tree t = make_beam(&b);
    check_rest_shape(t);
    free_tree(t);
}

// the joint that cannot is named, and why
TD_TEST(rest_shape_names_the_joint_that_cannot_carry) {
    beam_def b = thin_beam;
    b.count = 5;
    tree t = make_beam(&b);
    td_tree_model *model = NULL;
    td_diag diag = {.message = ""};
    td_vec3 kept = t.model->body[3].stiffness;
    t.model->body[3].stiffness.x = 0; // bends about X in its axes: up and down
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_OK);
    td_tree_model_free(model);
    t.model->body[3].stiffness.z = 0;
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK(model == NULL);
    CHECK_INT(diag.index, 3);
    CHECK_HAS(diag.message, "segment 3 cannot carry its load: its joint has no stiffness");
    t.model->body[3].stiffness = tdi_scale(kept, 1e-7);
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment 3 cannot carry its load: its spring would have to be wound");
    CHECK_INT(td_tree_model_rest_new(t.state, weightless, NULL, &model, &diag), TD_OK);
    td_tree_model_free(model);
    free_tree(t);
}

// a limp chain that hangs straight carries its weight without any stiffness
TD_TEST(rest_shape_of_a_hanging_limp_chain_is_as_it_hangs) {
    beam_def b = {50, 1, 0.005, 1e9, 1000, 0.3, 0, true, true};
    tree t = make_beam(&b);
    check_rest_shape(t);
    free_tree(t);
}

TD_TEST(rest_shape_of_a_floating_tree_is_refused_under_weight_only) {
    tdi_random r;
    tdi_random_seed(&r, 22);
    tree t = random_tree(&r, 5, 10, true, TD_LAW_LINEAR);
    td_tree_model *model = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment 0 cannot carry its load: nothing holds it");
    CHECK_INT(td_tree_model_rest_new(t.state, weightless, NULL, &model, &diag), TD_OK);
    td_tree_model_free(model);
    free_tree(t);
}

// ---- damping --------------------------------------------------------------------------------

// Damping ratio seen in the decay of a coordinate of the lowest mode, from rest at its amplitude.
static double seen_ratio(tree t, td_vec3 gravity) {
    int32_t n = td_tree_dof_count(t.model);
    td_real *shape = calloc((size_t)n, sizeof *shape);
    td_mode mode;
    td_step_opts opts = td_step_opts_default();
    CHECK_INT(td_tree_modes(t.state, gravity, 1, &mode, shape, NULL), TD_OK);
    td_vec3 rest = td_tree_tip(t.state, td_tree_body_count(t.model) - 1);
    double largest = 0;
    for (int32_t d = 0; d < n; d++) {
        largest = fabs(shape[d]) > largest ? fabs(shape[d]) : largest;
    }
    tdi_tree_advance(t.model, t.state, shape, 1e-3 / largest);
    td_tree_state_changed(t.state);
    td_vec3 way = tdi_sub(td_tree_tip(t.state, td_tree_body_count(t.model) - 1), rest);
    opts.gravity = gravity;
    opts.dt = 1 / (2000 * mode.frequency);
    opts.tolerance = 1e-12;
    double last = 1, before = 1, first_peak = 0, second_peak = 0;
    for (int32_t k = 0; k < 5000 && second_peak == 0; k++) {
        CHECK_INT(td_tree_step(t.state, &opts, NULL, NULL), TD_OK);
        td_vec3 now = tdi_sub(td_tree_tip(t.state, td_tree_body_count(t.model) - 1), rest);
        double place = tdi_dot(now, way) / tdi_dot(way, way);
        if (k > 1 && last > before && last > place) {
            second_peak = first_peak > 0 ? last : 0;
            first_peak = first_peak > 0 ? first_peak : last;
        }
        before = last;
        last = place;
    }
    free(shape);
    double decrement = log(first_peak / second_peak) / (2 * TDI_PI);
    return decrement / sqrt(1 + decrement * decrement);
}

static td_tree_state *settled(const td_tree_model *model, td_vec3 gravity) {
    td_tree_state *state = NULL;
    td_step_opts opts = td_step_opts_default();
    opts.gravity = gravity;
    CHECK_INT(td_tree_state_new(model, NULL, &state, NULL), TD_OK);
    CHECK_INT(td_tree_settle(state, &opts, NULL, NULL), TD_OK);
    return state;
}

// with weight the beam droops by a seventh of its length, and damping is no longer the same part of
// every mode
TD_TEST(damping_set_as_a_ratio_is_the_decay_that_stepping_shows) {
    const double ratios[3] = {0.02, 0.05, 0.2};
    beam_def b = thin_beam;
    b.count = 12;
    tree t = make_beam(&b);
    for (int32_t k = 0; k < 6; k++) {
        td_damping_opts opts = td_damping_opts_default();
        tree u = {NULL, NULL};
        td_diag diag = {.message = ""};
        td_mode mode;
        opts.value = ratios[k / 2];
        opts.gravity = k % 2 ? weight : weightless;
        td_tree_state *pose = settled(t.model, opts.gravity);
        CHECK_INT(td_tree_model_damped_new(pose, &opts, NULL, &u.model, &diag), TD_OK);
        u.state = settled(u.model, opts.gravity);
        CHECK_INT(td_tree_modes(u.state, opts.gravity, 1, &mode, NULL, &diag), TD_OK);
        CHECK_REL(mode.damping_ratio, opts.value, 1e-9);
        CHECK_REL(seen_ratio(u, opts.gravity), opts.value, 0.02);
        td_tree_state_free(pose);
        free_tree(u);
    }
    free_tree(t);
}

TD_TEST(damping_set_as_a_time_is_stiffness_times_it) {
    tdi_random r;
    tdi_random_seed(&r, 31);
    tree t = random_tree(&r, 8, 10, false, TD_LAW_LINEAR);
    td_tree_model *model = NULL;
    td_damping_opts opts = td_damping_opts_default();
    opts.kind = TD_DAMPING_TIME;
    opts.value = 0.01;
    CHECK_INT(td_tree_model_damped_new(t.state, &opts, NULL, &model, NULL), TD_OK);
    for (int32_t i = 0; i < 8; i++) {
        CHECK_REL(model->body[i].damping.y, 0.01 * t.model->body[i].stiffness.y, 1e-15);
        CHECK_REL(model->body[i].damping.x, 0.01 * t.model->body[i].stiffness.x, 1e-15);
    }
    td_tree_model_free(model);
    free_tree(t);
}

TD_TEST(damping_refuses_bad_options_by_name) {
    beam_def b = {5, 1, 0.005, 1e9, 1000, 0.3, 0, true, true};
    tree t = make_beam(&b);
    td_tree_model *model = NULL;
    td_damping_opts opts = {0};
    td_diag diag = {.message = ""};
    CHECK_INT(td_tree_model_damped_new(t.state, &opts, NULL, &model, &diag), TD_ERR_DEF);
    opts = td_damping_opts_default();
    opts.value = -1;
    CHECK_INT(td_tree_model_damped_new(t.state, &opts, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "value");
    for (int32_t i = 0; i < b.count; i++) {
        t.model->body[i].stiffness = weightless;
    }
    opts.value = 0.1;
    CHECK_INT(td_tree_model_damped_new(t.state, &opts, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "bends a spring");
    CHECK(model == NULL);
    free_tree(t);
}

// ---- memory ---------------------------------------------------------------------------------

// whatever fails, everything goes back and the status says so
TD_TEST(modes_rest_and_damping_survive_any_allocation_that_fails) {
    test_heap heap = {0, 0, 0, 0};
    td_alloc alloc = test_heap_alloc(&heap);
    td_builder *builder = NULL;
    td_skeleton_opts opts = td_skeleton_opts_default();
    CHECK_INT(td_builder_new(&opts, NULL, &builder), TD_OK);
    for (int32_t i = 0; i < 4; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    }
    tree t = finish(builder, TD_LAW_LINEAR, &alloc);
    size_t held = heap.held;
    td_damping_opts damping = td_damping_opts_default();
    for (int32_t what = 0; what < 3; what++) {
        td_status status = TD_ERR_MEMORY;
        for (int32_t k = 1; status != TD_OK && k < 20; k++) {
            td_tree_model *model = NULL;
            td_mode mode;
            heap.calls = 0;
            heap.fail_at = k;
            status = what == 0 ? td_tree_modes(t.state, weight, 1, &mode, NULL, NULL)
                     : what == 1
                         ? td_tree_model_rest_new(t.state, weight, &alloc, &model, NULL)
                         : td_tree_model_damped_new(t.state, &damping, &alloc, &model, NULL);
            CHECK(status == TD_OK || (status == TD_ERR_MEMORY && !model));
            td_tree_model_free(model);
            CHECK_INT(heap.held, held);
        }
        CHECK_INT(status, TD_OK);
    }
    heap.fail_at = 0;
    free_tree(t);
    CHECK_INT(heap.held, 0);
}
