// SPDX-License-Identifier: MIT
// Drag on TDI_LANES segments of a cluster at once, and what it adds to the cluster's sums.
//
// Lanes    a segment a lane, every lane with the bits of a segment alone, and sums one segment
//          after the other. Lanes that are left at the end of a cluster do what the first does, and
//          are not counted.
//
// Included once by each file that sets TDI_LANES: air.c for a segment alone, air_wide_*.c.

#include "math/wide.h"
#include "reduce/air.h"

#define TDI_WIDE_NAMES 1
#include "math/lane_names.h"
#include "load/drag_lanes.h"

#define GAUSS 0.57735026918962576 // of the way from the middle to the tip

// ---- rows, in which the reals of a lane are a column ----------------------------------------

enum { FRAME = 12, TIP_AREA = 7, VECTOR = 3, IN = FRAME + TIP_AREA + 2 * VECTOR + 1 };

typedef union in_lanes {
    td_real row[IN][TDI_LANES];
    struct {
        tdi_wmat3 r; // of the segment on its cluster
        tdi_wvec3 o;
        tdi_wvec3 tip, area;
        tdi_wide fold;
        tdi_wvec3 off;  // where its mass is, from its seat
        tdi_wvec3 flow; // at the cluster's origin
        tdi_wide share; // of the segment that is on the cluster
    };
} in_lanes;

typedef struct sum_lanes { // the parts of a tdi_reduce_flow_sum
    tdi_wvec3 force, moment, flow;
    tdi_wide area, slope;
    tdi_wvec3 first;
    tdi_wsym3 second, spread;
} sum_lanes;

typedef struct out_lanes {
    tdi_wvec3 n, f;       // drag about the joint, in the cluster's axes
    tdi_wide coefficient; // f/u
    tdi_wvec3 lever, flow;
    sum_lanes sum;
} out_lanes;

typedef struct batch {
    in_lanes in;
    int32_t segment[TDI_LANES];
    int32_t count;
} batch;

static inline void gather(td_real (*row)[TDI_LANES], int count, const void *from, int lane) {
    const td_real *source = from;
    for (int k = 0; k < count; k++) {
        row[k][lane] = source[k];
    }
}

static inline void take(batch *b, const tdi_reduced_state *s, int32_t i, const td_vec3 *flow) {
    const int lane = b->count++;
    const td_real share = 1 - s->side[i].share;
    td_real(*row)[TDI_LANES] = b->in.row;
    b->segment[lane] = i;
    gather(row, FRAME, &s->whole.frame[i].r, lane);
    gather(row + FRAME, TIP_AREA, &s->full->body[i].tip, lane);
    gather(row + FRAME + TIP_AREA, VECTOR, &s->side[i].off[0], lane);
    gather(row + FRAME + TIP_AREA + VECTOR, VECTOR, flow, lane);
    gather(row + IN - 1, 1, &share, lane);
}

// ---- drag -----------------------------------------------------------------------------------

// tdi_reduce_drag()
static inline tdi_wvec3 drag(const td_air *air, tdi_wvec3 area, tdi_wide fold, tdi_wvec3 u,
                             tdi_wide *largest) {
    const tdi_wide none = tdi_wide_all(0), xy = tdi_wide_select(area.x > area.y, area.x, area.y),
                   most = tdi_wide_select(xy > area.z, xy, area.z);
    const tdi_mask some = most > none;
    const tdi_wvec3 au = tdi_wtimes(area, u);
    const tdi_wide form = tdi_wide_select(some, tdi_wdot(u, au) / most, none),
                   speed = tdi_wide_sqrt(form), folds = tdi_wdrag_folds_at(air, fold, speed).force,
                   slope =
                       tdi_wide_select(some, air->linear + air->quadratic * speed * folds, none);
    *largest = slope * most;
    return tdi_wscale(au, -slope);
}

// Of segments about their joints. The flow is that at their middles, and changes by `more` from
// there to their tips.
static inline void drag_on(const td_air *air, const in_lanes *in, tdi_wvec3 more, out_lanes *out) {
    const tdi_wide gauss = tdi_wide_all(GAUSS), half = tdi_wide_all(0.5);
    const tdi_wvec3 u = tdi_wmat3_apply_t(&in->r, out->flow),
                    off = tdi_wscale(tdi_wmat3_apply_t(&in->r, more), gauss);
    tdi_wide slopes[2];
    const tdi_wvec3 near = drag(air, in->area, in->fold, tdi_wsub(u, off), &slopes[0]),
                    far = drag(air, in->area, in->fold, tdi_wadd(u, off), &slopes[1]),
                    push = tdi_wscale(tdi_wadd(near, far), half),
                    turn = tdi_wmadd(push, tdi_wsub(far, near), tdi_wide_all(0.5 * GAUSS));
    out->coefficient = 0.5 * (slopes[0] + slopes[1]);
    out->n = tdi_wmat3_apply(&in->r, tdi_wcross(tdi_wscale(in->tip, half), turn));
    out->f = tdi_wmat3_apply(&in->r, push);
}

// ---- sums -----------------------------------------------------------------------------------

// Joints at o, middles of drag at `middle`.
static inline sum_lanes parts_of(const out_lanes *d, tdi_wvec3 o, tdi_wvec3 middle, tdi_wide area,
                                 tdi_wide share) {
    const tdi_wide all = share * area, slope = share * d->coefficient;
    return (sum_lanes){tdi_wscale(d->f, share),
                       tdi_wscale(tdi_wadd(d->n, tdi_wcross(o, d->f)), share),
                       tdi_wscale(d->flow, all),
                       all,
                       slope,
                       tdi_wscale(middle, slope),
                       tdi_wsym3_square(middle, slope),
                       tdi_wsym3_square(tdi_wsub(middle, o), slope / 3)};
}

static inline void add_parts(tdi_reduce_flow_sum *to, const sum_lanes *of, int lane) {
    to->force = tdi_add(to->force, tdi_wvec3_get(&of->force, lane));
    to->moment = tdi_add(to->moment, tdi_wvec3_get(&of->moment, lane));
    to->flow = tdi_add(to->flow, tdi_wvec3_get(&of->flow, lane));
    to->area += tdi_wide_get(&of->area, lane);
    to->slope += tdi_wide_get(&of->slope, lane);
    to->first = tdi_add(to->first, tdi_wvec3_get(&of->first, lane));
    to->second = tdi_sym3_add(to->second, tdi_wsym3_get(&of->second, lane));
    to->second = tdi_sym3_add(to->second, tdi_wsym3_get(&of->spread, lane));
}

static inline tdi_wvec3 apply_all(const tdi_mat3 *a, tdi_wvec3 v) {
    const td_real *m = a->m;
    return (tdi_wvec3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                       m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

static inline void compute(const td_air *air, const tdi_mat3 *spin, const in_lanes *in,
                           out_lanes *out) {
    out->lever = tdi_wmat3_apply(&in->r, tdi_wscale(in->tip, tdi_wide_all(0.5)));
    const tdi_wvec3 x = tdi_wadd(in->o, out->lever), o = tdi_wadd(in->o, in->off);
    out->flow = tdi_wadd(in->flow, apply_all(spin, x));
    drag_on(air, in, apply_all(spin, out->lever), out);
    out->sum =
        parts_of(out, o, tdi_wadd(o, out->lever), in->area.x + in->area.y + in->area.z, in->share);
}

// ---- a cluster ------------------------------------------------------------------------------

static void flush(tdi_reduced_state *s, int32_t c, const tdi_mat3 *spin, batch *b) {
    out_lanes out;
    for (int lane = b->count; lane < TDI_LANES && b->count > 0; lane++) {
        for (int k = 0; k < IN; k++) {
            b->in.row[k][lane] = b->in.row[k][0];
        }
    }
    compute(&s->count->flow.air, spin, &b->in, &out);
    for (int lane = 0; lane < b->count; lane++) {
        const int32_t i = b->segment[lane];
        s->load[i] = (tdi_wrench){tdi_wvec3_get(&out.n, lane), tdi_wvec3_get(&out.f, lane)};
        s->damp[i] = tdi_wide_get(&out.coefficient, lane);
        add_parts(&s->sum[c], &out.sum, lane);
        if (s->side[i].seat.body != TD_NONE) {
            tdi_air_other_side(s, i, tdi_wvec3_get(&out.lever, lane),
                               tdi_wvec3_get(&out.flow, lane));
        }
    }
    b->count = 0;
}

// Each in the wind of its place.
static void add_segments(tdi_reduced_state *s, int32_t c) {
    const tdi_reduce_breeze breeze = tdi_reduce_breeze_at(s, c);
    batch b;
    b.count = 0;
    for (int32_t k = s->wind_begin[c]; k < s->wind_begin[c + 1]; k++) {
        const td_vec3 flow =
            s->count->flow.by_segment ? tdi_air_flow(s, c, s->gusts[k]) : breeze.flow;
        for (int32_t m = s->served[k]; m < s->served[k + 1]; m++) {
            tdi_air_place(s, s->member[m]);
            take(&b, s, s->member[m], &flow);
            if (b.count == TDI_LANES) {
                flush(s, c, &breeze.spin, &b);
            }
        }
    }
    if (b.count > 0) {
        flush(s, c, &breeze.spin, &b);
    }
}
