// SPDX-License-Identifier: MIT
// Constraints that come and go while a world runs, and actors that others carry.

#include "test_world_support.h"

#include "tendril/attach.h"

#define TEXT 4096

// A vine that hangs from its start, a lamp that is loose, and a flower that stands on a base.
static const char *garden(char text[TEXT], const char *solver, const char *with) {
    snprintf(text, TEXT,
             "{%s objects: [\n"
             " {name: vine, solver: %s, start: drawn, relaxation_time: 0.05, strand: {points: "
             "[[0, 0, 0], [0.4, 0, 0]], segments: 4, radius: 0.01}},\n"
             " {name: lamp, solver: tree, loose: true, start: drawn, position: [3, 0, 0], strand: "
             "{points: [[0, 0, 0], [0, -0.1, 0]], segments: 2, radius: 0.02}},\n"
             " {name: flower, solver: tree, start: drawn, position: [-3, 0, 0], relaxation_time: "
             "0.05, strand: {points: [[0, 0, 0], [0, 0.1, 0]], segments: 2, radius: 0.002}}]}",
             with, solver);
    return text;
}

static stage planted(const char *solver) {
    char text[TEXT];
    return stage_of(garden(text, solver, ""));
}

static td_status attach(td_world *w, int32_t actor, int32_t to, int32_t segment, td_vec3 position) {
    td_attach_def def = td_attach_def_default();
    td_diag diag = {.message = ""};
    def.actor = id_at(w, actor);
    def.to = id_at(w, to);
    def.segment = segment;
    def.position = position;
    const td_status status = td_world_attach(w, &def, &diag);
    CHECK_SAY(status == TD_OK, "%s", diag.message);
    return status;
}

// How far the first joint of an actor is from where it is attached.
static td_real gap(const td_world *w, int32_t actor, int32_t to, int32_t segment, td_vec3 at) {
    td_vec3 origin, own;
    td_quat turn;
    segment_at(w, to, segment, &origin, NULL, &turn);
    segment_at(w, actor, 0, &own, NULL, NULL);
    return apart(tdi_add(origin, tdi_quat_rotate(turn, at)), own);
}

// ---- constraints ----------------------------------------------------------------------------

// With the indices of actors that the constraint has.
static td_status constrain(td_world *w, const td_constraint *c, td_constraint_id *out,
                           td_diag *diag) {
    return td_world_add_constraint(w, c, id_at(w, c->actor[0]), id_at(w, c->actor[1]), out, diag);
}

// One that is added before the first step and one of the scene are the same.
TD_TEST(constraint_that_is_added_holds_as_one_of_the_scene_does) {
    char text[TEXT];
    OWNED(stage) a = stage_of(garden(text, "rod",
                                     "constraints: [{point: {a: {object: vine, segment: 3}, "
                                     "to: [0.4, 0, 0]}}],"));
    OWNED(stage) b = planted("rod");
    td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
    td_constraint_id id;
    td_diag diag = {.message = ""};
    c.segment[0] = 3;
    c.point[0] = td_skeleton_segments(actor_at(b.world, 0).skeleton)[3].tip;
    c.as_found = false;
    c.target.position = tdi_vec3(0.4, 0, 0);
    CHECK_INT(constrain(b.world, &c, &id, &diag), TD_OK);
    steps(a.world, 30);
    steps(b.world, 30);
    for (int32_t k = 0; k < 4; k++) {
        CHECK(apart(tip_of(a.world, 0, k), tip_of(b.world, 0, k)) == 0);
    }
    CHECK(tip_of(b.world, 0, 1).y < -0.001); // it sags between
    CHECK(constraint_at(b.world, 0).active);
    CHECK_INT(td_world_constraint_index(b.world, id), 0);
    CHECK_TEXT(td_world_constraint_name(b.world, td_world_constraint_id(b.world, 0)), "point 1");
    // and lets go
    CHECK_INT(td_world_remove_constraint(b.world, id, &diag), TD_OK);
    CHECK_INT(td_world_remove_constraint(b.world, id, &diag), TD_ERR_STALE);
    steps(b.world, 10);
    CHECK(tip_of(b.world, 0, -1).y < -0.01);
    CHECK(!constraint_at(b.world, 0).active);
}

TD_TEST(target_of_a_constraint_that_was_added_leads_its_point) {
    OWNED(stage) s = planted("tree");
    td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
    td_constraint_id id;
    td_diag diag = {.message = ""};
    c.segment[0] = 3;
    c.as_found = false;
    c.target.position = tdi_vec3(0.25, 0, 0);
    CHECK_INT(constrain(s.world, &c, &id, &diag), TD_OK);
    for (int32_t k = 0; k < 30; k++) {
        c.target.position.y = 0.002 * k;
        CHECK_INT(td_world_set_target(s.world, id, &c.target, &diag), TD_OK);
        steps(s.world, 1);
        td_vec3 joint;
        segment_at(s.world, 0, 3, &joint, NULL, NULL);
        CHECK_SAY(apart(joint, c.target.position) < 1e-8, "%g m off",
                  apart(joint, c.target.position));
    }
    c.target.position.x = NAN;
    CHECK_INT(td_world_set_target(s.world, id, &c.target, &diag), TD_ERR_ARGUMENT);
}

// Those of the scene go on with the forces that they had, to the bit.
TD_TEST(constraint_that_comes_elsewhere_changes_no_bit_of_others) {
    char text[TEXT];
    const char *with = "constraints: [{point: {a: {object: vine}}}, {point: {a: {object: lamp}}}],";
    OWNED(stage) a = stage_of(garden(text, "rod", with)), b = stage_of(text);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
    td_constraint_id id;
    steps(a.world, 10);
    steps(b.world, 10);
    c.actor[0] = 2;
    CHECK_INT(constrain(b.world, &c, &id, NULL), TD_OK);
    steps(a.world, 10);
    steps(b.world, 10);
    CHECK(apart(tip_of(a.world, 0, -1), tip_of(b.world, 0, -1)) == 0);
    CHECK(apart(tip_of(a.world, 1, -1), tip_of(b.world, 1, -1)) == 0);
}

TD_TEST(bad_constraints_are_refused_and_nothing_changes) {
    OWNED(stage) s = planted("rod");
    td_diag diag = {.message = ""};
    td_constraint_id id;
    FREED char *before = saved(s.world);
    const size_t size = td_world_save_size(s.world);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_WELD);
    c.actor[0] = 7;
    CHECK_INT(constrain(s.world, &c, &id, &diag), TD_ERR_STALE);
    CHECK_HAS(diag.message, "names no actor");
    c.actor[0] = 0;
    c.segment[0] = 9;
    CHECK_INT(constrain(s.world, &c, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment[0] is 9; 'vine' has 4");
    c.segment[0] = 1;
    c.actor[1] = 0;
    c.segment[1] = 1;
    CHECK_INT(constrain(s.world, &c, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "both sides are the same segment");
    CHECK_INT(td_world_set_integrator(s.world, 2, TD_EULER, NULL), TD_OK);
    c.actor[1] = 2;
    CHECK_INT(constrain(s.world, &c, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "'flower' cannot be held");
    CHECK_INT(td_world_set_integrator(s.world, 2, TD_IMPLICIT_EULER, NULL), TD_OK);
    CHECK_INT(constrain(s.world, &c, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "'vine' and 'flower' have different integrators");
    CHECK_INT(td_world_set_integrator(s.world, 2, TD_IMPLICIT, NULL), TD_OK);
    CHECK_INT(td_world_enable_actor(s.world, id_at(s.world, 2), false, NULL), TD_OK);
    CHECK_INT(constrain(s.world, &c, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "'flower' is disabled");
    CHECK_INT(td_world_enable_actor(s.world, id_at(s.world, 2), true, NULL), TD_OK);
    c = td_constraint_default(TD_CONSTRAINT_CURVE);
    CHECK_INT(constrain(s.world, &c, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "a curve cannot be added while the world runs");
    char text[TEXT];
    OWNED(stage) slow = stage_of(garden(text, "tree", ""));
    c = td_constraint_default(TD_CONSTRAINT_POINT);
    c.actor[1] = TD_NONE;
    set(slow.world, "objects[0].time_scale", 0.5);
    steps(slow.world, 1);
    CHECK_INT(
        td_world_add_constraint(slow.world, &c, id_at(slow.world, 0), (td_actor_id){0}, &id, &diag),
        TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "'vine' cannot be held: it has 'time_scale' or 'local'");
    CHECK_INT(id.place, 0);
    CHECK(size == td_world_save_size(s.world));
    FREED char *after = saved(s.world);
    CHECK(memcmp(before, after, size) == 0);
}

TD_TEST(constraint_of_the_scene_is_not_removed_and_holds_its_actor_in_the_world) {
    OWNED(stage) s =
        stage_of("{objects: [{name: vine, strand: {points: [[0, 0, 0], [0.4, 0, 0]], segments: 4, "
                 "radius: 0.01}}],\n constraints: [{point: {name: nail, a: {segment: 3}}}]}");
    td_diag diag = {.message = ""};
    td_actor_id fallen;
    CHECK_INT(td_world_remove_constraint(s.world, td_world_constraint_id(s.world, 0), &diag),
              TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "constraint 'nail' belongs to the scene");
    CHECK_INT(td_world_remove_actor(s.world, id_at(s.world, 0), &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "constraints of the scene hold 'vine', so that it cannot leave");
    CHECK_INT(td_world_cut_actor(s.world, id_at(s.world, 0), 2, 0, &fallen, &diag),
              TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "so that it cannot be cut or grow");
    CHECK_INT(td_world_enable_actor(s.world, id_at(s.world, 0), false, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "so that it cannot be disabled");
}

// ---- attaching ------------------------------------------------------------------------------

TD_TEST(loose_actor_is_welded_and_what_carries_it_feels_its_weight) {
    const td_vec3 at = {0, 0.1, 0};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        OWNED(stage) with = planted(solvers[k]), without = planted(solvers[k]);
        steps(with.world, 20); // the lamp has fallen far from its base
        steps(without.world, 20);
        CHECK(attach(with.world, 1, 0, 3, at) == TD_OK);
        for (int32_t i = 0; i < 60; i++) {
            steps(with.world, 1);
            steps(without.world, 1);
            // segments of helices bend: the point is held where it was found on them
            const td_real off =
                k < 2 ? gap(with.world, 1, 0, 3, at) : constraint_at(with.world, 0).error;
            CHECK_SAY(off < 1e-8, "%s: %g m at step %d", solvers[k], off, (int)i);
        }
        CHECK_SAY(tip_of(with.world, 0, -1).y < tip_of(without.world, 0, -1).y - 1e-3,
                  "%s: nothing is felt", solvers[k]);
    }
}

// The base goes where the segment will be but for its acceleration: a/2 dt^2 and what a step adds.
TD_TEST(actor_on_a_base_goes_along_with_the_segment_that_carries_it) {
    OWNED(stage) s = planted("rod");
    const td_vec3 at = {0.01, 0.05, 0};
    int32_t segment;
    CHECK(attach(s.world, 2, 0, 2, at) == TD_OK);
    CHECK_INT(td_world_carrier(s.world, id_at(s.world, 2), &segment).place, 1);
    CHECK_INT(segment, 2);
    CHECK_INT(td_world_carrier(s.world, id_at(s.world, 0), &segment).place, 0);
    td_real most = 0;
    const td_real start = tip_of(s.world, 2, -1).y;
    for (int32_t i = 0; i < 60; i++) {
        steps(s.world, 1);
        most = fmax(most, gap(s.world, 2, 0, 2, at));
    }
    CHECK_SAY(most < 9.81 / 3600, "%g m", most);
    CHECK(tip_of(s.world, 2, -1).y < start - 0.01);
    CHECK_SAY(gap(s.world, 2, 0, 2, at) < most, "%g m", gap(s.world, 2, 0, 2, at));
}

static void burst(void *context, td_real time, td_actor_id actor, int32_t count,
                  const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces) {
    (void)time, (void)actor, (void)tips, (void)velocities;
    const bool *armed = context;
    forces[count - 1] = *armed ? tdi_vec3(1.7e308, -1.7e308, 1.7e308) : tdi_vec3(0, 0, 0);
}

TD_TEST(step_that_fails_leaves_what_is_carried_where_it_was) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = planted(solvers[k]);
        bool armed = false;
        CHECK(attach(s.world, 2, 0, 2, (td_vec3){0.01, 0.05, 0}) == TD_OK);
        CHECK_INT(td_world_set_field(s.world, burst, &armed, NULL), TD_OK);
        steps(s.world, 5);
        const size_t size = td_world_save_size(s.world);
        FREED char *before = saved(s.world);
        armed = true;
        CHECK_INT(td_world_step(s.world, NULL), TD_ERR_DIVERGED);
        FREED char *after = saved(s.world);
        CHECK_SAY(memcmp(before, after, size) == 0, "%s", solvers[k]);
    }
}

TD_TEST(actor_is_detached_by_call_by_removal_of_either_and_when_it_is_placed) {
    const td_vec3 at = {0, 0.1, 0};
    td_diag diag = {.message = ""};
    for (int32_t way = 0; way < 4; way++) {
        OWNED(stage) s = planted("rod");
        const td_actor_id lamp = id_at(s.world, 1), vine = id_at(s.world, 0);
        const td_actor_id flower = id_at(s.world, 2);
        CHECK(attach(s.world, 1, 0, 3, at) == TD_OK);
        CHECK(attach(s.world, 2, 0, 1, at) == TD_OK);
        steps(s.world, 3);
        if (way == 0) {
            CHECK_INT(td_world_detach(s.world, lamp, &diag), TD_OK);
            CHECK_INT(td_world_detach(s.world, flower, &diag), TD_OK);
            CHECK_INT(td_world_detach(s.world, flower, &diag), TD_ERR_ARGUMENT);
        } else if (way == 1) {
            CHECK_INT(td_world_remove_actor(s.world, vine, &diag), TD_OK);
        } else if (way == 2) {
            CHECK_INT(td_world_remove_actor(s.world, lamp, &diag), TD_OK);
            CHECK_INT(td_world_place_actor(s.world, flower, tdi_vec3(5, 0, 0), tdi_quat_identity(),
                                           &diag),
                      TD_OK);
        } else {
            CHECK_INT(
                td_world_place_actor(s.world, lamp, tdi_vec3(5, 0, 0), tdi_quat_identity(), &diag),
                TD_OK);
            CHECK_INT(
                td_world_move_actor(s.world, flower, tdi_vec3(5, 0, 0), tdi_quat_identity(), &diag),
                TD_OK);
        }
        CHECK_INT(td_world_carrier(s.world, lamp, NULL).place, 0);
        CHECK_INT(td_world_carrier(s.world, flower, NULL).place, 0);
        const td_real y = tip_of(s.world, 1, 0).y;
        steps(s.world, 30);
        CHECK(way == 2 || tip_of(s.world, 1, 0).y < y - 0.5); // it falls
    }
}

TD_TEST(attachment_breaks_when_too_much_pulls_at_it) {
    OWNED(stage) s = planted("rod");
    td_attach_def def = td_attach_def_default();
    def.actor = id_at(s.world, 1);
    def.to = id_at(s.world, 0);
    def.segment = 3;
    def.break_force = 1e-3;
    CHECK_INT(td_world_attach(s.world, &def, NULL), TD_OK);
    steps(s.world, 40);
    CHECK(constraint_at(s.world, 0).broken);
    CHECK(gap(s.world, 1, 0, 3, tdi_vec3(0, 0, 0)) > 0.1);
}

TD_TEST(actors_cannot_carry_themselves_and_bad_attachments_are_refused) {
    OWNED(stage) s = planted("tree");
    td_attach_def def = td_attach_def_default();
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_attach(s.world, &def, &diag), TD_ERR_STALE);
    def.actor = def.to = id_at(s.world, 2);
    CHECK_INT(td_world_attach(s.world, &def, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "'flower' cannot carry itself");
    CHECK(attach(s.world, 2, 0, 1, tdi_vec3(0, 0, 0)) == TD_OK);
    def.actor = id_at(s.world, 0);
    CHECK_INT(td_world_attach(s.world, &def, &diag), TD_ERR_ARGUMENT);
    def.actor = id_at(s.world, 1);
    def.segment = 5;
    CHECK_INT(td_world_attach(s.world, &def, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment is 5; 'flower' has 2");
    def.segment = 0;
    def.break_force = 0;
    CHECK_INT(td_world_attach(s.world, &def, &diag), TD_ERR_ARGUMENT);
}

// The lamp overlaps the vine that carries it; the other way round the vine is not the first actor.
TD_TEST(what_does_not_touch_may_overlap_what_carries_it_while_that_touches) {
    for (int32_t first = 0; first < 2; first++) {
        OWNED(stage) s = stage_printed(
            "{contact: {}, colliders: [{plane: {position: [0, -0.5, 0]}}], objects: [\n"
            " {name: a, solver: tree, loose: true, touches: %s, start: drawn, strand: "
            "{points: [[0, 0, 0], [0.2, 0, 0]], segments: 2, radius: 0.01}},\n"
            " {name: b, solver: tree, loose: true, touches: %s, start: drawn, position: "
            "[0, 0, 1], strand: {points: [[0, 0, 0], [0.2, 0, 0]], segments: 2, radius: "
            "0.01}}]}",
            first == 0 ? "true" : "false", first == 0 ? "false" : "true");
        CHECK(attach(s.world, 1, 0, 0, tdi_vec3(0, 0.05, 0)) == TD_OK);
        steps(s.world, 60);
        const td_real y = tip_of(s.world, first, -1).y;
        CHECK_SAY(y > -0.495 && y < -0.2, "the one that touches is at %g m", y);
        CHECK(gap(s.world, 1, 0, 0, tdi_vec3(0, 0.05, 0)) < 1e-7);
    }
}

// ---- saving ---------------------------------------------------------------------------------

static void grow_garden(td_world *w) {
    td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
    td_constraint_id id;
    steps(w, 5);
    CHECK(attach(w, 1, 0, 3, tdi_vec3(0, 0.1, 0)) == TD_OK);
    CHECK(attach(w, 2, 0, 1, tdi_vec3(0, 0.1, 0)) == TD_OK);
    c.segment[0] = 2;
    c.name = "pin";
    CHECK_INT(constrain(w, &c, &id, NULL), TD_OK);
    steps(w, 5);
}

TD_TEST(attachments_are_saved_and_restored_in_any_world_of_the_scene) {
    char text[TEXT];
    garden(text, "rod", "sleep: {}, constraints: [{point: {a: {object: vine, segment: 3}}}],");
    OWNED(stage) a = stage_of(text), fresh = stage_of(text), other = stage_of(text);
    grow_garden(a.world);
    CHECK(attach(other.world, 2, 1, 0, tdi_vec3(0, 0, 0)) == TD_OK);
    CHECK(attach(other.world, 1, 0, 2, tdi_vec3(0, 0, 0)) == TD_OK);
    steps(other.world, 3);
    const size_t size = td_world_save_size(a.world);
    FREED char *bytes = saved(a.world);
    CHECK_INT(td_world_restore(fresh.world, bytes, size, NULL), TD_OK);
    CHECK_INT(td_world_restore(other.world, bytes, size, NULL), TD_OK);
    CHECK(same_bits(a.world, fresh.world) && same_bits(a.world, other.world));
    CHECK_INT(td_world_constraint_find(fresh.world, "pin").place, 3);
    for (int32_t k = 0; k < 20; k++) {
        steps(a.world, 1);
        steps(fresh.world, 1);
        steps(other.world, 1);
    }
    CHECK(same_bits(a.world, fresh.world) && same_bits(a.world, other.world));
    CHECK_INT(td_world_detach(fresh.world, id_at(fresh.world, 1), NULL), TD_OK);
    CHECK_INT(td_world_restore(fresh.world, bytes, size, NULL), TD_OK);
    CHECK_INT(td_world_carrier(fresh.world, id_at(fresh.world, 1), NULL).place, 1);
    // and back to a world without any
    OWNED(stage) plain = stage_of(text);
    restore_from(a.world, plain.world);
    CHECK(same_bits(a.world, plain.world));
}

TD_TEST(steps_with_attachments_take_no_memory_and_none_is_left) {
    char text[TEXT];
    check_steps_take_no_memory(garden(text, "rod", ""), grow_garden, 10);
}

static td_status hold_another(void *w, td_diag *diag) {
    td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
    td_constraint_id id;
    c.segment[0] = 2;
    return constrain(w, &c, &id, diag);
}

static td_status cut_vine(void *w, td_diag *diag) {
    td_actor_id fallen;
    return td_world_cut_actor(w, id_at(w, 0), 2, 0, &fallen, diag);
}

static td_status move_vine(void *w, td_diag *diag) {
    return td_world_place_actor(w, id_at(w, 0), tdi_vec3(0, 3, 0), tdi_quat_identity(), diag);
}

// The lamp, which the vine carries, goes to another segment of it.
static td_status attach_lamp(void *w, td_diag *diag) {
    td_attach_def def = td_attach_def_default();
    def.actor = id_at(w, 1);
    def.to = id_at(w, 0);
    def.segment = 1;
    return td_world_attach(w, &def, diag);
}

TD_TEST(changing_what_is_held_without_memory_changes_nothing) {
    static td_status (*const changes[])(void *, td_diag *) = {hold_another, cut_vine, move_vine,
                                                              attach_lamp};
    for (int k = 0; k < 4; k++) {
        char text[TEXT];
        test_heap heap = {0};
        const td_alloc alloc = test_heap_alloc(&heap);
        stage s = try_stage(garden(text, "rod", ""), 1, &alloc);
        grow_garden(s.world);
        CHECK_INT(hold_another(s.world, NULL), TD_OK);
        steps(s.world, 2);
        check_all_or_nothing(s.world, &heap, 2, changes[k], s.world);
        steps(s.world, 5);
        stage_free(&s);
        CHECK_INT(heap.held, 0);
    }
}

TD_TEST(attachments_have_the_same_bits_on_any_number_of_threads) {
    char text[TEXT];
    check_threads(garden(text, "rod", ""), grow_garden, 20);
}

TD_TEST(what_is_carried_sleeps_and_wakes_with_what_carries_it) {
    char text[TEXT];
    OWNED(stage) s = stage_of(garden(text, "rod", "sleep: {speed: 0.01, time: 0.1},"));
    CHECK(attach(s.world, 2, 0, 1, tdi_vec3(0, 0.1, 0)) == TD_OK);
    const td_actor_id flower = id_at(s.world, 2), vine = id_at(s.world, 0);
    for (int32_t k = 0; k < 600 && !td_world_actor_asleep(s.world, flower); k++) {
        steps(s.world, 1);
    }
    CHECK(td_world_actor_asleep(s.world, flower) && td_world_actor_asleep(s.world, vine));
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 0), 3, tdi_vec3(0, 0, 0), tdi_vec3(0.4, 0, 0),
                            1, NULL),
              TD_OK);
    steps(s.world, 2);
    CHECK(!td_world_actor_asleep(s.world, flower) && !td_world_actor_asleep(s.world, vine));
}

// ---- skeletons of their own -----------------------------------------------------------------

// A stem of three segments, each 10 cm.
static td_skeleton *stem(void) {
    OWNED(td_builder) *builder = test_builder();
    int32_t last = TD_NONE;
    for (int32_t k = 0; k < 3; k++) {
        td_segment_def def = td_segment_def_default();
        def.parent = last;
        def.id = 40 + k;
        def.length = 0.1;
        def.radius_base = def.radius_tip = 0.01;
        CHECK_INT(td_builder_add(builder, &def, &last, NULL), TD_OK);
    }
    return test_finish(builder);
}

static td_status add_stem(td_world *w, int32_t object, td_vec3 position, td_actor_id *id) {
    td_actor_def def = td_actor_def_default();
    td_diag diag = {.message = ""};
    OWNED(td_skeleton) *skeleton = stem();
    def.object = object;
    def.position = position;
    def.rotation = tdi_quat_turn(tdi_vec3(0, 0, 1), -1);
    def.skeleton = skeleton;
    const td_status status = td_world_add_actor(w, &def, id, &diag);
    CHECK_SAY(status == TD_OK, "%s", diag.message);
    return status;
}

// It moves as an object of the scene with this skeleton does, to the bit.
TD_TEST(actor_with_a_skeleton_of_its_own_moves_as_one_of_a_scene_that_has_it) {
    OWNED(td_skeleton) *skeleton = stem();
    char text[TEXT];
    td_diag diag = {.message = ""};
    td_diag_list diags = {&diag, 1, 0};
    OWNED(stage) a = stage_of(garden(text, "tree", ""));
    td_actor_id id;
    td_world_free(a.world);
    CHECK_INT(td_scene_set_skeleton(a.scene, 2, skeleton, &diag), TD_OK);
    td_world_opts opts = td_world_opts_default();
    CHECK_INT(td_world_from_scene(a.scene, &opts, NULL, &a.world, &diags), TD_OK);
    OWNED(stage) b = planted("tree");
    CHECK_INT(add_stem(b.world, 2, tdi_vec3(5, 0, 0), &id), TD_OK);
    td_actor_def def = td_actor_def_default();
    def.object = 2;
    def.position = tdi_vec3(5, 0, 0);
    def.rotation = tdi_quat_turn(tdi_vec3(0, 0, 1), -1);
    td_actor_id other;
    CHECK_INT(td_world_add_actor(a.world, &def, &other, &diag), TD_OK);
    CHECK_INT(actor_at(b.world, 3).segment_count, 3);
    CHECK(actor_at(b.world, 3).skeleton != skeleton);
    steps(a.world, 30);
    steps(b.world, 30);
    for (int32_t k = 0; k < 3; k++) {
        CHECK_SAY(apart(tip_of(a.world, 3, k), tip_of(b.world, 3, k)) == 0, "%g m",
                  apart(tip_of(a.world, 3, k), tip_of(b.world, 3, k)));
    }
}

TD_TEST(actors_with_skeletons_of_their_own_are_saved_restored_and_removed) {
    for (size_t k = 0; k < 2; k++) {
        OWNED(stage) a = planted(solvers[k]), b = planted(solvers[k]);
        td_actor_id first, second;
        CHECK_INT(add_stem(a.world, 0, tdi_vec3(5, 0, 0), &first), TD_OK);
        CHECK_INT(add_stem(a.world, 2, tdi_vec3(6, 0, 0), &second), TD_OK);
        steps(a.world, 5);
        restore_from(b.world, a.world);
        steps(a.world, 10);
        steps(b.world, 10);
        CHECK_SAY(same_bits(a.world, b.world), "%s", solvers[k]);
        CHECK_INT(td_world_remove_actor(a.world, first, NULL), TD_OK);
        for (int32_t i = 0; i < 3; i++) { // its place is taken again
            CHECK_INT(add_stem(a.world, 0, tdi_vec3(7, 0, 0), &first), TD_OK);
            CHECK_INT(td_world_actor_index(a.world, first), 3);
            steps(a.world, 2);
            CHECK_INT(td_world_remove_actor(a.world, first, NULL), TD_OK);
        }
        CHECK_INT(td_world_actor_count(a.world), 5);
    }
}

// Of a vine that is cut the piece that falls takes the lamp along; what the world holds stays.
TD_TEST(constraints_that_were_added_follow_the_segments_of_what_is_cut) {
    for (size_t k = 0; k < 3; k++) {
        OWNED(stage) s = planted(solvers[k]);
        td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
        td_constraint_id first, last;
        td_actor_id fallen;
        td_diag diag = {.message = ""};
        CHECK(attach(s.world, 1, 0, 2, tdi_vec3(0, 0.05, 0)) == TD_OK);
        c.segment[0] = 1;
        CHECK_INT(constrain(s.world, &c, &first, &diag), TD_OK);
        c.segment[0] = 3;
        CHECK_INT(constrain(s.world, &c, &last, &diag), TD_OK);
        steps(s.world, 10);
        td_vec3 held, now;
        segment_at(s.world, 0, 3, &held, NULL, NULL);
        CHECK_SAY(td_world_cut_actor(s.world, id_at(s.world, 0), 2, 0, &fallen, &diag) == TD_OK,
                  "%s: %s", solvers[k], diag.message);
        const int32_t piece = td_world_actor_index(s.world, fallen);
        int32_t segment = TD_NONE;
        CHECK(td_world_carrier(s.world, id_at(s.world, 1), &segment).place == fallen.place);
        CHECK_INT(segment, 0);
        CHECK(td_world_constraint_index(s.world, first) >= 0);
        CHECK(td_world_constraint_index(s.world, last) >= 0);
        restore_from(s.world, s.world);
        steps(s.world, 30);
        segment_at(s.world, piece, 1, &now, NULL, NULL);
        CHECK_SAY(apart(now, held) < 1e-6, "%s: %g m off", solvers[k], apart(now, held));
        td_vec3 lamp, joint;
        segment_at(s.world, 1, 0, &lamp, NULL, NULL);
        segment_at(s.world, piece, 0, &joint, NULL, NULL);
        CHECK_IN(apart(lamp, joint), 0.05 - 1e-6, 0.05 + 1e-6);
        CHECK(td_world_constraint(s.world, first).active);
    }
}

TD_TEST(constraints_that_were_added_go_with_their_segment_and_let_go_of_what_is_placed) {
    for (int way = 0; way < 3; way++) {
        OWNED(stage) s = planted("tree");
        td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
        const td_actor_id vine = id_at(s.world, 0);
        td_constraint_id id, other;
        td_diag diag = {.message = ""};
        c.segment[0] = 3;
        CHECK_INT(constrain(s.world, &c, &id, &diag), TD_OK);
        c.actor[0] = 1;
        c.segment[0] = 1;
        CHECK_INT(constrain(s.world, &c, &other, &diag), TD_OK);
        steps(s.world, 3);
        if (way == 0) {
            CHECK_INT(td_world_enable_actor(s.world, vine, false, &diag), TD_OK);
        } else if (way == 1) {
            CHECK_INT(
                td_world_place_actor(s.world, vine, tdi_vec3(9, 0, 0), tdi_quat_identity(), &diag),
                TD_OK);
        } else { // a vine of the flower's two segments
            OWNED(td_skeleton) *pruned = NULL;
            const td_skeleton *two = actor_at(s.world, 2).skeleton;
            CHECK_INT(td_skeleton_changed_new(two, 1, NULL, 0, NULL, &pruned, &diag), TD_OK);
            CHECK_INT(td_world_regrow_actor(s.world, vine, pruned, &diag), TD_OK);
        }
        CHECK_INT(td_world_constraint_index(s.world, id), TD_NONE);
        CHECK_INT(td_world_remove_constraint(s.world, id, &diag), TD_ERR_STALE);
        CHECK(td_world_constraint_index(s.world, other) >= 0);
        steps(s.world, 3);
    }
}

TD_TEST(skeletons_that_a_solver_cannot_take_are_refused_and_nothing_is_added) {
    OWNED(stage) s = planted("helix");
    td_actor_def def = td_actor_def_default();
    td_diag diag = {.message = ""};
    td_actor_id id;
    td_skeleton *skeleton = stem();
    def.skeleton = skeleton;
    def.variant = 0;
    CHECK_INT(td_world_add_actor(s.world, &def, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "must be TD_NONE when `skeleton` is given");
    CHECK_INT(td_world_actor_count(s.world), 3);
    td_skeleton_free(skeleton);
    steps(s.world, 1);
}
