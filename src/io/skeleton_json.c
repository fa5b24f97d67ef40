// SPDX-License-Identifier: MIT
// A skeleton as JSON, one line a segment, described in docs/guide/formats.md.

#include "io/json.h"

#include "base/guard.h"
#include "plant/json_fields.h"

#include <stdio.h>
#include <string.h>

// ---- objects --------------------------------------------------------------------------------

static void write_color(tdi_json *json, const char *key, uint32_t color) {
    char text[12];
    snprintf(text, sizeof text, "#%06x", (unsigned)(color & 0xffffff));
    tdi_json_key_string(json, key, text);
}

static size_t size_of(const tdi_key *key) {
    return key->kind == TDI_KEY_REALS  ? (size_t)key->count * sizeof(td_real)
           : key->kind == TDI_KEY_TEXT ? (size_t)key->count
           : key->kind == TDI_KEY_BOOL ? sizeof(bool)
                                       : sizeof(int32_t);
}

static void write_key(tdi_json *json, const tdi_key *key, const char *at) {
    int32_t number = 0;
    if (key->kind == TDI_KEY_REALS && key->count > 1) {
        tdi_json_key_reals(json, key->name, (const td_real *)(const void *)at, key->count);
    } else if (key->kind == TDI_KEY_REALS) {
        tdi_json_key_real(json, key->name, *(const td_real *)(const void *)at);
    } else if (key->kind == TDI_KEY_TEXT) {
        tdi_json_key_string(json, key->name, at);
    } else if (key->kind == TDI_KEY_BOOL) {
        tdi_json_key(json, key->name);
        tdi_json_bool(json, *(const bool *)(const void *)at);
    } else {
        memcpy(&number, at, sizeof number);
        if (key->kind == TDI_KEY_COLOR) {
            write_color(json, key->name, (uint32_t)number);
        } else if (key->kind == TDI_KEY_NAME) {
            const bool known = number >= 0 && number < key->count;
            tdi_json_key_string(json, key->name, known ? key->names[number] : "unknown");
        } else {
            tdi_json_key_integer(json, key->name, number);
        }
    }
}

// Keys of an object. Rare keys, and with `brief` all keys, are omitted if they equal `initial`.
static void write_keys(tdi_json *json, tdi_key_table table, const void *object, const void *initial,
                       bool brief) {
    for (int32_t k = 0; k < table.count; k++) {
        const tdi_key *key = &table.keys[k];
        const char *at = (const char *)object + key->offset;
        const bool must = key->need == TDI_KEY_REQUIRED || (key->need == TDI_KEY_USUAL && !brief);
        if (must || memcmp(at, (const char *)initial + key->offset, size_of(key)) != 0) {
            write_key(json, key, at);
        }
    }
}

static void write_object(tdi_json *json, tdi_key_table table, const void *object,
                         const void *initial) {
    tdi_json_line(json);
    tdi_json_open(json, "{");
    write_keys(json, table, object, initial, false);
    tdi_json_close(json, "}");
}

static void write_list(tdi_json *json, const char *key, tdi_key_table table, const void *items,
                       int32_t count, size_t size, const void *initial) {
    tdi_json_line(json);
    tdi_json_key_open(json, key, "[");
    for (int32_t i = 0; i < count; i++) {
        write_object(json, table, (const char *)items + (size_t)i * size, initial);
    }
    tdi_json_close(json, "]");
}

// ---- materials and shapes -------------------------------------------------------------------

static void write_material(tdi_json *json, const td_material *material) {
    const tdi_json_material none = {.shear_from_poisson = false};
    tdi_json_material all = {*material, material->shear == 0};
    all.material.shear = td_material_shear(material);
    write_object(json, tdi_material_keys(), &all, &none);
}

static void write_polygons(tdi_json *json, const char *key, const td_skeleton *skeleton,
                           const td_shape *shape) {
    const td_polygon *polygons = td_skeleton_polygons(skeleton);
    const td_vec3 *points = td_skeleton_points(skeleton);
    tdi_json_key_open(json, key, "[");
    for (int32_t i = 0; i < shape->polygon_count; i++) {
        const td_polygon *polygon = &polygons[shape->polygon_first + i];
        tdi_json_open(json, "[");
        for (int32_t k = 0; k < polygon->point_count; k++) {
            const td_vec3 p = points[polygon->point_first + k];
            tdi_json_open(json, "[");
            tdi_json_real(json, p.x);
            tdi_json_real(json, p.y);
            tdi_json_real(json, p.z);
            tdi_json_close(json, "]");
        }
        tdi_json_close(json, "]");
    }
    tdi_json_close(json, "]");
}

static void write_shape(tdi_json *json, const td_skeleton *skeleton, const td_shape *shape) {
    const td_shape usual = td_shape_default();
    const bool polygon = shape->kind == TD_SHAPE_POLYGON, patches = shape->kind == TD_SHAPE_PATCHES;
    tdi_json_line(json);
    tdi_json_open(json, "{");
    write_keys(json, tdi_shape_keys(), shape, &usual, polygon || patches);
    if (polygon || patches) {
        write_polygons(json, polygon ? "polygons" : "patches", skeleton, shape);
    }
    tdi_json_close(json, "}");
}

// ---- entry ----------------------------------------------------------------------------------

td_status td_skeleton_json(const td_skeleton *skeleton, const td_alloc *alloc, td_bytes *out) {
    if (!skeleton || !out) {
        return TD_ERR_ARGUMENT;
    }
    *out = (td_bytes){NULL, 0, alloc};
    static const td_segment plain = {.drag = 1};
    static const td_strand no_strand = {0};
    static const td_attached_mass no_body = {0};
    static const td_contour no_contour = {0};
    char generator[64];
    snprintf(generator, sizeof generator, "Tendril %s", td_version());
    tdi_json json = {.buffer = {.alloc = alloc}};
    tdi_json_open(&json, "{");
    tdi_json_key_string(&json, "generator", generator);
    tdi_json_line(&json);
    tdi_json_key_open(&json, "materials", "[");
    for (int32_t i = 0; i < td_skeleton_material_count(skeleton); i++) {
        write_material(&json, &td_skeleton_materials(skeleton)[i]);
    }
    tdi_json_close(&json, "]");
    tdi_json_line(&json);
    tdi_json_key_open(&json, "shapes", "[");
    for (int32_t i = 0; i < td_skeleton_shape_count(skeleton); i++) {
        write_shape(&json, skeleton, &td_skeleton_shapes(skeleton)[i]);
    }
    tdi_json_close(&json, "]");
    write_list(&json, "segments", tdi_segment_keys(), td_skeleton_segments(skeleton),
               td_skeleton_count(skeleton), sizeof plain, &plain);
    if (td_skeleton_strand_count(skeleton) > 0) {
        write_list(&json, "strands", tdi_strand_keys(), td_skeleton_strands(skeleton),
                   td_skeleton_strand_count(skeleton), sizeof no_strand, &no_strand);
    }
    if (td_skeleton_attached_mass_count(skeleton) > 0) {
        write_list(&json, "bodies", tdi_body_keys(), td_skeleton_attached_masses(skeleton),
                   td_skeleton_attached_mass_count(skeleton), sizeof no_body, &no_body);
    }
    if (td_skeleton_contour_count(skeleton) > 0) {
        write_list(&json, "contours", tdi_contour_keys(), td_skeleton_contours(skeleton),
                   td_skeleton_contour_count(skeleton), sizeof no_contour, &no_contour);
    }
    tdi_json_line(&json);
    tdi_json_close(&json, "}");
    tdi_buffer_add(&json.buffer, "\n", 1);
    return tdi_json_finish(&json, out);
}
