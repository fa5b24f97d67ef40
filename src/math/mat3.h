// SPDX-License-Identifier: MIT
#pragma once

// 3x3 matrices, rows first, and symmetric ones as (xx, yy, zz, xy, xz, yz).

#include "math/quat.h"

typedef struct tdi_mat3 {
    td_real m[9];
} tdi_mat3;

// ---- general --------------------------------------------------------------------------------

TDI_HELPER tdi_mat3 tdi_mat3_from_quat(td_quat q) {
    td_real x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    td_real xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    td_real xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    td_real wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    tdi_mat3 r = {{1 - yy - zz, xy - wz, xz + wy, xy + wz, 1 - xx - zz, yz - wx, xz - wy, yz + wx,
                   1 - xx - yy}};
    return r;
}
TDI_HELPER td_vec3 tdi_mat3_apply(const tdi_mat3 *a, td_vec3 v) {
    const td_real *m = a->m;
    return tdi_vec3(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                    m[6] * v.x + m[7] * v.y + m[8] * v.z);
}
// A^T v
TDI_HELPER td_vec3 tdi_mat3_apply_t(const tdi_mat3 *a, td_vec3 v) {
    const td_real *m = a->m;
    return tdi_vec3(m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                    m[2] * v.x + m[5] * v.y + m[8] * v.z);
}
static inline td_vec3 tdi_mat3_row(const tdi_mat3 *a, int i) {
    return tdi_vec3(a->m[3 * i], a->m[3 * i + 1], a->m[3 * i + 2]);
}
static inline td_vec3 tdi_mat3_column(const tdi_mat3 *a, int j) {
    return tdi_vec3(a->m[j], a->m[3 + j], a->m[6 + j]);
}
// A B^T
TDI_HELPER tdi_mat3 tdi_mat3_mul_t(const tdi_mat3 *a, const tdi_mat3 *b) {
    tdi_mat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[3 * i + j] = a->m[3 * i] * b->m[3 * j] + a->m[3 * i + 1] * b->m[3 * j + 1] +
                             a->m[3 * i + 2] * b->m[3 * j + 2];
        }
    }
    return c;
}
// (M32 - M23, M13 - M31, M21 - M12): twice the axial vector
static inline td_vec3 tdi_mat3_axial(const tdi_mat3 *a) {
    const td_real *m = a->m;
    return tdi_vec3(m[7] - m[5], m[2] - m[6], m[3] - m[1]);
}

// ---- symmetric ------------------------------------------------------------------------------

static inline td_sym3 tdi_sym3_diagonal(td_real x, td_real y, td_real z) {
    td_sym3 s = {x, y, z, 0, 0, 0};
    return s;
}
static inline td_sym3 tdi_sym3_add(td_sym3 a, td_sym3 b) {
    td_sym3 s = {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    return s;
}
static inline td_sym3 tdi_sym3_scale(td_sym3 a, td_real k) {
    td_sym3 s = {a.xx * k, a.yy * k, a.zz * k, a.xy * k, a.xz * k, a.yz * k};
    return s;
}
TDI_HELPER td_vec3 tdi_sym3_apply(const td_sym3 *s, td_vec3 v) {
    return tdi_vec3(s->xx * v.x + s->xy * v.y + s->xz * v.z,
                    s->xy * v.x + s->yy * v.y + s->yz * v.z,
                    s->xz * v.x + s->yz * v.y + s->zz * v.z);
}
// a a^T k
static inline td_sym3 tdi_sym3_square(td_vec3 a, td_real k) {
    td_sym3 s = {k * a.x * a.x, k * a.y * a.y, k * a.z * a.z,
                 k * a.x * a.y, k * a.x * a.z, k * a.y * a.z};
    return s;
}
// R S, with S symmetric
TDI_HELPER tdi_mat3 tdi_mat3_mul_sym(const tdi_mat3 *r, const td_sym3 *s) {
    tdi_mat3 c;
    for (int i = 0; i < 3; i++) {
        td_vec3 row = tdi_sym3_apply(s, tdi_mat3_row(r, i));
        c.m[3 * i] = row.x;
        c.m[3 * i + 1] = row.y;
        c.m[3 * i + 2] = row.z;
    }
    return c;
}
// R S R^T
TDI_HELPER td_sym3 tdi_sym3_turn(const tdi_mat3 *r, const td_sym3 *s) {
    tdi_mat3 t = tdi_mat3_mul_sym(r, s);
    td_vec3 t0 = tdi_mat3_row(&t, 0), t1 = tdi_mat3_row(&t, 1), t2 = tdi_mat3_row(&t, 2);
    td_vec3 r0 = tdi_mat3_row(r, 0), r1 = tdi_mat3_row(r, 1), r2 = tdi_mat3_row(r, 2);
    td_sym3 out = {tdi_dot(t0, r0), tdi_dot(t1, r1), tdi_dot(t2, r2),
                   tdi_dot(t0, r1), tdi_dot(t0, r2), tdi_dot(t1, r2)};
    return out;
}
// R diag(d) R^T
TDI_HELPER td_sym3 tdi_sym3_turn_diagonal(const tdi_mat3 *r, td_vec3 d) {
    const td_real *m = r->m;
    td_real a0 = m[0] * d.x, a1 = m[1] * d.y, a2 = m[2] * d.z;
    td_real b0 = m[3] * d.x, b1 = m[4] * d.y, b2 = m[5] * d.z;
    td_sym3 s = {a0 * m[0] + a1 * m[1] + a2 * m[2],
                 b0 * m[3] + b1 * m[4] + b2 * m[5],
                 m[6] * m[6] * d.x + m[7] * m[7] * d.y + m[8] * m[8] * d.z,
                 a0 * m[3] + a1 * m[4] + a2 * m[5],
                 a0 * m[6] + a1 * m[7] + a2 * m[8],
                 b0 * m[6] + b1 * m[7] + b2 * m[8]};
    return s;
}
// tr(S) I - S: from the second moment to the inertia tensor
static inline td_sym3 tdi_sym3_inertia(td_sym3 s) {
    td_sym3 j = {s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz};
    return j;
}

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
