// SPDX-License-Identifier: MIT
// Texts by a format, as vsnprintf makes them in the C locale.

#include "system/format.h"

#include "system/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAX_DIGITS 40 // of a real

typedef struct sink {
    char *to;
    size_t size, used; // used may be above size
} sink;

typedef struct conversion {
    bool zeros;
    int width, precision; // precision -1: none
    int longs;            // l and z are 1, ll is 2
} conversion;

static void put(sink *out, char c) {
    if (out->used < out->size) {
        out->to[out->used] = c;
    }
    out->used++;
}

static void put_all(sink *out, const char *text, size_t size, const conversion *c) {
    for (int k = c->width - (int)size; k > 0; k--) {
        put(out, c->zeros ? '0' : ' ');
    }
    for (size_t i = 0; i < size; i++) {
        put(out, text[i]);
    }
}

static void put_whole(sink *out, uint64_t value, bool negative, unsigned base,
                      const conversion *c) {
    char text[24], *at = text + sizeof text;
    for (; value > 0 || (at == text + sizeof text && c->precision != 0); value /= base) {
        *--at = "0123456789abcdef"[value % base];
    }
    if (negative) {
        *--at = '-';
    }
    put_all(out, at, (size_t)(text + sizeof text - at), c);
}

// ---- reals ----------------------------------------------------------------------------------

static char *write_exponent(char *to, int exponent) {
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    if (size >= 100) {
        *to++ = (char)('0' + size / 100);
    }
    *to++ = (char)('0' + size / 10 % 10);
    *to++ = (char)('0' + size % 10);
    return to;
}

// %g: zeros at the end are left out; small and large ones get an exponent
static void put_real(sink *out, double value, const conversion *c) {
    char digits[MAX_DIGITS] = "0", text[2 * MAX_DIGITS], *to = text;
    int count = c->precision < 0 ? 6 : c->precision > 1 ? c->precision : 1, exponent = 0;
    count = count < MAX_DIGITS ? count : MAX_DIGITS;
    if (signbit(value)) {
        *to++ = '-';
        value = -value;
    }
    if (!isfinite(value)) {
        memcpy(to, isnan(value) ? "nan" : "inf", 3);
        put_all(out, text, (size_t)(to - text) + 3, c);
        return;
    }
    exponent = value > 0 ? tdi_decimal_write(value, count, digits) : 0;
    bool scientific = exponent < -4 || exponent >= count;
    int shown = value > 0 ? count : 1, point = scientific ? 0 : exponent;
    while (shown > 1 && digits[shown - 1] == '0') {
        shown--;
    }
    // from the first digit, or from the 0 before the point, to the last digit, or to the point
    for (int i = point < 0 ? point : 0; i < shown || i <= point; i++) {
        if (i == point + 1) {
            *to++ = '.';
        }
        *to++ = i >= 0 && i < shown ? digits[i] : '0';
    }
    to = scientific ? write_exponent(to, exponent) : to;
    put_all(out, text, (size_t)(to - text), c);
}

// ---- formats --------------------------------------------------------------------------------

static const char *read_count(const char *at, int *count) {
    for (*count = 0; *at >= '0' && *at <= '9'; at++) {
        *count = *count < 10000 ? 10 * *count + (*at - '0') : *count;
    }
    return at;
}

static const char *read_conversion(const char *at, conversion *c, va_list *args) {
    *c = (conversion){.zeros = *at == '0', .precision = -1};
    at = read_count(at, &c->width);
    if (*at == '.' && at[1] == '*') {
        c->precision = va_arg(*args, int);
        at += 2;
    } else if (*at == '.') {
        at = read_count(at + 1, &c->precision);
    }
    for (; *at == 'l' || *at == 'z'; at++) {
        c->longs++;
    }
    return at;
}

static void put_one(sink *out, char kind, const conversion *c, va_list *args) {
    if (kind == 'd') {
        int64_t value = c->longs > 1    ? va_arg(*args, long long)
                        : c->longs == 1 ? va_arg(*args, long)
                                        : va_arg(*args, int);
        put_whole(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, 10, c);
    } else if (kind == 'u' || kind == 'x') {
        uint64_t value = c->longs > 1    ? va_arg(*args, unsigned long long)
                         : c->longs == 1 ? va_arg(*args, unsigned long)
                                         : va_arg(*args, unsigned);
        put_whole(out, value, false, kind == 'x' ? 16 : 10, c);
    } else if (kind == 'g') {
        put_real(out, va_arg(*args, double), c);
    } else if (kind == 's') {
        const char *text = va_arg(*args, const char *);
        size_t most = c->precision < 0 ? SIZE_MAX : (size_t)c->precision, size = 0;
        while (size < most && text[size]) {
            size++;
        }
        put_all(out, text, size, c);
    } else {
        char letter = kind == 'c' ? (char)va_arg(*args, int) : kind;
        put_all(out, &letter, 1, c);
    }
}

int tdi_format(char *to, size_t size, const char *format, va_list given) {
    sink out = {to, size, 0};
    va_list args;
    va_copy(args, given);
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            put(&out, *at);
            continue;
        }
        conversion c;
        at = read_conversion(at + 1, &c, &args);
        if (*at == 0) {
            break;
        }
        put_one(&out, *at, &c, &args);
    }
    va_end(args);
    if (size > 0) {
        to[out.used < size ? out.used : size - 1] = 0;
    }
    return (int)out.used;
}
