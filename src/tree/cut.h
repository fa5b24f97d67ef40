// SPDX-License-Identifier: MIT
#pragma once

// How a tree is cut into parts that threads can take: whole subtrees of about equal size, and what
// carries them. Passes over the bodies go part by part. The cut belongs to the model and joins come
// in a fixed order, so that results are the same bits for any number of threads.

#include "tree/model.h"

// Number of parts of n bodies, and the parts themselves if `part` is given. Bodies of a subtree
// must follow each other, as they do in plants grown from strings; otherwise there is one part.
int32_t tdi_tree_cut(const td_segment *segments, int32_t n, int32_t *size, tdi_part *part);

// Works on the bodies of model->part[part].
typedef void (*tdi_pass)(void *context, int32_t part);

// Root to tip: what carries the subtrees first, in order, then the subtrees.
void tdi_pass_out(const tdi_tree_model *model, td_pool *pool, tdi_pass pass, void *context);
// Tip to root: the subtrees, then what carries them, backwards; at the place of a subtree `join`.
void tdi_pass_in(const tdi_tree_model *model, td_pool *pool, tdi_pass pass, tdi_pass join,
                 void *context);
// In any order.
void tdi_pass_all(const tdi_tree_model *model, td_pool *pool, tdi_pass pass, void *context);

// The run that body i stands in.
int32_t tdi_run_of(const tdi_tree_model *model, int32_t i);

// Run k as far as it is in [first, last).
static inline tdi_run tdi_run_within(const tdi_tree_model *m, int32_t k, int32_t first,
                                     int32_t last) {
    tdi_run run = m->run[k];
    run.first = run.first > first ? run.first : first;
    run.last = run.last < last ? run.last : last;
    return run;
}
