// SPDX-License-Identifier: MIT
// Scenes from structs: those that were filled by hand, and those of another scene.

#include "scene/scene.h"

#include "base/diag.h"
#include "base/opts.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// ---- copying --------------------------------------------------------------------------------

typedef struct copier {
    tdi_arena *arena;
    bool fine;
} copier;

static const char *text(copier *c, const char *from) {
    const char *copy = from ? tdi_arena_text(c->arena, from, strlen(from)) : NULL;
    c->fine &= !from || copy;
    return copy;
}

static void *items(copier *c, const void *from, int32_t count, size_t item_size) {
    if (count <= 0 || !from) {
        return NULL;
    }
    void *copy = tdi_arena_zeroed(c->arena, (size_t)count, item_size);
    c->fine &= copy != NULL;
    return copy ? memcpy(copy, from, (size_t)count * item_size) : NULL;
}

static void copy_strand(copier *c, td_strand_def *s) {
    s->material = text(c, s->material);
    s->points = items(c, s->points, s->point_count, sizeof *s->points);
    s->rest = items(c, s->rest, s->rest_count, sizeof *s->rest);
    s->bodies = items(c, s->bodies, s->body_count, sizeof *s->bodies);
    for (int k = 0; k < TD_ALONG_COUNT; k++) {
        td_along *a = &s->along[k];
        a->places = items(c, a->places, a->count, sizeof *a->places);
        a->values = items(c, a->values, a->count, sizeof *a->values);
    }
}

static void copy_object(copier *c, td_object_def *o) {
    o->name = text(c, o->name);
    o->plant = text(c, o->plant);
    o->view = text(c, o->view);
    copy_strand(c, &o->strand);
    o->instances.places =
        items(c, o->instances.places, o->instances.place_count, sizeof *o->instances.places);
    td_define *defines = items(c, o->defines, o->define_count, sizeof *defines);
    for (int32_t k = 0; defines && k < o->define_count; k++) {
        defines[k] = (td_define){text(c, defines[k].name), text(c, defines[k].value)};
    }
    o->defines = defines;
    o->define_values = defines ? NULL : o->define_values;
    td_material_change *materials = items(c, o->materials, o->material_count, sizeof *materials);
    for (int32_t k = 0; materials && k < o->material_count; k++) {
        materials[k].name = text(c, materials[k].name);
    }
    o->materials = materials;
    o->joints = items(c, o->joints, o->joint_count, sizeof *o->joints);
}

static void copy_field(copier *c, td_field_load *l) {
    const char **force = items(c, l->force, l->force_count, sizeof *force);
    for (int32_t k = 0; force && k < l->force_count; k++) {
        force[k] = text(c, force[k]);
    }
    l->force = force;
    l->object = text(c, l->object);
}

static void copy_load(copier *c, td_scene_load *l) {
    switch (l->kind) {
    case TD_SCENE_PULL: l->as.pull.place.object = text(c, l->as.pull.place.object); break;
    case TD_SCENE_PUSH: l->as.push.place.object = text(c, l->as.push.place.object); break;
    case TD_SCENE_POSE: l->as.pose.object = text(c, l->as.pose.object); break;
    case TD_SCENE_FIELD: copy_field(c, &l->as.field); break;
    case TD_SCENE_WIND: break;
    }
}

static void copy_constraint(copier *c, td_scene_constraint *h) {
    h->as.name = text(c, h->as.name);
    h->as.a.place.object = text(c, h->as.a.place.object);
    h->as.b.place.object = text(c, h->as.b.place.object);
    h->as.points = items(c, h->as.points, h->as.point_count, sizeof *h->as.points);
}

static void copy_probe(copier *c, td_probe_def *p) {
    p->name = text(c, p->name);
    p->place.object = text(c, p->place.object);
    p->constraint = text(c, p->constraint);
}

static td_status copy_def(const td_scene_def *def, const td_alloc *alloc, td_scene **out) {
    td_scene *s = tdi_alloc_zeroed(alloc, 1, sizeof *s);
    *out = s;
    if (!s) {
        return TD_ERR_MEMORY;
    }
    s->alloc = alloc;
    s->fields.arena.alloc = alloc;
    s->def = *def;
    copier c = {&s->fields.arena, true};
    td_object_def *objects = items(&c, def->objects, def->object_count, sizeof *objects);
    td_scene_load *loads = items(&c, def->loads, def->load_count, sizeof *loads);
    td_scene_constraint *holds = items(&c, def->constraints, def->constraint_count, sizeof *holds);
    td_probe_def *probes = items(&c, def->record.probes, def->record.probe_count, sizeof *probes);
    for (int32_t k = 0; objects && k < def->object_count; k++) {
        copy_object(&c, &objects[k]);
    }
    for (int32_t k = 0; loads && k < def->load_count; k++) {
        copy_load(&c, &loads[k]);
    }
    for (int32_t k = 0; holds && k < def->constraint_count; k++) {
        copy_constraint(&c, &holds[k]);
    }
    for (int32_t k = 0; probes && k < def->record.probe_count; k++) {
        copy_probe(&c, &probes[k]);
    }
    s->def.name = text(&c, def->name);
    s->def.text = text(&c, def->text);
    s->def.objects = objects;
    s->def.loads = loads;
    s->def.constraints = holds;
    s->def.colliders = items(&c, def->colliders, def->collider_count, sizeof *def->colliders);
    s->def.record.probes = probes;
    if (!c.fine) {
        td_scene_free(s);
        *out = NULL;
        return TD_ERR_MEMORY;
    }
    return TD_OK;
}

// ---- numbers filled by hand -----------------------------------------------------------------

typedef struct checker {
    const td_scene *scene;
    td_diag_list *diags;
    td_status status;
} checker;

static bool known_choice(const tdi_scene_field *field, const void *at) {
    int32_t value;
    memcpy(&value, at, sizeof value);
    for (const tdi_choice *c = field->choices; c->name; c++) {
        if (c->value == value) {
            return true;
        }
    }
    return false;
}

static bool known_name(const tdi_scene_field *field, const void *at) {
    const char *text;
    tdi_choice name;
    memcpy(&text, at, sizeof text);
    bool known = !text || !field->names;
    for (int32_t k = 0; !known && field->names(k, &name); k++) {
        known = strcmp(name.name, text) == 0;
    }
    return known;
}

static bool admits_all(const tdi_scene_field *field, const td_real *numbers, int32_t count) {
    bool fine = true;
    for (int32_t k = 0; k < count; k++) {
        fine &= tdi_field_admits(field, numbers[k] / tdi_field_scale(field));
    }
    return fine;
}

// Whether what a row holds is what a file could have said.
static bool fits(const tdi_scene_field *field, const void *at) {
    int32_t whole;
    td_real n;
    switch (field->kind) {
    case TDI_SCENE_REAL: return admits_all(field, at, 1);
    case TDI_SCENE_VEC3: return admits_all(field, at, 3);
    case TDI_SCENE_INT: memcpy(&whole, at, sizeof whole); return tdi_field_admits(field, whole);
    case TDI_SCENE_CHOICE: return known_choice(field, at);
    case TDI_SCENE_TEXT: return known_name(field, at);
    case TDI_SCENE_ROTATION: n = tdi_quat_norm(*(const td_quat *)at); return n > 0 && isfinite(n);
    default: return true;
    }
}

// Whether what a number follows along a strand could come from a file.
static bool fits_along(const tdi_scene_field *field, const td_along *along) {
    bool fine = (unsigned)along->interpolation <= TD_STEP && along->count <= TD_CURVE_KEYS_MAX;
    for (int32_t k = 0; fine && k < along->count; k++) {
        const td_real place = along->places[k];
        fine = place >= 0 && place <= 1 && admits_all(field, along->values + k, 1) &&
               (k == 0 || place - along->places[k - 1] >= TD_CURVE_GAP_MIN);
    }
    return fine;
}

static void check_row(void *context, const tdi_scene_field *field, void *at, const char *path) {
    checker *c = context;
    char expected[TDI_EXPECTS_TEXT] = "";
    if (field && field->along > 0 &&
        !fits_along(field, (td_along *)((char *)at - field->offset + field->along))) {
        c->status = tdi_scene_fault(c->scene, c->diags, TD_ERR_SYNTAX, path,
                                    "expected places that rise from 0 to 1, and at each %s",
                                    tdi_field_expects(field, expected));
        return;
    }
    if (field && fits(field, at)) {
        return;
    }
    const bool choice = field && (field->kind == TDI_SCENE_CHOICE || field->kind == TDI_SCENE_TEXT);
    const bool number = field && field->kind != TDI_SCENE_ROTATION && !choice;
    c->status = tdi_scene_fault(c->scene, c->diags, TD_ERR_SYNTAX, path, "expected %s",
                                number   ? tdi_field_expects(field, expected)
                                : !field ? "a known kind"
                                : choice ? "one of its named values"
                                         : "a rotation that is not zero");
}

static td_status check_count(const td_scene *s, const char *path, const void *items_there,
                             int32_t count, td_diag_list *diags) {
    return count == 0 || (count > 0 && items_there)
               ? TD_OK
               : tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path, "%d of them are given as %s",
                                 (int)count, items_there ? "an array" : "no array");
}

// Counts come before anything is copied by them.
static td_status check_counts(const td_scene_def *d, td_diag_list *diags) {
    const td_scene none = {.value = NULL};
    td_status status = check_count(&none, "objects", d->objects, d->object_count, diags);
    status = status ? status : check_count(&none, "loads", d->loads, d->load_count, diags);
    status = status ? status
                    : check_count(&none, "constraints", d->constraints, d->constraint_count, diags);
    status =
        status ? status : check_count(&none, "colliders", d->colliders, d->collider_count, diags);
    status = status ? status
                    : check_count(&none, "record.probes", d->record.probes, d->record.probe_count,
                                  diags);
    for (int32_t k = 0; k < d->constraint_count && status == TD_OK; k++) {
        status = check_count(&none, "points", d->constraints[k].as.points,
                             d->constraints[k].as.point_count, diags);
    }
    for (int32_t k = 0; k < d->load_count && status == TD_OK; k++) {
        const td_field_load *l = &d->loads[k].as.field;
        status = d->loads[k].kind == TD_SCENE_FIELD
                     ? check_count(&none, "field.force", l->force, l->force_count, diags)
                     : TD_OK;
    }
    for (int32_t k = 0; k < d->object_count && status == TD_OK; k++) {
        const td_object_def *o = &d->objects[k];
        if (o->struct_size != sizeof *o) { // another than the first
            return tdi_scene_fault(&none, diags, TD_ERR_DEF, "objects",
                                   "struct_size is wrong; start from td_object_def_default()");
        }
        status = check_count(&none, "materials", o->materials, o->material_count, diags);
        status = status ? status : check_count(&none, "joints", o->joints, o->joint_count, diags);
        status = status ? status
                        : check_count(&none, "strand.points", o->strand.points,
                                      o->strand.point_count, diags);
        status =
            status ? status
                   : check_count(&none, "strand.rest", o->strand.rest, o->strand.rest_count, diags);
        status = status ? status
                        : check_count(&none, "strand.bodies", o->strand.bodies,
                                      o->strand.body_count, diags);
        for (int i = 0; i < TD_ALONG_COUNT && status == TD_OK; i++) {
            const td_along *a = &o->strand.along[i];
            status = check_count(&none, "strand.along", a->places && a->values ? a->places : NULL,
                                 a->count, diags);
        }
        status = status ? status
                        : check_count(&none, "instances.places", o->instances.places,
                                      o->instances.place_count, diags);
        status =
            status ? status : check_count(&none, "defines", o->defines, o->define_count, diags);
    }
    return status;
}

// Of structs in our width.
static td_status copy(const td_scene_def *def, const td_alloc *alloc, td_scene **out,
                      td_diag_list *diags) {
    td_status status = check_counts(def, diags);
    if (status == TD_OK) {
        status = copy_def(def, alloc, out);
    }
    if (status == TD_OK) {
        checker c = {*out, diags, TD_OK};
        tdi_fields_walk(&tdi_scene_all, &(*out)->def, check_row, &c);
        status = c.status == TD_OK ? tdi_scene_make_defines(*out, diags) : c.status;
    }
    if (status == TD_OK) {
        status = tdi_scene_check(*out, diags);
    }
    status = status == TD_OK ? tdi_scene_make_fields(*out, diags) : status;
    if (status != TD_OK) {
        td_scene_free(*out);
        *out = NULL;
    }
    return status;
}

td_status tdi_scene_copy(const td_scene_def *given, const td_alloc *alloc, td_scene **out,
                         td_diag_list *diags) {
    td_scene_def def = td_scene_def_default();
    const td_object_def defaults = td_object_def_default();
    tdi_widened objects = {0};
    td_diag diag;
    *out = NULL;
    td_status status = tdi_def_take("td_scene_def", &def, given, &diag);
    if (status == TD_OK) {
        status = tdi_opts_widen("td_object_def", &defaults, def.objects, def.object_count, alloc,
                                &objects, &diag);
    }
    if (status != TD_OK) {
        tdi_diag_add(diags, &diag);
        return status;
    }
    def.objects = objects.items;
    status = copy(&def, alloc, out, diags);
    tdi_opts_widen_free(&objects);
    return status;
}

// ---- twins ----------------------------------------------------------------------------------

// The place in the twin that a place in the scene has become.
static td_real *moved(const td_scene *from, td_scene *to, const td_real *place) {
    const struct {
        const void *from, *to;
        size_t size;
    } blocks[] = {
        {&from->def, &to->def, sizeof from->def},
        {from->def.objects, to->def.objects,
         (size_t)from->def.object_count * sizeof *from->def.objects},
        {from->def.loads, to->def.loads, (size_t)from->def.load_count * sizeof *from->def.loads},
        {from->def.constraints, to->def.constraints,
         (size_t)from->def.constraint_count * sizeof *from->def.constraints},
        {from->def.colliders, to->def.colliders,
         (size_t)from->def.collider_count * sizeof *from->def.colliders}};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        size_t offset = (size_t)((const char *)place - (const char *)blocks[k].from);
        if (blocks[k].from && offset < blocks[k].size) {
            return (td_real *)((char *)blocks[k].to + offset);
        }
    }
    return NULL;
}

td_status tdi_scene_twin(const td_scene *from, const td_alloc *alloc, td_scene **out) {
    size_t count = (size_t)from->keyed_count;
    td_status status = copy_def(&from->def, alloc, out);
    if (status != TD_OK) {
        return status;
    }
    td_scene *s = *out;
    s->from = from;
    s->value = from->value;
    s->file = from->file;
    s->forces = from->forces;
    s->keyed = tdi_arena_zeroed(&s->fields.arena, count + 1, sizeof *s->keyed);
    if (!s->keyed) {
        td_scene_free(s);
        *out = NULL;
        return TD_ERR_MEMORY;
    }
    for (size_t k = 0; k < count; k++) {
        s->keyed[k] = from->keyed[k];
        s->keyed[k].place = moved(from, s, from->keyed[k].place);
    }
    s->keyed_count = from->keyed_count;
    return TD_OK;
}
