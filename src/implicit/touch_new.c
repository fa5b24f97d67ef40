// SPDX-License-Identifier: MIT
// Making contact of the bodies of a system, in one block of memory.

#include "implicit/touch.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <string.h>

#define FIRST_BLOCKS 5 // a node: room for a chain that touches others here and there

// Capsules of a member that contact sees.
static int32_t capsules_of(const tdi_member *m) {
    return m->untouched ? 0 : m->body->capsule_count;
}

static void lay_out_scratch(tdi_touch *t, tdi_layout *l) {
    const size_t points = (size_t)t->point_count, capsules = (size_t)t->capsule_count;
    const bool exact = t->opts.method == TD_CONTACT_EXACT;
    td_vec3 **places[] = {&t->x, &t->dx, &t->history, &t->began};
    td_vec3 **turns[] = {&t->turned, &t->turning};
    td_vec3 **gradients[] = {&t->answer, &t->way, &t->rest, &t->press, &t->sum};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        *places[k] = tdi_layout_place(l, points, sizeof(td_vec3));
    }
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
        *turns[k] = tdi_layout_place(l, capsules, sizeof(td_vec3));
    }
    t->ahead = tdi_layout_place(l, exact ? points : 0, sizeof *t->ahead);
    t->borne = tdi_layout_place(l, exact ? TDI_PLACES * capsules : 0, sizeof *t->borne);
    t->moved = tdi_layout_place(l, points + capsules, sizeof *t->moved);
    for (size_t k = 0; k < sizeof gradients / sizeof *gradients; k++) {
        *gradients[k] = tdi_layout_place(l, t->couples ? points + capsules : 0, sizeof(td_vec3));
    }
}

static void lay_out(tdi_touch *t, tdi_layout *l) {
    const size_t members = (size_t)t->member_count, points = (size_t)t->point_count,
                 capsules = (size_t)t->capsule_count;
    tdi_layout_place(l, 1, sizeof *t);
    t->ops = tdi_layout_place(l, members, sizeof *t->ops);
    t->body = tdi_layout_place(l, members, sizeof *t->body);
    t->first_point = tdi_layout_place(l, members + 1, sizeof *t->first_point);
    t->first_capsule = tdi_layout_place(l, members + 1, sizeof *t->first_capsule);
    t->owner = tdi_layout_place(l, capsules, sizeof *t->owner);
    t->point_owner = tdi_layout_place(l, points, sizeof *t->point_owner);
    t->segment = tdi_layout_place(l, capsules, sizeof *t->segment);
    t->radius = tdi_layout_place(l, capsules, sizeof *t->radius);
    t->barrier = tdi_layout_place(l, members, sizeof *t->barrier);
    t->reach = tdi_layout_place(l, members, sizeof *t->reach);
    t->potential = tdi_layout_place(l, members, sizeof *t->potential);
    t->part = tdi_layout_place(l, members, sizeof *t->part);
    t->free = tdi_layout_place(l, members, sizeof *t->free);
    t->factored = tdi_layout_place(l, members, sizeof *t->factored);
    t->idle = tdi_layout_place(l, members, sizeof *t->idle);
    t->calm = tdi_layout_place(l, members, sizeof *t->calm);
    t->idling = tdi_layout_place(l, members, sizeof *t->idling);
    t->resting = tdi_layout_place(l, capsules, sizeof *t->resting);
    t->goes = tdi_layout_place(l, members, sizeof *t->goes);
    t->stiffness = tdi_layout_place(l, members, sizeof *t->stiffness);
    t->capsule = tdi_layout_place(l, capsules, sizeof *t->capsule);
    t->now = tdi_layout_place(l, points, sizeof *t->now);
    t->struck = tdi_layout_place(l, (size_t)t->struck_room, sizeof *t->struck);
    t->scratch = tdi_layout_place(l, 0, 1);
    lay_out_scratch(t, l);
    const size_t both = t->couples ? points + capsules : 0;
    t->active = tdi_layout_place(l, both, sizeof *t->active);
    t->is_active = tdi_layout_place(l, both, sizeof *t->is_active);
}

static bool are_kin(const tdi_touch *t, int32_t i, int32_t j) {
    const td_body *a = t->body[t->owner[i]], *b = t->body[t->owner[j]];
    const tdi_kin pair = {{a->number, b->number}, {t->segment[i], t->segment[j]}};
    return a->kin && b->kin && tdi_kin_has(a->kin, pair);
}

static bool skip_collider(const tdi_touch *t, int32_t i, int32_t collider) {
    const td_body *a = t->body[t->owner[i]];
    return !tdi_filters_collide(a->filter, tdi_contacts_collider(t->set, collider)->filter);
}

// Filters, kinship and the solver of a body exclude pairs.
static bool skip_pair(void *context, int32_t i, int32_t j) {
    const tdi_touch *t = context;
    if (j >= t->capsule_count) {
        return skip_collider(t, i, j - t->capsule_count);
    }
    const int32_t k = t->owner[i], l = t->owner[j];
    if (l != k) {
        const td_body *a = t->body[k], *b = t->body[l];
        return !tdi_filters_collide(a->filter, b->filter) || are_kin(t, i, j);
    }
    return t->ops[k]->apart &&
           t->ops[k]->apart(t->body[k], i - t->first_capsule[k], j - t->first_capsule[k]);
}

static void fill_capsules(tdi_touch *t) {
    for (int32_t k = 0; k < t->member_count; k++) {
        tdi_capsule *own = t->capsule + t->first_capsule[k];
        const int32_t count = t->first_capsule[k + 1] - t->first_capsule[k];
        if (count > 0) {
            t->ops[k]->capsules(t->body[k], own);
        }
        t->body[k]->in_contact = t->body[k]->in_contact || count > 0;
        for (int32_t i = 0; i < count; i++) {
            own[i].a += t->first_point[k];
            own[i].b += t->first_point[k];
            t->owner[t->first_capsule[k] + i] = k;
            t->segment[t->first_capsule[k] + i] = own[i].body;
            t->radius[t->first_capsule[k] + i] = own[i].radius;
        }
    }
}

static void fill_members(tdi_touch *t, const tdi_member *members) {
    for (int32_t k = 0; k < t->member_count; k++) {
        const td_body *head = members[k].body;
        t->ops[k] = members[k].body->ops;
        t->body[k] = members[k].body;
        t->barrier[k] = (tdi_barrier){.strength = 1, .reach = 1};
        t->first_point[k + 1] = t->first_point[k] + head->point_count;
        t->first_capsule[k + 1] = t->first_capsule[k] + capsules_of(&members[k]);
        for (int32_t p = t->first_point[k]; p < t->first_point[k + 1]; p++) {
            t->point_owner[p] = k;
        }
    }
}

static tdi_touch sized(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                       int32_t collider_limit) {
    tdi_touch t = {.member_count = count,
                   .opts = *opts,
                   .collider_limit = collider_limit,
                   .couples = true,
                   .overlaps = TD_NONE};
    int64_t contacts = 0;
    for (int32_t k = 0; k < count; k++) {
        const td_body *head = members[k].body;
        t.point_count += head->point_count;
        t.capsule_count += capsules_of(&members[k]);
        t.couples = t.couples && (!members[k].room || members[k].room->blocks > 0);
        contacts += members[k].room ? members[k].room->contact.contacts : INT32_MAX;
    }
    t.struck_limit = opts->method == TD_CONTACT_EXACT ? 2 * t.capsule_count : 0;
    t.struck_room = 2 * contacts < t.struck_limit ? 2 * (int32_t)contacts : t.struck_limit;
    return t;
}

// That of all members together; NULL: one of them has that of the limits.
static const tdi_contact_room *sum_rooms(const tdi_member *members, int32_t count,
                                         tdi_contact_room *sum) {
    int64_t pairs = 0, contacts = 0;
    for (int32_t k = 0; k < count; k++) {
        if (!members[k].room) {
            return NULL;
        }
        pairs += members[k].room->contact.pairs;
        contacts += members[k].room->contact.contacts;
    }
    sum->pairs = pairs < INT32_MAX ? (int32_t)pairs : INT32_MAX;
    sum->contacts = contacts < INT32_MAX ? (int32_t)contacts : INT32_MAX;
    return sum;
}

static tdi_contacts_def set_of(tdi_touch *t, const tdi_contact_room *room) {
    return (tdi_contacts_def){.opts = &t->opts,
                              .capsule = t->capsule,
                              .capsule_count = t->capsule_count,
                              .point_count = t->point_count,
                              .collider_limit = t->collider_limit,
                              .room = room,
                              .skip = skip_pair,
                              .context = t};
}

// A hash table of a power of two may be twice as large for the union as for its parts.
size_t tdi_touch_bytes(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                       int32_t collider_limit) {
    tdi_touch t = sized(members, count, opts, collider_limit);
    tdi_layout l = {NULL, 0};
    lay_out(&t, &l);
    tdi_coupled none;
    tdi_layout_place(&l, 1, sizeof none);
    tdi_coupled_lay_out(&none, members, count, &l);
    tdi_contact_room sum;
    const tdi_contacts_def def = set_of(&t, sum_rooms(members, count, &sum));
    return l.used + (t.capsule_count > 0 ? tdi_contacts_bytes(&def) : 0) +
           8 * sizeof(int32_t) * (size_t)(t.capsule_count + 4);
}

void tdi_touch_lend(tdi_touch *t, tdi_layout *l) {
    tdi_layout own = {t->scratch, 0};
    lay_out_scratch(t, l ? l : &own);
    tdi_coupled_lend(t->whole, l);
}

static void measure_scratch(tdi_touch *t) {
    tdi_layout scratch = {NULL, 0};
    tdi_touch_lend(t, &scratch);
    t->scratch_bytes = scratch.used;
    tdi_touch_lend(t, NULL);
}

// The coupled system, if it has a block of its own.
static void free_whole(const tdi_touch *t) {
    if (t->whole->bytes > 0) {
        tdi_coupled_free(t->whole, t->alloc);
    }
}

tdi_touch *tdi_touch_place(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                           int32_t collider_limit, void *memory) {
    tdi_touch made = sized(members, count, opts, collider_limit);
    tdi_layout l = {memory, 0};
    lay_out(&made, &l);
    memset(memory, 0, l.used);
    made.whole = tdi_layout_place(&l, 1, sizeof *made.whole);
    tdi_coupled_lay_out(made.whole, members, count, &l);
    tdi_touch *t = memory;
    *t = made;
    fill_members(t, members);
    fill_capsules(t);
    tdi_contact_room sum;
    const tdi_contacts_def def = set_of(t, sum_rooms(members, count, &sum));
    measure_scratch(t);
    t->set = t->capsule_count > 0 ? tdi_contacts_place(&def, (char *)memory + l.used) : NULL;
    return t;
}

// ---- room -----------------------------------------------------------------------------------

bool tdi_touch_lacks(const tdi_touch *t) {
    tdi_contact_room more;
    return t->lacks || t->whole->lacks || t->struck_count > t->struck_room ||
           (t->set && tdi_contacts_lack(t->set, &more));
}

// Members get more by the capsules that they have.
void tdi_touch_grow(const tdi_touch *t, int32_t member, tdi_member_room *room) {
    const int32_t own = t->first_capsule[member + 1] - t->first_capsule[member];
    const td_real share = (td_real)own / t->capsule_count;
    tdi_contact_room more;
    if (tdi_contacts_lack(t->set, &more)) {
        room->contact.pairs += (int32_t)ceil(share * more.pairs);
        room->contact.contacts += (int32_t)ceil(share * more.contacts);
    }
    if (t->struck_count > t->struck_room) {
        room->contact.contacts *= 2;
    }
    if (t->lacks || t->whole->lacks) {
        room->blocks = room->blocks > 0 ? 2 * room->blocks : FIRST_BLOCKS;
    }
}

td_status tdi_touch_no_room(const tdi_touch *t, td_diag *diag) {
    return tdi_fail(diag, TD_ERR_LIMIT,
                    t->lacks || t->whole->lacks
                        ? "there is no room to solve for all pairs of segments that touch"
                        : "there is no room for all pairs of near segments and colliders");
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_touch_new(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                        int32_t collider_limit, const td_alloc *alloc, tdi_touch **out,
                        td_diag *diag) {
    *out = NULL;
    td_status status = td_contact_opts_check(opts, diag);
    if (status != TD_OK) {
        return status;
    }
    if (count < 1 || collider_limit < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "contact needs at least one body and at least 0 colliders, not %d and %d",
                        (int)count, (int)collider_limit);
    }
    size_t bytes = tdi_touch_bytes(members, count, opts, collider_limit);
    void *memory = tdi_alloc_resize(alloc, NULL, 0, bytes);
    if (!memory) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contacts");
    }
    tdi_touch *t = tdi_touch_place(members, count, opts, collider_limit, memory);
    t->alloc = alloc;
    t->bytes = bytes;
    *out = t;
    return TD_OK;
}

bool tdi_touch_fit(tdi_touch *t, const tdi_member *members) {
    tdi_coupled *c = tdi_coupled_make(members, t->member_count, t->alloc);
    if (c) {
        free_whole(t);
        t->whole = c;
        measure_scratch(t);
    }
    return c;
}

void tdi_touch_free(tdi_touch *t) {
    if (t) {
        free_whole(t);
        tdi_alloc_free(t->alloc, t, t->bytes);
    }
}
