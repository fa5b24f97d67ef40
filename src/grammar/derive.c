// SPDX-License-Identifier: MIT
// Derivation: rewrites the string, step by step.
//
// Method   A string is two arrays, the types of its modules and the parameters of all of them in
//          order. A step reads one string from left to right and writes another. Runs of modules
//          that no production concerns are copied whole; the successor's types are copied as a
//          block and only its parameters are computed.
// Limits   modules, bytes and loop turns, checked before memory is taken.

#include "base/range.h"
#include "grammar/engine.h"
#include "grammar/query.h"

#include <string.h>

typedef struct buffer {
    uint16_t *types;
    double *params;
    int64_t count, param_count;
    int64_t capacity, param_capacity;
} buffer;

struct td_derivation {
    const td_grammar *grammar;
    const td_alloc *alloc;
    td_derive_opts opts;
    buffer now, next;
    buffer whole; // a successor before its decomposition
    double *globals, *arrays;
    uint8_t *file_open; // a file that statements write
    uint8_t *arity;     // a type
    tdi_dice dice;
    int64_t loops_left;
    int32_t step;
    int64_t written;
    tdi_engine *engines; // one an L-system
    tdi_engine *engine;  // of the L-system at hand
    tdi_engine **opened; // L-systems that '?' has opened
    int32_t opened_count;
    tdi_variables variables;
};

// ---- strings --------------------------------------------------------------------------------

static td_string view(const buffer *b) {
    td_string s = {b->types, b->params, b->count, b->param_count, NULL};
    return s;
}

static void buffer_free(buffer *b, const td_alloc *alloc) {
    tdi_alloc_free(alloc, b->types, (size_t)b->capacity * sizeof *b->types);
    tdi_alloc_free(alloc, b->params, (size_t)b->param_capacity * sizeof *b->params);
    *b = (buffer){0};
}

static size_t buffer_bytes(const buffer *b) {
    return (size_t)b->capacity * sizeof *b->types + (size_t)b->param_capacity * sizeof *b->params;
}

// Room for so many more, within the limits. `at` is the production or axiom that wants it.
static td_status grow(td_derivation *d, buffer *b, int64_t modules, int64_t params, uint32_t at,
                      td_diag *diag) {
    const td_derive_opts *o = &d->opts;
    const tdi_source *source = &d->grammar->source;
    if (b->count + modules > o->max_modules) {
        return tdi_source_fail(source, at, diag, TD_ERR_LIMIT,
                               "the string grows past %lld modules (max_modules) here, in step %d",
                               (long long)o->max_modules, d->step + 1);
    }
    uint64_t others =
        (b == &d->now ? 0 : buffer_bytes(&d->now)) + (b == &d->next ? 0 : buffer_bytes(&d->next));
    uint64_t wanted = (uint64_t)(b->count + modules) * sizeof *b->types +
                      (uint64_t)(b->param_count + params) * sizeof *b->params;
    if (others + wanted > o->max_bytes) {
        return tdi_source_fail(source, at, diag, TD_ERR_LIMIT,
                               "the string grows past %zu bytes (max_bytes) here, in step %d",
                               o->max_bytes, d->step + 1);
    }
    uint16_t *types =
        tdi_array_reserve(d->alloc, b->types, &b->capacity, b->count + modules, sizeof *types);
    if (!types) {
        return TD_ERR_MEMORY;
    }
    b->types = types;
    double *grown = tdi_array_reserve(d->alloc, b->params, &b->param_capacity,
                                      b->param_count + params, sizeof *grown);
    if (!grown) {
        return TD_ERR_MEMORY;
    }
    b->params = grown;
    return TD_OK;
}

static inline td_status room(td_derivation *d, buffer *b, int64_t modules, int64_t params,
                             uint32_t at, td_diag *diag) {
    if (b->count + modules <= b->capacity && b->param_count + params <= b->param_capacity &&
        b->count + modules <= d->opts.max_modules) {
        return TD_OK;
    }
    return grow(d, b, modules, params, at, diag);
}

// ---- writing --------------------------------------------------------------------------------

static inline td_status write_words(td_derivation *d, buffer *b, const tdi_words *words,
                                    double *slots, uint32_t at, td_diag *diag) {
    td_status status = room(d, b, words->module_count, words->arg_count, at, diag);
    if (status != TD_OK) {
        return status;
    }
    if (words->module_count > 0) {
        memcpy(b->types + b->count, words->types, (size_t)words->module_count * sizeof *b->types);
    }
    b->count += words->module_count;
    if (words->arg_count > 0) {
        status = tdi_words_params(&d->engine->chooser.machine, words, slots,
                                  b->params + b->param_count, diag);
        b->param_count += words->arg_count;
    }
    return status;
}

static inline td_status copy_modules(td_derivation *d, buffer *b, const uint16_t *types,
                                     int64_t count, const double *params, int64_t param_count,
                                     td_diag *diag) {
    td_status status = room(d, b, count, param_count, d->grammar->axiom_at, diag);
    if (status != TD_OK) {
        return status;
    }
    if (count < 16) { // most runs are short, and a call of memcpy is not
        for (int64_t i = 0; i < count; i++) {
            b->types[b->count + i] = types[i];
        }
    } else {
        memcpy(b->types + b->count, types, (size_t)count * sizeof *types);
    }
    for (int64_t i = 0; i < param_count; i++) {
        b->params[b->param_count + i] = params[i];
    }
    b->count += count;
    b->param_count += param_count;
    return TD_OK;
}

// ---- one step -------------------------------------------------------------------------------

// '%' drops what follows up to the end of its branch or L-system: the place of the ']' or '$' or of
// the string's end
static int64_t branch_end(const td_derivation *d, int64_t i, int64_t *param) {
    const buffer *b = &d->now;
    int64_t depth = 0, systems = 0;
    for (; i < b->count && tdi_in_branch(d->grammar, b->types[i], &depth, &systems); i++) {
        *param += d->arity[b->types[i]];
    }
    return i;
}

static td_status run_block(td_derivation *d, int32_t first, td_diag *diag) {
    double no_slots[1] = {0};
    return first == TD_NONE
               ? TD_OK
               : tdi_machine_run(&d->engine->chooser.machine, first, no_slots, NULL, diag);
}

// '?(n)' goes on with L-system n, '$' with the one before.
static td_status enter_or_leave(td_derivation *d, int64_t i, int64_t param, td_diag *diag) {
    const td_grammar *g = d->grammar;
    uint8_t op = g->types[d->now.types[i]].op;
    if (op == TDI_OP_SUB_CLOSE && d->opened_count > 0) {
        td_status status = run_block(d, d->engine->grammar->end_each, diag);
        d->engine = d->opened[--d->opened_count];
        return status;
    }
    if (op != TDI_OP_SUB_OPEN) {
        return TD_OK;
    }
    double number = d->now.params[param];
    int32_t found = tdi_system_find(g, number);
    if (found == TD_NONE) {
        return tdi_fail_at(diag, TD_ERR_STRUCTURE, i,
                           "module %lld opens L-system %g; the file has none of that number",
                           (long long)i, number);
    }
    for (int32_t k = 0; k <= d->opened_count; k++) {
        const tdi_engine *open = k < d->opened_count ? d->opened[k] : d->engine;
        if (open == &d->engines[found]) {
            return tdi_fail_at(diag, TD_ERR_STRUCTURE, i,
                               "module %lld opens L-system %g within itself; an L-system cannot be "
                               "its own part",
                               (long long)i, number);
        }
    }
    d->opened[d->opened_count++] = d->engine;
    d->engine = &d->engines[found];
    return run_block(d, d->engine->grammar->start_each, diag);
}

// Writes module `site` and what the decomposition makes of it; *used counts the modules it takes.
static td_status decompose(td_derivation *d, const tdi_site *site, int64_t *used, td_diag *diag) {
    tdi_expander *e = &d->engine->expander;
    tdi_expander_start(e, site);
    for (;;) {
        uint16_t type;
        const double *params;
        bool more;
        e->chooser.made = view(&d->next);
        td_status status = tdi_expander_next(e, d->alloc, &more, &type, &params, diag);
        if (status == TD_OK && more) {
            status = copy_modules(d, &d->next, &type, 1, params, d->arity[type], diag);
        }
        if (status != TD_OK || !more) {
            *used = e->used;
            return status;
        }
    }
}

// Writes the successor of a production that has replaced modules first to last, decomposed.
static td_status write_parts(td_derivation *d, const tdi_production *r, double *slots,
                             int64_t first, int64_t last, td_diag *diag) {
    buffer *b = &d->whole;
    b->count = b->param_count = 0;
    td_status status = write_words(d, b, &r->successor, slots, r->at, diag);
    int64_t used = 0;
    tdi_site site = {.types = b->types, .params = b->params, .first = first, .last = last};
    for (int64_t k = 0; k < b->count && status == TD_OK; k += used) {
        site.count = b->count - k;
        status = decompose(d, &site, &used, diag);
        for (int64_t m = 0; m < used; m++) {
            site.params += d->arity[*site.types++];
        }
    }
    return status;
}

// Rewrites the modules from i on; *used counts those that the strict predecessor takes.
static td_status rewrite_module(td_derivation *d, int64_t i, int64_t param, int64_t *used,
                                td_diag *diag) {
    const double *params = d->now.params + param;
    int32_t type = d->now.types[i];
    const tdi_production *r;
    double *slots;
    bool decomposes = d->engine->grammar->decompose.count > 0;
    *used = 1;
    tdi_site site = {d->now.types + i, params, d->now.count - i, i, TD_NONE};
    if (d->engine->grammar->rewrite.has_made) {
        d->engine->chooser.made = view(&d->next);
    }
    td_status status = tdi_choose(&d->engine->chooser, &site, &r, &slots, diag);
    if (status != TD_OK) {
        return status;
    }
    if (!r && type == TDI_TYPE_CUT) {
        *used = 0;
        return TD_OK;
    }
    if (!r) {
        site.last = i;
        return decomposes
                   ? decompose(d, &site, used, diag)
                   : copy_modules(d, &d->next, &d->now.types[i], 1, params, d->arity[type], diag);
    }
    *used = r->strict.count;
    return decomposes ? write_parts(d, r, slots, i, i + *used - 1, diag)
                      : write_words(d, &d->next, &r->successor, slots, r->at, diag);
}

static inline bool gate_open(const td_derivation *d, uint64_t gate, int32_t neighbour) {
    return gate == UINT64_MAX ||
           (neighbour != TD_NONE && (gate >> (d->now.types[neighbour] % 64) & 1) != 0);
}

// Whether module i stays as it is, as far as can be told at a glance.
static inline bool stays(const td_derivation *d, const tdi_engine *e, int64_t i) {
    int32_t type = d->now.types[i];
    if (e->still[type] || !e->contexts) {
        return e->still[type];
    }
    const tdi_neighbours *n = &e->neighbours;
    return !gate_open(d, e->left_gate[type], n->left[i]) ||
           (e->right_gate[type] != UINT64_MAX && !gate_open(d, e->right_gate[type], n->right[i]));
}

// no choice to make: binds the parameters and writes the successor
static inline td_status follow(td_derivation *d, const tdi_engine *e, const tdi_production *r,
                               const double *params, td_diag *diag) {
    double *slots = e->chooser.slots;
    for (int32_t k = 0; k < r->strict.param_count; k++) {
        slots[r->strict.first_slot + k] = params[k];
    }
    return write_words(d, &d->next, &r->successor, slots, r->at, diag);
}

static td_status rewrite(td_derivation *d, td_diag *diag) {
    const buffer *b = &d->now;
    td_status status = TD_OK;
    int64_t param = 0, used;
    d->next.count = d->next.param_count = 0;
    d->engine = &d->engines[0];
    d->opened_count = 0;
    for (int64_t i = 0; i < b->count && status == TD_OK;) {
        const tdi_engine *e = d->engine;
        int64_t run = i, run_param = param;
        while (run < b->count && stays(d, e, run)) {
            run_param += d->arity[b->types[run++]];
        }
        if (run > i) {
            status = copy_modules(d, &d->next, b->types + i, run - i, b->params + param,
                                  run_param - param, diag);
        } else if (e->only[b->types[i]]) {
            status = follow(d, e, e->only[b->types[i]], b->params + param, diag);
            run_param += d->arity[b->types[run++]];
        } else {
            status = rewrite_module(d, i, param, &used, diag);
            for (; run < i + used && status == TD_OK; run++) {
                status = enter_or_leave(d, run, run_param, diag);
                run_param += d->arity[b->types[run]];
            }
            if (used == 0) { // '%'
                run = branch_end(d, i, &run_param);
            }
        }
        i = run;
        param = run_param;
    }
    return status;
}

static void swap(td_derivation *d) {
    buffer held = d->now;
    d->now = d->next;
    d->next = held;
}

static td_status answer_queries(td_derivation *d, buffer *b, td_diag *diag) {
    if (!d->grammar->has_query) {
        return TD_OK;
    }
    td_string s = view(b);
    s.variables = &d->variables;
    td_status status =
        tdi_query_fill(d->grammar, &s, b->params, d->step, &d->opts.environment, d->alloc, diag);
    for (int64_t i = 0; i < b->param_count && d->variables.single; i++) {
        b->params[i] = (double)(float)b->params[i];
    }
    return status;
}

// What the lower layers report without a diagnostic of their own gets one here.
static td_status explain(td_status status, td_diag *diag) {
    if (status == TD_ERR_MEMORY) {
        return tdi_fail(diag, status, "out of memory while deriving");
    }
    return status;
}

static td_status step(td_derivation *d, td_diag *diag) {
    const td_grammar *g = d->grammar;
    d->globals[TDI_GLOBAL_STEP] = d->step + 1;
    td_status status = run_block(d, g->start_each, diag);
    td_string s = view(&d->now);
    for (int32_t k = 0; k < g->system_count && status == TD_OK; k++) {
        status = tdi_engine_look(&d->engines[k], &s, d->alloc);
        if (status == TD_ERR_LIMIT) {
            return tdi_fail(diag, status, "the string is too long for context matching");
        }
    }
    if (status == TD_OK) {
        status = rewrite(d, diag);
    }
    d->engine = &d->engines[0];
    if (status == TD_OK) {
        status = run_block(d, g->end_each, diag);
    }
    if (status == TD_OK) {
        d->step++;
        status = answer_queries(d, &d->next, diag);
        d->step -= status != TD_OK;
    }
    return explain(status, diag);
}

td_status td_derivation_step(td_derivation *derivation, td_diag *diag) {
    td_status status = step(derivation, diag);
    if (status == TD_OK) {
        swap(derivation);
        derivation->written += derivation->now.count;
    }
    return status;
}

td_status td_derivation_end(td_derivation *derivation, td_diag *diag) {
    return run_block(derivation, derivation->grammar->end, diag);
}

// ---- making and ending ----------------------------------------------------------------------

td_derive_opts td_derive_opts_default(void) {
    td_derive_opts o = {.struct_size = sizeof o, .seed = TD_SEED_FROM_TEXT};
    o.max_modules = 50000000;
    o.max_bytes = sizeof(size_t) > 4 ? (size_t)4 << 30 : (size_t)1 << 30;
    o.max_loops = 100000000;
    return o;
}

static td_status check(const td_derive_opts *o, td_diag *diag) {
    if (!o || o->struct_size != sizeof *o) {
        return tdi_fail(
            diag, TD_ERR_DEF,
            "td_derive_opts: struct_size is wrong; start from td_derive_opts_default()");
    }
    const tdi_range ranges[] = {
        TDI_BETWEEN("seed", NULL, (double)o->seed, TD_SEED_FROM_TEXT, INFINITY),
        TDI_BETWEEN("max_modules", NULL, (double)o->max_modules, 1, INFINITY),
        TDI_FROM_0("max_loops", NULL, (double)o->max_loops)};
    return tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, NULL, TD_NONE, diag);
}

static td_status make_variables(td_derivation *d) {
    const td_grammar *g = d->grammar;
    size_t types = (size_t)g->type_count;
    d->globals = tdi_alloc_zeroed(d->alloc, (size_t)g->global_count + 1, sizeof *d->globals);
    d->arrays = tdi_alloc_zeroed(d->alloc, (size_t)g->array_value_count + 1, sizeof *d->arrays);
    d->file_open = tdi_alloc_zeroed(d->alloc, (size_t)g->file_count + 1, 1);
    d->arity = tdi_alloc_zeroed(d->alloc, types, 1);
    d->engines = tdi_alloc_zeroed(d->alloc, (size_t)g->system_count, sizeof *d->engines);
    d->opened = tdi_alloc_zeroed(d->alloc, (size_t)g->system_count, sizeof(tdi_engine *));
    if (!d->globals || !d->arrays || !d->file_open || !d->arity || !d->engines || !d->opened) {
        return TD_ERR_MEMORY;
    }
    d->engine = d->engines;
    d->globals[TDI_GLOBAL_LENGTH] = g->steps;
    if (g->array_value_count > 0) {
        memcpy(d->arrays, g->array_values, (size_t)g->array_value_count * sizeof *d->arrays);
    }
    for (int32_t t = 0; t < g->type_count; t++) {
        d->arity[t] = (uint8_t)g->types[t].param_count;
    }
    return TD_OK;
}

static td_status make_engines(td_derivation *d) {
    const td_grammar *g = d->grammar;
    int64_t seed = d->opts.seed != TD_SEED_FROM_TEXT ? d->opts.seed : g->seed;
    // in cpfg the text's seed concerns the choice among productions only
    tdi_dice_start(&d->dice, g->cpfg_random, g->cpfg_random ? d->opts.seed : seed);
    tdi_random_seed(&d->dice.own, seed == TD_SEED_FROM_TEXT ? 0 : (uint64_t)seed);
    d->loops_left = d->opts.max_loops;
    bool single = g->float_parameters || d->opts.float_parameters;
    d->variables = (tdi_variables){d->globals, d->arrays, &d->dice, seed, single};
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
    double no_slots[1] = {0};
    const td_grammar *g = d->grammar;
    td_status status = make_variables(d);
    if (status == TD_OK) {
        status = make_engines(d);
    }
    for (int32_t k = 0; k < g->system_count && status == TD_OK; k++) {
        status = run_block(d, g->systems[k]->start, diag);
    }
    if (status == TD_OK) {
        status = write_words(d, &d->next, &g->axiom, no_slots, g->axiom_at, diag);
    }
    if (status == TD_OK) {
        status = answer_queries(d, &d->next, diag);
    }
    swap(d);
    return explain(status, diag);
}

td_status td_derivation_new(const td_grammar *grammar, const td_derive_opts *opts,
                            const td_alloc *alloc, td_derivation **out, td_diag *diag) {
    *out = NULL;
    td_status status = check(opts, diag);
    if (status != TD_OK) {
        return status;
    }
    td_derivation *d = tdi_alloc_zeroed(alloc, 1, sizeof *d);
    if (!d) {
        return explain(TD_ERR_MEMORY, diag);
    }
    d->grammar = grammar;
    d->alloc = alloc;
    d->opts = *opts;
    status = begin(d, diag);
    if (status != TD_OK) {
        td_derivation_free(d);
        return status;
    }
    *out = d;
    return TD_OK;
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
    tdi_alloc_free(alloc, d->opened, (size_t)g->system_count * sizeof(tdi_engine *));
    tdi_alloc_free(alloc, d->globals, ((size_t)g->global_count + 1) * sizeof *d->globals);
    tdi_alloc_free(alloc, d->arrays, ((size_t)g->array_value_count + 1) * sizeof *d->arrays);
    tdi_alloc_free(alloc, d->file_open, (size_t)g->file_count + 1);
    tdi_alloc_free(alloc, d->arity, (size_t)g->type_count);
    tdi_alloc_free(alloc, d, sizeof *d);
}

td_string td_derivation_string(const td_derivation *derivation) {
    td_string s = view(&derivation->now);
    s.variables = &derivation->variables;
    return s;
}

int64_t td_derivation_written(const td_derivation *derivation) {
    return derivation->written;
}

size_t td_derivation_bytes(const td_derivation *derivation) {
    size_t bytes =
        sizeof *derivation + buffer_bytes(&derivation->now) + buffer_bytes(&derivation->next);
    for (int32_t k = 0; k < derivation->grammar->system_count; k++) {
        bytes += tdi_neighbours_bytes(&derivation->engines[k].neighbours);
    }
    return bytes;
}
