// SPDX-License-Identifier: MIT
#pragma once

// Dense algebra for tests: plain, so that it can be believed.

#include "tendril/base.h"

#include <math.h>
#include <stdint.h>

// M x = b, by Gauss with pivots. Rows of M are `stride` apart and are destroyed; x holds b at
// first.
static inline void test_solve_dense(td_real *m, int32_t stride, td_real *x, int32_t n) {
    for (int32_t j = 0; j < n; j++) {
        td_real *const row = m + (ptrdiff_t)j * stride;
        int32_t best = j;
        for (int32_t i = j; i < n; i++) {
            best = fabs(m[(ptrdiff_t)i * stride + j]) > fabs(m[(ptrdiff_t)best * stride + j])
                       ? i
                       : best;
        }
        for (int32_t k = 0; k <= n; k++) {
            td_real *a = k < n ? &row[k] : &x[j];
            td_real *b = k < n ? &m[(ptrdiff_t)best * stride + k] : &x[best], t = *a;
            *a = *b;
            *b = t;
        }
        for (int32_t i = j + 1; i < n; i++) {
            td_real *const below = m + (ptrdiff_t)i * stride;
            const td_real f = below[j] / row[j];
            for (int32_t k = j; f != 0 && k < n; k++) {
                below[k] -= f * row[k];
            }
            x[i] -= f * x[j];
        }
    }
    for (int32_t j = n - 1; j >= 0; j--) {
        for (int32_t k = j + 1; k < n; k++) {
            x[j] -= m[(ptrdiff_t)j * stride + k] * x[k];
        }
        x[j] /= m[(ptrdiff_t)j * stride + j];
    }
}
