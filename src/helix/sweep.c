// SPDX-License-Identifier: MIT
// Terms of an element, and the sweeps: curvatures are eliminated from the tips to the root, and
// increments follow from the root to the tips.
//
// With the Hessian by (start, curvatures) in blocks K, L, D and the gradient r, g:
//   K' = K - L D^-1 L^T,  r' = r - L D^-1 g        left to the parent, in its axes
//   d = -D^-1 (g + L^T (w, v))                     on the way back

#include "helix/sweep.h"

#include <string.h>

// ---- terms ----------------------------------------------------------------------------------

// A' = A - B [r]x + [r]x B^T - [r]x C [r]x,  B' = B + [r]x C
static void shift_hessian(tdi_helix_block *k, td_vec3 r) {
    const tdi_mat3 turned = tdi_cross_sym(r, &k->c);
    tdi_mat3 both; // 2 B + [r]x C: A gains the symmetric part of [r]x both^T
    for (int j = 0; j < 9; j++) {
        both.m[j] = k->b.m[j] + k->b.m[j] + turned.m[j];
        k->b.m[j] += turned.m[j];
    }
    const td_vec3 x = tdi_cross(r, tdi_mat3_row(&both, 0)),
                  y = tdi_cross(r, tdi_mat3_row(&both, 1)),
                  z = tdi_cross(r, tdi_mat3_row(&both, 2));
    k->a = tdi_sym3_add(
        k->a, (td_sym3){x.x, y.y, z.z, 0.5 * (y.x + x.y), 0.5 * (z.x + x.z), 0.5 * (z.y + y.z)});
}

void tdi_helix_block_shift(tdi_helix_block *k, td_vec3 p, bool exact) {
    shift_hessian(k, p);
    if (exact) {
        k->a = tdi_sym3_add(k->a, tdi_helix_geometric(p, k->pull));
    }
    k->n = tdi_add(k->n, tdi_cross(p, k->f));
    k->spin = tdi_add(k->spin, tdi_cross(p, k->pull));
}

static void add_block(tdi_helix_block *to, const tdi_helix_block *k) {
    to->a = tdi_sym3_add(to->a, k->a);
    for (int j = 0; j < 9; j++) {
        to->b.m[j] += k->b.m[j];
    }
    to->c = tdi_sym3_add(to->c, k->c);
    to->n = tdi_add(to->n, k->n);
    to->f = tdi_add(to->f, k->f);
    to->spin = tdi_add(to->spin, k->spin);
    to->pull = tdi_add(to->pull, k->pull);
}

// sum of turn_k.N_l + shift_k.F_l
static td_sym3 products(const td_vec3 turn[3], const td_vec3 shift[3], const td_vec3 n[3],
                        const td_vec3 f[3]) {
    return (td_sym3){tdi_dot(turn[0], n[0]) + tdi_dot(shift[0], f[0]),
                     tdi_dot(turn[1], n[1]) + tdi_dot(shift[1], f[1]),
                     tdi_dot(turn[2], n[2]) + tdi_dot(shift[2], f[2]),
                     tdi_dot(turn[0], n[1]) + tdi_dot(shift[0], f[1]),
                     tdi_dot(turn[0], n[2]) + tdi_dot(shift[0], f[2]),
                     tdi_dot(turn[1], n[2]) + tdi_dot(shift[1], f[2])};
}

static td_vec3 gradient_of(const td_vec3 turn[3], const td_vec3 shift[3], td_vec3 n, td_vec3 f) {
    return tdi_vec3(tdi_dot(turn[0], n) + tdi_dot(shift[0], f),
                    tdi_dot(turn[1], n) + tdi_dot(shift[1], f),
                    tdi_dot(turn[2], n) + tdi_dot(shift[2], f));
}

// With N_k = A T_k + B P_k, F_k = B^T T_k + C P_k the mixed blocks are N_k + x x F_k and F_k, and
// that of curvatures T.N + P.F; of second order P_k x f + 1/2 T_k x n, and `bent`, f.dP + n.dT.
static void add_ride(tdi_helix_form *form, td_vec3 x, const td_vec3 turn[3], const td_vec3 shift[3],
                     const tdi_helix_block *k, const td_sym3 *bent) {
    td_vec3 n[3], f[3];
    for (int j = 0; j < 3; j++) {
        n[j] = tdi_add(tdi_sym3_apply(&k->a, turn[j]), tdi_mat3_apply(&k->b, shift[j]));
        f[j] = tdi_add(tdi_mat3_apply_t(&k->b, turn[j]), tdi_sym3_apply(&k->c, shift[j]));
        td_vec3 mixed = tdi_add(n[j], tdi_cross(x, f[j]));
        if (bent) {
            mixed = tdi_add(mixed, tdi_cross(shift[j], k->pull));
            mixed = tdi_madd(mixed, tdi_cross(turn[j], k->spin), 0.5);
        }
        form->turn_d[j] = tdi_add(form->turn_d[j], mixed);
        form->shift_d[j] = tdi_add(form->shift_d[j], f[j]);
    }
    form->d = tdi_sym3_add(form->d, products(turn, shift, n, f));
    form->g = tdi_add(form->g, gradient_of(turn, shift, k->n, k->f));
    if (bent) {
        form->d = tdi_sym3_add(form->d, *bent);
    }
    tdi_helix_block moved = *k;
    tdi_helix_block_shift(&moved, x, bent);
    add_block(&form->start, &moved);
}

void tdi_helix_form_add(tdi_helix_form *form, const tdi_helix_jet *jet, const tdi_helix_block *k,
                        bool exact) {
    const td_sym3 bent = exact ? tdi_helix_bent(jet, k->pull, k->spin) : (td_sym3){.xx = 0};
    add_ride(form, jet->x, jet->turn, jet->dx, k, exact ? &bent : NULL);
}

void tdi_helix_form_add_levers(tdi_helix_form *form, const tdi_helix_levers *levers) {
    form->start.a = tdi_sym3_add(form->start.a, levers->a);
    form->d = tdi_sym3_add(form->d, levers->d);
    for (int j = 0; j < 3; j++) {
        form->turn_d[j] = tdi_add(form->turn_d[j], levers->turn_d[j]);
    }
}

void tdi_helix_form_add_place(tdi_helix_form *form, const tdi_helix_ride *ride, const td_sym3 *c) {
    const td_vec3 x = ride->x, *shift = ride->shift;
    const tdi_mat3 b = tdi_cross_sym(x, c);
    tdi_helix_block *start = &form->start;
    td_vec3 f[3];
    for (int j = 0; j < 3; j++) {
        f[j] = tdi_sym3_apply(c, shift[j]);
        form->turn_d[j] = tdi_add(form->turn_d[j], tdi_cross(x, f[j]));
        form->shift_d[j] = tdi_add(form->shift_d[j], f[j]);
    }
    form->d = tdi_sym3_add(form->d, (td_sym3){tdi_dot(shift[0], f[0]), tdi_dot(shift[1], f[1]),
                                              tdi_dot(shift[2], f[2]), tdi_dot(shift[0], f[1]),
                                              tdi_dot(shift[0], f[2]), tdi_dot(shift[1], f[2])});
    start->a = tdi_sym3_add(start->a, tdi_cross_both(x, &b));
    for (int j = 0; j < 9; j++) {
        start->b.m[j] += b.m[j];
    }
    start->c = tdi_sym3_add(start->c, *c);
}

// a b^T + b a^T, times k
static td_sym3 symmetric(td_vec3 a, td_vec3 b, td_real k) {
    return (td_sym3){2 * k * a.x * b.x,           2 * k * a.y * b.y,
                     2 * k * a.z * b.z,           k * (a.x * b.y + a.y * b.x),
                     k * (a.x * b.z + a.z * b.x), k * (a.y * b.z + a.z * b.y)};
}

void tdi_helix_form_add_rows(tdi_helix_form *form, const tdi_helix_motion *a,
                             const tdi_helix_motion *b, td_real k) {
    const td_real own[3] = {a->d.x, a->d.y, a->d.z}, other[3] = {b->d.x, b->d.y, b->d.z};
    const td_real aw[3] = {a->w.x, a->w.y, a->w.z}, bw[3] = {b->w.x, b->w.y, b->w.z},
                  av[3] = {a->v.x, a->v.y, a->v.z}, bv[3] = {b->v.x, b->v.y, b->v.z};
    form->start.a = tdi_sym3_add(form->start.a, symmetric(a->w, b->w, 0.5 * k));
    form->start.c = tdi_sym3_add(form->start.c, symmetric(a->v, b->v, 0.5 * k));
    form->d = tdi_sym3_add(form->d, symmetric(a->d, b->d, 0.5 * k));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            form->start.b.m[3 * i + j] += 0.5 * k * (aw[i] * bv[j] + bw[i] * av[j]);
        }
        form->turn_d[i] = tdi_madd(form->turn_d[i], a->w, 0.5 * k * other[i]);
        form->turn_d[i] = tdi_madd(form->turn_d[i], b->w, 0.5 * k * own[i]);
        form->shift_d[i] = tdi_madd(form->shift_d[i], a->v, 0.5 * k * other[i]);
        form->shift_d[i] = tdi_madd(form->shift_d[i], b->v, 0.5 * k * own[i]);
    }
}

// ---- rides ----------------------------------------------------------------------------------

static td_vec3 combined(const td_vec3 columns[3], td_vec3 by) {
    return tdi_madd(tdi_madd(tdi_scale(columns[0], by.x), columns[1], by.y), columns[2], by.z);
}

td_vec3 tdi_helix_ride_shift(const tdi_helix_ride *r, const tdi_helix_motion *by) {
    return tdi_add(tdi_add(by->v, tdi_cross(by->w, r->x)), combined(r->shift, by->d));
}

td_vec3 tdi_helix_ride_turn(const tdi_helix_ride *r, const tdi_helix_motion *by) {
    return tdi_add(by->w, combined(r->turn, by->d));
}

tdi_helix_motion tdi_helix_ride_row(const tdi_helix_ride *r, td_vec3 force) {
    return (tdi_helix_motion){tdi_cross(r->x, force), force,
                              tdi_vec3(tdi_dot(r->shift[0], force), tdi_dot(r->shift[1], force),
                                       tdi_dot(r->shift[2], force))};
}

// ---- elimination ----------------------------------------------------------------------------

// Column j of D^-1 L^T, of the mixed blocks L.
static void solve_columns(const tdi_ldl3 *pivot, const td_vec3 mixed[3], tdi_mat3 *by) {
    const td_vec3 row[3] = {tdi_vec3(mixed[0].x, mixed[1].x, mixed[2].x),
                            tdi_vec3(mixed[0].y, mixed[1].y, mixed[2].y),
                            tdi_vec3(mixed[0].z, mixed[1].z, mixed[2].z)};
    for (int j = 0; j < 3; j++) {
        const td_vec3 x = tdi_ldl3_solve(pivot, row[j]);
        by->m[j] = x.x;
        by->m[3 + j] = x.y;
        by->m[6 + j] = x.z;
    }
}

// K - sum of L_k (row k of X)
static td_sym3 less_sym(td_sym3 k, const td_vec3 l[3], const tdi_mat3 *x) {
    const td_real *m = x->m;
    for (int j = 0; j < 3; j++, m += 3) {
        k.xx -= l[j].x * m[0];
        k.yy -= l[j].y * m[1];
        k.zz -= l[j].z * m[2];
        k.xy -= l[j].x * m[1];
        k.xz -= l[j].x * m[2];
        k.yz -= l[j].y * m[2];
    }
    return k;
}

static tdi_mat3 less(tdi_mat3 k, const td_vec3 l[3], const tdi_mat3 *x) {
    for (int j = 0; j < 3; j++) {
        const td_vec3 row = tdi_mat3_row(x, j);
        const td_real own[3] = {l[j].x, l[j].y, l[j].z};
        for (int i = 0; i < 3; i++) {
            k.m[3 * i] -= own[i] * row.x;
            k.m[3 * i + 1] -= own[i] * row.y;
            k.m[3 * i + 2] -= own[i] * row.z;
        }
    }
    return k;
}

// Factors D, raised so far that the gradient alone changes no curvature by more than `most`.
static tdi_factored factor_curvatures(tdi_helix_node *node, td_real most) {
    tdi_helix_form *form = &node->form;
    if (tdi_ldl3_factor(&node->pivot, &form->d, 1e-300)) {
        return TDI_NOT_POSITIVE;
    }
    node->free = tdi_ldl3_solve(&node->pivot, form->g);
    if (!(tdi_norm(node->free) > most)) {
        return TDI_POSITIVE;
    }
    const td_real more = tdi_norm(form->g) / most;
    form->d = tdi_sym3_add(form->d, tdi_sym3_diagonal(more, more, more));
    tdi_ldl3_factor(&node->pivot, &form->d, 1e-300);
    node->free = tdi_ldl3_solve(&node->pivot, form->g);
    return TDI_RAISED;
}

// What is left of an element's form without its curvatures; in place.
static tdi_factored reduce(tdi_helix_node *node, td_real most) {
    tdi_helix_form *form = &node->form;
    tdi_helix_block *start = &form->start;
    const tdi_factored result = factor_curvatures(node, most);
    if (result == TDI_NOT_POSITIVE) {
        return result;
    }
    solve_columns(&node->pivot, form->turn_d, &node->by_turn);
    solve_columns(&node->pivot, form->shift_d, &node->by_shift);
    node->predicted_decrease = tdi_dot(form->g, node->free);
    start->a = less_sym(start->a, form->turn_d, &node->by_turn);
    start->b = less(start->b, form->turn_d, &node->by_shift);
    start->c = less_sym(start->c, form->shift_d, &node->by_shift);
    start->n = tdi_sub(start->n, combined(form->turn_d, node->free));
    start->f = tdi_sub(start->f, combined(form->shift_d, node->free));
    return result;
}

// Q K Q^T
static tdi_helix_block turned(const tdi_helix_block *k, const tdi_mat3 *q) {
    const tdi_mat3 qb = tdi_mat3_mul(q, &k->b);
    return (tdi_helix_block){tdi_sym3_turn(q, &k->a),   tdi_mat3_mul_t(&qb, q),
                             tdi_sym3_turn(q, &k->c),   tdi_mat3_apply(q, k->n),
                             tdi_mat3_apply(q, k->f),   tdi_mat3_apply(q, k->spin),
                             tdi_mat3_apply(q, k->pull)};
}

// Second derivatives of an element's start, times a moment and a force on it: with the arm p they
// are those of the frame's place under f, of its turn under n + p x f, and of the arm.
static td_sym3 bent_at(const tdi_helix_seat *seat, td_vec3 n, td_vec3 f) {
    const td_vec3 p = seat->p, *turn = seat->ride.turn;
    if (p.x == 0 && p.y == 0 && p.z == 0) {
        return tdi_helix_bent_by(&seat->slopes, f, n);
    }
    const td_sym3 arm = tdi_helix_geometric(p, f);
    const td_vec3 by[3] = {tdi_sym3_apply(&arm, turn[0]), tdi_sym3_apply(&arm, turn[1]),
                           tdi_sym3_apply(&arm, turn[2])};
    const td_sym3 own = {tdi_dot(turn[0], by[0]), tdi_dot(turn[1], by[1]), tdi_dot(turn[2], by[2]),
                         tdi_dot(turn[0], by[1]), tdi_dot(turn[0], by[2]), tdi_dot(turn[1], by[2])};
    return tdi_sym3_add(own, tdi_helix_bent_by(&seat->slopes, f, tdi_add(n, tdi_cross(p, f))));
}

static void add_seat(tdi_helix_form *form, const tdi_helix_seat *seat, const tdi_helix_block *k,
                     bool exact) {
    const td_sym3 bent = exact ? bent_at(seat, k->spin, k->pull) : (td_sym3){.xx = 0};
    add_ride(form, seat->ride.x, seat->ride.turn, seat->ride.shift, k, exact ? &bent : NULL);
}

void tdi_helix_add_to_parent(tdi_helix_state *s, int32_t i, bool exact) {
    const tdi_helix_node *node = &s->node[i];
    const tdi_helix_block left = turned(&node->form.start, &node->seat.q);
    add_seat(&s->node[s->model->element[i].parent].form, &node->seat, &left, exact);
}

void tdi_helix_carry(tdi_helix_state *s, int32_t i) {
    const tdi_helix_node *node = &s->node[i];
    const tdi_helix_block *start = &node->form.start;
    const int32_t parent = s->model->element[i].parent;
    tdi_helix_block load;
    if (parent == TD_NONE) {
        return;
    }
    memset(&load, 0, sizeof load);
    load.f = load.pull = tdi_mat3_apply(&node->seat.q, start->pull);
    load.n = load.spin = tdi_mat3_apply(&node->seat.q, start->spin);
    add_seat(&s->node[parent].form, &node->seat, &load, true);
}

// A - B C^-1 B^T
static td_sym3 without_shift(const tdi_helix_block *k, const tdi_ldl3 *c) {
    tdi_mat3 x; // row i: C^-1 (row i of B)
    td_vec3 columns[3];
    for (int i = 0; i < 3; i++) {
        const td_vec3 y = tdi_ldl3_solve(c, tdi_mat3_row(&k->b, i));
        x.m[i] = y.x;
        x.m[3 + i] = y.y;
        x.m[6 + i] = y.z;
        columns[i] = tdi_mat3_column(&k->b, i);
    }
    return less_sym(k->a, columns, &x);
}

static bool prepare_root(const tdi_helix_element *e, const tdi_helix_block *left,
                         tdi_helix_pivot *pivot) {
    td_sym3 turn = left->a;
    pivot->b = *left;
    if (e->root == TD_END_CLAMPED) {
        return true;
    }
    if (e->root == TD_END_FREE) {
        if (tdi_ldl3_factor(&pivot->shift, &left->c, 1e-300)) {
            return false;
        }
        turn = without_shift(left, &pivot->shift);
    }
    return !tdi_ldl3_factor(&pivot->turn, &turn, 1e-300);
}

static tdi_factored prepare(tdi_helix_state *s, int32_t i, bool raise) {
    const tdi_helix_element *e = &s->model->element[i];
    tdi_helix_form *form = &s->node[i].form;
    tdi_helix_pivot *pivot = &s->pivot[s->root_place[i]];
    if (prepare_root(e, &form->start, pivot)) {
        return TDI_POSITIVE;
    }
    if (!raise) {
        return TDI_NOT_POSITIVE;
    }
    tdi_helix_raise_root(form, e->length, e->root == TD_END_FREE);
    return prepare_root(e, &form->start, pivot) ? TDI_RAISED : TDI_NOT_POSITIVE;
}

tdi_factored tdi_helix_eliminate(tdi_helix_state *s, int32_t i, bool exact, td_real most) {
    const tdi_helix_element *e = &s->model->element[i];
    tdi_helix_node *node = &s->node[i];
    const bool raise = most < HUGE_VAL;
    tdi_factored result = reduce(node, most / e->length);
    if (result == TDI_NOT_POSITIVE && raise) {
        tdi_helix_raise_form(&node->form, e->length);
        result = reduce(node, most / e->length) == TDI_NOT_POSITIVE ? TDI_NOT_POSITIVE : TDI_RAISED;
    }
    if (result == TDI_NOT_POSITIVE) {
        return result;
    }
    if (e->parent == TD_NONE) {
        const tdi_factored root = prepare(s, i, raise);
        return root < result ? root : result;
    }
    tdi_helix_add_to_parent(s, i, exact);
    return result;
}

// ---- root to tip ----------------------------------------------------------------------------

// The motion of a root under a gradient n, f; what is held of it is given. Adds r^T H^-1 r.
static void move_root(const tdi_helix_element *e, const tdi_helix_pivot *p, td_vec3 n, td_vec3 f,
                      tdi_helix_motion *move, td_real *predicted_decrease) {
    if (e->root == TD_END_CLAMPED) {
        return;
    }
    if (e->root == TD_END_PINNED) {
        n = tdi_add(n, tdi_mat3_apply(&p->b.b, move->v));
        move->w = tdi_scale(tdi_ldl3_solve(&p->turn, n), -1);
        *predicted_decrease -= tdi_dot(n, move->w);
        return;
    }
    const td_vec3 free = tdi_ldl3_solve(&p->shift, f),
                  rest = tdi_sub(n, tdi_mat3_apply(&p->b.b, free));
    move->w = tdi_scale(tdi_ldl3_solve(&p->turn, rest), -1);
    const td_vec3 all = tdi_add(f, tdi_mat3_apply_t(&p->b.b, move->w));
    move->v = tdi_scale(tdi_ldl3_solve(&p->shift, all), -1);
    *predicted_decrease += tdi_dot(f, free) - tdi_dot(rest, move->w);
}

static td_vec3 curvatures_for(const tdi_helix_node *node, const tdi_helix_motion *m, td_vec3 free) {
    td_vec3 d =
        tdi_add(tdi_mat3_apply(&node->by_turn, m->w), tdi_mat3_apply(&node->by_shift, m->v));
    return tdi_scale(tdi_add(d, free), -1);
}

static td_vec3 limited(td_vec3 d, td_real length, td_real limit) {
    const td_real size = tdi_norm(d) * length;
    return size > limit ? tdi_scale(d, limit / size) : d;
}

// How an element's start moves with its parent.
static void follow(const tdi_helix_state *s, int32_t i, const tdi_helix_motion *up,
                   tdi_helix_motion *move) {
    const tdi_helix_seat *seat = &s->node[i].seat;
    move->w = tdi_mat3_apply_t(&seat->q, tdi_helix_ride_turn(&seat->ride, up));
    move->v = tdi_mat3_apply_t(&seat->q, tdi_helix_ride_shift(&seat->ride, up));
}

void tdi_helix_sweep_out(tdi_helix_state *s, const tdi_rate *base, td_real limit,
                         td_real *predicted_decrease) {
    const tdi_helix_model *m = s->model;
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_element *e = &m->element[i];
        tdi_helix_node *node = &s->node[i];
        tdi_helix_motion *move = &node->move;
        if (e->parent == TD_NONE) {
            const tdi_helix_place *start = &s->pose.start[i];
            const tdi_helix_pivot *p = &s->pivot[s->root_place[i]];
            const td_vec3 lever = tdi_sub(start->o, s->pose.base.o);
            move->w = tdi_mat3_apply_t(&start->r, base->spin);
            move->v =
                tdi_mat3_apply_t(&start->r, tdi_add(base->velocity, tdi_cross(base->spin, lever)));
            move_root(e, p, p->b.n, p->b.f, move, predicted_decrease);
        } else {
            follow(s, i, &s->node[e->parent].move, move);
        }
        move->d = limited(curvatures_for(node, move, node->free), e->length, limit);
        *predicted_decrease += node->predicted_decrease;
    }
}

static td_real larger2(td_real most, td_vec3 a, td_real scale) {
    const td_real size = tdi_dot(a, a) * scale * scale;
    return size <= most ? most : size; // keeps what is not a number
}

td_real tdi_helix_largest(const tdi_helix_state *s) {
    const tdi_helix_model *m = s->model;
    const bool rest = !(s->head.rule.h > 0);
    td_real most = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_element *e = &m->element[i];
        const tdi_helix_motion *move = &s->node[i].move;
        const bool root = e->parent == TD_NONE, free = root && e->root == TD_END_FREE;
        most = larger2(most, move->w, root || !rest);
        most = larger2(most, move->v, free);
        most = larger2(most, move->d, e->length);
    }
    return sqrt(most);
}

// ---- responses ------------------------------------------------------------------------------

// Adds what an element's start leaves to its parent.
static void hand_down(const tdi_helix_node *node, const tdi_helix_motion *push,
                      tdi_helix_motion *up) {
    const tdi_helix_ride *r = &node->seat.ride;
    const tdi_mat3 *q = &node->seat.q;
    const td_vec3 n = tdi_mat3_apply(q, push->w), f = tdi_mat3_apply(q, push->v);
    up->w = tdi_add(up->w, tdi_add(n, tdi_cross(r->x, f)));
    up->v = tdi_add(up->v, f);
    up->d = tdi_add(up->d, gradient_of(r->turn, r->shift, n, f));
}

// Tip to root: what the curvatures leave of a push is (w, v) - L D^-1 d; D^-1 d stays.
static void respond_in(tdi_helix_state *s) {
    for (int32_t i = s->model->element_count - 1; i >= 0; i--) {
        const tdi_helix_element *e = &s->model->element[i];
        tdi_helix_node *node = &s->node[i];
        tdi_helix_motion *push = &node->respond;
        const td_vec3 d = push->d;
        push->d = tdi_ldl3_solve(&node->pivot, d);
        push->w = tdi_sub(push->w, tdi_mat3_apply_t(&node->by_turn, d));
        push->v = tdi_sub(push->v, tdi_mat3_apply_t(&node->by_shift, d));
        if (e->parent == TD_NONE) {
            continue;
        }
        hand_down(node, push, &s->node[e->parent].respond);
    }
}

void tdi_helix_sweep_respond(tdi_helix_state *s) {
    const tdi_helix_model *m = s->model;
    respond_in(s);
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_element *e = &m->element[i];
        tdi_helix_node *node = &s->node[i];
        tdi_helix_motion *move = &node->respond;
        if (e->parent == TD_NONE) {
            const td_vec3 n = move->w, f = move->v;
            td_real predicted_decrease = 0;
            move->w = move->v = tdi_vec3(0, 0, 0);
            move_root(e, &s->pivot[s->root_place[i]], n, f, move, &predicted_decrease);
        } else {
            follow(s, i, &s->node[e->parent].respond, move);
        }
        move->d = curvatures_for(node, move, move->d);
    }
}

// ---- products -------------------------------------------------------------------------------

// The rows of a form times a motion.
static tdi_helix_motion form_apply(const tdi_helix_form *form, const tdi_helix_motion *x) {
    const tdi_helix_block *k = &form->start;
    const td_vec3 w = tdi_add(tdi_sym3_apply(&k->a, x->w), tdi_mat3_apply(&k->b, x->v)),
                  v = tdi_add(tdi_mat3_apply_t(&k->b, x->w), tdi_sym3_apply(&k->c, x->v));
    return (tdi_helix_motion){tdi_add(w, combined(form->turn_d, x->d)),
                              tdi_add(v, combined(form->shift_d, x->d)),
                              tdi_add(gradient_of(form->turn_d, form->shift_d, x->w, x->v),
                                      tdi_sym3_apply(&form->d, x->d))};
}

void tdi_helix_sum_pushes(tdi_helix_state *s) {
    for (int32_t i = s->model->element_count - 1; i >= 0; i--) {
        const int32_t parent = s->model->element[i].parent;
        if (parent != TD_NONE) {
            hand_down(&s->node[i], &s->node[i].respond, &s->node[parent].respond);
        }
    }
}

void tdi_helix_multiply(tdi_helix_state *s, const tdi_helix_form *forms) {
    const tdi_helix_model *m = s->model;
    for (int32_t i = 0; i < m->element_count; i++) {
        const int32_t parent = m->element[i].parent;
        if (parent != TD_NONE) {
            follow(s, i, &s->node[parent].move, &s->node[i].move);
        }
        s->node[i].respond = form_apply(&forms[i], &s->node[i].move);
    }
    tdi_helix_sum_pushes(s);
}
