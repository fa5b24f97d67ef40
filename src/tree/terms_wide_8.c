// SPDX-License-Identifier: MIT
// Terms of 8 bodies at once: AVX-512.

#define TDI_LANES 8
#include "tree/terms_wide_fill.h"

const tdi_terms_kernel tdi_terms_8 = {TDI_LANES, fill};
