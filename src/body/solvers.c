// SPDX-License-Identifier: MIT
// The solvers there are. A new one is a line here, and a folder of its own.

#include "body/solvers.h"

#include "base/diag.h"
#include "base/guard.h"
#include "helix/solver.h"
#include "implicit/modal.h"
#include "published/explicit.h"
#include "reduce/solver.h"
#include "rod/solver.h"
#include "tree/solver.h"

#include <string.h>

typedef struct row {
    const tdi_solver *solver;
    const tdi_explicit_ops *explicit_ops; // NULL: none
    bool adapts;                          // td_adapt steps its states: TD_ADAPTIVE
} row;

static const row rows[] = {{&tdi_solver_tree, &tdi_explicit_tree, true},
                           {&tdi_solver_rod, &tdi_explicit_rod, false},
                           {&tdi_solver_helix, &tdi_explicit_helix, false}};
static const row unlisted[] = {{&tdi_solver_reduced, &tdi_explicit_reduced, false}};

enum {
    ROWS = sizeof rows / sizeof *rows,
    UNLISTED = sizeof unlisted / sizeof *unlisted,
    MOST_ADDED = 4
};

static row added[MOST_ADDED]; // by tests alone
static int32_t added_count;

// ---- the list -------------------------------------------------------------------------------

static const tdi_solver *solver_at(int32_t k) {
    return k < ROWS ? rows[k].solver : added[k - ROWS].solver;
}

static const row *find_row(const row *in, int32_t count, const tdi_solver *solver) {
    int32_t k = 0;
    while (k < count && in[k].solver != solver) {
        k++;
    }
    return k < count ? &in[k] : NULL;
}

const tdi_explicit_ops *tdi_solver_explicit(const tdi_solver *solver) {
    const row *r = find_row(rows, ROWS, solver);
    r = r ? r : find_row(unlisted, UNLISTED, solver);
    r = r ? r : find_row(added, added_count, solver);
    return r ? r->explicit_ops : NULL;
}

const tdi_solver *tdi_solver_reduced_of(const tdi_solver *solver) {
    int32_t k = 0;
    while (k < UNLISTED && !(solver && unlisted[k].solver->reduced_of == solver)) {
        k++;
    }
    return k < UNLISTED ? unlisted[k].solver : NULL;
}

bool tdi_solver_adapts(const tdi_solver *solver) {
    const row *r = find_row(rows, ROWS, solver);
    return r && r->adapts;
}

uint32_t tdi_solver_integrators(const tdi_solver *solver) {
    const tdi_explicit_ops *e = tdi_solver_explicit(solver);
    return solver->info.integrators | (e ? e->integrators : 0) |
           (tdi_solver_adapts(solver) ? 1u << TD_ADAPTIVE : 0);
}

int32_t td_solver_count(void) {
    return ROWS + added_count;
}

td_solver_info td_solver_get(int32_t index) {
    if (!tdi_has(index, td_solver_count())) {
        return (td_solver_info){0};
    }
    const tdi_solver *s = solver_at(index);
    const tdi_explicit_ops *e = tdi_solver_explicit(s);
    const tdi_statics_ops *statics = tdi_statics_of(s);
    td_solver_info info = s->info;
    info.integrators = tdi_solver_integrators(s);
    info.ends = s->ends != NULL;
    info.contact = s->implicit->contact != NULL;
    info.mutual = s->implicit->respond != NULL;
    info.rest = statics->rest_new != NULL;
    info.damping = statics->damped_new != NULL;
    info.stiffens = statics->stiffen != NULL;
    info.modes = statics->modal != NULL;
    info.adapts = tdi_solver_adapts(s);
    info.explicit_contact = e && e->analytic;
    return info;
}

int32_t td_solver_find(const char *name) {
    int32_t k = 0;
    while (name && k < td_solver_count() && strcmp(solver_at(k)->info.name, name) != 0) {
        k++;
    }
    return k < td_solver_count() ? k : TD_NONE;
}

const tdi_solver *tdi_solver_find(const char *name) {
    const int32_t k = td_solver_find(name);
    return k == TD_NONE ? NULL : solver_at(k);
}

bool tdi_solver_add(const tdi_solver *solver, const tdi_explicit_ops *explicit_ops) {
    if (added_count == MOST_ADDED) {
        return false;
    }
    added[added_count++] = (row){solver, explicit_ops, false};
    return true;
}

void tdi_solver_remove(const tdi_solver *solver) {
    int32_t kept = 0;
    for (int32_t k = 0; k < added_count; k++) {
        if (added[k].solver != solver) {
            added[kept++] = added[k];
        }
    }
    added_count = kept;
}

// ---- steps ----------------------------------------------------------------------------------

td_status tdi_solver_take_opts(const tdi_solver *solver, const void *state,
                               const td_step_opts *given, td_step_opts *own, td_diag *diag) {
    static const char *const names[] = {"implicit", "implicit-euler", "euler", "rk4", "adaptive"};
    td_status status = tdi_step_opts_take(given, own, diag);
    status = status == TD_OK ? tdi_state_check(state, own, diag) : status;
    if (status == TD_OK && (own->integrator == TD_ADAPTIVE ||
                            !(tdi_solver_integrators(solver) >> own->integrator & 1))) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the solver '%s' does not have the integrator '%s'",
                        solver->info.name, names[own->integrator]);
    }
    return status;
}

td_status tdi_solver_step(const tdi_solver *solver, void *state, const td_step_opts *opts,
                          td_step_stats *stats, td_diag *diag) {
    td_step_stats none = {0};
    td_step_opts own;
    TDI_TRY(tdi_solver_take_opts(solver, state, opts, &own, diag));
    stats = stats ? stats : &none;
    if (!tdi_is_implicit(own.integrator)) {
        return tdi_solver_explicit(solver)->step(state, &own, stats, diag);
    }
    const tdi_member alone = {.body = state, .opts = &own};
    const tdi_system system = {.member = &alone, .count = 1};
    const td_alloc *alloc = ((const td_body *)state)->alloc;
    return tdi_system_step(&system, NULL, alloc, stats, diag);
}

// ---- what a solver may not offer ------------------------------------------------------------

td_status tdi_solver_rest_new(const tdi_solver *solver, const td_body_model *model, td_vec3 gravity,
                              const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    *out = NULL;
    if (!tdi_statics_of(solver)->rest_new) {
        return tdi_fail(
            diag, TD_ERR_ARGUMENT,
            "the solver '%s' does not have rest_under_gravity; remove it or change the solver",
            solver->info.name);
    }
    TDI_TRY(tdi_gravity_check(gravity, diag));
    return tdi_statics_of(solver)->rest_new(model, gravity, alloc, out, diag);
}

td_status tdi_solver_damped_new(const tdi_solver *solver, const td_body_model *model,
                                const td_damping_opts *opts, const td_alloc *alloc,
                                td_body_model **out, td_diag *diag) {
    *out = NULL;
    if (!tdi_statics_of(solver)->damped_new) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the solver '%s' has neither damping_ratio nor relaxation_time; it takes "
                        "damping from the materials",
                        solver->info.name);
    }
    TDI_TRY(tdi_damping_opts_check(opts, diag));
    return tdi_statics_of(solver)->damped_new(model, opts, alloc, out, diag);
}

td_status tdi_solver_modes(const tdi_solver *solver, td_body *state, td_vec3 gravity, int32_t count,
                           td_mode *modes, td_diag *diag) {
    if (!tdi_statics_of(solver)->modal) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the solver '%s' cannot compute modes",
                        solver->info.name);
    }
    return tdi_modes_alone(state, gravity, count, modes, NULL, diag);
}
