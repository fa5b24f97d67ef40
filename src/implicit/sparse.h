// SPDX-License-Identifier: MIT
#pragma once

// Symmetric positive definite matrices of 4x4 blocks, of which few are not zero: A = U^T U.
//
//   tdi_sparse_begin, _link, _order   which blocks there are; nodes are ordered so that few more
//                                     arise in the factor, and get their places
//   tdi_sparse_clear, _add, _factor   numbers, as often as wanted
//   tdi_sparse_solve
//
// Nothing allocates. The order, and so every bit, follows from the links and their sequence alone.

#include "base/alloc.h"
#include "base/fetch.h"
#include "tendril/pool.h"

#define TDI_SPARSE_SHARES 64 // of rows, at most

// The graph of the nodes that are left; see tdi_sparse_order().
typedef struct tdi_elimination_graph {
    int32_t *entry, *spare; // neighbours of all nodes, and room to gather them anew
    int32_t entry_count;
    int32_t *first, *length, *room; // of a node, in `entry`; some of them may be eliminated
    int32_t *degree;                // neighbours that are not
    int32_t *weight;                // by which the next is chosen
    int32_t least;                  // weight that there is
    int32_t *head, *next, *before;  // lists of nodes of the same weight
    int32_t *mark;
} tdi_elimination_graph;

// Shares of rows that give nothing to each other, and at last the rows that all give to.
typedef struct tdi_row_shares {
    int32_t count;                        // with the last
    int32_t first[TDI_SPARSE_SHARES + 1]; // where its rows begin in
    int32_t *row;                         // rows by shares
    int32_t *of_row;
} tdi_row_shares;

typedef struct tdi_sparse {
    int32_t node_limit, link_limit, entry_limit, block_limit;
    // pattern
    int32_t node_count;
    int32_t link_count;
    int32_t (*link)[2];
    bool full; // more links, or blocks of the factor, than there is room for
    tdi_elimination_graph graph;
    // factor; nodes by their place in the order
    int32_t *place, *node; // of a node, at a place
    int32_t *row;          // where the blocks of a row begin, and one past all
    int32_t *column;       // of a block beyond the diagonal, increasing in a row
    int32_t block_count;
    int64_t work;                              // products of blocks that the factor takes
    td_real (*diagonal)[4][4], (*block)[4][4]; // first of the matrix, then of the factor
    void *numbers;                             // room of its own for these two
    int32_t *super;                            // the first row of a row's supernode
    int32_t *given;                            // of a row: where its givers begin, and one past all
    int32_t (*giver)[2]; // supernodes that have a block in its column: their last row, the block
    tdi_row_shares shares;
} tdi_sparse;

// In memory of the caller's, aligned for any type, of which it takes so many bytes: with room for
// so many nodes, links, and blocks of the factor beyond the diagonal. Bytes of summed
// limits are at most the sum of the bytes of each.
size_t tdi_sparse_bytes(int32_t node_limit, int32_t link_limit, int32_t block_limit);
tdi_sparse *tdi_sparse_place(int32_t node_limit, int32_t link_limit, int32_t block_limit,
                             void *memory);

// Puts its numbers at the end of a layout; NULL: into its own memory. The numbers are lost, the
// order is kept.
void tdi_sparse_lend(tdi_sparse *s, tdi_layout *layout);

void tdi_sparse_begin(tdi_sparse *s, int32_t node_count); // no more than the limit
// Two nodes have a block; a pair may come more than once.
void tdi_sparse_link(tdi_sparse *s, int32_t a, int32_t b);
// False: there is no room for all links or for the factor.
bool tdi_sparse_order(tdi_sparse *s);

void tdi_sparse_clear(tdi_sparse *s);
// Adds a block with the rows of a and the columns of b, and its transpose if they are not the same.
void tdi_sparse_add(tdi_sparse *s, int32_t a, int32_t b, td_real block[4][4]);
// Fetches the memory of a node's row, to which something is added soon.
TDI_FETCHES void tdi_sparse_fetch(const tdi_sparse *s, int32_t node) {
    const int32_t k = s->place[node];
    tdi_fetch(s->diagonal[k], sizeof *s->diagonal);
    tdi_fetch(s->block[s->row[k]], (size_t)(s->row[k + 1] - s->row[k]) * sizeof *s->block);
}
// On all threads of a pool; NULL: on this one, with the same bits. False: it is not positive
// definite.
bool tdi_sparse_factor(tdi_sparse *s, td_pool *pool);
// The same in two and in four lanes; the latter is there where the processor may have them.
bool tdi_sparse_factor_2(tdi_sparse *s, td_pool *pool);
bool tdi_sparse_factor_4(tdi_sparse *s, td_pool *pool);
// x = A^-1 x, where there was r; gives r^T A^-1 r. `x` by places: see tdi_sparse.
td_real tdi_sparse_solve(const tdi_sparse *s, td_real (*x)[4]);
