// SPDX-License-Identifier: MIT
// Terms of TDI_LANES slices of one element at once, a slice a lane, every lane with the bits of one
// alone. Included once by each file that sets TDI_LANES: inertia.c for one, slices_wide_*.c.
//
// A slice of the centreline has no first moment, and its second is (sx, 0, sz) in its own axes.
// With a force f on its place x, the mass m that the Hessian has, T and P as in sweep.h,
//   q = m x - f,  or m x in a positive model,
// and the turning parts A = tr(B) I - sym(B), B = R S R^^T, and n = axial(B), all that it adds by
// the motion of the element's start is in the sums of m, m x, G = x q^T + B, f and x x f + n; and
// besides
//   by shift and curvature  m P_j
//   by turn and curvature   q x P_j + A T_j + 1/2 T_j x n
//   by curvatures           m P_i.P_j + T_i.A T_j + f.dP + n.dT

#include "helix/slices.h"

#include "math/wide.h"

// ---- what a slice is made of ----------------------------------------------------------------

enum { INPUTS = 21 };

typedef union wslice {
    td_real row[INPUTS][TDI_LANES];
    struct {
        tdi_wide s, c[8]; // arc length, Stumpff's functions
        tdi_wide mass, sx, sz;
        tdi_wvec3 o, x, z; // predicted place, and axes of the section
    };
} wslice;

static inline void read_slice(const tdi_slices_at *at, int32_t k, int lane, wslice *in) {
    const tdi_helix_station *station = &at->station[k];
    in->row[0][lane] = station->s;
    in->row[9][lane] = station->mass;
    in->row[10][lane] = station->second.xx;
    in->row[11][lane] = station->second.zz;
    const tdi_helix_place nowhere = {.o = {0, 0, 0}}, *hat = at->hat ? &at->hat[k] : &nowhere;
    const td_real given[9] = {hat->o.x,    hat->o.y,    hat->o.z,    hat->r.m[0], hat->r.m[3],
                              hat->r.m[6], hat->r.m[2], hat->r.m[5], hat->r.m[8]};
    for (int j = 0; j < 9; j++) {
        in->row[12 + j][lane] = given[j];
    }
}

// Stumpff's functions, by their series as tdi_stumpff_of() or each by itself.
static inline void find_stumpff(const tdi_slices_at *at, wslice *in) {
    const tdi_wide x = at->u2 * in->s * in->s;
    if (at->terms == 0) {
        for (int lane = 0; lane < TDI_LANES; lane++) {
            const tdi_stumpff f = tdi_stumpff_of(tdi_wide_get(&x, lane));
            for (int j = 0; j < 8; j++) {
                tdi_wide_set(&in->c[j], lane, f.c[j]);
            }
        }
        return;
    }
    for (int k = 6; k < 8; k++) {
        tdi_wide sum = tdi_wide_all(1);
        for (int j = at->terms - 1; j >= 0; j--) {
            sum = 1 - x * tdi_stumpff_over[k - 6][j] * sum;
        }
        in->c[k] = tdi_over_factorial[k] * sum;
    }
    for (int k = 5; k >= 0; k--) {
        in->c[k] = tdi_over_factorial[k] - x * in->c[k + 2];
    }
}

// ---- the helix ------------------------------------------------------------------------------

typedef struct wjet {
    tdi_wide s, c3, d[6], dd[4]; // d from 1 on
    tdi_wvec3 v, x, rx, rz;      // place, and the frame's first and third axis
    tdi_wvec3 turn[3], dx[3];
} wjet;

static inline tdi_wvec3 wvec(tdi_wide x, tdi_wide y, tdi_wide z) {
    return (tdi_wvec3){x, y, z};
}

// As tdi_helix_jet_at().
static inline void jet_of(const wslice *in, td_vec3 u, wjet *j) {
    const tdi_wide s = in->s, ss = s * s, *c = in->c;
    const tdi_wvec3 v = {s * u.x, s * u.y, s * u.z};
    for (int k = 1; k < 6; k++) {
        j->d[k] = k * c[k + 2] - c[k + 1];
    }
    for (int k = 1; k < 4; k++) {
        j->dd[k] = k * j->d[k + 2] - j->d[k + 1];
    }
    j->s = s;
    j->c3 = c[3];
    j->v = v;
    const tdi_wvec3 w = tdi_wscale(v, c[1]), q = tdi_wscale(v, c[2]);
    j->rx = wvec(c[0] + q.x * v.x, q.x * v.y + w.z, q.x * v.z - w.y);
    j->rz = wvec(q.x * v.z + w.y, q.y * v.z - w.x, c[0] + q.z * v.z);
    const tdi_wide along = c[3] * v.y;
    j->x = wvec(s * (along * v.x - c[2] * v.z), s * (c[1] + along * v.y),
                s * (along * v.z + c[2] * v.x));
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

// As tdi_helix_bent().
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

// ---- inertia and weight ---------------------------------------------------------------------

typedef struct wfelt {
    tdi_wide mass; // of the Hessian
    tdi_wvec3 f, n;
    tdi_wmat3 b; // of the Hessian
} wfelt;

// sx a b^T + sz c d^T
static inline tdi_wmat3 spread(tdi_wide sx, tdi_wvec3 a, tdi_wvec3 b, tdi_wide sz, tdi_wvec3 c,
                               tdi_wvec3 d) {
    const tdi_wvec3 p = tdi_wscale(a, sx), q = tdi_wscale(c, sz);
    return (tdi_wmat3){{p.x * b.x + q.x * d.x, p.x * b.y + q.x * d.y, p.x * b.z + q.x * d.z,
                        p.y * b.x + q.y * d.x, p.y * b.y + q.y * d.y, p.y * b.z + q.y * d.z,
                        p.z * b.x + q.z * d.x, p.z * b.y + q.z * d.y, p.z * b.z + q.z * d.z}};
}

// A vector of the world in the axes of the element's start.
static inline tdi_wvec3 seen(const tdi_mat3 *r, tdi_wvec3 a) {
    const td_real *m = r->m;
    return wvec(m[0] * a.x + m[3] * a.y + m[6] * a.z, m[1] * a.x + m[4] * a.y + m[7] * a.z,
                m[2] * a.x + m[5] * a.y + m[8] * a.z);
}

static inline wfelt feel(const tdi_slices_at *at, const wslice *in, const wjet *j) {
    wfelt t;
    if (at->hat) {
        const td_vec3 from = at->from;
        const tdi_wvec3 away = wvec(in->o.x - from.x, in->o.y - from.y, in->o.z - from.z);
        const tdi_wide by = tdi_wide_all(at->inertia), m = by * in->mass;
        t.f = tdi_wscale(tdi_wsub(j->x, seen(at->axes, away)), m);
        t.b = spread(by * in->sx, j->rx, seen(at->axes, in->x), by * in->sz, j->rz,
                     seen(at->axes, in->z));
        t.n = tdi_wmat3_axial(&t.b);
        t.mass = m;
        if (at->exact) {
            return t;
        }
    } else {
        t.f = wvec(-in->mass * at->down.x, -in->mass * at->down.y, -in->mass * at->down.z);
        t.n = wvec(tdi_wide_all(0), tdi_wide_all(0), tdi_wide_all(0));
    }
    const tdi_wide by = tdi_wide_all(at->weight);
    t.mass = by * in->mass;
    t.b = spread(by * in->sx, j->rx, j->rx, by * in->sz, j->rz, j->rz);
    return t;
}

// ---- terms ----------------------------------------------------------------------------------

typedef union wslice_term {
    td_real row[TDI_SLICE_ROWS][TDI_LANES];
    struct {
        tdi_wvec3 turn_d[3], shift_d[3];
        tdi_wsym3 d;
        tdi_wvec3 g;
        tdi_wide mass;
        tdi_wvec3 first;
        tdi_wmat3 whole; // G
        tdi_wvec3 f, n;
    };
} wslice_term;

static inline void mixed_terms(const wjet *j, const wfelt *t, bool exact, tdi_wvec3 at[3],
                               wslice_term *out) {
    const tdi_wvec3 own = tdi_wscale(j->x, t->mass), q = exact ? tdi_wsub(own, t->f) : own;
    const tdi_wide *b = t->b.m;
    const tdi_wsym3 a = {b[4] + b[8],          b[0] + b[8],          b[0] + b[4],
                         -0.5 * (b[1] + b[3]), -0.5 * (b[2] + b[6]), -0.5 * (b[5] + b[7])};
    for (int k = 0; k < 3; k++) {
        at[k] = tdi_wsym3_apply(&a, j->turn[k]);
        out->turn_d[k] = tdi_wadd(tdi_wcross(q, j->dx[k]), at[k]);
        if (exact) {
            out->turn_d[k] =
                tdi_wmadd(out->turn_d[k], tdi_wcross(j->turn[k], t->n), tdi_wide_all(0.5));
        }
        out->shift_d[k] = tdi_wscale(j->dx[k], t->mass);
    }
    const tdi_wvec3 x = j->x;
    out->whole = (tdi_wmat3){{x.x * q.x + b[0], x.x * q.y + b[1], x.x * q.z + b[2],
                              x.y * q.x + b[3], x.y * q.y + b[4], x.y * q.z + b[5],
                              x.z * q.x + b[6], x.z * q.y + b[7], x.z * q.z + b[8]}};
    out->first = own;
}

static inline tdi_wide pair(const wjet *j, const tdi_wvec3 moved[3], const tdi_wvec3 at[3], int a,
                            int b) {
    return tdi_wdot(j->dx[a], moved[b]) + tdi_wdot(j->turn[a], at[b]);
}

static inline void slice_terms(const tdi_slices_at *at, const wslice *in, wslice_term *out) {
    wjet j;
    tdi_wvec3 turned[3];
    jet_of(in, at->u, &j);
    const wfelt t = feel(at, in, &j);
    mixed_terms(&j, &t, at->exact, turned, out);
    const tdi_wvec3 *p = out->shift_d;
    out->d = (tdi_wsym3){pair(&j, p, turned, 0, 0), pair(&j, p, turned, 1, 1),
                         pair(&j, p, turned, 2, 2), pair(&j, p, turned, 0, 1),
                         pair(&j, p, turned, 0, 2), pair(&j, p, turned, 1, 2)};
    if (at->exact) {
        out->d = tdi_wsym3_add(out->d, bent_of(&j, t.f, t.n));
    }
    out->g = wvec(tdi_wdot(j.dx[0], t.f) + tdi_wdot(j.turn[0], t.n),
                  tdi_wdot(j.dx[1], t.f) + tdi_wdot(j.turn[1], t.n),
                  tdi_wdot(j.dx[2], t.f) + tdi_wdot(j.turn[2], t.n));
    out->mass = t.mass;
    out->f = t.f;
    out->n = tdi_wadd(t.n, tdi_wcross(j.x, t.f));
}

// Adds the terms of the slices [first, last), one after the other.
static void add_slices(const tdi_slices_at *at, int32_t first, int32_t last,
                       td_real sum[TDI_SLICE_ROWS]) {
    for (int32_t k = first; k < last; k += TDI_LANES) {
        const int32_t count = last - k < TDI_LANES ? last - k : TDI_LANES;
        wslice in;
        wslice_term out;
        for (int lane = 0; lane < TDI_LANES; lane++) { // lanes to spare repeat the last slice
            read_slice(at, k + (lane < count ? lane : count - 1), lane, &in);
        }
        find_stumpff(at, &in);
        slice_terms(at, &in, &out);
        for (int j = 0; j < TDI_SLICE_ROWS; j++) {
            for (int32_t lane = 0; lane < count; lane++) {
                sum[j] += out.row[j][lane];
            }
        }
    }
}
