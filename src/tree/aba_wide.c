// SPDX-License-Identifier: MIT
// Which widths of forward dynamics this machine can run.

#include "tree/aba_wide.h"

int tdi_wide_kernels(const tdi_wide_kernel *kernels[TDI_WIDE_KERNELS]) {
    int count = 0;
#ifdef TDI_WIDE_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        kernels[count++] = &tdi_wide_8;
    }
    if (__builtin_cpu_supports("avx2")) {
        kernels[count++] = &tdi_wide_4;
    }
#endif
    kernels[count++] = &tdi_wide_2;
    return count;
}
