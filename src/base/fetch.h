// SPDX-License-Identifier: MIT
#pragma once

// Memory that is read soon, where many arrays are read at once and the processor does not see what
// comes next by itself.

#include <stddef.h>

// For functions that do nothing but fetch: gcc 12 takes calls of them to have no effect, and drops
// them, unless they are inlined at once.
#define TDI_FETCHES static inline __attribute__((always_inline))

enum { TDI_CACHE_LINE = 64 }; // bytes

TDI_FETCHES void tdi_fetch(const void *from, size_t size) {
#ifdef __wasm__ // which cannot, and would keep an empty loop
    (void)from;
    (void)size;
#else
    for (size_t k = 0; k < size; k += TDI_CACHE_LINE) {
        __builtin_prefetch((const char *)from + k);
    }
#endif
}
