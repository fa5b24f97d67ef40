// SPDX-License-Identifier: MIT
// Who is stepped with whom: actors that may touch each other form one group; all others are alone.

#include "world/world.h"

#include "math/quat.h"

#include <stdio.h>

bool tdi_world_touches(const td_world *w) {
    return w->scene->def.contact.given || w->scene->def.collider_count > 0;
}

static td_contact_opts contact_opts(const td_world *w) {
    const td_scene_contact *c = &w->scene->def.contact;
    td_contact_opts opts = td_contact_opts_default();
    opts.self = c->self;
    opts.friction = c->friction;
    opts.gap = c->gap;
    opts.creep = c->creep;
    return opts;
}

// ---- colliders ------------------------------------------------------------------------------

void tdi_world_move_colliders(td_world *w) {
    for (int32_t k = 0; k < w->scene->def.collider_count; k++) {
        const td_scene_collider *from = &w->scene->def.colliders[k];
        td_collider *c = &w->colliders[k];
        c->position0 = c->position;
        c->rotation0 = c->rotation;
        c->position = from->as.position;
        c->rotation = tdi_quat_unit(from->as.rotation);
    }
}

void tdi_world_place_colliders(td_world *w) {
    tdi_world_move_colliders(w);
    tdi_world_move_colliders(w);
}

static td_status make_colliders(td_world *w, td_diag_list *diags) {
    const td_scene_def *def = &w->scene->def;
    td_diag diag = {.index = TD_NONE};
    w->colliders =
        tdi_arena_zeroed(&w->arena, (size_t)def->collider_count + 1, sizeof *w->colliders);
    if (!w->colliders) {
        return TD_ERR_MEMORY;
    }
    for (int32_t k = 0; k < def->collider_count; k++) {
        w->colliders[k] = td_collider_default(def->colliders[k].kind);
        w->colliders[k].size = def->colliders[k].as.size;
        w->colliders[k].friction = def->colliders[k].as.friction;
    }
    tdi_world_place_colliders(w);
    td_status status = td_colliders_check(w->colliders, def->collider_count, &diag);
    if (status != TD_OK) {
        char path[64];
        snprintf(path, sizeof path, "colliders[%d]", diag.index < 0 ? 0 : (int)diag.index);
        return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, path, "%s", diag.message);
    }
    return TD_OK;
}

// ---- groups ---------------------------------------------------------------------------------

// One group of all whose solver is this, or of one actor.
static tdi_group *gather(td_world *w, const tdi_solver *solver, int32_t from, int32_t to) {
    tdi_group *g = &w->groups[w->group_count];
    g->first = w->group_count == 0 ? 0 : g[-1].first + g[-1].count;
    for (int32_t k = from; k < to; k++) {
        if (w->actors[k].solver == solver) {
            w->members[g->first + g->count++] = k;
        }
    }
    w->group_count += g->count > 0;
    return g;
}

static td_status make_touch(td_world *w, tdi_group *g, td_diag *diag) {
    const tdi_solver *solver = w->actors[w->members[g->first]].solver;
    const td_contact_opts opts = contact_opts(w);
    size_t count = (size_t)g->count;
    tdi_solver_state **states = tdi_arena_zeroed(&w->arena, count, sizeof(tdi_solver_state *));
    g->opts = tdi_arena_zeroed(&w->arena, count, sizeof *g->opts);
    if (!states || !g->opts) {
        return TD_ERR_MEMORY;
    }
    for (int32_t i = 0; i < g->count; i++) {
        tdi_actor *a = &w->actors[w->members[g->first + i]];
        a->touches = true;
        states[i] = a->state;
    }
    return solver->touch_new(states, g->count, &opts, w->scene->def.collider_count, w->alloc,
                             &g->touch, diag);
}

td_status tdi_world_make_groups(td_world *w, td_diag_list *diags) {
    const size_t count = (size_t)w->actor_count;
    td_diag diag = {.index = TD_NONE};
    w->groups = tdi_arena_zeroed(&w->arena, count + 1, sizeof *w->groups);
    w->members = tdi_arena_zeroed(&w->arena, count + 1, sizeof *w->members);
    td_status status = w->groups && w->members ? make_colliders(w, diags) : TD_ERR_MEMORY;
    if (status == TD_OK && tdi_world_touches(w)) {
        for (int32_t k = 0; k < w->actor_count && status == TD_OK; k++) {
            const tdi_actor *a = &w->actors[k];
            if (a->solver->info.mutual && !a->touches) {
                status = make_touch(w, gather(w, a->solver, 0, w->actor_count), &diag);
            }
        }
    }
    for (int32_t k = 0; k < w->actor_count && status == TD_OK; k++) {
        if (!w->actors[k].touches) {
            tdi_group *alone = gather(w, w->actors[k].solver, k, k + 1);
            status = w->scene->def.collider_count > 0 ? make_touch(w, alone, &diag) : TD_OK;
        }
    }
    return status == TD_OK || status == TD_ERR_MEMORY
               ? status
               : tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, "contact", "%s", diag.message);
}

void tdi_world_free_groups(td_world *w) {
    for (int32_t k = 0; k < w->group_count; k++) {
        if (w->groups[k].touch) {
            w->actors[w->members[w->groups[k].first]].solver->touch_free(w->groups[k].touch);
        }
    }
}
