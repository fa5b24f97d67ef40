// SPDX-License-Identifier: MIT
// Sleeping: islands at rest are not solved until something acts on them.
//
// Asleep   An island falls asleep as a whole, when all of its actors have been slower than a speed
//          for a time under unchanged loads, or when a program requests it. Steps that a budget
//          truncated do not count: bodies may be slow in them alone. Its actors stop and lose their
//          history: the first step after waking is backward Euler from rest, so that waking never
//          adds energy.
// Awake    It wakes as a whole: see activity.c. A failed step wakes no island.
// Contact  The contacts of its last step are kept for queries. An island with more contacts than
//          fit stays awake; the capacity follows from the actors alone.

#include "world/world.h"

#include "base/diag.h"
#include "base/guard.h"

#include <math.h>
#include <string.h>

#define CAPSULE_CONTACTS 4  // capacity for contacts, of a capsule,
#define MORE_CONTACTS    16 // and of an actor besides
#define BLOCK            64 // segments whose speeds are computed at once

// ---- room -----------------------------------------------------------------------------------

// Capacity for contacts of an actor.
static int32_t contacts_of(const tdi_actor *a) {
    return a->has_contact ? CAPSULE_CONTACTS * a->state->capsule_count + MORE_CONTACTS : 0;
}

// It doubles, since the old list stays in the arena.
td_status tdi_world_sleep_room(td_world *w, int32_t least) {
    int64_t need = least;
    for (int32_t k = 0; k < w->room.made_count; k++) {
        need += contacts_of(&w->actors[k]);
    }
    if (!w->sleep.allowed || need <= w->sleep.capacity) {
        return TD_OK;
    }
    const int64_t capacity =
        need > 2 * (int64_t)w->sleep.capacity ? need : 2 * (int64_t)w->sleep.capacity;
    if (capacity > INT32_MAX) {
        return TD_ERR_LIMIT;
    }
    td_contact *contacts = tdi_arena_zeroed(&w->arena, (size_t)capacity, sizeof *contacts);
    TDI_TRY(contacts ? TD_OK : TD_ERR_MEMORY);
    if (w->sleep.count > 0) {
        memcpy(contacts, w->sleep.contacts, (size_t)w->sleep.count * sizeof *contacts);
    }
    w->sleep.contacts = contacts;
    w->sleep.capacity = (int32_t)capacity;
    return TD_OK;
}

// ---- falling asleep -------------------------------------------------------------------------

static tdi_actor *member(const td_world *w, const tdi_island *i, int32_t j) {
    return &w->actors[w->islands.member_actor[i->first + j]];
}

// Whether no point of the surface is faster. Points beside the axis also move when the segment
// twists.
static bool is_slow(const tdi_actor *a, td_real speed) {
    bool slow = true;
    for (int32_t from = 0; from < a->segment_count && slow; from += BLOCK) {
        const int32_t n = a->segment_count - from < BLOCK ? a->segment_count - from : BLOCK;
        td_vec3 points[BLOCK], v[BLOCK];
        for (int32_t i = 0; i < n; i++) {
            const td_segment *s = &a->segments[from + i];
            points[i] = tdi_add(s->tip, tdi_vec3(s->radius_tip, 0, 0));
        }
        a->solver->velocities(a->state, from, n, points, v);
        for (int32_t i = 0; i < n && slow; i++) {
            slow = tdi_dot(v[i], v[i]) <= speed * speed;
        }
    }
    return slow;
}

void tdi_island_update_slow_time(td_world *w, const tdi_island *i, td_real t1) {
    const td_scene_sleep *rule = &w->scene->def.sleep;
    for (int32_t j = 0; j < i->count; j++) {
        tdi_actor *a = member(w, i, j);
        tdi_sleep *s = &a->sleep;
        const uint64_t before = s->digest;
        s->digest = tdi_actor_digest(w, a, t1);
        const bool slow = rule->given && a->activity != TDI_BLOCKED && !i->truncated &&
                          s->digest == before && !tdi_actor_is_driven(w, a) &&
                          is_slow(a, rule->speed);
        s->slow_time = slow ? s->slow_time + w->clock.dt : 0;
    }
}

// Constraints that change keep their actors awake.
static void note_constraints(td_world *w, td_real t0) {
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        const uint64_t digest = w->constraints.slots[k].alive ? tdi_constraint_digest(w, k, t0) : 0;
        if (w->constraints.slots[k].alive && digest != w->constraints.slots[k].digest) {
            w->actors[w->constraints.slots[k].actor[0]].sleep.slow_time = 0;
        }
        w->constraints.slots[k].digest = digest;
    }
}

// Whether a program requests it, or all actors have been slow for long enough.
static bool may_sleep(const td_world *w, const tdi_island *i) {
    const td_scene_sleep *rule = &w->scene->def.sleep;
    bool slow = rule->given, requested = false;
    for (int32_t j = 0; j < i->count; j++) {
        const tdi_actor *a = member(w, i, j);
        slow = slow && a->sleep.slow_time >= rule->time &&
               !a->contact.analytic; // an explicit step cannot find what wakes it
        requested = requested || a->sleep.requested;
    }
    return (slow || requested) && tdi_island_is_solved(i);
}

// Keeps contacts of actors that sleep or have not moved since.
static void drop_contacts(td_world *w) {
    int32_t kept = 0;
    for (int32_t k = 0; k < w->sleep.count; k++) {
        if (w->actors[w->sleep.contacts[k].actor].sleep.has_contacts) {
            w->sleep.contacts[kept++] = w->sleep.contacts[k];
        }
    }
    w->sleep.count = kept;
}

// False: they do not fit.
static bool keep_contacts(td_world *w, const tdi_island *i) {
    int32_t room = 0;
    drop_contacts(w);
    for (int32_t j = 0; j < i->count; j++) {
        room += contacts_of(member(w, i, j));
    }
    const int32_t count =
        i->contact ? tdi_island_contacts(w, i, w->sleep.contacts + w->sleep.count, room) : 0;
    w->sleep.count += count <= room ? count : 0;
    return count <= room;
}

// Velocities become 0, and the history is dropped.
static void fall_asleep(td_world *w, tdi_island *i) {
    if (!keep_contacts(w, i)) {
        return;
    }
    i->activity = TDI_ASLEEP;
    tdi_island_stop(w, i);
    for (int32_t j = 0; j < i->count; j++) {
        const int32_t k = w->islands.member_actor[i->first + j];
        tdi_actor *a = &w->actors[k];
        if (a->activity == TDI_WAITING) { // the step has skipped it
            a->sleep.digest = tdi_actor_digest(w, a, td_world_time(w));
        }
        tdi_actor_set_activity(a, TDI_ASLEEP);
        a->sleep.has_contacts = true;
        a->sleep.next = w->islands.member_actor[i->first + (j + 1 < i->count ? j + 1 : 0)];
        a->sleep.box = tdi_actor_reach(w, k);
        a->before.stats = a->step.stats; // steps are not reported while it sleeps
        td_adapt_changed(a->adapt.adapt);
        tdi_actor_freeze_points(w, k);
    }
}

void tdi_world_sleep_islands(td_world *w, td_real t0) {
    if (!w->sleep.allowed) {
        return;
    }
    note_constraints(w, t0);
    for (int32_t k = 0; k < w->islands.count; k++) {
        tdi_island *i = &w->islands.all[k];
        if (may_sleep(w, i)) {
            fall_asleep(w, i);
        }
        for (int32_t j = 0; j < i->count; j++) {
            member(w, i, j)->sleep.requested = false;
        }
    }
}

// Contact begins within a part of the radius.
td_box tdi_actor_reach(const td_world *w, int32_t actor) {
    const tdi_actor *a = &w->actors[actor];
    td_box b = td_world_bounds(w, td_world_actor_id(w, actor));
    td_real radius = 0;
    for (int32_t i = 0; i < a->segment_count; i++) {
        radius = fmax(radius, fmax(a->segments[i].radius_base, a->segments[i].radius_tip));
    }
    const td_real gap = w->scene->def.contact.gap * radius;
    const td_vec3 more = tdi_vec3(gap, gap, gap);
    return (td_box){tdi_sub(b.low, more), tdi_add(b.high, more)};
}

void tdi_world_check_sleeping_contacts(td_world *w) {
    int32_t kept = 0;
    for (int32_t k = 0; k < w->sleep.count; k++) {
        if (tdi_has(w->sleep.contacts[k].actor, w->actor_count)) {
            w->sleep.contacts[kept++] = w->sleep.contacts[k];
        }
    }
    w->sleep.count = kept;
}

// ---- entry ----------------------------------------------------------------------------------

static td_status find(const td_world *w, td_actor_id id, int32_t *k, td_diag *diag) {
    *k = td_world_actor_index(w, id);
    return *k != TD_NONE ? TD_OK : TDI_ID_FAIL(w, "actor", "removed", id, diag);
}

td_status td_world_sleep_actor(td_world *w, td_actor_id id, td_diag *diag) {
    int32_t k;
    TDI_REFUSE_IF(!w);
    td_status status = find(w, id, &k, diag);
    if (status != TD_OK || w->actors[k].activity == TDI_ASLEEP) {
        return status;
    }
    w->sleep.allowed = true;
    status = tdi_world_sleep_room(w, 1);
    if (status != TD_OK) {
        return tdi_fail(diag, status, "there is no room for contacts of actors that sleep");
    }
    w->actors[k].sleep.requested = true;
    return TD_OK;
}

td_status td_world_wake_actor(td_world *w, td_actor_id id, td_diag *diag) {
    int32_t k;
    TDI_REFUSE_IF(!w);
    td_status status = find(w, id, &k, diag);
    if (status == TD_OK) {
        tdi_actor_wake(w, k, TDI_WAKE_PROGRAM);
    }
    return status;
}

bool td_world_actor_asleep(const td_world *w, td_actor_id id) {
    const int32_t k = td_world_actor_index(w, id);
    return k != TD_NONE && w->actors[k].activity == TDI_ASLEEP;
}
