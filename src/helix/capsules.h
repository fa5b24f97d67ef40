// SPDX-License-Identifier: MIT
#pragma once

// The capsules that helices are to others.

#include "helix/state.h"

// Notes how the capsules are drawn: the state is as drawn.
void tdi_helix_note_drawn(tdi_helix_state *state);

// Functions of tdi_implicit; `body` is a tdi_helix_state.
void tdi_helix_capsules(const void *body, tdi_capsule *capsules);
bool tdi_helix_apart(const void *body, int32_t i, int32_t j);
td_real tdi_helix_force(const void *body, const td_step_opts *opts, td_real gap, td_real h);
