// SPDX-License-Identifier: MIT
#pragma once

// Rays, distances and overlaps of round cones and of colliders.

#include "math/vec3.h"
#include "tendril/contact.h"

#include <stdbool.h>

// All balls along an axis whose radius changes evenly from one end to the other.
typedef struct tdi_round_cone {
    td_vec3 a, b;
    td_real radius_a, radius_b; // m
} tdi_round_cone;

// A ball that flies from an origin along a direction of unit length.
typedef struct tdi_ray {
    td_vec3 origin, direction;
    td_real radius;
} tdi_ray;

// Where it touches first.
typedef struct tdi_hit {
    td_real distance; // m: how far the ball went; 0: it overlaps at the start; infinite: no touch
    td_vec3 normal;   // unit, from the surface to the ball; against the ray at distance 0
} tdi_hit;

// The signed distance from the surface to a point, below 0 inside; *along: 0..1, of the ball that
// is nearest.
td_real tdi_cone_distance(const tdi_round_cone *cone, td_vec3 x, td_real *along);

tdi_hit tdi_ray_cone(const tdi_ray *ray, const tdi_round_cone *cone);
tdi_hit tdi_ray_collider(const tdi_ray *ray, const td_collider *collider);

// Whether a cone and a collider have a point in common.
bool tdi_cone_overlaps(const tdi_round_cone *cone, const td_collider *collider);
// A box around a collider, which is infinite for a plane.
void tdi_collider_box(const td_collider *collider, td_vec3 *low, td_vec3 *high);
