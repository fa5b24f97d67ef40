// SPDX-License-Identifier: MIT
#pragma once

// Organs: each shape is modelled once, at size 1, and stamped for every segment that has it.

#include "skin/skin.h"

// How large an organ is in the picture.
typedef enum tdi_detail {
    TDI_DETAIL_LEAST, // as few triangles as can stand for the organ
    TDI_DETAIL_LOW,
    TDI_DETAIL_COARSE,
    TDI_DETAIL_MEDIUM,
    TDI_DETAIL_FINE,
    TDI_DETAIL_COUNT,
} tdi_detail;

// Which colour a vertex starts from.
typedef enum tdi_tint {
    TDI_TINT_ORGAN,  // of the segment
    TDI_TINT_CENTRE, // of the shape's centre
    TDI_TINT_STALK,  // of what bears the organ
} tdi_tint;

typedef struct tdi_organ_vertex {
    td_vec3 position, normal;
    td_vec3 tangent; // along which u grows
    td_real u, v;
    td_real along; // place along the midrib of a blade, from 0 to 1; below 0 on its stalk
    tdi_tint tint;
    int32_t gain;  // brightness, 256 is 1
    int32_t white; // 0..256: how much white is mixed in
} tdi_organ_vertex;

// A growing list of vertices and triangles.
typedef struct tdi_sheet {
    tdi_organ_vertex *vertices;
    uint32_t *indices;
    int64_t vertex_count, vertex_capacity;
    int64_t index_count, index_capacity;
} tdi_sheet;

// Scratch of one shape, used again for the next. Zero-initialise, set `alloc` and `max_vertices`.
typedef struct tdi_organ_model {
    const td_alloc *alloc;
    tdi_sheet lamina; // without thickness, seen from both sides
    tdi_sheet solid;  // closed surfaces
    int64_t max_vertices;
    td_status status; // the first failure sticks
} tdi_organ_model;

// Models a shape of the skeleton.
td_status tdi_organ_build(tdi_organ_model *model, const td_skeleton *skeleton,
                          const td_shape *shape, tdi_detail detail);
void tdi_organ_free(tdi_organ_model *model);

// ---- for the files that model ----------------------------------------------------------------

uint32_t tdi_organ_vertex_add(tdi_organ_model *model, tdi_sheet *sheet, tdi_organ_vertex vertex);
void tdi_organ_triangle_add(tdi_organ_model *model, tdi_sheet *sheet, uint32_t a, uint32_t b,
                            uint32_t c);

// Laminae and petals; blade.c.
void tdi_organ_add_blade(tdi_organ_model *model, const td_shape *shape, tdi_detail detail);
void tdi_organ_add_petals(tdi_organ_model *model, const td_shape *shape, tdi_detail detail);
// Stalks, balls and discs; solid.c.
void tdi_organ_add_petiole(tdi_organ_model *model, const td_shape *shape, tdi_detail detail);
void tdi_organ_add_pedicel(tdi_organ_model *model, const td_shape *shape, tdi_detail detail);
void tdi_organ_add_ball(tdi_organ_model *model, td_vec3 centre, td_real width, td_real height,
                        tdi_tint tint, tdi_detail detail);
void tdi_organ_add_disc(tdi_organ_model *model, tdi_detail detail);
void tdi_organ_add_box(tdi_organ_model *model, const td_shape *shape);
// Bezier patches; patch.c.
void tdi_organ_add_patches(tdi_organ_model *model, const td_skeleton *skeleton,
                           const td_shape *shape, tdi_detail detail);
// One polygon with at most TDI_MAX_CORNERS corners; polygon.c.
void tdi_organ_add_polygon(tdi_organ_model *model, const td_vec3 *points, int32_t count);
