// SPDX-License-Identifier: MIT
#pragma once

// What every solver asks of a segment.

#include "tendril/skeleton.h"

// TD_ERR_ARGUMENT, with the segment and the field, unless mass and length are above 0, stiffness
// and damping at least 0, and the parent stands before it.
td_status tdi_segment_check(const td_segment *segment, int32_t index, td_diag *diag);
