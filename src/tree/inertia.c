// SPDX-License-Identifier: MIT
// The inertia matrix of a tree, dense: the reference for what the sweeps solve without it.
//
// Method   composite bodies (Featherstone 2008, chapter 6). The subtree at a joint moves as one
//          body, so the column of a degree of freedom d of body i is the wrench M_i s_d, paired
//          with the columns of body i and of all that i hangs on. O(degrees of freedom x depth).
// Frame    world axes at the joint origin.
// Reads    q, base. Writes frame, column, block (of the composite bodies), matrix.

#include "tree/dynamics.h"

#include <string.h>

// tip to root: a composite body is the body and all that hangs on it
static void compose(const td_tree_model *m, td_tree_state *s) {
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_mass mass = tdi_mass_of(&m->body[i], &s->frame[i].r);
        s->block[i] = tdi_mass_block(&mass);
    }
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        int32_t p = m->parent[i];
        if (p != TD_NONE) {
            td_vec3 r = tdi_sub(s->frame[i].o, s->frame[p].o);
            tdi_block_add(&s->block[p], &s->block[i], r);
        }
    }
}

// row and column d, from the body that d moves down to the root
static void fill(const td_tree_model *m, const td_tree_state *s, int32_t i, int32_t d,
                 td_real *matrix) {
    const size_t n = (size_t)m->dof_count;
    tdi_wrench f = tdi_block_apply(&s->block[i], &s->column[d]);
    while (i != TD_NONE) {
        for (int32_t e = m->dof[i]; e < m->dof[i + 1]; e++) {
            td_real x = tdi_pair(&f, &s->column[e]);
            matrix[(size_t)d * n + (size_t)e] = x;
            matrix[(size_t)e * n + (size_t)d] = x;
        }
        int32_t p = m->parent[i];
        if (p != TD_NONE) {
            f.n = tdi_add(f.n, tdi_cross(tdi_sub(s->frame[i].o, s->frame[p].o), f.f));
        }
        i = p;
    }
}

// ---- entry ----------------------------------------------------------------------------------

void td_tree_inertia(td_tree_state *state, td_real *matrix) {
    const td_tree_model *m = state->model;
    tdi_tree_place(m, state);
    tdi_tree_columns(m, state);
    compose(m, state);
    memset(matrix, 0, (size_t)m->dof_count * (size_t)m->dof_count * sizeof *matrix);
    for (int32_t i = 0; i < m->body_count; i++) {
        for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++) {
            fill(m, state, i, d, matrix);
        }
    }
}
