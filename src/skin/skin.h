// SPDX-License-Identifier: MIT
#pragma once

// The mesh while it is made: five parts that grow, a cap on their vertices, colours.

#include "tendril/mesh.h"

#include "base/alloc.h"

typedef enum tdi_part_kind {
    TDI_PART_STEM,
    TDI_PART_LEAF,
    TDI_PART_PETAL,
    TDI_PART_FLOWER,
    TDI_PART_FRUIT,
    TDI_PART_COUNT,
} tdi_part_kind;

// Arrays of one part. Each has its own capacity, because each grows by its own reallocation.
typedef struct tdi_skin_part {
    float *position, *normal;
    uint8_t *color;
    uint32_t *joint; // 4 a vertex, as weight; both NULL unless the skin is bound
    uint8_t *weight;
    uint32_t *index;
    int64_t vertex_count, index_count;
    int64_t position_capacity, normal_capacity, color_capacity, index_capacity;
    int64_t joint_capacity, weight_capacity;
} tdi_skin_part;

typedef struct tdi_skin {
    const td_alloc *alloc;
    tdi_skin_part parts[TDI_PART_COUNT];
    int64_t vertex_count, max_vertices; // of all parts
    bool bound;                         // vertices keep the segments they move with
} tdi_skin;

typedef struct tdi_rgb {
    uint8_t r, g, b; // linear
} tdi_rgb;

// The segments that a vertex moves with. Weights add up to 255; a segment without weight is 0.
typedef struct tdi_bind {
    uint32_t joint[4];
    uint8_t weight[4];
} tdi_bind;

tdi_bind tdi_bind_to(int32_t segment);
// (1 - share) of a and share of b, in steps of 1/255.
tdi_bind tdi_bind_between(int32_t a, int32_t b, td_real share);

// Makes room for so many more vertices and indices. TD_ERR_LIMIT before any memory is taken when
// they would be too many. The calls below rely on that room.
td_status tdi_skin_reserve(tdi_skin *skin, tdi_part_kind part, int64_t vertices, int64_t indices);
// Returns the index of the new vertex in its part.
uint32_t tdi_skin_vertex(tdi_skin *skin, tdi_part_kind part, td_vec3 position, td_vec3 normal,
                         tdi_rgb color, const tdi_bind *bind);
void tdi_skin_triangle(tdi_skin *skin, tdi_part_kind part, uint32_t a, uint32_t b, uint32_t c);
void tdi_skin_free(tdi_skin *skin);

// 0xRRGGBB in sRGB to linear, by table: the same bytes everywhere.
tdi_rgb tdi_rgb_linear(uint32_t color);
// (1 - part/256) a + (part/256) b, rounded; part in 0..256.
tdi_rgb tdi_rgb_mix(tdi_rgb a, tdi_rgb b, int32_t part);
