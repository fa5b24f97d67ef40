// SPDX-License-Identifier: MIT
// Newton's method with a line search. Where the Hessian is not positive, inertia about the present
// pose is added to it until it is; with enough of it every increment goes down.

#include "rod/newton.h"

#include "rod/pose.h"
#include "rod/solve.h"

#include <math.h>

#define SHIFT_DYNAMIC 0.25  // of the step's own inertia: the first shift tried
#define SHIFT_STATIC  1e-4  // of the stiffest joint over its inertia: likewise
#define SHIFT_MORE    8.0   // when it does not do
#define SHIFT_LESS    0.125 // after an iteration that went well
#define SHIFT_TRIES   40
#define PLAIN_AFTER   12   // tries with the whole Hessian
#define SMALL_MOVE    1e-3 // rad: below, the potential is quadratic and needs no search
#define SMALL_STEP    0.03 // likewise of a step, which has inertia
#define TINY_MOVE     1e-6 // rad: below, rounding hides whether it goes down
#define DESCENT       1e-4 // of what the slope promises
#define HALVINGS      40
#define ROUNDING      1e-14 // of the value: a promise below this cannot be seen
#define REUSE_BELOW   0.1   // rad or m: after smaller increments factors are used once more
#define WORTHWHILE    0.2   // of the last increment: what old factors must reach
#define LEAST_SHIFT   1e-6  // of the first
#define MOST_CARRYING 200   // iterations, until all that is driven has arrived
#define LEFT          0.1   // of the tolerance: an error estimated below this needs no iteration
#define LEAST_GROWTH  0.5   // of the error's growth from increment to increment squared

// ---- one system -----------------------------------------------------------------------------

static void node_terms(const td_rod_state *s, const tdi_rod_potential *p) {
    for (int32_t i = s->model->node_count - 1; i >= 0; i--) {
        tdi_rod_node_terms(s, p, i);
    }
}

static bool eliminate(const td_rod_state *s) {
    const td_rod_model *m = s->model;
    for (int32_t k = m->part_count - 1; k >= 0; k--) {
        const tdi_rod_part *part = &m->part[k];
        if (part->ring) {
            if (!tdi_rod_eliminate_ring(s, k)) {
                return false;
            }
            continue;
        }
        for (int32_t i = part->last - 1; i >= part->first; i--) {
            if (!tdi_rod_eliminate(s, i)) {
                return false;
            }
        }
    }
    return true;
}

// Terms and elimination of a tree hand in hand, while a node is at hand.
static bool eliminate_with_terms(const td_rod_state *s, const tdi_rod_potential *p) {
    const td_rod_model *m = s->model;
    for (int32_t k = m->part_count - 1; k >= 0; k--) {
        const tdi_rod_part *part = &m->part[k];
        for (int32_t i = part->last - 1; i >= part->first; i--) {
            tdi_rod_node_terms(s, p, i);
            if (!part->ring && !tdi_rod_eliminate(s, i)) {
                return false;
            }
        }
        if (part->ring && !tdi_rod_eliminate_ring(s, k)) {
            return false;
        }
    }
    return true;
}

// How a system was eliminated.
typedef enum outcome { POSITIVE, NOT_POSITIVE, FAILED } outcome;

// Gradients and Hessians of all, eliminated; `coupled` tells that contact couples the states beyond
// what elimination sees.
static outcome eliminate_all(const tdi_rod_system *y, bool *coupled, td_diag *diag) {
    *coupled = false;
    for (int32_t k = 0; k < y->count; k++) {
        tdi_rod_clear(y->state[k]);
        tdi_rod_load_terms(y->state[k], &y->potential[k]);
    }
    if (y->contacts && tdi_rod_contacts_terms(y, coupled, diag) != TD_OK) {
        return FAILED;
    }
    if (!*coupled) {
        for (int32_t k = 0; k < y->count; k++) {
            if (!eliminate_with_terms(y->state[k], &y->potential[k])) {
                return NOT_POSITIVE;
            }
        }
        return POSITIVE;
    }
    for (int32_t k = 0; k < y->count; k++) {
        node_terms(y->state[k], &y->potential[k]);
    }
    tdi_rod_contacts_save(y);
    for (int32_t k = 0; k < y->count; k++) {
        if (!eliminate(y->state[k])) {
            return NOT_POSITIVE;
        }
    }
    return POSITIVE;
}

// A first shift: of the step's inertia, or of the fastest joint in statics.
static td_real first_shift(const tdi_rod_system *y) {
    const tdi_rod_potential *p = &y->potential[0];
    td_real most = 0;
    if (p->inertia > 0) {
        return SHIFT_DYNAMIC * p->inertia;
    }
    for (int32_t k = 0; k < y->count; k++) {
        for (int32_t i = 0; i < y->state[k]->model->node_count; i++) {
            const tdi_rod_node *n = &y->state[k]->model->node[i];
            td_real stiff = n->law.bend[0] + n->law.bend[2] + n->law.twist;
            td_real inertia = n->heft * n->length * n->length;
            most = inertia > 0 && stiff > most * inertia ? stiff / inertia : most;
        }
    }
    return SHIFT_STATIC * (most > 0 ? most : 1);
}

static void set_model(const tdi_rod_system *y, td_real shift, bool whole) {
    for (int32_t k = 0; k < y->count; k++) {
        y->potential[k].shift = shift;
        y->potential[k].whole = whole;
    }
}

// Increments of a Hessian that is positive. Leaves in *shift what was needed for that, and in *down
// the slope along them.
static td_status increments(const tdi_rod_system *y, td_real *shift, td_real *down,
                            td_step_stats *stats, td_diag *diag) {
    for (int32_t k = 0; k < SHIFT_TRIES; k++) {
        bool coupled;
        set_model(y, *shift, k < PLAIN_AFTER);
        outcome way = eliminate_all(y, &coupled, diag);
        if (way == FAILED) {
            return TD_ERR_DIVERGED;
        }
        if (way == POSITIVE) {
            stats->raised += k > 0;
            *down = coupled ? -tdi_rod_contacts_solve(y) : 0;
            for (int32_t j = 0; !coupled && j < y->count; j++) {
                *down -= tdi_rod_solve(y->state[j]);
            }
            return TD_OK;
        }
        *shift = *shift > 0 ? SHIFT_MORE * *shift : first_shift(y);
    }
    return TD_ERR_DIVERGED;
}

// ---- search ---------------------------------------------------------------------------------

static td_real value_of(const tdi_rod_system *y, bool trial) {
    td_real sum = y->contacts ? tdi_rod_contacts_value(y) : 0;
    for (int32_t k = 0; k < y->count; k++) {
        y->potential[k].trial = trial;
        sum += tdi_rod_value(y->state[k], &y->potential[k]);
        y->potential[k].trial = false;
    }
    return sum;
}

// Gradients alone, in place of those that elimination used up; factors stay.
static void gradients(const tdi_rod_system *y) {
    for (int32_t k = 0; k < y->count; k++) {
        td_rod_state *s = y->state[k];
        tdi_rod_potential *p = &y->potential[k];
        p->only_gradient = true;
        tdi_rod_clear_gradient(s);
        tdi_rod_load_terms(s, p);
        node_terms(s, p);
        p->only_gradient = false;
    }
}

static void keep_poses(const tdi_rod_system *y) {
    for (int32_t k = 0; k < y->count; k++) {
        td_rod_state *s = y->state[k];
        tdi_rod_pose *pose = s->pose;
        td_real *turn = s->turn;
        s->pose = s->pose_back;
        s->pose_back = pose;
        s->turn = s->turn_back;
        s->turn_back = turn;
    }
}

static void try_all(const tdi_rod_system *y, td_real part, tdi_rod_way way) {
    for (int32_t k = 0; k < y->count; k++) {
        tdi_rod_try(y->state[k], part, way);
    }
}

// Takes as much of the increments as lowers the potential, beginning with `part`, which is tried
// already: how much.
static td_real search(const tdi_rod_system *y, td_real part, td_real value, td_real down,
                      td_step_stats *stats) {
    if (fabs(down) <= ROUNDING * fabs(value)) {
        return part;
    }
    for (int32_t k = 0; k < HALVINGS; k++) {
        td_real now = value_of(y, true);
        if (now <= value + DESCENT * part * down) {
            return part;
        }
        part *= 0.5;
        stats->halvings++;
        try_all(y, part, y->contacts ? TDI_STRAIGHT : TDI_TURNING);
    }
    try_all(y, 0, TDI_STRAIGHT);
    return 0;
}

// ---- iteration ------------------------------------------------------------------------------

td_status tdi_rod_carry(const tdi_rod_system *y, tdi_rod_way way, td_real *part, td_diag *diag) {
    try_all(y, 1, y->contacts ? TDI_STRAIGHT : way); // contact sees straight ways
    *part = 1;
    if (y->contacts) {
        td_status status = tdi_rod_contacts_filter(y, part, diag);
        if (status != TD_OK) {
            return status;
        }
        if (*part < 1) {
            try_all(y, *part, TDI_STRAIGHT);
        }
        tdi_rod_contacts_advance(y, *part);
    }
    return TD_OK;
}

// One iteration's move along a slope: how much of the increments was taken, in *taken.
static td_status move(const tdi_rod_system *y, bool searched, td_real down, td_real *taken,
                      td_step_stats *stats, td_diag *diag) {
    bool moving = y->contacts && y->contacts->time < 1;
    for (int32_t k = 0; y->contacts && k < y->count; k++) {
        moving = tdi_rod_carry_held(y->state[k]) || moving;
    }
    // what is driven raises the potential, and has to
    searched = searched && !moving;
    td_real value = searched ? value_of(y, false) : 0;
    keep_poses(y);
    td_status status = tdi_rod_carry(y, TDI_TURNING, taken, diag);
    if (status == TD_OK && searched) {
        *taken = search(y, *taken, value, down, stats);
    }
    return status;
}

static td_real largest_of(const tdi_rod_system *y) {
    td_real most = 0;
    for (int32_t k = 0; k < y->count; k++) {
        td_real size = tdi_rod_largest(y->state[k]);
        most = size <= most ? most : size; // keeps what is not a number
    }
    return most;
}

// Increments by the factors of an iteration before.
static void corrections(const tdi_rod_system *y) {
    gradients(y);
    for (int32_t k = 0; k < y->count; k++) {
        tdi_rod_solve(y->state[k]);
    }
}

// How an iteration went, for the next.
typedef struct progress {
    td_real before; // the last increment, if it was taken whole and by the whole Hessian
    td_real shift;
    bool reuse; // the factors are good for another iteration
} progress;

// The error that an increment leaves: it shrinks by a factor with old factors, squared with new.
static td_real error_left(const progress *o, td_real largest, bool reused) {
    td_real q = largest / o->before;
    return reused ? (q < 1 ? q / (1 - q) * largest : largest)
                  : fmax(LEAST_GROWTH, q / o->before) * largest * largest;
}

static void lessen_shift(const tdi_rod_system *y, td_real taken, td_real *shift) {
    td_real least = LEAST_SHIFT * first_shift(y);
    // in a step inertia makes nearly every Hessian positive: none is tried first
    td_real less = y->potential[0].inertia > 0 ? 0 : SHIFT_LESS;
    *shift *= taken == 1 ? less : 1;
    *shift = *shift < 0.1 * least ? 0 : *shift;
}

// What is driven must arrive, though the rest may be left as it is then.
static bool on_the_way(const tdi_rod_system *y) {
    return y->contacts && !tdi_rod_contacts_arrived(y);
}

td_status tdi_rod_minimise(const tdi_rod_system *y, const tdi_rod_newton *opts,
                           td_step_stats *stats, td_diag *diag) {
    progress o = {0};
    for (int32_t k = 0; k < opts->iterations || (k < MOST_CARRYING && on_the_way(y)); k++) {
        td_real taken = 1, down = 0;
        td_status status = TD_OK;
        const bool reused = o.reuse;
        if (reused) {
            corrections(y);
        } else {
            status = increments(y, &o.shift, &down, stats, diag);
        }
        if (status != TD_OK) {
            return status;
        }
        td_real largest = largest_of(y);
        stats->iterations++;
        stats->last_move = largest;
        if (!isfinite(largest)) {
            return TD_ERR_DIVERGED;
        }
        if (reused && largest > WORTHWHILE * o.before) { // not taken: the next has new factors
            o.reuse = false;
            continue;
        }
        bool full = o.shift == 0, calm = !y->contacts || tdi_rod_contacts_calm(y);
        bool small = largest < (y->potential[0].inertia > 0 ? SMALL_STEP : SMALL_MOVE) && calm;
        status = move(y, !full || (!reused && !small), down, &taken, stats, diag);
        if (status != TD_OK) {
            return status;
        }
        bool whole = full && taken == 1 && calm;
        bool close =
            whole && o.before > 0 && error_left(&o, largest, reused) <= LEFT * opts->tolerance;
        bool still = o.shift > 0 && largest <= opts->tolerance &&
                     o.shift <= LEAST_SHIFT * first_shift(y); // free to move without force
        if ((whole && largest <= opts->tolerance) || close || still || taken == 0) {
            return TD_OK; // in the last case no descent is left: rounding
        }
        o.before = whole ? largest : 0;
        o.reuse = whole && largest < REUSE_BELOW && !y->contacts;
        if (!full) {
            lessen_shift(y, taken, &o.shift);
        }
    }
    stats->unconverged++;
    return TD_OK;
}
