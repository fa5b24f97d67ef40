// SPDX-License-Identifier: MIT
// Forward dynamics, 2 trees at once: what every machine has: SSE2, NEON, the vectors of
// WebAssembly.

#define TDI_LANES 2
#include "tree/aba_wide_forward.h"

const tdi_wide_kernel tdi_wide_2 = {"baseline", sizeof(tdi_wlink), sizeof(other), forward};
