// SPDX-License-Identifier: MIT
#pragma once

// Complementarity problems in memory that was taken before. See tendril/lcp.h.

#include "base/alloc.h"
#include "tendril/lcp.h"

#include <math.h>

// Arrays for problems of at most `limit` rows. The scaled problem: x = scale x', A' = S A S with a
// unit diagonal, b' = S b/unit, where S has `scale` on its diagonal.
typedef struct tdi_lcp_work {
    int32_t limit;
    td_real unit;        // of b
    td_real *matrix;     // A', rows of count
    td_real *rhs;        // b'
    td_lcp_row *rows;    // with scaled bounds
    td_real *scale;      // a row
    td_real *x, *w;      // force, and A x - b
    td_real *multiplier; // of the bounds
    td_real *centre;     // of the proximal term
    td_real *shift;      // of w: what makes Coulomb's law one of complementary cones
    td_real *best, *kept;
    // of Newton's method
    td_real *hessian, *gradient, *step, *point, *trial, *projected;
    td_real *slope; // of x - P(x - w), rows of count
} tdi_lcp_work;

td_status tdi_lcp_opts_take(const td_lcp_opts *given, td_lcp_opts *own, td_diag *diag);
// Places the arrays for `limit` rows.
void tdi_lcp_place(tdi_lcp_work *work, tdi_layout *layout, int32_t limit);
// td_lcp_solve() of a problem that is right, of no more rows than the limit.
td_lcp_result tdi_lcp_solve(tdi_lcp_work *work, const td_lcp *problem, const td_lcp_opts *opts,
                            td_real *x);

// ---- parts ----------------------------------------------------------------------------------

// The larger of two sizes. NaN is infinite: a maximum without it would call solved what overflowed.
static inline td_real tdi_lcp_worse(td_real most, td_real size) {
    return isnan(size) ? (td_real)INFINITY : fmax(most, size);
}

// The nearest point to y that x may be: row by row, or cone by cone. `x` says how much normal force
// there is for rows of friction in one direction.
void tdi_lcp_project(const td_lcp_row *rows, int32_t count, const td_real *x, const td_real *y,
                     td_real *to);
// w = A x - b of the scaled problem.
void tdi_lcp_apply(const tdi_lcp_work *work, int32_t count, const td_real *x, td_real *w);
// What is added to w of normals: friction times |w_t|.
void tdi_lcp_shift(const td_lcp_row *rows, int32_t count, const td_real *w, td_real *shift);
// Certificates of work->x, whose work->w it computes. projected and shift are written.
td_lcp_result tdi_lcp_certify(tdi_lcp_work *work, int32_t count);
// P' of a cone at y, rows of 3.
void tdi_lcp_cone_slope(const td_lcp_row *row, const td_real *y, td_real *slope);
// H = L L^T in place, with pivots of at least `floor`, and its solution in place.
void tdi_lcp_factor(td_real *h, int32_t count, td_real floor);
void tdi_lcp_back(const td_real *h, int32_t count, td_real *x);
// Newton's method on x = P(x - w) itself from work->x, if that is near, as far as it gains.
td_lcp_result tdi_lcp_polish(tdi_lcp_work *work, int32_t count, td_real tolerance);
// Solves the scaled problem from x = 0; the result's certificates are those of work->x.
td_lcp_result tdi_lcp_exact(tdi_lcp_work *work, int32_t count, const td_lcp_opts *opts);
