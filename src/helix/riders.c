// SPDX-License-Identifier: MIT
// Segments of a skeleton as they ride on elements, and the capsules that they are to contact.
//
// Riders are placed so that every segment is drawn at time 0 exactly as its skeleton says, wherever
// the helices go.

#include "helix/build.h"

#include "contact/contact.h"

#include <math.h>

#define THIN 0.1 // of a lamina's mean width: the radius with which it lies on things

// ---- capsules -------------------------------------------------------------------------------

// A stem is round about its joint and its tip. Laminae are thin capsules along their middle, fruit
// as thick as they are wide; these end where the organ does. As trees have it.
static td_real capsule_radius(const td_segment *s) {
    const td_real width = s->area / s->length;
    return s->organ == TD_ORGAN_STEM
               ? 0.5 * (s->radius_base + s->radius_tip)
               : (s->organ == TD_ORGAN_FRUIT ? 0.5 : THIN) * fmin(width, s->length);
}

static tdi_helix_point on_rider(const tdi_helix_rider *r, int32_t segment, const td_segment *s,
                                td_real at) {
    const td_real length = tdi_norm(s->tip), part = length > 0 ? at / length : 0;
    return (tdi_helix_point){.element = r->element,
                             .segment = segment,
                             .s = r->from + part * (r->to - r->from),
                             .offset =
                                 tdi_add(tdi_scale(r->start, 1 - part), tdi_scale(r->end, part))};
}

// How far a segment is from the base, and how near to it nothing touches.
static void measure_depth(tdi_helix_maker *k, int32_t i, td_real radius) {
    const td_segment *s = &k->segments[i];
    if (s->parent == TD_NONE) {
        k->stands[i] = s->joint == TD_JOINT_FREE ? -1 : TDI_BASE_CLEARANCE * radius;
        return;
    }
    const td_real up = k->stands[s->parent];
    k->depth[i] = k->depth[s->parent] + tdi_norm(s->attach);
    k->stands[i] = up < 0 ? up : fmax(up, TDI_BASE_CLEARANCE * radius);
}

static void make_capsule(tdi_helix_maker *k, int32_t i) {
    const td_segment *s = &k->segments[i];
    const tdi_helix_rider *r = &k->rider[i];
    const td_real radius = capsule_radius(s), length = tdi_norm(s->tip),
                  own = s->organ == TD_ORGAN_STEM ? 0 : radius;
    measure_depth(k, i, radius);
    const td_real free = k->stands[i] - k->depth[i], to = length - own;
    if (r->element == TD_NONE || !(radius > 0 && isfinite(radius)) || free >= to) {
        return;
    }
    const td_real from = fmax(own, free), middle = 0.5 * length;
    const bool ball = from >= to; // an organ as long as it is thick
    k->capsule[i] = (tdi_helix_capsule){
        .end = {on_rider(r, i, s, ball ? middle : from), on_rider(r, i, s, ball ? middle : to)},
        .radius = radius};
}

// A point of a welded body rides with it; that of a bead is at the tip of a stem.
static tdi_helix_point on_body(const tdi_helix_rider *r, int32_t segment, bool tip, td_vec3 x) {
    return (tdi_helix_point){.element = r->element,
                             .segment = segment,
                             .s = tip ? r->to : r->from,
                             .offset =
                                 tip ? r->end : tdi_add(r->start, tdi_quat_rotate(r->turn, x))};
}

int32_t tdi_helix_list_capsules(const tdi_helix_maker *k, int32_t i, tdi_helix_capsule *out) {
    const td_segment *s = &k->segments[i];
    const td_shape *shapes = td_skeleton_shapes(k->skeleton);
    const tdi_helix_rider *r = &k->rider[i];
    tdi_solid solids[TDI_SOLIDS];
    int32_t count = 0;
    if (!(k->capsule[i].radius > 0)) {
        return 0;
    }
    if (!tdi_is_welded_body(s, shapes) || r->from != r->to) {
        out[count++] = k->capsule[i];
    }
    const bool tip = s->shape == TD_NONE;
    const int32_t more = tip || r->from == r->to ? tdi_segment_solids(s, shapes, solids) : 0;
    for (int32_t j = 0; j < more; j++) {
        const td_vec3 *end = solids[j].end;
        out[count++] =
            (tdi_helix_capsule){.end = {on_body(r, i, tip, end[0]), on_body(r, i, tip, end[1])},
                                .radius = solids[j].radius};
    }
    return count;
}

// ---- riders ---------------------------------------------------------------------------------

static td_vec3 seen_from(td_vec3 place, td_quat frame, td_vec3 x) {
    return tdi_quat_rotate(tdi_quat_conj(frame), tdi_sub(x, place));
}

static void place_rider(tdi_helix_maker *k, int32_t i, tdi_helix_rider r) {
    const td_segment *s = &k->segments[i];
    const td_vec3 tip = tdi_add(k->origin[i], tdi_quat_rotate(k->turn[i], s->tip));
    td_vec3 place;
    td_quat frame;
    tdi_helix_drawn(k, r.element, r.from, &place, &frame);
    r.start = seen_from(place, frame, k->origin[i]);
    tdi_helix_drawn(k, r.element, r.to, &place, &frame);
    r.end = seen_from(place, frame, tip);
    tdi_helix_drawn(k, r.element, 0.5 * (r.from + r.to), &place, &frame);
    r.turn = tdi_quat_unit(tdi_quat_mul(tdi_quat_conj(frame), k->turn[i]));
    k->rider[i] = r;
    make_capsule(k, i);
}

void tdi_helix_keep_riding(tdi_helix_maker *k, int32_t i) {
    const tdi_helix_rider *r = &k->kept->rider[k->number[i]];
    td_vec3 place;
    td_quat frame;
    k->rider[i] = *r;
    tdi_helix_drawn(k, r->element, r->from, &place, &frame);
    k->origin[i] = tdi_add(place, tdi_quat_rotate(frame, r->start));
    tdi_helix_drawn(k, r->element, 0.5 * (r->from + r->to), &place, &frame);
    k->turn[i] = tdi_quat_unit(tdi_quat_mul(frame, r->turn));
    measure_depth(k, i, capsule_radius(&k->segments[i]));
    if (r->capsule != TD_NONE) {
        k->capsule[i] = k->kept->capsule[r->capsule];
        k->capsule[i].end[0].segment = k->capsule[i].end[1].segment = i;
    }
}

void tdi_helix_ride_along(tdi_helix_maker *k, int32_t segment, int32_t element, td_real from,
                          td_real to) {
    const td_real length = tdi_norm(k->segments[segment].tip);
    place_rider(k, segment,
                (tdi_helix_rider){.element = element, .from = from, .to = to, .length = length});
}

// Where its parent carries it.
void tdi_helix_ride(tdi_helix_maker *k, int32_t segment) {
    const td_segment *s = &k->segments[segment];
    tdi_helix_rider r = {.element = TD_NONE, .length = s->length};
    if (s->parent != TD_NONE) {
        const tdi_helix_rider *up = &k->rider[s->parent];
        const td_real part = fmin(fmax(s->attach.y / up->length, 0), 1);
        r.element = up->element;
        r.from = r.to = up->from + part * (up->to - up->from);
    }
    place_rider(k, segment, r);
}
