// SPDX-License-Identifier: MIT
// The implicit step and statics. Pairs with src/tree/step.c and src/implicit/newton.c.

#include "test_tree_support.h"

// ---- steps ----------------------------------------------------------------------------------

// n equal pieces on the ground, along +X; `stiff` 0 makes a chain
static tree beam(int32_t n, bool limp) {
    td_builder *builder;
    td_skeleton *skeleton;
    tree t = {.model = NULL};
    int32_t wood;
    td_skeleton_opts opts = td_skeleton_opts_default();
    CHECK_INT(td_builder_new(&opts, NULL, &builder, NULL), TD_OK);
    td_material m = td_material_get(0);
    m.young = 8.1e9;
    m.density = 923;
    m.damping_time = 0;
    CHECK_INT(td_builder_add_material(builder, &m, &wood, NULL), TD_OK);
    for (int32_t i = 0; i < n; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.length = 1.0 / n;
        def.radius_base = def.radius_tip = 0.01;
        def.material = wood;
        def.has_stiffness = limp;
        def.rest = i == 0 ? tdi_quat_turn(tdi_vec3(0, 0, 1), -TDI_PI / 2) : tdi_quat_identity();
        CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    }
    CHECK_INT(td_builder_finish(builder, &skeleton, NULL), TD_OK);
    td_builder_free(builder);
    td_body_opts tree_opts = td_body_opts_default();
    CHECK_INT(td_body_model_new(skeleton, "tree", &tree_opts, NULL, &t.model, NULL), TD_OK);
    CHECK_INT(td_body_new(t.model, NULL, &t.state, NULL), TD_OK);
    td_skeleton_free(skeleton);
    return t;
}

static double settled_droop(int32_t n) {
    OWNED(tree) t = beam(n, false);
    td_step_opts opts = td_step_opts_default();
    CHECK_INT(td_body_settle(t.state, &opts, NULL, NULL), TD_OK);
    double droop = -td_body_tip(t.state, n - 1).y;
    return droop;
}

TD_TEST(tree_step_at_one_frame_settles_where_statics_says) {
    OWNED(tree) t = beam(100, false);
    td_step_opts opts = td_step_opts_default();
    opts.integrator = TD_IMPLICIT_EULER;
    for (int i = 0; i < 3000; i++) {
        CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_OK);
    }
    CHECK_REL(-td_body_tip(t.state, 99).y, settled_droop(100), 1e-6);
}

TD_TEST(tree_limp_chain_falls_without_gaining_energy) {
    OWNED(tree) t = beam(200, true);
    td_step_opts opts = td_step_opts_default();
    td_step_stats stats = {0};
    double highest = 0;
    for (int i = 0; i < 600; i++) {
        CHECK_INT(td_body_step(t.state, &opts, &stats, NULL), TD_OK);
        double energy = 0;
        for (int32_t k = 0; k < 200; k++) {
            const tdi_body *body = &tdi_as_tree_model(t.model)->body[k];
            const tdi_frame *f = &tdi_as_tree(t.state)->frame[k];
            const tdi_past *past = &tdi_as_tree(t.state)->past[k];
            tdi_mat3 ws = tdi_mat3_mul_sym(&past->w, &body->second);
            for (int e = 0; e < 9; e++) {
                energy += 0.5 * ws.m[e] * past->w.m[e];
            }
            td_vec3 c = tdi_mat3_apply(&f->r, body->moment);
            energy += 0.5 * body->mass * tdi_dot(past->v, past->v) +
                      tdi_dot(past->v, tdi_mat3_apply(&past->w, body->moment)) +
                      9.81 * (body->mass * f->o.y + c.y);
        }
        highest = fmax(highest, energy);
    }
    double newtons = 923 * TDI_PI * 1e-4 * 9.81; // N; the chain starts level, with no energy
    CHECK(highest < 0.01 * newtons * 0.5);
    CHECK(stats.iterations < 6 * stats.steps);
}

// Steps of a limp chain, each with a single iteration.
static td_step_stats steps_of_one_iteration(int count, td_real tolerance) {
    OWNED(tree) t = beam(20, true);
    td_step_opts opts = td_step_opts_default();
    td_step_stats stats = {0};
    opts.iterations = 1;
    opts.tolerance = tolerance;
    for (int i = 0; i < count; i++) {
        CHECK_INT(td_body_step(t.state, &opts, &stats, NULL), TD_OK);
    }
    return stats;
}

// None of them converges whole; a half has three iterations, which are enough.
TD_TEST(tree_step_in_halves_that_converge_is_counted_as_one_in_halves) {
    const td_step_stats stats = steps_of_one_iteration(5, td_step_opts_default().tolerance);
    CHECK_INT(stats.steps, 5);
    CHECK_INT(stats.unconverged, 0);
    CHECK_SAY(stats.halved == 5, "%d of 5 steps", (int)stats.halved);
}

// No increment is as small. The first of 64 pieces has ten iterations; as these are in vain, the
// others have one, and so have the halves that are tried between them.
TD_TEST(tree_step_that_converges_in_no_piece_soon_gives_up_on_each) {
    const td_step_stats stats = steps_of_one_iteration(1, 1e-300);
    CHECK_INT(stats.unconverged, 64);
    CHECK_SAY(stats.iterations < 3 * 64, "%d iterations", (int)stats.iterations);
}

TD_TEST(tree_step_refuses_bad_options_by_name) {
    OWNED(tree) t = beam(3, false);
    td_diag diag;
    td_step_opts opts = td_step_opts_default();
    opts.dt = NAN;
    CHECK_INT(td_body_step(t.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "dt");
    opts = td_step_opts_default();
    opts.gravity.x = INFINITY;
    CHECK_INT(td_body_step(t.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "gravity");
    td_step_opts zero = {0};
    CHECK_INT(td_body_step(t.state, &zero, NULL, &diag), TD_ERR_DEF);
    td_load load = {.kind = TD_LOAD_FORCE, .segment = 3};
    opts = td_step_opts_default();
    opts.loads = &load;
    opts.load_count = 1;
    CHECK_INT(td_body_step(t.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(diag.index, 0);
}

// ---- moving base ----------------------------------------------------------------------------

// A pendulum on a pivot that shakes by b sin(w t): small steady swings relative to the pivot have
// the amplitude b w^2/(l |w0^2 - w^2|), l the length of the equivalent simple pendulum.
TD_TEST(tree_pendulum_on_a_shaken_pivot_swings_as_theory_says) {
    OWNED(tree) t = beam(1, true);
    td_step_opts opts = td_step_opts_default();
    opts.dt = 1.0 / 480;
    const tdi_body *body = &tdi_as_tree_model(t.model)->body[0];
    double inertia = body->second.yy + body->second.zz;
    double l = inertia / body->moment.y, w0 = sqrt(9.81 / l), w = 0.5 * w0, b = 0.002;
    CHECK_INT(td_body_settle(t.state, &opts, NULL, NULL), TD_OK);
    double widest = 0;
    int32_t steps = (int32_t)(24 * 2 * TDI_PI / w / opts.dt);
    for (int32_t i = 0; i < steps; i++) {
        // from rest the free swing would stay for ever; growing slowly does not wake it
        double time = i * opts.dt, s = sin(w * time), c = cos(w * time);
        double grown = fmin(time / (16 * 2 * TDI_PI / w), 1), a = b * grown;
        td_base_motion motion = {.position = {a * s, 0, 0},
                                 .rotation = {1, 0, 0, 0},
                                 .velocity = {a * w * c, 0, 0},
                                 .acceleration = {-a * w * w * s, 0, 0}};
        CHECK(td_body_set_base(t.state, &motion, NULL) == TD_OK);
        CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_OK);
        td_vec3 d = tdi_sub(td_body_tip(t.state, 0), td_body_origin(t.state, 0));
        if (grown == 1) {
            widest = fmax(widest, fabs(d.x));
        }
    }
    CHECK_REL(widest, b * w * w / (l * fabs(w0 * w0 - w * w)), 0.01);
}

TD_TEST(tree_base_thrown_forwards_leaves_the_tip_behind) {
    OWNED(tree) t = beam(20, false);
    td_step_opts opts = td_step_opts_default();
    opts.gravity = tdi_vec3(0, 0, 0);
    td_base_motion motion = {.rotation = {1, 0, 0, 0}, .acceleration = {0, 3, 0}};
    CHECK(td_body_set_base(t.state, &motion, NULL) == TD_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_OK);
    }
    CHECK_REL(td_body_origin(t.state, 0).y, 0.5 * 3 * 9 / 3600, 1e-9);
    CHECK(td_body_tip(t.state, 19).y < td_body_origin(t.state, 0).y - 1e-4);
}
