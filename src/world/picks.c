// SPDX-License-Identifier: MIT
// What rays and spheres meet first. Every actor is looked at whose box they meet.
//
// Segments are taken as capsules with the radius that they have where the ray passes nearest, and
// where they are nearest to a centre.

#include "world/world.h"

#include <math.h>

typedef struct axis {
    td_vec3 origin, tip;
    td_real base, end; // m: radii
} axis;

static axis axis_of(const tdi_actor *a, int32_t i) {
    td_vec3 origin, tip;
    a->solver->poses(a->state, i, 1, &origin, &tip, NULL);
    return (axis){tdi_from_simulated(a, origin), tdi_from_simulated(a, tip),
                  a->segments[i].radius_base, a->segments[i].radius_tip};
}

static td_real clamp(td_real x, td_real low, td_real high) {
    return x < low ? low : x > high ? high : x;
}

// 0..1: where the axis is nearest to a point.
static td_real nearest_to(const axis *s, td_vec3 x) {
    const td_vec3 d = tdi_sub(s->tip, s->origin);
    const td_real d2 = tdi_dot(d, d);
    return d2 > 0 ? clamp(tdi_dot(tdi_sub(x, s->origin), d) / d2, 0, 1) : 0;
}

static td_vec3 point_on(const axis *s, td_real along) {
    return tdi_madd(s->origin, tdi_sub(s->tip, s->origin), along);
}

static td_real radius_at(const axis *s, td_real along) {
    return s->base + (s->end - s->base) * along;
}

static void note(td_pick *p, const td_world *w, int32_t actor, int32_t segment, const axis *s,
                 td_real along, td_real distance) {
    const tdi_actor *a = &w->actors[actor];
    const td_vec3 at = point_on(s, along);
    const td_quat turn =
        tdi_rotation_from_simulated(a, tdi_solver_rotation(a->solver, a->state, segment));
    *p = (td_pick){.actor = td_world_actor_id(w, actor),
                   .segment = segment,
                   .along = along,
                   .point = at,
                   .own = tdi_quat_rotate(tdi_quat_conj(turn), tdi_sub(at, s->origin)),
                   .distance = distance};
}

// ---- rays -----------------------------------------------------------------------------------

// With the ray o + t u, |u| = 1, and the axis p + s d: the pair (t, s) with the least distance,
// t >= 0, 0 <= s <= 1. First without limits, then each limited given the other.
static td_real nearest_on_axis(const axis *s, td_vec3 o, td_vec3 u) {
    const td_vec3 d = tdi_sub(s->tip, s->origin), r = tdi_sub(s->origin, o);
    const td_real a = tdi_dot(d, d), b = tdi_dot(d, u), c = tdi_dot(d, r), e = tdi_dot(u, r);
    const td_real across = a - b * b; // |d|^2 sin^2
    td_real along = across > 1e-12 * a ? clamp((b * e - c) / across, 0, 1) : 0;
    const td_real t = fmax(0, e + along * b);
    along = a > 0 ? clamp((t * b - c) / a, 0, 1) : 0;
    return along;
}

// Where the ray enters a ball of radius r about x: t, or infinity.
static td_real enter_ball(td_vec3 x, td_real r, td_vec3 o, td_vec3 u) {
    const td_vec3 m = tdi_sub(o, x);
    const td_real b = tdi_dot(m, u), c = tdi_dot(m, m) - r * r, root = b * b - c;
    return c <= 0 ? 0 : b > 0 || root < 0 ? HUGE_VAL : -b - sqrt(root);
}

// Where it enters a round cylinder of radius r along the axis, between its ends.
static td_real enter_side(const axis *s, td_real r, td_vec3 o, td_vec3 u) {
    const td_vec3 d = tdi_sub(s->tip, s->origin), m = tdi_sub(o, s->origin);
    const td_real d2 = tdi_dot(d, d);
    if (d2 == 0) {
        return HUGE_VAL;
    }
    const td_real md = tdi_dot(m, d) / d2, ud = tdi_dot(u, d) / d2;
    const td_vec3 mx = tdi_madd(m, d, -md), ux = tdi_madd(u, d, -ud);
    const td_real a = tdi_dot(ux, ux), b = tdi_dot(mx, ux), c = tdi_dot(mx, mx) - r * r;
    const td_real root = b * b - a * c;
    if (a < 1e-15 || root < 0) {
        return HUGE_VAL;
    }
    const td_real t = c <= 0 ? 0 : (-b - sqrt(root)) / a, along = md + t * ud;
    return t >= 0 && along >= 0 && along <= 1 ? t : HUGE_VAL;
}

static void ray_and_segment(const td_world *w, int32_t actor, int32_t i, const td_ray *ray,
                            td_vec3 u, td_pick *best) {
    const axis s = axis_of(&w->actors[actor], i);
    const td_real along = nearest_on_axis(&s, ray->origin, u);
    const td_real r = radius_at(&s, along) + ray->radius;
    const td_real t =
        fmin(enter_side(&s, r, ray->origin, u),
             fmin(enter_ball(s.origin, r, ray->origin, u), enter_ball(s.tip, r, ray->origin, u)));
    if (t < best->distance) {
        const td_vec3 at = tdi_madd(ray->origin, u, t);
        note(best, w, actor, i, &s, nearest_to(&s, at), t);
    }
}

// Whether a ray meets a box before t.
static bool meets_box(const td_box *b, const td_ray *ray, td_vec3 u, td_real most) {
    const td_real o[3] = {ray->origin.x, ray->origin.y, ray->origin.z}, d[3] = {u.x, u.y, u.z};
    const td_real low[3] = {b->low.x, b->low.y, b->low.z};
    const td_real high[3] = {b->high.x, b->high.y, b->high.z};
    td_real from = 0, to = most;
    for (int k = 0; k < 3; k++) {
        const td_real a = low[k] - ray->radius - o[k], e = high[k] + ray->radius - o[k];
        if (d[k] == 0) {
            if (a > 0 || e < 0) {
                return false;
            }
            continue;
        }
        from = fmax(from, fmin(a / d[k], e / d[k]));
        to = fmin(to, fmax(a / d[k], e / d[k]));
    }
    return from <= to;
}

static const td_pick nothing = {.segment = TD_NONE, .distance = HUGE_VAL};

// Of picks that met nothing the distance was how far they looked.
static void forget_limits(td_pick *picks, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        picks[k] = picks[k].actor.place ? picks[k] : nothing;
    }
}

static void cast(const td_world *w, int32_t actor, const td_box *b, const td_ray *ray,
                 td_pick *best) {
    const td_real n = tdi_norm(ray->direction);
    if (!(n > 0) || !isfinite(n)) {
        return;
    }
    const td_vec3 u = tdi_scale(ray->direction, 1 / n);
    if (meets_box(b, ray, u, best->distance)) {
        for (int32_t i = 0; i < w->actors[actor].segment_count; i++) {
            ray_and_segment(w, actor, i, ray, u, best);
        }
    }
}

void td_world_cast_rays(const td_world *w, int32_t count, const td_ray *rays, td_pick *picks) {
    if (!w || !rays || !picks) {
        return;
    }
    for (int32_t k = 0; k < count; k++) {
        picks[k] = nothing;
        picks[k].distance = rays[k].length > 0 ? rays[k].length : HUGE_VAL;
    }
    for (int32_t actor = 0; actor < w->actor_count; actor++) {
        if (tdi_actor_acts(&w->actors[actor])) {
            const td_box b = td_world_bounds(w, actor);
            for (int32_t k = 0; k < count; k++) {
                cast(w, actor, &b, &rays[k], &picks[k]);
            }
        }
    }
    forget_limits(picks, count);
}

// ---- spheres --------------------------------------------------------------------------------

static td_real outside(const td_box *b, td_vec3 x) {
    const td_vec3 d = {fmax(0, fmax(b->low.x - x.x, x.x - b->high.x)),
                       fmax(0, fmax(b->low.y - x.y, x.y - b->high.y)),
                       fmax(0, fmax(b->low.z - x.z, x.z - b->high.z))};
    return tdi_norm(d);
}

static void nearest(const td_world *w, int32_t actor, td_vec3 x, td_pick *best) {
    const tdi_actor *a = &w->actors[actor];
    for (int32_t i = 0; i < a->segment_count; i++) {
        const axis s = axis_of(a, i);
        const td_real along = nearest_to(&s, x);
        const td_real away = tdi_norm(tdi_sub(x, point_on(&s, along))) - radius_at(&s, along);
        if (away < best->distance) {
            note(best, w, actor, i, &s, along, away);
        }
    }
}

void td_world_pick_nearest(const td_world *w, int32_t count, const td_vec3 *centres, td_real radius,
                           td_pick *picks) {
    if (!w || !centres || !picks) {
        return;
    }
    for (int32_t k = 0; k < count; k++) {
        picks[k] = nothing;
        picks[k].distance = radius;
    }
    for (int32_t actor = 0; actor < w->actor_count; actor++) {
        if (tdi_actor_acts(&w->actors[actor])) {
            const td_box b = td_world_bounds(w, actor);
            for (int32_t k = 0; k < count; k++) {
                if (outside(&b, centres[k]) <= fmax(0, picks[k].distance)) {
                    nearest(w, actor, centres[k], &picks[k]);
                }
            }
        }
    }
    forget_limits(picks, count);
}
