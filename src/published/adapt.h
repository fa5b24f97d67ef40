// SPDX-License-Identifier: MIT
#pragma once

// Adaptive dynamics (Redon, Galoppo and Lin 2005) of a tree: the assembly tree, and what moves on
// it.
//
// Nodes     Each joint is the principal joint of one node of the assembly tree, which has the
//           number of the joint's body. A node joins A, which holds what carries the joint, and B,
//           which holds the joint's body: nodes, or single bodies. A root joins the base and B.
// Handles   A handle is a body of a node that forces from outside act on: its top, which its own
//           joint to the rest is at, and at most one more, its end. All forces on a body count as
//           one, at the frame of the body, so that a body with many joints is one handle.
// Frames    Everything of a handle is in the axes of its body, at the body's joint.
// Regions   Active nodes are a subtree of the assembly tree that contains its roots. All others are
//           rigid; those on active nodes are the rigid front.
// Coefficients  of a node's handles, at their forces f:
//             a = phi f + b,   sum over joints of weight^2 |acceleration|^2 = f psi f + p f + eta
//           once as the node is now (hybrid) and once with all joints free (full). Of passive nodes
//           the full b, p and eta follow from the turning rate w of the top alone:
//             b = B x, p = P x, eta = x^T E x,  x = (wx^2, wy^2, wz^2, wx wy, wx wz, wy wz, 1).

#include "published/six.h"
#include "tendril/adapt.h"

#define TDI_ASSEMBLY_BASE INT32_MIN // a child that is the base; below 0: ~body

enum { TDI_PRODUCTS = 7 }; // entries of x

typedef struct tdi_tensor { // 6 x 7
    td_real a[6 * TDI_PRODUCTS];
} tdi_tensor;

typedef struct tdi_quartic { // 7 x 7, symmetric
    td_real a[TDI_PRODUCTS * TDI_PRODUCTS];
} tdi_quartic;

// Where a node's handle comes from.
typedef struct tdi_handle_from {
    uint8_t side;   // 0: A, 1: B
    uint8_t handle; // of that: 0 top, 1 end
} tdi_handle_from;

typedef struct tdi_assembly_node { // what never changes
    int32_t a, b;                  // children
    int32_t up;                    // TD_NONE: a root
    int32_t top;                   // body; TD_NONE: a root has no handles
    int32_t rank;                  // children have smaller ones
    int32_t depth;                 // of roots 0
    int32_t bodies;                // in it
    uint8_t handles;               // 0, 1 or 2
    uint8_t via;                   // handle of A that the joint is at
    tdi_handle_from end;           // of the second handle
} tdi_assembly_node;

// Pairs of handles: top and top, top and end, end and end.
typedef struct tdi_pairs {
    tdi_six2 of[3];
} tdi_pairs;

typedef struct tdi_linear { // a handle each
    tdi_six b[2], p[2];
    td_real eta;
} tdi_linear;

// What a joint does to the two that it joins, in the frame of its body:
//   between them   f = gamma - W sum_h G_h f_h
//   at the joint   qdd = U sum_h G_h f_h + R
typedef struct tdi_join {
    tdi_six2 w;
    tdi_six2 gain[2]; // G_h^T
    td_real u[36];    // a row a degree of freedom
    td_real d[36];    // rows of 6: response of the joint to a force of its own
    tdi_six gamma;
    td_real r[6];
} tdi_join;

typedef struct tdi_adapt_node {
    // of the pose
    tdi_hop joint, to_b, to_end; // A's handle to the joint's body; top to it; top to the end
    tdi_mass mass;               // of all, in the axes of the top; of rigid nodes
    td_sym3 central;             // second moment about the centre of mass, likewise
    tdi_pairs hybrid;            // of active nodes and of the rigid front
    tdi_pairs full, psi;         // of passive nodes, and while regions are chosen of all
    tdi_tensor tensor_b[2], tensor_p[2]; // of rigid nodes, a handle each
    tdi_quartic tensor_eta;

    // of the motion
    tdi_six top_rate, b_rate;   // twists of the top, and of the joint's body
    tdi_six b_extra, end_extra; // what the twists of these have besides that of the top
    tdi_six push;               // external forces at the top; of the rigid front
    tdi_six bias[2];            // hybrid b, a handle each
    tdi_six force[2];           // on the handles, while forces are substituted back
    tdi_six momentum;           // at the top; of a node that stops
    tdi_linear linear;          // full

    tdi_join with;
    int64_t push_at, forced_at; // steps
    td_real metric, speed;      // of accelerations, and of velocities
    bool active;
    bool with_full; // `with` is of the full body
    bool fresh;     // was not active before this choice
    bool stops;     // becomes rigid by it
    bool stiff;     // hybrid inverse inertias are those of a rigid body
} tdi_adapt_node;

typedef struct tdi_node_list {
    int32_t *node;
    int32_t count;
} tdi_node_list;

typedef struct tdi_adapt_stages {
    td_real *q_first, *v_first;           // before a step
    td_real *rate, *rate_sum, *accel_sum; // of Runge-Kutta
} tdi_adapt_stages;

struct td_adapt {
    const td_alloc *alloc;
    size_t bytes;
    td_adapt_opts opts;
    const tdi_tree_model *model;
    tdi_tree_state *state;
    tdi_assembly_node *tree;
    tdi_adapt_node *node;
    int32_t *order;   // joints, children first
    int32_t *body_up; // node whose child a body is
    int32_t *root;    // roots
    int32_t root_count;
    tdi_six2 *body_phi; // inverse inertia of a body
    tdi_six *body_push; // external forces on a body, in its own axes
    int64_t *body_push_at;
    td_real *weight;      // a joint
    tdi_node_list active; // parents first
    int32_t *spare;       // likewise, of the region that was, or that comes
    tdi_node_list forced; // passive nodes that hold a body with an external force, children first
    tdi_node_list queue;  // a heap
    td_real *accel;
    tdi_adapt_stages stage;
    int64_t step; // that were begun
    int64_t until_update;
    td_real time;      // s: of the state after the last step; another: it was moved from outside
    td_real stiffness; // factor of springs that the tensors are for
    td_adapt_stats stats;
};

// ---- assembly.c -----------------------------------------------------------------------------

// The assembly tree: balanced, or any by a seed that is not 0. TD_ERR_MEMORY.
td_status tdi_assembly_make(td_adapt *adapt);

// ---- join.c ---------------------------------------------------------------------------------

// Of a node: where its handles are, from its joint's coordinates and its children.
void tdi_node_place(td_adapt *adapt, int32_t i);
// b_extra and end_extra, from its joint's velocity and its children.
void tdi_node_relative(td_adapt *adapt, int32_t i);
// Twists of the children's tops from that of its own.
void tdi_node_carry(td_adapt *adapt, int32_t i);
// Makes it one rigid body: mass, and inverse inertias of its handles.
void tdi_node_mass(td_adapt *adapt, int32_t i);
void tdi_node_stiff(td_adapt *adapt, int32_t i);
// Axes of its joint in those of its body.
void tdi_joint_axes(const td_adapt *adapt, int32_t i, tdi_six *axis);
// W, U, D and gains from the children's inverse inertias, hybrid or full; and its own as well.
void tdi_node_split(td_adapt *adapt, int32_t i, bool full);
void tdi_node_join(td_adapt *adapt, int32_t i, bool full);
// Row and column of pairs: 0 top, 1 end.
tdi_six2 tdi_pair_of(const tdi_six2 *of, int row, int column);
// What its joint adds to accelerations by rates alone: 0 of a rigid one, but for the lever arm.
tdi_six tdi_node_rates(const td_adapt *adapt, int32_t i);
// gamma, R and the biases of its handles from its children's biases at the joint.
void tdi_node_bias(td_adapt *adapt, int32_t i, const tdi_six *beta, const td_real *torque);
// Forces at the joint and on the children from those on its handles; the joint's acceleration.
void tdi_node_back(td_adapt *adapt, int32_t i, td_real *accel);
// The torque of spring and damping at a joint, and what is added to it, which may be NULL.
void tdi_node_torque(const td_adapt *adapt, int32_t i, const td_step_opts *opts,
                     const td_real *added, td_real *torque);

// ---- passes.c -------------------------------------------------------------------------------

// Places, twists and loads of nodes in `list`, parents first, and of the rigid front.
void tdi_pass_kinematics(td_adapt *adapt, const int32_t *list, int32_t count);
void tdi_pass_loads(td_adapt *adapt, const td_step_opts *opts);
// Hybrid dynamics of the nodes in `list`: accelerations of their joints, by degree of freedom.
// `torque` may be NULL.
void tdi_pass_forward(td_adapt *adapt, const td_step_opts *opts, const td_real *torque,
                      const int32_t *list, int32_t count, td_real *accel);
// The back-substitution alone.
void tdi_pass_back(td_adapt *adapt, const int32_t *list, int32_t count, td_real *accel);
// Acceleration of the base, in its own axes, as if gravity pushed it up.
tdi_six tdi_base_rise(const td_adapt *adapt, const td_step_opts *opts);
// b of a body at this turning rate.
tdi_six tdi_body_bias(const td_adapt *adapt, int32_t body, td_vec3 rate);

// ---- metric.c -------------------------------------------------------------------------------

// Theorem 2: psi of a node, after tdi_node_join() in full.
void tdi_metric_quadratic(td_adapt *adapt, int32_t i);
// The same for b, p and eta, from those of its children.
void tdi_metric_linear(td_adapt *adapt, int32_t i, const td_step_opts *opts, const td_real *torque);
// Theorem 1: the metric of a node with the forces on its handles.
td_real tdi_metric_value(const td_adapt *adapt, int32_t i);
// Theorem 4: tensors of a rigid node.
void tdi_metric_tensors(td_adapt *adapt, int32_t i);
// Theorem 3: b, p and eta of a passive node from the turning rate of its top.
void tdi_metric_evaluate(td_adapt *adapt, int32_t i);

// ---- update.c -------------------------------------------------------------------------------

// Inverse inertias of the rigid front of the nodes in `list`.
void tdi_update_front(td_adapt *adapt, const int32_t *list, int32_t count);
// Full coefficients of the update region, theorems 1 to 4.
void tdi_update_convert(td_adapt *adapt, const td_step_opts *opts, const td_real *torque);
// Goes down one node of the full body: acceleration of its joint, coefficients of its children,
// and the forces on them.
void tdi_update_descend(td_adapt *adapt, int32_t i, const td_step_opts *opts, td_real *accel);
// The nodes of the assembly tree from its root down that `fixed` chooses, in `active`.
void tdi_update_fixed(td_adapt *adapt);
// The acceleration update region joins the active one in `spare`; returns how many there are.
int32_t tdi_update_transient(td_adapt *adapt, const td_step_opts *opts);
// The new active region of those `count` in `spare`, in `active`, by the velocities that they would
// have in a time `ahead`.
void tdi_update_choose(td_adapt *adapt, td_real ahead, int32_t count);

// ---- rigidify.c -----------------------------------------------------------------------------

// Of the `count` nodes in `spare`, parents first, those that are not active any more stop, by
// impulses at their joints; the others change their velocities by them.
void tdi_rigidify(td_adapt *adapt, int32_t count);
// Coefficients of the nodes in `spare` that became rigid.
void tdi_rigid_keep(td_adapt *adapt, int32_t count);
// Tensors of all rigid nodes anew.
void tdi_rigid_renew(td_adapt *adapt);

// ---- region.c -------------------------------------------------------------------------------

// Makes these joints active, a byte each, without impulses: the others stand still.
void tdi_region_set(td_adapt *adapt, const uint8_t *active);
// Those that never change, by impulses.
void tdi_region_fix(td_adapt *adapt);

// ---- small ones -----------------------------------------------------------------------------

static inline tdi_handle_from tdi_handle_at(const tdi_assembly_node *n, int handle) {
    return handle == 0 ? (tdi_handle_from){0, 0} : n->end;
}
static inline bool tdi_is_node(int32_t child) {
    return child >= 0;
}
static inline bool tdi_is_active(const td_adapt *s, int32_t child) {
    return child >= 0 && s->node[child].active;
}
static inline bool tdi_is_free(const td_adapt *s, int32_t i) {
    return s->model->kind[i] == TD_JOINT_FREE;
}
// Free joints are always active, and welds have nothing to choose.
static inline bool tdi_may_choose(const td_adapt *s, int32_t i) {
    return !tdi_is_free(s, i) && s->model->kind[i] != TD_JOINT_FIXED;
}
static inline int32_t tdi_joint_dofs(const td_adapt *s, int32_t i) {
    return s->model->dof[i + 1] - s->model->dof[i];
}
