// SPDX-License-Identifier: MIT
#pragma once

// Shared by the tests of tree dynamics: trees with joints of all kinds, in random states.

#include "td_test.h"
#include "tree/model.h"

#include <stdlib.h>

static const td_vec3 weight = {0, -9.81, 0};

typedef struct tree {
    td_body_model *model;
    td_body *state;
    tdi_tree_model *m; // the two as trees
    tdi_tree_state *s;
    int32_t nv, nq;
    td_real *q, *v;
} tree;

static inline double between(tdi_random *r, double low, double high) {
    return low + (high - low) * tdi_random_uniform(r);
}
// in statements of their own: the order of arguments is the compiler's
static inline td_vec3 random_vec(tdi_random *r, double size) {
    double x = between(r, -size, size);
    double y = between(r, -size, size);
    double z = between(r, -size, size);
    return tdi_vec3(x, y, z);
}
static inline td_quat random_turn(tdi_random *r, double angle) {
    td_vec3 axis = tdi_unit_or(random_vec(r, 1), tdi_vec3(0, 1, 0));
    return tdi_quat_turn(axis, between(r, -angle, angle));
}

static inline tree tree_on(td_body_model *model, const td_alloc *alloc) {
    tree t = {.model = model};
    CHECK_INT(td_body_new(t.model, alloc, &t.state, NULL), TD_OK);
    t.m = tdi_as_tree_model(t.model);
    t.s = tdi_as_tree(t.state);
    t.nv = td_body_dof_count(t.model);
    t.nq = td_tree_coord_count(t.model);
    t.q = td_tree_coords(t.state);
    t.v = td_tree_velocities(t.state);
    return t;
}

// Frees the skeleton.
static inline tree tree_from(td_skeleton *skeleton, td_spring_law law, const td_alloc *alloc) {
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    td_body_opts opts = td_body_opts_default();
    opts.law = law;
    CHECK_INT(td_body_model_new(skeleton, "tree", &opts, alloc, &model, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    td_skeleton_free(skeleton);
    return tree_on(model, alloc);
}

// from definitions, which the caller has filled
static inline tree tree_of(const td_segment_def *defs, int32_t n, td_spring_law law,
                           const td_alloc *alloc) {
    OWNED(td_builder) *builder = test_builder();
    for (int32_t i = 0; i < n; i++) {
        CHECK_INT(td_builder_add(builder, &defs[i], NULL, NULL), TD_OK);
    }
    td_skeleton *skeleton = test_finish(builder);
    return tree_from(skeleton, law, alloc);
}

static inline void tree_free(tree t) {
    td_body_free(t.state);
    td_body_model_free(t.model);
}
OWNED_VALUE(tree, tree_free(*value))

typedef enum topology { CHAIN, BUSHY } topology;

// a stout segment with a crooked joint somewhere on its parent
static inline td_segment_def random_segment(tdi_random *r, int32_t i, topology shape,
                                            double spring) {
    td_segment_def def = td_segment_def_default();
    int32_t reach = shape == CHAIN ? 1 : 4;
    def.parent = i == 0 ? TD_NONE : i - 1 - (int32_t)between(r, 0, i < reach ? i : reach);
    def.axis = tdi_unit_or(random_vec(r, 1), tdi_vec3(1, 0, 0));
    def.rest = random_turn(r, 1);
    def.length = between(r, 0.1, 0.4);
    def.radius_base = between(r, 0.03, 0.06);
    def.radius_tip = between(r, 0.02, 0.06);
    def.has_stiffness = def.has_damping = true;
    def.stiffness = tdi_vec3(1.25 * spring, 1.25 * spring, 1.25 * spring);
    def.stiffness = tdi_madd(def.stiffness, random_vec(r, 0.75), spring);
    def.damping = tdi_scale(def.stiffness, 0.02);
    return def;
}

static inline void random_state(tree t, tdi_random *r, double size, double rate) {
    const tdi_tree_model *m = tdi_as_tree_model(t.model);
    for (int32_t i = 0; i < m->body_count; i++) {
        td_real *q = t.q + m->coord[i];
        int32_t count = m->coord[i + 1] - m->coord[i];
        td_quat turn = random_turn(r, size);
        for (int32_t k = 0; k < count; k++) {
            q[k] = between(r, -size, size);
        }
        if (count >= 4) {
            memcpy(q + count - 4, &turn, sizeof turn);
        }
    }
    for (int32_t d = 0; d < t.nv; d++) {
        t.v[d] = between(r, -rate, rate);
    }
    td_tree_state_changed(t.state);
}

static inline void random_base(tree t, tdi_random *r) {
    td_base_motion base = {.rotation = random_turn(r, 3)};
    base.position = random_vec(r, 2);
    base.spin = random_vec(r, 2);
    base.velocity = random_vec(r, 2);
    base.spin_rate = random_vec(r, 5);
    base.acceleration = random_vec(r, 5);
    tdi_tree_put_base(tdi_as_tree(t.state), &base);
    td_tree_state_changed(t.state);
}

// all kinds of joints; the first root may be free
static inline tree random_tree(tdi_random *r, int32_t n, topology shape, double spring,
                               td_spring_law law) {
    static const td_joint_kind kinds[] = {TD_JOINT_BALL,  TD_JOINT_BALL,  TD_JOINT_HINGE,
                                          TD_JOINT_SLIDE, TD_JOINT_FIXED, TD_JOINT_FREE};
    td_segment_def *defs = calloc((size_t)n, sizeof *defs);
    for (int32_t i = 0; i < n; i++) {
        defs[i] = random_segment(r, i, shape, spring);
        defs[i].joint = kinds[(int)between(r, 0, defs[i].parent == TD_NONE ? 6 : 5)];
    }
    tree t = tree_of(defs, n, law, NULL);
    free(defs);
    random_state(t, r, 1, 3);
    return t;
}

static inline td_real *reals(int32_t n) {
    return calloc((size_t)n + 1, sizeof(td_real));
}

static inline double largest(const td_real *x, int32_t n) {
    double most = 0;
    for (int32_t d = 0; d < n; d++) {
        most = fmax(most, fabs(x[d]));
    }
    return most;
}

// ---- steps ----------------------------------------------------------------------------------

static inline td_step_opts steps_of(td_integrator integrator, double dt, td_vec3 gravity) {
    td_step_opts opts = td_step_opts_default();
    opts.integrator = integrator;
    opts.dt = dt;
    opts.gravity = gravity;
    return opts;
}

static inline void run(tree t, const td_step_opts *opts, int32_t steps) {
    td_diag diag = {.message = ""};
    for (int32_t k = 0; k < steps; k++) {
        if (td_body_step(t.state, opts, NULL, &diag) != TD_OK) {
            test_failed(__FILE__, __LINE__, "step %d: %s", k, diag.message);
            return;
        }
    }
}
