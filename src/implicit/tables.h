// SPDX-License-Identifier: MIT
#pragma once

// What a solver supplies to implicit steps and statics. Energies are in J, lengths of increments in
// rad or m, whichever is larger. Bodies are its states, which begin with a td_body: step, rule,
// options, base and coordinates are read there. Tables are constant; whatever of them is NULL the
// solver does not offer, and what asks for it is refused by the solver's name.

#include "contact/contact.h"
#include "implicit/points.h"
#include "math/rigid.h"
#include "tendril/skeleton.h"
#include "tendril/step.h"

typedef struct tdi_rows tdi_rows;   // of a solver
typedef struct tdi_modal tdi_modal; // see modal.h

// A piece of memory that is saved.
typedef struct tdi_span {
    void *data;
    size_t size;
} tdi_span;

enum { TDI_SPANS = 18 }; // at most

// ---- what the core table is asked -----------------------------------------------------------

// Forces on joints of which geometric stiffness is made, in solvers that can note those that
// increments lead to; others take the forces of the pose.
typedef enum tdi_joint_forces {
    TDI_FORCES_OF_POSE,
    TDI_FORCES_TO_NOTE,  // those of the pose, and increments note what they lead to
    TDI_FORCES_PREVIOUS, // those that the last step left become the noted ones
    TDI_FORCES_NOTED     // last, in this step
} tdi_joint_forces;

// Which quadratic model is factored.
typedef struct tdi_model {
    bool positive;   // a positive semi-definite model; else the exact Hessian, if that is positive
    td_real shift;   // 1/s^2: weight of inertia about the pose, added to a positive model, and in
                     // statics to any
    td_real stiffer; // of the springs: added to the exact Hessian, about the pose; see `ease`
    int32_t tries;   // how often a smaller shift did not do
    bool raise;      // an exact model may be raised where it is not positive definite
    tdi_joint_forces forces;
    bool keep_factors; // the factors must serve respond()
    bool carry;        // increments bring what is driven to the end of its way
    bool blocks;       // nothing is eliminated: blocks() is asked for instead
} tdi_model;

typedef enum tdi_factored {
    TDI_NOT_POSITIVE, // nothing is factored
    TDI_RAISED,       // where it was not positive definite, it was made so
    TDI_POSITIVE,
} tdi_factored;

// How much of the geometric stiffness enters: second derivatives of positions, times a force.
typedef enum tdi_levers {
    TDI_LEVERS_NONE,     // most of the force is one that the increments take away
    TDI_LEVERS_POSITIVE, // the positive part, or nothing: for a positive model
    TDI_LEVERS_ALL,
} tdi_levers;

// How increments are solved for.
typedef struct tdi_solving {
    bool limited; // no part moves by more than `longest`, and what it carries is solved for that:
                  // the whole may then not go down
    bool again;   // a new gradient with the old factors; asked of solvers that reuse these
    bool move;    // the pose is kept and moved by all of them; asked of solvers that can at once
} tdi_solving;

// Where a step, or a search in it, starts.
typedef enum tdi_start {
    TDI_START_BEGAN,  // where the step began
    TDI_START_GUESS,  // the first guess, with all that is driven at the end of its way
    TDI_START_TOWARDS // a part of the way from there to given nodes, straight; NULL: to the guess.
                      // Solvers may stay where the step began
} tdi_start;

typedef enum tdi_saving {
    TDI_SAVE_LIST,  // lists what is saved
    TDI_SAVE_BLANK, // the same, after what nobody will read was zeroed
    TDI_SAVE_READ   // it was overwritten: makes what follows from it
} tdi_saving;

// What a solver's functions do that others' need not.
typedef struct tdi_traits {
    uint32_t point_kinds; // 1 << tdi_point_kind of those that are offered. Without positions
                          // constraints are refused by name; without rotations friction acts on
                          // axes
    bool drives;          // drive() takes the base along; else it is at its end when a step begins
    bool moves;           // solve() can keep and move the pose at once
    bool reuses;          // solve() can take old factors
    bool keeps_value;     // value() of the kept pose needs no move
    bool follows;         // try() can follow
    bool straight;        // with contact, points go straight by a fraction of the increments
    bool heeds_wind;      // BDF2 does not go on where the wind has jumped
    bool revocable;       // undo() also takes back what was accepted, until the next step begins
    td_real longest, longest_rest; // no increment is tried beyond this at once, in a step and in
                                   // statics; 0: any
} tdi_traits;

// ---- contact --------------------------------------------------------------------------------

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

// Of states with capsules.
typedef struct tdi_contact_ops {
    void (*capsules)(const void *body, tdi_capsule *capsules); // points from 0; body: the segment
    // * Whether the capsules i < j never touch, as neighbours on a stem do not.
    bool (*apart)(const void *body, int32_t i, int32_t j);
    // The size of the body's own forces, N: what holds it and stops it within a gap and a step.
    td_real (*force)(const void *body, const td_step_opts *opts, td_real gap, td_real h);
    void (*add)(void *body, const tdi_contact_side *side); // as add_stiffness()
} tdi_contact_ops;

// ---- joints ---------------------------------------------------------------------------------

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

// ---- rest -----------------------------------------------------------------------------------

// Rest, springs, and small motions about a pose. Any may be NULL.
typedef struct tdi_statics_ops {
    // To where springs are at ease. Statics without contact are then those of rest.c, for which
    // factor() must know `stiffer`.
    void (*ease)(void *body);
    // The largest moment or force that springs and weight leave unbalanced.
    td_real (*residual)(void *body, td_vec3 gravity);
    // Rotation vector from rest between a segment and what carries it, rad, and the moment of the
    // springs that it winds, N m. Either may be NULL. Left out: nothing turns.
    void (*bending)(void *body, int32_t segment, td_real stiffness, td_vec3 *turn, td_vec3 *moment);
    // Moves the pose of a step that was solved, and nothing that it is compared with: value() then
    // tells how hard it is held. NULL keeps the pose the first time, and goes back to it the
    // second.
    void (*perturb_pose)(void *body, const tdi_rigid *motion);
    // A model like this one whose drawn shape is one of rest under this gravity; and one with other
    // damping.
    td_status (*rest_new)(const void *model, td_vec3 gravity, const td_alloc *alloc,
                          td_body_model **out, td_diag *diag);
    td_status (*damped_new)(const void *model, const td_damping_opts *opts, const td_alloc *alloc,
                            td_body_model **out, td_diag *diag);
    // Springs in bending and in twist, with their damping, so many times as stiff as those of
    // `parameters`: what head.parameters of the model pointed to at some time. No state of the
    // model is in a step.
    void (*stiffen)(void *model, const void *parameters, td_real bend, td_real twist);
    const tdi_modal *modal; // small motions about a pose
} tdi_statics_ops;

// ---- for the coupled solve ------------------------------------------------------------------

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

// ---- the core table -------------------------------------------------------------------------

// Those marked * may be left out, and those marked + too when the coordinates of the head are all
// the pose there is: what they do for these is done before they are called.
typedef struct tdi_implicit {
    tdi_traits traits;

    // ---- steps; in statics the rule's h is 0
    // + Prepares x* and where the body would go without forces. The pose stays.
    void (*begin)(void *body);
    // + `x` and `part` are those of TDI_START_TOWARDS.
    void (*guess)(void *body, tdi_start start, const td_vec3 *x, td_real part);
    // + What the next step takes from this one; time and `known` do not count the step yet. After
    // statics: nothing moves any more.
    void (*accept)(void *body);
    // * To where the step began, with the same bits; base and `known` are there already. Left out:
    // guess() back is all.
    void (*undo)(void *body);
    // * Of what is driven: the base to where it is at this time, before try(); with `stand` all of
    // it goes there while the rest stands.
    void (*drive)(void *body, td_real time, bool stand);
    // * Memory on a cache line, which holds anything, for the head.scratch_bytes that a step writes
    // and nobody reads after it; NULL: the body's own again. Bodies that use the same one after the
    // other find it in the cache.
    void (*lend)(void *body, void *memory);

    // ---- Newton's method
    void (*clear)(void *body); // * before contacts and stiffness are added
    tdi_factored (*factor)(void *body, const tdi_model *model);
    // Increments. Gives the largest, not a number if one is not, and adds r^T H^-1 r, which is what
    // they promise: their slope is minus that.
    td_real (*solve)(void *body, tdi_solving how, td_real *predicted_decrease);
    // * The largest of the increments as they are. Left out: that of the points.
    td_real (*largest)(const void *body);
    // The potential, at the pose, or at the one that was kept.
    td_real (*value)(void *body, bool kept);
    void (*keep)(void *body); // + the pose
    // + The kept pose, moved by a fraction of the increments. With `follow` the pose is kept first
    // and moved by all of them; what goes with the base or a parent makes up for where that did not
    // come, by second order, as the increments say: errors do not add up along a chain.
    void (*try)(void *body, td_real fraction, bool follow);

    // ---- material points. A solver whose nodes are the coordinates of the head is not asked for
    // ranges of them
    void (*read)(void *body, tdi_points points, tdi_reading what, td_vec3 *x);
    // Adds J^T f to the right-hand side, which is empty unless head.coupling.pushed.
    void (*apply_forces)(void *body, tdi_points points, const td_vec3 *forces);
    // * From now on forces are at these points alone, and responses are asked for there; with none
    // of them everywhere again. Left out: responses cost the whole body.
    void (*confine)(void *body, tdi_points points);
    // Between clear() and factor(): adds J^T g, J^T H J and, as `levers` says, what second
    // derivatives of the position make of g, to what factor() takes. H of a ball joint is the
    // second derivative along exp(w). Of no nodes.
    void (*add_stiffness)(void *body, const tdi_point *point, td_vec3 gradient,
                          const td_sym3 *hessian, tdi_levers levers);
    void (*respond)(void *body);      // to forces, of which there are some
    void (*add_response)(void *body); // + the response becomes part of the increments

    // ---- saving
    // + Lists what the future depends on, besides the head: always as much, and of a kind that any
    // bytes do no harm in. Gives how many.
    int32_t (*saved)(void *body, tdi_saving what, tdi_span spans[TDI_SPANS]);
    // + Moves all of that list that is in world axes: the future is the same, seen from elsewhere.
    // The base of the head is moved already.
    void (*transform)(void *body, const tdi_rigid *motion);

    // ---- optional tables
    const tdi_contact_ops *contact;
    const tdi_joint_ops *joints;
    const tdi_statics_ops *statics;
    const tdi_block_ops *blocks;
    const tdi_row_ops *rows; // left out: such rows are solved for after the body
} tdi_implicit;
