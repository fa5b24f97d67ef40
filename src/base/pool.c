// SPDX-License-Identifier: MIT
// A small pool of threads.
//
// Method   One loop at a time. Turns are handed out by a counter under the lock, in blocks so that
//          the lock is rarely taken; the caller works too and then waits for the last block.

#include "base/pool.h"

#include "base/alloc.h"
#include "base/guard.h"

#ifdef TDI_NO_THREADS

struct td_pool {
    const td_alloc *alloc;
};

td_status td_pool_new(int32_t threads, const td_alloc *alloc, td_pool **out) {
    TDI_CLEAR(out);
    if (!out) {
        return TD_ERR_ARGUMENT;
    }
    if (threads < 1) {
        return TD_ERR_ARGUMENT;
    }
    *out = tdi_alloc_zeroed(alloc, 1, sizeof(td_pool));
    if (!*out) {
        return TD_ERR_MEMORY;
    }
    (*out)->alloc = alloc;
    return TD_OK;
}

void td_pool_free(td_pool *pool) {
    if (pool) {
        tdi_alloc_free(pool->alloc, pool, sizeof *pool);
    }
}

int32_t td_pool_threads(const td_pool *pool) {
    (void)pool;
    return 1;
}

void tdi_pool_run(td_pool *pool, int64_t count,
                  void (*turn)(void *context, int64_t i, int32_t thread), void *context) {
    (void)pool;
    for (int64_t i = 0; i < count; i++) {
        turn(context, i, 0);
    }
}

#else

#include <pthread.h>

#define MAX_THREADS     256
#define BLOCKS_A_THREAD 8 // enough blocks that a slow turn does not leave the others idle

struct td_pool {
    const td_alloc *alloc;
    size_t size; // of this block
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

td_status td_pool_new(int32_t threads, const td_alloc *alloc, td_pool **out) {
    TDI_CLEAR(out);
    if (!out) {
        return TD_ERR_ARGUMENT;
    }
    if (threads < 1 || threads > MAX_THREADS) {
        return TD_ERR_ARGUMENT;
    }
    size_t size = sizeof(td_pool) + (size_t)threads * sizeof(pthread_t);
    td_pool *pool = tdi_alloc_zeroed(alloc, size, 1);
    if (!pool) {
        return TD_ERR_MEMORY;
    }
    pool->alloc = alloc;
    pool->size = size;
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
    *out = pool;
    return TD_OK;
}

void td_pool_free(td_pool *pool) {
    if (!pool) {
        return;
    }
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
    tdi_alloc_free(pool->alloc, pool, pool->size);
}

int32_t td_pool_threads(const td_pool *pool) {
    return pool ? pool->worker_count + 1 : 1;
}

void tdi_pool_run(td_pool *pool, int64_t count,
                  void (*turn)(void *context, int64_t i, int32_t thread), void *context) {
    pthread_mutex_lock(&pool->lock);
    pool->turn = turn;
    pool->context = context;
    pool->count = count;
    pool->next = 0;
    pool->block = count / (BLOCKS_A_THREAD * (pool->worker_count + 1)) + 1;
    pool->loop++;
    pthread_cond_broadcast(&pool->work);
    take_blocks(pool, 0);
    while (pool->busy > 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

#endif

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
