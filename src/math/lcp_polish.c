// SPDX-License-Identifier: MIT
// Newton's method on the equation x = P(x - w) of a problem with friction, from near a solution.
//
// F(x) = x - P(y), y = x - w - shift(w), w = A x - b, is piecewise smooth. With P' the derivative
// of the projection and u = w_t/|w_t|
//   F' = I - P'(y) (I - A - S),   row of a normal of S: friction (u_1 A_t1 + u_2 A_t2),
// and a row of friction in one direction at its upper bound is x_t - friction x_n. Where A is
// singular so is F', and solutions are not alone: Levenberg and Marquardt's increment
//   (F'^T F' + lambda I) d = -F'^T F,  lambda = |F|^2,
// still converges quadratically (Yamashita and Fukushima 2001). Increments that do not gain are cut
// short, a few times.

#include "math/lcp.h"

#include <math.h>
#include <string.h>

#define POLISH_FROM 0.3 // the largest entry of F: further away it would hardly gain
#define STEPS       30
#define HALVES      6
#define GAIN        0.9   // of the residual, by an increment
#define FLOOR       1e-16 // of lambda, over the diagonal

// F and y, which comes to `gradient`; returns the largest entry of F.
static td_real residual(tdi_lcp_work *k, int32_t n, const td_real *x, td_real *f) {
    td_real *y = k->gradient, most = 0;
    tdi_lcp_apply(k, n, x, k->w);
    tdi_lcp_shift(k->rows, n, k->w, k->shift);
    for (int32_t i = 0; i < n; i++) {
        y[i] = x[i] - k->w[i] - k->shift[i];
    }
    tdi_lcp_project(k->rows, n, x, y, f);
    for (int32_t i = 0; i < n; i++) {
        f[i] = x[i] - f[i];
        most = tdi_lcp_worse(most, fabs(f[i]));
    }
    return most;
}

// Row i of I - A - S into `to`.
static void moved_row(const tdi_lcp_work *k, int32_t n, int32_t i, td_real *to) {
    const td_real *a = k->matrix + (ptrdiff_t)i * n;
    for (int32_t j = 0; j < n; j++) {
        to[j] = (i == j ? 1 : 0) - a[j];
    }
    const td_lcp_row *r = &k->rows[i];
    if (r->kind != TD_LCP_CONE) {
        return;
    }
    const td_real slip = hypot(k->w[i + 1], k->w[i + 2]), by = slip > 0 ? r->friction / slip : 0;
    for (int32_t j = 0; j < n; j++) {
        to[j] -= by * (k->w[i + 1] * a[n + j] + k->w[i + 2] * a[2 * n + j]);
    }
}

// Rows of F' of a cone; its rows of I - A - S are already in place.
static void cone_rows(const tdi_lcp_work *k, int32_t n, int32_t i) {
    td_real d[9], *row = k->slope + (ptrdiff_t)i * n;
    tdi_lcp_cone_slope(&k->rows[i], k->gradient + i, d);
    for (int32_t j = 0; j < n; j++) {
        const td_real b[3] = {row[j], row[n + j], row[2 * n + j]};
        for (int a = 0; a < 3; a++) {
            row[a * n + j] =
                (i + a == j ? 1 : 0) - d[3 * a] * b[0] - d[3 * a + 1] * b[1] - d[3 * a + 2] * b[2];
        }
    }
}

static void single_row(const tdi_lcp_work *k, int32_t n, int32_t i, const td_real *x) {
    const td_lcp_row *r = &k->rows[i];
    td_real *row = k->slope + (ptrdiff_t)i * n;
    const bool friction = r->kind == TD_LCP_FRICTION;
    const td_real y = k->gradient[i], low = friction ? 0 : r->low;
    const td_real high = friction ? r->friction * fmax(x[r->normal], 0) : r->high;
    const bool inside = y > low && y < high;
    for (int32_t j = 0; j < n; j++) {
        row[j] = (i == j ? 1 : 0) - (inside ? row[j] : 0);
    }
    if (friction && y >= high && x[r->normal] > 0) {
        row[r->normal] -= r->friction;
    }
}

static void fill_slope(tdi_lcp_work *k, int32_t n, const td_real *x) {
    for (int32_t i = 0; i < n; i++) {
        moved_row(k, n, i, k->slope + (ptrdiff_t)i * n);
    }
    for (int32_t i = 0; i < n; i++) {
        if (k->rows[i].kind == TD_LCP_CONE) {
            cone_rows(k, n, i);
        } else if (k->rows[i].kind != TD_LCP_TANGENT) {
            single_row(k, n, i, x);
        }
    }
}

// The increment, from F in `projected`.
static void find_step(tdi_lcp_work *k, int32_t n) {
    td_real square = 0;
    for (int32_t i = 0; i < n; i++) {
        square += k->projected[i] * k->projected[i];
    }
    memset(k->hessian, 0, (size_t)n * (size_t)n * sizeof *k->hessian);
    memset(k->step, 0, (size_t)n * sizeof *k->step);
    for (int32_t m = 0; m < n; m++) {
        const td_real *row = k->slope + (ptrdiff_t)m * n;
        for (int32_t i = 0; i < n; i++) {
            td_real *h = k->hessian + (ptrdiff_t)i * n;
            k->step[i] -= row[i] * k->projected[m];
            for (int32_t j = 0; row[i] != 0 && j <= i; j++) {
                h[j] += row[i] * row[j];
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        k->hessian[(ptrdiff_t)i * (n + 1)] += square + FLOOR;
    }
    tdi_lcp_factor(k->hessian, n, FLOOR);
    tdi_lcp_back(k->hessian, n, k->step);
}

// Moves x by as much of the increment as gains; false when none does.
static bool gain(tdi_lcp_work *k, int32_t n, td_real *now) {
    td_real part = 1;
    for (int half = 0; half < HALVES; half++, part *= 0.5) {
        for (int32_t i = 0; i < n; i++) {
            k->trial[i] = k->x[i] + part * k->step[i];
        }
        const td_real next = residual(k, n, k->trial, k->projected);
        if (next < *now * (1 - (1 - GAIN) * part)) {
            memcpy(k->x, k->trial, (size_t)n * sizeof *k->x);
            *now = next;
            return true;
        }
    }
    return false;
}

td_lcp_result tdi_lcp_polish(tdi_lcp_work *k, int32_t n, td_real tolerance) {
    td_real now = residual(k, n, k->x, k->projected);
    for (int step = 0; step < STEPS && now < POLISH_FROM && now > 0.01 * tolerance; step++) {
        fill_slope(k, n, k->x);
        find_step(k, n);
        if (!gain(k, n, &now)) {
            break;
        }
    }
    tdi_lcp_project(k->rows, n, k->x, k->x, k->x);
    return tdi_lcp_certify(k, n);
}
