// SPDX-License-Identifier: MIT
#pragma once

// What a model's header says of materials, surfaces and colours, resolved against the library.

#include "base/alloc.h"
#include "grammar/turtle.h"
#include "plant/mass.h"
#include "tendril/skeleton.h"

// What `~X` draws, and the ball and disc of @O and @o.
typedef struct tdi_surface {
    td_shape shape;
    tdi_shape_moments *moments; // one for each of the shape's segments
    td_organ organ;
    int32_t material;           // index into the header's materials
    bool has_color;             // `color=` was given
    const tdi_patches *patches; // of a surface of patches, else NULL
} tdi_surface;

typedef struct tdi_plant_header {
    tdi_arena arena;
    const tdi_body_header *body;
    td_material *materials; // green-wood, then those of the text in order, then others in use
    int32_t material_count;
    int32_t leaf, fruit;   // materials of what is drawn in wood but is no stem
    tdi_surface *surfaces; // those of the text in order, then the ball and the disc
    int32_t ball, disc;    // places in `surfaces`; their material is the turtle's
} tdi_plant_header;

// Fills *out. Free it with tdi_plant_header_free() also after a failure.
td_status tdi_plant_header_read(const td_grammar *grammar, const td_alloc *alloc,
                                tdi_plant_header *out, td_diag *diag);
void tdi_plant_header_free(tdi_plant_header *header);

// Place in `materials` of a turtle's material, TD_NONE included.
int32_t tdi_turtle_material(int32_t material);

// Colour of a palette index, or TD_NONE where the text gives none.
int64_t tdi_palette_color(const tdi_plant_header *header, int32_t index);
