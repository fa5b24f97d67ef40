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
// Points     what acts on a body acts at a material point (tdi_point). With J the motion of points
//            for an increment and H the factored Hessian: apply_forces adds J^T f to the right-hand
//            side, respond solves H y = J^T f, motions gives J y, and add_response adds y to the
//            increments.

#include "contact/contact.h"
#include "implicit/state.h"
#include "math/rigid.h"
#include "tendril/island.h"
#include "tendril/skeleton.h"
#include "tendril/step.h"

// ---- what a solver supplies -----------------------------------------------------------------

// Which quadratic model is factored.
typedef struct tdi_model {
    bool positive;   // a positive semi-definite model; else the exact Hessian, if that is positive
    td_real shift;   // 1/s^2: weight of inertia about the pose, added to a positive model, and in
                     // statics to any
    td_real stiffer; // of the springs: added to the exact Hessian, about the pose; see `ease`
    int32_t tries;   // how often a smaller shift did not do
    bool raise;      // an exact model may be raised where it is not positive definite
    bool touched;    // the factors must serve respond()
    bool note;       // increments note the forces that they lead to, in solvers that can
    bool noted;      // geometric stiffness is that of the forces noted last, in those solvers
    bool carry;      // increments bring what is driven to the end of its way
    bool blocks;     // nothing is eliminated: blocks() is asked for instead
} tdi_model;

typedef enum tdi_factored {
    TDI_NOT_POSITIVE, // nothing is factored
    TDI_RAISED,       // where it was not positive definite, it was made so
    TDI_POSITIVE,
} tdi_factored;

// What is taken of the second derivatives of positions, times a force: the geometric stiffness.
typedef enum tdi_levers {
    TDI_LEVERS_NONE,     // most of the force is one that the increments take away
    TDI_LEVERS_POSITIVE, // the positive part, or nothing: for a positive model
    TDI_LEVERS_ALL,
} tdi_levers;

// One side of a contact, on the capsule between two nodes of a body. With the weights w and the
// normal n from the other side to this,
//   gradient at node k   w_k force
//   Hessian, k and l     w_k w_l hessian + sum over a, b of tilt_ab r_ak r_bl^T,
//                        r_0k = (-1, 1)_k n + w_k slide[0],  r_1k = w_k slide[1]
typedef struct tdi_contact_side {
    int32_t capsule, point[2]; // of the body
    td_real weight[2];         // 1 - s, s
    td_vec3 normal, force;
    td_sym3 hessian;
    td_real tilt[3]; // 00, 01, 11
    td_vec3 slide[2];
    td_real arm; // m: the place is so far down the normal from the axis, and moves with the
                 // rotation w of the capsule by arm normal x w as well; 0: it is on the axis
    tdi_levers levers;
} tdi_contact_side;

// What blocks() is given: takes a block of the Hessian with the rows of point a and the columns of
// point b; that of b and a is its transpose.
typedef struct tdi_block_taker tdi_block_taker;
struct tdi_block_taker {
    void (*take)(const tdi_block_taker *taker, int32_t a, int32_t b, td_real block[4][4]);
    void *context;
    int32_t first; // added to all points
};

// The four unknowns of a point: its motion, and what else moves with it.
typedef struct tdi_unknowns {
    td_real gradient[4];
    td_real x[4]; // increments; before the solve those of what is fixed, which are given
    bool fixed[4];
} tdi_unknowns;

// ---- material points ------------------------------------------------------------------------

// What acts on a body acts at a material point: contact, constraints, loads. Its coordinates x, and
// how they move by dx:
//   position   where it is, m
//   node       the same, of a numbered end of a capsule
//   rotation   of a capsule since x* of the rule, rad: h times its spin, which counts whole turns
//   joint      of a hinge (angle, 0, 0), rad, of a slide (way, 0, 0), m; of a ball the rotation
//              vector from rest, which moves by the turn w of the segment against its parent, in
//              the axes that the joint has at rest on the parent: R <- exp(w) R
typedef enum tdi_point_kind {
    TDI_POINT_POSITION,
    TDI_POINT_JOINT,
    TDI_POINT_NODE,
    TDI_POINT_ROTATION
} tdi_point_kind;

typedef struct tdi_point {
    tdi_point_kind kind;
    int32_t segment; // as loads name it; the number of a node; the capsule of a rotation
    td_vec3 local;   // m: of a position, in the segment's own axes, from its joint
    td_vec3 arm;     // m: from there, in the axes of the segment's frame at that point, with which
                     // it turns. Rods stretch and helices bend between points, but no arm does
} tdi_point;

// Some points of a body: a list, or nodes or rotations that follow each other.
typedef struct tdi_points {
    const tdi_point *list; // NULL: those of `kind` from the number `first` on
    int32_t count;
    tdi_point_kind kind;
    int32_t first;
} tdi_points;

static inline tdi_points tdi_points_of(const tdi_point *list, int32_t count) {
    return (tdi_points){list, count, TDI_POINT_POSITION, 0};
}
static inline tdi_points tdi_nodes(int32_t first, int32_t count) {
    return (tdi_points){NULL, count, TDI_POINT_NODE, first};
}
static inline tdi_points tdi_all_nodes(const td_body *body) {
    return tdi_nodes(0, body->point_count);
}
static inline tdi_points tdi_rotation_of(int32_t capsule) {
    return (tdi_points){NULL, 1, TDI_POINT_ROTATION, capsule};
}
static inline bool tdi_are_nodes(const tdi_points *points) {
    return !points->list && points->kind == TDI_POINT_NODE;
}
static inline tdi_point tdi_point_at(const tdi_points *points, int32_t k) {
    return points->list ? points->list[k]
                        : (tdi_point){.kind = points->kind, .segment = points->first + k};
}

enum { TDI_POINT_NODES = 3 }; // whose unknowns a point moves with, at most

typedef struct tdi_rows tdi_rows;   // of a solver
typedef struct tdi_modal tdi_modal; // see modal.h

// A piece of memory that is saved.
typedef struct tdi_span {
    void *data;
    size_t size;
} tdi_span;

enum { TDI_SPANS = 18 }; // at most

// ---- optional tables; NULL: the solver does not offer it, and what asks for it is refused by its
// name. Within them those marked * may be left out

// What joins a segment to its parent.
typedef struct tdi_joint {
    td_joint_kind kind; // hinges, slides and balls are points
    int32_t dof;        // its first degree of freedom; TD_NONE: it has none
    td_vec3 inertia;    // of the segment alone: kg m^2 about the axes of a ball joint, in x about a
                        // hinge, kg of a slide
} tdi_joint;

typedef struct tdi_joint_ops {
    tdi_joint (*joint)(const void *body, int32_t segment);
    // * What the solver has to say against drives of its joints; left out: they are not driven.
    td_status (*check_drives)(const void *body, const td_joint_drive *drives, td_diag *diag);
    // * A constraint will hold this joint, now or later: told when it is made.
    void (*claim)(void *body, int32_t segment);
} tdi_joint_ops;

// Rest and small motions about it.
typedef struct tdi_statics_ops {
    void (*begin)(void *body); // * Newton's method from the pose as it is
    void (*end)(void *body);   // + nothing moves any more
    // * To where springs are at ease. Statics without contact are then those of rest.c, for which
    // factor() must know `stiffer`.
    void (*ease)(void *body);
    // * The largest moment or force that springs and weight leave unbalanced.
    td_real (*residual)(void *body, td_vec3 gravity);
    // * A model like this one whose drawn shape is one of rest under this gravity; and one with
    // other damping.
    td_status (*rest_new)(const void *model, td_vec3 gravity, const td_alloc *alloc,
                          td_body_model **out, td_diag *diag);
    td_status (*damped_new)(const void *model, const td_damping_opts *opts, const td_alloc *alloc,
                            td_body_model **out, td_diag *diag);
    // * Springs in bending and in twist, with their damping, so many times as stiff as those of
    // `parameters`: what head.parameters of the model pointed to at some time. No state of the
    // model is in a step.
    void (*stiffen)(void *model, const void *parameters, td_real bend, td_real twist);
    const tdi_modal *modal;     // * small motions about a pose; left out: no modes
    void *(*whole)(void *body); // * the body whose motions these are, where it is another
} tdi_statics_ops;

// Of bodies that have four unknowns a node: their Hessian in blocks, for one factor with others.
typedef struct tdi_block_ops {
    // All blocks of the Hessian that factor() has made, each once, always the same ones.
    void (*blocks)(const void *body, const tdi_block_taker *taker);
    // A position or rotation moves by the sum of rows[k] x_k of the unknowns of so many nodes.
    int32_t (*rows)(void *body, const tdi_point *point, int32_t node[TDI_POINT_NODES],
                    td_real rows[TDI_POINT_NODES][3][4]);
    void (*unknowns)(const void *body, tdi_unknowns *unknowns); // of all nodes
    // Takes x as the increments, or as the response; then `unknowns` has told of forces.
    void (*increments)(void *body, bool response, const tdi_unknowns *unknowns);
} tdi_block_ops;

// Rows between two points of one body, eliminated with it in linear time.
typedef struct tdi_row_ops {
    // Of rows that lead from a segment to another. NULL: they cannot be, or out of memory.
    tdi_rows *(*make)(const void *body, const int32_t (*segments)[2], int32_t count,
                      const td_alloc *alloc);
    void (*free)(tdi_rows *rows); // NULL is allowed
    // Between clear() and factor(): takes them; then the numbers of all of them, some at a time
    // that share their points: what each sees of the motions of its two points, and its compliance,
    // m/N.
    void (*use)(void *body, tdi_rows *rows);
    void (*set)(void *body, int32_t first, int32_t count, const tdi_point *const points[2],
                const td_vec3 *const sees[2], const td_real *compliance);
} tdi_row_ops;

// ---- the core table

// What a solver supplies. Bodies are its states, which begin with a td_body: step, rule,
// options, base and coordinates are read there. Those marked * may be left out, and those marked
// + too when the coordinates of the head are all the pose there is: what they do for these is done
// before they are called.
typedef struct tdi_implicit {
    // ---- steps
    // * What the solver has to say against the options, besides what all solvers check.
    td_status (*check)(const void *body, const td_step_opts *opts, td_diag *diag);
    // * Whether BDF2 may go on from the last step.
    bool (*ready)(const void *body, const td_step_opts *opts);
    // + Prepares x* and where the body would go without forces. The pose stays.
    void (*begin)(void *body);
    // + To the first guess, with all that is driven at the end of its way; or back to the
    // beginning.
    void (*guess)(void *body, bool take);
    // * Another first guess: points go straight the part of the way, from where the step began, to
    // x, where the step that was taken back led to; NULL: to the guess.
    void (*seek)(void *body, const td_vec3 *x, td_real part);
    // + What the next step takes from this one. Time and `known` do not count the step yet.
    void (*accept)(void *body);
    // * To where the step began, with the same bits; base and `known` are there already. Left out:
    // guess() back is all.
    void (*undo)(void *body);
    // Whether undo() also takes back what was accepted, until the next step begins.
    bool revocable;
    // * What a step writes and nobody reads after it, in bytes; and other memory for it, which is
    // on a cache line and holds anything, until NULL gives the body its own again. Bodies that use
    // the same one after the other find it in the cache.
    size_t (*scratch)(const void *body);
    void (*lend)(void *body, void *memory);

    // ---- Newton's method
    void (*clear)(void *body); // * before contacts are added
    tdi_factored (*factor)(void *body, const tdi_model *model);
    // Increments. Gives the largest, not a number if one is not, and adds r^T H^-1 r, which is what
    // they promise: their slope is minus that. With `limited` no part moves by more than `longest`,
    // and what it carries is solved for that: the whole may then not go down.
    td_real (*solve)(void *body, bool limited, td_real *predicted_decrease);
    // * The same, with the pose kept and moved by all of them. Left out: one after the other.
    td_real (*attempt)(void *body, bool limited, td_real *predicted_decrease);
    // * The same as solve with a new gradient and old factors.
    td_real (*solve_again)(void *body);
    // * At a guess: forces on joints as the last step left them become those noted. False: they are
    // not known.
    bool (*recall)(void *body);
    // * The largest of the increments as they are. Left out: that of the points.
    td_real (*largest)(const void *body);
    td_real (*value)(const void *body);
    td_real (*value_kept)(void *body); // * at the pose that was kept; left out: it has to go there
    void (*keep)(void *body);          // + the pose
    void (*try)(void *body, td_real fraction); // + that pose, moved by a fraction of the increments
    // * Keeps the pose and tries all of the increments; what goes with the base or a parent makes
    // up for where that did not come, by second order, as the increments say: errors do not add up
    // along a chain. After solve() with factors that are there still. Left out: keep and try.
    void (*follow)(void *body);
    // * Moves the pose of a step that was solved, and nothing that it is compared with: value()
    // then tells how hard it is held. NULL keeps the pose the first time, and goes back to it the
    // second.
    void (*perturb_pose)(void *body, const tdi_rigid *motion);
    bool straight; // * with contact, points go straight by a fraction of the increments
    // No increment is tried beyond this at once, in a step and in statics; 0: any.
    td_real longest, longest_rest;

    // ---- what is driven. A solver without `drive` finds the base at its end when a step begins.
    bool (*driven)(const void *body);        // * whether anything moves in this step
    void (*drive)(void *body, td_real time); // * puts it where it is then; left out: try moves it
    void (*stand)(void *body);               // * it goes to its end, while the rest stands

    // ---- contact, of states with capsules
    void (*capsules)(const void *body, tdi_capsule *capsules); // points from 0; body: the segment
    // * Whether the capsules i < j never touch, as neighbours on a stem do not.
    bool (*apart)(const void *body, int32_t i, int32_t j);
    // The size of the body's own forces, N: what holds it and stops it within a gap and a step.
    td_real (*force)(const void *body, const td_step_opts *opts, td_real gap, td_real h);

    // ---- material points
    uint32_t point_kinds; // 1 << tdi_point_kind of those that are offered. Without positions
                          // constraints are refused by name; without rotations friction acts on
                          // axes. A solver whose nodes are the coordinates of the head is not asked
                          // for ranges of them
    // Where points are, or x* of the rule.
    void (*positions)(const void *body, tdi_points points, bool history, td_vec3 *x);
    // When the step began, of nodes and rotations.
    void (*velocities)(void *body, tdi_points points, td_vec3 *v);
    // How points move by the increments, or by y, at the pose that was factored: before it is kept
    // or moved.
    void (*motions)(const void *body, tdi_points points, bool response, td_vec3 *dx);
    // Adds J^T f to the right-hand side, which is empty unless head.pushed.
    void (*apply_forces)(void *body, tdi_points points, const td_vec3 *forces);
    // * From now on forces are at these points alone, and responses are asked for there; with none
    // of them everywhere again.
    void (*confine)(void *body, tdi_points points);
    // Between clear() and factor(): adds J^T g, J^T H J and, as `levers` says, what second
    // derivatives of the position make of g, to what factor() takes. H of a ball joint is the
    // second derivative along exp(w). Of no nodes.
    void (*add_stiffness)(void *body, const tdi_point *point, td_vec3 gradient,
                          const td_sym3 *hessian, tdi_levers levers);
    void (*add_contact)(void *body, const tdi_contact_side *side); // likewise
    void (*respond)(void *body);      // to forces, of which there are some
    void (*add_response)(void *body); // + the response becomes part of the increments

    // ---- optional tables
    const tdi_joint_ops *joints;
    const tdi_statics_ops *statics;
    const tdi_block_ops *blocks;
    const tdi_row_ops *rows; // left out: such rows are solved for after the body

    // ---- saving
    // + Lists what the future depends on, besides the head: always as much, and of a kind that any
    // bytes do no harm in.
    int32_t (*saved)(const void *body, tdi_span spans[TDI_SPANS]);
    void (*blank)(void *body);    // * zeroes what is in that list and nobody will read
    void (*restored)(void *body); // * after what is in that list was overwritten
    // + Moves all of that list that is in world axes: the future is the same, seen from elsewhere.
    // The base of the head is moved already.
    void (*transform)(void *body, const tdi_rigid *motion);
} tdi_implicit;

// ---- systems --------------------------------------------------------------------------------

// What contact of a member has memory for, which may be less than the limits of the options. Of
// several members it is the sum. Results do not depend on it: see tdi_body_contact_lacks_room().
typedef struct tdi_member_room {
    tdi_contact_room contact;
    int32_t
        blocks; // a node, of the factor of all bodies that touch; 0: they are not solved together
} tdi_member_room;

typedef struct tdi_member {
    td_body *body;
    const td_step_opts *opts;
    const char *name;     // for messages; NULL: none
    const td_vec3 *tried; // where its points were when this step was solved without others that it
                          // came near to: a first guess; NULL: none
    bool solved_in_larger_island; // it was solved with most others then: where it came to is free
                                  // of them
    bool untouched;               // contact does not see it: it is here for what holds it
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

typedef struct tdi_system {
    const tdi_member *member;
    int32_t count;
    tdi_body_contact *contact;       // contact between them and with colliders; NULL: none
    tdi_constraint_set *constraints; // constraints: the first of a list; NULL: none
    const td_collider *colliders;
    int32_t collider_count;
    const tdi_collider_label *labels; // of the colliders; NULL: they are numbered as listed
    td_pool *pool;                    // threads that share its members; NULL: none
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
void tdi_state_accept(td_body *body);
void tdi_state_undo(td_body *body);
void tdi_state_begin_rest(td_body *body, const td_step_opts *opts);
void tdi_state_end_rest(td_body *body);
// Between steps: nothing moves any more, and the past is forgotten. The pose stays.
void tdi_state_stop(td_body *body);
void tdi_state_keep(td_body *body);
void tdi_state_try(td_body *body, td_real fraction);
void tdi_state_follow(td_body *body);
static inline bool tdi_state_offers(const td_body *body, tdi_point_kind kind) {
    return body->ops->point_kinds >> kind & 1;
}
void tdi_state_positions(const td_body *body, tdi_points points, bool history, td_vec3 *x);
void tdi_state_velocities(td_body *body, tdi_points points, td_vec3 *v);
void tdi_state_motions(const td_body *body, tdi_points points, bool response, td_vec3 *dx);
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
