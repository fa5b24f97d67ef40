// SPDX-License-Identifier: MIT
#pragma once

// Helices in lanes: places, frames and derivatives, as in curve.c, at a place on a helix a lane.

#include "helix/lanes.h"

#include "math/wide.h"

// ---- reading and adding ---------------------------------------------------------------------

// A record of reals of each lane.
typedef struct wrecord {
    const td_real *of[TDI_LANES];
} wrecord;

static inline tdi_wide entry(const wrecord *r, int k) {
#if TDI_LANES == 1
    return r->of[0][k];
#elif TDI_LANES == 2
    return (tdi_wide){r->of[0][k], r->of[1][k]};
#elif TDI_LANES == 4
    return (tdi_wide){r->of[0][k], r->of[1][k], r->of[2][k], r->of[3][k]};
#else
    return (tdi_wide){r->of[0][k], r->of[1][k], r->of[2][k], r->of[3][k],
                      r->of[4][k], r->of[5][k], r->of[6][k], r->of[7][k]};
#endif
}

static inline tdi_wvec3 entries3(const wrecord *r, int k) {
    return (tdi_wvec3){entry(r, k), entry(r, k + 1), entry(r, k + 2)};
}
static inline tdi_wsym3 entries6(const wrecord *r, int k) {
    return (tdi_wsym3){entry(r, k),     entry(r, k + 1), entry(r, k + 2),
                       entry(r, k + 3), entry(r, k + 4), entry(r, k + 5)};
}
static inline tdi_wmat3 entries9(const wrecord *r, int k) {
    tdi_wmat3 m;
    for (int j = 0; j < 9; j++) {
        m.m[j] = entry(r, k + j);
    }
    return m;
}

static inline tdi_wvec3 wvec(tdi_wide x, tdi_wide y, tdi_wide z) {
    return (tdi_wvec3){x, y, z};
}

// A gradient alone: moment and force on the element's start, and by curvatures.
typedef union wpull {
    tdi_wide row[TDI_PULL_ROWS];
    struct {
        tdi_wvec3 n, f, g;
    };
} wpull;

// Adds rows of lanes to the sums of the elements that they are on, one after the other.
static inline void add_rows(const tdi_wide *row, int rows, const int32_t *element, int32_t count,
                            int32_t from, td_real *sum) {
    for (int32_t lane = 0; lane < count; lane++) {
        td_real *to = sum + (size_t)(element[lane] - from) * (size_t)rows;
        for (int j = 0; j < rows; j++) {
            to[j] += tdi_wide_get(&row[j], lane);
        }
    }
}

static inline td_real add_lanes(td_real sum, tdi_wide value, int32_t count) {
    for (int32_t lane = 0; lane < count; lane++) {
        sum += tdi_wide_get(&value, lane);
    }
    return sum;
}

// ---- helices --------------------------------------------------------------------------------

// Stumpff's functions of x >= 0.
static inline void find_stumpff(tdi_wide x, tdi_stumpff_range range, tdi_wide c[8]) {
    for (int k = 6; k < 8; k++) {
        tdi_wide sum = tdi_wide_all(1);
        for (int j = range.terms - 1; j >= 0; j--) {
            sum = 1 - x * tdi_stumpff_over[k - 6][j] * sum;
        }
        c[k] = tdi_over_factorial[k] * sum;
    }
    for (int k = 5; k >= 0; k--) {
        c[k] = tdi_over_factorial[k] - x * c[k + 2];
    }
    for (int lane = 0; range.beyond && lane < TDI_LANES; lane++) {
        if (tdi_stumpff_terms(tdi_wide_get(&x, lane)) == 0) {
            const tdi_stumpff f = tdi_stumpff_of(tdi_wide_get(&x, lane));
            for (int k = 0; k < 8; k++) {
                tdi_wide_set(&c[k], lane, f.c[k]);
            }
        }
    }
}

typedef struct wcurve { // a helix up to s
    tdi_wide s;
    tdi_wvec3 v; // s u
    tdi_wide c[8];
} wcurve;

static inline void find_curve(const wrecord *u, tdi_wide s, tdi_stumpff_range range, wcurve *to) {
    to->s = s;
    to->v = tdi_wscale(entries3(u, 0), s);
    find_stumpff(tdi_wdot(to->v, to->v), range, to->c);
}

// s J(v) e_y
static inline tdi_wvec3 place_on(const wcurve *w) {
    const tdi_wide along = w->c[3] * w->v.y;
    return wvec(w->s * (along * w->v.x - w->c[2] * w->v.z), w->s * (w->c[1] + along * w->v.y),
                w->s * (along * w->v.z + w->c[2] * w->v.x));
}

// R = c0 I + c1 [v]x + c2 v v^T
static inline tdi_wmat3 frame_on(const wcurve *w) {
    const tdi_wvec3 v = w->v, a = tdi_wscale(v, w->c[1]), q = tdi_wscale(v, w->c[2]);
    const tdi_wide c0 = w->c[0];
    return (tdi_wmat3){{c0 + q.x * v.x, q.x * v.y - a.z, q.x * v.z + a.y, //
                        q.x * v.y + a.z, c0 + q.y * v.y, q.y * v.z - a.x, //
                        q.x * v.z - a.y, q.y * v.z + a.x, c0 + q.z * v.z}};
}

// As tdi_helix_jet: first derivatives of place and frame by u, and what second ones are made of.
typedef struct wjet {
    tdi_wide s, c3, d[6], dd[4]; // d from 1 on
    tdi_wvec3 v, x;
    tdi_wvec3 turn[3], dx[3];
} wjet;

static inline void find_jet(const wcurve *w, wjet *j) {
    const tdi_wide s = w->s, ss = s * s, *c = w->c;
    const tdi_wvec3 v = w->v;
    for (int k = 1; k < 6; k++) {
        j->d[k] = k * c[k + 2] - c[k + 1];
    }
    for (int k = 1; k < 4; k++) {
        j->dd[k] = k * j->d[k + 2] - j->d[k + 1];
    }
    j->s = s;
    j->c3 = c[3];
    j->v = v;
    j->x = place_on(w);
    const tdi_wide c1 = s * c[1], k2 = ss * c[2], k3 = ss * c[3];
    const tdi_wvec3 a = tdi_wscale(v, s * c[2]), b = tdi_wscale(v, s * c[3]);
    j->turn[0] = wvec(c1 + b.x * v.x, b.x * v.y + a.z, b.x * v.z - a.y);
    j->turn[1] = wvec(b.x * v.y - a.z, c1 + b.y * v.y, b.y * v.z + a.x);
    j->turn[2] = wvec(b.x * v.z + a.y, b.y * v.z - a.x, c1 + b.z * v.z);
    const tdi_wide q3 = ss * j->d[3] * v.y, q2 = ss * j->d[2];
    const tdi_wvec3 p = wvec(q3 * v.x - q2 * v.z, q3 * v.y + ss * j->d[1], q3 * v.z + q2 * v.x);
    j->dx[0] = wvec(p.x * v.x + k3 * v.y, p.y * v.x, p.z * v.x + k2);
    j->dx[1] = wvec(p.x * v.y + k3 * v.x, p.y * v.y + 2 * k3 * v.y, p.z * v.y + k3 * v.z);
    j->dx[2] = wvec(p.x * v.z - k2, p.y * v.z, p.z * v.z + k3 * v.y);
}

// f.ddx_kl + n.dturn_kl, as tdi_helix_bent()
static inline tdi_wsym3 bent_of(const wjet *j, tdi_wvec3 force, tdi_wvec3 n) {
    const tdi_wvec3 v = j->v, f = tdi_wscale(force, j->s);
    const tdi_wide *d = j->d, *dd = j->dd, ss = j->s * j->s;
    const tdi_wide vf = tdi_wdot(v, f), vq = v.x * f.z - v.z * f.x, vn = tdi_wdot(v, n),
                   both = v.y * vf, cf = j->c3;
    const tdi_wide k = d[1] * f.y + d[2] * vq + d[3] * both + cf * vn,
                   m = 0.5 * (dd[1] * f.y + dd[2] * vq + dd[3] * both + d[3] * vn),
                   half = 0.5 * (d[1] + cf), turn = 0.5 * d[2], dy = d[3] * v.y;
    const tdi_wvec3 c = tdi_wcross(n, v);
    const tdi_wvec3 z = {d[2] * f.z + dy * f.x + half * n.x + turn * c.x + m * v.x,
                         dy * f.y + d[3] * vf + half * n.y + turn * c.y + m * v.y,
                         dy * f.z - d[2] * f.x + half * n.z + turn * c.z + m * v.z};
    return (tdi_wsym3){ss * (k + 2 * v.x * z.x),     ss * (k + 2 * (v.y * z.y + cf * f.y)),
                       ss * (k + 2 * v.z * z.z),     ss * (v.x * z.y + v.y * z.x + cf * f.x),
                       ss * (v.x * z.z + v.z * z.x), ss * (v.y * z.z + v.z * z.y + cf * f.z)};
}

// The gradient by u of a force and a moment on a place and its frame.
static inline tdi_wvec3 pulled(const wjet *j, tdi_wvec3 f, tdi_wvec3 n) {
    return wvec(tdi_wdot(j->dx[0], f) + tdi_wdot(j->turn[0], n),
                tdi_wdot(j->dx[1], f) + tdi_wdot(j->turn[1], n),
                tdi_wdot(j->dx[2], f) + tdi_wdot(j->turn[2], n));
}

// The same without the jet: s J^T n, and, with x = s J e_y and q = e_y x f,
//   s^2 ((d1 f_y + d2 v.q + d3 v_y (v.f)) v + c2 q + c3 (v_y f + (v.f) e_y))
static inline tdi_wvec3 pulled_on(const wcurve *w, tdi_wvec3 f, tdi_wvec3 n) {
    const tdi_wide s = w->s, ss = s * s, *c = w->c;
    const tdi_wvec3 v = w->v, across = tdi_wcross(n, v);
    const tdi_wide d1 = c[3] - c[2], d2 = 2 * c[4] - c[3], d3 = 3 * c[5] - c[4];
    const tdi_wide vf = tdi_wdot(v, f), vq = v.x * f.z - v.z * f.x;
    const tdi_wide by_v = ss * (d1 * f.y + d2 * vq + d3 * v.y * vf) + s * c[3] * tdi_wdot(v, n),
                   by_n = s * c[1], by_c = s * c[2], by_q = ss * c[2], by_f = ss * c[3];
    const tdi_wide along = by_f * v.y;
    return wvec(by_v * v.x + by_q * f.z + along * f.x + by_n * n.x + by_c * across.x,
                by_v * v.y + along * f.y + by_f * vf + by_n * n.y + by_c * across.y,
                by_v * v.z - by_q * f.x + along * f.z + by_n * n.z + by_c * across.z);
}
