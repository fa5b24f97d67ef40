// SPDX-License-Identifier: MIT
// Statics of one body, from any start, by Levenberg's and Marquardt's method.
//
// Model     The exact Hessian, with the body's springs added once more, `stiffer` times: increments
//           become shorter, and turn to where springs give way. Where the sum is not positive
//           definite, it takes more of them.
// Gain      What an increment lowers the value by, over what the model promises. With a good gain
//           the next model has less of the springs, with none it has more.
// Search    As in Newton's method, increments are halved until the value falls; those that gain
//           more than they promise are doubled while it falls.
// Neutral   Where nothing holds a body, as a pinned one about the vertical, the Hessian has an
//           eigenvalue of 0, and rounding decides its sign. A few springs keep increments there as
//           small as the gradient, which vanishes.
// Anew      A sharp bend that wanders along a coil takes hundreds of iterations. A body that is not
//           at rest after some fifty starts anew from its shape at ease.

#include "implicit/constants.h"
#include "implicit/implicit.h"

#include <math.h>

#define FIRST   0.1  // of the springs: is added first
#define LEAST   1e-3 // of the springs: less does not change increments
#define GOOD    0.75 // of the predicted decrease: the quadratic model serves farther
#define FAIR    0.25 // of it: the model serves less far
#define BARGAIN 1.1  // of it: the value may fall farther along the increment

typedef struct resting {
    td_body *body;
    td_step_stats *stats;
    td_real stiffer;            // of the springs
    bool needed;                // with less the model was not positive definite
    td_real largest;            // increment
    td_real before;             // the last, if it was one of Newton's method; else 0
    td_real predicted_decrease; // minus the slope along the increments
    td_real gain;
} resting;

// Factors the exact Hessian and as much of the springs as it needs. False: no amount will do.
static bool factor(resting *r) {
    r->needed = false;
    for (int32_t k = 0; k < TDI_SHIFT_TRIES; k++) {
        const tdi_model model = {.stiffer = r->stiffer};
        if (r->body->ops->clear) {
            r->body->ops->clear(r->body);
        }
        if (r->body->ops->factor(r->body, &model) != TDI_NOT_POSITIVE) {
            r->stats->raised += r->stiffer > 0;
            return true;
        }
        r->needed = true;
        r->stiffer = fmax(FIRST, TDI_SHIFT_GROWS * r->stiffer);
    }
    return false;
}

static td_real value_at(const resting *r, td_real fraction) {
    tdi_state_try(r->body, fraction);
    return r->body->ops->value(r->body, false);
}

// Goes on along an increment while the value falls: how far.
static td_real stretch(const resting *r, td_real value) {
    td_real fraction = 1;
    for (int32_t k = 0; k < TDI_MOST_HALVINGS; k++, fraction *= 2) {
        const td_real next = value_at(r, 2 * fraction);
        if (!(next < value)) {
            break;
        }
        value = next;
    }
    value_at(r, fraction);
    return fraction;
}

// Takes as much of the increments as lowers the value: how much. Not finite when the value is not.
static td_real search(resting *r) {
    const td_real value = r->body->ops->value(r->body, false),
                  unseen = TDI_VALUE_ROUNDING * fabs(value);
    td_real fraction = 1;
    tdi_state_keep(r->body);
    if (!isfinite(value)) {
        return value;
    }
    for (int32_t k = 0; k < TDI_MOST_HALVINGS; k++, fraction *= 0.5) {
        const td_real fall = value - value_at(r, fraction),
                      model = r->predicted_decrease * (fraction - 0.5 * fraction * fraction);
        if (fall >= TDI_SUFFICIENT_DECREASE * fraction * r->predicted_decrease - unseen ||
            r->largest < TDI_SMALL_MOVE) {
            r->gain = model > unseen ? fall / model : 1;
            return k == 0 && r->gain > BARGAIN ? stretch(r, value - fall) : fraction;
        }
        r->stats->halvings++;
    }
    value_at(r, 0);
    return 0;
}

// Whether the last increment was the last: it was small, the next would be, or none goes down.
static bool is_done(const resting *r, td_real taken, td_real tolerance) {
    const td_real x = r->largest, next = fmax(1, x / (r->before * r->before)) * x * x;
    if (taken == 0) {
        return x < TDI_SMALL_MOVE || r->stiffer > TDI_MOST_SHIFT;
    }
    return (x <= tolerance && (r->needed || r->stiffer <= FIRST)) ||
           (r->before > 0 && r->stiffer == 0 && taken == 1 && next <= TDI_ERROR_LEFT * tolerance);
}

// The springs of the next model.
static void adapt(resting *r, td_real taken) {
    r->before = taken == 1 && r->stiffer == 0 ? r->largest : 0;
    if (taken < TDI_SHIFT_CUT || (taken == 1 && r->gain < FAIR)) {
        r->stiffer = fmax(FIRST, TDI_SHIFT_GROWS * r->stiffer);
    } else if (taken >= 1 && r->gain > GOOD) {
        r->stiffer *= TDI_SHIFT_SHRINKS;
    }
    r->stiffer = r->stiffer < LEAST ? 0 : r->stiffer;
}

td_status tdi_rest(td_body *body, const tdi_newton_opts *opts, bool *converged,
                   td_step_stats *stats) {
    resting r = {.body = body, .stats = stats};
    td_real path = 0;
    *converged = false;
    for (int32_t k = 0; k < opts->iterations && !*converged; k++) {
        if (k == TDI_SLOW_REST) {
            body->ops->statics->to_rest_shape(body);
            r = (resting){.body = body, .stats = stats};
        }
        if (!factor(&r)) {
            return TD_ERR_DIVERGED;
        }
        r.predicted_decrease = 0;
        r.largest = stats->last_move =
            body->ops->solve(body, (tdi_solving){0}, &r.predicted_decrease);
        stats->iterations++;
        const td_real taken = isfinite(r.largest) ? search(&r) : r.largest;
        path += taken * r.largest;
        if (!isfinite(taken) || path > TDI_AWAY) {
            return TD_ERR_DIVERGED;
        }
        *converged = is_done(&r, taken, opts->tolerance);
        *opts->positive = !r.needed && r.stiffer == 0;
        adapt(&r, taken);
    }
    return TD_OK;
}
