// SPDX-License-Identifier: MIT
// Factors of sparse matrices in the vectors that every processor has, or without them.

#ifdef TDI_SMALL
#define TDI_LANES 1
#else
#define TDI_LANES 2
#endif
#define TDI_SPARSE_FACTOR tdi_sparse_factor_2
#include "implicit/sparse_kernel.h"
