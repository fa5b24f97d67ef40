// SPDX-License-Identifier: MIT
// Constraints of a world in its steps: which act, their targets, and their reports.
//
// Time     Before a step the world sets which constraints act in it, and their targets at its end.
//          Targets that are relative to the start of a constraint count from the pose at the end of
//          the step before it begins.

#include "world/world.h"

#include "base/guard.h"
#include "base/log.h"
#include "implicit/constraint.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

#define SAME_TIME 1e-9 // s: steps begin at multiples of dt but for rounding

// ---- targets --------------------------------------------------------------------------------

tdi_transform tdi_anchor_pose(const td_world *w, int32_t actor, int32_t segment, td_vec3 point) {
    const tdi_actor *a = &w->actors[actor];
    const tdi_frame_at at = tdi_point_frame(a->state, segment, point);
    return (tdi_transform){at.position, at.rotation};
}

tdi_transform tdi_constraint_pose(const td_world *w, const tdi_constraint_slot *slot) {
    return tdi_anchor_pose(w, slot->actor[0], slot->segment, slot->point);
}

static bool has_path(td_constraint_kind kind) {
    return kind == TD_CONSTRAINT_POINT || kind == TD_CONSTRAINT_WELD ||
           kind == TD_CONSTRAINT_DISTANCE || kind == TD_CONSTRAINT_ROPE ||
           kind == TD_CONSTRAINT_STOP || kind == TD_CONSTRAINT_SPRING;
}

// The world's frame is that of side a at its point.
td_constraint_target tdi_constraint_target_now(const td_world *w, int32_t k) {
    const tdi_constraint_slot *slot = &w->constraints.slots[k];
    if (tdi_constraint_is_added(w, k)) {
        return slot->def.target;
    }
    const td_scene_constraint *s = &w->scene->def.constraints[k];
    const struct td_constraint_terms *as = &s->as;
    const bool any_length = as->length > 0 || s->kind == TD_CONSTRAINT_SPRING;
    td_constraint_target t = {.rotation = tdi_quat_identity(),
                              .length = any_length ? as->length : 1};
    if (s->kind == TD_CONSTRAINT_JOINT) {
        t.joint = slot->joint == TD_JOINT_BALL    ? as->bend
                  : slot->joint == TD_JOINT_HINGE ? tdi_vec3(as->angle, 0, 0)
                                                  : tdi_vec3(as->slide, 0, 0);
    } else if (s->kind == TD_CONSTRAINT_HINGE && as->angle_given) {
        const td_quat turn = tdi_quat_turn(slot->axis, as->angle);
        t.rotation = as->b.given ? turn : tdi_quat_mul(slot->from.rotation, turn);
        t.position = slot->from.position;
    } else if (has_path(s->kind)) {
        t.position = as->to_given || s->kind == TD_CONSTRAINT_STOP
                         ? as->to
                         : tdi_add(slot->from.position, as->by);
    }
    if (s->kind == TD_CONSTRAINT_WELD && !as->b.given) {
        t.rotation = tdi_quat_mul(tdi_quat_unit(as->rotation), slot->from.rotation);
    }
    return t;
}

// ---- springs --------------------------------------------------------------------------------

static td_vec3 second_place(const td_world *w, int32_t k, const td_constraint *c) {
    if (c->actor[1] != TD_NONE) {
        const int32_t actor = w->constraints.slots[k].actor[1];
        return tdi_anchor_pose(w, actor, c->segment[1], c->point[1]).position;
    }
    const td_constraint_target t = tdi_constraint_target_now(w, k);
    return tdi_add(t.position, tdi_quat_rotate(t.rotation, c->point[1]));
}

td_real tdi_constraint_energy(const td_world *w, int32_t k) {
    const tdi_constraint_slot *t = &w->constraints.slots[k];
    const tdi_constraint_set *h = w->constraints.groups[t->group].constraints;
    const td_constraint *c = &h->def[t->number];
    const tdi_constraint_state *s = &h->state[t->number];
    if (c->kind != TD_CONSTRAINT_SPRING || s->broken ||
        !tdi_constraint_acts(w, k, td_world_time(w)) ||
        (c->as_found && !s->active)) { // it begins at ease
        return 0;
    }
    const td_real length = c->as_found ? s->found.length : tdi_constraint_target_now(w, k).length,
                  off =
                      tdi_norm(tdi_sub(tdi_constraint_pose(w, t).position, second_place(w, k, c))) -
                      length;
    return 0.5 * c->stiffness * off * off;
}

// ---- steps ----------------------------------------------------------------------------------

bool tdi_constraint_acts(const td_world *w, int32_t k, td_real time) {
    const tdi_constraint_slot *t = &w->constraints.slots[k];
    const bool added = tdi_constraint_is_added(w, k);
    const td_real end = added ? t->def.end : w->scene->def.constraints[k].as.end;
    return t->begun && !t->released && time + SAME_TIME < end &&
           (!added || time + SAME_TIME >= t->def.start);
}

void tdi_world_set_constraints(td_world *w, td_real time) {
    for (int32_t k = 0; k < w->constraints.group_count; k++) {
        tdi_group *g = &w->constraints.groups[k];
        tdi_constraints_set_time(g->constraints, time);
        if (g->analytic) { // to be undone with the step
            td_analytic_save(g->analytic, g->memory);
        }
    }
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        tdi_constraint_slot *t = &w->constraints.slots[k];
        if (!t->alive) {
            continue;
        }
        const td_constraint_target target = tdi_constraint_target_now(w, k);
        const tdi_group *g = &w->constraints.groups[t->group];
        t->before.enabled = tdi_constraints_target(g->constraints, t->number, &t->before.target);
        tdi_constraints_set_target(g->constraints, t->number, &target);
        tdi_constraints_enable(g->constraints, t->number, tdi_constraint_acts(w, k, time));
        if (g->analytic) {
            td_analytic_set_target(g->analytic, t->number, &target, NULL);
            td_analytic_set_hold(g->analytic, t->number, tdi_constraint_acts(w, k, time), NULL);
        }
    }
}

void tdi_world_undo_constraints(td_world *w) {
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        const tdi_constraint_slot *t = &w->constraints.slots[k];
        if (t->alive) {
            tdi_constraint_set *constraints = w->constraints.groups[t->group].constraints;
            tdi_constraints_set_target(constraints, t->number, &t->before.target);
            tdi_constraints_enable(constraints, t->number, t->before.enabled);
        }
    }
}

static void note(const td_world *w, tdi_constraint_slot *t, const td_constraint_report *r,
                 td_real time) {
    const bool joint = tdi_norm(r->force) == 0;
    t->past.largest_force = fmax(t->past.largest_force, tdi_norm(joint ? r->moment : r->force));
    t->past.largest_error = fmax(t->past.largest_error, r->error);
    if (r->broken && t->past.broken_at < 0) {
        t->past.broken_at = time;
        tdi_log(&w->log, TD_LOG_INFO, "constraint '%s' broke at %g s", t->name, time);
    }
    if (r->unmet && t->past.unmet_at < 0) {
        t->past.unmet_at = time;
        tdi_log(&w->log, TD_LOG_WARNING, "constraint '%s' cannot be met at %g s", t->name, time);
    }
}

// A constraint begins where side a is now, and its target moves from here: the previous target was
// that of the drawn pose, or of the last time that it acted.
static void begin_here(td_world *w, int32_t k) {
    tdi_constraint_slot *t = &w->constraints.slots[k];
    const tdi_group *g = &w->constraints.groups[t->group];
    t->from = tdi_constraint_pose(w, t);
    const td_constraint_target target = tdi_constraint_target_now(w, k);
    tdi_constraints_reset_target(g->constraints, t->number, &target);
    if (g->analytic) {
        tdi_analytic_start_target(g->analytic, t->number, &target);
    }
}

void tdi_world_note_constraints(td_world *w) {
    const td_real time = td_world_time(w);
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        tdi_constraint_slot *t = &w->constraints.slots[k];
        const td_constraint_report r = td_world_constraint(w, td_world_constraint_id(w, k));
        if (r.active) {
            note(w, t, &r, time);
        }
        if (!t->begun && time + SAME_TIME >= w->scene->def.constraints[k].as.start) {
            t->begun = true;
            begin_here(w, k);
        }
    }
}

// ---- for programs ---------------------------------------------------------------------------

int32_t td_world_constraint_count(const td_world *w) {
    if (!w) {
        return 0;
    }
    return w->constraints.slot_count;
}

td_constraint_id td_world_constraint_id(const td_world *w, int32_t k) {
    td_constraint_id id = {0};
    if (w && tdi_has(k, w->constraints.slot_count) && w->constraints.slots[k].alive) {
        id = (td_constraint_id){(uint32_t)k + 1, w->constraints.slots[k].generation, w->ids.number};
    }
    return id;
}

int32_t td_world_constraint_index(const td_world *w, td_constraint_id id) {
    if (!w || id.place == 0 || id.place > (uint32_t)w->constraints.slot_count ||
        !tdi_world_gave(w, id.world)) {
        return TD_NONE;
    }
    const tdi_constraint_slot *t = &w->constraints.slots[id.place - 1];
    return t->alive && t->generation == id.generation ? (int32_t)id.place - 1 : TD_NONE;
}

const char *td_world_constraint_name(const td_world *w, td_constraint_id id) {
    const int32_t constraint = td_world_constraint_index(w, id);
    return constraint == TD_NONE ? "" : w->constraints.slots[constraint].name;
}

td_constraint_id td_world_constraint_find(const td_world *w, const char *name) {
    const int32_t count = name ? td_world_constraint_count(w) : 0;
    for (int32_t k = 0; k < count; k++) {
        if (w->constraints.slots[k].alive && strcmp(w->constraints.slots[k].name, name) == 0) {
            return td_world_constraint_id(w, k);
        }
    }
    return (td_constraint_id){0};
}

td_constraint_report td_world_constraint(const td_world *w, td_constraint_id id) {
    const int32_t constraint = td_world_constraint_index(w, id);
    if (constraint == TD_NONE) {
        return (td_constraint_report){0};
    }
    const tdi_constraint_slot *t = &w->constraints.slots[constraint];
    const tdi_group *g = &w->constraints.groups[t->group];
    return g->analytic ? td_analytic_constraint(g->analytic, t->number)
                       : tdi_constraints_report(g->constraints, t->number);
}

td_real td_world_constraint_energy(const td_world *w, td_constraint_id id) {
    const int32_t constraint = td_world_constraint_index(w, id);
    return constraint == TD_NONE ? 0 : tdi_constraint_energy(w, constraint);
}

td_constraint_history td_world_constraint_history(const td_world *w, td_constraint_id id) {
    const int32_t constraint = td_world_constraint_index(w, id);
    if (constraint == TD_NONE) {
        return (td_constraint_history){0};
    }
    return w->constraints.slots[constraint].past;
}

td_status td_world_set_hold(td_world *w, td_constraint_id id, bool hold, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    const int32_t constraint = td_world_constraint_index(w, id);
    if (constraint == TD_NONE) {
        return TDI_ID_FAIL(w, "constraint", "removed", id, diag);
    }
    tdi_constraint_slot *t = &w->constraints.slots[constraint];
    if (hold && t->released) {
        begin_here(w, constraint);
    }
    t->released = !hold;
    return TD_OK;
}
