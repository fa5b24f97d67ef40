// SPDX-License-Identifier: MIT
#pragma once

// Linear systems of the shape of a rod network, by elimination from the tips to the roots.
//
// A node is coupled with its parent and its grandparent; eliminating it adds to those two alone, so
// that the cost is linear. In a ring all nodes are coupled with the first two as well, by columns
// of their own (the border).

#include "rod/model.h"

// Adds a block to that of nodes a and b, which are the same, neighbours or next but one.
void tdi_rod_block_add(const td_rod_state *state, int32_t a, int32_t b, int32_t ring,
                       td_real block[4][4]);

// Zero in all blocks and gradients.
void tdi_rod_clear(const td_rod_state *state);

// Eliminates one node, which must have all its terms. False when a pivot is not positive.
bool tdi_rod_eliminate(const td_rod_state *state, int32_t i);
// Eliminates a ring whose terms are all there.
bool tdi_rod_eliminate_ring(const td_rod_state *state, const tdi_rod_part *part);

// Increments of a part from the eliminated nodes, roots first.
void tdi_rod_substitute(const td_rod_state *state, const tdi_rod_part *part);
