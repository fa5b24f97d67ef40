// SPDX-License-Identifier: MIT
// The case of largest stable steps, on the beam of the plants thesis.
//
// A symplectic Euler step is stable up to 2/omega, omega being the highest frequency of the tree.

#include "cases/validate/validate.h"

#include <math.h>
#include <stdlib.h>

// ---- highest frequency ----------------------------------------------------------------------

// Springs and masses in a row, x_0 at the clamp and fixed. Bending: x is the height of the joints
// and the tip; twist: x is the angle of the segments.
typedef struct row {
    int32_t count;
    double mass, link; // diagonal of M, and next to it; the last entry of the diagonal
    double mass_last;
    double root, spring; // stiffness of the clamp, and of the other joints
    bool bend;           // springs act on second differences; otherwise on first ones
} row;

// spring number j (from 0 at the clamp) is stretched by this
static double stretch(const row *r, const double *x, int32_t j) {
    double at = x[j], before = j > 0 ? x[j - 1] : 0, first = j > 1 ? x[j - 2] : 0;
    return r->bend ? at - 2 * before + first : at - before;
}

// y = K x; the transpose of the stretches
static void apply_springs(const row *r, const double *x, double *y) {
    for (int32_t i = 0; i < r->count; i++) {
        y[i] = 0;
    }
    for (int32_t j = 0; j < r->count; j++) {
        double force = (j == 0 ? r->root : r->spring) * stretch(r, x, j);
        y[j] += force;
        if (j > 0) {
            y[j - 1] -= (r->bend ? 2 : 1) * force;
        }
        if (j > 1 && r->bend) {
            y[j - 2] += force;
        }
    }
}

// y = M^-1 y for the tridiagonal M, by elimination; scratch of count
static void solve_masses(const row *r, double *y, double *scratch) {
    double pivot = r->count == 1 ? r->mass_last : r->mass;
    for (int32_t i = 0; i < r->count; i++) {
        double next = i + 1 == r->count - 1 ? r->mass_last : r->mass;
        scratch[i] = r->link / pivot;
        y[i] /= pivot;
        if (i + 1 < r->count) {
            y[i + 1] -= r->link * y[i];
        }
        pivot = next - r->link * scratch[i];
    }
    for (int32_t i = r->count - 2; i >= 0; i--) {
        y[i] -= scratch[i] * y[i + 1];
    }
}

// omega^2 is the largest eigenvalue of M^-1 K: by powers, as the quotient of forces and lengths
static double highest_frequency(val_report *report, const row *r) {
    size_t n = (size_t)r->count;
    double *x = val_memory(report, "highest frequency", 3 * n, sizeof *x), *y = x + n,
           *scratch = y + n, square = 0;
    val_random random = {8};
    for (size_t i = 0; i < n; i++) {
        x[i] = val_uniform(&random, -1, 1);
    }
    for (int k = 0; k < 20000; k++) {
        double size = 0, along = 0, whole = 0;
        apply_springs(r, x, y);
        solve_masses(r, y, scratch);
        for (size_t i = 0; i < n; i++) {
            along += x[i] * y[i];
            whole += x[i] * x[i];
            size = fmax(size, fabs(y[i]));
        }
        square = along / whole;
        for (size_t i = 0; i < n; i++) {
            x[i] = y[i] / size;
        }
    }
    free(x);
    return sqrt(square);
}

// Heights of joints: the ends of a rod of mass m and length a have the inertia m/6 [2 1; 1 2], and
// its thickness adds m r^2/4 for the turning rate, the difference of the ends over a.
static row bending_row(const val_rod *rod) {
    double a = rod->length / rod->count, r = rod->radius;
    double m = rod->density * VAL_PI * r * r * a, turn = m * r * r / 4 / (a * a);
    double k = rod->young * VAL_PI / 4 * r * r * r * r / a / (a * a);
    row out = {rod->count, 2 * (m / 3 + turn), m / 6 - turn, m / 3 + turn, 2 * k, k, true};
    return out;
}

// Angles of segments: m r^2/2 each
static row twist_row(const val_rod *rod) {
    double a = rod->length / rod->count, r = rod->radius;
    double m = rod->density * VAL_PI * r * r * a;
    double k = rod->young / (2 * (1 + rod->poisson)) * VAL_PI / 2 * r * r * r * r / a;
    row out = {rod->count, m * r * r / 2, 0, m * r * r / 2, 2 * k, k, false};
    return out;
}

// ---- largest stable step --------------------------------------------------------------------

// every joint off by up to `angle`
static void disturb(val_body *tree, val_random *random, double angle) {
    val_wild_start(random, tree, angle, 0);
}

// Whether a thousand steps of euler leave the energy where it is. Just past the limit it grows by
// a factor of 1 + sqrt(8 (h/h_c - 1)) a step.
static bool is_stable(val_body *tree, const val_pose *start, double dt) {
    td_step_opts opts = td_step_opts_default();
    opts.integrator = TD_EULER;
    opts.gravity.y = 0;
    opts.dt = dt;
    val_pose_restore(tree, start);
    double most = 100 * val_energy(tree, opts.gravity);
    for (int32_t i = 0; i < 1000; i++) {
        if (td_body_step(tree->state, &opts, NULL, NULL) != TD_OK) {
            return false;
        }
        if (i % 50 == 49 && !(val_energy(tree, opts.gravity) < most)) {
            return false;
        }
    }
    return true;
}

static void largest_step(val_report *report, td_joint_kind joint, int32_t count, double thesis) {
    val_rod rod = val_thesis_beam(count);
    val_body tree;
    val_pose start;
    val_random random = {9};
    rod.joint = joint;
    val_rod_build(report, &rod, &tree);
    row bend = bending_row(&rod), twist = twist_row(&rod);
    double want = 2 / highest_frequency(report, &bend);
    if (joint == TD_JOINT_BALL) {
        want = fmin(want, 2 / highest_frequency(report, &twist));
    }
    disturb(&tree, &random, 1e-6);
    val_pose_keep(report, &tree, &start);
    double low = 0.9 * want, high = 1.1 * want; // at either end it is off by more than allowed
    while (high > 1.01 * low) {
        double dt = sqrt(low * high);
        *(is_stable(&tree, &start, dt) ? &low : &high) = dt;
    }
    val_relative(report,
                 val_text(report, "largest step of euler, s, %s (thesis %.0e)",
                          joint == TD_JOINT_BALL ? "twist too" : "bending", thesis),
                 count, low, want, 0.05);
    val_pose_free(&start);
    val_body_free(&tree);
}

// ---- implicit -------------------------------------------------------------------------------

// Two seconds at 1/24 s: the largest energy after the start, over that of the start.
static void implicit_at_24(val_report *report, int32_t count) {
    val_rod rod = val_thesis_beam(count);
    val_body tree;
    val_random random = {10};
    td_step_opts opts = td_step_opts_default();
    val_rod_build(report, &rod, &tree);
    opts.gravity.y = 0;
    opts.dt = 1.0 / 24;
    disturb(&tree, &random, 1e-3 / sqrt(count));
    double start = val_energy(&tree, opts.gravity), most = 0;
    for (int32_t i = 0; i < 48; i++) {
        val_step(report, &tree, &opts, "implicit at 1/24 s");
        most = val_worse(val_energy(&tree, opts.gravity), most);
        val_progress(report, 0.5 + 0.5 * i / 48);
    }
    val_at_most(report, "largest energy over the start, implicit at 1/24 s", count, most / start,
                1.01);
    val_body_free(&tree);
}

void val_stability(val_report *report) {
    static const struct {
        int32_t n;
        double thesis; // s: the table of section 9.4.2
    } table[] = {{10, 2e-4}, {25, 3e-5}, {100, 1e-6}, {250, 3e-7}, {500, 7e-8}};
    static const int32_t counts[] = {10, 25, 100, 250, 500, 1000, 10000, 100000};
    for (int k = 0; k < 10; k++) {
        val_progress(report, 0.05 * k);
        largest_step(report, k < 5 ? TD_JOINT_HINGE : TD_JOINT_BALL, table[k % 5].n,
                     table[k % 5].thesis);
    }
    for (int k = 0; k < (report->full ? 8 : 7); k++) {
        implicit_at_24(report, counts[k]);
    }
}
