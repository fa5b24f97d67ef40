// SPDX-License-Identifier: MIT
// A small pool of threads, or of a program's jobs.
//
// Method   One loop at a time. Threads of ours get turns by a counter under the lock, in blocks so
//          that the lock is rarely taken; the caller works too and then waits for the last block.
//          Jobs take blocks by an atomic counter. The number of a job is that of its thread, so
//          that a job system may run any of them anywhere, also all on one thread.

#include "base/pool.h"

#include "base/alloc.h"
#include "base/guard.h"

#include <stdatomic.h>

#define MAX_THREADS     256
#define BLOCKS_A_THREAD 8 // enough blocks that a slow turn does not leave the others idle

static int64_t block_of(int64_t count, int32_t threads) {
    return count / (BLOCKS_A_THREAD * (int64_t)threads) + 1;
}

// ---- jobs -----------------------------------------------------------------------------------

typedef struct job_loop {
    void (*turn)(void *context, int64_t i, int32_t thread);
    void *context;
    int64_t count, block;
    _Atomic int64_t next;
} job_loop;

static void take_job(void *data, int32_t k) {
    job_loop *loop = data;
    int64_t first = atomic_fetch_add(&loop->next, loop->block);
    while (first < loop->count) {
        const int64_t left = loop->count - first, most = left < loop->block ? left : loop->block;
        for (int64_t i = first; i < first + most; i++) {
            loop->turn(loop->context, i, k);
        }
        first = atomic_fetch_add(&loop->next, loop->block);
    }
}

static void run_jobs(const td_jobs *jobs, int64_t count,
                     void (*turn)(void *context, int64_t i, int32_t thread), void *context) {
    job_loop loop = {turn, context, count, block_of(count, jobs->threads), 0};
    if (count > 0) {
        jobs->run(jobs->context, take_job, &loop,
                  count < jobs->threads ? (int32_t)count : jobs->threads);
    }
}

// ---- threads --------------------------------------------------------------------------------

#ifdef TDI_NO_THREADS

struct td_pool {
    const td_alloc *alloc;
    size_t size;  // of this block
    td_jobs jobs; // zero: none
};

static void start(td_pool *pool, int32_t threads) {
    (void)pool, (void)threads;
}

static void stop(td_pool *pool) {
    (void)pool;
}

static int32_t thread_count(const td_pool *pool) {
    (void)pool;
    return 1;
}

static size_t size_of(int32_t threads) {
    (void)threads;
    return sizeof(td_pool);
}

static void run_threads(td_pool *pool, int64_t count,
                        void (*turn)(void *context, int64_t i, int32_t thread), void *context) {
    (void)pool;
    for (int64_t i = 0; i < count; i++) {
        turn(context, i, 0);
    }
}

#else
#include <pthread.h>

struct td_pool {
    const td_alloc *alloc;
    size_t size;  // of this block
    td_jobs jobs; // zero: its own threads
    pthread_mutex_t lock;
    pthread_cond_t work; // a loop has begun, or the pool is closing
    pthread_cond_t done; // the last block of a loop has ended
    int32_t worker_count;
    int32_t started; // workers that have taken their number
    bool closing;
    uint64_t loop; // number of the current loop
    int64_t count, next, block, busy;
    void (*turn)(void *context, int64_t i, int32_t thread);
    void *context;
    pthread_t workers[];
};

// takes blocks until none is left; called and returns with the lock held
static void take_blocks(td_pool *pool, int32_t thread) {
    while (pool->next < pool->count) {
        int64_t first = pool->next;
        int64_t last = first + pool->block;
        last = last < pool->count ? last : pool->count;
        pool->next = last;
        pool->busy++;
        pthread_mutex_unlock(&pool->lock);
        for (int64_t i = first; i < last; i++) {
            pool->turn(pool->context, i, thread);
        }
        pthread_mutex_lock(&pool->lock);
        pool->busy--;
    }
    if (pool->busy == 0) {
        pthread_cond_signal(&pool->done);
    }
}

static void *worker_main(void *argument) {
    td_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    const int32_t thread = ++pool->started; // the caller is thread 0
    while (!pool->closing) {
        if (pool->loop == seen) {
            pthread_cond_wait(&pool->work, &pool->lock);
            continue;
        }
        seen = pool->loop;
        take_blocks(pool, thread);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void start(td_pool *pool, int32_t threads) {
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (int32_t i = 0; i < threads - 1; i++) {
        // fewer threads than asked for still do the work
        if (pthread_create(&pool->workers[i], NULL, worker_main, pool) != 0) {
            break;
        }
        pool->worker_count++;
    }
}

static void stop(td_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int32_t i = 0; i < pool->worker_count; i++) {
        pthread_join(pool->workers[i], NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
}

static int32_t thread_count(const td_pool *pool) {
    return pool->worker_count + 1;
}

static size_t size_of(int32_t threads) {
    return sizeof(td_pool) + (size_t)threads * sizeof(pthread_t);
}

static void run_threads(td_pool *pool, int64_t count,
                        void (*turn)(void *context, int64_t i, int32_t thread), void *context) {
    pthread_mutex_lock(&pool->lock);
    pool->turn = turn;
    pool->context = context;
    pool->count = count;
    pool->next = 0;
    pool->block = block_of(count, thread_count(pool));
    pool->loop++;
    pthread_cond_broadcast(&pool->work);
    take_blocks(pool, 0);
    while (pool->busy > 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

#endif

// ---- pools ----------------------------------------------------------------------------------

static td_status make(int32_t threads, const td_jobs *jobs, const td_alloc *alloc, td_pool **out) {
    const size_t size = size_of(threads);
    td_pool *pool = tdi_alloc_zeroed(alloc, size, 1);
    if (!pool) {
        return TD_ERR_MEMORY;
    }
    pool->alloc = alloc;
    pool->size = size;
    if (jobs) {
        pool->jobs = *jobs;
    } else {
        start(pool, threads);
    }
    *out = pool;
    return TD_OK;
}

td_status td_pool_new(int32_t threads, const td_alloc *alloc, td_pool **out) {
    TDI_CLEAR(out);
    return out && threads >= 1 && threads <= MAX_THREADS ? make(threads, NULL, alloc, out)
                                                         : TD_ERR_ARGUMENT;
}

td_status td_pool_from_jobs(const td_jobs *jobs, const td_alloc *alloc, td_pool **out) {
    TDI_CLEAR(out);
    if (!out || !jobs || !jobs->run || jobs->threads < 1 || jobs->threads > MAX_THREADS) {
        return TD_ERR_ARGUMENT;
    }
    return make(0, jobs, alloc, out);
}

void td_pool_free(td_pool *pool) {
    if (!pool) {
        return;
    }
    if (!pool->jobs.run) {
        stop(pool);
    }
    tdi_alloc_free(pool->alloc, pool, pool->size);
}

int32_t td_pool_threads(const td_pool *pool) {
    return !pool ? 1 : pool->jobs.run ? pool->jobs.threads : thread_count(pool);
}

// ---- loops ----------------------------------------------------------------------------------

void tdi_pool_run(td_pool *pool, int64_t count,
                  void (*turn)(void *context, int64_t i, int32_t thread), void *context) {
    if (pool->jobs.run) {
        run_jobs(&pool->jobs, count, turn, context);
    } else {
        run_threads(pool, count, turn, context);
    }
}

typedef struct plain_turn {
    void (*turn)(void *context, int64_t i);
    void *context;
} plain_turn;

static void take_plain_turn(void *context, int64_t i, int32_t thread) {
    const plain_turn *t = context;
    (void)thread;
    t->turn(t->context, i);
}

void td_pool_run(td_pool *pool, int64_t count, void (*turn)(void *context, int64_t i),
                 void *context) {
    plain_turn plain = {turn, context};
    if (!pool || !turn) {
        return;
    }
    tdi_pool_run(pool, count, take_plain_turn, &plain);
}
