// SPDX-License-Identifier: MIT
// Block-sparse Cholesky factors.
//
// Order     Minimum degree, on the graph itself: the node with the fewest neighbours is eliminated
//           next, and its neighbours become neighbours of each other. They are the blocks of its
//           row in the factor, so that nothing is left to be found out afterwards. Among nodes
//           of one degree the one that got it last is next: it continues where the last was.
// Factor    Row by row. With a = U_jk of an earlier row j,
//             A_kl -= a^T U_jl  for all l >= k,   then   A_kk = R^T R,   U_kl = R^-T A_kl.
//           Row j waits in the list of the column that it has not been used for yet.

#include "implicit/sparse.h"

#include "base/alloc.h"
#include "base/assert.h"

#ifdef TDI_SMALL
#define TDI_LANES 1
#else
#define TDI_LANES 2
#endif
#include "math/wide.h"

#include <math.h>
#include <string.h>

#define SPACIOUS    5     // times as much room as links, while neighbours come and go
#define LEAST_PIVOT 1e-13 // of the block's own diagonal: below it is rounding

// ---- making ---------------------------------------------------------------------------------

static void lay_out_numbers(tdi_sparse *s, tdi_layout *l) {
    s->diagonal = tdi_layout_place(l, (size_t)s->node_limit, sizeof *s->diagonal);
    s->block = tdi_layout_place(l, (size_t)s->block_limit, sizeof *s->block);
}

static void lay_out(tdi_sparse *s, tdi_layout *l) {
    const size_t n = (size_t)s->node_limit, blocks = (size_t)s->block_limit;
    tdi_layout_place(l, 1, sizeof *s);
    int32_t **arrays[] = {&s->first, &s->length, &s->degree, &s->room,  &s->head,
                          &s->next,  &s->before, &s->mark,   &s->place, &s->node,
                          &s->row,   &s->at,     &s->cursor, &s->list,  &s->follow};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = tdi_layout_place(l, n + 1, sizeof(int32_t));
    }
    s->link = tdi_layout_place(l, (size_t)s->link_limit, sizeof *s->link);
    s->entry = tdi_layout_place(l, (size_t)s->entry_limit, sizeof *s->entry);
    s->spare = tdi_layout_place(l, (size_t)s->entry_limit, sizeof *s->spare);
    s->column = tdi_layout_place(l, blocks, sizeof *s->column);
    s->numbers = tdi_layout_place(l, 0, 1);
    lay_out_numbers(s, l);
}

static tdi_sparse sized(int32_t nodes, int32_t links, int32_t blocks) {
    return (tdi_sparse){.node_limit = nodes,
                        .link_limit = links,
                        .entry_limit = SPACIOUS * links,
                        .block_limit = blocks};
}

size_t tdi_sparse_bytes(int32_t nodes, int32_t links, int32_t blocks) {
    tdi_sparse s = sized(nodes, links, blocks);
    tdi_layout l = {NULL, 0};
    lay_out(&s, &l);
    return l.used;
}

tdi_sparse *tdi_sparse_place(int32_t nodes, int32_t links, int32_t blocks, void *memory) {
    tdi_sparse *s = memory, made = sized(nodes, links, blocks);
    tdi_layout l = {memory, 0};
    lay_out(&made, &l);
    *s = made;
    return s;
}

// ---- the graph ------------------------------------------------------------------------------

void tdi_sparse_lend(tdi_sparse *s, tdi_layout *l) {
    tdi_layout own = {s->numbers, 0};
    lay_out_numbers(s, l ? l : &own);
}

void tdi_sparse_begin(tdi_sparse *s, int32_t node_count) {
    s->node_count = node_count;
    s->link_count = 0;
    s->full = false;
}

void tdi_sparse_link(tdi_sparse *s, int32_t a, int32_t b) {
    if (s->link_count == s->link_limit) {
        s->full = true;
        return;
    }
    s->link[s->link_count][0] = a;
    s->link[s->link_count++][1] = b;
}

// Neighbours of each node, each once, with a little room for more.
static bool make_graph(tdi_sparse *s) {
    enum { MORE = 4 };
    const int32_t n = s->node_count;
    memset(s->room, 0, (size_t)n * sizeof *s->room);
    memset(s->degree, 0, (size_t)n * sizeof *s->degree);
    for (int32_t k = 0; k < s->link_count; k++) {
        s->room[s->link[k][0]]++;
        s->room[s->link[k][1]]++;
    }
    s->entry_count = 0;
    for (int32_t i = 0; i < n; i++) {
        s->mark[i] = TD_NONE;
        s->first[i] = s->entry_count;
        s->room[i] += MORE;
        if (s->room[i] > s->entry_limit - s->entry_count) {
            return false;
        }
        s->entry_count += s->room[i];
    }
    for (int32_t k = 0; k < s->link_count; k++) {
        const int32_t a = s->link[k][0], b = s->link[k][1];
        s->entry[s->first[a] + s->degree[a]++] = b;
        s->entry[s->first[b] + s->degree[b]++] = a;
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t *own = s->entry + s->first[i], kept = 0;
        for (int32_t k = 0; k < s->degree[i]; k++) {
            if (s->mark[own[k]] != i) {
                s->mark[own[k]] = i;
                own[kept++] = own[k];
            }
        }
        s->degree[i] = s->length[i] = kept;
    }
    return true;
}

// Gathers the neighbours of all nodes anew, without the gaps between them.
static void tidy(tdi_sparse *s) {
    int32_t *entry = s->entry, count = 0;
    for (int32_t i = 0; i < s->node_count; i++) {
        if (s->place[i] == TD_NONE) {
            memcpy(s->spare + count, entry + s->first[i], (size_t)s->length[i] * sizeof *entry);
            s->first[i] = count;
            s->room[i] = s->length[i];
            count += s->length[i];
        }
    }
    s->entry = s->spare;
    s->spare = entry;
    s->entry_count = count;
}

// Room for `need` neighbours of a node.
static bool make_room(tdi_sparse *s, int32_t i, int32_t need) {
    if (need <= s->room[i]) {
        return true;
    }
    const int32_t room = need + need / 2;
    if (room > s->entry_limit - s->entry_count) {
        tidy(s);
    }
    if (room > s->entry_limit - s->entry_count) {
        return false;
    }
    memcpy(s->entry + s->entry_count, s->entry + s->first[i],
           (size_t)s->length[i] * sizeof *s->entry);
    s->first[i] = s->entry_count;
    s->room[i] = room;
    s->entry_count += room;
    return true;
}

// ---- minimum degree -------------------------------------------------------------------------

static void enlist(tdi_sparse *s, int32_t i) {
    const int32_t d = s->degree[i];
    s->before[i] = TD_NONE;
    s->next[i] = s->head[d];
    if (s->head[d] != TD_NONE) {
        s->before[s->head[d]] = i;
    }
    s->head[d] = i;
    s->least = d < s->least ? d : s->least;
}

static void delist(tdi_sparse *s, int32_t i) {
    if (s->before[i] != TD_NONE) {
        s->next[s->before[i]] = s->next[i];
    } else {
        s->head[s->degree[i]] = s->next[i];
    }
    if (s->next[i] != TD_NONE) {
        s->before[s->next[i]] = s->before[i];
    }
}

// The neighbours `row` of an eliminated node become neighbours of u, which is one of them.
static bool join(tdi_sparse *s, int32_t u, const int32_t *row, int32_t count, int32_t stamp) {
    if (!make_room(s, u, s->length[u] + count)) {
        return false;
    }
    int32_t *own = s->entry + s->first[u], kept = 0;
    s->mark[u] = stamp;
    for (int32_t k = 0; k < s->length[u]; k++) {
        if (s->place[own[k]] == TD_NONE) {
            s->mark[own[k]] = stamp;
            own[kept++] = own[k];
        }
    }
    for (int32_t k = 0; k < count; k++) {
        if (s->mark[row[k]] != stamp) {
            own[kept++] = row[k];
        }
    }
    s->degree[u] = s->length[u] = kept;
    return true;
}

// Gives a node the next place, and the row that it has in the factor.
static bool put(tdi_sparse *s, int32_t *k, int32_t i, const int32_t *row, int32_t count) {
    int32_t *own = s->column + s->row[*k];
    if (count > s->block_limit - s->row[*k]) {
        return false;
    }
    s->place[i] = *k;
    s->node[*k] = i;
    for (int32_t e = 0, at = 0; at < count; e++) {
        if (s->place[row[e]] == TD_NONE) {
            own[at++] = row[e];
        }
    }
    s->row[*k + 1] = s->row[*k] + count;
    ++*k;
    s->work += (int64_t)count * (count + 3) / 2;
    return true;
}

// Eliminates a node, and with it those neighbours that have no others than it has: they would come
// next, without any more links.
static bool eliminate(tdi_sparse *s, int32_t *k, int32_t gone, int32_t *stamp) {
    const int32_t count = s->degree[gone], *row = s->column + s->row[*k];
    int32_t left = count;
    delist(s, gone);
    if (!put(s, k, gone, s->entry + s->first[gone], count)) {
        return false;
    }
    for (int32_t e = 0; e < count; e++) {
        delist(s, row[e]);
        if (!join(s, row[e], row, count, (*stamp)++)) {
            return false;
        }
    }
    for (int32_t e = 0; e < count; e++) {
        if (s->degree[row[e]] == count - 1 && !put(s, k, row[e], row, --left)) {
            return false;
        }
    }
    for (int32_t e = 0; e < count; e++) {
        if (s->place[row[e]] == TD_NONE) {
            s->degree[row[e]] -= count - left;
            enlist(s, row[e]);
        }
    }
    return true;
}

// Columns of a row by their places, instead of nodes.
static void sort_rows(tdi_sparse *s) {
    for (int32_t k = 0; k < s->node_count; k++) {
        int32_t *own = s->column + s->row[k];
        for (int32_t e = 0; e < s->row[k + 1] - s->row[k]; e++) {
            const int32_t place = s->place[own[e]];
            int32_t to = e;
            for (; to > 0 && own[to - 1] > place; to--) {
                own[to] = own[to - 1];
            }
            own[to] = place;
        }
    }
}

bool tdi_sparse_order(tdi_sparse *s) {
    const int32_t n = s->node_count;
    int32_t stamp = n; // marks below n are those of make_graph()
    if (s->full || !make_graph(s)) {
        return false;
    }
    for (int32_t i = 0; i <= n; i++) {
        s->head[i] = TD_NONE;
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        s->place[i] = TD_NONE;
        enlist(s, i);
    }
    s->row[0] = 0;
    s->work = s->least = 0;
    for (int32_t k = 0; k < n;) {
        while (s->head[s->least] == TD_NONE) {
            s->least++;
        }
        if (!eliminate(s, &k, s->head[s->least], &stamp)) {
            return false;
        }
    }
    s->block_count = s->row[n];
    sort_rows(s);
    return true;
}

// ---- numbers --------------------------------------------------------------------------------

void tdi_sparse_clear(tdi_sparse *s) {
    memset(s->diagonal, 0, (size_t)s->node_count * sizeof *s->diagonal);
    memset(s->block, 0, (size_t)s->block_count * sizeof *s->block);
}

static void add(td_real *to, td_real block[4][4], bool turned) {
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) {
            to[4 * k + l] += turned ? block[l][k] : block[k][l];
        }
    }
}

void tdi_sparse_add(tdi_sparse *s, int32_t a, int32_t b, td_real block[4][4]) {
    const int32_t p = s->place[a], q = s->place[b];
    const int32_t early = p < q ? p : q, late = p < q ? q : p;
    if (a == b) {
        add(&s->diagonal[p][0][0], block, false);
        return;
    }
    int32_t e = s->row[early];
    while (s->column[e] != late) {
        e++;
        TDI_ASSERT(e < s->row[early + 1]);
    }
    add(&s->block[e][0][0], block, q < p);
}

// to -= a^T b, two columns at a time
static inline void subtract(td_real to[4][4], td_real a[4][4], td_real b[4][4]) {
    for (int j = 0; j < 4; j += TDI_LANES) {
        const tdi_wide b0 = tdi_wide_load(b[0] + j), b1 = tdi_wide_load(b[1] + j),
                       b2 = tdi_wide_load(b[2] + j), b3 = tdi_wide_load(b[3] + j);
        for (int i = 0; i < 4; i++) {
            tdi_wide sum = a[0][i] * b0 + a[1][i] * b1 + a[2][i] * b2 + a[3][i] * b3;
            tdi_wide_store(to[i] + j, tdi_wide_load(to[i] + j) - sum);
        }
    }
}

// R of d = R^T R above the diagonal, and one over its diagonal. False when a pivot is not positive.
static bool factor_block(td_real d[4][4]) {
    for (int i = 0; i < 4; i++) {
        td_real pivot = d[i][i];
        for (int k = 0; k < i; k++) {
            pivot -= d[k][i] * d[k][i];
        }
        if (!(pivot > LEAST_PIVOT * fabs(d[i][i]))) {
            return false;
        }
        d[i][i] = 1 / sqrt(pivot);
        for (int j = i + 1; j < 4; j++) {
            for (int k = 0; k < i; k++) {
                d[i][j] -= d[k][i] * d[k][j];
            }
            d[i][j] *= d[i][i];
        }
    }
    return true;
}

// b = R^-T b
static inline void divide(td_real d[4][4], td_real b[4][4]) {
    for (int j = 0; j < 4; j += TDI_LANES) {
        const tdi_wide x0 = tdi_wide_load(b[0] + j) * d[0][0];
        const tdi_wide x1 = (tdi_wide_load(b[1] + j) - d[0][1] * x0) * d[1][1];
        const tdi_wide x2 = (tdi_wide_load(b[2] + j) - d[0][2] * x0 - d[1][2] * x1) * d[2][2];
        const tdi_wide x3 =
            (tdi_wide_load(b[3] + j) - d[0][3] * x0 - d[1][3] * x1 - d[2][3] * x2) * d[3][3];
        tdi_wide_store(b[0] + j, x0);
        tdi_wide_store(b[1] + j, x1);
        tdi_wide_store(b[2] + j, x2);
        tdi_wide_store(b[3] + j, x3);
    }
}

// A row waits in the list of its next column.
static void wait(tdi_sparse *s, int32_t j, int32_t at) {
    if (at < s->row[j + 1]) {
        s->cursor[j] = at;
        s->follow[j] = s->list[s->column[at]];
        s->list[s->column[at]] = j;
    }
}

static void update_row(tdi_sparse *s, int32_t k) {
    for (int32_t e = s->row[k]; e < s->row[k + 1]; e++) {
        s->at[s->column[e]] = e;
    }
    for (int32_t j = s->list[k], next; j != TD_NONE; j = next) {
        const int32_t from = s->cursor[j];
        next = s->follow[j];
        subtract(s->diagonal[k], s->block[from], s->block[from]);
        for (int32_t e = from + 1; e < s->row[j + 1]; e++) {
            subtract(s->block[s->at[s->column[e]]], s->block[from], s->block[e]);
        }
        wait(s, j, from + 1);
    }
}

bool tdi_sparse_factor(tdi_sparse *s) {
    for (int32_t k = 0; k < s->node_count; k++) {
        s->list[k] = TD_NONE;
    }
    for (int32_t k = 0; k < s->node_count; k++) {
        update_row(s, k);
        if (!factor_block(s->diagonal[k])) {
            return false;
        }
        for (int32_t e = s->row[k]; e < s->row[k + 1]; e++) {
            divide(s->diagonal[k], s->block[e]);
        }
        wait(s, k, s->row[k]);
    }
    return true;
}

//   U^T z = r,   U x = z,   r^T A^-1 r = |z|^2
td_real tdi_sparse_solve(const tdi_sparse *s, td_real (*x)[4]) {
    td_real sum = 0;
    for (int32_t k = 0; k < s->node_count; k++) {
        td_real(*d)[4] = s->diagonal[k], *z = x[k];
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < i; j++) {
                z[i] -= d[j][i] * z[j];
            }
            z[i] *= d[i][i];
            sum += z[i] * z[i];
        }
        for (int32_t e = s->row[k]; e < s->row[k + 1]; e++) {
            td_real(*b)[4] = s->block[e], *to = x[s->column[e]];
            for (int j = 0; j < 4; j++) {
                to[j] -= b[0][j] * z[0] + b[1][j] * z[1] + b[2][j] * z[2] + b[3][j] * z[3];
            }
        }
    }
    for (int32_t k = s->node_count - 1; k >= 0; k--) {
        td_real(*d)[4] = s->diagonal[k], *z = x[k];
        for (int32_t e = s->row[k]; e < s->row[k + 1]; e++) {
            td_real(*b)[4] = s->block[e];
            const td_real *from = x[s->column[e]];
            for (int i = 0; i < 4; i++) {
                z[i] -=
                    b[i][0] * from[0] + b[i][1] * from[1] + b[i][2] * from[2] + b[i][3] * from[3];
            }
        }
        for (int i = 3; i >= 0; i--) {
            for (int j = i + 1; j < 4; j++) {
                z[i] -= d[i][j] * z[j];
            }
            z[i] *= d[i][i];
        }
    }
    return sum;
}
