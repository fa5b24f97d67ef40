// SPDX-License-Identifier: MIT
#pragma once

// Implicit steps and statics of any solver: one Newton's method on the incremental potential.
//
// A body is a state of a solver. A system is the bodies that are solved together; contact may
// couple them. What Newton's method asks of a body is in tables.h.
//
// A step     begin, guess, Newton's method, then accept or undo. Between Newton's method and accept
//            a body still knows where the step began: undo gives the same bits.
// Driven     what a body cannot choose: where its base goes, and ends that are held. `time` 0..1
//            says how far these and the colliders have come in the step.

#include "base/clock.h"
#include "implicit/tables.h"
#include "tendril/island.h"

// ---- systems --------------------------------------------------------------------------------

// What contact of a member has memory for, which may be less than the limits of the options. Of
// several members it is the sum. Results do not depend on it: see tdi_body_contact_lacks_room().
typedef struct tdi_member_room {
    tdi_contact_room contact;
    int32_t blocks; // a node, of the factor of all touching bodies; 0: they are not solved together
} tdi_member_room;

typedef struct tdi_member {
    td_body *body;
    const td_step_opts *opts;
    const char *name;     // for messages; NULL: none
    const td_vec3 *tried; // where its points were when this step was solved without others that it
                          // came near to: a first guess; NULL: none
    bool solved_in_larger_island; // it was solved with most others then: where it came to is free
                                  // of them
    bool without_contact;         // contact does not see it: it is here for what holds it
    int32_t relations;            // of constraints that couple it: contact gets room for them
    const tdi_member_room *room;  // of contact; NULL: as the limits are, for all members
    // of its capsules: what tdi_planes_leave() left in the last step, and leaves in this; NULL:
    // none
    const td_vec3 *borne;
    td_vec3 *bears;
} tdi_member;

typedef struct tdi_body_contact tdi_body_contact;
typedef struct tdi_constraint_set tdi_constraint_set;
typedef struct tdi_coupled tdi_coupled; // see coupled.h

// What the solution of a step may cost.
typedef struct tdi_budget {
    int32_t iterations; // that are left
    td_real until;      // s, of tdi_clock_seconds(): none begins later; 0: any time
    bool spent;         // an iteration was refused
    bool truncated;     // the step is solved by tdi_system_truncate()
    bool clear;         // its poses have been free of overlap with exact contact, and must stay so
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

// state.c: a body alone
// Whether it can be stepped with these options.
td_status tdi_state_check(const td_body *body, const td_step_opts *opts, td_diag *diag);
// Whether BDF2 can go on from its last step; pieces of a step only if that was as long.
bool tdi_state_ready(const td_body *body, const td_step_opts *opts, td_real dt, bool whole);
void tdi_state_begin(td_body *body, const td_step_opts *opts, const tdi_rule *rule);
void tdi_state_guess(td_body *body, bool take);
// To TDI_START_TOWARDS, where the solver can.
void tdi_state_seek(td_body *body, const td_vec3 *x, td_real part);
void tdi_state_accept(td_body *body);
void tdi_state_undo(td_body *body);
void tdi_state_begin_rest(td_body *body, const td_step_opts *opts);
void tdi_state_end_rest(td_body *body);
// Between steps: nothing moves any more, and the past is forgotten. The pose stays.
void tdi_state_stop(td_body *body);
void tdi_state_keep(td_body *body);
void tdi_state_try(td_body *body, td_real fraction);
// Keeps the pose and tries all of the increments, so that bodies follow where the solver can.
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
// All that its future depends on; as many bytes for all states of one model. What nobody will read
// is zeroed, so that the same future has the same bytes. Any bytes of that size can be restored
// without harm.
size_t tdi_state_save_size(const td_body *body);
void tdi_state_save(td_body *body, void *bytes);
void tdi_state_restore(td_body *body, const void *bytes);
// Moves a body between steps, with its velocities and its past, as one rigid piece.
void tdi_state_transform(td_body *body, const tdi_rigid *motion);

// step.c
// Checks the options of all members, and that they can be stepped together.
td_status tdi_system_check(const tdi_system *system, td_diag *diag);
// Solves a step without accepting it. When it fails, or has not converged, the bodies are as they
// were; *converged tells which. `strength` of the barrier is that of the step before; when it has
// converged contact is at its end, with the strength for the next.
td_status tdi_system_try(const tdi_system *system, bool *converged, td_step_stats *stats,
                         td_diag *diag);
void tdi_system_accept(const tdi_system *system, td_step_stats *stats);
// reaction.c: before it is accepted, what holds a member at its base: force and moment about a
// point. False: its solver does not offer that.
bool tdi_system_reaction(const tdi_system *system, int32_t member, td_vec3 about, td_vec3 *force,
                         td_vec3 *moment);
// Lets contact, and members that offer it, work in memory of so many bytes on a cache line, as far
// as it goes; or, with NULL, in their own again.
void tdi_system_lend(const tdi_system *system, void *memory, size_t bytes);
// Whether tdi_system_undo() takes back what was accepted, until the next step begins.
bool tdi_system_revocable(const tdi_system *system);
void tdi_system_undo(const tdi_system *system);
// Bytes that tdi_system_halves() needs to remember where the step began.
size_t tdi_system_memory(const tdi_system *system);
// Takes a step that did not converge in halves, those in halves again where they must be, and
// accepts it. When it fails the bodies are as they were. `memory` keeps where the step began.
td_status tdi_system_halves(const tdi_system *system, void *memory, td_step_stats *stats,
                            td_diag *diag);
void tdi_system_restore(const tdi_system *system, const void *memory);
// Takes an iteration; false: none is left. NULL: there always is.
static inline bool tdi_budget_take(tdi_budget *b) {
    if (b && (b->iterations <= 0 || (b->until > 0 && tdi_clock_seconds() > b->until))) {
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
// Where the step began, and without it: solves the step by backward Euler as far as system->budget
// allows, and takes the pose if it is free of overlap and its value has not risen. Then it is to be
// accepted. When it fails the bodies are as they were.
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
// All of it: a step, or nothing. `memory` is for halves; NULL: it comes from `alloc` when it is
// needed.
td_status tdi_system_step(const tdi_system *system, void *memory, const td_alloc *alloc,
                          td_step_stats *stats, td_diag *diag);
// Goes to rest.
td_status tdi_system_settle(const tdi_system *system, td_step_stats *stats, td_diag *diag);

// ---- Newton's method ------------------------------------------------------------------------

typedef struct tdi_newton_opts {
    int32_t iterations;
    td_real tolerance; // rad or m: largest increment of the last iteration
    bool rest;         // statics
    bool *positive;    // gets whether the last Hessian was positive definite; NULL: not asked
} tdi_newton_opts;

// rad or m: in statics, what has gone as far has no rest; it falls for ever. A tree that falls
// comes a metre farther in each of 5,000 iterations.
#define TDI_AWAY 4e3

// newton.c: from the poses to the least value. TD_ERR_DIVERGED when a value is not finite, when
// contact leaves no room and when nothing ends a fall.
td_status tdi_newton(const tdi_system *system, const tdi_newton_opts *opts, bool *converged,
                     td_step_stats *stats, td_diag *diag);

// rest.c: a body alone, which offers `ease`, to rest.
td_status tdi_rest(td_body *body, const tdi_newton_opts *opts, bool *converged,
                   td_step_stats *stats);
