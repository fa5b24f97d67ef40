// SPDX-License-Identifier: MIT
// Expressions, functions, statements and arrays. Pairs with src/grammar/code.c and machine.c.

#include "test_grammar_support.h"

typedef struct value_row {
    const char *expression;
    double value;
} value_row;

#define CHECK_VALUES(rows, tolerance)                                                             \
    do {                                                                                          \
        for (size_t i_ = 0; i_ < sizeof(rows) / sizeof((rows)[0]); i_++) {                        \
            double value_ = test_value((rows)[i_].expression);                                    \
            CHECK_SAY(fabs(value_ - (rows)[i_].value) <= (tolerance), "%s = %.17g, wanted %.17g", \
                      (rows)[i_].expression, value_, (rows)[i_].value);                           \
        }                                                                                         \
    } while (0)

// ---- operators ------------------------------------------------------------------------------

TD_TEST(grammar_numbers_are_decimal_with_fraction_and_exponent) {
    const value_row rows[] = {
        {"0", 0},           {"12", 12},       {"1.5", 1.5},
        {".25", 0.25},      {"3.", 3},        {"1e3", 1000},
        {"2.5E-1", 0.25},   {"1e+2", 100},    {"0.1", 0.1},
        {"1e-320", 1e-320}, {"1e300", 1e300}, {"9007199254740993", 9007199254740992.0}};
    CHECK_VALUES(rows, 0);
}

TD_TEST(grammar_operators_compute_what_their_signs_say) {
    const value_row rows[] = {
        {"7+2", 9},  {"7-2", 5},     {"7*2", 14},    {"7/2", 3.5},  {"7%2", 1},   {"-7%3", -1},
        {"7%-3", 1}, {"7.5%2", 1.5}, {"2^10", 1024}, {"2^-1", 0.5}, {"4^0.5", 2}, {"-3", -3},
        {"+3", 3},   {"--3", 3},     {"!0", 1},      {"!5", 0},     {"1==1", 1},  {"1==2", 0},
        {"1!=2", 1}, {"1!=1", 0},    {"1<2", 1},     {"2<2", 0},    {"2<=2", 1},  {"3<=2", 0},
        {"2>1", 1},  {"2>2", 0},     {"2>=2", 1},    {"1>=2", 0},   {"5&&-1", 1}, {"5&&0", 0},
        {"0||7", 1}, {"0||0", 0}};
    CHECK_VALUES(rows, 0);
}

TD_TEST(grammar_abop_spellings_of_operators_mean_the_doubled_ones) {
    const value_row rows[] = {{"1=1", 1},     {"1=2", 0},       {"5&2", 1},
                              {"5&0", 0},     {"0|2", 1},       {"0|0", 0},
                              {"1=1&2>1", 1}, {"1=2&2>1|3", 1}, {"0 & 1/0", 0}};
    CHECK_VALUES(rows, 0);
}

// each row without parentheses has another value under another grouping
TD_TEST(grammar_operators_bind_as_in_c_and_power_binds_tightest_and_to_the_right) {
    const value_row rows[] = {{"2+3*4", 14},    {"(2+3)*4", 20}, {"2*3^2", 18}, {"2^3^2", 512},
                              {"-2^2", -4},     {"2^-2*4", 1},   {"10-4-3", 3}, {"24/4/3", 2},
                              {"17%10%4", 3},   {"2*7%4", 2},    {"1+2<2", 0},  {"1+(2<2)", 1},
                              {"2>1==0", 0},    {"2>(1==0)", 1}, {"0==1<2", 0}, {"1||1&&0", 1},
                              {"(1||1)&&0", 0}, {"0&&0==0", 0},  {"!1+1", 1},   {"!(1+1)", 0},
                              {"!2==1", 0},     {"6/2*3", 9},    {"-3+5", 2},   {"2--3", 5},
                              {"1<2<2", 1},     {"5!=4>3", 1}};
    CHECK_VALUES(rows, 0);
}

TD_TEST(grammar_white_space_in_expressions_means_nothing) {
    CHECK_DERIVED("axiom: A( 1 + 2 ,\t3 * ( 4 ) )\n", 0, "A(3,12)");
}

// a right side that decides nothing is not computed, though it has no value
TD_TEST(grammar_and_and_or_stop_where_the_left_side_decides) {
    const value_row rows[] = {
        {"0 && 1/0", 0}, {"1 || 1/0", 1}, {"0 && sqrt(-1)", 0}, {"1 || 0 && 1/0", 1}};
    CHECK_VALUES(rows, 0);
    CHECK_HAS(test_derived("axiom: A(1 && 1/0)\n", 0), "division by zero");
    CHECK_HAS(test_derived("axiom: A(0 || 1/0)\n", 0), "division by zero");
}

// parts known beforehand are computed beforehand: the value must be the same
TD_TEST(grammar_constants_and_parameters_give_the_same_value) {
    const char *forms[] = {"(x+3)*2-x/4", "x%3+x^2", "-x*-2",
                           "2-x",         "8/x-1",   "x>2&&x<5",
                           "3-(x-(2-x))", "!x+!0",   "min(x,2)*max(x,9)"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char text[256], constant[256];
        snprintf(text, sizeof text, "axiom: A(4)\nA(x) --> V(%s)\n", forms[i]);
        snprintf(constant, sizeof constant, "#define x 4\naxiom: V(%s)\n", forms[i]);
        OWNED(test_model) a = test_model_good(text, 1), b = test_model_good(constant, 0);
        CHECK_REL(test_param(&a, 0), test_param(&b, 0), 0);
    }
}

// ---- functions ------------------------------------------------------------------------------

TD_TEST(grammar_angles_of_functions_are_degrees) {
    const value_row rows[] = {
        {"sin(30)", 0.5},      {"cos(60)", 0.5},      {"tan(45)", 1},
        {"asin(1)", 90},       {"acos(-1)", 180},     {"atan(1)", 45},
        {"atan2(1, -1)", 135}, {"atan2(-1, 0)", -90}, {"sin(-137.5)^2 + cos(-137.5)^2", 1}};
    CHECK_VALUES(rows, 1e-13);
}

TD_TEST(grammar_sines_of_quarter_turns_are_exact) {
    const value_row rows[] = {{"sin(180)", 0},  {"sin(90)", 1},   {"sin(-90)", -1},
                              {"sin(270)", -1}, {"cos(90)", 0},   {"cos(180)", -1},
                              {"cos(450)", 0},  {"sin(-270)", 1}, {"cos(-3600)", 1}};
    CHECK_VALUES(rows, 0);
}

TD_TEST(grammar_functions_give_their_values) {
    const value_row rows[] = {
        {"exp(0)", 1},       {"log(1)", 0},       {"sqrt(2.25)", 1.5}, {"fabs(-2.5)", 2.5},
        {"floor(-1.5)", -2}, {"floor(1.5)", 1},   {"ceil(-1.5)", -1},  {"ceil(1.5)", 2},
        {"trunc(-1.5)", -1}, {"trunc(1.5)", 1},   {"sign(-3)", -1},    {"sign(0)", 0},
        {"sign(9)", 1},      {"min(2,-3)", -3},   {"max(2,-3)", 2},    {"ran(0)", 0},
        {"nran(5,0)", 5},    {"biran(10,1)", 10}, {"biran(10,0)", 0},  {"srand(7)*0", 0}};
    CHECK_VALUES(rows, 0);
    CHECK_REL(test_value("log(exp(3))"), 3, 1e-15);
    CHECK_REL(test_value("exp(1)"), 2.718281828459045, 1e-15);
}

// 20000 calls: the mean is checked to four standard errors
static void check_random(const char *call, double mean, double deviation, double low, double high) {
    enum { COUNT = 20000 };
    char text[512];
    snprintf(text, sizeof text,
             "seed: 11\nStart: { i = 0; sum = 0; low = 1e9; high = -1e9;\nwhile (i < %d) {"
             " x = %s; sum = sum + x; low = min(low, x); high = max(high, x); i = i + 1; } }\n"
             "axiom: V(sum/%d, low, high)\n",
             COUNT, call, COUNT);
    OWNED(test_model) m = test_model_good(text, 0);
    double error = 4 * deviation / sqrt(COUNT);
    CHECK_IN(test_param(&m, 0), mean - error, mean + error);
    CHECK_IN(test_param(&m, 1), low, high);
    CHECK_IN(test_param(&m, 2), low, high);
    CHECK(test_param(&m, 1) < mean && test_param(&m, 2) > mean);
}

TD_TEST(grammar_random_functions_have_their_distributions) {
    check_random("ran(6)", 3, 6 / sqrt(12), 0, nextafter(6, 0));
    check_random("nran(10, 2)", 10, 2, -10, 30);
    // beta: mean a/(a+b), variance ab/((a+b)^2 (a+b+1))
    check_random("bran(2, 3)", 0.4, sqrt(6.0 / (25 * 6)), 0, 1);
    // binomial: mean np, variance np(1-p)
    check_random("biran(8, 0.25)", 2, sqrt(1.5), 0, 8);
}

TD_TEST(grammar_srand_starts_the_numbers_again) {
    OWNED(test_model) m =
        test_model_good("Start: { srand(7); a = ran(1); b = ran(1); srand(7); c = ran(1);"
                        " d = ran(1); }\naxiom: V(a,b,c,d)\n",
                        0);
    CHECK(test_param(&m, 0) != test_param(&m, 1));
    CHECK_REL(test_param(&m, 2), test_param(&m, 0), 0);
    CHECK_REL(test_param(&m, 3), test_param(&m, 1), 0);
}

// ---- statements -----------------------------------------------------------------------------

// the value of x after the statements
static double after(const char *statements) {
    char text[1024];
    snprintf(text, sizeof text, "Start: { x = 0; %s }\naxiom: V(x)\n", statements);
    OWNED(test_model) m = test_model_good(text, 0);
    double value = test_param(&m, 0);
    return value;
}

TD_TEST(grammar_if_and_else_choose) {
    CHECK_REL(after("if (1) { x = 5; } else { x = 6; }"), 5, 0);
    CHECK_REL(after("if (0) { x = 5; } else { x = 6; }"), 6, 0);
    CHECK_REL(after("if (0) { x = 5; }"), 0, 0);
    CHECK_REL(after("if (1) { if (0) { x = 5; } else { x = 7; } } else { x = 6; }"), 7, 0);
    CHECK_REL(after("y = 3; if (y == 1) { x = 1; } else { if (y == 3) { x = 33; } }"), 33, 0);
}

TD_TEST(grammar_while_tests_before_and_do_while_after_each_turn) {
    CHECK_REL(after("i = 1; while (i <= 10) { x = x + i; i = i + 1; }"), 55, 0);
    CHECK_REL(after("while (0) { x = 5; }"), 0, 0);
    CHECK_REL(after("do { x = x + 1; } while (x < 5);"), 5, 0);
    CHECK_REL(after("do { x = x + 1; } while (0);"), 1, 0);
    CHECK_REL(after("i = 0; while (i < 7) { j = 0; while (j < i) { x = x + 1; j = j + 1; }"
                    " i = i + 1; }"),
              21, 0);
}

// the way from 27 to 1 by Collatz' rule has 111 steps
TD_TEST(grammar_statements_compute_together) {
    CHECK_REL(after("n = 27; while (n != 1) { if (n % 2 == 0) { n = n/2; } else { n = 3*n + 1; }"
                    " x = x + 1; }"),
              111, 0);
}

TD_TEST(grammar_empty_statements_and_line_feeds_are_allowed) {
    CHECK_REL(after(";;\n\tx =\n 4\n;\n"), 4, 0);
}

// ---- arrays ---------------------------------------------------------------------------------

TD_TEST(grammar_arrays_hold_0_or_what_define_gives_rows_last) {
    CHECK_DERIVED("define: { array a[3]; array b[2][3] = {1,2,3,4,5,6}; }\n"
                  "axiom: V(a[0], a[2], b[0][0], b[0][2], b[1][0], b[1][2])\n",
                  0, "V(0,0,1,3,4,6)");
    CHECK_DERIVED("define: { array b[2][2] = {{1,2},{3}}; array c[1] = {9}; }\n"
                  "axiom: V(b[0][1], b[1][0], b[1][1], c[0])\n",
                  0, "V(2,3,0,9)");
}

TD_TEST(grammar_arrays_have_up_to_four_indices) {
    CHECK_DERIVED("define: { array a[2][3][4][5]; }\n"
                  "Start: { a[1][2][3][4] = 7; a[0][0][0][1] = 8; a[1][0][0][0] = 9; }\n"
                  "axiom: V(a[1][2][3][4], a[0][0][0][1], a[1][0][0][0], a[1][2][3][3])\n",
                  0, "V(7,8,9,0)");
}

TD_TEST(grammar_array_elements_can_be_set_and_indices_computed) {
    CHECK_DERIVED("define: { array a[5]; }\n"
                  "Start: { i = 0; while (i < 5) { a[i] = i*i; i = i + 1; }"
                  " a[a[2]] = a[1+2] + 1; }\n"
                  "axiom: V(a[0],a[1],a[2],a[3],a[4], a[2.9])\n",
                  0, "V(0,1,4,9,10,4)");
}

TD_TEST(grammar_arrays_are_the_derivations_own) {
    OWNED(test_model) m =
        test_model_good("define: { array n[1] = {5}; }\nStartEach: { n[0] = n[0]+1; }\n"
                        "axiom: A(n[0])\nA(x) --> A(n[0])\n",
                        2);
    CHECK_REL(test_param(&m, 0), 7, 0);
    // a second derivation of the same grammar starts anew
    td_derive_opts opts = td_derive_opts_default();
    OWNED(td_derivation) *second = NULL;
    CHECK_INT(td_derivation_new(m.grammar, &opts, NULL, &second, NULL), TD_OK);
    if (second) {
        CHECK_REL(td_derivation_string(second).params[0], 5, 0);
    }
}

// ---- names ----------------------------------------------------------------------------------

TD_TEST(grammar_names_may_be_long_and_hold_digits_and_underscores) {
    CHECK_DERIVED("Start: { long_name_2 = 3; }\naxiom: A(1)\n"
                  "A(_x1) --> A(_x1 + long_name_2)\n",
                  1, "A(4)");
}

TD_TEST(grammar_parameters_hide_globals_of_the_same_name) {
    CHECK_DERIVED("Start: { x = 3; }\naxiom: A(1)B\nA(x) --> A(x+10)\nB --> B(x)\n", 1,
                  "A(11)B(3)");
}

TD_TEST(grammar_names_of_a_production_end_with_it) {
    CHECK_HAS(test_derived("axiom: A(1)B\nA(y) : {z = 1;} 1 --> A(z)\nB --> B(z)\n", 1),
              "unknown name 'z'");
}
