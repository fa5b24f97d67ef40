// SPDX-License-Identifier: MIT
// The inertia matrix of a tree, dense: the reference for what the sweeps solve without it.
//
// Method   composite bodies (Featherstone 2008, chapter 6). The subtree at a joint moves as one
//          body, so the column of a degree of freedom d of body i is the wrench M_i s_d, paired
//          with the columns of body i and of all that i hangs on. O(degrees of freedom x depth).
// Frame    world axes at the joint origin.
// Reads    q, base. Writes frame, block of the nodes (the composite bodies), matrix.

#include "tree/dynamics.h"

#include "base/guard.h"
#include "tree/joint.h"

#include <string.h>

// tip to root: a composite body is the body and all that hangs on it
static void compose(const tdi_tree_model *m, tdi_tree_state *s) {
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_mass mass = tdi_mass_of(&m->body[i], &s->frame[i].r);
        s->node[i].block = tdi_mass_block(&mass);
    }
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        int32_t p = m->parent[i];
        if (p != TD_NONE) {
            td_vec3 r = tdi_sub(s->frame[i].o, s->frame[p].o);
            tdi_block_add(&s->node[p].block, &s->node[i].block, r);
        }
    }
}

// row and column d, from the body that d moves down to the root
static void fill(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i, int32_t d,
                 const tdi_twist *axis, td_real *matrix) {
    const size_t n = (size_t)m->head.dof_count, row = (size_t)d;
    tdi_wrench f = tdi_block_apply(&s->node[i].block, axis);
    while (i != TD_NONE) {
        tdi_twist column[6];
        for (int32_t e = 0, count = tdi_columns_of(m, s, i, column); e < count; e++) {
            td_real x = tdi_power(&f, &column[e]);
            size_t other = (size_t)(m->dof[i] + e);
            matrix[row * n + other] = x;
            matrix[other * n + row] = x;
        }
        int32_t p = m->parent[i];
        if (p != TD_NONE) {
            f.n = tdi_add(f.n, tdi_cross(tdi_sub(s->frame[i].o, s->frame[p].o), f.f));
        }
        i = p;
    }
}

// ---- entry ----------------------------------------------------------------------------------

void td_tree_inertia(td_body *body, td_real *matrix) {
    tdi_tree_state *state = tdi_as_tree(body);
    if (!state || !matrix) {
        return;
    }
    const tdi_tree_model *m = state->model;
    tdi_tree_place(m, state);
    compose(m, state);
    memset(matrix, 0, (size_t)m->head.dof_count * (size_t)m->head.dof_count * sizeof *matrix);
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_twist column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, state, i, column); d < count; d++) {
            fill(m, state, i, m->dof[i] + d, &column[d], matrix);
        }
    }
}
