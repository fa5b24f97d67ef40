// SPDX-License-Identifier: MIT
#pragma once

// The turtle on its way through a string: what turtle*.c share.

#include "grammar/cylinder.h"
#include "grammar/expand.h"
#include "grammar/uses.h"

#define TDI_MAX_SYSTEMS  64 // L-systems in L-systems
#define TDI_MAX_POLYGONS 64 // polygons in polygons

typedef struct tdi_open_polygon {
    tdi_turtle open;
    int64_t first; // its first corner among all corners
    bool moved;    // F or f was used: the start counts as a corner
} tdi_open_polygon;

// Whether there is a generalised cylinder that goes on from its last control point. One that was
// opened outside of a branch goes on in it with the first control point there.
typedef enum tdi_cylinder_state {
    TDI_NO_CYLINDER,
    TDI_OPEN_OUTSIDE,
    TDI_OPEN_HERE
} tdi_cylinder_state;

// A patch between @PS and @PD.
typedef struct tdi_turtle_patch {
    double number;
    int32_t basis;   // 1 Bezier, 2 B-spline, 3 Catmull-Rom
    uint16_t set;    // a bit for each control point that @PC has set
    tdi_turtle open; // the turtle at @PS
    td_vec3 points[TDI_PATCH_POINTS];
} tdi_turtle_patch;

// what '[' saves
typedef struct tdi_saved_turtle {
    tdi_turtle now;
    td_vec3 tropism;
    td_vec3 heading_before, left_before;
    tdi_cylinder_state in_cylinder;
    tdi_control_point cylinder;
    tdi_cylinder_ends ends;
} tdi_saved_turtle;

typedef struct tdi_opened_system {
    int32_t system; // in which '?' stands
    td_real scale;
} tdi_opened_system;

typedef struct tdi_open_polygons {
    tdi_open_polygon list[TDI_MAX_POLYGONS];
    int32_t depth;
    td_vec3 *corners;
    int64_t corner_count, corner_capacity;
} tdi_open_polygons;

typedef struct tdi_turtle_patches {
    tdi_turtle_patch *list;
    int64_t count, capacity;
} tdi_turtle_patches;

typedef struct tdi_walker {
    const td_grammar *g;
    const tdi_turtle_sink *sink; // NULL: nothing is drawn
    const td_alloc *alloc;
    td_diag *diag;
    tdi_turtle now;
    td_vec3 tropism;
    int64_t module; // being read
    int32_t turns;  // since the axes were renewed

    tdi_saved_turtle *stack;
    int64_t depth, stack_capacity;

    tdi_open_polygons polygon;
    tdi_turtle_patches patch;

    tdi_cylinder_state in_cylinder;
    tdi_control_point cylinder; // the last one
    tdi_cylinder_ends ends;     // of the next one

    td_vec3 heading_before, left_before; // of the last piece, for @Tp

    tdi_opened_system opened[TDI_MAX_SYSTEMS]; // by '?', not yet left by '$'
    int32_t opened_count;
    int32_t system;           // that the modules at hand belong to
    const tdi_uses *uses;     // variables of those, or NULL
    int64_t use;              // the next one
    double *globals, *arrays; // that the homomorphism works on

    double *query_params; // NULL: queries are not answered
    int32_t step;
    const td_environment *environment;
} tdi_walker;

// turtle_draw.c
td_status tdi_walker_check_place(const tdi_walker *w);
td_status tdi_walker_forward(tdi_walker *w, td_real length, bool draw, bool corner);
td_status tdi_walker_polygon(tdi_walker *w, tdi_turtle_op op); // { . }
td_status tdi_walker_cylinder(tdi_walker *w, const tdi_type *type, const double *p);
td_status tdi_walker_surface(tdi_walker *w, const tdi_type *type, const double *p);
td_status tdi_walker_ball(tdi_walker *w, const tdi_type *type, const double *p);

// turtle_patch.c
td_status tdi_walker_patch(tdi_walker *w, const tdi_type *type, const double *p); // @PS @PC @PD

// turtle_state.c
td_status tdi_walker_turn(tdi_walker *w, const tdi_type *type, const double *p);
td_status tdi_walker_heading(tdi_walker *w, const double *p, int32_t count); // @R
td_status tdi_walker_push(tdi_walker *w);
td_status tdi_walker_pop(tdi_walker *w);
// Width, colour, material, contour, scale, tropism.
td_status tdi_walker_set(tdi_walker *w, const tdi_type *type, const double *p);
// '?(n, s)' goes on with L-system n at scale s, '$' with the one before at its scale. Rewriting
// refuses what cannot be.
void tdi_walker_system(tdi_walker *w, const tdi_type *type, const double *p);
