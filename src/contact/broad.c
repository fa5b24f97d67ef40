// SPDX-License-Identifier: MIT
// Broad phase: which pairs of capsules, or of a capsule and a collider, may meet.
//
// Method   Every capsule has a swept bounding box. Grids find the boxes that overlap (grids.c);
//          here these pairs are tested more closely.
// Fast     The mean motion of all points brings no capsule nearer to another, so boxes for pairs of
//          capsules are swept by the rest of the motion only. Boxes that move fast must also
//          overlap at the same time.
// Fixed    Where most capsules are fixed, only the others are searched: pairs of two fixed capsules
//          are skipped.
// Reuse    Boxes have a margin of a fraction of the radius. Every point has a box with the same
//          margin. While all points stay inside their boxes, apart from a common motion, capsules
//          stay inside theirs and the pairs stay valid, unless some were skipped because their
//          boxes overlap at different times.

#include "contact/broad.h"

#include "base/diag.h"
#include "contact/height_field.h"

#include <string.h>

#define LONG   8.0  // radii: longer capsules are compared by axes, not boxes alone
#define APART  8.0  // times the margin where groups move one at a time,
#define ASIDE  0.1  // and so much of the path
#define CORNER 1.75 // from the middle of a cube to its corner, in half sides, and a little

// ---- boxes ----------------------------------------------------------------------------------

static inline td_real square(td_vec3 a) {
    return tdi_dot(a, a);
}

static inline tdi_bounds widened(const tdi_bounds *b, td_real by) {
    const td_vec3 margin = tdi_vec3(by, by, by);
    return (tdi_bounds){tdi_sub(b->low, margin), tdi_add(b->high, margin)};
}

static td_vec3 mean_of(const td_vec3 *x, int32_t count) {
    td_vec3 sum = {0, 0, 0};
    for (int32_t k = 0; k < count; k++) {
        sum = tdi_add(sum, x[k]);
    }
    return tdi_scale(sum, 1.0 / count);
}

static tdi_search_motion motion_of(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx) {
    const td_vec3 none = {0, 0, 0};
    return (tdi_search_motion){x, dx, mean_of(x, c->point_count),
                               dx ? mean_of(dx, c->point_count) : none};
}

// around a capsule, with half of `gap` of its radius, before the motion less `common`, or after it
static inline tdi_bounds bounds_at(const tdi_contacts *c, int32_t i, const tdi_search_motion *m,
                                   td_real gap, td_vec3 common, bool after) {
    const tdi_capsule *k = &c->capsule[i];
    td_vec3 a = m->x[k->a], b = m->x[k->b];
    if (after) {
        a = tdi_add(a, tdi_sub(m->dx[k->a], common));
        b = tdi_add(b, tdi_sub(m->dx[k->b], common));
    }
    tdi_bounds box = {a, a};
    tdi_grow(&box, b);
    return widened(&box, k->radius * (1 + 0.5 * gap));
}

// the swept box
static inline tdi_bounds bounds_of(const tdi_contacts *c, int32_t i, const tdi_search_motion *m,
                                   td_vec3 common) {
    tdi_bounds box = bounds_at(c, i, m, c->opts.gap, common, false);
    if (m->dx) {
        tdi_bounds end = bounds_at(c, i, m, c->opts.gap, common, true);
        tdi_grow(&box, end.low);
        tdi_grow(&box, end.high);
    }
    return box;
}

// comparisons with a position that is not finite are false
static inline bool placed(const tdi_contacts *c, int32_t i, const tdi_search_motion *m) {
    const tdi_capsule *k = &c->capsule[i];
    return tdi_finite3(m->x[k->a]) && tdi_finite3(m->x[k->b]) &&
           (!m->dx || (tdi_finite3(m->dx[k->a]) && tdi_finite3(m->dx[k->b])));
}

static inline bool contains(const tdi_bounds *b,
                            td_vec3 x) { // false for a position that is not finite
    return x.x >= b->low.x && x.x <= b->high.x && x.y >= b->low.y && x.y <= b->high.y &&
           x.z >= b->low.z && x.z <= b->high.z;
}

// Whether a point stays in its box when it is shifted by `shift` at the start and by `after` at the
// end of its motion.
static inline bool stays_inside(const tdi_search_motion *m, const tdi_bounds *room, int32_t k,
                                td_vec3 shift, td_vec3 after) {
    return contains(&room[k], tdi_add(m->x[k], shift)) &&
           (!m->dx || contains(&room[k], tdi_add(tdi_add(m->x[k], m->dx[k]), after)));
}

// The same of all points, with `common` taken off their motion.
static bool stay_inside(const tdi_contacts *c, const tdi_search_motion *m, const tdi_bounds *room,
                        td_vec3 shift, td_vec3 common) {
    const td_vec3 after = tdi_sub(shift, common);
    for (int32_t k = 0; k < c->point_count; k++) {
        if (!stays_inside(m, room, k, shift, after)) {
            return false;
        }
    }
    return true;
}

// The same of the points of capsules that are not fixed.
static bool movers_stay_inside(const tdi_contacts *c, const tdi_search_motion *m) {
    const td_vec3 none = {0, 0, 0};
    for (int32_t i = 0; i < c->capsule_count; i++) {
        const tdi_capsule *k = &c->capsule[i];
        if (!c->inactive.is_inactive[i] && !(stays_inside(m, c->broad.room, k->a, none, none) &&
                                             stays_inside(m, c->broad.room, k->b, none, none))) {
            return false;
        }
    }
    return true;
}

static bool still_covered(const tdi_contacts *c, const tdi_search_motion *m) {
    const td_vec3 none = {0, 0, 0};
    if (c->inactive.partial) { // and room_reach is the same
        return movers_stay_inside(c, m);
    }
    return stay_inside(c, m, c->broad.room, tdi_sub(c->broad.center, m->center), m->mean) &&
           (c->limits.colliders == 0 || stay_inside(c, m, c->broad.room_reach, none, none));
}

// The box of a point: its path, with `common` taken off, and the margin of its capsules.
static tdi_bounds room_of(const tdi_contacts *c, int32_t k, const tdi_search_motion *m,
                          td_vec3 common) {
    tdi_bounds b = {m->x[k], m->x[k]};
    if (m->dx) {
        tdi_grow(&b, tdi_add(m->x[k], tdi_sub(m->dx[k], common)));
    }
    return widened(&b, c->broad.margin[k]);
}

static void make_room(tdi_contacts *c, const tdi_search_motion *m) {
    const td_vec3 none = {0, 0, 0};
    c->broad.center = m->center;
    for (int32_t k = 0; k < c->point_count; k++) {
        c->broad.room[k] = room_of(c, k, m, m->mean);
        if (c->limits.colliders > 0) {
            c->broad.room_reach[k] = room_of(c, k, m, none);
        }
    }
}

static td_status not_finite(int32_t capsule, td_diag *diag) {
    return tdi_fail_at(diag, TD_ERR_DIVERGED, capsule, "the position of capsule %d is not finite",
                       capsule);
}

// Boxes of all capsules. Fixed capsules that the last search skipped keep theirs.
static td_status make_boxes(tdi_contacts *c, const tdi_search_motion *m, td_diag *diag) {
    const td_vec3 none = {0, 0, 0};
    for (int32_t i = 0; i < c->capsule_count; i++) {
        if (c->inactive.partial && c->inactive.is_inactive[i]) {
            continue;
        }
        const td_real more = TDI_BOX_MARGIN * c->capsule[i].radius;
        const tdi_bounds own = bounds_of(c, i, m, m->mean), all = bounds_of(c, i, m, none);
        const tdi_bounds f = widened(&own, more), r = widened(&all, more);
        if (c->opts.self) {
            c->broad.box[i] = f;
        }
        if (c->limits.colliders > 0) {
            c->broad.collider_box[i] = r;
        }
        if (!placed(c, i, m) || !tdi_finite3(tdi_sub(f.high, f.low)) ||
            !tdi_finite3(tdi_sub(r.high, r.low))) {
            return not_finite(i, diag);
        }
    }
    return TD_OK;
}

// Whether a capsule goes farther than its radius.
static inline bool is_fast(const tdi_contacts *c, int32_t i, const tdi_search_motion *m) {
    const tdi_capsule *k = &c->capsule[i];
    const td_vec3 a = tdi_sub(m->dx[k->a], m->mean), b = tdi_sub(m->dx[k->b], m->mean);
    const td_real r2 = k->radius * k->radius;
    return tdi_dot(a, a) > r2 || tdi_dot(b, b) > r2;
}

// Cuts [*from, *to] to where the linear function from `a` to `b` is not below 0.
static inline void cut_to(td_real a, td_real b, td_real *from, td_real *to) {
    if (a < 0 && b < 0) {
        *to = -1;
    } else if (a < 0) {
        *from = tdi_greater(*from, a / (a - b));
    } else if (b < 0) {
        *to = tdi_lesser(*to, a / (a - b));
    }
}

// Whether two boxes that move linearly overlap at some time.
static bool overlap_in_time(const tdi_contacts *c, tdi_near_pair pair, const tdi_search_motion *m,
                            td_real gap) {
    td_real from = 0, to = 1;
    tdi_bounds box[2][2];
    for (int after = 0; after < 2; after++) {
        for (int k = 0; k < 2; k++) {
            box[after][k] = bounds_at(c, k == 0 ? pair.i : pair.j, m, gap, m->mean, after);
        }
    }
    for (int k = 0; k < 2; k++) { // the high end of one over the low end of the other
        td_vec3 a = tdi_sub(box[0][k].high, box[0][1 - k].low);
        td_vec3 b = tdi_sub(box[1][k].high, box[1][1 - k].low);
        cut_to(a.x, b.x, &from, &to);
        cut_to(a.y, b.y, &from, &to);
        cut_to(a.z, b.z, &from, &to);
    }
    return from <= to + 1e-9; // the quotients are rounded
}

// ---- pairs of capsules ----------------------------------------------------------------------

static inline bool may_meet(const tdi_contacts *c, int32_t i, int32_t j) {
    const tdi_capsule *k = &c->capsule[i], *l = &c->capsule[j];
    return k->a != l->a && k->a != l->b && k->b != l->a && k->b != l->b &&
           !(c->skip && c->skip(c->context, i, j));
}

static inline td_real longest_move(const tdi_contacts *c, int32_t i, const tdi_search_motion *m) {
    const tdi_capsule *k = &c->capsule[i];
    return m->dx ? sqrt(tdi_greater(square(tdi_sub(m->dx[k->a], m->mean)),
                                    square(tdi_sub(m->dx[k->b], m->mean))))
                 : 0;
}

static inline bool is_long(const tdi_capsule *k, const td_vec3 *x) {
    return square(tdi_sub(x[k->b], x[k->a])) > LONG * LONG * k->radius * k->radius;
}

// Boxes of long capsules are loose. Whether axes are too far apart to meet while their points stay
// in their boxes.
static bool are_far(const tdi_contacts *c, int32_t i, int32_t j, const tdi_search_motion *m) {
    const tdi_capsule *k = &c->capsule[i], *l = &c->capsule[j];
    if (!is_long(k, m->x) && !is_long(l, m->x)) {
        return false;
    }
    const tdi_pair_shape two = {.side = TDI_SIDE_SEGMENT,
                                .a = m->x[k->a],
                                .b = m->x[k->b],
                                .c = m->x[l->a],
                                .d = m->x[l->b]};
    const td_real around = 1 + 0.5 * c->opts.gap + CORNER * TDI_BOX_MARGIN;
    return tdi_closest_of(&two).distance >
           around * (k->radius + l->radius) + longest_move(c, i, m) + longest_move(c, j, m);
}

bool tdi_search_takes(const tdi_search *w, int32_t i, int32_t j, bool *dropped) {
    const tdi_contacts *c = w->c;
    if (!may_meet(c, i, j)) {
        return false;
    }
    if (w->apart) {
        return true;
    }
    if (are_far(c, i, j, w->m)) {
        return false;
    }
    const bool fast = w->m->dx && (is_fast(c, i, w->m) || is_fast(c, j, w->m));
    if (fast && !overlap_in_time(c, (tdi_near_pair){i, j}, w->m, c->opts.gap)) {
        *dropped = true;
        return false;
    }
    return true;
}

// ---- colliders ------------------------------------------------------------------------------

// A lower bound, over the step, of the height of a box over a plane.
static td_real height_over(const td_collider *plane, const tdi_collider_motion *course,
                           const tdi_bounds *b) {
    const td_vec3 n = tdi_quat_rotate(tdi_quat_unit(plane->rotation0), tdi_vec3(0, 1, 0));
    const td_vec3 half = tdi_scale(tdi_sub(b->high, b->low), 0.5);
    const td_vec3 from = tdi_sub(tdi_add(b->low, half), plane->position0);
    td_real reach = fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z;
    td_real height = tdi_dot(n, from) - reach, sunk = tdi_dot(n, course->shift);
    if (course->angle > 0) {
        td_real shift = tdi_norm(course->shift);
        return height - shift - course->angle * (tdi_norm(from) + tdi_norm(half) + shift);
    }
    return height - tdi_greater(0, sunk);
}

// Whether a box comes near the ground of a height field in the step.
static bool near_ground(const td_collider *k, const tdi_collider_motion *course,
                        const tdi_bounds *b) {
    const td_quat turn = tdi_quat_conj(tdi_quat_unit(k->rotation0));
    const td_vec3 half = tdi_scale(tdi_sub(b->high, b->low), 0.5);
    const td_vec3 from = tdi_sub(tdi_add(b->low, half), k->position0);
    const td_vec3 at = tdi_quat_rotate(turn, from);
    const td_real shift = tdi_norm(course->shift), size = tdi_norm(half);
    const td_real reach = size + shift + course->angle * (tdi_norm(from) + size + shift);
    return at.y - reach <= tdi_height_field_most(k->field, at, reach);
}

static bool find_colliders(tdi_contacts *c) {
    int32_t count = c->pairs.count;
    for (int32_t i = 0; i < c->capsule_count && c->colliders.count > 0; i++) {
        if ((c->inactive.partial && c->inactive.is_inactive[i]) || c->capsule[i].from >= 1) {
            continue;
        }
        // colliders' boxes have no share of the range
        const tdi_bounds b =
            widened(&c->broad.collider_box[i], 0.5 * c->opts.gap * c->capsule[i].radius);
        for (int32_t k = 0; k < c->colliders.count; k++) {
            const td_collider *other = &c->colliders.item[k];
            bool near = other->kind == TD_COLLIDER_PLANE
                            ? height_over(other, &c->colliders.course[k], &b) <= 0
                        : other->kind == TD_COLLIDER_HEIGHT_FIELD
                            ? near_ground(other, &c->colliders.course[k], &b)
                            : tdi_overlap(&b, &c->colliders.swept[k]);
            near = near && !(c->skip && c->skip(c->context, i, c->capsule_count + k));
            if (near && count == c->limits.pairs) {
                return false;
            }
            if (near && count < c->limits.capacity.pairs) {
                c->pairs.item[count] = (tdi_near_pair){i, c->capsule_count + k};
            }
            count += near;
        }
    }
    c->pairs.count = count < c->limits.capacity.pairs ? count : c->limits.capacity.pairs;
    return !tdi_lacks_pairs(c, count);
}

// ---- entry ----------------------------------------------------------------------------------

bool tdi_contacts_full(const tdi_contacts *c) {
    return c->limits.exceeded;
}

// Half more than was needed, so that it seldom grows.
bool tdi_contacts_lack(const tdi_contacts *c, tdi_contact_room *more) {
    const tdi_contact_room need = c->limits.need, room = c->limits.capacity;
    more->pairs = need.pairs > room.pairs ? need.pairs - room.pairs + need.pairs / 2 : 0;
    more->contacts =
        need.contacts > room.contacts ? need.contacts - room.contacts + need.contacts / 2 : 0;
    return more->pairs > 0 || more->contacts > 0;
}

static td_status too_many(tdi_contacts *c, td_diag *diag) {
    const bool lacks = c->limits.need.pairs > c->limits.capacity.pairs;
    c->limits.exceeded = c->limits.exceeded || !lacks;
    return tdi_fail(diag, TD_ERR_LIMIT,
                    "more than %d pairs of capsules and colliders are near each other",
                    lacks ? c->limits.capacity.pairs : c->limits.pairs);
}

bool tdi_contacts_come_near(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                            const td_vec3 *dx, td_real gap) {
    const tdi_search_motion m = {.x = x, .dx = dx, .mean = c->broad.motion};
    return overlap_in_time(c, pair, &m, gap);
}

td_status tdi_contacts_find(tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx, td_diag *diag) {
    c->limits.exceeded = false;
    const tdi_search_motion m =
        c->inactive.fixed ? (tdi_search_motion){.x = x, .dx = dx, .center = c->broad.center}
                          : motion_of(c, x, dx);
    c->broad.motion = m.mean;
    if (!c->broad.valid || !still_covered(c, &m)) {
        td_status status = make_boxes(c, &m, diag);
        const tdi_search w = {.c = c, .m = &m};
        bool dropped = false;
        c->inactive.partial = c->inactive.fixed && status == TD_OK;
        make_room(c, &m);
        c->broad.valid = false;
        c->pairs.count = c->pairs.self_count = 0;
        if (status != TD_OK) {
            return status;
        }
        if (c->opts.self && !tdi_grids_find(&w, &dropped)) {
            c->pairs.count = 0;
            return too_many(c, diag);
        }
        c->pairs.self_count = c->pairs.count;
        c->broad.valid = !dropped;
    }
    c->pairs.count = c->pairs.self_count;
    if (!find_colliders(c)) {
        c->pairs.count = c->pairs.self_count;
        return too_many(c, diag);
    }
    if (TDI_ASSERTS) {
        tdi_contacts_validate(c);
    }
    return TD_OK;
}

// ---- groups that move one at a time ---------------------------------------------------------

// Boxes of points around their paths, and boxes of capsules around these.
static td_status make_wide_boxes(tdi_contacts *c, const tdi_search_motion *m, td_diag *diag) {
    const td_vec3 none = {0, 0, 0};
    for (int32_t k = 0; k < c->point_count; k++) {
        const tdi_bounds path = room_of(c, k, m, none);
        c->broad.room[k] = widened(&path, APART * c->broad.margin[k] + ASIDE * tdi_norm(m->dx[k]));
    }
    for (int32_t i = 0; i < c->capsule_count; i++) {
        const tdi_capsule *k = &c->capsule[i];
        tdi_bounds box = c->broad.room[k->a];
        tdi_grow(&box, c->broad.room[k->b].low);
        tdi_grow(&box, c->broad.room[k->b].high);
        box = widened(&box, k->radius * (1 + 0.5 * c->opts.gap));
        if (c->opts.self) {
            c->broad.box[i] = box;
        }
        if (c->limits.colliders > 0) {
            c->broad.collider_box[i] = box;
        }
        if (!placed(c, i, m) || !tdi_finite3(tdi_sub(box.high, box.low))) {
            return not_finite(i, diag);
        }
    }
    return TD_OK;
}

td_status tdi_contacts_find_independent(tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                        td_diag *diag) {
    const tdi_search_motion m = {.x = x, .dx = dx};
    const tdi_search w = {.c = c, .m = &m, .apart = true};
    bool dropped = false;
    const td_status status = make_wide_boxes(c, &m, diag);
    c->broad.valid = c->inactive.partial = false;
    c->pairs.count = c->pairs.self_count = 0;
    if (status != TD_OK) {
        return status;
    }
    bool fits = !c->opts.self || tdi_grids_find(&w, &dropped);
    c->pairs.self_count = c->pairs.count;
    fits = fits && find_colliders(c);
    return fits ? TD_OK : too_many(c, diag);
}

td_real tdi_contacts_part_in_box(const tdi_contacts *c, int32_t point, td_vec3 x, td_vec3 dx) {
    const tdi_bounds *b = &c->broad.room[point];
    const td_real at[3] = {x.x, x.y, x.z}, move[3] = {dx.x, dx.y, dx.z},
                  low[3] = {b->low.x, b->low.y, b->low.z},
                  high[3] = {b->high.x, b->high.y, b->high.z};
    td_real part = 1;
    for (int k = 0; k < 3; k++) {
        const td_real room = move[k] > 0 ? high[k] - at[k] : at[k] - low[k];
        part = part * fabs(move[k]) > room ? tdi_greater(room, 0) / fabs(move[k]) : part;
    }
    return part;
}
