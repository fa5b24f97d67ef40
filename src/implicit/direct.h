// SPDX-License-Identifier: MIT
#pragma once

// The coupled solve by a factor of the whole matrix, where all bodies that touch offer blocks.

#include "base/alloc.h"
#include "implicit/implicit.h"
#include "implicit/sparse.h"

typedef struct tdi_direct {
    int32_t node_limit;     // points of all bodies that offer blocks; 0: there is no room
    int32_t pair_limit;     // pairs that there is room for
    int32_t *first;         // of a member: node of its first point; TD_NONE: it is solved by itself
    int32_t (*pair)[2];     // capsules of all contacts that the order is made for
    int32_t pair_count;     // TD_NONE: there is no order
    bool better;            // for these pairs the factor has room, and is cheaper
    bool forced;            // whether it is cheaper was not asked
    tdi_unknowns *unknowns; // of a node
    td_real (*x)[4];        // at a place of the order
    void *numbers;          // room of its own for these two
    tdi_sparse *sparse;
} tdi_direct;

// Whether anything of a point is held.
static inline bool tdi_unknowns_held(const tdi_unknowns *u) {
    return u->held[0] || u->held[1] || u->held[2] || u->held[3];
}
// Takes what is held out of a block of two points, and puts what its increments do into the
// gradients.
void tdi_unknowns_hold(tdi_unknowns *a, tdi_unknowns *b, td_real block[4][4]);

// Increments of all nodes by the factor, but of what is held. x: scratch, by places of the order.
// Returns what they promise, as tdi_sparse_solve.
td_real tdi_unknowns_solve(tdi_unknowns *unknowns, const tdi_sparse *s, td_real (*x)[4]);

// Room for the members. Lay out once with base NULL, as ever, and once with the block.
void tdi_direct_lay_out(tdi_direct *d, const tdi_member *members, int32_t count,
                        tdi_layout *layout);

// Puts its numbers into other memory, where the layout goes on; NULL: into its own again. They are
// lost, the order is not.
void tdi_direct_lend(tdi_direct *d, tdi_layout *layout);

// Whether the bodies, coupled by the contacts that were evaluated last, are to be solved by one
// factor: if all of them offer blocks, and conjugate gradients would take longer. Makes its order.
bool tdi_direct_plan(tdi_touch *t, const tdi_system *system);
// Whether a member takes part.
bool tdi_direct_joins(const tdi_touch *t, int32_t member);
// Factors the whole, when the members that take part have made their blocks. False: it is not
// positive definite.
bool tdi_direct_factor(tdi_touch *t, const tdi_system *system);
// Increments of those members, and what they promise.
void tdi_direct_solve(tdi_touch *t, const tdi_system *system, td_real *predicted_decrease);
