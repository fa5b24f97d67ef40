// SPDX-License-Identifier: MIT
// The incremental potential: value, gradient and Hessian.
//
//   Phi = sum over bodies 1/2 m|e|^2 + e.(dR mc) + 1/2 tr(dR S dR^T) + spring V + damp D
//   e = o - o^, dR = R - R^, V = 1/2 a^T K a, D = 1/2 (a - a*)^T B (a - a*)
// a is the rotation vector of a joint. Turning a body by w (R <- exp(w) R):
//   d/dw 1/2 tr(dR S dR^T) = axial(P), second derivative tr(P) I - sym(P),  P = R S R^^T
//   d/dw e.(dR mc)         = c x e,    second derivative sym(c e^T) - (c.e) I, c = R mc
// V of the tangent law and J, which leads from a turn of a joint to its change of a, are in
// joint.h.

#include "tree/implicit.h"
#include "tree/joint.h"

#include <string.h>

#define SMALL_ANGLE2 \
    1e-4 // rad^2: below this a joint's Hessian is taken to first order in its angle

// ---- bodies ---------------------------------------------------------------------------------

// o - o^
static inline td_vec3 origin_off(const tdi_frame *f, const tdi_past *star, const tdi_potential *p) {
    td_vec3 e = tdi_madd(tdi_sub(f->o, star->o), star->v, -p->h);
    return tdi_madd(e, p->gravity, -p->h * p->h);
}

static inline td_real body_value(const tdi_body *body, const tdi_frame *f, const tdi_past *star,
                                 const tdi_potential *p) {
    tdi_mat3 d;
    for (int k = 0; k < 9; k++) {
        d.m[k] = f->r.m[k] - star->r.m[k] - p->h * star->w.m[k];
    }
    td_vec3 e = origin_off(f, star, p);
    tdi_mat3 ds = tdi_mat3_mul_sym(&d, &body->second);
    td_real trace = 0;
    for (int k = 0; k < 9; k++) {
        trace += ds.m[k] * d.m[k];
    }
    return 0.5 * body->mass * tdi_dot(e, e) + tdi_dot(e, tdi_mat3_apply(&d, body->moment)) +
           0.5 * trace;
}

static inline void body_expand(const tdi_body *body, const tdi_frame *f, const tdi_past *star,
                               const tdi_potential *potential, bool tame, tdi_block *block,
                               tdi_wrench *load, td_sym3 *swing) {
    tdi_mat3 r_hat;
    for (int k = 0; k < 9; k++) {
        r_hat.m[k] = star->r.m[k] + potential->h * star->w.m[k];
    }
    td_vec3 e = origin_off(f, star, potential);
    td_vec3 c = tdi_mat3_apply(&f->r, body->moment);
    td_vec3 c_hat = tdi_mat3_apply(&r_hat, body->moment);
    tdi_mat3 rs = tdi_mat3_mul_sym(&f->r, &body->second);
    tdi_mat3 p = tdi_mat3_mul_t(&rs, &r_hat);

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

// weight alone: -m g.(o + R c); in a tame model with `relax` times the inertia of the pose
static inline void body_weight(const tdi_body *body, const tdi_frame *f, td_vec3 g, td_real relax,
                               tdi_block *block, tdi_wrench *load, td_sym3 *swing) {
    td_vec3 c = tdi_mat3_apply(&f->r, body->moment), e = tdi_scale(g, -1);
    memset(block, 0, sizeof *block);
    if (relax > 0) {
        td_sym3 s = tdi_sym3_turn(&f->r, &body->second);
        td_real m = relax * body->mass;
        td_vec3 d = tdi_scale(c, relax);
        block->a = tdi_sym3_scale(tdi_sym3_inertia(s), relax);
        block->b = (tdi_mat3){{0, -d.z, d.y, d.z, 0, -d.x, -d.y, d.x, 0}};
        block->c = tdi_sym3_diagonal(m, m, m);
    }
    *swing = tdi_swing(c, e);
    load->f = tdi_scale(e, body->mass);
    load->n = tdi_cross(c, e);
}

// ---- joints ---------------------------------------------------------------------------------

static inline td_vec3 times(td_vec3 a, td_vec3 b) {
    return tdi_vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

// J^-T diag(k) J^-1
static td_sym3 pull_back_stiffness(const tdi_ball_turn *turn, td_vec3 k) {
    td_sym3 s = {0, 0, 0, 0, 0, 0};
    const td_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const td_real ks[3] = {k.x, k.y, k.z};
    for (int i = 0; i < 3; i++) {
        s = tdi_sym3_add(s, tdi_sym3_square(tdi_ball_rate(turn, axes[i], -1), ks[i]));
    }
    return s;
}

// the same with J^-1 = I + 1/2 [a]x: exact to first order in a, and positive as it must be
static inline td_sym3 near_stiffness(td_vec3 a, td_vec3 k) {
    td_vec3 h = tdi_scale(a, 0.5);
    td_sym3 s = tdi_sym3_square(tdi_vec3(1, -h.z, h.y), k.x);
    s = tdi_sym3_add(s, tdi_sym3_square(tdi_vec3(h.z, 1, -h.x), k.y));
    return tdi_sym3_add(s, tdi_sym3_square(tdi_vec3(-h.y, h.x, 1), k.z));
}

// Stiffness of the tangent law at an angle, bending and twist apart: k/cos^2(angle/2).
static td_vec3 tangent_stiffness(td_vec3 k, const td_real *q) {
    td_real w2 = q[0] * q[0] + 1e-12, bend = 1 / (w2 + q[2] * q[2]);
    return tdi_vec3(k.x * bend, k.y * (1 + q[2] * q[2] / w2), k.z * bend);
}

static inline void ball_expand(const tdi_body *body, td_spring_law law, const tdi_frame *f,
                               const td_real *q, const td_real *near, const td_real *rest,
                               const tdi_potential *p, td_sym3 *stiffness, td_real *moment) {
    tdi_ball_turn turn = tdi_ball_turn_of(q, near);
    td_vec3 k = body->stiffness, own = {0, 0, 0}, t = {0, 0, 0};
    if (law == TD_LAW_LINEAR) {
        t = tdi_scale(times(k, turn.a), p->spring);
    } else {
        own = tdi_scale(tdi_tangent_gradient(k, q), p->spring);
        k = tangent_stiffness(k, q);
    }
    if (p->damp > 0) {
        td_vec3 rate = tdi_sub(turn.a, tdi_vec3(rest[0], rest[1], rest[2]));
        t = tdi_madd(t, times(body->damping, rate), p->damp);
    }
    own = tdi_add(own, tdi_ball_rate(&turn, t, -1));
    td_vec3 g = tdi_mat3_apply(&f->r, own);
    moment[0] = g.x;
    moment[1] = g.y;
    moment[2] = g.z;
    k = tdi_madd(tdi_scale(k, p->spring), body->damping, p->damp);
    td_sym3 at = tdi_dot(turn.a, turn.a) < SMALL_ANGLE2 ? near_stiffness(turn.a, k)
                                                        : pull_back_stiffness(&turn, k);
    *stiffness = tdi_sym3_turn(&f->r, &at);
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

static td_real ball_value(const td_tree_model *m, const td_tree_state *s, int32_t i,
                          const tdi_potential *p) {
    const tdi_body *body = &m->body[i];
    const td_real *q = s->q + m->coord[i], *near = s->angle + m->dof[i];
    td_real value = p->spring * tdi_ball_energy(m->law, body->stiffness, q, near);
    if (p->damp > 0) {
        const td_real *rest = p->angle_rest + m->dof[i];
        td_vec3 rate = tdi_sub(tdi_ball_turn_of(q, near).a, tdi_vec3(rest[0], rest[1], rest[2]));
        value += 0.5 * p->damp * tdi_dot(rate, times(body->damping, rate));
    }
    return value;
}

static td_real other_value(const td_tree_model *m, const td_tree_state *s, int32_t i,
                           const tdi_potential *p) {
    if (m->dof[i + 1] - m->dof[i] != 1) {
        return 0;
    }
    td_real a = s->q[m->coord[i]], rest = p->angle_rest ? p->angle_rest[m->dof[i]] : 0;
    return 0.5 * (p->spring * m->body[i].stiffness.x * a * a +
                  p->damp * m->body[i].damping.x * (a - rest) * (a - rest));
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_potential_value(const td_tree_model *m, const td_tree_state *s,
                            const tdi_potential *p) {
    td_real value = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_body *body = &m->body[i];
        const tdi_frame *f = &s->frame[i];
        if (p->inertia) {
            value += body_value(body, f, &s->star[i], p);
        } else {
            td_vec3 c = tdi_mat3_apply(&f->r, body->moment);
            value -= p->spring * tdi_dot(p->gravity, tdi_madd(c, f->o, body->mass));
        }
    }
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; i < run.last; i++) {
            value += run.ball ? ball_value(m, s, i, p) : other_value(m, s, i, p);
        }
    }
    return value + tdi_loads_value(m, s, &p->loads);
}

void tdi_potential_expand(const td_tree_model *m, td_tree_state *s, const tdi_potential *p,
                          bool tame) {
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_body *body = &m->body[i];
        if (p->inertia) {
            body_expand(body, &s->frame[i], &s->star[i], p, tame, &s->block[i], &s->load[i],
                        &s->swing[i]);
        } else {
            body_weight(body, &s->frame[i], p->gravity, tame ? p->relax : 0, &s->block[i],
                        &s->load[i], &s->swing[i]);
        }
        s->pull[i] = s->load[i].f;
    }
    tdi_loads_expand(m, s, &p->loads);
    for (int32_t i = 0; i < m->body_count; i++) {
        s->spin[i] = s->load[i].n;
    }
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            int32_t d = m->dof[i];
            ball_expand(&m->body[i], m->law, &s->frame[i], s->q + m->coord[i], s->angle + d,
                        p->angle_rest ? p->angle_rest + d : NULL, p, &s->joint_a[i],
                        s->joint_g + d);
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            other_expand(m, s, i, p);
        }
    }
}
