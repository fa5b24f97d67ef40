// SPDX-License-Identifier: MIT
// Functions that all solvers share: memory of models; rest, modes and damping of a single body.

#include "solver/solver.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "implicit/modal.h"

// ---- optional tables ------------------------------------------------------------------------

const tdi_statics_ops *tdi_statics_of(const tdi_solver *solver) {
    static const tdi_statics_ops none = {0};
    return solver->implicit->statics ? solver->implicit->statics : &none;
}

const tdi_transfer_ops *tdi_transfer_of(const tdi_solver *solver) {
    static const tdi_transfer_ops none = {0};
    return solver->transfer ? solver->transfer : &none;
}

// ---- models ---------------------------------------------------------------------------------

void *tdi_model_new(const tdi_solver *solver, const td_alloc *alloc, size_t bytes, td_diag *diag) {
    td_body_model *m = tdi_alloc_zeroed(alloc, 1, bytes);
    if (!m) {
        tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a model of the solver '%s'",
                 solver->info.name);
        return NULL;
    }
    m->solver = solver;
    m->alloc = alloc;
    m->bytes = bytes;
    return m;
}

void tdi_model_free(void *model) {
    const td_body_model *m = model;
    if (m) {
        tdi_alloc_free(m->alloc, model, m->bytes);
    }
}

void *tdi_body_new(const tdi_solver *solver, const void *model, const td_alloc *alloc, size_t bytes,
                   int32_t coords, td_diag *diag) {
    td_body *b = tdi_state_new(alloc, bytes, coords);
    if (!b) {
        tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a body of the solver '%s'",
                 solver->info.name);
        return NULL;
    }
    b->solver = solver;
    b->ops = solver->implicit;
    b->model = model;
    return b;
}

// ---- rest -----------------------------------------------------------------------------------

td_status tdi_body_settle(td_body *body, const td_step_opts *opts, td_step_stats *stats,
                          td_diag *diag) {
    td_step_stats none = {0};
    td_step_opts own;
    td_status status = tdi_step_opts_take(opts, &own, diag);
    status = status == TD_OK ? tdi_state_check(body, &own, diag) : status;
    const tdi_member alone = {.body = body, .opts = &own};
    const tdi_system system = {.member = &alone, .count = 1};
    return status == TD_OK ? tdi_system_settle(&system, stats ? stats : &none, diag) : status;
}

// ---- modes and damping ----------------------------------------------------------------------

enum { LOWEST = 12 }; // modes searched for a ratio: the first may be rigid motions

td_status tdi_damping_time(const td_body_model *second, const td_damping_opts *opts,
                           const td_alloc *alloc, td_real *time, td_diag *diag) {
    td_body *body = NULL;
    td_mode modes[LOWEST];
    td_step_opts rest = td_step_opts_default();
    rest.gravity = opts->gravity;
    const int32_t count = second->dof_count < LOWEST ? second->dof_count : LOWEST;
    td_status status = second->solver->state_new(second, alloc, &body, diag);
    status = status == TD_OK ? tdi_body_settle(body, &rest, NULL, diag) : status;
    status =
        status == TD_OK ? tdi_modes_alone(body, opts->gravity, count, modes, NULL, diag) : status;
    tdi_state_free(body);
    for (int32_t k = 0; status == TD_OK && k < count; k++) {
        if (modes[k].frequency > 0 && modes[k].damping_ratio > 1e-6 * modes[k].frequency) {
            *time = opts->value / modes[k].damping_ratio;
            return TD_OK;
        }
    }
    return status == TD_OK
               ? tdi_fail(
                     diag, TD_ERR_ARGUMENT,
                     "the damping ratio cannot be set: none of the lowest %d modes deforms a joint",
                     (int)count)
               : status;
}
