// SPDX-License-Identifier: MIT
// Constraints that a program adds, and actors that are attached to segments of others.
//
// Free      An actor without a fixed base is attached by a weld, with both sides in one island.
// Based     The base of any other actor follows the segment: each step moves it to where the
//           segment will be by its velocity when the step begins. All these places are known before
//           any actor moves, so that the order of actors does not matter. The error is of second
//           order in dt.

#include "world/regrow.h"

#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "implicit/constraint.h"
#include "math/quat.h"
#include "tendril/attach.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- ids ------------------------------------------------------------------------------------

// An added constraint.
static td_status find(td_world *w, td_constraint_id id, tdi_constraint_slot **out, td_diag *diag) {
    const int32_t k = td_world_constraint_index(w, id);
    *out = k == TD_NONE ? NULL : &w->constraints.slots[k];
    if (!*out) {
        return TDI_ID_FAIL(w, "constraint", "removed", id, diag);
    }
    return tdi_constraint_is_added(w, k)
               ? TD_OK
               : tdi_fail(diag, TD_ERR_ARGUMENT,
                          "constraint '%s' belongs to the scene: disable it by "
                          "td_world_set_hold(), or change its numbers by td_world_set()",
                          (*out)->name);
}

// ---- groups ---------------------------------------------------------------------------------

// Forms groups of all constraints that are alive. Constraints of the scene are as their sets have
// them.
static td_status regroup(td_world *w, td_diag *diag) {
    const size_t count = (size_t)w->constraints.slot_count + 1;
    td_constraint *all = tdi_alloc_zeroed(w->alloc, count, sizeof *all);
    if (!all) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for constraints");
    }
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        const tdi_constraint_slot *t = &w->constraints.slots[k];
        all[k] = t->def;
        all[k].name = t->name;
        if (!tdi_constraint_is_added(w, k)) {
            all[k] = w->constraints.groups[t->group].constraints->def[t->number];
        }
    }
    td_status status = tdi_world_form_groups(w, all, diag);
    tdi_alloc_free(w->alloc, all, count * sizeof *all);
    return status;
}

static void wake_sides(td_world *w, const tdi_constraint_slot *t) {
    for (int side = 0; side < 2; side++) {
        if (t->actor[side] != TD_NONE) {
            tdi_actor_wake(w, t->actor[side], TDI_WAKE_CONSTRAINT);
        }
    }
}

// ---- constraints ----------------------------------------------------------------------------

static td_status check_actor(const td_world *w, const td_constraint *c, int side, td_diag *diag) {
    const tdi_actor *a = &w->actors[c->actor[side]];
    if (!tdi_actor_acts(a)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' is disabled", a->name);
    }
    const td_object_def *o = &w->scene->def.objects[a->object];
    if (!tdi_has(c->segment[side], a->segment_count)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "segment[%d] is %d; '%s' has %d", side,
                        (int)c->segment[side], a->name, (int)a->segment_count);
    }
    if (!tdi_state_offers(a->state, TDI_POINT_POSITION) || !tdi_is_implicit(o->integrator)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "'%s' cannot be held: its integrator must be 'implicit' or "
                        "'implicit-euler', of a solver that has constraints",
                        a->name);
    }
    return memcmp(&a->base, &a->simulated, sizeof a->base) == 0 && o->time_scale == 1 &&
                   o->local.amount == 0
               ? TD_OK
               : tdi_fail(diag, TD_ERR_ARGUMENT,
                          "'%s' cannot be held: it has 'time_scale' or 'local', so that it is not "
                          "simulated where it is drawn",
                          a->name);
}

static td_status check(const td_world *w, const td_constraint *c, td_diag *diag) {
    if (c->kind == TD_CONSTRAINT_CURVE) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "a curve cannot be added while the world runs");
    }
    const bool two = c->actor[1] != TD_NONE;
    td_status status = td_constraints_check(c, 1, diag);
    status = status == TD_OK ? check_actor(w, c, 0, diag) : status;
    status = status == TD_OK && two ? check_actor(w, c, 1, diag) : status;
    if (status != TD_OK || !two) {
        return status;
    }
    const td_object_def *objects = w->scene->def.objects;
    return objects[w->actors[c->actor[0]].object].integrator ==
                   objects[w->actors[c->actor[1]].object].integrator
               ? TD_OK
               : tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' and '%s' have different integrators",
                          w->actors[c->actor[0]].name, w->actors[c->actor[1]].name);
}

// The fields of a slot that follow from its definition.
static void fill(tdi_constraint_slot *t) {
    t->actor[0] = t->def.actor[0];
    t->actor[1] = t->def.actor[1];
    t->segment = t->def.segment[0];
    t->point = t->def.point[0];
    t->group = TD_NONE;
    t->begun = true;
    t->from = (tdi_transform){{0, 0, 0}, tdi_quat_identity()};
}

static int32_t free_place(const td_world *w) {
    int32_t k = w->scene->def.constraint_count;
    while (k < w->constraints.slot_count && w->constraints.slots[k].alive) {
        k++;
    }
    return k;
}

// A new constraint in a free slot. There is memory for it.
static tdi_constraint_slot *begin_constraint(td_world *w, const td_constraint *c, int32_t k) {
    tdi_constraint_slot *t = &w->constraints.slots[k];
    *t = (tdi_constraint_slot){.generation = k < w->constraints.slot_count ? t->generation + 1 : 1,
                               .alive = true,
                               .def = *c,
                               .past = {.broken_at = -1, .unmet_at = -1}};
    snprintf(t->name, sizeof t->name, "%s", c->name ? c->name : "");
    if (!c->name) {
        snprintf(t->name, sizeof t->name, "%s %d", td_constraint_kind_name(c->kind), (int)k + 1);
    }
    t->def.name = NULL;
    fill(t);
    w->constraints.slot_count = k < w->constraints.slot_count ? w->constraints.slot_count : k + 1;
    return t;
}

static bool joins(const tdi_constraint_slot *t, int32_t actor) {
    return t->alive && actor != TD_NONE && (t->actor[0] == actor || t->actor[1] == actor);
}

// Detaches the actors that it attaches.
static void forget_constraint(td_world *w, int32_t constraint) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_attachment *c = &w->actors[k].attachment;
        if (c->actor != TD_NONE && c->constraint == constraint) {
            c->actor = TD_NONE;
        }
    }
}

// Removes the added constraints of an actor; whether there were any.
static bool remove_added(td_world *w, int32_t actor) {
    bool any = false;
    for (int32_t k = w->scene->def.constraint_count; k < w->constraints.slot_count; k++) {
        tdi_constraint_slot *t = &w->constraints.slots[k];
        t->renewed = joins(t, actor);
        t->alive = t->alive && !t->renewed;
        any = any || t->renewed;
    }
    return any;
}

static void finish_removal(td_world *w, bool gone) {
    for (int32_t k = w->scene->def.constraint_count; k < w->constraints.slot_count; k++) {
        tdi_constraint_slot *t = &w->constraints.slots[k];
        if (t->renewed && gone) {
            wake_sides(w, t);
            forget_constraint(w, k);
        }
        t->alive = t->alive || (t->renewed && !gone);
        t->renewed = false;
    }
}

td_status tdi_world_replace_constraint(td_world *w, int32_t actor, const td_constraint *c,
                                       int32_t *out, td_diag *diag) {
    const int32_t k = free_place(w), before = w->constraints.slot_count;
    td_status status = c ? tdi_world_constraint_room(w, (int64_t)k + 1) : TD_OK;
    if (status != TD_OK) {
        return tdi_fail(diag, status, "there is no room for a constraint");
    }
    const bool any = remove_added(w, actor);
    tdi_constraint_slot was, *t = NULL;
    if (c) {
        was = w->constraints.slots[k];
        t = begin_constraint(w, c, k);
    }
    status = any || t ? regroup(w, diag) : TD_OK;
    if (status != TD_OK && t) {
        *t = was;
        w->constraints.slot_count = before;
    }
    finish_removal(w, status == TD_OK);
    if (status == TD_OK && t) {
        wake_sides(w, t);
        *out = k;
    }
    return status;
}

// The index of a side's actor.
static td_status find_side(const td_world *w, td_actor_id id, int32_t *out, td_diag *diag) {
    *out = td_world_actor_index(w, id);
    return *out == TD_NONE ? TDI_ID_FAIL(w, "actor", "removed", id, diag) : TD_OK;
}

td_status td_world_add_constraint(td_world *w, const td_constraint *given, td_actor_id first,
                                  td_actor_id second, td_constraint_id *out, td_diag *diag) {
    TDI_REFUSE_IF(!w || !out);
    td_constraint own = td_constraint_default(TD_CONSTRAINT_POINT);
    int32_t k = TD_NONE;
    *out = (td_constraint_id){0};
    td_status status = tdi_def_take("td_constraint", &own, given, diag);
    status = status == TD_OK ? find_side(w, first, &own.actor[0], diag) : status;
    own.actor[1] = TD_NONE;
    if (status == TD_OK && second.place > 0) {
        status = find_side(w, second, &own.actor[1], diag);
    }
    status = status == TD_OK ? check(w, &own, diag) : status;
    status = status == TD_OK ? tdi_world_replace_constraint(w, TD_NONE, &own, &k, diag) : status;
    if (status == TD_OK) {
        *out = td_world_constraint_id(w, k);
    }
    return status;
}

static td_status drop(td_world *w, tdi_constraint_slot *t, td_diag *diag) {
    t->alive = false;
    td_status status = regroup(w, diag);
    t->alive = status != TD_OK;
    if (status == TD_OK) {
        wake_sides(w, t);
    }
    return status;
}

td_status td_world_remove_constraint(td_world *w, td_constraint_id id, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_constraint_slot *t;
    td_status status = find(w, id, &t, diag);
    status = status == TD_OK ? drop(w, t, diag) : status;
    if (status == TD_OK) {
        forget_constraint(w, (int32_t)(t - w->constraints.slots));
    }
    return status;
}

td_status td_world_set_target(td_world *w, td_constraint_id id, const td_constraint_target *target,
                              td_diag *diag) {
    TDI_REFUSE_IF(!w || !target);
    tdi_constraint_slot *t;
    TDI_TRY(find(w, id, &t, diag));
    td_constraint changed = t->def;
    changed.target = *target;
    td_status status = td_constraints_check(&changed, 1, diag);
    t->def.target = status == TD_OK ? *target : t->def.target;
    return status;
}

td_status tdi_world_restore_constraints(td_world *w, td_diag *diag) {
    td_status status = TD_OK;
    for (int32_t k = w->scene->def.constraint_count;
         k < w->constraints.slot_count && status == TD_OK; k++) {
        fill(&w->constraints.slots[k]);
        const td_constraint *c = &w->constraints.slots[k].def;
        status = td_constraints_check(c, 1, diag);
        for (int side = 0; side < 2 && status == TD_OK && w->constraints.slots[k].alive; side++) {
            const bool free = side == 1 && c->actor[1] == TD_NONE;
            status =
                free || (tdi_has(c->actor[side], w->actor_count) && c->kind != TD_CONSTRAINT_CURVE)
                    ? TD_OK
                    : TD_ERR_SYNTAX;
        }
    }
    status = status == TD_OK ? regroup(w, diag) : status;
    if (status != TD_OK) { // the world keeps none of the added constraints
        w->constraints.slot_count = w->scene->def.constraint_count;
        regroup(w, NULL);
    }
    return status;
}

// ---- attaching ------------------------------------------------------------------------------

td_attach_def td_attach_def_default(void) {
    td_attach_def def = {
        .struct_size = sizeof def, .rotation = tdi_quat_identity(), .break_force = INFINITY};
    return def;
}

static td_status check_attach(const td_world *w, const td_attach_def *def, td_diag *diag) {
    const int32_t k = td_world_actor_index(w, def->actor), to = td_world_actor_index(w, def->to);
    if (k == TD_NONE || to == TD_NONE) {
        return k == TD_NONE ? TDI_ID_FAIL(w, "actor", "removed", def->actor, diag)
                            : TDI_ID_FAIL(w, "actor to attach to", "removed", def->to, diag);
    }
    if (!tdi_has(def->segment, w->actors[to].segment_count)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "segment is %d; '%s' has %d", (int)def->segment,
                        w->actors[to].name, (int)w->actors[to].segment_count);
    }
    if (!(def->break_force > 0)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "break_force is %g N; it must be above 0",
                        def->break_force);
    }
    for (int32_t j = to; j != TD_NONE; j = w->actors[j].attachment.actor) { // all that carry it
        if (j == k) {
            return tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' cannot carry itself", w->actors[k].name);
        }
    }
    return tdi_check_pose(def->position, def->rotation, diag);
}

// Whether its base is free.
static bool is_loose(const td_world *w, const tdi_actor *a) {
    const td_body_model *model = w->variants.list[a->variant].model;
    td_vec3 place;
    td_quat turn;
    bool held = a->segments[0].joint != TD_JOINT_FREE;
    if (a->solver->ends) {
        held = a->solver->ends->pose(model, false, &place, &turn) ||
               a->solver->ends->pose(model, true, &place, &turn);
    }
    return !held;
}

// Where a segment is, in the world.
static tdi_transform segment_pose(const td_world *w, int32_t actor, int32_t segment) {
    tdi_transform t;
    td_world_segment(w, td_world_actor_id(w, actor), segment, &t.position, NULL, &t.rotation);
    return t;
}

static tdi_transform inverse(tdi_transform t) {
    const td_quat back = tdi_quat_conj(t.rotation);
    return (tdi_transform){tdi_scale(tdi_quat_rotate(back, t.position), -1), back};
}

// The base of an actor that puts its base, or the first segment of a free actor, at a place. A free
// actor may be far from its base.
static tdi_transform base_for(const td_world *w, int32_t k, tdi_transform place) {
    const tdi_actor *a = &w->actors[k];
    if (!is_loose(w, a)) {
        return place;
    }
    const tdi_transform drawn = {a->segments[0].attach, a->segments[0].initial};
    const tdi_transform off = tdi_transform_mul(inverse(segment_pose(w, k, 0)), a->base);
    return tdi_transform_mul(tdi_transform_mul(place, drawn), off);
}

static td_constraint weld_of(const td_attach_def *def, int32_t k, int32_t to) {
    td_constraint c = td_constraint_default(TD_CONSTRAINT_WELD);
    c.actor[0] = k;
    c.actor[1] = to;
    c.segment[1] = def->segment;
    c.break_force = def->break_force;
    return c;
}

static td_status detach(td_world *w, int32_t k, td_diag *diag) {
    tdi_attachment *c = &w->actors[k].attachment;
    td_status status = TD_OK;
    if (c->constraint != TD_NONE && w->constraints.slots[c->constraint].alive) {
        status = drop(w, &w->constraints.slots[c->constraint], diag);
    }
    if (status == TD_OK) {
        *c = (tdi_attachment){.actor = TD_NONE, .constraint = TD_NONE};
    }
    return status;
}

td_status td_world_attach(td_world *w, const td_attach_def *given, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    td_attach_def own = td_attach_def_default(), *def = &own;
    TDI_TRY(tdi_def_take("td_attach_def", def, given, diag));
    TDI_TRY(check_attach(w, def, diag));
    const int32_t k = td_world_actor_index(w, def->actor), to = td_world_actor_index(w, def->to);
    const tdi_transform at = {def->position, tdi_quat_unit(def->rotation)};
    const tdi_transform place =
        base_for(w, k, tdi_transform_mul(segment_pose(w, to, def->segment), at));
    const bool loose = is_loose(w, &w->actors[k]);
    td_constraint weld = weld_of(def, k, to);
    int32_t constraint = TD_NONE;
    td_status status = loose ? check(w, &weld, diag) : TD_OK;
    if (status == TD_OK) {
        status = tdi_actor_put(w, &w->actors[k], place, loose ? &weld : NULL, &constraint, diag);
    }
    if (status == TD_OK) {
        w->actors[k].attachment = (tdi_attachment){
            .actor = to, .segment = def->segment, .constraint = constraint, .at = at};
    }
    return status;
}

td_status td_world_detach(td_world *w, td_actor_id id, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    const int32_t k = td_world_actor_index(w, id);
    if (k == TD_NONE) {
        return TDI_ID_FAIL(w, "actor", "removed", id, diag);
    }
    return w->actors[k].attachment.actor == TD_NONE
               ? tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' is not attached", w->actors[k].name)
               : detach(w, k, diag);
}

td_actor_id td_world_carrier(const td_world *w, td_actor_id id, int32_t *segment) {
    const int32_t k = td_world_actor_index(w, id);
    const tdi_attachment *c = k == TD_NONE ? NULL : &w->actors[k].attachment;
    if (segment) {
        *segment = c && c->actor != TD_NONE ? c->segment : TD_NONE;
    }
    return td_world_actor_id(w, c ? c->actor : TD_NONE);
}

td_status tdi_world_detach_all(td_world *w, int32_t actor, td_diag *diag) {
    td_status status = tdi_world_replace_constraint(w, actor, NULL, NULL, diag);
    for (int32_t k = 0; k < w->actor_count && status == TD_OK; k++) {
        tdi_attachment *c = &w->actors[k].attachment;
        if (k == actor || c->actor == actor) {
            *c = (tdi_attachment){.actor = TD_NONE, .constraint = TD_NONE};
        }
    }
    return status;
}

// Whether both sides still exist; a joint that was cut has no constraints.
static bool follow_sides(const td_world *w, const tdi_trace *t, td_constraint *c) {
    bool there = true;
    for (int side = 0; side < 2 && there; side++) {
        if (c->actor[side] != TD_NONE) {
            there = tdi_trace_find(t, &c->actor[side], &c->segment[side], &c->point[side]) &&
                    !(tdi_constraint_of_joint(c->kind) &&
                      w->actors[c->actor[side]].segments[c->segment[side]].joint == TD_JOINT_FREE);
        }
    }
    return there;
}

static void remap_constraint(const td_world *w, const tdi_trace *trace, tdi_constraint_slot *t) {
    t->renewed = joins(t, trace->from);
    if (t->renewed) {
        t->alive = follow_sides(w, trace, &t->def);
        t->actor[0] = t->def.actor[0];
        t->actor[1] = t->def.actor[1];
        t->segment = t->def.segment[0];
        t->point = t->def.point[0];
    }
}

td_status tdi_world_remap_constraints(td_world *w, const tdi_trace *trace, td_diag *diag) {
    const int32_t first = w->scene->def.constraint_count, count = w->constraints.slot_count - first;
    const size_t bytes = (size_t)count * sizeof *w->constraints.slots;
    bool any = false;
    for (int32_t k = first; k < w->constraints.slot_count; k++) {
        any = any || joins(&w->constraints.slots[k], trace->from);
    }
    if (!any) {
        return TD_OK;
    }
    tdi_constraint_slot *before = tdi_alloc_zeroed(w->alloc, 1, bytes);
    if (!before) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for constraints");
    }
    memcpy(before, w->constraints.slots + first, bytes);
    for (int32_t k = first; k < w->constraints.slot_count; k++) {
        remap_constraint(w, trace, &w->constraints.slots[k]);
    }
    const td_status status = regroup(w, diag);
    if (status != TD_OK) {
        memcpy(w->constraints.slots + first, before, bytes);
    }
    for (int32_t k = first; k < w->constraints.slot_count; k++) {
        if (w->constraints.slots[k].renewed && !w->constraints.slots[k].alive) {
            forget_constraint(w, k);
        }
        w->constraints.slots[k].renewed = false;
    }
    tdi_alloc_free(w->alloc, before, bytes);
    return status;
}

// ---- steps ----------------------------------------------------------------------------------

// x + v dt, and turned by the spin in dt
void tdi_world_carry(td_world *w) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        tdi_attachment *c = &a->attachment;
        if (!tdi_actor_acts(a) || c->actor == TD_NONE || c->constraint != TD_NONE) {
            continue;
        }
        tdi_transform to = segment_pose(w, c->actor, c->segment);
        const tdi_rate rate = tdi_segment_rate(&w->actors[c->actor], c->segment);
        const td_real speed = tdi_norm(rate.spin);
        to.position = tdi_madd(to.position, rate.velocity, w->clock.dt);
        if (speed > 0) {
            to.rotation = tdi_quat_mul(
                tdi_quat_turn(tdi_scale(rate.spin, 1 / speed), speed * w->clock.dt), to.rotation);
        }
        a->place = tdi_transform_mul(to, c->at);
        a->own_place = true;
    }
}
