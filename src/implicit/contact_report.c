// SPDX-License-Identifier: MIT
// Contact of the bodies of a system: messages, and contacts as a caller reads them.

#include "implicit/body_contact.h"

#include "base/diag.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

// ---- messages -------------------------------------------------------------------------------

void tdi_system_collider_text(const tdi_system *y, int32_t k, char text[TDI_COLLIDER_TEXT]) {
    const tdi_collider_label listed = {NULL, k};
    tdi_collider_text(&y->colliders[k], y->labels ? y->labels[k] : listed, text);
}

// "segment 3", or "segment 3 of 'vine'", or "collider 2 (sphere)"
static void name_side(const tdi_body_contact *t, const tdi_system *y, int32_t which,
                      char text[96]) {
    if (which >= t->capsule_count) {
        tdi_system_collider_text(y, which - t->capsule_count, text);
        return;
    }
    const char *name = y->member[t->owner[which]].name;
    if (name) {
        snprintf(text, 96, "segment %d of '%.60s'", (int)t->capsule[which].body, name);
    } else if (y->count > 1) {
        snprintf(text, 96, "segment %d of body %d", (int)t->capsule[which].body,
                 (int)t->owner[which]);
    } else {
        snprintf(text, 96, "segment %d", (int)t->capsule[which].body);
    }
}

td_status tdi_body_contact_overlap_fail(const tdi_body_contact *t, const tdi_system *y,
                                        const int32_t which[2], td_real depth, const char *when,
                                        td_diag *diag) {
    char one[96], other[96];
    name_side(t, y, which[0], one);
    name_side(t, y, which[1], other);
    return tdi_fail_at(diag, TD_ERR_DIVERGED, t->capsule[which[0]].body,
                       "%s and %s overlap%s, by %.3g m", one, other, when, depth);
}

// An increment led them into each other, or its numbers are not finite.
td_status tdi_body_contact_overlap_error(const tdi_body_contact *t, const tdi_system *y,
                                         td_diag *diag) {
    int32_t which[2];
    const td_real least = tdi_contacts_least(t->set, t->now, t->time, which);
    return which[0] == TD_NONE ? tdi_fail(diag, TD_ERR_DIVERGED, "a place is not finite")
                               : tdi_body_contact_overlap_fail(t, y, which, -least, "", diag);
}

void tdi_body_contact_tightest_text(const tdi_body_contact *t, const tdi_system *y,
                                    char text[TDI_TIGHTEST]) {
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

// ---- reading --------------------------------------------------------------------------------

// With the part of its force that a piece of the step has in the mean.
static td_contact contact_of(const tdi_body_contact *t, const tdi_contact *c, td_real part) {
    const bool collider = c->row.other >= t->capsule_count;
    const td_vec3 axis = tdi_rows_side(&c->row, 0, t->now);
    return (td_contact){.actor = t->owner[c->row.capsule],
                        .segment = t->capsule[c->row.capsule].body,
                        .other_actor = collider ? TD_NONE : t->owner[c->row.other],
                        .other = collider ? c->row.other - t->capsule_count
                                          : t->capsule[c->row.other].body,
                        .point = tdi_madd(axis, c->row.normal, -t->capsule[c->row.capsule].radius),
                        .normal = c->row.normal,
                        .force = tdi_scale(c->force, -part), // the gradient is against it
                        .gap = c->gap};
}

// Without pairs that are pushed apart.
static const tdi_contact *contact_list(const tdi_body_contact *t, int32_t *count) {
    const tdi_contact *list = tdi_contacts_list(t->set, count);
    *count -= *count > 0 ? t->terms.push_count : 0;
    return list;
}

static bool is_of_pair(const tdi_contact *c, const tdi_contact *d) {
    return c->row.capsule == d->row.capsule && c->row.other == d->row.other;
}

// Pairs of capsules come first, each sort in the order of both sides.
static bool comes_before(const tdi_body_contact *t, const tdi_contact *c, const tdi_contact *d) {
    const bool first = c->row.other < t->capsule_count, second = d->row.other < t->capsule_count;
    return first != second                    ? first
           : c->row.capsule != d->row.capsule ? c->row.capsule < d->row.capsule
                                              : c->row.other < d->row.other;
}

// Friction is added to the nearest barrier of its pair, of which `at` is the first.
static void add_friction(const tdi_body_contact *t, const tdi_contact *c,
                         const tdi_contact *barriers, td_contact *contacts, int32_t at,
                         int32_t count) {
    const td_contact own = contact_of(t, c, t->earlier.last);
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

void tdi_body_contact_begin_pieces(tdi_body_contact *t) {
    t->earlier.count = t->earlier.next = 0;
    t->earlier.last = 1;
}

// Pieces have their contacts in the same order, so that most are found where the search begins.
static td_contact *find_earlier(tdi_earlier_contacts *e, const td_contact *c) {
    const int32_t count = e->count < e->room ? e->count : e->room;
    for (int32_t k = 0; k < count; k++) {
        const int32_t at = (e->next + k) % count;
        if (same_sides(&e->contact[at], c)) {
            e->next = at + 1;
            return &e->contact[at];
        }
    }
    return NULL;
}

static void add_earlier(tdi_earlier_contacts *e, const td_contact *c) {
    td_contact *before = find_earlier(e, c);
    if (before) {
        const td_vec3 force = tdi_add(before->force, c->force);
        *before = *c;
        before->force = force;
    } else if (e->count < e->limit) {
        if (e->count < e->room) {
            e->contact[e->count] = *c;
        }
        e->count++;
    }
}

void tdi_body_contact_note_piece(tdi_body_contact *t, td_real part, bool last) {
    int32_t count = 0;
    const tdi_contact *list = contact_list(t, &count);
    t->earlier.last = part;
    for (int32_t k = 0; !last && k < count; k++) {
        const td_contact c = contact_of(t, &list[k], part);
        if (!list[k].rolling && tdi_dot(c.force, c.force) > 0) {
            add_earlier(&t->earlier, &c);
        }
    }
}

void tdi_body_contact_note_impact(tdi_body_contact *t, td_real part) {
    tdi_body_contact_note_piece(t, part, false);
    tdi_contacts_forget(t->set);
}

// The first of `all` contacts at the end of the step with these sides, from `from` on; all: none.
static int32_t find_last(const tdi_body_contact *t, const tdi_contact *list, int32_t all,
                         const td_contact *c, int32_t from) {
    for (int32_t k = 0; k < all; k++) {
        const int32_t at = (from + k) % all;
        const td_contact own = contact_of(t, &list[at], 1);
        if (same_sides(&own, c)) {
            return at;
        }
    }
    return all;
}

// Adds those of the earlier pieces to `all` contacts of the last: how many there are with them.
static int32_t add_earlier_pieces(const tdi_body_contact *t, const tdi_contact *list, int32_t all,
                                  td_contact *contacts, int32_t capacity) {
    int32_t count = all, from = 0;
    for (int32_t k = 0; k < t->earlier.count && k < t->earlier.room; k++) {
        const td_contact *before = &t->earlier.contact[k];
        const int32_t at = find_last(t, list, all, before, from);
        if (at < all) {
            from = at + 1;
            if (at < capacity) {
                contacts[at].force = tdi_add(contacts[at].force, before->force);
            }
        } else {
            if (count < capacity) {
                contacts[count] = *before;
            }
            count++;
        }
    }
    return count;
}

int32_t tdi_body_contact_report(const tdi_body_contact *t, td_contact *contacts, int32_t capacity) {
    int32_t count = 0, all = 0, at = 0;
    const tdi_contact *list = t->set ? contact_list(t, &count) : NULL;
    for (; all < count && !list[all].friction; all++) {
        if (all < capacity) {
            contacts[all] = contact_of(t, &list[all], t->earlier.last);
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
    return add_earlier_pieces(t, list, all, contacts, capacity);
}
