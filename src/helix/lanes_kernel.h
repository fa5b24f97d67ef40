// SPDX-License-Identifier: MIT
// All that runs in lanes. Included once by each file that sets TDI_LANES.

#include "helix/ride_kernel.h"
#include "helix/station_kernel.h"
#include "helix/vane_kernel.h"

#define KERNELS                                                                                \
    {                                                                                          \
        TDI_LANES, add_stations, add_station_pulls, add_vanes, add_vane_pulls, station_values, \
            vane_values, note_air, find_frames, find_rides                                     \
    }
