// SPDX-License-Identifier: MIT
// Actors that sleep: when they do, what wakes them, and what others see of them.

#include "test_world_support.h"

#include "tendril/query.h"

#define TEXT    4096
#define LONGEST 400 // steps until all sleep

// Two sticks that lie across each other on the ground, and one that lies alone, 2 m away.
static const char *sticks(char text[TEXT], const char *with, const char *objects) {
    snprintf(
        text, TEXT,
        "{%s contact: {friction: 0.5}, sleep: {speed: 0.002, time: 0.2},\n"
        " colliders: [{plane: {friction: 0.5}}, {sphere: {radius: 0.1, position: [0, 1, 0]}}],\n"
        " objects: [{name: low, solver: rod, start: drawn, damping: 20, strand: {points: "
        "[[-0.2, 0.0105, 0], [0.2, 0.0105, 0]], segments: 4, radius: 0.01,\n"
        " start: {held: free}, end: {held: free}}},\n"
        " {name: high, solver: rod, start: drawn, damping: 20, strand: {points: "
        "[[0, 0.031, -0.2], [0, 0.031, 0.2]], segments: 4, radius: 0.01,\n"
        " start: {held: free}, end: {held: free}}},\n"
        " {name: alone, solver: rod, start: drawn, damping: 20, strand: {points: "
        "[[2, 0.0105, 0], [2.3, 0.0105, 0]], segments: 4, radius: 0.01,\n"
        " start: {held: free}, end: {held: free}}}%s]}",
        with, objects);
    return text;
}

static bool sleeps(const td_world *w, int32_t actor) {
    return td_world_actor_asleep(w, id_at(w, actor));
}

static bool all_sleep(const td_world *w) {
    bool all = true;
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        all = all && sleeps(w, k);
    }
    return all;
}

// Steps until all sleep.
static void lull(td_world *w) {
    int32_t k = 0;
    for (; k < LONGEST && !all_sleep(w); k++) {
        steps(w, 1);
    }
    CHECK_SAY(k < LONGEST, "not asleep after %d steps", LONGEST);
}

static stage lulled(const char *with, const char *objects) {
    char text[TEXT];
    stage s = stage_of(sticks(text, with, objects));
    lull(s.world);
    return s;
}

// The first two, which touch, wake in the next step; the third sleeps on.
static void check_pair_wakes(stage *s) {
    td_diag diag = {.message = ""};
    CHECK(all_sleep(s->world) || !sleeps(s->world, 0));
    steps(s->world, 1);
    CHECK(!sleeps(s->world, 0));
    CHECK(!sleeps(s->world, 1));
    CHECK(sleeps(s->world, 2));
    CHECK_TEXT(diag.message, "");
    stage_free(s);
}

static void check_all_wake(stage *s) {
    steps(s->world, 1);
    CHECK(!sleeps(s->world, 0));
    CHECK(!sleeps(s->world, 1));
    CHECK(!sleeps(s->world, 2));
    stage_free(s);
}

static void check_none_wakes(stage *s) {
    steps(s->world, 3);
    CHECK(all_sleep(s->world));
    stage_free(s);
}

// ---- sleeping -------------------------------------------------------------------------------

TD_TEST(sleeping_actors_stand_still_to_the_bit_and_are_not_solved) {
    OWNED(stage) s = lulled("", "");
    const td_vec3 at = tip_of(s.world, 1, -1);
    const int64_t solved = td_world_stats(s.world).steps;
    const td_real time = td_world_time(s.world);
    steps(s.world, 60);
    CHECK(apart(at, tip_of(s.world, 1, -1)) == 0);
    CHECK_INT(td_world_stats(s.world).steps, solved);
    CHECK_REL(td_world_time(s.world), time + 1, 1e-9);
    for (int32_t k = 0; k < 3; k++) {
        CHECK(sums_at(s.world, k).energy.kinetic == 0);
    }
}

TD_TEST(sleep_is_off_unless_the_scene_has_it) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}]}");
    steps(s.world, 100);
    CHECK(!sleeps(s.world, 0));
}

// At rest to 2 mm/s the heap's weight is carried but for what its remaining motion takes.
TD_TEST(contacts_of_a_sleeping_heap_carry_its_weight) {
    OWNED(stage) s = lulled("", "");
    td_contact list[64];
    steps(s.world, 5);
    const int32_t count = td_world_contacts(s.world, list, 64);
    td_real up = 0, weight = 0;
    for (int32_t k = 0; k < count; k++) {
        up += list[k].other_actor == TD_NONE ? list[k].force.y : 0;
    }
    for (int32_t k = 0; k < 3; k++) {
        const td_actor a = actor_at(s.world, k);
        for (int32_t i = 0; i < a.segment_count; i++) {
            weight += 9.81 * td_skeleton_segments(a.skeleton)[i].mass;
        }
    }
    CHECK(count > 3);
    CHECK_REL(up, weight, 1e-3);
}

TD_TEST(nothing_begins_or_ends_to_touch_when_things_fall_asleep_or_wake) {
    char text[TEXT];
    OWNED(stage) s = stage_of(sticks(text, "", ""));
    td_contact_event events[64];
    CHECK_INT(td_world_watch_contacts(s.world, 256, NULL), TD_OK);
    steps(s.world, 100);
    while (!all_sleep(s.world)) {
        steps(s.world, 1);
        CHECK_INT(td_world_contact_events(s.world, events, 64), 0);
    }
    for (int32_t k = 0; k < 5; k++) {
        steps(s.world, 1);
        CHECK_INT(td_world_contact_events(s.world, events, 64), 0);
    }
    CHECK_INT(td_world_wake_actor(s.world, id_at(s.world, 0), NULL), TD_OK);
    steps(s.world, 1);
    CHECK_INT(td_world_contact_events(s.world, events, 64), 0);
    CHECK(!sleeps(s.world, 0));
}

TD_TEST(program_puts_an_island_to_sleep_and_wakes_it) {
    char text[TEXT];
    OWNED(stage) s = stage_of(sticks(text, "", ""));
    td_diag diag = {.message = ""};
    const td_actor_id low = id_at(s.world, 0), none = {0};
    steps(s.world, 3);
    CHECK_INT(td_world_sleep_actor(s.world, low, &diag), TD_OK);
    CHECK(!sleeps(s.world, 0));
    steps(s.world, 1);
    CHECK(sleeps(s.world, 0) && sleeps(s.world, 1) && !sleeps(s.world, 2));
    steps(s.world, 3);
    CHECK(sleeps(s.world, 0));
    CHECK_INT(td_world_wake_actor(s.world, id_at(s.world, 1), &diag), TD_OK);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1));
    CHECK_INT(td_world_sleep_actor(s.world, none, &diag), TD_ERR_STALE);
    CHECK_INT(td_world_wake_actor(s.world, none, &diag), TD_ERR_STALE);
    CHECK(!td_world_actor_asleep(s.world, none));
}

TD_TEST(actors_of_every_solver_sleep_when_they_have_come_to_rest) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        OWNED(stage) s = stage_printed(
            "{sleep: {}, objects: [{solver: %s, start: drawn, relaxation_time: 0.1, strand: "
            "{points: [[0, 0, 0], [0.3, 0.01, 0]], segments: 4, radius: 0.01}}]}",
            td_solver_get(k).name);
        CHECK(!sleeps(s.world, 0));
        lull(s.world);
    }
}

// ---- waking ---------------------------------------------------------------------------------

// One iteration is not enough for the loose stick to fall, but for the stem at rest. When the
// budget ends, it falls.
TD_TEST(actor_that_stays_in_the_air_because_its_steps_are_truncated_does_not_sleep) {
    static const char text[] =
        "{contact: {}, step: 1/20, sleep: {}, colliders: [{plane: {}}], objects: [\n"
        " {start: drawn, position: [0, 0.3, 0], strand: {points: [[0, 0, 0], [0.2, 0.02, 0.1]],\n"
        "  segments: 5, radius: 0.01, material: rope, start: {held: free}}},\n"
        " {position: [1, 0.3, 0], strand: {points: [[0, 0, 0], [0.2, 0.02, 0.1]], segments: 5,\n"
        "  radius: 0.01, material: green-wood}}]}";
    OWNED(stage) s = stage_of(text);
    const td_real height = td_world_bounds(s.world, id_at(s.world, 0)).low.y;
    CHECK_INT(td_world_set_budget(s.world, 1, 0, NULL), TD_OK);
    steps(s.world, 40);
    CHECK_REL(td_world_bounds(s.world, id_at(s.world, 0)).low.y, height, 1e-3);
    CHECK(td_world_stats(s.world).truncated >= 40);
    CHECK(!sleeps(s.world, 0));
    CHECK(sleeps(s.world, 1));
    CHECK_INT(td_world_set_budget(s.world, 0, 0, NULL), TD_OK);
    lull(s.world);
    CHECK(td_world_bounds(s.world, id_at(s.world, 0)).low.y < 0.01);
}

TD_TEST(hand_that_grabs_moves_or_lets_go_wakes_a_sleeper) {
    stage s = lulled("", "");
    const td_vec3 at = tip_of(s.world, 0, 0);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 0), 0, tdi_vec3(0, 0.1, 0), at, 0.1, NULL),
              TD_OK);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && sleeps(s.world, 2));
    lull(s.world); // a hand that stands lets it sleep
    CHECK_INT(td_world_grab_to(s.world, tdi_add(at, tdi_vec3(0, 0.01, 0)), NULL), TD_OK);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0) && sleeps(s.world, 2));
    lull(s.world);
    td_world_release(s.world);
    check_pair_wakes(&s);
}

TD_TEST(grab_of_a_program_and_a_torque_wake_a_sleeper) {
    stage s = lulled("", "");
    td_grab_def def = td_grab_def_default();
    td_grab_id id;
    def.actor = id_at(s.world, 1);
    def.to = tip_of(s.world, 1, 0);
    def.stiffness = 0.1;
    CHECK_INT(td_world_add_grab(s.world, &def, &id, NULL), TD_OK);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && sleeps(s.world, 2));
    lull(s.world);
    CHECK_INT(td_world_remove_grab(s.world, id, NULL), TD_OK);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 1));
    lull(s.world);
    CHECK_INT(td_world_set_torque(s.world, id_at(s.world, 0), 0, 1e-6, NULL), TD_OK);
    check_pair_wakes(&s);
}

TD_TEST(loads_that_begin_and_end_wake_sleepers) {
    static const char *const loads[] = {"push: {force: [0, 0.001, 0]", "pull: {by: [0, 0.001, 0]"};
    for (int k = 0; k < 2; k++) {
        char text[TEXT];
        snprintf(text, sizeof text, "loads: [{%s, object: low, segment: 1, start: 20, end: 30}}],",
                 loads[k]);
        stage s = lulled(text, "");
        run_to(s.world, 20);
        CHECK(all_sleep(s.world));
        steps(s.world, 2);
        CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && sleeps(s.world, 2));
        lull(s.world);
        run_to(s.world, 30);
        steps(s.world, 1);
        check_pair_wakes(&s);
    }
}

TD_TEST(pose_that_changes_wakes_a_sleeper_and_one_that_stays_does_not) {
    OWNED(stage) s =
        lulled("loads: [{pose: {object: low, strength: 0.1, bend: {keys: [[20, [0, 0, 0]], "
               "[21, [0, 0, 0.01]]]}}}],",
               "");
    run_to(s.world, 20);
    CHECK(all_sleep(s.world));
    steps(s.world, 2);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && sleeps(s.world, 2));
}

TD_TEST(gravity_that_changes_wakes_all) {
    stage s = lulled("", "");
    set(s.world, "gravity.y", -9.8);
    check_all_wake(&s);
}

TD_TEST(stiffness_step_and_integrator_that_change_wake_those_they_concern) {
    stage s = lulled("", "");
    set(s.world, "objects[1].stiffness", 2);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && sleeps(s.world, 2));
    lull(s.world);
    set(s.world, "objects[0].twisting", 2);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && sleeps(s.world, 2));
    lull(s.world);
    for (int32_t k = 0; k < 3; k++) {
        CHECK_INT(td_world_set_integrator(s.world, k, TD_IMPLICIT_EULER, NULL), TD_OK);
    }
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && !sleeps(s.world, 2));
    lull(s.world);
    set(s.world, "step", 0.01);
    check_all_wake(&s);
}

TD_TEST(wind_that_varies_keeps_awake_and_steady_wind_wakes_when_it_changes) {
    OWNED(stage) s = lulled("loads: [{wind: {velocity: [0, 0, 0]}}],", "");
    set(s.world, "loads[0].wind.velocity.x", 0.01);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && !sleeps(s.world, 2));
    lull(s.world); // it blows steadily
    set(s.world, "loads[0].wind.intensity", 0.2);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 2));
    steps(s.world, 60);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 2));
    set(s.world, "objects[2].drag", 0); // which does not feel it
    steps(s.world, 60);
    CHECK(!sleeps(s.world, 0) && sleeps(s.world, 2));
}

static void lift(void *context, td_real time, td_actor_id actor, int32_t count, const td_vec3 *tips,
                 const td_vec3 *velocities, td_vec3 *forces) {
    (void)time;
    (void)count;
    (void)tips;
    (void)velocities;
    if (actor.place == 1) {
        forces[0].y += *(const td_real *)context;
    }
}

TD_TEST(force_field_wakes_those_it_moves) {
    stage s = lulled("", "");
    td_real force = 0;
    CHECK_INT(td_world_set_field(s.world, lift, &force, NULL), TD_OK);
    lull(s.world);
    steps(s.world, 3);
    CHECK(all_sleep(s.world));
    force = 1e-4;
    check_pair_wakes(&s);
}

TD_TEST(collider_that_moves_near_wakes_and_one_far_away_does_not) {
    stage s = lulled("", "");
    const td_collider_id ball = td_world_collider_id(s.world, 1);
    const td_quat q = tdi_quat_identity();
    CHECK_INT(td_world_move_collider(s.world, ball, tdi_vec3(0, 0.9, 0), q, NULL), TD_OK);
    steps(s.world, 2);
    CHECK(all_sleep(s.world));
    CHECK_INT(td_world_move_collider(s.world, ball, tdi_vec3(0, 0.142, 0), q, NULL), TD_OK);
    check_pair_wakes(&s);
}

// A ball pushes the end of the upper stick down by a centimetre, of two to the ground.
TD_TEST(collider_that_falls_onto_a_sleeper_by_its_keys_pushes_it) {
    static const char at[] = "position: [0, 1, 0]",
                      keys[] = "position: {keys: [[0, [0, 1, 0.19]], [8, [0, 1, 0.19]], "
                               "[9, [0, 0.131, 0.19]]], interpolate: linear}";
    char text[TEXT], keyed[TEXT];
    const char *ball = strstr(sticks(text, "", ""), at);
    CHECK(ball != NULL);
    snprintf(keyed, sizeof keyed, "%.*s%s%s", (int)(ball - text), text, keys, ball + strlen(at));
    OWNED(stage) s = stage_of(keyed);
    run_to(s.world, 8);
    CHECK(all_sleep(s.world));
    CHECK_IN(tip_of(s.world, 1, -1).y, 0.028, 0.032);
    run_to(s.world, 9);
    CHECK(!sleeps(s.world, 1));
    CHECK_IN(tip_of(s.world, 1, -1).y, 0.01, 0.0225);
}

TD_TEST(colliders_that_come_go_or_change_wake_what_is_near) {
    OWNED(stage) s = lulled("", "");
    td_collider ball = td_collider_default(TD_COLLIDER_SPHERE);
    td_collider_id id;
    ball.radius = 0.05;
    ball.position = tdi_vec3(2.15, 0.06, 0.055); // 1.4 cm beside it
    CHECK_INT(td_world_add_collider(s.world, &ball, &id, NULL), TD_OK);
    steps(s.world, 1);
    CHECK(sleeps(s.world, 0) && !sleeps(s.world, 2));
    lull(s.world);
    ball.radius = 0.04;
    CHECK_INT(td_world_resize_collider(s.world, id, &ball, NULL), TD_OK);
    steps(s.world, 1);
    CHECK(sleeps(s.world, 0) && !sleeps(s.world, 2));
    lull(s.world);
    CHECK_INT(td_world_enable_collider(s.world, td_world_collider_id(s.world, 0), false, NULL),
              TD_OK);
    steps(s.world, 1); // the ground is gone
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 2));
}

TD_TEST(actor_that_comes_near_wakes_a_sleeper_and_one_that_leaves_does) {
    stage s = lulled("", "");
    td_actor_def def = td_actor_def_default();
    td_actor_id id;
    def.position = tdi_vec3(0, 0.3, 0);
    CHECK_INT(td_world_add_actor(s.world, &def, &id, NULL), TD_OK);
    steps(s.world, 5);
    CHECK(sleeps(s.world, 0) && sleeps(s.world, 1) && !sleeps(s.world, 3));
    steps(s.world, 25); // it falls 0.28 m in 0.24 s
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && sleeps(s.world, 2));
    CHECK(tip_of(s.world, 3, -1).y > 0.005); // it lies on the others
    lull(s.world);
    CHECK_INT(td_world_remove_actor(s.world, id, NULL), TD_OK);
    check_pair_wakes(&s);
}

TD_TEST(actor_that_is_placed_moved_or_disabled_wakes_those_it_touched) {
    OWNED(stage) s = lulled("", "");
    const td_actor_id high = id_at(s.world, 1);
    const td_quat q = tdi_quat_identity();
    CHECK_INT(td_world_place_actor(s.world, high, tdi_vec3(0, 0.2, 0), q, NULL), TD_OK);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1));
    lull(s.world);
    CHECK_INT(td_world_enable_actor(s.world, high, false, NULL), TD_OK);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && sleeps(s.world, 2));
    steps(s.world, 1);
    CHECK_INT(td_world_enable_actor(s.world, high, true, NULL), TD_OK);
    lull(s.world);
    CHECK_INT(td_world_move_actor(s.world, id_at(s.world, 2), tdi_vec3(0.001, 0, 0), q, NULL),
              TD_OK);
    steps(s.world, 1);
    CHECK(sleeps(s.world, 0) && !sleeps(s.world, 2));
}

TD_TEST(constraints_that_begin_move_let_go_or_end_wake_sleepers) {
    OWNED(stage) s =
        lulled("constraints: [{distance: {a: {object: low}, b: {object: alone}, start: 20, "
               "end: 30}},\n {point: {a: {object: alone, segment: 1}}}],",
               "");
    run_to(s.world, 20);
    CHECK(all_sleep(s.world));
    steps(s.world, 2);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 2));
    lull(s.world);
    set(s.world, "constraints[1].point.by.y", 1e-4);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 2));
    lull(s.world);
    CHECK_INT(td_world_set_hold(s.world, td_world_constraint_id(s.world, 1), false, NULL), TD_OK);
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 2));
    lull(s.world);
    run_to(s.world, 30);
    steps(s.world, 2);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 2));
}

TD_TEST(settling_wakes_all) {
    OWNED(stage) s = lulled("", "");
    CHECK_INT(td_world_settle(s.world, NULL, NULL), TD_OK);
    CHECK(!sleeps(s.world, 0) && !sleeps(s.world, 1) && !sleeps(s.world, 2));
}

TD_TEST(nothing_that_stays_the_same_wakes_a_sleeper) {
    stage s = lulled("loads: [{push: {object: low, segment: 1, force: [0, 1e-4, 0]}}],", "");
    check_none_wakes(&s);
}

TD_TEST(base_that_moves_by_keys_wakes_what_stands_on_it) {
    OWNED(stage) s =
        stage_of("{sleep: {}, objects: [{start: settled, " ROD
                 ", position: {keys: [[0, [0, 0, 0]], [1, [0, 0, 0]], [1.5, [0.01, 0, 0]], "
                 "[3, [0.01, 0, 0]]], interpolate: linear}}]}");
    run_to(s.world, 1);
    CHECK(sleeps(s.world, 0));
    steps(s.world, 1);
    CHECK(!sleeps(s.world, 0));
    run_to(s.world, 1.5);
    CHECK(!sleeps(s.world, 0));
}

TD_TEST(adaptive_trees_sleep_and_wake) {
    OWNED(stage) s =
        stage_of("{sleep: {}, objects: [{integrator: adaptive, start: settled, " ROD "}]}");
    lull(s.world);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 0), 3, tdi_vec3(0, 0, 0), tdi_vec3(0.1, 0.4, 0),
                            1, NULL),
              TD_OK);
    const td_vec3 at = tip_of(s.world, 0, -1);
    steps(s.world, 1); // so stiff a rod diverges in the next
    CHECK(!sleeps(s.world, 0));
    CHECK(apart(at, tip_of(s.world, 0, -1)) > 0);
}

TD_TEST(base_of_a_sleeper_is_known_to_carry_it_also_after_a_restore) {
    const char *text = "{sleep: {}, objects: [{start: settled, " ROD "}]}";
    OWNED(stage) a = stage_of(text), b = stage_of(text);
    td_reaction one, other;
    const td_actor_id id = id_at(a.world, 0);
    CHECK_INT(td_world_watch_base(a.world, id, true, NULL), TD_OK);
    lull(a.world);
    steps(a.world, 2);
    restore_from(b.world, a.world);
    steps(b.world, 2);
    CHECK_INT(td_world_base_reaction(a.world, id, &one, NULL), TD_OK);
    CHECK_INT(td_world_base_reaction(b.world, id, &other, NULL), TD_OK);
    CHECK(one.force.y > 0 && memcmp(&one, &other, sizeof one) == 0);
}

// ---- laws -----------------------------------------------------------------------------------

TD_TEST(steps_in_which_things_fall_asleep_and_wake_take_no_memory) {
    char text[TEXT];
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    OWNED(stage) s = roomy_stage(sticks(text, "", ""), 1, &alloc);
    CHECK_INT(s.status, TD_OK);
    const long calls = heap.calls;
    lull(s.world);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 1), 0, tdi_vec3(0, 0, 0), tdi_vec3(0, 0.2, 0),
                            0.2, NULL),
              TD_OK);
    steps(s.world, 5);
    CHECK(!sleeps(s.world, 0));
    CHECK_INT(heap.calls, calls);
}

static td_real energy_of(td_world *w) {
    td_real sum = 0;
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        const td_energy e = sums_at(w, k).energy;
        sum += e.kinetic + e.elastic + e.weight;
    }
    return sum;
}

TD_TEST(waking_never_adds_energy) {
    OWNED(stage) s = lulled("", "");
    const td_real start = energy_of(s.world);
    for (int32_t k = 0; k < 3; k++) {
        CHECK_INT(td_world_wake_actor(s.world, id_at(s.world, k), NULL), TD_OK);
    }
    for (int32_t k = 0; k < 60; k++) {
        steps(s.world, 1);
        CHECK_SAY(energy_of(s.world) <= start, "%g J more at step %d", energy_of(s.world) - start,
                  (int)k);
    }
}

static void hear(void *context, td_log_level level, const char *text) {
    snprintf(context, 256, "%s", text);
    (void)level;
}

// The last message is that a stick woke, because of this.
static void check_reason(td_world *w, char heard[256], const char *reason) {
    steps(w, 1);
    CHECK_HAS(heard, "' wakes at ");
    CHECK_HAS(heard, reason);
    lull(w);
    heard[0] = '\0';
}

TD_TEST(log_says_why_sleepers_wake) {
    char text[TEXT], heard[256] = "";
    td_world_opts opts = td_world_opts_default();
    opts.log = (td_log){hear, heard, TD_LOG_INFO};
    OWNED(stage) s = stage_with(sticks(text, "", ""), opts, NULL);
    lull(s.world);
    const td_actor_id alone = id_at(s.world, 2);
    const td_collider_id ball = td_world_collider_id(s.world, 1);
    CHECK_INT(td_world_wake_actor(s.world, alone, NULL), TD_OK);
    check_reason(s.world, heard, "'alone' wakes at");
    CHECK_INT(td_world_wake_actor(s.world, alone, NULL), TD_OK);
    check_reason(s.world, heard, ": the program has woken it");
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 2), 0, tdi_vec3(0, 0, 0), tdi_vec3(2, 0.02, 0),
                            0.1, NULL),
              TD_OK);
    check_reason(s.world, heard, ": its loads have changed");
    CHECK_INT(
        td_world_move_collider(s.world, ball, tdi_vec3(0, 0.142, 0), tdi_quat_identity(), NULL),
        TD_OK);
    check_reason(s.world, heard, ": a collider has moved within reach");
}

TD_TEST(step_that_fails_wakes_nobody) {
    OWNED(stage) s = lulled("", "");
    td_diag diag = {.message = ""};
    td_collider lid = td_collider_default(TD_COLLIDER_BOX);
    td_collider_id id;
    lid.sides = tdi_vec3(1, 0.1, 1);
    lid.position = tdi_vec3(0, 0.2, 0);
    CHECK_INT(td_world_add_collider(s.world, &lid, &id, &diag), TD_OK);
    lull(s.world);
    CHECK_INT(
        td_world_grab(s.world, id_at(s.world, 2), 0, tdi_vec3(0, 0, 0), tdi_vec3(2, 1, 0), 1, NULL),
        TD_OK);
    // the lid leaves the first two no room
    CHECK_INT(td_world_move_collider(s.world, id, tdi_vec3(0, 0.05, 0), tdi_quat_identity(), &diag),
              TD_OK);
    char *before = saved(s.world), *after;
    CHECK_INT(td_world_step(s.world, &diag), TD_ERR_DIVERGED);
    CHECK(all_sleep(s.world));
    after = saved(s.world);
    CHECK(memcmp(before, after, td_world_save_size(s.world)) == 0);
    free(before);
    free(after);
}

static void wake_between(td_world *world) {
    steps(world, 100);
    CHECK(td_world_grab(world, id_at(world, 1), 0, tdi_vec3(0, 0, 0), tdi_vec3(0, 0.2, 0), 0.2,
                        NULL) == TD_OK);
    steps(world, 5);
    td_world_release(world);
    steps(world, 100);
    CHECK(sleeps(world, 2));
}

TD_TEST(sleeping_has_the_same_bits_on_any_number_of_threads) {
    char text[TEXT];
    check_threads(sticks(text, "", ""), wake_between, 1);
}

static int32_t contacts_of(const td_world *w, td_contact list[64]) {
    memset(list, 0, 64 * sizeof *list);
    return td_world_contacts(w, list, 64);
}

TD_TEST(world_that_is_saved_asleep_goes_on_with_the_same_bits) {
    char text[TEXT];
    OWNED(stage) a = lulled("", ""), b = stage_of(sticks(text, "", ""));
    td_contact one[64], other[64];
    restore_from(b.world, a.world);
    CHECK(all_sleep(b.world));
    CHECK(same_bits(a.world, b.world));
    CHECK_INT(contacts_of(a.world, one), contacts_of(b.world, other));
    CHECK(memcmp(one, other, sizeof one) == 0);
    for (int32_t k = 0; k < 40; k++) {
        if (k == 10) {
            set(a.world, "objects[1].stiffness", 2);
            set(b.world, "objects[1].stiffness", 2);
        }
        steps(a.world, 1);
        steps(b.world, 1);
        CHECK_SAY(same_bits(a.world, b.world), "other bits at step %d", (int)k);
        CHECK(sleeps(b.world, 0) == (k < 10) || k > 20);
    }
}

TD_TEST(sleeper_wakes_when_a_save_of_another_time_says_so) {
    char text[TEXT];
    OWNED(stage) a = stage_of(sticks(text, "", ""));
    steps(a.world, 3);
    const size_t size = td_world_save_size(a.world);
    FREED char *bytes = saved(a.world);
    lull(a.world);
    CHECK_INT(td_world_restore(a.world, bytes, size, NULL), TD_OK);
    CHECK(!sleeps(a.world, 0) && td_world_contacts(a.world, NULL, 0) == 0);
}

TD_TEST(world_with_sleep_is_restored_at_any_time) {
    char text[TEXT];
    check_restoring(sticks(text, "", ""), 8, 12);
}
