// SPDX-License-Identifier: MIT
#pragma once

// The chain of `tendril bench constraints`, which programs of other engines share. C and C++.

#include <stdint.h>

#define BENCH_HELD_STEPS     10
#define BENCH_HELD_RATE      240   // steps a second
#define BENCH_HELD_LENGTH    0.01  // m, of a body
#define BENCH_HELD_RADIUS    0.001 // m
#define BENCH_HELD_DENSITY   900.0 // kg/m^3: about that of green wood
#define BENCH_HELD_STIFFNESS 1e-5  // N m/rad, of a joint
#define BENCH_HELD_DAMPING   1e-7  // N m s/rad
#define BENCH_HELD_BEND      1.2   // rad, between two bodies of a zigzag

// How a body is turned about z against the one before; the first lies along +x, about.
static inline double bench_held_turn(int32_t i) {
    const double half_pi = 1.57079632679489661923;
    return i == 0 ? -half_pi + 0.5 * BENCH_HELD_BEND : (i % 2 ? -BENCH_HELD_BEND : BENCH_HELD_BEND);
}
