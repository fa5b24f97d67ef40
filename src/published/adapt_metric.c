// SPDX-License-Identifier: MIT
// The acceleration metric of a node: the weighed sum of squared accelerations of its joints as a
// function of the forces on its handles, theorems 1 to 4 of the paper.
//
// With the symbols of join.c, weight k of the joint, psi and p of A and B likewise:
//   H_h = -X psi_A(c,h) of A's handles, psi_B(0,h) of B's
//   K = X psi_A(c,c) X^T + psi_B(0,0),   pi = p_B(0) - X p_A(c)
//   Y = k^2 U^T U + W K W,   Z = 2 k^2 U^T R - 2 W K gamma - W pi
//   psi_C(h,j) = psi(h,j) + G_h^T Y G_j - G_h^T W H_j - H_h^T W G_j
//   p_C(h) = p(h) + G_h^T Z + 2 H_h^T gamma
//   eta_C = eta_A + eta_B + k^2 R^2 + gamma^T K gamma + gamma^T pi
// The joints of a passive node stand still, so that all its bodies turn at one rate w, and springs
// push with constant torques. Then b, p and the root of eta are linear in the products x of
// adapt.h, and the same formulas hold column by column. The paper has products of all six
// components of the twist; accelerations of the origins themselves instead of spatial ones do not
// depend on the velocity of a frame, which leaves those of the turning rate.

#include "published/adapt.h"

#include <string.h>

// ---- theorem 2 ------------------------------------------------------------------------------

typedef struct measure { // H_h^T and K of a node
    tdi_six2 back[2], k;
} measure;

static const tdi_six2 *psi_of(const td_adapt *s, int32_t child) {
    return tdi_is_node(child) ? s->node[child].psi.of : NULL;
}

static measure measure_of(const td_adapt *s, int32_t i) {
    const tdi_assembly_node *t = &s->tree[i];
    const tdi_adapt_node *n = &s->node[i];
    const tdi_six2 *a = psi_of(s, t->a), *b = psi_of(s, t->b);
    measure to;
    memset(&to, 0, sizeof to);
    if (a) {
        to.k = tdi_hop_both(&a[2 * t->via], &n->joint);
    }
    if (b) {
        tdi_six2_add(&to.k, &b[0], 1);
    }
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        if (from.side == 1 && b) {
            to.back[h] = tdi_pair_of(b, from.handle, 0);
        } else if (from.side == 0 && a) {
            const tdi_six2 at = tdi_pair_of(a, from.handle, t->via);
            const tdi_six2 moved = tdi_hop_rows(&at, &n->joint);
            tdi_six2_add(&to.back[h], &moved, -1);
        }
    }
    return to;
}

static tdi_six2 middle_of(const td_adapt *s, int32_t i, const measure *of) { // Y
    const tdi_join *with = &s->node[i].with;
    const td_real k2 = s->weight[i] * s->weight[i];
    const tdi_six2 wk = tdi_six_mul(&with->w, &of->k);
    tdi_six2 y = tdi_six_mul(&wk, &with->w);
    for (int32_t d = 0; d < tdi_joint_dofs(s, i); d++) {
        const td_real *u = with->u + 6 * d;
        for (int r = 0; r < 6; r++) {
            for (int c = 0; c < 6; c++) {
                y.a[6 * r + c] += k2 * u[r] * u[c];
            }
        }
    }
    return y;
}

void tdi_metric_quadratic(td_adapt *s, int32_t i) {
    const tdi_assembly_node *t = &s->tree[i];
    tdi_adapt_node *n = &s->node[i];
    const measure of = measure_of(s, i);
    const tdi_six2 y = middle_of(s, i, &of);
    tdi_six2 weighed[2], turned[2], turned_back[2];
    for (int h = 0; h < t->handles; h++) {
        weighed[h] = tdi_six_mul(&n->with.gain[h], &n->with.w);
        turned[h] = tdi_six_turned(&n->with.gain[h]);
        turned_back[h] = tdi_six_turned(&of.back[h]);
    }
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        const tdi_six2 gy = tdi_six_mul(&n->with.gain[h], &y);
        for (int k = h; k < t->handles; k++) {
            const tdi_handle_from other = tdi_handle_at(t, k);
            const tdi_six2 *own = psi_of(s, from.side ? t->b : t->a);
            const tdi_six2 w_turned = tdi_six_turned(&weighed[k]);
            const tdi_six2 first = tdi_six_mul(&weighed[h], &turned_back[k]);
            const tdi_six2 second = tdi_six_mul(&of.back[h], &w_turned);
            tdi_six2 sum = tdi_six_mul(&gy, &turned[k]);
            tdi_six2_add(&sum, &first, -1);
            tdi_six2_add(&sum, &second, -1);
            if (own && from.side == other.side) {
                const tdi_six2 old = tdi_pair_of(own, from.handle, other.handle);
                tdi_six2_add(&sum, &old, 1);
            }
            n->psi.of[h + k] = sum;
        }
    }
}

// ---- linear coefficients --------------------------------------------------------------------

// b, p and eta of a child; those of a passive node are there already.
static void child_linear(const td_adapt *s, int32_t child, const tdi_six *rate, const tdi_six *base,
                         tdi_linear *to) {
    if (tdi_is_node(child)) {
        *to = s->node[child].linear;
        return;
    }
    memset(to, 0, sizeof *to);
    to->b[0] = child == TDI_ASSEMBLY_BASE ? *base : tdi_body_bias(s, ~child, tdi_six_angular(rate));
}

// Z and eta of the joint.
static tdi_six sum_linear(td_adapt *s, int32_t i, const measure *of, const tdi_six *pi,
                          td_real *eta) {
    const tdi_join *with = &s->node[i].with;
    const td_real k2 = s->weight[i] * s->weight[i];
    const tdi_six k_gamma = tdi_six_apply(&of->k, &with->gamma);
    tdi_six inner = *pi, z = {{0, 0, 0, 0, 0, 0}};
    tdi_six_add(&inner, &k_gamma, 2);
    const tdi_six back = tdi_six_apply_t(&with->w, &inner);
    tdi_six_add(&z, &back, -1);
    *eta += tdi_six_dot(with->gamma.a, k_gamma.a) + tdi_six_dot(with->gamma.a, pi->a);
    for (int32_t d = 0; d < tdi_joint_dofs(s, i); d++) {
        *eta += k2 * with->r[d] * with->r[d];
        for (int c = 0; c < 6; c++) {
            z.a[c] += 2 * k2 * with->r[d] * with->u[6 * d + c];
        }
    }
    return z;
}

void tdi_metric_linear(td_adapt *s, int32_t i, const td_step_opts *o, const td_real *added) {
    const tdi_assembly_node *t = &s->tree[i];
    tdi_adapt_node *n = &s->node[i];
    const tdi_six base = tdi_base_rise(s, o), rates = tdi_node_rates(s, i);
    tdi_linear of[2];
    td_real torque[6];
    child_linear(s, t->a, &n->top_rate, &base, &of[0]);
    child_linear(s, t->b, &n->b_rate, &base, &of[1]);
    tdi_six beta = tdi_hop_motion(&n->joint, &of[0].b[t->via]);
    tdi_six_add(&beta, &rates, 1);
    tdi_six_add(&beta, &of[1].b[0], -1);
    tdi_node_torque(s, i, o, added, torque);
    tdi_node_bias(s, i, &beta, torque);

    const measure m = measure_of(s, i);
    tdi_six pi = of[1].p[0];
    const tdi_six carried = tdi_hop_motion(&n->joint, &of[0].p[t->via]);
    tdi_six_add(&pi, &carried, -1);
    n->linear.eta = of[0].eta + of[1].eta;
    const tdi_six z = sum_linear(s, i, &m, &pi, &n->linear.eta);
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        const tdi_six answer = tdi_six_apply(&n->with.gain[h], &n->with.gamma);
        const tdi_six gz = tdi_six_apply(&n->with.gain[h], &z);
        const tdi_six hg = tdi_six_apply(&m.back[h], &n->with.gamma);
        n->linear.b[h] = of[from.side].b[from.handle];
        n->linear.p[h] = of[from.side].p[from.handle];
        tdi_six_add(&n->linear.b[h], &answer, 1);
        tdi_six_add(&n->linear.p[h], &gz, 1);
        tdi_six_add(&n->linear.p[h], &hg, 2);
    }
}

// ---- theorem 1 ------------------------------------------------------------------------------

td_real tdi_metric_value(const td_adapt *s, int32_t i) {
    const tdi_adapt_node *n = &s->node[i];
    td_real sum = n->linear.eta;
    for (int h = 0; h < s->tree[i].handles; h++) {
        const tdi_six own = tdi_six_apply(&n->psi.of[2 * h], &n->force[h]);
        sum += tdi_six_dot(n->force[h].a, own.a) + tdi_six_dot(n->force[h].a, n->linear.p[h].a);
    }
    if (s->tree[i].handles == 2) {
        const tdi_six other = tdi_six_apply(&n->psi.of[1], &n->force[1]);
        sum += 2 * tdi_six_dot(n->force[0].a, other.a);
    }
    return sum > 0 ? sum : 0; // rounding
}

// ---- theorem 4 ------------------------------------------------------------------------------

static const int pair_of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

static void products(td_vec3 w, td_real x[TDI_PRODUCTS]) {
    const td_real a[3] = {w.x, w.y, w.z};
    for (int k = 0; k < 6; k++) {
        x[k] = a[pair_of[k][0]] * a[pair_of[k][1]];
    }
    x[6] = 1;
}

// x of the rate E^T w as a linear function of x of w: rows of 7.
static void turn_products(const tdi_mat3 *e, td_real t[49]) {
    memset(t, 0, 49 * sizeof *t);
    for (int k = 0; k < 6; k++) {
        const td_vec3 a = tdi_mat3_column(e, pair_of[k][0]), b = tdi_mat3_column(e, pair_of[k][1]);
        const td_real row[6] = {a.x * b.x,
                                a.y * b.y,
                                a.z * b.z,
                                a.x * b.y + a.y * b.x,
                                a.x * b.z + a.z * b.x,
                                a.y * b.z + a.z * b.y};
        memcpy(t + 7 * k, row, sizeof row);
    }
    t[48] = 1;
}

static void tensor_add(tdi_tensor *to, const tdi_tensor *from, td_real by) {
    for (int k = 0; k < 6 * TDI_PRODUCTS; k++) {
        to->a[k] += by * from->a[k];
    }
}

static tdi_tensor tensor_mul(const tdi_six2 *m, const tdi_tensor *t) {
    tdi_tensor to;
    memset(&to, 0, sizeof to);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < TDI_PRODUCTS; j++) {
                to.a[7 * i + j] += m->a[6 * i + k] * t->a[7 * k + j];
            }
        }
    }
    return to;
}

static tdi_six tensor_column(const tdi_tensor *t, int j) {
    tdi_six to;
    for (int i = 0; i < 6; i++) {
        to.a[i] = t->a[7 * i + j];
    }
    return to;
}

static void tensor_set_column(tdi_tensor *t, int j, const tdi_six *v) {
    for (int i = 0; i < 6; i++) {
        t->a[7 * i + j] = v->a[i];
    }
}

static tdi_tensor tensor_hop(const tdi_hop *x, const tdi_tensor *t) { // X t
    tdi_tensor to;
    for (int j = 0; j < TDI_PRODUCTS; j++) {
        const tdi_six v = tensor_column(t, j), moved = tdi_hop_motion(x, &v);
        tensor_set_column(&to, j, &moved);
    }
    return to;
}

static tdi_tensor tensor_turn(const tdi_tensor *t, const td_real by[49]) { // t by
    tdi_tensor to;
    memset(&to, 0, sizeof to);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 7; k++) {
            for (int j = 0; j < 7; j++) {
                to.a[7 * i + j] += t->a[7 * i + k] * by[7 * k + j];
            }
        }
    }
    return to;
}

// The tensor of a vector that is quadratic in the rate, from its values.
typedef tdi_six (*quadratic)(const void *context, td_vec3 rate);

static tdi_tensor tensor_from(quadratic of, const void *context) {
    const td_vec3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    tdi_six square[3], none = {{0, 0, 0, 0, 0, 0}};
    tdi_tensor to;
    for (int k = 0; k < 3; k++) {
        square[k] = of(context, e[k]);
        tensor_set_column(&to, k, &square[k]);
    }
    for (int k = 3; k < 6; k++) {
        const int a = pair_of[k][0], b = pair_of[k][1];
        tdi_six both = of(context, tdi_add(e[a], e[b]));
        tdi_six_add(&both, &square[a], -1);
        tdi_six_add(&both, &square[b], -1);
        tensor_set_column(&to, k, &both);
    }
    tensor_set_column(&to, 6, &none);
    return to;
}

static tdi_six asked_of(const void *context, td_vec3 rate) { // by the rates, of a rigid body
    const tdi_wrench asked = tdi_mass_bias(context, rate);
    return tdi_six_of(asked.n, asked.f);
}

static tdi_six swing_of(const void *context, td_vec3 rate) { // E^T w x (w x r)
    const tdi_hop *x = context;
    const td_vec3 swing = tdi_cross(rate, tdi_cross(rate, x->r));
    return tdi_six_of(tdi_vec3(0, 0, 0), tdi_mat3_apply_t(&x->turn, swing));
}

typedef struct tensors { // of a child
    tdi_tensor b[2], p[2];
    tdi_quartic eta;
} tensors;

static void child_tensors(const td_adapt *s, int32_t child, tensors *to) {
    if (tdi_is_node(child)) {
        const tdi_adapt_node *n = &s->node[child];
        memcpy(to->b, n->tensor_b, sizeof to->b);
        memcpy(to->p, n->tensor_p, sizeof to->p);
        to->eta = n->tensor_eta;
        return;
    }
    memset(to, 0, sizeof *to);
    const tdi_body *b = &s->model->body[~child];
    const tdi_mass mass = {b->mass, b->moment, b->second};
    const tdi_tensor asked = tensor_from(asked_of, &mass);
    const tdi_tensor answer = tensor_mul(&s->body_phi[~child], &asked);
    tensor_add(&to->b[0], &answer, -1);
}

// Those of B in products of A's rate.
static void turn_tensors(tensors *t, const tdi_mat3 *e) {
    td_real by[49], half[49];
    turn_products(e, by);
    for (int h = 0; h < 2; h++) {
        t->b[h] = tensor_turn(&t->b[h], by);
        t->p[h] = tensor_turn(&t->p[h], by);
    }
    memset(half, 0, sizeof half);
    for (int i = 0; i < 7; i++) {
        for (int k = 0; k < 7; k++) {
            for (int j = 0; j < 7; j++) {
                half[7 * i + j] += t->eta.a[7 * i + k] * by[7 * k + j];
            }
        }
    }
    memset(&t->eta, 0, sizeof t->eta);
    for (int k = 0; k < 7; k++) {
        for (int i = 0; i < 7; i++) {
            for (int j = 0; j < 7; j++) {
                t->eta.a[7 * i + j] += by[7 * k + i] * half[7 * k + j];
            }
        }
    }
}

// eta += (a^T b + b^T a) by/2, of n rows of 7
static void quartic_add(tdi_quartic *eta, const td_real *a, const td_real *b, int n, td_real by) {
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 7; i++) {
            for (int j = 0; j < 7; j++) {
                eta->a[7 * i + j] +=
                    0.5 * by * (a[7 * k + i] * b[7 * k + j] + b[7 * k + i] * a[7 * k + j]);
            }
        }
    }
}

// Lever arm of the joint's body in the axes of the top, from the handle of A on.
static tdi_hop arm_of(const td_adapt *s, int32_t i) {
    const tdi_adapt_node *n = &s->node[i];
    tdi_hop x = n->to_b;
    if (s->tree[i].via) {
        x.r = tdi_mat3_apply(&s->node[s->tree[i].a].to_end.turn, n->joint.r);
    }
    return x;
}

typedef struct joint_tensors {
    tdi_tensor gamma, z;
    td_real r[6 * TDI_PRODUCTS];
} joint_tensors;

// gamma and R, then Z; adds to eta.
static void join_tensors(const td_adapt *s, int32_t i, const tdi_tensor *beta, const tdi_tensor *pi,
                         const measure *m, const td_real *torque, joint_tensors *to,
                         tdi_quartic *eta) {
    const tdi_join *with = &s->node[i].with;
    const td_real k2 = s->weight[i] * s->weight[i];
    const int32_t dofs = tdi_joint_dofs(s, i);
    to->gamma = tensor_mul(&with->w, beta);
    memset(to->r, 0, sizeof to->r);
    for (int32_t d = 0; d < dofs; d++) {
        const td_real *u = with->u + 6 * d;
        for (int c = 0; c < 6; c++) {
            to->gamma.a[7 * c + 6] += u[c] * torque[d];
            for (int j = 0; j < 7; j++) {
                to->r[7 * d + j] -= u[c] * beta->a[7 * c + j];
            }
        }
        for (int32_t h = 0; h < dofs; h++) {
            to->r[7 * d + 6] += with->d[6 * d + h] * torque[h];
        }
    }
    const tdi_tensor k_gamma = tensor_mul(&m->k, &to->gamma);
    tdi_tensor inner = *pi;
    tensor_add(&inner, &k_gamma, 2);
    const tdi_tensor back = tensor_mul(&with->w, &inner);
    memset(&to->z, 0, sizeof to->z);
    tensor_add(&to->z, &back, -1);
    for (int32_t d = 0; d < dofs; d++) {
        for (int c = 0; c < 6; c++) {
            for (int j = 0; j < 7; j++) {
                to->z.a[7 * c + j] += 2 * k2 * with->u[6 * d + c] * to->r[7 * d + j];
            }
        }
    }
    quartic_add(eta, to->gamma.a, k_gamma.a, 6, 1);
    quartic_add(eta, to->gamma.a, pi->a, 6, 1);
    quartic_add(eta, to->r, to->r, dofs, k2);
}

void tdi_metric_tensors(td_adapt *s, int32_t i) {
    const tdi_assembly_node *t = &s->tree[i];
    tdi_adapt_node *n = &s->node[i];
    if (t->a == TDI_ASSEMBLY_BASE) {
        return; // a root has no handles, and is computed at every choice
    }
    tensors of[2];
    td_real torque[6];
    child_tensors(s, t->a, &of[0]);
    child_tensors(s, t->b, &of[1]);
    turn_tensors(&of[1], &n->to_b.turn);
    tdi_node_split(s, i, true);
    const measure m = measure_of(s, i);
    const tdi_hop arm = arm_of(s, i);
    const tdi_tensor swing = tensor_from(swing_of, &arm);
    tdi_tensor beta = tensor_hop(&n->joint, &of[0].b[t->via]), pi = of[1].p[0];
    tensor_add(&beta, &swing, 1);
    tensor_add(&beta, &of[1].b[0], -1);
    const tdi_tensor carried = tensor_hop(&n->joint, &of[0].p[t->via]);
    tensor_add(&pi, &carried, -1);
    const td_step_opts still = {.stiffness = s->stiffness}; // nothing moves that would be damped
    tdi_node_torque(s, i, &still, NULL, torque);

    joint_tensors with;
    n->tensor_eta = of[0].eta;
    for (int k = 0; k < 49; k++) {
        n->tensor_eta.a[k] += of[1].eta.a[k];
    }
    join_tensors(s, i, &beta, &pi, &m, torque, &with, &n->tensor_eta);
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        const tdi_tensor answer = tensor_mul(&n->with.gain[h], &with.gamma);
        const tdi_tensor gz = tensor_mul(&n->with.gain[h], &with.z);
        const tdi_tensor hg = tensor_mul(&m.back[h], &with.gamma);
        n->tensor_b[h] = of[from.side].b[from.handle];
        n->tensor_p[h] = of[from.side].p[from.handle];
        tensor_add(&n->tensor_b[h], &answer, 1);
        tensor_add(&n->tensor_p[h], &gz, 1);
        tensor_add(&n->tensor_p[h], &hg, 2);
    }
}

// ---- theorem 3 ------------------------------------------------------------------------------

static tdi_six tensor_apply(const tdi_tensor *t, const td_real x[TDI_PRODUCTS]) {
    tdi_six to;
    for (int i = 0; i < 6; i++) {
        to.a[i] = 0;
        for (int j = 0; j < TDI_PRODUCTS; j++) {
            to.a[i] += t->a[7 * i + j] * x[j];
        }
    }
    return to;
}

void tdi_metric_evaluate(td_adapt *s, int32_t i) {
    tdi_adapt_node *n = &s->node[i];
    td_real x[TDI_PRODUCTS];
    products(tdi_six_angular(&n->top_rate), x);
    for (int h = 0; h < s->tree[i].handles; h++) {
        n->linear.b[h] = tensor_apply(&n->tensor_b[h], x);
        n->linear.p[h] = tensor_apply(&n->tensor_p[h], x);
    }
    n->linear.eta = 0;
    for (int a = 0; a < TDI_PRODUCTS; a++) {
        for (int b = 0; b < TDI_PRODUCTS; b++) {
            n->linear.eta += x[a] * n->tensor_eta.a[7 * a + b] * x[b];
        }
    }
}
