// SPDX-License-Identifier: MIT
#pragma once

// Which production a module follows, and what the successor's parameters are.

#include "grammar/machine.h"
#include "grammar/neighbours.h"

typedef struct tdi_chooser {
    const td_grammar *grammar;
    const tdi_section *section;
    tdi_machine machine;
    bool stochastic;
    const tdi_neighbours *neighbours;
    td_string string; // that the neighbours are of
    td_string made;   // so far; for sections with contexts in it
    double *slots;    // TDI_MAX_SLOTS for each production of a type
    double *weights;
    int32_t *matched;
    int32_t room; // productions of a type at most
} tdi_chooser;

td_status tdi_chooser_new(tdi_chooser *chooser, const td_alloc *alloc);
void tdi_chooser_free(tdi_chooser *chooser, const td_alloc *alloc);

// Where a production is to be found: at the first of `count` modules. Contexts are those of the
// chooser's string, left of module `first` and right of module `last`.
typedef struct tdi_site {
    const uint16_t *types;
    const double *params;
    int64_t count;
    int64_t first;
    int64_t last; // TD_NONE: the end of the strict predecessor, which starts at `first`
} tdi_site;

// The production that the site's first module follows, or NULL: none. `slots` gets its names'
// values; {after} has been run.
td_status tdi_choose(tdi_chooser *chooser, const tdi_site *site, const tdi_production **production,
                     double **slots, td_diag *diag);

// The parameters of all modules of a successor, in order.
td_status tdi_words_params(const tdi_machine *machine, const tdi_words *words, double *slots,
                           double *params, td_diag *diag);
