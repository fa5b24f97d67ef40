// SPDX-License-Identifier: MIT
#pragma once

// Stems as tubes.

#include "skin/posed.h"
#include "skin/skin.h"

// Adds the triangles of all tubes. `sides` as in td_mesh_opts. On failure *where is the segment.
td_status tdi_tubes_add(tdi_skin *skin, const tdi_posed *posed, const tdi_axes *axes, int32_t sides,
                        int32_t *where);
