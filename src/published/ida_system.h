// SPDX-License-Identifier: MIT
#pragma once

// The equations of motion as IDA sees them: F(t, y, y') = 0 and the solution of its linear systems.
// Nothing here knows of SUNDIALS.
//
//   y = (x, v)    x: turn and shift of each joint from a reference pose, q = q_ref exp(x)
//                 v: velocities
//   F = (x' - J^-1(x) v,  inverse dynamics of v' - torques of springs, dampers and loads)

#include "tendril/ida.h"
#include "tree/load.h"

typedef struct tdi_ida_system {
    const tdi_tree_model *model;
    tdi_tree_state *state;
    td_ida_opts opts;
    td_base_motion base; // at base_time
    td_real base_time;
    td_real *q_ref;      // a coordinate
    td_real *x;          // a degree of freedom: of the last residual
    td_real *torque;     // a degree of freedom: scratch
    td_real *turn;       // a degree of freedom: scratch
    tdi_wrench *outside; // a body: of loads
    tdi_twist *carried;  // a body: scratch
} tdi_ida_system;

// Lays out the arrays; model is set before.
void tdi_ida_place(tdi_ida_system *system, tdi_layout *layout);
// Puts the state's coordinates, velocities and base to y at time t. Frames are not updated.
void tdi_ida_set(tdi_ida_system *system, td_real t, const td_real *y);
// Rates of x = 0 at the state's pose: y and y' at the start from a new reference.
void tdi_ida_start(tdi_ida_system *system, td_real *y, td_real *rate);
// F; false when a value is not finite. Leaves the state at y.
bool tdi_ida_residual(tdi_ida_system *system, td_real t, const td_real *y, const td_real *rate,
                      td_real *f);
// (dF/dy + c dF/dy') z = b at the y of the last residual, nearly. z may be b.
void tdi_ida_solve(tdi_ida_system *system, td_real c, const td_real *b, td_real *z);
// Largest turn of a joint from its reference, rad.
td_real tdi_ida_reach(const tdi_ida_system *system, const td_real *y);
