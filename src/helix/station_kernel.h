// SPDX-License-Identifier: MIT
#pragma once

// Inertia or weight of stations in lanes.
//
// A station is a rigid slice in the frame R at the place x of the helix, with mass m, c = R moment
// and the second moment S. With predictions x^, R^ and c^ = R^ moment, all over h^2 and in the axes
// of the element's start (docs/theory/implicit.md), with e = x - x^,
//   f = m e + c - c^,   B = R S R^^T - c e^T,   n = axial(B),   A = tr(B) I - sym(B)
// are gradient and Hessian by shifts and turns of the station. In statics f = -m g and
// B = c g^T. A positive model takes B = R S R^T in the Hessian instead. With
//   q = m x + c - f,  or m x + c in a positive model,
// and T and P as in sweep.h, all that it adds by the motion of the element's start is in the sums
// of m, m x + c, G = x q^T + c x^T + B, f and x x f + n; and besides
//   by shift and curvature  F_j = m P_j + T_j x c
//   by turn and curvature   q x P_j + A T_j + x x (T_j x c) + 1/2 T_j x n
//   by curvatures           P_i.F_j + P_j.(T_i x c) + T_i.A T_j + f.dP + n.dT
// A thin slice has no c, and S = (sx, 0, sz).

#include "helix/jet_kernel.h"

// ---- what is felt ---------------------------------------------------------------------------

typedef struct wstations { // of each lane
    wrecord station, predictor, u, start;
    int32_t element[TDI_LANES];
} wstations;

// Reals of a tdi_helix_station.
enum { STATION_S = 1, STATION_MASS = 2, STATION_MOMENT = 3, STATION_SECOND = 6 };
_Static_assert(sizeof(tdi_helix_station) == 12 * sizeof(td_real), "reals of a station");
_Static_assert(sizeof(tdi_helix_place) == 12 * sizeof(td_real), "reals of a place");

// Lanes to spare repeat the last station.
static inline void read_stations(const tdi_stations_at *at, int32_t first, int32_t count,
                                 wstations *in) {
    static const tdi_helix_place nowhere;
    for (int lane = 0; lane < TDI_LANES; lane++) {
        const int32_t k = first + (lane < count ? lane : count - 1), i = at->station[k].element;
        in->element[lane] = i;
        in->station.of[lane] = (const td_real *)(const void *)&at->station[k];
        in->predictor.of[lane] =
            (const td_real *)(const void *)(at->predictor ? &at->predictor[k] : &nowhere);
        in->u.of[lane] = &at->on.u[i].x;
        in->start.of[lane] = (const td_real *)(const void *)&at->on.start[i];
    }
}

// Gradient, and of the Hessian mass, c and B.
typedef struct wfelt {
    tdi_wvec3 f, n;
    tdi_wide mass;
    tdi_wvec3 c;
    tdi_wmat3 b;
} wfelt;

// sx a b^T + sz c d^T
static inline tdi_wmat3 spread(tdi_wide sx, tdi_wvec3 a, tdi_wvec3 b, tdi_wide sz, tdi_wvec3 c,
                               tdi_wvec3 d) {
    const tdi_wvec3 p = tdi_wscale(a, sx), q = tdi_wscale(c, sz);
    return (tdi_wmat3){{p.x * b.x + q.x * d.x, p.x * b.y + q.x * d.y, p.x * b.z + q.x * d.z,
                        p.y * b.x + q.y * d.x, p.y * b.y + q.y * d.y, p.y * b.z + q.y * d.z,
                        p.z * b.x + q.z * d.x, p.z * b.y + q.z * d.y, p.z * b.z + q.z * d.z}};
}

// B + k a b^T
static inline void add_dyad(tdi_wmat3 *m, tdi_wvec3 a, tdi_wvec3 b, td_real k) {
    const tdi_wvec3 p = tdi_wscale(a, tdi_wide_all(k));
    const tdi_wmat3 d = {{p.x * b.x, p.x * b.y, p.x * b.z, p.y * b.x, p.y * b.y, p.y * b.z,
                          p.z * b.x, p.z * b.y, p.z * b.z}};
    for (int j = 0; j < 9; j++) {
        m->m[j] += d.m[j];
    }
}

// A^T B
static inline tdi_wmat3 t_product(const tdi_wmat3 *a, const tdi_wmat3 *b) {
    tdi_wmat3 c;
    for (int j = 0; j < 3; j++) {
        const tdi_wvec3 column = tdi_wmat3_apply_t(a, tdi_wmat3_column(b, j));
        c.m[j] = column.x;
        c.m[3 + j] = column.y;
        c.m[6 + j] = column.z;
    }
    return c;
}

// by R S Q^T, where Q is turned from the world into the axes of the start; NULL: R S R^T.
static inline tdi_wmat3 second_of(const wstations *in, bool slices, const tdi_wmat3 *r,
                                  const tdi_wmat3 *axes, const tdi_wmat3 *q, tdi_wide by) {
    const wrecord *s = &in->station;
    if (slices) {
        const tdi_wvec3 rx = tdi_wmat3_column(r, 0), rz = tdi_wmat3_column(r, 2);
        const tdi_wide sx = by * entry(s, STATION_SECOND), sz = by * entry(s, STATION_SECOND + 2);
        return q ? spread(sx, rx, tdi_wmat3_apply_t(axes, tdi_wmat3_column(q, 0)), sz, rz,
                          tdi_wmat3_apply_t(axes, tdi_wmat3_column(q, 2)))
                 : spread(sx, rx, rx, sz, rz, rz);
    }
    const tdi_wsym3 second = tdi_wsym3_scale(entries6(s, STATION_SECOND), by);
    const tdi_wmat3 rs = tdi_wmat3_mul_sym(r, &second), turned = q ? t_product(axes, q) : *r;
    return tdi_wmat3_mul_t(&rs, &turned);
}

// In a step: f, n and the B of an exact model.
static inline void feel_inertia(const tdi_stations_at *at, bool slices, const wstations *in,
                                const tdi_wmat3 *r, tdi_wvec3 x, wfelt *t) {
    const tdi_wmat3 axes = entries9(&in->start, 3), predictor = entries9(&in->predictor, 3);
    const tdi_wide by = tdi_wide_all(at->inertia);
    const td_vec3 fall = tdi_scale(at->gravity, at->h2);
    const tdi_wvec3 o = entries3(&in->start, 0), to = entries3(&in->predictor, 0),
                    away = wvec(to.x - o.x + fall.x, to.y - o.y + fall.y, to.z - o.z + fall.z),
                    e = tdi_wsub(x, tdi_wmat3_apply_t(&axes, away));
    t->mass = by * entry(&in->station, STATION_MASS);
    t->f = tdi_wscale(e, t->mass);
    t->b = second_of(in, slices, r, &axes, &predictor, by);
    if (!slices) {
        const tdi_wvec3 moment = entries3(&in->station, STATION_MOMENT),
                        then = tdi_wmat3_apply_t(&axes, tdi_wmat3_apply(&predictor, moment));
        t->c = tdi_wscale(tdi_wmat3_apply(r, moment), by);
        t->f = tdi_wadd(t->f, tdi_wsub(t->c, tdi_wscale(then, by)));
        add_dyad(&t->b, t->c, e, -1);
    }
    t->n = tdi_wmat3_axial(&t->b);
}

static inline void feel_weight(const tdi_stations_at *at, bool slices, const wstations *in,
                               const tdi_wmat3 *r, wfelt *t) {
    const tdi_wmat3 axes = entries9(&in->start, 3);
    const tdi_wvec3 down = tdi_wmat3_apply_t(&axes, tdi_wvec3_all(at->gravity));
    const tdi_wide none = tdi_wide_all(0);
    t->mass = none;
    t->f = tdi_wscale(down, -entry(&in->station, STATION_MASS));
    t->c = tdi_wvec3_zero();
    t->b = (tdi_wmat3){{none, none, none, none, none, none, none, none, none}};
    if (!slices) {
        const tdi_wvec3 c = tdi_wmat3_apply(r, entries3(&in->station, STATION_MOMENT));
        add_dyad(&t->b, c, down, 1);
    }
    t->n = tdi_wmat3_axial(&t->b);
}

// The Hessian of a model that is not exact: of inertia about the pose.
static inline void feel_still(const tdi_stations_at *at, bool slices, const wstations *in,
                              const tdi_wmat3 *r, wfelt *t) {
    const tdi_wide by = tdi_wide_all(at->weight);
    t->mass = by * entry(&in->station, STATION_MASS);
    t->b = second_of(in, slices, r, NULL, NULL, by);
    if (!slices) {
        t->c = tdi_wscale(tdi_wmat3_apply(r, entries3(&in->station, STATION_MOMENT)), by);
    }
}

static inline void feel(const tdi_stations_at *at, bool slices, const wstations *in,
                        const tdi_wmat3 *r, tdi_wvec3 x, wfelt *t) {
    if (at->predictor) {
        feel_inertia(at, slices, in, r, x, t);
    } else {
        feel_weight(at, slices, in, r, t);
    }
}

// ---- terms ----------------------------------------------------------------------------------

typedef union wstation_term {
    tdi_wide row[TDI_STATION_ROWS];
    struct {
        tdi_wvec3 turn_d[3], shift_d[3];
        tdi_wsym3 d;
        tdi_wvec3 g;
        tdi_wide mass;
        tdi_wvec3 first;
        tdi_wmat3 whole; // G
        tdi_wvec3 f, n;
    };
} wstation_term;

// `at`: A T_j; `arm`: T_j x c
static inline void mixed_terms(const wjet *j, const wfelt *t, bool slices, bool exact,
                               tdi_wvec3 at[3], tdi_wvec3 arm[3], wstation_term *out) {
    const tdi_wvec3 x = j->x, own = tdi_wscale(x, t->mass);
    out->first = slices ? own : tdi_wadd(own, t->c);
    const tdi_wvec3 q = exact ? tdi_wsub(out->first, t->f) : out->first;
    const tdi_wide *b = t->b.m;
    const tdi_wsym3 a = {b[4] + b[8],          b[0] + b[8],          b[0] + b[4],
                         -0.5 * (b[1] + b[3]), -0.5 * (b[2] + b[6]), -0.5 * (b[5] + b[7])};
    for (int k = 0; k < 3; k++) {
        at[k] = tdi_wsym3_apply(&a, j->turn[k]);
        out->turn_d[k] = tdi_wadd(tdi_wcross(q, j->dx[k]), at[k]);
        out->shift_d[k] = tdi_wscale(j->dx[k], t->mass);
        if (!slices) {
            arm[k] = tdi_wcross(j->turn[k], t->c);
            out->shift_d[k] = tdi_wadd(out->shift_d[k], arm[k]);
            out->turn_d[k] = tdi_wadd(out->turn_d[k], tdi_wcross(x, arm[k]));
        }
        if (exact) {
            out->turn_d[k] =
                tdi_wmadd(out->turn_d[k], tdi_wcross(j->turn[k], t->n), tdi_wide_all(0.5));
        }
    }
    out->whole = (tdi_wmat3){{x.x * q.x + b[0], x.x * q.y + b[1], x.x * q.z + b[2],
                              x.y * q.x + b[3], x.y * q.y + b[4], x.y * q.z + b[5],
                              x.z * q.x + b[6], x.z * q.y + b[7], x.z * q.z + b[8]}};
    if (!slices) {
        add_dyad(&out->whole, t->c, x, 1);
    }
}

static inline tdi_wide pair(const wjet *j, const tdi_wvec3 moved[3], const tdi_wvec3 at[3], int a,
                            int b) {
    return tdi_wdot(j->dx[a], moved[b]) + tdi_wdot(j->turn[a], at[b]);
}

static inline tdi_wsym3 curvature_terms(const wjet *j, const wstation_term *out, bool slices,
                                        const tdi_wvec3 at[3], const tdi_wvec3 arm[3]) {
    const tdi_wvec3 *p = out->shift_d, *dx = j->dx;
    const tdi_wsym3 d = {pair(j, p, at, 0, 0), pair(j, p, at, 1, 1), pair(j, p, at, 2, 2),
                         pair(j, p, at, 0, 1), pair(j, p, at, 0, 2), pair(j, p, at, 1, 2)};
    if (slices) {
        return d;
    }
    return tdi_wsym3_add(d, (tdi_wsym3){tdi_wdot(dx[0], arm[0]), tdi_wdot(dx[1], arm[1]),
                                        tdi_wdot(dx[2], arm[2]), tdi_wdot(dx[1], arm[0]),
                                        tdi_wdot(dx[2], arm[0]), tdi_wdot(dx[2], arm[1])});
}

static inline void station_terms(const tdi_stations_at *at, bool slices, const wstations *in,
                                 wstation_term *out) {
    wcurve w;
    wjet j;
    wfelt t;
    tdi_wvec3 turned[3], arm[3];
    find_curve(&in->u, entry(&in->station, STATION_S), at->on.range, &w);
    find_jet(&w, &j);
    const tdi_wmat3 r = frame_on(&w);
    feel(at, slices, in, &r, j.x, &t);
    if (!at->exact) {
        feel_still(at, slices, in, &r, &t);
    }
    mixed_terms(&j, &t, slices, at->exact, turned, arm, out);
    out->d = curvature_terms(&j, out, slices, turned, arm);
    if (at->exact) {
        out->d = tdi_wsym3_add(out->d, bent_of(&j, t.f, t.n));
    }
    out->g = pulled(&j, t.f, t.n);
    out->mass = t.mass;
    out->f = t.f;
    out->n = tdi_wadd(t.n, tdi_wcross(j.x, t.f));
}

static inline void station_pull(const tdi_stations_at *at, bool slices, const wstations *in,
                                wpull *out) {
    wcurve w;
    wfelt t;
    find_curve(&in->u, entry(&in->station, STATION_S), at->on.range, &w);
    const tdi_wvec3 x = place_on(&w);
    const tdi_wmat3 r = frame_on(&w);
    feel(at, slices, in, &r, x, &t);
    out->f = t.f;
    out->n = tdi_wadd(t.n, tdi_wcross(x, t.f));
    out->g = pulled_on(&w, t.f, t.n);
}

// ---- values ---------------------------------------------------------------------------------

// 1/2 tr(D S D^T) of the difference D of two frames
static inline tdi_wide turned_value(const wstations *in, bool slices, const tdi_wmat3 *d) {
    const wrecord *s = &in->station;
    if (slices) {
        const tdi_wvec3 x = tdi_wmat3_column(d, 0), z = tdi_wmat3_column(d, 2);
        return 0.5 * (entry(s, STATION_SECOND) * tdi_wdot(x, x) +
                      entry(s, STATION_SECOND + 2) * tdi_wdot(z, z));
    }
    const tdi_wsym3 second = entries6(s, STATION_SECOND);
    const tdi_wmat3 ds = tdi_wmat3_mul_sym(d, &second);
    tdi_wide trace = ds.m[0] * d->m[0];
    for (int j = 1; j < 9; j++) {
        trace = trace + ds.m[j] * d->m[j];
    }
    return 0.5 * trace;
}

// (1/2 m |e|^2 + e.(D moment) + 1/2 tr(D S D^T))/h^2, or -g.(m x + c) in statics
static inline tdi_wide station_value(const tdi_stations_at *at, bool slices, const wstations *in) {
    wcurve w;
    find_curve(&in->u, entry(&in->station, STATION_S), at->on.range, &w);
    const tdi_wmat3 r = frame_on(&w), axes = entries9(&in->start, 3),
                    frame = tdi_wmat3_mul(&axes, &r);
    const tdi_wvec3 x = tdi_wadd(entries3(&in->start, 0), tdi_wmat3_apply(&axes, place_on(&w))),
                    moment = entries3(&in->station, STATION_MOMENT);
    const tdi_wide mass = entry(&in->station, STATION_MASS);
    if (!at->predictor) {
        const tdi_wvec3 c = tdi_wmadd(tdi_wmat3_apply(&frame, moment), x, mass);
        return -tdi_wdot(tdi_wvec3_all(at->gravity), c);
    }
    const td_vec3 fall = tdi_scale(at->gravity, at->h2);
    const tdi_wvec3 to = entries3(&in->predictor, 0),
                    e = wvec(x.x - to.x - fall.x, x.y - to.y - fall.y, x.z - to.z - fall.z);
    tdi_wmat3 d;
    for (int j = 0; j < 9; j++) {
        d.m[j] = frame.m[j] - entry(&in->predictor, 3 + j);
    }
    tdi_wide value = 0.5 * mass * tdi_wdot(e, e) + turned_value(in, slices, &d);
    if (!slices) {
        value = value + tdi_wdot(e, tdi_wmat3_apply(&d, moment));
    }
    return at->inertia * value;
}

static td_real station_values(const tdi_stations_at *at, int32_t first, int32_t last) {
    td_real sum = 0;
    for (int32_t k = first; k < last; k += TDI_LANES) {
        const int32_t count = last - k < TDI_LANES ? last - k : TDI_LANES;
        wstations in;
        read_stations(at, k, count, &in);
        sum = add_lanes(
            sum, at->slices ? station_value(at, true, &in) : station_value(at, false, &in), count);
    }
    return sum;
}

// ---- entry ----------------------------------------------------------------------------------

static void add_stations(const tdi_stations_at *at, int32_t first, int32_t last, int32_t from,
                         td_real (*sum)[TDI_STATION_ROWS]) {
    for (int32_t k = first; k < last; k += TDI_LANES) {
        const int32_t count = last - k < TDI_LANES ? last - k : TDI_LANES;
        wstations in;
        wstation_term out;
        read_stations(at, k, count, &in);
        if (TDI_LANES > 1 && at->slices) { // one at a time the code for all stations does
            station_terms(at, true, &in, &out);
        } else {
            station_terms(at, false, &in, &out);
        }
        add_rows(out.row, TDI_STATION_ROWS, in.element, count, from, sum[0]);
    }
}

static void add_station_pulls(const tdi_stations_at *at, int32_t first, int32_t last, int32_t from,
                              td_real (*sum)[TDI_PULL_ROWS]) {
    for (int32_t k = first; k < last; k += TDI_LANES) {
        const int32_t count = last - k < TDI_LANES ? last - k : TDI_LANES;
        wstations in;
        wpull out;
        read_stations(at, k, count, &in);
        if (TDI_LANES > 1 && at->slices) { // one at a time the code for all stations does
            station_pull(at, true, &in, &out);
        } else {
            station_pull(at, false, &in, &out);
        }
        add_rows(out.row, TDI_PULL_ROWS, in.element, count, from, sum[0]);
    }
}
