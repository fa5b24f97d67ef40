// SPDX-License-Identifier: MIT
#pragma once

// Random small plants for storms: a stem with branches, leaves on stalks of which some are limp,
// fruit and flowers, of materials from wood to tendril, with and without damping. The same plant
// for the same seed. Public headers only, so that tests and the command share it.

#include "tendril/skeleton.h"

td_status storm_plant_new(uint64_t seed, td_skeleton **out, td_diag *diag);
