// SPDX-License-Identifier: MIT
// Worlds at rest under gravity, on colliders and on each other: at the start, and when asked.

#include "world/world.h"

#include "base/alloc.h"
#include "math/quat.h"

#include <math.h>

// Who goes to rest, and what came of it.
typedef struct settling {
    td_world *world;
    bool all;           // or only those that start at rest
    int64_t *iterations; // an actor, or NULL
} settling;

// Whether gravity is in the actor's axes what it is in those of its object. It is not for what is
// turned about an axis that leans.
static bool upright(const td_world *w, const tdi_actor *a) {
    td_vec3 own = tdi_object_gravity(w, a->object, a->base.rotation);
    td_vec3 all = tdi_object_gravity(w, a->object, tdi_object_pose(w, a->object).rotation);
    return tdi_norm(tdi_sub(own, all)) <= 1e-9 * tdi_norm(all);
}

// Whether an actor is to go to rest, and is not there already.
static bool is_to_settle(const settling *s, const tdi_actor *a) {
    const td_object_def *o = &s->world->scene->def.objects[a->object];
    return s->all || (o->start == TD_START_SETTLED &&
                      !(o->rest_under_gravity && upright(s->world, a)));
}

static tdi_member member_at_rest(const td_world *w, tdi_actor *a) {
    a->opts = td_step_opts_default();
    a->opts.gravity = tdi_turn_to_simulated(a, w->scene->def.gravity);
    a->opts.stiffness = w->scene->def.objects[a->object].stiffness;
    a->status = TD_OK;
    a->diag = (td_diag){.index = TD_NONE};
    return (tdi_member){a->solver->implicit, a->solver->own(a->state), &a->opts, a->name};
}

// Settles, and makes a fault of what found no rest.
static td_status settle(const tdi_system *system, int64_t *iterations, td_diag *diag) {
    td_step_stats stats = {0};
    td_status status = tdi_system_settle(system, &stats, diag);
    *iterations = stats.iterations;
    if (status == TD_OK && stats.unconverged > 0) {
        return tdi_fail(diag, TD_ERR_DIVERGED, "no rest after %lld iterations",
                        (long long)stats.iterations);
    }
    return status;
}

// Turn of the pool.
static void settle_alone(void *context, int64_t k) {
    const settling *s = context;
    tdi_actor *a = &s->world->actors[k];
    if (is_to_settle(s, a) && !a->touches) {
        const tdi_member alone = member_at_rest(s->world, a);
        const tdi_system system = {.member = &alone, .count = 1};
        int64_t iterations;
        a->status = settle(&system, &iterations, &a->diag);
        if (s->iterations) {
            s->iterations[k] = iterations;
        }
    }
}

// All that touch at once: what they come to rest on may be far away as they are drawn.
static td_status settle_members(td_world *w, const tdi_member *members, int32_t count,
                                int64_t *iterations, td_diag *diag) {
    const td_contact_opts opts = tdi_world_contact_opts(w);
    const int32_t colliders = w->scene->def.collider_count;
    tdi_touch *touch = NULL;
    td_status status = tdi_touch_new(members, count, &opts, colliders, w->alloc, &touch, diag);
    if (status == TD_OK) {
        const tdi_system system = {.member = members,
                                   .count = count,
                                   .touch = touch->set ? touch : NULL,
                                   .colliders = w->colliders,
                                   .collider_count = colliders};
        status = settle(&system, iterations, diag);
    }
    tdi_touch_free(touch);
    return status;
}

static td_status settle_together(const settling *s, td_diag *diag) {
    td_world *w = s->world;
    const size_t n = (size_t)w->actor_count;
    tdi_member *members = tdi_alloc_zeroed(w->alloc, n, sizeof *members);
    int64_t iterations = 0;
    int32_t count = 0;
    if (!members) {
        return TD_ERR_MEMORY;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (is_to_settle(s, &w->actors[k]) && w->actors[k].touches) {
            members[count++] = member_at_rest(w, &w->actors[k]);
        }
    }
    td_status status =
        count > 0 ? settle_members(w, members, count, &iterations, diag) : TD_OK;
    for (int32_t k = 0; s->iterations && k < w->actor_count; k++) {
        s->iterations[k] = w->actors[k].touches ? iterations : s->iterations[k];
    }
    tdi_alloc_free(w->alloc, members, n * sizeof *members);
    return status;
}

// ---- at the start ---------------------------------------------------------------------------

td_status tdi_world_settle(td_world *w, td_diag_list *diags) {
    settling s = {w, false, NULL};
    td_diag diag = {.index = TD_NONE};
    td_pool_run(w->pool, w->actor_count, settle_alone, &s);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->status != TD_OK) {
            return tdi_object_fault(w, a->object, a->status, "", &a->diag, diags);
        }
    }
    td_status status = settle_together(&s, &diag);
    return status == TD_OK || status == TD_ERR_MEMORY
               ? status
               : tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, "objects",
                                 "%s; objects with 'start: drawn' do not go to rest",
                                 diag.message);
}

// ---- when asked -----------------------------------------------------------------------------

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

static td_status settle_all(const settling *s, td_diag *diag) {
    td_world *w = s->world;
    td_pool_run(w->pool, w->actor_count, settle_alone, (void *)s);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->status != TD_OK) {
            return tdi_fail_at(diag, a->status, a->diag.index, "'%s': %s", a->name,
                               a->diag.message);
        }
    }
    return settle_together(s, diag);
}

td_status td_world_settle(td_world *w, td_rest *rests, td_diag *diag) {
    const size_t n = (size_t)w->actor_count;
    settling s = {w, true, tdi_alloc_zeroed(w->alloc, n, sizeof(int64_t))};
    if (!s.iterations) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the search for rest");
    }
    td_status status = settle_all(&s, diag);
    for (int32_t k = 0; rests && k < w->actor_count; k++) {
        rests[k] = rest_of(w, &w->actors[k], s.iterations[k]);
    }
    tdi_alloc_free(w->alloc, s.iterations, n * sizeof(int64_t));
    return status;
}
