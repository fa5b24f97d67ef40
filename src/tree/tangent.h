// SPDX-License-Identifier: MIT
#pragma once

// Small motions about a pose: the stiffness K and the inertia M of the whole tree as products with
// vectors, and K + shift M factored once for any number of right-hand sides. All in O(bodies).
//
// A vector holds a number a degree of freedom, as velocities do: balls in the segment's own axes.
// K is the second derivative of spring energy and weight when every joint moves by its part of the
// vector as tdi_tree_advance() moves it. Nothing is left out, also away from equilibrium.

#include "implicit/modal.h"
#include "tree/dynamics.h"
#include "tree/joint.h"

// Besides its own arrays a tangent lives in the state's nodes: load (weight of a body and of all it
// carries), block for the factors, move in products; and in `other`. It holds until the state is
// used for something else.
typedef struct tdi_tangent {
    const tdi_tree_model *model;
    tdi_tree_state *state;
    tdi_block
        *stiffness; // of the loads on a body, with the geometric stiffness of all that it carries
    tdi_mass *mass;
    td_sym3 *joint;     // stiffness of ball joints in world axes
    tdi_ldl3 *pivot;    // of ball joints, factored
    tdi_wrench *wrench; // scratch of the sweeps
} tdi_tangent;

// Places the tangent's own arrays; `model` and `state` are set before.
void tdi_tangent_place(tdi_tangent *tangent, tdi_layout *layout);
// K and M at the state's pose, with these forces at points of it.
void tdi_tangent_expand(tdi_tangent *tangent, td_vec3 gravity, const tdi_dead_load *loads,
                        int32_t count);
// After that without loads: the gradient of springs and weight.
void tdi_tangent_slope(const tdi_tangent *tangent, td_real *y);
// y = K x and y = M x. Not in place.
void tdi_tangent_stiffness(void *tangent, const td_real *x, td_real *y);
void tdi_tangent_inertia(void *tangent, const td_real *x, td_real *y);
// The diagonal of M: inertia against each degree of freedom alone. Overwrites the factors.
void tdi_tangent_inertia_diagonal(void *tangent, td_real *y);

// Factors K + shift M. False when it is not positive definite.
bool tdi_tangent_factor(void *tangent, td_real shift);
// x <- (K + shift M)^-1 x
void tdi_tangent_respond(void *tangent, td_real *x);
// Forces at pins as wrenches on bodies, and J^T f of all since the first.
void tdi_tangent_forces(void *tangent, tdi_points points, const td_vec3 *forces, td_real *y);

// The part of a modal table that holds for trees whose open() gives one: all but that.
#define TDI_TREE_MODAL                                                      \
    .bytes = sizeof(tdi_tangent), .expand = tdi_tree_modal_expand,          \
    .stiffness = tdi_tangent_stiffness, .inertia = tdi_tangent_inertia,     \
    .diagonal = tdi_tangent_inertia_diagonal, .factor = tdi_tangent_factor, \
    .respond = tdi_tangent_respond, .forces = tdi_tangent_forces,           \
    .measure = tdi_tree_modal_measure
int32_t tdi_tree_modal_open(void *tangent, void *body, tdi_layout *layout);
void tdi_tree_modal_expand(void *tangent, td_vec3 gravity, const tdi_dead_load *loads,
                           int32_t count, td_real *gradient);
tdi_modal_form tdi_tree_modal_measure(void *tangent, const td_real *x, int32_t mode,
                                      td_real *shapes);

// ---- parts ----------------------------------------------------------------------------------

// Wrenches on bodies that do what minus x does along the joints.
void tdi_tangent_load(const tdi_tangent *tangent, const td_real *x);

// Fills load with the gradient of the weight of each body and of all that it carries, about its own
// joint, and block and geometric stiffness likewise; with these forces at points of it.
void tdi_tree_carry(const tdi_tree_model *model, tdi_tree_state *state, td_vec3 gravity,
                    const tdi_dead_load *loads, int32_t count);
// How the moment -tdi_ball_moment() of a ball joint at rest changes with a turn, own axes.
tdi_mat3 tdi_ball_tangent(td_spring_law law, const tdi_body *body, const td_real *q,
                          const td_real *near);
// x^T K x and x^T B x of the joints' own springs and dampers, K and B being those of the rotation
// vectors, and the part of it about the segments' axes.
tdi_modal_form tdi_joints_form(const tdi_tree_model *model, const tdi_tree_state *state,
                               const td_real *x);

// Spring of a hinge or slide; other joints that are no balls have none.
static inline td_real tdi_single_stiffness(const tdi_tree_model *m, int32_t i) {
    return m->dof[i + 1] - m->dof[i] == 1 ? m->body[i].stiffness.x : 0;
}

// What a motion s of a joint's column and a turn w_p of the parent make together: s C.w_p with
// C = 1/2 w x n + v x f, since the joint turns and slides in axes that turn with the parent. (n, f)
// is the load that the joint carries.
static inline td_vec3 tdi_coupling(const tdi_twist *column, const tdi_wrench *load) {
    return tdi_madd(tdi_cross(column->v, load->f), tdi_cross(column->w, load->n), 0.5);
}
