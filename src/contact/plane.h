// SPDX-License-Identifier: MIT
#pragma once

// What the files of exact contact share.

#include "contact/contact_set.h"

// Where it is, by points and turns.
static inline td_vec3 tdi_plane_slip(const tdi_plane *p, tdi_plane_pose at) {
    return tdi_rows_displacement(&p->row, at.x, at.turned);
}

static inline td_vec3 tdi_plane_tangential(const tdi_plane *p, td_vec3 a) {
    return tdi_madd(a, p->row.normal, -tdi_dot(p->row.normal, a));
}

// The whole force, by the multiplier.
static inline td_vec3 tdi_plane_force(const tdi_plane *p) {
    return tdi_add(p->given, p->multiplier);
}

// N/m: mass over h^2 of the heavier side's capsules.
static inline td_real tdi_plane_mass(const tdi_plane *p, const tdi_plane_rule *rule) {
    const td_real own = rule->stiffness[rule->group[p->row.capsule]];
    return p->row.point[2] == TD_NONE ? own : fmax(own, rule->stiffness[rule->group[p->row.other]]);
}

// Places where the pose has come nearest become those of the planes, by half of the way.
void tdi_planes_move_points(tdi_contacts *c, const tdi_plane_rule *rule, const td_vec3 *x);

// After `keeps` and `speed` are known: its reach, and whether it bounces.
void tdi_plane_prepare_bounce(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane *p);
