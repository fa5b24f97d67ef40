// SPDX-License-Identifier: MIT
// Factors of sparse matrices of blocks, against dense ones. Pairs with src/implicit/sparse.c.

#include "implicit/sparse.h"
#include "td_test.h"

#include <stdlib.h>

enum { MOST = 40, WIDE = 4 * MOST, ROOM = 64 };

// ---- matrices -------------------------------------------------------------------------------

typedef struct matrix {
    int32_t nodes, links;
    int32_t link[8 * MOST][2];
    td_real block[8 * MOST][4][4];
    td_real diagonal[MOST][4][4];
    td_real dense[WIDE][WIDE];
} matrix;

static td_real any(tdi_random *r) {
    return 2 * tdi_random_uniform(r) - 1;
}

// B D B^T for a pair of nodes, with B of two rows of blocks: positive semi-definite.
static void add_pair(tdi_random *r, matrix *m, int32_t a, int32_t b) {
    td_real v[8][4], full[8][8] = {{0}};
    for (int k = 0; k < 32; k++) {
        v[k / 4][k % 4] = any(r);
    }
    for (int k = 0; k < 8; k++) {
        for (int l = 0; l < 8; l++) {
            for (int q = 0; q < 4; q++) {
                full[k][l] += v[k][q] * v[l][q];
            }
        }
    }
    const int32_t at = m->links++;
    m->link[at][0] = a;
    m->link[at][1] = b;
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) {
            m->diagonal[a][k][l] += full[k][l];
            m->diagonal[b][k][l] += full[4 + k][4 + l];
            m->block[at][k][l] = full[k][4 + l];
        }
    }
}

// Links between random pairs, some of them twice; every node has something of its own.
static matrix *any_matrix(tdi_random *r, int32_t nodes, int32_t links, td_real own) {
    matrix *m = calloc(1, sizeof *m);
    m->nodes = nodes;
    for (int32_t k = 0; nodes > 1 && k < links; k++) {
        const int32_t a = (int32_t)(nodes * tdi_random_uniform(r)),
                      b = (a + 1 + (int32_t)((nodes - 1) * tdi_random_uniform(r))) % nodes;
        add_pair(r, m, a, b);
    }
    for (int32_t i = 0; i < nodes; i++) {
        for (int k = 0; k < 4; k++) {
            m->diagonal[i][k][k] += own;
        }
    }
    for (int32_t i = 0; i < 4 * nodes; i++) {
        for (int k = 0; k < 4; k++) {
            m->dense[i][i / 4 * 4 + k] = m->diagonal[i / 4][i % 4][k];
        }
    }
    for (int32_t e = 0; e < m->links; e++) {
        for (int k = 0; k < 16; k++) {
            const int32_t row = 4 * m->link[e][0] + k / 4, column = 4 * m->link[e][1] + k % 4;
            m->dense[row][column] += m->block[e][k / 4][k % 4];
            m->dense[column][row] += m->block[e][k / 4][k % 4];
        }
    }
    return m;
}

// Cholesky in the plainest way; gives the least pivot, and x = A^-1 x.
static td_real solve_dense(const matrix *m, td_real *x) {
    static td_real l[WIDE][WIDE];
    const int n = 4 * m->nodes;
    td_real least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            td_real sum = m->dense[i][j];
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            least = i == j ? (fmin)(least, sum) : least; // NaN after one that is not positive
            l[i][j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / l[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= l[i][k] * x[k];
        }
        x[i] /= l[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= l[k][i] * x[k];
        }
        x[i] /= l[i][i];
    }
    return least;
}

// ---- sparse ---------------------------------------------------------------------------------

static tdi_sparse *room_for(int32_t nodes, int32_t blocks, void **memory) {
    *memory = malloc(tdi_sparse_bytes(nodes, 20 * nodes, blocks));
    return tdi_sparse_place(nodes, 20 * nodes, blocks, *memory);
}

static bool order(tdi_sparse *s, const matrix *m) {
    tdi_sparse_begin(s, m->nodes);
    for (int32_t e = 0; e < m->links; e++) {
        tdi_sparse_link(s, m->link[e][0], m->link[e][1]);
    }
    return tdi_sparse_order(s);
}

static void fill(tdi_sparse *s, matrix *m) {
    tdi_sparse_clear(s);
    for (int32_t i = 0; i < m->nodes; i++) {
        tdi_sparse_add(s, i, i, m->diagonal[i]);
    }
    for (int32_t e = 0; e < m->links; e++) {
        tdi_sparse_add(s, m->link[e][0], m->link[e][1], m->block[e]);
    }
}

static bool factor(tdi_sparse *s, matrix *m) {
    fill(s, m);
    return tdi_sparse_factor(s, NULL);
}

// Errors are those of rounding, 1e-16, times a condition of less than 1e4.
static void compare(tdi_random *r, const tdi_sparse *s, const matrix *m) {
    td_real right[WIDE], want[WIDE], got[MOST][4], sum = 0, size = 0, off = 0;
    for (int32_t k = 0; k < 4 * m->nodes; k++) {
        right[k] = want[k] = any(r);
        got[s->place[k / 4]][k % 4] = right[k];
    }
    solve_dense(m, want);
    const td_real predicted_decrease = tdi_sparse_solve(s, got);
    for (int32_t k = 0; k < 4 * m->nodes; k++) {
        off = fmax(off, fabs(got[s->place[k / 4]][k % 4] - want[k]));
        size = fmax(size, fabs(want[k]));
        sum += right[k] * want[k];
    }
    CHECK_SAY(off <= 1e-12 * size, "%d nodes, %d links: off by %g of %g", (int)m->nodes,
              (int)m->links, off, size);
    CHECK_REL(predicted_decrease, sum, 1e-12);
}

TD_TEST(sparse_factor_solves_as_a_dense_one_on_any_pattern) {
    tdi_random r = random_of(11);
    FREED void *memory = NULL;
    tdi_sparse *s = room_for(MOST, MOST * MOST / 2, &memory);
    for (int k = 0; k < 60; k++) { // one room for all: what was there before does not matter
        const int32_t nodes = 1 + (int32_t)(MOST * tdi_random_uniform(&r)) % MOST;
        FREED matrix *m = any_matrix(&r, nodes, (int32_t)(3 * nodes * tdi_random_uniform(&r)), 0.1);
        CHECK(order(s, m));
        CHECK(factor(s, m));
        compare(&r, s, m);
        CHECK(factor(s, m)); // once more in the same order
        compare(&r, s, m);
    }
}

TD_TEST(sparse_factor_has_the_same_bits_in_two_and_in_four_lanes) {
    enum { NODES = 40 };
    tdi_random r = random_of(14);
    void *memory, *other;
    tdi_sparse *s = room_for(NODES, NODES * NODES / 2, &memory),
               *t = room_for(NODES, NODES * NODES / 2, &other);
    for (int k = 0; k < 20; k++) {
        FREED matrix *m = any_matrix(&r, NODES, (k % 4) * NODES, 0.1);
        CHECK(order(s, m));
        CHECK(order(t, m));
        fill(s, m);
        fill(t, m);
        CHECK(tdi_sparse_factor_2(s, NULL));
        CHECK(tdi_sparse_factor(t, NULL)); // the widest that there is here
        CHECK(memcmp(s->diagonal, t->diagonal, NODES * sizeof *s->diagonal) == 0);
        CHECK(memcmp(s->block, t->block, (size_t)s->block_count * sizeof *s->block) == 0);
    }
    free(memory);
    free(other);
}

// Both what threads do by themselves and what they share row by row: the last rows are a third.
TD_TEST(sparse_factor_has_the_same_bits_on_any_number_of_threads) {
    enum { NODES = 40, LINKS = 80 };
    tdi_random r = random_of(15);
    void *memory, *other;
    tdi_sparse *s = room_for(NODES, NODES * NODES / 2, &memory),
               *t = room_for(NODES, NODES * NODES / 2, &other);
    FREED matrix *m = any_matrix(&r, NODES, LINKS, 0.1);
    CHECK(order(s, m));
    CHECK(order(t, m));
    const int32_t last = NODES - s->shares.first[s->shares.count - 1];
    CHECK_IN(last, NODES / 4, NODES / 2 + 4);
    CHECK_IN(s->shares.count, 3, TDI_SPARSE_SHARES);
    CHECK(factor(s, m));
    for (int32_t threads = 2; threads < 5; threads++) {
        OWNED(td_pool) *pool = NULL;
        CHECK_INT(td_pool_new(threads, NULL, &pool, NULL), TD_OK);
        fill(t, m);
        CHECK(tdi_sparse_factor(t, pool));
        CHECK(memcmp(s->diagonal, t->diagonal, NODES * sizeof *s->diagonal) == 0);
        CHECK(memcmp(s->block, t->block, (size_t)s->block_count * sizeof *s->block) == 0);
    }
    free(memory);
    free(other);
}

TD_TEST(sparse_factor_knows_what_is_not_positive_definite) {
    tdi_random r = random_of(12);
    FREED void *memory = NULL;
    int refused = 0, clear = 0;
    tdi_sparse *s = room_for(MOST, MOST * MOST / 2, &memory);
    for (int k = 0; k < 60; k++) {
        td_real x[WIDE] = {0};
        FREED matrix *m = any_matrix(&r, 20, 40, 0.5 * any(&r));
        const td_real least = solve_dense(m, x);
        CHECK(order(s, m));
        if (fabs(least) > 1e-6) { // else rounding decides
            const bool positive = factor(s, m);
            CHECK_SAY(positive == (least > 0), "least pivot %g: said %d", least, positive);
            refused += !positive;
            clear++;
        }
    }
    CHECK_IN(refused, clear / 4, clear - clear / 4); // both were tried
}

// Nodes without links give nothing to those in which it would be found later.
TD_TEST(sparse_factor_finds_a_negative_entry_in_any_share_of_rows) {
    enum { NODES = 40 };
    tdi_random r = random_of(16);
    FREED void *memory = NULL;
    tdi_sparse *s = room_for(NODES, NODES * NODES / 2, &memory);
    for (int links = 0; links <= 2 * NODES; links += 2 * NODES) {
        FREED matrix *m = any_matrix(&r, NODES, links, 0.1);
        CHECK(order(s, m) && factor(s, m) && s->shares.count >= 3);
        for (int32_t i = 0; i < NODES; i++) {
            const td_real was = m->diagonal[i][0][0];
            m->diagonal[i][0][0] = -0.1;
            CHECK(!factor(s, m));
            m->diagonal[i][0][0] = was;
        }
    }
}

// ---- order ----------------------------------------------------------------------------------

// Blocks of the factor of a matrix in which the nodes are coupled as a rod's are.
static int32_t blocks_of_chain(int32_t nodes, bool ring) {
    void *memory;
    tdi_sparse *s = room_for(nodes, 8 * nodes, &memory);
    tdi_sparse_begin(s, nodes);
    for (int32_t i = 0; i < nodes; i++) {
        for (int32_t k = 1; k <= 2; k++) {
            if (ring || i + k < nodes) {
                tdi_sparse_link(s, i, (i + k) % nodes);
            }
        }
    }
    CHECK(tdi_sparse_order(s));
    const int32_t blocks = s->block_count;
    free(memory);
    return blocks;
}

// A chain has two blocks a node, as its elimination from one end has. A ring has two more: those
// with the two nodes where it was opened.
TD_TEST(sparse_order_adds_no_blocks_to_chains_and_two_a_node_to_rings) {
    CHECK_INT(blocks_of_chain(50, false), 2 * 50 - 3);
    CHECK_INT(blocks_of_chain(1, false), 0);
    CHECK_IN(blocks_of_chain(50, true), 4 * 50 - 15, 4 * 50);
}

TD_TEST(sparse_order_that_has_no_room_is_refused_and_writes_nothing_beyond_it) {
    tdi_random r = random_of(13);
    FREED matrix *m = any_matrix(&r, MOST, 3 * MOST, 1);
    FREED void *whole = malloc(tdi_sparse_bytes(MOST, 20 * MOST, MOST * MOST / 2));
    tdi_sparse *all = tdi_sparse_place(MOST, 20 * MOST, MOST * MOST / 2, whole);
    int refused = 0;
    CHECK(order(all, m));
    for (int32_t blocks = 0; blocks <= MOST * MOST / 2; blocks += 20) {
        const size_t bytes = tdi_sparse_bytes(MOST, 20 * MOST, blocks);
        FREED char *memory = malloc(bytes + ROOM);
        memset(memory + bytes, 'x', ROOM);
        tdi_sparse *s = tdi_sparse_place(MOST, 20 * MOST, blocks, memory);
        const bool fits = order(s, m);
        CHECK_INT(fits, blocks >= all->block_count);
        if (fits) {
            CHECK(factor(s, m));
            compare(&r, s, m);
        }
        refused += !fits;
        for (int k = 0; k < ROOM; k++) {
            CHECK(memory[bytes + (size_t)k] == 'x');
        }
    }
    CHECK_IN(refused, 1, 39);
}

TD_TEST(sparse_links_beyond_the_room_are_refused) {
    FREED void *memory = NULL;
    tdi_sparse *s = room_for(2, 10, &memory);
    tdi_sparse_begin(s, 2);
    for (int32_t k = 0; k < 1000; k++) {
        tdi_sparse_link(s, 0, 1);
    }
    CHECK(!tdi_sparse_order(s));
    tdi_sparse_begin(s, 2);
    tdi_sparse_link(s, 0, 1);
    CHECK(tdi_sparse_order(s));
    CHECK_INT(s->block_count, 1);
}
