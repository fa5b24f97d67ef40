// SPDX-License-Identifier: MIT
// Growing the parts of a mesh.

#include "skin/skin.h"

#include <string.h>

// ---- room -----------------------------------------------------------------------------------

static bool grow(const td_alloc *alloc, void **items, int64_t *capacity, int64_t need,
                 size_t item_size) {
    void *moved = tdi_array_reserve(alloc, *items, capacity, need, item_size);
    if (moved) {
        *items = moved;
    }
    return moved != NULL;
}

td_status tdi_skin_reserve(tdi_skin *skin, tdi_part_kind kind, int64_t vertices, int64_t indices) {
    tdi_skin_part *part = &skin->parts[kind];
    if (vertices > skin->max_vertices - skin->vertex_count ||
        vertices > INT32_MAX - part->vertex_count || indices > INT32_MAX - part->index_count) {
        return TD_ERR_LIMIT;
    }
    int64_t vertex_need = part->vertex_count + vertices;
    int64_t index_need = part->index_count + indices;
    void *position = part->position, *normal = part->normal, *color = part->color;
    void *joint = part->joint, *weight = part->weight, *index = part->index;
    bool good = grow(skin->alloc, &position, &part->position_capacity, vertex_need, 12) &&
                grow(skin->alloc, &normal, &part->normal_capacity, vertex_need, 12) &&
                grow(skin->alloc, &color, &part->color_capacity, vertex_need, 4) &&
                grow(skin->alloc, &index, &part->index_capacity, index_need, 4);
    if (good && skin->bound) {
        good = grow(skin->alloc, &joint, &part->joint_capacity, vertex_need, 16) &&
               grow(skin->alloc, &weight, &part->weight_capacity, vertex_need, 4);
    }
    part->position = position;
    part->normal = normal;
    part->color = color;
    part->joint = joint;
    part->weight = weight;
    part->index = index;
    return good ? TD_OK : TD_ERR_MEMORY;
}

void tdi_skin_free(tdi_skin *skin) {
    for (int i = 0; i < TDI_PART_COUNT; i++) {
        tdi_skin_part *part = &skin->parts[i];
        tdi_alloc_free(skin->alloc, part->position, 12 * (size_t)part->position_capacity);
        tdi_alloc_free(skin->alloc, part->normal, 12 * (size_t)part->normal_capacity);
        tdi_alloc_free(skin->alloc, part->color, 4 * (size_t)part->color_capacity);
        tdi_alloc_free(skin->alloc, part->joint, 16 * (size_t)part->joint_capacity);
        tdi_alloc_free(skin->alloc, part->weight, 4 * (size_t)part->weight_capacity);
        tdi_alloc_free(skin->alloc, part->index, 4 * (size_t)part->index_capacity);
        *part = (tdi_skin_part){0};
    }
}

// ---- vertices and triangles -----------------------------------------------------------------

static void put_vec3(float *to, td_vec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

uint32_t tdi_skin_vertex(tdi_skin *skin, tdi_part_kind kind, td_vec3 position, td_vec3 normal,
                         tdi_rgb color, const tdi_bind *bind) {
    tdi_skin_part *part = &skin->parts[kind];
    int64_t at = part->vertex_count++;
    skin->vertex_count++;
    put_vec3(part->position + 3 * at, position);
    put_vec3(part->normal + 3 * at, normal);
    uint8_t *c = part->color + 4 * at;
    c[0] = color.r;
    c[1] = color.g;
    c[2] = color.b;
    c[3] = 255;
    if (skin->bound) {
        memcpy(part->joint + 4 * at, bind->joint, sizeof bind->joint);
        memcpy(part->weight + 4 * at, bind->weight, sizeof bind->weight);
    }
    return (uint32_t)at;
}

void tdi_skin_triangle(tdi_skin *skin, tdi_part_kind kind, uint32_t a, uint32_t b, uint32_t c) {
    tdi_skin_part *part = &skin->parts[kind];
    uint32_t *at = part->index + part->index_count;
    at[0] = a;
    at[1] = b;
    at[2] = c;
    part->index_count += 3;
}

// ---- binding --------------------------------------------------------------------------------

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
