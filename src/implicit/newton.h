// SPDX-License-Identifier: MIT
#pragma once

// One run of Newton's method, which its parts share.

#include "implicit/implicit.h"

#define TDI_SMALL_MOVE 1e-6 // rad or m: an increment that cannot be judged by the value any more

// Models of the Hessian, each for when those before it have failed.
typedef enum tdi_model_level {
    TDI_MODEL_EXACT,
    TDI_MODEL_CONVEX,   // of contact
    TDI_MODEL_POSITIVE, // of bodies too
} tdi_model_level;

typedef struct tdi_newton_run {
    const tdi_system *system;
    const tdi_newton_opts *opts;
    td_step_stats *stats;
    td_diag *diag;
    tdi_model_level next;       // the first model to be tried in the next iteration
    tdi_model_level used;       // in this
    bool doubtful;              // the exact Hessian of many members was not positive
    bool raised;                // it was made positive where it was not
    bool wary;                  // that is not asked for any more
    td_real shift, first;       // 1/s^2: now, and the first that is tried
    bool slow;                  // statics that take long: exact Hessians with inertia come first,
    td_real damp;               // 1/s^2: so much of it
    td_real before;             // the last increment, if it was whole and not of a positive model
    td_real predicted_decrease; // minus the slope along the increments
    td_real largest;            // increment
    bool direct;                // bodies that touch are factored as one
    bool solved;                // increments came with the factors
    bool offers_reuse, reuse;   // of factors: by all bodies, and in the next iteration
    bool noted;    // forces that increments lead to are known, or those of the last step,
    bool recalls;  // which the first factors take
    bool looked;   // increments were looked at for them
    bool trusted;  // the last increments were taken whole, although the value rose,
    td_real leap;  // and were this large
    bool wronged;  // such increments did not shrink: the value decides
    td_real reach; // of increments: what is looked at first
    bool fresh;    // nothing is known of the step yet
    bool guessed;  // the poses are those of a guess, and nothing is in its way
} tdi_newton_run;

// ---- increments.c

// The next model, when one is not positive definite or does not go down.
void tdi_newton_soften(tdi_newton_run *n);
// Increments of a model that has a least value. Alone, without contact or constraints, the poses
// are kept and moved by all of them.
td_status tdi_newton_solve(tdi_newton_run *n, bool carry);
// The same with the factors that there are; `limited` as in tdi_solving.
void tdi_newton_increments(tdi_newton_run *n, bool limited);
// The same with a new gradient and old factors. Poses stay.
void tdi_newton_solve_again(tdi_newton_run *n);

// ---- line_search.c: how much of the increments was taken; not finite when the value is not

td_real tdi_newton_move_freely(tdi_newton_run *n); // without contact; all of them are tried already
td_real tdi_newton_move_with_contact(tdi_newton_run *n, bool carry);
// Lets what is driven go to the end while the rest stands still, if there is room for it.
void tdi_newton_jump(const tdi_system *system);
// A turn for each member, on all threads.
void tdi_system_each(const tdi_system *system, void (*turn)(void *context, int64_t member),
                     void *context);
// exact_contact.c: the value of the bodies at their poses, without contact and constraints.
td_real tdi_system_own_value(const tdi_system *system);
// The value of all at their poses.
td_real tdi_system_value(const tdi_system *system);
// Keeps the poses and moves them by all of the increments; with `follow` as tdi_implicit.try.
void tdi_system_attempt(const tdi_system *system, bool follow);
// All at the kept poses, moved by a fraction of the increments.
void tdi_system_place(const tdi_system *system, td_real fraction);
