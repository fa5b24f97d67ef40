// SPDX-License-Identifier: MIT
#pragma once

// Stems with a cross-section of their own.

#include "skin/posed.h"
#include "skin/skin.h"

// Adds the skin of the stem that begins with segment `start`; its segments have one contour.
td_status tdi_contour_add(tdi_skin *skin, const tdi_posed *posed, const tdi_axes *axes,
                          int32_t start);
