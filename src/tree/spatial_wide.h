// SPDX-License-Identifier: MIT
#pragma once

// Twists, wrenches, blocks and links of TDI_LANES bodies at once, as math/wide.h has vectors.

#include "math/wide.h"
#include "tree/model.h"

#if TDI_LANES == 1

typedef tdi_twist tdi_wtwist;
typedef tdi_wrench tdi_wwrench;
typedef tdi_block tdi_wblock;
typedef tdi_mass tdi_wmass;
typedef tdi_link tdi_wlink;

#else

#define TDI_WIDE_NAMES 1
#include "math/lane_names.h"
#include "tree/spatial_types.h"

#endif

#define TDI_WIDE_NAMES 1
#include "math/lane_names.h"
#include "tree/spatial_lanes.h"

// the same block in every lane
static inline void tdi_wblock_fill(tdi_wblock *to, const tdi_block *from) {
    to->a = tdi_wsym3_all(from->a);
    for (int k = 0; k < 9; k++) {
        to->b.m[k] = tdi_wide_all(from->b.m[k]);
    }
    to->c = tdi_wsym3_all(from->c);
}
