// SPDX-License-Identifier: MIT
#pragma once

/// @file world.h
/// A scene in motion. Everything is deterministic: same scene, same bits, for any number of
/// threads, after any save and restore.

#include "tendril/body.h"
#include "tendril/hooks.h"
#include "tendril/island.h"
#include "tendril/pool.h"
#include "tendril/reduce.h"
#include "tendril/scene.h"
#include "tendril/wind.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_world td_world; ///< Used by one thread at a time.

/// Start from td_world_opts_default().
typedef struct td_world_opts {
    uint32_t struct_size;
    const td_loader *loader; ///< Reads the files that a scene names. Default NULL: none.
    int32_t threads;         ///< 1..256. Default 1.
    int64_t max_segments;    ///< In all. Default 4 million; each takes about 7 kB.
    int64_t max_modules;     ///< Of a plant's string while it grows. Default 50 million.
    bool hold_blocked; ///< Actors that a step cannot solve are blocked: they keep their poses, and
                       ///< all others move; see td_world_actor_status(). Default false: the step
                       ///< fails, and nothing changes.
    td_pool *pool;  ///< Used in place of `threads`, and outlives the world; worlds may share one if
                    ///< one thread steps them. Default NULL: the world makes its own.
    td_log log;     ///< Hears of the world. Default none.
    bool adaptable; ///< "objects[0].adapt.error" can be set while it runs for every object that
                    ///< can have it: trees with an implicit integrator at the start. Default
                    ///< false: for those that have `adapt` in the scene, others take less memory.
    bool no_growth; ///< Steps never allocate: a step whose contact runs out of room fails with
                    ///< TD_ERR_LIMIT, and nothing changes, also with hold_blocked. Default false:
                    ///< what lacks room is undone, gets more, and is solved again, with the same
                    ///< result.
    int32_t near_pairs; ///< 0..4096: room for so many pairs of near segments or colliders, for each
                        ///< segment, and for half as many contacts, from the start. Each pair takes
                        ///< about 0.7 kB. Default 0: as much as steps turn out to need.
    int32_t iteration_budget; ///< See td_world_set_budget(). Default 0: none.
    td_real time_budget;      ///< s. Likewise.
    bool timed; ///< Steps are timed: td_world_step_times(). Default false: the clock is not read.
} td_world_opts;

TD_API td_world_opts td_world_opts_default(void);

/// Grows the plants, computes their rest poses and starts at time 0. Errors of a scene that was
/// read from a file have their line and column in it.
TD_API td_status td_world_new(const td_scene_def *scene, const td_world_opts *opts,
                              const td_alloc *alloc, td_world **out, td_diag_list *diags);
/// The same with keyframes. The scene must outlive the world; it does not change, and any number
/// of worlds can be made from it.
TD_API td_status td_world_from_scene(const td_scene *scene, const td_world_opts *opts,
                                     const td_alloc *alloc, td_world **out, td_diag_list *diags);
TD_API void td_world_free(td_world *world); ///< NULL is allowed.

/// Advances by one step. Allocates nothing, unless contact runs out of room; see
/// td_world_opts.no_growth. TD_ERR_DIVERGED when a value is not finite any more: the
/// time stays, and `diag` names the object, its fastest segment (also in diag->index) and the time.
/// After a failure everything is as it was before the call, to the bit.
/// TD_ERR_BLOCKED, with td_world_opts.hold_blocked, is no failure: all actors moved but the blocked
/// ones, and `diag` names the first newly blocked actor. Further steps return TD_OK while no other
/// actor becomes blocked.
TD_API td_status td_world_step(td_world *world, td_diag *diag);

#define TD_ADVANCE_LEAST 1e-9 ///< s: as little as keyframes may be apart.
#define TD_ADVANCE_MOST  1.0  ///< s: longer ones are pauses of the program, not frames.

/// The same by one step of `dt` seconds: the frame time of the program that calls it, which may be
/// another each time. TD_IMPLICIT stays of second order while a step is 0.4 to 2.4 times as long
/// as the last, as with a dropped frame; after others it restarts with a step of first order, which
/// damps. TD_ERR_ARGUMENT for a `dt` that is not from TD_ADVANCE_LEAST to TD_ADVANCE_MOST. Calls of
/// both kinds can follow each other.
TD_API td_status td_world_advance(td_world *world, td_real dt, td_diag *diag);
TD_API td_real td_world_time(const td_world *world); ///< s.
/// s, of a step of td_world_step(); see `step` of td_scene_def.
TD_API td_real td_world_dt(const td_world *world);
/// Such steps in a frame of the recording; 0: a frame does not have a whole number of them, and
/// frames lie within steps. td_clip_blend() makes such frames.
TD_API int32_t td_world_steps_a_frame(const td_world *world);
TD_API td_step_stats td_world_stats(const td_world *world); ///< Of all steps so far.

/// Pairs of segments that have overlapped since their actors were placed, in a world with
/// td_scene_contact.overlap TD_OVERLAP_PUSH. Actors were placed when they were made, added,
/// enabled, cut or regrown, or put elsewhere. A pair is left to contact when its gap is half of the
/// distance at which surfaces begin to repel each other. Until then it is not among
/// td_world_contacts().
typedef struct td_push_report {
    int32_t pairs;       ///< That are being pushed apart.
    int32_t overlapping; ///< Of these, whose surfaces still overlap.
    td_real depth;       ///< m: the deepest overlap; 0: none.
} td_push_report;
TD_API td_push_report td_world_pushed(const td_world *world); ///< As things are now.

/// Bounds the cost of a step, from the next one on. An island is a group of actors that are near
/// each other or joined; each may take `iterations` iterations of Newton's method, 1 to 1,000,000,
/// or any number with 0. Four halvings of the line search count as one iteration, as do each
/// further factorisation of an iteration, each 15 steps of conjugate gradients after its first 15,
/// and each piece of a step that is halved. The result has the same bits for any number of threads.
/// All islands together may take `seconds`, or any time with 0; the result then depends on the
/// speed of the machine. The clock is read before each iteration and factorisation, so a step takes
/// longer by one of them, and by the search for pairs. TD_ERR_ARGUMENT for `seconds` above 0 where
/// there is no clock, as in WebAssembly.
///
/// An island that exhausts its budget repeats the step by backward Euler, without restitution, with
/// the same number of iterations, or 10 if only time is limited; this pass has the second half of
/// the time. Its last pose without overlap is accepted. Its bodies stop if their kinetic energy
/// exceeds the kinetic energy at the start of the step plus the elastic energy and weight released
/// since; work of loads and colliders does not count. td_step_stats.truncated counts such steps. If
/// no pose is free of overlap, the actors are blocked for this step, as with
/// td_world_opts.hold_blocked: they stay in place without velocity. td_step_stats.blocked counts
/// that, and the step is TD_OK if nothing else went wrong. Islands whose turn comes after the time
/// is spent are blocked too, and come first in the next step. A collider that moves into a blocked
/// actor overlaps it. One step in four pushes the actor out of it; where that finds no pose, and
/// where another actor moves into it, the actor stays blocked until the overlap ends. An island
/// does not fall asleep by itself after a truncated or blocked step. Saves do not contain the
/// budget.
TD_API td_status td_world_set_budget(td_world *world, int32_t iterations, td_real seconds,
                                     td_diag *diag);

/// s, of the last step, with all its repetitions, by the clock on the wall. The parts add up what
/// each thread took, waiting for a processor included: on a busy machine, or with several threads,
/// their sum is more than the time of processors and can be more than `total`.
typedef struct td_step_times {
    td_real total;   ///< Of the call.
    td_real loads;   ///< Keyframes, colliders, winds, and loads of all actors.
    td_real islands; ///< Finding who is near whom.
    td_real begin;   ///< Predictors, and the start of contact.
    td_real contact; ///< Forces of contact, in each iteration.
    td_real solve;   ///< Factors and increments.
    td_real search;  ///< Line search, with continuous collision detection.
    td_real finish;  ///< Accepting poses, sleep, probes and what else follows.
} td_step_times;

/// All 0 unless td_world_opts.timed is set, and where there is no clock.
TD_API td_step_times td_world_step_times(const td_world *world);

// ---- ids ------------------------------------------------------------------------------------

/// Ids name actors, colliders and constraints. The null id is all zero. Functions that return a
/// status refuse the id of a removed item with TD_ERR_STALE; others return zero or NULL for it. An
/// index is for loops over all items of a kind and for arrays with one entry each. It goes from 0
/// to the count of its kind; indices of removed items are used again.
typedef struct td_actor_id {
    uint32_t place;      ///< Index, and 1.
    uint32_t generation; ///< How often the place was taken.
    uint32_t world;      ///< Tells the world that gave it from others.
} td_actor_id;

typedef struct td_collider_id {
    uint32_t place, generation, world; ///< As those of an actor.
} td_collider_id;

typedef struct td_constraint_id {
    uint32_t place, generation, world; ///< As those of an actor.
} td_constraint_id;

/// The id of the item that has this index now; an id of zeros: there is no such item.
TD_API td_actor_id td_world_actor_id(const td_world *world, int32_t index);
TD_API td_collider_id td_world_collider_id(const td_world *world, int32_t index);
/// Those of the scene come first, in its order.
TD_API td_constraint_id td_world_constraint_id(const td_world *world, int32_t index);
/// TD_NONE when it was removed, or never was.
TD_API int32_t td_world_actor_index(const td_world *world, td_actor_id actor);
TD_API int32_t td_world_collider_index(const td_world *world, td_collider_id collider);
TD_API int32_t td_world_constraint_index(const td_world *world, td_constraint_id constraint);

// ---- parameters -----------------------------------------------------------------------------

/// One number of the scene by its path, such as "gravity.y", "objects[0].stiffness" or
/// "loads[1].wind.velocity.x", in the unit of the scene file. Setting one takes effect with the
/// next step and ends its keyframes. TD_ERR_ARGUMENT for what cannot change after the world is
/// made: only numbers that can have keyframes, numbers of winds and "step" can change.
TD_API td_status td_world_get(const td_world *world, const char *path, td_real *value,
                              td_diag *diag);
TD_API td_status td_world_set(td_world *world, const char *path, td_real value, td_diag *diag);
/// Sets the integrator of all actors of an object, given by its index in the scene. TD_ERR_ARGUMENT
/// for an invalid index, when the solver does not have the integrator, and for an explicit
/// integrator of an object with contact or constraints.
TD_API td_status td_world_set_integrator(td_world *world, int32_t object, td_integrator integrator,
                                         td_diag *diag);

/// A force at the tip of every segment, by a function of yours. It is called before each step with
/// the id of an actor, the tips of its `count` segments and their velocities, and adds to
/// `forces` (N), which act unchanged through the step. td_world_actor() tells what the segments
/// are. Several threads call it, each for one actor at a time.
typedef void (*td_force_field)(void *context, td_real time, td_actor_id actor, int32_t count,
                               const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces);
TD_API td_status td_world_set_field(td_world *world, td_force_field field, void *context,
                                    td_diag *diag);

/// Called after every step.
typedef void (*td_step_callback)(void *context, td_world *world);
TD_API void td_world_set_callback(td_world *world, td_step_callback callback, void *context);

// ---- actors ---------------------------------------------------------------------------------

/// One instance of an object.
typedef struct td_actor {
    const char *name; ///< Name of its object, with the number of the instance if there are several.
    int32_t object;
    int32_t instance;
    int32_t variant;             ///< Actors of one object and variant share skeleton and model.
    const td_skeleton *skeleton; ///< Belongs to the world.
    int32_t segment_count;
    int32_t dof_count;
    bool stretchy; ///< Its segments change their lengths; see td_clip_actor.
    bool unstable; ///< It was last brought to rest, as when it started, where it is not stable: see
                   ///< td_rest.
    td_filter filter;   ///< See td_world_set_actor_filter().
    uint64_t user_data; ///< See td_world_set_actor_user_data().
} td_actor;

TD_API int32_t td_world_actor_count(const td_world *world);
TD_API td_actor td_world_actor(const td_world *world, td_actor_id actor);
/// Pose of the base, position of every joint and rotation of every segment, in world axes. Any may
/// be NULL.
TD_API void td_world_pose(const td_world *world, td_actor_id actor, td_vec3 *base,
                          td_quat *rotation, td_vec3 *origins, td_quat *rotations);
/// The same of one segment: its joint, its tip and its rotation. Any may be NULL.
TD_API void td_world_segment(const td_world *world, td_actor_id actor, int32_t segment,
                             td_vec3 *origin, td_vec3 *tip, td_quat *rotation);
/// The moments of the springs at an actor's joints, N m, one for each segment, in its axes.
TD_API void td_world_moments(const td_world *world, td_actor_id actor, td_vec3 *moments);
/// The rest pose of an actor.
typedef struct td_rest {
    td_real energy;   ///< J: of springs and weight.
    td_real residual; ///< Largest unbalanced moment, N m, or force, N, of springs and weight; not a
                      ///< number if the solver does not compute it, or if contact carries a part.
    int64_t iterations; ///< Of Newton's method.
    bool unstable;      ///< The pose is in equilibrium, but falls at the slightest push. False
                        ///< for actors that contact supports.
} td_rest;

/// Brings all actors to rest under the current gravity, without winds and other loads, from their
/// current poses. Velocities become 0 and the time does not change. `rests`, if given, gets one
/// entry for each actor. A base that moves in the next step takes the actor along if that is its
/// first step; otherwise the actor stays behind by its inertia.
/// TD_ERR_DIVERGED when an actor has no rest pose; `diag` names it. Of actors that touch each other
/// or that constraints join, it names the first. Poses and velocities are then as they were.
TD_API td_status td_world_settle(td_world *world, td_rest *rests, td_diag *diag);
/// The `count` lowest modes of an actor about its pose, which must be at rest under the current
/// gravity; see td_mode. Constraints that act take part: modes are then those of all actors that
/// they join. TD_ERR_ARGUMENT if the solver cannot compute modes, if a constraint is not met, if
/// the actor is not at rest (td_world_settle()) or is carried by something that it touches or by a
/// load, if count is below 1, or if there are fewer modes.
TD_API td_status td_world_modes(td_world *world, td_actor_id actor, int32_t count, td_mode *modes,
                                td_diag *diag);
/// How many modes there are: the degrees of freedom of the actor, and of all that constraints join
/// it to, that constraints leave. 0 where td_world_modes() refuses it.
TD_API int32_t td_world_mode_count(td_world *world, td_actor_id actor);
/// The actors that have these modes in common: the actor and all that constraints join it to, in
/// ascending order. Fills at most `capacity`; returns how many there are.
TD_API int32_t td_world_mode_actors(const td_world *world, td_actor_id actor, td_actor_id *actors,
                                    int32_t capacity);
/// The body of an actor, to be read by body.h and by the header of its solver. It belongs to the
/// world: joints, vertices and velocities may be set, but what would step it or move its base or a
/// clamped end is TD_ERR_ARGUMENT, and a reset leaves the base where it is. td_world_move_actor()
/// and td_world_place_actor() move a base.
TD_API td_body *td_world_body(td_world *world, td_actor_id actor);

// ---- contact --------------------------------------------------------------------------------

TD_API int32_t td_world_collider_count(const td_world *world);
/// A collider of the scene with its pose at the end of the last step.
TD_API td_collider td_world_collider(const td_world *world, td_collider_id collider);
/// Its name in the scene; "": it has none.
TD_API const char *td_world_collider_name(const td_world *world, td_collider_id collider);

/// Fills at most `capacity` contacts; returns how many there are.
TD_API int32_t td_world_contacts(const td_world *world, td_contact *contacts, int32_t capacity);
/// The same, and after them the forces of constraints that act, as arrows show both: on the first
/// side at its point, with `normal` along the force, TD_NONE as other_actor and the number of the
/// constraint as `other`. Constraints of joints have none.
TD_API int32_t td_world_forces(const td_world *world, td_contact *forces, int32_t capacity);

// ---- constraints ----------------------------------------------------------------------------

/// Number of indices of constraints: those of the scene, then those added by the program.
/// td_world_set() changes the targets of the scene's constraints, with paths such as
/// "constraints[2].point.to.x".
TD_API int32_t td_world_constraint_count(const td_world *world);
/// Its name, or its kind and number; an id that names nothing when none has this name.
TD_API const char *td_world_constraint_name(const td_world *world, td_constraint_id constraint);
TD_API td_constraint_id td_world_constraint_find(const td_world *world, const char *name);
/// Force and error at the end of the last step.
TD_API td_constraint_report td_world_constraint(const td_world *world, td_constraint_id constraint);
/// J: stored in a spring now; 0 of other kinds, and of one that does not act.
TD_API td_real td_world_constraint_energy(const td_world *world, td_constraint_id constraint);

/// Extremes and events of all steps so far.
typedef struct td_constraint_history {
    td_real largest_force; ///< N; of a joint its moment, N m.
    td_real largest_error; ///< m or rad.
    td_real broken_at;     ///< s; -1: it has not broken.
    td_real unmet_at;      ///< s: when it was unmet for the first time; -1: never.
} td_constraint_history;

TD_API td_constraint_history td_world_constraint_history(const td_world *world,
                                                         td_constraint_id constraint);
/// Releases a constraint, or engages it again at the current pose, within `start` and `end`; from
/// the next step on.
TD_API td_status td_world_set_hold(td_world *world, td_constraint_id constraint, bool hold,
                                   td_diag *diag);

// ---- hand -----------------------------------------------------------------------------------

/// Pulls a point of a segment (in its own axes) by a spring to a position, as a hand would, until
/// it is released. A world has one such hand. TD_ERR_ARGUMENT, with everything as it was, for a
/// segment that is not there, a number that is not finite or a stiffness below 0; of
/// td_world_grab_to() also when the hand holds nothing.
TD_API td_status td_world_grab(td_world *world, td_actor_id actor, int32_t segment, td_vec3 point,
                               td_vec3 to, td_real stiffness, td_diag *diag);
TD_API td_status td_world_grab_to(td_world *world, td_vec3 to, td_diag *diag);
TD_API void td_world_release(td_world *world);
/// Twists a segment about its own axis by a torque, N m, until that is set to 0. A world has one.
/// TD_ERR_ARGUMENT as for td_world_grab().
TD_API td_status td_world_set_torque(td_world *world, td_actor_id actor, int32_t segment,
                                     td_real torque, td_diag *diag);

/// Velocity of the air at `count` points now, m/s, all winds together.
TD_API void td_world_wind(const td_world *world, int32_t count, const td_vec3 *points,
                          td_vec3 *velocities);

// ---- recording ------------------------------------------------------------------------------

/// Columns of the probes, without that of the time: names with units, and their values now.
TD_API int32_t td_world_probe_columns(const td_world *world);
TD_API const char *td_world_probe_name(const td_world *world, int32_t column);
TD_API void td_world_probes(td_world *world, td_real *values);

/// How the integrator TD_ADAPTIVE steps it; false when another does.
TD_API_UNSTABLE bool td_world_actor_adapt(const td_world *world, td_actor_id actor,
                                          td_adapt_stats *stats);
/// How an actor that an implicit integrator steps is reduced. False when its object has no `adapt`
/// and the world is not adaptable.
TD_API_UNSTABLE bool td_world_actor_reduction(const td_world *world, td_actor_id actor,
                                              td_reduce_stats *stats);
/// The segments that move as one in either way: of each segment the mode of its joint, a
/// td_reduce_mode, and the first segment of the cluster that it is on, or most of it. Of what the
/// integrator TD_ADAPTIVE steps joints are their own or frozen. Either may be NULL. False when
/// every segment moves by itself because nothing is left out of this actor.
TD_API_UNSTABLE bool td_world_actor_clusters(const td_world *world, td_actor_id actor,
                                             uint8_t *modes, int32_t *clusters);
/// Energies and momentum of an actor, or of all of an object.
TD_API td_sums td_world_actor_sums(td_world *world, td_actor_id actor);
TD_API td_sums td_world_object_sums(td_world *world, int32_t object);
/// Those of all actors together; `elastic` has the energy of spring constraints too.
TD_API td_sums td_world_sums(td_world *world);
/// Largest force of a pull or push so far, N.
TD_API td_real td_world_largest_force(const td_world *world);

// ---- saving ---------------------------------------------------------------------------------

/// Bytes that td_world_save() writes.
TD_API size_t td_world_save_size(const td_world *world);
/// Writes the whole state of the world, in the byte order of the machine.
TD_API void td_world_save(const td_world *world, void *bytes);
/// TD_ERR_SYNTAX, with the world as it was, when the bytes are not those of a world of this scene,
/// or when they were damaged: a save holds a checksum.
/// Callbacks and fields stay as they are set.
TD_API td_status td_world_restore(td_world *world, const void *bytes, size_t size, td_diag *diag);

#ifdef __cplusplus
}
#endif
