// SPDX-License-Identifier: MIT
#pragma once

// Shelter of organs at one node.

#include "plant/store.h"

// The factor `drag` of organs that shelter each other. Once, after pruning.
void tdi_shelter_set(tdi_store *store);
