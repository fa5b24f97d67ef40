// SPDX-License-Identifier: MIT
#pragma once

// Trees that leave out joints, as a solver for the claims on all solvers: little error is allowed,
// and joints are chosen every other step. They freeze and ride; what joins is drawn otherwise than
// it is moved, costs more than is allowed here, and has claims of its own in test_reduce.c.

#include "reduce/solver.h"
#include "tendril/reduce.h"

static inline td_status reduced_state_new(const void *model, const td_alloc *alloc,
                                          tdi_solver_state **out, td_diag *diag) {
    td_reduce_opts opts = td_reduce_opts_default();
    td_reduced_state *state = NULL;
    opts.error = 1e-5;
    opts.every = 2;
    td_status status = td_reduced_new(model, &opts, alloc, &state, diag);
    *out = (tdi_solver_state *)state;
    return status;
}

static inline const tdi_solver *test_reduced(void) {
    static tdi_solver solver;
    if (!solver.state_new) {
        solver = tdi_solver_reduced;
        solver.info.name = "adaptive-tree";
        solver.state_new = reduced_state_new;
    }
    return &solver;
}
