// SPDX-License-Identifier: MIT
// Complementarity problems: checks, scaling, certificates, and the published iteration.
//
// x solves the problem when x = P(x - w), where P projects on what x may be and w = A x - b; w of a
// cone's normal is taken with friction |w_t| added, which turns Coulomb's law into x and w in cones
// dual to each other and orthogonal (De Saxce and Feng 1998).

#include "math/lcp.h"

#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "base/range.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS      4096   // dense matrices of 128 MiB
#define SOR_ITERATIONS 50     // the paper names no number
#define LARGEST        1e100  // of numbers: products of some of them must not overflow
#define NO_DIAGONAL    1e-100 // nothing moves that moves less
#define NO_LOAD        1e-100 // of b: less counts as 0, which no bound is measured by
#define LEAST_DIAGONAL 1e-9   // over the largest: rows that hardly move are not scaled up further

// ---- options --------------------------------------------------------------------------------

td_lcp_row td_lcp_row_default(void) {
    return (td_lcp_row){.kind = TD_LCP_BOX, .high = INFINITY, .normal = TD_NONE};
}

td_lcp_opts td_lcp_opts_default(void) {
    return (td_lcp_opts){.struct_size = sizeof(td_lcp_opts),
                         .tolerance = 1e-10,
                         .relaxation = 1,
                         .regularise = 1e-9};
}

td_status tdi_lcp_opts_take(const td_lcp_opts *given, td_lcp_opts *o, td_diag *diag) {
    *o = td_lcp_opts_default();
    TDI_TRY(tdi_opts_take("td_lcp_opts", o, given, diag));
    if (o->method != TD_LCP_EXACT && o->method != TD_LCP_SOR) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "td_lcp_opts: unknown method %d; expected TD_LCP_EXACT or TD_LCP_SOR",
                        (int)o->method);
    }
    const tdi_range ranges[] = {TDI_BETWEEN("iterations", NULL, o->iterations, 0, 100000),
                                TDI_BETWEEN("tolerance", NULL, o->tolerance, 1e-13, 1),
                                TDI_BETWEEN("relaxation", NULL, o->relaxation, 0, 2),
                                TDI_BETWEEN("regularise", NULL, o->regularise, 0, 1)};
    return tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, NULL, TD_NONE, diag);
}

// ---- problems -------------------------------------------------------------------------------

static bool fits(td_real x) {
    return fabs(x) <= LARGEST || isinf(x);
}

// Whether the force of a row before i is never negative: friction in one direction goes up from 0.
static bool pushes(const td_lcp *p, int32_t row, int32_t i) {
    return row >= 0 && row < i && p->rows[row].kind != TD_LCP_TANGENT && p->rows[row].low >= 0;
}

static const char *row_fault(const td_lcp *p, int32_t i) {
    const td_lcp_row *r = &p->rows[i];
    const bool cone = r->kind == TD_LCP_CONE;
    if (r->kind == TD_LCP_TANGENT) {
        const bool after = i > 0 && (p->rows[i - 1].kind == TD_LCP_CONE ||
                                     (i > 1 && p->rows[i - 2].kind == TD_LCP_CONE));
        return after ? NULL : "it is a tangent, but no cone is before it";
    }
    if (r->kind != TD_LCP_BOX && !(r->friction >= 0 && r->friction <= LARGEST)) {
        return "friction must be from 0 to 1e100";
    }
    if (cone && (i + 2 >= p->count || p->rows[i + 1].kind != TD_LCP_TANGENT ||
                 p->rows[i + 2].kind != TD_LCP_TANGENT)) {
        return "the two rows after a cone's must be tangents";
    }
    if (r->kind == TD_LCP_FRICTION && !pushes(p, r->normal, i)) {
        return "normal must be an earlier row with low >= 0, and no tangent";
    }
    if (cone && !(r->low >= 0 && r->low <= LARGEST)) {
        return "low of a cone must be from 0 to 1e100";
    }
    if (r->kind == TD_LCP_BOX && !(r->low <= r->high && r->low < INFINITY && r->high > -INFINITY)) {
        return "low must not be above high";
    }
    if (r->kind == TD_LCP_BOX && (!fits(r->low) || !fits(r->high))) {
        return "low and high must be infinite, or at most 1e100 in size";
    }
    return r->kind <= TD_LCP_TANGENT ? NULL : "its kind is unknown";
}

static td_status check_problem(const td_lcp *p, td_diag *diag) {
    const tdi_range count = TDI_BETWEEN("count", NULL, p->count, 0, MOST_ROWS);
    td_status status = tdi_check_ranges(&count, 1, NULL, TD_NONE, diag);
    for (int32_t i = 0; status == TD_OK && i < p->count; i++) {
        const char *fault = row_fault(p, i);
        const td_real *row = p->matrix + (ptrdiff_t)i * p->count;
        bool fine = fabs(p->rhs[i]) <= LARGEST;
        for (int32_t j = 0; j < p->count; j++) {
            fine &= fabs(row[j]) <= LARGEST;
        }
        if (!fault && !fine) {
            fault = "its numbers must be at most 1e100 in size";
        }
        if (!fault && row[i] < 0) {
            fault = "its diagonal entry must not be below 0";
        }
        if (fault) {
            status = tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "row %d: %s", i, fault);
        }
    }
    return status;
}

// ---- scaling --------------------------------------------------------------------------------

static int32_t block_size(const td_lcp_row *r) {
    return r->kind == TD_LCP_CONE ? 3 : 1;
}

// 1/sqrt of the diagonal, one number for a cone.
static void find_scales(tdi_lcp_work *k, const td_lcp *p) {
    td_real most = 0;
    for (int32_t i = 0; i < p->count; i++) {
        most = fmax(most, p->matrix[(ptrdiff_t)i * (p->count + 1)]);
    }
    for (int32_t i = 0, size; i < p->count; i += size) {
        td_real diagonal = LEAST_DIAGONAL * most;
        size = block_size(&p->rows[i]);
        for (int32_t j = i; j < i + size; j++) {
            diagonal = fmax(diagonal, p->matrix[(ptrdiff_t)j * (p->count + 1)]);
        }
        for (int32_t j = i; j < i + size; j++) {
            k->scale[j] = diagonal > NO_DIAGONAL ? 1 / sqrt(diagonal) : 1;
        }
    }
}

static void scale_problem(tdi_lcp_work *k, const td_lcp *p) {
    const int32_t n = p->count;
    find_scales(k, p);
    k->unit = 0;
    for (int32_t i = 0; i < n; i++) {
        k->unit = fmax(k->unit, k->scale[i] * fabs(p->rhs[i]));
    }
    k->unit = k->unit > NO_LOAD ? k->unit : 1;
    for (int32_t i = 0; i < n; i++) {
        td_lcp_row *r = &k->rows[i];
        *r = p->rows[i];
        const td_real over = 1 / (k->scale[i] * k->unit);
        r->low *= over;
        r->high *= over;
        if (r->kind == TD_LCP_FRICTION) {
            r->friction *= k->scale[r->normal] / k->scale[i];
        }
        k->rhs[i] = k->scale[i] * p->rhs[i] / k->unit;
        for (int32_t j = 0; j < n; j++) {
            const ptrdiff_t at = (ptrdiff_t)i * n + j;
            k->matrix[at] = k->scale[i] * p->matrix[at] * k->scale[j];
        }
    }
}

// ---- parts ----------------------------------------------------------------------------------

// Of a cone above low: the nearest point of the cone, or of the disk in which it ends.
static void project_cone(const td_lcp_row *r, const td_real *y, td_real *to) {
    const td_real mu = r->friction, t = hypot(y[1], y[2]);
    td_real n = y[0];
    if (t > mu * n) { // outside; on the cone's side, or at its tip
        n = fmax((y[0] + mu * t) / (1 + mu * mu), 0);
    }
    n = fmax(n, r->low);
    const td_real part = t > mu * n ? mu * n / t : 1;
    to[0] = n;
    to[1] = part * y[1];
    to[2] = part * y[2];
}

void tdi_lcp_project(const td_lcp_row *rows, int32_t count, const td_real *x, const td_real *y,
                     td_real *to) {
    for (int32_t i = 0; i < count; i++) {
        const td_lcp_row *r = &rows[i];
        if (r->kind == TD_LCP_CONE) {
            project_cone(r, y + i, to + i);
        } else if (r->kind == TD_LCP_FRICTION) {
            to[i] = fmin(fmax(y[i], 0), r->friction * fmax(x[r->normal], 0));
        } else if (r->kind == TD_LCP_BOX) {
            to[i] = fmin(fmax(y[i], r->low), r->high);
        }
    }
}

void tdi_lcp_apply(const tdi_lcp_work *k, int32_t count, const td_real *x, td_real *w) {
    for (int32_t i = 0; i < count; i++) {
        const td_real *row = k->matrix + (ptrdiff_t)i * count;
        td_real sum = -k->rhs[i];
        for (int32_t j = 0; j < count; j++) {
            sum += row[j] * x[j];
        }
        w[i] = sum;
    }
}

void tdi_lcp_shift(const td_lcp_row *rows, int32_t count, const td_real *w, td_real *shift) {
    for (int32_t i = 0; i < count; i++) {
        const td_lcp_row *r = &rows[i];
        shift[i] = r->kind == TD_LCP_CONE ? r->friction * hypot(w[i + 1], w[i + 2]) : 0;
    }
}

// ---- certificates ---------------------------------------------------------------------------

static void certify_box(td_real x, td_real w, td_real low, td_real high, td_lcp_result *c) {
    const td_real room = w > 0 ? x - low : high - x;
    c->bounds = tdi_lcp_worse(tdi_lcp_worse(c->bounds, low - x), x - high);
    if (isfinite(room)) {
        const td_real product = fabs(w) * fmax(room, 0) / fmax(1, fabs(x));
        c->complementarity = tdi_lcp_worse(c->complementarity, product);
    } else {
        c->dual = tdi_lcp_worse(c->dual, fabs(w));
    }
}

static void certify_cone(const td_lcp_row *r, const td_real *x, const td_real *w,
                         td_lcp_result *c) {
    const td_real t = hypot(x[1], x[2]), slip = hypot(w[1], w[2]), mu = r->friction;
    const td_real apart = w[0] * (x[0] - r->low),
                  slides = mu * x[0] * slip + x[1] * w[1] + x[2] * w[2];
    // the normal as a row alone; F = x - P(x - w) holds it to (1 + mu) |F| only, so that half of it
    // counts where mu is above 1
    const td_real alone = x[0] - fmax(x[0] - w[0], r->low);
    c->residual = tdi_lcp_worse(c->residual, 0.5 * fabs(alone));
    c->bounds = tdi_lcp_worse(tdi_lcp_worse(c->bounds, r->low - x[0]), t - mu * x[0]);
    c->dual = tdi_lcp_worse(c->dual, -w[0]);
    c->complementarity =
        tdi_lcp_worse(c->complementarity, tdi_lcp_worse(apart, slides) / fmax(1, x[0]));
}

td_lcp_result tdi_lcp_certify(tdi_lcp_work *k, int32_t count) {
    td_lcp_result c = {.verdict = TD_LCP_UNSOLVED};
    td_real *y = k->projected;
    tdi_lcp_apply(k, count, k->x, k->w);
    tdi_lcp_shift(k->rows, count, k->w, k->shift);
    for (int32_t i = 0; i < count; i++) {
        y[i] = k->x[i] - k->w[i] - k->shift[i];
    }
    tdi_lcp_project(k->rows, count, k->x, y, y);
    for (int32_t i = 0; i < count; i++) {
        const td_lcp_row *r = &k->rows[i];
        c.residual = tdi_lcp_worse(c.residual, fabs(k->x[i] - y[i]));
        if (r->kind == TD_LCP_CONE) {
            certify_cone(r, k->x + i, k->w + i, &c);
        } else if (r->kind == TD_LCP_BOX) {
            certify_box(k->x[i], k->w[i], r->low, r->high, &c);
        } else if (r->kind == TD_LCP_FRICTION) {
            certify_box(k->x[i], k->w[i], 0, r->friction * k->x[r->normal], &c);
        }
    }
    return c;
}

// ---- as published ---------------------------------------------------------------------------

// One row as if it were alone: x_i <- (1 - omega) x_i + omega (b_i - sum of the others)/(A_ii + e)
static void relax(tdi_lcp_work *k, int32_t count, int32_t i, const td_lcp_opts *o) {
    const td_real *row = k->matrix + (ptrdiff_t)i * count;
    td_real rest = k->rhs[i];
    for (int32_t j = 0; j < count; j++) {
        rest -= j == i ? 0 : row[j] * k->x[j];
    }
    const td_real alone = rest / (row[i] + o->regularise + 1e-300);
    k->trial[i] = (1 - o->relaxation) * k->x[i] + o->relaxation * alone;
}

// A cone's normal first, then its tangents pulled back to the disk.
static void relax_cone(tdi_lcp_work *k, int32_t count, int32_t i, const td_lcp_opts *o) {
    const td_lcp_row *r = &k->rows[i];
    relax(k, count, i, o);
    k->x[i] = fmax(k->trial[i], r->low);
    relax(k, count, i + 1, o);
    relax(k, count, i + 2, o);
    const td_real t = hypot(k->trial[i + 1], k->trial[i + 2]), most = r->friction * k->x[i];
    const td_real part = t > most ? most / t : 1;
    k->x[i + 1] = part * k->trial[i + 1];
    k->x[i + 2] = part * k->trial[i + 2];
}

// Solves the scaled problem from x = 0.
static td_lcp_result solve_sor(tdi_lcp_work *k, int32_t count, const td_lcp_opts *o) {
    const int32_t most = o->iterations > 0 ? o->iterations : SOR_ITERATIONS;
    for (int32_t n = 0; n < most; n++) {
        for (int32_t i = 0; i < count; i++) {
            const td_lcp_row *r = &k->rows[i];
            if (r->kind == TD_LCP_CONE) {
                relax_cone(k, count, i, o);
            } else if (r->kind != TD_LCP_TANGENT) {
                const bool friction = r->kind == TD_LCP_FRICTION;
                const td_real high = friction ? r->friction * k->x[r->normal] : r->high;
                relax(k, count, i, o);
                k->x[i] = fmin(fmax(k->trial[i], friction ? 0 : r->low), high);
            }
        }
    }
    td_lcp_result result = tdi_lcp_certify(k, count);
    result.iterations = most;
    return result;
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_lcp_place(tdi_lcp_work *k, tdi_layout *l, int32_t limit) {
    const size_t n = (size_t)limit;
    td_real **const square[] = {&k->matrix, &k->hessian, &k->slope};
    td_real **const row[] = {&k->rhs,    &k->scale, &k->x,     &k->w,        &k->multiplier,
                             &k->centre, &k->shift, &k->best,  &k->kept,     &k->gradient,
                             &k->step,   &k->point, &k->trial, &k->projected};
    k->limit = limit;
    k->rows = tdi_layout_place(l, n, sizeof *k->rows);
    for (size_t i = 0; i < sizeof square / sizeof *square; i++) {
        *square[i] = tdi_layout_place(l, n * n, sizeof(td_real));
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        *row[i] = tdi_layout_place(l, n, sizeof(td_real));
    }
}

td_lcp_result tdi_lcp_solve(tdi_lcp_work *k, const td_lcp *p, const td_lcp_opts *opts, td_real *x) {
    const int32_t n = p->count;
    scale_problem(k, p);
    memset(k->x, 0, (size_t)n * sizeof *k->x);
    td_lcp_result result =
        opts->method == TD_LCP_SOR ? solve_sor(k, n, opts) : tdi_lcp_exact(k, n, opts);
    if (result.residual <= opts->tolerance) {
        result.verdict = TD_LCP_SOLVED;
    }
    for (int32_t i = 0; i < n; i++) {
        x[i] = k->unit * k->scale[i] * k->x[i];
    }
    return result;
}

td_status td_lcp_solve(const td_lcp *problem, const td_lcp_opts *opts, const td_alloc *alloc,
                       td_real *x, td_lcp_result *result, td_diag *diag) {
    TDI_REFUSE_IF(!problem || !result || (problem->count > 0 && !x));
    td_lcp_opts own;
    TDI_TRY(tdi_lcp_opts_take(opts, &own, diag));
    TDI_TRY(check_problem(problem, diag));
    tdi_lcp_work work;
    tdi_layout l = {NULL, 0};
    tdi_lcp_place(&work, &l, problem->count);
    const size_t bytes = l.used > 0 ? l.used : 1;
    l = (tdi_layout){tdi_alloc_zeroed(alloc, bytes, 1), 0};
    if (!l.base) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for %d rows", problem->count);
    }
    tdi_lcp_place(&work, &l, problem->count);
    *result = tdi_lcp_solve(&work, problem, &own, x);
    tdi_alloc_free(alloc, l.base, bytes);
    return TD_OK;
}
