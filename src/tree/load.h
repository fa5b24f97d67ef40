// SPDX-License-Identifier: MIT
#pragma once

// Loads on the bodies of a tree, as terms of the incremental potential and as forces.

#include "tendril/load.h"
#include "tree/model.h"

// Loads and air of a step. Points move as x = o + R X; their velocity is (x - x*)/h, x* = o* + R*
// X.
typedef struct tdi_loads {
    const td_load *load;
    int32_t count;
    td_air air;
    td_real h;            // of the rule; 0 in statics: no drag
    td_real weight;       // factor of a potential: h^2 in a step, 1 in statics
    const tdi_past *star; // a body: o* and R*
} tdi_loads;

td_real tdi_loads_value(const td_tree_model *model, const td_tree_state *state,
                        const tdi_loads *loads);
// Adds gradient and Hessian to load, pull, block and swing.
void tdi_loads_expand(const td_tree_model *model, td_tree_state *state, const tdi_loads *loads);
// Forces and moments at the state's pose and twists, added to `wrench` (a body).
void tdi_loads_wrench(const td_tree_model *model, const td_tree_state *state,
                      const tdi_loads *loads, tdi_wrench *wrench);
td_status tdi_loads_check(const td_tree_model *model, const td_load *load, int32_t count,
                          const td_air *air, td_diag *diag);
