// SPDX-License-Identifier: MIT
// Rest frames of joints. See docs/theory/branches.md.
//
// Symbols  e, t, a  the edge before, its direction and length; s its turn about itself
//          c, u     the edge that the joint sees, and its direction: they turn with the frame of e
//          r        rotation vector of that frame
// Moving e by de and s by ds turns its frame by
//   r = t x p/a + t ds  +  (ds p/2 - (t.de) t x p/a)/a,   p = de across t,
// to second order; the edge c moves by r x c + r x (r x c)/2 and turns about itself by r.u.

#include "rod/rest_frame.h"

#include <string.h>

enum { OWN = 4 }; // variables of an edge: its three components and its turn

static const int own[OWN] = {0, 1, 2, TDI_TURN_E}, other[OWN] = {4, 5, 6, TDI_TURN_F};

tdi_edge tdi_rest_frame_edge(const tdi_mat3 *rest_frame, const tdi_edge *e) {
    const tdi_mat3 r = tdi_edge_axes(e);
    return (tdi_edge){.t = tdi_mat3_apply(&r, tdi_mat3_column(rest_frame, 1)),
                      .m1 = tdi_mat3_apply(&r, tdi_mat3_column(rest_frame, 2)),
                      .m2 = tdi_mat3_apply(&r, tdi_mat3_column(rest_frame, 0)),
                      .length = e->length};
}

// dr by de and ds: columns k x ... of [t]x/a, and t
static void turn_slope(const tdi_edge *e, td_real a[3][OWN]) {
    const td_vec3 t = e->t, w = tdi_scale(t, 1 / e->length);
    const td_real rows[3][OWN] = {{0, -w.z, w.y, t.x}, {w.z, 0, -w.x, t.y}, {-w.y, w.x, 0, t.z}};
    memcpy(a, rows, sizeof rows);
}

// d(c, turn of c) by r: -[c]x and u
static void seen_slope(const tdi_edge *seen, td_real b[OWN][3]) {
    const td_vec3 u = seen->t, c = tdi_scale(u, seen->length);
    const td_real rows[OWN][3] = {{0, c.z, -c.y}, {-c.z, 0, c.x}, {c.y, -c.x, 0}, {u.x, u.y, u.z}};
    memcpy(b, rows, sizeof rows);
}

// With q = sum g c^T over all pieces c that turn with the edge, g the gradient by their ends:
//   m.r2 + sum g.(r x (r x c))/2 = m.r2 + r^T ((q + q^T)/2 - tr q) r/2,  m = sum c x g
void tdi_turning_second_derivative(const tdi_edge *e, td_vec3 m, const tdi_mat3 *q,
                                   td_real h[4][4]) {
    const td_vec3 mt = tdi_cross(m, e->t), p = tdi_madd(m, e->t, -tdi_dot(m, e->t));
    const td_real over = 1 / e->length, trace = q->m[0] + q->m[4] + q->m[8];
    const td_real t[3] = {e->t.x, e->t.y, e->t.z}, u[3] = {mt.x, mt.y, mt.z},
                  across[3] = {p.x, p.y, p.z};
    td_real a[3][OWN], n[3][3];
    turn_slope(e, a);
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            n[k][l] = 0.5 * (q->m[3 * k + l] + q->m[3 * l + k]) - (k == l ? trace : 0);
            h[k][l] -= (t[k] * u[l] + u[k] * t[l]) * over * over;
        }
        h[k][3] += 0.5 * over * across[k];
        h[3][k] += 0.5 * over * across[k];
    }
    for (int k = 0; k < OWN; k++) {
        for (int l = 0; l < OWN; l++) {
            for (int i = 0; i < 3; i++) {
                h[k][l] += a[i][k] * (n[i][0] * a[0][l] + n[i][1] * a[1][l] + n[i][2] * a[2][l]);
            }
        }
    }
}

// L^T H L, L^T H_cross and L^T g with L = d(c, its turn)/d(e, its turn)
void tdi_rest_frame_derive(const tdi_edge *e, const tdi_edge *seen, bool whole,
                           tdi_joint_term *term) {
    td_real a[3][OWN], b[OWN][3], l[OWN][OWN], hl[OWN][OWN], h[OWN][OWN] = {{0}}, cross[OWN][OWN];
    const td_real *g = term->gradient;
    const td_vec3 by_c = {g[0], g[1], g[2]}, c = tdi_scale(seen->t, seen->length);
    const td_vec3 m = tdi_madd(tdi_cross(c, by_c), seen->t, g[TDI_TURN_E]);
    turn_slope(e, a);
    seen_slope(seen, b);
    for (int i = 0; i < OWN; i++) {
        for (int j = 0; j < OWN; j++) {
            l[i][j] = b[i][0] * a[0][j] + b[i][1] * a[1][j] + b[i][2] * a[2][j];
        }
    }
    for (int i = 0; i < OWN; i++) {
        for (int j = 0; j < OWN; j++) {
            hl[i][j] = cross[i][j] = 0;
            for (int k = 0; k < OWN; k++) {
                int low = own[i < k ? i : k], high = own[i < k ? k : i];
                int row = own[k] < other[j] ? own[k] : other[j],
                    column = own[k] < other[j] ? other[j] : own[k];
                hl[i][j] += term->hessian[low][high] * l[k][j];
                cross[i][j] += l[k][i] * term->hessian[row][column];
            }
        }
    }
    if (whole) {
        const tdi_mat3 q = tdi_mat3_outer(by_c, c);
        tdi_turning_second_derivative(e, m, &q, h);
    }
    for (int i = 0; i < OWN; i++) {
        term->gradient[own[i]] = a[0][i] * m.x + a[1][i] * m.y + a[2][i] * m.z;
        for (int j = 0; j < OWN; j++) {
            for (int k = 0; k < OWN; k++) {
                h[i][j] += l[k][i] * hl[k][j];
            }
        }
    }
    for (int i = 0; i < OWN; i++) {
        for (int j = 0; j < OWN; j++) {
            int row = own[i] < other[j] ? own[i] : other[j],
                column = own[i] < other[j] ? other[j] : own[i];
            if (j >= i) {
                term->hessian[own[i]][own[j]] = h[i][j];
            }
            term->hessian[row][column] = cross[i][j];
        }
    }
}

void tdi_rod_joint_derive(const tdi_rod_state *s, int32_t i, const tdi_joint_law *law, bool whole,
                          tdi_joint_term *out) {
    const tdi_rod_node *n = &s->model->node[i];
    const tdi_rod_pose *pose = &s->pose[i];
    const tdi_joint_strain strain = {pose->kb, pose->chi,       pose->k1,
                                     pose->k2, pose->twist_sin, pose->twist_cos};
    tdi_edge room;
    const tdi_edge *seen = tdi_rod_before(s->model, s->pose, i, &room);
    tdi_joint_derive(seen, &pose->edge, law, &strain, pose->twist, whole, out);
    if (n->flags & TDI_REST_FRAME) {
        tdi_rest_frame_derive(&s->pose[n->parent].edge, seen, whole, out);
    }
}
