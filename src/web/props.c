// SPDX-License-Identifier: MIT
// Colliders and contact forces: how they look, and where they are now.

#include "web/web.h"

#include <stdlib.h>

bool web_make_props(void) {
    int32_t count = td_world_collider_count(web.world);
    web.scale = td_clip_scale_of(web.world);
    web.colliders = calloc((size_t)count + 1, sizeof *web.colliders);
    for (int32_t k = 0; web.colliders && k < count; k++) {
        td_collider collider = td_world_collider(web.world, web_collider(k));
        web.colliders[k] = td_clip_collider_of(&collider, &web.scale);
    }
    size_t floats = TD_CLIP_COLLIDER * (size_t)count + TD_CLIP_ARROW * TD_CLIP_ARROWS;
    web.props = calloc(floats, sizeof *web.props);
    return web.colliders && web.props;
}

void web_free_props(void) {
    free(web.colliders);
    free(web.contacts);
    free(web.props);
    web.colliders = NULL;
    web.contacts = NULL;
    web.contact_capacity = 0;
    web.props = NULL;
}

// ---- looks ----------------------------------------------------------------------------------

WEB_EXPORT(web_collider_count) int32_t web_collider_count(void) {
    return td_world_collider_count(web.world);
}

// Triangles of a collider in its own axes, or of an arrow when there is no such collider; as
// web_part() has them, without joints. Good until the next call; 0: no memory.
WEB_EXPORT(web_prop) const uintptr_t *web_prop(int32_t collider) {
    static td_bytes room;
    td_mesh_part part;
    td_bytes_free(&room);
    td_status status = collider < td_world_collider_count(web.world)
                           ? td_clip_collider_part(&web.colliders[collider], NULL, &room, &part)
                           : td_clip_arrow_part(NULL, &room, &part);
    return status == TD_OK ? web_part_row(&part) : NULL;
}

// ---- now ------------------------------------------------------------------------------------

// Pose after pose, as web_poses() has them.
WEB_EXPORT(web_collider_poses) const float *web_collider_poses(void) {
    for (int32_t k = 0; k < td_world_collider_count(web.world); k++) {
        td_collider collider = td_world_collider(web.world, web_collider(k));
        td_clip_pack_collider(&collider, web.props + TD_CLIP_COLLIDER * k);
    }
    return web.props;
}

// Writes TD_CLIP_ARROWS arrows to `out` as td_clip_pack_arrows() does.
WEB_EXPORT(web_arrows) void web_arrows(float *out) {
    int32_t count = td_world_forces(web.world, web.contacts, web.contact_capacity);
    if (count > web.contact_capacity) {
        free(web.contacts);
        web.contacts = malloc((size_t)count * sizeof *web.contacts);
        web.contact_capacity = web.contacts ? count : 0;
        count = td_world_forces(web.world, web.contacts, web.contact_capacity);
    }
    count = count < web.contact_capacity ? count : web.contact_capacity;
    td_clip_pack_arrows(web.contacts, count, &web.scale, TD_CLIP_ARROWS, out);
}
