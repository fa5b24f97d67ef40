// SPDX-License-Identifier: MIT
// Mass and area of a skeleton, on elements.
//
// Stems are mass along their element: points of Gauss of the mass that their segments have, which
// keep the whole, its first moment and those up to degree 2n - 1 along the element. All else is
// what rides at one place: as heavy, and as it lies, as it is drawn.

#include "helix/build.h"

#include "load/drag.h"

#include <math.h>

#define ON_AXIS 1e-6 // of the length: as near is on the axis
#define FEWEST  2    // points of a segment

// ---- lists ----------------------------------------------------------------------------------

static bool add_station(tdi_helix_maker *k, const tdi_helix_station *station) {
    if (!(station->mass > 0)) {
        return true;
    }
    if (k->stations.count == k->stations.room) {
        void *room = tdi_arena_grow(&k->arena, k->stations.item, k->stations.count,
                                    &k->stations.room, sizeof *k->stations.item);
        if (!room) {
            return false;
        }
        k->stations.item = room;
    }
    k->stations.item[k->stations.count++] = *station;
    return true;
}

static bool add_vane(tdi_helix_maker *k, const tdi_helix_vane *vane) {
    if (k->vanes.count == k->vanes.room) {
        void *room = tdi_arena_grow(&k->arena, k->vanes.item, k->vanes.count, &k->vanes.room,
                                    sizeof *k->vanes.item);
        if (!room) {
            return false;
        }
        k->vanes.item = room;
    }
    k->vanes.item[k->vanes.count++] = *vane;
    return true;
}

// ---- what rides -----------------------------------------------------------------------------

// Matter in the axes of a segment, as a station where the segment is drawn to be:
//   x = a + R X,  S' = R S R^T + R f a^T + a (R f)^T + m a a^T,  f = m times the centre.
static bool add_matter(tdi_helix_maker *k, int32_t segment, td_real s, td_real mass, td_vec3 centre,
                       td_sym3 second) {
    const int32_t element = k->rider[segment].element;
    td_vec3 place;
    td_quat frame;
    tdi_helix_drawn(k, element, s, &place, &frame);
    const td_quat back = tdi_quat_conj(frame), turn = tdi_quat_mul(back, k->turn[segment]);
    const td_vec3 a = tdi_quat_rotate(back, tdi_sub(k->origin[segment], place)),
                  c = tdi_quat_rotate(turn, centre);
    const tdi_mat3 r = tdi_mat3_from_quat(turn);
    td_sym3 about = tdi_sym3_turn(&r, &second);
    about = tdi_sym3_add(about, tdi_sym3_square(tdi_add(a, c), mass));
    about = tdi_sym3_add(about, tdi_sym3_square(c, -mass));
    const tdi_helix_station station = {.element = element,
                                       .rigid = 1,
                                       .s = s,
                                       .mass = mass,
                                       .moment = tdi_scale(tdi_add(a, c), mass),
                                       .second = about};
    return add_station(k, &station);
}

// Two points along what bends, each with half of its area; one in the middle of what is rigid.
static bool add_vanes(tdi_helix_maker *k, int32_t segment) {
    const tdi_helix_rider *r = &k->rider[segment];
    const td_segment *s = &k->segments[segment];
    const int count = r->element == TD_NONE ? 0 : r->from == r->to ? 1 : 2;
    const td_vec3 area = tdi_scale(tdi_segment_areas(s), 1.0 / (count > 0 ? count : 1));
    for (int i = 0; i < count; i++) {
        const td_real part = count == 1 ? 0.5 : tdi_gauss_points[i];
        tdi_helix_vane v = {
            .point = {.element = r->element,
                      .segment = segment,
                      .s = r->from + part * (r->to - r->from),
                      .offset = tdi_add(tdi_scale(r->start, 1 - part), tdi_scale(r->end, part))},
            .turn = r->turn,
            .area = area,
            .fold = tdi_segment_fold(s)};
        if (!add_vane(k, &v)) {
            return false;
        }
    }
    return true;
}

// At the middle of what stretches along the element; where it is attached, else.
bool tdi_helix_add_rigid(tdi_helix_maker *k, int32_t segment) {
    const td_segment *s = &k->segments[segment];
    const tdi_helix_rider *r = &k->rider[segment];
    return add_matter(k, segment, 0.5 * (r->from + r->to), s->mass, s->centre_of_mass,
                      s->second_moment) &&
           add_vanes(k, segment);
}

bool tdi_helix_add_bodies(tdi_helix_maker *k) {
    const td_attached_mass *bodies = td_skeleton_attached_masses(k->skeleton);
    bool fine = true;
    for (int32_t i = 0; i < td_skeleton_attached_mass_count(k->skeleton) && fine; i++) {
        const td_attached_mass *b = &bodies[i];
        if (tdi_helix_is_kept(k, b->segment)) {
            continue;
        }
        const tdi_helix_rider *r = &k->rider[b->segment];
        const td_real part = fmin(fmax(b->centre_of_mass.y / r->length, 0), 1);
        fine = add_matter(k, b->segment, r->from + part * (r->to - r->from), b->mass,
                          b->centre_of_mass, b->second_moment);
    }
    return fine;
}

// ---- along an element -----------------------------------------------------------------------

// Whether the mass of a segment lies along its axis.
static bool is_slender(const td_segment *s) {
    const td_sym3 *m = &s->second_moment;
    const td_real length = tdi_norm(s->tip), small = ON_AXIS * length,
                  tiny = small * length * s->mass;
    return s->organ == TD_ORGAN_STEM && fabs(s->centre_of_mass.x) <= small &&
           fabs(s->centre_of_mass.z) <= small && fabs(m->xy) <= tiny && fabs(m->xz) <= tiny &&
           fabs(m->yz) <= tiny;
}

// The mass of a segment at points along it, 0..1: a density of second degree,
//   d(t) = c0 + c1 (2t - 1) + c2 (6t^2 - 6t + 1),
// with its mass, first and second moment; where that is below 0, two equal masses with the same.
static void spread_mass(const td_segment *s, int32_t n, td_real *t, td_real *w) {
    const td_real length = tdi_norm(s->tip), m = s->mass, mean = s->centre_of_mass.y / length,
                  square = s->second_moment.yy / (m * length * length);
    const td_real c1 = 3 * (2 * mean - 1), c2 = 5 * (6 * square - 6 * mean + 1);
    bool fine = true;
    tdi_helix_gauss(n, t, w);
    for (int32_t i = 0; i < n; i++) {
        w[i] *= m * (1 + c1 * (2 * t[i] - 1) + c2 * (6 * t[i] * t[i] - 6 * t[i] + 1));
        fine = fine && w[i] > 0;
    }
    const td_real wide = sqrt(fmax(square - mean * mean, 0));
    for (int32_t i = 0; i < n && !fine; i++) {
        t[i] = fmin(fmax(mean + (i == 0 ? -wide : wide), 0), 1);
        w[i] = i < 2 ? 0.5 * m : 0;
    }
}

static void spread_area(const td_segment *s, int32_t n, td_real *t, td_real *w) {
    tdi_helix_gauss(n, t, w);
    const td_real a = s->radius_base, b = s->radius_tip, mean = 0.5 * (a + b);
    for (int32_t i = 0; i < n; i++) {
        w[i] *= s->drag * s->area * (a + (b - a) * t[i]) / mean;
    }
}

typedef struct points {
    int32_t count;
    td_real *at, *weight;
} points;

// Points of Gauss along an element for the mass of its slender segments, or, one less, for their
// area. A plant, whose radii are less certain, has one less than a strand.
static bool gather(tdi_helix_maker *k, int32_t element, int32_t first, int32_t last, bool area,
                   points *p) {
    const tdi_helix_element *e = &k->element[element];
    const td_real angle = e->length * fmax(tdi_norm(e->rest), tdi_norm(e->start));
    const int32_t n = tdi_helix_gauss_count(angle) - area - !k->axis.strand,
                  more = (2 * n + (last - first) - 1) / (last - first),
                  each = more > FEWEST ? more : FEWEST;
    const int64_t most = (int64_t)each * (last - first), need = 4 * most + 4 * n;
    td_real *room = tdi_array_reserve(k->alloc, k->scratch, &k->scratch_room, need, sizeof *room);
    if (!room) {
        return false;
    }
    k->scratch = room;
    td_real *x = room, *w = x + most;
    int32_t count = 0;
    for (int32_t j = first; j < last; j++) {
        const int32_t i = k->axis.member[j];
        const tdi_helix_rider *r = &k->rider[i];
        if (!is_slender(&k->segments[i]) || (area && k->segments[i].drag == 0)) {
            continue;
        }
        (area ? spread_area : spread_mass)(&k->segments[i], each, x + count, w + count);
        for (int32_t q = count; q < count + each; q++) {
            x[q] = r->from + x[q] * (r->to - r->from);
        }
        count += each;
    }
    p->at = w + most;
    p->weight = p->at + n;
    p->count = count > 0 ? tdi_helix_condense(count, x, w, n, p->weight + n, p->at, p->weight) : 0;
    return true;
}

// The member of [first, last) at s; s goes up from one call to the next.
static int32_t member_at(const tdi_helix_maker *k, int32_t j, int32_t last, td_real s) {
    while (j + 1 < last &&
           (k->rider[k->axis.member[j]].to < s || !is_slender(&k->segments[k->axis.member[j]]))) {
        j++;
    }
    return j;
}

// From the helix to the line that a segment is drawn as, at s, in the axes of the frame there. The
// segments of a strand are chords of the helix, and its matter is on the helix itself.
static td_vec3 drawn_offset(const tdi_helix_maker *k, int32_t segment, td_real s) {
    const tdi_helix_rider *r = &k->rider[segment];
    if (k->axis.strand) {
        return tdi_vec3(0, 0, 0);
    }
    const td_vec3 along = tdi_scale(k->segments[segment].tip, (s - r->from) / (r->to - r->from));
    td_vec3 place;
    td_quat frame;
    tdi_helix_drawn(k, r->element, s, &place, &frame);
    const td_vec3 drawn = tdi_add(k->origin[segment], tdi_quat_rotate(k->turn[segment], along));
    return tdi_quat_rotate(tdi_quat_conj(frame), tdi_sub(drawn, place));
}

static bool add_slice(tdi_helix_maker *k, int32_t element, int32_t segment, td_real s,
                      td_real mass) {
    const td_segment *of = &k->segments[segment];
    const td_real part = mass / of->mass;
    const td_vec3 offset = drawn_offset(k, segment, s);
    const tdi_helix_station slice = {
        .element = element,
        .s = s,
        .mass = mass,
        .moment = tdi_scale(offset, mass),
        .second = tdi_sym3_add(
            tdi_sym3_square(offset, mass),
            tdi_sym3_diagonal(part * of->second_moment.xx, 0, part * of->second_moment.zz))};
    return add_station(k, &slice);
}

static bool add_strip(tdi_helix_maker *k, int32_t element, int32_t segment, td_real s,
                      td_real area) {
    const td_segment *of = &k->segments[segment];
    const tdi_helix_vane vane = {.point = {element, segment, s, drawn_offset(k, segment, s)},
                                 .turn = tdi_quat_identity(),
                                 .area = tdi_scale(tdi_areas_of(of, of->area), area / of->area)};
    return add_vane(k, &vane);
}

bool tdi_helix_add_slices(tdi_helix_maker *k, int32_t element, int32_t first, int32_t last) {
    const int32_t *member = k->axis.member;
    for (int area = 0; area < 2; area++) {
        points p;
        bool fine = gather(k, element, first, last, area, &p);
        for (int32_t i = 0, j = first; fine && i < p.count; i++) {
            const td_real s = fmin(p.at[i], k->element[element].length);
            j = member_at(k, j, last, s);
            fine = (area ? add_strip : add_slice)(k, element, member[j], s, p.weight[i]);
        }
        if (!fine) {
            return false;
        }
    }
    for (int32_t j = first; j < last; j++) {
        if (!is_slender(&k->segments[member[j]]) && !tdi_helix_add_rigid(k, member[j])) {
            return false;
        }
    }
    return true;
}
