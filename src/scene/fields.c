// SPDX-License-Identifier: MIT
// Structs from values, by tables.
//
// Method   One walk through the value, with the table that belongs to each map. Defaults are
//          written first, then what the value says. A fault is listed and the walk goes on, so that
//          all of them are found at once. Tables may lead to themselves through lists; the depth of
//          a value is limited, and with it that of the walk.

#include "scene/fields_fill.h"

#include "base/real.h"
#include "base/words.h"
#include "math/quat.h"

#include <stdio.h>
#include <string.h>

#define MAX_FAULTS 100 // after so many the walk ends
#define LISTED     220 // bytes of a list of names

static void read_field(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                       void *object);

// ---- faults ---------------------------------------------------------------------------------

bool tdi_fill_ended(const tdi_filler *f) {
    return f->status == TD_ERR_MEMORY || f->fault_count >= MAX_FAULTS;
}

void tdi_fill_memory(tdi_filler *f) {
    f->status = TD_ERR_MEMORY;
}

void tdi_fill_fault(tdi_filler *f, const td_diag *diag) {
    if (!tdi_fill_ended(f)) {
        tdi_diag_add(f->diags, diag);
        f->fault_count++;
        f->status = TD_ERR_SYNTAX;
    }
}

// "the text 'abc'": what stands where something else was expected
const char *tdi_fill_found(const td_value *value, char text[TDI_FOUND_TEXT]) {
    char shown[TDI_SHOWN_TEXT];
    switch (value->kind) {
    case TD_VALUE_NULL: return "nothing";
    case TD_VALUE_LIST: return "a list";
    case TD_VALUE_MAP: return "a map";
    default: break;
    }
    snprintf(text, TDI_FOUND_TEXT, "%s'%s'", value->kind == TD_VALUE_TEXT ? "the text " : "",
             tdi_shown_text(value->text, shown));
    return text;
}

static void fault_kind(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                       const char *expected) {
    char text[TDI_FOUND_TEXT];
    TDI_FAULT(f, value, "'%s' must be %s; found %s", field->key, expected,
              tdi_fill_found(value, text));
}

// ---- numbers --------------------------------------------------------------------------------

// one number within the range of the field, in the unit that is written
bool tdi_fill_number(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                     td_real *number) {
    char expected[TDI_EXPECTS_TEXT], shown[TDI_SHOWN_TEXT];
    const char *space = field->unit ? " " : "", *unit = field->unit ? field->unit : "";
    if (value->kind != TD_VALUE_NUMBER) {
        snprintf(expected, sizeof expected, "a %snumber%s%s",
                 field->kind == TDI_SCENE_INT ? "whole " : "", field->unit ? " in " : "", unit);
        fault_kind(f, field, value, expected);
        return false;
    }
    if (!tdi_field_admits(field, value->number)) {
        TDI_FAULT(f, value, "'%s' is %s%s%s; it must be %s", field->key,
                  tdi_shown_text(value->text, shown), space, unit,
                  tdi_field_expects(field, expected));
        return false;
    }
    *number = value->number;
    return true;
}

// a list of `count` numbers
static bool read_list_of(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                         int32_t count, td_real *numbers) {
    char expected[64], text[TDI_FOUND_TEXT];
    snprintf(expected, sizeof expected, "a list of %d numbers%s%s", (int)count,
             field->unit ? " in " : "", field->unit ? field->unit : "");
    if (value->kind != TD_VALUE_LIST) {
        fault_kind(f, field, value, expected);
        return false;
    }
    if (value->count != count) {
        snprintf(text, sizeof text, "%d", (int)value->count);
        TDI_FAULT(f, value, "'%s' must be %s; found %s", field->key, expected, text);
        return false;
    }
    bool ok = true;
    for (int32_t i = 0; i < count; i++) {
        ok = tdi_fill_number(f, field, &value->items[i], &numbers[i]) && ok;
    }
    return ok;
}

// ---- rotations ------------------------------------------------------------------------------

typedef struct turn {
    td_vec3 axis;
    td_real degrees;
} turn;

// a td_turn_curve takes up to 1e9 rad
static const tdi_scene_field turn_fields[] = {
    {"axis", TDI_SCENE_VEC3, offsetof(turn, axis), .low = -1e100, .high = 1e100, .required = true},
    {"degrees", TDI_SCENE_REAL, offsetof(turn, degrees), .low = -1e10, .high = 1e10,
     .required = true},
    {0}};
static const tdi_scene_table turn_table = {"rotation", sizeof(turn), turn_fields,
                                           .doc = "A turn about an axis."};

// q = (cos a/2, sin a/2 axis) and a axis, with the axis of unit length
bool tdi_fill_turn(tdi_filler *f, const tdi_scene_field *field, const td_value *value, td_quat *q,
                   td_vec3 *turned) {
    turn t = {{0, 0, 0}, 0};
    int32_t before = f->fault_count;
    tdi_fill_table(f, &turn_table, value, &t);
    if (f->fault_count != before || tdi_fill_ended(f)) {
        return false;
    }
    td_real n = tdi_norm(t.axis);
    if (!(n > 1e-100)) {
        TDI_FAULT(f, value,
                  "the axis of '%s' has no direction; expected numbers that are not all 0",
                  field->key);
        return false;
    }
    td_vec3 axis = tdi_vec3(t.axis.x / n, t.axis.y / n, t.axis.z / n);
    td_real s = tdi_sin_degrees(t.degrees / 2);
    *q = (td_quat){tdi_cos_degrees(t.degrees / 2), s * axis.x, s * axis.y, s * axis.z};
    *turned = tdi_scale(axis, tdi_radians(t.degrees));
    return true;
}

// four numbers over their length
static bool read_quat(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                      td_quat *q) {
    td_real numbers[4];
    if (!read_list_of(f, field, value, 4, numbers)) {
        return false;
    }
    *q = (td_quat){numbers[0], numbers[1], numbers[2], numbers[3]};
    td_real n = tdi_quat_norm(*q);
    if (!(n > 1e-100 && n < 1e100)) {
        TDI_FAULT(f, value, "'%s' is not a rotation; expected [w, x, y, z] that are not all 0",
                  field->key);
        return false;
    }
    return true;
}

// with w >= 0, so that equal rotations have equal numbers
static bool read_rotation(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                          td_real numbers[4]) {
    td_quat q;
    td_vec3 turned;
    if (value->kind != TD_VALUE_MAP && value->kind != TD_VALUE_LIST) {
        fault_kind(f, field, value, "{axis: [x, y, z], degrees: d} or [w, x, y, z]");
        return false;
    }
    if (value->kind == TD_VALUE_MAP ? !tdi_fill_turn(f, field, value, &q, &turned)
                                    : !read_quat(f, field, value, &q)) {
        return false;
    }
    q = tdi_quat_unit(q);
    const td_real unit[4] = {q.w, q.x, q.y, q.z};
    memcpy(numbers, unit, sizeof unit);
    return true;
}

int32_t tdi_component_count(tdi_scene_kind kind) {
    return kind == TDI_SCENE_VEC3 ? 3 : kind == TDI_SCENE_ROTATION ? 4 : 1;
}

// the components of a REAL, VEC3 or ROTATION in the struct's unit
bool tdi_fill_components(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                         td_real numbers[4]) {
    if (field->kind == TDI_SCENE_ROTATION) {
        return read_rotation(f, field, value, numbers);
    }
    int32_t count = tdi_component_count(field->kind);
    bool ok = count == 1 ? tdi_fill_number(f, field, value, numbers)
                         : read_list_of(f, field, value, count, numbers);
    for (int32_t i = 0; ok && i < count; i++) {
        numbers[i] *= tdi_field_scale(field);
    }
    return ok;
}

// ---- other values ---------------------------------------------------------------------------

static void read_choice(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                        void *place) {
    bool scalar = value->kind != TD_VALUE_LIST && value->kind != TD_VALUE_MAP;
    char expected[TDI_EXPECTS_TEXT];
    for (const tdi_choice *c = field->choices; c->name; c++) {
        if (scalar && strcmp(c->name, value->text) == 0) {
            memcpy(place, &c->value, sizeof c->value);
            return;
        }
    }
    fault_kind(f, field, value, tdi_field_expects(field, expected));
}

static void read_text(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                      void *place) {
    char expected[TDI_EXPECTS_TEXT];
    bool scalar =
        value->kind != TD_VALUE_LIST && value->kind != TD_VALUE_MAP && value->kind != TD_VALUE_NULL;
    if (!scalar || value->text[0] == 0) {
        fault_kind(f, field, value, "a text");
        return;
    }
    if (!tdi_field_takes_text(field, value->text)) {
        fault_kind(f, field, value, tdi_field_expects(field, expected));
        return;
    }
    const char *copy = tdi_arena_text(&f->out->arena, value->text, strlen(value->text));
    if (!copy) {
        tdi_fill_memory(f);
        return;
    }
    memcpy(place, &copy, sizeof copy);
}

static void read_bits(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                      void *place) {
    const tdi_scene_field bit = {field->key, TDI_SCENE_INT, 0, .low = 0, .high = 31};
    const bool all = value->kind == TD_VALUE_TEXT && strcmp(value->text, "all") == 0;
    uint32_t bits = all ? UINT32_MAX : 0;
    if (!all && value->kind != TD_VALUE_LIST) {
        fault_kind(f, field, value, "a list of bits from 0 to 31, or 'all'");
        return;
    }
    for (int32_t i = 0; !all && i < value->count; i++) {
        td_real number = 0;
        tdi_fill_number(f, &bit, &value->items[i], &number);
        bits |= (uint32_t)1 << (int)number;
    }
    memcpy(place, &bits, sizeof bits);
}

static void read_list(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                      void *object) {
    char *items = NULL;
    if (value->kind != TD_VALUE_LIST && value->kind != TD_VALUE_NULL) {
        fault_kind(f, field, value, "a list");
        return;
    }
    if (field->max_count > 0 && value->count > field->max_count) {
        TDI_FAULT(f, value, "'%s' has %d items; it can have at most %d", field->key,
                  (int)value->count, (int)field->max_count);
        return;
    }
    size_t size = tdi_item_size(field);
    if (value->count > 0) {
        items = tdi_arena_zeroed(&f->out->arena, (size_t)value->count, size);
        if (!items) {
            tdi_fill_memory(f);
            return;
        }
    }
    for (int32_t i = 0; i < value->count && !tdi_fill_ended(f); i++) {
        char *item = items + (size_t)i * size;
        if (field->table) {
            tdi_fields_defaults(field->table, item);
            tdi_fill_table(f, field->table, &value->items[i], item);
        } else {
            read_field(f, field->item, &value->items[i], item);
        }
    }
    memcpy((char *)object + field->offset, &items, sizeof items);
    memcpy((char *)object + field->count, &value->count, sizeof value->count);
}

static void read_numbers(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                         void *object) {
    void *place = (char *)object + field->offset;
    td_real numbers[4];
    if (tdi_is_track(field, value)) {
        tdi_fill_track(f, field, value, place);
    } else if (tdi_is_along(field, value)) {
        tdi_fill_along(f, field, value, object);
    } else if (td_value_get(value, "keys")) {
        TDI_FAULT(f, value,
                  "'%s' cannot change over time, so it cannot have keys; expected one value",
                  field->key);
    } else if (td_value_get(value, "along")) {
        TDI_FAULT(f, value, "'%s' cannot change along the length; expected one value", field->key);
    } else if (tdi_fill_components(f, field, value, numbers)) {
        memcpy(place, numbers, (size_t)tdi_component_count(field->kind) * sizeof *numbers);
    }
}

static void read_field(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                       void *object) {
    void *place = (char *)object + field->offset;
    td_real number;
    if (field->given > 0) {
        *(bool *)((char *)object + field->given) = true;
    }
    switch (field->kind) {
    case TDI_SCENE_REAL:
    case TDI_SCENE_VEC3:
    case TDI_SCENE_ROTATION: read_numbers(f, field, value, object); break;
    case TDI_SCENE_INT:
        if (tdi_fill_number(f, field, value, &number)) {
            int32_t whole = (int32_t)number;
            memcpy(place, &whole, sizeof whole);
        }
        break;
    case TDI_SCENE_BOOL:
        if (value->kind == TD_VALUE_BOOL) {
            *(bool *)place = value->number != 0;
        } else {
            fault_kind(f, field, value, "true or false");
        }
        break;
    case TDI_SCENE_BITS: read_bits(f, field, value, place); break;
    case TDI_SCENE_TEXT: read_text(f, field, value, place); break;
    case TDI_SCENE_CHOICE: read_choice(f, field, value, place); break;
    case TDI_SCENE_MAP: tdi_fill_table(f, field->table, value, place); break;
    case TDI_SCENE_LIST: read_list(f, field, value, object); break;
    case TDI_SCENE_VALUE: memcpy(place, &value, sizeof value); break;
    }
}

// ---- maps -----------------------------------------------------------------------------------

static void fault_unknown(tdi_filler *f, const tdi_scene_table *table, const td_value *item) {
    char shown[TDI_SHOWN_TEXT], expected[LISTED] = "expected one of ";
    const char *near = tdi_table_nearest(table, item->key);
    tdi_word_list names = {expected, sizeof expected, strlen(expected), 0, 0};
    for (const tdi_scene_field *field = table->fields; field->key; field++) {
        tdi_words_add(&names, field->key);
    }
    tdi_words_end(&names);
    if (near) {
        snprintf(expected, sizeof expected, "did you mean '%s'?", near);
    }
    TDI_FAULT_AT(f, item, item->key_line, item->key_column, "there is no '%s' in '%s'; %s",
                 tdi_shown_text(item->key, shown), table->name, expected);
}

void tdi_fill_table(tdi_filler *f, const tdi_scene_table *table, const td_value *value,
                    void *object) {
    char text[TDI_FOUND_TEXT];
    if (value->kind != TD_VALUE_MAP && value->kind != TD_VALUE_NULL) {
        TDI_FAULT(f, value, "'%s' must be a map of keys; found %s", table->name,
                  tdi_fill_found(value, text));
        return;
    }
    if (table->one_of && value->count != 1) {
        TDI_FAULT(f, value, "'%s' must be a map with one key that names its kind; found %d keys",
                  table->name, (int)value->count);
        return;
    }
    for (int32_t i = 0; i < value->count && !tdi_fill_ended(f); i++) {
        const td_value *item = &value->items[i];
        const tdi_scene_field *field = tdi_table_field(table, item->key, strlen(item->key));
        if (!field) {
            fault_unknown(f, table, item);
            continue;
        }
        if (table->one_of) {
            memcpy((char *)object + table->tag, &field->tag, sizeof field->tag);
            tdi_field_default(field, object);
        }
        read_field(f, field, item, object);
    }
    for (const tdi_scene_field *field = table->fields; field->key && !tdi_fill_ended(f); field++) {
        if (field->required && !table->one_of && !td_value_get(value, field->key)) {
            TDI_FAULT(f, value, "'%s' lacks the key '%s'", table->name, field->key);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_fields_free(tdi_fields *fields) {
    tdi_arena_free(&fields->arena);
    fields->tracks = NULL;
    fields->track_count = 0;
    fields->track_capacity = 0;
}

td_status tdi_fields_fill(const tdi_scene_table *table, const td_value *value, void *object,
                          const td_alloc *alloc, tdi_fields *out, td_diag_list *diags) {
    *out = (tdi_fields){.arena = {.alloc = alloc}};
    tdi_filler f = {out, diags, 0, TD_OK};
    tdi_fields_defaults(table, object);
    tdi_fill_table(&f, table, value, object);
    if (f.status == TD_ERR_MEMORY) {
        td_diag diag;
        tdi_fail(&diag, TD_ERR_MEMORY, "%s", td_status_text(TD_ERR_MEMORY));
        tdi_diag_add(diags, &diag);
    }
    if (f.status != TD_OK) {
        tdi_fields_free(out);
        memset(object, 0, table->size);
    }
    return f.status;
}
