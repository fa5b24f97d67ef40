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

// The arrays of a part, by what they hold: for each vertex, and at last the indices.
typedef enum tdi_stream {
    TDI_STREAM_POSITION, // 3 float
    TDI_STREAM_NORMAL,   // 3 float
    TDI_STREAM_COLOR,    // 4 uint8_t
    TDI_STREAM_TEXCOORD, // 2 float
    TDI_STREAM_TANGENT,  // 4 float; NULL unless the skin has tangents
    TDI_STREAM_JOINT,    // 4 uint32_t; NULL unless the skin is bound, as the next
    TDI_STREAM_WEIGHT,   // 4 uint8_t
    TDI_STREAM_INDEX,    // uint32_t
    TDI_STREAM_COUNT,
} tdi_stream;

// Each array has its own capacity, because each grows by its own reallocation.
typedef struct tdi_skin_part {
    void *streams[TDI_STREAM_COUNT];
    int64_t capacities[TDI_STREAM_COUNT]; // vertices, or indices
    int64_t vertex_count, index_count;
} tdi_skin_part;

typedef struct tdi_skin {
    const td_alloc *alloc;
    tdi_skin_part parts[TDI_PART_COUNT];
    int64_t vertex_count, max_vertices; // of all parts
    bool bound;                         // vertices keep the segments they move with
    bool tangents;
    td_real tolerance; // m: what is smaller than this need not be seen; 0: all is as fine as can be
} tdi_skin;

typedef struct tdi_rgb {
    uint8_t r, g, b; // linear
} tdi_rgb;

// The segments that a vertex moves with. Weights add up to 255; a segment without weight is 0.
typedef struct tdi_bind {
    uint32_t joint[4];
    uint8_t weight[4];
} tdi_bind;

// Share of the second of two segments at u of the way from the first to the second, both in 0..1.
// It starts and ends level: a surface that is bent then stays smooth where it leaves the joint.
td_real tdi_bind_share(td_real u);
tdi_bind tdi_bind_to(int32_t segment);
// (1 - share) of a and share of b, in steps of 1/255.
tdi_bind tdi_bind_between(int32_t a, int32_t b, td_real share);

typedef struct tdi_vertex {
    td_vec3 position;
    td_vec3 normal;  // unit
    td_vec3 tangent; // along which u grows; made a unit vector across the normal
    td_real u, v;    // of a texture that stands upright when seen from outside
    tdi_rgb color;
    tdi_bind bind;
} tdi_vertex;

// Makes room for so many more vertices and indices. TD_ERR_LIMIT before any memory is taken when
// they would be too many. The calls below rely on that room.
td_status tdi_skin_reserve(tdi_skin *skin, tdi_part_kind part, int64_t vertices, int64_t indices);
// Returns the index of the new vertex in its part.
uint32_t tdi_skin_vertex(tdi_skin *skin, tdi_part_kind part, const tdi_vertex *vertex);
void tdi_skin_triangle(tdi_skin *skin, tdi_part_kind part, uint32_t a, uint32_t b, uint32_t c);
void tdi_skin_clear(tdi_skin *skin); // keeps its memory
void tdi_skin_free(tdi_skin *skin);  // and clears it

// 0xRRGGBB in sRGB to linear, by table: the same bytes everywhere.
tdi_rgb tdi_rgb_linear(uint32_t color);
// (1 - part/256) a + (part/256) b, rounded; part in 0..256.
tdi_rgb tdi_rgb_mix(tdi_rgb a, tdi_rgb b, int32_t part);
