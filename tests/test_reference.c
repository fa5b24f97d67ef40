// SPDX-License-Identifier: MIT
// Reference cases from mechanics textbooks, for every solver and both contact methods: pushes,
// slips, drums, starts near contact, moving colliders.

#include "test_world_support.h"

// ---- pushes ---------------------------------------------------------------------------------

// ---- slips and drums ------------------------------------------------------------------------

// ---- starts near contact --------------------------------------------------------------------

// ---- moving colliders -----------------------------------------------------------------------
