// SPDX-License-Identifier: MIT
#pragma once

// Numbered tropisms of a view file: several directions that turn the turtle at once.

#include "grammar/turtle.h"

typedef struct tdi_tropism {
    td_vec3 direction;    // its length, at most 1, is the intensity
    td_real cosine, sine; // of the angle to the direction at which the heading rests
    td_real elasticity;   // at first
    td_real increment;    // of @Ti and @Td
    bool torque;          // turns the up vector about the heading, not the heading
} tdi_tropism;

// Turns the turtle as all tropisms together do in one step; `elasticities` has one for each.
void tdi_tropisms_turn(tdi_turtle *turtle, const tdi_tropism *tropisms, int32_t count,
                       const td_real *elasticities);
