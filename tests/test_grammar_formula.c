// SPDX-License-Identifier: MIT
// Expressions by themselves. Pairs with src/grammar/expression.c. The language's own are in
// test_grammar_expression.c.

#include "grammar/expression.h"
#include "td_test.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"x", "y", "speed"};

static td_status make(const char *text, const td_alloc *alloc, tdi_expression **out,
                      td_diag *diag) {
    return tdi_expression_new(text, names, 3, alloc, out, diag);
}

static double value_of_text(const char *text, double x, double y, double speed) {
    tdi_expression *e = NULL;
    td_diag diag = {.message = ""};
    double values[] = {x, y, speed}, value = NAN;
    CHECK_SAY(make(text, NULL, &e, &diag) == TD_OK, "%s: %s", text, diag.message);
    if (e) {
        CHECK_SAY(tdi_expression_value(e, values, &value, &diag) == TD_OK, "%s: %s", text,
                  diag.message);
    }
    tdi_expression_free(e);
    return value;
}

TD_TEST(formula_has_the_value_that_arithmetic_gives) {
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1", 1},
        {" 0.5 ", 0.5},
        {"x + y * speed", 2 + 3 * 5},
        {"(x + y) * speed", 25},
        {"-x^2", -4},
        {"2^3^2", 512},
        {"x - y - speed", -6},
        {"x / y / speed", 2.0 / 3 / 5},
        {"7 % 4", 3},
        {"x < y", 1},
        {"x >= y", 0},
        {"x == 2 && y != 2", 1},
        {"x > 2 || !(y > 2)", 0},
        {"x > 1 ? y : speed", 3},
        {"x > 2 ? y : x > 1 ? 10 : 20", 10},
        {"sin(30)", 0.5},
        {"cos(60 * x)", -0.5},
        {"atan2(1, 1)", 45},
        {"sqrt(x * 8)", 4},
        {"exp(log(y))", 3},
        {"abs(-x) + sign(-y)", 1},
        {"min(x, y) + max(x, speed)", 7},
        {"floor(2.7) + ceil(2.2) + trunc(-1.5)", 4},
        {"1/60", 1.0 / 60},
        {"1e-3", 1e-3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK_REL(value_of_text(cases[k].text, 2, 3, 5), cases[k].value, 1e-14);
    }
}

TD_TEST(formula_that_is_wrong_is_refused_at_its_column) {
    static const struct {
        const char *text, *part;
        int32_t column;
    } cases[] = {
        {"", "expected a number, a name or '(' before the end of the line", 1},
        {"x +", "expected a number, a name or '(' before the end of the line", 4},
        {"x + foo", "unknown name 'foo'", 5},
        {"x + cis(y)", "unknown function 'cis'; did you mean 'cos'?", 5},
        {"sin(x, y)", "sin takes 1 parameter; 2 are given", 1},
        {"(x + y", "expected ')' before the end of the line", 7},
        {"x y", "expected the end of the line before 'y'", 3},
        {"x @", "expected the end of the line before '@'", 3},
        {"x ? y", "expected ':' before the end of the line", 6},
        {"2 * ran(1)", "ran is not for expressions outside of plants", 5},
        {"srand(1)", "srand is not for expressions outside of plants", 1},
        {"curveX(1, 2)", "curveX is not for expressions outside of plants", 1},
        {"printf(x)", "expected", 8},
        {"x + \"a\"", "before '\"'", 5},
        {"x = y; x", "expected the end of the line before ';'", 6},
        {"#define x 1", "before '#'", 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tdi_expression *e = NULL;
        td_diag diag = {.message = ""};
        CHECK_INT(make(cases[k].text, NULL, &e, &diag), TD_ERR_SYNTAX);
        CHECK_SAY(strstr(diag.message, cases[k].part) != NULL, "%s: %s", cases[k].text,
                  diag.message);
        CHECK_SAY(diag.column == cases[k].column, "%s: column %d", cases[k].text, diag.column);
        CHECK_INT(diag.line, 1);
        CHECK(e == NULL);
    }
}

// Neither the depth of a text nor its length passes a limit.
TD_TEST(formula_has_bounds) {
    char text[2000];
    tdi_expression *e = NULL;
    td_diag diag;
    memset(text, '(', 900);
    text[900] = 0;
    CHECK_INT(make(text, NULL, &e, &diag), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "nested more than 200 deep");
    memset(text, '1', 1500);
    text[1500] = 0;
    CHECK_INT(make(text, NULL, &e, &diag), TD_ERR_SYNTAX);
    CHECK_TEXT(diag.message, "the expression has 1500 bytes; it can have at most 1000");
    CHECK_INT(diag.line, 1);
}

TD_TEST(formula_without_a_value_says_why) {
    static const struct {
        const char *text, *message;
        int32_t column;
    } cases[] = {
        {"1 + 1/x", "division by zero", 6},
        {"sqrt(x - 1)", "sqrt(-1) has no value", 1},
        {"y * log(x)", "log(0) has no value", 5},
        {"(-1)^0.5", "this power has no value", 5},
        {"exp(600) * exp(600)", "the value of this expression is not finite", 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tdi_expression *e = NULL;
        td_diag diag = {.message = ""};
        double values[] = {0, 1, 1}, value;
        CHECK_INT(make(cases[k].text, NULL, &e, &diag), TD_OK);
        CHECK_INT(tdi_expression_value(e, values, &value, &diag), TD_ERR_EVAL);
        CHECK_TEXT(diag.message, cases[k].message);
        CHECK_INT(diag.column, cases[k].column);
        tdi_expression_free(e);
    }
}

TD_TEST(formula_takes_memory_when_it_is_made_and_leaks_none) {
    WITH_SCARCE(memory, 1) {
        tdi_expression *e = NULL;
        td_diag diag;
        double values[] = {1, 2, 3}, value = 0;
        CHECK_INT(make("x > 1 ? sin(y) : speed * (x + 2)", &memory.alloc, &e, &diag),
                  scarce_status(&memory));
        CHECK((scarce_status(&memory) == TD_OK) == (e != NULL));
        const long made = memory.heap.calls;
        if (e) {
            CHECK_INT(tdi_expression_value(e, values, &value, &diag), TD_OK);
            CHECK_REL(value, 9, 0);
        }
        CHECK_INT(memory.heap.calls, made);
        tdi_expression_free(e);
    }
}
