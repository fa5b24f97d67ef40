// SPDX-License-Identifier: MIT
#pragma once

// What builder and skeleton are made of, and the steps between them.

#include "plant/mass.h"
#include "tendril/skeleton.h"

// The arrays of a skeleton.
typedef struct tdi_store {
    const td_alloc *alloc;
    td_segment *segments;
    td_material *materials;
    td_shape *shapes;
    td_polygon *polygons;
    td_vec3 *points;
    td_strand *strands;
    td_attached_mass *bodies;
    td_contour *contours;
    int32_t segment_count, material_count, shape_count, polygon_count, point_count, strand_count,
        body_count, contour_count;
    int64_t segment_capacity, material_capacity, shape_capacity, polygon_capacity, point_capacity,
        strand_capacity, body_capacity, contour_capacity;
} tdi_store;

void tdi_store_free(tdi_store *store);
// A copy of all arrays. False: there is no memory; what was copied is to be freed.
bool tdi_store_copy(const tdi_store *from, const td_alloc *alloc, tdi_store *to);

struct td_skeleton {
    tdi_store store;
    td_quat *rest;    // world rotations in the rest pose, segment_count of them
    td_quat *initial; // likewise at the start; the same block where no segment differs
};

// Takes the arrays over: `store` is empty afterwards. Shrinks them to what they hold.
td_status tdi_skeleton_new(tdi_store *store, td_skeleton **out);
// World rotations anew, after `rest` or `initial` of segments have changed.
td_status tdi_skeleton_repose(td_skeleton *skeleton);

// The name in the library that is most like this one; NULL: none is near.
const char *tdi_material_nearest(const char *name);

// Changes materials by name; TD_ERR_ARGUMENT for a name that none has.
td_status tdi_materials_change(td_material *materials, int32_t material_count,
                               const td_material_change *changes, int32_t count, td_diag *diag);

// What the builder knows of a segment beside the segment.
typedef struct tdi_extra {
    td_real joint_young;           // 0: the material's
    td_real density, damping_time; // likewise; damping_time: below 0
    int32_t place;                 // index after pruning, or TD_NONE: dropped
    int32_t body;                  // index into the bodies, or TD_NONE
    td_section section;            // as it was given
    bool has_mass, has_stiffness, has_damping, in_strand;
    bool immovable; // fixed to the ground, by way of fixed segments or directly
} tdi_extra;

struct td_builder {
    tdi_store store;
    td_skeleton_opts opts;
    tdi_extra *extras; // one a segment
    int64_t extra_capacity;
    tdi_shape_moments *shape_moments; // one a shape
    int64_t shape_moments_capacity;
    bool has_ids;    // some id differs from its index
    uint64_t *names; // a segment: the name of what it was made of; or none have one
    int64_t name_count, name_capacity;
};

// Names the segment that was added last: `name` is that of its module, `part` tells several of one
// module from each other. Ids come of them when the builder finishes; see ids.c.
td_status tdi_builder_name(td_builder *builder, uint64_t name, int32_t part, td_diag *diag);
// Ids of all segments, if all were named.
td_status tdi_builder_make_ids(td_builder *builder, td_diag *diag);

// NULL is the default. Checks struct_size and every field.
td_status tdi_skeleton_opts_check(const td_skeleton_opts *opts, td_skeleton_opts *out,
                                  td_diag *diag);

// Every field; the message names the wrong one.
td_status tdi_segment_def_check(const td_builder *builder, const td_segment_def *def,
                                td_diag *diag);

static inline bool tdi_quat_is_zero(td_quat q) {
    return q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0;
}

// The mass properties that a definition gives.
static inline tdi_moments tdi_given_moments(const td_segment_def *def) {
    td_vec3 c = def->centre_of_mass;
    tdi_moments m = {
        def->mass, {c.x * def->mass, c.y * def->mass, c.z * def->mass}, def->second_moment};
    return m;
}

// The same as td_builder_finish(), but masses, sections, springs and areas stay as the segments of
// the store have them.
td_status tdi_builder_finish_as_given(td_builder *builder, td_skeleton **out, td_diag *diag);

// Adds polygons or patches and a shape of them: number i has the next counts[i] of points.
// The other fields come from `shape`.
td_status tdi_builder_add_polygons(td_builder *builder, const td_shape *shape,
                                   const td_vec3 *points, const int32_t *counts,
                                   int32_t polygon_count, int32_t *index, td_diag *diag);

// Adds patches of 16 control points each, and a shape of them.
td_status tdi_builder_add_patches(td_builder *builder, const td_shape *shape, const td_vec3 *points,
                                  int32_t patch_count, int32_t *index, td_diag *diag);

// Drops the segments below the thresholds of `opts` and closes the gaps. TD_ERR_ARGUMENT where a
// strand or a body needs one of them.
td_status tdi_prune(tdi_store *store, tdi_extra *extras, const td_skeleton_opts *opts,
                    td_diag *diag);
bool tdi_prune_drops(const td_skeleton_opts *opts, td_real length, td_real mass);

// TD_ERR_ARGUMENT, naming the segment, for masses, inertias and springs that cannot be computed
// with.
td_status tdi_store_check(const tdi_store *store, td_diag *diag);

// Sections; stiffness and damping of every joint that were not given.
void tdi_springs_set(tdi_store *store, tdi_extra *extras, td_spring_rule rule);
