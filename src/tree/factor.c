// SPDX-License-Identifier: MIT
// K + shift M of small motions about a pose, factored along the tree: tip to root once, then two
// sweeps a right-hand side, all O(bodies).
//
// Ball joint, with A, B, C the blocks of all that it carries, D = A + H and
//   L = H + 1/2 [t]x,  E = D - L = A - 1/2 [t]x,  t = -n of the load that it carries:
// eliminating its turn y leaves for the parent
//   A' = sym part of L^T D^-1 E,  B' = L^T D^-1 B,  C' = C - B^T D^-1 B
// in which nothing cancels, neither for limp joints nor for stiff ones, and of a load (n, f)
//   n' = L^T D^-1 n,  f' = f - B^T D^-1 n,  then  y = -D^-1 (n + E w_p + B u).
// Other joints, with columns S, the block G of all that they carry, and their coupling C:
//   D = S^T G S + K,  U = S^T G + C,  G' = G - U^T D^-1 U,
//   p' = p - U^T D^-1 S^T p,  then  x = -D^-1 (S^T p + U V_p).

#include "tree/tangent.h"

#include "tree/kernels.h"

#define PIVOT_FLOOR 1e-15 // over the trace: a thin link between heavy ones twists with little more

// ---- ball joints ----------------------------------------------------------------------------

static inline td_vec3 ball_moment(const tdi_tree_state *s, int32_t i) {
    return tdi_scale(s->node[i].load.n, -1);
}

static bool eliminate_ball(const tdi_tangent *at, int32_t i, tdi_block *left) {
    const tdi_tree_state *s = at->state;
    const tdi_block *block = &s->node[i].block;
    td_sym3 d = tdi_sym3_add(block->a, at->joint[i]);
    td_real floor = PIVOT_FLOOR * (fabs(d.xx) + fabs(d.yy) + fabs(d.zz)) + 1e-300;
    if (tdi_ldl3_factor(&at->pivot[i], &d, floor)) {
        return false;
    }
    td_vec3 t = ball_moment(s, i);
    tdi_mat3 l = tdi_spring_matrix(&at->joint[i], t);
    tdi_mat3 e = tdi_spring_matrix(&block->a, tdi_scale(t, -1));
    tdi_mat3 de = tdi_solve_columns(&at->pivot[i], &e);
    tdi_mat3 db = tdi_solve_columns(&at->pivot[i], &block->b);
    tdi_mat3 a = tdi_product_t(&l, &de);
    td_sym3 bdb = tdi_product_sym(&block->b, &db);
    left->a = (td_sym3){a.m[0],
                        a.m[4],
                        a.m[8],
                        0.5 * (a.m[1] + a.m[3]),
                        0.5 * (a.m[2] + a.m[6]),
                        0.5 * (a.m[5] + a.m[7])};
    left->b = tdi_product_t(&l, &db);
    left->c = tdi_sym3_add(block->c, tdi_sym3_scale(bdb, -1));
    return true;
}

static inline tdi_wrench reduce_ball(const tdi_tangent *t, int32_t i, const tdi_wrench *load) {
    const tdi_tree_state *s = t->state;
    td_vec3 y = tdi_ldl3_solve(&t->pivot[i], load->n);
    td_vec3 hy = tdi_sym3_apply(&t->joint[i], y);
    tdi_wrench rest = {tdi_madd(hy, tdi_cross(ball_moment(s, i), y), -0.5),
                       tdi_sub(load->f, tdi_mat3_apply_t(&s->node[i].block.b, y))};
    return rest;
}

// adds the turn to `move`, which comes in as the parent carries it, and gives it in its own axes
static inline void turn_ball(const tdi_tangent *t, int32_t i, const tdi_wrench *load,
                             tdi_twist *move, td_real *x) {
    const tdi_tree_state *s = t->state;
    td_vec3 b = tdi_add(load->n, tdi_sym3_apply(&s->node[i].block.a, move->w));
    b = tdi_madd(b, tdi_cross(ball_moment(s, i), move->w), -0.5);
    b = tdi_add(b, tdi_mat3_apply(&s->node[i].block.b, move->v));
    td_vec3 y = tdi_scale(tdi_ldl3_solve(&t->pivot[i], b), -1);
    td_vec3 own = tdi_mat3_apply_t(&s->frame[i].r, y);
    x[0] = own.x;
    x[1] = own.y;
    x[2] = own.z;
    move->w = tdi_add(move->w, y);
}

// ---- other joints, by their columns ---------------------------------------------------------

// U of the columns of body i
static inline void joint_rows(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i,
                              tdi_wrench *u) {
    const tdi_twist *column = s->other[m->other_place[i]].column;
    for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++, u++, column++) {
        *u = tdi_block_apply(&s->node[i].block, column);
        u->n = tdi_add(u->n, tdi_coupling(column, &s->node[i].load));
    }
}

static bool eliminate_columns(const tdi_tree_model *m, tdi_tree_state *s, int32_t i,
                              tdi_block *left) {
    tdi_twist *column = s->other[m->other_place[i]].column;
    td_real *dense = s->other[m->other_place[i]].dense;
    int32_t k = tdi_columns_of(m, s, i, column);
    tdi_wrench u[6];
    for (int32_t a = 0; a < k; a++) {
        tdi_wrench g = tdi_block_apply(&s->node[i].block, &column[a]);
        for (int32_t b = 0; b <= a; b++) {
            dense[6 * a + b] = tdi_power(&g, &column[b]);
        }
        dense[7 * a] += tdi_single_stiffness(m, i);
    }
    // a free joint's inertias are in kg and in kg m^2, so no pivot can be told from noise
    if (tdi_factor_dense(dense, k, 0)) {
        return false;
    }
    joint_rows(m, s, i, u);
    *left = s->node[i].block;
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
    }
    return true;
}

static tdi_wrench reduce_columns(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i,
                                 const tdi_wrench *load) {
    int32_t first = m->dof[i], k = m->dof[i + 1] - first;
    tdi_wrench u[6], rest = *load;
    td_real x[6];
    joint_rows(m, s, i, u);
    for (int32_t c = 0; c < k; c++) {
        x[c] = tdi_power(load, &s->other[m->other_place[i]].column[c]);
    }
    tdi_solve_dense(s->other[m->other_place[i]].dense, k, x);
    for (int32_t c = 0; c < k; c++) {
        rest.n = tdi_madd(rest.n, u[c].n, -x[c]);
        rest.f = tdi_madd(rest.f, u[c].f, -x[c]);
    }
    return rest;
}

static void move_columns(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i,
                         const tdi_wrench *load, tdi_twist *move, td_real *x) {
    int32_t first = m->dof[i], k = m->dof[i + 1] - first;
    const tdi_twist *column = s->other[m->other_place[i]].column;
    tdi_wrench u[6];
    joint_rows(m, s, i, u);
    for (int32_t c = 0; c < k; c++) {
        x[c] = -tdi_power(load, &column[c]) - tdi_power(&u[c], move);
    }
    tdi_solve_dense(s->other[m->other_place[i]].dense, k, x);
    for (int32_t c = 0; c < k; c++) {
        move->w = tdi_madd(move->w, column[c].w, x[c]);
        move->v = tdi_madd(move->v, column[c].v, x[c]);
    }
}

// ---- sweeps ---------------------------------------------------------------------------------

// tip to root: what the joints leave of the loads
static void sweep_in(const tdi_tangent *t) {
    const tdi_tree_model *m = t->model;
    const tdi_tree_state *s = t->state;
    for (int32_t k = m->run_count - 1; k >= 0; k--) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.last - 1; i >= run.first; i--) {
            int32_t p = m->parent[i];
            if (p != TD_NONE) {
                tdi_wrench rest = run.ball ? reduce_ball(t, i, &t->wrench[i])
                                           : reduce_columns(m, s, i, &t->wrench[i]);
                tdi_wrench_add(&t->wrench[p], &rest, tdi_sub(s->frame[i].o, s->frame[p].o));
            }
        }
    }
}

// root to tip: the joints' motions
static void sweep_out(const tdi_tangent *t, td_real *x) {
    const tdi_tree_model *m = t->model;
    tdi_tree_state *s = t->state;
    const tdi_twist still = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; i < run.last; i++) {
            int32_t p = m->parent[i];
            const tdi_twist up = p == TD_NONE ? still : s->node[p].move;
            td_vec3 r = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o);
            tdi_twist move = {up.w, tdi_add(up.v, tdi_cross(up.w, r))};
            if (run.ball) {
                turn_ball(t, i, &t->wrench[i], &move, x + m->dof[i]);
            } else {
                move_columns(m, s, i, &t->wrench[i], &move, x + m->dof[i]);
            }
            s->node[i].move = move;
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

bool tdi_tangent_factor(void *tangent, td_real shift) {
    const tdi_tangent *t = tangent;
    const tdi_tree_model *m = t->model;
    tdi_tree_state *s = t->state;
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_block mass = tdi_mass_block(&t->mass[i]), *stiffness = &t->stiffness[i];
        tdi_block *block = &s->node[i].block;
        block->a = tdi_sym3_add(stiffness->a, tdi_sym3_scale(mass.a, shift));
        block->c = tdi_sym3_add(stiffness->c, tdi_sym3_scale(mass.c, shift));
        for (int k = 0; k < 9; k++) {
            block->b.m[k] = stiffness->b.m[k] + shift * mass.b.m[k];
        }
    }
    for (int32_t k = m->run_count - 1; k >= 0; k--) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.last - 1; i >= run.first; i--) {
            tdi_block left;
            int32_t p = m->parent[i];
            if (!(run.ball ? eliminate_ball(t, i, &left) : eliminate_columns(m, s, i, &left))) {
                return false;
            }
            if (p != TD_NONE) {
                tdi_block_add(&s->node[p].block, &left, tdi_sub(s->frame[i].o, s->frame[p].o));
            }
        }
    }
    return true;
}

void tdi_tangent_respond(void *tangent, td_real *x) {
    const tdi_tangent *t = tangent;
    tdi_tangent_load(t, x);
    sweep_in(t);
    sweep_out(t, x);
}
