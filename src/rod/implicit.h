// SPDX-License-Identifier: MIT
#pragma once

// Rods in the common implicit step.

#include "implicit/implicit.h"
#include "rod/terms.h"

// Rods for the common Newton's method; bodies are td_rod_states.
extern const tdi_implicit tdi_rod_implicit;
extern const tdi_statics_ops tdi_rod_statics; // solver.c
extern const tdi_modal tdi_rod_modal;         // modes.c
void tdi_rod_perturb_pose(void *body, const tdi_rigid *motion);

// The past of a state that was set by hand: of a step that begins at its pose.
void tdi_rod_begin_history(tdi_rod_state *state);
