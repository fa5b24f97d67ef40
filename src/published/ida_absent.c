// SPDX-License-Identifier: MIT
// The accurate reference in a build without SUNDIALS: it says so. Uses the public part of tendril
// alone, because that may be a shared library.

#include "tendril/ida.h"

#include "base/guard.h"

#include <stdio.h>

static td_status absent(td_diag *diag) {
    if (diag) {
        *diag = (td_diag){.status = TD_ERR_ARGUMENT, .index = TD_NONE};
        snprintf(diag->message, sizeof diag->message,
                 "this build has no integrator ida: it was built without SUNDIALS 6.4");
    }
    return TD_ERR_ARGUMENT;
}

bool td_ida_built(void) {
    return false;
}

td_status td_ida_new(td_body *body, const td_ida_opts *opts, const td_alloc *alloc, td_ida **out,
                     td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!body || !out);
    (void)body;
    (void)opts;
    (void)alloc;
    return absent(diag);
}

void td_ida_free(td_ida *ida) {
    (void)ida;
}

td_status td_ida_advance(td_ida *ida, td_real duration, td_diag *diag) {
    TDI_REFUSE_IF(!ida);
    (void)ida;
    (void)duration;
    return absent(diag);
}

td_ida_stats td_ida_statistics(const td_ida *ida) {
    if (!ida) {
        return (td_ida_stats){0};
    }
    (void)ida;
    return (td_ida_stats){0};
}
