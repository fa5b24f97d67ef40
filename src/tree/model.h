// SPDX-License-Identifier: MIT
#pragma once

// A tree of rigid bodies: what never changes (model) and all that moves, with scratch (state).
//
// Frame    world axes. A body's own point is its joint origin o. Pairs are (angular, linear).
// Order    bodies are stored parent first, so a forward loop is root to tip.
// Joints   0, 1, 3 or 6 degrees of freedom. Bodies with the same kind of kernel stand in runs, so
//          that a sweep chooses the kernel once a run: ball joints have their own, all other kinds
//          go through their columns.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/diag.h"
#include "math/mat3.h"
#include "solver/solver.h"
#include "tendril/pool.h"
#include "tendril/tree.h"
#include "tree/solver.h"

typedef struct tdi_tree_model tdi_tree_model;
typedef struct tdi_tree_state tdi_tree_state;

// ---- model ----------------------------------------------------------------------------------

// Constants of one body, in its own axes: first what the sweep tip to root reads, two cache lines,
// then what the one root to tip does, one, then the rest.
typedef struct tdi_body {
    td_real mass;
    td_vec3 moment;    // mass times centre of mass
    td_sym3 second;    // integral of density X X^T about the joint
    td_vec3 stiffness; // bend, twist, bend; hinge and slide: x
    td_vec3 damping;
    td_vec3 attach; // joint origin in the parent's axes
    td_quat rest;
    td_real initial_slide;
    td_quat initial;
    td_vec3 axis; // of a hinge or slide
    td_vec3 tip;
    td_vec3 area;     // to a wind along each of its axes
    td_real fold;     // see load/drag.h
    td_real radius;   // of its capsule
    td_real from, to; // m: ends of the capsule on the way to the tip; to < 0: it has none
} tdi_body;

typedef struct tdi_run { // bodies [first, last) that share a kernel
    int32_t first, last;
    bool ball;
} tdi_run;

typedef struct tdi_part { // bodies [first, last): a whole subtree, or a piece of what carries them
    int32_t first, last;
    bool subtree;
} tdi_part;

struct tdi_tree_model {
    td_body_model head;
    int32_t body_count, coord_count;
    int32_t run_count, part_count;
    td_spring_law law;
    tdi_body *body;
    int32_t *parent;      // TD_NONE: the base
    int32_t *dof;         // first degree of freedom; body_count + 1 entries
    int32_t *coord;       // first coordinate; body_count + 1 entries
    int32_t *other_place; // of a body whose joint is no ball: its entry of state->other
    int32_t other_count;
    int32_t capsule_count, capsule_room;
    int32_t *capsule_body;   // of a capsule; a body can have several
    td_real *capsule_radius; // m
    td_vec3 *point;          // two a capsule: its ends, in the axes of its body
    td_vec3 *drawn;          // the same at the initial pose, in the axes of the base
    uint8_t *kind;           // td_joint_kind
    tdi_run *run;
    tdi_part *part; // all bodies in order; the cut is the same for any number of threads
};

// A copy to be changed before anybody else sees it.
td_status tdi_tree_model_copy(const tdi_tree_model *model, const td_alloc *alloc,
                              tdi_tree_model **out, td_diag *diag);

// Stops where a model is not what all others take for granted. For debug builds: see base/assert.h.
void tdi_tree_model_validate(const tdi_tree_model *model);

// ---- state ----------------------------------------------------------------------------------

typedef struct tdi_frame { // where a body is
    td_quat turn;
    tdi_mat3 r;
    td_vec3 o;
} tdi_frame;

#define TDI_WIDE_NAMES 0
#include "math/lane_names.h"
#include "tree/spatial_types.h"
#include "tree/spatial_lanes.h"

// Where a segment is on a body that stands for several of them: x = o + R (at + turn X).
typedef struct tdi_seat {
    int32_t body;
    int32_t gap; // 0: saves hold every byte
    td_vec3 at;
    td_quat turn;
} tdi_seat;

// Past of a body for the multistep rule: point and rotation, and their rates.
typedef struct tdi_past {
    td_vec3 o, v;
    tdi_mat3 r, w; // w: dr/dt, all nine entries
    td_quat turn;  // of r
} tdi_past;

typedef struct tdi_affine { // of a body: point and rotation, which need not be one
    td_vec3 o;
    tdi_mat3 r;
} tdi_affine;

// A body on its way through the sweeps of the implicit step; see sweep.c.
typedef struct tdi_node {
    union {
        tdi_block block; // Hessian of the body and of what hangs on it, until its joint is
                         // eliminated; of joints other than balls also after
        struct {         // of ball joints after that: w = turn w_p - shift u - free
            tdi_mat3 turn, shift;
            td_vec3 free;
        };
    };
    union {
        td_sym3 geometric; // part of the Hessian that may be negative: forces on lever arms
        td_vec3 r;         // after elimination: from the parent's origin
    };
    tdi_twist move;   // increment
    td_quat turn_old; // before a trial
    tdi_wrench load;  // gradient likewise
    union {
        struct {
            td_vec3 pull; // force of the gradient, summed over the subtree
            td_vec3 spin; // moment of the gradient about o, likewise
        };
        tdi_ldl3 pivot; // of ball joints after elimination, where responses are asked for
    };
} tdi_node;

// What only joints other than balls need.
typedef struct tdi_other {
    tdi_twist column[6]; // axes of the degrees of freedom
    td_real dense[36];   // factors
    td_real g[6];        // moment of the joint
    td_real step[6];     // increment
    td_real respond[6];  // minus the pushes at the joint, then increment by all pushes
    bool coupled;        // its moment was counted in the coupling with the parent
    td_real q_old[7];    // before a trial
} tdi_other;

// What constraints add to a joint before a sweep: to the moment and the stiffness of a ball joint,
// in world axes, and in x and xx to those of a hinge or slide. After a sweep that notes forces: of
// all that a ball joint carries, by a shift of the joint.
typedef struct tdi_joint_pin {
    td_vec3 gradient;
    td_sym3 hessian;
    td_vec3 passing; // part of the gradient of a ball joint that has no second derivatives
} tdi_joint_pin;

// What a part hands to the body that carries it, and its share of sums.
typedef struct tdi_slot {
    tdi_block left;
    tdi_wrench rest;
    td_vec3 pull, spin;
    td_real value;              // of the potential
    td_real largest;            // square of the largest increment
    td_real predicted_decrease; // r^T H^-1 r
    bool fine;                  // every pivot was positive
} tdi_slot;

enum {
    TDI_SUMMED = 1, // something was added to a body's node
    TDI_PINNED = 2  // and to its joint
};

typedef struct tdi_explicit_start { // where an explicit step began
    td_base_motion base;
    int32_t known, stale;
} tdi_explicit_start;

// What BDF takes from the past.
typedef struct tdi_tree_bdf {
    tdi_affine *history;   // x* of the next step, x_n+1 = x* + h' v_n+1
    tdi_affine *predictor; // where it goes without forces: x* + h' v*, v_n+1 = v* + h' a_n+1
    td_real *angle;        // a degree of freedom: history of joints
} tdi_tree_bdf;

typedef struct tdi_tree_last { // the last implicit step
    tdi_frame base;            // at its end
    td_real *q;                // a coordinate: where it began
    td_real weight;            // of `forces` in its potential; 0: they are not known
    td_vec3 *forces;           // a body: on its joint, as the last increments led to them
} tdi_tree_last;

// Explicit steps, in the same memory as `node`.
typedef struct tdi_tree_stages {
    tdi_explicit_start start;
    tdi_wrench *outside;            // of loads
    td_real *q, *v;                 // when the step began
    td_real *rate, *rate_sum;       // a degree of freedom: of the joint's own turn or shift
    td_real *accel_now, *accel_sum; // a degree of freedom
} tdi_tree_stages;

typedef struct tdi_tree_asked { // bodies to which responses are confined
    int32_t *body;              // with all that carry them
    int32_t count;              // 0: all bodies are asked for
} tdi_tree_asked;

typedef struct tdi_tree_outcome { // where the last increments lead, of every body
    td_vec3 *force;               // on its joint
    td_vec3 *origin;              // to the first order
} tdi_tree_outcome;

struct tdi_tree_state {
    td_body head;
    const tdi_tree_model *model;
    const tdi_seat *seat; // a segment: where loads and constraints find it; NULL: it is a body
    tdi_frame base;       // of head.base
    tdi_twist base_twist; // likewise
    tdi_twist base_move;  // that goes with the increments of a sweep; 0 but while it is carried
    td_real *q;           // coordinates
    td_real *v;           // velocities
    int32_t stale;        // v is older than `past`: see tdi_tree_fresh
    bool pose_perturbed;  // frames are not those of the step
    tdi_frame *frame;
    td_real *angle;      // a degree of freedom: joint's rotation vector, angle or slide
    td_real *angle_near; // the same in the last iteration of a step

    // implicit steps
    tdi_past *past;
    tdi_tree_bdf bdf;
    tdi_tree_bdf bdf_kept; // as the last step left it, while a step by another rule is under way
    tdi_tree_last last;
    td_real *q_start;          // where this step began
    struct tdi_tree_step *now; // the implicit step that is under way

    tdi_tree_stages stages;

    // scratch
    tdi_twist *twist; // also pushes, as moment and force, and the response to them
    tdi_tree_asked asked;
    tdi_other *other;
    tdi_slot *slot;       // a part
    uint8_t *summed;      // a body: TDI_SUMMED, TDI_PINNED; all 0 between sweeps
    tdi_joint_pin *joint; // a body: where TDI_PINNED
    tdi_tree_outcome outcome;
    struct tdi_rows *rows; // that are eliminated with it; NULL: none. See rows.h
    tdi_node *node;
    tdi_link *link; // forward dynamics, in the same memory as `node`; entry -1 is the base
};

// NULL: NULL, or of another solver.
static inline tdi_tree_state *tdi_as_tree(const td_body *body) {
    return body && body->solver == &tdi_solver_tree ? (tdi_tree_state *)body : NULL;
}
static inline tdi_tree_model *tdi_as_tree_model(const td_body_model *model) {
    return model && model->solver == &tdi_solver_tree ? (tdi_tree_model *)model : NULL;
}

// Places a state's arrays for any tree of so many bodies, joints and parts as `model` has.
void tdi_tree_state_lay_out_lasting(tdi_tree_state *state, tdi_layout *layout,
                                    const tdi_tree_model *model);
// What nothing leaves from one call to the next but between the beginning and the end of a step.
void tdi_tree_state_lay_out_scratch(tdi_tree_state *state, tdi_layout *layout,
                                    const tdi_tree_model *model);
// The same of a model's arrays. Both know nothing of what is in them.
void tdi_tree_model_lay_out(tdi_tree_model *model, tdi_layout *layout);

td_status tdi_tree_model_new(const td_skeleton *skeleton, const td_body_opts *opts,
                             const td_alloc *alloc, td_body_model **out, td_diag *diag);
td_status tdi_tree_state_new(const tdi_tree_model *model, const td_alloc *alloc,
                             tdi_tree_state **out, td_diag *diag);
// The initial pose, at rest, at time 0.
void tdi_tree_reset(tdi_tree_state *state);

void tdi_tree_changed(tdi_tree_state *state);
void tdi_tree_joint_torque(tdi_tree_state *state, td_real *torque);
void tdi_tree_inverse(tdi_tree_state *state, td_vec3 gravity, const td_real *accel,
                      td_real *torque);
td_vec3 tdi_tree_origin(const tdi_tree_state *state, int32_t body);
td_vec3 tdi_tree_tip(const tdi_tree_state *state, int32_t body);
td_quat tdi_tree_rotation(const tdi_tree_state *state, int32_t body);
td_energy tdi_tree_energy(tdi_tree_state *state, td_vec3 gravity);
void tdi_tree_momentum(tdi_tree_state *state, td_vec3 *linear, td_vec3 *angular);
td_real tdi_tree_residual(tdi_tree_state *state, td_vec3 gravity);

// ---- kinematics -----------------------------------------------------------------------------

// q to frames, of all bodies or of [first, last).
void tdi_tree_place(const tdi_tree_model *model, tdi_tree_state *state);
void tdi_place_range(const tdi_tree_model *model, tdi_tree_state *state, int32_t first,
                     int32_t last);
// Whether the last implicit step left the base at this pose.
bool tdi_tree_was_left(const tdi_tree_state *state, const td_base_motion *motion);
// Frames with the bits that the last of `known` implicit steps left them, or, without one or where
// the base was put elsewhere since, as the coordinates make them. What changes a state between
// steps leaves frames so, because a step that fails puts them back so.
void tdi_tree_place_left(tdi_tree_state *state, int32_t known);
// Frames and v to twists.
void tdi_tree_move(const tdi_tree_model *model, tdi_tree_state *state);
// Moves the joints by `fraction` of step[] (balls in their own axes). Frames are not updated.
void tdi_tree_advance(const tdi_tree_model *model, tdi_tree_state *state, const td_real *step,
                      td_real fraction);
// Puts the base there, and where constant acceleration leads it a time t after `start`.
void tdi_tree_put_base(tdi_tree_state *state, const td_base_motion *base);
void tdi_tree_set_base(tdi_tree_state *state, const td_base_motion *motion);
void tdi_tree_carry_base(tdi_tree_state *state, const td_base_motion *start, td_real t);
// Brings v up to date after implicit steps, which do without it.
void tdi_tree_fresh(tdi_tree_state *state);
// The past of a state that was set by hand: from q and v.
void tdi_tree_begin_history(const tdi_tree_model *model, tdi_tree_state *state);
// Keeps the pose, so that trials can start from it.
void tdi_tree_keep(const tdi_tree_model *model, tdi_tree_state *state);
// The kept pose moved by `fraction` of the nodes' move and the joints' step: coordinates and
// frames.
void tdi_tree_try(const tdi_tree_model *model, tdi_tree_state *state, td_pool *pool,
                  td_real fraction);
// The pose, which is kept, moved by all of it, with the factors of tdi_sweep_in() and increments of
// tdi_sweep_out(): see tdi_implicit.try.
void tdi_tree_follow(const tdi_tree_model *model, tdi_tree_state *state, td_pool *pool);

static inline const tdi_frame *tdi_parent_frame(const tdi_tree_model *m, const tdi_tree_state *s,
                                                int32_t i) {
    return m->parent[i] == TD_NONE ? &s->base : &s->frame[m->parent[i]];
}

// The body that a segment is on, and where a point of the segment is on it.
static inline int32_t tdi_seat_body(const tdi_tree_state *s, int32_t segment) {
    return s->seat ? s->seat[segment].body : segment;
}
static inline td_vec3 tdi_seat_point(const tdi_tree_state *s, int32_t segment, td_vec3 point) {
    const tdi_seat *seat = s->seat ? &s->seat[segment] : NULL;
    return seat ? tdi_add(seat->at, tdi_quat_rotate(seat->turn, point)) : point;
}
