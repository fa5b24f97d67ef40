// SPDX-License-Identifier: MIT
// Derivation: rewrites the string, step by step.
//
// Method   A string is two arrays, the types of its modules and the parameters of all of them in
//          order. A step reads one string from left to right and writes another. Runs of modules
//          that no production concerns are copied whole; the successor's types are copied as a
//          block and only its parameters are computed.
// Limits   modules, bytes and loop turns, checked before memory is taken.

#include "grammar/derivation.h"

#include "base/guard.h"
#include "grammar/query.h"

#include <string.h>

// ---- strings --------------------------------------------------------------------------------

// Room for so many more, within the limits. `at` is the production or axiom that wants it.
static td_status grow(td_derivation *d, tdi_string_buffer *b, int64_t modules, int64_t params,
                      uint32_t at, td_diag *diag) {
    const td_derive_opts *o = &d->opts;
    const tdi_source *source = &d->grammar->source;
    if (b->count + modules > o->max_modules) {
        return tdi_source_fail(source, at, diag, TD_ERR_LIMIT,
                               "the string grows past %lld modules (max_modules) here, in step %d",
                               (long long)o->max_modules, d->step + 1);
    }
    uint64_t others = (b == &d->now ? 0 : tdi_buffer_bytes(&d->now)) +
                      (b == &d->next ? 0 : tdi_buffer_bytes(&d->next));
    const size_t width = sizeof *b->types + (o->names ? sizeof *b->names : 0);
    uint64_t wanted = (uint64_t)(b->count + modules) * width +
                      (uint64_t)(b->param_count + params) * sizeof *b->params;
    if (others + wanted > o->max_bytes) {
        return tdi_source_fail(source, at, diag, TD_ERR_LIMIT,
                               "the string grows past %zu bytes (max_bytes) here, in step %d",
                               o->max_bytes, d->step + 1);
    }
    uint16_t *types =
        tdi_array_reserve(d->alloc, b->types, &b->capacity, b->count + modules, sizeof *types);
    TDI_TRY(types ? TD_OK : TD_ERR_MEMORY);
    b->types = types;
    double *grown = tdi_array_reserve(d->alloc, b->params, &b->param_capacity,
                                      b->param_count + params, sizeof *grown);
    TDI_TRY(grown ? TD_OK : TD_ERR_MEMORY);
    b->params = grown;
    if (o->names) { // as many as there is room for types
        uint64_t *names =
            tdi_array_reserve(d->alloc, b->names, &b->name_capacity, b->capacity, sizeof *names);
        TDI_TRY(names ? TD_OK : TD_ERR_MEMORY);
        b->names = names;
    }
    return TD_OK;
}

static inline td_status room(td_derivation *d, tdi_string_buffer *b, int64_t modules,
                             int64_t params, uint32_t at, td_diag *diag) {
    if (b->count + modules <= b->capacity && b->param_count + params <= b->param_capacity &&
        b->count + modules <= d->opts.max_modules) {
        return TD_OK;
    }
    return grow(d, b, modules, params, at, diag);
}

// ---- names ----------------------------------------------------------------------------------

// A module that a production makes of another.
typedef struct origin {
    uint64_t name;
    int32_t type; // TD_NONE: there was none
} origin;

// The path to module k of a successor: the step in which it is made above, then a hash of the
// predecessor's path, of k and of the step.
static uint64_t name_of(const td_derivation *d, uint64_t from, int64_t k) {
    const uint64_t step = (uint64_t)d->step + 1, born = step < UINT16_MAX ? step : UINT16_MAX;
    uint64_t h = (from ^ (from >> 31)) * 0x9e3779b97f4a7c15u + (uint64_t)k + 1;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u + step;
    h = (h ^ (h >> 32)) * 0x94d049bb133111ebu;
    return born << 48 | h >> 16;
}

// Name of module k of what was made of `from`. The first of the same type lives on: an F that
// becomes a longer F is the same stem.
static uint64_t next_name(const td_derivation *d, origin *from, int32_t type, int64_t k) {
    if (type == from->type) {
        from->type = TD_NONE;
        return from->name;
    }
    return name_of(d, from->name, k);
}

static origin origin_of(const tdi_string_buffer *b, int64_t i) {
    return (origin){b->names ? b->names[i] : 0, b->types[i]};
}

// ---- writing --------------------------------------------------------------------------------

static inline td_status write_words(td_derivation *d, tdi_string_buffer *b, const tdi_words *words,
                                    double *slots, uint32_t at, origin from, td_diag *diag) {
    td_status status = room(d, b, words->module_count, words->arg_count, at, diag);
    if (status != TD_OK) {
        return status;
    }
    if (words->module_count > 0) {
        memcpy(b->types + b->count, words->types, (size_t)words->module_count * sizeof *b->types);
    }
    for (int64_t k = 0; k < words->module_count && d->opts.names; k++) {
        b->names[b->count + k] = next_name(d, &from, words->types[k], k);
    }
    b->count += words->module_count;
    if (words->arg_count > 0) {
        status = tdi_words_params(&d->engine->chooser.machine, words, slots,
                                  b->params + b->param_count, diag);
        b->param_count += words->arg_count;
    }
    return status;
}

static inline td_status copy_modules(td_derivation *d, tdi_string_buffer *b, const uint16_t *types,
                                     int64_t count, const double *params, int64_t param_count,
                                     const uint64_t *names, td_diag *diag) {
    TDI_TRY(room(d, b, count, param_count, d->grammar->rules.axiom_at, diag));
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
    if (d->opts.names) {
        memcpy(b->names + b->count, names, (size_t)count * sizeof *names);
    }
    b->count += count;
    b->param_count += param_count;
    return TD_OK;
}

// ---- one step -------------------------------------------------------------------------------

// A place in the string that is made.
typedef struct place {
    int64_t count, param_count, uses;
} place;

static place end_of_next(const td_derivation *d) {
    return (place){d->next.count, d->next.param_count, d->uses_next.count};
}

// Gives variables to every '?' that was made since.
static td_status note_uses(td_derivation *d, place since) {
    const tdi_string_buffer *b = &d->next;
    return d->grammar->system_count == 1
               ? TD_OK
               : tdi_uses_note(&d->uses_next, d->grammar, b->types + since.count,
                               b->count - since.count, b->params + since.param_count,
                               d->new_globals, d->new_arrays, d->alloc);
}

// '%' drops what follows up to the end of its branch or L-system: the place of the ']' or '$' or of
// the string's end
static int64_t branch_end(td_derivation *d, int64_t i, int64_t *param) {
    const tdi_string_buffer *b = &d->now;
    int64_t depth = 0, systems = 0;
    for (; i < b->count && tdi_in_branch(d->grammar, b->types[i], &depth, &systems); i++) {
        *param += d->arity[b->types[i]];
        d->use += d->grammar->symbols.types[b->types[i]].op == TDI_OP_SUB_OPEN;
    }
    return i;
}

static td_status run_block(td_derivation *d, int32_t first, td_diag *diag) {
    double no_slots[1] = {0};
    return first == TD_NONE
               ? TD_OK
               : tdi_machine_run(&d->engine->chooser.machine, first, no_slots, NULL, diag);
}

// Back to the L-system around; the values of the variables stay with the '?'.
static void leave(td_derivation *d) {
    const tdi_opened_use *use = &d->opened[--d->opened_count];
    if (use->block != TD_NONE) {
        tdi_uses_save(&d->uses_next, use->block, d->engine->grammar, d->globals, d->arrays);
    }
    d->engine = use->before;
}

// '?(n)' goes on with L-system n, '$' with the one before. *block is the next new '?' that takes
// over the variables of an old one.
static td_status enter_or_leave(td_derivation *d, int64_t i, int64_t param, int64_t *block,
                                td_diag *diag) {
    const td_grammar *g = d->grammar;
    uint8_t op = g->symbols.types[d->now.types[i]].op;
    if (op == TDI_OP_SUB_CLOSE && d->opened_count > 0) {
        td_status status = run_block(d, d->engine->grammar->phases.end_each, diag);
        leave(d);
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
        const tdi_engine *open = k < d->opened_count ? d->opened[k].before : d->engine;
        if (open == &d->engines[found]) {
            return tdi_fail_at(diag, TD_ERR_STRUCTURE, i,
                               "module %lld opens L-system %g within itself; an L-system cannot be "
                               "its own part",
                               (long long)i, number);
        }
    }
    bool kept = tdi_uses_holds(&d->uses_next, *block, g, found);
    d->opened[d->opened_count++] = (tdi_opened_use){d->engine, kept ? (*block)++ : TD_NONE};
    d->engine = &d->engines[found];
    if (tdi_uses_holds(&d->uses_now, d->use, g, found)) {
        tdi_uses_load(&d->uses_now, d->use, d->engine->grammar, d->globals, d->arrays);
    }
    d->use++;
    return run_block(d, d->engine->grammar->phases.start_each, diag);
}

// Writes module `site` and what the decomposition makes of it; *used counts the modules it takes.
static td_status decompose(td_derivation *d, const tdi_site *site, origin from, int64_t *used,
                           td_diag *diag) {
    tdi_expander *e = &d->engine->expander;
    tdi_expander_start(e, site);
    for (int64_t k = 0;; k++) {
        uint16_t type;
        const double *params;
        bool more;
        e->chooser.made = tdi_buffer_view(&d->next);
        td_status status = tdi_expander_next(e, d->alloc, &more, &type, &params, diag);
        if (status == TD_OK && more) {
            const uint64_t name = next_name(d, &from, type, k);
            status = copy_modules(d, &d->next, &type, 1, params, d->arity[type], &name, diag);
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
    tdi_string_buffer *b = &d->whole;
    b->count = b->param_count = 0;
    td_status status =
        write_words(d, b, &r->successor, slots, r->at, origin_of(&d->now, first), diag);
    int64_t used = 0;
    tdi_site site = {.types = b->types, .params = b->params, .first = first, .last = last};
    for (int64_t k = 0; k < b->count && status == TD_OK; k += used) {
        site.count = b->count - k;
        status = decompose(d, &site, origin_of(b, k), &used, diag);
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
    bool decomposes = d->engine->grammar->rules.decompose.count > 0;
    *used = 1;
    tdi_site site = {d->now.types + i, params, d->now.count - i, i, TD_NONE};
    if (d->engine->grammar->rules.rewrite.has_made) {
        d->engine->chooser.made = tdi_buffer_view(&d->next);
    }
    TDI_TRY(tdi_choose(&d->engine->chooser, &site, &r, &slots, diag));
    if (!r && type == TDI_TYPE_CUT) {
        *used = 0;
        return TD_OK;
    }
    if (!r) {
        site.last = i;
        return decomposes ? decompose(d, &site, origin_of(&d->now, i), used, diag)
                          : copy_modules(d, &d->next, &d->now.types[i], 1, params, d->arity[type],
                                         d->now.names ? d->now.names + i : NULL, diag);
    }
    *used = r->strict.count;
    return decomposes
               ? write_parts(d, r, slots, i, i + *used - 1, diag)
               : write_words(d, &d->next, &r->successor, slots, r->at, origin_of(&d->now, i), diag);
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
                               int64_t i, const double *params, td_diag *diag) {
    double *slots = e->chooser.slots;
    for (int32_t k = 0; k < r->strict.param_count; k++) {
        slots[r->strict.first_slot + k] = params[k];
    }
    return write_words(d, &d->next, &r->successor, slots, r->at, origin_of(&d->now, i), diag);
}

// Rewrites the module at i, or passes the rest of a branch that '%' drops; *i and *param move on.
static td_status rewrite_at(td_derivation *d, int64_t *i, int64_t *param, td_diag *diag) {
    const place since = end_of_next(d);
    int64_t used, run = *i, block = since.uses;
    td_status status = rewrite_module(d, *i, *param, &used, diag);
    status = status == TD_OK ? note_uses(d, since) : status;
    for (; run < *i + used && status == TD_OK; run++) {
        status = enter_or_leave(d, run, *param, &block, diag);
        *param += d->arity[d->now.types[run]];
    }
    *i = used == 0 ? branch_end(d, *i, param) : run;
    return status;
}

static td_status rewrite(td_derivation *d, td_diag *diag) {
    const tdi_string_buffer *b = &d->now;
    td_status status = TD_OK;
    int64_t param = 0;
    d->next.count = d->next.param_count = 0;
    d->uses_next.count = d->use = 0;
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
                                  run_param - param, b->names ? b->names + i : NULL, diag);
        } else if (e->only[b->types[i]]) {
            const place since = end_of_next(d);
            status = follow(d, e, e->only[b->types[i]], i, b->params + param, diag);
            status = status == TD_OK ? note_uses(d, since) : status;
            run_param += d->arity[b->types[run++]];
        } else {
            status = rewrite_at(d, &run, &run_param, diag);
        }
        i = run;
        param = run_param;
    }
    while (d->opened_count > 0) { // without a '$'
        leave(d);
    }
    return status;
}

static void swap(td_derivation *d) {
    tdi_string_buffer held = d->now;
    tdi_uses uses = d->uses_now;
    d->now = d->next;
    d->next = held;
    d->uses_now = d->uses_next;
    d->uses_next = uses;
}

static td_status answer_queries(td_derivation *d, tdi_string_buffer *b, td_diag *diag) {
    if (!d->grammar->has_query) {
        return TD_OK;
    }
    td_string s = tdi_buffer_view(b);
    tdi_variables variables = d->variables;
    variables.uses = &d->uses_next;
    s.variables = &variables;
    td_status status =
        tdi_query_fill(d->grammar, &s, b->params, d->step, &d->opts.environment, d->alloc, diag);
    for (int64_t i = 0; i < b->param_count && d->variables.single; i++) {
        b->params[i] = (double)(float)b->params[i];
    }
    return status;
}

// What the lower layers report without a diagnostic of their own gets one here.
td_status tdi_derivation_explain(td_status status, td_diag *diag) {
    if (status == TD_ERR_MEMORY) {
        return tdi_fail(diag, status, "out of memory while deriving");
    }
    return status;
}

static td_status step(td_derivation *d, td_diag *diag) {
    const td_grammar *g = d->grammar;
    d->globals[TDI_GLOBAL_STEP] = d->step + 1;
    td_status status = run_block(d, g->phases.start_each, diag);
    td_string s = tdi_buffer_view(&d->now);
    for (int32_t k = 0; k < g->system_count && status == TD_OK; k++) {
        status = tdi_engine_look(&d->engines[k], &s, d->alloc);
        if (status == TD_ERR_LIMIT) {
            return tdi_fail(diag, status, "the string is too long for context matching");
        }
    }
    status = status == TD_OK ? rewrite(d, diag) : status;
    d->engine = &d->engines[0];
    status = status == TD_OK ? run_block(d, g->phases.end_each, diag) : status;
    if (status == TD_OK) {
        d->step++;
        status = answer_queries(d, &d->next, diag);
        d->step -= status != TD_OK;
    }
    return tdi_derivation_explain(status, diag);
}

td_status td_derivation_step(td_derivation *derivation, td_diag *diag) {
    TDI_REFUSE_IF(!derivation);
    td_status status = step(derivation, diag);
    if (status == TD_OK) {
        swap(derivation);
        derivation->written += derivation->now.count;
    }
    return status;
}

td_status td_derivation_end(td_derivation *derivation, td_diag *diag) {
    TDI_REFUSE_IF(!derivation);
    return run_block(derivation, derivation->grammar->phases.end, diag);
}

td_status tdi_derivation_begin(td_derivation *d, td_diag *diag) {
    double no_slots[1] = {0};
    const td_grammar *g = d->grammar;
    td_status status = TD_OK;
    for (int32_t k = 0; k < g->system_count && status == TD_OK; k++) {
        status = run_block(d, g->systems[k]->phases.start, diag);
    }
    if (status == TD_OK) {
        memcpy(d->new_globals, d->globals, (size_t)g->global_count * sizeof *d->globals);
        memcpy(d->new_arrays, d->arrays, (size_t)g->array.value_count * sizeof *d->arrays);
        const origin nothing = {0, TD_NONE};
        status =
            write_words(d, &d->next, &g->rules.axiom, no_slots, g->rules.axiom_at, nothing, diag);
    }
    status = status == TD_OK ? note_uses(d, (place){0, 0, 0}) : status;
    status = status == TD_OK ? answer_queries(d, &d->next, diag) : status;
    swap(d);
    return tdi_derivation_explain(status, diag);
}
