// SPDX-License-Identifier: MIT
// Adaptive dynamics as published: assembly trees, metrics, hybrid bodies, rigidification.

#include "cli/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TREES 1000

static const val_wild rooted = {.least = 1,
                                .most = 40,
                                .all_joints = true,
                                .thin = 0.01,
                                .thick = 0.03,
                                .soft = 0.1, // softer ones have slides of 1e6 N/m
                                .stiff = 10,
                                .damping = 0.02};

// ---- what the cases share -------------------------------------------------------------------

typedef struct trial {
    val_tree tree;
    td_adapt *adapt;
    double *accel, *other; // a degree of freedom
    bool *active;          // a joint
    double *metric;
} trial;

static void trial_close(trial *t) {
    td_adapt_free(t->adapt);
    val_tree_free(&t->tree);
    free(t->accel);
    free(t->other);
    free(t->active);
    free(t->metric);
    *t = (trial){.adapt = NULL};
}

static bool trial_adapt(val_report *report, const td_adapt_opts *opts, trial *t) {
    td_diag diag = {.message = ""};
    const size_t n = (size_t)t->tree.bodies + 1, nv = (size_t)t->tree.dofs + 1;
    t->accel = calloc(nv, sizeof *t->accel);
    t->other = calloc(nv, sizeof *t->other);
    t->active = calloc(n, sizeof *t->active);
    t->metric = calloc(n, sizeof *t->metric);
    td_status status = td_adapt_new(t->tree.state, opts, NULL, &t->adapt, &diag);
    if (status != TD_OK || !t->accel || !t->other || !t->active || !t->metric) {
        val_fault(report, "an assembly tree", 0, status, &diag);
        trial_close(t);
        return false;
    }
    return true;
}

// A random tree in a random state, rooted or floating, on a balanced or a random assembly.
static bool trial_open(val_report *report, val_random *random, int32_t k, trial *t) {
    val_wild wild = rooted;
    td_adapt_opts opts = td_adapt_opts_default();
    *t = (trial){.adapt = NULL};
    wild.floating = k % 3 == 2;
    opts.shuffle = k % 2 == 0 ? 0 : (uint64_t)k;
    if (!val_wild_build(report, random, &wild, &t->tree)) {
        return false;
    }
    val_wild_start(random, &t->tree, 1, 3);
    return trial_adapt(report, &opts, t);
}

// Uniform links of 0.1 m and 0.1 kg in a plane without springs, hanging when all angles are 0.
static bool pendulum_open(val_report *report, int32_t count, double radius,
                          const td_adapt_opts *opts, trial *t) {
    const double length = 0.1, mass = 0.1;
    td_material material = td_material_get(0);
    *t = (trial){.adapt = NULL};
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    for (int32_t i = 0; builder && i < count; i++) {
        td_segment_def def = td_segment_def_default();
        const double thin = mass * radius * radius / 4;
        def.parent = i - 1;
        def.joint = TD_JOINT_HINGE;
        def.axis = (td_vec3){0, 0, 1};
        def.length = length;
        def.radius_base = def.radius_tip = radius;
        def.mass = mass;
        def.centre_of_mass = (td_vec3){0, length / 2, 0};
        def.second_moment = (td_sym3){thin, mass * length * length / 3, thin, 0, 0, 0};
        def.has_stiffness = def.has_damping = true;
        def.attach_at_tip = i > 0;
        def.rest = i > 0 ? def.rest : val_hanging;
        if (!val_add(report, builder, &def)) {
            return false;
        }
    }
    return builder && val_tree_finish(report, builder, &t->tree) && trial_adapt(report, opts, t);
}

static td_base_motion random_base(val_random *random) {
    return (td_base_motion){.position = val_in_ball(random, 1),
                            .rotation = val_turn(val_in_ball(random, 1)),
                            .velocity = val_in_ball(random, 1),
                            .spin = val_in_ball(random, 1),
                            .acceleration = val_in_ball(random, 1),
                            .spin_rate = val_in_ball(random, 1)};
}

// ---- assembly -------------------------------------------------------------------------------

static double apart(const double *a, const double *b, int32_t n) {
    double far = 0, scale = 1;
    for (int32_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs(b[i]));
    }
    for (int32_t i = 0; i < n; i++) {
        far = val_worse(fabs(a[i] - b[i]) / scale, far);
    }
    return far;
}

// A step with loads and drag, all joints active, against the explicit integrator. The difference of
// coordinates over the step's length, as accelerations are.
static double step_apart(val_random *random, trial *t, const td_base_motion *base) {
    td_load loads[3];
    td_step_opts opts = td_step_opts_default();
    for (int k = 0; k < 3; k++) {
        loads[k] = (td_load){.kind = (td_load_kind)k,
                             .segment = val_below(random, t->tree.bodies),
                             .point = val_in_ball(random, 0.1),
                             .vector = val_in_ball(random, 1),
                             .stiffness = 10,
                             .damping = 0.1,
                             .velocity = val_in_ball(random, 1)};
    }
    opts.loads = loads;
    opts.load_count = 3;
    opts.integrator = TD_EULER;
    opts.dt = 1e-3;
    opts.air.quadratic = val_uniform(random, -1, 1) > 0 ? 0.6 : 0;
    opts.stiffness = 0.7;
    opts.damping = 1.3;
    val_pose start;
    if (!val_pose_keep(&t->tree, &start)) {
        return NAN;
    }
    td_adapt_opts all = td_adapt_opts_default();
    all.every = 0;
    bool fine = td_adapt_set_opts(t->adapt, &all, NULL) == TD_OK &&
                td_adapt_step(t->adapt, &opts, NULL) == TD_OK;
    const double *v = td_tree_velocities(t->tree.state);
    memcpy(t->accel, v, (size_t)t->tree.dofs * sizeof *v);
    val_pose_restore(&t->tree, &start);
    td_tree_set_base(t->tree.state, base);
    fine = fine && td_tree_step(t->tree.state, &opts, NULL, NULL) == TD_OK;
    const double far = apart(t->accel, td_tree_velocities(t->tree.state), t->tree.dofs);
    val_pose_free(&start);
    return fine ? far : NAN;
}

// Nodes that a step of a pendulum of 300 links goes through, over what the paper says.
static void count_nodes(val_report *report, int32_t joints) {
    const td_load load = {.kind = TD_LOAD_FORCE, .segment = 222, .vector = {0.1, 0, 0}};
    td_adapt_opts opts = td_adapt_opts_default();
    td_step_opts step = td_step_opts_default();
    trial t;
    opts.joints = joints;
    opts.every = 7;
    step.dt = 1e-4;
    step.loads = &load;
    step.load_count = 1;
    int64_t off = 0;
    if (!pendulum_open(report, 300, 0.005, &opts, &t)) {
        return;
    }
    for (int i = 0; i < 300; i++) {
        td_tree_coords(t.tree.state)[i] = 0.3;
    }
    td_tree_state_changed(t.tree.state);
    td_adapt_changed(t.adapt);
    for (int k = 0; k < 100; k++) {
        const bool fine = td_adapt_step(t.adapt, &step, NULL) == TD_OK;
        const td_adapt_stats s = td_adapt_report(t.adapt);
        const bool choice = k % opts.every == 0;
        off += !fine || s.active != joints || s.depth > 10;
        off += s.nodes_force > s.depth;
        off += !choice && (s.nodes_main != joints || s.nodes_back != joints);
        // the conversion, then the nodes that accelerations lead to, of which the last have
        // children
        off += choice && k > 0 && s.nodes_update > s.transient + s.depth + joints;
    }
    val_absolute(report, "steps of 300 links that go through more nodes than published", joints,
                 (double)off, 0, 0);
    trial_close(&t);
}

void val_assembly(val_report *report) {
    val_random random = {2005};
    const td_step_opts opts = td_step_opts_default();
    double worst = 0, steps = 0;
    for (int32_t k = 0; k < TREES; k++) {
        trial t;
        if (!trial_open(report, &random, k, &t)) {
            return;
        }
        const td_base_motion base = random_base(&random);
        td_tree_set_base(t.tree.state, &base);
        td_adapt_changed(t.adapt);
        td_adapt_forward(t.adapt, &opts, NULL, t.accel);
        td_tree_forward(t.tree.state, opts.gravity, NULL, t.other);
        worst = val_worse(apart(t.accel, t.other, t.tree.dofs), worst);
        steps = val_worse(step_apart(&random, &t, &base), steps);
        trial_close(&t);
        val_progress(report, (double)k / TREES);
    }
    val_at_most(report, "accelerations against the articulated-body algorithm, relative", TREES,
                worst, 1e-9);
    val_at_most(report, "steps with loads and drag against the explicit integrator, relative",
                TREES, steps, 1e-9);
    count_nodes(report, 1);
    count_nodes(report, 30);
    count_nodes(report, 300);
}

// ---- metric ---------------------------------------------------------------------------------

static void random_weights(val_random *random, trial *t) {
    for (int32_t i = 0; i < t->tree.bodies; i++) {
        t->metric[i] = val_log_uniform(random, 0.1, 10);
    }
    td_adapt_set_weights(t->adapt, t->metric, NULL);
}

static void random_region(val_random *random, trial *t, double share) {
    for (int32_t i = 0; i < t->tree.bodies; i++) {
        t->active[i] = val_uniform(random, 0, 1) < share;
    }
    td_adapt_activate(t->adapt, t->active);
}

// Joints by body, and weighed squares of their accelerations in `other`; `metric` has the weights.
static void weigh_squares(trial *t, const double *weight, double *square) {
    const td_segment *segments = td_skeleton_segments(t->tree.skeleton);
    static const int dofs[] = {
        [TD_JOINT_BALL] = 3, [TD_JOINT_HINGE] = 1, [TD_JOINT_SLIDE] = 1, [TD_JOINT_FREE] = 6};
    const double *a = t->other;
    for (int32_t i = 0; i < t->tree.bodies; i++) {
        const int n = segments[i].joint == TD_JOINT_FIXED ? 0 : dofs[segments[i].joint];
        square[i] = 0;
        for (int k = 0; k < n && segments[i].joint != TD_JOINT_FREE; k++) {
            square[i] += weight[i] * weight[i] * a[k] * a[k];
        }
        a += n;
    }
}

// Sums of squares over the joints of every node against the metrics, over that of the root.
static double metric_error(trial *t, const double *square, const double *metric) {
    double worst = 0;
    for (int32_t i = 0; i < t->tree.bodies; i++) {
        double sum = 0, all = 0;
        for (int32_t j = 0; j < t->tree.bodies; j++) {
            int32_t up = j;
            while (up != i && up != TD_NONE) {
                up = td_adapt_node(t->adapt, up).parent;
            }
            sum += up == i ? square[j] : 0;
            all += square[j];
        }
        worst = val_worse(fabs(sum - metric[i]) / fmax(all, 1), worst);
    }
    return worst;
}

static bool metric_trial(val_report *report, val_random *random, int32_t k, double worst[2]) {
    const td_step_opts opts = td_step_opts_default();
    trial t;
    if (!trial_open(report, random, k, &t)) {
        return false;
    }
    const size_t n = (size_t)t.tree.bodies + 1;
    double *square = calloc(n, sizeof *square), *found = calloc(n, sizeof *found);
    const bool fine = square && found;
    if (fine) {
        random_weights(random, &t);
        td_tree_forward(t.tree.state, opts.gravity, NULL, t.other);
        weigh_squares(&t, t.metric, square);
        td_adapt_metrics(t.adapt, &opts, found);
        worst[0] = val_worse(metric_error(&t, square, found), worst[0]);
        // rigid nodes by their tensors, then all from the bodies up
        random_region(random, &t, 0.2);
        td_adapt_metrics(t.adapt, &opts, found);
        td_adapt_changed(t.adapt);
        td_adapt_metrics(t.adapt, &opts, square);
        double scale = 1; // of the whole
        for (int32_t i = 0; i < t.tree.bodies; i++) {
            scale = fmax(scale, square[i]);
        }
        for (int32_t i = 0; i < t.tree.bodies; i++) {
            worst[1] = val_worse(fabs(found[i] - square[i]) / scale, worst[1]);
        }
    }
    free(square);
    free(found);
    trial_close(&t);
    return fine;
}

void val_metric(val_report *report) {
    val_random random = {2006};
    double worst[2] = {0, 0};
    for (int32_t k = 0; k < TREES; k++) {
        if (!metric_trial(report, &random, k, worst)) {
            return;
        }
        val_progress(report, (double)k / TREES);
    }
    val_at_most(report, "theorems 1 and 2 against sums of squared accelerations", TREES, worst[0],
                1e-9);
    val_at_most(report, "theorems 3 and 4 against recomputation", TREES, worst[1], 1e-9);
}

// ---- hybrid ---------------------------------------------------------------------------------

// First degree of freedom of each joint, and whether it is active, into `list`; returns how many.
static int32_t active_dofs(const trial *t, int32_t *list) {
    const td_segment *segments = td_skeleton_segments(t->tree.skeleton);
    int32_t d = 0, count = 0;
    for (int32_t i = 0; i < t->tree.bodies; i++) {
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
static bool held_answer(trial *t, const double *in, bool momentum, double *out) {
    const int32_t n = t->tree.dofs;
    double *m = calloc((size_t)n * (size_t)n + 1, sizeof *m);
    double *part = calloc((size_t)n * (size_t)n + 1, sizeof *part);
    double *x = calloc((size_t)n + 1, sizeof *x);
    int32_t *list = calloc((size_t)n + 1, sizeof *list);
    const bool fine = m && part && x && list;
    if (fine) {
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
    trial t;
    if (!pendulum_open(report, 10, 1e-7, &opts, &t)) {
        return;
    }
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
    trial_close(&t);
}

#define SLIDE_MASS 0.5 // kg

static bool slides_open(val_report *report, uint64_t shuffle, trial *t) {
    td_material material = td_material_get(0);
    td_adapt_opts opts = td_adapt_opts_default();
    opts.shuffle = shuffle;
    *t = (trial){.adapt = NULL};
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    for (int32_t i = 0; builder && i < 5; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.joint = i == 0 ? TD_JOINT_FIXED : TD_JOINT_SLIDE;
        def.axis = (td_vec3){1, 0, 0};
        def.length = def.radius_base = def.radius_tip = 0.1;
        def.mass = SLIDE_MASS;
        def.second_moment = (td_sym3){1e-3, 1e-3, 1e-3, 0, 0, 0};
        def.has_stiffness = def.has_damping = true;
        if (!val_add(report, builder, &def)) {
            return false;
        }
    }
    return builder && val_tree_finish(report, builder, &t->tree) && trial_adapt(report, &opts, t);
}

// Figure 4: a force on the second of five links that slide along each other. With the first joint
// active alone, which some assembly tree has next to its root, it moves four links.
static void hybrid_slides(val_report *report) {
    const td_load load = {.kind = TD_LOAD_FORCE, .segment = 1, .vector = {3, 0, 0}};
    td_step_opts step = td_step_opts_default();
    trial t = {.adapt = NULL};
    step.loads = &load;
    step.load_count = 1;
    for (uint64_t k = 1; k < 100 && (!t.adapt || td_adapt_node(t.adapt, 1).depth != 1); k++) {
        trial_close(&t);
        if (!slides_open(report, k, &t)) {
            return;
        }
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
    trial_close(&t);
}

// What springs, damping, weight and rates ask of the joints.
static void held_force(trial *t, td_vec3 gravity, double *force) {
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
        trial t;
        if (!trial_open(report, &random, k, &t)) {
            return;
        }
        random_region(&random, &t, 0.15);
        td_adapt_forward(t.adapt, &opts, NULL, t.accel);
        held_force(&t, opts.gravity, t.other);
        if (held_answer(&t, t.other, false, t.other)) {
            worst = val_worse(apart(t.accel, t.other, t.tree.dofs), worst);
        }
        trial_close(&t);
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
static double energy_apart(trial *t, const double *a, const double *b) {
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

static void stop_some(val_random *random, trial *t, bool floating, stops *worst) {
    const td_vec3 gravity = {0, 0, 0};
    const int32_t n = t->tree.dofs;
    td_vec3 p0, l0, p1, l1;
    double *v = td_tree_velocities(t->tree.state);
    const double before = td_tree_energy(t->tree.state, gravity).kinetic;
    td_tree_momentum(t->tree.state, &p0, &l0);
    memcpy(t->other, v, (size_t)n * sizeof *v);
    random_region(random, t, 0.15);
    const double after = td_tree_energy(t->tree.state, gravity).kinetic;
    td_tree_momentum(t->tree.state, &p1, &l1);
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
        trial t;
        if (!trial_open(report, &random, k, &t)) {
            return;
        }
        if (t.tree.dofs > 0) {
            stop_some(&random, &t, k % 3 == 2, &worst);
        }
        trial_close(&t);
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
