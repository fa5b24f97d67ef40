// SPDX-License-Identifier: MIT
// Complementarity problems to rounding: a proximal method of multipliers.
//
// Method   Each iteration minimises, with K the set of what x may be,
//            1/2 x^T A x - b^T x + |x - c|^2/(2 s) + sigma/2 dist^2(x - z/sigma, K),
//          then sets  c <- x,  z <- sigma (P(t) - t), t = x - z/sigma, and P(t) is the answer
//          (Rockafellar 1976). The function is strictly convex and once differentiable, so that
//          Newton's method with a line search finds its minimum from anywhere, in finitely many
//          iterations where K is a box; s and sigma grow, which makes the outer iteration
//          superlinear. A may be singular: c keeps what A leaves open.
// Friction Coulomb's law is not a minimum: the shift friction |w_t| of a normal, and the bounds of
//          friction in one direction, are those of the iteration before.
// Verdict  When there is no solution, the increments of x become parallel to a direction d with
//          A d = 0 and b.d > 0 along which K has no end: forces that do work and move nothing.

#include "math/lcp.h"

#include <math.h>
#include <string.h>

#define PROXIMAL_FIRST 1e2 // s, over 1/A_ii
#define PROXIMAL_MOST  1e7
#define PENALTY_FIRST  1e1 // sigma, over A_ii
#define PENALTY_MOST   1e5
#define GROWTH         10.0
#define NEWTON_MOST    60
#define CUTS           40
#define FLAT           0.1  // of the first slope: a line search ends where the slope is below
#define RAY_NOISE      1e-9 // |A d| and |d - P(d)| over b.d, below which d proves it
#define ITERATIONS     400

typedef struct rule {
    int32_t count;
    td_real s, sigma, tolerance;
} rule;

// ---- the function ---------------------------------------------------------------------------

// The gradient at x; `projected` gets P(t).
static void evaluate(const tdi_lcp_work *k, const rule *r, const td_real *x, td_real *gradient) {
    for (int32_t i = 0; i < r->count; i++) {
        k->projected[i] = x[i] - k->multiplier[i] / r->sigma;
    }
    tdi_lcp_project(k->rows, r->count, k->x, k->projected, k->projected);
    tdi_lcp_apply(k, r->count, x, gradient);
    for (int32_t i = 0; i < r->count; i++) {
        const td_real out = x[i] - k->multiplier[i] / r->sigma - k->projected[i];
        gradient[i] += k->shift[i] + (x[i] - k->centre[i]) / r->s + r->sigma * out;
    }
}

// ---- derivatives of the projection ----------------------------------------------------------

// On its side n = (y_n + mu |y_t|)/(1 + mu^2) and x_t = mu n u, u along y_t; in the disk where it
// ends x_t = mu low u.
void tdi_lcp_cone_slope(const td_lcp_row *r, const td_real *y, td_real *d) {
    const td_real mu = r->friction, t = hypot(y[1], y[2]);
    const td_real u[2] = {t > 0 ? y[1] / t : 0, t > 0 ? y[2] / t : 0};
    const bool side = t > mu * y[0];
    const td_real raised = side ? fmax((y[0] + mu * t) / (1 + mu * mu), 0) : y[0];
    const td_real n = fmax(raised, r->low);
    const td_real nn = raised < r->low || raised <= 0 ? 0 : side ? 1 / (1 + mu * mu) : 1;
    const bool sliding = t > mu * n;
    // of x_t: along u and across
    const td_real along = sliding ? mu * mu * nn : 1, across = sliding ? mu * n / t : 1;
    d[0] = nn;
    for (int i = 0; i < 2; i++) {
        d[1 + i] = d[3 + 3 * i] = sliding ? mu * nn * u[i] : 0;
        for (int j = 0; j < 2; j++) {
            d[4 + 3 * i + j] = (i == j ? across : 0) + (along - across) * u[i] * u[j];
        }
    }
}

// H = A + I/s + sigma (I - P'(t))
static void fill_hessian(const tdi_lcp_work *k, const rule *r) {
    const int32_t n = r->count;
    td_real *h = k->hessian;
    memcpy(h, k->matrix, (size_t)n * (size_t)n * sizeof *h);
    for (int32_t i = 0; i < n; i++) {
        const td_lcp_row *row = &k->rows[i];
        const td_real t = k->point[i] - k->multiplier[i] / r->sigma;
        h[(ptrdiff_t)i * (n + 1)] += 1 / r->s;
        if (row->kind == TD_LCP_CONE) {
            td_real y[3], d[9];
            for (int a = 0; a < 3; a++) {
                y[a] = k->point[i + a] - k->multiplier[i + a] / r->sigma;
            }
            tdi_lcp_cone_slope(row, y, d);
            for (int a = 0; a < 9; a++) {
                h[(ptrdiff_t)(i + a / 3) * n + i + a % 3] +=
                    r->sigma * ((a % 4 == 0 ? 1 : 0) - d[a]);
            }
        } else if (row->kind != TD_LCP_TANGENT && k->projected[i] != t) {
            h[(ptrdiff_t)i * (n + 1)] += r->sigma;
        }
    }
}

// ---- Newton's method ------------------------------------------------------------------------

void tdi_lcp_factor(td_real *h, int32_t n, td_real floor) {
    for (int32_t j = 0; j < n; j++) {
        td_real *row = h + (ptrdiff_t)j * n;
        for (int32_t i = 0; i <= j; i++) {
            const td_real *other = h + (ptrdiff_t)i * n;
            td_real sum = row[i];
            for (int32_t m = 0; m < i; m++) {
                sum -= row[m] * other[m];
            }
            row[i] = i < j ? sum / other[i] : sqrt(fmax(sum, floor));
        }
    }
}

void tdi_lcp_back(const td_real *h, int32_t n, td_real *x) {
    for (int32_t i = 0; i < n; i++) {
        const td_real *row = h + (ptrdiff_t)i * n;
        for (int32_t j = 0; j < i; j++) {
            x[i] -= row[j] * x[j];
        }
        x[i] /= row[i];
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        const td_real *row = h + (ptrdiff_t)i * n;
        x[i] /= row[i];
        for (int32_t j = 0; j < i; j++) {
            x[j] -= row[j] * x[i];
        }
    }
}

static td_real largest(const td_real *x, int32_t n) {
    td_real most = 0;
    for (int32_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static td_real slope_at(tdi_lcp_work *k, const rule *r, td_real part) {
    td_real slope = 0;
    for (int32_t i = 0; i < r->count; i++) {
        k->trial[i] = k->point[i] + part * k->step[i];
    }
    evaluate(k, r, k->trial, k->gradient);
    for (int32_t i = 0; i < r->count; i++) {
        slope += k->step[i] * k->gradient[i];
    }
    return slope;
}

// One increment. The line search asks for slopes, not values: near the end those are rounding. The
// function is convex, so that its slope along the way grows.
static void descend(tdi_lcp_work *k, const rule *r) {
    const int32_t n = r->count;
    td_real start = 0, low = 0, high = 1;
    fill_hessian(k, r);
    tdi_lcp_factor(k->hessian, n, 0.1 / r->s);
    for (int32_t i = 0; i < n; i++) {
        k->step[i] = -k->gradient[i];
    }
    tdi_lcp_back(k->hessian, n, k->step);
    for (int32_t i = 0; i < n; i++) {
        start += k->step[i] * k->gradient[i];
    }
    td_real part = 1, slope = slope_at(k, r, part);
    for (int cut = 0; cut < CUTS && (slope > -FLAT * start || part < 1); cut++) {
        if (fabs(slope) <= -FLAT * start) {
            break;
        }
        low = slope < 0 ? part : low;
        high = slope < 0 ? high : part;
        part = 0.5 * (low + high);
        slope = slope_at(k, r, part);
    }
    memcpy(k->point, k->trial, (size_t)n * sizeof *k->point);
}

// To the minimum; `projected` is P(t) there.
static void minimise(tdi_lcp_work *k, const rule *r) {
    evaluate(k, r, k->point, k->gradient);
    for (int n = 0; n < NEWTON_MOST && largest(k->gradient, r->count) > r->tolerance; n++) {
        descend(k, r);
    }
}

// ---- contradictions -------------------------------------------------------------------------

// How far d is from being a direction in which x may go on for ever.
static td_real leaves(const td_lcp_row *rows, int32_t count, const td_real *d) {
    td_real most = 0;
    for (int32_t i = 0; i < count; i++) {
        const td_lcp_row *r = &rows[i];
        if (r->kind == TD_LCP_CONE) {
            most = fmax(most, fmax(-d[i], hypot(d[i + 1], d[i + 2]) - r->friction * d[i]));
        } else if (r->kind == TD_LCP_FRICTION) {
            most = fmax(most, fmax(-d[i], d[i] - r->friction * d[r->normal]));
        } else if (r->kind == TD_LCP_BOX) {
            most = fmax(most, isfinite(r->low) ? -d[i] : 0);
            most = fmax(most, isfinite(r->high) ? d[i] : 0);
        }
    }
    return most;
}

// Of d in `step`: the larger of |A d| and what it leaves K by, over b.d; infinite if b.d <= 0.
static td_real ray_of(tdi_lcp_work *k, int32_t count) {
    const td_real *d = k->step;
    td_real work = 0, most = leaves(k->rows, count, d);
    for (int32_t i = 0; i < count; i++) {
        work += k->rhs[i] * d[i];
    }
    tdi_lcp_apply(k, count, d, k->gradient);
    for (int32_t i = 0; i < count; i++) {
        most = fmax(most, fabs(k->gradient[i] + k->rhs[i]));
    }
    return work > 0 ? most / work : (td_real)INFINITY;
}

// Whether the last increment proves that there is no solution. If so, what x has along it goes.
static bool contradicted(tdi_lcp_work *k, int32_t count, td_real *ray) {
    td_real square = 0, along = 0;
    for (int32_t i = 0; i < count; i++) {
        k->step[i] = k->point[i] - k->centre[i];
        square += k->step[i] * k->step[i];
    }
    const td_real size = sqrt(square);
    if (!(size > 1)) { // a solution is no further away than s
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        k->step[i] /= size;
        along += k->step[i] * k->x[i];
    }
    *ray = ray_of(k, count);
    if (!(*ray <= RAY_NOISE)) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        k->trial[i] = k->x[i] - along * k->step[i];
    }
    tdi_lcp_project(k->rows, count, k->trial, k->trial, k->x);
    return true;
}

// ---- entry ----------------------------------------------------------------------------------

static void grow(rule *r) {
    r->s = fmin(r->s * GROWTH, PROXIMAL_MOST);
    r->sigma = fmin(r->sigma * GROWTH, PENALTY_MOST);
}

// x <- P(t), and z; then certificates.
static td_lcp_result take(tdi_lcp_work *k, const rule *r) {
    for (int32_t i = 0; i < r->count; i++) {
        const td_real t = k->point[i] - k->multiplier[i] / r->sigma;
        k->multiplier[i] = r->sigma * (k->projected[i] - t);
        k->x[i] = k->projected[i];
    }
    // bounds of friction in one direction move with the normal forces
    tdi_lcp_project(k->rows, r->count, k->x, k->x, k->x);
    return tdi_lcp_certify(k, r->count);
}

// Newton's method all the way, or x as it was: half way it would only mislead the next shift.
static td_lcp_result finish(tdi_lcp_work *k, int32_t count, td_real tolerance) {
    memcpy(k->kept, k->x, (size_t)count * sizeof *k->x);
    td_lcp_result result = tdi_lcp_polish(k, count, tolerance);
    if (result.residual > tolerance) {
        memcpy(k->x, k->kept, (size_t)count * sizeof *k->x);
        result = tdi_lcp_certify(k, count);
    }
    return result;
}

static bool has_friction(const td_lcp_row *rows, int32_t count) {
    bool any = false;
    for (int32_t i = 0; i < count; i++) {
        any |= rows[i].kind != TD_LCP_BOX;
    }
    return any;
}

td_lcp_result tdi_lcp_exact(tdi_lcp_work *k, int32_t count, const td_lcp_opts *o) {
    const size_t bytes = (size_t)count * sizeof(td_real);
    const int32_t most = o->iterations > 0 ? o->iterations : ITERATIONS;
    rule r = {count, PROXIMAL_FIRST, PENALTY_FIRST, 0.01 * o->tolerance};
    memset(k->multiplier, 0, bytes);
    memset(k->centre, 0, bytes);
    memset(k->point, 0, bytes);
    const bool friction = has_friction(k->rows, count);
    td_lcp_result best = tdi_lcp_certify(k, count); // sets the shift
    memcpy(k->best, k->x, bytes);
    for (int32_t n = 1; n <= most && best.residual > o->tolerance; n++) {
        minimise(k, &r);
        td_lcp_result now = take(k, &r);
        now.iterations = n;
        if (contradicted(k, count, &now.ray)) {
            const td_real ray = now.ray;
            now = tdi_lcp_certify(k, count);
            now.iterations = n;
            now.ray = ray;
            now.verdict = TD_LCP_INFEASIBLE;
            return now;
        }
        if (friction) {
            now = finish(k, count, o->tolerance);
            now.iterations = n;
        }
        if (now.residual < best.residual) {
            best = now;
            memcpy(k->best, k->x, bytes);
        }
        best.iterations = n;
        memcpy(k->centre, k->point, bytes);
        grow(&r);
    }
    memcpy(k->x, k->best, bytes);
    return best;
}
