// SPDX-License-Identifier: MIT
// What cpfg's models rely on in rewriting: strings worked out by hand. Pairs with src/grammar;
// test_grammar_twin.c compares the same on random grammars.

#include "test_grammar_support.h"

typedef struct case_row {
    const char *axiom, *result;
} case_row;

static void check_rows(const char *rules, const case_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char text[256];
        snprintf(text, sizeof text, rules, rows[i].axiom);
        CHECK_DERIVED(text, 1, rows[i].result);
    }
}
#define CHECK_ROWS(rules, rows) check_rows(rules, rows, sizeof(rows) / sizeof((rows)[0]))

// ---- strict predecessors --------------------------------------------------------------------

TD_TEST(cpfg_predecessor_of_several_modules_is_replaced_as_a_whole) {
    const case_row rows[] = {{"AB", "C"},      {"AAB", "AC"},  {"ABAB", "CC"},
                             {"A[B]", "A[B]"}, {"A+B", "A+B"}, {"A", "A"}};
    CHECK_ROWS("axiom: %s\nAB --> C\n", rows);
    CHECK_DERIVED("axiom: A(1)B(2,3)\nA(x)B(y,z) : x < y --> C(z,y,x)\n", 1, "C(3,2,1)");
    CHECK_DERIVED("axiom: f?E(1)f?E(0)\nf?E(x) : x == 1 --> FA\nf?E(x) --> g\n", 1, "FAg");
}

// the scan goes on after the predecessor, and what it took is not looked at again
TD_TEST(cpfg_rewriting_goes_on_after_a_predecessor_of_several_modules) {
    CHECK_DERIVED("axiom: AAA\nAA --> B\nA --> C\n", 1, "BC");
    CHECK_DERIVED("axiom: ABC\nAB --> X\nBC --> Y\nC --> Z\n", 1, "XZ");
    // the first production that matches wins, however long it is
    CHECK_DERIVED("axiom: ABC\nA --> X\nABC --> Y\n", 1, "XBC");
}

TD_TEST(cpfg_predecessor_may_hold_brackets) {
    CHECK_DERIVED("axiom: A[+B]C[+D]\nA[+B]C --> X\n", 1, "X[+D]");
    CHECK_DERIVED("axiom: A[B]C\n[B] --> *\n", 1, "AC");
    CHECK_DERIVED("axiom: A[B]C\n[ --> [[\n] --> ]]\n", 1, "A[[B]]C");
}

TD_TEST(cpfg_contexts_lie_around_the_whole_predecessor) {
    CHECK_DERIVED("axiom: XABY\nX < AB > Y --> C\n", 1, "XCY");
    CHECK_DERIVED("axiom: XABAY\nX < AB > Y --> C\n", 1, "XABAY");
    CHECK_DERIVED("axiom: X(1)A(2)B(3)[Z]Y(4)\nX(x) < A(a)B(b) > Y(y) --> C(x,a,b,y)\n", 1,
                  "X(1)C(1,2,3,4)[Z]Y(4)");
}

TD_TEST(cpfg_brackets_may_close_in_another_successor) {
    CHECK_DERIVED("axiom: AXB\nA --> [A\nB --> B]\n", 2, "[[AXB]]");
    // contexts and the turtle take what is there
    CHECK_DERIVED("axiom: A]B\nA < B --> C\n", 1, "A]B");
    CHECK_DERIVED("axiom: A[B\nA < B --> C\nA > B --> C\n", 1, "A[C");
    OWNED(test_model) m = test_model_good("axiom: F(1)]F(2)[F(4)\n", 0);
    td_totals totals = {0};
    td_string s = td_derivation_string(m.derivation);
    CHECK_INT(td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, NULL), TD_OK);
    CHECK_REL(totals.length, 7, 0);
}

// ---- symbols of several characters ----------------------------------------------------------

// cpfg's surface is a '~' and a module of its own, which productions rewrite
TD_TEST(cpfg_module_of_a_surface_ages) {
    const char *text = "surface: L leaf\nsurface: M leaf\naxiom: A\nA --> F[+~L(0)]A\n"
                       "L(t) : t < 1 --> L(t+0.5)\nL(t) --> M(t)\n";
    CHECK_DERIVED(text, 2, "F[+~L(0.5)]F[+~L(0)]A");
    CHECK_DERIVED(text, 4, "F[+~M(1)]F[+~L(1)]F[+~L(0.5)]F[+~L(0)]A");
    OWNED(test_model) m = test_model_good(text, 4);
    td_string s = td_derivation_string(m.derivation);
    td_totals totals = {0};
    CHECK_INT(td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, NULL), TD_OK);
    CHECK_INT(totals.segment_count, 7); // four pieces and three leaves; one has size 0
    int32_t type, symbols = 0, leaves = 0;
    for (int64_t i = 0; i < s.module_count; symbols++) {
        i += td_symbol_at(m.grammar, &s, i, &type);
        leaves += strcmp(td_grammar_type_name(m.grammar, type), "~L") == 0;
    }
    CHECK_INT(symbols, 21); // of 25 modules
    CHECK_INT(leaves, 3);
}

TD_TEST(cpfg_parts_of_a_symbol_are_seen_by_predecessors_and_contexts) {
    const char *head = "surface: L leaf\naxiom: A~L(1)B\n%s --> X\n";
    const case_row rows[] = {{"~ < L(t)", "A~XB"},  {"A < ~ > L(t)", "AXL(1)B"},
                             {"~L(t)", "AXB"},      {"L(t) > B", "A~XB"},
                             {"A~ < L(t)", "A~XB"}, {"A~L(t) < B", "A~L(1)X"},
                             {"A < B", "A~L(1)B"},  {"L(t) < B", "A~L(1)X"},
                             {"L(t)B", "A~X"},      {"L", "A~L(1)B"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, head, rows[i].axiom);
        CHECK_DERIVED(text, 1, rows[i].result);
    }
    CHECK_DERIVED("surface: L leaf\nignore: ~L\naxiom: A~L(1)B\nA < B --> C\n", 1, "A~L(1)C");
    CHECK_DERIVED("surface: L leaf\nignore: ~\naxiom: A~L(1)B\nA < B --> C\n", 1, "A~L(1)B");
}

// a query stays one, and is answered, when productions look at its letter
TD_TEST(cpfg_letter_of_a_query_is_a_module_of_its_own) {
    CHECK_DERIVED("axiom: F(2)?P(0,0)\nP(x,y) : y > 3 --> Q\nF(l) --> F(l+1)\n", 1, "F(3)?P(0,3)");
    CHECK_DERIVED("axiom: F(2)?P(0,0)\nP(x,y) : y > 3 --> Q(y)\nF(l) --> F(l+2)\n", 2, "F(6)?Q(4)");
}

TD_TEST(cpfg_white_space_within_a_symbol_has_no_meaning) {
    CHECK_DERIVED("surface: L leaf\naxiom: A@ Tx(1) @\tGs~ L(2) ? P(0,0)\n", 0,
                  "A@Tx(1)@Gs~L(2)?P(0,0)");
}

// the L of a homomorphism is drawn and never rewritten
TD_TEST(cpfg_symbols_of_the_homomorphism_stay_whole) {
    CHECK_DERIVED("surface: L leaf\naxiom: L(1)\nL(t) --> L(t+1)\nhomomorphism\n"
                  "L(t) --> ~L(t)\n",
                  2, "L(3)");
}

// ---- contexts -------------------------------------------------------------------------------

TD_TEST(cpfg_equals_sign_in_a_right_context_is_the_rest_of_a_branch) {
    const case_row rows[] = {
        {"X[A]B", "Y[A]B"},       {"X[ACD]B", "Y[ACD]B"}, {"X[A[C]D]B", "Y[A[C]D]B"},
        {"X[C][A]B", "X[C][A]B"}, {"XB", "XB"},           {"X[A]C", "X[A]C"}};
    CHECK_ROWS("axiom: %s\nX > [A=]B --> Y\n", rows);
    CHECK_DERIVED("axiom: X[A(1)B(2)]C(3)\nX > [A(a)=]C(c) --> Y(a,c)\n", 1,
                  "Y(1,3)[A(1)B(2)]C(3)");
}

TD_TEST(cpfg_bracket_alone_in_a_right_context_stands_for_itself) {
    const case_row ends[] = {{"A[BX]C", "A[BY]C"}, {"A[BXC]", "A[BXC]"}, {"X", "X"}};
    CHECK_ROWS("axiom: %s\nX > ] --> Y\n", ends);
    const case_row branches[] = {{"X[A]B", "Y[A]B"}, {"XB[A]", "XB[A]"}, {"X+[A]", "X+[A]"}};
    CHECK_ROWS("axiom: %s\nX > [ --> Y\n", branches);
}

// left contexts always go by the brackets
TD_TEST(cpfg_consider_without_brackets_lets_right_contexts_into_branches) {
    const case_row flat[] = {{"X[A]B", "Y[A]B"}, {"C[X]A", "C[Y]A"}, {"XF[F[A]]", "YF[F[A]]"}};
    CHECK_ROWS("consider: XAB\naxiom: %s\nX > A --> Y\n", flat);
    const case_row with[] = {{"X[A]B", "X[A]B"}, {"C[X]A", "C[X]A"}, {"X[B]FA", "Y[B]FA"}};
    CHECK_ROWS("consider: XAB[]\naxiom: %s\nX > A --> Y\n", with);
    CHECK_ROWS("ignore: F[]\naxiom: %s\nX > A --> Y\n", flat);
    const case_row left[] = {{"A[B]X", "A[B]Y"}, {"B[A]X", "B[A]X"}};
    CHECK_ROWS("consider: XAB\naxiom: %s\nA < X --> Y\n", left);
}

TD_TEST(cpfg_ring_makes_neighbours_of_the_strings_ends) {
    CHECK_DERIVED("ring Lsystem\naxiom: ABBB\nA < B --> A\nA --> B\n", 3, "BBBA");
    CHECK_DERIVED("ring Lsystem\naxiom: ABBB\nA < B --> A\nA --> B\n", 4, "ABBB");
    CHECK_DERIVED("ring Lsystem\naxiom: ABBB\nB > A --> A\nA --> B\n", 1, "BBBA");
    CHECK_DERIVED("axiom: ABBB\nB > A --> A\nA --> B\n", 1, "BBBB");
    // ignored modules at the ends, and a context longer than the string
    CHECK_DERIVED("ring Lsystem\nignore: +\naxiom: +A+B+\nB < A > B --> C\n", 1, "+C+B+");
    CHECK_DERIVED("ring Lsystem\naxiom: AB\nABAB < A > BABAB --> C\n", 1, "CB");
}

// lpfg's and L-Py's new context: in the string that is being made, so that one step goes all the
// way
TD_TEST(cpfg_left_context_may_lie_in_the_string_that_is_being_made) {
    CHECK_DERIVED("axiom: BAAA\nB << A --> B\n", 1, "BBBB");
    CHECK_DERIVED("axiom: BAAA\nB < A --> B\n", 1, "BBAA");
    CHECK_DERIVED("axiom: A(1)A(5)A(7)\nS(x) << A(y) --> S(x+y)\nA(x) --> S(x)\n", 1,
                  "S(1)S(6)S(13)");
    const case_row rows[] = {{"B[CA]A", "B[CA]B"}, {"B[A]A", "B[B]B"},
                             {"C[B]A", "C[B]A"},   {"B[C[C]+]A", "B[C[C]+]B"},
                             {"B+A", "B+B"},       {"[B[A]]A", "[B[B]]A"}};
    CHECK_ROWS("ignore: +\naxiom: %s\nB << A --> B\n", rows);
    CHECK_DERIVED("axiom: AA\nA --> CA\ndecomposition\nmaximum depth: 2\nC << A --> D\n", 1,
                  "CDCD");
}

// ---- decomposition and homomorphism ---------------------------------------------------------

TD_TEST(cpfg_decomposition_leaves_the_axiom_alone) {
    const char *text = "axiom: A\ndecomposition\nA --> BB\n";
    CHECK_DERIVED(text, 0, "A");
    CHECK_DERIVED(text, 1, "BB");
}

// A production sees what the decomposition of the modules before it has done to the variables.
TD_TEST(cpfg_decomposition_follows_each_production) {
    CHECK_DERIVED("Start: { n = 0; }\naxiom: AAA\nA --> B(n)\n"
                  "decomposition\nB(x) : 1 { n = n + 1; } --> C(x)\n",
                  1, "C(0)C(1)C(2)");
}

TD_TEST(cpfg_decomposition_sees_contexts_of_the_string_before_the_step) {
    CHECK_DERIVED("axiom: ALAR\nA --> B\nR --> S\ndecomposition\nL < B > R --> C\n"
                  "B --> D\n",
                  1, "DLCS");
    CHECK_DERIVED("axiom: A\nA --> BCD\ndecomposition\nmaximum depth: 2\nBC --> XY\n"
                  "YD --> Z\nXY --> V\n",
                  1, "VD");
}

TD_TEST(cpfg_homomorphism_takes_several_modules_and_sees_contexts) {
    const struct {
        const char *text;
        double length;
    } rows[] = {
        {"axiom: ABA\nhomomorphism\nAB --> F(10)\nA --> F(1)\n", 11},
        {"axiom: ABA\nhomomorphism\nB < A --> F(10)\nA > B --> F(1)\n", 11},
        {"axiom: A%B\nhomomorphism\nA --> F(1)%F(2)\nB --> F(9)\n", 3}, // '%' means nothing there
        {"axiom: A(2)B(3)C\nhomomorphism\nA(x)B(y) --> F(x*y)\nC --> F(1)\n", 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OWNED(test_model) m = test_model_good(rows[i].text, 0);
        td_totals totals = {0};
        td_string s = td_derivation_string(m.derivation);
        CHECK_INT(td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, NULL), TD_OK);
        CHECK_REL(totals.length, rows[i].length, 0);
    }
}

TD_TEST(cpfg_percent_with_a_production_is_rewritten_first) {
    CHECK_DERIVED("axiom: A[B%CD]E\nB < % > C --> X\n", 1, "A[BXCD]E");
    CHECK_DERIVED("axiom: A[C%CD]E\nB < % > C --> X\n", 1, "A[C]E");
}

// ---- sub-L-systems --------------------------------------------------------------------------

#define SUB_AXIOM(axiom) "lsystem: 1\naxiom: " axiom "\nA --> XA\nB --> Y\nendlsystem\n"
#define SUB_REST                                                                            \
    "lsystem: 2\naxiom: Z\nA --> B\nB --> A\nendlsystem\n\nlsystem: 3\naxiom: Z\nA --> C\n" \
    "endlsystem\n"

TD_TEST(cpfg_modules_between_question_mark_and_dollar_follow_another_l_system) {
    CHECK_DERIVED(SUB_AXIOM("A?(2,1)AB$A") SUB_REST, 1, "XA?(2,1)BA$XA");
    CHECK_DERIVED(SUB_AXIOM("A?(2,1)AB$A") SUB_REST, 2, "XXA?(2,1)AB$XXA");
    CHECK_DERIVED(SUB_AXIOM("A?(2)A?(3)AB$A$AB") SUB_REST, 1, "XA?(2)B?(3)CB$B$XAY");
    CHECK_DERIVED(SUB_AXIOM("A$B") SUB_REST, 1, "XA$Y"); // a '$' too many
    // one that a step makes counts from the next step on
    CHECK_DERIVED("lsystem: 1\naxiom: A\nA --> ?(2)A$A\nendlsystem\n" SUB_REST, 2, "?(2)B$?(2)A$A");
}

// what '?' and '$' stand in decides about them; the modules of a predecessor count as well
TD_TEST(cpfg_productions_may_replace_question_mark_and_dollar) {
    const char *text = "lsystem: 1\naxiom: A?(2,1)A$A\nA?(n,s) --> B?(n,s)\nA --> X\nendlsystem\n"
                       "lsystem: 2\naxiom: A\nA$ --> $D\nA --> Y\nendlsystem\n";
    CHECK_DERIVED(text, 1, "B?(2,1)$DX");
}

TD_TEST(cpfg_l_systems_of_a_file_have_their_own_sections_symbols_and_blocks) {
    // ignore: of the second only concerns contexts of its productions
    CHECK_DERIVED("lsystem: 1\naxiom: A+B?(2)A+B$\nA < B --> C\nendlsystem\n"
                  "lsystem: 2\nignore: +\naxiom: A\nA < B --> C\nendlsystem\n",
                  1, "A+B?(2)A+C$");
    CHECK_DERIVED("lsystem: 1\naxiom: A?(2)A$A\nA --> B\nendlsystem\n"
                  "lsystem: 2\naxiom: A\ndecomposition\nmaximum depth: 2\nA --> CD\n"
                  "D --> E\nendlsystem\n",
                  1, "B?(2)CE$B");
    // variables are an L-system's own, unless they are external; the blocks run at '?' and '$'
    CHECK_DERIVED("lsystem: 1\nStart: { n = 1; m = 5; }\naxiom: A?(2)A$A?(2)A$\n"
                  "A --> A(n,m)\nendlsystem\n"
                  "lsystem: 2\ndefine: { external m; }\nStart: { n = 10; }\n"
                  "StartEach: { n = n + 1; }\nEndEach: { m = m + 1; }\naxiom: A\n"
                  "A --> A(n,m)\nendlsystem\n",
                  1, "A(1,5)?(2)A(11,5)$A(1,6)?(2)A(11,6)$");
}

// Each use counts for itself how often it was entered. One that a step makes starts anew; one that
// is cut is forgotten, and the others keep their own.
TD_TEST(cpfg_every_use_of_an_l_system_has_its_own_variables) {
    const char *rest = "lsystem: 2\ndefine: { array a[2] = {5,7}; }\nStart: { n = 0; }\n"
                       "StartEach: { n = n + 1; a[1] = a[1] + n; }\naxiom: B\n"
                       "B --> B(n,a[1])\nB(x,y) --> B(n,a[1])\nendlsystem\n";
    char text[1024];
    snprintf(text, sizeof text, "lsystem: 1\naxiom: ?(2)B$A\nA --> ?(2)B$A\nendlsystem\n%s", rest);
    CHECK_DERIVED(text, 1, "?(2)B(1,8)$?(2)B$A");
    CHECK_DERIVED(text, 3, "?(2)B(3,13)$?(2)B(2,10)$?(2)B(1,8)$?(2)B$A");
    snprintf(text, sizeof text,
             "lsystem: 1\naxiom: ?(2)B$[C?(2)B$]A\nC --> D\nD --> %%\n"
             "A --> ?(2)B$\nendlsystem\n%s",
             rest);
    CHECK_DERIVED(text, 2, "?(2)B(2,10)$[%?(2)B(2,10)$]?(2)B(1,8)$");
    CHECK_DERIVED(text, 4, "?(2)B(4,17)$[]?(2)B(3,13)$");
    // a production that moves the '?' keeps its variables
    snprintf(text, sizeof text,
             "lsystem: 1\naxiom: X?(2)B$?(2)B$\nX ?(n) --> ?(n)Y\nendlsystem\n%s", rest);
    CHECK_DERIVED(text, 2, "?(2)YB(2,10)$?(2)B(2,10)$");
}

// the homomorphism of a use sees its variables
TD_TEST(cpfg_use_of_an_l_system_is_drawn_with_its_own_variables) {
    OWNED(test_model) m =
        test_model_good("lsystem: 1\naxiom: ?(2)B$A\nA --> ?(2)B$A\nendlsystem\n"
                        "lsystem: 2\nStart: { n = 0; }\nStartEach: { n = n + 1; }\n"
                        "axiom: B\nhomomorphism\nB --> F(10^n)\nendlsystem\n",
                        3);
    td_totals totals = {0};
    td_string s = td_derivation_string(m.derivation);
    CHECK_INT(td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, NULL), TD_OK);
    CHECK_REL(totals.length, 1000 + 100 + 10 + 1, 1e-15);
}

TD_TEST(cpfg_percent_cuts_to_the_end_of_its_l_system) {
    CHECK_DERIVED(SUB_AXIOM("A?(2)A%B[A]B$A") SUB_REST, 1, "XA?(2)B$XA");
    CHECK_DERIVED(SUB_AXIOM("A%?(2)A$A") SUB_REST, 1, "XA");
}

TD_TEST(cpfg_l_system_is_drawn_at_its_scale_by_its_homomorphism) {
    const char *text = "lsystem: 1\naxiom: F(1)A?(2,0.5)A[F(4)?(3,0.5)F(8)A$F(4)]$A\n"
                       "homomorphism\nA --> F(100)\nendlsystem\n"
                       "lsystem: 2\naxiom: A\nhomomorphism\nA --> F(2)\nendlsystem\n"
                       "lsystem: 3\naxiom: A\nendlsystem\n";
    OWNED(test_model) m = test_model_good(text, 0);
    td_totals totals = {0};
    td_string s = td_derivation_string(m.derivation);
    CHECK_INT(td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, NULL), TD_OK);
    CHECK_REL(totals.length, 1 + 100 + 1 + 2 + 2 + 2 + 100, 1e-15);
}

TD_TEST(cpfg_l_systems_that_cannot_be_opened_are_errors) {
    const test_fault rows[] = {
        {SUB_AXIOM("A?(7)A$") SUB_REST, TD_ERR_STRUCTURE, 0, 0,
         "module 1 opens L-system 7; the file has none of that number"},
        {"axiom: A?(2,1)A$\n", TD_ERR_STRUCTURE, 0, 0, "opens L-system 2; the file has none"},
        {SUB_AXIOM("?(2)?(3)?(2)A$$$") SUB_REST, TD_ERR_STRUCTURE, 0, 0,
         "module 2 opens L-system 2 within itself"},
        {SUB_AXIOM("?(1)A$") SUB_REST, TD_ERR_STRUCTURE, 0, 0, "opens L-system 1 within itself"},
        {SUB_AXIOM("A") "lsystem: 1\naxiom: B\nendlsystem\n", TD_ERR_SYNTAX, 7, 8,
         "a second L-system with number 1"},
    };
    CHECK_FAULTS(rows, 1);
}

// a word in capitals is modules, even if a header item has that name
TD_TEST(cpfg_production_in_capitals_is_no_header_item) {
    CHECK_DERIVED("axiom: AXIOM\nAXIOM : 1 > 0 --> A\n", 1, "A");
    CHECK_DERIVED("AXIOM: AB\nA --> C\n", 1, "CB");
}
