// SPDX-License-Identifier: MIT
// What changes: keys over time, and points along a strand. Both are lists of [where, value].

#include "scene/fields_fill.h"

#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const tdi_choice interpolations[] = {{"smooth", TD_SMOOTH, "along a smooth curve"},
                                            {"linear", TD_LINEAR, "along straight lines"},
                                            {"step", TD_STEP, "as the key before it"},
                                            {0}};

// ---- pairs ----------------------------------------------------------------------------------

// What the first number of a pair is.
typedef struct axis {
    tdi_scene_field where;
    const char *one, *all; // of the pairs
    const char *name;      // of the numbers
    const char *unit;
} axis;

// the range of td_curve
static const axis times_axis = {
    {"time of a key", TDI_SCENE_REAL, 0, .unit = "s", .low = -1e15, .high = 1e15},
    "key",
    "keys",
    "time",
    " s"};
static const axis along_axis = {
    {"place of a point", TDI_SCENE_REAL, 0, .high = 1}, "point", "points", "place", ""};

// a time that is no number is left as not a number
static bool read_pair(tdi_filler *f, const axis *on, const tdi_scene_field *field,
                      const td_value *pair, td_real *where, td_real numbers[4]) {
    char text[TDI_FOUND_TEXT];
    *where = NAN;
    if (pair->kind != TD_VALUE_LIST || pair->count != 2) {
        TDI_FAULT(
            f, pair, "a %s of '%s' must be [%s, value]; found %s", on->one, field->key, on->name,
            pair->kind == TD_VALUE_LIST ? "a list of another length" : tdi_fill_found(pair, text));
        return false;
    }
    bool placed = tdi_fill_number(f, &on->where, &pair->items[0], where);
    return tdi_fill_components(f, field, &pair->items[1], numbers) && placed;
}

// all pairs, the first numbers of which rise
static bool read_pairs(tdi_filler *f, const axis *on, const tdi_scene_field *field,
                       const td_value *list, td_real *wheres, td_real *values) {
    size_t components = (size_t)tdi_component_count(field->kind);
    bool ok = true;
    for (int32_t i = 0; i < list->count && !tdi_fill_ended(f); i++) {
        const td_value *pair = &list->items[i];
        td_real numbers[4] = {0};
        ok = read_pair(f, on, field, pair, &wheres[i], numbers) && ok;
        memcpy(values + (size_t)i * components, numbers, components * sizeof *numbers);
        if (i > 0 && wheres[i] - wheres[i - 1] < TD_CURVE_GAP_MIN) {
            char here[TDI_REAL_TEXT], before[TDI_REAL_TEXT];
            tdi_real_write(wheres[i], here);
            tdi_real_write(wheres[i - 1], before);
            TDI_FAULT(f, &pair->items[0],
                      "the %s of '%s' are out of order: %s%s comes after %s%s; expected %ss that "
                      "rise",
                      on->all, field->key, here, on->unit, before, on->unit, on->name);
            ok = false;
        }
    }
    return ok && !tdi_fill_ended(f);
}

// Both columns of a list of at least `least` pairs; NULL after a fault.
static td_real *read_columns(tdi_filler *f, const axis *on, const tdi_scene_field *field,
                             const td_value *list, int32_t least) {
    if (list->kind != TD_VALUE_LIST || list->count < least) {
        TDI_FAULT(f, list, "the %s of '%s' must be a list of at least %d [%s, value]", on->all,
                  field->key, (int)least, on->name);
        return NULL;
    }
    const size_t columns = (size_t)(1 + tdi_component_count(field->kind));
    td_real *room = tdi_arena_zeroed(&f->out->arena, (size_t)list->count * columns, sizeof *room);
    if (!room) {
        tdi_fill_memory(f);
        return NULL;
    }
    return read_pairs(f, on, field, list, room, room + list->count) ? room : NULL;
}

// ---- keys -----------------------------------------------------------------------------------

typedef struct keys {
    const td_value *list;
    int32_t interpolation;
    bool repeat;
} keys;

static const tdi_scene_field keys_fields[] = {
    {"keys", TDI_SCENE_VALUE, offsetof(keys, list), .required = true,
     .doc = "List of [time, value]."},
    {"interpolate", TDI_SCENE_CHOICE, offsetof(keys, interpolation), .choices = interpolations,
     .doc = "How the value goes from one key to the next."},
    {"repeat", TDI_SCENE_BOOL, offsetof(keys, repeat),
     .doc = "Starts again at the first key after the last."},
    {0}};
static const tdi_scene_table keys_table = {"keys", sizeof(keys), keys_fields,
                                           .doc = "A value that changes over time."};

bool tdi_is_track(const tdi_scene_field *field, const td_value *value) {
    return field->keyed && value->kind == TD_VALUE_MAP &&
           (field->kind != TDI_SCENE_ROTATION || td_value_get(value, "keys"));
}

// axis times angle of every key; NULL when a key has none
static const td_vec3 *read_turns(tdi_filler *f, const tdi_scene_field *field,
                                 const td_value *list) {
    td_vec3 *turns = NULL;
    td_quat q;
    for (int32_t i = 0; i < list->count; i++) {
        if (field->kind != TDI_SCENE_ROTATION || list->items[i].items[1].kind != TD_VALUE_MAP) {
            return NULL;
        }
    }
    turns = tdi_arena_zeroed(&f->out->arena, (size_t)list->count, sizeof *turns);
    if (!turns) {
        tdi_fill_memory(f);
    }
    for (int32_t i = 0; turns && i < list->count; i++) {
        tdi_fill_turn(f, field, &list->items[i].items[1], &q, &turns[i]);
    }
    return turns;
}

static void add_track(tdi_filler *f, const tdi_track *track) {
    tdi_fields *out = f->out;
    if (out->track_count == out->track_capacity) {
        tdi_track *grown = tdi_arena_grow(&out->arena, out->tracks, out->track_count,
                                          &out->track_capacity, sizeof *grown);
        if (!grown) {
            tdi_fill_memory(f);
            return;
        }
        out->tracks = grown;
    }
    out->tracks[out->track_count++] = *track;
}

void tdi_fill_track(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                    void *place) {
    keys k = {NULL, TD_SMOOTH, false};
    tdi_fill_table(f, &keys_table, value, &k);
    if (!k.list) {
        return;
    }
    const int32_t components = tdi_component_count(field->kind), count = k.list->count;
    const td_real *times = read_columns(f, &times_axis, field, k.list, k.repeat ? 2 : 1);
    if (times) {
        memcpy(place, times + count, (size_t)components * sizeof *times);
        add_track(f, &(tdi_track){.place = place,
                                  .components = components,
                                  .key_count = count,
                                  .times = times,
                                  .values = times + count,
                                  .turns = read_turns(f, field, k.list),
                                  .interpolation = (td_interpolation)k.interpolation,
                                  .repeat = k.repeat,
                                  .field = field,
                                  .value = value});
    }
}

// ---- along a strand -------------------------------------------------------------------------

typedef struct along {
    const td_value *list;
    int32_t interpolation;
} along;

static const tdi_scene_field along_fields[] = {
    {"along", TDI_SCENE_VALUE, offsetof(along, list), .required = true,
     .doc = "List of [place, value]."},
    {"interpolate", TDI_SCENE_CHOICE, offsetof(along, interpolation), .choices = interpolations,
     .doc = "How the value goes from one point to the next."},
    {0}};
static const tdi_scene_table along_table = {"along", sizeof(along), along_fields,
                                            .doc = "A value that changes along a strand."};

bool tdi_is_along(const tdi_scene_field *field, const td_value *value) {
    return field->along > 0 && value->kind == TD_VALUE_MAP && !td_value_get(value, "keys");
}

void tdi_fill_along(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                    void *object) {
    along a = {NULL, TD_LINEAR};
    tdi_fill_table(f, &along_table, value, &a);
    const td_real *places = a.list ? read_columns(f, &along_axis, field, a.list, 1) : NULL;
    if (places) {
        const td_along made = {.places = places,
                               .values = places + a.list->count,
                               .count = a.list->count,
                               .interpolation = (td_interpolation)a.interpolation};
        memcpy((char *)object + field->offset, made.values, sizeof *made.values);
        memcpy((char *)object + field->along, &made, sizeof made);
    }
}
