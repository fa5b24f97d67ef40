// SPDX-License-Identifier: MIT
#pragma once

// Implicit steps and statics of any solver: one Newton's method on the incremental potential.
//
// A body is a state of a solver, with the functions by which Newton's method asks it. A system is
// the bodies that are solved together; contact may couple them. Energies are in J, lengths of
// increments in rad or m, whichever is larger.
//
// A step     begin, guess, Newton's method, then accept or undo. Between Newton's method and accept
//            a body still knows where the step began: undo gives the same bits.
// Newton     factor makes the quadratic model at the pose and factors it, solve gives the
//            increments. try moves the kept pose by a fraction of them.
// Driven     what a body cannot choose: where its base goes, and ends that are held. `time` 0..1
//            says how far these and the colliders have come in the step.
// Points     the ends of a body's capsules. With J the motion of its points for an increment,
//            H its factored Hessian: push adds J^T f to the right-hand side, respond solves
//            H y = J^T f, response gives J y, and absorb adds y to the increments.

#include "contact/contact.h"
#include "tendril/island.h"

// ---- what a solver supplies -----------------------------------------------------------------

// The rule that turns places into velocities: v = (x - x*)/h.
typedef struct tdi_rule {
    td_real dt;   // s: the step
    td_real h;    // s: of the rule; 2/3 dt for BDF2, dt for backward Euler
    bool two;     // BDF2
    td_real part; // of the way that held ends have left, they go in this step: 1 but in halves
    bool touched; // there is contact: points go straight
} tdi_rule;

// Which quadratic model is factored.
typedef struct tdi_model {
    bool positive; // a positive semi-definite model; else the exact Hessian, if that is positive
    td_real shift; // 1/s^2: weight of inertia about the pose, added to a positive model
    int32_t tries; // how often a smaller shift did not do
    bool raise;    // an exact model may be raised where it is not positive definite
    bool touched;  // the factors must serve respond()
    bool carry;    // increments bring what is driven to the end of its way
} tdi_model;

typedef enum tdi_factored {
    TDI_NOT_POSITIVE, // nothing is factored
    TDI_RAISED,       // where it was not positive definite, it was made so
    TDI_POSITIVE,
} tdi_factored;

// One side of a contact, on the capsule between two points of a body. With the weights w and the
// normal n from the other side to this,
//   gradient at point k   w_k force
//   Hessian, k and l      w_k w_l hessian + sum over a, b of tilt_ab r_ak r_bl^T,
//                         r_0k = (-1, 1)_k n + w_k slide[0],  r_1k = w_k slide[1]
typedef struct tdi_contact_side {
    int32_t capsule, point[2]; // of the body
    td_real weight[2];         // 1 - s, s
    td_vec3 normal, force;
    td_sym3 hessian;
    td_real tilt[3]; // 00, 01, 11
    td_vec3 slide[2];
    bool foreseen; // most of the force is that of motion to come: it has no lever arms yet
} tdi_contact_side;

typedef struct tdi_implicit {
    // ---- steps
    // What the solver has to say against the options, besides what all solvers check.
    td_status (*check)(const void *body, const td_step_opts *opts, td_diag *diag);
    // Whether the last step was like this one, so that BDF2 can go on from it.
    bool (*ready)(const void *body, const td_step_opts *opts);
    void (*begin)(void *body, const td_step_opts *opts, const tdi_rule *rule);
    // To the first guess, with all that is driven at the end of its way; or back to the beginning.
    void (*guess)(void *body, bool take);
    void (*accept)(void *body);
    void (*undo)(void *body);
    bool revocable; // undo() also takes back what was accepted, until the next step begins
    // What a step writes and nobody reads after it, in bytes; and other memory for it, which is on a
    // cache line and holds anything, until NULL gives the body its own again. Bodies that use the
    // same one after the other find it in the cache. NULL: not offered.
    size_t (*scratch)(const void *body);
    void (*lend)(void *body, void *memory);
    // Statics: Newton's method from the pose as it is, then at rest.
    void (*begin_rest)(void *body, const td_step_opts *opts);
    void (*end_rest)(void *body);

    // ---- Newton's method
    td_real (*first_shift)(const void *body); // 1/s^2
    void (*clear)(void *body);                // before contacts are added; may be NULL
    tdi_factored (*factor)(void *body, const tdi_model *model);
    // Increments. Gives the largest, not a number if one is not, and adds r^T H^-1 r, which is what
    // they promise: their slope is minus that. With `attempt` the pose is kept and moved by all.
    // With `limited` no part moves by more than `longest`, and what it carries is solved for that:
    // the whole may then not go down.
    td_real (*solve)(void *body, bool attempt, bool limited, td_real *promise);
    // The same with a new gradient and old factors; NULL: not offered.
    td_real (*solve_again)(void *body);
    td_real (*largest)(const void *body); // of the increments as they are
    td_real (*value)(const void *body);
    td_real (*value_kept)(void *body); // at the pose that was kept; NULL: it has to go there
    void (*keep)(void *body);
    void (*try)(void *body, td_real fraction);
    td_real longest; // no increment is tried beyond this at once

    // ---- what is driven
    bool (*driven)(const void *body);        // whether anything moves in this step
    void (*drive)(void *body, td_real time); // puts it where it is then; NULL: try moves it
    void (*stand)(void *body);               // it goes to its end, while the rest stands as it does

    // ---- contact
    int32_t (*point_count)(const void *body);
    int32_t (*capsule_count)(const void *body);
    void (*capsules)(const void *body, tdi_capsule *capsules); // points from 0; body: the segment
    // Whether the capsules i < j never touch, as neighbours on a stem do not.
    bool (*apart)(const void *body, int32_t i, int32_t j);
    // The size of the body's own forces, N: what holds it and stops it within a gap and a step.
    td_real (*force)(const void *body, const td_step_opts *opts, td_real gap, td_real h);
    void (*points)(const void *body, td_vec3 *x);
    void (*points_star)(const void *body, td_vec3 *star); // x* of the rule
    void (*points_move)(const void *body, td_vec3 *dx);   // by the increments
    void (*add)(void *body, const tdi_contact_side *side);
    void (*push)(void *body, int32_t point, td_vec3 force);
    void (*respond)(void *body);
    void (*response)(const void *body, td_vec3 *dx);
    void (*absorb)(void *body);

    // ---- saving
    size_t (*save_size)(const void *body);
    void (*save)(const void *body, void *bytes);
    void (*restore)(void *body, const void *bytes);
} tdi_implicit;

// ---- systems --------------------------------------------------------------------------------

typedef struct tdi_member {
    const tdi_implicit *ops;
    void *body;
    const td_step_opts *opts;
    const char *name; // for messages; NULL: none
} tdi_member;

typedef struct tdi_touch tdi_touch;

typedef struct tdi_system {
    const tdi_member *member;
    int32_t count;
    tdi_touch *touch; // contact between them and with colliders; NULL: none
    const td_collider *colliders;
    int32_t collider_count;
} tdi_system;

// ---- steps and statics ----------------------------------------------------------------------

static inline bool tdi_is_implicit(td_integrator integrator) {
    return integrator == TD_IMPLICIT || integrator == TD_IMPLICIT_EULER;
}

// options.c: what all solvers ask of options. Messages name the option, its value and its range.
td_status tdi_step_opts_check(const td_step_opts *opts, int32_t segments, td_diag *diag);

// step.c
// Checks the options of all members, and that they can be stepped together.
td_status tdi_system_check(const tdi_system *system, td_diag *diag);
// Solves a step without accepting it. When it fails, or has not converged, the bodies are as they
// were; *converged tells which. `strength` of the barrier is that of the step before; when it has
// converged contact is at its end, with the strength for the next.
td_status tdi_system_try(const tdi_system *system, bool *converged, td_step_stats *stats,
                         td_diag *diag);
void tdi_system_accept(const tdi_system *system, td_step_stats *stats);
// Lets members that offer it work in memory of so many bytes, in their order, as far as it goes; or,
// with NULL, in their own again.
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
} tdi_newton_opts;

// newton.c: from the poses to the least value. TD_ERR_DIVERGED when a value is not finite or when
// contact leaves no room.
td_status tdi_newton(const tdi_system *system, const tdi_newton_opts *opts, bool *converged,
                     td_step_stats *stats, td_diag *diag);
