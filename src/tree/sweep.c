// SPDX-License-Identifier: MIT
// Block elimination along the tree: one sweep tip to root, one root to tip, O(bodies).
//
// Solves for the increments that make this quadratic model least:
//
//   sum over bodies of  1/2 V^T [A B; B^T C] V + (n, f).V
// + sum over joints of  1/2 y^T K y + g.y - 1/2 y.(t x w_p)
//
// V = (w, u) is the turn of a body and the shift of its joint origin, y the turn of its joint:
//   w_i = w_p + y,   u_i = u_p + w_p x r (+ the slide),   r = o_i - o_p.
// The last term is what two turns in sequence make of the joint's moment t.
//
// Ball joint, D = A + K, L = K + 1/2 [t]x. Eliminating y leaves for the parent
//   A' = K - L^T D^-1 L,  B' = L^T D^-1 B,  C' = C - B^T D^-1 B,
//   n' = -g + L^T D^-1 (n + g),  f' = f - B^T D^-1 (n + g)
// in which nothing cancels when K and t are 0, and symmetry is exact.

#include "tree/kernels.h"

#include <string.h>

#define PIVOT_FLOOR 1e-13 // over the trace: below this a pivot is noise

// ---- taming ---------------------------------------------------------------------------------

// The positive part of a symmetric matrix, by Jacobi's rotations.
static td_sym3 positive_part(td_sym3 s) {
    td_real a[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    td_real v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 12; k++) {
        int p = k % 3 == 2 ? 1 : 0, q = k % 3 == 0 ? 1 : 2;
        if (a[p][q] == 0) {
            continue;
        }
        td_real t = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        t = (t < 0 ? -1 : 1) / (fabs(t) + sqrt(t * t + 1));
        td_real c = 1 / sqrt(t * t + 1), n = t * c;
        for (int i = 0; i < 3; i++) {
            td_real x = a[i][p], y = a[i][q];
            a[i][p] = c * x - n * y;
            a[i][q] = n * x + c * y;
        }
        for (int i = 0; i < 3; i++) {
            td_real x = a[p][i], y = a[q][i], vx = v[i][p], vy = v[i][q];
            a[p][i] = c * x - n * y;
            a[q][i] = n * x + c * y;
            v[i][p] = c * vx - n * vy;
            v[i][q] = n * vx + c * vy;
        }
    }
    td_sym3 out = {0, 0, 0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        if (a[k][k] > 0) {
            out = tdi_sym3_add(out, tdi_sym3_square(tdi_vec3(v[0][k], v[1][k], v[2][k]), a[k][k]));
        }
    }
    return out;
}

// ---- ball joints ----------------------------------------------------------------------------

// Factors the pivot of a ball joint and makes what is left for the parent. `block` already holds
// the swing. False when the pivot is not positive.
static inline bool eliminate_ball(const tdi_block *block, const tdi_wrench *load, const td_sym3 *k,
                                  td_vec3 g, bool tame, tdi_ldl3 *pivot, tdi_block *left,
                                  tdi_wrench *rest) {
    td_sym3 d = tdi_sym3_add(block->a, *k);
    td_real floor = PIVOT_FLOOR * (fabs(d.xx) + fabs(d.yy) + fabs(d.zz)) + 1e-300;
    if (tdi_ldl3_factor(pivot, &d, floor) && !tame) {
        return false;
    }
    // in a tame model the moment of a joint is left out of its coupling, which is not positive
    td_vec3 t = tame ? tdi_vec3(0, 0, 0) : g;
    tdi_mat3 l = tdi_spring_matrix(k, t);
    tdi_mat3 dl = tdi_solve_columns(pivot, &l), db = tdi_solve_columns(pivot, &block->b);
    td_sym3 ldl = tdi_product_sym(&l, &dl), bdb = tdi_product_sym(&block->b, &db);
    left->a = tdi_sym3_add(*k, tdi_sym3_scale(ldl, -1));
    left->b = tdi_product_t(&l, &db);
    left->c = tdi_sym3_add(block->c, tdi_sym3_scale(bdb, -1));
    td_vec3 du = tdi_ldl3_solve(pivot, tdi_add(load->n, g));
    rest->n = tdi_sub(tdi_mat3_apply_t(&l, du), g);
    rest->f = tdi_sub(load->f, tdi_mat3_apply_t(&block->b, du));
    return true;
}

// D y = -(n + g + (A - 1/2 [t]x) w_p + B u)
static inline td_vec3 ball_step(const tdi_block *block, const tdi_wrench *load, td_vec3 g,
                                td_vec3 t, const tdi_ldl3 *pivot, td_vec3 turn, td_vec3 shift) {
    td_vec3 b = tdi_add(load->n, g);
    b = tdi_add(b, tdi_sym3_apply(&block->a, turn));
    b = tdi_madd(b, tdi_cross(t, turn), -0.5);
    b = tdi_add(b, tdi_mat3_apply(&block->b, shift));
    return tdi_scale(tdi_ldl3_solve(pivot, b), -1);
}

// ---- other joints, by their columns ---------------------------------------------------------

// What a turn w_p of the parent and the joint's own step y make together, y k.w_p: the turns come
// one after the other, and the slide goes along the turned axis. N and F are the moment and force
// of the gradient summed over the subtree: k = 1/2 a x N for a turn about a, a x F for a slide
// along it.
static inline td_vec3 coupling(const td_tree_state *s, int32_t i, const tdi_twist *column) {
    return tdi_madd(tdi_cross(column->v, s->pull[i]), tdi_cross(column->w, s->spin[i]), 0.5);
}

// U = M S, D = S^T U + K; with the couplings added to U, M' = M - U D^-1 U^T,
// p' = p - U D^-1 (S^T p + g)
static bool eliminate_columns(const td_tree_model *m, td_tree_state *s, int32_t i, bool tame,
                              tdi_block *left, tdi_wrench *rest) {
    int32_t first = m->dof[i], k = m->dof[i + 1] - first;
    const tdi_twist *column = s->column + first;
    td_real *dense = s->dense + 36 * (ptrdiff_t)m->dense_place[i];
    tdi_wrench u[6];
    td_real x[6];
    for (int32_t c = 0; c < k; c++) {
        u[c] = tdi_block_apply(&s->block[i], &column[c]);
    }
    for (int32_t a = 0; a < k; a++) {
        for (int32_t b = 0; b <= a; b++) {
            dense[6 * a + b] = tdi_pair(&u[a], &column[b]);
        }
        dense[7 * a] += s->joint_k[first + a];
        x[a] = tdi_pair(&s->load[i], &column[a]) + s->joint_g[first + a];
    }
    if (k > 0 && tdi_factor_dense(dense, k, PIVOT_FLOOR) && !tame) {
        return false;
    }
    *left = s->block[i];
    *rest = s->load[i];
    tdi_solve_dense(dense, k, x);
    for (int32_t c = 0; c < k && !tame; c++) {
        u[c].n = tdi_add(u[c].n, coupling(s, i, &column[c]));
    }
    for (int32_t c = 0; c < k; c++) {
        td_real e[6] = {0};
        tdi_wrench du = {{0, 0, 0}, {0, 0, 0}};
        e[c] = 1;
        tdi_solve_dense(dense, k, e);
        for (int32_t d = 0; d < k; d++) {
            du.n = tdi_madd(du.n, u[d].n, e[d]);
            du.f = tdi_madd(du.f, u[d].f, e[d]);
        }
        tdi_subtract_outer(left, &u[c], &du);
        rest->n = tdi_madd(rest->n, u[c].n, -x[c]);
        rest->f = tdi_madd(rest->f, u[c].f, -x[c]);
    }
    return true;
}

static void columns_step(const td_tree_model *m, td_tree_state *s, int32_t i, bool tame,
                         tdi_twist *move) {
    int32_t first = m->dof[i], k = m->dof[i + 1] - first;
    const tdi_twist *column = s->column + first;
    const td_real *dense = s->dense + 36 * (ptrdiff_t)m->dense_place[i];
    tdi_wrench p = tdi_block_apply(&s->block[i], move);
    td_real *step = s->step + first;
    p.n = tdi_add(p.n, s->load[i].n);
    p.f = tdi_add(p.f, s->load[i].f);
    for (int32_t c = 0; c < k; c++) {
        step[c] = -tdi_pair(&p, &column[c]) - s->joint_g[first + c];
        step[c] -= tame ? 0 : tdi_dot(coupling(s, i, &column[c]), move->w);
    }
    tdi_solve_dense(dense, k, step);
    for (int32_t c = 0; c < k; c++) {
        move->w = tdi_madd(move->w, column[c].w, step[c]);
        move->v = tdi_madd(move->v, column[c].v, step[c]);
    }
}

// ---- sweeps ---------------------------------------------------------------------------------

// `spin` is the moment that a turn of the parent alone meets: a ball joint keeps its body's own
// rotation, and only its spring feels the turn.
static inline void hand_down(const td_tree_model *m, td_tree_state *s, int32_t i, td_vec3 spin,
                             const tdi_block *left, const tdi_wrench *rest) {
    int32_t p = m->parent[i];
    if (p == TD_NONE) {
        return;
    }
    td_vec3 r = tdi_sub(s->frame[i].o, s->frame[p].o);
    tdi_block_add(&s->block[p], left, r);
    tdi_wrench_add(&s->load[p], rest, r);
    s->swing[p] = tdi_sym3_add(s->swing[p], tdi_swing(r, s->pull[i]));
    s->pull[p] = tdi_add(s->pull[p], s->pull[i]);
    s->spin[p] = tdi_add(s->spin[p], tdi_add(spin, tdi_cross(r, s->pull[i])));
}

static bool sweep_in(const td_tree_model *m, td_tree_state *s, bool tame) {
    for (int32_t k = m->run_count - 1; k >= 0; k--) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.last - 1; i >= run.first; i--) {
            tdi_block left;
            tdi_wrench rest;
            bool fine;
            td_vec3 spin;
            td_sym3 swing = tame ? positive_part(s->swing[i]) : s->swing[i];
            s->block[i].a = tdi_sym3_add(s->block[i].a, swing);
            if (run.ball) {
                const td_real *g = s->joint_g + m->dof[i];
                td_vec3 moment = tdi_vec3(g[0], g[1], g[2]);
                spin = tdi_scale(moment, -1);
                fine = eliminate_ball(&s->block[i], &s->load[i], &s->joint_a[i], moment, tame,
                                      &s->pivot[i], &left, &rest);
            } else {
                spin = s->spin[i];
                fine = eliminate_columns(m, s, i, tame, &left, &rest);
            }
            if (!fine) {
                return false;
            }
            hand_down(m, s, i, spin, &left, &rest);
        }
    }
    return true;
}

static void sweep_out(const td_tree_model *m, td_tree_state *s, bool tame) {
    const tdi_twist still = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; i < run.last; i++) {
            int32_t p = m->parent[i];
            const tdi_twist up = p == TD_NONE ? still : s->move[p];
            td_vec3 r = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o);
            tdi_twist move = {up.w, tdi_add(up.v, tdi_cross(up.w, r))};
            if (run.ball) {
                td_real *step = s->step + m->dof[i];
                const td_real *g = s->joint_g + m->dof[i];
                td_vec3 moment = tdi_vec3(g[0], g[1], g[2]);
                td_vec3 t = tame ? tdi_vec3(0, 0, 0) : moment;
                td_vec3 y =
                    ball_step(&s->block[i], &s->load[i], moment, t, &s->pivot[i], move.w, move.v);
                step[0] = y.x;
                step[1] = y.y;
                step[2] = y.z;
                move.w = tdi_add(move.w, y);
            } else {
                columns_step(m, s, i, tame, &move);
            }
            s->move[i] = move;
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

bool tdi_tree_solve(const td_tree_model *model, td_tree_state *state, bool tame) {
    if (!sweep_in(model, state, tame)) {
        return false;
    }
    sweep_out(model, state, tame);
    return true;
}
