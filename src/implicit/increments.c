// SPDX-License-Identifier: MIT
// Increments of Newton's method: the model that is factored, and its solution.
//
// Models    The exact Hessian first. Where it is not positive definite, or its increment is not a
//           descent direction, the Hessian of contact is replaced by a positive semi-definite
//           model, then that of the bodies too, with as much inertia added as is needed. Where
//           many bodies touch, an exact model that failed is not tried again in the step.
// Chains    Residuals of the gradient along a chain with constraints add up to forces that make
//           the exact Hessian indefinite. So solvers note the forces that increments lead to.
//           Geometric stiffness uses the forces of the last step at first, and those of the last
//           increments from the second iteration on.

#include "implicit/constants.h"
#include "implicit/constraint.h"
#include "implicit/newton.h"
#include "implicit/body_contact.h"

#include <math.h>

#define LEAST_DAMP 1e-10 // of the first shift: the first inertia that is added to an exact Hessian
#define SHRINKS    0.5   // of an increment after which the value rose: the next one must be smaller

// ---- factors --------------------------------------------------------------------------------

static bool is_coupled(const tdi_system *y, int32_t k) {
    return tdi_is_coupled(y->member[k].body);
}

static tdi_factored factor_member(const tdi_newton_run *n, const tdi_model *model, int32_t k) {
    const tdi_system *y = n->system;
    tdi_model asked = *model;
    if (tdi_is_idle(y, k)) {
        return TDI_POSITIVE;
    }
    asked.blocks = is_coupled(y, k);
    return y->member[k].body->ops->factor(y->member[k].body, &asked);
}

typedef struct factoring {
    const tdi_newton_run *run;
    const tdi_model *model;
} factoring;

static void clear_turn(void *context, int64_t k) {
    const tdi_system *y = context;
    if (y->member[k].body->ops->clear && !tdi_is_idle(y, (int32_t)k)) {
        y->member[k].body->ops->clear(y->member[k].body);
    }
}

static void factor_turn(void *context, int64_t k) {
    const factoring *f = context;
    f->run->system->contact->solve.factored[k] = factor_member(f->run, f->model, (int32_t)k);
}

static void note_largest(tdi_newton_run *n, td_real x) {
    n->largest = x <= n->largest ? n->largest : x; // keeps what is not a number
}

// The worst of all members. With constraints increments follow at once, and what these ask of them,
// while the memory of a member is near.
static tdi_factored factor_members(tdi_newton_run *n, const tdi_model *model) {
    const tdi_system *y = n->system;
    const bool shared = y->pool && y->contact;
    factoring f = {n, model};
    tdi_factored worst = TDI_POSITIVE;
    if (shared) {
        tdi_system_each(y, factor_turn, &f);
    }
    n->largest = n->predicted_decrease = 0;
    tdi_coupled_open(y);
    for (int32_t k = 0; k < y->count && worst != TDI_NOT_POSITIVE; k++) {
        const tdi_factored own =
            shared ? y->contact->solve.factored[k] : factor_member(n, model, k);
        worst = own < worst ? own : worst;
        if (y->constraints && own != TDI_NOT_POSITIVE && !is_coupled(y, k)) {
            note_largest(n, y->member[k].body->ops->solve(y->member[k].body, (tdi_solving){0},
                                                          &n->predicted_decrease));
            tdi_coupled_add_schur(y, k);
        }
    }
    return worst;
}

// The worst of all bodies.
static tdi_factored factor_all(tdi_newton_run *n, const tdi_model *model) {
    const tdi_system *y = n->system;
    tdi_coupled_choose(y);
    tdi_system_each(y, clear_turn, (void *)y);
    if (y->contact) {
        tdi_body_contact_add_stiffness(y);
    }
    tdi_constraints_expand(y->constraints, y, n->model.used == TDI_MODEL_EXACT, model->positive);
    tdi_factored worst = factor_members(n, model);
    return worst != TDI_NOT_POSITIVE && !tdi_coupled_factor(y) ? TDI_NOT_POSITIVE : worst;
}

void tdi_newton_soften(tdi_newton_run *n) {
    tdi_newton_model *m = &n->model;
    if (m->used < TDI_MODEL_POSITIVE) {
        const bool both = n->system->contact || tdi_constraints_are_curved(n->system->constraints);
        m->used = m->used == TDI_MODEL_EXACT && both ? TDI_MODEL_CONVEX : TDI_MODEL_POSITIVE;
        if (m->used == TDI_MODEL_POSITIVE && n->opts->rest && m->shift == 0) {
            m->shift = m->first_shift;
        }
    } else {
        m->shift = m->shift > 0 ? TDI_SHIFT_GROWS * m->shift : m->first_shift;
    }
}

// Adds more inertia to an exact Hessian that is not positive definite, or selects the next model.
static void change_model(tdi_newton_run *n, bool all) {
    tdi_newton_model *m = &n->model;
    if (m->used == TDI_MODEL_EXACT && m->damp < m->most_damp) {
        m->damp = fmax(LEAST_DAMP * m->first_shift, TDI_SHIFT_GROWS * m->damp);
        return;
    }
    m->damp = 0;
    m->exact_failed = m->exact_failed || all;
    tdi_newton_soften(n);
}

static tdi_model model_of(const tdi_newton_run *n, int32_t tries, bool with_driven) {
    const tdi_newton_model *m = &n->model;
    const bool positive = m->used == TDI_MODEL_POSITIVE;
    return (tdi_model){.positive = positive,
                       .shift = positive                     ? m->shift
                                : m->used == TDI_MODEL_EXACT ? m->damp
                                                             : 0,
                       .tries = tries,
                       .raise = m->may_raise,
                       .keep_factors = n->system->contact || n->system->constraints,
                       .forces = n->forces,
                       .guessed = n->at_start && !n->opts->rest,
                       .with_driven = with_driven};
}

// Whether a model may be factored: each but the first of an iteration costs a budget another one.
static bool may_factor(tdi_newton_run *n) {
    const bool may = !n->factored || tdi_budget_take(n->system->budget);
    n->factored = true;
    return may;
}

// Factors a model that is positive definite, if the budget allows.
static td_status factor(tdi_newton_run *n, bool with_driven) {
    tdi_body_contact *t = n->system->contact;
    tdi_newton_model *m = &n->model;
    const bool all = t && n->system->count > 1 && t->idle_set.count == 0;
    m->used = all && m->exact_failed && m->next == TDI_MODEL_EXACT ? TDI_MODEL_CONVEX : m->next;
    tdi_constraints_evaluate(n->system->constraints, n->system);
    for (int32_t tries = 0; tries < TDI_SHIFT_TRIES;) {
        if (!may_factor(n)) {
            return TD_OK;
        }
        if (t) {
            const td_real start = tdi_stage_start(n->system);
            td_status status = tdi_body_contact_evaluate(t, n->system, m->used == TDI_MODEL_EXACT,
                                                         with_driven, n->diag);
            tdi_stage_end(n->system, TDI_STAGE_CONTACT, start);
            if (status != TD_OK) {
                return status;
            }
        }
        const tdi_model model = model_of(n, tries, with_driven);
        const tdi_factored result = factor_all(n, &model);
        if (result != TDI_NOT_POSITIVE) {
            m->raised = result == TDI_RAISED || model.shift > 0;
            n->stats->raised += model.positive || m->raised;
            return TD_OK;
        }
        tries += m->used == TDI_MODEL_POSITIVE;
        change_model(n, all);
    }
    return TD_ERR_DIVERGED;
}

// The largest increment of a member, when something has changed them.
static td_real largest_of(const tdi_system *y, int32_t k) {
    const tdi_member *m = &y->member[k];
    const tdi_coords *c = &m->body->coords;
    td_real most = 0;
    if (m->body->ops->largest || y->contact) {
        return m->body->ops->largest ? m->body->ops->largest(m->body)
                                     : tdi_body_contact_largest(y->contact, y, k);
    }
    for (int32_t i = 0; i < c->count; i++) {
        const td_real x = fabs(c->increment[i]);
        most = x <= most ? most : x;
    }
    return most;
}

void tdi_newton_increments(tdi_newton_run *n, bool limited) {
    const tdi_system *y = n->system;
    n->largest = n->predicted_decrease = 0;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_implicit *ops = y->member[k].body->ops;
        void *body = y->member[k].body;
        const bool alone = !y->contact && !y->constraints;
        const tdi_solving how = {.limited = limited, .move = alone && ops->traits.moves};
        if (tdi_is_idle(y, k) || is_coupled(y, k)) {
            continue;
        }
        note_largest(n, ops->solve(body, how, &n->predicted_decrease));
        if (alone && !how.move) {
            tdi_state_keep(body);
            tdi_state_try(body, 1);
        }
    }
}

void tdi_newton_solve_again(tdi_newton_run *n) {
    const tdi_system *y = n->system;
    td_real not_used = 0;
    n->largest = 0;
    for (int32_t k = 0; k < y->count; k++) {
        td_body *body = y->member[k].body;
        note_largest(n, body->ops->solve(body, (tdi_solving){.again = true}, &not_used));
    }
}

// Contact between segments changes the increments. Its tolerance is a part of the predicted
// decrease, which must not include that of the penalty K.
static bool solve_contact(tdi_newton_run *n) {
    const tdi_system *y = n->system;
    const td_real own = tdi_constraints_slope(y->constraints, y);
    n->predicted_decrease += own;
    const bool fine = tdi_conjugate_gradients_solve(y->contact, y, &n->predicted_decrease,
                                                    &n->stats->gradient_steps);
    n->predicted_decrease -= own;
    return fine;
}

static void update_turn(void *context, int64_t k) {
    const tdi_system *y = context;
    if (y->constraints || is_coupled(y, (int32_t)k)) {
        tdi_coupled_update_increments(y, (int32_t)k);
        y->contact->solve.part[k] = largest_of(y, (int32_t)k);
    }
}

// Solves the coupled systems, and updates the increments of all members.
static void solve_coupled(tdi_newton_run *n, bool last) {
    const tdi_system *y = n->system;
    const bool shared = y->pool && y->contact;
    tdi_coupled_solve(y, &n->predicted_decrease);
    n->largest = y->constraints ? 0 : n->largest; // earlier increments may have changed
    if (shared) {
        tdi_system_each(y, update_turn, (void *)y);
    }
    for (int32_t k = 0; k < y->count; k++) {
        if (!y->constraints && !is_coupled(y, k)) {
            continue;
        }
        if (!shared) {
            tdi_coupled_update_increments(y, k);
        }
        note_largest(n, !last ? 0 : shared ? y->contact->solve.part[k] : largest_of(y, k));
    }
}

// Constraints and contact between segments change the increments. False: with them the model has no
// least value.
static bool couple(tdi_newton_run *n) {
    const tdi_system *y = n->system;
    const bool gradients =
        y->contact && y->contact->terms.couples_capsules && !tdi_coupled_with_contact(y);
    if (tdi_coupled_any(y)) {
        solve_coupled(n, !gradients);
    }
    n->largest = gradients ? 0 : n->largest;
    if (gradients && !solve_contact(n)) {
        return false;
    }
    for (int32_t k = 0; gradients && k < y->count; k++) {
        note_largest(n, largest_of(y, k));
    }
    return true;
}

// Forces of constraints follow from the increments; without contact the poses are kept and moved.
static void finish_constraints(tdi_newton_run *n) {
    const tdi_system *y = n->system;
    if (y->constraints) {
        tdi_constraints_update_multipliers(y->constraints, y, &n->predicted_decrease);
    }
    if (y->constraints && !y->contact) {
        // with rows between segments the factors do not predict how children follow
        tdi_system_attempt(y, !tdi_constraints_couple(y->constraints));
    }
}

// ---- increments -----------------------------------------------------------------------------

// Moves the bodies to the start of the step, with prescribed motions at their end, if the value is
// less there than at the guess.
static bool starts_lower(const tdi_system *y) {
    const td_real value = tdi_system_value(y);
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        tdi_state_guess(m->body, false);
        if (m->body->ops->drive) {
            m->body->ops->drive(m->body, 1, true);
        }
    }
    if (tdi_system_value(y) < value) {
        return true;
    }
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_guess(y->member[k].body, true);
    }
    return false;
}

// A guess with an indefinite Hessian may lie in another valley, above the start of the step: energy
// would rise.
static td_status factor_first(tdi_newton_run *n, bool with_driven) {
    const tdi_system *y = n->system;
    const bool guessed = !y->contact && !n->opts->rest && !(y->budget && y->budget->truncated);
    const td_status status = factor(n, with_driven);
    return status == TD_OK && !tdi_is_spent(y->budget) && guessed && tdi_newton_is_modified(n) &&
                   starts_lower(y)
               ? factor(n, with_driven)
               : status;
}

// ---- long chains with constraints -----------------------------------------------------------

// After increments that were taken although the value rose: returns to their start, if the new ones
// are not clearly smaller.
static bool rejects_rise(tdi_newton_run *n) {
    const bool back = n->rise == TDI_RISE_TAKEN && !(n->largest < SHRINKS * n->risen);
    if (n->rise == TDI_RISE_TAKEN) {
        n->rise = back ? TDI_RISE_REFUSED : TDI_RISE_ALLOWED;
    }
    if (back) {
        n->model.next = TDI_MODEL_EXACT;
        tdi_system_place(n->system, 0);
    }
    return back;
}

// The first increments of a step with constraints are not taken where the exact Hessian is not
// positive definite: they only predict the forces.
static bool only_predicts_forces(tdi_newton_run *n) {
    const bool first = n->forces == TDI_FORCES_TO_NOTE || n->forces == TDI_FORCES_PREVIOUS;
    n->forces = first ? TDI_FORCES_NOTED : n->forces;
    if (!first || n->model.used == TDI_MODEL_EXACT) {
        return false;
    }
    td_real predicted_decrease = 0;
    tdi_constraints_update_multipliers(n->system->constraints, n->system, &predicted_decrease);
    n->model.next = TDI_MODEL_EXACT;
    return true;
}

td_status tdi_newton_solve(tdi_newton_run *n, bool with_driven) {
    const tdi_system *y = n->system;
    for (int32_t k = 0; k < TDI_SHIFT_TRIES; k++) {
        const bool first = n->at_start && k == 0;
        const td_status status = first ? factor_first(n, with_driven) : factor(n, with_driven);
        if (status != TD_OK || tdi_is_spent(y->budget)) {
            return status;
        }
        if (!y->constraints) {
            tdi_newton_increments(n, !y->contact && !n->opts->rest);
        }
        if (isfinite(n->largest) && !couple(n)) {
            tdi_newton_soften(n);
            n->model.next = n->model.used;
        } else if (!rejects_rise(n) && !only_predicts_forces(n)) {
            finish_constraints(n);
            n->solved = true;
            return TD_OK;
        }
    }
    return TD_ERR_DIVERGED;
}
