// SPDX-License-Identifier: MIT
#pragma once

// Closest points of a capsule's axis and something convex.

#include "math/vec3.h"
#include "tendril/contact.h"

typedef enum tdi_side {
    TDI_SIDE_SEGMENT, // between c and d
    TDI_SIDE_PLANE,   // y <= 0
    TDI_SIDE_BOX,     // |x| <= c.x and so on
    TDI_SIDE_FIELD,   // below a height field; it meets the ends of the axis
} tdi_side;

// The axis from a to b, and the other side. Planes and boxes are in their own axes.
typedef struct tdi_pair_shape {
    tdi_side side;
    td_vec3 a, b, c, d;
    td_real blunt_s, blunt_t; // m^2, >= 0: see tdi_closest_of(); 0 for a side that is one point
    const td_height_field *field;
} tdi_pair_shape;

typedef struct tdi_closest {
    td_real s, t;     // 0..1, from a to b and from c to d
    td_vec3 e;        // from the other side to the axis
    td_vec3 loose;    // 1 for each coordinate of e that changes with a place on the axis, else 0
    td_real distance; // blunted; for planes below 0 underneath
} tdi_closest;

// The least of  f = |e(s, t)|^2 - blunt_s s (1 - s) - blunt_t t (1 - t),  e = a + s (b - a) -
// other, and its root. Without blunting this is the distance, whose slope jumps where two segments
// are parallel, so that Newton's method would not converge there. With it f is strictly convex in
// s, t; the result has one derivative everywhere, and is below the distance by (blunt_s +
// blunt_t)/(8 distance) at most.
tdi_closest tdi_closest_of(const tdi_pair_shape *two);

// An end of the axis, 0 or 1, over a height field. e over the distance is the gradient of the
// distance.
tdi_closest tdi_over_field(const tdi_pair_shape *two, int end);

// ss, st, tt of the inverse Hessian of f/2 there, over those of s and t that are free; else 0.
void tdi_closest_derivatives(const tdi_pair_shape *two, const tdi_closest *k, td_real spin[3]);

// Of all places on the axis, moved by da and db times `time`, the least height along n over the
// other side's highest, moved by dc and dd; blunted as above for a distance near `distance`. It is
// a concave function of time.
typedef struct tdi_pair_motion {
    td_vec3 a, b, c, d;
} tdi_pair_motion;

td_real tdi_height_of(const tdi_pair_shape *two, const tdi_pair_motion *drift, td_real time,
                      td_vec3 n, td_real distance);

static inline td_real tdi_beyond(td_real half, td_real x) {
    return x > half ? x - half : x < -half ? x + half : 0;
}
// From the nearest place of the box with these half sides to x.
static inline td_vec3 tdi_from_box(td_vec3 half, td_vec3 x) {
    return tdi_vec3(tdi_beyond(half.x, x.x), tdi_beyond(half.y, x.y), tdi_beyond(half.z, x.z));
}
// Which coordinates of that are outside the box.
static inline td_vec3 tdi_outside(td_vec3 e) {
    return tdi_vec3(e.x != 0, e.y != 0, e.z != 0);
}
