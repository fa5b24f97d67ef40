// SPDX-License-Identifier: MIT
// Random numbers as cpfg draws them.
//
// Method   POSIX's 48-bit generator x' = (0x5DEECE66D x + 0xB) mod 2^48, seeded with
//          seed * 2^16 + 0x330E; normal numbers in pairs by the polar method of Marsaglia and Bray
//          (1964), beta numbers by Cheng's rejection (1978), binomial ones by counting.

#include "grammar/dice.h"

#include "tendril/grammar.h"

#include <math.h>

#define MASK      ((UINT64_C(1) << 48) - 1)
#define MAX_TRIES 10000 // of a rejection; each fails with a chance below one half

void tdi_dice_seed(tdi_dice *dice, uint64_t seed) {
    if (!dice->cpfg) {
        tdi_random_seed(&dice->own, seed);
    }
    dice->state = ((seed << 16) | 0x330E) & MASK;
    dice->holds = false;
}

void tdi_dice_start(tdi_dice *dice, bool cpfg, int64_t seed) {
    uint64_t start = seed == TD_SEED_FROM_TEXT ? 0 : (uint64_t)seed;
    *dice = (tdi_dice){.cpfg = cpfg};
    tdi_random_seed(&dice->own, start);
    tdi_dice_seed(dice, start);
    dice->holds = seed == TD_SEED_FROM_TEXT;
}

double tdi_dice_uniform(tdi_dice *dice) {
    if (!dice->cpfg) {
        return tdi_random_uniform(&dice->own);
    }
    dice->state = (dice->state * UINT64_C(0x5DEECE66D) + 0xB) & MASK;
    return (double)dice->state * 0x1p-48;
}

double tdi_dice_normal(tdi_dice *dice) {
    if (!dice->cpfg) {
        return tdi_random_normal(&dice->own);
    }
    if (dice->holds) {
        dice->holds = false;
        return dice->held;
    }
    double u, v, r;
    int tries = 0;
    do {
        u = 2 * tdi_dice_uniform(dice) - 1;
        v = 2 * tdi_dice_uniform(dice) - 1;
        r = u * u + v * v;
    } while ((r >= 1 || r == 0) && ++tries < MAX_TRIES);
    double scale = sqrt(-2 * tdi_exact_log(r) / r);
    dice->held = u * scale;
    dice->holds = true;
    return v * scale;
}

static double above_0(tdi_dice *dice) {
    double u;
    do {
        u = tdi_dice_uniform(dice);
    } while (u == 0);
    return u;
}

double tdi_dice_beta(tdi_dice *dice, double a, double b) {
    if (!dice->cpfg) {
        return tdi_random_beta(&dice->own, a, b);
    }
    double least = a < b ? a : b, sum = a + b, y = a;
    double lambda = least <= 1 ? least : sqrt((2 * a * b - sum) / (sum - 2));
    for (int tries = 0; tries < MAX_TRIES; tries++) {
        double u = above_0(dice), v = above_0(dice);
        double w = tdi_exact_log(u / (1 - u)) / lambda;
        y = a * exp(w);
        if (sum * tdi_exact_log(sum / (b + y)) + (a + lambda) * w - tdi_exact_log(4) >=
            tdi_exact_log(u * u * v)) {
            break;
        }
    }
    return y / (b + y);
}

int64_t tdi_dice_binomial(tdi_dice *dice, int64_t n, double p) {
    if (!dice->cpfg) {
        return tdi_random_binomial(&dice->own, n, p);
    }
    int64_t hits = 0;
    for (int64_t i = 0; i < n; i++) {
        hits += tdi_dice_uniform(dice) <= p;
    }
    return hits;
}
