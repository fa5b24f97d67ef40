// SPDX-License-Identifier: MIT
// Scenes from structs: those that were filled by hand, and those of another scene.

#include "scene/scene.h"

#include "base/diag.h"
#include "base/opts.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// ---- copying --------------------------------------------------------------------------------

// What an object has that no file says: definitions as pairs of texts, in place of a map, and a
// skeleton, which is borrowed while the world is made.
static bool copy_pairs(tdi_arena *arena, const td_object_def *from, td_object_def *to) {
    bool fine = true;
    to->skeleton = from->skeleton;
    if (from->define_count <= 0) {
        return true;
    }
    td_define *pairs = tdi_arena_zeroed(arena, (size_t)from->define_count, sizeof *pairs);
    for (int32_t k = 0; pairs && k < from->define_count; k++) {
        const td_define *d = &from->defines[k];
        pairs[k].name = d->name ? tdi_arena_text(arena, d->name, strlen(d->name)) : NULL;
        pairs[k].value = d->value ? tdi_arena_text(arena, d->value, strlen(d->value)) : NULL;
        fine &= (!d->name || pairs[k].name) && (!d->value || pairs[k].value);
    }
    to->defines = pairs;
    to->define_count = pairs ? from->define_count : 0;
    to->define_values = NULL;
    return fine && pairs;
}

static td_status copy_def(const td_scene_def *def, const td_alloc *alloc, td_scene **out) {
    td_scene *s = tdi_alloc_zeroed(alloc, 1, sizeof *s);
    *out = s;
    TDI_TRY(s ? TD_OK : TD_ERR_MEMORY);
    s->alloc = alloc;
    s->fields.arena.alloc = alloc;
    bool fine = tdi_fields_copy(&tdi_scene_all, def, &s->def, &s->fields.arena);
    td_object_def *objects = (td_object_def *)s->def.objects; // the copy is the scene's own
    for (int32_t k = 0; fine && k < def->object_count; k++) {
        fine = copy_pairs(&s->fields.arena, &def->objects[k], &objects[k]);
    }
    if (!fine) {
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
    memcpy(&text, at, sizeof text);
    return !text || tdi_field_takes_text(field, text);
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

static bool check_row(void *context, const tdi_scene_field *field, void *at, const char *path) {
    checker *c = context;
    char expected[TDI_EXPECTS_TEXT] = "";
    if (field && field->along > 0 &&
        !fits_along(field, (td_along *)((char *)at - field->offset + field->along))) {
        c->status = tdi_scene_fault(c->scene, c->diags, TD_ERR_SYNTAX, path,
                                    "expected places that rise from 0 to 1, and at each %s",
                                    tdi_field_expects(field, expected));
        return true;
    }
    if (field && fits(field, at)) {
        return true;
    }
    c->status =
        tdi_scene_fault(c->scene, c->diags, TD_ERR_SYNTAX, path, "expected %s",
                        !field                              ? "a known kind"
                        : field->kind == TDI_SCENE_ROTATION ? "a rotation that is not zero"
                                                            : tdi_field_expects(field, expected));
    return true;
}

static void check_count(checker *c, const char *path, bool there, int32_t count) {
    if (count != 0 && !(count > 0 && there)) {
        c->status =
            tdi_scene_fault(c->scene, c->diags, TD_ERR_SYNTAX, path, "%d of them are given as %s",
                            (int)count, there ? "an array" : "no array");
    }
}

static void check_list(checker *c, const tdi_scene_field *list, const char *at, const char *path) {
    const char *items;
    int32_t count;
    memcpy(&items, at, sizeof items);
    memcpy(&count, at - list->offset + list->count, sizeof count);
    check_count(c, path, items, count);
    for (int32_t k = 0; items && list->table && list->table->sized && k < count; k++) {
        uint32_t size;
        memcpy(&size, items + (size_t)k * list->table->size, sizeof size);
        if (size != list->table->size) { // another than the first
            c->status = tdi_scene_fault(c->scene, c->diags, TD_ERR_DEF, path,
                                        "struct_size is wrong; start from td_%s_def_default()",
                                        list->table->name);
            return;
        }
    }
}

static bool check_counts_of_row(void *context, const tdi_scene_field *field, void *at,
                                const char *path) {
    checker *c = context;
    if (field && field->along > 0) {
        const td_along *a = (const td_along *)((const char *)at - field->offset + field->along);
        check_count(c, path, a->places && a->values, a->count);
    }
    if (field && field->kind == TDI_SCENE_LIST) {
        check_list(c, field, at, path);
    }
    return c->status == TD_OK;
}

// Counts come before anything is copied by them.
static td_status check_counts(const td_scene_def *d, const td_scene *after, td_diag_list *diags) {
    const td_scene none = {.after = after};
    checker c = {&none, diags, TD_OK};
    tdi_fields_walk(&tdi_scene_all, (void *)d, check_counts_of_row, &c); // which does not write
    for (int32_t k = 0; k < d->object_count && c.status == TD_OK; k++) {
        check_count(&c, "defines", d->objects[k].defines, d->objects[k].define_count);
    }
    return c.status;
}

// A scene of structs keeps no tree of values: what those said is in it by now.
static bool forget_value(void *context, const tdi_scene_field *field, void *at, const char *path) {
    (void)context;
    (void)path;
    if (field && field->kind == TDI_SCENE_VALUE) {
        memset(at, 0, sizeof(const td_value *));
    }
    return true;
}

// Of structs in our width.
static td_status copy(const td_scene_def *def, const td_scene *after, const td_alloc *alloc,
                      td_scene **out, td_diag_list *diags) {
    td_status status = check_counts(def, after, diags);
    status = status == TD_OK ? copy_def(def, alloc, out) : status;
    if (status == TD_OK) {
        (*out)->after = after;
        checker c = {*out, diags, TD_OK};
        tdi_fields_walk(&tdi_scene_all, &(*out)->def, check_row, &c);
        status = c.status == TD_OK ? tdi_scene_make_defines(*out, diags) : c.status;
        tdi_fields_walk(&tdi_scene_all, &(*out)->def, forget_value, NULL);
    }
    status = status == TD_OK ? tdi_scene_check(*out, diags) : status;
    status = status == TD_OK ? tdi_scene_make_fields(*out, diags) : status;
    if (status != TD_OK) {
        td_scene_free(*out);
        *out = NULL;
        return status;
    }
    (*out)->after = NULL;
    return TD_OK;
}

td_status tdi_scene_copy(const td_scene_def *given, const td_scene *after, const td_alloc *alloc,
                         td_scene **out, td_diag_list *diags) {
    td_scene_def def = td_scene_def_default();
    const td_object_def defaults = td_object_def_default();
    tdi_widened objects = {0};
    td_diag diag;
    *out = NULL;
    td_status status = tdi_def_take("td_scene_def", &def, given, &diag);
    status = status == TD_OK ? tdi_opts_widen("td_object_def", &defaults, def.objects,
                                              def.object_count, alloc, &objects, &diag)
                             : status;
    if (status != TD_OK) {
        tdi_diag_add(diags, &diag);
        return status;
    }
    def.objects = objects.items;
    status = copy(&def, after, alloc, out, diags);
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

td_status tdi_scene_editable_copy(const td_scene *from, const td_alloc *alloc, td_scene **out) {
    size_t count = (size_t)from->keyed_count;
    TDI_TRY(copy_def(&from->def, alloc, out));
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

void tdi_scene_move_objects(td_scene *s, td_object_def *to) {
    const char *from = (const char *)s->def.objects;
    const size_t size = (size_t)s->def.object_count * sizeof *to;
    for (int32_t k = 0; k < s->keyed_count; k++) {
        const size_t offset = (size_t)((const char *)s->keyed[k].place - from);
        if (from && offset < size) {
            s->keyed[k].place = (td_real *)((char *)to + offset);
        }
    }
    if (size > 0) {
        memcpy(to, from, size);
    }
    s->def.objects = to;
}
