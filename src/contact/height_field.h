// SPDX-License-Identifier: MIT
#pragma once

// The ground of a height field: a smooth surface y = H(x, z) through heights on a grid.

#include "math/vec3.h"
#include "tendril/contact.h"

// H and its derivatives.
typedef struct tdi_ground {
    td_real height;
    td_real x, z;       // first derivatives
    td_real xx, xz, zz; // second
} tdi_ground;

tdi_ground tdi_height_field_at(const td_height_field *field, td_real x, td_real z);

// The distance of a point, (y - H)/sqrt(1 + |grad H|^2): exact for a plane, and elsewhere to first
// order in the distance over the radius of curvature; below 0 underground. *gradient may be NULL.
td_real tdi_height_field_distance(const td_height_field *field, td_vec3 x, td_vec3 *gradient);

// The part of the path from x to x + dx, 0..1, on which the distance stays above `need`, which it
// is at x. It errs on the safe side.
td_real tdi_height_field_free(const td_height_field *field, td_vec3 x, td_vec3 dx, td_real need);

// No less than H anywhere within this distance of x and z.
td_real tdi_height_field_most(const td_height_field *field, td_vec3 x, td_real within);
