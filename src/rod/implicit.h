// SPDX-License-Identifier: MIT
#pragma once

// Rods in the common implicit step.

#include "implicit/implicit.h"
#include "rod/terms.h"

// Rods for the common Newton's method; bodies are td_rod_states.
extern const tdi_implicit tdi_rod_implicit;

// A step by the explicit integrator, all or nothing.
td_status tdi_rod_step_explicitly(void *state, const td_step_opts *opts, td_step_stats *stats,
                                  td_diag *diag);
