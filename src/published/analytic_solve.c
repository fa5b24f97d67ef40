// SPDX-License-Identifier: MIT
// The forces of rows, of which some may say the same.
//
// Bilateral rows are often redundant: a weld has nine of rank six, and loops in a plane hold what
// their joints hold already. Their part of K = J M^-1 J^T is then singular, and what they ask for
// may contradict itself, by little as after a step or by much. With K = L L^T, L as wide as the
// rank, by Cholesky's method with pivoting,
//   asked for   b <- L G^-1 L^T b,  G = L^T L   the nearest that can be met (least squares),
//   forces      f = L G^-2 L^T b                the least that do it.
// With one-sided rows the complementarity problem has the pivots of L alone, and what comes out is
// shared among all bilateral rows in the same way: f = L G^-1 L_p^T f_p.
// Rows of any kind along which the joints let nothing move are separate, and have no force.

#include "published/analytic.h"

#include <string.h>

#define SAME          1e-10 // of a row is left by those before it: they say the same
#define STILL         1e-14 // of 1/mass of the row's bodies: the joints let nothing move along it
#define CONTRADICTION 1e-5  // m or rad: rows that are off by more cannot be met

// ---- factors --------------------------------------------------------------------------------

static bool is_bilateral(const td_lcp_row *b) {
    return b->kind == TD_LCP_BOX && b->low == -INFINITY && b->high == INFINITY;
}

static td_real entry(const td_analytic *a, int32_t i, int32_t j) {
    return a->lcp.matrix[(ptrdiff_t)i * a->row_count + j];
}

// The problem 1 f = 0 in place of a row.
static void separate_row(td_analytic *a, int32_t i) {
    const int32_t n = a->row_count;
    for (int32_t j = 0; j < n; j++) {
        a->lcp.matrix[(ptrdiff_t)i * n + j] = a->lcp.matrix[(ptrdiff_t)j * n + i] = 0;
    }
    a->lcp.matrix[(ptrdiff_t)i * n + i] = 1;
    a->lcp.rhs[i] = 0;
}

// A row that the joints fulfil already has K_ii = 0 but for rounding, and its force would be
// rounding over rounding. Without a normal force there is no friction.
static bool separate_still_rows(td_analytic *a, bool values) {
    bool contradicts = false;
    for (int32_t i = 0; i < a->row_count; i++) {
        tdi_lcp_row *row = &a->row[i];
        row->still = row->still || !(entry(a, i, i) > STILL * row->lightness);
        if (!row->still) {
            continue;
        }
        const int32_t last = a->lcp.bounds[i].kind == TD_LCP_CONE ? i + 2 : i;
        const td_real error = row->bounds.low < 0 ? fabs(row->value) : -row->value;
        if (values && row->constraint != TD_NONE && error > CONTRADICTION) {
            contradicts = a->hold[row->constraint].contradicts = true;
        }
        for (int32_t k = i; k <= last; k++) {
            separate_row(a, k);
        }
        i = last;
    }
    return contradicts;
}

// Bilateral rows, scaled to a unit diagonal.
static void scale_rows(td_analytic *a) {
    tdi_shared *s = &a->lcp.shared;
    s->count = 0;
    for (int32_t i = 0; i < a->row_count; i++) {
        if (is_bilateral(&a->lcp.bounds[i])) {
            s->row[s->count++] = i;
        }
    }
    for (int32_t k = 0; k < s->count; k++) {
        s->scale[k] = 1 / sqrt(entry(a, s->row[k], s->row[k]));
        s->left[k] = 1;
        s->pivot[k] = TD_NONE;
    }
}

static int32_t next_pivot(const tdi_shared *s) {
    int32_t best = TD_NONE;
    for (int32_t k = 0; k < s->count; k++) {
        if (s->pivot[k] == TD_NONE && (best == TD_NONE || s->left[k] > s->left[best])) {
            best = k;
        }
    }
    return best;
}

static td_real *low_of(const tdi_shared *s, int32_t k) {
    return s->low + (ptrdiff_t)k * s->count;
}

// K = L L^T, and G.
static void factor(td_analytic *a) {
    tdi_shared *s = &a->lcp.shared;
    scale_rows(a);
    for (s->rank = 0; s->rank < s->count; s->rank++) {
        const int32_t r = s->rank, p = next_pivot(s);
        if (!(s->left[p] > SAME)) {
            break;
        }
        const td_real root = sqrt(s->left[p]);
        s->pivot[p] = r;
        for (int32_t k = 0; k < s->count; k++) {
            td_real sum = s->scale[k] * s->scale[p] * entry(a, s->row[k], s->row[p]);
            for (int32_t q = 0; q < r; q++) {
                sum -= low_of(s, k)[q] * low_of(s, p)[q];
            }
            const bool before = s->pivot[k] != TD_NONE && s->pivot[k] < r;
            low_of(s, k)[r] = k == p ? root : before ? 0 : sum / root;
            s->left[k] -= low_of(s, k)[r] * low_of(s, k)[r];
        }
    }
    for (int32_t q = 0; q < s->rank; q++) {
        for (int32_t r = 0; r <= q; r++) {
            td_real sum = 0;
            for (int32_t k = 0; k < s->count; k++) {
                sum += low_of(s, k)[q] * low_of(s, k)[r];
            }
            s->gram[(ptrdiff_t)q * s->rank + r] = s->gram[(ptrdiff_t)r * s->rank + q] = sum;
        }
    }
    tdi_lcp_factor(s->gram, s->rank, 1e-300);
}

// t = L^T x, x a bilateral row.
static void across(const tdi_shared *s, const td_real *x, td_real *t) {
    for (int32_t q = 0; q < s->rank; q++) {
        t[q] = 0;
        for (int32_t k = 0; k < s->count; k++) {
            t[q] += low_of(s, k)[q] * x[k];
        }
    }
}

// x = L t.
static void along(const tdi_shared *s, const td_real *t, td_real *x) {
    for (int32_t k = 0; k < s->count; k++) {
        x[k] = 0;
        for (int32_t q = 0; q < s->rank; q++) {
            x[k] += low_of(s, k)[q] * t[q];
        }
    }
}

// Numbers of bilateral rows become the nearest that rigid motions can have. s->t is G^-1 L^T of
// them.
static void make_consistent(const tdi_shared *s, td_real *x) {
    for (int32_t k = 0; k < s->count; k++) {
        x[k] *= s->scale[k];
    }
    across(s, x, s->t);
    tdi_lcp_back(s->gram, s->rank, s->t);
    along(s, s->t, x);
    for (int32_t k = 0; k < s->count; k++) {
        x[k] /= s->scale[k];
    }
}

// ---- contradictions -------------------------------------------------------------------------

// Whether values of rows cannot all become 0.
static bool contradict(td_analytic *a) {
    const tdi_shared *s = &a->lcp.shared;
    bool any = false;
    for (int32_t k = 0; k < s->count; k++) {
        s->x[k] = a->row[s->row[k]].value;
    }
    make_consistent(s, s->x);
    for (int32_t k = 0; k < s->count; k++) {
        const tdi_lcp_row *row = &a->row[s->row[k]];
        if (fabs(s->x[k] - row->value) > CONTRADICTION) {
            any = a->hold[row->constraint].contradicts = true;
        }
    }
    return any;
}

// ---- solutions ------------------------------------------------------------------------------

// Bilateral rows alone; s->t is that of what they ask for.
static void solve_alone(td_analytic *a, td_real *force) {
    tdi_shared *s = &a->lcp.shared;
    tdi_lcp_back(s->gram, s->rank, s->t);
    along(s, s->t, s->x);
    for (int32_t k = 0; k < s->count; k++) {
        force[s->row[k]] = s->scale[k] * s->x[k];
    }
    a->lcp.result = (td_lcp_result){.verdict = TD_LCP_SOLVED};
}

// The rows that a smaller problem has: all that are one-sided, and the pivots of the others.
static int32_t choose_rows(td_analytic *a) {
    tdi_shared *s = &a->lcp.shared;
    int32_t count = 0;
    for (int32_t i = 0, k = 0; i < a->row_count; i++) {
        const bool bilateral = k < s->count && s->row[k] == i;
        s->place[i] = bilateral && s->pivot[k] == TD_NONE ? TD_NONE : count++;
        k += bilateral;
    }
    return count;
}

static void solve_smaller(td_analytic *a, const td_lcp_opts *opts, td_real *force) {
    tdi_shared *s = &a->lcp.shared;
    const int32_t n = choose_rows(a);
    for (int32_t i = 0; i < a->row_count; i++) {
        const int32_t row = s->place[i];
        if (row == TD_NONE) {
            continue;
        }
        for (int32_t j = 0; j < a->row_count; j++) {
            if (s->place[j] != TD_NONE) {
                s->matrix[(ptrdiff_t)row * n + s->place[j]] = entry(a, i, j);
            }
        }
        s->rhs[row] = a->lcp.rhs[i];
        s->bounds[row] = a->lcp.bounds[i];
        if (s->bounds[row].kind == TD_LCP_FRICTION) {
            s->bounds[row].normal = s->place[s->bounds[row].normal];
        }
    }
    const td_lcp problem = {n, s->matrix, s->rhs, s->bounds};
    a->lcp.result = tdi_lcp_solve(&a->lcp.work, &problem, opts, s->solved);
    for (int32_t i = 0; i < a->row_count; i++) {
        force[i] = s->place[i] == TD_NONE ? 0 : s->solved[s->place[i]];
    }
    for (int32_t k = 0; k < s->count; k++) {
        s->x[k] = s->pivot[k] == TD_NONE ? 0 : force[s->row[k]] / s->scale[k];
    }
    across(s, s->x, s->t);
    tdi_lcp_back(s->gram, s->rank, s->t);
    along(s, s->t, s->x);
    for (int32_t k = 0; k < s->count; k++) {
        force[s->row[k]] = s->scale[k] * s->x[k];
    }
}

void tdi_analytic_solve(td_analytic *a, const td_lcp_opts *opts, bool values, td_real *force) {
    tdi_shared *s = &a->lcp.shared;
    const bool shares = opts->method == TD_LCP_EXACT;
    bool contradicts = separate_still_rows(a, values);
    if (shares) {
        factor(a);
    }
    if (!shares || s->rank == s->count) { // nothing is said twice
        const td_lcp problem = {a->row_count, a->lcp.matrix, a->lcp.rhs, a->lcp.bounds};
        a->lcp.result = tdi_lcp_solve(&a->lcp.work, &problem, opts, force);
        a->lcp.result.verdict = contradicts ? TD_LCP_INFEASIBLE : a->lcp.result.verdict;
        return;
    }
    contradicts = (values && contradict(a)) || contradicts;
    for (int32_t k = 0; k < s->count; k++) {
        s->x[k] = a->lcp.rhs[s->row[k]];
    }
    make_consistent(s, s->x);
    for (int32_t k = 0; k < s->count; k++) {
        a->lcp.rhs[s->row[k]] = s->x[k];
    }
    if (s->count == a->row_count) {
        solve_alone(a, force);
    } else {
        solve_smaller(a, opts, force);
    }
    a->lcp.result.verdict = contradicts ? TD_LCP_INFEASIBLE : a->lcp.result.verdict;
}
