// SPDX-License-Identifier: MIT
// #if and its kin, joined lines, macros as the C preprocessor replaces them. Pairs with
// src/grammar/directives.c, condition.c and macros.c.

#include "test_grammar_support.h"

// "yes" or "no" for a condition, or the fault
static const char *holds(const char *macros, const char *condition) {
    char text[512];
    snprintf(text, sizeof text, "%s#if %s\naxiom: Y\n#else\naxiom: N\n#endif\n", macros, condition);
    return test_derived(text, 0);
}

// ---- values ---------------------------------------------------------------------------------

TD_TEST(grammar_if_computes_with_whole_numbers_as_c_does) {
    const char *true_ones[] = {"1",
                               "2 > 1",
                               "7/2 == 3",
                               "-7 % 3 == -1",
                               "1 + 2*3 == 7",
                               "(1+2)*3 == 9",
                               "1 << 4 == 16",
                               "-16 >> 2 == -4",
                               "0x1F == 31",
                               "010 == 8",
                               "3UL == 3",
                               "!0 && ~0 == -1",
                               "5 & 4",
                               "(5 ^ 4) == 1",
                               "(8 | 1) == 9",
                               "0 || 2",
                               "1 ? 1 : 0",
                               "0 ? 0 : 0 ? 0 : 1",
                               "3 - 2 - 1 == 0",
                               "+1 != - 1",
                               "1 << 70 == 0",
                               "1 >> 70 == 0",
                               "-1 >> 70 == -1",
                               "1 >> -2 == 4"};
    for (size_t i = 0; i < sizeof true_ones / sizeof true_ones[0]; i++) {
        CHECK_SAY(strcmp(holds("", true_ones[i]), "Y") == 0, "%s gives %s", true_ones[i],
                  holds("", true_ones[i]));
    }
    CHECK_TEXT(holds("", "0"), "N");
    CHECK_TEXT(holds("", "1 == 2 || 3 < 2"), "N");
    // the quotient that does not fit wraps round instead of ending the program
    CHECK_TEXT(holds("", "(-9223372036854775807 - 1) / -1 < 0"), "Y");
}

TD_TEST(grammar_if_replaces_macros_and_counts_other_names_as_0) {
    CHECK_TEXT(holds("#define N 3\n#define TWICE(x) ((x)*2)\n", "TWICE(N) == 6"), "Y");
    CHECK_TEXT(holds("", "UNKNOWN == 0"), "Y");
    CHECK_TEXT(holds("#define N 3\n", "defined(N) && defined N && !defined(M)"), "Y");
    // the name after `defined` is not replaced
    CHECK_TEXT(holds("#define N M\n", "defined(N) && !defined(M)"), "Y");
}

// what decides nothing is not computed, but must be written right
TD_TEST(grammar_if_does_not_compute_what_decides_nothing) {
    CHECK_TEXT(holds("", "1 || 1/0"), "Y");
    CHECK_TEXT(holds("", "0 && 1/0"), "N");
    CHECK_TEXT(holds("", "1 ? 1 : 1/0"), "Y");
}

TD_TEST(grammar_elif_takes_the_first_branch_that_holds) {
    const char *text = "#define N %d\n#if N == 1\naxiom: A\n#elif N == 2\naxiom: B\n"
                       "#elif N > 1\naxiom: C\n#else\naxiom: D\n#endif\n";
    const char *wanted[] = {"D", "A", "B", "C"};
    for (int n = 0; n < 4; n++) {
        char filled[256];
        snprintf(filled, sizeof filled, text, n);
        CHECK_DERIVED(filled, 0, wanted[n]);
    }
}

// in lines that do not count, conditions are passed over unread
TD_TEST(grammar_if_nests_in_lines_that_do_not_count) {
    CHECK_DERIVED("#if 0\n#if 1/0\naxiom: A\n#elif 1\naxiom: B\n#else\naxiom: C\n#endif\n"
                  "#elif 1\n#if 1\naxiom: D\n#endif\n#endif\n",
                  0, "D");
}

TD_TEST(grammar_error_directive_counts_only_where_lines_count) {
    CHECK_DERIVED("#if 0\n#error never\n#endif\naxiom: A\n", 0, "A");
    CHECK_DERIVED("axiom: A\n#error set WIDTH first\n", 0, "fault: #error set WIDTH first");
}

TD_TEST(grammar_bad_conditions_are_refused_with_their_place) {
    const test_fault rows[] = {
        {"#if\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 1, 4, "expected a condition"},
        {"#if 1.5 > 1\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 1, 5, "expected a whole number"},
        {"#if 1 +\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 1, 5, "expected a number, a name or '('"},
        {"#if (1\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 1, 5, "expected ')'"},
        {"#if 1 2\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 1, 5, "expected the end of the line"},
        {"#if 1/0\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 1, 5, "division by zero"},
        {"#if 1 ? 2\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 1, 5, "expected ':'"},
        {"#if defined(\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 1, 5, "defined(NAME)"},
        {"axiom: A\n#elif 1\n", TD_ERR_SYNTAX, 2, 6, "no open #if"},
        {"#if 1\n#else\n#elif 1\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 3, 6, "no open #if"},
    };
    CHECK_FAULTS(rows, 0);
    char deep[512] = "#if ";
    memset(deep + 4, '(', 300);
    snprintf(deep + 304, sizeof deep - 304, "\n#endif\naxiom: A\n");
    CHECK_DERIVED(deep, 0, "fault: this condition is nested too deep");
}

// ---- joined lines ---------------------------------------------------------------------------

TD_TEST(grammar_a_backslash_at_a_lines_end_joins_the_next_line) {
    CHECK_DERIVED("axiom: A\\\nB\nA --> C \\\r\n D\n", 1, "CDB");
    CHECK_DERIVED("#if 1 \\\n && 0\naxiom: A\n#else\naxiom: B\n#endif\n", 0, "B");
    CHECK_DERIVED("#define TWO \\\n 1+ \\\n 1\naxiom: A(TWO)\n", 0, "A(2)");
    // also in a comment; elsewhere it rolls
    CHECK_DERIVED("axiom: A // more \\\nB\n", 0, "A");
    CHECK_DERIVED("axiom: A\\B\\ \n", 0, "A\\B\\");
}

// ---- macros ---------------------------------------------------------------------------------

TD_TEST(grammar_macro_arguments_may_stand_apart_and_span_lines) {
    CHECK_DERIVED("#define ADD(a, b) a+b\naxiom: A(ADD (1, 2))\n", 0, "A(3)");
    CHECK_DERIVED("#define ADD(a, b) a+b\naxiom: A(ADD(1, /* ) */\n 2))B\n", 0, "A(3)B");
}

// as in C: the replacement is scanned together with what follows it
TD_TEST(grammar_a_macro_whose_name_ends_a_replacement_takes_what_follows) {
    CHECK_DERIVED("#define SQ(x) ((x)*(x))\n#define OP SQ\naxiom: A(OP(3))\n", 0, "A(9)");
    CHECK_DERIVED("#define F2(x) x F2\naxiom: F2(A)\n", 0, "AF2");
    CHECK_DERIVED("#define SQ(x) x\n#define OP SQ\naxiom: F OP\n", 0, "FSQ");
}

// ---- printed signs --------------------------------------------------------------------------

TD_TEST(grammar_printed_signs_mean_their_plain_text) {
    CHECK_DERIVED("axiom: A(2)\nA(x) : x\xe2\x89\xa5"
                  "2 \xe2\x86\x92 B(x\xc3\x97"
                  "3)"
                  "\xe2\x88\x92(x\xe2\x88\x92"
                  "1)\n",
                  1, "B(6)-(1)");
    CHECK_DERIVED("#define \xce\xb1\xe2\x82\x81 30\xc2\xb0\naxiom: +(\xce\xb1\xe2\x82\x81)\n", 0,
                  "+(30)");
    // text copied from a printed page: a long arrow in two parts, a ring for degrees
    CHECK_DERIVED("n=1,\xce\xb4=25.7\xe2\x97\xa6\n\xcf\x89 : F\n"
                  "F \xe2\x88\x92\xe2\x86\x92 F[+F]\n",
                  1, "F[+F]");
}
