// SPDX-License-Identifier: MIT
#pragma once

// One run of Newton's method, which its parts share.

#include "implicit/implicit.h"

// Models of the Hessian, each for when those before it have failed.
typedef enum tdi_model_level {
    TDI_MODEL_EXACT,
    TDI_MODEL_CONVEX,   // of contact
    TDI_MODEL_POSITIVE, // of bodies too
} tdi_model_level;

// The model of the Hessian.
typedef struct tdi_newton_model {
    tdi_model_level next; // is tried first in the next iteration
    tdi_model_level used; // in this one
    bool raised;          // the exact Hessian was not positive definite, and was made so
    bool may_raise;       // until a raised Hessian leads to no progress
    bool exact_failed;    // of all members: convex models come first for the rest of the run
    td_real first_shift;  // 1/s^2: least inertia that is added to a positive model
    td_real shift;        // 1/s^2: inertia added to a positive model
    td_real damp;         // 1/s^2: inertia added to an exact one,
    td_real most_damp;    // at most; 0: none
} tdi_newton_model;

// Whether the factors of one iteration serve the next, with a new gradient.
typedef enum tdi_factor_reuse {
    TDI_REUSE_NEVER,  // for the rest of the run
    TDI_REUSE_LATER,  // when increments are small
    TDI_REUSE_FACTORS // in the next iteration
} tdi_factor_reuse;

// Increments taken whole although the value rose.
typedef enum tdi_rise {
    TDI_RISE_ALLOWED,
    TDI_RISE_TAKEN,  // the last increments were such
    TDI_RISE_REFUSED // those after such increments were no smaller
} tdi_rise;

typedef struct tdi_newton_run {
    const tdi_system *system;
    const tdi_newton_opts *opts;
    td_step_stats *stats;
    td_diag *diag;
    bool at_start; // no iteration was taken yet
    bool factored; // this iteration has factored a model
    bool solved;   // its increments are known
    tdi_newton_model model;
    tdi_joint_forces forces; // of which the next factors make geometric stiffness
    tdi_factor_reuse reuse;
    tdi_rise rise;
    td_real risen;              // rad or m: the largest of the increments of TDI_RISE_TAKEN
    td_real predicted_decrease; // minus the slope along the increments
    td_real largest;            // increment
    td_real before; // the last one, if it was taken whole and its model was not positive; else 0
} tdi_newton_run;

// Whether the model differs from the exact Hessian of the bodies.
static inline bool tdi_newton_is_modified(const tdi_newton_run *n) {
    return n->model.used == TDI_MODEL_POSITIVE || n->model.raised;
}

// ---- increments.c

// The next model, when one is not positive definite or does not go down.
void tdi_newton_soften(tdi_newton_run *n);
// Increments of a model that has a least value, unless the budget is spent before. Alone, without
// contact or constraints, the poses are kept and moved by all of them.
td_status tdi_newton_solve(tdi_newton_run *n, bool with_driven);
// The same with the factors that there are; `limited` as in tdi_solving.
void tdi_newton_increments(tdi_newton_run *n, bool limited);
// The same with a new gradient and old factors. Poses stay.
void tdi_newton_solve_again(tdi_newton_run *n);

// ---- line_search.c: how much of the increments was taken; not finite when the value is not

td_real tdi_newton_move_freely(tdi_newton_run *n); // without contact; all of them are tried already
td_real tdi_newton_move_with_contact(tdi_newton_run *n, bool with_driven);
// Moves driven bases, ends and colliders to the end of the step, if no contact is in their way.
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
