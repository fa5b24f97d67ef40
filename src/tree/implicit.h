// SPDX-License-Identifier: MIT
#pragma once

// The incremental potential of a step, and Newton's method on it.

#include "tree/contacts.h"
#include "tree/load.h"
#include "tree/sweep.h"

// What Newton's method minimises:
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
    td_real relax;             // 1/s^2: inertia in tame models of statics; set by tdi_newton
    const td_real *angle_rest; // a degree of freedom: angles to which the damping is relative
    // A degree of freedom: rotation vectors of ball joints where terms were made last, so that they
    // go on from iteration to iteration without a jump. NULL: those of the state, which stay.
    td_real *angle_near;
} tdi_potential;

// The potential at a state's pose, for its terms.
typedef struct tdi_potential_at {
    const td_tree_model *model;
    td_tree_state *state;
    const tdi_potential *potential;
    bool tame; // the inertia is that of the pose, which is positive, not the second derivative
    const struct tdi_terms_kernel *wide; // for many terms at once; NULL: one by one
} tdi_potential_at;

// Terms of a body by its joint, for tdi_sweep_in(); context is a tdi_potential_at. Point loads are
// not in them: tdi_loads_expand().
void tdi_potential_balls(const void *context, int32_t first, int32_t count, tdi_term *terms);
void tdi_potential_other(const void *context, int32_t i, tdi_term *term);
// Value at the state's pose.
td_real tdi_potential_value(const td_tree_model *model, td_tree_state *state, td_pool *pool,
                            const tdi_potential *potential);

typedef struct tdi_newton_opts {
    int32_t iterations;
    td_real tolerance; // rad or m: largest increment of the last iteration
    td_pool *pool;
    td_tree_contacts *contacts; // begun; NULL: none
} tdi_newton_opts;

// From the state's pose to the least value. Fills stats; TD_ERR_DIVERGED when a value is not
// finite. With contacts the base goes with the colliders from where the contacts have it.
td_status tdi_newton(const td_tree_model *model, td_tree_state *state,
                     const tdi_potential *potential, const tdi_newton_opts *opts,
                     td_step_stats *stats);
