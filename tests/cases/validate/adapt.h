// SPDX-License-Identifier: MIT
#pragma once

// What the cases of adaptive dynamics share: trees with their assembly trees.

#include "cases/validate/validate.h"

typedef struct val_trial {
    val_body tree;
    td_adapt *adapt;
    double *accel, *other; // a degree of freedom
    bool *active;          // a joint
    double *metric;
} val_trial;

void val_trial_close(val_trial *trial);
// A random tree in a random state, rooted or floating, on a balanced or a random assembly.
void val_trial_open(val_report *report, val_random *random, int32_t number, val_trial *trial);
// The assembly of a tree that is there; closes it when it fails.
void val_trial_adapt(val_report *report, const td_adapt_opts *opts, val_trial *trial);
// Uniform links of 0.1 m and 0.1 kg in a plane without springs, hanging when all angles are 0.
void val_pendulum_open(val_report *report, int32_t count, double radius, const td_adapt_opts *opts,
                       val_trial *trial);
// Each joint active by chance; the others by impulses rigid.
void val_trial_region(val_random *random, val_trial *trial, double share);
// The largest difference over the largest of `b`, at least 1.
double val_trial_apart(const double *a, const double *b, int32_t count);
