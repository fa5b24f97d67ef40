// SPDX-License-Identifier: MIT
#pragma once

// The fields of materials and shapes: their names, ranges and units in one place, for the checks of
// the builder and for the keys in a model's header.

#include "tendril/skeleton.h"

#define TDI_MAX_PARTS 64 // of a blade that bends

typedef enum tdi_field_kind {
    TDI_FIELD_REAL,
    TDI_FIELD_DEGREES, // radians in the struct, degrees in a header
    TDI_FIELD_INT,
    TDI_FIELD_COLOR,
} tdi_field_kind;

typedef struct tdi_field {
    const char *name; // in the struct
    const char *key;  // in a header
    tdi_field_kind kind;
    size_t offset;
    td_real low, high; // in the struct's unit
    bool low_open;     // the value must be above `low`
} tdi_field;

extern const tdi_field tdi_material_fields[];
extern const int32_t tdi_material_field_count;
extern const tdi_field tdi_shape_fields[];
extern const int32_t tdi_shape_field_count;

// Writes a value in the struct's unit; a number of any kind fits.
void tdi_field_set(const tdi_field *field, void *object, td_real value);
bool tdi_field_allows(const tdi_field *field, td_real value);
// "above 0 and at most 1": for messages. `degrees`: angles in degrees.
void tdi_field_range(const tdi_field *field, bool degrees, char *text, size_t size);

// Every field, and what they say together. The message names the field.
td_status tdi_material_check(const td_material *material, td_diag *diag);
td_status tdi_shape_check(const td_shape *shape, td_diag *diag);
