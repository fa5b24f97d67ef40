// SPDX-License-Identifier: MIT
// What a world tells of its colliders and contacts.

#include "world/world.h"

#include "base/guard.h"

int32_t td_world_collider_count(const td_world *world) {
    if (!world) {
        return 0;
    }
    return world->collider_count;
}

td_collider td_world_collider(const td_world *world, int32_t collider) {
    if (!world || !tdi_has(collider, td_world_collider_count(world))) {
        return (td_collider){0};
    }
    return world->collider_slots[collider].now;
}

// Contacts of an island, with actors in the place of its members.
static int32_t island_contacts(const td_world *w, const tdi_island *i, td_contact *contacts,
                               int32_t capacity) {
    const int32_t *actor = w->member_actor + i->first;
    int32_t count = tdi_touch_contacts(i->touch, contacts, capacity);
    for (int32_t k = 0; k < count && k < capacity; k++) {
        td_contact *c = &contacts[k];
        c->actor = actor[c->actor];
        if (c->other_actor == TD_NONE) {
            c->other = w->collider_slot[c->other];
        } else {
            c->other_actor = actor[c->other_actor];
        }
    }
    return count;
}

int32_t td_world_contacts(const td_world *w, td_contact *contacts, int32_t capacity) {
    if (!w) {
        return 0;
    }
    int32_t count = 0;
    for (int32_t k = 0; w->near.room && w->step > 0 && k < w->island_count; k++) {
        if (w->islands[k].touch && !w->islands[k].held) {
            const int32_t left = capacity > count ? capacity - count : 0;
            td_contact *rest = left > 0 ? contacts + (capacity - left) : NULL;
            count += island_contacts(w, &w->islands[k], rest, left);
        }
    }
    return count;
}
