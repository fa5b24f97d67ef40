// SPDX-License-Identifier: MIT
#pragma once

// Many reals at once: TDI_LANES of them, each of another body or tree, and vectors and matrices of
// those. A kernel that is written with them is compiled once a width.
//
// Whoever includes this sets TDI_LANES to what the registers of the instruction set hold, so that
// the compiler never has to take a vector apart, or to 1: then a lane is a plain real, a vector is
// a td_vec3, and the kernel is the scalar code. Operators work lane by lane, also between lanes and
// a real; every width does the same operations in the same order, so that a lane gets the same
// bits.

#include "math/mat3.h"

#include <string.h>

#ifndef TDI_LANES
#error "set TDI_LANES before including math/wide.h"
#endif

// ---- lanes ----------------------------------------------------------------------------------

#if TDI_LANES == 1

typedef td_real tdi_wide;
typedef bool tdi_mask;

static inline tdi_wide tdi_wide_all(td_real x) {
    return x;
}
static inline tdi_wide tdi_wide_load(const td_real *from) {
    return *from;
}
static inline void tdi_wide_store(td_real *to, tdi_wide w) {
    *to = w;
}
static inline td_real tdi_wide_get(const tdi_wide *w, int lane) {
    return w[lane];
}
static inline void tdi_wide_set(tdi_wide *w, int lane, td_real x) {
    w[lane] = x;
}
static inline tdi_wide tdi_wide_select(tdi_mask mask, tdi_wide yes, tdi_wide no) {
    return mask ? yes : no;
}
static inline tdi_mask tdi_mask_not(tdi_mask mask) {
    return !mask;
}
static inline bool tdi_mask_get(const tdi_mask *mask, int lane) {
    return mask[lane];
}

#else

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
static inline td_real tdi_wide_get(const tdi_wide *w, int lane) {
    return (*w)[lane];
}
static inline void tdi_wide_set(tdi_wide *w, int lane, td_real x) {
    (*w)[lane] = x;
}
static inline tdi_wide tdi_wide_select(tdi_mask mask, tdi_wide yes, tdi_wide no) {
    return (tdi_wide)((mask & (tdi_mask)yes) | (~mask & (tdi_mask)no));
}
static inline tdi_mask tdi_mask_not(tdi_mask mask) {
    return ~mask;
}
static inline bool tdi_mask_get(const tdi_mask *mask, int lane) {
    return (*mask)[lane] != 0;
}

#endif

// a lane is set
static inline bool tdi_mask_any(tdi_mask mask) {
    bool any = false;
    for (int k = 0; k < TDI_LANES; k++) {
        any |= tdi_mask_get(&mask, k);
    }
    return any;
}
static inline tdi_wide tdi_wide_sqrt(tdi_wide x) { // x >= 0
    for (int k = 0; k < TDI_LANES; k++) {
        tdi_wide_set(&x, k, sqrt(tdi_wide_get(&x, k)));
    }
    return x;
}

// ---- vectors and matrices -------------------------------------------------------------------

#if TDI_LANES == 1

typedef td_vec3 tdi_wvec3;
typedef td_quat tdi_wquat;
typedef tdi_mat3 tdi_wmat3;
typedef td_sym3 tdi_wsym3;
typedef tdi_ldl3 tdi_wldl3;

#else

typedef struct tdi_wvec3 {
    tdi_wide x, y, z;
} tdi_wvec3;

typedef struct tdi_wquat {
    tdi_wide w, x, y, z;
} tdi_wquat;

typedef struct tdi_wmat3 {
    tdi_wide m[9];
} tdi_wmat3;

typedef struct tdi_wsym3 {
    tdi_wide xx, yy, zz, xy, xz, yz;
} tdi_wsym3;

typedef struct tdi_wldl3 {
    tdi_wide l10, l20, l21;
    tdi_wide i0, i1, i2;
} tdi_wldl3;

#endif

#define TDI_WIDE_NAMES 1
#include "math/lane_names.h"
#include "math/vec3_lanes.h"
#include "math/quat_lanes.h"
#include "math/mat3_lanes.h"

// ---- the same in every lane -----------------------------------------------------------------

static inline tdi_wvec3 tdi_wvec3_all(td_vec3 a) {
    return (tdi_wvec3){tdi_wide_all(a.x), tdi_wide_all(a.y), tdi_wide_all(a.z)};
}
static inline tdi_wvec3 tdi_wvec3_zero(void) {
    return tdi_wvec3_all(tdi_vec3(0, 0, 0));
}
static inline tdi_wquat tdi_wquat_all(td_quat a) {
    return (tdi_wquat){tdi_wide_all(a.w), tdi_wide_all(a.x), tdi_wide_all(a.y), tdi_wide_all(a.z)};
}
static inline tdi_wsym3 tdi_wsym3_all(td_sym3 a) {
    return (tdi_wsym3){tdi_wide_all(a.xx), tdi_wide_all(a.yy), tdi_wide_all(a.zz),
                       tdi_wide_all(a.xy), tdi_wide_all(a.xz), tdi_wide_all(a.yz)};
}

// ---- one lane of many -----------------------------------------------------------------------

static inline td_vec3 tdi_wvec3_get(const tdi_wvec3 *v, int lane) {
    return tdi_vec3(tdi_wide_get(&v->x, lane), tdi_wide_get(&v->y, lane),
                    tdi_wide_get(&v->z, lane));
}
static inline void tdi_wvec3_set(tdi_wvec3 *v, int lane, td_vec3 a) {
    tdi_wide_set(&v->x, lane, a.x);
    tdi_wide_set(&v->y, lane, a.y);
    tdi_wide_set(&v->z, lane, a.z);
}
static inline td_sym3 tdi_wsym3_get(const tdi_wsym3 *s, int lane) {
    return (td_sym3){tdi_wide_get(&s->xx, lane), tdi_wide_get(&s->yy, lane),
                     tdi_wide_get(&s->zz, lane), tdi_wide_get(&s->xy, lane),
                     tdi_wide_get(&s->xz, lane), tdi_wide_get(&s->yz, lane)};
}
static inline void tdi_wsym3_set(tdi_wsym3 *s, int lane, td_sym3 a) {
    tdi_wide_set(&s->xx, lane, a.xx);
    tdi_wide_set(&s->yy, lane, a.yy);
    tdi_wide_set(&s->zz, lane, a.zz);
    tdi_wide_set(&s->xy, lane, a.xy);
    tdi_wide_set(&s->xz, lane, a.xz);
    tdi_wide_set(&s->yz, lane, a.yz);
}
static inline tdi_wsym3 tdi_wsym3_select(tdi_mask mask, tdi_wsym3 yes, tdi_wsym3 no) {
    return (tdi_wsym3){tdi_wide_select(mask, yes.xx, no.xx), tdi_wide_select(mask, yes.yy, no.yy),
                       tdi_wide_select(mask, yes.zz, no.zz), tdi_wide_select(mask, yes.xy, no.xy),
                       tdi_wide_select(mask, yes.xz, no.xz), tdi_wide_select(mask, yes.yz, no.yz)};
}
