// SPDX-License-Identifier: MIT
// Skeletons: storage, access, poses.

#include "plant/store.h"

#include "base/alloc.h"
#include "base/guard.h"
#include "math/quat.h"

#include <string.h>

// ---- storage --------------------------------------------------------------------------------

void tdi_store_free(tdi_store *store) {
    const td_alloc *a = store->alloc;
    tdi_alloc_free(a, store->segments, (size_t)store->segment_capacity * sizeof(td_segment));
    tdi_alloc_free(a, store->materials, (size_t)store->material_capacity * sizeof(td_material));
    tdi_alloc_free(a, store->shapes, (size_t)store->shape_capacity * sizeof(td_shape));
    tdi_alloc_free(a, store->polygons, (size_t)store->polygon_capacity * sizeof(td_polygon));
    tdi_alloc_free(a, store->points, (size_t)store->point_capacity * sizeof(td_vec3));
    tdi_alloc_free(a, store->strands, (size_t)store->strand_capacity * sizeof(td_strand));
    tdi_alloc_free(a, store->bodies, (size_t)store->body_capacity * sizeof(td_attached_mass));
    tdi_alloc_free(a, store->contours, (size_t)store->contour_capacity * sizeof(td_contour));
    *store = (tdi_store){.alloc = a};
}

// gives back what an array does not use; a failure to shrink costs nothing but that memory
static void *shrunk(const td_alloc *alloc, void *items, int64_t *capacity, int32_t count,
                    size_t item_size) {
    if (!items || *capacity == count) {
        return items;
    }
    void *moved =
        tdi_alloc_resize(alloc, items, (size_t)*capacity * item_size, (size_t)count * item_size);
    if (!moved && count > 0) {
        return items;
    }
    *capacity = count;
    return moved;
}

static void shrink(tdi_store *s) {
    s->segments =
        shrunk(s->alloc, s->segments, &s->segment_capacity, s->segment_count, sizeof(td_segment));
    s->materials = shrunk(s->alloc, s->materials, &s->material_capacity, s->material_count,
                          sizeof(td_material));
    s->shapes = shrunk(s->alloc, s->shapes, &s->shape_capacity, s->shape_count, sizeof(td_shape));
    s->polygons =
        shrunk(s->alloc, s->polygons, &s->polygon_capacity, s->polygon_count, sizeof(td_polygon));
    s->points = shrunk(s->alloc, s->points, &s->point_capacity, s->point_count, sizeof(td_vec3));
    s->strands =
        shrunk(s->alloc, s->strands, &s->strand_capacity, s->strand_count, sizeof(td_strand));
    s->bodies =
        shrunk(s->alloc, s->bodies, &s->body_capacity, s->body_count, sizeof(td_attached_mass));
    s->contours =
        shrunk(s->alloc, s->contours, &s->contour_capacity, s->contour_count, sizeof(td_contour));
}

// ---- world rotations ------------------------------------------------------------------------

static void free_rotations(td_skeleton *k) {
    const size_t bytes = (size_t)k->store.segment_count * sizeof(td_quat);
    if (k->initial != k->rest) {
        tdi_alloc_free(k->store.alloc, k->initial, bytes);
    }
    tdi_alloc_free(k->store.alloc, k->rest, bytes);
    k->rest = k->initial = NULL;
}

// root to tip: Q_i = Q_parent q_i
static td_quat *rotations_new(const tdi_store *store, td_pose_kind kind) {
    td_quat *world = tdi_alloc_zeroed(store->alloc, (size_t)store->segment_count, sizeof(td_quat));
    for (int32_t i = 0; world && i < store->segment_count; i++) {
        const td_segment *s = &store->segments[i];
        td_quat q = kind == TD_POSE_REST ? s->rest : s->initial;
        world[i] = s->parent == TD_NONE ? q : tdi_quat_unit(tdi_quat_mul(world[s->parent], q));
    }
    return world;
}

static bool starts_at_rest(const tdi_store *store) {
    for (int32_t i = 0; i < store->segment_count; i++) {
        const td_segment *s = &store->segments[i];
        if (memcmp(&s->rest, &s->initial, sizeof s->rest) != 0) {
            return false;
        }
    }
    return true;
}

// The arrays of rotations, in place of those there are.
static td_status make_rotations(td_skeleton *k) {
    const tdi_store *store = &k->store;
    td_quat *rest = rotations_new(store, TD_POSE_REST);
    td_quat *initial = starts_at_rest(store) ? rest : rotations_new(store, TD_POSE_INITIAL);
    free_rotations(k);
    k->rest = rest;
    k->initial = initial;
    return rest && initial ? TD_OK : TD_ERR_MEMORY;
}

// ---- making and freeing ---------------------------------------------------------------------

td_status tdi_skeleton_new(tdi_store *store, td_skeleton **out) {
    td_skeleton *skeleton = tdi_alloc_zeroed(store->alloc, 1, sizeof *skeleton);
    TDI_TRY(skeleton ? TD_OK : TD_ERR_MEMORY);
    shrink(store);
    skeleton->store = *store;
    *store = (tdi_store){.alloc = store->alloc};
    if (skeleton->store.segment_count > 0 && make_rotations(skeleton) != TD_OK) {
        td_skeleton_free(skeleton);
        return TD_ERR_MEMORY;
    }
    *out = skeleton;
    return TD_OK;
}

void td_skeleton_free(td_skeleton *skeleton) {
    if (!skeleton) {
        return;
    }
    const td_alloc *alloc = skeleton->store.alloc;
    free_rotations(skeleton);
    tdi_store_free(&skeleton->store);
    tdi_alloc_free(alloc, skeleton, sizeof *skeleton);
}

td_status tdi_skeleton_repose(td_skeleton *skeleton) {
    return skeleton->store.segment_count > 0 ? make_rotations(skeleton) : TD_OK;
}

// ---- access ---------------------------------------------------------------------------------

int32_t td_skeleton_count(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.segment_count : 0;
}
const td_segment *td_skeleton_segments(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.segments : NULL;
}
int32_t td_skeleton_strand_count(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.strand_count : 0;
}
const td_strand *td_skeleton_strands(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.strands : NULL;
}
int32_t td_skeleton_attached_mass_count(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.body_count : 0;
}
const td_attached_mass *td_skeleton_attached_masses(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.bodies : NULL;
}
int32_t td_skeleton_material_count(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.material_count : 0;
}
const td_material *td_skeleton_materials(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.materials : NULL;
}
int32_t td_skeleton_shape_count(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.shape_count : 0;
}
const td_shape *td_skeleton_shapes(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.shapes : NULL;
}
const td_polygon *td_skeleton_polygons(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.polygons : NULL;
}
int32_t td_skeleton_contour_count(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.contour_count : 0;
}
const td_contour *td_skeleton_contours(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.contours : NULL;
}
const td_vec3 *td_skeleton_points(const td_skeleton *skeleton) {
    return skeleton ? skeleton->store.points : NULL;
}

// ---- pose -----------------------------------------------------------------------------------

void td_skeleton_pose(const td_skeleton *skeleton, td_pose_kind kind, td_vec3 *origins,
                      td_quat *rotations) {
    if (!skeleton) {
        return;
    }
    const tdi_store *store = &skeleton->store;
    const td_quat *world = kind == TD_POSE_REST ? skeleton->rest : skeleton->initial;
    for (int32_t i = 0; origins && i < store->segment_count; i++) {
        // o_i = o_p + Q_p attach_i + Q_i axis_i slide_i
        const td_segment *s = &store->segments[i];
        td_vec3 o = s->attach;
        if (s->parent != TD_NONE) {
            o = tdi_add(origins[s->parent], tdi_quat_rotate(world[s->parent], s->attach));
        }
        if (s->joint == TD_JOINT_SLIDE && kind == TD_POSE_INITIAL) {
            o = tdi_madd(o, tdi_quat_rotate(world[i], s->axis), s->initial_slide);
        }
        origins[i] = o;
    }
    if (rotations && store->segment_count > 0) {
        memcpy(rotations, world, (size_t)store->segment_count * sizeof *rotations);
    }
}
