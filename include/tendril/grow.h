// SPDX-License-Identifier: MIT
#pragma once

/// @file grow.h
/// Actors that are cut and that grow while a world runs. Calls are between steps, as those of
/// actor.h, and take effect at once. Each is all or nothing, takes memory in the call and none in
/// steps, and is part of a save.
///
/// Segments keep their state by their ids: poses, velocities, twist, moments of springs, and the
/// history of integrators. Hands, grabs, probes, pulls, pushes and constraints that a program has
/// added stay at their segments, also on another actor. If their segment is removed, they are
/// removed too, and their ids are refused with TD_ERR_STALE. Pointers from td_world_body() become
/// invalid.
///
/// TD_ERR_ARGUMENT for actors in constraints of the scene, for actors that adapt, and for solvers
/// without cutting and growing.

#include "tendril/actor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Cuts an actor through a segment, `place` of its length from its joint: 0, at the joint, to below
/// 1. The part beyond becomes a free actor, which `fallen` names. Nothing moves in this instant,
/// and both keep their momentum. The two surfaces of the cut do not collide; all other segments of
/// the two actors do.
/// The fallen part keeps its ids of segments; a segment cut between its ends is in both actors.
/// TD_ERR_ARGUMENT also for a ring, an organ between its ends, and a plant at its foot, of which
/// nothing would stay.
TD_API td_status td_world_cut_actor(td_world *world, td_actor_id actor, int32_t segment,
                                    td_real place, td_actor_id *fallen, td_diag *diag);

/// Gives an actor another skeleton, grown or pruned, which is copied and taken as it is, in m.
/// Segments with the same id keep their poses; when one has grown longer, its descendants move on
/// with its tip. New segments have their drawn pose relative to the parent, and move with it.
/// Segments that are not in the new skeleton are removed.
/// Use td_derive_opts.names for plants that grow, so that ids stay.
/// With helices old segments must be unchanged or removed: TD_ERR_ARGUMENT names one that has
/// become longer, thicker or heavier.
/// TD_ERR_BLOCKED, with nothing changed, when a new segment would overlap something.
TD_API td_status td_world_regrow_actor(td_world *world, td_actor_id actor,
                                       const td_skeleton *skeleton, td_diag *diag);

#ifdef __cplusplus
}
#endif
