// SPDX-License-Identifier: MIT
#pragma once

// One factor of coupled rows and of the bodies that offer blocks: see hold_whole.c.

#include "implicit/direct.h"
#include "implicit/hold.h"

struct tdi_hold_whole {
    size_t bytes;           // of this block and all it points to, which are one
    int32_t *first;         // of a member: node of its first point; TD_NONE: it responds
    tdi_unknowns *unknowns; // of a node: those of bonds, then of points
    td_real (*x)[4];        // at a place of the order
    tdi_sparse *sparse;
};

// When bonds have their nodes: makes h->whole where it is worth it. False: out of memory.
bool tdi_hold_whole_new(tdi_holds *h, const tdi_member *members);
void tdi_hold_whole_free(tdi_holds *h);
// With the blocks of its members, and the factors and increments of all others. False: it is not
// positive definite.
bool tdi_hold_whole_factor(tdi_holds *h, const tdi_system *system);
// Increments of its members; q of the bonds is in `unknowns`.
void tdi_hold_whole_solve(tdi_holds *h, const tdi_system *system, td_real *predicted_decrease);

// ---- of hold_couple.c

bool tdi_held_has_row(const tdi_held *b, int32_t row);
// v of a row, of the moves of the pins that a member has.
td_real tdi_held_part(const tdi_holds *h, const tdi_held *b, int32_t member, int32_t row);
// 2/K_a, and units where there is no row; and -W of a member.
void tdi_holds_add_compliances(const tdi_holds *h, tdi_sparse *into);
// The memory of the body that is `next` is fetched on the way; NULL: none is.
void tdi_holds_add_member(tdi_holds *h, tdi_sparse *into, const tdi_member *m, int32_t k,
                          const td_body *next);
