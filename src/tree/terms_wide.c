// SPDX-License-Identifier: MIT
// Which widths of terms this machine can run.

#include "tree/terms_wide.h"

const tdi_terms_kernel *tdi_terms_widest(void) {
#ifdef TDI_WIDE_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        return &tdi_terms_8;
    }
    if (__builtin_cpu_supports("avx2")) {
        return &tdi_terms_4;
    }
#endif
    return NULL;
}
