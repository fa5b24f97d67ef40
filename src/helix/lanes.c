// SPDX-License-Identifier: MIT
// Which widths there are.

#define TDI_LANES 1
#include "helix/lanes_kernel.h"

const tdi_helix_lanes tdi_helix_lanes_1 = KERNELS;

int tdi_helix_widths(const tdi_helix_lanes *widths[TDI_HELIX_WIDTHS]) {
    int count = 0;
#ifdef TDI_WIDE_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        widths[count++] = &tdi_helix_lanes_8;
    }
    if (__builtin_cpu_supports("avx2")) {
        widths[count++] = &tdi_helix_lanes_4;
    }
#endif
    widths[count++] = &tdi_helix_lanes_1;
    return count;
}

const tdi_helix_lanes *tdi_helix_widest(void) {
    const tdi_helix_lanes *widths[TDI_HELIX_WIDTHS];
    tdi_helix_widths(widths);
    return widths[0];
}
