// SPDX-License-Identifier: MIT
// Colliders of a world, and how contact works in it. The scene's own come first; keyframes move
// them until a program does. Steps see those that are enabled, in the order of their places.

#include "world/world.h"

#include "base/diag.h"
#include "base/guard.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>

bool tdi_world_has_contact(const td_world *w) {
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
    opts.static_friction = c->static_friction;
    opts.law = c->law;
    opts.pairs = w->near.pairs;
    return opts;
}

// ---- steps ----------------------------------------------------------------------------------

static bool in_steps(const tdi_collider_slot *s) {
    return s->alive && s->enabled;
}

// The scene's own may have names.
tdi_collider_label tdi_world_collider_label(const td_world *w, int32_t k) {
    const td_scene_def *def = &w->scene->def;
    return (tdi_collider_label){k < def->collider_count ? def->colliders[k].as.name : NULL, k};
}

void tdi_world_gather_colliders(td_world *w) {
    w->colliders.enabled_count = 0;
    for (int32_t k = 0; k < w->colliders.count; k++) {
        if (in_steps(&w->colliders.slots[k])) {
            w->colliders.labels[w->colliders.enabled_count] = tdi_world_collider_label(w, k);
            w->colliders.enabled[w->colliders.enabled_count++] = w->colliders.slots[k].now;
        }
    }
}

static tdi_transform scene_pose(const td_world *w, int32_t k) {
    const td_scene_collider *c = &w->scene->def.colliders[k];
    return (tdi_transform){c->as.position, tdi_quat_unit(c->as.rotation)};
}

void tdi_world_move_colliders(td_world *w) {
    for (int32_t k = 0; k < w->colliders.count; k++) {
        tdi_collider_slot *s = &w->colliders.slots[k];
        const tdi_transform to = s->own_pose ? s->next : scene_pose(w, k);
        s->now.position0 = s->now.position;
        s->now.rotation0 = s->now.rotation;
        s->now.position = to.position;
        s->now.rotation = to.rotation;
    }
    tdi_world_gather_colliders(w);
    for (int32_t k = 0, count = 0; k < w->colliders.count; k++) {
        if (in_steps(&w->colliders.slots[k])) {
            w->colliders.slot[count++] = k;
        }
    }
}

void tdi_world_return_colliders(td_world *w) {
    for (int32_t k = 0; k < w->colliders.count; k++) {
        tdi_collider_slot *s = &w->colliders.slots[k];
        s->now.position = s->now.position0;
        s->now.rotation = s->now.rotation0;
    }
    tdi_world_gather_colliders(w);
}

void tdi_world_stop_colliders(td_world *w) {
    for (int32_t k = 0; k < w->colliders.count; k++) {
        tdi_collider_slot *s = &w->colliders.slots[k];
        s->now.position0 = s->now.position;
        s->now.rotation0 = s->now.rotation;
    }
}

// Colliders have no velocity at the poses that the scene gives.
static void place_colliders(td_world *w) {
    tdi_world_move_colliders(w);
    tdi_world_move_colliders(w);
}

// ---- making ---------------------------------------------------------------------------------

static td_status check_restitution(const td_world *w, const td_collider *c, int32_t k,
                                   td_diag *diag) {
    return c->restitution > 0 && w->scene->def.contact.method == TD_CONTACT_BARRIER
               ? tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                             "restitution is %g; above 0 it needs `contact: {method: exact}`",
                             c->restitution)
               : TD_OK;
}

// The world owns the ground of the scene's height fields.
static td_status make_ground(td_world *w, int32_t k, td_diag_list *diags) {
    const struct td_collider_place *c = &w->scene->def.colliders[k].as;
    td_height_field *field = NULL;
    td_diag diag = {.index = TD_NONE};
    td_status status = TD_OK;
    if (w->scene->def.colliders[k].kind != TD_COLLIDER_HEIGHT_FIELD) {
        return TD_OK;
    }
    if (c->columns < 2 || c->height_count < 1 || c->height_count % c->columns != 0) {
        status = tdi_fail(&diag, TD_ERR_ARGUMENT,
                          "there are %d heights; they must be a multiple of columns, %d",
                          (int)c->height_count, (int)c->columns);
    } else {
        status = td_height_field_new(c->columns, c->height_count / c->columns, c->cell, c->heights,
                                     w->alloc, &field, &diag);
    }
    w->colliders.slots[k].now.field = field;
    if (status == TD_ERR_ARGUMENT) {
        char path[64];
        snprintf(path, sizeof path, "colliders[%d].heightfield.heights", (int)k);
        return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, path, "%s", diag.message);
    }
    return status;
}

void tdi_world_free_colliders(td_world *w) {
    for (int32_t k = 0; k < w->colliders.count && k < w->scene->def.collider_count; k++) {
        td_height_field_free((td_height_field *)w->colliders.slots[k].now.field);
    }
}

td_status tdi_world_make_colliders(td_world *w, td_diag_list *diags) {
    const td_scene_def *def = &w->scene->def;
    td_diag diag = {.index = TD_NONE};
    td_status status = tdi_world_collider_room(w, def->collider_count);
    if (status != TD_OK) {
        return status;
    }
    w->colliders.count = def->collider_count;
    for (int32_t k = 0; k < def->collider_count; k++) {
        tdi_collider_slot *s = &w->colliders.slots[k];
        s->alive = s->enabled = true;
        s->generation = 1;
        s->now = td_collider_default(def->colliders[k].kind);
        s->now.radius = def->colliders[k].as.radius;
        s->now.length = def->colliders[k].as.length;
        s->now.sides = def->colliders[k].as.sides;
        s->now.friction = def->colliders[k].as.friction;
        s->now.restitution = def->colliders[k].as.restitution;
        s->now.rolling = def->colliders[k].as.rolling;
        s->now.static_friction = def->colliders[k].as.static_friction;
        s->now.filter = def->colliders[k].as.filter;
        status = make_ground(w, k, diags);
        if (status != TD_OK) {
            return status;
        }
    }
    place_colliders(w);
    status = tdi_colliders_check(w->colliders.enabled, w->colliders.enabled_count,
                                 w->colliders.labels, &diag);
    for (int32_t k = 0; k < def->collider_count && status == TD_OK; k++) {
        status = check_restitution(w, &w->colliders.enabled[k], k, &diag);
    }
    if (status != TD_OK) {
        char path[64];
        snprintf(path, sizeof path, "colliders[%d]", diag.index < 0 ? 0 : (int)diag.index);
        return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, path, "%s", diag.message);
    }
    return TD_OK;
}

// ---- ids ------------------------------------------------------------------------------------

td_collider_id td_world_collider_id(const td_world *w, int32_t k) {
    if (!w) {
        return (td_collider_id){0};
    }
    td_collider_id id = {0};
    if (k >= 0 && k < w->colliders.count && w->colliders.slots[k].alive) {
        id = (td_collider_id){(uint32_t)k + 1, w->colliders.slots[k].generation, w->ids.number};
    }
    return id;
}

int32_t td_world_collider_index(const td_world *w, td_collider_id id) {
    if (!w) {
        return TD_NONE;
    }
    const bool there =
        id.place > 0 && id.place <= (uint32_t)w->colliders.count && tdi_world_gave(w, id.world);
    const tdi_collider_slot *s = there ? &w->colliders.slots[id.place - 1] : NULL;
    return s && s->alive && s->generation == id.generation ? (int32_t)id.place - 1 : TD_NONE;
}

static td_status find(td_world *w, td_collider_id id, tdi_collider_slot **out, td_diag *diag) {
    const int32_t k = td_world_collider_index(w, id);
    *out = k == TD_NONE ? NULL : &w->colliders.slots[k];
    return *out ? TD_OK : TDI_ID_FAIL(w, "collider", "removed", id, diag);
}

bool td_world_collider_enabled(const td_world *w, td_collider_id id) {
    if (!w) {
        return false;
    }
    const int32_t k = td_world_collider_index(w, id);
    return k != TD_NONE && w->colliders.slots[k].enabled;
}

// ---- coming and going -----------------------------------------------------------------------

td_status td_world_reserve_colliders(td_world *w, int32_t count, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    const int32_t before = w->colliders.capacity;
    if (count < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count is %d; it must not be below 0", (int)count);
    }
    int64_t left = count;
    for (int32_t k = 0; k < w->colliders.count; k++) {
        left -= !w->colliders.slots[k].alive;
    }
    td_status status =
        tdi_world_collider_room(w, (int64_t)w->colliders.count + (left > 0 ? left : 0));
    if (status == TD_OK && w->colliders.capacity > before) {
        tdi_world_forget_contact(w);
        status = tdi_world_step_room(w, diag);
    }
    return status == TD_OK
               ? TD_OK
               : tdi_fail(diag, status, "there is no room for %d more colliders", (int)count);
}

// The first place that is free. Those of the scene's colliders stay theirs: paths name them.
static int32_t free_place(const td_world *w) {
    int32_t k = w->scene->def.collider_count;
    while (k < w->colliders.count && w->colliders.slots[k].alive) {
        k++;
    }
    return k;
}

static td_status check_collider(const td_world *w, const td_collider *def, td_diag *diag) {
    if (!tdi_world_has_contact(w)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the scene has no contact, so that nothing touches a collider: give it "
                        "'contact: {}'");
    }
    if (def->kind == TD_COLLIDER_HEIGHT_FIELD) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "a height field cannot be added; list it in the colliders of the scene, "
                        "and enable it when it is needed");
    }
    const tdi_collider_label label = tdi_world_collider_label(w, free_place(w));
    td_status status = tdi_colliders_check(def, 1, &label, diag);
    return status == TD_OK ? check_restitution(w, def, 0, diag) : status;
}

// At rest in its final pose.
static td_collider stationary(const td_collider *def) {
    td_collider c = *def;
    c.rotation = tdi_quat_unit(c.rotation);
    c.position0 = c.position;
    c.rotation0 = c.rotation;
    return c;
}

td_status td_world_add_collider(td_world *w, const td_collider *def, td_collider_id *out,
                                td_diag *diag) {
    TDI_REFUSE_IF(!w || !def || !out);
    *out = (td_collider_id){0};
    TDI_TRY(check_collider(w, def, diag));
    TDI_TRY(td_world_reserve_colliders(w, 1, diag));
    const int32_t k = free_place(w);
    tdi_collider_slot *s = &w->colliders.slots[k];
    const tdi_collider_slot before = *s;
    const uint32_t taken = k < w->colliders.count ? s->generation : 0;
    s->now = stationary(def);
    s->now.field = NULL; // only the scene's own have one
    s->next = (tdi_transform){s->now.position, s->now.rotation};
    s->alive = s->enabled = s->own_pose = true;
    s->generation = taken + 1;
    td_status status = tdi_collider_overlaps(w, k, diag);
    if (status != TD_OK) {
        *s = before;
        return status;
    }
    w->colliders.count = k < w->colliders.count ? w->colliders.count : k + 1;
    tdi_world_wake_near(w, &s->now);
    tdi_world_note_placed(w);
    *out = td_world_collider_id(w, k);
    return TD_OK;
}

td_status td_world_remove_collider(td_world *w, td_collider_id id, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_collider_slot *s;
    td_status status = find(w, id, &s, diag);
    if (status == TD_OK) {
        s->alive = false;
        tdi_world_wake_near(w, &s->now);
    }
    return status;
}

// ---- changes --------------------------------------------------------------------------------

// Another state of a collider, unless something is in its way.
static td_status change(td_world *w, tdi_collider_slot *s, const tdi_collider_slot *to,
                        td_diag *diag) {
    const tdi_collider_slot before = *s;
    const int32_t k = (int32_t)(s - w->colliders.slots);
    const tdi_collider_label label = tdi_world_collider_label(w, k);
    td_status status = tdi_colliders_check(&to->now, 1, &label, diag);
    if (status == TD_OK) {
        *s = *to;
        status = in_steps(s) ? tdi_collider_overlaps(w, k, diag) : TD_OK;
    }
    if (status != TD_OK) {
        *s = before;
        return status;
    }
    if (in_steps(&before)) {
        tdi_world_wake_near(w, &before.now);
    }
    if (in_steps(s)) {
        tdi_world_wake_near(w, &s->now);
        tdi_world_note_placed(w);
    }
    return TD_OK;
}

td_status td_world_enable_collider(td_world *w, td_collider_id id, bool enabled, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_collider_slot *s;
    td_status status = find(w, id, &s, diag);
    if (status != TD_OK || s->enabled == enabled) {
        return status;
    }
    tdi_collider_slot to = *s;
    to.enabled = enabled;
    to.now = stationary(&s->now);
    return change(w, s, &to, diag);
}

td_status tdi_check_pose(td_vec3 position, td_quat rotation, td_diag *diag) {
    const td_real n = tdi_quat_norm(rotation);
    return !(tdi_norm(position) <= 1e9)
               ? tdi_fail(diag, TD_ERR_ARGUMENT, "position must lie within 1e9 m of the origin")
           : !(n > 0) || !isfinite(n)
               ? tdi_fail(diag, TD_ERR_ARGUMENT, "rotation is zero or not finite")
               : TD_OK;
}

td_status td_world_move_collider(td_world *w, td_collider_id id, td_vec3 position, td_quat rotation,
                                 td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_collider_slot *s;
    td_status status = find(w, id, &s, diag);
    status = status == TD_OK ? tdi_check_pose(position, rotation, diag) : status;
    if (status == TD_OK) {
        s->own_pose = true;
        s->next = (tdi_transform){position, tdi_quat_unit(rotation)};
    }
    return status;
}

td_status td_world_place_collider(td_world *w, td_collider_id id, td_vec3 position,
                                  td_quat rotation, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_collider_slot *s;
    TDI_TRY(find(w, id, &s, diag));
    TDI_TRY(tdi_check_pose(position, rotation, diag));
    tdi_collider_slot to = *s;
    to.now.position = position;
    to.now.rotation = rotation;
    to.now = stationary(&to.now);
    to.next = (tdi_transform){to.now.position, to.now.rotation};
    to.own_pose = true;
    return change(w, s, &to, diag);
}

td_status td_world_resize_collider(td_world *w, td_collider_id id, const td_collider *size,
                                   td_diag *diag) {
    TDI_REFUSE_IF(!w || !size);
    tdi_collider_slot *s;
    TDI_TRY(find(w, id, &s, diag));
    tdi_collider_slot to = *s;
    to.now.radius = size->radius;
    to.now.length = size->length;
    to.now.sides = size->sides;
    return change(w, s, &to, diag);
}

td_status td_world_set_collider_filter(td_world *w, td_collider_id id, td_filter filter,
                                       td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_collider_slot *s;
    TDI_TRY(find(w, id, &s, diag));
    tdi_collider_slot to = *s;
    to.now.filter = filter;
    return change(w, s, &to, diag);
}

td_status td_world_set_collider_user_data(td_world *w, td_collider_id id, uint64_t user_data,
                                          td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_collider_slot *s;
    const td_status status = find(w, id, &s, diag);
    if (status == TD_OK) {
        s->now.user_data = user_data;
    }
    return status;
}
