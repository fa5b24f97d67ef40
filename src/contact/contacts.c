// SPDX-License-Identifier: MIT
// Making contacts, their colliders, and pairs opened up.

#include "contact/contact_set.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>

#define PAIRS_MORE  64
#define PAIRS_LIMIT (1 << 28)
#define BLUNT       0.2 // a gap is too small by a twentieth of its range at most

// ---- making and freeing ---------------------------------------------------------------------

static td_status check_capsules(const tdi_contacts_def *def, td_diag *diag) {
    if (def->capsule_count < 1 || def->point_count < 1 || def->collider_limit < 0 ||
        def->pair_limit < 0 || def->pair_limit > PAIRS_LIMIT ||
        def->capsule_count > (PAIRS_LIMIT - PAIRS_MORE) / def->opts->pairs) {
        return tdi_fail(
            diag, TD_ERR_ARGUMENT,
            "capsule_count is %d, point_count %d, collider_limit %d, pair_limit %d; counts must be "
            "above 0, limits at least 0, and none too large",
            (int)def->capsule_count, (int)def->point_count, (int)def->collider_limit,
            (int)def->pair_limit);
    }
    for (int32_t i = 0; i < def->capsule_count; i++) {
        const tdi_capsule *k = &def->capsule[i];
        bool points = k->a >= 0 && k->a < def->point_count && k->b >= 0 && k->b < def->point_count;
        if (!points || !(k->radius > 0 && isfinite(k->radius))) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "capsule %d: %s", i,
                               points ? "the radius must be above 0"
                                      : "its points must be among those given");
        }
    }
    return TD_OK;
}

// More bytes than all arrays take, as a real so that nothing can overflow.
static td_real bytes_for(const tdi_contacts *c) {
    const size_t pair = 3 * sizeof *c->pairs.item + sizeof *c->friction + 2 * sizeof *c->contact +
                        2 * sizeof *c->planes.item;
    const size_t capsule = sizeof *c->capsule + 2 * sizeof *c->broad.box +
                           64 * sizeof *c->broad.entry + sizeof *c->turns.item +
                           sizeof *c->turns.is_turning + sizeof *c->range_part;
    const size_t collider = sizeof *c->colliders.item + sizeof *c->colliders.course +
                            sizeof *c->colliders.swept + sizeof *c->colliders.pose;
    const size_t point = 2 * sizeof *c->broad.room + sizeof *c->broad.margin;
    return (td_real)pair * (c->limits.pairs + 2.0) + (td_real)capsule * (c->capsule_count + 1.0) +
           (td_real)point * (c->point_count + 1.0) + (td_real)collider * c->limits.colliders + 4096;
}

// Places all arrays; with layout->base NULL this only adds up their size. First what every step
// reads, then lists of which a step uses the beginning, then what only a new search needs: so that
// sets of many islands share few pages.
static void lay_out(tdi_contacts *c, tdi_layout *l) {
    const size_t n = (size_t)c->capsule_count, colliders = (size_t)c->limits.colliders;
    const size_t pairs = (size_t)c->limits.capacity.pairs,
                 contacts = (size_t)c->limits.capacity.contacts;
    const size_t points = (size_t)c->point_count, list = (size_t)c->limits.list;
    const size_t frictions = (size_t)c->limits.frictions, searched = c->opts.self ? n : 0;
    const bool exact = c->opts.method == TD_CONTACT_EXACT;
    c->capsule = tdi_layout_place(l, n, sizeof *c->capsule);
    c->range_part = tdi_layout_place(l, n, sizeof *c->range_part);
    c->turns.item = tdi_layout_place(l, n, sizeof *c->turns.item);
    c->turns.is_turning = tdi_layout_place(l, n, sizeof *c->turns.is_turning);
    c->broad.room = tdi_layout_place(l, points, sizeof *c->broad.room);
    c->broad.room_reach =
        tdi_layout_place(l, colliders > 0 ? points : 0, sizeof *c->broad.room_reach);
    c->colliders.item = tdi_layout_place(l, colliders, sizeof *c->colliders.item);
    c->colliders.course = tdi_layout_place(l, colliders, sizeof *c->colliders.course);
    c->colliders.swept = tdi_layout_place(l, colliders, sizeof *c->colliders.swept);
    c->colliders.pose = tdi_layout_place(l, colliders, sizeof *c->colliders.pose);
    c->colliders.pose_time = tdi_layout_place(l, 1, sizeof *c->colliders.pose_time);
    c->pairs.item = tdi_layout_place(l, pairs, sizeof *c->pairs.item);
    c->pairs.point_count = tdi_layout_place(l, pairs, sizeof *c->pairs.point_count);
    c->contact = tdi_layout_place(l, list, sizeof *c->contact);
    c->friction = tdi_layout_place(l, frictions, sizeof *c->friction);
    c->planes.item = tdi_layout_place(l, exact ? contacts : 0, sizeof *c->planes.item);
    c->planes.spare = tdi_layout_place(l, exact ? contacts : 0, sizeof *c->planes.spare);
    c->broad.margin = tdi_layout_place(l, points, sizeof *c->broad.margin);
    c->broad.box = tdi_layout_place(l, searched, sizeof *c->broad.box);
    c->broad.collider_box =
        tdi_layout_place(l, colliders > 0 ? n : 0, sizeof *c->broad.collider_box);
    c->broad.level = tdi_layout_place(l, searched, sizeof *c->broad.level);
    c->broad.bucket =
        tdi_layout_place(l, (size_t)c->broad.bucket_count + 1, sizeof *c->broad.bucket);
    c->broad.bucket_of = tdi_layout_place(l, n, sizeof *c->broad.bucket_of);
    c->broad.entry = tdi_layout_place(l, n, sizeof *c->broad.entry);
    c->broad.tally = tdi_layout_place(l, n + 1, sizeof *c->broad.tally);
    c->broad.found =
        tdi_layout_place(l, TDI_PAIR_BLOCK * (size_t)c->limits.blocks, sizeof *c->broad.found);
    tdi_group_list *lists[] = {&c->groups.pairs, &c->groups.frictions, &c->groups.contacts};
    const size_t most[] = {pairs, frictions, list};
    for (int k = 0; k < 3; k++) { // groups are no more than capsules
        lists[k]->first = tdi_layout_place(l, n + 2, sizeof *lists[k]->first);
        lists[k]->entry = tdi_layout_place(l, 2 * most[k], sizeof *lists[k]->entry);
    }
}

// All but the arrays.
static tdi_contacts sized(const tdi_contacts_def *def) {
    tdi_contacts c = {.opts = *def->opts,
                      .skip = def->skip,
                      .context = def->context,
                      .capsule_count = def->capsule_count,
                      .point_count = def->point_count,
                      .limits.colliders = def->collider_limit,
                      .broad.bucket_count = 16,
                      .groups.current = TD_NONE,
                      .colliders.dt = 1};
    c.limits.pairs =
        def->pair_limit > 0 ? def->pair_limit : def->opts->pairs * def->capsule_count + PAIRS_MORE;
    c.limits.contacts = (c.limits.pairs + 1) / 2;
    c.limits.capacity = (tdi_contact_room){c.limits.pairs, c.limits.contacts};
    if (def->room) {
        c.limits.capacity.pairs =
            def->room->pairs < c.limits.pairs ? def->room->pairs : c.limits.pairs;
        c.limits.capacity.contacts =
            def->room->contacts < c.limits.contacts ? def->room->contacts : c.limits.contacts;
    }
    c.limits.frictions = c.opts.method == TD_CONTACT_EXACT ? 0 : 2 * c.limits.capacity.contacts;
    // planes have friction themselves, and each has rolling resistance besides
    c.limits.list = (c.opts.method == TD_CONTACT_EXACT ? 2 : 3) * c.limits.capacity.contacts;
    c.limits.blocks = c.limits.capacity.pairs / TDI_PAIR_BLOCK + 1 + tdi_turns_of(c.capsule_count);
    while (c.opts.self && c.broad.bucket_count < 4 * c.capsule_count) {
        c.broad.bucket_count *= 2;
    }
    return c;
}

size_t tdi_contacts_bytes(const tdi_contacts_def *def) {
    tdi_contacts c = sized(def);
    tdi_layout measure = {NULL, 0};
    tdi_layout_place(&measure, 1, sizeof c);
    lay_out(&c, &measure);
    return measure.used;
}

// Points of no capsule may be anywhere.
static void measure_spare_room(tdi_contacts *c) {
    for (int32_t k = 0; k < c->point_count; k++) {
        c->broad.margin[k] = INFINITY;
    }
    for (int32_t i = 0; i < c->capsule_count; i++) {
        const tdi_capsule *k = &c->capsule[i];
        const td_real spare = TDI_BOX_MARGIN * k->radius;
        c->broad.margin[k->a] = fmin(c->broad.margin[k->a], spare);
        c->broad.margin[k->b] = fmin(c->broad.margin[k->b], spare);
    }
}

tdi_contacts *tdi_contacts_place(const tdi_contacts_def *def, void *memory) {
    tdi_contacts c = sized(def);
    tdi_layout place = {memory, 0};
    tdi_contacts *made = tdi_layout_place(&place, 1, sizeof c);
    lay_out(&c, &place);
    c.size = place.used;
    *made = c;
    memcpy(made->capsule, def->capsule, (size_t)c.capsule_count * sizeof *c.capsule);
    *made->colliders.pose_time = NAN;
    memset(made->turns.is_turning, 0, (size_t)c.capsule_count * sizeof *c.turns.is_turning);
    measure_spare_room(made);
    for (int32_t i = 0; i < c.capsule_count; i++) {
        made->range_part[i] = 1;
    }
    return made;
}

td_status tdi_contacts_new(const tdi_contacts_def *def, const td_alloc *alloc, tdi_contacts **out,
                           td_diag *diag) {
    *out = NULL;
    TDI_TRY(td_contact_opts_check(def->opts, diag));
    TDI_TRY(check_capsules(def, diag));
    const tdi_contacts c = sized(def);
    if (!(bytes_for(&c) < (td_real)SIZE_MAX / 2)) {
        return tdi_fail(diag, TD_ERR_LIMIT, "%d capsules are too many for contact",
                        c.capsule_count);
    }
    // most of it is room that is seldom used, so it is not cleared
    void *memory = tdi_alloc_resize(alloc, NULL, 0, tdi_contacts_bytes(def));
    if (!memory) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contacts of %d capsules",
                        c.capsule_count);
    }
    *out = tdi_contacts_place(def, memory);
    (*out)->alloc = alloc;
    return TD_OK;
}

const td_collider *tdi_contacts_collider(const tdi_contacts *c, int32_t k) {
    return &c->colliders.item[k];
}

void tdi_contacts_share(tdi_contacts *c, td_pool *pool) {
    c->pool = pool;
}

const tdi_near_pair *tdi_contacts_pairs(const tdi_contacts *c, int32_t *count) {
    *count = c->pairs.self_count;
    return c->pairs.item;
}

void tdi_contacts_free(tdi_contacts *c) {
    if (c) {
        tdi_alloc_free(c->alloc, c, c->size);
    }
}

const tdi_contact *tdi_contacts_list(const tdi_contacts *c, int32_t *count) {
    *count = c->contact_count;
    return c->contact;
}

void tdi_contacts_forget(tdi_contacts *c) {
    c->contact_count = 0;
}

bool tdi_contacts_append(tdi_contacts *c, const tdi_contact *more) {
    if (c->contact_count == c->limits.list) {
        const int32_t room = c->limits.capacity.contacts;
        c->limits.exceeded = c->limits.exceeded || room == c->limits.contacts;
        tdi_lacks_contacts(c, (int64_t)room + 1);
        return false;
    }
    c->contact[c->contact_count++] = *more;
    return true;
}

// Pairs of two that stood are not known.
static void forget_partial(tdi_contacts *c) {
    c->broad.valid = c->broad.valid && !c->inactive.partial;
    c->inactive.partial = false;
}

void tdi_contacts_set_inactive(tdi_contacts *c, const bool *resting) {
    c->inactive.is_inactive = resting;
    c->inactive.fixed = false;
    forget_partial(c);
}

void tdi_contacts_set_fixed(tdi_contacts *c, const bool *standing, bool more) {
    c->inactive.is_inactive = standing;
    c->inactive.fixed = true;
    if (!more) {
        c->broad.valid = c->broad.valid && !c->inactive.partial;
    }
}

int32_t tdi_planes_count(const tdi_contacts *c) {
    return c->planes.count;
}

// ---- turns ----------------------------------------------------------------------------------

// Both arms lead to one place, so that friction keeps the angular momentum of the two together.
void tdi_arms_of(const tdi_contacts *c, tdi_near_pair pair, td_real length, td_real arm[2]) {
    const tdi_capsule *i = &c->capsule[pair.i];
    const tdi_capsule *j = pair.j < c->capsule_count ? &c->capsule[pair.j] : NULL;
    const td_real each = j ? length / (i->radius + j->radius) : 1;
    arm[0] = i->turns ? each * i->radius : 0;
    arm[1] = j && j->turns ? each * j->radius : 0;
}

td_real tdi_friction_of(const tdi_contacts *c, int32_t other) {
    return other < c->capsule_count ? c->opts.friction
                                    : c->colliders.item[other - c->capsule_count].friction;
}

td_real tdi_static_of(const tdi_contacts *c, int32_t other) {
    const td_real sticks = other < c->capsule_count
                               ? c->opts.static_friction
                               : c->colliders.item[other - c->capsule_count].static_friction;
    return fmax(sticks, tdi_friction_of(c, other));
}

bool tdi_contacts_stick(const tdi_contacts *c) {
    bool sticks = c->opts.static_friction > c->opts.friction;
    for (int32_t k = 0; k < c->colliders.count; k++) {
        sticks = sticks || c->colliders.item[k].static_friction > c->colliders.item[k].friction;
    }
    return sticks;
}

td_real tdi_rolling_of(const tdi_contacts *c, int32_t other) {
    return other < c->capsule_count ? c->opts.rolling
                                    : c->colliders.item[other - c->capsule_count].rolling;
}

// Curvatures of two round surfaces add up.
void tdi_roll_arms_of(const tdi_contacts *c, tdi_near_pair pair, td_real arm[2]) {
    const tdi_capsule *i = &c->capsule[pair.i];
    const tdi_capsule *j = pair.j < c->capsule_count ? &c->capsule[pair.j] : NULL;
    const td_real each = j ? j->radius / (i->radius + j->radius) : 1;
    const bool resists = tdi_rolling_of(c, pair.j) > 0;
    arm[0] = resists && i->turns ? each * i->radius : 0;
    arm[1] = resists && j && j->turns ? -each * i->radius : 0;
}

td_vec3 tdi_roll_slip(const tdi_contacts *c, const td_real arm[2], td_vec3 n, int32_t other) {
    const int32_t k = other - c->capsule_count;
    return k < 0 ? tdi_vec3(0, 0, 0) : tdi_scale(tdi_cross(n, c->colliders.course[k].turn), arm[0]);
}

void tdi_turning_clear(tdi_contacts *c) {
    for (int32_t k = 0; k < c->turns.count; k++) {
        c->turns.is_turning[c->turns.item[k]] = false;
    }
    c->turns.count = 0;
}

void tdi_turning_add(tdi_contacts *c, const td_real arm[2], int32_t capsule, int32_t other) {
    const int32_t side[2] = {capsule, other};
    for (int a = 0; a < 2; a++) {
        if (arm[a] != 0 && !c->turns.is_turning[side[a]]) {
            c->turns.is_turning[side[a]] = true;
            c->turns.item[c->turns.count++] = side[a];
        }
    }
}

bool tdi_contacts_turns(const tdi_contacts *c, int32_t capsule) {
    return c->turns.is_turning[capsule];
}

// ---- colliders ------------------------------------------------------------------------------

// the rotation vector of a turn by less than half a circle
static td_vec3 turn_of(td_quat from, td_quat to) {
    td_quat q = tdi_quat_unit(tdi_quat_mul(to, tdi_quat_conj(from)));
    td_vec3 v = tdi_vec3(q.x, q.y, q.z);
    td_real sine = tdi_norm(v);
    return sine > 1e-15 ? tdi_scale(v, 2 * atan2(sine, q.w) / sine) : tdi_vec3(0, 0, 0);
}

static tdi_collider_motion course_of(const td_collider *k) {
    tdi_collider_motion course = {tdi_sub(k->position, k->position0),
                                  turn_of(k->rotation0, k->rotation), 0};
    course.angle = tdi_norm(course.turn);
    return course;
}

static td_quat turned_at(const td_collider *k, const tdi_collider_motion *course, td_real time) {
    td_quat q = tdi_quat_unit(k->rotation0);
    if (course->angle > 0) {
        td_vec3 axis = tdi_scale(course->turn, 1 / course->angle);
        q = tdi_quat_mul(tdi_quat_turn(axis, time * course->angle), q);
    }
    return q;
}

// The collider that goes a part of its way.
static td_collider part_of(const td_collider *k, td_real from, td_real to) {
    const tdi_collider_motion course = course_of(k);
    td_collider part = *k;
    if (from > 0) {
        part.position0 = tdi_madd(k->position0, course.shift, from);
        part.rotation0 = turned_at(k, &course, from);
    }
    if (to < 1) {
        part.position = tdi_madd(k->position0, course.shift, to);
        part.rotation = turned_at(k, &course, to);
    }
    return part;
}

tdi_pose tdi_pose_at(const tdi_contacts *c, int32_t collider, td_real time) {
    const td_collider *k = &c->colliders.item[collider];
    const tdi_collider_motion *course = &c->colliders.course[collider];
    return (tdi_pose){tdi_madd(k->position0, course->shift, time),
                      tdi_mat3_from_quat(turned_at(k, course, time))};
}

void tdi_poses_at(const tdi_contacts *c, td_real time) {
    for (int32_t k = 0; k < c->colliders.count && *c->colliders.pose_time != time; k++) {
        c->colliders.pose[k] = tdi_pose_at(c, k, time);
    }
    if (*c->colliders.pose_time != time) {
        *c->colliders.pose_time = time;
    }
}

// half the sides of a box around a collider that does not turn, or of one around all its turns
static td_vec3 extent_of(const td_collider *k, const tdi_collider_motion *course) {
    bool box = k->kind == TD_COLLIDER_BOX;
    td_real radius = box ? 0 : k->radius;
    td_vec3 half = box                              ? tdi_scale(k->sides, 0.5)
                   : k->kind == TD_COLLIDER_CAPSULE ? tdi_vec3(0, 0.5 * k->length, 0)
                                                    : tdi_vec3(0, 0, 0);
    if (course->angle > 0) {
        td_real all = tdi_norm(half) + radius;
        return tdi_vec3(all, all, all);
    }
    const tdi_mat3 r = tdi_mat3_from_quat(tdi_quat_unit(k->rotation0));
    const td_real *m = r.m;
    return tdi_vec3(fabs(m[0]) * half.x + fabs(m[1]) * half.y + fabs(m[2]) * half.z + radius,
                    fabs(m[3]) * half.x + fabs(m[4]) * half.y + fabs(m[5]) * half.z + radius,
                    fabs(m[6]) * half.x + fabs(m[7]) * half.y + fabs(m[8]) * half.z + radius);
}

static tdi_bounds swept_by(const td_collider *k, const tdi_collider_motion *course) {
    const td_vec3 half = extent_of(k, course), p = k->position0, q = k->position;
    tdi_bounds b = {tdi_sub(tdi_vec3(fmin(p.x, q.x), fmin(p.y, q.y), fmin(p.z, q.z)), half),
                    tdi_add(tdi_vec3(fmax(p.x, q.x), fmax(p.y, q.y), fmax(p.z, q.z)), half)};
    return b;
}

static void note_course(tdi_contacts *c, int32_t k) {
    c->colliders.course[k] = course_of(&c->colliders.item[k]);
    c->colliders.swept[k] = swept_by(&c->colliders.item[k], &c->colliders.course[k]);
}

td_status tdi_contacts_colliders(tdi_contacts *c, const td_collider *colliders, int32_t count,
                                 td_real h, td_real from, td_real to, td_diag *diag) {
    if (count > c->limits.colliders) {
        return tdi_fail(diag, TD_ERR_LIMIT, "there are %d colliders; at most %d were announced",
                        count, c->limits.colliders);
    }
    if (!(h > 0 && isfinite(h))) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the colliders' step is %g s; it must be above 0",
                        h);
    }
    TDI_TRY(td_colliders_check(colliders, count, diag));
    c->colliders.dt = h;
    *c->colliders.pose_time = NAN;
    c->colliders.count = count;
    c->pairs.count = c->pairs.self_count; // other pairs may name removed colliders
    c->friction_count = 0;
    for (int32_t k = 0; k < count; k++) {
        c->colliders.item[k] = part_of(&colliders[k], from, to);
        note_course(c, k);
    }
    return TD_OK;
}

void tdi_collider_shift_start(tdi_contacts *c, int32_t collider, td_vec3 by) {
    td_collider *k = &c->colliders.item[collider];
    k->position0 = tdi_add(k->position0, by);
    note_course(c, collider);
    *c->colliders.pose_time = NAN;
}

// ---- pairs ----------------------------------------------------------------------------------

// the same for both of two axes; none when one of them is a point
static inline void blunt(tdi_pair_geometry *m, bool s, bool t) {
    td_real size = BLUNT * m->range * m->radii;
    m->two.blunt_s = s ? size : 0;
    m->two.blunt_t = t ? size : 0;
}

static void open_collider(const tdi_contacts *c, const tdi_capsule *i, int32_t j, const td_vec3 *x,
                          const tdi_pose *pose, tdi_pair_geometry *m) {
    const td_collider *k = &c->colliders.item[j];
    const bool long_axis = !tdi_is_ball(i);
    *m = (tdi_pair_geometry){.radii = i->radius,
                             .range = c->opts.gap * c->range_part[i - c->capsule] * i->radius,
                             .from = i->from,
                             .pose = pose};
    m->two.a = tdi_pose_local(pose, tdi_bare_start(i, x));
    m->two.b = tdi_pose_local(pose, x[i->b]);
    switch (k->kind) {
    case TD_COLLIDER_PLANE: m->two.side = TDI_SIDE_PLANE; break;
    case TD_COLLIDER_HEIGHT_FIELD:
        m->two.side = TDI_SIDE_FIELD;
        m->two.field = k->field;
        break;
    case TD_COLLIDER_BOX:
        m->two.side = TDI_SIDE_BOX;
        m->two.c = tdi_scale(k->sides, 0.5);
        blunt(m, long_axis, false);
        break;
    default: { // a sphere is a capsule without length
        td_real half = k->kind == TD_COLLIDER_CAPSULE ? 0.5 * k->length : 0;
        m->radii += k->radius;
        m->two.c = tdi_vec3(0, -half, 0);
        m->two.d = tdi_vec3(0, half, 0);
        blunt(m, long_axis && half > 0, long_axis && half > 0);
    }
    }
}

void tdi_pair_open(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                   const tdi_pose *pose, tdi_pair_geometry *m) {
    const tdi_capsule *i = &c->capsule[pair.i];
    if (pair.j >= c->capsule_count) {
        open_collider(c, i, pair.j - c->capsule_count, x, pose, m);
        return;
    }
    const tdi_capsule *j = &c->capsule[pair.j];
    const bool long_axes = !tdi_is_ball(i) && !tdi_is_ball(j);
    m->two.side = TDI_SIDE_SEGMENT;
    m->two.a = x[i->a];
    m->two.b = x[i->b];
    m->two.c = x[j->a];
    m->two.d = x[j->b];
    m->radii = i->radius + j->radius;
    m->range = c->opts.gap * fmin(c->range_part[pair.i], c->range_part[pair.j]) *
               (i->radius < j->radius ? i->radius : j->radius);
    m->from = 0;
    m->pose = NULL;
    blunt(m, long_axes, long_axes);
}
