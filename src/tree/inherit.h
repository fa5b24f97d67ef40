// SPDX-License-Identifier: MIT
#pragma once

// A tree in place of another one; see tdi_solver.

#include "plant/cut.h"
#include "tree/model.h"

void tdi_tree_inherit(void *to, void *from, const tdi_segment_source *segment_map);
int32_t tdi_tree_springs(void *model, int32_t segment, bool set, td_real *numbers);
