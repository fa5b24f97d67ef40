// SPDX-License-Identifier: MIT
// The lowest vibration modes about a pose: K x = lambda M x by subspace iteration.
//
// Method   a few more vectors than modes are wanted. Each iteration filters them by a polynomial of
//          F = (K + shift M)^-1 M, makes them orthonormal in M, and turns them so that K becomes
//          diagonal on them (Rayleigh and Ritz). O(bodies) an iteration for a given count.
// Shift    a hundredth of the highest lambda in the subspace, found on the way: K itself may be
//          singular (free and limp trees) or indefinite (a pose about to fall).
// Memory   one block from the state's allocator, freed before the end.

#include "tree/tangent.h"

#include "base/random.h"

#include <string.h>

#define GUARD          8     // vectors beyond those wanted: they make the wanted ones converge
#define MAX_MODES      4096  // what Jacobi's method and its matrix are good for
#define MAX_ITERATIONS 300   // plants with hundreds of alike leaves take 10 to 20
#define PRECISION      1e-10 // of lambda, relative; and of the shift, times 0.1
#define SHIFT          0.01  // of the highest lambda in the subspace
#define MAX_RAISES     60    // of a shift that does not make K + shift M positive, by 8 each
#define MAX_DEGREE     12    // of the filter
#define LARGEST_GROWTH 1e10  // of the filter: rounding times this must stay well below 1
#define NEGLIGIBLE     1e-24 // of x^T M x: what is left is rounding
#define ZERO           1e-9  // of the shift: lambda is rounding
#define MAX_SWEEPS     60    // of Jacobi's method

typedef struct subspace {
    tdi_tangent tangent;
    tdi_random random;
    int32_t length;  // of a vector
    int32_t size;    // vectors
    td_real shift;   // of the factors; 0: none yet
    td_real low;     // highest shift that did not do
    td_real *x;      // size vectors
    td_real *image;  // one vector: K or M times another
    td_real *old;    // one vector
    td_real *light;  // one vector: 1/sqrt of the diagonal of M
    td_real *lambda; // of the vectors, ascending; and of the iteration before
    td_real *before;
    td_real *matrix; // size x size: K on the vectors
    td_real *turn;   // its eigenvectors, as columns
    td_real *row;
} subspace;

// ---- vectors --------------------------------------------------------------------------------

static inline td_real *vector(const subspace *b, int32_t j) {
    return b->x + (ptrdiff_t)j * b->length;
}

static td_real dot(const subspace *b, const td_real *x, const td_real *y) {
    td_real sum = 0;
    for (int32_t d = 0; d < b->length; d++) {
        sum += x[d] * y[d];
    }
    return sum;
}

// About the same kinetic energy in every degree of freedom.
static void fill_random(subspace *b, int32_t j) {
    for (int32_t d = 0; d < b->length; d++) {
        vector(b, j)[d] = (2 * tdi_random_uniform(&b->random) - 1) * b->light[d];
    }
}

// Takes the vectors before it out of vector j. Gives x^T M x before, and returns it after.
static td_real project(subspace *b, int32_t j, td_real *before) {
    td_real *x = vector(b, j);
    tdi_tangent_inertia(&b->tangent, x, b->image);
    td_real left = *before = dot(b, x, b->image);
    for (int32_t i = 0; i < j; i++) {
        b->row[i] = dot(b, vector(b, i), b->image);
        left -= b->row[i] * b->row[i];
    }
    for (int32_t i = 0; i < j; i++) {
        const td_real *y = vector(b, i);
        for (int32_t d = 0; d < b->length; d++) {
            x[d] -= b->row[i] * y[d];
        }
    }
    return left;
}

// Gram and Schmidt in M, twice each. A vector with nothing of its own left starts afresh. False
// when a number is not finite.
static bool orthonormalise(subspace *b) {
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
        td_real scale = 1 / sqrt(left), *x = vector(b, j);
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

static void diagonalise(td_real *a, td_real *v, int32_t n) {
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
static void sort_columns(subspace *b) {
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
static void rayleigh_ritz(subspace *b) {
    int32_t n = b->size;
    for (int32_t j = 0; j < n; j++) {
        tdi_tangent_stiffness(&b->tangent, vector(b, j), b->image);
        for (int32_t i = 0; i <= j; i++) {
            b->matrix[i * n + j] = b->matrix[j * n + i] = dot(b, vector(b, i), b->image);
        }
    }
    diagonalise(b->matrix, b->turn, n);
    sort_columns(b);
    for (int32_t d = 0; d < b->length; d++) {
        for (int32_t j = 0; j < n; j++) {
            b->row[j] = vector(b, j)[d];
        }
        for (int32_t j = 0; j < n; j++) {
            td_real sum = 0;
            for (int32_t i = 0; i < n; i++) {
                sum += b->row[i] * b->turn[i * n + j];
            }
            vector(b, j)[d] = sum;
        }
    }
}

// ---- iteration ------------------------------------------------------------------------------

// Keeps the factors while their shift is small enough. False when no shift does.
static bool refactor(subspace *b) {
    td_real want = SHIFT * fabs(b->lambda[b->size - 1]);
    if (b->lambda[0] < 0 && want < -2 * b->lambda[0]) {
        want = -2 * b->lambda[0];
    }
    want = want > 2 * b->low ? want : 2 * b->low;
    if (b->shift > 0 && !(want < 0.5 * b->shift)) {
        return true;
    }
    want = want > 0 ? want : 1; // no stiffness at all: any shift is as good
    for (int32_t k = 0; k < MAX_RAISES; k++) {
        if (tdi_tangent_factor(&b->tangent, want)) {
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
static void filter(subspace *b, int32_t j, int32_t degree, td_real scale) {
    td_real *x = vector(b, j), *y = b->image, *old = b->old;
    for (int32_t k = 0; k < degree; k++) {
        memcpy(y, x, (size_t)b->length * sizeof *y);
        tdi_tangent_solve(&b->tangent, y);
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
static void filter_all(subspace *b) {
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

static bool converged(const subspace *b, int32_t count) {
    for (int32_t j = 0; j < count; j++) {
        td_real limit = PRECISION * (fabs(b->lambda[j]) + 0.1 * b->shift);
        if (!(fabs(b->lambda[j] - b->before[j]) <= limit)) {
            return false;
        }
    }
    return true;
}

static td_status not_converged(const subspace *b, td_diag *diag) {
    return b->lambda[0] < 0
               ? tdi_fail(diag, TD_ERR_LIMIT, "the pose is too far from a stable one for its modes")
               : tdi_fail(diag, TD_ERR_LIMIT, "the modes did not converge in %d iterations",
                          MAX_ITERATIONS);
}

static td_status iterate(subspace *b, int32_t count, td_diag *diag) {
    int32_t calm = 0; // iterations that changed nothing
    for (int32_t k = 0; k < MAX_ITERATIONS; k++) {
        memcpy(b->before, b->lambda, (size_t)b->size * sizeof *b->lambda);
        if (!orthonormalise(b)) {
            return tdi_fail(diag, TD_ERR_DIVERGED, "the tree's pose or its inertia is not finite");
        }
        rayleigh_ritz(b);
        calm = k > 0 && converged(b, count) ? calm + 1 : 0;
        if (calm == 2) {
            return TD_OK;
        }
        if (!refactor(b)) {
            return tdi_fail(diag, TD_ERR_DIVERGED, "the tree's stiffness is not finite");
        }
        filter_all(b);
    }
    return not_converged(b, diag);
}

// ---- entry ----------------------------------------------------------------------------------

static void lay_out(subspace *b, tdi_layout *l) {
    size_t n = (size_t)b->size, length = (size_t)b->length;
    tdi_tangent_place(&b->tangent, l);
    b->x = tdi_layout_place(l, n * length, sizeof *b->x);
    b->image = tdi_layout_place(l, length, sizeof *b->image);
    b->old = tdi_layout_place(l, length, sizeof *b->old);
    b->light = tdi_layout_place(l, length, sizeof *b->light);
    b->lambda = tdi_layout_place(l, n, sizeof *b->lambda);
    b->before = tdi_layout_place(l, n, sizeof *b->before);
    b->matrix = tdi_layout_place(l, n * n, sizeof *b->matrix);
    b->turn = tdi_layout_place(l, n * n, sizeof *b->turn);
    b->row = tdi_layout_place(l, n, sizeof *b->row);
}

// omega^2 = lambda; damping ratio = x^T B x/(2 omega), with x^T M x = 1
static td_mode mode_of(const subspace *b, int32_t j) {
    td_real lambda = b->lambda[j], omega = sqrt(fabs(lambda));
    tdi_joint_form form = tdi_joints_form(b->tangent.model, b->tangent.state, vector(b, j));
    td_mode mode = {(lambda < 0 ? -omega : omega) / (2 * TDI_PI), 0, 0};
    if (lambda > 0) {
        mode.damping_ratio = form.damping / (2 * omega);
    }
    if (form.stiffness > 0) {
        mode.twist = form.twist / form.stiffness;
    }
    return mode;
}

static td_status solve(subspace *b, td_vec3 gravity, int32_t count, td_mode *modes, td_real *shapes,
                       td_diag *diag) {
    tdi_tangent_expand(&b->tangent, gravity);
    tdi_random_seed(&b->random, 1);
    tdi_tangent_inertia_diagonal(&b->tangent, b->light);
    for (int32_t d = 0; d < b->length; d++) {
        b->light[d] = 1 / sqrt(b->light[d]);
    }
    for (int32_t j = 0; j < b->size; j++) {
        fill_random(b, j);
    }
    td_status status = iterate(b, count, diag);
    for (int32_t j = 0; j < count && status != TD_ERR_DIVERGED; j++) {
        if (fabs(b->lambda[j]) < ZERO * b->shift) {
            b->lambda[j] = 0;
        }
        modes[j] = mode_of(b, j);
        if (shapes) {
            memcpy(shapes + (ptrdiff_t)j * b->length, vector(b, j),
                   (size_t)b->length * sizeof *shapes);
        }
    }
    return status;
}

td_status td_tree_modes(td_tree_state *state, td_vec3 gravity, int32_t count, td_mode *modes,
                        td_real *shapes, td_diag *diag) {
    int32_t length = state->model->dof_count;
    if (count < 1 || count > length) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%d modes were asked for, of a tree that has %d",
                        count, length);
    }
    if (!tdi_finite3(gravity)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "gravity is out of its range");
    }
    if (count > MAX_MODES) {
        return tdi_fail(diag, TD_ERR_LIMIT, "%d modes were asked for, %d is the limit", count,
                        MAX_MODES);
    }
    subspace b = {.tangent = {.model = state->model, .state = state}, .length = length};
    b.size = length - count < GUARD ? length : count + GUARD;
    tdi_layout l = {NULL, 0};
    lay_out(&b, &l);
    bool fits = (size_t)length < SIZE_MAX / 4 / sizeof(td_real) / (size_t)b.size;
    char *block = fits ? tdi_alloc_zeroed(state->alloc, l.used, 1) : NULL;
    if (!block) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the modes");
    }
    size_t bytes = l.used;
    l = (tdi_layout){block, 0};
    lay_out(&b, &l);
    td_status status = solve(&b, gravity, count, modes, shapes, diag);
    tdi_alloc_free(state->alloc, block, bytes);
    return status;
}
