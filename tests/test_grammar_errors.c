// SPDX-License-Identifier: MIT
// Bad input: every fault has its status, line, column and a message that says what is wrong. Pairs
// with src/grammar.

#include "test_grammar_support.h"

#include "base/alloc.h"
#include "base/random.h"

#include <stdlib.h>

// ---- one fault each -------------------------------------------------------------------------

TD_TEST(errors_in_modules_and_brackets_name_their_place) {
    const test_fault rows[] = {
        {"axiom: A\nA --> B[\n", TD_ERR_SYNTAX, 2, 8, "this '[' is never closed"},
        {"axiom: A\nA --> B[[C]\n", TD_ERR_SYNTAX, 2, 8, "this '[' is never closed"},
        {"axiom: A\nA --> B]\n", TD_ERR_SYNTAX, 2, 8, "this ']' closes nothing"},
        {"axiom: [A\nA --> B]\n", TD_ERR_SYNTAX, 1, 8, "this '[' is never closed"},
        {"axiom: A]\n", TD_ERR_SYNTAX, 1, 9, "this ']' closes nothing"},
        {"axiom: A\nA > [B --> C\n", TD_ERR_SYNTAX, 2, 8, "unbalanced brackets in a context"},
        {"axiom: A\nA > B] --> C\n", TD_ERR_SYNTAX, 2, 6, "unbalanced brackets in a context"},
        {"axiom: A\n[A]B < C --> D\n", TD_ERR_SYNTAX, 2, 1, "it has no branches"},
        {"axiom: +(1,2)\n", TD_ERR_SYNTAX, 1, 8, "+ takes 0 to 1 parameter, here are 2"},
        {"axiom: A @R(1)\n", TD_ERR_SYNTAX, 1, 10, "@R takes 3 to 6 parameters, here is 1"},
        {"axiom: @R(1,2,3,4)\n", TD_ERR_SYNTAX, 1, 8, "@R takes 3 or 6 parameters, here are 4"},
        {"axiom: ?P(1)\n", TD_ERR_SYNTAX, 1, 8, "?P takes 2 to 3 parameters, here is 1"},
        {"axiom: |(3)\n", TD_ERR_SYNTAX, 1, 8, "| takes 0 parameters, here is 1"},
        {"axiom: A~K\n", TD_ERR_SYNTAX, 1, 9, "surface ~K is not declared"},
        {"axiom: ~ L\n", TD_ERR_SYNTAX, 1, 8, "expected the letter of a surface"},
        {"axiom: A@X\n", TD_ERR_SYNTAX, 1, 9, "unknown module '@X'"},
        {"axiom: A()\n", TD_ERR_SYNTAX, 1, 10, "expected a number, a name or '(' before ')'"},
        {"axiom: A(1,)\n", TD_ERR_SYNTAX, 1, 12, "expected a number, a name or '(' before ')'"},
        {"axiom: A(1\nA(x) --> B\n", TD_ERR_SYNTAX, 1, 11, "expected ')' before the end of the"},
        {"axiom: A(1 2)\n", TD_ERR_SYNTAX, 1, 12, "expected ')' before '2'"},
        {"axiom: A(1)(2)\n", TD_ERR_SYNTAX, 1, 12, "expected a module before '('"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_in_productions_name_their_place) {
    const test_fault rows[] = {
        {"axiom: A\nA B --> D\n", TD_ERR_SYNTAX, 2, 1, "expected one module"},
        {"axiom: A\n --> D\n", TD_ERR_SYNTAX, 2, 2, "expected one module"},
        {"axiom: A\n[ ] --> D\n", TD_ERR_SYNTAX, 2, 1, "expected one module"},
        {"axiom: A\nA\n", TD_ERR_SYNTAX, 2, 2, "expected '-->' before the end of the line"},
        {"axiom: A\nA -> B\n", TD_ERR_SYNTAX, 2, 1, "expected one module"},
        {"axiom: A\nA \xe2\x86\x92 B\n", TD_ERR_SYNTAX, 2, 3, "before byte 0xe2"}, // an arrow
        {"axiom: A(1)\nA(1) --> B\n", TD_ERR_SYNTAX, 2, 3, "the name of a parameter before '1'"},
        {"axiom: A(1)\nA(x --> B\n", TD_ERR_SYNTAX, 2, 5, "expected ')' before '-'"},
        {"axiom: A(1)\nA(x) : x > --> B\n", TD_ERR_SYNTAX, 2, 12, "expected a number, a name"},
        {"axiom: A(1)\nA(x) : (x > 1 --> B\n", TD_ERR_SYNTAX, 2, 15, "expected ')' before '-'"},
        {"axiom: A(1)\nA(x) : x > 1 2 --> B\n", TD_ERR_SYNTAX, 2, 14, "expected '-->' before '2'"},
        {"axiom: A\nA --> * B\n", TD_ERR_SYNTAX, 2, 9, "expected the end of the line before 'B'"},
        {"axiom: A\nA --> B : \n", TD_ERR_SYNTAX, 2, 11, "expected a number, a name or '('"},
        {"axiom: A\nA --> B : 1 2\n", TD_ERR_SYNTAX, 2, 13, "expected the end of the line"},
        {"axiom: A\ndecomposition\nA < B --> C\n", TD_ERR_SYNTAX, 3, 1, "have no context"},
        {"axiom: A(1)\n\nA(x,y) --> B\n", TD_ERR_SYNTAX, 3, 1,
         "A has 2 parameters here and 1 wherever it is made"},
        {"axiom: A(1)\nA --> B\n", TD_ERR_SYNTAX, 2, 1, "can never be used"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_in_names_and_functions_name_their_place) {
    const test_fault rows[] = {
        {"axiom: A\nA --> B(foo(1))\n", TD_ERR_SYNTAX, 2, 9, "unknown function 'foo'"},
        {"axiom: A(1+sine(1))\n", TD_ERR_SYNTAX, 1, 12, "did you mean 'sin'?"},
        {"axiom: A\nA --> B(1, atan2(1))\n", TD_ERR_SYNTAX, 2, 12, "takes 2 parameters, here is 1"},
        {"axiom: A(sin())\n", TD_ERR_SYNTAX, 1, 10, "sin takes 1 parameter, here are 0"},
        {"axiom: A(sin(1,2))\n", TD_ERR_SYNTAX, 1, 10, "sin takes 1 parameter, here are 2"},
        {"axiom: A\nA --> B(x)\n", TD_ERR_SYNTAX, 2, 9, "unknown name 'x'"},
        {"axiom: A(1)\nA(x) --> B : foo\n", TD_ERR_SYNTAX, 2, 14, "unknown name 'foo'"},
        {"define: { array a[3]; }\naxiom: A(a)\n", TD_ERR_SYNTAX, 2, 11, "expected '[' before ')'"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_in_statements_name_their_place) {
    const test_fault rows[] = {
        {"Start: { x = 1 }\naxiom: A\n", TD_ERR_SYNTAX, 1, 16, "expected ';' before '}'"},
        {"Start: { x = ; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 14, "expected a number, a name"},
        {"Start: { if x { } }\naxiom: A\n", TD_ERR_SYNTAX, 1, 13, "expected '(' before 'x'"},
        {"Start: { 5; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "expected a statement before '5'"},
        {"Start: {\nx = 1;\naxiom: A\n", TD_ERR_SYNTAX, 3, 6, "expected '=' before ':'"},
        {"Start: x = 1;\naxiom: A\n", TD_ERR_SYNTAX, 1, 8, "expected '{' before 'x'"},
        {"Start: {\n do { } }\naxiom: A\n", TD_ERR_SYNTAX, 2, 9, "expected 'while' before '}'"},
        {"axiom: A\nA : { x = 1; --> B\n", TD_ERR_SYNTAX, 2, 14, "expected a statement before '-'"},
        {"Start: { a = 1; } garbage\naxiom: A\n", TD_ERR_SYNTAX, 1, 19, "expected one module"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_in_header_items_name_their_place) {
    const test_fault rows[] = {
        {"seed: -1\naxiom: A\n", TD_ERR_SYNTAX, 1, 7, "a whole number from 0"},
        {"seed: x\naxiom: A\n", TD_ERR_SYNTAX, 1, 7, "unknown name 'x'"},
        {"seed:\naxiom: A\n", TD_ERR_SYNTAX, 1, 6, "before the end of the line"},
        {"seed: 5 7\naxiom: A\n", TD_ERR_SYNTAX, 1, 9, "expected the end of the line before '7'"},
        {"derivation length: -1\naxiom: A\n", TD_ERR_SYNTAX, 1, 20, "a whole number of steps"},
        {"derivation length: 1/0\naxiom: A\n", TD_ERR_SYNTAX, 1, 20, "division by zero"},
        {"derivation length: 3 4\naxiom: A\n", TD_ERR_SYNTAX, 1, 22,
         "expected the end of the line"},
        {"angle factor: 0\naxiom: A\n", TD_ERR_SYNTAX, 1, 15, "expected a number from 1"},
        {"step length: 0\naxiom: A\n", TD_ERR_SYNTAX, 1, 14, "greater than 0"},
        {"initial line width: -1\naxiom: A\n", TD_ERR_SYNTAX, 1, 21, "greater than 0"},
        {"tropism: 0,0,0,1\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "a direction that is not 0"},
        {"tropism: 0,1,0\naxiom: A\n", TD_ERR_SYNTAX, 1, 15, "expected ',' before the end"},
        {"length unit: 0\naxiom: A\n", TD_ERR_SYNTAX, 1, 14, "greater than 0"},
        {"pipe model: 1, 99\naxiom: A\n", TD_ERR_SYNTAX, 1, 16, "an exponent from 0.5 to 10"},
        {"color: 1 red\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "a colour such as"},
        {"color: 1 #12345g\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "a colour such as"},
        {"material: 1\naxiom: A\n", TD_ERR_SYNTAX, 1, 12, "expected a name before the end"},
        {"material: 1 oak, young\naxiom: A\n", TD_ERR_SYNTAX, 1, 23, "expected '='"},
        {"surface: + leaf\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "expected the letter by which ~"},
        {"ignore: F[\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "brackets are never ignored"},
        {"ignore: F*\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "expected a module before '*'"},
        {"maximum depth: 5\naxiom: A\n", TD_ERR_SYNTAX, 1, 1, "expected 'decomposition' or"},
        {"axiom: A\ndecomposition\nmaximum depth: 0\n", TD_ERR_SYNTAX, 3, 16, "a depth from 1"},
        {"axiom: A\nhomomorphism: x\n", TD_ERR_SYNTAX, 2, 15, "expected the end of the line"},
        {"axoim: A\n", TD_ERR_SYNTAX, 1, 1, "unknown header item 'axoim'; did you mean 'axiom'?"},
        {"axiom: A\nderivation lenght: 5\n", TD_ERR_SYNTAX, 2, 1, "'derivation length'?"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_in_arrays_name_their_place) {
    const test_fault rows[] = {
        {"define: { array a[2] = {1,2,3}; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 29, "more values than"},
        {"define: { array a; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 18, "expected '[' before ';'"},
        {"define: { array a[0]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 19, "a size from 1"},
        {"define: { array a[1e9]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 19, "a size from 1 to 1000000"},
        {"define: { array a[2000][2000]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 30, "more than 1000000"},
        {"define: { array a[1][1][1][1][1]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 31, "four indices"},
        {"define: { a[1]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 11, "expected 'array' before 'a'"},
        {"define: array a[1];\naxiom: A\n", TD_ERR_SYNTAX, 1, 9, "expected '{' before 'a'"},
        {"define: { array a[1] }\naxiom: A\n", TD_ERR_SYNTAX, 1, 22, "expected ';' before '}'"},
        {"define: { array a[3]; }\naxiom: A(a[3])\n", TD_ERR_EVAL, 2, 10, "array a is out of its"},
        {"define: { array a[3]; }\naxiom: A(a[-1])\n", TD_ERR_EVAL, 2, 10, "array a is out of its"},
        {"define: { array a[2][3]; }\nStart: { a[1][3] = 1; }\naxiom: A\n", TD_ERR_EVAL, 2, 10,
         "an index of array a is out of its range"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_in_the_axiom_name_their_place) {
    const test_fault rows[] = {
        {"", TD_ERR_SYNTAX, 1, 1, "expected 'axiom:' before the end of the file"},
        {"\n\n  \n", TD_ERR_SYNTAX, 4, 1, "expected 'axiom:'"},
        {"A --> B\n", TD_ERR_SYNTAX, 2, 1, "expected 'axiom:'"},
        {"axiom:\nA --> B\n", TD_ERR_SYNTAX, 1, 7, "the axiom is empty"},
        {"axiom: *\n", TD_ERR_SYNTAX, 1, 8, "the axiom is empty"},
        {"axiom: A\naxiom: B\n", TD_ERR_SYNTAX, 2, 8, "there is an axiom already"},
        {"axiom: A : 3\n", TD_ERR_SYNTAX, 1, 10, "expected a module or the end of the line"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_of_values_name_the_operation) {
    const test_fault rows[] = {
        {"axiom: A(1/0)\n", TD_ERR_EVAL, 1, 11, "division by zero"},
        {"axiom: A(0)\nA(x) --> A(1/x)\n", TD_ERR_EVAL, 2, 13, "division by zero"},
        {"axiom: A(0)\nA(x) : 1/x > 2 --> B\n", TD_ERR_EVAL, 2, 9, "division by zero"},
        {"axiom: A(0)\nA(x) : { y = 3/x; } 1 --> B\n", TD_ERR_EVAL, 2, 15, "division by zero"},
        {"axiom: A(0)\nA(x) --> A(1%x)\n", TD_ERR_EVAL, 2, 13, "remainder of a division by zero"},
        {"axiom: A(-1)\nA(x) --> A(sqrt(x))\n", TD_ERR_EVAL, 2, 12, "sqrt(-1) has no value"},
        {"axiom: A(-1)\nA(x) --> A(x^0.5)\n", TD_ERR_EVAL, 2, 13, "this power has no value"},
        {"axiom: A(0)\nA(x) --> A(x^-1)\n", TD_ERR_EVAL, 2, 13, "this power has no value"},
        {"axiom: A(0)\nA(x) --> A(log(x))\n", TD_ERR_EVAL, 2, 12, "log(0) has no value"},
        {"axiom: A(2)\nA(x) --> A(asin(x))\n", TD_ERR_EVAL, 2, 12, "asin(2) has no value"},
        {"axiom: A(90)\nA(x) --> A(tan(x))\n", TD_ERR_EVAL, 2, 12, "tan(90) has no value"},
        {"axiom: A(710)\nA(x) --> A(exp(x))\n", TD_ERR_EVAL, 2, 12, "exp(710) has no value"},
        {"axiom: A(bran(0,1))\n", TD_ERR_EVAL, 1, 10, "bran(0, 1) has no value"},
        {"axiom: A(biran(5,2))\n", TD_ERR_EVAL, 1, 10, "biran(5, 2) has no value"},
        {"axiom: A(srand(-1))\n", TD_ERR_EVAL, 1, 10, "srand(-1) has no value"},
        {"seed: 1\naxiom: A(1)\nA(x) --> B : -x\n", TD_ERR_EVAL, 3, 14, "weight of a production"},
        {"decomposition\nA --> B(1/0)\naxiom: A\n", TD_ERR_EVAL, 2, 10, "division by zero"},
    };
    CHECK_FAULTS(rows, 1);
}

TD_TEST(errors_of_huge_numbers_are_caught) {
    const test_fault rows[] = {
        {"axiom: A(1e301)\n", TD_ERR_SYNTAX, 1, 10, "this number is too large"},
        {"axiom: A(1e99999)\n", TD_ERR_SYNTAX, 1, 10, "this number is too large"},
        {"axiom: A(1111111111111111111111111111111111111111111111111111111111111111)\n",
         TD_ERR_SYNTAX, 1, 10, "more than 63 characters"},
        {"axiom: A(1e300)\nA(x) --> A(x*x)\n", TD_ERR_EVAL, 2, 12, "is not finite"},
        {"axiom: A(1e300*1e300)\n", TD_ERR_EVAL, 1, 10, "is not finite"},
        {"Start: { x = 1e300; x = x*x; }\naxiom: A\n", TD_ERR_EVAL, 1, 21, "is not finite"},
        {"define: { array a[1e300]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 19, "a size from 1"},
        {"derivation length: 1e300\naxiom: A\n", TD_ERR_SYNTAX, 1, 20, "from 0 to 1e9"},
        {"seed: 1e300\naxiom: A\n", TD_ERR_SYNTAX, 1, 7, "expected a seed"},
    };
    CHECK_FAULTS(rows, 1);
}

// faults of the turtle have a module instead of a line
TD_TEST(errors_of_the_turtle_name_the_module) {
    const struct {
        const char *axiom;
        td_status status;
        int32_t module;
        const char *message;
    } rows[] = {
        {"?P(0,0,0)F}", TD_ERR_STRUCTURE, 2, "'}' closes no polygon"},
        {"?P(0,0,0)@R(0,0,0)", TD_ERR_STRUCTURE, 1, "@R sets a heading of length 0"},
        {"?P(0,0,0)!(-1)", TD_ERR_STRUCTURE, 1, "sets a negative width: -1"},
        {"?P(0,0,0)@M(1e300,0,0)-(90)F(1e300)F(1e308*1)F(1e300)", TD_ERR_SYNTAX, -1, "too large"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "axiom: %s\n", rows[i].axiom);
        test_model m = test_model_text(text, 0);
        CHECK_INT(m.status, rows[i].status);
        CHECK_INT(m.faults[0].index, rows[i].module);
        CHECK_HAS(m.faults[0].message, rows[i].message);
        test_model_free(&m);
    }
    // 1e300 a piece: ten steps double the pieces until the sum is past the largest number
    test_model m = test_model_text("axiom: A?P(0,0,0)\nA --> AA\nhomomorphism\n"
                                   "maximum depth: 30\nA --> F(1e300)A\n",
                                   0);
    td_status status = m.status;
    td_diag diag = {0};
    for (int i = 0; i < 27 && status == TD_OK; i++) {
        status = td_derivation_step(m.derivation, &diag);
    }
    CHECK_INT(status, TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "leads the turtle to infinity");
    test_model_free(&m);
}

// ---- several faults -------------------------------------------------------------------------

TD_TEST(errors_of_one_text_are_all_listed_in_order) {
    test_model m = test_model_text("angle increment: x\n"
                                   "Start: { if (1) { y = foo(1); }\n z = 2; } seed: -1\n"
                                   "#include \"z\"\n"
                                   "axiom: A[\n"
                                   "A --> B(\n"
                                   "B --> C\n"
                                   "C --> ]\n",
                                   0);
    // a directive's fault ends the reading of the text before the parser starts
    CHECK_INT(m.status, TD_ERR_SYNTAX);
    CHECK_INT(m.fault_count, 1);
    test_model_free(&m);
    m = test_model_text("angle increment: x\n"
                        "Start: { if (1) { y = foo(1); }\n z = 2; } seed: -1\n"
                        "axiom: A[\n"
                        "A --> B(\n"
                        "B --> C\n"
                        "C --> ]\n",
                        0);
    const int32_t places[][2] = {{1, 18}, {2, 23}, {3, 17}, {4, 9}, {5, 9}, {7, 7}};
    CHECK_INT(m.status, TD_ERR_SYNTAX);
    CHECK_INT(m.fault_count, 6);
    for (int i = 0; i < 6; i++) {
        CHECK_INT(m.faults[i].line, places[i][0]);
        CHECK_INT(m.faults[i].column, places[i][1]);
    }
    test_model_free(&m);
}

TD_TEST(errors_of_directives_are_all_listed) {
    test_model m = test_model_text("#define\n#endif\n#include <x\naxiom: A\n", 0);
    CHECK_INT(m.fault_count, 3);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(m.faults[i].line, i + 1);
    }
    test_model_free(&m);
}

TD_TEST(errors_beyond_the_lists_room_are_counted_and_end_at_100) {
    char *text = calloc(1, 20000);
    strcpy(text, "axiom: A\n");
    for (int i = 0; i < 150; i++) {
        strcat(text, "A --> ]\n");
    }
    test_model m = test_model_text(text, 0);
    CHECK_INT(m.fault_count, 100);
    CHECK_INT(m.faults[7].line, 9); // the list has room for 8
    td_grammar_def def = test_def(text);
    td_grammar *g = NULL;
    CHECK_INT(td_grammar_new(&def, NULL, &g, NULL), TD_ERR_SYNTAX); // no list at all
    CHECK(g == NULL);
    test_model_free(&m);
    free(text);
}

// ---- what a fault shows ---------------------------------------------------------------------

TD_TEST(errors_show_their_line_with_a_caret) {
    test_model m = test_model_text("axiom: A\nA -->\tB C\xff(2) D\n", 0);
    const td_diag *d = &m.faults[0];
    CHECK_TEXT(d->file, "model");
    CHECK_TEXT(d->source, "A --> B C\xff(2) D"); // a TAB shows as a space
    CHECK_INT(d->caret, 9);
    CHECK_INT(d->column, 10);
    test_model_free(&m);
}

TD_TEST(errors_far_to_the_right_show_the_part_of_the_line_around_them) {
    char text[1200] = "axiom: ";
    memset(text + 7, 'F', 1000);
    strcpy(text + 1007, "*GGG\n");
    test_model m = test_model_text(text, 0);
    const td_diag *d = &m.faults[0];
    CHECK_INT(d->column, 1008);
    CHECK(d->caret > 20 && d->caret < (int32_t)sizeof d->source);
    CHECK(d->source[d->caret] == '*');
    CHECK_TEXT(d->source + d->caret, "*GGG");
    test_model_free(&m);
}

// ---- limits ---------------------------------------------------------------------------------

static test_model limited(const char *text, int64_t modules, size_t bytes, int64_t loops,
                          int32_t steps) {
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    opts.max_modules = modules;
    opts.max_bytes = bytes;
    opts.max_loops = loops;
    return test_model_of(&def, &opts, steps, NULL);
}

TD_TEST(errors_of_growth_past_the_limits_name_the_production_and_keep_the_string) {
    test_model m = limited("axiom: A\nA --> AA\n", 1000, 1 << 20, 0, 9);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(td_derivation_string(m.derivation).module_count, 512);
    td_diag diag = {0};
    CHECK_INT(td_derivation_step(m.derivation, &diag), TD_ERR_LIMIT);
    CHECK_INT(diag.line, 2);
    CHECK_INT(diag.column, 1);
    CHECK_HAS(diag.message, "grows past 1000 modules here, in step 10");
    CHECK_INT(td_derivation_string(m.derivation).module_count, 512);
    test_model_free(&m);
    m = limited("axiom: A(1)\nA(x) --> A(x)A(x)\n", 1 << 20, 10000, 0, 30);
    CHECK_INT(m.status, TD_ERR_LIMIT);
    CHECK_HAS(m.faults[0].message, "grows past 10000 bytes");
    CHECK(td_derivation_bytes(m.derivation) < 20000);
    test_model_free(&m);
    m = limited("axiom: AAAA\n", 3, 1 << 20, 0, 0);
    CHECK_INT(m.status, TD_ERR_LIMIT);
    test_model_free(&m);
    // decomposition that multiplies to its depth
    m = limited("axiom: A\ndecomposition\nmaximum depth: 1000\nA --> AA\n", 1000, 1 << 20, 0, 0);
    CHECK_INT(m.status, TD_ERR_LIMIT);
    test_model_free(&m);
}

// the bytes of the decomposed string are counted with those of the others, not against them
TD_TEST(errors_of_limits_do_not_strike_a_small_decomposition) {
    char text[1400] = "axiom: A\ndecomposition\nA --> ";
    for (int i = 0; i < 1100; i++) {
        strcat(text, "F");
    }
    strcat(text, "F(1)F(1)F(1)F(1)F(1)F(1)F(1)F(1)F(1)F(1)\n");
    test_model m = limited(text, 10000, 1 << 20, 0, 0);
    CHECK_INT(m.status, TD_OK);
    test_model_free(&m);
}

TD_TEST(errors_of_endless_loops_name_the_loop) {
    const struct {
        const char *text;
        int32_t line, column;
    } rows[] = {{"Start: { x = 1;\n while (x) { x = 1; } }\naxiom: A\n", 2, 7},
                {"Start: { do { } while (1); }\naxiom: A\n", 1, 12},
                {"axiom: A\nA : { while (1) { } } 1 --> B\n", 2, 12}};
    for (size_t i = 0; i < 3; i++) {
        test_model m = limited(rows[i].text, 100, 1 << 20, 5000, 1);
        CHECK_INT(m.status, TD_ERR_LIMIT);
        CHECK_HAS(m.faults[0].message, "this loop runs on past the limit");
        CHECK_INT(m.faults[0].line, rows[i].line);
        CHECK_INT(m.faults[0].column, rows[i].column);
        test_model_free(&m);
    }
    // 5000 turns in all steps together are within a limit of 5000
    test_model m = limited("StartEach: { i = 0; while (i < 2500) { i = i + 1; } }\naxiom: A\n", 9,
                           1 << 20, 5000, 2);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(td_derivation_step(m.derivation, NULL), TD_ERR_LIMIT);
    test_model_free(&m);
}

static test_model with_max_text(const char *text, size_t max_text) {
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    def.max_text = max_text;
    return test_model_of(&def, &opts, 0, NULL);
}

TD_TEST(errors_of_text_over_its_limit) {
    const char *text = "axiom: ABCDE";
    test_model m = with_max_text(text, strlen(text));
    CHECK_TEXT(test_string_of(&m), "ABCDE");
    test_model_free(&m);
    m = with_max_text(text, strlen(text) - 1);
    CHECK_INT(m.status, TD_ERR_LIMIT);
    CHECK_HAS(m.faults[0].message, "12 bytes, the limit is 11");
    test_model_free(&m);
    // the text is small, what its macros make of it is not
    m = with_max_text("#define A BBBBBBBBBBBBBBBB\naxiom: A A A A A A A A A\n", 100);
    CHECK_INT(m.status, TD_ERR_LIMIT);
    CHECK_INT(m.faults[0].line, 2);
    CHECK_HAS(m.faults[0].message, "grows past 100 bytes here");
    test_model_free(&m);
}

// each level uses the next one twice: 2^60 replacements if they were made
static void bomb(const char *form, const char *last, char *text, size_t size) {
    size_t n = 0;
    for (int i = 0; i < 60; i++) {
        n += (size_t)snprintf(text + n, size - n, form, i, i + 1, i + 1);
    }
    snprintf(text + n, size - n, last, 60);
}

TD_TEST(errors_of_macro_bombs_end_at_a_limit) {
    static char text[8192];
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    const char *forms[][2] = {
        {"#define A%d A%d A%d\n", "#define A%d F\naxiom: A0\n"},
        {"#define A%d() A%d()A%d()\n", "#define A%d()\naxiom: F A0()\n"}, // leaves nothing behind
        {"#define A%d(x) A%d(x x)A%d(x x)\n", "#define A%d(x)\naxiom: F A0(12345678)\n"},
    };
    for (size_t i = 0; i < 3; i++) {
        bomb(forms[i][0], forms[i][1], text, sizeof text);
        td_grammar_def def = test_def(text);
        td_derive_opts opts = td_derive_opts_default();
        def.max_text = 1 << 20;
        test_model m = test_model_of(&def, &opts, 0, &alloc);
        CHECK_INT(m.status, TD_ERR_LIMIT);
        CHECK_INT(m.fault_count, 1);
        CHECK_INT(m.faults[0].line, 62);
        test_model_free(&m);
    }
    CHECK_INT(heap.held, 0);
    CHECK(heap.peak < (size_t)256 << 20);
}

TD_TEST(errors_of_macros_in_macros_end_at_a_depth) {
    static char text[8192];
    size_t n = 0;
    for (int i = 0; i < 80; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "#define A%d A%d\n", i, i + 1);
    }
    snprintf(text + n, sizeof text - n, "axiom: F A0\n");
    const test_fault rows[] = {{text, TD_ERR_SYNTAX, 81, 10, "nested more than 64 deep"}};
    CHECK_FAULTS(rows, 0);
}

// arrays take what they hold, not what all arrays before them hold as well
TD_TEST(errors_do_not_come_from_many_arrays_and_their_memory_is_bounded) {
    static char text[32768];
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    size_t n = (size_t)snprintf(text, sizeof text, "define: { array big[900000];\n");
    for (int i = 0; i < 900; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "array a%d[1];\n", i);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "}\naxiom: A(a899[0])\n");
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    test_model m = test_model_of(&def, &opts, 0, &alloc);
    CHECK_INT(m.status, TD_OK);
    CHECK(heap.peak < (size_t)64 << 20);
    test_model_free(&m);
    CHECK_INT(heap.held, 0);
}

// ---- nesting --------------------------------------------------------------------------------

// `open` count times, the middle, `close` count times
static char *nested(const char *before, const char *open, const char *middle, const char *close,
                    int32_t count, const char *after) {
    size_t size = strlen(before) + strlen(middle) + strlen(after) + 1 +
                  (strlen(open) + strlen(close)) * (size_t)count;
    char *text = malloc(size), *end = text;
    end += sprintf(end, "%s", before);
    for (int32_t i = 0; i < count; i++) {
        end += sprintf(end, "%s", open);
    }
    end += sprintf(end, "%s", middle);
    for (int32_t i = 0; i < count; i++) {
        end += sprintf(end, "%s", close);
    }
    sprintf(end, "%s", after);
    return text;
}

TD_TEST(errors_of_deep_nesting_end_at_a_limit) {
    const struct {
        const char *before, *open, *middle, *close, *after;
    } forms[] = {
        {"axiom: A(", "(", "1", ")", ")\n"},
        {"axiom: A(", "-", "1", "", ")\n"},
        {"axiom: A(", "!", "1", "", ")\n"},
        {"axiom: A(", "sin(", "1", ")", ")\n"},
        {"axiom: A(", "2^", "1", "", ")\n"},
        {"axiom: A(", "1+(", "1", ")", ")\n"},
        {"Start: {", "if (1) {", "x = 1;", "}", "}\naxiom: A\n"},
        {"Start: {", "while (0) ", "x = 1;", "", "}\naxiom: A\n"},
        {"Start: {", "do ", "x = 1;", " while (0);", "}\naxiom: A\n"},
        {"axiom: A\nA > ", "[", "B", "]", " --> C\n"},
        {"axiom: A", "\n#ifdef X", "", "\n#endif", "\n"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        // a few levels are fine, a hundred thousand are refused, whatever they nest
        for (int32_t count = 10; count <= 100000; count *= 10000) {
            char *text = nested(forms[i].before, forms[i].open, forms[i].middle, forms[i].close,
                                count, forms[i].after);
            test_model m = test_model_text(text, 0);
            CHECK_INT(m.status, count == 10 ? TD_OK : TD_ERR_SYNTAX);
            test_model_free(&m);
            free(text);
        }
    }
}

TD_TEST(errors_do_not_come_from_deep_branches_up_to_the_turtles_limit) {
    const int32_t counts[] = {1000, 100000, 100001};
    for (int i = 0; i < 3; i++) {
        char *text = nested("axiom: ", "[", "F", "]", counts[i], "\nF > A --> B\n");
        test_model m = test_model_good(text, 1);
        td_totals totals = {0};
        td_diag diag = {0};
        td_string s = td_derivation_string(m.derivation);
        td_status status = td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, &diag);
        CHECK_INT(status, i < 2 ? TD_OK : TD_ERR_LIMIT);
        test_model_free(&m);
        free(text);
    }
}

// ---- garbage --------------------------------------------------------------------------------

TD_TEST(errors_of_binary_garbage_are_faults_of_syntax) {
    tdi_random random;
    tdi_random_seed(&random, 99);
    for (int i = 0; i < 500; i++) {
        char text[256];
        td_grammar_def def = td_grammar_def_default();
        td_grammar *g = NULL;
        td_diag diag = {0};
        td_diag_list list = {&diag, 1, 0};
        for (size_t k = 0; k < sizeof text; k++) {
            text[k] = (char)tdi_random_bits(&random);
        }
        def.text = text;
        def.text_size = sizeof text;
        // no axiom stands among 256 random bytes
        CHECK_INT(td_grammar_new(&def, NULL, &g, &list), TD_ERR_SYNTAX);
        CHECK(list.count > 0 && diag.line > 0 && diag.column > 0 && diag.message[0] != 0);
        td_grammar_free(g);
    }
}

// pieces of models in random order reach deeper than bytes do
TD_TEST(errors_of_shuffled_models_give_a_status_and_leave_nothing_behind) {
    const char *pieces[] = {"axiom: ",
                            "A",
                            "A(x)",
                            "-->",
                            " < ",
                            " > ",
                            ":",
                            "[",
                            "]",
                            "\n",
                            "\n\t",
                            "{",
                            "}",
                            "x = 1;",
                            "while (x < 3) { x = x + 1; }",
                            "(",
                            ")",
                            "1.5",
                            "*",
                            "%",
                            "?P(0,0,0)",
                            "~L",
                            "@v",
                            "F(2)",
                            "seed: 3\n",
                            "homomorphism\n",
                            "decomposition\n",
                            "#define X Y\n",
                            "#ifdef X\n",
                            "#endif\n",
                            "Start: ",
                            "define: ",
                            "array a[3];",
                            "ignore: F\n",
                            "+",
                            "-",
                            "/",
                            ",",
                            ";",
                            "surface: L leaf\n",
                            "/*",
                            "*/",
                            " // x\n"};
    const int32_t piece_count = (int32_t)(sizeof pieces / sizeof pieces[0]);
    tdi_random random;
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    int good = 0;
    tdi_random_seed(&random, 5);
    for (int i = 0; i < 4000; i++) {
        char text[1024] = "axiom: A(1)F\n";
        int32_t count = (int32_t)(tdi_random_uniform(&random) * 20);
        for (int32_t k = 0; k < count; k++) {
            strcat(text, pieces[(int32_t)(tdi_random_uniform(&random) * piece_count)]);
        }
        td_grammar_def def = test_def(text);
        td_derive_opts opts = td_derive_opts_default();
        opts.max_modules = 200;
        opts.max_loops = 200;
        test_model m = test_model_of(&def, &opts, 3, &alloc);
        CHECK(m.status == TD_OK || m.faults[0].message[0] != 0);
        good += m.status == TD_OK;
        test_model_free(&m);
        CHECK_INT(heap.held, 0);
    }
    CHECK(good > 100); // and some are models
}

// ---- memory ---------------------------------------------------------------------------------

static const char *const rich_text =
    "#define ANGLE(x) ((x)*2)\n#include \"part\"\nseed: 4\nignore: +-\nsurface: L leaf\n"
    "material: 1 oak, young=5e9\ncolor: 1 #102030\n"
    "define: { array a[4] = {1,2,3,4}; array b[3]; }\nStart: { n = 0; }\n"
    "axiom: A(1)?P(0,0,0)\n"
    "A(x) : { y = x + a[1]; } x < 4 { n = n + 1; } --> F(y)[+(ANGLE(20))B(x)][-~L(x)]A(x+1) : 2\n"
    "A(x) --> F(1){f+f+f}@GsF!(2)@Ge@O(1)C : 1\n"
    "F(l) < B(x) > [C]D --> B(x+l)\nB(x) < F(l) --> F(l)\n"
    "decomposition\nmaximum depth: 3\nC --> DE\nhomomorphism\nB(x) --> ;(1)@Mat(1)F(x)F(1)\n";

static td_status part_read(void *context, const char *name, const char *from, size_t max_size,
                           const td_alloc *alloc, char **text, size_t *size, char resolved[160]) {
    const char *part = "#define PART 1\nangle increment: 20\n";
    (void)context;
    (void)from;
    snprintf(resolved, 160, "%s", name);
    *size = strlen(part);
    *text = *size <= max_size ? tdi_alloc_resize(alloc, NULL, 0, *size) : NULL;
    if (!*text) {
        return TD_ERR_MEMORY;
    }
    memcpy(*text, part, *size);
    return TD_OK;
}

// parses, derives four steps, makes a skeleton and totals
static td_status grow(const td_alloc *alloc) {
    td_loader loader = {part_read, NULL};
    td_grammar_def def = test_def(rich_text);
    td_derive_opts opts = td_derive_opts_default();
    td_skeleton *skeleton = NULL;
    td_totals totals;
    def.loader = &loader;
    test_model m = test_model_of(&def, &opts, 4, alloc);
    td_status status = m.status;
    if (status == TD_OK) {
        td_string s = td_derivation_string(m.derivation);
        status = td_skeleton_from_string(m.grammar, &s, NULL, alloc, &skeleton, &m.faults[0]);
        if (status == TD_OK) {
            CHECK(td_skeleton_count(skeleton) > 10);
            status = td_totals_from_string(m.grammar, &s, NULL, alloc, &totals, &m.faults[0]);
        }
    }
    td_skeleton_free(skeleton);
    test_model_free(&m);
    return status;
}

TD_TEST(errors_of_memory_from_any_call_on_give_a_status_and_no_leak) {
    test_heap whole = {0};
    td_alloc alloc = test_heap_alloc(&whole);
    CHECK_INT(grow(&alloc), TD_OK);
    CHECK_INT(whole.held, 0);
    CHECK(whole.calls > 50);
    for (long n = 1; n <= whole.calls; n++) {
        test_heap heap = {.fail_at = n};
        alloc = test_heap_alloc(&heap);
        CHECK_INT(grow(&alloc), TD_ERR_MEMORY);
        CHECK_INT(heap.held, 0);
    }
}

// one call alone fails, and those after it work again
typedef struct flaky_heap {
    test_heap heap;
    long fail_only;
} flaky_heap;

static void *flaky_resize(void *context, void *block, size_t old_size, size_t new_size) {
    flaky_heap *flaky = context;
    if (new_size > 0 && flaky->heap.calls + 1 == flaky->fail_only) {
        flaky->heap.calls++;
        return NULL;
    }
    td_alloc inner = test_heap_alloc(&flaky->heap);
    return inner.resize(inner.context, block, old_size, new_size);
}

TD_TEST(errors_of_memory_in_any_single_call_give_a_status_and_no_leak) {
    test_heap whole = {0};
    td_alloc alloc = test_heap_alloc(&whole);
    CHECK_INT(grow(&alloc), TD_OK);
    for (long n = 1; n <= whole.calls; n++) {
        flaky_heap flaky = {.fail_only = n};
        alloc = (td_alloc){flaky_resize, &flaky};
        CHECK_INT(grow(&alloc), TD_ERR_MEMORY);
        CHECK_INT(flaky.heap.held, 0);
    }
}
