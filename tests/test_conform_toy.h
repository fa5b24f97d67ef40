// SPDX-License-Identifier: MIT
#pragma once

// A solver that is no part of the library: it stands for all that are still to come.

#include "solver/solver.h"

// A bead on a spring: the one segment of a skeleton becomes a ball with the segment's mass and base
// radius, whose middle a spring holds where the tip is drawn. With a free joint there is no spring.
// It does not turn.
extern const tdi_solver test_toy;
