// SPDX-License-Identifier: MIT
#pragma once

// What every binary glTF 2.0 file of ours is made of: parts of meshes, materials, chunks.
//
// Views    a part has one for each of its arrays, in the order of tdi_gltf_view; each view is also
//          an accessor with the same number, which its layout tells.
// Numbers  are little-endian, whatever the machine.

#include "io/json.h"
#include "io/picture.h"

#define TDI_GLTF_SMALL      5120 // signed byte
#define TDI_GLTF_SHORT      5122 // signed
#define TDI_GLTF_BYTE       5121 // unsigned, as the two below
#define TDI_GLTF_WORD       5123
#define TDI_GLTF_INT        5125
#define TDI_GLTF_FLOAT      5126
#define TDI_GLTF_MAX_PARTS  8
#define TDI_GLB_HEAD        20 // bytes before the text of the JSON chunk
#define TDI_GLB_BINARY_HEAD 8  // bytes before the data of the binary chunk

typedef enum tdi_gltf_view {
    TDI_VIEW_POSITION,
    TDI_VIEW_NORMAL,
    TDI_VIEW_COLOR,
    TDI_VIEW_INDEX,
    TDI_VIEW_TEXCOORD, // where the part has any, as the next
    TDI_VIEW_TANGENT,
    TDI_VIEW_JOINTS, // of a skinned part, as the next
    TDI_VIEW_WEIGHTS,
    TDI_VIEW_COUNT,
} tdi_gltf_view;

// A cube around a mesh, in which positions are counted in 65535 steps.
typedef struct tdi_gltf_cube {
    td_vec3 low;
    td_real size; // 0: positions are floats
} tdi_gltf_cube;

// Where the arrays of a part lie in the binary chunk; each starts at a multiple of 4.
typedef struct tdi_gltf_layout {
    uint64_t offset[TDI_VIEW_COUNT];
    uint64_t size[TDI_VIEW_COUNT];    // without padding
    int64_t accessor[TDI_VIEW_COUNT]; // in the file; TD_NONE: the part has no such array
    tdi_gltf_cube cube; // of the extension KHR_mesh_quantization; so are small normals
    bool short_index;
} tdi_gltf_layout;

uint64_t tdi_gltf_padded(uint64_t size); // to a multiple of 4

// The cube around all parts of a mesh; never of size 0.
tdi_gltf_cube tdi_gltf_cube_around(const td_mesh *mesh);

// Places the arrays at *end and numbers them from *accessor on, and moves both on. `cube` NULL:
// positions and normals are floats; else texture coordinates are there only with textures, and
// tangents are not.
tdi_gltf_layout tdi_gltf_lay_out(const td_mesh_part *part, bool skinned, const tdi_gltf_cube *cube,
                                 uint64_t *end, int64_t *accessor);

// The textures of a file: which it has, in the order of tdi_picture, and where.
typedef struct tdi_gltf_pictures {
    bool used[TDI_PICTURE_COUNT];
    uint64_t offset[TDI_PICTURE_COUNT];
    int64_t first_view; // of the first that is used
} tdi_gltf_pictures;

// Those that a part needs are used from now on.
void tdi_gltf_pictures_use(tdi_gltf_pictures *pictures, const td_mesh_part *part);
// Places all that are used at *end and moves it on. Their views are behind all others.
void tdi_gltf_pictures_place(tdi_gltf_pictures *pictures, int64_t first_view, uint64_t *end);
void tdi_gltf_write_pictures(tdi_json *json, const tdi_gltf_pictures *pictures); // if there are any
void tdi_gltf_write_picture_views(tdi_json *json, const tdi_gltf_pictures *pictures);

void tdi_gltf_write_asset(tdi_json *json);
void tdi_gltf_write_primitive(tdi_json *json, const tdi_gltf_layout *layout, int32_t material);
// `texture` as that of a part.
void tdi_gltf_write_material(tdi_json *json, const char *part, bool double_sided,
                             const char *texture, const tdi_gltf_pictures *pictures);
void tdi_gltf_write_accessors(tdi_json *json, const td_mesh_part *part,
                              const tdi_gltf_layout *layout);
void tdi_gltf_write_views(tdi_json *json, const tdi_gltf_layout *layout);
void tdi_gltf_write_view(tdi_json *json, uint64_t offset, uint64_t size); // of no vertices
void tdi_gltf_write_buffer(tdi_json *json, uint64_t size);

// Writes and returns the place behind what was written.
uint8_t *tdi_gltf_put_float(uint8_t *to, float value);
// `to` is where offset `from` lies, and zeroed, so that padding need not be written.
void tdi_gltf_put_part(uint8_t *to, uint64_t from, const td_mesh_part *part,
                       const tdi_gltf_layout *layout);

// Bytes of a whole file; without binary data its chunk is left out.
uint64_t tdi_glb_size(uint64_t json_size, uint64_t binary_size);
void tdi_glb_put_head(uint8_t to[TDI_GLB_HEAD], uint64_t json_size, uint64_t binary_size);
void tdi_glb_put_binary_head(uint8_t to[TDI_GLB_BINARY_HEAD], uint64_t binary_size);
