// SPDX-License-Identifier: MIT
#pragma once

// Strands and bodies of a skeleton.

#include "plant/store.h"

// What a stem resists with: `parameters` where they are above 0, else by radius and material.
td_section tdi_section_of(const td_segment *segment, const td_material *material,
                          const td_section *parameters);

// After segments were dropped: TD_ERR_ARGUMENT when one of them is part of a strand or has a body.
td_status tdi_strands_follow(tdi_store *store, const tdi_extra *extras, td_diag *diag);
