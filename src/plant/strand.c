// SPDX-License-Identifier: MIT
// Strands and bodies of a skeleton: sections, and the check of every field.

#include "plant/strand.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "math/quat.h"
#include "plant/mass.h"

#include <math.h>

#define PI             3.14159265358979323846
#define UNIT_TOLERANCE 1e-3 // how far a given quaternion may be from unit length
#define MASS_TOLERANCE 1e-6 // of given moments: as many digits as people type
#define SAME_PLACE     1e-6 // of the length: as near is at the tip

// ---- sections -------------------------------------------------------------------------------

static td_real given(td_real value, td_real otherwise) {
    return value > 0 ? value : otherwise;
}

// Of an ellipse with half axes a along X and b along Z: I about X is pi/4 a b^3, and the torsion
// constant pi a^3 b^3/(a^2 + b^2). Stretching goes by the mean area of the cone.
td_section tdi_section_of(const td_segment *s, const td_material *m, const td_section *parameters) {
    const td_real a = 0.5 * (s->radius_base + s->radius_tip), b = s->flat * a;
    const td_real area = PI * a * b, squares = a * a + b * b, r = s->radius_base, q = s->radius_tip;
    return (td_section){
        given(parameters->bend_x, m->young * area * b * b / 4),
        given(parameters->bend_z, m->young * area * a * a / 4),
        given(parameters->twist, td_material_shear(m) * area * a * a * b * b / squares),
        given(parameters->stretch, m->young * (PI * (r * r + r * q + q * q) / 3 * s->flat))};
}

// ---- strands --------------------------------------------------------------------------------

static const char *wrong_strand(const td_builder *b, const td_strand *s) {
    const int32_t least = s->closed ? 3 : 1;
    return s->count < least ? "count is too small: a strand has at least 1 segment, a ring 3"
           : s->first < 0 || s->first > b->store.segment_count - s->count
               ? "first and count must be segments that were added"
           : (unsigned)s->start > TD_END_CLAMPED ? "start must be one of td_end_kind"
           : (unsigned)s->end > TD_END_CLAMPED   ? "end must be one of td_end_kind"
           : s->closed && (s->start || s->end)   ? "a ring has no ends: start and end must be free"
           : s->closed && !(fabs(tdi_quat_norm(s->closing) - 1) <= UNIT_TOLERANCE)
               ? "closing must be a unit quaternion"
           : !(fabs(s->twist) <= 1e9) ? "twist must be finite and at most 1e9 rad"
           : s->elements < 0 || s->elements > s->count
               ? "elements must be at least 0 and at most the number of its segments"
               : NULL;
}

// What keeps segment k of a strand from being part of it; NULL: nothing.
static const char *wrong_segment(const td_builder *b, const td_strand *s, int32_t k) {
    const td_segment *one = &b->store.segments[s->first + k], *up = one - 1;
    if (one->organ != TD_ORGAN_STEM || b->extras[s->first + k].in_strand) {
        return one->organ != TD_ORGAN_STEM ? "is not a stem" : "is part of another strand";
    }
    if (k == 0) {
        const bool floats = s->closed || s->start == TD_END_FREE;
        return one->parent != TD_NONE ? "has a parent"
               : (one->joint == TD_JOINT_FREE) != floats
                   ? "must have a free joint if, and only if, the start of the strand is free"
               : one->joint > TD_JOINT_BALL && one->joint < TD_JOINT_FREE ? "has no ball joint"
                                                                          : NULL;
    }
    const td_real off = tdi_norm(tdi_sub(one->attach, up->tip));
    return one->parent != s->first + k - 1     ? "does not have the segment before as its parent"
           : one->joint != TD_JOINT_BALL       ? "has no ball joint"
           : !(off <= SAME_PLACE * up->length) ? "does not start at the tip of the segment before"
                                               : NULL;
}

td_status td_builder_add_strand(td_builder *builder, const td_strand *strand, td_diag *diag) {
    TDI_REFUSE_IF(!builder || !strand);
    tdi_store *store = &builder->store;
    const int32_t n = store->strand_count;
    const char *wrong = wrong_strand(builder, strand);
    if (wrong) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, n, "strand %d: %s", n, wrong);
    }
    for (int32_t k = 0; k < strand->count; k++) {
        wrong = wrong_segment(builder, strand, k);
        if (wrong) {
            return tdi_fail_at(diag, TD_ERR_STRUCTURE, strand->first + k,
                               "strand %d: segment %d %s", n, strand->first + k, wrong);
        }
    }
    td_strand *room = tdi_array_reserve(store->alloc, store->strands, &store->strand_capacity,
                                        (int64_t)n + 1, sizeof *room);
    if (!room) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the strands");
    }
    store->strands = room;
    room[n] = *strand;
    room[n].closing = strand->closed ? tdi_quat_unit(strand->closing) : tdi_quat_identity();
    store->strand_count++;
    for (int32_t k = 0; k < strand->count; k++) {
        builder->extras[strand->first + k].in_strand = true;
    }
    return TD_OK;
}

// ---- bodies ---------------------------------------------------------------------------------

static tdi_moments moments_of(const td_attached_mass *b) {
    return (tdi_moments){b->mass, tdi_scale(b->centre_of_mass, b->mass), b->second_moment};
}

// The body of a segment with another one added.
static void join(td_attached_mass *body, const td_attached_mass *other) {
    tdi_moments sum = moments_of(body);
    const tdi_moments part = moments_of(other);
    tdi_moments_add(&sum, &part, 1);
    body->mass = sum.zeroth;
    body->centre_of_mass = tdi_scale(sum.first, 1 / sum.zeroth);
    body->second_moment = sum.second;
}

td_status td_builder_attach_mass(td_builder *builder, const td_attached_mass *body, td_diag *diag) {
    TDI_REFUSE_IF(!builder || !body);
    tdi_store *store = &builder->store;
    const int32_t n = store->body_count;
    const tdi_moments m = moments_of(body);
    const bool finite = isfinite(body->mass) && tdi_finite3(body->centre_of_mass);
    const char *wrong = body->segment < 0 || body->segment >= store->segment_count
                            ? "segment must be one that was added"
                        : !(body->mass > 0) || !finite
                            ? "mass must be above 0, and all numbers finite"
                        : !tdi_moments_physical(&m, MASS_TOLERANCE)
                            ? "second_moment is impossible for this mass and centre"
                            : NULL;
    if (wrong) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, n, "body %d: %s", n, wrong);
    }
    tdi_extra *extra = &builder->extras[body->segment];
    if (extra->body != TD_NONE) {
        join(&store->bodies[extra->body], body);
        return TD_OK;
    }
    td_attached_mass *room = tdi_array_reserve(store->alloc, store->bodies, &store->body_capacity,
                                               (int64_t)n + 1, sizeof *room);
    if (!room) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the bodies");
    }
    store->bodies = room;
    extra->body = n;
    room[store->body_count++] = *body;
    return TD_OK;
}

// ---- pruning --------------------------------------------------------------------------------

// Segments got other places, or were dropped.
td_status tdi_strands_follow(tdi_store *store, const tdi_extra *extras, td_diag *diag) {
    for (int32_t k = 0; k < store->strand_count; k++) {
        td_strand *s = &store->strands[k];
        for (int32_t i = s->first; i < s->first + s->count; i++) {
            if (extras[i].place == TD_NONE) {
                return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                                   "segment %d is part of a strand and cannot be pruned", i);
            }
        }
        s->first = extras[s->first].place;
    }
    for (int32_t k = 0; k < store->body_count; k++) {
        const int32_t i = store->bodies[k].segment;
        if (extras[i].place == TD_NONE) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                               "segment %d has a body and cannot be pruned", i);
        }
        store->bodies[k].segment = extras[i].place;
    }
    return TD_OK;
}
