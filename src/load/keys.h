// SPDX-License-Identifier: MIT
#pragma once

// What curves of numbers and of rotations share: times of keys, and polynomials between them.

#include "tendril/curve.h"

typedef struct tdi_keys {
    const td_real *times; // `count` of them, rising
    int32_t count;
    td_interpolation interpolation;
    bool repeat;
} tdi_keys;

td_status tdi_keys_check(const tdi_keys *keys, td_diag *diag);

// Where a time lies: `part` of the way from `key` to the next one; not moving: at `key` itself.
typedef struct tdi_place {
    int32_t key;
    bool moving;
    td_real part;
} tdi_place;

tdi_place tdi_keys_find(const tdi_keys *keys, td_real time);

// from a key to the next one, s
static inline td_real tdi_keys_gap(const tdi_keys *keys, int32_t key) {
    return keys->times[key + 1] - keys->times[key];
}

// sum of c[k] x^k up to the fifth power, and its first and second derivative
static inline void tdi_quintic(const td_real c[6], td_real x, td_real out[3]) {
    td_real value = c[5], first = 0, half_second = 0;
    for (int k = 4; k >= 0; k--) {
        half_second = half_second * x + first;
        first = first * x + value;
        value = value * x + c[k];
    }
    out[0] = value;
    out[1] = first;
    out[2] = 2 * half_second;
}
