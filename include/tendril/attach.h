// SPDX-License-Identifier: MIT
#pragma once

/// @file attach.h
/// Adding and removing constraints while a world runs, and attaching actors to a segment of
/// another: a flower in hair, a lamp on a vine. Call these functions between steps, or from the
/// callback after one. Saves contain all of it.
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
    td_actor_id actor;   ///< Is attached by its base or, if it is loose, by its first segment.
    td_actor_id to;      ///< The carrier.
    int32_t segment;     ///< Of `to`. Default 0.
    td_vec3 position;    ///< m: where the base is, in the axes of that segment. Default 0.
    td_quat rotation;    ///< How it is turned there. Default none.
    td_real break_force; ///< N: a loose actor falls off at a larger force. Default INFINITY.
} td_attach_def;

TD_API td_attach_def td_attach_def_default(void);

/// Moves an actor onto a segment of another, its carrier. A loose actor (of an object with `loose`,
/// or a strand with free ends) is welded there, and the carrier feels its weight. The base of any
/// other actor follows the segment, and the carrier feels nothing.
/// The two may not overlap if they can collide: give attached objects `touches: false`.
/// It is detached when one of the two is removed, or when a program moves or places it.
/// TD_ERR_BLOCKED, with nothing changed, when it would overlap something there.
TD_API td_status td_world_attach(td_world *world, const td_attach_def *def, td_diag *diag);
/// It stays where it is. TD_ERR_ARGUMENT when it is not attached.
TD_API td_status td_world_detach(td_world *world, td_actor_id actor, td_diag *diag);
/// The carrier of an actor; an id of zeros: it has no carrier. *segment, if given, gets the
/// carrier's segment.
TD_API td_actor_id td_world_carrier(const td_world *world, td_actor_id actor, int32_t *segment);

#ifdef __cplusplus
}
#endif
