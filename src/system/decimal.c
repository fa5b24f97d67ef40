// SPDX-License-Identifier: MIT
// Doubles as decimal digits and back, exactly.
//
// Writing  m 2^e is a whole number when e >= 0, and m 5^-e 10^e when not: either way a product of
//          small factors, in words of nine digits. All its digits are there to round by.
// Reading  Short numbers are one product of two exact doubles. Of others a double close by is
//          found, and then its neighbour, until the number lies between the middles to both sides.

#include "system/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WORD       1000000000u // nine digits
#define MAX_WORDS  (TDI_DECIMAL_DIGITS / 9 + 1)
#define MAX_READ   100 // digits that are read; of what follows only counts whether it is 0
#define FRACTION   ((uint64_t)1 << 52)
#define LEAST_BITS (-1074) // power of two of the last bit of the smallest doubles

typedef struct decimal {
    char digits[9 * MAX_WORDS];
    int count;    // 0: the number is 0
    int exponent; // power of ten of the first digit
} decimal;

// ---- exact ----------------------------------------------------------------------------------

static int multiply(uint32_t *words, int count, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < count; i++) {
        carry += (uint64_t)words[i] * factor;
        words[i] = (uint32_t)(carry % WORD);
        carry /= WORD;
    }
    if (carry > 0) {
        words[count++] = (uint32_t)carry;
    }
    return count;
}

// m 2^e in full, m > 0
static void expand(uint64_t m, int e, decimal *out) {
    while (e < 0 && m % 2 == 0) {
        m /= 2;
        e++;
    }
    uint32_t words[MAX_WORDS] = {(uint32_t)(m % WORD), (uint32_t)(m / WORD)};
    int count = 2;
    uint32_t factor = 1;
    for (int k = e < 0 ? -e : e; k > 0; k--) {
        factor *= e < 0 ? 5 : 2;
        // as much at once as a word holds: 5^12
        if (k % 12 == 1) {
            count = multiply(words, count, factor);
            factor = 1;
        }
    }
    char *at = out->digits;
    while (words[count - 1] == 0) {
        count--;
    }
    for (int i = count - 1; i >= 0; i--) {
        uint32_t left = words[i];
        for (uint32_t unit = WORD / 10; unit > 0; unit /= 10) {
            uint32_t digit = left / unit;
            left -= digit * unit;
            if (digit > 0 || at > out->digits) {
                *at++ = (char)('0' + digit);
            }
        }
    }
    out->count = (int)(at - out->digits);
    out->exponent = out->count - 1 + (e < 0 ? e : 0);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// a finite positive double is m 2^e
static int split(uint64_t bits, uint64_t *m) {
    int field = (int)(bits / FRACTION);
    *m = bits % FRACTION + (field > 0 ? FRACTION : 0);
    return LEAST_BITS + (field > 0 ? field - 1 : 0);
}

// ---- writing --------------------------------------------------------------------------------

static bool rounds_up(const decimal *d, int count) {
    if (d->digits[count] != '5') {
        return d->digits[count] > '5';
    }
    for (int i = count + 1; i < d->count; i++) {
        if (d->digits[i] != '0') {
            return true;
        }
    }
    return d->digits[count - 1] % 2 != 0;
}

int tdi_decimal_write(double value, int count, char *digits) {
    decimal d;
    uint64_t m;
    int e = split(bits_of(value), &m);
    expand(m, e, &d);
    memset(digits, '0', (size_t)count);
    memcpy(digits, d.digits, (size_t)(d.count < count ? d.count : count));
    if (d.count > count && rounds_up(&d, count)) {
        int i = count - 1;
        while (i >= 0 && digits[i] == '9') {
            digits[i--] = '0';
        }
        if (i < 0) {
            digits[0] = '1';
            d.exponent++;
        } else {
            digits[i]++;
        }
    }
    return d.exponent;
}

// ---- reading --------------------------------------------------------------------------------

static const char *read_digits(const char *text, decimal *d, bool *point_passed) {
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !*point_passed); text++) {
        if (*text == '.') {
            *point_passed = true;
            continue;
        }
        bool leading = d->count == 0 && *text == '0';
        if (!leading && d->count < MAX_READ) {
            d->digits[d->count++] = *text;
        } else if (!leading && *text != '0') {
            d->digits[MAX_READ - 1] |= 1; // more than what stands there: no tie any more
        }
        // the power of the first digit grows with each digit that has no point before it
        d->exponent += (d->count > 0 && !*point_passed) - (leading && *point_passed);
    }
    return text;
}

static int read_exponent(const char *text) {
    if (*text != 'e' && *text != 'E') {
        return 0;
    }
    int value = 0;
    bool negative = text[1] == '-';
    for (text += 1 + (negative || text[1] == '+'); *text >= '0' && *text <= '9'; text++) {
        value = value < 100000 ? 10 * value + (*text - '0') : value;
    }
    return negative ? -value : value;
}

// the number less the middle of a double and the next one above: its sign
static int against_middle(const decimal *d, uint64_t bits) {
    decimal middle;
    uint64_t m;
    int e = split(bits, &m);
    expand(2 * m + 1, e - 1, &middle);
    if (d->exponent != middle.exponent) {
        return d->exponent < middle.exponent ? -1 : 1;
    }
    for (int i = 0; i < d->count || i < middle.count; i++) {
        int a = i < d->count ? d->digits[i] : '0', b = i < middle.count ? middle.digits[i] : '0';
        if (a != b) {
            return a < b ? -1 : 1;
        }
    }
    return 0;
}

static double nearest(const decimal *d, double guess) {
    uint64_t bits = bits_of(guess);
    for (int side; isfinite(double_of(bits)) && (side = against_middle(d, bits)) >= 0; bits++) {
        if (side == 0 && bits % 2 == 0) {
            return double_of(bits);
        }
    }
    for (int side; bits > 0 && (side = against_middle(d, bits - 1)) <= 0; bits--) {
        if (side == 0 && bits % 2 == 0) {
            break;
        }
    }
    return double_of(bits);
}

double tdi_decimal_read(const char *text) {
    decimal d = {.count = 0, .exponent = -1};
    bool point_passed = false, negative = *text == '-';
    text = read_digits(text + (negative || *text == '+'), &d, &point_passed);
    d.exponent += read_exponent(text);
    double value = d.count > 0 && d.exponent > 308 ? HUGE_VAL : 0;
    if (d.count > 0 && d.exponent <= 308 && d.exponent > -326) {
        uint64_t whole = 0;
        int used = d.count < 19 ? d.count : 19, power = d.exponent + 1 - used;
        for (int i = 0; i < used; i++) {
            whole = 10 * whole + (uint64_t)(d.digits[i] - '0');
        }
        bool exact = d.count <= 15 && power >= -22 && power <= 22;
        double ten = 1;
        value = (double)whole;
        for (int k = power < 0 ? -power : power; k > 0; k--) {
            ten *= 10;
            // 1e22 is the largest power of ten that is a double
            if (k == 1 || ten == 1e22) {
                value = power < 0 ? value / ten : value * ten;
                ten = 1;
            }
        }
        value = exact ? value : nearest(&d, isfinite(value) ? value : 0x1.fffffffffffffp1023);
    }
    return negative ? -value : value;
}
