// SPDX-License-Identifier: MIT
#pragma once

// Shelter of organs that stand at one place.

#include "plant/store.h"

// The factor `drag` of organs that shelter each other. Once, after pruning.
void tdi_shelter_set(tdi_store *store);
