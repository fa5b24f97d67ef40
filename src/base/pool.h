// SPDX-License-Identifier: MIT
#pragma once

// A small pool of threads for loops whose turns do not depend on each other. Which thread takes
// which turn is not fixed; what a turn writes must not depend on it.

#include "tendril/base.h"

typedef struct tdi_pool tdi_pool;

// `threads` in all, the caller's included; 1 makes none, and so does a build without threads.
td_status tdi_pool_new(int32_t threads, const td_alloc *alloc, tdi_pool **out);
void tdi_pool_free(tdi_pool *pool); // NULL is allowed
int32_t tdi_pool_threads(const tdi_pool *pool);

// Calls turn(context, i) for every i in [0, count) and returns when all are done. Not to be called
// from within a turn of the same pool.
void tdi_pool_run(tdi_pool *pool, int64_t count, void (*turn)(void *context, int64_t i),
                  void *context);
