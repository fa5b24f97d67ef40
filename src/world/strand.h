// SPDX-License-Identifier: MIT
#pragma once

// Strands as curves: points at equal distances along them.

#include "tendril/scene.h"

// A smooth curve through points, or a helix where that has a radius.
typedef struct tdi_strand_curve {
    const td_vec3 *points;
    int32_t point_count;
    const td_helix_def *helix;
    bool closed;
} tdi_strand_curve;

tdi_strand_curve tdi_strand_drawn(const td_strand_def *strand);
tdi_strand_curve tdi_strand_rest(const td_strand_def *strand); // without any: no points, no helix

// Whether there is anything to go along.
bool tdi_strand_has_curve(const tdi_strand_curve *curve);

// Points at equal lengths along the curve, segments + 1 of them; the last of a closed one is the
// first again. The length of the curve, which is 0 or not a number where there is none.
td_real tdi_strand_places(const tdi_strand_curve *curve, int32_t segments, td_vec3 *places);
