// SPDX-License-Identifier: MIT
// Eight places at once: AVX-512.

#define TDI_LANES 8
#include "helix/lanes_kernel.h"

const tdi_helix_lanes tdi_helix_lanes_8 = KERNELS;
