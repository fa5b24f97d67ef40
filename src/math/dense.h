// SPDX-License-Identifier: MIT
#pragma once

// Dense systems of equations that may be rank-deficient.

#include "tendril/base.h"

// A n x n matrix factored by Gauss's elimination with complete pivoting. Pivots below a fraction of
// the largest count as 0: the rank is revealed, and consistent systems are solved all the same,
// with 0 for the unknowns that are left open.
typedef struct tdi_dense {
    int32_t size, rank;
    td_real *a;            // n x n, row by row; the caller fills it before it is factored
    int32_t *row, *column; // n each: the order of the pivots
    td_real *work;         // n
} tdi_dense;

// Factors `a` in place; pivots below `floor` times the largest count as 0.
void tdi_dense_factor(tdi_dense *d, td_real floor);
// x <- A^-1 x.
void tdi_dense_solve(const tdi_dense *d, td_real *x);
