// SPDX-License-Identifier: MIT
#pragma once

/// @file mesh.h
/// Triangles over a skeleton: smooth tubes for stems, blades and flowers for organs.

#include "tendril/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_mesh td_mesh; ///< Fixed after creation.

/// Start from td_mesh_opts_default().
typedef struct td_mesh_opts {
    uint32_t struct_size;
    td_pose_kind pose; ///< Default TD_POSE_INITIAL.
    bool skinned;      ///< Vertices have the segments that move them, with weights. Default false.
    bool textures;     ///< Files of it have pictures of bark and leaves. Default false.
    int32_t sides;     ///< Of a tube, 3..64; 0 (default) chooses by radius, 5 to 16.
    /// At most so many triangles, at least 100; 0 (default): as many as it takes. Small organs and
    /// twigs are simplified first, and left out where that is not enough.
    int64_t max_triangles;
    int64_t max_vertices; ///< Default 20 million.
} td_mesh_opts;

TD_API td_mesh_opts td_mesh_opts_default(void);

/// Triangles that are drawn alike. Arrays belong to the mesh.
typedef struct td_mesh_part {
    const char *name;  ///< "stem", "leaf", "petal", "flower", "fruit".
    bool double_sided; ///< Laminae have no thickness and are seen from both sides.
    int32_t vertex_count;
    int32_t index_count;   ///< Three a triangle, counter-clockwise from outside.
    const float *position; ///< 3 a vertex, m.
    const float *normal;   ///< 3 a vertex, unit.
    const uint8_t *color;  ///< 4 a vertex, linear RGBA.
    /// 2 a vertex, as in glTF: (0, 0) is the upper left corner of a picture. NULL of colliders.
    const float *texcoord;
    /// 4 a vertex: a unit vector along which u grows, and 1, the hand of the third axis. NULL
    /// unless the texture has a normal map.
    const float *tangent;
    const char *texture; ///< "bark", "stalk", "leaf", "petal", or NULL: none.
    /// 4 a vertex: indices of the segments it moves with, 0 where the weight is 0. NULL unless the
    /// mesh is skinned, as is `weight`.
    const uint32_t *joint;
    const uint8_t *weight; ///< 4 a vertex, in 1/255; they add up to 255.
    const uint32_t *index;
} td_mesh_part;

TD_API td_status td_mesh_new(const td_skeleton *skeleton, const td_mesh_opts *opts,
                             const td_alloc *alloc, td_mesh **out, td_diag *diag);
TD_API void td_mesh_free(td_mesh *mesh);               ///< NULL is allowed.
TD_API td_pose_kind td_mesh_pose(const td_mesh *mesh); ///< The pose of the mesh.
TD_API int32_t td_mesh_part_count(const td_mesh *mesh);
TD_API td_mesh_part td_mesh_part_get(const td_mesh *mesh, int32_t index);

#ifdef __cplusplus
}
#endif
