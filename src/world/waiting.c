// SPDX-License-Identifier: MIT
// Waiting actors: actors whose tips would move less than `adapt` allows are not stepped. A test now
// and then is their only cost.
//
// Test     It samples the air at a few points of an actor and estimates how far its tips would sway
//          in it (reduce/reduced.h). An active actor waits when that is less than half of the
//          allowed error. A waiting one becomes active when it is more than the allowed error.
//          Every actor is tested one step in EVERY, by its number: tests are spread over steps and
//          do not depend on threads.
// Who      Actors may wait on which only the air acts and whose base rests. Hands, moving bases,
//          and errors set to 0 wake them before the next step.

#include "world/world.h"

#include "base/pool.h"
#include "reduce/reduced.h"

#include <string.h>

#define EVERY       16  // steps
#define WAITS_BELOW 0.5 // of the error that is allowed

// ---- who ------------------------------------------------------------------------------------

static bool object_may_wait(const td_world *w, int32_t object) {
    const td_object_def *def = &w->scene->def.objects[object];
    const tdi_object *o = &w->objects[object];
    return def->adapt.error > 0 && def->adapt.joints == 0 && tdi_object_reduces(w, object) &&
           !w->loads.field && !tdi_live(o->position) && !tdi_live(o->rotation) &&
           def->local.amount == 0;
}

static bool may_wait(const td_world *w, int32_t k) {
    const tdi_actor *a = &w->actors[k];
    return a->solver->reduced_of && tdi_actor_acts(a) && object_may_wait(w, a->object) &&
           !a->has_contact && !a->reaction.watched &&
           (a->activity == TDI_ACTIVE || a->activity == TDI_WAITING) &&
           a->attachment.actor == TD_NONE && a->load.acting_count == 0 && !a->load.fields &&
           !tdi_actor_drives(a) && w->constraints.group_of[k] == TD_NONE;
}

// ---- tests ----------------------------------------------------------------------------------

// The air at the places that a state names, in the simulated frame.
static void sample_air(const td_world *w, const tdi_actor *a, td_vec3 winds[TDI_AIR_POINTS]) {
    td_vec3 places[TDI_AIR_POINTS];
    const int32_t count = tdi_reduced_air_points(a->state, places);
    for (int32_t k = 0; k < count; k++) {
        places[k] = tdi_from_simulated(a, places[k]);
    }
    td_world_wind(w, count, places, winds);
    for (int32_t k = 0; k < count; k++) {
        winds[k] = tdi_turn_to_simulated(a, winds[k]);
    }
}

// Before the first step nothing moves: reduced actors choose their joints at once.
static bool starts_at_rest(const td_world *w, int32_t k) {
    return w->clock.step == 0 &&
           w->scene->def.objects[w->actors[k].object].start == TD_START_SETTLED;
}

static void test(td_world *w, int32_t k) {
    tdi_actor *a = &w->actors[k];
    td_real allowed;
    td_vec3 winds[TDI_AIR_POINTS];
    tdi_actor_set_reduction(w, a);
    a->step.opts = tdi_actor_step_opts(w, a);
    sample_air(w, a, winds);
    const td_real sway = tdi_reduced_sway(a->state, &a->step.opts, winds, &allowed);
    if (starts_at_rest(w, k) || (a->activity == TDI_ACTIVE && sway < WAITS_BELOW * allowed)) {
        tdi_reduced_stop(a->state, sway);
        tdi_actor_set_activity(a, TDI_WAITING);
    }
    if (a->activity == TDI_WAITING && sway > allowed) {
        tdi_reduced_wake(a->state, &a->step.opts, winds);
        tdi_actor_set_activity(a, TDI_ACTIVE);
    }
}

static void take_turn(td_world *w, int32_t k) {
    if (may_wait(w, k)) {
        test(w, k);
    }
}

// One in EVERY actors, from `first` on.
typedef struct testing {
    td_world *world;
    int32_t first, every;
} testing;

static void test_at(void *context, int64_t k) {
    const testing *l = context;
    take_turn(l->world, l->first + l->every * (int32_t)k);
}

static void test_from(td_world *w, int32_t first, int32_t every) {
    testing l = {w, first, every};
    const int32_t count = (w->actor_count - first + every - 1) / every;
    for (int32_t k = 0; w->options.inside && k < count; k++) {
        test_at(&l, k);
    }
    if (!w->options.inside && count > 0) {
        td_pool_run(w->pool, count, test_at, &l);
    }
}

static bool any_may_wait(const td_world *w) {
    bool any = false;
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        any = any || object_may_wait(w, k);
    }
    return any;
}

// ---- waking ---------------------------------------------------------------------------------

// Bases of an object move together: one waiting actor shows whether they do.
static bool object_moves(const td_world *w, int32_t object) {
    const tdi_object *o = &w->objects[object];
    for (int32_t k = o->first_actor; k < o->first_actor + o->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->activity == TDI_WAITING && !a->own_place) {
            const tdi_transform place = tdi_actor_place(w, a);
            return memcmp(&place, &a->base, sizeof place) != 0;
        }
    }
    return false;
}

void tdi_actor_stop_waiting(td_world *w, int32_t actor) {
    if (w->actors[actor].activity == TDI_WAITING) {
        tdi_actor_wake(w, actor, TDI_WAKE_LOADS);
    }
}

// Actors whose object may not wait, or moves.
static void wake_objects(td_world *w) {
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        w->objects[k].waits = object_may_wait(w, k) && !object_moves(w, k);
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->activity == TDI_WAITING && !w->objects[a->object].waits) {
            tdi_actor_wake(w, k, TDI_WAKE_LOADS);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_world_begin_waiting(td_world *w) {
    if (any_may_wait(w)) {
        test_from(w, 0, 1);
    }
}

void tdi_world_wake_waiting(td_world *w) {
    wake_objects(w);
    if (w->loads.grab.held) {
        tdi_actor_stop_waiting(w, w->loads.grab.actor);
    }
    if (w->loads.grab.twist != 0) {
        tdi_actor_stop_waiting(w, w->loads.grab.twist_actor);
    }
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        if (w->loads.applied[k].alive) {
            tdi_actor_stop_waiting(w, w->loads.applied[k].actor);
        }
    }
}

void tdi_world_test_inactive(td_world *w) {
    if (any_may_wait(w)) {
        test_from(w, (int32_t)(EVERY - 1 - w->clock.step % EVERY), EVERY);
    }
}
