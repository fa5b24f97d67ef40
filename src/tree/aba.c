// SPDX-License-Identifier: MIT
// Forward dynamics: the accelerations that forces and torques give. The sweeps are in aba_kernel.h.
//
// Reads    q, v, angle, base; with loads frame.
// Writes   link, accel; of joints other than balls what `other` holds.

#define TDI_LANES 1
#include "tree/aba_kernel.h"

#include "base/guard.h"

#include <string.h>

static void add_outside(const tdi_tree_model *m, tdi_tree_state *s, const tdi_wrench *outside) {
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_wrench *p = &s->link[i].bias;
        const tdi_mat3 *r = &s->frame[i].r;
        p->n = tdi_sub(p->n, tdi_mat3_apply_t(r, outside[i].n));
        p->f = tdi_sub(p->f, tdi_mat3_apply_t(r, outside[i].f));
    }
}

void tdi_tree_forward(const tdi_tree_model *m, tdi_tree_state *s, td_vec3 gravity,
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

// ---- answers to forces ----------------------------------------------------------------------

// The sweeps once more without rates and gravity, with the factors that the last forward dynamics
// left: what is linear in forces. accel holds torques until it holds accelerations.
static void answer_ball(const tdi_link *l, tdi_wrench p, td_vec3 t, td_vec3 *free, tdi_link *up) {
    p.n = tdi_sub(p.n, t);
    const td_real y0 = -p.n.x, y1 = -p.n.y - l->lower.x * y0;
    const td_real y2 = -p.n.z - l->lower.y * y0 - l->lower.z * y1;
    td_vec3 f = tdi_madd(p.f, l->gain[0], y0);
    f = tdi_madd(tdi_madd(f, l->gain[1], y1), l->gain[2], y2);
    *free = tdi_vec3(l->inverse.x * y0, l->inverse.y * y1, l->inverse.z * y2);
    f = tdi_mat3_apply(&l->turn, f);
    up->bias.n = tdi_add(up->bias.n, tdi_add(tdi_mat3_apply(&l->turn, t), tdi_cross(l->r, f)));
    up->bias.f = tdi_add(up->bias.f, f);
}

static void answer_columns(const trees *s, int32_t i) {
    const tdi_tree_model *m = s->m;
    tdi_link *l = &s->link[i], *up = &s->link[m->parent[i]];
    tdi_wrench p = l->bias;
    if (m->parent[i] == TD_NONE) {
        return;
    }
    if (m->dof[i + 1] > m->dof[i]) {
        tdi_twist column[6] = {{{0, 0, 0}, {0, 0, 0}}};
        own_columns(&m->body[i], (td_joint_kind)m->kind[i], &l->turn, column);
        const tdi_wrench u = tdi_block_apply(&l->inertia, &column[0]);
        const td_real x = s->other[m->other_place[i]].dense[0] *
                          (s->accel[m->dof[i]] - tdi_power(&l->bias, &column[0]));
        p = (tdi_wrench){tdi_madd(p.n, u.n, x), tdi_madd(p.f, u.f, x)};
    }
    p = (tdi_wrench){tdi_mat3_apply(&l->turn, p.n), tdi_mat3_apply(&l->turn, p.f)};
    tdi_wrench_add(&up->bias, &p, l->r);
}

static void answer_in(const trees *s) {
    const tdi_tree_model *m = s->m;
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        if (m->kind[i] == TD_JOINT_BALL) {
            const td_real *t = s->accel + m->dof[i];
            tdi_link *l = &s->link[i];
            answer_ball(l, l->bias, tdi_vec3(t[0], t[1], t[2]), &l->free, &s->link[m->parent[i]]);
        } else {
            answer_columns(s, i);
        }
    }
}

static void answer_out(const trees *s) {
    const tdi_tree_model *m = s->m;
    const td_vec3 none = {0, 0, 0};
    const td_real still[3] = {0, 0, 0};
    for (int32_t i = 0; i < m->body_count; i++) {
        // out_ball() and out_columns() read rates: there are none here
        tdi_link *l = &s->link[i], *up = &s->link[m->parent[i]];
        const td_vec3 b = l->b, w = l->w, up_w = up->w;
        l->b = l->w = none;
        up->w = none;
        if (m->kind[i] == TD_JOINT_BALL) {
            out_ball(&m->body[i], up, l, still, s->accel + m->dof[i]);
        } else {
            out_columns(s, i);
        }
        l->b = b;
        l->w = w;
        up->w = up_w;
    }
}

void tdi_tree_answer_clear(const tdi_tree_model *m, tdi_tree_state *s, td_real *torque) {
    for (int32_t i = -1; i < m->body_count; i++) {
        s->link[i].bias = (tdi_wrench){{0, 0, 0}, {0, 0, 0}};
    }
    memset(torque, 0, (size_t)m->head.dof_count * sizeof *torque);
}

void tdi_tree_answer_push(tdi_tree_state *s, int32_t body, const tdi_wrench *push) {
    tdi_wrench *p = &s->link[body].bias;
    const tdi_mat3 *r = &s->frame[body].r;
    p->n = tdi_sub(p->n, tdi_mat3_apply_t(r, push->n));
    p->f = tdi_sub(p->f, tdi_mat3_apply_t(r, push->f));
}

void tdi_tree_answer(const tdi_tree_model *m, tdi_tree_state *s, td_real *accel) {
    const trees alone = {.m = m, .accel = accel, .link = s->link, .other = s->other};
    answer_in(&alone);
    s->link[TD_NONE].accel = (tdi_twist){{0, 0, 0}, {0, 0, 0}};
    answer_out(&alone);
}

// ---- entry ----------------------------------------------------------------------------------

void td_tree_forward(td_body *body, td_vec3 gravity, const td_real *torque, td_real *accel) {
    tdi_tree_state *state = tdi_as_tree(body);
    if (!state || !accel) {
        return;
    }
    tdi_tree_fresh(state);
    tdi_tree_forward(state->model, state, gravity, torque, NULL, accel);
}
