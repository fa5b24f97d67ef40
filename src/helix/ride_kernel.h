// SPDX-License-Identifier: MIT
#pragma once

// Frames of stations, and how elements ride on their parents, in lanes.

#include "helix/jet_kernel.h"

#include <stddef.h>

static void find_frames(const tdi_helix_curves *on, const tdi_helix_station *station, int32_t first,
                        int32_t last, tdi_helix_place *to) {
    for (int32_t k = first; k < last; k += TDI_LANES, to += TDI_LANES) {
        const int32_t count = last - k < TDI_LANES ? last - k : TDI_LANES;
        wrecord in, u, start;
        wcurve w;
        for (int lane = 0; lane < TDI_LANES; lane++) {
            const tdi_helix_station *s = &station[k + (lane < count ? lane : count - 1)];
            in.of[lane] = &s->s;
            u.of[lane] = &on->u[s->element].x;
            start.of[lane] = (const td_real *)(const void *)&on->start[s->element];
        }
        find_curve(&u, entry(&in, 0), on->range, &w);
        const tdi_wmat3 own = frame_on(&w), axes = entries9(&start, 3),
                        r = tdi_wmat3_mul(&axes, &own);
        const tdi_wvec3 o = tdi_wadd(entries3(&start, 0), tdi_wmat3_apply(&axes, place_on(&w)));
        for (int lane = 0; lane < count; lane++) {
            to[lane].o = tdi_wvec3_get(&o, lane);
            for (int j = 0; j < 9; j++) {
                to[lane].r.m[j] = tdi_wide_get(&r.m[j], lane);
            }
        }
    }
}

// Rows of what follows from the parent's curvatures, in the order of tdi_helix_seat.
typedef union wseat {
    tdi_wide row[sizeof(tdi_helix_seat) / sizeof(td_real)];
    struct {
        tdi_wvec3 x, turn[3], shift[3];
        tdi_wmat3 q;
        tdi_wvec3 p;
        tdi_wide s;
        tdi_wvec3 v;
        tdi_wide c3, d[3], dd[3];
    };
} wseat;
_Static_assert(sizeof(wseat) == TDI_LANES * sizeof(tdi_helix_seat), "rows of a seat");

// Reals of a tdi_helix_element.
enum {
    ELEMENT_AT = offsetof(tdi_helix_element, at) / sizeof(td_real),
    ELEMENT_PLACE = offsetof(tdi_helix_element, place) / sizeof(td_real),
    ELEMENT_TURN = offsetof(tdi_helix_element, turn) / sizeof(td_real)
};

static inline void find_seat(const tdi_helix_curves *on, const wrecord *element, const wrecord *u,
                             wseat *seat) {
    wcurve w;
    wjet j;
    find_curve(u, entry(element, ELEMENT_AT), on->range, &w);
    find_jet(&w, &j);
    const tdi_wmat3 r = frame_on(&w), turn = entries9(element, ELEMENT_TURN);
    seat->p = tdi_wmat3_apply(&r, entries3(element, ELEMENT_PLACE));
    seat->x = tdi_wadd(j.x, seat->p);
    seat->q = tdi_wmat3_mul(&r, &turn);
    seat->s = j.s;
    seat->v = j.v;
    seat->c3 = j.c3;
    for (int k = 0; k < 3; k++) {
        seat->turn[k] = j.turn[k];
        seat->shift[k] = tdi_wadd(j.dx[k], tdi_wcross(j.turn[k], seat->p));
        seat->d[k] = j.d[k + 1];
        seat->dd[k] = j.dd[k + 1];
    }
}

// Lanes are elements with parents, of which those without are left out.
static void find_rides(const tdi_helix_curves *on, const tdi_helix_element *element, int32_t first,
                       int32_t last, tdi_helix_node *node) {
    for (int32_t i = first; i < last;) {
        int32_t at[TDI_LANES], count = 0;
        for (; i < last && count < TDI_LANES; i++) {
            at[count] = i;
            count += element[i].parent != TD_NONE;
        }
        wrecord in, u;
        wseat seat;
        for (int lane = 0; count > 0 && lane < TDI_LANES; lane++) {
            const tdi_helix_element *e = &element[at[lane < count ? lane : count - 1]];
            in.of[lane] = (const td_real *)(const void *)e;
            u.of[lane] = &on->u[e->parent].x;
        }
        if (count > 0) {
            find_seat(on, &in, &u, &seat);
        }
        for (int lane = 0; lane < count; lane++) {
            td_real *to = (td_real *)(void *)&node[at[lane]].seat;
            for (size_t j = 0; j < sizeof(tdi_helix_seat) / sizeof(td_real); j++) {
                to[j] = tdi_wide_get(&seat.row[j], lane);
            }
        }
    }
}
