// SPDX-License-Identifier: MIT
// The options and definitions that a caller fills in: their defaults, and the check of every field.

#include "plant/store.h"

#include "base/diag.h"
#include "base/opts.h"
#include "math/quat.h"

// m: no plant is larger, and everything computed from such lengths stays finite
#define LENGTH_MAX 1e9
#define FLAT_MAX   1e6
// how far a given quaternion may be from unit length, which is then made exact
#define UNIT_TOLERANCE 1e-3
// N m^2 or N: beyond any material, and far from overflow
#define SECTION_MOST 1e30
// of given moments: as many digits as people type
#define MASS_TOLERANCE 1e-6

// ---- defaults ------------------------------------------------------------------------------

td_strand td_strand_default(void) {
    return (td_strand){.closing = {1, 0, 0, 0}};
}

td_skeleton_opts td_skeleton_opts_default(void) {
    td_skeleton_opts opts = {
        .struct_size = sizeof opts,
        .springs = TD_SPRING_CLAMPED,
        .max_segments = 16000000,
    };
    return opts;
}

td_segment_def td_segment_def_default(void) {
    td_segment_def def = {
        .struct_size = sizeof def,
        .id = TD_NONE,
        .parent = TD_NONE,
        .joint = TD_JOINT_BALL,
        .attach_at_tip = true,
        .axis = {1, 0, 0},
        .rest = {1, 0, 0, 0},
        .length = 0.1,
        .radius_base = 0.01,
        .radius_tip = 0.01,
        .flat = 1,
        .organ = TD_ORGAN_STEM,
        .shape = TD_NONE,
        .color = TD_NONE,
        .drag = 1,
        .damping_time = -1,
    };
    return def;
}

// ---- options --------------------------------------------------------------------------------

td_status tdi_skeleton_opts_check(const td_skeleton_opts *opts, td_skeleton_opts *out,
                                  td_diag *diag) {
    *out = td_skeleton_opts_default();
    TDI_TRY(tdi_opts_take("td_skeleton_opts", out, opts, diag));
    if (out->springs != TD_SPRING_CLAMPED && out->springs != TD_SPRING_THESIS) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "springs is %d; it must be TD_SPRING_CLAMPED or TD_SPRING_THESIS",
                        (int)out->springs);
    }
    if (!(out->prune_length >= 0 && out->prune_length <= LENGTH_MAX)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "prune_length is %g; expected at least 0",
                        out->prune_length);
    }
    if (!(out->prune_mass >= 0) || !isfinite(out->prune_mass)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "prune_mass is %g; expected at least 0",
                        out->prune_mass);
    }
    if (out->max_segments < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "max_segments is %d; expected at least 0",
                        out->max_segments);
    }
    return TD_OK;
}

// ---- segments -------------------------------------------------------------------------------

// a fault of a field of the segment that is being added
#define FIELD_FAULT(format, ...)                                                             \
    tdi_fail_at(diag, TD_ERR_ARGUMENT, builder->store.segment_count, format " (segment %d)", \
                __VA_ARGS__, builder->store.segment_count)

static bool in_space(td_vec3 v) {
    return fabs(v.x) <= LENGTH_MAX && fabs(v.y) <= LENGTH_MAX && fabs(v.z) <= LENGTH_MAX;
}

static bool all_at_least_0(td_vec3 v) {
    return tdi_finite3(v) && v.x >= 0 && v.y >= 0 && v.z >= 0;
}

static td_status check_place(const td_builder *builder, const td_segment_def *def, td_diag *diag) {
    if (def->id < TD_NONE) {
        return FIELD_FAULT("id is %d; expected at least 0, or -1 for none", def->id);
    }
    if (def->parent < TD_NONE || def->parent >= builder->store.segment_count) {
        return FIELD_FAULT(
            "parent is %d; expected the index of a segment added before, or -1 for none",
            def->parent);
    }
    if ((unsigned)def->joint > TD_JOINT_FREE) {
        return FIELD_FAULT("joint is %d; it must be one of td_joint_kind", (int)def->joint);
    }
    if (def->joint == TD_JOINT_FREE && def->parent != TD_NONE) {
        return FIELD_FAULT(
            "joint is free, but parent is %d; a free segment must have the parent -1, none",
            def->parent);
    }
    if (!in_space(def->attach)) {
        return FIELD_FAULT("attach is (%g, %g, %g); expected a place within 1e9 m", def->attach.x,
                           def->attach.y, def->attach.z);
    }
    bool needs_axis = def->joint == TD_JOINT_HINGE || def->joint == TD_JOINT_SLIDE;
    if (!tdi_finite3(def->axis) || (needs_axis && !(tdi_norm(def->axis) > 1e-150))) {
        return FIELD_FAULT("axis is (%g, %g, %g); expected a direction of finite, positive length",
                           def->axis.x, def->axis.y, def->axis.z);
    }
    if (!(fabs(tdi_quat_norm(def->rest) - 1) <= UNIT_TOLERANCE)) {
        return FIELD_FAULT("rest has length %g; expected a unit quaternion",
                           tdi_quat_norm(def->rest));
    }
    if (!tdi_quat_is_zero(def->initial) &&
        !(fabs(tdi_quat_norm(def->initial) - 1) <= UNIT_TOLERANCE)) {
        return FIELD_FAULT("initial has length %g; expected a unit quaternion, or all zero",
                           tdi_quat_norm(def->initial));
    }
    if (!(fabs(def->initial_slide) <= LENGTH_MAX)) {
        return FIELD_FAULT("initial_slide is %g; expected at most 1e9 m", def->initial_slide);
    }
    return TD_OK;
}

static bool is_lamina(const td_shape *shape) {
    return shape->kind != TD_SHAPE_BALL && shape->kind != TD_SHAPE_BOX &&
           !(shape->kind == TD_SHAPE_FLOWER && shape->petals == 0);
}

static td_status check_organ(const td_builder *builder, const td_segment_def *def, td_diag *diag) {
    const tdi_store *store = &builder->store;
    if (def->material < 0 || def->material >= store->material_count) {
        return FIELD_FAULT("material is %d; there are %d materials, counted from 0", def->material,
                           store->material_count);
    }
    if ((unsigned)def->organ > TD_ORGAN_FRUIT) {
        return FIELD_FAULT("organ is %d; it must be one of td_organ", (int)def->organ);
    }
    if (def->organ == TD_ORGAN_STEM) {
        if (def->shape != TD_NONE) {
            return FIELD_FAULT("shape is %d; a stem has no shape, expected -1", def->shape);
        }
        if (def->contour < 0 || def->contour > store->contour_count) {
            return FIELD_FAULT("contour is %d; there are %d, counted from 1, and 0 is round",
                               def->contour, store->contour_count);
        }
        return TD_OK;
    }
    if (def->shape < 0 || def->shape >= store->shape_count) {
        return FIELD_FAULT("shape is %d; a %s needs one of the %d shapes, counted from 0",
                           def->shape, td_organ_name(def->organ), store->shape_count);
    }
    const td_material *material = &store->materials[def->material];
    if (is_lamina(&store->shapes[def->shape]) && !(def->mass > 0) && !(material->thickness > 0)) {
        return FIELD_FAULT("material \"%s\" has no thickness, and a %s needs one", material->name,
                           td_organ_name(def->organ));
    }
    return TD_OK;
}

static td_status check_body(const td_builder *builder, const td_segment_def *def, td_diag *diag) {
    if (!(def->length > 0 && def->length <= LENGTH_MAX)) {
        return FIELD_FAULT("length is %g; expected above 0 and at most 1e9 m", def->length);
    }
    if (!(def->rest_length >= 0 && def->rest_length <= LENGTH_MAX)) {
        return FIELD_FAULT("rest_length is %g; expected above 0 and at most 1e9 m, or 0 for length",
                           def->rest_length);
    }
    if (!(def->radius_base > 0 && def->radius_base <= LENGTH_MAX)) {
        return FIELD_FAULT("radius_base is %g; expected above 0 and at most 1e9 m",
                           def->radius_base);
    }
    if (!(def->radius_tip >= 0 && def->radius_tip <= LENGTH_MAX)) {
        return FIELD_FAULT("radius_tip is %g; expected at least 0 and at most 1e9 m",
                           def->radius_tip);
    }
    if (!(def->bead >= 0 && def->bead <= LENGTH_MAX)) {
        return FIELD_FAULT("bead is %g; expected 0 to 1e9 m", def->bead);
    }
    if (!(def->flat > 0 && def->flat <= FLAT_MAX)) {
        return FIELD_FAULT("flat is %g; expected above 0 and at most 1e6", def->flat);
    }
    if (def->color != TD_NONE && (def->color < 0 || def->color > 0xffffff)) {
        return FIELD_FAULT("color is %lld; expected 0 to 0xffffff, or -1 for none",
                           (long long)def->color);
    }
    if (def->has_tip && !in_space(def->tip)) {
        return FIELD_FAULT("tip is (%g, %g, %g); expected a place within 1e9 m", def->tip.x,
                           def->tip.y, def->tip.z);
    }
    return TD_OK;
}

static td_status check_given(const td_builder *builder, const td_segment_def *def, td_diag *diag) {
    if (!(def->mass >= 0 && isfinite(def->mass))) {
        return FIELD_FAULT("mass is %g; expected above 0, or 0 to compute it from the shape",
                           def->mass);
    }
    if (def->mass > 0) {
        if (!in_space(def->centre_of_mass)) {
            return FIELD_FAULT("centre_of_mass is (%g, %g, %g); expected a place within 1e9 m",
                               def->centre_of_mass.x, def->centre_of_mass.y, def->centre_of_mass.z);
        }
        tdi_moments m = tdi_given_moments(def);
        if (!tdi_moments_physical(&m, MASS_TOLERANCE)) {
            return FIELD_FAULT("second_moment is impossible for a body of mass %g with its centre "
                               "at (%g, %g, %g)",
                               def->mass, def->centre_of_mass.x, def->centre_of_mass.y,
                               def->centre_of_mass.z);
        }
    }
    if (!(def->joint_young >= 0 && def->joint_young <= 1e15)) {
        return FIELD_FAULT("joint_young is %g; expected at least 0 and at most 1e15",
                           def->joint_young);
    }
    if (!(def->density >= 0 && def->density <= 1e6)) {
        return FIELD_FAULT("density is %g; expected above 0 and at most 1e6 kg/m^3, or 0 for that "
                           "of the material",
                           def->density);
    }
    if (!(def->damping_time <= 1e6)) {
        return FIELD_FAULT("damping_time is %g; expected 0 to 1e6 s, or -1 for that of the "
                           "material",
                           def->damping_time);
    }
    if (!(def->drag >= 0 && def->drag <= 1e6)) {
        return FIELD_FAULT("drag is %g; expected 0 to 1e6", def->drag);
    }
    const td_section *s = &def->section;
    const td_real stiff[] = {s->bend_x, s->bend_z, s->twist, s->stretch};
    for (int k = 0; k < 4; k++) {
        if (!(stiff[k] >= 0 && stiff[k] <= SECTION_MOST)) {
            return FIELD_FAULT("section is (%g, %g, %g, %g); expected each at least 0 and at most "
                               "1e30",
                               s->bend_x, s->bend_z, s->twist, s->stretch);
        }
    }
    if (def->has_stiffness && !all_at_least_0(def->stiffness)) {
        return FIELD_FAULT("stiffness is (%g, %g, %g); expected each at least 0", def->stiffness.x,
                           def->stiffness.y, def->stiffness.z);
    }
    if (def->has_damping && !all_at_least_0(def->damping)) {
        return FIELD_FAULT("damping is (%g, %g, %g); expected each at least 0", def->damping.x,
                           def->damping.y, def->damping.z);
    }
    return TD_OK;
}

td_status tdi_segment_def_check(const td_builder *builder, const td_segment_def *def,
                                td_diag *diag) {
    td_status status = check_place(builder, def, diag);
    status = status == TD_OK ? check_organ(builder, def, diag) : status;
    status = status == TD_OK ? check_body(builder, def, diag) : status;
    status = status == TD_OK ? check_given(builder, def, diag) : status;
    return status;
}
