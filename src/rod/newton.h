// SPDX-License-Identifier: MIT
#pragma once

// Newton's method on the incremental potential of rods.

#include "rod/contacts.h"
#include "rod/pose.h"

typedef struct tdi_rod_newton {
    int32_t iterations;
    td_real tolerance; // rad or m: largest increment of the last iteration
} tdi_rod_newton;

// From the poses to the least value, all states together. Fills stats; TD_ERR_DIVERGED when a value
// is not finite.
td_status tdi_rod_minimise(const tdi_rod_system *system, const tdi_rod_newton *opts,
                           td_step_stats *stats, td_diag *diag);
// Takes the increments, as far as contact lets them: how far.
td_status tdi_rod_carry(const tdi_rod_system *system, tdi_rod_way way, td_real *part,
                        td_diag *diag);
