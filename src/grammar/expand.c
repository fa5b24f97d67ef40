// SPDX-License-Identifier: MIT
// Decomposition and homomorphism.

#include "grammar/expand.h"

#define MAX_REPLACEMENTS 200000000 // a run: a section that multiplies without end stops here
#define MAX_OPEN_PARAMS  16000000  // of all open successors

td_status tdi_expander_new(tdi_expander *e, const td_alloc *alloc) {
    e->left = MAX_REPLACEMENTS;
    return tdi_chooser_new(&e->chooser, alloc);
}

void tdi_expander_free(tdi_expander *e, const td_alloc *alloc) {
    tdi_alloc_free(alloc, e->levels, (size_t)e->level_capacity * sizeof *e->levels);
    tdi_alloc_free(alloc, e->params, (size_t)e->param_capacity * sizeof *e->params);
    tdi_chooser_free(&e->chooser, alloc);
    e->levels = NULL;
    e->params = NULL;
    e->level_capacity = e->param_capacity = 0;
}

void tdi_expander_start(tdi_expander *e, const tdi_site *site) {
    e->start = *site;
    e->used = 0;
    e->depth = 0;
    e->param_count = 0;
}

// The next module and those after it in the innermost successor, closing those that are used up.
static bool peek(tdi_expander *e, tdi_site *site) {
    *site = e->start;
    while (e->depth > 0) {
        const tdi_expand_level *level = &e->levels[e->depth - 1];
        site->count = level->words->module_count - level->module;
        if (site->count > 0) {
            site->types = level->words->types + level->module;
            site->params = e->params + level->param;
            return true;
        }
        e->depth--;
        e->param_count = level->param - level->words->arg_count;
    }
    site->count = e->start.count;
    return e->used == 0;
}

// passes `count` modules of the innermost successor
static void pass(tdi_expander *e, const uint16_t *types, int32_t count) {
    if (e->depth == 0) {
        e->used = count;
        return;
    }
    tdi_expand_level *level = &e->levels[e->depth - 1];
    level->module += count;
    for (int32_t k = 0; k < count; k++) {
        level->param += e->chooser.grammar->symbols.types[types[k]].param_count;
    }
}

static td_status open_successor(tdi_expander *e, const tdi_production *r, double *slots,
                                const td_alloc *alloc, td_diag *diag) {
    const tdi_words *words = &r->successor;
    if (--e->left < 0) {
        return tdi_source_fail(
            &e->chooser.grammar->source, r->at, diag, TD_ERR_LIMIT,
            "this production was used more than %d times in one pass; does it ever end?",
            MAX_REPLACEMENTS);
    }
    if (e->param_count + words->arg_count > MAX_OPEN_PARAMS) {
        return tdi_source_fail(&e->chooser.grammar->source, r->at, diag, TD_ERR_LIMIT,
                               "this section nests so deep that its modules have more than %d "
                               "parameters together; lower its maximum depth",
                               MAX_OPEN_PARAMS);
    }
    double *params = tdi_array_reserve(alloc, e->params, &e->param_capacity,
                                       e->param_count + words->arg_count, sizeof *params);
    TDI_TRY(params ? TD_OK : TD_ERR_MEMORY);
    e->params = params;
    tdi_expand_level *levels =
        tdi_array_reserve(alloc, e->levels, &e->level_capacity, e->depth + 1, sizeof *levels);
    TDI_TRY(levels ? TD_OK : TD_ERR_MEMORY);
    e->levels = levels;
    td_status status =
        tdi_words_params(&e->chooser.machine, words, slots, e->params + e->param_count, diag);
    e->levels[e->depth++] = (tdi_expand_level){words, 0, e->param_count};
    e->param_count += words->arg_count;
    return status;
}

td_status tdi_expander_next(tdi_expander *e, const td_alloc *alloc, bool *more, uint16_t *type,
                            const double **params, td_diag *diag) {
    const tdi_section *s = e->chooser.section;
    for (;;) {
        tdi_site site;
        *more = peek(e, &site);
        if (!*more) {
            return TD_OK;
        }
        *type = site.types[0];
        *params = site.params;
        const tdi_production *r = NULL;
        double *slots;
        if (e->depth < s->max_depth && s->first[*type] != s->first[*type + 1]) {
            TDI_TRY(tdi_choose(&e->chooser, &site, &r, &slots, diag));
        }
        pass(e, site.types, r ? r->strict.count : 1);
        if (!r) {
            return TD_OK;
        }
        TDI_TRY(open_successor(e, r, slots, alloc, diag));
    }
}
