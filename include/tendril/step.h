// SPDX-License-Identifier: MIT
#pragma once

/// @file step.h
/// What all solvers share: options and statistics of a step, energies and momentum, modes, damping,
/// spring laws. A solver refuses an option that it does not have, by name.

#include "tendril/base.h"
#include "tendril/load.h"
#include "tendril/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- bodies ---------------------------------------------------------------------------------

/// The state of any solver, and the constant model that it moves: see body.h.
typedef struct td_body td_body; ///< Everything that moves, and scratch memory. One a thread.
typedef struct td_body_model td_body_model; ///< Fixed after creation. Safe to read from any thread.

// ---- springs --------------------------------------------------------------------------------

/// How the moment of a ball joint grows with the angle theta from rest, in bending and in twist.
typedef enum td_spring_law {
    TD_LAW_DEFAULT, ///< The solver's own: the first that it accepts.
    TD_LAW_LINEAR,  ///< k theta.
    TD_LAW_TANGENT, ///< 2 k tan(theta/2): the same when small, and never past pi.
} td_spring_law;

// ---- steps ----------------------------------------------------------------------------------

typedef enum td_integrator {
    TD_IMPLICIT,       ///< BDF2 on the incremental potential. Stable at any step. The default.
    TD_IMPLICIT_EULER, ///< The same with backward Euler: damps more, never adds energy.
    TD_EULER,          ///< Symplectic Euler with articulated-body dynamics: the plants thesis.
    TD_RK4,            ///< Runge-Kutta of fourth order.
    TD_ADAPTIVE, ///< Symplectic Euler of the joints that matter: trees in scenes, and adapt.h.
} td_integrator;

/// What acts at a degree of freedom of a tree besides its spring: motors of a robot, muscles,
/// stops. Start from td_joint_drive_default().
typedef struct td_joint_drive {
    td_real torque; ///< N m; N at a slide. Of a ball joint in the segment's axes as they are when
                    ///< the step begins; the parent gets the opposite. Default 0.
    td_real offset; ///< rad or m: how far from rest the spring is at ease. At a ball joint the
                    ///< moment of a spring that is turned by so much. Default 0.
    td_real low, high;       ///< rad or m: beyond these a spring pushes back. Hinges and slides
                             ///< alone; exact limits are constraints. Default none, infinite.
    td_real limit_stiffness; ///< N m/rad or N/m, of that spring, >= 0. Default 100.
} td_joint_drive;

TD_API td_joint_drive td_joint_drive_default(void);

/// How a step advances time, of any solver. Start from td_step_opts_default().
typedef struct td_step_opts {
    uint32_t struct_size;
    td_real dt;               ///< s, > 0. Default 1/60.
    td_integrator integrator; ///< Default TD_IMPLICIT.
    td_vec3 gravity;          ///< m/s^2. Default (0, -9.81, 0).
    int32_t iterations;       ///< Newton iterations a step at most. Default 20.
    td_real tolerance;        ///< rad or m: Newton's method stops when no body moved further in an
                              ///< iteration, or when the estimated remaining error is below a tenth
                              ///< of it. Default 1e-4.
    td_air air;               ///< Default none.
    const td_vec3 *winds;     ///< m/s: the wind at each body in place of air.wind. Default NULL.
    td_real stiffness;        ///< Factor of all joint springs, >= 0. Default 1.
    td_real damping;          ///< Factor of all joint damping, >= 0. Default 1.
    const td_load *loads;     ///< load_count of them. Default none.
    int32_t load_count;
    td_pool *pool;                ///< Threads for implicit steps of large trees. Default NULL: one.
    const td_joint_drive *drives; ///< One for each degree of freedom of a tree. Default NULL: none.
    bool jump; ///< Loads begin, end or jump in this step, or did in the last one: TD_IMPLICIT takes
               ///< it by backward Euler, which does not look back beyond the jump. Default false.
} td_step_opts;

TD_API td_step_opts td_step_opts_default(void);

/// A step that does not converge is taken in halves, those in halves again, down to one of so many
/// pieces. With the barrier, a step in which two bodies would pass through each other is halved as
/// well, down to 64 times as many pieces.
#define TD_STEP_PIECES 64

/// Statistics, summed over all steps since the struct was zeroed.
typedef struct td_step_stats {
    int64_t steps;
    int64_t iterations;  ///< Newton iterations.
    int64_t halvings;    ///< Times that the line search halved an increment.
    int64_t raised;      ///< Iterations whose Hessian was not positive definite and was modified.
    int64_t unconverged; ///< Steps that reached the limit of iterations.
    int64_t halved;      ///< Steps that were taken in halves.
    int64_t gradient_steps; ///< Steps of conjugate gradients, where contact couples bodies.
    td_real last_move;      ///< rad or m: largest increment of the last iteration.
    int64_t unstable;       ///< States with an unstable rest pose: they fall at the slightest
                            ///< push. States that contact supports are not counted.
    int64_t truncated;      ///< Steps of islands that ended unsolved: see td_world_set_budget().
    int64_t blocked;        ///< Steps of islands whose actors stayed in place, blocked.
} td_step_stats;

// ---- the whole ------------------------------------------------------------------------------

typedef struct td_energy {
    td_real kinetic; ///< J.
    td_real elastic; ///< J, of the joints' springs.
    td_real weight;  ///< J, against gravity; 0 with all mass at the origin.
} td_energy;

/// Energies and momentum of one thing or of several.
typedef struct td_sums {
    td_energy energy;
    td_vec3 linear, angular; ///< Momentum, kg m/s, and about the origin, kg m^2/s.
} td_sums;

// ---- vibration ------------------------------------------------------------------------------

typedef struct td_mode {
    td_real frequency; ///< Hz; below 0 where the pose is not stable: |2 pi f| is then the rate
                       ///< at which the motion grows, without damping.
    td_real
        damping_ratio; ///< Ratio to critical damping, of the joints; 0 if frequency is not above 0.
    td_real twist;     ///< 0..1: part of the elastic energy that is twist.
} td_mode;

// ---- damping --------------------------------------------------------------------------------

typedef enum td_damping_kind {
    TD_DAMPING_RATIO, ///< Damping ratio of the lowest mode that deforms a joint; higher modes are
                      ///< damped more.
    TD_DAMPING_TIME,  ///< s: ratio of damping to stiffness, the same for all joints.
} td_damping_kind;

/// How a model is damped. Start from td_damping_opts_default().
typedef struct td_damping_opts {
    uint32_t struct_size;
    td_damping_kind kind; ///< Default TD_DAMPING_RATIO.
    td_real value;        ///< >= 0. Default 0.05.
    td_vec3 gravity;      ///< m/s^2, for the modes. Default (0, -9.81, 0).
} td_damping_opts;

TD_API td_damping_opts td_damping_opts_default(void);

#ifdef __cplusplus
}
#endif
