// SPDX-License-Identifier: MIT
#pragma once

// Mass, first and second moment of segments about their joints.

#include "tendril/skeleton.h"

// Integrals of 1, X and X X^T over a body, about the joint, in the axes of its segment. With a
// density in them: mass, mass * centre of mass, second moment.
typedef struct tdi_moments {
    td_real zeroth;
    td_vec3 first;
    td_sym3 second;
} tdi_moments;

// sum += weight * part
void tdi_moments_add(tdi_moments *sum, const tdi_moments *part, td_real weight);

// A truncated cone along +Y, over its volume.
tdi_moments tdi_moments_cone(td_real length, td_real radius_base, td_real radius_tip);

// An organ's shape of size 1: laminae over their area, solids over their volume.
typedef struct tdi_shape_moments {
    tdi_moments lamina;
    tdi_moments solid;
    td_real area;    // one side, silhouettes of balls included
    bool polygons;   // given in m: the size does not scale it
    td_vec3 outline; // of several surfaces at once, as seen along X, Y and Z; 0: one surface
} tdi_shape_moments;

// `polygons` and `points` are those the shape's polygon_first counts from; NULL for other kinds.
tdi_shape_moments tdi_shape_integrate(const td_shape *shape, const td_polygon *polygons,
                                      const td_vec3 *points);

// The moments with density of an organ of the given size.
tdi_moments tdi_organ_moments(const tdi_shape_moments *shape, const td_material *material,
                              td_real size);
td_real tdi_organ_area(const tdi_shape_moments *shape, td_real size);

// The outline of an organ of several surfaces, and the pressure that folds them; 0 of one surface.
void tdi_organ_set_outline(const tdi_shape_moments *shape, const td_material *material,
                           td_segment *segment);

// One polygon over its area. The area is 0 for one without any.
tdi_moments tdi_moments_polygon(const td_vec3 *points, int32_t count);

// Patches of 16 control points each over their area, size 1.
tdi_moments tdi_moments_patches(const td_vec3 *points, int32_t count, td_vec3 stretch);

// Whether some body has this mass, first and second moment: whether the second moment about the
// centre of mass is positive semi-definite, to `tolerance` of its trace about the joint.
bool tdi_moments_physical(const tdi_moments *moments, td_real tolerance);

// Writes mass, centre_of_mass and second_moment.
void tdi_segment_set_mass(td_segment *segment, const tdi_moments *moments);
