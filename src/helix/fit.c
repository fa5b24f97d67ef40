// SPDX-License-Identifier: MIT
// Curvatures of elements from the joints of segments.
//
// Segments are pieces of a curve that turns at joints. A joint turns by a rotation vector a over
// the half of each of its two segments, l; an element has the mean, u = sum of a / sum of l. A
// joint where two elements meet counts half for each.
//
// Roll      Frames of skeletons twist as they were drawn: a strand's not at all, those of a plant
//           by its angles of growth. Where an axis bends alike about X and Z, frames may roll about
//           +Y as they like. First the twist at rest is taken out of them. What is left of a in the
//           plane of X and Z, as the complex number z + i x, turns along a helix at the rate of its
//           torsion; the rate t that makes
//             |sum of a exp(-i t s)|
//           greatest leaves the least of it out of the mean.
// Chords    Segments of a strand are chords of a smooth curve. Over a chord that turns by the angle
//           v about an axis at the angle p to the curve, with S = sin(v/2)/(v/2),
//             tan(p of chords) = S tan p,   chord = arc sqrt(cos^2 p + S^2 sin^2 p).
//           So the helix goes through the strand's joints, however many there are.

#include "helix/build.h"

#include <math.h>

#define ALIKE    1e-6 // of the stiffness: bends alike about both axes
#define GAIN     0.25 // a rolling frame must leave no more than this of what the mean leaves out
#define ROLLED   8.0  // rad for each that the element bends by: frames roll no more
#define WINDOW   3    // joints, to find a rate from
#define NEWTON   8    // iterations: the first guess is near
#define STRAIGHT 1e-9 // rad

// ---- rotations ------------------------------------------------------------------------------

td_vec3 tdi_helix_log(td_quat q) {
    const td_real sign = q.w < 0 ? -1 : 1;
    const td_vec3 v = tdi_vec3(sign * q.x, sign * q.y, sign * q.z);
    const td_real sine = tdi_norm(v), half = atan2(sine, sign * q.w);
    return tdi_scale(v, sine > 1e-30 ? 2 * half / sine : 2);
}

td_real tdi_helix_swing(td_quat q) {
    return 2 * atan2(sqrt(q.x * q.x + q.z * q.z), sqrt(q.w * q.w + q.y * q.y));
}

static td_quat about_y(td_real angle) {
    return tdi_quat_turn(tdi_vec3(0, 1, 0), angle);
}

// q between frames that roll by `before` and `after`
static td_quat between(td_real before, td_quat q, td_real after) {
    return tdi_quat_mul(about_y(-before), tdi_quat_mul(q, about_y(after)));
}

// ---- frames of an axis ----------------------------------------------------------------------

static bool alike(td_real a, td_real b) {
    return fabs(a - b) <= ALIKE * fmax(fabs(a), fabs(b));
}

static bool is_round(const tdi_helix_maker *k, const tdi_helix_axis *axis) {
    for (int32_t j = 0; j < axis->count; j++) {
        const td_segment *s = &k->segments[axis->member[j]];
        if (!alike(s->stiffness.x, s->stiffness.z) ||
            !alike(s->section.bend_x, s->section.bend_z) || s->organ != TD_ORGAN_STEM) {
            return false;
        }
    }
    return true;
}

void tdi_helix_roll_axis(const tdi_helix_maker *k, tdi_helix_axis *axis) {
    axis->round = is_round(k, axis);
    axis->roll[0] = 0;
    for (int32_t j = 1; j < axis->count; j++) {
        const td_segment *s = &k->segments[axis->member[j]];
        const td_real before = axis->roll[j - 1];
        if (axis->round) { // of the frame before, then the rest: a swing, then a twist
            const td_quat q = tdi_quat_mul(about_y(-before), s->rest);
            axis->roll[j] = -2 * atan2(q.y, q.w);
        } else {
            axis->roll[j] = 0;
        }
        axis->rest[j] = between(before, s->rest, axis->roll[j]);
        axis->start[j] = between(before, s->initial, axis->roll[j]);
    }
}

td_real tdi_helix_rolled(const tdi_helix_axis *axis, td_real rate, int32_t j) {
    return rate * 0.5 * (axis->at[j] + axis->at[j + 1]);
}

// ---- the rate -------------------------------------------------------------------------------

typedef struct bend {
    td_real re, im;
} bend;

static bend bend_of(td_quat q) {
    const td_vec3 a = tdi_helix_log(q);
    return (bend){a.z, a.x};
}

// |F|^2 with its first two derivatives by the rate, F = sum of a exp(-i t x)
typedef struct power {
    td_real value, slope, curve;
} power;

static power power_of(const td_quat *joint, const td_real *at, int32_t first, int32_t last,
                      td_real rate) {
    const td_real centre = 0.5 * (at[first] + at[last]);
    td_real f[3][2] = {{0}};
    for (int32_t j = first; j <= last; j++) {
        const bend a = bend_of(joint[j]);
        const td_real x = at[j] - centre, c = cos(rate * x), s = sin(rate * x);
        const td_real re = a.re * c + a.im * s, im = a.im * c - a.re * s;
        f[0][0] += re;
        f[0][1] += im;
        f[1][0] += x * im; // times -i x
        f[1][1] -= x * re;
        f[2][0] -= x * x * re;
        f[2][1] -= x * x * im;
    }
    return (power){
        f[0][0] * f[0][0] + f[0][1] * f[0][1], 2 * (f[0][0] * f[1][0] + f[0][1] * f[1][1]),
        2 * (f[1][0] * f[1][0] + f[1][1] * f[1][1] + f[0][0] * f[2][0] + f[0][1] * f[2][1])};
}

static power power_of_both(const tdi_helix_axis *axis, int32_t first, int32_t last, td_real rate) {
    const power a = power_of(axis->rest, axis->at, first, last, rate),
                b = power_of(axis->start, axis->at, first, last, rate);
    return (power){a.value + b.value, a.slope + b.slope, a.curve + b.curve};
}

// Adds conj(a_j) a_(j+1), whose angle is how far the bend turns from one joint to the next, and
// gives the sum of |a|^2.
static td_real add_turns(const td_quat *joint, int32_t first, int32_t last, bend *sum) {
    td_real squares = 0;
    for (int32_t j = first; j <= last; j++) {
        const bend a = bend_of(joint[j]);
        squares += a.re * a.re + a.im * a.im;
        if (j < last) {
            const bend b = bend_of(joint[j + 1]);
            sum->re += a.re * b.re + a.im * b.im;
            sum->im += a.re * b.im - a.im * b.re;
        }
    }
    return squares;
}

td_real tdi_helix_roll_rate(const tdi_helix_axis *axis, int32_t first, int32_t last) {
    int32_t from = first > 1 ? first : 1, to = last < axis->count ? last : axis->count - 1;
    for (int grow = 0; grow < WINDOW && to - from + 1 < WINDOW; grow++) {
        from -= from > 1;
        to += to + 1 < axis->count;
    }
    if (!axis->round || to <= from) {
        return 0;
    }
    bend turns = {0, 0};
    const td_real squares =
        add_turns(axis->rest, from, to, &turns) + add_turns(axis->start, from, to, &turns);
    const td_real n = (td_real)(to - from + 1), span = axis->at[to] - axis->at[from];
    td_real rate = atan2(turns.im, turns.re) * (n - 1) / span;
    power p = power_of_both(axis, from, to, rate);
    for (int round = 0; round < NEWTON && p.curve < 0; round++) {
        const td_real move = -p.slope / p.curve;
        rate += fabs(move) < 1 / span ? move : copysign(1 / span, move);
        p = power_of_both(axis, from, to, rate);
    }
    // the mean leaves out  n sum of |a|^2 - |sum of a|^2
    const td_real without = n * squares - power_of_both(axis, from, to, 0).value;
    const bool gains = n * squares - p.value <= GAIN * without;
    return gains && squares > STRAIGHT && fabs(rate) * span <= ROLLED * sqrt(p.value) ? rate : 0;
}

// ---- the mean -------------------------------------------------------------------------------

static td_real length_of(const tdi_helix_axis *axis, int32_t j) {
    return axis->at[j + 1] - axis->at[j];
}

static td_real joint_length(const tdi_helix_axis *axis, int32_t j) {
    return 0.5 * (length_of(axis, j - 1) + length_of(axis, j));
}

// From chords to the curve: the rotation vector over the arc, and arc over chord.
static td_vec3 arc_of(td_vec3 chord, td_real *longer) {
    const td_real angle = tdi_norm(chord), half = 0.5 * angle;
    if (!(angle > STRAIGHT)) {
        *longer = 1;
        return chord;
    }
    const td_real s = sin(half) / half;
    const td_vec3 v = {chord.x / s, chord.y, chord.z / s};
    const td_real along = chord.y / tdi_norm(v), across2 = 1 - along * along;
    *longer = 1 / sqrt(along * along + s * s * across2);
    return tdi_scale(v, angle / tdi_norm(v));
}

// The joint before member j as an element of this roll sees it, and arc over chord.
static td_vec3 turn_of(const tdi_helix_axis *axis, const td_quat *joint, int32_t j, td_real rate,
                       td_real *longer) {
    const td_real before = tdi_helix_rolled(axis, rate, j - 1),
                  after = tdi_helix_rolled(axis, rate, j);
    const td_vec3 a = tdi_helix_log(between(before, joint[j], after));
    *longer = 1;
    return axis->strand ? arc_of(a, longer) : a;
}

typedef struct sums {
    td_vec3 rest, more;          // rad: at rest, and how much more at the start
    td_real length, base;        // m: of the joints; of the one at the base, which has no rest
    td_real longer;              // m: of arcs over these
    td_vec3 stiffness, friction; // K l^2
    td_vec3 stiff_length;        // l of these
} sums;

static void add_springs(sums *t, const td_segment *s, td_vec3 l, td_real weight) {
    const td_vec3 k = s->stiffness, c = s->damping;
    t->stiffness =
        tdi_add(t->stiffness,
                tdi_scale(tdi_vec3(k.x * l.x * l.x, k.y * l.y * l.y, k.z * l.z * l.z), weight));
    t->friction =
        tdi_add(t->friction,
                tdi_scale(tdi_vec3(c.x * l.x * l.x, c.y * l.y * l.y, c.z * l.z * l.z), weight));
    t->stiff_length = tdi_madd(t->stiff_length, l, weight);
}

// Whole turns that a strand is twisted by, which its rotations do not know.
static td_real whole_turns(const tdi_helix_maker *k, td_real twist, td_real length) {
    const tdi_helix_axis *axis = &k->axis;
    const td_strand *strand = axis->strand;
    if (!strand || strand->twist == 0) {
        return 0;
    }
    const int32_t n = axis->count;
    td_real whole = axis->at[n] - 0.5 * length_of(axis, n - 1);
    whole -= strand->start == TD_END_CLAMPED ? 0 : 0.5 * length_of(axis, 0);
    const td_real full = 2 * 3.14159265358979323846;
    return whole > 0 ? full * nearbyint((strand->twist * length / whole - twist) / full) : 0;
}

static void add_joint(const tdi_helix_maker *k, sums *t, int32_t j, td_real weight, td_real rate) {
    const tdi_helix_axis *axis = &k->axis;
    const td_real l = joint_length(axis, j);
    td_real longer, other;
    const td_vec3 rest = turn_of(axis, axis->rest, j, rate, &longer);
    td_vec3 more = tdi_sub(turn_of(axis, axis->start, j, rate, &other), rest);
    more.y += whole_turns(k, more.y, l);
    t->rest = tdi_madd(t->rest, rest, weight);
    t->more = tdi_madd(t->more, more, weight);
    t->length += weight * l;
    t->longer += weight * l * (other > longer ? other : longer);
    add_springs(t, &k->segments[axis->member[j]], tdi_vec3(l, l, l), weight);
}

// The joint at the base bends for half of the first segment and of its parent. As a joint of the
// segment alone it stands for l_c/2 + l_p/2 B_c/B_p, B the stiffness of the sections.
static td_vec3 base_length(const tdi_helix_maker *k, const td_segment *s) {
    const td_real own = 0.5 * s->length;
    td_vec3 l = {own, own, own};
    if (s->parent != TD_NONE && k->rider[s->parent].element != TD_NONE &&
        s->organ == TD_ORGAN_STEM && k->segments[s->parent].organ == TD_ORGAN_STEM) {
        const td_section *c = &s->section, *p = &k->segments[s->parent].section;
        const td_real half = 0.5 * k->segments[s->parent].length;
        l = tdi_add(l, tdi_scale(tdi_vec3(c->bend_x / p->bend_x, c->twist / p->twist,
                                          c->bend_z / p->bend_z),
                                 half));
    }
    return l;
}

// A joint at the base has no rest turn of its own: that is how the axis stands there. How far it is
// from rest at the start is part of the first element's curvature; of a strand only the twist.
static void add_base(const tdi_helix_maker *k, sums *t, td_real rate) {
    const tdi_helix_axis *axis = &k->axis;
    const td_segment *s = &k->segments[axis->member[0]];
    const bool held = s->joint == TD_JOINT_BALL &&
                      !(axis->strand && axis->strand->start == TD_END_PINNED) &&
                      !(s->parent == TD_NONE && tdi_norm(s->stiffness) == 0);
    if (!held) {
        return;
    }
    add_springs(t, s, base_length(k, s), 1);
    if (axis->strand && axis->strand->twist == 0) {
        return;
    }
    const td_real r = tdi_helix_rolled(axis, rate, 0);
    const td_quat off = tdi_quat_mul(tdi_quat_conj(s->rest), s->initial);
    td_vec3 more = tdi_helix_log(between(r, off, r));
    t->base = 0.5 * length_of(axis, 0);
    more.y += whole_turns(k, more.y, t->base);
    t->more = tdi_add(t->more, more);
}

static td_real over(td_real a, td_real b) {
    return b > 0 ? a / b : 0;
}

// Without any joint: what the section says.
static void take_section(const tdi_helix_maker *k, sums *t) {
    const td_segment *s = &k->segments[k->axis.member[0]];
    const td_vec3 b = {s->section.bend_x, s->section.twist, s->section.bend_z};
    t->stiffness = b;
    t->friction = tdi_scale(b, td_skeleton_materials(k->skeleton)[s->material].damping_time);
    t->stiff_length = tdi_vec3(1, 1, 1);
}

static td_vec3 mean_of(td_vec3 sum, td_vec3 lengths, td_real scale) {
    return tdi_vec3(scale * over(sum.x, lengths.x), scale * over(sum.y, lengths.y),
                    scale * over(sum.z, lengths.z));
}

static td_real taper_of(const tdi_helix_maker *k, int32_t first, int32_t last) {
    td_real most = 0, least = INFINITY;
    for (int32_t j = first; j < last; j++) {
        const td_real b = k->segments[k->axis.member[j]].section.bend_x;
        most = fmax(most, b);
        least = fmin(least, b);
    }
    return most / least;
}

// How far the frames of members turn from those of a helix of curvature u: half of the range in
// which the difference of their turns is along the element, rad.
static td_real misfit_of(const tdi_helix_maker *k, int32_t first, int32_t last, td_real rate,
                         const td_quat *joint, td_vec3 u) {
    const tdi_helix_axis *axis = &k->axis;
    td_vec3 off = {0, 0, 0}, low = off, high = off;
    for (int32_t j = first + 1; j < last; j++) {
        td_real longer;
        td_vec3 a = turn_of(axis, joint, j, rate, &longer);
        const td_real l = joint_length(axis, j);
        a.y += joint == axis->start ? whole_turns(k, a.y, l) : 0;
        off = tdi_madd(tdi_add(off, a), u, -longer * l);
        low = tdi_vec3(fmin(low.x, off.x), fmin(low.y, off.y), fmin(low.z, off.z));
        high = tdi_vec3(fmax(high.x, off.x), fmax(high.y, off.y), fmax(high.z, off.z));
    }
    return 0.5 * tdi_norm(tdi_sub(high, low));
}

tdi_helix_fit tdi_helix_fit_of(const tdi_helix_maker *k, int32_t first, int32_t last,
                               td_real rate) {
    const tdi_helix_axis *axis = &k->axis;
    sums t = {.length = 0};
    for (int32_t j = first; j <= last; j++) {
        if (j > 0 && j < axis->count) {
            add_joint(k, &t, j, j == first || j == last ? 0.5 : 1, rate);
        }
    }
    if (first == 0) {
        add_base(k, &t, rate);
    }
    if (!(t.stiff_length.x > 0)) {
        take_section(k, &t);
    }
    const td_real longer = t.length > 0 ? t.longer / t.length : 1,
                  bent = t.length + (axis->strand ? 0 : t.base), twisted = t.length + t.base;
    tdi_helix_fit fit = {.stretch = longer,
                         .length = longer * (axis->at[last] - axis->at[first]),
                         .stiffness = mean_of(t.stiffness, t.stiff_length, 1),
                         .friction = mean_of(t.friction, t.stiff_length, 1)};
    fit.rest = tdi_scale(t.rest, over(1, longer * t.length));
    fit.start = tdi_add(fit.rest, mean_of(t.more, tdi_vec3(bent, twisted, bent), 1 / longer));
    fit.stiffness = tdi_scale(fit.stiffness, fit.length);
    fit.friction = tdi_scale(fit.friction, fit.length);
    fit.taper = taper_of(k, first, last);
    fit.misfit = fmax(misfit_of(k, first, last, rate, axis->rest, fit.rest),
                      misfit_of(k, first, last, rate, axis->start, fit.start));
    return fit;
}
