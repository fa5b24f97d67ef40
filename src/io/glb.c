// SPDX-License-Identifier: MIT
// A mesh as binary glTF 2.0: one node, one mesh, one primitive and one material a part.
//
// Layout   header, JSON chunk padded with spaces, binary chunk padded with zeros (left out when
//          the mesh is empty).

#include "io/gltf.h"

#include "base/alloc.h"
#include "base/guard.h"

#include <string.h>

// ---- JSON chunk -----------------------------------------------------------------------------

static void write_scene(tdi_json *json, const char *name, bool empty) {
    tdi_gltf_write_asset(json);
    tdi_json_key_integer(json, "scene", 0);
    tdi_json_key_open(json, "scenes", "[{");
    if (!empty) {
        tdi_json_key_open(json, "nodes", "[");
        tdi_json_integer(json, 0);
        tdi_json_close(json, "]");
    }
    tdi_json_close(json, "}]");
    if (!empty) {
        tdi_json_key_open(json, "nodes", "[{");
        tdi_json_key_string(json, "name", name);
        tdi_json_key_integer(json, "mesh", 0);
        tdi_json_close(json, "}]");
    }
}

static void write_mesh(tdi_json *json, const char *name, const td_mesh_part *parts,
                       const tdi_gltf_layout *layouts, int32_t part_count,
                       const tdi_gltf_pictures *pictures) {
    tdi_json_key_open(json, "meshes", "[{");
    tdi_json_key_string(json, "name", name);
    tdi_json_key_open(json, "primitives", "[");
    for (int32_t i = 0; i < part_count; i++) {
        tdi_gltf_write_primitive(json, &layouts[i], i);
    }
    tdi_json_close(json, "]}]");
    tdi_json_key_open(json, "materials", "[");
    for (int32_t i = 0; i < part_count; i++) {
        tdi_gltf_write_material(json, parts[i].name, parts[i].double_sided, parts[i].texture,
                                pictures);
    }
    tdi_json_close(json, "]");
    tdi_gltf_write_pictures(json, pictures);
}

static void write_data(tdi_json *json, const td_mesh_part *parts, const tdi_gltf_layout *layouts,
                       int32_t part_count, const tdi_gltf_pictures *pictures,
                       uint64_t binary_size) {
    tdi_json_key_open(json, "accessors", "[");
    for (int32_t i = 0; i < part_count; i++) {
        tdi_gltf_write_accessors(json, &parts[i], &layouts[i]);
    }
    tdi_json_close(json, "]");
    tdi_json_key_open(json, "bufferViews", "[");
    for (int32_t i = 0; i < part_count; i++) {
        tdi_gltf_write_views(json, &layouts[i]);
    }
    tdi_gltf_write_picture_views(json, pictures);
    tdi_json_close(json, "]");
    tdi_gltf_write_buffer(json, binary_size);
}

// ---- entry ----------------------------------------------------------------------------------

static td_status assemble(const td_bytes *json, const td_mesh_part *parts,
                          const tdi_gltf_layout *layouts, int32_t part_count,
                          const tdi_gltf_pictures *pictures, uint64_t binary_size, td_bytes *out) {
    uint64_t total = tdi_glb_size(json->size, binary_size);
    if (total > UINT32_MAX || total > SIZE_MAX) {
        return TD_ERR_LIMIT;
    }
    uint8_t *data = tdi_alloc_zeroed(out->alloc, (size_t)total, 1);
    TDI_TRY(data ? TD_OK : TD_ERR_MEMORY);
    tdi_glb_put_head(data, json->size, binary_size);
    uint8_t *at = data + TDI_GLB_HEAD;
    size_t padded = (size_t)tdi_gltf_padded(json->size);
    memcpy(at, json->data, json->size);
    memset(at + json->size, ' ', padded - json->size);
    if (part_count > 0) {
        tdi_glb_put_binary_head(at + padded, binary_size);
        for (int32_t i = 0; i < part_count; i++) {
            tdi_gltf_put_part(at + padded + TDI_GLB_BINARY_HEAD, 0, &parts[i], &layouts[i]);
        }
    }
    out->data = data;
    out->size = (size_t)total;
    td_status status = TD_OK;
    for (int i = 0; i < TDI_PICTURE_COUNT && status == TD_OK; i++) {
        if (pictures->used[i]) {
            uint8_t *to = at + padded + TDI_GLB_BINARY_HEAD + pictures->offset[i];
            status = tdi_picture_write((tdi_picture)i, out->alloc, to);
        }
    }
    return status;
}

td_status td_mesh_glb(const td_mesh *mesh, const char *name, const td_alloc *alloc, td_bytes *out) {
    if (!mesh || !out) {
        return TD_ERR_ARGUMENT;
    }
    *out = (td_bytes){NULL, 0, alloc};
    if (td_mesh_part_count(mesh) > TDI_GLTF_MAX_PARTS) {
        return TD_ERR_ARGUMENT;
    }
    td_mesh_part parts[TDI_GLTF_MAX_PARTS];
    tdi_gltf_layout layouts[TDI_GLTF_MAX_PARTS];
    uint64_t binary_size = 0;
    int64_t accessor = 0;
    tdi_gltf_pictures pictures = {.first_view = 0};
    int32_t part_count = td_mesh_part_count(mesh);
    for (int32_t i = 0; i < part_count; i++) {
        parts[i] = td_mesh_part_get(mesh, i);
        layouts[i] = tdi_gltf_lay_out(&parts[i], false, NULL, &binary_size, &accessor);
        tdi_gltf_pictures_use(&pictures, &parts[i]);
    }
    tdi_gltf_pictures_place(&pictures, accessor, &binary_size);
    const char *label = name && name[0] ? name : "plant";

    tdi_json json = {.buffer = {.alloc = alloc}};
    tdi_json_open(&json, "{");
    write_scene(&json, label, part_count == 0);
    if (part_count > 0) {
        write_mesh(&json, label, parts, layouts, part_count, &pictures);
        write_data(&json, parts, layouts, part_count, &pictures, binary_size);
    }
    tdi_json_close(&json, "}");
    td_bytes text;
    td_status status = tdi_json_finish(&json, &text);
    status = status == TD_OK
                 ? assemble(&text, parts, layouts, part_count, &pictures, binary_size, out)
                 : status;
    td_bytes_free(&text);
    return status;
}
