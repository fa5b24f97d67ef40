// SPDX-License-Identifier: MIT
// Constraints of joints, and what comes and goes: limits, gears, breaking, what cannot be met,
// statics, contact. Pairs with src/implicit/hold*.c.

#include "test_constraint_support.h"

// ---- joints ---------------------------------------------------------------------------------

static held_island chain_of(int32_t count, td_joint_kind joint) {
    place2 at[9];
    held_island s = {.count = 1};
    for (int32_t k = 0; k <= count; k++) {
        at[k] = (place2){0.3 * k, 0.05 * k * k};
    }
    s.actor[0] = bars(at, count, joint, 1, ROUND);
    return s;
}

TD_TEST(constraint_a_hinge_follows_its_target) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_HINGE);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_JOINT);
    c.segment[0] = 1;
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-9);
    bool going = true;
    for (int32_t k = 1; k <= 60 && going; k++) {
        td_constraint_target target = c.target;
        target.joint.x = 0.5 * sin(0.1 * k);
        CHECK(td_island_set_target(s.island, 0, &target, NULL) == TD_OK);
        going = go_on(&s);
        CHECK(fabs(s.actor[0].q[1] - target.joint.x) <= 1e-9);
    }
    CHECK(fabs(td_island_constraint(s.island, 0).moment.x) > 0.01);
    CHECK_INT(s.stats.unconverged, 0);
}

TD_TEST(constraint_a_ball_joint_follows_its_target) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_JOINT);
    c.segment[0] = 1;
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-9);
    bool going = true;
    for (int32_t k = 1; k <= 60 && going; k++) {
        td_constraint_target target = c.target;
        target.joint = tdi_scale(tdi_vec3(0.3, 1, -0.4), 0.03 * k);
        CHECK(td_island_set_target(s.island, 0, &target, NULL) == TD_OK);
        going = go_on(&s);
        const td_quat up = td_body_rotation(s.actor[0].state, 0),
                      own = td_body_rotation(s.actor[0].state, 1),
                      rest = tdi_as_tree_model(s.actor[0].model)->body[1].rest;
        const td_quat want = tdi_quat_mul(tdi_quat_mul(up, rest), tdi_turn_by(target.joint)),
                      q = tdi_quat_mul(own, tdi_quat_conj(want));
        CHECK(tdi_norm(tdi_vec3(q.x, q.y, q.z)) <= 1e-9);
    }
    CHECK_INT(s.stats.unconverged, 0);
}

TD_TEST(constraint_a_gear_keeps_the_ratio_of_two_hinges) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_HINGE);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_GEAR);
    c.actor[1] = 0;
    c.segment[0] = 0;
    c.segment[1] = 2;
    c.ratio = -0.4;
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-9);
    const double offset = s.actor[0].q[0] + 0.4 * s.actor[0].q[2];
    bool going = true;
    for (int32_t k = 0; k < 120 && going; k++) {
        going = go_on(&s);
        CHECK(fabs(s.actor[0].q[0] + 0.4 * s.actor[0].q[2] - offset) <= 2e-9);
    }
    CHECK(fabs(s.actor[0].q[0]) > 0.1);
}

// ---- coming and going -----------------------------------------------------------------------

static td_constraint pin_at_tip(int32_t segment) {
    td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
    c.segment[0] = segment;
    c.point[0] = tdi_vec3(0, 0.3, 0);
    return c;
}

TD_TEST(constraint_holds_between_start_and_end) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    td_constraint c = pin_at_tip(2);
    c.start = 0.25;
    c.end = 0.5;
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-9);
    td_vec3 where = {0, 0, 0};
    bool going = true;
    for (int32_t k = 0; k < 60 && going; k++) {
        const td_vec3 before = place_on(&s, 0, 2, c.point[0]);
        where = k == 15 ? before : where;
        going = go_on(&s);
        const bool held = k >= 15 && k < 30;
        const double moved =
            tdi_norm(tdi_sub(place_on(&s, 0, 2, c.point[0]), held ? where : before));
        CHECK_INT(td_island_constraint(s.island, 0).active, held);
        CHECK(held ? moved <= 1e-9 : moved > 1e-4);
    }
}

TD_TEST(constraint_of_an_island_that_is_let_go_is_free_until_it_is_held_again) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    const td_constraint c = pin_at_tip(2);
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-9);
    td_vec3 where = place_on(&s, 0, 2, c.point[0]);
    for (int32_t k = 0; k < 30 && go_on(&s); k++) {
        const double moved = tdi_norm(tdi_sub(place_on(&s, 0, 2, c.point[0]), where));
        const bool held = k < 10 || k >= 20;
        CHECK(held ? moved <= 1e-9 : moved > 1e-4);
        where = place_on(&s, 0, 2, c.point[0]);
        if (k == 9 || k == 19) {
            CHECK(td_island_set_hold(s.island, 0, k == 19, NULL) == TD_OK);
        }
    }
}

TD_TEST(constraint_breaks_at_its_force_for_good) {
    held_island s = chain_of(3, TD_JOINT_BALL);
    td_constraint c = pin_at_tip(2);
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-9);
    td_step_stats stats = {0};
    CHECK_INT(td_island_settle(s.island, s.opts, NULL, 0, &stats, NULL), TD_OK);
    const double weight_on_it = tdi_norm(td_island_constraint(s.island, 0).force);
    CHECK(weight_on_it > 1);
    held_free(&s);

    for (int breaks = 0; breaks < 2; breaks++) {
        s = chain_of(3, TD_JOINT_BALL);
        c.break_force = breaks ? 0.9 * weight_on_it : 100 * weight_on_it;
        hold(&s, &c, 1);
        set_steps(&s, 1.0 / 60, 1e-9);
        go_steps(&s, 30);
        const td_constraint_report r = td_island_constraint(s.island, 0);
        CHECK_INT(r.broken, breaks);
        CHECK_INT(r.active, !breaks);
        held_free(&s);
    }
}

// ---- forces ---------------------------------------------------------------------------------

TD_TEST(constraint_forces_at_rest_carry_the_weight) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    const td_constraint c[2] = {pin_at_tip(2), pin_at_tip(0)};
    hold(&s, c, 2);
    set_steps(&s, 1.0 / 60, 1e-9);
    td_step_stats stats = {0};
    td_diag diag = {.message = ""};
    CHECK_INT(td_island_settle(s.island, s.opts, NULL, 0, &stats, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    for (int k = 0; k < 2; k++) {
        CHECK(td_island_constraint(s.island, k).error <= 1e-9);
        CHECK(!td_island_constraint(s.island, k).unmet);
    }
    // moments about the first joint: both forces at their places against the weight
    td_vec3 moment = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        const td_constraint_report r = td_island_constraint(s.island, k);
        moment = tdi_add(moment, tdi_cross(r.place, r.force));
    }
    for (int32_t k = 0; k < 3; k++) {
        const td_vec3 middle = tdi_scale(
            tdi_add(td_body_origin(s.actor[0].state, k), td_body_tip(s.actor[0].state, k)), 0.5);
        const td_vec3 g = tdi_scale(weight, tdi_as_tree_model(s.actor[0].model)->body[k].mass);
        moment = tdi_add(moment, tdi_cross(middle, g));
    }
    CHECK(tdi_norm(moment) < 1e-7);
}

// ---- what cannot be met ---------------------------------------------------------------------

TD_TEST(constraint_a_point_held_in_two_places_is_reported_and_stays_between) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    td_constraint c[2] = {pin_at_tip(2), pin_at_tip(2)};
    for (int k = 0; k < 2; k++) {
        c[k].as_found = false;
        c[k].point[1] = tdi_vec3(0.6 + 0.1 * k, 0.1, 0);
    }
    hold(&s, c, 2);
    set_steps(&s, 1.0 / 60, 1e-6);
    go_steps(&s, 120);
    double force[2];
    for (int k = 0; k < 2; k++) {
        const td_constraint_report r = td_island_constraint(s.island, k);
        CHECK(r.unmet);
        CHECK_REL(r.error, 0.05, 0.02);
        force[k] = r.force.x;
    }
    CHECK(force[0] < 0);
    CHECK_REL(force[1], -force[0], 0.02); // the chain itself pulls little
    CHECK(energy_of(&s) < 1e3 && isfinite(energy_of(&s)));
}

TD_TEST(constraint_couplings_that_contradict_each_other_are_reported) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    const place2 other[3] = {{1.2, 0.8}, {1.1, 0.5}, {0.95, 0.45}};
    s.actor[s.count++] = bars(other, 2, TD_JOINT_BALL, 1, ROUND);
    td_constraint c[2] = {pin_at_tip(2), pin_at_tip(2)};
    for (int k = 0; k < 2; k++) {
        c[k].as_found = false;
        c[k].actor[1] = 1;
        c[k].segment[1] = 1;
        c[k].point[1] = tdi_vec3(0, 0.1 + 0.05 * k, 0);
    }
    hold(&s, c, 2);
    set_steps(&s, 1.0 / 60, 1e-6);
    go_steps(&s, 120);
    for (int k = 0; k < 2; k++) {
        CHECK(td_island_constraint(s.island, k).unmet);
        CHECK(td_island_constraint(s.island, k).error < 0.1); // it swings about 0.025
    }
    CHECK(energy_of(&s) < 1e3 && isfinite(energy_of(&s)));
}

// A zigzag of 10,000 bars along which residuals and errors of second order add up, with the same
// constraint again and again.
static void take_few_iterations(const td_constraint *one, int32_t every, int32_t most) {
    enum { BARS = 10000, STEPS = 10 };
    const int32_t count = (BARS - 5) / every;
    FREED place2 *at = calloc(BARS + 1, sizeof *at);
    FREED td_constraint *c = calloc((size_t)count, sizeof *c);
    for (int32_t k = 0; k <= BARS; k++) {
        at[k] = (place2){0.008 * k, k % 2 ? 0.006 : 0};
    }
    for (int32_t k = 0; k < count; k++) {
        c[k] = *one;
        c[k].segment[0] += every * (k + 1) - 1;
        c[k].segment[1] += every * (k + 1) - 1;
        c[k].point[0].y = 0.01;
    }
    OWNED(held_island) s = {.count = 1};
    s.actor[0] = bars(at, BARS, TD_JOINT_BALL, 1, ROUND);
    hold(&s, c, count);
    set_steps(&s, 1.0 / 240, 1e-4);
    go_steps(&s, STEPS);
    for (int32_t k = 0; k < count; k++) {
        CHECK(td_island_constraint(s.island, k).error <= 1e-9);
    }
    CHECK_SAY(s.stats.iterations <= most && s.stats.halved == 0, "%d iterations",
              (int)s.stats.iterations);
}

// Where residuals decided, steps took 20 iterations and were halved; where errors made the
// geometric stiffness of inertia, 6; where bodies do not follow those that carry them, 39 in all.
TD_TEST(constraint_long_chains_take_few_iterations) {
    const td_constraint hold = td_constraint_default(TD_CONSTRAINT_POINT);
    take_few_iterations(&hold, 10, 32);
}

// Without forces of the bars among those that increments lead to, four a step.
TD_TEST(constraint_long_chains_with_bars_take_few_iterations) {
    td_constraint bar = td_constraint_default(TD_CONSTRAINT_DISTANCE);
    bar.actor[1] = 0;
    bar.segment[1] = 4;
    bar.as_found = true;
    take_few_iterations(&bar, 2, 35);
}

// A constraint is met in each of 60 steps, with so many iterations a step at most.
static void check_iterations(held_island *s, const td_constraint *c, double dt, int32_t each) {
    hold(s, c, 1);
    set_steps(s, dt, 1e-10);
    for (int32_t k = 0; k < 60 && go_on(s); k++) {
        CHECK(td_island_constraint(s->island, 0).error <= 1e-9);
    }
    CHECK_SAY(s->stats.iterations <= each * 60, "%d iterations", (int)s->stats.iterations);
}

// The axis turns with one segment and guides another: its second derivatives are rows of the tree.
TD_TEST(constraint_of_a_slider_within_a_tree_takes_few_iterations) {
    OWNED(held_island) s = chain_of(6, TD_JOINT_BALL);
    td_constraint slide = td_constraint_default(TD_CONSTRAINT_SLIDER);
    slide.actor[1] = 0;
    slide.segment[0] = 5;
    slide.segment[1] = 1;
    slide.point[0] = tdi_as_tree_model(s.actor[0].model)->body[5].tip;
    slide.point[1] = tdi_vec3(0.1, 0.2, 0);
    slide.axis[0] = slide.axis[1] = tdi_vec3(0.6, 0.8, 0);
    slide.as_found = true;
    check_iterations(&s, &slide, 1.0 / 20, 8); // else 12
}

// The second derivative of the distance is part of the Hessian.
TD_TEST(constraint_of_a_distance_to_the_world_takes_few_iterations) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    td_constraint rod = td_constraint_default(TD_CONSTRAINT_DISTANCE);
    rod.segment[0] = 2;
    rod.point[0] = tdi_as_tree_model(s.actor[0].model)->body[2].tip;
    rod.point[1] = tdi_vec3(0.9, 0.55, 0);
    rod.as_found = true;
    check_iterations(&s, &rod, 1.0 / 60, 4); // else 8
}

TD_TEST(constraint_redundant_ones_are_met) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    const td_constraint c[3] = {pin_at_tip(2), pin_at_tip(2), pin_at_tip(2)};
    hold(&s, c, 3);
    set_steps(&s, 1.0 / 60, 1e-6);
    bool going = true;
    for (int32_t k = 0; k < 60 && going; k++) {
        going = go_on(&s);
        for (int i = 0; i < 3; i++) {
            CHECK(!td_island_constraint(s.island, i).unmet);
            CHECK(td_island_constraint(s.island, i).error <= 1e-9);
        }
    }
    CHECK_INT(s.stats.halved, 0);
}

TD_TEST(constraint_a_chain_pulled_farther_than_it_reaches_is_reported_and_stays_whole) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    td_constraint c = pin_at_tip(2);
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-6);
    bool going = true, unmet = false;
    for (int32_t k = 0; k < 120 && going; k++) {
        td_constraint_target target = c.target;
        target.position.x = fmin(0.02 * k, 0.8);
        CHECK(td_island_set_target(s.island, 0, &target, NULL) == TD_OK);
        going = go_on(&s);
        unmet = unmet || td_island_constraint(s.island, 0).unmet;
        CHECK(isfinite(energy_of(&s)));
    }
    CHECK(unmet);
    CHECK(energy_of(&s) < 100);
}

// ---- memory ---------------------------------------------------------------------------------

TD_TEST(constraint_steps_allocate_nothing) {
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    held_island s = chain_of(4, TD_JOINT_BALL);
    const place2 other[3] = {{1.2, 0.8}, {1.3, 0.5}, {1.4, 0.5}};
    s.actor[s.count++] = bars(other, 2, TD_JOINT_BALL, 1, ROUND);
    td_constraint c[2] = {pin_at_tip(1), td_constraint_default(TD_CONSTRAINT_WELD)};
    c[1].segment[0] = 3;
    c[1].actor[1] = 1;
    c[1].segment[1] = 1;
    hold_with(&s, c, 2, NULL, &alloc);
    set_steps(&s, 1.0 / 60, 1e-6);
    const long made = heap.calls;
    CHECK(made > 0);
    for (int32_t k = 0; k < 30; k++) {
        go_on(&s);
    }
    CHECK_INT(heap.calls, made);
    held_free(&s);
}

TD_TEST(constraint_what_a_solver_cannot_hold_is_named_and_leaves_the_island_as_it_was) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    td_constraint c = pin_at_tip(2);
    hold(&s, &c, 1);
    c.segment[0] = 99;
    td_diag diag = {.message = ""};
    CHECK_INT(td_island_constrain(s.island, &c, 1, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "constraint 0: segment[0] is 99; there are 3");
    c.segment[0] = 0;
    c.kind = TD_CONSTRAINT_GEAR;
    c.actor[1] = 0;
    c.segment[1] = 1;
    CHECK_INT(td_island_constrain(s.island, &c, 1, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment 0 has a ball joint; a gear needs hinges or slides");
    c.kind = TD_CONSTRAINT_POINT;
    c.actor[1] = 3;
    CHECK_INT(td_island_constrain(s.island, &c, 1, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "constraint 0: actor[1] is 3; there are 1");
    CHECK_INT(td_island_constraint_count(s.island), 1);
    CHECK(go_on(&s));
}

TD_TEST(constraint_of_a_joint_that_is_free_or_of_a_rod_is_refused) {
    const place2 at[2] = {{0, 1}, {0.3, 1}};
    OWNED(held_island) s = {.count = 1};
    OWNED(td_builder) *b = test_builder();
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *rod = NULL;
    OWNED(td_island) *island = NULL;
    td_segment_def def = td_segment_def_default();
    td_constraint c = td_constraint_default(TD_CONSTRAINT_JOINT);
    td_diag diag = {.message = ""};
    s.actor[0] = bars(at, 1, TD_JOINT_FREE, 1, ROUND);
    hold(&s, NULL, 0);
    CHECK_INT(td_island_constrain(s.island, &c, 1, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment 0 has no joint that can be a hinge, a slide or a ball");
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = test_finish(b);
    CHECK_INT(td_body_model_new(skeleton, "rod", NULL, NULL, &model, &diag), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &rod, &diag), TD_OK);
    CHECK_INT(td_island_new(&rod, 1, NULL, 0, NULL, &island, &diag), TD_OK);
    CHECK_INT(td_island_constrain(island, &c, 1, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "this solver has no joints that a constraint could hold");
}

TD_TEST(island_that_cannot_be_is_refused_in_words) {
    const place2 at[2] = {{0, 1}, {0.3, 1}};
    OWNED(held_island) s = {.count = 1};
    s.actor[0] = bars(at, 1, TD_JOINT_BALL, 1, ROUND);
    td_body *bodies[2] = {s.actor[0].state, NULL};
    td_contact_opts touch = td_contact_opts_default(), method = touch, law = touch;
    td_island *island = NULL;
    td_diag diag = {.message = ""};
    method.method = (td_contact_method)7;
    law.law = (td_impact_law)7;
    const struct {
        int32_t count, colliders;
        const td_contact_opts *touch;
        const char *words;
    } rows[] = {
        {0, 0, NULL, "count is 0; an island needs at least one body"},
        {2, 0, NULL, "body 1 is NULL"},
        {1, -1, &touch, "at least one body and at least 0 colliders, not 1 and -1"},
        {1, 0, &method, "method of the contact options is 7; it must be one of td_contact_method"},
        {1, 0, &law, "law of the contact options is 7; it must be one of td_impact_law"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        CHECK_INT(td_island_new(bodies, rows[k].count, rows[k].touch, rows[k].colliders, NULL,
                                &island, &diag),
                  TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, rows[k].words);
        CHECK(!island);
    }
}

TD_TEST(contact_with_barriers_refuses_a_collider_that_bounces) {
    OWNED(held_island) s = chain_of(3, TD_JOINT_BALL);
    const td_contact_opts touch = td_contact_opts_default();
    td_collider ground = td_collider_default(TD_COLLIDER_PLANE);
    td_diag diag = {.message = ""};
    hold_with(&s, NULL, 0, &touch, NULL);
    ground.position.y = ground.position0.y = -5;
    ground.restitution = 0.5;
    set_steps(&s, 1.0 / 60, 1e-6);
    CHECK_INT(td_island_step(s.island, s.opts, &ground, 1, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "restitution is 0.5; above 0 it needs the contact method exact");
}

TD_TEST(collider_whose_capsule_is_too_long_is_refused) {
    td_collider c = td_collider_default(TD_COLLIDER_CAPSULE);
    td_diag diag = {.message = ""};
    c.radius = 0.1;
    c.length = -1;
    CHECK_INT(td_colliders_check(&c, 1, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "length must be from 0 to 1e9 m");
}

TD_TEST(damping_of_a_kind_that_there_is_not_is_refused) {
    OWNED(held_island) s = chain_of(2, TD_JOINT_BALL);
    OWNED(td_body_model) *model = NULL;
    td_damping_opts opts = td_damping_opts_default();
    td_diag diag = {.message = ""};
    opts.kind = (td_damping_kind)7;
    CHECK_INT(td_body_model_damped_new(s.actor[0].model, &opts, NULL, &model, &diag),
              TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "kind is 7; it must be TD_DAMPING_RATIO or TD_DAMPING_TIME");
}

// ---- contact --------------------------------------------------------------------------------

TD_TEST(constraint_and_contact_hold_together) {
    OWNED(held_island) s = chain_of(6, TD_JOINT_BALL);
    const place2 other[4] = {{0.2, 1.8}, {0.6, 1.6}, {1.0, 1.5}, {1.4, 1.6}};
    s.actor[s.count++] = bars(other, 3, TD_JOINT_BALL, 1, ROUND);
    td_constraint c[2] = {pin_at_tip(0), td_constraint_default(TD_CONSTRAINT_POINT)};
    c[1].actor[0] = 1;
    c[1].segment[0] = 2;
    c[1].actor[1] = 0;
    c[1].segment[1] = 4;
    const td_contact_opts touch = td_contact_opts_default();
    hold_with(&s, c, 2, &touch, NULL);
    set_steps(&s, 1.0 / 120, 1e-6);
    s.ground = td_collider_default(TD_COLLIDER_PLANE);
    s.ground.position = s.ground.position0 = tdi_vec3(0, -0.1, 0);
    s.has_ground = true;
    bool going = true;
    int32_t touching = 0;
    for (int32_t k = 0; k < 240 && going; k++) {
        going = go_on(&s);
        touching += td_island_contacts(s.island, NULL, 0);
        for (int i = 0; i < 2; i++) {
            CHECK(td_island_constraint(s.island, i).error <= 1e-9);
        }
    }
    CHECK(touching > 20);
}

// The gap of a bar on the ground that is pressed for so many steps, over the barrier's range.
static double gap_after(held_island *s, double force, int32_t steps) {
    const td_load press = {.kind = TD_LOAD_FORCE, .point = {0, 0.15, 0}, .vector = {0, -force, 0}};
    td_contact list[2];
    s->opts[0].loads = &press;
    s->opts[0].load_count = 1;
    for (int32_t k = 0; k < steps && go_on(s); k++) {}
    CHECK_INT(td_island_contacts(s->island, list, 2), 2);
    return list[0].gap / (td_contact_opts_default().gap * 0.005);
}

TD_TEST(contact_barrier_grows_stronger_until_a_tenth_of_its_range_is_left_and_weaker_again) {
    const td_contact_opts touch = td_contact_opts_default();
    const place2 at[2] = {{0, 0.00504}, {0.3, 0.00504}};
    OWNED(held_island) s = {.count = 1, .has_ground = true};
    s.actor[0] = bars(at, 1, TD_JOINT_FREE, 1, ROUND);
    hold_with(&s, NULL, 0, &touch, NULL);
    set_steps(&s, 1.0 / 60, 1e-8);
    s.ground = td_collider_default(TD_COLLIDER_PLANE);
    const double before = gap_after(&s, 0, 50);
    CHECK_IN(before, 0.4, 1);
    CHECK_IN(gap_after(&s, 3000, 3), 0, 0.09);
    CHECK_IN(gap_after(&s, 3000, 30), 0.1, 0.11);
    CHECK_REL(gap_after(&s, 0, 50), before, 1e-4);
}
