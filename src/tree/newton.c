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
#define LARGEST_TURN 1.0  // rad: no joint turns further in one iteration
#define LIMITED      0.99 // of it: where a joint was limited, but for rounding
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

// with contacts
#define DESCENT   1e-4  // of what the slope promises
#define ROUNDING  1e-13 // of the value: a promise below this cannot be seen
#define SHORTENED 0.8   // of what is free, since bodies turn and points do not go straight
#define SHORTEST  0.25  // of it: less is in the way of a part of a turn than of the whole
#define CLOSED \
    0.75                  // of a gap is left where something is carried: Newton's method opens gaps
                          // that are far too small by half
#define ENTERED      0.5  // of the range is left of larger ones
#define MOST_CARRIES 1000 // iterations in which colliders and the base come along

// Tries fractions of the increment until the value does not rise: the fraction taken, or 0.
static td_real halve(const td_tree_model *m, td_tree_state *s, const tdi_potential *p,
                     td_pool *pool, td_real value, td_real fraction, td_step_stats *stats) {
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

// Joints that want to turn far are limited, each by itself, and their children follow that; it need
// not go down. Then all increments are made shorter alike, which does.
static td_real search(const td_tree_model *m, td_tree_state *s, const tdi_potential *p,
                      td_pool *pool, td_real largest, td_step_stats *stats) {
    tdi_tree_try(m, s, pool, 0);
    const td_real value = tdi_potential_value(m, s, pool, p);
    if (p->inertia && largest > LIMITED * LARGEST_TURN) {
        tdi_tree_try(m, s, pool, 1);
        if (tdi_potential_value(m, s, pool, p) <= value) {
            return 1;
        }
        tdi_tree_try(m, s, pool, 0);
        stats->halvings++;
        largest = tdi_sweep_out(m, s, pool, HUGE_VAL, true);
    }
    return halve(m, s, p, pool, value, fmin(1, LARGEST_TURN / largest), stats);
}

// Goes further along an increment of negative curvature while the value falls: the model, which
// turned the curvature's sign, says nothing of how far that is.
static void stretch(const td_tree_model *m, td_tree_state *s, const tdi_potential *p, td_pool *pool,
                    td_real largest) {
    td_real value = tdi_potential_value(m, s, pool, p), fraction = 1;
    while (2 * fraction * largest < LARGEST_TURN) {
        tdi_tree_try(m, s, pool, 2 * fraction);
        td_real next = tdi_potential_value(m, s, pool, p);
        if (!(next < value)) {
            tdi_tree_try(m, s, pool, fraction);
            return;
        }
        value = next;
        fraction *= 2;
    }
}

// Factors the model at the pose: the full Hessian if that is positive and `tame` does not forbid
// it. In a step it is raised where it is not; in statics, and where that does not go down, tame.
static bool factor(const td_tree_model *m, td_tree_state *s, const tdi_potential *p, td_pool *pool,
                   bool tame, td_step_stats *stats) {
    for (bool now = tame;; now = true) {
        const tdi_potential_at at = {m, s, p, now, tdi_terms_widest()};
        const tdi_terms terms = {tdi_potential_balls, tdi_potential_other, &at, now,
                                 p->inertia && !now};
        tdi_loads_expand(s, &p->loads);
        bool fine = tdi_sweep_in(m, s, pool, &terms);
        if (fine || now || terms.raise) {
            stats->raised += now || !fine;
            return fine && !now;
        }
    }
}

// The error that an increment leaves, from how the iteration converged from the one before.
static td_real error_left(td_real increment, td_real before) {
    return fmax(LEAST_GROWTH, increment / (before * before)) * increment * increment;
}

// ---- with contacts --------------------------------------------------------------------------

// Models of the Hessian, each for when those before it have failed.
typedef enum hessian { EXACT, CONVEX, TAME } hessian; // CONVEX: contacts; TAME: bodies too

typedef struct touching {
    const td_tree_model *model;
    td_tree_state *state;
    const tdi_potential *potential;
    td_tree_contacts *contacts;
    td_pool *pool;
} touching;

static td_status factor_touching(const touching *y, bool carry, hessian *level,
                                 td_step_stats *stats) {
    for (;; (*level)++) {
        const bool tame = *level == TAME, exact = *level == EXACT;
        const tdi_potential_at at = {y->model, y->state, y->potential, tame, tdi_terms_widest()};
        const tdi_terms terms = {tdi_potential_balls, tdi_potential_other, &at, tame, false};
        td_status status = tdi_tree_contacts_evaluate(y->contacts, y->state, exact, carry);
        if (status != TD_OK) {
            return status;
        }
        tdi_loads_expand(y->state, &y->potential->loads);
        tdi_tree_contacts_expand(y->contacts, y->state);
        if (tdi_sweep_in(y->model, y->state, y->pool, &terms) || tame) {
            stats->raised += tame;
            return TD_OK;
        }
    }
}

static td_real value_touching(const touching *y) {
    return tdi_potential_value(y->model, y->state, y->pool, y->potential) +
           tdi_tree_contacts_value(y->contacts, y->state);
}

// The slope along the increments, before the pose is kept: sum of (n, f).V over bodies and of g.y
// over joints. Contacts are as they were evaluated.
static td_real slope_touching(const touching *y) {
    const td_tree_model *m = y->model;
    td_tree_state *s = y->state;
    const tdi_potential_at at = {m, s, y->potential, false, NULL};
    td_real sum = 0;
    tdi_loads_expand(s, &y->potential->loads);
    tdi_tree_contacts_expand(y->contacts, s);
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_node *node = &s->node[i];
        const tdi_twist *move = &node->move;
        tdi_term t;
        if (m->kind[i] == TD_JOINT_BALL) {
            const td_vec3 up =
                m->parent[i] == TD_NONE ? tdi_vec3(0, 0, 0) : s->node[m->parent[i]].move.w;
            tdi_potential_balls(&at, i, 1, &t);
            sum += tdi_dot(tdi_vec3(t.g[0], t.g[1], t.g[2]), tdi_sub(move->w, up));
        } else {
            const td_real *step = s->other[m->other_place[i]].step;
            tdi_potential_other(&at, i, &t);
            for (int32_t d = 0; d < m->dof[i + 1] - m->dof[i]; d++) {
                sum += t.g[d] * step[d];
            }
        }
        sum += tdi_dot(t.load.n, move->w) + tdi_dot(t.load.f, move->v);
        if (s->summed[i]) {
            sum += tdi_dot(node->load.n, move->w) + tdi_dot(node->load.f, move->v);
            s->summed[i] = 0;
        }
    }
    return sum;
}

static td_real time_after(const td_tree_contacts *c, td_real fraction) {
    return fraction >= 1 ? 1 : c->time + fraction * (1 - c->time);
}

// As much of the increments, no more than *fraction, as nothing is in the way of. Those that carry
// the base and the colliders along may close no gap by more than an iteration opens it again;
// `room` is there at the start. False: none.
static bool go(const touching *y, bool carry, td_real room, td_real *fraction) {
    td_tree_contacts *c = y->contacts;
    for (int32_t k = 0; k < MAX_HALVINGS; k++) {
        td_real time = carry ? time_after(c, *fraction) : c->time;
        if (carry) {
            tdi_tree_contacts_base(c, y->state, time);
        }
        tdi_tree_try(y->model, y->state, y->pool, *fraction);
        td_real part = tdi_tree_contacts_way(c, y->state, time);
        if (part < 1) {
            *fraction *= fmax(k > 0 ? SHORTENED * part : part, SHORTEST);
        } else if (carry && tdi_tree_contacts_room(c, time) < CLOSED * fmin(room, ENTERED)) {
            *fraction *= 0.5;
        } else {
            return true;
        }
    }
    return false;
}

// Takes as much of the increments as is free and, unless they carry something, lowers the value:
// how much.
static td_real move_touching(const touching *y, bool carry, hessian level, td_real largest,
                             td_step_stats *stats) {
    td_tree_contacts *c = y->contacts;
    const td_real small = tdi_tree_contacts_any(c) ? SMALL_MOVE
                          : level == TAME          ? SMALL_TAME
                                                   : SMALL_STEP;
    bool searched = !carry && largest >= small;
    td_real value = searched ? value_touching(y) : 0, slope = searched ? slope_touching(y) : 0;
    td_real fraction = largest > LARGEST_TURN ? LARGEST_TURN / largest : 1;
    searched = searched && fabs(slope) > ROUNDING * fabs(value);
    const td_real room = carry ? tdi_tree_contacts_room(c, c->time) : 1;
    tdi_tree_keep(y->model, y->state);
    tdi_tree_contacts_keep(c, y->state);
    for (int32_t k = 0; k < MAX_HALVINGS && go(y, carry, room, &fraction); k++) {
        if (!searched || value_touching(y) <= value + DESCENT * fraction * slope) {
            c->time = carry ? time_after(c, fraction) : c->time;
            return fraction;
        }
        fraction *= 0.5;
        stats->halvings++;
    }
    if (carry) {
        tdi_tree_contacts_base(c, y->state, c->time);
    }
    tdi_tree_try(y->model, y->state, y->pool, 0);
    return 0;
}

// One iteration: the largest increment, and how much of it was taken.
static td_status iterate_touching(const touching *y, bool carry, hessian *level, td_real *taken,
                                  td_step_stats *stats) {
    td_tree_state *s = y->state;
    td_status status = factor_touching(y, carry, level, stats);
    if (status != TD_OK) {
        return status;
    }
    if (carry) {
        s->base_move = tdi_tree_contacts_base_left(y->contacts, s);
    }
    td_real largest = tdi_sweep_out(y->model, s, y->pool, HUGE_VAL, false);
    s->base_move = (tdi_twist){{0, 0, 0}, {0, 0, 0}};
    stats->iterations++;
    stats->last_move = largest;
    if (!isfinite(largest)) {
        return TD_ERR_DIVERGED;
    }
    *taken = move_touching(y, carry, *level, largest, stats);
    return TD_OK;
}

// Lets colliders and the base go to the end while the joints stand still, if there is room for it.
static void jump(const touching *y) {
    td_tree_contacts *c = y->contacts;
    tdi_tree_contacts_keep(c, y->state);
    td_real room = tdi_tree_contacts_room(c, c->time);
    tdi_tree_contacts_base(c, y->state, 1);
    tdi_tree_place(y->model, y->state);
    if (tdi_tree_contacts_way(c, y->state, 1) >= 1 &&
        tdi_tree_contacts_room(c, 1) >= CLOSED * fmin(room, ENTERED)) {
        c->time = 1;
        return;
    }
    tdi_tree_contacts_base(c, y->state, c->time);
    tdi_tree_place(y->model, y->state);
}

// Takes colliders and the base to the end of the step. Increments that carry them follow them to
// first order; where they are cut short, others between them bring the tree back to where it is
// least pressed.
static td_status carry_touching(const touching *y, td_step_stats *stats) {
    bool correct = false;
    for (int32_t k = 0; y->contacts->time < 1; k++) {
        hessian level = correct ? EXACT : CONVEX;
        td_real taken = 0;
        td_status status = iterate_touching(y, !correct, &level, &taken, stats);
        if (status != TD_OK || k == MOST_CARRIES) {
            return status == TD_ERR_LIMIT ? status
                                          : tdi_fail(&y->contacts->fault, TD_ERR_DIVERGED,
                                                     "colliders or the base push the tree where it "
                                                     "cannot go; try a smaller dt");
        }
        correct = !correct && tdi_tree_contacts_any(y->contacts);
        if (!correct && y->contacts->time < 1) {
            jump(y); // what is left is soon less than a gap, and no increment is as short as that
        }
    }
    return TD_OK;
}

static td_status newton_touching(const touching *y, const tdi_newton_opts *opts,
                                 td_step_stats *stats) {
    hessian level = EXACT;
    td_real before = 0; // as in tdi_newton
    td_status status = carry_touching(y, stats);
    for (int32_t k = 0; k < opts->iterations && status == TD_OK; k++) {
        td_real taken = 0;
        status = iterate_touching(y, false, &level, &taken, stats);
        const td_real largest = stats->last_move;
        bool close = before > 0 && taken == 1 && level == EXACT &&
                     error_left(largest, before) <= LEFT * opts->tolerance;
        if (status != TD_OK || (taken == 1 && largest <= opts->tolerance) || close ||
            (taken == 0 && (level == TAME || largest < SMALL_MOVE))) {
            return status; // in the last case no descent is left: rounding
        }
        before = taken == 1 && level == EXACT ? largest : 0;
        level = taken == 0 ? (hessian)(level + 1) : EXACT;
    }
    stats->unconverged += status == TD_OK;
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_newton(const td_tree_model *m, td_tree_state *s, const tdi_potential *potential,
                     const tdi_newton_opts *opts, td_step_stats *stats) {
    tdi_potential p = *potential;
    if (opts->contacts) {
        const touching y = {m, s, &p, opts->contacts, opts->pool};
        return newton_touching(&y, opts, stats);
    }
    bool tame = false;
    td_real before = 0; // the last increment, if it was whole and of the full Hessian
    p.relax = p.inertia ? 0 : RELAX_START;
    for (int32_t k = 0; k < opts->iterations; k++) {
        td_real taken = 1;
        bool full = factor(m, s, &p, opts->pool, tame, stats);
        const td_real limit = p.inertia ? LARGEST_TURN : HUGE_VAL;
        td_real largest = tdi_sweep_out(m, s, opts->pool, limit, true);
        stats->iterations++;
        stats->last_move = largest;
        if (!isfinite(largest)) {
            return TD_ERR_DIVERGED;
        }
        if (!(largest < (!p.inertia ? SMALL_MOVE : full ? SMALL_STEP : SMALL_TAME))) {
            taken = search(m, s, &p, opts->pool, largest, stats);
            if (p.inertia && !full && !tame && taken == 1) {
                stretch(m, s, &p, opts->pool, largest);
            }
        }
        bool held_back = !full && p.relax > RELAX_LEAST;
        bool close = before > 0 && full && taken == 1 &&
                     error_left(largest, before) <= LEFT * opts->tolerance;
        if (((largest <= opts->tolerance || close) && !held_back) ||
            (taken == 0 && (full ? largest < SMALL_MOVE : p.relax >= RELAX_MOST))) {
            return TD_OK; // in the second case no descent is left: rounding
        }
        before = full && taken == 1 ? largest : 0;
        tame = taken == 0 && (full || (p.inertia && !tame));
        if (!full && p.relax > 0) {
            td_real change = taken == 1 ? RELAX_LESS : taken < 0.3 ? RELAX_MORE : 1;
            p.relax = fmin(fmax(change * p.relax, RELAX_LEAST), RELAX_MOST);
        }
    }
    stats->unconverged++;
    return TD_OK;
}
