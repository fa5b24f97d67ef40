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
#define DESCENT       1e-4 // of what the slope promises
#define HALVINGS      40
#define LEFT          0.1 // of the tolerance: an error estimated below this needs no iteration
#define LEAST_GROWTH  0.5 // of the error's growth from increment to increment squared

// ---- one system -----------------------------------------------------------------------------

static bool eliminate(const td_rod_state *s, const tdi_rod_potential *p) {
    const td_rod_model *m = s->model;
    tdi_rod_clear(s);
    tdi_rod_load_terms(s, p);
    for (int32_t k = m->part_count - 1; k >= 0; k--) {
        const tdi_rod_part *part = &m->part[k];
        for (int32_t i = part->last - 1; i >= part->first; i--) {
            tdi_rod_node_terms(s, p, i, part->ring ? part->first : TD_NONE);
            if (!part->ring && !tdi_rod_eliminate(s, i)) {
                return false;
            }
        }
        if (part->ring && !tdi_rod_eliminate_ring(s, part)) {
            return false;
        }
    }
    return true;
}

// A first shift: of the step's inertia, or of the fastest joint in statics.
static td_real first_shift(const td_rod_state *s, const tdi_rod_potential *p) {
    td_real most = 0;
    if (p->inertia > 0) {
        return SHIFT_DYNAMIC * p->inertia;
    }
    for (int32_t i = 0; i < s->model->node_count; i++) {
        const tdi_rod_node *n = &s->model->node[i];
        td_real stiff = n->law.bend[0] + n->law.bend[2] + n->law.twist;
        td_real inertia = n->heft * n->length * n->length;
        most = inertia > 0 && stiff > most * inertia ? stiff / inertia : most;
    }
    return SHIFT_STATIC * (most > 0 ? most : 1);
}

// Increments of a Hessian that is positive. Leaves in p the shift that was needed.
static bool increments(const td_rod_state *s, tdi_rod_potential *p, td_step_stats *stats) {
    for (int32_t k = 0; k < SHIFT_TRIES; k++) {
        p->whole = k < PLAIN_AFTER;
        if (eliminate(s, p)) {
            for (int32_t j = 0; j < s->model->part_count; j++) {
                tdi_rod_substitute(s, &s->model->part[j]);
            }
            stats->raised += k > 0;
            return true;
        }
        p->shift = p->shift > 0 ? SHIFT_MORE * p->shift : first_shift(s, p);
    }
    return false;
}

// ---- search ---------------------------------------------------------------------------------

// The slope along the increments: r.x, with the gradient r taken anew, as elimination used it up.
static td_real slope(td_rod_state *s, const tdi_rod_potential *p) {
    td_real sum = 0;
    tdi_rod_clear(s);
    tdi_rod_load_terms(s, p);
    for (int32_t k = 0; k < s->model->part_count; k++) {
        const tdi_rod_part *part = &s->model->part[k];
        for (int32_t i = part->first; i < part->last; i++) {
            tdi_rod_node_terms(s, p, i, part->ring ? part->first : TD_NONE);
        }
    }
    for (int32_t i = 0; i < s->model->node_count; i++) {
        for (int k = 0; k < 4; k++) {
            sum += s->work[i].r[k] * s->step[i].x[k];
        }
    }
    return sum;
}

static void keep_pose(td_rod_state *s) {
    tdi_rod_pose *pose = s->pose;
    td_real *turn = s->turn;
    s->pose = s->pose_back;
    s->pose_back = pose;
    s->turn = s->turn_back;
    s->turn_back = turn;
}

// Takes as much of the increments as lowers the potential: how much.
static td_real search(td_rod_state *s, const tdi_rod_potential *p, td_real value, td_real down,
                      td_step_stats *stats) {
    td_real part = 1;
    tdi_rod_potential trial = *p;
    trial.trial = true;
    for (int32_t k = 0; k < HALVINGS; k++) {
        tdi_rod_try(s, part);
        td_real now = tdi_rod_value(s, &trial);
        if (now <= value + DESCENT * part * down) {
            return part;
        }
        part *= 0.5;
        stats->halvings++;
    }
    tdi_rod_try(s, 0);
    return 0;
}

td_status tdi_rod_minimise(td_rod_state *s, const tdi_rod_potential *potential,
                           const tdi_rod_newton *opts, td_step_stats *stats) {
    tdi_rod_potential p = *potential;
    td_real before = 0;
    p.shift = 0;
    for (int32_t k = 0; k < opts->iterations; k++) {
        td_real taken = 1;
        if (!increments(s, &p, stats)) {
            return TD_ERR_DIVERGED;
        }
        td_real largest = tdi_rod_largest(s);
        stats->iterations++;
        stats->last_move = largest;
        if (!isfinite(largest)) {
            return TD_ERR_DIVERGED;
        }
        bool full = p.shift == 0;
        if (full && largest < SMALL_MOVE) {
            keep_pose(s);
            tdi_rod_try(s, 1);
        } else {
            td_real value = tdi_rod_value(s, &p), down = slope(s, &p);
            keep_pose(s);
            taken = search(s, &p, value, down, stats);
        }
        bool close = before > 0 && full && taken == 1 &&
                     fmax(LEAST_GROWTH, largest / (before * before)) * largest * largest <=
                         LEFT * opts->tolerance;
        if ((full && (largest <= opts->tolerance || close)) || taken == 0) {
            return TD_OK; // in the second case no descent is left: rounding
        }
        before = full && taken == 1 ? largest : 0;
        if (p.shift > 0) {
            td_real least = 1e-6 * first_shift(s, &p);
            bool still = largest <= opts->tolerance;
            if (still && p.shift <= least) {
                return TD_OK; // free to move without force
            }
            p.shift *= taken == 1 ? SHIFT_LESS : 1;
            p.shift = p.shift < 0.1 * least ? 0 : p.shift;
        }
    }
    stats->unconverged++;
    return TD_OK;
}
