// SPDX-License-Identifier: MIT
#pragma once

// A heap in memory that grows at its end: what malloc needs where there is no C library to have it
// from, or where that of the C library is too large to carry along.

#include <stddef.h>

#define TDI_HEAP_BINS 32

typedef struct tdi_heap_block tdi_heap_block;

// Zero-initialise, set `more`.
typedef struct tdi_heap {
    // More memory, right after what it gave before: *size bytes at least, a multiple of 16. Sets
    // *size to what it gave. NULL when there is none.
    void *(*more)(void *context, size_t *size);
    void *context;
    tdi_heap_block *end; // a head without a block
    tdi_heap_block *bins[TDI_HEAP_BINS];
} tdi_heap;

// Blocks are aligned for any type. NULL when there is no memory.
void *tdi_heap_take(tdi_heap *heap, size_t size);
// NULL takes. On failure the block stays as it was.
void *tdi_heap_resize(tdi_heap *heap, void *block, size_t size);
void tdi_heap_give(tdi_heap *heap, void *block); // NULL is allowed
