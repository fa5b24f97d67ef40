// SPDX-License-Identifier: MIT
// Cutting polygons into triangles.
//
// Method   ear clipping in the plane that fits best. A corner is an ear when it is convex and no
//          other corner lies inside its triangle; only reflex corners can. Cutting an ear changes
//          the state of its two neighbours only, which makes the whole O(n^2).

#include "skin/polygon.h"

#include "math/vec3.h"
#include "skin/organ.h"

typedef struct corner {
    td_real x, y;
    int32_t before, after; // those that are left form a ring
    bool reflex, ear;
} corner;

// ---- one corner -----------------------------------------------------------------------------

// twice the signed area of the triangle a, b, c
static td_real turn(const corner *a, const corner *b, const corner *c) {
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static td_real turn_at(const corner *ring, int32_t i) {
    return turn(&ring[ring[i].before], &ring[i], &ring[ring[i].after]);
}

static bool is_inside(const corner *p, const corner *a, const corner *b, const corner *c) {
    return turn(a, b, p) > 0 && turn(b, c, p) > 0 && turn(c, a, p) > 0;
}

// a corner without area can go at any time
static bool is_ear(const corner *ring, int32_t i) {
    td_real area = turn_at(ring, i);
    if (area <= 0) {
        return area == 0;
    }
    int32_t before = ring[i].before, after = ring[i].after;
    for (int32_t k = ring[after].after; k != before; k = ring[k].after) {
        if (ring[k].reflex && is_inside(&ring[k], &ring[before], &ring[i], &ring[after])) {
            return false;
        }
    }
    return true;
}

static void update(corner *ring, int32_t i) {
    ring[i].reflex = turn_at(ring, i) < 0;
    ring[i].ear = is_ear(ring, i);
}

// ---- the polygon ----------------------------------------------------------------------------

// Newell: the sum of p_i x p_(i+1), about the first corner for the sake of accuracy
static td_vec3 area2(const td_vec3 *points, int32_t count) {
    td_vec3 sum = tdi_vec3(0, 0, 0);
    for (int32_t i = 1; i + 1 < count; i++) {
        td_vec3 a = tdi_sub(points[i], points[0]), b = tdi_sub(points[i + 1], points[0]);
        sum = tdi_add(sum, tdi_cross(a, b));
    }
    return sum;
}

static void project(const td_vec3 *points, int32_t count, corner *ring) {
    td_vec3 normal = tdi_unit_or(area2(points, count), tdi_vec3(0, 0, 1));
    td_vec3 u = tdi_across(normal), v = tdi_cross(normal, u);
    for (int32_t i = 0; i < count; i++) {
        td_vec3 p = tdi_sub(points[i], points[0]);
        ring[i].x = tdi_dot(p, u);
        ring[i].y = tdi_dot(p, v);
        ring[i].before = i > 0 ? i - 1 : count - 1;
        ring[i].after = i + 1 < count ? i + 1 : 0;
    }
    for (int32_t i = 0; i < count; i++) {
        ring[i].reflex = turn_at(ring, i) < 0;
    }
    for (int32_t i = 0; i < count; i++) {
        ring[i].ear = is_ear(ring, i);
    }
}

// the next ear from i on; i itself when an outline that crosses itself has left none
static int32_t find_ear(const corner *ring, int32_t i) {
    for (int32_t k = i;; k = ring[k].after) {
        if (ring[k].ear) {
            return k;
        }
        if (ring[k].after == i) {
            return i;
        }
    }
}

td_status tdi_polygon_cut(const td_vec3 *points, int32_t count, const td_alloc *alloc,
                          int32_t *corners, int32_t *triangle_count) {
    corner *ring = tdi_alloc_zeroed(alloc, (size_t)count, sizeof *ring);
    if (!ring) {
        return TD_ERR_MEMORY;
    }
    project(points, count, ring);
    int32_t found = 0, at = 0;
    for (int32_t left = count; left >= 3; left--) {
        int32_t i = find_ear(ring, at);
        int32_t before = ring[i].before, after = ring[i].after;
        if (turn_at(ring, i) != 0) {
            corners[3 * found] = before;
            corners[3 * found + 1] = i;
            corners[3 * found + 2] = after;
            found++;
        }
        ring[before].after = after;
        ring[after].before = before;
        update(ring, before);
        update(ring, after);
        at = ring[after].after; // not beside the last ear: triangles are less thin
    }
    *triangle_count = found;
    tdi_alloc_free(alloc, ring, (size_t)count * sizeof *ring);
    return TD_OK;
}

// ---- into a model ---------------------------------------------------------------------------

static td_vec3 triangle_area2(const td_vec3 *points, const int32_t *at) {
    td_vec3 a = tdi_sub(points[at[1]], points[at[0]]);
    td_vec3 b = tdi_sub(points[at[2]], points[at[0]]);
    return tdi_cross(a, b);
}

// normals are the mean over the triangles at a corner, so that a bent polygon looks smooth
static void add_triangles(tdi_organ_model *model, const td_vec3 *points, int32_t count,
                          const int32_t *corners, int32_t triangle_count) {
    tdi_sheet *sheet = &model->lamina;
    int64_t first = sheet->vertex_count;
    td_vec3 plane = tdi_unit_or(area2(points, count), tdi_vec3(0, 0, 1));
    for (int32_t i = 0; i < count; i++) {
        tdi_organ_vertex vertex = {.position = points[i], .tint = TDI_TINT_ORGAN, .gain = 256};
        tdi_organ_vertex_add(model, sheet, vertex);
    }
    for (int32_t i = 0; i < triangle_count; i++) {
        uint32_t at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = (uint32_t)(first + corners[3 * i + k]);
        }
        tdi_organ_triangle_add(model, sheet, at[0], at[1], at[2]);
        for (int k = 0; k < 3 && model->status == TD_OK; k++) {
            td_vec3 *normal = &sheet->vertices[at[k]].normal;
            *normal = tdi_add(*normal, triangle_area2(points, &corners[3 * i]));
        }
    }
    for (int32_t i = 0; i < count && model->status == TD_OK; i++) {
        td_vec3 *normal = &sheet->vertices[first + i].normal;
        *normal = tdi_unit_or(*normal, plane);
    }
}

void tdi_organ_add_polygon(tdi_organ_model *model, const td_vec3 *points, int32_t count) {
    if (model->status != TD_OK || count < 3) {
        return;
    }
    size_t room = 3 * (size_t)(count - 2);
    int32_t *corners = tdi_alloc_zeroed(model->alloc, room, sizeof *corners);
    int32_t triangle_count = 0;
    model->status = TD_ERR_MEMORY;
    if (corners) {
        model->status = tdi_polygon_cut(points, count, model->alloc, corners, &triangle_count);
        add_triangles(model, points, count, corners, triangle_count);
    }
    tdi_alloc_free(model->alloc, corners, room * sizeof *corners);
}
