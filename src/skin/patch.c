// SPDX-License-Identifier: MIT
// Surfaces of Bezier patches as triangles.
//
// Method   Every patch is a grid of places on it, with the normal across both derivatives. Where
//          patches meet, vertices in one place share the mean of their normals.

#include "skin/organ.h"

#include "math/vec3.h"
#include "plant/shape.h"

#define MAX_CELLS   8
#define SAME_PLACE  1e-6 // distance at which vertices of two patches meet, at size 1
#define MAX_MEETING 1024 // vertices on borders, of which every pair is compared

static td_vec3 stretched(td_vec3 v, td_vec3 by) {
    return tdi_vec3(v.x * by.x, v.y * by.y, v.z * by.z);
}

// where rows of control points fall together one derivative vanishes: that a little inside counts
static td_vec3 normal_at(const td_vec3 *points, td_vec3 stretch, td_real u, td_real v) {
    td_vec3 along_u, along_v;
    for (td_real in = 0; in < 0.03; in += 0.01) {
        tdi_patch_at(points, u + in * (1 - 2 * u), v + in * (1 - 2 * v), NULL, &along_u, &along_v);
        td_vec3 n = tdi_cross(stretched(along_u, stretch), stretched(along_v, stretch));
        if (tdi_norm(n) > 1e-9) {
            return tdi_unit_or(n, n);
        }
    }
    return tdi_vec3(0, 0, 1);
}

static void add_patch(tdi_organ_model *model, const td_vec3 *points, td_vec3 stretch,
                      int32_t cells) {
    uint32_t place[MAX_CELLS + 1][MAX_CELLS + 1];
    for (int32_t i = 0; i <= cells; i++) {
        for (int32_t k = 0; k <= cells; k++) {
            td_real u = (td_real)k / cells, v = (td_real)i / cells;
            tdi_organ_vertex vertex = {.tint = TDI_TINT_ORGAN, .gain = 256, .u = u, .v = v};
            tdi_patch_at(points, u, v, &vertex.position, &vertex.tangent, NULL);
            vertex.tangent = stretched(vertex.tangent, stretch);
            vertex.tangent = tdi_unit_or(vertex.tangent, tdi_vec3(1, 0, 0));
            vertex.position = stretched(vertex.position, stretch);
            vertex.normal = normal_at(points, stretch, u, v);
            place[i][k] = tdi_organ_vertex_add(model, &model->lamina, vertex);
        }
    }
    for (int32_t i = 0; i < cells; i++) {
        for (int32_t k = 0; k < cells; k++) {
            tdi_organ_triangle_add(model, &model->lamina, place[i][k], place[i][k + 1],
                                   place[i + 1][k + 1]);
            tdi_organ_triangle_add(model, &model->lamina, place[i][k], place[i + 1][k + 1],
                                   place[i + 1][k]);
        }
    }
}

// whether vertex i, in the order of add_patch, lies on the border of its patch
static bool on_border(int64_t i, int32_t cells) {
    int64_t cell = i % ((cells + 1) * (cells + 1));
    int64_t row = cell / (cells + 1), column = cell % (cells + 1);
    return row == 0 || row == cells || column == 0 || column == cells;
}

static void join_normals(tdi_sheet *sheet, int32_t cells) {
    int64_t meeting[MAX_MEETING];
    td_vec3 means[MAX_MEETING];
    int32_t count = 0;
    for (int64_t i = 0; i < sheet->vertex_count && count < MAX_MEETING; i++) {
        if (on_border(i, cells)) {
            meeting[count++] = i;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        const tdi_organ_vertex *own = &sheet->vertices[meeting[i]];
        td_vec3 sum = {0, 0, 0};
        for (int32_t k = 0; k < count; k++) {
            const tdi_organ_vertex *other = &sheet->vertices[meeting[k]];
            bool same = tdi_norm(tdi_sub(other->position, own->position)) < SAME_PLACE;
            // two sides of an edge share their normal, also when one patch is turned over
            td_real side = tdi_dot(other->normal, own->normal) < 0 ? -1 : 1;
            sum = same ? tdi_madd(sum, other->normal, side) : sum;
        }
        means[i] = tdi_unit_or(sum, own->normal);
    }
    for (int32_t i = 0; i < count; i++) {
        sheet->vertices[meeting[i]].normal = means[i];
    }
}

void tdi_organ_add_patches(tdi_organ_model *model, const td_skeleton *skeleton,
                           const td_shape *shape, tdi_detail detail) {
    const td_polygon *patches = td_skeleton_polygons(skeleton) + shape->polygon_first;
    const td_vec3 *points = td_skeleton_points(skeleton);
    int32_t cells = detail == TDI_DETAIL_FINE     ? MAX_CELLS
                    : detail == TDI_DETAIL_MEDIUM ? 5
                    : detail == TDI_DETAIL_COARSE ? 3
                                                  : 2;
    for (int32_t i = 0; i < shape->polygon_count && model->status == TD_OK; i++) {
        add_patch(model, points + patches[i].point_first, shape->stretch, cells);
    }
    if (shape->polygon_count > 1 && model->status == TD_OK) {
        join_normals(&model->lamina, cells);
    }
}
