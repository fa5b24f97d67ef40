// SPDX-License-Identifier: MIT
// Drag on 4 segments at once: AVX2.

#define TDI_LANES 4
#include "reduce/air_kernel.h"

void tdi_air_add_4(tdi_reduced_state *s, int32_t c) {
    add_segments(s, c);
}
