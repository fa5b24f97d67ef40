// SPDX-License-Identifier: MIT
#pragma once

/// @file control.h
/// Motors at the joints of actors while a world runs. Calls are between steps, take effect with the
/// next step and are part of a save. Memory is taken the first time that an actor is driven.

#include "tendril/actor.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- joints ---------------------------------------------------------------------------------

/// The first degree of freedom of a segment's joint: 3 of a ball joint, 1 of a hinge or slide, 6 of
/// a free joint, none of a fixed one. TD_NONE when the actor's solver is not "tree".
TD_API int32_t td_world_joint_dof(const td_world *world, int32_t actor, int32_t segment);
/// Drives `count` degrees of freedom from `first` on until they are driven otherwise; `drives` NULL
/// ends it. TD_ERR_ARGUMENT for actors that are not trees, are reduced or step adaptively, and for
/// what td_joint_drive does not allow. An actor that is cut or regrown is driven no more.
TD_API td_status td_world_set_drives(td_world *world, td_actor_id actor, int32_t first,
                                     int32_t count, const td_joint_drive *drives, td_diag *diag);
/// How a degree of freedom is driven; as by td_joint_drive_default() when it is not.
TD_API td_joint_drive td_world_drive(const td_world *world, int32_t actor, int32_t dof);

#ifdef __cplusplus
}
#endif
