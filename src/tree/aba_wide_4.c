// SPDX-License-Identifier: MIT
// Forward dynamics, 4 trees at once: AVX2.

#define TDI_LANES 4
#include "tree/aba_wide_forward.h"

const tdi_wide_kernel tdi_wide_4 = {"AVX2", sizeof(tdi_wlink), sizeof(other), forward};
