// SPDX-License-Identifier: MIT
#pragma once

// Memory through a td_alloc: single blocks, growing arrays, and an arena for parts that live and
// die together.

#include "tendril/base.h"

// Every size is checked for overflow. NULL on failure. `alloc` may be NULL: the C heap.
void *tdi_alloc_zeroed(const td_alloc *alloc, size_t count, size_t item_size);
void *tdi_alloc_resize(const td_alloc *alloc, void *block, size_t old_size, size_t new_size);
void tdi_alloc_free(const td_alloc *alloc, void *block, size_t size);

// ---- growing arrays -------------------------------------------------------------------------

// Makes room for `need` items in a block of *capacity items, growing it by half at least. Keeps the
// items. Returns the block, which may have moved, or NULL with everything as it was.
void *tdi_array_reserve(const td_alloc *alloc, void *items, int64_t *capacity, int64_t need,
                        size_t item_size);

// ---- arena ----------------------------------------------------------------------------------

// Blocks that are freed all at once. Zero-initialise, set `alloc`, free with tdi_arena_free().
typedef struct tdi_arena {
    const td_alloc *alloc;
    struct tdi_arena_chunk *chunks;
    size_t bytes; // taken from the allocator
} tdi_arena;

void *tdi_arena_zeroed(tdi_arena *arena, size_t count, size_t item_size); // NULL on failure
char *tdi_arena_text(tdi_arena *arena, const char *text, size_t length);  // copy, zero-terminated
// Makes room for one more item in an array that the arena owns; the old block stays behind, so the
// capacity doubles. Returns the block, which may have moved, or NULL with everything as it was.
void *tdi_arena_grow(tdi_arena *arena, const void *items, int64_t count, int64_t *capacity,
                     size_t item_size);
void tdi_arena_free(tdi_arena *arena);

// ---- many arrays in one block ---------------------------------------------------------------

// Lay everything out twice: first with base NULL, which adds up the size, then with the block.
typedef struct tdi_layout {
    char *base;
    size_t used;
} tdi_layout;

// The place of the next array, on a cache line of its own.
void *tdi_layout_place(tdi_layout *layout, size_t count, size_t item_size);
