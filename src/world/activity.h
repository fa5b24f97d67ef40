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

// Actors that sleep: sleep.c.
typedef struct tdi_world_sleep {
    bool allowed;         // the scene or a program has let actors sleep
    td_contact *contacts; // of actors that sleep, island after island
    int32_t count, capacity;
} tdi_world_sleep;

// activity.c: states and how they change.
// The one function that changes the state of an actor.
void tdi_actor_set_activity(tdi_actor *actor, tdi_activity to);
// The one that wakes what waits, or sleeps with its island. Others only count as calm from now on.
void tdi_actor_wake(td_world *world, int32_t actor, tdi_wake_reason reason);
// The same for sleeping actors within reach of the path of a collider, and for all.
void tdi_world_wake_near(td_world *world, const td_collider *collider);
void tdi_world_wake_all(td_world *world);
// A step begins: wakes all on which something else acts.
void tdi_world_wake_changed(td_world *world, td_real t0, td_real t1);
// Islands were formed: they get the state of their actors. If one actor is active, all are.
void tdi_world_derive_islands(td_world *world);
// Lists the islands that are stepped.
void tdi_world_build_active_list(td_world *world);
// Whether nothing has to be solved.
bool tdi_world_all_asleep(const td_world *world);
// After a restore: refuses states that cannot be.
void tdi_world_follow_activity(td_world *world);

// sleep.c: when islands fall asleep, and their contacts.
// Room for the contacts of actors that sleep, if they may, and for at least so many.
td_status tdi_world_sleep_room(td_world *world, int32_t least);
// After a step that began at t0: how long an island has been slow; then islands fall asleep.
void tdi_island_note_calm(td_world *world, const tdi_island *island, td_real t1);
void tdi_world_sleep_calm(td_world *world, td_real t0);
// Forgets contacts of actors that have moved since they were awake.
void tdi_world_clear_slept(td_world *world);
// After a restore: forgets contacts of actors that do not exist.
void tdi_world_check_slept(td_world *world);
// A box around an actor, within reach of contact.
td_box tdi_actor_reach(const td_world *world, int32_t actor);

// waiting.c: actors that are not stepped, because `adapt` allows more than they would move.
// When the world is made: actors at rest wait.
void tdi_world_begin_waiting(td_world *world);
// Before a step: wakes waiting actors that a program pulls, or whose object moves.
void tdi_world_wake_waiting(td_world *world);
void tdi_actor_stop_waiting(td_world *world, int32_t actor);
// After a step: tests some of the actors for whether they have to move.
void tdi_world_test_inactive(td_world *world);

// blocking.c: islands whose step cannot be solved, while all others go on.
// Whether that is so, and not a fault of all of the world.
bool tdi_island_fails(const td_world *world, const tdi_island *island);
// It was undone: its actors are where they were.
void tdi_island_block(td_world *world, tdi_island *island);
// At the end of the step: they stop.
void tdi_island_stop(td_world *world, const tdi_island *island);
// TD_ERR_BLOCKED when an actor has become blocked in this step.
td_status tdi_world_note_blocked(td_world *world, td_diag *diag);

// digest.c: what acts on actors.
// Digest of all that acts on an actor in a step that ends at a time, but for fields and others.
uint64_t tdi_actor_digest(const td_world *world, const tdi_actor *actor, td_real time);
// Of what a constraint does in a step that begins at a time.
uint64_t tdi_constraint_digest(const td_world *world, int32_t constraint, td_real time);
// Whether a wind that varies, or a field, moves it.
bool tdi_actor_is_driven(const td_world *world, const tdi_actor *actor);

// overlap.c: whether something is in the way of what was placed. TD_ERR_BLOCKED names both.
td_status tdi_actor_overlaps(td_world *world, int32_t actor, td_diag *diag);
td_status tdi_collider_overlaps(td_world *world, int32_t collider, td_diag *diag);
