// SPDX-License-Identifier: MIT
#pragma once

// Seeded random numbers, the same on every platform: xoshiro256** (Blackman and Vigna 2018) filled
// by splitmix64, and distributions built from exact operations only, so that no libm can differ.

#include "tendril/base.h"

typedef struct tdi_random {
    uint64_t s[4];
} tdi_random;

void tdi_random_seed(tdi_random *random, uint64_t seed);
uint64_t tdi_random_bits(tdi_random *random);
double tdi_random_uniform(tdi_random *random);                        // in [0, 1)
double tdi_random_normal(tdi_random *random);                         // mean 0, deviation 1
double tdi_random_beta(tdi_random *random, double a, double b);       // a, b > 0
int64_t tdi_random_binomial(tdi_random *random, int64_t n, double p); // cost grows with log n

// The logarithm of x > 0 from exact operations only, to a few units in the last place.
double tdi_exact_log(double x);
