// SPDX-License-Identifier: MIT
// The incremental potential: value, gradient and Hessian.
//
//   Phi = sum over bodies 1/2 m|e|^2 + e.(dR mc) + 1/2 tr(dR S dR^T) + spring V + damp D
//   e = o - o^, dR = R - R^, V = 1/2 a^T K a, D = 1/2 (a - a*)^T B (a - a*)
// a is the rotation vector of a joint. Turning a body by w (R <- exp(w) R):
//   d/dw 1/2 tr(dR S dR^T) = axial(P), second derivative tr(P) I - sym(P),  P = R S R^^T
//   d/dw e.(dR mc)         = c x e,    second derivative sym(c e^T) - (c.e) I, c = R mc
// V of the tangent law, J, which leads from a turn of a joint to its change of a, and the second
// derivative of a are in joint.h. Gradient and Hessian are made in term_kernel.h, for one body here
// and for many in terms_wide_*.c.

#include "tree/drive.h"

#define TDI_LANES 1
#include "tree/term_kernel.h"
#include "tree/terms_wide.h"

// ---- terms ----------------------------------------------------------------------------------

static inline wbodies body_at(const tdi_potential_at *at, int32_t i, bool ball) {
    const tdi_tree_model *m = at->model;
    const tdi_tree_state *s = at->state;
    const tdi_loads *l = &at->potential->loads;
    wbodies b = {.first = i,
                 .body = &m->body[i],
                 .frame = &s->frame[i],
                 .predictor = &s->bdf.predictor[i],
                 .history = l->history ? &l->history[i] : NULL,
                 .past = &s->past[i].r,
                 .wind = tdi_wind_at(l, i)};
    if (ball) {
        const td_real *q = s->q + m->coord[i], *rest = at->potential->angle_rest;
        const int32_t d = m->dof[i];
        b.w = q[0];
        b.u = tdi_vec3(q[1], q[2], q[3]);
        b.rest = rest ? tdi_vec3(rest[d], rest[d + 1], rest[d + 2]) : tdi_vec3(0, 0, 0);
    }
    return b;
}

// e of the origin where the last increments led to the first order, in geometric stiffness alone.
// Along a chain origins are off by the sum of errors of second order, and so would e be.
static void look_ahead(const tdi_potential_at *at, int32_t i, tdi_term *t) {
    const tdi_tree_state *s = at->state;
    const td_vec3 c = tdi_mat3_apply(&s->frame[i].r, at->model->body[i].moment);
    const td_vec3 ahead = tdi_sub(s->outcome.origin[i], s->frame[i].o);
    t->geometric = tdi_sym3_add(t->geometric, tdi_geometric_stiffness(c, ahead));
}

void tdi_potential_balls(const void *context, int32_t first, int32_t count, tdi_term *t) {
    const tdi_potential_at *at = context;
    int32_t done = 0;
    if (at->wide) {
        for (; count - done >= at->wide->lanes; done += at->wide->lanes) {
            at->wide->fill(at, first + done, t + done);
        }
    }
    for (; done < count; done++) {
        const wbodies b = body_at(at, first + done, true);
        outside_term(at, &b, t + done);
        ball_term(at, &b, t + done);
    }
    for (int32_t k = 0; at->foreseen && k < count; k++) {
        look_ahead(at, first + k, &t[k]);
    }
}

// hinges and slides: the coordinate itself; other joints have no springs
static void other_joint_term(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i,
                             const tdi_potential *p, tdi_term *term) {
    const tdi_body *body = &m->body[i];
    memset(term->joint, 0, sizeof term->joint);
    memset(term->g, 0, sizeof term->g);
    if (m->dof[i + 1] - m->dof[i] == 1) {
        td_real a = s->q[m->coord[i]], rest = p->angle_rest ? p->angle_rest[m->dof[i]] : 0;
        td_real k = p->spring * p->stiffness * body->stiffness.x, b = p->damp * body->damping.x;
        term->joint[0] = k + b;
        term->g[0] = k * a + b * (a - rest);
        if (p->drives) {
            const tdi_driven d =
                tdi_drive_at(&p->drives[m->dof[i]], p->stiffness * body->stiffness.x, a);
            term->joint[0] += p->spring * d.curvature;
            term->g[0] += p->spring * d.slope;
        }
    }
}

void tdi_potential_other(const void *context, int32_t i, tdi_term *t) {
    const tdi_potential_at *at = context;
    const wbodies b = body_at(at, i, false);
    outside_term(at, &b, t);
    other_joint_term(at->model, at->state, i, at->potential, t);
    if (at->foreseen) {
        look_ahead(at, i, t);
    }
}

// ---- value: bodies --------------------------------------------------------------------------

static inline td_real body_value(const tdi_body *body, const tdi_frame *f,
                                 const tdi_affine *predictor, const tdi_potential *p) {
    tdi_mat3 d;
    for (int k = 0; k < 9; k++) {
        d.m[k] = f->r.m[k] - predictor->r.m[k];
    }
    td_vec3 e = origin_off(f, predictor, p);
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

static inline td_real drag_value(const wbodies *b, const tdi_loads *l) {
    const drag_points d = drag_points_of(b, l);
    td_real value = 0;
    for (int g = 0; g < 2; g++) {
        value += drag_at(&d, l, tdi_gauss_points[g]).value;
    }
    return value;
}

static inline td_real outside_value(const tdi_potential_at *at, int32_t i) {
    const tdi_potential *p = at->potential;
    const wbodies b = body_at(at, i, false);
    td_real value = p->inertia ? body_value(b.body, b.frame, b.predictor, p)
                               : p->spring * weight_value(b.body, b.frame, p->gravity);
    return tdi_has_drag(&p->loads) ? value + drag_value(&b, &p->loads) : value;
}

// ---- value: joints --------------------------------------------------------------------------

static inline td_real ball_value(td_spring_law law, const tdi_body *body, const td_real *q,
                                 const td_real *near, const td_real *rest, const tdi_potential *p) {
    const td_vec3 a = tdi_ball_turn_of(q, near).a;
    td_real value = law == TD_LAW_LINEAR ? 0.5 * tdi_dot(a, tdi_times(body->stiffness, a))
                                         : tdi_ball_energy(law, body->stiffness, q, near);
    value *= p->spring * p->stiffness;
    if (rest) {
        td_vec3 rate = tdi_sub(a, tdi_vec3(rest[0], rest[1], rest[2]));
        value += 0.5 * p->damp * tdi_dot(rate, tdi_times(body->damping, rate));
    }
    return value;
}

// hinges and slides
static td_real single_value(const tdi_body *body, td_real a, td_real rest, int32_t dof,
                            const tdi_potential *p) {
    const td_real value = 0.5 * (p->spring * p->stiffness * body->stiffness.x * a * a +
                                 p->damp * body->damping.x * (a - rest) * (a - rest));
    const td_real k = p->stiffness * body->stiffness.x;
    return p->drives ? value + p->spring * tdi_drive_at(&p->drives[dof], k, a).value : value;
}

static inline td_real joint_value(const tdi_potential_at *at, int32_t i, bool ball) {
    const tdi_tree_model *m = at->model;
    const tdi_potential *p = at->potential;
    const int32_t d = m->dof[i];
    const td_real *q = at->state->q + m->coord[i], *rest = p->angle_rest ? p->angle_rest + d : NULL;
    if (ball) {
        const td_real *near = (p->angle_near ? p->angle_near : at->state->angle) + d;
        return ball_value(m->law, &m->body[i], q, near, rest, p);
    }
    return m->dof[i + 1] - d == 1 ? single_value(&m->body[i], q[0], rest ? *rest : 0, d, p) : 0;
}

// ---- value ----------------------------------------------------------------------------------

static void part_value(void *context, int32_t part) {
    const tdi_potential_at *at = context;
    const tdi_tree_model *m = at->model;
    tdi_tree_state *s = at->state;
    const tdi_part bodies = m->part[part];
    td_real sum = 0;
    // backwards, as the sweep that makes the terms, so that sums compare to the last bit
    for (int32_t k = tdi_run_of(m, bodies.last - 1); k >= 0 && m->run[k].last > bodies.first; k--) {
        const tdi_run run = tdi_run_within(m, k, bodies.first, bodies.last);
        for (int32_t i = run.last - 1; i >= run.first; i--) {
            sum += outside_value(at, i) + joint_value(at, i, run.ball);
        }
    }
    s->slot[part].value = sum;
}

td_real tdi_potential_value(const tdi_tree_model *m, tdi_tree_state *s, td_pool *pool,
                            const tdi_potential *p) {
    tdi_potential_at at = {.model = m, .state = s, .potential = p};
    td_real value = 0;
    tdi_pass_all(m, pool, part_value, &at);
    for (int32_t k = 0; k < m->part_count; k++) {
        value += s->slot[k].value;
    }
    value += p->drives ? tdi_drives_value(m, s, p) : 0;
    return value + tdi_loads_value(s, &p->loads);
}
