// SPDX-License-Identifier: MIT
#pragma once

// Rows between bodies of one tree, eliminated with it: see rows.c. Functions of tdi_implicit;
// `body` is a tdi_tree_state.

#include "implicit/implicit.h"
#include "tree/model.h"

extern const tdi_row_ops tdi_tree_row_ops;

// ---- of sweep.c

// Before the joint of body i is eliminated: rows that end there go into what it carries. False: the
// whole is not positive definite.
bool tdi_rows_close(tdi_rows *rows, int32_t i, tdi_block *block, tdi_wrench *load,
                    td_real *predicted_decrease);
// With the factors of the joint: what it leaves of the other rows.
void tdi_rows_pass(tdi_rows *rows, int32_t i, const tdi_node *node);
// To what carries it.
void tdi_rows_hand_down(tdi_rows *rows, int32_t i, int32_t parent, td_vec3 r);
// Root to tip: the turn that rows add, and forces of those that end at body i.
td_vec3 tdi_rows_turn(const tdi_rows *rows, int32_t i);
// The force that open rows put on the joint of body i, less what their turn does to it.
td_vec3 tdi_rows_pull(const tdi_rows *rows, int32_t i);
void tdi_rows_solve(tdi_rows *rows, int32_t i, const tdi_twist *move);
