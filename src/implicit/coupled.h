// SPDX-License-Identifier: MIT
#pragma once

// The coupled solve: one sparse system of the bodies that contact and constraints couple.
//
//   | E   -v^T |   | x |   | -r   |
//   | -v   C   | . | q | = | v x0 |
//
// Nodes are points of bodies that offer blocks, with unknowns x, and relations of constraints, with
// forces q. E has the blocks of these bodies and of contacts between their capsules. Three paths,
// each for a structure:
//
//   own elimination   a row at one point of one body changes only that body: add_stiffness. Rows
//                     within one tree are eliminated with it in linear time (tree/rows.c)
//   sparse            bodies that offer blocks keep their unknowns, since rows and contacts that
//                     are local along a rod leave few blocks in the factor
//   Schur             other bodies are dense in their own points. They enter by C = 2/K_a - W,
//                     W = v H^-1 v^T, of their rows, from responses of their own factors H
//
// Contact of a body without blocks stays outside: conjugate gradients (conjugate_gradients.c) solve
// for it, with this system as the preconditioner. W of all rows of its contacts would be dense: see
// docs/theory/path.md for its size.
//
// A system is that of one set of constraints, ordered when the set is made; or that of contact and
// all sets of an island, ordered when pairs of capsules change.

#include "base/alloc.h"
#include "implicit/implicit.h"
#include "implicit/sparse.h"

struct tdi_coupled {
    size_t bytes;           // of a block of its own; 0: it is part of another
    int32_t node_limit;     // capacity
    bool small;             // the capacity is below the limits,
    bool lacks;             // and did not suffice: the result is invalid
    int32_t *first;         // of a member: node of its first point; TD_NONE: it has none
    tdi_unknowns *unknowns; // of a node: relations of all sets, then points
    td_real (*x)[4];        // at a place of the order
    void *numbers;          // room of its own for these two
    tdi_sparse *sparse;
    // contact
    int32_t (*pair)[2]; // capsules of all contacts that the order is made for
    int32_t pair_limit;
    int32_t pair_count; // TD_NONE: there is no order
    bool fits;          // for these pairs: all that touch offer blocks, and there is room
};

static inline bool tdi_is_coupled(const td_body *body) {
    return body->coupling.system;
}

// ---- pattern: coupled_pattern.c -------------------------------------------------------------

// Room for contact of the members by their tdi_member_room, and for the relations that they have.
// Lay out once with base NULL, as ever, and once with the block. That of several members is no more
// than the sum of theirs alone.
void tdi_coupled_lay_out(tdi_coupled *c, const tdi_member *members, int32_t count,
                         tdi_layout *layout);
// The same in a block of its own; NULL: out of memory.
tdi_coupled *tdi_coupled_make(const tdi_member *members, int32_t count, const td_alloc *alloc);
// That of a set of constraints and its members, with its order; NULL: out of memory.
tdi_coupled *tdi_coupled_of_set(tdi_constraint_set *h, const tdi_member *members);
void tdi_coupled_free(tdi_coupled *c, const td_alloc *alloc); // NULL is allowed
// Puts its numbers at the end of a layout; NULL: into its own memory. The numbers are lost, the
// order is kept.
void tdi_coupled_lend(tdi_coupled *c, tdi_layout *layout);
// Orders the system of contact and all sets for the contacts that were evaluated last. False: a
// body without blocks touches another, or there is no room.
bool tdi_coupled_order_contacts(const tdi_system *system);

// ---- numbers: coupled_assembly.c ------------------------------------------------------------

void tdi_coupled_open(const tdi_system *system);
// After a member was factored and solved: adds -W and v x0 of its rows, if it responds. One member
// at a time, while its memory is in the cache.
void tdi_coupled_add_schur(const tdi_system *system, int32_t member);
// When all members are: the rest of the matrices, and their factors. False: one is not positive
// definite.
bool tdi_coupled_factor(const tdi_system *system);

// ---- solutions: coupled.c -------------------------------------------------------------------

// Chooses the systems of an iteration: whether that of contact is used.
bool tdi_coupled_choose(const tdi_system *system);
bool tdi_coupled_any(const tdi_system *system);          // whether there are any
bool tdi_coupled_with_contact(const tdi_system *system); // whether it is one, with contact
// Solves them, and adds their predicted decrease.
void tdi_coupled_solve(const tdi_system *system, td_real *predicted_decrease);
void tdi_coupled_update_increments(const tdi_system *system,
                                   int32_t member); // its increments with them
// Responses of the coupled bodies to applied forces: members with nodes respond; to the others it
// applies the forces of their rows, after which the caller applies the same forces again.
void tdi_coupled_respond(const tdi_system *system);
