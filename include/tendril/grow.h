// SPDX-License-Identifier: MIT
#pragma once

/// @file grow.h
/// Actors that are cut and that grow while a world runs. Calls are between steps, as those of
/// actor.h, and take effect at once. Each is all or nothing, takes memory in the call and none in
/// steps, and is part of a save.
///
/// Segments keep what they have, by their ids: poses, velocities, twist, the loads of springs, and
/// what integrators remember. Hands, grabs, probes, pulls, pushes and constraints that a program
/// has added go on at the segments where they are, also on another actor; what was held by a
/// segment that is no more is let go, so that its id is refused with TD_ERR_STALE. States that
/// td_world_body() gave are no more.
///
/// Refused with TD_ERR_ARGUMENT: actors that constraints of the scene hold, those that adapt, and
/// solvers that cannot do it.

#include "tendril/actor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Cuts an actor through a segment, `place` of its length from its joint: 0, at the joint, to below
/// 1. All that it carries beyond falls off and is an actor of its own, free and on its own, which
/// `fallen` names. Nothing moves in this instant, and both keep their momentum. Surfaces of the cut
/// do not touch each other; all else of the two does.
/// What falls has ids of segments as before; a segment that is cut between its ends is in both.
/// TD_ERR_ARGUMENT also for what cannot be cut there: a ring, an organ between its ends, a plant at
/// its foot, where nothing would stay.
TD_API td_status td_world_cut_actor(td_world *world, td_actor_id actor, int32_t segment,
                                    td_real place, td_actor_id *fallen, td_diag *diag);

/// Gives an actor another skeleton, which is copied and taken as it is, in m: one that has grown,
/// or was pruned. Segments with the same id are the same and stay where they are; of one that has
/// grown longer all that it carries moves on with its tip. New segments stand as drawn against what
/// carries them, and move with it. What is not in the new skeleton is gone.
/// Use td_derive_opts.names for plants that grow, so that ids stay.
/// Of helices segments that were there must be as they were, but for those that are gone:
/// TD_ERR_ARGUMENT names one that has become longer, thicker or heavier.
/// TD_ERR_BLOCKED, with nothing changed, when what is new would be within something else.
TD_API td_status td_world_regrow_actor(td_world *world, td_actor_id actor,
                                       const td_skeleton *skeleton, td_diag *diag);

#ifdef __cplusplus
}
#endif
