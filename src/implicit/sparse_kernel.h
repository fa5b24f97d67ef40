// SPDX-License-Identifier: MIT
// The factor of a sparse matrix, in the lanes of whoever includes this: columns of blocks. Every
// width gives the same bits.
//
// Method   Row by row. With a = U_jk of an earlier row j,
//            A_kl -= a^T U_jl  for all l >= k,   then   A_kk = R^T R,   U_kl = R^-T A_kl.
//          Rows whose columns are the same beyond the last of them are one supernode: two at a
//          time are used for the same blocks. It waits in the list of the column that it has not
//          been used for yet.

#include "implicit/sparse.h"

#include "math/wide.h"

#include <math.h>

#define LEAST_PIVOT 1e-13 // of the block's own diagonal: below it is rounding

// to -= a^T b of two rows, one after the other
static inline void subtract_two(td_real to[4][4], td_real a[4][4], td_real b[4][4], td_real c[4][4],
                                td_real d[4][4]) {
    for (int j = 0; j < 4; j += TDI_LANES) {
        const tdi_wide b0 = tdi_wide_load(b[0] + j), b1 = tdi_wide_load(b[1] + j),
                       b2 = tdi_wide_load(b[2] + j), b3 = tdi_wide_load(b[3] + j);
        const tdi_wide d0 = tdi_wide_load(d[0] + j), d1 = tdi_wide_load(d[1] + j),
                       d2 = tdi_wide_load(d[2] + j), d3 = tdi_wide_load(d[3] + j);
        for (int i = 0; i < 4; i++) {
            const tdi_wide one = a[0][i] * b0 + a[1][i] * b1 + a[2][i] * b2 + a[3][i] * b3,
                           two = c[0][i] * d0 + c[1][i] * d1 + c[2][i] * d2 + c[3][i] * d3;
            tdi_wide_store(to[i] + j, tdi_wide_load(to[i] + j) - one - two);
        }
    }
}

// to -= a^T b
static inline void subtract(td_real to[4][4], td_real a[4][4], td_real b[4][4]) {
    for (int j = 0; j < 4; j += TDI_LANES) {
        const tdi_wide b0 = tdi_wide_load(b[0] + j), b1 = tdi_wide_load(b[1] + j),
                       b2 = tdi_wide_load(b[2] + j), b3 = tdi_wide_load(b[3] + j);
        for (int i = 0; i < 4; i++) {
            tdi_wide sum = a[0][i] * b0 + a[1][i] * b1 + a[2][i] * b2 + a[3][i] * b3;
            tdi_wide_store(to[i] + j, tdi_wide_load(to[i] + j) - sum);
        }
    }
}

// R of d = R^T R above the diagonal, and one over its diagonal. False when a pivot is not positive.
static bool factor_block(td_real d[4][4]) {
    for (int i = 0; i < 4; i++) {
        td_real pivot = d[i][i];
        for (int k = 0; k < i; k++) {
            pivot -= d[k][i] * d[k][i];
        }
        if (!(pivot > LEAST_PIVOT * fabs(d[i][i]))) {
            return false;
        }
        d[i][i] = 1 / sqrt(pivot);
        for (int j = i + 1; j < 4; j++) {
            for (int k = 0; k < i; k++) {
                d[i][j] -= d[k][i] * d[k][j];
            }
            d[i][j] *= d[i][i];
        }
    }
    return true;
}

// b = R^-T b
static inline void divide(td_real d[4][4], td_real b[4][4]) {
    for (int j = 0; j < 4; j += TDI_LANES) {
        const tdi_wide x0 = tdi_wide_load(b[0] + j) * d[0][0];
        const tdi_wide x1 = (tdi_wide_load(b[1] + j) - d[0][1] * x0) * d[1][1];
        const tdi_wide x2 = (tdi_wide_load(b[2] + j) - d[0][2] * x0 - d[1][2] * x1) * d[2][2];
        const tdi_wide x3 =
            (tdi_wide_load(b[3] + j) - d[0][3] * x0 - d[1][3] * x1 - d[2][3] * x2) * d[3][3];
        tdi_wide_store(b[0] + j, x0);
        tdi_wide_store(b[1] + j, x1);
        tdi_wide_store(b[2] + j, x2);
        tdi_wide_store(b[3] + j, x3);
    }
}

// Row k less what a part of a supernode, rows first..last, gives to it. They have `tail` blocks
// from column k on.
static void update_by(tdi_sparse *s, int32_t k, int32_t first, int32_t last, int32_t tail) {
    const int32_t *column = s->column + s->row[last + 1] - tail;
    for (int32_t j = first; j <= last; j += 2) {
        td_real(*one)[4][4] = s->block + s->row[j + 1] - tail;
        if (j == last) {
            subtract(s->diagonal[k], one[0], one[0]);
            for (int32_t e = 1; e < tail; e++) {
                subtract(s->block[s->at[column[e]]], one[0], one[e]);
            }
            return;
        }
        td_real(*two)[4][4] = s->block + s->row[j + 2] - tail;
        subtract_two(s->diagonal[k], one[0], one[0], two[0], two[0]);
        for (int32_t e = 1; e < tail; e++) {
            subtract_two(s->block[s->at[column[e]]], one[0], one[e], two[0], two[e]);
        }
    }
}

// A supernode, which its last row stands for, waits in the list of its next column.
static void wait(tdi_sparse *s, int32_t last, int32_t tail) {
    if (tail > 0) {
        const int32_t column = s->column[s->row[last + 1] - tail];
        s->cursor[last] = tail;
        s->follow[last] = s->list[column];
        s->list[column] = last;
    }
}

static void update_row(tdi_sparse *s, int32_t k) {
    const int32_t own = s->row[k + 1] - s->row[k];
    for (int32_t e = s->row[k]; e < s->row[k + 1]; e++) {
        s->at[s->column[e]] = e;
    }
    for (int32_t j = s->list[k], next; j != TD_NONE; j = next) {
        const int32_t tail = s->cursor[j];
        next = s->follow[j];
        update_by(s, k, s->super[j], j, tail);
        wait(s, j, tail - 1);
    }
    if (s->super[k] < k) {
        update_by(s, k, s->super[k], k - 1, own + 1);
    }
}

bool TDI_SPARSE_FACTOR(tdi_sparse *s) {
    for (int32_t k = 0; k < s->node_count; k++) {
        s->list[k] = TD_NONE;
    }
    for (int32_t k = 0; k < s->node_count; k++) {
        update_row(s, k);
        if (!factor_block(s->diagonal[k])) {
            return false;
        }
        for (int32_t e = s->row[k]; e < s->row[k + 1]; e++) {
            divide(s->diagonal[k], s->block[e]);
        }
        if (k + 1 == s->node_count || s->super[k + 1] != s->super[k]) {
            wait(s, k, s->row[k + 1] - s->row[k]);
        }
    }
    return true;
}
