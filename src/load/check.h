// SPDX-License-Identifier: MIT
#pragma once

// Loads as every solver checks them.

#include "tendril/load.h"

// TD_ERR_ARGUMENT, naming the load and the field, unless all are in their ranges.
td_status tdi_loads_check(int32_t segments, const td_load *load, int32_t count, const td_air *air,
                          td_diag *diag);
