// SPDX-License-Identifier: MIT
// Blocks from chunks. A block has a head before it; a chunk is a row of blocks. The smallest unused
// block that is large enough is taken, and the rest of it becomes a block. Two unused neighbours
// become one block.

#include "base/blocks.h"

#include "base/alloc.h"

#include <stdalign.h>

#define LINE ((size_t)64) // bytes of a cache line: blocks begin on one where chunks do

typedef struct tdi_block {
    alignas(64) size_t size;           // bytes with this head
    size_t before;                     // those of the block before it; 0: it is the first
    bool used, last;                   // last: of its chunk
    struct tdi_block *next, *previous; // of the unused ones
} tdi_block;

typedef struct tdi_blocks_chunk {
    struct tdi_blocks_chunk *next;
    size_t size; // bytes as allocated
} tdi_blocks_chunk;

size_t tdi_block_bytes(size_t bytes) {
    return sizeof(tdi_block) + (bytes + LINE - 1) / LINE * LINE;
}

static tdi_block *after(tdi_block *b) {
    return b->last ? NULL : (tdi_block *)(void *)((char *)b + b->size);
}

static tdi_block *ahead_of(tdi_block *b) {
    return b->before > 0 ? (tdi_block *)(void *)((char *)b - b->before) : NULL;
}

static void list(tdi_blocks *k, tdi_block *b) {
    b->used = false;
    b->previous = NULL;
    b->next = k->unused;
    if (k->unused) {
        k->unused->previous = b;
    }
    k->unused = b;
}

static void unlist(tdi_blocks *k, tdi_block *b) {
    if (b->previous) {
        b->previous->next = b->next;
    } else {
        k->unused = b->next;
    }
    if (b->next) {
        b->next->previous = b->previous;
    }
}

static void set_size(tdi_block *b, size_t size, bool last) {
    b->size = size;
    b->last = last;
    if (!last) {
        after(b)->before = size;
    }
}

// Makes one block of two neighbours.
static void join(tdi_block *a, tdi_block *b) {
    set_size(a, a->size + b->size, b->last);
}

td_status tdi_blocks_grow(tdi_blocks *k, size_t bytes) {
    const size_t size = (bytes + LINE - 1) / LINE * LINE, all = sizeof(tdi_blocks_chunk) + size;
    if (bytes > SIZE_MAX / 2) {
        return TD_ERR_MEMORY;
    }
    tdi_blocks_chunk *chunk = tdi_alloc_resize(k->alloc, NULL, 0, all + LINE);
    if (!chunk) {
        return TD_ERR_MEMORY;
    }
    const uintptr_t from = (uintptr_t)(chunk + 1);
    tdi_block *b = (tdi_block *)(void *)((char *)(chunk + 1) + (LINE - from % LINE) % LINE);
    *chunk = (tdi_blocks_chunk){k->chunks, all + LINE};
    k->chunks = chunk;
    k->bytes += size;
    *b = (tdi_block){.size = size, .last = true};
    list(k, b);
    return TD_OK;
}

static void cut_off(tdi_blocks *k, tdi_block *b, size_t size) {
    if (b->size - size > sizeof *b) {
        tdi_block *rest = (tdi_block *)(void *)((char *)b + size);
        *rest = (tdi_block){.before = size};
        set_size(rest, b->size - size, b->last);
        b->size = size;
        b->last = false;
        list(k, rest);
    }
}

void *tdi_blocks_take(tdi_blocks *k, size_t bytes) {
    const size_t size = tdi_block_bytes(bytes);
    tdi_block *best = NULL;
    for (tdi_block *b = k->unused; b; b = b->next) {
        best = b->size >= size && (!best || b->size < best->size) ? b : best;
    }
    if (!best) {
        return NULL;
    }
    unlist(k, best);
    best->used = true;
    cut_off(k, best, size);
    return best + 1;
}

void tdi_blocks_give(tdi_blocks *k, void *block) {
    if (!block) {
        return;
    }
    tdi_block *b = (tdi_block *)block - 1, *next = after(b), *before = ahead_of(b);
    if (next && !next->used) {
        unlist(k, next);
        join(b, next);
    }
    if (before && !before->used) {
        unlist(k, before);
        join(before, b);
        b = before;
    }
    list(k, b);
}

void tdi_blocks_free(tdi_blocks *k) {
    for (tdi_blocks_chunk *c = k->chunks; c;) {
        tdi_blocks_chunk *next = c->next;
        tdi_alloc_free(k->alloc, c, c->size);
        c = next;
    }
    *k = (tdi_blocks){.alloc = k->alloc};
}
