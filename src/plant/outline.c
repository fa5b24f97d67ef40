// SPDX-License-Identifier: MIT
// Outlines of organs.
//
// Method   Every surface is cut into triangles, as the skin draws it but without folds, lobes and
//          waves, and its triangles are filled in three pictures of 64 x 64 cells, by the middles
//          of cells. An area is off by about half a cell along its edge, 2 % of that of a disc.

#include "plant/outline.h"

#include "math/quat.h"
#include "plant/shape.h"

#include <math.h>

#define STRIPS 8  // of a blade, along it
#define SIDES  16 // of a disc
#define GRID   4  // of a patch, each way

typedef void visit_triangle(void *context, const td_vec3 corners[3]);

// The visitor of triangles, and their pose in the organ's picture.
typedef struct surface {
    visit_triangle *visit;
    void *context;
    td_real size;
    td_quat turn;
    td_vec3 origin;
} surface;

static void visit(const surface *to, td_vec3 a, td_vec3 b, td_vec3 c) {
    const td_vec3 from[3] = {a, b, c};
    td_vec3 corners[3];
    for (int k = 0; k < 3; k++) {
        corners[k] = tdi_add(to->origin, tdi_quat_rotate(to->turn, tdi_scale(from[k], to->size)));
    }
    to->visit(to->context, corners);
}

// ---- surfaces -------------------------------------------------------------------------------

// A blade of length 1 that starts at y = `start`, along its curled midrib.
static void visit_blade(const surface *to, const td_shape *shape, td_real start) {
    const td_real first = tdi_blade_part_start(shape, shape->segment),
                  last = tdi_blade_part_start(shape, shape->segment + 1);
    td_vec3 left = {0, 0, 0}, right = left;
    for (int k = 0; k <= STRIPS; k++) {
        const td_real s = first + (last - first) * k / STRIPS, w = tdi_blade_half_width(shape, s);
        td_vec3 middle;
        tdi_blade_midrib(shape->curl, s, &middle, NULL);
        middle.y += start;
        const td_vec3 l = tdi_vec3(-w, middle.y, middle.z), r = tdi_vec3(w, middle.y, middle.z);
        if (k > 0) {
            visit(to, left, right, r);
            visit(to, left, r, l);
        }
        left = l;
        right = r;
    }
}

static void visit_disc(const surface *to, td_vec3 middle, td_vec3 a, td_vec3 b) {
    for (int k = 0; k < SIDES; k++) {
        const td_real t = 2 * TDI_PI * k / SIDES, u = 2 * TDI_PI * (k + 1) / SIDES;
        visit(to, middle, tdi_madd(tdi_madd(middle, a, cos(t)), b, sin(t)),
              tdi_madd(tdi_madd(middle, a, cos(u)), b, sin(u)));
    }
}

// The three sections of an ellipsoid: its outlines along the axes.
static void visit_ball(const surface *to, td_real y, td_real width, td_real height) {
    const td_vec3 middle = {0, y, 0}, a = {width / 2, 0, 0}, b = {0, height / 2, 0},
                  c = {0, 0, width / 2};
    visit_disc(to, middle, a, b);
    visit_disc(to, middle, b, c);
    visit_disc(to, middle, c, a);
}

static void visit_flower(const surface *to, const td_shape *shape) {
    for (int32_t k = 0; k < shape->whorls; k++) {
        for (int32_t j = 0; j < shape->petals; j++) {
            const tdi_petal p = tdi_flower_petal(shape, k, j);
            const td_quat open = tdi_quat_turn(tdi_vec3(1, 0, 0), -p.opening),
                          around = tdi_quat_turn(tdi_vec3(0, 1, 0), p.azimuth);
            surface petal = *to;
            petal.size = p.length * to->size;
            petal.turn = tdi_quat_mul(to->turn, tdi_quat_mul(around, open));
            petal.origin = tdi_add(
                to->origin, tdi_quat_rotate(to->turn, tdi_vec3(0, shape->stalk * to->size, 0)));
            visit_blade(&petal, shape, 0);
        }
    }
    visit_ball(to, shape->stalk, shape->centre, shape->centre);
}

static void visit_patch(const surface *to, const td_vec3 *points, td_vec3 stretch) {
    td_vec3 at[GRID + 1][GRID + 1];
    for (int i = 0; i <= GRID; i++) {
        for (int k = 0; k <= GRID; k++) {
            td_vec3 p;
            tdi_patch_at(points, (td_real)k / GRID, (td_real)i / GRID, &p, NULL, NULL);
            at[i][k] = tdi_vec3(p.x * stretch.x, p.y * stretch.y, p.z * stretch.z);
        }
    }
    for (int i = 0; i < GRID; i++) {
        for (int k = 0; k < GRID; k++) {
            visit(to, at[i][k], at[i][k + 1], at[i + 1][k + 1]);
            visit(to, at[i][k], at[i + 1][k + 1], at[i + 1][k]);
        }
    }
}

static void visit_box(const surface *to, const td_shape *shape) {
    const td_real x = shape->width / 2, z = shape->depth / 2;
    const td_vec3 planes[3][4] = {{{-x, 0, 0}, {x, 0, 0}, {x, 1, 0}, {-x, 1, 0}},
                                  {{0, 0, -z}, {0, 0, z}, {0, 1, z}, {0, 1, -z}},
                                  {{-x, 0.5, -z}, {x, 0.5, -z}, {x, 0.5, z}, {-x, 0.5, z}}};
    for (int k = 0; k < 3; k++) {
        visit(to, planes[k][0], planes[k][1], planes[k][2]);
        visit(to, planes[k][0], planes[k][2], planes[k][3]);
    }
}

static void visit_shape(const surface *to, const tdi_drawn_organ *organ) {
    const td_shape *s = organ->shape;
    switch (s->kind) {
    case TD_SHAPE_BLADE: visit_blade(to, s, s->segment > 0 ? 0 : s->stalk); break;
    case TD_SHAPE_FLOWER: visit_flower(to, s); break;
    case TD_SHAPE_BALL: visit_ball(to, s->stalk + 0.5, s->width, 1); break;
    case TD_SHAPE_DISC:
        visit_disc(to, tdi_vec3(0, 0, 0), tdi_vec3(0.5, 0, 0), tdi_vec3(0, 0.5, 0));
        break;
    case TD_SHAPE_BOX: visit_box(to, s); break;
    case TD_SHAPE_POLYGON:
        for (int32_t i = 0; i < s->polygon_count; i++) {
            const td_polygon *p = &organ->polygons[s->polygon_first + i];
            const td_vec3 *corner = organ->points + p->point_first;
            for (int32_t k = 1; k + 1 < p->point_count; k++) {
                visit(to, corner[0], corner[k], corner[k + 1]);
            }
        }
        break;
    case TD_SHAPE_PATCHES:
        for (int32_t i = 0; i < s->polygon_count; i++) {
            const td_polygon *p = &organ->polygons[s->polygon_first + i];
            visit_patch(to, organ->points + p->point_first, s->stretch);
        }
        break;
    }
}

static void visit_organ(const tdi_drawn_organ *o, visit_triangle *visit_each, void *context) {
    const bool scaled = o->shape->kind != TD_SHAPE_POLYGON;
    const surface to = {visit_each, context, scaled ? o->size : 1, o->turn, o->origin};
    visit_shape(&to, o);
}

int32_t tdi_surface_count(const td_shape *shape) {
    switch (shape->kind) {
    case TD_SHAPE_FLOWER: return shape->petals * shape->whorls + (shape->centre > 0);
    case TD_SHAPE_POLYGON:
    case TD_SHAPE_PATCHES: return shape->polygon_count;
    default: return 1;
    }
}

// ---- pictures -------------------------------------------------------------------------------

typedef struct bounds {
    td_vec3 low, high;
} bounds;

static void widen(void *context, const td_vec3 corners[3]) {
    bounds *b = context;
    for (int k = 0; k < 3; k++) {
        const td_vec3 p = corners[k];
        b->low = tdi_vec3(fmin(b->low.x, p.x), fmin(b->low.y, p.y), fmin(b->low.z, p.z));
        b->high = tdi_vec3(fmax(b->high.x, p.x), fmax(b->high.y, p.y), fmax(b->high.z, p.z));
    }
}

tdi_outline tdi_outline_around(const tdi_drawn_organ *organs, int32_t count) {
    bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t i = 0; i < count; i++) {
        visit_organ(&organs[i], widen, &b);
    }
    const td_vec3 wide = tdi_sub(b.high, b.low);
    return (tdi_outline){.middle = tdi_scale(tdi_add(b.low, b.high), 0.5),
                         .cell = fmax(wide.x, fmax(wide.y, wide.z)) / TDI_OUTLINE_CELLS};
}

typedef struct spot { // in cells, from a corner of the picture
    td_real x, y;
} spot;

// Where the line of y goes through the triangle.
static bool cut_of(const spot p[3], td_real y, td_real *from, td_real *to) {
    *from = INFINITY;
    *to = -INFINITY;
    for (int k = 0; k < 3; k++) {
        const spot a = p[k], b = p[(k + 1) % 3];
        if ((a.y <= y) != (b.y <= y)) {
            const td_real x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
            *from = fmin(*from, x);
            *to = fmax(*to, x);
        }
    }
    return *from <= *to;
}

static uint64_t bits_below(int32_t count) {
    return count <= 0 ? 0 : count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

static void fill(uint64_t row[TDI_OUTLINE_CELLS], const spot p[3]) {
    const td_real low = fmin(p[0].y, fmin(p[1].y, p[2].y)),
                  high = fmax(p[0].y, fmax(p[1].y, p[2].y));
    const int32_t first = (int32_t)fmax(0, ceil(low - 0.5)),
                  last = (int32_t)fmin(TDI_OUTLINE_CELLS, ceil(high - 0.5));
    for (int32_t r = first; r < last; r++) {
        td_real from, to;
        if (cut_of(p, r + 0.5, &from, &to)) {
            from = fmin(fmax(ceil(from - 0.5), 0), TDI_OUTLINE_CELLS);
            to = fmin(fmax(ceil(to - 0.5), 0), TDI_OUTLINE_CELLS);
            row[r] |= bits_below((int32_t)to) & ~bits_below((int32_t)from);
        }
    }
}

static void draw(void *context, const td_vec3 corners[3]) {
    tdi_outline *o = context;
    const td_real half = 0.5 * TDI_OUTLINE_CELLS;
    spot p[3][3];
    for (int k = 0; k < 3; k++) {
        const td_vec3 at = tdi_scale(tdi_sub(corners[k], o->middle), 1 / o->cell);
        const td_real x = at.x + half, y = at.y + half, z = at.z + half;
        p[0][k] = (spot){y, z};
        p[1][k] = (spot){z, x};
        p[2][k] = (spot){x, y};
    }
    for (int along = 0; along < 3; along++) {
        fill(o->row[along], p[along]);
    }
}

void tdi_outline_add(tdi_outline *outline, const tdi_drawn_organ *organ) {
    if (outline->cell > 0 && isfinite(outline->cell)) {
        visit_organ(organ, draw, outline);
    }
}

void tdi_outline_join(tdi_outline *outline, const tdi_outline *other) {
    for (int along = 0; along < 3; along++) {
        for (int r = 0; r < TDI_OUTLINE_CELLS; r++) {
            outline->row[along][r] |= other->row[along][r];
        }
    }
}

static int32_t bits_of(uint64_t x) {
    int32_t count = 0;
    for (; x; x &= x - 1) {
        count++;
    }
    return count;
}

td_vec3 tdi_outline_areas(const tdi_outline *outline) {
    int32_t count[3] = {0, 0, 0};
    for (int along = 0; along < 3; along++) {
        for (int r = 0; r < TDI_OUTLINE_CELLS; r++) {
            count[along] += bits_of(outline->row[along][r]);
        }
    }
    return tdi_scale(tdi_vec3(count[0], count[1], count[2]), outline->cell * outline->cell);
}
