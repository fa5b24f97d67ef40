// SPDX-License-Identifier: MIT
// The incremental potential: value, gradient and Hessian.
//
//   Phi = sum over bodies 1/2 m|e|^2 + e.(dR mc) + 1/2 tr(dR S dR^T) + spring V + damp D
//   e = o - o^, dR = R - R^, V = 1/2 a^T K a, D = 1/2 (a - a*)^T B (a - a*)
// a is the rotation vector of a joint. Turning a body by w (R <- exp(w) R):
//   d/dw 1/2 tr(dR S dR^T) = axial(P), second derivative tr(P) I - sym(P),  P = R S R^^T
//   d/dw e.(dR mc)         = c x e,    second derivative sym(c e^T) - (c.e) I, c = R mc
// V of the tangent law, J, which leads from a turn of a joint to its change of a, and the second
// derivative of a are in joint.h.

#include "tree/implicit.h"
#include "tree/joint.h"
#include "tree/terms_wide.h"

#include <string.h>

// ---- bodies ---------------------------------------------------------------------------------

// o - o^
static inline td_vec3 origin_off(const tdi_frame *f, const tdi_place *hat, const tdi_potential *p) {
    return tdi_madd(tdi_sub(f->o, hat->o), p->gravity, -p->h * p->h);
}

static inline td_real body_value(const tdi_body *body, const tdi_frame *f, const tdi_place *hat,
                                 const tdi_potential *p) {
    tdi_mat3 d;
    for (int k = 0; k < 9; k++) {
        d.m[k] = f->r.m[k] - hat->r.m[k];
    }
    td_vec3 e = origin_off(f, hat, p);
    tdi_mat3 ds = tdi_mat3_mul_sym(&d, &body->second);
    td_real trace = 0;
    for (int k = 0; k < 9; k++) {
        trace += ds.m[k] * d.m[k];
    }
    return 0.5 * body->mass * tdi_dot(e, e) + tdi_dot(e, tdi_mat3_apply(&d, body->moment)) +
           0.5 * trace;
}

static inline td_real weight_value(const tdi_body *body, const tdi_frame *f, td_vec3 g) {
    return -tdi_dot(g, tdi_madd(tdi_mat3_apply(&f->r, body->moment), f->o, body->mass));
}

static inline void body_term(const tdi_body *body, const tdi_frame *f, const tdi_place *hat,
                             const tdi_potential *potential, bool tame, tdi_term *t) {
    td_vec3 e = origin_off(f, hat, potential);
    td_vec3 c = tdi_mat3_apply(&f->r, body->moment);
    td_vec3 c_hat = tdi_mat3_apply(&hat->r, body->moment);
    tdi_mat3 rs = tdi_mat3_mul_sym(&f->r, &body->second);
    tdi_mat3 p = tdi_mat3_mul_t(&rs, &hat->r);

    t->load.f = tdi_add(tdi_scale(e, body->mass), tdi_sub(c, c_hat));
    t->load.n = tdi_add(tdi_mat3_axial(&p), tdi_cross(c, e));

    if (tame) {
        p = tdi_mat3_mul_t(&rs, &f->r);
    }
    t->block.a =
        (td_sym3){p.m[4] + p.m[8],          p.m[0] + p.m[8],          p.m[0] + p.m[4],
                  -0.5 * (p.m[1] + p.m[3]), -0.5 * (p.m[2] + p.m[6]), -0.5 * (p.m[5] + p.m[7])};
    t->swing = tdi_swing(c, e);
    t->block.b = (tdi_mat3){{0, -c.z, c.y, c.z, 0, -c.x, -c.y, c.x, 0}};
    t->block.c = tdi_sym3_diagonal(body->mass, body->mass, body->mass);
}

// weight alone: -m g.(o + R c); in a tame model with `relax` times the inertia of the pose
static inline void weight_term(const tdi_body *body, const tdi_frame *f, td_vec3 g, td_real relax,
                               tdi_term *t) {
    td_vec3 c = tdi_mat3_apply(&f->r, body->moment), e = tdi_scale(g, -1);
    memset(&t->block, 0, sizeof t->block);
    if (relax > 0) {
        td_sym3 s = tdi_sym3_turn(&f->r, &body->second);
        td_real m = relax * body->mass;
        td_vec3 d = tdi_scale(c, relax);
        t->block.a = tdi_sym3_scale(tdi_sym3_inertia(s), relax);
        t->block.b = (tdi_mat3){{0, -d.z, d.y, d.z, 0, -d.x, -d.y, d.x, 0}};
        t->block.c = tdi_sym3_diagonal(m, m, m);
    }
    t->swing = tdi_swing(c, e);
    t->load.f = tdi_scale(e, body->mass);
    t->load.n = tdi_cross(c, e);
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

// a - a*, or nothing to damp
static inline td_vec3 angle_rate(const tdi_potential *p, int32_t d, td_vec3 a) {
    const td_real *rest = p->angle_rest;
    return rest ? tdi_sub(a, tdi_vec3(rest[d], rest[d + 1], rest[d + 2])) : tdi_vec3(0, 0, 0);
}

static inline td_real ball_value(td_spring_law law, const tdi_body *body, const td_real *q,
                                 const td_real *near, td_vec3 a, td_vec3 rate,
                                 const tdi_potential *p) {
    td_real energy = law == TD_LAW_LINEAR ? 0.5 * tdi_dot(a, times(body->stiffness, a))
                                          : tdi_ball_energy(law, body->stiffness, q, near);
    return p->spring * p->stiffness * energy +
           0.5 * p->damp * tdi_dot(rate, times(body->damping, rate));
}

// J^-T diag(k) J^-1 of a joint bent little or far
static inline td_sym3 turned_stiffness(const tdi_ball_turn *turn, td_vec3 k) {
    return tdi_dot(turn->a, turn->a) < TDI_SMALL_ANGLE2 ? near_stiffness(turn->a, k)
                                                        : pull_back_stiffness(turn, k);
}

// Gradient and Hessian to a turn in own axes, t the moment on the rotation vector:
//   J^-T t,  J^-T (spring K + damp B) J^-1 + sum_k t_k d2a_k/dy2
// The tangent law has its own derivatives for the spring. A tame model leaves the second
// derivatives out, and takes the stiffness of bending and twist from the tangent law.
static inline void ball_joint_term(const tdi_body *body, td_spring_law law, const tdi_frame *f,
                                   const td_real *q, tdi_ball_turn turn, int32_t d,
                                   const tdi_potential *p, bool tame, tdi_term *term) {
    const td_real spring = p->spring * p->stiffness;
    const td_vec3 rate = angle_rate(p, d, turn.a), stiff = body->stiffness;
    const bool linear = law == TD_LAW_LINEAR;
    td_vec3 k = linear ? stiff : tame ? tangent_stiffness(stiff, q) : tdi_vec3(0, 0, 0);
    td_vec3 t = linear ? tdi_scale(times(stiff, turn.a), spring) : tdi_vec3(0, 0, 0);
    t = tdi_madd(t, times(body->damping, rate), p->damp);
    td_vec3 own = tdi_ball_rate(&turn, t, -1);
    k = tdi_madd(tdi_scale(k, spring), body->damping, p->damp);
    td_sym3 at = turned_stiffness(&turn, k);
    if (!tame) {
        at = tdi_sym3_add(at, tdi_ball_second(&turn, t));
    }
    if (!linear) {
        own = tdi_madd(own, tdi_tangent_gradient(stiff, q), spring);
        at = tame ? at : tdi_sym3_add(at, tdi_sym3_scale(tdi_tangent_hessian(stiff, q), spring));
    }
    td_vec3 g = tdi_mat3_apply(&f->r, own);
    term->g[0] = g.x;
    term->g[1] = g.y;
    term->g[2] = g.z;
    term->ball = tdi_sym3_turn(&f->r, &at);
}

// hinges and slides: the coordinate itself; other joints have no springs
static td_real single_value(const tdi_body *body, td_real a, td_real rest, const tdi_potential *p) {
    return 0.5 * (p->spring * p->stiffness * body->stiffness.x * a * a +
                  p->damp * body->damping.x * (a - rest) * (a - rest));
}

static void other_joint_term(const td_tree_model *m, const td_tree_state *s, int32_t i,
                             const tdi_potential *p, tdi_term *term) {
    const tdi_body *body = &m->body[i];
    memset(term->joint, 0, sizeof term->joint);
    memset(term->g, 0, sizeof term->g);
    if (m->dof[i + 1] - m->dof[i] == 1) {
        td_real a = s->q[m->coord[i]], rest = p->angle_rest ? p->angle_rest[m->dof[i]] : 0;
        td_real k = p->spring * p->stiffness * body->stiffness.x, b = p->damp * body->damping.x;
        term->joint[0] = k + b;
        term->g[0] = k * a + b * (a - rest);
    }
}

// ---- terms ----------------------------------------------------------------------------------

static inline void outside_term(const tdi_potential_at *at, int32_t i, tdi_term *t) {
    const td_tree_model *m = at->model;
    const td_tree_state *s = at->state;
    const tdi_potential *p = at->potential;
    if (p->inertia) {
        body_term(&m->body[i], &s->frame[i], &s->hat[i], p, at->tame, t);
    } else {
        weight_term(&m->body[i], &s->frame[i], p->gravity, at->tame ? p->relax : 0, t);
    }
    if (tdi_has_drag(&p->loads)) {
        tdi_drag_term(m, s, &p->loads, i, t);
    }
    t->pull = t->load.f;
}

// The rotation vector of a joint that is not bent little, kept for trials from here.
static inline tdi_ball_turn last_turn(const tdi_potential_at *at, int32_t i) {
    const td_real *q = at->state->q + at->model->coord[i];
    const int32_t d = at->model->dof[i];
    td_real *near = at->potential->angle_near;
    tdi_ball_turn turn = tdi_ball_turn_of(q, near ? near + d : at->state->angle + d);
    if (near && !(q[1] * q[1] + q[2] * q[2] + q[3] * q[3] < TDI_SERIES_S)) {
        near[d] = turn.a.x;
        near[d + 1] = turn.a.y;
        near[d + 2] = turn.a.z;
    }
    return turn;
}

static void ball_term(const tdi_potential_at *at, int32_t i, tdi_term *t) {
    const td_tree_model *m = at->model;
    const td_tree_state *s = at->state;
    outside_term(at, i, t);
    const tdi_ball_turn turn = last_turn(at, i);
    ball_joint_term(&m->body[i], m->law, &s->frame[i], s->q + m->coord[i], turn, m->dof[i],
                    at->potential, at->tame, t);
}

// Whether the wide code can make these terms.
static bool is_plain(const tdi_potential_at *at) {
    const tdi_potential *p = at->potential;
    return p->inertia && !at->tame && p->angle_rest && at->model->law == TD_LAW_LINEAR;
}

void tdi_potential_balls(const void *context, int32_t first, int32_t count, tdi_term *t) {
    const tdi_potential_at *at = context;
    int32_t done = 0;
    if (at->wide && is_plain(at)) {
        for (; count - done >= at->wide->lanes; done += at->wide->lanes) {
            uint32_t left_out;
            at->wide->fill(at, first + done, t + done, &left_out);
            for (int32_t k = 0; left_out >> k; k++) {
                if (left_out >> k & 1) {
                    ball_term(at, first + done + k, t + done + k);
                }
            }
        }
    }
    for (; done < count; done++) {
        ball_term(at, first + done, t + done);
    }
}

void tdi_potential_other(const void *context, int32_t i, tdi_term *t) {
    const tdi_potential_at *at = context;
    outside_term(at, i, t);
    other_joint_term(at->model, at->state, i, at->potential, t);
}

// ---- value ----------------------------------------------------------------------------------

static inline td_real outside_value(const td_tree_model *m, const td_tree_state *s, int32_t i,
                                    const tdi_potential *p) {
    td_real value = p->inertia ? body_value(&m->body[i], &s->frame[i], &s->hat[i], p)
                               : p->spring * weight_value(&m->body[i], &s->frame[i], p->gravity);
    return tdi_has_drag(&p->loads) ? value + tdi_drag_value(m, s, &p->loads, i) : value;
}

static inline td_real joint_value(const td_tree_model *m, const td_tree_state *s, int32_t i,
                                  bool ball, const tdi_potential *p) {
    int32_t d = m->dof[i];
    const td_real *q = s->q + m->coord[i], *near = (p->angle_near ? p->angle_near : s->angle) + d;
    if (ball) {
        td_vec3 a = tdi_ball_turn_of(q, near).a;
        return ball_value(m->law, &m->body[i], q, near, a, angle_rate(p, d, a), p);
    }
    return m->dof[i + 1] - d == 1
               ? single_value(&m->body[i], q[0], p->angle_rest ? p->angle_rest[d] : 0, p)
               : 0;
}

static void part_value(void *context, int32_t part) {
    const tdi_potential_at *at = context;
    const td_tree_model *m = at->model;
    td_tree_state *s = at->state;
    const tdi_part bodies = m->part[part];
    td_real sum = 0;
    // backwards, as the sweep that makes the terms, so that sums compare to the last bit
    for (int32_t k = tdi_run_of(m, bodies.last - 1); k >= 0 && m->run[k].last > bodies.first; k--) {
        const tdi_run run = tdi_run_within(m, k, bodies.first, bodies.last);
        for (int32_t i = run.last - 1; i >= run.first; i--) {
            sum += outside_value(m, s, i, at->potential) +
                   joint_value(m, s, i, run.ball, at->potential);
        }
    }
    s->slot[part].value = sum;
}

td_real tdi_potential_value(const td_tree_model *m, td_tree_state *s, td_pool *pool,
                            const tdi_potential *p) {
    tdi_potential_at at = {m, s, p, false, NULL};
    td_real value = 0;
    tdi_pass_all(m, pool, part_value, &at);
    for (int32_t k = 0; k < m->part_count; k++) {
        value += s->slot[k].value;
    }
    return value + tdi_loads_value(s, &p->loads);
}
