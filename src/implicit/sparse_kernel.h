// SPDX-License-Identifier: MIT
// The factor of a sparse matrix, in the lanes of whoever includes this: columns of blocks. Every
// width gives the same bits.
//
// Method   Row by row. With a = U_jk of an earlier row j,
//            A_kl -= a^T U_jl  for all l >= k,   then   A_kk = R^T R,   U_kl = R^-T A_kl.
//          Rows whose columns are the same beyond the last of them are one supernode: two at a
//          time are used for the same blocks.
// Threads  Shares of rows that give nothing to each other are made at once. The last rows, to
//          which all of them give, come some at a time: threads subtract what all rows before
//          these give to each. What a row is made of comes in an order that follows from the
//          pattern alone.

#include "implicit/sparse.h"

#include "base/pool.h"
#include "math/wide.h"

#include <math.h>

#define LEAST_PIVOT 1e-13 // of the block's own diagonal: below it is rounding
#define PIECE       64    // blocks of a row that are looked up at a time
#define ROWS        16    // of the last share, that threads share
#define LITTLE      20000 // products, which are not worth the call of threads

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

// Row k less what rows first..last of a supernode give to it. They have `tail` blocks from column k
// on, all of whose columns row k has too.
static void update_by(tdi_sparse *s, int32_t k, int32_t first, int32_t last, int32_t tail) {
    const int32_t *column = s->column + s->row[last + 1] - tail;
    int32_t place[PIECE], at = s->row[k];
    for (int32_t from = 0; from < tail; from += PIECE) {
        const int32_t count = tail - from < PIECE ? tail - from : PIECE;
        for (int32_t e = from == 0; e < count; e++) {
            while (s->column[at] != column[from + e]) {
                at++;
            }
            place[e] = at++;
        }
        for (int32_t j = first; j <= last; j += 2) {
            td_real(*one)[4][4] = s->block + s->row[j + 1] - tail,
            (*two)[4][4] = j < last ? s->block + s->row[j + 2] - tail : NULL;
            for (int32_t e = 0; e < count; e++) {
                td_real(*to)[4] = from + e == 0 ? s->diagonal[k] : s->block[place[e]];
                if (two) {
                    subtract_two(to, one[0], one[from + e], two[0], two[from + e]);
                } else {
                    subtract(to, one[0], one[from + e]);
                }
            }
        }
    }
}

// Row k less what the rows before it give: those of the last share from `late` on, or all others.
static void update_row(tdi_sparse *s, int32_t k, int32_t late, bool of_late) {
    const int32_t own = s->row[k + 1] - s->row[k], super = s->super[k];
    for (int32_t g = s->given[k]; g < s->given[k + 1]; g++) {
        const int32_t j = s->giver[g][0];
        if ((j >= late && s->shares.of_row[j] == s->shares.count - 1) == of_late) {
            update_by(s, k, s->super[j], j, s->row[j + 1] - s->giver[g][1]);
        }
    }
    const int32_t first = of_late && super < late ? late : super,
                  last = of_late || k < late ? k : late;
    if (first < last) {
        update_by(s, k, first, last - 1, own + 1);
    }
}

// Row k, from which all is subtracted. False when a pivot is not positive.
static bool finish_row(tdi_sparse *s, int32_t k) {
    if (!factor_block(s->diagonal[k])) {
        return false;
    }
    for (int32_t e = s->row[k]; e < s->row[k + 1]; e++) {
        divide(s->diagonal[k], s->block[e]);
    }
    return true;
}

// ---- on all threads -------------------------------------------------------------------------

typedef struct factoring {
    tdi_sparse *s;
    const int32_t *rows; // of the last share, that come next
    bool failed[TDI_SPARSE_SHARES];
} factoring;

static void share_turn(void *context, int64_t share) {
    factoring *f = context;
    tdi_sparse *s = f->s;
    bool fine = true;
    for (int32_t r = s->shares.first[share]; r < s->shares.first[share + 1] && fine; r++) {
        update_row(s, s->shares.row[r], s->node_count, false);
        fine = finish_row(s, s->shares.row[r]);
    }
    f->failed[share] = !fine;
}

static void row_turn(void *context, int64_t row) {
    const factoring *f = context;
    update_row(f->s, f->rows[row], f->rows[0], false);
}

// Rows of the last share, some at a time: first the contributions of rows before them, then their
// own to each other.
static bool factor_last(factoring *f, td_pool *pool) {
    tdi_sparse *s = f->s;
    const int32_t *end = s->shares.row + s->node_count;
    for (f->rows = s->shares.row + s->shares.first[s->shares.count - 1]; f->rows < end;
         f->rows += ROWS) {
        const int32_t count = end - f->rows < ROWS ? (int32_t)(end - f->rows) : ROWS;
        tdi_pool_turns(pool, count, row_turn, f);
        for (int32_t r = 0; r < count; r++) {
            update_row(s, f->rows[r], f->rows[0], true);
            if (!finish_row(s, f->rows[r])) {
                return false;
            }
        }
    }
    return true;
}

bool TDI_SPARSE_FACTOR(tdi_sparse *s, td_pool *pool) {
    factoring f = {.s = s};
    pool = s->work < LITTLE ? NULL : pool;
    tdi_pool_turns(pool, s->shares.count - 1, share_turn, &f);
    for (int32_t k = 0; k < s->shares.count - 1; k++) {
        if (f.failed[k]) {
            return false;
        }
    }
    return factor_last(&f, pool);
}
