// SPDX-License-Identifier: MIT
// The fields of materials and shapes: names, ranges, units, checks.

#include "plant/fields.h"

#include "base/diag.h"
#include "math/vec3.h"

#include <stdio.h>
#include <string.h>

// Upper ends are far beyond anything that grows: they keep products of the fields finite.
#define MATERIAL(field, key, low, high, open) \
    { #field, key, TDI_FIELD_REAL, offsetof(td_material, field), low, high, open }
#define SHAPE(kind, field, low, high, open) \
    { #field, #field, kind, offsetof(td_shape, field), low, high, open }

const tdi_field tdi_material_fields[] = {
    MATERIAL(density, "density", 0, 1e6, true),
    MATERIAL(young, "young", 0, 1e15, true),
    MATERIAL(shear, "shear", 0, 1e15, false),
    MATERIAL(poisson, "poisson", -1, 0.5, true),
    MATERIAL(damping_time, "damping", 0, 1e6, false),
    MATERIAL(thickness, "thickness", 0, 1e3, false),
    {"color", "color", TDI_FIELD_COLOR, offsetof(td_material, color), 0, 0xffffff, false},
};
const int32_t tdi_material_field_count = sizeof tdi_material_fields / sizeof tdi_material_fields[0];

const tdi_field tdi_shape_fields[] = {
    SHAPE(TDI_FIELD_REAL, width, 0, 100, true),
    SHAPE(TDI_FIELD_REAL, widest, 0.01, 0.99, false),
    SHAPE(TDI_FIELD_REAL, taper, 0.1, 20, false),
    SHAPE(TDI_FIELD_DEGREES, fold, -TDI_PI, TDI_PI, false),
    SHAPE(TDI_FIELD_DEGREES, curl, -20 * TDI_PI, 20 * TDI_PI, false),
    SHAPE(TDI_FIELD_REAL, crease, 0.01, 1, false),
    SHAPE(TDI_FIELD_REAL, wave, 0, 10, false),
    SHAPE(TDI_FIELD_INT, lobes, 0, 200, false),
    SHAPE(TDI_FIELD_REAL, lobe_depth, 0, 1, false),
    SHAPE(TDI_FIELD_REAL, stalk, 0, 100, false),
    SHAPE(TDI_FIELD_REAL, stalk_radius, 0, 10, true),
    SHAPE(TDI_FIELD_INT, petals, 0, 500, false),
    SHAPE(TDI_FIELD_INT, whorls, 1, 50, false),
    SHAPE(TDI_FIELD_DEGREES, opening, 0, TDI_PI, false),
    SHAPE(TDI_FIELD_REAL, centre, 0, 10, false),
    SHAPE(TDI_FIELD_INT, segments, 1, TDI_MAX_PARTS, false),
    SHAPE(TDI_FIELD_COLOR, color, 0, 0xffffff, false),
    SHAPE(TDI_FIELD_COLOR, centre_color, 0, 0xffffff, false),
};
const int32_t tdi_shape_field_count = sizeof tdi_shape_fields / sizeof tdi_shape_fields[0];

// ---- values ---------------------------------------------------------------------------------

static td_real number_of(const tdi_field *field, const void *object) {
    const char *place = (const char *)object + field->offset;
    if (field->kind == TDI_FIELD_INT) {
        int32_t value;
        memcpy(&value, place, sizeof value);
        return value;
    }
    if (field->kind == TDI_FIELD_COLOR) {
        uint32_t value;
        memcpy(&value, place, sizeof value);
        return value;
    }
    td_real value;
    memcpy(&value, place, sizeof value);
    return value;
}

void tdi_field_set(const tdi_field *field, void *object, td_real value) {
    char *place = (char *)object + field->offset;
    if (field->kind == TDI_FIELD_INT) {
        int32_t whole = (int32_t)value;
        memcpy(place, &whole, sizeof whole);
    } else if (field->kind == TDI_FIELD_COLOR) {
        uint32_t whole = (uint32_t)value;
        memcpy(place, &whole, sizeof whole);
    } else {
        memcpy(place, &value, sizeof value);
    }
}

bool tdi_field_allows(const tdi_field *field, td_real value) {
    bool whole = field->kind == TDI_FIELD_INT || field->kind == TDI_FIELD_COLOR;
    bool inside =
        (field->low_open ? value > field->low : value >= field->low) && value <= field->high;
    return inside && (!whole || value == floor(value));
}

void tdi_field_range(const tdi_field *field, bool degrees, char *text, size_t size) {
    td_real unit = degrees && field->kind == TDI_FIELD_DEGREES ? 180 / TDI_PI : 1;
    if (field->kind == TDI_FIELD_COLOR) {
        snprintf(text, size, "a colour such as #4c8c32");
    } else {
        snprintf(text, size, "%s%s %g and at most %g",
                 field->kind == TDI_FIELD_INT ? "a whole number " : "",
                 field->low_open ? "above" : "at least", field->low * unit, field->high * unit);
    }
}

// ---- checks ---------------------------------------------------------------------------------

static td_status check_fields(const tdi_field *fields, int32_t count, const char *what,
                              const void *object, td_diag *diag) {
    for (int32_t i = 0; i < count; i++) {
        td_real value = number_of(&fields[i], object);
        if (!tdi_field_allows(&fields[i], value)) {
            char range[80];
            tdi_field_range(&fields[i], false, range, sizeof range);
            return tdi_fail(diag, TD_ERR_ARGUMENT, "%s of the %s is %g; expected %s",
                            fields[i].name, what, value, range);
        }
    }
    return TD_OK;
}

td_status tdi_material_check(const td_material *material, td_diag *diag) {
    if (!memchr(material->name, 0, sizeof material->name)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "name of the material is not zero-terminated within its %zu bytes",
                        sizeof material->name);
    }
    if ((unsigned)material->organ > TD_ORGAN_FRUIT) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "organ of the material is %d; it must be one of td_organ",
                        (int)material->organ);
    }
    return check_fields(tdi_material_fields, tdi_material_field_count, "material", material, diag);
}

td_status tdi_shape_check(const td_shape *shape, td_diag *diag) {
    if ((unsigned)shape->kind > TD_SHAPE_PATCHES) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "kind of the shape is %d; it must be one of td_shape_kind",
                        (int)shape->kind);
    }
    td_status status = check_fields(tdi_shape_fields, tdi_shape_field_count, "shape", shape, diag);
    if (status == TD_OK && shape->segments > 1 && shape->kind != TD_SHAPE_BLADE) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "segments of the shape is %d; only a leaf or a petal bends, and all else "
                        "has 1",
                        shape->segments);
    }
    if (status == TD_OK && (shape->segment < 0 || shape->segment >= shape->segments)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "segment of the shape is %d; it has %d of them",
                        shape->segment, shape->segments);
    }
    if (status == TD_OK && shape->kind == TD_SHAPE_BOX &&
        !(shape->depth > 0 && shape->depth <= 100)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "depth of the shape is %g; expected above 0 and at most 100", shape->depth);
    }
    if (status == TD_OK && shape->kind == TD_SHAPE_FLOWER && shape->petals == 0 &&
        !(shape->centre > 0)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "centre and petals of the shape are both 0; a flower needs one of them");
    }
    return status;
}
