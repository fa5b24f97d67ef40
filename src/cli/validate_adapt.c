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
                                .soft = 1e-3,
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

void val_assembly(val_report *report) {
    val_random random = {2005};
    const td_step_opts opts = td_step_opts_default();
    double worst = 0;
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
        trial_close(&t);
        val_progress(report, (double)k / TREES);
    }
    val_at_most(report, "accelerations against the articulated-body algorithm, relative", TREES,
                worst, 1e-9);
}
