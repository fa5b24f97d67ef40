// SPDX-License-Identifier: MIT
// Numbers as text.

#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- writing --------------------------------------------------------------------------------

// printf writes the decimal point of the locale, which may be several bytes: whatever is no part
// of a number in any locale stands for it
static size_t normalise_point(char *text) {
    size_t length = 0;
    bool in_point = false;
    for (const char *c = text; *c; c++) {
        bool number = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
        if (number) {
            text[length++] = *c;
        } else if (!in_point) {
            text[length++] = '.';
        }
        in_point = !number;
    }
    text[length] = 0;
    return length;
}

size_t tdi_real_write(td_real value, char text[TDI_REAL_TEXT]) {
    // whole numbers, the most frequent ones, are exact at once; -0 is not among them
    if (fabs(value) < 1e15 && value == floor(value) && !(value == 0 && signbit(value))) {
        return (size_t)snprintf(text, TDI_REAL_TEXT, "%lld", (long long)value);
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, TDI_REAL_TEXT, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value) {
            break;
        }
    }
    return normalise_point(text);
}

// ---- reading --------------------------------------------------------------------------------

#define MAX_NUMBER ((size_t)63) // characters

static size_t digit_count(const char *text, size_t size) {
    size_t n = 0;
    while (n < size && text[n] >= '0' && text[n] <= '9') {
        n++;
    }
    return n;
}

// the parts are found here, so that strtod sees a plain decimal number only
static bool is_decimal(const char *text, size_t size, size_t *point) {
    size_t n = size > 0 && (text[0] == '+' || text[0] == '-');
    size_t digits = digit_count(text + n, size - n);
    *point = n += digits;
    if (n < size && text[n] == '.') {
        size_t fraction = digit_count(text + n + 1, size - n - 1);
        digits += fraction;
        n += 1 + fraction;
    }
    if (digits > 0 && n < size && (text[n] == 'e' || text[n] == 'E')) {
        n++;
        n += n < size && (text[n] == '+' || text[n] == '-');
        size_t exponent = digit_count(text + n, size - n);
        digits = exponent; // an e needs one
        n += exponent;
    }
    return digits > 0 && n == size;
}

static bool read_decimal(const char *text, size_t size, td_real *value) {
    size_t point = 0;
    if (size > MAX_NUMBER || !is_decimal(text, size, &point)) {
        return false;
    }
    // strtod expects the decimal point of the locale: what printf puts between 0 and 5
    char half[16], number[MAX_NUMBER + sizeof half];
    bool has_point = point < size && text[point] == '.';
    size_t mark = (size_t)snprintf(half, sizeof half, "%g", 0.5);
    mark = has_point && mark > 2 && mark < sizeof half ? mark - 2 : 0;
    size_t after = point + has_point;
    memcpy(number, text, point);
    memcpy(number + point, half + 1, mark);
    memcpy(number + point + mark, text + after, size - after);
    number[size - has_point + mark] = 0;
    *value = strtod(number, NULL);
    return isfinite(*value);
}

bool tdi_real_read(const char *text, size_t size, td_real *value) {
    const char *stroke = size > 0 ? memchr(text, '/', size) : NULL;
    if (!stroke) {
        return read_decimal(text, size, value);
    }
    td_real over = 0, under = 0;
    size_t first = (size_t)(stroke - text);
    bool parts =
        read_decimal(text, first, &over) && read_decimal(stroke + 1, size - first - 1, &under);
    *value = parts && under != 0 ? over / under : 0;
    return parts && under != 0 && isfinite(*value);
}
