// SPDX-License-Identifier: MIT
// What rewriting by one L-system needs.

#include "grammar/engine.h"

static void make_gates(tdi_engine *e) {
    const tdi_section *s = &e->grammar->rules.rewrite;
    for (int32_t k = 0; k < s->count; k++) {
        const tdi_production *r = &s->productions[k];
        const tdi_context *l = &r->left, *c = &r->right;
        bool direct = c->count > 0 && c->types[0] != TDI_TYPE_PUSH && !c->literal;
        e->left_gate[r->predecessor] |=
            l->count > 0 ? UINT64_C(1) << (l->types[l->count - 1] % 64) : UINT64_MAX;
        e->right_gate[r->predecessor] |=
            direct && r->strict.count == 1 ? UINT64_C(1) << (c->types[0] % 64) : UINT64_MAX;
    }
    const tdi_section *parts = &e->grammar->rules.decompose;
    for (int32_t k = 0; k < parts->count; k++) {
        uint16_t type = parts->productions[k].predecessor;
        e->left_gate[type] = e->right_gate[type] = UINT64_MAX;
    }
}

// '%', '?(n)' and '$' are looked at whatever productions there are.
static void make_tables(tdi_engine *e) {
    const td_grammar *g = e->grammar;
    for (int32_t t = 0; t < g->symbols.type_count; t++) {
        int32_t first = g->rules.rewrite.first[t], count = g->rules.rewrite.first[t + 1] - first;
        bool parted = g->rules.decompose.first[t] != g->rules.decompose.first[t + 1];
        uint8_t op = g->symbols.types[t].op;
        bool special = op == TDI_OP_CUT || op == TDI_OP_SUB_OPEN || op == TDI_OP_SUB_CLOSE;
        const tdi_production *r = count == 1 ? &g->rules.rewrite.productions[first] : NULL;
        bool simple = r && r->plain && r->weight == TD_NONE && g->rules.decompose.count == 0;
        e->still[t] = count == 0 && !parted && !special;
        e->only[t] = simple && !special ? r : NULL;
        e->left_gate[t] = e->right_gate[t] = special ? UINT64_MAX : 0;
    }
    make_gates(e);
    e->contexts = g->rules.rewrite.has_left || g->rules.rewrite.has_right ||
                  g->rules.decompose.has_left || g->rules.decompose.has_right;
}

td_status tdi_engine_new(tdi_engine *e, const td_grammar *system, const tdi_machine *machine,
                         bool stochastic, const td_alloc *alloc) {
    size_t types = (size_t)system->symbols.type_count;
    e->grammar = system;
    e->still = tdi_alloc_zeroed(alloc, types, 1);
    e->only = tdi_alloc_zeroed(alloc, types, sizeof *e->only);
    e->left_gate = tdi_alloc_zeroed(alloc, types, sizeof *e->left_gate);
    e->right_gate = tdi_alloc_zeroed(alloc, types, sizeof *e->right_gate);
    if (!e->still || !e->only || !e->left_gate || !e->right_gate) {
        return TD_ERR_MEMORY;
    }
    make_tables(e);
    e->chooser = (tdi_chooser){.grammar = system,
                               .section = &system->rules.rewrite,
                               .machine = *machine,
                               .stochastic = stochastic,
                               .neighbours = &e->neighbours};
    e->chooser.machine.grammar = system;
    e->expander.chooser = e->chooser;
    e->expander.chooser.section = &system->rules.decompose;
    e->expander.chooser.stochastic = stochastic && system->rules.decompose.has_weights;
    td_status status = tdi_chooser_new(&e->chooser, alloc);
    return status == TD_OK ? tdi_expander_new(&e->expander, alloc) : status;
}

void tdi_engine_free(tdi_engine *e, const td_alloc *alloc) {
    if (!e->grammar) {
        return;
    }
    size_t types = (size_t)e->grammar->symbols.type_count;
    tdi_neighbours_free(&e->neighbours, alloc);
    tdi_chooser_free(&e->chooser, alloc);
    tdi_expander_free(&e->expander, alloc);
    tdi_alloc_free(alloc, e->still, types);
    tdi_alloc_free(alloc, e->only, types * sizeof *e->only);
    tdi_alloc_free(alloc, e->left_gate, types * sizeof *e->left_gate);
    tdi_alloc_free(alloc, e->right_gate, types * sizeof *e->right_gate);
}

td_status tdi_engine_look(tdi_engine *e, const td_string *string, const td_alloc *alloc) {
    const td_grammar *g = e->grammar;
    e->chooser.string = e->expander.chooser.string = *string;
    bool right = g->rules.rewrite.has_right || g->rules.decompose.has_right;
    return e->contexts ? tdi_neighbours_find(&e->neighbours, g, string, right, alloc) : TD_OK;
}
