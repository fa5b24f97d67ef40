// SPDX-License-Identifier: MIT
// The keys of a skeleton in JSON.

#include "plant/json_fields.h"

static const char *const joints[] = {"ball", "hinge", "slide", "fixed", "free"};
static const char *const organs[] = {"stem", "leaf", "petal", "flower", "fruit"};
static const char *const shapes[] = {"blade",   "flower", "ball",   "disc",
                                     "polygon", "box",    "patches"};
static const char *const ends[] = {"free", "pinned", "clamped"};

#define COUNT(list) ((int32_t)(sizeof(list) / sizeof *(list)))
#define KEY(type, f, kind, n, names, need) \
    { #f, offsetof(type, f), kind, n, names, need }
#define INT(type, f)           KEY(type, f, TDI_KEY_INT, 1, NULL, TDI_KEY_REQUIRED)
#define REALS(type, f, n)      KEY(type, f, TDI_KEY_REALS, n, NULL, TDI_KEY_REQUIRED)
#define NAME(type, f, list)    KEY(type, f, TDI_KEY_NAME, COUNT(list), list, TDI_KEY_REQUIRED)
#define COLOR(type, f)         KEY(type, f, TDI_KEY_COLOR, 1, NULL, TDI_KEY_REQUIRED)
#define BOOL(type, f)          KEY(type, f, TDI_KEY_BOOL, 1, NULL, TDI_KEY_REQUIRED)
#define RARE(type, f, kind, n) KEY(type, f, kind, n, NULL, TDI_KEY_RARE)
// of shapes and of materials
#define SHAPE(f, kind) KEY(td_shape, f, kind, 1, NULL, TDI_KEY_USUAL)
#define MATERIAL(f, kind, n, names) \
    { #f, offsetof(tdi_json_material, material.f), kind, n, names, TDI_KEY_REQUIRED }
#define TABLE(list) ((tdi_key_table){list, COUNT(list)})

tdi_key_table tdi_segment_keys(void) {
    static const tdi_key keys[] = {
        INT(td_segment, id),
        INT(td_segment, parent),
        NAME(td_segment, joint, joints),
        REALS(td_segment, attach, 3),
        REALS(td_segment, axis, 3),
        REALS(td_segment, rest, 4),
        REALS(td_segment, initial, 4),
        REALS(td_segment, initial_slide, 1),
        REALS(td_segment, length, 1),
        REALS(td_segment, rest_length, 1),
        REALS(td_segment, tip, 3),
        REALS(td_segment, radius_base, 1),
        REALS(td_segment, radius_tip, 1),
        REALS(td_segment, flat, 1),
        REALS(td_segment, section, 4),
        RARE(td_segment, bead, TDI_KEY_REALS, 1),
        RARE(td_segment, contour, TDI_KEY_INT, 1),
        INT(td_segment, material),
        NAME(td_segment, organ, organs),
        INT(td_segment, shape),
        COLOR(td_segment, color),
        REALS(td_segment, area, 1),
        REALS(td_segment, mass, 1),
        RARE(td_segment, drag, TDI_KEY_REALS, 1),
        REALS(td_segment, centre_of_mass, 3),
        REALS(td_segment, second_moment, 6),
        REALS(td_segment, stiffness, 3),
        REALS(td_segment, damping, 3),
        RARE(td_segment, outline, TDI_KEY_REALS, 3),
        RARE(td_segment, fold_pressure, TDI_KEY_REALS, 1),
    };
    return TABLE(keys);
}

tdi_key_table tdi_material_keys(void) {
    static const tdi_key keys[] = {
        MATERIAL(name, TDI_KEY_TEXT, sizeof(((td_material *)0)->name), NULL),
        MATERIAL(density, TDI_KEY_REALS, 1, NULL),
        MATERIAL(young, TDI_KEY_REALS, 1, NULL),
        MATERIAL(shear, TDI_KEY_REALS, 1, NULL),
        RARE(tdi_json_material, shear_from_poisson, TDI_KEY_BOOL, 1),
        MATERIAL(poisson, TDI_KEY_REALS, 1, NULL),
        MATERIAL(damping_time, TDI_KEY_REALS, 1, NULL),
        MATERIAL(thickness, TDI_KEY_REALS, 1, NULL),
        MATERIAL(organ, TDI_KEY_NAME, COUNT(organs), organs),
        MATERIAL(color, TDI_KEY_COLOR, 1, NULL),
    };
    return TABLE(keys);
}

tdi_key_table tdi_shape_keys(void) {
    static const tdi_key keys[] = {
        NAME(td_shape, kind, shapes),
        SHAPE(width, TDI_KEY_REALS),
        SHAPE(depth, TDI_KEY_REALS),
        SHAPE(widest, TDI_KEY_REALS),
        SHAPE(taper, TDI_KEY_REALS),
        SHAPE(fold, TDI_KEY_REALS),
        SHAPE(curl, TDI_KEY_REALS),
        SHAPE(crease, TDI_KEY_REALS),
        SHAPE(wave, TDI_KEY_REALS),
        SHAPE(lobes, TDI_KEY_INT),
        SHAPE(lobe_depth, TDI_KEY_REALS),
        SHAPE(stalk, TDI_KEY_REALS),
        SHAPE(stalk_radius, TDI_KEY_REALS),
        SHAPE(petals, TDI_KEY_INT),
        SHAPE(whorls, TDI_KEY_INT),
        SHAPE(opening, TDI_KEY_REALS),
        SHAPE(centre, TDI_KEY_REALS),
        SHAPE(centre_color, TDI_KEY_COLOR),
        RARE(td_shape, segments, TDI_KEY_INT, 1),
        RARE(td_shape, segment, TDI_KEY_INT, 1),
        RARE(td_shape, stretch, TDI_KEY_REALS, 3),
        COLOR(td_shape, color),
    };
    return TABLE(keys);
}

tdi_key_table tdi_strand_keys(void) {
    static const tdi_key keys[] = {
        INT(td_strand, first),        INT(td_strand, count),
        NAME(td_strand, start, ends), NAME(td_strand, end, ends),
        BOOL(td_strand, closed),      REALS(td_strand, closing, 4),
        REALS(td_strand, twist, 1),   RARE(td_strand, elements, TDI_KEY_INT, 1),
    };
    return TABLE(keys);
}

tdi_key_table tdi_body_keys(void) {
    static const tdi_key keys[] = {
        INT(td_attached_mass, segment),
        REALS(td_attached_mass, mass, 1),
        REALS(td_attached_mass, centre_of_mass, 3),
        REALS(td_attached_mass, second_moment, 6),
    };
    return TABLE(keys);
}

tdi_key_table tdi_contour_keys(void) {
    static const tdi_key keys[] = {
        BOOL(td_contour, closed),
        REALS(td_contour, x, TD_CONTOUR_POINTS),
        REALS(td_contour, z, TD_CONTOUR_POINTS),
    };
    return TABLE(keys);
}
