// SPDX-License-Identifier: MIT
#pragma once

// Decomposition and homomorphism: a module is replaced again and again, up to a depth, and what is
// left comes out one module at a time, without a string in between.

#include "grammar/rules.h"

typedef struct tdi_expand_level { // a successor that is being read
    const tdi_words *words;
    int32_t module; // next one
    int64_t param;  // place of its parameters
} tdi_expand_level;

typedef struct tdi_expander {
    tdi_chooser chooser;
    tdi_expand_level *levels;
    int64_t depth, level_capacity;
    double *params; // of all open successors
    int64_t param_count, param_capacity;
    tdi_site start; // the module itself and those after it
    int64_t used;   // of these, modules that are read or replaced
    int64_t left;   // replacements that may still be made
} tdi_expander;

// chooser.grammar, section, machine and stochastic must be set.
td_status tdi_expander_new(tdi_expander *e, const td_alloc *alloc);
void tdi_expander_free(tdi_expander *e, const td_alloc *alloc);

// Begins with the first module of `site`. A production may replace those after it as well: `used`
// says how many are done with when there is nothing more.
void tdi_expander_start(tdi_expander *e, const tdi_site *site);

// The next module; *more is false when there is none. `params` are valid until the next call.
td_status tdi_expander_next(tdi_expander *e, const td_alloc *alloc, bool *more, uint16_t *type,
                            const double **params, td_diag *diag);
