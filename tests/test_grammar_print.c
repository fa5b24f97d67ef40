// SPDX-License-Identifier: MIT
// What statements print. Pairs with src/grammar/print.c.

#include "test_grammar_support.h"

typedef struct taken {
    char text[8192]; // each piece as `file:text`, a file that starts as `file!`
    size_t size;
    const char *file; // of the last piece
    int calls, stop_at;
} taken;

static int take(void *context, const char *file, bool start, const char *text, size_t size) {
    taken *t = context;
    if (++t->calls == t->stop_at) {
        return 1;
    }
    size_t room = sizeof t->text - t->size;
    t->size += (size_t)snprintf(t->text + t->size, room, "%s%s%.*s", file ? file : "",
                                start  ? "!"
                                : file ? ":"
                                       : "",
                                (int)size, text);
    return 0;
}

// what a model prints in `steps` steps, or the fault
static const char *printed(const char *text, int32_t steps) {
    static taken t;
    memset(&t, 0, sizeof t);
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    opts.print = (td_print){take, &t};
    OWNED(test_model) m = test_model_of(&def, &opts, steps, NULL);
    if (m.status != TD_OK) {
        snprintf(t.text, sizeof t.text, "fault: %s", m.faults[0].message);
    }
    return t.text;
}

static const char *printed_by(const char *statements) {
    char text[1024];
    snprintf(text, sizeof text, "Start: { %s }\naxiom: A\n", statements);
    return printed(text, 0);
}

// ---- formats --------------------------------------------------------------------------------

TD_TEST(grammar_printf_prints_numbers_as_c_does) {
    CHECK_TEXT(printed_by("printf(\"x\");"), "x");
    CHECK_TEXT(printed_by("printf(\"%g %f %.2f|%6.1f|%-6g|%+g\", 1.5, 2, 3.14159, 2.5, 7, 1);"),
               "1.5 2.000000 3.14|   2.5|7     |+1");
    CHECK_TEXT(printed_by("printf(\"%e %05.1f %lf\", 1500, 2.25, 1);"),
               "1.500000e+03 002.2 1.000000");
    // whole numbers lose their fraction, and never show a zero with a sign
    CHECK_TEXT(printed_by("printf(\"%d %i %3d %d\", 2.9, -2.9, 7, -0.5);"), "2 -2   7 0");
    CHECK_TEXT(printed_by("printf(\"100%% \\\"a\\\"\\t\\\\\\n\");"), "100% \"a\"\t\\\n");
}

TD_TEST(grammar_printf_takes_any_expression_and_returns_0) {
    CHECK_TEXT(printed_by("i = 0; while (i < 3) { printf(\"%d,\", i*i); i = i + 1; }"), "0,1,4,");
    CHECK_DERIVED("Start: { x = printf(\"a\") + 1; }\naxiom: A(x)\n", 0, "A(1)");
}

// where a production is used its {after} prints, where it is tested its {before}
TD_TEST(grammar_productions_print_in_string_order) {
    CHECK_TEXT(printed("axiom: A(1)A(2)B\n"
                       "A(x) : {printf(\"?%g\", x);} x > 1 {printf(\"!\");} --> A(x)\n",
                       1),
               "?1?2!");
}

TD_TEST(grammar_braces_and_arrows_in_a_string_mean_nothing) {
    CHECK_TEXT(
        printed("axiom: A\nA : 1 {printf(\"{ } --> \\\"}\");\n  printf(\"}\");}\n --> B\n", 1),
        "{ } --> \"}}");
}

TD_TEST(grammar_long_prints_come_in_pieces_and_whole) {
    char text[1200] = "printf(\"";
    memset(text + 8, 'a', 900);
    snprintf(text + 908, sizeof text - 908, "%%g\", 5);");
    const char *got = printed_by(text);
    CHECK(strlen(got) == 901 && got[899] == 'a' && got[900] == '5');
}

// ---- files ----------------------------------------------------------------------------------

TD_TEST(grammar_fprintf_writes_the_file_that_fopen_named) {
    CHECK_TEXT(printed_by("f = fopen(\"log.txt\", \"w\"); fprintf(f, \"%g\", 3); fflush(f);"
                          " fprintf(f, \"\\n\"); fclose(f);"),
               "log.txt!log.txt:3log.txt:\n");
    // "a" does not empty the file; two files have two numbers
    CHECK_TEXT(
        printed_by("a = fopen(\"x\", \"a\"); b = fopen(\"y/z\", \"w\"); fprintf(b, \"%d\", a);"
                   " fprintf(a, \"%d\", b);"),
        "y/z!y/z:0x:1");
}

TD_TEST(grammar_a_file_that_is_not_open_is_a_fault) {
    CHECK_TEXT(printed_by("f = fopen(\"x\", \"w\"); fclose(f); fprintf(f, \"a\");"),
               "fault: 0 is not the number of an open file");
    CHECK_TEXT(printed_by("fprintf(7, \"a\");"), "fault: 7 is not the number of an open file");
    CHECK_TEXT(printed_by("fclose(-1);"), "fault: -1 is not the number of an open file");
}

TD_TEST(grammar_files_outside_the_folder_are_refused) {
    const char *names[] = {"../x", "/tmp/x", "a/../../x", "a/..", "",   "C:x",   "a\\\\b",
                           "a//b", "..",     ".profile",  "a/.x", "a/", "a\\nb", "./x"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "f = fopen(\"%s\", \"w\");", names[i]);
        const char *got = printed_by(text);
        CHECK_SAY(strstr(got, "outside the output folder"), "%s gives %s", names[i], got);
    }
    CHECK_TEXT(printed_by("f = fopen(\"a..b/x.y.\", \"w\");"), "a..b/x.y.!");
}

// ---- without a caller that prints -----------------------------------------------------------

TD_TEST(grammar_what_is_printed_is_dropped_without_a_callback) {
    CHECK_DERIVED("Start: { f = fopen(\"x\", \"w\"); fprintf(f, \"a\"); printf(\"%g\", 1); "
                  "fclose(f); }\naxiom: A(f)\n",
                  0, "A(0)");
}

TD_TEST(grammar_what_a_homomorphism_prints_is_dropped_with_a_warning) {
    td_diag items[2] = {{.line = 0}};
    td_diag_list list = {items, 2, 0};
    OWNED(td_grammar) *grammar = NULL;
    td_grammar_def def = test_def("axiom: A\nhomomorphism\nA : 1 {printf(\"x\");} --> F\n");
    CHECK_INT(td_grammar_new(&def, NULL, &grammar, &list), TD_OK);
    CHECK(list.count == 1 && items[0].status == TD_OK && items[0].line == 3);
    CHECK(strstr(items[0].message, "is dropped"));
}

TD_TEST(grammar_a_callback_that_refuses_stops_the_derivation) {
    taken t = {.stop_at = 2};
    td_grammar_def def = test_def("axiom: A\nA : 1 {printf(\"x\");} --> AA\n");
    td_derive_opts opts = td_derive_opts_default();
    opts.print = (td_print){take, &t};
    OWNED(test_model) m = test_model_of(&def, &opts, 2, NULL);
    CHECK(m.status == TD_ERR_STOPPED);
    CHECK(m.faults[0].line == 2 && m.faults[0].column == 8);
    CHECK_TEXT(t.text, "x");
}

// ---- faults ---------------------------------------------------------------------------------

TD_TEST(grammar_bad_prints_are_refused_with_their_place) {
    const test_fault rows[] = {
        {"Start: { printf(3); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 17, "expected what to print"},
        {"Start: { printf(\"a); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 17, "never closed"},
        {"Start: { printf(\"%s\", 1); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 17,
         "'%s' cannot be printed"},
        {"Start: { printf(\"%\"); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 17, "'%' cannot be printed"},
        {"Start: { printf(\"%99f\", 1); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 17, "at most 40 wide"},
        {"Start: { printf(\"%*d\", 1); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 17, "cannot be printed"},
        {"Start: { printf(\"%g\"); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 17,
         "takes 1 number; 0 are given"},
        {"Start: { printf(\"a\", 1); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 17,
         "takes 0 numbers; 1 is given"},
        {"Start: { fprintf(\"a\"); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 21, "expected ',' before ')'"},
        {"Start: { f = fopen(\"a\", \"r\"); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 25, "can only write"},
        {"Start: { f = fopen(1, \"w\"); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 20, "the name of a file"},
    };
    CHECK_FAULTS(rows, 0);
}
TD_TEST(grammar_macros_are_not_replaced_in_strings) {
    CHECK_DERIVED("#define n 3\nStart: { printf(\"n /* %d */ // \\\"n\", n); }\naxiom: A\n", 0,
                  "A");
}
