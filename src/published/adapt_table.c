// SPDX-License-Identifier: MIT
// Adaptive dynamics as worlds reach it.

#include "published/adapt.h"
#include "published/explicit.h"

static td_status step(td_adapt *adapt, const td_step_opts *opts, td_diag *diag) {
    const td_status status = td_adapt_step(adapt, opts, diag);
    if (status == TD_OK) {
        td_adapt_place(adapt);
    }
    return status;
}

static void report(const td_adapt *adapt, td_adapt_stats *stats) {
    *stats = td_adapt_report(adapt);
}

const tdi_adaptive_ops tdi_adaptive_tree = {.make = tdi_adapt_new,
                                            .free = td_adapt_free,
                                            .set = td_adapt_set_opts,
                                            .step = step,
                                            .changed = td_adapt_changed,
                                            .report = report,
                                            .is_active = td_adapt_is_active,
                                            .save_size = tdi_adapt_save_size,
                                            .save = td_adapt_save,
                                            .restore = td_adapt_restore};
