// SPDX-License-Identifier: MIT
// Islands that explicit integrators step: an actor alone, or a group of actors that constraints
// join. Solvers have their own constraints for explicit steps: tdi_explicit_constraints.

#include "world/world.h"

#include "base/alloc.h"
#include "base/diag.h"

static tdi_actor *member_of(const td_world *w, const tdi_island *i, int32_t j) {
    return &w->actors[w->islands.member_actor[i->first + j]];
}

static tdi_group *group_of(const td_world *w, const tdi_island *i) {
    const int32_t group = w->constraints.group_of[w->islands.member_actor[i->first]];
    return group == TD_NONE ? NULL : &w->constraints.groups[group];
}

static bool is_analytic(const tdi_actor *a) {
    const tdi_explicit_ops *e = tdi_solver_explicit(a->solver);
    return e && e->analytic;
}

// ---- making ---------------------------------------------------------------------------------

static td_status check_group(const td_world *w, const tdi_group *g, td_diag *diag) {
    for (int32_t j = 0; j < g->count; j++) {
        const tdi_actor *a = &w->actors[w->constraints.group_actor[g->first + j]];
        if (!is_analytic(a)) {
            return tdi_fail(diag, TD_ERR_ARGUMENT,
                            "explicit integrators hold no constraints of the solver '%s'; use the "
                            "integrator 'implicit' (object '%s')",
                            a->solver->info.name, a->name);
        }
    }
    return TD_OK;
}

td_status tdi_group_make_explicit(td_world *w, tdi_group *g, const td_constraint *own,
                                  int32_t count, td_diag *diag) {
    const tdi_actor *first = &w->actors[w->constraints.group_actor[g->first]];
    if (tdi_is_implicit(w->scene->def.objects[first->object].integrator)) {
        return TD_OK;
    }
    TDI_TRY(check_group(w, g, diag));
    const td_contact_opts contact = tdi_world_contact_opts(w);
    td_body **states = tdi_arena_zeroed(&w->arena, (size_t)g->count, sizeof *states);
    g->opts = tdi_arena_zeroed(&w->arena, (size_t)g->count, sizeof *g->opts);
    for (int32_t j = 0; states && j < g->count; j++) {
        states[j] = w->actors[w->constraints.group_actor[g->first + j]].state;
    }
    TDI_TRY(states && g->opts ? tdi_analytic_new(states, g->count, own, count,
                                                 tdi_world_has_contact(w) ? &contact : NULL,
                                                 w->alloc, &g->analytic, diag)
                              : TD_ERR_MEMORY);
    g->memory = tdi_arena_zeroed(&w->arena, td_analytic_save_size(g->analytic) + 1, 1);
    return g->memory ? TD_OK : TD_ERR_MEMORY;
}

// Of an actor in no group: a group has contact for all of its actors.
td_status tdi_actor_make_explicit_contact(const td_world *w, tdi_actor *a, td_diag *diag) {
    const td_object_def *o = &w->scene->def.objects[a->object];
    const td_contact_opts contact = tdi_world_contact_opts(w);
    td_body *const state = a->state;
    if (!tdi_world_has_contact(w) || !o->touches || tdi_is_implicit(o->integrator) ||
        !is_analytic(a)) {
        return TD_OK;
    }
    return tdi_analytic_new(&state, 1, NULL, 0, &contact, w->alloc, &a->contact.analytic, diag);
}

void tdi_actor_free_explicit_contact(tdi_actor *a) {
    td_analytic_free(a->contact.analytic);
    a->contact.analytic = NULL;
}

int32_t tdi_island_explicit_contacts(const td_world *w, const tdi_island *i, td_contact *contacts,
                                     int32_t capacity) {
    const tdi_actor *first = member_of(w, i, 0);
    const tdi_group *g = group_of(w, i);
    const td_analytic *analytic = g ? g->analytic : first->contact.analytic;
    if (!analytic) {
        return 0;
    }
    const int32_t count = tdi_analytic_contacts(analytic, contacts, capacity);
    for (int32_t k = 0; k < count && k < capacity; k++) {
        contacts[k].actor = w->islands.member_actor[i->first + contacts[k].actor];
        contacts[k].other = w->colliders.slot[contacts[k].other];
    }
    return count;
}

// ---- steps ----------------------------------------------------------------------------------

static void step_group(td_world *w, tdi_group *g) {
    tdi_actor *first = &w->actors[w->constraints.group_actor[g->first]];
    if (!g->analytic) {
        first->step.status = tdi_fail(&first->step.diag, TD_ERR_ARGUMENT,
                                      "the integrator of objects with constraints cannot change");
        return;
    }
    for (int32_t j = 0; j < g->count; j++) {
        g->opts[j] = w->actors[w->constraints.group_actor[g->first + j]].step.opts;
    }
    first->step.status = td_analytic_step(g->analytic, g->opts, w->colliders.enabled,
                                          tdi_world_has_contact(w) ? w->colliders.enabled_count : 0,
                                          &first->step.stats, &first->step.diag);
}

void tdi_island_step_explicitly(td_world *w, tdi_island *i) {
    tdi_group *g = group_of(w, i);
    for (int32_t j = 0; j < i->count; j++) {
        tdi_actor *a = member_of(w, i, j);
        tdi_state_save(a->state, a->step.memory);
    }
    if (g) {
        step_group(w, g);
    } else {
        tdi_actor *a = member_of(w, i, 0);
        a->step.status =
            a->step.opts.integrator == TD_ADAPTIVE ? tdi_actor_step_adaptively(w, a)
            : a->contact.analytic
                ? td_analytic_step(a->contact.analytic, &a->step.opts, w->colliders.enabled,
                                   w->colliders.enabled_count, &a->step.stats, &a->step.diag)
                : tdi_solver_step(a->solver, a->state, &a->step.opts, &a->step.stats,
                                  &a->step.diag);
    }
}

void tdi_island_undo_explicitly(td_world *w, tdi_island *i) {
    const tdi_group *g = group_of(w, i);
    for (int32_t j = 0; j < i->count; j++) {
        tdi_actor *a = member_of(w, i, j);
        tdi_state_restore(a->state, a->step.memory);
        tdi_actor_undo_adaptively(a);
    }
    if (g && g->analytic) {
        td_analytic_restore(g->analytic, g->memory, td_analytic_save_size(g->analytic), NULL);
    }
}
