// SPDX-License-Identifier: MIT
// Ids that segments keep while a plant grows. Pairs with src/plant/ids.c.

#include "td_test.h"

#include <stdlib.h>

typedef struct growing {
    td_grammar *grammar;
    td_derivation *derivation;
} growing;

static growing seeded(const char *text, bool names) {
    growing g = {NULL, NULL};
    td_grammar_def def = td_grammar_def_default();
    td_derive_opts opts = td_derive_opts_default();
    def.text = text;
    def.text_size = strlen(text);
    opts.names = names;
    CHECK_INT(td_grammar_new(&def, NULL, &g.grammar, NULL), TD_OK);
    CHECK_INT(td_derivation_new(g.grammar, &opts, NULL, &g.derivation, NULL), TD_OK);
    return g;
}

static void done(growing *g) {
    td_derivation_free(g->derivation);
    td_grammar_free(g->grammar);
}

static td_skeleton *skeleton_of(const growing *g) {
    const td_string string = td_derivation_string(g->derivation);
    td_skeleton *skeleton = NULL;
    CHECK_INT(td_skeleton_from_string(g->grammar, &string, NULL, NULL, &skeleton, NULL), TD_OK);
    return skeleton;
}

// How many segments of `before` are at another place, or nowhere, under their id in `after`.
static int32_t lost(const td_skeleton *before, const td_skeleton *after) {
    const int32_t n = td_skeleton_count(before), m = td_skeleton_count(after);
    FREED td_vec3 *a = calloc((size_t)n + 1, sizeof *a), *b = calloc((size_t)m + 1, sizeof *b);
    int32_t count = 0;
    td_skeleton_pose(before, TD_POSE_REST, a, NULL);
    td_skeleton_pose(after, TD_POSE_REST, b, NULL);
    for (int32_t i = 0; i < n; i++) {
        bool found = false;
        for (int32_t k = 0; k < m && !found; k++) {
            found = td_skeleton_segments(after)[k].id == td_skeleton_segments(before)[i].id &&
                    td_vec3_distance(a[i], b[k]) < 1e-12;
        }
        count += !found;
    }
    return count;
}

static int32_t lost_in_growth(const char *text, int32_t steps, bool names) {
    growing g = seeded(text, names);
    int32_t count = 0;
    td_skeleton *before = skeleton_of(&g);
    for (int32_t k = 0; k < steps; k++) {
        CHECK_INT(td_derivation_step(g.derivation, NULL), TD_OK);
        td_skeleton *after = skeleton_of(&g);
        count += lost(before, after);
        td_skeleton_free(before);
        before = after;
    }
    td_skeleton_free(before);
    done(&g);
    return count;
}

static const char bush[] = "axiom: !(0.01)A(1)\n"
                           "A(s) --> F(s)[+(40)A(s*0.7)][-(35)A(s*0.6)]/(137.5)A(s*0.9)\n";

TD_TEST(ids_of_segments_stay_through_growth_where_modules_have_names) {
    CHECK_INT(lost_in_growth(bush, 6, true), 0);
    CHECK(lost_in_growth(bush, 6, false) > 0); // the order of the string moves them
}

// Stems that get longer stay themselves: what is new stands at the tip.
TD_TEST(ids_of_stems_that_get_longer_stay) {
    growing g = seeded("axiom: !(0.01)F(1)[+(40)F(1)]A\nF(s) --> F(s*1.1)\nA --> F(1)A\n", true);
    td_skeleton *before = skeleton_of(&g);
    CHECK_INT(td_derivation_step(g.derivation, NULL), TD_OK);
    td_skeleton *after = skeleton_of(&g);
    CHECK_INT(td_skeleton_count(after), 3);
    for (int32_t i = 0; i < 2; i++) {
        CHECK_INT(td_skeleton_segments(before)[i].id, td_skeleton_segments(after)[i].id);
    }
    td_skeleton_free(before);
    td_skeleton_free(after);
    done(&g);
}

// Decomposition, homomorphism that draws several stems of one module, and leaves.
TD_TEST(ids_stay_with_decomposition_and_homomorphism) {
    CHECK_INT(lost_in_growth("surface: L leaf\n"
                             "axiom: !(0.01)A\n"
                             "A --> I[+(30)B]/(90)A\n"
                             "B --> I~L(0.3)\n"
                             "decomposition\n"
                             "I --> MM\n"
                             "homomorphism\n"
                             "M --> F(0.2)/(10)F(0.1)\n",
                             5, true),
              0);
}

TD_TEST(ids_are_unique_in_a_large_plant) {
    growing g = seeded(bush, true);
    for (int k = 0; k < 10; k++) {
        CHECK_INT(td_derivation_step(g.derivation, NULL), TD_OK);
    }
    td_skeleton *skeleton = skeleton_of(&g); // which refuses ids that are there twice
    CHECK_INT(td_skeleton_count(skeleton), (59049 - 1) / 2);
    td_skeleton_free(skeleton);
    done(&g);
}
