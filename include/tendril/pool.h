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
TD_API td_status td_pool_new(int32_t threads, const td_alloc *alloc, td_pool **out, td_diag *diag);

/// A job system of the program, in place of threads of ours. Zero: none.
typedef struct td_jobs {
    /// Calls job(data, k) once for every k from 0 to count - 1, on any threads, in any order and at
    /// the same time, and returns when all have returned. One after the other is allowed. It is
    /// called by the thread that uses the pool, and never from within a job.
    void (*run)(void *context, void (*job)(void *data, int32_t k), void *data, int32_t count);
    void *context;
    int32_t threads; ///< Jobs at once at most, 1..256: `count` is never above it.
} td_jobs;

/// A pool without threads of its own: its loops are cut into jobs for `jobs`, which is copied.
TD_API td_status td_pool_from_jobs(const td_jobs *jobs, const td_alloc *alloc, td_pool **out,
                                   td_diag *diag);
TD_API void td_pool_free(td_pool *pool);             ///< NULL is allowed.
TD_API int32_t td_pool_threads(const td_pool *pool); ///< Or jobs at once; 1 for NULL.

/// Calls turn(context, i) for every i in [0, count) and returns when all are done. It is not fixed
/// which thread calls it for which i; the result of a call must not depend on it.
TD_API void td_pool_run(td_pool *pool, int64_t count, void (*turn)(void *context, int64_t i),
                        void *context);

#ifdef __cplusplus
}
#endif
