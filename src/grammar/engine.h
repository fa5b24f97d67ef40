// SPDX-License-Identifier: MIT
#pragma once

// What rewriting by one L-system needs: tables of its types, neighbours and choosers.

#include "grammar/expand.h"

typedef struct tdi_engine {
    const td_grammar *grammar; // the L-system
    uint8_t *still;            // a type: no production concerns it
    // a type: its production, when there is one only, with nothing to test and nothing to follow
    const tdi_production **only;
    // a type: bit (t mod 64) is set where a neighbour of type t may let a production match, so that
    // most modules of context-sensitive models are passed over without a closer look
    uint64_t *left_gate, *right_gate;
    bool contexts; // productions have some
    tdi_neighbours neighbours;
    tdi_chooser chooser;
    tdi_expander expander; // of the decomposition
} tdi_engine;

// The engine must stay where it is. `machine` is copied, with the L-system as its grammar.
td_status tdi_engine_new(tdi_engine *e, const td_grammar *system, const tdi_machine *machine,
                         bool stochastic, const td_alloc *alloc);
void tdi_engine_free(tdi_engine *e, const td_alloc *alloc);

// Takes the string that is rewritten next, and finds the neighbours of its modules.
td_status tdi_engine_look(tdi_engine *e, const td_string *string, const td_alloc *alloc);
