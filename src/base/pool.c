// SPDX-License-Identifier: MIT
// A small pool of threads, or of a program's jobs.
//
// Method   One loop at a time. Threads take turns by an atomic counter, in blocks so that they
//          rarely meet there; the caller works too and then waits for the last block. The number of
//          a job is that of its thread, so that a job system may run any of them anywhere, also all
//          on one thread.
// Waiting  Loops of a simulation follow each other by microseconds, and to wake a thread takes
//          tens of them. So threads of ours look for the next loop for a while before they sleep.
//          A thread is `inside` while it may take turns. It enters before it looks whether the loop
//          is open, and the caller closes the loop before it looks whether anyone is inside: one of
//          them sees the other, since these operations have one order for all threads.

#include "base/pool.h"

#include "base/alloc.h"
#include "base/guard.h"

#include <stdatomic.h>

#define MAX_THREADS     256
#define BLOCKS_A_THREAD 8    // enough blocks that a slow turn does not leave the others idle
#define LOOKS           2000 // for the next loop, of about 40 ns each, before a thread sleeps

static int64_t block_of(int64_t count, int32_t threads) {
    return count / (BLOCKS_A_THREAD * (int64_t)threads) + 1;
}

// ---- a loop ---------------------------------------------------------------------------------

typedef struct loop {
    void (*turn)(void *context, int64_t i, int32_t thread);
    void *context;
    int64_t count, block;
    _Atomic int64_t next;
} loop;

static void take_blocks(loop *l, int32_t thread) {
    int64_t first = atomic_fetch_add(&l->next, l->block);
    while (first < l->count) {
        const int64_t left = l->count - first, most = left < l->block ? left : l->block;
        for (int64_t i = first; i < first + most; i++) {
            l->turn(l->context, i, thread);
        }
        first = atomic_fetch_add(&l->next, l->block);
    }
}

// ---- jobs -----------------------------------------------------------------------------------

static void take_job(void *data, int32_t k) {
    take_blocks(data, k);
}

static void run_jobs(const td_jobs *jobs, int64_t count,
                     void (*turn)(void *context, int64_t i, int32_t thread), void *context) {
    loop l = {turn, context, count, block_of(count, jobs->threads), 0};
    if (count > 0) {
        jobs->run(jobs->context, take_job, &l,
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
    int32_t worker_count;
    loop loop;               // the current one
    _Atomic uint64_t number; // of it
    _Atomic bool open;       // it may have turns left
    _Atomic int32_t inside;  // workers that may take turns
    pthread_mutex_t lock;    // of what follows; atomics are also looked at without it
    pthread_cond_t work;     // a loop has begun, or the pool is closing
    pthread_cond_t done;     // the last worker has left a loop
    _Atomic int32_t asleep;  // workers that wait for work
    _Atomic bool waits;      // the caller waits for workers
    int32_t started;         // workers that have taken their number
    bool closing;
    pthread_t workers[];
};

static inline void rest_a_little(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static void take_part(td_pool *pool, int32_t thread) {
    atomic_fetch_add(&pool->inside, 1);
    if (atomic_load(&pool->open)) {
        take_blocks(&pool->loop, thread);
    }
    if (atomic_fetch_sub(&pool->inside, 1) == 1 && atomic_load(&pool->waits)) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->lock);
    }
}

// Waits for a loop after that of number *seen. False: the pool is closing.
static bool await_loop(td_pool *pool, uint64_t *seen) {
    for (int32_t k = 0; k < LOOKS && atomic_load(&pool->number) == *seen; k++) {
        rest_a_little();
    }
    bool closing = false;
    if (atomic_load(&pool->number) == *seen) {
        pthread_mutex_lock(&pool->lock);
        atomic_fetch_add(&pool->asleep, 1);
        while (atomic_load(&pool->number) == *seen && !pool->closing) {
            pthread_cond_wait(&pool->work, &pool->lock);
        }
        atomic_fetch_sub(&pool->asleep, 1);
        closing = pool->closing;
        pthread_mutex_unlock(&pool->lock);
    }
    *seen = atomic_load(&pool->number);
    return !closing;
}

static void *worker_main(void *argument) {
    td_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    const int32_t thread = ++pool->started; // the caller is thread 0
    pthread_mutex_unlock(&pool->lock);
    while (await_loop(pool, &seen)) {
        take_part(pool, thread);
    }
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

static void open_loop(td_pool *pool) {
    atomic_store(&pool->open, true);
    atomic_fetch_add(&pool->number, 1);
    if (atomic_load(&pool->asleep) > 0) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
    }
}

static void close_loop(td_pool *pool) {
    atomic_store(&pool->open, false);
    for (int32_t k = 0; k < LOOKS && atomic_load(&pool->inside) > 0; k++) {
        rest_a_little();
    }
    if (atomic_load(&pool->inside) > 0) {
        pthread_mutex_lock(&pool->lock);
        atomic_store(&pool->waits, true);
        while (atomic_load(&pool->inside) > 0) {
            pthread_cond_wait(&pool->done, &pool->lock);
        }
        atomic_store(&pool->waits, false);
        pthread_mutex_unlock(&pool->lock);
    }
}

static void run_threads(td_pool *pool, int64_t count,
                        void (*turn)(void *context, int64_t i, int32_t thread), void *context) {
    loop *l = &pool->loop;
    l->turn = turn;
    l->context = context;
    l->count = count;
    l->block = block_of(count, thread_count(pool));
    atomic_store(&l->next, 0);
    if (pool->worker_count > 0) {
        open_loop(pool);
    }
    take_blocks(l, 0);
    if (pool->worker_count > 0) {
        close_loop(pool);
    }
}

#endif

// ---- pools ----------------------------------------------------------------------------------

static td_status make(int32_t threads, const td_jobs *jobs, const td_alloc *alloc, td_pool **out) {
    const size_t size = size_of(threads);
    td_pool *pool = tdi_alloc_zeroed(alloc, size, 1);
    TDI_TRY(pool ? TD_OK : TD_ERR_MEMORY);
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

static td_status make_of(int32_t threads, const td_jobs *jobs, const td_alloc *alloc, td_pool **out,
                         td_diag *diag) {
    if (threads < 1 || threads > MAX_THREADS) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "threads is %d; it must be from 1 to %d",
                        (int)threads, MAX_THREADS);
    }
    const td_status status = make(jobs ? 0 : threads, jobs, alloc, out);
    return status == TD_OK ? TD_OK : tdi_fail(diag, status, "the threads could not be started");
}

td_status td_pool_new(int32_t threads, const td_alloc *alloc, td_pool **out, td_diag *diag) {
    TDI_CLEAR(out);
    return out ? make_of(threads, NULL, alloc, out, diag) : tdi_refuse(diag, __func__);
}

td_status td_pool_from_jobs(const td_jobs *jobs, const td_alloc *alloc, td_pool **out,
                            td_diag *diag) {
    TDI_CLEAR(out);
    return out && jobs && jobs->run ? make_of(jobs->threads, jobs, alloc, out, diag)
                                    : tdi_refuse(diag, __func__);
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

void tdi_pool_turns(td_pool *pool, int32_t turns, void (*turn)(void *context, int64_t turn),
                    void *context) {
    if (pool && turns > 1) {
        td_pool_run(pool, turns, turn, context);
        return;
    }
    for (int32_t k = 0; k < turns; k++) {
        turn(context, k);
    }
}
