// SPDX-License-Identifier: MIT
#pragma once

#include "solver/solver.h"

// Trees that are reduced as they run, behind the seam; models are td_tree_models.
extern const tdi_solver tdi_solver_reduced;
