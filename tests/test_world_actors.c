// SPDX-License-Identifier: MIT
// Actors and colliders that come and go while a world runs.

#include "test_world_support.h"

#define TEXT 4096

// A strand of every solver in turn, which sways; `with` stands before its objects.
static const char *strand_of(char text[TEXT], const char *solver, const char *with,
                             const char *more) {
    snprintf(text, TEXT,
             "{%s objects: [{solver: %s, start: drawn, relaxation_time: 0.02, %s\n"
             " strand: {points: [[0, 0, 0], [0.3, 0.1, 0]], segments: 4, radius: 0.01}}]}",
             with, solver, more);
    return text;
}

static td_actor_id added(td_world *world, td_vec3 position, td_quat rotation) {
    td_actor_def def = td_actor_def_default();
    td_actor_id id;
    td_diag diag = {.message = ""};
    def.position = position;
    def.rotation = rotation;
    CHECK_INT(td_world_add_actor(world, &def, &id, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return id;
}

static void check_same_pose(td_world *a, int32_t i, td_world *b, int32_t j, td_real most) {
    const int32_t count = actor_at(a, i).segment_count;
    for (int32_t k = 0; k < count; k++) {
        CHECK_SAY(apart(tip_of(a, i, k), tip_of(b, j, k)) <= most, "segment %d is %g m away",
                  (int)k, apart(tip_of(a, i, k), tip_of(b, j, k)));
    }
}

// ---- coming and going -----------------------------------------------------------------------

TD_TEST(actor_that_is_added_moves_as_one_of_the_scene_does_to_the_bit) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        char text[TEXT];
        const char *name = td_solver_get(k).name;
        OWNED(stage) both = stage_of(
            strand_of(text, name, "",
                      "instances: {layout: list, turned: false, places: [[0, 0, 0], [2, 0, 1]]},"));
        OWNED(stage) one = stage_of(strand_of(text, name, "", ""));
        const td_actor_id id = added(one.world, tdi_vec3(2, 0, 1), tdi_quat_identity());
        CHECK_INT(td_world_actor_index(one.world, id), 1);
        CHECK_INT(td_world_actor_count(one.world), 2);
        steps(both.world, 30);
        steps(one.world, 30);
        check_same_pose(both.world, 0, one.world, 0, 0);
        check_same_pose(both.world, 1, one.world, 1, 0);
        CHECK(tip_of(one.world, 1, -1).y < 0.1); // it fell
    }
}

TD_TEST(id_is_stale_after_removal_also_when_its_place_is_taken_again) {
    char text[TEXT];
    OWNED(stage) s = stage_of(strand_of(text, "tree", "", ""));
    td_diag diag = {.message = ""};
    const td_actor_id none = {0}, first = id_at(s.world, 0);
    const td_actor_id second = added(s.world, tdi_vec3(2, 0, 0), tdi_quat_identity());
    CHECK_INT(td_world_actor_index(s.world, none), TD_NONE);
    CHECK_INT(td_world_actor_index(s.world, first), 0);
    CHECK_INT(td_world_remove_actor(s.world, first, &diag), TD_OK);
    CHECK_INT(td_world_remove_actor(s.world, first, &diag), TD_ERR_STALE);
    CHECK(strstr(diag.message, "actor 0 (generation 1) was removed"));
    CHECK_INT(id_at(s.world, 0).place, 0);
    CHECK_INT(td_world_actor_index(s.world, second), 1);
    const td_actor_id third = added(s.world, tdi_vec3(3, 0, 0), tdi_quat_identity());
    CHECK_INT(td_world_actor_index(s.world, third), 0); // the place is taken again
    CHECK_INT(td_world_actor_index(s.world, first), TD_NONE);
    CHECK_INT(td_world_move_actor(s.world, first, tdi_vec3(0, 0, 0), tdi_quat_identity(), &diag),
              TD_ERR_STALE);
    CHECK_INT(td_world_place_actor(s.world, first, tdi_vec3(0, 0, 0), tdi_quat_identity(), &diag),
              TD_ERR_STALE);
    CHECK_INT(td_world_enable_actor(s.world, first, false, &diag), TD_ERR_STALE);
    CHECK(!td_world_actor_enabled(s.world, first) && td_world_actor_enabled(s.world, third));
    steps(s.world, 2);
}

TD_TEST(actor_that_was_removed_leaves_no_trace_in_the_others) {
    char text[TEXT];
    OWNED(stage) a = stage_of(strand_of(
        text, "rod", "",
        "instances: {layout: list, turned: false, places: [[0, 0, 0], [2, 0, 1], [4, 0, 0]]},"));
    OWNED(stage) b = stage_of(strand_of(
        text, "rod", "",
        "instances: {layout: list, turned: false, places: [[0, 0, 0], [2, 0, 1], [4, 0, 0]]},"));
    CHECK_INT(td_world_remove_actor(b.world, id_at(b.world, 1), NULL), TD_OK);
    const td_vec3 stood = tip_of(b.world, 1, -1);
    steps(a.world, 20);
    steps(b.world, 20);
    check_same_pose(a.world, 0, b.world, 0, 0);
    check_same_pose(a.world, 2, b.world, 2, 0);
    CHECK(apart(stood, tip_of(b.world, 1, -1)) == 0);
}

TD_TEST(actor_that_is_disabled_stands_and_goes_on_from_there) {
    char text[TEXT];
    OWNED(stage) a = stage_of(strand_of(text, "tree", "contact: {}, ", ""));
    OWNED(stage) b = stage_of(strand_of(text, "tree", "contact: {}, ", ""));
    const td_actor_id id = id_at(b.world, 0);
    steps(a.world, 7);
    steps(b.world, 7);
    CHECK_INT(td_world_enable_actor(b.world, id, false, NULL), TD_OK);
    const td_vec3 stood = tip_of(b.world, 0, -1);
    steps(b.world, 9);
    CHECK(apart(stood, tip_of(b.world, 0, -1)) == 0);
    CHECK_INT(td_world_enable_actor(b.world, id, true, NULL), TD_OK);
    steps(a.world, 7);
    steps(b.world, 7);
    check_same_pose(a.world, 0, b.world, 0, 1e-12);
}

// ---- places ---------------------------------------------------------------------------------

TD_TEST(instance_that_is_moved_by_itself_feels_what_its_object_would) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        char text[TEXT];
        const char *name = td_solver_get(k).name;
        OWNED(stage) a = stage_of(strand_of(text, name, "", ""));
        OWNED(stage) b = stage_of(
            strand_of(text, name, "",
                      "instances: {layout: list, turned: false, places: [[0, 0, 0], [5, 0, 0]]},"));
        OWNED(stage) c = stage_of(strand_of(text, name, "", ""));
        td_diag diag = {.message = ""};
        for (int32_t i = 1; i <= 20; i++) {
            const td_real x = 0.01 * i;
            set(a.world, "objects[0].position.x", x);
            CHECK_INT(td_world_move_actor(b.world, id_at(b.world, 0), tdi_vec3(x, 0, 0),
                                          tdi_quat_identity(), &diag),
                      TD_OK);
            steps(a.world, 1);
            steps(b.world, 1);
            steps(c.world, 1);
        }
        check_same_pose(a.world, 0, b.world, 0, 0);
        CHECK(fabs(tip_of(b.world, 1, -1).x - 5 - tip_of(c.world, 0, -1).x) < 1e-9);
        CHECK(fabs(tip_of(b.world, 0, -1).y - tip_of(c.world, 0, -1).y) > 1e-6); // it was felt
    }
}

// Without gravity the laws are the same everywhere and in all directions.
TD_TEST(actor_that_is_placed_elsewhere_moves_on_as_seen_from_there) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        char text[TEXT];
        const char *name = td_solver_get(k).name, *still = "gravity: [0, 0, 0],";
        const char *kick = "loads: [{push: {force: [0, 0.3, 0.2], end: 0.2}}], air_density: 0,";
        char with[256];
        snprintf(with, sizeof with, "%s %s", still, kick);
        OWNED(stage) a = stage_of(strand_of(text, name, with, ""));
        OWNED(stage) b = stage_of(strand_of(text, name, with, ""));
        const td_quat turn = tdi_quat_turn(tdi_vec3(0.6, 0, 0.8), 1.1);
        const td_vec3 to = tdi_vec3(3, -1, 2);
        td_diag diag = {.message = ""};
        run_to(a.world, 0.25);
        run_to(b.world, 0.25);
        CHECK_INT(td_world_place_actor(b.world, id_at(b.world, 0), to, turn, &diag), TD_OK);
        for (int32_t i = 0; i < 3; i++) {
            const td_vec3 seen = tdi_add(to, tdi_quat_rotate(turn, tip_of(a.world, 0, -1)));
            CHECK_SAY(apart(seen, tip_of(b.world, 0, -1)) < 1e-7, "%s: %g m away", name,
                      apart(seen, tip_of(b.world, 0, -1)));
            steps(a.world, 8);
            steps(b.world, 8);
        }
    }
}

// ---- colliders ------------------------------------------------------------------------------

#define FALLING                                                                            \
    "objects: [{start: drawn, solver: rod, position: [0, 0.3, 0], strand: {start: {held: " \
    "free}, points: [[0, 0, 0], [0.3, 0, 0]], segments: 4, radius: 0.01}}]"

TD_TEST(collider_that_is_added_holds_what_one_of_the_scene_holds_to_the_bit) {
    OWNED(stage) a =
        stage_of("{contact: {}, colliders: [{box: {size: [1, 0.1, 1]}}], " FALLING "}");
    OWNED(stage) b = stage_of("{contact: {}, " FALLING "}");
    td_collider box = td_world_collider(a.world, td_world_collider_id(a.world, 0));
    td_collider_id id;
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_add_collider(b.world, &box, &id, &diag), TD_OK);
    CHECK_INT(td_world_collider_count(b.world), 1);
    run_to(a.world, 1);
    run_to(b.world, 1);
    check_same_pose(a.world, 0, b.world, 0, 0);
    td_contact contacts[16];
    CHECK(td_world_contacts(b.world, contacts, 16) > 0);
    CHECK_INT(contacts[0].other, 0);
    // it falls on when the box is gone
    CHECK_INT(td_world_remove_collider(b.world, id, &diag), TD_OK);
    CHECK_INT(td_world_remove_collider(b.world, id, &diag), TD_ERR_STALE);
    run_to(b.world, 1.5);
    CHECK(tip_of(b.world, 0, -1).y < -0.5);
}

TD_TEST(collider_that_grows_or_jumps_into_an_actor_is_refused_and_nothing_changes) {
    OWNED(stage) s =
        stage_of("{contact: {}, colliders: [{box: {size: [1, 0.1, 1]}}], " FALLING "}");
    const td_collider_id box = td_world_collider_id(s.world, 0);
    td_diag diag = {.message = ""};
    FREED char *before = saved(s.world);
    const size_t size = td_world_save_size(s.world);
    td_collider grown = td_world_collider(s.world, td_world_collider_id(s.world, 0));
    grown.sides.y = 0.8;
    CHECK_INT(td_world_resize_collider(s.world, box, &grown, &diag), TD_ERR_BLOCKED);
    CHECK(strstr(diag.message, "collider 0 (box) would be within 'object-0'"));
    CHECK_INT(
        td_world_place_collider(s.world, box, tdi_vec3(0, 0.28, 0), tdi_quat_identity(), &diag),
        TD_ERR_BLOCKED);
    grown.sides.y = -1;
    CHECK_INT(td_world_resize_collider(s.world, box, &grown, &diag), TD_ERR_ARGUMENT);
    FREED char *after = saved(s.world);
    CHECK(memcmp(before, after, size) == 0);
    grown.sides.y = 0.4;
    CHECK_INT(td_world_resize_collider(s.world, box, &grown, &diag), TD_OK);
    run_to(s.world, 1);
    CHECK_IN(tip_of(s.world, 0, -1).y, 0.2, 0.22); // it lies on the new top
    CHECK_INT(td_world_collider_index(s.world, box), 0);
    CHECK(td_world_collider_enabled(s.world, box));
    CHECK_INT(td_world_enable_collider(s.world, box, false, &diag), TD_OK);
    CHECK(!td_world_collider_enabled(s.world, box));
    run_to(s.world, 1.1);
    CHECK_INT(td_world_enable_collider(s.world, box, true, &diag), TD_ERR_BLOCKED);
    run_to(s.world, 2);
    CHECK_INT(td_world_enable_collider(s.world, box, true, &diag), TD_OK);
}

TD_TEST(collider_that_is_moved_pushes_with_the_velocity_of_its_way) {
    OWNED(stage) a =
        stage_of("{contact: {}, gravity: [0, 0, 0], colliders: [{sphere: {radius: 0.05,\n"
                 " position: {keys: [[0, [-0.2, 0.05, 0]], [1, [0.3, 0.05, 0]]],\n"
                 "  interpolate: linear}}}], objects: [{" ROD "}]}");
    OWNED(stage) b =
        stage_of("{contact: {}, gravity: [0, 0, 0], colliders: [{sphere: {radius: 0.05,\n"
                 " position: [-0.2, 0.05, 0]}}], objects: [{" ROD "}]}");
    const td_collider_id ball = td_world_collider_id(b.world, 0);
    for (int32_t k = 0; k < 30; k++) {
        steps(a.world, 1);
        const td_vec3 to = td_world_collider(a.world, td_world_collider_id(a.world, 0)).position;
        CHECK_INT(td_world_move_collider(b.world, ball, to, tdi_quat_identity(), NULL), TD_OK);
        steps(b.world, 1);
    }
    check_same_pose(a.world, 0, b.world, 0, 0);
    CHECK(fabs(tip_of(b.world, 0, -1).x) > 0.001);
}

// A rod drawn through the last of three spheres; the first is disabled.
static stage before_a_sphere(const char *solver, const char *method, const char *name) {
    stage s = stage_printed(
        "{gravity: [0, 0, 0], contact: {method: %s}, objects: [{name: rod, start: drawn, "
        "solver: %s, strand: {points: [[-0.2, 0, 0], [0.2, 0, 0]], segments: 4, radius: 0.01}}"
        "], colliders: [{sphere: {position: [0, 9, 0]}}, {box: {position: [0, -9, 0], name: "
        "floor}}, {sphere: {radius: 0.1, position: [0, 0.109, 0]%s}}]}",
        method, solver, name);
    const td_collider_id first = td_world_collider_id(s.world, 0);
    CHECK_INT(td_world_enable_collider(s.world, first, false, NULL), TD_OK);
    return s;
}

TD_TEST(messages_name_a_collider_or_give_its_number_in_the_scene) {
    for (int k = 0; k < 12; k++) {
        const char *expected = k < 6 ? "collider 2 (sphere)" : "collider 'head'";
        OWNED(stage) s =
            before_a_sphere(solvers[k % 3], methods[k / 3 % 2], k < 6 ? "" : ", name: head");
        td_diag diag = {.message = ""};
        CHECK_TEXT(td_world_collider_name(s.world, td_world_collider_id(s.world, 1)), "floor");
        CHECK_TEXT(td_world_collider_name(s.world, td_world_collider_id(s.world, 2)),
                   k < 6 ? "" : "head");
        CHECK(td_world_settle(s.world, NULL, &diag) != TD_OK);
        CHECK_SAY(strstr(diag.message, expected), "settle, %s: %s", solvers[k % 3], diag.message);
        CHECK(td_world_step(s.world, &diag) != TD_OK);
        CHECK_SAY(strstr(diag.message, expected), "step, %s: %s", solvers[k % 3], diag.message);
        // of one that is added and one that moves
        td_collider more = td_collider_default(TD_COLLIDER_BOX);
        td_collider_id id;
        CHECK_INT(td_world_add_collider(s.world, &more, &id, &diag), TD_ERR_BLOCKED);
        CHECK_HAS(diag.message, "collider 3 (box) would be within 'rod'");
        more.sides.x = 0;
        CHECK_INT(td_world_add_collider(s.world, &more, &id, &diag), TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, "collider 3 (box): sides");
        CHECK_INT(td_world_place_collider(s.world, td_world_collider_id(s.world, 1),
                                          tdi_vec3(0, 0, 0), tdi_quat_identity(), &diag),
                  TD_ERR_BLOCKED);
        CHECK_HAS(diag.message, "collider 'floor' would be within 'rod'");
        // an actor that is placed into it
        const td_actor_id rod = id_at(s.world, 0);
        CHECK_INT(
            td_world_place_actor(s.world, rod, tdi_vec3(0.01, 0, 0), tdi_quat_identity(), &diag),
            TD_ERR_BLOCKED);
        CHECK_HAS(diag.message, expected);
    }
}

TD_TEST(world_without_contact_refuses_colliders_with_a_reason) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}]}");
    const td_collider ball = td_collider_default(TD_COLLIDER_SPHERE);
    td_collider_id id;
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_add_collider(s.world, &ball, &id, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "has no contact"));
    CHECK_INT(id.place, 0);
}

TD_TEST(colliders_that_a_world_cannot_take_are_refused_with_a_reason) {
    OWNED(stage) s = stage_of("{contact: {}, colliders: [{plane: {}}], objects: [{" ROD "}]}");
    const td_collider ground = td_collider_default(TD_COLLIDER_HEIGHT_FIELD);
    td_collider_id id;
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_add_collider(s.world, &ground, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "a height field cannot be added");
    CHECK_INT(td_world_move_collider(s.world, td_world_collider_id(s.world, 0), tdi_vec3(0, 0, 0),
                                     (td_quat){0, 0, 0, 0}, &diag),
              TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "rotation is zero or not finite");
    CHECK_INT(td_world_reserve_colliders(s.world, -1, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "count is -1; it must not be below 0");
}

// ---- in the way -----------------------------------------------------------------------------

TD_TEST(actor_that_would_be_within_another_is_refused_and_nothing_changes) {
    OWNED(stage) s =
        stage_of("{contact: {}, colliders: [{plane: {position: [0, -0.02, 0]}}],\n"
                 " objects: [{" ROD
                 ", instances: {layout: list, turned: false, places: [[0, 0, 0], [1, 0, 0]]}}]}");
    td_actor_def def = td_actor_def_default();
    td_actor_id id;
    td_diag diag = {.message = ""};
    steps(s.world, 3);
    FREED char *before = saved(s.world);
    const size_t size = td_world_save_size(s.world);
    def.position = tdi_vec3(0.005, 0, 0);
    CHECK_INT(td_world_add_actor(s.world, &def, &id, &diag), TD_ERR_BLOCKED);
    CHECK(strstr(diag.message, "'object-0-2' would be within 'object-0-0'"));
    def.position = tdi_vec3(2, -0.2, 0);
    CHECK_INT(td_world_add_actor(s.world, &def, &id, &diag), TD_ERR_BLOCKED);
    CHECK_INT(td_world_place_actor(s.world, id_at(s.world, 1), tdi_vec3(0.005, 0, 0),
                                   tdi_quat_identity(), &diag),
              TD_ERR_BLOCKED);
    FREED char *after = saved(s.world);
    CHECK_INT(td_world_save_size(s.world), size);
    CHECK(memcmp(before, after, size) == 0);
    CHECK_INT(td_world_place_actor(s.world, id_at(s.world, 1), tdi_vec3(0.5, 0, 0),
                                   tdi_quat_identity(), &diag),
              TD_OK);
    steps(s.world, 3);
}

TD_TEST(bad_definitions_of_actors_are_refused_by_name) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}]}");
    td_actor_def def = td_actor_def_default();
    td_actor_id id;
    td_diag diag = {.message = ""};
    def.struct_size = 0;
    CHECK_INT(td_world_add_actor(s.world, &def, &id, &diag), TD_ERR_DEF);
    def = td_actor_def_default();
    def.object = 1;
    CHECK_INT(td_world_add_actor(s.world, &def, &id, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "object is 1"));
    def = td_actor_def_default();
    def.variant = 1;
    CHECK_INT(td_world_add_actor(s.world, &def, &id, &diag), TD_ERR_ARGUMENT);
    def = td_actor_def_default();
    def.position.x = NAN;
    CHECK_INT(td_world_add_actor(s.world, &def, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_reserve_actors(s.world, 0, -1, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_actor_count(s.world), 1);
}

// ---- saving and memory ----------------------------------------------------------------------

#define MEADOW                                                                                     \
    "{contact: {}, colliders: [{plane: {}}], objects: [{" ROD                                      \
    ", touches: true, instances: {layout: list, turned: false, places: [[0, 0, 0], [1, 0, 0]]}}, " \
    "{start: drawn, solver: rod,\n"                                                                \
    " position: [0.02, 0.5, 0], strand: {points: [[0, 0, 0], [0.2, 0, 0.01]], segments: 4,\n"      \
    " radius: 0.01, start: {held: free}}}], loads: [{wind: {velocity: [3, 0, 0]}}]}"

static void add_some(td_world *world) {
    td_collider ball = td_collider_default(TD_COLLIDER_SPHERE);
    td_actor_def def = td_actor_def_default();
    td_collider_id collider;
    td_actor_id id;
    ball.radius = 0.05;
    ball.position = tdi_vec3(0.5, 0.2, 0);
    CHECK_INT(td_world_add_collider(world, &ball, &collider, NULL), TD_OK);
    CHECK_INT(
        td_world_move_collider(world, collider, tdi_vec3(0.5, 0.21, 0), tdi_quat_identity(), NULL),
        TD_OK);
    for (int32_t k = 0; k < 3; k++) {
        def.object = k % 2;
        def.position = tdi_vec3(2 + k, 0.001 + 0.3 * (k % 2), 0);
        CHECK_INT(td_world_add_actor(world, &def, &id, NULL), TD_OK);
    }
    CHECK_INT(td_world_remove_actor(world, id_at(world, 1), NULL), TD_OK);
    CHECK_INT(td_world_remove_actor(world, id_at(world, 3), NULL), TD_OK);
    CHECK_INT(td_world_enable_actor(world, id_at(world, 5), false, NULL), TD_OK);
}

TD_TEST(world_in_which_actors_came_and_went_is_restored_in_a_fresh_one_to_the_bit) {
    OWNED(stage) one = stage_of(MEADOW), other = stage_of(MEADOW);
    td_diag diag = {.message = ""};
    steps(one.world, 5);
    FREED char *early = saved(one.world);
    const size_t early_size = td_world_save_size(one.world);
    add_some(one.world);
    steps(one.world, 10);
    FREED char *late = saved(one.world);
    const size_t late_size = td_world_save_size(one.world);
    CHECK_INT(td_world_restore(other.world, late, late_size, &diag), TD_OK);
    CHECK(same_bits(one.world, other.world));
    check_same_way(one.world, other.world, 20);
    // back to before they came, and again
    CHECK_INT(td_world_restore(other.world, early, early_size, &diag), TD_OK);
    CHECK_INT(td_world_actor_count(other.world), 3);
    CHECK_INT(td_world_save_size(other.world), early_size);
    add_some(other.world);
    steps(other.world, 30);
    CHECK(same_bits(one.world, other.world));
    // a save whose places are not its own is refused
    CHECK_INT(td_world_restore(other.world, late, late_size - 1, &diag), TD_ERR_SYNTAX);
    CHECK_INT(
        td_world_restore(other.world, early, late_size > early_size ? early_size - 8 : 0, &diag),
        TD_ERR_SYNTAX);
    CHECK(same_bits(one.world, other.world));
}

TD_TEST(steps_take_no_memory_after_adds_nor_do_adds_after_a_reserve) {
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    OWNED(stage) s = try_stage(MEADOW, 1, &alloc);
    CHECK_INT(s.status, TD_OK);
    CHECK_INT(td_world_reserve_actors(s.world, 0, 2, NULL), TD_OK);
    CHECK_INT(td_world_reserve_actors(s.world, 1, 1, NULL), TD_OK);
    CHECK_INT(td_world_reserve_colliders(s.world, 1, NULL), TD_OK);
    const long calls = heap.calls;
    add_some(s.world);
    CHECK_INT(heap.calls, calls);
    steps(s.world, 20);
    CHECK_INT(heap.calls, calls);
    for (int32_t k = 0; k < 9; k++) { // without a reserve: in the call, never in the step
        td_actor_def def = td_actor_def_default();
        td_actor_id id;
        def.position = tdi_vec3(10 + k, 0, 0);
        CHECK_INT(td_world_add_actor(s.world, &def, &id, NULL), TD_OK);
        const long now = heap.calls;
        steps(s.world, 2);
        CHECK_INT(heap.calls, now);
    }
}

static td_status add_far_away(void *world, td_diag *diag) {
    td_actor_def def = td_actor_def_default();
    td_actor_id id;
    def.position = tdi_vec3(5, 0, 0);
    return td_world_add_actor(world, &def, &id, diag);
}

TD_TEST(add_that_runs_out_of_memory_anywhere_leaves_the_world_as_it_was) {
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    OWNED(stage) s = try_stage(MEADOW, 1, &alloc);
    steps(s.world, 2);
    check_all_or_nothing(s.world, &heap, 3, add_far_away, s.world);
    steps(s.world, 3);
}

static void add_some_later(td_world *world) {
    steps(world, 3);
    add_some(world);
}

TD_TEST(threads_do_not_change_a_bit_of_a_world_that_lives) {
    check_threads(MEADOW, add_some_later, 20);
}

// ---- ids of other worlds --------------------------------------------------------------------

TD_TEST(id_of_another_world_is_refused_in_plain_words_and_changes_nothing) {
    char text[TEXT];
    const char *with = "contact: {}, colliders: [{plane: {position: [0, -9, 0]}}], ";
    OWNED(stage) a = stage_of(strand_of(text, "tree", with, ""));
    OWNED(stage) b = stage_of(strand_of(text, "tree", with, ""));
    const td_actor_id actor = id_at(b.world, 0);
    const td_collider_id collider = td_world_collider_id(b.world, 0);
    td_constraint hold = td_constraint_default(TD_CONSTRAINT_POINT);
    td_grab_def grab = td_grab_def_default();
    td_attach_def attach = td_attach_def_default();
    td_constraint_id tie;
    td_grab_id hand;
    td_vec3 force;
    td_reaction reaction;
    td_diag diag = {.message = ""};
    grab.actor = actor;
    hold.segment[0] = 3;
    CHECK_INT(td_world_add_grab(b.world, &grab, &hand, &diag), TD_OK);
    CHECK_INT(td_world_add_constraint(b.world, &hold, actor, (td_actor_id){0}, &tie, &diag), TD_OK);
    FREED char *before = saved(a.world);
    const td_vec3 zero = {0, 0, 0};
    const td_quat none = tdi_quat_identity();
    attach.actor = id_at(a.world, 0);
    attach.to = actor;
    const td_status refused[] = {
        td_world_remove_actor(a.world, actor, &diag),
        td_world_enable_actor(a.world, actor, false, &diag),
        td_world_move_actor(a.world, actor, zero, none, &diag),
        td_world_place_actor(a.world, actor, zero, none, &diag),
        td_world_sleep_actor(a.world, actor, &diag),
        td_world_wake_actor(a.world, actor, &diag),
        td_world_actor_status(a.world, actor, &diag),
        td_world_watch_base(a.world, actor, true, &diag),
        td_world_base_reaction(a.world, actor, &reaction, &diag),
        td_world_add_grab(a.world, &grab, &hand, &diag),
        td_world_move_grab(a.world, hand, zero, &diag),
        td_world_attach(a.world, &attach, &diag),
        td_world_detach(a.world, actor, &diag),
        td_world_remove_collider(a.world, collider, &diag),
        td_world_enable_collider(a.world, collider, false, &diag),
        td_world_move_collider(a.world, collider, zero, none, &diag),
        td_world_place_collider(a.world, collider, zero, none, &diag),
        td_world_remove_constraint(a.world, tie, &diag),
        td_world_grab_force(a.world, hand, &force, &diag),
    };
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        CHECK_SAY(refused[k] == TD_ERR_STALE, "call %zu: %s", k, td_status_text(refused[k]));
    }
    CHECK_INT(td_world_remove_actor(a.world, actor, &diag), TD_ERR_STALE);
    CHECK_TEXT(diag.message, "the id of actor 0 (generation 1) is of another world; an id counts "
                             "only in the world that gave it");
    CHECK_INT(td_world_actor_index(a.world, actor), TD_NONE);
    CHECK_INT(td_world_collider_index(a.world, collider), TD_NONE);
    CHECK_INT(td_world_constraint_index(a.world, tie), TD_NONE);
    CHECK(!td_world_actor_enabled(a.world, actor) && !td_world_actor_asleep(a.world, actor));
    FREED char *after = saved(a.world);
    CHECK(memcmp(before, after, td_world_save_size(a.world)) == 0);
}

TD_TEST(id_of_zero_is_refused_as_one_that_names_nothing) {
    char text[TEXT];
    OWNED(stage) s = stage_of(strand_of(text, "tree", "contact: {}, ", ""));
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_remove_actor(s.world, (td_actor_id){0}, &diag), TD_ERR_STALE);
    CHECK_TEXT(diag.message, "the id is zero: it names no actor");
    CHECK_INT(td_world_remove_collider(s.world, (td_collider_id){0}, &diag), TD_ERR_STALE);
    CHECK_TEXT(diag.message, "the id is zero: it names no collider");
    CHECK_INT(td_world_remove_constraint(s.world, (td_constraint_id){0}, &diag), TD_ERR_STALE);
    CHECK_TEXT(diag.message, "the id is zero: it names no constraint");
    CHECK_INT(td_world_remove_grab(s.world, (td_grab_id){0}, &diag), TD_ERR_STALE);
    CHECK_TEXT(diag.message, "the id is zero: it names no grab");
}

TD_TEST(ids_count_after_a_restore_in_the_same_and_in_another_world) {
    char text[TEXT];
    OWNED(stage) a = stage_of(strand_of(text, "tree", "", "")), b = stage_of(text);
    const td_actor_id first = id_at(a.world, 0);
    const td_actor_id second = added(a.world, tdi_vec3(2, 0, 0), tdi_quat_identity());
    FREED char *bytes = saved(a.world);
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_restore(a.world, bytes, td_world_save_size(a.world), &diag), TD_OK);
    CHECK_INT(td_world_restore(b.world, bytes, td_world_save_size(a.world), &diag), TD_OK);
    CHECK_INT(td_world_actor_index(a.world, second), 1);
    CHECK_INT(td_world_actor_index(b.world, first), 0);
    CHECK_INT(td_world_remove_actor(b.world, second, &diag), TD_OK);
    CHECK_INT(td_world_remove_actor(b.world, second, &diag), TD_ERR_STALE);
    CHECK_INT(td_world_actor_index(b.world, id_at(b.world, 0)), 0);
}
