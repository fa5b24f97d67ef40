// SPDX-License-Identifier: MIT
// From an axis of segments to elements.
//
// Count     As many elements as a strand or its object says, else enough for two things. They turn
//           by a quarter turn in the mean, at rest or as drawn. And with the stiffness B of the
//           axis, its length L and the mass m that it carries, its own and that of its branches,
//             N^3 >= 8 m g L^2/B:
//           held level, the axis then ends within about one part in a hundred of its length of
//           where one of many elements does. At least two on the ground, for the lowest frequency;
//           at most one a segment.
//           Strands have three times as many a length at a held start as at the tip.
//           One is cut again where its segments would turn from it by more than 0.2 rad, or differ
//           in stiffness by more than a factor of 8.
// Frames    An element begins at the joint of its first segment. Its frame there is that of the
//           segment's middle, as drawn, turned back by half of the segment. So what a fit leaves
//           out stays within one element. On its base an axis stands as it rests, and what is drawn
//           otherwise there is curvature of its first element; a strand stands as it is drawn.

#include "helix/build.h"

#include <math.h>

#define PI      3.14159265358979323846
#define QUARTER (PI / 2) // rad: by which an element turns at most in the mean, unless it is told to
#define WEIGHT  8.0      // of the cube of the number of elements, over weight and stiffness
#define GRAVITY 9.81     // m/s^2: that of most scenes
#define TURNS   100      // of an element: more are refused
#define LEAST   2        // elements of an axis on the ground
#define MISFIT  0.2      // rad: segments turn from their element by no more
#define TAPER   8.0      // the stiffest joint of an element over the softest, at most

// ---- how many -------------------------------------------------------------------------------

static td_real bend_stiffness(const tdi_helix_maker *k, const tdi_helix_axis *axis) {
    td_real sum = 0, length = 0;
    for (int32_t j = 1; j < axis->count; j++) {
        const td_segment *s = &k->segments[axis->member[j]];
        const td_real l = 0.5 * (axis->at[j + 1] - axis->at[j - 1]);
        sum += fmin(s->stiffness.x, s->stiffness.z) * l * l;
        length += l;
    }
    return length > 0 ? sum / length : 0;
}

// What the strand or the object says; 0: nothing.
static int32_t given_elements(const tdi_helix_maker *k, const tdi_helix_axis *axis) {
    const int32_t own = axis->strand ? axis->strand->elements : 0,
                  count = own > 0 ? own : k->elements;
    return count < axis->count ? count : axis->count;
}

static int32_t count_elements(const tdi_helix_maker *k, const tdi_helix_axis *axis) {
    const int32_t given = given_elements(k, axis);
    if (given > 0) {
        return given;
    }
    const td_real length = axis->at[axis->count], weight = GRAVITY * k->carried[axis->member[0]],
                  stiff = bend_stiffness(k, axis);
    const bool root = k->segments[axis->member[0]].parent == TD_NONE;
    td_real angle = 0, count = root ? LEAST : 1;
    for (int32_t j = 1; j < axis->count; j++) {
        angle += fmax(tdi_helix_swing(axis->rest[j]), tdi_helix_swing(axis->start[j]));
    }
    count = fmin(fmax(count, ceil(angle / QUARTER)), axis->count);
    while (count < axis->count &&
           count * count * count * stiff < WEIGHT * weight * length * length) {
        count++;
    }
    return (int32_t)count;
}

// Where of the length a share of the elements ends. A strand that is held at its start bends there
// the most: moments, whose squares the error adds up, fall towards the tip. So it has elements in
// proportion to 3/2 - s, three times as many a length at the start as at the tip. Stems, which are
// thinner towards their tips, have them evenly.
static td_real end_of_share(td_real share, bool graded) {
    return graded ? 1.5 - sqrt(2.25 - 2 * share) : share;
}

// The member at which element e of `count` begins: the joint nearest to where its share of the
// length begins, with a segment at least for each.
static int32_t cut_at(const tdi_helix_axis *axis, bool graded, int32_t e, int32_t count,
                      int32_t before) {
    const td_real to = axis->at[axis->count] * end_of_share((td_real)e / count, graded);
    const int32_t most = axis->count - (count - e);
    int32_t j = before + 1;
    while (j < most && axis->at[j + 1] - to <= to - axis->at[j]) {
        j++;
    }
    return e == count ? axis->count : j;
}

// ---- where an element begins ----------------------------------------------------------------

// Of a helix that turns by v over a segment: from the frame in the middle to that of the chord,
// which goes along  S e_y + (1 - S) (e_y.v) v/|v|^2.
static td_quat to_chord(td_vec3 v) {
    const td_real angle = tdi_norm(v), half = 0.5 * angle, s = half > 1e-9 ? sin(half) / half : 1;
    td_vec3 d = tdi_scale(v, angle > 1e-9 ? (1 - s) * v.y / (angle * angle) : 0);
    d.y += s;
    d = tdi_scale(d, 1 / tdi_norm(d));
    return tdi_quat_unit((td_quat){1 + d.y, d.z, 0, -d.x}); // e_y to d the shortest way
}

// From the axes of a segment that is rolled by `roll` and `length` m long on the helix, back from
// its middle to its joint.
static td_quat back_to_joint(td_quat axes, td_real roll, td_vec3 u, td_real length, bool smooth) {
    td_quat q = tdi_quat_mul(axes, tdi_quat_turn(tdi_vec3(0, 1, 0), roll));
    if (smooth) {
        q = tdi_quat_mul(q, tdi_quat_conj(to_chord(tdi_scale(u, length))));
    }
    return tdi_quat_mul(q, tdi_turn_by(tdi_scale(u, -0.5 * length)));
}

static td_quat first_frame(const tdi_helix_maker *k, int32_t j, const tdi_helix_fit *fit,
                           td_real rate) {
    const tdi_helix_axis *axis = &k->axis;
    const int32_t i = axis->member[j];
    const td_segment *s = &k->segments[i];
    const td_real length = fit->stretch * (axis->at[j + 1] - axis->at[j]),
                  turn = axis->roll[j] + tdi_helix_rolled(axis, rate, j);
    if (j > 0 || axis->strand || s->joint == TD_JOINT_FREE) {
        return back_to_joint(k->turn[i], turn, fit->start, length, axis->strand);
    }
    const td_quat up = s->parent == TD_NONE ? tdi_quat_identity() : k->turn[s->parent];
    return back_to_joint(tdi_quat_mul(up, s->rest), turn, fit->rest, length, false);
}

static td_end_kind root_of(const tdi_helix_maker *k, const tdi_helix_axis *axis) {
    const td_segment *s = &k->segments[axis->member[0]];
    const bool loose = s->parent == TD_NONE && tdi_norm(s->stiffness) == 0;
    return s->joint == TD_JOINT_FREE ? TD_END_FREE
           : axis->strand            ? axis->strand->start
           : loose                   ? TD_END_PINNED
                                     : TD_END_CLAMPED;
}

// What the first element of an axis stands on.
static void find_base(const tdi_helix_maker *k, const td_segment *s, tdi_helix_element *e) {
    e->parent = TD_NONE;
    if (s->parent == TD_NONE) {
        return;
    }
    const tdi_helix_rider *r = &k->rider[s->parent];
    const td_real part = fmin(fmax(s->attach.y / r->length, 0), 1);
    e->parent = r->element;
    e->at = r->from + part * (r->to - r->from);
}

// ---- elements -------------------------------------------------------------------------------

static td_status check_turns(const tdi_helix_maker *k, int32_t j, const tdi_helix_fit *fit,
                             td_diag *diag) {
    const td_real most = fmax(tdi_norm(fit->rest), tdi_norm(fit->start)),
                  turns = most * fit->length / (2 * PI);
    if (!(turns <= TURNS)) {
        const int32_t i = k->axis.member[j];
        return tdi_fail_at(diag, TD_ERR_STRUCTURE, i,
                           "segment %d: the element that begins here makes %.6g turns; it must be "
                           "at most %d: raise the number of elements",
                           (int)i, turns, TURNS);
    }
    return TD_OK;
}

static void make_element(tdi_helix_maker *k, int32_t first, const tdi_helix_fit *fit,
                         td_real rate) {
    const tdi_helix_axis *axis = &k->axis;
    const int32_t i = axis->member[first], n = k->element_count++;
    tdi_helix_element *e = &k->element[n];
    *e = (tdi_helix_element){.root = root_of(k, axis),
                             .length = fit->length,
                             .rest = fit->rest,
                             .start = fit->start,
                             .stiffness = fit->stiffness,
                             .friction = fit->friction};
    if (first > 0) {
        e->parent = n - 1;
        e->at = k->element[n - 1].length;
    } else {
        find_base(k, &k->segments[i], e);
    }
    e->root = e->parent == TD_NONE ? e->root : TD_END_CLAMPED;
    k->whole[n] = axis->strand;
    k->place[n] = k->origin[i];
    k->frame[n] = first_frame(k, first, fit, rate);
    td_vec3 place;
    td_quat frame;
    tdi_helix_drawn(k, e->parent, e->at, &place, &frame);
    const td_quat back = tdi_quat_conj(frame);
    e->place = tdi_quat_rotate(back, tdi_sub(k->place[n], place));
    e->turn = tdi_mat3_from_quat(tdi_quat_unit(tdi_quat_mul(back, k->frame[n])));
}

// Riders and matter of an element that has been made of the members [first, last).
static bool load_element(tdi_helix_maker *k, int32_t n, int32_t first, int32_t last) {
    const tdi_helix_axis *axis = &k->axis;
    const td_real length = k->element[n].length, from = axis->at[first],
                  scale = length / (axis->at[last] - from);
    for (int32_t j = first; j < last; j++) {
        const td_real end = j + 1 == last ? length : scale * (axis->at[j + 1] - from);
        tdi_helix_ride_along(k, axis->member[j], n, scale * (axis->at[j] - from), end);
    }
    return tdi_helix_add_slices(k, n, first, last);
}

static void collect(tdi_helix_maker *k, int32_t head) {
    tdi_helix_axis *axis = &k->axis;
    axis->count = 0;
    axis->at[0] = 0;
    for (int32_t i = head; i != TD_NONE; i = k->next[i]) {
        const td_segment *s = &k->segments[i];
        axis->member[axis->count] = i;
        axis->at[axis->count + 1] = axis->at[axis->count] + tdi_norm(s->tip);
        axis->count++;
    }
    const int32_t strand = k->strand[head];
    axis->strand = strand == TD_NONE ? NULL : &td_skeleton_strands(k->skeleton)[strand];
}

// The element that begins at member `first` and goes as far as *last, or less far where one would
// leave out too much of what its segments turn by.
static tdi_helix_fit fit_element(const tdi_helix_maker *k, int32_t first, int32_t *last,
                                 td_real *rate) {
    const tdi_helix_axis *axis = &k->axis;
    const bool given = given_elements(k, axis) > 0;
    for (;;) {
        *rate = tdi_helix_roll_rate(axis, first, *last);
        const tdi_helix_fit fit = tdi_helix_fit_of(k, first, *last, *rate);
        if (given || (fit.misfit <= MISFIT && fit.taper <= TAPER) || *last - first == 1) {
            return fit;
        }
        *last = first + (*last - first + 1) / 2;
    }
}

td_status tdi_helix_make_axis(tdi_helix_maker *k, int32_t head, td_diag *diag) {
    tdi_helix_axis *axis = &k->axis;
    collect(k, head);
    tdi_helix_roll_axis(k, axis);
    const int32_t count = count_elements(k, axis);
    const bool graded = axis->strand && root_of(k, axis) != TD_END_FREE;
    for (int32_t e = 1, first = 0, last; first < axis->count; first = last) {
        const int32_t cut = last = cut_at(axis, graded, e, count, first);
        td_real rate;
        const tdi_helix_fit fit = fit_element(k, first, &last, &rate);
        e += last == cut;
        TDI_TRY(check_turns(k, first, &fit, diag));
        make_element(k, first, &fit, rate);
        if (!load_element(k, k->element_count - 1, first, last)) {
            return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the helices' model");
        }
    }
    return TD_OK;
}
