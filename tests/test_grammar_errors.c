// SPDX-License-Identifier: MIT
// Bad input: every fault has its status, line, column and a message that says what is wrong. Pairs
// with src/grammar.

#include "test_grammar_support.h"

#include "base/diag.h"

// ---- one fault each -------------------------------------------------------------------------

TD_TEST(errors_in_modules_and_brackets_name_their_place) {
    const test_fault rows[] = {
        {"axiom: @R(1,2,3,4)\n", TD_ERR_SYNTAX, 1, 8, "@R takes 2, 3 or 6 parameters; 4 are given"},
        {"axiom: A@\n", TD_ERR_SYNTAX, 1, 9, "expected a letter after '@', before the end"},
        {"axiom: ~+\n", TD_ERR_SYNTAX, 1, 8, "expected a letter after '~', before '+'"},
        {"axiom: A%(1)\n", TD_ERR_SYNTAX, 1, 9, "%(x) of cpfg, which moves the rest"},
        {"axiom: A~K\n", TD_ERR_SYNTAX, 1, 9, "surface ~K is not declared"},
        {"axiom: A()\n", TD_ERR_SYNTAX, 1, 10, "expected a number, a name or '(' before ')'"},
        {"axiom: A(1,)\n", TD_ERR_SYNTAX, 1, 12, "expected a number, a name or '(' before ')'"},
        {"axiom: A(1\nA(x) --> B\n", TD_ERR_SYNTAX, 1, 11, "expected ')' before the end of the"},
        {"axiom: A(1 2)\n", TD_ERR_SYNTAX, 1, 12, "expected ')' before '2'"},
        {"axiom: A(1)(2)\n", TD_ERR_SYNTAX, 1, 12, "expected a module before '('"},
        {"axiom: [(1)A]\n", TD_ERR_SYNTAX, 1, 8, "[ takes no parameters; 1 is given"},
        {"axiom: A](1,2)\n", TD_ERR_SYNTAX, 1, 9, "] takes no parameters; 2 are given"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_in_productions_name_their_place) {
    const test_fault rows[] = {
        {"axiom: A\n --> D\n", TD_ERR_SYNTAX, 2, 2, "expected a module before '>'"},
        {"axiom: A\nA >> B --> D\n", TD_ERR_SYNTAX, 2, 3, "not yet made"},
        {"axiom: A\nhomomorphism\nB << A --> D\n", TD_ERR_SYNTAX, 3, 1, "makes no string"},
        {"axiom: A\n= A --> D\n", TD_ERR_SYNTAX, 2, 1, "expected it in a right context"},
        {"axiom: A\nB = < A --> D\n", TD_ERR_SYNTAX, 2, 7, "expected it in a right context"},
        {"axiom: A\nA\n", TD_ERR_SYNTAX, 2, 2, "expected '-->' before the end of the line"},
        {"axiom: A\nA -> B\n", TD_ERR_SYNTAX, 2, 7, "expected '-->' before the end"},
        {"axiom: A(1)\nA(1) --> B\n", TD_ERR_SYNTAX, 2, 3, "the name of a parameter before '1'"},
        {"axiom: A(1)\nA(x --> B\n", TD_ERR_SYNTAX, 2, 5, "expected ')' before '-'"},
        {"axiom: A(1)\nA(x) : x > --> B\n", TD_ERR_SYNTAX, 2, 12, "expected a number, a name"},
        {"axiom: A(1)\nA(x) : (x > 1 --> B\n", TD_ERR_SYNTAX, 2, 15, "expected ')' before '-'"},
        {"axiom: A(1)\nA(x) : x > 1 2 --> B\n", TD_ERR_SYNTAX, 2, 14, "expected '-->' before '2'"},
        {"axiom: A\nA --> * B\n", TD_ERR_SYNTAX, 2, 9, "expected the end of the line before 'B'"},
        {"axiom: A\nA --> B : \n", TD_ERR_SYNTAX, 2, 11, "expected a number, a name or '('"},
        {"axiom: A\nA --> B : 1 2\n", TD_ERR_SYNTAX, 2, 13, "expected the end of the line"},
        {"axiom: A\nA : { x = ; } 1 --> B\n", TD_ERR_SYNTAX, 2, 11, "expected a number, a name"},
        {"axiom: A\nA : 1 { x = ; } --> B\n", TD_ERR_SYNTAX, 2, 13, "expected a number, a name"},
        {"axiom: A\nA(x) : x ? 1 --> B\n", TD_ERR_SYNTAX, 2, 14, "expected ':' before '-'"},
        {"axiom: A\nA(x) : x ? ) --> B\n", TD_ERR_SYNTAX, 2, 12, "expected a number, a name"},
        {"axiom: A\nA(x) : x ? 1 : ) --> B\n", TD_ERR_SYNTAX, 2, 16, "expected a number, a name"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_in_statements_and_declarations_name_their_place) {
    const test_fault rows[] = {
        {"Start: { if (1) x = 1; else x = ; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 33,
         "expected a number, a name"},
        {"Start: { fopen(log, \"w\"); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 16,
         "expected the name of a file in double quotes"},
        {"Start: { fopen(\"log\", w); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 23, "in double quotes"},
        {"Start: { printf(\"%g\", ); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 23,
         "expected a number, a name"},
        {"Start: { fprintf(, \"x\"); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 18,
         "expected a number, a name"},
        {"define: { array [3]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 17,
         "expected the name of an array before '['"},
        {"define: { array a[3] = {1, x}; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 28, "unknown name 'x'"},
        {"define: { array a[3]; external a[x]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 34,
         "unknown name 'x'"},
        {"define: { array a[3]; external a[4]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 32,
         "array a has 3 elements in index 1 where it is made"},
        {"contour: x open (0,0)\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "unknown name 'x'"},
        {"contour: 1 open (0,x)\naxiom: A\n", TD_ERR_SYNTAX, 1, 20, "unknown name 'x'"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(values_that_are_not_finite_are_refused_where_they_are_assigned) {
    const test_fault rows[] = {
        {"Start: { x = 1e300 * 1e300; }\naxiom: A\n", TD_ERR_EVAL, 1, 10, "not finite"},
        {"define: { array a[2]; }\nStart: { a[1] = 1e300 * 1e300; }\naxiom: A\n", TD_ERR_EVAL, 2,
         10, "not finite"},
        {"axiom: A(curveX(1, 0.5))\n", TD_ERR_EVAL, 1, 10, "curveX"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(too_few_parameters_of_a_turtle_module_are_a_warning_and_more_are_not) {
    const test_warning rows[] = {
        {"axiom: A @R(1)\n", 1, 10, "@R takes 2 parameters or more; with 1 it does nothing"},
        {"axiom: ?P(1)\n", 1, 8, "?P takes 2 parameters or more"},
        {"axiom: A@X\n", 1, 9, "the turtle has no command @X, so it does nothing"},
        {"axiom: @Mat\n", 1, 8, "@Mat takes 1 parameter or more; with 0 it does nothing"},
    };
    CHECK_WARNINGS(rows);
    test_frame f = test_turtle("+(90,1,2)|(3)F(1,7)@R(1)"); // the first parameter counts
    CHECK_VEC(f.p, 1, 0, 0, 1e-15);
    CHECK_DERIVED("axiom: +(1,2)\n+(a,b) : b == 2 --> +(a+1,b)\n", 1, "+(2,2)");
}

TD_TEST(brackets_that_do_not_balance_are_a_warning) {
    const test_warning rows[] = {
        {"axiom: A\nA --> B[\n", 2, 8, "this '[' is not closed here"},
        {"axiom: A\nA --> B[[C]\n", 2, 8, "this '[' is not closed here"},
        {"axiom: A\nA --> B]\n", 2, 8, "this ']' closes nothing here"},
        {"axiom: [A\nA --> B]\n", 1, 8, "this '[' is not closed here"},
        {"axiom: A]\n", 1, 9, "this ']' closes nothing here"},
        {"axiom: A\n[A]B < C --> D\n", 2, 1, "with brackets it never matches"},
    };
    CHECK_WARNINGS(rows);
}

TD_TEST(a_production_that_can_never_be_used_is_a_warning) {
    const test_warning rows[] = {
        {"axiom: A(1)\n\nA(x,y) --> B\n", 3, 1,
         "A has 2 parameters here but 1 wherever the model makes it"},
        {"axiom: A(1)\nA --> B\n", 2, 1, "is never used"},
        {"axiom: A\nA --> B\nC --> A\n", 3, 1, "neither the axiom nor a successor makes C"},
        {"axiom: A\nA --> B\nAC --> A\n", 3, 1, "makes C"},
        {"axiom: A\nA --> B\nB < A --> A\nA > [C] --> A\n", 4, 1, "makes ["},
        {"axiom: A\nA --> B\nhomomorphism\nB --> F\nD --> F\n", 5, 1, "makes D"},
    };
    CHECK_WARNINGS(rows);
    CHECK_DERIVED("axiom: A(1)\nA --> B\n", 1, "A(1)");
}

TD_TEST(grammar_of_a_wrong_definition_is_refused_in_words) {
    td_diag item;
    td_grammar *grammar = NULL;
    td_grammar_def defs[4] = {test_def("axiom: A\n"), test_def("axiom: A\n"),
                              test_def("axiom: A\n"), test_def("axiom: A\n")};
    static const char *const messages[] = {"max_text is 5000000000; it must be at most 4294967295",
                                           "NULL", "NULL", "define_count is -1"};
    const uint64_t much = 5000000000;
    defs[0].max_text = (size_t)much;
    defs[1].text = NULL;
    defs[2].name = NULL;
    defs[3].define_count = -1;
    for (int k = sizeof(size_t) > 4 ? 0 : 1; k < 4; k++) { // of 32 bits no size is too large
        td_diag_list list = {&item, 1, 0};
        CHECK_INT(td_grammar_new(&defs[k], NULL, &grammar, &list), TD_ERR_ARGUMENT);
        CHECK_INT(list.count, 1);
        CHECK_HAS(item.message, messages[k]);
    }
}

// a caller with room for one message gets the error
TD_TEST(errors_stand_before_warnings) {
    td_diag items[2];
    td_diag_list list = {items, 2, 0};
    const char *text = "axiom: A(1)\nA --> B\nB --> )\n";
    td_grammar_def def = test_def(text);
    td_grammar *grammar = NULL;
    CHECK_INT(td_grammar_new(&def, NULL, &grammar, &list), TD_ERR_SYNTAX);
    CHECK_INT(items[0].status, TD_ERR_SYNTAX);
    td_diag warning = {.status = TD_OK}, fault = {.status = TD_ERR_LIMIT};
    list.count = 0;
    tdi_diag_add(&list, &warning);
    tdi_diag_add(&list, &warning);
    tdi_diag_add(&list, &fault);
    CHECK_INT(items[0].status, TD_ERR_LIMIT);
    CHECK_INT(items[1].status, TD_OK);
    CHECK_INT(list.count, 3);
}

TD_TEST(errors_in_names_and_functions_name_their_place) {
    const test_fault rows[] = {
        {"axiom: A\nA --> B(foo(1))\n", TD_ERR_SYNTAX, 2, 9, "unknown function 'foo'"},
        {"axiom: A(1+sine(1))\n", TD_ERR_SYNTAX, 1, 12, "did you mean 'sin'?"},
        {"axiom: A\nA --> B(1, atan2(1))\n", TD_ERR_SYNTAX, 2, 12,
         "takes 2 parameters; 1 is given"},
        {"axiom: A(sin())\n", TD_ERR_SYNTAX, 1, 10, "sin takes 1 parameter; 0 are given"},
        {"axiom: A(sin(1,2))\n", TD_ERR_SYNTAX, 1, 10, "sin takes 1 parameter; 2 are given"},
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
        {"Start: { a = 1; } garbage\naxiom: A\n", TD_ERR_SYNTAX, 1, 26, "expected '-->' before"},
    };
    CHECK_FAULTS(rows, 0);
}

TD_TEST(errors_in_header_items_name_their_place) {
    const test_fault rows[] = {
        {"seed: -1\naxiom: A\n", TD_ERR_SYNTAX, 1, 7, "a whole number of at least 0"},
        {"ignore: F(\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "expected a symbol before '('"},
        {"consider: F\xc3\xa9\naxiom: A\n", TD_ERR_SYNTAX, 1, 12, "a symbol before byte 0xc3"},
        {"seed: x\naxiom: A\n", TD_ERR_SYNTAX, 1, 7, "unknown name 'x'"},
        {"seed:\naxiom: A\n", TD_ERR_SYNTAX, 1, 6, "before the end of the line"},
        {"seed: 5 7\naxiom: A\n", TD_ERR_SYNTAX, 1, 9, "expected the end of the line before '7'"},
        {"derivation length: -1\naxiom: A\n", TD_ERR_SYNTAX, 1, 20, "a whole number of steps"},
        {"derivation length: 1/0\naxiom: A\n", TD_ERR_SYNTAX, 1, 20, "division by zero"},
        {"derivation length: 3 4\naxiom: A\n", TD_ERR_SYNTAX, 1, 22,
         "expected the end of the line"},
        {"angle factor: 0\naxiom: A\n", TD_ERR_SYNTAX, 1, 15, "expected a number of at least 1"},
        {"step length: 0\naxiom: A\n", TD_ERR_SYNTAX, 1, 14, "greater than 0"},
        {"initial line width: -1\naxiom: A\n", TD_ERR_SYNTAX, 1, 21, "greater than 0"},
        {"tropism: 0,0,0,1\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "cannot all be 0"},
        {"tropism: 0,1,0\naxiom: A\n", TD_ERR_SYNTAX, 1, 15, "expected ',' before the end"},
        {"length unit: 0\naxiom: A\n", TD_ERR_SYNTAX, 1, 14, "greater than 0"},
        {"pipe model: 1, 99\naxiom: A\n", TD_ERR_SYNTAX, 1, 16, "an exponent from 0.5 to 10"},
        {"color: 1 red\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "a colour such as"},
        {"color: 1 #12345g\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "a colour such as"},
        {"material: 1\naxiom: A\n", TD_ERR_SYNTAX, 1, 12, "expected a name before the end"},
        {"material: 1 oak, 5=3\naxiom: A\n", TD_ERR_SYNTAX, 1, 18, "expected key=value"},
        {"material: 1 oak, color=#12\naxiom: A\n", TD_ERR_SYNTAX, 1, 24, "a colour such as"},
        {"material: 1 oak, young\naxiom: A\n", TD_ERR_SYNTAX, 1, 23, "expected '='"},
        {"surface: + leaf\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "expected a letter; ~"},
        {"ignore: F*\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "expected a symbol before '*'"},
        {"maximum depth: 5\naxiom: A\n", TD_ERR_SYNTAX, 1, 1, "expected 'decomposition' or"},
        {"axiom: A\ndecomposition\nmaximum depth: -1\n", TD_ERR_SYNTAX, 3, 16, "a depth from 0"},
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
        {"define: { array a[3]; }\naxiom: A(a[3])\n", TD_ERR_EVAL, 2, 10,
         "index 1 of array a is 3; it must be at least 0 and below 3"},
        {"define: { array a[3]; }\naxiom: A(a[-1])\n", TD_ERR_EVAL, 2, 10, "array a is -1"},
        {"define: { array a[2][3]; }\nStart: { a[1][3] = 1; }\naxiom: A\n", TD_ERR_EVAL, 2, 10,
         "index 2 of array a is 3"},
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
        {"axiom: A\naxiom: B\n", TD_ERR_SYNTAX, 2, 8, "this is a second axiom"},
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
        {"seed: 1\naxiom: A(1)\nA(x) --> B : -x\n", TD_ERR_EVAL, 3, 15,
         "weight of this production"},
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
        {"?P(0,0,0)A(0)", TD_ERR_EVAL, TD_NONE, "division by zero"}, // of the homomorphism
        {"?P(0,0,0)F}", TD_ERR_STRUCTURE, 2, "'}' closes no polygon"},
        {"?P(0,0,0)@R(0,0,0)", TD_ERR_STRUCTURE, 1, "@R sets a heading of length 0"},
        {"?P(0,0,0)!(-1)", TD_ERR_STRUCTURE, 1, "sets the line width -1"},
        {"?P(0,0,0)F(1e300*1e8)F(1e300*1e8)", TD_ERR_STRUCTURE, 2,
         "moves the turtle to a place that is not finite"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "axiom: %s\nhomomorphism\nA(x) --> F(1/x)\n", rows[i].axiom);
        OWNED(test_model) m = test_model_text(text, 0);
        CHECK_INT(m.status, rows[i].status);
        CHECK_INT(m.faults[0].index, rows[i].module);
        CHECK_HAS(m.faults[0].message, rows[i].message);
    }
}

TD_TEST(errors_of_organs_name_the_module) {
    const struct {
        const char *axiom;
        int32_t module;
        const char *message;
    } rows[] = {{"F~L(-1)", 1, "~L has size -1"}, {"FF@O(-2)", 2, "@O has size -2"}};
    for (size_t i = 0; i < 2; i++) {
        char text[128];
        snprintf(text, sizeof text, "surface: L leaf\naxiom: %s\n", rows[i].axiom);
        OWNED(test_model) m = test_model_good(text, 0);
        td_string s = td_derivation_string(m.derivation);
        td_totals totals;
        td_diag diag = {0};
        CHECK_INT(td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, &diag),
                  TD_ERR_STRUCTURE);
        CHECK_INT(diag.index, rows[i].module);
        CHECK_HAS(diag.message, rows[i].message);
    }
}

// ---- several faults -------------------------------------------------------------------------

TD_TEST(errors_of_one_text_are_all_listed_in_order) {
    OWNED(test_model) m = test_model_text("angle increment: x\n"
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
                        "axiom: A)\n"
                        "A --> B(\n"
                        "B --> C\n"
                        "C --> )\n",
                        0);
    const int32_t places[][2] = {{1, 18}, {2, 23}, {3, 17}, {4, 9}, {5, 9}, {7, 7}};
    CHECK_INT(m.status, TD_ERR_SYNTAX);
    CHECK_INT(m.fault_count, 6);
    for (int i = 0; i < 6; i++) {
        CHECK_INT(m.faults[i].line, places[i][0]);
        CHECK_INT(m.faults[i].column, places[i][1]);
    }
}

TD_TEST(errors_of_directives_are_all_listed) {
    OWNED(test_model) m = test_model_text("#define\n#endif\n#include <x\naxiom: A\n", 0);
    CHECK_INT(m.fault_count, 3);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(m.faults[i].line, i + 1);
    }
}

TD_TEST(errors_beyond_the_lists_room_are_counted_and_end_at_100) {
    const char *lines[] = {"A --> )\n", "#endif\n"};
    for (int k = 0; k < 2; k++) {
        char text[2048] = "axiom: A\n";
        for (int i = 0; i < 150; i++) {
            strcat(text, lines[k]);
        }
        OWNED(test_model) m = test_model_text(text, 0);
        CHECK_INT(m.fault_count, 100);
        CHECK_INT(m.faults[7].line, 9); // the list has room for 8
        td_grammar_def def = test_def(text);
        td_grammar *g = NULL;
        CHECK_INT(td_grammar_new(&def, NULL, &g, NULL), TD_ERR_SYNTAX); // no list at all
        CHECK(g == NULL);
    }
}

// What is left of an axiom with a fault takes no room of one that follows.
TD_TEST(errors_in_an_axiom_leave_the_next_one_with_all_its_arguments) {
    enum { MODULES = 4000 };
    FREED char *text = malloc(64 + 8 * MODULES);
    size_t at = (size_t)sprintf(text, "axiom: A(1, b[1])\naxiom: ");
    for (int k = 0; k < MODULES; k++) {
        at += (size_t)sprintf(text + at, "F(1.5)");
    }
    strcpy(text + at, "\n");
    OWNED(test_model) m = test_model_text(text, 0);
    CHECK_INT(m.fault_count, 1);
    CHECK_INT(m.faults[0].line, 1);
}

// ---- what a fault shows ---------------------------------------------------------------------

TD_TEST(errors_show_their_line_with_a_caret) {
    OWNED(test_model) m = test_model_text("axiom: A\nA -->\tB C\xff(2) D\n", 0);
    const td_diag *d = &m.faults[0];
    CHECK_TEXT(d->file, "model");
    CHECK_TEXT(d->source, "A --> B C\xff(2) D"); // a TAB shows as a space
    CHECK_INT(d->caret, 9);
    CHECK_INT(d->column, 10);
}

TD_TEST(errors_far_to_the_right_show_the_part_of_the_line_around_them) {
    char text[1200] = "axiom: ";
    memset(text + 7, 'F', 1000);
    strcpy(text + 1007, "*GGG\n");
    OWNED(test_model) m = test_model_text(text, 0);
    const td_diag *d = &m.faults[0];
    CHECK_INT(d->column, 1008);
    CHECK(d->caret > 20 && d->caret < (int32_t)sizeof d->source);
    CHECK(d->source[d->caret] == '*');
    CHECK_TEXT(d->source + d->caret, "*GGG");
}
