// SPDX-License-Identifier: MIT
#pragma once

// Rigid motions of everything at once: x -> shift + turn x.

#include "math/mat3.h"

typedef struct tdi_rigid {
    td_quat turn;
    td_vec3 shift;
} tdi_rigid;

static inline td_vec3 tdi_rigid_vector(const tdi_rigid *g, td_vec3 v) {
    return tdi_quat_rotate(g->turn, v);
}
static inline td_vec3 tdi_rigid_point(const tdi_rigid *g, td_vec3 x) {
    return tdi_add(g->shift, tdi_quat_rotate(g->turn, x));
}
static inline td_quat tdi_rigid_turn(const tdi_rigid *g, td_quat q) {
    return tdi_quat_unit(tdi_quat_mul(g->turn, q));
}
// Columns are vectors; the matrix need not be a rotation.
TDI_HELPER tdi_mat3 tdi_rigid_axes(const tdi_rigid *g, const tdi_mat3 *r) {
    tdi_mat3 out;
    for (int k = 0; k < 3; k++) {
        const td_vec3 c = tdi_quat_rotate(g->turn, tdi_mat3_column(r, k));
        out.m[k] = c.x;
        out.m[3 + k] = c.y;
        out.m[6 + k] = c.z;
    }
    return out;
}
