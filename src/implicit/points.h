// SPDX-License-Identifier: MIT
#pragma once

// Material points: contact, constraints and loads act on a body at these. With J the motion of
// points for an increment and H the factored Hessian, a body reads its points, adds J^T f to a
// right-hand side, solves H y = J^T f and reads J y: see tdi_implicit.

#include "implicit/state.h"

// A material point. Its coordinates x, which move by dx:
//   position   in the world, m
//   node       the same, of a numbered end of a capsule
//   rotation   of a capsule since x* of the rule, rad: h times its angular velocity; it counts
//              whole turns
//   joint      of a hinge (angle, 0, 0), rad, of a slide (way, 0, 0), m; of a ball the rotation
//              vector from rest, which moves by the turn w of the segment against its parent, in
//              the axes that the joint has at rest on the parent: R <- exp(w) R
//   surface    where a capsule is touched, m: at s of the way from its first node to its second,
//              and `arm` away from there, in world axes, with the rotation w of the capsule:
//              dx = (1 - s) dx_a + s dx_b + dw x arm. Stiffness and blocks alone are asked for:
//              what many contacts share, nodes and rotations, is read once
typedef enum tdi_point_kind {
    TDI_POINT_POSITION,
    TDI_POINT_JOINT,
    TDI_POINT_NODE,
    TDI_POINT_ROTATION,
    TDI_POINT_SURFACE
} tdi_point_kind;

typedef struct tdi_point {
    tdi_point_kind kind;
    int32_t segment; // as loads name it; the number of a node; the capsule of the other two
    td_vec3 local;   // m: of a position, in the segment's own axes, from its joint; of a surface
                     // (s, 0, 0)
    td_vec3 arm;     // m: from there, in the axes of the segment's frame at that point, with which
                     // it turns. Rods stretch and helices bend between points, but no arm does
} tdi_point;

// Some points of a body: a list, or nodes or rotations that follow each other.
typedef struct tdi_points {
    const tdi_point *list; // NULL: those of `kind` from the number `first` on
    int32_t count;
    tdi_point_kind kind;
    int32_t first;
} tdi_points;

static inline tdi_points tdi_points_of(const tdi_point *list, int32_t count) {
    return (tdi_points){list, count, TDI_POINT_POSITION, 0};
}
static inline tdi_points tdi_nodes(int32_t first, int32_t count) {
    return (tdi_points){NULL, count, TDI_POINT_NODE, first};
}
static inline tdi_points tdi_all_nodes(const td_body *body) {
    return tdi_nodes(0, body->point_count);
}
static inline tdi_points tdi_rotation_of(int32_t capsule) {
    return (tdi_points){NULL, 1, TDI_POINT_ROTATION, capsule};
}
static inline bool tdi_are_nodes(const tdi_points *points) {
    return !points->list && points->kind == TDI_POINT_NODE;
}
static inline tdi_point tdi_point_at(const tdi_points *points, int32_t k) {
    return points->list ? points->list[k]
                        : (tdi_point){.kind = points->kind, .segment = points->first + k};
}

static inline bool tdi_has_arm(const tdi_point *point) {
    return point->arm.x != 0 || point->arm.y != 0 || point->arm.z != 0;
}

enum { TDI_POINT_NODES = 3 }; // whose unknowns a point moves with, at most

// Quantities to read at points.
typedef enum tdi_reading {
    TDI_NOW,       // x
    TDI_HISTORY,   // x* of the rule
    TDI_VELOCITY,  // when the step began: of nodes and rotations
    TDI_INCREMENT, // J of the increments, and
    TDI_RESPONSE   // J of y, at the pose that was factored: before it is kept or moved
} tdi_reading;
