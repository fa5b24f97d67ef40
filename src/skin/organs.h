// SPDX-License-Identifier: MIT
#pragma once

// Organs on their segments.

#include "skin/posed.h"
#include "skin/skin.h"

// Adds the triangles of all organs, and the balls at the tips of stems that carry one. On failure
// *where is the segment.
td_status tdi_organs_add(tdi_skin *skin, const td_skeleton *skeleton, const tdi_posed *posed,
                         int32_t *where);
// Largest extent of the box around all joints and tips.
td_real tdi_posed_extent(const tdi_posed *posed);
