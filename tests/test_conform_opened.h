// SPDX-License-Identifier: MIT
#pragma once

// A solver within a step, for claims on what it owes Newton's method.

#include "test_conform_support.h"

enum { MOST_POINTS = 128 };

// A subject within a step, at its first guess, with everything moving and under load.
typedef struct opened {
    subject s;
    const tdi_implicit *ops;
    void *body;
    td_load load;
    td_step_opts opts;
    int32_t points, capsules;
    tdi_capsule capsule[MOST_POINTS];
} opened;

// The structs that a step borrows stay where they are. Takes the subject.
static inline void open_subject(const subject *s, td_real dt, opened *o) {
    o->s = *s;
    o->ops = s->solver->implicit;
    o->body = body_of(&o->s);
    o->opts = exact_opts(dt, TD_IMPLICIT);
    o->load = pull_on(&o->s, tdi_vec3(0.2, 0.1, -0.15));
    o->opts.loads = &o->load;
    o->opts.load_count = 1;
    o->opts.air = (td_air){{3, 0, 1}, 0.2, 0.6};
    step_times(&o->s, &o->opts, 6);
    o->load.vector = tdi_vec3(-0.6, 0.4, 0.5);
    const tdi_rule rule = {.dt = dt, .h = 2 * dt / 3, .two = true, .part = 1, .in_contact = true};
    tdi_state_begin(o->body, &o->opts, &rule);
    tdi_state_guess(o->body, true);
    o->points = o->s.state->point_count;
    o->capsules = o->s.state->capsule_count;
    CHECK(o->points > 0 && o->points <= MOST_POINTS && o->capsules > 0);
    o->ops->contact->capsules(o->body, o->capsule);
}

static inline void open_step(const tdi_solver *solver, td_real dt, opened *o) {
    const subject s = subject_new(solver, HELD, NULL);
    open_subject(&s, dt, o);
}

static inline void close_step(opened *o) {
    tdi_state_undo(o->body);
    subject_free(&o->s);
}

static inline void clear(const opened *o) {
    if (o->ops->clear) {
        o->ops->clear(o->body);
    }
}

// Factors, exactly where that is positive definite: which.
static inline bool factor(const opened *o) {
    tdi_model model = {.keep_factors = true};
    if (o->ops->factor(o->body, &model) == TDI_POSITIVE) {
        return true;
    }
    model.positive = true;
    model.shift = o->s.state->newton.first_shift;
    CHECK_SAY(o->ops->factor(o->body, &model) == TDI_POSITIVE, "%s: no model is positive definite",
              o->s.name);
    return false;
}

// Increments at the pose, which is kept. What they promise.
static inline td_real solve(const opened *o, td_real *most) {
    td_real predicted_decrease = 0;
    *most = o->ops->solve(o->body, (tdi_solving){0}, &predicted_decrease);
    CHECK_SAY(predicted_decrease > 0 && *most > 0, "%s: no increments", o->s.name);
    CHECK_SAY(!o->ops->largest || fabs(o->ops->largest(o->body) - *most) <= 1e-12 * *most,
              "%s: the largest increment is not what solve said", o->s.name);
    return predicted_decrease;
}

static inline td_vec3 unit(int k) {
    return tdi_vec3(k == 0, k == 1, k == 2);
}

static inline td_real part(td_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}
