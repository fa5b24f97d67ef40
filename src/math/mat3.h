// SPDX-License-Identifier: MIT
#pragma once

// 3x3 matrices, rows first, and symmetric ones as (xx, yy, zz, xy, xz, yz).

#include "math/quat.h"

typedef struct tdi_mat3 {
    td_real m[9];
} tdi_mat3;

#define TDI_WIDE_NAMES 0
#include "math/lane_names.h"
#include "math/mat3_lanes.h"

// ---- factored symmetric ---------------------------------------------------------------------

// S = L diag(d) L^T with unit lower L; the reciprocals of d are kept.
typedef struct tdi_ldl3 {
    td_real l10, l20, l21;
    td_real i0, i1, i2;
} tdi_ldl3;

// Factors S. A pivot below `floor` is raised to it, so that the result is positive definite;
// returns whether that was needed.
TDI_HELPER bool tdi_ldl3_factor(tdi_ldl3 *f, const td_sym3 *s, td_real floor) {
    td_real d0 = s->xx;
    bool raised = !(d0 > floor);
    d0 = raised ? floor : d0;
    f->i0 = 1 / d0;
    f->l10 = s->xy * f->i0;
    f->l20 = s->xz * f->i0;
    td_real d1 = s->yy - f->l10 * s->xy;
    if (!(d1 > floor)) {
        raised = true;
        d1 = floor;
    }
    f->i1 = 1 / d1;
    td_real v = s->yz - f->l10 * s->xz;
    f->l21 = v * f->i1;
    td_real d2 = s->zz - f->l20 * s->xz - f->l21 * v;
    if (!(d2 > floor)) {
        raised = true;
        d2 = floor;
    }
    f->i2 = 1 / d2;
    return raised;
}

TDI_HELPER td_vec3 tdi_ldl3_solve(const tdi_ldl3 *f, td_vec3 b) {
    td_real y1 = b.y - f->l10 * b.x;
    td_real y2 = b.z - f->l20 * b.x - f->l21 * y1;
    td_real z = y2 * f->i2;
    td_real y = y1 * f->i1 - f->l21 * z;
    td_real x = b.x * f->i0 - f->l10 * y - f->l20 * z;
    return tdi_vec3(x, y, z);
}

// S x
TDI_HELPER td_vec3 tdi_ldl3_apply(const tdi_ldl3 *f, td_vec3 x) {
    td_real y0 = (x.x + f->l10 * x.y + f->l20 * x.z) / f->i0;
    td_real y1 = (x.y + f->l21 * x.z) / f->i1;
    return tdi_vec3(y0, f->l10 * y0 + y1, f->l20 * y0 + f->l21 * y1 + x.z / f->i2);
}

// Columns of unit length, each square to the others, turned to the right.
TDI_HELPER bool tdi_mat3_is_rotation(const tdi_mat3 *r) {
    const td_vec3 x = tdi_mat3_column(r, 0), y = tdi_mat3_column(r, 1), z = tdi_mat3_column(r, 2);
    return tdi_norm(tdi_sub(tdi_cross(x, y), z)) < 1e-9 && fabs(tdi_norm(x) - 1) < 1e-9 &&
           fabs(tdi_norm(y) - 1) < 1e-9;
}
