// SPDX-License-Identifier: MIT
// Limits of joints: random trees shaken by random forces never pass them, and no limit does work.

#include "cases/validate/validate.h"

#include <math.h>

#define TREES     10
#define STEPS     10000 // of each tree, with --long
#define BODIES    4
#define SHAKE     15 // steps from one gravity to the next
#define PER_JOINT 2  // a ball joint: cone and twist; a hinge: its range

typedef struct shaken {
    val_body tree;
    td_island *island;
    td_constraint limit[PER_JOINT * BODIES];
    int32_t limits;
    td_joint_kind joint[BODIES];
    double before[PER_JOINT * BODIES]; // angle of each limit
    double passed, work, at_limit;
} shaken;

static void build(val_report *report, val_random *random, shaken *s) {
    td_material material = td_material_get(0);
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    s->tree = (val_body){.skeleton = NULL};
    for (int32_t i = 0; i < BODIES; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1 - (i > 1 ? val_below(random, 2) : 0);
        s->joint[i] = val_below(random, 3) == 0 ? TD_JOINT_HINGE : TD_JOINT_BALL;
        def.joint = s->joint[i];
        def.length = val_uniform(random, 0.1, 0.4);
        def.radius_base = def.radius_tip = val_uniform(random, 0.005, 0.03);
        def.has_stiffness = def.has_damping = true;
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, &s->tree);
}

static void add_limits(val_random *random, shaken *s) {
    for (int32_t i = 0; i < BODIES; i++) {
        td_constraint c = td_constraint_default(TD_CONSTRAINT_LIMIT);
        c.segment[0] = i;
        if (s->joint[i] == TD_JOINT_BALL) {
            c.cone = val_uniform(random, 0.1, 1.5);
            s->limit[s->limits++] = c;
            c.cone = INFINITY;
        }
        c.low = -val_uniform(random, 0.1, 1.5);
        c.high = val_uniform(random, 0.1, 1.5);
        s->limit[s->limits++] = c;
    }
}

// The angle that a limit is about, of the joint's rotation q from rest.
static double angle_of(shaken *s, const td_constraint *c) {
    const td_real *q = td_tree_coords(s->tree.state);
    int32_t at = 0;
    for (int32_t i = 0; i < c->segment[0]; i++) {
        at += s->joint[i] == TD_JOINT_BALL ? 4 : 1;
    }
    q += at;
    if (s->joint[c->segment[0]] != TD_JOINT_BALL) {
        return q[0];
    }
    const double sign = q[0] < 0 ? -1 : 1;
    return isfinite(c->cone) ? 2 * atan2(hypot(q[1], q[3]), hypot(q[0], q[2]))
                             : 2 * atan2(sign * q[2], sign * q[0]);
}

// A limit pushes at the end of a step: from which side, +1 at the upper end, 0: it does not.
static double side_of(const td_constraint *c, double angle) {
    const double high = isfinite(c->cone) ? c->cone : c->high;
    return fabs(angle - high) < fabs(angle - c->low) ? 1 : -1;
}

// How far a limit is passed, and its work over its moment: the way that it pushes the joint. Of a
// step in pieces the moment is the mean, and a joint may have left a limit that pushed in one of
// them.
static void look(shaken *s, bool whole) {
    for (int32_t k = 0; k < s->limits; k++) {
        const td_constraint *c = &s->limit[k];
        const double angle = angle_of(s, c), high = isfinite(c->cone) ? c->cone : c->high;
        const td_vec3 m = td_island_constraint(s->island, k).moment;
        s->passed = val_worse(s->passed, fmax(angle - high, c->low - angle));
        if (whole && (m.x != 0 || m.y != 0 || m.z != 0)) {
            s->work = val_worse(s->work, side_of(c, angle) * (s->before[k] - angle));
            s->at_limit++;
        }
        s->before[k] = angle;
    }
}

static void shake(val_report *report, val_random *random, shaken *s) {
    td_step_opts opts = td_step_opts_default();
    for (int32_t k = 0; k < val_tries(report, STEPS); k++) {
        td_step_stats stats = {0};
        if (k % SHAKE == 0) {
            opts.gravity = val_in_ball(random, 30);
        }
        val_must(report, "steps", k,
                 td_island_step(s->island, &opts, NULL, 0, &stats, &report->diag));
        look(s, stats.halved == 0);
    }
}

static void try_tree(val_report *report, val_random *random, shaken *s) {
    build(report, random, s);
    add_limits(random, s);
    for (int32_t k = 0; k < s->limits; k++) {
        s->before[k] = angle_of(s, &s->limit[k]);
    }
    td_body *ref = s->tree.state;
    val_must(report, "limits", 0, td_island_new(&ref, 1, NULL, 0, NULL, &s->island, &report->diag));
    val_must(report, "limits", 0,
             td_island_constrain(s->island, s->limit, s->limits, &report->diag));
    shake(report, random, s);
}

void val_limits(val_report *report) {
    val_random random = {14};
    double passed = 0, work = 0, at_limit = 0;
    const int32_t steps = TREES * val_tries(report, STEPS);
    for (int32_t k = 0; k < TREES; k++) {
        shaken s = {.limits = 0};
        try_tree(report, &random, &s);
        passed = val_worse(passed, s.passed);
        work = val_worse(work, s.work);
        at_limit += s.at_limit;
        td_island_free(s.island);
        val_body_free(&s.tree);
        val_progress(report, (k + 1.0) / TREES);
    }
    val_at_most(report, "a limit is passed, rad, at most", steps, passed, 1e-8);
    val_at_most(report, "way that a limit pushes a joint, rad", steps, work, 1e-8);
    val_at_most(report, "steps for each limit that pushes", steps, steps / at_limit, 1);
}
