// SPDX-License-Identifier: MIT
#pragma once

// Polygons that the turtle draws one after the other on the same stem, and which of them hang
// together: a leaf is often drawn as several polygons that share edges.

#include "base/alloc.h"
#include "tendril/skeleton.h"

typedef struct tdi_run_polygon {
    td_vec3 origin;   // of the turtle at the opening brace, m
    td_quat rotation; // likewise
    int64_t module;
    int64_t color;
    int32_t material;
    int32_t first, count; // corners
    td_real size;         // greatest distance of a corner from the first one
    int32_t organ;        // smallest polygon that hangs together with this one; itself if alone
    int32_t next;         // next polygon of the same organ, or TD_NONE
} tdi_run_polygon;

// Zero-initialise, set `alloc`, free with tdi_run_free().
typedef struct tdi_polygon_run {
    const td_alloc *alloc;
    int32_t parent; // mark of the stem of all its polygons
    tdi_run_polygon *polygons;
    int64_t polygon_capacity;
    int32_t polygon_count;
    td_vec3 *points; // world axes, m
    int64_t point_capacity;
    int32_t point_count;
    uint64_t *keys; // scratch
    int64_t key_capacity;
} tdi_polygon_run;

// A run is cut at these sizes, so that memory does not grow with the string.
#define TDI_RUN_POLYGONS 4096
#define TDI_RUN_POINTS   65536

void tdi_run_free(tdi_polygon_run *run);
void tdi_run_clear(tdi_polygon_run *run);

// Whether `count` more corners fit. An empty run takes a polygon of any size.
bool tdi_run_has_room(const tdi_polygon_run *run, int32_t count);

// Adds a polygon; `first`, `count`, `size`, `organ` and `next` are written here.
td_status tdi_run_add(tdi_polygon_run *run, const tdi_run_polygon *polygon, const td_vec3 *points,
                      int32_t count);

// Writes `organ` and `next` of every polygon.
td_status tdi_run_group(tdi_polygon_run *run);

// Where the organ of the polygon `head` is held: at the corner that all its polygons share, as in a
// fan, the nearest to the opening brace if there are several; else at the opening brace of `head`.
td_vec3 tdi_run_joint(const tdi_polygon_run *run, int32_t head);
