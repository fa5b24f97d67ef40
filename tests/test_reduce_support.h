// SPDX-License-Identifier: MIT
// Reduced trees for tests: from a model, in the state of a tree, and their steps.
#ifndef TEST_REDUCE_SUPPORT_H
#define TEST_REDUCE_SUPPORT_H

#include "reduce/reduce.h"
#include "test_tree_support.h"

static inline td_body *reduced_of(const td_body_model *model) {
    td_body *s = NULL;
    td_diag diag = {.message = ""};
    const td_reduce_opts opts = td_reduce_opts_default();
    CHECK_INT(td_reduced_new(model, &opts, NULL, &s, &diag), TD_OK);
    return s;
}

static inline td_real *velocities_of(tdi_tree_state *s) {
    tdi_tree_fresh(s);
    return s->v;
}

// The same coordinates and velocities in a reduced state that has not moved.
static inline td_body *reduced_like(tree t) {
    td_body *s = reduced_of(t.model);
    memcpy(tdi_as_reduced(s)->tree.q, t.q, (size_t)t.nq * sizeof *t.q);
    memcpy(tdi_as_reduced(s)->tree.v, t.v, (size_t)t.nv * sizeof *t.v);
    tdi_tree_changed(&tdi_as_reduced(s)->tree);
    return s;
}

static inline void step_reduced(td_body *s, const td_step_opts *opts) {
    td_diag diag = {.message = ""};
    CHECK_SAY(td_body_step(s, opts, NULL, &diag) == TD_OK, "%s", diag.message);
}

#endif
