// SPDX-License-Identifier: MIT
// Generalised cylinders, as cpfg draws them.
//
// Axis     Hermite's cubic between the control points, tangents along the headings.
// Radius   a second cubic gives the way t along the axis and the radius together, as functions of
//          r in 0..1, so that a petal can widen at once and close slowly.

#include "grammar/cylinder.h"

#include "math/angle.h"
#include "math/vec3.h"

const tdi_cylinder_ends tdi_cylinder_default = {.tangent = {1.2, 1.2}};

// (2s^3 - 3s^2 + 1) p + (s^3 - 2s^2 + s) t + (3s^2 - 2s^3) q + (s^3 - s^2) u
static td_real cubic(td_real p, td_real t, td_real q, td_real u, td_real s) {
    const td_real s2 = s * s, s3 = s2 * s;
    return (2 * s3 - 3 * s2 + 1) * p + (s3 - 2 * s2 + s) * t + (3 * s2 - 2 * s3) * q +
           (s3 - s2) * u;
}

// The tangent of (way, radius) at an end; straight to the other end where none is set.
static void slope_at(const tdi_cylinder_ends *ends, int out, td_real rise, td_real length,
                     bool of_distance, td_real slope[2]) {
    slope[0] = ends->slope[out][0];
    slope[1] = ends->slope[out][1] * (of_distance ? length : 1);
    if (slope[0] == 0 && slope[1] == 0) {
        slope[0] = 1;
        slope[1] = rise;
    }
}

td_vec3 tdi_cylinder_place(const tdi_control_point *a, const tdi_control_point *b, td_real r,
                           td_real *width) {
    const td_vec3 p = a->at.position, q = b->at.position;
    const td_real length = tdi_norm(tdi_sub(q, p)), w = a->at.width < 0 ? b->at.width : a->at.width;
    const bool of_distance = b->ends.slope_of_distance;
    td_real first[2], last[2];
    slope_at(&a->ends, 1, 0.5 * (b->at.width - w), length, of_distance, first);
    slope_at(&b->ends, 0, 0.5 * (b->at.width - w), length, of_distance, last);
    *width = 2 * cubic(0.5 * w, first[1], 0.5 * b->at.width, last[1], r);
    *width = w >= 0 && *width < 0 ? 0 : *width; // a steep slope may dip below the axis
    const td_real t = cubic(0, first[0], 1, last[0], r);
    const td_vec3 u = tdi_scale(a->at.heading, length * a->ends.tangent[1]),
                  v = tdi_scale(b->at.heading, length * b->ends.tangent[0]);
    return tdi_vec3(cubic(p.x, u.x, q.x, v.x, t), cubic(p.y, u.y, q.y, v.y, t),
                    cubic(p.z, u.z, q.z, v.z, t));
}

void tdi_cylinder_tangents(tdi_cylinder_ends *ends, const double *p, int32_t count) {
    if (count > 0) {
        ends->tangent[0] = p[0];
        ends->tangent[1] = count > 1 ? p[1] : p[0];
    }
}

void tdi_cylinder_slopes(tdi_cylinder_ends *ends, const double *p, int32_t count) {
    if (count == 1) {
        ends->slope_of_distance = p[0] != 0;
    }
    for (int out = 0; out < 2 && count > 1; out++) {
        const double *q = count > 3 && out ? p + 2 : p;
        ends->slope[out][0] = tdi_cos_degrees(q[0]) * q[1];
        ends->slope[out][1] = tdi_sin_degrees(q[0]) * q[1];
    }
}
