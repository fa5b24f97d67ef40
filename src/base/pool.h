// SPDX-License-Identifier: MIT
#pragma once

// Loops on all threads of a pool whose iterations share memory of their thread.

#include "tendril/pool.h"

// td_pool_run(), with the number of the thread, from 0, that takes an iteration.
void tdi_pool_run(td_pool *pool, int64_t count,
                  void (*turn)(void *context, int64_t i, int32_t thread), void *context);

// ---- loops that are cut into turns ----------------------------------------------------------

#define TDI_TURNS      32 // at most,
#define TDI_TURN_LEAST 64 // of so many iterations at least

// Loops are cut the same way for any number of threads, so that sums have the same bits.
static inline int32_t tdi_turns_of(int32_t count) {
    const int32_t turns = count / TDI_TURN_LEAST;
    return turns < 1 ? 1 : turns < TDI_TURNS ? turns : TDI_TURNS;
}

typedef struct tdi_turn_part { // of a turn: its first iteration, and one past its last
    int32_t first, last;
} tdi_turn_part;

static inline tdi_turn_part tdi_turn_part_of(int32_t count, int64_t turn) {
    const int32_t turns = tdi_turns_of(count);
    return (tdi_turn_part){(int32_t)(turn * count / turns), (int32_t)((turn + 1) * count / turns)};
}

// Takes all turns on all threads; NULL: on this one.
void tdi_pool_turns(td_pool *pool, int32_t turns, void (*turn)(void *context, int64_t turn),
                    void *context);
