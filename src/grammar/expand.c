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

void tdi_expander_start(tdi_expander *e, uint16_t type, const double *params) {
    e->start_type = type;
    e->start_params = params;
    e->started = false;
    e->depth = 0;
    e->param_count = 0;
}

// Takes the next module of the innermost successor, closing those that are used up.
static bool take(tdi_expander *e, uint16_t *type, const double **params) {
    if (!e->started) {
        e->started = true;
        *type = e->start_type;
        *params = e->start_params;
        return true;
    }
    while (e->depth > 0) {
        tdi_expand_level *level = &e->levels[e->depth - 1];
        if (level->module < level->words->module_count) {
            *type = level->words->types[level->module++];
            *params = e->params + level->param;
            level->param += e->chooser.grammar->types[*type].param_count;
            return true;
        }
        e->depth--;
        e->param_count = level->param - level->words->arg_count;
    }
    return false;
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
    double *grown = tdi_array_reserve(alloc, e->params, &e->param_capacity,
                                      e->param_count + words->arg_count, sizeof *grown);
    tdi_expand_level *levels =
        tdi_array_reserve(alloc, e->levels, &e->level_capacity, e->depth + 1, sizeof *levels);
    e->params = grown ? grown : e->params;
    e->levels = levels ? levels : e->levels;
    if (!grown || !levels) {
        return TD_ERR_MEMORY;
    }
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
        *more = take(e, type, params);
        if (!*more || e->depth == s->max_depth || s->first[*type] == s->first[*type + 1]) {
            return TD_OK;
        }
        const tdi_production *r;
        double *slots;
        td_status status = tdi_choose(&e->chooser, *type, *params, 0, &r, &slots, diag);
        if (status != TD_OK || !r) {
            return status;
        }
        status = open_successor(e, r, slots, alloc, diag);
        if (status != TD_OK) {
            return status;
        }
    }
}
