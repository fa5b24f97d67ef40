// SPDX-License-Identifier: MIT
// The model of a shape, put together from blades, petals, stalks, balls, discs and polygons.

#include "skin/organ.h"

#include "math/vec3.h"
#include "skin/polygon.h"

// ---- growing --------------------------------------------------------------------------------

uint32_t tdi_organ_vertex_add(tdi_organ_model *model, tdi_sheet *sheet, tdi_organ_vertex vertex) {
    if (model->status != TD_OK) {
        return 0;
    }
    if (sheet->vertex_count >= model->max_vertices) {
        model->status = TD_ERR_LIMIT;
        return 0;
    }
    tdi_organ_vertex *vertices =
        tdi_array_reserve(model->alloc, sheet->vertices, &sheet->vertex_capacity,
                          sheet->vertex_count + 1, sizeof *vertices);
    if (!vertices) {
        model->status = TD_ERR_MEMORY;
        return 0;
    }
    sheet->vertices = vertices;
    vertices[sheet->vertex_count] = vertex;
    return (uint32_t)sheet->vertex_count++;
}

void tdi_organ_triangle_add(tdi_organ_model *model, tdi_sheet *sheet, uint32_t a, uint32_t b,
                            uint32_t c) {
    if (model->status != TD_OK) {
        return;
    }
    uint32_t *indices = tdi_array_reserve(model->alloc, sheet->indices, &sheet->index_capacity,
                                          sheet->index_count + 3, sizeof *indices);
    if (!indices) {
        model->status = TD_ERR_MEMORY;
        return;
    }
    sheet->indices = indices;
    indices[sheet->index_count++] = a;
    indices[sheet->index_count++] = b;
    indices[sheet->index_count++] = c;
}

static void free_sheet(const td_alloc *alloc, tdi_sheet *sheet) {
    tdi_alloc_free(alloc, sheet->vertices,
                   (size_t)sheet->vertex_capacity * sizeof *sheet->vertices);
    tdi_alloc_free(alloc, sheet->indices, (size_t)sheet->index_capacity * sizeof *sheet->indices);
    *sheet = (tdi_sheet){0};
}

void tdi_organ_free(tdi_organ_model *model) {
    free_sheet(model->alloc, &model->lamina);
    free_sheet(model->alloc, &model->solid);
}

// ---- entry ----------------------------------------------------------------------------------

#define MAX_SMOOTH 512 // vertices of an organ: every pair is compared

// Corners in one place share the mean of their normals where these differ by less than 60 degrees,
// so that an organ of several polygons does not look cut from tin.
static void smooth_corners(tdi_sheet *sheet) {
    td_vec3 smooth[MAX_SMOOTH];
    int64_t count = sheet->vertex_count;
    if (count > MAX_SMOOTH) {
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const tdi_organ_vertex *v = &sheet->vertices[i];
        td_vec3 sum = {0, 0, 0};
        for (int64_t k = 0; k < count; k++) {
            const tdi_organ_vertex *u = &sheet->vertices[k];
            td_vec3 gap = tdi_sub(u->position, v->position);
            bool same = tdi_dot(gap, gap) <= 1e-12 * tdi_dot(v->position, v->position);
            if (same && tdi_dot(u->normal, v->normal) > 0.5) {
                sum = tdi_add(sum, u->normal);
            }
        }
        smooth[i] = tdi_unit_or(sum, v->normal);
    }
    for (int64_t i = 0; i < count; i++) {
        sheet->vertices[i].normal = smooth[i];
    }
}

// A picture lies flat on the organ, as wide as it is long: seen along the mean of the normals, up
// is as near to +Y as can be, and the organ is in the middle.
static void map_corners(tdi_sheet *sheet) {
    td_vec3 sum = {0, 0, 0};
    for (int64_t i = 0; i < sheet->vertex_count; i++) {
        sum = tdi_add(sum, sheet->vertices[i].normal);
    }
    td_vec3 normal = tdi_unit_or(sum, tdi_vec3(0, 0, 1));
    td_vec3 right = tdi_unit_or(tdi_cross(tdi_vec3(0, 1, 0), normal), tdi_across(normal));
    td_vec3 up = tdi_cross(normal, right);
    td_real low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < sheet->vertex_count; i++) {
        tdi_organ_vertex *v = &sheet->vertices[i];
        v->tangent = right;
        v->u = tdi_dot(v->position, right);
        v->v = tdi_dot(v->position, up);
        low[0] = fmin(low[0], v->u);
        low[1] = fmin(low[1], v->v);
        high[0] = fmax(high[0], v->u);
        high[1] = fmax(high[1], v->v);
    }
    td_real size = fmax(high[0] - low[0], high[1] - low[1]);
    for (int64_t i = 0; i < sheet->vertex_count && size > 0; i++) {
        tdi_organ_vertex *v = &sheet->vertices[i];
        v->u = 0.5 + (v->u - (low[0] + high[0]) / 2) / size;
        v->v = 0.5 - (v->v - (low[1] + high[1]) / 2) / size;
    }
}

static void add_polygons(tdi_organ_model *model, const td_skeleton *skeleton,
                         const td_shape *shape) {
    const td_polygon *polygons = td_skeleton_polygons(skeleton) + shape->polygon_first;
    for (int32_t i = 0; i < shape->polygon_count && model->status == TD_OK; i++) {
        if (polygons[i].point_count > TDI_MAX_CORNERS) {
            model->status = TD_ERR_LIMIT;
            return;
        }
        tdi_organ_add_polygon(model, td_skeleton_points(skeleton) + polygons[i].point_first,
                              polygons[i].point_count);
    }
    smooth_corners(&model->lamina);
    map_corners(&model->lamina);
}

td_status tdi_organ_build(tdi_organ_model *model, const td_skeleton *skeleton,
                          const td_shape *shape, tdi_detail detail) {
    model->status = TD_OK;
    model->lamina.vertex_count = model->lamina.index_count = 0;
    model->solid.vertex_count = model->solid.index_count = 0;
    td_vec3 stalk_end = tdi_vec3(0, shape->stalk, 0);
    switch (shape->kind) {
    case TD_SHAPE_BLADE:
        tdi_organ_add_petiole(model, shape, detail);
        tdi_organ_add_blade(model, shape, detail);
        break;
    case TD_SHAPE_FLOWER:
        tdi_organ_add_pedicel(model, shape, detail);
        tdi_organ_add_petals(model, shape, detail);
        tdi_organ_add_ball(model, stalk_end, shape->centre, shape->centre, TDI_TINT_CENTRE, detail);
        break;
    case TD_SHAPE_BALL:
        tdi_organ_add_pedicel(model, shape, detail);
        tdi_organ_add_ball(model, tdi_vec3(0, shape->stalk + 0.5, 0), shape->width, 1,
                           TDI_TINT_ORGAN, detail);
        break;
    case TD_SHAPE_DISC: tdi_organ_add_disc(model, detail); break;
    case TD_SHAPE_POLYGON: add_polygons(model, skeleton, shape); break;
    case TD_SHAPE_BOX: tdi_organ_add_box(model, shape); break;
    case TD_SHAPE_PATCHES: tdi_organ_add_patches(model, skeleton, shape, detail); break;
    }
    return model->status;
}
