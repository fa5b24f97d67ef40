// SPDX-License-Identifier: MIT
#pragma once

// Loops on all threads of a pool whose iterations share memory of their thread.

#include "tendril/pool.h"

// td_pool_run(), with the number of the thread, from 0, that takes an iteration.
void tdi_pool_run(td_pool *pool, int64_t count,
                  void (*turn)(void *context, int64_t i, int32_t thread), void *context);
