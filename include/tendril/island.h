// SPDX-License-Identifier: MIT
#pragma once

/// @file island.h
/// States of any solvers that are stepped together because they can touch each other, themselves
/// and colliders. A world groups its actors into islands by their distance in every step; a program
/// that has states of its own makes islands itself. Constraints hold them to each other and to the
/// world.

#include "tendril/constraint.h"
#include "tendril/contact.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_island td_island;

/// For steps of these states with never more than collider_limit colliders. Nothing passes through
/// anything, at any dt. The states outlive it; all memory that contact needs is taken here.
///
/// Segments are capsules from joint to tip. Segments on a base do not touch within two radii of it,
/// nor do segments welded to it: a plant may grow from a plane. Neighbours along a stem do not
/// touch, nor do segments of one tree that overlap in the drawn pose.
/// The barrier pushes states apart that are placed closer than `gap` to something at rest. Worlds
/// shorten the range for placed actors; islands of a program do not. `opts` NULL: no contact and no
/// colliders.
TD_API td_status td_island_new(td_body *const *bodies, int32_t count, const td_contact_opts *opts,
                               int32_t collider_limit, const td_alloc *alloc, td_island **out,
                               td_diag *diag);
TD_API void td_island_free(td_island *island); ///< NULL is allowed.

/// Steps all of them, or none. `opts` has an entry a state; dt and integrator, an implicit one, are
/// the same for all. `stats` may be NULL. TD_ERR_DIVERGED, with everything as it was, when a value
/// is not finite, when segments overlap at the start, when colliders or driven ends leave no room,
/// or when the step does not converge even in parts of 1/64 of dt; TD_ERR_LIMIT, likewise, when
/// more segments are near each other than there is room for: see td_contact_opts.pairs.
TD_API td_status td_island_step(td_island *island, const td_step_opts *opts,
                                const td_collider *colliders, int32_t collider_count,
                                td_step_stats *stats, td_diag *diag);

/// Computes the rest pose under gravity, on the colliders and on each other, from the current
/// poses. Velocities become 0. There is no friction.
TD_API td_status td_island_settle(td_island *island, const td_step_opts *opts,
                                  const td_collider *colliders, int32_t collider_count,
                                  td_step_stats *stats, td_diag *diag);

// ---- constraints ----------------------------------------------------------------------------

/// Holds the states of an island by constraints, in place of those that it had; `count` may be 0.
/// Actors are the states' numbers. Copies everything; all memory that steps need is taken here.
/// *diag, if given, names the constraint, and has its number as index.
TD_API td_status td_island_constrain(td_island *island, const td_constraint *constraints,
                                     int32_t count, td_diag *diag);
/// Where a constraint's frame of the world is, or its joint, at the end of the next step.
TD_API td_status td_island_set_target(td_island *island, int32_t constraint,
                                      const td_constraint_target *target, td_diag *diag);
/// Releases a constraint, or engages it again, from the next step on, as `start` and `end` would. A
/// broken constraint stays broken.
TD_API td_status td_island_set_hold(td_island *island, int32_t constraint, bool hold,
                                    td_diag *diag);
TD_API int32_t td_island_constraint_count(const td_island *island);
TD_API td_constraint_report td_island_constraint(const td_island *island, int32_t constraint);
/// A save of the constraints: forces, broken constraints, placements found at their beginning.
/// Later steps depend on it and on the states.
TD_API size_t td_island_save_size(const td_island *island);
TD_API void td_island_save(const td_island *island, void *bytes);
/// TD_ERR_SYNTAX, with the island as it was, for bytes that are not of an island with as many
/// constraints, or were damaged: a save holds a checksum.
TD_API td_status td_island_restore(td_island *island, const void *bytes, size_t size,
                                   td_diag *diag);

// ---- contacts -------------------------------------------------------------------------------

/// One contact of the last step. Of a step that was taken in pieces these are the contacts of all
/// pieces, each pair of sides with its places in the last that had it.
typedef struct td_contact {
    int32_t actor, segment; ///< First side: the index of an actor of a world, which
                            ///< td_world_actor_id() takes, or of a state of an island.
    int32_t other_actor;    ///< TD_NONE: the other side is a collider.
    int32_t other;          ///< Segment of other_actor, or index of the collider.
    td_vec3 point;          ///< m.
    td_vec3 normal;         ///< Unit, from the other side to the first.
    td_vec3 force;          ///< N, on the first side, the mean over the step: barrier and friction.
    td_real gap;            ///< m.
} td_contact;

/// Fills at most `capacity` contacts; returns how many there are.
TD_API int32_t td_island_contacts(const td_island *island, td_contact *contacts, int32_t capacity);

#ifdef __cplusplus
}
#endif
