// SPDX-License-Identifier: MIT
// What a world tells of its colliders and contacts.

#include "world/world.h"

int32_t td_world_collider_count(const td_world *world) {
    return world->scene->def.collider_count;
}

td_collider td_world_collider(const td_world *world, int32_t collider) {
    return world->colliders[collider];
}

int32_t td_world_contacts(const td_world *world, td_world_contact *contacts, int32_t capacity) {
    (void)world;
    (void)contacts;
    (void)capacity;
    return 0;
}
