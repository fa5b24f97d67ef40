// SPDX-License-Identifier: MIT
// Curves of numbers and vectors through keys in time.
//
// Method   smooth: a cubic spline clamped at both ends. Its unknowns are the slopes s at the keys;
//          second derivatives agree at every inner key, which is a tridiagonal system, solved once.
//          What hangs on a base should feel no jolt when the motion begins or ends, so the curve
//          leaves the first key and reaches the last with neither slope nor second derivative: the
//          first and the last piece are of fourth degree, and the only piece of two keys of fifth.
//          When it repeats all pieces are cubic and the system is cyclic (Sherman and Morrison).
// Symbols  h gap between two keys, d difference of their values, x = 0..1 the part of the way.

#include "tendril/curve.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "load/keys.h"

#include <math.h>

#define VALUE_MAX 1e100 // far from overflow also after division by the square of the least gap
#define SEAM      1e-9  // how far apart the ends of a curve that repeats may be, relative

struct td_curve {
    const td_alloc *alloc;
    size_t bytes;
    tdi_keys keys;
    int32_t parts;
    td_real *times;
    td_real *values; // a key, parts
    td_real *slopes; // likewise; of smooth curves
};

td_curve_def td_curve_def_default(void) {
    td_curve_def def = {
        .struct_size = sizeof def, .part_count = 1, .interpolation = TD_SMOOTH, .repeat = false};
    return def;
}

// ---- slopes ---------------------------------------------------------------------------------

// Half the second derivatives at an inner key, from the left and from the right:
//   cubic      (s0 + 2 s1)/h - 3 d/h^2     3 d/h^2 - (2 s0 + s1)/h
//   at an end       3 s1/h - 6 d/h^2       6 d/h^2 - 3 s0/h
// Rows of the system are keys from `first` on; the diagonal and the right side, which is left in
// the slopes, are sums over the pieces beside a key. Off the diagonal stands 1/h.
static void add_piece(td_curve *curve, int32_t piece, int32_t key, td_real *diagonal) {
    bool inner = curve->keys.repeat || (piece > 0 && piece < curve->keys.count - 2);
    td_real h = tdi_keys_gap(&curve->keys, piece);
    const td_real *y = curve->values + (size_t)piece * (size_t)curve->parts;
    td_real *right = curve->slopes + (size_t)key * (size_t)curve->parts;
    *diagonal += (inner ? 2 : 3) / h;
    for (int32_t c = 0; c < curve->parts; c++) {
        right[c] += (inner ? 3 : 6) * (y[curve->parts + c] - y[c]) / (h * h);
    }
}

// T x = x for the symmetric tridiagonal T of `count` rows, `parts` columns of x at once; h are the
// gaps between rows. The diagonal is used up.
static void solve_tridiagonal(const td_real *times, td_real *diagonal, int32_t count, td_real *x,
                              int32_t parts) {
    for (int32_t i = 1; i < count; i++) {
        td_real off = 1 / (times[i] - times[i - 1]), w = off / diagonal[i - 1];
        diagonal[i] -= w * off;
        for (int32_t c = 0; c < parts; c++) {
            x[(size_t)i * (size_t)parts + (size_t)c] -=
                w * x[(size_t)(i - 1) * (size_t)parts + (size_t)c];
        }
    }
    for (int32_t i = count - 1; i >= 0; i--) {
        td_real off = i < count - 1 ? 1 / (times[i + 1] - times[i]) : 0;
        for (int32_t c = 0; c < parts; c++) {
            size_t at = (size_t)i * (size_t)parts + (size_t)c;
            td_real next = i < count - 1 ? x[at + (size_t)parts] : 0;
            x[at] = (x[at] - off * next) / diagonal[i];
        }
    }
}

// held ends: rows are the inner keys
static void solve_held(td_curve *curve, td_real *diagonal) {
    int32_t n = curve->keys.count;
    for (int32_t i = 1; i < n - 1; i++) {
        add_piece(curve, i - 1, i, &diagonal[i]);
        add_piece(curve, i, i, &diagonal[i]);
    }
    if (n > 2) {
        solve_tridiagonal(curve->times + 1, diagonal + 1, n - 2, curve->slopes + curve->parts,
                          curve->parts);
    }
}

// Rows are all keys but the last, which is the first again. The corners 1/h of the last gap are
// taken out: M = T + u v^T, u = (g, 0 .. 0, 1/h), v = (1, 0 .. 0, 1/(h g)), g = -M11, and
//   M^-1 b = y - z (v.y)/(1 + v.z),  T y = b,  T z = u
static void solve_cyclic(td_curve *curve, td_real *diagonal, td_real *spare, td_real *z) {
    int32_t m = curve->keys.count - 1, parts = curve->parts;
    for (int32_t i = 0; i < m; i++) {
        add_piece(curve, i > 0 ? i - 1 : m - 1, i, &diagonal[i]);
        add_piece(curve, i, i, &diagonal[i]);
    }
    if (m == 1) { // both ends of the only piece are the same key, and have the same value
        return;
    }
    td_real corner = 1 / tdi_keys_gap(&curve->keys, m - 1), g = -diagonal[0];
    diagonal[m - 1] -= corner * corner / g;
    diagonal[0] -= g;
    for (int32_t i = 0; i < m; i++) {
        spare[i] = diagonal[i];
    }
    z[0] = g;
    z[m - 1] = corner;
    solve_tridiagonal(curve->times, diagonal, m, curve->slopes, parts);
    solve_tridiagonal(curve->times, spare, m, z, 1);
    td_real *first = curve->slopes, *last = first + (size_t)(m - 1) * (size_t)parts;
    for (int32_t c = 0; c < parts; c++) {
        td_real scale = (first[c] + corner / g * last[c]) / (1 + z[0] + corner / g * z[m - 1]);
        for (int32_t i = 0; i < m; i++) {
            curve->slopes[(size_t)i * (size_t)parts + (size_t)c] -= scale * z[i];
        }
        last[parts + c] = first[c];
    }
}

static td_status find_slopes(td_curve *curve, td_diag *diag) {
    size_t n = (size_t)curve->keys.count;
    td_real *scratch = tdi_alloc_zeroed(curve->alloc, 3 * n, sizeof *scratch);
    if (!scratch) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a curve");
    }
    if (curve->keys.repeat) {
        solve_cyclic(curve, scratch, scratch + n, scratch + 2 * n);
    } else {
        solve_held(curve, scratch);
    }
    tdi_alloc_free(curve->alloc, scratch, 3 * n * sizeof *scratch);
    return TD_OK;
}

// ---- making and freeing ---------------------------------------------------------------------

// whether the last key is like the first, by the largest value of that part
static bool closes(const td_curve_def *def, int32_t part) {
    td_real largest = 0;
    for (int32_t i = 0; i < def->key_count; i++) {
        td_real v = fabs(def->values[(size_t)i * (size_t)def->part_count + (size_t)part]);
        largest = v > largest ? v : largest;
    }
    const td_real *first = def->values + part;
    td_real apart = first[(size_t)(def->key_count - 1) * (size_t)def->part_count] - first[0];
    return fabs(apart) <= SEAM * largest;
}

static td_status check_def(const td_curve_def *def, td_diag *diag) {
    if (!def || def->struct_size != sizeof *def) {
        return tdi_fail(diag, TD_ERR_DEF, "td_curve_def did not come from its default function");
    }
    tdi_keys keys = {def->times, def->key_count, def->interpolation, def->repeat};
    td_status status = tdi_keys_check(&keys, diag);
    if (status != TD_OK) {
        return status;
    }
    if (def->part_count < 1 || def->part_count > TD_CURVE_PARTS_MAX || !def->values) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "a key needs between 1 and %d values",
                        TD_CURVE_PARTS_MAX);
    }
    for (int64_t i = 0; i < (int64_t)def->key_count * def->part_count; i++) {
        if (!(fabs(def->values[i]) <= VALUE_MAX)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i / def->part_count,
                               "key %d: its values must be finite and within %g",
                               (int)(i / def->part_count), VALUE_MAX);
        }
    }
    for (int32_t c = 0; def->repeat && def->interpolation != TD_STEP && c < def->part_count; c++) {
        if (!closes(def, c)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, def->key_count - 1,
                               "the last key of a curve that repeats must be like the first");
        }
    }
    return TD_OK;
}

// lays the arrays out behind the struct, and returns the size of all
static size_t place_curve(td_curve *curve, char *base, size_t keys, size_t parts, bool smooth) {
    tdi_layout layout = {base, 0};
    tdi_layout_place(&layout, 1, sizeof *curve);
    td_real *times = tdi_layout_place(&layout, keys, sizeof *times);
    td_real *values = tdi_layout_place(&layout, keys * parts, sizeof *values);
    td_real *slopes = tdi_layout_place(&layout, smooth ? keys * parts : 0, sizeof *slopes);
    if (curve) {
        curve->times = times;
        curve->values = values;
        curve->slopes = slopes;
    }
    return layout.used;
}

td_status td_curve_new(const td_curve_def *def, const td_alloc *alloc, td_curve **out,
                       td_diag *diag) {
    *out = NULL;
    td_status status = check_def(def, diag);
    if (status != TD_OK) {
        return status;
    }
    size_t n = (size_t)def->key_count, parts = (size_t)def->part_count;
    bool smooth = def->interpolation == TD_SMOOTH;
    size_t bytes = place_curve(NULL, NULL, n, parts, smooth);
    td_curve *curve = tdi_alloc_zeroed(alloc, 1, bytes);
    if (!curve) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a curve");
    }
    place_curve(curve, (char *)curve, n, parts, smooth);
    curve->alloc = alloc;
    curve->bytes = bytes;
    curve->parts = def->part_count;
    for (size_t i = 0; i < n; i++) {
        curve->times[i] = def->times[i];
    }
    for (size_t i = 0; i < n * parts; i++) {
        curve->values[i] = def->values[i];
    }
    for (size_t c = 0; c < parts && def->repeat && def->interpolation != TD_STEP; c++) {
        curve->values[(n - 1) * parts + c] = curve->values[c];
    }
    curve->keys = (tdi_keys){curve->times, def->key_count, def->interpolation, def->repeat};
    status = smooth ? find_slopes(curve, diag) : TD_OK;
    if (status != TD_OK) {
        td_curve_free(curve);
        return status;
    }
    *out = curve;
    return TD_OK;
}

void td_curve_free(td_curve *curve) {
    if (curve) {
        tdi_alloc_free(curve->alloc, curve, curve->bytes);
    }
}

int32_t td_curve_part_count(const td_curve *curve) {
    return curve->parts;
}

// ---- evaluation -----------------------------------------------------------------------------

// Coefficients of the powers of x, without the constant one; a = h s0, b = h s1.
static void smooth_piece(const td_curve *curve, int32_t piece, td_real d, td_real a, td_real b,
                         td_real c[6]) {
    bool first = !curve->keys.repeat && piece == 0;
    bool last = !curve->keys.repeat && piece == curve->keys.count - 2;
    c[1] = a;
    if (first && last) {
        // 10 d x^3 - 15 d x^4 + 6 d x^5
        c[3] = 10 * d;
        c[4] = -15 * d;
        c[5] = 6 * d;
    } else if (first) {
        // (4d - b) x^3 + (b - 3d) x^4
        c[3] = 4 * d - b;
        c[4] = b - 3 * d;
    } else if (last) {
        // d - (4d - a) (1-x)^3 + (3d - a) (1-x)^4
        c[2] = 6 * d - 3 * a;
        c[3] = 3 * a - 8 * d;
        c[4] = 3 * d - a;
    } else {
        // a x + (3d - 2a - b) x^2 + (a + b - 2d) x^3
        c[2] = 3 * d - 2 * a - b;
        c[3] = a + b - 2 * d;
    }
}

void td_curve_at(const td_curve *curve, td_real time, td_real *value, td_real *rate,
                 td_real *rate2) {
    tdi_place place = tdi_keys_find(&curve->keys, time);
    size_t parts = (size_t)curve->parts, at = (size_t)place.key * parts;
    td_real h = place.moving ? tdi_keys_gap(&curve->keys, place.key) : 1;
    for (size_t c = 0; c < parts; c++, at++) {
        td_real poly[6] = {curve->values[at]}, result[3];
        if (place.moving) {
            td_real d = curve->values[at + parts] - curve->values[at];
            if (curve->keys.interpolation == TD_SMOOTH) {
                smooth_piece(curve, place.key, d, h * curve->slopes[at],
                             h * curve->slopes[at + parts], poly);
            } else {
                poly[1] = d;
            }
        }
        tdi_quintic(poly, place.part, result);
        if (value) {
            value[c] = result[0];
        }
        if (rate) {
            rate[c] = result[1] / h;
        }
        if (rate2) {
            rate2[c] = result[2] / (h * h);
        }
    }
}
