// SPDX-License-Identifier: MIT
// Uses an installed Tendril from C: grows a fork and prints its mass.

#include <stdio.h>
#include <string.h>
#include <tendril/tendril.h>

int main(void) {
    const char *text = "axiom: !(0.02)F(1)[+(30)F(0.5)][-(30)F(0.5)]\n";
    td_grammar_def def = td_grammar_def_default();
    def.text = text;
    def.text_size = strlen(text);
    td_grammar *grammar;
    td_derivation *derivation;
    td_skeleton *skeleton;
    td_derive_opts derive = td_derive_opts_default();
    td_skeleton_opts opts = td_skeleton_opts_default();
    if (td_grammar_new(&def, NULL, &grammar, NULL) != TD_OK ||
        td_derivation_new(grammar, &derive, NULL, &derivation, NULL) != TD_OK) {
        return 1;
    }
    td_string string = td_derivation_string(derivation);
    if (td_skeleton_from_string(grammar, &string, &opts, NULL, &skeleton, NULL) != TD_OK) {
        return 1;
    }
    printf("tendril %s: %d segments\n", td_version(), td_skeleton_count(skeleton));
    int fine = td_skeleton_count(skeleton) == 3;
    td_skeleton_free(skeleton);
    td_derivation_free(derivation);
    td_grammar_free(grammar);
    return fine ? 0 : 1;
}
