// SPDX-License-Identifier: MIT
// Adaptive dynamics as published: assembly trees, metrics, hybrid bodies, rigidification.

#include "cases/validate/adapt.h"

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

void val_trial_close(val_trial *t) {
    td_adapt_free(t->adapt);
    val_body_free(&t->tree);
    free(t->accel);
    free(t->other);
    free(t->active);
    free(t->metric);
    *t = (val_trial){.adapt = NULL};
}

void val_trial_adapt(val_report *report, const td_adapt_opts *opts, val_trial *t) {
    const char *what = "an assembly tree";
    const size_t n = (size_t)t->tree.n + 1, nv = (size_t)t->tree.dofs + 1;
    t->accel = val_memory(report, what, nv, sizeof *t->accel);
    t->other = val_memory(report, what, nv, sizeof *t->other);
    t->active = val_memory(report, what, n, sizeof *t->active);
    t->metric = val_memory(report, what, n, sizeof *t->metric);
    val_must(report, what, 0, td_adapt_new(t->tree.state, opts, NULL, &t->adapt, &report->diag));
}

void val_trial_open(val_report *report, val_random *random, int32_t k, val_trial *t) {
    val_wild wild = rooted;
    td_adapt_opts opts = td_adapt_opts_default();
    *t = (val_trial){.adapt = NULL};
    wild.floating = k % 3 == 2;
    opts.shuffle = k % 2 == 0 ? 0 : (uint64_t)k;
    val_wild_build(report, random, &wild, &t->tree);
    val_wild_start(random, &t->tree, 1, 3);
    val_trial_adapt(report, &opts, t);
}

void val_pendulum_open(val_report *report, int32_t count, double radius, const td_adapt_opts *opts,
                       val_trial *t) {
    const double length = 0.1, mass = 0.1;
    td_material material = td_material_get(0);
    *t = (val_trial){.adapt = NULL};
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    for (int32_t i = 0; i < count; i++) {
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
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, &t->tree);
    val_trial_adapt(report, opts, t);
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

double val_trial_apart(const double *a, const double *b, int32_t n) {
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
static double step_apart(val_report *report, val_random *random, val_trial *t,
                         const td_base_motion *base) {
    td_load loads[3];
    td_step_opts opts = td_step_opts_default();
    for (int k = 0; k < 3; k++) {
        loads[k] = (td_load){.kind = (td_load_kind)k,
                             .segment = val_below(random, t->tree.n),
                             .point = val_in_ball(random, 0.1),
                             .vector = val_in_ball(random, 1),
                             .stiffness = 10,
                             .damping = 0.1,
                             .velocity = val_in_ball(random, 1)};
    }
    opts.loads = loads;
    opts.load_count = 3;
    opts.integrator = TD_EULER;
    opts.dt = 1e-4; // in longer ones some joints would make a turn
    opts.air.quadratic = val_uniform(random, -1, 1) > 0 ? 0.6 : 0;
    opts.stiffness = 0.7;
    opts.damping = 1.3;
    val_pose start;
    val_pose_keep(report, &t->tree, &start);
    td_adapt_opts all = td_adapt_opts_default();
    all.every = 0;
    bool fine = td_adapt_set_opts(t->adapt, &all, NULL) == TD_OK &&
                td_adapt_step(t->adapt, &opts, NULL) == TD_OK;
    const double *v = td_tree_velocities(t->tree.state);
    memcpy(t->accel, v, (size_t)t->tree.dofs * sizeof *v);
    val_pose_restore(&t->tree, &start);
    case_must(td_body_set_base(t->tree.state, base, NULL));
    fine = fine && td_body_step(t->tree.state, &opts, NULL, NULL) == TD_OK;
    const double far = val_trial_apart(t->accel, td_tree_velocities(t->tree.state), t->tree.dofs);
    val_pose_free(&start);
    return fine ? far : NAN;
}

// Nodes that a step of a pendulum of 300 links goes through, over what the paper says.
static void count_nodes(val_report *report, int32_t joints) {
    const td_load load = {.kind = TD_LOAD_FORCE, .segment = 222, .vector = {0.1, 0, 0}};
    td_adapt_opts opts = td_adapt_opts_default();
    td_step_opts step = td_step_opts_default();
    val_trial t;
    opts.joints = joints;
    opts.every = 7;
    step.dt = 1e-4;
    step.loads = &load;
    step.load_count = 1;
    int64_t off = 0;
    val_pendulum_open(report, 300, 0.005, &opts, &t);
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
    val_trial_close(&t);
}

void val_assembly(val_report *report) {
    val_random random = {2005};
    const td_step_opts opts = td_step_opts_default();
    double worst = 0, steps = 0;
    for (int32_t k = 0; k < TREES; k++) {
        val_trial t;
        val_trial_open(report, &random, k, &t);
        const td_base_motion base = random_base(&random);
        case_must(td_body_set_base(t.tree.state, &base, NULL));
        td_adapt_changed(t.adapt);
        td_adapt_forward(t.adapt, &opts, NULL, t.accel);
        td_tree_forward(t.tree.state, opts.gravity, NULL, t.other);
        worst = val_worse(val_trial_apart(t.accel, t.other, t.tree.dofs), worst);
        steps = val_worse(step_apart(report, &random, &t, &base), steps);
        val_trial_close(&t);
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

static void random_weights(val_random *random, val_trial *t) {
    for (int32_t i = 0; i < t->tree.n; i++) {
        t->metric[i] = val_log_uniform(random, 0.1, 10);
    }
    case_must(td_adapt_set_weights(t->adapt, t->metric, NULL));
}

void val_trial_region(val_random *random, val_trial *t, double share) {
    for (int32_t i = 0; i < t->tree.n; i++) {
        t->active[i] = val_uniform(random, 0, 1) < share;
    }
    td_adapt_activate(t->adapt, t->active);
}

// Joints by body, and weighed squares of their accelerations in `other`; `metric` has the weights.
static void weigh_squares(val_trial *t, const double *weight, double *square) {
    const td_segment *segments = td_skeleton_segments(t->tree.skeleton);
    static const int dofs[] = {
        [TD_JOINT_BALL] = 3, [TD_JOINT_HINGE] = 1, [TD_JOINT_SLIDE] = 1, [TD_JOINT_FREE] = 6};
    const double *a = t->other;
    for (int32_t i = 0; i < t->tree.n; i++) {
        const int n = segments[i].joint == TD_JOINT_FIXED ? 0 : dofs[segments[i].joint];
        square[i] = 0;
        for (int k = 0; k < n && segments[i].joint != TD_JOINT_FREE; k++) {
            square[i] += weight[i] * weight[i] * a[k] * a[k];
        }
        a += n;
    }
}

// Sums of squares over the joints of every node against the metrics, over that of the root.
static double metric_error(val_trial *t, const double *square, const double *metric) {
    double worst = 0;
    for (int32_t i = 0; i < t->tree.n; i++) {
        double sum = 0, all = 0;
        for (int32_t j = 0; j < t->tree.n; j++) {
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

static void metric_trial(val_report *report, val_random *random, int32_t k, double worst[2]) {
    const td_step_opts opts = td_step_opts_default();
    val_trial t;
    val_trial_open(report, random, k, &t);
    const size_t n = (size_t)t.tree.n + 1;
    double *square = val_memory(report, "metrics", n, sizeof *square);
    double *found = val_memory(report, "metrics", n, sizeof *found);
    random_weights(random, &t);
    td_tree_forward(t.tree.state, opts.gravity, NULL, t.other);
    weigh_squares(&t, t.metric, square);
    td_adapt_metrics(t.adapt, &opts, found);
    worst[0] = val_worse(metric_error(&t, square, found), worst[0]);
    // rigid nodes by their tensors, then all from the bodies up
    val_trial_region(random, &t, 0.2);
    td_adapt_metrics(t.adapt, &opts, found);
    td_adapt_changed(t.adapt);
    td_adapt_metrics(t.adapt, &opts, square);
    double scale = 1; // of the whole
    for (int32_t i = 0; i < t.tree.n; i++) {
        scale = fmax(scale, square[i]);
    }
    for (int32_t i = 0; i < t.tree.n; i++) {
        worst[1] = val_worse(fabs(found[i] - square[i]) / scale, worst[1]);
    }
    free(square);
    free(found);
    val_trial_close(&t);
}

void val_metric(val_report *report) {
    val_random random = {2006};
    double worst[2] = {0, 0};
    for (int32_t k = 0; k < TREES; k++) {
        metric_trial(report, &random, k, worst);
        val_progress(report, (double)k / TREES);
    }
    val_at_most(report, "theorems 1 and 2 against sums of squared accelerations", TREES, worst[0],
                1e-9);
    val_at_most(report, "theorems 3 and 4 against recomputation", TREES, worst[1], 1e-9);
}
