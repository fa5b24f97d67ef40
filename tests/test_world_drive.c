// SPDX-License-Identifier: MIT
// Actors whose joints a program drives. Pairs with src/world/drives.c.

#include "test_world_support.h"

// An arm of three segments with hinges on a fixed foot, and a rod beside it.
static const char *const arm =
    "{objects: [{name: arm, strand: {points: [[0, 0, 0], [0, 0.9, 0]], segments: 3, radius: 0.02,\n"
    "  material: oak}, joints: [{hinge: {segment: 0, axis: [0, 0, 1], damping: 1}},\n"
    "  {hinge: {segment: 1, axis: [0, 0, 1], damping: 1}}, {fixed: {segment: 2}}]},\n"
    " {name: rope, solver: rod, position: [1, 1, 0], strand: {points: [[0, 0, 0], [0, -0.5, 0]],\n"
    "  segments: 4}}], gravity: [0, 0, 0]}";

TD_TEST(world_drive_turns_a_hinge_and_is_saved_to_the_bit) {
    OWNED(stage) a = stage_of(arm), b = stage_of(arm);
    const td_actor_id id = id_at(a.world, 0);
    td_joint_drive drives[2] = {td_joint_drive_default(), td_joint_drive_default()};
    CHECK_INT(td_world_joint_dof(a.world, id_at(a.world, 0), 0), 0);
    CHECK_INT(td_world_joint_dof(a.world, id_at(a.world, 0), 1), 1);
    CHECK_INT(td_world_joint_dof(a.world, id_at(a.world, 0), 2), TD_NONE); // fixed
    CHECK_INT(td_world_joint_dof(a.world, id_at(a.world, 1), 0), TD_NONE); // a rod
    drives[0].torque = 3;
    drives[1].torque = -2;
    drives[1].low = -0.5;
    CHECK_INT(td_world_set_drives(a.world, id, 0, 2, drives, NULL), TD_OK);
    CHECK(td_world_drive(a.world, id_at(a.world, 0), 1).torque == -2);
    CHECK(td_world_drive(a.world, id_at(a.world, 0), 0).torque == 3);
    steps(a.world, 30);
    CHECK(tip_of(a.world, 0, 0).x < -0.05); // +Z turns +Y to -X
    restore_from(b.world, a.world);
    CHECK(td_world_drive(b.world, id_at(b.world, 0), 1).low == -0.5);
    check_same_way(a.world, b.world, 30);
    // a save from before ends what was driven since
    OWNED(stage) c = stage_of(arm);
    restore_from(b.world, c.world);
    CHECK(td_world_drive(b.world, id_at(b.world, 0), 1).torque == 0);
    CHECK(same_bits(b.world, c.world));
}

TD_TEST(world_drive_that_ends_leaves_no_trace) {
    OWNED(stage) a = stage_of(arm), b = stage_of(arm);
    td_joint_drive drive = td_joint_drive_default();
    const td_actor_id id = id_at(a.world, 0);
    drive.offset = 0.3;
    CHECK_INT(td_world_set_drives(a.world, id, 1, 1, &drive, NULL), TD_OK);
    CHECK_INT(td_world_set_drives(a.world, id, 0, 2, NULL, NULL), TD_OK);
    check_same_way(a.world, b.world, 5);
}

TD_TEST(world_drive_wakes_an_arm_that_sleeps) {
    OWNED(stage) s = stage_of(arm);
    td_joint_drive drive = td_joint_drive_default();
    const td_actor_id id = id_at(s.world, 0);
    CHECK_INT(td_world_sleep_actor(s.world, id, NULL), TD_OK);
    steps(s.world, 2);
    CHECK(td_world_actor_asleep(s.world, id));
    drive.torque = 2;
    CHECK_INT(td_world_set_drives(s.world, id, 0, 1, &drive, NULL), TD_OK);
    steps(s.world, 10);
    CHECK(!td_world_actor_asleep(s.world, id));
    CHECK(fabs(tip_of(s.world, 0, 0).x) > 1e-3);
}

TD_TEST(world_drive_takes_memory_once_and_none_in_steps) {
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    OWNED(stage) s = try_stage(arm, 1, &alloc);
    td_joint_drive drive = td_joint_drive_default();
    const td_actor_id id = id_at(s.world, 0);
    CHECK_INT(s.status, TD_OK);
    CHECK_INT(td_world_set_drives(s.world, id, 0, 1, &drive, NULL), TD_OK);
    const long calls = heap.calls;
    for (int32_t k = 0; k < 20; k++) {
        drive.torque = k;
        CHECK_INT(td_world_set_drives(s.world, id, k % 2, 1, &drive, NULL), TD_OK);
        steps(s.world, 1);
    }
    CHECK_INT(heap.calls, calls);
}

TD_TEST(world_drive_refuses_what_has_no_such_joints) {
    OWNED(stage) s = stage_of(arm);
    td_diag diag = {.message = ""};
    td_joint_drive drive = td_joint_drive_default();
    const td_actor_id id = id_at(s.world, 0), rope = id_at(s.world, 1);
    CHECK_INT(td_world_set_drives(s.world, rope, 0, 1, &drive, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "'rope' cannot be driven");
    CHECK_INT(td_world_set_drives(s.world, id, 1, 2, &drive, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "first is 1 and count 2; 'arm' has 2 degrees of freedom");
    CHECK_INT(td_world_set_drives(s.world, id, -1, 1, &drive, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_drives(s.world, id, 1, INT32_MAX, &drive, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_drives(s.world, (td_actor_id){9, 1, 0}, 0, 1, &drive, &diag),
              TD_ERR_STALE);
    drive.torque = INFINITY;
    CHECK_INT(td_world_set_drives(s.world, id, 0, 1, &drive, &diag), TD_ERR_ARGUMENT);
    CHECK(td_world_drive(s.world, id_at(s.world, 0), 0).torque == 0);
}
