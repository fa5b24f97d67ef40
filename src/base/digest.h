// SPDX-License-Identifier: MIT
#pragma once

// A number that stands for bytes: other bytes, another number, but for one case in 2^64.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Goes on from `sum`, eight bytes at a time. Multiplication by an odd number and a shift are one to
// one, so that no single change of bytes goes unseen.
static inline uint64_t tdi_digest(uint64_t sum, const void *bytes, size_t size) {
    const char *b = bytes;
    for (size_t k = 0; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, b + k, size - k < 8 ? size - k : 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return sum;
}

// A save of `size` bytes is followed by its digest.
#define TDI_SEAL sizeof(uint64_t)

static inline void tdi_seal(void *bytes, size_t size) {
    const uint64_t sum = tdi_digest(size, bytes, size);
    memcpy((char *)bytes + size, &sum, sizeof sum);
}

// Whether `given` bytes are a save of `size` bytes with its digest.
static inline bool tdi_is_sealed(const void *bytes, size_t given, size_t size) {
    uint64_t sum = 0;
    if (given != size + sizeof sum) {
        return false;
    }
    memcpy(&sum, (const char *)bytes + size, sizeof sum);
    return sum == tdi_digest(size, bytes, size);
}
