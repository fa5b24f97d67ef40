// SPDX-License-Identifier: MIT
// Cases of the equations of motion: three ways to the same accelerations, the integrators on the
// same path, momentum.

#include "cases/dense.h"
#include "cases/validate/validate.h"
#include "tendril/ida.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- three ways -----------------------------------------------------------------------------

// Largest errors seen, relative. Torques are measured by their largest figure, accelerations by the
// kinetic energy they stand for, a^T M a: without weights the lightest turn would drown all others.
typedef struct disagreement {
    double there_and_back; // forward of the torques that inverse gives for an acceleration
    double dense;          // forward against the solution with the dense matrix
    double product;        // inverse against matrix times acceleration
} disagreement;

static double apart(const double *a, const double *b, int32_t n) {
    double difference = 0, size = 1e-300;
    for (int32_t i = 0; i < n; i++) {
        difference = fmax(difference, fabs(a[i] - b[i]));
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        if (isnan(a[i]) || isnan(b[i])) {
            return (double)NAN;
        }
    }
    return difference / size;
}

// sqrt((a - b)^T M (a - b)/(b^T M b))
static double weighted_apart(const double *m, const double *a, const double *b, int32_t n) {
    double difference = 0, size = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < n; k++) {
            double weight = m[(ptrdiff_t)i * n + k];
            difference += weight * (a[i] - b[i]) * (a[k] - b[k]);
            size += weight * b[i] * b[k];
        }
    }
    return sqrt(fabs(difference) / size);
}

// M a + bias = torque + springs, from random accelerations: at random torques the lightest turns
// would be thrown about so fast that their forces cancel in all digits but a few. Seven arrays of
// n, then two matrices.
static void compare(val_body *tree, val_random *random, double *room, disagreement *worst) {
    const td_vec3 gravity = {1, -9.81, 0.5};
    int32_t n = tree->dofs;
    double *wanted = room, *torque = wanted + n, *accel = torque + n, *bias = accel + n;
    double *right = bias + n, *springs = right + n, *product = springs + n, *matrix = product + n;
    double *factor = matrix + (ptrdiff_t)n * n;
    for (int32_t i = 0; i < n; i++) {
        wanted[i] = val_uniform(random, -100, 100);
        accel[i] = 0;
    }
    td_tree_inverse(tree->state, gravity, accel, bias);
    td_tree_inverse(tree->state, gravity, wanted, right);
    td_tree_joint_torque(tree->state, springs);
    td_tree_inertia(tree->state, matrix);
    for (int32_t i = 0; i < n; i++) {
        torque[i] = right[i] - springs[i];
        product[i] = bias[i];
        for (int32_t k = 0; k < n; k++) {
            product[i] += matrix[(ptrdiff_t)i * n + k] * wanted[k];
        }
    }
    worst->product = val_worse(apart(right, product, n), worst->product);

    td_tree_forward(tree->state, gravity, torque, accel);
    worst->there_and_back =
        val_worse(weighted_apart(matrix, accel, wanted, n), worst->there_and_back);

    for (int32_t i = 0; i < n; i++) {
        right[i] = torque[i] + springs[i] - bias[i];
    }
    memcpy(factor, matrix, (size_t)n * (size_t)n * sizeof *factor);
    const bool positive = dense_factor(factor, n, n);
    dense_solve(factor, n, n, right);
    worst->dense =
        val_worse(positive ? weighted_apart(matrix, accel, right, n) : (double)NAN, worst->dense);
}

static void compare_tree(val_report *report, val_body *tree, val_random *random,
                         disagreement *worst) {
    size_t n = (size_t)tree->dofs;
    double *room =
        val_memory(report, "three ways to accelerations", 7 * n + 2 * n * n, sizeof *room);
    val_wild_start(random, tree, 2, 5);
    compare(tree, random, room, worst);
    free(room);
}

static void print_disagreement(val_report *report, const disagreement *worst, const char *on,
                               int32_t count, double limit) {
    const struct {
        const char *what;
        double error;
    } rows[] = {{"forward against inverse", worst->there_and_back},
                {"forward against the dense matrix", worst->dense},
                {"inverse against the dense matrix", worst->product}};
    for (int k = 0; k < 3; k++) {
        val_at_most(report, val_text(report, "%s, %s", rows[k].what, on), count, rows[k].error,
                    limit);
    }
}

static void three_ways(val_report *report) {
    disagreement wild_worst = {0}, short_worst = {0};
    int32_t compared = 0;
    val_random random = {5};
    for (int32_t i = 0; i < 500; i++) {
        val_wild wild = val_slender;
        wild.floating = i % 4 == 0;
        val_body tree;
        val_progress(report, 0.5 * i / 500);
        val_wild_build(report, &random, &wild, &tree);
        if (tree.dofs > 0) {
            compare_tree(report, &tree, &random, &wild_worst);
        }
        compared += tree.dofs > 0;
        val_body_free(&tree);
    }
    // stout segments: no direction is much lighter to turn than another
    for (int32_t i = 0; i < 100; i++) {
        val_rod rod = val_thesis_beam(1 + i % 4);
        val_body tree;
        rod.radius = 0.3 / rod.count;
        rod.young = 1e4;
        val_rod_build(report, &rod, &tree);
        compare_tree(report, &tree, &random, &short_worst);
        val_body_free(&tree);
    }
    print_disagreement(report, &wild_worst, "random trees", compared, 1e-9);
    print_disagreement(report, &short_worst, "short stout chains", 100, 1e-12);
}

// ---- the same path --------------------------------------------------------------------------

// Where a run of a quarter of a second leads as its step goes to nothing: for a rule of order p,
// (2^p x(h/2) - x(h))/(2^p - 1).
static void limit_of_path(val_report *report, val_body *tree, const val_pose *start,
                          td_integrator integrator, int32_t steps, double factor, td_vec3 *tips) {
    td_vec3 coarse[8];
    td_step_opts opts = td_step_opts_default();
    opts.integrator = integrator;
    opts.tolerance = 1e-13;
    opts.dt = 0.25 / steps;
    val_run(report, tree, start, &opts, steps, coarse, "path of a random tree");
    opts.dt = 0.125 / steps;
    val_run(report, tree, start, &opts, 2 * steps, tips, "path of a random tree");
    for (int32_t i = 0; i < tree->n; i++) {
        tips[i] = td_vec3_lerp(coarse[i], tips[i], factor / (factor - 1));
    }
}

// Moves the state on with ida, whose error is far below that of the others.
static void advance_accurately(val_report *report, val_body *tree, td_vec3 gravity, double duration,
                               const char *quantity) {
    td_ida *ida;
    td_ida_opts opts = td_ida_opts_default();
    opts.rtol = 1e-12;
    opts.atol = 1e-13;
    opts.gravity = gravity;
    td_status status = td_ida_new(tree->state, &opts, NULL, &ida, &report->diag);
    if (status == TD_OK) {
        status = td_ida_advance(ida, duration, &report->diag);
        td_ida_free(ida);
    }
    val_must(report, quantity, tree->n, status);
}

static void path_of_ida(val_report *report, val_body *tree, const val_pose *start, td_vec3 *tips) {
    val_pose_restore(tree, start);
    advance_accurately(report, tree, (td_vec3){0, -9.81, 0}, 0.25, "path of a random tree");
    for (int32_t i = 0; i < tree->n; i++) {
        tips[i] = td_body_tip(tree->state, i);
    }
}

static void same_path(val_report *report) {
    double apart_euler = 0, apart_implicit = 0, apart_ida = 0;
    val_random random = {6};
    val_wild wild = val_stout;
    wild.stiff = 1;
    for (int32_t i = 0; i < 5; i++) {
        val_body tree;
        val_pose start;
        td_vec3 euler[8], rk4[8], implicit[8], ida[8];
        val_progress(report, 0.5 + 0.1 * i);
        val_wild_open(report, &random, &wild, 0.5, 3, &tree, &start);
        limit_of_path(report, &tree, &start, TD_RK4, 2000, 16, rk4);
        limit_of_path(report, &tree, &start, TD_EULER, 20000, 2, euler);
        limit_of_path(report, &tree, &start, TD_IMPLICIT, 4000, 4, implicit);
        apart_euler = val_worse(val_tips_apart(euler, rk4, tree.n), apart_euler);
        apart_implicit = val_worse(val_tips_apart(implicit, rk4, tree.n), apart_implicit);
        if (td_ida_built()) {
            path_of_ida(report, &tree, &start, ida);
            apart_ida = val_worse(val_tips_apart(ida, rk4, tree.n), apart_ida);
        }
        val_pose_free(&start);
        val_body_free(&tree);
    }
    val_at_most(report, "limit of euler's path off that of rk4, m", 5, apart_euler, 1e-6);
    val_at_most(report, "limit of implicit's path off that of rk4, m", 5, apart_implicit, 1e-6);
    if (td_ida_built()) {
        val_at_most(report, "path of ida off the limit of rk4, m", 5, apart_ida, 1e-9);
    }
}

void val_agreement(val_report *report) {
    three_ways(report);
    same_path(report);
}

// ---- momentum -------------------------------------------------------------------------------

static double off(td_vec3 a, td_vec3 b) {
    return td_vec3_distance(a, b) / td_vec3_norm(b);
}

// Momentum at the start, and how far it has been from that, relative.
typedef struct momentum {
    td_vec3 linear, angular;
    double linear_off, angular_off;
} momentum;

static momentum momentum_of(val_body *tree) {
    momentum m = {.linear_off = 0};
    td_body_momentum(tree->state, &m.linear, &m.angular);
    return m;
}

static void follow_momentum(val_body *tree, momentum *m) {
    momentum now = momentum_of(tree);
    m->linear_off = val_worse(off(now.linear, m->linear), m->linear_off);
    m->angular_off = val_worse(off(now.angular, m->angular), m->angular_off);
}

static void print_momentum(val_report *report, const val_body *tree, const momentum *m,
                           const char *name) {
    val_at_most(report, val_text(report, "change of linear momentum over 10 s, %s", name), tree->n,
                m->linear_off, 1e-10);
    val_at_most(report, val_text(report, "change of angular momentum over 10 s, %s", name), tree->n,
                m->angular_off, 1e-10);
}

static void momentum_of_rk4(val_report *report, val_body *tree) {
    td_step_opts opts = td_step_opts_default();
    opts.integrator = TD_RK4;
    opts.gravity.y = 0;
    opts.dt = 5e-5;
    momentum m = momentum_of(tree);
    for (int32_t i = 1; i <= 200000; i++) {
        val_step(report, tree, &opts, "momentum");
        follow_momentum(tree, &m);
        if (i % 1000 == 0) {
            val_progress(report, i / 200000.0);
        }
    }
    print_momentum(report, tree, &m, "rk4");
}

// the same 10 s, looked at ten times
static void momentum_of_ida(val_report *report, val_body *tree) {
    momentum m = momentum_of(tree);
    for (int k = 0; k < 10; k++) {
        advance_accurately(report, tree, (td_vec3){0, 0, 0}, 1, "momentum");
        follow_momentum(tree, &m);
    }
    print_momentum(report, tree, &m, "ida");
}

// 10 s without gravity; springs and damping act between segments alone
void val_momentum(val_report *report) {
    val_wild wild = val_stout;
    val_random random = {7};
    val_body tree;
    val_pose start;
    wild.least = wild.most = 10;
    wild.floating = true;
    val_wild_open(report, &random, &wild, 1, 2, &tree, &start);
    momentum_of_rk4(report, &tree);
    if (td_ida_built()) {
        val_pose_restore(&tree, &start);
        momentum_of_ida(report, &tree);
    }
    val_pose_free(&start);
    val_body_free(&tree);
}
