// SPDX-License-Identifier: MIT
// Energy and momentum of a tree.
//
//   kinetic   1/2 (w.L + v.P), with the momentum P = m v + w x c, L = J w + c x v of each body
//   weight    -g.(m o + c)
// After an implicit step the velocities are its own: rates of o and of the nine entries of R, which
// need not be those of a rotation. Of them
//   kinetic   1/2 m|v|^2 + v.(R' mc) + 1/2 tr(R' S R'^T)
//   P = m v + R' mc,  L = c x v - axial(R S R'^T)
// Reads    q, angle, base; v or the rates of the last step. Writes frame and twist where it was
//          not stepped yet: else nothing, as steps ask for energies before they can fail.

#include "tree/dynamics.h"

#include "base/guard.h"
#include "tree/joint.h"

// Frames and velocities stay as an implicit step left them: placing the bodies anew would change
// their last bits, and so those of the next step.
static void move_all(const tdi_tree_model *m, tdi_tree_state *s) {
    if (s->head.known == 0) {
        tdi_tree_fresh(s);
        tdi_tree_place(m, s);
        tdi_tree_move(m, s);
    }
}

static td_real joint_energy(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i) {
    const tdi_body *body = &m->body[i];
    int32_t d = m->dof[i], count = m->dof[i + 1] - d;
    const td_real *q = s->q + m->coord[i];
    return count == 3   ? tdi_ball_energy(m->law, body->stiffness, q, s->angle + d)
           : count == 1 ? 0.5 * body->stiffness.x * q[0] * q[0]
                        : 0;
}

static td_real past_kinetic(const tdi_body *body, const tdi_past *past) {
    tdi_mat3 ws = tdi_mat3_mul_sym(&past->w, &body->second);
    td_real trace = 0;
    for (int k = 0; k < 9; k++) {
        trace += ws.m[k] * past->w.m[k];
    }
    return 0.5 * body->mass * tdi_dot(past->v, past->v) +
           tdi_dot(past->v, tdi_mat3_apply(&past->w, body->moment)) + 0.5 * trace;
}

static tdi_wrench past_momentum(const tdi_body *body, const tdi_past *past) {
    tdi_mat3 rs = tdi_mat3_mul_sym(&past->r, &body->second);
    tdi_mat3 spin = tdi_mat3_mul_t(&rs, &past->w);
    td_vec3 c = tdi_mat3_apply(&past->r, body->moment);
    tdi_wrench p = {tdi_sub(tdi_cross(c, past->v), tdi_mat3_axial(&spin)),
                    tdi_madd(tdi_mat3_apply(&past->w, body->moment), past->v, body->mass)};
    return p;
}

td_energy tdi_tree_energy(tdi_tree_state *state, td_vec3 gravity) {
    const tdi_tree_model *m = state->model;
    td_energy sum = {0, 0, 0};
    move_all(m, state);
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_mass mass = tdi_mass_of(&m->body[i], &state->frame[i].r);
        if (state->head.known > 0) {
            sum.kinetic += past_kinetic(&m->body[i], &state->past[i]);
        } else {
            tdi_wrench p = tdi_mass_momentum(&mass, &state->twist[i]);
            sum.kinetic += 0.5 * tdi_power(&p, &state->twist[i]);
        }
        sum.weight -= tdi_dot(gravity, tdi_madd(mass.c, state->frame[i].o, mass.m));
        sum.elastic += joint_energy(m, state, i);
    }
    return sum;
}

void tdi_tree_momentum(tdi_tree_state *state, td_vec3 *linear, td_vec3 *angular) {
    const tdi_tree_model *m = state->model;
    tdi_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    move_all(m, state);
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_mass mass = tdi_mass_of(&m->body[i], &state->frame[i].r);
        tdi_wrench p = state->head.known > 0 ? past_momentum(&m->body[i], &state->past[i])
                                             : tdi_mass_momentum(&mass, &state->twist[i]);
        tdi_wrench_add(&sum, &p, state->frame[i].o);
    }
    *linear = sum.f;
    *angular = sum.n;
}

// ---- balance --------------------------------------------------------------------------------

// At rest the moments of the springs balance those that hold the weight, joint by joint.
td_real tdi_tree_residual(tdi_tree_state *s, td_vec3 gravity) {
    const size_t dofs = (size_t)s->model->head.dof_count, bytes = (2 * dofs + 1) * sizeof(td_real);
    td_real *hold = tdi_alloc_zeroed(s->head.alloc, 1, bytes), *springs = hold + dofs, most = 0;
    if (!hold) {
        return (td_real)NAN;
    }
    tdi_tree_inverse(s, gravity, springs, hold); // springs[] is still all zero
    tdi_tree_joint_torque(s, springs);
    for (size_t d = 0; d < dofs; d++) {
        most = fmax(most, fabs(hold[d] - springs[d]));
    }
    tdi_alloc_free(s->head.alloc, hold, bytes);
    return most;
}
