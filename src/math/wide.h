// SPDX-License-Identifier: MIT
#pragma once

// Many reals at once: TDI_LANES of them, each of another tree, and vectors and matrices of those.
//
// Whoever includes this sets TDI_LANES to what the registers of the instruction set hold, so that
// the compiler never has to take a vector apart. Operators work lane by lane, also between a vector
// and a real. Every function is written as its twin in vec3.h, quat.h and mat3.h, operation for
// operation, so that a lane gets the same bits.

#include "math/mat3.h"

#include <string.h>

#ifndef TDI_LANES
#error "set TDI_LANES before including math/wide.h"
#endif

// ---- lanes ----------------------------------------------------------------------------------

typedef td_real tdi_wide __attribute__((vector_size(TDI_LANES * sizeof(td_real))));
typedef int64_t tdi_mask __attribute__((vector_size(TDI_LANES * sizeof(int64_t)))); // 0 or -1

static inline tdi_wide tdi_wide_all(td_real x) {
    return x - (tdi_wide){0}; // unlike x + 0 this keeps -0
}
static inline tdi_wide tdi_wide_load(const td_real *from) {
    tdi_wide w;
    memcpy(&w, from, sizeof w);
    return w;
}
static inline void tdi_wide_store(td_real *to, tdi_wide w) {
    memcpy(to, &w, sizeof w);
}
static inline tdi_wide tdi_wide_select(tdi_mask mask, tdi_wide yes, tdi_wide no) {
    return (tdi_wide)((mask & (tdi_mask)yes) | (~mask & (tdi_mask)no));
}
// a lane is set
static inline bool tdi_mask_any(tdi_mask mask) {
    int64_t any = 0;
    for (int k = 0; k < TDI_LANES; k++) {
        any |= mask[k];
    }
    return any != 0;
}

// ---- vectors --------------------------------------------------------------------------------

typedef struct tdi_wvec3 {
    tdi_wide x, y, z;
} tdi_wvec3;

static inline tdi_wvec3 tdi_wvec3_all(td_vec3 a) {
    tdi_wvec3 v = {tdi_wide_all(a.x), tdi_wide_all(a.y), tdi_wide_all(a.z)};
    return v;
}
static inline tdi_wvec3 tdi_wadd(tdi_wvec3 a, tdi_wvec3 b) {
    tdi_wvec3 v = {a.x + b.x, a.y + b.y, a.z + b.z};
    return v;
}
static inline tdi_wvec3 tdi_wsub(tdi_wvec3 a, tdi_wvec3 b) {
    tdi_wvec3 v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}
static inline tdi_wvec3 tdi_wscale(tdi_wvec3 a, tdi_wide s) {
    tdi_wvec3 v = {a.x * s, a.y * s, a.z * s};
    return v;
}
// a + s b
static inline tdi_wvec3 tdi_wmadd(tdi_wvec3 a, tdi_wvec3 b, tdi_wide s) {
    tdi_wvec3 v = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return v;
}
static inline tdi_wide tdi_wdot(tdi_wvec3 a, tdi_wvec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline tdi_wvec3 tdi_wcross(tdi_wvec3 a, tdi_wvec3 b) {
    tdi_wvec3 v = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return v;
}

// ---- rotations ------------------------------------------------------------------------------

typedef struct tdi_wquat {
    tdi_wide w, x, y, z;
} tdi_wquat;

typedef struct tdi_wmat3 { // rows first
    tdi_wide m[9];
} tdi_wmat3;

static inline tdi_wquat tdi_wquat_mul(td_quat a, tdi_wquat b) {
    tdi_wquat q = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                   a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                   a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}
static inline tdi_wmat3 tdi_wmat3_from_quat(tdi_wquat q) {
    tdi_wide x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    tdi_wide xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    tdi_wide xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    tdi_wide wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    tdi_wmat3 r = {{1 - yy - zz, xy - wz, xz + wy, xy + wz, 1 - xx - zz, yz - wx, xz - wy, yz + wx,
                    1 - xx - yy}};
    return r;
}
static inline tdi_wvec3 tdi_wmat3_apply(const tdi_wmat3 *a, tdi_wvec3 v) {
    const tdi_wide *m = a->m;
    tdi_wvec3 u = {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                   m[6] * v.x + m[7] * v.y + m[8] * v.z};
    return u;
}
// A^T v
static inline tdi_wvec3 tdi_wmat3_apply_t(const tdi_wmat3 *a, tdi_wvec3 v) {
    const tdi_wide *m = a->m;
    tdi_wvec3 u = {m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                   m[2] * v.x + m[5] * v.y + m[8] * v.z};
    return u;
}
static inline tdi_wvec3 tdi_wmat3_row(const tdi_wmat3 *a, int i) {
    tdi_wvec3 v = {a->m[3 * i], a->m[3 * i + 1], a->m[3 * i + 2]};
    return v;
}

// ---- symmetric matrices ---------------------------------------------------------------------

typedef struct tdi_wsym3 {
    tdi_wide xx, yy, zz, xy, xz, yz;
} tdi_wsym3;

static inline tdi_wsym3 tdi_wsym3_all(td_sym3 a) {
    tdi_wsym3 s = {tdi_wide_all(a.xx), tdi_wide_all(a.yy), tdi_wide_all(a.zz),
                   tdi_wide_all(a.xy), tdi_wide_all(a.xz), tdi_wide_all(a.yz)};
    return s;
}
static inline tdi_wsym3 tdi_wsym3_add(tdi_wsym3 a, tdi_wsym3 b) {
    tdi_wsym3 s = {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    return s;
}
static inline tdi_wvec3 tdi_wsym3_apply(const tdi_wsym3 *s, tdi_wvec3 v) {
    tdi_wvec3 u = {s->xx * v.x + s->xy * v.y + s->xz * v.z, s->xy * v.x + s->yy * v.y + s->yz * v.z,
                   s->xz * v.x + s->yz * v.y + s->zz * v.z};
    return u;
}
// a a^T k
static inline tdi_wsym3 tdi_wsym3_square(tdi_wvec3 a, tdi_wide k) {
    tdi_wsym3 s = {k * a.x * a.x, k * a.y * a.y, k * a.z * a.z,
                   k * a.x * a.y, k * a.x * a.z, k * a.y * a.z};
    return s;
}
