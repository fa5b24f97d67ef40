// SPDX-License-Identifier: MIT
#pragma once

// Dense algebra for cases and tests: plain, so that it can be believed. Rows of matrices are
// `stride` apart.

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DENSE_AT(a, i, j) (a)[(ptrdiff_t)(i)*stride + (j)]

// Cholesky: L of A = L L^T takes the place of the lower part of A. False when A is not positive
// definite.
static inline bool dense_factor(double *a, int32_t stride, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = DENSE_AT(a, i, j);
            for (int32_t k = 0; k < j; k++) {
                sum -= DENSE_AT(a, i, k) * DENSE_AT(a, j, k);
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            DENSE_AT(a, i, j) = i == j ? sqrt(sum) : sum / DENSE_AT(a, j, j);
        }
    }
    return true;
}

// x <- L^-1 x, of numbers that are `step` apart.
static inline void dense_forward(const double *l, int32_t stride, int32_t n, double *x,
                                 ptrdiff_t step) {
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < i; k++) {
            x[i * step] -= DENSE_AT(l, i, k) * x[k * step];
        }
        x[i * step] /= DENSE_AT(l, i, i);
    }
}

// x <- (L L^T)^-1 x
static inline void dense_solve(const double *l, int32_t stride, int32_t n, double *x) {
    dense_forward(l, stride, n, x, 1);
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < n; k++) {
            x[i] -= DENSE_AT(l, k, i) * x[k];
        }
        x[i] /= DENSE_AT(l, i, i);
    }
}

// Columns or rows p and q of A, turned.
static inline void dense_turn(double *a, ptrdiff_t p, ptrdiff_t q, ptrdiff_t step, int32_t n,
                              double c, double s) {
    for (int32_t i = 0; i < n; i++) {
        const double x = a[p + i * step], y = a[q + i * step];
        a[p + i * step] = c * x - s * y;
        a[q + i * step] = s * x + c * y;
    }
}

// lambda of K x = lambda M x, ascending, by Jacobi's rotations; K and M are destroyed. False when
// M is not positive definite.
static inline bool dense_eigenvalues(double *k, double *m, int32_t stride, int32_t n,
                                     double *lambda) {
    if (!dense_factor(m, stride, n)) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) { // L^-1 K
        dense_forward(m, stride, n, k + i, stride);
    }
    for (int32_t i = 0; i < n; i++) { // L^-1 K L^-T
        dense_forward(m, stride, n, k + (ptrdiff_t)i * stride, 1);
    }
    for (int32_t sweep = 0; sweep < 40; sweep++) {
        for (int32_t p = 0; p < n; p++) {
            for (int32_t q = p + 1; q < n; q++) {
                const double off = DENSE_AT(k, p, q);
                if (off != 0) {
                    const double angle =
                        0.5 * atan2(2 * off, DENSE_AT(k, q, q) - DENSE_AT(k, p, p));
                    dense_turn(k, p, q, stride, n, cos(angle), sin(angle));
                    dense_turn(k, (ptrdiff_t)p * stride, (ptrdiff_t)q * stride, 1, n, cos(angle),
                               sin(angle));
                }
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t j = i;
        for (; j > 0 && lambda[j - 1] > DENSE_AT(k, i, i); j--) {
            lambda[j] = lambda[j - 1];
        }
        lambda[j] = DENSE_AT(k, i, i);
    }
    return true;
}

// M x = b, by Gauss with pivots. Rows of M are `stride` apart and are destroyed; x holds b at
// first.
static inline void dense_eliminate(double *m, int32_t stride, double *x, int32_t n) {
    for (int32_t j = 0; j < n; j++) {
        double *const row = m + (ptrdiff_t)j * stride;
        int32_t best = j;
        for (int32_t i = j; i < n; i++) {
            best = fabs(m[(ptrdiff_t)i * stride + j]) > fabs(m[(ptrdiff_t)best * stride + j])
                       ? i
                       : best;
        }
        for (int32_t k = 0; k <= n; k++) {
            double *a = k < n ? &row[k] : &x[j];
            double *b = k < n ? &m[(ptrdiff_t)best * stride + k] : &x[best], t = *a;
            *a = *b;
            *b = t;
        }
        for (int32_t i = j + 1; i < n; i++) {
            double *const below = m + (ptrdiff_t)i * stride;
            const double f = below[j] / row[j];
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
