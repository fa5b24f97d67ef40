// SPDX-License-Identifier: MIT
// Curves of numbers and vectors through keys in time.
//
// Method   With f_k the step from key k to the next, between them
//              y(t) = y_k + b0 f_(k-1) + b1 f_k + b2 f_(k+1)
//          with the blend b of keys.c, of time alone: the derivatives are exact, nothing is solved,
//          and the curve goes past its keys by less than a tenth of the steps beside them. What
//          hangs on a base feels no jolt when the motion begins or ends: a smooth curve leaves the
//          first key and reaches the last with neither velocity nor acceleration.

#include "tendril/curve.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "load/keys.h"

#include <math.h>

#define VALUE_MAX 1e100 // far from overflow also after division by the square of the least gap
#define SEAM \
    1e-9 // how far apart the ends of a curve that repeats may be, relative; of a
         // step: times that are the same but for rounding

struct td_curve {
    const td_alloc *alloc;
    size_t bytes;
    tdi_keys keys;
    int32_t parts;
    td_real *times;
    td_real *values; // a key, parts
};

td_curve_def td_curve_def_default(void) {
    td_curve_def def = {
        .struct_size = sizeof def, .part_count = 1, .interpolation = TD_SMOOTH, .repeat = false};
    return def;
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
    tdi_keys keys = {def->times, def->key_count, def->interpolation, def->repeat};
    TDI_TRY(tdi_keys_check(&keys, diag));
    if (def->part_count < 1 || def->part_count > TD_CURVE_PARTS_MAX) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "part_count is %d; a key must have from 1 to %d values",
                        (int)def->part_count, TD_CURVE_PARTS_MAX);
    }
    if (!def->values) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "values is NULL; the curve needs values at its keys");
    }
    for (int64_t i = 0; i < (int64_t)def->key_count * def->part_count; i++) {
        if (!(fabs(def->values[i]) <= VALUE_MAX)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i / def->part_count,
                               "key %d has the value %g; it must be from -%g to %g",
                               (int)(i / def->part_count), def->values[i], VALUE_MAX, VALUE_MAX);
        }
    }
    for (int32_t c = 0; def->repeat && def->interpolation != TD_STEP && c < def->part_count; c++) {
        if (!closes(def, c)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, def->key_count - 1,
                               "the curve repeats, so the value of its last key must equal that of "
                               "its first");
        }
    }
    return TD_OK;
}

// lays the arrays out behind the struct, and returns the size of all
static size_t place_curve(td_curve *curve, char *base, size_t keys, size_t parts) {
    tdi_layout layout = {base, 0};
    tdi_layout_place(&layout, 1, sizeof *curve);
    td_real *times = tdi_layout_place(&layout, keys, sizeof *times);
    td_real *values = tdi_layout_place(&layout, keys * parts, sizeof *values);
    if (curve) {
        curve->times = times;
        curve->values = values;
    }
    return layout.used;
}

td_status td_curve_new(const td_curve_def *given, const td_alloc *alloc, td_curve **out,
                       td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out);
    td_curve_def own = td_curve_def_default();
    const td_curve_def *def = &own;
    TDI_TRY(tdi_def_take("td_curve_def", &own, given, diag));
    TDI_TRY(check_def(def, diag));
    size_t n = (size_t)def->key_count, parts = (size_t)def->part_count;
    size_t bytes = place_curve(NULL, NULL, n, parts);
    td_curve *curve = tdi_alloc_zeroed(alloc, 1, bytes);
    if (!curve) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a curve");
    }
    place_curve(curve, (char *)curve, n, parts);
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
    *out = curve;
    return TD_OK;
}

void td_curve_free(td_curve *curve) {
    if (curve) {
        tdi_alloc_free(curve->alloc, curve, curve->bytes);
    }
}

int32_t td_curve_part_count(const td_curve *curve) {
    return curve ? curve->parts : 0;
}

// ---- evaluation -----------------------------------------------------------------------------

void td_curve_at(const td_curve *curve, td_real time, td_real *value, td_real *rate,
                 td_real *rate2) {
    if (!curve) {
        return;
    }
    tdi_key_place place = tdi_keys_find(&curve->keys, time);
    tdi_blend blend = tdi_keys_blend(&curve->keys, place);
    size_t parts = (size_t)curve->parts;
    for (size_t c = 0; c < parts; c++) {
        td_real y[3] = {curve->values[(size_t)place.key * parts + c], 0, 0}; // with derivatives
        for (int i = 0; i < 3; i++) {
            if (blend.piece[i] != TD_NONE) {
                const td_real *key = curve->values + (size_t)blend.piece[i] * parts + c;
                td_real f = key[parts] - key[0];
                y[0] += blend.b[i][0] * f;
                y[1] += blend.b[i][1] * f;
                y[2] += blend.b[i][2] * f;
            }
        }
        if (value) {
            value[c] = y[0];
        }
        if (rate) {
            rate[c] = y[1];
        }
        if (rate2) {
            rate2[c] = y[2];
        }
    }
}

// ---- steps of a simulation ------------------------------------------------------------------

// The first key at or after a time, and its time; a curve that repeats has keys without end.
// TD_NONE: there is none.
static int32_t key_from(const tdi_keys *k, td_real time, td_real *at) {
    const td_real first = k->times[0], last = k->times[k->count - 1], period = last - first;
    const td_real turn = k->repeat ? period * floor((time - first) / period) : 0;
    int32_t low = 0, high = k->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        *(k->times[middle] + turn < time ? &low : &high) =
            k->times[middle] + turn < time ? middle + 1 : middle;
    }
    if (low == k->count && k->repeat) { // rounding: the first key of the next turn
        *at = last + turn + period;
        return 0;
    }
    *at = low < k->count ? k->times[low] + turn : HUGE_VAL;
    return low < k->count ? low : TD_NONE;
}

bool tdi_curve_jumps(const td_curve *curve, td_real from, td_real to, td_real step) {
    const tdi_keys *k = &curve->keys;
    const td_real near = SEAM * step;
    td_real at;
    int32_t key = key_from(k, from + near, &at);
    if (k->interpolation == TD_STEP) {
        return key != TD_NONE && at < to - near;
    }
    // the piece that ends at the first key, and those that begin before `to`
    bool any = key > 0 && tdi_keys_gap(k, key - 1) < step - near;
    for (; !any && key != TD_NONE && key + 1 < k->count && at < to - near; key++) {
        any = tdi_keys_gap(k, key) < step - near;
        at += tdi_keys_gap(k, key);
    }
    return any;
}

static bool velocity_jumps_at(const td_curve *curve, td_real at, td_real near) {
    td_real before[TD_CURVE_PARTS_MAX], after[TD_CURVE_PARTS_MAX], a = 0, b = 0, change = 0;
    td_curve_at(curve, at - near, NULL, before, NULL);
    td_curve_at(curve, at + near, NULL, after, NULL);
    for (int32_t c = 0; c < curve->parts; c++) {
        a += before[c] * before[c];
        b += after[c] * after[c];
        change += (after[c] - before[c]) * (after[c] - before[c]);
    }
    return change > 0.25 * fmax(a, b);
}

bool tdi_curve_velocity_jumps(const td_curve *curve, td_real from, td_real to, td_real step) {
    const td_real near = SEAM * step;
    td_real at;
    bool any = false;
    for (int32_t key = curve->keys.interpolation == TD_LINEAR
                           ? key_from(&curve->keys, from + near, &at)
                           : TD_NONE;
         !any && key != TD_NONE && at < to - near; key = key_from(&curve->keys, at + near, &at)) {
        any = velocity_jumps_at(curve, at, near);
    }
    return any;
}

// Pieces are of fifth degree at most, for which Gauss's rule of three points is exact.
static void add_piece(const td_curve *curve, td_real from, td_real to, td_real *sum) {
    static const td_real place[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                         weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    td_real value[TD_CURVE_PARTS_MAX];
    for (int i = 0; i < 3; i++) {
        td_curve_at(curve, from + place[i] * (to - from), value, NULL, NULL);
        for (int32_t c = 0; c < curve->parts; c++) {
            sum[c] += weight[i] * (to - from) * value[c];
        }
    }
}

void tdi_curve_mean(const td_curve *curve, td_real from, td_real to, td_real *mean) {
    const td_real near = SEAM * (to - from);
    td_real at = from, key;
    for (int32_t c = 0; c < curve->parts; c++) {
        mean[c] = 0;
    }
    while (at < to) {
        key_from(&curve->keys, at + near, &key);
        const td_real end = fmin(key, to);
        add_piece(curve, at, end, mean);
        at = end;
    }
    for (int32_t c = 0; c < curve->parts; c++) {
        mean[c] /= to - from;
    }
}
