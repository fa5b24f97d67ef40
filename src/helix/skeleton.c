// SPDX-License-Identifier: MIT
// Models of helices: from skeletons.
//
// Axes      A segment goes on in the axis of its parent if it stands on its tip by a ball joint and
//           turns away from it by little and is about as stiff; of several the one that carries
//           most. Segments of a strand always do. Other stems begin an axis of their own.
// Organs    ride rigidly where they are attached, as does what is fixed. A row of organs, each on
//           the tip of the one before, is an axis and bends.

#include "helix/build.h"

#include "base/guard.h"

#include "helix/piece.h"
#include "plant/segment.h"

#include <math.h>
#include <string.h>

#define AT_TIP  1e-6 // of the length: as near is at the tip
#define GOES_ON 0.6  // rad: a segment that turns by more begins an axis
#define STEP    16.0 // times as stiff: so does one that much thicker or thinner, twice the radius
#define STRETCH 1e-3 // of the length: less is none

// ---- what helices cannot be -----------------------------------------------------------------

static td_status check_segment(const td_segment *s, int32_t i, td_diag *diag) {
    td_status status = tdi_segment_check(s, i, diag);
    if (status == TD_OK && (s->joint == TD_JOINT_HINGE || s->joint == TD_JOINT_SLIDE)) {
        status = tdi_fail_at(diag, TD_ERR_STRUCTURE, i,
                             "segment %d has a %s joint, which the solver 'helix' does not have",
                             (int)i, s->joint == TD_JOINT_HINGE ? "hinge" : "slide");
    }
    if (status == TD_OK && !(tdi_norm(s->tip) > 0)) {
        status = tdi_fail_at(diag, TD_ERR_STRUCTURE, i,
                             "segment %d has its tip at its joint; the solver 'helix' needs a "
                             "length between them",
                             (int)i);
    }
    return status;
}

static td_status check_strand(const td_strand *s, const td_segment *segments, td_diag *diag) {
    for (int32_t i = s->first; i < s->first + s->count; i++) {
        const td_segment *one = &segments[i];
        if (fabs(one->length - one->rest_length) > STRETCH * one->rest_length) {
            return tdi_fail_at(diag, TD_ERR_STRUCTURE, i,
                               "segment %d starts stretched; the solver 'helix' keeps all lengths",
                               (int)i);
        }
    }
    const char *wrong = s->closed ? "is part of a ring, which the solver 'helix' does not have"
                        : s->end != TD_END_FREE
                            ? "is part of a strand whose last end is held, which the solver "
                              "'helix' cannot do"
                            : NULL;
    return wrong ? tdi_fail_at(diag, TD_ERR_STRUCTURE, s->first, "segment %d %s", (int)s->first,
                               wrong)
                 : TD_OK;
}

static td_status check(const tdi_helix_maker *k, td_diag *diag) {
    td_status status =
        k->count > 0 ? TD_OK : tdi_fail(diag, TD_ERR_ARGUMENT, "the skeleton has no segments");
    for (int32_t i = 0; i < k->count && status == TD_OK; i++) {
        status = check_segment(&k->segments[i], i, diag);
    }
    for (int32_t i = 0; i < td_skeleton_strand_count(k->skeleton) && status == TD_OK; i++) {
        status = check_strand(&td_skeleton_strands(k->skeleton)[i], k->segments, diag);
    }
    return status;
}

// ---- axes -----------------------------------------------------------------------------------

static bool is_stem(const td_segment *s) {
    return s->organ == TD_ORGAN_STEM;
}

static bool is_step(td_real a, td_real b) {
    return !(a <= STEP * b && b <= STEP * a);
}

static bool can_go_on(const td_segment *up, const td_segment *s) {
    const td_real off = tdi_norm(tdi_sub(s->attach, up->tip));
    const bool plain = s->stiffness.x == s->stiffness.z;
    const td_real angle = plain ? tdi_helix_swing(s->rest) : tdi_norm(tdi_helix_log(s->rest));
    return s->joint == TD_JOINT_BALL && up->joint != TD_JOINT_FIXED &&
           off <= AT_TIP * tdi_norm(up->tip) && is_stem(s) == is_stem(up) && angle <= GOES_ON &&
           !(is_stem(s) && is_step(s->section.bend_x, up->section.bend_x));
}

static bool is_better(const tdi_helix_maker *k, int32_t i, int32_t than) {
    return k->carried[i] > k->carried[than] ||
           (k->carried[i] == k->carried[than] &&
            tdi_helix_swing(k->segments[i].rest) < tdi_helix_swing(k->segments[than].rest));
}

static void choose_next(tdi_helix_maker *k) {
    for (int32_t i = 0; i < k->count; i++) {
        const td_segment *s = &k->segments[i];
        k->next[i] = TD_NONE;
        if (s->parent == TD_NONE || tdi_helix_is_kept(k, s->parent)) {
            continue;
        }
        const bool same = k->strand[i] != TD_NONE && k->strand[i] == k->strand[s->parent],
                   lone = k->strand[i] == TD_NONE && k->strand[s->parent] == TD_NONE;
        int32_t *next = &k->next[s->parent];
        if (same || (lone && can_go_on(&k->segments[s->parent], s) &&
                     (*next == TD_NONE || is_better(k, i, *next)))) {
            *next = i;
        }
    }
}

// A root that is not fixed is an element, whatever it is.
static tdi_helix_role role_of(const tdi_helix_maker *k, int32_t i) {
    const td_segment *s = &k->segments[i];
    const bool root = s->parent == TD_NONE, row = k->next[i] != TD_NONE;
    return tdi_helix_is_kept(k, i)                                               ? TDI_KEPT
           : !root && k->next[s->parent] == i && k->role[s->parent] != TDI_RIDES ? TDI_FOLLOWS
           : s->joint == TD_JOINT_FIXED                                          ? TDI_RIDES
           : root || is_stem(s) || row                                           ? TDI_HEADS
                                                                                 : TDI_RIDES;
}

static void weigh(tdi_helix_maker *k) {
    for (int32_t i = 0; i < td_skeleton_attached_mass_count(k->skeleton); i++) {
        const td_attached_mass *b = &td_skeleton_attached_masses(k->skeleton)[i];
        k->carried[b->segment] += b->mass;
    }
    for (int32_t i = k->count - 1; i >= 0; i--) {
        k->carried[i] += k->segments[i].mass;
        if (k->segments[i].parent != TD_NONE) {
            k->carried[k->segments[i].parent] += k->carried[i];
        }
    }
}

static bool take_room(tdi_helix_maker *k) {
    const size_t n = (size_t)k->count;
    tdi_arena *a = &k->arena;
    tdi_helix_axis *x = &k->axis;
    return (k->origin = tdi_arena_zeroed(a, n, sizeof *k->origin)) &&
           (k->turn = tdi_arena_zeroed(a, n, sizeof *k->turn)) &&
           (k->next = tdi_arena_zeroed(a, n, sizeof *k->next)) &&
           (k->strand = tdi_arena_zeroed(a, n, sizeof *k->strand)) &&
           (k->carried = tdi_arena_zeroed(a, n, sizeof *k->carried)) &&
           (k->role = tdi_arena_zeroed(a, n, sizeof *k->role)) &&
           (k->rider = tdi_arena_zeroed(a, n, sizeof *k->rider)) &&
           (k->capsule = tdi_arena_zeroed(a, n, sizeof *k->capsule)) &&
           (k->depth = tdi_arena_zeroed(a, n, sizeof *k->depth)) &&
           (k->stands = tdi_arena_zeroed(a, n, sizeof *k->stands)) &&
           (k->element = tdi_arena_zeroed(a, n, sizeof *k->element)) &&
           (k->place = tdi_arena_zeroed(a, n, sizeof *k->place)) &&
           (k->frame = tdi_arena_zeroed(a, n, sizeof *k->frame)) &&
           (k->whole = tdi_arena_zeroed(a, n, sizeof *k->whole)) &&
           (x->member = tdi_arena_zeroed(a, n, sizeof *x->member)) &&
           (x->at = tdi_arena_zeroed(a, n + 1, sizeof *x->at)) &&
           (x->roll = tdi_arena_zeroed(a, n, sizeof *x->roll)) &&
           (x->rest = tdi_arena_zeroed(a, n, sizeof *x->rest)) &&
           (x->start = tdi_arena_zeroed(a, n, sizeof *x->start));
}

static void find_axes(tdi_helix_maker *k) {
    for (int32_t i = 0; i < k->count; i++) {
        k->strand[i] = TD_NONE;
    }
    for (int32_t n = 0; n < td_skeleton_strand_count(k->skeleton); n++) {
        const td_strand *s = &td_skeleton_strands(k->skeleton)[n];
        for (int32_t i = s->first; i < s->first + s->count; i++) {
            k->strand[i] = n;
        }
    }
    choose_next(k);
    for (int32_t i = 0; i < k->count; i++) {
        k->role[i] = (uint8_t)role_of(k, i);
    }
}

void tdi_helix_drawn(const tdi_helix_maker *k, int32_t element, td_real s, td_vec3 *place,
                     td_quat *frame) {
    *place = tdi_vec3(0, 0, 0);
    *frame = tdi_quat_identity();
    if (element != TD_NONE) {
        const td_vec3 u = k->element[element].start;
        const td_quat q = k->frame[element];
        *place = tdi_add(k->place[element], tdi_quat_rotate(q, tdi_helix_at(u, s).x));
        *frame = tdi_quat_mul(q, tdi_turn_by(tdi_scale(u, s)));
    }
}

// Elements of what there was, and where they are drawn.
static void keep_elements(tdi_helix_maker *k) {
    for (; k->element_count < k->kept->element_count; k->element_count++) {
        const int32_t n = k->element_count;
        const tdi_helix_element *e = &k->kept->element[n];
        td_vec3 place;
        td_quat frame;
        tdi_helix_drawn(k, e->parent, e->at, &place, &frame);
        k->element[n] = *e;
        k->place[n] = tdi_add(place, tdi_quat_rotate(frame, e->place));
        k->frame[n] = tdi_quat_mul(frame, tdi_quat_from_axes(tdi_mat3_column(&e->turn, 0),
                                                             tdi_mat3_column(&e->turn, 1),
                                                             tdi_mat3_column(&e->turn, 2)));
    }
}

// New segments stand as drawn against what carries them, wherever that is drawn.
static void keep_segments(tdi_helix_maker *k) {
    for (int32_t i = 0; i < k->count; i++) {
        const td_segment *s = &k->segments[i];
        if (tdi_helix_is_kept(k, i)) {
            tdi_helix_keep_riding(k, i);
            const int32_t element = k->rider[i].element;
            k->whole[element == TD_NONE ? 0 : element] |= element != TD_NONE && k->strand[i] >= 0;
        } else if (s->parent != TD_NONE) {
            const td_quat up = k->turn[s->parent];
            k->origin[i] = tdi_add(k->origin[s->parent], tdi_quat_rotate(up, s->attach));
            k->turn[i] = tdi_quat_mul(up, s->initial);
        }
    }
}

static td_status make_parts(tdi_helix_maker *k, td_diag *diag) {
    bool room = true;
    for (int32_t i = 0; i < k->count && room; i++) {
        if (k->role[i] == TDI_HEADS) {
            TDI_TRY(tdi_helix_make_axis(k, i, diag));
        } else if (k->role[i] == TDI_RIDES) {
            tdi_helix_ride(k, i);
            room = tdi_helix_add_rigid(k, i);
        }
    }
    if (!room || !tdi_helix_add_bodies(k)) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the helices' model");
    }
    if (k->element_count == 0) {
        return tdi_fail(diag, TD_ERR_STRUCTURE,
                        "all %d segments are fixed; the solver 'helix' needs an element, which is "
                        "a stem on a ball joint",
                        (int)k->count);
    }
    return k->stations.count <= INT32_MAX && k->vanes.count <= INT32_MAX
               ? TD_OK
               : tdi_fail(diag, TD_ERR_LIMIT, "the skeleton has too many segments: %d",
                          (int)k->count);
}

// ---- the model ------------------------------------------------------------------------------

static void add_riders(const tdi_helix_maker *k, tdi_helix_model *m) {
    int32_t next = 0;
    for (int32_t i = 0; i < k->count; i++) {
        m->rider[i] = k->rider[i];
        const int32_t count = tdi_helix_list_capsules(k, i, m->capsule + next);
        m->rider[i].capsule = count > 0 ? next : TD_NONE;
        next += count;
    }
}

// Those of what there was, element by element before those that are new.
static void join_stations(const tdi_helix_maker *k, tdi_helix_model *m) {
    const int32_t old_count = k->kept ? k->kept->station_count : 0;
    int32_t old = 0, more = 0, next = 0;
    for (int32_t n = 0; n <= k->element_count; n++) {
        const int32_t e = n < k->element_count ? n : TD_NONE; // the base last
        while (old < old_count && k->kept->station[old].element == e) {
            m->station[next++] = k->kept->station[old++];
        }
        while (more < k->stations.count && k->stations.item[more].element == e) {
            m->station[next++] = k->stations.item[more++];
        }
    }
}

// Those of what there was name segments by riders.
static void join_vanes(const tdi_helix_maker *k, const int32_t *segment, tdi_helix_model *m) {
    const int32_t old_count = k->kept ? k->kept->vane_count : 0;
    int32_t old = 0, more = 0, next = 0;
    for (int32_t e = 0; e < k->element_count; e++) {
        for (; old < old_count && k->kept->vane[old].point.element == e; old++, next++) {
            m->vane[next] = k->kept->vane[old];
            m->vane[next].point.segment = segment[m->vane[next].point.segment];
        }
        while (more < k->vanes.count && k->vanes.item[more].point.element == e) {
            m->vane[next++] = k->vanes.item[more++];
        }
    }
}

// The segment of each rider of what there was.
static int32_t *segments_of_riders(tdi_helix_maker *k) {
    int32_t *segment = tdi_arena_zeroed(&k->arena, (size_t)k->count, sizeof *segment);
    for (int32_t i = 0; i < k->count && segment; i++) {
        if (tdi_helix_is_kept(k, i)) {
            segment[k->number[i]] = i;
        }
    }
    return segment;
}

static td_status make_model(tdi_helix_maker *k, tdi_helix_model **out, td_diag *diag) {
    const int32_t *segment = segments_of_riders(k);
    if (!segment || !tdi_helix_sort(k)) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the helices' model");
    }
    const int32_t kept_stations = k->kept ? k->kept->station_count : 0,
                  kept_vanes = k->kept ? k->kept->vane_count : 0;
    tdi_helix_counts counts = {.elements = k->element_count,
                               .stations = (int32_t)k->stations.count + kept_stations,
                               .vanes = (int32_t)k->vanes.count + kept_vanes,
                               .riders = k->count};
    for (int32_t i = 0; i < k->count; i++) {
        tdi_helix_capsule own[TDI_SOLIDS + 1];
        counts.capsules += tdi_helix_list_capsules(k, i, own);
    }
    tdi_helix_model *m = tdi_helix_model_alloc(&counts, k->alloc, diag);
    TDI_TRY(m ? TD_OK : TD_ERR_MEMORY);
    memcpy(m->element, k->element, (size_t)k->element_count * sizeof *m->element);
    join_stations(k, m);
    join_vanes(k, segment, m);
    tdi_helix_number_parts(m);
    add_riders(k, m);
    tdi_helix_model_finish(m);
    if (TDI_ASSERTS) {
        tdi_helix_model_validate(m);
    }
    *out = m;
    return TD_OK;
}

static td_status make(tdi_helix_maker *k, tdi_helix_model **out, td_diag *diag) {
    if (!take_room(k)) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the helices' model");
    }
    td_skeleton_pose(k->skeleton, TD_POSE_INITIAL, k->origin, k->turn);
    weigh(k);
    find_axes(k);
    if (k->kept) {
        keep_elements(k);
        keep_segments(k);
    }
    td_status status = make_parts(k, diag);
    return status == TD_OK ? make_model(k, out, diag) : status;
}

td_status tdi_helix_model_extended(const td_skeleton *skeleton, const tdi_helix_model *kept,
                                   const int32_t *number, int32_t elements, const td_alloc *alloc,
                                   tdi_helix_model **out, td_diag *diag) {
    tdi_helix_maker k = {.skeleton = skeleton,
                         .kept = kept,
                         .number = number,
                         .segments = td_skeleton_segments(skeleton),
                         .count = td_skeleton_count(skeleton),
                         .elements = elements,
                         .alloc = alloc,
                         .arena = {.alloc = alloc}};
    *out = NULL;
    td_status status = check(&k, diag);
    status = status == TD_OK ? make(&k, out, diag) : status;
    tdi_alloc_free(alloc, k.scratch, (size_t)k.scratch_room * sizeof *k.scratch);
    tdi_arena_free(&k.arena);
    return status;
}

td_status tdi_helix_model_from_skeleton(const td_skeleton *skeleton, int32_t elements,
                                        const td_alloc *alloc, tdi_helix_model **out,
                                        td_diag *diag) {
    return tdi_helix_model_extended(skeleton, NULL, NULL, elements, alloc, out, diag);
}
