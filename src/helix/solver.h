// SPDX-License-Identifier: MIT
#pragma once

#include "solver/solver.h"

extern const tdi_solver tdi_solver_helix;
