// SPDX-License-Identifier: MIT
// What models of cpfg and the forms printed in ABOP hold beyond the core of the language.

#include "test_grammar_support.h"

// ---- expressions ----------------------------------------------------------------------------

TD_TEST(grammar_a_question_mark_chooses_between_two_values) {
    CHECK(test_value("1 ? 2 : 3") == 2);
    CHECK(test_value("0 ? 2 : 3") == 3);
    // to the right, below || , and with operators around it
    CHECK(test_value("0 ? 1 : 0 ? 2 : 3") == 3);
    CHECK(test_value("1 ? 0 ? 1 : 2 : 3") == 2);
    CHECK(test_value("0 || 1 ? 5 : 6") == 5);
    CHECK(test_value("(1 ? 2 : 3) + 4") == 6);
    CHECK(test_value("10 - (0 ? 2 : 3) * 2") == 4);
    CHECK(test_value("-(1 ? 2 : 3)") == -2);
    CHECK(test_value("max(1 ? 2 : 3, 0 ? 9 : 1)") == 2);
}

TD_TEST(grammar_a_choice_computes_one_side_only) {
    CHECK_DERIVED("axiom: A(0)\nA(x) --> B(x == 0 ? 7 : 1/x)\n", 1, "B(7)");
    CHECK_DERIVED("axiom: A(0)\nA(x) --> B(x ? 7 : 1/x)\n", 1, "fault: division by zero");
}

TD_TEST(grammar_a_choice_may_stand_in_conditions_weights_and_statements) {
    CHECK_DERIVED("axiom: A(2)A(5)\nA(x) : x > 3 ? 1 : 0 --> B\n", 1, "A(2)B");
    CHECK_DERIVED("seed: 1\naxiom: A\nA --> B : 0 ? 1 : 0\nA --> C : 1 ? 1 : 0\n", 1, "C");
    CHECK_DERIVED("Start: { x = 3; y = x > 2 ? x : -x; }\naxiom: A(y)\n", 0, "A(3)");
}

TD_TEST(grammar_less_or_greater_means_not_equal) {
    CHECK(test_value("1 <> 2") == 1);
    CHECK(test_value("2 <> 2") == 0);
}

TD_TEST(grammar_numbers_may_lack_a_digit_before_or_after_the_point) {
    CHECK(test_value(".5 + 1. + 1e-3*1000") == 2.5);
}

TD_TEST(grammar_names_have_many_letters_but_not_more_than_31) {
    CHECK_DERIVED("axiom: A(1,2)\n"
                  "A(the_length_of_this_internode_,the_length_of_this_internode_2) --> "
                  "B(the_length_of_this_internode_2)\n",
                  1, "B(2)");
    CHECK_DERIVED("axiom: A(1)\nA(the_length_of_this_one_internode_) --> B\n", 1,
                  "fault: this name has more than 31 characters, the most it can have");
}

// the labels of cpfg's windows are texts; no one sees them here, but they are parameters
TD_TEST(grammar_a_text_may_stand_as_a_parameter) {
    CHECK_DERIVED("axiom: A\nA --> B(\"a, \\\"b\\\") /* \", 2)\n", 1, "B(0,2)");
    CHECK_DERIVED("axiom: B(\"a)\n", 0, "fault: this string is never closed; expected \"");
}

// a slip in models of cpfg: the value is dropped, with a warning
TD_TEST(grammar_a_statement_may_be_an_expression) {
    test_model m = test_model_good("Start: { x = 4; x - x/2; stop(1); }\naxiom: A(x)\n", 0);
    CHECK_TEXT(test_string_of(&m), "A(4)");
    CHECK(m.fault_count == 0);
    test_model_free(&m);
    m = test_model_text("Start: { x = 4; x - x/2; }\naxiom: A(x\n", 0);
    CHECK(m.fault_count == 2 && m.faults[1].status == TD_OK && m.faults[1].column == 17);
    test_model_free(&m);
    CHECK_DERIVED("Start: { y - 2; }\naxiom: A\n", 0, "fault: expected '=' before '-'");
}

// ---- steps ----------------------------------------------------------------------------------

// cpfg's own names: Q is the number of the step, 0 before the first, and Z the derivation length
TD_TEST(grammar_q_counts_steps_and_z_is_the_derivation_length) {
    const char *text = "derivation length: 7\naxiom: A(Q,Z)\nA(x,y) --> B(x)A(Q,Z)\n";
    CHECK_DERIVED(text, 0, "A(0,7)");
    CHECK_DERIVED(text, 2, "B(0)B(1)A(2,7)");
    // a parameter of that name is the parameter
    CHECK_DERIVED("axiom: A(5)\nA(Q) --> A(Q+1)\n", 2, "A(7)");
}

// ---- header ---------------------------------------------------------------------------------

TD_TEST(grammar_header_words_have_cpfgs_spellings) {
    CHECK_DERIVED("Lsystem: 1\nDerivationLength: 3\nSeed: 4\nStart: {n = 0;}\n"
                  "Start Each: {n = n+1;}\nEnd Each: {m = n;}\nAxiom: A\n"
                  "A --> A B(n)\nEndLsystem\n",
                  2, "AB(2)B(1)");
}

TD_TEST(grammar_a_line_with_an_arrow_is_a_production_whatever_its_word) {
    CHECK_DERIVED("axiom: AXIOM\nAXIOM : 1 == 2 --> B\nAXIOM : 1 --> C\n", 1, "C");
}

TD_TEST(grammar_sections_may_say_warnings_and_be_opened_again) {
    const char *text = "axiom: A\nA --> AB\ndecomposition: no warnings\nmaximum depth: 2\nB --> C\n"
                       "homomorphism warnings\nC --> F\ndecomposition\nC --> D\n"
                       "homomorphism: warnings\nD --> f\n";
    CHECK_DERIVED(text, 1, "AD");
    CHECK_DERIVED("axiom: A\nhomomorphism: loud\n", 0,
                  "fault: expected the end of the line before 'l'");
}

TD_TEST(grammar_sections_nest_as_deep_as_they_say) {
    // 5000 levels one inside the other
    test_model m = test_model_good("axiom: S\nS --> A(5000)\ndecomposition\nmaximum depth: 6000\n"
                                   "A(n) : n > 0 --> F A(n-1)\n",
                                   1);
    CHECK(test_count(&m, "F") == 5000);
    test_model_free(&m);
    CHECK_DERIVED("axiom: S\nS --> A\ndecomposition\nmaximum depth: 0\nA --> B\n", 1, "A");
    CHECK_DERIVED("axiom: A\ndecomposition\nmaximum depth: 1000001\n", 0,
                  "fault: expected a depth from 0 to 1000000");
    CHECK_DERIVED("axiom: A\ndecomposition\nmaximum depth: -1\n", 0,
                  "fault: expected a depth from 0 to 1000000");
}

TD_TEST(grammar_externals_name_globals_and_arrays) {
    CHECK_DERIVED("define: { array a[2] = {3, 4}; external b, a[2], c[1]; }\n"
                  "Start: { b = a[1]; c[0] = 9; }\naxiom: A(b,c[0])\n",
                  0, "A(4,9)");
    const test_fault rows[] = {
        {"define: { external ; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 20, "expected a name before ';'"},
        {"define: { array a[2]; external a[3]; }\naxiom: A\n", TD_ERR_SYNTAX, 1, 32,
         "array a has 2 elements in index 1"},
    };
    CHECK_FAULTS(rows, 0);
}

// ---- ABOP -----------------------------------------------------------------------------------

// figure 1.24d as the book prints it, two steps by hand
TD_TEST(grammar_forms_printed_in_abop_are_read) {
    const char *text = "n = 2, \xce\xb4 = 20\xc2\xb0\n"
                       "\xcf\x89 : X\n"
                       "p\xe2\x82\x81 : X \xe2\x86\x92 F[+X]F[\xe2\x88\x92X]+X\n"
                       "p\xe2\x82\x82 : F \xe2\x86\x92 FF\n";
    CHECK_DERIVED(text, 1, "F[+X]F[-X]+X");
    CHECK_DERIVED(text, 2, "FF[+F[+X]F[-X]+X]FF[-F[+X]F[-X]+X]+F[+X]F[-X]+X");
    test_model m = test_model_good(text, 0);
    CHECK(td_grammar_steps(m.grammar) == 2);
    test_model_free(&m);
    // a quarter turn to the left takes the heading from +Y to -X
    CHECK_VEC(test_turtle_in("delta = 90", "+F").p, -1, 0, 0, 1e-15);
    // a module n is no item
    CHECK_DERIVED("axiom: n\nn --> nA\n", 2, "nAA");
    CHECK_DERIVED("axiom: n(1)\nn(x) : x=1 --> B\n", 1, "B");
    CHECK_DERIVED("n = 2, m = 3\naxiom: A\n", 0,
                  "fault: expected 'n = ...', 'delta = ...', 'T = ...' or 'e = ...' before '='");
}

// the line of a figure's table: tropism vector and elasticity
TD_TEST(grammar_tropism_printed_in_abop_is_that_of_the_header) {
    const char *forms[] = {"T = (1, 0, 0), e = 0.3", "n = 1, T = [1, 0, 0], e = 0.3",
                           "e = 0.3, T = 1, 0, 0"};
    test_frame want = test_turtle_in("tropism: 1, 0, 0, 0.3", "FF");
    CHECK(want.h.x > 0.1);
    for (int i = 0; i < 3; i++) {
        CHECK_VEC(test_turtle_in(forms[i], "FF").h, want.h.x, want.h.y, want.h.z, 0);
    }
    const test_fault rows[] = {
        {"T = (0, 0, 0)\naxiom: F\n", TD_ERR_SYNTAX, 1, 6, "expected a direction"},
        {"T = (0, 1\naxiom: F\n", TD_ERR_SYNTAX, 1, 10, "expected ','"},
    };
    CHECK_FAULTS(rows, 0);
}

// the probability that the book prints above the arrow
TD_TEST(grammar_probability_before_the_arrow_is_a_weight) {
    const char *printed = "seed: 3\naxiom: AAAAAAAAAAAAAAAAAAAA\nA .25 --> B\nA 0.75 --> C\n";
    const char *plain = "seed: 3\naxiom: AAAAAAAAAAAAAAAAAAAA\nA --> B : .25\nA --> C : 0.75\n";
    test_model m = test_model_good(printed, 1);
    int64_t b = test_count(&m, "B"), c = test_count(&m, "C");
    CHECK(b > 0 && c > 0 && b + c == 20);
    test_model_free(&m);
    char held[64];
    snprintf(held, sizeof held, "%s", test_derived(plain, 1));
    CHECK_DERIVED(printed, 1, held);
    CHECK_DERIVED("seed: 1\naxiom: A(2)\nA(x) 1.0\xe2\x86\x92 B(x)\n", 1, "B(2)");
    // a condition may end in a number, and a point is a module
    CHECK_DERIVED("axiom: A(2)\nA(x) : x > 1.5 --> B\n", 1, "B");
    CHECK_DERIVED("axiom: A.\nA . --> B\n", 1, "B");
    CHECK_DERIVED("axiom: A\nA .5 --> B : 2\n", 1, "fault: this production has a second weight");
}

TD_TEST(grammar_functions_of_cpfg_that_are_not_here_say_what_to_do) {
    const test_fault rows[] = {
        {"Start: { fscanf(1); }\naxiom: A\n", TD_ERR_SYNTAX, 1, 10, "a model reads no files"},
        {"axiom: A(GetDerivationLength(1))\n", TD_ERR_SYNTAX, 1, 10, "the name Z is"},
        {"axiom: A(vvXmin(1))\n", TD_ERR_SYNTAX, 1, 10, "vvXmin of cpfg is not supported"},
        {"axiom: A(sinn(1))\n", TD_ERR_SYNTAX, 1, 10, "did you mean 'sin'?"},
    };
    CHECK_FAULTS(rows, 0);
}

// ---- single precision -----------------------------------------------------------------------

// 0.1 as a float is 0.100000001490116...: ten of them are more than 1, ten doubles are less
TD_TEST(grammar_float_parameters_are_rounded_after_every_step) {
    const char *text =
        "float parameters: on\naxiom: A(0)\nA(x) : x <= 1 --> A(x+0.1)\nA(x) --> B\n";
    float x = 0;
    int32_t steps = 0;
    for (; x <= 1; steps++) {
        x = (float)((double)x + 0.1);
    }
    CHECK(steps == 10); // with doubles it takes 11
    CHECK_DERIVED(text, steps + 1, "B");
    CHECK_DERIVED(strchr(text, '\n') + 1, steps + 1, "A(1.0999999999999999)");
    CHECK_DERIVED(strchr(text, '\n') + 1, 12, "B");
}

TD_TEST(grammar_float_parameters_round_what_is_stored_not_what_is_computed) {
    // the sum is formed in double and rounded once: 2^24 + 0.6 + 0.6 rounds up, step by step not
    CHECK_DERIVED("float parameters:\naxiom: A(16777216)\nA(x) --> A(x+0.6+0.6)\n", 1,
                  "A(16777218)");
    // globals, locals and arrays stay doubles
    CHECK_DERIVED("float parameters: on\nStart: { g = 0.1; }\naxiom: A(0)\n"
                  "A(x) --> B(g == 0.1, x+g == 0.1)\n",
                  1, "B(1,1)");
    CHECK_DERIVED("float parameters: on\naxiom: A(0.1)\nA(x) --> B(x == 0.1)\n", 1, "B(0)");
    CHECK_DERIVED("float parameters: off\naxiom: A(0.1)\nA(x) --> B(x == 0.1)\n", 1, "B(1)");
}

TD_TEST(grammar_float_parameters_hold_in_decomposition_and_may_be_asked_for_from_outside) {
    td_grammar_def def = test_def("axiom: S\nS --> A(0.1)\ndecomposition\nmaximum depth: 2\n"
                                  "A(x) --> B(x == 0.1)\n");
    td_derive_opts opts = td_derive_opts_default();
    OWNED(test_model) m = test_model_of(&def, &opts, 1, NULL);
    CHECK_TEXT(test_string_of(&m), "B(1)");
    test_model_free(&m);
    opts.float_parameters = true;
    m = test_model_of(&def, &opts, 1, NULL);
    CHECK_TEXT(test_string_of(&m), "B(0)");
}

TD_TEST(grammar_float_parameters_refuse_what_single_precision_cannot_hold) {
    const test_fault rows[] = {
        {"float parameters: on\naxiom: A(1)\nA(x) --> A(x*1e39)\n", TD_ERR_EVAL, 3, 12,
         "1e+39 is too large for single precision"},
        {"float parameters: maybe\naxiom: A\n", TD_ERR_SYNTAX, 1, 19, "expected 'on' or 'off'"},
    };
    CHECK_FAULTS(rows, 1);
}

// ---- models of cpfg by their suffix ---------------------------------------------------------

static const char *derived_as(const char *name, const char *text, int64_t seed) {
    static char string[256];
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    def.name = name;
    opts.seed = seed;
    OWNED(test_model) m = test_model_of(&def, &opts, 0, NULL);
    snprintf(string, sizeof string, "%.255s", test_string_of(&m));
    return string;
}

TD_TEST(grammar_the_suffix_l_means_cpfgs_precision) {
    const char *text = "axiom: A(0.1)\n";
    CHECK_TEXT(derived_as("plant.l", text, TD_SEED_FROM_TEXT), "A(0.10000000149011612)");
    CHECK_TEXT(derived_as("plant.lsys", text, TD_SEED_FROM_TEXT), "A(0.1)");
    CHECK_TEXT(derived_as("plant.l", "float parameters: off\naxiom: A(0.1)\n", TD_SEED_FROM_TEXT),
               "A(0.1)");
}

// a sign binds closer than a power, powers go to the left, % takes whole numbers, trunc() rounds
TD_TEST(grammar_the_suffix_l_means_cpfgs_arithmetic) {
    const char *text =
        "axiom: A(-2^2, 2^3^2, 2*3^2, 2^-1, !0^2, 7.9%2.5, -7%3, trunc(1.5), trunc(-1.5))\n";
    CHECK_TEXT(derived_as("plant.l", text, TD_SEED_FROM_TEXT), "A(4,64,18,0.5,1,1,-1,2,-1)");
    CHECK_TEXT(derived_as("plant.lsys", text, TD_SEED_FROM_TEXT),
               "A(-4,512,18,0.5,1,0.40000000000000036,-1,1,-1)");
    CHECK_TEXT(derived_as("plant.l", "axiom: A(3%0.5)\n", TD_SEED_FROM_TEXT),
               "fault: remainder of a division by zero");
    // cpfg divides by 1 and takes the nearest element
    CHECK_TEXT(derived_as("plant.l", "axiom: A(7/0)\n", TD_SEED_FROM_TEXT), "A(7)");
    CHECK_TEXT(derived_as("plant.l",
                          "define: { array a[2][3] = {1,2,3,4,5,6}; }\n"
                          "Start: { a[9][9] = 7; }\naxiom: A(a[-1][1], a[5][0], a[1][5])\n",
                          TD_SEED_FROM_TEXT),
               "A(2,4,7)");
}

// a block may use what a later one assigns; elsewhere such a name is an error
TD_TEST(grammar_the_suffix_l_means_that_unknown_names_count_as_0) {
    td_grammar_def def = test_def("StartEach: {n = n + 1;}\nStart: {n = 5;}\naxiom: A(n)\n"
                                  "A(x) --> A(n + never)\n");
    td_derive_opts opts = td_derive_opts_default();
    def.name = "plant.l";
    test_model m = test_model_of(&def, &opts, 2, NULL);
    CHECK_TEXT(test_string_of(&m), "A(7)");
    test_model_free(&m);
    CHECK_TEXT(derived_as("plant.lsys", "axiom: A(never)\n", TD_SEED_FROM_TEXT),
               "fault: unknown name 'never'");
    CHECK_TEXT(derived_as("plant.l", "derivation length: never\naxiom: A\n", TD_SEED_FROM_TEXT),
               "fault: unknown name 'never'");
}

// POSIX's generator by hand: x = 0x330E, then x = (0x5DEECE66D x + 11) mod 2^48
TD_TEST(grammar_cpfgs_random_numbers_are_those_of_erand48) {
    uint64_t x = 0x330E;
    double u[6];
    for (int i = 0; i < 6; i++) {
        x = (x * 0x5DEECE66D + 0xB) % ((uint64_t)1 << 48);
        u[i] = (double)x / (double)((uint64_t)1 << 48);
    }
    CHECK_REL(u[0], 0.17082803610628972, 1e-15); // as drand48() after srand48(0)
    char wanted[128];
    const char *text = "random numbers: cpfg\naxiom: A(ran(1)==%.17g,ran(2)==%.17g)\n";
    snprintf(wanted, sizeof wanted, text, u[0], 2 * u[1]);
    CHECK_DERIVED(wanted, 0, "A(1,1)");
    // the text's seed is for choices; srand() and the caller's seed start the numbers
    CHECK_TEXT(derived_as("m", "seed: 5\nrandom numbers: cpfg\naxiom: A(floor(ran(1e6)))\n",
                          TD_SEED_FROM_TEXT),
               "A(170828)");
    CHECK_TEXT(derived_as("m", "random numbers: cpfg\naxiom: A(floor(ran(1e6)))\n", 1),
               "A(41630)"); // srand48(1)
    CHECK_TEXT(derived_as("m",
                          "random numbers: cpfg\nStart: {srand(1);}\naxiom: A(floor(ran(1e6)))\n",
                          TD_SEED_FROM_TEXT),
               "A(41630)");
}

// The second of a pair is made with the first; before any srand() cpfg holds a 0.
TD_TEST(grammar_cpfgs_normal_numbers_come_in_pairs) {
    CHECK_TEXT(derived_as("m", "random numbers: cpfg\naxiom: A(nran(7,3))\n", TD_SEED_FROM_TEXT),
               "A(7)");
    test_model m =
        test_model_good("random numbers: cpfg\nStart: { srand(3); n = 0; s = 0; q = 0;\n"
                        "while (n < 10000) { x = nran(0,1); s = s + x; q = q + x*x; n = n+1; } }\n"
                        "axiom: A(s/n, q/n, biran(20,0)+biran(20,1), bran(2,3))\n",
                        0);
    // deviations of the two means: 0.01 and 0.014
    CHECK(fabs(test_param(&m, 0)) < 0.05 && fabs(test_param(&m, 1) - 1) < 0.07);
    CHECK(test_param(&m, 2) == 20);
    CHECK(test_param(&m, 3) > 0 && test_param(&m, 3) < 1);
    test_model_free(&m);
    CHECK_DERIVED("random numbers: c\naxiom: A\n", 0, "fault: expected 'cpfg' or 'tendril'");
}

// beta numbers: mean a/(a+b), variance ab/((a+b)^2 (a+b+1))
TD_TEST(grammar_cpfgs_beta_numbers_have_the_right_moments) {
    const double cases[][2] = {{2, 3}, {0.5, 0.5}, {1, 4}};
    for (size_t i = 0; i < 3; i++) {
        double a = cases[i][0], b = cases[i][1], n = 20000;
        char text[256];
        snprintf(text, sizeof text,
                 "random numbers: cpfg\nStart: { srand(9); n = 0; s = 0; q = 0;\n"
                 "while (n < %g) { x = bran(%g,%g); s = s + x; q = q + x*x; n = n+1; } }\n"
                 "axiom: A(s/n, q/n - (s/n)^2)\n",
                 n, a, b);
        OWNED(test_model) m = test_model_good(text, 0);
        double mean = a / (a + b), variance = a * b / ((a + b) * (a + b) * (a + b + 1));
        CHECK(fabs(test_param(&m, 0) - mean) < 5 * sqrt(variance / n));
        CHECK(fabs(test_param(&m, 1) / variance - 1) < 0.05); // its deviation is below 0.01
    }
}

// ---- faults ---------------------------------------------------------------------------------

// macros that cannot be replaced do not hide what is wrong further down
TD_TEST(grammar_faults_of_macros_and_of_all_sections_are_found_together) {
    OWNED(test_model) m = test_model_text("#define M(a) a\n#define 5 x\naxiom: A M(1,2)\nA --> B(\n"
                                          "decomposition\nB --> C(1\nhomomorphism\nC --> D(+)\n",
                                          0);
    const int32_t lines[] = {2, 3, 4, 6, 8};
    CHECK_INT(m.fault_count, 5);
    for (int i = 0; i < 5 && m.fault_count == 5; i++) {
        CHECK_INT(m.faults[i].line, lines[i]);
    }
    test_model_free(&m);
    // where a part of the text is missing, what follows from that is not reported
    m = test_model_text("#if 1/0\n#define N 3\n#endif\naxiom: A(N)\n", 0);
    CHECK_INT(m.fault_count, 1);
}
