// SPDX-License-Identifier: MIT
// Capsules of welded bodies.
//
// Box    lies on the four edges along its longest side: capsules that touch its faces from within,
//        with a twentieth of the smallest side as radius. On the same lines as theirs, but thinner,
//        so that they do not touch what the corners lie on, are the other eight edges and the
//        diagonals of all faces: two boxes, or a box and a stick, meet where these cross. Capsules
//        side by side along the longest side fill the box, and keep ends and small things out of
//        it: above one of them a small thing sinks in by a twelfth of the smallest side, between
//        two by up to half of it.
// Ball   itself; an ellipsoid that is longer than wide is a capsule.

#include "plant/solids.h"

#include "math/vec3.h"

#define EDGE  0.05      // of the smallest side
#define INNER (1 / 1.2) // of a radius: with the usual gap of 0.2 it begins to repel at the face
#define CORES 8         // capsules side by side, at most

bool tdi_is_welded_body(const td_segment *s, const td_shape *shapes) {
    const bool welded = s->joint == TD_JOINT_FIXED && s->parent != TD_NONE && s->shape != TD_NONE;
    return welded &&
           (shapes[s->shape].kind == TD_SHAPE_BOX || shapes[s->shape].kind == TD_SHAPE_BALL);
}

static tdi_solid ball(td_vec3 middle, td_real radius) {
    return (tdi_solid){{middle, middle}, radius};
}

typedef struct box {
    td_real h[3]; // half sides
    td_vec3 middle;
    int longest, wide, thin; // axes
} box;

static tdi_solid between(const box *b, const td_real from[3], const td_real to[3], td_real radius) {
    return (tdi_solid){{tdi_add(b->middle, tdi_vec3(from[0], from[1], from[2])),
                        tdi_add(b->middle, tdi_vec3(to[0], to[1], to[2]))},
                       radius};
}

// Edges along an axis, or both diagonals of the two faces across it: between corners p and q of the
// box with half sides less r.
static int32_t add_lines(const box *b, int axis, bool diagonals, td_real r, td_real radius,
                         tdi_solid *out) {
    const int second = (axis + 1) % 3, third = (axis + 2) % 3;
    for (int k = 0; k < 4; k++) {
        const td_real y = k & 1 ? 1 : -1, z = k & 2 ? 1 : -1;
        td_real p[3], q[3];
        p[axis] = diagonals ? z * (b->h[axis] - r) : r - b->h[axis];
        q[axis] = diagonals ? p[axis] : b->h[axis] - r;
        p[second] = y * (b->h[second] - r);
        q[second] = diagonals ? -p[second] : p[second];
        p[third] = diagonals ? r - b->h[third] : z * (b->h[third] - r);
        q[third] = diagonals ? -p[third] : p[third];
        out[k] = between(b, p, q, radius);
    }
    return 4;
}

static int32_t add_cores(const box *b, tdi_solid *out) {
    const td_real thick = b->h[b->thin], side = b->h[b->wide] - thick,
                  end = b->h[b->longest] - thick;
    const int32_t rows = side > 0 ? (int32_t)fmin(CORES, 2 + floor(side / thick)) : 1;
    for (int32_t k = 0; k < rows; k++) {
        td_real p[3] = {0, 0, 0}, q[3] = {0, 0, 0};
        p[b->longest] = -end;
        q[b->longest] = end;
        p[b->wide] = q[b->wide] = rows > 1 ? side * (2 * (td_real)k / (rows - 1) - 1) : 0;
        out[k] = between(b, p, q, INNER * thick);
    }
    return rows;
}

static box box_of(const td_segment *s, const td_shape *shape) {
    const td_real size = 0.5 * s->length;
    box b = {{shape->width * size, size, shape->depth * size}, {0, size, 0}, 0, 0, 0};
    const td_real *h = b.h;
    b.longest = h[0] >= h[1] && h[0] >= h[2] ? 0 : h[1] >= h[2] ? 1 : 2;
    const int y = (b.longest + 1) % 3, z = (b.longest + 2) % 3;
    b.wide = h[y] >= h[z] ? y : z;
    b.thin = h[y] >= h[z] ? z : y;
    return b;
}

static int32_t box_solids(const box *b, tdi_solid *out) {
    const td_real r = 2 * EDGE * b->h[b->thin];
    int32_t count = add_lines(b, b->longest, false, r, r, out);
    for (int axis = 0; axis < 3; axis++) {
        if (axis != b->longest) {
            count += add_lines(b, axis, false, r, INNER * r, out + count);
        }
        count += add_lines(b, axis, true, r, INNER * r, out + count);
    }
    return count + add_cores(b, out + count);
}

td_real tdi_box_leak(const td_segment *s, const td_shape *shapes) {
    if (!tdi_is_welded_body(s, shapes) || shapes[s->shape].kind != TD_SHAPE_BOX) {
        return 0;
    }
    const box b = box_of(s, &shapes[s->shape]);
    const td_real thick = b.h[b.thin],
                  apart = 2 * (b.h[b.wide] - thick) / (CORES - 1) - 2 * INNER * thick;
    return fmax(apart, 0);
}

int32_t tdi_segment_solids(const td_segment *s, const td_shape *shapes, tdi_solid out[TDI_SOLIDS]) {
    if (s->shape == TD_NONE && s->bead > 0) {
        out[0] = ball(s->tip, s->bead);
        return 1;
    }
    if (!tdi_is_welded_body(s, shapes)) {
        return 0;
    }
    const td_shape *shape = &shapes[s->shape];
    const td_real size = s->length;
    if (shape->kind == TD_SHAPE_BOX) {
        const box b = box_of(s, shape);
        return box_solids(&b, out);
    }
    const td_real radius = 0.5 * size * fmin(shape->width, 1), start = shape->stalk * size;
    out[0] = (tdi_solid){{{0, start + radius, 0}, {0, start + size - radius, 0}}, radius};
    return 1;
}

int32_t tdi_solid_count(const td_skeleton *skeleton) {
    tdi_solid solids[TDI_SOLIDS];
    int32_t count = 0;
    for (int32_t i = 0; i < td_skeleton_count(skeleton); i++) {
        count += tdi_segment_solids(&td_skeleton_segments(skeleton)[i],
                                    td_skeleton_shapes(skeleton), solids);
    }
    return count;
}
