// SPDX-License-Identifier: MIT
#pragma once

// A derivation: what derivation.c makes and derive.c moves on.

#include "grammar/engine.h"
#include "grammar/uses.h"

typedef struct tdi_string_buffer {
    uint16_t *types;
    double *params;
    uint64_t *names; // NULL: modules have none
    int64_t count, param_count;
    int64_t capacity, param_capacity, name_capacity;
} tdi_string_buffer;

typedef struct tdi_opened_use { // by '?', not yet left by '$'
    tdi_engine *before;         // of the L-system around it
    int64_t block; // among those of the string that is made; TD_NONE: it has none there
} tdi_opened_use;

struct td_derivation {
    const td_grammar *grammar;
    const td_alloc *alloc;
    td_derive_opts opts;
    tdi_string_buffer now, next;
    tdi_string_buffer whole; // a successor before its decomposition
    double *globals, *arrays;
    double *new_globals, *new_arrays; // after the Start blocks: those of a new use
    tdi_uses uses_now, uses_next;     // of the strings `now` and `next`
    int64_t use;                      // the next one of `now`
    uint8_t *file_open;               // a file that statements write
    uint8_t *arity;                   // a type
    tdi_dice dice;
    int64_t loops_left;
    int32_t step;
    int64_t written;
    tdi_engine *engines; // one an L-system
    tdi_engine *engine;  // of the L-system at hand
    tdi_opened_use *opened;
    int32_t opened_count;
    tdi_variables variables;
};

static inline td_string tdi_buffer_view(const tdi_string_buffer *b) {
    td_string s = {b->types, b->params, b->count, b->param_count, NULL, b->names};
    return s;
}

static inline size_t tdi_buffer_bytes(const tdi_string_buffer *b) {
    return (size_t)b->capacity * sizeof *b->types + (size_t)b->param_capacity * sizeof *b->params +
           (size_t)b->name_capacity * sizeof *b->names;
}

// Runs the Start blocks and writes the axiom.
td_status tdi_derivation_begin(td_derivation *d, td_diag *diag);
// What the lower layers report without a diagnostic of their own gets one here.
td_status tdi_derivation_explain(td_status status, td_diag *diag);
