// SPDX-License-Identifier: MIT
#pragma once

// Rest frames of joints: joints whose edges meet at an angle.
//
// Strains measured across a large angle are no measure of how far a branch has turned: 2 tan(phi/2)
// grows faster and faster. A rest frame carries the frame in which the edge is at ease, fixed to
// the edge before; the joint is measured from there, where all strains are small.

#include "rod/model.h"

// The edge that a joint sees in place of the one before it: as long, with the axes that the rest
// frame has in the edge's own.
tdi_edge tdi_rest_frame_edge(const tdi_mat3 *rest_frame, const tdi_edge *before);

// From derivatives by the edge `seen` to derivatives by the edge before it. `whole` as of
// tdi_joint_derive().
void tdi_rest_frame_derive(const tdi_edge *before, const tdi_edge *seen, bool whole,
                           tdi_joint_term *term);

// a b^T
static inline tdi_mat3 tdi_mat3_outer(td_vec3 a, td_vec3 b) {
    tdi_mat3 m = {{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                   a.z * b.y, a.z * b.z}};
    return m;
}

// Adds what second derivatives have besides those of the first order where pieces c turn with an
// edge: their moment m = sum c x g and q = sum g c^T, with the gradient g by their ends. The block
// is that of the edge and its turn.
void tdi_turning_second_derivative(const tdi_edge *edge, td_vec3 m, const tdi_mat3 *q,
                                   td_real block[4][4]);

// The edge before the joint of a node, as the joint sees it; `room` is for one that has to be made.
static inline const tdi_edge *tdi_rod_before(const tdi_rod_model *m, const tdi_rod_pose *pose,
                                             int32_t i, tdi_edge *room) {
    const tdi_rod_node *n = &m->node[i];
    const tdi_edge *before = &pose[n->parent].edge;
    if (!(n->flags & TDI_REST_FRAME)) {
        return before;
    }
    *room = tdi_rest_frame_edge(&m->rest_frame[n->rest_frame], before);
    return room;
}

// Gradient and Hessian of the joint of a node under a law, as tdi_joint_derive().
void tdi_rod_joint_derive(const tdi_rod_state *state, int32_t i, const tdi_joint_law *law,
                          bool whole, tdi_joint_term *out);
