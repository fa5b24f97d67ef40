// SPDX-License-Identifier: MIT
#pragma once

// Blocks of memory that come and go where nothing may be allocated: they are taken from chunks,
// which the allocator gave before.

#include "tendril/base.h"

// Zero-initialise, set `alloc`, free with tdi_blocks_free().
typedef struct tdi_blocks {
    const td_alloc *alloc;
    struct tdi_blocks_chunk *chunks;
    struct tdi_block *unused; // the first of a list
    size_t bytes;             // of all blocks, used or not
} tdi_blocks;

// Bytes that a block of so many takes.
size_t tdi_block_bytes(size_t bytes);
// One more chunk, of so many bytes, for blocks with tdi_block_bytes().
td_status tdi_blocks_grow(tdi_blocks *blocks, size_t bytes);
// A block, not cleared, or NULL: no chunk has room for it. Allocates nothing.
void *tdi_blocks_take(tdi_blocks *blocks, size_t bytes);
void tdi_blocks_give(tdi_blocks *blocks, void *block); // NULL is allowed
void tdi_blocks_free(tdi_blocks *blocks);              // all chunks
