// SPDX-License-Identifier: MIT
// Variants that belong to one actor, because it was cut or has grown: skeleton, model, and an arena
// with all memory of the two. Those of the scene come before them and stay.

#include "world/regrow.h"

#include "base/alloc.h"

#include <string.h>

// ---- taking and dropping --------------------------------------------------------------------

td_status tdi_world_variant_room(td_world *w, int32_t count) {
    int64_t room = w->room.variant_capacity;
    tdi_variant *all = w->variants.list;
    while (all && room < count) {
        all = tdi_arena_grow(&w->arena, all, w->variants.count, &room, sizeof *all);
    }
    TDI_TRY(all && room <= INT32_MAX ? TD_OK : TD_ERR_MEMORY);
    w->variants.list = all;
    w->room.variant_capacity = (int32_t)room;
    return TD_OK;
}

static int32_t free_variant(td_world *w) {
    for (int32_t k = w->variants.of_scene; k < w->variants.count; k++) {
        if (!w->variants.list[k].skeleton) {
            return k;
        }
    }
    return tdi_world_variant_room(w, w->variants.count + 1) == TD_OK ? w->variants.count++
                                                                     : TD_NONE;
}

int32_t tdi_world_take_variant(td_world *w, int32_t object, const tdi_solver *solver,
                               td_skeleton *skeleton) {
    const int32_t k = free_variant(w);
    if (k != TD_NONE) {
        w->variants.list[k] = (tdi_variant){.object = object,
                                            .own = true,
                                            .arena = {.alloc = w->alloc},
                                            .skeleton = skeleton,
                                            .solver = solver};
    } else {
        td_skeleton_free(skeleton);
    }
    return k;
}

void tdi_world_drop_variant(td_world *w, int32_t variant) {
    tdi_variant *v = variant == TD_NONE ? NULL : &w->variants.list[variant];
    if (v && v->own) {
        tdi_model_free(v->model);
        td_skeleton_free(v->skeleton);
        tdi_arena_free(&v->arena);
        *v = (tdi_variant){.own = true};
    }
    while (w->variants.count > w->variants.of_scene &&
           !w->variants.list[w->variants.count - 1].skeleton) {
        w->variants.count--;
    }
}

// ---- models ---------------------------------------------------------------------------------

static bool is_same(tdi_factors a, tdi_factors b) {
    return a.bend == b.bend && a.twist == b.twist;
}

// Models are made with the factors of time 0, and follow them.
static td_status follow_factors(td_world *w, tdi_variant *v, td_diag *diag) {
    const tdi_object *o = &w->objects[v->object];
    td_status status = TD_OK;
    if (!is_same(o->made, o->factors)) {
        status = tdi_variant_stiffen_room(w, v, diag);
    }
    if (status == TD_OK && v->made) {
        tdi_variant_follow_factors(w, v, o->factors);
    }
    return status;
}

// Makes its model, as the scene would.
static td_status make_model(td_world *w, int32_t variant, td_diag *diag) {
    tdi_variant *v = &w->variants.list[variant];
    const char *key;
    td_status status = tdi_variant_make(w, v, w->objects[v->object].made, &key, diag);
    return status == TD_OK ? follow_factors(w, v, diag) : status;
}

// What grows by new segments, all others as they were.
static td_status extend(td_world *w, tdi_variant *v, tdi_variant *old,
                        const tdi_segment_source *segment_map, td_diag *diag) {
    const tdi_object *o = &w->objects[v->object];
    const td_object_def *def = &w->scene->def.objects[v->object];
    const td_body_opts with = {.law = def->law, .elements = def->elements};
    const char *key;
    if (old->made) { // as it was made, for as long as it is read
        tdi_variant_follow_factors(w, old, o->made);
    }
    const td_status status =
        tdi_transfer_of(v->solver)->next_new(old->model, old->skeleton, v->skeleton, segment_map,
                                             &with, o->made, w->alloc, &v->model, diag);
    if (old->made) {
        tdi_variant_follow_factors(w, old, o->factors);
    }
    return status == TD_OK ? tdi_variant_finish(w, v, &key, diag) : status;
}

td_status tdi_variant_grow(td_world *w, int32_t variant, int32_t from,
                           const tdi_segment_source *segment_map, td_diag *diag) {
    tdi_variant *v = &w->variants.list[variant];
    if (!tdi_transfer_of(v->solver)->next_new ||
        !tdi_has_segment_map(segment_map, td_skeleton_count(v->skeleton))) {
        return make_model(w, variant, diag);
    }
    const td_status status = extend(w, v, &w->variants.list[from], segment_map, diag);
    return status == TD_OK ? follow_factors(w, v, diag) : status;
}

static void adopt_springs(const tdi_variant *v, const tdi_variant *old,
                          const tdi_segment_source *segment_map) {
    td_real numbers[TDI_SPRINGS];
    for (int32_t i = 0; i < td_skeleton_count(v->skeleton); i++) {
        if (segment_map[i].segment != TD_NONE) {
            tdi_transfer_of(v->solver)->springs(old->model, segment_map[i].segment, false, numbers);
            tdi_transfer_of(v->solver)->springs(v->model, i, true, numbers);
        }
    }
}

td_status tdi_variant_plain(td_world *w, int32_t variant, td_diag *diag) {
    tdi_variant *v = &w->variants.list[variant];
    const td_object_def *o = &w->scene->def.objects[v->object];
    const td_body_opts with = {.law = o->law, .elements = o->elements};
    td_status status = v->solver->model_new(v->skeleton, &with, w->alloc, &v->model, diag);
    return status == TD_OK ? tdi_variant_measure(w, v) : status;
}

td_status tdi_variant_end_model(td_world *w, int32_t variant, td_diag *diag) {
    return follow_factors(w, &w->variants.list[variant], diag);
}

td_status tdi_variant_adopt(td_world *w, int32_t variant, int32_t from,
                            const tdi_segment_source *segment_map, td_diag *diag) {
    tdi_variant *old = &w->variants.list[from], *v = &w->variants.list[variant];
    const tdi_object *o = &w->objects[old->object];
    const bool piece = tdi_transfer_of(v->solver)->next_new;
    td_status status = piece ? tdi_variant_measure(w, v) : tdi_variant_plain(w, variant, diag);
    if (status != TD_OK) {
        return status;
    }
    if (old->made) { // as it was made, for as long as it is read
        tdi_variant_follow_factors(w, old, o->made);
    }
    if (piece) {
        status = tdi_transfer_of(v->solver)->next_new(old->model, old->skeleton, v->skeleton,
                                                      segment_map, NULL, (tdi_factors){1, 1},
                                                      w->alloc, &v->model, diag);
    } else {
        adopt_springs(v, old, segment_map);
    }
    if (old->made) {
        tdi_variant_follow_factors(w, old, o->factors);
    }
    return status == TD_OK ? tdi_variant_end_model(w, variant, diag) : status;
}
