// SPDX-License-Identifier: MIT
// Actors that are stepped implicitly with fewer joints than they have.

#include "world/world.h"

#include "base/guard.h"

#include "reduce/solver.h"
#include "tendril/reduce.h"

bool tdi_object_reduces(const td_world *w, int32_t object) {
    const td_object_def *o = &w->scene->def.objects[object];
    return tdi_object_adapts(w->scene, o) && tdi_is_implicit(o->integrator);
}

// Weights by a camera make of the error one at the distance of 1 m: what is farther may err more.
void tdi_actor_set_reduction(const td_world *w, tdi_actor *a) {
    if (a->solver != &tdi_solver_reduced) {
        return;
    }
    const td_adapt_def *def = &w->scene->def.objects[a->object].adapt;
    td_reduce_opts opts = td_reduce_opts_default();
    opts.error = def->error;
    opts.joints = def->joints;
    opts.every = def->every > 0 ? def->every : opts.every;
    if (def->weights == TD_WEIGHTS_CAMERA) {
        opts.error *= tdi_norm(tdi_sub(a->base.position, def->camera));
    }
    td_reduced_set((td_reduced_state *)a->state, &opts, NULL);
}

// ---- entry ----------------------------------------------------------------------------------

bool td_world_actor_reduction(const td_world *w, int32_t actor, td_reduce_stats *stats) {
    const bool known = w && stats && tdi_has(actor, w->actor_count);
    if (!known || w->actors[actor].solver != &tdi_solver_reduced) {
        return false;
    }
    *stats = td_reduced_get_stats((const td_reduced_state *)w->actors[actor].state);
    if (w->still[actor]) { // the first joint is not stepped either
        stats->frozen += stats->joints;
        stats->joints = 0;
    }
    return true;
}
