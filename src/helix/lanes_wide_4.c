// SPDX-License-Identifier: MIT
// Four places at once: AVX2.

#define TDI_LANES 4
#include "helix/lanes_kernel.h"

const tdi_helix_lanes tdi_helix_lanes_4 = KERNELS;
