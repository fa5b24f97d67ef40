// SPDX-License-Identifier: MIT
#pragma once

// What the algorithms of dynamics share: inertia of a body in the world, and forward dynamics with
// loads.
//
// A body with mass m, first moment c = R mc and second moment S = R S_0 R^T about its joint origin
// o, turning with w while o accelerates with a and the body with e:
//   f = m a + e x c + w x (w x c)
//   n = J e + c x a + w x (J w),   J = tr(S) I - S

#include "tree/model.h"

static inline tdi_mass tdi_mass_of(const tdi_body *body, const tdi_mat3 *r) {
    td_vec3 x = tdi_mat3_row(r, 0), y = tdi_mat3_row(r, 1), z = tdi_mat3_row(r, 2);
    td_vec3 sx = tdi_sym3_apply(&body->second, x), sy = tdi_sym3_apply(&body->second, y);
    td_vec3 sz = tdi_sym3_apply(&body->second, z);
    tdi_mass mass = {
        body->mass,
        tdi_vec3(tdi_dot(x, body->moment), tdi_dot(y, body->moment), tdi_dot(z, body->moment)),
        {tdi_dot(x, sx), tdi_dot(y, sy), tdi_dot(z, sz), tdi_dot(y, sx), tdi_dot(z, sx),
         tdi_dot(z, sy)}};
    return mass;
}

// [J [c]x; [c]x^T m]
static inline tdi_block tdi_mass_block(const tdi_mass *b) {
    tdi_block block = {tdi_sym3_inertia(b->s), tdi_mat3_cross(b->c),
                       tdi_sym3_diagonal(b->m, b->m, b->m)};
    return block;
}

// momentum at o
static inline tdi_wrench tdi_mass_momentum(const tdi_mass *b, const tdi_twist *t) {
    td_sym3 j = tdi_sym3_inertia(b->s);
    tdi_wrench p = {tdi_add(tdi_sym3_apply(&j, t->w), tdi_cross(b->c, t->v)),
                    tdi_add(tdi_scale(t->v, b->m), tdi_cross(t->w, b->c))};
    return p;
}

// td_tree_forward() with `outside`, a wrench a body at its origin; NULL: none. `torque` may be
// `accel`.
void tdi_tree_forward(const tdi_tree_model *model, tdi_tree_state *state, td_vec3 gravity,
                      const td_real *torque, const tdi_wrench *outside, td_real *accel);

// What forces alone do, after tdi_tree_forward() at the same pose, with the frames in place: clear,
// push wrenches at bodies' origins in world axes and add to `torque` (a degree of freedom), then
// `torque` becomes the accelerations that they make. Those of the bodies are in link[].accel, in
// their own axes. O(bodies).
void tdi_tree_answer_clear(const tdi_tree_model *model, tdi_tree_state *state, td_real *torque);
void tdi_tree_answer_push(tdi_tree_state *state, int32_t body, const tdi_wrench *push);
void tdi_tree_answer(const tdi_tree_model *model, tdi_tree_state *state, td_real *torque);
