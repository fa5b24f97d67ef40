// SPDX-License-Identifier: MIT
#pragma once

// The seam: what a solver owes the rest. One table of functions each, so that loads, probes,
// exporters and viewers work with all of them, and nobody else knows their names. A solver is a
// folder with its table in a file solver.c, and a line in world/solvers.c.
//
// Segments   A solver moves the segments of a skeleton, in its order, whatever it makes of them
//            inside. A segment has an origin, a tip and a rotation of its own.
// Frames     Places, turns and velocities are in world axes; points, curvatures and moments of a
//            segment in its own.
// Handles    Models are constant and shared by the states of many actors; states are stepped one a
//            thread. What they are is known in the solver's file alone.
// Stiffness  The factor that a step takes for all springs is not the model's: moments get it, and
//            the elastic energy is without it.

#include "implicit/implicit.h"
#include "tendril/skeleton.h"
#include "tendril/solver.h"

typedef struct tdi_solver_model tdi_solver_model;
typedef struct tdi_solver_state tdi_solver_state;

typedef struct tdi_rate { // how a frame moves: turning rate, and velocity of its origin
    td_vec3 spin, velocity;
} tdi_rate;

// What a model is made with, besides its skeleton.
typedef struct tdi_model_opts {
    td_spring_law law; // of the solver's laws, or TD_LAW_DEFAULT
} tdi_model_opts;

typedef struct tdi_solver {
    td_solver_info info; // without contact, mutual, ends, rest, damping and modes, which follow
                         // from what is below

    // ---- models: those marked * may be NULL; then the solver does not offer them
    // Refuses by name what it cannot make of the skeleton. The skeleton outlives the model.
    td_status (*model_new)(const td_skeleton *skeleton, const tdi_model_opts *opts,
                           const td_alloc *alloc, tdi_solver_model **out, td_diag *diag);
    void (*model_free)(tdi_solver_model *model); // NULL is allowed
    int32_t (*dof_count)(const tdi_solver_model *model);
    // The numbers that tell models apart, without gaps, for telling saves apart.
    const void *(*parameters)(const tdi_solver_model *model, size_t *size);
    // * A model like this one whose drawn shape is one of rest under this gravity.
    td_status (*rest_new)(const tdi_solver_model *model, td_vec3 gravity, const td_alloc *alloc,
                          tdi_solver_model **out, td_diag *diag);
    // * A model like this one with other damping.
    td_status (*damped_new)(const tdi_solver_model *model, const td_damping_opts *opts,
                            const td_alloc *alloc, tdi_solver_model **out, td_diag *diag);

    // ---- states
    // As drawn, standing still. Takes all memory that stepping needs. The model outlives it.
    td_status (*state_new)(const tdi_solver_model *model, const td_alloc *alloc,
                           tdi_solver_state **out, td_diag *diag);
    void (*state_free)(tdi_solver_state *state); // NULL is allowed
    // Steps carry the base on from here with constant acceleration.
    void (*set_base)(tdi_solver_state *state, const td_base_motion *motion);
    // The base as it is now; set_base() with it changes nothing.
    td_base_motion (*base)(const tdi_solver_state *state);
    // * Whether an end of the first strand is held, and how it is drawn, in the axes of the base.
    bool (*end_pose)(const tdi_solver_model *model, bool end, td_vec3 *place, td_quat *turn);
    // * Where a held end shall be at the end of the next step.
    void (*set_end)(tdi_solver_state *state, bool end, td_vec3 place, td_quat turn);
    // * Makes of a load on a segment one that a step takes: segments may only ride on others.
    void (*place_load)(const tdi_solver_model *model, td_load *load);
    // A step by an explicit integrator, of those that the solver has; what fails leaves the state
    // as it was. NULL: it has none.
    td_status (*step)(tdi_solver_state *state, const td_step_opts *opts, td_step_stats *stats,
                      td_diag *diag);
    // * The largest moment or force that springs and weight leave unbalanced.
    td_real (*residual)(tdi_solver_state *state, td_vec3 gravity);
    // Implicit steps, statics and contact; bodies are what `own` gives.
    const tdi_implicit *implicit;

    // ---- segments
    // Joint, tip and rotation of all of them, and of one. Any may be NULL.
    void (*poses)(const tdi_solver_state *state, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations);
    void (*segment)(const tdi_solver_state *state, int32_t segment, td_vec3 *origin, td_vec3 *tip,
                    td_quat *rotation);
    // Velocities of the tips of all of them, and of a point of one.
    void (*velocities)(tdi_solver_state *state, td_vec3 *tips);
    td_vec3 (*velocity)(tdi_solver_state *state, int32_t segment, td_vec3 point);
    // Rotation vector from rest between a segment and what carries it, rad, and the moment of the
    // springs that it winds, N m.
    td_vec3 (*turn)(const tdi_solver_state *state, int32_t segment);
    td_vec3 (*moment)(const tdi_solver_state *state, int32_t segment, td_real stiffness);

    // ---- the whole
    td_sums (*sums)(tdi_solver_state *state, td_vec3 gravity);
    // * The lowest modes about the pose.
    td_status (*modes)(tdi_solver_state *state, td_vec3 gravity, int32_t count, td_mode *modes,
                       td_diag *diag);

    // ---- saving
    // All that the future of a state depends on; the same size for states of one model. Restoring
    // reads any bytes of that size without harm.
    size_t (*save_size)(const tdi_solver_state *state);
    void (*save)(const tdi_solver_state *state, void *bytes);
    void (*restore)(tdi_solver_state *state, const void *bytes);

    // ---- for callers who know it
    // The state as the solver's own header has it.
    void *(*own)(tdi_solver_state *state);
} tdi_solver;

// ---- one segment ----------------------------------------------------------------------------

static inline td_vec3 tdi_solver_origin(const tdi_solver *solver, const tdi_solver_state *state,
                                        int32_t segment) {
    td_vec3 origin;
    solver->segment(state, segment, &origin, NULL, NULL);
    return origin;
}

static inline td_vec3 tdi_solver_tip(const tdi_solver *solver, const tdi_solver_state *state,
                                     int32_t segment) {
    td_vec3 tip;
    solver->segment(state, segment, NULL, &tip, NULL);
    return tip;
}

static inline td_quat tdi_solver_rotation(const tdi_solver *solver, const tdi_solver_state *state,
                                          int32_t segment) {
    td_quat rotation;
    solver->segment(state, segment, NULL, NULL, &rotation);
    return rotation;
}
