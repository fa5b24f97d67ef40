// SPDX-License-Identifier: MIT
// The same skeleton in another size or of other materials.
//
//   lengths s, areas and E A s^2, mass s^3, E I and G J s^4, second moments s^5, joint springs
//   E I/l and G J/l: s^3
// A joint takes the material of the segment it carries.

#include "plant/store.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "base/range.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// ---- materials ------------------------------------------------------------------------------

td_material_change td_material_change_default(void) {
    return (td_material_change){.damping_time = -1};
}

static void change_material(td_material *m, const td_material_change *c) {
    td_real ratio = td_material_shear(m) / m->young;
    m->density = c->density > 0 ? c->density : m->density;
    if (c->young > 0) {
        m->young = c->young;
        m->shear = ratio * c->young;
    }
    m->shear = c->shear > 0 ? c->shear : m->shear;
    m->damping_time = c->damping_time >= 0 ? c->damping_time : m->damping_time;
}

td_status tdi_materials_change(td_material *materials, int32_t material_count,
                               const td_material_change *changes, int32_t count, td_diag *diag) {
    for (int32_t k = 0; k < count; k++) {
        const td_material_change *c = &changes[k];
        bool found = false;
        const tdi_range ranges[] = {
            TDI_FROM_0("density", "kg/m^3", c->density), TDI_FROM_0("young", "Pa", c->young),
            TDI_FROM_0("shear", "Pa", c->shear), TDI_FINITE("damping_time", "s", c->damping_time)};
        TDI_TRY(tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges,
                                 c->name ? c->name : "material", k, diag));
        for (int32_t i = 0; i < material_count; i++) {
            if (!c->name || strcmp(c->name, materials[i].name) == 0) {
                change_material(&materials[i], c);
                found = true;
            }
        }
        if (!found) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "no segment is made of the material '%s'",
                               c->name);
        }
    }
    return TD_OK;
}

// ---- segments -------------------------------------------------------------------------------

static td_sym3 scaled(td_sym3 m, td_real by) {
    return (td_sym3){m.xx * by, m.yy * by, m.zz * by, m.xy * by, m.xz * by, m.yz * by};
}

static void change_segment(td_segment *s, const td_material *old, const td_material *now,
                           td_real size) {
    td_real s3 = size * size * size, mass = s3 * now->density / old->density;
    td_real bend = s3 * now->young / old->young;
    td_real twist = s3 * td_material_shear(now) / td_material_shear(old);
    td_real time = old->damping_time > 0 ? now->damping_time / old->damping_time : 1;
    s->attach = tdi_scale(s->attach, size);
    s->bead *= size;
    s->tip = tdi_scale(s->tip, size);
    s->centre_of_mass = tdi_scale(s->centre_of_mass, size);
    s->initial_slide *= size;
    s->length *= size;
    s->rest_length *= size;
    s->radius_base *= size;
    s->radius_tip *= size;
    s->area *= size * size;
    s->outline = tdi_scale(s->outline, size * size);
    s->fold_pressure *= now->young / old->young;
    s->mass *= mass;
    s->second_moment = scaled(s->second_moment, mass * size * size);
    s->section.bend_x *= bend * size;
    s->section.bend_z *= bend * size;
    s->section.twist *= twist * size;
    s->section.stretch *= bend / size;
    if (s->joint == TD_JOINT_SLIDE) { // N/m, as E times an area over a length
        bend /= size * size;
    }
    s->stiffness = tdi_vec3(s->stiffness.x * bend, s->stiffness.y * twist, s->stiffness.z * bend);
    s->damping = tdi_vec3(s->damping.x * bend * time, s->damping.y * twist * time,
                          s->damping.z * bend * time);
    if (old->damping_time == 0 && now->damping_time > 0) {
        s->damping = tdi_scale(s->stiffness, now->damping_time);
    }
}

// Of the density of the segment that it is welded to.
static void change_body(td_attached_mass *b, td_real density, td_real size) {
    const td_real mass = size * size * size * density;
    b->mass *= mass;
    b->centre_of_mass = tdi_scale(b->centre_of_mass, size);
    b->second_moment = scaled(b->second_moment, mass * size * size);
}

// ---- entry ----------------------------------------------------------------------------------

static void *copied(const td_alloc *alloc, const void *items, int32_t count, size_t item_size,
                    int64_t *capacity) {
    void *copy = tdi_alloc_zeroed(alloc, (size_t)count, item_size);
    *capacity = copy ? count : 0;
    return copy ? memcpy(copy, items, (size_t)count * item_size) : NULL;
}

bool tdi_store_copy(const tdi_store *from, const td_alloc *alloc, tdi_store *to) {
    *to = *from;
    to->alloc = alloc;
#define COPY(items, item)                                                                \
    to->items = from->item##_count > 0 ? copied(alloc, from->items, from->item##_count,  \
                                                sizeof *to->items, &to->item##_capacity) \
                                       : NULL;                                           \
    to->item##_capacity = to->items ? to->item##_capacity : 0;
    COPY(segments, segment)
    COPY(materials, material)
    COPY(shapes, shape)
    COPY(polygons, polygon)
    COPY(points, point)
    COPY(strands, strand)
    COPY(bodies, body)
    COPY(contours, contour)
#undef COPY
    return (to->segments || !from->segment_count) && (to->materials || !from->material_count) &&
           (to->shapes || !from->shape_count) && (to->polygons || !from->polygon_count) &&
           (to->points || !from->point_count) && (to->strands || !from->strand_count) &&
           (to->bodies || !from->body_count) && (to->contours || !from->contour_count);
}

td_status td_skeleton_changed_new(const td_skeleton *skeleton, td_real size,
                                  const td_material_change *changes, int32_t count,
                                  const td_alloc *alloc, td_skeleton **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!skeleton || !out || (count > 0 && !changes));
    const tdi_store *from = &skeleton->store;
    tdi_store to;
    const tdi_range range = TDI_ABOVE_0("size", NULL, size);
    TDI_TRY(tdi_check_ranges(&range, 1, NULL, TD_NONE, diag));
    td_status status = tdi_store_copy(from, alloc, &to) ? TD_OK : TD_ERR_MEMORY;
    status = status == TD_OK
                 ? tdi_materials_change(to.materials, to.material_count, changes, count, diag)
                 : status;
    for (int32_t i = 0; i < to.segment_count && status == TD_OK; i++) {
        int32_t m = to.segments[i].material;
        change_segment(&to.segments[i], &from->materials[m], &to.materials[m], size);
    }
    for (int32_t i = 0; i < to.body_count && status == TD_OK; i++) {
        const int32_t m = to.segments[to.bodies[i].segment].material;
        change_body(&to.bodies[i], to.materials[m].density / from->materials[m].density, size);
    }
    for (int32_t i = 0; i < to.point_count && status == TD_OK; i++) {
        to.points[i] = tdi_scale(to.points[i], size);
    }
    // patches are scaled by their segment's length as well
    for (int32_t i = 0; i < to.shape_count && status == TD_OK; i++) {
        to.shapes[i].stretch = tdi_scale(to.shapes[i].stretch, 1 / size);
    }
    for (int32_t i = 0; i < to.material_count && status == TD_OK; i++) {
        to.materials[i].thickness *= size;
    }
    status = status == TD_OK ? tdi_store_check(&to, diag) : status;
    status = status == TD_OK ? tdi_skeleton_new(&to, out) : status;
    if (status != TD_OK) {
        tdi_store_free(&to);
    }
    return status;
}
