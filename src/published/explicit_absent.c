// SPDX-License-Identifier: MIT
// Explicit steps of rods and helices in a build for pages: an error. They take 13 kB, and no
// shipped scene uses them. The linker's option --wrap sends their calls here (CMakeLists.txt).

#include "tendril/body.h"

#include <stdio.h>

static td_status refuse(const td_body *body, td_diag *diag) {
    diag->status = TD_ERR_ARGUMENT;
    snprintf(diag->message, sizeof diag->message,
             "pages have no explicit steps of the solver '%s': use the integrator 'implicit', or "
             "the command 'tendril run'",
             td_body_solver(td_body_model_of(body)));
    return TD_ERR_ARGUMENT;
}

td_status __wrap_tdi_rod_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                       td_diag *diag);
td_status __wrap_tdi_rod_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                       td_diag *diag) {
    (void)opts, (void)stats;
    return refuse(state, diag);
}

td_status __wrap_tdi_helix_explicit_step(void *state, const td_step_opts *opts,
                                         td_step_stats *stats, td_diag *diag);
td_status __wrap_tdi_helix_explicit_step(void *state, const td_step_opts *opts,
                                         td_step_stats *stats, td_diag *diag) {
    (void)opts, (void)stats;
    return refuse(state, diag);
}
