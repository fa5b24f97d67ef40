// SPDX-License-Identifier: MIT
// Drag on 8 segments at once: AVX-512.

#define TDI_LANES 8
#include "reduce/air_kernel.h"

void tdi_air_add_8(tdi_reduced_state *s, int32_t c) {
    add_segments(s, c);
}
