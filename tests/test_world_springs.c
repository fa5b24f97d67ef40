// SPDX-License-Identifier: MIT
// Springs of single segments that change while a world moves. Pairs with src/world/springs.c.

#include "test_heap.h"
#include "test_world_support.h"

#include "tendril/tendril.h"

enum { COUNT = 8, FIRST = 2, SOFT = 3 }; // segments; those that are made softer

// A cantilever along +X, at ease straight, whose segments FIRST and on have springs times `by`.
static td_skeleton *beam(td_real by) {
    OWNED(td_builder) *builder = test_builder();
    td_strand strand = td_strand_default();
    for (int32_t i = 0; i < COUNT; i++) {
        td_segment_def s = td_segment_def_default();
        const td_real soft = i >= FIRST && i < FIRST + SOFT ? by : 1, k = 0.4 * soft;
        s.parent = i - 1;
        s.length = 0.06;
        s.radius_base = s.radius_tip = 0.004;
        s.rest = i == 0 ? tdi_quat_turn(tdi_vec3(0, 0, 1), -1.5707963267948966) : s.rest;
        s.stiffness = (td_vec3){k, 0.8 * k, k};
        s.damping = tdi_scale(s.stiffness, 0.02 * soft);
        s.has_stiffness = s.has_damping = true;
        CHECK_INT(td_builder_add(builder, &s, NULL, NULL), TD_OK);
    }
    strand.count = COUNT;
    strand.start = TD_END_CLAMPED;
    strand.elements = COUNT;
    CHECK_INT(td_builder_add_strand(builder, &strand, NULL), TD_OK);
    return test_finish(builder);
}

// Two instances of it, at rest under gravity, which a test may keep from being so.
static td_world *world_of(const char *solver, td_real by, const td_alloc *alloc) {
    td_object_def object = td_object_def_default();
    td_scene_def scene = td_scene_def_default();
    OWNED(td_skeleton) *skeleton = beam(by);
    td_world *world = NULL;
    object.skeleton = skeleton;
    object.solver = solver;
    object.instances.count = 2;
    scene.objects = &object;
    scene.object_count = 1;
    CHECK_INT(td_world_new(&scene, NULL, alloc, &world, NULL), TD_OK);
    return world;
}

static td_status soften(td_world *world, int32_t actor, td_real by) {
    OWNED(td_skeleton) *built = beam(by);
    td_joint_spring springs[SOFT];
    for (int32_t k = 0; k < SOFT; k++) {
        const td_segment *s = &td_skeleton_segments(built)[FIRST + k];
        springs[k] = (td_joint_spring){s->stiffness, s->damping};
    }
    return td_world_set_springs(world, id_at(world, actor), FIRST, SOFT, springs, NULL);
}

static td_vec3 end_of(td_world *world, int32_t actor) {
    td_vec3 base, tip;
    pose_at(world, actor, &base, NULL, NULL, NULL);
    segment_at(world, actor, COUNT - 1, NULL, &tip, NULL);
    return tdi_sub(tip, base);
}

// At rest and in motion: the springs, and the damping.
TD_TEST(segments_made_softer_bend_as_those_that_were_built_soft) {
    for (int k = 0; k < 3; k++) {
        OWNED(td_world) *a = world_of(solvers[k], 1, NULL), *b = world_of(solvers[k], 0.3, NULL);
        const td_real before = end_of(a, 0).y;
        CHECK_INT(soften(a, 0, 0.3), TD_OK);
        CHECK(end_of(a, 0).y == before); // in this instant nothing moves
        CHECK_INT(td_world_settle(a, NULL, NULL), TD_OK);
        CHECK_INT(td_world_settle(b, NULL, NULL), TD_OK);
        CHECK(end_of(a, 0).y < 1.2 * before);
        CHECK(apart(end_of(a, 0), end_of(b, 0)) < 1e-9);
        CHECK(fabs(end_of(a, 1).y - before) < 1e-9); // the other instance is as it was
        CHECK_INT(td_world_set(a, "gravity.y", -4, NULL), TD_OK);
        CHECK_INT(td_world_set(b, "gravity.y", -4, NULL), TD_OK);
        steps(a, 30);
        steps(b, 30);
        CHECK(apart(end_of(a, 0), end_of(b, 0)) < 1e-8); // tolerances of 30 steps
    }
}

TD_TEST(springs_that_are_changed_back_give_the_bits_of_before) {
    for (int k = 0; k < 3; k++) {
        OWNED(td_world) *a = world_of(solvers[k], 1, NULL), *b = world_of(solvers[k], 1, NULL);
        CHECK_INT(soften(a, 0, 1), TD_OK);
        CHECK_INT(soften(b, 0, 0.2), TD_OK);
        CHECK_INT(td_world_set(b, "objects[0].bending", 3, NULL), TD_OK);
        CHECK_INT(soften(b, 0, 1), TD_OK);
        CHECK_INT(td_world_set(b, "objects[0].bending", 1, NULL), TD_OK);
        CHECK_INT(td_world_set(a, "gravity.y", -4, NULL), TD_OK);
        CHECK_INT(td_world_set(b, "gravity.y", -4, NULL), TD_OK);
        steps(a, 10);
        steps(b, 10);
        CHECK(apart(end_of(a, 0), end_of(b, 0)) == 0);
    }
}

TD_TEST(springs_are_saved_and_steps_take_no_memory) {
    for (int k = 0; k < 3; k++) {
        test_heap heap = {0};
        const td_alloc alloc = test_heap_alloc(&heap);
        td_world *a = world_of(solvers[k], 1, &alloc), *b = world_of(solvers[k], 1, NULL);
        CHECK_INT(td_world_set(a, "objects[0].bending", 0.5, NULL), TD_OK);
        CHECK_INT(soften(a, 1, 0.3), TD_OK);
        const long calls = heap.calls;
        steps(a, 5);
        CHECK_INT(heap.calls, calls);
        const size_t size = td_world_save_size(a);
        char *bytes = malloc(2 * size);
        td_world_save(a, bytes);
        CHECK_INT(td_world_restore(b, bytes, size, NULL), TD_OK);
        steps(a, 20);
        steps(b, 20);
        CHECK_INT(td_world_save_size(b), size);
        td_world_save(a, bytes);
        td_world_save(b, bytes + size);
        CHECK(memcmp(bytes, bytes + size, size) == 0);
        free(bytes);
        td_world_free(a);
        td_world_free(b);
        CHECK_INT(heap.held, 0);
    }
}

TD_TEST(springs_that_cannot_be_are_refused_and_drives_stay) {
    OWNED(td_world) *w = world_of("tree", 1, NULL);
    const td_actor_id id = id_at(w, 0);
    td_joint_spring good = {{1, 1, 1}, {0, 0, 0}}, bad = {{1, -1, 1}, {0, 0, 0}};
    td_joint_drive drive = td_joint_drive_default();
    td_diag diag;
    CHECK_INT(td_world_set_springs(w, id, 0, 1, &bad, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "stiffness.y");
    CHECK_INT(td_world_set_springs(w, id, COUNT, 1, &good, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_springs(w, id, 0, 1, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_springs(w, (td_actor_id){9, 9, 0}, 0, 1, &good, &diag), TD_ERR_STALE);
    drive.torque = 0.1;
    CHECK_INT(td_world_set_drives(w, id, 3, 1, &drive, &diag), TD_OK);
    CHECK_INT(td_world_set_springs(w, id, 0, 1, &good, &diag), TD_OK);
    CHECK(td_world_drive(w, id_at(w, 0), 3).torque == 0.1);
    CHECK(td_skeleton_segments(actor_at(w, 0).skeleton)[0].stiffness.y == 1);
    steps(w, 2);
    CHECK_INT(td_world_set_integrator(w, 0, TD_ADAPTIVE, NULL), TD_OK);
    CHECK_INT(td_world_set_springs(w, id, 0, 1, &good, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "adapts");
}

// With masses: a skeleton of other materials in place of the old one.
TD_TEST(materials_change_while_it_runs_as_if_it_was_made_of_them) {
    for (int k = 0; k < 2; k++) {
        OWNED(td_world) *a = world_of(solvers[k], 1, NULL);
        td_material_change change = td_material_change_default();
        OWNED(td_skeleton) *other = NULL;
        change.density = 300;
        change.young = 5e7;
        CHECK_INT(
            td_skeleton_changed_new(actor_at(a, 0).skeleton, 1, &change, 1, NULL, &other, NULL),
            TD_OK);
        CHECK_INT(td_world_regrow_actor(a, id_at(a, 0), other, NULL), TD_OK);
        td_actor_def def = td_actor_def_default();
        td_actor_id id;
        def.position = (td_vec3){5, 0, 0};
        def.skeleton = other;
        CHECK_INT(td_world_add_actor(a, &def, &id, NULL), TD_OK);
        CHECK_INT(td_world_settle(a, NULL, NULL), TD_OK);
        CHECK(fabs(end_of(a, 0).y - end_of(a, 2).y) < 1e-9);
        CHECK(fabs(end_of(a, 0).y - end_of(a, 1).y) > 1e-3);
    }
}
