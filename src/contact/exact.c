// SPDX-License-Identifier: MIT
// Exact contact: planes that hold the two sides of a pair apart, with Coulomb's friction.
//
// Planes    Whatever is in the way of a whole step gets a plane: at the time when the gap would
//           close, the places that meet, and the direction n between them, are fixed. With
//           e = sum of w_k x_k less the place on a collider, at the end of the step,
//             u = n (n.e - reach) + (I - n n^T) (e - e*)
//           is how far they are beyond what they must keep, and how far they slip. Turns w of the
//           two capsules in the step add n x (a_0 w_0 + a_1 w_1) to the slip, a the arms from the
//           axes to the surface.
// Potential Forces g lie in the cone |g_t| <= m g_n. With a multiplier l and a stiffness K,
//             V = |g|^2/(2K),  g = projection of y = l - K u on the cone,
//           which is convex, has one derivative, and the Hessian K dg/dy:
//             stick    I
//             slide    (n + m t)(n + m t)^T/(1 + m^2) + m g_n/|y_t| (I - n n^T - t t^T),  t =
//             y_t/|y_t| apart    0
//           l <- g, time and again, makes it exact: what is left is (g - l)/K.
// Rolling   Resistance is a moment between the two sides: a force g on the arms +r and -r of their
//           turns, with the slip q = r n x (w_0 - w_1), |g| <= c g_n of the last update, and
//             V = (2 y.g - |g|^2)/(2K),  g = projection of y = l - K q on that disc.
// Sliding   The cone alone would lift what slides by m |u_t|. The shift m |u_t|, as it was at the
//           last update, is added to n.e, so that the gap is closed when both agree.
// Bouncing  Restitution raises the reach, so that the velocity along n becomes that before, times
//           the coefficient and with its sign turned, and what weight makes of it in the step.

#include "contact/store.h"

#include "base/diag.h"

#include <math.h>
#include <string.h>

#define GAP      0.5   // of the range: what planes keep
#define NEAR     1.1   // times that: what is as near carries weight, as a first guess
#define MISSING  0.9   // of it: what has come nearer needs a plane
#define RECOVERS 0.1   // of what is missing of it, a step
#define STIFF    1e3   // times mass over h^2: friction gives way by less than this part of a way
#define BOUND    0.02  // of a rolling resistance: how well it is known
#define UPDATES  2     // of multipliers: each leaves a thousandth
#define STILL    1e-10 // m: what may be left at rest
#define MOVING   3e-3  // and of the way in the step, where there is one
#define COARSE   0.4   // of the gap that is kept: no more is left
#define RESTING  2.0   // times what weight does in a step: slower approaches do not bounce

// ---- planes ---------------------------------------------------------------------------------

// A place of the pair that is to be held, where it was found.
typedef struct spot {
    tdi_meeting m;
    tdi_closest k;
    int32_t which; // of the places of its pair, 0..2
} spot;

// sum of w_k a[point k]
static td_vec3 between(const tdi_plane *p, const td_vec3 *a) {
    td_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        if (p->point[k] != TD_NONE) {
            sum = tdi_madd(sum, a[p->point[k]], p->weight[k]);
        }
    }
    return sum;
}

// the same with what turns of the capsules add
static td_vec3 slipping(const tdi_plane *p, tdi_plane_pose at) {
    return tdi_add(between(p, at.x),
                   tdi_arms_slip(p->arm, p->normal, at.turned, p->capsule, p->other));
}

static td_vec3 across(const tdi_plane *p, td_vec3 a) {
    return tdi_madd(a, p->normal, -tdi_dot(p->normal, a));
}

// The axes of a collider turn with it: normal and place are those at the end of the step.
static void place_on_collider(const tdi_contacts *c, const spot *at, tdi_plane *p) {
    const int32_t k = p->other - c->capsule_count;
    const tdi_pose from = tdi_pose_at(c, k, 0), to = tdi_pose_at(c, k, 1);
    const td_vec3 axis = tdi_madd(tdi_scale(at->m.two.a, 1 - at->k.s), at->m.two.b, at->k.s),
                  spot_there = tdi_sub(axis, at->k.e);
    p->normal = tdi_mat3_apply(&to.r, p->normal);
    p->at = tdi_add(to.o, tdi_mat3_apply(&to.r, spot_there));
    p->from = tdi_add(from.o, tdi_mat3_apply(&from.r, spot_there));
}

// Newton's law: how much more than its reach a plane keeps.
static td_real bounce_of(const tdi_plane *p, const tdi_plane_rule *rule, td_real coefficient) {
    const td_vec3 way = tdi_sub(between(p, rule->ahead), tdi_sub(p->at, p->from));
    const td_real speed = -tdi_dot(p->normal, way),
                  weight = fmin(tdi_dot(p->normal, rule->gravity), 0) * rule->h * rule->h;
    if (!(coefficient > 0 && speed > -RESTING * weight)) {
        return 0;
    }
    const td_real began = tdi_dot(p->normal, tdi_sub(between(p, rule->began), p->from));
    return fmax(began + coefficient * speed + weight - p->reach, 0);
}

static td_real restitution_of(const tdi_contacts *c, int32_t other) {
    return other < c->capsule_count ? c->opts.restitution
                                    : c->collider[other - c->capsule_count].restitution;
}

// Whether the surfaces did not slip when the step began.
static bool stuck(const tdi_contacts *c, const tdi_plane *p, const tdi_plane_rule *rule) {
    const tdi_plane_pose ahead = {rule->ahead, rule->turning};
    const td_vec3 way = tdi_sub(slipping(p, ahead), tdi_sub(p->at, p->from));
    return tdi_norm(across(p, way)) < c->opts.creep * rule->h;
}

// The slip to be expected: that of free fall less what friction takes while it stops the approach.
static td_real slip_ahead(const tdi_contacts *c, const tdi_plane *p, const tdi_plane_rule *rule) {
    const tdi_plane_pose ahead = {rule->ahead, rule->turning};
    td_vec3 way = tdi_sub(slipping(p, ahead), tdi_sub(p->at, p->from));
    if (p->other >= c->capsule_count) { // what falls together keeps its distance
        way = tdi_madd(way, rule->gravity, rule->h * rule->h);
    }
    const td_real approach = fmax(-tdi_dot(p->normal, way), 0);
    return fmax(tdi_norm(across(p, way)) - p->friction * approach, 0);
}

// What a plane keeps, and what it starts from.
static void prepare(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane *p) {
    const td_real gap = tdi_dot(p->normal, tdi_sub(between(p, rule->began), p->from)) - p->radii,
                  keep = GAP * p->range, there = fmax(gap, 0);
    p->reach = p->radii + (there < keep ? there + RECOVERS * (keep - there) : keep);
    p->reach += bounce_of(p, rule, restitution_of(c, p->other));
    p->slip = tdi_sub(between(p, rule->star), p->from);
    p->shift = p->friction * slip_ahead(c, p, rule);
    p->friction = p->friction > p->sliding && !stuck(c, p, rule) ? p->sliding : p->friction;
    p->roll_slip = tdi_roll_slip(c, p->roll, p->normal, p->other);
    p->fresh = gap >= p->range;
    if (gap < NEAR * keep) { // half of a capsule's weight, since both its ends may lie there
        const td_real mass = p->stiffness / STIFF * rule->h * rule->h;
        p->pull = tdi_scale(p->normal, 0.5 * mass * tdi_norm(rule->gravity));
    }
    p->resist = tdi_rolling_of(c, p->other) * tdi_dot(p->normal, p->pull);
}

static tdi_plane plane_of(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_near_pair pair,
                          const spot *at) {
    const tdi_capsule *i = &c->capsule[pair.i];
    const bool capsule = pair.j < c->capsule_count;
    const tdi_capsule *j = capsule ? &c->capsule[pair.j] : NULL;
    const tdi_closest *k = &at->k;
    tdi_plane p = {.capsule = pair.i,
                   .other = pair.j,
                   .which = at->which,
                   .point = {i->a, i->b, j ? j->a : TD_NONE, j ? j->b : TD_NONE},
                   .weight = {1 - k->s, k->s, k->t - 1, -k->t},
                   .normal = tdi_scale(k->e, (k->distance < 0 ? -1 : 1) / tdi_norm(k->e)),
                   .range = at->m.range,
                   .radii = at->m.radii,
                   .friction = tdi_static_of(c, pair.j),
                   .sliding = tdi_friction_of(c, pair.j),
                   .s = k->s,
                   .t = k->t};
    td_real mass = rule->stiffness[rule->group[pair.i]];
    if (capsule) {
        mass = fmax(mass, rule->stiffness[rule->group[pair.j]]);
    } else {
        place_on_collider(c, at, &p);
    }
    p.stiffness = STIFF * mass;
    if (p.friction > 0) {
        tdi_arms_of(c, pair, tdi_norm(k->e), p.arm);
        tdi_roll_arms_of(c, pair, p.roll);
    }
    prepare(c, rule, &p);
    return p;
}

// What a plane that stood there before knows already.
static void inherit(tdi_plane *p, const tdi_plane *old) {
    const td_real along = tdi_dot(old->pull, old->normal);
    const td_vec3 aside = tdi_madd(old->pull, old->normal, -along);
    p->pull = tdi_madd(across(p, aside), p->normal, along);
    p->shift = old->shift;
    p->friction = fmin(p->friction, old->friction);
    p->roll_pull = across(p, old->roll_pull);
    p->resist = old->resist;
}

// ---- finding --------------------------------------------------------------------------------

// Which place of a pair: an end of the axis, or, of others than planes, the closest.
static int32_t which_of(const tdi_meeting *m, const tdi_closest *k, int n) {
    const bool closest = n == 0 && m->two.side != TDI_SIDE_PLANE;
    return closest ? 2 : (int32_t)k->s;
}

// Where a pair comes into range: 0..TDI_TOUCHES places. `part` of the way is free. Planes are the
// same all along.
static int spots_of(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x, const td_vec3 *dx,
                    td_real part, spot spots[TDI_TOUCHES]) {
    tdi_meeting m = tdi_meeting_after(c, pair, x, dx, part);
    tdi_closest touches[TDI_TOUCHES];
    if (m.two.side == TDI_SIDE_PLANE && part < 1) {
        m = tdi_meeting_after(c, pair, x, dx, 1);
    }
    const int count = tdi_touches_of(c, pair, &m, touches);
    for (int n = 0; n < count; n++) {
        spots[n] = (spot){m, touches[n], which_of(&m, &touches[n], n)};
    }
    return count;
}

typedef struct finder {
    tdi_contacts *c;
    const tdi_plane_rule *rule;
    int32_t old, count; // of the planes that were, and those that are now
    bool changed;
} finder;

static void keep_plane(finder *f, const tdi_plane *p) {
    f->c->spare_plane[f->count++] = *p;
}

static bool is_of(const tdi_plane *p, tdi_near_pair pair) {
    return p->capsule == pair.i && p->other == pair.j;
}

// Planes of pairs before this one stay. Those with colliders come after all others.
static void pass_to(finder *f, tdi_near_pair pair) {
    const tdi_contacts *c = f->c;
    const bool collider = pair.j >= c->capsule_count;
    for (; f->old < c->plane_count; f->old++) {
        const tdi_plane *p = &c->plane[f->old];
        const bool among = (p->other >= c->capsule_count) == collider;
        if (among ? p->capsule > pair.i || (p->capsule == pair.i && p->other >= pair.j)
                  : !collider) {
            return;
        }
        keep_plane(f, p);
    }
}

// A place that is in range: the plane there stays if it held, or there is a new one if it is
// needed.
static void take_spot(finder *f, tdi_near_pair pair, const spot *at, const tdi_plane *was,
                      bool free) {
    const bool flat = at->m.two.side == TDI_SIDE_PLANE,
               near = at->k.distance - at->m.radii < MISSING * GAP * at->m.range;
    if (was && (free || flat)) {
        keep_plane(f, was);
        f->changed = f->changed || !free;
    } else if (was || !free || f->rule->first || near) {
        tdi_plane p = plane_of(f->c, f->rule, pair, at);
        if (was) {
            inherit(&p, was);
        }
        keep_plane(f, &p);
        f->changed = true;
        f->c->hits = f->c->hits || p.fresh;
    }
}

static td_status find_pair(finder *f, tdi_near_pair pair, const td_vec3 *x, const td_vec3 *dx) {
    tdi_contacts *c = f->c;
    spot spots[TDI_TOUCHES];
    pass_to(f, pair);
    const int32_t first = f->old;
    while (f->old < c->plane_count && is_of(&c->plane[f->old], pair)) {
        f->old++;
    }
    const td_real part = tdi_pair_free(c, pair, x, dx);
    const int count = spots_of(c, pair, x, dx, part, spots);
    if (f->count + count + c->plane_count - first > c->contact_limit) {
        return TD_ERR_LIMIT;
    }
    bool met[TDI_TOUCHES] = {false};
    for (int n = 0; n < count; n++) {
        const tdi_plane *was = NULL;
        for (int32_t k = first; k < f->old; k++) {
            was = c->plane[k].which == spots[n].which ? &c->plane[k] : was;
        }
        met[spots[n].which] = true;
        take_spot(f, pair, &spots[n], was, part >= 1);
    }
    for (int32_t k = first; k < f->old; k++) { // what is out of range now stays
        if (!met[c->plane[k].which]) {
            keep_plane(f, &c->plane[k]);
        }
    }
    return TD_OK;
}

td_status tdi_planes_find(tdi_contacts *c, const tdi_plane_rule *rule, const td_vec3 *x,
                          const td_vec3 *dx, bool *changed) {
    finder f = {.c = c, .rule = rule};
    td_status status = TD_OK;
    if (rule->first) {
        c->plane_count = c->updates = 0;
        c->hits = false;
    }
    tdi_poses_at(c, 0);
    for (int32_t k = 0; k < c->pair_count && status == TD_OK; k++) {
        status = find_pair(&f, c->pair[k], x, dx);
    }
    while (f.old < c->plane_count && status == TD_OK) {
        keep_plane(&f, &c->plane[f.old++]);
    }
    if (status == TD_OK) {
        tdi_plane *was = c->plane;
        c->plane = c->spare_plane;
        c->spare_plane = was;
        c->plane_count = f.count;
    }
    tdi_turning_clear(c);
    for (int32_t k = 0; k < c->plane_count; k++) {
        tdi_turning_add(c, c->plane[k].arm, c->plane[k].capsule, c->plane[k].other);
    }
    *changed = f.changed;
    return status;
}

// ---- potential ------------------------------------------------------------------------------

typedef enum state { APART, STICKS, SLIDES } state;

typedef struct grip { // of a plane at a pose
    td_vec3 u, y, force;
    td_vec3 aside;        // unit, of y across the normal
    td_real along, slide; // of y: along the normal, and across it
    state state;
} grip;

static grip grip_of(const tdi_plane *p, tdi_plane_pose at) {
    const td_vec3 e = tdi_sub(slipping(p, at), p->at), n = p->normal;
    const td_real m = p->friction, beyond = tdi_dot(n, e) - p->reach + p->shift;
    grip g = {.u = tdi_madd(across(p, tdi_sub(e, p->slip)), n, beyond)};
    g.y = tdi_madd(p->pull, g.u, -p->stiffness);
    g.along = tdi_dot(g.y, n);
    const td_vec3 aside = across(p, g.y);
    g.slide = tdi_norm(aside);
    g.aside = g.slide > 0 ? tdi_scale(aside, 1 / g.slide) : tdi_vec3(0, 0, 0);
    if (g.along > 0 && g.slide <= m * g.along) {
        g.state = STICKS;
        g.force = g.y;
    } else if (g.along + m * g.slide > 0) {
        const td_real load = (g.along + m * g.slide) / (1 + m * m);
        g.state = SLIDES;
        g.force = tdi_add(tdi_scale(n, load), tdi_scale(g.aside, m * load));
    }
    return g;
}

static td_sym3 hessian_of(const tdi_plane *p, const grip *g) {
    const td_real k = p->stiffness, m = p->friction;
    const td_vec3 n = p->normal, edge = tdi_madd(n, g->aside, m);
    if (g->state == STICKS) {
        return tdi_sym3_diagonal(k, k, k);
    }
    td_sym3 h = tdi_sym3_square(edge, g->state == SLIDES ? k / (1 + m * m) : 0);
    if (g->state == SLIDES && g->slide > 0) {
        const td_real turn = k * m * tdi_dot(g->force, n) / g->slide;
        h = tdi_sym3_add(h, tdi_sym3_diagonal(turn, turn, turn));
        h = tdi_sym3_add(h, tdi_sym3_square(n, -turn));
        h = tdi_sym3_add(h, tdi_sym3_square(g->aside, -turn));
    }
    return h;
}

// ---- rolling --------------------------------------------------------------------------------

typedef struct resistance { // of a plane at a pose
    td_vec3 y, force;
    td_real part; // of y: 1, or less where it rolls
} resistance;

static bool resists(const tdi_plane *p) {
    return p->roll[0] > 0;
}

static td_vec3 rolled(const tdi_plane *p, const td_vec3 *turned) {
    return tdi_arms_slip(p->roll, p->normal, turned, p->capsule, p->other);
}

static resistance resistance_of(const tdi_plane *p, const td_vec3 *turned) {
    const td_vec3 q = tdi_sub(rolled(p, turned), p->roll_slip);
    resistance r = {.y = tdi_madd(p->roll_pull, q, -p->stiffness), .part = 1};
    const td_real size = tdi_norm(r.y);
    r.part = size > p->resist ? p->resist / size : 1;
    r.force = tdi_scale(r.y, r.part);
    return r;
}

static td_real resistance_energy(const tdi_plane *p, const resistance *r) {
    return (2 * tdi_dot(r->y, r->force) - tdi_dot(r->force, r->force)) / (2 * p->stiffness);
}

static tdi_contact resistance_contact(const tdi_plane *p, const resistance *r) {
    const td_real k = p->stiffness * r->part, size = tdi_norm(r->y);
    tdi_contact out = {.normal = p->normal,
                       .force = tdi_scale(r->force, -1),
                       .hessian = tdi_sym3_diagonal(k, k, k),
                       .arm = {p->roll[0], p->roll[1]},
                       .capsule = p->capsule,
                       .other = p->other,
                       .friction = true,
                       .rolling = true};
    out.hessian = tdi_sym3_add(out.hessian, tdi_sym3_square(p->normal, -k));
    if (r->part < 1) {
        const td_vec3 along = tdi_scale(r->y, 1 / size);
        out.hessian = tdi_sym3_add(out.hessian, tdi_sym3_square(along, -k));
    }
    memcpy(out.point, p->point, sizeof out.point);
    return out;
}

// ---- sums -----------------------------------------------------------------------------------

td_real tdi_planes_energy(const tdi_contacts *c, tdi_plane_pose at) {
    td_real energy = 0;
    for (int32_t k = 0; k < c->plane_count; k++) {
        const tdi_plane *p = &c->plane[k];
        const grip g = grip_of(p, at);
        energy += tdi_dot(g.force, g.force) / (2 * p->stiffness);
        if (resists(p)) {
            const resistance r = resistance_of(p, at.turned);
            energy += resistance_energy(p, &r);
        }
    }
    return energy;
}

td_real tdi_planes_evaluate(tdi_contacts *c, tdi_plane_pose at) {
    td_real energy = 0;
    for (int32_t k = 0; k < c->plane_count; k++) {
        const tdi_plane *p = &c->plane[k];
        const grip g = grip_of(p, at);
        energy += tdi_dot(g.force, g.force) / (2 * p->stiffness);
        tdi_contact *out = &c->contact[k];
        *out = (tdi_contact){.normal = p->normal,
                             .force = tdi_scale(g.force, -1),
                             .hessian = hessian_of(p, &g),
                             .arm = {p->arm[0], p->arm[1]},
                             .capsule = p->capsule,
                             .other = p->other,
                             .s = p->s,
                             .t = p->t,
                             .gap = tdi_dot(p->normal, g.u) + p->reach - p->shift - p->radii};
        memcpy(out->point, p->point, sizeof out->point);
        memcpy(out->weight, p->weight, sizeof out->weight);
    }
    c->contact_count = c->plane_count;
    for (int32_t k = 0; k < c->plane_count; k++) {
        const tdi_plane *p = &c->plane[k];
        if (resists(p)) {
            const resistance r = resistance_of(p, at.turned);
            energy += resistance_energy(p, &r);
            c->contact[c->contact_count++] = resistance_contact(p, &r);
        }
    }
    return energy;
}

// ---- multipliers ----------------------------------------------------------------------------

// What a plane may give way, so that the gap stays open.
static td_real slack_of(const tdi_plane *p) {
    return COARSE * fmin(p->reach - p->radii, GAP * p->range);
}

// What may be left of a plane's slip and depth.
static td_real left_of(const tdi_plane *p, const tdi_plane_rule *rule, const td_vec3 *x) {
    const td_vec3 way =
        tdi_sub(tdi_sub(between(p, x), between(p, rule->began)), tdi_sub(p->at, p->from));
    return STILL + fmin(MOVING * tdi_norm(way), slack_of(p));
}

// Whether the resistance is that which was foreseen.
static bool rolls_calmly(const tdi_plane *p, const tdi_contact *was, tdi_plane_pose at,
                         tdi_plane_pose move, td_real left) {
    const td_vec3 model =
        tdi_add(was->force, tdi_sym3_apply(&was->hessian, rolled(p, move.turned)));
    return tdi_norm(tdi_add(resistance_of(p, at.turned).force, model)) <= p->stiffness * left;
}

bool tdi_planes_calm(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at,
                     tdi_plane_pose move) {
    int32_t rolling = c->plane_count; // resistances come after all planes
    for (int32_t k = 0; k < c->plane_count; k++) {
        const tdi_plane *p = &c->plane[k];
        const tdi_contact *was = &c->contact[k];
        const td_real left = left_of(p, rule, at.x);
        const td_vec3 model = tdi_add(was->force, tdi_sym3_apply(&was->hessian, slipping(p, move)));
        const td_vec3 off = tdi_add(grip_of(p, at).force, model);
        if (tdi_norm(off) > p->stiffness * left ||
            (resists(p) && !rolls_calmly(p, &c->contact[rolling++], at, move, left))) {
            return false;
        }
    }
    return true;
}

// Its bound is that of the last normal force. Whether it was so before, where that matters.
static bool update_resistance(const tdi_contacts *c, tdi_plane *p, const td_vec3 *turned,
                              td_real left, bool *close) {
    if (!resists(p)) {
        return true;
    }
    const resistance r = resistance_of(p, turned);
    const td_real bound = tdi_rolling_of(c, p->other) * tdi_dot(p->normal, p->pull);
    const bool held =
        r.part >= 1 ? tdi_norm(r.force) <= bound : fabs(bound - p->resist) <= BOUND * bound;
    *close = *close && tdi_norm(tdi_sub(r.force, p->roll_pull)) <= p->stiffness * left;
    p->roll_pull = r.force;
    p->resist = bound;
    return held;
}

bool tdi_planes_update(tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at) {
    bool close = true, held = true, done = true;
    c->updates++;
    for (int32_t k = 0; k < c->plane_count; k++) {
        tdi_plane *p = &c->plane[k];
        const grip g = grip_of(p, at);
        const td_real left = left_of(p, rule, at.x);
        const td_real shift = p->friction * tdi_norm(across(p, g.u));
        const td_real gap = tdi_dot(p->normal, g.u) - p->shift; // beyond what it keeps
        const bool sunk = gap < -slack_of(p) && p->shift > shift;
        close = close && tdi_norm(tdi_sub(g.force, p->pull)) <= p->stiffness * left;
        done = done && !sunk;
        p->shift = sunk ? shift : p->shift;
        p->pull = g.force;
        if (g.state == SLIDES && p->friction > p->sliding && tdi_norm(across(p, g.u)) > left) {
            p->friction = p->sliding; // it has broken away
            done = false;
        }
        held = update_resistance(c, p, at.turned, left, &close) && held;
    }
    return done && (close || c->updates > UPDATES) && (held || c->updates > 2 * UPDATES);
}

void tdi_planes_measure(tdi_contacts *c, const td_vec3 *x) {
    int32_t count = 0;
    tdi_poses_at(c, 1);
    for (int32_t k = 0; k < c->plane_count; k++) {
        tdi_contact *out = &c->contact[count];
        const tdi_near_pair pair = {c->contact[k].capsule, c->contact[k].other};
        *out = c->contact[k];
        out->force = tdi_scale(c->plane[k].pull, -1); // that of the step, which moved the bodies
        tdi_meeting m;
        tdi_meeting_open(
            c, pair, x, pair.j < c->capsule_count ? NULL : &c->pose[pair.j - c->capsule_count], &m);
        out->gap =
            m.two.side == TDI_SIDE_PLANE ? out->gap : tdi_closest_of(&m.two).distance - m.radii;
        count += out->gap < m.range;
    }
    c->contact_count = count;
}

bool tdi_planes_hit(const tdi_contacts *c) {
    return c->hits;
}
