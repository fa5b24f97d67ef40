// SPDX-License-Identifier: MIT
#pragma once

// A tree of helices.
//
// Element   a piece of constant curvatures and twist. It starts at a frame of its parent, or of the
//           base, and everything on it rides at an arc length s. Parents come first.
// Station   a slice of matter at s: mass, first and second moment in the axes of the frame there.
//           Along the centreline stations are points of Gauss, so that sums over them are
//           integrals; what an element carries rigidly is a station where it is attached.
// Rider     a segment of the skeleton, read off: a stem stretches from one arc length to another,
//           an organ rides rigidly on one.
// Vane      what feels the air: a piece of area at a station, or at a point of a rider.
// Capsule   what a rider is to contact, between two points of one element.
//
// All numbers from the elements on tell models apart: these structs have no gaps.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/diag.h"
#include "helix/curve.h"
#include "helix/solver.h"
#include "solver/solver.h"
#include "tendril/helix.h"

typedef struct tdi_helix_model tdi_helix_model;
typedef struct tdi_helix_state tdi_helix_state;

typedef struct tdi_helix_element {
    int32_t parent;    // or TD_NONE: on the base
    td_end_kind root;  // boundary condition of its start, without parent
    td_real at;        // m: arc length on the parent
    td_vec3 place;     // m: of its start, in the axes of the frame there
    tdi_mat3 turn;     // of its first frame, in those axes
    td_real length;    // m
    td_vec3 rest;      // 1/m: (about X, twist, about Z) at ease
    td_vec3 start;     // as drawn
    td_vec3 stiffness; // N m: E I, G J, E I along the element: energy = 1/2 k (u - rest)^2
    td_vec3 friction;  // N m s: likewise
    int32_t station_first, station_count;
    int32_t vane_first, vane_count;
    td_real mass; // kg: of its stations
} tdi_helix_element;

typedef struct tdi_helix_station {
    int32_t element; // or TD_NONE: on the base; these come last
    int32_t rigid;   // 1: what rides there; 0: a slice of the centreline
    td_real s;       // m
    td_real mass;    // kg
    td_vec3 moment;  // kg m: first moment, in the axes of the frame
    td_sym3 second;  // kg m^2: integral of density X X^T about the frame's origin
} tdi_helix_station;

// A point that rides on an element.
typedef struct tdi_helix_point {
    int32_t element; // or TD_NONE: on the base
    int32_t segment; // whose point it is
    td_real s;       // m
    td_vec3 offset;  // m, in the axes of the frame there
} tdi_helix_point;

typedef struct tdi_helix_vane {
    tdi_helix_point point; // whose segment's wind it feels
    td_quat turn;          // of the axes of `area` in the frame
    td_vec3 area;          // m^2
    td_real fold;          // see load/drag.h
} tdi_helix_vane;

typedef struct tdi_helix_capsule {
    tdi_helix_point end[2]; // on one element; equal: a ball
    td_real radius;         // m, > 0
} tdi_helix_capsule;

typedef struct tdi_helix_rider {
    int32_t element;    // or TD_NONE: on the base
    int32_t capsule;    // its first, or TD_NONE: it touches nothing
    td_real from, to;   // m: arc lengths of its joint and its tip; the same where it rides rigidly
    td_vec3 start, end; // m: joint and tip in the axes of the frames there
    td_quat turn;       // of its axes in the frame in the middle
    td_real length;     // m: along its +Y, over which the arc length goes from `from` to `to`
} tdi_helix_rider;

struct tdi_helix_model {
    td_body_model head;
    int32_t element_count, station_count, vane_count, rider_count, capsule_count;
    tdi_helix_element *element;
    tdi_helix_station *station; // in the order of elements
    tdi_helix_vane *vane;       // in the order of elements; those on the base are left out
    tdi_helix_rider *rider;     // one a segment; without a skeleton one an element
    tdi_helix_capsule *capsule; // in the order of riders
};

// NULL: NULL, or of another solver.
static inline tdi_helix_model *tdi_as_helix_model(const td_body_model *model) {
    return model && model->solver == &tdi_solver_helix ? (tdi_helix_model *)model : NULL;
}

// How many capsules a rider has, one after the other: a welded body has several.
static inline int32_t tdi_helix_capsules_of(const tdi_helix_model *m, int32_t rider) {
    const int32_t first = m->rider[rider].capsule;
    int32_t count = 0;
    while (first != TD_NONE && first + count < m->capsule_count &&
           m->capsule[first + count].end[0].segment == rider) {
        count++;
    }
    return count;
}

// model.c: a block for a model with so many parts, all zero.
typedef struct tdi_helix_counts {
    int32_t elements, stations, vanes, riders, capsules;
} tdi_helix_counts;
tdi_helix_model *tdi_helix_model_alloc(const tdi_helix_counts *counts, const td_alloc *alloc,
                                       td_diag *diag);
// From a skeleton, with so many elements for each axis that does not say; 0: as many as it needs.
td_status tdi_helix_model_from_skeleton(const td_skeleton *skeleton, int32_t elements,
                                        const td_alloc *alloc, tdi_helix_model **out,
                                        td_diag *diag);
// The same of a skeleton that has grown: the segments that there were have all that is theirs in
// the model `kept`; `number` has the rider there of each segment, or TD_NONE: it is new.
td_status tdi_helix_model_extended(const td_skeleton *skeleton, const tdi_helix_model *kept,
                                   const int32_t *number, int32_t elements, const td_alloc *alloc,
                                   tdi_helix_model **out, td_diag *diag);
// Adds up what follows from elements and stations: masses and degrees of freedom.
void tdi_helix_model_finish(tdi_helix_model *m);
// A copy to be changed before anybody else sees it.
td_status tdi_helix_model_copy(const tdi_helix_model *model, const td_alloc *alloc,
                               tdi_helix_model **out, td_diag *diag);
// Stops where a model is not what all others take for granted. For debug builds: see base/assert.h.
void tdi_helix_model_validate(const tdi_helix_model *model);
// Where a point of a segment, in the segment's axes, rides.
tdi_helix_point tdi_helix_point_of(const tdi_helix_model *m, int32_t segment, td_vec3 point);
// gauss.c: how many points the integrals along an element of so many radians need, and the points
// and weights on 0..1.
int32_t tdi_helix_gauss_count(td_real angle);
void tdi_helix_gauss(int32_t count, td_real *points, td_real *weights);
