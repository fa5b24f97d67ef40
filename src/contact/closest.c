// SPDX-License-Identifier: MIT
// Closest points of a capsule's axis and something convex.
//
// Segments   f/2 has the Hessian ((A, -B), (-B, C)) in s, t with
//              A = |b - a|^2 + blunt_s,  B = (b - a).(d - c),  C = |d - c|^2 + blunt_t,
//            and is least in the square [0,1]^2. First t is left free: s then follows from a
//            quadratic in one unknown, cut to [0,1]. If the best t to it lies in [0,1], that is it.
//            Else, by convexity, the least has t at the end that was passed, and s the best to it.
// Box        f is convex in s; its derivative is piecewise linear, with corners where a coordinate
//            passes a face. The corners around its zero are found, and between them it is a line.

#include "contact/closest.h"

#include "contact/height_field.h"

static inline td_real unit_range(td_real x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static inline bool inside(td_real x) {
    return x > 0 && x < 1;
}

// ---- segments -------------------------------------------------------------------------------

static tdi_closest to_segment(const tdi_pair_shape *two) {
    const td_vec3 u = tdi_sub(two->b, two->a), v = tdi_sub(two->d, two->c);
    const td_vec3 r = tdi_sub(two->a, two->c);
    const td_real aa = tdi_dot(u, u) + two->blunt_s, cc = tdi_dot(v, v) + two->blunt_t;
    const td_real bb = tdi_dot(u, v);
    const td_real p = 0.5 * two->blunt_s - tdi_dot(u, r), q = 0.5 * two->blunt_t + tdi_dot(v, r);
    const td_real det = aa * cc - bb * bb;
    tdi_closest k = {.s = 0, .t = 0, .loose = {1, 1, 1}};
    if (det > 1e-14 * aa * cc) {
        k.s = unit_range((p * cc + bb * q) / det);
    } else if (aa > 0) { // parallel and not blunted, or a point: any s will do to begin with
        k.s = unit_range(p / aa);
    }
    if (cc > 0) {
        td_real t = (q + bb * k.s) / cc;
        k.t = unit_range(t);
        if (t != k.t && aa > 0) {
            k.s = unit_range((p + bb * k.t) / aa);
        }
    }
    k.e = tdi_madd(tdi_madd(r, u, k.s), v, -k.t);
    td_real f = tdi_dot(k.e, k.e) - two->blunt_s * k.s * (1 - k.s) - two->blunt_t * k.t * (1 - k.t);
    k.distance = f > 0 ? sqrt(f) : 0;
    return k;
}

// ---- planes ---------------------------------------------------------------------------------

static tdi_closest to_plane(const tdi_pair_shape *two) {
    tdi_closest k = {.s = two->b.y < two->a.y ? 1 : 0, .loose = {0, 1, 0}};
    k.distance = k.s > 0 ? two->b.y : two->a.y;
    k.e = tdi_vec3(0, k.distance, 0);
    return k;
}

// ---- boxes ----------------------------------------------------------------------------------

// half the derivative of f by s
static td_real box_slope(const tdi_pair_shape *two, td_vec3 u, td_real s) {
    td_vec3 e = tdi_from_box(two->c, tdi_madd(two->a, u, s));
    return tdi_dot(e, u) + two->blunt_s * (s - 0.5);
}

static td_real box_least(const tdi_pair_shape *two, td_vec3 u) {
    td_real low = 0, high = 1, at_low = box_slope(two, u, 0), at_high = box_slope(two, u, 1);
    if (at_low >= 0) {
        return 0;
    }
    if (at_high <= 0) {
        return 1;
    }
    const td_real from[3] = {two->a.x, two->a.y, two->a.z}, to[3] = {u.x, u.y, u.z};
    const td_real half[3] = {two->c.x, two->c.y, two->c.z};
    for (int k = 0; k < 6; k++) {
        td_real face = k & 1 ? half[k / 2] : -half[k / 2];
        td_real s = to[k / 2] != 0 ? (face - from[k / 2]) / to[k / 2] : 0;
        if (s > low && s < high) {
            td_real slope = box_slope(two, u, s);
            if (slope <= 0) {
                low = s;
                at_low = slope;
            } else {
                high = s;
                at_high = slope;
            }
        }
    }
    return unit_range(low + (high - low) * (at_low / (at_low - at_high)));
}

static tdi_closest to_box(const tdi_pair_shape *two) {
    const td_vec3 u = tdi_sub(two->b, two->a);
    tdi_closest k = {.s = box_least(two, u)};
    k.e = tdi_from_box(two->c, tdi_madd(two->a, u, k.s));
    td_real f = tdi_dot(k.e, k.e) - two->blunt_s * k.s * (1 - k.s);
    k.distance = f > 0 ? sqrt(f) : 0;
    k.loose = tdi_outside(k.e);
    return k;
}

// ---- height fields --------------------------------------------------------------------------

tdi_closest tdi_over_field(const tdi_pair_shape *two, int end) {
    tdi_closest k = {.s = end, .loose = {0, 0, 0}};
    k.distance = tdi_height_field_distance(two->field, end ? two->b : two->a, &k.e);
    k.e = tdi_scale(k.e, k.distance);
    return k;
}

static tdi_closest to_field(const tdi_pair_shape *two) {
    const tdi_closest a = tdi_over_field(two, 0), b = tdi_over_field(two, 1);
    return b.distance < a.distance ? b : a;
}

// ---- entry ----------------------------------------------------------------------------------

tdi_closest tdi_closest_of(const tdi_pair_shape *two) {
    switch (two->side) {
    case TDI_SIDE_PLANE: return to_plane(two);
    case TDI_SIDE_BOX: return to_box(two);
    case TDI_SIDE_FIELD: return to_field(two);
    default: return to_segment(two);
    }
}

void tdi_closest_derivatives(const tdi_pair_shape *two, const tdi_closest *k, td_real spin[3]) {
    const td_vec3 p = k->loose, w = tdi_sub(two->b, two->a), v = tdi_sub(two->d, two->c);
    const td_vec3 u = tdi_vec3(p.x * w.x, p.y * w.y, p.z * w.z);
    const bool other = two->side == TDI_SIDE_SEGMENT && inside(k->t);
    const td_real aa = tdi_dot(u, u) + two->blunt_s, cc = tdi_dot(v, v) + two->blunt_t;
    const td_real bb = tdi_dot(u, v), det = aa * cc - bb * bb;
    spin[0] = spin[1] = spin[2] = 0;
    if (inside(k->s) && other && det > 0) {
        spin[0] = cc / det;
        spin[1] = bb / det;
        spin[2] = aa / det;
    } else if (inside(k->s) && aa > 0) {
        spin[0] = 1 / aa;
    } else if (other && cc > 0) {
        spin[2] = 1 / cc;
    }
}

// the least of  from + s (to - from) - curvature s (1 - s)  for s in [0,1]
static inline td_real lowest(td_real from, td_real to, td_real curvature) {
    td_real rise = to - from;
    if (fabs(rise) >= curvature) {
        return rise < 0 ? to : from;
    }
    td_real s = 0.5 * (curvature - rise) / curvature;
    return from + s * rise - curvature * s * (1 - s);
}

td_real tdi_height_of(const tdi_pair_shape *two, const tdi_pair_motion *drift, td_real time,
                      td_vec3 n, td_real distance) {
    const td_real curvature = 0.5 / distance;
    td_real height = lowest(tdi_dot(n, tdi_madd(two->a, drift->a, time)),
                            tdi_dot(n, tdi_madd(two->b, drift->b, time)), curvature * two->blunt_s);
    switch (two->side) {
    case TDI_SIDE_PLANE: return height;
    case TDI_SIDE_BOX:
        return height - fabs(n.x) * two->c.x - fabs(n.y) * two->c.y - fabs(n.z) * two->c.z;
    default:
        return height + lowest(-tdi_dot(n, tdi_madd(two->c, drift->c, time)),
                               -tdi_dot(n, tdi_madd(two->d, drift->d, time)),
                               curvature * two->blunt_t);
    }
}
