// SPDX-License-Identifier: MIT
#pragma once

// Shared by the tests of meshes: making skeletons and measuring triangles.

#include "td_test.h"

#include "math/quat.h"

#include <stdlib.h>

// ---- making skeletons -----------------------------------------------------------------------

static inline td_quat about_z(td_real degrees) {
    return tdi_quat_turn(tdi_vec3(0, 0, 1), tdi_radians(degrees));
}

static inline int32_t add_def(td_builder *builder, const td_segment_def *def) {
    int32_t index = TD_NONE;
    td_diag diag = {0};
    if (td_builder_add(builder, def, &index, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "cannot add: %s", diag.message);
    }
    return index;
}

static inline int32_t add_stem(td_builder *builder, int32_t parent, td_quat turn, td_real length,
                               td_real radius_base, td_real radius_tip) {
    td_segment_def def = td_segment_def_default();
    def.parent = parent;
    def.rest = turn;
    def.length = length;
    def.radius_base = radius_base;
    def.radius_tip = radius_tip;
    return add_def(builder, &def);
}

static inline int32_t add_organ(td_builder *builder, int32_t parent, const td_shape *shape,
                                td_organ organ, td_real size) {
    static const char *const materials[] = {"green-wood", "leaf", "petal", "petal", "fruit"};
    td_material material = td_material_get(td_material_find(materials[organ]));
    td_segment_def def = td_segment_def_default();
    td_diag diag = {0};
    CHECK_INT(td_builder_add_material(builder, &material, &def.material, &diag), TD_OK);
    if (td_builder_add_shape(builder, shape, &def.shape, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "cannot add the shape: %s", diag.message);
    }
    def.parent = parent;
    def.organ = organ;
    def.length = size;
    return add_def(builder, &def);
}

static inline td_skeleton *finish(td_builder *builder) {
    td_skeleton *skeleton = NULL;
    td_diag diag = {0};
    if (td_builder_finish(builder, &skeleton, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "no skeleton: %s", diag.message);
    }
    td_builder_free(builder);
    return skeleton;
}

static inline td_mesh *mesh_of(td_skeleton *skeleton, int32_t sides) {
    td_mesh_opts opts = td_mesh_opts_default();
    opts.sides = sides;
    td_mesh *mesh = NULL;
    td_diag diag = {0};
    if (td_mesh_new(skeleton, &opts, NULL, &mesh, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "no mesh: %s", diag.message);
    }
    td_skeleton_free(skeleton);
    return mesh;
}

// a mesh of one part that must be there; the caller frees the mesh
static inline td_mesh_part part_named(const td_mesh *mesh, const char *name) {
    for (int32_t i = 0; i < td_mesh_part_count(mesh); i++) {
        td_mesh_part part = td_mesh_part_get(mesh, i);
        if (strcmp(part.name, name) == 0) {
            return part;
        }
    }
    test_failed(__FILE__, __LINE__, "the mesh has no part \"%s\"", name);
    return (td_mesh_part){.name = name};
}

// ---- measuring meshes -----------------------------------------------------------------------

static inline td_vec3 vertex_at(const float *array, uint32_t i) {
    return tdi_vec3(array[3 * i], array[3 * i + 1], array[3 * i + 2]);
}

static inline td_vec3 face_area2(const td_mesh_part *part, int32_t first) {
    td_vec3 a = vertex_at(part->position, part->index[first]);
    td_vec3 b = vertex_at(part->position, part->index[first + 1]);
    td_vec3 c = vertex_at(part->position, part->index[first + 2]);
    return tdi_cross(tdi_sub(b, a), tdi_sub(c, a));
}

static inline td_real area_of(const td_mesh_part *part) {
    td_real area = 0;
    for (int32_t i = 0; i < part->index_count; i += 3) {
        area += tdi_norm(face_area2(part, i)) / 2;
    }
    return area;
}

// by the divergence theorem, about the first vertex
static inline td_real volume_of(const td_mesh_part *part) {
    td_real volume = 0;
    td_vec3 origin = vertex_at(part->position, 0);
    for (int32_t i = 0; i < part->index_count; i += 3) {
        td_vec3 a = tdi_sub(vertex_at(part->position, part->index[i]), origin);
        volume += tdi_dot(a, face_area2(part, i)) / 6;
    }
    return volume;
}

// vertices at the same place count as one: the number of the first of them
static inline uint32_t welded(const td_mesh_part *part, uint32_t vertex) {
    const float *own = &part->position[3 * vertex], *other = part->position;
    for (uint32_t i = 0; i < vertex; i++, other += 3) {
        if (*other == *own && memcmp(other, own, 12) == 0) { // the first alone tells most apart
            return i;
        }
    }
    return vertex;
}

static inline int compare_edges(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// How many edges lack a partner that runs the other way; -1 when two triangles share an edge in
// the same direction.
static inline int64_t open_edges(const td_mesh_part *part) {
    size_t count = (size_t)part->index_count;
    FREED uint32_t *weld = calloc((size_t)part->vertex_count, sizeof *weld);
    FREED uint64_t *edges = calloc(count, sizeof *edges);
    for (int32_t i = 0; i < part->vertex_count; i++) {
        weld[i] = welded(part, (uint32_t)i);
    }
    for (size_t i = 0; i < count; i++) {
        size_t n = i % 3 == 2 ? i - 2 : i + 1;
        edges[i] = (uint64_t)weld[part->index[i]] << 32 | weld[part->index[n]];
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    int64_t open = 0;
    for (size_t i = 0; i < count && open >= 0; i++) {
        uint64_t back = edges[i] << 32 | edges[i] >> 32;
        bool doubled = i > 0 && edges[i] == edges[i - 1];
        open += bsearch(&back, edges, count, sizeof *edges, compare_edges) ? 0 : 1;
        open = doubled ? -1 : open;
    }
    return open;
}

// every index in range, every normal unit, every triangle facing the way its normals do
static inline void check_sound(const td_mesh_part *part) {
    int32_t bad_index = 0, bad_normal = 0, turned = 0;
    for (int32_t i = 0; i < part->index_count; i++) {
        bad_index += part->index[i] >= (uint32_t)part->vertex_count;
    }
    for (int32_t i = 0; i < part->vertex_count; i++) {
        td_real norm = tdi_norm(vertex_at(part->normal, (uint32_t)i));
        bad_normal +=
            !(fabs(norm - 1) < 1e-6) || !tdi_finite3(vertex_at(part->position, (uint32_t)i));
    }
    for (int32_t i = 0; i < part->index_count && bad_index == 0; i += 3) {
        td_vec3 face = tdi_unit_or(face_area2(part, i), tdi_vec3(0, 0, 0));
        td_vec3 sum = tdi_vec3(0, 0, 0);
        for (int k = 0; k < 3; k++) {
            sum = tdi_add(sum, vertex_at(part->normal, part->index[i + k]));
        }
        turned += tdi_dot(face, sum) < 0;
    }
    CHECK_INT(bad_index, 0);
    CHECK_INT(bad_normal, 0);
    CHECK_INT(turned, 0);
}
