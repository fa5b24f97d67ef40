// SPDX-License-Identifier: MIT
#pragma once

// The keys of a skeleton in JSON, for its writer and its reader; docs/guide/formats.md describes
// them.

#include "tendril/skeleton.h"

typedef enum tdi_key_kind {
    TDI_KEY_INT,   // int32_t
    TDI_KEY_REALS, // `count` of them; a list unless there is one
    TDI_KEY_NAME,  // an enumerator, by its name
    TDI_KEY_COLOR, // "#rrggbb"
    TDI_KEY_BOOL,
    TDI_KEY_TEXT, // char[count]
} tdi_key_kind;

// Which keys may be left out, where they have the value of the default.
typedef enum tdi_key_need {
    TDI_KEY_REQUIRED,
    TDI_KEY_USUAL, // written, but of shapes that are drawn by points; reading does without
    TDI_KEY_RARE,  // neither
} tdi_key_need;

typedef struct tdi_key {
    const char *name;
    size_t offset;
    tdi_key_kind kind;
    int32_t count;
    const char *const *names; // of the enumerators
    tdi_key_need need;
} tdi_key;

typedef struct tdi_key_table {
    const tdi_key *keys;
    int32_t count; // at most 64
} tdi_key_table;

// A material, with what its resolved modulus of shear hides.
typedef struct tdi_json_material {
    td_material material;
    bool shear_from_poisson; // `shear` was 0
} tdi_json_material;

tdi_key_table tdi_segment_keys(void);
tdi_key_table tdi_material_keys(void);
tdi_key_table tdi_shape_keys(void); // but for its polygons and patches
tdi_key_table tdi_strand_keys(void);
tdi_key_table tdi_body_keys(void);
tdi_key_table tdi_contour_keys(void);
