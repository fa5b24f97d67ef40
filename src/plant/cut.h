// SPDX-License-Identifier: MIT
#pragma once

// Skeletons from skeletons: which segment of the new one comes from which of the old one.

#include "tendril/skeleton.h"

// Where a segment comes from: a segment of the old skeleton, or a piece of it.
typedef struct tdi_segment_source {
    int32_t segment;  // of the old skeleton; TD_NONE: it is new
    td_real from, to; // of its length: the piece; 0 and 1 is all of it
} tdi_segment_source;

// What a cut leaves: what stays where it stands, and what falls off.
typedef struct tdi_cut {
    td_skeleton *part[2];               // stays, falls
    tdi_segment_source *segment_map[2]; // a segment of each
    int32_t heir_room;                  // segments that each has room for
} tdi_cut;

// Cuts through a segment, `place` 0..1 of its length from its joint: 0 is at the joint. What falls
// off is free, and drawn where it is drawn now. TD_ERR_ARGUMENT, naming the segment, for what
// cannot be cut there.
td_status tdi_skeleton_cut(const td_skeleton *skeleton, int32_t segment, td_real place,
                           const td_alloc *alloc, tdi_cut *out, td_diag *diag);
// Gives back what is still there.
void tdi_cut_free(tdi_cut *cut, const td_alloc *alloc);

// Heirs by ids.
td_status tdi_segment_map_new(const td_skeleton *from, const td_skeleton *to, const td_alloc *alloc,
                              tdi_segment_source **out);
void tdi_segment_map_free(tdi_segment_source *segment_map, const td_skeleton *of,
                          const td_alloc *alloc);
