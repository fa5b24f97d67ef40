// SPDX-License-Identifier: MIT
#pragma once

// From a strand of a scene to segments.

#include "tendril/scene.h"

// Adds material, segments, strand and bodies to an empty builder, all lengths times `size`. Masses
// and parameters of sections that are given stay as they are. `key` is that of the strand where a
// fault is.
td_status tdi_strand_build(const td_strand_def *strand, td_real size, const td_material *material,
                           const td_alloc *alloc, td_builder *builder, const char **key,
                           td_diag *diag);
