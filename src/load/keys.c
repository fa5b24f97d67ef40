// SPDX-License-Identifier: MIT
// Times of keys: their check, the search for the two around a time, and the blend of the steps from
// key to key.
//
// Method   With f_k the step from key k to the next, a number or an angle about a fixed axis is
//              y(t) = y_k + b0 f_(k-1) + b1 f_k + b2 f_(k+1)
//          where b0, b1, b2 are functions of time alone: b1 goes from 0 to 1, the others from 0 to
//          0. They are of fifth degree with the velocity and acceleration at a key, between gaps g
//          and h,
//              v = (f_(k-1) + f_k)/(g + h),   a = 8 (g f_k - h f_(k-1))/(g + h)^3
//          (those of a parabola when g = h), which neighbours share: no jump at a key. However
//          uneven the gaps, b1 stays within 0 and 1, and b0 and -b2 within 0 and 0.095. At the
//          ends v and a are 0.
// Symbols  x = 0..1 the part of the way; h gap of the piece, g and e those before and after it.

#include "load/keys.h"

#include "base/diag.h"

#include <math.h>

#define TIME_MAX 1e15 // s: beyond it a double does not tell one second from the next

// ---- times ----------------------------------------------------------------------------------

td_status tdi_keys_check(const tdi_keys *keys, td_diag *diag) {
    if (keys->count < 1 || !keys->times) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "a curve needs at least one key");
    }
    if (keys->count > TD_CURVE_KEYS_MAX) {
        return tdi_fail(diag, TD_ERR_LIMIT, "a curve has %d keys; at most %d are allowed",
                        (int)keys->count, TD_CURVE_KEYS_MAX);
    }
    if ((int)keys->interpolation < TD_SMOOTH || (int)keys->interpolation > TD_STEP) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "a curve's interpolation is not one of the three");
    }
    if (keys->repeat && keys->count < 2) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "a curve that repeats needs at least two keys");
    }
    for (int32_t i = 0; i < keys->count; i++) {
        if (!(fabs(keys->times[i]) <= TIME_MAX)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "key %d: its time must be within %g s",
                               (int)i, TIME_MAX);
        }
        if (i > 0 && !(keys->times[i] - keys->times[i - 1] >= TD_CURVE_GAP_MIN)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                               "key %d: its time must be at least %g s after the one before",
                               (int)i, TD_CURVE_GAP_MIN);
        }
    }
    return TD_OK;
}

// the last key at or before the time, which is not before the first
static int32_t key_before(const tdi_keys *keys, td_real time) {
    int32_t low = 0, high = keys->count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        *(keys->times[middle] <= time ? &low : &high) = middle;
    }
    return low;
}

tdi_key_place tdi_keys_find(const tdi_keys *keys, td_real time) {
    td_real first = keys->times[0], last = keys->times[keys->count - 1];
    if (keys->repeat && isfinite(time)) {
        td_real within = fmod(time - first, last - first);
        time = first + (within < 0 ? within + (last - first) : within);
        time = time < last ? time : first;
    }
    tdi_key_place place = {0, false, 0};
    if (!(time >= first)) { // what is not a number counts as before
        return place;
    }
    place.key = key_before(keys, time);
    if (keys->interpolation != TD_STEP && place.key < keys->count - 1) {
        place.moving = true;
        place.part = (time - keys->times[place.key]) / tdi_keys_gap(keys, place.key);
    }
    return place;
}

// ---- blend ----------------------------------------------------------------------------------

// Quintics with one of: the value at 1; the slope at 0, at 1; the second derivative at 0, at 1.
static const td_real hermite[5][6] = {{0, 0, 0, 10, -15, 6},
                                      {0, 1, 0, -6, 8, -3},
                                      {0, 0, 0, -4, 7, -3},
                                      {0, 0, 0.5, -1.5, 1.5, -0.5},
                                      {0, 0, 0, 0.5, -1, 0.5}};

// the piece before (step -1) or after (step 1) a piece; TD_NONE at an end
static int32_t neighbour(const tdi_keys *keys, int32_t piece, int32_t step) {
    int32_t pieces = keys->count - 1, next = piece + step;
    if (next >= 0 && next < pieces) {
        return next;
    }
    return !keys->repeat ? TD_NONE : next < 0 ? pieces - 1 : 0;
}

// sum of the weighted quintics at x, and its derivatives by time
static void quintic_at(const td_real weight[5], td_real x, td_real h, td_real out[3]) {
    td_real value = 0, first = 0, half_second = 0;
    for (int k = 5; k >= 0; k--) {
        td_real c = 0;
        for (int i = 0; i < 5; i++) {
            c += weight[i] * hermite[i][k];
        }
        half_second = half_second * x + first;
        first = first * x + value;
        value = value * x + c;
    }
    out[0] = value;
    out[1] = first / h;
    out[2] = 2 * half_second / (h * h);
}

// h v and h^2 a at both ends of the piece, as weights of f before, within and after
static tdi_blend blend_smooth(const tdi_keys *keys, tdi_key_place place) {
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
    tdi_blend blend = {.piece = {before, place.key, after}};
    for (int i = 0; i < 3; i++) {
        quintic_at(weight[i], place.part, h, blend.b[i]);
    }
    return blend;
}

tdi_blend tdi_keys_blend(const tdi_keys *keys, tdi_key_place place) {
    tdi_blend blend = {.piece = {TD_NONE, TD_NONE, TD_NONE}};
    if (place.moving && keys->interpolation == TD_SMOOTH) {
        blend = blend_smooth(keys, place);
    } else if (place.moving) {
        blend.piece[1] = place.key;
        blend.b[1][0] = place.part;
        blend.b[1][1] = 1 / tdi_keys_gap(keys, place.key);
    }
    return blend;
}
