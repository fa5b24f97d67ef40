// SPDX-License-Identifier: MIT
// The skin of stems with a cross-section of their own.
//
// Method   A ring stands at every joint, in the axes of the segment that starts there, so that the
//          skin turns and twists as the segments do. Normals are across the differences to the
//          neighbours around and along.
// Side     A closed contour has an outside. An open one is a lamina, seen from both sides.

#include "skin/contour.h"

#include "math/quat.h"

typedef struct ring {
    td_vec3 centre, x, z, along;
    td_real radius, v;
    tdi_rgb color;
    tdi_bind bind;
} ring;

typedef struct sheath {
    tdi_skin *skin;
    const td_contour *contour;
    tdi_part_kind part;
    int32_t points; // of a ring; a closed one has its first again at the end
    int32_t step;   // points of the contour for one of the ring
    td_real sign;   // of a closed contour: which way round it goes
    uint32_t first; // vertex
} sheath;

// ---- places ---------------------------------------------------------------------------------

// the ring at the start of segment i, or at the tip of the last when `tip`
static ring ring_at(const tdi_posed *posed, int32_t i, int32_t before, bool tip) {
    const td_segment *s = &posed->segments[i];
    td_quat q = posed->rotations[i];
    ring r = {.centre = tip ? tdi_posed_tip(posed, i) : posed->origins[i],
              .x = tdi_quat_rotate(q, tdi_vec3(1, 0, 0)),
              .z = tdi_quat_rotate(q, tdi_vec3(0, 0, 1)),
              .along = tdi_quat_rotate(q, tdi_vec3(0, 1, 0)),
              .radius = tip ? s->radius_tip : s->radius_base,
              .color = tdi_rgb_linear(s->color),
              .bind = before == TD_NONE || tip ? tdi_bind_to(i) : tdi_bind_between(before, i, 0.5)};
    return r;
}

static td_vec3 place(const sheath *s, const ring *r, int32_t k) {
    int32_t i = k * s->step % TD_CONTOUR_POINTS;
    if (!s->contour->closed && k == s->points - 1) {
        i = TD_CONTOUR_POINTS - 1;
    }
    td_vec3 out = tdi_madd(tdi_scale(r->x, s->contour->x[i]), r->z, s->contour->z[i]);
    return tdi_madd(r->centre, out, r->radius);
}

static int32_t neighbour(const sheath *s, int32_t k, int32_t by) {
    int32_t around = s->points - 1;
    if (s->contour->closed) {
        return (k + by + around) % around;
    }
    return k + by < 0 ? 0 : k + by > around ? around : k + by;
}

// ---- triangles ------------------------------------------------------------------------------

// one ring of vertices; `low` and `high` are the rings beside it, or itself at an end
static void add_ring(sheath *s, const ring *low, const ring *r, const ring *high) {
    for (int32_t k = 0; k < s->points; k++) {
        int32_t left = neighbour(s, k, -1), right = neighbour(s, k, 1);
        const ring *wide = r->radius > 0 ? r : low->radius > 0 ? low : high;
        td_vec3 around = tdi_sub(place(s, wide, right), place(s, wide, left));
        td_vec3 along = tdi_sub(place(s, high, k), place(s, low, k));
        td_vec3 normal = tdi_scale(tdi_cross(along, around), s->sign);
        tdi_vertex vertex = {.position = place(s, r, k),
                             .normal = tdi_unit_or(normal, r->z),
                             .tangent = around,
                             .u = (td_real)k / (s->points - 1),
                             .v = r->v,
                             .color = r->color,
                             .bind = r->bind};
        uint32_t at = tdi_skin_vertex(s->skin, s->part, &vertex);
        s->first = k == 0 ? at : s->first;
    }
}

static void add_triangle(const sheath *s, uint32_t a, uint32_t b, uint32_t c) {
    tdi_skin_triangle(s->skin, s->part, a, s->sign > 0 ? b : c, s->sign > 0 ? c : b);
}

static void join_rings(const sheath *s, uint32_t low, uint32_t high) {
    for (uint32_t k = 0; k + 1 < (uint32_t)s->points; k++) {
        add_triangle(s, low + k, high + k, high + k + 1);
        add_triangle(s, low + k, high + k + 1, low + k + 1);
    }
}

// a closed stem ends in a flat fan around its centre
static void add_end(sheath *s, const ring *r, bool tip) {
    td_vec3 normal = tdi_scale(r->along, tip ? 1 : -1);
    tdi_vertex vertex = {.position = r->centre,
                         .normal = normal,
                         .tangent = r->x,
                         .u = 0.5,
                         .v = r->v,
                         .color = r->color,
                         .bind = r->bind};
    uint32_t centre = tdi_skin_vertex(s->skin, s->part, &vertex), last = 0;
    for (int32_t k = 0; k < s->points; k++) {
        vertex.position = place(s, r, k);
        vertex.u = (td_real)k / (s->points - 1);
        uint32_t at = tdi_skin_vertex(s->skin, s->part, &vertex);
        if (k > 0) {
            add_triangle(s, centre, tip ? at : last, tip ? last : at);
        }
        last = at;
    }
}

// ---- a stem ---------------------------------------------------------------------------------

// twice the area inside; above 0 where the points go from X towards Z
static td_real signed_area(const td_contour *c) {
    td_real sum = 0;
    for (int32_t i = 0; i < TD_CONTOUR_POINTS; i++) {
        int32_t n = (i + 1) % TD_CONTOUR_POINTS;
        sum += c->x[i] * c->z[n] - c->x[n] * c->z[i];
    }
    return sum;
}

// fewer points where their distance would be below the tolerance
static int32_t step_for(td_real radius, td_real tolerance) {
    td_real gap = 2 * TDI_PI * radius / TD_CONTOUR_POINTS;
    return gap >= tolerance ? 1 : 2 * gap >= tolerance ? 2 : 4;
}

static td_status reserve(const sheath *s, int64_t rings, int32_t ends) {
    int64_t vertices = rings * s->points + ends * (s->points + 1);
    int64_t triangles = (rings - 1) * 2 * (s->points - 1) + ends * (s->points - 1);
    return tdi_skin_reserve(s->skin, s->part, vertices, 3 * triangles);
}

static void add_rings(sheath *s, const tdi_posed *posed, const tdi_axes *axes, int32_t start) {
    ring low, here = ring_at(posed, start, TD_NONE, false);
    bool ends = s->contour->closed;
    uint32_t before = 0;
    td_real turn = 2 * TDI_PI * fmax(here.radius, posed->segments[start].radius_tip);
    low = here;
    if (ends && here.radius > 0) {
        add_end(s, &here, false);
    }
    for (int32_t i = start; i != TD_NONE; i = axes->next[i]) {
        int32_t next = axes->next[i];
        ring high =
            next == TD_NONE ? ring_at(posed, i, TD_NONE, true) : ring_at(posed, next, i, false);
        td_real run = tdi_norm(tdi_sub(high.centre, here.centre));
        turn = fmax(turn, 2 * TDI_PI * high.radius);
        high.v = here.v - (turn > 0 ? run / turn : 0);
        add_ring(s, &low, &here, &high);
        if (i != start) {
            join_rings(s, before, s->first);
        }
        before = s->first;
        low = here;
        here = high;
    }
    add_ring(s, &low, &here, &here);
    join_rings(s, before, s->first);
    if (ends && here.radius > 0) {
        add_end(s, &here, true);
    }
}

td_status tdi_contour_add(tdi_skin *skin, const tdi_posed *posed, const tdi_axes *axes,
                          int32_t start) {
    const td_contour *contour = &posed->contours[posed->segments[start].contour - 1];
    int64_t rings = 1;
    td_real radius = 0;
    for (int32_t i = start; i != TD_NONE; i = axes->next[i]) {
        radius = fmax(radius, fmax(posed->segments[i].radius_base, posed->segments[i].radius_tip));
        rings++;
    }
    sheath s = {.skin = skin,
                .contour = contour,
                .part = contour->closed ? TDI_PART_STEM : TDI_PART_LEAF,
                .step = step_for(radius, skin->tolerance),
                .sign = contour->closed && signed_area(contour) < 0 ? -1 : 1};
    s.points = TD_CONTOUR_POINTS / s.step + (contour->closed ? 1 : 0);
    td_status status = reserve(&s, rings, contour->closed ? 2 : 0);
    if (status == TD_OK) {
        add_rings(&s, posed, axes, start);
    }
    return status;
}
