// SPDX-License-Identifier: MIT
#pragma once

/// @file tree.h
/// Trees of rigid segments with springs at their joints. Build a model once from a skeleton, share
/// it read-only, step one state a thread.

#include "tendril/island.h"
#include "tendril/skeleton.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_tree_model td_tree_model; ///< Fixed after creation. Safe to read from any thread.
typedef struct td_tree_state
    td_tree_state; ///< Everything that moves, and scratch memory. One for each thread.

/// Start from td_tree_opts_default().
typedef struct td_tree_opts {
    uint32_t struct_size;
    td_spring_law law; ///< Default TD_LAW_LINEAR.
} td_tree_opts;

TD_API td_tree_opts td_tree_opts_default(void);

/// One body a segment, in the skeleton's order. The skeleton may be freed afterwards.
TD_API td_status td_tree_model_new(const td_skeleton *skeleton, const td_tree_opts *opts,
                                   const td_alloc *alloc, td_tree_model **out, td_diag *diag);
TD_API void td_tree_model_free(td_tree_model *model); ///< NULL is allowed.
TD_API int32_t td_tree_body_count(const td_tree_model *model);
/// Degrees of freedom: 3 a ball joint, 1 a hinge or slide, 6 a free joint.
TD_API int32_t td_tree_dof_count(const td_tree_model *model);
/// Coordinates: 4 a ball joint (quaternion), 1 a hinge (rad) or slide (m), 7 a free joint
/// (position, quaternion).
TD_API int32_t td_tree_coord_count(const td_tree_model *model);
/// Bytes of the model.
TD_API size_t td_tree_model_bytes(const td_tree_model *model);

/// At the skeleton's initial pose, at rest, time 0. All memory that stepping needs is taken here.
/// The model must outlive the state.
TD_API td_status td_tree_state_new(const td_tree_model *model, const td_alloc *alloc,
                                   td_tree_state **out, td_diag *diag);
TD_API void td_tree_state_free(td_tree_state *state); ///< NULL is allowed.
TD_API size_t td_tree_state_bytes(const td_tree_state *state);

/// Back to the initial pose, at rest, time 0.
TD_API void td_tree_state_reset(td_tree_state *state);

/// Advances by opts->dt. Never allocates, but for a step that has to be taken in halves. `stats`
/// may be NULL. TD_ERR_DIVERGED, with the state as it was before the call, when a value is not
/// finite.
TD_API td_status td_tree_step(td_tree_state *state, const td_step_opts *opts, td_step_stats *stats,
                              td_diag *diag);

/// Steps many trees of any models, no two the same, each by its own options (their `pool` is not
/// used), on all threads of `pool` (NULL: one). `stats` may be NULL, or has `count` entries. Trees
/// that fail stay as they were while the others go on; the first of them is reported, its number in
/// diag->index.
TD_API td_status td_tree_step_many(td_tree_state *const *states, const td_step_opts *opts,
                                   int32_t count, td_pool *pool, td_step_stats *stats,
                                   td_diag *diag);

/// Computes the pose at rest under gravity, from the current pose. Velocities become 0.
TD_API td_status td_tree_settle(td_tree_state *state, const td_step_opts *opts,
                                td_step_stats *stats, td_diag *diag);

/// The state for islands, in which states of all solvers touch.
TD_API td_state_ref td_tree_ref(td_tree_state *state);

// ---- places ---------------------------------------------------------------------------------

/// Position of a body's joint, and of its tip, in world axes, m.
TD_API td_vec3 td_tree_origin(const td_tree_state *state, int32_t body);
TD_API td_vec3 td_tree_tip(const td_tree_state *state, int32_t body);
TD_API td_quat td_tree_rotation(const td_tree_state *state, int32_t body);

// ---- coordinates ----------------------------------------------------------------------------

/// Coordinates and velocities, body after body; see td_tree_coord_count() and td_tree_dof_count().
/// The velocity of a ball joint is its angular velocity in the segment's own axes, rad/s; of a free
/// joint first the shift in the base's axes, then the turning rate. After writing to them call
/// td_tree_state_changed(). Implicit steps do not use joint velocities: get them again
/// after each step, and they are computed then.
TD_API td_real *td_tree_coords(td_tree_state *state);
TD_API td_real *td_tree_velocities(td_tree_state *state);
TD_API void td_tree_state_changed(td_tree_state *state);

// ---- base -----------------------------------------------------------------------------------

/// Sets where the base is and how it moves. Steps carry it on with constant acceleration until it
/// is set again, which may be before every step. At the start it stands still at the origin. Steps
/// refuse a base with a rotation of zero or a number that is not finite. TD_ERR_ARGUMENT for the
/// state of a world, which moves its base by itself: see td_world_state().
TD_API td_status td_tree_set_base(td_tree_state *state, const td_base_motion *motion);

// ---- dynamics -------------------------------------------------------------------------------

/// Accelerations of all degrees of freedom under gravity, springs, damping and `torque` (a degree
/// of freedom, N m or N; NULL: none), by the articulated-body algorithm, O(bodies).
TD_API void td_tree_forward(td_tree_state *state, td_vec3 gravity, const td_real *torque,
                            td_real *accel);

/// The torques that give these accelerations, springs and damping not counted: recursive
/// Newton-Euler, O(bodies).
TD_API void td_tree_inverse(td_tree_state *state, td_vec3 gravity, const td_real *accel,
                            td_real *torque);

/// The inertia matrix, dense, rows of td_tree_dof_count(): a reference for small trees.
TD_API void td_tree_inertia(td_tree_state *state, td_real *matrix);

/// Torques of springs and damping at the joints.
TD_API void td_tree_joint_torque(td_tree_state *state, td_real *torque);

TD_API td_energy td_tree_energy(td_tree_state *state, td_vec3 gravity);

/// The largest unbalanced moment, N m, or force of a slide, N, of springs and weight at a degree of
/// freedom: 0 at rest. Memory comes from the state's allocator and goes back; not a
/// number when there is none.
TD_API td_real td_tree_residual(td_tree_state *state, td_vec3 gravity);

/// Linear momentum, and angular momentum about the origin.
TD_API void td_tree_momentum(td_tree_state *state, td_vec3 *linear, td_vec3 *angular);

// ---- vibration ------------------------------------------------------------------------------

/// The `count` lowest modes about the state's pose, which should be one of rest (td_tree_settle),
/// lowest first. `shapes`, if given, gets count rows of td_tree_dof_count() numbers, scaled to unit
/// modal mass: x^T M x = 1. Linear time an iteration. Memory comes from the state's allocator and
/// goes back; the pose and the velocities stay as they are.
/// TD_ERR_LIMIT, with the modes as far as they got, when they do not converge.
TD_API td_status td_tree_modes(td_tree_state *state, td_vec3 gravity, int32_t count, td_mode *modes,
                               td_real *shapes, td_diag *diag);

// ---- rest shape -----------------------------------------------------------------------------

/// A new model for which the state's pose is one of rest under this gravity: same bodies and
/// springs, other rest rotations of ball joints and hinges, and other rest places of slides. Its
/// states start in that pose. With it a plant that is drawn as it hangs stays as it is drawn.
/// TD_ERR_ARGUMENT, naming the segment, when a joint cannot carry its load: one that is free, one
/// without stiffness, or one that would have to turn by more than half a turn.
TD_API td_status td_tree_model_rest_new(td_tree_state *state, td_vec3 gravity,
                                        const td_alloc *alloc, td_tree_model **out, td_diag *diag);

// ---- damping --------------------------------------------------------------------------------

/// A new model with the same bodies and springs, and joint damping in proportion to stiffness. For
/// a ratio the modes are those about the state's pose, which should be one of rest; TD_ERR_ARGUMENT
/// when none of the lowest deforms a joint.
TD_API td_status td_tree_model_damped_new(td_tree_state *state, const td_damping_opts *opts,
                                          const td_alloc *alloc, td_tree_model **out,
                                          td_diag *diag);

#ifdef __cplusplus
}
#endif
