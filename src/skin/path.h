// SPDX-License-Identifier: MIT
#pragma once

// The rings of one tube: where they stand, how wide they are, which way they face.

#include "skin/posed.h"
#include "skin/skin.h"

typedef struct tdi_ring {
    td_vec3 centre;
    td_vec3 tangent; // unit, along the tube
    td_real radius;
    td_real slope; // dr/dl
    tdi_rgb color;
    tdi_bind bind;
    bool edge; // stands where the ring before stands, and is not joined to it
} tdi_ring;

// Scratch of one tube, used again for the next. Zero-initialise and set `alloc`.
typedef struct tdi_path {
    const td_alloc *alloc;
    struct tdi_path_joint *joints;
    tdi_ring *rings;
    int64_t joint_count, joint_capacity;
    int64_t ring_count, ring_capacity;
    int64_t max_rings;  // more are TD_ERR_LIMIT
    td_real turn_limit; // rad: the most that the tube turns between two rings
    td_real tolerance;  // m: of the skin
    bool soft;          // joints that are straight get rings of their own, to be bent
} tdi_path;

// The tube that begins with segment `start`. No rings when it has no length.
td_status tdi_path_build(tdi_path *path, const tdi_posed *posed, const tdi_axes *axes,
                         int32_t start);
void tdi_path_free(tdi_path *path);
