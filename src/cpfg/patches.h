// SPDX-License-Identifier: MIT
#pragma once

// Surfaces of bicubic Bezier patches, and their files: .s.

#include "base/alloc.h"
#include "cpfg/scan.h"

#define TDI_PATCH_POINTS 16
#define TDI_MAX_PATCHES  1000 // of a surface

// In the turtle's axes, x to its right, y ahead, z up, with the contact point at the origin.
typedef struct tdi_patches {
    int32_t count;
    td_vec3 *points; // 16 a patch, in rows of four, at size 1: the farthest lies at distance 1
    td_real reach;   // turtle units: distance of the farthest when the surface is drawn unscaled
    td_vec3 far;     // the farthest, at size 1
    td_vec3 end;     // turtle units: where the turtle goes from there
} tdi_patches;

// Appends a patch whose points are in turtle units. False without memory.
bool tdi_patches_add(tdi_patches *patches, const td_vec3 points[TDI_PATCH_POINTS],
                     int64_t *capacity, tdi_arena *arena);
// Brings the points to size 1. False when all lie on the contact point.
bool tdi_patches_finish(tdi_patches *patches);

// Reads a .s file; `size` turtle units take the place of what the file calls its size. False after
// a fault, and without memory, which leaves no fault.
bool tdi_patches_read(tdi_scan *scan, td_real size, tdi_arena *arena, tdi_patches *out);
