// SPDX-License-Identifier: MIT
#pragma once

// Springs and weight at a pose: functions of tdi_solver.

#include "helix/state.h"

td_real tdi_helix_residual(tdi_helix_state *state, td_vec3 gravity);
td_status tdi_helix_rest_new(const void *model, td_vec3 gravity, const td_alloc *alloc,
                             td_body_model **out, td_diag *diag);
td_status tdi_helix_damped_new(const void *model, const td_damping_opts *opts,
                               const td_alloc *alloc, td_body_model **out, td_diag *diag);
