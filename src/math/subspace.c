// SPDX-License-Identifier: MIT
// The lowest eigenvalues of K x = lambda M x by subspace iteration.
//
// Method   a few more vectors than modes are wanted. Each iteration filters them by a polynomial of
//          F = (K + shift M)^-1 M, makes them orthonormal in M, and turns them so that K becomes
//          diagonal on them (Rayleigh and Ritz). A product and a solve a vector and degree.
// Shift    a hundredth of the highest lambda in the subspace, found on the way: K itself may be
//          singular (what is free or limp) or indefinite (a pose about to fall).

#include "math/subspace.h"

#include "base/diag.h"

#include <math.h>
#include <string.h>

#define GUARD          8     // vectors beyond those wanted: they make the wanted ones converge
#define MAX_MODES      4096  // what Jacobi's method and its matrix are good for
#define MAX_ITERATIONS 300   // plants with hundreds of alike leaves take 10 to 20
#define PRECISION      1e-10 // of lambda, relative
#define SHIFT          0.01  // of the highest lambda in the subspace
#define MAX_RAISES     60    // of a shift that does not make K + shift M positive, by 8 each
#define MAX_DEGREE     12    // of the filter
#define LARGEST_GROWTH 1e10  // of the filter: rounding times this must stay well below 1
#define NEGLIGIBLE     1e-24 // of x^T M x: what is left is rounding
#define ROUNDING       1e-15 // of x^T |K| x
#define MIXED          1e-9  // of a vector is of others: rounding, of a solve with a large shift
#define SIGNS          4     // patterns of signs that tell |K| from K
#define MAX_SWEEPS     60    // of Jacobi's method

// ---- vectors --------------------------------------------------------------------------------

static td_real dot(const tdi_subspace *b, const td_real *x, const td_real *y) {
    td_real sum = 0;
    for (int32_t d = 0; d < b->length; d++) {
        sum += x[d] * y[d];
    }
    return sum;
}

// About the same kinetic energy in every degree of freedom.
static void fill_random(tdi_subspace *b, int32_t j) {
    for (int32_t d = 0; d < b->length; d++) {
        tdi_subspace_vector(b, j)[d] = (2 * tdi_random_uniform(&b->random) - 1) * b->light[d];
    }
    if (b->pencil.project) {
        b->pencil.project(b->pencil.context, tdi_subspace_vector(b, j));
    }
}

// Takes the vectors before it out of vector j. Gives x^T M x before, and returns it after.
static td_real project(tdi_subspace *b, int32_t j, td_real *before) {
    td_real *x = tdi_subspace_vector(b, j);
    b->pencil.inertia(b->pencil.context, x, b->image);
    td_real left = *before = dot(b, x, b->image);
    for (int32_t i = 0; i < j; i++) {
        b->row[i] = dot(b, tdi_subspace_vector(b, i), b->image);
        left -= b->row[i] * b->row[i];
    }
    for (int32_t i = 0; i < j; i++) {
        const td_real *y = tdi_subspace_vector(b, i);
        for (int32_t d = 0; d < b->length; d++) {
            x[d] -= b->row[i] * y[d];
        }
    }
    return left;
}

// Gram and Schmidt in M, twice each. A vector with nothing of its own left starts afresh. False
// when a number is not finite.
static bool orthonormalise(tdi_subspace *b) {
    for (int32_t j = 0; j < b->size; j++) {
        td_real left = 0;
        for (int32_t attempt = 0; !(left > 0) && attempt < 4; attempt++) {
            if (attempt > 0) {
                fill_random(b, j);
            }
            td_real whole, rest;
            project(b, j, &whole);
            left = project(b, j, &rest);
            left = rest > NEGLIGIBLE * whole ? left : 0;
        }
        if (!(left > 0) || !isfinite(left)) {
            return false;
        }
        td_real scale = 1 / sqrt(left), *x = tdi_subspace_vector(b, j);
        for (int32_t d = 0; d < b->length; d++) {
            x[d] *= scale;
        }
    }
    return true;
}

// ---- small eigenproblem ---------------------------------------------------------------------

// One rotation of Jacobi's method on the symmetric matrix a with eigenvectors v, n x n.
static void rotate(td_real *a, td_real *v, int32_t n, int32_t p, int32_t q) {
    td_real app = a[p * n + p], aqq = a[q * n + q], apq = a[p * n + q];
    td_real theta = (aqq - app) / (2 * apq);
    td_real t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    td_real c = 1 / sqrt(t * t + 1), s = t * c;
    for (int32_t i = 0; i < n; i++) {
        td_real x = a[i * n + p], y = a[i * n + q], vx = v[i * n + p], vy = v[i * n + q];
        a[i * n + p] = a[p * n + i] = c * x - s * y;
        a[i * n + q] = a[q * n + i] = s * x + c * y;
        v[i * n + p] = c * vx - s * vy;
        v[i * n + q] = s * vx + c * vy;
    }
    a[p * n + p] = app - t * apq;
    a[q * n + q] = aqq + t * apq;
    a[p * n + q] = a[q * n + p] = 0;
}

void tdi_diagonalise(td_real *a, td_real *v, int32_t n) {
    memset(v, 0, (size_t)n * (size_t)n * sizeof *v);
    for (int32_t i = 0; i < n; i++) {
        v[i * n + i] = 1;
    }
    bool turned = true;
    for (int32_t sweep = 0; turned && sweep < MAX_SWEEPS; sweep++) {
        turned = false;
        for (int32_t p = 0; p < n; p++) {
            for (int32_t q = p + 1; q < n; q++) {
                td_real x = a[p * n + q];
                if (x * x > 1e-33 * fabs(a[p * n + p] * a[q * n + q])) {
                    rotate(a, v, n, p, q);
                    turned = true;
                }
            }
        }
    }
}

// Sorts by the diagonal of the matrix: lambda ascending, columns of `turn` with it.
static void sort_columns(tdi_subspace *b) {
    int32_t n = b->size;
    for (int32_t j = 0; j < n; j++) {
        b->lambda[j] = b->matrix[j * n + j];
    }
    for (int32_t j = 1; j < n; j++) {
        for (int32_t i = j; i > 0 && b->lambda[i] < b->lambda[i - 1]; i--) {
            td_real swap = b->lambda[i];
            b->lambda[i] = b->lambda[i - 1];
            b->lambda[i - 1] = swap;
            for (int32_t k = 0; k < n; k++) {
                td_real *row = b->turn + k * n;
                swap = row[i];
                row[i] = row[i - 1];
                row[i - 1] = swap;
            }
        }
    }
}

// Turns orthonormal vectors so that K is diagonal on them.
static void rayleigh_ritz(tdi_subspace *b) {
    int32_t n = b->size;
    for (int32_t j = 0; j < n; j++) {
        b->pencil.stiffness(b->pencil.context, tdi_subspace_vector(b, j), b->image);
        for (int32_t i = 0; i <= j; i++) {
            b->matrix[i * n + j] = b->matrix[j * n + i] =
                dot(b, tdi_subspace_vector(b, i), b->image);
        }
    }
    tdi_diagonalise(b->matrix, b->turn, n);
    sort_columns(b);
    for (int32_t d = 0; d < b->length; d++) {
        for (int32_t j = 0; j < n; j++) {
            b->row[j] = tdi_subspace_vector(b, j)[d];
        }
        for (int32_t j = 0; j < n; j++) {
            td_real sum = 0;
            for (int32_t i = 0; i < n; i++) {
                sum += b->row[i] * b->turn[i * n + j];
            }
            tdi_subspace_vector(b, j)[d] = sum;
        }
    }
}

// ---- iteration ------------------------------------------------------------------------------

// Keeps the factors while their shift is small enough. False when no shift does.
static bool refactor(tdi_subspace *b) {
    td_real want = SHIFT * fabs(b->lambda[b->size - 1]);
    if (b->lambda[0] < 0 && want < -2 * b->lambda[0]) {
        want = -2 * b->lambda[0];
    }
    want = want > 2 * b->low ? want : 2 * b->low;
    const bool positive = b->lambda[0] > -0.5 * b->shift;
    if (b->shift > 0 && positive && !(want < 0.5 * b->shift)) {
        return true;
    }
    want = want > 0 ? want : 1; // no stiffness at all: any shift is as good
    for (int32_t k = 0; k < MAX_RAISES; k++) {
        if (b->pencil.factor(b->pencil.context, want)) {
            b->shift = want;
            return true;
        }
        b->low = want;
        want *= 8;
    }
    return false;
}

// x <- T_k(2 F/f - 1) x with F = (K + shift M)^-1 M: Chebyshev's polynomial stays below 1 on what
// the subspace does not hold, where F < f, and grows as fast as any can beyond.
static void filter(tdi_subspace *b, int32_t j, int32_t degree, td_real scale) {
    td_real *x = tdi_subspace_vector(b, j), *y = b->image, *old = b->old;
    for (int32_t k = 0; k < degree; k++) {
        b->pencil.inertia(b->pencil.context, x, y);
        b->pencil.respond(b->pencil.context, y);
        for (int32_t d = 0; d < b->length; d++) {
            td_real next = scale * y[d] - x[d];
            next = k == 0 ? next : 2 * next - old[d];
            old[d] = x[d];
            x[d] = next;
        }
    }
}

// The highest degree that leaves the vectors apart: where T_k is not too large at the lowest
// lambda.
static void filter_all(tdi_subspace *b) {
    td_real top = b->lambda[b->size - 1] + b->shift, low = b->lambda[0] + b->shift;
    td_real z = low > 0 ? 2 * top / low - 1 : LARGEST_GROWTH, before = 1, now = z;
    int32_t degree = 1;
    for (td_real next; degree < MAX_DEGREE; degree++, before = now, now = next) {
        next = 2 * z * now - before;
        if (next > LARGEST_GROWTH) {
            break;
        }
    }
    for (int32_t j = 0; j < b->size; j++) {
        filter(b, j, degree, 2 * top);
    }
}

// What rounding leaves of a lambda: a part of |x|^T |K| |x|, in which nothing cancels, and what
// other vectors of the subspace leave in this one. With random signs r, (r x)^T K (r x) is the
// diagonal's part of the first in the mean.
static td_real noise_of(tdi_subspace *b, int32_t j) {
    const td_real *x = tdi_subspace_vector(b, j);
    td_real most = 0;
    for (int32_t k = 0; k < SIGNS; k++) {
        for (int32_t d = 0; d < b->length; d++) {
            b->old[d] = tdi_random_uniform(&b->random) < 0.5 ? -x[d] : x[d];
        }
        b->pencil.stiffness(b->pencil.context, b->old, b->image);
        most = fmax(most, fabs(dot(b, b->old, b->image)));
    }
    return ROUNDING * most + MIXED * MIXED * fabs(b->lambda[b->size - 1]);
}

static bool converged(tdi_subspace *b, int32_t count) {
    for (int32_t j = 0; j < count; j++) {
        b->noise[j] = noise_of(b, j);
        td_real limit = PRECISION * fabs(b->lambda[j]) + b->noise[j];
        if (!(fabs(b->lambda[j] - b->before[j]) <= limit)) {
            return false;
        }
    }
    return true;
}

static td_status not_converged(const tdi_subspace *b, td_diag *diag) {
    return b->lambda[0] < 0
               ? tdi_fail(
                     diag, TD_ERR_LIMIT,
                     "the pose is too far from a stable equilibrium to have modes; settle it first")
               : tdi_fail(diag, TD_ERR_LIMIT, "the modes did not converge in %d iterations",
                          MAX_ITERATIONS);
}

static td_status iterate(tdi_subspace *b, int32_t count, td_diag *diag) {
    int32_t calm = 0; // iterations that changed nothing
    for (int32_t k = 0; k < MAX_ITERATIONS; k++) {
        memcpy(b->before, b->lambda, (size_t)b->size * sizeof *b->lambda);
        if (!orthonormalise(b)) {
            return tdi_fail(diag, TD_ERR_DIVERGED, "the pose or its inertia is not finite");
        }
        rayleigh_ritz(b);
        calm = k > 0 && converged(b, count) ? calm + 1 : 0;
        if (calm == 2) {
            return TD_OK;
        }
        if (!refactor(b)) {
            return tdi_fail(diag, TD_ERR_DIVERGED, "the stiffness is not finite");
        }
        if (b->size < b->length - b->held) { // else all is in the subspace already
            filter_all(b);
        }
    }
    return not_converged(b, diag);
}

// ---- entry ----------------------------------------------------------------------------------

static void place(tdi_subspace *b, tdi_layout *l) {
    size_t n = (size_t)b->size, length = (size_t)b->length;
    b->x = tdi_layout_place(l, n * length, sizeof *b->x);
    b->image = tdi_layout_place(l, length, sizeof *b->image);
    b->old = tdi_layout_place(l, length, sizeof *b->old);
    b->light = tdi_layout_place(l, length, sizeof *b->light);
    b->lambda = tdi_layout_place(l, n, sizeof *b->lambda);
    b->before = tdi_layout_place(l, n, sizeof *b->before);
    b->noise = tdi_layout_place(l, n, sizeof *b->noise);
    b->matrix = tdi_layout_place(l, n * n, sizeof *b->matrix);
    b->turn = tdi_layout_place(l, n * n, sizeof *b->turn);
    b->row = tdi_layout_place(l, n, sizeof *b->row);
}

// False when the vectors are more than memory can hold, so that their size must not be worked out.
static bool fits(const tdi_subspace *b) {
    return (size_t)b->length < SIZE_MAX / 4 / sizeof(td_real) / (size_t)b->size;
}

td_status tdi_subspace_open(tdi_subspace *b, const td_alloc *alloc, int32_t length, int32_t count,
                            td_diag *diag) {
    const int32_t most = length - b->held;
    if (count < 1 || count > most) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "count is %d; it must be at least 1 and at most %d, the degrees of freedom",
                        count, most);
    }
    if (count > MAX_MODES) {
        return tdi_fail(diag, TD_ERR_LIMIT, "count is %d; it must be at most %d", count, MAX_MODES);
    }
    tdi_layout l = {NULL, 0};
    b->alloc = alloc;
    b->length = length;
    b->size = most - count < GUARD ? most : count + GUARD;
    if (fits(b)) {
        place(b, &l);
        b->bytes = l.used;
        b->block = tdi_alloc_zeroed(alloc, b->bytes, 1);
    }
    if (!b->block) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the modes");
    }
    l = (tdi_layout){b->block, 0};
    place(b, &l);
    return TD_OK;
}

void tdi_subspace_close(tdi_subspace *b) {
    tdi_alloc_free(b->alloc, b->block, b->bytes);
}

td_status tdi_subspace_solve(tdi_subspace *b, int32_t count, td_diag *diag) {
    tdi_random_seed(&b->random, 1);
    b->pencil.diagonal(b->pencil.context, b->light);
    for (int32_t d = 0; d < b->length; d++) {
        b->light[d] = b->light[d] > 0 ? 1 / sqrt(b->light[d]) : 0;
    }
    for (int32_t j = 0; j < b->size; j++) {
        fill_random(b, j);
    }
    td_status status = iterate(b, count, diag);
    for (int32_t j = 0; j < count; j++) {
        if (fabs(b->lambda[j]) < b->noise[j]) {
            b->lambda[j] = 0;
        }
    }
    return status;
}
