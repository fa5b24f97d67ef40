// SPDX-License-Identifier: MIT
#pragma once

// Generalised cylinders between two control points.

#include "grammar/turtle.h"

// How a cylinder leaves and reaches a control point; what @Gt and @Gr set.
typedef struct tdi_cylinder_ends {
    td_real tangent[2];     // in, out: length of the axis' tangent over the chord
    td_real slope[2][2];    // in, out: tangent of (way, radius); both 0: straight
    bool slope_of_distance; // the radius' tangents are for a chord of length 1
} tdi_cylinder_ends;

typedef struct tdi_control_point {
    tdi_turtle at;
    tdi_cylinder_ends ends;
} tdi_control_point;

extern const tdi_cylinder_ends tdi_cylinder_default;

// Axis and width at the part 0 <= r <= 1 between two control points.
td_vec3 tdi_cylinder_place(const tdi_control_point *a, const tdi_control_point *b, td_real r,
                           td_real *width);
// @Gt(in) and @Gt(in, out).
void tdi_cylinder_tangents(tdi_cylinder_ends *ends, const double *p, int32_t count);
// @Gr(scale), @Gr(angle, length) and @Gr(angle in, length in, angle out, length out).
void tdi_cylinder_slopes(tdi_cylinder_ends *ends, const double *p, int32_t count);
