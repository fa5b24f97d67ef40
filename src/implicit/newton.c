// SPDX-License-Identifier: MIT
// Newton's method on the incremental potential of a system: increments (increments.c) and moves by
// them (line_search.c), until they are small.
//
// Stopping  The error that an increment x leaves is about c x^2, with c from the last two
//           increments, which ends the iteration before the increment itself is below the
//           tolerance.
// Driven    Colliders, bases and held ends have prescribed positions. Until these have reached the
//           end of the step, increments include their remaining motion to first order, and the
//           value may rise. Where such an increment is cut short, increments with the prescribed
//           positions fixed follow, which open the gaps again.

#include "implicit/constants.h"
#include "implicit/newton.h"

#include "base/diag.h"
#include "implicit/constraint.h"
#include "implicit/body_contact.h"

#include <math.h>

#define LEAST_SHIFT  1e-6 // of the first: a smaller one does not change increments
#define SLOW_EACH    4   // statics near a bifurcation: one block in four uses damped exact Hessians
#define WORTHWHILE   0.2 // of the last increment: old factors that leave more are replaced
#define SLOW         0.03 // of the largest increment: where it is shortened, members below this become idle
#define LEAST_SHARE  0.1 // of the cost of a whole iteration: contact costs as much for a few members
#define CUT_SHORT    0.05 // of an increment: below this fraction tdi_relax() is tried
#define TRIALS       4    // halvings, which cost a budget one iteration
#define MOST_CARRIES 200  // iterations: then prescribed motions are impossible

// ---- iterations -----------------------------------------------------------------------------

// Increments with the factors of an earlier iteration. False: they did not shrink enough.
static bool correct(tdi_newton_run *n) {
    tdi_newton_solve_again(n);
    n->model.used = TDI_MODEL_EXACT;
    n->model.raised = false;
    if (n->largest > WORTHWHILE * n->before || !isfinite(n->largest)) {
        n->reuse = TDI_REUSE_NEVER;
        return false;
    }
    tdi_system_attempt(n->system, false);
    return true;
}

// One iteration: how much of the increments was taken; < 0: the budget ended before they were
// known.
static td_status iterate(tdi_newton_run *n, bool with_driven, td_real *taken) {
    const tdi_system *y = n->system;
    const td_real begin = tdi_stage_start(y);
    n->factored = n->solved = false;
    td_status status = tdi_newton_solve(n, with_driven);
    tdi_stage_end(y, TDI_STAGE_SOLVE, begin);
    if (status != TD_OK || !n->solved) {
        *taken = -1;
        return status;
    }
    const td_real start = tdi_stage_start(y);
    const int64_t halvings = n->stats->halvings;
    n->stats->iterations++;
    n->stats->last_move = n->largest;
    if (!isfinite(n->largest)) {
        return TD_ERR_DIVERGED;
    }
    *taken = y->contact ? tdi_newton_move_with_contact(n, with_driven) : tdi_newton_move_freely(n);
    n->at_start = false;
    tdi_stage_end(y, TDI_STAGE_SEARCH, start);
    if (y->budget) {
        y->budget->iterations -= (int32_t)((n->stats->halvings - halvings) / TRIALS);
    }
    if (y->contact && tdi_body_contact_lacks_room(y->contact)) {
        return tdi_body_contact_no_room(y->contact, n->diag);
    }
    return isfinite(*taken) ? TD_OK : TD_ERR_DIVERGED;
}

// Chooses the model and the factors of the next iteration.
static void prepare_next(tdi_newton_run *n, td_real taken, bool whole) {
    tdi_newton_model *m = &n->model;
    const bool small = m->used == TDI_MODEL_EXACT && n->largest < TDI_SMALL_STEP;
    n->before = whole ? n->largest : 0;
    if (n->reuse != TDI_REUSE_NEVER) { // after a shortened increment the Hessian changes too fast
        n->reuse = !whole ? TDI_REUSE_NEVER : small ? TDI_REUSE_FACTORS : TDI_REUSE_LATER;
    }
    if (taken == 0) {
        tdi_constraints_restore_multipliers(n->system->constraints);
        tdi_newton_soften(n);
        m->next = m->used;
        return;
    }
    m->damp *= taken == 1 ? TDI_SHIFT_SHRINKS : taken < TDI_SHIFT_CUT ? TDI_SHIFT_GROWS : 1;
    // a raised model without progress is nearly singular, and will be in the next iteration
    m->may_raise = m->may_raise && !(m->raised && taken < CUT_SHORT);
    // after shortened increments the exact Hessian is unlikely to be positive
    m->next = m->used == TDI_MODEL_CONVEX && taken < 1 ? TDI_MODEL_CONVEX : TDI_MODEL_EXACT;
    if (m->used == TDI_MODEL_POSITIVE && m->shift > 0) {
        td_real less = n->opts->rest ? TDI_SHIFT_SHRINKS : 0;
        m->shift *= taken == 1 ? less : taken < TDI_SHIFT_CUT ? TDI_SHIFT_GROWS : 1;
        m->shift = n->opts->rest ? fmax(m->shift, LEAST_SHIFT * m->first_shift) : m->shift;
    }
}

// The error that an increment leaves: squared by new factors, shrunk by a factor with old ones.
static td_real error_left(const tdi_newton_run *n, bool reused) {
    td_real q = n->largest / n->before;
    return reused ? (q < 1 ? q / (1 - q) * n->largest : n->largest)
                  : fmax(1, q / n->before) * n->largest * n->largest;
}

// Whether the method has converged. `whole`: the last increment was taken whole, of an exact model.
static bool is_done(const tdi_newton_run *n, td_real taken, bool whole, bool steady, bool reused) {
    const td_real tolerance = n->opts->tolerance;
    const tdi_newton_model *m = &n->model;
    const bool positive = m->used == TDI_MODEL_POSITIVE;
    const bool is_damped = positive && m->shift > LEAST_SHIFT * m->first_shift;
    if (taken == 0) { // no descent is left: rounding
        return n->largest < TDI_SMALL_MOVE ||
               (positive && m->shift > TDI_MOST_SHIFT * m->first_shift);
    }
    bool close = whole && n->before > 0 && error_left(n, reused) <= TDI_ERROR_LEFT * tolerance;
    return (n->largest <= tolerance && taken == 1 && steady && !is_damped) || close;
}

// ---- prescribed motions ---------------------------------------------------------------------

static td_status squeezed(const tdi_newton_run *n) {
    char tightest[TDI_TIGHTEST];
    tdi_body_contact_tightest_text(n->system->contact, n->system, tightest);
    return tdi_fail(n->diag, TD_ERR_DIVERGED,
                    "there is no room: colliders, bases or driven ends squeeze an object%s; "
                    "move them apart, or try a shorter step",
                    tightest);
}

// Iterates until all prescribed motions are at their end.
static td_status follow_prescribed(tdi_newton_run *n) {
    tdi_body_contact *t = n->system->contact;
    bool between = false;
    for (int32_t k = 0; t && t->time < 1; k++) {
        td_real taken = 0;
        if (!tdi_budget_take(n->system->budget)) {
            return TD_OK;
        }
        n->model.next = between ? TDI_MODEL_EXACT : TDI_MODEL_CONVEX;
        td_status status = iterate(n, !between, &taken);
        if (status != TD_OK || k == MOST_CARRIES) {
            return status == TD_ERR_LIMIT ? status : squeezed(n);
        }
        between = !between && tdi_body_contact_any(t);
        if (!between && t->time < 1) {
            // the remaining motion may be smaller than a gap: then it needs no increment
            tdi_newton_jump(n->system);
        }
    }
    n->model.next = TDI_MODEL_EXACT;
    n->model.shift = 0;
    return TD_OK;
}

// ---- idle members ---------------------------------------------------------------------------

// Makes converged members idle until all have converged; then wakes the disturbed ones. True if
// some wake.
static bool update_idle(tdi_newton_run *n, td_real taken, bool done) {
    const tdi_system *y = n->system;
    tdi_body_contact *t = y->contact;
    const bool whole = !tdi_newton_is_modified(n) && taken == 1;
    bool woken = false;
    if (!t || y->count <= 2 || t->exact_step.used || y->constraints || n->opts->rest) {
        return false; // either of two members disturbs the other
    }
    tdi_idle_note(t, y, taken, whole, n->opts->tolerance);
    if (t->idle_set.count > 0 && taken == 0) {
        tdi_idle_wake_all(t);
        woken = true;
    } else if (t->idle_set.count > 0 && done) {
        woken = tdi_idle_wake_disturbed(t, y);
    } else if (!done && taken > 0 && (tdi_coupled_with_contact(y) || t->idle_set.count > 0)) {
        tdi_idle_find(t, y, n->opts->tolerance, taken < 1 ? SLOW * n->largest : 0);
    }
    if (woken) {
        n->before = 0;
        n->model.next = TDI_MODEL_EXACT;
    }
    return woken;
}

// ---- shortened increments -------------------------------------------------------------------

// Each member takes the rest of its increments by itself.
static void relax(const tdi_system *y, td_real taken) {
    tdi_system_place(y, 1);
    tdi_body_contact_gather(y, y->contact->motion);
    tdi_system_place(y, taken);
    tdi_relax(y, y->contact->motion);
}

// ---- entry ----------------------------------------------------------------------------------

// The forces of the last step, if all members know them.
static tdi_joint_forces first_forces(const tdi_system *y, const tdi_newton_opts *opts) {
    bool known = !opts->rest;
    for (int32_t k = 0; k < y->count && known; k++) {
        known = y->member[k].body->newton.recalls;
    }
    return !tdi_constraints_are_eliminated(y) ? TDI_FORCES_OF_POSE
           : known                            ? TDI_FORCES_PREVIOUS
                                              : TDI_FORCES_TO_NOTE;
}

static tdi_newton_run start(const tdi_system *y, const tdi_newton_opts *opts, td_step_stats *stats,
                            td_diag *diag) {
    tdi_newton_run n = {.system = y,
                        .opts = opts,
                        .stats = stats,
                        .diag = diag,
                        .at_start = true,
                        .model = {.may_raise = true},
                        .forces = first_forces(y, opts)};
    bool all_reuse = !y->contact && !y->constraints;
    for (int32_t k = 0; k < y->count; k++) {
        const td_body *body = y->member[k].body;
        n.model.first_shift = fmax(n.model.first_shift, body->newton.first_shift);
        all_reuse = all_reuse && body->ops->traits.reuses;
    }
    n.reuse = all_reuse ? TDI_REUSE_LATER : TDI_REUSE_NEVER;
    return n;
}

// The cost of an iteration of the active members, over that of all.
static td_real share_of(const tdi_system *y) {
    const int32_t idle = y->contact ? y->contact->idle_set.count : 0;
    return fmax(LEAST_SHARE, (td_real)(y->count - idle) / y->count);
}

// Takes an iteration. False: none is left, or prescribed motions could not reach their end.
static bool take(const tdi_system *y) {
    return !tdi_is_spent(y->budget) && tdi_budget_take(y->budget);
}

// Whether an unsolved pose of exact contact is accepted because the budget is nearly spent and no
// pair overlaps. With the barrier no pose overlaps, and the last one is the best.
static bool is_enough(const tdi_system *y) {
    const tdi_budget *b = y->budget;
    return b && b->truncated && b->iterations <= b->enough && y->contact &&
           y->contact->exact_step.used && tdi_body_contact_is_clear(y->contact, y);
}

// One iteration, by the factors of the last one if they may be reused. *taken: the fraction of the
// increments; below 0: old factors were not good enough, or the budget is spent.
static td_status advance(tdi_newton_run *n, td_real *taken) {
    if (n->reuse != TDI_REUSE_FACTORS) {
        return iterate(n, false, taken);
    }
    n->stats->iterations++;
    *taken = correct(n) ? 1 : -1;
    if (*taken > 0) {
        n->stats->last_move = n->largest;
    }
    return TD_OK;
}

static td_status run(const tdi_system *y, const tdi_newton_opts *opts, bool *converged,
                     td_step_stats *stats, td_diag *diag) {
    tdi_newton_run n = start(y, opts, stats, diag);
    td_status status = follow_prescribed(&n);
    td_real distance = 0;
    *converged = false;
    for (td_real spent = 0; spent < opts->iterations && status == TD_OK && take(y);
         spent += share_of(y)) {
        td_real taken = 0;
        const bool reused = n.reuse == TDI_REUSE_FACTORS;
        const bool slow = opts->rest && (int)(spent / TDI_SLOW_REST) % SLOW_EACH == 1;
        n.model.most_damp = slow ? n.model.first_shift : 0;
        status = advance(&n, &taken);
        if (status != TD_OK) {
            return status;
        }
        if (taken < 0) {
            continue;
        }
        distance += taken * n.largest;
        if (opts->rest && distance > TDI_AWAY) {
            return TD_ERR_DIVERGED;
        }
        const bool modified = tdi_newton_is_modified(&n);
        const bool steady = !y->contact || tdi_body_contact_is_steady(y->contact, y);
        bool whole = !modified && taken == 1 && steady;
        const bool satisfied = tdi_constraints_converged(y->constraints, y, n.largest, taken == 1);
        bool done = satisfied && is_done(&n, taken, whole, steady, reused);
        if (update_idle(&n, taken, done)) {
            continue;
        }
        if (done && y->contact && y->contact->exact_step.used) {
            status = tdi_exact_refine(y->contact, y, &done);
            whole = false;
            if (status != TD_OK) {
                return status == TD_ERR_LIMIT ? TD_OK : status; // a shorter step may converge
            }
        }
        if (opts->positive) {
            *opts->positive = n.model.used == TDI_MODEL_EXACT && !modified && !reused;
        }
        *converged = (done && !tdi_is_spent(y->budget)) || is_enough(y);
        if (*converged) {
            return TD_OK;
        }
        prepare_next(&n, taken, whole);
        if (taken > 0 && taken < CUT_SHORT && y->contact) {
            relax(y, taken);
            tdi_idle_note_relaxed(y->contact, y);
        }
    }
    return status;
}

td_status tdi_newton(const tdi_system *y, const tdi_newton_opts *opts, bool *converged,
                     td_step_stats *stats, td_diag *diag) {
    if (y->contact) {
        tdi_idle_begin(y->contact);
    }
    const td_status status = run(y, opts, converged, stats, diag);
    if (y->contact) {
        tdi_idle_wake_all(y->contact);
    }
    return status;
}
