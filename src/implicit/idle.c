// SPDX-License-Identifier: MIT
// Members that stay where they are while others go on.
//
// Method   Newton's method converges at different speeds in different places of a heap: most of it
//          lies still and is done after an iteration or two, while a few members roll on or are
//          hit. A member whose increment is small, and whose contacts it leaves as they are, is
//          idle: it has no unknowns, and is to the others what a collider is. Of those that go on
//          more become idle when they are done.
// Slow     Where increments are cut short, it is by the few members that go far, and all others
//          would have to come along in many short increments. So members that go far less than
//          these are idle too, although they are not done, until these are where they will be.
// Waking   An idle member is in equilibrium as long as those that it touches stay where they were
//          when it took its last increments. It is disturbed when one of them has moved on, when
//          these increments were cut short or those of a positive model, and when it was slow. When
//          all others are done, disturbed members wake, or all where these are many: an iteration
//          of all settles more than many of a part. When there are none, all are done.

#include "implicit/body_contact.h"

#include <math.h>
#include <string.h>

#define SOME       0.1 // of the members that go on must be done at least, that these become idle,
#define WORTHWHILE 0.5 // or be done or slow, that these do
#define MANY       0.6 // of all members: where more are disturbed, all wake

void tdi_idle_begin(tdi_body_contact *t) {
    t->idle_set.move = t->idle_set.count = 0;
    t->idle_set.poses_known = false;
    for (int32_t k = 0; k < t->member_count; k++) {
        t->idle_set.record[k] = (tdi_idle_record){.whole = TD_NONE};
    }
}

void tdi_idle_wake_all(tdi_body_contact *t) {
    t->search.covers_path = t->search.covers_path &&
                            !t->idle_set.poses_known; // pairs of members that stood are not known
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

// A member stands where it is from now on.
static void stand_still(const tdi_system *y, int32_t member) {
    tdi_body_contact *t = y->contact;
    const int32_t first = t->first_point[member], count = t->first_point[member + 1] - first;
    tdi_body_contact_gather_of(y, member);
    memcpy(t->x + first, t->now + first, (size_t)count * sizeof *t->x);
    memset(t->dx + first, 0, (size_t)count * sizeof *t->dx);
}

// Those that `stays` tells of are idle, and stand where they are. `more`: so are all that were.
static void stand(tdi_body_contact *t, const tdi_system *y, const bool *stays, bool more) {
    t->idle_set.count = 0;
    for (int32_t k = 0; k < y->count; k++) {
        const bool stood = t->idle_set.poses_known && t->idle_set.is_idle[k];
        if (stays[k] && !stood) {
            stand_still(y, k);
        }
        set_idle(t, k, stays[k]);
        t->idle_set.count += stays[k];
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
        const int32_t firm = t->idle_set.is_idle[a] ? a : b, other = t->idle_set.is_idle[a] ? b : a;
        if (t->idle_set.is_idle[a] != t->idle_set.is_idle[b] && t->solve.part[other] < part) {
            set_idle(t, firm, false);
            t->idle_set.count--;
        }
    }
}

// ---- what has moved -------------------------------------------------------------------------

static td_real largest_of(const tdi_member *m) {
    return m->body->ops->largest ? m->body->ops->largest(m->body) : HUGE_VAL;
}

// One side of a contact, which is idle, is disturbed by the other, which is not.
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
            i->way += taken * largest_of(&y->member[k]);
            i->moved = i->way > tolerance ? t->idle_set.move : i->moved;
            i->way = i->moved == t->idle_set.move ? 0 : i->way;
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

// ---- who stays ------------------------------------------------------------------------------

// How many members that go on have become calm. `calm` is told of each.
static int32_t find_calm(const tdi_body_contact *t, const tdi_system *y, td_real small,
                         bool *calm) {
    int32_t count, found = 0;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; k < y->count; k++) {
        calm[k] = !tdi_is_idle(y, k) && largest_of(&y->member[k]) <= small;
    }
    for (int32_t k = 0; k < count; k++) {
        if (!tdi_contact_is_steady(t, &list[k])) {
            calm[t->owner[list[k].row.capsule]] = false;
            if (list[k].row.other < t->capsule_count) {
                calm[t->owner[list[k].row.other]] = false;
            }
        }
    }
    for (int32_t k = 0; k < y->count; k++) {
        found += calm[k];
    }
    return found;
}

// The same with those that are slow; these are disturbed.
static int32_t find_slow(const tdi_body_contact *t, const tdi_system *y, td_real slow, bool *calm) {
    int32_t found = 0;
    for (int32_t k = 0; k < y->count; k++) {
        const bool waits = !tdi_is_idle(y, k) && largest_of(&y->member[k]) <= slow;
        t->idle_set.record[k].disturbed |= waits && !calm[k];
        calm[k] = calm[k] || waits;
        found += calm[k];
    }
    return found;
}

bool tdi_idle_find(tdi_body_contact *t, const tdi_system *y, td_real small, td_real slow) {
    const int32_t going = y->count - t->idle_set.count;
    int32_t calm = find_calm(t, y, small, t->idle_set.is_steady);
    if (calm < WORTHWHILE * going && slow > small) {
        calm = find_slow(t, y, slow, t->idle_set.is_steady);
        calm = calm < WORTHWHILE * going ? find_calm(t, y, small, t->idle_set.is_steady) : calm;
    }
    if (calm < SOME * going || calm == going) {
        return false;
    }
    for (int32_t k = 0; k < y->count; k++) {
        t->idle_set.is_steady[k] = t->idle_set.is_steady[k] || tdi_is_idle(y, k);
    }
    stand(t, y, t->idle_set.is_steady, true);
    return true;
}

// Those that go on and touch nobody who wakes are done: they are idle too.
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
        stand(t, y, t->idle_set.is_steady, false);
    } else {
        tdi_idle_wake_all(t);
    }
    return true;
}
