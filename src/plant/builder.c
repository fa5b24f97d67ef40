// SPDX-License-Identifier: MIT
// The builder: checks segments one by one and makes a skeleton of them.
//
// Method   adding checks and copies; masses, pruning and springs wait for td_builder_finish(),
//          when every segment and its final parent are known.

#include "plant/store.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "cpfg/patches.h"
#include "math/quat.h"
#include "plant/fields.h"
#include "plant/shape.h"
#include "plant/shelter.h"
#include "plant/sort.h"

// ---- making and freeing ---------------------------------------------------------------------

td_status td_builder_new(const td_skeleton_opts *opts, const td_alloc *alloc, td_builder **out,
                         td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out);
    td_skeleton_opts checked;
    TDI_TRY(tdi_skeleton_opts_check(opts, &checked, diag));
    td_builder *builder = tdi_alloc_zeroed(alloc, 1, sizeof *builder);
    TDI_TRY(builder ? TD_OK : TD_ERR_MEMORY);
    builder->store.alloc = alloc;
    builder->opts = checked;
    td_material first = td_material_get(0);
    td_status status = td_builder_add_material(builder, &first, NULL, NULL);
    if (status != TD_OK) {
        td_builder_free(builder);
        return status;
    }
    *out = builder;
    return TD_OK;
}

void td_builder_free(td_builder *builder) {
    if (!builder) {
        return;
    }
    const td_alloc *alloc = builder->store.alloc;
    tdi_alloc_free(alloc, builder->extras, (size_t)builder->extra_capacity * sizeof(tdi_extra));
    tdi_alloc_free(alloc, builder->names, (size_t)builder->name_capacity * sizeof(uint64_t));
    tdi_alloc_free(alloc, builder->shape_moments,
                   (size_t)builder->shape_moments_capacity * sizeof(tdi_shape_moments));
    tdi_store_free(&builder->store);
    tdi_alloc_free(alloc, builder, sizeof *builder);
}

// ---- materials and shapes -------------------------------------------------------------------

static td_status no_memory(td_diag *diag, const char *what) {
    return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the %s", what);
}

td_status td_builder_add_material(td_builder *builder, const td_material *material, int32_t *index,
                                  td_diag *diag) {
    TDI_REFUSE_IF(!builder || !material);
    TDI_TRY(tdi_material_check(material, diag));
    tdi_store *s = &builder->store;
    if (s->material_count == INT32_MAX) {
        return tdi_fail(diag, TD_ERR_LIMIT, "there are too many materials");
    }
    td_material *room = tdi_array_reserve(s->alloc, s->materials, &s->material_capacity,
                                          (int64_t)s->material_count + 1, sizeof *room);
    if (!room) {
        return no_memory(diag, "materials");
    }
    s->materials = room;
    s->materials[s->material_count] = *material;
    if (index) {
        *index = s->material_count;
    }
    s->material_count++;
    return TD_OK;
}

// makes room for one more shape and its integrals
static td_status reserve_shape(td_builder *b, td_diag *diag) {
    tdi_store *s = &b->store;
    if (s->shape_count == INT32_MAX) {
        return tdi_fail(diag, TD_ERR_LIMIT, "there are too many shapes");
    }
    int64_t need = (int64_t)s->shape_count + 1;
    td_shape *shapes =
        tdi_array_reserve(s->alloc, s->shapes, &s->shape_capacity, need, sizeof *shapes);
    if (!shapes) {
        return no_memory(diag, "shapes");
    }
    s->shapes = shapes;
    tdi_shape_moments *moments = tdi_array_reserve(
        s->alloc, b->shape_moments, &b->shape_moments_capacity, need, sizeof *moments);
    if (!moments) {
        return no_memory(diag, "shapes");
    }
    b->shape_moments = moments;
    return TD_OK;
}

td_status td_builder_add_shape(td_builder *builder, const td_shape *shape, int32_t *index,
                               td_diag *diag) {
    TDI_REFUSE_IF(!builder || !shape);
    tdi_store *s = &builder->store;
    TDI_TRY(tdi_shape_check(shape, diag));
    bool outlined = shape->kind == TD_SHAPE_POLYGON || shape->kind == TD_SHAPE_PATCHES;
    if (outlined && (shape->polygon_first < 0 || shape->polygon_count < 1 ||
                     shape->polygon_first > s->polygon_count - shape->polygon_count)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "polygon_first and polygon_count of the shape are %d and %d; there are %d "
                        "polygons",
                        shape->polygon_first, shape->polygon_count, s->polygon_count);
    }
    for (int32_t i = 0; i < shape->polygon_count && shape->kind == TD_SHAPE_PATCHES; i++) {
        int32_t corners = s->polygons[shape->polygon_first + i].point_count;
        if (corners != TDI_PATCH_POINTS) {
            return tdi_fail(diag, TD_ERR_ARGUMENT, "a patch has %d control points; expected %d",
                            corners, TDI_PATCH_POINTS);
        }
    }
    TDI_TRY(reserve_shape(builder, diag));
    s->shapes[s->shape_count] = *shape;
    builder->shape_moments[s->shape_count] = tdi_shape_integrate(shape, s->polygons, s->points);
    if (index) {
        *index = s->shape_count;
    }
    s->shape_count++;
    return TD_OK;
}

static td_status reserve_polygons(tdi_store *s, int64_t polygons, int64_t points, td_diag *diag) {
    int64_t polygon_need = s->polygon_count + polygons, point_need = s->point_count + points;
    if (polygon_need > INT32_MAX || point_need > INT32_MAX) {
        return tdi_fail(diag, TD_ERR_LIMIT, "the polygons have too many corners");
    }
    td_polygon *p =
        tdi_array_reserve(s->alloc, s->polygons, &s->polygon_capacity, polygon_need, sizeof *p);
    if (!p) {
        return no_memory(diag, "polygons");
    }
    s->polygons = p;
    td_vec3 *v = tdi_array_reserve(s->alloc, s->points, &s->point_capacity, point_need, sizeof *v);
    if (!v) {
        return no_memory(diag, "polygons");
    }
    s->points = v;
    return TD_OK;
}

// appends polygons with corners[i] corners each, or all of them with `each`
static td_status add_outlines(td_builder *builder, const td_shape *shape, const td_vec3 *points,
                              const int32_t *counts, int32_t each, int32_t polygon_count,
                              int32_t *index, td_diag *diag) {
    tdi_store *s = &builder->store;
    int64_t point_count = 0;
    for (int32_t i = 0; i < polygon_count; i++) {
        point_count += counts ? counts[i] : each;
    }
    TDI_TRY(reserve_polygons(s, polygon_count, point_count, diag));
    td_shape own = *shape;
    own.polygon_first = s->polygon_count;
    own.polygon_count = polygon_count;
    int32_t next = s->point_count;
    for (int64_t k = 0; k < point_count; k++) {
        s->points[s->point_count++] = points[k];
    }
    for (int32_t i = 0; i < polygon_count; i++) {
        int32_t count = counts ? counts[i] : each;
        s->polygons[s->polygon_count++] = (td_polygon){next, count};
        next += count;
    }
    return td_builder_add_shape(builder, &own, index, diag);
}

td_status tdi_builder_add_polygons(td_builder *builder, const td_shape *shape,
                                   const td_vec3 *points, const int32_t *counts,
                                   int32_t polygon_count, int32_t *index, td_diag *diag) {
    return add_outlines(builder, shape, points, counts, 0, polygon_count, index, diag);
}

td_status tdi_builder_add_patches(td_builder *builder, const td_shape *shape, const td_vec3 *points,
                                  int32_t patch_count, int32_t *index, td_diag *diag) {
    return add_outlines(builder, shape, points, NULL, TDI_PATCH_POINTS, patch_count, index, diag);
}

td_status td_builder_add_contour(td_builder *builder, const td_contour *contour, int32_t *number,
                                 td_diag *diag) {
    TDI_REFUSE_IF(!builder || !contour);
    tdi_store *s = &builder->store;
    for (int32_t i = 0; i < TD_CONTOUR_POINTS; i++) {
        if (!isfinite(contour->x[i]) || !isfinite(contour->z[i])) {
            return tdi_fail(diag, TD_ERR_ARGUMENT, "point %d of the contour is not finite", i);
        }
    }
    if (s->contour_count == INT32_MAX) {
        return tdi_fail(diag, TD_ERR_LIMIT, "there are too many contours");
    }
    td_contour *room = tdi_array_reserve(s->alloc, s->contours, &s->contour_capacity,
                                         (int64_t)s->contour_count + 1, sizeof *room);
    if (!room) {
        return no_memory(diag, "contours");
    }
    s->contours = room;
    s->contours[s->contour_count++] = *contour;
    if (number) {
        *number = s->contour_count;
    }
    return TD_OK;
}

// ---- adding ---------------------------------------------------------------------------------

static td_segment segment_of(const tdi_store *store, const td_segment_def *def) {
    const td_segment *parent = def->parent == TD_NONE ? NULL : &store->segments[def->parent];
    const td_shape *shape = def->shape == TD_NONE ? NULL : &store->shapes[def->shape];
    td_segment s = {
        .id = def->id == TD_NONE ? store->segment_count : def->id,
        .parent = def->parent,
        .joint = def->joint,
        .attach = parent && def->attach_at_tip ? parent->tip : def->attach,
        .axis = tdi_unit_or(def->axis, tdi_vec3(1, 0, 0)),
        .rest = tdi_quat_unit(def->rest),
        .initial_slide = def->initial_slide,
        .length = def->length,
        .rest_length = def->rest_length > 0 ? def->rest_length : def->length,
        .tip = {0, def->length, 0},
        .radius_base = def->radius_base,
        .radius_tip = def->radius_tip,
        .flat = def->flat,
        .bead = def->bead,
        .contour = def->contour,
        .material = def->material,
        .organ = def->organ,
        .shape = def->shape,
        .color = store->materials[def->material].color,
        .drag = def->drag,
        .stiffness = def->stiffness,
        .damping = def->damping,
    };
    s.initial = tdi_quat_is_zero(def->initial) ? s.rest : tdi_quat_unit(def->initial);
    if (shape) {
        s.tip = tdi_shape_tip(shape, def->length);
        s.radius_base = tdi_stalk_radius(shape, def->length);
        s.radius_tip = s.radius_base;
        s.color = shape->color;
    }
    if (def->color != TD_NONE) {
        s.color = (uint32_t)def->color;
    }
    if (def->has_tip) {
        s.tip = def->tip;
    }
    if (def->mass > 0) {
        tdi_moments m = tdi_given_moments(def);
        tdi_segment_set_mass(&s, &m);
    }
    return s;
}

static td_status reserve_segment(td_builder *builder, td_diag *diag) {
    tdi_store *s = &builder->store;
    int64_t need = (int64_t)s->segment_count + 1;
    if (need > builder->opts.max_segments) {
        return tdi_fail(diag, TD_ERR_LIMIT, "there are more than %d segments; raise max_segments",
                        builder->opts.max_segments);
    }
    td_segment *segments =
        tdi_array_reserve(s->alloc, s->segments, &s->segment_capacity, need, sizeof *segments);
    if (!segments) {
        return no_memory(diag, "segments");
    }
    s->segments = segments;
    tdi_extra *extras = tdi_array_reserve(s->alloc, builder->extras, &builder->extra_capacity, need,
                                          sizeof *extras);
    if (!extras) {
        return no_memory(diag, "segments");
    }
    builder->extras = extras;
    return TD_OK;
}

td_status td_builder_add(td_builder *builder, const td_segment_def *given, int32_t *index,
                         td_diag *diag) {
    TDI_REFUSE_IF(!builder);
    td_segment_def own = td_segment_def_default();
    const td_segment_def *def = &own;
    tdi_store *store = &builder->store;
    td_status status = tdi_def_take("td_segment_def", &own, given, diag);
    status = status == TD_OK ? tdi_segment_def_check(builder, def, diag) : status;
    status = status == TD_OK ? reserve_segment(builder, diag) : status;
    if (status != TD_OK) {
        return status;
    }
    int32_t i = store->segment_count;
    store->segments[i] = segment_of(store, def);
    builder->extras[i] = (tdi_extra){
        .joint_young = def->joint_young,
        .density = def->density,
        .damping_time = def->damping_time,
        .body = TD_NONE,
        .section = def->section,
        .has_mass = def->mass > 0,
        .has_stiffness = def->has_stiffness,
        .has_damping = def->has_damping,
    };
    builder->has_ids = builder->has_ids || store->segments[i].id != i;
    store->segment_count++;
    if (index) {
        *index = i;
    }
    return TD_OK;
}

// ---- finishing ------------------------------------------------------------------------------

// sorts (id, index): equal ids come to lie side by side
static td_status check_ids(const td_builder *builder, td_diag *diag) {
    const tdi_store *store = &builder->store;
    int32_t n = store->segment_count;
    if (!builder->has_ids) {
        return TD_OK;
    }
    uint64_t *keys = tdi_alloc_zeroed(store->alloc, (size_t)n, sizeof *keys);
    if (!keys) {
        return no_memory(diag, "ids");
    }
    for (int32_t i = 0; i < n; i++) {
        keys[i] = (uint64_t)(uint32_t)store->segments[i].id << 32 | (uint32_t)i;
    }
    tdi_sort_keys(keys, n);
    td_status status = TD_OK;
    for (int32_t i = 1; i < n && status == TD_OK; i++) {
        if (keys[i] >> 32 == keys[i - 1] >> 32) {
            int32_t second = (int32_t)(keys[i] & 0xffffffff);
            status = tdi_fail_at(diag, TD_ERR_ARGUMENT, second,
                                 "id is %d for both segment %d and segment %d; ids must be unique",
                                 store->segments[second].id, (int32_t)(keys[i - 1] & 0xffffffff),
                                 second);
        }
    }
    tdi_alloc_free(store->alloc, keys, (size_t)n * sizeof *keys);
    return status;
}

// A round body, as wide along Z as `flat` times along X.
static void flatten(tdi_moments *m, td_real flat) {
    m->zeroth *= flat;
    m->first.y *= flat;
    m->second.xx *= flat;
    m->second.yy *= flat;
    m->second.zz *= flat * flat * flat;
}

static void set_masses(td_builder *builder) {
    tdi_store *store = &builder->store;
    for (int32_t i = 0; i < store->segment_count; i++) {
        td_segment *s = &store->segments[i];
        td_material material = store->materials[s->material];
        tdi_moments m = {.zeroth = 0};
        material.density =
            builder->extras[i].density > 0 ? builder->extras[i].density : material.density;
        if (s->shape == TD_NONE) {
            tdi_moments cone = tdi_moments_cone(s->length, s->radius_base, s->radius_tip);
            flatten(&cone, s->flat);
            tdi_moments_add(&m, &cone, material.density * (s->rest_length / s->length));
            s->area = (s->radius_base + s->radius_tip) * s->rest_length * fmax(1, s->flat);
        } else {
            m = tdi_organ_moments(&builder->shape_moments[s->shape], &material, s->length);
            s->area = tdi_organ_area(&builder->shape_moments[s->shape], s->length);
            tdi_organ_set_outline(&builder->shape_moments[s->shape], &material, s);
        }
        if (!builder->extras[i].has_mass) {
            tdi_segment_set_mass(s, &m);
        }
    }
}

// Lengths at the far ends of their range can still give numbers that are none. Rods spread masses
// by moments over lengths.
td_status tdi_store_check(const tdi_store *store, td_diag *diag) {
    for (int32_t i = 0; i < store->segment_count; i++) {
        const td_segment *s = &store->segments[i];
        const td_sym3 *m = &s->second_moment;
        if (!(s->mass > 0) || !isfinite(s->mass) || !tdi_finite3(s->centre_of_mass) ||
            !isfinite(m->xx + m->yy + m->zz + m->xy + m->xz + m->yz)) {
            return tdi_fail_at(
                diag, TD_ERR_ARGUMENT, i,
                "mass of segment %d is computed as %g; length %g, radius_base %g and "
                "density %g are too small or too large together",
                i, s->mass, s->length, s->radius_base, store->materials[s->material].density);
        }
        const td_section *b = &s->section;
        if (!tdi_finite3(s->stiffness) || !tdi_finite3(s->damping) ||
            !isfinite(b->bend_x + b->bend_z + b->twist + b->stretch)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                               "stiffness of segment %d is not finite; length %g and radius_base "
                               "%g are too small or too large together",
                               i, s->length, s->radius_base);
        }
        const td_real square = s->length * s->length;
        if (!(square > 0) || !isfinite(square) || !isfinite(m->yy / square)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                               "length of segment %d is %g m, which is too small or too large", i,
                               s->length);
        }
    }
    return TD_OK;
}

static td_status compute(td_builder *builder, td_diag *diag) {
    TDI_TRY(check_ids(builder, diag));
    set_masses(builder);
    if (builder->opts.prune_length > 0 || builder->opts.prune_mass > 0) {
        TDI_TRY(tdi_prune(&builder->store, builder->extras, &builder->opts, diag));
    }
    tdi_shelter_set(&builder->store);
    tdi_springs_set(&builder->store, builder->extras, builder->opts.springs);
    return tdi_store_check(&builder->store, diag);
}

// the skeleton takes all arrays but the materials, of which it gets a copy: the first stays here
static td_status hand_over(td_builder *builder, td_skeleton **out, td_diag *diag) {
    tdi_store given = builder->store;
    given.material_capacity = 0;
    given.materials = tdi_array_reserve(given.alloc, NULL, &given.material_capacity,
                                        given.material_count, sizeof(td_material));
    if (!given.materials) {
        return no_memory(diag, "skeleton");
    }
    for (int32_t i = 0; i < given.material_count; i++) {
        given.materials[i] = builder->store.materials[i];
    }
    builder->store = (tdi_store){
        .alloc = given.alloc,
        .materials = builder->store.materials,
        .material_count = builder->store.material_count,
        .material_capacity = builder->store.material_capacity,
    };
    td_status status = tdi_skeleton_new(&given, out);
    tdi_store_free(&given);
    return status == TD_OK ? TD_OK : no_memory(diag, "skeleton");
}

// `status` is that of what came before.
static td_status finish(td_builder *builder, td_status status, td_skeleton **out, td_diag *diag) {
    status = status == TD_OK ? hand_over(builder, out, diag) : status;
    tdi_store *store = &builder->store;
    store->segment_count = 0;
    store->shape_count = 0;
    store->polygon_count = 0;
    store->point_count = 0;
    store->strand_count = store->body_count = 0;
    store->material_count = 1;
    builder->has_ids = false;
    builder->name_count = 0;
    return status;
}

td_status tdi_builder_finish_as_given(td_builder *builder, td_skeleton **out, td_diag *diag) {
    *out = NULL;
    td_status status = check_ids(builder, diag);
    status = status == TD_OK ? tdi_store_check(&builder->store, diag) : status;
    return finish(builder, status, out, diag);
}

td_status td_builder_finish(td_builder *builder, td_skeleton **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!builder || !out);
    td_status status = tdi_builder_make_ids(builder, diag);
    return finish(builder, status == TD_OK ? compute(builder, diag) : status, out, diag);
}
