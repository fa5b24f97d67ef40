// SPDX-License-Identifier: MIT
// The geometry of organs: outlines, areas, stalks.
//
// Method   a blade's half width is a closed formula; its integrals are composite Gauss-Legendre
//          sums, with a change of variable that takes the root-like rise at both ends away.

#include "plant/shape.h"

#include "math/quat.h"

#define MIDRIB_TAPER \
    0.7 // of its radius at the base, by which the midrib of a row is thinner at last

td_shape td_shape_default(void) {
    td_shape shape = {
        .kind = TD_SHAPE_BLADE,
        .width = 0.5,
        .depth = 0.5,
        .widest = 0.4,
        .taper = 1,
        .fold = 0.2,
        .crease = 0.05,
        .curl = 0.3,
        .stalk = 0.15,
        .stalk_radius = 0.012,
        .petals = 5,
        .whorls = 1,
        .opening = 1.0,
        .centre = 0.2,
        .color = 0x4c8c32,
        .centre_color = 0xf2c94c,
        .stretch = {1, 1, 1},
        .segments = 1,
    };
    return shape;
}

// ---- blades ---------------------------------------------------------------------------------

// w(s) = width/2 * p(s) * (1 - depth cos^2(pi n s)) with n lobes a side, and the outline
// p = u(2 - u), u = s/widest below the widest place; p = (v(2 - v))^taper, v = (1 - s)/(1 - widest)
// above it. p has a level tangent where the two meet.
td_real tdi_blade_half_width(const td_shape *shape, td_real s) {
    if (!(s > 0 && s < 1)) {
        return 0;
    }
    td_real profile;
    if (s < shape->widest) {
        td_real u = s / shape->widest;
        profile = u * (2 - u);
    } else {
        td_real v = (1 - s) / (1 - shape->widest);
        profile = pow(v * (2 - v), shape->taper);
    }
    td_real notch = shape->lobes > 0 ? cos(TDI_PI * shape->lobes * s) : 0;
    return shape->width / 2 * profile * (1 - shape->lobe_depth * notch * notch);
}

// Adds the integrals over the half of the blade that goes from its end, at which w rises from 0, to
// the widest place, as far as it lies between a and b: s = end + (widest - end) y^4,
// ds = 4 (widest - end) y^3 dy.
static void integrate_half(const td_shape *shape, td_real end, td_real a, td_real b,
                           tdi_blade_moments *sum) {
    // 5-point Gauss-Legendre on [-1,1]
    static const td_real node[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                    0.9061798459386640};
    static const td_real weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                      0.4786286704993665, 0.2369268850561891};
    int32_t panels = 32 + 8 * shape->lobes; // a lobe's wave needs several panels
    td_real reach = shape->widest - end;
    td_real ya = sqrt(sqrt(fmax(0, fmin(1, (a - end) / reach))));
    td_real yb = sqrt(sqrt(fmax(0, fmin(1, (b - end) / reach))));
    td_real low = fmin(ya, yb), span = fabs(yb - ya);
    for (int32_t i = 0; i < panels && span > 0; i++) {
        for (int k = 0; k < 5; k++) {
            td_real y = low + span * ((i + 0.5 + 0.5 * node[k]) / panels);
            td_real s = end + reach * y * y * y * y;
            td_real ds = span * (fabs(reach) * 4 * y * y * y * weight[k] / (2.0 * panels));
            td_real w = tdi_blade_half_width(shape, s);
            sum->area += 2 * w * ds;
            sum->along += 2 * w * s * ds;
            sum->along2 += 2 * w * s * s * ds;
            sum->across += 2 * w * w * w / 3 * ds;
        }
    }
}

tdi_blade_moments tdi_blade_integrate(const td_shape *shape) {
    tdi_blade_moments sum = {0, 0, 0, 0};
    td_real a = tdi_blade_part_start(shape, shape->segment);
    td_real b = tdi_blade_part_start(shape, shape->segment + 1);
    integrate_half(shape, 0, a, b, &sum);
    integrate_half(shape, 1, a, b, &sum);
    return sum;
}

// ---- blades that bend -----------------------------------------------------------------------

void tdi_blade_midrib(td_real curl, td_real s, td_vec3 *place, td_vec3 *normal) {
    // direction (0, cos(curl s), -sin(curl s)), integrated
    td_real angle = curl * s;
    td_real sine = sin(angle), half = sin(angle / 2);
    if (place) {
        bool straight = fabs(curl) < 1e-9;
        *place = straight ? tdi_vec3(0, s, 0) : tdi_vec3(0, sine / curl, -2 * half * half / curl);
    }
    if (normal) {
        *normal = tdi_vec3(0, sine, cos(angle));
    }
}

td_real tdi_blade_part_start(const td_shape *shape, int32_t part) {
    return (td_real)part / shape->segments;
}

// a joint of the row: the first is where the stalk starts, the others lie on the midrib
static td_vec3 part_joint(const td_shape *shape, int32_t part) {
    td_vec3 place = {0, 0, 0};
    if (part > 0) {
        tdi_blade_midrib(shape->curl, tdi_blade_part_start(shape, part), &place, NULL);
        place.y += shape->stalk;
    }
    return place;
}

tdi_blade_part tdi_blade_part_at(const td_shape *shape, int32_t part) {
    tdi_blade_part out = {.origin = part_joint(shape, part)};
    td_vec3 run = tdi_sub(part_joint(shape, part + 1), out.origin);
    out.length = tdi_norm(run);
    out.turn = tdi_quat_turn(tdi_vec3(1, 0, 0), atan2(run.z, run.y));
    return out;
}

// ---- flowers --------------------------------------------------------------------------------

// Petals are half as long as the flower is wide. Each inner whorl is shorter and more upright, and
// stands in the gaps of the one outside it.
tdi_petal tdi_flower_petal(const td_shape *shape, int32_t whorl, int32_t index) {
    td_real inward = (td_real)whorl / (shape->whorls > 1 ? shape->whorls : 1);
    tdi_petal petal = {
        .length = 0.5 * (1 - 0.4 * inward),
        .opening = shape->opening * (1 - 0.6 * inward),
        .azimuth =
            2 * TDI_PI * (index + 0.5 * (whorl % 2)) / (shape->petals > 0 ? shape->petals : 1),
    };
    return petal;
}

// ---- whole shapes ---------------------------------------------------------------------------

static td_real flower_area(const td_shape *shape) {
    td_real blade = tdi_blade_integrate(shape).area;
    td_real area = TDI_PI / 4 * shape->centre * shape->centre;
    for (int32_t k = 0; k < shape->whorls; k++) {
        td_real length = tdi_flower_petal(shape, k, 0).length;
        area += shape->petals * blade * length * length;
    }
    return area;
}

td_real tdi_shape_area(const td_shape *shape) {
    switch (shape->kind) {
    case TD_SHAPE_BLADE: return tdi_blade_integrate(shape).area;
    case TD_SHAPE_FLOWER: return flower_area(shape);
    case TD_SHAPE_BALL: return TDI_PI / 4 * shape->width;
    case TD_SHAPE_DISC: return TDI_PI / 4;
    case TD_SHAPE_POLYGON:
    case TD_SHAPE_PATCHES: break;
    case TD_SHAPE_BOX: return (shape->width + shape->depth) / 2; // mean of its upright sides
    }
    return 0;
}

td_vec3 tdi_shape_tip(const td_shape *shape, td_real size) {
    td_real y = 1;
    if (shape->kind == TD_SHAPE_BLADE && shape->segments > 1) {
        y = tdi_blade_part_at(shape, shape->segment).length;
    } else if (shape->kind == TD_SHAPE_BLADE || shape->kind == TD_SHAPE_BALL) {
        y = shape->stalk + 1;
    } else if (shape->kind == TD_SHAPE_FLOWER) {
        td_real rise = shape->petals > 0 ? 0.5 * cos(shape->opening) : 0;
        y = shape->stalk + (rise > shape->centre / 2 ? rise : shape->centre / 2);
    } else if (shape->kind == TD_SHAPE_DISC) {
        y = 0.5;
    }
    return tdi_vec3(0, y * size, 0);
}

// ---- stalks ---------------------------------------------------------------------------------

static bool has_stalk(const td_shape *shape) {
    return shape->stalk > 0 && shape->kind != TD_SHAPE_DISC && shape->kind != TD_SHAPE_POLYGON &&
           shape->kind != TD_SHAPE_BOX && shape->kind != TD_SHAPE_PATCHES;
}

// a joint of a row bends for half of the parts before and behind it
td_real tdi_stalk_length(const td_shape *shape, td_real size) {
    td_real stalk = has_stalk(shape) ? shape->stalk : 0.05;
    if (shape->segments > 1) {
        td_real part = 1.0 / shape->segments;
        return (shape->segment > 0 ? part : (has_stalk(shape) ? stalk : 0) + part / 2) * size;
    }
    return stalk * size;
}

td_real tdi_midrib_radius(const td_shape *shape, td_real s) {
    return shape->stalk_radius * (1 - MIDRIB_TAPER * s);
}

td_real tdi_stalk_radius(const td_shape *shape, td_real size) {
    return tdi_midrib_radius(shape, tdi_blade_part_start(shape, shape->segment)) * size;
}

// ---- patches --------------------------------------------------------------------------------

// B_i(t) = C(3, i) t^i (1 - t)^(3 - i), and dB_i/dt
static void bernstein(td_real t, td_real b[4], td_real d[4]) {
    td_real s = 1 - t;
    b[0] = s * s * s;
    b[1] = 3 * t * s * s;
    b[2] = 3 * t * t * s;
    b[3] = t * t * t;
    d[0] = -3 * s * s;
    d[1] = 3 * s * s - 6 * t * s;
    d[2] = 6 * t * s - 3 * t * t;
    d[3] = 3 * t * t;
}

void tdi_patch_at(const td_vec3 *points, td_real u, td_real v, td_vec3 *place, td_vec3 *along_u,
                  td_vec3 *along_v) {
    td_real bu[4], du[4], bv[4], dv[4];
    td_vec3 sums[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    bernstein(u, bu, du);
    bernstein(v, bv, dv);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            sums[0] = tdi_madd(sums[0], points[4 * i + k], bv[i] * bu[k]);
            sums[1] = tdi_madd(sums[1], points[4 * i + k], bv[i] * du[k]);
            sums[2] = tdi_madd(sums[2], points[4 * i + k], dv[i] * bu[k]);
        }
    }
    if (place) {
        *place = sums[0];
    }
    if (along_u) {
        *along_u = sums[1];
    }
    if (along_v) {
        *along_v = sums[2];
    }
}
