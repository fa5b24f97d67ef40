// SPDX-License-Identifier: MIT
#pragma once

// A skeleton in its pose, and which of its stems share a tube.

#include "tendril/skeleton.h"

typedef struct tdi_posed {
    const td_segment *segments;
    const td_vec3 *origins;   // world position of each joint
    const td_quat *rotations; // world rotation of each segment
    int32_t count;
    const td_contour *contours; // of the skeleton
} tdi_posed;

// World position of the far end of a segment.
td_vec3 tdi_posed_tip(const tdi_posed *posed, int32_t segment);

// Segments without a shape are stems. All arrays hold `count` entries.
typedef struct tdi_axes {
    int32_t *next; // the segment that continues the tube of this stem, or TD_NONE
    bool *first;   // whether this stem begins a tube
    bool *bears;   // whether something else is attached to this stem
} tdi_axes;

void tdi_axes_find(const tdi_posed *posed, const tdi_axes *axes);
