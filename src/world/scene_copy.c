// SPDX-License-Identifier: MIT
// A scene of its own from structs that were filled by hand.

#include "world/scene.h"

#include <string.h>

typedef struct copier {
    tdi_arena *arena;
    bool fine;
} copier;

static const char *text(copier *c, const char *from) {
    const char *copy = from ? tdi_arena_text(c->arena, from, strlen(from)) : NULL;
    c->fine &= !from || copy;
    return copy;
}

static void *items(copier *c, const void *from, int32_t count, size_t item_size) {
    if (count <= 0 || !from) {
        return NULL;
    }
    void *copy = tdi_arena_zeroed(c->arena, (size_t)count, item_size);
    c->fine &= copy != NULL;
    return copy ? memcpy(copy, from, (size_t)count * item_size) : NULL;
}

static void copy_object(copier *c, td_object_def *o) {
    o->name = text(c, o->name);
    o->plant = text(c, o->plant);
    o->strand.material = text(c, o->strand.material);
    o->strand.points =
        items(c, o->strand.points, o->strand.point_count, sizeof *o->strand.points);
    o->instances.places =
        items(c, o->instances.places, o->instances.place_count, sizeof *o->instances.places);
    td_define *defines = items(c, o->defines, o->define_count, sizeof *defines);
    for (int32_t k = 0; defines && k < o->define_count; k++) {
        defines[k] = (td_define){text(c, defines[k].name), text(c, defines[k].value)};
    }
    o->defines = defines;
    o->define_values = NULL;
    td_material_change *materials = items(c, o->materials, o->material_count, sizeof *materials);
    for (int32_t k = 0; materials && k < o->material_count; k++) {
        materials[k].name = text(c, materials[k].name);
    }
    o->materials = materials;
}

static void copy_load(copier *c, td_scene_load *l) {
    switch (l->kind) {
    case TD_SCENE_PULL: l->as.pull.place.object = text(c, l->as.pull.place.object); break;
    case TD_SCENE_PUSH: l->as.push.place.object = text(c, l->as.push.place.object); break;
    case TD_SCENE_POSE: l->as.pose.object = text(c, l->as.pose.object); break;
    case TD_SCENE_WIND: break;
    }
}

td_status tdi_scene_copy(const td_scene_def *def, const td_alloc *alloc, td_scene **out) {
    td_scene *s = tdi_alloc_zeroed(alloc, 1, sizeof *s);
    *out = s;
    if (!s) {
        return TD_ERR_MEMORY;
    }
    s->alloc = alloc;
    s->fields.arena.alloc = alloc;
    s->def = *def;
    copier c = {&s->fields.arena, true};
    td_object_def *objects = items(&c, def->objects, def->object_count, sizeof *objects);
    td_scene_load *loads = items(&c, def->loads, def->load_count, sizeof *loads);
    td_probe_def *probes =
        items(&c, def->record.probes, def->record.probe_count, sizeof *probes);
    for (int32_t k = 0; objects && k < def->object_count; k++) {
        copy_object(&c, &objects[k]);
    }
    for (int32_t k = 0; loads && k < def->load_count; k++) {
        copy_load(&c, &loads[k]);
    }
    for (int32_t k = 0; probes && k < def->record.probe_count; k++) {
        probes[k].name = text(&c, probes[k].name);
        probes[k].place.object = text(&c, probes[k].place.object);
    }
    s->def.name = text(&c, def->name);
    s->def.text = text(&c, def->text);
    s->def.objects = objects;
    s->def.loads = loads;
    s->def.record.probes = probes;
    if (!c.fine) {
        td_scene_free(s);
        *out = NULL;
        return TD_ERR_MEMORY;
    }
    return TD_OK;
}
