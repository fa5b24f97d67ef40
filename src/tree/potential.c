// SPDX-License-Identifier: MIT
// The incremental potential: value, gradient and Hessian.
//
//   Phi = sum over bodies 1/2 m|e|^2 + e.(dR mc) + 1/2 tr(dR S dR^T) + spring V + damp D
//   e = o - o^, dR = R - R^, V = 1/2 a^T K a, D = 1/2 (a - a*)^T B (a - a*)
// a is the rotation vector of a joint. Turning a body by w (R <- exp(w) R):
//   d/dw 1/2 tr(dR S dR^T) = axial(P), second derivative tr(P) I - sym(P),  P = R S R^^T
//   d/dw e.(dR mc)         = c x e,    second derivative sym(c e^T) - (c.e) I, c = R mc
// Turning a joint by y in its own axes changes a by J^-1 y,
//   J^-1 = I + 1/2 [a]x + b [a]x^2,  b = (1 - (|a|/2) cot(|a|/2))/|a|^2.

#include "tree/implicit.h"

#include <string.h>

#define SMALL_ANGLE2 \
    1e-4 // rad^2: below this a joint's Hessian is taken to first order in its angle

// ---- bodies ---------------------------------------------------------------------------------

static inline td_real body_value(const tdi_body *body, const tdi_frame *f, const tdi_mat3 *r_hat,
                                 td_vec3 o_hat) {
    tdi_mat3 d;
    for (int k = 0; k < 9; k++) {
        d.m[k] = f->r.m[k] - r_hat->m[k];
    }
    td_vec3 e = tdi_sub(f->o, o_hat);
    tdi_mat3 ds = tdi_mat3_mul_sym(&d, &body->second);
    td_real trace = 0;
    for (int k = 0; k < 9; k++) {
        trace += ds.m[k] * d.m[k];
    }
    return 0.5 * body->mass * tdi_dot(e, e) + tdi_dot(e, tdi_mat3_apply(&d, body->moment)) +
           0.5 * trace;
}

static inline void body_expand(const tdi_body *body, const tdi_frame *f, const tdi_mat3 *r_hat,
                               td_vec3 o_hat, bool tame, tdi_block *block, tdi_wrench *load,
                               td_sym3 *swing) {
    td_vec3 e = tdi_sub(f->o, o_hat);
    td_vec3 c = tdi_mat3_apply(&f->r, body->moment);
    td_vec3 c_hat = tdi_mat3_apply(r_hat, body->moment);
    tdi_mat3 rs = tdi_mat3_mul_sym(&f->r, &body->second);
    tdi_mat3 p = tdi_mat3_mul_t(&rs, r_hat);

    load->f = tdi_add(tdi_scale(e, body->mass), tdi_sub(c, c_hat));
    load->n = tdi_add(tdi_mat3_axial(&p), tdi_cross(c, e));

    if (tame) {
        p = tdi_mat3_mul_t(&rs, &f->r);
    }
    block->a =
        (td_sym3){p.m[4] + p.m[8],          p.m[0] + p.m[8],          p.m[0] + p.m[4],
                  -0.5 * (p.m[1] + p.m[3]), -0.5 * (p.m[2] + p.m[6]), -0.5 * (p.m[5] + p.m[7])};
    *swing = tdi_swing(c, e);
    block->b = (tdi_mat3){{0, -c.z, c.y, c.z, 0, -c.x, -c.y, c.x, 0}};
    block->c = tdi_sym3_diagonal(body->mass, body->mass, body->mass);
}

// weight alone: -m g.(o + R c)
static inline void body_weight(const tdi_body *body, const tdi_frame *f, td_vec3 g,
                               tdi_block *block, tdi_wrench *load, td_sym3 *swing) {
    td_vec3 c = tdi_mat3_apply(&f->r, body->moment), e = tdi_scale(g, -1);
    memset(block, 0, sizeof *block);
    *swing = tdi_swing(c, e);
    load->f = tdi_scale(e, body->mass);
    load->n = tdi_cross(c, e);
}

// ---- joints ---------------------------------------------------------------------------------

static inline td_vec3 times(td_vec3 a, td_vec3 b) {
    return tdi_vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

// b = (1 - (t/2) cot(t/2))/t^2, by series when small; t2 = t^2
static inline td_real turn_coefficient(td_real t2) {
    if (t2 < 0.04) {
        return 1.0 / 12 + t2 * (1.0 / 720 + t2 * (1.0 / 30240 + t2 / 1209600));
    }
    td_real half = 0.5 * sqrt(t2);
    return (1 - half * cos(half) / sin(half)) / t2;
}

// J^-T v = v - 1/2 a x v + b a x (a x v)
static inline td_vec3 pull_back(td_vec3 a, td_real b, td_vec3 v) {
    td_vec3 av = tdi_cross(a, v);
    return tdi_madd(tdi_madd(v, av, -0.5), tdi_cross(a, av), b);
}

// J^-T diag(k) J^-1
static td_sym3 pull_back_stiffness(td_vec3 a, td_real b, td_vec3 k) {
    td_sym3 s = {0, 0, 0, 0, 0, 0};
    const td_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const td_real ks[3] = {k.x, k.y, k.z};
    for (int i = 0; i < 3; i++) {
        s = tdi_sym3_add(s, tdi_sym3_square(pull_back(a, b, axes[i]), ks[i]));
    }
    return s;
}

// the same to first order in a: K + (K [a]x - [a]x K)/2
static inline td_sym3 near_stiffness(td_vec3 a, td_vec3 k) {
    td_sym3 s = {
        k.x, k.y, k.z, -0.5 * a.z * (k.x - k.y), 0.5 * a.y * (k.x - k.z), -0.5 * a.x * (k.y - k.z)};
    return s;
}

static inline void ball_expand(const tdi_body *body, const tdi_frame *f, const td_real *q,
                               const td_real *near, const td_real *rest, const tdi_potential *p,
                               td_sym3 *stiffness, td_real *moment) {
    td_vec3 a = tdi_ball_angle(q, tdi_vec3(near[0], near[1], near[2]));
    td_vec3 k = tdi_madd(tdi_scale(body->stiffness, p->spring), body->damping, p->damp);
    td_vec3 t = times(tdi_scale(body->stiffness, p->spring), a);
    if (p->damp > 0) {
        td_vec3 rate = tdi_sub(a, tdi_vec3(rest[0], rest[1], rest[2]));
        t = tdi_madd(t, times(body->damping, rate), p->damp);
    }
    td_real a2 = tdi_dot(a, a), b = turn_coefficient(a2);
    td_vec3 g = tdi_mat3_apply(&f->r, pull_back(a, b, t));
    moment[0] = g.x;
    moment[1] = g.y;
    moment[2] = g.z;
    td_sym3 own = a2 < SMALL_ANGLE2 ? near_stiffness(a, k) : pull_back_stiffness(a, b, k);
    *stiffness = tdi_sym3_turn(&f->r, &own);
}

// hinges and slides: the coordinate itself; free joints have no springs
static void other_expand(const td_tree_model *m, td_tree_state *s, int32_t i,
                         const tdi_potential *p) {
    const tdi_body *body = &m->body[i];
    bool springy = m->dof[i + 1] - m->dof[i] == 1;
    for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++) {
        td_real a = springy ? s->q[m->coord[i]] : 0;
        td_real k = springy ? body->stiffness.x : 0, b = springy ? body->damping.x : 0;
        td_real rest = p->angle_rest ? p->angle_rest[d] : 0;
        s->joint_k[d] = p->spring * k + p->damp * b;
        s->joint_g[d] = p->spring * k * a + p->damp * b * (a - rest);
    }
}

static td_real joint_value(const td_tree_model *m, const td_tree_state *s, int32_t i,
                           const tdi_potential *p) {
    const tdi_body *body = &m->body[i];
    int32_t d = m->dof[i], count = m->dof[i + 1] - d;
    const td_real *q = s->q + m->coord[i];
    td_vec3 a = {0, 0, 0}, k = body->stiffness, b = body->damping;
    if (count == 3) {
        a = tdi_ball_angle(q, tdi_vec3(s->angle[d], s->angle[d + 1], s->angle[d + 2]));
    } else if (count == 1) {
        a.x = q[0];
        k.y = k.z = b.y = b.z = 0;
    } else {
        return 0;
    }
    td_real value = 0.5 * p->spring * tdi_dot(a, times(k, a));
    if (p->damp > 0) {
        const td_real *rest = p->angle_rest + d;
        td_vec3 rate =
            tdi_sub(a, count == 3 ? tdi_vec3(rest[0], rest[1], rest[2]) : tdi_vec3(rest[0], 0, 0));
        value += 0.5 * p->damp * tdi_dot(rate, times(b, rate));
    }
    return value;
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_potential_value(const td_tree_model *m, const td_tree_state *s,
                            const tdi_potential *p) {
    td_real value = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_body *body = &m->body[i];
        const tdi_frame *f = &s->frame[i];
        if (p->inertia) {
            value += body_value(body, f, &s->r_hat[i], s->o_hat[i]);
        } else {
            td_vec3 c = tdi_mat3_apply(&f->r, body->moment);
            value -= p->spring * tdi_dot(p->gravity, tdi_madd(c, f->o, body->mass));
        }
        value += joint_value(m, s, i, p);
    }
    return value + tdi_loads_value(m, s, &p->loads);
}

void tdi_potential_expand(const td_tree_model *m, td_tree_state *s, const tdi_potential *p,
                          bool tame) {
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_body *body = &m->body[i];
        if (p->inertia) {
            body_expand(body, &s->frame[i], &s->r_hat[i], s->o_hat[i], tame, &s->block[i],
                        &s->load[i], &s->swing[i]);
        } else {
            body_weight(body, &s->frame[i], p->gravity, &s->block[i], &s->load[i], &s->swing[i]);
        }
        s->pull[i] = s->load[i].f;
    }
    tdi_loads_expand(m, s, &p->loads);
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            int32_t d = m->dof[i];
            ball_expand(&m->body[i], &s->frame[i], s->q + m->coord[i], s->angle + d,
                        p->angle_rest ? p->angle_rest + d : NULL, p, &s->joint_a[i],
                        s->joint_g + d);
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            other_expand(m, s, i, p);
        }
    }
}
