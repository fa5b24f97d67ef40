// SPDX-License-Identifier: MIT
#pragma once

// Inertia or weight of several slices of an element at once: which widths there are.

#include "helix/implicit.h"

typedef struct tdi_slices_at {
    const tdi_helix_station *station;
    const tdi_helix_place *hat; // a station: the prediction; NULL: statics
    td_vec3 u;
    td_real u2;           // |u|^2
    int terms;            // of Stumpff's functions, for all of the element; 0: each by itself
    td_vec3 from;         // the start, less the fall: what is predicted is seen from there
    const tdi_mat3 *axes; // of the start
    td_vec3 down;         // gravity in these axes, in statics
    td_real inertia;      // 1/h^2
    td_real weight;       // of inertia about the pose, in a model that is not exact; else 0
    bool exact;
} tdi_slices_at;

// Sums of terms: mixed ones by turn and by shift, by curvatures, the gradient by these, mass and
// first moment, G, force and moment.
enum { TDI_SLICE_ROWS = 9 + 9 + 6 + 3 + 1 + 3 + 9 + 3 + 3 };

// Adds the terms of the slices [first, last).
typedef void (*tdi_slices_add)(const tdi_slices_at *at, int32_t first, int32_t last,
                               td_real sum[TDI_SLICE_ROWS]);

// One slice at a time; `wide`: more, where this machine can, or NULL. The bits are the same.
tdi_slices_add tdi_slices_kernel(bool wide);
void tdi_slices_add_4(const tdi_slices_at *at, int32_t first, int32_t last,
                      td_real sum[TDI_SLICE_ROWS]); // AVX2; with TDI_WIDE_X86 only
