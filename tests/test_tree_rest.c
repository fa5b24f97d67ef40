// SPDX-License-Identifier: MIT
// Rest shapes and damping. Pairs with src/tree/rest.c and damping.c.

#include "test_tree_shapes.h"

// ---- rest shapes ----------------------------------------------------------------------------

// largest distance between the ends of bodies in two states
static double apart(td_body *a, td_body *b, int32_t n) {
    double largest = 0;
    for (int32_t i = 0; i < n; i++) {
        double d = tdi_norm(tdi_sub(td_body_tip(a, i), td_body_tip(b, i)));
        largest = !(d <= largest) ? d : largest;
    }
    return largest;
}

// What holds the pose is what the springs give; `tolerance` is over the moment that the whole
// weight could have.
static void check_balance(tree t, double tolerance) {
    FREED td_real *none = reals(t.nv), *needed = reals(t.nv), *given = reals(t.nv);
    td_tree_inverse(t.state, weight, none, needed);
    td_tree_joint_torque(t.state, given);
    double most = 0;
    for (int32_t i = 0; i < t.m->body_count; i++) {
        most += 9.81 * t.m->body[i].mass * tdi_norm(td_body_tip(t.state, i));
    }
    for (int32_t d = 0; d < t.nv; d++) {
        CHECK_IN(given[d] - needed[d], -tolerance * most, tolerance * most);
    }
}

static void check_rest_shape(tree t) {
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    td_step_opts opts = td_step_opts_default();
    int32_t n = td_body_segment_count(t.model);
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    if (!model) {
        return;
    }
    OWNED(tree) u = tree_on(model, NULL);
    CHECK_IN(apart(t.state, u.state, n), 0, 1e-12);
    check_balance(u, 1e-13);
    CHECK_INT(td_body_settle(u.state, &opts, NULL, &diag), TD_OK);
    CHECK_IN(apart(t.state, u.state, n), 0, 1e-9);
}

TD_TEST(rest_shape_keeps_the_pose_of_random_trees) {
    tdi_random r = random_of(21);
    for (int32_t k = 0; k < 200; k++) {
        td_spring_law law = k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR;
        int32_t n = 2 + k % 19;
        double stiffness = n * between(&r, 10, 100);
        OWNED(tree) t = sprung_tree(&r, n, stiffness, false, law);
        check_rest_shape(t);
    }
}

TD_TEST(rest_shape_keeps_a_beam_straight) {
    beam_def b = thin_beam;
    OWNED(tree) t = make_beam(&b);
    check_rest_shape(t);
}

// springs of the tangent law bear any load: here one for which they wind up to 3.1 rad
TD_TEST(rest_shape_of_soft_tangent_springs_is_almost_half_a_turn_away) {
    const td_real near[3] = {0, 0, 0};
    beam_def b = thin_beam;
    b.count = 3;
    OWNED(tree) t = make_beam(&b);
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    t.m->law = TD_LAW_TANGENT;
    for (int32_t i = 0; i < b.count; i++) {
        t.m->body[i].stiffness = tdi_vec3(5e-5, 5e-5, 5e-5);
    }
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    if (model) {
        OWNED(tree) u = tree_on(model, NULL);
        td_vec3 angle = tdi_ball_turn_of(td_tree_coords(u.state), near).a;
        CHECK_IN(tdi_norm(angle), 3.1, TDI_PI);
        check_balance(u, 1e-12); // the moment grows by 300 times itself a radian
    }
}

// the joint that cannot is named, and why
TD_TEST(rest_shape_names_the_joint_that_cannot_carry) {
    beam_def b = thin_beam;
    b.count = 5;
    OWNED(tree) t = make_beam(&b);
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    td_vec3 kept = t.m->body[3].stiffness;
    t.m->body[3].stiffness.x = 0; // bends about X in its axes: up and down
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_OK);
    td_body_model_free(model);
    t.m->body[3].stiffness.z = 0;
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK(model == NULL);
    CHECK_INT(diag.index, 3);
    CHECK_HAS(diag.message, "segment 3 cannot carry its load: its joint has no stiffness");
    t.m->body[3].stiffness = tdi_scale(kept, 1e-7);
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment 3 cannot carry its load: its joint would have to turn");
    CHECK_INT(td_tree_model_rest_new(t.state, weightless, NULL, &model, &diag), TD_OK);
    td_body_model_free(model);
}

// a limp chain that hangs straight carries its weight without any stiffness
TD_TEST(rest_shape_of_a_hanging_limp_chain_is_as_it_hangs) {
    beam_def b = {50, 1, 0.005, 1e9, 1000, 0.3, 0, true, true};
    OWNED(tree) t = make_beam(&b);
    check_rest_shape(t);
}

TD_TEST(rest_shape_of_a_floating_tree_is_refused_under_weight_only) {
    tdi_random r = random_of(22);
    OWNED(tree) t = sprung_tree(&r, 5, 10, true, TD_LAW_LINEAR);
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment 0 cannot carry its load: nothing holds it");
    CHECK_INT(td_tree_model_rest_new(t.state, weightless, NULL, &model, &diag), TD_OK);
    td_body_model_free(model);
    t.q[4] = NAN;
    td_tree_state_changed(t.state);
    CHECK_INT(td_tree_model_rest_new(t.state, weight, NULL, &model, &diag), TD_ERR_DIVERGED);
    CHECK(model == NULL);
}

// ---- damping --------------------------------------------------------------------------------

// Damping ratio seen in the decay of a coordinate of the lowest mode, from rest at its amplitude.
static double seen_ratio(tree t, td_vec3 gravity) {
    int32_t n = td_body_dof_count(t.model);
    td_real *shape = calloc((size_t)n, sizeof *shape);
    td_mode mode;
    td_step_opts opts = td_step_opts_default();
    CHECK_INT(td_tree_modes(t.state, gravity, 1, &mode, shape, NULL), TD_OK);
    td_vec3 rest = td_body_tip(t.state, td_body_segment_count(t.model) - 1);
    double largest = 0;
    for (int32_t d = 0; d < n; d++) {
        largest = fmax(largest, fabs(shape[d]));
    }
    tdi_tree_advance(t.m, t.s, shape, 1e-3 / largest);
    td_tree_state_changed(t.state);
    td_vec3 way = tdi_sub(td_body_tip(t.state, td_body_segment_count(t.model) - 1), rest);
    opts.gravity = gravity;
    opts.dt = 1 / (2000 * mode.frequency);
    opts.tolerance = 1e-12;
    double last = 1, before = 1, first_peak = 0, second_peak = 0;
    for (int32_t k = 0; k < 5000 && second_peak == 0; k++) {
        CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_OK);
        td_vec3 now = tdi_sub(td_body_tip(t.state, td_body_segment_count(t.model) - 1), rest);
        double place = tdi_dot(now, way) / tdi_dot(way, way);
        if (k > 1 && last > before && last > place) {
            second_peak = first_peak > 0 ? last : 0;
            first_peak = first_peak > 0 ? first_peak : last;
        }
        before = last;
        last = place;
    }
    free(shape);
    double decrement = log(first_peak / second_peak) / (2 * TDI_PI);
    return decrement / sqrt(1 + decrement * decrement);
}

static void settle_anew(tree t, td_vec3 gravity) {
    td_step_opts opts = td_step_opts_default();
    opts.gravity = gravity;
    CHECK_INT(td_body_reset(t.state, NULL), TD_OK);
    CHECK_INT(td_body_settle(t.state, &opts, NULL, NULL), TD_OK);
}

// with weight the beam droops by a seventh of its length, and damping is no longer the same part of
// every mode
TD_TEST(damping_set_as_a_ratio_is_the_decay_that_stepping_shows) {
    const double ratios[3] = {0.02, 0.05, 0.2};
    beam_def b = thin_beam;
    b.count = 12;
    OWNED(tree) t = make_beam(&b);
    for (int32_t k = 0; k < 6; k++) {
        td_damping_opts opts = td_damping_opts_default();
        td_body_model *damped = NULL;
        td_diag diag = {.message = ""};
        td_mode mode;
        opts.value = ratios[k / 2];
        opts.gravity = k % 2 ? weight : weightless;
        settle_anew(t, opts.gravity);
        CHECK_INT(td_tree_model_damped_new(t.state, &opts, NULL, &damped, &diag), TD_OK);
        OWNED(tree) u = tree_on(damped, NULL);
        settle_anew(u, opts.gravity);
        CHECK_INT(td_body_modes(u.state, opts.gravity, 1, &mode, &diag), TD_OK);
        CHECK_REL(mode.damping_ratio, opts.value, 1e-9);
        CHECK_REL(seen_ratio(u, opts.gravity), opts.value, 0.02);
    }
}

TD_TEST(damping_set_as_a_time_is_stiffness_times_it) {
    tdi_random r = random_of(31);
    OWNED(tree) t = sprung_tree(&r, 8, 10, false, TD_LAW_LINEAR);
    OWNED(td_body_model) *model = NULL;
    td_damping_opts opts = td_damping_opts_default();
    opts.kind = TD_DAMPING_TIME;
    opts.value = 0.01;
    CHECK_INT(td_tree_model_damped_new(t.state, &opts, NULL, &model, NULL), TD_OK);
    for (int32_t i = 0; i < 8; i++) {
        CHECK_REL(tdi_as_tree_model(model)->body[i].damping.y, 0.01 * t.m->body[i].stiffness.y,
                  1e-15);
        CHECK_REL(tdi_as_tree_model(model)->body[i].damping.x, 0.01 * t.m->body[i].stiffness.x,
                  1e-15);
    }
}

TD_TEST(damping_refuses_bad_options_by_name) {
    beam_def b = {5, 1, 0.005, 1e9, 1000, 0.3, 0, true, true};
    OWNED(tree) t = make_beam(&b);
    td_body_model *model = NULL;
    td_damping_opts opts = {0};
    td_diag diag = {.message = ""};
    CHECK_INT(td_tree_model_damped_new(t.state, &opts, NULL, &model, &diag), TD_ERR_DEF);
    opts = td_damping_opts_default();
    opts.value = -1;
    CHECK_INT(td_tree_model_damped_new(t.state, &opts, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "value");
    for (int32_t i = 0; i < b.count; i++) {
        t.m->body[i].stiffness = weightless;
    }
    opts.value = 0.1;
    CHECK_INT(td_tree_model_damped_new(t.state, &opts, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "deforms a joint");
    CHECK(model == NULL);
}

// ---- memory ---------------------------------------------------------------------------------

// whatever fails, everything goes back and the status says so
TD_TEST(modes_rest_and_damping_survive_any_allocation_that_fails) {
    OWNED(test_heap) heap = {0, 0, 0, 0};
    td_alloc alloc = test_heap_alloc(&heap);
    td_segment_def defs[4];
    for (int32_t i = 0; i < 4; i++) {
        defs[i] = td_segment_def_default();
        defs[i].parent = i - 1;
    }
    OWNED(tree) t = tree_of(defs, 4, TD_LAW_LINEAR, &alloc);
    size_t held = heap.held;
    td_damping_opts damping = td_damping_opts_default();
    for (int32_t what = 0; what < 3; what++) {
        td_status status = TD_ERR_MEMORY;
        for (int32_t k = 1; status != TD_OK && k < 20; k++) {
            td_body_model *model = NULL;
            td_mode mode;
            heap.calls = 0;
            heap.fail_at = k;
            status = what == 0 ? td_body_modes(t.state, weight, 1, &mode, NULL)
                     : what == 1
                         ? td_tree_model_rest_new(t.state, weight, &alloc, &model, NULL)
                         : td_tree_model_damped_new(t.state, &damping, &alloc, &model, NULL);
            CHECK(status == TD_OK || (status == TD_ERR_MEMORY && !model));
            td_body_model_free(model);
            CHECK_INT(heap.held, held);
        }
        CHECK_INT(status, TD_OK);
    }
    heap.fail_at = 0;
}
