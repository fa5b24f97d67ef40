// SPDX-License-Identifier: MIT
// Worlds at rest.

#include "world/world.h"

#include <math.h>

typedef struct settling {
    td_world *world;
    td_rest *rests; // one an actor, or NULL
} settling;

// Springs s k under gravity g rest as springs k under g/s do, with forces less by s.
static td_rest rest_of(const td_world *w, const tdi_actor *a, int64_t iterations) {
    const td_real s = w->scene->def.objects[a->object].stiffness;
    const td_vec3 gravity = tdi_turn_to_simulated(a, w->scene->def.gravity);
    td_sums sums = a->solver->sums(a->state, gravity);
    td_rest rest = {.energy = s * sums.energy.elastic + sums.energy.weight,
                    .residual = (td_real)NAN,
                    .iterations = iterations};
    if (a->solver->residual && s > 0 && !tdi_world_touches(w)) {
        rest.residual = s * a->solver->residual(a->state, tdi_scale(gravity, 1 / s));
    }
    return rest;
}

// Turn of the pool.
static void settle_actor(void *context, int64_t k) {
    const settling *s = context;
    tdi_actor *a = &s->world->actors[k];
    const td_scene_def *def = &s->world->scene->def;
    td_step_stats stats = {0};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = tdi_turn_to_simulated(a, def->gravity);
    opts.stiffness = def->objects[a->object].stiffness;
    a->diag = (td_diag){.index = TD_NONE};
    a->status = a->solver->settle(a->state, &opts, &stats, &a->diag);
    if (a->status == TD_OK && stats.unconverged > 0) {
        a->status = tdi_fail(&a->diag, TD_ERR_DIVERGED, "no rest after %lld iterations",
                             (long long)stats.iterations);
    }
    if (s->rests) {
        s->rests[k] = rest_of(s->world, a, stats.iterations);
    }
}

td_status td_world_settle(td_world *w, td_rest *rests, td_diag *diag) {
    settling s = {w, rests};
    td_pool_run(w->pool, w->actor_count, settle_actor, &s);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->status != TD_OK) {
            return tdi_fail_at(diag, a->status, a->diag.index, "'%s': %s", a->name,
                               a->diag.message);
        }
    }
    return TD_OK;
}
