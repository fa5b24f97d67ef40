// SPDX-License-Identifier: MIT
#pragma once

// Which actors are stepped: active, waiting, asleep, disabled or blocked.

#include "world/island.h"

// Why an actor wakes; the log says so.
typedef enum tdi_wake_reason {
    TDI_WAKE_LOADS,
    TDI_WAKE_CONSTRAINT,
    TDI_WAKE_COLLIDER,
    TDI_WAKE_NEIGHBOUR,
    TDI_WAKE_PROGRAM
} tdi_wake_reason;

// Sleeping actors: sleep.c.
typedef struct tdi_world_sleep {
    bool allowed;         // by the scene or a program
    td_contact *contacts; // of sleeping actors, island after island
    int32_t count, capacity;
} tdi_world_sleep;

// activity.c: states and how they change.
// The one function that changes the state of an actor.
void tdi_actor_set_activity(tdi_actor *actor, tdi_activity to);
// Wakes a waiting actor, or a sleeping island. Of an active actor it resets the time that it has
// been slow.
void tdi_actor_wake(td_world *world, int32_t actor, tdi_wake_reason reason);
// The same for sleeping actors within reach of the path of a collider, and for all.
void tdi_world_wake_near(td_world *world, const td_collider *collider);
void tdi_world_wake_all(td_world *world);
// A step begins: wakes all actors whose loads, constraints, colliders or neighbours changed.
void tdi_world_wake_changed(td_world *world, td_real t0, td_real t1);
// Islands were formed: they get the state of their actors. If one actor is active, all are.
void tdi_world_derive_islands(td_world *world);
// Lists the islands that are stepped.
void tdi_world_build_active_list(td_world *world);
// Whether no island has to be solved.
bool tdi_world_all_asleep(const td_world *world);
// After a restore: refuses impossible states.
void tdi_world_follow_activity(td_world *world);

// sleep.c: when islands fall asleep, and their contacts.
// Memory for the contacts of sleeping actors, if sleep is allowed, and for at least so many.
td_status tdi_world_sleep_room(td_world *world, int32_t least);
// After a step that began at t0: updates how long an island has been slow; then islands fall
// asleep.
void tdi_island_update_slow_time(td_world *world, const tdi_island *island, td_real t1);
void tdi_world_sleep_islands(td_world *world, td_real t0);
// After a restore: drops contacts of actors that do not exist.
void tdi_world_check_sleeping_contacts(td_world *world);
// A box around an actor, within reach of contact.
td_box tdi_actor_reach(const td_world *world, int32_t actor);

// waiting.c: actors that are not stepped, because `adapt` allows a larger error than their motion.
// When the world is made: actors at rest wait.
void tdi_world_begin_waiting(td_world *world);
// Before a step: wakes waiting actors that a program pulls, or whose object moves.
void tdi_world_wake_waiting(td_world *world);
void tdi_actor_stop_waiting(td_world *world, int32_t actor);
// After a step: tests some actors: they begin or end to wait.
void tdi_world_test_inactive(td_world *world);

// blocking.c: islands whose step cannot be solved are blocked; all others move on.
// Whether an island failed so, rather than the whole world.
bool tdi_island_fails(const td_world *world, const tdi_island *island);
// Blocks an island whose step was undone.
void tdi_island_block(td_world *world, tdi_island *island);
// At the end of the step: its actors stop.
void tdi_island_stop(td_world *world, const tdi_island *island);
// Whether actors are pushed out of colliders that overlap them as the step begins.
bool tdi_world_pushes_out(const td_world *world);
// TD_ERR_BLOCKED when an actor has become blocked in this step.
td_status tdi_world_note_blocked(td_world *world, td_diag *diag);

// digest.c: what acts on actors.
// Digest of the loads of an actor in a step that ends at a time, without force fields and contact.
uint64_t tdi_actor_digest(const td_world *world, const tdi_actor *actor, td_real time);
// Digest of a constraint in a step that begins at a time.
uint64_t tdi_constraint_digest(const td_world *world, int32_t constraint, td_real time);
// Whether a varying wind or a force field moves it.
bool tdi_actor_is_driven(const td_world *world, const tdi_actor *actor);

// overlap.c: whether a placed actor or collider overlaps something. TD_ERR_BLOCKED names both. A
// world that pushes actors apart notes the overlapping pairs instead.
td_status tdi_actor_overlaps(td_world *world, int32_t actor, td_diag *diag);
// What helps against an overlap with which a step began: nothing can be solved from such a pose.
const char *tdi_world_apart_text(const td_world *world, const tdi_body_contact *contact);
td_status tdi_collider_overlaps(td_world *world, int32_t collider, td_diag *diag);
// Finds all pairs that overlap, in a world that pushes them apart.
td_status tdi_world_find_overlaps(td_world *world, td_diag *diag);
// The same for an actor in a world that pushes, after what may have changed its capsules.
void tdi_actor_find_overlaps(td_world *world, int32_t actor);
