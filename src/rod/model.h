// SPDX-License-Identifier: MIT
#pragma once

// A network of rods as nodes, and its state.
//
// Node     a vertex, with the edge that ends there (from `parent`) and the joint at that edge's
//          start, between it and the edge of its parent. Parents come first, except in rings, whose
//          first node has the last as its parent.
// Held     places and frames that are given. A clamped end has one vertex more than the rod, beyond
//          it, without mass: the ghost, whose edge carries the frame.
// Part     a tree or a ring: what is solved by itself.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/diag.h"
#include "rod/joint.h"
#include "rod/solver.h"
#include "solver/solver.h"
#include "tendril/rod.h"

typedef struct tdi_rod_model tdi_rod_model;
typedef struct tdi_rod_state tdi_rod_state;

enum {
    TDI_HELD_PLACE = 1,
    TDI_HELD_TURN = 2,   // the frame, or there is none
    TDI_HELD_BASE = 4,   // moves with the base
    TDI_OFFSET = 8,      // its edge starts at `offset` from the parent, in the parent's edge's axes
    TDI_BODY = 16,       // a body is welded to its edge
    TDI_REST_FRAME = 32, // its joint is measured from a rest frame; see rest_frame.h
};

typedef struct tdi_rod_node {
    int32_t parent, grand; // of the edge and the edge before it, or TD_NONE
    int32_t edge;          // number for the caller, or TD_NONE: a ghost's, or there is none
    int32_t body;          // welded to its edge, or TD_NONE
    int32_t ring;          // first node of the ring it is part of, or TD_NONE
    int32_t rest_frame;    // of its joint, or TD_NONE
    uint32_t flags;
    td_real length;       // m, of the edge at ease
    td_real stretch;      // N/m
    tdi_joint_law law;    // of the joint; zero without
    td_real damping_time; // s
    td_real mass;         // kg: of the vertex, the diagonal of the mass matrix
    td_real shared;       // kg: of the vertex and its parent, off the diagonal
    td_real weight;       // kg that gravity takes at the vertex
    td_real inertia;      // kg m^2, of the edge about itself
    td_real shift_mass;   // kg: what a step of Newton's method that is held back feels
    td_real radius;       // m
    td_real depth;        // m: from the base along the rod to the vertex; below 0: it is on none
    td_real bare;         // m: colliders touch what is farther from the base than this
    td_vec3 offset;       // m
    td_vec3 area;         // m^2 to the air, in the edge's axes
    td_real fold;         // see load/drag.h
    td_vec3 start;        // m, at time 0
    td_vec3 start_m1;
    td_real start_twist;
} tdi_rod_node;

typedef struct tdi_rod_part {
    int32_t first, last; // nodes, one past the last
    bool ring;
    bool turns; // nothing is held but roots: increments turn edges instead of stretching them
    bool rolls; // no edge is held against turning about itself
} tdi_rod_part;

// A capsule of a welded body, which rides on an edge.
typedef struct tdi_rod_solid {
    int32_t edge, segment;
    td_vec3 end[2];   // m, in the axes of the edge, from its start
    td_vec3 drawn[2]; // m, at time 0
    td_real radius;   // m
} tdi_rod_solid;

typedef struct tdi_weld {
    int32_t node;
    td_real mass;
    td_vec3 moment; // mass times centre
    td_sym3 second;
} tdi_weld;

// An end as it is drawn, in the axes of the base.
typedef struct tdi_rod_end {
    bool held;
    td_vec3 place;
    td_quat turn;
} tdi_rod_end;

struct tdi_rod_model {
    td_body_model head;
    int32_t node_count, edge_count, part_count, weld_count, rod_count, solid_count;
    int32_t ring_nodes, ring_shift; // nodes of rings, which come last, and where they begin
    tdi_rod_node *node;
    tdi_rod_part *part;
    tdi_weld *weld;
    tdi_rod_solid *solid;
    tdi_mat3 *rest_frame;
    int32_t *edge_node; // of an edge
    int32_t *rod_first; // of a rod: where its vertices begin in vertex_node; and one past all
    int32_t *vertex_node;
    int32_t *end_node; // two a rod: the node whose edge is held at the start, and at the end, or
                       // TD_NONE
    // of models for a world
    const td_segment *segments; // of the skeleton: those beyond the edges ride on others
    tdi_rod_end ends[2];        // of the first strand
};

// Stops where a model is not what all others take for granted. For debug builds: see base/assert.h.
void tdi_rod_model_validate(const tdi_rod_model *model);

// ---- state ----------------------------------------------------------------------------------

// A node as it lies now.
typedef struct tdi_rod_pose {
    td_vec3 x;
    tdi_edge edge;
    td_vec3 kb;
    td_real chi, k1, k2, twist; // of the joint
    td_real twist_sin, twist_cos;
} tdi_rod_pose;

// What the rules of several steps remember of a node.
typedef struct tdi_rod_past {
    td_vec3 x, v;       // at the end of the last step
    td_real turn, spin; // of the last step, rad; and rad/s
    td_real strain[4];  // k1, k2, twist, length
} tdi_rod_past;

typedef struct tdi_weld_past {
    tdi_mat3 r, rate;
    td_vec3 x, v; // of the start of its edge
} tdi_weld_past;

typedef struct tdi_weld_rule {
    tdi_mat3 history_r, predictor_r;
    td_vec3 history, predictor;
} tdi_weld_rule;

// Where the rule takes things from (star) and where they would go without forces (hat).
typedef struct tdi_rod_rule {
    td_vec3 history, predictor;
    td_real turn_history, turn_predictor;
    td_real strain_history[4];
} tdi_rod_rule;

// 4x4 blocks of a node: with itself, its parent, its grandparent. First the Hessian and the
// gradient, then what elimination makes of them.
typedef struct tdi_rod_work {
    td_real d[4][4], p[4][4], g[4][4];
    td_real r[4];
} tdi_rod_work;

typedef struct tdi_rod_step {
    td_real x[4]; // increment: place and turn
} tdi_rod_step;

// Whether frames and strains are those of the places.
typedef enum tdi_rod_age {
    TDI_ROD_CURRENT,
    TDI_ROD_STALE,    // places were set by hand: frames and strains are to follow
    TDI_ROD_FOLLOWED, // they have followed: the rod is not as drawn, whether or not it was stepped
} tdi_rod_age;

// What a step takes from those before it.
typedef struct tdi_rod_history {
    tdi_rod_past *past;   // at the end of the last step
    td_vec3 *before;      // where a node was one step before
    td_real *turn_before; // of the step before the last
    tdi_weld_past *weld;
    int32_t curved; // a parabola through the last three places foretold the last step better than a
                    // line through the last two
} tdi_rod_history;

// Targets of nodes with prescribed motion.
typedef struct tdi_rod_targets {
    td_vec3 *place, *m1;     // of positions and frames
    td_vec3 *goal, *goal_m1; // of ends with targets of their own: targets of the whole step
    uint8_t *own;            // the end has a target of its own: it does not follow the base
} tdi_rod_targets;

struct tdi_rod_state {
    td_body head;
    const tdi_rod_model *model;
    bool pose_perturbed;            // the pose is not that of the step
    int32_t stale;                  // a tdi_rod_age
    tdi_rod_pose *pose, *pose_back; // now, and from where a trial starts
    tdi_rod_pose *pose_start;       // when the step began
    tdi_rod_pose *pose_lent;        // lent for pose_back, with which `pose` may have changed places
    tdi_rod_pose *pose_spare;       // the own one for which it stands
    td_real *turn, *turn_back;      // rad, of an edge since the step began
    tdi_rod_history history;
    td_vec3 *before_last; // where a node was two steps before
    // what the last step replaced, until the next begins, so that it can be undone
    tdi_rod_history replaced;
    bool returned; // a step was taken back, and replaced.past is its result
    tdi_rod_rule *rule;
    tdi_rod_rule *rule_kept; // as the last step left it, while one by another rule is under way
    tdi_weld_rule *weld_rule, *weld_rule_kept; // likewise
    void *scratch; // its own, for the step that is under way: work to area_axes, which may also lie
                   // in memory that was lent
    tdi_rod_work *work;
    tdi_rod_step *step;
    tdi_rod_step *response;              // increments by forces of contact alone
    tdi_mat3 *area_axes;                 // of an edge when the step began, for the areas to the air
    struct tdi_rod_potential *potential; // of the implicit step that is under way
    bool with_driven;                    // increments of driven nodes are given: solving keeps them
    int32_t *capsule_node;               // of a capsule; those of welded bodies are the last
    td_real (*border)[4][8];             // of a node of a ring, with its first two nodes
    td_real (*closing)[8][8];            // of a part that is a ring: factors of its first two nodes
    tdi_rod_targets target;
};

// NULL: NULL, or of another solver.
static inline tdi_rod_state *tdi_as_rod(const td_body *body) {
    return body && body->solver == &tdi_solver_rod ? (tdi_rod_state *)body : NULL;
}
static inline tdi_rod_model *tdi_as_rod_model(const td_body_model *model) {
    return model && model->solver == &tdi_solver_rod ? (tdi_rod_model *)model : NULL;
}

TDI_HELPER tdi_mat3 tdi_edge_axes(const tdi_edge *e) {
    tdi_mat3 r = {{e->m2.x, e->t.x, e->m1.x, e->m2.y, e->t.y, e->m1.y, e->m2.z, e->t.z, e->m1.z}};
    return r;
}

static inline bool tdi_has_edge(const tdi_rod_node *n) {
    return n->parent != TD_NONE;
}
static inline bool tdi_has_joint(const tdi_rod_node *n) {
    return n->grand != TD_NONE;
}

// The lever from a node's parent to where its edge starts.
TDI_HELPER td_vec3 tdi_rod_lever(const tdi_rod_model *m, const tdi_rod_pose *pose, int32_t i) {
    const tdi_rod_node *n = &m->node[i];
    if (!(n->flags & TDI_OFFSET)) {
        return tdi_vec3(0, 0, 0);
    }
    tdi_mat3 r = tdi_edge_axes(&pose[n->parent].edge);
    return tdi_mat3_apply(&r, n->offset);
}
TDI_HELPER td_vec3 tdi_rod_start(const tdi_rod_model *m, const tdi_rod_pose *pose, int32_t i) {
    return tdi_add(pose[m->node[i].parent].x, tdi_rod_lever(m, pose, i));
}
