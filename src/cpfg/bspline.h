// SPDX-License-Identifier: MIT
#pragma once

// Cubic B-splines: which four control points count at a parameter, and how much.

#include "tendril/base.h"

// Of `count` control points, at 0 <= d <= 1: the weights of first, first + 1, first + 2, first + 3.
// Clamped: knots 0 0 0 0 1 2 ... m m m m, so that the ends lie on the first and the last point.
void tdi_bspline_clamped(int32_t count, td_real d, int32_t *first, td_real weights[4]);
// Uniform knots.
void tdi_bspline_uniform(int32_t count, td_real d, int32_t *first, td_real weights[4]);
