// SPDX-License-Identifier: MIT
#pragma once

// What a save is made of: a tape either measures, writes or reads a list of numbers, without gaps
// between the fields of structs, so that equal worlds give equal bytes.

#include "world/world.h"

#include <string.h>

typedef struct tdi_tape {
    char *to;         // NULL: nothing is written
    const char *from; // NULL: nothing is read
    size_t size;
    td_status status; // of reading
} tdi_tape;

static inline void tdi_tape_item(tdi_tape *t, void *data, size_t size) {
    if (t->to) {
        memcpy(t->to + t->size, data, size);
    } else if (t->from) {
        memcpy(data, t->from + t->size, size);
    }
    t->size += size;
}

void tdi_tape_grab(tdi_tape *tape, tdi_grab *g);
void tdi_tape_scene(tdi_tape *tape, td_world *world);
void tdi_tape_collider(tdi_tape *tape, tdi_collider_slot *s);
void tdi_tape_applied_force(tdi_tape *tape, tdi_applied_force *h);
void tdi_tape_watch(tdi_tape *tape, tdi_watch *watch);
void tdi_tape_drives(tdi_tape *tape, td_world *world, int32_t count);
void tdi_tape_sleeping_contacts(tdi_tape *tape, td_world *world, int32_t count);
void tdi_tape_pushes(tdi_tape *tape, td_world *world, int32_t count);
void tdi_tape_actor_head(tdi_tape *tape, tdi_actor *a);
void tdi_tape_actor(tdi_tape *tape, tdi_actor *a);
void tdi_tape_added(tdi_tape *tape, tdi_constraint_slot *slot);
void tdi_tape_constraint(tdi_tape *tape, tdi_constraint_slot *slot);
void tdi_tape_group(tdi_tape *tape, tdi_group *g);
// Contacts of those that sleep that are saved; places of constraints that were added.
int32_t tdi_world_count_sleeping_contacts(const td_world *world);
int32_t tdi_world_count_added_constraints(const td_world *world);
