// SPDX-License-Identifier: MIT
// A skeleton as JSON, one line a segment, described in docs/guide/formats.md.

#include "io/json.h"

#include "base/guard.h"

#include <stdio.h>

// ---- small values ---------------------------------------------------------------------------

static void write_color(tdi_json *json, const char *key, uint32_t color) {
    char text[12];
    snprintf(text, sizeof text, "#%06x", (unsigned)(color & 0xffffff));
    tdi_json_key_string(json, key, text);
}

static void write_vec3(tdi_json *json, const char *key, td_vec3 v) {
    td_real values[3] = {v.x, v.y, v.z};
    tdi_json_key_reals(json, key, values, 3);
}

static void write_quat(tdi_json *json, const char *key, td_quat q) {
    td_real values[4] = {q.w, q.x, q.y, q.z};
    tdi_json_key_reals(json, key, values, 4);
}

static void write_sym3(tdi_json *json, const char *key, td_sym3 m) {
    td_real values[6] = {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
    tdi_json_key_reals(json, key, values, 6);
}

static const char *joint_name(td_joint_kind joint) {
    static const char *const names[] = {"ball", "hinge", "slide", "fixed", "free"};
    return (size_t)joint < sizeof names / sizeof names[0] ? names[joint] : "unknown";
}

static const char *shape_name(td_shape_kind kind) {
    static const char *const names[] = {"blade",   "flower", "ball",   "disc",
                                        "polygon", "box",    "patches"};
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

// ---- materials and shapes -------------------------------------------------------------------

static void write_material(tdi_json *json, const td_material *material) {
    tdi_json_line(json);
    tdi_json_open(json, '{');
    tdi_json_key_string(json, "name", material->name);
    tdi_json_key_real(json, "density", material->density);
    tdi_json_key_real(json, "young", material->young);
    tdi_json_key_real(json, "shear", td_material_shear(material));
    tdi_json_key_real(json, "poisson", material->poisson);
    tdi_json_key_real(json, "damping_time", material->damping_time);
    tdi_json_key_real(json, "thickness", material->thickness);
    tdi_json_key_string(json, "organ", td_organ_name(material->organ));
    write_color(json, "color", material->color);
    tdi_json_close(json, '}');
}

static void write_point(tdi_json *json, td_vec3 p) {
    tdi_json_open(json, '[');
    tdi_json_real(json, p.x);
    tdi_json_real(json, p.y);
    tdi_json_real(json, p.z);
    tdi_json_close(json, ']');
}

static void write_polygons(tdi_json *json, const char *key, const td_skeleton *skeleton,
                           const td_shape *shape) {
    const td_polygon *polygons = td_skeleton_polygons(skeleton);
    const td_vec3 *points = td_skeleton_points(skeleton);
    tdi_json_key(json, key);
    tdi_json_open(json, '[');
    for (int32_t i = 0; i < shape->polygon_count; i++) {
        const td_polygon *polygon = &polygons[shape->polygon_first + i];
        tdi_json_open(json, '[');
        for (int32_t k = 0; k < polygon->point_count; k++) {
            write_point(json, points[polygon->point_first + k]);
        }
        tdi_json_close(json, ']');
    }
    tdi_json_close(json, ']');
}

static void write_shape(tdi_json *json, const td_skeleton *skeleton, const td_shape *shape) {
    tdi_json_line(json);
    tdi_json_open(json, '{');
    tdi_json_key_string(json, "kind", shape_name(shape->kind));
    if (shape->kind == TD_SHAPE_POLYGON) {
        write_polygons(json, "polygons", skeleton, shape);
    } else if (shape->kind == TD_SHAPE_PATCHES) {
        write_polygons(json, "patches", skeleton, shape);
        tdi_json_key(json, "stretch");
        write_point(json, shape->stretch);
    } else {
        tdi_json_key_real(json, "width", shape->width);
        tdi_json_key_real(json, "depth", shape->depth);
        tdi_json_key_real(json, "widest", shape->widest);
        tdi_json_key_real(json, "taper", shape->taper);
        tdi_json_key_real(json, "fold", shape->fold);
        tdi_json_key_real(json, "curl", shape->curl);
        tdi_json_key_real(json, "crease", shape->crease);
        tdi_json_key_real(json, "wave", shape->wave);
        tdi_json_key_integer(json, "lobes", shape->lobes);
        tdi_json_key_real(json, "lobe_depth", shape->lobe_depth);
        tdi_json_key_real(json, "stalk", shape->stalk);
        tdi_json_key_real(json, "stalk_radius", shape->stalk_radius);
        tdi_json_key_integer(json, "petals", shape->petals);
        tdi_json_key_integer(json, "whorls", shape->whorls);
        tdi_json_key_real(json, "opening", shape->opening);
        tdi_json_key_real(json, "centre", shape->centre);
        write_color(json, "centre_color", shape->centre_color);
        if (shape->segments > 1) {
            tdi_json_key_integer(json, "segments", shape->segments);
            tdi_json_key_integer(json, "segment", shape->segment);
        }
    }
    write_color(json, "color", shape->color);
    tdi_json_close(json, '}');
}

// ---- segments -------------------------------------------------------------------------------

static void write_segment(tdi_json *json, const td_segment *segment) {
    tdi_json_line(json);
    tdi_json_open(json, '{');
    tdi_json_key_integer(json, "id", segment->id);
    tdi_json_key_integer(json, "parent", segment->parent);
    tdi_json_key_string(json, "joint", joint_name(segment->joint));
    write_vec3(json, "attach", segment->attach);
    write_vec3(json, "axis", segment->axis);
    write_quat(json, "rest", segment->rest);
    write_quat(json, "initial", segment->initial);
    tdi_json_key_real(json, "initial_slide", segment->initial_slide);
    tdi_json_key_real(json, "length", segment->length);
    tdi_json_key_real(json, "rest_length", segment->rest_length);
    write_vec3(json, "tip", segment->tip);
    tdi_json_key_real(json, "radius_base", segment->radius_base);
    tdi_json_key_real(json, "radius_tip", segment->radius_tip);
    tdi_json_key_real(json, "flat", segment->flat);
    const td_real section[4] = {segment->section.bend_x, segment->section.bend_z,
                                segment->section.twist, segment->section.stretch};
    tdi_json_key_reals(json, "section", section, 4);
    if (segment->contour > 0) {
        tdi_json_key_integer(json, "contour", segment->contour);
    }
    tdi_json_key_integer(json, "material", segment->material);
    tdi_json_key_string(json, "organ", td_organ_name(segment->organ));
    tdi_json_key_integer(json, "shape", segment->shape);
    write_color(json, "color", segment->color);
    tdi_json_key_real(json, "area", segment->area);
    tdi_json_key_real(json, "mass", segment->mass);
    write_vec3(json, "centre_of_mass", segment->centre_of_mass);
    write_sym3(json, "second_moment", segment->second_moment);
    write_vec3(json, "stiffness", segment->stiffness);
    write_vec3(json, "damping", segment->damping);
    tdi_json_close(json, '}');
}

// ---- strands and bodies ---------------------------------------------------------------------

static void write_strand(tdi_json *json, const td_strand *strand) {
    static const char *const ends[] = {"free", "pinned", "clamped"};
    tdi_json_line(json);
    tdi_json_open(json, '{');
    tdi_json_key_integer(json, "first", strand->first);
    tdi_json_key_integer(json, "count", strand->count);
    tdi_json_key_string(json, "start", ends[strand->start]);
    tdi_json_key_string(json, "end", ends[strand->end]);
    tdi_json_key(json, "closed");
    tdi_json_bool(json, strand->closed);
    write_quat(json, "closing", strand->closing);
    tdi_json_key_real(json, "twist", strand->twist);
    tdi_json_close(json, '}');
}

static void write_body(tdi_json *json, const td_body *body) {
    tdi_json_line(json);
    tdi_json_open(json, '{');
    tdi_json_key_integer(json, "segment", body->segment);
    tdi_json_key_real(json, "mass", body->mass);
    write_vec3(json, "centre_of_mass", body->centre_of_mass);
    write_sym3(json, "second_moment", body->second_moment);
    tdi_json_close(json, '}');
}

// Plants have neither.
static void write_strands(tdi_json *json, const td_skeleton *skeleton) {
    if (td_skeleton_strand_count(skeleton) > 0) {
        tdi_json_line(json);
        tdi_json_key(json, "strands");
        tdi_json_open(json, '[');
        for (int32_t i = 0; i < td_skeleton_strand_count(skeleton); i++) {
            write_strand(json, &td_skeleton_strands(skeleton)[i]);
        }
        tdi_json_close(json, ']');
    }
    if (td_skeleton_body_count(skeleton) > 0) {
        tdi_json_line(json);
        tdi_json_key(json, "bodies");
        tdi_json_open(json, '[');
        for (int32_t i = 0; i < td_skeleton_body_count(skeleton); i++) {
            write_body(json, &td_skeleton_bodies(skeleton)[i]);
        }
        tdi_json_close(json, ']');
    }
}

static void write_contours(tdi_json *json, const td_skeleton *skeleton) {
    if (td_skeleton_contour_count(skeleton) == 0) {
        return;
    }
    tdi_json_line(json);
    tdi_json_key(json, "contours");
    tdi_json_open(json, '[');
    for (int32_t i = 0; i < td_skeleton_contour_count(skeleton); i++) {
        const td_contour *contour = &td_skeleton_contours(skeleton)[i];
        tdi_json_line(json);
        tdi_json_open(json, '{');
        tdi_json_key(json, "closed");
        tdi_json_bool(json, contour->closed);
        tdi_json_key_reals(json, "x", contour->x, TD_CONTOUR_POINTS);
        tdi_json_key_reals(json, "z", contour->z, TD_CONTOUR_POINTS);
        tdi_json_close(json, '}');
    }
    tdi_json_close(json, ']');
}

// ---- entry ----------------------------------------------------------------------------------

td_status td_skeleton_json(const td_skeleton *skeleton, const td_alloc *alloc, td_bytes *out) {
    if (!skeleton || !out) {
        return TD_ERR_ARGUMENT;
    }
    if (!out) {
        return TD_ERR_ARGUMENT;
    }
    *out = (td_bytes){NULL, 0, alloc};
    if (!skeleton) {
        return TD_ERR_ARGUMENT;
    }
    char generator[64];
    snprintf(generator, sizeof generator, "Tendril %s", td_version());
    tdi_json json = {.buffer = {.alloc = alloc}};
    tdi_json_open(&json, '{');
    tdi_json_key_string(&json, "generator", generator);
    tdi_json_line(&json);
    tdi_json_key(&json, "materials");
    tdi_json_open(&json, '[');
    for (int32_t i = 0; i < td_skeleton_material_count(skeleton); i++) {
        write_material(&json, &td_skeleton_materials(skeleton)[i]);
    }
    tdi_json_close(&json, ']');
    tdi_json_line(&json);
    tdi_json_key(&json, "shapes");
    tdi_json_open(&json, '[');
    for (int32_t i = 0; i < td_skeleton_shape_count(skeleton); i++) {
        write_shape(&json, skeleton, &td_skeleton_shapes(skeleton)[i]);
    }
    tdi_json_close(&json, ']');
    tdi_json_line(&json);
    tdi_json_key(&json, "segments");
    tdi_json_open(&json, '[');
    for (int32_t i = 0; i < td_skeleton_count(skeleton); i++) {
        write_segment(&json, &td_skeleton_segments(skeleton)[i]);
    }
    tdi_json_close(&json, ']');
    write_strands(&json, skeleton);
    write_contours(&json, skeleton);
    tdi_json_line(&json);
    tdi_json_close(&json, '}');
    tdi_buffer_add(&json.buffer, "\n", 1);
    return tdi_json_finish(&json, out);
}
