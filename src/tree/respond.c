// SPDX-License-Identifier: MIT
// Responses of a tree to forces at its points and joints: two sweeps with the factors of
// tdi_sweep_in().

#include "tree/kernels.h"
#include "tree/sweep.h"
#include "tree/tangent.h"

// Of a ball joint, with the factors above: n' = (D^-1 L)^T n, f' = f - (D^-1 B)^T n. Leaves D^-1 n.
static inline tdi_twist reduce_ball(const tdi_node *node, tdi_twist *push) {
    const tdi_twist left = {tdi_mat3_apply_t(&node->turn, push->w),
                            tdi_sub(push->v, tdi_mat3_apply_t(&node->shift, push->w))};
    push->w = tdi_ldl3_solve(&node->pivot, push->w);
    return left;
}

// U of a joint's columns.
static void joint_rows(const tdi_node *node, const tdi_other *other, int32_t k, tdi_wrench u[6]) {
    const tdi_wrench sums = {node->spin, node->pull}; // of the subtree
    for (int32_t c = 0; c < k; c++) {
        u[c] = tdi_block_apply(&node->block, &other->column[c]);
        if (other->coupled) {
            u[c].n = tdi_add(u[c].n, tdi_coupling(&other->column[c], &sums));
        }
    }
}

// Leaves D^-1 (S^T p + g) in `respond`, which comes in with the pushes g at the joint.
static tdi_twist reduce_columns(const tdi_node *node, tdi_other *other, int32_t k,
                                const tdi_twist *push) {
    tdi_wrench u[6];
    tdi_twist left = *push;
    joint_rows(node, other, k, u);
    for (int32_t c = 0; c < k; c++) {
        other->respond[c] +=
            tdi_dot(push->w, other->column[c].w) + tdi_dot(push->v, other->column[c].v);
    }
    tdi_solve_dense(other->dense, k, other->respond);
    for (int32_t c = 0; c < k; c++) {
        left.w = tdi_madd(left.w, u[c].n, -other->respond[c]);
        left.v = tdi_madd(left.v, u[c].f, -other->respond[c]);
    }
    return left;
}

// Tip to root: what the joints leave of the pushes.
static void respond_in(const tdi_tree_model *m, tdi_tree_state *s) {
    for (int32_t k = tdi_asked_count(s) - 1; k >= 0; k--) {
        const int32_t i = tdi_asked(s, k);
        tdi_twist *push = &s->twist[i];
        const int32_t p = m->parent[i];
        tdi_twist left;
        if (m->kind[i] == TD_JOINT_BALL) {
            left = reduce_ball(&s->node[i], push);
        } else {
            tdi_other *other = &s->other[m->other_place[i]];
            left = reduce_columns(&s->node[i], other, m->dof[i + 1] - m->dof[i], push);
        }
        if (p != TD_NONE) {
            tdi_twist *up = &s->twist[p];
            up->w = tdi_add(up->w, tdi_add(left.w, tdi_cross(s->node[i].r, left.v)));
            up->v = tdi_add(up->v, left.v);
        }
    }
}

// x = -D^-1 (S^T p + U V), V as the parent carries the body.
static tdi_twist answer_columns(const tdi_node *node, tdi_other *other, int32_t k, tdi_twist move) {
    tdi_wrench u[6];
    td_real x[6];
    joint_rows(node, other, k, u);
    for (int32_t c = 0; c < k; c++) {
        x[c] = tdi_power(&u[c], &move);
    }
    tdi_solve_dense(other->dense, k, x);
    for (int32_t c = 0; c < k; c++) {
        other->respond[c] = -other->respond[c] - x[c];
        move.w = tdi_madd(move.w, other->column[c].w, other->respond[c]);
        move.v = tdi_madd(move.v, other->column[c].v, other->respond[c]);
    }
    return move;
}

void tdi_sweep_respond(const tdi_tree_model *m, tdi_tree_state *s) {
    const tdi_twist still = {{0, 0, 0}, {0, 0, 0}};
    respond_in(m, s);
    for (int32_t k = 0; k < tdi_asked_count(s); k++) {
        const int32_t i = tdi_asked(s, k);
        const tdi_node *node = &s->node[i];
        const tdi_twist up = m->parent[i] == TD_NONE ? still : s->twist[m->parent[i]];
        const td_vec3 u = tdi_add(up.v, tdi_cross(up.w, node->r));
        if (m->kind[i] == TD_JOINT_BALL) {
            td_vec3 w = tdi_sub(tdi_mat3_apply(&node->turn, up.w), tdi_mat3_apply(&node->shift, u));
            s->twist[i] = (tdi_twist){tdi_sub(w, s->twist[i].w), u};
        } else {
            tdi_other *other = &s->other[m->other_place[i]];
            s->twist[i] =
                answer_columns(node, other, m->dof[i + 1] - m->dof[i], (tdi_twist){up.w, u});
        }
    }
}
