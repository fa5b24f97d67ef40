// SPDX-License-Identifier: MIT
// Actors with the integrator TD_ADAPTIVE, which moves only some of their joints.

#include "world/world.h"

#include "base/alloc.h"
#include "base/guard.h"

// As the scene says now.
static td_adapt_opts opts_of(const td_world *w, const tdi_actor *a) {
    const td_adapt_def *def = &w->scene->def.objects[a->object].adapt;
    td_adapt_opts opts = td_adapt_opts_default();
    opts.joints = def->joints;
    opts.error = def->error;
    opts.every = def->every;
    opts.weights = def->weights;
    opts.camera = def->camera;
    return opts;
}

static size_t adapt_bytes(const td_world *w, int32_t variant) {
    return tdi_adapt_save_size(w->variants.list[variant].model);
}

td_status tdi_actor_make_adaptive(td_world *w, tdi_actor *a, td_diag *diag) {
    if (a->adapt.adapt || w->scene->def.objects[a->object].integrator != TD_ADAPTIVE) {
        return TD_OK;
    }
    const td_adapt_opts opts = opts_of(w, a);
    if (!a->adapt.memory) {
        a->adapt.memory = tdi_arena_zeroed(tdi_actor_arena(w, a), adapt_bytes(w, a->variant), 1);
    }
    return a->adapt.memory ? tdi_adapt_new(a->state, &opts, w->alloc, &a->adapt.adapt, diag)
                           : TD_ERR_MEMORY;
}

void tdi_world_end_adaptive(td_world *w) {
    for (int32_t k = 0; k < w->room.made_count; k++) {
        tdi_actor *a = &w->actors[k];
        if (a->adapt.adapt && w->scene->def.objects[a->object].integrator != TD_ADAPTIVE) {
            td_adapt_free(a->adapt.adapt);
            a->adapt.adapt = NULL;
        }
    }
}

size_t tdi_variant_adapt_bytes(const td_world *w, int32_t variant, td_integrator integrator) {
    return integrator == TD_ADAPTIVE ? adapt_bytes(w, variant) : 0;
}

td_status tdi_actor_step_adaptively(td_world *w, tdi_actor *a) {
    const td_adapt_opts opts = opts_of(w, a);
    td_adapt_save(a->adapt.adapt, a->adapt.memory);
    td_status status = td_adapt_set_opts(a->adapt.adapt, &opts, &a->step.diag);
    if (status == TD_OK) {
        td_step_opts step = a->step.opts;
        step.integrator = w->scene->def.objects[a->object].adapt.rule;
        status = td_adapt_step(a->adapt.adapt, &step, &a->step.diag);
    }
    if (status == TD_OK) {
        td_adapt_place(a->adapt.adapt);
        a->step.stats.steps++;
    }
    return status;
}

void tdi_actor_undo_adaptively(tdi_actor *a) {
    if (a->adapt.adapt) {
        td_adapt_restore(a->adapt.adapt, a->adapt.memory);
    }
}

// ---- entry ----------------------------------------------------------------------------------

bool td_world_actor_adapt(const td_world *w, td_actor_id id, td_adapt_stats *stats) {
    const int32_t actor = td_world_actor_index(w, id);
    if (!stats || actor == TD_NONE || !w->actors[actor].adapt.adapt) {
        return false;
    }
    *stats = td_adapt_report(w->actors[actor].adapt.adapt);
    return true;
}
