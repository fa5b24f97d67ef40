// SPDX-License-Identifier: MIT
#pragma once

// Ball joints of TDI_LANES bodies at once. Where a lane takes another way than its neighbours, the
// scalar code of tree/joint.h works out each lane alone.

#include "tree/joint.h"
#include "tree/spatial_wide.h"

#if TDI_LANES == 1

typedef tdi_ball_turn tdi_wball_turn;

#else

typedef struct tdi_wball_turn {
    tdi_wvec3 a;
    tdi_wide b;
} tdi_wball_turn;

#endif

#define TDI_WIDE_NAMES 1
#include "math/lane_names.h"
#include "tree/joint_lanes.h"
