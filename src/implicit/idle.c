// SPDX-License-Identifier: MIT
// The active set of members: idle members have no unknowns for some iterations.
//
// Method   Newton's method converges at different speeds in different parts of a heap: most members
//          converge in an iteration or two, while a few roll or are hit. A member becomes idle when
//          its increment is small and nearly keeps its contact forces. The other members treat it
//          as a collider.
// Slow     A few members with large increments can limit the step fraction of all. Members with
//          much smaller increments then become idle before they have converged, until these few
//          members have converged.
// Waking   An idle member is in equilibrium while its neighbours in contact stay where they were at
//          its last increment. It is disturbed when one of them has moved since, when its last
//          increment was shortened or of a positive model, or when it was slow. When the active
//          members have converged, disturbed members wake; where there are many, all members wake,
//          because one iteration of all then gains more than many of a part. Without disturbed
//          members the system has converged.

#include "implicit/body_contact.h"

#include <math.h>
#include <string.h>

#define SOME       0.1 // of the active members: a new order for fewer costs more than they do
#define WORTHWHILE 0.5 // of the active members: slow members join the steady ones to reach this
#define MANY       0.6 // of all members: with more disturbed ones an iteration of all settles more

void tdi_idle_begin(tdi_body_contact *t) {
    t->idle_set.move = t->idle_set.count = 0;
    t->idle_set.poses_known = false;
    for (int32_t k = 0; k < t->member_count; k++) {
        t->idle_set.record[k] = (tdi_idle_record){.whole = TD_NONE};
    }
}

void tdi_idle_wake_all(tdi_body_contact *t) {
    t->search.covers_path = t->search.covers_path &&
                            !t->idle_set.poses_known; // pairs of idle members were not searched
    t->idle_set.count = 0;
    t->idle_set.poses_known = false;
    if (t->set) {
        tdi_contacts_set_inactive(t->set, NULL);
    }
}

static void set_idle(tdi_body_contact *t, int32_t member, bool idle) {
    const int32_t first = t->first_capsule[member], own = t->first_capsule[member + 1] - first;
    t->idle_set.is_idle[member] = idle;
    memset(t->idle_set.resting + first, idle, (size_t)own * sizeof *t->idle_set.resting);
}

// Fixes the points of a member that becomes idle.
static void fix_points(const tdi_system *y, int32_t member) {
    tdi_body_contact *t = y->contact;
    const int32_t first = t->first_point[member], count = t->first_point[member + 1] - first;
    tdi_body_contact_gather_of(y, member);
    memcpy(t->x + first, t->now + first, (size_t)count * sizeof *t->x);
    memset(t->dx + first, 0, (size_t)count * sizeof *t->dx);
}

// Makes the marked members idle. `more`: all idle members stay idle.
static void set_idle_members(tdi_body_contact *t, const tdi_system *y, const bool *marked,
                             bool more) {
    t->idle_set.count = 0;
    for (int32_t k = 0; k < y->count; k++) {
        const bool was_idle = t->idle_set.poses_known && t->idle_set.is_idle[k];
        if (marked[k] && !was_idle) {
            fix_points(y, k);
        }
        set_idle(t, k, marked[k]);
        t->idle_set.count += marked[k];
    }
    t->search.covers_path = t->search.covers_path && more;
    t->idle_set.poses_known = true;
    tdi_contacts_set_fixed(t->set, t->idle_set.resting, more);
}

bool tdi_idle_keep_solved(tdi_body_contact *t, const tdi_system *y) {
    t->idle_set.count = 0;
    for (int32_t k = 0; k < y->count; k++) {
        set_idle(t, k, y->member[k].solved_in_larger_island);
        t->idle_set.count += y->member[k].solved_in_larger_island;
    }
    tdi_contacts_set_inactive(t->set, t->idle_set.resting);
    return t->idle_set.count > 0;
}

void tdi_idle_wake_near(tdi_body_contact *t, td_real part) {
    int32_t count;
    const tdi_near_pair *pair = tdi_contacts_pairs(t->set, &count);
    for (int32_t k = 0; k < count && t->idle_set.count > 0; k++) {
        const int32_t a = t->owner[pair[k].i], b = t->owner[pair[k].j];
        const int32_t idle = t->idle_set.is_idle[a] ? a : b, other = t->idle_set.is_idle[a] ? b : a;
        if (t->idle_set.is_idle[a] != t->idle_set.is_idle[b] && t->solve.part[other] < part) {
            set_idle(t, idle, false);
            t->idle_set.count--;
        }
    }
}

// ---- motions --------------------------------------------------------------------------------

static td_real largest_of(const tdi_member *m) {
    return m->body->ops->largest ? m->body->ops->largest(m->body) : HUGE_VAL;
}

// Disturbs an idle member if the active member on the other side of a contact has moved.
static void disturb(tdi_body_contact *t, int32_t idle, int32_t other) {
    t->idle_set.record[idle].disturbed |=
        t->idle_set.record[other].moved > t->idle_set.record[idle].whole;
}

void tdi_idle_note(tdi_body_contact *t, const tdi_system *y, td_real taken, bool whole,
                   td_real tolerance) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    t->idle_set.move++;
    for (int32_t k = 0; k < y->count; k++) {
        tdi_idle_record *i = &t->idle_set.record[k];
        if (!tdi_is_idle(y, k)) {
            i->motion += taken * largest_of(&y->member[k]);
            i->moved = i->motion > tolerance ? t->idle_set.move : i->moved;
            i->motion = i->moved == t->idle_set.move ? 0 : i->motion;
            i->whole = whole ? t->idle_set.move : TD_NONE;
            i->disturbed = !whole;
        }
    }
    for (int32_t k = 0; t->idle_set.count > 0 && k < count; k++) {
        const int32_t a = t->owner[list[k].row.capsule],
                      b = list[k].row.other < t->capsule_count ? t->owner[list[k].row.other] : a;
        if (t->idle_set.is_idle[a] != t->idle_set.is_idle[b]) {
            disturb(t, t->idle_set.is_idle[a] ? a : b, t->idle_set.is_idle[a] ? b : a);
        }
    }
}

void tdi_idle_note_relaxed(tdi_body_contact *t, const tdi_system *y) {
    t->idle_set.move++;
    for (int32_t k = 0; k < y->count; k++) {
        if (!tdi_is_idle(y, k)) {
            t->idle_set.record[k].moved = t->idle_set.move;
        }
    }
}

// ---- choice ---------------------------------------------------------------------------------

// Marks active members with small increments that keep their contact forces, and counts them.
static int32_t find_steady(const tdi_body_contact *t, const tdi_system *y, td_real small,
                           bool *steady) {
    int32_t count, found = 0;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; k < y->count; k++) {
        steady[k] = !tdi_is_idle(y, k) && largest_of(&y->member[k]) <= small;
    }
    for (int32_t k = 0; k < count; k++) {
        if (!tdi_contact_is_steady(t, &list[k])) {
            steady[t->owner[list[k].row.capsule]] = false;
            if (list[k].row.other < t->capsule_count) {
                steady[t->owner[list[k].row.other]] = false;
            }
        }
    }
    for (int32_t k = 0; k < y->count; k++) {
        found += steady[k];
    }
    return found;
}

// Marks slow members too, and disturbs them.
static int32_t find_slow(const tdi_body_contact *t, const tdi_system *y, td_real slow,
                         bool *steady) {
    int32_t found = 0;
    for (int32_t k = 0; k < y->count; k++) {
        const bool is_slow = !tdi_is_idle(y, k) && largest_of(&y->member[k]) <= slow;
        t->idle_set.record[k].disturbed |= is_slow && !steady[k];
        steady[k] = steady[k] || is_slow;
        found += steady[k];
    }
    return found;
}

bool tdi_idle_find(tdi_body_contact *t, const tdi_system *y, td_real small, td_real slow) {
    const int32_t active = y->count - t->idle_set.count;
    int32_t found = find_steady(t, y, small, t->idle_set.is_steady);
    if (found < WORTHWHILE * active && slow > small) {
        found = find_slow(t, y, slow, t->idle_set.is_steady);
        found =
            found < WORTHWHILE * active ? find_steady(t, y, small, t->idle_set.is_steady) : found;
    }
    if (found < SOME * active || found == active) {
        return false;
    }
    for (int32_t k = 0; k < y->count; k++) {
        t->idle_set.is_steady[k] = t->idle_set.is_steady[k] || tdi_is_idle(y, k);
    }
    set_idle_members(t, y, t->idle_set.is_steady, true);
    return true;
}

// Active members without contact with a waking member have converged: they become idle.
bool tdi_idle_wake_disturbed(tdi_body_contact *t, const tdi_system *y) {
    int32_t count, woken = 0;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_idle_record *i = &t->idle_set.record[k];
        const bool wakes = tdi_is_idle(y, k) && i->disturbed;
        t->idle_set.is_steady[k] = !wakes && i->whole != TD_NONE;
        woken += wakes;
    }
    if (woken == 0) {
        return false;
    }
    if (woken > MANY * y->count) {
        tdi_idle_wake_all(t);
        return true;
    }
    for (int32_t k = 0; k < count; k++) {
        const int32_t a = t->owner[list[k].row.capsule],
                      b = list[k].row.other < t->capsule_count ? t->owner[list[k].row.other] : a;
        if (t->idle_set.is_idle[a] != t->idle_set.is_idle[b] &&
            t->idle_set.record[t->idle_set.is_idle[a] ? a : b].disturbed) {
            t->idle_set.is_steady[t->idle_set.is_idle[a] ? b : a] = false;
        }
    }
    bool any = false;
    for (int32_t k = 0; k < y->count && !any; k++) {
        any = t->idle_set.is_steady[k];
    }
    if (any) {
        set_idle_members(t, y, t->idle_set.is_steady, false);
    } else {
        tdi_idle_wake_all(t);
    }
    return true;
}
