// SPDX-License-Identifier: MIT
// Constraints of a world in its steps: which act, where to, and what they did.
//
// Time     The world says which constraints act in a step, and where their frames of the world are
//          at its end. What moves from where a point is when its constraint begins starts from the
//          pose at the end of the step before.

#include "world/world.h"

#include "base/guard.h"
#include "base/log.h"
#include "implicit/constraint.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

#define SAME_TIME 1e-9 // s: steps begin at multiples of dt but for rounding

// ---- where to -------------------------------------------------------------------------------

tdi_transform tdi_pin_pose(const td_world *w, int32_t actor, int32_t segment, td_vec3 point) {
    const tdi_actor *a = &w->actors[actor];
    const tdi_frame_at at = tdi_point_frame(a->state, segment, point);
    return (tdi_transform){at.position, at.rotation};
}

tdi_transform tdi_tie_pose(const td_world *w, const tdi_tie *tie) {
    return tdi_pin_pose(w, tie->actor[0], tie->segment, tie->point);
}

static bool has_path(td_constraint_kind kind) {
    return kind == TD_CONSTRAINT_POINT || kind == TD_CONSTRAINT_WELD ||
           kind == TD_CONSTRAINT_DISTANCE || kind == TD_CONSTRAINT_ROPE ||
           kind == TD_CONSTRAINT_STOP || kind == TD_CONSTRAINT_SPRING;
}

// Where the frame of the world, or the joint, is to be by what the scene says now. The frame is
// that of side a at its point, so that its place and rotation say all.
td_constraint_target tdi_world_target(const td_world *w, int32_t k) {
    const tdi_tie *tie = &w->constraints.ties[k];
    if (tdi_tie_is_added(w, k)) {
        return tie->def.target;
    }
    const td_scene_constraint *s = &w->scene->def.constraints[k];
    const struct td_constraint_terms *as = &s->as;
    td_constraint_target t = {.rotation = tdi_quat_identity(),
                              .length = as->length > 0 ? as->length : 1};
    if (s->kind == TD_CONSTRAINT_JOINT) {
        t.joint = tie->joint == TD_JOINT_BALL    ? as->bend
                  : tie->joint == TD_JOINT_HINGE ? tdi_vec3(as->angle, 0, 0)
                                                 : tdi_vec3(as->slide, 0, 0);
    } else if (s->kind == TD_CONSTRAINT_HINGE && as->angle_given) {
        const td_quat turn = tdi_quat_turn(tie->axis, as->angle);
        t.rotation = as->b.given ? turn : tdi_quat_mul(tie->from.rotation, turn);
        t.position = tie->from.position;
    } else if (has_path(s->kind)) {
        t.position = as->to_given || s->kind == TD_CONSTRAINT_STOP
                         ? as->to
                         : tdi_add(tie->from.position, as->by);
    }
    if (s->kind == TD_CONSTRAINT_WELD && !as->b.given) {
        t.rotation = tdi_quat_mul(tdi_quat_unit(as->rotation), tie->from.rotation);
    }
    return t;
}

// ---- steps ----------------------------------------------------------------------------------

bool tdi_tie_acts(const td_world *w, int32_t k, td_real time) {
    const tdi_tie *t = &w->constraints.ties[k];
    const bool added = tdi_tie_is_added(w, k);
    const td_real end = added ? t->def.end : w->scene->def.constraints[k].as.end;
    return t->begun && !t->loose && time + SAME_TIME < end &&
           (!added || time + SAME_TIME >= t->def.start);
}

void tdi_world_set_holds(td_world *w, td_real time) {
    for (int32_t k = 0; k < w->constraints.group_count; k++) {
        tdi_group *g = &w->constraints.groups[k];
        tdi_constraints_set_time(g->constraints, time);
        if (g->explicit_ops) { // to be undone with the step
            g->explicit_ops->save(g->held, g->memory);
        }
    }
    for (int32_t k = 0; k < w->constraints.tie_count; k++) {
        tdi_tie *t = &w->constraints.ties[k];
        if (!t->alive) {
            continue;
        }
        const td_constraint_target target = tdi_world_target(w, k);
        const tdi_group *g = &w->constraints.groups[t->group];
        t->before.asked = tdi_constraints_target(g->constraints, t->number, &t->before.target);
        tdi_constraints_set_target(g->constraints, t->number, &target);
        tdi_constraints_enable(g->constraints, t->number, tdi_tie_acts(w, k, time));
        if (g->explicit_ops) {
            g->explicit_ops->set_target(g->held, t->number, &target, false);
            g->explicit_ops->set_hold(g->held, t->number, tdi_tie_acts(w, k, time));
        }
    }
}

void tdi_world_undo_holds(td_world *w) {
    for (int32_t k = 0; k < w->constraints.tie_count; k++) {
        const tdi_tie *t = &w->constraints.ties[k];
        if (t->alive) {
            tdi_constraint_set *constraints = w->constraints.groups[t->group].constraints;
            tdi_constraints_set_target(constraints, t->number, &t->before.target);
            tdi_constraints_enable(constraints, t->number, t->before.asked);
        }
    }
}

static void note(const td_world *w, tdi_tie *t, const td_constraint_report *r, td_real time) {
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

// A constraint begins where side a is now, and its target moves from here. The target before was
// that of the drawn pose, or of where side a was held last.
static void begin_here(td_world *w, int32_t k) {
    tdi_tie *t = &w->constraints.ties[k];
    const tdi_group *g = &w->constraints.groups[t->group];
    t->from = tdi_tie_pose(w, t);
    const td_constraint_target target = tdi_world_target(w, k);
    tdi_constraints_reset_target(g->constraints, t->number, &target);
    if (g->explicit_ops) {
        g->explicit_ops->set_target(g->held, t->number, &target, true);
    }
}

void tdi_world_note_holds(td_world *w) {
    const td_real time = td_world_time(w);
    for (int32_t k = 0; k < w->constraints.tie_count; k++) {
        tdi_tie *t = &w->constraints.ties[k];
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
    return w->constraints.tie_count;
}

td_constraint_id td_world_constraint_id(const td_world *w, int32_t k) {
    td_constraint_id id = {0};
    if (w && tdi_has(k, w->constraints.tie_count) && w->constraints.ties[k].alive) {
        id = (td_constraint_id){(uint32_t)k + 1, w->constraints.ties[k].generation, w->ids.number};
    }
    return id;
}

int32_t td_world_constraint_index(const td_world *w, td_constraint_id id) {
    if (!w || id.place == 0 || id.place > (uint32_t)w->constraints.tie_count ||
        !tdi_world_gave(w, id.world)) {
        return TD_NONE;
    }
    const tdi_tie *t = &w->constraints.ties[id.place - 1];
    return t->alive && t->generation == id.generation ? (int32_t)id.place - 1 : TD_NONE;
}

const char *td_world_constraint_name(const td_world *w, td_constraint_id id) {
    const int32_t constraint = td_world_constraint_index(w, id);
    return constraint == TD_NONE ? "" : w->constraints.ties[constraint].name;
}

td_constraint_id td_world_constraint_find(const td_world *w, const char *name) {
    const int32_t count = name ? td_world_constraint_count(w) : 0;
    for (int32_t k = 0; k < count; k++) {
        if (w->constraints.ties[k].alive && strcmp(w->constraints.ties[k].name, name) == 0) {
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
    const tdi_tie *t = &w->constraints.ties[constraint];
    const tdi_group *g = &w->constraints.groups[t->group];
    return g->explicit_ops ? g->explicit_ops->report(g->held, t->number)
                           : tdi_constraints_report(g->constraints, t->number);
}

td_constraint_history td_world_constraint_history(const td_world *w, td_constraint_id id) {
    const int32_t constraint = td_world_constraint_index(w, id);
    if (constraint == TD_NONE) {
        return (td_constraint_history){0};
    }
    return w->constraints.ties[constraint].past;
}

td_status td_world_set_hold(td_world *w, td_constraint_id id, bool hold, td_diag *diag) {
    if (!w) {
        return tdi_refuse(diag, __func__);
    }
    const int32_t constraint = td_world_constraint_index(w, id);
    if (constraint == TD_NONE) {
        return TDI_ID_FAIL(w, "constraint", "removed", id, diag);
    }
    tdi_tie *t = &w->constraints.ties[constraint];
    if (hold && t->loose) {
        begin_here(w, constraint);
    }
    t->loose = !hold;
    return TD_OK;
}
