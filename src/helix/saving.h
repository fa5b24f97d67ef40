// SPDX-License-Identifier: MIT
#pragma once

// Saves of a state. Functions of tdi_implicit; `body` is a tdi_helix_state.

#include "helix/state.h"

int32_t tdi_helix_saved(void *body, tdi_saving what, tdi_span spans[TDI_SPANS]);
void tdi_helix_transform(void *body, const tdi_rigid *motion);
