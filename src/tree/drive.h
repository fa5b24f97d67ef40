// SPDX-License-Identifier: MIT
#pragma once

// What a program does at the joints of a tree: torques, offsets of springs, limits.
//
// At a hinge or slide with coordinate a, spring k, torque t, offset o and limits with stiffness c
//   V = -t a - k o a + 1/2 c (a - clamp(a))^2
// The spring itself is not in it. At ball and free joints the torque, with k o, acts in the
// segment's axes as they were when the step began, and against its parent.

#include "tree/implicit.h"

// V, dV/da and d2V/da2 of a hinge or slide whose spring has the stiffness k.
typedef struct tdi_driven {
    td_real value, slope, curvature;
} tdi_driven;

static inline tdi_driven tdi_drive_at(const td_joint_drive *d, td_real k, td_real a) {
    const td_real over = a > d->high ? a - d->high : a < d->low ? a - d->low : 0;
    const td_real push = d->torque + k * d->offset;
    return (tdi_driven){-push * a + 0.5 * d->limit_stiffness * over * over,
                        -push + d->limit_stiffness * over, over != 0 ? d->limit_stiffness : 0};
}

// Refuses numbers that are not finite, and offsets and limits of joints that have none.
td_status tdi_drives_check(const void *state, const td_joint_drive *drives, td_diag *diag);
// Of ball and free joints, as tdi_loads_value() and tdi_loads_expand() have loads.
td_real tdi_drives_value(const tdi_tree_model *model, const tdi_tree_state *state,
                         const tdi_potential *potential);
void tdi_drives_expand(const tdi_tree_model *model, tdi_tree_state *state,
                       const tdi_potential *potential);
// Adds those of all joints as they stand, with springs so many times as stiff.
void tdi_drives_torque(const tdi_tree_model *model, const tdi_tree_state *state,
                       const td_joint_drive *drives, td_real stiffness, td_real *torque);
