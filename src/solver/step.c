// SPDX-License-Identifier: MIT
// Options that all solvers share, at their defaults.

#include "tendril/step.h"

td_step_opts td_step_opts_default(void) {
    td_step_opts o = {.struct_size = sizeof o,
                      .dt = 1.0 / 60,
                      .integrator = TD_IMPLICIT,
                      .gravity = {0, -9.81, 0},
                      .iterations = 20,
                      .tolerance = 1e-4,
                      .stiffness = 1,
                      .damping = 1};
    return o;
}

td_damping_opts td_damping_opts_default(void) {
    td_damping_opts opts = {.struct_size = sizeof opts,
                            .kind = TD_DAMPING_RATIO,
                            .value = 0.05,
                            .gravity = {0, -9.81, 0}};
    return opts;
}
