// SPDX-License-Identifier: MIT
#pragma once

// The incremental potential of a tree's step, and the step that is under way.

#include "implicit/implicit.h"
#include "tree/load.h"
#include "tree/sweep.h"

// What Newton's method minimises, h'^2 times an energy, so that inertia has the weight one:
//   inertia * (kinetic part about the prediction) + spring * V + damp * D
// A step of the multistep rule with h' has inertia 1, spring h'^2, damp h'; statics 0, 1, 0.
typedef struct tdi_potential {
    bool inertia;
    td_real h; // of the rule; o^ and R^ are those of `hat` and h^2 gravity
    td_real spring;
    td_real damp;
    td_real stiffness; // factor of all joint springs
    td_vec3 gravity;   // m/s^2; with inertia it is part of the prediction
    tdi_loads loads;
    const td_joint_drive *drives; // a degree of freedom; NULL: none
    td_real relax;                // 1/s^2: inertia that models of statics have besides
    const td_real *angle_rest;    // a degree of freedom: angles to which the damping is relative
    // A degree of freedom: rotation vectors of ball joints where terms were made last, so that they
    // go on from iteration to iteration without a jump. NULL: those of the state, which stay.
    td_real *angle_near;
} tdi_potential;

// The potential at a state's pose, for its terms.
typedef struct tdi_potential_at {
    const tdi_tree_model *model;
    tdi_tree_state *state;
    const tdi_potential *potential;
    bool positive; // the inertia is that of the pose, which is positive, not the second derivative
    const struct tdi_terms_kernel *wide; // for many terms at once; NULL: one by one
    bool foreseen; // geometric stiffness of inertia is that of the origins that were foreseen
} tdi_potential_at;

// Terms of a body by its joint, for tdi_sweep_in(); context is a tdi_potential_at. Point loads are
// not in them: tdi_loads_expand().
void tdi_potential_balls(const void *context, int32_t first, int32_t count, tdi_term *terms);
void tdi_potential_other(const void *context, int32_t i, tdi_term *term);
// Value at the state's pose.
td_real tdi_potential_value(const tdi_tree_model *model, tdi_tree_state *state, td_pool *pool,
                            const tdi_potential *potential);

// ---- steps ----------------------------------------------------------------------------------

// The step or the search for rest that is under way.
typedef struct tdi_tree_step {
    tdi_potential potential;
    td_real weight; // of an energy in the potential: h'^2, or 1 in statics
    td_pool *pool;
    bool guessed;        // q_start is that of this step
    bool with_driven;    // the base goes with the increments
    bool note;           // increments note the forces that they lead to
    tdi_twist base_move; // and by this
} tdi_tree_step;

// What trees supply to the common steps and Newton's method; bodies are td_tree_states.
void tdi_step_begin(void *body);
void tdi_step_guess(void *body, tdi_start start, const td_vec3 *x, td_real part);
void tdi_step_undo(void *body);
void tdi_step_accept(void *body);
void tdi_step_drive(void *body, td_real time, bool stationary);
void tdi_step_clear(void *body);
tdi_factored tdi_step_factor(void *body, const tdi_model *model);
td_real tdi_step_solve(void *body, tdi_solving how, td_real *predicted_decrease);
td_real tdi_step_largest(const void *body);
td_real tdi_step_value(void *body, bool kept);
void tdi_step_perturb_pose(void *body, const tdi_rigid *motion);
void tdi_step_keep(void *body);
void tdi_step_try(void *body, td_real fraction, bool follow);

#define TDI_LONGEST_TURN 1.0 // rad: no joint turns further in one iteration

// The part of the table that holds for all that begins with a tdi_tree_state; with tree/points.h.
#define TDI_TREE_STEPS                                                                          \
    .traits = {.point_kinds = 1u << TDI_POINT_POSITION | 1u << TDI_POINT_JOINT |                \
                              1u << TDI_POINT_NODE | 1u << TDI_POINT_ROTATION,                  \
               .drives = true,                                                                  \
               .moves = true,                                                                   \
               .follows = true,                                                                 \
               .heeds_wind = true,                                                              \
               .longest = TDI_LONGEST_TURN,                                                     \
               .longest_rest = TDI_LONGEST_TURN},                                               \
    .guess = tdi_step_guess, .drive = tdi_step_drive, .clear = tdi_step_clear,                  \
    .factor = tdi_step_factor, .solve = tdi_step_solve, .largest = tdi_step_largest,            \
    .value = tdi_step_value, .keep = tdi_step_keep, .try = tdi_step_try, .read = tdi_tree_read, \
    .confine = tdi_tree_confine, .respond = tdi_tree_respond,                                   \
    .add_response = tdi_tree_add_response

// A tree for the common Newton's method; bodies are td_tree_states.
extern const tdi_implicit tdi_tree_implicit;
extern const tdi_statics_ops tdi_tree_statics; // solver.c
td_status tdi_tree_rest_new(const void *model, td_vec3 gravity, const td_alloc *alloc,
                            td_body_model **out, td_diag *diag);
td_status tdi_tree_damped_new(const void *model, const td_damping_opts *opts, const td_alloc *alloc,
                              td_body_model **out, td_diag *diag);
void tdi_tree_bending(void *state, int32_t segment, td_real stiffness, td_vec3 *turn,
                      td_vec3 *moment);
void tdi_tree_stiffen(void *model, const void *parameters, td_real bend, td_real twist);
extern const tdi_modal tdi_tree_modal; // modes.c
