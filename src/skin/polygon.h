// SPDX-License-Identifier: MIT
#pragma once

// Cutting polygons into triangles.

#include "skin/skin.h"

#define TDI_MAX_CORNERS 4096 // cutting takes time with the square of the corners

// Cuts a polygon of 3 to TDI_MAX_CORNERS corners into *triangle_count triangles, count - 2 at most:
// corner numbers in `corners`, three a triangle, which has room for 3 (count - 2). An outline that
// crosses itself is cut as well as it goes. Fails for want of memory only.
td_status tdi_polygon_cut(const td_vec3 *points, int32_t count, const td_alloc *alloc,
                          int32_t *corners, int32_t *triangle_count);
