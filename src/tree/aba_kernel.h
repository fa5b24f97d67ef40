// SPDX-License-Identifier: MIT
// The sweeps of forward dynamics, over TDI_LANES trees of one shape at once.
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
// Lanes    a tree a lane, every lane with the bits of a tree alone. Where a choice is made by value
//          a lane that chooses otherwise is worked out alone, by scalar code; so are sines and
//          cosines.
// Memory   links of many lanes are large, so that less is kept in them: a body's own inertia is put
//          in place just before its first child on the way to the root, the last in the tree's
//          order, adds to it, and the arm of a ball joint is read from the body.
//
// Included once by each file that sets TDI_LANES: aba.c for a tree alone, aba_wide_*.c.

#include "tree/aba_wide.h"
#include "tree/dynamics.h"
#include "tree/joint_wide.h"

#define PIVOT_FLOOR 1e-13 // over the trace: below this a pivot is noise

#if TDI_LANES == 1
#define ROW ((ptrdiff_t)1)
typedef tdi_other other;
#else
#define ROW ((ptrdiff_t)TDI_BLOCK)
typedef struct other { // what joints other than balls need: factors, in rows of 6
    tdi_wide dense[36];
} other;
#endif

typedef struct trees { // that are worked on together
    const tdi_tree_model *m;
    const td_real *q, *v, *torque; // first lane of the first row; torque may be NULL: none
    const td_real *near;           // a degree of freedom: angles of before; of a tree alone
    td_real *accel;
    tdi_wlink *link; // entry -1 is the base
    other *other;
    const bool *last_child, *leaf; // as in tdi_wide_job; of many lanes alone
} trees;

// Where a body hangs on its parent; ball joints only.
static inline tdi_wvec3 arm(const tdi_body *body, const tdi_wlink *l) {
    return TDI_LANES == 1 ? l->r : tdi_wvec3_all(body->attach);
}

static inline tdi_wvec3 load3(const td_real *row) {
    tdi_wvec3 v = {tdi_wide_load(row), tdi_wide_load(row + ROW), tdi_wide_load(row + 2 * ROW)};
    return v;
}

// ---- root to tip: pose, rates, bias ---------------------------------------------------------

// Each lane by the scalar code.
static __attribute__((noinline)) tdi_wvec3 moment_apart(td_spring_law law, const tdi_body *body,
                                                        const td_real *q, const td_real *v,
                                                        const td_real *near) {
    const td_real none[3] = {0, 0, 0}; // the rotation vector below half a turn
    tdi_wvec3 t = tdi_wvec3_zero();
    for (int k = 0; k < TDI_LANES; k++) {
        const td_real q1[4] = {q[k], q[ROW + k], q[2 * ROW + k], q[3 * ROW + k]};
        const td_real v1[3] = {v[k], v[ROW + k], v[2 * ROW + k]};
        // a tree alone is bent far, or it would not be here
        tdi_wvec3_set(&t, k,
                      TDI_LANES == 1 ? tdi_ball_moment_any(law, body, q1, v1, near)
                                     : tdi_ball_moment(law, body, q1, v1, none));
    }
    return t;
}

// tdi_ball_moment()
static inline tdi_wvec3 moment(td_spring_law law, const tdi_body *body, const td_real *q,
                               const td_real *v, const td_real *near) {
    const tdi_wvec3 u = load3(q + ROW);
    const tdi_wide w = tdi_wide_load(q), s = tdi_wdot(u, u);
    if (law != TD_LAW_LINEAR || tdi_mask_any(tdi_mask_not((s < TDI_BALL_NEAR) & (w > 0)))) {
        return moment_apart(law, body, q, v, near);
    }
    return tdi_wball_moment_near(body, w, u, load3(v));
}

// [J [c]x; [c]x^T m] of the body alone
static inline void own_inertia(const tdi_body *body, tdi_wblock *to) {
    const tdi_mass mass = {body->mass, body->moment, body->second};
    const tdi_block own = tdi_mass_block(&mass);
    tdi_wblock_fill(to, &own);
}

// w, and what the body alone asks for less the torque on it
static inline void start_link(const tdi_body *body, tdi_wvec3 w, tdi_wvec3 torque, tdi_wlink *l) {
    const tdi_wmass mass = {tdi_wide_all(body->mass), tdi_wvec3_all(body->moment),
                            tdi_wsym3_all(body->second)};
    const tdi_wwrench bias = tdi_wmass_bias(&mass, w);
    l->w = w;
    if (TDI_LANES == 1) {
        own_inertia(body, &l->inertia);
    }
    l->bias = (tdi_wwrench){tdi_wsub(bias.n, torque), bias.f};
}

static inline void start_ball(const trees *s, int32_t i) {
    const tdi_tree_model *m = s->m;
    const tdi_body *body = &m->body[i];
    const int32_t d = m->dof[i];
    const td_real *q = s->q + ROW * m->coord[i], *v = s->v + ROW * d;
    tdi_wlink *l = &s->link[i], *up = &s->link[m->parent[i]];
    tdi_wvec3 t = s->torque ? load3(s->torque + ROW * d) : tdi_wvec3_zero();
    if (tdi_springy(body)) {
        t = tdi_wadd(t, moment(m->law, body, q, v, TDI_LANES == 1 ? s->near + d : NULL));
    }
    const tdi_wvec3 up_w = up->w, r = tdi_wvec3_all(body->attach), u = load3(q + ROW);
    const tdi_wquat joint = {tdi_wide_load(q), u.x, u.y, u.z};
    const tdi_wmat3 turn = tdi_wmat3_from_quat(tdi_wquat_mul(tdi_wquat_all(body->rest), joint));
    l->turn = turn;
    if (TDI_LANES == 1) {
        l->r = r;
    }
    l->b = tdi_wcross(up_w, tdi_wcross(up_w, r));
    start_link(body, tdi_wadd(tdi_wmat3_apply_t(&turn, up_w), load3(v)), t, l);
    // the torque acts back on what the joint hangs on
    up->bias.n = tdi_wadd(up->bias.n, tdi_wmat3_apply(&turn, t));
}

// Columns in the body's own axes; a free joint shifts along the base's, which are the rows of E.
static inline void own_columns(const tdi_body *body, td_joint_kind kind, const tdi_wmat3 *e,
                               tdi_wtwist *column) {
    const tdi_wvec3 none = tdi_wvec3_zero();
    if (kind == TD_JOINT_HINGE) {
        column[0] = (tdi_wtwist){tdi_wvec3_all(body->axis), none};
    } else if (kind == TD_JOINT_SLIDE) {
        column[0] = (tdi_wtwist){none, tdi_wvec3_all(body->axis)};
    } else if (kind == TD_JOINT_FREE) {
        for (int k = 0; k < 3; k++) {
            column[k] = (tdi_wtwist){none, tdi_wmat3_row(e, k)};
            column[3 + k] = (tdi_wtwist){tdi_wvec3_all(tdi_vec3(k == 0, k == 1, k == 2)), none};
        }
    }
}

// Rotation and shift of a joint, lane by lane.
static void place_joint(const trees *s, int32_t i, tdi_wquat *joint, tdi_wvec3 *slide) {
    const tdi_tree_model *m = s->m;
    const td_real *q = s->q + ROW * m->coord[i];
    int32_t count = m->coord[i + 1] - m->coord[i];
    for (int k = 0; k < TDI_LANES; k++) {
        td_real q1[7] = {0};
        td_quat turn;
        td_vec3 shift;
        for (int32_t c = 0; c < count; c++) {
            q1[c] = q[ROW * c + k];
        }
        tdi_joint_transform(&m->body[i], (td_joint_kind)m->kind[i], q1, &turn, &shift);
        tdi_wide_set(&joint->w, k, turn.w);
        tdi_wide_set(&joint->x, k, turn.x);
        tdi_wide_set(&joint->y, k, turn.y);
        tdi_wide_set(&joint->z, k, turn.z);
        tdi_wvec3_set(slide, k, shift);
    }
}

// Leaves the torques of the joint in accel.
static void start_columns(const trees *s, int32_t i) {
    const tdi_tree_model *m = s->m;
    const tdi_body *body = &m->body[i];
    const ptrdiff_t first = m->dof[i];
    const int32_t count = m->dof[i + 1] - m->dof[i];
    tdi_wlink *l = &s->link[i], *up = &s->link[m->parent[i]];
    tdi_wquat joint = tdi_wquat_all(tdi_quat_identity());
    tdi_wvec3 slide = tdi_wvec3_zero();
    tdi_wtwist column[6];
    place_joint(s, i, &joint, &slide);
    l->turn = tdi_wmat3_from_quat(tdi_wquat_mul(tdi_wquat_all(body->rest), joint));
    l->r = tdi_wadd(tdi_wvec3_all(body->attach), slide);
    own_columns(body, (td_joint_kind)m->kind[i], &l->turn, column);

    tdi_wvec3 w = tdi_wmat3_apply_t(&l->turn, up->w), shift = tdi_wvec3_zero();
    for (int32_t k = 0; k < count; k++) {
        const tdi_wide v = tdi_wide_load(s->v + ROW * (first + k));
        tdi_wide t = s->torque ? tdi_wide_load(s->torque + ROW * (first + k)) : tdi_wide_all(0);
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
    start_link(body, w, tdi_wvec3_zero(), l);
}

static void sweep_start(const trees *s) {
    const tdi_tree_model *m = s->m;
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
                                                    const tdi_mask *mask, tdi_wldl3 *f) {
    for (int k = 0; k < TDI_LANES; k++) {
        if (tdi_mask_get(mask, k)) {
            const td_sym3 one = tdi_wsym3_get(a, k);
            tdi_ldl3 got;
            tdi_ldl3_factor(&got, &one, tdi_wide_get(floor, k));
            tdi_wide_set(&f->l10, k, got.l10);
            tdi_wide_set(&f->l20, k, got.l20);
            tdi_wide_set(&f->l21, k, got.l21);
            tdi_wide_set(&f->i0, k, got.i0);
            tdi_wide_set(&f->i1, k, got.i1);
            tdi_wide_set(&f->i2, k, got.i2);
        }
    }
}

// A = L D L^T, with minors instead of pivots, so that no division waits for another:
//   d0 = xx, d1 = m1/xx, d2 = m2/(xx m1)
static inline tdi_wldl3 factor(const tdi_wsym3 *a) {
    const tdi_wide floor = PIVOT_FLOOR * (a->xx + a->yy + a->zz) + 1e-300, d0 = a->xx;
    const tdi_wide m1 = d0 * a->yy - a->xy * a->xy, v = d0 * a->yz - a->xy * a->xz;
    const tdi_wide m2 = m1 * (d0 * a->zz - a->xz * a->xz) - v * v;
    const tdi_mask low = tdi_mask_not((d0 > floor) & (m1 > floor * d0) & (m2 > floor * (d0 * m1)));
    const tdi_wide i0 = 1 / d0, over = 1 / m1;
    tdi_wldl3 f = {a->xy * i0, a->xz * i0, v * over, i0, d0 * over, d0 * m1 / m2};
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

static inline void in_ball(const tdi_body *body, tdi_wlink *l, tdi_wlink *up) {
    const tdi_wldl3 d = factor(&l->inertia.a);
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
    if (TDI_LANES == 1) {
        l->inverse = (tdi_wvec3){d.i0, d.i1, d.i2};
    }

    // in the parent's axes, where f also carries C' b
    c = turned(&l->turn, &c);
    f = tdi_wadd(tdi_wmat3_apply(&l->turn, f), tdi_wsym3_apply(&c, l->b));
    const tdi_wvec3 r = arm(body, l);
    tdi_wblock_add_point(&up->inertia, &c, r);
    up->bias.n = tdi_wadd(up->bias.n, tdi_wcross(r, f));
    up->bias.f = tdi_wadd(up->bias.f, f);
}

// ---- tip to root: other joints --------------------------------------------------------------

// D = L diag(d) L^T of a k x k matrix, rows of 6, in place; the diagonal gets 1/d
static void factor_dense(tdi_wide *m, int32_t k) {
    tdi_wide trace = tdi_wide_all(0);
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
static inline void subtract_square(tdi_wblock *m, const tdi_wwrench *u, tdi_wide over) {
    const tdi_wide n[3] = {u->n.x, u->n.y, u->n.z}, f[3] = {u->f.x, u->f.y, u->f.z};
    m->a = tdi_wsym3_add(m->a, tdi_wsym3_square(u->n, -over));
    m->c = tdi_wsym3_add(m->c, tdi_wsym3_square(u->f, -over));
    for (int k = 0; k < 9; k++) {
        m->b.m[k] -= over * n[k / 3] * f[k % 3];
    }
}

// E M E^T, tdi_wblock by block
static tdi_wblock block_turned(const tdi_wmat3 *e, const tdi_wblock *m) {
    tdi_wblock t;
    t.a = turned(e, &m->a);
    t.c = turned(e, &m->c);
    for (int j = 0; j < 3; j++) {
        tdi_wvec3 row = tdi_wvec3_zero();
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

// What a body whose joint has one column at most hands on; u and `over` are those of the column:
//   M' = M - u u^T/d, p' = p + u (t - s.p)/d + M' (w_p x w, b)
static void hand_on(const trees *s, int32_t i, const tdi_wwrench *u, const tdi_wtwist *column,
                    tdi_wide over) {
    const tdi_tree_model *m = s->m;
    tdi_wlink *l = &s->link[i], *up = &s->link[m->parent[i]];
    tdi_wwrench p = l->bias;
    tdi_wblock left = l->inertia;
    if (m->dof[i + 1] > m->dof[i]) {
        const tdi_wide torque = tdi_wide_load(s->accel + ROW * m->dof[i]);
        const tdi_wide x = over * (torque - tdi_wpower(&l->bias, column));
        subtract_square(&left, u, over);
        p.n = tdi_wmadd(p.n, u->n, x);
        p.f = tdi_wmadd(p.f, u->f, x);
    }
    left = block_turned(&l->turn, &left);
    const tdi_wtwist b = {tdi_wcross(up->w, tdi_wmat3_apply(&l->turn, l->w)), l->b};
    const tdi_wwrench mb = tdi_wblock_apply(&left, &b);
    p.n = tdi_wadd(tdi_wmat3_apply(&l->turn, p.n), mb.n);
    p.f = tdi_wadd(tdi_wmat3_apply(&l->turn, p.f), mb.f);
    tdi_wblock_add(&up->inertia, &left, l->r);
    tdi_wwrench_add(&up->bias, &p, l->r);
}

// D = S^T M S. The base feels nothing, and a free joint hangs on the base, so that joints which
// hand on have one column at most.
static void in_columns(const trees *s, int32_t i) {
    const tdi_tree_model *m = s->m;
    const int32_t count = m->dof[i + 1] - m->dof[i];
    tdi_wide *dense = s->other[m->other_place[i]].dense;
    const tdi_wlink *l = &s->link[i];
    tdi_wtwist column[6];
    tdi_wwrench u = {tdi_wvec3_zero(), tdi_wvec3_zero()};
    own_columns(&m->body[i], (td_joint_kind)m->kind[i], &l->turn, column);
    for (int32_t a = 0; a < count; a++) {
        u = tdi_wblock_apply(&l->inertia, &column[a]);
        for (int32_t b = 0; b <= a; b++) {
            dense[6 * a + b] = tdi_wpower(&u, &column[b]);
        }
    }
    factor_dense(dense, count);
    if (m->parent[i] != TD_NONE) {
        hand_on(s, i, &u, &column[0], dense[0]);
    }
}

// ---- tip to root: the sweep -----------------------------------------------------------------

// Puts inertia in place that start_link() has not.
static inline void begin_inertia(const trees *s, int32_t i) {
    const int32_t up = s->m->parent[i];
    if (TDI_LANES == 1) {
        return;
    }
    if (s->leaf[i]) {
        own_inertia(&s->m->body[i], &s->link[i].inertia);
    }
    if (s->last_child[i] && up != TD_NONE) {
        own_inertia(&s->m->body[up], &s->link[up].inertia);
    }
}

static void sweep_in(const trees *s) {
    const tdi_tree_model *m = s->m;
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
static inline tdi_wvec3 origin_accel(const tdi_wlink *up, const tdi_wlink *l, tdi_wvec3 r) {
    tdi_wvec3 a = tdi_wadd(tdi_wadd(up->accel.v, l->b), tdi_wcross(up->accel.w, r));
    return tdi_wmat3_apply_t(&l->turn, a);
}

// e = L^-T (D^-1 y - D^-1 Y a); the joint's own part is e - E^T e_p - w_p x w, with w_p = w - v
static inline void out_ball(const tdi_body *body, const tdi_wlink *up, tdi_wlink *l,
                            const td_real *v, td_real *accel) {
    const tdi_wvec3 a = origin_accel(up, l, arm(body, l));
    const tdi_wvec3 e_up = tdi_wmat3_apply_t(&l->turn, up->accel.w);
    const tdi_wvec3 gyro = tdi_wcross(l->w, load3(v));
    tdi_wvec3 e = {l->free.x - tdi_wdot(l->gain[0], a), l->free.y - tdi_wdot(l->gain[1], a),
                   l->free.z - tdi_wdot(l->gain[2], a)};
    e.y -= l->lower.z * e.z;
    e.x -= l->lower.x * e.y + l->lower.y * e.z;
    tdi_wide_store(accel, e.x - e_up.x - gyro.x);
    tdi_wide_store(accel + ROW, e.y - e_up.y - gyro.y);
    tdi_wide_store(accel + 2 * ROW, e.z - e_up.z - gyro.z);
    l->accel = (tdi_wtwist){e, a};
}

// D x = t - S^T (p + M (what the parent and the rates make))
static void out_columns(const trees *s, int32_t i) {
    const tdi_tree_model *m = s->m;
    const ptrdiff_t first = m->dof[i];
    const int32_t count = m->dof[i + 1] - m->dof[i];
    tdi_wlink *l = &s->link[i];
    const tdi_wlink *up = &s->link[m->parent[i]];
    tdi_wtwist column[6];
    tdi_wide x[6];
    own_columns(&m->body[i], (td_joint_kind)m->kind[i], &l->turn, column);
    const tdi_wvec3 up_w = tdi_wmat3_apply_t(&l->turn, up->w);
    tdi_wtwist a = {tdi_wmat3_apply_t(&l->turn, up->accel.w), origin_accel(up, l, l->r)};
    a.w = tdi_wadd(a.w, tdi_wcross(up_w, l->w));
    tdi_wwrench p = tdi_wblock_apply(&l->inertia, &a);
    p.n = tdi_wadd(p.n, l->bias.n);
    p.f = tdi_wadd(p.f, l->bias.f);
    for (int32_t k = 0; k < count; k++) {
        x[k] = tdi_wide_load(s->accel + ROW * (first + k)) - tdi_wpower(&p, &column[k]);
    }
    solve_dense(s->other[m->other_place[i]].dense, count, x);
    for (int32_t k = 0; k < count; k++) {
        a.w = tdi_wmadd(a.w, column[k].w, x[k]);
        a.v = tdi_wmadd(a.v, column[k].v, x[k]);
        tdi_wide_store(s->accel + ROW * (first + k), x[k]);
    }
    l->accel = a;
}

static void sweep_out(const trees *s) {
    const tdi_tree_model *m = s->m;
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
