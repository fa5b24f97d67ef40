// SPDX-License-Identifier: MIT
#pragma once

// Which actors are stepped: who sleeps, stands still, or is held because its step cannot be solved.

#include "world/island.h"

// blocked.c: whether something is in the way of what was placed. TD_ERR_BLOCKED names both.
td_status tdi_actor_blocked(td_world *world, int32_t actor, td_diag *diag);
td_status tdi_collider_blocked(td_world *world, int32_t collider, td_diag *diag);
// Gravity in the axes of a base, over the stiffness of its object.
td_vec3 tdi_object_gravity(const td_world *world, int32_t object, td_quat base);
// Tells of a fault of an object, at one of its keys.
td_status tdi_object_fault(const td_world *world, int32_t object, td_status status, const char *key,
                           const td_diag *diag, td_diag_list *diags);

// holding_back.c: islands whose step cannot be solved, while all others go on.
// Whether that is so, and not a fault of all of the world.
bool tdi_island_fails(const td_world *world, const tdi_island *island);
// It was undone: its actors are where they were.
void tdi_island_hold(td_world *world, tdi_island *island);
// At the end of the step: they stop.
void tdi_island_stop(td_world *world, const tdi_island *island);
// Marks the blocked actors. TD_ERR_BLOCKED when an actor becomes blocked.
td_status tdi_world_note_blocked(td_world *world, td_diag *diag);

// wake.c: what acts on actors, and wakes them.
// Digest of all that acts on an actor in a step that ends at a time, but for fields and others.
uint64_t tdi_actor_acted(const td_world *world, const tdi_actor *actor, td_real time);
// Of what a constraint does in a step that begins at a time.
uint64_t tdi_tie_acted(const td_world *world, int32_t constraint, td_real time);
// Whether a wind that varies, or a field, moves it.
bool tdi_actor_is_driven(const td_world *world, const tdi_actor *actor);
// Marks the islands of all who are acted on otherwise than when they fell asleep.
void tdi_world_find_changed(td_world *world, td_real t0, td_real t1);

// sleep.c: actors that rest.
// Room for the contacts of actors that sleep, if they may, and for at least so many.
td_status tdi_world_sleep_room(td_world *world, int32_t least);
// A step begins: those wake who are acted on otherwise.
void tdi_world_wake_changed(td_world *world, td_real t0, td_real t1);
// Islands were formed: where one actor is awake, all are.
void tdi_world_wake_islands(td_world *world);
// Whether nothing has to be solved.
bool tdi_world_all_asleep(const td_world *world);
// After a step that began at t0: how long an island has been slow; then islands fall asleep.
void tdi_island_note_calm(td_world *world, const tdi_island *island, td_real t1);
void tdi_world_sleep_calm(td_world *world, td_real t0);
// An actor wakes, with its island; those near a collider do; all do.
void tdi_actor_wake(td_world *world, int32_t actor);
void tdi_world_wake_near(td_world *world, const td_collider *collider);
void tdi_world_wake_all(td_world *world);
// Forgets contacts of actors that have moved since they were awake.
void tdi_world_clear_slept(td_world *world);
// After a restore: what follows of who sleeps.
void tdi_world_follow_sleep(td_world *world);
// A box around an actor, within reach of contact.
td_box tdi_actor_reach(const td_world *world, int32_t actor);

// still.c: actors that are not stepped, because `adapt` allows more than they would move.
// When the world is made: actors at rest are not stepped.
void tdi_world_stand(td_world *world);
// Before a step: lists the islands that are stepped. What hands hold, or was moved, begins to move.
void tdi_world_build_active_list(td_world *world);
// After a step: some of the actors are asked whether they have to move.
void tdi_world_test_inactive(td_world *world);
