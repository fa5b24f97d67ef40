// SPDX-License-Identifier: MIT
// Forward dynamics, 8 trees at once: AVX-512.

#define TDI_LANES 8
#include "tree/aba_wide_forward.h"

const tdi_wide_kernel tdi_wide_8 = {"AVX-512", sizeof(tdi_wlink), sizeof(other), forward};
