// SPDX-License-Identifier: MIT
// Newton's method on the incremental potential of a system.
//
// Models    The exact Hessian first. Where it is not positive definite, or its increment is not a
//           descent direction, the Hessian of contact is replaced by a positive semi-definite
//           model, then that of the bodies too, with as much inertia added as is needed.
// Search    Backtracking line search: the whole increment is tried; when the value falls by less
//           than a fraction of what the slope predicts, half of it, and so on. Small increments of
//           a system without contact are accepted without evaluating the value: there the quadratic
//           model is exact to rounding.
// Stopping  The error that an increment x leaves is about c x^2, with c from the last two
//           increments, which ends the iteration before the increment itself is below the
//           tolerance.
// Driven    Colliders, bases and held ends have prescribed positions. Until these have reached the
//           end of the step, increments include their remaining motion to first order, and the
//           value may rise. Where such an increment is cut short, increments with the prescribed
//           positions fixed follow, which open the gaps again.

#include "base/diag.h"
#include "implicit/hold.h"
#include "implicit/touch.h"

#include <math.h>

#define SMALL_STEP     0.03  // rad or m: below this the value of a step need not be looked at
#define SMALL_POSITIVE 1e-3  // likewise of a positive model, which is off by more
#define SMALL_MOVE     1e-6  // an increment that cannot be judged by the value any more
#define SMALL_EXACT    1e-10 // likewise with exact contact, which is stiff
#define HALVINGS       30
#define FARTHEST       1.0   // rad or m: no further along negative curvature
#define LIMITED        0.99  // of the longest increment: where a part was limited, but for rounding
#define DESCENT        1e-4  // of what the slope promises
#define ROUNDING       1e-13 // of the value: a promise below this cannot be seen
#define LEAST_GROWTH   1.0   // 1/rad: c of the error left is not taken to be less
#define LEFT           0.1   // of the tolerance may be left

#define SHIFT_MORE  8.0 // when a model is not positive definite
#define SHIFT_TRIES 40
#define SHIFT_LESS  0.25 // in statics, after an increment that was taken whole
#define SHIFT_CUT   0.3  // of an increment: after less than this the shift grows
#define SHIFT_GROWS 4.0
#define RAISED_CUT  0.01 // of a raised increment: after less than this none is asked for
#define LEAST_SHIFT 1e-6 // of the first
#define MOST_SHIFT  1e10 // of the first

#define REUSE_BELOW 0.025 // rad or m: after smaller increments factors are used once more
#define WORTHWHILE  0.2   // of the last increment: what old factors must reach

// while something is driven
#define SHORTENED 0.8  // of what is free, since bodies turn and points do not go straight
#define SHORTEST  0.25 // of it: less is in the way of a part of a turn than of the whole
#define CLOSED \
    0.75                 // of a gap is left where something is carried: Newton's method opens gaps
                         // that are far too small by half
#define ENTERED      0.5 // of the range is left of larger ones
#define MOST_CARRIES 200 // iterations in which driven things come along

// Models of the Hessian, each for when those before it have failed.
typedef enum level { EXACT, CONVEX, POSITIVE } level; // CONVEX: of contact; POSITIVE: bodies too

typedef struct newton {
    const tdi_system *system;
    const tdi_newton_opts *opts;
    td_step_stats *stats;
    td_diag *diag;
    level next;               // the first model to be tried in the next iteration
    level used;               // in this
    bool raised;              // it was made positive where it was not
    bool wary;                // that is not asked for any more
    td_real shift, first;     // 1/s^2: now, and the first that is tried
    td_real before;           // the last increment, if it was whole and not of a positive model
    td_real promise;          // minus the slope along the increments
    td_real largest;          // increment
    bool direct;              // bodies that touch are factored as one
    bool offers_reuse, reuse; // of factors: by all bodies, and in the next iteration
    bool fresh;               // nothing is known of the step yet
    bool guessed;             // the poses are those of a guess, and nothing is in its way
} newton;

// ---- all bodies -----------------------------------------------------------------------------

static td_real value_of(const tdi_system *y) {
    td_real sum = y->touch ? tdi_touch_value(y->touch, y) : 0;
    sum += tdi_holds_value(y->holds, y);
    for (int32_t k = 0; k < y->count; k++) {
        sum += y->member[k].ops->value(y->member[k].body);
    }
    return sum;
}

// The value at the poses that were kept, where contact was evaluated, if all bodies can tell it
// without going there.
static bool value_of_kept(const tdi_system *y, td_real *value) {
    *value = (y->touch ? y->touch->energy : 0) + tdi_holds_value_kept(y->holds);
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        if (!m->ops->value_kept) {
            return false;
        }
        *value += m->ops->value_kept(m->body);
    }
    return true;
}

static void keep_all(const tdi_system *y) {
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_keep(y->member[k].ops, y->member[k].body);
    }
}

static void try_all(const tdi_system *y, td_real fraction) {
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_try(y->member[k].ops, y->member[k].body, fraction);
    }
}

// The same where each has its part of the fraction.
static void try_parts(const tdi_system *y, td_real fraction) {
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_try(y->member[k].ops, y->member[k].body, y->touch->part[k] * fraction);
    }
}

static void drive_all(const tdi_system *y, td_real time) {
    for (int32_t k = 0; k < y->count; k++) {
        if (y->member[k].ops->drive) {
            y->member[k].ops->drive(y->member[k].body, time);
        }
    }
}

static td_real longest_of(const tdi_system *y, bool rest) {
    td_real least = INFINITY;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_implicit *ops = y->member[k].ops;
        const td_real own = rest ? ops->longest_rest : ops->longest;
        least = own > 0 ? fmin(least, own) : least;
    }
    return least;
}

// ---- factors --------------------------------------------------------------------------------

// The worst of all bodies.
static tdi_factored factor_all(newton *n, const tdi_model *model) {
    const tdi_system *y = n->system;
    n->direct = y->touch && !tdi_holds_couple(y->holds) && tdi_direct_plan(y->touch, y);
    for (int32_t k = 0; k < y->count; k++) {
        if (y->member[k].ops->clear) {
            y->member[k].ops->clear(y->member[k].body);
        }
    }
    if (y->touch) {
        tdi_touch_expand(y->touch, y);
    }
    tdi_holds_expand(y->holds, y, n->used == EXACT, model->positive);
    tdi_factored worst = TDI_POSITIVE;
    for (int32_t k = 0; k < y->count && worst != TDI_NOT_POSITIVE; k++) {
        tdi_model asked = *model;
        asked.blocks = n->direct && tdi_direct_joins(y->touch, k);
        tdi_factored own = y->member[k].ops->factor(y->member[k].body, &asked);
        worst = own < worst ? own : worst;
    }
    if (n->direct && worst != TDI_NOT_POSITIVE && !tdi_direct_factor(y->touch, y)) {
        return TDI_NOT_POSITIVE;
    }
    return worst;
}

// The next model, when one is not positive definite or does not go down.
static void soften(newton *n) {
    if (n->used < POSITIVE) {
        const bool both = n->system->touch || n->system->holds;
        n->used = n->used == EXACT && both ? CONVEX : POSITIVE;
        if (n->used == POSITIVE && n->opts->rest && n->shift == 0) {
            n->shift = n->first;
        }
    } else {
        n->shift = n->shift > 0 ? SHIFT_MORE * n->shift : n->first;
    }
}

// Factors a model that is positive definite.
static td_status factor(newton *n, bool carry) {
    tdi_touch *t = n->system->touch;
    n->used = n->next;
    tdi_holds_evaluate(n->system->holds, n->system);
    for (int32_t tries = 0; tries < SHIFT_TRIES;) {
        if (t) {
            td_status status = tdi_touch_evaluate(t, n->system, n->used == EXACT, carry, n->diag);
            if (status != TD_OK) {
                return status;
            }
        }
        const tdi_model model = {.positive = n->used == POSITIVE,
                                 .shift = n->used == POSITIVE ? n->shift : 0,
                                 .tries = tries,
                                 .raise = !n->wary,
                                 .touched = t || n->system->holds,
                                 .carry = carry};
        tdi_factored result = factor_all(n, &model);
        if (result != TDI_NOT_POSITIVE) {
            n->raised = result == TDI_RAISED;
            n->stats->raised += model.positive || n->raised;
            return TD_OK;
        }
        tries += n->used == POSITIVE;
        soften(n);
    }
    return TD_ERR_DIVERGED;
}

static void note_largest(newton *n, td_real x) {
    n->largest = x <= n->largest ? n->largest : x; // keeps what is not a number
}

// The largest increment of a member, when something has changed them.
static td_real largest_of(const tdi_system *y, int32_t k) {
    const tdi_member *m = &y->member[k];
    const tdi_coords *c = &((const tdi_solver_state *)m->body)->coords;
    td_real most = 0;
    if (m->ops->largest || y->touch) {
        return m->ops->largest ? m->ops->largest(m->body) : tdi_touch_largest(y->touch, y, k);
    }
    for (int32_t i = 0; i < c->count; i++) {
        const td_real x = fabs(c->increment[i]);
        most = x <= most ? most : x;
    }
    return most;
}

// Increments; alone, without contact or constraints, the poses are kept and moved by all of them.
static void solve_all(newton *n, bool limited) {
    const tdi_system *y = n->system;
    n->largest = n->promise = 0;
    if (n->direct) {
        tdi_direct_solve(y->touch, y, &n->promise);
    }
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_implicit *ops = y->member[k].ops;
        void *body = y->member[k].body;
        const bool alone = !y->touch && !y->holds, fused = alone && ops->attempt;
        if (n->direct && tdi_direct_joins(y->touch, k)) {
            note_largest(n, largest_of(y, k));
            continue;
        }
        note_largest(n, fused ? ops->attempt(body, limited, &n->promise)
                              : ops->solve(body, limited, &n->promise));
        if (alone && !fused) {
            tdi_state_keep(ops, body);
            tdi_state_try(ops, body, 1);
        }
    }
}

static void solve_all_again(newton *n) {
    const tdi_system *y = n->system;
    n->largest = 0;
    for (int32_t k = 0; k < y->count; k++) {
        note_largest(n, y->member[k].ops->solve_again(y->member[k].body));
    }
}

// Contact between segments changes the increments. Its tolerance is a part of the promise, which
// must not be that of K.
static bool touch(newton *n) {
    const tdi_system *y = n->system;
    const td_real own = tdi_holds_slope(y->holds, y);
    n->promise += own;
    const bool fine = tdi_touch_solve(y->touch, y, &n->promise, &n->stats->gradient_steps);
    n->promise -= own;
    return fine;
}

// Constraints and contact between segments change the increments. False: with them the model has no
// least value.
static bool couple(newton *n) {
    const tdi_system *y = n->system;
    const bool touches = y->touch && y->touch->coupled && !n->direct,
               holds = tdi_holds_couple(y->holds);
    if ((holds && !tdi_holds_solve(y->holds, y, &n->promise)) || (touches && !touch(n))) {
        return false;
    }
    n->largest = touches || holds ? 0 : n->largest;
    for (int32_t k = 0; (touches || holds) && k < y->count; k++) {
        note_largest(n, largest_of(y, k));
    }
    return true;
}

// Forces of constraints follow from the increments; without contact the poses are kept and moved.
static void finish_holds(newton *n) {
    const tdi_system *y = n->system;
    if (y->holds) {
        tdi_holds_finish(y->holds, y, &n->promise);
    }
    if (y->holds && !y->touch) {
        keep_all(y);
        try_all(y, 1);
    }
}

// ---- moves ----------------------------------------------------------------------------------

// Takes as much of the increments, at most `fraction`, as lowers the value: how much. `there`: they
// are tried already.
static td_real search(newton *n, td_real value, td_real fraction, bool there) {
    for (int32_t k = 0; k < HALVINGS; k++) {
        if (k > 0 || !there) {
            try_all(n->system, fraction);
        }
        if (value_of(n->system) <=
            value - DESCENT * fraction * n->promise + ROUNDING * fabs(value)) {
            return fraction;
        }
        fraction *= 0.5;
        n->stats->halvings++;
    }
    try_all(n->system, 0);
    return 0;
}

// Goes further along an increment of negative curvature while the value falls: the model, which
// turned the curvature's sign, says nothing of how far that is.
static void stretch(newton *n, td_real longest) {
    td_real value = value_of(n->system), fraction = 1;
    while (2 * fraction * n->largest < longest) {
        try_all(n->system, 2 * fraction);
        td_real next = value_of(n->system);
        if (!(next < value)) {
            try_all(n->system, fraction);
            return;
        }
        value = next;
        fraction *= 2;
    }
}

// Parts that want to move far were limited, each by itself, and what they carry follows that; it
// need not go down. Then all increments are made shorter alike, which does.
static td_real search_limited(newton *n, td_real longest) {
    td_real value;
    const bool there = value_of_kept(n->system, &value); // and the whole increment is tried
    if (!there) {
        try_all(n->system, 0);
        value = value_of(n->system);
    }
    if (!isfinite(value)) {
        return value;
    }
    if (n->system->holds && there && fabs(n->promise) <= ROUNDING * fabs(value)) {
        return 1; // the value cannot judge it
    }
    if (!n->opts->rest && !n->system->holds && n->largest > LIMITED * longest) {
        if (!there) {
            try_all(n->system, 1);
        }
        if (value_of(n->system) <= value) {
            return 1;
        }
        try_all(n->system, 0);
        n->stats->halvings++;
        solve_all(n, false);
    }
    return n->largest > longest ? search(n, value, longest / n->largest, false)
                                : search(n, value, 1, there);
}

// Without contact; solve has moved the poses by all of the increments. Not finite when the value is
// not.
static td_real move_freely(newton *n) {
    const td_real longest = longest_of(n->system, n->opts->rest);
    const bool doubtful = n->used == POSITIVE || n->raised;
    const td_real small = n->opts->rest || (doubtful && n->system->holds) ? SMALL_MOVE
                          : doubtful                                      ? SMALL_POSITIVE
                                                                          : SMALL_STEP;
    if (n->largest < small) {
        return 1;
    }
    td_real taken = search_limited(n, longest);
    if (doubtful && !n->opts->rest && taken == 1) {
        stretch(n, fmin(longest, FARTHEST));
    }
    return taken;
}

static td_real time_after(const tdi_touch *t, td_real fraction) {
    return fraction >= 1 ? 1 : t->time + fraction * (1 - t->time);
}

// As much of the increments, no more than *fraction, as nothing is in the way of. Those that carry
// what is driven may close no gap by more than an iteration opens it again; `room` is there at the
// start. False: none.
static bool go(const tdi_system *y, bool carry, td_real room, td_real *fraction) {
    tdi_touch *t = y->touch;
    for (int32_t k = 0; k < HALVINGS; k++) {
        td_real time = carry ? time_after(t, *fraction) : t->time;
        if (carry) {
            drive_all(y, time);
        }
        try_all(y, *fraction);
        if (t->exact) {
            return true;
        }
        td_real part = tdi_touch_way(t, y, time);
        if (part < 1) {
            *fraction *= fmax(k > 0 ? SHORTENED * part : part, SHORTEST);
        } else if (carry && tdi_touch_room(t, time) < CLOSED * fmin(room, ENTERED)) {
            *fraction *= 0.5;
        } else {
            return true;
        }
    }
    return false;
}

// As much of each body's increments as nothing is in the way of, so that what hits something does
// not hold up all others: `part` of the fraction. Gives the least part; 0: none was found.
static td_real go_apart(const tdi_system *y, td_real fraction) {
    tdi_touch *t = y->touch;
    td_real least = 1;
    for (int32_t k = 0; k < y->count; k++) {
        t->part[k] = 1;
    }
    for (int32_t round = 0; round < HALVINGS; round++) {
        try_parts(y, fraction);
        if (tdi_touch_ways(t, y)) {
            return least;
        }
        for (int32_t k = 0; k < y->count; k++) {
            const td_real free = round > 0 ? SHORTENED * t->free[k] : t->free[k];
            t->part[k] *= t->free[k] < 1 ? fmax(free, SHORTEST) : 1;
            least = fmin(least, t->part[k]);
        }
    }
    return 0;
}

// Moves each body as far as its own way is free, if that lowers the value. Gives the least part of
// an increment that was taken; 0: none.
static td_real move_apart(newton *n, td_real value, td_real fraction, bool searched) {
    const td_real least = go_apart(n->system, fraction);
    const bool falls =
        least > 0 &&
        (!searched || value_of(n->system) <= value - DESCENT * least * fraction * n->promise);
    return falls ? least * fraction : 0;
}

// With contact: as much of the increments as is free and, unless they carry something, lowers the
// value. Not finite when the value is not.
static td_real move_touching(newton *n, bool carry) {
    const tdi_system *y = n->system;
    tdi_touch *t = y->touch;
    const td_real longest = longest_of(y, n->opts->rest);
    const bool jumps =
        t->exact && n->fresh && tdi_planes_hit(t->set); // so that all planes act at once
    bool searched = !carry && !jumps && n->largest >= (t->exact ? SMALL_EXACT : SMALL_MOVE);
    n->fresh = false;
    td_real value = 0, fraction = n->largest > longest ? longest / n->largest : 1;
    const td_real room = carry ? tdi_touch_room(t, t->time) : 1;
    tdi_touch_keep(t, y);
    keep_all(y);
    if (searched) {
        if (!value_of_kept(y, &value)) {
            try_all(y, 0);
            value = value_of(y);
        }
        if (!isfinite(value)) {
            return value;
        }
        searched = n->promise > ROUNDING * fabs(value);
    }
    const bool free = y->count > 1 && !t->exact && !tdi_holds_couple(y->holds);
    const td_real apart = !carry && free ? move_apart(n, value, fraction, searched) : 0;
    if (apart > 0) {
        return apart;
    }
    for (int32_t k = 0; k < HALVINGS && go(y, carry, room, &fraction); k++) {
        if (!searched || value_of(y) <= value - DESCENT * fraction * n->promise) {
            t->time = carry ? time_after(t, fraction) : t->time;
            return fraction;
        }
        fraction *= 0.5;
        n->stats->halvings++;
    }
    if (carry) {
        drive_all(y, t->time);
    }
    try_all(y, 0);
    return 0;
}

// ---- iterations -----------------------------------------------------------------------------

// Increments with the factors of an iteration before. False: they did not shrink enough.
static bool correct(newton *n) {
    solve_all_again(n);
    n->used = EXACT;
    n->raised = false;
    if (n->largest > WORTHWHILE * n->before || !isfinite(n->largest)) {
        n->reuse = n->offers_reuse = false; // what one did not, others of this step will not
        return false;
    }
    keep_all(n->system);
    try_all(n->system, 1);
    return true;
}

// Puts the bodies where the step began, with all that is driven at the end of its way, if the value
// is less there than at the guess.
static bool starts_lower(const tdi_system *y) {
    const td_real value = value_of(y);
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        tdi_state_guess(m->ops, m->body, false);
        if (m->ops->stand) {
            m->ops->stand(m->body);
        }
    }
    if (value_of(y) < value) {
        return true;
    }
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_guess(y->member[k].ops, y->member[k].body, true);
    }
    return false;
}

// A guess at which the Hessian is not positive may lie in the valley of another least value, above
// where the step began: energy would rise.
static td_status factor_first(newton *n, bool carry) {
    td_status status = factor(n, carry);
    const bool doubtful = n->used == POSITIVE || n->raised;
    if (status == TD_OK && n->guessed && doubtful && starts_lower(n->system)) {
        status = factor(n, carry);
    }
    n->guessed = false;
    return status;
}

// Increments of a model that has a least value.
static td_status find_increments(newton *n, bool carry) {
    const tdi_system *y = n->system;
    for (int32_t k = 0; k < SHIFT_TRIES; k++) {
        td_status status = factor_first(n, carry);
        if (status != TD_OK) {
            return status;
        }
        solve_all(n, !y->touch && !y->holds && !n->opts->rest);
        if (!isfinite(n->largest) || couple(n)) {
            finish_holds(n);
            return TD_OK;
        }
        soften(n);
        n->next = n->used;
    }
    return TD_ERR_DIVERGED;
}

// One iteration: how much of the increments was taken.
static td_status iterate(newton *n, bool carry, td_real *taken) {
    const tdi_system *y = n->system;
    td_status status = find_increments(n, carry);
    if (status != TD_OK) {
        return status;
    }
    n->stats->iterations++;
    n->stats->last_move = n->largest;
    if (!isfinite(n->largest)) {
        return TD_ERR_DIVERGED;
    }
    *taken = y->touch ? move_touching(n, carry) : move_freely(n);
    return isfinite(*taken) ? TD_OK : TD_ERR_DIVERGED;
}

// What comes after an iteration that was not the last.
static void go_on(newton *n, td_real taken, bool whole) {
    n->before = whole ? n->largest : 0;
    n->offers_reuse = n->offers_reuse && whole; // where one was cut, the Hessian changes too fast
    n->reuse = n->used == EXACT && n->offers_reuse && n->largest < REUSE_BELOW;
    if (taken == 0) {
        tdi_holds_revert(n->system->holds);
        soften(n);
        n->next = n->used;
        return;
    }
    // a raised model that goes nowhere has nearly no curvature in some direction, and will again
    n->wary = n->wary || (n->raised && taken < RAISED_CUT);
    n->next = EXACT;
    if (n->used == POSITIVE && n->shift > 0) {
        td_real less = n->opts->rest ? SHIFT_LESS : 0;
        n->shift *= taken == 1 ? less : taken < SHIFT_CUT ? SHIFT_GROWS : 1;
        n->shift = n->opts->rest ? fmax(n->shift, LEAST_SHIFT * n->first) : n->shift;
    }
}

// The error that an increment leaves: squared by new factors, shrunk by a factor with old ones.
static td_real error_left(const newton *n, bool reused) {
    td_real q = n->largest / n->before;
    return reused ? (q < 1 ? q / (1 - q) * n->largest : n->largest)
                  : fmax(LEAST_GROWTH, q / n->before) * n->largest * n->largest;
}

// Whether the last increment was the last. `whole`: it was taken whole, and not of a positive
// model.
static bool is_done(const newton *n, td_real taken, bool whole, bool calm, bool reused) {
    const td_real tolerance = n->opts->tolerance;
    const bool held_back = n->used == POSITIVE && n->shift > LEAST_SHIFT * n->first;
    if (taken == 0) { // no descent is left: rounding
        return n->largest < SMALL_MOVE || (n->used == POSITIVE && n->shift > MOST_SHIFT * n->first);
    }
    bool close = whole && n->before > 0 && error_left(n, reused) <= LEFT * tolerance;
    return (n->largest <= tolerance && taken == 1 && calm && !held_back) || close;
}

// ---- what is driven -------------------------------------------------------------------------

// Lets what is driven go to the end while the rest stands still, if there is room for it.
static void jump(const tdi_system *y) {
    tdi_touch *t = y->touch;
    tdi_touch_keep(t, y);
    keep_all(y);
    td_real room = tdi_touch_room(t, t->time);
    for (int32_t k = 0; k < y->count; k++) {
        if (y->member[k].ops->stand) {
            y->member[k].ops->stand(y->member[k].body);
        }
    }
    if (tdi_touch_way(t, y, 1) >= 1 && tdi_touch_room(t, 1) >= CLOSED * fmin(room, ENTERED)) {
        t->time = 1;
        return;
    }
    drive_all(y, t->time);
    try_all(y, 0);
}

static td_status bring_along(newton *n) {
    tdi_touch *t = n->system->touch;
    bool between = false;
    for (int32_t k = 0; t && t->time < 1; k++) {
        td_real taken = 0;
        n->next = between ? EXACT : CONVEX;
        td_status status = iterate(n, !between, &taken);
        if (status != TD_OK || k == MOST_CARRIES) {
            return status == TD_ERR_LIMIT
                       ? status
                       : tdi_fail(n->diag, TD_ERR_DIVERGED,
                                  "there is no room: colliders, bases or held ends squeeze what "
                                  "they push; move them apart, or try a smaller dt");
        }
        between = !between && tdi_touch_any(t);
        if (!between && t->time < 1) {
            jump(n->system); // what is left is soon less than a gap, and no increment is as short
        }
    }
    n->next = EXACT;
    n->shift = 0;
    return TD_OK;
}

// ---- entry ----------------------------------------------------------------------------------

static newton start(const tdi_system *y, const tdi_newton_opts *opts, td_step_stats *stats,
                    td_diag *diag) {
    newton n = {.system = y,
                .opts = opts,
                .stats = stats,
                .diag = diag,
                .fresh = true,
                .offers_reuse = !y->touch && !y->holds,
                .guessed = !y->touch && !opts->rest};
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        n.first = fmax(n.first, tdi_state_first_shift(m->ops, m->body));
        n.offers_reuse = n.offers_reuse && m->ops->solve_again;
    }
    return n;
}

td_status tdi_newton(const tdi_system *y, const tdi_newton_opts *opts, bool *converged,
                     td_step_stats *stats, td_diag *diag) {
    newton n = start(y, opts, stats, diag);
    td_status status = bring_along(&n);
    *converged = false;
    for (int32_t k = 0; k < opts->iterations && status == TD_OK; k++) {
        td_real taken = 1;
        const bool reused = n.reuse;
        if (reused) {
            stats->iterations++;
            if (!correct(&n)) {
                continue;
            }
            stats->last_move = n.largest;
        } else {
            status = iterate(&n, false, &taken);
        }
        bool calm = status == TD_OK && (!y->touch || tdi_touch_calm(y->touch, y));
        bool whole = n.used != POSITIVE && !n.raised && taken == 1 && calm;
        bool met = status == TD_OK && tdi_holds_judge(y->holds, y, n.largest, taken == 1);
        bool done = met && is_done(&n, taken, whole, calm, reused);
        if (done && y->touch && y->touch->exact) {
            status = tdi_exact_refine(y->touch, y, &done);
            whole = false;
            if (status == TD_ERR_LIMIT) {
                return TD_OK; // a shorter step may do
            }
        }
        if (status != TD_OK || done) {
            *converged = status == TD_OK;
            return status;
        }
        go_on(&n, taken, whole);
    }
    return status;
}
