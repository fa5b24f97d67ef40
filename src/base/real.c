// SPDX-License-Identifier: MIT
// Numbers as text.

#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
