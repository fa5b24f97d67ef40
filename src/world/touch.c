// SPDX-License-Identifier: MIT
// Colliders of a world, and how contact works in it.

#include "world/world.h"

#include "base/diag.h"
#include "math/quat.h"

#include <stdio.h>

bool tdi_world_touches(const td_world *w) {
    return w->scene->def.contact.given || w->scene->def.collider_count > 0;
}

td_contact_opts tdi_world_contact_opts(const td_world *w) {
    const td_scene_contact *c = &w->scene->def.contact;
    td_contact_opts opts = td_contact_opts_default();
    opts.self = c->self;
    opts.friction = c->friction;
    opts.gap = c->gap;
    opts.creep = c->creep;
    opts.method = c->method;
    opts.restitution = c->restitution;
    opts.rolling = c->rolling;
    return opts;
}

void tdi_world_move_colliders(td_world *w) {
    for (int32_t k = 0; k < w->scene->def.collider_count; k++) {
        const td_scene_collider *from = &w->scene->def.colliders[k];
        td_collider *c = &w->colliders[k];
        c->position0 = c->position;
        c->rotation0 = c->rotation;
        c->position = from->as.position;
        c->rotation = tdi_quat_unit(from->as.rotation);
    }
}

void tdi_world_return_colliders(td_world *w) {
    for (int32_t k = 0; k < w->scene->def.collider_count; k++) {
        w->colliders[k].position = w->colliders[k].position0;
        w->colliders[k].rotation = w->colliders[k].rotation0;
    }
}

void tdi_world_place_colliders(td_world *w) {
    tdi_world_move_colliders(w);
    tdi_world_move_colliders(w);
}

td_status tdi_world_make_colliders(td_world *w, td_diag_list *diags) {
    const td_scene_def *def = &w->scene->def;
    td_diag diag = {.index = TD_NONE};
    w->colliders =
        tdi_arena_zeroed(&w->arena, (size_t)def->collider_count + 1, sizeof *w->colliders);
    if (!w->colliders) {
        return TD_ERR_MEMORY;
    }
    for (int32_t k = 0; k < def->collider_count; k++) {
        w->colliders[k] = td_collider_default(def->colliders[k].kind);
        w->colliders[k].size = def->colliders[k].as.size;
        w->colliders[k].friction = def->colliders[k].as.friction;
        w->colliders[k].restitution = def->colliders[k].as.restitution;
        w->colliders[k].rolling = def->colliders[k].as.rolling;
    }
    tdi_world_place_colliders(w);
    td_status status = td_colliders_check(w->colliders, def->collider_count, &diag);
    for (int32_t k = 0; k < def->collider_count && status == TD_OK; k++) {
        if (w->colliders[k].restitution > 0 && def->contact.method == TD_CONTACT_BARRIER) {
            status = tdi_fail_at(&diag, TD_ERR_ARGUMENT, k,
                                 "restitution is %g; above 0 it needs `contact: {method: exact}`",
                                 w->colliders[k].restitution);
        }
    }
    if (status != TD_OK) {
        char path[64];
        snprintf(path, sizeof path, "colliders[%d]", diag.index < 0 ? 0 : (int)diag.index);
        return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, path, "%s", diag.message);
    }
    return TD_OK;
}
