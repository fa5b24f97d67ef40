// SPDX-License-Identifier: MIT
#pragma once

// Whole trees that stand still, for those who step many.

#include "reduce/reduce.h"

enum { TDI_STILL_PLACES = 8 }; // at most

// Where the air is to be asked for: how many places.
int32_t tdi_reduced_air_places(tdi_reduced_state *state, td_vec3 places[TDI_STILL_PLACES]);
// m: how far the tips will sway in this air, rms. Of the options air, gravity and stiffness count;
// winds are those at the places.
td_real tdi_reduced_sway(tdi_reduced_state *state, const td_step_opts *opts, const td_vec3 *winds);
// m: what its options allow.
td_real tdi_reduced_error(const tdi_reduced_state *state);
// It stops where it is: nothing moves, and all joints are frozen but the first, which is not
// stepped.
void tdi_reduced_stand(tdi_reduced_state *state, td_real sway);
// The joints that matter in this air are free, and move from the next step on.
void tdi_reduced_rouse(tdi_reduced_state *state, const td_step_opts *opts, const td_vec3 *winds);
