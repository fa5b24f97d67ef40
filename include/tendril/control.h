// SPDX-License-Identifier: MIT
#pragma once

/// @file control.h
/// Forces on segments, motors and springs at the joints of actors while a world runs. Calls are
/// between steps, take effect with the next step and are part of a save. Memory is taken the first
/// time that an actor is driven, and the first time that its springs are changed.

#include "tendril/actor.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- forces ---------------------------------------------------------------------------------

/// Axes in which a point or a vector is given.
typedef enum td_axes {
    TD_AXES_SEGMENT, ///< Those of the segment; points are from its joint.
    TD_AXES_WORLD,
} td_axes;

/// A force or an impulse at a point of a segment. Start from td_force_def_default().
typedef struct td_force_def {
    uint32_t struct_size;
    td_actor_id actor;
    int32_t segment;   ///< Index. Default 0.
    td_vec3 point;     ///< m: where it acts. Default 0.
    td_vec3 vector;    ///< N of a force, N s of an impulse. Default 0.
    td_axes point_in;  ///< Default TD_AXES_SEGMENT.
    td_axes vector_in; ///< As the segment is now. Default TD_AXES_WORLD.
} td_force_def;

TD_API td_force_def td_force_def_default(void);

/// The force acts unchanged through the next step, of any length, and ends with it. Forces add up.
/// A step that fails leaves it for the next, unless td_world_clear_forces() drops it. An actor that
/// is blocked or disabled in the step does not feel it. Takes memory only if
/// td_world_reserve_grabs() reserved too little: each force counts as a grab until the step is
/// done. TD_ERR_ARGUMENT for a missing segment, a number that is not finite, a size above 1e9 or a
/// disabled actor.
TD_API td_status td_world_add_force(td_world *world, const td_force_def *def, td_diag *diag);
/// The same with an impulse: at the end of the next step the momentum of a free body is larger by
/// exactly `vector`, with nothing else that acts. That step and the next are of first order.
TD_API td_status td_world_add_impulse(td_world *world, const td_force_def *def, td_diag *diag);
/// Drops all forces and impulses that wait for the next step.
TD_API void td_world_clear_forces(td_world *world);

// ---- joints ---------------------------------------------------------------------------------

/// The first degree of freedom of a segment's joint: 3 of a ball joint, 1 of a hinge or slide, 6 of
/// a free joint, none of a fixed one. TD_NONE when the actor's solver has no such joints.
TD_API int32_t td_world_joint_dof(const td_world *world, td_actor_id actor, int32_t segment);
/// Drives `count` degrees of freedom from `first` on until they are driven otherwise; `drives` NULL
/// ends it. TD_ERR_ARGUMENT for actors without such joints, for actors that are reduced or step
/// adaptively, and for drives that td_joint_drive does not allow. A cut or regrown actor is not
/// driven any more.
TD_API td_status td_world_set_drives(td_world *world, td_actor_id actor, int32_t first,
                                     int32_t count, const td_joint_drive *drives, td_diag *diag);
/// How a degree of freedom is driven; as by td_joint_drive_default() when it is not.
TD_API td_joint_drive td_world_drive(const td_world *world, td_actor_id actor, int32_t dof);

// ---- springs --------------------------------------------------------------------------------

/// The spring between a segment and what carries it. All zero: none.
typedef struct td_joint_spring {
    td_vec3 stiffness; ///< N m/rad, as of td_segment: about X, Y (twist), Z; of a hinge x; of a
                       ///< slide x, N/m. >= 0.
    td_vec3 damping;   ///< N m s/rad, likewise. Rods have one time for all: the sum of these over
                       ///< that of `stiffness`. >= 0.
} td_joint_spring;

/// Gives `count` segments from `first` on other springs, in their current pose, as if the actor was
/// made with them: softer segments sag. The factors `stiffness`, `bending`, `twisting` and
/// `damping` of the object still apply. Elements of helices have the mean springs of their
/// segments. td_world_actor().skeleton has them from then on, and is the actor's own. To change
/// materials with masses, call td_world_regrow_actor() with the skeleton from
/// td_skeleton_changed_new().
/// TD_ERR_ARGUMENT for actors that constraints of the scene hold or that adapt, and for what a
/// solver cannot do.
TD_API td_status td_world_set_springs(td_world *world, td_actor_id actor, int32_t first,
                                      int32_t count, const td_joint_spring *springs, td_diag *diag);

#ifdef __cplusplus
}
#endif
