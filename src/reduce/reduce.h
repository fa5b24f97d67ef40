// SPDX-License-Identifier: MIT
#pragma once

// Trees that step fewer bodies than they have segments.
//
// Every joint of the whole tree has a mode. Segments between which no joint moves by itself are one
// body of a smaller tree, a cluster, which the sweeps, contact and constraints of src/tree step as
// any other.
//
// Frames   a cluster has a frame of its own; its segments have seats on it.
// Groups   successive joints of an axis that turn together are one joint at their centre of
//          compliance. The segments between them belong to both sides of it, in shares: a segment
//          i of the group turns by the share s_i of the joint's turn, and s_i of its mass and area
//          are on the far cluster, the rest on the near one. Turns c_j about joints o_j move it as
//          its share s on the far cluster moves from x + d, d = o - sum over j <= i of c_j o_j/s_i;
//          the rest is at x - d s/(1 - s), so that the centre of mass stays. Of what floats both
//          are at x, so that clusters and segments have the same angular momentum.
// Order    clusters stand in the order of their first segments, so parents come first.

#include "reduce/reduced.h"
#include "reduce/solver.h"
#include "tendril/reduce.h"
#include "load/drag.h"
#include "tree/implicit.h"

#include <math.h>

typedef struct tdi_reduced_state tdi_reduced_state;

#define TDI_AIR_EVERY  2 // steps between turns of quasi-static joints and fits of drag;
#define TDI_AIR_OTHERS 4 // likewise without air, and of clusters without quasi-static joints

#define TDI_REDUCE_STILL 0.2 // m/s: a slower flow does not predict the next one

// The smaller part of a segment within a group, on the cluster at the other side of the joint.
typedef struct tdi_other_side {
    tdi_seat seat;  // body TD_NONE: there is none
    td_real share;  // of the segment, 0..1/2
    td_vec3 off[2]; // m: where the mass of the larger and of the smaller part is, from their seats,
                    // in the axes of their clusters
} tdi_other_side;

// Of a joint in a group of several.
typedef struct tdi_share {
    td_vec3 angle; // rotation vector when the group was made
    td_quat turn;  // from the axes of the segment to those of the cluster, then
} tdi_share;

// The air and the weight of the last step.
typedef struct tdi_reduce_flow {
    td_air air;
    td_vec3 gravity;
    td_real stiffness;
    int32_t by_segment; // winds were given
    int32_t gap;        // 0: saves hold every byte
} tdi_reduce_flow;

typedef struct tdi_cluster_drag { // areas of a cluster and twice their middle, in a uniform flow
    td_vec3 area, tip;
    td_sym3 second; // of its mass
} tdi_cluster_drag;

// The air about a cluster, in its axes: at x the velocity against the wind is flow + spin x.
typedef struct tdi_reduce_breeze {
    td_vec3 flow;
    tdi_mat3 spin;
} tdi_reduce_breeze;

typedef struct tdi_reduce_flow_sum { // of the segments of a cluster, in its axes
    td_vec3 force, moment;           // of drag, about the cluster's origin
    td_vec3 flow;                    // velocity against the wind, times area
    td_real area;
    td_real slope; // of drag, f/u, with moments
    td_vec3 first;
    td_sym3 second;
} tdi_reduce_flow_sum;

// Remaining drag of a cluster beside that of its area, in its axes; see drag.c.
typedef struct tdi_reduce_rest {
    td_real acts;          // 0: there is none
    td_vec3 force, moment; // about its origin
    td_vec3 turning;       // rad/s: of the cluster when they were taken
    td_sym3 spread;        // N m s: C
    td_vec3 way, turn[3];  // what it added to x^ of a next step as long as the last, in its axes
} tdi_reduce_rest;

typedef struct tdi_reduce_inverse_mass { // of the moments of mass
    td_real mass;
    td_vec3 moment;
    td_sym3 second;
} tdi_reduce_inverse_mass;

// Constants of a joint and the segments that it carries.
typedef struct tdi_reduce_shape {
    td_real tips;    // of all tips, or of all mass, the larger part that it moves
    td_real reach;   // m: to the farthest of them
    td_real mass;    // kg
    td_real inertia; // kg m^2: about any axis, at most
    td_real answer;  // s: (inertia/stiffness)^(1/2)
    int32_t count;   // segments
    int32_t index;   // on its axis, from 0
    bool may_be_quasistatic, may_join;
} tdi_reduce_shape;

enum { TDI_PUSHED = 2 }; // of what is held: a load acts on the segment itself

// Segments, each once.
typedef struct tdi_reduce_set {
    uint8_t *has; // not 0
    int32_t *list, *count;
} tdi_reduce_set;

enum { TDI_DRAWN_NOT, TDI_DRAWN_POSE, TDI_DRAWN_PAST };

typedef struct tdi_reduce_count { // what is saved besides arrays
    int64_t changes;
    td_real estimate;
    td_real spring;  // of the full model, when the clusters got theirs
    int32_t since;   // steps since the last choice
    int32_t wait;    // steps from that to the next, if nothing happens
    td_real age;     // s: since the first step, as long as that matters
    int32_t by_hand; // modes are not chosen
    tdi_reduce_flow flow;
} tdi_reduce_count;

// Memory of the choice of modes; saved but for the cost.
typedef struct tdi_reduce_choice {
    td_real *swing;      // a segment: recent turn of its joint, rad
    td_real *angle_seen; // a degree of freedom: at the last choice
    td_real *active;     // a segment: recent rate of its joint, rad/s
    td_real *uneven;     // a segment: recent turn that a group would not have, rad
    td_real *seen;       // a cluster: the flow at the last choice, m/s
    uint8_t *wanted;     // a segment: td_reduce_mode of its joint after the next change
    td_real *cost;       // a segment: scratch
} tdi_reduce_choice;

// Loads, contacts and constraints on segments.
typedef struct tdi_reduce_acting {
    tdi_reduce_set loaded; // a load, contact or constraint acts on it or on a segment beyond it
    tdi_reduce_set constrained; // a contact or a constraint acted on it in the last step
    uint8_t *pinned;            // a segment: a constraint holds its joint
} tdi_reduce_acting;

// Joints that turn together; saved.
typedef struct tdi_reduce_groups {
    tdi_other_side *side; // a segment: where the rest of it is
    tdi_share *share;     // a segment
    td_vec3 *began;       // a cluster of a group: its rotation vector when it was made
} tdi_reduce_groups;

// The segments of each cluster, from the modes.
typedef struct tdi_reduce_list {
    int32_t *first;   // a cluster: the segment whose joint it has; of a group the first
    int32_t *size;    // a cluster: segments that are on it, at least in part
    int32_t *begin;   // a cluster: its first place in `member`; one more at the end
    int32_t *member;  // segments, cluster by cluster
    uint8_t *stiff;   // a cluster: a joint on it is frozen
    uint8_t *carries; // a cluster: it has quasi-static joints
} tdi_reduce_list;

// Where wind is asked for.
typedef struct tdi_reduce_wind {
    int32_t *begin;   // a cluster: its first place in `from`; one more at the end
    int32_t *from;    // segments at which wind is asked for, cluster by cluster
    td_real *share;   // of the wind on the cluster
    int32_t *served;  // the first index in `member` that each of these serves, and one past all
    td_vec3 *gusts;   // the wind at each of these
    td_vec3 *mean;    // a cluster: of these
    td_vec3 *segment; // a segment: scratch of choices and changes
} tdi_reduce_wind;

// Drag of clusters; model and rest are saved.
typedef struct tdi_reduce_air_parts {
    tdi_cluster_drag *model;          // a cluster
    tdi_reduce_rest *rest;            // a cluster
    tdi_reduce_inverse_mass *inverse; // a cluster on which `rest` acts
    tdi_reduce_flow_sum *sum;         // a cluster: scratch
    uint8_t *awake;                   // a cluster: scratch
    tdi_wrench *load;                 // a segment: scratch
    td_real *damp;                    // a segment: scratch
} tdi_reduce_air_parts;

// Modes that changed at the beginning of the step under way, and what there was before.
typedef struct tdi_reduce_undo {
    bool started;
    tdi_reduce_count count;
    td_real *v;
    uint8_t *wanted; // a segment
} tdi_reduce_undo;

struct tdi_reduced_state {
    tdi_tree_state tree;  // of the clusters; its model is `clusters`
    tdi_tree_state whole; // of all segments: poses when somebody asks, and where modes change
    tdi_tree_model clusters;
    const tdi_tree_model *full;
    td_reduce_opts opts;
    int32_t reduced; // segments whose joint is not its own
    int32_t groups;  // clusters whose joint is that of several
    int32_t drawn;   // what `whole` has of the clusters: TDI_DRAWN_

    tdi_reduce_count *count; // saved, with what follows as said there
    uint8_t *mode;           // a segment: td_reduce_mode of its joint; saved
    tdi_seat *seat;          // a segment: where it is, or the larger part of it; saved
    int32_t *joined;         // a segment: the one whose joint turns with its own, or TD_NONE
    tdi_reduce_list list;
    tdi_reduce_groups group;
    tdi_reduce_choice choice;
    tdi_reduce_acting acting;
    tdi_reduce_wind wind;
    tdi_reduce_air_parts air;
    tdi_reduce_undo undo;
    char *saved; // one after the other, with coordinates and angles of `whole`
    size_t saved_bytes;

    tdi_reduce_shape *shape; // a segment
    td_real reach;           // m: from a root to the farthest tip
    uint8_t *bent;           // a segment: it is drawn where its joints put it
    td_vec3 *shift;          // a segment: how far it is drawn from where its cluster has it
    tdi_affine *rate;        // a cluster: scratch of choices and changes
    int32_t *next;           // a segment: scratch
};

// NULL: NULL, or of another solver.
static inline tdi_reduced_state *tdi_as_reduced(const td_body *body) {
    return body && body->solver == &tdi_solver_reduced ? (tdi_reduced_state *)body : NULL;
}

// td_reduced_new() and friends, of a state of that kind. All segments where they are now: a tree,
// valid until the next step.
tdi_tree_state *tdi_reduced_whole(tdi_reduced_state *state);

// ---- parts ----------------------------------------------------------------------------------

// A cluster of one segment, whose frame it has.
static inline bool tdi_reduce_single(const tdi_reduced_state *s, int32_t c) {
    return s->list.size[c] == 1;
}

// Contact and constraints act on points where they are drawn: on frozen joints they are.
static inline bool tdi_reduce_has_rows(const tdi_reduced_state *s) {
    return s->tree.head.in_contact || s->tree.head.constrained;
}

// Where the mass of the larger or the smaller part of a segment sits.
static inline tdi_seat tdi_reduce_mass_seat(const tdi_reduced_state *s, int32_t i, bool other) {
    tdi_seat seat = other ? s->group.side[i].seat : s->seat[i];
    seat.at = tdi_add(seat.at, s->group.side[i].off[other]);
    return seat;
}

// memory.c: places all arrays. Lay out once with base NULL, as ever, and once with the block.
void tdi_reduce_lay_out(tdi_reduced_state *state, tdi_layout *layout, const tdi_tree_model *full);

// structure.c: from the modes which cluster a segment is on, and which joint a cluster has. Modes
// that a joint cannot have become its own.
void tdi_reduce_structure(tdi_reduced_state *state);
// Makes the wanted modes possible ones, and chooses which joint turns with which. States with
// contact or constraints do not join: a segment within a group is drawn between both sides of it,
// and a force on it would act on one of them.
void tdi_reduce_settle_wanted(tdi_reduced_state *state);
// Whether a segment's joint can have a mode, whatever others have.
bool tdi_reduce_can(const tdi_tree_model *full, int32_t segment, td_reduce_mode mode);

// The winds at the sample points of clusters, and their means, from those at segments; and back, in
// `seg_wind`: each point serves the segments next to it.
void tdi_reduce_take_winds(tdi_reduced_state *state, const td_vec3 *winds);
void tdi_reduce_spread_winds(tdi_reduced_state *state);

// clusters.c: makes the clusters of `mode` at the pose of `whole`.
void tdi_reduce_cluster(tdi_reduced_state *state);
// Points of capsules, on the clusters as they are seated.
void tdi_reduce_set_capsules(tdi_reduced_state *state);
// Adds a share of a segment's mass and moments to a body that it sits on.
void tdi_reduce_add_mass(tdi_body *to, const tdi_body *from, const tdi_seat *seat, td_real share);

// pose.c: brings `whole` up to date: coordinates and frames, and with `past` all that the next step
// takes from the last ones.
void tdi_reduce_draw(tdi_reduced_state *state, bool past);
// The coordinates of a ball joint, now and a step back, from its rotation vector and what the rule
// takes from its past.
void tdi_reduce_set_ball(tdi_tree_state *state, int32_t coord, int32_t dof, td_vec3 angle,
                         td_vec3 history);
// The same without the coordinates a step back, which are drawn with the past.
void tdi_reduce_set_quasistatic(tdi_tree_state *state, int32_t coord, int32_t dof, td_vec3 angle,
                                td_vec3 history);

static inline bool tdi_reduce_has_air(const tdi_reduced_state *s) {
    return s->count->flow.air.linear > 0 || s->count->flow.air.quadratic > 0;
}

// air.c: quasi-static joints turn towards balance for a time, with 0 they stay; and clusters get
// the drag of their segments, or only clusters with quasi-static joints. After a step, or when
// clusters were made.
void tdi_reduce_air(tdi_reduced_state *state, td_real time, bool all);
tdi_reduce_breeze tdi_reduce_breeze_at(const tdi_reduced_state *state, int32_t cluster);
// The frame of a segment of `whole`, from its parent's and its joint.
void tdi_reduce_pose_joint(tdi_reduced_state *state, int32_t segment);

// The drag of all segments of `whole`, about their joints, in `load`.
void tdi_reduce_drags(tdi_reduced_state *state);

// Drag in the axes of the areas: -slope A u, with slope linear + quadratic (u^T A u/a)^(1/2), less
// where it folds; and the largest f/u.
static inline td_vec3 tdi_reduce_drag(const td_air *air, td_vec3 area, td_real fold, td_vec3 u,
                                      td_real *largest) {
    const td_vec3 au = tdi_times(area, u);
    const td_real xy = area.x > area.y ? area.x : area.y, most = xy > area.z ? xy : area.z,
                  speed = most > 0 ? sqrt(tdi_dot(u, au) / most) : 0,
                  folds = tdi_drag_folds_at(air, fold, speed).force,
                  slope = most > 0 ? air->linear + air->quadratic * speed * folds : 0;
    *largest = slope * most;
    return tdi_scale(au, -slope);
}

// drag.c: the drag of a cluster from the sums of its segments, with `all` also how it resists
// turning; that there is only the drag of its area; and, after a step, the part that acts in the
// next one.
void tdi_reduce_fit(tdi_reduced_state *state, int32_t cluster, bool all);
void tdi_reduce_clear_drag(tdi_reduced_state *state, int32_t cluster);
void tdi_reduce_apply_drag(tdi_reduced_state *state);
// The same for a step that x^ was not prepared for, when the tree has begun it.
void tdi_reduce_rescale_drag(tdi_reduced_state *state);

// shape.c: fills `shape`, at the pose of `whole`.
void tdi_reduce_measure(tdi_reduced_state *state);

// choose.c: whether modes are chosen.
bool tdi_reduce_chooses(const tdi_reduced_state *state);
// Chooses those that are wanted; whether they are others than those there are. `late`: what is held
// has to be freed.
bool tdi_reduce_choose(tdi_reduced_state *state, bool late);

// start.c: whether a step begins at rest with modes by hand that differ from those there are; and
// takes them: groups begin in balance with the weight.
bool tdi_reduce_starts(const tdi_reduced_state *state);
void tdi_reduce_start(tdi_reduced_state *state);
// The step did not succeed, and was undone: nothing was chosen.
void tdi_reduce_unstart(tdi_reduced_state *state);

// flow.c: the flow past clusters now is what the choice has seen; and whether a gust that it has
// not seen passes frozen joints.
void tdi_reduce_note(tdi_reduced_state *state);
bool tdi_reduce_gust(const tdi_reduced_state *state);
// The acceleration of a cluster, of o and of R.
tdi_affine tdi_reduce_acceleration(const tdi_reduced_state *state, int32_t cluster);

// change.c: M^-1 of a body.
tdi_reduce_inverse_mass tdi_reduce_inverse(const tdi_body *body);
// From the modes there are to those that are wanted, between steps.
void tdi_reduce_change(tdi_reduced_state *state);
// start.c: of a tree that was not stepped since it was made or stopped: it was always where it is
// now; and the change, if there is one.
void tdi_reduce_forget(tdi_reduced_state *state);
void tdi_reduce_change_at_rest(tdi_reduced_state *state);
// Whether other modes are wanted than there are.
bool tdi_reduce_differs(const tdi_reduced_state *state);

// start.c: tdi_reduced_free_joints(), and the tree is where an explicit step of `whole` left that.
void tdi_reduce_take_whole(tdi_reduced_state *state);

static inline td_quat tdi_seat_turn(const tdi_seat *seat, td_quat turn) {
    return tdi_quat_mul(seat->turn, turn);
}

// The compliance of a joint in bending, and that of all joints of a group.
static inline td_real tdi_reduce_bending(const tdi_body *b) {
    return 1 / b->stiffness.x + 1 / b->stiffness.z;
}

static inline td_real tdi_reduce_group_bending(const tdi_reduced_state *s, int32_t first) {
    td_real sum = 0;
    for (int32_t j = first; j != TD_NONE; j = s->joined[j]) {
        sum += tdi_reduce_bending(&s->full->body[j]);
    }
    return sum;
}

// The table for implicit steps; bodies are td_reduced_states.
extern const tdi_implicit tdi_reduced_implicit;
extern const tdi_statics_ops tdi_reduced_statics; // solver.c
