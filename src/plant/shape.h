// SPDX-License-Identifier: MIT
#pragma once

// The geometry of organs, as the mass and the mesh both see it.
//
// An organ is a td_shape of size 1, scaled by its segment's `length`, which is the organ's size. In
// the axes of the segment, over the size:
//   blade    stalk from 0 to `stalk` along +Y; the lamina from there to stalk + 1, in the XY plane
//   flower   stalk likewise; petals and the centre ball (diameter `centre`) start at its end
//   ball     stalk likewise; an ellipsoid of height 1 and diameter `width` stands on its end
//   disc     radius 1/2 in the XY plane about the joint, no stalk
//   polygon  corners as they are, not scaled; no stalk

#include "tendril/skeleton.h"

// Half the width of a blade of length 1 at arc position s in [0,1], lobes included.
td_real tdi_blade_half_width(const td_shape *shape, td_real s);

// Integrals over a blade of length 1 with unit mass an area; s is measured from the lamina's start.
typedef struct tdi_blade_moments {
    td_real area;   // of 2w ds
    td_real along;  // of 2w s ds
    td_real along2; // of 2w s^2 ds
    td_real across; // of (2/3) w^3 ds
} tdi_blade_moments;

// Over the part of it that the shape is, if it is one of several.
tdi_blade_moments tdi_blade_integrate(const td_shape *shape);

// A place on the midrib of a blade of length 1 that starts at the origin: the tip has turned by
// `curl` towards -Z. Either may be NULL.
void tdi_blade_midrib(td_real curl, td_real s, td_vec3 *place, td_vec3 *normal);

// Part of a blade that bends, at rest, in the axes of the whole blade of size 1: a straight piece
// between two places of the midrib. The first has the stalk as well.
typedef struct tdi_blade_part {
    td_vec3 origin;
    td_quat turn;
    td_real length;
} tdi_blade_part;

tdi_blade_part tdi_blade_part_at(const td_shape *shape, int32_t part);
// Place along the midrib at which a part starts; the lamina of the first starts at 0.
td_real tdi_blade_part_start(const td_shape *shape, int32_t part);
// Of a blade that bends, size 1: what holds it, thinner towards the tip.
td_real tdi_midrib_radius(const td_shape *shape, td_real s);

// One petal of a flower of size 1: a blade of the shape's outline and of this length, turned by
// -opening about X (so that its +Z side faces the axis), then by azimuth about +Y, then moved to
// the end of the stalk. Whorl 0 is the outermost.
typedef struct tdi_petal {
    td_real length;
    td_real opening; // rad from +Y
    td_real azimuth; // rad
} tdi_petal;

tdi_petal tdi_flower_petal(const td_shape *shape, int32_t whorl, int32_t index);

// One-sided area of a shape of size 1: laminae, and the silhouettes of balls. 0 for polygons
// and patches.
td_real tdi_shape_area(const td_shape *shape);

// Far end of an organ of the given size in its segment's axes. (0, size, 0) for polygons.
td_vec3 tdi_shape_tip(const td_shape *shape, td_real size);

// Length and radius of the stalk that bends for the organ's joint, m. An organ without a stalk is
// held by the first twentieth of its size.
td_real tdi_stalk_length(const td_shape *shape, td_real size);
td_real tdi_stalk_radius(const td_shape *shape, td_real size);

// ---- patches --------------------------------------------------------------------------------

// A place on a bicubic Bezier patch and the derivatives there; any may be NULL. u goes along the
// rows of the 16 control points, v from row to row.
void tdi_patch_at(const td_vec3 *points, td_real u, td_real v, td_vec3 *place, td_vec3 *along_u,
                  td_vec3 *along_v);
