// SPDX-License-Identifier: MIT
#pragma once

// Implicit steps and statics of any solver: one Newton's method on the incremental potential.
//
// A body is a state of a solver. A system is the bodies that are solved together; contact may
// couple them. tables.h lists the functions that Newton's method needs of a body.
//
// A step     begin, guess, Newton's method, then accept or undo. Between Newton's method and accept
//            undo restores the pose at which the step began, with the same bits.
// Driven     Bases and held ends have prescribed motions, as colliders have. `time` 0..1 is the
//            fraction of these motions within the step.

#include "base/clock.h"
#include "implicit/tables.h"
#include "tendril/island.h"

// ---- systems --------------------------------------------------------------------------------

// Capacity of a member's memory for contact, which may be below the limits of the options; several
// members have the sum. Results do not depend on it: see tdi_body_contact_lacks_room().
typedef struct tdi_member_room {
    tdi_contact_room contact;
    int32_t blocks; // a node, of the factor of all touching bodies; 0: they are not solved together
} tdi_member_room;

typedef struct tdi_member {
    td_body *body;
    const td_step_opts *opts;
    const char *name;     // for messages; NULL: none
    const td_vec3 *tried; // its points when this step was solved in a smaller island: a first
                          // guess; NULL: none
    bool solved_in_larger_island; // most other members were in that island: `tried` is free of
                                  // overlap with them
    bool without_contact;         // a member for its constraints alone
    int32_t relations;            // of constraints that couple it: contact gets room for them
    const tdi_member_room *room;  // of contact; NULL: as the limits are, for all members
    // exact contact: forces of colliders on its capsules, in the last step and after this one, as
    // tdi_planes_save_forces() has them; NULL: none
    const td_vec3 *warm_start;
    td_vec3 *contact_forces;
} tdi_member;

typedef struct tdi_body_contact tdi_body_contact;
typedef struct tdi_constraint_set tdi_constraint_set;
typedef struct tdi_coupled tdi_coupled; // see coupled.h

// Limits of the cost of a step.
typedef struct tdi_budget {
    int32_t iterations; // left to take
    td_real until;      // s, of tdi_clock_seconds(): the last time at which one begins; 0: any
    bool spent;         // an iteration was refused
    bool truncated;     // the step is solved by tdi_system_truncate()
    bool clear;         // the poses of exact contact are free of overlap, and must stay so
    int32_t enough;     // iterations left at which an unsolved pose may be taken
} tdi_budget;

// The parts of a step that are timed; see td_step_times.
typedef enum tdi_stage {
    TDI_STAGE_LOADS,
    TDI_STAGE_BEGIN,
    TDI_STAGE_CONTACT,
    TDI_STAGE_SOLVE,
    TDI_STAGE_SEARCH,
    TDI_STAGES
} tdi_stage;

typedef struct tdi_system {
    const tdi_member *member;
    int32_t count;
    tdi_body_contact *contact;       // contact between them and with colliders; NULL: none
    tdi_constraint_set *constraints; // constraints: the first of a list; NULL: none
    const td_collider *colliders;
    int32_t collider_count;
    bool withdraws; // colliders that overlap a member as a whole step begins, begin it beside it
    const tdi_collider_label *labels; // of the colliders; NULL: they are numbered as listed
    td_pool *pool;                    // threads that share its members; NULL: none
    tdi_budget *budget;               // what a step may cost; NULL: any
    td_real *seconds;                 // of each tdi_stage, added up; NULL: they are not timed
} tdi_system;

// ---- steps and statics ----------------------------------------------------------------------

static inline bool tdi_is_implicit(td_integrator integrator) {
    return integrator == TD_IMPLICIT || integrator == TD_IMPLICIT_EULER;
}

// options.c: what all solvers ask of options. Messages name the option, its value and its range.
// A caller's options as we have them; NULL: the defaults.
td_status tdi_step_opts_take(const td_step_opts *given, td_step_opts *own, td_diag *diag);
td_status tdi_step_opts_check(const td_step_opts *opts, int32_t segments, td_diag *diag);
td_status tdi_damping_opts_check(const td_damping_opts *opts, td_diag *diag);
td_status tdi_gravity_check(td_vec3 gravity, td_diag *diag);

// state.c: one body
// Whether it can be stepped with these options.
td_status tdi_state_check(const td_body *body, const td_step_opts *opts, td_diag *diag);
// Whether BDF2 can follow its last step; in pieces of a step only after one of equal length.
bool tdi_state_ready(const td_body *body, const td_step_opts *opts, td_real dt, bool whole);
void tdi_state_begin(td_body *body, const td_step_opts *opts, const tdi_rule *rule);
void tdi_state_guess(td_body *body, bool take);
// To TDI_START_TOWARDS, where the solver can.
void tdi_state_go_towards(td_body *body, const td_vec3 *x, td_real part);
void tdi_state_accept(td_body *body);
void tdi_state_undo(td_body *body);
void tdi_state_begin_rest(td_body *body, const td_step_opts *opts);
void tdi_state_end_rest(td_body *body);
// Between steps: sets velocities to zero and drops the history. The pose stays.
void tdi_state_stop(td_body *body);
void tdi_state_keep(td_body *body);
void tdi_state_try(td_body *body, td_real fraction);
// Saves the pose and tries the whole increments, with `follow` where the solver offers it.
void tdi_state_follow(td_body *body);
static inline bool tdi_state_offers(const td_body *body, tdi_point_kind kind) {
    return body->ops->traits.point_kinds >> kind & 1;
}
void tdi_state_read(td_body *body, tdi_points points, tdi_reading what, td_vec3 *x);
static inline void tdi_state_positions(td_body *body, tdi_points points, bool history, td_vec3 *x) {
    tdi_state_read(body, points, history ? TDI_HISTORY : TDI_NOW, x);
}
static inline void tdi_state_velocities(td_body *body, tdi_points points, td_vec3 *v) {
    tdi_state_read(body, points, TDI_VELOCITY, v);
}
static inline void tdi_state_motions(td_body *body, tdi_points points, bool response, td_vec3 *dx) {
    tdi_state_read(body, points, response ? TDI_RESPONSE : TDI_INCREMENT, dx);
}
void tdi_state_apply_forces(td_body *body, tdi_points points, const td_vec3 *forces);
void tdi_state_confine(td_body *body, tdi_points points);
void tdi_state_respond(td_body *body);
void tdi_state_add_response(td_body *body);
// All memory on which later steps depend, of the same size for all states of one model. Unused
// bytes are zero, so that equal futures have equal bytes. Any bytes of that size can be restored
// safely.
size_t tdi_state_save_size(const td_body *body);
void tdi_state_save(td_body *body, void *bytes);
void tdi_state_restore(td_body *body, const void *bytes);
// Transforms a body between steps, with its velocities and history, as one rigid motion.
void tdi_state_transform(td_body *body, const tdi_rigid *motion);

// step.c
// Checks the options of all members, and that they can be stepped together.
td_status tdi_system_check(const tdi_system *system, td_diag *diag);
// Solves a step without accepting it. After a failure, or without *converged, the bodies are
// unchanged. The barrier has the strength of the last step; after convergence that for the next.
td_status tdi_system_try(const tdi_system *system, bool *converged, td_step_stats *stats,
                         td_diag *diag);
void tdi_system_accept(const tdi_system *system, td_step_stats *stats);
// reaction.c: force and moment at a member's base, about a point, before the step is accepted.
// False: its solver does not offer that.
bool tdi_system_reaction(const tdi_system *system, int32_t member, td_vec3 about, td_vec3 *force,
                         td_vec3 *moment);
// Gives contact, and members that offer `use_scratch`, scratch memory of so many bytes on a cache
// line, as far as it suffices; NULL: their own memory.
void tdi_system_use_scratch(const tdi_system *system, void *memory, size_t bytes);
// Whether tdi_system_undo() can undo an accepted step, until the next one begins.
bool tdi_system_revocable(const tdi_system *system);
void tdi_system_undo(const tdi_system *system);
// Bytes that tdi_system_halves() needs to save the start of the step.
size_t tdi_system_memory(const tdi_system *system);
// Takes a step that did not converge in halves, recursively, and accepts it. After a failure the
// bodies are unchanged. `memory` saves the start of the step.
td_status tdi_system_halves(const tdi_system *system, void *memory, td_step_stats *stats,
                            td_diag *diag);
void tdi_system_restore(const tdi_system *system, const void *memory);
// Whether no time is left.
static inline bool tdi_budget_is_late(const tdi_budget *b) {
    return b->until > 0 && tdi_clock_seconds() > b->until;
}
// Takes an iteration; false: none is left. NULL: there always is.
static inline bool tdi_budget_take(tdi_budget *b) {
    if (b && (b->iterations <= 0 || tdi_budget_is_late(b))) {
        b->spent = true;
        return false;
    }
    if (b) {
        b->iterations--;
    }
    return true;
}
static inline bool tdi_is_spent(const tdi_budget *b) {
    return b && b->spent;
}
// Solves a step by backward Euler as far as system->budget allows, and takes the pose if it is free
// of overlap and its value has not risen; the caller accepts it. After a failure the bodies are
// unchanged.
td_status tdi_system_truncate(const tdi_system *system, td_step_stats *stats, td_diag *diag);
// Starts and ends a stage; that of TDI_STAGE_CONTACT lies in that of TDI_STAGE_SOLVE.
static inline td_real tdi_stage_start(const tdi_system *y) {
    return y->seconds ? tdi_clock_seconds() : 0;
}
static inline void tdi_stage_end(const tdi_system *y, tdi_stage which, td_real start) {
    if (y->seconds) {
        y->seconds[which] += tdi_clock_seconds() - start;
    }
}
// A whole step, or no change. `memory` is for halves; NULL: `alloc` supplies it when needed.
td_status tdi_system_step(const tdi_system *system, void *memory, const td_alloc *alloc,
                          td_step_stats *stats, td_diag *diag);
// Moves the bodies to rest.
td_status tdi_system_settle(const tdi_system *system, td_step_stats *stats, td_diag *diag);

// ---- Newton's method ------------------------------------------------------------------------

typedef struct tdi_newton_opts {
    int32_t iterations;
    td_real tolerance; // rad or m: largest increment of the last iteration
    bool rest;         // statics
    bool *positive;    // gets whether the last Hessian was positive definite; NULL: not asked
} tdi_newton_opts;

// rad or m: a longer path in statics means free fall, without a rest pose. A falling tree moves a
// metre in each of 5,000 iterations.
#define TDI_AWAY 4e3

// newton.c: minimises the value from the poses. TD_ERR_DIVERGED when a value is not finite, when
// colliders squeeze a body, and in free fall.
td_status tdi_newton(const tdi_system *system, const tdi_newton_opts *opts, bool *converged,
                     td_step_stats *stats, td_diag *diag);

// statics.c: a body alone, which offers `ease`, to rest.
td_status tdi_rest(td_body *body, const tdi_newton_opts *opts, bool *converged,
                   td_step_stats *stats);
