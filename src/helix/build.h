// SPDX-License-Identifier: MIT
#pragma once

// From skeletons to models.
//
// Axis      a run of segments, each on the tip of the one before and going on from it. It is cut
//           into elements at joints.
// Head      the first segment of an axis. It stands on the base, or anywhere on another segment.
// Drawn     places and turns at time 0, in the axes of the base.

#include "helix/model.h"
#include "plant/solids.h"

typedef enum tdi_helix_role {
    TDI_RIDES,   // rigidly on its parent, or on the base
    TDI_HEADS,   // an axis
    TDI_FOLLOWS, // in an axis
    TDI_KEPT,    // as it was before the skeleton grew
} tdi_helix_role;

// The axis that is being made.
typedef struct tdi_helix_axis {
    int32_t count;
    int32_t *member; // segments
    td_real *at;     // m: where a member begins, along all of them; count + 1 entries
    // Frames that turn about +Y against the segments' own: those of round axes have no twist at
    // rest, others are the segments' own.
    td_real *roll;           // rad
    td_quat *rest, *start;   // of such a frame against that of the member before
    const td_strand *strand; // or NULL: it is no strand
    bool round;              // bends alike about X and Z: frames may roll
} tdi_helix_axis;

typedef struct tdi_helix_stations {
    tdi_helix_station *item;
    int64_t count, room;
} tdi_helix_stations;

typedef struct tdi_helix_vanes {
    tdi_helix_vane *item;
    int64_t count, room;
} tdi_helix_vanes;

typedef struct tdi_helix_maker {
    const td_skeleton *skeleton;
    const td_segment *segments;
    int32_t count;
    int32_t elements;            // of each axis that does not say; 0: by curvature and weight
    const tdi_helix_model *kept; // of what there was before the skeleton grew, or NULL
    const int32_t *number;       // of a segment: its rider there, or TD_NONE
    const td_alloc *alloc;
    tdi_arena arena; // for all below
    td_vec3 *origin; // of a segment as drawn
    td_quat *turn;
    int32_t *next;    // that goes on from a segment in its axis, or TD_NONE
    int32_t *strand;  // that it is part of, or TD_NONE
    td_real *carried; // kg: its own mass and all that it carries
    uint8_t *role;
    tdi_helix_rider *rider;
    tdi_helix_capsule *capsule; // of a segment; radius 0: none
    td_real *depth, *stands;    // m: along the skeleton from the base to its joint, and how near to
                                // the base nothing touches; below 0: it floats
    tdi_helix_axis axis;
    tdi_helix_element *element;
    td_vec3 *place; // of an element's start as drawn
    td_quat *frame;
    bool *whole; // it is of a strand: what rides on it stays where it is
    int32_t element_count;
    tdi_helix_stations stations;
    tdi_helix_vanes vanes;
    td_real *scratch;
    int64_t scratch_room;
} tdi_helix_maker;

static inline bool tdi_helix_is_kept(const tdi_helix_maker *k, int32_t segment) {
    return k->kept && segment != TD_NONE && k->number[segment] != TD_NONE;
}

// skeleton.c: place and frame of an element at s as drawn; of the base for TD_NONE.
void tdi_helix_drawn(const tdi_helix_maker *k, int32_t element, td_real s, td_vec3 *place,
                     td_quat *frame);

// axis.c: elements and riders of the axis that a segment heads.
td_status tdi_helix_make_axis(tdi_helix_maker *k, int32_t head, td_diag *diag);

// fit.c: curvatures of the elements of an axis
typedef struct tdi_helix_fit {
    td_vec3 rest, start; // 1/m
    td_real length;      // m: of the element, along the helix
    td_real stretch;     // of that over the length of its segments
    td_vec3 stiffness, friction;
    td_real misfit; // rad: how far segments turn from the helix, at most
    td_real taper;  // stiffness against bending where it is greatest over where it is least
} tdi_helix_fit;
// Axis: frames and joints; needs members and `at`.
void tdi_helix_roll_axis(const tdi_helix_maker *k, tdi_helix_axis *axis);
// The rate in rad/m at which the round frame of members [first, last) rolls along their axis; 0
// where nothing is gained.
td_real tdi_helix_roll_rate(const tdi_helix_axis *axis, int32_t first, int32_t last);
// What an element of the members [first, last) is.
tdi_helix_fit tdi_helix_fit_of(const tdi_helix_maker *k, int32_t first, int32_t last, td_real rate);
// The roll of the frame in member j's middle, rad.
td_real tdi_helix_rolled(const tdi_helix_axis *axis, td_real rate, int32_t j);
// Of a joint, rad: how far +Y turns.
td_real tdi_helix_swing(td_quat q);
// Rotation vector of a unit quaternion, at most half a turn.
td_vec3 tdi_helix_log(td_quat q);

// matter.c: slices and vanes of an element on members [first, last) of the axis, and what rides
// rigidly: false when out of memory.
bool tdi_helix_add_slices(tdi_helix_maker *k, int32_t element, int32_t first, int32_t last);
bool tdi_helix_add_rigid(tdi_helix_maker *k, int32_t segment);
bool tdi_helix_add_bodies(tdi_helix_maker *k);

// stations.c: stations and vanes to the order of elements, stations that are near each other to
// one. False when out of memory.
bool tdi_helix_sort(tdi_helix_maker *k);

// riders.c
void tdi_helix_ride_along(tdi_helix_maker *k, int32_t segment, int32_t element, td_real from,
                          td_real to);
void tdi_helix_ride(tdi_helix_maker *k, int32_t segment);
// The capsules of a segment, at most one more than TDI_SOLIDS: how many.
int32_t tdi_helix_list_capsules(const tdi_helix_maker *k, int32_t segment, tdi_helix_capsule *out);
// As it did before the skeleton grew.
void tdi_helix_keep_riding(tdi_helix_maker *k, int32_t segment);

// measure.c: the points of Gauss of masses w at x: n points with masses that have the same moments
// up to degree 2n - 1. Gives how many there are: fewer where the masses are at fewer places.
// `scratch` has room for 2 count + 2 n numbers. x and w are overwritten.
int32_t tdi_helix_condense(int32_t count, td_real *x, td_real *w, int32_t n, td_real *scratch,
                           td_real *points, td_real *masses);
