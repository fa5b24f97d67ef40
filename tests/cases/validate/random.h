// SPDX-License-Identifier: MIT
#pragma once

// Random numbers from a fixed seed, for cases of `tendril validate` and for tests.

#include "tendril/base.h"

#include <math.h>

typedef struct val_random {
    uint64_t state;
} val_random;

// splitmix64
static inline uint64_t val_random_bits(val_random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double val_uniform(val_random *random, double low, double high) {
    return low + (high - low) * (double)(val_random_bits(random) >> 11) * 0x1p-53;
}

static inline double val_log_uniform(val_random *random, double low, double high) { // 0 < low
    return low * pow(high / low, val_uniform(random, 0, 1));
}

static inline int32_t val_below(val_random *random, int32_t count) { // 0 .. count - 1
    return (int32_t)(val_uniform(random, 0, 1) * count);
}

// A vector no longer than the radius: points of the cube until one lies in the ball
static inline td_vec3 val_in_ball(val_random *random, double radius) {
    for (;;) {
        td_vec3 v;
        v.x = val_uniform(random, -1, 1);
        v.y = val_uniform(random, -1, 1);
        v.z = val_uniform(random, -1, 1);
        double square = v.x * v.x + v.y * v.y + v.z * v.z;
        if (square <= 1 && square > 0) {
            return (td_vec3){radius * v.x, radius * v.y, radius * v.z};
        }
    }
}

static inline td_quat val_turn(td_vec3 v) { // by |v| about v
    double angle = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    double s = angle > 0 ? sin(angle / 2) / angle : 0.5;
    return (td_quat){cos(angle / 2), s * v.x, s * v.y, s * v.z};
}
