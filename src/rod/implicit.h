// SPDX-License-Identifier: MIT
#pragma once

// The implicit step of rods that is under way.

#include "implicit/implicit.h"
#include "rod/terms.h"

typedef struct tdi_rod_now {
    tdi_rod_potential potential;
    tdi_rule rule;
    int32_t history; // before the step, and so on
    td_real history_dt, time;
    bool curved;
    bool accepted;
    bool pushed, answered; // work holds pushes, or `response` what they moved
} tdi_rod_now;

// Rods for the common Newton's method; bodies are td_rod_states.
extern const tdi_implicit tdi_rod_implicit;
