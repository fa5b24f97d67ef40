// SPDX-License-Identifier: MIT
// What a world tells of its colliders and contacts.

#include "world/world.h"

#include "base/guard.h"

int32_t td_world_collider_count(const td_world *world) {
    if (!world) {
        return 0;
    }
    return world->colliders.count;
}

td_collider td_world_collider(const td_world *world, td_collider_id id) {
    const int32_t collider = td_world_collider_index(world, id);
    if (collider == TD_NONE) {
        return (td_collider){0};
    }
    return world->colliders.slots[collider].now;
}

const char *td_world_collider_name(const td_world *world, td_collider_id id) {
    const int32_t collider = td_world_collider_index(world, id);
    if (collider == TD_NONE) {
        return "";
    }
    const char *name = tdi_world_collider_label(world, collider).name;
    return name ? name : "";
}

// With actors in the place of its members.
int32_t tdi_island_contacts(const td_world *w, const tdi_island *i, td_contact *contacts,
                            int32_t capacity) {
    const int32_t *actor = w->islands.member_actor + i->first;
    int32_t count = tdi_body_contact_report(i->contact, contacts, capacity);
    for (int32_t k = 0; k < count && k < capacity; k++) {
        td_contact *c = &contacts[k];
        c->actor = actor[c->actor];
        if (c->other_actor == TD_NONE) {
            c->other = w->colliders.slot[c->other];
        } else {
            c->other_actor = actor[c->other_actor];
        }
    }
    return count;
}

// Of those that sleep, or have not been solved since they woke.
static int32_t slept_contacts(const td_world *w, td_contact *contacts, int32_t capacity) {
    int32_t count = 0;
    for (int32_t k = 0; k < w->sleep.count; k++) {
        if (w->actors[w->sleep.contacts[k].actor].sleep.has_contacts) {
            if (count < capacity) {
                contacts[count] = w->sleep.contacts[k];
            }
            count++;
        }
    }
    return count;
}

int32_t td_world_contacts(const td_world *w, td_contact *contacts, int32_t capacity) {
    if (!w || (capacity > 0 && !contacts)) {
        return 0;
    }
    int32_t count = 0;
    for (int32_t k = 0; w->clock.step > 0 && k <= w->islands.count; k++) {
        const int32_t left = capacity > count ? capacity - count : 0;
        td_contact *rest = left > 0 ? contacts + (capacity - left) : NULL;
        const tdi_island *i = &w->islands.all[k];
        if (k == w->islands.count) {
            count += slept_contacts(w, rest, left);
        } else if (i->contact && tdi_island_is_solved(i)) {
            count += tdi_island_contacts(w, i, rest, left);
        } else if (!i->contact && tdi_island_is_solved(i)) {
            count += tdi_island_explicit_contacts(w, i, rest, left);
        }
    }
    return count;
}

// The force of a constraint on its first side. False: it has none.
static bool force_of(const td_world *w, int32_t constraint, td_contact *to) {
    const td_constraint_report r = td_world_constraint(w, td_world_constraint_id(w, constraint));
    const td_real size = tdi_norm(r.force);
    if (!r.active || !(size > 0)) {
        return false;
    }
    *to = (td_contact){.actor = w->constraints.slots[constraint].actor[0],
                       .segment = w->constraints.slots[constraint].segment,
                       .other_actor = TD_NONE,
                       .other = constraint,
                       .point = r.place,
                       .normal = tdi_scale(r.force, 1 / size),
                       .force = r.force};
    return true;
}

int32_t td_world_forces(const td_world *w, td_contact *forces, int32_t capacity) {
    if (!w || (capacity > 0 && !forces)) {
        return 0;
    }
    int32_t count = td_world_contacts(w, forces, capacity);
    for (int32_t k = 0; k < td_world_constraint_count(w); k++) {
        td_contact one;
        if (force_of(w, k, &one)) {
            if (count < capacity) {
                forces[count] = one;
            }
            count++;
        }
    }
    return count;
}
