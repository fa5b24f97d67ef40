// SPDX-License-Identifier: MIT
// Random complementarity problems: certificates computed here once more, from the problem as it was
// given, and the published iteration beside them.

#include "cases/validate/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROBLEMS 1000
#define MOST     30 // rows

typedef enum lcp_sort {
    FULL_RANK,
    SINGULAR,
    REPEATED,
    ONE_WAY,
    CONES,
    CONTRADICTORY,
    SORTS
} lcp_sort;

static const char *const names[SORTS] = {"full rank",        "singular", "repeated rows",
                                         "one-way friction", "cones",    "contradictory"};

typedef struct lcp_case {
    int32_t count;
    double matrix[MOST * MOST], rhs[MOST];
    td_lcp_row rows[MOST];
} lcp_case;

static void draw_rows(val_random *random, lcp_sort sort, int32_t contacts, lcp_case *p) {
    const td_lcp_row tangent = {.kind = TD_LCP_TANGENT};
    for (int32_t i = 0; i < p->count; i++) {
        p->rows[i] = (td_lcp_row){.low = 0, .high = (double)INFINITY};
        if (sort <= REPEATED && val_below(random, 4) == 0) {
            p->rows[i].low = -(double)INFINITY;
        } else if (sort <= REPEATED && val_below(random, 4) == 0) {
            p->rows[i].high = val_uniform(random, 0, 2);
        }
    }
    for (int32_t i = 0; i < contacts && (sort == ONE_WAY || sort == CONES); i++) {
        const double friction = val_uniform(random, 0, 1);
        if (sort == ONE_WAY) {
            p->rows[2 * i + 1] =
                (td_lcp_row){.kind = TD_LCP_FRICTION, .friction = friction, .normal = 2 * i};
        } else {
            p->rows[3 * i] = (td_lcp_row){.kind = TD_LCP_CONE, .friction = friction};
            p->rows[3 * i + 1] = p->rows[3 * i + 2] = tangent;
        }
    }
}

// A = J J^T and b = J v, which has a solution without friction. What contradicts itself has a row
// that is another's negative, and asks more of both than there is.
static void draw(val_random *random, lcp_sort sort, lcp_case *p) {
    const int32_t contacts = 1 + val_below(random, 10);
    p->count = sort == CONES ? 3 * contacts : 2 * contacts;
    const int32_t n = p->count, rank = sort == FULL_RANK ? n + 2 : 1 + val_below(random, n);
    double j[MOST * (MOST + 2)], v[MOST + 2];
    for (int32_t i = 0; i < n * rank; i++) {
        j[i] = val_uniform(random, -1, 1);
    }
    const double sign = sort == CONTRADICTORY ? -1 : 1;
    for (int32_t k = 0; k < rank && (sort == REPEATED || sort == CONTRADICTORY); k++) {
        j[(n - 1) * rank + k] = sign * j[k];
    }
    for (int32_t k = 0; k < rank; k++) {
        v[k] = val_uniform(random, -1, 1);
    }
    for (int32_t a = 0; a < n; a++) {
        p->rhs[a] = 0;
        for (int32_t k = 0; k < rank; k++) {
            p->rhs[a] += j[a * rank + k] * v[k];
        }
        for (int32_t b = 0; b < n; b++) {
            double sum = 0;
            for (int32_t k = 0; k < rank; k++) {
                sum += j[a * rank + k] * j[b * rank + k];
            }
            p->matrix[a * n + b] = sum;
        }
    }
    if (sort == CONTRADICTORY) {
        p->rhs[n - 1] = val_uniform(random, 0.01, 1) - p->rhs[0];
    }
    draw_rows(random, sort, contacts, p);
}

// ---- certificates ---------------------------------------------------------------------------

static double error_of(const lcp_case *p, const double *x) {
    double worst = 0, w[MOST];
    const int32_t n = p->count;
    for (int32_t i = 0; i < n; i++) {
        w[i] = -p->rhs[i];
        for (int32_t j = 0; j < n; j++) {
            w[i] += p->matrix[i * n + j] * x[j];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        const td_lcp_row *r = &p->rows[i];
        const double *t = w + i, *f = x + i;
        double low = r->low, high = r->high;
        if (r->kind == TD_LCP_TANGENT) {
            continue;
        }
        if (r->kind == TD_LCP_CONE) {
            worst = val_worse(hypot(f[1], f[2]) - r->friction * f[0], worst);
            worst = val_worse(r->friction * f[0] * hypot(t[1], t[2]) + f[1] * t[1] + f[2] * t[2],
                              worst);
            low = 0;
            high = (double)INFINITY;
        } else if (r->kind == TD_LCP_FRICTION) {
            low = 0;
            high = r->friction * x[r->normal];
        }
        // x = the nearest of its range to x - w, only at a solution
        worst = val_worse(fabs(x[i] - fmin(fmax(x[i] - w[i], low), high)), worst);
    }
    return worst;
}

// ---- case -----------------------------------------------------------------------------------

typedef struct lcp_tally {
    int32_t problems, solved, contradicted, unsolved, sor_solved;
    double error, ray, sor_error;
    int32_t iterations;
} lcp_tally;

static void try_one(val_report *report, const lcp_case *p, const char *name, lcp_tally *t) {
    const td_lcp problem = {p->count, p->matrix, p->rhs, p->rows};
    td_lcp_opts opts = td_lcp_opts_default();
    td_lcp_result result = {0}, plain = {0};
    double x[MOST], y[MOST];
    td_status status = td_lcp_solve(&problem, &opts, NULL, x, &result, &report->diag);
    opts.method = TD_LCP_SOR;
    status =
        status == TD_OK ? td_lcp_solve(&problem, &opts, NULL, y, &plain, &report->diag) : status;
    val_must(report, name, p->count, status);
    t->problems++;
    if (result.verdict == TD_LCP_SOLVED) {
        const double sor = error_of(p, y);
        t->solved++;
        t->error = val_worse(error_of(p, x), t->error);
        t->sor_error = val_worse(sor, t->sor_error);
        t->sor_solved += sor < 1e-9;
    }
    t->contradicted += result.verdict == TD_LCP_INFEASIBLE;
    t->ray = result.verdict == TD_LCP_INFEASIBLE ? val_worse(result.ray, t->ray) : t->ray;
    t->unsolved += result.verdict == TD_LCP_UNSOLVED;
    t->iterations = result.iterations > t->iterations ? result.iterations : t->iterations;
}

static void rows_of(val_report *report, lcp_sort sort, const lcp_tally *t) {
    char text[80];
    const int32_t n = t->problems;
    if (sort == CONTRADICTORY) {
        val_absolute(report, "contradictory: found to be so", n, t->contradicted, n, 0);
        val_at_most(report, "contradictory: |A d|/(b.d) of the proof", n, t->ray, 1e-9);
        return;
    }
    snprintf(text, sizeof text, "%s: without a verdict", names[sort]);
    // friction in one direction need not have a solution; Coulomb's cones with b = J v have
    val_at_most(report, text, n, t->unsolved, sort == ONE_WAY ? 2 : 0);
    val_at_most(report, val_text(report, "%s: found contradictory", names[sort]), n,
                t->contradicted, 0);
    val_at_most(report, val_text(report, "%s: worst certificate", names[sort]), t->solved, t->error,
                1e-9);
    val_at_most(report, val_text(report, "%s: the same of the published SOR", names[sort]),
                t->sor_solved, t->sor_error, 1);
}

void val_lcp(val_report *report) {
    val_random random = {20};
    lcp_tally tally[SORTS] = {0};
    lcp_case p;
    for (int32_t k = 0; k < PROBLEMS; k++) {
        const lcp_sort sort = (lcp_sort)(k % SORTS);
        draw(&random, sort, &p);
        try_one(report, &p, names[sort], &tally[sort]);
    }
    for (int sort = 0; sort < SORTS; sort++) {
        rows_of(report, (lcp_sort)sort, &tally[sort]);
    }
}
