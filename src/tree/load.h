// SPDX-License-Identifier: MIT
#pragma once

// Loads on the bodies of a tree, as terms of the incremental potential and as forces.

#include "tendril/load.h"
#include "tree/sweep.h"

// Loads and air of a step. Points move as x = o + R X; their velocity is (x - x*)/h, x* = o* + R*
// X.
typedef struct tdi_loads {
    const td_load *load;
    int32_t count;
    td_air air;
    const td_vec3 *winds;  // a body: in place of air.wind, or NULL
    td_real h;             // of the rule; 0 in statics: no drag, no damping
    td_real weight;        // factor of a potential: h^2 in a step, 1 in statics
    const tdi_place *star; // a body: o* and R*
} tdi_loads;

// Value of the point loads; drag is of the bodies.
td_real tdi_loads_value(const td_tree_state *state, const tdi_loads *loads);
// Adds gradient and Hessian of the point loads to the nodes, before a sweep.
void tdi_loads_expand(td_tree_state *state, const tdi_loads *loads);

// Where drag is taken on the way from the joint to the tip: two points of Gauss, exact for a field
// linear along it.
static const td_real tdi_drag_gauss[2] = {0.21132486540518712, 0.78867513459481288};

static inline bool tdi_has_drag(const tdi_loads *l) {
    return l->h > 0 && (l->air.linear > 0 || l->air.quadratic > 0);
}
// Drag on a body: its value, and gradient and Hessian added to a term.
td_real tdi_drag_value(const td_tree_model *model, const td_tree_state *state,
                       const tdi_loads *loads, int32_t i);
void tdi_drag_term(const td_tree_model *model, const td_tree_state *state, const tdi_loads *loads,
                   int32_t i, tdi_term *term);
// Forces and moments at the state's pose and twists, added to `wrench` (a body).
void tdi_loads_wrench(const td_tree_model *model, const td_tree_state *state,
                      const tdi_loads *loads, tdi_wrench *wrench);
