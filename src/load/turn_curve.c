// SPDX-License-Identifier: MIT
// Curves of rotations through keys in time.
//
// Method   From key k to the next the body turns by exp(f_k), f_k in its own axes. Between them
//              R(t) = R_k exp(b0 f_(k-1)) exp(b1 f_k) exp(b2 f_(k+1))
//          with the blend b of keys.c, of time alone. The axes f are fixed, so velocity and
//          acceleration are exact and cheap, any number of turns is fine, and turns about one axis
//          add up as numbers do in curve.c.

#include "tendril/curve.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
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
                           "the angle of key %d is %g rad; it must be at most %g rad", (int)i,
                           tdi_norm(def->turns[i]), ANGLE_MAX);
    }
    if (def->rotations) {
        td_real n = tdi_quat_norm(def->rotations[i]);
        if (!(n > 1e-100 && n < 1e100)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                               "the quaternion of key %d has the length %g; it must be finite and "
                               "not zero",
                               (int)i, n);
        }
    }
    return TD_OK;
}

static td_status check_def(const td_turn_curve_def *def, td_diag *diag) {
    tdi_keys keys = {def->times, def->key_count, def->interpolation, def->repeat};
    td_status status = tdi_keys_check(&keys, diag);
    if (status == TD_OK && !def->rotations == !def->turns) {
        status = tdi_fail(diag, TD_ERR_ARGUMENT,
                          "give either rotations (quaternions) or turns (rotation vectors), not %s",
                          def->rotations ? "both" : "neither");
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

td_status td_turn_curve_new(const td_turn_curve_def *given, const td_alloc *alloc,
                            td_turn_curve **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out);
    td_turn_curve_def own = td_turn_curve_def_default();
    const td_turn_curve_def *def = &own;
    TDI_TRY(tdi_def_take("td_turn_curve_def", &own, given, diag));
    TDI_TRY(check_def(def, diag));
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
                           "the curve repeats, so the rotation of its last key must equal that of "
                           "its first");
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

// exp(b f) behind the product so far, q, which turns with w. With n = rotate(q, f):
//   w' = w + b' n,   (dw/dt)' = dw/dt + b'' n + w x b' n
static void multiply(td_vec3 f, const td_real b[3], td_quat *q, td_vec3 *w, td_vec3 *dw) {
    td_vec3 n = tdi_quat_rotate(*q, f);
    td_vec3 own = tdi_scale(n, b[1]);
    *dw = tdi_add(tdi_madd(*dw, n, b[2]), tdi_cross(*w, own));
    *w = tdi_add(*w, own);
    *q = tdi_quat_mul(*q, turn_by(tdi_scale(f, b[0])));
}

void td_turn_curve_at(const td_turn_curve *curve, td_real time, td_quat *rotation, td_vec3 *spin,
                      td_vec3 *spin_rate) {
    if (!curve) {
        return;
    }
    tdi_key_place place = tdi_keys_find(&curve->keys, time);
    tdi_blend blend = tdi_keys_blend(&curve->keys, place);
    td_quat q = curve->rotations[place.key];
    td_vec3 w = {0, 0, 0}, dw = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        if (blend.piece[i] != TD_NONE) {
            multiply(curve->turns[blend.piece[i]], blend.b[i], &q, &w, &dw);
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
