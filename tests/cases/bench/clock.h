// SPDX-License-Identifier: MIT
#pragma once

// How all benchmarks are timed, ours and those of other engines in bench/peers: C and C++.
//
// Method   After a run to warm up, batches of runs long enough for the clock are repeated until
//          the time is spent, and the fastest counts: on a shared machine the others measure the
//          neighbours.

#include <stdbool.h>
#include <time.h>

#define BENCH_BATCH 2e-4 // s: ten thousand times what reading the clock takes

typedef struct bench_work {
    void (*prepare)(void *context); // before each run and not timed; may be NULL
    bool (*run)(void *context);     // false ends it: the run failed
    void *context;
} bench_work;

static inline double bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Seconds of `count` runs together; negative when one failed.
static inline double bench_batch(const bench_work *work, long count) {
    if (work->prepare) {
        work->prepare(work->context);
    }
    double start = bench_now();
    for (long i = 0; i < count; i++) {
        if (!work->run(work->context)) {
            return -1;
        }
    }
    return bench_now() - start;
}

// Seconds of the fastest run; negative when one failed. A first run that takes longer than
// `budget` is not repeated.
static inline double bench_fastest(const bench_work *work, double budget) {
    double start = bench_now();
    double best = bench_batch(work, 1);
    long count = 1;
    // what must be prepared each time cannot run in batches
    if (!work->prepare && best >= 0 && best < BENCH_BATCH) {
        count = 1 + (long)(BENCH_BATCH / (best > 1e-9 ? best : 1e-9));
    }
    while (best >= 0 && bench_now() - start < budget) {
        double seconds = bench_batch(work, count);
        if (seconds < 0) {
            return seconds;
        }
        best = seconds / (double)count < best ? seconds / (double)count : best;
    }
    return best;
}
