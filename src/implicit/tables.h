// SPDX-License-Identifier: MIT
#pragma once

// What a solver supplies to implicit steps and statics. Energies are in J, lengths of increments in
// rad or m, whichever is larger. Bodies are its states, which begin with a td_body: step, rule,
// options, base and coordinates are read there. Tables are constant; an entry that is NULL is not
// offered, and a request for it is refused by the solver's name.

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

// ---- arguments of the core table ------------------------------------------------------------

// Joint forces for the geometric stiffness. Solvers that can predict the forces after increments
// note them; others use the forces of the pose.
typedef enum tdi_joint_forces {
    TDI_FORCES_OF_POSE,
    TDI_FORCES_TO_NOTE,  // of the pose; increments note the forces after them
    TDI_FORCES_PREVIOUS, // of the last step, which become the noted ones
    TDI_FORCES_NOTED     // noted by the last increments of this step
} tdi_joint_forces;

// The quadratic model to factor.
typedef struct tdi_model {
    bool positive;   // a positive semi-definite model; else the exact Hessian, if that is positive
    td_real shift;   // 1/s^2: weight of inertia about the pose, added to a positive model, and in
                     // statics to any
    td_real stiffer; // of the springs: added to the exact Hessian, about the pose; see `ease`
    int32_t tries;   // failures with smaller shifts
    bool raise;      // an exact model may be raised where it is not positive definite
    tdi_joint_forces forces;
    bool guessed;      // the pose is the first guess of a step: it tells little of stiff springs'
                       // forces, for which those of the last step may serve in the Hessian
    bool keep_factors; // the factors must serve respond()
    bool with_driven;  // increments include the remaining prescribed motions
    bool blocks;       // no elimination: blocks() is called instead
} tdi_model;

typedef enum tdi_factored {
    TDI_NOT_POSITIVE, // there are no factors
    TDI_RAISED,       // indefinite parts were made positive definite
    TDI_POSITIVE,
} tdi_factored;

// The part of the geometric stiffness, second derivatives of positions times a force, to add.
typedef enum tdi_geometric_part {
    TDI_GEOMETRIC_NONE,     // none: the increments remove most of the force
    TDI_GEOMETRIC_POSITIVE, // the positive part, or none: for a positive model
    TDI_GEOMETRIC_ALL,
} tdi_geometric_part;

// Options of solve().
typedef struct tdi_solving {
    bool limited; // no part moves by more than `longest`, and the parts that it carries are solved
                  // for that: the sum may not be a descent direction
    bool again;   // a new gradient with the old factors; needs the trait `reuses`
    bool move;    // saves the pose and moves it by the whole increments; needs the trait `moves`
} tdi_solving;

// Start of a step, or of a search in it.
typedef enum tdi_start {
    TDI_START_BEGAN,  // where the step began
    TDI_START_GUESS,  // the first guess, with prescribed motions at their end
    TDI_START_TOWARDS // a fraction of the straight path from there to given nodes; NULL: to the
                      // guess. Solvers may stay where the step began
} tdi_start;

typedef enum tdi_saving {
    TDI_SAVE_LIST,  // lists the saved memory
    TDI_SAVE_BLANK, // the same; bytes that are never read are zeroed first
    TDI_SAVE_READ   // the memory was overwritten: recomputes dependent values
} tdi_saving;

// Optional properties of a solver's functions.
typedef struct tdi_traits {
    uint32_t point_kinds; // 1 << tdi_point_kind of all offered kinds. Without positions
                          // constraints are refused by name; without rotations friction acts on
                          // axes
    bool drives;          // drive() moves the base; else it is at its end when a step begins
    bool moves;           // solve() can save and move the pose
    bool reuses;          // solve() can use old factors
    bool keeps_value;     // value() of the saved pose needs no move
    bool follows;         // try() can correct to second order
    bool straight;        // with contact, points move on straight lines with the fraction
    bool heeds_wind;      // backward Euler follows a jump of the wind
    bool revocable;       // undo() can undo an accepted step, until the next one begins
    td_real longest, longest_rest; // no increment is tried beyond this at once, in a step and in
                                   // statics; 0: any
} tdi_traits;

// ---- rows -----------------------------------------------------------------------------------

// Geometric stiffness from the closest points of a contact, which move along both axes when nodes
// move ("Derivatives" in docs/theory/contact.md). Between nodes k and l of the capsule it is the
// sum over a, b of weight_ab r_ak r_bl^T, where a is 0 for the place on this capsule and 1 for that
// on the other side:
//   r_0k = (-1, 1)_k n + (1 - s, s)_k slide[0],  r_1k = (1 - s, s)_k slide[1]
// n is the unit vector from the other side to this one; the contact is at s from node 0 to node 1.
typedef struct tdi_tilt {
    td_vec3 normal, slide[2];
    td_real weight[3]; // 00, 01, 11
} tdi_tilt;

// What rows of contact or constraints add on one of their sides: J^T gradient and J^T hessian J at
// a point of the body, and, as `geometric` says, the second derivatives of the point times the
// gradient. The Hessian of a ball joint is the second derivative along exp(w).
typedef struct tdi_side_terms {
    const tdi_point *point; // not a node
    td_vec3 gradient;
    td_sym3 hessian;
    tdi_geometric_part geometric;
    const tdi_tilt *tilt; // of a surface without an arm; NULL: none
} tdi_side_terms;

// Of states with capsules.
typedef struct tdi_contact_ops {
    void (*capsules)(const void *body, tdi_capsule *capsules); // points from 0; body: the segment
    // * Whether the capsules i < j never touch, as neighbours on a stem do not.
    bool (*is_excluded)(const void *body, int32_t i, int32_t j);
    // The size of the body's own forces, N: its weight, and the force that stops it within a gap
    // and a step.
    td_real (*force)(const void *body, const td_step_opts *opts, td_real gap, td_real h);
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
    // * Refuses drives of joints by an error; left out: joints have no drives.
    td_status (*check_drives)(const void *body, const td_joint_drive *drives, td_diag *diag);
    // * Called when a constraint on this joint is made.
    void (*mark_constrained)(void *body, int32_t segment);
} tdi_joint_ops;

// ---- rest -----------------------------------------------------------------------------------

// Rest, springs, and small motions about a pose. Any may be NULL.
typedef struct tdi_statics_ops {
    // Moves the pose to the rest shape of the springs. Statics without contact are then those of
    // statics.c, for which factor() must know `stiffer`.
    void (*to_rest_shape)(void *body);
    // The largest moment or force that springs and weight leave unbalanced.
    td_real (*residual)(void *body, td_vec3 gravity);
    // Rotation vector from rest between a segment and its parent, rad, and the moment of the
    // joint's springs, N m. Either may be NULL. Left out: no joint turns.
    void (*bending)(void *body, int32_t segment, td_real stiffness, td_vec3 *turn, td_vec3 *moment);
    // Moves the pose of a solved step, but not x* and x^: the change of value() gives the reaction
    // at the base. NULL saves the pose at the first call, and restores it at the second.
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

// The argument of blocks(): takes a block of the Hessian with the rows of point a and the columns
// of point b; that of b and a is its transpose.
typedef struct tdi_block_taker tdi_block_taker;
struct tdi_block_taker {
    void (*take)(const tdi_block_taker *taker, int32_t a, int32_t b, td_real block[4][4]);
    void *context;
    int32_t first; // added to all points
};

// The four unknowns of a point: its motion, and one more, as the rotation of an edge.
typedef struct tdi_unknowns {
    td_real gradient[4];
    td_real x[4]; // increments; of fixed unknowns they are given before the solve
    bool fixed[4];
} tdi_unknowns;

// Of bodies that have four unknowns a node: their Hessian in blocks, for one factor with others.
typedef struct tdi_block_ops {
    // All blocks of the Hessian that factor() has made, each once, always the same ones.
    void (*blocks)(const void *body, const tdi_block_taker *taker);
    // A position, rotation or surface moves by the sum of rows[k] x_k of the unknowns of so many
    // nodes.
    int32_t (*rows)(void *body, const tdi_point *point, int32_t node[TDI_POINT_NODES],
                    td_real rows[TDI_POINT_NODES][3][4]);
    void (*unknowns)(const void *body, tdi_unknowns *unknowns); // of all nodes
    // Takes x as the increments, or as the response to the forces in `unknowns`.
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

// Entries marked * may be left out. So may entries marked + where the head's coordinates are the
// whole pose: these are updated before the entries are called.
typedef struct tdi_implicit {
    tdi_traits traits;

    // ---- steps; in statics the rule's h is 0
    // + Prepares x* and x^. The pose stays.
    void (*begin)(void *body);
    // + `x` and `part` are those of TDI_START_TOWARDS.
    void (*guess)(void *body, tdi_start start, const td_vec3 *x, td_real part);
    // + Makes the history of the next step; time and `known` do not count this step yet. After
    // statics: velocities become zero.
    void (*accept)(void *body);
    // * Restores the pose at which the step began, with the same bits; base and `known` are
    // restored before. Left out: guess() does so.
    void (*undo)(void *body);
    // * Moves the base to its pose at this time, before try(); with `stationary` it also moves all
    // driven ends, and nothing else.
    void (*drive)(void *body, td_real time, bool stationary);
    // * Uses the memory on a cache line, with any content, for head.scratch_bytes that are unused
    // between steps; NULL: the body's own memory. Bodies that share it find it in the cache.
    void (*use_scratch)(void *body, void *memory);

    // ---- Newton's method
    void (*clear)(void *body); // * before contacts and stiffness are added
    tdi_factored (*factor)(void *body, const tdi_model *model);
    // Increments. Returns the largest, or NaN if one is, and adds r^T H^-1 r to the predicted
    // decrease: the slope is minus that.
    td_real (*solve)(void *body, tdi_solving how, td_real *predicted_decrease);
    // * The largest increment after changes. Left out: that of the points.
    td_real (*largest)(const void *body);
    // The potential, at the pose or at the saved pose.
    td_real (*value)(void *body, bool kept);
    void (*keep)(void *body); // + saves the pose
    // + Moves to the saved pose plus a fraction of the increments. With `follow` it saves the pose
    // first, takes the whole increments, and adds a second-order correction for the parent's actual
    // motion: errors do not add up along a chain.
    void (*try)(void *body, td_real fraction, bool follow);

    // ---- material points. Ranges of nodes that are coordinates of the head are read there
    void (*read)(void *body, tdi_points points, tdi_reading what, td_vec3 *x);
    // Adds J^T f to the right-hand side, which is empty unless head.coupling.pushed.
    void (*apply_forces)(void *body, tdi_points points, const td_vec3 *forces);
    // * Restricts forces and responses to these points; without points it removes the restriction.
    // Left out: responses cost the whole body.
    void (*confine)(void *body, tdi_points points);
    void (*add_stiffness)(void *body, const tdi_side_terms *side); // between clear() and factor()
    void (*respond)(void *body);      // solves H y = J^T f for the applied forces
    void (*add_response)(void *body); // + adds y to the increments

    // ---- saving
    // + Lists the memory on which later steps depend, besides the head: of constant size, and safe
    // with any content. Returns the number of spans.
    int32_t (*saved)(void *body, tdi_saving what, tdi_span spans[TDI_SPANS]);
    // + Transforms the part of that memory that is in world axes, as a rigid motion of the whole
    // future. The base of the head is transformed before.
    void (*transform)(void *body, const tdi_rigid *motion);

    // ---- optional tables
    const tdi_contact_ops *contact;
    const tdi_joint_ops *joints;
    const tdi_statics_ops *statics;
    const tdi_block_ops *blocks;
    const tdi_row_ops *rows; // left out: such rows enter the coupled solve
} tdi_implicit;
