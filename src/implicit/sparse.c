// SPDX-License-Identifier: MIT
// Block-sparse Cholesky factors: memory, numbers and solutions. Orders are made in sparse_order.c,
// factors in sparse_kernel.h.

#include "implicit/sparse.h"

#include "base/alloc.h"
#include "base/assert.h"

#include <math.h>
#include <string.h>

#define FEW      8 // columns: these are looked at one after the other
#define SPACIOUS 5 // times as much room as links, while neighbours come and go

// ---- making ---------------------------------------------------------------------------------

static void lay_out_numbers(tdi_sparse *s, tdi_layout *l) {
    s->diagonal = tdi_layout_place(l, (size_t)s->node_limit, sizeof *s->diagonal);
    s->block = tdi_layout_place(l, (size_t)s->block_limit, sizeof *s->block);
}

static void lay_out(tdi_sparse *s, tdi_layout *l) {
    const size_t n = (size_t)s->node_limit, blocks = (size_t)s->block_limit;
    tdi_layout_place(l, 1, sizeof *s);
    int32_t **arrays[] = {&s->graph.first, &s->graph.length,  &s->graph.degree, &s->graph.room,
                          &s->graph.head,  &s->graph.next,    &s->graph.before, &s->graph.mark,
                          &s->place,       &s->node,          &s->row,          &s->super,
                          &s->given,       &s->shares.of_row, &s->shares.row,   &s->graph.weight};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = tdi_layout_place(l, n + 1, sizeof(int32_t));
    }
    s->link = tdi_layout_place(l, (size_t)s->link_limit, sizeof *s->link);
    s->graph.entry = tdi_layout_place(l, (size_t)s->entry_limit, sizeof *s->graph.entry);
    s->graph.spare = tdi_layout_place(l, (size_t)s->entry_limit, sizeof *s->graph.spare);
    s->column = tdi_layout_place(l, blocks, sizeof *s->column);
    s->giver = tdi_layout_place(l, blocks, sizeof *s->giver);
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

// ---- links ----------------------------------------------------------------------------------

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
    for (int32_t last = s->row[early + 1]; last - e > FEW;) { // columns are in order
        const int32_t middle = e + (last - e) / 2;
        e = s->column[middle] <= late ? middle : e;
        last = e == middle ? last : middle;
    }
    while (s->column[e] != late) {
        e++;
        TDI_ASSERT(e < s->row[early + 1]);
    }
    add(&s->block[e][0][0], block, q < p);
}

bool tdi_sparse_factor(tdi_sparse *s, td_pool *pool) {
#ifdef TDI_WIDE_X86
    if (__builtin_cpu_supports("avx2")) {
        return tdi_sparse_factor_4(s, pool);
    }
#endif
    return tdi_sparse_factor_2(s, pool);
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
