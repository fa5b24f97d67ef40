// SPDX-License-Identifier: MIT
#pragma once

// Short forms for the rows of the tables.

#include "math/angle.h"
#include "tendril/solver.h"

#define KEYED    .keyed = true
#define LIVE     .live = true
#define POSITIVE .high = 1e30, .low_open = true
#define FROM_0   .high = 1e30
#define NUMBER   .low = -1e6, .high = 1e6
#define METRES   .unit = "m", NUMBER
#define DEGREES  .unit = "degrees", .scale = TDI_PI / 180
#ifdef TDI_SMALL // what keys mean is for the reference alone
#define DOC(text) .doc = NULL
#else
#define DOC(text) .doc = text
#endif

// A row for the field of the same name in `type`, or for another field.
#define FIELD(kind_, type, name, ...) FIELD_AT(#name, kind_, type, name, __VA_ARGS__)
#define FIELD_AT(key_, kind_, type, field, ...) \
    { .key = key_, .kind = TDI_SCENE_##kind_, .offset = offsetof(type, field), __VA_ARGS__ }

// A table of these rows.
#define TABLE(name, title, type, text, ...)                          \
    static const tdi_scene_field name##_rows[] = {__VA_ARGS__, {0}}; \
    static const tdi_scene_table name = {title, sizeof(type), name##_rows, DOC(text)}

// The row is for solvers with this ability, a bool of td_solver_info, alone.
#define NEEDS(what) .ability = offsetof(td_solver_info, what)

#define ALWAYS 1e30 // s: the end of what does not end

// A segment, chosen by its place `when` (a text).
#define PLACE_FIELDS(type, when)                                                                  \
    FIELD_AT("object", TEXT, type, place.object, DOC("Name of the object. Default: the first.")), \
        FIELD_AT("instance", INT, type, place.instance, .high = 1e5,                              \
                 DOC("Instance of the object, counted from 0.")),                                 \
        FIELD_AT("segment", INT, type, place.segment_id, .def = {-1}, .low = -1, .high = 2e9,     \
                 DOC("Id of the segment. -1 means: chosen by `near`.")),                          \
        FIELD_AT("near", VEC3, type, place.nearest_to, METRES,                                    \
                 .given = offsetof(type, place.nearest_given),                                    \
                 DOC("Chooses the segment whose tip is nearest to this point " when               \
                     ". Default: the highest tip.")),                                             \
        FIELD_AT("organ", CHOICE, type, place.organ, .choices = tdi_organs,                       \
                 .given = offsetof(type, place.organ_given),                                      \
                 DOC("Chooses among segments of this kind only, so that `near` does not take a "  \
                     "leaf beside the stem. Default: any."))

// With which others an object or collider of type `type` collides.
#define FILTER_FIELDS(type)                                           \
    FIELD_AT("category", BITS, type, filter.category, .def = {1},     \
             DOC("Collision categories of the object or collider.")), \
        FIELD_AT(                                                     \
            "mask", BITS, type, filter.mask, .def = {UINT32_MAX},     \
            DOC("Categories that it collides with. A pair collides when both masks allow it."))

// When a load or constraint acts.
#define SPAN_FIELDS(type, what)                                                               \
    FIELD(REAL, type, start, .unit = "s", FROM_0, DOC("Time at which the " what " begins.")), \
        FIELD(REAL, type, end, .unit = "s", .def = {ALWAYS}, FROM_0,                          \
              DOC("Time at which the " what " ends. Default: never."))
