// SPDX-License-Identifier: MIT
#pragma once

/// @file rod.h
/// What only discrete elastic rods have (solver "rod" of body.h): chains of vertices that stretch,
/// bend and twist, alone, branching or closed to rings, with rigid bodies on them. Models can be
/// made from curves. Bodies and models of other solvers are refused.
///
/// By the integrator TD_EULER rods move by the explicit method of the paper (Bergou et al. 2008):
/// symplectic Euler, quasistatic frames, projection to the lengths; TD_ERR_STRUCTURE for rods with
/// branches or bodies, TD_ERR_DIVERGED when lengths cannot be kept.
/// A skeleton becomes a network of rods: an edge a segment, in its order; joints keep their
/// springs, organs and segments with a given mass become welded bodies. Segments without parent are
/// clamped to the base; free ones are free. Rods have no hinges and slides.
///
/// Axes of an edge: +Y along it, Z the first and X the second material director, as those of a
/// skeleton's segment.

#include "tendril/skeleton.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One rod. Start from td_rod_def_default(): straight at rest along its points, 5 mm thick.
typedef struct td_rod_def {
    uint32_t struct_size;
    int32_t vertex_count;   ///< >= 2; of a closed rod >= 3.
    const td_vec3 *points;  ///< m, as it starts.
    const td_vec3 *rest;    ///< m: its rest shape; NULL (default): that of `points`.
    bool straight;          ///< The rest shape is straight, with the lengths of `rest` or `points`.
    td_real radius;         ///< m, > 0: of the section along X. Default 0.0025.
    td_real radius_other;   ///< m: along Z. 0 (default): round.
    const td_real *radii;   ///< m, of every edge, in place of `radius`; NULL (default): all alike.
    td_vec3 director;       ///< Z of the first edge; (0,0,0) (default): chosen.
    td_real twist_rest;     ///< rad/m: twist of the rest shape. Default 0.
    td_real twist;          ///< rad: additional twist at time 0, spread evenly.
    bool closed;            ///< From the last vertex on to the first.
    td_end_kind start, end; ///< Default free; a closed rod has none.
    int32_t parent_rod;     ///< Earlier rod that it grows from, or TD_NONE (default).
    int32_t parent_vertex;  ///< Its vertex there, which is the first of this rod.
    td_real density;        ///< kg/m^3, > 0. Default 1000.
    td_real young;          ///< Pa, > 0. Default 1e7.
    td_real shear;          ///< Pa; 0 (default): young/(2(1 + poisson)).
    td_real poisson;        ///< In (-1, 0.5]. Default 0.5.
    td_real damping_time;   ///< s, >= 0: damping = damping_time * stiffness. Default 0.
    /// Stiffness and mass of the section; 0 (default): from radius and material.
    td_real bend_x;    ///< N m^2: against bending about X.
    td_real bend_z;    ///< N m^2: about Z.
    td_real twist_y;   ///< N m^2: against twist.
    td_real stretch;   ///< N: against stretching, EA.
    td_real mass;      ///< kg/m.
    bool inextensible; ///< A hundred times as stiff against stretching. Default false.
} td_rod_def;

TD_API td_rod_def td_rod_def_default(void);

/// A rigid body welded to an edge, moving with its start and frame.
typedef struct td_rod_body {
    int32_t rod, edge;
    td_real mass;           ///< kg, > 0.
    td_vec3 centre_of_mass; ///< m, in the edge's axes, from its start.
    td_sym3 second_moment;  ///< Integral of density X X^T about the edge's start, kg m^2.
} td_rod_body;

/// Copies rods and bodies into a new model. Checks every field in every build type.
/// On failure *out is NULL and *diag, if given, names the rod and the field.
TD_API td_status td_rod_model_new(const td_rod_def *rods, int32_t rod_count,
                                  const td_rod_body *bodies, int32_t body_count,
                                  const td_alloc *alloc, td_body_model **out, td_diag *diag);

/// Vertices in all, and that with number `vertex` of a rod.
TD_API int32_t td_rod_vertex_count(const td_body_model *model);
TD_API int32_t td_rod_vertex(const td_body_model *model, int32_t rod, int32_t vertex);

// ---- places ---------------------------------------------------------------------------------

/// Place and velocity of a vertex, by td_rod_vertex(). Setting them forgets the past of the
/// multistep rule. TD_ERR_ARGUMENT for numbers that are not finite, here and below.
TD_API td_vec3 td_rod_position(const td_body *body, int32_t vertex);
TD_API td_vec3 td_rod_velocity(const td_body *body, int32_t vertex);
TD_API td_status td_rod_set_vertex(td_body *body, int32_t vertex, td_vec3 position,
                                   td_vec3 velocity, td_diag *diag);
/// Angular velocity of an edge about its own axis, rad/s, and the twist of the joint at its start,
/// rad.
TD_API td_real td_rod_spin(const td_body *body, int32_t edge);
TD_API td_status td_rod_set_spin(td_body *body, int32_t edge, td_real rate, td_diag *diag);
TD_API td_real td_rod_twist_angle(const td_body *body, int32_t edge);
/// Turns the frame of an edge about itself, rad, by less than half a turn. Forgets the past of the
/// multistep rule.
TD_API td_status td_rod_turn(td_body *body, int32_t edge, td_real angle, td_diag *diag);
/// Tension along an edge, N.
TD_API td_real td_rod_tension(const td_body *body, int32_t edge);

/// Sets the position of a clamped or pinned end at the end of the next step and, if it is clamped,
/// the rotation of its edge. It can turn by less than half a turn in a step.
TD_API td_status td_rod_set_end(td_body *body, int32_t rod, bool end, td_vec3 position,
                                td_quat rotation, td_diag *diag);

// ---- laws -----------------------------------------------------------------------------------

/// Forces of springs and weight on vertices, N, by td_rod_vertex(), and their moments on the turns
/// of edges, N m: minus the derivatives of elastic energy and weight. At a support they are the
/// load on it. Either may be NULL.
TD_API void td_rod_forces(td_body *body, td_vec3 gravity, td_vec3 *forces, td_real *moments);

// ---- vibration ------------------------------------------------------------------------------

/// td_body_modes() with mode shapes. `shapes`, if given, gets count rows of 7 numbers an edge: how
/// its start and its end move, m, and its turn about itself, rad; scaled to unit modal mass.
TD_API td_status td_rod_modes(td_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
                              td_real *shapes, td_diag *diag);

#ifdef __cplusplus
}
#endif
