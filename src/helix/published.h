// SPDX-License-Identifier: MIT
#pragma once

// The published ways to step (Bertails 2009).

#include "helix/dynamics.h"

// Accelerations by one of the methods, and for a step where it leads, into state->work. Motions and
// inertias are there. The state itself is left alone.
void tdi_helix_recursive(td_helix_state *state, const tdi_helix_motive *motive);
td_status tdi_helix_composite(td_helix_state *state, const tdi_helix_motive *motive, td_diag *diag);

// From the accelerations of curvatures and of the start of element i to its u, rate and motion when
// the step ends, on `base` then. What carries it is there already.
void tdi_helix_end_motion(td_helix_state *state, const tdi_helix_motive *motive,
                          const td_base_motion *base, int32_t i);

// TD_EULER: the recursive method with frozen twist.
td_status tdi_helix_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                  td_diag *diag);
