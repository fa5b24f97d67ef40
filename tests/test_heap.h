// SPDX-License-Identifier: MIT
#pragma once

// An allocator that counts.

#include "tendril/base.h"

#include <stdlib.h>

// Counts what is held and what was asked for; fails from call number `fail_at` on (0: never).
typedef struct test_heap {
    size_t held, peak;
    long calls;
    long fail_at;
} test_heap;

static inline void *test_heap_resize(void *context, void *block, size_t old_size, size_t new_size) {
    test_heap *heap = context;
    if (new_size == 0) {
        heap->held -= old_size;
        free(block);
        return NULL;
    }
    heap->calls++;
    if (heap->fail_at > 0 && heap->calls >= heap->fail_at) {
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (moved) {
        heap->held += new_size - old_size;
        heap->peak = heap->held > heap->peak ? heap->held : heap->peak;
    }
    return moved;
}

static inline td_alloc test_heap_alloc(test_heap *heap) {
    return (td_alloc){test_heap_resize, heap};
}
