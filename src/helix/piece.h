// SPDX-License-Identifier: MIT
#pragma once

// Helices of what is left of a skeleton that was cut; see tdi_solver.

#include "helix/state.h"
#include "plant/cut.h"

// Of so many sources, for any skeleton that they are the segments of.
td_status tdi_helix_piece_of(const tdi_helix_model *old, const tdi_segment_source *segment_map,
                             int32_t count, const td_alloc *alloc, td_body_model **out,
                             td_diag *diag);
// Of the stations and vanes, which lie in the order of elements, each element's.
void tdi_helix_number_parts(tdi_helix_model *m);
// grown.c: see tdi_solver.
td_status tdi_helix_grown_new(const void *model, const td_skeleton *from, const td_skeleton *to,
                              const tdi_segment_source *segment_map, const td_body_opts *with,
                              tdi_factors by, const td_alloc *alloc, td_body_model **out,
                              td_diag *diag);
size_t tdi_helix_pack(const void *model, char *bytes);
td_status tdi_helix_unpack(const td_skeleton *skeleton, const char *bytes, size_t size,
                           const td_alloc *alloc, td_body_model **out, td_diag *diag);
// See tdi_solver; elements have the mean of their segments' springs.
td_status tdi_helix_take_springs(void *model, const td_skeleton *from, const td_skeleton *to,
                                 int32_t first, int32_t count, tdi_factors by, td_diag *diag);
void tdi_helix_inherit(void *to, void *from, const tdi_segment_source *segment_map);
