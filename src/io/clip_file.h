// SPDX-License-Identifier: MIT
#pragma once

// A clip on its way into a binary glTF file: what goes where.
//
// Nodes    an actor has a base, below it its segments as a hierarchy of joints, and beside it,
//          because glTF wants a skinned mesh at the root, a node with mesh and skin. Behind the
//          actors stand the colliders, then the arrows, each a node with a mesh.
// Views    the arrays of each mesh and solid, the inverse bind matrices of each mesh, the times,
// the motion.
//          All but the motion have one accessor each, of the same number; the motion has one for
//          each track.

#include "io/clip.h"
#include "io/gltf.h"

#include "base/alloc.h"

#define TDI_MAX_MATERIALS TDI_GLTF_MAX_PARTS

// a mesh in the file; actors that share mesh and skeleton share it
typedef struct tdi_clip_mesh {
    const td_clip_actor *actor; // the first that has it
    td_mesh_part parts[TDI_GLTF_MAX_PARTS];
    tdi_gltf_layout layouts[TDI_GLTF_MAX_PARTS];
    tdi_gltf_cube cube; // of size 0 unless the file is compact
    int32_t part_count;
    uint64_t end;          // of its arrays in the binary chunk
    uint64_t bind_offset;  // of its inverse bind matrices
    int64_t bind_accessor; // which is also their view
} tdi_clip_mesh;

// a collider's mesh or that of arrows; colliders of one look share it
typedef struct tdi_clip_solid {
    const td_clip_collider *collider; // the first that has it; NULL: of arrows
    td_bytes room;                    // of the part's arrays
    td_mesh_part part;
    tdi_gltf_layout layout;
    uint64_t end; // of its arrays in the binary chunk
} tdi_clip_solid;

// A camera that sees all; it looks along its -Z.
typedef struct tdi_clip_camera {
    td_vec3 position;
    td_quat rotation;
    td_real yfov, aspect; // rad, width over height
    td_real near, far;    // m
} tdi_clip_camera;

typedef struct tdi_clip_materials {
    const char *name[TDI_MAX_MATERIALS];
    const char *texture[TDI_MAX_MATERIALS]; // NULL: none
    bool double_sided[TDI_MAX_MATERIALS];
    int32_t count;
} tdi_clip_materials;

typedef struct tdi_clip_file {
    const td_clip_def *def;
    tdi_frames frames;
    tdi_arena arena; // of all below
    float *first;    // first frame
    bool *live;      // by channel
    tdi_channel *tracks;
    int64_t track_count;
    tdi_clip_mesh *meshes;
    int32_t mesh_count;
    int32_t *mesh_of; // by actor; TD_NONE: joints only
    tdi_clip_solid *solids;
    int32_t solid_count;
    int32_t *solid_of;    // by collider
    int32_t arrow_count;  // that are seen in any frame, from the first on
    int64_t first_prop;   // node of the first collider
    int64_t *base_of;     // by actor: number of its base node
    int64_t *skin_of;     // by actor
    int32_t *first_child; // by segment of the actor at hand
    int32_t *next_sister;
    bool compact;
    tdi_clip_camera camera; // unless the file is compact: pages have their own
    int64_t time_view;
    uint64_t time_offset, motion_offset, motion_size, binary_size;
    tdi_gltf_pictures pictures;
    tdi_clip_materials material;
} tdi_clip_file;

// Opens the frames, looks through them and lays the file out; clip_plan.c. Whatever it returns,
// tdi_clip_file_free() ends it.
td_status tdi_clip_file_plan(tdi_clip_file *file, const td_clip_def *def, bool compact,
                             int64_t max_animation_size, const td_alloc *alloc, td_diag *diag);
void tdi_clip_file_free(tdi_clip_file *file);

// The JSON chunk; clip_json.c.
td_status tdi_clip_file_json(tdi_clip_file *file, const td_alloc *alloc, td_bytes *out);

// Rounds the rotations of the tracks to 16 bits a number; clip_short.c. From then on the frames are
// in memory, and hold the tracks only.
td_status tdi_clip_file_shorten(tdi_clip_file *file, td_diag *diag);

// A camera that sees the whole motion; clip_camera.c.
td_status tdi_clip_file_camera(tdi_clip_file *file, tdi_clip_camera *out, td_diag *diag);

int32_t tdi_clip_file_material(tdi_clip_file *file, const td_mesh_part *part);
uint64_t tdi_clip_file_bytes(const tdi_clip_file *file, const tdi_channel *track); // of a frame
float tdi_clip_file_time(const tdi_clip_file *file, int32_t frame);
