// SPDX-License-Identifier: MIT
#pragma once

// What curves of numbers and of rotations share: times of keys, and how the steps between keys are
// blended.

#include "tendril/curve.h"

typedef struct tdi_keys {
    const td_real *times; // `count` of them, rising
    int32_t count;
    td_interpolation interpolation;
    bool repeat;
} tdi_keys;

td_status tdi_keys_check(const tdi_keys *keys, td_diag *diag);

// Where a time lies: `part` of the way from `key` to the next one; not moving: at `key` itself.
typedef struct tdi_key_place {
    int32_t key;
    bool moving;
    td_real part;
} tdi_key_place;

tdi_key_place tdi_keys_find(const tdi_keys *keys, td_real time);

// from a key to the next one, s
static inline td_real tdi_keys_gap(const tdi_keys *keys, int32_t key) {
    return keys->times[key + 1] - keys->times[key];
}

// What every step from a key to the next adds to the key at a place: b[i] of the step of piece[i].
// Three pieces have a part in it: the one before, the one itself and the one after.
typedef struct tdi_blend {
    int32_t piece[3]; // TD_NONE: nothing
    td_real b[3][3];  // value, first and second derivative by time
} tdi_blend;

tdi_blend tdi_keys_blend(const tdi_keys *keys, tdi_key_place place);

// ---- steps of a simulation ------------------------------------------------------------------

// Whether a curve jumps between two times, neither of which counts, for steps of `step` seconds: a
// key of TD_STEP lies there, or a part of a piece that is shorter than a step.
bool tdi_curve_jumps(const td_curve *curve, td_real from, td_real to, td_real step);
// Whether the slope changes at a key of TD_LINEAR between two times, neither of which counts, by
// more than half of the larger slope.
bool tdi_curve_velocity_jumps(const td_curve *curve, td_real from, td_real to, td_real step);
// The mean between two times, of all parts.
void tdi_curve_mean(const td_curve *curve, td_real from, td_real to, td_real *mean);
