// SPDX-License-Identifier: MIT
// Memory through a td_alloc.

#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise
#endif

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define HUGE_PAGE  ((size_t)2 << 20) // bytes
#define HUGE_BLOCK ((size_t)8 << 20) // blocks from here on ask for such pages

// ---- blocks ---------------------------------------------------------------------------------

void *tdi_alloc_resize(const td_alloc *alloc, void *block, size_t old_size, size_t new_size) {
    if (alloc) {
        return alloc->resize(alloc->context, block, old_size, new_size);
    }
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

// A block of the C heap on huge pages, if the system has them: sweeps through the many arrays of a
// large tree would spend a fifth of their time on finding pages.
static void *large(size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    void *block = NULL;
    if (posix_memalign(&block, HUGE_PAGE, size) != 0) {
        return NULL;
    }
    madvise(block, size, MADV_HUGEPAGE); // a wish: nothing depends on it
    return block;
#else
    return malloc(size);
#endif
}

void *tdi_alloc_zeroed(const td_alloc *alloc, size_t count, size_t item_size) {
    if (count == 0 || item_size == 0 || count > SIZE_MAX / item_size) {
        return NULL;
    }
    const size_t size = count * item_size;
    void *block = alloc || size < HUGE_BLOCK ? tdi_alloc_resize(alloc, NULL, 0, size) : large(size);
    if (block) {
        memset(block, 0, count * item_size);
    }
    return block;
}

void tdi_alloc_free(const td_alloc *alloc, void *block, size_t size) {
    if (block) {
        tdi_alloc_resize(alloc, block, size, 0);
    }
}

// ---- growing arrays -------------------------------------------------------------------------

void *tdi_array_reserve(const td_alloc *alloc, void *items, int64_t *capacity, int64_t need,
                        size_t item_size) {
    if (need <= *capacity && items) {
        return items;
    }
    int64_t grown = *capacity + *capacity / 2;
    int64_t wanted = need > grown ? need : grown;
    wanted = wanted < 8 ? 8 : wanted;
    if ((uint64_t)wanted > SIZE_MAX / item_size) {
        return NULL;
    }
    void *moved =
        tdi_alloc_resize(alloc, items, (size_t)*capacity * item_size, (size_t)wanted * item_size);
    if (moved) {
        *capacity = wanted;
    }
    return moved;
}

// ---- arena ----------------------------------------------------------------------------------

#define ARENA_CHUNK ((size_t)16 * 1024) // bytes: holds a small model in one or two chunks

typedef struct tdi_arena_chunk {
    struct tdi_arena_chunk *next;
    size_t size; // bytes after this head
    size_t used;
    max_align_t data[];
} tdi_arena_chunk;

static tdi_arena_chunk *arena_chunk_new(tdi_arena *arena, size_t size) {
    if (size > SIZE_MAX - sizeof(tdi_arena_chunk)) {
        return NULL;
    }
    size_t total = sizeof(tdi_arena_chunk) + size;
    tdi_arena_chunk *chunk = tdi_alloc_resize(arena->alloc, NULL, 0, total);
    if (chunk) {
        chunk->next = arena->chunks;
        chunk->size = size;
        chunk->used = 0;
        arena->chunks = chunk;
        arena->bytes += total;
    }
    return chunk;
}

void *tdi_arena_zeroed(tdi_arena *arena, size_t count, size_t item_size) {
    if (item_size != 0 && count > (SIZE_MAX - sizeof(max_align_t)) / item_size) {
        return NULL;
    }
    size_t align = sizeof(max_align_t);
    size_t size = (count * item_size + align - 1) / align * align;
    size = size == 0 ? align : size;
    tdi_arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        chunk = arena_chunk_new(arena, size > ARENA_CHUNK ? size : ARENA_CHUNK);
        if (!chunk) {
            return NULL;
        }
    }
    char *block = (char *)chunk->data + chunk->used;
    chunk->used += size;
    memset(block, 0, size);
    return block;
}

char *tdi_arena_text(tdi_arena *arena, const char *text, size_t length) {
    char *copy = tdi_arena_zeroed(arena, length + 1, 1);
    if (copy && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

void *tdi_arena_grow(tdi_arena *arena, const void *items, int64_t count, int64_t *capacity,
                     size_t item_size) {
    int64_t wanted = *capacity < 16 ? 16 : *capacity * 2;
    char *grown = tdi_arena_zeroed(arena, (size_t)wanted, item_size);
    if (grown && count > 0) {
        memcpy(grown, items, (size_t)count * item_size);
    }
    *capacity = grown ? wanted : *capacity;
    return grown;
}

void tdi_arena_free(tdi_arena *arena) {
    tdi_arena_chunk *chunk = arena->chunks;
    while (chunk) {
        tdi_arena_chunk *next = chunk->next;
        tdi_alloc_free(arena->alloc, chunk, sizeof(tdi_arena_chunk) + chunk->size);
        chunk = next;
    }
    arena->chunks = NULL;
    arena->bytes = 0;
}

// ---- many arrays in one block ---------------------------------------------------------------

void *tdi_layout_place(tdi_layout *layout, size_t count, size_t item_size) {
    const size_t line = 64;
    void *here = layout->base ? layout->base + layout->used : NULL;
    layout->used += (count * item_size + line - 1) / line * line;
    return here;
}
