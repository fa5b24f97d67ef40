// SPDX-License-Identifier: MIT
#pragma once

// The turtle's axes: H heading, L left, U up, orthonormal, H x L = U.
//
// cpfg's up is the opposite, L x H. Queries and @R speak of cpfg's; here U is Z of a segment.

#include "grammar/turtle.h"
#include "math/vec3.h"

// (a, b) turn in their plane, a towards b.
void tdi_turn_axes(td_vec3 *a, td_vec3 *b, td_real degrees);
// Makes the axes orthonormal again; keeps the heading's direction.
void tdi_axes_renew(tdi_turtle *t);
// Rolls until U is as vertical as it can be. An upright turtle stays as it is.
void tdi_axes_upright(tdi_turtle *t);
// Turns the heading towards the unit vector `to` by the angle e |H x to|.
void tdi_axes_bend(tdi_turtle *t, td_vec3 to, td_real e);
// Rolls until the axes come from those of `before` without twist: by the smallest rotation that
// takes its heading to this one.
void tdi_axes_untwist(tdi_turtle *t, td_vec3 heading_before, td_vec3 left_before);
