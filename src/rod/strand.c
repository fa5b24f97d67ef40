// SPDX-License-Identifier: MIT
// Models of rods: from the strands of a skeleton to chains.
//
// Edges     The stems of strands, in their order; they come before all other segments.
// Joints    have the springs of their segments, and rest as these do. What is left, the joint that
//           closes a ring and that with a clamp at the end, follows from sections.
// Welds     Segments with fixed joints, and the bodies of the skeleton.

#include "rod/build.h"

#include "load/drag.h"
#include "math/quat.h"
#include "plant/solids.h"

#include <math.h>

typedef struct strand_maker {
    const td_skeleton *skeleton;
    const td_segment *segments; // of the skeleton
    const td_material *materials;
    const td_strand *strands;
    int32_t strand_count, edge_count, body_count;
    td_quat *turns;  // of the segments at the start
    td_vec3 *points; // room for those of all strands
    td_rod_body *bodies;
    int32_t *body_of; // an edge, or TD_NONE
    tdi_rod_chain *chains;
} strand_maker;

// ---- frames ---------------------------------------------------------------------------------

static tdi_edge edge_at(td_quat turn) {
    return (tdi_edge){.t = tdi_quat_rotate(turn, tdi_vec3(0, 1, 0)),
                      .m1 = tdi_quat_rotate(turn, tdi_vec3(0, 0, 1)),
                      .m2 = tdi_quat_rotate(turn, tdi_vec3(1, 0, 0)),
                      .length = 1};
}

static tdi_edge edge_between(td_vec3 from, td_vec3 to, td_quat turn) {
    const td_vec3 f = tdi_sub(to, from);
    tdi_edge e = {.length = tdi_norm(f)};
    e.t = tdi_scale(f, 1 / e.length);
    e.m1 = tdi_director(tdi_quat_rotate(turn, tdi_vec3(0, 0, 1)), e.t);
    e.m2 = tdi_cross(e.t, e.m1);
    return e;
}

// ---- edges ----------------------------------------------------------------------------------

// What is pinned has no springs to tell its damping.
static td_real damping_time(const strand_maker *k, const td_segment *s) {
    const td_real stiff = s->stiffness.x + s->stiffness.y + s->stiffness.z;
    return stiff > 0 ? (s->damping.x + s->damping.y + s->damping.z) / stiff
                     : k->materials[s->material].damping_time;
}

static tdi_chain_edge edge_of(const strand_maker *k, const td_segment *s) {
    const td_real radius = 0.5 * (s->radius_base + s->radius_tip);
    return (tdi_chain_edge){.length = s->rest_length,
                            .stretch = s->section.stretch / s->rest_length,
                            .damping_time = damping_time(k, s),
                            .inertia = s->second_moment.xx + s->second_moment.zz,
                            .radius = radius * fmax(1, s->flat),
                            .mass = s->mass,
                            .first = s->mass * s->centre_of_mass.y / s->length,
                            .second = s->second_moment.yy / (s->length * s->length),
                            .area = tdi_segment_areas(s)};
}

static void make_edges(const strand_maker *k, const td_strand *s, tdi_rod_chain *c) {
    for (int32_t j = 0; j < s->count; j++) {
        const int32_t next = s->closed && j == s->count - 1 ? 0 : j + 1;
        c->edges[j] = edge_of(k, &k->segments[s->first + j]);
        c->edges[j].start = edge_between(c->points[j], c->points[next], k->turns[s->first + j]);
    }
}

// ---- joints ---------------------------------------------------------------------------------

static tdi_joint_law law_of(td_vec3 stiffness) {
    return (tdi_joint_law){{stiffness.x, 0, stiffness.z}, stiffness.y, {0, 0, 0}};
}

// Half a segment: 2 B/l.
static td_vec3 half_of(const td_segment *s) {
    const td_real over = 2 / s->rest_length;
    return tdi_vec3(s->section.bend_x * over, s->section.twist * over, s->section.bend_z * over);
}

static td_vec3 in_series(td_vec3 a, td_vec3 b) {
    return tdi_vec3(1 / (1 / a.x + 1 / b.x), 1 / (1 / a.y + 1 / b.y), 1 / (1 / a.z + 1 / b.z));
}

// At ease the segment after the joint is turned by `rest` against that before it.
static void set_rest(tdi_chain_joint *joint, td_quat rest) {
    const tdi_edge before = edge_at(tdi_quat_identity()), after = edge_at(rest);
    const tdi_joint_strain s = tdi_joint_measure(&before, &after);
    joint->law.rest[0] = s.k1;
    joint->law.rest[1] = s.k2;
    joint->law.rest[2] = tdi_joint_twist(&s, 0);
}

static void make_inner(const td_segment *s, tdi_rod_chain *c, int32_t j, td_real more) {
    const tdi_joint_strain start = tdi_joint_measure(&c->edges[j - 1].start, &c->edges[j].start);
    c->joints[j].law = law_of(s->stiffness);
    set_rest(&c->joints[j], s->rest);
    c->joints[j].start_twist = tdi_joint_twist(&start, c->joints[j].law.rest[2] + more);
}

// The ends are joined as they meet, less the twist that was asked for.
static void make_closing(const td_strand *s, const td_segment *first, tdi_rod_chain *c,
                         td_real more) {
    const int32_t last = s->count - 1;
    const tdi_joint_strain start = tdi_joint_measure(&c->edges[last].start, &c->edges[0].start);
    c->joints[0].law = law_of(in_series(half_of(&first[last]), half_of(first)));
    set_rest(&c->joints[0], s->closing);
    c->joints[0].start_twist = tdi_joint_twist(&start, 0);
    c->joints[0].law.rest[2] = c->joints[0].start_twist - more;
}

static void make_joints(const strand_maker *k, const td_strand *s, tdi_rod_chain *c) {
    const td_segment *first = &k->segments[s->first];
    const int32_t n = s->count;
    const td_real whole = tdi_twisted_length(c), rate = whole > 0 ? s->twist / whole : 0;
    for (int32_t j = 1; j < n; j++) {
        make_inner(&first[j], c, j, rate * tdi_joint_length(c, j));
    }
    if (s->closed) {
        make_closing(s, first, c, rate * tdi_joint_length(c, 0));
    }
    if (s->start == TD_END_CLAMPED) {
        c->joints[0] = (tdi_chain_joint){law_of(first->stiffness), rate * tdi_joint_length(c, 0)};
    }
    if (s->end == TD_END_CLAMPED) {
        c->joints[n] =
            (tdi_chain_joint){law_of(half_of(&first[n - 1])), rate * tdi_joint_length(c, n)};
    }
}

// ---- welds ----------------------------------------------------------------------------------

static void weld(strand_maker *k, int32_t edge, td_real mass, td_vec3 centre, td_sym3 second) {
    if (k->body_of[edge] == TD_NONE) {
        k->body_of[edge] = k->body_count;
        k->bodies[k->body_count++] = (td_rod_body){.edge = edge};
    }
    td_rod_body *b = &k->bodies[k->body_of[edge]];
    const td_vec3 moment = tdi_madd(tdi_scale(b->centre_of_mass, b->mass), centre, mass);
    b->mass += mass;
    b->centre_of_mass = tdi_scale(moment, 1 / b->mass);
    b->second_moment = tdi_sym3_add(b->second_moment, second);
}

// A segment with a fixed joint, from its own axes to those of its parent:
//   x = a + R X,  S' = R S R^T + R f a^T + a (R f)^T + m a a^T
static void weld_segment(strand_maker *k, const td_segment *s) {
    const tdi_mat3 r = tdi_mat3_from_quat(s->initial);
    const td_vec3 a = s->attach, c = tdi_mat3_apply(&r, s->centre_of_mass);
    td_sym3 second = tdi_sym3_turn(&r, &s->second_moment);
    second = tdi_sym3_add(second, tdi_sym3_square(tdi_add(c, a), s->mass));
    second = tdi_sym3_add(second, tdi_sym3_square(c, -s->mass));
    weld(k, s->parent, s->mass, tdi_add(a, c), second);
}

static void make_bodies(strand_maker *k) {
    for (int32_t i = 0; i < k->edge_count; i++) {
        k->body_of[i] = TD_NONE;
    }
    for (int32_t i = k->edge_count; i < td_skeleton_count(k->skeleton); i++) {
        weld_segment(k, &k->segments[i]);
    }
    for (int32_t i = 0; i < td_skeleton_attached_mass_count(k->skeleton); i++) {
        const td_attached_mass *b = &td_skeleton_attached_masses(k->skeleton)[i];
        weld(k, b->segment, b->mass, b->centre_of_mass, b->second_moment);
    }
    for (int32_t i = 0; i < k->body_count; i++) { // from edges of all to those of a rod
        int32_t rod = 0;
        while (k->bodies[i].edge >= k->strands[rod].first + k->strands[rod].count) {
            rod++;
        }
        k->bodies[i].rod = rod;
        k->bodies[i].edge -= k->strands[rod].first;
    }
}

// ---- contact --------------------------------------------------------------------------------

// The capsules of welded bodies, from the axes of their segment to those of the edge.
static void make_solids(const strand_maker *k, const td_vec3 *origins, const tdi_rod_model *m) {
    tdi_solid own[TDI_SOLIDS];
    tdi_rod_solid *next = m->solid;
    for (int32_t i = 0; i < td_skeleton_count(k->skeleton); i++) {
        const td_segment *s = &k->segments[i];
        const bool rides = i >= k->edge_count;
        const int32_t count = tdi_segment_solids(s, td_skeleton_shapes(k->skeleton), own);
        for (int32_t j = 0; j < count; j++, next++) {
            *next = (tdi_rod_solid){
                .edge = rides ? s->parent : i, .segment = i, .radius = own[j].radius};
            for (int e = 0; e < 2; e++) {
                const td_vec3 p = own[j].end[e];
                next->end[e] = rides ? tdi_add(s->attach, tdi_quat_rotate(s->initial, p)) : p;
                next->drawn[e] = tdi_add(origins[i], tdi_quat_rotate(k->turns[i], p));
            }
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

// Strands one after the other, then what is fixed to them.
static td_status check(strand_maker *k, td_diag *diag) {
    for (int32_t i = 0; i < k->strand_count; i++) {
        if (k->strands[i].first != k->edge_count) {
            return tdi_fail_at(diag, TD_ERR_STRUCTURE, k->edge_count,
                               "segment %d is not part of the strand that comes next",
                               (int)k->edge_count);
        }
        k->edge_count += k->strands[i].count;
    }
    for (int32_t i = k->edge_count; i < td_skeleton_count(k->skeleton); i++) {
        const td_segment *s = &k->segments[i];
        if (s->joint != TD_JOINT_FIXED || s->parent < 0 || s->parent >= k->edge_count) {
            return tdi_fail_at(diag, TD_ERR_STRUCTURE, i,
                               "segment %d is not fixed to a strand, and rods with strands are "
                               "nothing else",
                               (int)i);
        }
    }
    const td_attached_mass *bodies = td_skeleton_attached_masses(k->skeleton);
    for (int32_t i = 0; i < td_skeleton_attached_mass_count(k->skeleton); i++) {
        if (bodies[i].segment >= k->edge_count) {
            return tdi_fail_at(diag, TD_ERR_STRUCTURE, bodies[i].segment,
                               "segment %d has a body, which only those of strands have",
                               (int)bodies[i].segment);
        }
    }
    return TD_OK;
}

// The origins of all segments are in `points`, which needs room for the ends as well.
static void make_chains(const strand_maker *k, const td_vec3 *origins) {
    td_vec3 *next = k->points;
    for (int32_t r = 0; r < k->strand_count; r++) {
        const td_strand *s = &k->strands[r];
        tdi_rod_chain *c = &k->chains[r];
        const int32_t last = s->first + s->count - 1;
        for (int32_t j = 0; j < s->count; j++) {
            next[j] = origins[s->first + j];
        }
        next[s->count] =
            tdi_add(origins[last], tdi_quat_rotate(k->turns[last], k->segments[last].tip));
        c->points = next;
        next += s->count + 1;
        make_edges(k, s, c);
        make_joints(k, s, c);
    }
}

static td_status make(strand_maker *k, const td_alloc *alloc, tdi_rod_model **out, td_diag *diag) {
    const int32_t n = td_skeleton_count(k->skeleton);
    for (int32_t r = 0; r < k->strand_count; r++) {
        const td_strand *s = &k->strands[r];
        k->chains[r] = (tdi_rod_chain){.vertex_count = s->closed ? s->count : s->count + 1,
                                       .edge_count = s->count,
                                       .closed = s->closed,
                                       .start = s->start,
                                       .end = s->end,
                                       .parent_rod = TD_NONE,
                                       .parent_vertex = TD_NONE};
    }
    td_status status = tdi_rod_chains_new(k->chains, k->strand_count, alloc);
    if (status == TD_OK) {
        td_vec3 *origins = k->points + n + k->strand_count;
        td_skeleton_pose(k->skeleton, TD_POSE_INITIAL, origins, k->turns);
        make_chains(k, origins);
        make_bodies(k);
        status = tdi_rod_model_of(k->chains, k->strand_count, k->bodies, k->body_count,
                                  tdi_solid_count(k->skeleton), alloc, out, diag);
        if (status == TD_OK) {
            make_solids(k, origins, *out);
        }
    } else {
        tdi_fail(diag, status, "out of memory for the rods");
    }
    tdi_rod_chains_free(k->chains, k->strand_count, alloc);
    return status;
}

td_status tdi_rod_model_of_strands(const td_skeleton *skeleton, const td_alloc *alloc,
                                   tdi_rod_model **out, td_diag *diag) {
    strand_maker k = {.skeleton = skeleton,
                      .segments = td_skeleton_segments(skeleton),
                      .materials = td_skeleton_materials(skeleton),
                      .strands = td_skeleton_strands(skeleton),
                      .strand_count = td_skeleton_strand_count(skeleton)};
    TDI_TRY(check(&k, diag));
    // a strand has at least one segment
    const size_t n = 2 * (size_t)td_skeleton_count(skeleton) + 1,
                 bytes = sizeof *k.chains + sizeof *k.bodies + sizeof *k.turns +
                         2 * sizeof *k.points + sizeof *k.body_of;
    char *room = tdi_alloc_zeroed(alloc, n, bytes);
    if (!room) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rods");
    }
    k.chains = (tdi_rod_chain *)room;
    k.bodies = (td_rod_body *)(k.chains + n);
    k.turns = (td_quat *)(k.bodies + n);
    k.points = (td_vec3 *)(k.turns + n);
    k.body_of = (int32_t *)(k.points + 2 * n);
    td_status status = make(&k, alloc, out, diag);
    tdi_alloc_free(alloc, room, n * bytes);
    return status;
}
