// SPDX-License-Identifier: MIT
#pragma once

// Block elimination along the tree: the heart of implicit steps, statics and IDA's linear systems.

#include "tree/cut.h"

// What one body and its joint add to the quadratic model.
typedef struct tdi_term {
    tdi_block block; // Hessian of the body
    tdi_wrench load; // gradient
    td_vec3 pull; // force that makes geometric stiffness: load.f, unless the model says otherwise
    td_sym3 geometric; // part of the Hessian that may be negative
    td_sym3 ball;      // stiffness of a ball joint
    td_real joint[6];  // stiffness of other joints, a degree of freedom
    td_real g[6];      // moment of the joint; balls in world axes
} tdi_term;

// Where terms come from. `balls` and `other` fill whole terms of bodies by their joints, the first
// those of a row of bodies; fields of the other kind of joint may be left as they are.
typedef struct tdi_terms {
    void (*balls)(const void *context, int32_t first, int32_t count, tdi_term *terms);
    void (*other)(const void *context, int32_t i, tdi_term *term);
    const void *context;
    bool positive; // only the positive part of geometric stiffness is used, so that the model has a
                   // least value
    bool raise; // where a pivot is not positive, what the joint carries is made so, and only there
    bool keep_factors; // factors are kept for tdi_sweep_respond()
    bool note;         // what tdi_sweep_out() needs to note forces is kept
    bool noted;        // geometric stiffness is that of state->noted
} tdi_terms;

// Tip to root: factors. What was added to nodes before (marked in `summed`) counts. False, when not
// positive semi-definite, if the model has no least value; with `raise` the factors are those of
// one that has.
bool tdi_sweep_in(const tdi_tree_model *model, tdi_tree_state *state, td_pool *pool,
                  const tdi_terms *terms);

// Root to tip: fills the nodes' move and the other joints' step. No joint moves by more than
// `limit`, rad or m, and what it carries is solved for that; the whole may then not go down. With
// `attempt` the pose is kept and moved by the whole increment on the way; with `note` the forces on
// joints after the increment go to state->noted. Gives the largest turn of a body or step of a
// joint, rad or m; not a number if one is not.
td_real tdi_sweep_out(const tdi_tree_model *model, tdi_tree_state *state, td_pool *pool,
                      td_real limit, bool attempt, bool note);

// What the increments promise: r^T H^-1 r with the gradient r, after tdi_sweep_in().
td_real tdi_sweep_predicted_decrease(const tdi_tree_model *model, const tdi_tree_state *state);

// Solves H y = f once more with the factors of a sweep that was `keep_factors`: state->twist holds
// minus the moment and force f on each body, and then its motion; `respond` that of other joints.
void tdi_sweep_respond(const tdi_tree_model *model, tdi_tree_state *state);

// Bodies that take part in responses, parents first.
static inline int32_t tdi_asked_count(const tdi_tree_state *s) {
    return s->asked.count > 0 ? s->asked.count : s->model->body_count;
}
static inline int32_t tdi_asked(const tdi_tree_state *s, int32_t k) {
    return s->asked.count > 0 ? s->asked.body[k] : k;
}

// Makes a node ready to be added to before a sweep; its move stays.
static inline tdi_node *tdi_node_open(tdi_tree_state *s, int32_t i) {
    tdi_node *node = &s->node[i];
    if (!s->summed[i]) {
        const tdi_twist move = node->move;
        *node = (tdi_node){.move = move};
        s->summed[i] = TDI_SUMMED;
    }
    return node;
}

// The same for its joint.
static inline tdi_joint_pin *tdi_joint_open(tdi_tree_state *s, int32_t i) {
    tdi_node_open(s, i);
    if (!(s->summed[i] & TDI_PINNED)) {
        s->joint[i] = (tdi_joint_pin){.gradient = {0, 0, 0}};
        s->summed[i] |= TDI_PINNED;
    }
    return &s->joint[i];
}
