// SPDX-License-Identifier: MIT
// Terms of an edge and its joint, and how they get to the nodes.
//
//   o = x_p,  e = x_p - x_g,  f = x_i - x_p   for a node i, its parent p, its grandparent g.

#include "rod/element.h"

#include "rod/rest_frame.h"
#include "rod/solve.h"

#include <string.h>

// ---- filling --------------------------------------------------------------------------------

// h[row..][column..] += s B, a 3x3 block above the diagonal
static inline void add_block(tdi_rod_element *el, int row, int column, const tdi_mat3 *b,
                             td_real s) {
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            el->hessian[row + k][column + l] += s * b->m[3 * k + l];
        }
    }
}

static inline void add_symmetric(tdi_rod_element *el, int at, const td_sym3 *b, td_real s) {
    el->hessian[at][at] += s * b->xx;
    el->hessian[at][at + 1] += s * b->xy;
    el->hessian[at][at + 2] += s * b->xz;
    el->hessian[at + 1][at + 1] += s * b->yy;
    el->hessian[at + 1][at + 2] += s * b->yz;
    el->hessian[at + 2][at + 2] += s * b->zz;
}

static inline void add_vector(td_real *to, td_vec3 v) {
    to[0] += v.x;
    to[1] += v.y;
    to[2] += v.z;
}

// dx = do + J df + j dturn with J = share + [-r]x W, j = -r x t
void tdi_element_add_point(tdi_rod_element *el, const tdi_edge_jacobian *w, td_real share,
                           td_vec3 r, td_vec3 g, const td_sym3 *h) {
    tdi_mat3 lever = tdi_mat3_cross(tdi_scale(r, -1));
    tdi_mat3 by_f = tdi_mat3_mul(&lever, &w->by_f);
    by_f.m[0] += share;
    by_f.m[4] += share;
    by_f.m[8] += share;
    td_vec3 by_turn = tdi_cross(w->by_turn, r);
    tdi_mat3 whole = tdi_mat3_from_sym3(h), hf = tdi_mat3_mul(&whole, &by_f),
             by_f_t = tdi_mat3_transposed(&by_f), ff = tdi_mat3_mul(&by_f_t, &hf);
    td_vec3 ht = tdi_sym3_apply(h, by_turn), ft = tdi_mat3_apply(&by_f_t, ht);
    add_vector(el->gradient + TDI_O, g);
    add_vector(el->gradient + TDI_F, tdi_mat3_apply(&by_f_t, g));
    el->gradient[TDI_SPIN_F] += tdi_dot(by_turn, g);
    add_symmetric(el, TDI_O, h, 1);
    add_block(el, TDI_O, TDI_F, &hf, 1);
    td_sym3 square = {ff.m[0], ff.m[4], ff.m[8], ff.m[1], ff.m[2], ff.m[5]};
    add_symmetric(el, TDI_F, &square, 1);
    for (int k = 0; k < 3; k++) {
        el->hessian[TDI_O + k][TDI_SPIN_F] += k == 0 ? ht.x : k == 1 ? ht.y : ht.z;
        el->hessian[TDI_F + k][TDI_SPIN_F] += k == 0 ? ft.x : k == 1 ? ft.y : ft.z;
    }
    el->hessian[TDI_SPIN_F][TDI_SPIN_F] += tdi_dot(by_turn, ht);
}

void tdi_element_add_moment(tdi_rod_element *el, const tdi_edge_jacobian *w, td_vec3 moment) {
    add_vector(el->gradient + TDI_F, tdi_mat3_apply_t(&w->by_f, moment));
    el->gradient[TDI_SPIN_F] += tdi_dot(w->by_turn, moment);
}

// In (do, w): [m, -[r]x; [r]x, J], and w = W df + t dturn.
void tdi_element_add_body(tdi_rod_element *el, const tdi_edge_jacobian *w, td_real mass, td_vec3 r,
                          const td_sym3 *inertia, td_vec3 force, td_vec3 moment) {
    tdi_mat3 lever = tdi_mat3_cross(tdi_scale(r, -1)), of = tdi_mat3_mul(&lever, &w->by_f);
    tdi_mat3 j = tdi_mat3_from_sym3(inertia), jw = tdi_mat3_mul(&j, &w->by_f),
             w_t = tdi_mat3_transposed(&w->by_f), ff = tdi_mat3_mul(&w_t, &jw);
    td_vec3 ot = tdi_cross(w->by_turn, r), jt = tdi_sym3_apply(inertia, w->by_turn),
            ft = tdi_mat3_apply(&w_t, jt);
    const td_sym3 m = tdi_sym3_diagonal(mass, mass, mass);
    const td_sym3 square = {ff.m[0], ff.m[4], ff.m[8], ff.m[1], ff.m[2], ff.m[5]};
    add_vector(el->gradient + TDI_O, force);
    tdi_element_add_moment(el, w, moment);
    add_symmetric(el, TDI_O, &m, 1);
    add_block(el, TDI_O, TDI_F, &of, 1);
    add_symmetric(el, TDI_F, &square, 1);
    td_real o[3] = {ot.x, ot.y, ot.z}, f[3] = {ft.x, ft.y, ft.z};
    for (int k = 0; k < 3; k++) {
        el->hessian[TDI_O + k][TDI_SPIN_F] += o[k];
        el->hessian[TDI_F + k][TDI_SPIN_F] += f[k];
    }
    el->hessian[TDI_SPIN_F][TDI_SPIN_F] += tdi_dot(w->by_turn, jt);
}

void tdi_element_add_second_derivative(tdi_rod_element *el, bool before, const tdi_edge *edge,
                                       td_vec3 m, const tdi_mat3 *q) {
    const int at = before ? TDI_E : TDI_F, spin = before ? TDI_SPIN_E : TDI_SPIN_F;
    td_real block[4][4] = {{0}};
    tdi_turning_second_derivative(edge, m, q, block);
    for (int k = 0; k < 3; k++) {
        for (int l = k; l < 3; l++) {
            el->hessian[at + k][at + l] += block[k][l];
        }
        el->hessian[at + k][spin] += block[k][3];
    }
    el->hessian[spin][spin] += block[3][3];
}

// ---- offsets --------------------------------------------------------------------------------

// With the start at x_p + r:  do = dx_p - s,  df = d(x_i - x_p) + s,  s = [r]x (t x de/|e| + t
// dturn). The columns of e and its turn gain those of f minus those of o times the change.
void tdi_element_move(tdi_rod_element *el, const tdi_edge *before, td_vec3 r, bool whole) {
    tdi_edge_jacobian w = tdi_edge_jacobian_of(before);
    tdi_mat3 lever = tdi_mat3_cross(r), by_e = tdi_mat3_mul(&lever, &w.by_f);
    td_vec3 by_turn = tdi_cross(r, w.by_turn);
    td_real change[4][3], h[TDI_ELEMENT][TDI_ELEMENT];
    const td_real *o = el->gradient + TDI_O, *f = el->gradient + TDI_F;
    const td_vec3 pull = {o[0] - f[0], o[1] - f[1], o[2] - f[2]}; // by the end of r
    static const int to[4] = {TDI_E, TDI_E + 1, TDI_E + 2, TDI_SPIN_E};
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            change[l][k] = by_e.m[3 * k + l];
        }
    }
    change[3][0] = by_turn.x;
    change[3][1] = by_turn.y;
    change[3][2] = by_turn.z;
    for (int k = 0; k < TDI_ELEMENT; k++) {
        for (int l = 0; l < TDI_ELEMENT; l++) {
            h[k][l] = k <= l ? el->hessian[k][l] : el->hessian[l][k];
        }
    }
    for (int v = 0; v < 4; v++) {
        for (int k = 0; k < 3; k++) {
            td_real c = change[v][k];
            el->gradient[to[v]] += c * (el->gradient[TDI_F + k] - el->gradient[TDI_O + k]);
            for (int l = 0; l < TDI_ELEMENT; l++) {
                h[l][to[v]] += c * (h[l][TDI_F + k] - h[l][TDI_O + k]);
            }
        }
    }
    for (int v = 0; v < 4; v++) {
        for (int k = 0; k < 3; k++) {
            td_real c = change[v][k];
            for (int l = 0; l < TDI_ELEMENT; l++) {
                h[to[v]][l] += c * (h[TDI_F + k][l] - h[TDI_O + k][l]);
            }
        }
    }
    memcpy(el->hessian, h, sizeof h);
    if (whole) {
        const tdi_mat3 q = tdi_mat3_outer(pull, r);
        tdi_element_add_second_derivative(el, true, before, tdi_cross(r, pull), &q);
    }
}

// ---- to the nodes ---------------------------------------------------------------------------

enum { NODE = 0, UP = 4, FAR = 8, SIDES = 12 }; // unknowns of node, parent and grandparent

// A row or column by o, e, f and the turns becomes one by the unknowns of the nodes.
static inline void to_unknowns(const td_real by[TDI_ELEMENT], bool joint, td_real out[SIDES]) {
    for (int k = 0; k < 3; k++) {
        out[NODE + k] = by[TDI_F + k];
        out[UP + k] = by[TDI_O + k] + by[TDI_E + k] - by[TDI_F + k];
        out[FAR + k] = -by[TDI_E + k];
    }
    out[NODE + 3] = by[TDI_SPIN_F];
    out[UP + 3] = joint ? by[TDI_SPIN_E] : 0;
    out[FAR + 3] = 0;
}

static void add_part(const tdi_rod_state *s, td_real h[SIDES][SIDES], const int32_t nodes[3], int a,
                     int b) {
    td_real block[4][4];
    for (int k = 0; k < 4; k++) {
        memcpy(block[k], &h[4 * a + k][4 * b], sizeof block[k]);
    }
    tdi_rod_block_add(s, nodes[a], nodes[b], block);
}

static void scatter_hessian(const tdi_rod_element *el, const tdi_rod_state *s,
                            const int32_t nodes[3], int count) {
    td_real half[SIDES][TDI_ELEMENT], h[SIDES][SIDES];
    for (int k = 0; k < TDI_ELEMENT; k++) {
        td_real row[TDI_ELEMENT], out[SIDES];
        for (int l = 0; l < TDI_ELEMENT; l++) {
            row[l] = k <= l ? el->hessian[k][l] : el->hessian[l][k];
        }
        to_unknowns(row, count == 3, out);
        for (int l = 0; l < SIDES; l++) {
            half[l][k] = out[l];
        }
    }
    for (int k = 0; k < 4 * count; k++) {
        to_unknowns(half[k], count == 3, h[k]);
    }
    for (int a = 0; a < count; a++) {
        for (int b = a; b < count; b++) {
            add_part(s, h, nodes, a, b);
        }
    }
}

void tdi_element_scatter(const tdi_rod_element *el, const tdi_rod_state *s, int32_t i,
                         bool only_gradient) {
    const tdi_rod_node *n = &s->model->node[i];
    const int32_t nodes[3] = {i, n->parent, n->grand};
    const int count = tdi_has_joint(n) ? 3 : 2;
    td_real out[SIDES];
    to_unknowns(el->gradient, count == 3, out);
    for (int k = 0; k < 4 * count; k++) {
        s->work[nodes[k / 4]].r[k % 4] += out[k];
    }
    if (!only_gradient) {
        scatter_hessian(el, s, nodes, count);
    }
}
