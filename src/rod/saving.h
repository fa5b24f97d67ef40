// SPDX-License-Identifier: MIT
#pragma once

// States as bytes.

#include "rod/model.h"

// Bytes of all that the future of a state depends on; the same for states of one model.
size_t tdi_rod_save_size(const td_rod_state *state);
void tdi_rod_save(const td_rod_state *state, void *bytes);
// The bytes must be as many as of a state of the same model; what they say does no harm.
void tdi_rod_restore(td_rod_state *state, const void *bytes);
