// SPDX-License-Identifier: MIT
// The solvers there are. A new one is a line in each table here, and a file of its own.

#include "world/solver.h"

#include "base/diag.h"
#include "scene/scene_tables.h"

const tdi_solver *const tdi_solvers[] = {
    [TD_SOLVER_TREE] = &tdi_solver_tree,
    [TD_SOLVER_ROD] = &tdi_solver_rod,
};

const tdi_choice tdi_solver_choices[] = {{"tree", TD_SOLVER_TREE, "rigid segments on joints"},
                                         {"rod", TD_SOLVER_ROD, "elastic rods"},
                                         {0}};

// ---- what a solver may not offer ------------------------------------------------------------

td_status tdi_solver_rest_new(const tdi_solver *solver, const tdi_solver_model *model,
                              td_vec3 gravity, const td_alloc *alloc, tdi_solver_model **out,
                              td_diag *diag) {
    *out = NULL;
    if (!solver->rest_new) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the solver '%s' cannot keep a drawn shape under gravity", solver->name);
    }
    return solver->rest_new(model, gravity, alloc, out, diag);
}

td_status tdi_solver_damped_new(const tdi_solver *solver, const tdi_solver_model *model,
                                const td_damping_opts *opts, const td_alloc *alloc,
                                tdi_solver_model **out, td_diag *diag) {
    *out = NULL;
    if (!solver->damped_new) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the solver '%s' takes damping from materials alone",
                        solver->name);
    }
    return solver->damped_new(model, opts, alloc, out, diag);
}

td_status tdi_solver_modes(const tdi_solver *solver, tdi_solver_state *state, td_vec3 gravity,
                           int32_t count, td_mode *modes, td_diag *diag) {
    if (!solver->modes) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the solver '%s' finds no modes", solver->name);
    }
    return solver->modes(state, gravity, count, modes, diag);
}
