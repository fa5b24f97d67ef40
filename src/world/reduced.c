// SPDX-License-Identifier: MIT
// Actors that are stepped implicitly with fewer joints than they have.

#include "world/world.h"

#include "base/guard.h"
#include "reduce/reduced.h"

#include "tendril/reduce.h"

bool tdi_object_reduces(const td_world *w, int32_t object) {
    const td_object_def *o = &w->scene->def.objects[object];
    const bool asked = tdi_object_adapts(w->scene, o) ||
                       (w->options.adaptable && tdi_solver_adapts(tdi_solver_find(o->solver)));
    return asked && tdi_is_implicit(o->integrator) &&
           tdi_solver_reduced_of(tdi_solver_find(o->solver));
}

// Weights by a camera make of the error one at the distance of 1 m: what is farther may err more,
// object by object and joint by joint.
void tdi_actor_set_reduction(const td_world *w, tdi_actor *a) {
    if (!a->solver->reduced_of) {
        return;
    }
    const td_adapt_def *def = &w->scene->def.objects[a->object].adapt;
    td_reduce_opts opts = td_reduce_opts_default();
    opts.error = def->error;
    opts.joints = def->joints;
    opts.every = def->every > 0 ? def->every : opts.every;
    if (def->weights == TD_WEIGHTS_CAMERA) {
        opts.error *= tdi_norm(tdi_sub(a->base.position, def->camera));
        opts.view = true;
        opts.camera = def->camera;
    }
    td_reduced_set(a->state, &opts, NULL);
}

void tdi_actor_set_integrator(tdi_actor *a, td_integrator integrator) {
    if (a->solver->reduced_of && !tdi_is_implicit(integrator)) {
        tdi_reduced_free_joints(a->state);
    }
}

// ---- entry ----------------------------------------------------------------------------------

static bool reduces(const td_world *w, const tdi_actor *a) {
    return a->solver->reduced_of && tdi_is_implicit(w->scene->def.objects[a->object].integrator);
}

bool td_world_actor_reduction(const td_world *w, td_actor_id id, td_reduce_stats *stats) {
    const int32_t actor = td_world_actor_index(w, id);
    if (!stats || actor == TD_NONE || !reduces(w, &w->actors[actor])) {
        return false;
    }
    *stats = td_reduced_get_stats(w->actors[actor].state);
    if (w->actors[actor].activity == TDI_WAITING) { // the first joint is not stepped either
        stats->frozen += stats->joints;
        stats->joints = 0;
    }
    return true;
}

bool td_world_actor_clusters(const td_world *w, td_actor_id id, uint8_t *modes, int32_t *clusters) {
    const int32_t actor = td_world_actor_index(w, id);
    const tdi_actor *a = actor != TD_NONE ? &w->actors[actor] : NULL;
    const bool reduced = a && reduces(w, a);
    if (!a || (!reduced && w->scene->def.objects[a->object].integrator != TD_ADAPTIVE)) {
        return false;
    }
    for (int32_t i = 0; i < a->segment_count; i++) {
        const int32_t up = a->segments[i].parent;
        uint8_t mode;
        int32_t cluster;
        if (reduced) {
            mode = td_reduced_modes(a->state)[i];
            cluster = td_reduced_cluster(a->state, i);
        } else { // explicit integrators: an inactive joint is rigid
            mode = td_adapt_is_active(a->adapt.adapt, i) ? TD_REDUCE_OWN : TD_REDUCE_FROZEN;
            cluster = mode == TD_REDUCE_OWN || up == TD_NONE || !clusters ? i : clusters[up];
        }
        if (modes) {
            modes[i] = mode;
        }
        if (clusters) {
            clusters[i] = cluster;
        }
    }
    return true;
}
