// SPDX-License-Identifier: MIT
#pragma once

// Reduced trees as worlds see them: trees with fewer unknowns, within an error that is allowed.
// They may be left out of steps while they would move by less. Scenes ask for them by `adapt`.
// States are tdi_reduced_states; td_reduced_set() sets the error.

#include "solver/solver.h"

enum { TDI_AIR_POINTS = 8 }; // of a state, at most

// Between steps: all joints move by themselves, from the next step on.
void tdi_reduced_free_joints(void *state);
// The segments whose wind a step takes, which need not be all of them, and where they are.
const int32_t *tdi_reduced_wind_segments(const void *state, int32_t *count, td_vec3 *places);
// Points at which the air is sampled: how many.
int32_t tdi_reduced_air_points(void *state, td_vec3 points[TDI_AIR_POINTS]);
// m: how far the tips will sway in these winds, rms, and what is allowed. Of the options air,
// gravity and stiffness count.
td_real tdi_reduced_sway(void *state, const td_step_opts *opts, const td_vec3 *winds,
                         td_real *allowed);
// It waits where it is: all joints are frozen but the first, which is not stepped.
void tdi_reduced_stop(void *state, td_real sway);
// It moves from the next step on, with the joints that matter in these winds.
void tdi_reduced_wake(void *state, const td_step_opts *opts, const td_vec3 *winds);
