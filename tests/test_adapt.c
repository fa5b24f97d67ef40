// SPDX-License-Identifier: MIT
// Adaptive dynamics of trees as published. Pairs with src/adapt. Known answers of the theorems are
// cases of `tendril validate`.

#include "published/adapt.h"
#include "test_tree_support.h"

#include <string.h>

static td_adapt *adapt_of(tree t, const td_adapt_opts *opts) {
    td_adapt *a = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_adapt_new(t.state, opts, NULL, &a, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return a;
}

static td_adapt_opts few(int32_t joints) {
    td_adapt_opts o = td_adapt_opts_default();
    o.joints = joints;
    o.every = 5;
    return o;
}

static td_step_opts short_steps(void) {
    td_step_opts o = td_step_opts_default();
    o.dt = 1e-4;
    return o;
}

static void go_on(td_adapt *a, const td_step_opts *o, int steps) {
    td_status status = TD_OK;
    for (int k = 0; k < steps && status == TD_OK; k++) {
        status = td_adapt_step(a, o, NULL);
    }
    CHECK_INT(status, TD_OK);
}

// ---- assembly trees -------------------------------------------------------------------------

static tree chain_of(int32_t n) {
    FREED td_segment_def *defs = malloc((size_t)n * sizeof *defs);
    for (int32_t i = 0; i < n; i++) {
        defs[i] = td_segment_def_default();
        defs[i].parent = i - 1;
        defs[i].joint = TD_JOINT_HINGE;
        defs[i].length = 0.1;
        defs[i].radius_base = defs[i].radius_tip = 0.01;
        defs[i].attach_at_tip = i > 0;
        defs[i].has_stiffness = defs[i].has_damping = true;
    }
    tree t = tree_of(defs, n, TD_LAW_LINEAR, NULL);
    return t;
}

TD_TEST(adapt_assembly_of_a_chain_is_as_flat_as_can_be) {
    for (int32_t n = 1; n <= 300; n += n < 20 ? 1 : 40) {
        OWNED(tree) t = chain_of(n);
        const td_adapt_opts o = few(1);
        OWNED(td_adapt) *a = adapt_of(t, &o);
        int32_t depth = 0; // of the root, then of a balanced tree of n bodies
        while ((1 << depth) < n) {
            depth++;
        }
        CHECK_INT(td_adapt_report(a).depth, depth);
    }
}

// A hub joins its children one by one, but nothing takes long.
TD_TEST(adapt_assembly_of_a_wide_hub_is_made_in_order) {
    enum { CHILDREN = 3000 };
    static td_segment_def defs[CHILDREN];
    for (int32_t i = 0; i < CHILDREN; i++) {
        defs[i] = td_segment_def_default();
        defs[i].parent = i > 0 ? 0 : TD_NONE;
        defs[i].length = 0.1;
        defs[i].radius_base = defs[i].radius_tip = 0.01;
        defs[i].has_stiffness = defs[i].has_damping = true;
    }
    OWNED(tree) t = tree_of(defs, CHILDREN, TD_LAW_LINEAR, NULL);
    const td_adapt_opts o = few(1);
    OWNED(td_adapt) *a = adapt_of(t, &o);
    for (int32_t i = 0; i < CHILDREN; i++) {
        CHECK_IN(td_adapt_node(a, i).handles, 0, 2);
    }
    CHECK_INT(td_adapt_node(a, 0).bodies, CHILDREN);
    CHECK_INT(td_adapt_node(a, 0).parent, TD_NONE);
    const td_step_opts s = short_steps();
    go_on(a, &s, 2);
}

// ---- steps ----------------------------------------------------------------------------------

static tree wild(uint64_t seed, int32_t n) {
    tdi_random r = random_of(seed);
    return random_tree(&r, n, BUSHY, 1, TD_LAW_LINEAR);
}

// With no error allowed, everything that moves is active.
TD_TEST(adapt_error_of_zero_is_the_explicit_step) {
    OWNED(tree) a = wild(3, 25), b = wild(3, 25);
    td_adapt_opts o = td_adapt_opts_default();
    o.every = 3;
    OWNED(td_adapt) *x = adapt_of(a, &o);
    td_step_opts s = short_steps();
    s.integrator = TD_EULER;
    go_on(x, &s, 500);
    for (int k = 0; k < 500; k++) {
        CHECK_INT(td_body_step(b.state, &s, NULL, NULL), TD_OK);
    }
    for (int32_t d = 0; d < a.nq; d++) {
        CHECK_IN(a.q[d], b.q[d] - 1e-10, b.q[d] + 1e-10);
    }
}

TD_TEST(adapt_smaller_errors_need_more_joints_and_keep_nearer_to_all) {
    static const double errors[] = {3, 0.3, 0.03};
    double off[3];
    int32_t active[3];
    td_vec3 full = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        OWNED(tree) t = wild(5, 60);
        td_adapt_opts o = td_adapt_opts_default();
        o.error = k == 0 ? 0 : errors[k - 1]; // all joints move first
        o.every = 10;
        OWNED(td_adapt) *a = adapt_of(t, &o);
        const td_step_opts s = short_steps();
        go_on(a, &s, 3000);
        td_adapt_place(a);
        const td_vec3 tip = td_body_tip(t.state, 59);
        if (k == 0) {
            full = tip;
        } else {
            off[k - 1] = tdi_norm(tdi_sub(tip, full));
            active[k - 1] = td_adapt_report(a).active;
            CHECK_IN(td_adapt_report(a).velocity_left, 0, errors[k - 1]);
        }
    }
    CHECK(active[0] < active[1] && active[1] < active[2]);
    CHECK(off[0] > off[1] && off[1] > off[2]);
}

TD_TEST(adapt_chooses_as_many_joints_as_it_is_told) {
    OWNED(tree) t = wild(9, 50);
    td_adapt_opts o = few(7);
    OWNED(td_adapt) *a = adapt_of(t, &o);
    const td_step_opts s = short_steps();
    go_on(a, &s, 50);
    CHECK_INT(td_adapt_report(a).active, 7);
    CHECK_INT(td_adapt_report(a).updates, 10);
    o.joints = 12;
    CHECK_INT(td_adapt_set_opts(a, &o, NULL), TD_OK);
    go_on(a, &s, 5);
    CHECK_INT(td_adapt_report(a).active, 12);
    int32_t count = 0; // welds on the way are active too, and have nothing to choose
    for (int32_t i = 0; i < 50; i++) {
        count += td_adapt_is_active(a, i) && t.m->kind[i] != TD_JOINT_FIXED &&
                 t.m->kind[i] != TD_JOINT_FREE;
    }
    CHECK_INT(count, 12);
}

// Weights decide who is chosen: of two branches the one with the larger ones.
TD_TEST(adapt_weights_say_which_joints_matter) {
    int32_t count[2][2] = {{0, 0}, {0, 0}};
    for (int side = 0; side < 2; side++) {
        OWNED(tree) t = chain_of(64);
        td_real weights[64];
        for (int32_t i = 0; i < 64; i++) {
            weights[i] = (i < 32) == (side == 0) ? 1 : 1e-3;
            t.q[i] = 0.1;
        }
        td_tree_state_changed(t.state);
        const td_adapt_opts o = few(16);
        OWNED(td_adapt) *a = adapt_of(t, &o);
        CHECK_INT(td_adapt_set_weights(a, weights, NULL), TD_OK);
        const td_step_opts s = short_steps();
        go_on(a, &s, 50);
        for (int32_t i = 0; i < 64; i++) {
            count[side][i >= 32] += td_adapt_is_active(a, i);
        }
    }
    CHECK(count[0][0] > count[1][0] + 4);
    CHECK(count[1][1] > count[0][1] + 4);
}

TD_TEST(adapt_camera_far_away_sees_fewer_joints_move) {
    int32_t active[2];
    for (int k = 0; k < 2; k++) {
        OWNED(tree) t = wild(5, 60);
        td_adapt_opts o = td_adapt_opts_default();
        o.error = 0.01;
        o.weights = TD_WEIGHTS_CAMERA;
        o.camera = tdi_vec3(0, 0, k ? 100 : 2);
        OWNED(td_adapt) *a = adapt_of(t, &o);
        const td_step_opts s = short_steps();
        go_on(a, &s, 300);
        active[k] = td_adapt_report(a).active;
    }
    CHECK(active[1] < active[0]);
}

// A region that never changes is taken from the root of the assembly tree down.
TD_TEST(adapt_every_0_keeps_the_joints_nearest_to_the_root) {
    OWNED(tree) t = chain_of(50);
    td_adapt_opts o = few(5);
    o.every = 0;
    OWNED(td_adapt) *a = adapt_of(t, &o);
    const td_step_opts s = short_steps();
    go_on(a, &s, 30);
    int32_t deepest = 0, count = 0;
    for (int32_t i = 0; i < 50; i++) {
        if (td_adapt_is_active(a, i)) {
            count++;
            deepest = td_adapt_node(a, i).depth > deepest ? td_adapt_node(a, i).depth : deepest;
        }
    }
    CHECK_INT(count, 5);
    CHECK_INT(deepest, 3); // 1 root, 1 below it, 2 below that, 1 of the next four
    CHECK_INT(td_adapt_report(a).updates, 0);
}

// Parts agree with each other: accelerations, metrics, regions by hand.
TD_TEST(adapt_metric_of_the_root_is_the_sum_of_squared_accelerations) {
    OWNED(tree) t = wild(31, 30);
    const td_adapt_opts o = few(5);
    const td_step_opts s = short_steps();
    OWNED(td_adapt) *a = adapt_of(t, &o);
    td_real *accel = reals(t.nv), metric[30], sum = 0, all = 0;
    td_adapt_forward(a, &s, NULL, accel);
    td_adapt_metrics(a, &s, metric);
    for (int32_t i = 0; i < 30; i++) {
        const bool counts = t.m->kind[i] != TD_JOINT_FREE;
        for (int32_t d = t.m->dof[i]; d < t.m->dof[i + 1]; d++) {
            sum += counts ? accel[d] * accel[d] : 0;
        }
        all += td_adapt_node(a, i).parent == TD_NONE ? metric[i] : 0;
    }
    CHECK_REL(all, sum, 1e-9);
    bool active[30] = {false};
    active[17] = true;
    td_adapt_activate(a, active);
    for (int32_t i = 17; i != TD_NONE; i = td_adapt_node(a, i).parent) {
        CHECK(td_adapt_is_active(a, i));
    }
    td_adapt_forward(a, &s, NULL, accel);
    for (int32_t i = 0; i < 30; i++) {
        for (int32_t d = t.m->dof[i]; d < t.m->dof[i + 1] && !td_adapt_is_active(a, i); d++) {
            CHECK(accel[d] == 0 && t.v[d] == 0);
        }
    }
    td_adapt_changed(a);
    CHECK_INT(td_adapt_report(a).active, td_adapt_report(a).joints);
    free(accel);
}

// ---- what all steps owe ---------------------------------------------------------------------

TD_TEST(adapt_goes_on_from_what_was_saved_to_the_bit) {
    OWNED(tree) t = wild(21, 40), u = wild(21, 40);
    const td_load load = {.kind = TD_LOAD_FORCE, .segment = 30, .vector = {1, 0, 0.5}};
    const td_adapt_opts o = few(6);
    OWNED(td_adapt) *a = adapt_of(t, &o), *b = adapt_of(u, &o);
    td_step_opts s = short_steps();
    s.loads = &load;
    s.load_count = 1;
    go_on(a, &s, 33);
    memcpy(u.q, t.q, (size_t)t.nq * sizeof *t.q);
    memcpy(u.v, t.v, (size_t)t.nv * sizeof *t.v);
    td_tree_state_changed(u.state);
    FREED void *bytes = malloc(td_adapt_save_size(a));
    td_adapt_save(a, bytes);
    td_adapt_restore(b, bytes);
    go_on(a, &s, 50);
    go_on(b, &s, 50);
    CHECK(memcmp(t.q, u.q, (size_t)t.nq * sizeof *t.q) == 0);
    CHECK(memcmp(t.v, u.v, (size_t)t.nv * sizeof *t.v) == 0);
    memset(bytes, 0xff, td_adapt_save_size(a)); // nonsense does no harm
    td_adapt_restore(b, bytes);
    go_on(b, &s, 3);
}

TD_TEST(adapt_takes_memory_only_when_it_is_made_and_gives_it_back) {
    OWNED(tree) t = wild(13, 30);
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    td_adapt *a = NULL;
    const td_adapt_opts o = few(5);
    CHECK_INT(td_adapt_new(t.state, &o, &alloc, &a, NULL), TD_OK);
    CHECK_INT(heap.held, td_adapt_bytes(a));
    const long calls = heap.calls;
    const td_step_opts s = short_steps();
    go_on(a, &s, 30);
    CHECK_INT(heap.calls, calls);
    td_adapt_free(a);
    td_adapt_free(NULL);
}

TD_TEST(adapt_step_that_diverges_leaves_coordinates_as_they_were) {
    OWNED(tree) t = wild(13, 30);
    const td_adapt_opts o = few(5);
    OWNED(td_adapt) *a = adapt_of(t, &o);
    td_step_opts s = short_steps();
    go_on(a, &s, 7);
    FREED td_real *q = malloc((size_t)t.nq * sizeof *q), *v = malloc((size_t)t.nv * sizeof *v);
    memcpy(q, t.q, (size_t)t.nq * sizeof *q);
    memcpy(v, t.v, (size_t)t.nv * sizeof *v);
    const td_load load = {.kind = TD_LOAD_FORCE, .segment = 3, .vector = {1e308, 1e308, 0}};
    s.loads = &load;
    s.load_count = 1;
    td_diag diag = {.message = ""};
    CHECK_INT(td_adapt_step(a, &s, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "diverged");
    CHECK(memcmp(q, t.q, (size_t)t.nq * sizeof *q) == 0);
    CHECK(memcmp(v, t.v, (size_t)t.nv * sizeof *v) == 0);
    s.load_count = 0;
    go_on(a, &s, 7);
}

TD_TEST(adapt_refuses_bad_options_steps_weights_and_bodies) {
    tree t = chain_of(3);
    td_adapt *a = NULL;
    td_diag diag = {.message = ""};
    td_adapt_opts zero = {0}, o = few(-1);
    CHECK_INT(td_adapt_new(t.state, &zero, NULL, &a, &diag), TD_ERR_DEF);
    CHECK_INT(td_adapt_new(t.state, &o, NULL, &a, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "joints");
    o = few(1);
    o.error = NAN;
    CHECK_INT(td_adapt_new(t.state, &o, NULL, &a, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "error");
    o = few(1);
    o.weights = (td_adapt_weights)9;
    CHECK_INT(td_adapt_new(t.state, &o, NULL, &a, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "weights");
    o = few(1);
    a = adapt_of(t, &o);
    const td_real weights[3] = {1, -1, 1};
    CHECK_INT(td_adapt_set_weights(a, weights, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(diag.index, 1);
    td_step_opts s = short_steps();
    s.dt = -1;
    CHECK_INT(td_adapt_step(a, &s, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "dt");
    td_adapt_free(a);
    tree_free(t);

    td_segment_def thin = td_segment_def_default();
    thin.length = 1;
    thin.radius_base = 0.01;
    thin.mass = 1;
    thin.second_moment = (td_sym3){0, 1.0 / 3, 0, 0, 0, 0};
    thin.centre_of_mass = tdi_vec3(0, 0.5, 0);
    t = tree_of(&thin, 1, TD_LAW_LINEAR, NULL);
    CHECK_INT(td_adapt_new(t.state, &o, NULL, &a, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "inertia");
    CHECK_INT(diag.index, 0);
    tree_free(t);
}
