// SPDX-License-Identifier: MIT
#pragma once

// Drag on vanes in lanes.
//
// A vane rides at p from the frame R at the place x of the helix. It moves with the curvatures by
// P_j = dx_j + T_j x p. With the gradient f and the Hessian C of drag, in the axes of the element's
// start, and y = x + p, it adds
//   by the start            [y]x C [y]x^T + geometric(y, f),  [y]x C,  C
//   by shift and curvature  C P_j
//   by turn and curvature   y x C P_j + P_j x f
//   by curvatures           P_i.C P_j + f.dP + (p x f).dT + T_i.geometric(p, f) T_j
// where geometric(r, f) = sym(r f^T) - (r.f) I, and all but C are second derivatives.

#include "helix/jet_kernel.h"

#include "load/drag.h"

#define TDI_WIDE_NAMES 1
#include "math/lane_names.h"
#include "load/drag_lanes.h"

// ---- vanes ----------------------------------------------------------------------------------

typedef struct wvanes { // of each lane
    wrecord vane, known, wind, u, start;
    int32_t element[TDI_LANES];
} wvanes;

// Reals of a tdi_helix_vane and of a tdi_helix_vane_air.
enum { VANE_S = 1, VANE_OFFSET = 2, VANE_TURN = 5, VANE_AREA = 9, VANE_FOLD = 12 };
enum { KNOWN_STAR = 0, KNOWN_AREA = 3, KNOWN_MOST = 9, KNOWN_FOLD = 10 };
_Static_assert(sizeof(tdi_helix_vane) == 13 * sizeof(td_real), "reals of a vane");
_Static_assert(sizeof(tdi_helix_vane_air) == 11 * sizeof(td_real), "reals of a vane's air");

static inline void read_vanes(const tdi_vanes_at *at, int32_t first, int32_t count, wvanes *in) {
    for (int lane = 0; lane < TDI_LANES; lane++) {
        const int32_t k = first + (lane < count ? lane : count - 1);
        const tdi_helix_point *p = &at->vane[k].point;
        in->element[lane] = p->element;
        in->vane.of[lane] = (const td_real *)(const void *)&at->vane[k];
        in->known.of[lane] = (const td_real *)(const void *)&at->known[k];
        in->wind.of[lane] = at->winds ? &at->winds[p->segment].x : &at->air->wind.x;
        in->u.of[lane] = &at->on.u[p->element].x;
        in->start.of[lane] = (const td_real *)(const void *)&at->on.start[p->element];
    }
}

typedef struct wride {
    wcurve curve;
    tdi_wvec3 p, y;
    tdi_wmat3 axes; // of the start
} wride;

static inline void ride_vane(const tdi_vanes_at *at, const wvanes *in, wride *r) {
    find_curve(&in->u, entry(&in->vane, VANE_S), at->on.range, &r->curve);
    const tdi_wmat3 frame = frame_on(&r->curve);
    r->p = tdi_wmat3_apply(&frame, entries3(&in->vane, VANE_OFFSET));
    r->y = tdi_wadd(place_on(&r->curve), r->p);
    r->axes = entries9(&in->start, 3);
}

static inline tdi_wdrag drag_on(const tdi_vanes_at *at, const wvanes *in, const wride *r) {
    const tdi_rate_factors by = tdi_rates_of(at->h);
    const tdi_wdrag_area area = {entries6(&in->known, KNOWN_AREA), entry(&in->known, KNOWN_MOST),
                                 entry(&in->known, KNOWN_FOLD)};
    const tdi_wvec3 x = tdi_wadd(entries3(&in->start, 0), tdi_wmat3_apply(&r->axes, r->y)),
                    way = tdi_wsub(x, entries3(&in->known, KNOWN_STAR)),
                    u = tdi_wsub(tdi_wscale(way, tdi_wide_all(1 / at->h)), entries3(&in->wind, 0));
    return tdi_wdrag_of(at->air, &area, u, &by);
}

// A^T S A
static inline tdi_wsym3 turned_back(const tdi_wmat3 *a, const tdi_wsym3 *s) {
    const tdi_wide *m = a->m;
    const tdi_wmat3 back = {{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
    return tdi_wsym3_turn(&back, s);
}

// ---- terms ----------------------------------------------------------------------------------

typedef union wvane_term {
    tdi_wide row[TDI_VANE_ROWS];
    struct {
        tdi_wvec3 turn_d[3], shift_d[3];
        tdi_wsym3 d;
        tdi_wvec3 g;
        tdi_wsym3 a;
        tdi_wmat3 b;
        tdi_wsym3 c;
        tdi_wvec3 f, n;
    };
} wvane_term;

static inline tdi_wsym3 geometric(tdi_wvec3 r, tdi_wvec3 f) {
    const tdi_wide x = r.x * f.x, y = r.y * f.y, z = r.z * f.z;
    return (tdi_wsym3){-(y + z),
                       -(x + z),
                       -(x + y),
                       0.5 * (r.x * f.y + r.y * f.x),
                       0.5 * (r.x * f.z + r.z * f.x),
                       0.5 * (r.y * f.z + r.z * f.y)};
}

// a_i.b_j of three vectors each, of which the products are symmetric
static inline tdi_wsym3 products(const tdi_wvec3 a[3], const tdi_wvec3 b[3]) {
    return (tdi_wsym3){tdi_wdot(a[0], b[0]), tdi_wdot(a[1], b[1]), tdi_wdot(a[2], b[2]),
                       tdi_wdot(a[0], b[1]), tdi_wdot(a[0], b[2]), tdi_wdot(a[1], b[2])};
}

static inline void add_seconds(const wride *r, const wjet *j, const tdi_wvec3 shift[3],
                               wvane_term *out) {
    const tdi_wvec3 f = out->f;
    out->a = tdi_wsym3_add(out->a, geometric(r->y, f));
    const tdi_wsym3 own = geometric(r->p, f);
    tdi_wvec3 turned[3];
    for (int k = 0; k < 3; k++) {
        out->turn_d[k] = tdi_wadd(out->turn_d[k], tdi_wcross(shift[k], f));
        turned[k] = tdi_wsym3_apply(&own, j->turn[k]);
    }
    out->d = tdi_wsym3_add(out->d, bent_of(j, f, tdi_wcross(r->p, f)));
    out->d = tdi_wsym3_add(out->d, products(j->turn, turned));
}

static inline void vane_terms(const tdi_vanes_at *at, const wvanes *in, wvane_term *out) {
    wride r;
    wjet j;
    tdi_wvec3 shift[3];
    ride_vane(at, in, &r);
    find_jet(&r.curve, &j);
    const tdi_wdrag drag = drag_on(at, in, &r);
    out->c = turned_back(&r.axes, &drag.hessian);
    out->f = tdi_wmat3_apply_t(&r.axes, drag.gradient);
    out->n = tdi_wcross(r.y, out->f);
    out->b = tdi_wcross_sym(r.y, &out->c);
    out->a = tdi_wcross_both(r.y, &out->b);
    for (int k = 0; k < 3; k++) {
        shift[k] = tdi_wadd(j.dx[k], tdi_wcross(j.turn[k], r.p));
        out->shift_d[k] = tdi_wsym3_apply(&out->c, shift[k]);
        out->turn_d[k] = tdi_wcross(r.y, out->shift_d[k]);
    }
    out->g =
        wvec(tdi_wdot(shift[0], out->f), tdi_wdot(shift[1], out->f), tdi_wdot(shift[2], out->f));
    out->d = products(shift, out->shift_d);
    if (at->exact) {
        add_seconds(&r, &j, shift, out);
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void add_vanes(const tdi_vanes_at *at, int32_t first, int32_t last, int32_t from,
                      td_real (*sum)[TDI_VANE_ROWS]) {
    for (int32_t k = first; k < last; k += TDI_LANES) {
        const int32_t count = last - k < TDI_LANES ? last - k : TDI_LANES;
        wvanes in;
        wvane_term out;
        read_vanes(at, k, count, &in);
        vane_terms(at, &in, &out);
        add_rows(out.row, TDI_VANE_ROWS, in.element, count, from, sum[0]);
    }
}

static void add_vane_pulls(const tdi_vanes_at *at, int32_t first, int32_t last, int32_t from,
                           td_real (*sum)[TDI_PULL_ROWS]) {
    for (int32_t k = first; k < last; k += TDI_LANES) {
        const int32_t count = last - k < TDI_LANES ? last - k : TDI_LANES;
        wvanes in;
        wride r;
        wpull out;
        read_vanes(at, k, count, &in);
        ride_vane(at, &in, &r);
        out.f = tdi_wmat3_apply_t(&r.axes, drag_on(at, &in, &r).gradient);
        out.n = tdi_wcross(r.y, out.f);
        out.g = pulled_on(&r.curve, out.f, tdi_wcross(r.p, out.f));
        add_rows(out.row, TDI_PULL_ROWS, in.element, count, from, sum[0]);
    }
}

static td_real vane_values(const tdi_vanes_at *at, int32_t first, int32_t last) {
    td_real sum = 0;
    for (int32_t k = first; k < last; k += TDI_LANES) {
        const int32_t count = last - k < TDI_LANES ? last - k : TDI_LANES;
        wvanes in;
        wride r;
        read_vanes(at, k, count, &in);
        ride_vane(at, &in, &r);
        sum = add_lanes(sum, drag_on(at, &in, &r).value, count);
    }
    return sum;
}

// Place and, if asked for, frame of vanes at a pose.
static inline tdi_wvec3 vane_place(const tdi_helix_curves *on, const wrecord *vane,
                                   const int32_t *element, tdi_wmat3 *frame) {
    wrecord u, start;
    wcurve w;
    for (int lane = 0; lane < TDI_LANES; lane++) {
        u.of[lane] = &on->u[element[lane]].x;
        start.of[lane] = (const td_real *)(const void *)&on->start[element[lane]];
    }
    find_curve(&u, entry(vane, VANE_S), on->range, &w);
    const tdi_wmat3 own = frame_on(&w), axes = entries9(&start, 3);
    const tdi_wvec3 y = tdi_wadd(place_on(&w), tdi_wmat3_apply(&own, entries3(vane, VANE_OFFSET)));
    if (frame) {
        *frame = tdi_wmat3_mul(&axes, &own);
    }
    return tdi_wadd(entries3(&start, 0), tdi_wmat3_apply(&axes, y));
}

static void note_air(const tdi_helix_vane *vane, int32_t first, int32_t last,
                     const tdi_helix_curves *now, const tdi_helix_curves *back, td_real again,
                     tdi_helix_vane_air *known) {
    for (int32_t k = first; k < last; k += TDI_LANES) {
        const int32_t count = last - k < TDI_LANES ? last - k : TDI_LANES;
        int32_t element[TDI_LANES];
        wrecord in;
        for (int lane = 0; lane < TDI_LANES; lane++) {
            const tdi_helix_vane *v = &vane[k + (lane < count ? lane : count - 1)];
            element[lane] = v->point.element;
            in.of[lane] = (const td_real *)(const void *)v;
        }
        const tdi_wquat q = {entry(&in, VANE_TURN), entry(&in, VANE_TURN + 1),
                             entry(&in, VANE_TURN + 2), entry(&in, VANE_TURN + 3)};
        const tdi_wmat3 turn = tdi_wmat3_from_quat(q);
        tdi_wmat3 frame;
        tdi_wvec3 history = vane_place(now, &in, element, &frame);
        if (back) {
            const tdi_wvec3 then = vane_place(back, &in, element, NULL);
            // as tdi_star()
            history = again == 1.0 / 3
                          ? wvec((4 * history.x - then.x) / 3, (4 * history.y - then.y) / 3,
                                 (4 * history.z - then.z) / 3)
                          : wvec(history.x + again * (history.x - then.x),
                                 history.y + again * (history.y - then.y),
                                 history.z + again * (history.z - then.z));
        }
        const tdi_wmat3 axes = tdi_wmat3_mul(&frame, &turn);
        const tdi_wdrag_area area =
            tdi_wdrag_area_of(entries3(&in, VANE_AREA), entry(&in, VANE_FOLD), &axes);
        for (int lane = 0; lane < count; lane++) {
            known[k + lane].history = tdi_wvec3_get(&history, lane);
            known[k + lane].area =
                (tdi_drag_area){tdi_wsym3_get(&area.area, lane), tdi_wide_get(&area.most, lane),
                                tdi_wide_get(&area.fold, lane)};
        }
    }
}
