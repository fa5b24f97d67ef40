// SPDX-License-Identifier: MIT
// The heap of the module for pages. Pairs with src/system/heap.c.
#include "td_test.h"

#include "system/heap.h"

#include <stdlib.h>
#include <string.h>

#define ROOM  ((size_t)1 << 22) // bytes of all memory
#define STEP  ((size_t)4096)    // bytes that come at once
#define COUNT 200               // blocks

// memory that grows up to `limit`
typedef struct room {
    char *bytes;
    size_t used, limit;
} room;

static void *more(void *context, size_t *size) {
    room *r = context;
    size_t wanted = (*size + STEP - 1) / STEP * STEP;
    if (*size > r->limit || wanted > r->limit - r->used) {
        return NULL;
    }
    char *start = r->bytes + r->used;
    r->used += wanted;
    *size = wanted;
    return start;
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// small and large ones alike: a few bits, then as many more
static size_t any_size(uint32_t *seed) {
    uint32_t bits = next_random(seed) % 14;
    return next_random(seed) % ((size_t)1 << bits) + 1;
}

static bool filled_with(const unsigned char *block, size_t size, unsigned char value) {
    for (size_t i = 0; i < size; i++) {
        if (block[i] != value) {
            return false;
        }
    }
    return true;
}

TD_TEST(heap_blocks_keep_their_bytes_whatever_happens_to_others) {
    room r = {malloc(ROOM), 0, ROOM};
    tdi_heap heap = {.more = more, .context = &r};
    unsigned char *blocks[COUNT] = {NULL};
    size_t sizes[COUNT] = {0};
    uint32_t seed = 1;
    bool kept = true, aligned = true, taken = true;
    CHECK(r.bytes);
    for (int step = 0; step < 20000 && r.bytes; step++) {
        uint32_t k = next_random(&seed) % COUNT;
        kept = kept && filled_with(blocks[k], sizes[k], (unsigned char)k);
        if (blocks[k] && next_random(&seed) % 2 == 0) {
            tdi_heap_give(&heap, blocks[k]);
            blocks[k] = NULL;
            sizes[k] = 0;
            continue;
        }
        size_t size = any_size(&seed), both = size < sizes[k] ? size : sizes[k];
        blocks[k] = tdi_heap_resize(&heap, blocks[k], size);
        taken = taken && blocks[k];
        if (!taken) {
            break;
        }
        kept = kept && filled_with(blocks[k], both, (unsigned char)k);
        aligned = aligned && (uintptr_t)blocks[k] % 16 == 0;
        memset(blocks[k], (int)k, size);
        sizes[k] = size;
    }
    CHECK(kept && aligned && taken);
    free(r.bytes);
}

// all that was given back is one block again: nothing is lost, in whichever order it came back
TD_TEST(heap_that_is_empty_again_has_all_its_memory_in_one_block) {
    room r = {malloc(ROOM), 0, ROOM};
    tdi_heap heap = {.more = more, .context = &r};
    void *blocks[COUNT];
    uint32_t seed = 7;
    CHECK(r.bytes);
    for (int k = 0; k < COUNT; k++) {
        blocks[k] = tdi_heap_take(&heap, any_size(&seed));
        CHECK(blocks[k]);
    }
    for (int k = 0; k < COUNT; k++) {
        tdi_heap_give(&heap, blocks[k * 77 % COUNT]);
    }
    size_t used = r.used;
    r.limit = used;
    void *all = tdi_heap_take(&heap, used - 64);
    CHECK(all);
    CHECK(r.used == used);
    free(r.bytes);
}

TD_TEST(heap_without_memory_refuses_and_stays_whole) {
    room r = {malloc(ROOM), 0, 3 * STEP};
    tdi_heap heap = {.more = more, .context = &r};
    char *block = r.bytes ? tdi_heap_take(&heap, 100) : NULL;
    CHECK(block);
    if (block) {
        memset(block, 5, 100);
        CHECK(!tdi_heap_take(&heap, ROOM));
        CHECK(!tdi_heap_take(&heap, SIZE_MAX));
        CHECK(!tdi_heap_resize(&heap, block, ROOM));
        CHECK(!tdi_heap_resize(&heap, block, SIZE_MAX - 8));
        CHECK(filled_with((unsigned char *)block, 100, 5));
        CHECK(tdi_heap_take(&heap, STEP));
    }
    free(r.bytes);
}
