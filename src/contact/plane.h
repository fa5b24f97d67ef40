// SPDX-License-Identifier: MIT
#pragma once

// What the files of exact contact share.

#include "contact/contact_set.h"

// sum of w_k a[point k]
static inline td_vec3 tdi_plane_between(const tdi_plane *p, const td_vec3 *a) {
    td_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        if (p->point[k] != TD_NONE) {
            sum = tdi_madd(sum, a[p->point[k]], p->weight[k]);
        }
    }
    return sum;
}

// the same with what turns of the capsules add
static inline td_vec3 tdi_plane_slip(const tdi_plane *p, tdi_plane_pose at) {
    return tdi_add(tdi_plane_between(p, at.x),
                   tdi_arms_slip(p->arm, p->normal, at.turned, p->capsule, p->other));
}

static inline td_vec3 tdi_plane_across(const tdi_plane *p, td_vec3 a) {
    return tdi_madd(a, p->normal, -tdi_dot(p->normal, a));
}

// The whole force, by the multiplier.
static inline td_vec3 tdi_plane_pull(const tdi_plane *p) {
    return tdi_add(p->given, p->multiplier);
}

// N/m: mass over h^2 of the heavier side's capsules.
static inline td_real tdi_plane_mass(const tdi_plane *p, const tdi_plane_rule *rule) {
    const td_real own = rule->stiffness[rule->group[p->capsule]];
    return p->point[2] == TD_NONE ? own : fmax(own, rule->stiffness[rule->group[p->other]]);
}

// Places where the pose has come nearest become those of the planes, by half of the way.
void tdi_planes_roll(tdi_contacts *c, const tdi_plane_rule *rule, const td_vec3 *x);

// After `keeps` and `speed` are known: its reach, and whether it bounces.
void tdi_plane_prepare_bounce(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane *p);
