// SPDX-License-Identifier: MIT
#pragma once

// Sorting 64-bit keys in place: heap sort, so that no input is slow and no memory is taken.

#include <stdint.h>

static inline void tdi_sift(uint64_t *keys, int64_t root, int64_t count) {
    uint64_t key = keys[root];
    for (int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && keys[child + 1] > keys[child]) {
            child++;
        }
        if (keys[child] <= key) {
            break;
        }
        keys[root] = keys[child];
        root = child;
    }
    keys[root] = key;
}

static inline void tdi_sort_keys(uint64_t *keys, int64_t count) {
    for (int64_t i = count / 2 - 1; i >= 0; i--) {
        tdi_sift(keys, i, count);
    }
    for (int64_t i = count - 1; i > 0; i--) {
        uint64_t top = keys[0];
        keys[0] = keys[i];
        keys[i] = top;
        tdi_sift(keys, 0, i);
    }
}
