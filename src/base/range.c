// SPDX-License-Identifier: MIT
// Refusing numbers that are out of their range: "dt is -1 s; it must be above 0".

#include "base/range.h"

#include "base/diag.h"

#include <stdio.h>

static bool is_inside(const tdi_range *r) {
    return isfinite(r->value) && r->value >= r->low && r->value <= r->high &&
           !(r->above && r->value == r->low);
}

static void describe(const tdi_range *r, char *text, size_t size) {
    const char *least = r->above ? "above" : "at least";
    if (isfinite(r->low) && isfinite(r->high)) {
        snprintf(text, size, "%s %g and at most %g", least, r->low, r->high);
    } else if (isfinite(r->low)) {
        snprintf(text, size, "%s %g%s", least, r->low, isfinite(r->value) ? "" : " and finite");
    } else {
        snprintf(text, size, "finite");
    }
}

td_status tdi_check_ranges(const tdi_range *ranges, size_t count, const char *of, int64_t index,
                           td_diag *diag) {
    for (size_t k = 0; k < count; k++) {
        const tdi_range *r = &ranges[k];
        if (!is_inside(r)) {
            char range[80];
            describe(r, range, sizeof range);
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, index, "%s%s%s is %g%s%s; it must be %s",
                               of ? of : "", of ? ": " : "", r->name, r->value, r->unit ? " " : "",
                               r->unit ? r->unit : "", range);
        }
    }
    return TD_OK;
}
