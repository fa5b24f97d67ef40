// SPDX-License-Identifier: MIT
#pragma once

/// @file query.h
/// What a program asks a world between steps, in bulk: poses and velocities of all segments, who is
/// where, what a ray meets, which contacts began and ended, what bases carry, and hands that pull.

#include "tendril/actor.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- all segments ---------------------------------------------------------------------------

/// Segments of all actors one after the other, in the order of their indices; free places count as
/// the actor that was there. They change only when actors are added beyond the last index, or when
/// a save is restored.
TD_API int32_t td_world_segment_count(const td_world *world);
/// Where those of an actor begin, by its index; of td_world_actor_count(), where all end.
TD_API int32_t td_world_first_segment(const td_world *world, int32_t actor);
/// Joints, tips and rotations of all segments; velocities of their tips, m/s, and how they turn,
/// rad/s, all in world axes. Any may be NULL.
TD_API void td_world_all_poses(const td_world *world, td_vec3 *origins, td_vec3 *tips,
                               td_quat *rotations);
TD_API void td_world_all_velocities(td_world *world, td_vec3 *tips, td_vec3 *spins);
/// The same of one actor.
TD_API void td_world_velocities(td_world *world, td_actor_id actor, td_vec3 *tips, td_vec3 *spins);

typedef struct td_box {
    td_vec3 low, high; ///< m.
} td_box;

/// A box around an actor, with the radii of its segments.
TD_API td_box td_world_bounds(const td_world *world, td_actor_id actor);
/// One an index; of a free one low is above high.
TD_API void td_world_all_bounds(const td_world *world, td_box *boxes);

// ---- picking --------------------------------------------------------------------------------

/// What a ray or a sphere met. Segments are round and taper.
typedef struct td_pick {
    td_actor_id actor; ///< All zero: it met nothing.
    int32_t segment;
    td_real along;    ///< 0..1: from joint to tip.
    td_vec3 point;    ///< m: there, on the axis.
    td_vec3 own;      ///< The same in the axes of the segment: what td_grab_def takes.
    td_real distance; ///< m: of a ray from its origin to the surface; of a sphere from its centre
                      ///< to the surface, below 0 within it.
    td_collider_id collider; ///< What a ray met in place of an actor; all zero: none.
    td_vec3 surface;         ///< m: the point of the surface. That is `point` for a collider.
    td_vec3 normal;          ///< Unit, out of the surface. A ray that starts inside has distance 0
                             ///< and a normal against its direction.
} td_pick;

typedef struct td_ray {
    td_vec3 origin;    ///< m.
    td_vec3 direction; ///< Of any length above 0.
    td_real length;    ///< m: how far it goes; 0: without end.
    td_real radius;    ///< m: of a ball that is cast along the ray. 0: a thin ray.
    bool colliders;    ///< It meets colliders as well.
    td_filter filter;  ///< It meets what would collide with it. All zero: everything.
} td_ray;

/// Queries find segments by a tree of boxes. The first query makes it and takes memory for it; the
/// first after a step, or after another change, updates it. Sleeping actors cost no update. Worlds
/// that are never asked pay nothing. Actors that are removed or disabled are not found. A segment
/// is straight, round and tapers, with round ends. After you have changed a state that
/// td_world_body() gave, wake its actor.

/// What each ray meets first. TD_ERR_ARGUMENT names a ray whose numbers are not finite, below 0, or
/// that has no direction; then no pick is written.
TD_API td_status td_world_cast_rays(td_world *world, int32_t count, const td_ray *rays,
                                    td_pick *picks, td_diag *diag);
/// The segment whose surface is nearest to each centre, within `radius` of it, m, at least 0; of
/// actors that would collide with `filter`. NULL: of all.
TD_API td_status td_world_pick_nearest(td_world *world, int32_t count, const td_vec3 *centres,
                                       td_real radius, const td_filter *filter, td_pick *picks,
                                       td_diag *diag);

/// A segment within a shape.
typedef struct td_overlap {
    td_actor_id actor;
    int32_t segment;
} td_overlap;

/// Segments that have a point in common with a shape: a sphere, capsule, box or the solid side of a
/// plane, at `position` and `rotation`; of actors that would collide with its `filter`. Fills at
/// most `capacity`, by index of the actor and by segment; *count is how many there are.
TD_API td_status td_world_overlap(td_world *world, const td_collider *shape, td_overlap *found,
                                  int32_t capacity, int32_t *count, td_diag *diag);

// ---- contacts -------------------------------------------------------------------------------

/// A pair that began or ceased to touch in the last step. td_world_contacts() has points, normals
/// and forces of all pairs in contact.
typedef struct td_contact_event {
    bool began; ///< Else it ended.
    td_actor_id actor;
    int32_t segment;
    td_actor_id other_actor;       ///< All zero: the other side is a collider.
    td_collider_id other_collider; ///< All zero: it is an actor.
    int32_t other_segment;         ///< Of other_actor.
} td_contact_event;

/// Watches up to `capacity` pairs from the next step on; 0: none, as at the start. Pairs in contact
/// then get an event of their beginning. Takes memory here, none in steps. Pairs beyond the
/// capacity get no events.
/// TD_ERR_ARGUMENT in a scene without contact.
TD_API td_status td_world_watch_contacts(td_world *world, int32_t capacity, td_diag *diag);
/// Of the last step, at most `capacity`; returns how many there are. The order is that of indices
/// and segments, ends before begins.
TD_API int32_t td_world_contact_events(const td_world *world, td_contact_event *events,
                                       int32_t capacity);

// ---- bases ----------------------------------------------------------------------------------

/// The reaction of the base, and of driven ends of strands, on the actor.
typedef struct td_reaction {
    td_vec3 force;  ///< N.
    td_vec3 moment; ///< N m, about the position of the base.
} td_reaction;

/// Computes the reaction of an actor in every step from the next on, which costs about as much as
/// an iteration of Newton's method; or does so no more.
TD_API td_status td_world_watch_base(td_world *world, td_actor_id actor, bool watch, td_diag *diag);
/// In the last step: the rate of its momentum without weight, air, loads and contacts, as the rule
/// of the step has it. TD_ERR_ARGUMENT when it was not watched, when constraints hold it, or with
/// an explicit integrator.
TD_API td_status td_world_base_reaction(const td_world *world, td_actor_id actor, td_reaction *out,
                                        td_diag *diag);

// ---- hands ----------------------------------------------------------------------------------

/// All zero: names nothing.
typedef struct td_grab_id {
    uint32_t place;
    uint32_t generation;
    uint32_t world;
} td_grab_id;

/// A spring and a damper from a point of a segment to a position. Start from td_grab_def_default().
typedef struct td_grab_def {
    uint32_t struct_size;
    td_actor_id actor;
    int32_t segment;   ///< Index. Default 0.
    td_vec3 point;     ///< m, in the axes of the segment, from its joint. Default 0.
    td_vec3 to;        ///< m, in the world. Default 0.
    td_real stiffness; ///< N/m, >= 0. Default 100.
    td_real damping;   ///< N s/m, >= 0: against motion of the point. Default 0.
} td_grab_def;

TD_API td_grab_def td_grab_def_default(void);

/// Any number at once, also on one segment; each pulls until it is released or its actor removed.
/// Takes memory only where none was reserved.
TD_API td_status td_world_reserve_grabs(td_world *world, int32_t count, td_diag *diag);
TD_API td_status td_world_add_grab(td_world *world, const td_grab_def *def, td_grab_id *out,
                                   td_diag *diag);
TD_API td_status td_world_move_grab(td_world *world, td_grab_id grab, td_vec3 to, td_diag *diag);
TD_API td_status td_world_remove_grab(td_world *world, td_grab_id grab, td_diag *diag);
/// The force with which it pulls at the actor now, N. TD_ERR_STALE when it was released.
TD_API td_status td_world_grab_force(td_world *world, td_grab_id grab, td_vec3 *force,
                                     td_diag *diag);

#ifdef __cplusplus
}
#endif
