// SPDX-License-Identifier: MIT
#pragma once

// What the claims on all solvers share: the toy beside those of the library, and something to move
// for each of them.

#include "math/quat.h"
#include "math/vec3.h"
#include "td_test.h"
#include "test_conform_reduced.h"
#include "test_conform_toy.h"
#include "body/solvers.h"

#include <stdlib.h>

static const td_vec3 no_gravity = {0, 0, 0}, down = {0, -9.81, 0};

// Runs a claim for every solver of the table, and behind them for trees that leave out joints and
// for the toy.
static inline void for_all_solvers(void (*claim)(const tdi_solver *solver)) {
    CHECK(tdi_solver_add(test_reduced(), &tdi_explicit_reduced));
    CHECK(tdi_solver_add(test_grouped(), &tdi_explicit_reduced));
    CHECK(tdi_solver_add(&test_toy, NULL));
    for (int32_t k = 0; k < td_solver_count(); k++) {
        claim(tdi_solver_find(td_solver_get(k).name));
    }
    tdi_solver_remove(&test_toy);
    tdi_solver_remove(test_grouped());
    tdi_solver_remove(test_reduced());
}

// A test that makes its claim of each: the body of the test is the claim.
#define TEST_EACH(name, for_each, ...)    \
    static void each_##name(__VA_ARGS__); \
    TD_TEST(name) {                       \
        for_each(each_##name);            \
    }                                     \
    static void each_##name(__VA_ARGS__)

#define SOLVER_TEST(name) TEST_EACH(name, for_all_solvers, const tdi_solver *solver)

// ---- subjects -------------------------------------------------------------------------------

// A state of a solver, made of the richest skeleton that the solver takes.
typedef struct subject {
    const tdi_solver *solver;
    const char *name; // of the solver, for messages
    td_skeleton *skeleton;
    td_body_model *model;
    td_body *state;
    int32_t count; // segments
    const td_segment *segments;
} subject;

// FLOATING: a slim body without a base; LADEN: a clamped strand with a welded box
typedef enum subject_kind { HELD, FLOATING, LADEN } subject_kind;

// Soft wood: a stem of 1 cm radius droops by a good part of its length. Slim ones of 2 mm are
// stiffer stuff, so that they bend about as fast.
static inline int32_t soft_wood(td_builder *b, bool slim) {
    td_material m = td_material_get(0);
    int32_t index = TD_NONE;
    m.young = slim ? 1.25e8 : 5e6;
    m.shear = 0.4 * m.young;
    m.density = 800;
    m.damping_time = 0.02;
    CHECK_INT(td_builder_add_material(b, &m, &index, NULL), TD_OK);
    return index;
}

static inline void add_strand_with_box(td_builder *b, int32_t count) {
    const td_strand strand = {.count = count, .start = TD_END_CLAMPED, .end = TD_END_FREE};
    td_shape shape = td_shape_default();
    td_segment_def d = td_segment_def_default();
    shape.kind = TD_SHAPE_BOX;
    shape.depth = 0.2;
    CHECK_INT(td_builder_add_shape(b, &shape, &d.shape, NULL), TD_OK);
    d.parent = count - 1;
    d.organ = TD_ORGAN_FRUIT;
    d.joint = TD_JOINT_FIXED;
    d.length = 0.05;
    CHECK_INT(td_builder_add(b, &d, NULL, NULL), TD_OK);
    CHECK_INT(td_builder_add_strand(b, &strand, NULL), TD_OK);
}

// A leaning stem of 10 cm segments; the further ones fork from it.
static inline td_skeleton *stem_of(int32_t count, subject_kind kind, td_joint_kind root,
                                   const td_alloc *alloc) {
    const bool slim = kind == FLOATING;
    static const int32_t parents[] = {TD_NONE, 0, 1, 1, 3, 0};
    td_skeleton_opts opts = td_skeleton_opts_default();
    td_builder *b = NULL;
    CHECK_INT(td_builder_new(&opts, alloc, &b, NULL), TD_OK);
    const int32_t wood = soft_wood(b, slim);
    for (int32_t i = 0; i < count; i++) {
        td_segment_def d = td_segment_def_default();
        d.parent = kind == LADEN ? i - 1 : parents[i];
        d.joint = i == 0 ? root : TD_JOINT_BALL;
        d.material = wood;
        d.radius_base = d.radius_tip = (slim ? 0.2 : 1) * (0.01 - 0.0005 * i);
        d.rest = tdi_quat_turn(tdi_unit_or(tdi_vec3(0.3 * i - 0.5, 0.2, 1), tdi_vec3(1, 0, 0)),
                               i == 0 ? -1.0 : 0.6 - 0.3 * i);
        CHECK_INT(td_builder_add(b, &d, NULL, NULL), TD_OK);
    }
    if (kind == LADEN) {
        add_strand_with_box(b, count);
    }
    td_skeleton *skeleton = test_finish(b);
    td_builder_free(b);
    return skeleton;
}

static inline void subject_free(subject *s) {
    tdi_state_free(s->state);
    tdi_model_free(s->model);
    td_skeleton_free(s->skeleton);
}
OWNED_VALUE(subject, subject_free(value))

// Of so many segments; without a state where the solver does not take them.
static inline subject subject_of(const tdi_solver *solver, subject_kind kind, int32_t count,
                                 const td_alloc *alloc, td_diag *diag) {
    const bool floats = kind == FLOATING;
    const td_body_opts with = {.law = TD_LAW_DEFAULT};
    subject s = {.solver = solver, .name = solver->info.name, .count = count};
    s.skeleton = stem_of(count, kind, floats ? TD_JOINT_FREE : TD_JOINT_BALL, alloc);
    s.segments = td_skeleton_segments(s.skeleton);
    if (solver->model_new(s.skeleton, &with, alloc, &s.model, diag) == TD_OK) {
        CHECK(solver->state_new(s.model, alloc, &s.state, diag) == TD_OK);
    }
    return s;
}

static inline td_status step_once(const subject *s, const td_step_opts *opts, td_diag *diag) {
    return tdi_solver_step(s->solver, s->state, opts, NULL, diag);
}

// The largest that the solver takes, by this integrator.
static inline subject subject_for(const tdi_solver *solver, subject_kind kind,
                                  td_integrator integrator, const td_alloc *alloc) {
    static const int32_t counts[] = {6, 3, 1};
    td_step_opts opts = td_step_opts_default();
    td_diag diag = {.message = ""};
    opts.dt = 1e-5;
    opts.integrator = integrator;
    for (int k = 0; k < 3; k++) {
        subject trial = subject_of(solver, kind, counts[k], alloc, &diag);
        const bool fits = trial.state && step_once(&trial, &opts, &diag) == TD_OK;
        subject_free(&trial);
        if (fits) {
            return subject_of(solver, kind, counts[k], alloc, &diag);
        }
    }
    test_failed(__FILE__, __LINE__, "%s: %s", solver->info.name, diag.message);
    abort();
}

static inline subject subject_new(const tdi_solver *solver, subject_kind kind,
                                  const td_alloc *alloc) {
    return subject_for(solver, kind, TD_IMPLICIT, alloc);
}

static inline void *body_of(const subject *s) {
    return s->state;
}

static inline td_vec3 last_tip(const subject *s) {
    return tdi_solver_tip(s->solver, s->state, s->count - 1);
}

static inline td_real distance(td_vec3 a, td_vec3 b) {
    return tdi_norm(tdi_sub(a, b));
}

// ---- steps ----------------------------------------------------------------------------------

static inline td_step_opts exact_opts(td_real dt, td_integrator integrator) {
    td_step_opts o = td_step_opts_default();
    o.dt = dt;
    o.integrator = integrator;
    o.tolerance = 1e-11;
    o.iterations = 50;
    return o;
}

// A force on the tip of the last segment.
static inline td_load pull_on(const subject *s, td_vec3 force) {
    return (td_load){.kind = TD_LOAD_FORCE,
                     .segment = s->count - 1,
                     .point = s->segments[s->count - 1].tip,
                     .vector = force};
}

static inline void step_times(const subject *s, const td_step_opts *opts, int32_t count) {
    td_diag diag = {.message = ""};
    for (int32_t k = 0; k < count; k++) {
        if (!CHECK_SAY(step_once(s, opts, &diag) == TD_OK, "%s: step %d: %s", s->name, (int)k,
                       diag.message)) {
            return;
        }
    }
}

static inline char *bytes_of(const subject *s) {
    char *bytes = calloc(1, tdi_state_save_size(s->state));
    tdi_state_save(s->state, bytes);
    return bytes;
}

static inline bool same_as(const subject *s, const char *bytes) {
    FREED char *now = bytes_of(s);
    const bool same = memcmp(now, bytes, tdi_state_save_size(s->state)) == 0;
    return same;
}

// ---- integrators ----------------------------------------------------------------------------

static const char *const integrator_names[] = {"implicit", "implicit-euler", "euler", "rk4"};

// Runs a claim for every integrator that the solver has.
static inline void for_integrators(const tdi_solver *solver,
                                   void (*claim)(const tdi_solver *solver,
                                                 td_integrator integrator)) {
    for (int k = TD_IMPLICIT; k <= TD_RK4; k++) {
        if (tdi_solver_integrators(solver) >> k & 1) {
            claim(solver, (td_integrator)k);
        }
    }
}

// A claim of every integrator of every solver.
#define INTEGRATOR_TEST(name)                                                    \
    static void with_##name(const tdi_solver *solver, td_integrator integrator); \
    SOLVER_TEST(name) {                                                          \
        for_integrators(solver, with_##name);                                    \
    }                                                                            \
    static void with_##name(const tdi_solver *solver, td_integrator integrator)

// Explicit steps of stiff rods must be short.
static inline td_real fitting_dt(td_integrator integrator) {
    return tdi_is_implicit(integrator) ? 1.0 / 60 : 1e-4;
}
