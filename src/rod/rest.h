// SPDX-License-Identifier: MIT
#pragma once

// Models made of others: with another shape at ease, with other damping.

#include "rod/model.h"

// A model for which the pose at the start is one of rest under this gravity: other curvatures,
// twists and lengths at ease. TD_ERR_ARGUMENT, naming the edge, where a joint cannot carry its
// load, or where nothing holds it.
td_status tdi_rod_model_rest_new(const tdi_rod_model *model, td_vec3 gravity, const td_alloc *alloc,
                                 tdi_rod_model **out, td_diag *diag);

// With damping in proportion to stiffness, by this many seconds.
td_status tdi_rod_model_damped_new(const tdi_rod_model *model, td_real time, const td_alloc *alloc,
                                   tdi_rod_model **out, td_diag *diag);
