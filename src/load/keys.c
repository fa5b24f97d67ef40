// SPDX-License-Identifier: MIT
// Times of keys: their check, and the search for the two around a time.

#include "load/keys.h"

#include "base/diag.h"

#include <math.h>

#define TIME_MAX 1e15 // s: beyond it a double does not tell one second from the next

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

tdi_place tdi_keys_find(const tdi_keys *keys, td_real time) {
    td_real first = keys->times[0], last = keys->times[keys->count - 1];
    if (keys->repeat && isfinite(time)) {
        td_real within = fmod(time - first, last - first);
        time = first + (within < 0 ? within + (last - first) : within);
        time = time < last ? time : first;
    }
    tdi_place place = {0, false, 0};
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
