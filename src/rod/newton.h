// SPDX-License-Identifier: MIT
#pragma once

// Newton's method on the incremental potential of rods.

#include "rod/terms.h"

typedef struct tdi_rod_newton {
    int32_t iterations;
    td_real tolerance; // rad or m: largest increment of the last iteration
} tdi_rod_newton;

// From the state's pose to the least value. Fills stats; TD_ERR_DIVERGED when a value is not
// finite.
td_status tdi_rod_minimise(td_rod_state *state, const tdi_rod_potential *potential,
                           const tdi_rod_newton *opts, td_step_stats *stats);
