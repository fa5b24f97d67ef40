// SPDX-License-Identifier: MIT
#pragma once

// How actors move besides their own dynamics: bases, drives, stiffness that changes, fewer joints.

#include "world/actor.h"

// stiffen.c: factors of the stiffness in bending and in twist.
// As the scene says them now.
tdi_factors tdi_object_factors(const td_world *world, int32_t object);
// Of a model that was just made.
td_status tdi_variant_stiffen(const td_world *world, tdi_variant *variant, tdi_factors by,
                              td_diag *diag);
// Room for a model to change, and the model with other factors than it was made with.
td_status tdi_variant_stiffen_room(td_world *world, tdi_variant *variant, td_diag *diag);
void tdi_variant_follow_factors(const td_world *world, tdi_variant *variant, tdi_factors now);
// Room for the models of an object to change while the world runs.
td_status tdi_object_stiffen_room(td_world *world, int32_t object, td_diag *diag);
// All models, as the scene says now. Takes no memory where there is room, and cannot fail then.
td_status tdi_world_stiffen(td_world *world, td_diag *diag);

// Whether a collider, on its way from where it was, reaches into a box, or may.
bool tdi_collider_reaches(const td_collider *collider, const td_box *box);

// adaptive.c: actors that the integrator TD_ADAPTIVE steps.
// What that needs, if the actor's object has it. `diag` may be NULL.
td_status tdi_actor_make_adaptive(td_world *world, tdi_actor *actor, td_diag *diag);
// Of all actors whose objects have it no more.
void tdi_world_end_adaptive(td_world *world);
// Bytes of it in a save, of an actor of this variant whose object has this integrator.
size_t tdi_variant_adapt_bytes(const td_world *world, int32_t variant, td_integrator integrator);
td_status tdi_actor_step_adaptively(td_world *world, tdi_actor *actor);
// After its state was restored to where the step began.
void tdi_actor_undo_adaptively(tdi_actor *actor);

// drives.c: joints that a program drives.
// Of all degrees of freedom; NULL: none is driven.
const td_joint_drive *tdi_actor_drives(const tdi_actor *actor);
void tdi_actor_end_drives(tdi_actor *actor);
// Those of all actors in a save: how many, their bytes, and both ways.
int32_t tdi_world_drive_count(const td_world *world);
size_t tdi_world_drive_bytes(int32_t count);
void tdi_world_write_drives(const td_world *world, char *bytes);
td_status tdi_world_read_drives(td_world *world, const char *bytes, int32_t count);

// reduced.c
// Whether actors of an object are stepped implicitly with fewer joints than they have.
bool tdi_object_reduces(const td_world *world, int32_t object);
// Tells the state of such an actor, before a step, what the scene allows now.
void tdi_actor_set_reduction(const td_world *world, tdi_actor *actor);
// Whether its solver has the integrator, and contact and constraints of the scene allow it.
bool tdi_object_can_have(const td_world *world, int32_t object, td_integrator integrator);
// Another integrator steps it from now on; an explicit one with all its joints.
void tdi_actor_set_integrator(tdi_actor *actor, td_integrator integrator);

// motion.c
// Base of an object, and the reference frame of its local dynamics, as the scene says them now.
tdi_transform tdi_object_pose(const td_world *world, int32_t object);
tdi_transform tdi_object_frame(const td_world *world, int32_t object);
// Where the base of an actor is to be now.
tdi_transform tdi_actor_place(const td_world *world, const tdi_actor *actor);
// How the simulated base moves.
tdi_rate tdi_actor_base_rate(const tdi_actor *actor);
// Moves the actor's base to where the scene has put it, for the step that begins at t0.
void tdi_actor_move_base(td_world *world, tdi_actor *actor, td_real t0);
// Moves the prescribed ends of a strand, after its base.
void tdi_actor_move_ends(const td_world *world, tdi_actor *actor);
// From the true frame to the simulated one, and back.
td_vec3 tdi_to_simulated(const tdi_actor *actor, td_vec3 x);
td_vec3 tdi_turn_to_simulated(const tdi_actor *actor, td_vec3 v);
td_vec3 tdi_turn_from_simulated(const tdi_actor *actor, td_vec3 v);
td_vec3 tdi_from_simulated(const tdi_actor *actor, td_vec3 x);
td_quat tdi_rotation_from_simulated(const tdi_actor *actor, td_quat q);
// Velocity of a point x of the simulation that moves with v there.
td_vec3 tdi_velocity_from_simulated(const tdi_actor *actor, td_vec3 x, td_vec3 v);
tdi_transform tdi_transform_mul(tdi_transform a, tdi_transform b);

// bulk.c: how the joint of a segment moves, and how that turns, in the world.
tdi_rate tdi_segment_rate(const tdi_actor *actor, int32_t segment);
