// SPDX-License-Identifier: MIT
#pragma once

// The incremental potential of a step as terms of the nodes.

#include "rod/model.h"

// What Newton's method minimises, in joules:
//   inertia/2 |x - x^|^2 in the masses + V + over_h D
// A step of the multistep rule with h' has inertia 1/h'^2 and over_h 1/h'; statics have neither.
typedef struct tdi_rod_potential {
    td_real inertia;
    td_real over_h;
    td_real stiffness, damping; // factors
    td_vec3 gravity;            // m/s^2
    td_vec3 fall;               // h'^2 gravity: added to all x^
    const td_load *loads;
    int32_t load_count;
    td_air air;
    const td_vec3 *winds; // an edge, or NULL
    td_real shift;        // 1/s^2: inertia about the pose, when the Hessian is not positive
    bool whole;           // the Hessian with the second derivatives of the strains
    bool only_gradient;   // terms leave the Hessian alone
    bool guessed;         // the pose is a first guess, whose lengths tell nothing of the forces
} tdi_rod_potential;

// Adds gradient and Hessian of a node's own terms to the work of the node, its parent and its
// grandparent.
void tdi_rod_node_terms(const tdi_rod_state *state, const tdi_rod_potential *potential, int32_t i);
// Adds those of the point loads.
void tdi_rod_load_terms(const tdi_rod_state *state, const tdi_rod_potential *potential);
// A place of an edge, given in its axes: o + share f + r.
typedef struct tdi_rod_spot {
    int32_t node;
    td_real share;
    td_vec3 beside; // r in the axes of the edge
    td_vec3 r, x;
} tdi_rod_spot;

// A point of a segment, which may be part of an edge. `arm` leads on from the point and turns with
// the edge, but does not stretch with it.
tdi_rod_spot tdi_rod_spot_of(const tdi_rod_state *state, int32_t segment, td_vec3 local,
                             td_vec3 arm);
// x - x* of the rule.
td_vec3 tdi_rod_spot_moved(const tdi_rod_state *state, const tdi_rod_spot *spot);
// Adds gradient and Hessian there; `whole`: with the second derivatives of the place.
void tdi_rod_spot_add(const tdi_rod_state *state, const tdi_rod_spot *spot, td_vec3 gradient,
                      const td_sym3 *hessian, bool whole, bool only_gradient);
// Value at the state's pose; torques work on the way from pose_back.
td_real tdi_rod_value(const tdi_rod_state *state, const tdi_rod_potential *potential);
