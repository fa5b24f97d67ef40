// SPDX-License-Identifier: MIT
// What the tables cannot say of constraints: names, sides, ranges between fields, and what objects
// with constraints may not have.

#include "scene/scene.h"

#include "math/angle.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Where a fault is told: the constraint and its path.
typedef struct checked {
    const td_scene *scene;
    const struct td_constraint_terms *as;
    td_constraint_kind kind;
    char where[48];
    td_diag_list *diags;
} checked;

int32_t tdi_scene_constraint(const td_scene_def *def, const char *name) {
    for (int32_t k = 0; k < def->constraint_count; k++) {
        const char *own = def->constraints[k].as.name;
        if (own && strcmp(own, name) == 0) {
            return k;
        }
    }
    return TD_NONE;
}

static td_status wrong(const checked *c, const char *key, const char *message) {
    char path[96];
    snprintf(path, sizeof path, "%s.%s", c->where, key);
    return tdi_scene_fault(c->scene, c->diags, TD_ERR_SYNTAX, path, "%s", message);
}

// ---- sides ----------------------------------------------------------------------------------

// Steps with constraints are in one frame.
static td_status check_object(const checked *c, const td_side_def *side, const char *key) {
    const td_scene *s = c->scene;
    const int32_t k = tdi_scene_object(&s->def, side->place.object);
    const td_object_def *o = &s->def.objects[k];
    const char *name = o->name ? o->name : "without a name";
    const char *motion = tdi_scene_key_of_motion(s, o);
    char path[96];
    snprintf(path, sizeof path, "%s.%s.object", c->where, key);
    if (motion) {
        return tdi_scene_fault(s, c->diags, TD_ERR_SYNTAX, path,
                               "'%s' cannot be combined with constraints: remove one of them "
                               "(object '%s')",
                               motion, name);
    }
    return TD_OK;
}

static td_status check_side(const checked *c, const td_side_def *side, const char *key) {
    char where[64];
    snprintf(where, sizeof where, "%s.%s", c->where, key);
    td_status status = tdi_scene_check_place(c->scene, &side->place, where, c->diags);
    return status == TD_OK ? check_object(c, side, key) : status;
}

static bool same_joint(const td_scene *s, const td_place_def *a, const td_place_def *b) {
    return a->segment_id >= 0 && a->segment_id == b->segment_id && a->instance == b->instance &&
           tdi_scene_object(&s->def, a->object) == tdi_scene_object(&s->def, b->object);
}

static td_status check_sides(const checked *c) {
    const struct td_constraint_terms *as = c->as;
    const td_scene_def *def = &c->scene->def;
    td_status status = check_side(c, &as->a, "a");
    if (!as->b.given) {
        return status;
    }
    const td_status other = check_side(c, &as->b, "b");
    if (status != TD_OK || other != TD_OK) {
        return status != TD_OK ? status : other;
    }
    if (same_joint(c->scene, &as->a.place, &as->b.place)) {
        return wrong(c, "b", "both sides are on the same segment; a constraint needs two");
    }
    if (as->to_given) {
        return wrong(c, "to", "'b' and 'to' both say where 'a' is held; remove one of them");
    }
    const int32_t i = tdi_scene_object(def, as->a.place.object);
    const int32_t j = tdi_scene_object(def, as->b.place.object);
    return def->objects[i].integrator == def->objects[j].integrator
               ? TD_OK
               : wrong(c, "b.object",
                       "objects that a constraint joins must have the same integrator");
}

// ---- fields ---------------------------------------------------------------------------------

// Whether a limit bounds anything: its defaults do not.
static bool bounded(const struct td_constraint_terms *as) {
    const struct td_constraint_terms none = td_scene_constraint_default(TD_CONSTRAINT_LIMIT).as;
    return as->low > none.low || as->high < none.high || as->cone < none.cone ||
           as->slide_low > none.slide_low || as->slide_high < none.slide_high;
}

static td_status check_terms(const checked *c) {
    const struct td_constraint_terms *as = c->as;
    const bool axial = c->kind == TD_CONSTRAINT_HINGE || c->kind == TD_CONSTRAINT_SLIDER ||
                       c->kind == TD_CONSTRAINT_STOP;
    const bool limit = c->kind == TD_CONSTRAINT_LIMIT;
    const td_integrator integrator =
        c->scene->def.objects[tdi_scene_object(&c->scene->def, as->a.place.object)].integrator;
    const bool exact = integrator == TD_IMPLICIT || integrator == TD_IMPLICIT_EULER;
    const bool moves = tdi_norm(as->by) != 0 || tdi_scene_keyed(c->scene, &as->by),
               turns = fabs(as->rotation.w) != 1 || tdi_scene_keyed(c->scene, &as->rotation);
    char range[120], places[120];
    snprintf(range, sizeof range, "'high' is %g degrees; it must be above 'low', which is %g",
             as->high * 180 / TDI_PI, as->low * 180 / TDI_PI);
    snprintf(places, sizeof places, "'slide_high' is %g m; it must be above 'slide_low', %g m",
             as->slide_high, as->slide_low);
    const struct {
        bool wrong;
        const char *key, *message;
    } rules[] = {
        {axial && tdi_norm(as->axis) == 0, "axis", "the axis is 0; it needs a direction"},
        {c->kind == TD_CONSTRAINT_CURVE && as->point_count < 2, "points",
         "the curve needs at least two points"},
        {c->kind == TD_CONSTRAINT_CURVE && as->closed && as->point_count < 3, "points",
         "a closed curve needs at least three points"},
        {c->kind == TD_CONSTRAINT_GEAR && !as->b.given, "b",
         "a gear needs two joints: 'b' is missing"},
        {c->kind == TD_CONSTRAINT_GEAR && as->ratio == 0, "ratio",
         "the ratio is 0; 'b' could not turn"},
        {limit && as->low >= as->high, "high", range},
        {limit && as->slide_low >= as->slide_high, "slide_high", places},
        {limit && !bounded(as), "a",
         "the limit has no range; give 'cone', 'low', 'high', 'slide_low' or 'slide_high'"},
        {c->kind == TD_CONSTRAINT_JOINT && !as->bend_given && !as->angle_given && !as->slide_given,
         "a",
         "the joint has nothing to follow; give 'bend' to a ball joint, 'angle' to a hinge or "
         "'slide' to a slide"},
        {as->to_given && moves, "by", "'to' and 'by' both say where 'a' goes; remove one of them"},
        {c->kind == TD_CONSTRAINT_WELD && as->b.given && turns, "rotation",
         "'rotation' turns a weld to the world; between two segments it has no effect"},
        {(c->kind == TD_CONSTRAINT_DISTANCE || c->kind == TD_CONSTRAINT_ROPE ||
          c->kind == TD_CONSTRAINT_SPRING) &&
             !as->b.given && !as->to_given,
         "a", "the other end is missing: give 'b', a segment, or 'to', a point of the world"},
        {integrator == TD_ADAPTIVE, "a",
         "the integrator 'adaptive' holds no constraints; use 'implicit', 'euler' or 'rk4'"},
        {c->kind == TD_CONSTRAINT_HINGE && as->angle_given && as->b.given && !exact, "angle",
         "a hinge between two objects follows an angle with the integrators 'implicit' and "
         "'implicit-euler' only"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        if (rules[k].wrong) {
            return wrong(c, rules[k].key, rules[k].message);
        }
    }
    return TD_OK;
}

static td_status check_name(const checked *c, int32_t k) {
    const char *name = c->as->name;
    return !name || tdi_scene_constraint(&c->scene->def, name) == k
               ? TD_OK
               : wrong(c, "name", "another constraint already has this name");
}

td_status tdi_scene_check_constraints(const td_scene *s, td_diag_list *diags) {
    td_status result = TD_OK;
    for (int32_t k = 0; k < s->def.constraint_count; k++) {
        const td_scene_constraint *h = &s->def.constraints[k];
        checked c = {.scene = s, .as = &h->as, .kind = h->kind, .diags = diags};
        snprintf(c.where, sizeof c.where, "constraints[%d].%s", (int)k,
                 td_constraint_kind_name(h->kind));
        td_status status = check_name(&c, k);
        status = status ? status : check_sides(&c);
        status = status ? status : check_terms(&c);
        status = status ? status : tdi_scene_check_span(s, h->as.start, h->as.end, c.where, diags);
        result = result ? result : status;
    }
    return result;
}
