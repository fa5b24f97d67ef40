// SPDX-License-Identifier: MIT
// Making and ending derivations, and what can be asked of them. derive.c has the steps.

#include "grammar/derivation.h"
#include "base/guard.h"
#include "base/opts.h"
#include "base/range.h"

#include <string.h>

td_derive_opts td_derive_opts_default(void) {
    td_derive_opts o = {.struct_size = sizeof o, .seed = TD_SEED_FROM_TEXT};
    o.max_modules = 50000000;
    o.max_bytes = sizeof(size_t) > 4 ? (size_t)4 << 30 : (size_t)1 << 30;
    o.max_loops = 100000000;
    return o;
}

static td_status check(const td_derive_opts *o, td_diag *diag) {
    const tdi_range ranges[] = {
        TDI_BETWEEN("seed", NULL, (double)o->seed, TD_SEED_FROM_TEXT, INFINITY),
        TDI_BETWEEN("max_modules", NULL, (double)o->max_modules, 1, INFINITY),
        TDI_FROM_0("max_loops", NULL, (double)o->max_loops)};
    return tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, NULL, TD_NONE, diag);
}

static td_status make_variables(td_derivation *d) {
    const td_grammar *g = d->grammar;
    size_t types = (size_t)g->symbols.type_count;
    d->globals = tdi_alloc_zeroed(d->alloc, (size_t)g->global_count + 1, sizeof *d->globals);
    d->arrays = tdi_alloc_zeroed(d->alloc, (size_t)g->array.value_count + 1, sizeof *d->arrays);
    d->file_open = tdi_alloc_zeroed(d->alloc, (size_t)g->code.file_count + 1, 1);
    d->arity = tdi_alloc_zeroed(d->alloc, types, 1);
    d->engines = tdi_alloc_zeroed(d->alloc, (size_t)g->system_count, sizeof *d->engines);
    d->opened = tdi_alloc_zeroed(d->alloc, (size_t)g->system_count, sizeof *d->opened);
    d->new_globals = tdi_alloc_zeroed(d->alloc, (size_t)g->global_count + 1, sizeof *d->globals);
    d->new_arrays = tdi_alloc_zeroed(d->alloc, (size_t)g->array.value_count + 1, sizeof *d->arrays);
    if (!d->new_globals || !d->new_arrays || !d->globals || !d->arrays || !d->file_open ||
        !d->arity || !d->engines || !d->opened) {
        return TD_ERR_MEMORY;
    }
    d->engine = d->engines;
    d->globals[TDI_GLOBAL_LENGTH] = g->steps;
    if (g->array.value_count > 0) {
        memcpy(d->arrays, g->array.values, (size_t)g->array.value_count * sizeof *d->arrays);
    }
    for (int32_t t = 0; t < g->symbols.type_count; t++) {
        d->arity[t] = (uint8_t)g->symbols.types[t].param_count;
    }
    return TD_OK;
}

static td_status make_engines(td_derivation *d) {
    const td_grammar *g = d->grammar;
    int64_t seed = d->opts.seed != TD_SEED_FROM_TEXT ? d->opts.seed : g->seed;
    // in cpfg the text's seed concerns the choice among productions only
    tdi_dice_start(&d->dice, g->dialect.cpfg_random, g->dialect.cpfg_random ? d->opts.seed : seed);
    tdi_random_seed(&d->dice.own, seed == TD_SEED_FROM_TEXT ? 0 : (uint64_t)seed);
    d->loops_left = d->opts.max_loops;
    bool single = g->dialect.float_parameters || d->opts.float_parameters;
    d->variables = (tdi_variables){d->globals, d->arrays, &d->uses_now, &d->dice, seed, single};
    tdi_machine machine = {.grammar = g,
                           .globals = d->globals,
                           .arrays = d->arrays,
                           .dice = &d->dice,
                           .loops_left = &d->loops_left,
                           .print = d->opts.print.write ? &d->opts.print : NULL,
                           .file_open = d->file_open,
                           .single = single};
    td_status status = TD_OK;
    for (int32_t k = 0; k < g->system_count && status == TD_OK; k++) {
        const td_grammar *system = g->systems[k];
        bool given = d->opts.seed != TD_SEED_FROM_TEXT || system->seed != TD_SEED_FROM_TEXT;
        status = tdi_engine_new(&d->engines[k], system, &machine, given, d->alloc);
    }
    return status;
}

static td_status begin(td_derivation *d, td_diag *diag) {
    td_status status = make_variables(d);
    status = status == TD_OK ? make_engines(d) : status;
    return status == TD_OK ? tdi_derivation_begin(d, diag) : tdi_derivation_explain(status, diag);
}

td_status td_derivation_new(const td_grammar *grammar, const td_derive_opts *opts,
                            const td_alloc *alloc, td_derivation **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!grammar || !out);
    td_derive_opts own = td_derive_opts_default();
    TDI_TRY(tdi_opts_take("td_derive_opts", &own, opts, diag));
    TDI_TRY(check(&own, diag));
    td_derivation *d = tdi_alloc_zeroed(alloc, 1, sizeof *d);
    if (!d) {
        return tdi_derivation_explain(TD_ERR_MEMORY, diag);
    }
    d->grammar = grammar;
    d->alloc = alloc;
    d->opts = own;
    td_status status = begin(d, diag);
    if (status != TD_OK) {
        td_derivation_free(d);
        return status;
    }
    *out = d;
    return TD_OK;
}

static void buffer_free(tdi_string_buffer *b, const td_alloc *alloc) {
    tdi_alloc_free(alloc, b->types, (size_t)b->capacity * sizeof *b->types);
    tdi_alloc_free(alloc, b->params, (size_t)b->param_capacity * sizeof *b->params);
    tdi_alloc_free(alloc, b->names, (size_t)b->name_capacity * sizeof *b->names);
    *b = (tdi_string_buffer){0};
}

void td_derivation_free(td_derivation *derivation) {
    td_derivation *d = derivation;
    if (!d) {
        return;
    }
    const td_alloc *alloc = d->alloc;
    const td_grammar *g = d->grammar;
    buffer_free(&d->now, alloc);
    buffer_free(&d->next, alloc);
    buffer_free(&d->whole, alloc);
    for (int32_t k = 0; k < g->system_count && d->engines; k++) {
        tdi_engine_free(&d->engines[k], alloc);
    }
    tdi_alloc_free(alloc, d->engines, (size_t)g->system_count * sizeof *d->engines);
    tdi_alloc_free(alloc, d->opened, (size_t)g->system_count * sizeof *d->opened);
    tdi_uses_free(&d->uses_now, g, alloc);
    tdi_uses_free(&d->uses_next, g, alloc);
    tdi_alloc_free(alloc, d->new_globals, ((size_t)g->global_count + 1) * sizeof *d->globals);
    tdi_alloc_free(alloc, d->new_arrays, ((size_t)g->array.value_count + 1) * sizeof *d->arrays);
    tdi_alloc_free(alloc, d->globals, ((size_t)g->global_count + 1) * sizeof *d->globals);
    tdi_alloc_free(alloc, d->arrays, ((size_t)g->array.value_count + 1) * sizeof *d->arrays);
    tdi_alloc_free(alloc, d->file_open, (size_t)g->code.file_count + 1);
    tdi_alloc_free(alloc, d->arity, (size_t)g->symbols.type_count);
    tdi_alloc_free(alloc, d, sizeof *d);
}

// ---- access ---------------------------------------------------------------------------------

td_string td_derivation_string(const td_derivation *derivation) {
    if (!derivation) {
        return (td_string){0};
    }
    td_string s = tdi_buffer_view(&derivation->now);
    s.variables = &derivation->variables;
    return s;
}

int64_t td_derivation_written(const td_derivation *derivation) {
    return derivation ? derivation->written : 0;
}

size_t td_derivation_bytes(const td_derivation *derivation) {
    if (!derivation) {
        return 0;
    }
    size_t bytes = sizeof *derivation + tdi_buffer_bytes(&derivation->now) +
                   tdi_buffer_bytes(&derivation->next);
    for (int32_t k = 0; k < derivation->grammar->system_count; k++) {
        bytes += tdi_neighbours_bytes(&derivation->engines[k].neighbours);
    }
    return bytes;
}
