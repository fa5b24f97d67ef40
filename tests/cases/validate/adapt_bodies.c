// SPDX-License-Identifier: MIT
// Adaptive dynamics as published: hybrid bodies, rigidification, energy.

#include "cases/validate/adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TREES 1000

// ---- hybrid ---------------------------------------------------------------------------------

// First degree of freedom of each joint, and whether it is active, into `list`; returns how many.
static int32_t active_dofs(const val_trial *t, int32_t *list) {
    const td_segment *segments = td_skeleton_segments(t->tree.skeleton);
    int32_t d = 0, count = 0;
    for (int32_t i = 0; i < t->tree.n; i++) {
        const td_joint_kind kind = segments[i].joint;
        const int n = kind == TD_JOINT_BALL   ? 3
                      : kind == TD_JOINT_FREE ? 6
                                              : kind != TD_JOINT_FIXED;
        for (int k = 0; k < n; k++, d++) {
            if (td_adapt_is_active(t->adapt, i)) {
                list[count++] = d;
            }
        }
    }
    return count;
}

// Cholesky of a dense matrix, rows of n, and its solution in place.
static void solve_dense(double *a, int32_t n, double *x) {
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n; i++) {
            for (int32_t k = 0; k < j; k++) {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = i == j ? sqrt(a[j * n + j]) : a[i * n + j] / a[j * n + j];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < i; k++) {
            x[i] -= a[i * n + k] * x[k];
        }
        x[i] /= a[i * n + i];
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < n; k++) {
            x[i] -= a[k * n + i] * x[k];
        }
        x[i] /= a[i * n + i];
    }
}

// What the active joints do when all others are held: of M x = force the rows and columns of the
// active ones alone. With `momentum` the force is M times what is given.
static bool held_answer(val_trial *t, const double *in, bool momentum, double *out) {
    const int32_t n = t->tree.dofs;
    double *m = calloc((size_t)n * (size_t)n + 1, sizeof *m);
    double *part = calloc((size_t)n * (size_t)n + 1, sizeof *part);
    double *x = calloc((size_t)n + 1, sizeof *x);
    int32_t *list = calloc((size_t)n + 1, sizeof *list);
    const bool fine = m && part && x && list;
    const int32_t count = active_dofs(t, list);
    td_tree_inertia(t->tree.state, m);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < n && momentum; j++) {
            x[i] += m[list[i] * n + j] * in[j];
        }
        x[i] = momentum ? x[i] : in[list[i]];
        for (int32_t j = 0; j < count; j++) {
            part[i * count + j] = m[list[i] * n + list[j]];
        }
    }
    solve_dense(part, count, x);
    memset(out, 0, (size_t)n * sizeof *out);
    for (int32_t i = 0; i < count; i++) {
        out[list[i]] = x[i];
    }
    free(m);
    free(part);
    free(x);
    free(list);
    return fine;
}

static void hybrid_pendulum(val_report *report) {
    static const double want[3] = {56.020770803, -124.765546947, 47.007553231};
    const td_adapt_opts opts = td_adapt_opts_default();
    const td_step_opts step = td_step_opts_default();
    double sum = 0, metrics[10];
    val_trial t;
    val_pendulum_open(report, 10, 1e-7, &opts, &t);
    for (int32_t i = 0; i < 10; i++) {
        td_tree_coords(t.tree.state)[i] = 0.3;
    }
    td_tree_state_changed(t.tree.state);
    td_adapt_changed(t.adapt);
    td_adapt_forward(t.adapt, &step, NULL, t.accel);
    for (int32_t i = 0; i < 10; i++) {
        sum += t.accel[i] * t.accel[i];
    }
    for (int32_t i = 0; i < 3; i++) {
        val_relative(report, "relative acceleration of a pendulum of ten links, rad/s^2", i + 1,
                     t.accel[i], want[i], 1e-10);
    }
    val_relative(report, "sum of their squares", 10, sum, 21011.8104033, 1e-10);
    td_adapt_metrics(t.adapt, &step, metrics);
    val_relative(report, "the same by the metric of the root", 10, metrics[0], 21011.8104033,
                 1e-10);
    val_trial_close(&t);
}

#define SLIDE_MASS 0.5 // kg

static void slides_open(val_report *report, uint64_t shuffle, val_trial *t) {
    td_material material = td_material_get(0);
    td_adapt_opts opts = td_adapt_opts_default();
    opts.shuffle = shuffle;
    *t = (val_trial){.adapt = NULL};
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    for (int32_t i = 0; i < 5; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.joint = i == 0 ? TD_JOINT_FIXED : TD_JOINT_SLIDE;
        def.axis = (td_vec3){1, 0, 0};
        def.length = def.radius_base = def.radius_tip = 0.1;
        def.mass = SLIDE_MASS;
        def.second_moment = (td_sym3){1e-3, 1e-3, 1e-3, 0, 0, 0};
        def.has_stiffness = def.has_damping = true;
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, &t->tree);
    val_trial_adapt(report, &opts, t);
}

// Figure 4: a force on the second of five links that slide along each other. With the first joint
// active alone, which some assembly tree has next to its root, it moves four links.
static void hybrid_slides(val_report *report) {
    const td_load load = {.kind = TD_LOAD_FORCE, .segment = 1, .vector = {3, 0, 0}};
    td_step_opts step = td_step_opts_default();
    val_trial t = {.adapt = NULL};
    step.loads = &load;
    step.load_count = 1;
    for (uint64_t k = 1; k < 100 && (!t.adapt || td_adapt_node(t.adapt, 1).depth != 1); k++) {
        val_trial_close(&t);
        slides_open(report, k, &t);
    }
    td_adapt_forward(t.adapt, &step, NULL, t.accel);
    val_relative(report, "figure 4, all joints: acceleration of the first, m/s^2", 5, t.accel[0],
                 3 / SLIDE_MASS, 1e-12);
    val_relative(report, "figure 4, all joints: of the second", 5, t.accel[1], -3 / SLIDE_MASS,
                 1e-12);
    t.active[1] = true;
    td_adapt_activate(t.adapt, t.active);
    td_adapt_forward(t.adapt, &step, NULL, t.accel);
    val_relative(report, "figure 4, one active joint: f/(4m)", 5, t.accel[0], 3 / (4 * SLIDE_MASS),
                 1e-12);
    val_trial_close(&t);
}

// What springs, damping, weight and rates ask of the joints.
static void held_force(val_trial *t, td_vec3 gravity, double *force) {
    double *zero = calloc((size_t)t->tree.dofs + 1, sizeof *zero);
    double *spring = calloc((size_t)t->tree.dofs + 1, sizeof *spring);
    if (zero && spring) {
        td_tree_inverse(t->tree.state, gravity, zero, force);
        td_tree_joint_torque(t->tree.state, spring);
        for (int32_t d = 0; d < t->tree.dofs; d++) {
            force[d] = spring[d] - force[d];
        }
    }
    free(zero);
    free(spring);
}

void val_hybrid(val_report *report) {
    val_random random = {2007};
    const td_step_opts opts = td_step_opts_default();
    double worst = 0;
    hybrid_pendulum(report);
    hybrid_slides(report);
    for (int32_t k = 0; k < TREES; k++) {
        val_trial t;
        val_trial_open(report, &random, k, &t);
        val_trial_region(&random, &t, 0.15);
        td_adapt_forward(t.adapt, &opts, NULL, t.accel);
        held_force(&t, opts.gravity, t.other);
        if (held_answer(&t, t.other, false, t.other)) {
            worst = val_worse(val_trial_apart(t.accel, t.other, t.tree.dofs), worst);
        }
        val_trial_close(&t);
    }
    val_at_most(report, "hybrid bodies against dense solutions with held joints", TREES, worst,
                1e-9);
}

// ---- rigidification -------------------------------------------------------------------------

#define STOPS 10000

typedef struct stops { // the worst of all
    double moving, raised, apart, momentum;
} stops;

// Of two velocities: root of the kinetic energy of the difference over that of the second.
static double energy_apart(val_trial *t, const double *a, const double *b) {
    const int32_t n = t->tree.dofs;
    double *m = calloc((size_t)n * (size_t)n + 1, sizeof *m), top = 0, bottom = 1e-300;
    if (!m) {
        return NAN;
    }
    td_tree_inertia(t->tree.state, m);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            top += (a[i] - b[i]) * m[i * n + j] * (a[j] - b[j]);
            bottom += b[i] * m[i * n + j] * b[j];
        }
    }
    free(m);
    return sqrt(fabs(top) / bottom);
}

static void stop_some(val_random *random, val_trial *t, bool floating, stops *worst) {
    const td_vec3 gravity = {0, 0, 0};
    const int32_t n = t->tree.dofs;
    td_vec3 p0, l0, p1, l1;
    double *v = td_tree_velocities(t->tree.state);
    const double before = td_body_energy(t->tree.state, gravity).kinetic;
    td_body_momentum(t->tree.state, &p0, &l0);
    memcpy(t->other, v, (size_t)n * sizeof *v);
    val_trial_region(random, t, 0.15);
    const double after = td_body_energy(t->tree.state, gravity).kinetic;
    td_body_momentum(t->tree.state, &p1, &l1);
    if (held_answer(t, t->other, true, t->accel)) {
        worst->apart = val_worse(energy_apart(t, v, t->accel), worst->apart);
    }
    for (int32_t d = 0; d < n; d++) {
        worst->moving = val_worse(t->accel[d] == 0 ? fabs(v[d]) : 0, worst->moving);
    }
    worst->raised = val_worse((after - before) / before, worst->raised);
    if (floating) {
        const double scale = sqrt(p0.x * p0.x + p0.y * p0.y + p0.z * p0.z) +
                             sqrt(l0.x * l0.x + l0.y * l0.y + l0.z * l0.z);
        const double off = fabs(p1.x - p0.x) + fabs(p1.y - p0.y) + fabs(p1.z - p0.z) +
                           fabs(l1.x - l0.x) + fabs(l1.y - l0.y) + fabs(l1.z - l0.z);
        worst->momentum = val_worse(off / scale, worst->momentum);
    }
}

void val_rigidification(val_report *report) {
    val_random random = {2008};
    stops worst = {0, -1, 0, 0};
    for (int32_t k = 0; k < STOPS; k++) {
        val_trial t;
        val_trial_open(report, &random, k, &t);
        if (t.tree.dofs > 0) {
            stop_some(&random, &t, k % 3 == 2, &worst);
        }
        val_trial_close(&t);
        val_progress(report, (double)k / STOPS);
    }
    val_at_most(report, "velocities of joints that stop", STOPS, worst.moving, 0);
    val_not_above(report, "kinetic energy after the impulses, relative change", STOPS, worst.raised,
                  1e-12);
    val_at_most(report, "other velocities against a dense solution, by kinetic energy", STOPS,
                worst.apart, 1e-9);
    val_at_most(report, "momentum of floating bodies, relative change", STOPS / 3, worst.momentum,
                1e-12);
}

// ---- energy ---------------------------------------------------------------------------------

#define ENERGY_LINKS 30
#define ENERGY_STEPS 100000 // with --long

// A pendulum that is let go with a bend in it, of whose joints `joints` are active. The largest
// gain of energy over that of its swing, and what the choices took away.
static void swing_energy(val_report *report, td_integrator rule, double dt, int32_t joints,
                         int32_t every, double *gain, double *lost) {
    td_adapt_opts opts = td_adapt_opts_default();
    td_step_opts step = td_step_opts_default();
    val_trial t;
    opts.joints = joints;
    opts.every = every;
    step.dt = dt;
    step.integrator = rule;
    val_pendulum_open(report, ENERGY_LINKS, 0.01, &opts, &t);
    case_must(td_body_settle(t.tree.state, &step, NULL, NULL));
    const double least = val_energy(&t.tree, step.gravity);
    for (int32_t i = 0; i < ENERGY_LINKS; i++) {
        td_tree_coords(t.tree.state)[i] = i == 0 ? 0.8 : 0.05 * sin(0.5 * i);
    }
    td_tree_state_changed(t.tree.state);
    td_adapt_changed(t.adapt);
    const double start = val_energy(&t.tree, step.gravity);
    const int32_t steps = val_tries(report, ENERGY_STEPS);
    td_status status = TD_OK;
    *gain = -1;
    for (int32_t k = 1; k <= steps && status == TD_OK; k++) {
        status = td_adapt_step(t.adapt, &step, &report->diag);
        if (k % 100 == 0) {
            td_adapt_place(t.adapt);
            const double now = val_energy(&t.tree, step.gravity);
            *gain = val_worse((now - start) / (start - least), *gain);
            val_progress(report, (double)k / steps);
        }
    }
    *lost = td_adapt_report(t.adapt).energy_lost / (start - least);
    val_trial_close(&t);
    val_must(report, "a step of a pendulum", joints, status);
}

void val_adaptive_energy(val_report *report) {
    double gain, lost;
    swing_energy(report, TD_RK4, 5e-4, 8, 7, &gain, &lost);
    val_not_above(report, "energy of a pendulum by rk4, largest gain over its swing", 8, gain,
                  1e-6);
    val_at_most(report, "energy that impulses took, over its swing", 8, lost, 1);
    swing_energy(report, TD_EULER, 1e-4, 8, 7, &gain, &lost);
    val_not_above(report, "energy of a pendulum by euler, largest gain over its swing", 8, gain,
                  1e-3); // the rule is of first order
    val_reduced_energy(report);
}
