// SPDX-License-Identifier: MIT
// Forward dynamics: the accelerations that forces and torques give. The sweeps are in aba_kernel.h.
//
// Reads    q, v, angle, base; with loads frame.
// Writes   link, accel; of joints other than balls what `other` holds.

#define TDI_LANES 1
#include "tree/aba_kernel.h"

static void add_outside(const td_tree_model *m, td_tree_state *s, const tdi_wrench *outside) {
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_wrench *p = &s->link[i].bias;
        const tdi_mat3 *r = &s->frame[i].r;
        p->n = tdi_sub(p->n, tdi_mat3_apply_t(r, outside[i].n));
        p->f = tdi_sub(p->f, tdi_mat3_apply_t(r, outside[i].f));
    }
}

void tdi_tree_forward(const td_tree_model *m, td_tree_state *s, td_vec3 gravity,
                      const td_real *torque, const tdi_wrench *outside, td_real *accel) {
    const tdi_mat3 *r = &s->base.r;
    const trees alone = {.m = m,
                         .q = s->q,
                         .v = s->v,
                         .torque = torque,
                         .near = s->angle,
                         .accel = accel,
                         .link = s->link,
                         .other = s->other};
    tdi_link *base = &s->link[TD_NONE];
    *base = (tdi_link){.w = tdi_mat3_apply_t(r, s->base_twist.w)};
    sweep_start(&alone);
    if (outside) {
        add_outside(m, s, outside);
    }
    sweep_in(&alone);
    // gravity enters as an upward acceleration of the base
    base->accel.w = tdi_mat3_apply_t(r, s->head.base.spin_rate);
    base->accel.v = tdi_mat3_apply_t(r, tdi_sub(s->head.base.acceleration, gravity));
    sweep_out(&alone);
}

void td_tree_forward(td_tree_state *state, td_vec3 gravity, const td_real *torque, td_real *accel) {
    tdi_tree_fresh(state);
    tdi_tree_forward(state->model, state, gravity, torque, NULL, accel);
}
