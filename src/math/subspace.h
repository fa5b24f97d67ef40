// SPDX-License-Identifier: MIT
#pragma once

// The lowest eigenvalues of K x = lambda M x by subspace iteration. K and M are whatever can be
// multiplied with vectors and solved: K symmetric, also singular or indefinite; M positive.

#include "base/alloc.h"
#include "base/random.h"

// What the matrices can do. `context` is passed on.
typedef struct tdi_pencil {
    void *context;
    void (*stiffness)(void *context, const td_real *x, td_real *y); // y = K x, not in place
    void (*inertia)(void *context, const td_real *x, td_real *y);   // y = M x, not in place
    void (*diagonal)(void *context, td_real *y);                    // of M
    bool (*factor)(void *context, td_real shift); // K + shift M; false: it is not positive definite
    void (*respond)(void *context, td_real *x);   // x <- (K + shift M)^-1 x
    void (*project)(void *context, td_real *x);   // onto the motions that are free; NULL: all are
} tdi_pencil;

typedef struct tdi_subspace {
    tdi_pencil pencil;
    int32_t length;  // of a vector
    int32_t held;    // dimensions of the motions that are not free; set before it is opened
    int32_t size;    // vectors: those wanted and a few more
    td_real *lambda; // of the vectors, ascending
    td_real *x;      // the vectors, x^T M x = 1
    // for the iteration alone
    tdi_random random;
    td_real shift;   // of the factors; 0: none yet
    td_real low;     // highest shift that did not do
    td_real *image;  // one vector: K or M times another
    td_real *old;    // one vector
    td_real *light;  // one vector: 1/sqrt of the diagonal of M
    td_real *before; // lambda of the iteration before
    td_real *noise;  // of lambda: what rounding in K leaves of it; what is smaller counts as 0
    td_real *matrix; // size x size: K on the vectors
    td_real *turn;   // its eigenvectors, as columns
    td_real *row;
    const td_alloc *alloc;
    void *block;
    size_t bytes;
} tdi_subspace;

// Takes memory for `count` vectors; the pencil is set before. TD_ERR_ARGUMENT when there are not as
// many, TD_ERR_LIMIT when they are too many; nothing is to be closed then.
td_status tdi_subspace_open(tdi_subspace *subspace, const td_alloc *alloc, int32_t length,
                            int32_t count, td_diag *diag);
void tdi_subspace_close(tdi_subspace *subspace);
// Finds the `count` lowest. TD_ERR_LIMIT, with the values as far as they got, when they do not
// converge; TD_ERR_DIVERGED when something is not finite.
td_status tdi_subspace_solve(tdi_subspace *subspace, int32_t count, td_diag *diag);

// A small symmetric matrix, n x n, by Jacobi's method: its eigenvalues come to the diagonal, its
// eigenvectors are the columns of v.
void tdi_diagonalise(td_real *a, td_real *v, int32_t n);

static inline td_real *tdi_subspace_vector(const tdi_subspace *b, int32_t j) {
    return b->x + (ptrdiff_t)j * b->length;
}
