// SPDX-License-Identifier: MIT
// Terms of 4 bodies at once: AVX2.

#define TDI_LANES 4
#include "tree/terms_wide_fill.h"

const tdi_terms_kernel tdi_terms_4 = {TDI_LANES, fill};
