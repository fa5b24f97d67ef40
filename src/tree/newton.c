// SPDX-License-Identifier: MIT
// Newton's method on the incremental potential.
//
// Method   expand, solve along the tree, try the whole increment; when the value rises, half of it,
//          and so on. Small increments are taken without looking at the value: there the quadratic
//          model is exact to rounding. The error that an increment x leaves is about c x^2, which
//          ends the iteration before the increment itself is below the tolerance.

#include "tree/implicit.h"
#include "tree/terms_wide.h"

// rad: below this the value of a step need not be looked at, since the model is off by a fraction
// of about the increment; a tame model is off by more
#define SMALL_STEP   0.03
#define SMALL_TAME   1e-3
#define LARGEST_TURN 1.0  // rad: no body is turned further in one iteration
#define SMALL_MOVE   1e-6 // rad: an increment that cannot be judged by the value any more
#define MAX_HALVINGS 30
#define LEAST_GROWTH 1.0 // 1/rad: c of the error left is not taken to be less
#define LEFT         0.1 // of the tolerance may be left

// 1/s^2: weight of the inertia that holds back tame increments in statics; less while whole
// increments are taken, more while they are cut
#define RELAX_START 100.0
#define RELAX_LESS  0.25
#define RELAX_MORE  4.0
#define RELAX_LEAST 1e-4
#define RELAX_MOST  1e12

// Tries fractions of the increment until the value does not rise: the fraction taken, or 0.
static td_real search(const td_tree_model *m, td_tree_state *s, const tdi_potential *p,
                      td_pool *pool, td_real value, td_real largest, td_step_stats *stats) {
    td_real fraction = largest > LARGEST_TURN ? LARGEST_TURN / largest : 1;
    for (int32_t k = 0; k < MAX_HALVINGS; k++) {
        tdi_tree_try(m, s, pool, fraction);
        if (tdi_potential_value(m, s, pool, p) <= value + 1e-12 * fabs(value)) {
            return fraction;
        }
        fraction *= 0.5;
        stats->halvings++;
    }
    tdi_tree_try(m, s, pool, 0);
    return 0;
}

// Factors the model at the pose: the full Hessian if that is positive and `tame` does not forbid
// it.
static bool factor(const td_tree_model *m, td_tree_state *s, const tdi_potential *p, td_pool *pool,
                   bool tame, td_step_stats *stats) {
    for (bool now = tame;; now = true) {
        const tdi_potential_at at = {m, s, p, now, tdi_terms_widest()};
        const tdi_terms terms = {tdi_potential_balls, tdi_potential_other, &at, now};
        tdi_loads_expand(s, &p->loads);
        bool fine = tdi_sweep_in(m, s, pool, &terms);
        if (fine || now) {
            stats->raised += now;
            return !now;
        }
    }
}

// The error that an increment leaves, from how the iteration converged from the one before.
static td_real error_left(td_real increment, td_real before) {
    return fmax(LEAST_GROWTH, increment / (before * before)) * increment * increment;
}

td_status tdi_newton(const td_tree_model *m, td_tree_state *s, const tdi_potential *potential,
                     const tdi_newton_opts *opts, td_step_stats *stats) {
    tdi_potential p = *potential;
    bool tame = false;
    td_real before = 0; // the last increment, if it was whole and of the full Hessian
    p.relax = p.inertia ? 0 : RELAX_START;
    for (int32_t k = 0; k < opts->iterations; k++) {
        td_real taken = 1;
        bool full = factor(m, s, &p, opts->pool, tame, stats);
        td_real largest = tdi_sweep_out(m, s, opts->pool, !full, true);
        stats->iterations++;
        stats->last_move = largest;
        if (!isfinite(largest)) {
            return TD_ERR_DIVERGED;
        }
        if (!(largest < (!p.inertia ? SMALL_MOVE : full ? SMALL_STEP : SMALL_TAME))) {
            tdi_tree_try(m, s, opts->pool, 0);
            td_real value = tdi_potential_value(m, s, opts->pool, &p);
            taken = search(m, s, &p, opts->pool, value, largest, stats);
        }
        bool held_back = !full && p.relax > RELAX_LEAST;
        bool close = before > 0 && full && taken == 1 &&
                     error_left(largest, before) <= LEFT * opts->tolerance;
        if (((largest <= opts->tolerance || close) && !held_back) ||
            (taken == 0 && (full ? largest < SMALL_MOVE : p.relax >= RELAX_MOST))) {
            return TD_OK; // in the second case no descent is left: rounding
        }
        before = full && taken == 1 ? largest : 0;
        tame = full && taken == 0;
        if (!full && p.relax > 0) {
            td_real change = taken == 1 ? RELAX_LESS : taken < 0.3 ? RELAX_MORE : 1;
            p.relax = fmin(fmax(change * p.relax, RELAX_LEAST), RELAX_MOST);
        }
    }
    stats->unconverged++;
    return TD_OK;
}
