// SPDX-License-Identifier: MIT
// The rings of a tube.
//
// Method   the tube follows its segments and cuts the corners: around a joint the curve is a
//          parabola that touches both segments at the distance D from it, so that it turns by the
//          bend and nothing more. A gentle bend is taken for a curve that was sampled: D is half
//          of the shorter segment, and the tube is smooth throughout. A sharp bend is a knee: D is
//          a few radii. Rings stand where the tube has turned; a straight run has none inside.
// Offset   the curve passes the joint at the distance (D/2) sin(bend/2). Where something is
//          attached, that is kept below a quarter of the radius: a branch that starts at the joint
//          then starts inside the tube.
// Radius   linear along a segment, from its base to the base of the one that continues it, so
//          that the tube has no steps.
// Bind     a ring in a corner moves with both segments, by how far along the corner it stands, so
//          that a joint which bends later bends the tube and does not break it.

#include "skin/path.h"

#include "base/diag.h"
#include "math/quat.h"

#define GENTLE     (40 * TDI_PI / 180) // rad: up to here a bend is a curve
#define KNEE       3.0                 // radii: D of a sharp bend
#define CREASE     (35 * TDI_PI / 180) // rad: a profile that turns by more has an edge
#define ZONE       1.0                 // radii: half of where a straight joint bends
#define RING_GAP   16.0                // tolerances between the rings of a straight run
#define SAME_PLACE 1e-9                // of the radius: joints nearer than this are one

// a joint of the tube, and the segment that starts there
typedef struct tdi_path_joint {
    td_vec3 place;
    td_real radius;
    td_vec3 along;  // direction of the segment
    td_real length; // of the segment
    int32_t segment;
    bool bears; // something is attached to the segment, other than what continues it
    tdi_rgb color;
} path_joint;

// ---- joints ---------------------------------------------------------------------------------

static td_status push_joint(tdi_path *path, path_joint joint) {
    path_joint *joints = tdi_array_reserve(path->alloc, path->joints, &path->joint_capacity,
                                           path->joint_count + 1, sizeof *joints);
    TDI_TRY(joints ? TD_OK : TD_ERR_MEMORY);
    path->joints = joints;
    if (path->joint_count > 0) {
        path_joint *last = &joints[path->joint_count - 1];
        td_vec3 run = tdi_sub(joint.place, last->place);
        last->length = tdi_norm(run);
        last->along = tdi_unit_or(run, tdi_vec3(0, 1, 0));
        // a segment without length gives way to the next
        if (last->length <= SAME_PLACE * fmax(joint.radius, last->radius)) {
            path->joint_count--;
        }
    }
    joints[path->joint_count++] = joint;
    return TD_OK;
}

static td_status gather_joints(tdi_path *path, const tdi_posed *posed, const tdi_axes *axes,
                               int32_t start) {
    path->joint_count = 0;
    path_joint joint = {0};
    int32_t last = start;
    for (int32_t i = start; i != TD_NONE; i = axes->next[i]) {
        const td_segment *segment = &posed->segments[i];
        joint.segment = i;
        joint.place = posed->origins[i];
        joint.radius = segment->radius_base;
        joint.bears = axes->bears[i];
        joint.color = tdi_rgb_linear(segment->color);
        TDI_TRY(push_joint(path, joint));
        last = i;
    }
    joint.place = tdi_posed_tip(posed, last);
    joint.radius = posed->segments[last].radius_tip;
    return push_joint(path, joint);
}

// ---- rings ----------------------------------------------------------------------------------

static td_status push_ring(tdi_path *path, tdi_ring ring) {
    // corners that meet in the middle of a segment share a ring
    if (path->ring_count > 0 && !ring.edge) {
        td_vec3 gap = tdi_sub(ring.centre, path->rings[path->ring_count - 1].centre);
        if (tdi_norm(gap) <= SAME_PLACE * ring.radius) {
            return TD_OK;
        }
    }
    if (path->ring_count >= path->max_rings) {
        return TD_ERR_LIMIT;
    }
    tdi_ring *rings = tdi_array_reserve(path->alloc, path->rings, &path->ring_capacity,
                                        path->ring_count + 1, sizeof *rings);
    TDI_TRY(rings ? TD_OK : TD_ERR_MEMORY);
    path->rings = rings;
    rings[path->ring_count++] = ring;
    return TD_OK;
}

// dr/dl of the segment that starts at joint i
static td_real slope_of(const tdi_path *path, int64_t i) {
    const path_joint *from = &path->joints[i], *to = from + 1;
    return (to->radius - from->radius) / from->length;
}

static td_status push_end(tdi_path *path, int64_t joint, int64_t segment) {
    const path_joint *at = &path->joints[joint];
    tdi_ring ring = {.centre = at->place,
                     .tangent = path->joints[segment].along,
                     .radius = at->radius,
                     .slope = slope_of(path, segment),
                     .color = at->color,
                     .bind = tdi_bind_to(path->joints[segment].segment)};
    return push_ring(path, ring);
}

// D: how far from joint i the curve leaves the segments before and after it
static td_real corner_size(const path_joint *before, const path_joint *here, td_real bend) {
    td_real size = fmin(before->length, here->length) / 2;
    if (bend > GENTLE) {
        size = fmin(size, KNEE * here->radius);
    }
    if (before->bears || here->bears) {
        size = fmin(size, here->radius / (2 * sin(bend / 2))); // (D/2) sin(bend/2) = r/4
    }
    return size;
}

// A ring of the corner at joint i, between the segments a and b. The parabola and its direction:
//   p(u) = p + D (u^2 b - (1 - u)^2 a),  p'(u) ~ (1 - u) a + u b,  u in 0..1
static tdi_ring corner_ring(const tdi_path *path, int64_t i, td_real size, td_real u) {
    const path_joint *before = &path->joints[i - 1], *here = &path->joints[i];
    bool early = u < 0.5;
    td_real slope_a = slope_of(path, i - 1), slope_b = slope_of(path, i);
    td_real off = size * (2 * u - 1); // from the joint, along the segments
    td_vec3 centre = tdi_madd(here->place, here->along, size * u * u);
    tdi_ring ring = {
        .centre = tdi_madd(centre, before->along, -size * (1 - u) * (1 - u)),
        .tangent = tdi_madd(tdi_scale(before->along, 1 - u), here->along, u),
        .radius = here->radius + off * (early ? slope_a : slope_b),
        .slope = tan((1 - u) * atan(slope_a) + u * atan(slope_b)),
        .color = early ? before->color : here->color,
        .bind = tdi_bind_between(before->segment, here->segment, tdi_bind_share(u)),
    };
    ring.tangent = tdi_unit_or(ring.tangent, here->along);
    return ring;
}

static bool same_color(tdi_rgb a, tdi_rgb b) {
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

// A joint at which a straight run may bend later: a ring on either side moves with one segment
// alone, so that the loss of section where the two are mixed stays near the joint.
static td_status push_zone(tdi_path *path, int64_t i) {
    const path_joint *before = &path->joints[i - 1], *here = &path->joints[i];
    td_real size = fmin(fmin(before->length, here->length) / 2, ZONE * here->radius);
    td_status status = TD_OK;
    for (int k = 0; k <= 2 && status == TD_OK; k++) {
        status = push_ring(path, corner_ring(path, i, size, 0.5 * k));
    }
    return status;
}

// a ring of a straight run is left out near the one before it, and where it could not be seen
static td_status push_seen(tdi_path *path, tdi_ring ring) {
    const tdi_ring *last = &path->rings[path->ring_count - 1];
    td_real run = tdi_norm(tdi_sub(ring.centre, last->centre));
    return run < RING_GAP * path->tolerance ? TD_OK : push_ring(path, ring);
}

// A joint of a straight run. Where its colour or its slope changes at once it has two rings in one
// place, which makes the change an edge.
static td_status push_straight(tdi_path *path, int64_t i) {
    const path_joint *before = &path->joints[i - 1], *here = &path->joints[i];
    td_real slope_a = slope_of(path, i - 1), slope_b = slope_of(path, i);
    bool sharp = fabs(atan(slope_a) - atan(slope_b)) > CREASE;
    tdi_ring ring = corner_ring(path, i, 0, 0.5);
    if (!sharp && same_color(before->color, here->color)) {
        return path->soft ? push_zone(path, i) : push_seen(path, ring);
    }
    tdi_ring old = ring;
    old.slope = sharp ? slope_a : ring.slope;
    old.color = before->color;
    TDI_TRY(push_ring(path, old));
    ring.slope = sharp ? slope_b : ring.slope;
    ring.edge = true;
    return push_ring(path, ring);
}

static td_status push_corner(tdi_path *path, int64_t i) {
    const path_joint *before = &path->joints[i - 1], *here = &path->joints[i];
    td_vec3 cross = tdi_cross(before->along, here->along);
    td_real bend = atan2(tdi_norm(cross), tdi_dot(before->along, here->along));
    // a hair below the quotient, so that a bend of exactly the limit is one piece
    int32_t pieces = (int32_t)ceil(bend / path->turn_limit - 1e-6);
    if (pieces <= 1) {
        return push_straight(path, i);
    }
    td_real size = corner_size(before, here, bend);
    td_status status = TD_OK;
    for (int32_t k = 0; k <= pieces && status == TD_OK; k++) {
        status = push_ring(path, corner_ring(path, i, size, (td_real)k / pieces));
    }
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_path_build(tdi_path *path, const tdi_posed *posed, const tdi_axes *axes,
                         int32_t start) {
    path->ring_count = 0;
    td_status status = gather_joints(path, posed, axes, start);
    int64_t last = path->joint_count - 1;
    if (status != TD_OK || last < 1) {
        return status;
    }
    status = push_end(path, 0, 0);
    for (int64_t i = 1; i < last && status == TD_OK; i++) {
        status = push_corner(path, i);
    }
    return status == TD_OK ? push_end(path, last, last - 1) : status;
}

void tdi_path_free(tdi_path *path) {
    tdi_alloc_free(path->alloc, path->joints, (size_t)path->joint_capacity * sizeof *path->joints);
    tdi_alloc_free(path->alloc, path->rings, (size_t)path->ring_capacity * sizeof *path->rings);
    path->joints = NULL;
    path->rings = NULL;
}
