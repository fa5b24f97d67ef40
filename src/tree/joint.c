// SPDX-License-Identifier: MIT
// Joints: place and columns by kind; moments and energies of their springs. The laws are in
// joint.h.

#include "tree/joint.h"

#include "base/guard.h"

#define LONG_WAY (TDI_PI / 2) // rad: a joint that was bent less goes the short way round

// Where a half turn of bend or twist would make the tangent law infinite: the wall is this high.
#define COS_FLOOR 1e-12

// ---- kinds ----------------------------------------------------------------------------------

void tdi_joint_transform(const tdi_body *body, td_joint_kind kind, const td_real *q, td_quat *turn,
                         td_vec3 *slide) {
    *turn = tdi_quat_identity();
    *slide = tdi_vec3(0, 0, 0);
    switch (kind) {
    case TD_JOINT_BALL: *turn = (td_quat){q[0], q[1], q[2], q[3]}; break;
    case TD_JOINT_HINGE: *turn = tdi_quat_turn(body->axis, q[0]); break;
    case TD_JOINT_SLIDE: *slide = tdi_quat_rotate(body->rest, tdi_scale(body->axis, q[0])); break;
    case TD_JOINT_FREE:
        *slide = tdi_vec3(q[0], q[1], q[2]);
        *turn = (td_quat){q[3], q[4], q[5], q[6]};
        break;
    case TD_JOINT_FIXED: break;
    }
}

void tdi_joint_columns(const tdi_body *body, td_joint_kind kind, const tdi_frame *p,
                       const tdi_frame *f, tdi_twist *column) {
    const td_vec3 none = {0, 0, 0};
    switch (kind) {
    case TD_JOINT_BALL:
        for (int k = 0; k < 3; k++) {
            column[k] = (tdi_twist){tdi_mat3_column(&f->r, k), none};
        }
        break;
    case TD_JOINT_HINGE: column[0] = (tdi_twist){tdi_mat3_apply(&f->r, body->axis), none}; break;
    case TD_JOINT_SLIDE: column[0] = (tdi_twist){none, tdi_mat3_apply(&f->r, body->axis)}; break;
    case TD_JOINT_FREE:
        for (int k = 0; k < 3; k++) {
            column[k] = (tdi_twist){none, tdi_mat3_column(&p->r, k)};
            column[3 + k] = (tdi_twist){tdi_mat3_column(&f->r, k), none};
        }
        break;
    case TD_JOINT_FIXED: break;
    }
}

void tdi_tree_angles(const tdi_tree_model *m, const tdi_tree_state *s, const td_real *near,
                     td_real *angle) {
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_body_angle(m, s, i, near, angle);
    }
}

// ---- ball joints ----------------------------------------------------------------------------

// a = angle u/|u|. The half angle's sine and cosine are those of the quaternion: |u|, and |w| up to
// half a turn, -|w| past it, where the vector goes on growing the way it came. That is the nearer
// of the two vectors to n when u.n/|u| < angle - pi.
tdi_ball_turn tdi_ball_turn_large(const td_real *q, const td_real *near) {
    td_real sign = q[0] < 0 ? -1 : 1, c = fabs(q[0]);
    td_vec3 u = tdi_vec3(sign * q[1], sign * q[2], sign * q[3]);
    td_real s = tdi_norm(u), angle = 2 * atan2(s, c);
    td_vec3 n = tdi_vec3(near[0], near[1], near[2]);
    if (tdi_dot(n, n) > LONG_WAY * LONG_WAY && tdi_dot(u, n) < (angle - TDI_PI) * s) {
        angle -= 2 * TDI_PI;
    }
    tdi_ball_turn turn = {tdi_scale(u, angle / s), (1 - 0.5 * angle * c / s) / (angle * angle)};
    return turn;
}

typedef struct bend_growth { // l(s) = -ln(1 - s)/s and its derivatives
    td_real l, slope, second;
} bend_growth;

static bend_growth bend_growth_at(td_real s, td_real c) { // c = 1 - s
    bend_growth g;
    if (s < 0.05) {
        g = (bend_growth){0, 0, 0};
        for (int k = 12; k >= 1; k--) { // s^k/(k + 1), and its derivatives
            g.l = s * (g.l + 1.0 / (k + 1));
            g.slope = s * g.slope + (td_real)k / (k + 1);
            g.second = k > 1 ? s * g.second + (td_real)(k * (k - 1)) / (k + 1) : g.second;
        }
        g.l += 1;
    } else {
        g.l = -log(c) / s;
        g.slope = (1 / c - g.l) / s;
        g.second = (1 / (c * c) - 2 * g.slope) / s;
    }
    return g;
}

static inline td_real at_least(td_real x, td_real floor) {
    return x > floor ? x : floor;
}

static td_real tangent_energy(td_vec3 k, const td_real *q) {
    td_real w2 = at_least(q[0] * q[0], COS_FLOOR), x2 = q[1] * q[1], z2 = q[3] * q[3];
    td_real y2 = q[2] * q[2];
    bend_growth b = bend_growth_at(x2 + z2, at_least(q[0] * q[0] + y2, COS_FLOOR));
    return 2 * (k.x * x2 + k.z * z2) * b.l + 2 * k.y * log1p(y2 / w2);
}

// With dq = 1/2 q (0, y) the gradient to y is 1/2 (w V_u - V_w u + V_u x u).
td_vec3 tdi_tangent_gradient(td_vec3 k, const td_real *q) {
    td_real w = q[0], x = q[1], y = q[2], z = q[3];
    td_real c = at_least(w * w + y * y, COS_FLOOR);
    bend_growth b = bend_growth_at(x * x + z * z, c);
    td_real grow = 4 * (k.x * x * x + k.z * z * z) * b.slope;
    td_real w_safe = copysign(sqrt(at_least(w * w, COS_FLOOR)), w);
    td_vec3 vu = {4 * k.x * x * b.l + grow * x, 4 * k.y * y / c, 4 * k.z * z * b.l + grow * z};
    td_real vw = -4 * k.y * y * y / (w_safe * c);
    td_vec3 u = {x, y, z};
    td_vec3 g = tdi_add(tdi_scale(vu, w), tdi_cross(vu, u));
    return tdi_scale(tdi_madd(g, u, -vw), 0.5);
}

// Second derivative of V by (w, x, y, z); bending is a function of x and z, twist of w and y.
typedef struct tangent_second {
    td_real ww, wy, yy, xx, xz, zz;
    td_real along; // q.V_q, of bending alone: twist does not change with the length of q
} tangent_second;

static tangent_second tangent_second_at(td_vec3 k, const td_real *q) {
    td_real w = q[0], x = q[1], y = q[2], z = q[3], s = x * x + z * z;
    td_real c = at_least(w * w + y * y, COS_FLOOR), w2 = at_least(w * w, COS_FLOOR);
    td_real kx = k.x, kz = k.z, form = kx * x * x + kz * z * z, turn = 4 * k.y / (c * c);
    bend_growth b = bend_growth_at(s, c);
    return (tangent_second){
        .ww = turn * (y * y - w * w) + 4 * k.y / w2,
        .wy = -2 * turn * w * y,
        .yy = turn * (w * w - y * y),
        .xx = 4 * (kx * b.l + (4 * kx * x * x + form) * b.slope + 2 * form * x * x * b.second),
        .zz = 4 * (kz * b.l + (4 * kz * z * z + form) * b.slope + 2 * form * z * z * b.second),
        .xz = 8 * x * z * ((kx + kz) * b.slope + form * b.second),
        .along = 4 * form * (b.l + s * b.slope)};
}

static td_sym3 sym3_pair(td_vec3 a, td_vec3 b, td_real k) { // k (a b^T + b a^T)
    return (td_sym3){2 * k * a.x * b.x,           2 * k * a.y * b.y,
                     2 * k * a.z * b.z,           k * (a.x * b.y + a.y * b.x),
                     k * (a.x * b.z + a.z * b.x), k * (a.y * b.z + a.z * b.y)};
}

// With dq = 1/2 q (0, y) and d2q = -1/4 |y|^2 q the Hessian to y is E^T V_qq E - 1/4 (q.V_q) I,
// E = 1/2 (-u^T; w I + [u]x).
td_sym3 tdi_tangent_hessian(td_vec3 k, const td_real *q) {
    const tangent_second v = tangent_second_at(k, q);
    const td_real w = q[0], x = q[1], y = q[2], z = q[3];
    const td_vec3 ew = {-x, -y, -z}, ex = {w, -z, y}, ey = {z, w, -x}, ez = {-y, x, w}; // 2 E
    td_sym3 h = tdi_sym3_square(ew, v.ww);
    h = tdi_sym3_add(h, tdi_sym3_square(ex, v.xx));
    h = tdi_sym3_add(h, tdi_sym3_square(ey, v.yy));
    h = tdi_sym3_add(h, tdi_sym3_square(ez, v.zz));
    h = tdi_sym3_add(h, sym3_pair(ew, ey, v.wy));
    h = tdi_sym3_add(h, sym3_pair(ex, ez, v.xz));
    h = tdi_sym3_add(h, tdi_sym3_diagonal(-v.along, -v.along, -v.along));
    return tdi_sym3_scale(h, 0.25);
}

td_real tdi_ball_energy(td_spring_law law, td_vec3 k, const td_real *q, const td_real *near) {
    if (law == TD_LAW_TANGENT) {
        return tangent_energy(k, q);
    }
    td_vec3 a = tdi_ball_turn_of(q, near).a;
    return 0.5 * (k.x * a.x * a.x + k.y * a.y * a.y + k.z * a.z * a.z);
}

td_vec3 tdi_ball_moment_any(td_spring_law law, const tdi_body *body, const td_real *q,
                            const td_real *v, const td_real *near) {
    const td_vec3 k = body->stiffness, d = body->damping;
    tdi_ball_turn turn = tdi_ball_turn_of(q, near);
    td_vec3 rate = tdi_ball_rate(&turn, tdi_vec3(v[0], v[1], v[2]), 1);
    td_vec3 t = tdi_vec3(d.x * rate.x, d.y * rate.y, d.z * rate.z);
    if (law == TD_LAW_LINEAR) {
        t = tdi_add(t, tdi_vec3(k.x * turn.a.x, k.y * turn.a.y, k.z * turn.a.z));
    }
    td_vec3 g = tdi_ball_rate(&turn, t, -1);
    if (law == TD_LAW_TANGENT) {
        g = tdi_add(g, tdi_tangent_gradient(k, q));
    }
    return tdi_scale(g, -1);
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_tree_joint_torque(tdi_tree_state *s, td_real *torque) {
    tdi_tree_fresh(s);
    const tdi_tree_model *m = s->model;
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_body *b = &m->body[i];
        int32_t d = m->dof[i], count = m->dof[i + 1] - d;
        const td_real *q = s->q + m->coord[i], *v = s->v + d;
        if (count == 3) {
            td_vec3 t = tdi_ball_moment(m->law, b, q, v, s->angle + d);
            torque[d] = t.x;
            torque[d + 1] = t.y;
            torque[d + 2] = t.z;
        } else if (count == 1) {
            torque[d] = -b->stiffness.x * q[0] - b->damping.x * v[0];
        } else {
            for (int32_t k = 0; k < count; k++) { // free joints have no springs
                torque[d + k] = 0;
            }
        }
    }
}

void td_tree_joint_torque(td_body *body, td_real *torque) {
    tdi_tree_state *s = tdi_as_tree(body);
    if (!s || !torque) {
        return;
    }
    tdi_tree_joint_torque(s, torque);
}
