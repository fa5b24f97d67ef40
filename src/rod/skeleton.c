// SPDX-License-Identifier: MIT
// Models of rods: from skeletons to nodes.
//
// Edges      A segment is an edge along its +Y; its axes are those of the segment.
// Starts     A segment that does not start at its parent's tip starts at an offset from it. Its
//            children would then hang on four vertices, and elimination knows three: before a
//            segment with children comes a spur, a stiff edge without mass to where it starts.
// Joints     Where a segment rests turned against its parent by more than a little, its joint is
//            measured from a rest frame; see rest_frame.h.
// Masses     Slender stems are mass along their edge. All else is a body welded to it.

#include "rod/build.h"

#include "base/guard.h"
#include "rod/rest_frame.h"

#include "load/drag.h"
#include "math/quat.h"
#include "plant/segment.h"

#include <math.h>
#include <string.h>

#define PI       3.14159265358979323846
#define AT_TIP   1e-6 // of the parent's length: as near is at its tip
#define SHORTEST 1e-3 // of the parent's length: spurs are longer
#define ON_AXIS  1e-6 // of the length: as near is on the axis
#define SLENDER  0.03 // of the second moment along: that across may be neglected
#define PLAIN    0.05 // rad: half the angle from which on a joint has a rest frame
#define RIGID    1e4  // times as stiff as what hangs on it: what does not bend

typedef struct maker {
    tdi_rod_model *model;
    const td_segment *segments;
    const td_material *materials;
    int32_t count;
    td_vec3 *origin; // of the segments at the start
    td_quat *turn;
    bool *bears;                   // it has children
    const td_attached_mass **body; // welded to it, or NULL
    int32_t next, welds, rest_frames;
} maker;

// ---- what a segment becomes -----------------------------------------------------------------

// The length of its edge: to the tip where that is on the axis.
static td_real length_of(const td_segment *s) {
    td_real off = fabs(s->tip.x) + fabs(s->tip.z);
    return s->tip.y > 0 && off <= ON_AXIS * s->tip.y ? s->tip.y : s->length;
}

// From the end of the parent's edge to where the segment starts, in the parent's axes.
static td_vec3 offset_of(const td_segment *segments, int32_t i) {
    const td_segment *up = &segments[segments[i].parent];
    return tdi_sub(segments[i].attach, tdi_vec3(0, length_of(up), 0));
}

typedef enum start_kind { AT_PARENT, AT_OFFSET, AT_SPUR } start_kind;

static start_kind start_of(const td_segment *segments, const bool *bears, int32_t i) {
    if (segments[i].parent == TD_NONE) {
        return AT_PARENT;
    }
    td_real off = tdi_norm(offset_of(segments, i));
    td_real length = length_of(&segments[segments[i].parent]);
    return off <= (bears[i] ? SHORTEST : AT_TIP) * length ? AT_PARENT
           : bears[i]                                     ? AT_SPUR
                                                          : AT_OFFSET;
}

static bool has_rest_frame(td_quat rest) {
    return fabs(rest.w) < cos(PLAIN);
}

// Whether its mass can be that of a line.
static bool is_slender(const td_segment *s) {
    const td_sym3 *m = &s->second_moment;
    td_real length = length_of(s), small = ON_AXIS * s->mass * length;
    return s->organ == TD_ORGAN_STEM && fabs(s->centre_of_mass.x) <= ON_AXIS * length &&
           fabs(s->centre_of_mass.z) <= ON_AXIS * length && m->xx <= SLENDER * m->yy &&
           m->zz <= SLENDER * m->yy && fabs(m->xy) <= small * length &&
           fabs(m->xz) <= small * length && fabs(m->yz) <= small * length;
}

static bool is_welded(const maker *k, int32_t i) {
    return !is_slender(&k->segments[i]) || start_of(k->segments, k->bears, i) == AT_OFFSET;
}

static td_status check_segment(const td_segment *s, int32_t i, td_diag *diag) {
    td_status status = tdi_segment_check(s, i, diag);
    if (status == TD_OK && (s->joint == TD_JOINT_HINGE || s->joint == TD_JOINT_SLIDE)) {
        status = tdi_fail_at(diag, TD_ERR_STRUCTURE, i,
                             "segment %d has a %s joint, which the solver 'rod' does not have", i,
                             s->joint == TD_JOINT_HINGE ? "hinge" : "slide");
    }
    return status;
}

// ---- frames ---------------------------------------------------------------------------------

static tdi_edge edge_at(td_quat turn, td_real length) {
    return (tdi_edge){.t = tdi_quat_rotate(turn, tdi_vec3(0, 1, 0)),
                      .m1 = tdi_quat_rotate(turn, tdi_vec3(0, 0, 1)),
                      .m2 = tdi_quat_rotate(turn, tdi_vec3(1, 0, 0)),
                      .length = length};
}

// The rotation that takes +Y to the direction of d the shortest way.
static td_quat up_to(td_vec3 d) {
    td_vec3 u = tdi_scale(d, 1 / tdi_norm(d));
    return u.y < -1 + 1e-12 ? (td_quat){0, 1, 0, 0}
                            : tdi_quat_unit((td_quat){1 + u.y, u.z, 0, -u.x});
}

// ---- joints ---------------------------------------------------------------------------------

static td_real section_of(const td_segment *s) { // m^2, the mean
    td_real a = s->radius_base, b = s->radius_tip;
    return PI * (a * a + a * b + b * b) / 3;
}

// Stiffness against bending of the segment itself, as a joint over half of it.
static td_real own_bend(const maker *k, const td_segment *s) {
    td_real area = section_of(s);
    return k->materials[s->material].young * area * area / (4 * PI) / (0.5 * length_of(s));
}

static td_vec3 stiffness_of(const maker *k, const td_segment *s) {
    td_real stiff = RIGID * own_bend(k, s);
    return s->joint == TD_JOINT_FIXED ? tdi_vec3(stiff, stiff, stiff) : s->stiffness;
}

static td_real damping_time(const td_segment *s) {
    td_real k = s->stiffness.x + s->stiffness.y + s->stiffness.z;
    return k > 0 ? (s->damping.x + s->damping.y + s->damping.z) / k : 0;
}

// The law, and the twist at the start, of a joint whose edge rests turned by `rest` against the one
// before, which has the turn `before` at the start.
static td_status make_joint(maker *k, int32_t i, td_vec3 stiffness, td_quat rest, td_quat before,
                            td_quat now, td_diag *diag) {
    tdi_rod_node *n = &k->model->node[i];
    const bool rest_frame = has_rest_frame(rest);
    n->law = (tdi_joint_law){{stiffness.x, 0, stiffness.z}, stiffness.y, {0, 0, 0}};
    if (rest_frame) {
        n->flags |= TDI_REST_FRAME;
        n->rest_frame = k->rest_frames++;
        k->model->rest_frame[n->rest_frame] = tdi_mat3_from_quat(rest);
        before = tdi_quat_mul(before, rest);
    }
    const tdi_edge e = edge_at(before, 1), f = edge_at(now, 1);
    const tdi_edge at_rest = edge_at(rest_frame ? before : tdi_quat_mul(before, rest), 1);
    const tdi_joint_strain s = tdi_joint_measure(&e, &f), r = tdi_joint_measure(&e, &at_rest);
    if (s.chi < TDI_FOLDED) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, n->edge,
                           "segment %d: its initial pose is folded back against its rest shape",
                           n->edge);
    }
    n->law.rest[0] = r.k1;
    n->law.rest[1] = r.k2;
    n->law.rest[2] = tdi_joint_twist(&r, 0);
    n->start_twist = tdi_joint_twist(&s, n->law.rest[2]);
    return TD_OK;
}

// ---- nodes ----------------------------------------------------------------------------------

// Adds a body to the edge of a node.
static void weld(maker *k, int32_t i, td_real mass, td_vec3 centre, td_sym3 second) {
    tdi_rod_node *n = &k->model->node[i];
    if (n->body == TD_NONE) {
        n->body = k->welds++;
        n->flags |= TDI_BODY;
        k->model->weld[n->body] = (tdi_weld){.node = i};
    }
    tdi_weld *w = &k->model->weld[n->body];
    w->mass += mass;
    w->moment = tdi_madd(w->moment, centre, mass);
    w->second = tdi_sym3_add(w->second, second);
}

static void make_mass(maker *k, int32_t i, const td_segment *s) {
    tdi_rod_model *m = k->model;
    tdi_rod_node *n = &m->node[i];
    const td_attached_mass *b = k->body[n->edge];
    if (is_welded(k, n->edge)) {
        weld(k, i, s->mass, s->centre_of_mass, s->second_moment);
    }
    if (b) {
        weld(k, i, b->mass, b->centre_of_mass, b->second_moment);
    }
    if (is_welded(k, n->edge)) {
        return;
    }
    const td_real length = length_of(s);
    tdi_rod_add_mass(m, i, s->mass, s->mass * s->centre_of_mass.y / length,
                     s->second_moment.yy / (length * length));
    n->inertia = s->second_moment.xx + s->second_moment.zz;
}

// The node at the end of a segment, without its joint.
static int32_t make_tip(maker *k, int32_t segment, int32_t parent, uint32_t flags) {
    tdi_rod_model *m = k->model;
    const td_segment *s = &k->segments[segment];
    const int32_t i = k->next++;
    const td_quat turn = k->turn[segment];
    tdi_rod_node *n = &m->node[i];
    tdi_rod_link(m, i, parent, flags);
    n->edge = segment;
    m->edge_node[segment] = m->vertex_node[segment] = i;
    n->length = length_of(s) * (s->rest_length / s->length);
    n->stretch = s->section.stretch / n->length;
    n->damping_time = damping_time(s);
    n->radius = 0.5 * (s->radius_base + s->radius_tip);
    n->area = tdi_segment_areas(s);
    n->fold = tdi_segment_fold(s);
    n->start_m1 = tdi_quat_rotate(turn, tdi_vec3(0, 0, 1));
    n->start = tdi_add(k->origin[segment], tdi_quat_rotate(turn, tdi_vec3(0, length_of(s), 0)));
    make_mass(k, i, s);
    return i;
}

// On the ground: clamped by a ghost that stands as the segment rests, held itself, or free.
static td_status make_root(maker *k, int32_t segment, td_diag *diag) {
    tdi_rod_model *m = k->model;
    const td_segment *s = &k->segments[segment];
    const uint32_t held = TDI_HELD_PLACE | TDI_HELD_TURN | TDI_HELD_BASE;
    const td_real length = length_of(s);
    if (s->joint != TD_JOINT_BALL) {
        const bool fixed = s->joint == TD_JOINT_FIXED;
        const int32_t root = k->next++;
        tdi_rod_link(m, root, TD_NONE, fixed ? held : 0);
        m->node[root].start = k->origin[segment];
        make_tip(k, segment, root, fixed ? held : 0);
        return TD_OK;
    }
    const int32_t ghost = k->next++, root = k->next++;
    const tdi_edge at_rest = edge_at(s->rest, length);
    tdi_rod_link(m, ghost, TD_NONE, held);
    tdi_rod_link(m, root, ghost, held);
    m->node[root].start = k->origin[segment];
    m->node[root].start_m1 = at_rest.m1;
    m->node[root].length = length;
    m->node[ghost].start = tdi_madd(k->origin[segment], at_rest.t, -length);
    const int32_t i = make_tip(k, segment, root, 0);
    return make_joint(k, i, s->stiffness, tdi_quat_identity(), s->rest, k->turn[segment], diag);
}

// A stiff edge to where a segment starts: how it is turned against the parent, in *turn.
static td_status make_spur(maker *k, int32_t segment, int32_t *parent, td_quat *turn,
                           td_diag *diag) {
    tdi_rod_model *m = k->model;
    const td_segment *s = &k->segments[segment];
    const td_vec3 to = offset_of(k->segments, segment), has = stiffness_of(k, s);
    const td_real most = fmax(has.x, fmax(has.y, has.z)),
                  stiff = RIGID * fmax(most, own_bend(k, s));
    const int32_t i = k->next++;
    const td_quat up = k->turn[s->parent];
    tdi_rod_node *n = &m->node[i];
    *turn = up_to(to);
    tdi_rod_link(m, i, *parent, 0);
    n->length = tdi_norm(to);
    n->stretch = RIGID * k->materials[s->material].young * section_of(s) / length_of(s);
    n->damping_time = damping_time(s);
    n->start = k->origin[segment];
    n->start_m1 = tdi_quat_rotate(tdi_quat_mul(up, *turn), tdi_vec3(0, 0, 1));
    *parent = i;
    return make_joint(k, i, tdi_vec3(stiff, stiff, stiff), *turn, up, tdi_quat_mul(up, *turn),
                      diag);
}

static td_status make_branch(maker *k, int32_t segment, td_diag *diag) {
    const td_segment *s = &k->segments[segment];
    const start_kind start = start_of(k->segments, k->bears, segment);
    int32_t parent = k->model->edge_node[s->parent];
    td_quat before = k->turn[s->parent], rest = s->rest;
    if (start == AT_SPUR) {
        td_quat turn;
        TDI_TRY(make_spur(k, segment, &parent, &turn, diag));
        before = tdi_quat_mul(before, turn);
        rest = tdi_quat_mul(tdi_quat_conj(turn), rest);
    }
    const int32_t i = make_tip(k, segment, parent, 0);
    if (start == AT_OFFSET) {
        k->model->node[i].flags |= TDI_OFFSET;
        k->model->node[i].offset = offset_of(k->segments, segment);
    }
    return make_joint(k, i, stiffness_of(k, s), rest, before, k->turn[segment], diag);
}

// ---- entry ----------------------------------------------------------------------------------

// How many there will be of everything.
static tdi_rod_sizes sizes_of(const maker *k) {
    tdi_rod_sizes z = {.edges = k->count, .rods = 1, .vertices = k->count};
    for (int32_t i = 0; i < k->count; i++) {
        const td_segment *s = &k->segments[i];
        const bool root = s->parent == TD_NONE,
                   spur = start_of(k->segments, k->bears, i) == AT_SPUR;
        z.nodes += 1 + (root ? (s->joint == TD_JOINT_BALL ? 2 : 1) : spur);
        z.welds += is_welded(k, i) || k->body[i];
        z.rest_frames += !root + spur; // at most
    }
    return z;
}

static td_status make_all(maker *k, const td_alloc *alloc, td_diag *diag) {
    const tdi_rod_sizes sizes = sizes_of(k);
    tdi_rod_model *m = k->model = tdi_rod_model_room(&sizes, alloc);
    td_status status = m ? TD_OK : TD_ERR_MEMORY;
    for (int32_t i = 0; i < k->count && status == TD_OK; i++) {
        status = k->segments[i].parent == TD_NONE ? make_root(k, i, diag) : make_branch(k, i, diag);
    }
    if (status == TD_OK) {
        m->rod_first[1] = k->count;
        m->end_node[0] = m->end_node[1] = TD_NONE;
        tdi_rod_finish(m);
    }
    return status;
}

static td_status make(maker *k, const td_skeleton *skeleton, const td_alloc *alloc, td_diag *diag) {
    const size_t n = (size_t)k->count,
                 bytes = sizeof *k->origin + sizeof *k->turn + sizeof *k->body + sizeof *k->bears;
    char *room = tdi_alloc_zeroed(alloc, n, bytes);
    TDI_TRY(room ? TD_OK : TD_ERR_MEMORY);
    k->turn = (td_quat *)room;
    k->origin = (td_vec3 *)(k->turn + n);
    k->body = (const td_attached_mass **)(k->origin + n);
    k->bears = (bool *)(k->body + n);
    for (int32_t i = 0; i < td_skeleton_attached_mass_count(skeleton); i++) {
        const td_attached_mass *b = &td_skeleton_attached_masses(skeleton)[i];
        k->body[b->segment] = b;
    }
    td_skeleton_pose(skeleton, TD_POSE_INITIAL, k->origin, k->turn);
    for (int32_t i = 0; i < k->count; i++) {
        if (k->segments[i].parent != TD_NONE) {
            k->bears[k->segments[i].parent] = true;
        }
    }
    td_status status = make_all(k, alloc, diag);
    tdi_alloc_free(alloc, room, n * bytes);
    return status;
}

td_status tdi_rod_model_from_skeleton(const td_skeleton *skeleton, const td_alloc *alloc,
                                      tdi_rod_model **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!skeleton || !out);
    maker k = {.segments = td_skeleton_segments(skeleton),
               .materials = td_skeleton_materials(skeleton),
               .count = td_skeleton_count(skeleton)};
    if (td_skeleton_strand_count(skeleton) > 0) {
        return tdi_rod_model_of_strands(skeleton, alloc, out, diag);
    }
    if (k.count == 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the skeleton has no segments");
    }
    if (k.count > INT32_MAX / 4) {
        return tdi_fail(diag, TD_ERR_LIMIT, "the skeleton has too many segments for rods");
    }
    for (int32_t i = 0; i < k.count; i++) {
        TDI_TRY(check_segment(&k.segments[i], i, diag));
    }
    td_status status = make(&k, skeleton, alloc, diag);
    if (status != TD_OK) {
        tdi_model_free(k.model);
        return status == TD_ERR_MEMORY ? tdi_fail(diag, status, "out of memory for the rods")
                                       : status;
    }
    *out = k.model;
    if (TDI_ASSERTS) {
        tdi_rod_model_validate(k.model);
    }
    return TD_OK;
}
