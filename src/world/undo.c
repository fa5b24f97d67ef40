// SPDX-License-Identifier: MIT
// What a step changes of a world, remembered and put back in one place.
//
// States of actors, islands and constraints go back by themselves: tdi_system_undo(),
// tdi_world_undo_constraints(). Numbers with keyframes, ends and colliders follow from the time.

#include "world/world.h"

#include <string.h>

void tdi_world_remember(td_world *w) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        a->before.place = a->place;
        a->before.activity = a->activity;
        if (w->sleep.allowed) {
            a->before.sleep = a->sleep;
        }
    }
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        w->loads.winds[k].before = w->loads.winds[k].state;
    }
}

void tdi_world_undo(td_world *w) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        a->place = a->before.place;
        a->activity = a->before.activity;
        if (w->sleep.allowed) {
            a->sleep = a->before.sleep;
        }
    }
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        w->loads.winds[k].state = w->loads.winds[k].before;
    }
}

void tdi_actor_remember(tdi_actor *a) {
    tdi_actor_before *b = &a->before;
    b->base = a->base;
    b->simulated = a->simulated;
    b->base_rate = a->base_rate;
    b->motion = a->state->base;
    b->stats = a->step.stats;
    b->barrier = a->contact.barrier;
    b->largest_force = a->step.largest_force;
    b->reacted = a->reaction.known;
    b->reaction = a->reaction.value;
}

void tdi_actor_undo(tdi_actor *a) {
    const tdi_actor_before *b = &a->before;
    const td_base_motion motion = a->state->base;
    a->base = b->base;
    a->simulated = b->simulated;
    a->base_rate = b->base_rate;
    a->step.stats = b->stats;
    a->contact.barrier = b->barrier;
    a->step.largest_force = b->largest_force;
    a->reaction.known = b->reacted;
    a->reaction.value = b->reaction;
    if (memcmp(&motion, &b->motion, sizeof motion) != 0) {
        a->solver->set_base(a->state, &b->motion);
    }
}
