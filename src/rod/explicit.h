// SPDX-License-Identifier: MIT
#pragma once

// The step of the paper on discrete elastic rods.

#include "rod/model.h"

// One step by symplectic Euler, with lengths kept by projection and frames at rest. What is held
// goes to its targets. TD_ERR_STRUCTURE for what the method does not know: branches and bodies;
// TD_ERR_DIVERGED, with the state as it was but for the base, when lengths cannot be kept.
td_status tdi_rod_explicit_step(tdi_rod_state *state, const td_step_opts *opts,
                                td_step_stats *stats, td_diag *diag);
