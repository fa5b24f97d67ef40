// SPDX-License-Identifier: MIT
#pragma once

// The random numbers of a derivation: the library's own, or for ran() and its kin those that cpfg
// draws, so that its models grow as they do there.

#include "base/random.h"

typedef struct tdi_dice {
    tdi_random own; // also what chooses among productions
    bool cpfg;      // ran() and its kin are cpfg's
    uint64_t state; // of POSIX's erand48
    bool holds;     // a second normal number, made with the first
    double held;
} tdi_dice;

// Without a seed cpfg's numbers start as cpfg does: with seed 0 and a held normal number of 0.
void tdi_dice_start(tdi_dice *dice, bool cpfg, int64_t seed); // TD_SEED_FROM_TEXT: without
void tdi_dice_seed(tdi_dice *dice, uint64_t seed);            // srand()
double tdi_dice_uniform(tdi_dice *dice);                      // in [0, 1)
double tdi_dice_normal(tdi_dice *dice);                       // mean 0, deviation 1
double tdi_dice_beta(tdi_dice *dice, double a, double b);     // a, b > 0
int64_t tdi_dice_binomial(tdi_dice *dice, int64_t n, double p);
