// SPDX-License-Identifier: MIT
// Mass, first and second moment of segments about their joints.
//
// Method   closed forms for cones, ellipsoids, discs and triangles; a blade's outline is integrated
//          once for its shape (shape.c) and scaled. Laminae are flat: fold and curl are left out.
// Frame    the segment's axes: joint at the origin, +Y along it.

#include "plant/mass.h"

#include "cpfg/patches.h"
#include "math/vec3.h"
#include "plant/outline.h"
#include "plant/shape.h"

// ---- sums -----------------------------------------------------------------------------------

void tdi_moments_add(tdi_moments *sum, const tdi_moments *part, td_real weight) {
    sum->zeroth += weight * part->zeroth;
    sum->first = tdi_madd(sum->first, part->first, weight);
    sum->second.xx += weight * part->second.xx;
    sum->second.yy += weight * part->second.yy;
    sum->second.zz += weight * part->second.zz;
    sum->second.xy += weight * part->second.xy;
    sum->second.xz += weight * part->second.xz;
    sum->second.yz += weight * part->second.yz;
}

// moved by y along +Y:  S' = S + y (f e^T + e f^T) + m y^2 e e^T,  f' = f + m y e
static tdi_moments shift_up(tdi_moments m, td_real y) {
    m.second.yy += 2 * y * m.first.y + m.zeroth * y * y;
    m.second.xy += y * m.first.x;
    m.second.yz += y * m.first.z;
    m.first.y += m.zeroth * y;
    return m;
}

// a body of `dimension` (2 or 3), grown by `size`: zeroth ~ size^dimension
static tdi_moments scaled(const tdi_moments *m, int dimension, td_real size) {
    td_real zeroth = dimension == 3 ? size * size * size : size * size;
    td_real second = zeroth * size * size;
    tdi_moments out = {zeroth * m->zeroth, tdi_scale(m->first, zeroth * size), {0, 0, 0, 0, 0, 0}};
    out.second.xx = second * m->second.xx;
    out.second.yy = second * m->second.yy;
    out.second.zz = second * m->second.zz;
    out.second.xy = second * m->second.xy;
    out.second.xz = second * m->second.xz;
    out.second.yz = second * m->second.yz;
    return out;
}

// ---- stems ----------------------------------------------------------------------------------

// With r = a + (b - a) y/l, integrating pi r^2 {1, y, y^2} and pi r^4/4 over y in [0, l]:
//   V   = pi l/3    (a^2 + ab + b^2)
//   V_y = pi l^2/12 (a^2 + 2ab + 3b^2)
//   Syy = pi l^3/30 (a^2 + 3ab + 6b^2)
//   Sxx = Szz = pi l/20 (a^4 + a^3 b + a^2 b^2 + a b^3 + b^4)
tdi_moments tdi_moments_cone(td_real length, td_real radius_base, td_real radius_tip) {
    td_real l = length, a = radius_base, b = radius_tip;
    td_real across = TDI_PI * l / 20 * (a * a * (a * a + a * b) + b * b * (a * a + a * b + b * b));
    tdi_moments m = {.zeroth = TDI_PI * l / 3 * (a * a + a * b + b * b)};
    m.first.y = TDI_PI * l * l / 12 * (a * a + 2 * a * b + 3 * b * b);
    m.second.yy = TDI_PI * l * l * l / 30 * (a * a + 3 * a * b + 6 * b * b);
    m.second.xx = across;
    m.second.zz = across;
    return m;
}

// ---- organs ---------------------------------------------------------------------------------

// in the XY plane, lamina from y = stalk on
static tdi_moments blade_moments(const td_shape *shape) {
    tdi_blade_moments b = tdi_blade_integrate(shape);
    tdi_moments m = {.zeroth = b.area, .first = {0, b.along, 0}};
    m.second.xx = b.across;
    m.second.yy = b.along2;
    td_real start = tdi_blade_part_start(shape, shape->segment);
    return shift_up(m, shape->segment > 0 ? -start : shape->stalk);
}

// A petal has S = M2 d d^T + W t t^T, d its direction (opening o from +Y) and t across it. Over a
// ring, d d^T averages to diag(sin^2 o/2, cos^2 o, sin^2 o/2) and t t^T to diag(1/2, 0, 1/2), which
// is exact from three petals on.
static tdi_moments petals_moments(const td_shape *shape) {
    tdi_blade_moments b = tdi_blade_integrate(shape);
    tdi_moments sum = {.zeroth = 0};
    for (int32_t k = 0; k < shape->whorls; k++) {
        tdi_petal petal = tdi_flower_petal(shape, k, 0);
        td_real c = cos(petal.opening), s = sin(petal.opening), p = petal.length;
        tdi_moments ring = {.zeroth = b.area * p * p, .first = {0, b.along * p * p * p * c, 0}};
        ring.second.xx = p * p * p * p * (b.along2 * s * s + b.across) / 2;
        ring.second.yy = p * p * p * p * b.along2 * c * c;
        ring.second.zz = ring.second.xx;
        tdi_moments_add(&sum, &ring, shape->petals);
    }
    return shift_up(sum, shape->stalk);
}

// ellipsoid of diameter `width` and height `height` with its centre at y: central S = V/5 a_k^2
static tdi_moments ball_moments(td_real width, td_real height, td_real y) {
    td_real a = width / 2, b = height / 2;
    tdi_moments m = {.zeroth = 4 * TDI_PI / 3 * a * a * b};
    m.second.xx = m.zeroth / 5 * a * a;
    m.second.yy = m.zeroth / 5 * b * b;
    m.second.zz = m.second.xx;
    return shift_up(m, y);
}

// w x 1 x d, standing on the joint: S_k = V/12 side_k^2 about the centre
static tdi_moments box_moments(td_real width, td_real depth) {
    tdi_moments m = {.zeroth = width * depth};
    m.second.xx = m.zeroth / 12 * width * width;
    m.second.yy = m.zeroth / 12;
    m.second.zz = m.zeroth / 12 * depth * depth;
    return shift_up(m, 0.5);
}

// radius 1/2: A = pi/4, Sxx = Syy = A r^2/4
static tdi_moments disc_moments(void) {
    tdi_moments m = {.zeroth = TDI_PI / 4};
    m.second.xx = m.zeroth / 16;
    m.second.yy = m.zeroth / 16;
    return m;
}

// ---- polygons -------------------------------------------------------------------------------

// The triangle p q r of area A:  first = A (p + q + r)/3,
// S = A/12 (p p^T + q q^T + r r^T + s s^T), s = p + q + r
static tdi_moments triangle_moments(td_vec3 p, td_vec3 q, td_vec3 r, td_real area) {
    td_vec3 s = tdi_add(tdi_add(p, q), r);
    const td_vec3 v[4] = {p, q, r, s};
    tdi_moments m = {.zeroth = area, .first = tdi_scale(s, area / 3)};
    for (int i = 0; i < 4; i++) {
        m.second.xx += area / 12 * v[i].x * v[i].x;
        m.second.yy += area / 12 * v[i].y * v[i].y;
        m.second.zz += area / 12 * v[i].z * v[i].z;
        m.second.xy += area / 12 * v[i].x * v[i].y;
        m.second.xz += area / 12 * v[i].x * v[i].z;
        m.second.yz += area / 12 * v[i].y * v[i].z;
    }
    return m;
}

// A fan of triangles from the first corner. A triangle that faces against the polygon's normal
// counts negative, which is exact for any flat polygon that does not cross itself; `all_positive`
// counts every triangle.
static tdi_moments fan_moments(const td_vec3 *points, int32_t count, bool all_positive) {
    td_vec3 normal = tdi_vec3(0, 0, 0);
    for (int32_t i = 1; i + 1 < count; i++) {
        normal = tdi_add(
            normal, tdi_cross(tdi_sub(points[i], points[0]), tdi_sub(points[i + 1], points[0])));
    }
    tdi_moments sum = {.zeroth = 0};
    for (int32_t i = 1; i + 1 < count; i++) {
        td_vec3 face = tdi_cross(tdi_sub(points[i], points[0]), tdi_sub(points[i + 1], points[0]));
        td_real sign = all_positive || tdi_dot(face, normal) >= 0 ? 1 : -1;
        tdi_moments part =
            triangle_moments(points[0], points[i], points[i + 1], tdi_norm(face) / 2);
        tdi_moments_add(&sum, &part, sign);
    }
    return sum;
}

// A polygon that crosses itself can come out of the signed sum as no body at all; then every
// triangle counts.
tdi_moments tdi_moments_polygon(const td_vec3 *points, int32_t count) {
    tdi_moments all = fan_moments(points, count, true);
    tdi_moments even = fan_moments(points, count, false);
    bool usable = even.zeroth > 1e-3 * all.zeroth && tdi_moments_physical(&even, 1e-12);
    return usable ? even : all;
}

// A patch as flat triangles between places on it: first order in their number, and the error of the
// area of a leaf is below 1 % with 8 x 8.
#define PATCH_CELLS 8

static tdi_moments patch_moments(const td_vec3 *points, td_vec3 stretch) {
    td_vec3 grid[PATCH_CELLS + 1][PATCH_CELLS + 1];
    tdi_moments sum = {.zeroth = 0};
    for (int32_t i = 0; i <= PATCH_CELLS; i++) {
        for (int32_t k = 0; k <= PATCH_CELLS; k++) {
            tdi_patch_at(points, (td_real)k / PATCH_CELLS, (td_real)i / PATCH_CELLS, &grid[i][k],
                         NULL, NULL);
            grid[i][k] = tdi_vec3(grid[i][k].x * stretch.x, grid[i][k].y * stretch.y,
                                  grid[i][k].z * stretch.z);
        }
    }
    for (int32_t i = 0; i < PATCH_CELLS; i++) {
        for (int32_t k = 0; k < PATCH_CELLS; k++) {
            const td_vec3 corners[2][3] = {{grid[i][k], grid[i][k + 1], grid[i + 1][k + 1]},
                                           {grid[i][k], grid[i + 1][k + 1], grid[i + 1][k]}};
            for (int half = 0; half < 2; half++) {
                const td_vec3 *c = corners[half];
                td_vec3 face = tdi_cross(tdi_sub(c[1], c[0]), tdi_sub(c[2], c[0]));
                tdi_moments part = triangle_moments(c[0], c[1], c[2], tdi_norm(face) / 2);
                tdi_moments_add(&sum, &part, 1);
            }
        }
    }
    return sum;
}

tdi_moments tdi_moments_patches(const td_vec3 *points, int32_t count, td_vec3 stretch) {
    tdi_moments sum = {.zeroth = 0};
    for (int32_t i = 0; i < count; i++) {
        tdi_moments part = patch_moments(points + TDI_PATCH_POINTS * i, stretch);
        tdi_moments_add(&sum, &part, 1);
    }
    return sum;
}

// ---- whole organs ---------------------------------------------------------------------------

tdi_shape_moments tdi_shape_integrate(const td_shape *shape, const td_polygon *polygons,
                                      const td_vec3 *points) {
    tdi_shape_moments out = {.area = tdi_shape_area(shape)};
    switch (shape->kind) {
    case TD_SHAPE_BLADE: out.lamina = blade_moments(shape); break;
    case TD_SHAPE_FLOWER:
        out.lamina = petals_moments(shape);
        out.solid = ball_moments(shape->centre, shape->centre, shape->stalk);
        break;
    case TD_SHAPE_BALL: out.solid = ball_moments(shape->width, 1, shape->stalk + 0.5); break;
    case TD_SHAPE_DISC: out.lamina = disc_moments(); break;
    case TD_SHAPE_POLYGON:
        out.polygons = true;
        for (int32_t i = 0; i < shape->polygon_count; i++) {
            const td_polygon *p = &polygons[shape->polygon_first + i];
            tdi_moments part = tdi_moments_polygon(points + p->point_first, p->point_count);
            tdi_moments_add(&out.lamina, &part, 1);
        }
        out.area = out.lamina.zeroth;
        break;
    case TD_SHAPE_PATCHES:
        out.lamina = tdi_moments_patches(points + polygons[shape->polygon_first].point_first,
                                         shape->polygon_count, shape->stretch);
        out.area = out.lamina.zeroth;
        break;
    case TD_SHAPE_BOX: out.solid = box_moments(shape->width, shape->depth); break;
    }
    if (tdi_surface_count(shape) > 1) {
        const tdi_drawn_organ organ = {shape, polygons, points, 1, {0, 0, 0}, {1, 0, 0, 0}};
        tdi_outline outline = tdi_outline_around(&organ, 1);
        tdi_outline_add(&outline, &organ);
        out.outline = tdi_outline_areas(&outline);
    }
    return out;
}

tdi_moments tdi_organ_moments(const tdi_shape_moments *shape, const td_material *material,
                              td_real size) {
    td_real scale = shape->polygons ? 1 : size;
    tdi_moments lamina = scaled(&shape->lamina, 2, scale);
    tdi_moments solid = scaled(&shape->solid, 3, scale);
    tdi_moments sum = {.zeroth = 0};
    tdi_moments_add(&sum, &lamina, material->density * material->thickness);
    tdi_moments_add(&sum, &solid, material->density);
    return sum;
}

td_real tdi_organ_area(const tdi_shape_moments *shape, td_real size) {
    return shape->polygons ? shape->area : shape->area * size * size;
}

// A plate of length l that is held at one end has its tip l aside under the pressure 8 B/l^3, with
// B = E t^3/12 a width. Surfaces of the area A within an outline P lie in A/P layers, which hold
// each other up, and reach out by l^2 = P/pi.
void tdi_organ_set_outline(const tdi_shape_moments *shape, const td_material *material,
                           td_segment *segment) {
    const td_real scale = shape->polygons ? 1 : segment->length, t = material->thickness;
    segment->outline = tdi_scale(shape->outline, scale * scale);
    const td_real most = fmax(segment->outline.x, fmax(segment->outline.y, segment->outline.z));
    segment->fold_pressure = 0;
    if (most > 0 && t > 0) {
        const td_real reach = sqrt(most / TDI_PI), layers = fmax(1, segment->area / most);
        segment->fold_pressure =
            8 * layers * (material->young * t * t * t / 12) / (reach * reach * reach);
    }
}

// ---- checks and results ---------------------------------------------------------------------

// positive semi-definite when all principal minors are >= 0; each is compared on its own scale
bool tdi_moments_physical(const tdi_moments *moments, td_real tolerance) {
    td_real m = moments->zeroth;
    td_vec3 f = moments->first;
    td_sym3 s = moments->second;
    td_real scale = s.xx + s.yy + s.zz;
    if (!(m > 0) || !(scale >= 0)) {
        return false;
    }
    if (scale == 0) {
        return tdi_dot(f, f) == 0 && s.xy == 0 && s.xz == 0 && s.yz == 0;
    }
    // about the centre of mass, over the trace, with the tolerance on the diagonal
    td_real xx = (s.xx - f.x * f.x / m) / scale + tolerance;
    td_real yy = (s.yy - f.y * f.y / m) / scale + tolerance;
    td_real zz = (s.zz - f.z * f.z / m) / scale + tolerance;
    td_real xy = (s.xy - f.x * f.y / m) / scale;
    td_real xz = (s.xz - f.x * f.z / m) / scale;
    td_real yz = (s.yz - f.y * f.z / m) / scale;
    td_real det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    td_real slack = 1e-15; // rounding of products of numbers up to 1
    return xx >= 0 && yy >= 0 && zz >= 0 && xx * yy - xy * xy >= -slack &&
           xx * zz - xz * xz >= -slack && yy * zz - yz * yz >= -slack && det >= -slack;
}

void tdi_segment_set_mass(td_segment *segment, const tdi_moments *moments) {
    segment->mass = moments->zeroth;
    segment->centre_of_mass = tdi_scale(moments->first, 1 / moments->zeroth);
    segment->second_moment = moments->second;
}
