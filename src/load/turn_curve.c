// SPDX-License-Identifier: MIT
// Curves of rotations through keys in time.
//
// Method   From key k to the next the body turns by exp(f_k), f_k in its own axes. Between them
//              R(t) = R_k exp(b0 f_(k-1)) exp(b1 f_k) exp(b2 f_(k+1))
//          where b0, b1, b2 are functions of time alone: b1 goes from 0 to 1, the others from 0 to
//          0. The axes f are fixed, so velocity and acceleration are exact and cheap, any number
//          of turns is fine, and turns about one axis add up to a spline of the angle. The b are
//          of fifth degree with the velocity and acceleration at a key, between gaps g and h,
//              v = (f_(k-1) + f_k)/(g + h),   a = 8 (g f_k - h f_(k-1))/(g + h)^3
//          (those of a parabola when g = h), which neighbours share: no jump at a key. However
//          uneven the gaps, no b leaves its range by more than a tenth. At the ends v and
//          a are 0.
// Symbols  x = 0..1 the part of the way; h gap of the piece, g and e those before and after it.

#include "tendril/curve.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "load/keys.h"
#include "math/quat.h"

#define ANGLE_MAX 1e9   // rad
#define PARALLEL  1e-12 // sine below which two axes are one
#define SEAM      1e-9  // rad: how far apart the ends of a curve that repeats may be

struct td_turn_curve {
    const td_alloc *alloc;
    size_t bytes;
    tdi_keys keys;
    td_real *times;
    td_quat *rotations; // at the keys
    td_vec3 *turns;     // f: from a key to the next
};

td_turn_curve_def td_turn_curve_def_default(void) {
    td_turn_curve_def def = {
        .struct_size = sizeof def, .interpolation = TD_SMOOTH, .repeat = false};
    return def;
}

// ---- turns ----------------------------------------------------------------------------------

// exp of a rotation vector
static td_quat turn_by(td_vec3 v) {
    td_real angle = tdi_norm(v);
    return tdi_quat_turn(tdi_unit_or(v, tdi_vec3(0, 1, 0)), angle);
}

// the rotation vector of the shorter way from a to b, in the axes of a
static td_vec3 turn_between(td_quat a, td_quat b) {
    td_quat q = tdi_quat_unit(tdi_quat_mul(tdi_quat_conj(a), b));
    td_vec3 u = tdi_vec3(q.x, q.y, q.z);
    td_real s = tdi_norm(u);
    return tdi_scale(u, s > 1e-150 ? 2 * atan2(s, q.w) / s : 2);
}

static bool one_axis(td_vec3 a, td_vec3 b) {
    return tdi_norm(tdi_cross(a, b)) <= PARALLEL * tdi_norm(a) * tdi_norm(b);
}

// ---- making and freeing ---------------------------------------------------------------------

static td_status check_key(const td_turn_curve_def *def, int32_t i, td_diag *diag) {
    if (def->turns && !(tdi_norm(def->turns[i]) <= ANGLE_MAX)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                           "key %d: its angle must be finite and within %g rad", (int)i, ANGLE_MAX);
    }
    if (def->rotations) {
        td_real n = tdi_quat_norm(def->rotations[i]);
        if (!(n > 1e-100 && n < 1e100)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                               "key %d: its quaternion must be finite and not zero", (int)i);
        }
    }
    return TD_OK;
}

static td_status check_def(const td_turn_curve_def *def, td_diag *diag) {
    if (!def || def->struct_size != sizeof *def) {
        return tdi_fail(diag, TD_ERR_DEF,
                        "td_turn_curve_def did not come from its default function");
    }
    tdi_keys keys = {def->times, def->key_count, def->interpolation, def->repeat};
    td_status status = tdi_keys_check(&keys, diag);
    if (status == TD_OK && !def->rotations == !def->turns) {
        status = tdi_fail(diag, TD_ERR_ARGUMENT,
                          "a curve of rotations needs either quaternions or turns about axes");
    }
    for (int32_t i = 0; i < def->key_count && status == TD_OK; i++) {
        status = check_key(def, i, diag);
    }
    return status;
}

// lays the arrays out behind the struct, and returns the size of all
static size_t place_curve(td_turn_curve *curve, char *base, size_t keys) {
    tdi_layout layout = {base, 0};
    tdi_layout_place(&layout, 1, sizeof *curve);
    td_real *times = tdi_layout_place(&layout, keys, sizeof *times);
    td_quat *rotations = tdi_layout_place(&layout, keys, sizeof *rotations);
    td_vec3 *turns = tdi_layout_place(&layout, keys, sizeof *turns);
    if (curve) {
        curve->times = times;
        curve->rotations = rotations;
        curve->turns = turns;
    }
    return layout.used;
}

static void fill(td_turn_curve *curve, const td_turn_curve_def *def) {
    for (int32_t i = 0; i < def->key_count; i++) {
        curve->times[i] = def->times[i];
        curve->rotations[i] =
            def->turns ? turn_by(def->turns[i]) : tdi_quat_unit(def->rotations[i]);
    }
    for (int32_t i = 0; i < def->key_count - 1; i++) {
        bool along = def->turns && one_axis(def->turns[i], def->turns[i + 1]);
        curve->turns[i] = along ? tdi_sub(def->turns[i + 1], def->turns[i])
                                : turn_between(curve->rotations[i], curve->rotations[i + 1]);
    }
}

td_status td_turn_curve_new(const td_turn_curve_def *def, const td_alloc *alloc,
                            td_turn_curve **out, td_diag *diag) {
    *out = NULL;
    td_status status = check_def(def, diag);
    if (status != TD_OK) {
        return status;
    }
    size_t bytes = place_curve(NULL, NULL, (size_t)def->key_count);
    td_turn_curve *curve = tdi_alloc_zeroed(alloc, 1, bytes);
    if (!curve) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a curve");
    }
    place_curve(curve, (char *)curve, (size_t)def->key_count);
    curve->alloc = alloc;
    curve->bytes = bytes;
    curve->keys = (tdi_keys){curve->times, def->key_count, def->interpolation, def->repeat};
    fill(curve, def);
    td_vec3 apart = turn_between(curve->rotations[def->key_count - 1], curve->rotations[0]);
    if (def->repeat && def->interpolation != TD_STEP && !(tdi_norm(apart) <= SEAM)) {
        td_turn_curve_free(curve);
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, def->key_count - 1,
                           "the last key of a curve that repeats must be like the first");
    }
    *out = curve;
    return TD_OK;
}

void td_turn_curve_free(td_turn_curve *curve) {
    if (curve) {
        tdi_alloc_free(curve->alloc, curve, curve->bytes);
    }
}

// ---- evaluation -----------------------------------------------------------------------------

// Quintics with one of: the value at 1; the slope at 0, at 1; the second derivative at 0, at 1.
static const td_real hermite[5][6] = {{0, 0, 0, 10, -15, 6},
                                      {0, 1, 0, -6, 8, -3},
                                      {0, 0, 0, -4, 7, -3},
                                      {0, 0, 0.5, -1.5, 1.5, -0.5},
                                      {0, 0, 0, 0.5, -1, 0.5}};

typedef struct factor { // exp(b turn), with the derivatives of b by x
    td_vec3 turn;
    td_real b[3];
} factor;

static factor make_factor(td_vec3 turn, const td_real weight[5], td_real x) {
    td_real c[6] = {0};
    factor f = {.turn = turn};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 6; k++) {
            c[k] += weight[i] * hermite[i][k];
        }
    }
    tdi_quintic(c, x, f.b);
    return f;
}

// the piece before (step -1) or after (step 1) a piece; TD_NONE at an end
static int32_t neighbour(const tdi_keys *keys, int32_t piece, int32_t step) {
    int32_t pieces = keys->count - 1, next = piece + step;
    if (next >= 0 && next < pieces) {
        return next;
    }
    return !keys->repeat ? TD_NONE : next < 0 ? pieces - 1 : 0;
}

// h v and h^2 a at both ends of the piece, as weights of f before, within and after
static void smooth_factors(const td_turn_curve *curve, tdi_place place, factor out[3]) {
    const tdi_keys *keys = &curve->keys;
    int32_t before = neighbour(keys, place.key, -1), after = neighbour(keys, place.key, 1);
    td_real h = tdi_keys_gap(keys, place.key);
    td_real weight[3][5] = {{0}, {1}, {0}};
    if (before != TD_NONE) {
        td_real g = tdi_keys_gap(keys, before), p = h / (g + h), q = g / (g + h);
        weight[0][1] = weight[1][1] = p;
        weight[0][3] = -8 * p * p * p;
        weight[1][3] = 8 * p * p * q;
    }
    if (after != TD_NONE) {
        td_real e = tdi_keys_gap(keys, after), p = h / (h + e), q = e / (h + e);
        weight[1][2] = weight[2][2] = p;
        weight[1][4] = -8 * p * p * q;
        weight[2][4] = 8 * p * p * p;
    }
    const int32_t piece[3] = {before, place.key, after};
    for (int i = 0; i < 3; i++) {
        td_vec3 turn = piece[i] == TD_NONE ? tdi_vec3(0, 0, 0) : curve->turns[piece[i]];
        out[i] = make_factor(turn, weight[i], place.part);
    }
}

// With q the product so far, turning with w, and n = rotate(q, f):
//   w' = w + b' n,   (dw/dt)' = dw/dt + b'' n + w x b' n
static void multiply(const factor *f, td_real h, td_quat *q, td_vec3 *w, td_vec3 *dw) {
    td_vec3 n = tdi_quat_rotate(*q, f->turn);
    td_vec3 own = tdi_scale(n, f->b[1] / h);
    *dw = tdi_add(tdi_madd(*dw, n, f->b[2] / (h * h)), tdi_cross(*w, own));
    *w = tdi_add(*w, own);
    *q = tdi_quat_mul(*q, turn_by(tdi_scale(f->turn, f->b[0])));
}

void td_turn_curve_at(const td_turn_curve *curve, td_real time, td_quat *rotation, td_vec3 *spin,
                      td_vec3 *spin_rate) {
    tdi_place place = tdi_keys_find(&curve->keys, time);
    td_quat q = curve->rotations[place.key];
    td_vec3 w = {0, 0, 0}, dw = {0, 0, 0};
    if (place.moving) {
        td_real h = tdi_keys_gap(&curve->keys, place.key);
        if (curve->keys.interpolation == TD_LINEAR) {
            factor even = {curve->turns[place.key], {place.part, 1, 0}};
            multiply(&even, h, &q, &w, &dw);
        } else {
            factor f[3];
            smooth_factors(curve, place, f);
            for (int i = 0; i < 3; i++) {
                multiply(&f[i], h, &q, &w, &dw);
            }
        }
    }
    if (rotation) {
        *rotation = tdi_quat_unit(q);
    }
    if (spin) {
        *spin = w;
    }
    if (spin_rate) {
        *spin_rate = dw;
    }
}

td_base_motion td_base_motion_at(const td_curve *position, const td_turn_curve *rotation,
                                 td_real time) {
    td_base_motion m = {.rotation = tdi_quat_identity()};
    if (position && td_curve_part_count(position) == 3) {
        td_real x[3], v[3], a[3];
        td_curve_at(position, time, x, v, a);
        m.position = tdi_vec3(x[0], x[1], x[2]);
        m.velocity = tdi_vec3(v[0], v[1], v[2]);
        m.acceleration = tdi_vec3(a[0], a[1], a[2]);
    }
    if (rotation) {
        td_turn_curve_at(rotation, time, &m.rotation, &m.spin, &m.spin_rate);
    }
    return m;
}
