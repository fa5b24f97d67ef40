// SPDX-License-Identifier: MIT
#pragma once

// Variables of the uses of sub-L-systems: every '?' of a string has values of its own.

#include "grammar/model.h"

// One block of values for each '?' of a string, in their order.
typedef struct tdi_uses {
    double *values;
    int64_t count, capacity; // blocks
} tdi_uses;

// Whether there is such a block, and its '?' opens the L-system in that place of the file.
bool tdi_uses_holds(const tdi_uses *uses, int64_t block, const td_grammar *g, int32_t system);

// Appends a block with the values of `globals` and `arrays` for each '?' among the modules.
td_status tdi_uses_note(tdi_uses *uses, const td_grammar *g, const uint16_t *types, int64_t count,
                        const double *params, const double *globals, const double *arrays,
                        const td_alloc *alloc);
void tdi_uses_free(tdi_uses *uses, const td_grammar *g, const td_alloc *alloc);

// Puts the values of a block into the variables of L-system `system`, and takes them from there.
void tdi_uses_load(const tdi_uses *uses, int64_t block, const td_grammar *system, double *globals,
                   double *arrays);
void tdi_uses_save(tdi_uses *uses, int64_t block, const td_grammar *system, const double *globals,
                   const double *arrays);
