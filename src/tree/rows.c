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
//
// C is symmetric: rows of its upper triangle are kept. What is carried is zeroed when the sweep
// first comes to a body, not before, so that it is in the caches then.

#include "tree/rows.h"

#include "base/fetch.h"
#include "tree/implicit.h"
#include "tree/kernels.h"
#include "tree/points.h"

#include <string.h>

#define MOST_OPEN    400 // entries of matrices a body, in the mean: rows that lead all over the tree
#define AHEAD        4   // bodies: their memory is fetched before a sweep comes to them,
#define MOST_FETCHED ((size_t)2048) // bytes: of a matrix no more than that

struct tdi_rows {
    const td_alloc *alloc;
    size_t bytes;
    int32_t body_count, count, entry_count;
    int64_t square_count;
    int32_t *first;      // of a body: the entry of its first row, and one past all
    int32_t *ends;       // of a body: so many of its rows end there, and come first
    int64_t *square;     // of a body: its matrix C
    uint8_t *begun;      // of a body: the sweep has come to it
    int32_t *row, *up;   // of an entry; its place among the entries of the parent
    int32_t *own;        // of an entry: which of `given` begins there; TD_NONE: none
    int32_t (*entry)[2]; // of a row: at its two bodies
    tdi_twist *given;    // of a row, two: P of its bodies
    td_real *compliance; // of a row
    tdi_twist *sees;     // of an entry: P
    td_vec3 *turn;       // of an entry: D^-1 n
    td_real *side;       // of an entry: s
    td_real *matrix;
    td_real *force; // of a row: q
};

// Entries of a matrix of the size `open`.
static inline int64_t triangle(int64_t open) {
    return open * (open + 1) / 2;
}

// C_jk is at k of this, k >= j.
static inline int64_t row_of(int64_t open, int64_t j) {
    return j * (2 * open - j - 1) / 2;
}

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
    w->begun = tdi_layout_place(l, n, sizeof *w->begun);
    w->given = tdi_layout_place(l, 2 * rows, sizeof *w->given);
    w->compliance = tdi_layout_place(l, rows, sizeof *w->compliance);
    w->entry = tdi_layout_place(l, rows, sizeof *w->entry);
    w->force = tdi_layout_place(l, rows, sizeof *w->force);
    w->row = tdi_layout_place(l, entries, sizeof *w->row);
    w->up = tdi_layout_place(l, entries, sizeof *w->up);
    w->own = tdi_layout_place(l, entries, sizeof *w->own);
    w->sees = tdi_layout_place(l, entries, sizeof *w->sees);
    w->turn = tdi_layout_place(l, entries, sizeof *w->turn);
    w->side = tdi_layout_place(l, entries, sizeof *w->side);
    w->matrix = tdi_layout_place(l, (size_t)w->square_count, sizeof *w->matrix);
}

// Bodies come after what carries them: the later of two goes up.
static void go_up(const tdi_tree_model *m, int32_t pair[2]) {
    int32_t *later = pair[0] > pair[1] ? &pair[0] : &pair[1];
    *later = m->parent[*later];
}

// TD_NONE: the base carries both.
static int32_t carrier_of(const tdi_tree_state *s, const int32_t segments[2]) {
    int32_t pair[2] = {tdi_seat_body(s, segments[0]), tdi_seat_body(s, segments[1])};
    while (pair[0] != pair[1]) {
        go_up(s->model, pair);
    }
    return pair[0];
}

// Counts rows that are open, in `open`: whether they are few enough, found before it takes long.
static bool count(const tdi_tree_state *s, const int32_t (*segments)[2], int32_t rows,
                  int32_t *open, int64_t *entries, int64_t *squares) {
    const tdi_tree_model *m = s->model;
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
        *squares += triangle(open[i]);
        if (m->kind[i] != TD_JOINT_BALL && open[i] > 0) {
            return false;
        }
    }
    return *squares <= most;
}

// Rows that end at a body come first; `open` and `ends` count those that are there already.
static void enter(tdi_rows *w, const tdi_tree_model *m, int32_t j, const int32_t body[2],
                  int32_t *open) {
    int32_t at[2] = {body[0], body[1]}, last[2] = {TD_NONE, TD_NONE};
    while (true) {
        const bool end = at[0] == at[1];
        const int side = at[0] > at[1] ? 0 : 1;
        const int32_t i = at[side], e = w->first[i] + (end ? w->ends[i]++ : open[i]++);
        w->row[e] = j;
        w->up[e] = w->own[e] = TD_NONE;
        for (int k = 0; k < 2; k++) {
            if (!end && k != side) {
                continue;
            }
            if (last[k] == TD_NONE) {
                w->entry[j][k] = e;
                w->own[e] = w->own[e] == TD_NONE ? 2 * j + k : w->own[e];
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

static void fill(tdi_rows *w, const tdi_tree_state *s, const int32_t (*segments)[2],
                 int32_t *open) {
    const tdi_tree_model *m = s->model;
    int64_t square = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        w->first[i + 1] = w->first[i] + open[i];
        w->square[i] = square;
        square += triangle(open[i]);
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

static tdi_rows *make_rows(const void *body, const int32_t (*segments)[2], int32_t rows,
                           const td_alloc *alloc) {
    const tdi_tree_state *s = body;
    const int32_t bodies = s->model->body_count;
    int32_t *open = tdi_alloc_zeroed(alloc, (size_t)bodies, sizeof *open);
    int64_t entries, squares;
    tdi_rows sized = {.alloc = alloc, .body_count = bodies, .count = rows}, *w = NULL;
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

static void free_rows(tdi_rows *w) {
    if (w) {
        tdi_alloc_free(w->alloc, w, w->bytes);
    }
}

// ---- numbers --------------------------------------------------------------------------------

static void use_rows(void *body, tdi_rows *w) {
    tdi_tree_state *s = body;
    s->rows = w;
    memset(w->begun, 0, (size_t)s->model->body_count * sizeof *w->begun);
}

static inline void add_twist(tdi_twist *sum, const tdi_twist *p) {
    sum->w = tdi_add(sum->w, p->w);
    sum->v = tdi_add(sum->v, p->v);
}

// A point at lever p moves by u + w x p.
static void set_rows(void *body, int32_t first, int32_t count, const tdi_point *const points[2],
                     const td_vec3 *const sees[2], const td_real *compliance) {
    const tdi_tree_state *s = body;
    tdi_rows *w = s->rows;
    const td_vec3 lever[2] = {tdi_tree_lever(s, points[0]), tdi_tree_lever(s, points[1])};
    for (int32_t k = 0; k < count; k++) {
        tdi_twist *given = &w->given[2 * (first + k)];
        for (int side = 0; side < 2; side++) {
            const td_vec3 f = sees[side][k];
            given[side] = (tdi_twist){tdi_cross(lever[side], f), f};
        }
        if (w->entry[first + k][0] == w->entry[first + k][1]) { // both on one body
            add_twist(&given[0], &given[1]);
        }
        w->compliance[first + k] = compliance[k] / s->now->weight;
    }
}

const tdi_row_ops tdi_tree_row_ops = {make_rows, free_rows, use_rows, set_rows};

// What rows bring that begin at a body; before anything is added to it.
static inline void begin(tdi_rows *w, int32_t i) {
    const int32_t open = open_at(w, i), first = w->first[i];
    td_real *c = w->matrix + w->square[i];
    if (w->begun[i] || open == 0) {
        return;
    }
    w->begun[i] = true;
    memset(c, 0, (size_t)triangle(open) * sizeof *c);
    for (int32_t j = 0; j < open; j++) {
        const int32_t own = w->own[first + j];
        const tdi_twist none = {{0, 0, 0}, {0, 0, 0}};
        w->sees[first + j] = own == TD_NONE ? none : w->given[own];
        w->side[first + j] = 0;
        if (own != TD_NONE && own % 2 == 0) {
            c[row_of(open, j) + j] = w->compliance[own / 2];
        }
    }
}

// What both sweeps need of the rows of a body.
TDI_FETCHES void fetch_rows(const tdi_rows *w, int32_t i) {
    const int32_t first = w->first[i];
    const size_t open = (size_t)open_at(w, i);
    tdi_fetch(w->sees + first, open * sizeof *w->sees);
    tdi_fetch(w->turn + first, open * sizeof *w->turn);
    const size_t matrix = (size_t)triangle((int64_t)open) * sizeof *w->matrix;
    tdi_fetch(w->matrix + w->square[i], matrix < MOST_FETCHED ? matrix : MOST_FETCHED);
}

TDI_FETCHES void fetch_given(const tdi_rows *w, int32_t i) {
    for (int32_t e = w->first[i]; e < w->first[i + 1]; e++) {
        if (w->own[e] != TD_NONE) {
            tdi_fetch(&w->given[w->own[e]], sizeof *w->given);
        }
    }
}

static inline td_real power(const tdi_twist *p, const tdi_twist *move) {
    return tdi_dot(p->w, move->w) + tdi_dot(p->v, move->v);
}

bool tdi_rows_close(tdi_rows *w, int32_t i, tdi_block *block, tdi_wrench *load,
                    td_real *predicted_decrease) {
    begin(w, i);
    if (i >= AHEAD) {
        fetch_rows(w, i - AHEAD);
        fetch_given(w, i - AHEAD);
    }
    const int32_t open = open_at(w, i), ends = w->ends[i];
    tdi_twist *p = w->sees + w->first[i];
    td_real *s = w->side + w->first[i], *c = w->matrix + w->square[i];
    for (int32_t j = 0; j < ends; j++) {
        const td_real *row = c + row_of(open, j), pivot = row[j], over = 1 / pivot;
        if (!(pivot > 0)) {
            return false;
        }
        const tdi_wrench own = {p[j].w, p[j].v},
                         part = {tdi_scale(p[j].w, over), tdi_scale(p[j].v, over)};
        tdi_subtract_outer(block, &own, &part);
        load->n = tdi_madd(load->n, part.n, s[j]);
        load->f = tdi_madd(load->f, part.f, s[j]);
        *predicted_decrease += s[j] * s[j] * over;
        for (int32_t k = j + 1; k < open; k++) {
            const td_real share = row[k] * over;
            td_real *other = c + row_of(open, k);
            p[k] = (tdi_twist){tdi_madd(p[k].w, p[j].w, -share), tdi_madd(p[k].v, p[j].v, -share)};
            s[k] -= share * s[j];
            for (int32_t l = k; l < open; l++) {
                other[l] -= share * row[l];
            }
        }
    }
    return true;
}

void tdi_rows_pass(tdi_rows *w, int32_t i, const tdi_node *node) {
    const int32_t open = open_at(w, i), ends = w->ends[i];
    tdi_twist *p = w->sees + w->first[i];
    td_vec3 *turn = w->turn + w->first[i];
    td_real *s = w->side + w->first[i], *c = w->matrix + w->square[i];
    for (int32_t j = ends; j < open; j++) {
        turn[j] = tdi_ldl3_solve(&node->pivot, p[j].w);
        s[j] += tdi_dot(p[j].w, node->free);
    }
    for (int32_t j = ends; j < open; j++) {
        td_real *row = c + row_of(open, j);
        const td_vec3 n = p[j].w;
        for (int32_t k = j; k < open; k++) {
            row[k] -= tdi_dot(n, turn[k]);
        }
        p[j] = (tdi_twist){tdi_mat3_apply_t(&node->turn, n),
                           tdi_sub(p[j].v, tdi_mat3_apply_t(&node->shift, n))};
    }
}

void tdi_rows_hand_down(tdi_rows *w, int32_t i, int32_t parent, td_vec3 r) {
    const int32_t open = open_at(w, i), first = w->first[i], to = w->first[parent],
                  there = open_at(w, parent), *up = w->up + first;
    const td_real *c = w->matrix + w->square[i];
    td_real *sum = w->matrix + w->square[parent];
    begin(w, parent);
    for (int32_t j = w->ends[i]; j < open; j++) {
        const tdi_twist *p = &w->sees[first + j];
        const tdi_twist moved = {tdi_add(p->w, tdi_cross(r, p->v)), p->v};
        const td_real *row = c + row_of(open, j);
        add_twist(&w->sees[to + up[j]], &moved);
        w->side[to + up[j]] += w->side[first + j];
        // those that end there come first, whatever their order
        for (int32_t k = j; k < open; k++) {
            const int32_t a = up[j] < up[k] ? up[j] : up[k], b = up[j] < up[k] ? up[k] : up[j];
            sum[row_of(there, a) + b] += row[k];
        }
    }
}

td_vec3 tdi_rows_turn(const tdi_rows *w, int32_t i) {
    td_vec3 sum = {0, 0, 0};
    if (i + AHEAD < w->body_count) {
        fetch_rows(w, i + AHEAD);
    }
    for (int32_t e = w->first[i] + w->ends[i]; e < w->first[i + 1]; e++) {
        sum = tdi_madd(sum, w->turn[e], w->force[w->row[e]]);
    }
    return sum;
}

td_vec3 tdi_rows_pull(const tdi_rows *w, int32_t i) {
    td_vec3 sum = {0, 0, 0};
    for (int32_t e = w->first[i] + w->ends[i]; e < w->first[i + 1]; e++) {
        sum = tdi_madd(sum, w->sees[e].v, -w->force[w->row[e]]);
    }
    return sum;
}

void tdi_rows_solve(tdi_rows *w, int32_t i, const tdi_twist *move) {
    const int32_t open = open_at(w, i), first = w->first[i];
    for (int32_t j = w->ends[i] - 1; j >= 0; j--) {
        const td_real *c = w->matrix + w->square[i] + row_of(open, j);
        td_real sum = power(&w->sees[first + j], move) - w->side[first + j];
        for (int32_t k = j + 1; k < open; k++) {
            sum -= c[k] * w->force[w->row[first + k]];
        }
        w->force[w->row[first + j]] = sum / c[j];
    }
}
