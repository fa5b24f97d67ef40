// SPDX-License-Identifier: MIT
// Room for what grows with actors and colliders: it is taken when they are made, so that steps take
// none. Arrays double when they grow; those that they replace stay in the arena until the end.

#include "world/world.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "implicit/constraint.h"

#include <stdio.h>
#include <string.h>

// An array that may grow: where its pointer is.
typedef struct growing {
    void *pointer;
    size_t item;
} growing;

enum { MOST_ARRAYS = 24 };

// Initial room for contact. A single plant of 31 segments on the ground has 40 to 60 near pairs and
// one to three contacts.
#define FIRST_PAIRS    16
#define SPARE          8 // 1/8 of all memory: the surplus of a new chunk
#define FIRST_NEAR     2 // a segment: pairs of segments
#define FIRST_CONTACTS 6

// All of them, or none. What they held is kept, what is new is zero.
static td_status grow(td_world *w, const growing *arrays, size_t count, int64_t before,
                      int64_t after) {
    void *grown[MOST_ARRAYS];
    for (size_t k = 0; k < count; k++) {
        grown[k] = tdi_arena_zeroed(&w->arena, (size_t)after + 1, arrays[k].item);
        if (!grown[k]) {
            return TD_ERR_MEMORY;
        }
    }
    for (size_t k = 0; k < count; k++) {
        void *old;
        memcpy(&old, arrays[k].pointer, sizeof old);
        if (old) {
            memcpy(grown[k], old, ((size_t)before + 1) * arrays[k].item);
        }
        memcpy(arrays[k].pointer, &grown[k], sizeof old);
    }
    return TD_OK;
}

static int64_t grown_to(int64_t capacity, int64_t need) {
    return need > 2 * capacity ? need : 2 * capacity;
}

// ---- actors ---------------------------------------------------------------------------------

td_status tdi_world_actor_room(td_world *w, int64_t count) {
    tdi_nearness *n = &w->near;
    const growing arrays[] = {{&w->actors, sizeof *w->actors},
                              {&w->islands.all, sizeof *w->islands.all},
                              {&w->islands.active, sizeof *w->islands.active},
                              {&w->islands.members, sizeof *w->islands.members},
                              {&w->islands.member_actor, sizeof *w->islands.member_actor},
                              {&w->constraints.root, sizeof *w->constraints.root},
                              {&w->constraints.group_of, sizeof *w->constraints.group_of},
                              {&w->constraints.group_actor, sizeof *w->constraints.group_actor},
                              {&w->constraints.group_member, sizeof *w->constraints.group_member},
                              {&w->constraints.groups, sizeof *w->constraints.groups},
                              {&n->root, sizeof *n->root},
                              {&n->place, sizeof *n->place},
                              {&n->first_point, sizeof *n->first_point},
                              {&n->before, sizeof *n->before},
                              {&n->before_count, sizeof *n->before_count},
                              {&n->contact, sizeof *n->contact}};
    if (w->actors && count <= w->room.actor_capacity) {
        return TD_OK;
    }
    const int64_t capacity = grown_to(w->room.actor_capacity, count);
    if (capacity > INT32_MAX / 2) {
        return TD_ERR_LIMIT;
    }
    td_status status =
        grow(w, arrays, sizeof arrays / sizeof *arrays, w->room.actor_capacity, capacity);
    if (status == TD_OK) {
        w->room.actor_capacity = (int32_t)capacity;
        w->islands.regroup = true; // members of islands point to actors
    }
    return status;
}

// ---- contact --------------------------------------------------------------------------------

static td_status grow_points(td_world *w, int64_t points, int64_t capsules) {
    tdi_nearness *n = &w->near;
    const growing of_points[] = {{&n->x, sizeof *n->x},
                                 {&n->next, sizeof *n->next},
                                 {&n->dx, sizeof *n->dx},
                                 {&n->last, sizeof *n->last}};
    const growing of_capsules[] = {{&n->owner, sizeof *n->owner},
                                   {&n->capsule, sizeof *n->capsule}};
    td_status status = TD_OK;
    if (!n->x || points > n->point_capacity) {
        const int64_t to = grown_to(n->point_capacity, points);
        status = grow(w, of_points, 4, n->point_capacity, to);
        n->point_capacity = status == TD_OK ? to : n->point_capacity;
    }
    if (status == TD_OK && (!n->capsule || capsules > n->capsule_capacity)) {
        const int64_t to = grown_to(n->capsule_capacity, capsules);
        status = grow(w, of_capsules, 2, n->capsule_capacity, to);
        n->capsule_capacity = status == TD_OK ? to : n->capsule_capacity;
    }
    return status;
}

static size_t doubled(size_t before, size_t need) {
    return need > 2 * before ? need : 2 * before;
}

// Most of it is never used, so it is not cleared.
static td_status resize(const td_world *w, char **block, size_t *bytes, size_t need) {
    if (*block && need <= *bytes) {
        return TD_OK;
    }
    const size_t size = doubled(*bytes, need);
    char *made = tdi_alloc_resize(w->alloc, NULL, 0, size);
    if (made) {
        tdi_alloc_free(w->alloc, *block, *bytes);
        *block = made;
        *bytes = size;
    }
    return made ? TD_OK : TD_ERR_MEMORY;
}

// Initial room for contact of an actor: a single plant seldom needs more.
static tdi_member_room first_room(const td_world *w, const tdi_actor *a) {
    const int32_t capsules = a->has_contact ? a->state->capsule_count : 0, most = TDI_PAIRS_MOST;
    const int64_t each = w->room.near_pairs < most ? w->room.near_pairs : most,
                  pairs = each * capsules < INT32_MAX / 4 ? each * capsules : INT32_MAX / 4;
    const bool self = w->scene->def.contact.self;
    tdi_member_room room = {{FIRST_PAIRS + (self ? FIRST_NEAR : 0) * capsules, FIRST_CONTACTS}, 0};
    if (pairs > 0) {
        room.contact.pairs =
            (int32_t)pairs > room.contact.pairs ? (int32_t)pairs : room.contact.pairs;
        room.contact.contacts = room.contact.pairs / 2 + 1;
        room.blocks = INT32_MAX / 4;
    }
    return room;
}

// Measures the memory for contact of each actor alone, its largest contribution to an island.
// Actors whose room grew get new memory. Returns the bytes of all, and in `most` of the largest.
static size_t measure_rooms(td_world *w, size_t *most) {
    const td_contact_opts opts = tdi_world_contact_opts(w);
    size_t all = 0;
    *most = 0;
    for (int32_t k = 0; k < w->room.made_count; k++) {
        tdi_actor *a = &w->actors[k];
        const bool in_contact =
            a->has_contact || w->constraints.group_of[k] != TD_NONE; // by itself, or with others
        tdi_actor_make_room(w, a);
        const tdi_member m = {.body = a->state,
                              .opts = &a->step.opts,
                              .without_contact = !a->has_contact,
                              .relations = tdi_world_relations(w, k),
                              .room = &a->contact.room};
        const size_t bytes =
            in_contact
                ? tdi_block_bytes(tdi_body_contact_bytes(&m, 1, &opts, w->colliders.capacity))
                : 0;
        if (bytes != a->contact.room_bytes || m.relations != a->contact.relations) {
            w->near.before[k] = TD_NONE;
            a->contact.room_bytes = bytes;
            a->contact.relations = m.relations;
        }
        all += bytes;
        *most = bytes > *most ? bytes : *most;
    }
    return all;
}

void tdi_actor_make_room(const td_world *w, tdi_actor *a) {
    if (a->contact.room.contact.pairs == 0) {
        a->contact.room = first_room(w, a);
    }
}

void tdi_world_forget_contact(td_world *w) {
    for (int32_t k = 0; k < w->room.made_count; k++) {
        w->near.before[k] = TD_NONE;
    }
}

// One chunk in place of all: islands of any members find room in it, one after the other. Nobody
// has contacts until the next step.
static td_status renew_blocks(td_world *w, size_t bytes) {
    tdi_blocks fresh = {.alloc = w->alloc};
    const td_status status = tdi_blocks_grow(&fresh, bytes);
    if (status == TD_OK) {
        tdi_blocks_free(&w->near.blocks);
        w->near.blocks = fresh;
        memset(w->near.contact, 0, (size_t)w->room.actor_capacity * sizeof(tdi_body_contact *));
        w->islands.count = w->islands.active_count = 0;
    }
    return status;
}

// Blocks for contact of all actors, and of any island.
static td_status contact_room(td_world *w) {
    tdi_nearness *n = &w->near;
    size_t most;
    const size_t all = measure_rooms(w, &most) + 1, have = n->blocks.bytes;
    n->blocks.alloc = w->alloc;
    // with some to spare: islands across chunks find no block
    size_t more = all > have ? all - have + all / SPARE + most : 0;
    more = more < n->lacks ? n->lacks : more;
    td_status status = TD_OK;
    if (more > 0) {
        status = w->room.no_growth || have == 0 ? renew_blocks(w, all)
                                                : tdi_blocks_grow(&n->blocks, more);
    }
    n->lacks = status == TD_OK ? 0 : n->lacks;
    return status == TD_OK ? resize(w, &n->trial, &n->trial_bytes, most + 1) : status;
}

// Room for pairs of all actors that were made.
static td_status set_room(td_world *w, int64_t points, int64_t capsules) {
    tdi_nearness *n = &w->near;
    const td_contact_opts opts = tdi_world_contact_opts(w);
    const int64_t first = FIRST_PAIRS + (opts.self ? 1 + w->room.near_pairs : 0) * capsules,
                  least = first < INT32_MAX / 4 ? first : INT32_MAX / 4;
    n->set_pairs = least > n->set_pairs ? (int32_t)least : n->set_pairs;
    const tdi_contact_room room = {.pairs = n->set_pairs};
    const tdi_contacts_def def = {.opts = &opts,
                                  .room = &room,
                                  .capsule_count = (int32_t)capsules,
                                  .point_count = (int32_t)points};
    return resize(w, &n->set_room, &n->set_bytes, capsules > 0 ? tdi_contacts_bytes(&def) : 1);
}

// Of all actors that were made.
static void count_parts(const td_world *w, int64_t *points, int64_t *capsules) {
    *points = *capsules = 0;
    for (int32_t k = 0; k < w->room.made_count; k++) {
        const tdi_actor *a = &w->actors[k];
        *points += a->has_contact ? a->state->point_count : 0;
        *capsules += a->has_contact ? a->state->capsule_count : 0;
    }
}

static td_status make_contact_room(td_world *w, td_diag *diag) {
    int64_t points, capsules;
    count_parts(w, &points, &capsules);
    if (points > INT32_MAX / 2 || capsules > INT32_MAX / 64) {
        return tdi_fail(diag, TD_ERR_LIMIT, "too many segments that may touch");
    }
    td_status status = grow_points(w, points, capsules);
    status = status == TD_OK ? contact_room(w) : status;
    return status == TD_OK ? set_room(w, points, capsules) : status;
}

void tdi_world_number_points(td_world *w, int32_t from) {
    for (int32_t k = from; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        w->near.first_point[k + 1] =
            w->near.first_point[k] + (a->has_contact ? a->state->point_count : 0);
    }
}

td_status tdi_world_step_room(td_world *w, td_diag *diag) {
    td_status status = tdi_world_has_contact(w) ? make_contact_room(w, diag) : TD_OK;
    w->islands.regroup = true;
    tdi_world_forget_places(w);
    return status;
}

td_status tdi_world_limit_pairs(td_world *w, int32_t pairs, td_diag *diag) {
    const int32_t before = w->near.pairs;
    td_status status = pairs > TDI_PAIRS_MOST ? TD_ERR_LIMIT : TD_OK;
    if (status == TD_OK) {
        w->near.pairs = pairs;
        tdi_world_forget_contact(w);
        status = tdi_world_step_room(w, diag);
    }
    if (status != TD_OK) {
        w->near.pairs = before;
        return tdi_fail(diag, status, "there is no room for %d pairs of near segments, a segment",
                        (int)pairs);
    }
    return TD_OK;
}

// ---- what ran out ---------------------------------------------------------------------------

bool tdi_world_reached_limit(const td_world *w) {
    bool reached = w->near.set && tdi_contacts_full(w->near.set);
    for (int32_t k = 0; k < w->islands.active_count && !reached; k++) {
        const tdi_island *i = &w->islands.all[w->islands.active[k]];
        reached = w->actors[w->islands.member_actor[i->first]].step.status != TD_OK && i->contact &&
                  i->contact->set && tdi_contacts_full(i->contact->set);
    }
    return reached && !w->room.no_growth;
}

bool tdi_world_grow_pairs(td_world *w) {
    tdi_nearness *n = &w->near;
    tdi_contact_room more;
    int64_t points, capsules;
    if (w->room.no_growth || !tdi_contacts_lack(n->set, &more)) {
        return false;
    }
    n->set_pairs += more.pairs;
    count_parts(w, &points, &capsules);
    return set_room(w, points, capsules) == TD_OK;
}

bool tdi_world_grow_blocks(td_world *w) {
    return !w->room.no_growth && contact_room(w) == TD_OK;
}

static bool lacks_room(const tdi_island *i) {
    return i->contact && i->contact->set && tdi_body_contact_lacks_room(i->contact);
}

bool tdi_island_lacks_room(const td_world *w, const tdi_island *i) {
    return lacks_room(i) && !w->room.no_growth;
}

bool tdi_island_needs_growth(const td_world *w, const tdi_island *i) {
    return lacks_room(i) && w->room.no_growth;
}

void tdi_world_advise_room(const td_world *w, td_status status, td_diag *diag) {
    if (status == TD_ERR_LIMIT && w->room.no_growth) {
        const size_t used = strlen(diag->message);
        snprintf(diag->message + used, sizeof diag->message - used,
                 "; take room from the start with near_pairs (now %d), or allow growth",
                 (int)w->room.near_pairs);
    }
}

td_status tdi_world_grow_pending(td_world *w, td_diag *diag) {
    for (int32_t k = 0; k < w->islands.active_count; k++) {
        const tdi_island *i = &w->islands.all[w->islands.active[k]];
        for (int32_t j = 0; i->pending && j < i->count; j++) {
            tdi_body_contact_grow(i->contact, j,
                                  &w->actors[w->islands.member_actor[i->first + j]].contact.room);
        }
    }
    bool fits = tdi_world_grow_blocks(w);
    for (int32_t k = 0; k < w->islands.active_count && fits; k++) {
        tdi_island *i = &w->islands.all[w->islands.active[k]];
        fits = !i->pending || tdi_island_place_contact(w, i) ||
               (tdi_world_grow_blocks(w) && tdi_island_place_contact(w, i));
    }
    return fits ? TD_OK : tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contact");
}

td_status tdi_world_constraint_room(td_world *w, int64_t count) {
    const growing arrays[] = {{&w->constraints.slots, sizeof *w->constraints.slots}};
    if (w->constraints.slots && count <= w->constraints.slot_capacity) {
        return TD_OK;
    }
    const int64_t capacity = grown_to(w->constraints.slot_capacity, count);
    td_status status = capacity > INT32_MAX / 64
                           ? TD_ERR_LIMIT
                           : grow(w, arrays, 1, w->constraints.slot_capacity, capacity);
    if (status == TD_OK) {
        w->constraints.slot_capacity = (int32_t)capacity;
    }
    return status;
}

// ---- colliders ------------------------------------------------------------------------------

td_status tdi_world_collider_room(td_world *w, int64_t count) {
    const growing arrays[] = {{&w->colliders.slots, sizeof *w->colliders.slots},
                              {&w->colliders.enabled, sizeof *w->colliders.enabled},
                              {&w->colliders.labels, sizeof *w->colliders.labels},
                              {&w->colliders.slot, sizeof *w->colliders.slot}};
    if (w->colliders.enabled && count <= w->colliders.capacity) {
        return TD_OK;
    }
    const int64_t capacity = grown_to(w->colliders.capacity, count);
    if (capacity > INT32_MAX / 64) {
        return TD_ERR_LIMIT;
    }
    td_status status = grow(w, arrays, 4, w->colliders.capacity, capacity);
    if (status == TD_OK) {
        w->colliders.capacity = (int32_t)capacity;
    }
    return status;
}
