// SPDX-License-Identifier: MIT
#pragma once

// The step of the paper on discrete elastic rods.

#include "rod/model.h"

// One step by symplectic Euler, with lengths kept by projection and frames at rest.
// TD_ERR_STRUCTURE for what the method does not know: branches and bodies.
td_status tdi_rod_published_step(td_rod_state *state, const td_step_opts *opts,
                                 td_step_stats *stats, td_diag *diag);
