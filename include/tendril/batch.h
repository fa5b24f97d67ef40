// SPDX-License-Identifier: MIT
#pragma once

/// @file batch.h
/// Many trees of one model, whose dynamics are worked out together with the vector instructions of
/// the machine: a strand, a shrub or a robot in hundreds of states at a fraction of the cost of as
/// many td_tree_forward().
/// Not stable yet: see TD_API_UNSTABLE.

#include "tendril/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_tree_batch td_tree_batch; ///< States of many trees, plus scratch. One a thread.

/// `count` trees, at least 1, all at the model's initial pose, at rest, without torques. The base
/// of each stands still at the origin. All memory is taken here. The model must outlive the batch.
TD_API_UNSTABLE td_status td_tree_batch_new(const td_body_model *model, int32_t count,
                                            const td_alloc *alloc, td_tree_batch **out,
                                            td_diag *diag);
TD_API_UNSTABLE void td_tree_batch_free(td_tree_batch *batch); ///< NULL is allowed.
TD_API_UNSTABLE int32_t td_tree_batch_count(const td_tree_batch *batch);
TD_API_UNSTABLE size_t td_tree_batch_bytes(const td_tree_batch *batch);

/// Sets, and gets, the state of a tree, from 0 to the count less 1: td_tree_coord_count()
/// coordinates and td_body_dof_count() velocities as in td_tree_coords() and td_tree_velocities().
/// Quaternions that are not of unit length are made so.
TD_API_UNSTABLE td_status td_tree_batch_set(td_tree_batch *batch, int32_t tree,
                                            const td_real *coords, const td_real *velocities,
                                            td_diag *diag);
TD_API_UNSTABLE void td_tree_batch_get(const td_tree_batch *batch, int32_t tree, td_real *coords,
                                       td_real *velocities);

/// Torques at the joints of a tree besides springs and damping, a degree of freedom, N m or N;
/// NULL: none. They stay until they are set again.
TD_API_UNSTABLE td_status td_tree_batch_set_torque(td_tree_batch *batch, int32_t tree,
                                                   const td_real *torque, td_diag *diag);

/// Accelerations of all trees under gravity, springs, damping and torques. Every tree gets the same
/// bits as from td_tree_forward(), whatever the machine. Ball joints are taken to be turned by half
/// a turn at most.
TD_API_UNSTABLE void td_tree_batch_forward(td_tree_batch *batch, td_vec3 gravity);

/// What the last td_tree_batch_forward() found for a tree, a degree of freedom; 0 before the first.
TD_API_UNSTABLE void td_tree_batch_accel(const td_tree_batch *batch, int32_t tree, td_real *accel);

/// Advances all trees by opts->dt, under opts->gravity, springs, damping and torques, with TD_EULER
/// (also for NULL options) or TD_RK4, on the threads of opts->pool. Every tree gets the same bits
/// as from td_body_step(), whatever the machine and the pool. Loads, air and factors are refused:
/// td_body_step_many() has them, and implicit steps. Memory is taken in the first step, and in the
/// first with more threads than before. Trees that diverge stay as they were while the others go
/// on; the first of them is reported, its number in diag->index.
TD_API_UNSTABLE td_status td_tree_batch_step(td_tree_batch *batch, const td_step_opts *opts,
                                             td_diag *diag);

#ifdef __cplusplus
}
#endif
