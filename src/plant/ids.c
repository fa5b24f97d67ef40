// SPDX-License-Identifier: MIT
// Ids of segments that stay while a plant grows.
//
// Method   A module's name is the path of modules that made it, hashed, with the step in which it
//          was made above; a segment's is that of its module, and of its number among those of that
//          module. An id is 31 bits of the name. Where two names want the same one, the older has
//          it and the younger takes the next that is free: what grows later does not disturb what
//          was there before.

#include "plant/store.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "plant/sort.h"

#define ID_MAX 0x7fffffffu

td_status tdi_builder_name(td_builder *b, uint64_t name, int32_t part, td_diag *diag) {
    uint64_t *names = tdi_array_reserve(b->store.alloc, b->names, &b->name_capacity,
                                        b->name_count + 1, sizeof *names);
    if (!names) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the names of segments");
    }
    b->names = names;
    const uint64_t path = (name + (uint64_t)part * 0x9e3779b97f4a7c15u) & 0xffffffffffffu;
    names[b->name_count++] = (name >> 48 << 48) | path;
    return TD_OK;
}

// Takes an id for good; open addressing, 0 is an empty entry.
static uint32_t take(uint32_t *taken, size_t mask, uint32_t id) {
    for (;; id = (id + 1) & ID_MAX) {
        size_t at = (size_t)(id * 0x9e3779b1u) & mask;
        while (taken[at] != 0 && taken[at] != id + 1) {
            at = (at + 1) & mask;
        }
        if (taken[at] == 0) {
            taken[at] = id + 1;
            return id;
        }
    }
}

td_status tdi_builder_make_ids(td_builder *b, td_diag *diag) {
    const tdi_store *store = &b->store;
    const int32_t n = store->segment_count;
    if (n == 0 || b->name_count != n) {
        return TD_OK;
    }
    size_t room = 16;
    while (room < 2 * (size_t)n) {
        room *= 2;
    }
    uint64_t *keys = tdi_alloc_zeroed(store->alloc, (size_t)n, sizeof *keys);
    uint32_t *taken = tdi_alloc_zeroed(store->alloc, room, sizeof *taken);
    td_status status = keys && taken ? TD_OK : TD_ERR_MEMORY;
    for (int32_t i = 0; i < n && status == TD_OK; i++) { // oldest first, then by name
        keys[i] = b->names[i] >> 32 << 32 | (uint32_t)i;
    }
    if (status == TD_OK) {
        tdi_sort_keys(keys, n);
    }
    for (int32_t k = 0; k < n && status == TD_OK; k++) {
        const int32_t i = (int32_t)(keys[k] & 0xffffffffu);
        store->segments[i].id = (int32_t)take(taken, room - 1, (uint32_t)b->names[i] & ID_MAX);
        b->has_ids = true;
    }
    tdi_alloc_free(store->alloc, keys, (size_t)n * sizeof *keys);
    tdi_alloc_free(store->alloc, taken, room * sizeof *taken);
    return status == TD_OK ? TD_OK
                           : tdi_fail(diag, status, "out of memory for the ids of segments");
}
