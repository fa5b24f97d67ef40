// SPDX-License-Identifier: MIT
// Newton's method on the incremental potential.
//
// Method   expand, solve along the tree, try the whole increment; when the value rises, half of it,
//          and so on. Small increments are taken without looking at the value: there the quadratic
//          model is exact to rounding.

#include "tree/implicit.h"

#define SMALL_STEP   1e-3 // rad: below this the value need not be looked at
#define LARGEST_TURN 1.0  // rad: no body is turned further in one iteration
#define MAX_HALVINGS 30

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

// Tries fractions of the increment until the value does not rise.
static bool search(const td_tree_model *m, td_tree_state *s, const tdi_potential *p, td_real value,
                   td_real largest, td_step_stats *stats) {
    td_real fraction = largest > LARGEST_TURN ? LARGEST_TURN / largest : 1;
    for (int32_t k = 0; k < MAX_HALVINGS; k++) {
        tdi_tree_try(m, s, fraction);
        td_real now = tdi_potential_value(m, s, p);
        if (now <= value + 1e-12 * fabs(value)) {
            return true;
        }
        fraction *= 0.5;
        stats->halvings++;
    }
    tdi_tree_try(m, s, 0);
    return false;
}

td_status tdi_newton(const td_tree_model *m, td_tree_state *s, const tdi_potential *p,
                     const tdi_newton_opts *opts, td_step_stats *stats) {
    for (int32_t k = 0; k < opts->iterations; k++) {
        tdi_tree_other_columns(m, s);
        tdi_potential_expand(m, s, p, false);
        if (!tdi_tree_solve(m, s, false)) {
            tdi_potential_expand(m, s, p, true);
            tdi_tree_solve(m, s, true);
            stats->raised++;
        }
        stats->iterations++;
        td_real largest = largest_move(m, s);
        stats->last_move = largest;
        if (!isfinite(largest)) {
            return TD_ERR_DIVERGED;
        }
        tdi_tree_keep(m, s);
        if (largest < SMALL_STEP) {
            tdi_tree_try(m, s, 1);
        } else if (!search(m, s, p, tdi_potential_value(m, s, p), largest, stats)) {
            return TD_OK; // no descent is left: rounding
        }
        if (largest <= opts->tolerance) {
            return TD_OK;
        }
    }
    stats->unconverged++;
    return TD_OK;
}
