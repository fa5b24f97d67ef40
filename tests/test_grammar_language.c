// SPDX-License-Identifier: MIT
// The language: layout, header, modules, productions, sections. Pairs with src/grammar/parser.c,
// header.c, rules.c, neighbours.c, expand.c and derive.c; the claims are those of
// docs/guide/language.md.

#include "test_grammar_support.h"

#include "tendril/pool.h"

// ---- layout ---------------------------------------------------------------------------------

TD_TEST(grammar_lsystem_and_endlsystem_are_optional_and_end_what_is_read) {
    CHECK_DERIVED("axiom: A\nA --> AB\n", 2, "ABB");
    CHECK_DERIVED("lsystem: any label, 1:2!\naxiom: A\nA --> AB\nendlsystem\n(((\n", 2, "ABB");
}

// the model at the head of the guide: six internodes, each with two leaves
TD_TEST(grammar_first_model_of_the_guide_grows) {
    OWNED(test_model) m =
        test_model_good("#define ANGLE 28\nlsystem: sprig\nderivation length: 6\n"
                        "angle increment: ANGLE\nlength unit: 0.03\n"
                        "material: 0 herb-stem\nsurface: L leaf, width=0.45, curl=25\n"
                        "axiom: !(0.1)A(1)\n"
                        "A(s) : s > 0.3 --> F(s)[+~L(s*1.2)]/(137.5)[&~L(s)]/(137.5)"
                        "A(s*0.85)\nA(s) : s <= 0.3 --> F(s)~L(s)\nendlsystem\n",
                        6);
    CHECK_INT(test_count(&m, "F"), 6);
    CHECK_INT(test_count(&m, "~L"), 12);
    CHECK_REL(test_param(&m, -1), pow(0.85, 6), 1e-15);
}

TD_TEST(grammar_header_items_come_in_any_order_and_any_case) {
    CHECK_DERIVED("Derivation Length: 3\nANGLE INCREMENT: 30\nlsystem: x\nignore: F\n"
                  "Axiom: A\nA --> AB\n",
                  1, "AB");
}

TD_TEST(grammar_derivation_length_is_told_and_is_0_when_missing) {
    OWNED(test_model) m = test_model_good("#define N 4\nderivation length: N*2+1\naxiom: A\n", 0);
    CHECK_INT(td_grammar_steps(m.grammar), 9);
    test_model_free(&m);
    m = test_model_good("axiom: A\n", 0);
    CHECK_INT(td_grammar_steps(m.grammar), 0);
}

// ---- blocks of the header -------------------------------------------------------------------

TD_TEST(grammar_start_runs_before_the_axiom_and_each_step_has_two_blocks) {
    const char *text = "Start: { n = 10; }\nStartEach: { n = n + 1; }\nEndEach: { n = n * 2; }\n"
                       "axiom: A(n)\nA(x) --> A(n)\n";
    CHECK_DERIVED(text, 0, "A(10)");
    CHECK_DERIVED(text, 1, "A(11)");
    CHECK_DERIVED(text, 2, "A(23)"); // 11*2 + 1
}

TD_TEST(grammar_blocks_may_share_a_line_and_span_lines) {
    CHECK_DERIVED("Start: { n = 1; } StartEach: { n = n + 1; }\nEndEach: {\n"
                  "n = n * 3;\n} axiom: A(n)\nA(x) --> A(n)\n",
                  2, "A(7)");
}

// what End sets is seen by the homomorphism alone
TD_TEST(grammar_end_runs_when_asked_after_the_last_step) {
    OWNED(test_model) m =
        test_model_good("Start: { n = 1; }\nEnd: { n = n + 4; }\naxiom: A\nA --> AA\n"
                        "homomorphism\nA --> F(n)\n",
                        1);
    td_totals totals = {0};
    td_string s = td_derivation_string(m.derivation);
    CHECK_INT(td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, NULL), TD_OK);
    CHECK_REL(totals.length, 2, 0);
    CHECK_INT(td_derivation_end(m.derivation, NULL), TD_OK);
    s = td_derivation_string(m.derivation);
    CHECK_INT(td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, NULL), TD_OK);
    CHECK_REL(totals.length, 10, 0);
}

TD_TEST(grammar_productions_may_change_globals) {
    // A is rewritten from left to right, so each sees the count so far
    CHECK_DERIVED("Start: { n = 0; }\naxiom: AAA\nA : 1 { n = n + 1; } --> B(n)\n", 1,
                  "B(1)B(2)B(3)");
}

// ---- modules --------------------------------------------------------------------------------

// how many types of the grammar have this name and number of parameters
static int32_t types_named(const td_grammar *g, const char *name, int32_t params) {
    int32_t found = 0;
    for (int32_t t = 0; t < td_grammar_type_count(g); t++) {
        found +=
            strcmp(td_grammar_type_name(g, t), name) == 0 && td_grammar_type_params(g, t) == params;
    }
    return found;
}

TD_TEST(grammar_symbols_are_one_character_or_a_name_of_the_turtle) {
    const char *names[] = {"a",   "Z",   "0",   "F",   "G",  "f",  "g",  "+",  "-",  "&",    "^",
                           "\\",  "/",   "|",   "$",   "!",  "#",  ";",  "'",  ",",  "{",    ".",
                           "}",   "%",   "@v",  "@R",  "@M", "@O", "@o", "@c", "@T", "@Mat", "@Gs",
                           "@Gc", "@Ge", "@Ts", "@Td", "?P", "?H", "?L", "?U", "?E", "~L"};
    const int32_t params[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                              0, 0, 0, 3, 3, 0, 0, 0, 0, 1, 0, 0, 0, 1, 3, 3, 3, 3, 3, 0, 0};
    const char *brackets[] = {"", "(1)", "", "(1,0,0)"};
    char text[512] = "surface: L leaf\naxiom: A\nA --> [";
    size_t count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < count; i++) {
        strcat(text, names[i]);
        strcat(text, brackets[params[i]]);
    }
    strcat(text, "]\n");
    OWNED(test_model) m = test_model_good(text, 0);
    for (size_t i = 0; i < count && m.grammar; i++) {
        if (types_named(m.grammar, names[i], params[i]) != 1) {
            test_failed(__FILE__, __LINE__, "module %s was not read", names[i]);
        }
    }
    CHECK_INT(m.grammar ? td_grammar_type_count(m.grammar) : 0, (int)count + 3); // A [ ]
}

TD_TEST(grammar_modules_with_other_parameter_counts_are_other_modules) {
    CHECK_DERIVED("axiom: AA(1)A(1,2)\nA --> B\nA(x) --> C\nA(x,y) --> D\n", 1, "BCD");
    OWNED(test_model) m = test_model_good("axiom: AA(1)A(1,2)A(7)\n", 0);
    td_string s = td_derivation_string(m.derivation);
    CHECK_INT(s.module_count, 4);
    CHECK_INT(s.param_count, 4);
    CHECK(s.types[0] != s.types[1] && s.types[1] != s.types[2] && s.types[1] == s.types[3]);
    CHECK_INT(td_grammar_type_params(m.grammar, s.types[2]), 2);
    CHECK_TEXT(td_grammar_type_name(m.grammar, s.types[2]), "A");
}

TD_TEST(grammar_spaces_between_modules_mean_nothing) {
    CHECK_DERIVED("axiom:  A  B (1) [ +F ]\tC\n", 0, "AB(1)[+F]C");
}

TD_TEST(grammar_a_module_has_up_to_32_parameters) {
    char text[512] = "axiom: A(1";
    for (int i = 2; i <= 32; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), ",%d", i);
    }
    char more[600];
    snprintf(more, sizeof more, "%s,33)\n", text);
    strcat(text, ")\n");
    test_model m = test_model_good(text, 0);
    CHECK_REL(test_param(&m, 31), 32, 0);
    test_model_free(&m);
    CHECK_HAS(test_derived(more, 0), "more than 32 parameters");
}

TD_TEST(grammar_modules_are_written_so_that_numbers_read_back) {
    OWNED(test_model) m = test_model_good("axiom: A(0.1,1/3,1e300,-2.5e-7,123456789,sqrt(2))\n", 0);
    td_string s = td_derivation_string(m.derivation);
    char text[300], again[330];
    size_t length = td_module_write(m.grammar, s.types[0], s.params, text, sizeof text);
    CHECK_INT(length, strlen(text));
    CHECK_HAS(text, "A(0.1,0.3333333333333333");
    snprintf(again, sizeof again, "axiom: %s\n", text);
    OWNED(test_model) b = test_model_good(again, 0);
    for (int i = 0; i < 6; i++) {
        CHECK_REL(test_param(&b, i), test_param(&m, i), 0);
    }
    char small[4];
    CHECK_INT(td_module_write(m.grammar, s.types[0], s.params, small, sizeof small), 3);
    CHECK_TEXT(small, "A(0");
    CHECK_INT(td_module_write(m.grammar, s.types[0], s.params, small, 0), 0);
    CHECK_TEXT(small, "A(0");
}

// ---- productions ----------------------------------------------------------------------------

TD_TEST(grammar_all_modules_are_rewritten_at_once) {
    CHECK_DERIVED("axiom: b\na --> ab\nb --> a\n", 5, "abaababa"); // ABOP 1.2
}

TD_TEST(grammar_a_module_that_no_production_matches_stays) {
    CHECK_DERIVED("axiom: A(2)BC(1,2)\nB --> BB\nA(x) : x > 5 --> Z\n", 2, "A(2)BBBBC(1,2)");
}

TD_TEST(grammar_the_first_matching_production_is_used) {
    CHECK_DERIVED("axiom: A(1)A(5)\nA(x) : x > 3 --> B\nA(x) --> C\nA(x) --> D\n", 1, "CB");
    // weights mean nothing without a seed
    CHECK_DERIVED("axiom: A\nA --> B : 0\nA --> C : 1\n", 1, "B");
}

TD_TEST(grammar_a_history_is_the_empty_successor_context_and_condition) {
    CHECK_DERIVED("axiom: ABA\nA --> *\n", 1, "B");
    CHECK_DERIVED("axiom: AB\n* < A > * : * --> C\n* < B : * --> D\n", 1, "CD");
    CHECK_DERIVED("axiom: A\nA -->\n", 1, "");
}

TD_TEST(grammar_formal_parameters_are_bound_by_position) {
    CHECK_DERIVED("axiom: A(1,2,3)\nA(x,y,z) --> A(z,x,y)B(x-z)\n", 1, "A(3,1,2)B(-2)");
}

TD_TEST(grammar_before_runs_before_the_condition_and_after_when_chosen) {
    CHECK_DERIVED("Start: { ran_after = 0; }\naxiom: A(2)A(3)C\n"
                  "A(x) : { y = x*x; } y > 5 { y = y + 1; ran_after = ran_after + 1; }"
                  " --> B(y)\nC --> D(ran_after)\n",
                  1, "A(2)B(10)D(1)");
}

TD_TEST(grammar_before_may_change_globals_though_the_condition_fails) {
    CHECK_DERIVED("Start: { n = 0; }\naxiom: AAB\nA : { n = n + 1; } 0 --> Z\n"
                  "B --> B(n)\n",
                  1, "AAB(2)");
}

TD_TEST(grammar_blocks_of_a_production_may_span_lines) {
    CHECK_DERIVED("axiom: A(3)B\nA(x) : {\n y = 0;\nwhile (x > 0) {\ny = y + x;\n"
                  "x = x - 1;\n}\n}\n y > 0 { z = -y;\n} --> C(y,z)\nB --> D\n",
                  1, "C(6,-6)D");
}

TD_TEST(grammar_locals_start_at_0_for_every_module) {
    CHECK_DERIVED("axiom: A(1)A(0)\nA(x) : { if (x) { y = 5; } } 1 --> B(y)\n", 1, "B(5)B(0)");
}

TD_TEST(grammar_abops_labels_of_productions_are_skipped) {
    CHECK_DERIVED("axiom: A\np1: A --> B\np2 : B --> C\np12: C : 1 --> p\n", 3, "p");
    CHECK_DERIVED("#ignore: F\naxiom: AFB\np1: A < B --> C\n", 1, "AFC");
}

// ---- stochastic productions -----------------------------------------------------------------

TD_TEST(grammar_with_a_seed_productions_are_drawn_by_weight) {
    char text[4300] = "seed: 3\naxiom: ";
    for (int i = 0; i < 4000; i++) {
        strcat(text, "A");
    }
    strcat(text, "\nA --> B : 3\nA --> C\nA --> D : 0\nA --> E : 2*2\n");
    OWNED(test_model) m = test_model_good(text, 1);
    // binomial counts: 4 deviations of sqrt(n p (1-p)), with p 3/8, 1/8 and 4/8
    CHECK_IN(test_count(&m, "B"), 1500 - 4 * 30.7, 1500 + 4 * 30.7);
    CHECK_IN(test_count(&m, "C"), 500 - 4 * 21.0, 500 + 4 * 21.0);
    CHECK_IN(test_count(&m, "E"), 2000 - 4 * 31.7, 2000 + 4 * 31.7);
    CHECK_INT(test_count(&m, "D"), 0);
    CHECK_INT(test_count(&m, "A"), 0);
}

TD_TEST(grammar_weights_may_depend_on_parameters_and_only_matching_rules_count) {
    CHECK_DERIVED("seed: 1\naxiom: A(0)A(1)A(2)\nA(x) : x < 2 --> B : x\n"
                  "A(x) : x < 2 --> C : 1-x\nA(x) : x < 0 --> D : 1000\n",
                  1, "CBA(2)");
    // where all weights are 0 none is used
    CHECK_DERIVED("seed: 1\naxiom: A\nA --> B : 0\nA --> C : 0\n", 1, "A");
}

// the whole string as one text, so that two seeds can be told apart
static void stochastic_string(const char *header, int64_t seed, char *out, size_t size) {
    char text[512];
    snprintf(text, sizeof text,
             "%s\naxiom: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nA --> B\nA --> C\n", header);
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    opts.seed = seed;
    OWNED(test_model) m = test_model_of(&def, &opts, 1, NULL);
    snprintf(out, size, "%s", test_string_of(&m));
}

TD_TEST(grammar_a_seed_gives_one_string_and_the_options_seed_wins) {
    char a[64], b[64], c[64], d[64];
    stochastic_string("seed: 5", TD_SEED_FROM_TEXT, a, sizeof a);
    stochastic_string("seed: 5", TD_SEED_FROM_TEXT, b, sizeof b);
    stochastic_string("seed: 6", TD_SEED_FROM_TEXT, c, sizeof c);
    stochastic_string("seed: 6", 5, d, sizeof d);
    CHECK_TEXT(b, a);
    CHECK(strcmp(a, c) != 0);
    CHECK_TEXT(d, a);
    // an option makes a model stochastic that has no seed of its own
    stochastic_string("", 5, d, sizeof d);
    CHECK_TEXT(d, a);
    stochastic_string("", TD_SEED_FROM_TEXT, d, sizeof d);
    CHECK_TEXT(d, "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB");
}

// ---- contexts -------------------------------------------------------------------------------

// ABOP 1.8: a signal runs to the right
TD_TEST(grammar_left_context_carries_a_signal) {
    const char *text = "axiom: baaaa\nb < a --> b\nb --> a\n";
    CHECK_DERIVED(text, 1, "abaaa");
    CHECK_DERIVED(text, 4, "aaaab");
    CHECK_DERIVED("axiom: aaaab\na > b --> b\nb --> a\n", 3, "abaaa");
}

TD_TEST(grammar_left_context_goes_out_through_brackets_and_skips_siblings) {
    const char *rule = "axiom: %s\nA < X --> Y\n";
    const struct {
        const char *axiom, *result;
    } rows[] = {{"A[X]", "A[Y]"},
                {"A[B]X", "A[B]Y"},
                {"A[[B[C]]X]", "A[[B[C]]Y]"},
                {"A[B][C][X]", "A[B][C][Y]"},
                {"B[A]X", "B[A]X"},
                {"A[BX]", "A[BX]"},
                {"X", "X"},
                {"[A]X", "[A]X"},
                {"A[[[X]]]", "A[[[Y]]]"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, rule, rows[i].axiom);
        CHECK_DERIVED(text, 1, rows[i].result);
    }
}

TD_TEST(grammar_right_context_skips_branches_and_never_crosses_a_closing_bracket) {
    const char *rule = "axiom: %s\nX > A --> Y\n";
    const struct {
        const char *axiom, *result;
    } rows[] = {
        {"XA", "YA"},        {"X[B]A", "Y[B]A"}, {"X[B][C[D]]A", "Y[B][C[D]]A"}, {"X[A]", "X[A]"},
        {"X[A]B", "X[A]B"},  {"B[X]A", "B[X]A"}, {"B[X[C]]A", "B[X[C]]A"},       {"X", "X"},
        {"B[XA]C", "B[YA]C"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, rule, rows[i].axiom);
        CHECK_DERIVED(text, 1, rows[i].result);
    }
}

// ABOP page 32: BC < S > G[H]M finds S in the string ABC[DE][SG[HI[JK]L]MNO]
TD_TEST(grammar_contexts_match_abops_example) {
    CHECK_DERIVED("axiom: ABC[DE][SG[HI[JK]L]MNO]\nBC < S > G[H]M --> Z\n", 1,
                  "ABC[DE][ZG[HI[JK]L]MNO]");
}

TD_TEST(grammar_branches_in_a_right_context_match_in_order_and_may_skip_some) {
    const char *rule = "axiom: %s\nX > [A][B]C --> Y\n";
    const struct {
        const char *axiom, *result;
    } rows[] = {{"X[A][B]C", "Y[A][B]C"},
                {"X[D][A][D][B][D]C", "Y[D][A][D][B][D]C"},
                {"X[B][A]C", "X[B][A]C"},
                {"X[A]C", "X[A]C"},
                {"X[A][B]", "X[A][B]"},
                {"X[AD][BD]CD", "Y[AD][BD]CD"},
                {"X[[D]A][[D]B]C", "Y[[D]A][[D]B]C"},
                {"XC[A][B]", "XC[A][B]"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, rule, rows[i].axiom);
        CHECK_DERIVED(text, 1, rows[i].result);
    }
}

TD_TEST(grammar_contexts_bind_parameters) {
    CHECK_DERIVED("axiom: A(1)B(2)[D(9)]C(3)E(4)\n"
                  "A(a) < B(b) > C(c)E(e) : c > b --> Z(a,b,c,e)\n",
                  1, "A(1)Z(1,2,3,4)[D(9)]C(3)E(4)");
    CHECK_DERIVED("axiom: A(1)B(2)X\nA(a)B(b) < X --> Z(a,b)\n", 1, "A(1)B(2)Z(1,2)");
    CHECK_DERIVED("axiom: X[A(1)[B(2)]C(3)]D(4)\nX > [A(a)[B(b)]C(c)]D(d) --> "
                  "Z(a,b,c,d)\n",
                  1, "Z(1,2,3,4)[A(1)[B(2)]C(3)]D(4)");
    // a context with another number of parameters is another module
    CHECK_DERIVED("axiom: A(1)X\nA < X --> Z\nB --> A\n", 1, "A(1)X");
}

TD_TEST(grammar_contexts_see_the_string_before_the_step) {
    CHECK_DERIVED("axiom: AAA\nA < A --> B\nA --> C\n", 1, "CBB");
}

TD_TEST(grammar_ignore_skips_symbols_in_contexts) {
    CHECK_DERIVED("ignore: +-F\naxiom: A+F-X+(30)B\nA < X > B --> Y\n", 1, "A+F-Y+(30)B");
    CHECK_DERIVED("axiom: A+X\nA < X --> Y\n", 1, "A+X");
    // ignored symbols between branches do not part them from their axis
    CHECK_DERIVED("ignore: +\naxiom: X+[A]+[B]+C\nX > [B]C --> Y\n", 1, "Y+[A]+[B]+C");
    CHECK_DERIVED("axiom: X+[A]\nX > [A] --> Y\n", 1, "X+[A]");
    CHECK_DERIVED("ignore: @v~L\nsurface: L leaf\naxiom: A@v~L~L(2)X\nA < X --> Y\n", 1,
                  "A@v~L~L(2)Y");
}

TD_TEST(grammar_consider_skips_all_other_symbols) {
    CHECK_DERIVED("consider: AX\naxiom: A+F(2)BX\nA < X --> Y\n", 1, "A+F(2)BY");
    CHECK_DERIVED("consider: ABX\naxiom: A+F(2)BX\nA < X --> Y\n", 1, "A+F(2)BX");
}

// ---- decomposition --------------------------------------------------------------------------

TD_TEST(grammar_decomposition_replaces_what_a_step_has_written) {
    const char *text = "axiom: A\nA --> AD\ndecomposition\nD --> EE\n";
    CHECK_DERIVED(text, 1, "AEE");
    CHECK_DERIVED(text, 2, "AEEEE");
}

TD_TEST(grammar_decomposition_goes_on_to_its_depth) {
    const char *rules = "axiom: B\nB --> A(6)\ndecomposition\n%s\nA(n) : n > 0 --> I A(n-1)\n";
    const struct {
        const char *depth, *result;
    } rows[] = {{"", "IA(5)"},
                {"maximum depth: 1", "IA(5)"},
                {"maximum depth: 3", "IIIA(3)"},
                {"maximum depth: 100", "IIIIIIA(0)"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, rules, rows[i].depth);
        CHECK_DERIVED(text, 1, rows[i].result);
    }
}

TD_TEST(grammar_decomposition_depth_counts_replacements_not_modules) {
    CHECK_DERIVED("axiom: A\nA --> B\ndecomposition\nmaximum depth: 2\nB --> [BC]B\n", 1,
                  "[[BC]BC][BC]B");
}

// ---- homomorphism ---------------------------------------------------------------------------

TD_TEST(grammar_homomorphism_changes_the_drawing_and_never_the_string) {
    OWNED(test_model) m = test_model_good("axiom: A(2)\nA(x) --> A(x+1)B\n"
                                          "homomorphism\nA(x) --> F(x)\nB --> [+F(10)]F(0.5)\n",
                                          2);
    CHECK_TEXT(test_string_of(&m), "A(4)BB");
    CHECK_REL(test_drawn_length(&m), 4 + 2 * 10.5, 0);
    CHECK_TEXT(test_string_of(&m), "A(4)BB");
}

TD_TEST(grammar_homomorphism_goes_on_to_its_depth) {
    const char *rules = "axiom: A(4)\nhomomorphism\n%s\nA(n) : n > 0 --> F(1)A(n-1)\n"
                        "A(n) : n <= 0 --> F(100)\n";
    const struct {
        const char *depth;
        double length;
    } rows[] = {{"", 1}, {"maximum depth: 3", 3}, {"maximum depth: 5", 104}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, rules, rows[i].depth);
        OWNED(test_model) m = test_model_good(text, 0);
        CHECK_REL(test_drawn_length(&m), rows[i].length, 0);
    }
}

TD_TEST(grammar_homomorphism_has_its_own_seed_and_its_own_variables) {
    const char *rules = "%s\nStart: { n = 0; }\naxiom: AAAAAAAAAAAAAAAAAAAA\nA --> A\n"
                        "homomorphism\n%s\nA : 1 { n = n + 1; } --> F(n) : 1\nA --> F(100) : 1\n";
    char text[256];
    snprintf(text, sizeof text, rules, "", "");
    test_model m = test_model_good(text, 1);
    CHECK_REL(test_drawn_length(&m), 210,
              0); // 1 + 2 + ... + 20: and again, for drawing changes nothing
    CHECK_REL(test_drawn_length(&m), 210, 0);
    test_model_free(&m);
    double lengths[3];
    const char *seeds[3][2] = {{"seed: 1", "seed: 9"}, {"seed: 2", "seed: 9"}, {"", "seed: 9"}};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, rules, seeds[i][0], seeds[i][1]);
        m = test_model_good(text, 1);
        lengths[i] = test_drawn_length(&m);
        test_model_free(&m);
    }
    CHECK_REL(lengths[1], lengths[0], 0);
    CHECK_REL(lengths[2], lengths[0], 0);
    CHECK(lengths[0] != 210); // some of the 20 followed the second production
}

// as in cpfg: without weights there is no choice to make outside the productions proper
TD_TEST(grammar_homomorphism_and_decomposition_without_weights_take_the_first_production) {
    test_model m =
        test_model_good("seed: 3\naxiom: AAAAAAAA\nhomomorphism\nA --> F(1)\nA --> F(9)\n", 1);
    CHECK_REL(test_drawn_length(&m), 8, 0);
    test_model_free(&m);
    CHECK_DERIVED("seed: 3\naxiom: AAAAAAAA\ndecomposition\nA --> B\nA --> C\n", 1, "BBBBBBBB");
}

// ---- cutting --------------------------------------------------------------------------------

TD_TEST(grammar_percent_drops_the_rest_of_its_branch_in_the_next_step) {
    CHECK_DERIVED("axiom: A[B%C[D]E]F(2)\n", 0, "A[B%C[D]E]F(2)");
    CHECK_DERIVED("axiom: A[B(1)%C(1)[D(1)]E(1)]F(2)\n", 1, "A[B(1)]F(2)");
    CHECK_DERIVED("axiom: A%B[C]D\n", 1, "A");
    CHECK_DERIVED("axiom: A[%]B\n", 1, "A[]B");
    // in the step in which it is dropped, nothing behind it is rewritten
    CHECK_DERIVED("axiom: AX\nX --> [X%]X\n", 2, "A[[X%]X][X%]X");
}

TD_TEST(grammar_percent_hides_the_rest_of_its_branch_from_the_drawing) {
    OWNED(test_model) m = test_model_good("axiom: F(1)[F(10)%F(100)[F(1000)]F(100)]F(2)\n", 0);
    CHECK_REL(test_drawn_length(&m), 13, 0);
}

// ---- the interface --------------------------------------------------------------------------

TD_TEST(grammar_written_counts_the_modules_of_all_steps) {
    OWNED(test_model) m = test_model_good("axiom: A\nA --> AA\n", 4);
    CHECK_INT(td_derivation_written(m.derivation), 2 + 4 + 8 + 16);
    CHECK_INT(td_derivation_string(m.derivation).module_count, 16);
    CHECK(td_derivation_bytes(m.derivation) >= 16 * sizeof(uint16_t));
}

typedef struct sharing {
    const td_grammar *grammar;
    int64_t modules[16];
    td_real length[16];
} sharing;

static void derive_shared(void *context, int64_t i) {
    sharing *s = context;
    td_derive_opts opts = td_derive_opts_default();
    OWNED(td_derivation) *d = NULL;
    td_totals totals = {0};
    td_status status = td_derivation_new(s->grammar, &opts, NULL, &d, NULL);
    for (int k = 0; k < 6 && status == TD_OK; k++) {
        status = td_derivation_step(d, NULL);
    }
    if (status == TD_OK) { // checks count, which threads may not share
        td_string string = td_derivation_string(d);
        status = td_totals_from_string(s->grammar, &string, NULL, NULL, &totals, NULL);
        s->modules[i] = string.module_count;
        s->length[i] = status == TD_OK ? totals.length : -1;
    }
}

TD_TEST(grammar_is_shared_by_derivations_in_several_threads) {
    OWNED(test_model) m =
        test_model_good("seed: 2\ndefine: { array a[2]; }\nStart: { n = 0; }\n"
                        "axiom: A(1)\nA(x) : 1 { n = n + 1; a[1] = n; } --> F(x)[+A(n)]A(x)"
                        "\nA(x) --> A(x)F(a[1])A(ran(2))\nF(x) < F(y) --> F(y/2)\n"
                        "homomorphism\nF(x) : 1 { n = n + 1; } --> F(x+n)\n",
                        0);
    sharing s = {.grammar = m.grammar};
    OWNED(td_pool) *pool = NULL;
    CHECK_INT(td_pool_new(4, NULL, &pool, NULL), TD_OK);
    if (pool && m.grammar) {
        td_pool_run(pool, 16, derive_shared, &s);
    }
    CHECK(s.modules[0] > 64 && s.length[0] > 1);
    for (int i = 1; i < 16; i++) {
        CHECK_INT(s.modules[i], s.modules[0]);
        CHECK_REL(s.length[i], s.length[0], 0);
    }
}

TD_TEST(grammar_structs_that_are_not_from_their_default_function_are_refused) {
    td_grammar_def def = test_def("axiom: A\n");
    td_derive_opts opts = td_derive_opts_default();
    OWNED(td_grammar) *g = NULL;
    td_derivation *d = NULL;
    td_diag diag = {0};
    def.struct_size = 0;
    CHECK_INT(td_grammar_new(&def, NULL, &g, NULL), TD_ERR_DEF);
    CHECK(g == NULL);
    def = test_def("axiom: A\n");
    def.define_count = -1;
    CHECK_INT(td_grammar_new(&def, NULL, &g, NULL), TD_ERR_ARGUMENT);
    def = test_def("axiom: A\n");
    CHECK_INT(td_grammar_new(&def, NULL, &g, NULL), TD_OK);
    opts.struct_size = 0;
    CHECK_INT(td_derivation_new(g, &opts, NULL, &d, &diag), TD_ERR_DEF);
    opts = td_derive_opts_default();
    opts.seed = -2;
    CHECK_INT(td_derivation_new(g, &opts, NULL, &d, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "seed");
    opts = td_derive_opts_default();
    opts.max_modules = 0;
    CHECK_INT(td_derivation_new(g, &opts, NULL, &d, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "max_modules");
    CHECK(d == NULL);
    td_grammar_free(NULL);
    td_derivation_free(NULL);
}
