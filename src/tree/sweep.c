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
// in which nothing cancels when K and t are 0, and symmetry is exact. On the way out
//   w = D^-1 L w_p - D^-1 B u - D^-1 (n + g).
//
// Forces    Geometric stiffness is that of the force f of the gradient on a joint, summed over all
//           that the joint carries. Where constraints hold a long chain, what is left of the
//           gradient adds up along it to forces that no joint will feel, under which it would
//           buckle. There f + C u + B^T w, as the last increment had it, replaces the sum: at the
//           solution both are the same. The same increment tells where origins go to the first
//           order, of which the geometric stiffness of inertia is made.
//
// A body's term is made when its joint is eliminated and goes into the same node as what its
// children left, so that each sweep reads and writes a body once.

#include "tree/sweep.h"

#include "base/fetch.h"
#include "tree/kernels.h"
#include "tree/raise.h"
#include "tree/rows.h"
#include "tree/trial.h"

#include <string.h>

#define PIVOT_FLOOR 1e-13 // over the trace: below this a pivot is noise
#define TERMS       8     // made at once

static inline td_real pivot_floor(const td_sym3 *s) {
    return PIVOT_FLOOR * (fabs(s->xx) + fabs(s->yy) + fabs(s->zz)) + 1e-300;
}

// ---- sums -----------------------------------------------------------------------------------

// A body with all that hangs on it.
typedef struct total {
    tdi_block block;
    tdi_wrench load;
    td_vec3 pull, spin;
} total;

// What a body and its joint leave for what carries it, at its own origin.
typedef struct leaving {
    tdi_block block;
    tdi_wrench load;
    td_vec3 pull, spin;
    td_real predicted_decrease; // r^T D^-1 r of the joint
} leaving;

static inline total add_up(const tdi_term *t, const tdi_node *node, bool summed, bool positive) {
    total sum = {t->block, t->load, t->pull, t->load.n};
    td_sym3 geometric = t->geometric;
    if (summed) {
        tdi_block_sum(&sum.block, &node->block);
        sum.load.n = tdi_add(sum.load.n, node->load.n);
        sum.load.f = tdi_add(sum.load.f, node->load.f);
        sum.pull = tdi_add(sum.pull, node->pull);
        sum.spin = tdi_add(sum.spin, node->spin);
        geometric = tdi_sym3_add(geometric, node->geometric);
    }
    sum.block.a = tdi_sym3_add(sum.block.a, positive ? tdi_positive_part(geometric) : geometric);
    return sum;
}

static inline void hand_down(tdi_tree_state *s, int32_t i, int32_t p, const leaving *l) {
    const td_vec3 r = s->node[i].r;
    tdi_node *node = &s->node[p];
    tdi_block block = tdi_block_moved(&l->block, r);
    td_vec3 n = tdi_add(l->load.n, tdi_cross(r, l->load.f));
    td_vec3 spin = tdi_add(l->spin, tdi_cross(r, l->pull));
    td_sym3 geometric = tdi_geometric_stiffness(r, l->pull);
    if (s->summed[p]) {
        tdi_block_sum(&node->block, &block);
        node->load = (tdi_wrench){tdi_add(node->load.n, n), tdi_add(node->load.f, l->load.f)};
        node->pull = tdi_add(node->pull, l->pull);
        node->spin = tdi_add(node->spin, spin);
        node->geometric = tdi_sym3_add(node->geometric, geometric);
    } else {
        node->block = block;
        node->load = (tdi_wrench){n, l->load.f};
        node->pull = l->pull;
        node->spin = spin;
        node->geometric = geometric;
        s->summed[p] = TDI_SUMMED;
    }
    if (s->rows) {
        tdi_rows_hand_down(s->rows, i, p, r);
    }
}

// ---- ball joints ----------------------------------------------------------------------------

// Factors D = A + K with both made positive.
static tdi_ldl3 raise_pivot(tdi_block *block, td_sym3 *k) {
    tdi_ldl3 pivot;
    tdi_raise_block(block);
    *k = tdi_positive_part(*k);
    td_sym3 d = tdi_sym3_add(block->a, *k);
    tdi_ldl3_factor(&pivot, &d, pivot_floor(&d));
    return pivot;
}

// False when the pivot is not positive, unless the model is positive semi-definite.
static inline bool eliminate_ball(const tdi_term *t, td_vec3 passing, total *sum,
                                  const tdi_terms *terms, tdi_node *node, leaving *left) {
    const td_vec3 g = tdi_vec3(t->g[0], t->g[1], t->g[2]), lasting = tdi_sub(g, passing);
    td_sym3 k = t->ball;
    td_sym3 d = tdi_sym3_add(sum->block.a, k);
    tdi_ldl3 pivot;
    const bool fine = !tdi_ldl3_factor(&pivot, &d, pivot_floor(&d));
    if (!fine && terms->raise) {
        pivot = raise_pivot(&sum->block, &k);
    } else if (!fine && !terms->positive) {
        return false;
    }
    // where a model is made positive the moment of a joint is left out of its coupling, which is
    // not positive
    const tdi_mat3 l =
        tdi_spring_matrix(&k, fine && !terms->positive ? lasting : tdi_vec3(0, 0, 0));
    const tdi_mat3 dl = tdi_solve_columns(&pivot, &l);
    const tdi_mat3 db = tdi_solve_columns(&pivot, &sum->block.b);
    const td_vec3 du = tdi_ldl3_solve(&pivot, tdi_add(sum->load.n, g));
    td_sym3 ldl = tdi_product_sym(&l, &dl), bdb = tdi_product_sym(&sum->block.b, &db);
    left->block.a = tdi_sym3_add(k, tdi_sym3_scale(ldl, -1));
    left->block.b = tdi_product_t(&l, &db);
    left->block.c = tdi_sym3_add(sum->block.c, tdi_sym3_scale(bdb, -1));
    left->load.n = tdi_sub(tdi_mat3_apply_t(&l, du), g);
    left->load.f = tdi_sub(sum->load.f, tdi_mat3_apply_t(&sum->block.b, du));
    left->pull = sum->pull;
    // a turn of the parent alone leaves the body's own rotation: only the spring feels it
    left->spin = tdi_scale(lasting, -1);
    left->predicted_decrease = tdi_dot(tdi_add(sum->load.n, g), du);
    node->turn = dl;
    node->shift = db;
    node->free = du;
    if (terms->keep_factors) {
        node->pivot = pivot;
    }
    return fine || terms->positive;
}

// No further than `limit` from the parent; what the body carries is solved for where it comes to.
static inline void turn_ball(const tdi_tree_state *s, int32_t i, const tdi_twist *up,
                             td_real limit) {
    tdi_node *node = &s->node[i];
    td_vec3 u = tdi_add(up->v, tdi_cross(up->w, node->r)), w;
    w = tdi_sub(tdi_mat3_apply(&node->turn, up->w), tdi_mat3_apply(&node->shift, u));
    w = tdi_sub(w, node->free);
    td_vec3 y = tdi_sub(w, up->w);
    td_real y2 = tdi_dot(y, y);
    if (y2 > limit * limit) {
        w = tdi_madd(up->w, y, limit / sqrt(y2));
    }
    node->move = (tdi_twist){w, u};
}

// ---- other joints, by their columns ---------------------------------------------------------

// What a turn w_p of the parent and the joint's own step y make together, y k.w_p: the turns come
// one after the other, and the slide goes along the turned axis. N and F are the moment and force
// of the gradient summed over the subtree: k = 1/2 a x N for a turn about a, a x F for a slide
// along it.
static inline td_vec3 coupling(td_vec3 pull, td_vec3 spin, const tdi_twist *column) {
    return tdi_madd(tdi_cross(column->v, pull), tdi_cross(column->w, spin), 0.5);
}

// U = M S and D = S^T U + K, factored. False when that was not positive; with `raise` M is made so.
static bool factor_columns(const tdi_term *t, total *sum, int32_t k, bool raise, tdi_other *other,
                           tdi_wrench u[6]) {
    for (bool raised = false;; raised = true) {
        for (int32_t a = 0; a < k; a++) {
            u[a] = tdi_block_apply(&sum->block, &other->column[a]);
            for (int32_t b = 0; b <= a; b++) {
                other->dense[6 * a + b] = tdi_power(&u[a], &other->column[b]);
            }
            other->dense[7 * a] += t->joint[a];
        }
        bool fine = k == 0 || !tdi_factor_dense(other->dense, k, PIVOT_FLOOR);
        if (fine || !raise || raised) {
            return fine && !raised;
        }
        tdi_raise_block(&sum->block);
    }
}

// With the couplings added to U:  M' = M - U D^-1 U^T,  p' = p - U D^-1 (S^T p + g)
static bool eliminate_columns(const tdi_term *t, total *sum, int32_t k, const tdi_terms *terms,
                              tdi_node *node, tdi_other *other, leaving *left) {
    const tdi_twist *column = other->column;
    tdi_wrench u[6];
    td_real x[6] = {0};
    const bool fine = factor_columns(t, sum, k, terms->raise, other, u);
    other->coupled = fine && !terms->positive;
    for (int32_t a = 0; a < k; a++) {
        other->g[a] = t->g[a];
        x[a] = tdi_power(&sum->load, &column[a]) + t->g[a];
    }
    td_real r[6];
    memcpy(r, x, sizeof r);
    *left = (leaving){sum->block, sum->load, sum->pull, sum->spin, 0};
    tdi_solve_dense(other->dense, k, x);
    for (int32_t c = 0; c < k; c++) {
        left->predicted_decrease += r[c] * x[c];
    }
    for (int32_t c = 0; c < k && other->coupled; c++) {
        u[c].n = tdi_add(u[c].n, coupling(sum->pull, sum->spin, &column[c]));
    }
    for (int32_t c = 0; c < k; c++) {
        td_real e[6] = {0};
        tdi_wrench du = {{0, 0, 0}, {0, 0, 0}};
        e[c] = 1;
        tdi_solve_dense(other->dense, k, e);
        for (int32_t d = 0; d < k; d++) {
            du.n = tdi_madd(du.n, u[d].n, e[d]);
            du.f = tdi_madd(du.f, u[d].f, e[d]);
        }
        tdi_subtract_outer(&left->block, &u[c], &du);
        left->load.n = tdi_madd(left->load.n, u[c].n, -x[c]);
        left->load.f = tdi_madd(left->load.f, u[c].f, -x[c]);
    }
    node->block = sum->block;
    node->load = sum->load;
    node->pull = sum->pull;
    node->spin = sum->spin;
    return fine || terms->positive;
}

static void move_columns(tdi_node *node, tdi_other *other, int32_t k, const tdi_twist *up,
                         td_real limit) {
    const tdi_twist *column = other->column;
    td_real *step = other->step;
    tdi_twist move = {up->w, tdi_add(up->v, tdi_cross(up->w, node->r))};
    tdi_wrench p = tdi_block_apply(&node->block, &move);
    p.n = tdi_add(p.n, node->load.n);
    p.f = tdi_add(p.f, node->load.f);
    for (int32_t c = 0; c < k; c++) {
        step[c] = -tdi_power(&p, &column[c]) - other->g[c];
        step[c] -=
            other->coupled ? tdi_dot(coupling(node->pull, node->spin, &column[c]), move.w) : 0;
    }
    tdi_solve_dense(other->dense, k, step);
    td_real most = 0;
    for (int32_t c = 0; c < k; c++) {
        most = fmax(most, fabs(step[c]));
    }
    for (int32_t c = 0; c < k; c++) {
        step[c] *= most > limit ? limit / most : 1;
        move.w = tdi_madd(move.w, column[c].w, step[c]);
        move.v = tdi_madd(move.v, column[c].v, step[c]);
    }
    node->move = move;
}

// ---- tip to root ----------------------------------------------------------------------------

typedef struct sweep {
    const tdi_tree_model *model;
    tdi_tree_state *state;
    const tdi_terms *terms;
    td_real limit;
    bool attempt, note;
} sweep;

// What constraints add to a ball joint.
static inline void add_ball_pin(const tdi_joint_pin *pin, tdi_term *t) {
    t->ball = tdi_sym3_add(t->ball, pin->hessian);
    t->g[0] += pin->gradient.x;
    t->g[1] += pin->gradient.y;
    t->g[2] += pin->gradient.z;
}

static inline bool take_ball(const sweep *c, int32_t i, tdi_term *t, leaving *left) {
    tdi_tree_state *s = c->state;
    const bool pinned = s->summed[i] & TDI_PINNED;
    const td_vec3 none = {0, 0, 0}, passing = pinned ? s->joint[i].passing : none;
    if (pinned) {
        add_ball_pin(&s->joint[i], t);
    }
    total sum = add_up(t, &s->node[i], s->summed[i], c->terms->positive);
    td_real predicted_decrease = 0;
    if (s->rows && !tdi_rows_close(s->rows, i, &sum.block, &sum.load, &predicted_decrease)) {
        return false;
    }
    const bool fine = eliminate_ball(t, passing, &sum, c->terms, &s->node[i], left);
    if (s->rows && fine) {
        left->predicted_decrease += predicted_decrease;
        tdi_rows_pass(s->rows, i, &s->node[i]);
    }
    if (c->terms->note) {
        s->joint[i] = (tdi_joint_pin){.gradient = sum.load.f, .hessian = sum.block.c};
    }
    return fine;
}

static bool take_other(const sweep *c, int32_t i, leaving *left) {
    const tdi_tree_model *m = c->model;
    tdi_tree_state *s = c->state;
    tdi_other *other = &s->other[m->other_place[i]];
    int32_t count = tdi_columns_of(m, s, i, other->column);
    tdi_term t;
    c->terms->other(c->terms->context, i, &t);
    if (s->summed[i] & TDI_PINNED) {
        t.joint[0] += s->joint[i].hessian.xx;
        t.g[0] += s->joint[i].gradient.x;
    }
    total sum = add_up(&t, &s->node[i], s->summed[i], c->terms->positive);
    return eliminate_columns(&t, &sum, count, c->terms, &s->node[i], other, left);
}

// The last body of a part's subtree leaves what it has in the part's slot.
static inline void leave(const sweep *c, int32_t i, int32_t part, leaving *left) {
    tdi_tree_state *s = c->state;
    int32_t p = c->model->parent[i];
    s->summed[i] = 0;
    if (c->terms->noted) {
        left->pull = s->outcome.force[i];
    }
    s->node[i].r = tdi_sub(s->frame[i].o, tdi_parent_frame(c->model, s, i)->o);
    if (c->model->part[part].subtree && i == c->model->part[part].first) {
        tdi_slot *slot = &s->slot[part];
        slot->left = left->block;
        slot->rest = left->load;
        slot->pull = left->pull;
        slot->spin = left->spin;
    } else if (p != TD_NONE) {
        hand_down(s, i, p, left);
    }
}

// Asks for the memory of a body that comes soon: all of the next terms' at once would have to wait
// for each other.
TDI_FETCHES void fetch_ahead(const sweep *c, int32_t i) {
    const tdi_tree_state *s = c->state;
    if (i >= 0) {
        tdi_fetch(&s->frame[i], sizeof s->frame[i]);
        tdi_fetch(&s->bdf.predictor[i], sizeof s->bdf.predictor[i]);
        tdi_fetch(&c->model->body[i], offsetof(tdi_body, attach));
        tdi_fetch(&s->node[i], offsetof(tdi_node, move));
    }
}

static void part_in(void *context, int32_t part) {
    const sweep *c = context;
    const tdi_tree_model *m = c->model;
    const tdi_part bodies = m->part[part];
    tdi_slot *slot = &c->state->slot[part];
    slot->fine = true;
    slot->predicted_decrease = 0;
    for (int32_t k = tdi_run_of(m, bodies.last - 1); k >= 0 && m->run[k].last > bodies.first; k--) {
        const tdi_run run = tdi_run_within(m, k, bodies.first, bodies.last);
        leaving left;
        tdi_term terms[TERMS];
        for (int32_t end = run.last; run.ball && end > run.first; end -= TERMS) {
            int32_t first = end - TERMS > run.first ? end - TERMS : run.first;
            c->terms->balls(c->terms->context, first, end - first, terms);
            for (int32_t i = end - 1; i >= first; i--) {
                fetch_ahead(c, i - TERMS);
                slot->fine &= take_ball(c, i, &terms[i - first], &left);
                if (!slot->fine && !c->terms->raise) {
                    return;
                }
                slot->predicted_decrease += left.predicted_decrease;
                leave(c, i, part, &left);
            }
        }
        for (int32_t i = run.last - 1; !run.ball && i >= run.first; i--) {
            slot->fine &= take_other(c, i, &left);
            if (!slot->fine && !c->terms->raise) {
                return;
            }
            slot->predicted_decrease += left.predicted_decrease;
            leave(c, i, part, &left);
        }
    }
}

static void join_part(void *context, int32_t part) {
    const sweep *c = context;
    tdi_tree_state *s = c->state;
    int32_t root = c->model->part[part].first, p = c->model->parent[root];
    const tdi_slot *slot = &s->slot[part];
    if (p != TD_NONE) {
        const leaving left = {slot->left, slot->rest, slot->pull, slot->spin, 0};
        hand_down(s, root, p, &left);
    }
}

// ---- root to tip ----------------------------------------------------------------------------

// f + C u + B^T w, B being D (D^-1 B)
static inline td_vec3 ball_force(const tdi_node *node, const tdi_joint_pin *sum, td_vec3 w) {
    const td_vec3 dw = tdi_ldl3_apply(&node->pivot, w);
    const td_vec3 f = tdi_add(sum->gradient, tdi_sym3_apply(&sum->hessian, node->move.v));
    return tdi_add(f, tdi_mat3_apply_t(&node->shift, dw));
}

// The same of other joints, whose blocks are still there.
static td_vec3 column_force(const tdi_node *node) {
    return tdi_add(node->load.f, tdi_block_apply(&node->block, &node->move).f);
}

static inline td_real larger_square(td_real largest, td_vec3 v) {
    td_real v2 = tdi_dot(v, v);
    return v2 > largest ? v2 : largest;
}

static void part_out(void *context, int32_t part) {
    const sweep *c = context;
    const tdi_tree_model *m = c->model;
    tdi_tree_state *s = c->state;
    const tdi_part bodies = m->part[part];
    td_real largest = 0;
    bool finite = true;
    for (int32_t k = tdi_run_of(m, bodies.first); k < m->run_count && m->run[k].first < bodies.last;
         k++) {
        const tdi_run run = tdi_run_within(m, k, bodies.first, bodies.last);
        for (int32_t i = run.first; i < run.last; i++) {
            int32_t p = m->parent[i];
            tdi_node *node = &s->node[i];
            const tdi_twist *up = p == TD_NONE ? &s->base_move : &s->node[p].move;
            td_vec3 by_rows = {0, 0, 0};
            if (run.ball) {
                turn_ball(s, i, up, c->limit);
                if (s->rows) {
                    by_rows = tdi_rows_turn(s->rows, i);
                    node->move.w = tdi_add(node->move.w, by_rows);
                    tdi_rows_solve(s->rows, i, &node->move);
                }
                largest = larger_square(largest, tdi_sub(node->move.w, up->w));
            } else {
                tdi_other *other = &s->other[m->other_place[i]];
                int32_t count = m->dof[i + 1] - m->dof[i];
                move_columns(node, other, count, up, c->limit);
                for (int32_t d = 0; d < count; d++) {
                    largest = larger_square(largest, tdi_vec3(other->step[d], 0, 0));
                }
            }
            if (c->note) {
                s->outcome.force[i] =
                    run.ball ? ball_force(node, &s->joint[i], tdi_sub(node->move.w, by_rows))
                             : column_force(node);
                if (s->rows) {
                    s->outcome.force[i] = tdi_add(s->outcome.force[i], tdi_rows_pull(s->rows, i));
                }
                s->outcome.origin[i] = tdi_add(s->frame[i].o, node->move.v);
            }
            largest = larger_square(largest, node->move.w);
            finite &= tdi_dot(node->move.w, node->move.w) < HUGE_VAL;
            if (c->attempt) {
                tdi_body_keep(m, s, i, run.ball);
                tdi_body_try(m, s, i, run.ball, 1);
            }
        }
    }
    s->slot[part].largest = finite ? largest : NAN;
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_sweep_predicted_decrease(const tdi_tree_model *m, const tdi_tree_state *s) {
    td_real sum = 0;
    for (int32_t k = 0; k < m->part_count; k++) {
        sum += s->slot[k].predicted_decrease;
    }
    return sum;
}

bool tdi_sweep_in(const tdi_tree_model *m, tdi_tree_state *s, td_pool *pool,
                  const tdi_terms *terms) {
    sweep c = {m, s, terms, 0, false, false};
    bool fine = true;
    tdi_pass_in(m, pool, part_in, join_part, &c);
    for (int32_t k = 0; k < m->part_count; k++) {
        fine &= s->slot[k].fine;
    }
    if (!fine && !terms->raise) {
        memset(s->summed, 0, (size_t)m->body_count * sizeof *s->summed);
    }
    return fine;
}

td_real tdi_sweep_out(const tdi_tree_model *m, tdi_tree_state *s, td_pool *pool, td_real limit,
                      bool attempt, bool note) {
    sweep c = {m, s, NULL, limit, attempt, note};
    td_real largest = 0;
    bool finite = true;
    tdi_pass_out(m, pool, part_out, &c);
    for (int32_t k = 0; k < m->part_count; k++) {
        td_real x = s->slot[k].largest;
        finite &= !isnan(x);
        largest = x > largest ? x : largest;
    }
    s->rows = NULL;
    return finite ? sqrt(largest) : NAN;
}
