// SPDX-License-Identifier: MIT
// The activity of actors: one state each, one function that changes it, one that wakes.
//
// From      To        When                                                        Decided in
// active    waiting   `adapt` allows a larger error than the motion of its tips   waiting.c
// active    asleep    its island was slow for a time, or a program requests it    sleep.c
// waiting   asleep    a program requests it                                       sleep.c
// active    blocked   the step of its island could not be solved                  blocking.c
// blocked   active    the next step begins, or its island joins another           here
// waiting   active    its tips would move, or a program pulls or moves it         waiting.c
// waiting   active    a program wakes it                                          here
// asleep    active    loads, constraints, colliders or neighbours change          here
// asleep    active    a program wakes it                                          here
// any       disabled  a program disables it; a sleeping island wakes first        actors.c
// disabled  active    a program enables it                                        actors.c
//
// Steps     Active actors are solved. Waiting and sleeping actors are skipped. Blocked actors were
//           tried, and are where the step began.
// Islands   An island has the state of its actors. It sleeps when all of them do; if one is active,
//           all are.
// Undo      A step that fails leaves every state as it was: undo.c.

#include "world/world.h"

#include "base/assert.h"
#include "base/guard.h"
#include "base/log.h"

#include <string.h>

// ---- changing -------------------------------------------------------------------------------

#define BIT(state) (1u << (state))

// The states that may follow each.
static const uint8_t next_states[] = {
    [TDI_ACTIVE] = BIT(TDI_WAITING) | BIT(TDI_ASLEEP) | BIT(TDI_BLOCKED) | BIT(TDI_DISABLED),
    [TDI_WAITING] = BIT(TDI_ACTIVE) | BIT(TDI_ASLEEP) | BIT(TDI_DISABLED),
    [TDI_ASLEEP] = BIT(TDI_ACTIVE),
    [TDI_DISABLED] = BIT(TDI_ACTIVE),
    [TDI_BLOCKED] = BIT(TDI_ACTIVE) | BIT(TDI_DISABLED)};

void tdi_actor_set_activity(tdi_actor *a, tdi_activity to) {
    const bool allowed = a->activity == to || (next_states[a->activity] & BIT(to));
    TDI_ASSERT(allowed);
    (void)allowed;
    if (a->activity == TDI_ASLEEP) {
        a->sleep.requested = a->sleep.in_tree = false;
        a->sleep.slow_time = 0;
    }
    a->activity = to;
}

// ---- waking ---------------------------------------------------------------------------------

static const char *const reasons[] = {
    [TDI_WAKE_LOADS] = "its loads have changed",
    [TDI_WAKE_CONSTRAINT] = "a constraint has changed",
    [TDI_WAKE_COLLIDER] = "a collider has moved within reach",
    [TDI_WAKE_NEIGHBOUR] = "an active actor has come near",
    [TDI_WAKE_PROGRAM] = "the program has woken it",
};

// All that fell asleep together: a ring of actors.
static void wake_ring(td_world *w, int32_t actor) {
    for (int32_t k = actor; w->actors[k].activity == TDI_ASLEEP; k = w->actors[k].sleep.next) {
        tdi_actor_set_activity(&w->actors[k], TDI_ACTIVE);
    }
}

void tdi_actor_wake(td_world *w, int32_t actor, tdi_wake_reason reason) {
    tdi_actor *a = &w->actors[actor];
    a->sleep.requested = false;
    a->sleep.slow_time = 0;
    tdi_world_poses_changed(w);
    if (a->activity == TDI_ASLEEP) {
        tdi_log(&w->log, TD_LOG_INFO, "'%s' wakes at %g s: %s", a->name, td_world_time(w),
                reasons[reason]);
        wake_ring(w, actor);
    } else if (a->activity == TDI_WAITING) {
        tdi_actor_set_activity(a, TDI_ACTIVE);
    }
}

void tdi_world_wake_near(td_world *w, const td_collider *c) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->activity == TDI_ASLEEP && a->has_contact &&
            tdi_filters_collide(a->filter, c->filter) && tdi_collider_reaches(c, &a->sleep.box)) {
            tdi_actor_wake(w, k, TDI_WAKE_COLLIDER);
        }
    }
}

void tdi_world_wake_all(td_world *w) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor_wake(w, k, TDI_WAKE_PROGRAM);
    }
}

// ---- before a step --------------------------------------------------------------------------

static void wake_loaded(td_world *w, td_real t1) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        if (a->activity == TDI_ASLEEP && w->loads.field) {
            tdi_actor_sample_field(w, a);
        }
        if (a->activity == TDI_ASLEEP &&
            (tdi_actor_digest(w, a, t1) != a->sleep.digest || tdi_actor_is_driven(w, a))) {
            tdi_actor_wake(w, k, TDI_WAKE_LOADS);
        }
    }
}

static void wake_constrained(td_world *w, td_real t0) {
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        const tdi_constraint_slot *t = &w->constraints.slots[k];
        if (t->alive && tdi_constraint_digest(w, k, t0) != t->digest &&
            w->actors[t->actor[0]].activity == TDI_ASLEEP) {
            tdi_actor_wake(w, t->actor[0], TDI_WAKE_CONSTRAINT);
        }
    }
}

static bool moves(const td_collider *c) {
    return memcmp(&c->position0, &c->position, sizeof c->position) != 0 ||
           memcmp(&c->rotation0, &c->rotation, sizeof c->rotation) != 0;
}

void tdi_world_wake_changed(td_world *w, td_real t0, td_real t1) {
    tdi_world_wake_waiting(w);
    if (!w->sleep.allowed) {
        return;
    }
    wake_loaded(w, t1);
    wake_constrained(w, t0);
    for (int32_t k = 0; k < w->colliders.enabled_count; k++) {
        if (moves(&w->colliders.enabled[k])) {
            tdi_world_wake_near(w, &w->colliders.enabled[k]);
        }
    }
}

// ---- islands --------------------------------------------------------------------------------

static tdi_actor *member(const td_world *w, const tdi_island *i, int32_t j) {
    return &w->actors[w->islands.member_actor[i->first + j]];
}

static bool all_are(const td_world *w, const tdi_island *i, tdi_activity state) {
    bool all = true;
    for (int32_t j = 0; j < i->count && all; j++) {
        all = member(w, i, j)->activity == state;
    }
    return all;
}

// Where one actor is active, all are: blocked actors are tried again.
static void activate(td_world *w, const tdi_island *i) {
    for (int32_t j = 0; j < i->count; j++) {
        tdi_actor *a = member(w, i, j);
        if (a->activity == TDI_BLOCKED) {
            tdi_actor_set_activity(a, TDI_ACTIVE);
        } else if (a->activity != TDI_ACTIVE) {
            tdi_actor_wake(w, w->islands.member_actor[i->first + j], TDI_WAKE_NEIGHBOUR);
        }
    }
}

void tdi_world_derive_islands(td_world *w) {
    for (int32_t k = 0; k < w->islands.count; k++) {
        tdi_island *i = &w->islands.all[k];
        const tdi_activity first = member(w, i, 0)->activity;
        const bool left_out = first == TDI_ASLEEP || first == TDI_WAITING;
        i->activity = left_out && all_are(w, i, first) ? first : TDI_ACTIVE;
        if (i->activity == TDI_ACTIVE) {
            activate(w, i);
        }
    }
}

void tdi_world_build_active_list(td_world *w) {
    w->islands.active_count = 0;
    for (int32_t k = 0; k < w->islands.count; k++) {
        if (w->islands.all[k].activity == TDI_ACTIVE) {
            w->islands.active[w->islands.active_count++] = k;
        }
    }
}

bool tdi_world_all_asleep(const td_world *w) {
    bool all = w->sleep.allowed;
    for (int32_t k = 0; k < w->actor_count && all; k++) {
        const tdi_actor *a = &w->actors[k];
        all = !tdi_actor_acts(a) || a->activity == TDI_ASLEEP;
    }
    return all;
}

// ---- saves ----------------------------------------------------------------------------------

// Also of bytes that nobody has saved.
void tdi_world_follow_activity(td_world *w) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        a->sleep.in_tree = false;
        const bool known = a->activity >= TDI_ACTIVE && a->activity <= TDI_BLOCKED &&
                           (a->activity != TDI_ASLEEP || tdi_has(a->sleep.next, w->actor_count));
        // an actor with constraints cannot be disabled
        const bool in_group = w->constraints.group_of[k] != TD_NONE;
        if (!known || !a->alive || (in_group && a->activity == TDI_DISABLED)) {
            a->activity = TDI_ACTIVE;
        }
        if (a->activity == TDI_ASLEEP) {
            a->sleep.box = tdi_actor_reach(w, k);
        }
        w->sleep.allowed = w->sleep.allowed || a->activity == TDI_ASLEEP || a->sleep.requested;
    }
}
