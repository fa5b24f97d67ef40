// SPDX-License-Identifier: MIT
#pragma once

/// @file helix.h
/// What only Super-Helices have (solver "helix" of body.h): rods as pieces of helices. An element
/// has two curvatures and a twist, constant along it, as its only unknowns; lengths never change.
/// Models can be made from elements. Bodies and models of other solvers are refused.
/// docs/theory/helix.md says how a skeleton becomes helices; hinges, slides, rings and clamped or
/// pinned far ends are refused. The integrator TD_EULER is the published recursive method
/// (Bertails 2009) with frozen twist.
///
/// Axes of a frame: +Y along the centreline, X and Z the principal axes of the section, as those of
/// a skeleton's segment. Curvatures are vectors in these axes, 1/m: (about X, twist about Y, about
/// Z), so that a frame R changes along the element by R' = R [u]x.

#include "tendril/skeleton.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

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
                                    const td_alloc *alloc, td_body_model **out, td_diag *diag);

/// Curvatures and their rates, 1/m and 1/(m s), of all elements. Either may be NULL. Setting them
/// forgets the past of the multistep rule.
TD_API void td_helix_curvatures(const td_body *body, td_vec3 *curvatures, td_vec3 *rates);
TD_API td_status td_helix_set_curvatures(td_body *body, const td_vec3 *curvatures,
                                         const td_vec3 *rates, td_diag *diag);
/// Place, m, and frame of the centreline at a part 0..1 of an element.
TD_API td_vec3 td_helix_place(const td_body *body, int32_t element, td_real at);
TD_API td_quat td_helix_frame(const td_body *body, int32_t element, td_real at);

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
TD_API_UNSTABLE td_status td_helix_accelerations(td_body *body, const td_step_opts *opts,
                                                 td_helix_published published,
                                                 td_vec3 *accelerations, td_diag *diag);
/// A step of opts->dt, semi-implicit as published.
TD_API_UNSTABLE td_status td_helix_step_published(td_body *body, const td_step_opts *opts,
                                                  td_helix_published published, td_diag *diag);

#ifdef __cplusplus
}
#endif
