// SPDX-License-Identifier: MIT
// What every binary glTF 2.0 file of ours is made of.

#include "io/gltf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GLB_MAGIC     0x46546c67u // "glTF"
#define CHUNK_JSON    0x4e4f534au // "JSON"
#define CHUNK_BINARY  0x004e4942u // "BIN" and a zero
#define TARGET_VERTEX 34962
#define TARGET_INDEX  34963

// ---- layout ---------------------------------------------------------------------------------

uint64_t tdi_gltf_padded(uint64_t size) {
    return (size + 3) / 4 * 4;
}

tdi_gltf_cube tdi_gltf_cube_around(const td_mesh *mesh) {
    td_real low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int32_t i = 0; i < td_mesh_part_count(mesh); i++) {
        td_mesh_part part = td_mesh_part_get(mesh, i);
        for (size_t v = 0; v < 3 * (size_t)part.vertex_count; v++) {
            td_real x = part.position[v];
            low[v % 3] = (i == 0 && v < 3) || x < low[v % 3] ? x : low[v % 3];
            high[v % 3] = (i == 0 && v < 3) || x > high[v % 3] ? x : high[v % 3];
        }
    }
    td_real size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    tdi_gltf_cube cube = {{low[0], low[1], low[2]}, size > 0 ? size : 1};
    return cube;
}

// bytes of an array; 0: the file has none
static uint64_t view_size(const td_mesh_part *part, bool skinned, bool compact, bool short_index,
                          int view) {
    uint64_t vertices = (uint64_t)part->vertex_count, indices = (uint64_t)part->index_count;
    bool textured = part->texcoord && (part->texture || !compact);
    switch (view) {
    // three short numbers or bytes, and one that fills up: vertices begin at multiples of 4
    case TDI_VIEW_POSITION: return (compact ? 8 : 12) * vertices;
    case TDI_VIEW_NORMAL: return (compact ? 4 : 12) * vertices;
    case TDI_VIEW_COLOR: return 4 * vertices;
    case TDI_VIEW_INDEX: return (short_index ? 2 : 4) * indices;
    case TDI_VIEW_TEXCOORD: return textured ? 8 * vertices : 0;
    case TDI_VIEW_TANGENT: return part->tangent && !compact ? 16 * vertices : 0;
    case TDI_VIEW_JOINTS: return skinned ? 8 * vertices : 0;
    default: return skinned ? 4 * vertices : 0;
    }
}

tdi_gltf_layout tdi_gltf_lay_out(const td_mesh_part *part, bool skinned, const tdi_gltf_cube *cube,
                                 uint64_t *end, int64_t *accessor) {
    // 65535 itself is reserved: it would restart a strip
    tdi_gltf_layout layout = {.short_index = part->vertex_count <= 65535};
    if (cube) {
        layout.cube = *cube;
    }
    for (int i = 0; i < TDI_VIEW_COUNT; i++) {
        layout.size[i] = view_size(part, skinned, cube != NULL, layout.short_index, i);
        layout.accessor[i] = layout.size[i] > 0 ? (*accessor)++ : TD_NONE;
        layout.offset[i] = *end;
        *end += tdi_gltf_padded(layout.size[i]);
    }
    return layout;
}

// ---- JSON chunk -----------------------------------------------------------------------------

void tdi_gltf_write_asset(tdi_json *json) {
    char generator[64];
    snprintf(generator, sizeof generator, "Tendril %s", td_version());
    tdi_json_key_open(json, "asset", "{");
    tdi_json_key_string(json, "version", "2.0");
    tdi_json_key_string(json, "generator", generator);
    tdi_json_close(json, "}");
}

void tdi_gltf_write_primitive(tdi_json *json, const tdi_gltf_layout *layout, int32_t material) {
    static const char *const names[TDI_VIEW_COUNT] = {
        [TDI_VIEW_POSITION] = "POSITION",   [TDI_VIEW_NORMAL] = "NORMAL",
        [TDI_VIEW_COLOR] = "COLOR_0",       [TDI_VIEW_INDEX] = NULL,
        [TDI_VIEW_TEXCOORD] = "TEXCOORD_0", [TDI_VIEW_TANGENT] = "TANGENT",
        [TDI_VIEW_JOINTS] = "JOINTS_0",     [TDI_VIEW_WEIGHTS] = "WEIGHTS_0"};
    tdi_json_open(json, "{");
    tdi_json_key_open(json, "attributes", "{");
    for (int view = 0; view < TDI_VIEW_COUNT; view++) {
        if (names[view] && layout->accessor[view] != TD_NONE) {
            tdi_json_key_integer(json, names[view], layout->accessor[view]);
        }
    }
    tdi_json_close(json, "}");
    tdi_json_key_integer(json, "indices", layout->accessor[TDI_VIEW_INDEX]);
    tdi_json_key_integer(json, "material", material);
    tdi_json_close(json, "}");
}

// ---- textures -------------------------------------------------------------------------------

#define REPEATED      10497 // wrapping
#define LINEAR        9729  // filters
#define LINEAR_MIPMAP 9987

// The pictures of a texture; TD_NONE: it has none.
typedef struct look {
    const char *texture;
    int colors, normals;
} look;

static const look *look_of(const char *texture) {
    static const look looks[] = {{"bark", TDI_PICTURE_BARK, TDI_PICTURE_BARK_NORMALS},
                                 {"stalk", TDI_PICTURE_STALK, TD_NONE},
                                 {"leaf", TDI_PICTURE_LEAF, TDI_PICTURE_LEAF_NORMALS},
                                 {"petal", TDI_PICTURE_PETAL, TD_NONE}};
    for (size_t i = 0; TDI_PICTURES && texture && i < sizeof looks / sizeof looks[0]; i++) {
        if (strcmp(looks[i].texture, texture) == 0) {
            return &looks[i];
        }
    }
    return NULL;
}

void tdi_gltf_pictures_use(tdi_gltf_pictures *pictures, const td_mesh_part *part) {
    const look *l = look_of(part->texture);
    if (l) {
        pictures->used[l->colors] = true;
    }
    if (l && l->normals != TD_NONE) {
        pictures->used[l->normals] = true;
    }
}

void tdi_gltf_pictures_place(tdi_gltf_pictures *pictures, int64_t first_view, uint64_t *end) {
    pictures->first_view = first_view;
    for (int i = 0; i < TDI_PICTURE_COUNT; i++) {
        pictures->offset[i] = *end;
        *end += pictures->used[i] ? tdi_gltf_padded(tdi_picture_size((tdi_picture)i)) : 0;
    }
}

// number of a picture among those that are used
static int64_t number_of(const tdi_gltf_pictures *pictures, int picture) {
    int64_t number = 0;
    for (int i = 0; i < picture; i++) {
        number += pictures->used[i];
    }
    return number;
}

static void write_texture(tdi_json *json, const char *key, int picture,
                          const tdi_gltf_pictures *pictures) {
    if (picture != TD_NONE) {
        tdi_json_key_open(json, key, "{");
        tdi_json_key_integer(json, "index", number_of(pictures, picture));
        tdi_json_close(json, "}");
    }
}

static void write_images(tdi_json *json, int64_t first_view, int64_t count) {
    tdi_json_key_open(json, "images", "[");
    for (int64_t i = 0; i < count; i++) {
        tdi_json_open(json, "{");
        tdi_json_key_integer(json, "bufferView", first_view + i);
        tdi_json_key_string(json, "mimeType", "image/png");
        tdi_json_close(json, "}");
    }
    tdi_json_close(json, "]");
}

void tdi_gltf_write_pictures(tdi_json *json, const tdi_gltf_pictures *pictures) {
    int64_t count = number_of(pictures, TDI_PICTURE_COUNT);
    if (count == 0) {
        return;
    }
    write_images(json, pictures->first_view, count);
    tdi_json_key_open(json, "samplers", "[{");
    tdi_json_key_integer(json, "magFilter", LINEAR);
    tdi_json_key_integer(json, "minFilter", LINEAR_MIPMAP);
    tdi_json_key_integer(json, "wrapS", REPEATED);
    tdi_json_key_integer(json, "wrapT", REPEATED);
    tdi_json_close(json, "}]");
    tdi_json_key_open(json, "textures", "[");
    for (int64_t i = 0; i < count; i++) {
        tdi_json_open(json, "{");
        tdi_json_key_integer(json, "sampler", 0);
        tdi_json_key_integer(json, "source", i);
        tdi_json_close(json, "}");
    }
    tdi_json_close(json, "]");
}

void tdi_gltf_write_picture_views(tdi_json *json, const tdi_gltf_pictures *pictures) {
    for (int i = 0; i < TDI_PICTURE_COUNT; i++) {
        if (pictures->used[i]) {
            tdi_gltf_write_view(json, pictures->offset[i], tdi_picture_size((tdi_picture)i));
        }
    }
}

// ---- materials ------------------------------------------------------------------------------

static td_real roughness_of(const char *part) {
    static const struct {
        const char *part;
        td_real roughness;
    } table[] = {{"leaf", 0.6},  {"petal", 0.7},     {"flower", 0.8},
                 {"fruit", 0.4}, {"collider", 0.65}, {"contact", 0.5}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].part, part) == 0) {
            return table[i].roughness;
        }
    }
    return 0.9; // bark
}

void tdi_gltf_write_material(tdi_json *json, const char *part, bool double_sided,
                             const char *texture, const tdi_gltf_pictures *pictures) {
    const look *l = look_of(texture);
    tdi_json_open(json, "{");
    tdi_json_key_string(json, "name", part);
    tdi_json_key_open(json, "pbrMetallicRoughness", "{");
    tdi_json_key_integer(json, "metallicFactor", 0);
    tdi_json_key_real(json, "roughnessFactor", roughness_of(part));
    write_texture(json, "baseColorTexture", l ? l->colors : TD_NONE, pictures);
    tdi_json_close(json, "}");
    write_texture(json, "normalTexture", l ? l->normals : TD_NONE, pictures);
    if (strcmp(part, "plane") == 0) { // its edge fades out
        tdi_json_key_string(json, "alphaMode", "BLEND");
    }
    if (double_sided) {
        tdi_json_key(json, "doubleSided");
        tdi_json_bool(json, true);
    }
    tdi_json_close(json, "}");
}

// a coordinate as the steps in which it is counted
static uint32_t steps_of(const tdi_gltf_cube *cube, td_real x, int axis) {
    td_real low = axis == 0 ? cube->low.x : axis == 1 ? cube->low.y : cube->low.z;
    td_real steps = floor(65535 * (x - low) / cube->size + 0.5);
    return (uint32_t)fmin(fmax(steps, 0), 65535);
}

// the smallest and largest coordinates, exactly as the numbers are
static void write_bounds(tdi_json *json, const td_mesh_part *part, const tdi_gltf_cube *cube) {
    td_real low[3], high[3];
    for (int32_t i = 0; i < part->vertex_count; i++) {
        for (int k = 0; k < 3; k++) {
            td_real x = part->position[3 * (size_t)i + (size_t)k];
            x = cube->size > 0 ? steps_of(cube, x, k) : x;
            low[k] = i == 0 || x < low[k] ? x : low[k];
            high[k] = i == 0 || x > high[k] ? x : high[k];
        }
    }
    tdi_json_key_reals(json, "min", low, 3);
    tdi_json_key_reals(json, "max", high, 3);
}

void tdi_gltf_write_accessors(tdi_json *json, const td_mesh_part *part,
                              const tdi_gltf_layout *layout) {
    static const char *const types[TDI_VIEW_COUNT] = {"VEC3", "VEC3", "VEC4", "SCALAR",
                                                      "VEC2", "VEC4", "VEC4", "VEC4"};
    bool compact = layout->cube.size > 0;
    const int components[TDI_VIEW_COUNT] = {
        [TDI_VIEW_POSITION] = compact ? TDI_GLTF_WORD : TDI_GLTF_FLOAT,
        [TDI_VIEW_NORMAL] = compact ? TDI_GLTF_SMALL : TDI_GLTF_FLOAT,
        [TDI_VIEW_COLOR] = TDI_GLTF_BYTE,
        [TDI_VIEW_INDEX] = layout->short_index ? TDI_GLTF_WORD : TDI_GLTF_INT,
        [TDI_VIEW_TEXCOORD] = TDI_GLTF_FLOAT,
        [TDI_VIEW_TANGENT] = TDI_GLTF_FLOAT,
        [TDI_VIEW_JOINTS] = TDI_GLTF_WORD,
        [TDI_VIEW_WEIGHTS] = TDI_GLTF_BYTE};
    for (int view = 0; view < TDI_VIEW_COUNT; view++) {
        if (layout->accessor[view] == TD_NONE) {
            continue;
        }
        tdi_json_open(json, "{");
        tdi_json_key_integer(json, "bufferView", layout->accessor[view]);
        tdi_json_key_integer(json, "componentType", components[view]);
        if (components[view] == TDI_GLTF_BYTE || (compact && view <= TDI_VIEW_NORMAL)) {
            tdi_json_key(json, "normalized");
            tdi_json_bool(json, true);
        }
        tdi_json_key_integer(json, "count",
                             view == TDI_VIEW_INDEX ? part->index_count : part->vertex_count);
        tdi_json_key_string(json, "type", types[view]);
        if (view == TDI_VIEW_POSITION) {
            write_bounds(json, part, &layout->cube);
        }
        tdi_json_close(json, "}");
    }
}

// without `stride` numbers follow each other
static void write_view(tdi_json *json, uint64_t offset, uint64_t size, int stride, int target) {
    tdi_json_open(json, "{");
    tdi_json_key_integer(json, "buffer", 0);
    tdi_json_key_integer(json, "byteOffset", (int64_t)offset);
    tdi_json_key_integer(json, "byteLength", (int64_t)size);
    if (stride != 0) {
        tdi_json_key_integer(json, "byteStride", stride);
    }
    if (target != 0) {
        tdi_json_key_integer(json, "target", target);
    }
    tdi_json_close(json, "}");
}

void tdi_gltf_write_view(tdi_json *json, uint64_t offset, uint64_t size) {
    write_view(json, offset, size, 0, 0);
}

void tdi_gltf_write_views(tdi_json *json, const tdi_gltf_layout *layout) {
    for (int view = 0; view < TDI_VIEW_COUNT; view++) {
        if (layout->accessor[view] == TD_NONE) {
            continue;
        }
        int stride = layout->cube.size > 0 && view == TDI_VIEW_POSITION ? 8
                     : layout->cube.size > 0 && view == TDI_VIEW_NORMAL ? 4
                                                                        : 0;
        write_view(json, layout->offset[view], layout->size[view], stride,
                   view == TDI_VIEW_INDEX ? TARGET_INDEX : TARGET_VERTEX);
    }
}

void tdi_gltf_write_buffer(tdi_json *json, uint64_t size) {
    tdi_json_key_open(json, "buffers", "[{");
    tdi_json_key_integer(json, "byteLength", (int64_t)size);
    tdi_json_close(json, "}]");
}

// ---- binary chunk ---------------------------------------------------------------------------

static uint8_t *put_word(uint8_t *to, uint32_t word) {
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(word >> 8 * i);
    }
    return to + 4;
}

uint8_t *tdi_gltf_put_float(uint8_t *to, float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return put_word(to, word);
}

static void put_floats(uint8_t *to, const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to = tdi_gltf_put_float(to, values[i]);
    }
}

static uint8_t *put_short(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    return to + 2;
}

static void put_compact(uint8_t *positions, uint8_t *normals, const td_mesh_part *part,
                        const tdi_gltf_cube *cube) {
    for (size_t v = 0; v < (size_t)part->vertex_count; v++) {
        uint8_t *at = positions + 8 * v;
        for (int k = 0; k < 3; k++) {
            size_t i = 3 * v + (size_t)k;
            at = put_short(at, steps_of(cube, part->position[i], k));
            normals[4 * v + (size_t)k] = (uint8_t)(int8_t)floor(127 * part->normal[i] + 0.5);
        }
    }
}

void tdi_gltf_put_part(uint8_t *to, uint64_t from, const td_mesh_part *part,
                       const tdi_gltf_layout *layout) {
    size_t vertices = (size_t)part->vertex_count;
    uint8_t *positions = to + (layout->offset[TDI_VIEW_POSITION] - from);
    uint8_t *normals = to + (layout->offset[TDI_VIEW_NORMAL] - from);
    if (layout->cube.size > 0) {
        put_compact(positions, normals, part, &layout->cube);
    } else {
        put_floats(positions, part->position, 3 * vertices);
        put_floats(normals, part->normal, 3 * vertices);
    }
    memcpy(to + (layout->offset[TDI_VIEW_COLOR] - from), part->color, 4 * vertices);
    uint8_t *at = to + (layout->offset[TDI_VIEW_INDEX] - from);
    for (int32_t i = 0; i < part->index_count; i++) {
        at = layout->short_index ? put_short(at, part->index[i]) : put_word(at, part->index[i]);
    }
    if (layout->accessor[TDI_VIEW_TEXCOORD] != TD_NONE) {
        put_floats(to + (layout->offset[TDI_VIEW_TEXCOORD] - from), part->texcoord, 2 * vertices);
    }
    if (layout->accessor[TDI_VIEW_TANGENT] != TD_NONE) {
        put_floats(to + (layout->offset[TDI_VIEW_TANGENT] - from), part->tangent, 4 * vertices);
    }
    if (layout->accessor[TDI_VIEW_JOINTS] != TD_NONE) {
        at = to + (layout->offset[TDI_VIEW_JOINTS] - from);
        for (size_t i = 0; i < 4 * vertices; i++) {
            at = put_short(at, part->joint[i]);
        }
        memcpy(to + (layout->offset[TDI_VIEW_WEIGHTS] - from), part->weight, 4 * vertices);
    }
}

// ---- chunks ---------------------------------------------------------------------------------

uint64_t tdi_glb_size(uint64_t json_size, uint64_t binary_size) {
    uint64_t binary = binary_size > 0 ? TDI_GLB_BINARY_HEAD + binary_size : 0;
    return TDI_GLB_HEAD + tdi_gltf_padded(json_size) + binary;
}

void tdi_glb_put_head(uint8_t to[TDI_GLB_HEAD], uint64_t json_size, uint64_t binary_size) {
    to = put_word(put_word(to, GLB_MAGIC), 2);
    to = put_word(to, (uint32_t)tdi_glb_size(json_size, binary_size));
    to = put_word(to, (uint32_t)tdi_gltf_padded(json_size));
    put_word(to, CHUNK_JSON);
}

void tdi_glb_put_binary_head(uint8_t to[TDI_GLB_BINARY_HEAD], uint64_t binary_size) {
    put_word(put_word(to, (uint32_t)binary_size), CHUNK_BINARY);
}
