// SPDX-License-Identifier: MIT
// Islands that a program makes itself: a system with its own memory.

#include "base/alloc.h"
#include "base/diag.h"
#include "implicit/touch.h"

struct td_island {
    const td_alloc *alloc;
    tdi_touch *touch;
    void *began; // room for where a step began that is taken in halves
    size_t began_bytes;
    int32_t count;
    tdi_member member[];
};

static size_t bytes_of(int32_t count) {
    return sizeof(td_island) + (size_t)count * sizeof(tdi_member);
}

td_status td_island_new(const td_state_ref *states, int32_t count, const td_contact_opts *opts,
                        int32_t collider_limit, const td_alloc *alloc, td_island **out,
                        td_diag *diag) {
    *out = NULL;
    if (count < 1 || !states) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "an island of %d states; it needs at least one",
                        (int)count);
    }
    td_island *island = tdi_alloc_zeroed(alloc, 1, bytes_of(count));
    if (!island) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for an island");
    }
    island->alloc = alloc;
    island->count = count;
    for (int32_t k = 0; k < count; k++) {
        island->member[k] = (tdi_member){.ops = states[k].solver, .body = states[k].state};
    }
    td_status status =
        tdi_touch_new(island->member, count, opts, collider_limit, alloc, &island->touch, diag);
    const tdi_system all = {.member = island->member, .count = count};
    island->began_bytes = tdi_system_memory(&all);
    if (status == TD_OK) {
        island->began = tdi_alloc_resize(alloc, NULL, 0, island->began_bytes);
        status =
            island->began ? TD_OK : tdi_fail(diag, TD_ERR_MEMORY, "out of memory for an island");
    }
    if (status != TD_OK) {
        td_island_free(island);
        return status;
    }
    *out = island;
    return TD_OK;
}

void td_island_free(td_island *island) {
    if (island) {
        tdi_touch_free(island->touch);
        tdi_alloc_free(island->alloc, island->began, island->began_bytes);
        tdi_alloc_free(island->alloc, island, bytes_of(island->count));
    }
}

// The island with these options, if they are right.
static td_status system_of(td_island *island, const td_step_opts *opts,
                           const td_collider *colliders, int32_t collider_count, tdi_system *system,
                           td_diag *diag) {
    for (int32_t k = 0; k < island->count; k++) {
        island->member[k].opts = &opts[k];
    }
    *system = (tdi_system){.member = island->member,
                           .count = island->count,
                           .touch = island->touch->set ? island->touch : NULL,
                           .colliders = colliders,
                           .collider_count = collider_count};
    if (collider_count < 0 || (collider_count > 0 && !colliders)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "collider_count is %d", (int)collider_count);
    }
    return tdi_system_check(system, diag);
}

td_status td_island_step(td_island *island, const td_step_opts *opts, const td_collider *colliders,
                         int32_t collider_count, td_step_stats *stats, td_diag *diag) {
    td_step_stats none = {0};
    tdi_system system;
    td_status status = system_of(island, opts, colliders, collider_count, &system, diag);
    return status == TD_OK
               ? tdi_system_step(&system, island->began, NULL, stats ? stats : &none, diag)
               : status;
}

td_status td_island_settle(td_island *island, const td_step_opts *opts,
                           const td_collider *colliders, int32_t collider_count,
                           td_step_stats *stats, td_diag *diag) {
    td_step_stats none = {0};
    tdi_system system;
    td_status status = system_of(island, opts, colliders, collider_count, &system, diag);
    return status == TD_OK ? tdi_system_settle(&system, stats ? stats : &none, diag) : status;
}

int32_t td_island_contacts(const td_island *island, td_contact *contacts, int32_t capacity) {
    return tdi_touch_contacts(island->touch, contacts, capacity);
}
