// SPDX-License-Identifier: MIT
// Exact contact: planes that separate the two sides of a pair, with Coulomb's friction. Their
// forces are in exact_force.c, restitution in exact_bounce.c.
//
// Planes    A pair that would meet in the step gets a plane: at the time when the gap would close,
//           the points that meet and the direction n between them are fixed. With e = sum of w_k
//           x_k less the point on a collider's surface, at the end of the step,
//             u = n (n.e - reach) + (I - n n^T) (e - e*)
//           is the gap beyond the least one, and the slip. Rotations w of the two capsules in the
//           step add n x (a_0 w_0 + a_1 w_1) to the slip, a the arms from the axes to the surface.
// Sliding   The cone alone would lift a sliding body by m |u_t|. The shift m |u_t| of the last
//           update is added to n.e, so that the gap is closed when both agree.
// Rolling   A body that rolls on a round surface has moved its contact point by the end of the
//           step. A taut rope on a drum resists rotations of its segments as much by this as by its
//           tension: with the contact points of the start of each step it would flutter and slip.
//           So contact points follow the pose with each update, by half. That converges where this
//           resistance is less than three times all other.
// Start     Multipliers of contacts with colliders start with the forces of the last step: a few
//           updates do not find a load that many contacts share.

#include "contact/plane.h"

#include "base/diag.h"

#include <math.h>
#include <string.h>

#define NEAR     1.1  // times the gap of planes: nearer pairs carry weight, as a first guess
#define MISSING  0.9  // of that gap: nearer pairs need a plane
#define RECOVERS 0.1  // of the missing gap that a step restores at most,
#define SLOWLY   6.0  // 1/s: and in a second of short steps, so that bodies are not thrown,
#define PAID     0.25 // and of the approach, as lifting a body at rest adds energy,
#define NARROW   0.5  // unless less than this is left of the gap, or a motion is prescribed
#define FOLLOWS  0.5  // of its displacement: so far a contact point moves with an update,
#define FACES    0.5  // while directions differ by less than the angle with this cosine
#define PASSING  8    // tries to find the time on a path at which two sides pass each other
#define ALONG    0.5  // square of a cosine: axes with less of an angle may lie along each other
#define STIFF    1e3 // times mass over h^2: stiffness, of which friction leaves a slip of the inverse

// ---- planes ---------------------------------------------------------------------------------

// A contact point of the pair, as it was found.
typedef struct spot {
    tdi_pair_geometry m;
    tdi_closest k;
    int32_t which; // of the contact points of its pair: at an end, 0 or 1, or
} spot;

enum { CLOSEST = 2 };

// The axes of a collider turn with it: normal and place are those at the end of the step. The place
// is on its surface, which turns too where the collider is round; e keeps the capsule's radius.
static void place_on_collider(const tdi_contacts *c, const spot *at, tdi_plane *p) {
    const int32_t k = p->row.other - c->capsule_count;
    const tdi_pose from = tdi_pose_at(c, k, 0), to = tdi_pose_at(c, k, 1);
    const td_real radius = at->m.radii - c->capsule[p->row.capsule].radius; // 0 of planes and boxes
    const td_vec3 axis = tdi_madd(tdi_scale(at->m.two.a, 1 - at->k.s), at->m.two.b, at->k.s),
                  spot_there = tdi_madd(tdi_sub(axis, at->k.e), p->row.normal, radius);
    p->radii = c->capsule[p->row.capsule].radius;
    p->row.normal = tdi_mat3_apply(&to.r, p->row.normal);
    p->at = tdi_add(to.o, tdi_mat3_apply(&to.r, spot_there));
    p->from = tdi_add(from.o, tdi_mat3_apply(&from.r, spot_there));
}

// Whether the surfaces did not slip when the step began.
static bool stuck(const tdi_contacts *c, const tdi_plane *p, const tdi_plane_rule *rule) {
    const tdi_plane_pose ahead = {rule->ahead, rule->turning};
    const td_vec3 displacement = tdi_sub(tdi_plane_slip(p, ahead), tdi_sub(p->at, p->from));
    return tdi_norm(tdi_plane_tangential(p, displacement)) < c->opts.creep * rule->h;
}

// The expected slip: that of free fall less the part that friction stops during the approach.
static td_real slip_ahead(const tdi_contacts *c, const tdi_plane *p, const tdi_plane_rule *rule) {
    const tdi_plane_pose ahead = {rule->ahead, rule->turning};
    td_vec3 displacement = tdi_sub(tdi_plane_slip(p, ahead), tdi_sub(p->at, p->from));
    if (p->row.other >= c->capsule_count) { // bodies that fall together keep their distance
        displacement = tdi_madd(displacement, rule->gravity, rule->h * rule->h);
    }
    const td_real approach = fmax(-tdi_dot(p->row.normal, displacement), 0);
    return fmax(tdi_norm(tdi_plane_tangential(p, displacement)) - p->friction * approach, 0);
}

// The force of the last step, if it is valid for this plane.
static void warm_start(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane *p) {
    const td_vec3 last = rule->warm_start[TDI_CONTACT_POINTS * p->row.capsule + p->which];
    const td_real along = tdi_dot(last, p->row.normal), most = p->friction * along;
    const bool steady = rule->h == rule->whole;
    if (p->row.other >= c->capsule_count && steady && along > 0) {
        const td_vec3 aside = tdi_plane_tangential(p, last);
        const td_real size = tdi_norm(aside);
        p->multiplier =
            tdi_madd(tdi_scale(aside, size > most ? most / size : 1), p->row.normal, along);
    }
}

// The gap that a plane keeps, and its start values.
static void prepare(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane *p) {
    const td_real gap = tdi_dot(p->row.normal,
                                tdi_sub(tdi_rows_between(&p->row, rule->began), p->from)) -
                        p->radii,
                  keep = TDI_PLANE_GAP * p->range, there = fmin(fmax(gap, 0), keep);
    const td_vec3 ahead = tdi_sub(tdi_rows_between(&p->row, rule->ahead), tdi_sub(p->at, p->from));
    p->restitution.speed = -tdi_dot(p->row.normal, ahead);
    const td_real sure = rule->driven ? keep : NARROW * keep,
                  part = rule->driven ? RECOVERS : fmin(RECOVERS, SLOWLY * rule->h),
                  wins = fmax(fmin(part * (keep - there), PAID * p->restitution.speed),
                              part * fmax(sure - there, 0));
    p->restitution.reach = p->radii + there + (rule->impact ? 0 : wins);
    tdi_plane_prepare_bounce(c, rule, p);
    p->slip = tdi_sub(tdi_rows_between(&p->row, rule->history), p->from);
    p->shift = p->friction * slip_ahead(c, p, rule);
    p->friction = p->friction > p->sliding && !stuck(c, p, rule) ? p->sliding : p->friction;
    p->rolling.slip = tdi_roll_slip(c, p->rolling.arm, p->row.normal, p->row.other);
    p->fresh = gap >= p->range;
    if (gap < NEAR * keep) { // half of a capsule's weight, since both its ends may lie there
        const td_real mass = tdi_plane_mass(p, rule) * rule->h * rule->h;
        p->multiplier = tdi_scale(p->row.normal, 0.5 * mass * tdi_norm(rule->gravity));
    }
    warm_start(c, rule, p);
    p->rolling.limit = tdi_rolling_of(c, p->row.other) * tdi_dot(p->row.normal, p->multiplier);
}

// The contact point and direction of a plane.
static void place_plane(const tdi_contacts *c, const spot *at, tdi_plane *p) {
    const tdi_closest *k = &at->k;
    p->row.s = at->m.from + (1 - at->m.from) * k->s;
    p->row.t = k->t;
    p->row.weight[0] = 1 - p->row.s;
    p->row.weight[1] = p->row.s;
    p->row.weight[2] = k->t - 1;
    p->row.weight[3] = -k->t;
    p->row.normal = tdi_scale(k->e, (k->distance < 0 ? -1 : 1) / tdi_norm(k->e));
    if (p->row.other >= c->capsule_count) {
        place_on_collider(c, at, p);
    }
}

static tdi_plane plane_of(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_near_pair pair,
                          const spot *at) {
    const tdi_capsule *i = &c->capsule[pair.i];
    const tdi_capsule *j = pair.j < c->capsule_count ? &c->capsule[pair.j] : NULL;
    tdi_plane p = {.row.capsule = pair.i,
                   .row.other = pair.j,
                   .which = at->which,
                   .row.point = {i->a, i->b, j ? j->a : TD_NONE, j ? j->b : TD_NONE},
                   .range = at->m.range,
                   .radii = at->m.radii,
                   .friction = tdi_static_of(c, pair.j),
                   .sliding = tdi_friction_of(c, pair.j)};
    place_plane(c, at, &p);
    p.stiffness = STIFF * tdi_plane_mass(&p, rule);
    if (p.friction > 0) {
        tdi_arms_of(c, pair, tdi_norm(at->k.e), p.row.arm);
        tdi_roll_arms_of(c, pair, p.rolling.arm);
    }
    prepare(c, rule, &p);
    return p;
}

// What a plane that stood there before knows already.
static void inherit(tdi_plane *p, const tdi_plane *old) {
    const td_real along = tdi_dot(old->multiplier, old->row.normal);
    const td_vec3 aside = tdi_madd(old->multiplier, old->row.normal, -along);
    p->multiplier = tdi_madd(tdi_plane_tangential(p, aside), p->row.normal, along);
    p->shift = old->shift;
    p->friction = fmin(p->friction, old->friction);
    p->rolling.multiplier = tdi_plane_tangential(p, old->rolling.multiplier);
    p->rolling.limit = old->rolling.limit;
    p->given = tdi_scale(p->row.normal, tdi_dot(old->given, old->row.normal));
    p->least = old->least;
}

// ---- rolling --------------------------------------------------------------------------------

// The place between that of a plane and the nearest at x, with colliders where the step ends.
static spot spot_between(const tdi_contacts *c, const tdi_plane *p, const td_vec3 *x) {
    const tdi_near_pair pair = {p->row.capsule, p->row.other};
    const bool capsule = p->row.other < c->capsule_count;
    spot at = {.which = p->which};
    tdi_pair_open(c, pair, x, capsule ? NULL : &c->colliders.pose[p->row.other - c->capsule_count],
                  &at.m);
    if (at.m.two.side != TDI_SIDE_SEGMENT) {
        return at;
    }
    const tdi_pair_shape *two = &at.m.two;
    const td_real s = (p->row.s - at.m.from) / (1 - at.m.from);
    at.k = tdi_closest_of(two);
    at.k.s = s + FOLLOWS * (at.k.s - s);
    at.k.t = p->row.t + FOLLOWS * (at.k.t - p->row.t);
    at.k.e = tdi_sub(tdi_madd(tdi_scale(two->a, 1 - at.k.s), two->b, at.k.s),
                     tdi_madd(tdi_scale(two->c, 1 - at.k.t), two->d, at.k.t));
    return at;
}

// Faces and edges of boxes stay: where a place is on them hardly depends on a turn.
void tdi_planes_move_points(tdi_contacts *c, const tdi_plane_rule *rule, const td_vec3 *x) {
    tdi_poses_at(c, 1);
    for (int32_t k = 0; k < c->planes.count; k++) {
        tdi_plane *p = &c->planes.item[k], next = *p;
        const spot at = spot_between(c, p, x);
        if (p->restitution.acts || p->which != CLOSEST || at.m.two.side != TDI_SIDE_SEGMENT ||
            !(tdi_norm(at.k.e) > 0)) {
            continue;
        }
        place_plane(c, &at, &next);
        if (tdi_dot(next.row.normal, p->row.normal) > FACES) { // it has not passed through
            next.slip = tdi_sub(tdi_rows_between(&next.row, rule->history), next.from);
            inherit(&next, p);
            *p = next;
        }
    }
}

void tdi_planes_save_forces(const tdi_contacts *c, const tdi_plane_rule *rule, td_vec3 *forces) {
    memset(forces, 0, TDI_CONTACT_POINTS * (size_t)c->capsule_count * sizeof *forces);
    for (int32_t k = 0; k < c->planes.count && !rule->impact; k++) {
        const tdi_plane *p = &c->planes.item[k];
        td_vec3 *most = &forces[TDI_CONTACT_POINTS * p->row.capsule + p->which];
        if (p->row.other >= c->capsule_count && !p->fresh &&
            tdi_norm(p->multiplier) > tdi_norm(*most)) {
            *most = p->multiplier;
        }
    }
}

// ---- finding --------------------------------------------------------------------------------

// Which place of a pair: an end of the axis, or, of others than planes and height fields, the
// closest.
static int32_t which_of(const tdi_pair_geometry *m, const tdi_closest *k, int n) {
    const bool ends = m->two.side == TDI_SIDE_PLANE || m->two.side == TDI_SIDE_FIELD;
    const bool closest = n == 0 && !ends;
    return closest ? CLOSEST : (int32_t)k->s;
}

// The point s of an axis over another one.
static tdi_closest over_axis(const tdi_pair_shape *two, td_real s) {
    const td_vec3 v = tdi_sub(two->d, two->c);
    const td_vec3 x = tdi_sub(tdi_madd(tdi_scale(two->a, 1 - s), two->b, s), two->c);
    const td_real t = fmin(fmax(tdi_dot(x, v) / tdi_dot(v, v), 0), 1);
    const td_vec3 e = tdi_madd(x, v, -t);
    return (tdi_closest){.s = s, .t = t, .e = e, .loose = {1, 1, 1}, .distance = tdi_norm(e)};
}

// The part of an axis that lies along another one, or over the face of a box in the direction of e.
// False: it has no such part.
static bool part_along(const tdi_pair_shape *two, td_vec3 e, td_real part[2]) {
    const td_vec3 u = tdi_sub(two->b, two->a), v = tdi_sub(two->d, two->c);
    const td_real uu = tdi_dot(u, u), a[3] = {two->a.x, two->a.y, two->a.z},
                  du[3] = {u.x, u.y, u.z}, half[3] = {two->c.x, two->c.y, two->c.z},
                  out[3] = {fabs(e.x), fabs(e.y), fabs(e.z)};
    part[0] = 0;
    part[1] = 1;
    if (!(uu > 0) || two->side == TDI_SIDE_PLANE || two->side == TDI_SIDE_FIELD) {
        return false;
    }
    if (two->side == TDI_SIDE_SEGMENT) {
        const td_real c = tdi_dot(tdi_sub(two->c, two->a), u) / uu,
                      d = tdi_dot(tdi_sub(two->d, two->a), u) / uu;
        part[0] = fmax(fmin(c, d), 0);
        part[1] = fmin(fmax(c, d), 1);
        return tdi_dot(u, v) * tdi_dot(u, v) > ALONG * uu * tdi_dot(v, v) && part[0] < part[1];
    }
    const int face = out[0] > out[1] && out[0] > out[2] ? 0 : out[1] > out[2] ? 1 : 2;
    for (int k = 0; k < 3; k++) {
        if (k != face && du[k] != 0) {
            const td_real from = (-half[k] - a[k]) / du[k], to = (half[k] - a[k]) / du[k];
            part[0] = fmax(part[0], fmin(from, to));
            part[1] = fmin(part[1], fmax(from, to));
        }
    }
    return part[0] < part[1];
}

// Adds both ends of that part as contact points: a single one would jump from end to end at the
// least tilt. Returns their number.
static int add_ends(const tdi_pair_geometry *m, spot spots[TDI_CONTACT_POINTS], int count) {
    td_real part[2];
    if (count == 0 || !part_along(&m->two, spots[0].k.e, part)) {
        return count;
    }
    const td_real s = spots[0].k.s;
    for (int end = 0; end < 2; end++) {
        bool there = end ? part[1] <= s : part[0] >= s;
        for (int n = 0; n < count; n++) {
            there = there || spots[n].which == end;
        }
        tdi_closest k = {.s = part[end]};
        if (m->two.side == TDI_SIDE_SEGMENT) {
            k = over_axis(&m->two, part[end]);
        } else {
            k.e = tdi_from_box(m->two.c, tdi_madd(tdi_scale(m->two.a, 1 - k.s), m->two.b, k.s));
            k.loose = tdi_outside(k.e);
            k.distance = tdi_norm(k.e);
        }
        if (!there && k.distance > 0 && k.distance - m->radii < m->range) {
            spots[count++] = (spot){*m, k, end};
        }
    }
    return count;
}

// The contact points of a pair in range, 0..TDI_CONTACT_POINTS. `part` of the path is free; below 1
// there is a contact point, even if the search stopped short of the range.
static int spots_of(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x, const td_vec3 *dx,
                    td_real part, spot spots[TDI_CONTACT_POINTS]) {
    tdi_pair_geometry m = tdi_pair_after(c, pair, x, dx, part);
    tdi_closest points[TDI_CONTACT_POINTS];
    if (m.two.side == TDI_SIDE_PLANE && part < 1) {
        m = tdi_pair_after(c, pair, x, dx, 1);
    }
    int count = tdi_contact_points_of(c, pair, &m, points);
    if (count == 0 && part < 1) {
        points[count++] = tdi_closest_of(&m.two);
    }
    for (int n = 0; n < count; n++) {
        spots[n] = (spot){m, points[n], which_of(&m, &points[n], n)};
    }
    return add_ends(&m, spots, count);
}

typedef struct finder {
    tdi_contacts *c;
    const tdi_plane_rule *rule;
    const td_vec3 *x, *dx; // of points at the start, and their path
    int32_t old, count;    // of the old planes, and of the new ones
    bool changed;
} finder;

static void keep_plane(finder *f, const tdi_plane *p) {
    f->c->planes.spare[f->count++] = *p;
}

static bool is_of(const tdi_plane *p, tdi_near_pair pair) {
    return p->row.capsule == pair.i && p->row.other == pair.j;
}

// Keeps the planes of earlier pairs. Planes with colliders come after all others.
static void pass_to(finder *f, tdi_near_pair pair) {
    const tdi_contacts *c = f->c;
    const bool collider = pair.j >= c->capsule_count;
    for (; f->old < c->planes.count; f->old++) {
        const tdi_plane *p = &c->planes.item[f->old];
        const bool among = (p->row.other >= c->capsule_count) == collider;
        if (among ? p->row.capsule > pair.i || (p->row.capsule == pair.i && p->row.other >= pair.j)
                  : !collider) {
            return;
        }
        keep_plane(f, p);
    }
}

// The gap by a plane after a part of the path: negative where the plane is violated.
static td_real gap_after(const finder *f, const tdi_plane *p, td_real part) {
    const td_vec3 e = tdi_sub(tdi_rows_between(&p->row, f->x), p->from),
                  moved = tdi_sub(tdi_rows_between(&p->row, f->dx), tdi_sub(p->at, p->from));
    return tdi_dot(p->row.normal, tdi_madd(e, moved, part)) - p->radii;
}

// The contact point of that number after a part of the path. False: it is out of range there.
static bool find_spot(const finder *f, tdi_near_pair pair, td_real part, int32_t which, spot *at) {
    spot spots[TDI_CONTACT_POINTS];
    const int count = spots_of(f->c, pair, f->x, f->dx, part, spots);
    int n = 0;
    while (n < count && spots[n].which != which) {
        n++;
    }
    if (n < count) {
        *at = spots[n];
    }
    return n < count;
}

// A new plane at a contact point after the free part of the path. On the path the closest points
// may move far along both sides. Then the start violates their plane, which would throw the sides
// apart if something else stops them on the path. The plane of the start is valid there, and if the
// end violates it, the plane where the sides pass each other. False: the contact point is out of
// range there.
static bool new_plane(const finder *f, tdi_near_pair pair, const spot *at, td_real free,
                      tdi_plane *p) {
    const int tries = f->rule->impact ? 1 : PASSING; // nothing moves in an impact
    spot passing = *at;
    td_real part = 0, low = 0, high = free;
    *p = plane_of(f->c, f->rule, pair, at);
    bool before = gap_after(f, p, 0) < 0, after = false;
    for (int k = 0; free > 0 && k < tries && (before || after); k++) {
        if (!find_spot(f, pair, part, at->which, &passing)) {
            return false;
        }
        *p = plane_of(f->c, f->rule, pair, &passing);
        before = gap_after(f, p, 0) < 0;
        after = gap_after(f, p, free) < 0;
        low = before ? low : part;
        high = before ? part : high;
        part = 0.5 * (low + high);
    }
    return true;
}

// A contact point in range: keeps its plane if no pair passed it, or adds one if it is needed.
static void take_spot(finder *f, tdi_near_pair pair, const spot *at, const tdi_plane *was,
                      td_real part) {
    const bool free = part >= 1;
    const bool flat = at->m.two.side == TDI_SIDE_PLANE,
               near = at->k.distance - at->m.radii < MISSING * TDI_PLANE_GAP * at->m.range;
    tdi_plane p;
    if (was && (free || flat)) {
        keep_plane(f, was);
        f->changed = f->changed || !free;
    } else if ((was || !free || f->rule->first || near) && new_plane(f, pair, at, part, &p)) {
        if (was) {
            inherit(&p, was);
        }
        keep_plane(f, &p);
        f->changed = true;
        f->c->planes.fresh = f->c->planes.fresh || p.fresh;
    } else if (was) {
        keep_plane(f, was);
    }
}

static td_status find_pair(finder *f, tdi_near_pair pair) {
    tdi_contacts *c = f->c;
    spot spots[TDI_CONTACT_POINTS];
    pass_to(f, pair);
    const int32_t first = f->old;
    while (f->old < c->planes.count && is_of(&c->planes.item[f->old], pair)) {
        f->old++;
    }
    const td_real part = tdi_pair_free(c, pair, f->x, f->dx);
    const int count = spots_of(c, pair, f->x, f->dx, part, spots);
    const int32_t planes = f->count + count + c->planes.count - first;
    c->limits.exceeded = c->limits.exceeded || planes > c->limits.contacts;
    if (tdi_lacks_contacts(c, planes)) {
        return TD_ERR_LIMIT;
    }
    bool met[TDI_CONTACT_POINTS] = {false};
    for (int n = 0; n < count; n++) {
        const tdi_plane *was = NULL;
        for (int32_t k = first; k < f->old; k++) {
            was = c->planes.item[k].which == spots[n].which ? &c->planes.item[k] : was;
        }
        met[spots[n].which] = true;
        take_spot(f, pair, &spots[n], was, part);
    }
    for (int32_t k = first; k < f->old; k++) { // planes out of range are kept
        if (!met[c->planes.item[k].which]) {
            keep_plane(f, &c->planes.item[k]);
        }
    }
    return TD_OK;
}

td_status tdi_planes_find(tdi_contacts *c, const tdi_plane_rule *rule, const td_vec3 *x,
                          const td_vec3 *dx, bool *changed) {
    finder f = {.c = c, .rule = rule, .x = x, .dx = dx};
    td_status status = TD_OK;
    if (rule->first) {
        c->planes.count = c->planes.updates = 0;
        c->planes.fresh = c->planes.parting = false;
        c->planes.part = c->planes.part_high = 1;
        c->planes.part_low = 0;
    }
    tdi_poses_at(c, 0);
    for (int32_t k = 0; k < c->pairs.count && status == TD_OK; k++) {
        status = find_pair(&f, c->pairs.item[k]);
    }
    while (f.old < c->planes.count && status == TD_OK) {
        keep_plane(&f, &c->planes.item[f.old++]);
    }
    if (status == TD_OK) {
        tdi_plane *was = c->planes.item;
        c->planes.item = c->planes.spare;
        c->planes.spare = was;
        c->planes.count = f.count;
    }
    tdi_turning_clear(c);
    for (int32_t k = 0; k < c->planes.count; k++) {
        tdi_turning_add(c, c->planes.item[k].row.arm, c->planes.item[k].row.capsule,
                        c->planes.item[k].row.other);
    }
    *changed = f.changed;
    return status;
}
