// SPDX-License-Identifier: MIT
// Points at equal distances along a strand.

#include "world/strand.h"

#include "math/angle.h"
#include "math/vec3.h"

#include <math.h>

#define CURVE_PIECES 64 // between two points of a strand, to measure its length

tdi_strand_curve tdi_strand_drawn(const td_strand_def *s) {
    return (tdi_strand_curve){s->points, s->point_count, &s->helix, s->closed};
}

tdi_strand_curve tdi_strand_rest(const td_strand_def *s) {
    return (tdi_strand_curve){s->rest, s->rest_count, &s->rest_helix, s->closed};
}

bool tdi_strand_has_curve(const tdi_strand_curve *c) {
    return c->point_count > 0 || c->helix->radius > 0;
}

// ---- through points -------------------------------------------------------------------------

static td_vec3 point(const tdi_strand_curve *c, int32_t k) {
    return c->points[(k + c->point_count) % c->point_count];
}

// The smooth curve through the points: each piece a cubic, with the slopes of Catmull and Rom.
static td_vec3 curve_at(const tdi_strand_curve *c, td_real at) {
    int32_t last = c->closed ? c->point_count - 1 : c->point_count - 2, k = (int32_t)at;
    k = k > last ? last : k;
    td_real t = at - k;
    td_vec3 x0 = point(c, k), x1 = point(c, k + 1);
    td_vec3 before = k > 0 || c->closed ? point(c, k - 1) : tdi_sub(tdi_scale(x0, 2), x1);
    td_vec3 after = k < last || c->closed ? point(c, k + 2) : tdi_sub(tdi_scale(x1, 2), x0);
    td_vec3 from = tdi_scale(tdi_sub(x1, before), 0.5), to = tdi_scale(tdi_sub(after, x0), 0.5);
    td_real t2 = t * t, t3 = t2 * t;
    td_vec3 x = tdi_scale(x0, 2 * t3 - 3 * t2 + 1);
    x = tdi_madd(x, x1, 3 * t2 - 2 * t3);
    x = tdi_madd(x, from, t3 - 2 * t2 + t);
    return tdi_madd(x, to, t3 - t2);
}

static td_real space_evenly(const tdi_strand_curve *c, int32_t segments, td_vec3 *places) {
    int32_t pieces = (c->closed ? c->point_count : c->point_count - 1) * CURVE_PIECES, next = 1;
    td_real length = 0, before = 0;
    td_vec3 last = curve_at(c, 0);
    for (int32_t k = 1; k <= pieces; k++) {
        td_vec3 x = curve_at(c, (td_real)k / CURVE_PIECES);
        length += tdi_norm(tdi_sub(x, last));
        last = x;
    }
    places[0] = last = curve_at(c, 0);
    for (int32_t k = 1; k <= pieces; k++) {
        td_vec3 x = curve_at(c, (td_real)k / CURVE_PIECES);
        td_real piece = tdi_norm(tdi_sub(x, last));
        while (next < segments && before + piece >= length * next / segments) {
            td_real part = (length * next / segments - before) / piece;
            places[next++] = tdi_madd(last, tdi_sub(x, last), part);
        }
        before += piece;
        last = x;
    }
    for (; next <= segments; next++) {
        places[next] = last;
    }
    return length;
}

// ---- helix ----------------------------------------------------------------------------------

// (r cos a, p a/2pi, -r sin a): right-handed about +Y
static td_real wind(const td_helix_def *h, int32_t segments, td_vec3 *places) {
    td_real around = TDI_PI * 2 * h->radius * h->turns, rise = h->pitch * h->turns;
    for (int32_t k = 0; k <= segments; k++) {
        td_real turns = h->turns * k / segments;
        places[k] = tdi_vec3(h->radius * tdi_cos_degrees(360 * turns), h->pitch * turns,
                             -h->radius * tdi_sin_degrees(360 * turns));
    }
    return sqrt(around * around + rise * rise);
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_strand_places(const tdi_strand_curve *c, int32_t segments, td_vec3 *places) {
    return c->point_count > 0 ? space_evenly(c, segments, places)
                              : wind(c->helix, segments, places);
}
