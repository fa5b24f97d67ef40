// SPDX-License-Identifier: MIT
// A heap in memory that grows at its end.
//
// Method   Blocks lie one after the other, each with its size and that of the block before it, so
//          that a block which is given back joins its free neighbours at once. Free blocks are in
//          lists by the power of two below their size. A block is taken from its own list when one
//          of the first there is large enough, else from the next list that has any: that one is
//          always large enough.

#include "system/heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct tdi_heap_block {
    size_t before;                      // size of the block before this one; 0: this is the first
    size_t size;                        // with this head, a multiple of UNIT; plus USED
    struct tdi_heap_block *next, *last; // of a free block, within its list
};

#define UNIT     ((size_t)16) // alignment
#define USED     ((size_t)1)
#define HEAD     offsetof(tdi_heap_block, next)
#define LEAST    sizeof(tdi_heap_block)
#define MAX_LOOK 16 // blocks of the own list

static tdi_heap_block *at(const void *place, ptrdiff_t bytes) {
    return (tdi_heap_block *)((char *)(uintptr_t)place + bytes);
}

static size_t size_of(const tdi_heap_block *block) {
    return block->size & ~USED;
}

static tdi_heap_block *after(const tdi_heap_block *block) {
    return at(block, (ptrdiff_t)size_of(block));
}

static void set_size(tdi_heap_block *block, size_t size) {
    block->size = size;
    after(block)->before = size;
}

// ---- lists ----------------------------------------------------------------------------------

static int bin_of(size_t size) {
    int bin = 0;
    while ((size >>= 1) >= UNIT && bin < TDI_HEAP_BINS - 1) {
        bin++;
    }
    return bin;
}

static void insert(tdi_heap *heap, tdi_heap_block *block) {
    tdi_heap_block **bin = &heap->bins[bin_of(block->size)];
    block->last = NULL;
    block->next = *bin;
    if (*bin) {
        (*bin)->last = block;
    }
    *bin = block;
}

static void take_out(tdi_heap *heap, tdi_heap_block *block) {
    if (block->last) {
        block->last->next = block->next;
    } else {
        heap->bins[bin_of(block->size)] = block->next;
    }
    if (block->next) {
        block->next->last = block->last;
    }
}

static tdi_heap_block *find(const tdi_heap *heap, size_t size) {
    int bin = bin_of(size);
    tdi_heap_block *block = heap->bins[bin];
    for (int i = 0; block && i < MAX_LOOK; i++, block = block->next) {
        if (block->size >= size) {
            return block;
        }
    }
    // the last list has all sizes from its own on: its blocks must be looked at
    while (++bin < TDI_HEAP_BINS) {
        if (heap->bins[bin] && heap->bins[bin]->size >= size) {
            return heap->bins[bin];
        }
    }
    return NULL;
}

// ---- blocks ---------------------------------------------------------------------------------

// joins it with free neighbours; it is in no list before
static void release(tdi_heap *heap, tdi_heap_block *block) {
    size_t size = size_of(block);
    tdi_heap_block *next = after(block);
    if (!(next->size & USED)) {
        take_out(heap, next);
        size += next->size;
    }
    if (block->before > 0) {
        tdi_heap_block *before = at(block, -(ptrdiff_t)block->before);
        if (!(before->size & USED)) {
            take_out(heap, before);
            size += before->size;
            block = before;
        }
    }
    set_size(block, size);
    insert(heap, block);
}

// a used block of `size` bytes at the start of one that is in no list; what is left over is free
static void use(tdi_heap *heap, tdi_heap_block *block, size_t size) {
    size_t left = size_of(block) - size;
    bool rest = left >= LEAST;
    set_size(block, rest ? size : size_of(block));
    block->size |= USED;
    if (rest) {
        set_size(after(block), left);
        release(heap, after(block));
    }
}

// a free block of `size` bytes at least, at the end
static bool grow(tdi_heap *heap, size_t size) {
    // the first time there must be room for the head at the end, and to align
    size_t got = size + (heap->end ? 0 : 2 * UNIT + HEAD);
    got = (got + UNIT - 1) / UNIT * UNIT;
    char *bytes = heap->more(heap->context, &got);
    if (!bytes) {
        return false;
    }
    tdi_heap_block *block = heap->end;
    if (!block) {
        size_t shift = (size_t)(0 - ((uintptr_t)bytes + HEAD)) % UNIT;
        block = at(bytes, (ptrdiff_t)shift);
        block->before = 0;
        got = (got - shift - HEAD) / UNIT * UNIT;
    }
    set_size(block, got);
    heap->end = after(block);
    heap->end->size = USED;
    release(heap, block);
    return true;
}

// bytes of a block for `size` bytes; 0 when that is more than any memory
static size_t whole_size(size_t size) {
    if (size > SIZE_MAX / 2) {
        return 0;
    }
    size = (size + HEAD + UNIT - 1) / UNIT * UNIT;
    return size < LEAST ? LEAST : size;
}

// ---- entry ----------------------------------------------------------------------------------

void *tdi_heap_take(tdi_heap *heap, size_t size) {
    size = whole_size(size);
    if (size == 0) {
        return NULL;
    }
    tdi_heap_block *block = find(heap, size);
    if (!block && grow(heap, size)) {
        // what was free at the end has become part of it: it is the block before the end
        block = at(heap->end, -(ptrdiff_t)heap->end->before);
    }
    if (!block) {
        return NULL;
    }
    take_out(heap, block);
    use(heap, block, size);
    return at(block, HEAD);
}

void tdi_heap_give(tdi_heap *heap, void *block) {
    if (block) {
        release(heap, at(block, -(ptrdiff_t)HEAD));
    }
}

void *tdi_heap_resize(tdi_heap *heap, void *block, size_t size) {
    if (!block) {
        return tdi_heap_take(heap, size);
    }
    size_t whole = whole_size(size);
    tdi_heap_block *b = at(block, -(ptrdiff_t)HEAD), *next = after(b);
    if (whole == 0) {
        return NULL;
    }
    if (size_of(b) < whole && !(next->size & USED) && size_of(b) + next->size >= whole) {
        take_out(heap, next);
        set_size(b, size_of(b) + next->size);
    }
    if (size_of(b) >= whole) {
        use(heap, b, whole);
        return block;
    }
    void *moved = tdi_heap_take(heap, size);
    if (moved) {
        memcpy(moved, block, size_of(b) - HEAD);
        release(heap, b);
    }
    return moved;
}
