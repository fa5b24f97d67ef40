// SPDX-License-Identifier: MIT
// Variables of the uses of sub-L-systems.
//
// Method   All L-systems of a file have their globals and arrays in common arrays, each in a range
//          of its own. While a use is open its values stand there; before and after they are in the
//          block of its '?', behind the L-system's place among all.

#include "grammar/uses.h"

#include <string.h>

static int32_t own_count(const td_grammar *system) {
    return system->own.global_end - system->own.global_first + system->own.array_end -
           system->own.array_first;
}

// Values of a block: as many as the L-system with the most variables has, and one.
static int32_t block_size(const td_grammar *g) {
    int32_t most = 0;
    for (int32_t k = 1; k < g->system_count; k++) {
        int32_t own = own_count(g->systems[k]);
        most = own > most ? own : most;
    }
    return most + 1;
}

static double *block_of(const tdi_uses *uses, int64_t block, const td_grammar *g) {
    return uses->values + block * block_size(g);
}

bool tdi_uses_holds(const tdi_uses *uses, int64_t block, const td_grammar *g, int32_t system) {
    return block < uses->count && block_of(uses, block, g)[0] == system;
}

void tdi_uses_load(const tdi_uses *uses, int64_t block, const td_grammar *system, double *globals,
                   double *arrays) {
    const int32_t first = system->own.global_end - system->own.global_first;
    const double *held = block_of(uses, block, system) + 1;
    memcpy(globals + system->own.global_first, held, (size_t)first * sizeof *held);
    memcpy(arrays + system->own.array_first, held + first,
           (size_t)(own_count(system) - first) * sizeof *held);
}

void tdi_uses_save(tdi_uses *uses, int64_t block, const td_grammar *system, const double *globals,
                   const double *arrays) {
    const int32_t first = system->own.global_end - system->own.global_first;
    double *held = block_of(uses, block, system) + 1;
    memcpy(held, globals + system->own.global_first, (size_t)first * sizeof *held);
    memcpy(held + first, arrays + system->own.array_first,
           (size_t)(own_count(system) - first) * sizeof *held);
}

td_status tdi_uses_note(tdi_uses *uses, const td_grammar *g, const uint16_t *types, int64_t count,
                        const double *params, const double *globals, const double *arrays,
                        const td_alloc *alloc) {
    const size_t size = (size_t)block_size(g) * sizeof *uses->values;
    for (int64_t i = 0; i < count; i++) {
        const tdi_type *type = &g->symbols.types[types[i]];
        if (type->op == TDI_OP_SUB_OPEN) {
            double *grown =
                tdi_array_reserve(alloc, uses->values, &uses->capacity, uses->count + 1, size);
            TDI_TRY(grown ? TD_OK : TD_ERR_MEMORY);
            uses->values = grown;
            int32_t found = tdi_system_find(g, params[0]);
            memset(block_of(uses, uses->count, g), 0, size);
            block_of(uses, uses->count, g)[0] = found;
            if (found > 0) {
                tdi_uses_save(uses, uses->count, g->systems[found], globals, arrays);
            }
            uses->count++;
        }
        params += type->param_count;
    }
    return TD_OK;
}

void tdi_uses_free(tdi_uses *uses, const td_grammar *g, const td_alloc *alloc) {
    tdi_alloc_free(alloc, uses->values,
                   (size_t)uses->capacity * (size_t)block_size(g) * sizeof *uses->values);
    *uses = (tdi_uses){0};
}
