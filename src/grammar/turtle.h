// SPDX-License-Identifier: MIT
#pragma once

// The turtle: walks a string and tells a sink what is drawn where.

#include "cpfg/colors.h"
#include "cpfg/curve.h"
#include "cpfg/patches.h"
#include "tendril/grammar.h"

#define TDI_MAX_TROPISMS 10 // that have a number

// What `[` saves and `]` restores. Lengths are in turtle units.
typedef struct tdi_turtle {
    td_vec3 position;
    td_vec3 heading, left, up; // orthonormal; left = -X, up = Z of a segment
    td_real width;             // diameter; < 0 until the string or the header sets one
    int32_t color;             // palette index, or TD_NONE
    int32_t material;          // index into the header's materials, or TD_NONE: none was set
    td_real elasticity;        // susceptibility to the tropism
    td_real elasticities[TDI_MAX_TROPISMS]; // to the numbered tropisms
    int32_t contour;                        // index into the header's contours, or TD_NONE: round
    td_real scale;                          // of lengths, widths and sizes; 1 at first
    int32_t mark; // the sink's own: the segment the turtle stands on; TD_NONE at first
} tdi_turtle;

// Receives what is drawn. A callback may be NULL. One that returns other than TD_OK stops the walk
// with that status; it fills `diag` itself. `module` is the index in the string.
typedef struct tdi_turtle_sink {
    void *context;
    // F and G: a piece of `length` > 0 that starts at `at`, along its heading (already turned round
    // for a negative length). width_end differs from at->width for generalised cylinders only.
    // The sink may set at->mark; what follows inherits it.
    td_status (*segment)(void *context, tdi_turtle *at, td_real length, td_real width_end,
                         int64_t module, td_diag *diag);
    // { ... }: `open` is the turtle at the opening brace; at least 3 points, in world axes.
    td_status (*polygon)(void *context, const tdi_turtle *open, const td_vec3 *points,
                         int32_t count, int64_t module, td_diag *diag);
    // ~id(size): `surface` is an index into the header's surfaces; the size is given across, along
    // the heading, and along up.
    td_status (*surface)(void *context, const tdi_turtle *at, int32_t surface, td_vec3 size,
                         int64_t module, td_diag *diag);
    // @O (ball) and @o, @c (disc).
    td_status (*ball)(void *context, const tdi_turtle *at, bool disc, td_real diameter,
                      int64_t module, td_diag *diag);
    // @PD: a Bezier patch, in world axes; `open` is the turtle at its start, with the colour and
    // material of now.
    td_status (*patch)(void *context, const tdi_turtle *open,
                       const td_vec3 points[TDI_PATCH_POINTS], int64_t module, td_diag *diag);
} tdi_turtle_sink;

// Walks the string, homomorphism applied. Takes no memory a module.
td_status tdi_turtle_walk(const td_grammar *grammar, const td_string *string,
                          const tdi_turtle_sink *sink, const td_alloc *alloc, td_diag *diag);

// ---- what the header says of bodies, for the plant layer -------------------------------------

// One `material:` item. The library's material of that name, with the fields that were given.
typedef struct tdi_header_field {
    char key[16];
    double number; // for a colour: 0xRRGGBB
    char word[32]; // for a name, else ""
    uint32_t at;   // place in the source, for tdi_grammar_place
} tdi_header_field;

typedef struct tdi_header_item { // `material: 1 oak, young=5e9` or `surface: L leaf, fold=20`
    int32_t number;              // material number as @Mat names it
    char id[8];                  // surface name as ~ names it
    char base[32];               // name of the material or the kind of surface
    const tdi_patches *patches;  // of a surface of patches, else NULL
    int32_t field_count;
    tdi_header_field fields[16];
    uint32_t at;
} tdi_header_item;

typedef struct tdi_contour { // `contour: 1 leaf.con`: a cross-section, at radius 1
    int32_t number;          // as @# names it
    tdi_curve curve;
} tdi_contour;

typedef struct tdi_body_header {
    td_real length_unit;   // m a turtle unit; default 1
    td_real width_unit;    // m a unit of width; default length_unit
    td_real pipe_tip;      // > 0: pipe model, diameter of a tip in units of width
    td_real pipe_exponent; // default 2
    int32_t material_count;
    const tdi_header_item *materials;
    int32_t surface_count;
    const tdi_header_item *surfaces;
    int32_t palette_count; // `color: 3 #4c8c32`
    const int32_t *palette_index;
    const uint32_t *palette_color;
    int32_t contour_count;
    const tdi_contour *contours;
    const tdi_colors *colors; // of a file, for the other indices; NULL: none
} tdi_body_header;

const tdi_body_header *tdi_grammar_body(const td_grammar *grammar);
// A diagnostic with file, line, column and source line of a place, and no message yet.
td_diag tdi_grammar_place(const td_grammar *grammar, uint32_t at);
