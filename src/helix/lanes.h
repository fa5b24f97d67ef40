// SPDX-License-Identifier: MIT
#pragma once

// What is computed for many places on helices at once, a place a lane: terms of stations and vanes,
// frames, and how elements ride on their parents. Lanes are of any elements. Every width does the
// same operations in the same order, so that the bits are the same.

#include "helix/sweep.h"

// Places on helices: curvatures and starts of the elements that they are on.
typedef struct tdi_helix_curves {
    const td_vec3 *u;
    const tdi_helix_place *start;
    tdi_stumpff_range range; // for all of them
} tdi_helix_curves;

// Inertia, or weight in statics, of stations.
typedef struct tdi_stations_at {
    tdi_helix_curves on;
    const tdi_helix_station *station;
    const tdi_helix_place *predictor; // a station: the prediction; NULL: statics
    bool slices;                      // none has more than the moments of a thin slice
    td_vec3 gravity;                  // m/s^2
    td_real h2;                       // s^2: of the step
    td_real inertia;                  // 1/h^2
    td_real weight; // of inertia about the pose, in a model that is not exact; else 0
    bool exact;
} tdi_stations_at;

// Drag on vanes.
typedef struct tdi_vanes_at {
    tdi_helix_curves on;
    const tdi_helix_vane *vane;
    const tdi_helix_vane_air *known; // a vane
    const td_air *air;
    const td_vec3 *winds; // a segment, or NULL: that of the air
    td_real h;            // s: of the step
    bool exact;
} tdi_vanes_at;

// Sums of the terms of an element. Of stations: mixed ones by turn and by shift, by curvatures, the
// gradient by these, mass, first moment, G, force and moment; see station_kernel.h. Of vanes: mixed
// ones, by curvatures, the gradient, those of the start by turns, by turn and shift, by shifts,
// force and moment.
enum {
    TDI_STATION_ROWS = 9 + 9 + 6 + 3 + 1 + 3 + 9 + 3 + 3,
    TDI_VANE_ROWS = 9 + 9 + 6 + 3 + 6 + 9 + 6 + 3 + 3,
    TDI_PULL_ROWS = 9 // of gradients alone: moment and force on the start, and by curvatures
};

// Functions of one width. They take the stations, vanes or elements [first, last), and add to the
// sums of their elements, of which the first is that of element `from`.
typedef struct tdi_helix_lanes {
    int32_t lanes;
    void (*stations)(const tdi_stations_at *at, int32_t first, int32_t last, int32_t from,
                     td_real (*sum)[TDI_STATION_ROWS]);
    void (*station_pulls)(const tdi_stations_at *at, int32_t first, int32_t last, int32_t from,
                          td_real (*sum)[TDI_PULL_ROWS]);
    void (*vanes)(const tdi_vanes_at *at, int32_t first, int32_t last, int32_t from,
                  td_real (*sum)[TDI_VANE_ROWS]);
    void (*vane_pulls)(const tdi_vanes_at *at, int32_t first, int32_t last, int32_t from,
                       td_real (*sum)[TDI_PULL_ROWS]);
    // Their values: the sums.
    td_real (*station_values)(const tdi_stations_at *at, int32_t first, int32_t last);
    td_real (*vane_values)(const tdi_vanes_at *at, int32_t first, int32_t last);
    // Where vanes were, and what they turn to the air, at the pose of `now`; `back`, if given: x*
    // of the rule of two steps, x + again (x - x_back).
    void (*air)(const tdi_helix_vane *vane, int32_t first, int32_t last,
                const tdi_helix_curves *now, const tdi_helix_curves *back, td_real again,
                tdi_helix_vane_air *known);
    // Places and frames of stations.
    void (*frames)(const tdi_helix_curves *on, const tdi_helix_station *station, int32_t first,
                   int32_t last, tdi_helix_place *to);
    // Rides of elements that have parents, in the parents' axes.
    void (*rides)(const tdi_helix_curves *on, const tdi_helix_element *element, int32_t first,
                  int32_t last, tdi_helix_node *node);
} tdi_helix_lanes;

extern const tdi_helix_lanes tdi_helix_lanes_1;
extern const tdi_helix_lanes tdi_helix_lanes_4; // AVX2; with TDI_WIDE_X86 only, as the next
extern const tdi_helix_lanes tdi_helix_lanes_8; // AVX-512

#define TDI_HELIX_WIDTHS 3

// Those that this machine can run, widest first; returns how many.
int tdi_helix_widths(const tdi_helix_lanes *widths[TDI_HELIX_WIDTHS]);
const tdi_helix_lanes *tdi_helix_widest(void);
