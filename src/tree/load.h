// SPDX-License-Identifier: MIT
#pragma once

// Loads on the bodies of a tree, as terms of the incremental potential and as forces.

#include "load/point.h"
#include "tree/sweep.h"

// Loads and air of a step. Points move as x = o + R X; their velocity is (x - x*)/h, x* = o* + R*
// X.
typedef struct tdi_loads {
    const td_load *load;
    int32_t count;
    td_air air;
    const td_vec3 *winds;      // a body: in place of air.wind, or NULL
    td_real h;                 // of the rule; 0 in statics: no drag, no damping
    td_real weight;            // factor of a potential: h^2 in a step, 1 in statics
    const tdi_affine *history; // a body: o* and R*
} tdi_loads;

// Value of the point loads; drag is of the bodies.
td_real tdi_loads_value(const tdi_tree_state *state, const tdi_loads *loads);
// Adds gradient f and Hessian h at a point of a body, p from its joint, to its node, before a
// sweep; and, with `levers`, the geometric stiffness of f.
void tdi_tree_add_point(tdi_tree_state *state, int32_t i, td_vec3 p, td_vec3 f, const td_sym3 *h,
                        bool levers);
// Adds gradient and Hessian of the point loads to the nodes, before a sweep.
void tdi_loads_expand(tdi_tree_state *state, const tdi_loads *loads);

static inline bool tdi_has_drag(const tdi_loads *l) {
    return l->h > 0 && (l->air.linear > 0 || l->air.quadratic > 0);
}
static inline const td_vec3 *tdi_wind_at(const tdi_loads *l, int32_t i) {
    return l->winds ? &l->winds[i] : &l->air.wind;
}
// In a step; its potential is h^2 times an energy.
static inline tdi_rate_factors tdi_loads_rate(const tdi_loads *l) {
    return (tdi_rate_factors){l->h * l->h * l->h, l->h * l->h, l->h};
}
// Forces and moments at the state's pose and twists, added to `wrench` (a body).
void tdi_loads_wrench(const tdi_tree_model *model, const tdi_tree_state *state,
                      const tdi_loads *loads, tdi_wrench *wrench);
