// SPDX-License-Identifier: MIT
#pragma once

// Trees that leave out joints, as solvers for the claims on all solvers. Of the one little error is
// allowed, and joints are chosen every other step: they freeze and ride. Of the other joints are in
// groups by hand, but where something touches or is held. A group is exact in first order of its
// turn: of where it rests, of what its loads work and of how its segments move there are claims,
// but none on orders.

#include "published/explicit.h"
#include "reduce/solver.h"
#include "tendril/reduce.h"

#include <stdlib.h>
#include <string.h>

static inline td_status reduced_state_new(const void *model, const td_alloc *alloc, td_body **out,
                                          td_diag *diag) {
    td_reduce_opts opts = td_reduce_opts_default();
    td_body *state = NULL;
    opts.error = 1e-5;
    opts.every = 2;
    td_status status = td_reduced_new(model, &opts, alloc, &state, diag);
    *out = (td_body *)state;
    return status;
}

// Whatever can join: the stem of the claims forks, and ends in a group of two.
static inline td_status grouped_state_new(const void *model, const td_alloc *alloc, td_body **out,
                                          td_diag *diag) {
    const td_reduce_opts opts = td_reduce_opts_default();
    td_body *state = NULL;
    td_status status = td_reduced_new(model, &opts, alloc, &state, diag);
    if (status == TD_OK) {
        const size_t count = (size_t)td_body_segment_count(model);
        uint8_t *modes = malloc(count);
        memset(modes, TD_REDUCE_JOINED, count);
        td_reduced_set_modes(state, modes);
        free(modes);
    }
    *out = (td_body *)state;
    return status;
}

static inline const tdi_solver *test_grouped(void) {
    static tdi_solver solver;
    if (!solver.state_new) {
        solver = tdi_solver_reduced;
        solver.info.name = "grouped-tree";
        solver.state_new = grouped_state_new;
    }
    return &solver;
}

static inline bool is_coarse(const tdi_solver *solver) {
    return strcmp(solver->info.name, "grouped-tree") == 0;
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
