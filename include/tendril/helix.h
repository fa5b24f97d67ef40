// SPDX-License-Identifier: MIT
#pragma once

/// @file helix.h
/// Super-Helices: rods as pieces of helices. An element has two curvatures and a twist, constant
/// along it, as its only unknowns; lengths never change. Build a model once, from elements or from
/// a skeleton, share it read-only, step one state a thread.
///
/// Axes of a frame: +Y along the centreline, X and Z the principal axes of the section, as those of
/// a skeleton's segment. Curvatures are vectors in these axes, 1/m: (about X, twist about Y, about
/// Z), so that a frame R changes along the element by R' = R [u]x.

#include "tendril/island.h"
#include "tendril/skeleton.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_helix_model td_helix_model; ///< Fixed after creation. Safe to read anywhere.
typedef struct td_helix_state
    td_helix_state; ///< Everything that moves, and scratch memory. One for each thread.

/// One element to make. Start from td_helix_element_default(): straight, 10 cm long, 5 mm thick, at
/// the end of its parent.
typedef struct td_helix_element {
    uint32_t struct_size;
    int32_t parent;       ///< Index of an earlier element, or TD_NONE (default): on the base.
    td_real at;           ///< 0..1 of the parent's length: where it grows from. Default 1.
    td_vec3 place;        ///< m: its start in the axes of the frame there. Default 0.
    td_quat turn;         ///< Its frame there. Default identity.
    td_end_kind root;     ///< Without parent: how its start is held. Default clamped.
    td_real length;       ///< m, > 0.
    td_real radius_base;  ///< m, > 0: of the section along X.
    td_real radius_tip;   ///< m, > 0: the radius is linear between.
    td_real flat;         ///< > 0: the section along Z over that along X. Default 1, round.
    td_vec3 rest;         ///< 1/m: curvatures and twist at ease. Default 0.
    td_vec3 start;        ///< 1/m: likewise at time 0.
    td_real density;      ///< kg/m^3, > 0. Default 1000.
    td_real young;        ///< Pa, > 0. Default 1e7.
    td_real shear;        ///< Pa; 0 (default): young/(2(1 + poisson)).
    td_real poisson;      ///< In (-1, 0.5]. Default 0.5.
    td_real damping_time; ///< s, >= 0: internal friction = damping_time * stiffness. Default 0.
    /// Stiffness and mass of the section; 0 (default): from radius and material.
    td_real bend_x;  ///< N m^2.
    td_real bend_z;  ///< N m^2.
    td_real twist_y; ///< N m^2.
    td_real mass;    ///< kg/m.
} td_helix_element;

TD_API td_helix_element td_helix_element_default(void);

/// Copies elements into a new model. Checks every field in every build type; an element of more
/// than a hundred turns is refused. On failure *out is NULL and *diag names the element and the
/// field. To contact an element is a capsule from its start to its end: cut it where it curls.
TD_API td_status td_helix_model_new(const td_helix_element *elements, int32_t count,
                                    const td_alloc *alloc, td_helix_model **out, td_diag *diag);
/// A skeleton as helices: see docs/theory/helix.md. TD_ERR_STRUCTURE, naming the segment, for what
/// helices cannot be: hinges, slides, rings and held far ends.
TD_API td_status td_helix_model_from_skeleton(const td_skeleton *skeleton, const td_alloc *alloc,
                                              td_helix_model **out, td_diag *diag);
TD_API void td_helix_model_free(td_helix_model *model); ///< NULL is allowed.
TD_API size_t td_helix_model_bytes(const td_helix_model *model);
TD_API int32_t td_helix_element_count(const td_helix_model *model);
TD_API int32_t td_helix_dof_count(const td_helix_model *model);

/// As it starts, standing still, time 0. All memory that stepping needs is taken here.
/// The model must outlive the state.
TD_API td_status td_helix_state_new(const td_helix_model *model, const td_alloc *alloc,
                                    td_helix_state **out, td_diag *diag);
TD_API void td_helix_state_free(td_helix_state *state); ///< NULL is allowed.
TD_API size_t td_helix_state_bytes(const td_helix_state *state);
TD_API const td_helix_model *td_helix_model_of(const td_helix_state *state); ///< Borrowed.

/// Advances by opts->dt; TD_IMPLICIT and TD_IMPLICIT_EULER minimise the incremental potential,
/// TD_EULER is the published recursive method (Bertails 2009) with frozen twist. Never allocates,
/// but for a step that has to be taken in halves. TD_ERR_DIVERGED, with the state as it was, when a
/// value is not finite.
TD_API td_status td_helix_step(td_helix_state *state, const td_step_opts *opts,
                               td_step_stats *stats, td_diag *diag);
/// Computes a pose at rest under gravity, from the current pose. Velocities become 0.
TD_API td_status td_helix_settle(td_helix_state *state, const td_step_opts *opts,
                                 td_step_stats *stats, td_diag *diag);
/// The state for islands, in which states of all solvers touch.
TD_API td_state_ref td_helix_ref(td_helix_state *state);

/// Curvatures and their rates, 1/m and 1/(m s), of all elements. Either may be NULL. Setting them
/// forgets the past of the multistep rule.
TD_API void td_helix_curvatures(const td_helix_state *state, td_vec3 *curvatures, td_vec3 *rates);
TD_API td_status td_helix_set_curvatures(td_helix_state *state, const td_vec3 *curvatures,
                                         const td_vec3 *rates);
/// Place, m, and frame of the centreline at a part 0..1 of an element.
TD_API td_vec3 td_helix_place(const td_helix_state *state, int32_t element, td_real at);
TD_API td_quat td_helix_frame(const td_helix_state *state, int32_t element, td_real at);

/// Joint, tip and rotation of a segment of the skeleton, read off the helices; without a skeleton
/// segments are the elements. Any may be NULL.
TD_API void td_helix_segment(const td_helix_state *state, int32_t segment, td_vec3 *origin,
                             td_vec3 *tip, td_quat *rotation);

/// Sets the base, to which all roots are attached, as td_tree_set_base().
TD_API td_status td_helix_set_base(td_helix_state *state, const td_base_motion *motion);

TD_API td_energy td_helix_energy(td_helix_state *state, td_vec3 gravity);
/// Linear momentum, and angular momentum about the origin.
TD_API void td_helix_momentum(td_helix_state *state, td_vec3 *linear, td_vec3 *angular);
/// The `count` lowest modes about the state's pose, as td_tree_modes().
TD_API td_status td_helix_modes(td_helix_state *state, td_vec3 gravity, int32_t count,
                                td_mode *modes, td_diag *diag);

// ---- as published ---------------------------------------------------------------------------

typedef enum td_helix_method {
    TD_HELIX_RECURSIVE, ///< Inertias from tip to root, accelerations from root to tip: O(N).
    TD_HELIX_COMPOSITE, ///< One dense matrix: its reference, O(N^3).
} td_helix_method;

/// How the published methods work.
typedef struct td_helix_published {
    td_helix_method method;
    bool twist; ///< Twist moves; else it is frozen, as published.
} td_helix_published;

/// Second derivatives of curvatures by time, 1/(m s^2), from springs, friction, gravity and loads.
/// Allocates for the dense method.
TD_API_UNSTABLE td_status td_helix_accelerations(td_helix_state *state, const td_step_opts *opts,
                                                 td_helix_published published,
                                                 td_vec3 *accelerations, td_diag *diag);
/// A step of opts->dt, semi-implicit as published.
TD_API_UNSTABLE td_status td_helix_step_published(td_helix_state *state, const td_step_opts *opts,
                                                  td_helix_published published, td_diag *diag);

#ifdef __cplusplus
}
#endif
