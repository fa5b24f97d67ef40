// SPDX-License-Identifier: MIT
// Scenes from values: fields by the tables, then curves, definitions and what must fit together.

#include "scene/scene.h"

#include "base/guard.h"
#include "base/words.h"
#include "contact/contact.h"
#include "math/vec3.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- faults ---------------------------------------------------------------------------------

// The path of an object when it has followed those of a scene.
static const char *path_after(const td_scene *scene, const char *path, char text[TDI_PATH]) {
    int object = 0, length = 0;
    if (sscanf(path, "objects[%d]%n", &object, &length) != 1) {
        return path;
    }
    snprintf(text, TDI_PATH, "objects[%d]%s", object + (int)scene->def.object_count, path + length);
    return text;
}

static td_status fail_at(const td_scene *scene, td_diag *diag, td_status status, const char *path,
                         const char *format, va_list args) {
    char message[sizeof diag->message], later[TDI_PATH];
    tdi_text_format(message, sizeof message, format, args);
    path = scene->after ? path_after(scene->after, path, later) : path;
    const td_value *value = scene->value ? tdi_fields_where(scene->value, path) : NULL;
    if (value) {
        return tdi_value_fail(value, value->line, value->column, diag, status, "%s", message);
    }
    return tdi_fail(diag, status, "%s: %s", path, message);
}

td_status tdi_scene_fail(const td_scene *scene, td_diag *diag, td_status status, const char *path,
                         const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail_at(scene, diag, status, path, format, args);
    va_end(args);
    return status;
}

td_status tdi_scene_fault(const td_scene *scene, td_diag_list *diags, td_status status,
                          const char *path, const char *format, ...) {
    td_diag diag;
    va_list args;
    va_start(args, format);
    fail_at(scene, &diag, status, path, format, args);
    va_end(args);
    tdi_diag_add(diags, &diag);
    return status;
}

// ---- curves ---------------------------------------------------------------------------------

static td_status make_curve(const tdi_track *t, const td_alloc *alloc, tdi_keyed *out,
                            td_diag *diag) {
    *out = (tdi_keyed){.place = t->place, .components = t->components, .track = t};
    if (t->components == 4) {
        td_turn_curve_def def = td_turn_curve_def_default();
        def.key_count = t->key_count;
        def.times = t->times;
        def.turns = t->turns;
        def.rotations = t->turns ? NULL : (const td_quat *)t->values; // four numbers each
        def.interpolation = t->interpolation;
        def.repeat = t->repeat;
        return td_turn_curve_new(&def, alloc, &out->turn, diag);
    }
    td_curve_def def = td_curve_def_default();
    def.key_count = t->key_count;
    def.part_count = t->components;
    def.times = t->times;
    def.values = t->values;
    def.interpolation = t->interpolation;
    def.repeat = t->repeat;
    return td_curve_new(&def, alloc, &out->curve, diag);
}

static td_status make_curves(td_scene *s, td_diag_list *diags) {
    td_status result = TD_OK;
    size_t count = (size_t)s->fields.track_count;
    s->keyed = tdi_arena_zeroed(&s->fields.arena, count ? count : 1, sizeof *s->keyed);
    TDI_TRY(s->keyed ? TD_OK : TD_ERR_MEMORY);
    for (int32_t k = 0; k < s->fields.track_count; k++) {
        const tdi_track *t = &s->fields.tracks[k];
        td_diag diag = {.index = TD_NONE}, placed;
        td_status status = make_curve(t, s->alloc, &s->keyed[k], &diag);
        s->keyed_count = k + 1;
        if (status == TD_ERR_MEMORY) {
            return status;
        }
        if (status != TD_OK) {
            const td_value *keys = td_value_get(t->value, "keys");
            bool known = keys && diag.index >= 0 && diag.index < keys->count;
            const td_value *at = known ? &keys->items[diag.index] : t->value;
            result = tdi_value_fail(at, at->line, at->column, &placed, TD_ERR_SYNTAX, "%s",
                                    diag.message);
            tdi_diag_add(diags, &placed);
        }
    }
    return result;
}

const tdi_keyed *tdi_scene_keyed(const td_scene *scene, const void *place) {
    for (int32_t k = 0; k < scene->keyed_count; k++) {
        if (scene->keyed[k].place == place && !scene->keyed[k].ended) {
            return &scene->keyed[k];
        }
    }
    return NULL;
}

// ---- definitions ----------------------------------------------------------------------------

// The map `define` as pairs of texts.
static td_status make_defines(td_scene *s, td_object_def *o, int32_t index, td_diag_list *diags) {
    const td_value *map = o->define_values;
    char path[64];
    snprintf(path, sizeof path, "objects[%d].define", index);
    if (!map) {
        return TD_OK;
    }
    if (map->kind != TD_VALUE_MAP) {
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "'define' must be a map from names to values");
    }
    td_define *pairs = tdi_arena_zeroed(&s->fields.arena, (size_t)map->count + 1, sizeof *pairs);
    TDI_TRY(pairs ? TD_OK : TD_ERR_MEMORY);
    for (int32_t k = 0; k < map->count; k++) {
        const td_value *item = &map->items[k];
        if (item->kind == TD_VALUE_LIST || item->kind == TD_VALUE_MAP) {
            td_diag diag;
            tdi_value_fail(item, item->line, item->column, &diag, TD_ERR_SYNTAX,
                           "'%s' must be a number or a text", item->key);
            tdi_diag_add(diags, &diag);
            return TD_ERR_SYNTAX;
        }
        pairs[k] = (td_define){tdi_arena_text(&s->fields.arena, item->key, strlen(item->key)),
                               tdi_arena_text(&s->fields.arena, item->text, strlen(item->text))};
        if (!pairs[k].name || !pairs[k].value) {
            return TD_ERR_MEMORY;
        }
    }
    o->defines = pairs;
    o->define_count = map->count;
    return TD_OK;
}

td_status tdi_scene_make_defines(td_scene *s, td_diag_list *diags) {
    td_status status = TD_OK;
    // the list of objects is the scene's own
    td_object_def *objects = (td_object_def *)s->def.objects;
    for (int32_t k = 0; k < s->def.object_count && status == TD_OK; k++) {
        status = make_defines(s, &objects[k], k, diags);
    }
    return status;
}

// ---- checks ---------------------------------------------------------------------------------

int32_t tdi_scene_object(const td_scene_def *def, const char *name) {
    for (int32_t k = 0; k < def->object_count; k++) {
        if (!name || (def->objects[k].name && strcmp(def->objects[k].name, name) == 0)) {
            return k;
        }
    }
    return TD_NONE;
}

static td_status check_name(const td_scene *s, const char *name, const char *path,
                            td_diag_list *diags) {
    if (tdi_scene_object(&s->def, name) != TD_NONE) {
        return TD_OK;
    }
    tdi_near_word near = {.word = name};
    for (int32_t k = 0; k < s->def.object_count; k++) {
        if (s->def.objects[k].name) {
            tdi_word_consider(&near, s->def.objects[k].name);
        }
    }
    return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path, "there is no object named '%s'%s%s%s",
                           name, near.best ? "; did you mean '" : "", near.best ? near.best : "",
                           near.best ? "'?" : "");
}

td_status tdi_scene_check_place(const td_scene *s, const td_place_def *p, const char *where,
                                td_diag_list *diags) {
    char path[96];
    snprintf(path, sizeof path, "%s.object", where);
    td_status status = check_name(s, p->object, path, diags);
    if (status == TD_OK) {
        const td_object_def *o = &s->def.objects[tdi_scene_object(&s->def, p->object)];
        int32_t count = o->instances.layout == TD_INSTANCES_LIST ? o->instances.place_count
                                                                 : o->instances.count;
        if (p->instance >= count) {
            snprintf(path, sizeof path, "%s.instance", where);
            return tdi_scene_fault(
                s, diags, TD_ERR_SYNTAX, path,
                "instance is %d, but the object has %d instance%s, counted from 0", p->instance,
                count, count == 1 ? "" : "s");
        }
    }
    if (status == TD_OK && p->segment_id >= 0 && (p->nearest_given || p->organ_given)) {
        const char *key = p->nearest_given ? "near" : "organ";
        snprintf(path, sizeof path, "%s.%s", where, key);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "'segment' and '%s' both choose the segment; remove one of them",
                               key);
    }
    return status;
}

td_status tdi_scene_check_span(const td_scene *s, td_real start, td_real end, const char *where,
                               td_diag_list *diags) {
    char path[96];
    snprintf(path, sizeof path, "%s.end", where);
    return end >= start
               ? TD_OK
               : tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                                 "'end' is %g s; it must not be before 'start', which is %g s", end,
                                 start);
}

static td_status worst(td_status a, td_status b) {
    return a == TD_OK ? b : a;
}

// A program may give it a force later.
static td_status check_push(const td_scene *s, const td_push_load *l, const char *where,
                            td_diag_list *diags) {
    const td_vec3 f = l->force;
    if (f.x == 0 && f.y == 0 && f.z == 0 && l->twist == 0 && !tdi_scene_keyed(s, &l->force) &&
        !tdi_scene_keyed(s, &l->twist)) {
        tdi_scene_fault(s, diags, TD_OK, where,
                        "the push has neither 'force' nor 'twist': it does nothing; give one of "
                        "them");
    }
    return worst(tdi_scene_check_place(s, &l->place, where, diags),
                 tdi_scene_check_span(s, l->start, l->end, where, diags));
}

static td_status check_load(const td_scene *s, int32_t k, td_diag_list *diags) {
    static const char *const names[] = {"wind", "pull", "push", "pose", "field"};
    const td_scene_load *l = &s->def.loads[k];
    char where[64], path[96];
    snprintf(where, sizeof where, "loads[%d].%s", k, names[l->kind]);
    switch (l->kind) {
    case TD_SCENE_PULL:
        return worst(tdi_scene_check_place(s, &l->as.pull.place, where, diags),
                     tdi_scene_check_span(s, l->as.pull.start, l->as.pull.end, where, diags));
    case TD_SCENE_PUSH: return check_push(s, &l->as.push, where, diags);
    case TD_SCENE_POSE:
        snprintf(path, sizeof path, "%s.object", where);
        return check_name(s, l->as.pose.object, path, diags);
    case TD_SCENE_FIELD:
        snprintf(path, sizeof path, "%s.object", where);
        return worst(check_name(s, l->as.field.object, path, diags),
                     tdi_scene_check_span(s, l->as.field.start, l->as.field.end, where, diags));
    case TD_SCENE_WIND: break;
    }
    return TD_OK;
}

static td_solver_info solver_of(const td_object_def *o) {
    return td_solver_get(td_solver_find(o->solver));
}

// The names of choices whose bits are set: "a, b, c".
static const char *names_of(const tdi_choice *choices, uint32_t bits, char text[120]) {
    tdi_word_list names = {text, 120, 0, 0, 0};
    text[0] = 0;
    for (const tdi_choice *c = choices; c->name; c++) {
        if (bits >> c->value & 1) {
            tdi_words_add(&names, c->name);
        }
    }
    tdi_words_end(&names);
    return text;
}

// The solvers that have something: the place of a bool of td_solver_info.
static const char *solvers_with(size_t place, char text[120]) {
    tdi_word_list names = {text, 120, 0, 0, 0};
    text[0] = 0;
    for (int32_t k = 0; k < td_solver_count(); k++) {
        const td_solver_info info = td_solver_get(k);
        if (*(const bool *)((const char *)&info + place)) {
            char name[40];
            snprintf(name, sizeof name, "'%s'", info.name);
            tdi_words_add(&names, name);
        }
    }
    tdi_words_end(&names);
    return text;
}

bool tdi_object_adapts(const td_scene *s, const td_object_def *o) {
    return o->adapt.joints > 0 || o->adapt.error > 0 || tdi_scene_keyed(s, &o->adapt.error);
}

// What an object asks for and its solver does not have.
static td_status check_solver(const td_scene *s, int32_t k, td_diag_list *diags) {
    const td_object_def *o = &s->def.objects[k];
    const td_solver_info info = solver_of(o);
    char path[96], has[120], coarse[120];
    if (!(info.integrators >> o->integrator & 1)) {
        snprintf(path, sizeof path, "objects[%d].integrator", k);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "the solver '%s' needs one of the integrators %s", info.name,
                               names_of(tdi_integrators, info.integrators, has));
    }
    const bool implicit = o->integrator == TD_IMPLICIT || o->integrator == TD_IMPLICIT_EULER;
    if (tdi_object_adapts(s, o) && o->integrator != TD_ADAPTIVE && !implicit) {
        snprintf(path, sizeof path, "objects[%d].adapt", k);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "'adapt' needs one of the integrators 'implicit', "
                               "'implicit-euler', 'adaptive'");
    }
    if (tdi_object_adapts(s, o) && !info.adapts) {
        snprintf(path, sizeof path, "objects[%d].adapt", k);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "the solver '%s' has no 'adapt'; the solver %s has, and axes of "
                               "the solver %s are coarse by 'elements'",
                               info.name, solvers_with(offsetof(td_solver_info, adapts), has),
                               solvers_with(offsetof(td_solver_info, curved), coarse));
    }
    if (o->elements > 0 && !info.curved) {
        snprintf(path, sizeof path, "objects[%d].elements", k);
        tdi_scene_fault(s, diags, TD_OK, path,
                        "the solver '%s' steps every segment: 'elements' has no effect; remove it "
                        "or change the solver",
                        info.name);
    }
    if (o->law != TD_LAW_DEFAULT && !(info.laws >> o->law & 1)) {
        snprintf(path, sizeof path, "objects[%d].law", k);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "the solver '%s' has only the law '%s'", info.name,
                               names_of(tdi_laws, info.laws, has));
    }
    return TD_OK;
}

// Whether the scene leads an end of a strand anywhere.
static bool is_led(const td_scene *s, const td_strand_end *e) {
    const td_vec3 x = e->shift;
    return x.x != 0 || x.y != 0 || x.z != 0 || e->turns != 0 || fabs(e->rotation.w) != 1 ||
           tdi_scene_keyed(s, &e->shift) || tdi_scene_keyed(s, &e->rotation) ||
           tdi_scene_keyed(s, &e->turns);
}

// The first key of a strand that asks the solver for what it does not have; NULL: none.
static const char *key_beyond(const td_scene *s, const td_strand_def *strand,
                              const td_solver_info *info) {
    return strand->closed && !info->rings                   ? "closed"
           : strand->stretch > 0 && !info->stretchy         ? "stretch"
           : strand->end.held != TD_END_FREE && !info->ends ? "end"
           : is_led(s, &strand->start) && !info->ends       ? "start"
                                                            : NULL;
}

// "the solver 'a' does not have this, but 'b' does"
static const char *who_has(const td_scene *s, const td_strand_def *strand, const char *name,
                           char text[96]) {
    int length = snprintf(text, 96, "the solver '%.24s' does not have this", name);
    for (int32_t k = 0; k < td_solver_count(); k++) {
        const td_solver_info other = td_solver_get(k);
        if (!key_beyond(s, strand, &other)) {
            snprintf(text + length, 96 - (size_t)length, ", but '%.24s' does", other.name);
            break;
        }
    }
    return text;
}

// A number that stands for the material's where it is alone does not along a strand.
static td_status check_along(const td_scene *s, int32_t k, td_diag_list *diags) {
    static const struct {
        const char *key;
        bool zero; // it may be 0
    } rows[TD_ALONG_COUNT] = {[TD_ALONG_RADIUS] = {"radius", false},
                              [TD_ALONG_DENSITY] = {"density", false},
                              [TD_ALONG_DRAG] = {"drag", true},
                              [TD_ALONG_DAMPING_TIME] = {"damping_time", true},
                              [TD_ALONG_BEND] = {"bend", false},
                              [TD_ALONG_BEND_OTHER] = {"bend_other", false},
                              [TD_ALONG_TORSION] = {"torsion", false},
                              [TD_ALONG_STRETCH] = {"stretch", false},
                              [TD_ALONG_LINE_MASS] = {"line_mass", false}};
    const td_strand_def *strand = &s->def.objects[k].strand;
    for (int i = 0; i < TD_ALONG_COUNT; i++) {
        const td_along *a = &strand->along[i];
        for (int32_t j = 0; j < a->count; j++) {
            const td_real value = a->values[j];
            if (!(value > 0 || (rows[i].zero && value == 0))) {
                char path[96];
                snprintf(path, sizeof path, "objects[%d].strand.%s.along[%d]", (int)k, rows[i].key,
                         (int)j);
                return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                                       "'%s' is %g at a point along the strand; it must be %s 0",
                                       rows[i].key, value, rows[i].zero ? "at least" : "above");
            }
        }
    }
    return TD_OK;
}

static td_status check_strand(const td_scene *s, int32_t k, td_diag_list *diags) {
    const td_object_def *o = &s->def.objects[k];
    const td_strand_def *strand = &o->strand;
    const td_solver_info solver = solver_of(o);
    const char *beyond = key_beyond(s, strand, &solver);
    char no_such[96];
    const struct {
        bool wrong;
        const char *key, *message;
    } rules[] = {
        {beyond != NULL, beyond, beyond ? who_has(s, strand, solver.name, no_such) : NULL},
        {strand->point_count == 1, "points", "the strand has one point; it needs at least two"},
        {strand->closed && strand->point_count == 2, "points",
         "the closed strand has two points; it needs at least three"},
        {strand->closed && strand->segments < 3, "segments",
         "a closed strand needs at least three segments"},
        {strand->elements > strand->segments, "elements",
         "there are more elements than segments; raise 'segments' or lower 'elements'"},
        {strand->closed && strand->end.held != TD_END_FREE, "end",
         "a closed strand has no ends; remove 'end' or 'closed'"},
        {strand->start.held == TD_END_FREE && is_led(s, &strand->start), "start",
         "a free end cannot have 'shift', 'rotation' or 'turns'; hold it or remove them"},
        {strand->end.held == TD_END_FREE && is_led(s, &strand->end), "end",
         "a free end cannot have 'shift', 'rotation' or 'turns'; hold it or remove them"},
        {strand->rest_count == 1, "rest", "the rest shape has one point; it needs at least two"},
        {strand->rest_count > 0 && strand->rest_helix.radius > 0, "rest_helix",
         "'rest' and 'rest_helix' both give the rest shape; remove one of them"},
        {strand->tip_radius > 0 && strand->along[TD_ALONG_RADIUS].count > 0, "tip_radius",
         "'tip_radius' and the points of 'radius' both give the radius at the end; remove one of "
         "them"},
        {strand->bend == 0 && strand->bend_other > 0, "bend_other",
         "'bend_other' needs 'bend' as well, the bending stiffness about X"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].wrong) {
            char path[96];
            snprintf(path, sizeof path, "objects[%d].strand.%s", k, rules[i].key);
            return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path, "%s", rules[i].message);
        }
    }
    return check_along(s, k, diags);
}

// The key by which an object feels less than all of its base's motion, at any time; NULL: none.
const char *tdi_scene_key_of_motion(const td_scene *s, const td_object_def *o) {
    return o->time_scale != 1 || tdi_scene_keyed(s, &o->time_scale)       ? "time_scale"
           : o->local.amount != 0 || tdi_scene_keyed(s, &o->local.amount) ? "local"
                                                                          : NULL;
}

static const char *name_of(const td_object_def *o) {
    return o->name ? o->name : "without a name";
}

// With explicit integrators some solvers touch colliders, and nothing else.
static td_status check_bumps(const td_scene *s, const td_object_def *o, const char *path,
                             td_diag_list *diags) {
    const td_solver_info info = solver_of(o);
    if (!info.explicit_contact || o->integrator == TD_ADAPTIVE) {
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "contact and colliders need the integrator 'implicit' or "
                               "'implicit-euler'%s (object '%s')",
                               info.explicit_contact ? ", or 'euler' or 'rk4'" : "", name_of(o));
    }
    if (s->def.contact.given && s->def.contact.self) {
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "with the integrators 'euler' and 'rk4' objects touch colliders "
                               "only: write `contact: {self: false}`, or use the integrator "
                               "'implicit' (object '%s')",
                               name_of(o));
    }
    for (int32_t k = 0; k < s->def.collider_count; k++) {
        if (s->def.colliders[k].kind == TD_COLLIDER_HEIGHT_FIELD) {
            return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                                   "height fields need the integrator 'implicit' or "
                                   "'implicit-euler' (object '%s')",
                                   name_of(o));
        }
    }
    return TD_OK;
}

// Objects that touch are solved as one system, in one frame, by one implicit rule.
static td_status check_contact(const td_scene *s, td_diag_list *diags) {
    const td_object_def *first = NULL;
    if (!s->def.contact.given && s->def.collider_count == 0) {
        return TD_OK;
    }
    for (int32_t k = 0; k < s->def.object_count; k++) {
        const td_object_def *o = &s->def.objects[k];
        char path[96];
        if (!solver_of(o).contact) {
            continue;
        }
        const char *key = tdi_scene_key_of_motion(s, o);
        snprintf(path, sizeof path, "objects[%d].%s", k, key ? key : "integrator");
        if (key) {
            return tdi_scene_fault(
                s, diags, TD_ERR_SYNTAX, path,
                "'%s' cannot be combined with %s: remove one of them (object '%s')", key,
                s->def.collider_count > 0 ? "'colliders'" : "'contact'", name_of(o));
        }
        if (o->integrator != TD_IMPLICIT && o->integrator != TD_IMPLICIT_EULER) {
            TDI_TRY(check_bumps(s, o, path, diags));
            continue;
        }
        first = first ? first : o;
        if (o->integrator != first->integrator) {
            return tdi_scene_fault(
                s, diags, TD_ERR_SYNTAX, path,
                "objects that can touch must have the same integrator (object '%s')", name_of(o));
        }
    }
    return TD_OK;
}

// Joints need a solver that has them, and axes a direction.
static td_status check_joints(const td_scene *s, int32_t k, td_diag_list *diags) {
    const td_object_def *o = &s->def.objects[k];
    const td_solver_info solver = solver_of(o);
    char path[96], has[120];
    snprintf(path, sizeof path, "objects[%d].joints", k);
    if (o->joint_count > 0 && !solver.hinges) {
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "the solver '%s' does not have joints of other kinds, but %s does",
                               solver.name, solvers_with(offsetof(td_solver_info, hinges), has));
    }
    for (int32_t j = 0; j < o->joint_count; j++) {
        const td_joint_def *joint = &o->joints[j];
        const bool hinge = joint->kind == TD_JOINT_HINGE;
        if ((hinge || joint->kind == TD_JOINT_SLIDE) && tdi_norm(joint->as.axis) == 0) {
            snprintf(path, sizeof path, "objects[%d].joints[%d].%s.axis", k, (int)j,
                     hinge ? "hinge" : "slide");
            return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                                   "the axis is 0; it needs a direction");
        }
    }
    return TD_OK;
}

const char *tdi_growing_key(const td_object_def *o) {
    return o->steps >= 0         ? "steps"
           : o->seed >= 0        ? "seed"
           : o->define_count > 0 ? "define"
           : o->view             ? "view"
           : o->prune_length > 0 ? "prune_length"
           : o->prune_mass > 0   ? "prune_mass"
                                 : NULL;
}

// Whether one of the first `count` objects has the name.
static bool has_name(const td_scene *s, int32_t count, const char *name) {
    bool has = false;
    for (int32_t k = 0; k < count && !has; k++) {
        has = s->def.objects[k].name && strcmp(s->def.objects[k].name, name) == 0;
    }
    return has;
}

static td_status check_object(const td_scene *s, int32_t k, td_diag_list *diags) {
    const td_object_def *o = &s->def.objects[k];
    char path[96];
    int32_t sources = (o->plant != NULL) + (o->strand.point_count > 0) +
                      (o->strand.helix.radius > 0) + (o->skeleton != NULL);
    if (sources != 1) {
        snprintf(path, sizeof path, "objects[%d]", k);
        if (s->value) {
            return tdi_scene_fault(
                s, diags, TD_ERR_SYNTAX, path,
                sources == 0 ? "the object has neither 'plant' nor 'strand'; it needs one"
                             : "the object needs either 'plant' or 'strand', and has more "
                               "than one (points and a helix are two strands)");
        }
        return tdi_scene_fault(s, diags, TD_ERR_ARGUMENT, path,
                               sources == 0 ? "the object has no plant, no strand and no skeleton "
                                              "(they are NULL or empty); it needs one of them"
                                            : "the object has more than one of plant, strand and "
                                              "skeleton; it needs one of them");
    }
    const char *key = tdi_growing_key(o);
    if (key && !o->plant) {
        snprintf(path, sizeof path, "objects[%d].%s", k, key);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "'%s' belongs to a plant; this object has no 'plant'", key);
    }
    TDI_TRY(check_strand(s, k, diags));
    TDI_TRY(check_solver(s, k, diags));
    TDI_TRY(check_joints(s, k, diags));
    if (o->instances.smallest > o->instances.largest) {
        snprintf(path, sizeof path, "objects[%d].instances.largest", k);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "'largest' is %g; it must be at least 'smallest', which is %g",
                               o->instances.largest, o->instances.smallest);
    }
    if (o->instances.layout == TD_INSTANCES_LIST && o->instances.place_count == 0) {
        snprintf(path, sizeof path, "objects[%d].instances", k);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "the layout 'list' needs 'places', a list of points");
    }
    if (o->damping_ratio >= 0 && o->relaxation_time >= 0) {
        snprintf(path, sizeof path, "objects[%d].relaxation_time", k);
        return tdi_scene_fault(
            s, diags, TD_ERR_SYNTAX, path,
            "'damping_ratio' and 'relaxation_time' both set the damping; remove one of them");
    }
    if (o->name && (has_name(s, k, o->name) ||
                    (s->after && has_name(s->after, s->after->def.object_count, o->name)))) {
        snprintf(path, sizeof path, "objects[%d].name", k);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "another object already has the name '%s'", o->name);
    }
    return TD_OK;
}

// A probe is of a segment or, the quantity `force`, of a constraint.
static td_status check_probe(const td_scene *s, int32_t k, td_diag_list *diags) {
    const td_probe_def *p = &s->def.record.probes[k];
    char where[64], path[96];
    snprintf(where, sizeof where, "record.probes[%d]", k);
    const bool force = p->quantity == TD_QUANTITY_FORCE;
    if (force != (p->constraint != NULL)) {
        snprintf(path, sizeof path, "%s.%s", where, force ? "quantity" : "constraint");
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               force ? "the quantity 'force' needs 'constraint', the name of one"
                                     : "'constraint' goes with 'quantity: force' only");
    }
    if (force && tdi_scene_constraint(&s->def, p->constraint) == TD_NONE) {
        snprintf(path, sizeof path, "%s.constraint", where);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path, "there is no constraint named '%s'",
                               p->constraint);
    }
    return force ? TD_OK : tdi_scene_check_place(s, &p->place, where, diags);
}

static td_status check_collider_name(const td_scene *s, int32_t k, td_diag_list *diags) {
    const td_scene_collider *colliders = s->def.colliders;
    const char *name = colliders[k].as.name;
    for (int32_t i = 0; name && i < k; i++) {
        if (colliders[i].as.name && strcmp(colliders[i].as.name, name) == 0) {
            char path[64];
            snprintf(path, sizeof path, "colliders[%d].%s.name", k,
                     tdi_collider_kind_name(colliders[k].kind));
            return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                                   "another collider already has the name '%s'", name);
        }
    }
    return TD_OK;
}

// Refuses options of contact that have no effect.
static td_status check_pushing(const td_scene *s, td_diag_list *diags) {
    const td_scene_contact *c = &s->def.contact, usual = td_scene_def_default().contact;
    const bool pushes = c->overlap == TD_OVERLAP_PUSH;
    if (c->given && !pushes && c->push_speed != usual.push_speed) {
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, "contact.push_speed",
                               "'push_speed' needs 'overlap: push'");
    }
    return !(c->given && pushes && !c->self)
               ? TD_OK
               : tdi_scene_fault(s, diags, TD_ERR_SYNTAX, "contact.overlap",
                                 "'overlap: push' has no effect with 'self: false': objects do not "
                                 "touch each other; remove one of them");
}

static td_status check_friction(const td_scene *s, td_real rest, td_real slip, const char *where,
                                td_diag_list *diags) {
    char path[96];
    snprintf(path, sizeof path, "%s.static_friction", where);
    return rest == 0 || rest >= slip
               ? TD_OK
               : tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                                 "'static_friction' is %g; it must be at least 'friction', which "
                                 "is %g",
                                 rest, slip);
}

static td_status check_surfaces(const td_scene *s, td_diag_list *diags) {
    const td_scene_contact *c = &s->def.contact;
    td_status status = check_friction(s, c->static_friction, c->friction, "contact", diags);
    if (c->law != TD_IMPACT_NEWTON && c->method == TD_CONTACT_BARRIER) {
        status = worst(status, tdi_scene_fault(s, diags, TD_ERR_SYNTAX, "contact.law",
                                               "'law' is about impacts; it needs 'method: exact'"));
    }
    status = worst(status, check_pushing(s, diags));
    for (int32_t k = 0; k < s->def.collider_count; k++) {
        const td_scene_collider *o = &s->def.colliders[k];
        char where[64];
        snprintf(where, sizeof where, "colliders[%d].%s", k, tdi_collider_kind_name(o->kind));
        status =
            worst(status, check_friction(s, o->as.static_friction, o->as.friction, where, diags));
    }
    return status;
}

td_status tdi_scene_check(const td_scene *s, td_diag_list *diags) {
    td_status status = TD_OK;
    for (int32_t k = 0; k < s->def.object_count; k++) {
        status = worst(status, check_object(s, k, diags));
    }
    status = worst(status, check_contact(s, diags));
    status = worst(status, check_surfaces(s, diags));
    for (int32_t k = 0; k < s->def.load_count; k++) {
        status = worst(status, check_load(s, k, diags));
    }
    status = worst(status, tdi_scene_check_constraints(s, diags));
    for (int32_t k = 0; k < s->def.collider_count; k++) {
        status = worst(status, check_collider_name(s, k, diags));
    }
    for (int32_t k = 0; k < s->def.record.probe_count; k++) {
        status = worst(status, check_probe(s, k, diags));
    }
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

td_status td_scene_from_value(td_value *value, const char *file, const td_alloc *alloc,
                              td_scene **out, td_diag_list *diags) {
    TDI_CLEAR(out);
    if (!value || !out) {
        return tdi_refuse_in(diags, __func__);
    }
    td_scene *s = tdi_alloc_zeroed(alloc, 1, sizeof *s);
    if (!s) {
        td_value_free(value);
        return TD_ERR_MEMORY;
    }
    s->alloc = alloc;
    s->value = value;
    td_status status = tdi_fields_fill(&tdi_scene_all, value, &s->def, alloc, &s->fields, diags);
    if (status == TD_OK && file) {
        s->file = tdi_arena_text(&s->fields.arena, file, strlen(file));
        status = s->file ? TD_OK : TD_ERR_MEMORY;
    }
    status = status == TD_OK ? make_curves(s, diags) : status;
    status = status == TD_OK ? tdi_scene_make_defines(s, diags) : status;
    status = status == TD_OK ? tdi_scene_check(s, diags) : status;
    status = status == TD_OK ? tdi_scene_make_fields(s, diags) : status;
    if (status != TD_OK) {
        td_scene_free(s);
        return status;
    }
    *out = s;
    return TD_OK;
}

void td_scene_free(td_scene *s) {
    if (!s) {
        return;
    }
    for (int32_t k = 0; k < s->keyed_count && !s->from; k++) {
        td_curve_free(s->keyed[k].curve);
        td_turn_curve_free(s->keyed[k].turn);
    }
    tdi_scene_free_fields(s);
    tdi_fields_free(&s->fields);
    td_value_free(s->from ? NULL : s->value);
    tdi_alloc_free(s->alloc, s, sizeof *s);
}

const td_scene_def *td_scene_def_get(const td_scene *scene) {
    return scene ? &scene->def : NULL;
}

td_status td_scene_set_skeleton(td_scene *scene, int32_t object, const td_skeleton *skeleton,
                                td_diag *diag) {
    TDI_REFUSE_IF(!scene || !skeleton || !tdi_has(object, scene->def.object_count));
    // the scene owns its objects
    td_object_def *o = (td_object_def *)&scene->def.objects[object];
    const td_object_def before = *o, plain = td_object_def_default();
    td_diag_list faults = {diag, diag ? 1 : 0, 0};
    o->plant = o->view = NULL;
    o->strand = plain.strand;
    o->skeleton = skeleton;
    td_status status = check_object(scene, object, &faults);
    if (status != TD_OK) {
        *o = before;
    }
    return status;
}
