// SPDX-License-Identifier: MIT
// The accurate reference. Pairs with src/published/ida*.c.

#include "tendril/ida.h"
#include "test_tree_shapes.h"

OWNED_POINTER(td_ida)

static td_ida *ida_of(tree t, const td_ida_opts *opts) {
    td_ida *ida = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_ida_new(t.state, opts, NULL, &ida, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return ida;
}

static void advance(td_ida *ida, double duration) {
    td_diag diag = {.message = ""};
    CHECK_INT(td_ida_advance(ida, duration, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
}

static double farthest_tips(tree a, tree b) {
    double most = 0;
    for (int32_t i = 0; i < tdi_as_tree_model(a.model)->body_count; i++) {
        double off = tdi_norm(tdi_sub(td_body_tip(a.state, i), td_body_tip(b.state, i)));
        most = fmax(most, off);
    }
    return most;
}

static td_ida_opts tight(td_vec3 gravity) {
    td_ida_opts opts = td_ida_opts_default();
    opts.rtol = 1e-10;
    opts.atol = 1e-11;
    opts.gravity = gravity;
    return opts;
}

// two trees that are the same, and their tips after 0.5 s with ida and with rk4
static double off_rk4(tree a, tree b, const td_ida_opts *opts) {
    td_ida *ida = ida_of(a, opts);
    td_step_opts steps = steps_of(TD_RK4, 1e-4, opts->gravity);
    steps.air = opts->air;
    steps.loads = opts->loads;
    steps.load_count = opts->load_count;
    run(b, &steps, 5000);
    advance(ida, 0.3);
    advance(ida, 0.2);
    CHECK_REL(a.state->time, b.state->time, 1e-12);
    td_ida_free(ida);
    double off = farthest_tips(a, b);
    tree_free(a);
    tree_free(b);
    return off;
}

// ---- agreement ------------------------------------------------------------------------------

TD_TEST(ida_feels_loads_and_air_as_rk4_does) {
    tdi_random r = random_of(72);
    tdi_random again = r;
    tree a = random_tree(&r, 8, BUSHY, 5, TD_LAW_LINEAR);
    tree b = random_tree(&again, 8, BUSHY, 5, TD_LAW_LINEAR);
    const td_load loads[] = {
        {.kind = TD_LOAD_FORCE, .segment = 7, .point = {0, 0.1, 0.02}, .vector = {3, 1, -2}},
        {.kind = TD_LOAD_TORQUE, .segment = 5, .vector = {0.2, 0.3, -0.1}},
        {.kind = TD_LOAD_SPRING,
         .segment = 3,
         .point = {0, 0.1, 0},
         .vector = {0.5, 0.2, 0.1},
         .stiffness = 40,
         .damping = 2,
         .velocity = {1, -1, 0.5}}};
    td_ida_opts opts = tight(weight);
    opts.air = (td_air){{4, 0, -3}, 2, 5};
    opts.loads = loads;
    opts.load_count = 3;
    CHECK_IN(off_rk4(a, b, &opts), 0, 1e-8);
}

TD_TEST(ida_moves_with_its_base_as_rk4_does) {
    tdi_random r = random_of(73);
    tdi_random again = r;
    tree a = random_tree(&r, 6, BUSHY, 5, TD_LAW_LINEAR);
    random_base(a, &r);
    tree b = random_tree(&again, 6, BUSHY, 5, TD_LAW_LINEAR);
    random_base(b, &again);
    td_ida_opts opts = tight(weight);
    // both follow the turn of the base to third order in a step
    CHECK_IN(off_rk4(a, b, &opts), 0, 1e-7);
}

TD_TEST(ida_starts_anew_from_a_state_that_was_changed) {
    tdi_random r = random_of(75);
    tdi_random again = r;
    OWNED(tree) a = random_tree(&r, 5, CHAIN, 5, TD_LAW_LINEAR);
    OWNED(tree) b = random_tree(&again, 5, CHAIN, 5, TD_LAW_LINEAR);
    td_ida_opts opts = tight(weight);
    OWNED(td_ida) *first = ida_of(a, &opts);
    advance(first, 0.2);
    memcpy(a.q, b.q, (size_t)a.nq * sizeof *a.q);
    memcpy(a.v, b.v, (size_t)a.nv * sizeof *a.v);
    td_tree_state_changed(a.state);
    advance(first, 0.2);
    OWNED(td_ida) *fresh = ida_of(b, &opts);
    advance(fresh, 0.2);
    CHECK(memcmp(a.q, b.q, (size_t)a.nq * sizeof *a.q) == 0);
    CHECK(memcmp(a.v, b.v, (size_t)a.nv * sizeof *a.v) == 0);
}

// ---- cost -----------------------------------------------------------------------------------

// A level beam of oak, damped, released for half a second.
static td_ida_stats release_beam(int32_t count) {
    beam_def def = thin_beam;
    def.count = count;
    def.damping_time = 0.01;
    OWNED(tree) t = make_beam(&def);
    td_ida_opts opts = td_ida_opts_default();
    opts.rtol = 1e-6;
    opts.atol = 1e-8;
    OWNED(td_ida) *ida = ida_of(t, &opts);
    advance(ida, 0.5);
    td_ida_stats stats = td_ida_statistics(ida);
    return stats;
}

// Each residual and each solve is linear in the bodies, so the whole is when their number is not
// more than for few.
TD_TEST(ida_needs_no_more_residuals_for_more_bodies) {
    td_ida_stats few = release_beam(20), many = release_beam(320);
    CHECK(many.residuals < 2 * few.residuals);
    CHECK_INT(many.solves, many.residuals);
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(ida_names_the_option_that_is_out_of_its_range) {
    tdi_random r = random_of(76);
    OWNED(tree) t = random_tree(&r, 3, CHAIN, 5, TD_LAW_LINEAR);
    td_ida *ida;
    td_diag diag;
    td_ida_opts opts = tight(weight);
    opts.struct_size = 1;
    CHECK_INT(td_ida_new(t.state, &opts, NULL, &ida, &diag), TD_ERR_DEF);
    opts = tight(weight);
    opts.rtol = (td_real)NAN;
    CHECK_INT(td_ida_new(t.state, &opts, NULL, &ida, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "rtol");
    opts = tight(weight);
    opts.atol = 0;
    CHECK_INT(td_ida_new(t.state, &opts, NULL, &ida, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "atol");
    opts = tight(weight);
    opts.load_count = 1;
    CHECK_INT(td_ida_new(t.state, &opts, NULL, &ida, &diag), TD_ERR_ARGUMENT);
    CHECK(!ida);
    opts = tight(weight);
    ida = ida_of(t, &opts);
    CHECK_INT(td_ida_advance(ida, 0, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_ida_advance(ida, INFINITY, &diag), TD_ERR_ARGUMENT);
    td_ida_free(ida);
}

TD_TEST(ida_leaves_a_state_that_is_not_finite_as_it_was) {
    tdi_random r = random_of(77);
    OWNED(tree) t = random_tree(&r, 3, CHAIN, 5, TD_LAW_LINEAR);
    td_ida_opts opts = tight(weight);
    OWNED(td_ida) *ida = ida_of(t, &opts);
    td_diag diag;
    td_real kept = t.v[0];
    t.v[0] = (td_real)NAN;
    CHECK_INT(td_ida_advance(ida, 0.1, &diag), TD_ERR_DIVERGED);
    CHECK(isnan(t.v[0]));
    t.v[0] = kept;
    td_tree_state_changed(t.state);
    advance(ida, 0.1);
}

TD_TEST(ida_gives_all_memory_back_when_there_is_too_little) {
    tdi_random r = random_of(78);
    OWNED(tree) t = random_tree(&r, 3, CHAIN, 5, TD_LAW_LINEAR);
    td_ida_opts opts = tight(weight);
    OWNED(test_heap) heap = {.fail_at = 1};
    td_alloc alloc = test_heap_alloc(&heap);
    td_ida *ida;
    td_diag diag;
    CHECK_INT(td_ida_new(t.state, &opts, &alloc, &ida, &diag), TD_ERR_MEMORY);
    CHECK(!ida);
    heap.fail_at = 0;
    CHECK_INT(td_ida_new(t.state, &opts, &alloc, &ida, &diag), TD_OK);
    long calls = heap.calls;
    advance(ida, 0.1);
    CHECK_INT(heap.calls, calls);
    td_ida_free(ida);
}

TD_TEST(ida_lets_time_pass_for_a_tree_that_cannot_move) {
    td_segment_def def = td_segment_def_default();
    def.joint = TD_JOINT_FIXED;
    def.length = 1;
    def.radius_base = def.radius_tip = 0.1;
    OWNED(tree) t = tree_of(&def, 1, TD_LAW_LINEAR, NULL);
    td_ida_opts opts = tight(weight);
    OWNED(td_ida) *ida = ida_of(t, &opts);
    advance(ida, 2);
    CHECK_REL(t.state->time, 2, 1e-15);
    CHECK_INT(td_ida_statistics(ida).steps, 0);
}
