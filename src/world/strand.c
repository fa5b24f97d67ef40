// SPDX-License-Identifier: MIT
// From a strand of a scene to segments: points at equal distances along its curves, as it is drawn
// and at ease, and what is held, closed and welded.

#include "world/strand.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "math/angle.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

#define BEAD_COLOR   0x9aa0a6
#define MAX_SIDE     100.0 // of a box, over its length
#define TIP_RADIUS   3     // of the ball at a strand's tip, over that of the strand
#define CURVE_PIECES 64    // between two points of a strand, to measure its length

// A smooth curve through points, or a helix where that has a radius.
typedef struct curve {
    const td_vec3 *points;
    int32_t point_count;
    const td_helix_def *helix;
    bool closed;
} curve;

static curve drawn_curve(const td_strand_def *s) {
    return (curve){s->points, s->point_count, &s->helix, s->closed};
}

static curve rest_curve(const td_strand_def *s) {
    return (curve){s->rest, s->rest_count, &s->rest_helix, s->closed};
}

// ---- through points -------------------------------------------------------------------------

static td_vec3 point(const curve *c, int32_t k) {
    return c->points[(k + c->point_count) % c->point_count];
}

// The smooth curve through the points: each piece a cubic, with the slopes of Catmull and Rom.
static td_vec3 curve_at(const curve *c, td_real at) {
    int32_t last = c->closed ? c->point_count - 1 : c->point_count - 2, k = (int32_t)at;
    k = k > last ? last : k;
    td_real t = at - k;
    td_vec3 x0 = point(c, k), x1 = point(c, k + 1);
    td_vec3 before = k > 0 || c->closed ? point(c, k - 1) : tdi_sub(tdi_scale(x0, 2), x1);
    td_vec3 after = k < last || c->closed ? point(c, k + 2) : tdi_sub(tdi_scale(x1, 2), x0);
    td_vec3 from = tdi_scale(tdi_sub(x1, before), 0.5), to = tdi_scale(tdi_sub(after, x0), 0.5);
    td_real t2 = t * t, t3 = t2 * t;
    td_vec3 x = tdi_scale(x0, 2 * t3 - 3 * t2 + 1);
    x = tdi_madd(x, x1, 3 * t2 - 2 * t3);
    x = tdi_madd(x, from, t3 - 2 * t2 + t);
    return tdi_madd(x, to, t3 - t2);
}

static td_real space_evenly(const curve *c, int32_t segments, td_vec3 *places) {
    int32_t pieces = (c->closed ? c->point_count : c->point_count - 1) * CURVE_PIECES, next = 1;
    td_real length = 0, before = 0;
    td_vec3 last = curve_at(c, 0);
    for (int32_t k = 1; k <= pieces; k++) {
        td_vec3 x = curve_at(c, (td_real)k / CURVE_PIECES);
        length += tdi_norm(tdi_sub(x, last));
        last = x;
    }
    places[0] = last = curve_at(c, 0);
    for (int32_t k = 1; k <= pieces; k++) {
        td_vec3 x = curve_at(c, (td_real)k / CURVE_PIECES);
        td_real piece = tdi_norm(tdi_sub(x, last));
        while (next < segments && before + piece >= length * next / segments) {
            td_real part = (length * next / segments - before) / piece;
            places[next++] = tdi_madd(last, tdi_sub(x, last), part);
        }
        before += piece;
        last = x;
    }
    for (; next <= segments; next++) {
        places[next] = last;
    }
    return length;
}

// ---- helix ----------------------------------------------------------------------------------

// (r cos a, p a/2pi, -r sin a): right-handed about +Y
static td_real wind(const td_helix_def *h, int32_t segments, td_vec3 *places) {
    td_real around = TDI_PI * 2 * h->radius * h->turns, rise = h->pitch * h->turns;
    for (int32_t k = 0; k <= segments; k++) {
        td_real turns = h->turns * k / segments;
        places[k] = tdi_vec3(h->radius * tdi_cos_degrees(360 * turns), h->pitch * turns,
                             -h->radius * tdi_sin_degrees(360 * turns));
    }
    return sqrt(around * around + rise * rise);
}

// Points at equal lengths along the curve, segments + 1 of them; the last of a closed one is the
// first again. The length of the curve, which is 0 or not a number where there is none.
static td_real place(const curve *c, int32_t segments, td_real size, td_vec3 *places) {
    td_real length =
        c->point_count > 0 ? space_evenly(c, segments, places) : wind(c->helix, segments, places);
    for (int32_t k = 0; k <= segments; k++) {
        places[k] = tdi_scale(places[k], size);
    }
    return length;
}

// ---- frames ---------------------------------------------------------------------------------

// A number of the strand that changes along it.
typedef struct varying {
    td_curve *curve; // NULL: it does not change
    td_real least, most;
} varying;

typedef struct maker {
    const td_strand_def *strand;
    td_builder *builder;
    const td_material *material;
    int32_t material_index;
    td_real size, twist_rate;      // of lengths; rad/m
    const td_vec3 *places, *eased; // as drawn, and at ease
    varying along[TD_ALONG_COUNT];
    td_quat drawn, ease, first; // frames of the last segment so far, and of the first at ease
    td_real turned;             // rad: twist of the last segment so far
} maker;

// The rotation that takes +Y to the unit vector d the shortest way.
static td_quat point_up_to(td_vec3 d) {
    td_quat q = {1 + d.y, d.z, 0, -d.x};
    return d.y < -1 + 1e-12 ? (td_quat){0, 1, 0, 0} : tdi_quat_unit(q);
}

static td_vec3 direction(const td_vec3 *places, int32_t k, td_real *length) {
    td_vec3 along = tdi_sub(places[k + 1], places[k]);
    *length = tdi_norm(along);
    return tdi_scale(along, 1 / *length);
}

// On from `frame` to the direction d, so that the twist is least.
static td_quat turn_on(td_quat frame, td_vec3 d) {
    return point_up_to(tdi_quat_rotate(tdi_quat_conj(frame), d));
}

// The first frame at ease has its Z as near to that of the first as drawn as it can.
static td_quat first_at_ease(td_quat drawn, td_vec3 y) {
    td_vec3 given = tdi_quat_rotate(drawn, tdi_vec3(0, 0, 1));
    td_vec3 z = tdi_norm(tdi_cross(given, y)) > 1e-6 ? given : tdi_across(y);
    z = tdi_madd(z, y, -tdi_dot(z, y));
    z = tdi_scale(z, 1 / tdi_norm(z));
    return tdi_quat_from_axes(tdi_cross(y, z), y, z);
}

// The length that the joint before segment k stands for: half of each.
static td_real joint_length(const maker *m, int32_t k) {
    td_real before = 0, own;
    direction(m->eased, k, &own);
    if (k > 0) {
        direction(m->eased, k - 1, &before);
    }
    return 0.5 * (before + own);
}

// rad a metre of joints: a free end has none.
static td_real twist_rate(const maker *m) {
    const td_strand_def *s = m->strand;
    const int32_t n = s->segments;
    td_real whole = 0, last;
    for (int32_t k = 1; k < n; k++) {
        whole += joint_length(m, k);
    }
    direction(m->eased, n - 1, &last);
    whole += s->closed || s->start.held == TD_END_CLAMPED ? joint_length(m, 0) : 0;
    whole += s->closed || s->end.held == TD_END_CLAMPED ? 0.5 * last : 0;
    return whole > 0 ? s->twist / whole : 0;
}

// Orientations of segment k to the one before, at ease and at the start.
static void turn_segment(maker *m, int32_t k, td_segment_def *def) {
    const td_strand_def *s = m->strand;
    const bool clamped = !s->closed && s->start.held == TD_END_CLAMPED;
    const td_vec3 y = direction(m->places, k, &def->length),
                  at_ease = direction(m->eased, k, &def->rest_length);
    const td_quat on = turn_on(m->drawn, y);
    m->drawn = tdi_quat_mul(m->drawn, on);
    def->rest = on;
    if (k == 0) {
        m->ease = m->first = m->eased == m->places ? m->drawn : first_at_ease(on, at_ease);
    } else {
        const td_quat own = turn_on(m->ease, at_ease);
        m->ease = tdi_quat_mul(m->ease, own);
        def->rest = s->straight ? tdi_quat_identity() : own;
    }
    const td_real more = k > 0 || clamped ? m->twist_rate * joint_length(m, k) : 0;
    const td_vec3 up = {0, 1, 0};
    const td_quat back = tdi_quat_turn(up, -m->turned);
    m->turned += more;
    def->initial = tdi_quat_mul(back, tdi_quat_mul(on, tdi_quat_turn(up, m->turned)));
}

// ---- segments -------------------------------------------------------------------------------

// A number of the strand at a place along it, 0..1. A smooth curve goes a little beyond its points;
// the number does not.
static td_real number_at(const maker *m, td_along_kind kind, td_real plain, td_real place) {
    const varying *a = &m->along[kind];
    td_real value = plain;
    if (a->curve) {
        td_curve_at(a->curve, place, &value, NULL, NULL);
        value = fmin(fmax(value, a->least), a->most);
    }
    return value;
}

// At the start of segment k, in the size of the strand.
static td_real radius_at(const maker *m, int32_t k, td_real size) {
    const td_strand_def *s = m->strand;
    const td_real base = s->radius * size,
                  tip = (s->tip_radius > 0 ? s->tip_radius : s->radius) * size;
    return m->along[TD_ALONG_RADIUS].curve
               ? size * number_at(m, TD_ALONG_RADIUS, 0, (td_real)k / s->segments)
               : base + (tip - base) * k / s->segments;
}

#define RIGID 100 // times as stiff against stretching: what is inextensible

// Figures that the strand gives in place of those of radius and material.
static void give_figures(const maker *m, int32_t k, td_segment_def *def) {
    const td_strand_def *s = m->strand;
    const td_real start = (td_real)k / s->segments, middle = (k + 0.5) / s->segments;
    const td_real a = 0.5 * (def->radius_base + def->radius_tip), b = def->flat * a,
                  line_mass = number_at(m, TD_ALONG_LINE_MASS, s->line_mass, middle),
                  mass = line_mass * def->rest_length, l = def->length;
    const td_real bend = number_at(m, TD_ALONG_BEND, s->bend, middle),
                  other = number_at(m, TD_ALONG_BEND_OTHER, s->bend_other, middle),
                  stretch = number_at(m, TD_ALONG_STRETCH, s->stretch, middle);
    def->section = (td_section){bend, other > 0 ? other : bend,
                                number_at(m, TD_ALONG_TORSION, s->torsion, middle), stretch};
    if (s->inextensible) {
        def->section.stretch =
            RIGID * (stretch > 0 ? stretch : m->material->young * TDI_PI * a * b);
    }
    def->density = number_at(m, TD_ALONG_DENSITY, s->density, middle);
    def->drag = number_at(m, TD_ALONG_DRAG, s->drag, middle);
    def->damping_time = number_at(m, TD_ALONG_DAMPING_TIME, s->damping_time, start);
    if (line_mass > 0) {
        def->mass = mass;
        def->centre_of_mass = tdi_vec3(0, l / 2, 0);
        def->second_moment =
            tdi_sym3_diagonal(mass * a * a / 4, mass * l * l / 3, mass * b * b / 4);
    }
}

// The first segment is held as the strand is at its start.
static void hold_start(const td_strand_def *s, td_segment_def *def) {
    const bool pinned = s->start.held == TD_END_PINNED;
    def->joint = s->closed || s->start.held == TD_END_FREE ? TD_JOINT_FREE : TD_JOINT_BALL;
    def->has_stiffness = def->has_damping = pinned && !s->closed;
}

static td_status add_segment(maker *m, int32_t k, td_diag *diag) {
    const td_strand_def *s = m->strand;
    td_segment_def def = td_segment_def_default();
    turn_segment(m, k, &def);
    def.parent = k - 1;
    def.attach_at_tip = k > 0;
    def.attach = m->places[0];
    def.material = m->material_index;
    def.radius_base = radius_at(m, k, m->size);
    def.radius_tip = radius_at(m, k + 1, m->size);
    def.flat = s->radius_other > 0 ? s->radius_other / radius_at(m, 0, 1) : 1;
    def.bead = k == s->segments - 1 && s->tip_mass > 0 ? TIP_RADIUS * def.radius_base : 0;
    give_figures(m, k, &def);
    if (k == 0) {
        hold_start(s, &def);
    }
    return td_builder_add(m->builder, &def, NULL, diag);
}

static td_status add_strand(const maker *m, td_diag *diag) {
    const td_strand_def *s = m->strand;
    td_strand strand = {.count = s->segments,
                        .start = s->closed ? TD_END_FREE : s->start.held,
                        .end = s->closed ? TD_END_FREE : s->end.held,
                        .closed = s->closed,
                        .closing = tdi_quat_identity(),
                        .twist = s->twist,
                        .elements = s->elements};
    if (s->closed && !s->straight) {
        strand.closing = tdi_quat_mul(tdi_quat_conj(m->ease), m->first);
    }
    return td_builder_add_strand(m->builder, &strand, diag);
}

// ---- bodies ---------------------------------------------------------------------------------

// What a body looks like: a box, or a bead when it has no size. A side of 0 is drawn as thick as
// the strand.
static td_shape body_shape(td_vec3 size, td_real radius, td_real *length) {
    td_shape shape = td_shape_default();
    const td_real x = size.x > 0 ? size.x : 2 * radius;
    const td_real y = size.y > 0 ? size.y : 2 * radius;
    const td_real z = size.z > 0 ? size.z : 2 * radius;
    const bool bead = size.x + size.y + size.z == 0;
    shape.kind = bead ? TD_SHAPE_BALL : TD_SHAPE_BOX;
    shape.stalk = 0;
    shape.color = BEAD_COLOR;
    *length = bead ? 4 * radius : fmax(y, fmax(x, z) / MAX_SIDE);
    shape.width = bead ? 1 : x / *length;
    shape.depth = bead ? 1 : z / *length;
    return shape;
}

// Mean squares of a box are those of its sides over 12.
static td_status add_box(const maker *m, const td_strand_body *b, td_diag *diag) {
    const td_strand_def *s = m->strand;
    const td_real at = b->at * s->segments;
    const int32_t on = at < s->segments ? (int32_t)at : s->segments - 1;
    const td_vec3 q = tdi_scale(b->size, m->size);
    td_segment_def def = td_segment_def_default();
    td_real length;
    direction(m->places, on, &length);
    const td_shape shape = body_shape(q, radius_at(m, 0, m->size), &def.length);
    td_status status = td_builder_add_shape(m->builder, &shape, &def.shape, diag);
    def.parent = on;
    def.joint = TD_JOINT_FIXED;
    def.organ = TD_ORGAN_FRUIT;
    def.attach_at_tip = false;
    def.attach = tdi_add(tdi_scale(b->position, m->size),
                         tdi_vec3(0, (at - on) * length - 0.5 * def.length, 0));
    def.mass = b->mass;
    def.centre_of_mass = tdi_vec3(0, 0.5 * def.length, 0);
    def.second_moment = tdi_sym3_diagonal(b->mass * q.x * q.x / 12,
                                          b->mass * (q.y * q.y / 12 + def.length * def.length / 4),
                                          b->mass * q.z * q.z / 12);
    return status == TD_OK ? td_builder_add(m->builder, &def, NULL, diag) : status;
}

// A ball at the tip, three times as thick as the strand.
static td_status add_tip_mass(const maker *m, td_diag *diag) {
    const td_strand_def *s = m->strand;
    const int32_t last = s->segments - 1;
    const td_real r = TIP_RADIUS * m->size * radius_at(m, last, 1);
    const td_real round = s->tip_mass * r * r / 5;
    td_attached_mass body = {.segment = last, .mass = s->tip_mass};
    direction(m->places, last, &body.centre_of_mass.y);
    body.second_moment = tdi_sym3_add(tdi_sym3_square(body.centre_of_mass, s->tip_mass),
                                      tdi_sym3_diagonal(round, round, round));
    return td_builder_attach_mass(m->builder, &body, diag);
}

// ---- along ----------------------------------------------------------------------------------

static void free_along(maker *m) {
    for (int k = 0; k < TD_ALONG_COUNT; k++) {
        td_curve_free(m->along[k].curve);
    }
}

static td_status make_along(maker *m, const td_alloc *alloc, td_diag *diag) {
    td_status status = TD_OK;
    for (int k = 0; k < TD_ALONG_COUNT && status == TD_OK; k++) {
        const td_along *from = &m->strand->along[k];
        varying *to = &m->along[k];
        td_curve_def def = td_curve_def_default();
        def.key_count = from->count;
        def.times = from->places;
        def.values = from->values;
        def.interpolation = from->interpolation;
        for (int32_t i = 0; i < from->count; i++) {
            to->least = i == 0 ? from->values[i] : fmin(to->least, from->values[i]);
            to->most = i == 0 ? from->values[i] : fmax(to->most, from->values[i]);
        }
        status = from->count > 0 ? td_curve_new(&def, alloc, &to->curve, diag) : TD_OK;
    }
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

static td_status build(maker *m, td_diag *diag) {
    const td_strand_def *s = m->strand;
    td_status status = td_builder_add_material(m->builder, m->material, &m->material_index, diag);
    m->drawn = tdi_quat_identity();
    m->twist_rate = twist_rate(m);
    for (int32_t k = 0; k < s->segments && status == TD_OK; k++) {
        status = add_segment(m, k, diag);
    }
    status = status == TD_OK ? add_strand(m, diag) : status;
    for (int32_t k = 0; k < s->body_count && status == TD_OK; k++) {
        status = add_box(m, &s->bodies[k], diag);
    }
    return status == TD_OK && s->tip_mass > 0 ? add_tip_mass(m, diag) : status;
}

td_status tdi_strand_build(const td_strand_def *s, td_real size, const td_material *material,
                           const td_alloc *alloc, td_builder *builder, const char **key,
                           td_diag *diag) {
    const size_t count = (size_t)s->segments + 1;
    const curve drawn = drawn_curve(s), rest = rest_curve(s);
    const bool eased = rest.point_count > 0 || rest.helix->radius > 0;
    td_vec3 *places = tdi_alloc_zeroed(alloc, 2 * count, sizeof *places);
    if (!places) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the strand");
    }
    maker m = {.strand = s, .builder = builder, .material = material, .size = size};
    m.places = places;
    m.eased = eased ? places + count : places;
    *key = "strand";
    if (!(place(&drawn, s->segments, size, places) > 0)) {
        *key = s->point_count > 0 ? "strand.points" : "strand.helix";
    } else if (eased && !(place(&rest, s->segments, size, places + count) > 0)) {
        *key = s->rest_count > 0 ? "strand.rest" : "strand.rest_helix";
    }
    td_status status =
        strcmp(*key, "strand") == 0
            ? make_along(&m, alloc, diag)
            : tdi_fail(diag, TD_ERR_ARGUMENT,
                       "the strand has no length; its points must not all be the same");
    status = status == TD_OK ? build(&m, diag) : status;
    free_along(&m);
    tdi_alloc_free(alloc, places, 2 * count * sizeof *places);
    return status;
}
