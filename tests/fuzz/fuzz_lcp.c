// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as a complementarity problem.
//
// Method   The first byte is the number of rows, the second the method; then come the rows, a
//          factor F of the matrix A = F F^T, and b, each number of one byte, now and then a strange
//          one. What is refused must say why; what is solved has finite forces, within its bounds
//          by what the certificate says. Nothing may be left of the memory.

#include "claim.h"

#include "tendril/tendril.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 12 };

typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

static uint8_t byte_of(bytes *in) {
    if (in->left == 0) {
        return 0;
    }
    in->left--;
    return *in->at++;
}

static td_real number_of(bytes *in) {
    static const td_real strange[] = {0,        1e-300,    1e300,        1e8,
                                      INFINITY, -INFINITY, (td_real)NAN, 1e-9};
    const uint8_t b = byte_of(in);
    return b >= 248 ? strange[b - 248] : ((td_real)b - 124) / 31;
}

static void fill_rows(bytes *in, int32_t count, td_lcp_row *rows) {
    for (int32_t i = 0; i < count; i++) {
        const uint8_t kind = byte_of(in);
        rows[i] = td_lcp_row_default();
        rows[i].kind = (td_lcp_kind)(kind % 5); // one of them is none
        rows[i].normal = (int32_t)(kind / 5) - 2;
        rows[i].friction = number_of(in);
        if (kind & 64) {
            rows[i].low = number_of(in);
            rows[i].high = number_of(in);
        }
    }
}

// A = F F^T: positive semi-definite, singular where F has few columns.
static void fill_matrix(bytes *in, int32_t count, td_real *matrix) {
    td_real f[ROWS][ROWS] = {{0}};
    const int32_t columns = 1 + byte_of(in) % ROWS;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < columns; k++) {
            f[i][k] = number_of(in);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < count; j++) {
            td_real sum = 0;
            for (int32_t k = 0; k < columns; k++) {
                sum += f[i][k] * f[j][k];
            }
            matrix[i * count + j] = sum;
        }
    }
}

static void check(const td_lcp *p, const td_real *x, const td_lcp_result *r) {
    for (int32_t i = 0; i < p->count; i++) {
        claim(isfinite(x[i]), "a force is finite");
    }
    claim(r->verdict != TD_LCP_SOLVED || (r->residual < 1e-6 && r->bounds < 1e-6),
          "what is solved has small residuals");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes in = {data, size};
    td_lcp_row rows[ROWS];
    td_real matrix[ROWS * ROWS] = {0}, rhs[ROWS] = {0}, x[ROWS] = {0};
    td_lcp_opts opts = td_lcp_opts_default();
    td_lcp_result result;
    td_diag diag = {.message = ""};
    const int32_t count = byte_of(&in) % (ROWS + 1);
    opts.method = byte_of(&in) & 1 ? TD_LCP_SOR : TD_LCP_EXACT;
    fill_rows(&in, count, rows);
    fill_matrix(&in, count, matrix);
    for (int32_t i = 0; i < count; i++) {
        rhs[i] = number_of(&in);
    }
    const td_lcp problem = {count, matrix, rhs, rows};
    const td_status status = td_lcp_solve(&problem, &opts, &alloc, x, &result, &diag);
    claim(status == TD_OK || diag.message[0] != 0, "what fails says why");
    claim(status == TD_OK || status == TD_ERR_ARGUMENT, "nothing but wrong numbers is refused");
    if (status == TD_OK) {
        check(&problem, x, &result);
    }
    claim(heap.held == 0, "all memory is given back");
    return 0;
}
