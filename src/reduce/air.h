// SPDX-License-Identifier: MIT
#pragma once

// Drag on several segments at once: which widths there are, and what air.c gives them.

#include "reduce/reduce.h"

// Adds the drag of the segments of a cluster to its sums; `load` and `damp` have that of each.
typedef void (*tdi_air_add)(tdi_reduced_state *state, int32_t cluster);

void tdi_air_add_4(tdi_reduced_state *state, int32_t cluster); // AVX2; with TDI_WIDE_X86 only,
void tdi_air_add_8(tdi_reduced_state *state, int32_t cluster); // as this: AVX-512

#define TDI_AIR_KERNELS 3

// Those that this machine can run, widest first, the scalar one last; returns how many.
int tdi_air_kernels(tdi_air_add kernels[TDI_AIR_KERNELS]);

// The frame of a segment on its cluster, in `whole`.
void tdi_air_place(tdi_reduced_state *state, int32_t segment);
// The flow past a cluster's origin in a wind, in its axes.
td_vec3 tdi_air_flow(const tdi_reduced_state *state, int32_t cluster, td_vec3 wind);
// The smaller part of a segment within a group moves with the other cluster.
void tdi_air_other_side(tdi_reduced_state *state, int32_t segment, td_vec3 lever, td_vec3 flow);
