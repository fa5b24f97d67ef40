// SPDX-License-Identifier: MIT
#pragma once

// Factors of a step that later ones use again; see reuse.c.

#include "tree/implicit.h"

// Of a ball joint, in the axes of its body.
typedef struct tdi_kept {
    tdi_mat3 turn, shift; // D^-1 L, D^-1 B
    td_sym3 inverse;      // D^-1
    td_real q[4];         // of the joint, then
} tdi_kept;

// From the nodes of the step that is accepted, whose last sweep had `now->keep`.
void tdi_kept_take(const tdi_tree_state *state, tdi_kept *kept);
// How far joints turned since then, rad: the sum of those that carry a body, at most.
td_real tdi_kept_turned(tdi_tree_state *state, const tdi_kept *kept);
// Tip to root: the gradient alone. The next sweep out uses these factors.
void tdi_sweep_in_again(const tdi_tree_model *model, tdi_tree_state *state, const tdi_terms *terms,
                        const tdi_kept *kept);

// The turn of a body by that of what carries it and the shift u of its joint:
//   D^-1 L w_p - D^-1 B u - D^-1 (n + g), whose last part the node has
static inline td_vec3 tdi_kept_turn(const tdi_kept *by, const tdi_mat3 *r, const tdi_node *node,
                                    td_vec3 up, td_vec3 u) {
    const td_vec3 w = tdi_mat3_apply(&by->turn, tdi_mat3_apply_t(r, up)),
                  v = tdi_mat3_apply(&by->shift, tdi_mat3_apply_t(r, u));
    return tdi_mat3_apply(r, tdi_sub(tdi_sub(w, v), node->free));
}
