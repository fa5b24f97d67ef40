// SPDX-License-Identifier: MIT
// Where actors start: at rest under gravity, on colliders and on each other.

#include "world/world.h"

#include "base/alloc.h"
#include "math/quat.h"

// Whether gravity is in the actor's axes what it is in those of its object. It is not for what is
// turned about an axis that leans.
static bool upright(const td_world *w, const tdi_actor *a) {
    td_vec3 own = tdi_object_gravity(w, a->object, a->base.rotation);
    td_vec3 all = tdi_object_gravity(w, a->object, tdi_object_pose(w, a->object).rotation);
    return tdi_norm(tdi_sub(own, all)) <= 1e-9 * tdi_norm(all);
}

// Whether an actor is to go to rest, and is not there already.
static bool is_to_settle(const td_world *w, const tdi_actor *a) {
    const td_object_def *o = &w->scene->def.objects[a->object];
    return o->start == TD_START_SETTLED && !(o->rest_under_gravity && upright(w, a));
}

static tdi_member member_at_rest(const td_world *w, tdi_actor *a) {
    a->opts = td_step_opts_default();
    a->opts.gravity = w->scene->def.gravity;
    a->opts.stiffness = w->scene->def.objects[a->object].stiffness;
    return (tdi_member){a->solver->implicit, a->solver->own(a->state), &a->opts, a->name};
}

static void settle_alone(void *context, int64_t k) {
    td_world *w = context;
    tdi_actor *a = &w->actors[k];
    if (is_to_settle(w, a) && !a->touches) {
        const tdi_member alone = member_at_rest(w, a);
        const tdi_system system = {.member = &alone, .count = 1};
        td_step_stats stats = {0};
        a->status = tdi_system_settle(&system, &stats, &a->diag);
    }
}

// All that touch at once: what they come to rest on may be far away as they are drawn.
static td_status settle_members(td_world *w, const tdi_member *members, int32_t count,
                                td_diag *diag) {
    const td_contact_opts opts = tdi_world_contact_opts(w);
    const int32_t colliders = w->scene->def.collider_count;
    td_step_stats stats = {0};
    tdi_touch *touch = NULL;
    td_status status = tdi_touch_new(members, count, &opts, colliders, w->alloc, &touch, diag);
    if (status == TD_OK) {
        const tdi_system system = {.member = members,
                                   .count = count,
                                   .touch = touch->set ? touch : NULL,
                                   .colliders = w->colliders,
                                   .collider_count = colliders};
        status = tdi_system_settle(&system, &stats, diag);
    }
    tdi_touch_free(touch);
    return status;
}

static td_status settle_together(td_world *w, td_diag *diag) {
    const size_t n = (size_t)w->actor_count;
    tdi_member *members = tdi_alloc_zeroed(w->alloc, n, sizeof *members);
    int32_t count = 0;
    if (!members) {
        return TD_ERR_MEMORY;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (is_to_settle(w, &w->actors[k]) && w->actors[k].touches) {
            members[count++] = member_at_rest(w, &w->actors[k]);
        }
    }
    td_status status = count > 0 ? settle_members(w, members, count, diag) : TD_OK;
    tdi_alloc_free(w->alloc, members, n * sizeof *members);
    return status;
}

td_status tdi_world_settle(td_world *w, td_diag_list *diags) {
    td_diag diag = {.index = TD_NONE};
    td_pool_run(w->pool, w->actor_count, settle_alone, w);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->status != TD_OK) {
            return tdi_object_fault(w, a->object, a->status, "", &a->diag, diags);
        }
    }
    td_status status = settle_together(w, &diag);
    return status == TD_OK || status == TD_ERR_MEMORY
               ? status
               : tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, "objects",
                                 "%s; objects with 'start: drawn' do not go to rest",
                                 diag.message);
}
