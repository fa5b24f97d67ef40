// SPDX-License-Identifier: MIT
// Which contacts began and ended in a step: the sorted pairs of this step and of the last, merged.
// And what bases carry.

#include "world/world.h"

#include "base/guard.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>

// ---- pairs ----------------------------------------------------------------------------------

static int compare(const tdi_pair *a, const tdi_pair *b) {
    for (int k = 0; k < TDI_PAIR_NUMBERS; k++) {
        if (a->number[k] != b->number[k]) {
            return a->number[k] < b->number[k] ? -1 : 1;
        }
    }
    return 0;
}

static tdi_pair pair_of(const td_world *w, const td_contact *c) {
    const td_actor_id actor = td_world_actor_id(w, c->actor);
    const td_actor_id other = td_world_actor_id(w, c->other_actor);
    td_collider_id collider = {0};
    if (c->other_actor == TD_NONE) {
        collider = td_world_collider_id(w, c->other);
    }
    return (tdi_pair){{actor.place, actor.generation, (uint32_t)c->segment, other.place,
                       other.generation, collider.place, collider.generation,
                       c->other_actor == TD_NONE ? 0 : (uint32_t)c->other}};
}

static td_contact_event event_of(const td_world *w, const tdi_pair *p, bool began) {
    const uint32_t *n = p->number;
    return (td_contact_event){.began = began,
                              .actor = {n[0], n[1], w->ids.number},
                              .segment = (int32_t)n[2],
                              .other_actor = {n[3], n[4], n[3] ? w->ids.number : 0},
                              .other_collider = {n[5], n[6], n[5] ? w->ids.number : 0},
                              .other_segment = n[3] ? (int32_t)n[7] : TD_NONE};
}

// ---- sorting --------------------------------------------------------------------------------

static void swap(tdi_pair *a, tdi_pair *b) {
    const tdi_pair kept = *a;
    *a = *b;
    *b = kept;
}

static void sift(tdi_pair *p, int32_t from, int32_t count) {
    for (int32_t child; (child = 2 * from + 1) < count; from = child) {
        child += child + 1 < count && compare(&p[child], &p[child + 1]) < 0;
        if (compare(&p[from], &p[child]) >= 0) {
            return;
        }
        swap(&p[from], &p[child]);
    }
}

// Heapsort: no memory, no bad case.
static void sort(tdi_pair *p, int32_t count) {
    for (int32_t k = count / 2 - 1; k >= 0; k--) {
        sift(p, k, count);
    }
    for (int32_t k = count - 1; k > 0; k--) {
        swap(&p[0], &p[k]);
        sift(p, 0, k);
    }
}

// Several contacts of a pair count as one.
static int32_t unique(tdi_pair *p, int32_t count) {
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        if (kept == 0 || compare(&p[kept - 1], &p[k]) != 0) {
            p[kept++] = p[k];
        }
    }
    return kept;
}

void tdi_watch_sort(tdi_watch *watch) {
    sort(watch->last, watch->last_count);
    watch->last_count = unique(watch->last, watch->last_count);
}

// ---- steps ----------------------------------------------------------------------------------

void tdi_world_watch(td_world *w) {
    tdi_watch *t = &w->watch;
    if (t->capacity == 0) {
        return;
    }
    tdi_pair *before = t->last;
    const int32_t before_count = t->last_count;
    int32_t found = td_world_contacts(w, t->contacts, t->capacity), k = 0, j = 0;
    found = found < t->capacity ? found : t->capacity;
    for (int32_t i = 0; i < found; i++) {
        t->spare[i] = pair_of(w, &t->contacts[i]);
    }
    sort(t->spare, found);
    t->last = t->spare;
    t->spare = before;
    t->last_count = unique(t->last, found);
    t->event_count = 0;
    while (j < before_count || k < t->last_count) {
        const int order = j == before_count    ? 1
                          : k == t->last_count ? -1
                                               : compare(&before[j], &t->last[k]);
        if (order != 0) {
            t->events[t->event_count++] =
                order < 0 ? event_of(w, &before[j], false) : event_of(w, &t->last[k], true);
        }
        j += order <= 0;
        k += order >= 0;
    }
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_watch_make(const td_world *w, int32_t capacity, tdi_watch *out) {
    const size_t n = (size_t)capacity;
    *out = (tdi_watch){.capacity = capacity};
    if (n == 0) {
        return TD_OK;
    }
    out->last = tdi_alloc_zeroed(w->alloc, n, sizeof *out->last);
    out->spare = tdi_alloc_zeroed(w->alloc, n, sizeof *out->spare);
    out->contacts = tdi_alloc_zeroed(w->alloc, n, sizeof *out->contacts);
    out->events = tdi_alloc_zeroed(w->alloc, 2 * n, sizeof *out->events);
    if (!out->last || !out->spare || !out->contacts || !out->events) {
        tdi_watch_free(w, out);
        return TD_ERR_MEMORY;
    }
    return TD_OK;
}

td_status td_world_watch_contacts(td_world *w, int32_t capacity, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_watch made;
    if (capacity < 0 || capacity > TDI_WATCH_MOST) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "capacity is %d; it must be from 0 to %d",
                        (int)capacity, TDI_WATCH_MOST);
    }
    if (capacity > 0 && !tdi_world_has_contact(w)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the scene has no contact, so that there is nothing to watch: give it "
                        "'contact: {}'");
    }
    if (tdi_watch_make(w, capacity, &made) != TD_OK) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for %d contacts", (int)capacity);
    }
    tdi_watch_free(w, &w->watch);
    w->watch = made;
    return TD_OK;
}

void tdi_watch_free(const td_world *w, tdi_watch *t) {
    const size_t n = (size_t)t->capacity;
    tdi_alloc_free(w->alloc, t->last, n * sizeof *t->last);
    tdi_alloc_free(w->alloc, t->spare, n * sizeof *t->spare);
    tdi_alloc_free(w->alloc, t->contacts, n * sizeof *t->contacts);
    tdi_alloc_free(w->alloc, t->events, 2 * n * sizeof *t->events);
}

int32_t td_world_contact_events(const td_world *w, td_contact_event *events, int32_t capacity) {
    if (!w || (capacity > 0 && !events)) {
        return 0;
    }
    const int32_t count = w->watch.event_count;
    if (capacity > 0 && count > 0) {
        memcpy(events, w->watch.events,
               (size_t)(count < capacity ? count : capacity) * sizeof *events);
    }
    return count;
}

// ---- bases ----------------------------------------------------------------------------------

void tdi_island_react(td_world *w, const tdi_island *i, const tdi_system *system) {
    for (int32_t j = 0; j < i->count; j++) {
        tdi_actor *a = &w->actors[w->islands.member_actor[i->first + j]];
        a->reaction.known =
            a->reaction.watched && !i->constraints && tdi_is_implicit(a->step.opts.integrator) &&
            a->step.status == TD_OK &&
            tdi_system_reaction(system, j, a->simulated.position, &a->reaction.value.force,
                                &a->reaction.value.moment);
    }
}

static td_status find(const td_world *w, td_actor_id id, int32_t *k, td_diag *diag) {
    *k = td_world_actor_index(w, id);
    return *k != TD_NONE ? TD_OK : TDI_ID_FAIL(w, "actor", "removed", id, diag);
}

td_status td_world_watch_base(td_world *w, td_actor_id id, bool watch, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    int32_t k;
    td_status status = find(w, id, &k, diag);
    if (status == TD_OK) {
        w->actors[k].reaction.watched = watch;
        if (watch) {
            tdi_actor_stop_waiting(w, k);
        }
        w->actors[k].reaction.known = false;
    }
    return status;
}

td_status td_world_base_reaction(const td_world *w, td_actor_id id, td_reaction *out,
                                 td_diag *diag) {
    TDI_REFUSE_IF(!w || !out);
    int32_t k;
    *out = (td_reaction){{0, 0, 0}, {0, 0, 0}};
    td_status status = find(w, id, &k, diag);
    if (status == TD_OK && !w->actors[k].reaction.known) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the reaction of '%s' is not known: it is computed in steps after "
                        "td_world_watch_base(), by implicit integrators, without constraints",
                        w->actors[k].name);
    }
    if (status == TD_OK) {
        const tdi_actor *a = &w->actors[k];
        out->force = tdi_turn_from_simulated(a, a->reaction.value.force);
        out->moment = tdi_turn_from_simulated(a, a->reaction.value.moment);
    }
    return status;
}
