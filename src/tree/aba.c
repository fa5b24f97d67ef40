// SPDX-License-Identifier: MIT
// Forward dynamics: the accelerations that forces and torques give.
//
// Method   articulated bodies (Featherstone 2008, chapter 7), three sweeps, O(bodies), with the
//          classical acceleration of the joint origins instead of spatial ones. At its joint a
//          subtree answers an acceleration (e, a) with the wrench
//            n = A e + B a + p_n,   f = B^T e + C a + p_f.
//          A ball joint has n = t, its torque, whatever the parent does, so that with
//          A = L D L^T, Y = L^-1 B, y = L^-1 (t - p_n)
//            e = L^-T (D^-1 y - D^-1 Y a)
//          and the parent feels t, and at the joint the force
//            f = C' a + p_f + Y^T D^-1 y,   C' = C - Y^T D^-1 Y:
//          one symmetric 3x3 matrix, in which symmetry is exact. Other joints go through their
//          columns U = M S and hand on the whole 6x6 matrix M - U (S^T U)^-1 U^T.
// Frame    a body's own axes at its joint origin, in which its inertia is constant. E turns them to
//          the parent's: w = E^T w_p + v, E a = a_p + e_p x r + b, b = w_p x (w_p x r) (+ slide).
// Reads    q, v, angle, base; with loads frame.
// Writes   link, accel; of joints other than balls what `other` holds.

#include "tree/dynamics.h"
#include "tree/joint.h"

#define PIVOT_FLOOR 1e-13 // over the trace: below this a pivot is noise

static inline td_real at_least(td_real x, td_real floor) {
    return x > floor ? x : floor;
}

// ---- root to tip: pose, rates, own inertia --------------------------------------------------

// w, and what the body alone asks for: inertia, bias less the torque on it
static inline void start_link(const tdi_body *body, td_vec3 w, td_vec3 torque, tdi_link *l) {
    tdi_mass mass = {body->mass, body->moment, body->second};
    tdi_wrench bias = tdi_mass_bias(&mass, w);
    l->w = w;
    l->inertia = tdi_mass_block(&mass);
    l->bias = (tdi_wrench){tdi_sub(bias.n, torque), bias.f};
}

static inline void start_ball(const td_tree_model *m, td_tree_state *s, int32_t i,
                              const td_real *torque) {
    const tdi_body *body = &m->body[i];
    const td_real *q = s->q + m->coord[i], *v = s->v + m->dof[i];
    tdi_link *l = &s->link[i], *up = &s->link[m->parent[i]];
    td_vec3 t = {0, 0, 0};
    if (torque) {
        t = tdi_vec3(torque[0], torque[1], torque[2]);
    }
    if (tdi_springy(body)) {
        t = tdi_add(t, tdi_ball_moment(m->law, body, q, v, s->angle + m->dof[i]));
    }
    const td_vec3 up_w = up->w, r = body->attach;
    const td_quat joint = {q[0], q[1], q[2], q[3]};
    const tdi_mat3 turn = tdi_mat3_from_quat(tdi_quat_mul(body->rest, joint));
    l->turn = turn;
    l->r = r;
    l->b = tdi_cross(up_w, tdi_cross(up_w, r));
    start_link(body, tdi_add(tdi_mat3_apply_t(&turn, up_w), tdi_vec3(v[0], v[1], v[2])), t, l);
    // the torque acts back on what the joint hangs on
    up->bias.n = tdi_add(up->bias.n, tdi_mat3_apply(&turn, t));
}

// Columns in the body's own axes; a free joint shifts along the base's, which are the rows of E.
static void own_columns(const tdi_body *body, td_joint_kind kind, const tdi_mat3 *e,
                        tdi_twist *column) {
    const td_vec3 none = {0, 0, 0}, axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (kind == TD_JOINT_HINGE) {
        column[0] = (tdi_twist){body->axis, none};
    } else if (kind == TD_JOINT_SLIDE) {
        column[0] = (tdi_twist){none, body->axis};
    } else if (kind == TD_JOINT_FREE) {
        for (int k = 0; k < 3; k++) {
            column[k] = (tdi_twist){none, tdi_mat3_row(e, k)};
            column[3 + k] = (tdi_twist){axis[k], none};
        }
    }
}

// Leaves the torques of the joint in accel.
static void start_columns(const td_tree_model *m, td_tree_state *s, int32_t i,
                          const td_real *torque, td_real *accel) {
    const tdi_body *body = &m->body[i];
    td_joint_kind kind = (td_joint_kind)m->kind[i];
    int32_t first = m->dof[i], count = m->dof[i + 1] - first;
    const td_real *q = s->q + m->coord[i], *v = s->v + first;
    tdi_twist *column = s->other[m->other_place[i]].column;
    tdi_link *l = &s->link[i], *up = &s->link[m->parent[i]];
    td_quat joint;
    td_vec3 slide;
    tdi_joint_place(body, kind, q, &joint, &slide);
    l->turn = tdi_mat3_from_quat(tdi_quat_mul(body->rest, joint));
    l->r = tdi_add(body->attach, slide);
    own_columns(body, kind, &l->turn, column);

    td_vec3 w = tdi_mat3_apply_t(&l->turn, up->w), shift = {0, 0, 0};
    for (int32_t k = 0; k < count; k++) {
        w = tdi_madd(w, column[k].w, v[k]);
        shift = tdi_madd(shift, column[k].v, v[k]);
        accel[first + k] = torque ? torque[k] : 0;
    }
    if (count == 1) {
        accel[first] -= body->stiffness.x * q[0] + body->damping.x * v[0];
    }
    shift = tdi_scale(tdi_mat3_apply(&l->turn, shift), 2);
    l->b = tdi_cross(up->w, tdi_add(tdi_cross(up->w, l->r), shift));
    start_link(body, w, tdi_vec3(0, 0, 0), l);
}

static void sweep_start(const td_tree_model *m, td_tree_state *s, const td_real *torque,
                        td_real *accel) {
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            start_ball(m, s, i, torque ? torque + m->dof[i] : NULL);
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            start_columns(m, s, i, torque ? torque + m->dof[i] : NULL, accel);
        }
    }
}

// ---- tip to root: ball joints ---------------------------------------------------------------

// Pivots below the floor are raised to it.
static tdi_ldl3 factor_raised(const td_sym3 *a, td_real floor) {
    tdi_ldl3 f;
    tdi_ldl3_factor(&f, a, floor);
    return f;
}

// A = L D L^T, with minors instead of pivots, so that no division waits for another:
//   d0 = xx, d1 = m1/xx, d2 = m2/(xx m1)
static inline tdi_ldl3 factor(const td_sym3 *a) {
    const td_real floor = PIVOT_FLOOR * (a->xx + a->yy + a->zz) + 1e-300, d0 = a->xx;
    const td_real m1 = d0 * a->yy - a->xy * a->xy, v = d0 * a->yz - a->xy * a->xz;
    const td_real m2 = m1 * (d0 * a->zz - a->xz * a->xz) - v * v;
    if (!(d0 > floor && m1 > floor * d0 && m2 > floor * (d0 * m1))) {
        return factor_raised(a, floor);
    }
    const td_real i0 = 1 / d0, over = 1 / m1;
    tdi_ldl3 f = {a->xy * i0, a->xz * i0, v * over, i0, d0 * over, d0 * m1 / m2};
    return f;
}

// C - y g^T, symmetric because y and g are parallel
static inline td_sym3 less_square(td_sym3 c, td_vec3 y, td_vec3 g) {
    td_sym3 left = {c.xx - y.x * g.x, c.yy - y.y * g.y, c.zz - y.z * g.z,
                    c.xy - y.x * g.y, c.xz - y.x * g.z, c.yz - y.y * g.z};
    return left;
}

// E C E^T
static inline td_sym3 turned(const tdi_mat3 *e, const td_sym3 *c) {
    const td_vec3 x = tdi_mat3_row(e, 0), y = tdi_mat3_row(e, 1), z = tdi_mat3_row(e, 2);
    const td_vec3 cx = tdi_sym3_apply(c, x);
    const td_real xx = tdi_dot(x, cx), xy = tdi_dot(y, cx), xz = tdi_dot(z, cx);
    const td_vec3 cy = tdi_sym3_apply(c, y);
    const td_real yy = tdi_dot(y, cy), yz = tdi_dot(z, cy);
    const td_vec3 cz = tdi_sym3_apply(c, z);
    td_sym3 s = {xx, yy, tdi_dot(z, cz), xy, xz, yz};
    return s;
}

// The mass C at a point r away, felt at the parent's origin: [r]x C [r]x^T, [r]x C, C
static inline void add_point_mass(tdi_block *to, const td_sym3 *c, td_vec3 r) {
    td_real *b = to->b.m;
    // rows of [r]x C, and r x each
    const td_vec3 h = {r.y * c->xz - r.z * c->xy, r.y * c->yz - r.z * c->yy,
                       r.y * c->zz - r.z * c->yz};
    b[0] += h.x;
    b[1] += h.y;
    b[2] += h.z;
    to->a.xx += r.y * h.z - r.z * h.y;
    to->a.xy += r.z * h.x - r.x * h.z;
    to->a.xz += r.x * h.y - r.y * h.x;
    const td_vec3 k = {r.z * c->xx - r.x * c->xz, r.z * c->xy - r.x * c->yz,
                       r.z * c->xz - r.x * c->zz};
    b[3] += k.x;
    b[4] += k.y;
    b[5] += k.z;
    to->a.yy += r.z * k.x - r.x * k.z;
    to->a.yz += r.x * k.y - r.y * k.x;
    const td_vec3 n = {r.x * c->xy - r.y * c->xx, r.x * c->yy - r.y * c->xy,
                       r.x * c->yz - r.y * c->xz};
    b[6] += n.x;
    b[7] += n.y;
    b[8] += n.z;
    to->a.zz += r.x * n.y - r.y * n.x;
    to->c = tdi_sym3_add(to->c, *c);
}

static inline void in_ball(tdi_link *l, tdi_link *up) {
    const tdi_ldl3 d = factor(&l->inertia.a);
    const tdi_mat3 *b = &l->inertia.b;

    // D^-1 y, where p_n already holds the torque
    const td_real t0 = -l->bias.n.x;
    const td_real t1 = -l->bias.n.y - d.l10 * t0;
    const td_real t2 = -l->bias.n.z - d.l20 * t0 - d.l21 * t1;
    const td_vec3 e = {d.i0 * t0, d.i1 * t1, d.i2 * t2};

    // row by row Y and D^-1 Y: C' = C - Y^T D^-1 Y, f = p_f + Y^T D^-1 y
    const td_vec3 y0 = tdi_mat3_row(b, 0), g0 = tdi_scale(y0, d.i0);
    td_sym3 c = less_square(l->inertia.c, y0, g0);
    td_vec3 f = tdi_madd(l->bias.f, y0, e.x);
    const td_vec3 y1 = tdi_madd(tdi_mat3_row(b, 1), y0, -d.l10), g1 = tdi_scale(y1, d.i1);
    c = less_square(c, y1, g1);
    f = tdi_madd(f, y1, e.y);
    const td_vec3 y2 = tdi_madd(tdi_madd(tdi_mat3_row(b, 2), y0, -d.l20), y1, -d.l21);
    const td_vec3 g2 = tdi_scale(y2, d.i2);
    c = less_square(c, y2, g2);
    f = tdi_madd(f, y2, e.z);
    l->gain[0] = g0;
    l->gain[1] = g1;
    l->gain[2] = g2;
    l->free = e;
    l->lower = tdi_vec3(d.l10, d.l20, d.l21);

    // in the parent's axes, where f also carries C' b
    c = turned(&l->turn, &c);
    f = tdi_add(tdi_mat3_apply(&l->turn, f), tdi_sym3_apply(&c, l->b));
    add_point_mass(&up->inertia, &c, l->r);
    up->bias.n = tdi_add(up->bias.n, tdi_cross(l->r, f));
    up->bias.f = tdi_add(up->bias.f, f);
}

// ---- tip to root: other joints --------------------------------------------------------------

// D = L diag(d) L^T of a k x k matrix, rows of 6, in place; the diagonal gets 1/d
static void factor_dense(td_real *m, int32_t k) {
    td_real trace = 0;
    for (int32_t i = 0; i < k; i++) {
        trace += m[7 * i];
    }
    td_real floor = PIVOT_FLOOR * trace + 1e-300;
    for (int32_t j = 0; j < k; j++) {
        td_real d = m[7 * j];
        for (int32_t h = 0; h < j; h++) {
            td_real ld = m[6 * j + h];
            m[6 * j + h] *= m[7 * h];
            d -= ld * m[6 * j + h];
        }
        m[7 * j] = 1 / at_least(d, floor);
        for (int32_t i = j + 1; i < k; i++) {
            for (int32_t h = 0; h < j; h++) {
                m[6 * i + j] -= m[6 * i + h] * m[6 * j + h];
            }
        }
    }
}

static void solve_dense(const td_real *m, int32_t k, td_real *x) {
    for (int32_t i = 0; i < k; i++) {
        for (int32_t j = 0; j < i; j++) {
            x[i] -= m[6 * i + j] * x[j];
        }
    }
    for (int32_t i = k - 1; i >= 0; i--) {
        x[i] *= m[7 * i];
        for (int32_t j = i + 1; j < k; j++) {
            x[i] -= m[6 * j + i] * x[j];
        }
    }
}

// M -= u u^T/d
static inline void subtract_square(tdi_block *m, const tdi_wrench *u, td_real over) {
    const td_real n[3] = {u->n.x, u->n.y, u->n.z}, f[3] = {u->f.x, u->f.y, u->f.z};
    m->a = tdi_sym3_add(m->a, tdi_sym3_square(u->n, -over));
    m->c = tdi_sym3_add(m->c, tdi_sym3_square(u->f, -over));
    for (int k = 0; k < 9; k++) {
        m->b.m[k] -= over * n[k / 3] * f[k % 3];
    }
}

// E M E^T, block by block
static tdi_block block_turned(const tdi_mat3 *e, const tdi_block *m) {
    tdi_block t = {turned(e, &m->a), {{0}}, turned(e, &m->c)};
    for (int j = 0; j < 3; j++) {
        td_vec3 row = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            row = tdi_madd(row, tdi_mat3_row(&m->b, k), e->m[3 * j + k]);
        }
        row = tdi_mat3_apply(e, row);
        t.b.m[3 * j] = row.x;
        t.b.m[3 * j + 1] = row.y;
        t.b.m[3 * j + 2] = row.z;
    }
    return t;
}

// D = S^T M S. The base feels nothing, and a free joint hangs on the base, so that joints which
// hand on have one column at most: M' = M - u u^T/d, p' = p + u (t - s.p)/d + M' (w_p x w, b)
static void in_columns(const td_tree_model *m, td_tree_state *s, int32_t i, const td_real *torque) {
    int32_t first = m->dof[i], count = m->dof[i + 1] - first;
    const tdi_twist *column = s->other[m->other_place[i]].column;
    td_real *dense = s->other[m->other_place[i]].dense;
    tdi_link *l = &s->link[i], *up = &s->link[m->parent[i]];
    tdi_wrench u = {{0, 0, 0}, {0, 0, 0}}, p = l->bias;
    for (int32_t a = 0; a < count; a++) {
        u = tdi_block_apply(&l->inertia, &column[a]);
        for (int32_t b = 0; b <= a; b++) {
            dense[6 * a + b] = tdi_pair(&u, &column[b]);
        }
    }
    factor_dense(dense, count);
    if (m->parent[i] == TD_NONE) {
        return;
    }
    tdi_block left = l->inertia;
    if (count == 1) {
        td_real x = dense[0] * (torque[first] - tdi_pair(&l->bias, &column[0]));
        subtract_square(&left, &u, dense[0]);
        p.n = tdi_madd(p.n, u.n, x);
        p.f = tdi_madd(p.f, u.f, x);
    }
    left = block_turned(&l->turn, &left);
    tdi_twist b = {tdi_cross(up->w, tdi_mat3_apply(&l->turn, l->w)), l->b};
    tdi_wrench mb = tdi_block_apply(&left, &b);
    p.n = tdi_add(tdi_mat3_apply(&l->turn, p.n), mb.n);
    p.f = tdi_add(tdi_mat3_apply(&l->turn, p.f), mb.f);
    tdi_block_add(&up->inertia, &left, l->r);
    tdi_wrench_add(&up->bias, &p, l->r);
}

static void sweep_in(const td_tree_model *m, td_tree_state *s, const td_real *torque) {
    for (int32_t k = m->run_count - 1; k >= 0; k--) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.last - 1; run.ball && i >= run.first; i--) {
            in_ball(&s->link[i], &s->link[m->parent[i]]);
        }
        for (int32_t i = run.last - 1; !run.ball && i >= run.first; i--) {
            in_columns(m, s, i, torque);
        }
    }
}

// ---- root to tip: accelerations -------------------------------------------------------------

// a = E^T (a_p + e_p x r + b)
static inline td_vec3 origin_accel(const tdi_link *up, const tdi_link *l) {
    td_vec3 a = tdi_add(tdi_add(up->accel.v, l->b), tdi_cross(up->accel.w, l->r));
    return tdi_mat3_apply_t(&l->turn, a);
}

// e = L^-T (D^-1 y - D^-1 Y a); the joint's own part is e - E^T e_p - w_p x w, with w_p = w - v
static inline void out_ball(const tdi_link *up, tdi_link *l, const td_real *v, td_real *accel) {
    const td_vec3 a = origin_accel(up, l), e_up = tdi_mat3_apply_t(&l->turn, up->accel.w);
    const td_vec3 gyro = tdi_cross(l->w, tdi_vec3(v[0], v[1], v[2]));
    td_vec3 e = {l->free.x - tdi_dot(l->gain[0], a), l->free.y - tdi_dot(l->gain[1], a),
                 l->free.z - tdi_dot(l->gain[2], a)};
    e.y -= l->lower.z * e.z;
    e.x -= l->lower.x * e.y + l->lower.y * e.z;
    accel[0] = e.x - e_up.x - gyro.x;
    accel[1] = e.y - e_up.y - gyro.y;
    accel[2] = e.z - e_up.z - gyro.z;
    l->accel = (tdi_twist){e, a};
}

// D x = t - S^T (p + M (what the parent and the rates make))
static void out_columns(const td_tree_model *m, td_tree_state *s, int32_t i, td_real *accel) {
    int32_t first = m->dof[i], count = m->dof[i + 1] - first;
    const tdi_twist *column = s->other[m->other_place[i]].column;
    tdi_link *l = &s->link[i];
    const tdi_link *up = &s->link[m->parent[i]];
    td_vec3 up_w = tdi_mat3_apply_t(&l->turn, up->w);
    tdi_twist a = {tdi_mat3_apply_t(&l->turn, up->accel.w), origin_accel(up, l)};
    a.w = tdi_add(a.w, tdi_cross(up_w, l->w));
    tdi_wrench p = tdi_block_apply(&l->inertia, &a);
    p.n = tdi_add(p.n, l->bias.n);
    p.f = tdi_add(p.f, l->bias.f);
    for (int32_t k = 0; k < count; k++) {
        accel[first + k] -= tdi_pair(&p, &column[k]);
    }
    solve_dense(s->other[m->other_place[i]].dense, count, accel + first);
    for (int32_t k = 0; k < count; k++) {
        a.w = tdi_madd(a.w, column[k].w, accel[first + k]);
        a.v = tdi_madd(a.v, column[k].v, accel[first + k]);
    }
    l->accel = a;
}

static void sweep_out(const td_tree_model *m, td_tree_state *s, td_real *accel) {
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            int32_t d = m->dof[i];
            out_ball(&s->link[m->parent[i]], &s->link[i], s->v + d, accel + d);
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            out_columns(m, s, i, accel);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

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
    tdi_link *base = &s->link[TD_NONE];
    *base = (tdi_link){.w = tdi_mat3_apply_t(r, s->base_twist.w)};
    sweep_start(m, s, torque, accel);
    if (outside) {
        add_outside(m, s, outside);
    }
    sweep_in(m, s, accel);
    // gravity enters as an upward acceleration of the base
    base->accel.w = tdi_mat3_apply_t(r, s->base_accel.w);
    base->accel.v = tdi_mat3_apply_t(r, tdi_sub(s->base_accel.v, gravity));
    sweep_out(m, s, accel);
}

void td_tree_forward(td_tree_state *state, td_vec3 gravity, const td_real *torque, td_real *accel) {
    tdi_tree_fresh(state);
    tdi_tree_forward(state->model, state, gravity, torque, NULL, accel);
}
