// SPDX-License-Identifier: MIT
// Inverse dynamics: the torques that give wanted accelerations.
//
// Method   recursive Newton-Euler (Featherstone 2008, chapter 5), two sweeps, O(bodies), with the
//          classical acceleration of the joint origins.
// Frame    world axes at the joint origin.
// Reads    q, v, base.
// Writes   frame, twist, and of the nodes load (the wrench a body needs), move (its acceleration).

#include "tree/dynamics.h"

#include "base/guard.h"
#include "tree/joint.h"

// e_i = e_p + w_p x w + sum of column.w qdd
// a_i = a_p + e_p x r + w_p x (w_p x r) + 2 w_p x (slide's rate) + sum of column.v qdd
static tdi_twist body_accel(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i,
                            const tdi_twist *up, const td_real *accel) {
    int32_t p = m->parent[i];
    td_vec3 w = p == TD_NONE ? s->base_twist.w : s->twist[p].w;
    td_vec3 r = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o), slide = {0, 0, 0};
    tdi_twist a = {tdi_add(up->w, tdi_cross(w, s->twist[i].w)),
                   tdi_add(up->v, tdi_cross(up->w, r))};
    tdi_twist column[6];
    int32_t first = m->dof[i], count = tdi_columns_of(m, s, i, column);
    for (int32_t d = 0; d < count; d++) {
        slide = tdi_madd(slide, column[d].v, s->v[first + d]);
        a.w = tdi_madd(a.w, column[d].w, accel[first + d]);
        a.v = tdi_madd(a.v, column[d].v, accel[first + d]);
    }
    a.v = tdi_add(a.v, tdi_cross(w, tdi_madd(tdi_cross(w, r), slide, 2)));
    return a;
}

// root to tip: accelerations, and the wrench each body needs
static void sweep_out(const tdi_tree_model *m, tdi_tree_state *s, const tdi_twist *base,
                      const td_real *accel) {
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_twist *up = m->parent[i] == TD_NONE ? base : &s->node[m->parent[i]].move;
        tdi_mass mass = tdi_mass_of(&m->body[i], &s->frame[i].r);
        tdi_wrench bias = tdi_mass_bias(&mass, s->twist[i].w);
        tdi_node *node = &s->node[i];
        node->move = body_accel(m, s, i, up, accel);
        node->load = tdi_mass_momentum(&mass, &node->move);
        node->load.n = tdi_add(node->load.n, bias.n);
        node->load.f = tdi_add(node->load.f, bias.f);
    }
}

// tip to root: a joint carries its body and all that hangs on it
static void sweep_in(const tdi_tree_model *m, tdi_tree_state *s, td_real *torque) {
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        int32_t p = m->parent[i];
        tdi_twist column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, s, i, column); d < count; d++) {
            torque[m->dof[i] + d] = tdi_power(&s->node[i].load, &column[d]);
        }
        if (p != TD_NONE) {
            td_vec3 r = tdi_sub(s->frame[i].o, s->frame[p].o);
            tdi_wrench_add(&s->node[p].load, &s->node[i].load, r);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_tree_inverse(tdi_tree_state *state, td_vec3 gravity, const td_real *accel,
                      td_real *torque) {
    tdi_tree_fresh(state);
    const tdi_tree_model *m = state->model;
    if (state->head.known == 0) { // as in energy.c
        tdi_tree_place(m, state);
    }
    tdi_tree_move(m, state);
    // gravity enters as an upward acceleration of the base
    tdi_twist base = {state->head.base.spin_rate, tdi_sub(state->head.base.acceleration, gravity)};
    sweep_out(m, state, &base, accel);
    sweep_in(m, state, torque);
}

void td_tree_inverse(td_body *body, td_vec3 gravity, const td_real *accel, td_real *torque) {
    tdi_tree_state *state = tdi_as_tree(body);
    if (!state || !accel || !torque) {
        return;
    }
    tdi_tree_inverse(state, gravity, accel, torque);
}
