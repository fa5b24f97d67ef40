// SPDX-License-Identifier: MIT
#pragma once

/// @file tree.h
/// What only trees have: rigid segments with springs at their joints (solver "tree" of body.h).
/// Bodies and models of other solvers are refused: TD_ERR_ARGUMENT, NULL, or no effect.

#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- coordinates ----------------------------------------------------------------------------

/// Coordinates: 4 a ball joint (quaternion), 1 a hinge (rad) or slide (m), 7 a free joint
/// (position, quaternion). Degrees of freedom, td_body_dof_count(): 3, 1 and 6.
TD_API int32_t td_tree_coord_count(const td_body_model *model);

/// Coordinates and velocities, segment after segment. The velocity of a ball joint is its angular
/// velocity in the segment's own axes, rad/s; of a free joint first the velocity in the base's
/// axes, then the angular velocity. After writing to them call td_tree_state_changed(). Implicit
/// steps do not use joint velocities: get them again after each step, and they are computed then.
TD_API td_real *td_tree_coords(td_body *body);
TD_API td_real *td_tree_velocities(td_body *body);
TD_API void td_tree_state_changed(td_body *body);

// ---- dynamics -------------------------------------------------------------------------------

/// Accelerations of all degrees of freedom under gravity, springs, damping and `torque` (a degree
/// of freedom, N m or N; NULL: none), by the articulated-body algorithm, O(bodies).
TD_API void td_tree_forward(td_body *body, td_vec3 gravity, const td_real *torque, td_real *accel);

/// The torques that give these accelerations, springs and damping not counted: recursive
/// Newton-Euler, O(bodies).
TD_API void td_tree_inverse(td_body *body, td_vec3 gravity, const td_real *accel, td_real *torque);

/// The inertia matrix, dense, rows of td_body_dof_count(): a reference for small trees.
TD_API void td_tree_inertia(td_body *body, td_real *matrix);

/// Torques of springs and damping at the joints.
TD_API void td_tree_joint_torque(td_body *body, td_real *torque);

// ---- vibration ------------------------------------------------------------------------------

/// td_body_modes() with mode shapes: `shapes`, if given, gets count rows of td_body_dof_count()
/// numbers, scaled to unit modal mass: x^T M x = 1.
TD_API td_status td_tree_modes(td_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
                               td_real *shapes, td_diag *diag);

// ---- rest shape -----------------------------------------------------------------------------

/// A new model for which the body's pose is one of rest under this gravity: same bodies and
/// springs, other rest rotations of ball joints and hinges, and other rest places of slides. Its
/// states start in that pose. With it a plant that is drawn as it hangs stays as it is drawn.
/// TD_ERR_ARGUMENT, naming the segment, when a joint cannot carry its load: one that is free, one
/// without stiffness, or one that would have to turn by more than half a turn.
TD_API td_status td_tree_model_rest_new(td_body *body, td_vec3 gravity, const td_alloc *alloc,
                                        td_body_model **out, td_diag *diag);

// ---- damping --------------------------------------------------------------------------------

/// A new model with the same bodies and springs, and joint damping in proportion to stiffness. For
/// a ratio the modes are those about the body's pose, which should be one of rest; TD_ERR_ARGUMENT
/// when none of the lowest deforms a joint.
TD_API td_status td_tree_model_damped_new(td_body *body, const td_damping_opts *opts,
                                          const td_alloc *alloc, td_body_model **out,
                                          td_diag *diag);

#ifdef __cplusplus
}
#endif
