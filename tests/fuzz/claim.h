// SPDX-License-Identifier: MIT
#pragma once

// Shared by programs that try what comes: claims, and memory that is counted.

#include "../test_heap.h"

#include <stdio.h>

static const char *claim_during = ""; // what is tried, for the report

// Ends the run with a report when a claim does not hold.
static inline void claim(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "\nbroken: %s %s\n", what, claim_during);
        abort();
    }
}

static test_heap heap;
static const td_alloc alloc = {test_heap_resize, &heap};
