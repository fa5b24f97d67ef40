// SPDX-License-Identifier: MIT
// Triangles of colliders and arrows.
//
// Method   all but boxes are surfaces of revolution about +Y, made of rings from below upwards, so
//          that the outside is to the right of the outline.

#include "io/clip.h"

#include "base/guard.h"

#include "math/vec3.h"
#include "skin/organ.h"

#include <string.h>

#define SIDES       32
#define HALF_ROWS   8        // of half a sphere
#define DISC_SOLID  0.35     // of a plane's disc, as a part of its radius: from here on it fades
#define DISC_RINGS  8        // of the part that fades
#define COLLIDER    0xb3ada2 // 0xRRGGBB
#define PLANE       0xc4c0b8
#define ARROW       0xd4470f
#define GROUND_FINE 100   // columns and rows: with fewer a cell of a height field is nine squares
#define SHAFT       0.022 // of an arrow of length 1: radii of shaft and head, where the head begins
#define HEAD        0.065
#define NECK        0.78

typedef struct ring {
    td_real radius, y;
    td_real out, up; // normal; need not be a unit
    td_real shown;   // 0..1: how opaque
} ring;

static void revolve(tdi_organ_model *model, const ring *rings, int32_t count) {
    const uint32_t first = (uint32_t)model->solid.vertex_count;
    for (int32_t i = 0; i < count; i++) {
        const uint32_t here = first + SIDES * (uint32_t)i, below = here - SIDES;
        for (uint32_t k = 0; k < SIDES; k++) {
            td_real angle = 2 * TDI_PI * k / SIDES, x = sin(angle), z = cos(angle);
            td_vec3 normal = tdi_vec3(rings[i].out * x, rings[i].up, rings[i].out * z);
            tdi_organ_vertex vertex = {
                .position = tdi_vec3(rings[i].radius * x, rings[i].y, rings[i].radius * z),
                .normal = tdi_unit_or(normal, tdi_vec3(0, 1, 0)),
                .gain = (int32_t)(255 * rings[i].shown + 0.5)};
            tdi_organ_vertex_add(model, &model->solid, vertex);
        }
        for (uint32_t k = 0; k < SIDES && i > 0; k++) {
            uint32_t n = (k + 1) % SIDES;
            if (rings[i - 1].radius > 0) {
                tdi_organ_triangle_add(model, &model->solid, below + k, below + n, here + n);
            }
            if (rings[i].radius > 0) {
                tdi_organ_triangle_add(model, &model->solid, below + k, here + n, here + k);
            }
        }
    }
}

// a sphere is a capsule without length
static void add_capsule(tdi_organ_model *model, td_real radius, td_real half) {
    ring rings[2 * HALF_ROWS + 2];
    for (int i = 0; i < 2 * HALF_ROWS + 2; i++) {
        bool upper = i > HALF_ROWS;
        td_real angle = TDI_PI * (i - (upper ? 1 : 0)) / (2 * HALF_ROWS); // from the lower pole
        bool pole = i == 0 || i == 2 * HALF_ROWS + 1;
        td_real out = pole ? 0 : sin(angle), up = -cos(angle);
        rings[i] = (ring){radius * out, radius * up + (upper ? half : -half), out, up, 1};
    }
    revolve(model, rings, 2 * HALF_ROWS + 2);
}

// from the rim, where it cannot be seen, to the centre
static void add_disc(tdi_organ_model *model, td_real radius) {
    ring rings[DISC_RINGS + 2];
    for (int i = 0; i <= DISC_RINGS; i++) {
        td_real t = (td_real)i / DISC_RINGS;
        rings[i] = (ring){radius * (1 - (1 - DISC_SOLID) * t), 0, 0, 1, t * t * (3 - 2 * t)};
    }
    rings[DISC_RINGS + 1] = (ring){0, 0, 0, 1, 1};
    revolve(model, rings, DISC_RINGS + 2);
}

// each face between two rings of its own, so that edges are sharp
static void add_arrow(tdi_organ_model *model) {
    static const ring rings[] = {
        {0, 0, 0, -1, 1},
        {SHAFT, 0, 0, -1, 1}, // end
        {SHAFT, 0, 1, 0, 1},
        {SHAFT, NECK, 1, 0, 1}, // shaft
        {SHAFT, NECK, 0, -1, 1},
        {HEAD, NECK, 0, -1, 1}, // brim
        {HEAD, NECK, 1 - NECK, HEAD, 1},
        {0, 1, 1 - NECK, HEAD, 1}, // head
    };
    for (size_t i = 0; i < sizeof rings / sizeof rings[0]; i += 2) {
        revolve(model, &rings[i], 2);
    }
}

// half the sides in `half`; the box of an organ stands on the joint and is 1 high
static void add_box(tdi_organ_model *model, td_vec3 half) {
    td_shape shape = td_shape_default();
    shape.width = half.x / half.y;
    shape.depth = half.z / half.y;
    tdi_organ_add_box(model, &shape);
    for (int64_t i = 0; i < model->solid.vertex_count; i++) {
        tdi_organ_vertex *v = &model->solid.vertices[i];
        v->position = tdi_scale(tdi_sub(v->position, tdi_vec3(0, 0.5, 0)), 2 * half.y);
        v->gain = 255;
    }
}

// The surface of a height field, with so many squares a cell that curves are seen.
static void add_ground(tdi_organ_model *model, const td_height_field *field) {
    int32_t columns, rows;
    td_real cell;
    td_height_field_size(field, &columns, &rows, &cell);
    const int32_t each = columns < GROUND_FINE && rows < GROUND_FINE ? 3 : 1;
    const uint32_t wide = (uint32_t)((columns - 1) * each) + 1,
                   deep = (uint32_t)((rows - 1) * each) + 1;
    for (uint32_t j = 0; j < deep; j++) {
        for (uint32_t i = 0; i < wide; i++) {
            const td_real x = cell * ((td_real)i / each - 0.5 * (columns - 1));
            const td_real z = cell * ((td_real)j / each - 0.5 * (rows - 1));
            tdi_organ_vertex v = {.gain = 255};
            v.position = tdi_vec3(x, td_height_field_height(field, x, z, &v.normal), z);
            tdi_organ_vertex_add(model, &model->solid, v);
            if (i > 0 && j > 0) {
                const uint32_t here = j * wide + i, left = here - 1, back = here - wide;
                tdi_organ_triangle_add(model, &model->solid, back - 1, left, here);
                tdi_organ_triangle_add(model, &model->solid, back - 1, here, back);
            }
        }
    }
}

// Copies what was modelled, shifted, into a block, and frees the model.
static td_status finish(tdi_organ_model *model, td_vec3 shift, uint32_t color, td_bytes *room,
                        td_mesh_part *part) {
    const tdi_sheet *sheet = &model->solid;
    const size_t vertices = (size_t)sheet->vertex_count, indices = (size_t)sheet->index_count;
    const tdi_rgb rgb = tdi_rgb_linear(color);
    room->alloc = model->alloc;
    room->size = vertices * (6 * sizeof(float) + 4) + indices * sizeof(uint32_t);
    room->data = model->status == TD_OK ? tdi_alloc_zeroed(model->alloc, room->size, 1) : NULL;
    if (room->data) {
        float *position = (float *)(void *)room->data, *normal = position + 3 * vertices;
        uint32_t *index = (uint32_t *)(void *)(normal + 3 * vertices);
        uint8_t *rgba = (uint8_t *)(index + indices);
        for (size_t i = 0; i < vertices; i++) {
            const tdi_organ_vertex *v = &sheet->vertices[i];
            const td_vec3 at = tdi_add(v->position, shift), up = v->normal;
            const float place[3] = {(float)at.x, (float)at.y, (float)at.z};
            const float out[3] = {(float)up.x, (float)up.y, (float)up.z};
            const uint8_t dye[4] = {rgb.r, rgb.g, rgb.b, (uint8_t)v->gain};
            memcpy(position + 3 * i, place, sizeof place);
            memcpy(normal + 3 * i, out, sizeof out);
            memcpy(rgba + 4 * i, dye, sizeof dye);
        }
        memcpy(index, sheet->indices, indices * sizeof *index);
        part->vertex_count = (int32_t)vertices;
        part->index_count = (int32_t)indices;
        part->position = position;
        part->normal = normal;
        part->color = rgba;
        part->index = index;
    } else {
        room->size = 0;
    }
    tdi_organ_free(model);
    return room->data ? TD_OK : TD_ERR_MEMORY;
}

td_status td_clip_collider_part(const td_clip_collider *collider, const td_alloc *alloc,
                                td_bytes *room, td_mesh_part *part) {
    if (!collider || !room || !part ||
        (collider->kind == TD_COLLIDER_HEIGHT_FIELD && !collider->field)) {
        return TD_ERR_ARGUMENT;
    }
    tdi_organ_model model = {.alloc = alloc, .max_vertices = INT32_MAX};
    const bool plane = collider->kind == TD_COLLIDER_PLANE;
    *part = (td_mesh_part){.name = plane ? "plane" : "collider", .double_sided = plane};
    switch (collider->kind) {
    case TD_COLLIDER_PLANE: add_disc(&model, collider->reach); break;
    case TD_COLLIDER_SPHERE: add_capsule(&model, collider->radius, 0); break;
    case TD_COLLIDER_CAPSULE: add_capsule(&model, collider->radius, 0.5 * collider->length); break;
    case TD_COLLIDER_BOX: add_box(&model, tdi_scale(collider->sides, 0.5)); break;
    case TD_COLLIDER_HEIGHT_FIELD: add_ground(&model, collider->field); break;
    }
    return finish(&model, collider->centre, plane ? PLANE : COLLIDER, room, part);
}

td_status td_clip_arrow_part(const td_alloc *alloc, td_bytes *room, td_mesh_part *part) {
    if (!room || !part) {
        return TD_ERR_ARGUMENT;
    }
    tdi_organ_model model = {.alloc = alloc, .max_vertices = INT32_MAX};
    *part = (td_mesh_part){.name = "contact"};
    add_arrow(&model);
    return finish(&model, tdi_vec3(0, 0, 0), ARROW, room, part);
}
