// SPDX-License-Identifier: MIT
#pragma once

/// @file adapt.h
/// Adaptive dynamics of trees, as published by Redon, Galoppo and Lin (2005): only the joints that
/// matter are simulated, all others are rigid for the moment. Which ones matter is found now and
/// then from two motion metrics, weighed sums of squared joint accelerations and velocities,
/// without computing the accelerations of all joints. A step costs in proportion to the joints that
/// move. Explicit steps with the springs and damping of the joints, loads and drag. For large steps
/// of stiff plants use td_body_step().
/// Not stable yet: see TD_API_UNSTABLE.

#include "tendril/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_adapt td_adapt; ///< A tree state that is stepped this way. One thread at a time.

/// What the velocity and the acceleration of a joint are multiplied with in the metrics.
typedef enum td_adapt_weights {
    TD_WEIGHTS_EVEN,   ///< 1: rad/s, of slides m/s. As published. The default.
    TD_WEIGHTS_REACH,  ///< The farthest way from the joint to a tip that it moves, 1 of slides:
                       ///< m/s of tips.
    TD_WEIGHTS_CAMERA, ///< That, over the distance of its first body from `camera`: rad/s as seen
                       ///< from there.
} td_adapt_weights;

/// Start from td_adapt_opts_default().
typedef struct td_adapt_opts {
    uint32_t struct_size;
    int32_t joints; ///< >= 0: so many joints are active. 0: as many as `error` asks for. Default 0.
    td_real error;  ///< >= 0: the root of the velocity metric of all joints that are rigid stays
                    ///< below this when they are chosen, and what their accelerations would add
                    ///< until the next choice too. Used when joints is 0. Default 0: all that move.
    int32_t every;  ///< Steps from choice to choice, >= 1; 0: the joints nearest to the root of the
                    ///< assembly tree are active, always. Default 20.
    td_adapt_weights weights;
    td_vec3 camera;   ///< m, world axes.
    uint64_t shuffle; ///< Not 0: an assembly by chance in place of the balanced one, for tests.
} td_adapt_opts;

TD_API_UNSTABLE td_adapt_opts td_adapt_opts_default(void);

/// Of the last step, but for what says otherwise.
typedef struct td_adapt_stats {
    int32_t depth;        ///< Of the assembly tree.
    int32_t joints;       ///< That can be chosen: with a degree of freedom, and not free.
    int32_t active;       ///< Of those.
    int32_t transient;    ///< Active while the last choice was made: before, or by accelerations.
    int32_t rigidified;   ///< Of those, made rigid by the last choice.
    td_real acceleration; ///< Root of the acceleration metric of the whole at the last choice.
    td_real acceleration_left; ///< Of joints beyond the acceleration update region.
    td_real velocity;          ///< Root of the velocity metric of the whole at the last choice.
    td_real velocity_left;     ///< Of joints that were made or left rigid.
    td_real energy_lost; ///< J, summed over all steps: kinetic energy that was lost to joints made
                         ///< rigid.
    int64_t steps, updates; ///< Summed: steps, and choices.
    int64_t nodes_main;     ///< Nodes of the assembly tree that the main pass went through.
    int64_t nodes_back;     ///< That the back-substitution went through.
    int64_t nodes_force;    ///< Rigid nodes through which external forces were carried.
    int64_t nodes_update;   ///< Whose coefficients were computed for the last choice.
} td_adapt_stats;

/// The state outlives it; only td_adapt_step() steps it meanwhile. At the start all joints are
/// active, and the first step makes a choice. All memory that steps need is taken here. Refuses,
/// naming the segment, a body without mass or without inertia about an axis.
TD_API_UNSTABLE td_status td_adapt_new(td_body *state, const td_adapt_opts *opts,
                                       const td_alloc *alloc, td_adapt **out, td_diag *diag);
TD_API_UNSTABLE void td_adapt_free(td_adapt *adapt); ///< NULL is allowed.
TD_API_UNSTABLE size_t td_adapt_bytes(const td_adapt *adapt);

/// Other options from the next choice on. `shuffle` stays as it was. New weights cost as much as a
/// step of all joints.
TD_API_UNSTABLE td_status td_adapt_set_opts(td_adapt *adapt, const td_adapt_opts *opts,
                                            td_diag *diag);
/// A weight a joint, td_body_segment_count() of them, each >= 0, in place of those of the options.
TD_API_UNSTABLE td_status td_adapt_set_weights(td_adapt *adapt, const td_real *weights,
                                               td_diag *diag);

/// After writing coordinates, velocities or base of the state: all joints are active, until the
/// next step makes a choice.
TD_API_UNSTABLE void td_adapt_changed(td_adapt *adapt);

/// Advances by opts->dt: with opts->integrator TD_RK4 by Runge-Kutta's rule, otherwise by
/// symplectic Euler's, as published. Places of bodies are as before until td_adapt_place(), which
/// costs time in proportion to the bodies. TD_ERR_DIVERGED, with coordinates and velocities as
/// before, when a value is not finite.
TD_API_UNSTABLE td_status td_adapt_step(td_adapt *adapt, const td_step_opts *opts, td_diag *diag);
TD_API_UNSTABLE void td_adapt_place(td_adapt *adapt);
TD_API_UNSTABLE td_adapt_stats td_adapt_report(const td_adapt *adapt);
/// Whether a joint, by its body, is active.
TD_API_UNSTABLE bool td_adapt_is_active(const td_adapt *adapt, int32_t body);

/// A save of the active joints and their history. Later steps depend on it and on the state.
TD_API_UNSTABLE size_t td_adapt_save_size(const td_adapt *adapt);
TD_API_UNSTABLE void td_adapt_save(const td_adapt *adapt, void *bytes);
/// Call it after the state itself was restored. Any bytes of this size are safe; only those saved
/// from the same tree continue its motion.
TD_API_UNSTABLE void td_adapt_restore(td_adapt *adapt, const void *bytes);

// ---- parts ----------------------------------------------------------------------------------

/// A node of the assembly tree: the joint of body `joint` joins the assemblies A and B.
typedef struct td_assembly_node {
    int32_t a, b;   ///< Nodes, by their joints; below 0: ~body; INT32_MIN: the base.
    int32_t parent; ///< Node; TD_NONE: a root.
    int32_t depth, bodies;
    int32_t handles; ///< Bodies on which forces from outside act: 0 of a root, 1 or 2.
} td_assembly_node;

TD_API_UNSTABLE td_assembly_node td_adapt_node(const td_adapt *adapt, int32_t joint);

/// Makes these joints active, an entry a body, and all nodes above them, and others rigid by
/// impulses, until the next choice.
TD_API_UNSTABLE void td_adapt_activate(td_adapt *adapt, const bool *active);

/// Accelerations of all degrees of freedom of the hybrid body, 0 of rigid joints, with `torque`
/// added at the joints (a degree of freedom; NULL: none). With all joints active they are those of
/// td_tree_forward().
TD_API_UNSTABLE void td_adapt_forward(td_adapt *adapt, const td_step_opts *opts,
                                      const td_real *torque, td_real *accel);

/// The acceleration metric of every node with all joints free, by theorems 1 to 4; an entry a
/// joint. That of a root is of the whole.
TD_API_UNSTABLE void td_adapt_metrics(td_adapt *adapt, const td_step_opts *opts, td_real *metrics);

#ifdef __cplusplus
}
#endif
