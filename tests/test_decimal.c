// SPDX-License-Identifier: MIT
// Doubles as decimal digits and back, beside printf and strtod. Pairs with src/system/decimal.c.
#include "td_test.h"

#include "system/decimal.h"

#include <stdlib.h>

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

// any finite positive double, small ones and large ones as often
static double any_double(uint64_t *seed) {
    double value = 0;
    while (!(value > 0 && isfinite(value))) {
        uint64_t bits = next_random(seed) >> 1;
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

// the digits of %.*e without the point, and its power of ten
static int by_printf(double value, int count, char *digits) {
    char text[80];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    int n = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (*at != '.') {
            digits[n++] = *at;
        }
    }
    return atoi(at + 1);
}

static bool written_alike(double value, int count) {
    char ours[64], theirs[64];
    int a = tdi_decimal_write(value, count, ours), b = by_printf(value, count, theirs);
    return a == b && memcmp(ours, theirs, (size_t)count) == 0;
}

TD_TEST(decimal_digits_are_those_of_printf) {
    static const double chosen[] = {1,
                                    0.5,
                                    9.5,
                                    2.5,
                                    0.125,
                                    1e22,
                                    1e23,
                                    9.995,
                                    999999.5,
                                    0x1p-1074,
                                    0x1.fffffffffffffp1023,
                                    0x1p-1022,
                                    0x1p1023,
                                    1 / 3.0};
    uint64_t seed = 88172645463325252u;
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        for (int count = 1; count <= 40; count++) {
            CHECK(written_alike(chosen[i], count));
        }
    }
    int wrong = 0;
    for (int i = 0; i < 5000; i++) {
        wrong += !written_alike(any_double(&seed), 1 + (int)(next_random(&seed) % 20));
    }
    CHECK_INT(wrong, 0);
}

static bool read_alike(const char *text) {
    double ours = tdi_decimal_read(text), theirs = strtod(text, NULL);
    return memcmp(&ours, &theirs, sizeof ours) == 0;
}

TD_TEST(decimal_numbers_are_read_as_strtod_reads_them) {
    static const char *const chosen[] = {
        "0", "-0", "1", "-1.5", "+.5", "5.", "0.1", "1e22", "1e23", "123456789012345678", "1e-320",
        "4.9e-324", "2.4e-324", "2.5e-324", "1.7976931348623157e308", "1.7976931348623158e308",
        "1.7976931348623159e308", "1e309", "1e-400", "1e999999999999", "0e5", "000.00012e+3",
        "9007199254740993", "9007199254740992.9999999999999999", "9007199254740995", "0.3e1",
        // a middle of two doubles, and a little more and less
        "9007199254740993.0000000000000000000000000000000000000000001", "2.2250738585072011e-308",
        "2.2250738585072014e-308", "1e", "1e+", "1.2.3", "12x"};
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        CHECK_SAY(read_alike(chosen[i]), "%s is read as %.17g", chosen[i],
                  tdi_decimal_read(chosen[i]));
    }
}

TD_TEST(decimal_numbers_of_any_length_are_read_as_strtod_reads_them) {
    uint64_t seed = 1234567;
    int wrong = 0;
    for (int i = 0; i < 5000; i++) {
        char text[80];
        int count = (int)(next_random(&seed) % 25);
        snprintf(text, sizeof text, "%.*e", count, any_double(&seed));
        wrong += !read_alike(text);
        snprintf(text, sizeof text, "%.*g", 1 + count % 17,
                 ldexp((double)(next_random(&seed) >> 11), -(int)(next_random(&seed) % 80)));
        wrong += !read_alike(text);
    }
    CHECK_INT(wrong, 0);
}
