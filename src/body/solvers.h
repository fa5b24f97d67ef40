// SPDX-License-Identifier: MIT
#pragma once

// The solvers by name, and what one of them may not offer.

#include "solver/solver.h"

// NULL: the first. NULL when none has this name.
const tdi_solver *tdi_solver_find(const char *name);

// Its explicit integrators; NULL: it has none.
const tdi_explicit_ops *tdi_solver_explicit(const tdi_solver *solver);
// Whether td_adapt steps its states: the integrator TD_ADAPTIVE.
bool tdi_solver_adapts(const tdi_solver *solver);
// The solver that steps models of this one with fewer joints; NULL if no solver does.
const tdi_solver *tdi_solver_reduced_of(const tdi_solver *solver);
// Bits of td_integrator: implicit ones, explicit ones, and that one.
uint32_t tdi_solver_integrators(const tdi_solver *solver);

// Takes the options of a caller, of any version, or NULL: the defaults. Refuses those with which
// the state cannot be stepped by itself.
td_status tdi_solver_take_opts(const tdi_solver *solver, const void *state,
                               const td_step_opts *given, td_step_opts *own, td_diag *diag);
// A state by itself, by any integrator of its solver, all or nothing. `stats` may be NULL.
td_status tdi_solver_step(const tdi_solver *solver, void *state, const td_step_opts *opts,
                          td_step_stats *stats, td_diag *diag);

// For tests: one more solver, behind those there are, until it is removed; it may have explicit
// integrators. It must have a name of its own. Not while other threads ask for solvers. False when
// there is no room.
bool tdi_solver_add(const tdi_solver *solver, const tdi_explicit_ops *explicit_ops);
void tdi_solver_remove(const tdi_solver *solver);

// TD_ERR_ARGUMENT when the solver does not offer it.
td_status tdi_solver_rest_new(const tdi_solver *solver, const td_body_model *model, td_vec3 gravity,
                              const td_alloc *alloc, td_body_model **out, td_diag *diag);
td_status tdi_solver_damped_new(const tdi_solver *solver, const td_body_model *model,
                                const td_damping_opts *opts, const td_alloc *alloc,
                                td_body_model **out, td_diag *diag);
td_status tdi_solver_modes(const tdi_solver *solver, td_body *state, td_vec3 gravity, int32_t count,
                           td_mode *modes, td_diag *diag);
