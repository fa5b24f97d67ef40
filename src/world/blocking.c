// SPDX-License-Identifier: MIT
// Blocked actors: their step cannot be solved, because a collider leaves them no room or a value is
// not finite. They stop where the step began, and all others go on. Every step tries them again,
// but those that a collider overlaps by then only one step in four: that costs more, in vain where
// there is no room.

#include "world/world.h"

#include "base/guard.h"
#include "base/log.h"

#include <string.h>

#define PUSHED_OUT_EACH 4 // steps

static tdi_actor *member(const td_world *w, const tdi_island *i, int32_t j) {
    return &w->actors[w->islands.member_actor[i->first + j]];
}

bool tdi_island_fails(const td_world *w, const tdi_island *i) {
    const td_status status = member(w, i, 0)->step.status;
    return status == TD_ERR_DIVERGED || (status == TD_ERR_LIMIT && !tdi_island_needs_growth(w, i));
}

void tdi_island_block(td_world *w, tdi_island *i) {
    tdi_actor *first = member(w, i, 0);
    i->activity = TDI_BLOCKED;
    first->step.stats.blocked++;
    for (int32_t j = 0; j < i->count; j++) {
        tdi_actor *a = member(w, i, j);
        tdi_actor_set_activity(a, TDI_BLOCKED);
        a->reaction.known = false;
        a->step.status = TD_OK; // it is no fault of the step
        if (j > 0) {
            a->step.diag = first->step.diag;
            a->step.over_budget = first->step.over_budget;
        }
    }
    tdi_island_record_positions(w, i);
}

// Velocities become 0, and the past is forgotten.
void tdi_island_stop(td_world *w, const tdi_island *i) {
    for (int32_t j = 0; j < i->count; j++) {
        tdi_actor *a = member(w, i, j);
        const td_base_motion stand = {.position = a->state->base.position,
                                      .rotation = a->state->base.rotation};
        tdi_state_stop(a->state);
        a->solver->set_base(a->state, &stand);
        a->contact.barrier.strength = 1;
        tdi_actor_clear_contact_forces(a);
    }
}

bool tdi_world_pushes_out(const td_world *w) {
    return tdi_world_holds(w) && w->clock.step % PUSHED_OUT_EACH == 0;
}

td_status tdi_world_note_blocked(td_world *w, td_diag *diag) {
    const tdi_actor *began = NULL;
    for (int32_t k = 0; tdi_world_holds(w) && k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        if (a->alive && a->activity == TDI_BLOCKED && a->before.activity != TDI_BLOCKED) {
            began = began || a->step.over_budget ? began : a;
            tdi_log(&w->log, TD_LOG_WARNING, "'%s' is blocked from %g s on: %s", a->name,
                    td_world_time(w), a->step.diag.message);
        }
    }
    return began ? tdi_fail_at(diag, TD_ERR_BLOCKED, began->step.diag.index,
                               "'%s' is blocked at %g s: %s", began->name, td_world_time(w),
                               began->step.diag.message)
                 : TD_OK;
}

td_status td_world_actor_status(const td_world *w, td_actor_id id, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    const int32_t k = td_world_actor_index(w, id);
    if (k == TD_NONE) {
        return TDI_ID_FAIL(w, "actor", "removed", id, diag);
    }
    const tdi_actor *a = &w->actors[k];
    return a->activity == TDI_BLOCKED
               ? tdi_fail_at(diag, TD_ERR_BLOCKED, a->step.diag.index, "'%s' is held: %s", a->name,
                             a->step.diag.message)
               : TD_OK;
}

int32_t td_world_blocked_actors(const td_world *w, td_actor_id *actors, int32_t capacity) {
    if (!w || (capacity > 0 && !actors)) {
        return 0;
    }
    int32_t count = 0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->actors[k].alive && w->actors[k].activity == TDI_BLOCKED) {
            if (count < capacity) {
                actors[count] = td_world_actor_id(w, k);
            }
            count++;
        }
    }
    return count;
}
