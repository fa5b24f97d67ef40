// SPDX-License-Identifier: MIT
#pragma once

/// @file attach.h
/// Constraints that come and go while a world runs, and actors that are attached to a segment of
/// another: a flower in hair, a lamp on a vine. All calls are between steps, or from the callback
/// after one. All of it is part of a save.
///
/// Memory   Adding and removing takes memory. Steps never do.

#include "tendril/actor.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- constraints ----------------------------------------------------------------------------

/// Adds a constraint of any kind but TD_CONSTRAINT_CURVE, from the next step on, between `first`
/// and `second`, which take the place of `actor` of the constraint; `second` all zero: the frame of
/// the world. `start` and `end` are times of the world. Both actors step implicitly, by the same
/// integrator. TD_ERR_ARGUMENT names the invalid field.
TD_API td_status td_world_add_constraint(td_world *world, const td_constraint *def,
                                         td_actor_id first, td_actor_id second,
                                         td_constraint_id *out, td_diag *diag);
/// TD_ERR_ARGUMENT for a constraint of the scene; see td_world_set_hold(). TD_ERR_STALE when it was
/// removed, also together with one of its actors or segments, or when one of its actors was
/// disabled or placed elsewhere.
TD_API td_status td_world_remove_constraint(td_world *world, td_constraint_id constraint,
                                            td_diag *diag);
/// Where its frame of the world is, or its joint, at the end of the next step. TD_ERR_ARGUMENT for
/// a constraint of the scene, whose numbers td_world_set() changes.
TD_API td_status td_world_set_target(td_world *world, td_constraint_id constraint,
                                     const td_constraint_target *target, td_diag *diag);

// ---- actors that are attached ---------------------------------------------------------------

/// Start from td_attach_def_default().
typedef struct td_attach_def {
    uint32_t struct_size;
    td_actor_id actor;   ///< What is attached, by its base or, if that is loose, its first segment.
    td_actor_id to;      ///< What carries it.
    int32_t segment;     ///< Of `to`. Default 0.
    td_vec3 position;    ///< m: where the base is, in the axes of that segment. Default 0.
    td_quat rotation;    ///< How it is turned there. Default none.
    td_real break_force; ///< N: what is loose falls off when more pulls at it. Default INFINITY.
} td_attach_def;

TD_API td_attach_def td_attach_def_default(void);

/// Puts an actor onto a segment of another, which carries it from then on. What is loose (objects
/// with `loose`, and strands whose ends are free) is welded there, and what carries it feels its
/// weight. What stands on a base keeps it: the base goes along with the segment, one way, and what
/// carries it feels nothing.
/// What touches may not be within each other: give things that are attached `touches: false`.
/// It is detached when one of the two is removed, or when a program moves or places it.
/// TD_ERR_BLOCKED, with nothing changed, when something is in its way there.
TD_API td_status td_world_attach(td_world *world, const td_attach_def *def, td_diag *diag);
/// It stays where it is. TD_ERR_ARGUMENT when it is not attached.
TD_API td_status td_world_detach(td_world *world, td_actor_id actor, td_diag *diag);
/// What carries an actor, all zero: nothing does; and by which segment, unless that is NULL.
TD_API td_actor_id td_world_carrier(const td_world *world, td_actor_id actor, int32_t *segment);

#ifdef __cplusplus
}
#endif
