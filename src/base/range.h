// SPDX-License-Identifier: MIT
#pragma once

// Numbers that callers give, and the ranges in which they must be.

#include "tendril/base.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct tdi_range {
    const char *name, *unit; // unit NULL: a plain number
    double value, low, high; // an infinite bound: the value must be finite
    bool above;              // the value must be above `low`, not only at least `low`
} tdi_range;

#define TDI_FINITE(name, unit, value) \
    { name, unit, value, -INFINITY, INFINITY, false }
#define TDI_FROM_0(name, unit, value) \
    { name, unit, value, 0, INFINITY, false }
#define TDI_ABOVE_0(name, unit, value) \
    { name, unit, value, 0, INFINITY, true }
#define TDI_BETWEEN(name, unit, value, low, high) \
    { name, unit, value, low, high, false }
#define TDI_FINITE3(name, unit, v)                                          \
    TDI_FINITE(name ".x", unit, (v).x), TDI_FINITE(name ".y", unit, (v).y), \
        TDI_FINITE(name ".z", unit, (v).z)
#define TDI_FROM_0_3(name, unit, v)                                         \
    TDI_FROM_0(name ".x", unit, (v).x), TDI_FROM_0(name ".y", unit, (v).y), \
        TDI_FROM_0(name ".z", unit, (v).z)

// TD_ERR_ARGUMENT for the first number out of its range, with its name, value and range. `of` says
// whose numbers they are ("segment 3"); NULL: the name says it. `index` is that of the diagnostic.
td_status tdi_check_ranges(const tdi_range *ranges, size_t count, const char *of, int64_t index,
                           td_diag *diag);
