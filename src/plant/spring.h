// SPDX-License-Identifier: MIT
#pragma once

// The stiffness of joints.

#include "tendril/skeleton.h"

// What a joint needs to know of one of the two stems it joins.
typedef struct tdi_beam {
    td_real length;
    td_real radius_base, radius_tip;
    td_real young, shear;
} tdi_beam;

// Stiffness about X, Y, Z of the joint of `child` on `parent`; NULL: the ground or an immovable
// base, which cannot bend.
td_vec3 tdi_spring_clamped(const tdi_beam *parent, const tdi_beam *child);
// The thesis's rule; NULL: the ground. The moduli are the child's.
td_vec3 tdi_spring_thesis(const tdi_beam *parent, const tdi_beam *child);
