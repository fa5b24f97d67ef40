// SPDX-License-Identifier: MIT
#pragma once

// The trees on which forward dynamics are timed, and the state they are in: one description for us
// and for the other engines in bench/peers, C and C++, which makes their figures comparable.
//
// Every body is a round bar along +Y on a ball joint, at the tip of its parent or on the ground.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define BENCH_LENGTH  0.1              // m
#define BENCH_RADIUS  0.01             // m
#define BENCH_DENSITY 1000.0           // kg/m^3
#define BENCH_MASS    0.03141592653589 // kg
#define BENCH_GRAVITY 9.81             // m/s^2, along -Y

// Moments of inertia about the centre of mass, kg m^2: across and along the bar.
#define BENCH_ACROSS \
    (BENCH_MASS * (BENCH_RADIUS * BENCH_RADIUS / 4 + BENCH_LENGTH * BENCH_LENGTH / 12))
#define BENCH_ALONG (BENCH_MASS * BENCH_RADIUS * BENCH_RADIUS / 2)

#define BENCH_TURN 0.3 // rad about each axis, at most
#define BENCH_RATE 1.0 // rad/s

typedef enum bench_shape {
    BENCH_CHAIN,
    BENCH_BINARY, // each body carries two, until they are used up
    BENCH_PLANT,  // stems with a side branch on about every second body
} bench_shape;

static inline const char *bench_shape_name(bench_shape shape) {
    static const char *const names[] = {"chain", "binary", "plant"};
    return names[shape];
}

// ---- random numbers -------------------------------------------------------------------------

// splitmix64
static inline double bench_uniform(uint64_t *seed, double low, double high) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * (double)(z >> 11) * 0x1p-53;
}

// ---- topology -------------------------------------------------------------------------------

typedef struct bench_place {
    int32_t parent;  // -1: the ground
    int32_t carried; // bodies of the subtree, itself included
    bool side;       // starts a side branch
} bench_place;

// Of the bodies that a body carries, how many go on a side branch.
static inline int32_t bench_side(bench_shape shape, int32_t carried, uint64_t *seed) {
    if (shape == BENCH_CHAIN || carried < 2) {
        return 0;
    }
    if (shape == BENCH_BINARY) {
        return carried / 2;
    }
    bool branches = bench_uniform(seed, 0, 1) < 0.5;
    int32_t side = 1 + (int32_t)(bench_uniform(seed, 0, 0.4) * carried);
    return branches ? side : 0;
}

// Fills `places`, depth first, as a string of an L-system would. False without memory.
static inline bool bench_places(bench_shape shape, int32_t count, bench_place *places) {
    // what is still to come: side branches are begun first, so it is never more than the depth
    bench_place *stack = (bench_place *)malloc(((size_t)count + 2) * sizeof *stack);
    int32_t height = 0;
    uint64_t seed = 1;
    if (!stack) {
        return false;
    }
    bench_place root = {-1, count, false};
    stack[height++] = root;
    for (int32_t i = 0; i < count; i++) {
        places[i] = stack[--height];
        int32_t rest = places[i].carried - 1;
        int32_t side = bench_side(shape, rest, &seed);
        bench_place onwards = {i, rest - side, false}, aside = {i, side, true};
        if (rest > side) {
            stack[height++] = onwards;
        }
        if (side > 0) {
            stack[height++] = aside;
        }
    }
    free(stack);
    return true;
}

// ---- state ----------------------------------------------------------------------------------

typedef struct bench_motion {
    double turn[3];       // rotation vector of the joint, rad
    double quaternion[4]; // the same: w, x, y, z
    double rate[3];       // relative turning rate in the body's own axes, rad/s
} bench_motion;

// Far from rest and from any symmetry. `sign` -1 gives the mirrored state.
static inline void bench_motions(int32_t count, double sign, bench_motion *motions) {
    uint64_t seed = 2;
    for (int32_t i = 0; i < count; i++) {
        bench_motion *m = &motions[i];
        double square = 0;
        for (int k = 0; k < 3; k++) {
            m->turn[k] = sign * bench_uniform(&seed, -BENCH_TURN, BENCH_TURN);
            m->rate[k] = sign * bench_uniform(&seed, -BENCH_RATE, BENCH_RATE);
            square += m->turn[k] * m->turn[k];
        }
        double angle = sqrt(square);
        m->quaternion[0] = cos(angle / 2);
        for (int k = 0; k < 3; k++) {
            m->quaternion[k + 1] = angle > 0 ? sin(angle / 2) / angle * m->turn[k] : 0;
        }
    }
}

// Root mean square of the joints' accelerations, 3 numbers a body. The same in parent's and
// child's axes, so that engines can be compared.
static inline double bench_rms(const double *accel, int32_t count) {
    double sum = 0;
    for (int32_t i = 0; i < 3 * count; i++) {
        sum += accel[i] * accel[i];
    }
    return sqrt(sum / count);
}
