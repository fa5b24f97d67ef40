// SPDX-License-Identifier: MIT
#pragma once

/// @file actor.h
/// Adding, removing, moving and changing actors and colliders while a world runs. Call these
/// functions between steps, or from the callback after one. They take effect with the next step. A
/// step that fails undoes none of them; saves contain all of them.
///
/// Memory   Adding takes memory only where none was reserved; see td_world_step() for steps.
/// Ids      An id names one actor or collider until it is removed. After that, functions refuse the
///          id with TD_ERR_STALE, also when a new actor has the same index. They refuse ids of
///          another world too. A restored world also takes ids of the saved world, and so cannot
///          distinguish them from ids of other worlds. See the section on ids in world.h.

#include "tendril/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- kinds of plants ------------------------------------------------------------------------

/// Adds an object to the scene of a world: a skeleton, strand or text with a solver and its
/// options. *object is its index, which td_actor_def.object takes; it has no actors yet. `def` is
/// copied; its `instances` count for variants alone. Kinds stay as long as the world, with the
/// memory of their removed actors, which later actors of the same kind use again. Plants that come
/// and go without end need td_actor_def.skeleton in place of further kinds. Saves are restored in
/// worlds of the same scene to which the same kinds were added in the same order; other worlds
/// refuse them. Fails with everything as it was.
TD_API td_status td_world_add_kind(td_world *world, const td_object_def *def, int32_t *object,
                                   td_diag *diag);

// ---- actors ---------------------------------------------------------------------------------

/// An actor to add. Start from td_actor_def_default().
typedef struct td_actor_def {
    uint32_t struct_size;
    int32_t object;   ///< Of the scene, of which it is one more instance. Default 0.
    int32_t variant;  ///< Of the object's. Default TD_NONE: of a place that is free, or the next.
    td_vec3 position; ///< m, of its base in the world. Default 0.
    td_quat rotation; ///< Default none.
    /// Of its own, in m, which is copied and is part of saves; the object says all else: solver,
    /// stiffness, damping, drag, contact. Takes memory, which is used again by the next actor after
    /// it is removed. Default NULL: that of the object.
    const td_skeleton *skeleton;
    const td_filter *filter; ///< Is copied. Default NULL: that of the object.
    uint64_t user_data;      ///< See td_world_set_actor_user_data(). Default 0.
} td_actor_def;

TD_API td_actor_def td_actor_def_default(void);

/// Makes room for so many more actors of an object, in turn of its variants.
TD_API td_status td_world_reserve_actors(td_world *world, int32_t object, int32_t count,
                                         td_diag *diag);
/// The actor starts as drawn or, if its object says so, at rest under gravity. It does not follow
/// its object's position. Fields, poses and winds of the scene act on it; pulls,
/// pushes, probes and constraints are of the scene's own actors.
/// TD_ERR_BLOCKED, with nothing added, when it would be within another actor or a collider.
/// TD_ERR_DIVERGED when it has no rest alone, as a loose object: its kind needs TD_START_DRAWN.
/// With contact the call takes about 0.7 us for each actor of the world, because it searches all
/// for overlaps. td_world_reserve_actors() saves a third of that.
TD_API td_status td_world_add_actor(td_world *world, const td_actor_def *def, td_actor_id *out,
                                    td_diag *diag);
/// TD_ERR_ARGUMENT when constraints of the scene hold it.
TD_API td_status td_world_remove_actor(td_world *world, td_actor_id actor, td_diag *diag);
/// A disabled actor does not move and has no contacts. Its velocities are kept. Constraints that a
/// program has added to it are removed. TD_ERR_ARGUMENT when constraints of the scene hold it;
/// TD_ERR_BLOCKED when it would overlap something.
TD_API td_status td_world_enable_actor(td_world *world, td_actor_id actor, bool enabled,
                                       td_diag *diag);
TD_API bool td_world_actor_enabled(const td_world *world, td_actor_id actor);

/// Moves the base in the next step, which feels that motion: its velocity is the way divided by the
/// step, and 0 in the step after unless it is moved again. In its first step an actor moves along
/// with its base; later, and when it wakes, it stays behind by its inertia. From now on the actor
/// does not follow its object's position and rotation.
TD_API td_status td_world_move_actor(td_world *world, td_actor_id actor, td_vec3 position,
                                     td_quat rotation, td_diag *diag);
/// Moves the actor at once as one rigid piece, without any force; velocities turn with it.
/// Constraints that a program has added to it are removed. TD_ERR_ARGUMENT when constraints of the
/// scene hold it; TD_ERR_BLOCKED, with nothing changed, when it would overlap something there.
TD_API td_status td_world_place_actor(td_world *world, td_actor_id actor, td_vec3 position,
                                      td_quat rotation, td_diag *diag);

/// Sets with which others an actor collides, and wakes it; td_actor.filter has the value. The
/// pieces of a cut have that of the actor. TD_ERR_BLOCKED, with nothing changed, when it is within
/// something that it would collide with.
TD_API td_status td_world_set_actor_filter(td_world *world, td_actor_id actor, td_filter filter,
                                           td_diag *diag);
/// Sets a number, or a pointer as a number, that a program keeps with an actor; td_actor.user_data
/// has it. It changes nothing in steps. It is part of saves, so that a pointer counts only while
/// the program runs. Regrowing keeps it, and both pieces of a cut have it.
TD_API td_status td_world_set_actor_user_data(td_world *world, td_actor_id actor,
                                              uint64_t user_data, td_diag *diag);

// ---- sleep ----------------------------------------------------------------------------------

/// Sleeping actors do not move and cost nearly nothing. Actors in contact with each other, or
/// joined by constraints, fall asleep and wake together. They wake in the step in which one of
/// these changes: a load, a hand, a constraint, a base, gravity or another number that acts on one
/// of them, a steady wind, a collider within reach. They also wake when an actor that is awake
/// comes near. Actors in a varying wind or in a field do not sleep. td_scene_def.sleep lets actors
/// fall asleep by themselves. After a change of a state from td_world_body(), wake its actor.

/// Puts an actor to sleep with the end of the next step, together with all it touches. It stops.
/// It stays awake when it has more contacts than there is room for, 4 a segment. The first call
/// takes memory, unless the scene has `sleep`.
TD_API td_status td_world_sleep_actor(td_world *world, td_actor_id actor, td_diag *diag);
/// It moves on from the next step on, from rest.
TD_API td_status td_world_wake_actor(td_world *world, td_actor_id actor, td_diag *diag);
TD_API bool td_world_actor_asleep(const td_world *world, td_actor_id actor);

// ---- blocked --------------------------------------------------------------------------------

/// The result of the last step for an actor: TD_OK, or TD_ERR_BLOCKED when its island could not be
/// solved, so that the actor kept its pose and stopped. It moves again in the first step that can
/// be solved. `diag` says why, with the segment as index.
TD_API td_status td_world_actor_status(const td_world *world, td_actor_id actor, td_diag *diag);
/// Fills at most `capacity` actors that the last step blocked; returns the number of all.
TD_API int32_t td_world_blocked_actors(const td_world *world, td_actor_id *actors,
                                       int32_t capacity);

// ---- colliders ------------------------------------------------------------------------------

/// Makes room for so many more colliders.
TD_API td_status td_world_reserve_colliders(td_world *world, int32_t count, td_diag *diag);
/// At its `position` and `rotation`. TD_ERR_ARGUMENT in a scene without contact: give it
/// td_scene_def.contact. TD_ERR_BLOCKED, with nothing added, when it would be within an actor.
TD_API td_status td_world_add_collider(td_world *world, const td_collider *def, td_collider_id *out,
                                       td_diag *diag);
TD_API td_status td_world_remove_collider(td_world *world, td_collider_id collider, td_diag *diag);
/// TD_ERR_BLOCKED when an actor has taken its place.
TD_API td_status td_world_enable_collider(td_world *world, td_collider_id collider, bool enabled,
                                          td_diag *diag);
TD_API bool td_world_collider_enabled(const td_world *world, td_collider_id collider);
/// Moves it through the next step, with constant velocity; it pushes objects in its path. It stops
/// in the step after unless it is moved again. From now on it does not follow its keyframes.
TD_API td_status td_world_move_collider(td_world *world, td_collider_id collider, td_vec3 position,
                                        td_quat rotation, td_diag *diag);
/// Puts it elsewhere at once. TD_ERR_BLOCKED, with nothing changed, when an actor is in its way.
TD_API td_status td_world_place_collider(td_world *world, td_collider_id collider, td_vec3 position,
                                         td_quat rotation, td_diag *diag);
/// Gives it the radius, length and sides of `size`, in the same way.
TD_API td_status td_world_resize_collider(td_world *world, td_collider_id collider,
                                          const td_collider *size, td_diag *diag);
/// Sets with which actors it collides, and wakes those near it. TD_ERR_BLOCKED, with nothing
/// changed, when an actor is within it that it would collide with.
TD_API td_status td_world_set_collider_filter(td_world *world, td_collider_id collider,
                                              td_filter filter, td_diag *diag);
/// As td_world_set_actor_user_data(); td_collider.user_data has it.
TD_API td_status td_world_set_collider_user_data(td_world *world, td_collider_id collider,
                                                 uint64_t user_data, td_diag *diag);

#ifdef __cplusplus
}
#endif
