// SPDX-License-Identifier: MIT
// The implicit step and statics. Pairs with src/tree/step.c and src/implicit/newton.c.

#include "test_tree_support.h"

// ---- steps ----------------------------------------------------------------------------------

// n equal pieces on the ground, along +X; `stiff` 0 makes a chain
static tree beam(int32_t n, bool limp) {
    OWNED(td_builder) *builder = test_builder();
    int32_t wood;
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
    td_skeleton *skeleton = test_finish(builder);
    return tree_from(skeleton, TD_LAW_DEFAULT, NULL);
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
            const tdi_body *body = &t.m->body[k];
            const tdi_frame *f = &t.s->frame[k];
            const tdi_past *past = &t.s->past[k];
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
