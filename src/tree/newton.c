// SPDX-License-Identifier: MIT
// Newton's method on the incremental potential.
//
// Method   expand, solve along the tree, try the whole increment; when the value rises, half of it,
//          and so on. Small increments are taken without looking at the value: there the quadratic
//          model is exact to rounding.

#include "tree/implicit.h"

#define SMALL_STEP   1e-3 // rad: below this the value of a step need not be looked at
#define LARGEST_TURN 1.0  // rad: no body is turned further in one iteration
#define SMALL_MOVE   1e-6 // rad: an increment that cannot be judged by the value any more
#define MAX_HALVINGS 30

// 1/s^2: weight of the inertia that holds back tame increments in statics; less while whole
// increments are taken, more while they are cut
#define RELAX_START 100.0
#define RELAX_LESS  0.25
#define RELAX_MORE  4.0
#define RELAX_LEAST 1e-4
#define RELAX_MOST  1e12

// Largest increment of a body: rad, or m of its origin over the length that 1 rad moves.
static td_real largest_move(const td_tree_model *m, const td_tree_state *s) {
    td_real largest = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        td_real w2 = tdi_dot(s->move[i].w, s->move[i].w);
        largest = w2 > largest ? w2 : largest;
        if (!(w2 >= 0)) {
            return NAN;
        }
    }
    for (int32_t d = 0; d < m->dof_count; d++) {
        td_real step = s->step[d];
        largest = step * step > largest ? step * step : largest;
    }
    return sqrt(largest);
}

// Tries fractions of the increment until the value does not rise: the fraction taken, or 0.
static td_real search(const td_tree_model *m, td_tree_state *s, const tdi_potential *p,
                      td_real largest, td_step_stats *stats) {
    td_real value = tdi_potential_value(m, s, p);
    td_real fraction = largest > LARGEST_TURN ? LARGEST_TURN / largest : 1;
    for (int32_t k = 0; k < MAX_HALVINGS; k++) {
        tdi_tree_try(m, s, fraction);
        if (tdi_potential_value(m, s, p) <= value + 1e-12 * fabs(value)) {
            return fraction;
        }
        fraction *= 0.5;
        stats->halvings++;
    }
    tdi_tree_try(m, s, 0);
    return 0;
}

// Solves for the increment; with the full Hessian if that is positive and `tame` does not forbid
// it.
static bool solve(const td_tree_model *m, td_tree_state *s, const tdi_potential *p, bool tame,
                  td_step_stats *stats) {
    tdi_tree_other_columns(m, s);
    if (!tame) {
        tdi_potential_expand(m, s, p, false);
        if (tdi_tree_solve(m, s, false)) {
            return true;
        }
    }
    tdi_potential_expand(m, s, p, true);
    tdi_tree_solve(m, s, true);
    stats->raised++;
    return false;
}

td_status tdi_newton(const td_tree_model *m, td_tree_state *s, const tdi_potential *potential,
                     const tdi_newton_opts *opts, td_step_stats *stats) {
    tdi_potential p = *potential;
    bool tame = false;
    p.relax = p.inertia ? 0 : RELAX_START;
    for (int32_t k = 0; k < opts->iterations; k++) {
        bool full = solve(m, s, &p, tame, stats);
        stats->iterations++;
        td_real largest = largest_move(m, s);
        stats->last_move = largest;
        if (!isfinite(largest)) {
            return TD_ERR_DIVERGED;
        }
        tdi_tree_keep(m, s);
        td_real taken = 1;
        if (largest < (p.inertia ? SMALL_STEP : SMALL_MOVE)) {
            tdi_tree_try(m, s, 1);
        } else {
            taken = search(m, s, &p, largest, stats);
        }
        bool held_back = !full && p.relax > RELAX_LEAST;
        if ((largest <= opts->tolerance && !held_back) ||
            (taken == 0 && (full ? largest < SMALL_MOVE : p.relax >= RELAX_MOST))) {
            return TD_OK; // in the second case no descent is left: rounding
        }
        tame = full && taken == 0;
        if (!full && p.relax > 0) {
            td_real change = taken == 1 ? RELAX_LESS : taken < 0.3 ? RELAX_MORE : 1;
            p.relax = fmin(fmax(change * p.relax, RELAX_LEAST), RELAX_MOST);
        }
    }
    stats->unconverged++;
    return TD_OK;
}
