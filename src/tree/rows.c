// SPDX-License-Identifier: MIT
// Rows between bodies of one tree, eliminated with it.
//
// Constraints between two bodies add to the quadratic model of sweep.c
//   sum over rows of  1/2 c q^2 - q v,   v = P_a.V_a + P_b.V_b,
// with a compliance c and a force q each. A row is open from its two bodies up to the one that
// carries both: there its q is eliminated, so that m rows along a chain cost O(bodies + m), and
// none of them sees the rest. With the rows that are open at a body, q^T C q/2 + s.q - sum of q
// P.V:
//
// Ends      at the body that carries both sides, of row j and all others k that are open:
//             M' = M - P_j P_j^T/C_jj,  load' = load + P_j s_j/C_jj,
//             P_k' = P_k - P_j C_jk/C_jj,  C_kl' = C_kl - C_jk C_jl/C_jj,  s_k' = s_k - C_jk
//             s_j/C_jj
// Ball      eliminating its turn, with n of P, D, L, B of sweep.c and D^-1 (n + g) of the load:
//             C_jk' = C_jk - n_j.D^-1 n_k,  s_j' = s_j + n_j.D^-1 (n + g),
//             P' = (L^T D^-1 n, f - B^T D^-1 n)
// Way out   w += sum of q D^-1 n,  then  q_j = (P_j.V - sum of C_jk q_k - s_j)/C_jj  where j ends.

#include "tree/rows.h"

#include "tree/implicit.h"
#include "tree/kernels.h"
#include "tree/pins.h"
#include "tree/points.h"

#include <string.h>

#define MOST_OPEN 400 // entries of matrices a body, in the mean: rows that lead all over the tree

struct tdi_rows {
    const td_alloc *alloc;
    size_t bytes;
    int32_t count, entry_count;
    int64_t square_count;
    int32_t *first;      // of a body: the entry of its first row, and one past all
    int32_t *ends;       // of a body: so many of its rows end there, and come first
    int64_t *square;     // of a body: its matrix C
    int32_t *row, *up;   // of an entry; its place among the entries of the parent
    int32_t (*entry)[2]; // of a row: at its two bodies
    tdi_twist *sees;     // of an entry: P
    td_vec3 *turn;       // of an entry: D^-1 n
    td_vec3 *pull;       // of an entry: f of P, before the joint was eliminated
    td_real *side;       // of an entry: s
    td_real *matrix;
    td_real *force; // of a row: q
};

static inline int32_t open_at(const tdi_rows *w, int32_t i) {
    return w->first[i + 1] - w->first[i];
}

// ---- making ---------------------------------------------------------------------------------

static void lay_out(tdi_rows *w, int32_t bodies, tdi_layout *l) {
    const size_t n = (size_t)bodies, rows = (size_t)w->count, entries = (size_t)w->entry_count;
    tdi_layout_place(l, 1, sizeof *w);
    w->first = tdi_layout_place(l, n + 1, sizeof *w->first);
    w->ends = tdi_layout_place(l, n, sizeof *w->ends);
    w->square = tdi_layout_place(l, n, sizeof *w->square);
    w->entry = tdi_layout_place(l, rows, sizeof *w->entry);
    w->force = tdi_layout_place(l, rows, sizeof *w->force);
    w->row = tdi_layout_place(l, entries, sizeof *w->row);
    w->up = tdi_layout_place(l, entries, sizeof *w->up);
    w->sees = tdi_layout_place(l, entries, sizeof *w->sees);
    w->turn = tdi_layout_place(l, entries, sizeof *w->turn);
    w->pull = tdi_layout_place(l, entries, sizeof *w->pull);
    w->side = tdi_layout_place(l, entries, sizeof *w->side);
    w->matrix = tdi_layout_place(l, (size_t)w->square_count, sizeof *w->matrix);
}

// Bodies come after what carries them: the later of two goes up.
static void go_up(const td_tree_model *m, int32_t pair[2]) {
    int32_t *later = pair[0] > pair[1] ? &pair[0] : &pair[1];
    *later = m->parent[*later];
}

// TD_NONE: the base carries both.
static int32_t carrier_of(const td_tree_state *s, const int32_t segments[2]) {
    int32_t pair[2] = {tdi_seat_body(s, segments[0]), tdi_seat_body(s, segments[1])};
    while (pair[0] != pair[1]) {
        go_up(s->model, pair);
    }
    return pair[0];
}

// Counts rows that are open, in `open`: whether they are few enough, found before it takes long.
static bool count(const td_tree_state *s, const int32_t (*segments)[2], int32_t rows, int32_t *open,
                  int64_t *entries, int64_t *squares) {
    const td_tree_model *m = s->model;
    const int64_t most = (int64_t)MOST_OPEN * m->body_count;
    *entries = *squares = 0;
    for (int32_t j = 0; j < rows; j++) {
        int32_t pair[2] = {tdi_seat_body(s, segments[j][0]), tdi_seat_body(s, segments[j][1])};
        for (; pair[0] != pair[1]; go_up(m, pair)) {
            open[pair[0] > pair[1] ? pair[0] : pair[1]]++;
            (*entries)++;
        }
        if (pair[0] == TD_NONE || *entries > most) {
            return false;
        }
        open[pair[0]]++;
        (*entries)++;
    }
    for (int32_t i = 0; i < m->body_count; i++) {
        *squares += (int64_t)open[i] * open[i];
        if (m->kind[i] != TD_JOINT_BALL && open[i] > 0) {
            return false;
        }
    }
    return *squares <= most;
}

// Rows that end at a body come first; `open` and `ends` count those that are there already.
static void enter(tdi_rows *w, const td_tree_model *m, int32_t j, const int32_t body[2],
                  int32_t *open) {
    int32_t at[2] = {body[0], body[1]}, last[2] = {TD_NONE, TD_NONE};
    while (true) {
        const bool end = at[0] == at[1];
        const int side = at[0] > at[1] ? 0 : 1;
        const int32_t i = at[side], e = w->first[i] + (end ? w->ends[i]++ : open[i]++);
        w->row[e] = j;
        w->up[e] = TD_NONE;
        for (int k = 0; k < 2; k++) {
            if (!end && k != side) {
                continue;
            }
            if (last[k] == TD_NONE) {
                w->entry[j][k] = e;
            } else {
                w->up[last[k]] = e - w->first[i];
            }
            last[k] = e;
        }
        if (end) {
            return;
        }
        at[side] = m->parent[i];
    }
}

static void fill(tdi_rows *w, const td_tree_state *s, const int32_t (*segments)[2], int32_t *open) {
    const td_tree_model *m = s->model;
    int64_t square = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        w->first[i + 1] = w->first[i] + open[i];
        w->square[i] = square;
        square += (int64_t)open[i] * open[i];
        open[i] = 0;
    }
    for (int32_t j = 0; j < w->count; j++) { // how many end at a body, after which others come
        open[carrier_of(s, segments[j])]++;
    }
    for (int32_t j = 0; j < w->count; j++) {
        const int32_t body[2] = {tdi_seat_body(s, segments[j][0]),
                                 tdi_seat_body(s, segments[j][1])};
        enter(w, m, j, body, open);
    }
}

tdi_rows *tdi_tree_rows_new(const void *body, const int32_t (*segments)[2], int32_t rows,
                            const td_alloc *alloc) {
    const td_tree_state *s = body;
    const int32_t bodies = s->model->body_count;
    int32_t *open = tdi_alloc_zeroed(alloc, (size_t)bodies, sizeof *open);
    int64_t entries, squares;
    tdi_rows sized = {.alloc = alloc, .count = rows}, *w = NULL;
    if (open && count(s, segments, rows, open, &entries, &squares)) {
        tdi_layout l = {NULL, 0};
        sized.entry_count = (int32_t)entries;
        sized.square_count = squares;
        lay_out(&sized, bodies, &l);
        sized.bytes = l.used;
        w = tdi_alloc_zeroed(alloc, 1, l.used);
        if (w) {
            l = (tdi_layout){(char *)w, 0};
            lay_out(&sized, bodies, &l);
            *w = sized;
            fill(w, s, segments, open);
        }
    }
    tdi_alloc_free(alloc, open, (size_t)bodies * sizeof *open);
    return w;
}

void tdi_tree_rows_free(tdi_rows *w) {
    if (w) {
        tdi_alloc_free(w->alloc, w, w->bytes);
    }
}

// ---- numbers --------------------------------------------------------------------------------

void tdi_tree_rows_use(void *body, tdi_rows *w) {
    ((td_tree_state *)body)->rows = w;
    memset(w->sees, 0, (size_t)w->entry_count * sizeof *w->sees);
    memset(w->side, 0, (size_t)w->entry_count * sizeof *w->side);
    memset(w->matrix, 0, (size_t)w->square_count * sizeof *w->matrix);
}

// A point at lever p moves by u + w x p.
void tdi_tree_row_set(void *body, int32_t row, const tdi_pin *const pins[2], const td_vec3 sees[2],
                      td_real compliance) {
    td_tree_state *s = body;
    tdi_rows *w = s->rows;
    for (int side = 0; side < 2; side++) {
        tdi_twist *to = &w->sees[w->entry[row][side]];
        const td_vec3 lever = tdi_tree_pin_lever(s, pins[side]);
        to->w = tdi_add(to->w, tdi_cross(lever, sees[side]));
        to->v = tdi_add(to->v, sees[side]);
    }
    const int32_t i = tdi_seat_body(s, pins[0]->segment), at = w->entry[row][0] - w->first[i];
    w->matrix[w->square[i] + (int64_t)at * (open_at(w, i) + 1)] = compliance / s->now->weight;
}

static inline td_real power(const tdi_twist *p, const tdi_twist *move) {
    return tdi_dot(p->w, move->w) + tdi_dot(p->v, move->v);
}

bool tdi_rows_close(tdi_rows *w, int32_t i, tdi_block *block, tdi_wrench *load, td_real *promise) {
    const int32_t open = open_at(w, i), ends = w->ends[i];
    tdi_twist *p = w->sees + w->first[i];
    td_real *s = w->side + w->first[i], *c = w->matrix + w->square[i];
    for (int32_t j = 0; j < ends; j++) {
        const td_real *row = c + (int64_t)j * open, pivot = row[j];
        if (!(pivot > 0)) {
            return false;
        }
        const tdi_wrench own = {p[j].w, p[j].v},
                         over = {tdi_scale(p[j].w, 1 / pivot), tdi_scale(p[j].v, 1 / pivot)};
        tdi_subtract_outer(block, &own, &over);
        load->n = tdi_madd(load->n, over.n, s[j]);
        load->f = tdi_madd(load->f, over.f, s[j]);
        *promise += s[j] * s[j] / pivot;
        for (int32_t k = j + 1; k < open; k++) {
            const td_real part = row[k] / pivot;
            p[k] = (tdi_twist){tdi_madd(p[k].w, p[j].w, -part), tdi_madd(p[k].v, p[j].v, -part)};
            s[k] -= part * s[j];
            for (int32_t l = j + 1; l < open; l++) {
                c[(int64_t)k * open + l] -= part * row[l];
            }
        }
    }
    return true;
}

void tdi_rows_pass(tdi_rows *w, int32_t i, const tdi_node *node) {
    const int32_t open = open_at(w, i), ends = w->ends[i];
    tdi_twist *p = w->sees + w->first[i];
    td_vec3 *turn = w->turn + w->first[i], *pull = w->pull + w->first[i];
    td_real *s = w->side + w->first[i], *c = w->matrix + w->square[i];
    for (int32_t j = ends; j < open; j++) {
        turn[j] = tdi_ldl3_solve(&node->pivot, p[j].w);
        pull[j] = p[j].v;
        s[j] += tdi_dot(p[j].w, node->free);
    }
    for (int32_t j = ends; j < open; j++) {
        for (int32_t k = ends; k < open; k++) {
            c[(int64_t)j * open + k] -= tdi_dot(p[j].w, turn[k]);
        }
    }
    for (int32_t j = ends; j < open; j++) {
        const td_vec3 n = p[j].w;
        p[j] = (tdi_twist){tdi_mat3_apply_t(&node->turn, n),
                           tdi_sub(p[j].v, tdi_mat3_apply_t(&node->shift, n))};
    }
}

void tdi_rows_hand_down(tdi_rows *w, int32_t i, int32_t parent, td_vec3 r) {
    const int32_t open = open_at(w, i), first = w->first[i], to = w->first[parent],
                  there = open_at(w, parent);
    const td_real *c = w->matrix + w->square[i];
    td_real *sum = w->matrix + w->square[parent];
    for (int32_t j = w->ends[i]; j < open; j++) {
        const tdi_twist *p = &w->sees[first + j];
        const int32_t up = w->up[first + j];
        tdi_twist *onto = &w->sees[to + up];
        onto->w = tdi_add(onto->w, tdi_add(p->w, tdi_cross(r, p->v)));
        onto->v = tdi_add(onto->v, p->v);
        w->side[to + up] += w->side[first + j];
        for (int32_t k = w->ends[i]; k < open; k++) {
            sum[(int64_t)up * there + w->up[first + k]] += c[(int64_t)j * open + k];
        }
    }
}

td_vec3 tdi_rows_turn(const tdi_rows *w, int32_t i) {
    td_vec3 sum = {0, 0, 0};
    for (int32_t e = w->first[i] + w->ends[i]; e < w->first[i + 1]; e++) {
        sum = tdi_madd(sum, w->turn[e], w->force[w->row[e]]);
    }
    return sum;
}

td_vec3 tdi_rows_pull(const tdi_rows *w, int32_t i) {
    td_vec3 sum = {0, 0, 0};
    for (int32_t e = w->first[i] + w->ends[i]; e < w->first[i + 1]; e++) {
        sum = tdi_madd(sum, w->pull[e], -w->force[w->row[e]]);
    }
    return sum;
}

void tdi_rows_solve(tdi_rows *w, int32_t i, const tdi_twist *move) {
    const int32_t open = open_at(w, i), first = w->first[i];
    for (int32_t j = w->ends[i] - 1; j >= 0; j--) {
        const td_real *c = w->matrix + w->square[i] + (int64_t)j * open;
        td_real sum = power(&w->sees[first + j], move) - w->side[first + j];
        for (int32_t k = j + 1; k < open; k++) {
            sum -= c[k] * w->force[w->row[first + k]];
        }
        w->force[w->row[first + j]] = sum / c[j];
    }
}
