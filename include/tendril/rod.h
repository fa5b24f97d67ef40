// SPDX-License-Identifier: MIT
#pragma once

/// @file rod.h
/// Discrete elastic rods: chains of vertices that stretch, bend and twist, alone, branching or
/// closed to rings, with rigid bodies on them. Build a model once, from curves or from a skeleton,
/// share it read-only, step one state a thread.
///
/// Axes of an edge: +Y along it, Z the first and X the second material director, as those of a
/// skeleton's segment.

#include "tendril/island.h"
#include "tendril/skeleton.h"
#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_rod_model td_rod_model; ///< Fixed after creation. Safe to read from any thread.
typedef struct td_rod_state
    td_rod_state; ///< Everything that moves, and scratch memory. One for each thread.

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
                                  const td_alloc *alloc, td_rod_model **out, td_diag *diag);

/// A skeleton as a network of rods: an edge a segment, in its order; joints keep their springs,
/// organs and segments with a given mass become welded bodies. Segments without parent are clamped
/// to the base; free ones are free. TD_ERR_STRUCTURE, naming the segment, for what rods cannot be:
/// hinges and slides.
TD_API td_status td_rod_model_from_skeleton(const td_skeleton *skeleton, const td_alloc *alloc,
                                            td_rod_model **out, td_diag *diag);
TD_API void td_rod_model_free(td_rod_model *model); ///< NULL is allowed.
TD_API size_t td_rod_model_bytes(const td_rod_model *model);
/// Edges in all: rod after rod, or one a segment.
TD_API int32_t td_rod_edge_count(const td_rod_model *model);
TD_API int32_t td_rod_dof_count(const td_rod_model *model);
/// Vertices in all, and that with number `vertex` of a rod.
TD_API int32_t td_rod_vertex_count(const td_rod_model *model);
TD_API int32_t td_rod_vertex(const td_rod_model *model, int32_t rod, int32_t vertex);

/// At the start, at rest, time 0. All memory that stepping needs is taken here.
/// The model must outlive the state.
TD_API td_status td_rod_state_new(const td_rod_model *model, const td_alloc *alloc,
                                  td_rod_state **out, td_diag *diag);
TD_API void td_rod_state_free(td_rod_state *state); ///< NULL is allowed.
TD_API size_t td_rod_state_bytes(const td_rod_state *state);
TD_API void td_rod_state_reset(td_rod_state *state); ///< Back to the start.

/// Advances by opts->dt; TD_IMPLICIT and TD_IMPLICIT_EULER minimise the incremental potential,
/// TD_EULER is the explicit method of the paper (Bergou et al. 2008): symplectic Euler, quasistatic
/// frames, projection to the lengths; TD_ERR_STRUCTURE for rods with branches or bodies. Never
/// allocates, but for a step that has to be taken in halves. TD_ERR_DIVERGED, with the state as it
/// was, when a value is not finite or, by TD_EULER, lengths cannot be kept.
TD_API td_status td_rod_step(td_rod_state *state, const td_step_opts *opts, td_step_stats *stats,
                             td_diag *diag);

/// The state for islands, in which states of all solvers touch.
TD_API td_state_ref td_rod_ref(td_rod_state *state);

/// Computes a pose at rest under gravity, from the current pose. Velocities become 0.
TD_API td_status td_rod_settle(td_rod_state *state, const td_step_opts *opts, td_step_stats *stats,
                               td_diag *diag);

// ---- places ---------------------------------------------------------------------------------

/// Start and end of an edge, m, and its rotation.
TD_API td_vec3 td_rod_origin(const td_rod_state *state, int32_t edge);
TD_API td_vec3 td_rod_tip(const td_rod_state *state, int32_t edge);
TD_API td_quat td_rod_rotation(const td_rod_state *state, int32_t edge);
/// Place and velocity of a vertex, by td_rod_vertex(). Setting them forgets the past of the
/// multistep rule.
TD_API td_vec3 td_rod_position(const td_rod_state *state, int32_t vertex);
TD_API td_vec3 td_rod_velocity(const td_rod_state *state, int32_t vertex);
TD_API td_status td_rod_set_vertex(td_rod_state *state, int32_t vertex, td_vec3 position,
                                   td_vec3 velocity);
/// Angular velocity of an edge about its own axis, rad/s, and the twist of the joint at its start,
/// rad.
TD_API td_real td_rod_spin(const td_rod_state *state, int32_t edge);
TD_API td_status td_rod_set_spin(td_rod_state *state, int32_t edge, td_real rate);
TD_API td_real td_rod_twist_angle(const td_rod_state *state, int32_t edge);
/// Turns the frame of an edge about itself, rad, by less than half a turn. Forgets the past of the
/// multistep rule.
TD_API td_status td_rod_turn(td_rod_state *state, int32_t edge, td_real angle);
/// Moment of the joint at an edge's start, N m, in the edge's axes, and the pull along it, N.
TD_API td_vec3 td_rod_moment(const td_rod_state *state, int32_t edge);
TD_API td_real td_rod_tension(const td_rod_state *state, int32_t edge);

/// Sets the base, to which all clamped and pinned ends are attached, as td_tree_set_base().
TD_API td_status td_rod_set_base(td_rod_state *state, const td_base_motion *motion);
/// Sets the position of a clamped or pinned end at the end of the next step and, if it is clamped,
/// the rotation of its edge. It can turn by less than half a turn in a step.
TD_API td_status td_rod_set_end(td_rod_state *state, int32_t rod, bool end, td_vec3 position,
                                td_quat rotation);

// ---- laws -----------------------------------------------------------------------------------

TD_API td_energy td_rod_energy(td_rod_state *state, td_vec3 gravity);
/// What springs and weight do to vertices, N, by td_rod_vertex(), and to the turns of edges, N m:
/// the slopes of elastic energy and weight, with the sign turned. Where something is held it is
/// what the support bears. Either may be NULL.
TD_API void td_rod_forces(td_rod_state *state, td_vec3 gravity, td_vec3 *forces, td_real *moments);
/// The largest of them where nothing is held, N or N m: 0 at rest.
TD_API td_real td_rod_residual(td_rod_state *state, td_vec3 gravity);
/// Linear momentum, and angular momentum about the origin.
TD_API void td_rod_momentum(const td_rod_state *state, td_vec3 *linear, td_vec3 *angular);

// ---- vibration ------------------------------------------------------------------------------

/// The `count` lowest modes about the state's pose, as td_tree_modes(). `shapes`, if given, gets
/// count rows of 7 numbers an edge: how its start and its end move, m, and its turn about itself,
/// rad; scaled to unit modal mass.
TD_API td_status td_rod_modes(td_rod_state *state, td_vec3 gravity, int32_t count, td_mode *modes,
                              td_real *shapes, td_diag *diag);

#ifdef __cplusplus
}
#endif
