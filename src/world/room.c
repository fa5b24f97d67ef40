// SPDX-License-Identifier: MIT
// Room for what grows with actors and colliders: it is taken when they are made, so that steps take
// none. Arrays double when they grow; those that they replace stay in the arena until the end.

#include "world/world.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "implicit/hold.h"

#include <string.h>

// An array that may grow: where its pointer is.
typedef struct growing {
    void *pointer;
    size_t item;
} growing;

enum { MOST_ARRAYS = 24 };

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
                              {&w->constraints.tied, sizeof *w->constraints.tied},
                              {&w->constraints.group_of, sizeof *w->constraints.group_of},
                              {&w->constraints.group_actor, sizeof *w->constraints.group_actor},
                              {&w->constraints.group_member, sizeof *w->constraints.group_member},
                              {&w->constraints.groups, sizeof *w->constraints.groups},
                              {&n->root, sizeof *n->root},
                              {&n->place, sizeof *n->place},
                              {&n->first_point, sizeof *n->first_point},
                              {&n->before, sizeof *n->before},
                              {&n->before_count, sizeof *n->before_count},
                              {&n->share, sizeof *n->share},
                              {&n->at, sizeof *n->at}};
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

// The contact of the last step stays where it is until the next, for those who ask for it.
static td_status resize_contact(td_world *w, size_t need) {
    tdi_nearness *n = &w->near;
    if (n->room && need <= n->room_bytes) {
        return TD_OK;
    }
    char *old = n->room;
    const size_t old_bytes = n->room_bytes;
    n->room = NULL;
    td_status status = resize(w, &n->room, &n->room_bytes, need);
    if (status != TD_OK) {
        n->room = old;
        return status;
    }
    if (n->room_left || !old) { // the last step was in that one already
        tdi_alloc_free(w->alloc, old, old_bytes);
    } else {
        n->room_left = old;
        n->room_left_bytes = old_bytes;
    }
    return TD_OK;
}

// Bytes for the contact of an actor alone.
static size_t share_of(const td_world *w, int32_t k, const td_contact_opts *opts) {
    tdi_actor *a = &w->actors[k];
    const tdi_member m = {.body = a->state,
                          .opts = &a->step.opts,
                          .untouched = !a->touches,
                          .bonds = tdi_world_bonds(w, k)};
    const bool in_touch =
        a->touches || w->constraints.group_of[k] != TD_NONE; // by itself, or with others
    return in_touch ? tdi_touch_bytes(&m, 1, opts, w->colliders.capacity) : 0;
}

// Room for the contact of every actor alone: islands take no more.
static td_status contact_room(td_world *w) {
    const td_contact_opts opts = tdi_world_contact_opts(w);
    tdi_nearness *n = &w->near;
    size_t all = 0, most = 0;
    for (int32_t k = 0; k < w->room.made_count; k++) {
        const size_t share = share_of(w, k, &opts);
        all += share;
        most = share > most ? share : most;
    }
    td_status status = resize_contact(w, all + 1);
    status = status == TD_OK ? resize(w, &n->trial, &n->trial_bytes, most + 1) : status;
    for (int32_t k = 0; k < w->room.made_count && status == TD_OK; k++) {
        n->share[k] = share_of(w, k, &opts);
        w->actors[k].contact.bonds = tdi_world_bonds(w, k);
    }
    return status;
}

// Room for pairs of all actors that were made.
static td_status set_room(td_world *w, int64_t points, int64_t capsules) {
    const td_contact_opts opts = tdi_world_contact_opts(w);
    const tdi_contacts_def def = {
        .opts = &opts, .capsule_count = (int32_t)capsules, .point_count = (int32_t)points};
    return resize(w, &w->near.set_room, &w->near.set_bytes,
                  capsules > 0 ? tdi_contacts_bytes(&def) : 1);
}

static td_status touch_room(td_world *w, td_diag *diag) {
    int64_t points = 0, capsules = 0;
    for (int32_t k = 0; k < w->room.made_count; k++) {
        const tdi_actor *a = &w->actors[k];
        points += a->touches ? a->state->point_count : 0;
        capsules += a->touches ? a->state->capsule_count : 0;
    }
    if (points > INT32_MAX / 2 || capsules > INT32_MAX / 64) {
        return tdi_fail(diag, TD_ERR_LIMIT, "too many segments that may touch");
    }
    for (int32_t k = 0; k < w->room.made_count; k++) {
        w->near.before[k] = TD_NONE; // contact is placed anew
    }
    td_status status = grow_points(w, points, capsules);
    status = status == TD_OK ? contact_room(w) : status;
    return status == TD_OK ? set_room(w, points, capsules) : status;
}

void tdi_world_number_points(td_world *w, int32_t from) {
    for (int32_t k = from; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        w->near.first_point[k + 1] =
            w->near.first_point[k] + (a->touches ? a->state->point_count : 0);
    }
}

td_status tdi_world_step_room(td_world *w, td_diag *diag) {
    td_status status = tdi_world_touches(w) ? touch_room(w, diag) : TD_OK;
    w->islands.regroup = true;
    tdi_world_forget_places(w);
    return status;
}

td_status tdi_world_pair_room(td_world *w, int32_t pairs, td_diag *diag) {
    const int32_t before = w->near.pairs;
    td_status status = pairs > TDI_PAIRS_MOST ? TD_ERR_LIMIT : TD_OK;
    if (status == TD_OK) {
        w->near.pairs = pairs;
        status = tdi_world_step_room(w, diag);
    }
    if (status != TD_OK) {
        w->near.pairs = before;
        return tdi_fail(diag, status, "there is no room for %d pairs of near segments, a segment",
                        (int)pairs);
    }
    return TD_OK;
}

td_status tdi_world_tie_room(td_world *w, int64_t count) {
    const growing arrays[] = {{&w->constraints.ties, sizeof *w->constraints.ties}};
    if (w->constraints.ties && count <= w->constraints.tie_capacity) {
        return TD_OK;
    }
    const int64_t capacity = grown_to(w->constraints.tie_capacity, count);
    td_status status = capacity > INT32_MAX / 64
                           ? TD_ERR_LIMIT
                           : grow(w, arrays, 1, w->constraints.tie_capacity, capacity);
    if (status == TD_OK) {
        w->constraints.tie_capacity = (int32_t)capacity;
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
