// SPDX-License-Identifier: MIT
#pragma once

// What the cases of `tendril validate` take down step by step: passes through zero, energies.

#include <stdint.h>

struct val_report;

// ---- passes ---------------------------------------------------------------------------------

// Upward passes of something that sways. Starts as {0}.
typedef struct val_passes {
    double first, last;         // s: when it passed zero
    double time_before, before; // s, and the height then
    int32_t seen, count;
} val_passes;

void val_passes_add(val_passes *passes, double time, double height);
double val_passes_rate(const val_passes *passes); // Hz; not a number of fewer than two

// ---- energies -------------------------------------------------------------------------------

#define VAL_MOST_A_SECOND 240

// The worst of all runs, each over the energy that was put in at its start.
typedef struct val_losses {
    double rise;   // above the least before it
    double above;  // above the start
    double second; // from any moment to a second later
    double mean;   // of the mean of any second, above that of the second before
} val_losses;

// Energies of one run, step by step.
typedef struct val_ledger {
    double start, least, put_in;
    double past[2 * VAL_MOST_A_SECOND]; // of the last two seconds
    double sum, sum_before;             // of the last second, and of the one before
    int32_t a_second, count;
} val_ledger;

// A start below rest would turn every gain into a loss: its figures are not numbers.
val_ledger val_ledger_open(double energy, double put_in, double dt);
void val_ledger_add(val_ledger *ledger, double energy, val_losses *worst);

// Rows for what backward Euler and BDF2 did to the energy of `count` things, at steps of
// 1/a_second.
void val_losses_rows(struct val_report *report, int32_t count, int a_second,
                     const val_losses *euler, const val_losses *implicit);
