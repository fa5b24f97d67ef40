// SPDX-License-Identifier: MIT
// Impacts: impulses that change velocities at once.
//
// Velocities along the rows go from u to u+ = u + K p.
//   Newton    where u_n < 0:  p_n >= 0, u_n+ + e u_n >= 0, one of them 0
//   Poisson   first as if e = 0, with impulses p_c; then p_n >= e p_c,n more, u_n+ >= 0, one of
//   them
//             at its bound
// with friction in Coulomb's cone. Other one-sided rows have e = 0: nothing that parts is pushed
// into what it parts from. Rows of constraints keep their velocity, but for those that begin: they
// have u+ = 0.
//
// Energy   changes by p.(u + u+)/2. With e = 0 that is p.u+ - p^T K p/2 <= 0, since what slides is
//          slowed. For e > 0 it may be positive, with friction or with several e: then all e are
//          multiplied by the largest factor in 0..1 for which it is not, by bisection; likewise
//          where they contradict each other, as at the two ends of a lever.

#include "published/analytic.h"

#include "base/diag.h"
#include "base/guard.h"
#include "base/range.h"

#include <string.h>

#define BISECTIONS 20
#define ITERATIONS 60    // of the exact solver: what has a solution takes 20
#define ROUNDING   1e-12 // of the largest velocity
#define ENERGY     1e-14 // of the impulses' work: what is rounding
#define TOUCHING   1e-9  // s: one-sided constraints that are reached in this time take part

static bool is_normal(const tdi_lcp_row *row) {
    return row->bounds.kind == TD_LCP_CONE ||
           (row->bounds.kind == TD_LCP_BOX && row->bounds.low >= 0);
}

static bool is_hold(const tdi_lcp_row *row) {
    return row->bounds.kind == TD_LCP_BOX && row->bounds.low < 0;
}

// Whether impacts leave its velocity as it is.
static bool keeps(const tdi_lcp_row *row) {
    return is_hold(row) && !row->begins;
}

// ---- laws -----------------------------------------------------------------------------------

static void solve(td_analytic *a, td_real *p) {
    td_lcp_opts opts = a->solver;
    if (opts.method == TD_LCP_EXACT && opts.iterations == 0) {
        opts.iterations = ITERATIONS;
    }
    tdi_analytic_solve(a, &opts, false, p);
}

static void newton(td_analytic *a, td_real part) {
    for (int32_t i = 0; i < a->row_count; i++) {
        const tdi_lcp_row *row = &a->row[i];
        a->lcp.bounds[i] = row->bounds;
        a->lcp.rhs[i] =
            keeps(row) ? 0 : -(1 + (row->fast ? part * row->restitution : 0)) * row->rate;
    }
    solve(a, a->lcp.force);
}

// After newton(a, 0), whose impulses are those of compression.
static void expand(td_analytic *a, td_real part) {
    const int32_t n = a->row_count;
    td_real most = 0;
    memcpy(a->lcp.before, a->lcp.force, (size_t)n * sizeof *a->lcp.before);
    for (int32_t i = 0; i < n; i++) {
        const tdi_lcp_row *row = &a->row[i];
        td_real change = 0;
        for (int32_t j = 0; j < n; j++) {
            change += a->lcp.matrix[(ptrdiff_t)i * n + j] * a->lcp.before[j];
        }
        most = fmax(most, fabs(row->rate));
        a->lcp.rhs[i] = -change - (keeps(row) ? 0 : row->rate);
        a->lcp.bounds[i].low =
            row->fast ? part * row->restitution * a->lcp.before[i] : a->lcp.bounds[i].low;
    }
    for (int32_t i = 0; i < n; i++) { // velocities of 0 but for rounding may contradict each other
        a->lcp.rhs[i] = fabs(a->lcp.rhs[i]) > ROUNDING * most ? a->lcp.rhs[i] : 0;
    }
    solve(a, a->lcp.force);
    for (int32_t i = 0; i < n; i++) {
        a->lcp.force[i] += a->lcp.before[i];
    }
}

static void apply_law(td_analytic *a, td_real part) {
    const bool poisson = a->opts.law == TD_IMPACT_POISSON;
    newton(a, poisson ? 0 : part);
    if (poisson && part > 0) {
        expand(a, part);
    }
}

// ---- energy ---------------------------------------------------------------------------------

// What the impulses put into the trees, seen from what they hit; over the sum of their works.
static td_real work_of(const td_analytic *a) {
    const int32_t n = a->row_count;
    td_real work = 0, size = 0;
    for (int32_t i = 0; i < n; i++) {
        td_real change = 0;
        for (int32_t j = 0; j < n; j++) {
            change += a->lcp.matrix[(ptrdiff_t)i * n + j] * a->lcp.force[j];
        }
        // what holds without end may have velocities of its own: those are not of the impact
        const td_real u = keeps(&a->row[i]) ? 0 : a->row[i].rate;
        work += a->lcp.force[i] * (u + 0.5 * change);
        size += fabs(a->lcp.force[i]) * (fabs(u) + fabs(change));
    }
    return size > 0 ? work / size : 0;
}

// Speeds that are given back may contradict each other where a body cannot move as it likes: there
// is no solution then, and with less restitution there is one.
static bool holds(const td_analytic *a) {
    const bool exact = a->solver.method == TD_LCP_EXACT;
    return (!exact || a->lcp.result.verdict == TD_LCP_SOLVED) && work_of(a) <= ENERGY;
}

// If one row bounces, rows within a small margin of that speed bounce too: rounding must not decide
// which end of a stick bounces.
static void choose_fast(td_analytic *a) {
    bool any = false;
    for (int32_t i = 0; i < a->row_count; i++) {
        any = any || (is_normal(&a->row[i]) && a->row[i].rate < -a->row[i].slow);
    }
    for (int32_t i = 0; i < a->row_count; i++) {
        tdi_lcp_row *row = &a->row[i];
        row->fast =
            any && is_normal(row) && row->rate < 0 && row->rate < -(1 - TDI_TOGETHER) * row->slow;
    }
}

td_real tdi_analytic_impulses(td_analytic *a) {
    td_real low = 0, high = 1, part = 1;
    bool any = false;
    choose_fast(a);
    for (int32_t i = 0; i < a->row_count; i++) {
        any |= is_normal(&a->row[i]) && a->row[i].restitution > 0;
    }
    apply_law(a, part);
    if (!any || holds(a)) {
        return 1;
    }
    for (int k = 0; k < BISECTIONS; k++) {
        part = 0.5 * (low + high);
        apply_law(a, part);
        const bool fine = holds(a);
        low = fine ? part : low;
        high = fine ? high : part;
    }
    apply_law(a, low);
    return low;
}

// ---- hits -----------------------------------------------------------------------------------

static td_status check_hits(const td_analytic *a, const td_hit *hits, int32_t count,
                            td_diag *diag) {
    for (int32_t k = 0; k < count; k++) {
        const td_hit *h = &hits[k];
        if (h->state < 0 || h->state >= a->tree_count || h->segment < 0 ||
            h->segment >= a->tree[h->state]->model->body_count) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "hit %d: there is no such segment", k);
        }
        if (!(fabs(tdi_norm(h->normal) - 1) < 1e-6)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "hit %d: normal must have length 1", k);
        }
        const tdi_range ranges[] = {TDI_FINITE3("point", "m", h->point),
                                    TDI_FINITE3("velocity", "m/s", h->velocity),
                                    TDI_BETWEEN("friction", NULL, h->friction, 0, 10),
                                    TDI_BETWEEN("restitution", NULL, h->restitution, 0, 1)};
        TDI_TRY(tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, "hit", k, diag));
    }
    return TD_OK;
}

static bool hit_row(td_analytic *a, const td_step_opts *o, const td_hit *h, td_vec3 d,
                    td_lcp_row bounds, td_diag *diag) {
    tdi_lcp_row *row = tdi_analytic_row(a, diag);
    if (!row) {
        return false;
    }
    const tdi_frame *f = &a->tree[h->state]->frame[h->segment];
    const td_vec3 x = tdi_add(f->o, tdi_mat3_apply(&f->r, h->point));
    row->side[0] = tdi_push_at(a, h->state, h->segment, x, d, 1);
    row->constraint = TD_NONE;
    row->direction = d;
    row->given = -tdi_dot(d, h->velocity);
    row->bounds = bounds;
    tdi_analytic_finish(a, o, row);
    row->restitution = h->restitution;
    row->slow = 0;
    return true;
}

// A normal, and two tangents where there is friction.
static bool hit_rows(td_analytic *a, const td_step_opts *o, const td_hit *h, td_diag *diag) {
    const td_vec3 n = h->normal, u = tdi_across(n);
    const td_lcp_row tangent = {.kind = TD_LCP_TANGENT};
    const bool rough = h->friction > 0;
    const td_lcp_row normal = {
        .kind = rough ? TD_LCP_CONE : TD_LCP_BOX, .high = INFINITY, .friction = h->friction};
    return hit_row(a, o, h, n, normal, diag) &&
           (!rough || (hit_row(a, o, h, u, tangent, diag) &&
                       hit_row(a, o, h, tdi_cross(n, u), tangent, diag)));
}

static void tell(const td_analytic *a, int32_t first, td_hit *hits, int32_t count) {
    const int32_t n = a->row_count;
    for (int32_t k = 0, i = first; k < count; k++) {
        const int32_t rows = hits[k].friction > 0 ? 3 : 1;
        hits[k].before = hits[k].after = a->row[i].rate;
        for (int32_t j = 0; j < n; j++) {
            hits[k].after += a->lcp.matrix[(ptrdiff_t)i * n + j] * a->lcp.force[j];
        }
        hits[k].impulse = tdi_vec3(0, 0, 0);
        for (int32_t j = i; j < i + rows; j++) {
            hits[k].impulse = tdi_madd(hits[k].impulse, a->row[j].direction, a->lcp.force[j]);
        }
        i += rows;
    }
}

// Factors of the pose; rows of the constraints first.
static td_status find_hits(td_analytic *a, const td_step_opts *o, const td_hit *hits, int32_t count,
                           int32_t *first, td_diag *diag) {
    a->row_count = 0;
    a->contact_count = 0;
    a->near_count = 0;
    a->choosing = true;
    a->margin = 0;
    for (int32_t k = 0; k < a->tree_count; k++) {
        tdi_tree_state *s = a->tree[k];
        tdi_tree_fresh(s);
        tdi_tree_place(s->model, s);
        tdi_tree_move(s->model, s);
        tdi_tree_forward(s->model, s, o->gravity, NULL, NULL, s->stages.accel_now);
    }
    td_status status = tdi_analytic_hold_rows(a, o, 0, diag);
    *first = a->row_count;
    for (int32_t k = 0; status == TD_OK && k < count; k++) {
        status = hit_rows(a, o, &hits[k], diag) ? TD_OK : TD_ERR_LIMIT;
    }
    return status;
}

td_status td_analytic_impact(td_analytic *a, td_hit *hits, int32_t count, td_real *kept,
                             td_diag *diag) {
    TDI_REFUSE_IF(!a || (count > 0 && !hits));
    int32_t first = 0;
    td_status status = check_hits(a, hits, count, diag);
    for (int32_t k = 0; k < a->tree_count; k++) {
        a->step[k] = td_step_opts_default();
        a->step[k].dt = TOUCHING;
        a->step[k].gravity = tdi_vec3(0, 0, 0);
    }
    status = status == TD_OK ? find_hits(a, a->step, hits, count, &first, diag) : status;
    if (status != TD_OK) {
        return status;
    }
    tdi_analytic_matrix(a);
    const td_real part = tdi_analytic_impulses(a);
    tell(a, first, hits, count);
    tdi_analytic_kick(a);
    for (int32_t k = 0; k < a->tree_count; k++) {
        tdi_tree_changed(a->tree[k]);
    }
    if (kept) {
        *kept = part;
    }
    return TD_OK;
}
