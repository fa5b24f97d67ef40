// SPDX-License-Identifier: MIT
// Explicit steps of rods and helices, which a page does without: no shipped scene takes them, and
// they are 13 kB. The linker's option --wrap sends calls of them here (CMakeLists.txt).

#include "web/web.h"

#include <stdio.h>

static td_status refuse(td_diag *diag) {
    diag->status = TD_ERR_ARGUMENT;
    snprintf(diag->message, sizeof diag->message,
             "pages have no explicit steps of rods and helices: use the integrator 'implicit', or "
             "the command 'tendril run'");
    return TD_ERR_ARGUMENT;
}

td_status __wrap_tdi_rod_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                       td_diag *diag);
td_status __wrap_tdi_rod_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                       td_diag *diag) {
    (void)state, (void)opts, (void)stats;
    return refuse(diag);
}

td_status __wrap_tdi_helix_explicit_step(void *state, const td_step_opts *opts,
                                         td_step_stats *stats, td_diag *diag);
td_status __wrap_tdi_helix_explicit_step(void *state, const td_step_opts *opts,
                                         td_step_stats *stats, td_diag *diag) {
    (void)state, (void)opts, (void)stats;
    return refuse(diag);
}
