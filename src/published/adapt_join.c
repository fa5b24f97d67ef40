// SPDX-License-Identifier: MIT
// One node of the assembly tree: how its joint joins A and B.
//
// With X from the frame of the joint at A to that of the joint's body, M = X phi_A X^T + phi_B at
// the joint, S the axes of the joint and T those square to them, forces f_h on the node's handles:
//   G_h = -X phi_A(c,h) of A's, phi_B(0,h) of B's
//   W = T (T^T M T)^-1 T^T,   U = S^T (1 - M W),   D = S^T M U^T
//   beta = X b_A + rates - b_B,   gamma = W beta + U^T Q,   R = D Q - U beta
//   f = gamma - W sum G_h f_h,   qdd = R + U sum G_h f_h
//   phi_C(h,k) = phi(h,k) - G_h^T W G_k,   b_C(h) = b(h) + G_h^T gamma
// which is Featherstone's with V = M^-1, V S (S^T V S)^-1 = U^T, but needs no inverse of M: a ball
// joint inverts a 3x3 block, and a joint whose V is singular is as good as any.

#include "published/adapt.h"

#include "tree/joint.h"

#include <string.h>

// ---- rigid bodies ---------------------------------------------------------------------------

#define NO_INERTIA  1e-14 // over the trace
#define PIVOT_FLOOR 1e-13 // over the diagonal: below this a pivot is noise

static bool inverse_about(const tdi_mass *b, const td_sym3 *central, tdi_six2 *phi) {
    const td_vec3 p = tdi_scale(b->c, 1 / b->m);
    const td_sym3 j = tdi_sym3_inertia(*central);
    tdi_ldl3 f;
    if (tdi_ldl3_factor(&f, &j, NO_INERTIA * (j.xx + j.yy + j.zz))) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        const td_vec3 e = tdi_vec3(k == 0, k == 1, k == 2);
        const td_vec3 turn = tdi_ldl3_solve(&f, e);                              // of a moment
        const td_vec3 push = tdi_ldl3_solve(&f, tdi_scale(tdi_cross(p, e), -1)); // of a force
        const tdi_six by_moment = tdi_six_of(turn, tdi_cross(p, turn));
        const tdi_six by_force = tdi_six_of(push, tdi_madd(tdi_cross(p, push), e, 1 / b->m));
        for (int i = 0; i < 6; i++) {
            phi->a[6 * i + k] = by_moment.a[i];
            phi->a[6 * i + 3 + k] = by_force.a[i];
        }
    }
    return true;
}

static td_sym3 central_of(const tdi_mass *b) { // second moment about the centre of mass
    return tdi_sym3_add(b->s, tdi_sym3_square(b->c, -1 / b->m));
}

bool tdi_mass_inverse(const tdi_mass *b, tdi_six2 *phi) {
    const td_sym3 central = central_of(b);
    return b->m > 0 && inverse_about(b, &central, phi);
}

static tdi_mass mass_of(const td_adapt *s, int32_t child) {
    if (tdi_is_node(child)) {
        return s->node[child].mass;
    }
    const tdi_body *b = &s->model->body[~child];
    return (tdi_mass){b->mass, b->moment, b->second};
}

static td_sym3 child_central(const td_adapt *s, int32_t child, const tdi_mass *mass) {
    return tdi_is_node(child) ? s->node[child].central : central_of(mass);
}

// The second moment about the common centre is the sum of those about the own ones and, of the
// distance d between them, m_A m_B/(m_A + m_B) d d^T: nothing cancels.
void tdi_node_mass(td_adapt *s, int32_t i) {
    tdi_adapt_node *n = &s->node[i];
    const int32_t first = s->tree[i].a, second = s->tree[i].b;
    const tdi_mass a = mass_of(s, first), own = mass_of(s, second);
    const tdi_mass b = tdi_hop_mass(&n->to_b, &own);
    const td_sym3 of_a = child_central(s, first, &a), of_b = child_central(s, second, &own);
    const td_vec3 d = tdi_sub(tdi_scale(a.c, 1 / a.m), tdi_scale(b.c, 1 / b.m));
    n->mass = (tdi_mass){a.m + b.m, tdi_add(a.c, b.c), tdi_sym3_add(a.s, b.s)};
    n->central = tdi_sym3_add(tdi_sym3_add(of_a, tdi_sym3_turn(&n->to_b.turn, &of_b)),
                              tdi_sym3_square(d, a.m * b.m / n->mass.m));
}

void tdi_node_stiff(td_adapt *s, int32_t i) {
    tdi_adapt_node *n = &s->node[i];
    inverse_about(&n->mass, &n->central, &n->hybrid.of[0]);
    if (s->tree[i].handles == 2) {
        n->hybrid.of[1] = tdi_hop_rows(&n->hybrid.of[0], &n->to_end);
        n->hybrid.of[2] = tdi_hop_both(&n->hybrid.of[0], &n->to_end);
    }
}

// ---- places and twists ----------------------------------------------------------------------

void tdi_joint_axes(const td_adapt *s, int32_t i, tdi_six *axis) {
    const tdi_body *body = &s->model->body[i];
    const td_vec3 none = {0, 0, 0};
    const tdi_mat3 *e = &s->node[i].joint.turn;
    switch ((td_joint_kind)s->model->kind[i]) {
    case TD_JOINT_BALL:
        for (int k = 0; k < 3; k++) {
            axis[k] = tdi_six_of(tdi_vec3(k == 0, k == 1, k == 2), none);
        }
        break;
    case TD_JOINT_HINGE: axis[0] = tdi_six_of(body->axis, none); break;
    case TD_JOINT_SLIDE: axis[0] = tdi_six_of(none, body->axis); break;
    case TD_JOINT_FREE:
        for (int k = 0; k < 3; k++) {
            axis[k] = tdi_six_of(none, tdi_mat3_row(e, k));
            axis[3 + k] = tdi_six_of(tdi_vec3(k == 0, k == 1, k == 2), none);
        }
        break;
    case TD_JOINT_FIXED: break;
    }
}

static tdi_six joint_twist(const td_adapt *s, int32_t i) { // S qd
    tdi_six axis[6], sum = {{0, 0, 0, 0, 0, 0}};
    const td_real *v = s->state->v + s->model->dof[i];
    tdi_joint_axes(s, i, axis);
    for (int32_t k = 0; k < tdi_joint_dofs(s, i); k++) {
        tdi_six_add(&sum, &axis[k], v[k]);
    }
    return sum;
}

void tdi_node_place(td_adapt *s, int32_t i) {
    const tdi_assembly_node *t = &s->tree[i];
    const tdi_tree_model *m = s->model;
    tdi_adapt_node *n = &s->node[i];
    td_quat turn;
    td_vec3 slide;
    tdi_joint_transform(&m->body[i], (td_joint_kind)m->kind[i], s->state->q + m->coord[i], &turn,
                        &slide);
    n->joint.turn = tdi_mat3_from_quat(tdi_quat_mul(m->body[i].rest, turn));
    n->joint.r = tdi_add(m->body[i].attach, slide);
    n->to_b = t->via ? tdi_hop_on(&s->node[t->a].to_end, &n->joint) : n->joint;
    if (t->handles == 2) {
        n->to_end = t->end.side == 0     ? s->node[t->a].to_end
                    : t->end.handle == 0 ? n->to_b
                                         : tdi_hop_on(&n->to_b, &s->node[t->b].to_end);
    }
}

void tdi_node_relative(td_adapt *s, int32_t i) {
    const tdi_assembly_node *t = &s->tree[i];
    tdi_adapt_node *n = &s->node[i];
    n->b_extra = joint_twist(s, i);
    if (t->via) {
        const tdi_six carried = tdi_hop_motion(&n->joint, &s->node[t->a].end_extra);
        tdi_six_add(&n->b_extra, &carried, 1);
    }
    if (t->handles < 2) {
        return;
    }
    if (t->end.side == 0) {
        n->end_extra = s->node[t->a].end_extra;
    } else if (t->end.handle == 0) {
        n->end_extra = n->b_extra;
    } else {
        n->end_extra = tdi_hop_motion(&s->node[t->b].to_end, &n->b_extra);
        tdi_six_add(&n->end_extra, &s->node[t->b].end_extra, 1);
    }
}

void tdi_node_carry(td_adapt *s, int32_t i) {
    const tdi_assembly_node *t = &s->tree[i];
    tdi_adapt_node *n = &s->node[i];
    n->b_rate = tdi_hop_motion(&n->to_b, &n->top_rate);
    tdi_six_add(&n->b_rate, &n->b_extra, 1);
    if (tdi_is_node(t->a)) {
        s->node[t->a].top_rate = n->top_rate;
    }
    if (tdi_is_node(t->b)) {
        s->node[t->b].top_rate = n->b_rate;
    }
}

// With u the turning rate of what carries the joint and s that of the joint, both in the axes of
// its body: turning u x s; linear u x (u x r) + 2 u x shift.
tdi_six tdi_node_rates(const td_adapt *s, int32_t i) {
    const tdi_adapt_node *n = &s->node[i];
    const tdi_six own = joint_twist(s, i);
    const td_vec3 turn = tdi_six_angular(&own), shift = tdi_six_linear(&own);
    const td_vec3 u = tdi_sub(tdi_six_angular(&n->b_rate), turn);
    const td_vec3 r = tdi_mat3_apply_t(&n->joint.turn, n->joint.r);
    const td_vec3 swing = tdi_add(tdi_cross(u, r), tdi_scale(shift, 2));
    return tdi_six_of(tdi_cross(u, turn), tdi_cross(u, swing));
}

// ---- what the joint leaves free -------------------------------------------------------------

// Axes square to those of the joint. Returns how many.
static int square_axes(const td_adapt *s, int32_t i, tdi_six *axis) {
    const td_vec3 none = {0, 0, 0}, a = s->model->body[i].axis;
    const td_joint_kind kind = (td_joint_kind)s->model->kind[i];
    // any vector that is not along the axis
    const bool flat = fabs(a.x) < 0.6;
    const td_vec3 other = tdi_vec3(flat, !flat, 0);
    td_vec3 p = tdi_cross(a, other);
    p = tdi_scale(p, 1 / tdi_norm(p));
    const td_vec3 pair[2] = {p, tdi_cross(a, p)};
    int count = 0;
    for (int k = 0; k < 3 && kind != TD_JOINT_BALL; k++) {
        const td_vec3 e = tdi_vec3(k == 0, k == 1, k == 2);
        if (kind != TD_JOINT_HINGE || k < 2) {
            axis[count++] = tdi_six_of(kind == TD_JOINT_HINGE ? pair[k] : e, none);
        }
    }
    for (int k = 0; k < 3; k++) {
        const td_vec3 e = tdi_vec3(k == 0, k == 1, k == 2);
        if (kind != TD_JOINT_SLIDE || k < 2) {
            axis[count++] = tdi_six_of(none, kind == TD_JOINT_SLIDE ? pair[k] : e);
        }
    }
    return count;
}

// A = L L^T of n rows of 6, the diagonal inverted; then W = Y^T Y, L Y = T^T.
static tdi_six2 inverse_on(const tdi_six2 *m, const tdi_six *t, int n) {
    td_real a[36];
    tdi_six y[6];
    tdi_six2 w = {{0}};
    for (int j = 0; j < n; j++) {
        const tdi_six mt = tdi_six_apply_t(m, &t[j]);
        for (int k = j; k < n; k++) {
            a[6 * k + j] = tdi_six_dot(t[k].a, mt.a);
        }
    }
    for (int j = 0; j < n; j++) {
        const td_real floor = PIVOT_FLOOR * a[7 * j];
        y[j] = t[j];
        for (int h = 0; h < j; h++) {
            a[7 * j] -= a[6 * j + h] * a[6 * j + h];
            tdi_six_add(&y[j], &y[h], -a[6 * j + h]);
        }
        const td_real scale = 1 / sqrt(a[7 * j] > floor ? a[7 * j] : floor);
        a[7 * j] = scale;
        for (int k = j + 1; k < n; k++) {
            for (int h = 0; h < j; h++) {
                a[6 * k + j] -= a[6 * k + h] * a[6 * j + h];
            }
            a[6 * k + j] *= scale;
        }
        for (int c = 0; c < 6; c++) {
            y[j].a[c] *= scale;
        }
    }
    for (int j = 0; j < n; j++) {
        for (int r = 0; r < 6; r++) {
            for (int c = 0; c < 6; c++) {
                w.a[6 * r + c] += y[j].a[r] * y[j].a[c];
            }
        }
    }
    return w;
}

// Of a ball joint W has one block, C^-1 of M = [A B; B^T C].
static tdi_six2 inverse_ball(const tdi_six2 *m) {
    const td_real *a = m->a;
    const td_sym3 c = {a[21], a[28], a[35], a[22], a[23], a[29]};
    tdi_six2 w = {{0}};
    tdi_ldl3 f;
    tdi_ldl3_factor(&f, &c, PIVOT_FLOOR * (c.xx + c.yy + c.zz));
    for (int k = 0; k < 3; k++) {
        const td_vec3 x = tdi_ldl3_solve(&f, tdi_vec3(k == 0, k == 1, k == 2));
        w.a[18 + 3 + k] = x.x;
        w.a[24 + 3 + k] = x.y;
        w.a[30 + 3 + k] = x.z;
    }
    return w;
}

// W, U and D of the joint.
static void split(const td_adapt *s, int32_t i, const tdi_six2 *m, tdi_join *with) {
    tdi_six axis[6], square[6];
    const int32_t dofs = tdi_joint_dofs(s, i);
    tdi_joint_axes(s, i, axis);
    if (s->model->kind[i] == TD_JOINT_BALL) {
        with->w = inverse_ball(m);
    } else if (dofs == 6) {
        memset(&with->w, 0, sizeof with->w);
    } else {
        with->w = inverse_on(m, square, square_axes(s, i, square));
    }
    tdi_six ms[6];
    for (int32_t k = 0; k < dofs; k++) {
        ms[k] = tdi_six_apply_t(m, &axis[k]);
        const tdi_six back = tdi_six_apply_t(&with->w, &ms[k]);
        for (int c = 0; c < 6; c++) {
            with->u[6 * k + c] = axis[k].a[c] - back.a[c];
        }
    }
    for (int32_t k = 0; k < dofs; k++) {
        for (int32_t h = 0; h < dofs; h++) {
            with->d[6 * k + h] = tdi_six_dot(ms[k].a, with->u + 6 * h);
        }
    }
}

// ---- inverse inertias -----------------------------------------------------------------------

static const tdi_six2 *phi_of(const td_adapt *s, int32_t child, bool full) {
    if (!tdi_is_node(child)) {
        return &s->body_phi[~child];
    }
    return full ? s->node[child].full.of : s->node[child].hybrid.of;
}

tdi_six2 tdi_pair_of(const tdi_six2 *of, int row, int column) {
    return row > column ? tdi_six_turned(&of[1]) : of[row + column];
}

void tdi_node_split(td_adapt *s, int32_t i, bool full) {
    const tdi_assembly_node *t = &s->tree[i];
    tdi_adapt_node *n = &s->node[i];
    const tdi_six2 *b = phi_of(s, t->b, full);
    tdi_six2 m = b[0];
    if (t->a != TDI_ASSEMBLY_BASE) {
        const tdi_six2 *a = phi_of(s, t->a, full);
        const tdi_six2 moved = tdi_hop_both(&a[2 * t->via], &n->joint);
        tdi_six2_add(&m, &moved, 1);
    }
    split(s, i, &m, &n->with);
    n->with_full = full;
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        if (from.side == 1) {
            n->with.gain[h] = tdi_pair_of(b, from.handle, 0);
            continue;
        }
        const tdi_six2 at = tdi_pair_of(phi_of(s, t->a, full), from.handle, t->via);
        const tdi_six2 moved = tdi_hop_rows(&at, &n->joint);
        for (int k = 0; k < 36; k++) {
            n->with.gain[h].a[k] = -moved.a[k];
        }
    }
}

void tdi_node_join(td_adapt *s, int32_t i, bool full) {
    const tdi_assembly_node *t = &s->tree[i];
    tdi_adapt_node *n = &s->node[i];
    tdi_pairs *to = full ? &n->full : &n->hybrid;
    tdi_node_split(s, i, full);
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        const tdi_six2 weighed = tdi_six_mul(&n->with.gain[h], &n->with.w);
        for (int k = h; k < t->handles; k++) {
            const tdi_handle_from other = tdi_handle_at(t, k);
            const tdi_six2 turned = tdi_six_turned(&n->with.gain[k]);
            const tdi_six2 less = tdi_six_mul(&weighed, &turned);
            tdi_six2 sum = {{0}};
            if (from.side == other.side) {
                sum = tdi_pair_of(phi_of(s, from.side ? t->b : t->a, full), from.handle,
                                  other.handle);
            }
            tdi_six2_add(&sum, &less, -1);
            to->of[h + k] = sum;
        }
    }
}

// ---- forces ---------------------------------------------------------------------------------

void tdi_node_bias(td_adapt *s, int32_t i, const tdi_six *beta, const td_real *torque) {
    tdi_join *with = &s->node[i].with;
    const int32_t dofs = tdi_joint_dofs(s, i);
    with->gamma = tdi_six_apply_t(&with->w, beta);
    for (int32_t k = 0; k < dofs; k++) {
        with->r[k] = -tdi_six_dot(with->u + 6 * k, beta->a);
        for (int32_t h = 0; h < dofs; h++) {
            with->r[k] += with->d[6 * k + h] * torque[h];
        }
        for (int c = 0; c < 6; c++) {
            with->gamma.a[c] += with->u[6 * k + c] * torque[k];
        }
    }
}

static void add_force(td_adapt *s, int32_t child, int handle, const tdi_six *f, td_real by) {
    if (tdi_is_node(child)) {
        tdi_six_add(&s->node[child].force[handle], f, by);
    }
}

void tdi_node_back(td_adapt *s, int32_t i, td_real *accel) {
    const tdi_assembly_node *t = &s->tree[i];
    tdi_adapt_node *n = &s->node[i];
    const tdi_six none = {{0, 0, 0, 0, 0, 0}};
    const int32_t children[2] = {t->a, t->b};
    tdi_six g = none;
    for (int k = 0; k < 2; k++) {
        if (tdi_is_node(children[k])) {
            s->node[children[k]].force[0] = s->node[children[k]].force[1] = none;
        }
    }
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        const tdi_six moved = tdi_six_apply_t(&n->with.gain[h], &n->force[h]);
        tdi_six_add(&g, &moved, 1);
        add_force(s, children[from.side], from.handle, &n->force[h], 1);
    }
    tdi_six f = tdi_six_apply_t(&n->with.w, &g);
    for (int c = 0; c < 6; c++) {
        f.a[c] = n->with.gamma.a[c] - f.a[c];
    }
    for (int32_t k = 0; k < tdi_joint_dofs(s, i); k++) {
        accel[k] = n->with.r[k] + tdi_six_dot(n->with.u + 6 * k, g.a);
    }
    const tdi_six back = tdi_hop_force(&n->joint, &f);
    add_force(s, t->b, 0, &f, 1);
    add_force(s, t->a, t->via, &back, -1);
}

// ---- joints ---------------------------------------------------------------------------------

void tdi_node_torque(const td_adapt *s, int32_t i, const td_step_opts *o, const td_real *added,
                     td_real *torque) {
    const tdi_tree_model *m = s->model;
    const tdi_body *body = &m->body[i];
    const int32_t d = m->dof[i], count = m->dof[i + 1] - d;
    const td_real *q = s->state->q + m->coord[i], *v = s->state->v + d, *near = s->state->angle + d;
    const td_real still[3] = {0, 0, 0};
    memset(torque, 0, 6 * sizeof *torque);
    if (count == 1) {
        torque[0] = -o->stiffness * body->stiffness.x * q[0] - o->damping * body->damping.x * v[0];
    } else if (count == 3 && tdi_springy(body)) {
        const td_vec3 spring = tdi_ball_moment(m->law, body, q, still, near);
        const td_vec3 damp = tdi_sub(tdi_ball_moment(m->law, body, q, v, near), spring);
        const td_vec3 t = tdi_madd(tdi_scale(spring, o->stiffness), damp, o->damping);
        torque[0] = t.x;
        torque[1] = t.y;
        torque[2] = t.z;
    }
    for (int32_t k = 0; added && k < count; k++) {
        torque[k] += added[d + k];
    }
}
