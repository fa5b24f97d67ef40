// SPDX-License-Identifier: MIT
#pragma once

// Who stands beside whom in a bracketed string, for context matching.

#include "grammar/model.h"

// Indices into the string, TD_NONE where there is no neighbour. Arrays that the grammar does not
// need are NULL.
typedef struct tdi_neighbours {
    int32_t *left;   // towards the root, over ignored modules and sibling branches
    int32_t *right;  // on the same axis; of a '[' the first module of its branch
    int32_t *close;  // of a '[' its ']', or the string's end
    uint32_t *param; // where the parameters of each module start
    int32_t *stack;
    int64_t capacity;
} tdi_neighbours;

// Finds all neighbours in two sweeps; those to the right only when `right` is set.
td_status tdi_neighbours_find(tdi_neighbours *n, const td_grammar *g, const td_string *string,
                              bool right, const td_alloc *alloc);
void tdi_neighbours_free(tdi_neighbours *n, const td_alloc *alloc);
size_t tdi_neighbours_bytes(const tdi_neighbours *n);

// Whether the contexts of a production match, left of module `first` and right of module `last`;
// binds their parameters.
bool tdi_neighbours_match(const tdi_neighbours *n, const td_grammar *g, const td_string *string,
                          const tdi_production *r, int64_t first, int64_t last, double *slots);

// Whether a left context matches at the end of a string; binds its parameters. Walks along the
// string, over ignored modules and branches that are closed.
bool tdi_context_at_end(const td_grammar *g, const td_string *string, const tdi_context *context,
                        double *slots);
