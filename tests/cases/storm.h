// SPDX-License-Identifier: MIT
#pragma once

// Random small plants in storms, for `tendril validate` and for tests: public headers only.

#include "tendril/tendril.h"

// A stem with branches, leaves on stalks of which some are limp, flowers and fruit, of materials
// from oak to tendril, with and without damping; 3 to 50 segments. The same plant for the same
// seed.
td_status storm_plant_new(uint64_t seed, td_skeleton **out, td_diag *diag);

// A plant under a solver, at rest at first, in a wind with gusts and turbulence along +X.
typedef struct storm {
    td_body_model *model;
    td_body *body;
    td_wind *wind;
    td_wind_state air;
    td_vec3 mean; // m/s: of the wind
    int32_t count;
    td_vec3 *points, *winds; // a segment
    td_step_opts opts;
    td_step_stats stats;
    td_diag diag; // of what failed
} storm;

// Every fourth tree has springs of the tangent law. Frees all again when it fails.
td_status storm_open(storm *storm, uint64_t seed, const char *solver, double speed, double dt);
void storm_close(storm *storm);

// A step in the wind; stats are added up. Set opts.integrator beforehand for another rule.
td_status storm_step(storm *storm);
// From now on the air is still, though not gone.
void storm_calm(storm *storm);
double storm_energy(storm *storm); // J, all kinds together
