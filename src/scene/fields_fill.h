// SPDX-License-Identifier: MIT
#pragma once

// What the files that fill structs from values share: fields.c reads maps, lists and single values,
// fields_keys.c what changes over time or along a strand.

#include "base/value.h"
#include "scene/fields.h"

typedef struct tdi_filler {
    tdi_fields *out;
    td_diag_list *diags;
    int32_t fault_count;
    td_status status; // TD_OK, TD_ERR_SYNTAX, or TD_ERR_MEMORY, which ends the walk
} tdi_filler;

// ---- faults ---------------------------------------------------------------------------------

bool tdi_fill_ended(const tdi_filler *f); // after many faults, or without memory
void tdi_fill_memory(tdi_filler *f);      // there is none
void tdi_fill_fault(tdi_filler *f, const td_diag *diag);

#define TDI_FAULT_AT(f, value, line, column, ...)                                \
    do {                                                                         \
        td_diag diag_;                                                           \
        tdi_value_fail(value, line, column, &diag_, TD_ERR_SYNTAX, __VA_ARGS__); \
        tdi_fill_fault(f, &diag_);                                               \
    } while (0)
#define TDI_FAULT(f, value, ...) TDI_FAULT_AT(f, value, (value)->line, (value)->column, __VA_ARGS__)

// "the text 'abc'": what stands where something else was expected
#define TDI_FOUND_TEXT (TDI_SHOWN_TEXT + 16)
const char *tdi_fill_found(const td_value *value, char text[TDI_FOUND_TEXT]);

// ---- values ---------------------------------------------------------------------------------

// One number within the range of the field, in the unit that is written.
bool tdi_fill_number(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                     td_real *number);
int32_t tdi_component_count(tdi_scene_kind kind);
// The components of a REAL, VEC3 or ROTATION in the struct's unit.
bool tdi_fill_components(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                         td_real numbers[4]);
// {axis: [x, y, z], degrees: d} as a quaternion and as axis times angle.
bool tdi_fill_turn(tdi_filler *f, const tdi_scene_field *field, const td_value *value, td_quat *q,
                   td_vec3 *turned);
void tdi_fill_table(tdi_filler *f, const tdi_scene_table *table, const td_value *value,
                    void *object);

// ---- what changes, in fields_keys.c ---------------------------------------------------------

// {keys: [[time, value], ...]}, of a row that may have it; its first value goes to `place`.
bool tdi_is_track(const tdi_scene_field *field, const td_value *value);
void tdi_fill_track(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                    void *place);
// {along: [[place, value], ...]}, of a row that may have it; its first value goes to the number.
bool tdi_is_along(const tdi_scene_field *field, const td_value *value);
void tdi_fill_along(tdi_filler *f, const tdi_scene_field *field, const td_value *value,
                    void *object);
