// SPDX-License-Identifier: MIT
// Contact of the bodies of a system: steps, terms, and what readers see of it.
//
// Barrier   its force has the magnitude of the bodies' own forces and grows from step to step while
//           gaps are small: gaps stay open and the condition number stays bounded.
// Way       Continuous collision detection. Points of a rotating body move along arcs. An increment
//           is taken as far as the straight paths of all points to their positions in the new pose
//           are free: then there is a motion to that pose in which nothing intersects.

#include "implicit/newton.h"
#include "implicit/touch.h"

#include "base/diag.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHORTER   0.25 // of a way on which there are too many pairs: all is near on long ways
#define NARROW    0.1  // of the range: gaps below it make the barrier stronger
#define WIDE      0.4  // above it weaker
#define STRONGER  1.1  // a step: more at once would push what lies still
#define WEAKER    0.9
#define STRONGEST 1e6
#define CHANGES   0.1 // s: time in which its force may grow by e^2 as steps become shorter
#define CALM      0.1 // of a force, or of a speed: changes by less than this are small
#define HEAP      12 // members: passing each other in as many is not looked for, as halves cost much
#define SHORT     0.9  // of the gap of what was placed: its range; gaps are blunted by less
#define ROUNDING  1e-6 // of a potential
#define FAINT     0.01 // of the largest force of contact: what is less does not count

// ---- points ---------------------------------------------------------------------------------

// Whether a member stands where it was when it became idle.
static bool stands(const tdi_system *y, int64_t member) {
    return y->touch->standing && tdi_is_idle(y, (int32_t)member);
}

// Each member by itself, on all threads.
typedef struct gathering {
    const tdi_system *y;
    td_vec3 *x;
} gathering;

static void gather_turn(void *context, int64_t k) {
    const gathering *g = context;
    const tdi_member *m = &g->y->member[k];
    tdi_state_positions(m->body, tdi_all_nodes(m->body), false, g->x + g->y->touch->first_point[k]);
}

void tdi_touch_gather(const tdi_system *y, td_vec3 *x) {
    gathering g = {y, x};
    tdi_system_each(y, gather_turn, &g);
}

static void gather_moves_turn(void *context, int64_t k) {
    const gathering *g = context;
    const tdi_system *y = g->y;
    const tdi_touch *t = y->touch;
    const tdi_member *m = &y->member[k];
    const int32_t first = t->first_point[k], count = t->first_point[k + 1] - first;
    const bool idle = tdi_is_idle(y, (int32_t)k);
    if (idle) {
        memset(g->x + first, 0, (size_t)count * sizeof *g->x);
    } else {
        tdi_state_motions(m->body, tdi_nodes(0, count), false, g->x + first);
    }
    for (int32_t i = t->first_capsule[k]; i < t->first_capsule[k + 1]; i++) {
        td_vec3 *turn = &g->x[t->point_count + i];
        if (tdi_contacts_turns(t->set, i)) {
            *turn = tdi_vec3(0, 0, 0);
        }
        if (tdi_contacts_turns(t->set, i) && !idle) {
            tdi_state_motions(m->body, tdi_rotation_of(i - t->first_capsule[k]), false, turn);
        }
    }
}

void tdi_touch_gather_moves(const tdi_system *y, td_vec3 *dx) {
    gathering g = {y, dx};
    tdi_system_each(y, gather_moves_turn, &g);
}

void tdi_touch_spins(const tdi_touch *t, const tdi_system *y, int32_t member, td_real h) {
    const tdi_member *m = &y->member[member];
    const int32_t first = t->first_capsule[member], last = t->first_capsule[member + 1];
    for (int32_t i = first; tdi_state_offers(m->body, TDI_POINT_ROTATION) && i < last; i++) {
        tdi_state_velocities(m->body, tdi_rotation_of(i - first), &t->turning[i]);
        t->turning[i] = tdi_scale(t->turning[i], h);
    }
}

void tdi_touch_gather_of(const tdi_system *y, int32_t member) {
    const tdi_touch *t = y->touch;
    const tdi_member *m = &y->member[member];
    tdi_state_positions(m->body, tdi_all_nodes(m->body), false, t->now + t->first_point[member]);
    const int32_t first = t->first_capsule[member], last = t->first_capsule[member + 1];
    for (int32_t i = first; t->rule.h > 0 && i < last; i++) {
        if (tdi_contacts_turns(t->set, i)) {
            tdi_state_positions(m->body, tdi_rotation_of(i - first), false, &t->turned[i]);
        }
    }
}

static void gather_pose_turn(void *context, int64_t k) {
    const tdi_system *y = context;
    if (!stands(y, k)) {
        tdi_touch_gather_of(y, (int32_t)k);
    }
}

void tdi_touch_gather_pose(const tdi_system *y) {
    tdi_system_each(y, gather_pose_turn, (void *)y);
}

// ---- messages -------------------------------------------------------------------------------

void tdi_system_collider_text(const tdi_system *y, int32_t k, char text[TDI_COLLIDER_TEXT]) {
    const tdi_collider_label listed = {NULL, k};
    tdi_collider_text(&y->colliders[k], y->labels ? y->labels[k] : listed, text);
}

// "segment 3", or "segment 3 of 'vine'", or "collider 2 (sphere)"
static void name_side(const tdi_touch *t, const tdi_system *y, int32_t which, char text[96]) {
    if (which >= t->capsule_count) {
        tdi_system_collider_text(y, which - t->capsule_count, text);
        return;
    }
    const char *name = y->member[t->owner[which]].name;
    if (name) {
        snprintf(text, 96, "segment %d of '%.60s'", (int)t->segment[which], name);
    } else if (y->count > 1) {
        snprintf(text, 96, "segment %d of body %d", (int)t->segment[which], (int)t->owner[which]);
    } else {
        snprintf(text, 96, "segment %d", (int)t->segment[which]);
    }
}

static td_status in_each_other(const tdi_touch *t, const tdi_system *y, const int32_t which[2],
                               td_real depth, const char *when, td_diag *diag) {
    char one[96], other[96];
    name_side(t, y, which[0], one);
    name_side(t, y, which[1], other);
    return tdi_fail_at(diag, TD_ERR_DIVERGED, t->segment[which[0]],
                       "%s and %s overlap%s, by %.3g m", one, other, when, depth);
}

// An increment led them into each other, or its numbers are not finite.
static td_status met_inside(const tdi_touch *t, const tdi_system *y, td_diag *diag) {
    int32_t which[2];
    const td_real least = tdi_contacts_least(t->set, t->now, t->time, which);
    return which[0] == TD_NONE ? tdi_fail(diag, TD_ERR_DIVERGED, "a place is not finite")
                               : in_each_other(t, y, which, -least, "", diag);
}

void tdi_touch_tightest(const tdi_touch *t, const tdi_system *y, char text[TDI_TIGHTEST]) {
    char one[96], other[96];
    int32_t which[2];
    tdi_contacts_least(t->set, t->x, t->time, which);
    text[0] = '\0';
    if (which[0] != TD_NONE) {
        name_side(t, y, which[0], one);
        name_side(t, y, which[1], other);
        snprintf(text, TDI_TIGHTEST, ", most of all %s and %s", one, other);
    }
}

// ---- steps ----------------------------------------------------------------------------------

// The same for all members of a system: what is weaker than at the end of the last step would let
// them sink into each other.
static td_real strength_of(const tdi_touch *t) {
    td_real most = 1;
    for (int32_t k = 0; k < t->member_count; k++) {
        most = fmax(most, t->barrier[k].strength);
    }
    return most;
}

// The time of which the barrier's force is made: h of BDF2, in backward Euler too, since a force
// that changes from step to step does work. With a suddenly shorter step it falls slowly, or the
// barrier would throw what rests on it.
static td_real pace_of(const tdi_touch *t, td_real dt) {
    td_real pace = 2 * dt / 3;
    for (int32_t k = 0; k < t->member_count; k++) {
        const tdi_barrier *b = &t->barrier[k];
        pace = b->stored > 0 ? fmax(pace, b->pace / (1 + dt / CHANGES)) : pace;
    }
    return pace;
}

static td_real own_force(const tdi_touch *t, const tdi_system *y, td_real h) {
    td_real sum = 0;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        int32_t capsules = t->first_capsule[k + 1] - t->first_capsule[k];
        sum += capsules > 0 ? capsules * m->body->ops->force(m->body, m->opts, t->opts.gap, h) : 0;
    }
    return sum > 0 ? sum / t->capsule_count : 1;
}

static bool same(td_vec3 a, td_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool tdi_touch_driven(const tdi_system *y) {
    bool moves = false;
    for (int32_t k = 0; k < y->count && !moves; k++) {
        const tdi_member *m = &y->member[k];
        moves = m->body->ops->driven && m->body->ops->driven(m->body);
    }
    for (int32_t k = 0; k < y->collider_count && !moves; k++) {
        const td_collider *d = &y->colliders[k];
        td_quat p = d->rotation0, q = d->rotation;
        moves = !same(d->position0, d->position) || p.w != q.w || p.x != q.x || p.y != q.y ||
                p.z != q.z;
    }
    return moves;
}

// The barrier's force when the last step ended: gaps are in balance with it. One of another step's
// length would give friction another normal force.
static td_real last_force(const tdi_touch *t, const tdi_system *y) {
    td_real pace = 0;
    for (int32_t k = 0; k < t->member_count; k++) {
        pace = t->barrier[k].stored > 0 ? fmax(pace, t->barrier[k].pace) : pace;
    }
    return pace > 0 ? strength_of(t) * own_force(t, y, pace) : t->rule.force;
}

// Friction of the barrier; where some sticks harder than it slides, by how all moves.
static td_status lag(tdi_touch *t, const tdi_system *y, td_diag *diag) {
    const tdi_contact_speeds speeds = {t->moved, t->turning};
    const bool sticks = tdi_contacts_stick(t->set);
    for (int32_t k = 0; sticks && k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        tdi_state_velocities(m->body, tdi_all_nodes(m->body), t->moved + t->first_point[k]);
        tdi_touch_spins(t, y, k, 1);
    }
    return tdi_contacts_lag(t->set, t->x, 0, last_force(t, y), t->rule.h, sticks ? &speeds : NULL,
                            diag);
}

// The range in which a gap is the one that contact keeps, or is just outside.
static td_real reach_within(const tdi_touch *t, td_real gap) {
    return t->exact ? gap / TDI_PLANE_GAP : SHORT * gap;
}

// What is placed within the range of something must not be thrown: its range ends before that,
// unless the barrier has no more potential than when the last step ended.
static void begin_reach(tdi_touch *t) {
    bool placed = false;
    for (int32_t k = 0; k < t->member_count; k++) {
        t->reach[k] = fabs(t->barrier[k].reach);
        placed = placed || t->barrier[k].reach < 0;
    }
    tdi_contacts_reach(t->set, t->owner, t->reach);
    if (!placed) {
        return;
    }
    tdi_contacts_rooms(t->set, t->x, 0, t->owner, t->member_count, t->free, t->potential);
    for (int32_t k = 0; k < t->member_count; k++) {
        const tdi_barrier *b = &t->barrier[k];
        const bool more = b->reach < 0 && t->potential[k] > b->stored * (1 + ROUNDING);
        if (more && t->free[k] > 0) {
            t->reach[k] = fmin(t->reach[k], reach_within(t, t->free[k]));
        }
    }
    tdi_contacts_reach(t->set, t->owner, t->reach);
}

// Members that have moved away regain their range, up to the least gap. Nothing is within the
// added range, so this does no work.
static void end_reach(tdi_touch *t) {
    tdi_contacts_rooms(t->set, t->now, 1, t->owner, t->member_count, t->free, t->potential);
    for (int32_t k = 0; k < t->member_count; k++) {
        t->barrier[k].reach = fmax(t->reach[k], fmin(1, reach_within(t, t->free[k])));
        t->barrier[k].stored = t->potential[k];
    }
}

td_status tdi_touch_begin(tdi_touch *t, const tdi_system *y, td_real dt, td_real h, td_real from,
                          td_real to, td_diag *diag) {
    int32_t which[2];
    t->pace = h > 0 ? pace_of(t, dt) : 0;
    t->own = own_force(t, y, t->pace);
    t->rule = (tdi_contact_rule){
        .force = strength_of(t) * t->own, .history = t->history, .turned = t->turned, .h = h};
    t->exact = t->opts.method == TD_CONTACT_EXACT && h > 0;
    t->time = h > 0 && !t->exact && tdi_touch_driven(y) ? 0 : 1;
    t->coupled = t->looked = t->passed = false;
    t->overlaps = TD_NONE;
    tdi_contacts_share(t->set, y->pool);
    tdi_touch_gather(y, t->x);
    memcpy(t->began, t->x, (size_t)t->point_count * sizeof *t->x);
    for (int32_t k = 0; h > 0 && k < y->count; k++) {
        const td_body *body = y->member[k].body;
        tdi_state_positions(body, tdi_all_nodes(body), true, t->history + t->first_point[k]);
    }
    td_status status =
        tdi_contacts_colliders(t->set, y->colliders, y->collider_count, dt, from, to, diag);
    status = status == TD_OK ? tdi_contacts_find(t->set, t->x, NULL, diag) : status;
    if (status != TD_OK) {
        return status;
    }
    if (h > 0) {
        begin_reach(t);
    } else {
        tdi_contacts_reach(t->set, t->owner, NULL);
    }
    td_real least = tdi_contacts_least(t->set, t->x, 0, which);
    if (which[0] != TD_NONE && !(least > 0)) {
        t->overlaps = t->owner[which[0]];
        return in_each_other(t, y, which, -least, " at the start of the step", diag);
    }
    return h > 0 && !t->exact ? lag(t, y, diag) : TD_OK;
}

void tdi_touch_end(tdi_touch *t, const tdi_system *y) {
    tdi_touch_evaluate(t, y, false, false, NULL); // for those who ask for contacts
    if (t->exact) {
        tdi_exact_leave(t, y);
        end_reach(t);
        tdi_planes_measure(t->set, t->now, t->planes.impact);
        return;
    }
    const td_real room = tdi_touch_room(t, 1),
                  change = room < NARROW ? STRONGER
                           : room > WIDE ? WEAKER
                                         : 1,
                  strength = room < 1 ? fmin(fmax(change * strength_of(t), 1), STRONGEST) : 1;
    if (t->rule.h > 0) {
        end_reach(t);
    }
    for (int32_t k = 0; k < t->member_count; k++) {
        t->barrier[k].strength = strength;
        t->barrier[k].pace = t->pace;
    }
}

static void keep_turn(void *context, int64_t k) {
    const tdi_system *y = context;
    const tdi_touch *t = y->touch;
    const tdi_member *m = &y->member[k];
    const int32_t first = t->first_point[k], count = t->first_point[k + 1] - first;
    if (stands(y, k)) {
        return;
    }
    tdi_state_positions(m->body, tdi_nodes(0, count), false, t->x + first);
    memcpy(t->now + first, t->x + first, (size_t)count * sizeof *t->x);
    if (!tdi_is_idle(y, (int32_t)k)) {
        tdi_state_keep(m->body);
    }
}

void tdi_touch_keep(const tdi_system *y) {
    tdi_system_each(y, keep_turn, (void *)y);
}

static void look_turn(void *context, int64_t k) {
    const tdi_system *y = context;
    const tdi_touch *t = y->touch;
    const td_body *body = y->member[k].body;
    if (stands(y, k)) {
        return;
    }
    tdi_state_positions(body, tdi_all_nodes(body), false, t->now + t->first_point[k]);
    for (int32_t p = t->first_point[k]; p < t->first_point[k + 1]; p++) {
        t->dx[p] = tdi_sub(t->now[p], t->x[p]);
    }
}

// Finds what is near on the way to the poses. False: there is too much.
static bool look(tdi_touch *t, const tdi_system *y) {
    tdi_system_each(y, look_turn, (void *)y);
    t->looked = tdi_contacts_find(t->set, t->x, t->dx, NULL) == TD_OK;
    return t->looked;
}

td_real tdi_touch_way(tdi_touch *t, const tdi_system *y, td_real time) {
    return look(t, y) ? tdi_contacts_filter(t->set, t->x, t->dx, t->time, time) : SHORTER;
}

td_real tdi_touch_gently(const tdi_touch *t) {
    return tdi_contacts_filter_gently(t->set, t->x, t->dx, t->time);
}

td_real tdi_touch_try(tdi_touch *t, const tdi_system *y) {
    return look(t, y) ? tdi_touch_gently(t) : SHORTER;
}

bool tdi_touch_ways(tdi_touch *t, const tdi_system *y, bool gently) {
    const bool few = look(t, y);
    bool all = few;
    for (int32_t k = 0; k < y->count; k++) {
        t->free[k] = few || tdi_is_idle(y, k) ? 1 : SHORTER;
    }
    const bool known =
        few && tdi_contacts_filter_groups(t->set, t->x, t->dx, t->time, gently, t->owner, t->free);
    if (few && !known && t->idle_count == 0) {
        const td_real part = tdi_contacts_filter(t->set, t->x, t->dx, t->time, t->time);
        for (int32_t k = 0; k < y->count; k++) {
            t->free[k] = part;
        }
    }
    for (int32_t k = 0; k < y->count; k++) {
        all = all && t->free[k] >= 1;
    }
    return all;
}

bool tdi_touch_passed(tdi_touch *t, const tdi_system *y) {
    if (t->exact) {
        return false;
    }
    memcpy(t->x, t->began, (size_t)t->point_count * sizeof *t->x);
    return look(t, y) && tdi_contacts_passed(t->set, t->x, t->dx, y->count < HEAP);
}

td_real tdi_touch_room(const tdi_touch *t, td_real time) {
    int32_t which[2];
    td_real least = tdi_contacts_least(t->set, t->now, time, which);
    if (which[0] == TD_NONE) {
        return 1;
    }
    td_real radius = t->radius[which[0]], reach = fabs(t->reach[t->owner[which[0]]]);
    if (which[1] < t->capsule_count) {
        radius = fmin(radius, t->radius[which[1]]);
        reach = fmin(reach, fabs(t->reach[t->owner[which[1]]]));
    }
    return least / (t->opts.gap * (t->rule.h > 0 ? reach : 1) * radius);
}

// ---- terms ----------------------------------------------------------------------------------

td_status tdi_touch_evaluate(tdi_touch *t, const tdi_system *y, bool exact, bool carry,
                             td_diag *diag) {
    int32_t count;
    tdi_touch_gather_pose(y);
    t->rule.ahead = carry ? 1 - t->time : 0;
    t->rule.exact = exact;
    td_status status =
        t->exact || t->looked ? TD_OK : tdi_contacts_find(t->set, t->now, NULL, diag);
    if (t->exact) {
        t->energy = tdi_planes_evaluate(t->set, (tdi_plane_pose){t->now, t->turned});
    } else if (status == TD_OK) {
        status = tdi_contacts_evaluate(t->set, t->now, t->time, &t->rule, &t->energy, diag);
        status = status == TD_ERR_DIVERGED ? met_inside(t, y, diag) : status;
    }
    t->coupled = false;
    t->largest = 0;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; status == TD_OK && k < count; k++) {
        t->coupled = t->coupled || tdi_touch_couples(t, &list[k]);
        t->largest = fmax(t->largest, tdi_norm(list[k].force));
    }
    t->lacks = t->lacks || (t->coupled && !t->couples);
    return t->lacks ? tdi_touch_no_room(t, diag) : status;
}

bool tdi_touch_any(const tdi_touch *t) {
    int32_t count;
    tdi_contacts_list(t->set, &count);
    return count > 0;
}

// While what is driven has a way to go, most of the force is that of motion to come: it has no
// lever arms yet.
static tdi_levers levers_of(const tdi_touch *t) {
    return t->rule.ahead > 0 ? TDI_LEVERS_NONE : TDI_LEVERS_ALL;
}

// Rolling resistance acts on rotations alone: with a the arm along the normal, the surface slips by
// a x w of the rotation w.
static void add_rolling(td_body *body, const tdi_contact_side *side) {
    const td_vec3 arm = tdi_scale(side->normal, side->arm);
    const tdi_mat3 across = tdi_mat3_cross(arm);
    const td_sym3 hessian = tdi_sym3_turn(&across, &side->hessian);
    const tdi_point point = {.kind = TDI_POINT_ROTATION, .segment = side->capsule};
    body->ops->add_stiffness(body, &point, tdi_cross(side->force, arm), &hessian, side->levers);
}

// The first or the second side of a contact, in the numbers of its body.
static tdi_contact_side side_of(const tdi_touch *t, const tdi_contact *c, int second) {
    const int32_t capsule = second ? c->other : c->capsule, k = t->owner[capsule];
    const td_real sign = second ? -1 : 1;
    tdi_contact_side side = {
        .capsule = capsule - t->first_capsule[k],
        .normal = tdi_scale(c->normal, sign),
        .force = tdi_scale(c->force, sign),
        .hessian = c->hessian,
        .tilt = {c->tilt[second ? 2 : 0], c->tilt[1], c->tilt[second ? 0 : 2]},
        .slide = {tdi_scale(c->slide[second], sign), tdi_scale(c->slide[1 - second], sign)},
        .arm = c->arm[second],
        .levers = levers_of(t)};
    for (int e = 0; e < 2; e++) {
        side.point[e] = c->point[2 * second + e] - t->first_point[k];
        side.weight[e] = sign * c->weight[2 * second + e];
    }
    return side;
}

// One side of a contact, if it is that of a member.
static void add_side(const tdi_system *y, const tdi_contact *c, int second, int32_t member) {
    const tdi_touch *t = y->touch;
    const int32_t capsule = second ? c->other : c->capsule;
    if (capsule < t->capsule_count && t->owner[capsule] == member) {
        const tdi_contact_side side = side_of(t, c, second);
        td_body *body = y->member[member].body;
        if (c->rolling) {
            add_rolling(body, &side);
        } else {
            body->ops->add_contact(body, &side);
        }
    }
}

void tdi_touch_expand_of(const tdi_system *y, const tdi_contacts *set, int32_t member) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(set, &count);
    for (int32_t k = 0; k < count; k++) {
        add_side(y, &list[k], 0, member);
        add_side(y, &list[k], 1, member);
    }
}

// Contacts are sorted by members.
static void expand_turn(void *context, int64_t member) {
    const tdi_system *y = context;
    int32_t count, all;
    const tdi_contact *list = tdi_contacts_list(y->touch->set, &all);
    const int32_t *own = tdi_contacts_of(y->touch->set, (int32_t)member, &count);
    for (int32_t k = 0; k < count && !tdi_is_idle(y, (int32_t)member); k++) {
        add_side(y, &list[own[k]], 0, (int32_t)member);
        add_side(y, &list[own[k]], 1, (int32_t)member);
    }
}

void tdi_touch_expand(const tdi_system *y) {
    tdi_contacts_sort(y->touch->set, y->touch->owner, y->count);
    tdi_system_each(y, expand_turn, (void *)y);
}

td_real tdi_touch_value(tdi_touch *t, const tdi_system *y) {
    tdi_touch_gather_pose(y);
    return t->exact ? tdi_planes_energy(t->set, (tdi_plane_pose){t->now, t->turned})
                    : tdi_contacts_energy(t->set, t->now, t->time, &t->rule);
}

td_real tdi_touch_largest(tdi_touch *t, const tdi_system *y, int32_t member) {
    const int32_t first = t->first_point[member], last = t->first_point[member + 1];
    td_real most = 0;
    tdi_state_motions(y->member[member].body, tdi_nodes(0, last - first), false, t->moved + first);
    for (int32_t p = first; p < last; p++) {
        const td_real x = tdi_norm(t->moved[p]);
        most = x <= most ? most : x; // keeps what is not a number
    }
    return most;
}

// ---- calm -----------------------------------------------------------------------------------

// Across the force the Hessian of friction is force over speed and h: that gives the speed.
static bool slides_on(const tdi_contact *c, td_vec3 slip, td_real h, td_real creep, td_real least) {
    td_real size = tdi_norm(c->force), across = c->hessian.xx + c->hessian.yy + c->hessian.zz;
    if (size > 0) {
        td_vec3 u = tdi_scale(c->force, 1 / size);
        across -= tdi_dot(u, tdi_sym3_apply(&c->hessian, u));
    }
    td_real speed = fmax(across > 0 ? size / (h * across) : 0, creep);
    return h * across * speed <= least || tdi_norm(slip) <= CALM * h * speed;
}

bool tdi_contact_calm(const tdi_touch *t, const tdi_contact *c) {
    const td_real least = FAINT * t->largest;
    td_vec3 slip = {0, 0, 0};
    for (int e = 0; e < (c->other < t->capsule_count ? 4 : 2); e++) {
        slip = tdi_madd(slip, t->moved[c->point[e]], c->weight[e]);
    }
    slip = tdi_add(
        slip, tdi_arms_slip(c->arm, c->normal, t->moved + t->point_count, c->capsule, c->other));
    const td_vec3 change = tdi_sym3_apply(&c->hessian, slip);
    return c->friction ? slides_on(c, slip, t->rule.h, t->opts.creep, least)
                       : tdi_norm(change) <= CALM * tdi_norm(c->force) + least;
}

bool tdi_touch_calm(tdi_touch *t, const tdi_system *y) {
    if (t->exact) {
        return tdi_exact_calm(t, y);
    }
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    bool calm = true;
    if (count > 0) {
        tdi_touch_gather_moves(y, t->moved);
        tdi_contacts_steady(t->set, t->x, t->moved, &t->rule);
    }
    for (int32_t k = 0; k < count && calm; k++) {
        calm = tdi_contact_calm(t, &list[k]);
    }
    return calm;
}

// ---- reading --------------------------------------------------------------------------------

static td_contact contact_of(const tdi_touch *t, const tdi_contact *c) {
    const bool collider = c->other >= t->capsule_count;
    td_vec3 axis =
        tdi_madd(tdi_scale(t->now[c->point[0]], c->weight[0]), t->now[c->point[1]], c->weight[1]);
    return (td_contact){.actor = t->owner[c->capsule],
                        .segment = t->segment[c->capsule],
                        .other_actor = collider ? TD_NONE : t->owner[c->other],
                        .other = collider ? c->other - t->capsule_count : t->segment[c->other],
                        .point = tdi_madd(axis, c->normal, -t->radius[c->capsule]),
                        .normal = c->normal,
                        .force = tdi_scale(c->force, -1), // the gradient is against it
                        .gap = c->gap};
}

static bool is_of_pair(const tdi_contact *c, const tdi_contact *d) {
    return c->capsule == d->capsule && c->other == d->other;
}

// Pairs of capsules come first, each sort in the order of both sides.
static bool comes_before(const tdi_touch *t, const tdi_contact *c, const tdi_contact *d) {
    const bool first = c->other < t->capsule_count, second = d->other < t->capsule_count;
    return first != second            ? first
           : c->capsule != d->capsule ? c->capsule < d->capsule
                                      : c->other < d->other;
}

// Friction is added to the nearest barrier of its pair, of which `at` is the first.
static void add_friction(const tdi_touch *t, const tdi_contact *c, const tdi_contact *barriers,
                         td_contact *contacts, int32_t at, int32_t count) {
    const td_contact own = contact_of(t, c);
    td_contact *best = NULL;
    td_real least = INFINITY;
    for (int32_t k = at; k < count && is_of_pair(&barriers[k], c); k++) {
        td_real far = tdi_norm(tdi_sub(contacts[k].point, own.point));
        if (far < least) {
            best = &contacts[k];
            least = far;
        }
    }
    if (best) {
        best->force = tdi_add(best->force, own.force);
    }
}

static bool same_sides(const td_contact *a, const td_contact *b) {
    return a->actor == b->actor && a->segment == b->segment && a->other_actor == b->other_actor &&
           a->other == b->other;
}

void tdi_touch_note_impact(tdi_touch *t, td_real part) {
    int32_t count = 0;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; k < count && t->struck_count < t->struck_limit; k++) {
        td_contact c = contact_of(t, &list[k]);
        c.force = tdi_scale(c.force, part);
        const bool counts = !list[k].rolling && tdi_dot(c.force, c.force) > 0;
        if (counts && t->struck_count < t->struck_room) {
            t->struck[t->struck_count] = c;
        }
        t->struck_count += counts;
    }
    tdi_contacts_forget(t->set);
}

// Adds the impacts of the step to `all` contacts of its end: how many there are with them.
static int32_t add_impacts(const tdi_touch *t, const tdi_contact *list, int32_t all,
                           td_contact *contacts, int32_t capacity) {
    int32_t count = all;
    for (int32_t k = 0; k < t->struck_count && k < t->struck_room; k++) {
        const td_contact *hit = &t->struck[k];
        int32_t at = 0, earlier = 0; // the same pair at the end of the step, or hit before
        for (bool found = false; at < all && !found; at += !found) {
            const td_contact c = contact_of(t, &list[at]);
            found = same_sides(&c, hit);
        }
        for (int32_t j = 0; at == all && j < k && earlier >= 0; j++) {
            earlier = same_sides(&t->struck[j], hit) ? -1 : 0;
        }
        if (at == all && earlier < 0) {
            for (at = all; at < capacity && !same_sides(&contacts[at], hit); at++) {}
        } else if (at == all) {
            at = count++;
            if (at < capacity) {
                contacts[at] = *hit;
            }
            continue;
        }
        if (at < capacity) {
            contacts[at].force = tdi_add(contacts[at].force, hit->force);
        }
    }
    return count;
}

int32_t tdi_touch_contacts(const tdi_touch *t, td_contact *contacts, int32_t capacity) {
    int32_t count = 0, all = 0, at = 0;
    const tdi_contact *list = t->set ? tdi_contacts_list(t->set, &count) : NULL;
    for (; all < count && !list[all].friction; all++) {
        if (all < capacity) {
            contacts[all] = contact_of(t, &list[all]);
        }
    }
    for (int32_t k = all; k < count; k++) { // frictions, in the same order
        while (at < all && comes_before(t, &list[at], &list[k])) {
            at++;
        }
        if (!list[k].rolling) {
            add_friction(t, &list[k], list, contacts, at, all < capacity ? all : capacity);
        }
    }
    return add_impacts(t, list, all, contacts, capacity);
}
