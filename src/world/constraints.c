// SPDX-License-Identifier: MIT
// Constraints of a world: from what the scene says to what the solver holds.
//
// Groups   Actors that constraints join form a group; see constraint_groups.c.

#include "world/world.h"

#include "base/alloc.h"
#include "implicit/constraint.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME_PLACE 1e-9 // m: what two constraints ask of a point is the same
#define ANY_ANGLE  1e4  // rad: limits beyond this are none
#define ANY_PLACE  1e6  // m: likewise

// ---- sides ----------------------------------------------------------------------------------

// Where a fault is told.
typedef struct making {
    td_world *world;
    int32_t constraint;
    const td_scene_constraint *from;
    td_constraint *to;
    td_diag_list *diags;
} making;

static td_status fault(const making *m, const char *key, const char *message) {
    char path[96];
    snprintf(path, sizeof path, "constraints[%d].%s.%s", (int)m->constraint,
             td_constraint_kind_name(m->from->kind), key);
    return tdi_scene_fault(m->world->scene, m->diags, TD_ERR_SYNTAX, path, "%s", message);
}

// The solver of an actor does not offer what the constraint needs.
static td_status no_solver(const making *m, const char *key, const tdi_actor *a, const char *what) {
    char message[160];
    snprintf(message, sizeof message, "the solver '%s' of '%.60s' has no %s that constraints hold",
             a->solver->info.name, a->name, what);
    return fault(m, key, message);
}

static bool of_joint(td_constraint_kind kind) {
    return kind == TD_CONSTRAINT_JOINT || kind == TD_CONSTRAINT_GEAR || kind == TD_CONSTRAINT_LIMIT;
}

// A key that says nothing about a joint of this kind.
static td_status check_terms(const making *m, td_joint_kind kind) {
    static const char *const wants[] = {
        [TD_JOINT_BALL] = "this joint is a ball: it follows 'bend', and its limits are 'cone', "
                          "'low' and 'high'",
        [TD_JOINT_HINGE] = "this joint is a hinge: it follows 'angle', and its limits are 'low' "
                           "and 'high'",
        [TD_JOINT_SLIDE] = "this joint is a slide: it follows 'slide', and its limits are "
                           "'slide_low' and 'slide_high'"};
    const struct td_constraint_terms *as = &m->from->as;
    const bool ball = kind == TD_JOINT_BALL, hinge = kind == TD_JOINT_HINGE,
               slide = kind == TD_JOINT_SLIDE, limit = m->from->kind == TD_CONSTRAINT_LIMIT;
    const struct {
        bool wrong;
        const char *key;
    } rules[] = {{as->bend_given && !ball, "bend"},
                 {as->angle_given && !hinge, "angle"},
                 {as->slide_given && !slide, "slide"},
                 {limit && as->cone < ANY_ANGLE && !ball, "cone"},
                 {limit && as->low > -ANY_ANGLE && slide, "low"},
                 {limit && as->high < ANY_ANGLE && slide, "high"},
                 {limit && as->slide_low > -ANY_PLACE && !slide, "slide_low"},
                 {limit && as->slide_high < ANY_PLACE && !slide, "slide_high"}};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        if (rules[k].wrong) {
            return fault(m, rules[k].key, wants[kind]);
        }
    }
    return TD_OK;
}

// A joint that the constraint can hold: limits and targets also of ball joints, gears not.
static td_status check_joint(const making *m, const char *key, const tdi_spot *spot) {
    const tdi_actor *a = &m->world->actors[spot->actor];
    const tdi_implicit *ops = a->solver->implicit;
    if (!ops->joints) {
        return no_solver(m, key, a, "joints");
    }
    const td_joint_kind kind = ops->joints->joint(a->state, spot->segment).kind;
    if (kind == TD_JOINT_FIXED || kind == TD_JOINT_FREE) {
        return fault(m, key, "this segment has no joint: it is held fast, or loose");
    }
    return kind == TD_JOINT_BALL && m->from->kind == TD_CONSTRAINT_GEAR
               ? fault(m, key, "a gear needs hinges or slides; this is a ball joint")
               : check_terms(m, kind);
}

// The point of a side, in the axes of the segment that carries it.
static td_status make_side(const making *m, int side) {
    const td_side_def *def = side == 0 ? &m->from->as.a : &m->from->as.b;
    const char *key = side == 0 ? "a" : "b";
    char path[96];
    tdi_spot spot;
    snprintf(path, sizeof path, "constraints[%d].%s.%s", (int)m->constraint,
             td_constraint_kind_name(m->from->kind), key);
    TDI_TRY(tdi_find_spot(m->world, &def->place, path, &spot, m->diags));
    const tdi_actor *a = &m->world->actors[spot.actor];
    if (!tdi_state_offers(a->state, TDI_POINT_POSITION)) {
        return no_solver(m, key, a, "points");
    }
    m->to->actor[side] = spot.actor;
    m->to->segment[side] = spot.segment;
    m->to->point[side] = tdi_add(tdi_scale(a->segments[spot.segment].tip, def->along), def->offset);
    return of_joint(m->from->kind) ? check_joint(m, key, &spot) : TD_OK;
}

static tdi_transform side_pose(const td_world *w, const td_constraint *c, int side) {
    return tdi_anchor_pose(w, c->actor[side], c->segment[side], c->point[side]);
}

// ---- kinds ----------------------------------------------------------------------------------

// A hinge that follows an angle holds the whole rotation.
static td_constraint_kind kind_of(const td_scene_constraint *s) {
    return s->kind == TD_CONSTRAINT_HINGE && s->as.angle_given ? TD_CONSTRAINT_WELD : s->kind;
}

static td_joint_kind joint_of(const td_world *w, const td_constraint *c) {
    const tdi_actor *a = &w->actors[c->actor[0]];
    return a->solver->implicit->joints->joint(a->state, c->segment[0]).kind;
}

static void place_side(const making *m) {
    const td_scene_constraint *s = m->from;
    td_constraint *c = m->to;
    const struct td_constraint_terms *as = &s->as;
    const bool world = c->actor[1] == TD_NONE;
    const td_quat turn = side_pose(m->world, c, 0).rotation;
    const td_real norm = tdi_norm(as->axis);
    switch (c->kind) {
    case TD_CONSTRAINT_POINT: c->as_found = false; break;
    case TD_CONSTRAINT_WELD: c->as_found = !world; break;
    case TD_CONSTRAINT_HINGE:
    case TD_CONSTRAINT_SLIDER:
        c->axis[0] = tdi_quat_rotate(tdi_quat_conj(turn), tdi_scale(as->axis, 1 / norm));
        break;
    case TD_CONSTRAINT_STOP:
        c->as_found = false;
        c->axis[1] = tdi_scale(as->axis, 1 / norm);
        break;
    case TD_CONSTRAINT_DISTANCE:
    case TD_CONSTRAINT_ROPE:
    case TD_CONSTRAINT_SPRING:
        c->as_found = as->length == 0 && !tdi_scene_keyed(m->world->scene, &as->length);
        break;
    default: break;
    }
}

static void copy_terms(const making *m) {
    td_constraint *c = m->to;
    const struct td_constraint_terms *as = &m->from->as;
    c->name = m->world->constraints.slots[m->constraint].name;
    c->curve = as->points;
    c->curve_count = as->point_count;
    c->curve_closed = as->closed;
    if (c->kind == TD_CONSTRAINT_LIMIT) {
        const bool slide = joint_of(m->world, c) == TD_JOINT_SLIDE;
        const td_real low = slide ? as->slide_low : as->low,
                      high = slide ? as->slide_high : as->high, any = slide ? ANY_PLACE : ANY_ANGLE;
        c->low = low > -any ? low : -INFINITY;
        c->high = high < any ? high : INFINITY;
        c->cone = as->cone < ANY_ANGLE ? as->cone : INFINITY;
    }
    if (c->kind == TD_CONSTRAINT_GEAR) {
        c->ratio = as->ratio;
    }
    if (c->kind == TD_CONSTRAINT_SPRING) {
        c->stiffness = as->stiffness;
        c->damping = as->damping;
    }
    c->break_force = as->break_force > 0 ? as->break_force : INFINITY;
}

// ---- contradictions -------------------------------------------------------------------------

// Where the second side's point is, as drawn.
static td_vec3 other_place(const making *m) {
    return m->to->actor[1] == TD_NONE ? tdi_constraint_target_now(m->world, m->constraint).position
                                      : side_pose(m->world, m->to, 1).position;
}

// A rope that is too short from the start would tear its ends together in one step.
static td_status check_reach(const making *m) {
    const struct td_constraint_terms *as = &m->from->as;
    if (m->from->kind != TD_CONSTRAINT_ROPE || as->length == 0 || as->start > 0) {
        return TD_OK;
    }
    const td_vec3 a = m->world->constraints.slots[m->constraint].from.position;
    const td_real apart = tdi_norm(tdi_sub(a, other_place(m)));
    char message[240];
    snprintf(message, sizeof message,
             "the rope is %g m long, but its ends are drawn %g m apart; make it longer or draw "
             "them nearer",
             as->length, apart);
    return apart <= as->length + SAME_PLACE ? TD_OK : fault(m, "length", message);
}

static bool at_once(const struct td_constraint_terms *a, const struct td_constraint_terms *b) {
    return a->start < b->end && b->start < a->end;
}

// Whether it holds a point in the world at a place that is known before it begins.
static bool pins_place(const td_scene_constraint *s) {
    return !s->as.b.given && (s->kind == TD_CONSTRAINT_POINT || s->kind == TD_CONSTRAINT_WELD) &&
           (s->as.to_given || s->as.start <= 0);
}

// One point cannot be in two places.
static td_status check_twice(const making *m, const td_constraint *all) {
    const td_scene_constraint *scene = m->world->scene->def.constraints;
    const td_constraint *c = m->to;
    for (int32_t k = 0; k < m->constraint && pins_place(m->from); k++) {
        const td_constraint *o = &all[k];
        if (o->actor[0] != c->actor[0] || o->segment[0] != c->segment[0] ||
            tdi_norm(tdi_sub(o->point[0], c->point[0])) > SAME_PLACE || !pins_place(&scene[k]) ||
            !at_once(&scene[k].as, &m->from->as)) {
            continue;
        }
        const td_real apart =
            tdi_norm(tdi_sub(tdi_constraint_target_now(m->world, k).position,
                             tdi_constraint_target_now(m->world, m->constraint).position));
        if (apart > SAME_PLACE) {
            char message[240];
            snprintf(message, sizeof message,
                     "the constraint '%s' holds the same point at a place %g m from here; remove "
                     "one, or let one end before the other starts",
                     m->world->constraints.slots[k].name, apart);
            return fault(m, m->from->as.to_given ? "to" : "a", message);
        }
    }
    return TD_OK;
}

static td_status make_constraint(const making *m) {
    td_world *w = m->world;
    tdi_constraint_slot *slot = &w->constraints.slots[m->constraint];
    snprintf(slot->name, sizeof slot->name, "%s", m->from->as.name ? m->from->as.name : "");
    if (!m->from->as.name) {
        snprintf(slot->name, sizeof slot->name, "%s %d", td_constraint_kind_name(m->from->kind),
                 (int)m->constraint + 1);
    }
    *m->to = td_constraint_default(kind_of(m->from));
    td_status status = make_side(m, 0);
    status = status == TD_OK && m->from->as.b.given ? make_side(m, 1) : status;
    if (status != TD_OK) {
        return status;
    }
    if (m->to->actor[0] == m->to->actor[1] && m->to->segment[0] == m->to->segment[1]) {
        return fault(m, "b", "both sides are on the same segment; a constraint needs two");
    }
    copy_terms(m);
    place_side(m);
    slot->actor[0] = m->to->actor[0];
    slot->actor[1] = m->to->actor[1];
    slot->segment = m->to->segment[0];
    slot->point = m->to->point[0];
    slot->joint = m->from->kind == TD_CONSTRAINT_JOINT ? joint_of(w, m->to) : TD_JOINT_BALL;
    slot->from = tdi_constraint_pose(w, slot);
    slot->axis = tdi_quat_rotate(tdi_quat_conj(slot->from.rotation),
                                 tdi_unit_or(m->from->as.axis, tdi_vec3(0, 0, 1)));
    slot->begun = m->from->as.start <= 0;
    slot->alive = true;
    slot->group = TD_NONE;
    slot->past.broken_at = slot->past.unmet_at = -1;
    m->to->target = tdi_constraint_target_now(w, m->constraint);
    return check_reach(m);
}

// ---- entry ----------------------------------------------------------------------------------

static td_status make_constraints(td_world *w, td_constraint *all, td_diag_list *diags) {
    td_status result = TD_OK;
    for (int32_t k = 0; k < w->scene->def.constraint_count; k++) {
        const making m = {w, k, &w->scene->def.constraints[k], &all[k], diags};
        td_status status = make_constraint(&m);
        status = status == TD_OK ? check_twice(&m, all) : status;
        result = result == TD_OK ? status : result;
    }
    return result;
}

// Explicit integrators hold them in ways of their own.
static td_status make_explicit(td_world *w, td_diag *diag) {
    td_status status = TD_OK;
    for (int32_t g = 0; g < w->constraints.group_count && status == TD_OK; g++) {
        const tdi_constraint_set *h = w->constraints.groups[g].constraints;
        status = tdi_group_make_explicit(w, &w->constraints.groups[g], h->def, h->count, diag);
    }
    return status;
}

static td_status make_groups(td_world *w, const td_constraint *all, td_diag_list *diags) {
    td_diag diag = {.index = TD_NONE};
    w->constraints.slot_count = w->scene->def.constraint_count;
    td_status status = tdi_world_form_groups(w, all, &diag);
    status = status == TD_OK ? make_explicit(w, &diag) : status;
    return status == TD_OK || status == TD_ERR_MEMORY
               ? status
               : tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, "constraints", "%s", diag.message);
}

td_status tdi_world_make_constraints(td_world *w, td_diag_list *diags) {
    const size_t count = (size_t)w->scene->def.constraint_count + 1;
    td_constraint *all = tdi_alloc_zeroed(w->alloc, count, sizeof *all);
    td_status status = all ? tdi_world_constraint_room(w, (int64_t)count) : TD_ERR_MEMORY;
    status = status == TD_OK ? make_constraints(w, all, diags) : status;
    status = status == TD_OK ? make_groups(w, all, diags) : status;
    tdi_alloc_free(w->alloc, all, count * sizeof *all);
    return status;
}
