// SPDX-License-Identifier: MIT
#pragma once

// The outline of organs as seen along the axes: surfaces at one place shelter each other, so that
// the air meets their common outline and not the sum of their areas.

#include "tendril/skeleton.h"

// Three pictures of a cube of cells, along X, Y and Z. A bit is a cell that is covered.
#define TDI_OUTLINE_CELLS 64

typedef struct tdi_outline {
    td_vec3 middle;
    td_real cell; // m
    uint64_t row[3][TDI_OUTLINE_CELLS];
} tdi_outline;

// An organ in its pose: its shape, with the polygons and points that the shape counts from, its
// size, and its pose.
typedef struct tdi_drawn_organ {
    const td_shape *shape;
    const td_polygon *polygons;
    const td_vec3 *points;
    td_real size;
    td_vec3 origin;
    td_quat turn;
} tdi_drawn_organ;

// An empty picture that holds all these organs.
tdi_outline tdi_outline_around(const tdi_drawn_organ *organs, int32_t count);
void tdi_outline_add(tdi_outline *outline, const tdi_drawn_organ *organ);
// What another picture of the same place covers is covered here too.
void tdi_outline_join(tdi_outline *outline, const tdi_outline *other);
// Areas covered in the three pictures.
td_vec3 tdi_outline_areas(const tdi_outline *outline);

// Surfaces of a shape: petals, polygons, patches.
int32_t tdi_surface_count(const td_shape *shape);
