// SPDX-License-Identifier: MIT
#pragma once

// Linear systems of the shape of a rod network, by elimination from the tips to the roots.
//
// A node is coupled with its parent and its grandparent; eliminating it adds to those two alone, so
// that the cost is linear. In a ring all nodes are coupled with the first two as well, by columns
// of their own (the border).

#include "rod/model.h"

// Adds a block to that of nodes a and b, which are the same, neighbours or next but one.
void tdi_rod_block_add(const tdi_rod_state *state, int32_t a, int32_t b, td_real block[4][4]);

// Zero in all blocks and gradients, or in the gradients alone.
void tdi_rod_clear(const tdi_rod_state *state);
void tdi_rod_clear_gradient(const tdi_rod_state *state);

// Eliminates one node, which must have all its terms. False when a pivot is not positive.
bool tdi_rod_eliminate(const tdi_rod_state *state, int32_t i);
// Eliminates a ring whose terms are all there, by the number of its part.
bool tdi_rod_eliminate_ring(const tdi_rod_state *state, int32_t part);

// Increments, in `step`, from the eliminated nodes and the gradients r in `work`, which are used
// up. Gives r^T H^-1 r: what the increments promise to lower a quadratic potential by is half of
// it. With `carry` in the state the increments of what is held are given and stay.
td_real tdi_rod_solve(const tdi_rod_state *state);

// y = H x with blocks as they were before elimination. x is zero at driven nodes.
void tdi_rod_multiply(const tdi_rod_model *model, const tdi_rod_work *work,
                      const td_real (*border)[4][8], const td_real (*x)[4], td_real (*y)[4]);
