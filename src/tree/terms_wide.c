// SPDX-License-Identifier: MIT
// Which widths of terms this machine can run.

#include "tree/terms_wide.h"

int tdi_terms_kernels(const tdi_terms_kernel *kernels[TDI_TERMS_KERNELS]) {
    int count = 0;
    (void)kernels;
#ifdef TDI_WIDE_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        kernels[count++] = &tdi_terms_8;
    }
    if (__builtin_cpu_supports("avx2")) {
        kernels[count++] = &tdi_terms_4;
    }
#endif
    return count;
}

const tdi_terms_kernel *tdi_terms_widest(void) {
    const tdi_terms_kernel *kernels[TDI_TERMS_KERNELS];
    return tdi_terms_kernels(kernels) > 0 ? kernels[0] : NULL;
}
