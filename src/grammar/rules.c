// SPDX-License-Identifier: MIT
// Choosing among productions.

#include "grammar/rules.h"

#include <float.h>
#include <math.h>
#include <string.h>

td_status tdi_chooser_new(tdi_chooser *chooser, const td_alloc *alloc) {
    int32_t room = chooser->section->max_bucket > 0 ? chooser->section->max_bucket : 1;
    chooser->room = room;
    chooser->slots = tdi_alloc_zeroed(alloc, (size_t)room * TDI_MAX_SLOTS, sizeof(double));
    chooser->weights = tdi_alloc_zeroed(alloc, (size_t)room, sizeof(double));
    chooser->matched = tdi_alloc_zeroed(alloc, (size_t)room, sizeof(int32_t));
    if (!chooser->slots || !chooser->weights || !chooser->matched) {
        tdi_chooser_free(chooser, alloc);
        return TD_ERR_MEMORY;
    }
    return TD_OK;
}

void tdi_chooser_free(tdi_chooser *chooser, const td_alloc *alloc) {
    size_t room = (size_t)chooser->room;
    tdi_alloc_free(alloc, chooser->slots, room * TDI_MAX_SLOTS * sizeof(double));
    tdi_alloc_free(alloc, chooser->weights, room * sizeof(double));
    tdi_alloc_free(alloc, chooser->matched, room * sizeof(int32_t));
    chooser->slots = chooser->weights = NULL;
    chooser->matched = NULL;
}

// Whether the modules after the first are those of the strict predecessor.
static bool match_strict(const tdi_site *site, const tdi_context *strict) {
    if (strict->count > site->count) {
        return false;
    }
    for (int32_t k = 1; k < strict->count; k++) {
        if (site->types[k] != strict->types[k]) {
            return false;
        }
    }
    return true;
}

static inline void bind(const tdi_production *r, const tdi_site *site, double *slots) {
    for (int32_t k = 0; k < r->strict.param_count; k++) {
        slots[r->strict.first_slot + k] = site->params[k];
    }
}

// Strict predecessor and contexts; binds their parameters.
static bool match(const tdi_chooser *c, const tdi_production *r, const tdi_site *site,
                  double *slots) {
    int64_t last = site->last == TD_NONE ? site->first + r->strict.count - 1 : site->last;
    if ((r->strict.count > 1 && !match_strict(site, &r->strict)) ||
        (r->left.count + r->right.count > 0 &&
         !tdi_neighbours_match(c->neighbours, c->grammar, &c->string, r, site->first, last,
                               slots)) ||
        (r->made.count > 0 && !tdi_context_at_end(c->grammar, &c->made, &r->made, slots))) {
        return false;
    }
    bind(r, site, slots);
    return true;
}

// Contexts, {before} and condition. *applies says whether the production may be used.
static td_status test(tdi_chooser *c, const tdi_production *r, const tdi_site *site, double *slots,
                      bool *applies, td_diag *diag) {
    if (r->plain) {
        bind(r, site, slots);
        *applies = true;
        return TD_OK;
    }
    *applies = match(c, r, site, slots);
    if (!*applies) {
        return TD_OK;
    }
    for (int32_t s = r->bound_count; s < r->slot_count; s++) {
        slots[s] = 0;
    }
    td_status status = TD_OK;
    double value = 1;
    if (r->before != TD_NONE) {
        status = tdi_machine_run(&c->machine, r->before, slots, NULL, diag);
    }
    if (status == TD_OK && r->condition != TD_NONE) {
        status = tdi_machine_run(&c->machine, r->condition, slots, &value, diag);
    }
    *applies = value != 0;
    return status;
}

static td_status weigh(tdi_chooser *c, const tdi_production *r, double *slots, double *weight,
                       td_diag *diag) {
    *weight = 1;
    if (r->weight == TD_NONE) {
        return TD_OK;
    }
    const tdi_op *op = &c->grammar->code.ops[r->weight];
    td_status status = TD_OK;
    if (op[0].code == TDI_CODE_CONSTANT && op[1].code == TDI_CODE_END) { // most are
        *weight = op[0].k;
    } else {
        status = tdi_machine_run(&c->machine, r->weight, slots, weight, diag);
    }
    if (status == TD_OK && *weight < 0) {
        return tdi_source_fail(
            &c->grammar->source, c->grammar->code.op_at[r->weight], diag, TD_ERR_EVAL,
            "the weight of this production is %g; it must be at least 0", *weight);
    }
    return status;
}

// one of `count` candidates, with a chance in proportion to its weight; TD_NONE if all weigh 0
static int32_t draw(tdi_chooser *c, int32_t count) {
    double total = 0;
    for (int32_t k = 0; k < count; k++) {
        total += c->weights[k];
    }
    if (!(total > 0)) {
        return TD_NONE;
    }
    if (count == 1) {
        return 0;
    }
    double mark = tdi_random_uniform(&c->machine.dice->own) * total;
    int32_t k = 0;
    while (k < count - 1 && mark >= c->weights[k]) {
        mark -= c->weights[k++];
    }
    while (c->weights[k] == 0) { // rounding never picks what weighs nothing
        k--;
    }
    return k;
}

td_status tdi_choose(tdi_chooser *c, const tdi_site *site, const tdi_production **production,
                     double **slots, td_diag *diag) {
    const tdi_section *s = c->section;
    int32_t type = site->types[0], count = 0, pick = TD_NONE;
    *production = NULL;
    for (int32_t k = s->first[type]; k < s->first[type + 1] && pick == TD_NONE; k++) {
        const tdi_production *r = &s->productions[k];
        double *frame = c->slots + (size_t)count * TDI_MAX_SLOTS;
        bool applies;
        td_status status = test(c, r, site, frame, &applies, diag);
        if (status == TD_OK && applies && c->stochastic) {
            status = weigh(c, r, frame, &c->weights[count], diag);
        }
        if (status != TD_OK) {
            return status;
        }
        if (applies) {
            c->matched[count++] = k;
            pick = c->stochastic ? TD_NONE : 0;
        }
    }
    if (c->stochastic && count > 0) {
        pick = draw(c, count);
    }
    if (pick == TD_NONE) {
        return TD_OK;
    }
    *production = &s->productions[c->matched[pick]];
    *slots = c->slots + (size_t)pick * TDI_MAX_SLOTS;
    if ((*production)->after != TD_NONE) {
        return tdi_machine_run(&c->machine, (*production)->after, *slots, NULL, diag);
    }
    return TD_OK;
}

// cpfg stores a parameter as a float and computes with doubles.
static td_status round_params(const tdi_machine *machine, const tdi_words *words, double *params,
                              td_diag *diag) {
    const td_grammar *g = machine->grammar;
    for (int32_t k = 0; k < words->arg_count; k++) {
        if (!(fabs(params[k]) <= FLT_MAX)) {
            const tdi_arg *arg = &words->args[k];
            size_t at = arg->kind == TDI_ARG_CODE ? g->code.op_at[arg->a] : g->rules.axiom_at;
            return tdi_source_fail(&g->source, at, diag, TD_ERR_EVAL,
                                   "a parameter of %g is too large for single precision",
                                   params[k]);
        }
        params[k] = (double)(float)params[k];
    }
    return TD_OK;
}

td_status tdi_words_params(const tdi_machine *machine, const tdi_words *words, double *slots,
                           double *params, td_diag *diag) {
    for (int32_t k = 0; k < words->arg_count; k++) {
        const tdi_arg *arg = &words->args[k];
        if (arg->kind == TDI_ARG_CODE) {
            TDI_TRY(tdi_machine_run(machine, arg->a, slots, &params[k], diag));
        } else {
            params[k] = arg->kind == TDI_ARG_SLOT ? slots[arg->a] : arg->k;
        }
    }
    return machine->single ? round_params(machine, words, params, diag) : TD_OK;
}
