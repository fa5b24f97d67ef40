// SPDX-License-Identifier: MIT
// Points of Gauss of any distribution of mass along a line.
//
// Polynomials that are orthogonal under the masses follow Stieltjes' recurrence
//   b_(k+1) p_(k+1) = (x - a_k) p_k - b_k p_(k-1),   a_k = <x p_k, p_k>,  |p_k| = 1.
// The points are the roots of p_n, which are the eigenvalues of the tridiagonal matrix of a and b;
// the mass at a root is the whole mass over the sum of p_k^2, k < n.

#include "helix/build.h"

#include <math.h>

#define SAME   1e-12 // of the range: nearer places are one
#define HALVES 60    // of an interval, until it is as short as rounding

// a and b for as many polynomials as the masses tell apart, at most n. Gives the number.
static int32_t recurrence(int32_t count, const td_real *x, const td_real *w, td_real whole,
                          int32_t n, td_real *a, td_real *b, td_real *p, td_real *last) {
    for (int32_t i = 0; i < count; i++) {
        p[i] = 1;
        last[i] = 0;
    }
    b[0] = 0;
    for (int32_t k = 0; k < n; k++) {
        td_real mean = 0, square = 0;
        for (int32_t i = 0; i < count; i++) {
            mean += w[i] / whole * x[i] * p[i] * p[i];
        }
        for (int32_t i = 0; i < count; i++) {
            const td_real next = (x[i] - mean) * p[i] - b[k] * last[i];
            last[i] = p[i];
            p[i] = next;
            square += w[i] / whole * next * next;
        }
        a[k] = mean;
        const td_real norm = sqrt(square);
        if (k + 1 == n || !(norm > SAME)) {
            return k + 1;
        }
        b[k + 1] = norm;
        for (int32_t i = 0; i < count; i++) {
            p[i] /= norm;
        }
    }
    return n;
}

// How many eigenvalues are below x: signs in the elimination of the shifted matrix.
static int32_t below(int32_t n, const td_real *a, const td_real *b, td_real x) {
    int32_t count = 0;
    td_real d = 1;
    for (int32_t k = 0; k < n; k++) {
        d = a[k] - x - (k > 0 ? b[k] * b[k] / d : 0);
        d = d == 0 ? -1e-300 : d;
        count += d < 0;
    }
    return count;
}

static td_real eigenvalue(int32_t n, const td_real *a, const td_real *b, int32_t i) {
    td_real low = 0, high = 1;
    for (int round = 0; round < HALVES; round++) {
        const td_real middle = 0.5 * (low + high);
        *(below(n, a, b, middle) > i ? &high : &low) = middle;
    }
    return 0.5 * (low + high);
}

static td_real sum_of_squares(int32_t n, const td_real *a, const td_real *b, td_real x) {
    td_real p = 1, last = 0, sum = 1;
    for (int32_t k = 0; k + 1 < n; k++) {
        const td_real next = ((x - a[k]) * p - b[k] * last) / b[k + 1];
        last = p;
        p = next;
        sum += p * p;
    }
    return sum;
}

int32_t tdi_helix_condense(int32_t count, td_real *x, td_real *w, int32_t n, td_real *scratch,
                           td_real *points, td_real *masses) {
    td_real *a = scratch, *b = a + n, *p = b + n, *last = p + count, whole = 0, most = 0;
    for (int32_t i = 0; i < count; i++) {
        whole += w[i];
        most = fmax(most, x[i]);
    }
    for (int32_t i = 0; i < count; i++) {
        x[i] /= most;
    }
    n = recurrence(count, x, w, whole, n, a, b, p, last);
    for (int32_t i = 0; i < n; i++) {
        const td_real root = eigenvalue(n, a, b, i);
        points[i] = root * most;
        masses[i] = whole / sum_of_squares(n, a, b, root);
    }
    return n;
}
