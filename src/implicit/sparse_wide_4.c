// SPDX-License-Identifier: MIT
// Factors of sparse matrices with AVX2.

#define TDI_LANES         4
#define TDI_SPARSE_FACTOR tdi_sparse_factor_4
#include "implicit/sparse_kernel.h"
