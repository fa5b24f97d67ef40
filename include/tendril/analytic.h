// SPDX-License-Identifier: MIT
#pragma once

/// @file analytic.h
/// Constraints, contact and impacts of trees as the oriented-strands paper has them: the
/// accelerations that unit forces make, found by the articulated-body sweeps, give a
/// complementarity problem for the forces; errors decay by proportional and derivative correction.
/// For explicit integrators and for IDA. Implicit steps hold constraints themselves: see island.h.
/// Not stable yet: see TD_API_UNSTABLE.

#include "tendril/constraint.h"
#include "tendril/contact.h"
#include "tendril/lcp.h"
#include "tendril/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_analytic td_analytic; ///< Trees and their constraints. One thread at a time.

/// Start from td_analytic_opts_default().
typedef struct td_analytic_opts {
    uint32_t struct_size;
    td_real settle; ///< s, >= 0: errors of constraints decay as exp(-t/settle). Default 0: five
                    ///< steps.
    const td_lcp_opts *solver; ///< Borrowed for the call. Default NULL: exact; TD_LCP_SOR as
                               ///< published.
    bool one_way; ///< Friction along one direction a contact and step, as published; otherwise
                  ///< in Coulomb's cone. Default false.
    td_impact_law law;
    td_real restitution; ///< 0..1, of stops, limits, ropes, and of colliders that have less.
                         ///< Default 0.
    td_real slow;      ///< m/s or rad/s, >= 0: what meets at less does not bounce. Default 0: what
                       ///< gravity makes in two steps.
    int32_t row_limit; ///< 1..4096: forces that are found at once. A contact with friction has
                       ///< three, a point that is held likewise. Default 192.
} td_analytic_opts;

TD_API_UNSTABLE td_analytic_opts td_analytic_opts_default(void);

/// `actor` of a constraint is a number of `states`. All kinds but TD_CONSTRAINT_CURVE. The states
/// outlive it; constraints are copied. All memory that steps need is taken here.
TD_API_UNSTABLE td_status td_analytic_new(td_body *const *states, int32_t count,
                                          const td_constraint *constraints,
                                          int32_t constraint_count, const td_analytic_opts *opts,
                                          const td_alloc *alloc, td_analytic **out, td_diag *diag);
TD_API_UNSTABLE void td_analytic_free(td_analytic *analytic); ///< NULL is allowed.

/// Where the world's frame, or a joint, is to be at the end of the next step. It goes there at
/// constant speed.
TD_API_UNSTABLE td_status td_analytic_set_target(td_analytic *analytic, int32_t constraint,
                                                 const td_constraint_target *target, td_diag *diag);

/// Releases a constraint, or engages it again, from the next step on, as `start` and `end` would. A
/// broken constraint stays broken.
TD_API_UNSTABLE td_status td_analytic_set_hold(td_analytic *analytic, int32_t constraint, bool hold,
                                               td_diag *diag);

/// Steps all trees by TD_EULER or TD_RK4, or none. `opts` has an entry a state; dt and integrator
/// are the same for all. Ends of segments touch colliders. TD_ERR_LIMIT when there are more forces
/// than row_limit; TD_ERR_DIVERGED when a value is not finite or a joint makes a turn.
TD_API_UNSTABLE td_status td_analytic_step(td_analytic *analytic, const td_step_opts *opts,
                                           const td_collider *colliders, int32_t collider_count,
                                           td_step_stats *stats, td_diag *diag);

/// For integrators with steps of their own, as published: applies impacts, and finds the forces to
/// be applied through the next opts->dt seconds. They are the loads of td_analytic_loads().
TD_API_UNSTABLE td_status td_analytic_prepare(td_analytic *analytic, const td_step_opts *opts,
                                              const td_collider *colliders, int32_t collider_count,
                                              td_diag *diag);
/// A force and a torque for each body of a state, 2 td_body_segment_count() loads.
TD_API_UNSTABLE void td_analytic_loads(const td_analytic *analytic, int32_t state, td_load *loads);

/// Of the last step, or of its last stage.
TD_API_UNSTABLE td_constraint_report td_analytic_constraint(const td_analytic *analytic,
                                                            int32_t constraint);
/// The solution of the last complementarity problem; td_lcp_result.
TD_API_UNSTABLE td_lcp_result td_analytic_solution(const td_analytic *analytic);

/// A save of the constraints: targets, placements found at their beginning, broken constraints.
/// Later steps depend on it and on the states.
TD_API_UNSTABLE size_t td_analytic_save_size(const td_analytic *analytic);
TD_API_UNSTABLE void td_analytic_save(const td_analytic *analytic, void *bytes);
/// TD_ERR_SYNTAX, with everything as it was, for bytes of one with another number of constraints,
/// or bytes that were damaged: a save holds a checksum.
TD_API_UNSTABLE td_status td_analytic_restore(td_analytic *analytic, const void *bytes, size_t size,
                                              td_diag *diag);

/// One contact of the last step.
typedef struct td_analytic_contact {
    int32_t state, segment, collider;
    td_vec3 point, normal; ///< m; unit, away from the collider.
    td_vec3 force;         ///< N.
    td_real gap;           ///< m.
} td_analytic_contact;

/// Fills at most `capacity` contacts; returns how many there are.
TD_API_UNSTABLE int32_t td_analytic_contacts(const td_analytic *analytic,
                                             td_analytic_contact *contacts, int32_t capacity);

// ---- impacts --------------------------------------------------------------------------------

/// A point of a segment that meets something immovable, or something that moves with `velocity`.
typedef struct td_hit {
    int32_t state, segment;
    td_vec3 point;       ///< m, in the segment's own axes.
    td_vec3 normal;      ///< Unit, world axes, away from the obstacle.
    td_vec3 velocity;    ///< m/s, of the obstacle.
    td_real friction;    ///< 0..10.
    td_real restitution; ///< 0..1.
    // written:
    td_vec3 impulse;       ///< N s, on the segment.
    td_real before, after; ///< m/s along the normal, relative to the obstacle.
} td_hit;

/// Changes the velocities by impulses at all these points at once; constraints are kept. Points
/// that are parting take part: none is pushed into its obstacle. Where the law would raise the
/// kinetic energy, as it may with friction or with different restitutions at once, or asks for
/// speeds that contradict each other, all restitutions are multiplied by the largest factor for
/// which it does not, found by bisection: `kept`, which may be NULL, gets it, 1 if they hold in
/// full.
TD_API_UNSTABLE td_status td_analytic_impact(td_analytic *analytic, td_hit *hits, int32_t count,
                                             td_real *kept, td_diag *diag);

#ifdef __cplusplus
}
#endif
