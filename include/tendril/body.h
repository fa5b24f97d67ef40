// SPDX-License-Identifier: MIT
#pragma once

/// @file body.h
/// A body: the state of a skeleton under any solver. Build a model once, share it read-only, step
/// one body a thread. tree.h, rod.h and helix.h have what only one solver has; island.h steps
/// bodies that touch each other or that constraints join.

#include "tendril/skeleton.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- models ---------------------------------------------------------------------------------

/// Start from td_body_opts_default().
typedef struct td_body_opts {
    uint32_t struct_size;
    td_spring_law law; ///< Default TD_LAW_DEFAULT.
    int32_t elements;  ///< Of each axis, for a solver that has them. Default 0: chosen.
} td_body_opts;

TD_API td_body_opts td_body_opts_default(void);

/// Discretises a skeleton. `solver` is a name of solver.h; NULL: the first. `opts` NULL: the
/// defaults. The skeleton must outlive the model. TD_ERR_ARGUMENT for an unknown solver;
/// TD_ERR_STRUCTURE, naming the segment, for what the solver cannot simulate.
TD_API td_status td_body_model_new(const td_skeleton *skeleton, const char *solver,
                                   const td_body_opts *opts, const td_alloc *alloc,
                                   td_body_model **out, td_diag *diag);
TD_API void td_body_model_free(td_body_model *model); ///< NULL is allowed.
TD_API size_t td_body_model_bytes(const td_body_model *model);
TD_API const char *td_body_solver(const td_body_model *model); ///< Its name.
/// Segments of the skeleton; edges or elements of a model that was made of those.
TD_API int32_t td_body_segment_count(const td_body_model *model);
/// Curved elements of a model whose solver has them, 0 of others.
TD_API int32_t td_body_element_count(const td_body_model *model);
TD_API int32_t td_body_dof_count(const td_body_model *model); ///< Degrees of freedom.

/// A new model whose drawn shape is at rest under this gravity: other rest angles, the same
/// springs. TD_ERR_ARGUMENT when the solver cannot, or when a joint cannot carry its load.
TD_API td_status td_body_model_rest_new(const td_body_model *model, td_vec3 gravity,
                                        const td_alloc *alloc, td_body_model **out, td_diag *diag);
/// A new model with the same springs, and damping in proportion to stiffness. TD_ERR_ARGUMENT when
/// the solver cannot, or when none of the lowest modes deforms a joint.
TD_API td_status td_body_model_damped_new(const td_body_model *model, const td_damping_opts *opts,
                                          const td_alloc *alloc, td_body_model **out,
                                          td_diag *diag);

// ---- bodies ---------------------------------------------------------------------------------

/// In the initial pose, at rest, time 0. All memory that stepping needs is allocated here. The
/// model must outlive the body.
TD_API td_status td_body_new(const td_body_model *model, const td_alloc *alloc, td_body **out,
                             td_diag *diag);
TD_API void td_body_free(td_body *body); ///< NULL is allowed.
TD_API size_t td_body_bytes(const td_body *body);
TD_API const td_body_model *td_body_model_of(const td_body *body); ///< Borrowed.
TD_API td_real td_body_time(const td_body *body);                  ///< s.
/// Back to where td_body_new() left it: the initial pose, at rest, time 0, with the base at the
/// origin; the body of a world keeps its base. Allocates for the call.
TD_API td_status td_body_reset(td_body *body, td_diag *diag);

/// Sets where the base is and how it moves. Steps move it with constant acceleration until it is
/// set again, which may be before every step. At the start it is fixed at the origin. A body that
/// was not stepped since it was made, reset or settled moves along: all of it takes the velocity
/// and spin of the base. To leave it behind, give the base an acceleration. Steps refuse
/// a base with a rotation of zero or a number that is not finite. TD_ERR_ARGUMENT for the body of
/// a world, which moves the base itself: see td_world_body().
TD_API td_status td_body_set_base(td_body *body, const td_base_motion *motion, td_diag *diag);

/// Advances by opts->dt. Never allocates, except for a step that is taken in halves. `opts` NULL:
/// the defaults. `stats` may be NULL. TD_ERR_DIVERGED, with the body as it was before the call,
/// when a value is not finite.
TD_API td_status td_body_step(td_body *body, const td_step_opts *opts, td_step_stats *stats,
                              td_diag *diag);
/// Steps many bodies of any models, no two the same, each with its own options (their `pool` is
/// not used), on all threads of `pool` (NULL: one). `stats` may be NULL, or has `count` entries.
/// Bodies that fail stay as they were while the others are stepped; the first of them is reported,
/// with its number in diag->index.
TD_API td_status td_body_step_many(td_body *const *bodies, const td_step_opts *opts, int32_t count,
                                   td_pool *pool, td_step_stats *stats, td_diag *diag);
/// Computes a pose at rest under gravity, from the current pose. All of it then moves as the base.
TD_API td_status td_body_settle(td_body *body, const td_step_opts *opts, td_step_stats *stats,
                                td_diag *diag);

// ---- reading --------------------------------------------------------------------------------

/// Joint and tip of a segment, m, and its rotation, in world axes.
TD_API td_vec3 td_body_origin(td_body *body, int32_t segment);
TD_API td_vec3 td_body_tip(td_body *body, int32_t segment);
TD_API td_quat td_body_rotation(td_body *body, int32_t segment);
/// The same of `count` segments from `first` on. Arrays may be NULL.
TD_API td_status td_body_poses(td_body *body, int32_t first, int32_t count, td_vec3 *origins,
                               td_vec3 *tips, td_quat *rotations, td_diag *diag);
/// Velocity of a point of a segment, m/s; the point is in the segment's axes, from its joint.
TD_API td_vec3 td_body_velocity(td_body *body, int32_t segment, td_vec3 point);
/// Moment of the springs between a segment and its parent, N m, in the segment's axes.
TD_API td_vec3 td_body_moment(td_body *body, int32_t segment);

TD_API td_energy td_body_energy(td_body *body, td_vec3 gravity);
/// Linear momentum, and angular momentum about the origin. Either may be NULL.
TD_API void td_body_momentum(td_body *body, td_vec3 *linear, td_vec3 *angular);
/// The largest moment, N m, or force, N, of springs and weight that is not balanced: 0 at rest. Not
/// a number when the solver does not offer it, or without memory.
TD_API td_real td_body_residual(td_body *body, td_vec3 gravity);
/// The `count` lowest modes about the pose, which should be one of rest, lowest first. Linear time
/// an iteration; the pose and the velocities stay as they are. TD_ERR_LIMIT, with the modes as far
/// as they got, when they do not converge.
TD_API td_status td_body_modes(td_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
                               td_diag *diag);

// ---- saving ---------------------------------------------------------------------------------

/// Everything that the motion depends on: pose, velocities, history, base, time. As many bytes for
/// all bodies of one model.
TD_API size_t td_body_save_size(const td_body *body);
TD_API void td_body_save(td_body *body, void *bytes);
/// TD_ERR_ARGUMENT for another size, or for the body of a world. TD_ERR_SYNTAX, with nothing
/// changed, when the bytes were damaged: a save holds a checksum.
TD_API td_status td_body_restore(td_body *body, const void *bytes, size_t size, td_diag *diag);

#ifdef __cplusplus
}
#endif
