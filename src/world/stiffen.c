// SPDX-License-Identifier: MIT
// Stiffness in bending and in twist that changes while a world runs.
//
// Method   A model is made with the factors b_0 of time 0: its rest shape and its damping are those
//          of these springs. Later its springs and their damping are b/b_0 times what they were
//          made as, so that the same factor gives the same bits whatever came between.

#include "world/world.h"

#include <math.h>
#include <string.h>

#define LEAST 1e-9 // a curve through small factors may go past them, below 0

tdi_factors tdi_object_factors(const td_world *w, int32_t object) {
    const td_object_def *o = &w->scene->def.objects[object];
    return (tdi_factors){fmax(o->bending, LEAST), fmax(o->twisting, LEAST)};
}

static bool is_same(tdi_factors a, tdi_factors b) {
    return a.bend == b.bend && a.twist == b.twist;
}

static td_status refuse(const tdi_solver *solver, td_diag *diag) {
    return tdi_fail(diag, TD_ERR_ARGUMENT,
                    "the solver '%s' does not have 'bending' and 'twisting'; change the materials "
                    "or the solver",
                    solver->info.name);
}

td_status tdi_variant_stiffen(const td_world *w, tdi_variant *v, tdi_factors by, td_diag *diag) {
    const td_object_def *o = &w->scene->def.objects[v->object];
    const size_t bytes = v->model->parameter_bytes;
    const bool changes =
        tdi_scene_keyed(w->scene, &o->bending) || tdi_scene_keyed(w->scene, &o->twisting);
    if (is_same(by, (tdi_factors){1, 1})) {
        return changes && !tdi_statics_of(v->solver)->stiffen ? refuse(v->solver, diag) : TD_OK;
    }
    if (!tdi_statics_of(v->solver)->stiffen) {
        return refuse(v->solver, diag);
    }
    void *plain = tdi_alloc_zeroed(w->alloc, 1, bytes);
    TDI_TRY(plain ? TD_OK : TD_ERR_MEMORY);
    memcpy(plain, v->model->parameters, bytes);
    tdi_statics_of(v->solver)->stiffen(v->model, plain, by.bend, by.twist);
    tdi_alloc_free(w->alloc, plain, bytes);
    return TD_OK;
}

static bool is_of(const tdi_variant *v, int32_t object) {
    return v->object == object && v->skeleton;
}

td_status tdi_variant_stiffen_room(td_world *w, tdi_variant *v, td_diag *diag) {
    if (!tdi_statics_of(v->solver)->stiffen) {
        return refuse(v->solver, diag);
    }
    if (!v->made) {
        void *room = tdi_arena_zeroed(tdi_variant_arena(w, v), v->model->parameter_bytes, 1);
        if (!room) {
            return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a model's stiffness");
        }
        v->made = memcpy(room, v->model->parameters, v->model->parameter_bytes);
    }
    return TD_OK;
}

td_status tdi_object_stiffen_room(td_world *w, int32_t object, td_diag *diag) {
    td_status status = TD_OK;
    for (int32_t k = 0; k < w->variants.count && status == TD_OK; k++) {
        if (is_of(&w->variants.list[k], object)) {
            status = tdi_variant_stiffen_room(w, &w->variants.list[k], diag);
        }
    }
    return status;
}

void tdi_variant_follow_factors(const td_world *w, tdi_variant *v, tdi_factors now) {
    const tdi_factors made = w->objects[v->object].made;
    tdi_statics_of(v->solver)->stiffen(v->model, v->made, now.bend / made.bend,
                                       now.twist / made.twist);
}

td_status tdi_world_stiffen(td_world *w, td_diag *diag) {
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        tdi_object *o = &w->objects[k];
        const tdi_factors now = tdi_object_factors(w, k);
        if (is_same(now, o->factors)) {
            continue;
        }
        TDI_TRY(tdi_object_stiffen_room(w, k, diag));
        for (int32_t i = 0; i < w->variants.count; i++) {
            if (is_of(&w->variants.list[i], k)) {
                tdi_variant_follow_factors(w, &w->variants.list[i], now);
            }
        }
        o->factors = now;
    }
    return TD_OK;
}
