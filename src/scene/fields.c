// SPDX-License-Identifier: MIT
// Structs from values, by tables.
//
// Method   One walk through the value, with the table that belongs to each map. Defaults are
//          written first, then what the value says. A fault is listed and the walk goes on, so that
//          all of them are found at once. Tables may lead to themselves through lists; the depth
//          of a value is limited, and with it that of the walk.

#include "scene/fields.h"

#include "base/real.h"
#include "base/value.h"
#include "math/quat.h"

#include <stdio.h>
#include <string.h>

#define MAX_FAULTS 100 // after so many the walk ends

typedef struct filler {
    tdi_fields *out;
    td_diag_list *diags;
    int32_t fault_count;
    td_status status; // TD_OK, TD_ERR_SYNTAX, or TD_ERR_MEMORY, which ends the walk
} filler;

static void read_table(filler *f, const tdi_scene_table *table, const td_value *value,
                       void *object);
static void read_field(filler *f, const tdi_scene_field *field, const td_value *value,
                       void *object);

// ---- faults ---------------------------------------------------------------------------------

static bool ended(const filler *f) {
    return f->status == TD_ERR_MEMORY || f->fault_count >= MAX_FAULTS;
}

static void out_of_memory(filler *f) {
    f->status = TD_ERR_MEMORY;
}

static void add_fault(filler *f, const td_diag *diag) {
    if (!ended(f)) {
        tdi_diag_add(f->diags, diag);
        f->fault_count++;
        f->status = TD_ERR_SYNTAX;
    }
}

#define FAULT_AT(f, value, line, column, ...)                                    \
    do {                                                                         \
        td_diag diag_;                                                           \
        tdi_value_fail(value, line, column, &diag_, TD_ERR_SYNTAX, __VA_ARGS__); \
        add_fault(f, &diag_);                                                    \
    } while (0)
#define FAULT(f, value, ...) FAULT_AT(f, value, (value)->line, (value)->column, __VA_ARGS__)

#define FOUND_TEXT (TDI_SHOWN_TEXT + 16)

// "the text 'abc'": what stands where something else was expected
static const char *found(const td_value *value, char text[FOUND_TEXT]) {
    char shown[TDI_SHOWN_TEXT];
    switch (value->kind) {
    case TD_VALUE_NULL: return "nothing";
    case TD_VALUE_LIST: return "a list";
    case TD_VALUE_MAP: return "a map";
    default: break;
    }
    snprintf(text, FOUND_TEXT, "%s'%s'", value->kind == TD_VALUE_TEXT ? "the text " : "",
             tdi_shown_text(value->text, shown));
    return text;
}

static void fault_kind(filler *f, const tdi_scene_field *field, const td_value *value,
                       const char *expected) {
    char text[FOUND_TEXT];
    FAULT(f, value, "'%s' expects %s, found %s", field->key, expected, found(value, text));
}

// ---- numbers --------------------------------------------------------------------------------

// one number within the range of the field, in the unit that is written
static bool read_number(filler *f, const tdi_scene_field *field, const td_value *value,
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
        FAULT(f, value, "'%s' is %s%s%s; expected %s", field->key,
              tdi_shown_text(value->text, shown), space, unit, tdi_field_expects(field, expected));
        return false;
    }
    *number = value->number;
    return true;
}

// a list of `count` numbers
static bool read_list_of(filler *f, const tdi_scene_field *field, const td_value *value,
                         int32_t count, td_real *numbers) {
    char expected[64], text[FOUND_TEXT];
    snprintf(expected, sizeof expected, "a list of %d numbers%s%s", (int)count,
             field->unit ? " in " : "", field->unit ? field->unit : "");
    if (value->kind != TD_VALUE_LIST) {
        fault_kind(f, field, value, expected);
        return false;
    }
    if (value->count != count) {
        snprintf(text, sizeof text, "%d", (int)value->count);
        FAULT(f, value, "'%s' expects %s, found %s", field->key, expected, text);
        return false;
    }
    bool ok = true;
    for (int32_t i = 0; i < count; i++) {
        ok = read_number(f, field, &value->items[i], &numbers[i]) && ok;
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
static bool read_turn(filler *f, const tdi_scene_field *field, const td_value *value, td_quat *q,
                      td_vec3 *turned) {
    turn t = {{0, 0, 0}, 0};
    int32_t before = f->fault_count;
    read_table(f, &turn_table, value, &t);
    if (f->fault_count != before || ended(f)) {
        return false;
    }
    td_real n = tdi_norm(t.axis);
    if (!(n > 1e-100)) {
        FAULT(f, value, "the axis of '%s' has no direction; expected numbers that are not all 0",
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
static bool read_quat(filler *f, const tdi_scene_field *field, const td_value *value, td_quat *q) {
    td_real numbers[4];
    if (!read_list_of(f, field, value, 4, numbers)) {
        return false;
    }
    *q = (td_quat){numbers[0], numbers[1], numbers[2], numbers[3]};
    td_real n = tdi_quat_norm(*q);
    if (!(n > 1e-100 && n < 1e100)) {
        FAULT(f, value, "'%s' is no rotation; expected [w, x, y, z] that are not all 0",
              field->key);
        return false;
    }
    return true;
}

// with w >= 0, so that equal rotations have equal numbers
static bool read_rotation(filler *f, const tdi_scene_field *field, const td_value *value,
                          td_real numbers[4]) {
    td_quat q;
    td_vec3 turned;
    if (value->kind != TD_VALUE_MAP && value->kind != TD_VALUE_LIST) {
        fault_kind(f, field, value, "{axis: [x, y, z], degrees: d} or [w, x, y, z]");
        return false;
    }
    if (value->kind == TD_VALUE_MAP ? !read_turn(f, field, value, &q, &turned)
                                    : !read_quat(f, field, value, &q)) {
        return false;
    }
    q = tdi_quat_unit(q);
    const td_real unit[4] = {q.w, q.x, q.y, q.z};
    memcpy(numbers, unit, sizeof unit);
    return true;
}

static int32_t component_count(tdi_scene_kind kind) {
    return kind == TDI_SCENE_VEC3 ? 3 : kind == TDI_SCENE_ROTATION ? 4 : 1;
}

// the components of a REAL, VEC3 or ROTATION in the struct's unit
static bool read_components(filler *f, const tdi_scene_field *field, const td_value *value,
                            td_real numbers[4]) {
    if (field->kind == TDI_SCENE_ROTATION) {
        return read_rotation(f, field, value, numbers);
    }
    int32_t count = component_count(field->kind);
    bool ok = count == 1 ? read_number(f, field, value, numbers)
                         : read_list_of(f, field, value, count, numbers);
    for (int32_t i = 0; ok && i < count; i++) {
        numbers[i] *= tdi_field_scale(field);
    }
    return ok;
}

// ---- tracks ---------------------------------------------------------------------------------

typedef struct keys {
    const td_value *list;
    int32_t interpolation;
    bool repeat;
} keys;

static const tdi_choice interpolations[] = {{"smooth", TD_SMOOTH, "without corners"},
                                            {"linear", TD_LINEAR, "straight from key to key"},
                                            {"step", TD_STEP, "as the key before"},
                                            {0}};
static const tdi_scene_field keys_fields[] = {
    {"keys", TDI_SCENE_VALUE, offsetof(keys, list), .required = true, .doc = "[time, value] each."},
    {"interpolate", TDI_SCENE_CHOICE, offsetof(keys, interpolation), .choices = interpolations,
     .doc = "Between two keys."},
    {"repeat", TDI_SCENE_BOOL, offsetof(keys, repeat), .doc = "From the last key to the first."},
    {0}};
static const tdi_scene_table keys_table = {"keys", sizeof(keys), keys_fields,
                                           .doc = "A value that changes over time."};
// the range of td_curve
static const tdi_scene_field time_field = {"time of a key", TDI_SCENE_REAL, 0,
                                           .unit = "s",     .low = -1e15,   .high = 1e15};

static bool is_track(const tdi_scene_field *field, const td_value *value) {
    return field->keyed && value->kind == TD_VALUE_MAP &&
           (field->kind != TDI_SCENE_ROTATION || td_value_get(value, "keys"));
}

// a time that is no number is left as not a number
static bool read_key(filler *f, const tdi_scene_field *field, const td_value *key, td_real *time,
                     td_real numbers[4]) {
    char text[FOUND_TEXT];
    *time = NAN;
    if (key->kind != TD_VALUE_LIST || key->count != 2) {
        FAULT(f, key, "a key of '%s' expects [time, value], found %s", field->key,
              key->kind == TD_VALUE_LIST ? "a list of another length" : found(key, text));
        return false;
    }
    bool timed = read_number(f, &time_field, &key->items[0], time);
    return read_components(f, field, &key->items[1], numbers) && timed;
}

// all keys, with times that rise
static bool read_keys(filler *f, const tdi_scene_field *field, const td_value *list, td_real *times,
                      td_real *values) {
    size_t components = (size_t)component_count(field->kind);
    bool ok = true;
    for (int32_t i = 0; i < list->count && !ended(f); i++) {
        const td_value *key = &list->items[i];
        td_real numbers[4] = {0};
        ok = read_key(f, field, key, &times[i], numbers) && ok;
        memcpy(values + (size_t)i * components, numbers, components * sizeof *numbers);
        if (i > 0 && times[i] - times[i - 1] < TD_CURVE_GAP_MIN) {
            char here[TDI_REAL_TEXT], before[TDI_REAL_TEXT];
            tdi_real_write(times[i], here);
            tdi_real_write(times[i - 1], before);
            FAULT(f, &key->items[0],
                  "the keys of '%s' are out of order: %s s comes after %s s; expected times that "
                  "rise",
                  field->key, here, before);
            ok = false;
        }
    }
    return ok && !ended(f);
}

// axis times angle of every key; NULL when a key has none
static const td_vec3 *read_turns(filler *f, const tdi_scene_field *field, const td_value *list) {
    td_vec3 *turns = NULL;
    td_quat q;
    for (int32_t i = 0; i < list->count; i++) {
        if (field->kind != TDI_SCENE_ROTATION || list->items[i].items[1].kind != TD_VALUE_MAP) {
            return NULL;
        }
    }
    turns = tdi_arena_zeroed(&f->out->arena, (size_t)list->count, sizeof *turns);
    if (!turns) {
        out_of_memory(f);
    }
    for (int32_t i = 0; turns && i < list->count; i++) {
        read_turn(f, field, &list->items[i].items[1], &q, &turns[i]);
    }
    return turns;
}

static void add_track(filler *f, const tdi_track *track) {
    tdi_fields *out = f->out;
    if (out->track_count == out->track_capacity) {
        tdi_track *grown = tdi_arena_grow(&out->arena, out->tracks, out->track_count,
                                          &out->track_capacity, sizeof *grown);
        if (!grown) {
            out_of_memory(f);
            return;
        }
        out->tracks = grown;
    }
    out->tracks[out->track_count++] = *track;
}

static void read_track(filler *f, const tdi_scene_field *field, const td_value *value,
                       void *place) {
    keys k = {NULL, TD_SMOOTH, false};
    read_table(f, &keys_table, value, &k);
    if (!k.list) {
        return;
    }
    int32_t least = k.repeat ? 2 : 1;
    if (k.list->kind != TD_VALUE_LIST || k.list->count < least) {
        FAULT(f, k.list, "the keys of '%s' expect a list of %d or more [time, value]", field->key,
              (int)least);
        return;
    }
    int32_t components = component_count(field->kind), count = k.list->count;
    td_real *times =
        tdi_arena_zeroed(&f->out->arena, (size_t)count * (size_t)(1 + components), sizeof *times);
    if (!times) {
        out_of_memory(f);
        return;
    }
    td_real *values = times + count;
    if (read_keys(f, field, k.list, times, values)) {
        memcpy(place, values, (size_t)components * sizeof *values);
        add_track(f, &(tdi_track){.place = place,
                                  .components = components,
                                  .key_count = count,
                                  .times = times,
                                  .values = values,
                                  .turns = read_turns(f, field, k.list),
                                  .interpolation = (td_interpolation)k.interpolation,
                                  .repeat = k.repeat,
                                  .field = field,
                                  .value = value});
    }
}

// ---- other values ---------------------------------------------------------------------------

static void read_choice(filler *f, const tdi_scene_field *field, const td_value *value,
                        void *place) {
    bool scalar = value->kind != TD_VALUE_LIST && value->kind != TD_VALUE_MAP;
    char expected[200];
    size_t length = (size_t)snprintf(expected, sizeof expected, "one of");
    for (const tdi_choice *c = field->choices; c->name; c++) {
        if (scalar && strcmp(c->name, value->text) == 0) {
            memcpy(place, &c->value, sizeof c->value);
            return;
        }
        if (length < sizeof expected) {
            length += (size_t)snprintf(expected + length, sizeof expected - length, "%s %s",
                                       c == field->choices ? "" : ",", c->name);
        }
    }
    fault_kind(f, field, value, expected);
}

// Whether a text is one of those that there are; `expected` lists them.
static bool is_named(const tdi_scene_field *field, const char *text, char expected[200]) {
    size_t length = (size_t)snprintf(expected, 200, "one of");
    tdi_choice name;
    for (int32_t k = 0; field->names(k, &name); k++) {
        if (strcmp(name.name, text) == 0) {
            return true;
        }
        if (length < 200) {
            length += (size_t)snprintf(expected + length, 200 - length, "%s %s", k == 0 ? "" : ",",
                                       name.name);
        }
    }
    return false;
}

static void read_text(filler *f, const tdi_scene_field *field, const td_value *value, void *place) {
    char expected[200];
    bool scalar =
        value->kind != TD_VALUE_LIST && value->kind != TD_VALUE_MAP && value->kind != TD_VALUE_NULL;
    if (!scalar || value->text[0] == 0) {
        fault_kind(f, field, value, "a text");
        return;
    }
    if (field->names && !is_named(field, value->text, expected)) {
        fault_kind(f, field, value, expected);
        return;
    }
    const char *copy = tdi_arena_text(&f->out->arena, value->text, strlen(value->text));
    if (!copy) {
        out_of_memory(f);
        return;
    }
    memcpy(place, &copy, sizeof copy);
}

static void read_list(filler *f, const tdi_scene_field *field, const td_value *value,
                      void *object) {
    char *items = NULL;
    if (value->kind != TD_VALUE_LIST && value->kind != TD_VALUE_NULL) {
        fault_kind(f, field, value, "a list");
        return;
    }
    if (field->max_count > 0 && value->count > field->max_count) {
        FAULT(f, value, "'%s' has %d items; expected at most %d", field->key, (int)value->count,
              (int)field->max_count);
        return;
    }
    size_t size = tdi_item_size(field);
    if (value->count > 0) {
        items = tdi_arena_zeroed(&f->out->arena, (size_t)value->count, size);
        if (!items) {
            out_of_memory(f);
            return;
        }
    }
    for (int32_t i = 0; i < value->count && !ended(f); i++) {
        char *item = items + (size_t)i * size;
        if (field->table) {
            tdi_fields_defaults(field->table, item);
            read_table(f, field->table, &value->items[i], item);
        } else {
            read_field(f, field->item, &value->items[i], item);
        }
    }
    memcpy((char *)object + field->offset, &items, sizeof items);
    memcpy((char *)object + field->count, &value->count, sizeof value->count);
}

static void read_numbers(filler *f, const tdi_scene_field *field, const td_value *value,
                         void *place) {
    td_real numbers[4];
    if (is_track(field, value)) {
        read_track(f, field, value, place);
    } else if (td_value_get(value, "keys")) {
        FAULT(f, value, "'%s' cannot have keys; expected one value for all times", field->key);
    } else if (read_components(f, field, value, numbers)) {
        memcpy(place, numbers, (size_t)component_count(field->kind) * sizeof *numbers);
    }
}

static void read_field(filler *f, const tdi_scene_field *field, const td_value *value,
                       void *object) {
    void *place = (char *)object + field->offset;
    td_real number;
    if (field->given > 0) {
        *(bool *)((char *)object + field->given) = true;
    }
    switch (field->kind) {
    case TDI_SCENE_REAL:
    case TDI_SCENE_VEC3:
    case TDI_SCENE_ROTATION: read_numbers(f, field, value, place); break;
    case TDI_SCENE_INT:
        if (read_number(f, field, value, &number)) {
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
    case TDI_SCENE_TEXT: read_text(f, field, value, place); break;
    case TDI_SCENE_CHOICE: read_choice(f, field, value, place); break;
    case TDI_SCENE_MAP: read_table(f, field->table, value, place); break;
    case TDI_SCENE_LIST: read_list(f, field, value, object); break;
    case TDI_SCENE_VALUE: memcpy(place, &value, sizeof value); break;
    }
}

// ---- maps -----------------------------------------------------------------------------------

static void fault_unknown(filler *f, const tdi_scene_table *table, const td_value *item) {
    char shown[TDI_SHOWN_TEXT], expected[200];
    const char *near = tdi_table_nearest(table, item->key);
    size_t length = 0;
    if (near) {
        snprintf(expected, sizeof expected, "did you mean '%s'?", near);
    } else {
        length = (size_t)snprintf(expected, sizeof expected, "expected one of");
    }
    for (const tdi_scene_field *field = table->fields; !near && field->key; field++) {
        if (length < sizeof expected) {
            length += (size_t)snprintf(expected + length, sizeof expected - length, "%s %s",
                                       field == table->fields ? "" : ",", field->key);
        }
    }
    FAULT_AT(f, item, item->key_line, item->key_column, "there is no '%s' in '%s'; %s",
             tdi_shown_text(item->key, shown), table->name, expected);
}

static void read_table(filler *f, const tdi_scene_table *table, const td_value *value,
                       void *object) {
    char text[FOUND_TEXT];
    if (value->kind != TD_VALUE_MAP && value->kind != TD_VALUE_NULL) {
        FAULT(f, value, "'%s' expects a map of keys, found %s", table->name, found(value, text));
        return;
    }
    if (table->one_of && value->count != 1) {
        FAULT(f, value, "'%s' expects a map with one key that names its kind, found %d keys",
              table->name, (int)value->count);
        return;
    }
    for (int32_t i = 0; i < value->count && !ended(f); i++) {
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
    for (const tdi_scene_field *field = table->fields; field->key && !ended(f); field++) {
        if (field->required && !table->one_of && !td_value_get(value, field->key)) {
            FAULT(f, value, "'%s' lacks the key '%s'", table->name, field->key);
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
    filler f = {out, diags, 0, TD_OK};
    tdi_fields_defaults(table, object);
    read_table(&f, table, value, object);
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
