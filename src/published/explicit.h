// SPDX-License-Identifier: MIT
#pragma once

// Explicit integrators of the solvers, as published. body/solvers.c puts them beside the solvers,
// which know nothing of them.

#include "solver/solver.h"

extern const tdi_explicit_ops tdi_explicit_tree, tdi_explicit_reduced, tdi_explicit_rod,
    tdi_explicit_helix;

extern const tdi_adaptive_ops tdi_adaptive_tree;

extern const tdi_explicit_constraints tdi_analytic_constraints; // of trees
