// SPDX-License-Identifier: MIT
#pragma once

// Steps of trees on forward dynamics, by TD_EULER or TD_RK4.

#include "tree/dynamics.h"

// The parts of a step: open, then for every stage `stage`, which puts the state where accelerations
// are wanted and returns the time from the start, `accelerate`, which leaves them in accel_now, and
// `gather`; then `arrive`, false when a value is not finite, and `close`, which takes the state
// back unless all is fine.
int tdi_explicit_stages(td_integrator integrator);
void tdi_explicit_open(const tdi_tree_model *model, tdi_tree_state *state);
td_real tdi_explicit_stage(const tdi_tree_model *model, tdi_tree_state *state,
                           const td_step_opts *opts, int stage);
void tdi_explicit_accelerate(const tdi_tree_model *model, tdi_tree_state *state,
                             const td_step_opts *opts);
void tdi_explicit_gather(const tdi_tree_model *model, tdi_tree_state *state, int stage);
bool tdi_explicit_arrive(const tdi_tree_model *model, tdi_tree_state *state,
                         const td_step_opts *opts);
void tdi_explicit_close(const tdi_tree_model *model, tdi_tree_state *state,
                        const td_step_opts *opts, bool fine);

// One step: TD_ERR_DIVERGED, with the state as it was, when a value is not finite.
td_status tdi_tree_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                 td_diag *diag);
// Likewise of a reduced tree.
td_status tdi_reduced_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                    td_diag *diag);
