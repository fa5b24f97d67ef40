// SPDX-License-Identifier: MIT
#pragma once

// What the programs of other engines share: the trees, the rows, the main function. C and C++.
//
// Measured is one evaluation of all joint accelerations from positions and velocities, kinematics
// included, under gravity, without springs (not every engine has them at ball joints). Positions
// and velocities are set anew before each evaluation, from two states in turn, so that nothing
// kept from the last one can be used again.

#include "cli/bench_clock.h"
#include "cli/bench_shape.h"

#include <stdio.h>
#include <string.h>

#define PEER_SHOWN 100 // bodies: where accelerations are printed, to see that all do the same

typedef struct peer_tree {
    int32_t count;
    const bench_place *places;
    const bench_motion *motions[2];
} peer_tree;

// One engine.
typedef struct peer {
    char name[32]; // with its version
    // NULL when the engine cannot do it. The tree outlives what is made.
    void *(*make)(const peer_tree *tree);
    void (*evaluate)(void *made, int state); // motions[state]
    // 3 a body: of the relative turning rates, in the axes of parent or child
    void (*accelerations)(void *made, double *accel);
    void (*release)(void *made);
} peer;

// ---- measuring ------------------------------------------------------------------------------

typedef struct peer_run {
    const peer *engine;
    void *made;
    int state;
} peer_run;

static inline bool peer_evaluate(void *context) {
    peer_run *r = (peer_run *)context;
    r->state = 1 - r->state;
    r->engine->evaluate(r->made, r->state);
    return true;
}

static inline void peer_row(const peer *engine, bench_shape shape, int32_t n, double value,
                            const char *unit) {
    printf("{\"case\":\"forward\",\"variant\":\"%s, %s\",\"n\":%d,\"value\":%.6g,"
           "\"unit\":\"%s\"}\n",
           bench_shape_name(shape), engine->name, n, value, unit);
    fflush(stdout);
}

static inline bool peer_measure(const peer *engine, bench_shape shape, const peer_tree *tree,
                                double seconds) {
    peer_run r = {engine, engine->make(tree), 1};
    double *accel = (double *)calloc(3 * (size_t)tree->count, sizeof(double));
    bool fine = r.made && accel;
    if (fine) {
        bench_work work = {NULL, peer_evaluate, &r};
        double fastest = bench_fastest(&work, seconds);
        peer_row(engine, shape, tree->count, 1e9 * fastest / tree->count, "ns/body");
        engine->evaluate(r.made, 0);
        engine->accelerations(r.made, accel);
        if (tree->count == PEER_SHOWN) {
            peer_row(engine, shape, tree->count, bench_rms(accel, tree->count), "rad/s^2");
        }
    }
    if (r.made) {
        engine->release(r.made);
    }
    free(accel);
    return fine;
}

static inline bool peer_shape(const peer *engine, bench_shape shape, int32_t n, double seconds) {
    bench_place *places = (bench_place *)malloc((size_t)n * sizeof *places);
    bench_motion *motions = (bench_motion *)malloc(2 * (size_t)n * sizeof *motions);
    bool fine = places && motions && bench_places(shape, n, places);
    if (fine) {
        bench_motions(n, 1, motions);
        bench_motions(n, -1, motions + n);
        peer_tree tree = {n, places, {motions, motions + n}};
        fine = peer_measure(engine, shape, &tree, seconds);
    }
    free(places);
    free(motions);
    return fine;
}

// ---- entry ----------------------------------------------------------------------------------

// PROGRAM [--seconds S]
static inline int peer_main(const peer *engine, int argc, char **argv) {
    double seconds = argc == 3 && strcmp(argv[1], "--seconds") == 0 ? atof(argv[2]) : 1;
    for (int shape = BENCH_CHAIN; shape <= BENCH_BINARY; shape++) {
        for (int32_t n = 10; n <= 1000; n *= 10) {
            if (!peer_shape(engine, (bench_shape)shape, n, seconds)) {
                fprintf(stderr, "%s: %s of %d bodies failed\n", engine->name,
                        bench_shape_name((bench_shape)shape), n);
                return 1;
            }
        }
    }
    return 0;
}
