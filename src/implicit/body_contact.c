// SPDX-License-Identifier: MIT
// Contact of the bodies of a system in a step: its points, its barrier, the free part of a path.
//
// Barrier   its force has the magnitude of the bodies' own forces and grows from step to step while
//           gaps are small: gaps stay open and the condition number stays bounded.
// Way       Continuous collision detection. Points of a rotating body move along arcs. An increment
//           is taken as far as the straight paths of all points to their positions in the new pose
//           are free: then there is a motion to that pose in which nothing intersects.

#include "implicit/constants.h"
#include "implicit/newton.h"
#include "implicit/body_contact.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SMALL_ISLAND 12 // members: of more, one grazing pair would halve the step of all too often
#define SHORTER      0.25 // of a path on which there are too many pairs: on long paths all are near
#define NARROW       0.1  // of the range: smaller gaps make the barrier stronger
#define WIDE         0.4  // of the range: larger gaps make it weaker
#define STRONGER     1.1  // times its strength in a step: more would push bodies at rest
#define UNCHANGED    1e-3 // of a gap: where a stronger barrier opens no gap, nothing gives way
#define STRONGEST    1e6  // times its first strength: more would spoil the condition number
#define CHANGES      0.1  // s: time in which its force may grow by e^2 as steps become shorter
#define SHORT        0.9  // of the first gap: the range of a new body; gaps are smoothed by less

// ---- points ---------------------------------------------------------------------------------

// Whether a member is where it was when it became idle.
static bool is_unmoved(const tdi_system *y, int64_t member) {
    return y->contact->idle_set.poses_known && tdi_is_idle(y, (int32_t)member);
}

// Each member by itself, on all threads.
typedef struct gathering {
    const tdi_system *y;
    td_vec3 *x;
} gathering;

static void gather_turn(void *context, int64_t k) {
    const gathering *g = context;
    const tdi_member *m = &g->y->member[k];
    tdi_state_positions(m->body, tdi_all_nodes(m->body), false,
                        g->x + g->y->contact->first_point[k]);
}

void tdi_body_contact_gather(const tdi_system *y, td_vec3 *x) {
    gathering g = {y, x};
    tdi_system_each(y, gather_turn, &g);
}

static void gather_moves_turn(void *context, int64_t k) {
    const gathering *g = context;
    const tdi_system *y = g->y;
    const tdi_body_contact *t = y->contact;
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

void tdi_body_contact_gather_moves(const tdi_system *y, td_vec3 *dx) {
    gathering g = {y, dx};
    tdi_system_each(y, gather_moves_turn, &g);
}

void tdi_body_contact_spins(const tdi_body_contact *t, const tdi_system *y, int32_t member,
                            td_real h) {
    const tdi_member *m = &y->member[member];
    const int32_t first = t->first_capsule[member], last = t->first_capsule[member + 1];
    for (int32_t i = first; tdi_state_offers(m->body, TDI_POINT_ROTATION) && i < last; i++) {
        tdi_state_velocities(m->body, tdi_rotation_of(i - first), &t->free_turn[i]);
        t->free_turn[i] = tdi_scale(t->free_turn[i], h);
    }
}

void tdi_body_contact_gather_of(const tdi_system *y, int32_t member) {
    const tdi_body_contact *t = y->contact;
    const tdi_member *m = &y->member[member];
    tdi_state_positions(m->body, tdi_all_nodes(m->body), false, t->now + t->first_point[member]);
    const int32_t first = t->first_capsule[member], last = t->first_capsule[member + 1];
    for (int32_t i = first; t->terms.rule.h > 0 && i < last; i++) {
        if (tdi_contacts_turns(t->set, i)) {
            tdi_state_positions(m->body, tdi_rotation_of(i - first), false, &t->turned[i]);
        }
    }
}

static void gather_pose_turn(void *context, int64_t k) {
    const tdi_system *y = context;
    if (!is_unmoved(y, k)) {
        tdi_body_contact_gather_of(y, (int32_t)k);
    }
}

void tdi_body_contact_gather_pose(const tdi_system *y) {
    tdi_system_each(y, gather_pose_turn, (void *)y);
}

// ---- steps ----------------------------------------------------------------------------------

// The same for all members of a system: with a barrier weaker than at the end of the last step they
// would approach each other.
static td_real strength_of(const tdi_body_contact *t) {
    td_real most = 1;
    for (int32_t k = 0; k < t->member_count; k++) {
        most = fmax(most, t->barriers.state[k].strength);
    }
    return most;
}

// The time of which the barrier's force is made: h of BDF2, in backward Euler too, since a force
// that changes from step to step does work. With a suddenly shorter step it falls slowly, or the
// barrier would throw what rests on it.
static td_real stop_time_of(const tdi_body_contact *t, td_real dt) {
    td_real stop_time = 2 * dt / 3;
    for (int32_t k = 0; k < t->member_count; k++) {
        const tdi_barrier *b = &t->barriers.state[k];
        stop_time =
            b->potential > 0 ? fmax(stop_time, b->stop_time / (1 + dt / CHANGES)) : stop_time;
    }
    return stop_time;
}

static td_real own_force(const tdi_body_contact *t, const tdi_system *y, td_real h) {
    td_real sum = 0;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        int32_t capsules = t->first_capsule[k + 1] - t->first_capsule[k];
        sum += capsules > 0
                   ? capsules * m->body->ops->contact->force(m->body, m->opts, t->opts.gap, h)
                   : 0;
    }
    return sum > 0 ? sum / t->capsule_count : 1;
}

static bool same(td_vec3 a, td_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool tdi_body_contact_driven(const tdi_system *y) {
    bool moves = false;
    for (int32_t k = 0; k < y->count && !moves; k++) {
        const tdi_member *m = &y->member[k];
        moves = m->body->driven;
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
static td_real last_force(const tdi_body_contact *t, const tdi_system *y) {
    td_real stop_time = 0;
    for (int32_t k = 0; k < t->member_count; k++) {
        stop_time = t->barriers.state[k].potential > 0
                        ? fmax(stop_time, t->barriers.state[k].stop_time)
                        : stop_time;
    }
    return stop_time > 0 ? strength_of(t) * own_force(t, y, stop_time) : t->terms.rule.force;
}

// Friction of the barrier; where some sticks harder than it slides, by how all moves.
static td_status lag(tdi_body_contact *t, const tdi_system *y, td_diag *diag) {
    const tdi_contact_speeds speeds = {t->motion, t->free_turn};
    const bool sticks = tdi_contacts_stick(t->set);
    for (int32_t k = 0; sticks && k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        tdi_state_velocities(m->body, tdi_all_nodes(m->body), t->motion + t->first_point[k]);
        tdi_body_contact_spins(t, y, k, 1);
    }
    return tdi_contacts_lag(t->set, t->x, 0, last_force(t, y), t->terms.rule.h,
                            sticks ? &speeds : NULL, diag);
}

// The range in which a gap is the one that contact keeps, or is just outside.
static td_real range_within(const tdi_body_contact *t, td_real gap) {
    return t->exact_step.used ? gap / TDI_PLANE_GAP : SHORT * gap;
}

// A body that is placed within the range of another must not be thrown: its range is reduced,
// unless the barrier has no more potential than when the last step ended.
static void begin_range(tdi_body_contact *t) {
    bool placed = false;
    for (int32_t k = 0; k < t->member_count; k++) {
        t->barriers.range[k] = fabs(t->barriers.state[k].range);
        placed = placed || t->barriers.state[k].range < 0;
    }
    tdi_contacts_scale_ranges(t->set, t->owner, t->barriers.range);
    if (!placed) {
        return;
    }
    tdi_contacts_least_gaps(t->set, t->x, 0, t->owner, t->member_count, t->search.free,
                            t->barriers.potential);
    for (int32_t k = 0; k < t->member_count; k++) {
        const tdi_barrier *b = &t->barriers.state[k];
        const bool more =
            b->range < 0 && t->barriers.potential[k] > b->potential * (1 + TDI_VALUE_LEFT);
        if (more && t->search.free[k] > 0) {
            t->barriers.range[k] = fmin(t->barriers.range[k], range_within(t, t->search.free[k]));
        }
    }
    tdi_contacts_scale_ranges(t->set, t->owner, t->barriers.range);
}

// Members that have moved away regain their range, up to the least gap. Nothing is within the
// added range, so this does no work.
static void end_range(tdi_body_contact *t) {
    tdi_contacts_least_gaps(t->set, t->now, 1, t->owner, t->member_count, t->search.free,
                            t->barriers.potential);
    for (int32_t k = 0; k < t->member_count; k++) {
        t->barriers.state[k].range =
            fmax(t->barriers.range[k], fmin(1, range_within(t, t->search.free[k])));
        t->barriers.state[k].potential = t->barriers.potential[k];
    }
}

// The gap of the nearest pair over its range; 1: there is no pair.
static td_real room_of(const tdi_body_contact *t, const int32_t which[2], td_real gap) {
    if (which[0] == TD_NONE) {
        return 1;
    }
    td_real radius = t->capsule[which[0]].radius,
            reach = fabs(t->barriers.range[t->owner[which[0]]]);
    if (which[1] < t->capsule_count) {
        radius = fmin(radius, t->capsule[which[1]].radius);
        reach = fmin(reach, fabs(t->barriers.range[t->owner[which[1]]]));
    }
    return gap / (t->opts.gap * (t->terms.rule.h > 0 ? reach : 1) * radius);
}

// Colliders that overlap a member are led into it again, from beside it.
static td_status withdraw_colliders(tdi_body_contact *t, td_diag *diag) {
    int32_t which[2];
    const td_real least = tdi_contacts_least(t->set, t->x, 0, which);
    if (which[0] == TD_NONE || least > 0 || which[1] < t->capsule_count) {
        return TD_OK;
    }
    t->time = t->exact_step.used ? 1 : 0;
    return tdi_contacts_withdraw(t->set, t->x, &t->search.withdrawn, diag);
}

td_status tdi_body_contact_begin(tdi_body_contact *t, const tdi_system *y, td_real dt, td_real h,
                                 td_real from, td_real to, td_diag *diag) {
    int32_t which[2];
    t->barriers.stop_time = h > 0 ? stop_time_of(t, dt) : 0;
    t->barriers.own_force = own_force(t, y, t->barriers.stop_time);
    t->terms.rule = (tdi_contact_rule){.force = strength_of(t) * t->barriers.own_force,
                                       .history = t->history,
                                       .turned = t->turned,
                                       .h = h};
    t->exact_step.used = t->opts.method == TD_CONTACT_EXACT && h > 0;
    t->time = h > 0 && !t->exact_step.used && tdi_body_contact_driven(y) ? 0 : 1;
    t->terms.couples_capsules = t->search.covers_path = t->search.tunnelled = false;
    t->search.overlapping = TD_NONE;
    t->search.withdrawn = false;
    tdi_contacts_share(t->set, y->pool);
    tdi_body_contact_gather(y, t->x);
    memcpy(t->began, t->x, (size_t)t->point_count * sizeof *t->x);
    for (int32_t k = 0; h > 0 && k < y->count; k++) {
        td_body *body = y->member[k].body;
        tdi_state_positions(body, tdi_all_nodes(body), true, t->history + t->first_point[k]);
    }
    tdi_pushes_begin(t, y, dt);
    td_status status =
        tdi_contacts_colliders(t->set, y->colliders, y->collider_count, dt, from, to, diag);
    status = status == TD_OK ? tdi_contacts_find(t->set, t->x, NULL, diag) : status;
    if (status == TD_OK && y->withdraws && h > 0 && from == 0 && to == 1) {
        status = withdraw_colliders(t, diag);
    }
    if (status != TD_OK) {
        return status;
    }
    if (h > 0) {
        begin_range(t);
    } else {
        tdi_contacts_scale_ranges(t->set, t->owner, NULL);
    }
    td_real least = tdi_contacts_least(t->set, t->x, 0, which);
    if (which[0] != TD_NONE && !(least > 0)) {
        t->search.overlapping = t->owner[which[0]];
        t->search.with_segment = which[1] < t->capsule_count;
        return tdi_body_contact_overlap_fail(t, y, which, -least, " at the start of the step",
                                             diag);
    }
    t->barriers.room_began = room_of(t, which, least);
    return h > 0 && !t->exact_step.used ? lag(t, y, diag) : TD_OK;
}

// The change of the barrier's strength where gaps are small: none while the least of them keeps its
// size, as that of a body clamped between two colliders does at any strength.
static td_real strengthens(const tdi_body_contact *t, td_real room) {
    const td_real began = t->barriers.room_began;
    return fabs(room - began) > UNCHANGED * began ? STRONGER : 1;
}

void tdi_body_contact_end(tdi_body_contact *t, const tdi_system *y) {
    tdi_body_contact_evaluate(t, y, false, false, NULL); // for td_island_contacts()
    if (t->exact_step.used) {
        tdi_exact_save_forces(t, y);
        end_range(t);
        tdi_planes_measure(t->set, t->now, t->exact_step.rule.impact);
        tdi_pushes_add(t);
        return;
    }
    const td_real room = tdi_body_contact_least_gap(t, 1),
                  change = room < NARROW ? strengthens(t, room)
                           : room > WIDE ? 1 / STRONGER
                                         : 1,
                  strength = room < 1 ? fmin(fmax(change * strength_of(t), 1), STRONGEST) : 1;
    if (t->terms.rule.h > 0) {
        end_range(t);
    }
    for (int32_t k = 0; k < t->member_count; k++) {
        t->barriers.state[k].strength = strength;
        t->barriers.state[k].stop_time = t->barriers.stop_time;
    }
}

static void record_start(void *context, int64_t k) {
    const tdi_system *y = context;
    const tdi_body_contact *t = y->contact;
    const tdi_member *m = &y->member[k];
    const int32_t first = t->first_point[k], count = t->first_point[k + 1] - first;
    if (is_unmoved(y, k)) {
        return;
    }
    tdi_state_positions(m->body, tdi_nodes(0, count), false, t->x + first);
    memcpy(t->now + first, t->x + first, (size_t)count * sizeof *t->x);
    if (!tdi_is_idle(y, (int32_t)k)) {
        tdi_state_keep(m->body);
    }
}

void tdi_body_contact_keep_poses(const tdi_system *y) {
    tdi_system_each(y, record_start, (void *)y);
}

static void record_path(void *context, int64_t k) {
    const tdi_system *y = context;
    const tdi_body_contact *t = y->contact;
    td_body *body = y->member[k].body;
    if (is_unmoved(y, k)) {
        return;
    }
    tdi_state_positions(body, tdi_all_nodes(body), false, t->now + t->first_point[k]);
    for (int32_t p = t->first_point[k]; p < t->first_point[k + 1]; p++) {
        t->dx[p] = tdi_sub(t->now[p], t->x[p]);
    }
}

// Finds the pairs that are near on the paths to the poses. False: there are too many.
static bool find_pairs_on_path(tdi_body_contact *t, const tdi_system *y) {
    tdi_system_each(y, record_path, (void *)y);
    t->search.covers_path = tdi_contacts_find(t->set, t->x, t->dx, NULL) == TD_OK;
    return t->search.covers_path;
}

td_real tdi_body_contact_free_fraction(tdi_body_contact *t, const tdi_system *y, td_real time) {
    return find_pairs_on_path(t, y) ? tdi_contacts_free_fraction(t->set, t->x, t->dx, t->time, time)
                                    : SHORTER;
}

td_real tdi_body_contact_last_free_trial(const tdi_body_contact *t) {
    return tdi_contacts_free_trial(t->set, t->x, t->dx, t->time);
}

td_real tdi_body_contact_free_trial(tdi_body_contact *t, const tdi_system *y) {
    return find_pairs_on_path(t, y) ? tdi_body_contact_last_free_trial(t) : SHORTER;
}

bool tdi_body_contact_free_fractions(tdi_body_contact *t, const tdi_system *y, bool trial) {
    const bool few = find_pairs_on_path(t, y);
    bool all = few;
    for (int32_t k = 0; k < y->count; k++) {
        t->search.free[k] = few || tdi_is_idle(y, k) ? 1 : SHORTER;
    }
    const bool known = few && tdi_contacts_free_fractions(t->set, t->x, t->dx, t->time, trial,
                                                          t->owner, t->search.free);
    if (few && !known && t->idle_set.count == 0) {
        const td_real part = tdi_contacts_free_fraction(t->set, t->x, t->dx, t->time, t->time);
        for (int32_t k = 0; k < y->count; k++) {
            t->search.free[k] = part;
        }
    }
    for (int32_t k = 0; k < y->count; k++) {
        all = all && t->search.free[k] >= 1;
    }
    return all;
}

bool tdi_body_contact_tunnelled(tdi_body_contact *t, const tdi_system *y) {
    if (t->exact_step.used) {
        return false;
    }
    memcpy(t->x, t->began, (size_t)t->point_count * sizeof *t->x);
    return find_pairs_on_path(t, y) &&
           tdi_contacts_tunnelled(t->set, t->x, t->dx, y->count < SMALL_ISLAND);
}

bool tdi_body_contact_is_clear(tdi_body_contact *t, const tdi_system *y) {
    int32_t which[2];
    memcpy(t->x, t->began, (size_t)t->point_count * sizeof *t->x);
    bool clear = t->time >= 1 && find_pairs_on_path(t, y);
    t->search.covers_path = false; // increments begin elsewhere
    clear = clear && (t->exact_step.used
                          ? tdi_contacts_path_is_free(t->set, t->x, t->dx)
                          : !tdi_contacts_tunnelled(t->set, t->x, t->dx, y->count < SMALL_ISLAND));
    const td_real least = clear ? tdi_contacts_least(t->set, t->now, 1, which) : 0;
    return clear && (which[0] == TD_NONE || least > 0);
}

td_real tdi_body_contact_least_gap(const tdi_body_contact *t, td_real time) {
    int32_t which[2];
    const td_real least = tdi_contacts_least(t->set, t->now, time, which);
    return room_of(t, which, least);
}
