// SPDX-License-Identifier: MIT
// Fields by their path: "loads[1].wind.speed", "gravity.y".
//
// Method   Part by part, with the table that belongs to each: a key, then an index in brackets when
//          the key is that of a list, then a dot and the next key. A component of a vector is x, y
//          or z behind one more dot.

#include "scene/fields.h"

#include "base/diag.h"
#include "base/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- parts ----------------------------------------------------------------------------------

#define MAX_KEY 63 // bytes: longer than any key

// the next key, without what follows it; false when there is none
static bool take_key(const char **path, char key[MAX_KEY + 1]) {
    size_t size = strcspn(*path, ".[]");
    if (size == 0 || size > MAX_KEY) {
        return false;
    }
    memcpy(key, *path, size);
    key[size] = 0;
    *path += size;
    return true;
}

// [3]; false when there is none
static bool take_index(const char **path, int32_t *index) {
    const char *at = *path;
    int64_t number = 0;
    size_t digits = *at == '[' ? strspn(at + 1, "0123456789") : 0;
    if (digits == 0 || digits > 9 || at[1 + digits] != ']') {
        return false;
    }
    for (size_t i = 1; i <= digits; i++) {
        number = number * 10 + (at[i] - '0');
    }
    *index = (int32_t)number;
    *path = at + digits + 2;
    return true;
}

static bool take_dot(const char **path) {
    bool dot = **path == '.';
    *path += dot;
    return dot;
}

// ---- finding --------------------------------------------------------------------------------

// A walk along a path: what comes next is looked up in `table`, with its struct at `object`.
typedef struct walk {
    const tdi_scene_table *table;
    char *object;
    const char *path; // what is left
    const char *whole;
    td_diag *diag;
} walk;

#define FAIL(w, ...) tdi_fail((w)->diag, TD_ERR_ARGUMENT, __VA_ARGS__)

static td_status find_row(walk *w, const tdi_scene_field **out) {
    char key[MAX_KEY + 1], shown[TDI_SHOWN_TEXT], other[TDI_SHOWN_TEXT];
    if (!take_key(&w->path, key)) {
        return FAIL(w, "the path '%s' lacks a key; expected one of '%s' at its end",
                    tdi_shown_text(w->whole, shown), w->table->name);
    }
    const tdi_scene_field *field = tdi_table_field(w->table, key, strlen(key));
    if (!field) {
        const char *near = tdi_table_nearest(w->table, key);
        return FAIL(w, "there is no '%s' in '%s'%s%s%s", tdi_shown_text(key, shown), w->table->name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (w->table->one_of) {
        int32_t tag;
        memcpy(&tag, w->object + w->table->tag, sizeof tag);
        if (tag != field->tag) {
            return FAIL(w, "'%s' in the path '%s' is not of this kind", w->table->name,
                        tdi_shown_text(w->whole, other));
        }
    }
    *out = field;
    return TD_OK;
}

// from the row of a list to the item that the path names
static td_status find_item(walk *w, const tdi_scene_field *list, char **item) {
    char shown[TDI_SHOWN_TEXT];
    int32_t index, count;
    char *items;
    memcpy(&items, w->object + list->offset, sizeof items);
    memcpy(&count, w->object + list->count, sizeof count);
    if (!take_index(&w->path, &index)) {
        return FAIL(w, "'%s' in the path '%s' is a list; expected an index such as [0]", list->key,
                    tdi_shown_text(w->whole, shown));
    }
    if (index >= count) {
        return FAIL(w, "'%s' has %d items, counted from 0; there is no [%d]", list->key, (int)count,
                    (int)index);
    }
    *item = items + (size_t)index * tdi_item_size(list);
    return TD_OK;
}

// the end of the path: the value itself, or one component of it
static td_status find_value(walk *w, const tdi_scene_field *field, void *at, tdi_field_place *out) {
    char shown[TDI_SHOWN_TEXT];
    bool number = field->kind == TDI_SCENE_REAL || field->kind == TDI_SCENE_INT ||
                  field->kind == TDI_SCENE_BOOL;
    bool vector = field->kind == TDI_SCENE_VEC3;
    if (!number && !vector && field->kind != TDI_SCENE_ROTATION) {
        return FAIL(w, "'%s' is not a number", field->key);
    }
    *out = (tdi_field_place){field, at, number ? 1 : vector ? 3 : 4};
    if (vector && take_dot(&w->path)) {
        const char *axis = *w->path ? strchr("xyz", *w->path) : NULL;
        if (!axis || w->path[1] != 0) {
            return FAIL(w, "'%s' is a vector; expected .x, .y or .z after it", field->key);
        }
        *out = (tdi_field_place){field, (td_real *)at + (*w->path - 'x'), 1};
        w->path++;
    }
    if (*w->path != 0) {
        return FAIL(w, "the path '%s' goes on after '%s', which has no parts",
                    tdi_shown_text(w->whole, shown), field->key);
    }
    return TD_OK;
}

td_status tdi_fields_find(const tdi_scene_table *table, void *object, const char *path,
                          tdi_field_place *out, td_diag *diag) {
    walk w = {table, object, path, path, diag};
    for (;;) {
        const tdi_scene_field *field = NULL;
        TDI_TRY(find_row(&w, &field));
        char *at = w.object + field->offset;
        if (field->kind == TDI_SCENE_LIST) {
            TDI_TRY(find_item(&w, field, &at));
        }
        if (!field->table) {
            return find_value(&w, field->kind == TDI_SCENE_LIST ? field->item : field, at, out);
        }
        if (!take_dot(&w.path)) {
            char shown[TDI_SHOWN_TEXT];
            return FAIL(&w, "the path '%s' ends at '%s'; expected a dot and a key of it",
                        tdi_shown_text(path, shown), field->key);
        }
        w.table = field->table;
        w.object = at;
    }
}

// ---- numbers --------------------------------------------------------------------------------

static td_status find_number(const tdi_scene_table *table, void *object, const char *path,
                             tdi_field_place *out, td_diag *diag) {
    td_status status = tdi_fields_find(table, object, path, out, diag);
    if (status == TD_OK && out->components != 1) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' is %s", out->field->key,
                        out->components == 3 ? "a vector; expected .x, .y or .z after it"
                                             : "a rotation, not a number");
    }
    return status;
}

td_status tdi_fields_get(const tdi_scene_table *table, const void *object, const char *path,
                         td_real *value, td_diag *diag) {
    tdi_field_place place;
    // nothing is written through the place
    TDI_TRY(find_number(table, (void *)object, path, &place, diag));
    if (place.field->kind == TDI_SCENE_INT) {
        *value = *(const int32_t *)place.at;
    } else if (place.field->kind == TDI_SCENE_BOOL) {
        *value = *(const bool *)place.at;
    } else {
        *value = *(const td_real *)place.at / tdi_field_scale(place.field);
    }
    return TD_OK;
}

td_status tdi_fields_set(const tdi_scene_table *table, void *object, const char *path,
                         td_real value, td_diag *diag) {
    tdi_field_place place;
    char expected[TDI_EXPECTS_TEXT];
    TDI_TRY(find_number(table, object, path, &place, diag));
    bool flag = place.field->kind == TDI_SCENE_BOOL;
    if (flag ? value != 0 && value != 1 : !tdi_field_admits(place.field, value)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' cannot be %g; it must be %s", place.field->key,
                        value, flag ? "0 or 1" : tdi_field_expects(place.field, expected));
    }
    if (place.field->kind == TDI_SCENE_INT) {
        *(int32_t *)place.at = (int32_t)value;
    } else if (place.field->kind == TDI_SCENE_BOOL) {
        *(bool *)place.at = value != 0;
    } else {
        *(td_real *)place.at = value * tdi_field_scale(place.field);
    }
    return TD_OK;
}

// ---- places in a scene ----------------------------------------------------------------------

const td_value *tdi_fields_where(const td_value *root, const char *path) {
    const td_value *here = root;
    char key[MAX_KEY + 1];
    int32_t index;
    while (take_key(&path, key)) {
        const td_value *next = td_value_get(here, key);
        if (!next) {
            break;
        }
        here = next;
        if (take_index(&path, &index)) {
            if (here->kind != TD_VALUE_LIST || index >= here->count) {
                break;
            }
            here = &here->items[index];
        }
        take_dot(&path);
    }
    return here;
}
