// SPDX-License-Identifier: MIT
#pragma once

// Short forms for the rows of the tables.

#include "math/angle.h"

#define KEYED    .keyed = true
#define LIVE     .live = true
#define POSITIVE .high = 1e30, .low_open = true
#define FROM_0   .high = 1e30
#define DEGREES  .unit = "degrees", .scale = TDI_PI / 180
#ifdef TDI_SMALL // what keys mean is for the reference alone
#define DOC(text) .doc = NULL
#else
#define DOC(text) .doc = text
#endif

#define ALWAYS 1e30 // s: the end of what does not end

// A segment, chosen by its place `when` (a text).
#define PLACE_FIELDS(type, when)                                                                 \
    {"object", TDI_SCENE_TEXT, offsetof(type, place.object),                                     \
     DOC("Name of the object. Default: the first.")},                                            \
        {"instance", TDI_SCENE_INT, offsetof(type, place.instance), .high = 1e5,                 \
         DOC("Instance of the object, counted from 0.")},                                        \
        {"segment",                                                                              \
         TDI_SCENE_INT,                                                                          \
         offsetof(type, place.segment_id),                                                       \
         .def = {-1},                                                                            \
         .low = -1,                                                                              \
         .high = 2e9,                                                                            \
         DOC("Id of the segment. -1 means: chosen by `near`.")},                                 \
        {"near",                                                                                 \
         TDI_SCENE_VEC3,                                                                         \
         offsetof(type, place.nearest_to),                                                       \
         .unit = "m",                                                                            \
         .low = -1e6,                                                                            \
         .high = 1e6,                                                                            \
         .given = offsetof(type, place.nearest_given),                                           \
         DOC("Chooses the segment whose tip is nearest to this point " when                      \
             ". Default: the highest tip.")},                                                    \
    {                                                                                            \
        "organ", TDI_SCENE_CHOICE, offsetof(type, place.organ),                                  \
            .choices = tdi_organs, .given = offsetof(type, place.organ_given),                   \
            DOC("Chooses among segments of this kind only, so that `near` does not take a leaf " \
                "beside the stem. Default: any.")                                                \
    }

// With which others an object or collider of type `type` collides.
#define FILTER_FIELDS(type)                                                                    \
    {"category", TDI_SCENE_BITS, offsetof(type, filter.category), .def = {1},                  \
     DOC("Collision categories of the object or collider.")},                                  \
    {                                                                                          \
        "mask", TDI_SCENE_BITS, offsetof(type, filter.mask),                                   \
            .def = {UINT32_MAX},                                                               \
            DOC("Categories that it collides with. A pair collides when both masks allow it.") \
    }

// When a load or constraint acts.
#define SPAN_FIELDS(type, what)                                               \
    {"start",     TDI_SCENE_REAL, offsetof(type, start),                      \
     .unit = "s", FROM_0,         DOC("Time at which the " what " begins.")}, \
    {                                                                         \
        "end", TDI_SCENE_REAL, offsetof(type, end),                           \
            .unit = "s", .def = {ALWAYS}, FROM_0,                             \
            DOC("Time at which the " what " ends. Default: never.")           \
    }
