// SPDX-License-Identifier: MIT
#pragma once

// The published ways to step (Bertails 2009): accelerations, and for a step where it leads, into
// state->work, where the equations are. The rest of the state is left alone.

#include "helix/dynamics.h"

void tdi_helix_recursive(tdi_helix_state *state, const tdi_helix_forward_opts *with);
td_status tdi_helix_composite(tdi_helix_state *state, const tdi_helix_forward_opts *with,
                              td_diag *diag);

// The mass matrix of tdi_helix_composite(), rows first, with frozen twist as a 1 on the diagonal,
// and how many unknowns it has: those of elements without parent that are not clamped, turn before
// place, come before the curvatures of the element.
int32_t tdi_helix_unknowns(const tdi_helix_model *model);
td_status tdi_helix_mass_matrix(tdi_helix_state *state, const tdi_helix_forward_opts *with,
                                td_real *matrix, td_diag *diag);

// TD_EULER: the recursive method with frozen twist.
td_status tdi_helix_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                  td_diag *diag);
