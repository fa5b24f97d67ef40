// SPDX-License-Identifier: MIT
// Kinds of plants that a program adds to a world: objects of its scene that come later.
//
// Owner      The texts and lists of a kind belong to a scene of its own, which the world keeps.
// Variants   Those of the scene come first, and own ones of actors (actor_variants.c) after them.
//            Variants of a kind go between the two.

#include "world/world.h"

#include "base/diag.h"
#include "base/guard.h"

#include <string.h>

// The kind as the one object of a scene with the contact and gravity of the world, checked.
static td_status read(const td_world *w, const td_object_def *def, td_scene **out,
                      td_diag_list *faults) {
    td_scene_def around = w->scene->def;
    around.objects = def;
    around.object_count = 1;
    around.load_count = around.constraint_count = around.collider_count = 0;
    around.record.probe_count = 0;
    const td_status status = tdi_scene_copy(&around, w->scene, w->alloc, out, faults);
    if (status == TD_OK) { // it has no actors yet
        td_instances_def *i = &((td_object_def *)(*out)->def.objects)[0].instances;
        i->layout = TD_INSTANCES_GRID;
        i->count = i->place_count = 0;
    }
    return status;
}

// Room for as many objects again as there are kinds. Objects stay as they are, elsewhere.
static td_status make_room(td_world *w) {
    const size_t count = (size_t)w->scene->def.object_count;
    int64_t kinds = w->kinds.capacity;
    if (w->kinds.count < kinds) {
        return TD_OK;
    }
    td_scene **list =
        tdi_arena_grow(&w->arena, w->kinds.list, w->kinds.count, &kinds, sizeof *w->kinds.list);
    const size_t room = count + (size_t)(kinds - w->kinds.count);
    td_object_def *defs = tdi_arena_zeroed(&w->arena, room, sizeof *defs);
    tdi_object *objects = tdi_arena_zeroed(&w->arena, room, sizeof *objects);
    if (!list || !defs || !objects) {
        return TD_ERR_MEMORY;
    }
    memcpy(objects, w->objects, count * sizeof *objects);
    tdi_scene_move_objects(w->scene, defs);
    w->objects = objects;
    w->kinds.list = list;
    w->kinds.capacity = (int32_t)kinds;
    return TD_OK;
}

// Moves the last variants, from `first` on, before the actors' own.
static td_status place_variants(td_world *w, int32_t first, int32_t object) {
    const int32_t count = w->variants.count - first, own = first - w->variants.of_scene;
    tdi_variant *to = w->variants.list + w->variants.of_scene;
    tdi_variant *kept = tdi_alloc_zeroed(w->alloc, (size_t)count, sizeof *kept);
    TDI_TRY(kept ? TD_OK : TD_ERR_MEMORY);
    memcpy(kept, w->variants.list + first, (size_t)count * sizeof *kept);
    memmove(to + count, to, (size_t)own * sizeof *to);
    memcpy(to, kept, (size_t)count * sizeof *kept);
    tdi_alloc_free(w->alloc, kept, (size_t)count * sizeof *kept);
    for (int32_t k = 0; k < w->room.made_count; k++) {
        w->actors[k].variant += w->actors[k].variant >= w->variants.of_scene ? count : 0;
    }
    w->objects[object].first_variant = w->variants.of_scene;
    w->variants.of_scene += count;
    return TD_OK;
}

static td_status add(td_world *w, td_scene *kind, td_diag_list *faults) {
    const int32_t object = w->scene->def.object_count, variants = w->variants.count;
    td_world_opts opts = td_world_opts_default();
    opts.max_segments = w->room.segment_limit;
    TDI_TRY(tdi_world_variant_room(w, variants + kind->def.objects[0].instances.variants));
    TDI_TRY(make_room(w));
    ((td_object_def *)w->scene->def.objects)[object] = kind->def.objects[0];
    w->objects[object] = (tdi_object){0};
    w->scene->def.object_count = object + 1;
    td_status status = tdi_world_list_parameters(w);
    status = status == TD_OK ? tdi_world_make_object(w, object, &opts, faults) : status;
    status = status == TD_OK ? place_variants(w, variants, object) : status;
    if (status == TD_OK) {
        w->kinds.list[w->kinds.count++] = kind;
        tdi_world_add_shape(w, object);
        return TD_OK;
    }
    while (w->variants.count > variants) {
        tdi_variant *v = &w->variants.list[--w->variants.count];
        tdi_model_free(v->model);
        td_skeleton_free(v->skeleton);
        *v = (tdi_variant){0};
    }
    w->scene->def.object_count = object;
    tdi_world_list_parameters(w); // of fewer: it takes no memory
    return status;
}

td_status td_world_add_kind(td_world *w, const td_object_def *def, int32_t *out, td_diag *diag) {
    TDI_REFUSE_IF(!w || !def || !out);
    td_diag fault = {.index = TD_NONE};
    td_diag_list faults = {&fault, 1, 0};
    td_scene *kind = NULL;
    *out = TD_NONE;
    td_status status = read(w, def, &kind, &faults);
    status = status == TD_OK ? add(w, kind, &faults) : status;
    if (status != TD_OK) {
        td_scene_free(kind);
        return faults.count > 0 ? tdi_fail_at(diag, status, fault.index, "%s", fault.message)
                                : tdi_fail(diag, status, "there is no memory for a kind");
    }
    *out = w->scene->def.object_count - 1;
    return TD_OK;
}
