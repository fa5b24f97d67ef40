// SPDX-License-Identifier: MIT
#pragma once

// Trees that may wait: functions of tdi_reduction_ops; states are tdi_reduced_states.

#include "reduce/reduce.h"

int32_t tdi_reduced_air_points(void *state, td_vec3 points[TDI_AIR_POINTS]);
// Of the options air, gravity and stiffness count.
td_real tdi_reduced_sway(void *state, const td_step_opts *opts, const td_vec3 *winds,
                         td_real *allowed);
// All joints are frozen but the first, which is not stepped.
void tdi_reduced_stop(void *state, td_real sway);
void tdi_reduced_wake(void *state, const td_step_opts *opts, const td_vec3 *winds);
