// SPDX-License-Identifier: MIT
// The value of an #if, as the C preprocessor computes it.
//
// Method   Recursive descent with a table of precedences. Whole numbers of 64 bits that wrap round;
//          a name that is left is no macro and counts as 0. What && , || and ?: pass over is read
//          but not computed, so that it may divide by zero.

#include "grammar/reader.h"

#include <string.h>

#define MAX_NESTING 64

typedef struct condition {
    const char *text;
    size_t size, at;
    int32_t nesting;
    int32_t passed_over; // > 0: the value does not count
    const char *fault;
} condition;

static char next(condition *c) {
    while (c->at < c->size && tdi_read_is_blank(c->text[c->at])) {
        c->at++;
    }
    return c->at < c->size ? c->text[c->at] : 0;
}

static bool accept(condition *c, const char *sign) {
    next(c);
    size_t length = strlen(sign);
    bool here = c->size - c->at >= length && memcmp(c->text + c->at, sign, length) == 0;
    c->at += here ? length : 0;
    return here;
}

static int64_t fail(condition *c, const char *fault) {
    c->fault = c->fault ? c->fault : fault;
    return 0;
}

// ---- numbers --------------------------------------------------------------------------------

static int32_t digit_value(char d) {
    return d >= '0' && d <= '9'   ? d - '0'
           : d >= 'a' && d <= 'f' ? d - 'a' + 10
           : d >= 'A' && d <= 'F' ? d - 'A' + 10
                                  : 99;
}

// 12, 0x1f, 017, with or without C's suffixes u and l
static int64_t number(condition *c) {
    size_t end = c->at + tdi_read_number_length(c->text + c->at, c->size - c->at);
    int32_t base = 10;
    uint64_t value = 0;
    if (c->text[c->at] == '0' && end > c->at + 1) {
        bool hex = c->text[c->at + 1] == 'x' || c->text[c->at + 1] == 'X';
        base = hex ? 16 : 8;
        c->at += hex ? 2 : 1;
    }
    while (c->at < end && digit_value(c->text[c->at]) < base) {
        value = value * (uint64_t)base + (uint64_t)digit_value(c->text[c->at++]);
    }
    while (c->at < end && strchr("uUlL", c->text[c->at])) {
        c->at++;
    }
    if (c->at < end) {
        return fail(c, "expected a whole number: #if counts as the C preprocessor does");
    }
    return (int64_t)value;
}

// ---- operators ------------------------------------------------------------------------------

static int64_t choice(condition *c);

static int64_t operand(condition *c) {
    char sign = next(c);
    if (++c->nesting > MAX_NESTING || c->fault) {
        return fail(c, "this condition is nested too deep");
    }
    int64_t value = 0;
    size_t name = tdi_read_name_length(c->text + c->at, c->size - c->at);
    if (sign && strchr("!-+~", sign)) {
        c->at++;
        value = operand(c);
        value = sign == '!'   ? value == 0
                : sign == '-' ? (int64_t)(0 - (uint64_t)value)
                : sign == '~' ? ~value
                              : value;
    } else if (accept(c, "(")) {
        value = choice(c);
        value = accept(c, ")") ? value : fail(c, "expected ')' in this condition");
    } else if (name > 0) {
        c->at += name;
    } else if (sign >= '0' && sign <= '9') {
        value = number(c);
    } else {
        value = fail(c, "expected a number, a name or '(' in this condition");
    }
    c->nesting--;
    return value;
}

// longer signs first
static const struct {
    const char *sign;
    int32_t level;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                 {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                 {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
#define OPERATOR_COUNT ((int32_t)(sizeof operators / sizeof operators[0]))

static int64_t divide(condition *c, char sign, int64_t x, int64_t y) {
    if (y == 0) {
        return c->passed_over > 0 ? 0 : fail(c, "division by zero in this condition");
    }
    if (y == -1) { // the one quotient that does not fit
        return sign == '/' ? (int64_t)(0 - (uint64_t)x) : 0;
    }
    return sign == '/' ? x / y : x % y;
}

static int64_t shift(int64_t x, int64_t by, bool left) {
    uint64_t places = by < 0 ? 0 - (uint64_t)by : (uint64_t)by;
    left = left == (by >= 0);
    if (places > 63) {
        return !left && x < 0 ? -1 : 0;
    }
    if (left) {
        return (int64_t)((uint64_t)x << places);
    }
    return x < 0 ? ~(int64_t)(~(uint64_t)x >> places) : (int64_t)((uint64_t)x >> places);
}

static int64_t compute(condition *c, const char *sign, int64_t x, int64_t y) {
    bool two = sign[1] != 0;
    switch (sign[0]) {
    case '|': return two ? x != 0 || y != 0 : x | y;
    case '&': return two ? x != 0 && y != 0 : x & y;
    case '^': return x ^ y;
    case '=': return x == y;
    case '!': return x != y;
    case '<': return !two ? x < y : sign[1] == '=' ? x <= y : shift(x, y, true);
    case '>': return !two ? x > y : sign[1] == '=' ? x >= y : shift(x, y, false);
    case '+': return (int64_t)((uint64_t)x + (uint64_t)y);
    case '-': return (int64_t)((uint64_t)x - (uint64_t)y);
    case '*': return (int64_t)((uint64_t)x * (uint64_t)y);
    default: return divide(c, sign[0], x, y);
    }
}

// operators of precedence `lowest` and above, to the left
static int64_t binary(condition *c, int32_t lowest) {
    int64_t x = operand(c);
    while (!c->fault) {
        int32_t k = 0;
        size_t at = c->at;
        while (k < OPERATOR_COUNT && !accept(c, operators[k].sign)) {
            k++;
        }
        if (k == OPERATOR_COUNT || operators[k].level < lowest) {
            c->at = at;
            return x;
        }
        bool decided = operators[k].level <= 2 && (x != 0) == (operators[k].level == 1);
        c->passed_over += decided;
        int64_t y = binary(c, operators[k].level + 1);
        c->passed_over -= decided;
        x = compute(c, operators[k].sign, x, y);
    }
    return 0;
}

static int64_t choice(condition *c) {
    int64_t x = binary(c, 1);
    if (!accept(c, "?")) {
        return x;
    }
    if (++c->nesting > MAX_NESTING) {
        return fail(c, "this condition is nested too deep");
    }
    c->passed_over += x == 0;
    int64_t yes = choice(c);
    c->passed_over -= x == 0;
    if (!accept(c, ":")) {
        return fail(c, "expected ':' after '?' in this condition");
    }
    c->passed_over += x != 0;
    int64_t no = choice(c);
    c->passed_over -= x != 0;
    c->nesting--;
    return x != 0 ? yes : no;
}

bool tdi_condition_value(const char *text, size_t size, int64_t *value, const char **fault) {
    condition c = {.text = text, .size = size};
    *value = choice(&c);
    if (!c.fault && next(&c) != 0) {
        fail(&c, "expected the end of the line after this condition");
    }
    *fault = c.fault;
    return c.fault == NULL;
}
