// SPDX-License-Identifier: MIT
// Stalks, balls and discs of organs.

#include "skin/organ.h"

#include "math/vec3.h"
#include "plant/fields.h"
#include "plant/shape.h"

// by tdi_detail
static const uint32_t stalk_sides[TDI_DETAIL_COUNT] = {0, 3, 4, 5, 8};
static const uint32_t ball_sides[TDI_DETAIL_COUNT] = {4, 5, 8, 12, 24};
static const uint32_t disc_sides[TDI_DETAIL_COUNT] = {6, 12, 24, 24, 24};
static const int32_t ball_rows[TDI_DETAIL_COUNT] = {2, 3, 5, 8, 14};

// ---- stalks ---------------------------------------------------------------------------------

typedef struct stalk_ring {
    td_vec3 centre;
    td_real radius; // 0 at both ends of a stalk
    td_real slope;  // dr/dl, for the normals
    tdi_tint tint;
    td_real along; // of the blade that it carries
} stalk_ring;

// A thin closed tube in the YZ plane; e1 of its rings is X. Its texture goes once around, and once
// along.
static void add_stalk(tdi_organ_model *model, const stalk_ring *rings, int32_t count,
                      uint32_t sides) {
    uint32_t before = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t from = i > 0 ? i - 1 : 0, to = i + 1 < count ? i + 1 : i;
        td_vec3 t = tdi_unit_or(tdi_sub(rings[to].centre, rings[from].centre), tdi_vec3(0, 1, 0));
        td_vec3 e1 = tdi_vec3(1, 0, 0), e2 = tdi_cross(t, e1);
        td_real scale = 1 / sqrt(1 + rings[i].slope * rings[i].slope);
        uint32_t here = 0;
        for (uint32_t k = 0; k <= sides; k++) {
            td_real angle = 2 * TDI_PI * (k % sides) / sides;
            td_vec3 out = tdi_madd(tdi_scale(e1, cos(angle)), e2, sin(angle));
            td_vec3 normal = tdi_scale(tdi_madd(out, t, -rings[i].slope), scale);
            tdi_organ_vertex vertex = {.position = tdi_madd(rings[i].centre, out, rings[i].radius),
                                       .normal = normal,
                                       .tangent = tdi_cross(t, out),
                                       .u = (td_real)k / sides,
                                       .v = 1 - (td_real)i / (count - 1),
                                       .along = rings[i].along,
                                       .tint = rings[i].tint,
                                       .gain = 256};
            uint32_t at = tdi_organ_vertex_add(model, &model->solid, vertex);
            here = k == 0 ? at : here;
        }
        for (uint32_t k = 0; i > 0 && k < sides; k++) {
            uint32_t n = k + 1;
            if (rings[i - 1].radius > 0) {
                tdi_organ_triangle_add(model, &model->solid, before + k, before + n, here + n);
            }
            if (rings[i].radius > 0) {
                tdi_organ_triangle_add(model, &model->solid, before + k, here + n, here + k);
            }
        }
        before = here;
    }
}

// the midrib goes on below the lamina, low enough not to show above
static stalk_ring midrib_ring(const td_shape *shape, td_real s, td_real radius) {
    td_vec3 place, normal;
    tdi_blade_midrib(shape->curl, s, &place, &normal);
    place.y += shape->stalk;
    return (stalk_ring){tdi_madd(place, normal, -1.2 * radius), radius, 0, TDI_TINT_ORGAN, s};
}

// From the joint to the lamina, and on below it as the midrib: to 0.4 of a blade that is stiff, to
// near the tip of one that bends, with a ring at each joint and between two.
void tdi_organ_add_petiole(tdi_organ_model *model, const td_shape *shape, tdi_detail detail) {
    if (!(shape->stalk > 0) || stalk_sides[detail] == 0) {
        return;
    }
    td_real radius = shape->stalk_radius;
    stalk_ring rings[3 + 2 * TDI_MAX_PARTS] = {
        {tdi_vec3(0, -radius, 0), 0, 1, TDI_TINT_STALK, -1},
        {tdi_vec3(0, 0, 0), radius, 0, TDI_TINT_STALK, -1},
        {tdi_vec3(0, shape->stalk, 0), 0.8 * radius, 0, TDI_TINT_STALK, 0}};
    int32_t count = 3, halves = 2 * shape->segments;
    if (shape->segments == 1) {
        rings[count++] = midrib_ring(shape, 0.15, 0.6 * radius);
        rings[count++] = midrib_ring(shape, 0.4, 0);
    }
    for (int32_t k = 1; k < halves && shape->segments > 1; k++) {
        td_real s = (td_real)k / halves;
        rings[count++] =
            midrib_ring(shape, s, k + 1 < halves ? 0.7 * tdi_midrib_radius(shape, s) : 0);
    }
    add_stalk(model, rings, count, stalk_sides[detail]);
}

// from the joint to the flower or fruit, wider where that sits
void tdi_organ_add_pedicel(tdi_organ_model *model, const td_shape *shape, tdi_detail detail) {
    if (!(shape->stalk > 0) || stalk_sides[detail] == 0) {
        return;
    }
    td_real radius = shape->stalk_radius;
    td_real neck = fmin(3 * radius, 0.5 * shape->stalk);
    stalk_ring rings[5] = {{tdi_vec3(0, -radius, 0), 0, 1, TDI_TINT_STALK, 0},
                           {tdi_vec3(0, 0, 0), radius, 0, TDI_TINT_STALK, 0},
                           {tdi_vec3(0, shape->stalk - neck, 0), radius, 0, TDI_TINT_STALK, 0},
                           {tdi_vec3(0, shape->stalk, 0), 2 * radius, 0, TDI_TINT_STALK, 0},
                           {tdi_vec3(0, shape->stalk + radius, 0), 0, -2, TDI_TINT_STALK, 0}};
    add_stalk(model, rings, 5, stalk_sides[detail]);
}

// ---- balls ----------------------------------------------------------------------------------

// a vertex of an ellipsoid, at the angle `down` from the lower pole and `around`
static tdi_organ_vertex ball_vertex(td_real width, td_real height, td_real down, td_real around,
                                    bool pole) {
    td_real across = pole ? 0 : sin(down);
    td_vec3 u = tdi_vec3(across * sin(around), -cos(down), across * cos(around));
    // the normal of x^2/a^2 + y^2/b^2 + z^2/a^2 = 1 is along (x/a^2, y/b^2, z/a^2)
    td_vec3 normal = tdi_vec3(u.x * height, u.y * width, u.z * height);
    return (tdi_organ_vertex){
        .position = tdi_vec3(u.x * width / 2, u.y * height / 2, u.z * width / 2),
        .normal = tdi_unit_or(normal, u),
        .tangent = tdi_vec3(cos(around), 0, -sin(around)),
    };
}

// An ellipsoid about +Y, closed. The centre of a flower sits in a green cup. Its texture goes once
// around and from pole to pole; a pole has a vertex for each side.
void tdi_organ_add_ball(tdi_organ_model *model, td_vec3 centre, td_real width, td_real height,
                        tdi_tint tint, tdi_detail detail) {
    if (!(width > 0 && height > 0)) {
        return;
    }
    uint32_t sides = ball_sides[detail];
    int32_t rows = ball_rows[detail];
    uint32_t before = 0;
    for (int32_t i = 0; i <= rows; i++) {
        bool pole = i == 0 || i == rows, cup = tint == TDI_TINT_CENTRE && 2 * i < rows;
        uint32_t here = 0;
        for (uint32_t k = 0; k < (pole ? sides : sides + 1); k++) {
            td_real around = 2 * TDI_PI * (k % sides) / sides;
            tdi_organ_vertex vertex = ball_vertex(width, height, TDI_PI * i / rows, around, pole);
            vertex.position = tdi_add(vertex.position, centre);
            vertex.u = (k + (pole ? 0.5 : 0)) / sides;
            vertex.v = 1 - (td_real)i / rows;
            vertex.tint = cup ? TDI_TINT_STALK : tint;
            vertex.gain = 236 + 40 * i / rows;
            uint32_t at = tdi_organ_vertex_add(model, &model->solid, vertex);
            here = k == 0 ? at : here;
        }
        for (uint32_t k = 0; i > 0 && k < sides; k++) {
            if (i > 1) {
                tdi_organ_triangle_add(model, &model->solid, before + k, before + k + 1,
                                       pole ? here + k : here + k + 1);
            }
            if (!pole) {
                tdi_organ_triangle_add(model, &model->solid, before + k, here + k + 1, here + k);
            }
        }
        before = here;
    }
}

// ---- boxes ----------------------------------------------------------------------------------

// each face has corners of its own, so that edges are sharp
void tdi_organ_add_box(tdi_organ_model *model, const td_shape *shape) {
    const td_vec3 half = {shape->width / 2, 0.5, shape->depth / 2};
    for (int face = 0; face < 6; face++) {
        int axis = face / 2;
        td_real side = face % 2 ? 1 : -1;
        const uint32_t first = (uint32_t)model->solid.vertex_count;
        for (int k = 0; k < 4; k++) {
            // counter-clockwise seen from outside: u, v, axis are right-handed when side is 1
            td_real u = k == 0 || k == 3 ? -1 : 1, v = (k < 2 ? -1 : 1) * side, at[3], normal[3];
            for (int c = 0; c < 3; c++) {
                at[c] = c == axis ? side : c == (axis + 1) % 3 ? u : v;
                normal[c] = c == axis ? side : 0;
            }
            tdi_organ_vertex vertex = {
                .position = tdi_vec3(at[0] * half.x, 0.5 + at[1] * half.y, at[2] * half.z),
                .normal = tdi_vec3(normal[0], normal[1], normal[2]),
                .tangent = tdi_vec3(axis == 2, axis == 0, axis == 1),
                .u = (1 + u) / 2,
                .v = (1 - v * side) / 2,
                .tint = TDI_TINT_ORGAN,
                .gain = 256};
            tdi_organ_vertex_add(model, &model->solid, vertex);
        }
        tdi_organ_triangle_add(model, &model->solid, first, first + 1, first + 2);
        tdi_organ_triangle_add(model, &model->solid, first, first + 2, first + 3);
    }
}

// ---- discs ----------------------------------------------------------------------------------

void tdi_organ_add_disc(tdi_organ_model *model, tdi_detail detail) {
    uint32_t sides = disc_sides[detail];
    tdi_organ_vertex vertex = {.normal = tdi_vec3(0, 0, 1),
                               .tangent = tdi_vec3(1, 0, 0),
                               .u = 0.5,
                               .v = 0.5,
                               .tint = TDI_TINT_ORGAN,
                               .gain = 256};
    uint32_t centre = tdi_organ_vertex_add(model, &model->lamina, vertex);
    for (uint32_t k = 0; k < sides; k++) {
        td_real angle = 2 * TDI_PI * k / sides;
        vertex.position = tdi_vec3(cos(angle) / 2, sin(angle) / 2, 0);
        vertex.u = 0.5 + vertex.position.x;
        vertex.v = 0.5 - vertex.position.y;
        tdi_organ_vertex_add(model, &model->lamina, vertex);
    }
    for (uint32_t k = 0; k < sides; k++) {
        tdi_organ_triangle_add(model, &model->lamina, centre, centre + 1 + k,
                               centre + 1 + (k + 1) % sides);
    }
}
