// SPDX-License-Identifier: MIT
#pragma once

/// @file island.h
/// States of any solvers that are stepped together because they may touch: each other, themselves
/// and colliders. Worlds make islands of what is near in every step; a program that holds states
/// itself makes its own.

#include "tendril/contact.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_island td_island;

/// A state of any solver: td_tree_ref(), td_rod_ref().
typedef struct td_state_ref {
    const struct tdi_implicit *solver;
    void *state;
} td_state_ref;

/// For steps of these states with never more than collider_limit colliders. Nothing passes through
/// anything, at any dt. The states outlive it; all memory that contact needs is taken here.
///
/// Segments are capsules from joint to tip. What stands on the base does not touch within two radii
/// of it, nor does what is welded to it: a plant may grow from a plane. Neighbours along a stem do
/// not touch, nor do segments of one tree that are in each other as they are drawn.
TD_API td_status td_island_new(const td_state_ref *states, int32_t count,
                               const td_contact_opts *opts, int32_t collider_limit,
                               const td_alloc *alloc, td_island **out, td_diag *diag);
TD_API void td_island_free(td_island *island); ///< NULL is allowed.

/// Steps all of them, or none. `opts` has an entry a state; dt and integrator, an implicit one, are
/// the same for all. `stats` may be NULL. TD_ERR_DIVERGED, with everything as it was, when a value
/// is not finite, when things are in each other at the start, when what is driven leaves no room,
/// or when the step does not converge in pieces of 1/64 of dt either; TD_ERR_LIMIT when there are
/// more contacts than there is room for.
TD_API td_status td_island_step(td_island *island, const td_step_opts *opts,
                                const td_collider *colliders, int32_t collider_count,
                                td_step_stats *stats, td_diag *diag);

/// Goes to rest under gravity, on the colliders and on each other, from wherever the states are;
/// velocities become 0. Friction has no part in it.
TD_API td_status td_island_settle(td_island *island, const td_step_opts *opts,
                                  const td_collider *colliders, int32_t collider_count,
                                  td_step_stats *stats, td_diag *diag);

/// One contact at the end of the last step.
typedef struct td_contact {
    int32_t actor, segment; ///< First side: the actor of a world, or the state of an island.
    int32_t other_actor;    ///< TD_NONE: the other side is a collider.
    int32_t other;          ///< Segment of other_actor, or number of the collider.
    td_vec3 point;          ///< m.
    td_vec3 normal;         ///< Unit, from the other side to the first.
    td_vec3 force;          ///< N, on the first side: barrier and friction.
    td_real gap;            ///< m.
} td_contact;

/// Fills at most `capacity` contacts; returns how many there are.
TD_API int32_t td_island_contacts(const td_island *island, td_contact *contacts, int32_t capacity);

#ifdef __cplusplus
}
#endif
