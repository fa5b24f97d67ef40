// SPDX-License-Identifier: MIT
#pragma once

// From strings to skeletons: the two readings, and the pieces a turtle leaves behind.

#include "plant/plant_header.h"
#include "plant/store.h"

// ---- articulated strings --------------------------------------------------------------------

// Whether the string holds B or J with the parameters of an articulated body.
bool tdi_string_is_articulated(const td_grammar *grammar, const td_string *string);

// Adds the bodies of the string to an empty builder.
td_status tdi_articulated_read(const td_grammar *grammar, const td_string *string,
                               td_builder *builder, td_diag *diag);

// ---- pieces ---------------------------------------------------------------------------------

// A body as the turtle leaves it, in m and world axes. A stem has no surface and no polygons; an
// organ has one of them.
typedef struct tdi_piece {
    int64_t module;
    int32_t parent; // mark of the stem it stands on, or TD_NONE
    td_vec3 origin;
    td_quat rotation;
    td_real drawn;  // turtle units: length of a stem, 0 for organs
    td_real length; // of a stem, or size of an organ
    td_real radius_base, radius_tip;
    td_organ organ;
    int32_t material;      // place in the header's materials
    int32_t surface;       // place in the header's surfaces, or TD_NONE
    td_vec3 stretch;       // of a surface of patches
    int32_t contour;       // of a stem: place in the header's contours, or TD_NONE
    int32_t part;          // of a surface that bends, from 0; each stands on the one before
    int64_t color;         // 0xRRGGBB, or TD_NONE: that of the material or shape
    td_vec3 tip;           // far end in the piece's axes
    const td_vec3 *points; // corners of all polygons, in the piece's axes; or of a patch, at size 1
    const int32_t *counts; // corners of each
    int32_t polygon_count;
    bool patch; // the points are those of one Bezier patch
} tdi_piece;

// Takes pieces, parents first. For a stem, *mark names it for the pieces that stand on it.
typedef struct tdi_piece_sink {
    void *context;
    td_status (*take)(void *context, const tdi_piece *piece, int32_t *mark, td_diag *diag);
} tdi_piece_sink;

// Walks the string and hands over its pieces. Memory does not grow with the string.
td_status tdi_pieces_walk(const td_grammar *grammar, const td_string *string,
                          const tdi_plant_header *header, const tdi_piece_sink *sink,
                          const td_alloc *alloc, td_diag *diag);

// The shape of polygon organs, or of patches: held by its first twentieth, coloured as its
// material.
td_shape tdi_outline_shape(td_shape_kind kind, const td_material *material);

// Adds the pieces of the string to an empty builder, pipe model applied.
td_status tdi_pieces_read(const td_grammar *grammar, const td_string *string,
                          const tdi_plant_header *header, td_builder *builder, td_diag *diag);
