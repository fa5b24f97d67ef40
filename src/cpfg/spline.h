// SPDX-License-Identifier: MIT
#pragma once

// Functions of one variable as B-splines, and their files: .func and .fset.

#include "base/alloc.h"
#include "cpfg/scan.h"

#define TDI_SPLINE_POINTS  10000  // most control points
#define TDI_SPLINE_SAMPLES 100000 // most entries of a table

// A curve (x, y)(u): a clamped uniform cubic B-spline. Its value at x is y where the curve passes
// x.
typedef struct tdi_spline {
    char name[32];
    int32_t point_count; // at least 4
    td_real *x, *y;      // control points
    td_real tolerance;   // of x where the value is looked for
    int32_t sample_count;
    td_real *samples; // values at even distances from 0 to 1; NULL: none
} tdi_spline;

// The value at x, which is cut to 0..1.
td_real tdi_spline_value(const tdi_spline *spline, td_real x);

// Reads a function of a .func or .fset file at the cursor. `name` and `samples` hold where the file
// says nothing about them. False after a fault, and without memory, which leaves no fault.
bool tdi_spline_read(tdi_scan *scan, const char *name, int32_t samples, tdi_arena *arena,
                     tdi_spline *out);
// The head of a .fset file: how many functions follow.
bool tdi_spline_set_read(tdi_scan *scan, int32_t *count);
