// SPDX-License-Identifier: MIT
// Increments with the factors of an earlier step, for trees that may err: the gradient is that of
// the pose, and only the Hessian is old.
//
// What hangs on a joint turns with it, and so does its Hessian. Factors are kept in the axes of
// their bodies, so that only turns of the joints make them old: with T the largest of these and x
// the largest increment they leave about T x of it, where new ones leave x^2.

#include "tree/reuse.h"

#include "tree/kernels.h"

#include <math.h>

#define TERMS 8 // made at once

// ---- keeping --------------------------------------------------------------------------------

// R^T M R
static tdi_mat3 in_axes(const tdi_mat3 *r, const tdi_mat3 *m) {
    tdi_mat3 right;
    for (int i = 0; i < 3; i++) {
        const td_vec3 row = tdi_mat3_apply_t(r, tdi_mat3_row(m, i));
        right.m[3 * i] = row.x;
        right.m[3 * i + 1] = row.y;
        right.m[3 * i + 2] = row.z;
    }
    return tdi_product_t(r, &right);
}

void tdi_kept_take(const tdi_tree_state *s, tdi_kept *kept) {
    const tdi_tree_model *m = s->model;
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_node *node = &s->node[i];
        const tdi_mat3 r = tdi_mat3_from_quat(node->turn_old),
                       inverse = tdi_solve_columns(&node->pivot, &r);
        const td_real *q = s->q + m->coord[i];
        kept[i] = (tdi_kept){in_axes(&r, &node->turn),
                             in_axes(&r, &node->shift),
                             tdi_product_sym(&r, &inverse),
                             {q[0], q[1], q[2], q[3]}};
    }
}

// Of quaternions with the product c: 2 acos(c), of small turns (8 (1 - c))^(1/2). In x of
// `foreseen` the sum of all joints that carry a body.
td_real tdi_kept_turned(tdi_tree_state *s, const tdi_kept *kept) {
    const tdi_tree_model *m = s->model;
    td_real most = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        const int32_t p = m->parent[i];
        const td_real *a = kept[i].q, *b = s->q + m->coord[i],
                      c = fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]),
                      turn = c < 1 ? sqrt(8 * (1 - c)) : 0;
        s->foreseen[i].x = (p == TD_NONE ? 0 : s->foreseen[p].x) + turn;
        most = fmax(most, s->foreseen[i].x);
    }
    return most;
}

// ---- tip to root ----------------------------------------------------------------------------

static void leave(tdi_tree_state *s, int32_t p, td_vec3 n, td_vec3 f) {
    tdi_wrench *load = &s->node[p].load;
    *load =
        s->summed[p] ? (tdi_wrench){tdi_add(load->n, n), tdi_add(load->f, f)} : (tdi_wrench){n, f};
    s->summed[p] = TDI_SUMMED;
}

// With r = n + g:  D^-1 r,  n' = -g + (D^-1 L)^T r,  f' = f - (D^-1 B)^T r
static void take_ball(const tdi_tree_model *m, tdi_tree_state *s, int32_t i, const tdi_term *t,
                      const tdi_kept *by) {
    tdi_node *node = &s->node[i];
    const tdi_mat3 *r = &s->frame[i].r;
    const td_vec3 g = tdi_vec3(t->g[0], t->g[1], t->g[2]);
    const bool summed = s->summed[i] != 0;
    const td_vec3 n = summed ? tdi_add(t->load.n, node->load.n) : t->load.n,
                  f = summed ? tdi_add(t->load.f, node->load.f) : t->load.f,
                  rest = tdi_mat3_apply_t(r, tdi_add(n, g));
    const int32_t p = m->parent[i];
    s->summed[i] = 0;
    node->r = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o);
    node->free = tdi_sym3_apply(&by->inverse, rest);
    s->slot[0].predicted_decrease += tdi_dot(rest, node->free);
    if (p != TD_NONE) {
        const td_vec3 moment = tdi_mat3_apply(r, tdi_mat3_apply_t(&by->turn, rest)),
                      force = tdi_sub(f, tdi_mat3_apply(r, tdi_mat3_apply_t(&by->shift, rest)));
        leave(s, p, tdi_add(tdi_sub(moment, g), tdi_cross(node->r, force)), force);
    }
}

void tdi_sweep_in_again(const tdi_tree_model *m, tdi_tree_state *s, const tdi_terms *terms,
                        const tdi_kept *kept) {
    tdi_term t[TERMS];
    s->kept = kept;
    s->slot[0].predicted_decrease = 0;
    for (int32_t end = m->body_count; end > 0; end -= TERMS) {
        const int32_t first = end > TERMS ? end - TERMS : 0;
        terms->balls(terms->context, first, end - first, t);
        for (int32_t i = end - 1; i >= first; i--) {
            take_ball(m, s, i, &t[i - first], &kept[i]);
        }
    }
}
