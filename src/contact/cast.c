// SPDX-License-Identifier: MIT
// Rays, distances and overlaps of round cones and of colliders.
//
// Cone       With the axis from a to b of length L, k = (r_a - r_b)/L, y along the axis and p
// across
//            it, the ball about z is nearest to a point where (y - z)/|(y - z, p)| = k. On the side
//              p c + k y = r_a,   c^2 = 1 - k^2,   z = (y - k r_a)/c^2.
//            A ray meets the side where a quadratic in its length is 0, and balls about the ends.
//            With |k| >= 1 one ball holds the other.
// Box        The box grown by the radius of the ray is the union of three boxes, each grown along
//            one axis, and of twelve capsules along the edges.
// Far rays   A ray is followed from its point nearest to the target, so that no digits are lost.

#include "contact/cast.h"

#include "contact/closest.h"
#include "contact/height_field.h"
#include "math/quat.h"

#include <math.h>

#define FIELD_ROUNDS 256

static td_real clamp(td_real x, td_real low, td_real high) {
    return x < low ? low : x > high ? high : x;
}

static const tdi_hit missed = {HUGE_VAL, {0, 0, 0}};

static tdi_hit first_of(tdi_hit a, tdi_hit b) {
    return b.distance < a.distance ? b : a;
}

static td_vec3 across(td_vec3 v) { // some unit vector
    const td_vec3 other = fabs(v.x) < 0.5 ? tdi_vec3(1, 0, 0) : tdi_vec3(0, 1, 0);
    const td_vec3 n = tdi_cross(v, other);
    const td_real size = tdi_norm(n);
    return size > 0 ? tdi_scale(n, 1 / size) : tdi_vec3(0, 1, 0);
}

// ---- cones ----------------------------------------------------------------------------------

static td_vec3 cone_point(const tdi_round_cone *c, td_real along) {
    return tdi_madd(c->a, tdi_sub(c->b, c->a), along);
}

static td_real cone_radius(const tdi_round_cone *c, td_real along) {
    return c->radius_a + (c->radius_b - c->radius_a) * along;
}

td_real tdi_cone_distance(const tdi_round_cone *c, td_vec3 x, td_real *along) {
    const td_vec3 d = tdi_sub(c->b, c->a), m = tdi_sub(x, c->a);
    const td_real length = tdi_norm(d), taper = c->radius_a - c->radius_b;
    if (length > fabs(taper)) {
        const td_real y = tdi_dot(m, d) / length, k = taper / length;
        const td_real p = tdi_norm(tdi_madd(m, d, -y / length));
        *along = clamp((y - k * p / sqrt(1 - k * k)) / length, 0, 1);
    } else {
        *along = taper < 0 ? 1 : 0;
    }
    return tdi_norm(tdi_sub(x, cone_point(c, *along))) - cone_radius(c, *along);
}

// The first of two roots of a t^2 + 2 b t + c at which the ray, from t >= least on, is on the side.
typedef struct side {
    td_real y, u;      // along the axis: of the origin, and of the direction
    td_real low, high; // of y, where the side is
    td_real least;
} side;

static td_real on_side(const side *s, td_real t) {
    const td_real y = s->y + t * s->u;
    return t >= s->least && y >= s->low && y <= s->high ? t : HUGE_VAL;
}

static td_real enter_side(const tdi_round_cone *c, td_vec3 o, td_vec3 u, td_real least) {
    const td_vec3 d = tdi_sub(c->b, c->a), m = tdi_sub(o, c->a);
    const td_real length = tdi_norm(d), taper = c->radius_a - c->radius_b, r = c->radius_a;
    if (!(length > fabs(taper))) {
        return HUGE_VAL;
    }
    const td_real k = taper / length, c2 = 1 - k * k;
    const side s = {.y = tdi_dot(m, d) / length,
                    .u = tdi_dot(u, d) / length,
                    .low = k * r,
                    .high = k * r + c2 * length,
                    .least = least};
    const td_vec3 mx = tdi_madd(m, d, -s.y / length), ux = tdi_madd(u, d, -s.u / length);
    const td_real wide = r - k * s.y;
    const td_real qa = c2 * tdi_dot(ux, ux) - k * k * s.u * s.u;
    const td_real qb = c2 * tdi_dot(mx, ux) + k * s.u * wide;
    const td_real qc = c2 * tdi_dot(mx, mx) - wide * wide, root = qb * qb - qa * qc;
    if (root < 0) {
        return HUGE_VAL;
    }
    const td_real q = -(qb + (qb < 0 ? -sqrt(root) : sqrt(root)));
    return fmin(qa != 0 ? on_side(&s, q / qa) : HUGE_VAL, q != 0 ? on_side(&s, qc / q) : HUGE_VAL);
}

static td_real enter_ball(td_vec3 x, td_real r, td_vec3 o, td_vec3 u, td_real least) {
    const td_vec3 m = tdi_sub(o, x);
    const td_real b = tdi_dot(m, u);
    const td_vec3 off = tdi_madd(m, u, -b);
    const td_real root = r * r - tdi_dot(off, off);
    const td_real t = root >= 0 ? -b - sqrt(root) : HUGE_VAL;
    return t >= least ? t : HUGE_VAL;
}

tdi_hit tdi_ray_cone(const tdi_ray *ray, const tdi_round_cone *cone) {
    const td_vec3 u = ray->direction;
    const tdi_round_cone c = {cone->a, cone->b, cone->radius_a + ray->radius,
                              cone->radius_b + ray->radius};
    td_real along;
    if (tdi_cone_distance(&c, ray->origin, &along) <= 0) {
        return (tdi_hit){0, tdi_scale(u, -1)};
    }
    const td_real shift = tdi_dot(tdi_sub(cone_point(&c, 0.5), ray->origin), u);
    const td_vec3 o = tdi_madd(ray->origin, u, shift);
    const td_real t =
        fmin(enter_side(&c, o, u, -shift), fmin(enter_ball(c.a, c.radius_a, o, u, -shift),
                                                enter_ball(c.b, c.radius_b, o, u, -shift)));
    if (!(t < HUGE_VAL)) {
        return missed;
    }
    const td_vec3 x = tdi_madd(o, u, t);
    tdi_cone_distance(&c, x, &along);
    const td_vec3 n = tdi_sub(x, cone_point(&c, along));
    const td_real size = tdi_norm(n);
    return (tdi_hit){fmax(0, shift + t), size > 0 ? tdi_scale(n, 1 / size) : across(u)};
}

// ---- colliders ------------------------------------------------------------------------------

static td_vec3 to_own(const td_collider *c, td_vec3 x) {
    return tdi_quat_rotate(tdi_quat_conj(c->rotation), tdi_sub(x, c->position));
}

static tdi_round_cone round_of(const td_collider *c) {
    const td_real half = c->kind == TD_COLLIDER_CAPSULE ? 0.5 * c->length : 0;
    const td_vec3 up = tdi_quat_rotate(c->rotation, tdi_vec3(0, half, 0));
    return (tdi_round_cone){tdi_sub(c->position, up), tdi_add(c->position, up), c->radius,
                            c->radius};
}

// Below: in the axes of the collider.

static tdi_hit ray_plane(td_vec3 o, td_vec3 u, td_real radius) {
    const td_real height = o.y - radius;
    if (height <= 0) {
        return (tdi_hit){0, tdi_scale(u, -1)};
    }
    return u.y < 0 ? (tdi_hit){-height / u.y, {0, 1, 0}} : missed;
}

// Parts of the path that are free, one after the other: a cell at first, then as far as the last
// one went and twice that.
static tdi_hit ray_field(const td_height_field *f, td_vec3 o, td_vec3 u, td_real radius) {
    td_real cell, t = 0;
    td_height_field_size(f, NULL, NULL, &cell);
    if (tdi_height_field_distance(f, o, NULL) <= radius) {
        return (tdi_hit){0, tdi_scale(u, -1)};
    }
    td_real step = cell;
    for (int k = 0; k < FIELD_ROUNDS; k++) {
        const td_vec3 x = tdi_madd(o, u, t);
        td_vec3 n;
        const td_real part = tdi_height_field_free(f, x, tdi_scale(u, step), radius);
        t += part * step;
        const td_real left = tdi_height_field_distance(f, tdi_madd(o, u, t), &n) - radius;
        if (left <= 1e-9 * (cell + fabs(t))) {
            return (tdi_hit){t, tdi_scale(n, 1 / tdi_norm(n))};
        }
        step = part < 1 ? fmax(2 * left, 0.1 * part * step) : 2 * step;
    }
    return missed;
}

static tdi_hit ray_sharp_box(td_vec3 half, td_vec3 o, td_vec3 u) {
    const td_real from[3] = {o.x, o.y, o.z}, direction[3] = {u.x, u.y, u.z};
    const td_real reach[3] = {half.x, half.y, half.z};
    td_real enter = -HUGE_VAL, leave = HUGE_VAL;
    td_real n[3] = {0, 0, 0};
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        if (direction[k] == 0) {
            leave = fabs(from[k]) > reach[k] ? -HUGE_VAL : leave;
            continue;
        }
        const td_real sign = direction[k] > 0 ? 1 : -1;
        const td_real near = (-sign * reach[k] - from[k]) / direction[k];
        axis = near > enter ? k : axis;
        enter = fmax(enter, near);
        leave = fmin(leave, (sign * reach[k] - from[k]) / direction[k]);
    }
    n[axis] = direction[axis] > 0 ? -1 : 1;
    return enter <= leave && enter >= 0 ? (tdi_hit){enter, {n[0], n[1], n[2]}} : missed;
}

// The edge along an axis, on one of its four sides.
static tdi_round_cone edge_of(td_vec3 half, int axis, int which) {
    td_real a[3] = {half.x, half.y, half.z}, b[3];
    a[(axis + 1) % 3] *= which & 1 ? 1 : -1;
    a[(axis + 2) % 3] *= which & 2 ? 1 : -1;
    for (int k = 0; k < 3; k++) {
        b[k] = k == axis ? -a[k] : a[k];
    }
    return (tdi_round_cone){{a[0], a[1], a[2]}, {b[0], b[1], b[2]}, 0, 0};
}

static tdi_hit ray_box(td_vec3 half, td_vec3 o, td_vec3 u, td_real radius) {
    if (tdi_norm(tdi_from_box(half, o)) <= radius) {
        return (tdi_hit){0, tdi_scale(u, -1)};
    }
    if (radius == 0) {
        return ray_sharp_box(half, o, u);
    }
    const tdi_ray ray = {o, u, radius};
    tdi_hit hit = missed;
    for (int k = 0; k < 3; k++) {
        const td_vec3 grown =
            tdi_add(half, tdi_vec3(k == 0 ? radius : 0, k == 1 ? radius : 0, k == 2 ? radius : 0));
        hit = first_of(hit, ray_sharp_box(grown, o, u));
        for (int e = 0; e < 4; e++) {
            const tdi_round_cone edge = edge_of(half, k, e);
            hit = first_of(hit, tdi_ray_cone(&ray, &edge));
        }
    }
    return hit;
}

tdi_hit tdi_ray_collider(const tdi_ray *ray, const td_collider *c) {
    if (c->kind == TD_COLLIDER_SPHERE || c->kind == TD_COLLIDER_CAPSULE) {
        const tdi_round_cone cone = round_of(c);
        return tdi_ray_cone(ray, &cone);
    }
    const td_vec3 o = to_own(c, ray->origin);
    const td_vec3 u = tdi_quat_rotate(tdi_quat_conj(c->rotation), ray->direction);
    tdi_hit hit = c->kind == TD_COLLIDER_PLANE ? ray_plane(o, u, ray->radius)
                  : c->kind == TD_COLLIDER_HEIGHT_FIELD
                      ? ray_field(c->field, o, u, ray->radius)
                      : ray_box(tdi_scale(c->sides, 0.5), o, u, ray->radius);
    hit.normal = tdi_quat_rotate(c->rotation, hit.normal);
    return hit;
}

// ---- overlaps -------------------------------------------------------------------------------

// Distance from a collider to a point, below 0 or 0 inside; a convex function.
static td_real distance_to(const td_collider *c, td_vec3 x) {
    td_real along;
    switch (c->kind) {
    case TD_COLLIDER_PLANE: return to_own(c, x).y;
    case TD_COLLIDER_BOX: return tdi_norm(tdi_from_box(tdi_scale(c->sides, 0.5), to_own(c, x)));
    default: {
        const tdi_round_cone cone = round_of(c);
        return tdi_cone_distance(&cone, x, &along);
    }
    }
}

// The least of f(s) = distance to the axis at s, less the radius there. f is convex, and changes by
// at most `steep` times a change of s: a ternary search stops as soon as the sign is known.
bool tdi_cone_overlaps(const tdi_round_cone *cone, const td_collider *c) {
    const td_real steep =
        tdi_norm(tdi_sub(cone->b, cone->a)) + fabs(cone->radius_b - cone->radius_a);
    td_real low = 0, high = 1;
    for (int k = 0; k < 128; k++) {
        const td_real s = low + (high - low) / 3, t = high - (high - low) / 3;
        const td_real at_s = distance_to(c, cone_point(cone, s)) - cone_radius(cone, s);
        const td_real at_t = distance_to(c, cone_point(cone, t)) - cone_radius(cone, t);
        if (at_s <= 0 || at_t <= 0) {
            return true;
        }
        if (fmin(at_s, at_t) > steep * (high - low)) {
            return false;
        }
        low = at_s < at_t ? low : s;
        high = at_s < at_t ? t : high;
    }
    return false;
}

void tdi_collider_box(const td_collider *c, td_vec3 *low, td_vec3 *high) {
    const td_vec3 h = tdi_scale(c->sides, 0.5);
    td_vec3 reach = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    if (c->kind == TD_COLLIDER_SPHERE || c->kind == TD_COLLIDER_CAPSULE) {
        const tdi_round_cone r = round_of(c);
        const td_vec3 d = tdi_scale(tdi_sub(r.b, r.a), 0.5);
        reach = tdi_vec3(fabs(d.x) + c->radius, fabs(d.y) + c->radius, fabs(d.z) + c->radius);
    } else if (c->kind == TD_COLLIDER_BOX) {
        const td_vec3 x = tdi_quat_rotate(c->rotation, tdi_vec3(h.x, 0, 0)),
                      y = tdi_quat_rotate(c->rotation, tdi_vec3(0, h.y, 0)),
                      z = tdi_quat_rotate(c->rotation, tdi_vec3(0, 0, h.z));
        reach = tdi_vec3(fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                         fabs(x.z) + fabs(y.z) + fabs(z.z));
    }
    *low = tdi_sub(c->position, reach);
    *high = tdi_add(c->position, reach);
}
