// SPDX-License-Identifier: MIT
// Gauss's elimination with complete pivoting: P A Q = L U, rank revealed by the pivots.

#include "math/dense.h"

#include <math.h>

static inline td_real *at(const tdi_dense *d, int32_t i, int32_t j) {
    return &d->a[(ptrdiff_t)d->row[i] * d->size + d->column[j]];
}

static void swap(int32_t *order, int32_t i, int32_t j) {
    const int32_t old = order[i];
    order[i] = order[j];
    order[j] = old;
}

// Brings the largest entry that is left to place k; gives its size.
static td_real pivot(tdi_dense *d, int32_t k) {
    td_real most = -1;
    int32_t row = k, column = k;
    for (int32_t i = k; i < d->size; i++) {
        for (int32_t j = k; j < d->size; j++) {
            const td_real size = fabs(*at(d, i, j));
            if (size > most) {
                most = size;
                row = i;
                column = j;
            }
        }
    }
    swap(d->row, k, row);
    swap(d->column, k, column);
    return most;
}

void tdi_dense_factor(tdi_dense *d, td_real floor) {
    td_real largest = 0;
    for (int32_t k = 0; k < d->size; k++) {
        d->row[k] = d->column[k] = k;
    }
    for (d->rank = 0; d->rank < d->size; d->rank++) {
        const int32_t k = d->rank;
        const td_real size = pivot(d, k);
        largest = k == 0 ? size : largest;
        if (!(size > floor * largest) || !(size > 0)) {
            return;
        }
        for (int32_t i = k + 1; i < d->size; i++) {
            const td_real by = *at(d, i, k) /= *at(d, k, k);
            for (int32_t j = k + 1; by != 0 && j < d->size; j++) {
                *at(d, i, j) -= by * *at(d, k, j);
            }
        }
    }
}

void tdi_dense_solve(const tdi_dense *d, td_real *x) {
    td_real *y = d->work;
    for (int32_t i = 0; i < d->rank; i++) {
        y[i] = x[d->row[i]];
        for (int32_t j = 0; j < i; j++) {
            y[i] -= *at(d, i, j) * y[j];
        }
    }
    for (int32_t i = 0; i < d->size; i++) {
        x[i] = 0;
    }
    for (int32_t i = d->rank - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < d->rank; j++) {
            y[i] -= *at(d, i, j) * y[j];
        }
        y[i] /= *at(d, i, i);
        x[d->column[i]] = y[i];
    }
}
