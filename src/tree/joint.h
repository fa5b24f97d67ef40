// SPDX-License-Identifier: MIT
#pragma once

// What a joint is: its place and columns by kind, the moment and energy of its spring by law.
//
// A ball joint with quaternion q = (w, u), in the segment's own axes:
//   linear    V = 1/2 a^T K a,  a the rotation vector of q
//   tangent   bending and twist apart, q = bend times turn about y. With x, y, z of u,
//             s = x^2 + z^2 = sin^2(bend/2), 1 - s = w^2 + y^2, y/w = tan(twist/2):
//             V = 2 (kx x^2 + kz z^2) l(s) + 2 ky ln(1 + y^2/w^2),  l(s) = -ln(1 - s)/s
//             which is -4 k ln cos(angle/2) in each plane of bending and in twist, so that the
//             moment there is 2 k tan(angle/2). The planes are those half way through the twist.
// Damping is that of the rotation vector's rate under both laws, with D = 1/2 a'^T B a'.
// Turning the joint by y in its own axes changes a by J^-1 y,
//   J^-1 = I + 1/2 [a]x + b [a]x^2,  b = (1 - (|a|/2) cot(|a|/2))/|a|^2.
// The second derivative of a along such a turn, weighed with any vector t, is
//   sum_k t_k d2a_k/dy2 = sym(a v^T) - (a.v) I,  v = p t + r (t.a) a + b t x a,
//   p = 2 b (1 - b |a|^2),  r = (1/4 - 3 p/2)/|a|^2,
// since along exp(s y) a changes at the rate J^-1(a) y with the same y throughout.

#include "tree/model.h"

// ---- kinds ----------------------------------------------------------------------------------

// Rotation of a joint from rest, and its shift in the axes of what it hangs on.
void tdi_joint_transform(const tdi_body *body, td_joint_kind kind, const td_real *q, td_quat *turn,
                         td_vec3 *slide);

// Axes of the degrees of freedom in the world; p is the frame of what the joint hangs on.
void tdi_joint_columns(const tdi_body *body, td_joint_kind kind, const tdi_frame *p,
                       const tdi_frame *f, tdi_twist *column);

// The axes of a body's degrees of freedom in the world, and how many there are.
static inline int32_t tdi_columns_of(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i,
                                     tdi_twist *column) {
    tdi_joint_columns(&m->body[i], (td_joint_kind)m->kind[i], tdi_parent_frame(m, s, i),
                      &s->frame[i], column);
    return m->dof[i + 1] - m->dof[i];
}

// Angles of all joints, a degree of freedom: rotation vectors of balls, of the two that mean the
// same that near `near`, and the coordinate of hinges and slides. `near` may be `angle` itself.
void tdi_tree_angles(const tdi_tree_model *model, const tdi_tree_state *state, const td_real *near,
                     td_real *angle);

// ---- ball joints ----------------------------------------------------------------------------

typedef struct tdi_ball_turn { // a joint's rotation vector, and b of the head
    td_vec3 a;
    td_real b;
} tdi_ball_turn;

// Up to these, about 0.2 rad, by series: of |u|^2, and of |a|^2.
#define TDI_SERIES_S  0.01
#define TDI_SERIES_T2 0.05

// h = asin(sqrt s)/sqrt s and c = (1 - h sqrt(1 - s))/s for s < TDI_BALL_NEAR, a turn by 60
// degrees: polynomials through Chebyshev's points, within two roundings
#define TDI_BALL_NEAR  0.25
#define TDI_BALL_TERMS 14
static const td_real tdi_half_terms[TDI_BALL_TERMS] = {
    1.00000000000000e+00,   1.6666666666666796e-01, 7.499999999966611e-02,  4.464285717686322e-02,
    3.0381942642327187e-02, 2.2372216106072148e-02, 1.7351600625343435e-02, 1.398088299217101e-02,
    1.1398850408440755e-02, 1.0778675120995992e-02, 3.7180577483250537e-03, 2.166805886905636e-02,
    -2.093065831518245e-02, 3.257934796692842e-02};
static const td_real tdi_along_terms[TDI_BALL_TERMS] = {
    3.333333333333333e-01,   1.3333333333333522e-01, 7.619047618998953e-02, 5.079365084321503e-02,
    3.694083431432335e-02,   2.841611150928301e-02,  2.273112673810378e-02, 1.8744519992075246e-02,
    1.554232849748392e-02,   1.4994644547690374e-02, 4.945454903168484e-03, 3.1241994883058656e-02,
    -3.0649817906788585e-02, 4.725609226306614e-02};

#define TDI_WIDE_NAMES 0
#include "math/lane_names.h"
#include "tree/joint_lanes.h"

// b of the head; t2 = |a|^2
static inline td_real tdi_turn_coefficient(td_real t2) {
    if (t2 < TDI_SERIES_T2) {
        return tdi_turn_coefficient_near(t2);
    }
    td_real half = 0.5 * sqrt(t2);
    return (1 - half * cos(half) / sin(half)) / t2;
}

tdi_ball_turn tdi_ball_turn_large(const td_real *q, const td_real *near);

static inline tdi_ball_turn tdi_ball_turn_of(const td_real *q, const td_real *near) {
    td_vec3 u = tdi_vec3(q[1], q[2], q[3]);
    td_real s = tdi_dot(u, u);
    if (!(s < TDI_SERIES_S)) {
        return tdi_ball_turn_large(q, near);
    }
    td_real scale = q[0] < 0 ? -2 * tdi_half_growth(s) : 2 * tdi_half_growth(s);
    tdi_ball_turn turn = {tdi_scale(u, scale), tdi_turn_coefficient(scale * scale * s)};
    return turn;
}

// tdi_tree_angles() of one body.
static inline void tdi_body_angle(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i,
                                  const td_real *near, td_real *angle) {
    int32_t d = m->dof[i], count = m->dof[i + 1] - d;
    const td_real *q = s->q + m->coord[i];
    if (count == 3) {
        td_vec3 a = tdi_ball_turn_of(q, near + d).a;
        angle[d] = a.x;
        angle[d + 1] = a.y;
        angle[d + 2] = a.z;
    } else if (count == 1) {
        angle[d] = q[0];
    }
}

// Gradient and Hessian of the tangent law's energy to a turn in the joint's own axes.
td_vec3 tdi_tangent_gradient(td_vec3 stiffness, const td_real *q);
td_sym3 tdi_tangent_hessian(td_vec3 stiffness, const td_real *q);

// Energy of a ball joint's spring.
td_real tdi_ball_energy(td_spring_law law, td_vec3 stiffness, const td_real *q,
                        const td_real *near);

// Moment of spring and damping on the joint in its own axes: -J^-T (K a + B J^-1 v).
td_vec3 tdi_ball_moment_any(td_spring_law law, const tdi_body *body, const td_real *q,
                            const td_real *v, const td_real *near);

// The same, in place for linear springs up to 60 degrees.
static inline td_vec3 tdi_ball_moment(td_spring_law law, const tdi_body *body, const td_real *q,
                                      const td_real *v, const td_real *near) {
    const td_vec3 u = {q[1], q[2], q[3]};
    if (!(tdi_dot(u, u) < TDI_BALL_NEAR && q[0] > 0) || law != TD_LAW_LINEAR) {
        return tdi_ball_moment_any(law, body, q, v, near);
    }
    return tdi_ball_moment_near(body, q[0], u, tdi_vec3(v[0], v[1], v[2]));
}

static inline bool tdi_springy(const tdi_body *body) {
    const td_vec3 k = body->stiffness, d = body->damping;
    return k.x + k.y + k.z + d.x + d.y + d.z > 0;
}
