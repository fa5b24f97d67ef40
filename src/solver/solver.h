// SPDX-License-Identifier: MIT
#pragma once

// The interface of solvers to worlds: one table of functions each, so that loads, probes, exporters
// and viewers work with all of them, and no code outside a solver's folder names it. A solver is a
// folder with its table in a file solver.c, and a line in body/solvers.c. What Newton's method asks
// of it is in implicit/tables.h.
//
// Segments   A solver moves the segments of a skeleton, in its order, whatever it makes of them
//            inside. A segment has an origin, a tip and a rotation of its own.
// Frames     Places, turns and velocities are in world axes; points, curvatures and moments of a
//            segment in its own.
// Handles    Models are constant while states step and shared by the states of many actors; states
//            are stepped one a thread. A model begins with a td_body_model and a state with a
//            td_body; what else they are is known in the solver's folder alone. Each is one block.
// Stiffness  The factor that a step takes for all springs is not the model's: moments get it, and
//            the elastic energy is without it.

#include "implicit/implicit.h"
#include "plant/cut.h"
#include "tendril/constraint.h"
#include "tendril/island.h"
#include "tendril/body.h"
#include "tendril/skeleton.h"
#include "tendril/solver.h"

// What every model begins with, as `head`.
struct td_body_model {
    const struct tdi_solver *solver;
    const td_alloc *alloc;
    size_t bytes; // of the model and all it points to, which are one block
    int32_t segment_count, dof_count;
    int32_t element_count;  // curved elements; 0: the segments themselves are simulated
    const void *parameters; // the numbers that tell models apart, without gaps: a save belongs to
                            // models whose numbers are the same
    size_t parameter_bytes;
};

typedef struct tdi_rate { // how a frame moves: turning rate, and velocity of its origin
    td_vec3 spin, velocity;
} tdi_rate;

// Factors of the stiffness in bending and in twist.
typedef struct tdi_factors {
    td_real bend, twist;
} tdi_factors;

// Explicit integrators of a solver. The solver does not know them: body/solvers.c does.
typedef struct tdi_explicit_ops {
    uint32_t integrators; // bits of td_integrator
    // With options that were checked; what fails leaves the state as it was.
    td_status (*step)(void *state, const td_step_opts *opts, td_step_stats *stats, td_diag *diag);
    bool analytic; // td_analytic steps its states with constraints and contact
} tdi_explicit_ops;

enum { TDI_SPRINGS = 16 }; // numbers a segment, at most

// Motion, springs and models that go over from one skeleton to another, cut or grown.
typedef struct tdi_transfer_ops {
    // Takes the motion of another state, whose segments its own come from, one entry a segment:
    // poses, velocities, and as much of the past as there can be. Its base is set; it is as drawn.
    void (*inherit)(void *state, void *from, const tdi_segment_source *segment_map);
    // * Numbers of the springs at a segment and of their rest, which rest_new and damped_new may
    // have changed: writes them, or with `set` reads them, of as many as TDI_SPRINGS; gives their
    // count, which is the same for all segments of all models. Any numbers are safe.
    int32_t (*springs)(void *model, int32_t segment, bool set, td_real *numbers);
    // * Takes the springs and their damping of `count` segments from `first` on, in which the
    // skeleton `to` differs from that of the model, `from`; all of the model's springs are `by`
    // times those of a skeleton. Refuses springs that it does not
    // have, and leaves the model unchanged.
    td_status (*take_springs)(void *model, const td_skeleton *from, const td_skeleton *to,
                              int32_t first, int32_t count, tdi_factors by, td_diag *diag);
    // * The model of a cut or grown skeleton, for a solver that would divide it differently than
    // the old one, so that the motion could not continue. Of a cut skeleton it keeps the remaining
    // segments. With options the skeleton has grown: old segments keep their numbers, new ones get
    // these options and springs `by` times those of the skeleton. `pack` returns the size of such
    // a model in bytes, and writes them unless `bytes` is NULL.
    td_status (*next_new)(const void *model, const td_skeleton *from, const td_skeleton *to,
                          const tdi_segment_source *segment_map, const td_body_opts *with,
                          tdi_factors by, const td_alloc *alloc, td_body_model **out,
                          td_diag *diag);
    size_t (*pack)(const void *model, char *bytes);
    td_status (*unpack)(const td_skeleton *skeleton, const char *bytes, size_t size,
                        const td_alloc *alloc, td_body_model **out, td_diag *diag);
} tdi_transfer_ops;

// Ends of the first strand with prescribed motion.
typedef struct tdi_end_ops {
    // Whether an end is driven, and its drawn pose in the axes of the base.
    bool (*pose)(const void *model, bool end, td_vec3 *place, td_quat *turn);
    // Target of a driven end at the end of the next step.
    void (*set)(void *state, bool end, td_vec3 place, td_quat turn);
} tdi_end_ops;

// Those marked * may be left out; then the solver does not offer them.
typedef struct tdi_solver {
    td_solver_info info; // with implicit integrators alone; without contact, mutual, ends, rest,
                         // damping and modes, which follow from the tables below

    // ---- models
    // Refuses by name what it cannot make of the skeleton, which outlives the model.
    td_status (*model_new)(const td_skeleton *skeleton, const td_body_opts *opts,
                           const td_alloc *alloc, td_body_model **out, td_diag *diag);
    // ---- states
    // As drawn, standing still. Takes all memory that stepping needs. The model outlives it.
    td_status (*state_new)(const void *model, const td_alloc *alloc, td_body **out, td_diag *diag);
    // Steps carry the base on from here with constant acceleration. A state without a past whose
    // points all move with the base takes the velocity and spin of the new motion.
    void (*set_base)(void *state, const td_base_motion *motion);
    // Implicit steps, statics, contact and saving.
    const tdi_implicit *implicit;
    const tdi_transfer_ops *transfer; // * left out: its actors cannot be cut, and do not grow
    const tdi_end_ops *ends;          // * left out: no driven ends

    // ---- segments
    // Joints, tips and rotations of `count` segments from `first` on. Any may be NULL. The function
    // may update the state before it reads.
    void (*poses)(void *state, int32_t first, int32_t count, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations);
    // Velocities of points of these segments, one each; NULL: of their tips.
    void (*velocities)(void *state, int32_t first, int32_t count, const td_vec3 *points,
                       td_vec3 *velocities);

    // ---- the whole
    td_sums (*sums)(void *state, td_vec3 gravity);

    // * Whose models these states have, with fewer unknowns: reduce/reduced.h.
    const struct tdi_solver *reduced_of;
} tdi_solver;

// Its tables; an empty one when it has none.
const tdi_statics_ops *tdi_statics_of(const tdi_solver *solver);
const tdi_transfer_ops *tdi_transfer_of(const tdi_solver *solver);

// ---- models and steps -----------------------------------------------------------------------

// Blocks for a model and for a state, all zero; or NULL, with a message. A state has so many
// coordinates in its head.
void *tdi_model_new(const tdi_solver *solver, const td_alloc *alloc, size_t bytes, td_diag *diag);
void *tdi_body_new(const tdi_solver *solver, const void *model, const td_alloc *alloc, size_t bytes,
                   int32_t coords, td_diag *diag);
void tdi_model_free(void *model); // NULL is allowed

// A body by itself to rest. `opts` are those of a caller, of any version, or NULL: the defaults.
// `stats` may be NULL.
td_status tdi_body_settle(td_body *body, const td_step_opts *opts, td_step_stats *stats,
                          td_diag *diag);

// The damping time for which the lowest mode that damping reaches has a ratio, of a model that is
// damped with a time of 1 s: ratios grow in proportion to the time.
td_status tdi_damping_time(const td_body_model *second, const td_damping_opts *opts,
                           const td_alloc *alloc, td_real *time, td_diag *diag);

// ---- one segment ----------------------------------------------------------------------------

static inline td_vec3 tdi_solver_origin(const tdi_solver *solver, void *state, int32_t segment) {
    td_vec3 origin;
    solver->poses(state, segment, 1, &origin, NULL, NULL);
    return origin;
}

static inline td_vec3 tdi_solver_tip(const tdi_solver *solver, void *state, int32_t segment) {
    td_vec3 tip;
    solver->poses(state, segment, 1, NULL, &tip, NULL);
    return tip;
}

static inline td_quat tdi_solver_rotation(const tdi_solver *solver, void *state, int32_t segment) {
    td_quat rotation;
    solver->poses(state, segment, 1, NULL, NULL, &rotation);
    return rotation;
}

static inline td_vec3 tdi_solver_velocity(const tdi_solver *solver, void *state, int32_t segment,
                                          td_vec3 point) {
    td_vec3 velocity;
    solver->velocities(state, segment, 1, &point, &velocity);
    return velocity;
}

static inline td_vec3 tdi_solver_turn(const tdi_solver *solver, void *state, int32_t segment) {
    td_vec3 turn = {0, 0, 0};
    if (tdi_statics_of(solver)->bending) {
        tdi_statics_of(solver)->bending(state, segment, 1, &turn, NULL);
    }
    return turn;
}

static inline td_vec3 tdi_solver_moment(const tdi_solver *solver, void *state, int32_t segment,
                                        td_real stiffness) {
    td_vec3 moment = {0, 0, 0};
    if (tdi_statics_of(solver)->bending) {
        tdi_statics_of(solver)->bending(state, segment, stiffness, NULL, &moment);
    }
    return moment;
}
