// SPDX-License-Identifier: MIT
// Growing the parts of a mesh.

#include "skin/skin.h"

#include "math/vec3.h"

#include <string.h>

// ---- room -----------------------------------------------------------------------------------

static const size_t stream_sizes[TDI_STREAM_COUNT] = {
    [TDI_STREAM_POSITION] = 12, [TDI_STREAM_NORMAL] = 12,  [TDI_STREAM_COLOR] = 4,
    [TDI_STREAM_TEXCOORD] = 8,  [TDI_STREAM_TANGENT] = 16, [TDI_STREAM_JOINT] = 16,
    [TDI_STREAM_WEIGHT] = 4,    [TDI_STREAM_INDEX] = 4,
};

static bool has_stream(const tdi_skin *skin, int stream) {
    return stream == TDI_STREAM_TANGENT                                ? skin->tangents
           : stream == TDI_STREAM_JOINT || stream == TDI_STREAM_WEIGHT ? skin->bound
                                                                       : true;
}

td_status tdi_skin_reserve(tdi_skin *skin, tdi_part_kind kind, int64_t vertices, int64_t indices) {
    tdi_skin_part *part = &skin->parts[kind];
    if (vertices > skin->max_vertices - skin->vertex_count ||
        vertices > INT32_MAX - part->vertex_count || indices > INT32_MAX - part->index_count) {
        return TD_ERR_LIMIT;
    }
    for (int i = 0; i < TDI_STREAM_COUNT; i++) {
        int64_t need =
            i == TDI_STREAM_INDEX ? part->index_count + indices : part->vertex_count + vertices;
        if (!has_stream(skin, i)) {
            continue;
        }
        void *moved = tdi_array_reserve(skin->alloc, part->streams[i], &part->capacities[i], need,
                                        stream_sizes[i]);
        if (!moved) {
            return TD_ERR_MEMORY;
        }
        part->streams[i] = moved;
    }
    return TD_OK;
}

void tdi_skin_clear(tdi_skin *skin) {
    for (int p = 0; p < TDI_PART_COUNT; p++) {
        skin->parts[p].vertex_count = skin->parts[p].index_count = 0;
    }
    skin->vertex_count = 0;
}

void tdi_skin_free(tdi_skin *skin) {
    for (int p = 0; p < TDI_PART_COUNT; p++) {
        tdi_skin_part *part = &skin->parts[p];
        for (int i = 0; i < TDI_STREAM_COUNT; i++) {
            tdi_alloc_free(skin->alloc, part->streams[i],
                           stream_sizes[i] * (size_t)part->capacities[i]);
        }
        *part = (tdi_skin_part){.vertex_count = 0};
    }
    skin->vertex_count = 0;
}

// ---- vertices and triangles -----------------------------------------------------------------

static void put_vec3(float *to, td_vec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

// across the normal; both run counter-clockwise, so that the fourth number is always 1
static void put_tangent(float *to, const tdi_vertex *vertex) {
    td_vec3 across =
        tdi_madd(vertex->tangent, vertex->normal, -tdi_dot(vertex->tangent, vertex->normal));
    put_vec3(to, tdi_unit_or(across, tdi_across(vertex->normal)));
    to[3] = 1;
}

uint32_t tdi_skin_vertex(tdi_skin *skin, tdi_part_kind kind, const tdi_vertex *vertex) {
    tdi_skin_part *part = &skin->parts[kind];
    int64_t at = part->vertex_count++;
    skin->vertex_count++;
    float *position = (float *)part->streams[TDI_STREAM_POSITION] + 3 * at;
    float *normal = (float *)part->streams[TDI_STREAM_NORMAL] + 3 * at;
    float *place = (float *)part->streams[TDI_STREAM_TEXCOORD] + 2 * at;
    uint8_t *color = (uint8_t *)part->streams[TDI_STREAM_COLOR] + 4 * at;
    put_vec3(position, vertex->position);
    put_vec3(normal, vertex->normal);
    place[0] = (float)vertex->u;
    place[1] = (float)vertex->v;
    color[0] = vertex->color.r;
    color[1] = vertex->color.g;
    color[2] = vertex->color.b;
    color[3] = 255;
    if (skin->tangents) {
        put_tangent((float *)part->streams[TDI_STREAM_TANGENT] + 4 * at, vertex);
    }
    if (skin->bound) {
        const tdi_bind *bind = &vertex->bind;
        memcpy((uint32_t *)part->streams[TDI_STREAM_JOINT] + 4 * at, bind->joint,
               sizeof bind->joint);
        memcpy((uint8_t *)part->streams[TDI_STREAM_WEIGHT] + 4 * at, bind->weight,
               sizeof bind->weight);
    }
    return (uint32_t)at;
}

void tdi_skin_triangle(tdi_skin *skin, tdi_part_kind kind, uint32_t a, uint32_t b, uint32_t c) {
    tdi_skin_part *part = &skin->parts[kind];
    uint32_t *at = (uint32_t *)part->streams[TDI_STREAM_INDEX] + part->index_count;
    at[0] = a;
    at[1] = b;
    at[2] = c;
    part->index_count += 3;
}

// ---- binding --------------------------------------------------------------------------------

td_real tdi_bind_share(td_real u) {
    return u * u * (3 - 2 * u);
}

tdi_bind tdi_bind_to(int32_t segment) {
    tdi_bind bind = {{(uint32_t)segment, 0, 0, 0}, {255, 0, 0, 0}};
    return bind;
}

tdi_bind tdi_bind_between(int32_t a, int32_t b, td_real share) {
    int second = (int)(255 * share + 0.5);
    if (second <= 0 || a == b) {
        return tdi_bind_to(a);
    }
    if (second >= 255) {
        return tdi_bind_to(b);
    }
    tdi_bind bind = {{(uint32_t)a, (uint32_t)b, 0, 0}, {(uint8_t)(255 - second), (uint8_t)second}};
    return bind;
}

// ---- colours --------------------------------------------------------------------------------

// round(255 f(c/255)) with the sRGB curve f; no entry is near a half, so any correct rounding
// gives the same table
static const uint8_t linear_of[256] = {
    0,   0,   0,   0,   0,   0,   0,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   2,
    2,   2,   2,   2,   2,   2,   2,   3,   3,   3,   3,   3,   3,   4,   4,   4,   4,   4,   5,
    5,   5,   5,   6,   6,   6,   6,   7,   7,   7,   8,   8,   8,   8,   9,   9,   9,   10,  10,
    10,  11,  11,  12,  12,  12,  13,  13,  13,  14,  14,  15,  15,  16,  16,  17,  17,  17,  18,
    18,  19,  19,  20,  20,  21,  22,  22,  23,  23,  24,  24,  25,  25,  26,  27,  27,  28,  29,
    29,  30,  30,  31,  32,  32,  33,  34,  35,  35,  36,  37,  37,  38,  39,  40,  41,  41,  42,
    43,  44,  45,  45,  46,  47,  48,  49,  50,  51,  51,  52,  53,  54,  55,  56,  57,  58,  59,
    60,  61,  62,  63,  64,  65,  66,  67,  68,  69,  70,  71,  72,  73,  74,  76,  77,  78,  79,
    80,  81,  82,  84,  85,  86,  87,  88,  90,  91,  92,  93,  95,  96,  97,  99,  100, 101, 103,
    104, 105, 107, 108, 109, 111, 112, 114, 115, 116, 118, 119, 121, 122, 124, 125, 127, 128, 130,
    131, 133, 134, 136, 138, 139, 141, 142, 144, 146, 147, 149, 151, 152, 154, 156, 157, 159, 161,
    163, 164, 166, 168, 170, 171, 173, 175, 177, 179, 181, 183, 184, 186, 188, 190, 192, 194, 196,
    198, 200, 202, 204, 206, 208, 210, 212, 214, 216, 218, 220, 222, 224, 226, 229, 231, 233, 235,
    237, 239, 242, 244, 246, 248, 250, 253, 255,
};

tdi_rgb tdi_rgb_linear(uint32_t color) {
    tdi_rgb rgb = {linear_of[color >> 16 & 255], linear_of[color >> 8 & 255],
                   linear_of[color & 255]};
    return rgb;
}

static uint8_t mix(uint8_t a, uint8_t b, int32_t part) {
    return (uint8_t)((a * (256 - part) + b * part + 128) / 256);
}

tdi_rgb tdi_rgb_mix(tdi_rgb a, tdi_rgb b, int32_t part) {
    tdi_rgb rgb = {mix(a.r, b.r, part), mix(a.g, b.g, part), mix(a.b, b.b, part)};
    return rgb;
}
