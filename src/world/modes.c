// SPDX-License-Identifier: MIT
// Vibration modes of actors, alone or together with actors joined by constraints.

#include "implicit/modal.h"
#include "world/world.h"

#include "base/alloc.h"
#include "base/guard.h"
#include "implicit/constraint.h"
#include "implicit/modal.h"

#include <math.h>

// ---- one actor ------------------------------------------------------------------------------

// Springs s k under gravity g move as springs k under g/s do, faster by sqrt(s):
//   w^2 = s w'^2,  and with damping d c the ratio  d c/(2 w) = d/sqrt(s) c/(2 w')
static td_status modes_alone(const td_world *w, const tdi_actor *a, int32_t count, td_mode *modes,
                             td_diag *diag) {
    const td_object_def *o = &w->scene->def.objects[a->object];
    const td_real s = o->stiffness;
    const td_vec3 gravity = tdi_scale(tdi_turn_to_simulated(a, w->scene->def.gravity), 1 / s);
    td_status status = tdi_solver_modes(a->solver, a->state, gravity, count, modes, diag);
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        modes[k].frequency *= sqrt(s);
        modes[k].damping_ratio *= o->damping / sqrt(s);
    }
    return status;
}

// ---- with constraints -----------------------------------------------------------------------

// The actor, or its group.
typedef struct party {
    const int32_t *actor;
    int32_t count;
    tdi_constraint_set *constraints; // NULL: none
} party;

static party party_of(const td_world *w, const int32_t *actor) {
    const int32_t group = w->constraints.group_of[*actor];
    if (group == TD_NONE) {
        return (party){actor, 1, NULL};
    }
    const tdi_group *g = &w->constraints.groups[group];
    return (party){w->constraints.group_actor + g->first, g->count, g->constraints};
}

// Whether modes are those of the actor's own pencil.
static bool is_alone(const td_world *w, const party *p) {
    const tdi_actor *a = &w->actors[p->actor[0]];
    return w->constraints.group_of[p->actor[0]] == TD_NONE &&
           (!a->has_contact || !tdi_state_modal(a->state));
}

static td_status limp(const tdi_actor *a, td_diag *diag) {
    return tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' has the stiffness 0, so it has no modes", a->name);
}

static tdi_member member_of(const td_world *w, tdi_actor *a) {
    const td_object_def *o = &w->scene->def.objects[a->object];
    a->step.opts = td_step_opts_default();
    a->step.opts.gravity = tdi_turn_to_simulated(a, w->scene->def.gravity);
    a->step.opts.stiffness = o->stiffness;
    a->step.opts.damping = o->damping;
    return (tdi_member){.body = a->state, .opts = &a->step.opts, .name = a->name};
}

// Where springs, weight and constraints are not in balance, contacts or loads act, or it moves.
static td_status check_rest(const td_world *w, const party *p, const tdi_modal_info *info,
                            td_diag *diag) {
    const tdi_actor *a = &w->actors[p->actor[0]];
    if (!(info->unbalanced > TDI_UNBALANCED)) {
        return TD_OK;
    }
    for (int32_t k = 0; k < p->count; k++) {
        const tdi_actor *other = &w->actors[p->actor[k]];
        a = other->has_contact ? other : a;
    }
    return a->has_contact
               ? tdi_fail(diag, TD_ERR_ARGUMENT,
                          "'%s' has no modes: contacts support it, or it is not at rest. "
                          "Modes take constraints into account, but no contacts; settle "
                          "it, or hold it by constraints in their place",
                          a->name)
               : tdi_fail(diag, TD_ERR_ARGUMENT,
                          "'%s' has no modes: its pose is not at rest under gravity and "
                          "constraints alone. Settle it first",
                          a->name);
}

static td_status modes_together(td_world *w, const party *p, int32_t count, td_mode *modes,
                                int32_t *free, td_diag *diag) {
    const size_t n = (size_t)p->count;
    tdi_modal_info info;
    tdi_member *members = tdi_alloc_zeroed(w->alloc, n, sizeof *members);
    if (!members) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the modes");
    }
    for (int32_t k = 0; k < p->count; k++) {
        members[k] = member_of(w, &w->actors[p->actor[k]]);
    }
    const tdi_system system = {.member = members, .count = p->count, .constraints = p->constraints};
    if (p->constraints) {
        tdi_constraints_bind(p->constraints, NULL);
        p->constraints->next = NULL;
        tdi_world_set_constraints(w, td_world_time(w));
    }
    td_status status = tdi_system_modes(&system, 0, NULL, &info, w->alloc, diag);
    status = status == TD_OK ? check_rest(w, p, &info, diag) : status;
    if (status == TD_OK && count > 0 && !is_alone(w, p)) {
        status = tdi_system_modes(&system, count, modes, &info, w->alloc, diag);
    }
    if (p->constraints) {
        tdi_world_undo_constraints(w);
    }
    *free = info.free;
    tdi_alloc_free(w->alloc, members, n * sizeof *members);
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

// Whether the actor's solver can compute its unbalanced forces.
static bool can_judge(const td_world *w, int32_t actor) {
    return w->constraints.group_of[actor] != TD_NONE || tdi_state_modal(w->actors[actor].state);
}

td_status td_world_modes(td_world *w, td_actor_id id, int32_t count, td_mode *modes,
                         td_diag *diag) {
    TDI_REFUSE_IF(!w || !modes);
    const int32_t actor = td_world_actor_index(w, id);
    if (actor == TD_NONE) {
        return TDI_ID_FAIL(w, "actor", "removed", id, diag);
    }
    const party p = party_of(w, &actor);
    int32_t free;
    for (int32_t k = 0; k < p.count; k++) {
        const tdi_actor *a = &w->actors[p.actor[k]];
        if (w->scene->def.objects[a->object].stiffness == 0) {
            return limp(a, diag);
        }
    }
    if (count < 1) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count is %d; it must be at least 1", (int)count);
    }
    const td_status status =
        can_judge(w, actor) ? modes_together(w, &p, count, modes, &free, diag) : TD_OK;
    return status == TD_OK && is_alone(w, &p)
               ? modes_alone(w, &w->actors[actor], count, modes, diag)
               : status;
}

int32_t td_world_mode_count(td_world *w, td_actor_id id) {
    const int32_t actor = td_world_actor_index(w, id);
    if (actor == TD_NONE) {
        return 0;
    }
    const party p = party_of(w, &actor);
    int32_t free = 0;
    if (!can_judge(w, actor)) {
        return td_world_actor(w, id).dof_count;
    }
    return modes_together(w, &p, 0, NULL, &free, NULL) == TD_OK ? free : 0;
}

int32_t td_world_mode_actors(const td_world *w, td_actor_id id, td_actor_id *actors,
                             int32_t capacity) {
    const int32_t actor = td_world_actor_index(w, id);
    if (actor == TD_NONE || (capacity > 0 && !actors)) {
        return 0;
    }
    const party p = party_of(w, &actor);
    for (int32_t k = 0; k < p.count && k < capacity; k++) {
        actors[k] = td_world_actor_id(w, p.actor[k]);
    }
    return p.count;
}
