// SPDX-License-Identifier: MIT
// Four slices at once: AVX2.

#define TDI_LANES 4
#include "helix/slice_kernel.h"

void tdi_slices_add_4(const tdi_slices_at *at, int32_t first, int32_t last,
                      td_real sum[TDI_SLICE_ROWS]) {
    add_slices(at, first, last, sum);
}
