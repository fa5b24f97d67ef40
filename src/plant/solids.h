// SPDX-License-Identifier: MIT
#pragma once

// What welded bodies are to contact: several capsules that are fixed to one segment.

#include "tendril/skeleton.h"

typedef struct tdi_solid {
    td_vec3 end[2]; // m, in the axes of the segment; equal: a ball
    td_real radius; // m
} tdi_solid;

#define TDI_SOLIDS 32 // of a segment, at most

// The capsules of a welded body: an organ on a fixed joint that is drawn as a box or a ball. They
// are instead of the segment's own. And the ball at the tip of a stem with a bead, besides its own.
// 0: it has none.
int32_t tdi_segment_solids(const td_segment *segment, const td_shape *shapes,
                           tdi_solid solids[TDI_SOLIDS]);
// Whether they are instead of the segment's own capsule.
bool tdi_is_welded_body(const td_segment *segment, const td_shape *shapes);
// m: how thin a thing passes through a welded box, a plate so thin that capsules do not fill it; 0:
// nothing does.
td_real tdi_box_leak(const td_segment *segment, const td_shape *shapes);
// Of a skeleton, all of them.
int32_t tdi_solid_count(const td_skeleton *skeleton);
