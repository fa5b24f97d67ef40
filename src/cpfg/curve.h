// SPDX-License-Identifier: MIT
#pragma once

// Plane and space curves as B-splines, and their files: .con. A contour is a curve around which the
// skin of a generalised cylinder is drawn; others are measured by curveX() and the like.

#include "base/alloc.h"
#include "cpfg/scan.h"

#define TDI_CURVE_POINTS  10000 // most control points
#define TDI_CURVE_SAMPLES 10000 // most entries of the table of lengths

typedef struct tdi_curve {
    bool closed;
    bool clamped;        // starts and ends on its first and last control point
    int32_t point_count; // at least 4; of a closed curve the first three stand at the end again
    td_vec3 *points;
    td_real length;
    int32_t sample_count; // at least 2
    td_real *lengths;     // up to even places of the parameter, over the length
} tdi_curve;

// Place at the part 0 <= s <= 1 of the length.
td_vec3 tdi_curve_at(const tdi_curve *curve, td_real s);

// Reads a .con file and measures the curve at `samples` places. False after a fault, and without
// memory, which leaves no fault.
bool tdi_curve_read(tdi_scan *scan, int32_t samples, tdi_arena *arena, tdi_curve *out);

// Fills lengths of a curve whose control points are set. False when it has no length or there is no
// memory.
bool tdi_curve_measure(tdi_curve *curve, int32_t samples, tdi_arena *arena);
