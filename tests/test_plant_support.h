// SPDX-License-Identifier: MIT
#pragma once

// Shared by the tests of the plant layer: from a model's text to what is tested.

#include "td_test.h"

typedef struct test_plant {
    td_grammar *grammar;
    td_derivation *derivation;
    td_string string;
    td_skeleton *skeleton;
    td_status status; // of the step that failed last, or of the skeleton
    td_diag diag;
} test_plant;

static inline void test_plant_free(test_plant *p) {
    td_skeleton_free(p->skeleton);
    td_derivation_free(p->derivation);
    td_grammar_free(p->grammar);
    memset(p, 0, sizeof *p);
}
OWNED_VALUE(test_plant, test_plant_free(value))

// derives the text to its own length; makes no skeleton
static inline test_plant test_derive(const char *text) {
    test_plant p;
    memset(&p, 0, sizeof p);
    td_grammar_def def = td_grammar_def_default();
    def.text = text;
    def.text_size = strlen(text);
    td_diag_list list = {&p.diag, 1, 0};
    p.status = td_grammar_new(&def, NULL, &p.grammar, &list);
    td_derive_opts opts = td_derive_opts_default();
    if (p.status == TD_OK) {
        p.status = td_derivation_new(p.grammar, &opts, NULL, &p.derivation, &p.diag);
    }
    for (int32_t i = 0; p.status == TD_OK && i < td_grammar_steps(p.grammar); i++) {
        p.status = td_derivation_step(p.derivation, &p.diag);
    }
    if (p.status != TD_OK) {
        test_failed(__FILE__, __LINE__, "cannot derive: %s", p.diag.message);
        return p;
    }
    p.string = td_derivation_string(p.derivation);
    return p;
}

// the same with the skeleton; a refusal is left in status and diag
static inline test_plant test_grow(const char *text, const td_skeleton_opts *opts) {
    test_plant p = test_derive(text);
    if (p.status == TD_OK) {
        p.status = td_skeleton_from_string(p.grammar, &p.string, opts, NULL, &p.skeleton, &p.diag);
    }
    return p;
}

// the same, and it must work: checks the count of segments, so that tests may index them
static inline test_plant test_grow_count(const char *text, int32_t count) {
    test_plant p = test_grow(text, NULL);
    if (CHECK_SAY(p.status == TD_OK, "no skeleton: %s", p.diag.message) &&
        !CHECK_SAY(td_skeleton_count(p.skeleton) == count, "%d segments, wanted %d",
                   td_skeleton_count(p.skeleton), count)) {
        td_skeleton_free(p.skeleton);
        p.skeleton = NULL;
    }
    return p;
}

// A skeleton, and sums without one, in memory that ends at any call; `calls` for a skeleton.
static inline void check_reading_without_memory(const test_plant *p, long calls) {
    WITH_SCARCE(memory, calls) {
        OWNED(td_skeleton) *skeleton = NULL;
        td_diag diag = {.status = TD_OK};
        CHECK_INT(
            td_skeleton_from_string(p->grammar, &p->string, NULL, &memory.alloc, &skeleton, &diag),
            scarce_status(&memory));
        CHECK_INT(diag.status, scarce_status(&memory));
        CHECK((scarce_status(&memory) == TD_OK) == (skeleton != NULL));
    }
    WITH_SCARCE(memory, 1) {
        td_totals totals;
        CHECK_INT(td_totals_from_string(p->grammar, &p->string, NULL, &memory.alloc, &totals, NULL),
                  scarce_status(&memory));
    }
}
