// SPDX-License-Identifier: MIT
// Continuous collision detection: how far points may move before a gap would close.
//
// Method   Conservative advancement. Both sides of a pair are convex. Let n be the direction
//          between their closest points. The least height of the axis along n over the other side
//          is below the distance, and concave in time, because points move along lines: while it is
//          above the radii the gap is open. Chords and halving bound from below the time at which
//          it no longer is; the search advances to that time and takes a new n there. A sliding
//          pair takes the whole path at once, a head-on pair the path to the gap that it must keep.
// Turning  In the axes of a rotating collider, paths are curved: with a rotation w and a velocity
//          v, both for the whole path, and the lever arm r, the second derivative is at most w^2 r
//          + 2 w v, and a part p of the path leaves its chord by an eighth of that times p^2. Parts
//          are so short that this is half of the gap at most, and radii are enlarged by it.

#include "contact/height_field.h"
#include "contact/contact_set.h"

#define KEPT   0.1  // of a gap, or of its range when it is larger
#define SOLVED 1e-3 // likewise, where Newton's method has found the gap
#define FOUND  2.0  // above 1: no such limit, for the path to a solved pose; gaps keep SOLVED
#define CLOSED 0.3  // of the range, by increments that a line search tries
#define AROUND 0.1  // sine: half the angle by which a contact may rotate in the step of its impact
#define CORE   0.5  // of the radii: capsules that pass each other less deeply only graze
#define ROUNDS 32   // directions; any number is safe
#define PASSES 8    // over all pairs, each shortening groups one by one
#define STALL  1.02 // stop when a round advances by less than this factor

// ---- along lines ----------------------------------------------------------------------------

static tdi_closest closest_at(const tdi_pair_shape *two, const tdi_pair_motion *d, td_real time) {
    tdi_pair_shape now = *two;
    now.a = tdi_madd(two->a, d->a, time);
    now.b = tdi_madd(two->b, d->b, time);
    if (two->side == TDI_SIDE_SEGMENT) {
        now.c = tdi_madd(two->c, d->c, time);
        now.d = tdi_madd(two->d, d->d, time);
    }
    return tdi_closest_of(&now);
}

// The last time in [from, 1] found at which the height along n is `need`; it is more at `from` and
// less at 1.
static td_real crossing(const tdi_pair_shape *two, const tdi_pair_motion *d, td_real from,
                        td_vec3 n, td_real distance, td_real need) {
    td_real low = from, high = 1;
    td_real at_low = tdi_height_of(two, d, low, n, distance) - need;
    td_real at_high = tdi_height_of(two, d, high, n, distance) - need;
    const td_real enough = 0.01 * at_low;
    for (int k = 0; k < 16 && at_low > enough && high > low; k++) {
        // a chord lies below a concave function, so the time it gives is safe, but for rounding
        bool chord = (k & 1) == 0;
        td_real part = chord ? 0.995 * at_low / (at_low - at_high) : 0.5;
        td_real time = low + (high - low) * part;
        td_real at = tdi_height_of(two, d, time, n, distance) - need;
        if (at >= 0) {
            low = time;
            at_low = at;
        } else {
            high = time;
            at_high = at;
        }
    }
    return low;
}

// The same over a height field, which is not convex, for both ends of the axis.
static td_real advance_over_field(const tdi_pair_shape *two, const tdi_pair_motion *d,
                                  td_real need) {
    return fmin(tdi_height_field_free(two->field, two->a, d->a, need),
                tdi_height_field_free(two->field, two->b, d->b, need));
}

// Moves the time to `next`. False: that is the end, or too little farther for another round.
static inline bool goes_on(td_real *time, td_real next) {
    const bool far = next > STALL * *time;
    *time = next < 1 ? next : 1;
    return far && next < 1;
}

// The part of the motion that leaves a gap of `keep`, which is below the present gap; `k` is that
// at the start.
static td_real advance(const tdi_pair_shape *two, const tdi_pair_motion *d, td_real radii,
                       td_real keep, tdi_closest k) {
    const td_real need = radii + keep;
    if (two->side == TDI_SIDE_FIELD) {
        return advance_over_field(two, d, need);
    }
    const td_real sure = need + (two->blunt_s + two->blunt_t) / (4 * radii);
    td_real time = 0;
    for (int round = 0; round < ROUNDS; round++) {
        td_real length = tdi_norm(k.e);
        td_vec3 n = tdi_scale(k.e, 1 / length);
        td_real last = tdi_height_of(two, d, 1, n, length);
        if (last >= sure) {
            return 1;
        }
        td_real next = last >= need ? 1 : crossing(two, d, time, n, length, need);
        // blunted distances are met to second order only
        k = closest_at(two, d, next);
        for (int back = 0; back < 40 && k.distance - radii < 0.5 * keep; back++) {
            next = back < 39 ? 0.5 * (time + next) : time;
            k = closest_at(two, d, next);
        }
        if (!goes_on(&time, next)) {
            break;
        }
    }
    return time;
}

// The gap that must remain: no more than `closed` of the range closes, and never all; above 1: as
// much as was found.
static td_real kept(const tdi_pair_geometry *m, td_real gap, td_real closed) {
    const td_real near = gap < m->range ? gap : m->range, rest = near - closed * m->range;
    const td_real least = closed > 1 ? SOLVED : KEPT;
    return rest > least * near ? rest : least * near;
}

// ---- pairs of capsules ----------------------------------------------------------------------

static inline td_real square(td_vec3 a) {
    return tdi_dot(a, a);
}

// The square of the largest relative displacement of points of the two axes.
static inline td_real fastest2(const tdi_pair_motion *d) {
    td_real ac = square(tdi_sub(d->a, d->c)), ad = square(tdi_sub(d->a, d->d));
    td_real bc = square(tdi_sub(d->b, d->c)), bd = square(tdi_sub(d->b, d->d));
    td_real a = ac > ad ? ac : ad, b = bc > bd ? bc : bd;
    return a > b ? a : b;
}

// The free fraction of a pair with a part of its radii, `core`.
static td_real cores(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x, const td_vec3 *dx,
                     const td_real part[2], td_real closed, td_real core) {
    const tdi_capsule *i = &c->capsule[pair.i], *j = &c->capsule[pair.j];
    tdi_pair_geometry m;
    tdi_pair_open(c, pair, x, NULL, &m);
    m.radii *= core;
    const tdi_pair_motion d = {tdi_scale(dx[i->a], part[0]), tdi_scale(dx[i->b], part[0]),
                               tdi_scale(dx[j->a], part[1]), tdi_scale(dx[j->b], part[1])};
    const tdi_closest k = tdi_closest_of(&m.two);
    const td_real gap = k.distance - m.radii;
    if (!(gap > 0)) {
        return 0;
    }
    // a blunted distance changes by |e|/D times a move at most, of which the square is below 1.05
    const td_real keep = kept(&m, gap, closed), spare = gap - keep;
    return 1.05 * fastest2(&d) < spare * spare ? 1 : advance(&m.two, &d, m.radii, keep, k);
}

static td_real capsules(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                        const td_vec3 *dx, const td_real part[2], td_real closed) {
    return cores(c, pair, x, dx, part, closed, 1);
}

// ---- colliders ------------------------------------------------------------------------------

typedef struct sweep { // of one pair with a collider
    const tdi_contacts *c;
    tdi_near_pair pair;
    const td_vec3 *x, *dx;
    td_real part;       // of dx
    td_real from, over; // time of the colliders, and what is added to it
    bool turns;
    td_real closed; // of the range, at most
} sweep;

// the pair after the fraction `u` of the path
static tdi_pair_geometry sweep_at(const sweep *w, td_real u) {
    const tdi_contacts *c = w->c;
    const tdi_capsule *i = &c->capsule[w->pair.i];
    const int32_t k = w->pair.j - c->capsule_count;
    tdi_pose pose = c->colliders.pose[k]; // of the start
    if (w->turns && u > 0) {
        pose = tdi_pose_at(c, k, w->from + u * w->over);
    } else {
        pose.o = tdi_madd(pose.o, c->colliders.course[k].shift, u * w->over);
    }
    tdi_pair_geometry m;
    tdi_pair_open(c, w->pair, w->x, &pose, &m);
    m.two.a = tdi_pose_local(
        &pose, tdi_madd(tdi_bare_start(i, w->x), tdi_bare_start(i, w->dx), u * w->part));
    m.two.b = tdi_pose_local(&pose, tdi_madd(w->x[i->b], w->dx[i->b], u * w->part));
    m.pose = NULL;
    return m;
}

// an eighth of the second derivative by u, in the collider's axes
static td_real bend_of(const sweep *w, const tdi_pair_geometry *start) {
    const tdi_collider_motion *course = &w->c->colliders.course[w->pair.j - w->c->capsule_count];
    const tdi_capsule *i = &w->c->capsule[w->pair.i];
    td_vec3 shift = tdi_scale(course->shift, w->over);
    td_real va = tdi_norm(tdi_sub(tdi_scale(w->dx[i->a], w->part), shift));
    td_real vb = tdi_norm(tdi_sub(tdi_scale(w->dx[i->b], w->part), shift));
    td_real v = fmax(va, vb), turn = fabs(course->angle * w->over);
    td_real lever = fmax(tdi_norm(start->two.a), tdi_norm(start->two.b)) + v;
    return 0.125 * turn * (turn * lever + 2 * v);
}

static td_real collider(const sweep *w) {
    td_real u = 0, keep = 0, bend = 0;
    for (int round = 0; round < ROUNDS; round++) {
        tdi_pair_geometry m = sweep_at(w, u);
        const tdi_closest k = tdi_closest_of(&m.two);
        const td_real gap = k.distance - m.radii;
        if (round == 0) {
            keep = kept(&m, gap, w->closed);
            bend = bend_of(w, &m);
        }
        td_real spare = gap - keep;
        if (!(spare > 0)) {
            break;
        }
        td_real step = 1 - u;
        if (bend * step * step > 0.5 * spare) {
            step = sqrt(0.5 * spare / bend);
        }
        tdi_pair_geometry end = sweep_at(w, u + step);
        tdi_pair_motion d = {
            tdi_sub(end.two.a, m.two.a), tdi_sub(end.two.b, m.two.b), {0, 0, 0}, {0, 0, 0}};
        td_real part = advance(&m.two, &d, m.radii + bend * step * step, keep, k);
        if (!goes_on(&u, part < 1 ? u + step * part : step < 1 - u ? u + step : 1)) {
            break;
        }
    }
    return u;
}

// ---- one pair -------------------------------------------------------------------------------

static bool turns(const tdi_contacts *c, tdi_near_pair pair) {
    return c->colliders.course[pair.j - c->capsule_count].angle > 0;
}

td_real tdi_pair_free(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                      const td_vec3 *dx) {
    const td_real both[2] = {1, 1};
    if (pair.j < c->capsule_count) {
        return capsules(c, pair, x, dx, both, 1);
    }
    const sweep w = {c, pair, x, dx, 1, 0, 1, turns(c, pair), 1};
    return collider(&w);
}

tdi_pair_geometry tdi_pair_after(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                                 const td_vec3 *dx, td_real part) {
    const tdi_capsule *i = &c->capsule[pair.i];
    if (pair.j >= c->capsule_count) {
        const sweep w = {c, pair, x, dx, 1, 0, 1, turns(c, pair), 1};
        return sweep_at(&w, part);
    }
    const tdi_capsule *j = &c->capsule[pair.j];
    tdi_pair_geometry m;
    tdi_pair_open(c, pair, x, NULL, &m);
    m.two.a = tdi_madd(m.two.a, dx[i->a], part);
    m.two.b = tdi_madd(m.two.b, dx[i->b], part);
    m.two.c = tdi_madd(m.two.c, dx[j->a], part);
    m.two.d = tdi_madd(m.two.d, dx[j->b], part);
    return m;
}

// ---- entry ----------------------------------------------------------------------------------

typedef struct search {
    const tdi_contacts *c;
    tdi_scope pairs;
    const td_vec3 *x, *dx;
    td_real time0, time1; // of colliders
    td_real closed;
    td_real part[TDI_TURNS]; // the free fraction of the path, for the pairs of a turn
} search;

// Later pairs are tested on the free path of the earlier ones.
static void search_turn(void *context, int64_t turn) {
    search *f = context;
    const tdi_contacts *c = f->c;
    const tdi_turn_part share = tdi_turn_part_of(f->pairs.count, turn);
    td_real part = 1;
    for (int32_t k = share.first; k < share.last && part > 0; k++) {
        const tdi_near_pair pair = c->pairs.item[tdi_scope_at(&f->pairs, k)];
        if (tdi_are_inactive(c, pair.i, pair.j)) {
            continue;
        }
        if (pair.j < c->capsule_count) {
            const td_real both[2] = {part, part};
            part *= capsules(c, pair, f->x, f->dx, both, f->closed);
        } else {
            const td_real over = (f->time1 - f->time0) * part;
            const sweep w = {c, pair, f->x, f->dx, part, f->time0, over, turns(c, pair), f->closed};
            part *= collider(&w);
        }
    }
    f->part[turn] = part;
}

// The least free fraction of all turns.
static td_real fraction_until(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                              td_real time0, td_real time1, td_real closed) {
    search f = {.c = c,
                .pairs = tdi_scope_of(c, &c->groups.pairs, c->pairs.count),
                .x = x,
                .dx = dx,
                .time0 = time0,
                .time1 = time1,
                .closed = closed};
    const int32_t count = tdi_turns_of(f.pairs.count);
    td_real part = 1;
    tdi_poses_at(c, time0);
    tdi_pool_turns(c->pool, count, search_turn, &f);
    for (int32_t k = 0; k < count; k++) {
        part = fmin(part, f.part[k]);
    }
    return part;
}

td_real tdi_contacts_free_fraction(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                   td_real time0, td_real time1) {
    return fraction_until(c, x, dx, time0, time1, 1);
}

bool tdi_contacts_path_is_free(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx) {
    return fraction_until(c, x, dx, 0, 1, FOUND) >= 1;
}

td_real tdi_contacts_free_trial(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                td_real time) {
    return fraction_until(c, x, dx, time, time, CLOSED);
}

// One pass over all pairs. Whether no part was reduced.
static bool shorten(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx, td_real time,
                    td_real closed, const int32_t *group, td_real *part) {
    bool free = true;
    for (int32_t k = 0; k < c->pairs.self_count; k++) {
        const tdi_near_pair p = c->pairs.item[k];
        if (tdi_are_inactive(c, p.i, p.j)) {
            continue;
        }
        td_real *i = &part[group[p.i]], *j = &part[group[p.j]];
        const td_real both[2] = {*i, *j}, go = capsules(c, p, x, dx, both, closed);
        free = free && go >= 1;
        *i *= c->inactive.is_inactive && c->inactive.is_inactive[p.i] ? 1 : go;
        *j *= i == j || (c->inactive.is_inactive && c->inactive.is_inactive[p.j]) ? 1 : go;
    }
    for (int32_t k = c->pairs.self_count; k < c->pairs.count; k++) {
        td_real *i = &part[group[c->pairs.item[k].i]];
        if (tdi_are_inactive(c, c->pairs.item[k].i, c->pairs.item[k].j)) {
            continue;
        }
        const sweep w = {c, c->pairs.item[k],           x,     dx, *i, time,
                         0, turns(c, c->pairs.item[k]), closed};
        const td_real go = collider(&w);
        free = free && go >= 1;
        *i *= go;
    }
    return free;
}

bool tdi_contacts_free_fractions(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                 td_real time, bool trial, const int32_t *group, td_real *part) {
    tdi_poses_at(c, time);
    for (int pass = 0; pass < PASSES; pass++) {
        if (shorten(c, x, dx, time, trial ? CLOSED : 2, group, part)) {
            return true;
        }
    }
    return false;
}

// ---- tunnelling -----------------------------------------------------------------------------

// The relative displacement, of the first side against the other, at the closest points of the end.
static td_vec3 displacement_at(const tdi_pair_shape *from, const tdi_pair_shape *to,
                               const tdi_closest *k) {
    const td_vec3 a = tdi_sub(to->a, from->a), b = tdi_sub(to->b, from->b);
    const td_vec3 moved = tdi_madd(tdi_scale(a, 1 - k->s), b, k->s);
    if (to->side != TDI_SIDE_SEGMENT) {
        return moved;
    }
    const td_vec3 c = tdi_sub(to->c, from->c), d = tdi_sub(to->d, from->d);
    return tdi_sub(moved, tdi_madd(tdi_scale(c, 1 - k->t), d, k->t));
}

static bool pair_tunnelled(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                           const td_vec3 *dx) {
    const td_real whole[2] = {1, 1};
    if (pair.j < c->capsule_count ? cores(c, pair, x, dx, whole, 1, CORE) >= 1
                                  : tdi_pair_free(c, pair, x, dx) >= 1) {
        return false;
    }
    const tdi_pair_geometry start = tdi_pair_after(c, pair, x, dx, 0),
                            end = tdi_pair_after(c, pair, x, dx, 1);
    const tdi_closest k = tdi_closest_of(&end.two);
    const td_vec3 moved = displacement_at(&start.two, &end.two, &k);
    return k.distance - end.radii >= end.range ||
           tdi_dot(k.e, moved) > AROUND * tdi_norm(k.e) * tdi_norm(moved);
}

bool tdi_contacts_tunnelled(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                            bool capsules_too) {
    bool passed = false;
    tdi_poses_at(c, 0);
    for (int32_t k = capsules_too ? 0 : c->pairs.self_count; k < c->pairs.count && !passed; k++) {
        passed = pair_tunnelled(c, c->pairs.item[k], x, dx);
    }
    return passed;
}
