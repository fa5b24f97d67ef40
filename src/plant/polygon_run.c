// SPDX-License-Identifier: MIT
// Which polygons of a run hang together.
//
// Method   edges are sorted by their middle's place along one slanting line. Equal edges come to
//          lie close together there, so each edge is compared with the few behind it. Polygons
//          with an equal edge are joined in a forest of least indices.

#include "plant/polygon_run.h"

#include "math/vec3.h"
#include "plant/sort.h"

// Edges behind an edge that it is compared with. Only edges with the same place on the line come
// between equal ones, and more than a few of those never do on real leaves.
#define WINDOW 16
// distance at which corners coincide, over the size of the polygon
#define CORNER_TOLERANCE 1e-6
// corners of an organ's first polygon that may be the hub of a fan
#define MAX_HUBS 64

void tdi_run_free(tdi_polygon_run *run) {
    tdi_alloc_free(run->alloc, run->polygons,
                   (size_t)run->polygon_capacity * sizeof *run->polygons);
    tdi_alloc_free(run->alloc, run->points, (size_t)run->point_capacity * sizeof *run->points);
    tdi_alloc_free(run->alloc, run->keys, (size_t)run->key_capacity * sizeof *run->keys);
    *run = (tdi_polygon_run){.alloc = run->alloc};
}

void tdi_run_clear(tdi_polygon_run *run) {
    run->polygon_count = 0;
    run->point_count = 0;
}

bool tdi_run_has_room(const tdi_polygon_run *run, int32_t count) {
    return run->polygon_count == 0 ||
           (run->polygon_count < TDI_RUN_POLYGONS && count <= TDI_RUN_POINTS - run->point_count);
}

td_status tdi_run_add(tdi_polygon_run *run, const tdi_run_polygon *polygon, const td_vec3 *points,
                      int32_t count) {
    tdi_run_polygon *polygons =
        tdi_array_reserve(run->alloc, run->polygons, &run->polygon_capacity,
                          (int64_t)run->polygon_count + 1, sizeof *polygons);
    if (!polygons) {
        return TD_ERR_MEMORY;
    }
    run->polygons = polygons;
    td_vec3 *all = tdi_array_reserve(run->alloc, run->points, &run->point_capacity,
                                     (int64_t)run->point_count + count, sizeof *all);
    if (!all) {
        return TD_ERR_MEMORY;
    }
    run->points = all;
    tdi_run_polygon own = *polygon;
    own.first = run->point_count;
    own.count = count;
    own.size = 0;
    own.organ = run->polygon_count;
    own.next = TD_NONE;
    for (int32_t i = 0; i < count; i++) {
        td_real distance = tdi_norm(tdi_sub(points[i], points[0]));
        own.size = distance > own.size ? distance : own.size;
        run->points[run->point_count++] = points[i];
    }
    run->polygons[run->polygon_count++] = own;
    return TD_OK;
}

// ---- edges ----------------------------------------------------------------------------------

// Edge e starts at corner e; it ends at the next corner of its polygon.
typedef struct edge {
    int32_t polygon;
    td_vec3 a, b;
} edge;

static int32_t polygon_of_corner(const tdi_polygon_run *run, int32_t corner) {
    int32_t low = 0, high = run->polygon_count - 1;
    while (low < high) { // last polygon that starts at or before the corner
        int32_t middle = low + (high - low + 1) / 2;
        if (run->polygons[middle].first <= corner) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static edge edge_at(const tdi_polygon_run *run, int32_t corner) {
    int32_t polygon = polygon_of_corner(run, corner);
    const tdi_run_polygon *p = &run->polygons[polygon];
    int32_t next = corner + 1 < p->first + p->count ? corner + 1 : p->first;
    edge e = {polygon, run->points[corner], run->points[next]};
    return e;
}

static bool same_edge(const tdi_polygon_run *run, const edge *e, const edge *f) {
    const tdi_run_polygon *p = &run->polygons[e->polygon], *q = &run->polygons[f->polygon];
    td_real near = CORNER_TOLERANCE * (p->size > q->size ? p->size : q->size);
    if (e->polygon == f->polygon || p->material != q->material ||
        !(tdi_norm(tdi_sub(e->a, e->b)) > near)) {
        return false;
    }
    return (tdi_norm(tdi_sub(e->a, f->a)) <= near && tdi_norm(tdi_sub(e->b, f->b)) <= near) ||
           (tdi_norm(tdi_sub(e->a, f->b)) <= near && tdi_norm(tdi_sub(e->b, f->a)) <= near);
}

// place of an edge's middle along a line that no drawing is likely to be square to
static td_real along(const edge *e) {
    return tdi_dot(tdi_add(e->a, e->b), tdi_vec3(0.4794, 0.7203, 0.5016));
}

static void sort_edges(tdi_polygon_run *run) {
    td_real low = 0, high = 0;
    for (int32_t i = 0; i < run->point_count; i++) {
        edge e = edge_at(run, i);
        td_real t = along(&e);
        low = i == 0 || t < low ? t : low;
        high = i == 0 || t > high ? t : high;
    }
    td_real scale = high > low ? 4294967295.0 / (high - low) : 0;
    for (int32_t i = 0; i < run->point_count; i++) {
        edge e = edge_at(run, i);
        td_real place = (along(&e) - low) * scale;
        place = place < 4294967295.0 ? place : 4294967295.0;
        run->keys[i] = (uint64_t)place << 32 | (uint32_t)i;
    }
    tdi_sort_keys(run->keys, run->point_count);
}

// ---- groups ---------------------------------------------------------------------------------

// least polygon of the tree, halving the path on the way
static int32_t least_of(tdi_polygon_run *run, int32_t polygon) {
    tdi_run_polygon *p = run->polygons;
    while (p[polygon].organ != polygon) {
        p[polygon].organ = p[p[polygon].organ].organ;
        polygon = p[polygon].organ;
    }
    return polygon;
}

static void join(tdi_polygon_run *run, int32_t a, int32_t b) {
    a = least_of(run, a);
    b = least_of(run, b);
    if (a < b) {
        run->polygons[b].organ = a;
    } else {
        run->polygons[a].organ = b;
    }
}

static void join_neighbours(tdi_polygon_run *run) {
    for (int32_t i = 0; i < run->point_count; i++) {
        edge e = edge_at(run, (int32_t)(run->keys[i] & 0xffffffff));
        for (int32_t k = i + 1; k <= i + WINDOW && k < run->point_count; k++) {
            edge f = edge_at(run, (int32_t)(run->keys[k] & 0xffffffff));
            if (same_edge(run, &e, &f)) {
                join(run, e.polygon, f.polygon);
            }
        }
    }
}

// chains the polygons of each organ in order; from the last on, so that `next` of the least polygon
// always names the head of the chain behind it
static void chain(tdi_polygon_run *run) {
    for (int32_t i = run->polygon_count - 1; i >= 0; i--) {
        int32_t least = least_of(run, i);
        run->polygons[i].organ = least;
        if (least != i) {
            run->polygons[i].next = run->polygons[least].next;
            run->polygons[least].next = i;
        }
    }
}

td_status tdi_run_group(tdi_polygon_run *run) {
    if (run->polygon_count < 2) {
        return TD_OK;
    }
    uint64_t *keys = tdi_array_reserve(run->alloc, run->keys, &run->key_capacity, run->point_count,
                                       sizeof *keys);
    if (!keys) {
        return TD_ERR_MEMORY;
    }
    run->keys = keys;
    sort_edges(run);
    join_neighbours(run);
    chain(run);
    return TD_OK;
}

// ---- joints ---------------------------------------------------------------------------------

static bool has_corner(const tdi_polygon_run *run, const tdi_run_polygon *p, td_vec3 corner) {
    for (int32_t i = 0; i < p->count; i++) {
        td_vec3 gap = tdi_sub(run->points[p->first + i], corner);
        if (tdi_norm(gap) <= CORNER_TOLERANCE * p->size) {
            return true;
        }
    }
    return false;
}

td_vec3 tdi_run_joint(const tdi_polygon_run *run, int32_t head) {
    const tdi_run_polygon *h = &run->polygons[head];
    td_vec3 joint = h->origin;
    td_real nearest = INFINITY;
    if (h->next == TD_NONE) {
        return joint;
    }
    for (int32_t i = 0; i < h->count && i < MAX_HUBS; i++) {
        td_vec3 corner = run->points[h->first + i];
        bool shared = true;
        for (int32_t k = h->next; k != TD_NONE && shared; k = run->polygons[k].next) {
            shared = has_corner(run, &run->polygons[k], corner);
        }
        td_real distance = tdi_norm(tdi_sub(corner, h->origin));
        if (shared && distance < nearest) {
            nearest = distance;
            joint = corner;
        }
    }
    return joint;
}
