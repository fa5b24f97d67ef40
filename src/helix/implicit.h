// SPDX-License-Identifier: MIT
#pragma once

// The implicit step or the search for rest of helices that is under way.

#include "helix/sweep.h"

typedef struct tdi_helix_step {
    td_real h; // s: of the rule; 0 in statics
} tdi_helix_step;

// Helices for the common Newton's method; bodies are td_helix_states.
extern const tdi_implicit tdi_helix_implicit;
