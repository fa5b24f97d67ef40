// SPDX-License-Identifier: MIT
// A mesh as binary glTF 2.0: one node, one mesh, one primitive and one material a part.
//
// Layout   header, JSON chunk padded with spaces, binary chunk padded with zeros (left out when
//          the mesh is empty). Every number is little-endian, whatever the machine.
// Views    each part has four, which are also its accessors: position, normal, color, index.

#include "io/json.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define GLB_MAGIC      0x46546c67u // "glTF"
#define CHUNK_JSON     0x4e4f534au // "JSON"
#define CHUNK_BINARY   0x004e4942u // "BIN" and a zero
#define TYPE_BYTE      5121        // unsigned
#define TYPE_SHORT     5123        // unsigned
#define TYPE_INT       5125        // unsigned
#define TYPE_FLOAT     5126
#define TARGET_VERTEX  34962
#define TARGET_INDEX   34963
#define VIEWS_PER_PART 4
#define MAX_PARTS      8

// ---- layout ---------------------------------------------------------------------------------

// where the four arrays of a part lie in the binary chunk; each starts at a multiple of 4
typedef struct part_layout {
    uint64_t offset[VIEWS_PER_PART];
    uint64_t size[VIEWS_PER_PART]; // without padding
    bool short_index;
} part_layout;

static uint64_t padded(uint64_t size) {
    return (size + 3) / 4 * 4;
}

static part_layout lay_out(const td_mesh_part *part, uint64_t *end) {
    // 65535 itself is reserved: it would restart a strip
    part_layout layout = {.short_index = part->vertex_count <= 65535};
    uint64_t vertices = (uint64_t)part->vertex_count, indices = (uint64_t)part->index_count;
    layout.size[0] = 12 * vertices;
    layout.size[1] = 12 * vertices;
    layout.size[2] = 4 * vertices;
    layout.size[3] = (layout.short_index ? 2 : 4) * indices;
    for (int i = 0; i < VIEWS_PER_PART; i++) {
        layout.offset[i] = *end;
        *end += padded(layout.size[i]);
    }
    return layout;
}

// ---- JSON chunk -----------------------------------------------------------------------------

static td_real roughness_of(const char *part) {
    static const struct {
        const char *part;
        td_real roughness;
    } table[] = {{"leaf", 0.6}, {"petal", 0.7}, {"flower", 0.8}, {"fruit", 0.4}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].part, part) == 0) {
            return table[i].roughness;
        }
    }
    return 0.9; // bark
}

static void write_scene(tdi_json *json, const char *name, bool empty) {
    char generator[64];
    snprintf(generator, sizeof generator, "Tendril %s", td_version());
    tdi_json_key(json, "asset");
    tdi_json_open(json, '{');
    tdi_json_key_string(json, "version", "2.0");
    tdi_json_key_string(json, "generator", generator);
    tdi_json_close(json, '}');
    tdi_json_key_integer(json, "scene", 0);
    tdi_json_key(json, "scenes");
    tdi_json_open(json, '[');
    tdi_json_open(json, '{');
    if (!empty) {
        tdi_json_key(json, "nodes");
        tdi_json_open(json, '[');
        tdi_json_integer(json, 0);
        tdi_json_close(json, ']');
    }
    tdi_json_close(json, '}');
    tdi_json_close(json, ']');
    if (!empty) {
        tdi_json_key(json, "nodes");
        tdi_json_open(json, '[');
        tdi_json_open(json, '{');
        tdi_json_key_string(json, "name", name);
        tdi_json_key_integer(json, "mesh", 0);
        tdi_json_close(json, '}');
        tdi_json_close(json, ']');
    }
}

static void write_primitives(tdi_json *json, const char *name, int32_t part_count) {
    tdi_json_key(json, "meshes");
    tdi_json_open(json, '[');
    tdi_json_open(json, '{');
    tdi_json_key_string(json, "name", name);
    tdi_json_key(json, "primitives");
    tdi_json_open(json, '[');
    for (int32_t i = 0; i < part_count; i++) {
        tdi_json_open(json, '{');
        tdi_json_key(json, "attributes");
        tdi_json_open(json, '{');
        tdi_json_key_integer(json, "POSITION", VIEWS_PER_PART * i);
        tdi_json_key_integer(json, "NORMAL", VIEWS_PER_PART * i + 1);
        tdi_json_key_integer(json, "COLOR_0", VIEWS_PER_PART * i + 2);
        tdi_json_close(json, '}');
        tdi_json_key_integer(json, "indices", VIEWS_PER_PART * i + 3);
        tdi_json_key_integer(json, "material", i);
        tdi_json_close(json, '}');
    }
    tdi_json_close(json, ']');
    tdi_json_close(json, '}');
    tdi_json_close(json, ']');
}

static void write_materials(tdi_json *json, const td_mesh_part *parts, int32_t part_count) {
    tdi_json_key(json, "materials");
    tdi_json_open(json, '[');
    for (int32_t i = 0; i < part_count; i++) {
        tdi_json_open(json, '{');
        tdi_json_key_string(json, "name", parts[i].name);
        tdi_json_key(json, "pbrMetallicRoughness");
        tdi_json_open(json, '{');
        tdi_json_key_integer(json, "metallicFactor", 0);
        tdi_json_key_real(json, "roughnessFactor", roughness_of(parts[i].name));
        tdi_json_close(json, '}');
        if (parts[i].double_sided) {
            tdi_json_key(json, "doubleSided");
            tdi_json_bool(json, true);
        }
        tdi_json_close(json, '}');
    }
    tdi_json_close(json, ']');
}

// the smallest and largest coordinates, exactly as the floats are
static void write_bounds(tdi_json *json, const td_mesh_part *part) {
    td_real low[3], high[3];
    for (int32_t i = 0; i < part->vertex_count; i++) {
        for (int k = 0; k < 3; k++) {
            td_real x = part->position[3 * (size_t)i + (size_t)k];
            low[k] = i == 0 || x < low[k] ? x : low[k];
            high[k] = i == 0 || x > high[k] ? x : high[k];
        }
    }
    tdi_json_key_reals(json, "min", low, 3);
    tdi_json_key_reals(json, "max", high, 3);
}

static void write_accessor(tdi_json *json, const td_mesh_part *part, const part_layout *layout,
                           int32_t first, int kind) {
    static const char *const types[VIEWS_PER_PART] = {"VEC3", "VEC3", "VEC4", "SCALAR"};
    int index_type = layout->short_index ? TYPE_SHORT : TYPE_INT;
    int components[VIEWS_PER_PART] = {TYPE_FLOAT, TYPE_FLOAT, TYPE_BYTE, index_type};
    tdi_json_open(json, '{');
    tdi_json_key_integer(json, "bufferView", first + kind);
    tdi_json_key_integer(json, "componentType", components[kind]);
    if (components[kind] == TYPE_BYTE) {
        tdi_json_key(json, "normalized");
        tdi_json_bool(json, true);
    }
    tdi_json_key_integer(json, "count", kind == 3 ? part->index_count : part->vertex_count);
    tdi_json_key_string(json, "type", types[kind]);
    if (kind == 0) {
        write_bounds(json, part);
    }
    tdi_json_close(json, '}');
}

static void write_data(tdi_json *json, const td_mesh_part *parts, const part_layout *layouts,
                       int32_t part_count, uint64_t binary_size) {
    tdi_json_key(json, "accessors");
    tdi_json_open(json, '[');
    for (int32_t i = 0; i < part_count; i++) {
        for (int kind = 0; kind < VIEWS_PER_PART; kind++) {
            write_accessor(json, &parts[i], &layouts[i], VIEWS_PER_PART * i, kind);
        }
    }
    tdi_json_close(json, ']');
    tdi_json_key(json, "bufferViews");
    tdi_json_open(json, '[');
    for (int32_t i = 0; i < part_count; i++) {
        for (int kind = 0; kind < VIEWS_PER_PART; kind++) {
            tdi_json_open(json, '{');
            tdi_json_key_integer(json, "buffer", 0);
            tdi_json_key_integer(json, "byteOffset", (int64_t)layouts[i].offset[kind]);
            tdi_json_key_integer(json, "byteLength", (int64_t)layouts[i].size[kind]);
            tdi_json_key_integer(json, "target", kind == 3 ? TARGET_INDEX : TARGET_VERTEX);
            tdi_json_close(json, '}');
        }
    }
    tdi_json_close(json, ']');
    tdi_json_key(json, "buffers");
    tdi_json_open(json, '[');
    tdi_json_open(json, '{');
    tdi_json_key_integer(json, "byteLength", (int64_t)binary_size);
    tdi_json_close(json, '}');
    tdi_json_close(json, ']');
}

// ---- binary chunk ---------------------------------------------------------------------------

static uint8_t *put_word(uint8_t *to, uint32_t word) {
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(word >> 8 * i);
    }
    return to + 4;
}

static void put_floats(uint8_t *to, const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, &values[i], sizeof word);
        to = put_word(to, word);
    }
}

// `to` is zeroed, so that padding need not be written
static void put_part(uint8_t *to, const td_mesh_part *part, const part_layout *layout) {
    size_t vertices = (size_t)part->vertex_count;
    put_floats(to + layout->offset[0], part->position, 3 * vertices);
    put_floats(to + layout->offset[1], part->normal, 3 * vertices);
    memcpy(to + layout->offset[2], part->color, 4 * vertices);
    uint8_t *at = to + layout->offset[3];
    for (int32_t i = 0; i < part->index_count; i++) {
        if (layout->short_index) {
            *at++ = (uint8_t)part->index[i];
            *at++ = (uint8_t)(part->index[i] >> 8);
        } else {
            at = put_word(at, part->index[i]);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

static td_status assemble(const td_bytes *json, const td_mesh_part *parts,
                          const part_layout *layouts, int32_t part_count, uint64_t binary_size,
                          td_bytes *out) {
    uint64_t json_size = padded(json->size);
    uint64_t total = 12 + 8 + json_size + (part_count > 0 ? 8 + binary_size : 0);
    if (total > UINT32_MAX || total > SIZE_MAX) {
        return TD_ERR_LIMIT;
    }
    uint8_t *data = tdi_alloc_zeroed(out->alloc, (size_t)total, 1);
    if (!data) {
        return TD_ERR_MEMORY;
    }
    uint8_t *at = put_word(put_word(put_word(data, GLB_MAGIC), 2), (uint32_t)total);
    at = put_word(put_word(at, (uint32_t)json_size), CHUNK_JSON);
    memcpy(at, json->data, json->size);
    memset(at + json->size, ' ', (size_t)json_size - json->size);
    at += json_size;
    if (part_count > 0) {
        at = put_word(put_word(at, (uint32_t)binary_size), CHUNK_BINARY);
        for (int32_t i = 0; i < part_count; i++) {
            put_part(at, &parts[i], &layouts[i]);
        }
    }
    out->data = data;
    out->size = (size_t)total;
    return TD_OK;
}

td_status td_mesh_glb(const td_mesh *mesh, const char *name, const td_alloc *alloc, td_bytes *out) {
    if (!out) {
        return TD_ERR_ARGUMENT;
    }
    *out = (td_bytes){NULL, 0, alloc};
    if (!mesh || td_mesh_part_count(mesh) > MAX_PARTS) {
        return TD_ERR_ARGUMENT;
    }
    td_mesh_part parts[MAX_PARTS];
    part_layout layouts[MAX_PARTS];
    uint64_t binary_size = 0;
    int32_t part_count = td_mesh_part_count(mesh);
    for (int32_t i = 0; i < part_count; i++) {
        parts[i] = td_mesh_part_get(mesh, i);
        layouts[i] = lay_out(&parts[i], &binary_size);
    }
    const char *label = name && name[0] ? name : "plant";

    tdi_json json = {.buffer = {.alloc = alloc}};
    tdi_json_open(&json, '{');
    write_scene(&json, label, part_count == 0);
    if (part_count > 0) {
        write_primitives(&json, label, part_count);
        write_materials(&json, parts, part_count);
        write_data(&json, parts, layouts, part_count, binary_size);
    }
    tdi_json_close(&json, '}');
    td_bytes text;
    td_status status = tdi_json_finish(&json, &text);
    if (status == TD_OK) {
        status = assemble(&text, parts, layouts, part_count, binary_size, out);
    }
    td_bytes_free(&text);
    return status;
}
