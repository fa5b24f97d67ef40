// SPDX-License-Identifier: MIT
// Making contact of the bodies of a system, in one block of memory.

#include "implicit/body_contact.h"
#include "implicit/push.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <string.h>

#define FIRST_BLOCKS 5 // a node: room for a chain that touches others here and there

// Capsules of a member that contact sees.
static int32_t capsules_of(const tdi_member *m) {
    return m->without_contact ? 0 : m->body->capsule_count;
}

static void lay_out_scratch(tdi_body_contact *t, tdi_layout *l) {
    const size_t points = (size_t)t->point_count, capsules = (size_t)t->capsule_count;
    const bool exact = t->opts.method == TD_CONTACT_EXACT;
    td_vec3 **places[] = {&t->x, &t->dx, &t->history, &t->began};
    td_vec3 **turns[] = {&t->turned, &t->free_turn};
    td_vec3 **gradients[] = {&t->gradients.response, &t->gradients.direction,
                             &t->gradients.residual, &t->gradients.force, &t->gradients.total};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        *places[k] = tdi_layout_place(l, points, sizeof(td_vec3));
    }
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
        *turns[k] = tdi_layout_place(l, capsules, sizeof(td_vec3));
    }
    t->exact_step.free_path =
        tdi_layout_place(l, exact ? points : 0, sizeof *t->exact_step.free_path);
    t->exact_step.last_force = tdi_layout_place(l, exact ? TDI_CONTACT_POINTS * capsules : 0,
                                                sizeof *t->exact_step.last_force);
    t->motion = tdi_layout_place(l, points + capsules, sizeof *t->motion);
    for (size_t k = 0; k < sizeof gradients / sizeof *gradients; k++) {
        *gradients[k] =
            tdi_layout_place(l, t->memory.couples ? points + capsules : 0, sizeof(td_vec3));
    }
}

static void lay_out(tdi_body_contact *t, tdi_layout *l) {
    const size_t members = (size_t)t->member_count, points = (size_t)t->point_count,
                 capsules = (size_t)t->capsule_count;
    tdi_layout_place(l, 1, sizeof *t);
    t->body = tdi_layout_place(l, members, sizeof *t->body);
    t->first_point = tdi_layout_place(l, members + 1, sizeof *t->first_point);
    t->first_capsule = tdi_layout_place(l, members + 1, sizeof *t->first_capsule);
    t->owner = tdi_layout_place(l, capsules, sizeof *t->owner);
    t->point_owner = tdi_layout_place(l, points, sizeof *t->point_owner);
    t->barriers.state = tdi_layout_place(l, members, sizeof *t->barriers.state);
    t->barriers.range = tdi_layout_place(l, members, sizeof *t->barriers.range);
    t->barriers.potential = tdi_layout_place(l, members, sizeof *t->barriers.potential);
    t->solve.part = tdi_layout_place(l, members, sizeof *t->solve.part);
    t->search.free = tdi_layout_place(l, members, sizeof *t->search.free);
    t->solve.factored = tdi_layout_place(l, members, sizeof *t->solve.factored);
    t->idle_set.is_idle = tdi_layout_place(l, members, sizeof *t->idle_set.is_idle);
    t->idle_set.is_steady = tdi_layout_place(l, members, sizeof *t->idle_set.is_steady);
    t->idle_set.record = tdi_layout_place(l, members, sizeof *t->idle_set.record);
    t->idle_set.resting = tdi_layout_place(l, capsules, sizeof *t->idle_set.resting);
    t->search.moves_alone = tdi_layout_place(l, members, sizeof *t->search.moves_alone);
    t->exact_step.stiffness = tdi_layout_place(l, members, sizeof *t->exact_step.stiffness);
    t->capsule = tdi_layout_place(l, capsules, sizeof *t->capsule);
    t->now = tdi_layout_place(l, points, sizeof *t->now);
    t->earlier.contact = tdi_layout_place(l, (size_t)t->earlier.room, sizeof *t->earlier.contact);
    t->memory.scratch = tdi_layout_place(l, 0, 1);
    lay_out_scratch(t, l);
    const size_t both = t->memory.couples ? points + capsules : 0;
    t->gradients.active = tdi_layout_place(l, both, sizeof *t->gradients.active);
    t->gradients.is_active = tdi_layout_place(l, both, sizeof *t->gradients.is_active);
}

static bool are_severed(const tdi_body_contact *t, int32_t i, int32_t j) {
    const td_body *a = t->body[t->owner[i]], *b = t->body[t->owner[j]];
    const tdi_severed_pair pair = {{a->collision.number, b->collision.number},
                                   {t->capsule[i].body, t->capsule[j].body}};
    return a->collision.severed && b->collision.severed &&
           tdi_severed_has(a->collision.severed, pair);
}

static bool skip_collider(const tdi_body_contact *t, int32_t i, int32_t collider) {
    const td_body *a = t->body[t->owner[i]];
    return !tdi_filters_collide(a->collision.filter,
                                tdi_contacts_collider(t->set, collider)->filter);
}

static bool are_pushed(const tdi_body_contact *t, int32_t i, int32_t j) {
    const int32_t k = t->owner[i], l = t->owner[j];
    const tdi_collision_identity *a = &t->body[k]->collision, *b = &t->body[l]->collision;
    const int32_t number[2] = {a->number, b->number},
                  capsule[2] = {i - t->first_capsule[k], j - t->first_capsule[l]};
    return a->pushes && a->pushes->count > 0 && tdi_pushes_has(a->pushes, number, capsule);
}

// Filters, severed and pushed pairs, and the solver of a body exclude pairs.
static bool skip_pair(void *context, int32_t i, int32_t j) {
    const tdi_body_contact *t = context;
    if (j >= t->capsule_count) {
        return skip_collider(t, i, j - t->capsule_count);
    }
    const int32_t k = t->owner[i], l = t->owner[j];
    if (are_pushed(t, i, j)) {
        return true;
    }
    if (l != k) {
        const td_body *a = t->body[k], *b = t->body[l];
        return !tdi_filters_collide(a->collision.filter, b->collision.filter) ||
               are_severed(t, i, j);
    }
    const tdi_contact_ops *ops = t->body[k]->ops->contact;
    return ops->is_excluded &&
           ops->is_excluded(t->body[k], i - t->first_capsule[k], j - t->first_capsule[k]);
}

static void fill_capsules(tdi_body_contact *t) {
    for (int32_t k = 0; k < t->member_count; k++) {
        tdi_capsule *own = t->capsule + t->first_capsule[k];
        const int32_t count = t->first_capsule[k + 1] - t->first_capsule[k];
        if (count > 0) {
            t->body[k]->ops->contact->capsules(t->body[k], own);
        }
        t->body[k]->in_contact = t->body[k]->in_contact || count > 0;
        for (int32_t i = 0; i < count; i++) {
            own[i].a += t->first_point[k];
            own[i].b += t->first_point[k];
            t->owner[t->first_capsule[k] + i] = k;
        }
    }
}

static void fill_members(tdi_body_contact *t, const tdi_member *members) {
    for (int32_t k = 0; k < t->member_count; k++) {
        const td_body *head = members[k].body;
        t->body[k] = members[k].body;
        t->barriers.state[k] = (tdi_barrier){.strength = 1, .range = 1};
        t->first_point[k + 1] = t->first_point[k] + head->point_count;
        t->first_capsule[k + 1] = t->first_capsule[k] + capsules_of(&members[k]);
        for (int32_t p = t->first_point[k]; p < t->first_point[k + 1]; p++) {
            t->point_owner[p] = k;
        }
    }
}

static tdi_body_contact sized(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                              int32_t collider_limit) {
    tdi_body_contact t = {.member_count = count,
                          .opts = *opts,
                          .memory.collider_limit = collider_limit,
                          .memory.couples = true,
                          .search.overlapping = TD_NONE};
    int64_t contacts = 0;
    for (int32_t k = 0; k < count; k++) {
        const td_body *head = members[k].body;
        t.point_count += head->point_count;
        t.capsule_count += capsules_of(&members[k]);
        t.memory.couples = t.memory.couples && (!members[k].room || members[k].room->blocks > 0);
        contacts += members[k].room ? members[k].room->contact.contacts : INT32_MAX;
    }
    t.earlier.limit = 4 * t.capsule_count;
    t.earlier.room = contacts < t.earlier.limit ? (int32_t)contacts : t.earlier.limit;
    t.earlier.last = 1;
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

static tdi_contacts_def set_of(tdi_body_contact *t, const tdi_contact_room *room) {
    return (tdi_contacts_def){.opts = &t->opts,
                              .capsule = t->capsule,
                              .capsule_count = t->capsule_count,
                              .point_count = t->point_count,
                              .collider_limit = t->memory.collider_limit,
                              .room = room,
                              .skip = skip_pair,
                              .context = t};
}

// A hash table of a power of two may be twice as large for the union as for its parts.
size_t tdi_body_contact_bytes(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                              int32_t collider_limit) {
    tdi_body_contact t = sized(members, count, opts, collider_limit);
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

void tdi_body_contact_lend(tdi_body_contact *t, tdi_layout *l) {
    tdi_layout own = {t->memory.scratch, 0};
    lay_out_scratch(t, l ? l : &own);
    tdi_coupled_lend(t->solve.coupled, l);
}

static void measure_scratch(tdi_body_contact *t) {
    tdi_layout scratch = {NULL, 0};
    tdi_body_contact_lend(t, &scratch);
    t->memory.scratch_bytes = scratch.used;
    tdi_body_contact_lend(t, NULL);
}

// The coupled system, if it has a block of its own.
static void free_whole(const tdi_body_contact *t) {
    if (t->solve.coupled->bytes > 0) {
        tdi_coupled_free(t->solve.coupled, t->memory.alloc);
    }
}

tdi_body_contact *tdi_body_contact_place(const tdi_member *members, int32_t count,
                                         const td_contact_opts *opts, int32_t collider_limit,
                                         void *memory) {
    tdi_body_contact made = sized(members, count, opts, collider_limit);
    tdi_layout l = {memory, 0};
    lay_out(&made, &l);
    memset(memory, 0, l.used);
    made.solve.coupled = tdi_layout_place(&l, 1, sizeof *made.solve.coupled);
    tdi_coupled_lay_out(made.solve.coupled, members, count, &l);
    tdi_body_contact *t = memory;
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

bool tdi_body_contact_lacks_room(const tdi_body_contact *t) {
    tdi_contact_room more;
    return t->memory.lacks || t->solve.coupled->lacks || t->earlier.count > t->earlier.room ||
           (t->set && tdi_contacts_lack(t->set, &more));
}

static int32_t more_of(int32_t room, td_real asked) {
    return asked > room ? (int32_t)ceil(asked) : asked > 0 ? room : 0;
}

// Members get more by the capsules that they have, twice as much at least, so that it seldom grows.
void tdi_body_contact_grow(const tdi_body_contact *t, int32_t member, tdi_member_room *room) {
    const int32_t own = t->first_capsule[member + 1] - t->first_capsule[member];
    const td_real share = (td_real)own / t->capsule_count;
    tdi_contact_room more;
    if (tdi_contacts_lack(t->set, &more)) {
        room->contact.pairs += more_of(room->contact.pairs, share * more.pairs);
        room->contact.contacts += more_of(room->contact.contacts, share * more.contacts);
    }
    if (t->earlier.count > t->earlier.room) {
        room->contact.contacts *= 2;
    }
    if (t->memory.lacks || t->solve.coupled->lacks) {
        room->blocks = room->blocks > 0 ? 2 * room->blocks : FIRST_BLOCKS;
    }
}

td_status tdi_body_contact_no_room(const tdi_body_contact *t, td_diag *diag) {
    return tdi_fail(diag, TD_ERR_LIMIT,
                    t->memory.lacks || t->solve.coupled->lacks
                        ? "there is no room to solve for all pairs of segments that touch"
                        : "there is no room for all pairs of near segments and colliders");
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_body_contact_new(const tdi_member *members, int32_t count,
                               const td_contact_opts *opts, int32_t collider_limit,
                               const td_alloc *alloc, tdi_body_contact **out, td_diag *diag) {
    *out = NULL;
    TDI_TRY(td_contact_opts_check(opts, diag));
    if (count < 1 || collider_limit < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "contact needs at least one body and at least 0 colliders, not %d and %d",
                        (int)count, (int)collider_limit);
    }
    size_t bytes = tdi_body_contact_bytes(members, count, opts, collider_limit);
    void *memory = tdi_alloc_resize(alloc, NULL, 0, bytes);
    if (!memory) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contacts");
    }
    tdi_body_contact *t = tdi_body_contact_place(members, count, opts, collider_limit, memory);
    t->memory.alloc = alloc;
    t->memory.bytes = bytes;
    *out = t;
    return TD_OK;
}

bool tdi_body_contact_resize(tdi_body_contact *t, const tdi_member *members) {
    tdi_coupled *c = tdi_coupled_make(members, t->member_count, t->memory.alloc);
    if (c) {
        free_whole(t);
        t->solve.coupled = c;
        measure_scratch(t);
    }
    return c;
}

void tdi_body_contact_free(tdi_body_contact *t) {
    if (t) {
        free_whole(t);
        tdi_alloc_free(t->memory.alloc, t, t->memory.bytes);
    }
}
