// SPDX-License-Identifier: MIT
// Forward dynamics of trees of one shape, TDI_LANES of them at once.
//
// Method   aba.c with a tree a lane, operation for operation, so that every lane gets the bits that
//          td_tree_forward() gives. Where aba.c chooses by value a lane that chooses otherwise is
//          worked out alone, by the same scalar code; so are sines and cosines.
// Memory   a link is TDI_LANES times as large as in aba.c, so that less is kept: a body's own
//          inertia is put in place just before its first child on the way to the root, the last in
//          the tree's order, adds to it.
// Reads    q, v, torque of the job.
// Writes   accel; links, dense.
//
// Included by the files that set TDI_LANES, once in each.

#include "math/wide.h"
#include "tree/aba_wide.h"
#include "tree/dynamics.h"
#include "tree/joint.h"

#define PIVOT_FLOOR 1e-13 // as in aba.c
#define DENSE       36    // rows of 6
#define DENSE_SIZE  (DENSE * sizeof(tdi_wide))
#define ROW         ((ptrdiff_t)TDI_BLOCK)

typedef struct twist {
    tdi_wvec3 w, v;
} twist;

typedef struct wrench {
    tdi_wvec3 n, f;
} wrench;

typedef struct block {
    tdi_wsym3 a;
    tdi_wmat3 b;
    tdi_wsym3 c;
} block;

typedef struct link { // as tdi_link
    tdi_wmat3 turn;
    tdi_wvec3 b, w;
    tdi_wvec3 r; // of joints other than balls
    union {
        block inertia;
        struct {
            tdi_wvec3 gain[3], free, lower;
        };
    };
    union {
        wrench bias;
        twist accel;
    };
} link;

typedef struct ldl3 {
    tdi_wide l10, l20, l21;
    tdi_wide i0, i1, i2;
} ldl3;

typedef struct lanes { // the trees of a job that are worked on together
    const tdi_wide_job *job;
    const td_tree_model *m;
    const td_real *q, *v, *torque; // first lane of the first row
    td_real *accel;
    link *link; // entry -1 is the base
    tdi_wide *dense;
} lanes;

static inline tdi_wvec3 load3(const td_real *row) {
    tdi_wvec3 v = {tdi_wide_load(row), tdi_wide_load(row + ROW), tdi_wide_load(row + 2 * ROW)};
    return v;
}

// ---- root to tip: pose, rates, bias ---------------------------------------------------------

// The moment of a ball joint in the lanes of `mask`.
static __attribute__((noinline)) void moment_alone(td_spring_law law, const tdi_body *body,
                                                   const td_real *q, const td_real *v,
                                                   const tdi_mask *mask, tdi_wvec3 *t) {
    const td_real near[3] = {0, 0, 0}; // the rotation vector below half a turn
    for (int k = 0; k < TDI_LANES; k++) {
        if ((*mask)[k]) {
            const td_real q1[4] = {q[k], q[ROW + k], q[2 * ROW + k], q[3 * ROW + k]};
            const td_real v1[3] = {v[k], v[ROW + k], v[2 * ROW + k]};
            const td_vec3 one = tdi_ball_moment(law, body, q1, v1, near);
            t->x[k] = one.x;
            t->y[k] = one.y;
            t->z[k] = one.z;
        }
    }
}

// tdi_ball_series()
static inline tdi_wide ball_series(const td_real *terms, tdi_wide s) {
    tdi_wide s2 = s * s, sum = terms[TDI_BALL_TERMS - 2] + s * terms[TDI_BALL_TERMS - 1];
    for (int k = TDI_BALL_TERMS - 4; k >= 0; k -= 2) {
        sum = (terms[k] + s * terms[k + 1]) + s2 * sum;
    }
    return sum;
}

// tdi_ball_moment()
static inline tdi_wvec3 moment(td_spring_law law, const tdi_body *body, const td_real *row_q,
                               const td_real *row_v) {
    const td_vec3 k = body->stiffness, d = body->damping;
    const tdi_wvec3 rate = load3(row_v), u = load3(row_q + ROW);
    const tdi_wide w = tdi_wide_load(row_q), s = tdi_wdot(u, u);
    tdi_mask far = ~((s < TDI_BALL_NEAR) & (w > 0));
    const tdi_wide h = ball_series(tdi_half_terms, s), c = ball_series(tdi_along_terms, s);
    tdi_wvec3 cross = tdi_wcross(u, rate);
    tdi_wide along = c * tdi_wdot(u, rate);
    const tdi_wvec3 t = {k.x * (2 * h * u.x) + d.x * (h * (w * rate.x + cross.x) + along * u.x),
                         k.y * (2 * h * u.y) + d.y * (h * (w * rate.y + cross.y) + along * u.y),
                         k.z * (2 * h * u.z) + d.z * (h * (w * rate.z + cross.z) + along * u.z)};
    cross = tdi_wcross(u, t);
    along = c * tdi_wdot(u, t);
    tdi_wvec3 moment = {h * (cross.x - w * t.x) - along * u.x,
                        h * (cross.y - w * t.y) - along * u.y,
                        h * (cross.z - w * t.z) - along * u.z};
    far = law == TD_LAW_LINEAR ? far : ~(tdi_mask){0};
    if (tdi_mask_any(far)) {
        moment_alone(law, body, row_q, row_v, &far, &moment);
    }
    return moment;
}

// w, and what the body alone asks for less the torque on it
static inline void start_link(const tdi_body *body, tdi_wvec3 w, tdi_wvec3 torque, link *l) {
    const tdi_wsym3 s = tdi_wsym3_all(body->second);
    const tdi_wvec3 c = tdi_wvec3_all(body->moment);
    l->w = w;
    l->bias.n = tdi_wsub(tdi_wcross(tdi_wsym3_apply(&s, w), w), torque);
    l->bias.f = tdi_wcross(w, tdi_wcross(w, c));
}

static inline void start_ball(const lanes *s, int32_t i) {
    const td_tree_model *m = s->m;
    const tdi_body *body = &m->body[i];
    const td_real *q = s->q + ROW * m->coord[i], *v = s->v + ROW * m->dof[i];
    link *l = &s->link[i], *up = &s->link[m->parent[i]];
    tdi_wvec3 t = load3(s->torque + ROW * m->dof[i]);
    if (tdi_springy(body)) {
        t = tdi_wadd(t, moment(m->law, body, q, v));
    }
    const tdi_wvec3 up_w = up->w, r = tdi_wvec3_all(body->attach), u = load3(q + ROW);
    const tdi_wquat joint = {tdi_wide_load(q), u.x, u.y, u.z};
    const tdi_wmat3 turn = tdi_wmat3_from_quat(tdi_wquat_mul(body->rest, joint));
    l->turn = turn;
    l->b = tdi_wcross(up_w, tdi_wcross(up_w, r));
    start_link(body, tdi_wadd(tdi_wmat3_apply_t(&turn, up_w), load3(v)), t, l);
    // the torque acts back on what the joint hangs on
    up->bias.n = tdi_wadd(up->bias.n, tdi_wmat3_apply(&turn, t));
}

// As in aba.c, in the body's own axes.
static inline void own_columns(const tdi_body *body, td_joint_kind kind, const tdi_wmat3 *e,
                               twist *column) {
    const tdi_wvec3 none = tdi_wvec3_all(tdi_vec3(0, 0, 0));
    if (kind == TD_JOINT_HINGE) {
        column[0] = (twist){tdi_wvec3_all(body->axis), none};
    } else if (kind == TD_JOINT_SLIDE) {
        column[0] = (twist){none, tdi_wvec3_all(body->axis)};
    } else if (kind == TD_JOINT_FREE) {
        for (int k = 0; k < 3; k++) {
            column[k] = (twist){none, tdi_wmat3_row(e, k)};
            column[3 + k] = (twist){tdi_wvec3_all(tdi_vec3(k == 0, k == 1, k == 2)), none};
        }
    }
}

// Rotation and shift of a joint, lane by lane.
static void place_joint(const lanes *s, int32_t i, tdi_wquat *joint, tdi_wvec3 *slide) {
    const td_tree_model *m = s->m;
    const td_real *q = s->q + ROW * m->coord[i];
    int32_t count = m->coord[i + 1] - m->coord[i];
    for (int k = 0; k < TDI_LANES; k++) {
        td_real q1[7] = {0};
        td_quat turn;
        td_vec3 shift;
        for (int32_t c = 0; c < count; c++) {
            q1[c] = q[ROW * c + k];
        }
        tdi_joint_place(&m->body[i], (td_joint_kind)m->kind[i], q1, &turn, &shift);
        joint->w[k] = turn.w;
        joint->x[k] = turn.x;
        joint->y[k] = turn.y;
        joint->z[k] = turn.z;
        slide->x[k] = shift.x;
        slide->y[k] = shift.y;
        slide->z[k] = shift.z;
    }
}

// Leaves the torques of the joint in accel.
static void start_columns(const lanes *s, int32_t i) {
    const td_tree_model *m = s->m;
    const tdi_body *body = &m->body[i];
    const ptrdiff_t first = m->dof[i];
    const int32_t count = m->dof[i + 1] - m->dof[i];
    link *l = &s->link[i], *up = &s->link[m->parent[i]];
    tdi_wquat joint = {{0}, {0}, {0}, {0}};
    tdi_wvec3 slide = {{0}, {0}, {0}};
    twist column[6];
    place_joint(s, i, &joint, &slide);
    l->turn = tdi_wmat3_from_quat(tdi_wquat_mul(body->rest, joint));
    l->r = tdi_wadd(tdi_wvec3_all(body->attach), slide);
    own_columns(body, (td_joint_kind)m->kind[i], &l->turn, column);

    tdi_wvec3 w = tdi_wmat3_apply_t(&l->turn, up->w), shift = {{0}, {0}, {0}};
    for (int32_t k = 0; k < count; k++) {
        const tdi_wide v = tdi_wide_load(s->v + ROW * (first + k));
        tdi_wide t = tdi_wide_load(s->torque + ROW * (first + k));
        w = tdi_wmadd(w, column[k].w, v);
        shift = tdi_wmadd(shift, column[k].v, v);
        if (count == 1) {
            const tdi_wide q = tdi_wide_load(s->q + ROW * m->coord[i]);
            t -= body->stiffness.x * q + body->damping.x * v;
        }
        tdi_wide_store(s->accel + ROW * (first + k), t);
    }
    shift = tdi_wscale(tdi_wmat3_apply(&l->turn, shift), tdi_wide_all(2));
    l->b = tdi_wcross(up->w, tdi_wadd(tdi_wcross(up->w, l->r), shift));
    start_link(body, w, tdi_wvec3_all(tdi_vec3(0, 0, 0)), l);
}

static void sweep_start(const lanes *s) {
    const td_tree_model *m = s->m;
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            start_ball(s, i);
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            start_columns(s, i);
        }
    }
}

// ---- tip to root: ball joints ---------------------------------------------------------------

// Pivots below the floor are raised to it in the lanes of `mask`.
static __attribute__((noinline)) void factor_raised(const tdi_wsym3 *a, const tdi_wide *floor,
                                                    const tdi_mask *mask, ldl3 *f) {
    for (int k = 0; k < TDI_LANES; k++) {
        if ((*mask)[k]) {
            const td_sym3 one = {a->xx[k], a->yy[k], a->zz[k], a->xy[k], a->xz[k], a->yz[k]};
            tdi_ldl3 got;
            tdi_ldl3_factor(&got, &one, (*floor)[k]);
            f->l10[k] = got.l10;
            f->l20[k] = got.l20;
            f->l21[k] = got.l21;
            f->i0[k] = got.i0;
            f->i1[k] = got.i1;
            f->i2[k] = got.i2;
        }
    }
}

// A = L D L^T, with minors instead of pivots
static inline ldl3 factor(const tdi_wsym3 *a) {
    const tdi_wide floor = PIVOT_FLOOR * (a->xx + a->yy + a->zz) + 1e-300, d0 = a->xx;
    const tdi_wide m1 = d0 * a->yy - a->xy * a->xy, v = d0 * a->yz - a->xy * a->xz;
    const tdi_wide m2 = m1 * (d0 * a->zz - a->xz * a->xz) - v * v;
    const tdi_mask low = ~((d0 > floor) & (m1 > floor * d0) & (m2 > floor * (d0 * m1)));
    const tdi_wide i0 = 1 / d0, over = 1 / m1;
    ldl3 f = {a->xy * i0, a->xz * i0, v * over, i0, d0 * over, d0 * m1 / m2};
    if (tdi_mask_any(low)) {
        factor_raised(a, &floor, &low, &f);
    }
    return f;
}

// C - y g^T, symmetric because y and g are parallel
static inline tdi_wsym3 less_square(tdi_wsym3 c, tdi_wvec3 y, tdi_wvec3 g) {
    tdi_wsym3 left = {c.xx - y.x * g.x, c.yy - y.y * g.y, c.zz - y.z * g.z,
                      c.xy - y.x * g.y, c.xz - y.x * g.z, c.yz - y.y * g.z};
    return left;
}

// E C E^T
static inline tdi_wsym3 turned(const tdi_wmat3 *e, const tdi_wsym3 *c) {
    const tdi_wvec3 x = tdi_wmat3_row(e, 0), y = tdi_wmat3_row(e, 1), z = tdi_wmat3_row(e, 2);
    const tdi_wvec3 cx = tdi_wsym3_apply(c, x);
    const tdi_wide xx = tdi_wdot(x, cx), xy = tdi_wdot(y, cx), xz = tdi_wdot(z, cx);
    const tdi_wvec3 cy = tdi_wsym3_apply(c, y);
    const tdi_wide yy = tdi_wdot(y, cy), yz = tdi_wdot(z, cy);
    const tdi_wvec3 cz = tdi_wsym3_apply(c, z);
    tdi_wsym3 s = {xx, yy, tdi_wdot(z, cz), xy, xz, yz};
    return s;
}

// The mass C at a point r away: [r]x C [r]x^T, [r]x C, C
static inline void add_point_mass(block *to, const tdi_wsym3 *c, td_vec3 r) {
    tdi_wide *b = to->b.m;
    const tdi_wvec3 h = {r.y * c->xz - r.z * c->xy, r.y * c->yz - r.z * c->yy,
                         r.y * c->zz - r.z * c->yz};
    b[0] += h.x;
    b[1] += h.y;
    b[2] += h.z;
    to->a.xx += r.y * h.z - r.z * h.y;
    to->a.xy += r.z * h.x - r.x * h.z;
    to->a.xz += r.x * h.y - r.y * h.x;
    const tdi_wvec3 k = {r.z * c->xx - r.x * c->xz, r.z * c->xy - r.x * c->yz,
                         r.z * c->xz - r.x * c->zz};
    b[3] += k.x;
    b[4] += k.y;
    b[5] += k.z;
    to->a.yy += r.z * k.x - r.x * k.z;
    to->a.yz += r.x * k.y - r.y * k.x;
    const tdi_wvec3 n = {r.x * c->xy - r.y * c->xx, r.x * c->yy - r.y * c->xy,
                         r.x * c->yz - r.y * c->xz};
    b[6] += n.x;
    b[7] += n.y;
    b[8] += n.z;
    to->a.zz += r.x * n.y - r.y * n.x;
    to->c = tdi_wsym3_add(to->c, *c);
}

static inline void in_ball(const tdi_body *body, link *l, link *up) {
    const ldl3 d = factor(&l->inertia.a);
    const tdi_wmat3 *b = &l->inertia.b;

    // D^-1 y, where p_n already holds the torque
    const tdi_wide t0 = -l->bias.n.x;
    const tdi_wide t1 = -l->bias.n.y - d.l10 * t0;
    const tdi_wide t2 = -l->bias.n.z - d.l20 * t0 - d.l21 * t1;
    const tdi_wvec3 e = {d.i0 * t0, d.i1 * t1, d.i2 * t2};

    // row by row Y and D^-1 Y: C' = C - Y^T D^-1 Y, f = p_f + Y^T D^-1 y
    const tdi_wvec3 y0 = tdi_wmat3_row(b, 0), g0 = tdi_wscale(y0, d.i0);
    tdi_wsym3 c = less_square(l->inertia.c, y0, g0);
    tdi_wvec3 f = tdi_wmadd(l->bias.f, y0, e.x);
    const tdi_wvec3 y1 = tdi_wmadd(tdi_wmat3_row(b, 1), y0, -d.l10), g1 = tdi_wscale(y1, d.i1);
    c = less_square(c, y1, g1);
    f = tdi_wmadd(f, y1, e.y);
    const tdi_wvec3 y2 = tdi_wmadd(tdi_wmadd(tdi_wmat3_row(b, 2), y0, -d.l20), y1, -d.l21);
    const tdi_wvec3 g2 = tdi_wscale(y2, d.i2);
    c = less_square(c, y2, g2);
    f = tdi_wmadd(f, y2, e.z);
    l->gain[0] = g0;
    l->gain[1] = g1;
    l->gain[2] = g2;
    l->free = e;
    l->lower = (tdi_wvec3){d.l10, d.l20, d.l21};

    // in the parent's axes, where f also carries C' b
    c = turned(&l->turn, &c);
    f = tdi_wadd(tdi_wmat3_apply(&l->turn, f), tdi_wsym3_apply(&c, l->b));
    add_point_mass(&up->inertia, &c, body->attach);
    up->bias.n = tdi_wadd(up->bias.n, tdi_wcross(tdi_wvec3_all(body->attach), f));
    up->bias.f = tdi_wadd(up->bias.f, f);
}

// ---- tip to root: other joints --------------------------------------------------------------

static inline wrench block_apply(const block *m, const twist *t) {
    wrench w = {tdi_wadd(tdi_wsym3_apply(&m->a, t->w), tdi_wmat3_apply(&m->b, t->v)),
                tdi_wadd(tdi_wmat3_apply_t(&m->b, t->w), tdi_wsym3_apply(&m->c, t->v))};
    return w;
}

static inline tdi_wide pair(const wrench *w, const twist *t) {
    return tdi_wdot(w->n, t->w) + tdi_wdot(w->f, t->v);
}

// D = L diag(d) L^T of a k x k matrix, rows of 6, in place; the diagonal gets 1/d
static void factor_dense(tdi_wide *m, int32_t k) {
    tdi_wide trace = {0};
    for (int32_t i = 0; i < k; i++) {
        trace += m[7 * i];
    }
    tdi_wide floor = PIVOT_FLOOR * trace + 1e-300;
    for (int32_t j = 0; j < k; j++) {
        tdi_wide d = m[7 * j];
        for (int32_t h = 0; h < j; h++) {
            tdi_wide ld = m[6 * j + h];
            m[6 * j + h] *= m[7 * h];
            d -= ld * m[6 * j + h];
        }
        m[7 * j] = 1 / tdi_wide_select(d > floor, d, floor);
        for (int32_t i = j + 1; i < k; i++) {
            for (int32_t h = 0; h < j; h++) {
                m[6 * i + j] -= m[6 * i + h] * m[6 * j + h];
            }
        }
    }
}

static void solve_dense(const tdi_wide *m, int32_t k, tdi_wide *x) {
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
static inline void subtract_square(block *m, const wrench *u, tdi_wide over) {
    const tdi_wide n[3] = {u->n.x, u->n.y, u->n.z}, f[3] = {u->f.x, u->f.y, u->f.z};
    m->a = tdi_wsym3_add(m->a, tdi_wsym3_square(u->n, -over));
    m->c = tdi_wsym3_add(m->c, tdi_wsym3_square(u->f, -over));
    for (int k = 0; k < 9; k++) {
        m->b.m[k] -= over * n[k / 3] * f[k % 3];
    }
}

// E M E^T, block by block
static block block_turned(const tdi_wmat3 *e, const block *m) {
    block t = {turned(e, &m->a), {{{0}}}, turned(e, &m->c)};
    for (int j = 0; j < 3; j++) {
        tdi_wvec3 row = {{0}, {0}, {0}};
        for (int k = 0; k < 3; k++) {
            row = tdi_wmadd(row, tdi_wmat3_row(&m->b, k), e->m[3 * j + k]);
        }
        row = tdi_wmat3_apply(e, row);
        t.b.m[3 * j] = row.x;
        t.b.m[3 * j + 1] = row.y;
        t.b.m[3 * j + 2] = row.z;
    }
    return t;
}

// tdi_block_add()
static void block_add(block *to, const block *from, tdi_wvec3 r) {
    const tdi_wsym3 *c = &from->c;
    const tdi_wide shift[9] = {
        r.y * c->xz - r.z * c->xy, r.y * c->yz - r.z * c->yy, r.y * c->zz - r.z * c->yz,
        r.z * c->xx - r.x * c->xz, r.z * c->xy - r.x * c->yz, r.z * c->xz - r.x * c->zz,
        r.x * c->xy - r.y * c->xx, r.x * c->yy - r.y * c->xy, r.x * c->yz - r.y * c->xz};
    tdi_wmat3 both;
    for (int k = 0; k < 9; k++) {
        both.m[k] = from->b.m[k] + from->b.m[k] + shift[k];
        to->b.m[k] += from->b.m[k] + shift[k];
    }
    tdi_wvec3 x0 = tdi_wcross(r, tdi_wmat3_row(&both, 0));
    tdi_wvec3 x1 = tdi_wcross(r, tdi_wmat3_row(&both, 1));
    tdi_wvec3 x2 = tdi_wcross(r, tdi_wmat3_row(&both, 2));
    to->a.xx += from->a.xx + x0.x;
    to->a.yy += from->a.yy + x1.y;
    to->a.zz += from->a.zz + x2.z;
    to->a.xy += from->a.xy + 0.5 * (x1.x + x0.y);
    to->a.xz += from->a.xz + 0.5 * (x2.x + x0.z);
    to->a.yz += from->a.yz + 0.5 * (x2.y + x1.z);
    to->c = tdi_wsym3_add(to->c, from->c);
}

// What a body whose joint has one column at most hands on; u and `over` are those of the column.
static void hand_on(const lanes *s, int32_t i, const wrench *u, const twist *column,
                    tdi_wide over) {
    const td_tree_model *m = s->m;
    link *l = &s->link[i], *up = &s->link[m->parent[i]];
    wrench p = l->bias;
    block left = l->inertia;
    if (m->dof[i + 1] > m->dof[i]) {
        const tdi_wide torque = tdi_wide_load(s->accel + ROW * m->dof[i]);
        const tdi_wide x = over * (torque - pair(&l->bias, column));
        subtract_square(&left, u, over);
        p.n = tdi_wmadd(p.n, u->n, x);
        p.f = tdi_wmadd(p.f, u->f, x);
    }
    left = block_turned(&l->turn, &left);
    const twist b = {tdi_wcross(up->w, tdi_wmat3_apply(&l->turn, l->w)), l->b};
    const wrench mb = block_apply(&left, &b);
    p.n = tdi_wadd(tdi_wmat3_apply(&l->turn, p.n), mb.n);
    p.f = tdi_wadd(tdi_wmat3_apply(&l->turn, p.f), mb.f);
    block_add(&up->inertia, &left, l->r);
    up->bias.n = tdi_wadd(up->bias.n, tdi_wadd(p.n, tdi_wcross(l->r, p.f)));
    up->bias.f = tdi_wadd(up->bias.f, p.f);
}

static void in_columns(const lanes *s, int32_t i) {
    const td_tree_model *m = s->m;
    const int32_t count = m->dof[i + 1] - m->dof[i];
    tdi_wide *dense = s->dense + DENSE * (ptrdiff_t)m->other_place[i];
    const link *l = &s->link[i];
    twist column[6];
    wrench u = {{{0}, {0}, {0}}, {{0}, {0}, {0}}};
    own_columns(&m->body[i], (td_joint_kind)m->kind[i], &l->turn, column);
    for (int32_t a = 0; a < count; a++) {
        u = block_apply(&l->inertia, &column[a]);
        for (int32_t b = 0; b <= a; b++) {
            dense[6 * a + b] = pair(&u, &column[b]);
        }
    }
    factor_dense(dense, count);
    if (m->parent[i] != TD_NONE) {
        hand_on(s, i, &u, &column[0], dense[0]);
    }
}

// ---- tip to root: the sweep -----------------------------------------------------------------

// [J [c]x; [c]x^T m] of the body alone
static inline void own_inertia(const tdi_body *body, block *to) {
    tdi_mass mass = {body->mass, body->moment, body->second};
    const tdi_block own = tdi_mass_block(&mass);
    to->a = tdi_wsym3_all(own.a);
    for (int k = 0; k < 9; k++) {
        to->b.m[k] = tdi_wide_all(own.b.m[k]);
    }
    to->c = tdi_wsym3_all(own.c);
}

static inline void begin_inertia(const lanes *s, int32_t i) {
    const int32_t up = s->m->parent[i];
    if (s->job->leaf[i]) {
        own_inertia(&s->m->body[i], &s->link[i].inertia);
    }
    if (s->job->last_child[i] && up != TD_NONE) {
        own_inertia(&s->m->body[up], &s->link[up].inertia);
    }
}

static void sweep_in(const lanes *s) {
    const td_tree_model *m = s->m;
    for (int32_t k = m->run_count - 1; k >= 0; k--) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.last - 1; run.ball && i >= run.first; i--) {
            begin_inertia(s, i);
            in_ball(&m->body[i], &s->link[i], &s->link[m->parent[i]]);
        }
        for (int32_t i = run.last - 1; !run.ball && i >= run.first; i--) {
            begin_inertia(s, i);
            in_columns(s, i);
        }
    }
}

// ---- root to tip: accelerations -------------------------------------------------------------

// a = E^T (a_p + e_p x r + b)
static inline tdi_wvec3 origin_accel(const link *up, const link *l, tdi_wvec3 r) {
    tdi_wvec3 a = tdi_wadd(tdi_wadd(up->accel.v, l->b), tdi_wcross(up->accel.w, r));
    return tdi_wmat3_apply_t(&l->turn, a);
}

// e = L^-T (D^-1 y - D^-1 Y a); the joint's own part is e - E^T e_p - w_p x w, with w_p = w - v
static inline void out_ball(const tdi_body *body, const link *up, link *l, const td_real *v,
                            td_real *accel) {
    const tdi_wvec3 a = origin_accel(up, l, tdi_wvec3_all(body->attach));
    const tdi_wvec3 e_up = tdi_wmat3_apply_t(&l->turn, up->accel.w);
    const tdi_wvec3 gyro = tdi_wcross(l->w, load3(v));
    tdi_wvec3 e = {l->free.x - tdi_wdot(l->gain[0], a), l->free.y - tdi_wdot(l->gain[1], a),
                   l->free.z - tdi_wdot(l->gain[2], a)};
    e.y -= l->lower.z * e.z;
    e.x -= l->lower.x * e.y + l->lower.y * e.z;
    tdi_wide_store(accel, e.x - e_up.x - gyro.x);
    tdi_wide_store(accel + ROW, e.y - e_up.y - gyro.y);
    tdi_wide_store(accel + 2 * ROW, e.z - e_up.z - gyro.z);
    l->accel = (twist){e, a};
}

// D x = t - S^T (p + M (what the parent and the rates make))
static void out_columns(const lanes *s, int32_t i) {
    const td_tree_model *m = s->m;
    const ptrdiff_t first = m->dof[i];
    const int32_t count = m->dof[i + 1] - m->dof[i];
    link *l = &s->link[i];
    const link *up = &s->link[m->parent[i]];
    twist column[6];
    tdi_wide x[6];
    own_columns(&m->body[i], (td_joint_kind)m->kind[i], &l->turn, column);
    const tdi_wvec3 up_w = tdi_wmat3_apply_t(&l->turn, up->w);
    twist a = {tdi_wmat3_apply_t(&l->turn, up->accel.w), origin_accel(up, l, l->r)};
    a.w = tdi_wadd(a.w, tdi_wcross(up_w, l->w));
    wrench p = block_apply(&l->inertia, &a);
    p.n = tdi_wadd(p.n, l->bias.n);
    p.f = tdi_wadd(p.f, l->bias.f);
    for (int32_t k = 0; k < count; k++) {
        x[k] = tdi_wide_load(s->accel + ROW * (first + k)) - pair(&p, &column[k]);
    }
    solve_dense(s->dense + DENSE * (ptrdiff_t)m->other_place[i], count, x);
    for (int32_t k = 0; k < count; k++) {
        a.w = tdi_wmadd(a.w, column[k].w, x[k]);
        a.v = tdi_wmadd(a.v, column[k].v, x[k]);
        tdi_wide_store(s->accel + ROW * (first + k), x[k]);
    }
    l->accel = a;
}

static void sweep_out(const lanes *s) {
    const td_tree_model *m = s->m;
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            const ptrdiff_t d = ROW * m->dof[i];
            out_ball(&m->body[i], &s->link[m->parent[i]], &s->link[i], s->v + d, s->accel + d);
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            out_columns(s, i);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void forward(const tdi_wide_job *job) {
    link *base = job->links;
    for (int32_t lane = 0; lane < job->used; lane += TDI_LANES) {
        const lanes s = {job,           job->model,         job->q + lane,
                         job->v + lane, job->torque + lane, job->accel + lane,
                         base + 1,      job->dense};
        memset(base, 0, sizeof *base); // at rest
        sweep_start(&s);
        sweep_in(&s);
        // gravity enters as an upward acceleration of the base
        base->accel = (twist){tdi_wvec3_all(tdi_vec3(0, 0, 0)),
                              tdi_wvec3_all(tdi_sub(tdi_vec3(0, 0, 0), job->gravity))};
        sweep_out(&s);
    }
}
