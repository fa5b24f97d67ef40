// SPDX-License-Identifier: MIT
// A plant that grows step by step. Its segments have names, which they keep when it grows.
#pragma once

#include <string.h>
#include <tendril/tendril.h>

typedef struct growing {
    td_grammar *grammar;
    td_derivation *string;
} growing;

static const char growing_text[] =
    "length unit: 0.04\nmaterial: 0 herb-stem\n"
    "surface: L leaf, width=0.45, curl=35\naxiom: !(0.16)F(1)A(1.5)\n"
    "A(s) : s > 0.3 --> !(0.11*s)F(s)[&(58)!(0.05)F(s*0.4)~L(s*2.2)]"
    "/(137.5)[&(40)!(0.06)F(s*0.7)~L(s*1.5)]/(98)A(s*0.88)\n"
    "A(s) : s <= 0.3 --> F(s)~L(s*2)\n";

static inline bool growing_make(growing *g, int steps, td_diag *diag) {
    td_diag_list faults = {diag, 1, 0};
    td_grammar_def def = td_grammar_def_default();
    td_derive_opts opts = td_derive_opts_default();
    def.text = growing_text;
    def.text_size = strlen(growing_text);
    opts.names = true;
    if (td_grammar_new(&def, NULL, &g->grammar, &faults) != TD_OK ||
        td_derivation_new(g->grammar, &opts, NULL, &g->string, diag) != TD_OK) {
        return false;
    }
    for (int k = 0; k < steps; k++) {
        td_derivation_step(g->string, diag);
    }
    return true;
}

// The plant so far, or NULL.
static inline td_skeleton *growing_skeleton(const growing *g) {
    const td_string string = td_derivation_string(g->string);
    td_skeleton *plant = NULL;
    td_skeleton_from_string(g->grammar, &string, NULL, NULL, &plant, NULL);
    return plant;
}

static inline void growing_free(growing *g) {
    td_derivation_free(g->string);
    td_grammar_free(g->grammar);
}
