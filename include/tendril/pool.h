// SPDX-License-Identifier: MIT
#pragma once

/// @file pool.h
/// A thread pool for loops with independent iterations. Functions that take a pool give the same
/// bits for any number of threads.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_pool
    td_pool; ///< Used by one thread at a time, and never from within an iteration.

/// `threads` in all, the caller's included, 1..256; 1 makes none, and so does a build without
/// threads.
TD_API td_status td_pool_new(int32_t threads, const td_alloc *alloc, td_pool **out);
TD_API void td_pool_free(td_pool *pool); ///< NULL is allowed.
TD_API int32_t td_pool_threads(const td_pool *pool);

/// Calls turn(context, i) for every i in [0, count) and returns when all are done. It is not fixed
/// which thread calls it for which i; the result of a call must not depend on it.
TD_API void td_pool_run(td_pool *pool, int64_t count, void (*turn)(void *context, int64_t i),
                        void *context);

#ifdef __cplusplus
}
#endif
