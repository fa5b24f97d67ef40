// SPDX-License-Identifier: MIT
// Actors that stand still: trees whose tips would move less than their `adapt` allows are not
// stepped, so that they cost nothing but a look now and then.
//
// A look   asks for the air at a few places of the tree and how far the tips would sway in it
//          (reduce/still.h). An actor that moves stands still when that is less than half of the
//          error that is allowed, and begins to move when it is more than all of it. Every actor
//          has its turn, one step in LOOK, by its number, so that looks are spread over steps and
//          do not depend on threads. Where the sway is far below the error, turns are left out.
// Who      may stand: what nothing but the air acts on, and whose base rests. Hands, moving bases,
//          and errors set to 0 make it move before the next step.

#include "world/world.h"

#include "base/pool.h"
#include "reduce/solver.h"
#include "reduce/still.h"

#include <string.h>

#define LOOK 16   // steps
#define CALM 0.5  // of the error that is allowed
#define FAR  0.25 // of the error: below, only one turn in FEW is taken
#define FEW  4

// ---- who ------------------------------------------------------------------------------------

static bool object_may_stand(const td_world *w, int32_t object) {
    const td_object_def *def = &w->scene->def.objects[object];
    const tdi_object *o = &w->objects[object];
    return def->adapt.error > 0 && def->adapt.joints == 0 && tdi_object_reduces(w, object) &&
           !w->field && !tdi_live(o->position) && !tdi_live(o->rotation) && def->local.amount == 0;
}

static bool may_stand(const td_world *w, int32_t k) {
    const tdi_actor *a = &w->actors[k];
    return a->solver == &tdi_solver_reduced && tdi_actor_acts(a) &&
           object_may_stand(w, a->object) && !a->touches && !a->watched && !a->held &&
           a->carry.actor == TD_NONE && a->acting_count == 0 && !a->fields &&
           !tdi_actor_drives(a) && w->group_of[k] == TD_NONE;
}

// ---- looks ----------------------------------------------------------------------------------

// The air at the places that a state names, in the simulated frame.
static void ask_air(const td_world *w, const tdi_actor *a, td_vec3 winds[TDI_STILL_PLACES]) {
    td_vec3 places[TDI_STILL_PLACES];
    const int32_t count = tdi_reduced_air_places((tdi_reduced_state *)a->state, places);
    for (int32_t k = 0; k < count; k++) {
        places[k] = tdi_from_simulated(a, places[k]);
    }
    td_world_wind(w, count, places, winds);
    for (int32_t k = 0; k < count; k++) {
        winds[k] = tdi_turn_to_simulated(a, winds[k]);
    }
}

// Before the first step nothing moves yet: what is to move is given the joints that matter at once.
static bool starts_at_rest(const td_world *w, int32_t k) {
    return w->step == 0 && w->scene->def.objects[w->actors[k].object].start == TD_START_SETTLED;
}

static void look(td_world *w, int32_t k) {
    tdi_actor *a = &w->actors[k];
    tdi_reduced_state *state = (tdi_reduced_state *)a->state;
    td_vec3 winds[TDI_STILL_PLACES];
    tdi_actor_set_reduction(w, a);
    a->opts = tdi_actor_step_opts(w, a);
    ask_air(w, a, winds);
    const td_real allowed = tdi_reduced_error(state),
                  sway = tdi_reduced_sway(state, &a->opts, winds);
    if (starts_at_rest(w, k) || (!w->still[k] && sway < CALM * allowed)) {
        tdi_reduced_stand(state, sway);
        w->still[k] = 1;
    }
    if (w->still[k] && sway > allowed) {
        tdi_reduced_rouse(state, &a->opts, winds, k);
        w->still[k] = 0;
    } else if (w->still[k]) {
        w->still[k] = sway < FAR * allowed ? FEW : 1;
    }
}

static void take_turn(td_world *w, int32_t k) {
    const tdi_reduced_state *state = (const tdi_reduced_state *)w->actors[k].state;
    if (w->still[k] > 1) {
        w->still[k]--;
    } else if (may_stand(w, k) &&
               (w->still[k] || starts_at_rest(w, k) || tdi_reduced_nearly_still(state))) {
        look(w, k);
    }
}

// One in LOOK actors, from `first` on.
typedef struct looking {
    td_world *world;
    int32_t first, every;
} looking;

static void look_at(void *context, int64_t k) {
    const looking *l = context;
    take_turn(l->world, l->first + l->every * (int32_t)k);
}

static void look_from(td_world *w, int32_t first, int32_t every) {
    looking l = {w, first, every};
    const int32_t count = (w->actor_count - first + every - 1) / every;
    for (int32_t k = 0; w->inside && k < count; k++) {
        look_at(&l, k);
    }
    if (!w->inside && count > 0) {
        td_pool_run(w->pool, count, look_at, &l);
    }
}

static bool any_may_stand(const td_world *w) {
    bool any = false;
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        any = any || object_may_stand(w, k);
    }
    return any;
}

// ---- what makes them move -------------------------------------------------------------------

// Bases of an object move together: one of those that stand tells.
static bool object_moves(const td_world *w, int32_t object) {
    const tdi_object *o = &w->objects[object];
    for (int32_t k = o->first_actor; k < o->first_actor + o->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (w->still[k] && !a->own_place) {
            const tdi_transform place = tdi_actor_place(w, a);
            return memcmp(&place, &a->base, sizeof place) != 0;
        }
    }
    return false;
}

static void rouse_object(td_world *w, int32_t object) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->still[k] && w->actors[k].object == object) {
            w->still[k] = 0;
        }
    }
}

static void rouse_held(td_world *w) {
    if (w->grab.held) {
        w->still[w->grab.actor] = 0;
    }
    if (w->grab.twist != 0) {
        w->still[w->grab.twist_actor] = 0;
    }
    for (int32_t k = 0; k < w->hand_count; k++) {
        if (w->hands[k].alive) {
            w->still[w->hands[k].actor] = 0;
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_world_stand(td_world *w) {
    if (any_may_stand(w)) {
        look_from(w, 0, 1);
    }
}

void tdi_world_build_active_list(td_world *w) {
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        if (!object_may_stand(w, k) || object_moves(w, k)) {
            rouse_object(w, k);
        }
    }
    rouse_held(w);
    w->awake_count = 0;
    for (int32_t k = 0; k < w->island_count; k++) {
        const tdi_island *i = &w->islands[k];
        if (!i->asleep && (i->count > 1 || !w->still[w->member_actor[i->first]])) {
            w->awake[w->awake_count++] = k;
        }
    }
}

void tdi_world_test_inactive(td_world *w) {
    if (any_may_stand(w)) {
        look_from(w, (int32_t)(LOOK - 1 - w->step % LOOK), LOOK);
    }
}
