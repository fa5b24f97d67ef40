// SPDX-License-Identifier: MIT
#pragma once

// Rods in place of others; see tdi_solver.

#include "plant/cut.h"
#include "rod/model.h"

void tdi_rod_inherit(void *to, void *from, const tdi_segment_source *segment_map);
int32_t tdi_rod_springs(void *model, int32_t segment, bool set, td_real *numbers);
