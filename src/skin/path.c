// SPDX-License-Identifier: MIT
// The rings of a tube.
//
// Method   the tube follows a curve through the joints of its segments. At a joint the curve has
//          the direction half-way between its two segments. A gentle bend is taken for a curve
//          that was sampled: one cubic from joint to joint. A sharp bend is a knee: the curve
//          leaves the straight segment only near the joint. Rings stand where the curve has
//          turned; a straight run has none but those at its joints.
// Radius   linear along a segment, from its base to the base of the one that continues it, so
//          that the tube has no steps.

#include "skin/path.h"

#include "math/quat.h"

#define GENTLE      (40 * TDI_PI / 180) // rad: up to here a bend is a curve
#define KNEE_REACH  3.0                 // radii: how far a knee reaches along a segment
#define BULGE_REACH 3.0                 // radii over sin(half bend): the bulge is then below r/2
#define SAME_PLACE  1e-9                // of the radius: joints nearer than this are one

// a joint of the tube, and the segment that starts there
typedef struct tdi_path_joint {
    td_vec3 place, tangent;
    td_real radius;
    td_real half_bend; // rad
    bool bears;        // something is attached to the segment between its ends
    tdi_rgb color;
} path_joint;

// a place on the curve
typedef struct stop {
    td_vec3 place, tangent;
    td_real at; // 0..1 along the segment
} stop;

static td_real angle_between(td_vec3 a, td_vec3 b) {
    return atan2(tdi_norm(tdi_cross(a, b)), tdi_dot(a, b));
}

// ---- joints ---------------------------------------------------------------------------------

static td_status push_joint(tdi_path *path, path_joint joint) {
    path_joint *joints = tdi_array_reserve(path->alloc, path->joints, &path->joint_capacity,
                                           path->joint_count + 1, sizeof *joints);
    if (!joints) {
        return TD_ERR_MEMORY;
    }
    path->joints = joints;
    if (path->joint_count > 0) {
        // a segment without length gives way to the next
        const path_joint *last = &joints[path->joint_count - 1];
        td_real gap = tdi_norm(tdi_sub(joint.place, last->place));
        if (gap <= SAME_PLACE * fmax(joint.radius, last->radius)) {
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
        joint.place = posed->origins[i];
        joint.radius = segment->radius_base;
        joint.bears = axes->bears[i];
        joint.color = tdi_rgb_linear(segment->color);
        td_status status = push_joint(path, joint);
        if (status != TD_OK) {
            return status;
        }
        last = i;
    }
    joint.place = tdi_posed_tip(posed, last);
    joint.radius = posed->segments[last].radius_tip;
    joint.bears = false;
    return push_joint(path, joint);
}

// direction from joint i to the next
static td_vec3 chord(const tdi_path *path, int64_t i) {
    td_vec3 d = tdi_sub(path->joints[i + 1].place, path->joints[i].place);
    return tdi_unit_or(d, tdi_vec3(0, 1, 0));
}

static void set_tangents(tdi_path *path) {
    int64_t last = path->joint_count - 1;
    path->joints[0].tangent = chord(path, 0);
    path->joints[last].tangent = chord(path, last - 1);
    for (int64_t i = 1; i < last; i++) {
        td_vec3 a = chord(path, i - 1), b = chord(path, i);
        path->joints[i].tangent = tdi_unit_or(tdi_add(a, b), b);
        path->joints[i].half_bend = angle_between(a, b) / 2;
    }
}

// ---- rings ----------------------------------------------------------------------------------

static td_status push_ring(tdi_path *path, tdi_ring ring) {
    if (path->ring_count >= path->max_rings) {
        return TD_ERR_LIMIT;
    }
    tdi_ring *rings = tdi_array_reserve(path->alloc, path->rings, &path->ring_capacity,
                                        path->ring_count + 1, sizeof *rings);
    if (!rings) {
        return TD_ERR_MEMORY;
    }
    path->rings = rings;
    rings[path->ring_count++] = ring;
    return TD_OK;
}

// dr/dl between joint i and the next
static td_real slope_of(const tdi_path *path, int64_t i) {
    const path_joint *from = &path->joints[i], *to = from + 1;
    return (to->radius - from->radius) / tdi_norm(tdi_sub(to->place, from->place));
}

// a ring between joint i and the next
static td_status push_between(tdi_path *path, int64_t i, stop where) {
    const path_joint *from = &path->joints[i], *to = from + 1;
    tdi_ring ring = {.centre = where.place,
                     .tangent = where.tangent,
                     .radius = from->radius + where.at * (to->radius - from->radius),
                     .slope = slope_of(path, i),
                     .color = tdi_rgb_mix(from->color, to->color, (int32_t)(256 * where.at))};
    return push_ring(path, ring);
}

static td_status push_at_joint(tdi_path *path, int64_t i) {
    const path_joint *joint = &path->joints[i];
    int64_t last = path->joint_count - 1;
    td_real before = slope_of(path, i > 0 ? i - 1 : 0);
    td_real after = slope_of(path, i < last ? i : last - 1);
    tdi_ring ring = {.centre = joint->place,
                     .tangent = joint->tangent,
                     .radius = joint->radius,
                     .slope = (before + after) / 2,
                     .color = joint->color};
    return push_ring(path, ring);
}

// Rings strictly inside the cubic from a to b, whose speed at both ends is |b - a|:
//   p(u) = a + (3u^2 - 2u^3)(b - a) + |b - a| [(u - 2u^2 + u^3) ta + (u^3 - u^2) tb]
static td_status push_inside(tdi_path *path, int64_t i, stop a, stop b) {
    td_vec3 d = tdi_sub(b.place, a.place);
    td_real length = tdi_norm(d);
    td_vec3 along = tdi_unit_or(d, a.tangent);
    td_real turn = angle_between(a.tangent, along) + angle_between(along, b.tangent);
    // a hair below the quotient, so that a turn of exactly the limit is one piece
    int32_t pieces = (int32_t)ceil(turn / path->turn_limit - 1e-6);
    td_status status = TD_OK;
    for (int32_t k = 1; k < pieces && status == TD_OK; k++) {
        td_real u = (td_real)k / pieces, u2 = u * u, u3 = u2 * u;
        td_vec3 p = tdi_madd(a.place, d, 3 * u2 - 2 * u3);
        p = tdi_madd(p, a.tangent, length * (u - 2 * u2 + u3));
        p = tdi_madd(p, b.tangent, length * (u3 - u2));
        td_vec3 v = tdi_scale(d, 6 * u - 6 * u2);
        v = tdi_madd(v, a.tangent, length * (1 - 4 * u + 3 * u2));
        v = tdi_madd(v, b.tangent, length * (3 * u2 - 2 * u));
        stop where = {p, tdi_unit_or(v, along), a.at + u * (b.at - a.at)};
        status = push_between(path, i, where);
    }
    return status;
}

// how far the bend at `joint` shapes a segment of length `run`: half of it at most
static td_real reach_of(const path_joint *joint, bool bears, td_real run) {
    td_real reach = run / 2;
    if (2 * joint->half_bend > GENTLE) {
        reach = fmin(reach, KNEE_REACH * joint->radius);
    }
    // what is attached in the middle of a segment must not be left hanging in the air
    if (bears && joint->half_bend > 0) {
        reach = fmin(reach, BULGE_REACH * joint->radius / sin(joint->half_bend));
    }
    return reach;
}

// rings between joint i and the next
static td_status push_segment(tdi_path *path, int64_t i) {
    const path_joint *from = &path->joints[i], *to = from + 1;
    td_real run = tdi_norm(tdi_sub(to->place, from->place));
    td_real reach_from = reach_of(from, from->bears, run);
    td_real reach_to = reach_of(to, from->bears, run);
    td_vec3 along = chord(path, i);

    // where the curve stops to be a knee and is straight; nowhere when both halves are curved
    stop stops[4] = {{from->place, from->tangent, 0}};
    int count = 1;
    bool straight = from->bears || reach_from < run / 2 || reach_to < run / 2;
    if (straight && from->half_bend > 0) {
        stops[count++] = (stop){tdi_madd(from->place, along, reach_from), along, reach_from / run};
    }
    if (straight && to->half_bend > 0 && 1 - reach_to / run > stops[count - 1].at) {
        stops[count++] = (stop){tdi_madd(to->place, along, -reach_to), along, 1 - reach_to / run};
    }
    stops[count++] = (stop){to->place, to->tangent, 1};

    td_status status = TD_OK;
    for (int k = 1; k < count && status == TD_OK; k++) {
        status = push_inside(path, i, stops[k - 1], stops[k]);
        if (status == TD_OK && k + 1 < count) {
            status = push_between(path, i, stops[k]);
        }
    }
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_path_build(tdi_path *path, const tdi_posed *posed, const tdi_axes *axes,
                         int32_t start) {
    path->ring_count = 0;
    td_status status = gather_joints(path, posed, axes, start);
    if (status != TD_OK || path->joint_count < 2) {
        return status;
    }
    set_tangents(path);
    status = push_at_joint(path, 0);
    for (int64_t i = 0; i + 1 < path->joint_count && status == TD_OK; i++) {
        status = push_segment(path, i);
        if (status == TD_OK) {
            status = push_at_joint(path, i + 1);
        }
    }
    return status;
}

void tdi_path_free(tdi_path *path) {
    tdi_alloc_free(path->alloc, path->joints, (size_t)path->joint_capacity * sizeof *path->joints);
    tdi_alloc_free(path->alloc, path->rings, (size_t)path->ring_capacity * sizeof *path->rings);
    path->joints = NULL;
    path->rings = NULL;
}
